"""Values of options that are copied so that ``--help`` imports no numpy."""

from pathlib import Path

import pytest
from tiny_benchmark import write_tiny

from shrec_viewer.cli import options
from shrec_viewer.cli.program import run
from shrec_viewer.formats.core import read_options
from shrec_viewer.formats.matrices import text_matrix


def test_the_copies_equal_the_values_of_the_readers():
    assert options.MATRIX_ORDERS == read_options.MATRIX_ORDERS
    assert options.LIST_COLUMNS == read_options.LIST_COLUMNS
    assert options.MATRIX_CELLS == read_options.CELL_VALUES


@pytest.mark.parametrize("kind", ["file", "process", "device"])
def test_cache_that_cannot_be_written_is_reported_once(kind, tmp_path, monkeypatch, capsys):
    """Two large texts are read without the cache: the scores are the same, and there is one message."""
    folder = write_tiny(tmp_path / "tiny")
    rows = "0 1 2 3 4\n1 0 2 3 4\n1 2 0 3 4\n4 3 2 0 1\n4 3 2 1 0\n"
    for name in ("M.txt", "N.txt"):
        (folder / "runs" / name).write_text(rows)
    assert run(["evaluate", str(folder), "--measure", "AP"]) == 0
    expected = capsys.readouterr()
    monkeypatch.setattr(text_matrix, "LARGE_TEXT_BYTES", 1)
    (tmp_path / "file").touch()
    cache = {"file": tmp_path / "file", "process": Path("/proc/nowhere"), "device": Path("/dev/full")}[kind]
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    assert run(["evaluate", str(folder), "--measure", "AP"]) == 0
    found = capsys.readouterr()
    assert found.out == expected.out
    (line,) = set(found.err.splitlines()) - set(expected.err.splitlines())
    parsed = cache / "shrec-viewer" / "parsed"
    assert line.startswith(f"shrec-viewer: large files are parsed each time: {parsed} cannot be written (")
    assert found.err.count("parsed each time") == 1
