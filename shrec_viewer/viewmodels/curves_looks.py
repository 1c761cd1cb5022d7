"""How each run's curve looks: colour by participant, dash by run, and a marker where the colours have run out."""

from collections.abc import Sequence
from dataclasses import dataclass

from shrec_viewer.domain import Run
from shrec_viewer.render.palette import MARKERS, run_marker
from shrec_viewer.viewmodels.series import series_of


@dataclass(frozen=True)
class CurveLook:
    """``#RRGGBB``, one of the palette's dashes, and one of its markers or "" for none."""

    colour: str
    dash: str
    marker: str


def looks_of(runs: Sequence[Run], theme: str) -> tuple[CurveLook, ...]:
    """Looks of all runs of a benchmark, in their order; `series_of` and the marker of each further round of colours."""
    participants: dict[str, int] = {}
    looks = []
    for run, style in zip(runs, series_of(runs, theme), strict=True):
        marker = run_marker(participants.setdefault(run.participant, len(participants)))
        looks.append(CurveLook(style.colour, style.dash, "" if marker == MARKERS[0] else marker))
    return tuple(looks)
