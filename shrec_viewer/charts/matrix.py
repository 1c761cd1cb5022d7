"""Contents of a heat map or confusion map as a record, for the window and for figures."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.notes import Notes
from shrec_viewer.number_format import SHARE_DECIMALS, format_compact

#: Colour table of a matrix: for values, of one hue or Cividis; for shares, most of which are 0; for differences, with 0
#: in the middle.
MatrixScale = Literal["values", "cividis", "shares", "differences"]


@dataclass(frozen=True, eq=False)
class Matrix(Notes):
    """Rows and columns of numbers that are shown as colours, in display order: heat map or confusion map.

    Attributes
    ----------
    values : (R, C) float64; NaN cells are hatched.
    rows, columns : (R,) and (C,) names.
    low, high : values of the first and last colour.
    scale : colour table for values (of one hue, or Cividis), for shares (most are 0) or for differences (diverging).
    inverted : reverse the colour table; for measures where lower is better.
    groups : (C,) group of each column; groups are separated by lines and named above if wide enough.
    absent : (R, C) bool, cells without data (a query missing in a run), hatched differently.
    totals : (R,) float64, number at the end of each row; None for none.
    total_label : title of the totals.
    decimals : decimals of the numbers in cells; 0 for counts. Totals are means with at least `SHARE_DECIMALS`.
    title : in the metadata of files only.
    row_label, column_label, value_label : of the axes and of the colours.
    tree : (n, 4, 2) float64, dendrogram of the rows, drawn at their ends instead of totals: each merge as a line
        through four points, of which x in [0, 1] grows with the distance, and y is 0.5 in the middle of the first row.
        None for none.
    """

    values: NDArray[np.float64]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    low: float = 0.0
    high: float = 1.0
    scale: MatrixScale = "values"
    inverted: bool = False
    groups: tuple[str, ...] = ()
    absent: NDArray[np.bool_] | None = None
    totals: NDArray[np.float64] | None = None
    total_label: str = ""
    decimals: int = SHARE_DECIMALS
    title: str = ""
    row_label: str = ""
    column_label: str = ""
    value_label: str = ""
    tree: NDArray[np.float64] | None = None

    @property
    def diverging(self) -> bool:
        """Whether the numbers are differences."""
        return self.scale == "differences"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.columns)

    def text(self, row: int, column: int) -> str:
        """Formatted number of a cell; "" for NaN."""
        return self.number(float(self.values[row, column]))

    def number(self, value: float) -> str:
        """Formatted number, with a sign for differences."""
        return format_compact(value, self.decimals, signed=self.diverging)

    def total(self, row: int) -> str:
        """Formatted total of a row; "" for none."""
        if self.totals is None:
            return ""
        return format_compact(float(self.totals[row]), max(self.decimals, SHARE_DECIMALS), signed=self.diverging)

    def stretches(self) -> list[tuple[str, int, int]]:
        """Name, first and last column of each group."""
        found: list[tuple[str, int, int]] = []
        for column, name in enumerate(self.groups):
            if found and found[-1][0] == name:
                found[-1] = (name, found[-1][1], column)
            else:
                found.append((name, column, column))
        return found


#: Matrix without cells.
EMPTY_MATRIX = Matrix(np.zeros((0, 0)), (), ())
