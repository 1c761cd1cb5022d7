"""What a large file was parsed into comes back whole or not at all, and never for another file."""

import gzip
import os
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kill_points import counted_lines, killed_before_line
from made_folders import IDS, QUERIES, benchmark_files, distances, matrix_text, npy, order, write

from shrec_viewer.domain import Cancelled
from shrec_viewer.formats.core.read_options import DETECT_ALL
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.discovery.reading import open_run
from shrec_viewer.formats.io import parse_cache, progress
from shrec_viewer.formats.io.files import FileVersion
from shrec_viewer.formats.io.parse_cache import GrowingArray, ParseCache
from shrec_viewer.formats.io.progress import BLOCK_BYTES, ReadProgress
from shrec_viewer.formats.matrices import matrix, text_matrix
from shrec_viewer.formats.matrices.matrix import read_matrix
from shrec_viewer.formats.runs import trec
from shrec_viewer.formats.runs.trec import read_trec

SAMPLES = Path(__file__).parents[2] / "data" / "formats" / "matrix" / "good"

ARRAYS = (
    np.arange(600, dtype=">f8").reshape(20, 30)[:, ::2],
    np.arange(7, dtype=np.int32),
    np.zeros((0, 3), np.float32),
    np.array([(1, 0.5), (2, np.nan)], [("place", "<i4"), ("far", "<f8")]),
)
ARRAY = ARRAYS[0]
WORDS = {"queries": ["Q1", "Ü"], "findings": [["error", None, "odd", "left out", 3]]}


@pytest.fixture
def everything_is_large(monkeypatch):
    for module in (progress, trec, text_matrix):
        monkeypatch.setattr(module, "LARGE_TEXT_BYTES", 1)


def trec_text():
    return "".join(
        f"{query} Q0 {model} {1 + rank} {-rank / 7!r} R\n"
        for query in QUERIES
        for rank, model in enumerate(order(query))
    )


def same(one, other):
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def put_array(cache, key, array, words):
    """Whether an array could be stored."""
    with GrowingArray(array.dtype, cache, key) as growing:
        growing.append(array.reshape(-1))
        growing.finish(array.shape, words, key)
    return cache.path(key).exists()


@pytest.mark.parametrize("array", ARRAYS, ids=["strided", "whole", "empty", "records"])
def test_stored_array_is_mapped_exactly(array, tmp_path):
    cache = ParseCache(tmp_path / "not" / "there" / "yet")
    assert cache.get("x-1") is None
    assert put_array(cache, "x-1", array, WORDS)
    found, words = cache.get("x-1")
    assert words == WORDS
    assert same(found, array)
    assert isinstance(found, np.memmap) or not array.size
    assert not array.size or not found.flags.writeable
    assert cache.size > 0
    cache.clear()
    assert cache.size == 0
    assert cache.get("x-1") is None


def test_growing_entry_is_mapped_and_abandoned_one_removed(tmp_path):
    cache = ParseCache(tmp_path)
    pieces = [np.arange(size, dtype=np.float64) for size in (5, 0, 7)]
    with GrowingArray(np.dtype(np.float64), cache, "x-1") as growing:
        for piece in pieces:
            growing.append(piece)
        found = growing.finish((3, 4), {"a": 1}, "x-1")
    assert isinstance(found, np.memmap)
    assert found.ravel().tolist() == np.concatenate(pieces).tolist()
    assert cache.get("x-1")[1] == {"a": 1}
    for key in ("x-2", None):  # called off, and changed meanwhile
        with GrowingArray(np.dtype(np.float64), cache, "x-2") as growing:
            growing.append(pieces[0])
            if key is None:
                assert growing.finish((5,), {}, "x-3").tolist() == pieces[0].tolist()
    assert [path.name for path in tmp_path.iterdir()] == ["x-1.parsed"]


def test_full_disk_only_disables_the_cache(tmp_path, monkeypatch):
    cache = ParseCache(tmp_path)
    free = iter([2**40, 2**40, 1000])
    monkeypatch.setattr(parse_cache, "disk_usage", lambda _: SimpleNamespace(free=next(free, 1000)))
    with GrowingArray(np.dtype(np.float64), cache, "x-1") as growing:
        for place in range(4):
            growing.append(np.full(3, float(place)))
        found = growing.finish((4, 3), {}, "x-1")
    assert found.tolist() == [[float(place)] * 3 for place in range(4)]
    assert list(tmp_path.iterdir()) == []
    assert not put_array(cache, "x-2", ARRAY, {})
    assert cache.problem == f"large files are parsed each time: the disk with {tmp_path} is full"


