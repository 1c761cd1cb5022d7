"""Generality plot panel: recall as a function of the size of the collection."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QScrollArea,
    QSizePolicy,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.charts.plot import PlotCurve, ReferenceLine, References
from shrec_viewer.content.curves import (
    BEFORE_EDITS,
    IDEAL,
    RANDOM,
    SCOPE_LINES,
    TRIS_POINT,
    curve_references,
    generality_range,
    mean_axis_labels,
)
from shrec_viewer.content.generality import (
    X_LABELS,
    FamilyRequest,
    GeneralityPlotRequest,
    SurfaceRequest,
    family_lines,
    generality_references,
    generality_scope_labels,
    surface_figure,
)
from shrec_viewer.content.request import Request
from shrec_viewer.evaluation.plots.curves import RunCurve
from shrec_viewer.evaluation.plots.generality import (
    ADD_IRRELEVANT,
    CLASS_SIZES,
    GENERALITY_SCOPES,
    GeneralityCurve,
    GeneralityCurves,
)
from shrec_viewer.metrics import find_measure
from shrec_viewer.metrics.curves.generality_curves import E_CURVE
from shrec_viewer.metrics.curves.precision_recall import PR
from shrec_viewer.metrics.generality.expected_measures import MeanCurves
from shrec_viewer.metrics.generality.scope_graph import CONFOUNDED
from shrec_viewer.metrics.generality.surface import GeneralitySurface
from shrec_viewer.metrics.measures.sources import GENERALITY
from shrec_viewer.number_format import format_generality, format_interval, format_value
from shrec_viewer.panels.panel import missing_scores_reason
from shrec_viewer.panels.plots.plot_panel import (
    LABELS,
    MEAN,
    QUERY,
    PlotAxes,
    PlotKind,
    PlotPanel,
    ValueColumn,
    former_lines,
    value_columns,
)
from shrec_viewer.render.scene.palette import point_marker
from shrec_viewer.viewmodels.plots.curves import CurveModel
from shrec_viewer.viewmodels.plots.generality import GeneralityModel, GeneralitySurfaceModel
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import ScaledLabel
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.plots.overlays import (
    NO_CURSOR,
    CurveDot,
    PlotCursor,
)
from shrec_viewer.widgets.plots.surface_view import SurfaceData, SurfaceView
from shrec_viewer.widgets.style.theme import SPACE


def embedding_label(doublings: float, kept: int | None, irrelevant: int | None) -> str:
    """Label of an embedding: its generality and how many of the irrelevant models it contains.

    Examples
    --------
    >>> embedding_label(3.0, 728, 1710), embedding_label(3.0, None, None)
    ('g = 1/8: 728 of 1,710 irrelevant models', 'g = 1/8 for every query')
    """
    if kept is None or irrelevant is None:
        return f"{format_generality(doublings)} for every query"
    return f"{format_generality(doublings)}: {kept:,} of {irrelevant:,} irrelevant models"


def loss_description(run: str, loss: float, last: float, bounds: tuple[float, float] | None = None) -> str:
    """Mean loss of recall per doubling of the collection.

    Parameters
    ----------
    loss : mean loss per doubling; NaN where unknown.
    last : loss of the last doubling; NaN where unknown.
    bounds : lowest and highest mean loss where the lists do not contain all models; None where they do.

    Examples
    --------
    >>> loss_description("K2", 0.0621, 0.0409)
    'K2 loses 0.062 of its recall per doubling of the collection on average, 0.041 in the last doubling.'
    >>> loss_description("K2", 0.0621, float("nan"))
    'K2 loses 0.062 of its recall per doubling of the collection on average.'
    >>> loss_description("K2", 0.11, 0.04, (0.0061, 0.2092))
    'K2 loses between 0.006 and 0.209 of its recall for each doubling of the collection: its lists are truncated.'
    >>> loss_description("K2", -0.001, float("nan"))
    'K2 loses no recall when the collection doubles.'
    >>> loss_description("K2", float("nan"), float("nan"))
    ''
    """
    if math.isnan(loss):
        return ""
    if bounds is not None and format_value(bounds[0]) != format_value(bounds[1]):
        between = f"between {format_value(bounds[0])} and {format_value(bounds[1])}"
        return f"{run} loses {between} of its recall for each doubling of the collection: its lists are truncated."
    if loss < 0.0005:
        return f"{run} loses no recall when the collection doubles."
    text = f"{run} loses {format_value(loss)} of its recall per doubling of the collection on average"
    return f"{text}." if math.isnan(last) else f"{text}, {format_value(last)} in the last doubling."


def surface_data(surface: GeneralitySurface, run: str, level: float | None) -> SurfaceData:
    """What the drawing of the surface shows."""
    shown = surface_figure(surface, "", level)
    return SurfaceData(f"Surface of {run}", shown.doublings, shown.recall, shown.precision, shown.diagonal, level)


def surface_columns(surface: GeneralitySurface) -> list[ValueColumn]:
    """Columns -log2 g, g, relevant scope, recall and precision of all points of the surface."""
    shape = surface.recall.shape
    x = np.broadcast_to(surface.doublings[:, None], shape).ravel()
    scopes = np.broadcast_to(surface.relevant_scopes, shape).ravel()
    recall, precision = surface.recall.ravel(), surface.precision.ravel()
    keep = np.isfinite(recall)
    titles = ("−log₂ g", "g", "s / c", "Recall", "Precision")
    values = (x, np.exp2(-x), scopes, recall, precision)
    return [ValueColumn(title, column[keep]) for title, column in zip(titles, values, strict=True)]


def generality_columns(curves: list[PlotCurve], result: GeneralityCurves, chance: bool) -> list[ValueColumn]:
    """Columns -log2 g, g and each run; the random baseline at the x of the first run."""
    if not curves:
        return []
    x = curves[0].x
    has_chance = chance and len(x) and len(result.random_x)
    lines = (ReferenceLine("Random", x, np.interp(x, result.random_x, result.random)),) if has_chance else ()
    differs = any(not np.array_equal(curve.x, x) for curve in curves)
    columns = value_columns(curves, References((), lines), "−log₂ g", "Recall", separate_x=differs)
    return [columns[0], ValueColumn("g", np.exp2(-columns[0].values), 6), *columns[1:]]


SLIDER_STEP = 0.05
"""Step of the slider in doublings: 3.5 % more models, less than is visible in the plot."""

MAX_ROWS = 5
"""Maximum number of measures: recall, precision, E-measure, average precision, NDCG."""

COMPACT_LINES = 9
"""Width in lines of text at the side of a plot without the table: the slider and its wrapped label."""

CONTROLS_WIDTH = 270
"""Width in pixels at the side of a plot: the longest measure and two numbers."""


class ExpectedRow(NamedTuple):
    """A measure in the embedding of the slider and in the whole collection, with the bounds of truncated lists.

    `values` are two numbers, `tips` the tooltips with their bounds, "" where the values are certain.
    """

    name: str
    values: tuple[float, float]
    tips: tuple[str, str]

    @classmethod
    def of(cls, name: str, means: MeanCurves, divisor: float = 1.0) -> "ExpectedRow":
        """Row of a measure; `divisor` makes precision from recall."""
        value, lower, upper = (values / divisor for values in means)
        tips = [
            f"{format_interval(low, high)}, because lists are truncated" if high - low >= 0.0005 else ""
            for low, high in zip(lower.tolist(), upper.tolist(), strict=True)
        ]
        return cls(name, (float(value[0]), float(value[1])), (tips[0], tips[1]))


SLIDER_TOOLTIP = "Number of irrelevant models in the collection"


CONTROLS_SCALE = 0.92
"""Text size of the controls of the embedding, relative to that of the program."""


class WrappedLabel(ScaledLabel):
    """Label of wrapped text that is not lower than its lines, so that a scroll area scrolls instead of cutting it."""

    def __init__(self, scale: float = 1.0, *, bold: bool = False) -> None:
        super().__init__("", scale, bold=bold)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def minimumSizeHint(self) -> QSize:
        """Height of the lines in the current width."""
        return QSize(0, max(self.heightForWidth(self.width()), 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override; another width needs another number of lines."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.updateGeometry()


class EmbeddingControls(QWidget):
    """Slider for the size of the embedding, and the measures expected there.

    Signals
    -------
    level_selected(float)
        -log2 of the generality of the embedding; NaN for the whole collection.
    """

    level_selected = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._top = 0.0
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.caption = WrappedLabel(CONTROLS_SCALE, bold=True)
        self.loss = WrappedLabel(CONTROLS_SCALE)
        self._cells = [
            [ScaledLabel(scale=CONTROLS_SCALE, bold=not row) for _ in range(3)] for row in range(MAX_ROWS + 1)
        ]
        self._area, self._content = QScrollArea(), QWidget()
        self._build()
        self.slider.valueChanged.connect(self._emit_level)
        self._is_updating = self._is_compact = False
        self._rows: list[tuple[str, str, str]] = []

    def _build(self) -> None:
        self.slider.setAccessibleName("Size of the embedding")
        set_tooltip(self.slider, SLIDER_TOOLTIP)
        self.slider.setPageStep(round(1.0 / SLIDER_STEP))
        self.slider.setRange(0, 1)
        self.slider.setValue(1)  # the maximum: the whole collection
        self.loss.setProperty("muted", True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(3 * SPACE)
        grid.setVerticalSpacing(1)
        grid.setColumnStretch(0, 1)
        for row, labels in enumerate(self._cells):
            for column, label in enumerate(labels):
                if column:
                    label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                if not row or column == 0:
                    label.setProperty("muted", True)
                label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)  # scrolled, not squeezed
                grid.addWidget(label, row, column)
        area, content = self._area, self._content  # in a low dock or with a large font, the rows would overlap
        layout = QVBoxLayout(content)
        layout.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, 2 * SPACE)
        layout.setSpacing(SPACE)
        layout.addWidget(self.caption)
        layout.addWidget(self.slider)
        layout.addLayout(grid)
        layout.addWidget(self.loss)
        layout.addStretch(1)
        area.setWidget(content)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)

    def set_span(self, top: float) -> None:
        """Set the range of the slider: from no irrelevant model to the whole collection, -log2 g = `top`."""
        steps = 0 if math.isnan(top) else math.ceil(top / SLIDER_STEP - 1e-9)
        was_at_maximum = self.slider.value() >= self.slider.maximum()
        self._top = 0.0 if math.isnan(top) else top
        self._is_updating = True
        self.slider.setEnabled(steps > 0)
        self.slider.setRange(0, max(1, steps))
        if was_at_maximum:
            self.slider.setValue(max(1, steps))
        self._is_updating = False

    def set_level(self, level: float | None) -> None:
        """Move the slider without emitting `level_selected`; None for the whole collection."""
        self._is_updating = True
        self.slider.setValue(self.slider.maximum() if level is None else round(level / SLIDER_STEP))
        self._is_updating = False

    def set_values(self, caption: str, header: tuple[str, str], rows: Sequence["ExpectedRow"]) -> None:
        """Show the label of the embedding, and the measures expected in it and in the whole collection."""
        self.caption.setText(caption)
        self.slider.setAccessibleDescription(caption)
        texts = [(row.name, format_value(row.values[0]), format_value(row.values[1])) for row in rows]
        self._rows = [("", *header), *texts] if rows else []
        tips = [("", "", ""), *(("", row.tips[0], row.tips[1]) for row in rows)]
        for index, labels in enumerate(self._cells):
            cells = self._rows[index] if index < len(self._rows) else ("", "", "")
            for column, (label, text) in enumerate(zip(labels, cells, strict=True)):
                label.setText(text)
                set_tooltip(label, tips[index][column] if index < len(self._rows) else "")
        lines = (f"{name}: {embedded} ({header[1]}: {whole})" for name, embedded, whole in texts)
        set_tooltip(self.caption, "\n".join(lines))
        self._show_parts()

    def set_compact(self, compact: bool) -> None:
        """Show the measures only in the tooltip of the caption."""
        self._is_compact = compact
        self._show_parts()

    def _show_parts(self) -> None:
        for index, labels in enumerate(self._cells):
            for label in labels:
                label.setVisible(index < len(self._rows) and not self._is_compact)
        self.loss.setVisible(not self._is_compact and bool(self.loss.text()))

    def set_loss_text(self, text: str) -> None:
        """Show the loss of recall per doubling."""
        self.loss.setText(text)
        set_tooltip(self.slider, text or SLIDER_TOOLTIP)
        self._show_parts()

    def sizeHint(self) -> QSize:
        """Width in which no value is cut off."""
        return QSize(self.width_at_side, super().sizeHint().height())

    @property
    def width_at_side(self) -> int:
        """Width in pixels at the side of a plot: no value is cut off, with a vertical scroll bar either."""
        if self._is_compact:
            return COMPACT_LINES * self.fontMetrics().height()
        content = self._content.minimumSizeHint().width()
        return max(CONTROLS_WIDTH, content + self._area.verticalScrollBar().sizeHint().width())

    @Slot(int)
    def _emit_level(self, value: int) -> None:
        if not self._is_updating:
            is_whole = value >= self.slider.maximum()
            self.level_selected.emit(math.nan if is_whole else min(value * SLIDER_STEP, self._top))


E_MEASURE, PRECISION_RECALL, SURFACE = "E", "PR", "GReP"
"""Keys of the plots that are not of one relevant scope; the others are the scopes."""

FAMILY_DEFINITION = (
    "Precision over recall of the selected run at several values of generality, each half of the one before, and of "
    "all runs at the generality of the slider. Means are at equal relevant scope and generality."
)

SURFACE_DEFINITION = (
    "Precision over recall and generality of the selected run. The bold line is recall = precision (GRiP), the dashed "
    "one that of random rankings; the highlighted line is at the generality of the slider."
)

SIDE_BY_SIDE_RATIO = 1.6
"""Width over height from which the controls are at the right of the plot instead of below it."""

MIN_PLOT_LINES = 11
"""Width in lines of text of a plot with axis and names of curves, below which the controls at its right have no table:
their measures are in the tooltip."""

MIN_TABLE_HEIGHT = 460
"""Height in pixels from which the measures fit below the plot, not only the slider."""

MAX_WIDGET_WIDTH = 16_777_215
"""Qt's QWIDGETSIZE_MAX, which PySide6 does not export: no maximum width."""

