"""Rows of other packages for the tables of measures, curves, profiles, file formats, contents and panels."""

import logging
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import import_module
from traceback import walk_stack, walk_tb
from typing import TYPE_CHECKING, Any

from shrec_viewer.entry_points import plugin_folder
from shrec_viewer.printable import fault_text

if TYPE_CHECKING:
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

    from shrec_viewer.charts.bars import Bar, Bars
    from shrec_viewer.charts.intervals import IntervalRow, Intervals
    from shrec_viewer.charts.matrix import Matrix
    from shrec_viewer.charts.plot import Axes, Plot, PlotCurve
    from shrec_viewer.charts.table import Table, TableColumn
    from shrec_viewer.content.contents import Content
    from shrec_viewer.content.data import ContentData, measure_column, styles_of_runs
    from shrec_viewer.content.request import (
        Request,
        TableRequest,
        measure_option,
        option,
        queries_option,
        runs_option,
    )
    from shrec_viewer.formats.core.reader import FormatReader, Match, RunReader, TruthReader
    from shrec_viewer.formats.runs.list_run import ranked_list_reader
    from shrec_viewer.formats.truth.class_tables import LabelTable
    from shrec_viewer.formats.truth.qrels import QrelsFile
    from shrec_viewer.metrics import CalculationSteps, Curve, CurveAverage, CurveValues, HitTable, Measure, Profile
    from shrec_viewer.metrics.curves.curve import CurveAtGenerality, CurveFunction
    from shrec_viewer.metrics.measures.calculation import CalculationFunction, MeasureInputs
    from shrec_viewer.panels.chart_panel import ChartPanelFactory
    from shrec_viewer.panels.panel import Panel

#: Public names; their fields are documented in their docstrings and stay stable:
#:
#: * `Measure`, `Curve`, `Profile`, `Content`, `Panel`: rows of these tables; `CurveAverage`: a way of averaging of a
#:   `Curve`; `CurveValues`: what its function returns.
#: * `RunReader`, `TruthReader`: rows of the table of file formats. `ranked_list_reader` makes a `RunReader` from two
#:   functions.
#: * `Match`: result of ``recognise`` of a reader, where True is not precise enough.
#: * `LabelTable`, `QrelsFile`: results of ``read`` of a `TruthReader`: classes, or relevance levels.
#: * `Request`, `TableRequest`: base classes of the options of a `Content`, whose fields `option`, `runs_option`,
#:   `queries_option` and `measure_option` make.
#: * `ContentData`: what the functions of a `Content` get with the request; `measure_column` and `styles_of_runs` read
#:   it.
#: * `Plot`, `Matrix`, `Intervals`, `Bars`, `Table`, with `PlotCurve`, `Axes`, `IntervalRow`, `Bar`, `TableColumn`:
#:   their results.
#: * `ChartPanelFactory`: factory of a `Panel` that shows a `Content`.
__all__ = [
    "Axes",
    "Bar",
    "Bars",
    "ChartPanelFactory",
    "Content",
    "ContentData",
    "Curve",
    "CurveAverage",
    "CurveValues",
    "IntervalRow",
    "Intervals",
    "LabelTable",
    "Match",
    "Matrix",
    "Measure",
    "Panel",
    "Plot",
    "PlotCurve",
    "Profile",
    "QrelsFile",
    "Request",
    "RunReader",
    "Table",
    "TableColumn",
    "TableRequest",
    "TruthReader",
    "measure_column",
    "measure_option",
    "option",
    "queries_option",
    "ranked_list_reader",
    "runs_option",
    "styles_of_runs",
]

#: Module of each of the public names.
_MODULES = {
    "metrics": ("Measure", "Curve", "CurveAverage", "CurveValues", "Profile"),
    "formats.core.reader": ("Match", "RunReader", "TruthReader"),
    "formats.truth.class_tables": ("LabelTable",),
    "formats.truth.qrels": ("QrelsFile",),
    "formats.runs.list_run": ("ranked_list_reader",),
    "charts.plot": ("Axes", "Plot", "PlotCurve"),
    "charts.matrix": ("Matrix",),
    "charts.intervals": ("IntervalRow", "Intervals"),
    "charts.bars": ("Bar", "Bars"),
    "charts.table": ("Table", "TableColumn"),
    "content.request": ("Request", "TableRequest", "measure_option", "option", "queries_option", "runs_option"),
    "content.data": ("ContentData", "measure_column", "styles_of_runs"),
    "content.contents": ("Content",),
    "panels.panel": ("Panel",),
    "panels.chart_panel": ("ChartPanelFactory",),
}

