"""A file packed with gzip reads as what it holds, whatever its kind and name; damaged ones and bombs are sentences."""

import gzip

import numpy as np
import pytest
from made_folders import IDS, QUERIES, benchmark_files, distances, list_files, matrix_text, npy, order, write
from test_every_reader import GOOD, SAMPLES, plain

from shrec_viewer.domain import FormatError, Severity
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.discovery.reader_table import READERS
from shrec_viewer.formats.discovery.recognition import recognise_format
from shrec_viewer.formats.io import files
from shrec_viewer.formats.io.text import read_file_head

BY_KEY = {reader.key: reader for reader in READERS}


@pytest.mark.parametrize(("key", "name"), GOOD)
def test_every_good_sample_reads_the_same_packed(key, name, tmp_path):
    path = SAMPLES / key / "good" / name
    if key == "query_parts":  # several files are read by the name of one
        for part in path.parent.iterdir():
            (tmp_path / f"{part.name}.gz").write_bytes(gzip.compress(part.read_bytes()))
    twin = tmp_path / f"{name}.gz"
    twin.write_bytes(gzip.compress(path.read_bytes()))
    assert recognise_format(read_file_head(twin)) == recognise_format(read_file_head(path))
    if key == "manifest":
        return  # its paths start where it lies
    plainly, packedly = BY_KEY[key].read(path), BY_KEY[key].read(twin)
    for attribute, value in vars(plainly).items():
        if attribute != "path":
            assert repr(plain(getattr(packedly, attribute))) == repr(plain(value)), attribute


def test_a_benchmark_whose_every_file_is_packed_is_the_same(tmp_path):
    matrix = {"M.txt": matrix_text(distances()), "N.npy": npy(distances()), "B.matrix": distances().astype("<f4")}
    files = {**benchmark_files(), **list_files("runs/A1", suffix=".txt"), **matrix}
    files["R.run"] = "".join(
        f"{query} Q0 {model} {1 + rank} {-rank} R\n" for query in QUERIES for rank, model in enumerate(order(query))
    )
    raw = {name: text.tobytes() if isinstance(text, np.ndarray) else text for name, text in files.items()}
    loose = read_benchmark(write(tmp_path / "loose", raw))
    squeezed = {
        f"{name}.gz": gzip.compress(text if isinstance(text, bytes) else text.encode()) for name, text in raw.items()
    }
    tight = read_benchmark(write(tmp_path / "tight", squeezed))
    assert tight.collection.ids == loose.collection.ids == IDS
    assert [run.name for run in tight.runs] == [run.name for run in loose.runs] == ["A1", "B", "M", "N", "R"]
    for one, other in zip(loose.runs, tight.runs, strict=True):
        for attribute, value in vars(one.ranking).items():
            np.testing.assert_array_equal(getattr(other.ranking, attribute), value, attribute)
    assert not [finding for finding in tight.findings if finding.severity is Severity.ERROR]


@pytest.mark.parametrize("key", [reader.key for reader in READERS])
def test_damaged_images_are_errors(key, tmp_path):
    data = gzip.compress(b"PSB 1 " + bytes(range(256)) * 200)
    path = tmp_path / "cut.gz"
    for broken in (data[:3], data[: len(data) // 2], data[:-4], data[:12], data[:20] + b"\0\0\0\0" + data[24:]):
        path.write_bytes(broken)
        recognise_format(read_file_head(path))
        with pytest.raises(FormatError):
            BY_KEY[key].read(path)


def test_archive_bomb_is_refused(tmp_path):
    path = tmp_path / "bomb.txt.gz"
    path.write_bytes(gzip.compress(b"0.000 0.000 0.000\n" * 2**21))
    for key in ("matrix", "cla", "rank_list", "trec", "qrels"):
        with pytest.raises(
            FormatError, match=r"bomb\.txt\.gz: would unpack to more than \d+ MiB, beyond the decompression limit"
        ):
            BY_KEY[key].read(path)


def test_small_compressible_archives_are_accepted(tmp_path):
    path = tmp_path / "zeros.gz"
    path.write_bytes(gzip.compress(b"0.000 0.000 0.000\n" * 1000))
    assert BY_KEY["matrix"].read(path).values.shape == (1000, 3)
    assert files.UNCHECKED_BYTES > 18_000
