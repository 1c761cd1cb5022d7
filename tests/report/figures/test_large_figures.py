"""Figures of large contests: drawn as images, or refused with a message."""

import numpy as np
import pytest

from shrec_viewer.charts.bars import Differences
from shrec_viewer.charts.matrix import Matrix
from shrec_viewer.charts.strips import Sheet, Tile
from shrec_viewer.domain.errors import ShrecViewerError
from shrec_viewer.report.figures.rendering import figure_bytes


def matrix(rows, columns, *, missing=0.0):
    values = np.linspace(0, 1, rows * columns).reshape(rows, columns)
    values.ravel()[: int(missing * values.size)] = np.nan
    names = tuple(f"R{row}" for row in range(rows)), tuple(f"Q{column}" for column in range(columns))
    return Matrix(values, *names, title="m", row_label="Run", column_label="Query", value_label="AP")


@pytest.mark.parametrize("missing", [0.0, 0.5])
def test_a_heat_map_of_many_queries_is_small(missing):
    content = matrix(40, 510, missing=missing)  # not rectangles but an image; grey instead of hatched
    assert len(figure_bytes(content, "pdf", 174.0)) < 1_000_000


def test_what_pgf_cannot_contain_is_a_message(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    with pytest.raises(ShrecViewerError, match="60,000 cells, of which a PGF file can contain 20,000"):
        figure_bytes(matrix(20, 3000), "pgf")


def test_a_sheet_higher_than_a_wall_is_a_message():
    tile = Tile(None, "no file", "Q")
    with pytest.raises(ShrecViewerError, match="choose fewer queries"):
        figure_bytes(Sheet("s", (tile,) * 2000, 6), "png")


def test_many_changes_are_drawn():
    names = tuple(f"Q{number}" for number in range(600))
    content = Differences("c", "AP", names, np.linspace(1, -1, 600), False, "B", "A")
    assert figure_bytes(content, "png", 174.0, dpi=50)[:4] == b"\x89PNG"