GENERALITY_DEFINITION = (
    "Expected recall at rank n c if the collection contained only a random part of the irrelevant models, so many that "
    "the generality g = c / (c + irrelevant models) is the same for all queries. The expectation is exact; the last "
    "point is the recall in the whole collection. A random ranking has the expected recall n g."
)


class GeneralityPanel(PlotPanel):
    """Recall at a scope as a function of generality, with a slider for the size of the embedding."""

    def __init__(self, session: Session) -> None:
        tip = f"{GENERALITY_DEFINITION}\n{GENERALITY}"
        entries = []
        for scope in GENERALITY_SCOPES:
            key, name = generality_scope_labels(scope)
            entries.append(PlotKind(str(scope), key, name, f"{key}  {name}\n{tip}"))
        e_tip = f"{E_CURVE.label}\n{E_CURVE.definition}\n{E_CURVE.source}"
        entries.append(PlotKind(E_MEASURE, "E", "E-measure at rank 32", e_tip))
        source = f"{GENERALITY}, figures 1 and 3"
        entries.append(
            PlotKind(PRECISION_RECALL, "PR", "Precision-recall at several g", f"{FAMILY_DEFINITION}\n{source}")
        )
        entries.append(
            PlotKind(SURFACE, "GReP", "Generality-recall-precision surface", f"{SURFACE_DEFINITION}\n{source}")
        )
        super().__init__(session, "generality", entries)
        self._kind = str(GENERALITY_SCOPES[0])
        self._generality = GeneralityModel(session, self)
        self._precision_recall = CurveModel(session, "curves generality", PR, self, active=False)
        self._precision_recall.set_average("generality")
        self._surface = GeneralitySurfaceModel(session, self)
        self.surface_view = SurfaceView()
        self._pages.addWidget(self.surface_view)
        self.add_active_model(self._generality)
        self.footer = EmbeddingControls()
        self._arrange()
        self._add_options()
        set_tooltip(self.header.kinds, tip)
        self.header.kind_selected.connect(self._select_scope)
        self.header.option_toggled.connect(self._select_option)
        self.footer.level_selected.connect(self._select_level)
        self._generality.changed.connect(self._show_all)
        self._generality.expected_changed.connect(self._show_expected)
        self._precision_recall.changed.connect(self._show_all)
        self._surface.changed.connect(self._show_all)
        session.benchmark_changed.connect(self._show_all)
        session.scores_changed.connect(self._show_all)
        self.show_all()

    def _arrange(self) -> None:
        """Put plot and controls into a layout that can change its direction."""
        middle = QWidget()
        self._side_layout = QBoxLayout(QBoxLayout.Direction.TopToBottom, middle)
        self._side_layout.setContentsMargins(0, 0, 0, 0)
        self._side_layout.setSpacing(0)
        self.column.removeWidget(self._plot_area)
        self._side_layout.addWidget(self._plot_area, 1)
        self._side_layout.addWidget(self.footer)
        self.column.addWidget(middle, 1)

    def _add_options(self) -> None:
        variations = [(ADD_IRRELEVANT, "Collection size"), (CLASS_SIZES, "Class size")]
        self.header.add_option_group("Vary generality by", variations, ADD_IRRELEVANT)
        self.header.add_option(RANDOM, "Random baseline", on=True, tip="The band contains 95 % of random rankings")
        self.header.add_option(IDEAL, "Ideal ranking (TRIS)")
        self.header.add_option(SCOPE_LINES, "Constant-scope lines", on=True, tip="Precision = recall × c / s")
        self.header.add_option(TRIS_POINT, "Total recall ideal system (TRIS)")
        self.header.add_option(LABELS, "Label lines", on=True)
        self._add_actions()

    def height_hint(self) -> tuple[int, int]:
        """See `Panel`; the heights at which the plot has five tick labels and the table all its rows."""
        line, header = self.fontMetrics().height(), self.header.sizeHint().height()
        return header + 12 * line, header + 16 * line

    def view_state(self) -> dict[str, Any]:
        """See `PlotPanel`; with the generality of the embedding, where one is selected."""
        level = self._generality.doublings
        return super().view_state() if level is None else {**super().view_state(), "level": level}

    def restore_view_state(self, state: Mapping[str, Any]) -> None:
        """See `PlotPanel`."""
        super().restore_view_state(state)
        level = state.get("level")
        self._select_level(level if isinstance(level, float) and 0 <= level < math.inf else math.nan)
        self.footer.set_level(self._generality.doublings)

    # Content.

    def title(self) -> str:
        """See `PlotPanel`."""
        benchmark, selection = self._session.benchmark, self._session.selection
        name = self._kind if self._kind in (PRECISION_RECALL, SURFACE) else self._y_labels()[1]
        if benchmark is None:
            return name
        means = selection.means or selection.query == NOTHING or self._generality.variation == CLASS_SIZES
        return f"{benchmark.name} {name} {'mean' if means else benchmark.queries.ids[selection.query]}"

    def axes(self) -> PlotAxes:
        """See `PlotPanel`."""
        if self._kind == PRECISION_RECALL:
            return PlotAxes(self._recall_labels()[0], PR.y_label, "number")
        return PlotAxes(X_LABELS[0], self._y_labels()[0], "halves")

    def _recall_labels(self) -> tuple[str, ...]:
        """Forms of the title of the recall axis, the longest first, with the generality of the curves of the runs."""
        generality = generality_range(self._precision_recall.baselines.doublings)
        if self._session.selection.means:
            return mean_axis_labels(PR.x_label, "generality", PR, generality)
        return (f"{PR.x_label} ({generality})" if generality else PR.x_label), PR.x_label

    @property
    def graph(self) -> QWidget:
        """See `PlotPanel`."""
        return self.surface_view if self._kind == SURFACE else self.plot

    def _y_labels(self) -> tuple[str, str]:
        scope = self._generality.scope
        if self._generality.measure == "E":
            return "E-measure", "E"
        return ("Recall = precision", "GRiP") if scope == 1 else (f"Recall at rank {scope}c", f"GR{scope}P")

    def curves(self, theme: str) -> list[PlotCurve]:
        """See `PlotPanel`."""
        benchmark = self._session.benchmark
        if benchmark is None:
            return []
        styles = self._session.run_styles.styles(theme)
        is_family = self._kind == PRECISION_RECALL
        found = self._precision_recall.curves if is_family else self._generality.curves.curves
        computed: dict[int, RunCurve | GeneralityCurve] = {curve.run: curve for curve in found}
        empty = np.zeros(0)
        lines = []
        for index, (run, style) in enumerate(zip(benchmark.runs, styles, strict=True)):
            curve = computed.get(index)
            x, y = (empty, empty) if curve is None else (curve.x, curve.y)
            line = PlotCurve(str(index), run.name, x, y, style.colour, style.dash, marker=style.marker)
            if self._generality.variation == CLASS_SIZES:
                spread = curve.spread if isinstance(curve, GeneralityCurve) else None
                line = replace(line, dotted=True, spread=spread, marker=point_marker(style))
            lines.append(line)
        return lines

    def references(self) -> References:
        """See `PlotPanel`."""
        selection = self._session.selection
        if self._kind == PRECISION_RECALL:
            return self._family_references()
        selected = self._generality.curve_of(selection.run) if selection.run in selection.visible_runs else None
        checked = frozenset(key for key in (RANDOM, IDEAL) if self.header.is_on(key))
        found = generality_references(self._generality.curves, selected, checked)
        return replace(found, lines=(*former_lines(self._session, self._generality.curves.former), *found.lines))

    def _family_references(self) -> References:
        """References of the curves of the runs, and curves of the selected run at several values of generality."""
        selection, run = self._session.selection, self._session.run
        keys = (RANDOM, IDEAL, SCOPE_LINES, TRIS_POINT)
        selected = self._precision_recall.curve_of(selection.run) if selection.run in selection.visible_runs else None
        found = curve_references(
            self._precision_recall.baselines,
            frozenset(key for key in keys if self.header.is_on(key)),
            None if selected is None else selected.bounds,
        )
        found = replace(found, lines=(*former_lines(self._session, self._precision_recall.former), *found.lines))
        surface = self._surface.surface
        if surface is None or run is None:
            return found
        family = family_lines(surface, run.name, self._precision_recall.doublings)
        return replace(found, lines=(*family, *found.lines))

    def figure_request(self) -> Request:
        """See `PlotPanel`."""
        model, level, options = self._generality, self._generality.doublings, self._shared_options()
        if self._kind == SURFACE:
            run = options["highlight"]
            return SurfaceRequest(
                runs=(run,) if run else (), query=options["query"], doublings=level, angles=self.surface_view.angles
            )
        request: FamilyRequest | GeneralityPlotRequest
        if self._kind == PRECISION_RECALL:
            keys: tuple[str, ...] = (RANDOM, IDEAL, SCOPE_LINES, TRIS_POINT)
            has_former = bool(former_lines(self._session, self._precision_recall.former))
            request = FamilyRequest(**options, doublings=self._precision_recall.doublings)
        else:
            keys, has_former = (RANDOM, IDEAL), bool(former_lines(self._session, model.curves.former))
            options |= {"query": ""} if model.variation == CLASS_SIZES else {}
            measure = find_measure("E").key if model.measure == "E" else ""
            request = GeneralityPlotRequest(**options, measure=measure, scope=model.scope, vary=model.variation)
        shown = [key for key in keys if self.header.is_on(key)]
        shown += [BEFORE_EDITS] if has_former else []
        return replace(request, show=tuple(shown))

    def columns(self) -> list[ValueColumn]:
        """See `PlotPanel`."""
        curves = self.visible_curves(self._theme.name)
        if self._kind == PRECISION_RECALL:
            return value_columns(curves, self.references(), PR.x_label, PR.y_label, separate_x=True)
        if self._kind == SURFACE:
            return [] if self._surface.surface is None else surface_columns(self._surface.surface)
        return generality_columns(curves, self._generality.curves, self.header.is_on(RANDOM))

    def cursor_at(self, rank: int) -> PlotCursor:
        """See `PlotPanel`; a horizontal line at the recall of the rank, with dots where the curves have this recall."""
        if self._kind == PRECISION_RECALL:
            model = self._precision_recall
            positions = [(curve.run, *model.point_at(curve, rank)) for curve in model.curves]
            dots = tuple(CurveDot(str(run), x, y) for run, x, y in positions)
            return PlotCursor(None, dots, slope=model.slope_at(rank), label=f"rank {rank:,}")
        result = self._generality.curves
        if not result.curves:
            return NO_CURSOR
        dots = tuple(CurveDot(str(curve.run), *self._generality.point_at(curve, rank)) for curve in result.curves)
        curve = self._generality.curve_of(self._session.selection.run)
        level = None if curve is None else curve.reached.at(rank)[0]
        label = "" if level is None or math.isnan(level) else f"rank {rank:,}: recall {format_value(level)}"
        return PlotCursor(None, dots, level=level, label=label)

    def rank_at(self, x: float) -> int | None:
        """See `PlotPanel`."""
        model = self._precision_recall if self._kind == PRECISION_RECALL else self._generality
        return model.rank_at(x, self._session.selection.run)

    # Display.

    def show_all(self) -> None:
        """See `PlotPanel`."""
        session, result = self._session, self._generality.curves
        if session.benchmark is None or session.scores is None:
            self.show_empty(*missing_scores_reason(session))
            return
        self._show_plot()
        self.show_curves(defined=not result.complete or any(np.isfinite(curve.y).any() for curve in result.curves))

    def _show_plot(self) -> None:
        result, scope = self._generality.curves, self._generality.scope
        is_family = self._kind == PRECISION_RECALL
        self.header.options[CLASS_SIZES].setEnabled(self._kind.isdigit())
        for option in (SCOPE_LINES, TRIS_POINT):
            self.header.options[option].setEnabled(is_family)
        varies_size, is_known = self._generality.variation == ADD_IRRELEVANT, math.isfinite(result.high)
        end = (result.low if varies_size else result.high) if is_known else 1.0
        start = float(math.floor(math.log2(scope) if varies_size or not is_known else min(result.low, end - 1.0)))
        if is_family:
            self.plot.set_axes(self._recall_labels(), PR.y_label, (0.0, 1.0), (0.0, 1.0), "number")
        else:
            self.plot.set_axes(X_LABELS, self._y_labels(), (start, max(end, start + 1.0)), (0.0, 1.0), "halves")
        self.footer.set_span(result.low)
        self.footer.set_level(self._generality.doublings)
        self.draw()
        self.header.aggregation.set_current(MEAN if self._session.selection.means else QUERY)
        self.header.aggregation.setEnabled(varies_size)
        self._show_level()
        self._show_expected()

    def _show_level(self) -> None:
        """Show a dashed line at the position of the slider, and a dot on each curve."""
        level = self._generality.doublings
        if self._kind == SURFACE:
            surface, run = self._surface.surface, self._session.run
            self.surface_view.set_surface(surface_data(surface, run.name, level) if surface and run else None)
        if level is None or self._kind == PRECISION_RECALL or self._generality.variation == CLASS_SIZES:
            self.plot.show_pin(NO_CURSOR)
            return
        dots = tuple(CurveDot(curve.key, level, curve.value_at(level)) for curve in self.plot.visible_curves())
        self.plot.show_pin(PlotCursor(level, dots))

    @Slot()
    def _show_expected(self) -> None:
        generality, run = self._generality, self._session.run
        result, expected = generality.curves, generality.expected
        name = "" if run is None else run.name
        if generality.variation == CLASS_SIZES:
            self.footer.slider.setEnabled(False)
            self.footer.set_values("Classes of the collection", ("", ""), [])
            self.footer.set_loss_text(CONFOUNDED)
            return
        level = result.low if generality.doublings is None else generality.doublings
        if math.isnan(result.low):  # not computed yet
            self.footer.set_values("", ("", ""), [])
            self.footer.set_loss_text("")
            return
        kept = result.irrelevant if generality.doublings is None else generality.irrelevant_count()
        rows: list[ExpectedRow] = []
        if expected is not None:
            scope, recall = generality.scope, expected.recall
            if scope == 1:
                rows.append(ExpectedRow.of("Recall = precision at c", recall))
            else:
                rows.append(ExpectedRow.of(f"Recall at {scope}c", recall))
                rows.append(ExpectedRow.of(f"Precision at {scope}c", recall, scope))
            rows.append(ExpectedRow.of("E-measure at 32", expected.e_measure))
            rows.append(ExpectedRow.of("Average precision", expected.average_precision))
            rows.append(ExpectedRow.of("NDCG, whole list", expected.gain))
        has_one_generality = result.high <= result.low + 1e-9
        header = (format_generality(level), "collection" if has_one_generality else format_generality(result.low))
        self.footer.set_values(f"{name}, {embedding_label(level, kept, result.irrelevant)}", header, rows)
        curve = generality.curve_of(self._session.selection.run)
        is_recall = curve is not None and generality.measure == "recall"
        self.footer.set_loss_text(
            loss_description(name, curve.loss, curve.last_loss, None if curve.spread is None else curve.loss_range)
            if curve is not None and is_recall
            else ""
        )
        self._place_controls()  # the numbers may need more width than before

    def on_selection_changed(self, old: Selection, new: Selection) -> None:
        """See `PlotPanel`."""
        if old.run != new.run:
            self.plot.set_references(self.references())
            self._show_expected()
        if old.visible_runs != new.visible_runs:
            self._show_level()
        if old.means != new.means:
            self.header.aggregation.set_current(MEAN if new.means else QUERY)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the controls at the right of the plot in a wide panel."""
        super().resizeEvent(event)
        self._place_controls()

    def _place_controls(self) -> None:
        is_wide = self.width() >= SIDE_BY_SIDE_RATIO * self.height()
        horizontal, vertical = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._side_layout.setDirection(horizontal if is_wide else vertical)
        if is_wide:
            self.footer.set_compact(False)
            plot_width = self.width() - self.footer.width_at_side
            self.footer.set_compact(plot_width < MIN_PLOT_LINES * self.fontMetrics().height())
        else:
            self.footer.set_compact(self.height() < MIN_TABLE_HEIGHT)
        self.footer.setMaximumWidth(self.footer.width_at_side if is_wide else MAX_WIDGET_WIDTH)
        self.footer.setMinimumWidth(self.footer.width_at_side if is_wide else 0)

    # Interaction.

    @Slot(str)
    def _select_scope(self, key: str) -> None:
        self._kind = key
        if key == E_MEASURE:
            self._generality.show_e_measure()
        else:
            self._generality.set_scope(int(key) if key.isdigit() else 1, may_vary_classes=key.isdigit())
        self._update_activity(self.isVisible())
        self.show_values(self.shows_values_table)
        self.show_all()

    def _update_activity(self, is_visible: bool) -> None:
        """Let the models of the current plot compute."""
        self._precision_recall.set_active(is_visible and self._kind == PRECISION_RECALL)
        self._surface.set_active(is_visible and self._kind in (PRECISION_RECALL, SURFACE))

    def showEvent(self, event: QShowEvent) -> None:
        """Place the controls again: widgets hidden during a change of the font have their new size hints only now."""
        super().showEvent(event)
        self._place_controls()
        self._update_activity(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop computing for the hidden panel."""
        super().hideEvent(event)
        self._update_activity(False)

    @Slot(str, bool)
    def _select_option(self, key: str, on: bool) -> None:
        if key == LABELS:
            self.plot.set_labelled(on)
        elif key in (ADD_IRRELEVANT, CLASS_SIZES):
            self._generality.set_variation(key)
        else:
            self.draw()

    @Slot(float)
    def _select_level(self, level: float) -> None:
        self._generality.set_doublings(None if math.isnan(level) else level)
        self._show_level()
        self._show_expected()
