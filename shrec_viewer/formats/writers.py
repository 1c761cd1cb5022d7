"""Runs to files: rank lists, TREC and NumPy; what a format cannot say becomes a finding."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, DistanceMatrix, FormatError, Run
from shrec_viewer.formats.answers import WrittenList, lists_of
from shrec_viewer.formats.atomic import new_file, new_folder
from shrec_viewer.formats.hints import order_hint
from shrec_viewer.formats.journal import Journal, count_of, some
from shrec_viewer.formats.orders import CLASSIFICATION

FORBIDDEN = set('/\\:*?"<>|\0')
"""Letters that no file name has on some system; lists are exchanged between systems."""

Write = Callable[[Run, Benchmark, Path, Journal], None]


@dataclass(frozen=True)
class Writer:
    """One format that runs can be written in.

    Attributes
    ----------
    key : what ``convert --to`` calls it.
    label : what a person calls it.
    write : writes a run to a path, complete or not at all; notes what the format cannot say. Raises FormatError.
    """

    key: str
    label: str
    write: Write


def write_rank_lists(run: Run, benchmark: Benchmark, path: Path, journal: Journal) -> None:
    """A new folder with a file for each query, named as the query, lines ``id distance`` or ``id``, best first.

    Distances keep every bit. A query that the run leaves out has no file, an empty list an empty one.
    """
    ids, queries = benchmark.collection.ids, benchmark.queries.ids
    _check_words(path, [name for name in ids if name.split() != [name]], "model", "a blank in it")
    odd = [name for name in queries if set(name) & FORBIDDEN or name.startswith(".") or name != name.strip()]
    _check_words(path, odd, "query", "letters in it that a file name cannot have")
    unknown = 0
    with new_folder(path) as draft:
        for found in lists_of(run):
            unknown += found.unknown
            words = [ids[item] for item in found.items.tolist()]
            if found.distances is not None:
                pairs = zip(words, found.distances.tolist(), strict=True)
                words = [f"{word} {far!r}" if far == far else word + " nan" for word, far in pairs]
            text = "".join(f"{word}\n" for word in words)
            (draft / queries[found.query]).write_text(text, encoding="utf-8", newline="")
    _note_common(run, unknown, path, journal)


def write_trec(run: Run, benchmark: Benchmark, path: Path, journal: Journal) -> None:
    """A TREC run: ``query Q0 model rank score tag``, the score the negative distance where that keeps the order.

    Where the run has no distances, or its distances do not rise from line to line, the score is the number of models
    from this one to the end of the list, so that evaluators, who sort by score, see the lines in their order.
    """
    ids, queries = benchmark.collection.ids, benchmark.queries.ids
    _check_words(path, [name for name in (*ids, *queries) if name.split() != [name]], "model or query", "a blank in it")
    by_distance = all(found.rises for found in lists_of(run))
    has_distances = isinstance(run.ranking, DistanceMatrix) or run.ranking.distances is not None
    tag = "_".join(run.name.split()) or "run"
    unknown = again = tied = 0
    empty: list[str] = []
    with new_file(path) as draft, draft.open("w", encoding="utf-8", newline="") as stream:
        for given in lists_of(run):
            found = given.once_each()
            unknown, again = unknown + given.unknown, again + len(given.items) - len(found.items)
            name, count = queries[found.query], len(found.items)
            empty += [] if count else [name]
            scores = -found.distances if by_distance and found.distances is not None else np.arange(count, 0.0, -1.0)
            tied += _ties(scores)
            for rank, (item, score) in enumerate(zip(found.items.tolist(), scores.tolist(), strict=True), 1):
                stream.write(f"{name} Q0 {ids[item]} {rank} {score + 0.0!r} {tag}\n")
    _note_common(run, unknown, path, journal)
    if again:
        message = f"{count_of(again, 'model stands', 'models stand')} in a list a second time"
        journal.warning(path, message, "left out: evaluators refuse such runs")
    if has_distances and not by_distance:
        journal.warning(path, "some distances do not rise from line to line", "scores are places counted from the end")
    elif not has_distances:
        journal.info(path, "the run has no distances", "scores are places counted from the end")
    if tied:
        message = f"{count_of(tied, 'score equals', 'scores equal')} the one before in the precision of evaluators"
        journal.warning(path, message, "trec_eval orders them by id, not as they stand")
    if empty:
        message = f"{count_of(len(empty), 'query has', 'queries have')} an empty list: {some(empty)}"
        journal.warning(path, message, "the format cannot say so: they will count as missing")


def write_submission(run: Run, benchmark: Benchmark, path: Path, journal: Journal) -> None:
    """A table with a row for each query, ``query,model1,...,modelN``, best first; it has no place for distances."""
    ids, queries = benchmark.collection.ids, benchmark.queries.ids
    odd = [name for name in (*ids, *queries) if set(name) & set(',;"\t\r\n') or name != name.strip()]
    _check_words(path, odd, "model or query", "a separator in it")
    unknown, has_distances = 0, isinstance(run.ranking, DistanceMatrix) or run.ranking.distances is not None
    with new_file(path) as draft, draft.open("w", encoding="utf-8", newline="") as stream:
        for found in lists_of(run):
            unknown += found.unknown
            words = [queries[found.query], *(ids[item] for item in found.items.tolist())]
            stream.write(",".join(words) + "\n")
    _note_common(run, unknown, path, journal)
    if has_distances:
        journal.warning(path, "the format has no distances", "only the order is written")


def write_npy(run: Run, benchmark: Benchmark, path: Path, journal: Journal) -> None:
    """A matrix as NumPy's `.npy`, to the last bit; see `_write_matrix`."""
    _write_matrix(run, benchmark, path, journal, np.save)


