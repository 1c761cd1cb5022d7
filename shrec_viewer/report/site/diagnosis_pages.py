"""Values of the pages about the assessment and the conventions: robustness, suspects and edits."""

from typing import Any

from shrec_viewer.diagnosis.robustness import examine_robustness, robustness_document
from shrec_viewer.diagnosis.suspects import DEFAULT_LIMIT, find_suspects, suspect_records
from shrec_viewer.domain import EditedAssessment
from shrec_viewer.evaluation.edits import AssessmentEdit, level_of, with_edits
from shrec_viewer.report.site.contest_site import ContestSite


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


def edits(site: ContestSite, _index: int) -> dict[str, Any]:
    """Pairs whose level was edited, with the level of the files."""
    return {"edits": _edits(site)}


def _edits(site: ContestSite) -> list[AssessmentEdit]:
    benchmark = site.benchmark
    assert isinstance(benchmark.assessment, EditedAssessment)
    original = with_edits(benchmark, ())
    return [
        AssessmentEdit(
            benchmark.queries.ids[query], benchmark.collection.ids[model], level_of(original, query, model), level
        )
        for query, levels in sorted(benchmark.assessment.edits.items())
        for model, level in sorted(levels.items())
    ]
