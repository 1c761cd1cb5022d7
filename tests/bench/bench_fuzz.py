"""Mutated files of every kind, read in processes with limits of time and memory: crashes and errors not foreseen.

Run it by hand: ``python tests/bench/bench_fuzz.py --count 100000``. Half of the failures are usually one fault; each is
printed with the command that repeats its input: ``python tests/bench/bench_fuzz.py --repeat "read trec" 1234``.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "fuzz")]

TIME_LIMIT_S = 10
"""Seconds of one input."""

HANG_S = 60
"""Seconds without a message after which a process, blocked in C, counts as hanging."""

MEMORY_BYTES = 2**30
"""Memory of a process, with numpy, Pillow, trimesh and Qt."""


class TooSlow(BaseException):
    """An input took longer than `TIME_LIMIT_S`; no reader catches it."""


def shares(count: int, only: str) -> dict[str, int]:
    """Inputs of each target."""
    from fuzz_targets import TARGETS

    chosen = {name: share for name, (_, share) in TARGETS.items() if only in name}
    total = sum(chosen.values())
    return {name: -(-count * share // total) for name, share in chosen.items()}


def numbers(counts: dict[str, int], index: int, processes: int) -> Iterator[tuple[str, int]]:
    """The inputs of one of several processes."""
    for target, count in counts.items():
        for number in range(index, count, processes):
            yield target, number


def work(counts: dict[str, int], index: int, processes: int, skip: int, first: int) -> None:
    """Run inputs and print a line before each input and for each failure."""
    import resource

    from fuzz_targets import run_input

    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    signal.signal(signal.SIGALRM, _stop)
    null = os.open(os.devnull, os.O_WRONLY)
    out = os.fdopen(os.dup(1), "w")
    for stream in (1, 2):  # Qt and libtiff print to the file descriptors
        os.dup2(null, stream)
    with tempfile.TemporaryDirectory(prefix="shrec-viewer-fuzz-") as folder:
        done = 0
        for done, (target, number) in enumerate(numbers(counts, index, processes), 1):
            if done <= skip:
                continue
            print(json.dumps({"at": [done, target, number + first]}), file=out, flush=True)
            start = time.perf_counter()
            signal.alarm(TIME_LIMIT_S)
            try:
                run_input(target, number + first, Path(folder))
            except BaseException as error:
                signal.alarm(0)
                where = traceback.extract_tb(error.__traceback__)[-1]
                text = f"{type(error).__name__}: {str(error)[:1500]} ({Path(where.filename).name}:{where.lineno})"
                print(json.dumps({"failure": [target, number + first, text]}), file=out, flush=True)
            signal.alarm(0)
            seconds = time.perf_counter() - start
            if seconds > TIME_LIMIT_S / 4:
                print(json.dumps({"slow": [target, number + first, round(seconds, 1)]}), file=out, flush=True)
        print(json.dumps({"end": done}), file=out, flush=True)


def _stop(*_: object) -> None:
    raise TooSlow


def run_process(counts: dict[str, int], index: int, args: argparse.Namespace) -> Iterator[dict]:
    """Messages of one process; started again behind an input that ended it."""
    import select

    skip = 0
    while True:
        options = ["--count", str(args.count), "--only", args.only, "--first", str(args.first)]
        command = [sys.executable, __file__, *options, "--worker", str(index), str(args.processes), str(skip)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, bufsize=1)
        at, is_over = None, False
        while select.select([process.stdout], [], [], HANG_S)[0] and (line := process.stdout.readline()):
            message = json.loads(line)
            at = message.get("at", at)
            is_over = is_over or "end" in message
            yield message
        if is_over:
            process.wait()
            return
        has_ended = process.poll() is not None
        process.kill()
        reason = f"the process ended with status {process.wait()}" if has_ended else f"hung for {HANG_S} s"
        if at is None:
            yield {"failure": ["start", 0, reason]}
            return
        yield {"failure": [at[1], at[2], reason]}
        skip = at[0]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", default="", help="part of the name of the targets")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--worker", type=int, nargs=3)
    parser.add_argument("--repeat", nargs=2, metavar=("TARGET", "NUMBER"))
    args = parser.parse_args()
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # the allocator of pyarrow 26 reserves 1 GiB, MEMORY_BYTES
    if args.repeat:
        from fuzz_targets import run_input

        folder = Path(tempfile.mkdtemp(prefix="shrec-viewer-fuzz-"))
        sys.stdout.write(f"{folder}\n")
        run_input(args.repeat[0], int(args.repeat[1]), folder)
        return 0
    counts = shares(args.count, args.only)
    if args.worker:
        work(counts, *args.worker, args.first)
        return 0
    return supervise(counts, args)


def supervise(counts: dict[str, int], args: argparse.Namespace) -> int:
    """Run the processes in turn and print a summary; 1 if an input failed."""
    from concurrent.futures import ThreadPoolExecutor

    failures: list[list] = []
    inputs: Counter[str] = Counter()
    slow: list[list] = []
    start = time.monotonic()

    def collect(index: int) -> None:
        for message in run_process(counts, index, args):
            if "at" in message:
                inputs[message["at"][1]] += 1
            if "slow" in message:
                slow.append(message["slow"])
            if "failure" in message:
                failures.append(message["failure"])
                sys.stdout.write(f"{json.dumps(message)}\n")
                sys.stdout.flush()

    with ThreadPoolExecutor(args.processes) as pool:
        list(pool.map(collect, range(args.processes)))
    summary = {
        "inputs": sum(inputs.values()),
        "failures": len(failures),
        "slow": sorted(slow, key=lambda row: -row[2])[:10],
        "seconds": round(time.monotonic() - start),
        "by_target": dict(inputs),
    }
    sys.stdout.write(f"{json.dumps(summary)}\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
