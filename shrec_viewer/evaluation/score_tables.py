"""Scores as JSON documents and as rows of tables."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.choices import SLICE
from shrec_viewer.evaluation.comparison.published import PublishedRow, published_rows
from shrec_viewer.evaluation.geometry_evidence import geometry_note
from shrec_viewer.evaluation.run_groups import RunGroup
from shrec_viewer.evaluation.scores import Scores, TieRange
from shrec_viewer.metrics import Profile, ResolvedMeasure, evaluator_bugs_of, find_curve
from shrec_viewer.metrics.curves.averaging import CurveAveraging
from shrec_viewer.printable import printable_json
from shrec_viewer.version import __version__

#: Name and version of the document; the version changes when a reader of it would fail.
SCORES_SCHEMA = "shrec-viewer/scores/1"

NumberOrNone = float | None

NO_SLICES: Mapping[str, NDArray[np.int64]] = MappingProxyType({})


@dataclass(frozen=True)
class ScoreRows:
    """Rows of a table with their header; a cell is text, a number, or None for undefined.

    `slices` are the names of slices by their marks in the column query, `published` the published scores by the names
    of their rows.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str | NumberOrNone, ...], ...]
    slices: Mapping[str, str] = field(default_factory=dict)
    published: Mapping[str, PublishedRow] = field(default_factory=dict)


def scores_document(
    scores: Scores,
    benchmark: Benchmark,
    *,
    per_query: bool = False,
    curves: bool = False,
    ties: TieRange | None = None,
    ceiling: bool = False,
    average: CurveAveraging | None = None,
    slices: Mapping[str, NDArray[np.int64]] = NO_SLICES,
) -> dict[str, Any]:
    """Document of ``evaluate --format json``: plain dicts, lists, strings and numbers, None for NaN.

    If the profile reproduces bugs of an official program, ``evaluator_bugs`` lists them, and every run also has the
    means without them. If conventions of the profile were changed, ``conventions`` lists them; if ties are in
    another order than that of the profile, ``ties`` names it. Virtual runs have ``virtual``, see `virtual_record`.
    If a run has ties, repeated or unknown models, or NaN or infinite distances, ``noticed`` has their numbers over
    all queries. If the profile excludes queries from every mean, ``excluded_queries`` lists them. If there are
    published tables, ``published`` has their rows with the differences from the means.

    Parameters
    ----------
    per_query : adds ``queries`` to every run.
    curves : adds ``curves`` to every run: the means of the curves of the profile.
    average : how these means are taken, see `Scores.curve`.
    ties : adds ``tie_range`` to every run: lowest and highest mean over the orders of equal distances, and with
        `per_query` those of every query.
    ceiling : adds ``ceiling`` to every run: the means of the best possible values for lists of its lengths.
    slices : queries by name, adds ``slices`` to every run: name, number of queries in the mean, means, and with
        `curves` the means of the curves.
    """
    bugs = [{"measures": list(bug.measures), "message": bug.message} for bug in evaluator_bugs_of(scores.profile)]
    textbook = scores.textbook()
    excluded = [scores.queries[query] for query in np.flatnonzero(scores.excluded)]
    runs = [_run_record(scores, textbook, run, per_query, curves, ties, average) for run in range(len(scores.runs))]
    if ceiling:
        for run, record in zip(runs, _ceiling_records(scores), strict=True):
            run["ceiling"] = record
    parts = {name: scores.select_queries(queries) for name, queries in slices.items()}
    for row, run in enumerate(runs if slices else ()):
        run["slices"] = [_slice_record(name, part, row, curves, average) for name, part in parts.items()]
    return {
        "schema": SCORES_SCHEMA,
        "version": __version__,
        "benchmark": benchmark.name,
        "profile": scores.profile.key,
        **({"conventions": dict(scores.profile.changes)} if scores.profile.changes else {}),
        **({"ties": scores.ties} if scores.ties != "profile" else {}),
        "measures": [measure_record(measure, scores.profile) for measure in scores.measures],
        **({"evaluator_bugs": bugs} if bugs else {}),
        **({"excluded_queries": excluded} if excluded else {}),
        "runs": runs,
        **({"published": published_records(scores)} if scores.benchmark.published else {}),
        "findings": [
            {
                "severity": str(finding.severity),
                "file": finding.file,
                "line": finding.line,
                "message": finding.message,
                "action": finding.action_with_option,
            }
            for finding in benchmark.findings
        ],
    }


