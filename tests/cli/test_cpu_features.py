"""The instruction sets of numpy that the program switches off."""

import subprocess
import sys

import pytest

from shrec_viewer.cli import cpu_features
from shrec_viewer.cli.cpu_features import AVX512, VARIABLE, avoid_slow_sort, is_zen4

FLAGS = "fpu sse2 avx avx2 avx512f avx512dq avx512vl"


def cpu_info(vendor="AuthenticAMD", family=25, flags=FLAGS, count=2):
    """The file as Linux writes it: tabs before the colons, an empty line after each processor."""
    lines = f"vendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: 17\nflags\t\t: {flags}\npower management:\n\n"
    return "".join(f"processor\t: {number}\n{lines}" for number in range(count))


ZEN4 = cpu_info()

OTHERS = {
    "Zen 3": cpu_info(flags="fpu sse2 avx avx2"),
    "Zen 5": cpu_info(family=26),
    "Intel": cpu_info(vendor="GenuineIntel", family=6),
    "ARM": "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd\nCPU part\t: 0xd0c\n\n",
    "cut": ZEN4[:60],
    "empty": "",
    "no colons": "AuthenticAMD 25 avx512f",
}


def test_zen4_is_recognised():
    assert is_zen4(ZEN4)
    assert is_zen4(ZEN4.partition("\n\n")[0])  # cut after the first processor


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_other_processors_are_not_zen4(text):
    assert not is_zen4(text)


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A processor of generation Zen 4, in a process that has not imported numpy."""
    file = tmp_path / "cpuinfo"
    file.write_text(ZEN4)
    monkeypatch.setattr(cpu_features, "CPU_INFO", file)
    monkeypatch.setattr(sys, "modules", {name: module for name, module in sys.modules.items() if name != "numpy"})
    return file


def test_avx512_is_switched_off_on_zen4_only(machine):
    environment = {}
    avoid_slow_sort(environment)
    assert environment == {VARIABLE: AVX512}
    for text in OTHERS.values():
        machine.write_text(text)
        environment = {}
        avoid_slow_sort(environment)
        assert environment == {}
    machine.unlink()
    avoid_slow_sort(environment)
    assert environment == {}


def test_the_setting_of_the_user_is_kept(machine):
    environment = {VARIABLE: ""}
    avoid_slow_sort(environment)
    assert environment == {VARIABLE: ""}


def test_nothing_is_set_after_the_import_of_numpy(machine, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", object())
    environment = {}
    avoid_slow_sort(environment)
    assert environment == {}


def test_numpy_obeys_without_a_warning(machine):
    """The command line sets the variable before it imports numpy, and numpy knows all names in it."""
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from shrec_viewer import cli\n"
        "from shrec_viewer.cli import cpu_features\n"
        "assert 'numpy' not in sys.modules\n"
        "cpu_features.CPU_INFO = Path(sys.argv[1])\n"
        "status = cli.main(['measures'])\n"
        "from numpy._core._multiarray_umath import __cpu_features__\n"
        "assert 'numpy' in sys.modules\n"
        "assert not any(__cpu_features__.get(name) for name in cpu_features.AVX512.split())\n"
        "sys.exit(status)\n"
    )
    command = [sys.executable, "-W", "error::ImportWarning", "-c", program, str(machine)]
    done = subprocess.run(command, capture_output=True, timeout=600, check=False, text=True)
    assert (done.returncode, done.stderr) == (0, "")