@pytest.mark.skipif(os.name == "nt", reason="there, a file that is open cannot be removed")
def test_removed_draft_loses_no_data(tmp_path):
    cache = ParseCache(tmp_path)
    for late in (False, True):
        with GrowingArray(np.dtype(np.float64), cache, "x-1") as growing:
            growing.append(np.arange(3.0))
            for path in tmp_path.iterdir() if not late else ():
                path.unlink()
            growing.append(np.arange(3.0, 6.0))
            for path in tmp_path.iterdir():
                path.unlink()
            assert growing.finish((6,), {}, "x-1").tolist() == list(range(6))
    with GrowingArray(np.dtype(np.float64), cache, "x-1") as growing:
        growing.append(np.arange(3.0))
        cache.clear()  # leaves what is being written
        assert isinstance(growing.finish((3,), {}, "x-1"), np.memmap)


def test_cleared_entry_is_parsed_again(tmp_path, monkeypatch):
    for module in (trec, text_matrix):
        monkeypatch.setattr(module, "LARGE_TEXT_BYTES", 1)
    cache = ParseCache(tmp_path / "cache")
    monkeypatch.setattr(ParseCache, "shrink", ParseCache.clear)
    write(tmp_path, {"M.txt": matrix_text(distances()), "R.run": trec_text()})
    assert np.array_equal(read_matrix(tmp_path / "M.txt", ReadProgress(cache=cache)).values, np.round(distances(), 6))
    assert read_trec(tmp_path / "R.run", ReadProgress(cache=cache)).lines[-1] == 288


def test_the_key_is_of_path_content_size_and_times(tmp_path):
    cache = ParseCache(tmp_path / "cache")
    path = tmp_path / "file"
    path.write_bytes(bytes(10_000_000))
    os.utime(path, ns=(1, 1))
    key = cache.key("matrix", path)
    assert key == cache.key("matrix", path)
    assert key != cache.key("trec", path)
    copy = tmp_path / "copy"
    copy.write_bytes(bytes(10_000_000))
    os.utime(copy, ns=(1, 1))
    assert cache.key("matrix", copy) != key
    os.utime(path, ns=(1, 2))
    assert cache.key("matrix", path) != key
    with path.open("r+b") as stream:
        stream.seek(5)
        stream.write(b"x")
    os.utime(path, ns=(1, 1))
    assert cache.key("matrix", path) != key
    path.write_bytes(bytes(10_000_001))
    os.utime(path, ns=(1, 1))
    assert cache.key("matrix", path) != key
    assert cache.key("matrix", tmp_path / "absent") is None


def test_file_rewritten_within_the_resolution_of_times_has_another_key(tmp_path, monkeypatch):
    """A file of 10 MB with one byte changed between the samples, of the same size, times and inode."""
    cache, path = ParseCache(tmp_path / "cache"), tmp_path / "file"
    content = bytearray(10_000_000)
    path.write_bytes(content)
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now)
    for age_s, differs in ((0.0, True), (1.5, True), (-3600.0, True), (3.0, False)):
        then = now - int(age_s * 1e9)
        monkeypatch.setattr(parse_cache, "version_of", lambda _, then=then: FileVersion(10_000_000, then, then, 1))
        path.write_bytes(content)
        key = cache.key("matrix", path)
        assert key == cache.key("matrix", path)
        path.write_bytes(content[:200_000] + b"x" + content[200_001:])
        assert (cache.key("matrix", path) != key) == differs


@pytest.mark.usefixtures("everything_is_large")
@pytest.mark.parametrize("keeps_inode", [True, False])
def test_rewritten_file_of_the_same_size_and_time_is_parsed_again(keeps_inode, tmp_path):
    path, progress = tmp_path / "M.txt", ReadProgress(cache=ParseCache(tmp_path / "cache"))
    path.write_text("1 2 3\n4 5 6\n")
    os.utime(path, ns=(1, 1))
    assert read_matrix(path, progress).values.tolist() == [[1, 2, 3], [4, 5, 6]]
    draft = path if keeps_inode else tmp_path / "draft"
    draft.write_text("1 2 3\n4 5 7\n")
    os.utime(draft, ns=(1, 1))
    draft.replace(path)
    assert read_matrix(path, progress).values.tolist() == [[1, 2, 3], [4, 5, 7]]


