"""Matrices in files: the same numbers as numpy, and an error where the file changes."""

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.io import array_files
from shrec_viewer.formats.io.array_files import FileMatrix
from shrec_viewer.formats.io.files import read_unchanged, version_of
from shrec_viewer.formats.io.text import read_bytes
from shrec_viewer.formats.matrices import matrix
from shrec_viewer.formats.matrices.matrix import read_matrix
from shrec_viewer.metrics import find_profile
from shrec_viewer.metrics.ranking.matrix_ranking import hits_from_matrix
from shrec_viewer.metrics.ranking.truth import classes_as_truth

VALUES = np.random.default_rng(3).random((30, 40))


def stored(path: Path, values: np.ndarray, dtype: str = "<f4", header: bytes = b"") -> FileMatrix:
    """A matrix written to a file."""
    path.write_bytes(header + values.astype(dtype).tobytes())
    number = np.dtype(dtype) if np.dtype(dtype).kind == "f" else np.dtype(np.float64)
    return FileMatrix(path, np.dtype(dtype), len(header), values.shape, version_of(path), number)


def opened(path: Path, values: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> FileMatrix:
    """A `.npy` file as it is read if it is large."""
    np.save(path, values)
    monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", 0)
    found = read_matrix(path).values
    assert isinstance(found, FileMatrix)
    return found


@pytest.mark.parametrize("dtype", ["<f4", "<f8", ">f4", "<i2", "|u1"])
def test_rows_are_those_of_numpy(dtype, tmp_path):
    rows = stored(tmp_path / "M", 100 * VALUES, dtype, b"header")
    array = (100 * VALUES).astype(dtype).astype(rows.dtype)
    assert (rows.shape, rows.ndim, len(rows), rows.size, rows.nbytes) == ((30, 40), 2, 30, 1200, array.nbytes)
    indices = np.random.default_rng(0).integers(-30, 30, 12)
    keys = [0, -1, np.int64(7), slice(None), slice(3, 9), slice(9, 3), slice(20, 99), slice(None, None, 7), indices]
    keys += [np.arange(5, 25), np.arange(5, 25)[::-1], np.array([4, 6, 5])]
    for key in [*keys, slice(None, None, -1), np.zeros(0, np.intp), indices.astype(np.int32)]:
        np.testing.assert_array_equal(rows[key], array[key])
        assert rows[key].dtype == array[key].dtype
    np.testing.assert_array_equal(np.asarray(rows), array)
    np.testing.assert_array_equal(np.array(list(rows)), array)
    np.testing.assert_array_equal(replace(rows, shape=(10, 100))[3], array.reshape(-1)[:1000].reshape(10, 100)[3])
    np.testing.assert_array_equal(rows.transposed()[5:8], array.T[5:8])


def test_wrong_indices_raise_as_in_numpy(tmp_path):
    rows = stored(tmp_path / "M", VALUES)
    for key in (30, -31, np.array([30]), (slice(None), 0)):
        with pytest.raises(IndexError):
            rows[key]


@pytest.mark.parametrize("stripe_bytes", [1, 1000, 2**26])
def test_transposing_takes_bounded_memory_and_needs_no_disk(stripe_bytes, tmp_path, monkeypatch):
    rows = stored(tmp_path / "M", VALUES)
    monkeypatch.setattr(array_files, "STRIPE_BYTES", stripe_bytes)
    on_disk = rows.transposed()
    assert isinstance(on_disk, np.memmap)

    def full(**_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(array_files, "TemporaryFile", full)
    in_memory = rows.transposed()
    assert not isinstance(in_memory, np.memmap)
    for found in (on_disk, in_memory):
        np.testing.assert_array_equal(found, VALUES.astype("<f4").T)


def truncate(path: Path) -> None:
    """Remove the end of a file."""
    os.truncate(path, path.stat().st_size // 2)


def rewrite(path: Path) -> None:
    """Other numbers of the same size, in the same file."""
    data = path.read_bytes()
    with path.open("r+b") as file:
        file.write(data[:-8] + b"\x01" * 8)


def rewrite_with_old_time(path: Path) -> None:
    """The same, and the old modification time, as `touch -r` sets it."""
    status = path.stat()
    rewrite(path)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def replace_with_old_time(path: Path) -> None:
    """Another file of the same size and modification time, as `cp -p` and `mv` leave it."""
    status, data = path.stat(), path.read_bytes()
    draft = path.with_name("draft")
    draft.write_bytes(data[:-8] + b"\x01" * 8)
    os.utime(draft, ns=(status.st_atime_ns, status.st_mtime_ns))
    draft.replace(path)


CHANGES = {
    truncate: "its size went from .* to .* bytes",
    rewrite: "its modification time is another one",
    rewrite_with_old_time: "its time of last status change is another one",
    replace_with_old_time: "it was replaced by another file",
    Path.unlink: "does not exist",
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_file_that_changes_after_it_was_opened_is_an_error(change, tmp_path, monkeypatch):
    path = tmp_path / "M.npy"
    rows = opened(path, VALUES, monkeypatch)
    wait_for_clock(path)
    change(path)
    for read in (lambda: rows[3], lambda: rows[2:9], lambda: rows[np.array([4, 2])], rows.transposed):
        with pytest.raises(FormatError, match=CHANGES[change]) as raised:
            read()
        assert raised.value.path == path


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_ranking_of_a_file_that_changes_between_two_blocks_is_an_error(change, tmp_path, monkeypatch):
    path = tmp_path / "M.npy"
    values = np.random.default_rng(0).random((24, 24))
    rows = opened(path, values, monkeypatch)
    truth, profile = classes_as_truth(np.repeat(np.arange(6), 4)), find_profile("default")
    expected = hits_from_matrix(truth, values, profile=profile).hits
    found = hits_from_matrix(truth, rows, profile=profile, block_values=48).hits
    np.testing.assert_array_equal(found.ranks, expected.ranks)
    wait_for_clock(path)
    blocks = iter(range(12))

    def between_blocks() -> None:
        if next(blocks) == 5:
            change(path)

    with pytest.raises(FormatError, match=CHANGES[change]):
        hits_from_matrix(truth, rows, profile=profile, block_values=48, checkpoint=between_blocks)


def wait_for_clock(path: Path) -> None:
    """Return when the clock of the file system has passed the times of a file: it advances every 4 ms."""
    probe = path.with_name("probe")
    while True:
        probe.write_bytes(b"")
        if probe.stat().st_mtime_ns > path.stat().st_mtime_ns:
            return


def test_file_shorter_than_its_shape_is_an_error(tmp_path):
    path = tmp_path / "M"
    path.write_bytes(bytes(100))
    rows = FileMatrix(path, np.dtype("<f4"), 0, (30, 40), version_of(path), np.dtype("<f4"))
    with pytest.raises(FormatError, match="it is truncated"):
        rows[0]


def read_with(path: Path, changes: list[partial]) -> bytes:
    """Content of a file in two blocks, with one change in between at each reading."""
    with path.open("rb") as file:
        first = file.read(4)
        if changes:
            changes.pop(0)()
        return first + file.read()


@pytest.mark.parametrize("change", list(CHANGES)[:4], ids=lambda change: change.__name__)
def test_file_that_changes_once_is_read_again(change, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(range(64)))
    wait_for_clock(path)
    found = read_unchanged(path, partial(read_with, path, [partial(change, path)]))
    assert found == path.read_bytes() != bytes(range(64))


def test_file_that_changes_each_time_is_an_error(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(64))
    changes = [partial(path.write_bytes, bytes(count)) for count in (65, 66, 67)]
    expected = "changed while it was read, 3 times in a row: its size went from 66 to 67 bytes"
    with pytest.raises(FormatError, match=expected):
        read_unchanged(path, partial(read_with, path, changes))


def test_error_of_an_incomplete_file_is_forgotten(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"half")
    contents = [b"half", b"whole"]

    def read() -> bytes:
        found = path.read_bytes()
        contents.pop(0)
        if contents:
            path.write_bytes(contents[0])
        if found == b"half":
            raise FormatError(path, "is truncated")
        return found

    assert read_unchanged(path, read) == b"whole"
    path.write_bytes(b"half")
    with pytest.raises(FormatError, match="is truncated"):
        read_unchanged(path, partial(fail, path))


def fail(path: Path) -> bytes:
    """Reader of a damaged file."""
    raise FormatError(path, "is truncated")


def test_bytes_of_a_file_are_of_one_version(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old" * 1000)
    changes = [partial(path.write_bytes, b"newer" * 1000)]
    open_file = Path.open

    def open_and_change(self: Path, *args: object, **options: object):
        stream = open_file(self, *args, **options)
        if self == path and args == ("rb",) and changes:
            monkeypatch.setattr(Path, "open", open_file)
            changes.pop()()
        return stream

    monkeypatch.setattr(Path, "open", open_and_change)
    assert read_bytes(path) == b"newer" * 1000


def test_recent_files_and_those_of_the_future_are_recent(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x")
    assert version_of(path).is_recent()
    status = version_of(path)
    old = type(status)(1, status.modified_ns - 3 * 10**9, status.changed_ns - 3 * 10**9, 1)
    assert not old.is_recent()
    assert type(status)(1, status.modified_ns + 10**12, old.changed_ns, 1).is_recent()
    assert version_of(tmp_path / "absent") is None
