"""Edits of the assessment, what they change, and findings about the files."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shrec_viewer.charts.table import Cell, Table, TableColumn
from shrec_viewer.content.data import ContentData, measure_column
from shrec_viewer.content.request import TableRequest, measure_option
from shrec_viewer.domain import EditedAssessment, Finding, ShrecViewerError
from shrec_viewer.evaluation.consequences import EditConsequences, edit_consequences, significance_of_pairs
from shrec_viewer.evaluation.edits import AssessmentEdit, with_edits
from shrec_viewer.evaluation.evaluate import evaluate, excluded_queries, exclusion_findings
from shrec_viewer.evaluation.ranked_list import truth_of
from shrec_viewer.formats.core.findings_log import count_of, with_profile_actions


@dataclass(frozen=True)
class EditsRequest(TableRequest):
    """All edits."""

    kind: ClassVar[str] = "edits"


def edits_table(data: ContentData, request: EditsRequest) -> Table:
    """Edits of the assessment, the latest first."""
    return table_of_edits(data.benchmark.name, tuple(reversed(data.edits)))


def table_of_edits(name: str, edits: tuple[AssessmentEdit, ...]) -> Table:
    """Edits of the benchmark with this name in this order."""
    return Table(
        "edits",
        f"{name}: edits of the assessment",
        (
            TableColumn("query"),
            TableColumn("model"),
            TableColumn("old", is_number=True),
            TableColumn("new", is_number=True),
            TableColumn("author"),
            TableColumn("time"),
            TableColumn("reason"),
        ),
        tuple(
            (
                *(edit.query, edit.model, edit.former, edit.level),
                *(text or None for text in (edit.author, edit.time, edit.reason)),
            )
            for edit in edits
        ),
    )


@dataclass(frozen=True)
class EditedMeansRequest(TableRequest):
    """Means before and after the edits."""

    kind: ClassVar[str] = "edited_means"

    measure: str = measure_option()


def consequences(data: ContentData, request: EditedMeansRequest) -> EditConsequences:
    """What the edits of the assessment change in the means, ranks and conclusions.

    Without edits, only the test of the scores before them is computed, for the first edit.

    Raises
    ------
    ShrecViewerError
        If there are no edits.
    """
    scores = data.evaluated
    measure = scores.measures[measure_column(scores, request.measure)].key
    is_edited = isinstance(scores.benchmark.assessment, EditedAssessment)
    former = data.former if is_edited else scores
    if former is None:
        former = evaluate(
            with_edits(scores.benchmark, ()),
            scores.profile,
            runs=scores.runs,
            measures=[measure],
            cancelled=data.cancelled,
        )
    tested = data.result(significance_of_pairs, former, measure, cancelled=data.cancelled)
    if not is_edited:
        raise ShrecViewerError(f"the assessment of '{data.benchmark.name}' has no edits")
    return edit_consequences(former, scores, measure, tested, cancelled=data.cancelled)


def edited_means_table(data: ContentData, request: EditedMeansRequest) -> Table:
    """Means and ranks of the runs before and after the edits of the assessment, by the rank after them."""
    return table_of_consequences(data, consequences(data, request))


CONSEQUENCE_COLUMNS = (
    TableColumn("run"),
    TableColumn("before", is_number=True),
    TableColumn("after", is_number=True),
    TableColumn("change", is_number=True, shown_digits=4, is_difference=True),
    TableColumn("rank before", is_number=True),
    TableColumn("rank after", is_number=True),
)


def table_of_consequences(data: ContentData, found: EditConsequences) -> Table:
    """What edits change, by the rank after them."""
    order = np.argsort(found.ranks_after, kind="stable").tolist()
    rows: list[tuple[Cell, ...]] = [
        (
            found.runs[run],
            float(found.before[run]),
            float(found.after[run]),
            float(found.after[run] - found.before[run]),
            int(found.ranks_before[run]),
            int(found.ranks_after[run]),
        )
        for run in order
    ]
    return Table(
        "edited_means",
        f"{data.benchmark.name}: {found.measure.key} before and after {count_of(len(data.edits), 'edit')}; "
        f"profile {data.profile.title}",
        CONSEQUENCE_COLUMNS,
        tuple(rows),
        notes=tuple(f"{text}." for text in found.conclusions),
    )


@dataclass(frozen=True)
class FindingsRequest(TableRequest):
    """All findings."""

    kind: ClassVar[str] = "findings"


def findings_table(data: ContentData, request: FindingsRequest) -> Table:
    """What was wrong with the files, and what was done."""
    benchmark, profile = data.benchmark, data.profile
    findings = with_profile_actions(benchmark, profile)
    if benchmark.assessment is not None and len(benchmark.assessment) == len(benchmark.queries):
        excluded = excluded_queries(benchmark, profile, truth_of(benchmark))
        findings += exclusion_findings(benchmark, profile, excluded)
    return table_of_findings(benchmark.name, sorted(findings, key=severity_rank))


def severity_rank(finding: Finding) -> int:
    """Sort key of findings: the most severe first."""
    return finding.severity.rank


def table_of_findings(name: str, findings: Sequence[Finding]) -> Table:
    """Findings of the benchmark with this name in this order."""
    return Table(
        "findings",
        f"{name}: findings",
        (
            TableColumn("severity"),
            TableColumn("file"),
            TableColumn("line", is_number=True),
            TableColumn("count", is_number=True),
            TableColumn("message"),
            TableColumn("action"),
        ),
        tuple(
            (str(one.severity), one.file, one.line, one.count, one.message, one.action_with_option) for one in findings
        ),
    )
