"""Colour, dash and marker of each run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from shrec_viewer.domain import Run
from shrec_viewer.render.scene.palette import MARKERS, RunStyle, run_marker, run_style


def run_styles(
    runs: Sequence[Run], theme: str, colours: Mapping[str, str] = MappingProxyType({})
) -> tuple[RunStyle, ...]:
    """Looks of all runs of a benchmark, in their order.

    Participants take colours in the order in which they first appear, their runs take dashes in the same way, so that a
    run looks alike in every view whatever is hidden.

    Parameters
    ----------
    colours : ``#rrggbb`` by name of the run, where a person chose one (`Edits.colours`); its dash stays.
    """
    participants: dict[str, int] = {}
    count: dict[str, int] = {}
    looks = []
    for run in runs:
        participant = participants.setdefault(run.participant, len(participants))
        number = count.get(run.participant, 0)
        count[run.participant] = number + 1
        look = run_style(participant, number, theme)
        looks.append(look._replace(colour=colours.get(run.name, look.colour)))
    return tuple(looks)


@dataclass(frozen=True)
class CurveStyle:
    """``#RRGGBB``, one of the palette's dashes, and one of its markers or "" for none."""

    colour: str
    dash: str
    marker: str


def curve_styles(runs: Sequence[Run], theme: str) -> tuple[CurveStyle, ...]:
    """Looks of all runs of a benchmark, in their order; `run_styles` and the marker of each further round of colours."""
    participants: dict[str, int] = {}
    looks = []
    for run, style in zip(runs, run_styles(runs, theme), strict=True):
        marker = run_marker(participants.setdefault(run.participant, len(participants)))
        looks.append(CurveStyle(style.colour, style.dash, "" if marker == MARKERS[0] else marker))
    return tuple(looks)
