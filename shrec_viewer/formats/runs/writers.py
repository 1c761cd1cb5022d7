"""Write runs as rank lists, TREC, tables or matrices (table WRITERS)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TextIO

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, DistanceMatrix, FormatError, Run
from shrec_viewer.formats.core.findings_log import FindingsLog, count_of, join_some
from shrec_viewer.formats.io.atomic import atomic_file, atomic_folder
from shrec_viewer.formats.matrices.interpretation import CLASSIFICATION
from shrec_viewer.formats.runs.written_formats import WrittenFormat


@dataclass(frozen=True, eq=False)
class ExportedList:
    """The list of one query, best first; only models of the collection.

    Attributes
    ----------
    query : index of the query.
    items : (n,) int32.
    distances : (n,) float64, smaller = more similar; None if the run has none.
    unknown : number of ids that are not in the collection.
    """

    query: int
    items: NDArray[np.int32]
    distances: NDArray[np.float64] | None
    unknown: int = 0

    @property
    def rises(self) -> bool:
        """Whether there are distances, all of them numbers in ascending order."""
        distances = self.distances
        return distances is not None and not np.isnan(distances).any() and bool(np.all(distances[1:] >= distances[:-1]))

    def without_duplicates(self) -> "ExportedList":
        """The list with the first occurrence of each model."""
        _, first = np.unique(self.items, return_index=True)
        if len(first) == len(self.items):
            return self
        first_rows = np.sort(first)
        distances = self.distances[first_rows] if self.distances is not None else None
        return ExportedList(self.query, self.items[first_rows], distances, self.unknown)


def exported_lists(run: Run) -> Iterator[ExportedList]:
    """The lists of a run, in the order of the queries.

    A row of a matrix is sorted: equal distances by column, NaN last; similarities are negated.
    """
    ranking = run.ranking
    for query in np.flatnonzero(ranking.present).tolist():
        if isinstance(ranking, DistanceMatrix):
            known = np.flatnonzero(ranking.columns >= 0)
            line = np.asarray(ranking.values[ranking.rows[query]], np.float64)[known]
            line = -line if ranking.similarity else line
            order = np.argsort(line, kind="stable")  # NaN go last
            yield ExportedList(query, ranking.columns[known[order]], line[order])
        else:
            rows = ranking.rows(query)
            items = ranking.items[rows]
            distances = ranking.distances[rows][items >= 0] if ranking.distances is not None else None
            yield ExportedList(query, items[items >= 0], distances, int((items < 0).sum()))


#: Characters that file names cannot contain on some systems.
FORBIDDEN_IN_FILE_NAMES = set('/\\:*?"<>|\0')

WriteRun = Callable[[Run, Benchmark, Path, FindingsLog], None]


@dataclass(frozen=True)
class RunWriter:
    """A format that runs can be written in.

    Attributes
    ----------
    key : value of ``convert --to``.
    label : name in the interface.
    write : writes a run to a path, atomically, with findings about what the format cannot hold. Raises FormatError.
    """

    key: WrittenFormat
    label: str
    write: WriteRun


def write_rank_lists(run: Run, benchmark: Benchmark, path: Path, findings_log: FindingsLog) -> None:
    """Write a new folder with one file per query, lines ``id distance`` or ``id``, best first.

    Distances are exact. A query without list has no file, an empty list an empty one.
    """
    ids, queries = benchmark.collection.ids, benchmark.queries.ids
    _require_valid_ids(path, [name for name in ids if name.split() != [name]], "model", "a blank in it")
    invalid = [
        name for name in queries if set(name) & FORBIDDEN_IN_FILE_NAMES or name.startswith(".") or name != name.strip()
    ]
    _require_valid_ids(path, invalid, "query", "letters in it that a file name cannot have")
    with atomic_folder(path) as draft:
        for found in _logged_lists(run, path, findings_log):
            words = [ids[item] for item in found.items.tolist()]
            if found.distances is not None:
                pairs = zip(words, found.distances.tolist(), strict=True)
                words = [
                    f"{word} {distances!r}" if distances == distances else word + " nan" for word, distances in pairs
                ]
            text = "".join(f"{word}\n" for word in words)
            (draft / queries[found.query]).write_text(text, encoding="utf-8", errors="surrogateescape", newline="")


def _open_text(path: Path) -> TextIO:
    """A text file to write; bytes of ids that are not UTF-8 are written as they are."""
    return path.open("w", encoding="utf-8", errors="surrogateescape", newline="")


def write_trec(run: Run, benchmark: Benchmark, path: Path, findings_log: FindingsLog) -> None:
    """Write a TREC run: ``query Q0 model rank score tag``, with the negative distance as score if that keeps the order.

    If the run has no distances, or they are not in ascending order, the score is the number of models from this one to
    the end of the list, so that evaluators, which sort by score, get the same order.
    """
    ids, queries = benchmark.collection.ids, benchmark.queries.ids
    _require_valid_ids(
        path, [name for name in (*ids, *queries) if name.split() != [name]], "model or query", "a blank in it"
    )
    by_distance = all(found.rises for found in exported_lists(run))
    has_distances = isinstance(run.ranking, DistanceMatrix) or run.ranking.distances is not None
    tag = "_".join(run.name.split()) or "run"
    tied = 0
    empty: list[str] = []
    with atomic_file(path) as draft, _open_text(draft) as stream:
        for found in _logged_lists(run, path, findings_log, "removed, as evaluators reject such runs"):
            name, count = queries[found.query], len(found.items)
            empty += [] if count else [name]
            scores = -found.distances if by_distance and found.distances is not None else np.arange(count, 0.0, -1.0)
            tied += _count_float32_ties(scores)
            for rank, (item, score) in enumerate(zip(found.items.tolist(), scores.tolist(), strict=True), 1):
                stream.write(f"{name} Q0 {ids[item]} {rank} {score + 0.0!r} {tag}\n")
    if has_distances and not by_distance:
        findings_log.warning(path, "some distances not in ascending order", "scores are ranks counted from the end")
    elif not has_distances:
        findings_log.info(path, "the run has no distances", "scores are ranks counted from the end")
    if tied:
        message = f"{count_of(tied, 'score equals', 'scores equal')} the previous one in the precision of evaluators"
        findings_log.warning(path, message, "trec_eval orders them by id, not by line")
    if empty:
        message = f"{count_of(len(empty), 'query has', 'queries have')} an empty list: {join_some(empty)}"
        findings_log.warning(path, message, "not representable in the format: they will count as missing")


def write_submission(run: Run, benchmark: Benchmark, path: Path, findings_log: FindingsLog) -> None:
    """Write a table with one row per query, ``query,model1,...,modelN``, best first, without distances."""
    ids, queries = benchmark.collection.ids, benchmark.queries.ids
    invalid = [name for name in (*ids, *queries) if set(name) & set(',;"\t\r\n') or name != name.strip()]
    _require_valid_ids(path, invalid, "model or query", "a separator in it")
    has_distances = isinstance(run.ranking, DistanceMatrix) or run.ranking.distances is not None
    with atomic_file(path) as draft, _open_text(draft) as stream:
        for found in _logged_lists(run, path, findings_log):
            words = [queries[found.query], *(ids[item] for item in found.items.tolist())]
            stream.write(",".join(words) + "\n")
    if has_distances:
        findings_log.warning(path, "the format has no distances", "only the order is written")


def write_npy(run: Run, benchmark: Benchmark, path: Path, findings_log: FindingsLog) -> None:
    """Write a matrix as `.npy`, exact; see `_write_matrix`."""
    _write_matrix(run, benchmark, path, findings_log, np.save)


def write_text(run: Run, benchmark: Benchmark, path: Path, findings_log: FindingsLog) -> None:
    """Write an ASCII matrix, exact; see `_write_matrix`."""
    _write_matrix(run, benchmark, path, findings_log, _save_text)


def write_binary(run: Run, benchmark: Benchmark, path: Path, findings_log: FindingsLog) -> None:
    """Write a matrix of float32 without header, for Princeton's tools; see `_write_matrix`."""
    values = _write_matrix(run, benchmark, path, findings_log, _save_binary)
    with np.errstate(over="ignore"):
        changed = int((values.astype(np.float32) != values).sum())
    if changed:
        message = f"{count_of(changed, 'distance has', 'distances have')} more digits than float32"
        findings_log.warning(path, message, "rounded, so that different distances can become equal")


