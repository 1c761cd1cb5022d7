"""What a heat map shows, as one frozen record."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.numerals import MAP_DECIMALS, tight


def _no_words(row: int, column: int) -> str:
    return ""


@dataclass(frozen=True, eq=False)
class HeatCells:
    """Rows and columns of numbers, in the order in which they stand on the screen.

    Attributes
    ----------
    values : (R, C) float64; NaN is hatched, never shown as a number.
    rows, columns : (R,) and (C,) names.
    low, high : values of the first and the last colour.
    scale : colours of values; of shares, of which most are 0; or of differences around the middle.
    inverted : the last colour is that of `low`; for measures of which less is better.
    groups : (C,) a name for each column; where it changes stands a line, and above a wide enough stretch the name.
    absent : (R, C) bool, cells that do not exist at all (a query that a run does not answer): hatched in another way.
    totals : (R,) float64, the number at the end of each row; None for none.
    total_name : above them.
    decimals : of numbers in cells; 0 for counts. Totals are means, which have `MAP_DECIMALS` at least.
    words : what to say about a cell, by row and column as shown.
    """

    values: NDArray[np.float64]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    low: float = 0.0
    high: float = 1.0
    scale: Literal["values", "shares", "differences"] = "values"
    inverted: bool = False
    groups: tuple[str, ...] = ()
    absent: NDArray[np.bool_] | None = None
    totals: NDArray[np.float64] | None = None
    total_name: str = ""
    decimals: int = MAP_DECIMALS
    words: Callable[[int, int], str] = field(default=_no_words)

    @property
    def diverging(self) -> bool:
        """Whether the numbers are differences."""
        return self.scale == "differences"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.columns)

    def text(self, row: int, column: int) -> str:
        """The number in a cell; "" where there is none."""
        return self.number(float(self.values[row, column]))

    def number(self, value: float) -> str:
        """A number as cells show it: without the zero in front of the point, with a sign where it is a difference."""
        return tight(value, self.decimals, signed=self.diverging)

    def total(self, row: int) -> str:
        """The number at the end of a row, with a sign in a map of differences; "" where there is none."""
        if self.totals is None:
            return ""
        return tight(float(self.totals[row]), max(self.decimals, MAP_DECIMALS), signed=self.diverging)

    def stretches(self) -> list[tuple[str, int, int]]:
        """Name, first and last column of each stretch of equal groups."""
        found: list[tuple[str, int, int]] = []
        for place, name in enumerate(self.groups):
            if found and found[-1][0] == name:
                found[-1] = (name, found[-1][1], place)
            else:
                found.append((name, place, place))
        return found


NO_CELLS = HeatCells(np.zeros((0, 0)), (), ())
"""Nothing to show."""
