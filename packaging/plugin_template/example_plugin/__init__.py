"""Rows for the tables of the SHREC Viewer; `pyproject.toml` names them."""

import json

import numpy as np

from shrec_viewer.plugins import Curve, CurveValues, Measure, Profile, ranked_list_reader


def worst_rank(hits, profile, level, cutoff):
    """(Q,) float64: rank of the last relevant model; NaN if one is missing in the list, or if there is none."""
    values = np.full(len(hits), np.nan)
    found = hits.at_least(level)
    is_last = found.number == hits.relevant_size(level)[found.query]
    values[found.query[is_last]] = found.ranks[is_last] / hits.collection_size[found.query[is_last]]
    return values


WORST_RANK = Measure(
    name="WorstRank",
    label="Worst rank",
    better="lower",
    range=(0.0, 1.0),
    definition="Rank of the last relevant model, in parts of the collection.",
    formula="max_k p_k / D",
    source="example plug-in",
    function=worst_rank,
)


def found_by_rank(hits, profile, points):
    """(Q, points): 1 from the rank of the first relevant model on, else 0."""
    ranks = np.arange(1.0, points + 1.0)
    found = hits.at_least(1)
    first = np.full(len(hits), np.inf)
    is_first = found.number == 1
    first[found.query[is_first]] = found.ranks[is_first]
    return CurveValues(ranks, (first[:, None] <= ranks).astype(float))


FOUND = Curve(
    key="example-plugin.Found",
    label="Queries with a relevant model",
    x_label="Rank",
    y_label="Share of queries",
    x_range=None,
    y_range=(0.0, 1.0),
    definition="Share of the queries with a relevant model in the first ranks.",
    source="example plug-in",
    function=found_by_rank,
    x="rank",
)

PROFILE = Profile(
    key="example-plugin.contest",
    title="Example contest",
    source="example plug-in",
    description="Conventions of the example; fields that are not given are those of the default profile.",
    measures=("AP", "NN", "WorstRank"),
    headline="AP",
    curves=("PR", "example-plugin.Found"),
)


def is_jsonl(data, name):
    """Whether the first bytes of a file are those of the format."""
    return data.startswith(b'{"query"')


def read_jsonl(path):
    """One line per query: {"query": "Q01", "results": ["m17", "m42"]}, best first."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    return {row["query"]: row["results"] for row in rows}


JSONL = ranked_list_reader("example-plugin.jsonl", "JSON lines", is_jsonl, read_jsonl, suffixes=(".jsonl",))
