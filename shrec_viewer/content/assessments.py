"""The leaderboard of the runs under each assessment of the benchmark, and their rank correlation."""

from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import ClassVar

import numpy as np

from shrec_viewer.charts.plot import PlotCurve
from shrec_viewer.charts.slopes import Slopes
from shrec_viewer.charts.table import Cell, Table, TableColumn
from shrec_viewer.content.data import ContentData, styles_of_runs
from shrec_viewer.content.request import TableRequest, measure_option, option
from shrec_viewer.domain import Benchmark, EditedAssessment, ShrecViewerError
from shrec_viewer.evaluation.comparison.assessments import (
    AS_READ,
    EDITED,
    AssessmentComparison,
    NamedAssessment,
    compare_assessments,
    find_assessments,
    with_edited,
)
from shrec_viewer.number_format import format_fixed
from shrec_viewer.render.scene.palette import RunStyle

#: Before the assessment in use.
ACTIVE_MARK = "●"

#: Of runs that were removed since they were compared.
NO_STYLE = RunStyle("#808080", "solid")


@dataclass(frozen=True)
class AssessmentsRequest(TableRequest):
    """The runs under each assessment."""

    kind: ClassVar[str] = "assessments"

    measure: str = measure_option()
    files: tuple[str, ...] = option(
        (), "Files", name="against-assessment", metavar="FILE",
        help="Also the relevance levels or classes of this file; repeatable.",
    )  # fmt: skip
    #: Key of the assessment in use; "" for that of the benchmark.
    active: str = option("", of=("panel",))


@dataclass(frozen=True)
class AssessmentListRequest(AssessmentsRequest):
    """The assessments."""

    kind: ClassVar[str] = "assessment_list"


def compared_assessments(data: ContentData, request: AssessmentsRequest) -> AssessmentComparison:
    """The leaderboard of the runs under each assessment.

    Raises
    ------
    ShrecViewerError
        If the benchmark has no runs, or a file cannot be read.
    """
    benchmark = data.benchmark
    if not benchmark.runs:
        raise ShrecViewerError(f"'{benchmark.name}' has no runs")
    assessments = data.assessments or data.result(_found, benchmark, request.files)
    if not assessments:
        raise ShrecViewerError(f"'{benchmark.name}' has no relevance assessment")
    return data.result(
        compare_assessments,
        benchmark,
        data.profile,
        assessments,
        request.measure or data.profile.headline,
        cancelled=data.cancelled,
        progress=data.progress,
    )


def _found(benchmark: Benchmark, files: tuple[str, ...]) -> tuple[NamedAssessment, ...]:
    """The assessments of a benchmark that is not open in the window, and those of files."""
    found, errors = find_assessments(benchmark, tuple(map(Path, files)))
    for error in errors:
        if str(error.path) in files:
            raise error
    return with_edited(found, benchmark)


def active_index(found: AssessmentComparison, benchmark: Benchmark, active: str) -> int:
    """Index of the assessment in use, of a key or that of the benchmark for ""; -1 where it is not compared."""
    is_edited = isinstance(benchmark.assessment, EditedAssessment)
    key = active or (EDITED if is_edited else AS_READ)
    keys = [one.key for one in found.assessments]
    return keys.index(key) if key in keys else -1


def assessments_chart(data: ContentData, request: AssessmentsRequest) -> Slopes:
    """The ranks of the runs under each assessment."""
    return chart_of_ranks(data, compared_assessments(data, request))


def chart_of_ranks(data: ContentData, found: AssessmentComparison) -> Slopes:
    """The ranks of the runs in the leaderboards that were compared."""
    styles = styles_of_runs(data)
    x, ranks = np.arange(1.0, len(found.assessments) + 1), found.ranks.T.astype(np.float64)
    curves = tuple(
        PlotCurve(run, run, x, y, *styles.get(run, NO_STYLE)) for run, y in zip(found.runs, ranks, strict=True)
    )
    labels = tuple(one.label for one in found.assessments)
    names = ", ".join(f"{index} {label}" for index, label in enumerate(labels, 1))
    return Slopes("Ranks under several assessments", f"Assessment ({names})", labels, curves)


def assessments_table(data: ContentData, request: AssessmentsRequest) -> Table:
    """The leaderboards under all assessments, in the order under the one in use."""
    found = compared_assessments(data, request)
    return table_of_leaderboards(found, active_index(found, data.benchmark, request.active))


def assessment_list_table(data: ContentData, request: AssessmentListRequest) -> Table:
    """The assessments, with their rank correlation with the one in use."""
    found = compared_assessments(data, request)
    return table_of_assessments(found, active_index(found, data.benchmark, request.active))


def table_of_assessments(found: AssessmentComparison, active: int) -> Table:
    """The assessments that were compared; `active` is the index of the one in use, -1 for none."""
    keys = ("assessment", "tau", "tau_AP", "levels", "pairs", "measure")
    columns = tuple(TableColumn(key, is_number=key in ("tau", "tau_AP", "pairs")) for key in keys)
    rows: list[tuple[Cell, ...]] = []
    for index, one in enumerate(found.assessments):
        name = f"{f'{ACTIVE_MARK} ' if index == active else ''}{index + 1}. {one.label}"
        correlations = (matrix[active, index] if active >= 0 else np.nan for matrix in (found.tau, found.tau_ap))
        levels = ", ".join(str(level) for level in one.assessment.levels) or "none"
        rows.append((name, *map(_defined, correlations), levels, one.n_pairs, found.measures[index].key))
    return Table("assessments", "Assessments", columns, tuple(rows))


def table_of_leaderboards(found: AssessmentComparison, active: int) -> Table:
    """The leaderboards that were compared, in the order of the one in use; of the first one for -1."""
    columns = [TableColumn("run", "Run")]
    for index, (one, measure) in enumerate(zip(found.assessments, found.measures, strict=True), 1):
        columns += [
            TableColumn(f"rank_{index}", f"Rank {index}", is_number=True),
            TableColumn(f"{measure.key} ({one.label})", f"{measure.key} {index}", True, measure.better),
        ]
    rows: list[tuple[Cell, ...]] = []
    for run in np.argsort(found.ranks[max(active, 0)], kind="stable").tolist():
        ranks, values = found.ranks[:, run].tolist(), found.values[:, run].tolist()
        pairs = ((rank, _defined(value)) for rank, value in zip(ranks, values, strict=True))
        rows.append((found.runs[run], *chain.from_iterable(pairs)))
    names = "; ".join(f"{index} {one.label}" for index, one in enumerate(found.assessments, 1))
    notes = [
        f"{a + 1} and {b + 1}: tau {format_fixed(found.tau[a, b], 3)}, "
        f"tau_AP {format_fixed(found.tau_ap[a, b], 3)}, reversed {format_fixed(found.tau_ap[b, a], 3)}"
        for a in range(len(found.assessments))
        for b in range(a + 1, len(found.assessments))
    ]
    title = "Leaderboards under several assessments"
    return Table("assessments", title, tuple(columns), tuple(rows), (f"{names}.", *notes))


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
