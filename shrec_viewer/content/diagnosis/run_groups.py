"""Groups of runs: the values of their members in order, with mean and deviation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shrec_viewer.charts.plot import (
    Axes,
    Plot,
    PlotCurve,
    ReferenceArea,
    ReferenceLine,
    ReferencePoint,
    References,
    area_between_lines,
)
from shrec_viewer.charts.table import Cell, Table, TableColumn
from shrec_viewer.content.data import ContentData, measure_column, styles_of_runs
from shrec_viewer.content.request import TableRequest, measure_option, option
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.run_groups import RunGroup, pattern_of, run_groups, with_representatives
from shrec_viewer.evaluation.score_tables import finite_or_none
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.number_format import format_value
from shrec_viewer.render.scene.palette import point_marker


def groups_option() -> Any:
    """The field ``groups: tuple[str, ...]``, patterns of the names of their members."""
    return option(
        (), name="group", metavar="NAMES", follows="groups",
        help="Take the runs of these names, such as `net_*`, as one group; repeatable.",
    )  # fmt: skip


@dataclass(frozen=True)
class RunGroupsRequest(TableRequest):
    """The groups, without any the runs of each participant, and the measure."""

    kind: ClassVar[str] = "run_groups"

    groups: tuple[str, ...] = groups_option()
    measure: str = measure_option()


def represented(scores: Scores, groups: Sequence[str], measure: int, family: Scores | None = None) -> Scores:
    """The scores with one member of each group, whose mean in this column is the median.

    Parameters
    ----------
    family : some runs of `scores`, which are returned instead; a group without a member among them is left out.
    """
    shown = scores if family is None else family
    found = zip(groups, run_groups(scores, groups, measure), strict=True) if groups else ()
    kept = [pattern for pattern, group in found if {*group.members} & {*shown.runs}]
    return with_representatives(shown, run_groups(shown, kept, measure)) if kept else shown


def participant_groups(data: ContentData) -> tuple[str, ...]:
    """Patterns of the runs of each participant that has several."""
    names, participants = data.evaluated.runs, data.evaluated.participants
    members = {one: [name for name, of in zip(names, participants, strict=True) if of == one] for one in participants}
    return tuple(pattern_of(own, names) for own in members.values() if len(own) > 1)


def _groups(data: ContentData, request: RunGroupsRequest) -> tuple[int, tuple[RunGroup, ...]]:
    """Column of the measure, and the groups."""
    patterns = request.groups or participant_groups(data)
    if not patterns:
        raise ShrecViewerError(
            "there is no group: select several runs in the table of runs and choose Group in their menu, or name them "
            "by a pattern such as net_*"
        )
    column = measure_column(data.evaluated, request.measure)
    return column, run_groups(data.evaluated, patterns, column)


def run_groups_chart(data: ContentData, request: RunGroupsRequest) -> Plot:
    """Mean score of each member in natural order; the mean of a group as a line, its deviation as an area."""
    column, groups = _groups(data, request)
    measure, styles = data.evaluated.measures[column], styles_of_runs(data)
    curves, points = list[PlotCurve](), list[ReferencePoint]()
    lines, areas = list[ReferenceLine](), list[ReferenceArea]()
    for group in groups:
        x, y = np.arange(1.0, len(group.members) + 1), group.means[:, column]
        style = styles[group.representative]
        name, marker = group.pattern, point_marker(style)
        curves.append(PlotCurve(name, name, x, y, style.colour, style.dash, marker, run=group.representative))
        ends, mean, deviation = x[[0, -1]], float(group.mean[column]), float(group.deviation[column])
        text = _spread_text(mean, deviation)
        lines.append(ReferenceLine(f"{group.pattern}: mean {text}", ends, np.full(2, mean), "muted", "dash", text))
        if deviation == deviation:
            sides = np.full(2, mean - deviation), np.full(2, mean + deviation)
            areas.append(area_between_lines(f"{group.pattern}: ± deviation", ends, *sides))
        place = group.members.index(group.representative)
        points.append(ReferencePoint(group.representative, float(x[place]), float(y[place])))
    values = np.concatenate([*(curve.y for curve in curves), *(area.y for area in areas)])
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    margin = (high - low) * 0.1 or 0.05
    first = groups[0].members
    names = (f"Member of {groups[0].pattern}, {first[0]} to {first[-1]}",) if len(groups) == 1 else ()
    labels = (*names, "Member of the group, in natural order", "Member")
    most = max(len(group.members) for group in groups)
    return Plot(
        f"{data.benchmark.name} groups {measure.key}",
        Axes(
            labels[0], f"{measure.label}, mean over queries", (0.5, most + 0.5), (low - margin, high + margin),
            short_x_labels=labels[1:], short_y_labels=(measure.key,),
        ),
        tuple(curves),
        references=References(tuple(areas), tuple(lines), tuple(points)),
    )  # fmt: skip


def _spread_text(mean: float, deviation: float) -> str:
    return format_value(mean) + (f" ± {format_value(deviation)}" if deviation == deviation else "")


def run_groups_table(data: ContentData, request: RunGroupsRequest) -> Table:
    """The members of each group with their means, and which of them stands for it."""
    column, groups = _groups(data, request)
    measure = data.evaluated.measures[column]
    rows: list[tuple[Cell, ...]] = [
        (group.pattern, name, "median" if name == group.representative else "", finite_or_none(float(value)))
        for group in groups
        for name, value in zip(group.members, group.means[:, column], strict=True)
    ]
    return Table(
        "run_groups",
        f"{data.benchmark.name}: {measure.key} of groups of runs; profile {data.profile.title}",
        (TableColumn("group"), TableColumn("run"), TableColumn("stands for it"),
         TableColumn(measure.key, "", True, measure.better)),
        tuple(rows),
        tuple(
            f"{group.pattern}: {_spread_text(float(group.mean[column]), float(group.deviation[column]))} (mean and "
            f"standard deviation over {len(group.members)} runs); {group.representative} stands for it, as its "
            f"{measure.key} is the median."
            for group in groups
        ),
        contests=tuple(
            tuple(row for row, cells in enumerate(rows) if cells[0] == group.pattern) for group in groups
        ),
    )  # fmt: skip
