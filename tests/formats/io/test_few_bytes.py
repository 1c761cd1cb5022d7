"""Files of few bytes that declare many models are refused before anything is read or made for them."""

import gzip
import json
import struct
import time
import tracemalloc
import zipfile
import zlib
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.ids import natural_key, natural_order
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.io.limits import check_counts

MANY = 10**7 + 1


def _header(shape, *, fortran=False):
    stream = BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f4", "fortran_order": fortran, "shape": shape})
    return stream.getvalue()


def _sparse(path, head, n_bytes):
    with path.open("wb") as stream:
        stream.write(head)
        stream.truncate(len(head) + n_bytes)


def _npy(folder, shape, **options):
    _sparse(folder / "R.npy", _header(shape, **options), 4 * shape[0] * shape[1])


def _npz(folder, shape):
    with zipfile.ZipFile(folder / "R.npz", "w") as archive:
        archive.writestr("D.npy", _header(shape) + bytes(1000))


def _element(kind, data):
    return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)


MAT_HEADER = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x100) + b"IM"


def _mat5(shape):
    n_bytes = 4 * shape[0] * shape[1]
    body = _element(6, struct.pack("<II", 7, 0)) + _element(5, struct.pack("<ii", *shape)) + _element(1, b"D")
    return struct.pack("<II", 14, len(body) + 8 + n_bytes) + body + struct.pack("<II", 7, n_bytes)


def _mat(folder, shape):
    _sparse(folder / "R.mat", MAT_HEADER + _mat5(shape), 4 * shape[0] * shape[1])


def _packed_mat(folder, shape):
    data = zlib.compress(_mat5(shape) + bytes(2**22))
    (folder / "R.mat").write_bytes(MAT_HEADER + struct.pack("<II", 15, len(data)) + data)


def _mat4(folder, shape):
    _sparse(folder / "R.mat", struct.pack("<5I", 10, *shape, 0, 2) + b"D\0", 4 * shape[0] * shape[1])


def _zarr(folder, shape):
    pytest.importorskip("zarr")  # before what is measured: its first import takes a second
    data = {"zarr_format": 2, "shape": shape, "chunks": [1, 1000], "dtype": "<f4", "compressor": None}
    (folder / "R.zarr").mkdir()
    (folder / "R.zarr" / ".zarray").write_text(json.dumps({**data, "fill_value": 0, "order": "C", "filters": None}))


def _text(folder, shape):
    with gzip.open(folder / "R.txt.gz", "wb") as stream:
        for _ in range(shape[0]):
            stream.write(b"0 " * min(shape[1], 5_000_000) + b"\n")


WRITERS = {
    "npy": _npy,
    "npy in Fortran's order": lambda folder, shape: _npy(folder, shape, fortran=True),
    "npz": _npz,
    "mat": _mat,
    "packed mat": _packed_mat,
    "mat of version 4": _mat4,
    "zarr": _zarr,
}


def _refusal(folder):
    """Reason for which a folder is not opened, which takes neither time nor memory."""
    start = time.process_time()
    tracemalloc.start()
    try:
        with pytest.raises(FormatError) as caught:
            read_benchmark(folder)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert time.process_time() - start < 2
    assert peak < 2e8
    return caught.value.reason


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize(("shape", "unit"), [((2, MANY), "models"), ((MANY, 2), "queries"), ((3, 5 * MANY), "models")])
def test_a_matrix_of_many_models_is_refused_at_once(tmp_path, kind, shape, unit):
    WRITERS[kind](tmp_path, shape)
    assert _refusal(tmp_path) == f"has more than 10,000,000 {unit}, the limit"


def test_a_line_of_many_numbers_is_refused_at_once(tmp_path):
    _text(tmp_path, (1, MANY))
    assert "has more than 4,194,304 words in this line" in _refusal(tmp_path) or "decompression limit" in _refusal(
        tmp_path
    )


def test_a_file_of_matlab_7_3_is_not_read(tmp_path):
    _sparse(tmp_path / "R.mat", b"MATLAB 7.3 MAT-file".ljust(512) + b"\x89HDF\r\n\x1a\n", 2**31)
    assert "MATLAB 7.3" in _refusal(tmp_path)


def test_a_zarr_array_without_chunks_is_refused_at_once(tmp_path):
    _zarr(tmp_path, [1000, 1_000_000])
    assert _refusal(tmp_path) == "would unpack to more than 1 MiB, beyond the decompression limit"


def _zeros(count):
    return np.zeros(count, np.float32)


def _parquet_tables():
    arrow = pytest.importorskip("pyarrow")
    n_rows = 2 * 10**6
    same = arrow.DictionaryArray.from_arrays(arrow.array(np.zeros(n_rows, np.int32)), ["x"])
    offsets = arrow.array([0, n_rows // 2, n_rows], arrow.int32())
    return {
        "matrix": {name: _zeros(n_rows) for name in "abc"},
        "ids": {"id": same, "a": _zeros(n_rows), "b": _zeros(n_rows)},
        "pairs": {"query": same, "model": same, "distance": _zeros(n_rows)},
        "lists": {
            "query": ["q1", "q2"],
            "models": arrow.ListArray.from_arrays(offsets, arrow.array(np.zeros(n_rows, np.int32))),
        },
        "vectors": {"v": arrow.ListArray.from_arrays(offsets, arrow.array(_zeros(n_rows)))},
    }


@pytest.mark.parametrize("kind", ["matrix", "ids", "pairs", "lists", "vectors"])
def test_equal_values_of_parquet_are_refused_at_once(tmp_path, kind):
    columns = _parquet_tables()[kind]
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "R.parquet", compression="zstd")
    assert (tmp_path / "R.parquet").stat().st_size < 10**5
    assert "beyond the decompression limit" in _refusal(tmp_path)


def test_the_limit_itself_is_allowed():
    check_counts("R", 10**7, 10**7)
    with pytest.raises(FormatError, match="10,000,000 queries"):
        check_counts("R", MANY, 1)


NAMES = st.from_regex(r"[a-z0-9_.]{0,4}[0-9]{0,20}", fullmatch=True)


@given(st.lists(NAMES, unique=True), st.sampled_from(["", "m", "a1b", "x_"]))
def test_natural_order_is_that_of_its_key(names, prefix):
    named = [prefix + name for name in names]
    assert natural_order(named).tolist() == sorted(range(len(named)), key=lambda index: natural_key(named[index]))


@given(st.lists(st.integers(0, 10**19), unique=True), st.sampled_from(["", "m", "a1b"]))
def test_numbers_after_one_prefix_are_in_natural_order(numbers, prefix):
    named = [f"{prefix}{number}" for number in numbers]
    assert natural_order(named).tolist() == sorted(range(len(named)), key=lambda index: natural_key(named[index]))


@given(st.integers(1, 300), st.booleans())
def test_numbers_from_1_are_in_natural_order(count, is_last_other):
    names = [str(number) for number in range(1, count + 1)]
    if is_last_other:
        names[-1] = "0"
    assert natural_order(names).tolist() == sorted(range(count), key=lambda index: natural_key(names[index]))
