"""Thousands of damaged files for every reader, and damaged archives: each is read or raises FormatError.

``SHREC_VIEWER_MUTATIONS=20000 pytest tests/formats/discovery/test_byte_mutations.py`` tries that many for each reader.
"""

import gzip
import io
import math
import os
import random
import tarfile
import time
import zipfile

import pytest
from made_folders import benchmark_files, cla, distances, list_files, matrix_text, npy, qrels, write
from test_every_reader import BY_KEY, SAMPLES, outcome

from shrec_viewer.domain import Benchmark, FormatError
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.discovery.recognition import recognise_format
from shrec_viewer.formats.io.text import read_file_head
from shrec_viewer.formats.preview.preview import preview

COUNT = int(os.environ.get("SHREC_VIEWER_MUTATIONS", "120"))

OWN = {key: [path.read_bytes() for path in sorted(SAMPLES.glob(f"{key}/*/*"))] for key in BY_KEY}
ALL = [data for samples in OWN.values() for data in samples]
TOKENS = (b"\0", b"\n", b"\r", b"\t", b" ", b",", b";", b"-", b"nan", b"inf", b"1e999", b"-0", b"99999999999999999999")
TOKENS += (b"\xff\xfe", b"\xef\xbb\xbf", b'"', b"#", b"PSB 1", b"\x1f\x8b\x08", b"\x93NUMPY", b"[[", b"\xff" * 8)


def mutated(data: bytes, rng: random.Random) -> bytes:
    """One to four of: bits flipped, bytes set, pieces cut, doubled, moved, tokens put in, two samples spliced."""
    found = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(found))
        end = min(len(found), at + rng.choice((1, 1, 2, 4, 16, 200)))
        kind = rng.randrange(7)
        if kind == 0 and at < len(found):
            found[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            found[at:end] = rng.randbytes(end - at)
        elif kind == 2:
            del found[at:end]
        elif kind == 3:
            found[at:at] = found[at:end] * rng.choice((1, 2, 50))
        elif kind == 4:
            found[at:at] = rng.choice(TOKENS)
        elif kind == 5:
            found = found[:at]
        else:
            other = rng.choice(ALL)
            found[at:] = other[rng.randint(0, len(other)) :]
    return bytes(found)


@pytest.mark.parametrize("reader", BY_KEY.values(), ids=lambda reader: reader.key)
def test_reader_reads_or_refuses_any_bytes(reader, tmp_path):
    rng = random.Random(reader.key)
    path = tmp_path / "file"
    for turn in range(COUNT):
        data = mutated(rng.choice(OWN[reader.key]), rng)
        data = gzip.compress(data, 1) if turn % 8 == 0 else data
        path.write_bytes(mutated(data, rng) if turn % 16 == 0 else data)
        assert recognise_format(read_file_head(path)) in {*BY_KEY, None}
        noun, error = outcome(reader, path)
        assert (noun is None) != (error is None)
        assert error is None or (error.path == path and error.reason and "\n" not in error.reason)


@pytest.mark.parametrize("reader", BY_KEY.values(), ids=lambda reader: reader.key)
def test_preview_accepts_any_bytes(reader, tmp_path):
    benchmark = read_benchmark(write(tmp_path / "b", {"classes.cla": cla(), "truth.txt": qrels()}))
    rng = random.Random(f"{reader.key} shown")
    path = tmp_path / "file"
    for turn in range(COUNT // 3):
        path.write_bytes(mutated(rng.choice(OWN[reader.key]), rng))
        found = preview(path, ReadOptions(format=reader.key if turn % 2 else None), benchmark if turn % 3 else None)
        assert all(len(row.cells) <= len(found.columns) for row in found.rows)
        assert all("\n" not in words for words in (found.summary, found.problem, *(row.note for row in found.rows)))


def is_benchmark_or_sentence(path):
    try:
        benchmark = read_benchmark(path)
    except FormatError as error:
        return "\n" not in str(error)
    return isinstance(benchmark, Benchmark) and all("\n" not in str(finding) for finding in benchmark.findings)


def archives(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    yield ".zip", packed.getvalue()
    for mode, ending in (("w", ".tar"), ("w:gz", ".tar.gz")):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode=mode) as archive:
            for name, text in files.items():
                info = tarfile.TarInfo(name)
                info.size = len(text.encode())
                archive.addfile(info, io.BytesIO(text.encode()))
        yield ending, packed.getvalue()


@pytest.mark.parametrize("place", range(3))
def test_damaged_archive_is_a_benchmark_or_an_error(place, tmp_path):
    files = {"classes.cla": benchmark_files()["classes.cla"], "truth.txt": benchmark_files()["truth.txt"]}
    ending, data = list(archives({**files, **list_files(queries=("Q1", "Q2"))}))[place]
    rng = random.Random(place)
    path = tmp_path / f"b{ending}"
    for _ in range(COUNT // 2):
        path.write_bytes(mutated(data, rng))
        assert is_benchmark_or_sentence(path)


def test_folder_with_damaged_file_is_a_benchmark_or_an_error(tmp_path):
    files = {"classes.cla": benchmark_files()["classes.cla"], "truth.txt": benchmark_files()["truth.txt"]}
    files |= {"M.txt": matrix_text(distances()), "N.npy": npy(distances()), **list_files(queries=("Q1", "Q2"))}
    files["benchmark.toml"] = '[benchmark]\nname = "B"\n[[runs]]\npath = "M.txt"\norder = "names"\n'
    write(tmp_path, files)
    raw = {name: (tmp_path / name).read_bytes() for name in files}
    rng = random.Random(1)
    for _ in range(COUNT):
        name = rng.choice(list(raw))
        (tmp_path / name).write_bytes(mutated(raw[name], rng))
        assert is_benchmark_or_sentence(tmp_path)
        (tmp_path / name).write_bytes(raw[name])


@pytest.mark.parametrize("word", [b"0.5" * 400 + b"x", b"1" * 4000 + b"x", b"-1.5" * 400 + b",", b"..1" * 400])
def test_long_words_are_parsed_in_linear_time(word, tmp_path):
    """Mutation found one that did: digits between two points belong to either number."""
    path = tmp_path / "file"
    path.write_bytes(b"0.5 0.5 0.5\n" * 20 + b"0.5 " + word + b" 0.5\n")
    start = time.process_time()  # a busy machine does not matter
    recognise_format(read_file_head(path))
    for reader in BY_KEY.values():
        outcome(reader, path)
    assert time.process_time() - start < 2


def test_a_rank_beyond_all_measure(tmp_path):
    path = tmp_path / "file"
    path.write_text("Q1 Q0 m1 1e999 0.5 tag\nQ1 Q0 m2 9e99 0.25 tag\n")
    assert BY_KEY["trec"].read(path).ranks.tolist() == [math.inf, math.inf]
