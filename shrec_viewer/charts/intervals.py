"""Runs with intervals on a common scale, for the window and for figures."""

from dataclasses import dataclass

from shrec_viewer.charts.notes import Notes


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
    outer : ends of a thin line that continues the interval; NaN for none.
    shares : of the values 1, 2, …, as widths of a violin; () for none.
    is_bar : whether it is a bar from `low` to `high` that joins the runs above, which is none itself.
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
    outer: tuple[float, float] = (float("nan"), float("nan"))
    shares: tuple[float, ...] = ()
    is_bar: bool = False

    def violin(self, half_height: float) -> list[tuple[float, float]]:
        """Values and heights of the upper half of the violin, from the left; [] without shares."""
        drawn = [value for value, share in enumerate(self.shares, 1) if share]
        if not drawn:
            return []
        scale, inside = half_height / max(self.shares), range(drawn[0], drawn[-1] + 1)
        points = [(float(value), scale * self.shares[value - 1]) for value in inside]
        return [(drawn[0] - 0.5, 0.0), *points, (drawn[-1] + 0.5, 0.0)]


@dataclass(frozen=True)
class Intervals(Notes):
    """Runs with intervals on a common scale, from the top.

    Attributes
    ----------
    title : in the metadata of the file only.
    x_label : of the scale.
    rows : from the top.
    captions : what the intervals are, in several lengths, the longest first; not drawn in figures.
    details : what they are computed from, in the same way.
    is_partial : whether they are computed from a part of the data.
    decimals : of the values.
    """

    title: str
    x_label: str
    rows: tuple[IntervalRow, ...]
    captions: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    is_partial: bool = False
    decimals: int = 3
