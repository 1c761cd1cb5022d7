"""Values of the pages about the assessment and the conventions: robustness, suspects and edits."""

from dataclasses import dataclass
from typing import Any

from shrec_viewer.diagnosis.robustness import examine_robustness, robustness_document
from shrec_viewer.diagnosis.suspects import DEFAULT_LIMIT, find_suspects, suspect_records
from shrec_viewer.domain import Benchmark, EditedAssessment
from shrec_viewer.evaluation.edits import AssessmentEdit, edited_queries, level_of, with_edits
from shrec_viewer.evaluation.query_subset import rescored
from shrec_viewer.metrics import ResolvedMeasure
from shrec_viewer.number_format import format_gain
from shrec_viewer.report.site.contest_site import ContestSite
from shrec_viewer.report.site.score_cells import ScoreCell, is_count, score_cells


def has_robustness(site: ContestSite) -> bool:
    """Whether there are two runs to rank."""
    return len(site.scores.runs) > 1


def has_suspects(site: ContestSite) -> bool:
    """Whether submitted runs give evidence about the assessment."""
    return any(not run.expression for run in site.benchmark.runs) and bool(site.scores.queries)


def has_edits(site: ContestSite) -> bool:
    """Whether the assessment was edited."""
    return isinstance(site.benchmark.assessment, EditedAssessment)


def robustness(site: ContestSite, _index: int) -> dict[str, Any]:
    """Rank intervals of the runs, and the pairs that a change of a convention reverses."""
    document = robustness_document(examine_robustness(site.benchmark, site.profile))
    labels = {variant["key"]: variant["label"] for variant in document["variants"]}
    return {
        "measure_key": document["measure"],
        "ranked_runs": document["runs"],
        "reversed_pairs": [
            (pair["a"], pair["b"], [labels[key] for key in pair["changed_by"]])
            for pair in document["pairs"]
            if not pair["settled"]
        ],
        "n_pairs": len(document["pairs"]),
        "variants": sorted(document["variants"], key=_negative_pairs),
    }


def _negative_pairs(variant: dict[str, Any]) -> int:
    return -int(variant["pairs_changed"])


def suspects(site: ContestSite, _index: int) -> dict[str, Any]:
    """The most doubtful entries of the assessment, and classes that all participants confuse."""
    queue = find_suspects(site.benchmark, site.profile, limit=DEFAULT_LIMIT)
    tree = queue.benchmark.classification
    return {
        "by": queue.by,
        "measure_key": queue.measure,
        "suspects": suspect_records(queue),
        "confusions": [
            (tree.names[one.query_class], tree.names[one.model_class], one.share)
            for one in queue.confusions
            if tree is not None
        ],
    }


@dataclass(frozen=True)
class EditedMean:
    """Mean of a run by a measure before and after the edits.

    Attributes
    ----------
    measure : the measure.
    run : index of the run.
    before, after : the means, each ranked among the runs.
    change : their difference, after minus before.
    """

    measure: ResolvedMeasure
    run: int
    before: ScoreCell
    after: ScoreCell
    change: ScoreCell


def edits(site: ContestSite, _index: int) -> dict[str, Any]:
    """Means of the runs before and after the edits, and pairs whose level was edited, with the level of the files."""
    original = with_edits(site.benchmark, ())
    return {"means": _edited_means(site, original), "edits": _edits(site.benchmark, original)}


def _edited_means(site: ContestSite, original: Benchmark) -> list[EditedMean]:
    """By measure, the main one first, and by the mean after the edits."""
    scores = site.scores
    former = rescored(scores, original, edited_queries(original, site.benchmark))
    means = former.mean(), scores.mean()
    before, after = (score_cells(values, scores.measures) for values in means)
    changes = means[1] - means[0]
    found = []
    for column in sorted(range(len(scores.measures)), key=lambda column: column != site.headline):
        measure = scores.measures[column]
        counted = is_count(measure, means[1][:, column])
        for run in scores.order_by(measure.key):
            change = float(changes[run, column])
            cell = ScoreCell(change, format_gain(change, counted=counted))
            found.append(EditedMean(measure, run, before[run][column], after[run][column], cell))
    return found


def _edits(benchmark: Benchmark, original: Benchmark) -> list[AssessmentEdit]:
    assert isinstance(benchmark.assessment, EditedAssessment)
    return [
        AssessmentEdit(
            benchmark.queries.ids[query], benchmark.collection.ids[model], level_of(original, query, model), level
        )
        for query, levels in sorted(benchmark.assessment.edits.items())
        for model, level in sorted(levels.items())
    ]
