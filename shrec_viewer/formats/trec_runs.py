"""TREC runs as ranked lists: ordered by score, ties in file order."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import RankedLists
from shrec_viewer.formats.context import Context
from shrec_viewer.formats.journal import count_of, some
from shrec_viewer.formats.list_checks import QueryList
from shrec_viewer.formats.list_findings import (
    answer_of,
    note_faults,
    note_lengths,
    note_missing,
    note_rules,
    note_tied,
    ranked_lists,
)
from shrec_viewer.formats.naming import EXACT, Rules
from shrec_viewer.formats.trec import TrecFile


def read_trec_run(file: TrecFile, context: Context, similarity: bool | None = None) -> RankedLists | None:
    """Ranked lists of a TREC run; None, and an error finding, where it answers no query.

    Distances are the negative scores. Models whose score is no number go to the end, in file order.

    Parameters
    ----------
    similarity : False where the person says that smaller scores are nearer, against the format.
    """
    path, journal = file.path, context.journal
    if similarity is False:
        file = replace(file, scores=-file.scores)
    journal.extend(file.findings)
    rules: Rules = {}
    items = _items(file, context, rules)
    queries = _queries(file, context)
    if not np.any(queries >= 0) or not np.any(items[queries >= 0] >= 0):
        what = "queries is a query" if not np.any(queries >= 0) else "ids is a model of the collection"
        journal.error(path, f"none of its {what}", "the run is left out")
        return None
    ordered = "ordered by score, not by line or rank"
    if similarity is False:
        ordered += "; the smallest first, as told"
    journal.info(path, f"TREC run with tag {some(file.tags)}", ordered)
    note_rules(path, rules, context)
    order = np.lexsort((-file.scores, queries))  # stable: equal scores stay in file order, NaN go last
    order = order[queries[order] >= 0]
    _note_order(file, queries, order, context)
    answers = {}
    for rows in np.split(order, np.flatnonzero(np.diff(queries[order])) + 1):
        words = [file.models[model] for model in file.model[rows].tolist()]
        values = ["nan" if score else "" for score in np.isnan(file.scores[rows])]
        found = QueryList(path, words, items[rows], -file.scores[rows], values, file.lines[rows])
        answers[int(queries[rows[0]])] = answer_of(found)
    note_faults(path, answers, context)
    note_tied(path, answers, context, lines_decide=False)
    note_missing(path, answers, context)
    note_lengths(path, answers, context)
    return ranked_lists(answers, len(context.queries), by_score=True)


def _items(file: TrecFile, context: Context, rules: Rules) -> NDArray[np.int32]:
    """Model of each line, (n,) int32, -1 for unknown ones; `rules` counts lines."""
    counts = np.bincount(file.model, minlength=len(file.models)).tolist()
    for name, count in zip(file.models, counts, strict=True):
        rule = context.items.match(name).rule
        if rule != EXACT:
            before, first = rules.get(rule, (0, name))
            rules[rule] = (before + count, first)
    return context.items.places(file.models)[file.model]


def _queries(file: TrecFile, context: Context) -> NDArray[np.int32]:
    """Query of each line, (n,) int32, -1 for unknown ones (one finding)."""
    place = np.array([context.query_ids.place(name) for name in file.queries], np.int32)
    queries = place[file.query]
    unknown = [name for name, query in zip(file.queries, place.tolist(), strict=True) if query < 0]
    if unknown and len(unknown) < len(place):
        line = int(file.lines[np.flatnonzero(queries < 0)[0]])
        message = f"{count_of(len(unknown), 'unknown query', 'unknown queries')}: {some(unknown)}"
        context.journal.warning(file.path, message, "left out", line=line)
    return queries


def _note_order(file: TrecFile, queries: NDArray[np.int32], order: NDArray[np.int64], context: Context) -> None:
    """Lines or ranks that say something else than the scores: one finding each, with its first line."""
    by_line = order[np.lexsort((order, queries[order]))]
    out_of_place = np.flatnonzero(by_line != order)
    if len(out_of_place):
        line = int(file.lines[by_line[out_of_place[0]]])
        message = "the lines are not in the order of the scores"
        context.journal.warning(file.path, message, "the scores count", line=line, count=len(out_of_place))
    same_query = queries[order][1:] == queries[order][:-1]
    better = file.scores[order][:-1] > file.scores[order][1:]
    wrong = np.flatnonzero(same_query & better & (file.ranks[order][1:] <= file.ranks[order][:-1]))
    if len(wrong):
        line = int(file.lines[order[wrong[0] + 1]])
        message = "the rank column is not in the order of the scores"
        context.journal.warning(file.path, message, "the scores count", line=line, count=len(wrong))
