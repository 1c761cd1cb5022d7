"""The diagnosis of runs as one document: error budget, hubs, confusions, distances, classification and the rest."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.diagnosis.classification import nearest_neighbour
from shrec_viewer.diagnosis.distances import run_distances
from shrec_viewer.diagnosis.error_budget import (
    LEAST_EVIDENCE,
    LEAST_EXCESS,
    LEAST_LIFT,
    LEAST_OCCURRENCES,
    N_CONFUSIONS,
    N_OTHERS,
    NEAR_TIERS,
    WORST_SHARE,
    BudgetWork,
    ErrorBudget,
    budget_sentence,
    difference_sentence,
)
from shrec_viewer.diagnosis.headroom import headroom
from shrec_viewer.diagnosis.similarity import RBO_P, run_similarity
from shrec_viewer.diagnosis.variance import variance_sources
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.geometry_evidence import evidence_note, first_verdict, geometry_run
from shrec_viewer.evaluation.score_tables import finite_or_none
from shrec_viewer.metrics import UnknownKeyError
from shrec_viewer.metrics.measures.measure import suggestion
from shrec_viewer.version import __version__

#: Name and version of the document; the version changes when a reader of it would fail.
DIAGNOSIS_SCHEMA = "shrec-viewer/diagnosis/1"

THRESHOLDS: Mapping[str, float] = {
    "worst": WORST_SHARE,
    "least_occurrences": LEAST_OCCURRENCES,
    "confusions": N_CONFUSIONS,
    "lift": LEAST_LIFT,
    "excess": LEAST_EXCESS,
    "evidence": LEAST_EVIDENCE,
    "near": NEAR_TIERS,
    "others": N_OTHERS,
}


def _figures(record: Any, names: str) -> dict[str, Any]:
    """Attributes of a record, whose names are separated by blanks."""
    return {name: getattr(record, name) for name in names.split()}


def _budget(work: BudgetWork, row: int, found: ErrorBudget) -> dict[str, Any]:
    """Value, ideal and causes."""
    causes = [asdict(cause) for cause in found.causes]
    for cause in causes:
        if cause["cause"] != "unlisted":
            del cause["alone_best"]
    figures = _figures(found, "value ideal n_all n found_elsewhere_chance")
    return {**figures, "sentence": budget_sentence(found, work.measure.key), "causes": causes}


def _hubs(work: BudgetWork, row: int, found: ErrorBudget) -> dict[str, Any]:
    """Models in the first ranks of many lists."""
    ids, queries, hubs = work.benchmark.collection.ids, work.benchmark.queries.ids, found.hubs
    models = [
        asdict(one) | {"model": ids[one.model], "queries": [queries[query] for query in one.queries]}
        for one in hubs.models
    ]
    if _judges(work, row):
        for record, one in zip(models, hubs.models, strict=True):
            found_by = (work.geometry(query) for query in one.queries)
            record["looks_alike"] = sum(made is not None and made.looks_alike(one.model) for made in found_by)
    names = "k skewness max_occurrence orphans false_positives share_worst_5_percent"
    return {**_figures(hubs, names), "models": models}


def _confusions(work: BudgetWork, row: int, found: ErrorBudget) -> list[dict[str, Any]] | None:
    """Costs of models of one class for queries of another one."""
    tree = work.benchmark.classification
    if found.confusions is None or tree is None:
        return None
    return [
        asdict(one) | {"query_class": tree.names[one.query_class], "model_class": tree.names[one.model_class]}
        for one in found.confusions
    ]


def _queries(work: BudgetWork, row: int, found: ErrorBudget) -> list[dict[str, Any]]:
    """Value, shares and sentence of each query in the mean."""
    causes = [cause.cause for cause in found.causes]
    rows = []
    for query, name in enumerate(work.benchmark.queries.ids):
        if found.values[query] == found.values[query]:
            shares = dict(zip(causes, found.shares[query].tolist(), strict=True))
            if work.scores.hits[row].missing[query]:
                shares = {cause: share for cause, share in shares.items() if share}
            elif found.causes[0].share is None:
                shares = {}
            value, sentence = float(found.values[query]), found.sentences[query]
            rows.append({"query": name, "value": value, "share": shares, "sentence": sentence})
            if _judges(work, row):
                geometry = work.geometry(query)
                said = "" if geometry is None else first_verdict(geometry, work.ranked(row, query).items)[1]
                rows[-1]["geometry"] = said or None
    return rows


def _judges(work: BudgetWork, row: int) -> bool:
    """Whether rigid geometry was computed, and is not the run itself."""
    geometry = geometry_run(work.benchmark)
    return geometry is not None and work.run(row) is not geometry


def _distances(work: BudgetWork, row: int, found: ErrorBudget) -> dict[str, Any] | None:
    """How well one threshold separates relevant from irrelevant models."""
    one = run_distances(work.scores, row)
    return None if one is None else _figures(one, "eer auc d_prime n_relevant n_irrelevant pure_ties")


def _classification(work: BudgetWork, row: int, found: ErrorBudget) -> dict[str, Any] | None:
    """Classification by the nearest neighbour."""
    one = nearest_neighbour(work.scores, row)
    return None if one is None else _figures(one, "n accuracy balanced_accuracy mcc macro_f1")


def _slices(work: BudgetWork, row: int, found: ErrorBudget) -> list[dict[str, Any]]:
    """Means of named sets of queries."""
    scores = work.slices
    figures = ("n", "mean", "difference", "low", "high")
    return [
        {"name": one.name, **{figure: getattr(scores, figure)[index, row].item() for figure in figures}}
        for index, one in enumerate(scores.slices)
    ]


#: Sections of each run; None for one that cannot be computed.
RUN_SECTIONS: Mapping[str, Callable[[BudgetWork, int, ErrorBudget], Any]] = {
    "budget": _budget,
    "hubs": _hubs,
    "distances": _distances,
    "confusions": _confusions,
    "classification": _classification,
    "queries": _queries,
    "slices": _slices,
}

#: Those that exist for a slice of the queries.
SLICE_SECTIONS = ("budget", "hubs", "confusions", "queries")


def _difference(work: BudgetWork, row: int, other: int, within: NDArray[np.int64] | None) -> dict[str, Any] | str:
    """Where the difference to another run comes from, or why that is not known."""
    try:
        found = work.difference(row, other, within=within)
    except ShrecViewerError as error:
        return str(error)
    tree = work.benchmark.classification
    names = () if tree is None else tree.names

    def class_of(label: int) -> str | None:
        return names[label] if label >= 0 else None

    confusions = found.confusions
    return {
        "with": found.other,
        "value": found.value,
        "ideal": found.ideal,
        "causes": [{"cause": cause, "share": share} for cause, share in found.shares.items()],
        "confusions": None if confusions is None else [
            {"query_class": class_of(one.query_class), "model_class": class_of(one.model_class), "share": one.cost}
            for one in confusions
        ],
        "rest": found.rest,
        "sentence": difference_sentence(found, work.measure.key, names),
    }  # fmt: skip


def _headroom(work: BudgetWork) -> dict[str, Any] | None:
    """What the best run of each query would give, and who finds what."""
    try:
        found = headroom(work.scores, work.column)
    except ShrecViewerError:
        return None
    unique = dict(zip(found.runs, found.unique.tolist(), strict=True))
    return {**_figures(found, "measure best_run best oracle found_by_none"), "unique": unique}


def _similarity(work: BudgetWork) -> dict[str, Any]:
    """Rank-biased overlap of the lists of all runs."""
    found = run_similarity(work.scores)
    return {"rbo_p": RBO_P, "runs": list(found.runs), "rbo": found.values.tolist()}


def _variance(work: BudgetWork) -> dict[str, Any] | None:
    """Whether classes or queries make scores vary."""
    found = variance_sources(work.scores, work.column)
    if isinstance(found, str):
        return None
    return {"class": found.of_class, **_figures(found, "run run_x_class query_within_class rest")}


#: Sections of all runs together.
BENCHMARK_SECTIONS: Mapping[str, Callable[[BudgetWork], Any]] = {
    "headroom": _headroom,
    "similarity": _similarity,
    "variance": _variance,
}

#: All sections, in the order of the document.
SECTIONS = (*RUN_SECTIONS, *BENCHMARK_SECTIONS)

DEFAULT_SECTIONS = tuple(name for name in SECTIONS if name != "queries")


def find_section(name: str) -> str:
    """The name of a section; UnknownKeyError with all names if there is none."""
    if name not in SECTIONS:
        nearest = f"there is no section '{name}'{suggestion(name, SECTIONS)}"
        raise UnknownKeyError(f"{nearest}; there are {', '.join(SECTIONS)}" if "?" in nearest else nearest)
    return name


def diagnosis_document(
    work: BudgetWork,
    runs: Sequence[str] = (),
    sections: Collection[str] = DEFAULT_SECTIONS,
    progress: Callable[[int, int, str], None] | None = None,
    *,
    slice_name: str = "",
    compare_with: str = "",
) -> dict[str, Any]:
    """Document of ``diagnose --format json``.

    Parameters
    ----------
    work : scores of all runs: others are compared with, whatever is asked for.
    runs : names of the runs in the document, which are in the order of the benchmark; all without any.
    sections : some of `SECTIONS`; others have no key.
    slice_name : only the queries of this slice, in `SLICE_SECTIONS`.
    compare_with : run to which each other run has its difference, in ``"difference"``.

    Raises
    ------
    UnknownKeyError
        If there is no run or slice of a name.
    """
    scores, queries, models = work.scores, work.benchmark.queries.ids, work.benchmark.collection.ids
    rows = sorted({scores.run_index(name) for name in runs} or range(len(scores.runs)))
    within, other = work.queries_of(slice_name), scores.run_index(compare_with) if compare_with else None
    made = []
    for done, row in enumerate(rows):
        if progress is not None:
            progress(done, len(rows), "run")
        found = work.budget(row, within=within)
        run: dict[str, Any] = {"name": scores.runs[row], "participant": scores.participants[row]}
        if other is not None and other != row:
            run["difference"] = _difference(work, row, other, within)
        made.append(run | {name: make(work, row, found) for name, make in RUN_SECTIONS.items() if name in sections})
    return {
        "schema": DIAGNOSIS_SCHEMA,
        "version": __version__,
        "benchmark": work.benchmark.name,
        "profile": scores.profile.key,
        "measure": work.measure.key,
        "level": work.level,
        "k": work.k,
        **({"slice": slice_name} if slice_name else {}),
        "thresholds": dict(THRESHOLDS),
        "doubtful_pairs": [
            {"query": queries[query], "model": models[model]}
            for query, found_models in work.doubtful.items()
            for model in found_models.tolist()
        ],
        **({"geometry": _geometry(work)} if geometry_run(work.benchmark) else {}),
        "runs": _finite(made),
        **{name: _finite(make(work)) for name, make in BENCHMARK_SECTIONS.items() if name in sections},
    }


def _geometry(work: BudgetWork) -> dict[str, Any]:
    """What rigid geometry is, and the classes for which it fails."""
    return {"note": evidence_note(work.weak_classes), "weak_classes": list(work.weak_classes)}


def _finite(value: Any) -> Any:
    """The same with None for numbers that JSON does not have."""
    if isinstance(value, float):
        return finite_or_none(value)
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value
