"""How each run looks wherever it is drawn: colour by participant, dash by run."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from shrec_viewer.domain import Run
from shrec_viewer.render.palette import RunStyle, run_style


def series_of(
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