@pytest.mark.usefixtures("everything_is_large")
def test_matrix_rewritten_while_it_is_parsed_is_a_matrix_of_one_version(tmp_path):
    """A text of two blocks: its rows are all 1 or, after the first block was read, all 2; never both."""
    lines = 2 * BLOCK_BYTES // 8
    path = tmp_path / "M.txt"
    changes = iter([True])

    def rewrite_once() -> bool:
        if next(changes, False):
            path.write_text("2 2 2 2\n" * lines)
        return False

    for cache in (None, ParseCache(tmp_path / "cache")):
        path.write_text("1 1 1 1\n" * lines)
        changes = iter([True])
        found = open_run(path, (), DETECT_ALL, ReadProgress(rewrite_once, cache=cache)).parsed.values
        assert found.shape == (lines, 4)
        assert (np.asarray(found) == 2).all()


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_damaged_entries_are_ignored(data, tmp_path):
    cache = ParseCache(tmp_path)
    put_array(cache, "x-1", ARRAY, WORDS)
    (path,) = tmp_path.glob("*.parsed")
    whole = path.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    damage = data.draw(st.sampled_from(["cut", "flip", "longer"]))
    flipped = whole[:at] + bytes([whole[at] ^ (1 << data.draw(st.integers(0, 7)))]) + whole[at + 1 :]
    path.write_bytes({"cut": whole[:at], "flip": flipped, "longer": whole + b"\0" * (at + 1)}[damage])
    found = cache.get("x-1")
    if found is None:
        assert not path.exists()
    else:  # the flip met what fills up to the next array
        assert damage == "flip"
        assert same(found[0], ARRAY)
        assert found[1] == WORDS


def test_least_recently_used_is_removed_first(tmp_path):
    cache = ParseCache(tmp_path, max_bytes=3 * 9000)
    for place in range(3):
        put_array(cache, f"x-{place}", np.full(1000, place, np.float64), {})
        os.utime(tmp_path / f"x-{place}.parsed", (place, place))
    assert cache.get("x-0") is not None  # used just now
    put_array(cache, "x-3", np.full(1000, 3.0), {})
    assert [place for place in range(4) if cache.get(f"x-{place}")] == [0, 2, 3]
    assert not put_array(cache, "x-4", np.zeros(10_000), {})
    assert cache.size <= 3 * 9000


def test_unwritable_cache_is_ignored(tmp_path):
    (tmp_path / "file").write_text("no folder")
    cache = ParseCache(tmp_path / "file")
    assert not put_array(cache, "x-1", ARRAY, WORDS)
    assert cache.get("x-1") is None
    assert cache.size == 0
    cache.clear()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_before_any_line_nothing_half_written_is_ever_read(tmp_path):
    """Writers of several entries are killed before lines spread over their work; the next one goes on."""
    seen, max_bytes = set(), 10**7

    def put(first):
        for number in range(first, first + 3):
            values = np.full(2000 + 40_000 * (number % 7), float(number))
            put_array(ParseCache(tmp_path, max_bytes), f"x-{number % 5}", values, {"number": number})

    put(0)  # what is imported once is not counted
    lines = counted_lines(partial(put, 3))
    for first, line in enumerate(sorted({*np.linspace(1, lines, 24).astype(int).tolist(), 3 * lines}), 3):
        was_killed = killed_before_line(partial(put, first), line)
        cache = ParseCache(tmp_path, max_bytes)
        for place in range(5):
            path = tmp_path / f"x-{place}.parsed"
            there = path.exists()
            found = cache.get(f"x-{place}")
            assert (found is not None) == there, line  # what is there is whole
            if found is not None:
                number = found[1]["number"]
                seen.add((was_killed, first <= number < first + 3))
                assert np.all(found[0] == number)
                assert len(found[0]) == 2000 + 40_000 * (number % 7)
    assert seen == {(True, False), (True, True), (False, False), (False, True)}


