"""Ranks of the runs in several leaderboards as a slope chart, for the window and for figures."""

from dataclasses import dataclass

from shrec_viewer.charts.notes import Notes
from shrec_viewer.charts.plot import PlotCurve


@dataclass(frozen=True)
class Slopes(Notes):
    """A column for each leaderboard, a line for each run; rank 1 is at the top.

    Attributes
    ----------
    title : in the metadata of the file only.
    x_label : what the leaderboards are, with their numbers and names.
    columns : names of the leaderboards.
    curves : of the runs; y is the 1-based rank in each leaderboard.
    """

    title: str
    x_label: str
    columns: tuple[str, ...]
    curves: tuple[PlotCurve, ...]