#: Tables that take rows of other packages. The entry point group of ``measures`` is ``shrec_viewer.measures``.
GROUPS = ("measures", "curves", "profiles", "readers", "contents", "panels")

#: Difference from the declared range of a measure or curve, in parts of its limits, that is rounding error.
ROUNDING = 1e-9

INFINITE = float("inf")

_log = logging.getLogger(__name__)


def __getattr__(name: str) -> Any:
    """Import the public names on first use: `Panel` needs Qt, and `shrec-viewer --version` needs none of them."""
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"shrec_viewer.{module}"), name)
    raise AttributeError(f"module 'shrec_viewer.plugins' has no attribute '{name}'")


@dataclass(frozen=True)
class PluginRow:
    """A row of another package.

    Attributes
    ----------
    group : one of `GROUPS`.
    key : key of the row; for a panel that is not loaded, the name of its entry point.
    label : name for display; "" if the row is not loaded.
    package, version : distribution that provides it.
    row : the row; None if it is not loaded.
    """

    group: str
    key: str
    label: str
    package: str
    version: str
    row: Any = None


@dataclass(frozen=True)
class PluginFailure:
    """An entry point that cannot be used.

    Attributes
    ----------
    group : one of `GROUPS`.
    entry_point : its name.
    package, version : distribution that provides it.
    message : reason.
    """

    group: str
    entry_point: str
    package: str
    version: str
    message: str

    def __str__(self) -> str:
        return f"plug-in '{self.entry_point}' of {self.package} {self.version} ({self.group}): {self.message}"


@dataclass(frozen=True)
class Plugins:
    """The usable rows of all other packages, and the entry points that cannot be used."""

    rows: tuple[PluginRow, ...] = ()
    failures: tuple[PluginFailure, ...] = ()

    def of(self, group: str) -> tuple[Any, ...]:
        """Loaded rows of one table."""
        return tuple(row.row for row in self.loaded(group))

    def loaded(self, group: str) -> tuple[PluginRow, ...]:
        """The same with their packages."""
        return tuple(row for row in self.rows if row.group == group and row.row is not None)


def install_plugins(*, panels: bool = False) -> Plugins:
    """Load all plug-ins and append their rows to the tables; called at program start.

    An entry point that fails to load and a row that does not follow the contract of its table are left out and reported
    in `Plugins.failures`. So is a row with a key that exists: of rows with one key, that of this program is used, else
    that of the first entry point by name. A measure, curve or reader that raises an exception later is logged as a
    warning: its values are undefined, its file is not recognised.

    Parameters
    ----------
    panels : whether to load panels, which needs Qt.
    """
    found = load_plugins(panels=panels)
    if any(row.group in ("measures", "curves", "profiles") for row in found.rows):
        from shrec_viewer.metrics import set_extra_rows

        set_extra_rows(
            [_guarded_measure(row) for row in found.loaded("measures")],
            [_guarded_curve(row) for row in found.loaded("curves")],
            found.of("profiles"),
        )
    if found.of("readers"):
        from shrec_viewer.formats.discovery.reader_table import set_extra_readers

        set_extra_readers([_guarded_reader(row) for row in found.loaded("readers")])
    if found.of("contents"):
        from shrec_viewer.content.contents import set_extra_contents

        set_extra_contents([_guarded_content(row) for row in found.loaded("contents")])
    if found.of("panels"):
        from shrec_viewer.panels import set_extra_panels

        set_extra_panels(found.of("panels"), plugin_packages())
    return found


