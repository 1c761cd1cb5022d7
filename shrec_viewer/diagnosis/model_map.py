"""The collection as points of a plane, in which models that a run takes for similar lie near each other."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, DistanceMatrix, RankedLists, Run, ShrecViewerError
from shrec_viewer.evaluation.evaluate import Progress, make_checkpoint, never_cancelled
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.matrices.vectors import METRIC_TABLE, VectorMatrix
from shrec_viewer.read_only import ReadOnlyArrays

Floats = NDArray[np.float64]

#: Reports a step, with what is done and the total, and raises `Cancelled`.
Steps = Callable[..., None]

#: Landmark multidimensional scaling, principal components, and t-SNE.
MapMethod = Literal["mds", "pca", "tsne"]

#: Models with lists of their own that distances between models are taken from: fewer than 10 fix no map (their profile
#: is used instead); from 100 to 300 the trustworthiness of a map of 1,809 models no longer changes (0.87).
MIN_LANDMARKS, MAX_LANDMARKS = 10, 300

#: Numbers of a profile: 256 MB. Of more queries, a sample is used: 3,355 for 10,000 models, 335 for 100,000.
MAX_CELLS = 2**25

#: Queries of a profile: the eigenvectors of a square of them take a third of a second.
MAX_COLUMNS = 1000

#: Models up to which neighbours are sought, and lists between models are read as a whole; time grows as the square.
MAX_NEIGHBOURS_OF = 20_000

N_NEIGHBOURS = 5

#: Side of the largest matrix whose eigenvectors are computed by LAPACK (1.5 s), else by subspace iteration.
MAX_EXACT = 1500

#: Of the subspace iteration; an axis whose eigenvalue is a tenth above the next eleven is exact to 1e-3.
ITERATIONS, OVERSAMPLING = 40, 10

#: Share of the models that every list has where its distances count, and not its ranks.
FULL_SHARE = 0.95

#: Axes of the classical map that t-SNE starts from; van der Maaten 2014 uses as many.
TSNE_DIMENSIONS = 50

#: Lists that are read at a time.
ROWS = 256


@dataclass(frozen=True, eq=False)
class ModelMap(ReadOnlyArrays):
    """Models as points.

    Attributes
    ----------
    run : name.
    models : (n,) int32, models that have a point, ascending.
    points : (n, 2) float64; their mean is 0 and their root mean square distance from it 1, except after `laid_onto`.
    neighbours : (n, k) int32, the nearest models of each, nearest first, before the projection: by the model's own list
        where it is a query, else by Euclidean distance of the profiles or vectors. k is 0 above `MAX_NEIGHBOURS_OF`.
    shares : of the variance that each axis has; () for t-SNE, whose axes mean nothing.
    source : what positions were computed from, ``"distances from 30 queries"``.
    absent : why models have no point; "" if all have one.
    """

    run: str
    models: NDArray[np.int32]
    points: Floats
    neighbours: NDArray[np.int32]
    shares: tuple[float, ...]
    source: str
    absent: str = ""


def model_map(
    benchmark: Benchmark,
    run: Run,
    method: MapMethod = "mds",
    *,
    seed: int = 0,
    cancelled: Callable[[], bool] = never_cancelled,
    progress: Progress | None = None,
) -> ModelMap:
    """The map of one run.

    Positions come from the first of these that the run has:

    - feature vectors compared by a Euclidean, cosine or Hellinger distance;
    - lists of models of the collection (at least `MIN_LANDMARKS` models are queries): their distances to all models,
      the mean of both directions where both are there, as landmarks (de Silva and Tenenbaum 2004);
    - lists of other queries: the *profile* of a model, its ranks in all lists. Ranks fill the plane better than
      distances, which a few distant models stretch, and keep as many neighbours (87 % of 12 among 50 of 1,809 models).
      Classical scaling of profiles is the same as their principal components: ``"mds"`` and ``"pca"`` have one result.

    Similarities become distances by subtraction from the largest of the query; infinite and missing numbers count as
    the largest. Lists without distances, or with less than `FULL_SHARE` of the models, count by ranks. Equal distances,
    and all models that a list lacks, have their mean rank. t-SNE starts from `TSNE_DIMENSIONS` axes of ``"mds"``.

    Parameters
    ----------
    seed : of landmarks, samples and t-SNE; the same seed gives the same map.

    Raises
    ------
    Cancelled
        If `cancelled` returned True.
    ShrecViewerError
        If the run has fewer than two lists or three models, if all models have one profile, or if t-SNE is requested
        and openTSNE is not installed.
    """
    checkpoint = make_checkpoint(cancelled)

    def steps(text: str, done: int = 0, total: int = 0) -> None:
        checkpoint()
        if progress is not None:
            progress(done, total, text)

    rng = np.random.default_rng(seed)
    found = _vectors(run) or _profiles(_Lists(benchmark, run), rng, steps)
    n_models, n_columns = found.columns.shape
    if n_models < 3 or n_columns < 2:
        raise ShrecViewerError(
            f"run {run.name} has lists of {count_of(n_columns, 'query', 'queries')} and {count_of(n_models, 'model')}: "
            "a map needs two lists and three models"
        )
    steps("positions")
    dimensions = TSNE_DIMENSIONS if method == "tsne" else 2
    uses_landmarks = method != "pca" and found.landmarks is not None
    points, shares = (
        landmark_mds(found.columns, found.landmarks, dimensions)
        if uses_landmarks and found.landmarks is not None
        else principal_components(found.columns, dimensions, seed)
    )
    if not points.any():
        raise ShrecViewerError(f"all models of run {run.name} have the same distances: there is no map")
    neighbours = found.neighbours
    if neighbours is None and len(found.models) <= MAX_NEIGHBOURS_OF:
        neighbours = found.models[nearest(found.columns, N_NEIGHBOURS, steps)]
    if method == "tsne":
        steps("t-SNE")
        points, shares = _tsne(points, seed, cancelled), ()
        checkpoint()
    points = points[:, :2] - points[:, :2].mean(axis=0)
    none = np.zeros((len(points), 0), np.int32)
    return ModelMap(
        run.name,
        found.models,
        points / np.sqrt((points**2).sum(axis=1).mean()),
        none if neighbours is None else neighbours.astype(np.int32),
        tuple(shares[:2]),
        found.text,
        found.absent,
    )


def laid_onto(models: NDArray[np.int32], points: Floats, former: NDArray[np.int32], targets: Floats) -> Floats:
    """Points turned, mirrored and moved so that the models that both maps have come nearest to their former points.

    Not scaled, as two maps that differ would shrink. Unchanged where fewer than three models are in both.

    Parameters
    ----------
    models, points : (n,) ascending and (n, 2), of the new map.
    former, targets : the same of the former one.
    """
    common, at, before = np.intersect1d(models, former, return_indices=True)
    if len(common) < 3:
        return points
    rotation, shift = procrustes(points[at], targets[before])
    return points @ rotation + shift


def procrustes(points: Floats, targets: Floats) -> tuple[Floats, Floats]:
    """Rotation or reflection R and shift t that minimise the squared distance of ``points @ R + t`` to `targets`.

    Source: Schönemann, A generalized solution of the orthogonal Procrustes problem, 1966.

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> rotation, shift = procrustes(square, square[:, ::-1] + 3)
    >>> (np.round(rotation, 6) + 0.0).tolist(), np.round(shift, 6).tolist()
    ([[0.0, 1.0], [1.0, 0.0]], [3.0, 3.0])
    """
    middle, target = points.mean(axis=0), targets.mean(axis=0)
    left, _, right = np.linalg.svd((points - middle).T @ (targets - target))
    rotation = left @ right
    return rotation, target - middle @ rotation


def principal_components(columns: Floats, dimensions: int, seed: int = 0) -> tuple[Floats, tuple[float, ...]]:
    """Coordinates of rows on their principal axes, and the share of the variance of each axis.

    Parameters
    ----------
    columns : (n, d).

    Returns
    -------
    points : (n, dimensions) float64; 0 on axes beyond d. The largest coordinate of an axis is positive.
    shares : of the total variance, descending.
    """
    centred = np.asarray(columns, np.float64) - columns.mean(axis=0)
    is_wide = centred.shape[1] > len(centred)
    square = centred @ centred.T if is_wide else centred.T @ centred
    values, axes = _leading(square, dimensions, seed)
    points = axes * np.sqrt(values) if is_wide else centred @ axes
    total = float(np.trace(square))
    return _with_signs(points, dimensions), tuple((values / total if total > 0 else values).tolist())


def landmark_mds(distances: Floats, landmarks: NDArray[np.int64], dimensions: int) -> tuple[Floats, tuple[float, ...]]:
    """Coordinates whose distances are those to landmarks, on their principal axes.

    Exact where the distances are Euclidean of at most `dimensions` dimensions and the landmarks span these.

    Parameters
    ----------
    distances : (n, L), of each point to each landmark.
    landmarks : (L,) rows of the landmarks.

    Returns
    -------
    points : (n, dimensions) float64; 0 on axes that the distances do not have.
    shares : of the sum of the positive eigenvalues among the landmarks.

    Source: de Silva and Tenenbaum, Sparse multidimensional scaling using landmark points, 2004.
    """
    squared = distances**2
    between = squared[landmarks]
    between = (between + between.T) / 2
    np.fill_diagonal(between, 0.0)
    mean = between.mean(axis=0)
    gram = -0.5 * (between - mean - mean[:, np.newaxis] + mean.mean())
    values, axes = np.linalg.eigh(gram)
    values, axes = values[::-1], axes[:, ::-1]
    used = min(dimensions, int((values > 1e-10 * max(values[0], 0.0)).sum()))
    # The pseudoinverse of the landmarks' coordinates.
    points = -0.5 * (squared - mean) @ (axes[:, :used] / np.sqrt(values[:used]))
    total = float(values[values > 0].sum())
    turned, _ = principal_components(points, dimensions)
    return turned, tuple((values[:used] / total).tolist())


def _leading(square: Floats, count: int, seed: int) -> tuple[Floats, Floats]:
    """The largest eigenvalues of a positive semidefinite matrix, descending and at least 0, and their vectors."""
    count = min(count, len(square))
    if len(square) <= MAX_EXACT:
        values, axes = np.linalg.eigh(square)
    else:
        basis = np.random.default_rng(seed).standard_normal((len(square), count + OVERSAMPLING))
        for _ in range(ITERATIONS):
            basis, _ = np.linalg.qr(square @ basis)
        values, inner = np.linalg.eigh(basis.T @ square @ basis)
        axes = basis @ inner
    return np.maximum(values[::-1][:count], 0.0), axes[:, ::-1][:, :count]


def _with_signs(points: Floats, dimensions: int) -> Floats:
    """Axes whose largest coordinate is positive: an eigenvector has no sign; with axes of 0 where some are missing."""
    largest = points[np.abs(points).argmax(axis=0), np.arange(points.shape[1])]
    signed = points * np.where(largest < 0, -1.0, 1.0)
    return np.pad(signed, ((0, 0), (0, dimensions - points.shape[1])))


def nearest(columns: Floats, count: int, steps: Steps = lambda *_: None) -> NDArray[np.int64]:
    """(n, k) int64, the rows nearest to each row by Euclidean distance, nearest first, without itself; k < n.

    Equal distances are in the order of the rows. In single precision, of which distances between near rows lose digits.
    """
    rows = np.asarray(columns - columns.mean(axis=0), np.float32)
    lengths = np.einsum("ij,ij->i", rows, rows)
    count = min(count, len(rows) - 1)
    found = np.zeros((len(rows), count), np.int64)
    for start in range(0, len(rows), ROWS):
        steps("model", start, len(rows))
        block = slice(start, start + ROWS)
        found[block] = _first(lengths - 2 * rows[block] @ rows.T, np.arange(len(rows))[block], count)
    return found


def _first(values: NDArray[Any], own: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """(b, count) columns of the smallest values of each row, without the column `own` of the row."""
    values[np.arange(len(values)), own] = np.inf
    found = np.sort(np.argpartition(values, count - 1, axis=1)[:, :count], axis=1)
    order = np.take_along_axis(values, found, axis=1).argsort(axis=1, kind="stable")
    return np.take_along_axis(found, order, axis=1).astype(np.int64)


@dataclass(frozen=True, eq=False)
class _Source:
    """What positions are computed from.

    Attributes
    ----------
    models : (n,) int32, ascending.
    columns : (n, d) float64: vectors, profiles, or distances to landmarks.
    text : see `ModelMap`.
    landmarks : rows of the landmarks; None for vectors and profiles.
    neighbours : see `ModelMap`; None where they are those of `columns`.
    absent : see `ModelMap`.
    """

    models: NDArray[np.int32]
    columns: Floats
    text: str
    landmarks: NDArray[np.int64] | None = None
    neighbours: NDArray[np.int32] | None = None
    absent: str = ""


def _vectors(run: Run) -> _Source | None:
    """The vectors of the models as the metric of the run prepares them; None if they are not compared as points."""
    ranking = run.ranking
    if not isinstance(ranking, DistanceMatrix) or not isinstance(ranking.values, VectorMatrix):
        return None
    metric = METRIC_TABLE[ranking.values.metric]
    if metric.compare is not METRIC_TABLE["l2"].compare:
        return None
    with np.errstate(all="ignore"):
        vectors: Floats = metric.prepare(np.asarray(ranking.values.vectors[1][:], np.float64)).astype(np.float64)
    order = np.argsort(ranking.columns, kind="stable")
    order = order[ranking.columns[order] >= 0]
    finite = np.isfinite(vectors[order]).all(axis=1)
    count = len(order) - int(finite.sum())
    absent = f"{count_of(count, 'model')} {'has' if count == 1 else 'have'} no finite vector" if count else ""
    order = order[finite]
    text = f"vectors of {vectors.shape[1]:,} dimensions"
    return _Source(ranking.columns[order].astype(np.int32), vectors[order], text, absent=absent)


class _Lists:
    """The lists of a run as rows of numbers that grow with dissimilarity.

    Attributes
    ----------
    models : (n,) int32, models in any list, ascending.
    queries : (R,) queries with a list.
    own : (R,) row in `models` of each query; -1 where it is not among them.
    has_distances : whether all lists have distances to all models, or almost all.
    """

    def __init__(self, benchmark: Benchmark, run: Run) -> None:
        self._ranking, self._n_models = run.ranking, len(benchmark.collection)
        self.queries = np.flatnonzero(run.present)
        ranking = run.ranking
        if isinstance(ranking, RankedLists):
            listed = np.zeros(self._n_models, np.bool_)
            listed[ranking.items[ranking.items >= 0]] = True
            self.models = np.flatnonzero(listed).astype(np.int32)
            lengths = np.diff(ranking.indptr)[self.queries]
            is_full = bool((lengths >= FULL_SHARE * self._n_models).all())
            self.has_distances = is_full and ranking.distances is not None
        else:
            self._order = np.argsort(ranking.columns, kind="stable")
            self._order = self._order[ranking.columns[self._order] >= 0]
            self.models = ranking.columns[self._order].astype(np.int32)
            self.has_distances = True
        member = benchmark.queries.member[self.queries]
        at = np.minimum(np.searchsorted(self.models, member), max(len(self.models) - 1, 0))
        is_model = self.models[at] == member if len(self.models) else np.zeros(len(member), np.bool_)
        self.own = np.where((member >= 0) & is_model, at, -1)

    @property
    def absent(self) -> str:
        """Why models are not among `models`; "" if all are."""
        count = self._n_models - len(self.models)
        return f"{count_of(count, 'model')} {'is' if count == 1 else 'are'} in no list" if count else ""

    def dissimilarities(self, rows: NDArray[np.int64]) -> NDArray[np.floating]:
        """(r, n) distances of some lists, else ranks; 0 of a query that is a model."""
        if not self.has_distances:
            values: NDArray[np.floating] = self.ranks(rows)
        else:
            values = self._values(rows)
            finite = np.isfinite(values)
            if not finite.all():
                values[~finite] = np.nan
                values = np.where(finite, values, np.nan_to_num(np.fmax.reduce(values, axis=1))[:, np.newaxis])
            lowest = values.min(axis=1, keepdims=True, initial=np.inf if self._ranking.similarity else 0.0)
            if lowest.any():
                values -= lowest
        own = self.own[rows]
        values[np.flatnonzero(own >= 0), own[own >= 0]] = 0.0
        return values

    def ranks(self, rows: NDArray[np.int64]) -> Floats:
        """(r, n) ranks in some lists; equal values and unlisted models have the mean of theirs."""
        values = self._values(rows)
        found = np.zeros(values.shape)
        for row, line in enumerate(values):
            ordered = np.sort(line)
            found[row] = (np.searchsorted(ordered, line) + np.searchsorted(ordered, line, "right") + 1) / 2
        return found

    def _values(self, rows: NDArray[np.int64]) -> NDArray[np.floating]:
        """(r, n) distances or positions of some lists; infinite where there is none."""
        ranking = self._ranking
        if isinstance(ranking, RankedLists):
            values: NDArray[np.floating] = np.full((len(rows), self._n_models), np.inf)
            for row, query in zip(values, self.queries[rows].tolist(), strict=True):
                place = ranking.rows(query)
                items = ranking.items[place]
                given = np.arange(1.0, len(items) + 1)
                if self.has_distances and ranking.distances is not None:
                    given = ranking.distances[place]
                row[items[items >= 0][::-1]] = given[items >= 0][::-1]  # the first of a repeated model counts
            values = values[:, self.models]
        else:
            read = np.asarray(ranking.values[ranking.rows[self.queries[rows]]])
            is_whole = np.array_equal(self._order, np.arange(read.shape[1]))
            read = read if is_whole else read[:, self._order]
            values = -read if ranking.similarity else np.array(read)
        values[np.isnan(values)] = np.inf
        return values


def _profiles(lists: _Lists, rng: np.random.Generator, steps: Steps) -> _Source:
    """Distances to landmarks where models are queries, else to queries."""
    members = np.flatnonzero(lists.own >= 0)
    n_models, n_lists = len(lists.models), len(lists.queries)
    if len(members) < MIN_LANDMARKS:
        limit = min(MAX_COLUMNS, max(MIN_LANDMARKS, MAX_CELLS // max(n_models, 1)))
        rows = _sample(np.arange(n_lists), limit, rng)
        blocks: list[Floats] = []
        for start in range(0, len(rows), ROWS):
            steps("list", start, len(rows))
            blocks.append(lists.ranks(rows[start : start + ROWS]))
        columns = np.concatenate([*blocks, np.zeros((0, n_models))]).T
        text = f"ranks in {len(rows):,} lists"
        return _Source(lists.models, columns, text, absent=lists.absent)
    rows = _sample(members, MAX_LANDMARKS, rng)
    landmarks = lists.own[rows]
    steps("list", 0, n_models)
    columns = lists.dissimilarities(rows).T.astype(np.float64)
    neighbours: NDArray[np.int32] | None = None
    if len(members) == n_models <= MAX_NEIGHBOURS_OF:
        row_of = np.zeros(n_models, np.int64)
        row_of[lists.own[members]] = members
        neighbours = np.zeros((n_models, min(N_NEIGHBOURS, n_models - 1)), np.int32)
        for start in range(0, n_models, ROWS):
            steps("list", start, n_models)
            block = np.arange(start, min(start + ROWS, n_models))
            values = lists.dissimilarities(row_of[block])
            columns[block] = (columns[block] + values[:, landmarks]) / 2
            neighbours[block] = lists.models[_first(values, block, neighbours.shape[1])]
    text = f"{'distances' if lists.has_distances else 'ranks'} between {len(rows):,} models and all"
    return _Source(lists.models, columns, text, landmarks, neighbours, lists.absent)


def _sample(rows: NDArray[np.int64], limit: int, rng: np.random.Generator) -> NDArray[np.int64]:
    return rows if len(rows) <= limit else np.sort(rng.choice(rows, limit, replace=False))


def _tsne(points: Floats, seed: int, cancelled: Callable[[], bool]) -> Floats:
    """The map of t-SNE by openTSNE, from the first two axes; one thread, so that it is the same each time."""
    try:
        from openTSNE import TSNE
    except ImportError as error:
        raise ShrecViewerError(
            "t-SNE requires the package openTSNE: pip install 'shrec-viewer[maps]'; landmark MDS needs nothing more"
        ) from error

    def stops(*_: object) -> bool:
        return cancelled()

    start = points[:, :2] / max(float(points[:, 0].std()), 1e-12) * 1e-4
    perplexity = min(30.0, (len(points) - 1) / 3)
    work = TSNE(
        perplexity=perplexity, initialization=start, random_state=seed, n_jobs=1, callbacks=stops,
        callbacks_every_iters=10, neighbors="exact" if len(points) <= MAX_NEIGHBOURS_OF // 4 else "approx",
    )  # fmt: skip
    return np.asarray(work.fit(points), np.float64)