def write_text(run: Run, benchmark: Benchmark, path: Path, journal: Journal) -> None:
    """An ASCII matrix, digits enough for every bit; see `_write_matrix`."""
    _write_matrix(run, benchmark, path, journal, _save_text)


def write_binary(run: Run, benchmark: Benchmark, path: Path, journal: Journal) -> None:
    """A matrix of float32 without header, as Princeton's tools read it; see `_write_matrix`."""
    values = _write_matrix(run, benchmark, path, journal, _save_binary)
    with np.errstate(over="ignore"):
        changed = int((values.astype(np.float32) != values).sum())
    if changed:
        message = f"{count_of(changed, 'distance has', 'distances have')} more digits than float32 holds"
        journal.warning(path, message, "rounded: some that differed may be equal now")


def _save_text(stream: BinaryIO, values: NDArray[np.floating]) -> None:
    for row in values:
        stream.write((" ".join(map(repr, row.tolist())) + "\n").encode())


def _save_binary(stream: BinaryIO, values: NDArray[np.floating]) -> None:
    with np.errstate(over="ignore"):
        held = values.astype("<f4")
    if not np.isfinite(held).all():
        raise ValueError("the format cannot say that a model is not in a list, or a query without one")
    stream.write(held.tobytes())


def _write_matrix(
    run: Run, benchmark: Benchmark, path: Path, journal: Journal, save: Callable[[BinaryIO, NDArray[np.floating]], None]
) -> NDArray[np.floating]:
    """A matrix of queries times models in the benchmark's order, smaller being nearer; answers what was written.

    Distances where they give the lists' order, else ranks from 1. What a list does not name is infinitely far; a query
    that the run leaves out is a row of NaN.
    """
    n_queries, n_models = len(benchmark.queries), len(benchmark.collection)
    ranking = run.ranking
    with new_file(path) as draft:
        if isinstance(ranking, DistanceMatrix):
            values = _dense(ranking, n_models)
            unlisted = 0
            values = -values if ranking.similarity else values
            _note_common(run, 0, path, journal)
        else:
            values, unlisted = _of_lists(run, n_queries, n_models, path, journal)
        with draft.open("wb") as stream:
            try:
                save(stream, values)
            except ValueError as error:
                raise FormatError(path, f"cannot be written: {error}") from error
    if unlisted:
        message = f"{count_of(unlisted, 'list names', 'lists name')} not all models"
        journal.warning(path, message, "the others are infinitely far, and so retrieved after all")
    missing = [name for name, there in zip(benchmark.queries.ids, run.present.tolist(), strict=True) if not there]
    if missing:
        message = f"{count_of(len(missing), 'query has', 'queries have')} no list: {some(missing)}"
        journal.warning(path, message, "a matrix cannot say so: rows of NaN")
    size = f"{n_queries:,} x {n_models:,}"
    message = f"matrix of {size}, rows and columns in the order of the benchmark"
    journal.info(path, message, f"to have it read so: {order_hint(path.name, CLASSIFICATION)}")
    return values