@lru_cache(maxsize=2)
def load_plugins(*, panels: bool = False) -> Plugins:
    """All rows of other packages, in the order of `GROUPS`; see `install_plugins`.

    Takes 5 ms where there are none (60 installed packages); the result is cached for the process.
    """
    from importlib.metadata import entry_points

    folder = str(plugin_folder())
    if folder not in sys.path:
        sys.path.append(folder)  # last, so that it replaces no package that the program has
    rows: list[PluginRow] = []
    failures: list[PluginFailure] = []
    available = entry_points()
    for group in GROUPS:
        for entry in sorted(available.select(group=f"shrec_viewer.{group}"), key=lambda entry: entry.name):
            package, version = ("?", "?") if entry.dist is None else (entry.dist.name, entry.dist.version)
            if group == "panels" and not panels:
                rows.append(PluginRow(group, entry.name, "", package, version))
                continue
            try:
                loaded = entry.load()
            except BaseException as error:
                failures.append(PluginFailure(group, entry.name, package, version, _reason(error)))
                continue
            for row in loaded if isinstance(loaded, list | tuple) else [loaded]:
                try:
                    key, label = _CHECKS[group](row, rows)
                    rows.append(PluginRow(group, key, label, package, version, row))
                except BaseException as error:
                    failures.append(PluginFailure(group, entry.name, package, version, _reason(error)))
    return Plugins(tuple(rows), tuple(failures))


@cache
def plugin_packages() -> dict[str, str]:
    """Name and version of each package with plug-ins, by the name of the top module of an entry point."""
    from importlib.metadata import entry_points

    found = entry_points()
    entries = [entry for group in GROUPS for entry in found.select(group=f"shrec_viewer.{group}") if entry.dist]
    return {
        entry.module.partition(".")[0]: f"{entry.dist.name} {entry.dist.version}" for entry in entries if entry.dist
    }


def failed_package(error: BaseException | None, trace: "TracebackType | None") -> str:
    """Name and version of the package with plug-ins in whose code an exception was raised; "" for none.

    For a RecursionError also one in whose code it will be: Qt stops the exceptions of slots that lead to each other.
    """
    callers = walk_stack(trace.tb_frame) if trace is not None and isinstance(error, RecursionError) else ()
    frames = [*reversed([frame for frame, _ in callers]), *(frame for frame, _ in walk_tb(trace))]
    modules = [frame.f_globals.get("__name__") or "" for frame in frames]
    try:
        known = plugin_packages()
    except Exception:  # the system lacks memory or open files, which may be what the trace is about
        return ""
    packages = [known.get(name.partition(".")[0], "") for name in modules]
    return next(filter(None, reversed(packages)), "")


def _reason(error: BaseException) -> str:
    """What a plug-in raised, for messages; raises it again if it is Ctrl-C.

    Not only `Exception`: ``exit()`` and `asyncio.CancelledError` of a plug-in must not end the program.
    """
    if isinstance(error, KeyboardInterrupt):
        raise error
    if isinstance(error, PluginError):
        return str(error)
    return fault_text(error)


class PluginError(Exception):
    """A row does not follow the contract of its table; the message is the reason."""


def _check(condition: bool, message: str) -> None:
    if not condition:
        raise PluginError(message)


def _check_key(key: str, builtin_keys: Collection[str], others: Sequence[PluginRow], kind: str) -> None:
    """Reject a key that this program or a package loaded before has; keys are compared within one table."""
    _check(isinstance(key, str) and bool(key), f"a {kind} without a key")
    _check(key not in builtin_keys, f"there is already a {kind} '{key}' in this program, which is used")
    for other in others:
        owner = f"{other.package} {other.version}"
        _check(key != other.key, f"there is already a {kind} '{key}' of {owner}, which is used")


def _rows_of(group: str, others: Sequence[PluginRow]) -> list[PluginRow]:
    return [other for other in others if other.group == group]


def _check_measure(row: Any, others: Sequence[PluginRow]) -> tuple[str, str]:
    from shrec_viewer.metrics import FAMILIES, MEASURES, Measure, UnknownKeyError
    from shrec_viewer.metrics.measures.measure import NAME_PATTERN, resolve_measure

    _check(isinstance(row, Measure), f"{row!r} is not a Measure")
    is_name = NAME_PATTERN.fullmatch(row.name) is not None
    _check(is_name, f"the name '{row.name}' does not consist of letters followed by digits")
    _check_key(row.name, (), [replace(other, key=other.row.name) for other in _rows_of("measures", others)], "measure")
    try:
        resolve_measure(row.name, MEASURES, FAMILIES)  # also finds other names, such as MAP, and keys such as P20
    except UnknownKeyError:
        pass
    else:
        raise PluginError(f"there is already a measure '{row.name}' in this program, which is used")
    _check(callable(row.function), f"the function of the measure '{row.name}' is not callable")
    for field in ("label", "definition", "formula", "source"):
        _check(isinstance(getattr(row, field), str), f"'{field}' of the measure '{row.name}' is not text")
    _check(_is_range(row.range), f"'range' of the measure '{row.name}' is not a pair of ascending numbers")
    _check(row.better in ("higher", "lower", "none"), f"'better' of the measure '{row.name}' is '{row.better}'")
    return row.at().key, row.label


