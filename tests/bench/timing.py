"""Time and memory of functions and processes, measured alternately to compensate for other load."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

MEGABYTE = 1e6


def print_line(text: str = "") -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


@dataclass(frozen=True)
class Cost:
    """Seconds and peak memory (resident, megabytes) of a whole process, and what it printed.

    `processor_seconds` includes its worker processes.
    """

    seconds: float
    processor_seconds: float
    megabytes: float
    output: str


def best_of(actions: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Seconds of each action, best of several rounds in which the actions alternate."""
    seconds = dict.fromkeys(actions, float("inf"))
    for _ in range(rounds):
        for name, action in actions.items():
            start = time.perf_counter()
            action()
            seconds[name] = min(seconds[name], time.perf_counter() - start)
    return seconds


def best_processes(
    commands: Mapping[str, Sequence[str]], rounds: int, empty_cache: Path | None = None
) -> dict[str, Cost]:
    """Cost of each command, fastest of several rounds in which the commands alternate.

    Parameters
    ----------
    empty_cache : folder in which each process has a cache of its own; None for that of the user.
    """
    costs: dict[str, Cost] = {}
    for number in range(rounds):
        for name, command in commands.items():
            variables = {"XDG_CACHE_HOME": f"{empty_cache}/{name}-{number}"} if empty_cache is not None else {}
            cost = run_process(command, variables)
            if name not in costs or cost.seconds < costs[name].seconds:
                costs[name] = cost
    return costs


def compiled() -> dict[str, str]:
    """Environment with a cache of compiled modules, as for an installed program."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "shrec-bench-compiled")}


def run_process(command: Sequence[str], variables: Mapping[str, str] = MappingProxyType({})) -> Cost:
    """Run one command with changed environment variables; RuntimeError with the end of its errors if it fails."""
    environment = {**compiled(), **variables}
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    output = process.stdout.read()
    words = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    process.stderr.close()
    if process.returncode not in (0, 1):
        raise RuntimeError(f"{command[0]} {command[1]} failed: {words[-500:]}")
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / MEGABYTE, output)