def _save_text(stream: BinaryIO, values: NDArray[np.floating]) -> None:
    for row in values:
        stream.write((" ".join(map(repr, row.tolist())) + "\n").encode())


def _save_binary(stream: BinaryIO, values: NDArray[np.floating]) -> None:
    with np.errstate(over="ignore"):
        held = values.astype("<f4")
    if not np.isfinite(held).all():
        raise ValueError("not representable in the format: models that are not in a list, queries without list")
    stream.write(held.tobytes())


def _write_matrix(
    run: Run,
    benchmark: Benchmark,
    path: Path,
    findings_log: FindingsLog,
    save: Callable[[BinaryIO, NDArray[np.floating]], None],
) -> NDArray[np.floating]:
    """Write a matrix of queries times models in the benchmark's order, and return it.

    The values are distances if they give the order of the lists, else ranks from 1. Models that are not in a list
    are at infinity; a query without list is a row of NaN, a model without distances a column of NaN.
    """
    n_queries, n_models = len(benchmark.queries), len(benchmark.collection)
    ranking = run.ranking
    with atomic_file(path) as draft:
        if isinstance(ranking, DistanceMatrix):
            values = _dense_matrix(ranking, n_models)
            n_incomplete = 0
            values = -values if ranking.similarity else values
            _log_common(run, 0, path, findings_log)
            if absent := np.setdiff1d(np.arange(n_models), ranking.columns).tolist():
                names = join_some([benchmark.collection.ids[model] for model in absent])
                message = f"{count_of(len(absent), 'model has', 'models have')} no distance in the run: {names}"
                findings_log.warning(path, message, "columns of NaN, which are read as models that the run lacks")
        else:
            values, n_incomplete = _matrix_of_lists(run, n_queries, n_models, path, findings_log)
        with draft.open("wb") as stream:
            try:
                save(stream, values)
            except ValueError as error:
                raise FormatError(path, f"cannot be written: {error}") from error
    if n_incomplete:
        message = f"{count_of(n_incomplete, 'list names', 'lists name')} fewer than all models"
        findings_log.warning(path, message, "the others are at infinity, and thus retrieved last")
    missing = [name for name, there in zip(benchmark.queries.ids, run.present.tolist(), strict=True) if not there]
    if missing:
        message = f"{count_of(len(missing), 'query has', 'queries have')} no list: {join_some(missing)}"
        findings_log.warning(path, message, "rows of NaN, which are read as queries without list")
    size = f"{n_queries:,} x {n_models:,}"
    message = f"matrix of {size}, rows and columns in the order of the benchmark"
    setting = FindingsLog(path.parent).setting("order", CLASSIFICATION, path)
    findings_log.info(path, message, "to read it in this order", setting=setting)
    return values