def _is_range(value: Any) -> bool:
    try:
        low, high = map(float, value)
    except (TypeError, ValueError):
        return False
    return low <= high


def _check_curve(row: Any, others: Sequence[PluginRow]) -> tuple[str, str]:
    from shrec_viewer.metrics import CURVES, Curve

    _check(isinstance(row, Curve), f"{row!r} is not a Curve")
    _check_key(row.key, [curve.key for curve in CURVES], _rows_of("curves", others), "curve")
    _check(callable(row.function), f"the function of the curve '{row.key}' is not callable")
    return row.key, row.label


def _check_profile(row: Any, others: Sequence[PluginRow]) -> tuple[str, str]:
    from shrec_viewer.metrics import CURVES, FAMILIES, MEASURES, PROFILES, TEXTBOOK_SUFFIX, Profile
    from shrec_viewer.metrics.measures.measure import resolve_measure
    from shrec_viewer.metrics.profiles.conventions import CONVENTIONS, check_convention

    _check(isinstance(row, Profile), f"{row!r} is not a Profile")
    _check_key(row.key, [profile.key for profile in PROFILES], _rows_of("profiles", others), "profile")
    are_keys = all(isinstance(keys, tuple | list) for keys in (row.measures, row.curves))
    _check(are_keys, f"'measures' or 'curves' of the profile '{row.key}' is not a tuple of keys")
    _check("+" not in row.key and not row.key.endswith(TEXTBOOK_SUFFIX), f"'{row.key}' is not a key of a profile")
    measures = (*MEASURES, *(other.row for other in _rows_of("measures", others)))
    for key in (*row.measures, row.headline):
        canonical = resolve_measure(key, measures, FAMILIES).key
        _check(canonical == key, f"the key of the measure '{key}' is '{canonical}'")
    _check(row.headline in row.measures, f"the headline '{row.headline}' is not one of the measures")
    known = {curve.key for curve in CURVES} | {other.key for other in _rows_of("curves", others)}
    unknown = [key for key in row.curves if key not in known]
    _check(not unknown, f"there is no curve '{', '.join(unknown)}'")
    for convention in CONVENTIONS:
        check_convention(convention.field, getattr(row, convention.field))
    return row.key, row.title


def _check_reader(row: Any, others: Sequence[PluginRow]) -> tuple[str, str]:
    from shrec_viewer.formats.core.reader import FormatReader
    from shrec_viewer.formats.discovery.reader_table import READERS

    _check(isinstance(row, FormatReader), f"{row!r} is not a RunReader or TruthReader")
    _check_key(row.key, [reader.key for reader in READERS], _rows_of("readers", others), "reader")
    return row.key, row.label


def _check_content(row: Any, others: Sequence[PluginRow]) -> tuple[str, str]:
    from shrec_viewer.content.contents import CONTENT, Content

    _check(isinstance(row, Content), f"{row!r} is not a Content")
    _check_key(row.key, [content.key for content in CONTENT], _rows_of("contents", others), "content")
    functions = [function for function in (row.chart, row.table) if function is not None]
    _check(bool(functions), f"the content '{row.key}' has no chart and no table")
    _check(all(map(callable, functions)), f"a function of the content '{row.key}' is not callable")
    known = [field for content in CONTENT for field in content.request.options()]
    shapes = {field.argument(command): (field.kind, field.pair) for command in ("figure", "table") for field in known}
    for field in row.request.options():
        shape, name = (field.kind, field.pair), field.argument("figure")
        _check(
            shapes.get(name, shape) == shape, f"the option '{name}' of the content '{row.key}' has another type here"
        )
    return row.key, row.title


