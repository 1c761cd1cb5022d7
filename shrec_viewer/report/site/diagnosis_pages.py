"""Values of the pages that explain scores: diagnosis, robustness, suspects and edits."""

from contextlib import suppress
from typing import Any

from shrec_viewer.content.diagnosis.error_budget import CAUSE_NAMES, MAX_EXPLAINED
from shrec_viewer.diagnosis.document import diagnosis_document
from shrec_viewer.diagnosis.error_budget import BudgetWork
from shrec_viewer.diagnosis.robustness import examine_robustness, robustness_document
from shrec_viewer.diagnosis.suspects import DEFAULT_LIMIT, find_suspects, suspect_records
from shrec_viewer.domain import EditedAssessment, ShrecViewerError
from shrec_viewer.evaluation.edits import AssessmentEdit, edited_queries, level_of, with_edits
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.query_subset import rescored
from shrec_viewer.evaluation.score_tables import is_count
from shrec_viewer.number_format import format_gain
from shrec_viewer.report.site.contest_site import ContestSite
from shrec_viewer.report.site.score_cells import ScoreCell, score_cells


def has_robustness(site: ContestSite) -> bool:
    """Whether there are two runs to rank."""
    return len(site.scores.runs) > 1


def has_suspects(site: ContestSite) -> bool:
    """Whether submitted runs give evidence about the assessment."""
    return any(not run.expression for run in site.benchmark.runs) and bool(site.scores.queries)


def has_edits(site: ContestSite) -> bool:
    """Whether the assessment was edited."""
    return isinstance(site.benchmark.assessment, EditedAssessment)


def has_diagnosis(site: ContestSite) -> bool:
    """Whether there are lists to explain that are not too long for it."""
    n_pairs = len(site.benchmark.collection) * len(site.benchmark.queries)
    return bool(site.scores.runs) and 0 < n_pairs <= MAX_EXPLAINED


def diagnosis(site: ContestSite, _index: int) -> dict[str, Any]:
    """What each run loses by cause, and the classes and models that cost most."""
    scores = evaluate(site.benchmark, site.profile, runs=site.scores.runs, measures=["AP"], previous=site.scores)
    document = diagnosis_document(BudgetWork(scores, "AP"), sections=("budget", "hubs", "confusions"))
    causes = dict.fromkeys(cause["cause"] for run in document["runs"] for cause in run["budget"]["causes"])
    return {"document": document, "causes": {cause: CAUSE_NAMES[cause] for cause in causes}}


#: Scores in one measure up to which the order is also examined under doubtful labels, which takes a second.
MAX_ORDERED_SCORES = 5000


def robustness(site: ContestSite, _index: int) -> dict[str, Any]:
    """Rank intervals of the runs, pairs that a change of a convention reverses, and what else the order depends on."""
    order = None
    if len(site.scores.runs) * len(site.scores.queries) <= MAX_ORDERED_SCORES:
        with suppress(ShrecViewerError):  # of a measure that is no mean over queries, or of one query
            order = site.charts.order()
    return {"document": robustness_document(examine_robustness(site.benchmark, site.profile)), "order": order}


def suspects(site: ContestSite, _index: int) -> dict[str, Any]:
    """The most doubtful entries of the assessment, and classes that all participants confuse."""
    queue = find_suspects(site.benchmark, site.profile, limit=DEFAULT_LIMIT)
    return {"queue": queue, "suspects": suspect_records(queue)}


def edits(site: ContestSite, _index: int) -> dict[str, Any]:
    """Means before and after the edits, of the main measure first, and edited pairs with the level of the files.

    Each mean is (index of the measure, index of the run, cells of the mean before and after and of their difference).
    """
    scores, original = site.scores, with_edits(site.benchmark, ())
    former = rescored(scores, original, edited_queries(original, site.benchmark)).mean()
    before, after = (score_cells(values, scores.measures) for values in (former, scores.mean()))
    changes = scores.mean() - former
    means = []
    for column in dict.fromkeys((site.headline, *range(len(scores.measures)))):
        counted = is_count(scores.measures[column], scores.mean()[:, column])
        for run in scores.order_by(scores.measures[column].key):
            change = float(changes[run, column])
            cells = before[run][column], after[run][column], ScoreCell(change, format_gain(change, counted=counted))
            means.append((column, run, cells))
    assert isinstance(site.benchmark.assessment, EditedAssessment)
    queries, models = site.benchmark.queries.ids, site.benchmark.collection.ids
    pairs = [
        AssessmentEdit(queries[query], models[model], level_of(original, query, model), level)
        for query, levels in sorted(site.benchmark.assessment.edits.items())
        for model, level in sorted(levels.items())
    ]
    return {"means": means, "edits": pairs}
