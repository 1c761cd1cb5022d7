"""Several assessments of one benchmark: which there are, and the leaderboard under each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import (
    ROOT,
    Assessment,
    Benchmark,
    ClassAssessment,
    Classification,
    EditedAssessment,
    Finding,
    FormatError,
)
from shrec_viewer.evaluation.comparison.leaderboards import Leaderboard, correlate, leaderboard, ranks_of
from shrec_viewer.evaluation.edits import original_assessment
from shrec_viewer.evaluation.evaluate import evaluate, never_cancelled
from shrec_viewer.formats.discovery.assessment import read_assessment
from shrec_viewer.metrics import Profile, ResolvedMeasure, find_measure

#: Keys of assessments; ``classes:1`` merges the classes below each top-level class, other keys are paths of files.
AS_READ, EDITED, CLASSES = "read", "edited", "classes"


@dataclass(frozen=True, eq=False)
class NamedAssessment:
    """One of the assessments of a benchmark.

    Attributes
    ----------
    key : `AS_READ`, `EDITED`, `CLASSES`, ``classes:DEPTH``, or the path of a file.
    label : for display.
    assessment : for the queries and models of the benchmark.
    findings : about its file.
    """

    key: str
    label: str
    assessment: Assessment
    findings: tuple[Finding, ...] = ()

    @property
    def n_pairs(self) -> int:
        """Number of relevant pairs."""
        return sum(len(self.assessment.relevant(query)[0]) for query in range(len(self.assessment)))


def find_assessments(
    benchmark: Benchmark, files: Sequence[Path] = (), *, cancelled: Callable[[], bool] = never_cancelled
) -> tuple[tuple[NamedAssessment, ...], tuple[FormatError, ...]]:
    """The assessments of a benchmark without its edits, each once, and the errors of files that cannot be read.

    First the one that was read; then those derived from the classification: its classes, and these merged at each
    depth of the tree; then the truth files of the folder that are not used; then `files`.
    """
    original = original_assessment(benchmark)
    found: list[NamedAssessment] = []
    if original is not None:
        found.append(NamedAssessment(AS_READ, _label_of(original), original))
    found += derived_assessments(benchmark)
    errors = []
    for path in dict.fromkeys((*benchmark.other_truth, *files)):
        try:
            assessment, findings = read_assessment(path, benchmark)
        except FormatError as error:
            errors.append(error)
        else:
            found.append(NamedAssessment(str(path), path.name, assessment, findings))
    distinct: list[NamedAssessment] = []
    for candidate in found:
        # A file that was added by hand is listed even if it equals another one: the table then shows that it does.
        is_added = candidate.key in map(str, files)
        if is_added or not any(_are_equal(candidate.assessment, kept.assessment, cancelled) for kept in distinct):
            distinct.append(candidate)
    return tuple(distinct), tuple(errors)


def with_edited(found: tuple[NamedAssessment, ...], benchmark: Benchmark) -> tuple[NamedAssessment, ...]:
    """The assessments with that of the benchmark after the one that was read, if it has edits."""
    edited = benchmark.assessment
    if not isinstance(edited, EditedAssessment):
        return found
    name = _label_of(edited.original)
    one = NamedAssessment(EDITED, f"{name} with edits", edited)
    place = next((index + 1 for index, one in enumerate(found) if one.key == AS_READ), 0)
    return (*found[:place], one, *found[place:])


def _label_of(assessment: Assessment) -> str:
    return "Classes as read" if isinstance(assessment, ClassAssessment) else "Levels as read"


def derived_assessments(benchmark: Benchmark) -> list[NamedAssessment]:
    """Assessments derived from the classes of models and queries; none without either."""
    tree, labels = benchmark.classification, benchmark.queries.labels
    if tree is None or not len(tree.names) or not np.any(labels >= 0):
        return []
    depths = _depths(tree)
    found = [NamedAssessment(CLASSES, "Classes", ClassAssessment(tree, labels))]
    for depth in range(int(depths.max()) - 1, 0, -1):
        merged, new_labels = _merged(tree, depths, depth), labels.copy()
        new_labels[labels >= 0] = merged[labels[labels >= 0]]
        of_models = tree.labels.copy()
        of_models[tree.labels >= 0] = merged[tree.labels[tree.labels >= 0]]
        label = "Coarse classes (top level)" if depth == 1 else f"Classes merged at level {depth}"
        coarse = ClassAssessment(Classification(of_models, tree.names, tree.parents), new_labels)
        found.append(NamedAssessment(f"{CLASSES}:{depth}", label, coarse))
    return found


def _depths(tree: Classification) -> NDArray[np.int64]:
    """(C,) 1 for top-level classes, 2 for their children."""
    depths = np.ones(len(tree.names), np.int64)
    for label, parent in enumerate(tree.parents.tolist()):
        if parent != ROOT:
            depths[label] = depths[parent] + 1
    return depths


def _merged(tree: Classification, depths: NDArray[np.int64], depth: int) -> NDArray[np.int32]:
    """(C,) the ancestor of each class at this depth; of a higher class, itself."""
    merged = np.arange(len(tree.names), dtype=np.int32)
    for label, parent in enumerate(tree.parents.tolist()):
        if depths[label] > depth:
            merged[label] = merged[parent]
    return merged


def _are_equal(one: Assessment, other: Assessment, cancelled: Callable[[], bool]) -> bool:
    if len(one) != len(other):
        return False
    for query in range(len(one)):
        if query % 1024 == 0 and cancelled():
            return False
        (a, level_a), (b, level_b) = one.relevant(query), other.relevant(query)
        if not (np.array_equal(a, b) and np.array_equal(level_a, level_b)):
            return False
    return True


@dataclass(frozen=True, eq=False)
class AssessmentComparison:
    """The leaderboards of the runs under several assessments.

    Attributes
    ----------
    assessments : (A,) what was compared.
    measures : (A,) the measure under each: without a level that an assessment does not have.
    runs : (R,) names.
    values : (A, R) float64, mean scores.
    ranks : (A, R) int64, 1-based; equal runs share the better rank.
    tau : (A, A) float64, Kendall's tau-b between two leaderboards.
    tau_ap : (A, A) float64, AP correlation of the leaderboard of the column with that of the row as the truth.
    """

    assessments: tuple[NamedAssessment, ...]
    measures: tuple[ResolvedMeasure, ...]
    runs: tuple[str, ...]
    values: NDArray[np.float64]
    ranks: NDArray[np.int64]
    tau: NDArray[np.float64]
    tau_ap: NDArray[np.float64]


def compare_assessments(
    benchmark: Benchmark,
    profile: Profile,
    assessments: Sequence[NamedAssessment],
    measure: str,
    *,
    runs: Sequence[str] | None = None,
    cancelled: Callable[[], bool] = never_cancelled,
    progress: Callable[[int, int, str], None] | None = None,
) -> AssessmentComparison:
    """Score the runs under each assessment.

    Parameters
    ----------
    measure : key; for an assessment whose highest level is below that of the measure, the measure of that level.
    runs, cancelled, progress : as in `evaluate`.
    """
    boards: list[Leaderboard] = []
    measures, rows = [], []
    names: tuple[str, ...] = ()
    for done, one in enumerate(assessments):
        if progress is not None:
            progress(done, len(assessments), one.label)
        found = measure_for(one.assessment, measure)
        scores = evaluate(
            replace(benchmark, assessment=one.assessment), profile, runs=runs, measures=[found.key], cancelled=cancelled
        )
        names = scores.runs
        values = scores.mean()[:, 0]
        measures.append(found)
        rows.append(values)
        boards.append(leaderboard(found, one.label, names, values))
    n = len(boards)
    tau, tau_ap = np.full((n, n), np.nan), np.full((n, n), np.nan)
    for a, first in enumerate(boards):
        for b, second in enumerate(boards):
            correlation = correlate(first, second)
            tau[a, b], tau_ap[a, b] = correlation.tau, correlation.tau_ap
    return AssessmentComparison(
        tuple(assessments),
        tuple(measures),
        names,
        np.array(rows).reshape(n, len(names)),
        np.array([ranks_of(board.values) for board in boards]).reshape(n, len(names)),
        tau,
        tau_ap,
    )


def measure_for(assessment: Assessment, measure: str) -> ResolvedMeasure:
    """The measure, of a lower relevance level where the assessment has none as high.

    Examples
    --------
    ``AP(rel=2)`` under levels 1 and 2 stays; under classes, whose models have level 1, it is ``AP``.
    """
    found = find_measure(measure)
    return replace(found, level=min(found.level, max(assessment.levels, default=1)))