def _check_panel(row: Any, others: Sequence[PluginRow]) -> tuple[str, str]:
    from shrec_viewer.panels import PANELS, PERSPECTIVES, Panel

    _check(isinstance(row, Panel), f"{row!r} is not a Panel")
    _check_key(row.key, [panel.key for panel in PANELS], _rows_of("panels", others), "panel")
    _check(row.area in ("left", "right", "bottom"), f"the area '{row.area}' is not left, right or bottom")
    unknown = set(row.perspectives) - {perspective.key for perspective in PERSPECTIVES}
    _check(not unknown, f"there is no perspective '{', '.join(sorted(unknown))}'")
    _check(callable(row.factory), f"the factory of the panel '{row.key}' is not callable")
    return row.key, row.title


#: For each table: key and label of a row that follows its contract; else an exception. `GROUPS` is in such an order
#: that the measures and curves of a profile are loaded before it.
_CHECKS: dict[str, Callable[[Any, Sequence[PluginRow]], tuple[str, str]]] = {
    "measures": _check_measure,
    "curves": _check_curve,
    "profiles": _check_profile,
    "readers": _check_reader,
    "contents": _check_content,
    "panels": _check_panel,
}


@cache
def _warn_once(message: str) -> None:
    """Log a warning that would else be repeated for each file or run."""
    _log.warning("%s", message)


def _named(kind: str, row: PluginRow) -> str:
    """A row with its package, for messages."""
    return f"the {kind} '{row.key}' of {row.package} {row.version}"


def _check_values(name: str, values: Any, shapes: Sequence[tuple[int, ...]], limits: "tuple[float, float]") -> Any:
    """Float64 copy of an array that a plug-in returned; PluginError for other types, shapes and numbers.

    Parameters
    ----------
    shapes : those that are allowed.
    limits : smallest and largest value; differences of rounding are allowed, and NaN.
    """
    import numpy as np

    found = np.asarray(values)
    _check(not np.ma.is_masked(values), f"{name} has masked numbers; NaN is undefined")
    _check(found.dtype.kind in "biuf", f"{name} has type '{found.dtype}' instead of real numbers")
    expected = " or ".join(map(str, shapes))
    _check(found.shape in shapes, f"{name} has shape {found.shape} instead of {expected}")
    result = np.array(found, np.float64)
    least, most = limits
    tolerance = ROUNDING * max([1.0, *(abs(limit) for limit in limits if np.isfinite(limit))])
    is_outside = np.isinf(result) | (result < least - tolerance) | (result > most + tolerance)
    if np.any(is_outside):
        text = f"{result[is_outside][0]:g}, which is not a number from {least:g} to {most:g}"
        raise PluginError(f"{name} contains {text}")
    return result


def _guarded_measure(row: PluginRow) -> "Measure":
    measure: Measure = row.row
    calculation = measure.calculation and _GuardedCalculation(row, measure.calculation)
    return replace(measure, function=_GuardedMeasure(row), calculation=calculation)


@dataclass(frozen=True)
class _GuardedMeasure:
    """The function of a plug-in measure; NaN for all queries, and a warning, if it raises or returns other values."""

    row: PluginRow

    def __call__(self, hits: "HitTable", profile: "Profile", level: int, cutoff: int | None) -> "NDArray[np.float64]":
        import numpy as np

        from shrec_viewer.metrics import ResolvedMeasure

        measure: Measure = self.row.row
        try:
            with np.errstate():  # restores what the function sets
                # A copy of the table without copies of its arrays: these are read-only, other attributes are not.
                values = measure.function(replace(hits), profile, level, cutoff)
            limits = ResolvedMeasure(measure, level, cutoff).range_under(profile)
            checked: NDArray[np.float64] = _check_values("the result", values, [(len(hits),)], limits)
            return checked
        except BaseException as error:
            _warn_once(f"{_named('measure', self.row)} failed, its values are undefined: {_reason(error)}")
            return np.full(len(hits), np.nan)


