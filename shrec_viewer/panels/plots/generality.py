"""Generality plot panel: recall as a function of the size of the collection."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
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

from shrec_viewer.charts.plot import Plot, PlotCurve, ReferenceLine, References
from shrec_viewer.content.curves import BEFORE_EDITS, IDEAL, RANDOM, SCOPE_LINES, TRIS_POINT, ComputedCurves
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.generality import (
    DOMAIN,
    E_GRAPH,
    FAMILY,
    SURFACE,
    ComputedGenerality,
    ExpectedRequest,
    FamilyRequest,
    GeneralityPanelRequest,
    GeneralityPlotRequest,
    RecallLoss,
    SurfaceRequest,
    computed_family,
    computed_generality,
    computed_surface,
    expected,
    family_plot,
    generality_plot,
    generality_scope_labels,
    recall_loss,
    surface_figure,
)
from shrec_viewer.content.request import Request
from shrec_viewer.evaluation.plots.curves import RunCurve
from shrec_viewer.evaluation.plots.generality import (
    ADD_IRRELEVANT,
    CLASS_SIZES,
    GENERALITY_SCOPES,
    ExpectedScores,
    GeneralityCurves,
)
from shrec_viewer.metrics.curves.generality_curves import E_CURVE
from shrec_viewer.metrics.curves.precision_recall import PR
from shrec_viewer.metrics.generality.expected_measures import MeanCurves
from shrec_viewer.metrics.generality.scope_graph import CONFOUNDED
from shrec_viewer.metrics.generality.surface import GeneralitySurface
from shrec_viewer.metrics.measures.sources import GENERALITY
from shrec_viewer.number_format import format_generality, format_interval, format_value
from shrec_viewer.panels.plots.plot_panel import PlotKind, PlotPanel, ValueColumn, value_columns
from shrec_viewer.render.scene.palette import RunStyle
from shrec_viewer.viewmodels.content.data import followed
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import ElidingLine, ScaledLabel
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.plots.overlays import NO_CURSOR, CurveDot, PlotCursor
from shrec_viewer.widgets.plots.surface_view import SurfaceView
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


def loss_description(run: str, loss: RecallLoss) -> str:
    """Mean loss of recall per doubling of the collection.

    Examples
    --------
    >>> loss_description("K2", RecallLoss(0.0621, 0.0409, 0.0621, 0.0621))
    'K2 loses 0.062 of its recall per doubling of the collection on average, 0.041 in the last doubling.'
    >>> loss_description("K2", RecallLoss(0.0621, float("nan"), 0.0621, 0.0621))
    'K2 loses 0.062 of its recall per doubling of the collection on average.'
    >>> loss_description("K2", RecallLoss(0.11, 0.04, 0.0061, 0.2092))
    'K2 loses between 0.006 and 0.209 of its recall for each doubling of the collection: its lists are truncated.'
    >>> loss_description("K2", RecallLoss(-0.001, float("nan"), -0.001, -0.001))
    'K2 loses no recall when the collection doubles.'
    >>> loss_description("K2", RecallLoss(*4 * [float("nan")]))
    ''
    """
    if math.isnan(loss.mean):
        return ""
    low, high = format_value(loss.low), format_value(loss.high)
    if low != high:
        between = f"between {low} and {high}"
        return f"{run} loses {between} of its recall for each doubling of the collection: its lists are truncated."
    if loss.mean < 0.0005:
        return f"{run} loses no recall when the collection doubles."
    text = f"{run} loses {format_value(loss.mean)} of its recall per doubling of the collection on average"
    return f"{text}." if math.isnan(loss.last) else f"{text}, {format_value(loss.last)} in the last doubling."


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


#: Step of the slider in doublings: 3.5 % more models, less than is visible in the plot.
SLIDER_STEP = 0.05

#: Maximum number of measures: recall, precision, E-measure, average precision, NDCG.
MAX_ROWS = 5

#: Width in lines of text at the side of a plot without the table: the slider and its wrapped label.
COMPACT_LINES = 9

#: Width in pixels at the side of a plot: the longest measure and two numbers.
CONTROLS_WIDTH = 270


class ExpectedRow(NamedTuple):
    """A measure in the embedding of the slider and in the whole collection, with the bounds of truncated lists.

    `values` are two numbers, `tips` the tooltips with their bounds, "" where the values are certain; `key` is a short
    name.
    """

    name: str
    key: str
    values: tuple[float, float]
    tips: tuple[str, str]

    @classmethod
    def of(cls, name: str, key: str, means: MeanCurves, divisor: float = 1.0) -> "ExpectedRow":
        """Row of a measure; `divisor` makes precision from recall."""
        value, lower, upper = (values / divisor for values in means)
        tips = [
            f"{format_interval(low, high)}, because lists are truncated" if high - low >= 0.0005 else ""
            for low, high in zip(lower.tolist(), upper.tolist(), strict=True)
        ]
        return cls(name, key, (float(value[0]), float(value[1])), (tips[0], tips[1]))


def expected_rows(found: ExpectedScores | None, scope: int) -> list["ExpectedRow"]:
    """Rows of the measures that are expected, with recall within a multiple of the class size."""
    if found is None:
        return []
    if scope == 1:
        rows = [ExpectedRow.of("Recall = precision at c", "R = P", found.recall)]
    else:
        rows = [
            ExpectedRow.of(f"Recall at {scope}c", "R", found.recall),
            ExpectedRow.of(f"Precision at {scope}c", "P", found.recall, scope),
        ]
    return [
        *rows,
        ExpectedRow.of("E-measure at 32", "E", found.e_measure),
        ExpectedRow.of("Average precision", "AP", found.average_precision),
        ExpectedRow.of("NDCG, whole list", "NDCG", found.gain),
    ]


SLIDER_TOOLTIP = "Number of irrelevant models in the collection"


#: Text size of the controls of the embedding, relative to that of the program.
CONTROLS_SCALE = 0.92


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
        self.loss, self.short = WrappedLabel(CONTROLS_SCALE), ElidingLine()
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
        set_tooltip(self.loss, DOMAIN)
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
        layout = self._layout = QVBoxLayout(content)
        layout.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, 2 * SPACE)
        layout.setSpacing(SPACE)
        layout.addWidget(self.caption)
        layout.addWidget(self.slider)
        layout.addWidget(self.short)
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
        """Show the label of the embedding, and the measures expected in it, unless its head is "", and in the whole."""
        self.caption.setText(caption)
        self.slider.setAccessibleDescription(caption)
        texts = [
            (row.name, format_value(row.values[0]) if header[0] else "", format_value(row.values[1])) for row in rows
        ]
        self._rows = [("", *header), *texts] if rows else []
        tips = [("", "", ""), *(("", row.tips[0], row.tips[1]) for row in rows)]
        for index, labels in enumerate(self._cells):
            cells = self._rows[index] if index < len(self._rows) else ("", "", "")
            for column, (label, text) in enumerate(zip(labels, cells, strict=True)):
                label.setText(text)
                set_tooltip(label, tips[index][column] if index < len(self._rows) else "")
        lines = (
            f"{name}: {embedded} ({header[1]}: {whole})" if embedded else f"{name}: {whole}"
            for name, embedded, whole in texts
        )
        tip = "\n".join(lines)
        for part in (self.caption, self.short):
            set_tooltip(part, tip)
        shorts = [f"{row.key} {format_value(row.values[0 if header[0] else 1])}" for row in rows]
        forms = ["  ".join(shorts[:number]) for number in range(len(shorts), 0, -1)]
        self.short.setText(*forms or [""])
        self._show_parts()

    def set_compact(self, compact: bool) -> None:
        """Show as many measures as fit into a line, and all in its tooltip."""
        self._is_compact = compact
        self._show_parts()

    def _show_parts(self) -> None:
        for index, labels in enumerate(self._cells):
            for label in labels:
                label.setVisible(index < len(self._rows) and not self._is_compact)
        self.loss.setVisible(not self._is_compact and bool(self.loss.text()))
        self.short.setVisible(self._is_compact and bool(self._rows))

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
        self._layout.activate()  # a layout keeps its former sizes until then
        content = self._content.minimumSizeHint().width()
        return max(CONTROLS_WIDTH, content + self._area.verticalScrollBar().sizeHint().width())

    @Slot(int)
    def _emit_level(self, value: int) -> None:
        if not self._is_updating:
            is_whole = value >= self.slider.maximum()
            self.level_selected.emit(math.nan if is_whole else min(value * SLIDER_STEP, self._top))


FAMILY_DEFINITION = (
    "Precision over recall of the selected run at several values of generality, each half of the one before, and of "
    "all runs at the generality of the slider. Means are at equal relevant scope and generality."
)

SURFACE_DEFINITION = (
    "Precision over recall and generality of the selected run. The bold line is recall = precision (GRiP), the dashed "
    "one that of random rankings; the highlighted line is at the generality of the slider."
)

#: Width over height from which the controls are at the right of the plot instead of below it.
SIDE_BY_SIDE_RATIO = 1.6

#: Width in lines of text of a plot with axis and names of curves, below which the controls at its right have no table:
#: the measures are in one line.
MIN_PLOT_LINES = 11

#: Height in pixels from which the measures fit below the plot, not only the slider.
MIN_TABLE_HEIGHT = 460

#: Qt's QWIDGETSIZE_MAX, which PySide6 does not export: no maximum width.
MAX_WIDGET_WIDTH = 16_777_215

GENERALITY_DEFINITION = (
    "Expected recall at rank n c if the collection contained only a random part of the irrelevant models, so many that "
    "the generality g = c / (c + irrelevant models) is the same for all queries. The expectation is exact; the last "
    "point is the recall in the whole collection. A random ranking has the expected recall n g."
)


#: Tooltips of entries of the menu.
REFERENCE_TIPS: Mapping[str, str] = {
    RANDOM: "The band contains 95 % of random rankings",
    SCOPE_LINES: "Precision = recall × c / s",
}

GRAPH_TIP = f"{GENERALITY_DEFINITION}\n{GENERALITY}"


def graph_kinds() -> list[PlotKind]:
    """Entries of the curve type field: one for each relevant scope, E-measure, family and surface."""
    entries = []
    for scope in GENERALITY_SCOPES:
        key, name = generality_scope_labels(scope)
        entries.append(PlotKind(str(scope), key, name, f"{key}  {name}\n{GRAPH_TIP}"))
    e_tip, source = f"{E_CURVE.label}\n{E_CURVE.definition}\n{E_CURVE.source}", f"{GENERALITY}, figures 1 and 3"
    return [
        *entries,
        PlotKind(E_GRAPH, "E", "E-measure at rank 32", e_tip),
        PlotKind(FAMILY, "PR", "Precision-recall at several g", f"{FAMILY_DEFINITION}\n{source}"),
        PlotKind(SURFACE, "GReP", "Generality-recall-precision surface", f"{SURFACE_DEFINITION}\n{source}"),
    ]


class GeneralityPanel(PlotPanel[GeneralityPanelRequest]):
    """Recall at a scope as a function of generality, with a slider for the size of the embedding.

    The curves of the generality plot are always computed, as the values next to the slider follow from them; family and
    surface are computed while they are shown.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session, GeneralityPanelRequest(), graph_kinds(), "graph")
        self._shown_options = self.options
        self._family = self.computation_of(computed_family, "Curves at several values of generality",
                                           uses=("scores", "former"))  # fmt: skip
        self._surface = self.computation_of(computed_surface, "Generality surface")
        self._expected = self.computation_of(expected, "Expected values")
        self.surface_view = SurfaceView()
        self._pages.addWidget(self.surface_view)
        self.footer = EmbeddingControls()
        self._arrange()
        self._add_options()
        set_tooltip(self.header.kinds, GRAPH_TIP)
        self.footer.level_selected.connect(self._select_level)
        self.computation.changed.connect(self._limit_level)
        self._family.changed.connect(self._show)
        self._surface.changed.connect(self._show)
        self._expected.changed.connect(self._show_expected)
        self.options_changed.connect(self._share_level)
        session.cursor_state.generality_changed.connect(self._follow_level)
        self._follow_level()
        self.update_request()

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
        header, controls = self.header, self.controls
        header.add_option(controls, "vary")
        header.add_option(controls, "show", tips=REFERENCE_TIPS)
        header.add_option(controls, "labels")
        self._add_actions()

    @property
    def is_family(self) -> bool:
        """Whether precision over recall at several values of generality is shown."""
        return self.options.graph == FAMILY

    @property
    def computed(self) -> ComputedGenerality | None:
        """The curves of the generality plot."""
        result: ComputedGenerality | None = self.computation.result
        return result

    @property
    def family(self) -> ComputedCurves | None:
        """The curves of the family, where it is shown."""
        result: ComputedCurves | None = self._family.result if self.is_family else None
        return result

    @property
    def surface(self) -> GeneralitySurface | None:
        """The surface, where it is shown."""
        result: GeneralitySurface | None = self._surface.result if self.options.graph == SURFACE else None
        return result

    # Request.

    def _followed(self) -> GeneralityPanelRequest:
        """The options, with those that follow the session, and `BEFORE_EDITS` for all graphs."""
        request = followed(self._session, self.options)
        assert isinstance(request, GeneralityPanelRequest)
        shown = [key for key in self.options.show if self.header.is_on("show", key)]
        return replace(request, show=(*shown, BEFORE_EDITS))

    def shown_request(self) -> FamilyRequest | GeneralityPlotRequest:
        """See `PlotPanel`."""
        options = self._followed()
        request = options.family() if self.is_family else options.plot()
        former: Sequence[RunCurve] = ()
        if self.is_family:
            former = () if self.family is None else self.family.found.former
        elif self.computed is not None:
            former = self.computed.found.former
        has_former = self.former_shown(former)
        return replace(request, show=tuple(key for key in request.show if key != BEFORE_EDITS or has_former))

    def requests(self) -> tuple[Request, ...]:
        """See `PlotPanel`; the surface as it is rotated."""
        found = super().requests()
        if self.options.graph != SURFACE or not found:
            return found
        return (replace(self._followed().surface(), angles=self.surface_view.angles),)

    def request(self) -> GeneralityPlotRequest | None:  # type: ignore[override]  # of the first of three contents
        """See `RequestPanel`; of the generality plot, without what only changes how curves are drawn."""
        if self._session.selection.query == NOTHING:
            return None
        request = replace(self._followed().plot(), show=(BEFORE_EDITS,), highlight="")
        return self.with_computed_runs(request, self.computation.request)

    def update_request(self) -> None:
        """See `RequestPanel`; also of family, surface and expected values."""
        super().update_request()
        request = self.computation.request
        options, run = self._followed(), self._session.run
        family: FamilyRequest | None = None
        surface: SurfaceRequest | None = None
        wanted: ExpectedRequest | None = None
        if isinstance(request, GeneralityPlotRequest) and run is not None:
            if self.is_family:
                family = replace(options.family(), show=(BEFORE_EDITS,))
                family = self.with_computed_runs(family, self._family.request)
            if options.graph == SURFACE:
                surface = replace(options.surface(), doublings=None)
            if request.vary == ADD_IRRELEVANT:
                level = self.options.level
                wanted = ExpectedRequest(
                    run.name, request.query, request.scope, request.measure, level, slice=request.slice
                )
        self._family.set_request(family)
        self._surface.set_request(surface)
        self._expected.set_request(wanted)

    def compute(self, data: ContentData, request: GeneralityPlotRequest) -> ComputedGenerality:
        """See `RequestPanel`."""
        return computed_generality(data, request)

    # Content.

    def plot_shown(self, styles: Mapping[str, RunStyle]) -> Plot | None:
        """See `PlotPanel`; the generality plot of relevant scope 1 where the surface is shown."""
        request = self.shown_request()
        if isinstance(request, FamilyRequest):
            return None if self.family is None else family_plot(self.family, request, styles)
        return None if self.computed is None else generality_plot(self.computed, request, styles)

    def computed_runs(self) -> Sequence[RunCurve]:
        """See `PlotPanel`."""
        if self.is_family:
            return () if self.family is None else self.family.found.curves
        return () if self.computed is None else self.computed.found.curves

    def title(self) -> str:
        """See `PlotPanel`."""
        if self.options.graph != SURFACE:
            return super().title()
        return "" if self.computed is None else f"{self.computed.name} {SURFACE} {self.computed.query_text}"

    def is_dotted(self) -> bool:
        """See `PlotPanel`."""
        return self._varies_classes and not self.is_family

    @property
    def _varies_classes(self) -> bool:
        """Whether the curves computed are over the sizes of classes."""
        return self.computed is not None and self.computed.wanted.variation == CLASS_SIZES

    @property
    def graph(self) -> QWidget:
        """See `PlotPanel`."""
        return self.surface_view if self.options.graph == SURFACE else self.plot

    def columns(self) -> list[ValueColumn]:
        """See `PlotPanel`."""
        if self.options.graph == SURFACE:
            return [] if self.surface is None else surface_columns(self.surface)
        curves = self.visible_curves()
        if self.is_family:
            return value_columns(curves, self.references(), PR.x_label, PR.y_label, separate_x=True)
        if self.computed is None:
            return []
        return generality_columns(curves, self.computed.found, self.header.is_on("show", RANDOM))

    def cursor_at(self, rank: int) -> PlotCursor:
        """See `PlotPanel`; a horizontal line at the recall of the rank, with dots where the curves have this recall."""
        if self.is_family:
            family = self.family
            if family is None:
                return NO_CURSOR
            dots = tuple(CurveDot(str(curve.run), *family.point_at(curve, rank)) for curve in family.found.curves)
            return PlotCursor(None, dots, slope=family.slope_at(rank), label=f"rank {rank:,}")
        computed = self.computed
        if computed is None or not computed.found.curves:
            return NO_CURSOR
        dots = tuple(CurveDot(str(curve.run), *computed.point_at(curve, rank)) for curve in computed.found.curves)
        curve = computed.curve_of(self._session.selection.run)
        level = None if curve is None else curve.reached.at(rank)[0]
        label = "" if level is None or math.isnan(level) else f"rank {rank:,}: recall {format_value(level)}"
        return PlotCursor(None, dots, level=level, label=label)

    def rank_at(self, x: float) -> int | None:
        """See `PlotPanel`."""
        computed = self.family if self.is_family else self.computed
        return None if computed is None else computed.rank_at(x, self._session.selection.run)

    # Display.

    def show_header(self) -> None:
        """See `PlotPanel`."""
        super().show_header()
        options, header = self.options, self.header
        is_scope, is_surface = options.graph.isdigit(), options.graph == SURFACE
        header.set_kind(options.graph)
        header.enable("vary", (ADD_IRRELEVANT, CLASS_SIZES) if is_scope else (ADD_IRRELEVANT,))
        # The lines for comparison of the surface are always shown, with their names.
        of_family = (SCOPE_LINES, TRIS_POINT) if self.is_family else ()
        header.enable("show", () if is_surface else (RANDOM, IDEAL, *of_family))
        header.enable("labels", () if is_surface else (None,))

    def draw(self) -> None:
        """See `PlotPanel`; also the slider, the surface and the values expected."""
        if self.computed is None:
            return
        super().draw()
        self.footer.set_span(self.computed.found.low)
        self._show_level()
        self._show_expected()

    def show_curves(self, *, defined: bool) -> None:
        """See `PlotPanel`; defined while curves are computed."""
        computed = self.computed
        if computed is not None:
            found = computed.found
            defined = not found.complete or any(np.isfinite(curve.y).any() for curve in found.curves)
        super().show_curves(defined=defined)

    def _show_level(self) -> None:
        """Show a dashed line at the position of the slider, and a dot on each curve."""
        level = self.options.level
        self.footer.set_level(level)
        if self.options.graph == SURFACE:
            surface = self.surface
            title = "" if self._session.run is None else f"Surface of {self._session.run.name}"
            self.surface_view.set_surface(None if surface is None else surface_figure(surface, title, level))
        if level is None or self.is_family or self._varies_classes:
            self.plot.show_pin(NO_CURSOR)
            return
        dots = tuple(CurveDot(curve.key, level, curve.value_at(level)) for curve in self.plot.visible_curves())
        self.plot.show_pin(PlotCursor(level, dots))

    @Slot()
    def _show_expected(self) -> None:
        computed, run, level = self.computed, self._session.run, self.options.level
        if self._varies_classes:
            self.footer.slider.setEnabled(False)
            self.footer.set_values("Classes of the collection", ("", ""), [])
            self.footer.set_loss_text(CONFOUNDED)
            return
        if computed is None or math.isnan(computed.found.low):  # not computed yet
            self.footer.set_values("", ("", ""), [])
            self.footer.set_loss_text("")
            return
        found, name = computed.found, "" if run is None else run.name
        shown = found.low if level is None else level
        rows = expected_rows(self._expected.result, computed.wanted.scope)
        has_one_generality = found.high <= found.low + 1e-9
        # At the end of the slider both columns would be the same.
        header = (
            "" if level is None else format_generality(shown),
            "collection" if has_one_generality else format_generality(found.low),
        )
        embedding = embedding_label(shown, computed.irrelevant_count(level), found.irrelevant)
        self.footer.set_values(f"{name}, {embedding}", header, rows)
        curve = computed.curve_of(self._session.selection.run)
        text = ""
        if curve is not None and computed.wanted.measure == "recall" and computed.wanted.variation == ADD_IRRELEVANT:
            text = loss_description(name, recall_loss(curve))
        self.footer.set_loss_text(text)
        self._place_controls()  # the numbers may need more width than before

    def show_options(self) -> None:
        """See `PlotPanel`; the slider moves only what depends on it, as it moves often."""
        before, self._shown_options = self._shown_options, self.options
        if replace(before, level=self.options.level) == self.options:
            self._show_level()
            self._show_expected()
        else:
            super().show_options()

    def show_selection(self, old: Selection, new: Selection) -> None:
        """See `PlotPanel`."""
        super().show_selection(old, new)
        if old.run != new.run:
            self._show_expected()
        if old.visible_runs != new.visible_runs:
            self._show_level()

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

    def showEvent(self, event: QShowEvent) -> None:
        """Place the controls again: widgets hidden during a change of the font have their new size hints only now."""
        super().showEvent(event)
        self._place_controls()

    # The generality of the embedding is an option of this panel, and shared with the plots of precision over recall.

    @Slot(float)
    def _select_level(self, level: float) -> None:
        self._session.cursor_state.show_generality(None if math.isnan(level) else level)

    @Slot()
    def _follow_level(self) -> None:
        self.set_option("level", self._session.cursor_state.doublings)

    @Slot()
    def _limit_level(self) -> None:
        """Select no generality that the collection does not reach, for instance that of a project with more models."""
        computed, level = self.computed, self.options.level
        if computed is not None and level is not None and level >= computed.found.low:
            self.set_option("level", None)

    @Slot()
    def _share_level(self) -> None:
        self._session.cursor_state.show_generality(self.options.level)
