"""Scores as documents and rows: the JSON that scripts rely on, and tables for people and spreadsheets."""

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from shrec_viewer import __version__
from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.scores import Scores

SCHEMA = "shrec-viewer/scores/1"
"""Name and version of the document; a change that breaks a reader raises the number."""

Number = float | None


@dataclass(frozen=True)
class Table:
    """Rows under a header; a cell is text, a number, or None for undefined."""

    header: tuple[str, ...]
    rows: tuple[tuple[str | Number, ...], ...]


def scores_document(
    scores: Scores, benchmark: Benchmark, *, per_query: bool = False, curves: bool = False
) -> dict[str, Any]:
    """The document of ``evaluate --format json``: plain dicts, lists, strings and numbers, None for NaN.

    Parameters
    ----------
    per_query : adds ``queries`` to every run.
    curves : adds ``curves`` to every run: the means of the profile's curves.
    """
    return {
        "schema": SCHEMA,
        "version": __version__,
        "benchmark": benchmark.name,
        "profile": scores.profile.key,
        "measures": [
            {
                "key": measure.key,
                "label": measure.label,
                "better": measure.better,
                "range": [_number(end) for end in measure.range],
                "source": measure.source,
            }
            for measure in scores.measures
        ],
        "runs": [_run(scores, run, per_query, curves) for run in range(len(scores.runs))],
        "findings": [
            {
                "severity": str(finding.severity),
                "file": finding.file,
                "line": finding.line,
                "message": finding.message,
                "action": finding.action,
            }
            for finding in benchmark.findings
        ],
    }


def _run(scores: Scores, run: int, per_query: bool, curves: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "name": scores.runs[run],
        "participant": scores.participants[run],
        "mean": _by_key(scores, scores.mean()[run]),
        "class_mean": _by_key(scores, scores.class_mean()[run]),
        "missing_queries": [scores.queries[query] for query in np.flatnonzero(scores.missing[run])],
    }
    if per_query:
        document["queries"] = {
            name: _by_key(scores, scores.values[run, query]) for query, name in enumerate(scores.queries)
        }
    if curves:
        document["curves"] = {key: _curve(scores, key, run) for key in scores.profile.curves}
    return document


def _curve(scores: Scores, key: str, run: int) -> dict[str, list[Number]]:
    curve = scores.curve(key, run, None)
    return {"x": [_number(x) for x in curve.x], "y": [_number(y) for y in curve.y]}


def _by_key(scores: Scores, values: np.ndarray) -> dict[str, Number]:
    return {measure.key: _number(value) for measure, value in zip(scores.measures, values, strict=True)}


def _number(value: float) -> Number:
    return float(value) if math.isfinite(value) else None


def scores_rows(scores: Scores, *, per_query: bool = False) -> Table:
    """Means of every run, and with `per_query` all queries above them.

    Columns are run, participant, query and one a measure. In the column query, ``mean`` marks the mean over queries and
    ``class mean`` the mean over classes, which stands there where the profile shows both.
    """
    header = ("run", "participant", "query", *(measure.key for measure in scores.measures))
    rows: list[tuple[str | Number, ...]] = []
    means, class_means = scores.mean(), scores.class_mean()
    for run, (name, participant) in enumerate(zip(scores.runs, scores.participants, strict=True)):
        if per_query:
            for query, query_id in enumerate(scores.queries):
                rows.append((name, participant, query_id, *map(_number, scores.values[run, query])))
        rows.append((name, participant, "mean", *map(_number, means[run])))
        if scores.profile.average == "both" and not np.all(np.isnan(class_means[run])):
            rows.append((name, participant, "class mean", *map(_number, class_means[run])))
    return Table(header, tuple(rows))


def to_json(document: dict[str, Any]) -> str:
    """The document as text with full double precision, one space of indentation, and a final newline."""
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