@dataclass(frozen=True)
class _GuardedCalculation:
    """How a plug-in measure writes its calculation; only the inputs, and a warning, if it raises."""

    row: PluginRow
    function: "CalculationFunction"

    def __call__(self, inputs: "MeasureInputs") -> "CalculationSteps":
        from shrec_viewer.metrics import CalculationSteps
        from shrec_viewer.metrics.measures.calculation import inputs_only

        try:
            steps = self.function(inputs)
            _check(isinstance(steps, CalculationSteps), f"it returned {type(steps).__name__}, no CalculationSteps")
            return steps
        except BaseException as error:
            _warn_once(f"the calculation of {_named('measure', self.row)} failed: {_reason(error)}")
            values = _GuardedMeasure(self.row)(inputs.hits, inputs.profile, inputs.level, inputs.cutoff)
            return inputs_only(inputs, float(values[0]))


def _guarded_curve(row: PluginRow) -> "Curve":
    curve: Curve = row.row

    def guard(function: "CurveFunction | None") -> "_GuardedCurve | None":
        return None if function is None else _GuardedCurve(row, function)

    averages = tuple(replace(average, function=_GuardedCurve(row, average.function)) for average in curve.averages)
    return replace(
        curve,
        function=_GuardedCurve(row, curve.function),
        average=guard(curve.average),
        random=guard(curve.random),
        averages=averages,
        at_generality=None if curve.at_generality is None else _GuardedGenerality(row, curve.at_generality),
    )


def _checked_curve(row: PluginRow, values: Any, n_queries: int, points: int | None) -> "CurveValues":
    """What a function of a plug-in curve returned, in new arrays; `points` is None where it is not fixed."""
    import numpy as np

    from shrec_viewer.metrics import CurveValues

    curve: Curve = row.row
    _check(isinstance(values, CurveValues), f"it returned {type(values).__name__} instead of CurveValues")
    ordinates: tuple[int, ...] = getattr(values.y, "shape", ())
    _check(len(ordinates) == 2 and ordinates[0] == n_queries, f"'y' is not one row for each of {n_queries} queries")
    _check(points in (None, ordinates[1]), f"'y' has {ordinates[1]} ranks instead of {points}")
    unlimited = (-INFINITE, INFINITE)
    bounds = {
        name: None if bound is None else _check_values(f"'{name}'", bound, [ordinates], curve.y_range or unlimited)
        for name, bound in (("lower", values.lower), ("upper", values.upper))
    }
    x = _check_values("'x'", values.x, [ordinates[1:], ordinates], unlimited)
    y = _check_values("'y'", values.y, [ordinates], curve.y_range or unlimited)
    drawn = np.broadcast_to(x, ordinates)[~np.all(np.isnan(y), axis=1)]
    _check(bool(np.all(np.isfinite(drawn))), "'x' contains NaN")
    _check(bool(np.all(np.diff(drawn) >= 0)), "'x' is not ascending")
    return replace(values, x=x, y=y, **bounds)


@dataclass(frozen=True)
class _GuardedCurve:
    """A function of a plug-in curve; undefined points, and a warning, if it raises or returns other values."""

    row: PluginRow
    function: "CurveFunction"

    def __call__(self, hits: "HitTable", profile: "Profile", points: int) -> "CurveValues":
        import numpy as np

        try:
            with np.errstate():
                values = self.function(replace(hits), profile, points)
            return _checked_curve(self.row, values, len(hits), points if self.row.row.x == "rank" else None)
        except BaseException as error:
            return _undefined_curve(self.row, len(hits), points, error)


@dataclass(frozen=True)
class _GuardedGenerality:
    """`Curve.at_generality` of a plug-in, guarded like `_GuardedCurve`."""

    row: PluginRow
    function: "CurveAtGenerality"

    def __call__(self, hits: "HitTable", doublings: float | None) -> "CurveValues":
        import numpy as np

        try:
            with np.errstate():
                values = self.function(replace(hits), doublings)
            return _checked_curve(self.row, values, len(hits), None)
        except BaseException as error:
            return _undefined_curve(self.row, len(hits), 1, error)


def _undefined_curve(row: PluginRow, n_queries: int, points: int, error: BaseException) -> "CurveValues":
    import numpy as np

    from shrec_viewer.metrics import CurveValues

    _warn_once(f"{_named('curve', row)} failed, it is undefined: {_reason(error)}")
    return CurveValues(np.arange(1.0, points + 1.0), np.full((n_queries, points), np.nan))


