"""Data of a heat map as a frozen record, and its colour tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

from shrec_viewer.number_format import SHARE_DECIMALS, format_compact
from shrec_viewer.render.scene.palette import CIVIDIS, RANK_CHANGE, map_colours
from shrec_viewer.widgets.style.relevance import contrasting_ink
from shrec_viewer.widgets.style.theme import Theme


def _no_cell_text(row: int, column: int) -> str:
    return ""


@dataclass(frozen=True, eq=False)
class HeatmapData:
    """Rows and columns of numbers, in display order.

    Attributes
    ----------
    values : (R, C) float64; NaN cells are hatched.
    rows, columns : (R,) and (C,) names.
    low, high : values of the first and last colour.
    scale : colour table for values, for shares (most are 0) or for differences (diverging).
    inverted : reverse the colour table; for measures where lower is better.
    groups : (C,) group of each column; groups are separated by lines and named above if wide enough.
    absent : (R, C) bool, cells without data (a query missing in a run), hatched differently.
    totals : (R,) float64, number at the end of each row; None for none.
    total_name : title of the totals.
    decimals : decimals of the numbers in cells; 0 for counts. Totals are means with at least `SHARE_DECIMALS`.
    describe : description of a cell, by displayed row and column.
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
    decimals: int = SHARE_DECIMALS
    describe: Callable[[int, int], str] = field(default=_no_cell_text)

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


EMPTY_HEATMAP = HeatmapData(np.zeros((0, 0)), (), ())
"""Heat map without cells."""


DIVERGING_STEPS = 17
"""Number of colours of differences, as in the tables of values."""

HeatmapScale = Literal["values", "shares", "differences"]


def heatmap_colour_table(theme: Theme, scale: HeatmapScale) -> tuple[str, ...]:
    """Colours from the lowest to the highest value.

    Differences run from the colour of a loss over the background to that of a gain (`RANK_CHANGE`), shares from the
    background to the accent, so that zero is inconspicuous in both themes.
    """
    if scale == "values":
        return CIVIDIS
    if scale == "shares":
        return _blend(theme.surface, theme.accent, theme.ink)
    colours = RANK_CHANGE[theme.name]
    return _blend(colours["down"], theme.window, colours["up"])


def _blend(low: str, centre: str, high: str) -> tuple[str, ...]:
    low_colour, centre_colour, high_colour = QColor(low), QColor(centre), QColor(high)
    half = DIVERGING_STEPS // 2
    rising = [_mixed(low_colour, centre_colour, step / half) for step in range(half)]
    return (*rising, *(_mixed(centre_colour, high_colour, step / half) for step in range(half + 1)))


def _mixed(one: QColor, two: QColor, share: float) -> str:
    channels = ((one.redF(), two.redF()), (one.greenF(), two.greenF()), (one.blueF(), two.blueF()))
    return QColor.fromRgbF(*(start + (end - start) * share for start, end in channels)).name()


def heatmap_image(values: NDArray[np.float64], table: Sequence[str], low: float, high: float) -> QImage:
    """Image with one pixel per value, (R, C) float64; NaN is transparent."""
    pixels = np.ascontiguousarray(map_colours(values, tuple(table), low, high))
    height, width = values.shape
    # Copied, since QImage does not own the memory of the array.
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()


def cell_ink(colour: QColor) -> QColor:
    """Black or white, whichever has the higher contrast on this colour."""
    return contrasting_ink(colour)