@pytest.mark.usefixtures("everything_is_large")
@pytest.mark.parametrize("name", ["M.txt", "odd.txt", "R.run", "odd.run"])
def test_the_second_reading_is_the_first(name, tmp_path, monkeypatch):
    matrix = matrix_text(distances())
    texts = {"M.txt": matrix, "odd.txt": "# a comment\n" + matrix.replace(" ", " 1.#IND ", 1)}
    texts |= {"R.run": trec_text(), "odd.run": trec_text() + "one two three\nQ1 Q0 N1 99 high R\n"}
    path = tmp_path / name
    path.write_text(texts[name])
    read = read_trec if name.endswith(".run") else read_matrix
    plain = read(path)
    waiting = ReadProgress(cache=ParseCache(tmp_path / "cache"))
    first = read(path, waiting)
    monkeypatch.setattr(text_matrix, "_TextMatrixParser", None)  # nothing is parsed any more
    monkeypatch.setattr(trec, "_TrecParser", None)
    second = read(path, waiting)
    for attribute, value in vars(plain).items():
        for found in (first, second):
            if isinstance(value, np.ndarray):
                assert getattr(found, attribute).dtype == value.dtype
                np.testing.assert_array_equal(getattr(found, attribute), value)
            else:
                assert getattr(found, attribute) == value
    assert bool(plain.findings) == name.startswith("odd")


@pytest.mark.usefixtures("everything_is_large")
def test_a_benchmark_from_the_cache_is_the_benchmark(tmp_path):
    folder = write(
        tmp_path / "b", {**benchmark_files(), "M.txt": matrix_text(distances(QUERIES, IDS)), "R.run": trec_text()}
    )
    cache = ParseCache(tmp_path / "cache")
    plain, first, second = (read_benchmark(folder, cache=kept) for kept in (None, cache, cache))
    assert len(list((tmp_path / "cache").glob("*.parsed"))) == 2
    for found in (first, second):
        assert list(map(str, found.findings)) == list(map(str, plain.findings))
        for one, other in zip(plain.runs, found.runs, strict=True):
            for attribute, value in vars(one.ranking).items():
                np.testing.assert_array_equal(getattr(other.ranking, attribute), value)


@pytest.mark.usefixtures("everything_is_large")
@pytest.mark.parametrize("name", ["M.txt", "R.run"])
def test_large_files_report_progress_and_can_be_cancelled(name, tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "BLOCK_BYTES", 500)
    monkeypatch.setattr(progress, "MIB", 1)
    path = tmp_path / name
    path.write_text(matrix_text(distances()) if name == "M.txt" else trec_text())
    read = read_trec if name == "R.run" else read_matrix
    reported = []
    read(path, ReadProgress(progress=lambda *what: reported.append(what)))
    size = path.stat().st_size
    assert len(reported) >= size // 800
    assert [done for done, _, _ in reported] == sorted(done for done, _, _ in reported)
    assert {(total, what) for _, total, what in reported} == {(size, f"{name}, MiB")}
    query_names = []

    def soon():
        query_names.append(1)
        return len(query_names) > 3

    with pytest.raises(Cancelled):
        read(path, ReadProgress(cancelled=soon))
    assert len(query_names) == 4


@pytest.mark.usefixtures("everything_is_large")
@pytest.mark.parametrize("name", ["M.npy.gz", "M.matrix.gz", "compressed.mat", "plain.mat"])
def test_binary_files_report_progress_and_can_be_cancelled(name, tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "CHUNK_BYTES", 50)
    monkeypatch.setattr(matrix, "CHUNK_BYTES", 50)
    monkeypatch.setattr(progress, "MIB", 1)
    path = tmp_path / name
    raw = npy(distances()) if "npy" in name else distances().tobytes()
    path.write_bytes((SAMPLES / name).read_bytes() if name.endswith(".mat") else gzip.compress(raw))
    reported = []
    read_matrix(path, ReadProgress(progress=lambda *what: reported.append(what)))
    assert len(reported) > 2
    with pytest.raises(Cancelled):
        read_matrix(path, ReadProgress(cancelled=lambda: True))


def test_small_files_never_meet_the_cache(tmp_path):
    folder = write(tmp_path / "b", {**benchmark_files(), "M.txt": matrix_text(distances()), "R.run": trec_text()})
    assert len(read_benchmark(folder, cache=ParseCache(tmp_path / "cache")).runs) == 2
    assert not (tmp_path / "cache").exists()


def test_abandoned_drafts_are_removed(tmp_path):
    cache = ParseCache(tmp_path)
    for name, age in (("x-1.7-a.part", 2 * parse_cache.STALE_SECONDS), ("x-2.7-b.part", 1.0)):
        (tmp_path / name).write_bytes(b"half")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    put_array(cache, "x-3", ARRAY, {})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x-2.7-b.part", "x-3.parsed"]