def _guarded_content(row: PluginRow) -> "Content":
    from shrec_viewer.charts.chart import Chart
    from shrec_viewer.charts.table import Table

    content: Content = row.row

    def guard(function: Callable[..., Any] | None, result: Any) -> "_GuardedContent | None":
        return None if function is None else _GuardedContent(row, function, result)

    return replace(
        content,
        chart=guard(content.chart, Chart),
        table=guard(content.table, Table),
        images=guard(content.images, list),
    )


@dataclass(frozen=True)
class _GuardedContent:
    """A function of a plug-in content; ShrecViewerError for every exception, which is shown in place of the content.

    Also for a result that is not an instance of `result`.
    """

    row: PluginRow
    function: Callable[..., Any]
    result: Any

    def __call__(self, data: Any, request: Any) -> Any:
        from shrec_viewer.domain import Cancelled, ShrecViewerError

        try:
            found = self.function(data, request)
            _check(isinstance(found, self.result), f"it returned {type(found).__name__}")
            return found
        except (ShrecViewerError, Cancelled):
            raise
        except BaseException as error:
            raise ShrecViewerError(f"{_named('content', self.row)} failed: {_reason(error)}") from error


def _guarded_reader(row: PluginRow) -> "FormatReader":
    from shrec_viewer.formats.core.reader import RunReader

    reader: FormatReader = row.row
    guarded = replace(
        reader,
        recognise=_GuardedRecognition(row, "recognise a file", reader.recognise),
        read=_GuardedRead(row, reader.read, in_folder=isinstance(reader, RunReader) and reader.read_folder is not None),
    )
    if not isinstance(guarded, RunReader):
        return guarded
    return replace(
        guarded,
        rank=_GuardedRank(row, guarded.rank),
        accept=guarded.accept and _GuardedRecognition(row, "accept a file", guarded.accept),
        read_folder=guarded.read_folder and _GuardedRead(row, guarded.read_folder, is_optional=True),
    )


@dataclass(frozen=True)
class _GuardedRecognition:
    """The recognition of a plug-in format; no match, and a warning, if it raises."""

    row: PluginRow
    action: str
    function: Callable[..., Any]

    def __call__(self, *arguments: Any) -> Any:
        try:
            return self.function(*arguments)
        except BaseException as error:
            _warn_once(f"{_named('reader', self.row)} failed to {self.action}: {_reason(error)}")
            return False


@dataclass(frozen=True)
class _GuardedRead:
    """A read function of a plug-in format; FormatError for every exception, as readers of this package raise.

    Also for a result that does not follow the contract of the format.

    Attributes
    ----------
    in_folder : whether it reads one of several files of a run, of which no type is required.
    is_optional : whether it may return None.
    """

    row: PluginRow
    function: Callable[..., Any]
    in_folder: bool = False
    is_optional: bool = False

    def __call__(self, path: Any, *args: Any, **options: Any) -> Any:
        from shrec_viewer.domain import Cancelled, FormatError

        try:
            content = self.function(path, *args, **options)
            if not self.in_folder and not (self.is_optional and content is None):
                _check_parsed(self.row.row, content)
            return content
        except (FormatError, Cancelled):
            raise
        except BaseException as error:
            raise FormatError(path, f"{_named('reader', self.row)} failed: {_reason(error)}") from error


@dataclass(frozen=True)
class _GuardedRank:
    """The rank function of a plug-in format; FormatError for every exception, so that only this run is ignored.

    Also for lists and matrices whose arrays do not fit the benchmark.
    """

    row: PluginRow
    function: Callable[..., Any]

    def __call__(self, parsed: Any, context: Any, *args: Any) -> Any:
        from shrec_viewer.domain import Cancelled, FormatError

        try:
            ranking = self.function(parsed, context, *args)
            if ranking is not None:
                _check_ranking(ranking, len(context.queries), len(context.collection))
            return ranking
        except (FormatError, Cancelled):
            raise
        except BaseException as error:
            raise FormatError(parsed.path, f"{_named('reader', self.row)} failed: {_reason(error)}") from error


