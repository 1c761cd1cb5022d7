"""Ranks of the runs in several leaderboards as a slope chart, for the window and for figures."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SlopeLine:
    """Ranks of one run.

    Attributes
    ----------
    name, colour, dash, marker : name and line style of the run; marker "" for none.
    ranks : 1-based rank in each leaderboard.
    """

    name: str
    colour: str
    dash: str
    marker: str
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class Slopes:
    """A column for each leaderboard, a line for each run; rank 1 is at the top.

    Attributes
    ----------
    title : in the metadata of the file only.
    x_label : what the leaderboards are, with their numbers and names.
    columns : names of the leaderboards.
    lines : of the runs.
    """

    title: str
    x_label: str
    columns: tuple[str, ...]
    lines: tuple[SlopeLine, ...]
