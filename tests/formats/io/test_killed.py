"""Programs that are killed while they write leave nothing half written under the name that others read."""

import itertools
import os
import shutil
import signal
import time
from contextlib import suppress
from functools import partial

import numpy as np
import pytest
from kill_points import child, counted_lines, kill_lines, killed_before_line
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

KINDS = {"trec": ".run", "ranklist": "", "npy": ".npy", "text": ".txt", "matrix": ".matrix", "submission": ".csv"}


def repeated(work):
    for count in itertools.count():
        work(count)


def kill(number):
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)


def _content(target):
    """Names and bytes of a file or of all files of a folder."""
    return tuple((str(path), path.read_bytes()) for path in sorted([target, *target.rglob("*")]) if path.is_file())


@pytest.mark.parametrize(
    ("writer", "is_replaced"),
    # A folder is never written over.
    [(writer, old) for writer in WRITERS for old in (False, True) if not (old and writer.key == "ranklist")],
    ids=lambda value: getattr(value, "key", value),
)
def test_conversions(tmp_path, writer, is_replaced):
    """Killed at many lines: what lies at the target is a whole run, the old or the new one, or nothing."""
    files = {name: text for name, text in benchmark_files().items() if not name.endswith(".off")}
    folder = write(tmp_path / "b", {**files, **list_files("runs/A")})
    benchmark = read_benchmark(folder)
    out = tmp_path / "out"
    target = out / f"W{KINDS[writer.key]}"

    def convert():
        writer.write(benchmark.runs[0], benchmark, target, FindingsLog(tmp_path))

    def clear():
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()

    clear()
    convert()  # what is imported once is not counted
    clear()
    lines = counted_lines(convert)
    seen, whole = set(), set()
    for line in kill_lines(lines):
        clear()
        if is_replaced:
            convert()
        was_killed = killed_before_line(convert, line)
        visible = [path for path in out.iterdir() if not path.name.startswith(".")]  # drafts are not read
        assert visible == [target] or (visible == [] and was_killed and not is_replaced)
        seen.add((was_killed, bool(visible)))
        content = _content(target)
        if not visible or content in whole:
            continue
        order = "classification" if target.suffix in (".npy", ".txt") else None
        truth = {"classification": folder / "classes.cla", "assessment": folder / "truth.txt"}
        (run,) = read_benchmark(
            folder, BenchmarkParts(**truth, runs=target, read_options=ReadOptions(order=order))
        ).runs
        assert run.present.all(), target
        assert np.prod(getattr(run.ranking, "values", np.zeros(288)).shape) == 288
        assert len(getattr(run.ranking, "items", range(288))) == 288
        whole.add(content)
    assert {(True, is_replaced), (False, True)} <= seen


def test_settling(tmp_path):
    """Killed at many lines: the manifest is the old one or the new one."""
    folder = write(tmp_path, {"M.txt": matrix_text(distances())})
    note = "# " + "x" * 9_000 + "\n"
    manifest = folder / "benchmark.toml"

    def answer(order):
        write_manifest(folder, edits_of_options(folder / "M.txt", ReadOptions(order=order)))

    texts = {order: f'[[runs]]\npath = "M.txt"\norder = "{order}"' for order in ("names", "classification")}
    manifest.write_text(note)
    answer("numbers")  # what is imported once is not counted
    manifest.write_text(note)
    lines = counted_lines(partial(answer, "names"))
    for before, order in ((None, "names"), ("names", "classification")):
        seen = set()
        for line in kill_lines(lines):
            manifest.write_text(note)
            if before is not None:
                answer(before)
            was_killed = killed_before_line(partial(answer, order), line)
            text = manifest.read_text()
            assert text.startswith(note)
            rest = text[len(note) :].strip()
            assert rest in (texts.get(before, ""), texts[order])
            seen.add((was_killed, rest))
        assert {(True, texts.get(before, "")), (False, texts[order])} <= seen


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

    others = [child(partial(repeated, work)) for work in (read, read, clear)]
    try:
        for count in range(60):
            read(count)
            if count % 3 == 2:
                kill(others.pop(0))
                others.insert(0, child(partial(repeated, read)))
        assert all(os.waitpid(number, os.WNOHANG) == (0, 0) for number in others)  # none ended by itself
    finally:
        for number in others:
            kill(number)
