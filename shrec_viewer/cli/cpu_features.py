"""Instruction sets that numpy uses, chosen before its first import."""

import os
import sys
from collections.abc import MutableMapping
from pathlib import Path

VARIABLE = "NPY_DISABLE_CPU_FEATURES"

#: numpy's names of AVX-512 since 2.4. Earlier versions have others and ignore these.
AVX512 = "X86_V4 AVX512_ICL AVX512_SPR"

CPU_INFO = Path("/proc/cpuinfo")


def is_zen4(cpu_info: str) -> bool:
    r"""Whether the text of ``/proc/cpuinfo`` describes an AMD processor of generation Zen 4.

    Examples
    --------
    >>> is_zen4("vendor_id : AuthenticAMD\ncpu family : 25\nmodel : 17\nflags : fpu avx2 avx512f\n\n")
    True
    """
    first, _, _ = cpu_info.partition("\n\n")
    values = {name.strip(): value.split() for name, _, value in (line.partition(":") for line in first.splitlines())}
    # Zen 3 is of the same family and has no AVX-512; Zen 5 is of family 26.
    return (
        values.get("vendor_id") == ["AuthenticAMD"]
        and values.get("cpu family") == ["25"]
        and "avx512f" in values.get("flags", [])
    )


def avoid_slow_sort(environment: MutableMapping[str, str] = os.environ) -> None:
    """Let numpy sort with AVX2 on AMD Zen 4, here and in worker processes; call it before numpy is imported.

    numpy 2.4 sorts single precision there at 0.18 GB/s with AVX-512 and at 0.82 GB/s with AVX2: an instruction that its
    AVX-512 sort uses is very slow on these processors (github.com/numpy/x86-simd-sort/issues/6). Most of the time of
    ranking by a matrix is sorting. A value that the user has set is kept.
    """
    if "numpy" in sys.modules or VARIABLE in environment:
        return
    try:
        with CPU_INFO.open(errors="replace") as file:
            text = file.read(4096)  # the first processor; the whole file takes milliseconds with many of them
    except OSError:  # only Linux has this file
        return
    if is_zen4(text):
        environment[VARIABLE] = AVX512