def _run_record(
    scores: Scores,
    textbook: Scores | None,
    run: int,
    per_query: bool,
    curves: bool,
    ties: TieRange | None,
    average: CurveAveraging | None,
) -> dict[str, Any]:
    document: dict[str, Any] = {
        "name": scores.runs[run],
        "participant": scores.participants[run],
        "mean": _by_key(scores, scores.mean()[run]),
        "class_mean": _by_key(scores, scores.class_mean()[run]),
        "missing_queries": [scores.queries[query] for query in np.flatnonzero(scores.missing[run])],
    }
    expression = next((one.expression for one in scores.benchmark.runs if one.name == scores.runs[run]), "")
    if expression:
        note = geometry_note(scores.benchmark, (scores.runs[run],))
        document["virtual"] = {**virtual_record(expression), **({"note": note} if note else {})}
    if textbook is not None:
        document["textbook_mean"] = _by_key(textbook, textbook.mean()[run])
        document["textbook_class_mean"] = _by_key(textbook, textbook.class_mean()[run])
    if ties is not None:
        document["tie_range"] = _tie_range_record(scores, ties, run, per_query)
    anomalies = {name: int(counts.sum()) for name, counts in asdict(scores.anomalies[run]).items() if counts.any()}
    if anomalies:
        document["noticed"] = anomalies
    if per_query:
        document["queries"] = {
            name: _by_key(scores, scores.values[run, query]) for query, name in enumerate(scores.queries)
        }
    if curves:
        document["curves"] = {key: _curve_record(scores, key, run, average) for key in scores.profile.curves}
    return document


def _slice_record(name: str, part: Scores, run: int, curves: bool, average: CurveAveraging | None) -> dict[str, Any]:
    """Means of a run over the queries of a slice."""
    record: dict[str, Any] = {
        "name": name,
        "n": int(part.counted[run].sum()),
        "mean": _by_key(part, part.mean()[run]),
        "class_mean": _by_key(part, part.class_mean()[run]),
    }
    if curves:
        record["curves"] = {key: _curve_record(part, key, run, average) for key in part.profile.curves}
    return record


def virtual_record(expression: str) -> dict[str, str]:
    """Expression of a virtual run, with the definition and the source of its function."""
    from shrec_viewer.evaluation.virtual_runs import parse_virtual_run  # here: most tables have none

    kind = parse_virtual_run(expression).kind
    return {"expression": expression, "definition": kind.definition, "source": kind.source}


def _ceiling_records(scores: Scores) -> list[dict[str, Any]]:
    """Means of the best possible values of each run."""
    best = scores.ceiling()
    means = zip(best.mean(), best.class_mean(), strict=True)
    return [{"mean": _by_key(best, mean), "class_mean": _by_key(best, class_mean)} for mean, class_mean in means]


def _tie_range_record(scores: Scores, ties: TieRange, run: int, per_query: bool) -> dict[str, Any]:
    """Lowest and highest value of every measure."""

    def pairs(ends: NDArray[np.float64]) -> dict[str, list[NumberOrNone]]:
        rows = zip(scores.measures, ends.T, strict=True)
        return {measure.key: [finite_or_none(end) for end in both] for measure, both in rows}

    document: dict[str, Any] = {"mean": pairs(ties.mean()[:, run]), "class_mean": pairs(ties.class_mean()[:, run])}
    if per_query:
        values = ties.values()[:, run]
        document["queries"] = {name: pairs(values[:, query]) for query, name in enumerate(scores.queries)}
    return document


def _curve_record(scores: Scores, key: str, run: int, average: CurveAveraging | None) -> dict[str, Any]:
    """The mean of a curve: points, way of averaging, and bounds where lists end before their relevant models.

    Where all points have the same relevant scope s, ``relevant_scope`` has it, and x is s times y, also of the bounds.
    ``generality`` is that of the collections, where all queries have the same.
    """
    curve, way = scores.curve(key, run, None, average=average), find_curve(key).averaged(average).way
    record: dict[str, Any] = {
        "x": _numbers(curve.x),
        "y": _numbers(curve.y),
        "average": "class" if average == "class" else way,
    }
    if curve.is_bounded and curve.lower is not None and curve.upper is not None:
        record |= {"lower": _numbers(curve.lower), "upper": _numbers(curve.upper)}
    if curve.relevant_scopes is not None:
        record["relevant_scope"] = _numbers(curve.relevant_scopes)
    if curve.doublings is not None:
        record["generality"] = 2.0**-curve.doublings
    return record


def _numbers(values: NDArray[np.float64]) -> list[NumberOrNone]:
    return [finite_or_none(value) for value in values]


