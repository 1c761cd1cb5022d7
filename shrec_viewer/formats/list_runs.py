"""Runs that are folders of rank lists, in the order of the benchmark's queries."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from shrec_viewer.domain import FormatError, RankedLists
from shrec_viewer.formats.context import Context
from shrec_viewer.formats.journal import count_of, some
from shrec_viewer.formats.list_findings import (
    FEW,
    Lists,
    QueryList,
    are_similarities,
    note_faults,
    note_lengths,
    note_missing,
)
from shrec_viewer.formats.naming import AMBIGUOUS, IdIndex
from shrec_viewer.formats.rank_list import RankListFile, id_column, read_rank_list
from shrec_viewer.formats.reader import ReadingCancelled
from shrec_viewer.formats.survey import Found
from shrec_viewer.formats.trec import numbers

SAMPLED_LISTS = 3
"""Lists of a run from which its column order is told: one may be faulty."""


def read_list_run(
    run: Path, files: Sequence[Found], context: Context, cancelled: Callable[[], bool], similarity: bool | None = None
) -> RankedLists | None:
    """Ranked lists of a folder; None, and an error finding, where no file answers a query.

    The order of the lines is the ranking. Unknown and repeated ids stay where they stand: the profile decides.

    Parameters
    ----------
    run : the folder.
    files : its files.
    similarity : whether larger is nearer, if the person says; else told from the lists.
    """
    raw = _read_files(run, files, context, cancelled)
    if not raw:
        context.journal.error(run, "no file in it is named after a query", "the run is left out")
        return None
    column, why = _column(list(raw.values()), context.items)
    rules: dict[str, list[str]] = {}
    lists = {query: _understand(found, query, column, context, rules) for query, found in raw.items()}
    if not _is_known(run, lists, context):
        return None
    _note_dialect(run, raw, lists, column, why, context)
    note_rules(run, rules, context)
    _note_names(lists, context)
    negative = are_similarities(lists) if similarity is None else similarity
    if negative:
        action = "read as similarities: their negatives are the distances"
        context.journal.info(run, "the numbers fall from line to line", action)
    note_faults(run, lists, context, check_order=not negative)
    note_missing(run, lists, context)
    note_lengths(run, lists, context)
    return ranked_lists(lists, len(context.queries), negative=negative)


def _read_files(
    run: Path, files: Sequence[Found], context: Context, cancelled: Callable[[], bool]
) -> dict[int, RankListFile]:
    raw: dict[int, RankListFile] = {}
    strays = []
    for found in files:
        if cancelled():
            raise ReadingCancelled
        query = context.query_ids.place(found.path.name)
        if query < 0:
            if found.kind == "rank_list":
                strays.append(found.path.name)
        elif query in raw:
            message = f"a second list for '{context.queries.ids[query]}'"
            context.journal.warning(found.path, message, f"'{raw[query].path.name}' counts")
        else:
            try:
                raw[query] = read_rank_list(found.path)
            except FormatError as error:
                context.journal.failed(error, "the query counts as missing")
    if strays and raw:
        message = f"{count_of(len(strays), 'list is', 'lists are')} named after no query: {some(strays)}"
        context.journal.warning(run, message, "left out")
    return dict(sorted(raw.items()))


def _column(lists: Sequence[RankListFile], items: IdIndex) -> tuple[int, str]:
    pairs = [found for found in lists if len(found.columns) == 2 and len(found)]
    if not pairs:
        return 0, ""
    sampled = pairs[:: max(1, len(pairs) // SAMPLED_LISTS)][:SAMPLED_LISTS]
    exact = partial(items.share, exact=True)
    is_exact = any(exact(column) for found in sampled for column in found.columns)
    return id_column(sampled, exact if is_exact else items.share)


def _understand(
    found: RankListFile, query: int, column: int, context: Context, rules: dict[str, list[str]]
) -> QueryList:
    """Words to models and numbers; the first line goes where it is the name of the query."""
    name, words, lines = found.first, found.columns[0], found.lines
    values: Sequence[str] = ()
    if len(found.columns) == 2:
        words, values = found.columns[column], found.columns[1 - column]
    elif len(words) and _is_name(words, query, context):
        name, words, lines = words[0], words[1:], lines[1:]
    distances = numbers(list(values)) if len(found.columns) == 2 else None
    items = context.items.places(words, rules)
    return QueryList(found.path, words, items, distances, values, lines, name, found.blank, found.comments, found.odd)


def _is_name(words: Sequence[str], query: int, context: Context) -> bool:
    """Whether the first of a list of bare ids is the name of a query.

    Where the query is a model itself, its own id may well be the first answer; it is a name where it comes again.
    """
    meant = context.query_ids.place(words[0])
    if context.items.place(words[0]) < 0:
        return meant >= 0
    return meant == query and words[0] in words[1:]


def _is_known(run: Path, lists: Lists, context: Context) -> bool:
    filled = [found for found in lists.values() if len(found.words)]
    if any(np.any(found.items >= 0) for found in filled) or not filled:
        return True
    message = f"none of its ids is a model of the collection, '{filled[0].words[0]}' for one"
    context.journal.error(run, message, "the run is left out")
    return False


def _note_dialect(
    run: Path, raw: dict[int, RankListFile], lists: Lists, column: int, why: str, context: Context
) -> None:
    two = any(len(found.columns) == 2 for found in raw.values())
    dialect = ("'id distance'", "'distance id'")[column] if two else "'id'"
    if any(found.commas for found in raw.values()):
        dialect += " with commas"
    reason = f", because {why}" if why else ""
    named = sum(found.name is not None for found in lists.values())
    first = ", first line the query's name" if 2 * named > len(lists) else ""
    message = f"{count_of(len(lists), 'rank list')}, lines {dialect}{reason}{first}"
    context.journal.info(run, message, "the order of the lines is the ranking")
    crlf = sum(found.crlf for found in raw.values())
    if crlf:
        message = f"{count_of(crlf, 'list has', 'lists have')} CR LF line ends"
        context.journal.info(run, message, "they mean nothing")


def note_rules(run: Path, rules: dict[str, list[str]], context: Context) -> None:
    """Ids that are not written as in the collection: one finding for each rule."""
    for rule, words in rules.items():
        if rule == AMBIGUOUS:
            message = f"'{words[0]}' may mean several models"
            context.journal.error(run, message, "read as an unknown id", count=len(words))
        else:
            model = context.collection.ids[context.items.place(words[0])]
            message = f"ids match {rule}: '{words[0]}' is '{model}'"
            context.journal.info(run, message, "read so", count=len(words))


def _note_names(lists: Lists, context: Context) -> None:
    """First lines that name another query, or that only some lists have."""
    named = [found for found in lists.values() if found.name is not None]
    for query, found in lists.items():
        if found.name is not None and context.query_ids.place(found.name) != query:
            message = f"the first line '{found.name}' is not the query that the file is named after"
            context.journal.warning(found.path, message, "the name of the file counts", line=1)
    bare = [found for found in lists.values() if found.name is None and len(found.words)]
    if not named or not bare:
        return
    message = "lacks the query's name, which other lists have in the first line"
    if len(bare) > len(named):
        message = "the first line is the query's name, which other lists do not have"
    odd = min(named, bare, key=len)
    for place, found in enumerate(odd[:FEW]):
        count = 1 if place + 1 < FEW else len(odd) - place
        context.journal.warning(found.path, message, "the ranks begin with the first id", line=1, count=count)


def ranked_lists(lists: Lists, n_queries: int, *, negative: bool = False, by_score: bool = False) -> RankedLists:
    """Lists of some queries as one record; queries without a list are not present.

    `negative`: the numbers are similarities, their negatives become the distances.
    """
    present = np.zeros(n_queries, bool)
    present[list(lists)] = True
    lengths = np.zeros(n_queries, np.int64)
    lengths[list(lists)] = [len(found.items) for found in lists.values()]
    items = [found.items for found in lists.values()]
    has_distances = any(found.distances is not None for found in lists.values())
    distances = None
    if has_distances:
        parts = [np.full(len(f.items), np.nan) if f.distances is None else f.distances for f in lists.values()]
        distances = np.concatenate(parts) * (-1.0 if negative else 1.0)
    return RankedLists(
        np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
        np.concatenate(items) if items else np.zeros(0, np.int32),
        distances,
        present,
        by_score,
    )
