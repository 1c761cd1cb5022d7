"""Arrays, frames and dictionaries in memory as the records that readers of files return."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.api.messages import shown
from shrec_viewer.domain import (
    Assessment,
    Benchmark,
    ClassAssessment,
    Classification,
    Collection,
    DistanceMatrix,
    FilePaths,
    NumberedIds,
    Queries,
    RankedLists,
    Run,
    ShrecViewerError,
    places_of,
)
from shrec_viewer.domain.benchmark import ROOT
from shrec_viewer.formats.core.findings_log import JUNK, JUNK_ACTION, FindingsLog, RunIgnoredError, count_of
from shrec_viewer.formats.core.ids import IdIndex
from shrec_viewer.formats.core.read_choices import MATRIX_ORDERS, METRICS, OTHER_METRIC_NAMES, VECTOR_CELLS
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.core.reader import ParsedRun
from shrec_viewer.formats.core.run_checks import settle_queries
from shrec_viewer.formats.discovery.assessment import assessment_from_qrels, log_queries_without_relevant
from shrec_viewer.formats.discovery.chance import log_chance
from shrec_viewer.formats.discovery.file_matching import query_kind
from shrec_viewer.formats.io.progress import never_cancelled
from shrec_viewer.formats.matrices.interpretation import DISTANCE_CELLS
from shrec_viewer.formats.matrices.matrix import MatrixFile, NamedArray
from shrec_viewer.formats.matrices.matrix_runs import interpret_matrix
from shrec_viewer.formats.runs.listed_run import ListedRun, listed_run, rank_listed_run
from shrec_viewer.formats.truth.qrels import JUNK_LEVEL, MAX_LEVEL, QrelsFile, qrels_of_pairs
from shrec_viewer.metrics.measures.measure import suggestion

#: Columns of a table of pairs: query, model, and level, rank or score.
PAIR_COLUMNS = 3


def ids_of(values: Any, what: str) -> Sequence[str]:
    """Distinct ids as texts; numbers are written without decimals. Those of a range are made when they are accessed.

    Raises
    ------
    ShrecViewerError
        If they are no sequence of texts or whole numbers, or one is repeated.
    """
    if isinstance(values, Mapping) or not _is_sequence(values):
        raise ShrecViewerError(f"the ids of the {what} are {_kind(values)}; give a list such as ['m1', 'm2']")
    is_numbered = isinstance(values, range) and min(*values[:1], *values[-1:], 0, 0) == 0
    ids: Sequence[str] = NumberedIds(values) if is_numbered else tuple(map(_id, _array(values)))
    if not ids:
        raise ShrecViewerError(f"there are no {what}; give their ids, such as ['m1', 'm2']")
    if len(places_of(ids)) < len(ids):
        name = next(name for name, count in Counter(ids).items() if count > 1)
        first = ids.index(name)
        second = ids.index(name, first + 1)
        raise ShrecViewerError(f"the id '{name}' of the {what} is repeated, in places {first} and {second}")
    return ids


def require_values(given: Mapping[str, Any]) -> None:
    """Raise an error for a lazy frame of polars, which holds no rows.

    Parameters
    ----------
    given : values by the name of their argument.
    """
    for name, values in given.items():
        if hasattr(values, "collect") and hasattr(values, "collect_schema"):
            raise ShrecViewerError(f"{name} are a lazy frame, which holds no rows yet; give {name}=frame.collect()")


def _is_sequence(values: Any) -> bool:
    """Whether values have an order and one axis: no text, set, table or matrix."""
    return _has_items(values) and not isinstance(values, Set) and len(getattr(values, "shape", "1")) == 1


def _has_items(values: Any) -> bool:
    """Whether values can be iterated, and are no text; arrays without an axis cannot."""
    return isinstance(values, Iterable) and not isinstance(values, str | bytes) and getattr(values, "shape", "1") != ()


def _array(values: Any) -> Any:
    """A tensor of torch as an array, wherever it is and whether it records gradients or not; others as they are."""
    if not hasattr(values, "detach"):
        return values
    return (values.float() if str(values.dtype) == "torch.bfloat16" else values).numpy(force=True)


def _number(value: Any) -> Any:
    """A number of numpy or torch as that of Python; others as they are."""
    return value.item() if hasattr(value, "item") and not getattr(value, "ndim", 0) else value


def _id(value: Any) -> str:
    if isinstance(value, str):  # first, as there may be millions
        return str(value)
    value = _number(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise ShrecViewerError(f"an id is a text or a whole number, not {shown(value)}")


def classes_of(labels: Any, n_models: int, what: str = "models") -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """(n,) int32 classes and their names, in the order of their first members; -1 for None, NaN and "".

    Raises
    ------
    ShrecViewerError
        If there are not `n_models` labels, or one is no text or number.
    """
    if not _is_sequence(labels):
        raise ShrecViewerError(f"classes are {_kind(labels)}; give a list with the class of each of the {what}")
    labels = _array(labels)
    labels = labels if isinstance(labels, np.ndarray | Sequence) else list(labels)
    if len(labels) != n_models:
        found = count_of(len(labels), "class", "classes")
        raise ShrecViewerError(f"{found} for {n_models:,} {what}; give the class of each, None for none")
    names: dict[str, int] = {}
    distinct, place = _distinct(labels)
    numbers = [-1 if _is_none(label) else names.setdefault(_class(label), len(names)) for label in distinct]
    return np.array(numbers, np.int32)[place], tuple(names)


def _distinct(labels: Sequence[Any] | NDArray[Any]) -> tuple[Iterable[Any], NDArray[np.intp]]:
    """Distinct labels in the order of their first members, and the index of each label in them.

    In a list with numbers of several types every label is its own: 1, 1.0 and True are equal, but different classes.
    """
    if type(labels) is np.ndarray and labels.dtype != object:
        values, first, place = np.unique(labels, return_index=True, return_inverse=True)
        order = np.argsort(first)
        return values[order], np.argsort(order)[place]
    if {*map(type, labels)} <= {str, int, type(None)}:
        index = {label: number for number, label in enumerate(dict.fromkeys(labels))}
        return [*index], np.fromiter(map(index.__getitem__, labels), np.intp, len(labels))
    return labels, np.arange(len(labels))


def _is_none(label: Any) -> bool:
    if label is None or type(label).__name__ == "NAType":  # of pandas, whose comparisons are not bool
        return True
    if isinstance(label, Iterable):
        return isinstance(label, str) and not label
    return bool(label != label)  # NaN


def _class(label: Any) -> str:
    label = label if isinstance(label, np.generic) else _number(label)  # float32 is written as short as it is
    if isinstance(label, bytes) or (isinstance(label, Iterable) and not isinstance(label, str)):
        raise ShrecViewerError(f"a class is a text or a number, not {shown(label)}")
    return str(label)


def qrels_of(qrels: Any) -> QrelsFile:
    """Relevance levels of ``{query: {model: level}}``, ``{query: [models]}``, a frame or rows of query, model, level.

    Raises
    ------
    ShrecViewerError
        If they are in another form, or a level is no whole number from 0 to 255, or -1 for junk.
    """
    pairs: dict[tuple[str, str], tuple[int, int]] = {}
    queries: dict[str, int] = {}
    for line, (query, model, level) in enumerate(_pairs(qrels, "qrels", "level", default=1), 1):
        if not isinstance(level, int | float) or not np.isfinite(level) or int(level) != level:
            raise ShrecViewerError(f"the level of '{model}' for '{query}' is {shown(level)}, not a whole number")
        if not JUNK_LEVEL <= level <= MAX_LEVEL:
            raise ShrecViewerError(
                f"the level {int(level)} of '{model}' for '{query}' is not from {JUNK_LEVEL} to {MAX_LEVEL}"
            )
        if (first := pairs.setdefault((query, model), (int(level), line))[0]) != level:
            raise ShrecViewerError(f"'{model}' has two levels for '{query}': {first} and {int(level)}")
        queries.setdefault(query, len(queries))
    if isinstance(qrels, Mapping):
        queries = {name: index for index, name in enumerate(map(_id, qrels))}
    if not queries:
        raise ShrecViewerError("qrels hold no query; give {query: {model: level}}")
    return qrels_of_pairs(Path("qrels"), pairs, queries, ())


def _pairs(values: Any, what: str, number: str, default: Any) -> Iterable[tuple[str, str, Any]]:
    """Query, model and number of each pair."""
    if isinstance(values, Mapping):
        for query, models in values.items():
            if not _has_items(models):
                raise ShrecViewerError(
                    f"{what} of '{query}' are {_kind(models)}; give {{model: {number}}} or a list of models"
                )
            for model in models:
                yield _id(query), _id(model), _number(models[model]) if isinstance(models, Mapping) else default
        return
    rows = values
    if hasattr(values, "columns"):  # a frame; its numbers of several types would be of one type in an array
        named = [name for name in ("query", "model", number) if name in values.columns]
        of_columns = (values[name].to_list() for name in (named if len(named) == PAIR_COLUMNS else values.columns))
        rows = zip(*of_columns, strict=True)
    if not _has_items(rows):
        raise ShrecViewerError(
            f"{what} are {_kind(values)}; give {{query: {{model: {number}}}}} or rows (query, model, {number})"
        )
    for row in rows:
        cells = list(row) if _has_items(row) else []
        if len(cells) not in (2, PAIR_COLUMNS):
            raise ShrecViewerError(
                f"{shown(row)} is no row of {what}, which are (query, model, {number}); or give {{query: [models]}}"
            )
        yield _id(cells[0]), _id(cells[1]), _number(cells[2]) if len(cells) == PAIR_COLUMNS else default


#: Names of types of numpy that are no real numbers, by their `kind`.
KINDS = {"U": "texts", "S": "texts", "c": "complex numbers", "M": "dates", "m": "times"}


def matrix_of(values: Any, what: str) -> NDArray[Any]:
    """A matrix of real numbers of anything with `__array__`, a sparse matrix, a frame or nested lists.

    Raises
    ------
    ShrecViewerError
        If it is none.
    """
    if hasattr(values, "toarray"):  # scipy.sparse
        if what == "distances":
            raise ShrecViewerError(
                "a sparse matrix is 0 where nothing is stored, which as a distance is the nearest; give similarities= "
                "instead, or distances=matrix.toarray() if the zeros are distances"
            )
        values = values.toarray()
    if isinstance(values, Mapping | Set | Iterator | str | bytes):
        hint = f", or path={shown(values)} for a file" if isinstance(values, str) else ""
        raise ShrecViewerError(f"{what} are {_kind(values)}; give a matrix of real numbers{hint}")
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    try:
        found = np.asarray(_array(values))
        if found.dtype == object:
            found = found.astype(np.float64)
    except (ValueError, TypeError, RuntimeError) as error:  # RuntimeError of tensors without values
        rows = values if isinstance(values, list | tuple) else ()
        lengths = {len(row) if _has_items(row) and hasattr(row, "__len__") else 1 for row in rows}
        fault = f"rows have {min(lengths)} to {max(lengths)} cells" if len(lengths) > 1 else error
        raise ShrecViewerError(f"{what} are no matrix of numbers: {fault}") from None
    if found.dtype.kind not in "fiub":
        kind = KINDS.get(found.dtype.kind, str(found.dtype))
        raise ShrecViewerError(f"{what} are {kind}; give a matrix of real numbers")
    if found.ndim != 2:
        in_row = f"{found.size:,} numbers in one row" if found.ndim else "a single number"
        shape = " x ".join(map(str, found.shape)) if found.ndim > 1 else in_row
        raise ShrecViewerError(f"{what} are {shape}, not a matrix with a row for each query")
    for length, axis in zip(found.shape, ("rows", "columns"), strict=True):
        if not length:
            raise ShrecViewerError(f"{what} have no {axis}")
    return found if found.dtype.kind == "f" and found.itemsize >= 4 else found.astype(np.float64)


def matrix_run(
    name: str, values: Any, queries: Sequence[str], models: Sequence[str], *, similarity: bool
) -> tuple[ParsedRun, ReadOptions]:
    """A matrix in the order of the ids (Q,) and (N,), or in that of the labels of a frame."""
    matrix = matrix_of(values, "similarities" if similarity else "distances")
    options = ReadOptions(similarity=similarity, cells=DISTANCE_CELLS)
    if hasattr(values, "index") and hasattr(values, "columns") and not callable(values.index):  # a frame of pandas
        rows, columns = _labels(values.index, queries), _labels(values.columns, models)
        return MatrixFile(Path(name), matrix, "npy", (), rows, columns), options
    labels = list(getattr(values, "columns", ()))
    if len(labels) == len(models) and set(labels) == set(models):  # a frame of polars
        matrix = matrix[:, [labels.index(model) for model in models]]
    if matrix.shape != (len(queries), len(models)):
        found, expected = (f"{rows:,} x {columns:,}" for rows, columns in (matrix.shape, (len(queries), len(models))))
        hint = "; it may be the transpose, matrix.T" if matrix.shape == (len(models), len(queries)) else ""
        raise ShrecViewerError(f"a matrix of {found}, but {expected} is expected (queries x models){hint}")
    return MatrixFile(Path(name), matrix, "npy"), replace(options, order=MATRIX_ORDERS[0])


def _labels(axis: Iterable[Any], ids: Sequence[str]) -> tuple[str, ...]:
    """Ids on an axis of a frame; where it only numbers as many rows or columns, those of the contest in their order."""
    found = tuple(map(str, axis))
    is_numbered = len(found) == len(ids) and found == tuple(map(str, range(len(found))))
    return tuple(ids) if is_numbered and set(found) != set(ids) else found


def vector_run(
    name: str, vectors: Any, metric: str | None, queries: Sequence[str], models: Sequence[str]
) -> tuple[ParsedRun, ReadOptions]:
    """Vectors (n, d) of a collection that queries itself, or a pair of those of the queries and of the models."""
    metric = OTHER_METRIC_NAMES.get(metric, metric) if isinstance(metric, str) else metric
    if metric is not None and metric not in METRICS:
        raise ShrecViewerError(f"there is no metric {shown(metric)}{suggestion(str(metric), METRICS)}")
    options = ReadOptions(cells=VECTOR_CELLS, metric=metric or METRICS[0], order=MATRIX_ORDERS[0])
    if not isinstance(vectors, tuple | list) or len(vectors) != 2 or np.ndim(vectors[0]) != 2:
        matrix = matrix_of(vectors, "vectors")
        if queries != models and len(matrix) != len(queries) + len(models):
            pair = f"(those of the {len(queries):,} queries, those of the {len(models):,} models)"
            raise ShrecViewerError(f"{len(matrix):,} vectors, but the queries are not the models; give a pair {pair}")
        return MatrixFile(Path(name), matrix, "npy"), options
    parts = [matrix_of(one, f"vectors of the {what}") for one, what in zip(vectors, ("queries", "models"), strict=True)]
    if parts[0].shape[1] != parts[1].shape[1]:
        lengths = " and ".join(f"{part.shape[1]:,}" for part in parts)
        raise ShrecViewerError(f"the vectors of queries and models have {lengths} dimensions; both need as many")
    arrays = tuple(NamedArray(what, part) for part, what in zip(parts, ("queries", "models"), strict=True))
    return MatrixFile(Path(name), parts[1], "npy", arrays=arrays), options


def list_run(name: str, rankings: Any, queries: Sequence[str], models: Sequence[str]) -> tuple[ParsedRun, ReadOptions]:
    """Ranked lists of ``{query: [models]}``, best first, or scores of ``{query: {model: score}}`` or rows of these.

    Parameters
    ----------
    queries, models : ids, for rankings that are an array (Q, K) of numbers of models.
    """
    path = Path(name)
    rankings = _array(rankings)
    if isinstance(rankings, np.ndarray) and rankings.ndim == 2 and rankings.dtype.kind == "f":
        raise ShrecViewerError(
            f"rankings are numbers of models, not {rankings.dtype}; give whole numbers, or distances= or similarities="
        )
    if isinstance(rankings, np.ndarray) and rankings.ndim == 2 and rankings.dtype.kind in "iu":
        rankings = rankings.astype(np.int64)
        if len(rankings) != len(queries):
            raise ShrecViewerError(f"{len(rankings):,} rankings for {len(queries):,} queries; give a row for each")
        if rankings.max(initial=-1) >= len(models) or rankings.min(initial=0) < -1:
            raise ShrecViewerError(f"a number of a model is not from 0 to {len(models) - 1:,}, or -1 for none")
        lists = ([models[number] for number in row if number >= 0] for row in rankings.tolist())
        rankings = dict(zip(queries, lists, strict=True))
    if isinstance(rankings, Mapping | list | tuple) and not rankings:
        raise ShrecViewerError("rankings are empty; give {query: [models]}, best first")
    kinds = {isinstance(models, Mapping) for models in rankings.values()} if isinstance(rankings, Mapping) else set()
    if len(kinds) > 1:
        raise ShrecViewerError("rankings are lists for some queries and scores for others; give one of both")
    if kinds == {False}:
        names = [*map(_id, rankings)]
        found = [_models_of(query, ranked) for query, ranked in zip(names, rankings.values(), strict=True)]
        at = np.repeat(np.arange(1, len(names) + 1), list(map(len, found)))
        of_query, of_model = [names[line - 1] for line in at.tolist()], [*chain.from_iterable(found)]
        list_lines = {name: line for line, name in enumerate(names, 1)}
        return listed_run(path, of_query, of_model, (), at, title="lists of", list_lines=list_lines), ReadOptions()
    rows = list(_pairs(rankings, "rankings", "score", default=None))
    if not isinstance(rankings, Mapping) and rows and all(score is None for _, _, score in rows):
        raise ShrecViewerError("rows of rankings are (query, model, score); without scores, give {query: [models]}")
    numbers = [score for _, _, score in rows]
    if not rows or any(not isinstance(one, int | float) for one in numbers):
        wrong = next((shown(one) for one in numbers if not isinstance(one, int | float)), "nothing")
        hint = "" if isinstance(rankings, Mapping) else "; lists without scores are {query: [models]}"
        raise ShrecViewerError(f"a score of the rankings is {wrong}, not a number, of which the largest is first{hint}")
    title = f"scores of {len({query for query, _, _ in rows}):,} queries"
    queries, models = [query for query, _, _ in rows], [model for _, model, _ in rows]
    return listed_run(path, queries, models, numbers, range(1, len(rows) + 1), (), title, "larger"), ReadOptions()


def _models_of(query: str, models: Any) -> tuple[str, ...]:
    if not _is_sequence(models):
        raise ShrecViewerError(f"the ranking of '{query}' is {_kind(models)}; give a list of models, best first")
    return tuple(map(_id, _array(models)))


def file_paths(files: Any, ids: Sequence[str], what: str, log: FindingsLog) -> FilePaths:
    """Mesh or image of each id, of ``{id: path}`` or a list; those that do not exist are a finding."""
    if files is None:
        return FilePaths((), len(ids))
    if isinstance(files, Mapping):
        known = {_id(key): path for key, path in files.items()}
        unknown = [key for key in known if key not in set(ids)]
        if unknown:
            raise ShrecViewerError(f"there is no id '{unknown[0]}' among the {what}{suggestion(unknown[0], ids)}")
        paths = [known.get(name) for name in ids]
    elif not _is_sequence(files):
        raise ShrecViewerError(f"files of the {what} are {_kind(files)}; give {{id: path}}, or a path for each")
    else:
        paths = list(files)
    if len(paths) != len(ids):
        raise ShrecViewerError(
            f"{count_of(len(paths), 'file')} for {len(ids):,} {what}; give one of each, None for none"
        )
    if wrong := [path for path in paths if not isinstance(path, str | PathLike | None)]:
        raise ShrecViewerError(f"a file of the {what} is a path, not {shown(wrong[0])}")
    found = [None if path is None else Path(path).absolute() for path in paths]
    if absent := [path for path in found if path is not None and not path.exists()]:
        message = f"{count_of(len(absent), 'file')} of the {what} not found, the first '{absent[0]}'"
        log.warning(Path("files"), message, "shown without a picture")
    return FilePaths(found)


def _kind(value: Any) -> str:
    """What a value is, for messages."""
    if hasattr(value, "columns"):
        return "a table, of which one column is needed, such as frame['id']"
    if len(shape := getattr(value, "shape", ())) > 1:
        return " x ".join(map(str, shape))
    return shown(value) if isinstance(value, str) else f"of type {type(value).__name__}"


def ranked_run(name: str, parsed: ParsedRun, options: ReadOptions, context: ReadContext) -> Run:
    """A run in memory as files are read, with the same findings.

    Raises
    ------
    ShrecViewerError
        With the finding that says why it cannot be used.
    """
    path = parsed.path
    ranking: RankedLists | DistanceMatrix | None = None
    with suppress(RunIgnoredError):
        if isinstance(parsed, MatrixFile):
            ranking = interpret_matrix(parsed, context, options)[0]
        else:
            assert isinstance(parsed, ListedRun)
            ranking = rank_listed_run(parsed, context, options)
        ranking = None if ranking is None else settle_queries(path, ranking, context, options, never_cancelled)
    if ranking is None:
        raise ShrecViewerError(f"{context.findings_log.findings[-1].message} (run '{name}')")
    log_chance(path, ranking, context, options)
    return Run(name, "", path, ranking)


def benchmark_of(
    name: str,
    log: FindingsLog,
    classes: Any,
    models: Any,
    queries: Any,
    query_classes: Any,
    qrels: Any,
    files: Any,
    query_files: Any,
) -> Benchmark:
    """A benchmark without runs; parameters as of `Contest`, and the log for findings about relevance and files."""
    require_values(
        {"classes": classes, "models": models, "queries": queries, "query_classes": query_classes, "qrels": qrels}
    )
    if isinstance(classes, Mapping):
        models = list(classes) if models is None else models
        by_id = {_id(key): label for key, label in classes.items()}
        classes = [by_id.get(_id(model)) for model in models]
    if models is None and classes is None:
        ids_of_all = "Contest(models=ids)" if qrels is None else "Contest(models=ids, qrels=levels)"
        raise ShrecViewerError(f"give the class of each model, Contest(classes=labels), or their ids, {ids_of_all}")
    if models is None:
        if not _is_sequence(classes) or not hasattr(classes, "__len__"):
            raise ShrecViewerError(f"classes are {_kind(classes)}; give a list with the class of each of the models")
        models = range(len(classes))
    ids = ids_of(models, "models")
    labels, names = np.full(len(ids), -1, np.int32), tuple[str, ...]()
    if classes is not None:
        labels, names = classes_of(classes, len(ids))
    file = None if qrels is None else qrels_of(qrels)
    query_ids = ids if file is None else file.queries
    query_ids = query_ids if queries is None else ids_of(queries, "queries")
    items = IdIndex(ids)
    member = np.array([items.exact.get(query, -1) for query in query_ids], np.int32)
    query_labels = np.where(member >= 0, labels[member], -1).astype(np.int32)
    if query_classes is not None:
        if queries is None and qrels is None and np.shape(query_classes)[:1] != (len(query_ids),):
            raise ShrecViewerError("query_classes= need queries=, their ids; without them each model is a query")
        own, known = classes_of(query_classes, len(query_ids), "queries")
        if unknown := [label for label in known if label not in names]:
            raise ShrecViewerError(
                f"the class '{unknown[0]}' of a query is no class of a model{suggestion(unknown[0], names)}"
            )
        query_labels = np.array([names.index(known[label]) if label >= 0 else -1 for label in own], np.int32)
    paths = file_paths(files, ids, "models", log)
    of_members = [paths[row] if row >= 0 else None for row in member.tolist()]
    given = file_paths(query_files, query_ids, "queries", log)
    query_paths = [path or own_path for path, own_path in zip(given, of_members, strict=True)]
    kinds = tuple(map(query_kind, query_paths))
    tree = Classification(labels, names, np.full(len(names), ROOT, np.int32)) if names else None
    assessment: Assessment | None = None
    if file is not None:
        assessment = assessment_from_qrels(file, items, IdIndex(query_ids), log)
        if unknown := [query for query in file.queries if query not in set(query_ids)]:
            log.warning(file.path, f"'{unknown[0]}' is no query", "left out", count=len(unknown))
        if assessment.has_junk:
            log.warning(file.path, "a level is -1", JUNK_ACTION, key=JUNK)
    elif tree is not None and np.any(query_labels >= 0):
        assessment = ClassAssessment(tree, query_labels)
    if classes is not None and assessment is None:
        log.warning(
            Path("relevance"), "no query has a class", "runs cannot be evaluated; give query_classes= or qrels="
        )
    if assessment is not None:
        log_queries_without_relevant(assessment, query_ids, member, Path("relevance"), log)
    return Benchmark(
        name,
        Path(),
        Collection(ids, paths),
        Queries(query_ids, tuple(query_paths), kinds, member, query_labels),
        assessment,
        tree,
    )
