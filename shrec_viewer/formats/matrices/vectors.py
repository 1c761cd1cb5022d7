"""Feature vectors as runs: the distances of queries to models are computed from their vectors, in blocks of rows."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import DistanceRows
from shrec_viewer.formats.core.decisions import SET_EXPLICITLY, Alternative, Decision
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.core.ids import IdIndex
from shrec_viewer.formats.core.read_choices import METRIC_LABELS, METRICS, VECTOR_CELLS
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.io.array_files import FileMatrix, StoredMatrix, band_edges
from shrec_viewer.formats.matrices.interpretation import (
    DISTANCE_CELLS,
    are_truncated_lists,
    best_evidence,
    possible_orders,
)
from shrec_viewer.formats.matrices.matrix import SEVERAL_MATRICES, MatrixFile, NamedArray

#: (n, d) vectors.
Vectors = NDArray[np.floating]

#: Squared distances below this share of the squared lengths, by bytes of a number, are computed from differences.
#:
#: Products cancel in them: in single precision, which takes half the time, they have an error of 1e-7 of the lengths.
NEAR_SHARES = {4: 1e-2, 8: 1e-5}

#: Bytes of the vectors of models in memory at a time: 8,192 with 512 dimensions.
BLOCK_BYTES = 2**25

#: Bytes of the distances that are computed at a time, for which the vectors of all models are read once.
COMPUTED_BYTES = 2**27

#: Models whose mean is the point from which lengths are taken.
CENTRED = 256

#: Bytes of the differences of one query and some models, which fit into the cache of a core.
PAIR_BYTES = 2**19


def _half_unit(vectors: Vectors) -> Vectors:
    """Vectors of length √½, whose squared distance is the cosine distance."""
    lengths = np.sqrt(2 * np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64, casting="same_kind"))
    return vectors / lengths[:, np.newaxis].astype(vectors.dtype)


def _half_root(vectors: Vectors) -> Vectors:
    return np.sqrt(vectors / 2)


def _shares(vectors: Vectors) -> Vectors:
    return vectors / vectors.sum(axis=1, keepdims=True)


def _products(queries: Vectors, models: Vectors) -> Vectors:
    return queries @ models.T


def _squared(queries: Vectors, models: Vectors) -> Vectors:
    """Squared Euclidean distances by one matrix product; those of near vectors by their differences.

    Lengths are those from a point among the models, as the products of long vectors cancel most.
    """
    centre = np.nan_to_num(models[:CENTRED].mean(axis=0), posinf=0, neginf=0)
    own, others = queries - centre, models - centre
    lengths, other_lengths = (np.einsum("ij,ij->i", vectors, vectors) for vectors in (own, others))
    own *= -2
    values = own @ others.T
    values += lengths[:, np.newaxis]
    values += other_lengths
    longest = other_lengths.max(initial=0, where=np.isfinite(other_lengths))
    limits = NEAR_SHARES[values.itemsize] * (lengths + longest)
    near = np.flatnonzero(~(values.min(axis=1) >= limits))  # NaN, too
    rows, columns = np.nonzero(values[near] < limits[near, np.newaxis])
    step = max(1, BLOCK_BYTES // (8 * queries.shape[1]))
    for start in range(0, len(rows), step):
        row, column = near[rows[start : start + step]], columns[start : start + step]
        values[row, column] = np.square(queries[row].astype(np.float64) - models[column]).sum(axis=1)
    return values


#: Divisor in place of 0, where the other factor is 0.
TINY = float(np.finfo(np.float64).tiny)


def _elementwise(compare: Callable[[Vectors, Vectors], Vectors]) -> Callable[[Vectors, Vectors], Vectors]:
    """Numbers of pairs from the elements of two vectors, in blocks that fit into the cache of a core.

    `compare` takes a vector (d,) and vectors (n, d), and returns (n,) numbers.
    """

    def compare_all(queries: Vectors, models: Vectors) -> Vectors:
        values = np.empty((len(queries), len(models)))
        step = max(1, PAIR_BYTES // (8 * queries.shape[1]))
        for start in range(0, len(models), step):
            some = models[start : start + step]
            for row, query in enumerate(queries):
                values[row, start : start + step] = compare(query, some)
        return values

    return compare_all


@_elementwise
def _absolute_difference(query: Vectors, models: Vectors) -> Vectors:
    return np.abs(models - query).sum(axis=1)


@_elementwise
def _chi_square(query: Vectors, models: Vectors) -> Vectors:
    return (np.square(models - query) / np.maximum(models + query, TINY)).sum(axis=1) / 2


#: Largest x below 1, where the terms have their limit, log 4, to the last digits.
MAX_SHARE = 1 - 2.0**-53


@_elementwise
def _divergence(query: Vectors, models: Vectors) -> Vectors:
    """Jensen-Shannon divergence in nats, as the sum of terms that are not below 0, with x = (p − q) / (p + q)."""
    total = models + query
    share = np.clip((models - query) / np.maximum(total, TINY), -MAX_SHARE, MAX_SHARE)
    return (total * (2 * share * np.arctanh(share) + np.log1p(-np.square(share)))).sum(axis=1) / 4


@dataclass(frozen=True)
class Metric:
    """How distances are computed from vectors.

    Attributes
    ----------
    compare : (n, m) numbers of (n, d) and (m, d) prepared vectors.
    dtype : type in which vectors are compared; None for their own, single or double precision.
    prepare : from vectors to prepared vectors, each row by itself.
    finish : from the numbers to distances, such as `numpy.sqrt`.
    is_similarity : whether larger numbers are more similar.
    is_of_shares : whether it is one of histograms, whose values are not below 0.
    needs_length : whether a vector of zeros has no distances: they are NaN.
    """

    compare: Callable[[Vectors, Vectors], Vectors]
    dtype: type[np.float64] | None = None
    prepare: Callable[[Vectors], Vectors] = np.asarray
    finish: np.ufunc = np.positive
    is_similarity: bool = False
    is_of_shares: bool = False
    needs_length: bool = False


#: Metrics by the values of `ReadOptions.metric`.
METRIC_TABLE: Mapping[str, Metric] = {
    "l2": Metric(_squared, finish=np.sqrt),
    "l2sq": Metric(_squared),
    "cosine": Metric(_squared, prepare=_half_unit, needs_length=True),
    "ip": Metric(_products, is_similarity=True),
    "l1": Metric(_absolute_difference, np.float64),
    "chi2": Metric(_chi_square, np.float64, is_of_shares=True),
    "hellinger": Metric(_squared, None, _half_root, np.sqrt, is_of_shares=True),
    "js": Metric(_divergence, np.float64, _shares, np.sqrt, is_of_shares=True, needs_length=True),
}


@dataclass(frozen=True, eq=False)
class VectorMatrix(StoredMatrix):
    """Distances of queries to models that are computed from their vectors when rows are read, a band at a time.

    Bands and blocks have the same edges in every process, as sums of products could differ in the last digit.

    Attributes
    ----------
    vectors : (R, d) vectors of the queries and (M, d) of the models, in memory or in files.
    metric : key in METRIC_TABLE.
    """

    vectors: tuple[DistanceRows, DistanceRows]
    metric: str

    @property
    def parts(self) -> tuple[DistanceRows, ...]:
        """The vectors."""
        return self.vectors

    def read_band(self, first: int, last: int) -> NDArray[np.floating]:
        """See `StoredMatrix.read_band`; NaN where the metric is undefined."""
        metric = METRIC_TABLE[self.metric]
        queries, models = self.vectors
        values = np.empty((last - first, len(models)), self.dtype)
        dtype = metric.dtype or self.dtype
        with np.errstate(all="ignore"):
            own = metric.prepare(np.asarray(queries[first:last], dtype))
            for rows in _blocks(models):
                others = metric.prepare(np.asarray(models[rows], dtype))
                metric.finish(metric.compare(own, others), out=values[:, rows], casting="unsafe")
        return values


def _blocks(vectors: DistanceRows) -> list[slice]:
    """Rows of each block of `BLOCK_BYTES`."""
    step = max(1, BLOCK_BYTES // (8 * vectors.shape[1]))
    return [slice(start, min(start + step, len(vectors))) for start in range(0, len(vectors), step)]


def _distances_of(path: Path, queries: DistanceRows, models: DistanceRows, metric: str) -> VectorMatrix:
    """The distances as single precision if all vectors are, else as double precision."""
    is_single = all(vectors.dtype.itemsize <= np.dtype(np.float32).itemsize for vectors in (queries, models))
    dtype = np.dtype(np.float32 if is_single else np.float64)
    shape = (len(queries), len(models))
    edges = band_edges(shape[0], shape[1] * dtype.itemsize, max(1, COMPUTED_BYTES // (shape[1] * dtype.itemsize)))
    return VectorMatrix(path, shape, dtype, edges, (queries, models), metric)


# ── recognition ──────────────────────────────────────────────────────────────────────────────────────────────────────

#: Minimum length of vectors that are recognised by their shape: tables of points and colours have three columns.
MIN_DIMENSIONS = 4

#: Minimum share of known ids among those of some vectors.
KNOWN_SHARE = 0.5

QUERY_NAME = re.compile(r"(?<![a-z])(q|quer(y|ies)|probes?|sketch(es)?)(?![a-z])", re.IGNORECASE)
#: Words in the names of files and arrays with the vectors of queries, and of models.
MODEL_NAME = re.compile(
    r"(?<![a-z])(t|g|db|targets?|gallery|models?|shapes?|objects?|collection|corpus|database|docs?|documents?)(?![a-z])",
    re.IGNORECASE,
)


@dataclass(frozen=True, eq=False)
class VectorPair:
    """Vectors of the queries and of the models, and what they are read from, for findings."""

    queries: NamedArray
    models: NamedArray
    text: str


def has_role(name: str) -> bool:
    """Whether the name of a file says that it is of queries or of models."""
    return bool(QUERY_NAME.search(name) or MODEL_NAME.search(name))


def are_pair_names(names: Sequence[str]) -> bool:
    """Whether of two names one is that of queries and the other that of models."""
    return len(names) == 2 and any(
        QUERY_NAME.search(first) and MODEL_NAME.search(second) for first, second in permutations(names)
    )


def find_vectors(file: MatrixFile, context: ReadContext, cells: str | None = None) -> tuple[VectorPair, ...]:
    """The vectors in a file, by its ids or the number of its rows; empty for other files.

    Arrays with the shape of a run are distances unless `cells`, see `ReadOptions`, says that they are vectors. Of
    queries and models that are stacked without ids, there are two readings.
    """
    if cells not in (None, VECTOR_CELLS) or not len(context.collection) or not len(context.queries):
        return ()
    is_set = cells == VECTOR_CELLS
    named = [one for one in file.arrays if one.values.ndim == 2][:MAX_ARRAYS]
    if not is_set and any(are_truncated_lists(one.values, len(context.collection)) for one in named):
        return ()  # with distances or scores beside them
    for first, second in permutations(sorted(named, key=_role), 2):
        is_width = first.values.shape[1] == second.values.shape[1]
        if is_width and (is_set or _are_features((first, second), context)) and _fit(first, second, context):
            return (VectorPair(first, second, f"'{first.name}' and '{second.name}'"),)
    if not file.has_counter_labels:
        if not file.rows or not (is_set or _has_dimensions(file, context)):
            return ()
        named = [NamedArray("", file.values, file.rows)]
    for one in named or [NamedArray("", file.values)]:
        if one.values.ndim == 2 and (is_set or _are_features((one,), context)):
            found = (_find_by_ids if one.ids else _find_single)(one, context)
            if found:
                return found
    return ()


#: Arrays of one file among which a pair is looked for.
MAX_ARRAYS = 8


def _role(array: NamedArray) -> int:
    """Sort key by name: queries, unknown, models."""
    return 0 if QUERY_NAME.search(array.name) else 2 if MODEL_NAME.search(array.name) else 1


def _are_features(arrays: Sequence[NamedArray], context: ReadContext) -> bool:
    """Whether the shape and numbers of arrays of one width are those of vectors: not of distances or of lists."""
    if arrays[0].values.shape[1] < MIN_DIMENSIONS:
        return False
    if are_truncated_lists(arrays[0].values, len(context.collection)):
        return False
    shapes = [(one.values.shape[0], one.values.shape[1]) for one in arrays]
    return not all(possible_orders(shape, context) or possible_orders(shape[::-1], context) for shape in shapes)


def _fit(queries: NamedArray, models: NamedArray, context: ReadContext) -> bool:
    """Whether arrays have the ids, or as many rows, as the queries and the models."""
    if queries.ids and models.ids and _are_known(queries.ids, context.query_ids):
        return _are_known(models.ids, context.items)
    return bool(possible_orders((len(queries.values), len(models.values)), context))


def _are_known(ids: Sequence[str], index: IdIndex) -> bool:
    return index.share(ids) >= KNOWN_SHARE


def _find_single(array: NamedArray, context: ReadContext) -> tuple[VectorPair, ...]:
    """Vectors of the collection, which queries itself, or of queries and models in one array."""
    n_rows = len(array.values)
    if context.queries.are_members:
        fits = bool(possible_orders((n_rows, n_rows), context))
        return (VectorPair(array, array, "a row for each model"),) if fits else ()
    n_queries, found = len(context.queries), []
    n_models = n_rows - n_queries
    if n_models > 0 and possible_orders((n_queries, n_models), context):
        for at, text in ((n_queries, "queries, then models"), (n_models, "models, then queries")):
            parts = [NamedArray(array.name, _rows(array.values, *ends)) for ends in ((0, at), (at, n_rows))]
            queries, models = parts if at == n_queries else parts[::-1]
            found.append(VectorPair(queries, models, f"a row for each of {text}"))
    return tuple(found[: 1 if n_queries == n_models and _role(array) == 0 else 2])


def _rows(values: DistanceRows, first: int, last: int) -> DistanceRows:
    """Consecutive rows; those of a file stay in the file."""
    if isinstance(values, FileMatrix):
        start = values.offset + first * values.shape[1] * values.stored.itemsize
        return replace(values, offset=start, shape=(last - first, values.shape[1]))
    rows: DistanceRows = values[first:last]
    return rows


def _find_by_ids(array: NamedArray, context: ReadContext) -> tuple[VectorPair, ...]:
    """Vectors with ids: the rows that are queries, and those that are models."""
    parts = []
    is_known = np.zeros(len(array.ids), bool)
    for index in (context.query_ids, context.items):
        known = index.indices_of(array.ids) >= 0
        is_known |= known
        values = array.values if known.all() else array.values[np.flatnonzero(known)]
        parts.append(NamedArray(array.name, values, tuple(compress(array.ids, known.tolist()))))
    queries, models = parts
    if not queries.ids or not models.ids or is_known.mean() < KNOWN_SHARE:
        return ()
    return (VectorPair(queries, models, "a row for each id"),)


def _has_dimensions(file: MatrixFile, context: ReadContext) -> bool:
    """Whether columns are those of vectors: not models, not measures such as ``AP``, and not as many as models."""
    n_columns = file.values.shape[1]
    if n_columns < MIN_DIMENSIONS or n_columns in (len(context.collection), context.n_models_with_file):
        return False
    if not file.columns:
        return True
    n_numbered = sum(label[-1:].isdigit() for label in file.columns)
    return 2 * n_numbered >= n_columns and not any(
        _are_known(file.columns, index) for index in (context.items, context.query_ids)
    )


def misfit_of_vectors(file: MatrixFile, context: ReadContext) -> str:
    """Why the matrices of a file cannot be the vectors of the queries and models."""
    shapes = [one.values.shape for one in file.arrays] or [file.values.shape]
    found = " and ".join(" x ".join(f"{length:,}" for length in shape) for shape in shapes)
    n_queries, n_models = len(context.queries), len(context.collection)
    rows = f"{n_models:,} rows are" if context.queries.are_members else f"{n_queries:,} and {n_models:,} rows are"
    message = f"{found} numbers are no feature vectors of queries and models, of which {rows} expected"
    return message + fault_of_vectors(file, context)


def fault_of_vectors(file: MatrixFile, context: ReadContext) -> str:
    """What keeps two arrays from being the vectors of queries and models, after a message; "" if more than one does."""
    named = sorted((one for one in file.arrays if one.values.ndim == 2), key=_role)[:MAX_ARRAYS]
    wanted = len(context.queries), len(context.collection)
    faults: dict[int, str] = {}
    for pair in permutations(named, 2):
        (n_queries, query_width), (n_models, model_width) = (one.values.shape for one in pair)
        names = [f"'{one.name}'" for one in pair]
        wrong = [
            f"{name} has {count_of(rows, 'row')} for {count:,} {item_name}"
            for name, rows, count, item_name in zip(
                names, (n_queries, n_models), wanted, ("queries", "models"), strict=True
            )
            if rows != count
        ]
        if query_width != model_width:
            wrong.append(f"{names[0]} has {count_of(query_width, 'column')} and {names[1]} {model_width:,}")
        faults.setdefault(len(wrong), f"; they may be feature vectors, but {' and '.join(wrong)}")
    return faults.get(1, "")


# ── distances ────────────────────────────────────────────────────────────────────────────────────────────────────────


def distances_of_vectors(
    file: MatrixFile, pairs: Sequence[VectorPair], context: ReadContext, options: ReadOptions
) -> tuple[MatrixFile, ReadOptions]:
    """The distances of vectors as a matrix, and the options for reading it.

    Parameters
    ----------
    pairs : result of `find_vectors`, not empty.

    Raises
    ------
    RunIgnoredError
        If the metric is not defined for the vectors.
    """
    key = options.metric or METRICS[0]
    metric = METRIC_TABLE[key]
    similarity = metric.is_similarity if options.similarity is None else options.similarity
    found = [_distances_of(file.path, pair.queries.values, pair.models.values, key) for pair in pairs]
    several = found if len(found) > 1 else []
    best = (best_evidence(values, context, similarity=similarity) for values in several)
    evidence = [one for one in best if one is not None]  # each fits an order
    chosen = min(range(len(found)), key=lambda index: evidence[index].mean) if evidence else 0
    pair, values = pairs[chosen], found[chosen]
    _log_faults(file.path, pair, key, context)
    other = f"; as {pairs[1 - chosen].text}{evidence[1 - chosen].text}" if evidence else ""
    _decide_metric(file.path, pair, options, context, (evidence[chosen].text if evidence else "") + other)
    findings = tuple(finding for finding in file.findings if finding.key != SEVERAL_MATRICES)
    options = replace(options, cells=DISTANCE_CELLS, similarity=similarity)
    return MatrixFile(file.path, values, file.kind, findings, pair.queries.ids, pair.models.ids), options


def _decide_metric(path: Path, pair: VectorPair, options: ReadOptions, context: ReadContext, other: str) -> None:
    """Decisions about what was taken for vectors: these, or distances; and their metric.

    `other`: scores of the ways to split stacked vectors.
    """
    log, key = context.findings_log, options.metric or METRICS[0]
    n_models, width = pair.models.values.shape
    problem = f"{width:,} columns, {pair.text}: feature vectors"
    fits_distances = width in (n_models, len(context.collection))
    is_open = fits_distances and options.cells is None
    readings = (*[Alternative(DISTANCE_CELLS)] * fits_distances, Alternative(VECTOR_CELLS))
    reason = "" if options.cells is None else SET_EXPLICITLY
    decision = Decision(
        "cells", readings, VECTOR_CELLS, not is_open, reason, f"{problem}, or distances{other}" * is_open
    )
    log.decide(path, decision)
    others = ", ".join(name for name in METRICS[1:] if name not in (key, "cosine"))
    metrics = tuple(
        Alternative(
            name,
            f"{'read as vectors, ' * (name == key)}compared by the {METRIC_LABELS[name]}"
            + f", or another metric ({others})" * (name == "cosine" != key),
            f"{'larger' if METRIC_TABLE[name].is_similarity else 'smaller'} = more similar",
            differs=name != "l2sq",
        )
        for name in dict.fromkeys((key, "cosine", *METRICS))
    )
    reason = SET_EXPLICITLY if options.metric is not None else ""
    problem = "" if is_open else f"{problem}, not distances{other}"
    log.decide(path, Decision("metric", metrics, key, bool(reason), reason, problem))


def _log_faults(path: Path, pair: VectorPair, key: str, context: ReadContext) -> None:
    """Findings about vectors for which the metric is undefined; RunIgnoredError for values below 0."""
    metric, name, log = METRIC_TABLE[key], METRIC_LABELS[key], context.findings_log
    sides = [("query", pair.queries.values), ("model", pair.models.values)]
    for side, vectors in sides[1:] if pair.queries is pair.models else sides:
        gaps: list[int] = []
        zeros: list[int] = []
        for rows in _blocks(vectors):
            block = np.asarray(vectors[rows])
            if metric.is_of_shares and np.any(block < 0):
                row = rows.start + int(np.argmax((block < 0).any(axis=1))) + 1
                message = f"the vector in row {row:,} has values below 0, for which the {name} is not defined"
                log.ignore_run(path, message, "; for another metric", log.setting("metric", METRICS[0], path))
            gaps += (np.flatnonzero(~np.isfinite(block).all(axis=1)) + rows.start + 1).tolist()
            zeros += (np.flatnonzero(~block.any(axis=1)) + rows.start + 1).tolist() if metric.needs_length else []
        for found, text in ((gaps, "with values that are no finite numbers"), (zeros, "of zeros")):
            if found:
                message = f"{count_of(len(found), f'{side} vector')} {text}, the first in row {found[0]:,}"
                log.warning(path, message, f"the {name} is undefined: not a number (NaN)", count=len(found))