def _by_key(scores: Scores, values: np.ndarray) -> dict[str, NumberOrNone]:
    return {measure.key: finite_or_none(value) for measure, value in zip(scores.measures, values, strict=True)}


def measure_record(measure: ResolvedMeasure, profile: Profile) -> dict[str, Any]:
    """Record of a measure for JSON documents, with its range and source under a profile."""
    return {
        "key": measure.key,
        "label": measure.label,
        "better": measure.better,
        "range": [finite_or_none(end) for end in measure.range_under(profile)],
        "source": measure.source_under(profile),
    }


def finite_or_none(value: float) -> NumberOrNone:
    """A number for JSON and CSV, which have no NaN and no infinity: None for both."""
    return float(value) if math.isfinite(value) else None


#: Columns before those of the measures. Every cell is one word, for tools that split at blanks.
LEADING_COLUMNS = ("run", "participant", "query", "status", "profile")


#: Marks of the means of the best possible values in the column query.
CEILINGS = {"mean": "ceiling", "class_mean": "class_ceiling"}


def scores_rows(
    scores: Scores,
    *,
    per_query: bool = False,
    ties: TieRange | None = None,
    ceiling: bool = False,
    slices: Mapping[str, NDArray[np.int64]] = NO_SLICES,
) -> ScoreRows:
    """Means of every run, and with `per_query` the scores of all queries before them.

    Columns are `LEADING_COLUMNS` and one for each measure. In the column query, ``mean`` marks the mean over queries
    and ``class_mean`` the mean over classes, if the profile has both. If the profile reproduces bugs of an official
    program, ``textbook_mean`` and ``textbook_class_mean`` are those without them. The column status is how a query
    enters the means of its run (see `query_statuses`), empty for means. With `ties`, ``mean_lowest`` and
    ``mean_highest`` are the range over the orders of equal distances. With `ceiling`, ``ceiling`` and ``class_ceiling``
    are the means of the best possible values for lists of the submitted lengths. With `slices` (queries by name),
    ``slice:NAME`` are the means over the queries of each.
    """
    rows: list[tuple[str | NumberOrNone, ...]] = []
    means, profile = _means(scores) + _tie_means(scores, ties), scores.profile.key
    if ceiling:
        means += [(CEILINGS[kind], key, values) for kind, key, values in _means(scores.ceiling()) if kind in CEILINGS]
    marks = {SLICE + name.replace(" ", "_"): name for name in slices}
    means += [(mark, profile, scores.select_queries(slices[name]).mean()) for mark, name in marks.items()]
    for run, (name, participant) in enumerate(zip(scores.runs, scores.participants, strict=True)):
        if per_query:
            for query, (query_id, status) in enumerate(zip(scores.queries, query_statuses(scores, run), strict=True)):
                rows.append(
                    (name, participant, query_id, status, profile, *map(finite_or_none, scores.values[run, query]))
                )
        for kind, key, values in means:
            if not ("class" in kind and np.all(np.isnan(values[run]))):
                rows.append((name, participant, kind, "", key, *map(finite_or_none, values[run])))
    return ScoreRows((*LEADING_COLUMNS, *(measure.key for measure in scores.measures)), tuple(rows), marks)


def with_group_rows(table: ScoreRows, groups: Sequence[RunGroup], scores: Scores) -> ScoreRows:
    """The table with the means and the deviations of groups, marked ``group_mean`` and ``group_deviation``."""
    rows = tuple(
        (group.pattern, "", mark, "", scores.profile.key, *map(finite_or_none, values))
        for mark, of in (("group_mean", "mean"), ("group_deviation", "deviation"))
        for group in groups
        for values in (getattr(group, of).tolist(),)
    )
    return replace(table, rows=(*table.rows, *rows))


def published_scores(scores: Scores) -> tuple[PublishedRow, ...]:
    """Published scores beside the means over queries."""
    return published_rows(scores.benchmark.published, scores.runs, scores.measures, scores.mean())


