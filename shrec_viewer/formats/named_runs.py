"""Matrices with ids as runs: the ids say which row is which query, and which column which model."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import DistanceMatrix
from shrec_viewer.formats.context import Context
from shrec_viewer.formats.conventions import MISSING
from shrec_viewer.formats.journal import count_of, some
from shrec_viewer.formats.list_findings import note_query_rules, note_rules
from shrec_viewer.formats.matrix import MatrixFile
from shrec_viewer.formats.matrix_runs import placed_matrix, read_matrix_run
from shrec_viewer.formats.named_matrix import NamedMatrix
from shrec_viewer.formats.naming import IdIndex, Rules
from shrec_viewer.formats.orders import Order
from shrec_viewer.formats.reader import never
from shrec_viewer.formats.reading import UNSAID, Reading

KNOWN_SHARE = 0.5
"""Share of the words of a side that must be ids for the matrix to be one of this benchmark."""


def knows(file: NamedMatrix, context: Context) -> bool:
    """Whether most words of its columns are models, or of its rows queries, where only these are named.

    Words that only count must all be ids, to the letter.
    """
    words, index = (file.columns, context.items) if file.columns else (file.rows, context.query_ids)
    if file.are_counted:
        return index.share(words, exact=True) == 1.0
    return index.share(words) >= KNOWN_SHARE


def is_named_run(file: NamedMatrix, context: Context) -> bool:
    """Whether it is a run, or has the shape of one; features of models are told, tables of scores are passed over."""
    shape = (len(context.queries), len(context.collection))
    if not knows(file, context) and not knows(turned(file), context):
        return file.values.shape == shape
    if file.columns or file.values.shape[1] == shape[1]:
        return True
    message = f"its rows are queries, but it has {file.values.shape[1]:,} columns for {shape[1]:,} models"
    context.journal.warning(file.path, message, "taken for features, not distances; passed over")
    return False


def turned(file: NamedMatrix) -> NamedMatrix:
    """The matrix with its rows as columns."""
    return replace(file, values=file.values.T, rows=file.columns, columns=file.rows)


def read_named_run(
    file: NamedMatrix, context: Context, reading: Reading = UNSAID, cancelled: Callable[[], bool] = never
) -> DistanceMatrix | None:
    """A matrix placed by its ids; None, and an error finding, where they are not those of the benchmark.

    Words that only count are left away where they are no ids; so they are where the person says the order.
    """
    if reading.order is not None or (file.are_counted and not knows(file, context)):
        if file.rows or file.columns:
            context.journal.info(file.path, "the first line or column only counts, or the order is told", "left away")
        return read_matrix_run(
            MatrixFile(file.path, file.values, file.kind, file.findings), context, reading, cancelled
        )
    context.journal.extend(file.findings)
    if not knows(file, context) and file.rows and file.columns and knows(turned(file), context):
        context.journal.warning(file.path, "its rows are models and its columns are queries", "read transposed")
        file = turned(file)
    if not knows(file, context):
        context.journal.error(file.path, unknown_words(file, context), "the run is left out")
        return None
    columns = _columns(file, context)
    rows = _rows(file, context, columns)
    if columns is None or rows is None:
        return None
    if not np.any(rows >= 0):
        message = f"none of its rows is a query{context.no_query(file.rows)}"
        context.journal.error(file.path, message, "the run is left out")
        return None
    said = " and ".join(side for side, words in (("columns", file.columns), ("rows", file.rows)) if words)
    size = f"matrix of {file.values.shape[0]:,} x {file.values.shape[1]:,}"
    context.journal.info(file.path, size, f"its ids say what its {said} are")
    _note_absent(file.path, rows, columns, context)
    order = Order("ids", said, rows, columns)
    return placed_matrix(file, file.values, order, context, reading.similarity, cancelled)


def _note_absent(path: Path, rows: NDArray[np.int32], columns: NDArray[np.int32], context: Context) -> None:
    """Queries without a row, and models without a column: one finding each."""
    answered = set(rows.tolist())
    missing = [name for query, name in enumerate(context.queries.ids) if query not in answered]
    if missing:
        message = f"{count_of(len(missing), 'query has', 'queries have')} no list: {some(missing)}"
        context.journal.warning(path, message, MISSING)
    there = set(columns.tolist())
    absent = [name for place, name in enumerate(context.collection.ids) if place not in there]
    if absent:
        message = f"{count_of(len(absent), 'model has', 'models have')} no column: {some(absent)}"
        context.journal.info(path, message, "models not listed count as not retrieved")


def unknown_words(file: NamedMatrix, context: Context) -> str:
    """What its ids are, and what they should be."""
    if file.columns:
        side, noun, words, known = "columns", "model", file.columns, context.collection.ids
    else:
        side, noun, words, known = "rows", "query", file.rows, context.queries.ids
    message = f"its {side} are named '{words[0]}' to '{words[-1]}'"
    return f"{message}, but '{known[0]}' is a {noun} here" if known else message


def _columns(file: NamedMatrix, context: Context) -> NDArray[np.int32] | None:
    """Model of each column: by its word; without words as the rows where those are models, else in order."""
    count = file.values.shape[1]
    if file.columns:
        rules: Rules = {}
        places = _placed(file.path, file.columns, context.items, "column", "model", rules, context)
        note_rules(file.path, rules, context, count)
        return places
    if file.values.shape[0] == count:
        found = context.items.places(file.rows)
        if np.all(found >= 0) and len(np.unique(found)) == count:
            context.journal.info(file.path, "only the rows are named", "the columns are taken to be in the same order")
            return found
    if count == len(context.collection):
        action = f"taken to be in the order of {context.listing}"
        context.journal.warning(file.path, "only the rows are named, not the columns", action)
        return np.arange(count, dtype=np.int32)
    message = f"only the rows are named, and there are {count:,} columns for {len(context.collection):,} models"
    context.journal.error(file.path, message, "the run is left out")
    return None


def _rows(file: NamedMatrix, context: Context, columns: NDArray[np.int32] | None) -> NDArray[np.int32] | None:
    """Query of each row, likewise."""
    count = len(file.values)
    if columns is None:
        return None
    if file.rows:
        note_query_rules(file.path, file.rows, context)
        return _placed(file.path, file.rows, context.query_ids, "row", "query", {}, context)
    journal = context.journal
    if context.queries.are_the_collection and count == len(columns):
        place = np.full(len(context.collection) + 1, -1, np.int32)
        place[context.queries.member] = np.arange(len(context.queries), dtype=np.int32)
        journal.info(file.path, "only the columns are named", "the rows are taken to be in the same order")
        return place[columns]
    if count == len(context.queries):
        journal.warning(
            file.path, "only the columns are named, not the rows", "taken to be in the order of the queries"
        )
        return np.arange(count, dtype=np.int32)
    message = f"only the columns are named, and there are {count:,} rows for {len(context.queries):,} queries"
    journal.error(file.path, message, "the run is left out")
    return None


def _placed(
    path: Path, words: Sequence[str], index: IdIndex, side: str, noun: str, rules: Rules, context: Context
) -> NDArray[np.int32]:
    """What each word means, the first time; unknown and repeated ones are findings and mean nothing."""
    places = index.places(words, rules)
    unknown = [word for word, place in zip(words, places.tolist(), strict=True) if place < 0]
    if unknown:
        message = f"{count_of(len(unknown), f'{side} is', f'{side}s are')} of no {noun} here: {some(unknown)}"
        context.journal.warning(path, message, "left out")
    _, first = np.unique(places, return_index=True)
    again = np.ones(len(places), bool)
    again[first] = False
    again &= places >= 0
    if again.any():
        names = [words[place] for place in np.flatnonzero(again).tolist()]
        message = f"{count_of(len(names), f'{side} has', f'{side}s have')} the id of another: {some(names)}"
        context.journal.error(path, message, "the first one counts")
        places[again] = -1
    return places
