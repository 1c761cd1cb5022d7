"""Programs that are killed while they write leave nothing half written under the name that others read."""

import os
import signal
import time
from contextlib import suppress
from functools import partial

import numpy as np
import pytest
from made_folders import benchmark_files, distances, list_files, matrix_text, write

from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.io.parse_cache import ParseCache
from shrec_viewer.formats.io.progress import ReadProgress
from shrec_viewer.formats.manifest.manifest import edits_of_options, write_manifest
from shrec_viewer.formats.manifest.parts import BenchmarkParts
from shrec_viewer.formats.matrices.matrix import read_matrix
from shrec_viewer.formats.runs.writers import WRITERS

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

KILLS = 50
KINDS = {"trec": ".run", "ranklist": "", "npy": ".npy", "text": ".txt", "matrix": ".matrix", "submission": ".csv"}


def child(work):
    """A process that does some work over and over."""
    number = os.fork()
    if number == 0:
        try:
            turn = 0
            while True:
                work(turn)
                turn += 1
        finally:
            os._exit(1)
    return number


def kill(number):
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)


def a_while(work, random):
    """Somewhere within the first four times that some work takes a child, on a machine as busy as this one is now."""
    start = time.perf_counter()
    work()
    return (0.01 + 4 * (time.perf_counter() - start)) * random.random()


def test_conversions(tmp_path):
    """Fifty times: what lies at the target is a whole run, the old or the new one, or nothing."""
    files = {name: text for name, text in benchmark_files().items() if not name.endswith(".off")}
    folder = write(tmp_path / "b", {**files, **list_files("runs/A")})
    benchmark = read_benchmark(folder)
    random = np.random.default_rng(5)
    seen = dict.fromkeys(KINDS, 0)
    for turn in range(KILLS):
        writer = WRITERS[turn % len(WRITERS)]

        def convert(count, writer=writer, turn=turn, out="out"):
            name = f"{turn}-{count}" if writer.key == "ranklist" else "W"  # a folder is never written over
            target = tmp_path / out / f"{name}{KINDS[writer.key]}"
            writer.write(benchmark.runs[0], benchmark, target, FindingsLog(tmp_path))

        for out in ("out", "elsewhere"):
            (tmp_path / out).mkdir(exist_ok=True)
        moment = a_while(partial(convert, "whole", out="elsewhere"), random)
        number = child(convert)
        while turn < len(WRITERS) and not any((tmp_path / "out").iterdir()):  # each kind is seen at least once
            time.sleep(0.01)
        time.sleep(moment)
        kill(number)
        for target in sorted((tmp_path / "out").iterdir()):
            if target.name.startswith("."):  # a draft, which nobody reads
                continue
            order = "classification" if target.suffix in (".npy", ".txt") else None
            truth = {"classification": folder / "classes.cla", "assessment": folder / "truth.txt"}
            (run,) = read_benchmark(
                folder, BenchmarkParts(**truth, runs=target, read_options=ReadOptions(order=order))
            ).runs
            assert run.present.all(), target
            assert np.prod(getattr(run.ranking, "values", np.zeros(288)).shape) == 288
            assert len(getattr(run.ranking, "items", range(288))) == 288
            seen[writer.key] += 1
            if target.is_dir():
                for path in target.iterdir():
                    path.unlink()
                target.rmdir()
        for left in (tmp_path / "out").glob("*"):
            if left.is_file():
                left.unlink()
    assert all(seen.values()), seen


def test_settling(tmp_path):
    """Fifty times: the manifest is the old one or the new one."""
    folder = write(tmp_path, {"M.txt": matrix_text(distances())})
    note = "# " + "x" * 20_000 + "\n"
    (folder / "benchmark.toml").write_text(note)
    random = np.random.default_rng(6)
    orders = ("names", "numbers", "classification")
    write_manifest(folder, ())  # what is imported once is there for all children
    seen = set()

    def answer(count):
        write_manifest(folder, edits_of_options(folder / "M.txt", ReadOptions(order=orders[count % 3])))

    for _ in range(KILLS):
        moment = a_while(partial(answer, 2), random)
        (folder / "benchmark.toml").write_text(note)
        number = child(answer)
        time.sleep(moment)
        kill(number)
        text = (folder / "benchmark.toml").read_text()
        assert text.startswith(note)
        rest = text[len(note) :].strip()
        assert rest in ("", *(f'[[runs]]\npath = "M.txt"\norder = "{order}"' for order in orders))
        seen.add(rest)
    assert len(seen) == 4, "killed before, between and after each of the three answers"


def test_two_programs_and_one_that_clears_share_a_cache(tmp_path, monkeypatch):
    """Both parse the same files over and over while a third clears: each reading is right, whoever is killed."""
    monkeypatch.setattr("shrec_viewer.formats.matrices.text_matrix.LARGE_TEXT_BYTES", 1)
    tables = {}
    for place in range(4):
        values = np.random.default_rng(place).integers(0, 999, (40, 50)) / 8
        tables[place] = values
        (tmp_path / f"{place}.txt").write_text("".join(" ".join(map(str, row)) + "\n" for row in values.tolist()))
    waiting = ReadProgress(cache=ParseCache(tmp_path / "cache", max_bytes=40_000))  # room for two of four

    def read(count):
        found = read_matrix(tmp_path / f"{count % 4}.txt", waiting).values
        assert np.array_equal(found, tables[count % 4])

    def clear(_):
        time.sleep(0.003)
        waiting.cache.clear()

    others = [child(read), child(read), child(clear)]
    try:
        end = time.monotonic() + 3
        count = 0
        while time.monotonic() < end or count <= 3:
            read(count)
            count += 1
            if count % 3 == 0:
                kill(others.pop(0))
                others.insert(0, child(read))
        assert all(os.waitpid(number, os.WNOHANG) == (0, 0) for number in others)  # none ended by itself
    finally:
        for number in others:
            kill(number)