#: All formats that runs can be written in.
WRITERS: tuple[RunWriter, ...] = (
    RunWriter("trec", "TREC run", write_trec),
    RunWriter("ranklist", "Folder of rank lists", write_rank_lists),
    RunWriter("npy", "NumPy matrix", write_npy),
    RunWriter("text", "ASCII matrix", write_text),
    RunWriter("matrix", "Binary matrix", write_binary),
    RunWriter("submission", "Submission in one table", write_submission),
)


def _dense_matrix(matrix: DistanceMatrix, n_models: int) -> NDArray[np.floating]:
    """(Q, N) in the type of the matrix; NaN for queries and models that are not in it."""
    values = np.full((len(matrix.rows), n_models), np.nan, matrix.values.dtype.newbyteorder("="))
    known = np.flatnonzero(matrix.columns >= 0)
    for query in np.flatnonzero(matrix.rows >= 0).tolist():
        values[query, matrix.columns[known]] = np.asarray(matrix.values[matrix.rows[query]])[known]
    return values


def _matrix_of_lists(
    run: Run, n_queries: int, n_models: int, path: Path, findings_log: FindingsLog
) -> tuple[NDArray[np.float64], int]:
    """(Q, N) of distances or ranks, and the number of incomplete lists."""
    values = np.full((n_queries, n_models), np.nan)
    by_distance = all(_distances_give_order(found.without_duplicates()) for found in exported_lists(run))
    n_incomplete = 0
    for found in _logged_lists(run, path, findings_log, "first occurrence used"):
        n_incomplete += len(found.items) < n_models
        line = found.distances if by_distance and found.distances is not None else np.arange(1.0, len(found.items) + 1)
        values[found.query] = np.inf
        values[found.query, found.items] = line
    if not by_distance:
        findings_log.info(path, "the distances do not give the order of the lists", "ranks are written instead")
    return values, n_incomplete


def _distances_give_order(found: ExportedList) -> bool:
    """Whether sorting by distance, then by index in the collection, reproduces the list."""
    distances, items = found.distances, found.items
    if distances is None or not found.rises:
        return False
    same = distances[1:] == distances[:-1]
    return bool(np.all(items[1:][same] > items[:-1][same]))


def _count_float32_ties(scores: NDArray[np.float64]) -> int:
    """Number of scores that equal the previous one in float32, the precision of trec_eval."""
    with np.errstate(over="ignore"):
        held = scores.astype(np.float32)
    return int((held[1:] == held[:-1]).sum())


def _logged_lists(run: Run, path: Path, findings_log: FindingsLog, action: str = "") -> Iterator[ExportedList]:
    """The lists of a run, without repeated models if there is an `action` about them; then findings about all."""
    unknown = again = 0
    for given in exported_lists(run):
        found = given.without_duplicates() if action else given
        unknown, again = unknown + given.unknown, again + len(given.items) - len(found.items)
        yield found
    _log_common(run, unknown, path, findings_log)
    if again:
        findings_log.warning(path, f"{count_of(again, 'duplicate model')} in lists", action)


def _log_common(run: Run, unknown: int, path: Path, findings_log: FindingsLog) -> None:
    if unknown:
        message = f"{count_of(unknown, 'id')} not in the collection"
        findings_log.warning(path, message, "removed")
    ranking = run.ranking
    if isinstance(ranking, DistanceMatrix) and ranking.similarity:
        findings_log.info(path, "similarities in the run", "negated")


def _require_valid_ids(path: Path, invalid: list[str], item_name: str, problem: str) -> None:
    if invalid:
        raise FormatError(path, f"the {item_name} '{invalid[0]}' has {problem}, so the format cannot hold it")
