"""Colours of numbers in a map: values from low to high, differences around a middle."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

from shrec_viewer.render.palette import CIVIDIS, RANK_CHANGE, map_colours
from shrec_viewer.widgets.relevance_mark import readable_on
from shrec_viewer.widgets.theme import Theme

STEPS = 17
"""Entries of a table of differences: as fine as the tables of values."""

Scale = Literal["values", "shares", "differences"]


def heat_table(theme: Theme, scale: Scale) -> tuple[str, ...]:
    """Colours from the lowest to the highest value.

    Differences run from the colour of a loss over the ground to the colour of a gain, those of rank changes
    (`RANK_CHANGE`), and shares from the ground to the accent, so that what is nothing is quiet in both themes.
    """
    if scale == "values":
        return CIVIDIS
    if scale == "shares":
        return _blend(theme.surface, theme.accent, theme.ink)
    ends = RANK_CHANGE[theme.name]
    return _blend(ends["down"], theme.window, ends["up"])


def _blend(low: str, middle: str, high: str) -> tuple[str, ...]:
    first, second, third = QColor(low), QColor(middle), QColor(high)
    half = STEPS // 2
    rising = [_between(first, second, step / half) for step in range(half)]
    return (*rising, *(_between(second, third, step / half) for step in range(half + 1)))


def _between(one: QColor, two: QColor, share: float) -> str:
    ends = ((one.redF(), two.redF()), (one.greenF(), two.greenF()), (one.blueF(), two.blueF()))
    return QColor.fromRgbF(*(start + (end - start) * share for start, end in ends)).name()


def heat_image(values: NDArray[np.float64], table: Sequence[str], low: float, high: float) -> QImage:
    """One pixel a value, (R, C) float64; what is not a number is transparent."""
    pixels = np.ascontiguousarray(map_colours(values, tuple(table), low, high))
    height, width = values.shape
    # A copy, because the image must own its pixels once the array is gone.
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()


def ink_on(colour: QColor) -> QColor:
    """Black or white, whichever can be read on a cell of this colour."""
    return readable_on(colour)
