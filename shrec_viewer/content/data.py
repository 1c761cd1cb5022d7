"""What charts and tables are made of, and what requests name in it."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import NamedTuple, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.table import Cell, Table, TableColumn
from shrec_viewer.diagnosis.slices import QuerySlice, query_slices, select_slices
from shrec_viewer.domain import Benchmark, ShrecViewerError
from shrec_viewer.domain.value_scale import ValueLegend
from shrec_viewer.evaluation.comparison.assessments import NamedAssessment
from shrec_viewer.evaluation.edits import AssessmentEdit
from shrec_viewer.evaluation.evaluate import Progress, never_cancelled
from shrec_viewer.evaluation.scores import Scores, main_column
from shrec_viewer.formats.runs.version_store import VersionStore
from shrec_viewer.geometry.difference import ShapeDifference
from shrec_viewer.metrics import Profile, UnknownKeyError
from shrec_viewer.metrics.measures.measure import suggestion
from shrec_viewer.read_only import ReadOnlyArrays
from shrec_viewer.render.scene.palette import RunStyle, assign_slots, run_style
from shrec_viewer.render.thumbnails.thumbnail import Thumbnail

P = ParamSpec("P")
R = TypeVar("R")

#: Results that are kept: each panel has one or two, and returns to one after an option was changed back.
MAX_RESULTS = 24


class ResultKey(NamedTuple):
    """A pure function and its arguments."""

    function: Callable[..., object]
    arguments: tuple[object, ...]
    keywords: tuple[tuple[str, object], ...] = ()


class ResultCache:
    """Results of pure functions by function and arguments, the least recently used of which are dropped.

    Scores, benchmarks and runs are compared by identity, as they are replaced and not changed.
    """

    def __init__(self) -> None:
        self._results: OrderedDict[ResultKey, object] = OrderedDict()
        self._lock = Lock()

    def get(self, key: ResultKey, compute: Callable[[], object]) -> object:
        """The result of this key, computed where it is not known."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
        result = compute()
        with self._lock:
            self._results[key] = result
            while len(self._results) > MAX_RESULTS:
                self._results.popitem(last=False)
        return result

    def known(self, function: Callable[..., object], *arguments: object) -> object | None:
        """The result for these arguments; None where it is not known."""
        with self._lock:
            return self._results.get(ResultKey(function, arguments))

    def keep_results_of(self, *present: Benchmark | Scores | None) -> None:
        """Drop the results of other benchmarks and scores, which may be large."""
        numbers = {id(one) for one in present}
        with self._lock:
            for key in list(self._results):
                if any(isinstance(one, Benchmark | Scores) and id(one) not in numbers for one in key.arguments):
                    del self._results[key]


@dataclass(frozen=True, eq=False)
class ModelImage(ReadOnlyArrays):
    """The image of a file: (h, w, 4) uint8 pixels with straight alpha, or None and why there is none.

    Its difference from the mesh with which it is compared, or why it cannot be compared; None without one.
    """

    pixels: NDArray[np.uint8] | None
    problem: str = ""
    difference: ShapeDifference | str | None = None


def model_images(drawn: Iterable[tuple[Path, Thumbnail]]) -> dict[Path, ModelImage]:
    """Images of files that were drawn or read from the cache."""
    return {
        path: ModelImage(
            None if thumbnail.problem else thumbnail.pixels(), thumbnail.problem or "", thumbnail.difference
        )
        for path, thumbnail in drawn
    }


