"""Colour, dash and marker of each run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from shrec_viewer.domain import Run
from shrec_viewer.render.scene.palette import MARKERS, RunStyle, run_marker, run_style


def run_styles(
    runs: Sequence[Run], theme: str, colours: Mapping[str, str] = MappingProxyType({})
) -> tuple[RunStyle, ...]:
    """Styles of all runs of a benchmark, in their order.

    Participants are assigned colours in the order of their first run, and their runs dashes, so that the style of a run
    is the same in all views and does not depend on which runs are shown.

    Parameters
    ----------
    colours : user-defined colours, ``#rrggbb`` by run name (`Edits.colours`); they do not change the dash.
    """
    participants: dict[str, int] = {}
    count: dict[str, int] = {}
    styles = []
    for run in runs:
        participant = participants.setdefault(run.participant, len(participants))
        number = count.get(run.participant, 0)
        count[run.participant] = number + 1
        style = run_style(participant, number, theme)
        styles.append(style._replace(colour=colours.get(run.name, style.colour)))
    return tuple(styles)


@dataclass(frozen=True)
class CurveStyle:
    """Colour ``#RRGGBB``, dash and marker of the palette; marker "" for none."""

    colour: str
    dash: str
    marker: str


def curve_styles(runs: Sequence[Run], theme: str) -> tuple[CurveStyle, ...]:
    """`run_styles` with markers, which distinguish participants that share a colour."""
    participants: dict[str, int] = {}
    styles = []
    for run, style in zip(runs, run_styles(runs, theme), strict=True):
        marker = run_marker(participants.setdefault(run.participant, len(participants)))
        styles.append(CurveStyle(style.colour, style.dash, "" if marker == MARKERS[0] else marker))
    return tuple(styles)