def with_published_rows(table: ScoreRows, scores: Scores, *, in_data: bool) -> ScoreRows:
    """The table with published scores: those of a run after its rows, those of other methods last.

    Parameters
    ----------
    in_data : in three rows, marked ``published:FILE``, ``difference:FILE`` (published minus computed value) and
        ``agrees:FILE`` (1 where both are equal to the printed digits, else 0); otherwise in a row of the means.
    """
    found = published_scores(scores)
    rows: list[tuple[str | NumberOrNone, ...]] = []
    for run in (*scores.runs, None):
        rows += [row for row in table.rows if row[0] == run]
        for one in found:
            if run != (scores.runs[one.run] if one.run >= 0 else None):
                continue
            if not in_data:
                rows.append((one.title, "", "mean", "", "", *map(finite_or_none, one.values)))
                continue
            name = scores.runs[one.run] if one.run >= 0 else one.name
            agrees = np.where(np.isnan(one.differences), np.nan, one.agrees)
            for mark, values in (("published", one.values), ("difference", one.differences), ("agrees", agrees)):
                kind = f"{mark}:{one.source.replace(' ', '_')}"
                rows.append((name, "", kind, "", "", *map(finite_or_none, values)))
    return replace(table, rows=tuple(rows), published={one.title: one for one in found})


def published_records(scores: Scores) -> list[dict[str, Any]]:
    """Records of published scores for JSON documents."""
    return [
        {
            "source": one.source,
            "name": one.name,
            "run": scores.runs[one.run] if one.run >= 0 else None,
            "values": {
                measure.key: {
                    "value": value,
                    "difference": finite_or_none(one.differences[index]),
                    "agrees": None if math.isnan(one.differences[index]) else bool(one.agrees[index]),
                }
                for index, measure in enumerate(scores.measures)
                if (value := finite_or_none(one.values[index])) is not None
            },
        }
        for one in published_scores(scores)
    ]


def _means(scores: Scores, prefix: str = "") -> list[tuple[str, str, NDArray[np.float64]]]:
    """Content of the columns query and profile, and the means (R, M), of all means of the profile."""
    means = [(f"{prefix}mean", scores.profile.key, scores.mean())]
    if scores.profile.average == "both":
        means.append((f"{prefix}class_mean", scores.profile.key, scores.class_mean()))
    textbook = scores.textbook()
    return means if textbook is None else means + _means(textbook, "textbook_")


def _tie_means(scores: Scores, ties: TieRange | None) -> list[tuple[str, str, NDArray[np.float64]]]:
    """The same for the lowest and highest means over the orders of equal distances."""
    if ties is None:
        return []
    kinds = {"mean": ties.mean()}
    if scores.profile.average == "both":
        kinds["class_mean"] = ties.class_mean()
    ends = enumerate(("lowest", "highest"))
    return [(f"{kind}_{end}", scores.profile.key, means[n]) for n, end in ends for kind, means in kinds.items()]


def query_statuses(scores: Scores, run: int) -> tuple[str, ...]:
    """How each query enters the means of a run, one word each.

    ``answered``: with its values. ``missing_as_empty``: the run has no results for it, and the mean counts an empty
    list, which is 0 for every share. ``missing_left_out``: no results, and it is excluded from the mean.
    ``not_common``: another run has no results, and the profile excludes the query from the means of all.
    ``nothing_relevant``: no relevant models, and it is excluded from the mean; ``nothing_relevant_as_zero`` if the
    profile counts it 0. ``left_out``: the profile excludes the query from every mean. An undefined value of an answered
    query is excluded from the mean of its column, or counts 0 if ``no_relevant`` of the profile is ``"zero"``.
    """
    nothing = scores.hits[run].relevant_size(1) == 0
    rows = zip(scores.excluded, nothing, scores.missing[run], scores.counted[run], strict=True)
    return tuple(_query_status(*map(bool, row)) for row in rows)


def _query_status(left_out: bool, nothing: bool, missing: bool, counted: bool) -> str:
    if left_out:
        return "left_out"
    if nothing:
        return "nothing_relevant_as_zero" if counted else "nothing_relevant"
    if missing:
        return "missing_as_empty" if counted else "missing_left_out"
    return "answered" if counted else "not_common"


def to_json(document: dict[str, Any]) -> str:
    """The document as text with full double precision, one space of indentation, and a final newline.

    Control characters, which terminals execute, are escaped (JSON itself escapes those below 0x20 only).
    """
    return printable_json(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)) + "\n"


def is_count(measure: ResolvedMeasure, values: NDArray[np.float64]) -> bool:
    """Whether the values of a measure are counts, printed without decimals: unbounded and all integral."""
    defined = values[np.isfinite(values)]
    return math.isinf(measure.range[1]) and bool(np.all(defined == np.floor(defined)))


def measure_cells(values: NDArray[np.float64], measure: ResolvedMeasure) -> list[NumberOrNone]:
    """Values of a measure; counts as integers, undefined values as None."""
    counted = is_count(measure, values)
    return [None if not np.isfinite(value) else int(value) if counted else float(value) for value in values]