@dataclass(frozen=True, eq=False)
class ContentData:
    """What charts and tables are made of.

    Attributes
    ----------
    benchmark, profile : what was read, and the conventions.
    scores : of all runs, with the measures that are requested; None for contents that need none.
    former : scores before the edits of the assessment; None without edits.
    baselines : scores of the versions that are the baselines of runs, under the names of these; None for none.
    edits : edits of the assessment that the benchmark contains, the latest last.
    versions : former versions of the runs; None if none are kept.
    assessments : of the benchmark, where they were read before; () for those that its files contain.
    images : of the files that `Content.images` lists.
    legend : what their colours mean; None for those of the files.
    styles : of runs by name; runs without one have that of `assign_slots`.
    results : results of earlier requests.
    cancelled : returns whether the chart is no longer needed; functions raise `Cancelled` then.
    progress : called with (done, total, text) by functions that take long; None for no progress.
    send : called with results that are complete for some of the runs, by functions that take long; None for none.
    """

    benchmark: Benchmark
    profile: Profile
    scores: Scores | None = None
    former: Scores | None = None
    baselines: Scores | None = None
    edits: tuple[AssessmentEdit, ...] = ()
    versions: VersionStore | None = None
    assessments: tuple[NamedAssessment, ...] = ()
    images: Mapping[Path, ModelImage] = field(default_factory=dict)
    legend: ValueLegend | None = None
    styles: Mapping[str, RunStyle] = field(default_factory=dict)
    results: ResultCache = field(default_factory=ResultCache)
    cancelled: Callable[[], bool] = never_cancelled
    progress: Progress | None = None
    send: Callable[[object], None] | None = None

    @property
    def evaluated(self) -> Scores:
        """The scores.

        Raises
        ------
        ShrecViewerError
            If there are none.
        """
        if self.scores is None:
            raise ShrecViewerError(f"'{self.benchmark.name}' has no scores")
        return self.scores

    def result(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """What a pure function returns, computed once for the same arguments.

        Keyword arguments ``cancelled`` and ``progress`` are passed on and are no part of what is compared.
        """
        compared = {name: value for name, value in kwargs.items() if name not in ("cancelled", "progress")}
        key = ResultKey(function, args, tuple(sorted(compared.items())))
        return self.results.get(key, lambda: function(*args, **kwargs))  # type: ignore[return-value]

    def image(self, path: Path | None) -> ModelImage:
        """The image of a file of the benchmark, or the reason why there is none."""
        if path is None:
            return ModelImage(None, "no file")
        return self.images.get(path, ModelImage(None, "no image"))


def run_number(data: ContentData, name: str) -> int:
    """Index of a run in the benchmark; UnknownKeyError if there is none."""
    names = [run.name for run in data.benchmark.runs]
    if name not in names:
        raise UnknownKeyError(f"there is no run '{name}'{suggestion(name, names)}")
    return names.index(name)


def run_numbers(data: ContentData, names: tuple[str, ...]) -> list[int]:
    """Indices in the benchmark of the runs of these names; all without any.

    Raises
    ------
    ShrecViewerError
        If the benchmark has no runs, or none of a requested name.
    """
    if not data.benchmark.runs:
        raise ShrecViewerError(f"'{data.benchmark.name}' has no runs")
    return [run_number(data, name) for name in names] or list(range(len(data.benchmark.runs)))


def query_number(data: ContentData, name: str) -> int:
    """Index of a query; UnknownKeyError if there is none."""
    known = data.benchmark.queries.index
    if name not in known:
        raise UnknownKeyError(f"there is no query '{name}'{suggestion(name, list(known))}")
    return known[name]


def model_number(data: ContentData, name: str) -> int:
    """Index of a model; UnknownKeyError if there is none."""
    known = data.benchmark.collection.index
    if name not in known:
        raise UnknownKeyError(f"there is no model '{name}'{suggestion(name, list(known))}")
    return known[name]


def query_numbers(data: ContentData, names: tuple[str, ...]) -> list[int]:
    """Indices of the queries of these ids; all without any. Raises as `query_number`."""
    return [query_number(data, name) for name in names] or list(range(len(data.benchmark.queries)))


def query_text(data: ContentData, query: int | None) -> str:
    """Id of a query, or ``"mean"``, for titles."""
    return "mean" if query is None else data.benchmark.queries.ids[query]


def class_name(benchmark: Benchmark, label: int) -> str:
    """Name of a class; "" for -1 and without a classification."""
    return "" if benchmark.classification is None or label < 0 else benchmark.classification.names[label]


def styles_of_runs(data: ContentData) -> dict[str, RunStyle]:
    """Styles of all runs of the benchmark by their names."""
    slots = assign_slots(data.benchmark.runs, {})
    return {run.name: data.styles.get(run.name) or run_style(slots[run.name]) for run in data.benchmark.runs}


def measure_column(scores: Scores, measure: str) -> int:
    """Column of a measure; of the profile's main measure for "".

    Raises
    ------
    UnknownKeyError
        If the measure was not evaluated.
    """
    return scores.column(measure) if measure else main_column(scores)


def scores_of_runs(data: ContentData, runs: tuple[str, ...]) -> Scores:
    """The scores of the runs of these names, in their order; of all without any."""
    scores = data.evaluated
    return scores.select_runs([scores.run_index(name) for name in runs]) if runs else scores


def slices_of(data: ContentData, names: Sequence[str] | None = None, measure: str = "") -> tuple[QuerySlice, ...]:
    """The slices of these names, or all, with the difficulty in a measure; UnknownKeyError for a name of none."""
    scores = data.evaluated
    known = data.result(query_slices, scores, measure_column(scores, measure))
    return known if names is None else select_slices(known, names)


def in_slice(data: ContentData, name: str) -> ContentData:
    """The data with only the queries of a slice in all means; the same for "". Raises as `slices_of`."""
    if not name:
        return data
    (part,) = slices_of(data, (name,))
    return with_queries(data, part.queries)


def with_queries(data: ContentData, queries: NDArray[np.int64]) -> ContentData:
    """The data with only these queries (indices) in all means."""
    scores, former, baselines = (
        one and one.select_queries(queries) for one in (data.scores, data.former, data.baselines)
    )
    return replace(data, scores=scores, former=former, baselines=baselines)


def measure_columns(scores: Scores, measures: tuple[str, ...]) -> list[int]:
    """Columns of these measures; of all without any. Raises as `measure_column`."""
    return [scores.column(key) for key in measures] or list(range(len(scores.measures)))


def score_rows(scores: Scores, runs: tuple[str, ...]) -> list[int]:
    """Rows of these runs in the scores; of all without any."""
    return [scores.run_index(name) for name in runs or scores.runs]


def table_of(
    data: ContentData,
    key: str,
    title: str,
    texts: Sequence[str],
    numbers: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    notes: Sequence[str] = (),
    after: Sequence[str] = (),
) -> Table:
    """A table of the benchmark under the profile, which its title names.

    Parameters
    ----------
    texts, numbers, after : keys of the columns: texts, numbers, and texts behind them.
    """
    columns = (
        *map(TableColumn, texts),
        *(TableColumn(name, is_number=True) for name in numbers),
        *map(TableColumn, after),
    )
    title = f"{data.benchmark.name}: {title}; profile {data.profile.title}"
    return Table(key, title, columns, tuple(map(tuple, rows)), tuple(notes))


def baseline_differences(data: ContentData, measure: str) -> dict[str, float]:
    """Difference of the mean of each run from that of the version that is its baseline; empty without baselines."""
    scores, baselines = data.scores, data.baselines
    if scores is None or baselines is None or measure not in [one.key for one in baselines.measures]:
        return {}
    now, before = scores.mean()[:, scores.column(measure)], baselines.mean()[:, baselines.column(measure)]
    rows = {name: (scores.run_index(name), row) for row, name in enumerate(baselines.runs) if name in scores.runs}
    differences = {name: float(now[run] - before[row]) for name, (run, row) in rows.items()}
    return {name: value for name, value in differences.items() if value == value}
