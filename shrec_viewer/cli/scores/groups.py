"""The option --group: runs that are one group, and the member that stands for it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from shrec_viewer.cli.options import RUN
from shrec_viewer.printable import printable

if TYPE_CHECKING:
    from shrec_viewer.evaluation.run_groups import RunGroup
    from shrec_viewer.evaluation.scores import Scores

group_option = click.option(
    "--group",
    type=RUN,
    metavar="NAMES",
    multiple=True,
    help="Take the runs of these names, such as `net_*`, as one group; repeatable. The member whose mean is the median "
    "stands for it.",
)


def group_column(scores: "Scores", measure: str | None) -> int:
    """Column of the measure whose median member stands for a group: the given one, else the main one."""
    from shrec_viewer.evaluation.scores import main_column

    return scores.column(measure) if measure else main_column(scores)


def requested_groups(scores: "Scores", patterns: Sequence[str], measure: str | None) -> "tuple[RunGroup, ...]":
    """The groups; a usage error for a pattern that no run matches, and for runs in several groups."""
    from shrec_viewer.domain import ShrecViewerError
    from shrec_viewer.evaluation.run_groups import run_groups

    try:
        return run_groups(scores, patterns, group_column(scores, measure))
    except ShrecViewerError as error:
        raise click.UsageError(str(error)) from error


def represented(scores: "Scores", groups: "Sequence[RunGroup]") -> "Scores":
    """The scores with one member of each group."""
    from shrec_viewer.evaluation.run_groups import with_representatives

    return with_representatives(scores, groups) if groups else scores


def group_text(group: "RunGroup", scores: "Scores", measure: str | None) -> str:
    """Which member stands for a group, and why."""
    key = scores.measures[group_column(scores, measure)].key
    return printable(
        f"{group.pattern}: {group.representative} stands for {len(group.members)} runs, as its {key} is the median"
    )