def _check_ranking(ranking: Any, n_queries: int, n_models: int) -> None:
    """Whether the arrays of a run have the shapes, types and indices of the benchmark."""
    import numpy as np

    from shrec_viewer.domain import DistanceMatrix, RankedLists

    kind = type(ranking).__name__
    _check(isinstance(ranking, RankedLists | DistanceMatrix), f"it returned {kind}, no RankedLists or DistanceMatrix")
    if isinstance(ranking, DistanceMatrix):
        shape = tuple(getattr(ranking.values, "shape", ()))
        is_real = np.dtype(getattr(ranking.values, "dtype", object)).kind == "f"
        _check(len(shape) == 2 and is_real, "'values' is not a matrix of floating-point numbers")
        _check_length("rows", ranking.rows, n_queries)
        _check_length("columns", ranking.columns, shape[1])
        _check_indices("rows", ranking.rows, -1, shape[0])
        _check_indices("columns", ranking.columns, -1, n_models)
        models = ranking.columns[ranking.columns >= 0]
        _check(len(np.unique(models)) == len(models), "'columns' repeats a model")
        return
    _check_length("indptr", ranking.indptr, n_queries + 1)
    _check_indices("indptr", ranking.indptr, 0, len(ranking.items) + 1)
    is_complete = ranking.indptr[0] == 0 and ranking.indptr[-1] == len(ranking.items)
    _check(bool(is_complete and np.all(np.diff(ranking.indptr) >= 0)), "'indptr' is not ascending from 0 to the end")
    _check_indices("items", ranking.items, -1, n_models)
    _check_length("present", ranking.present, n_queries)
    _check(np.asarray(ranking.present).dtype.kind == "b", "'present' is not of type bool")
    if ranking.distances is not None:
        _check_length("distances", ranking.distances, len(ranking.items))
        _check(np.asarray(ranking.distances).dtype.kind == "f", "'distances' is not of floating-point numbers")
    if ranking.unknown is not None:
        _check_length("unknown", ranking.unknown, len(ranking.items))
        _check_indices("unknown", ranking.unknown, -1, len(ranking.unknown_ids))


def _check_parsed(reader: "FormatReader", content: Any) -> None:
    """Whether the result of a plug-in format has the type that discovery expects, and indices in range."""
    from shrec_viewer.formats.core.reader import ParsedRun, RunReader, TruthReader
    from shrec_viewer.formats.truth.class_tables import LabelTable, LabelVector
    from shrec_viewer.formats.truth.id_lists import IdList, PartialityFile
    from shrec_viewer.formats.truth.qrels import QrelsFile

    kind = type(content).__name__
    if isinstance(reader, RunReader) and reader.read_folder is None:
        _check(isinstance(content, ParsedRun), f"it returned {kind} instead of a ParsedRun")
    if isinstance(reader, TruthReader):
        is_truth = isinstance(content, LabelTable | QrelsFile | LabelVector | IdList | PartialityFile)
        _check(is_truth, f"it returned {kind} instead of a QrelsFile or LabelTable")
    if isinstance(content, QrelsFile):
        lengths = {len(column) for column in (content.query, content.models, content.level, content.lines)}
        _check(len(lengths) == 1, "'query', 'models', 'level' and 'lines' have different lengths")
        _check(len(content.zero_query) == len(content.zero_models), "'zero_query' and 'zero_models' differ in length")
        _check_indices("query", content.query, 0, len(content.queries))
        _check_indices("zero_query", content.zero_query, 0, len(content.queries))
    if isinstance(content, LabelTable):
        _check(len(content.labels) == len(content.ids), "'labels' and 'ids' have different lengths")
        _check(len(content.parents) == len(content.names), "'parents' and 'names' have different lengths")
        _check_indices("labels", content.labels, -1, len(content.names))
        _check_indices("parents", content.parents, -1, len(content.names))


def _check_indices(name: str, indices: Any, least: int, count: int) -> None:
    import numpy as np

    found = np.asarray(indices)
    _check(found.dtype.kind in "iu" or found.size == 0, f"'{name}' has type '{found.dtype}' instead of integers")
    outside = [*found[(found < least) | (found >= count)][:1], 0]
    _check(len(outside) == 1, f"'{name}' contains {outside[0]}, which is not from {least} to {count - 1}")


def _check_length(name: str, array: Any, length: int) -> None:
    shape = getattr(array, "shape", None)
    _check(shape == (length,), f"'{name}' has shape {shape} instead of {(length,)}")