WRITERS: tuple[Writer, ...] = (
    Writer("trec", "TREC run", write_trec),
    Writer("ranklist", "Folder of rank lists", write_rank_lists),
    Writer("npy", "NumPy matrix", write_npy),
    Writer("text", "ASCII matrix", write_text),
    Writer("matrix", "Binary matrix", write_binary),
    Writer("submission", "Submission in one table", write_submission),
)
"""Every format that runs can be written in."""


def _dense(matrix: DistanceMatrix, n_models: int) -> NDArray[np.floating]:
    """(Q, N) in the type of the matrix; NaN for queries and models that it leaves out."""
    values = np.full((len(matrix.rows), n_models), np.nan, matrix.values.dtype.newbyteorder("="))
    known = np.flatnonzero(matrix.columns >= 0)
    for query in np.flatnonzero(matrix.rows >= 0).tolist():
        values[query, matrix.columns[known]] = np.asarray(matrix.values[matrix.rows[query]])[known]
    return values


def _of_lists(run: Run, n_queries: int, n_models: int, path: Path, journal: Journal) -> tuple[NDArray[np.float64], int]:
    """(Q, N) of distances or ranks, and how many lists are not complete."""
    values = np.full((n_queries, n_models), np.nan)
    by_distance = all(_orders_alike(found.once_each()) for found in lists_of(run))
    unlisted = unknown = again = 0
    for given in lists_of(run):
        found = given.once_each()
        unknown, again = unknown + given.unknown, again + len(given.items) - len(found.items)
        unlisted += len(found.items) < n_models
        line = found.distances if by_distance and found.distances is not None else np.arange(1.0, len(found.items) + 1)
        values[found.query] = np.inf
        values[found.query, found.items] = line
    _note_common(run, unknown, path, journal)
    if again:
        message = f"{count_of(again, 'model stands', 'models stand')} in a list a second time"
        journal.warning(path, message, "the first place counts")
    if not by_distance:
        journal.info(path, "the distances do not give the order of the lists", "ranks are written instead")
    return values, unlisted


def _orders_alike(found: WrittenList) -> bool:
    """Whether sorting by distance, equal ones by place in the collection, gives the list again."""
    far, items = found.distances, found.items
    if far is None or not found.rises:
        return False
    same = far[1:] == far[:-1]
    return bool(np.all(items[1:][same] > items[:-1][same]))


def _ties(scores: NDArray[np.float64]) -> int:
    """Scores that equal the one before once they are float32, as trec_eval holds them."""
    with np.errstate(over="ignore"):
        held = scores.astype(np.float32)
    return int((held[1:] == held[:-1]).sum())


def _note_common(run: Run, unknown: int, path: Path, journal: Journal) -> None:
    if unknown:
        message = f"{count_of(unknown, 'entry names', 'entries name')} no model of the collection"
        journal.warning(path, message, "left out")
    ranking = run.ranking
    if isinstance(ranking, DistanceMatrix) and ranking.similarity:
        journal.info(path, "larger was nearer in the run", "the negatives are written, so that smaller is")


def _check_words(path: Path, odd: list[str], noun: str, why: str) -> None:
    if odd:
        raise FormatError(path, f"the {noun} '{odd[0]}' has {why}, so the format cannot hold it")
