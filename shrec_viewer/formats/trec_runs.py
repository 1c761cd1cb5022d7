"""TREC runs as ranked lists: ordered by score, ties in file order."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import overload

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Cancelled, RankedLists
from shrec_viewer.formats.context import Context
from shrec_viewer.formats.hints import direction_hint
from shrec_viewer.formats.journal import Journal, count_of, some
from shrec_viewer.formats.list_checks import QueryList
from shrec_viewer.formats.list_findings import (
    Answer,
    answer_of,
    note_faults,
    note_lengths,
    note_missing,
    note_query_rules,
    note_rules,
    note_tied,
    ranked_lists,
)
from shrec_viewer.formats.naming import EXACT, Rules
from shrec_viewer.formats.reader import never
from shrec_viewer.formats.trec import TrecFile
from shrec_viewer.formats.zero_based import ZeroSigns

PIECE = 2**20
"""Lines that are compared with their neighbours in one go: 40 MB."""


def read_trec_run(
    file: TrecFile, context: Context, similarity: bool | None = None, cancelled: Callable[[], bool] = never
) -> RankedLists | None:
    """Ranked lists of a TREC run; None, and an error finding, where it answers no query.

    Distances are the negative scores. Models whose score is no number go to the end, in file order.

    Parameters
    ----------
    similarity : whether larger scores are nearer, as the person says; None: as the file or the format does.
    cancelled : asked for each query.
    """
    path, journal = file.path, context.journal
    is_smaller = file.nearer == "smaller" if similarity is None else not similarity
    if is_smaller:
        file = replace(file, scores=-file.scores)
    journal.extend(file.findings)
    signs = ZeroSigns(context.items)
    if signs.is_possible:
        places = context.items.places(file.models)
        signs.meet(file.models[place] for place in np.flatnonzero(places < 0).tolist())
        if (index := signs.shifted([places], fewest=1)) is not None:
            signs.note(path, context, noun="models")
            context = replace(context, items=index)
    rules: Rules = {}
    items = _items(file, context, rules)
    queries = _queries(file, context)
    if not np.any(queries >= 0) or not np.any(items[queries >= 0] >= 0):
        what = f"ids is a model of the collection{context.no_model(file.models)}"
        if not np.any(queries >= 0):
            what = f"queries is known{context.no_query(file.queries)}"
        journal.error(path, f"none of its {what}", "the run is left out")
        return None
    _note_order_of(file, similarity, is_smaller, journal)
    note_rules(path, rules, context, len(file.lines))
    note_query_rules(path, file.queries, context)
    answers: dict[int, Answer] = {}
    for query, rows in _rows_of_queries(file, queries, context):
        if cancelled():
            raise Cancelled
        scores = file.scores[rows]
        words = _Words(file.models, file.model[rows])
        values = ["nan" if score else "" for score in np.isnan(scores)] if np.isnan(scores).any() else ()
        answers[query] = answer_of(QueryList(path, words, items[rows], -scores, values, file.lines[rows]))
    del items, queries
    note_faults(path, answers, context)
    note_tied(path, answers, context, lines_decide=False)
    note_missing(path, answers, context)
    note_lengths(path, answers, context)
    return ranked_lists(dict(sorted(answers.items())), len(context.queries), by_score=True)


def _note_order_of(file: TrecFile, similarity: bool | None, is_smaller: bool, journal: Journal) -> None:
    """What it is, and which numbers come first."""
    if not file.title:
        ordered = "ordered by score, not by line or rank" + ("; the smallest first, as told" if is_smaller else "")
        journal.info(file.path, f"TREC run with tag {some(file.tags)}", ordered)
        return
    ordered = f"ordered by their numbers, the {'smallest' if is_smaller else 'largest'} first"
    if similarity is None and not file.is_told:
        hint = direction_hint(journal.place(file.path), similarity=is_smaller)
        other = "larger" if is_smaller else "smaller"
        journal.warning(
            file.path, f"{file.title}; nothing names the numbers", f"{ordered}; if {other} is nearer: {hint}"
        )
    else:
        journal.info(file.path, file.title, ordered)


class _Words(Sequence[str]):
    """Ids of some lines, each made when it is asked for: only faults are told with words."""

    def __init__(self, names: Sequence[str], codes: NDArray[np.int32]) -> None:
        self._names = names
        self._codes = codes

    def __len__(self) -> int:
        return len(self._codes)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return _Words(self._names, self._codes[place])
        return self._names[self._codes[place]]


Rows = slice | NDArray[np.int64]


def _rows_of_queries(file: TrecFile, queries: NDArray[np.int32], context: Context) -> Iterator[tuple[int, Rows]]:
    """Lines of each known query, best first: equal scores in file order, NaN last; findings where that is not so."""
    if _is_in_order(file):
        starts = np.flatnonzero(np.diff(file.query, prepend=-1, append=-1))
        groups = queries[starts[:-1]].tolist()
        if len({query for query in groups if query >= 0}) == sum(query >= 0 for query in groups):
            for query, (start, end) in zip(groups, pairwise(starts.tolist()), strict=True):
                if query >= 0:
                    yield query, slice(start, end)
            return
    order = np.lexsort((-file.scores, queries))  # stable: equal scores stay in file order, NaN go last
    order = order[queries[order] >= 0]
    if not file.title:  # the rows of a table need no order
        _note_order(file, queries, order, context)
    for rows in np.split(order, np.flatnonzero(np.diff(queries[order])) + 1):
        yield int(queries[rows[0]]), rows


def _is_in_order(file: TrecFile) -> bool:
    """Whether the lines of each query stand together, their scores never rise, and their ranks do; looked at in pieces.

    Most runs of most programs are so, and then millions of lines need not be sorted.
    """
    n_groups = 1
    for start in range(0, len(file.lines), PIECE):
        piece = slice(start, start + PIECE + 1)
        same = file.query[piece][1:] == file.query[piece][:-1]
        scores, ranks = file.scores[piece], file.ranks[piece]
        rises = ~(scores[1:] <= scores[:-1])  # NaN, too
        wrong_rank = (scores[1:] < scores[:-1]) & (ranks[1:] <= ranks[:-1])
        if np.any(same & (rises | wrong_rank)) or np.isnan(scores).any():
            return False
        n_groups += int((~same).sum())
    return n_groups == len(file.queries)


def _items(file: TrecFile, context: Context, rules: Rules) -> NDArray[np.int32]:
    """Model of each line, (n,) int32, -1 for unknown ones; `rules` counts lines."""
    exact = context.items.exact
    loose = [place for place, name in enumerate(file.models) if name not in exact]
    counts = np.bincount(file.model, minlength=len(file.models)) if loose else np.zeros(0, np.int64)
    for place in loose:
        rule = context.items.match(file.models[place]).rule
        if rule != EXACT:
            before, first = rules.get(rule, (0, file.models[place]))
            rules[rule] = (before + int(counts[place]), first)
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
