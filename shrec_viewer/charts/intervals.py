"""Runs with intervals on a common scale, for the window and for figures."""

from dataclasses import dataclass


@dataclass(frozen=True)
class IntervalRow:
    """A run with the mean of its scores and an interval.

    Attributes
    ----------
    name, colour, dash, marker : name and line style of the run; marker "" for none.
    value, low, high : mean and ends of its confidence interval; NaN for none. Without a mean, only the line is drawn.
    letters : significance groups of the run, ``"ab"``.
    note : text at the right, ``"p = 0.012"``.
    description : text of the tooltip and for screen readers.
    """

    name: str
    colour: str
    dash: str
    marker: str
    value: float
    low: float
    high: float
    letters: str = ""
    note: str = ""
    description: str = ""


@dataclass(frozen=True)
class Intervals:
    """Runs with intervals on a common scale, from the top.

    Attributes
    ----------
    title : in the metadata of the file only.
    x_label : of the scale.
    rows : from the top.
    captions : what the intervals are, in several lengths, the longest first; not drawn in figures.
    details : what they are computed from, in the same way.
    is_partial : whether they are computed from a part of the data.
    """

    title: str
    x_label: str
    rows: tuple[IntervalRow, ...]
    captions: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    is_partial: bool = False
