"""Generality plot panel: recall as a function of the size of the collection."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QLabel, QSizePolicy, QSlider, QVBoxLayout, QWidget

from shrec_viewer.metrics.generality.scope_graph import CONFOUNDED
from shrec_viewer.metrics.measures.sources import GENERALITY
from shrec_viewer.number_format import format_value
from shrec_viewer.panels.plots.curves import IDEAL, RANDOM
from shrec_viewer.panels.plots.plot_header import MEAN, QUERY, PlotKind
from shrec_viewer.panels.plots.plot_panel import LABELS, PlotPanel, value_columns
from shrec_viewer.render.scene.palette import DASHES, MARKERS
from shrec_viewer.viewmodels.plots.generality import (
    ADD_IRRELEVANT,
    CLASS_SIZES,
    GeneralityCurve,
    GeneralityCurves,
    GeneralityModel,
)
from shrec_viewer.viewmodels.plots.run_styles import curve_styles
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.plots.curves import PlotCurve
from shrec_viewer.widgets.plots.overlays import NO_CURSOR, CurveDot, PlotCursor
from shrec_viewer.widgets.plots.references import NO_REFERENCES, ReferenceArea, ReferenceLine, References, area_between
from shrec_viewer.widgets.plots.value_table import ValueColumn
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, text_font


def generality_scope_label(scope: int) -> str:
    """What the graph of a relevant scope is called, two blanks, what it shows.

    Examples
    --------
    >>> scope_name(1), scope_name(4)
    ('GRiP  Recall = precision within c places', 'GR4P  Recall within 4c places')
    """
    return "GRiP  Recall = precision within c places" if scope == 1 else f"GR{scope}P  Recall within {scope}c places"


def generality_label(doublings: float) -> str:
    """A generality as a fraction.

    Examples
    --------
    >>> generality_words(0.0), generality_words(3.0), generality_words(4.1), generality_words(10.75)
    ('g = 1', 'g = 1/8', 'g = 1/17.1', 'g = 1/1,722')
    """
    whole = 2.0**doublings
    if whole == 1.0:
        return "g = 1"
    return f"g = 1/{whole:,.0f}" if whole >= 100 or whole == round(whole) else f"g = 1/{whole:.3g}"


def embedding_label(doublings: float, kept: int | None, irrelevant: int | None) -> str:
    """The embedding that is looked at.

    Examples
    --------
    >>> embedding_words(3.0, 728, 1710), embedding_words(3.0, None, None)
    ('g = 1/8: 728 of 1,710 irrelevant models', 'g = 1/8 for every query')
    """
    if kept is None or irrelevant is None:
        return f"{generality_label(doublings)} for every query"
    return f"{generality_label(doublings)}: {kept:,} of {irrelevant:,} irrelevant models"


def loss_description(run: str, loss: float, last: float) -> str:
    """What growing the collection costs.

    Examples
    --------
    >>> loss_words("K2", 0.0621, 0.0409)
    'Each doubling of the collection costs K2 0.062 of its recall on average; the last one cost 0.041.'
    >>> loss_words("K2", 0.0621, float("nan"))
    'Each doubling of the collection costs K2 0.062 of its recall on average.'
    >>> loss_words("K2", -0.001, float("nan"))
    'Doubling the collection costs K2 no recall.'
    >>> loss_words("K2", float("nan"), float("nan"))
    ''
    """
    if math.isnan(loss):
        return ""
    if loss < 0.0005:
        return f"Doubling the collection costs {run} no recall."
    words = f"Each doubling of the collection costs {run} {format_value(loss)} of its recall on average"
    return f"{words}." if math.isnan(last) else f"{words}; the last one cost {format_value(last)}."


MIN_BAND_WIDTH = 0.005
"""Of recall: open bounds that are nearer than this are one line on the screen."""


def generality_references(drawn: GeneralityCurves, in_hand: GeneralityCurve | None, on: frozenset[str]) -> References:
    """Chance with its band, the generality of the present collection, and what the list in hand leaves open."""
    if drawn.asked is None or math.isnan(drawn.low):
        return NO_REFERENCES
    areas: list[ReferenceArea] = []
    lines: list[ReferenceLine] = []
    if RANDOM in on:
        areas.append(area_between("Chance, 19 of 20", drawn.chance_x, drawn.chance_low, drawn.chance_high))
        place = len(drawn.chance_x) // 3
        lines.append(ReferenceLine("Random", drawn.chance_x, drawn.chance, "muted", "dash", "random", at=place))
    if IDEAL in on:
        x = np.array([min(0.0, drawn.low), drawn.high])
        lines.append(ReferenceLine("Ideal", x, np.ones(2), "ink", "solid", "ideal (TRIS)", at=0, listed=False))
    if drawn.asked.how != CLASS_SIZES:
        if (
            in_hand is not None
            and in_hand.spread is not None
            and np.nanmax(np.diff(in_hand.spread, axis=0)) > MIN_BAND_WIDTH
        ):
            low, high = in_hand.spread
            areas.append(area_between("What the list leaves open", in_hand.x, low, high, "accent"))
        now = np.array([drawn.low, drawn.low])
        words = f"present {generality_label(drawn.low)}"
        if drawn.high > drawn.low + 1e-9:
            words = f"present {generality_label(drawn.low)} to {generality_label(drawn.high).removeprefix('g = ')}"
        lines.append(ReferenceLine("Present", now, np.array([0.0, 1.0]), "line_strong", "solid", words, listed=False))
    return References(tuple(area for area in areas if len(area.x)), tuple(lines))


def generality_columns(curves: list[PlotCurve], drawn: GeneralityCurves, chance: bool) -> list[ValueColumn]:
    """-log2 g and g, then each run; chance at the levels of the first run."""
    if not curves:
        return []
    x = curves[0].x
    has_chance = chance and len(x) and len(drawn.chance_x)
    lines = (ReferenceLine("Random", x, np.interp(x, drawn.chance_x, drawn.chance)),) if has_chance else ()
    apart = any(not np.array_equal(curve.x, x) for curve in curves)
    columns = value_columns(curves, References((), lines), "−log₂ g", "Recall", own_x=apart)
    return [columns[0], ValueColumn("g", np.exp2(-columns[0].values), 6), *columns[1:]]


SLIDER_STEP = 0.05
"""Doublings between two places of the slider: 3.5 % more models, less than the eye can tell in the graph."""

MAX_ROWS = 4
"""Measures shown at most: recall and precision, average precision, NDCG."""

CONTROLS_WIDTH = 270
"""Pixels beside a graph: the longest measure and two numbers."""


class EmbeddingControls(QWidget):
    """Shows what it is told; says where the slider is.

    Signals
    -------
    level_picked(float)
        -log2 of the generality at which an embedding is looked at; NaN for the collection as it was searched.
    """

    level_selected = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._top = 0.0
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.where = QLabel()
        self.loss = QLabel()
        self._cells = [[QLabel() for _ in range(3)] for _ in range(MAX_ROWS + 1)]
        self._build()
        self.slider.valueChanged.connect(self._tell)
        self._shown = self._is_compact = False
        self._lines: list[tuple[str, str, str]] = []
        self.set_theme(current_theme())

    def _build(self) -> None:
        self.slider.setAccessibleName("Size of the embedding")
        self.slider.setToolTip("How many irrelevant models are in the collection")
        self.slider.setPageStep(round(1.0 / SLIDER_STEP))
        self.slider.setRange(0, 1)
        self.slider.setValue(1)  # at its end: the collection as it was searched
        for label in (self.where, self.loss):
            label.setWordWrap(True)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
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
                grid.addWidget(label, row, column)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, 2 * SPACE)
        layout.setSpacing(SPACE)
        layout.addWidget(self.where)
        layout.addWidget(self.slider)
        layout.addLayout(grid)
        layout.addWidget(self.loss)
        layout.addStretch(1)

    def set_span(self, top: float) -> None:
        """Let the slider reach from nothing irrelevant to the collection as it was searched, -log2 g = `top`."""
        steps = 0 if math.isnan(top) else math.ceil(top / SLIDER_STEP - 1e-9)
        was_present = self.slider.value() >= self.slider.maximum()
        self._top = 0.0 if math.isnan(top) else top
        self._shown = True
        self.slider.setEnabled(steps > 0)
        self.slider.setRange(0, max(1, steps))
        if was_present:
            self.slider.setValue(max(1, steps))
        self._shown = False

    def set_level(self, level: float | None) -> None:
        """Put the slider there; None for the collection as it was searched."""
        self._shown = True
        self.slider.setValue(self.slider.maximum() if level is None else round(level / SLIDER_STEP))
        self._shown = False

    def set_values(self, where: str, head: tuple[str, str], rows: list[tuple[str, float, float]]) -> None:
        """Show where the slider is, and measures expected there and in the present collection."""
        self.where.setText(where)
        self.slider.setAccessibleDescription(where)
        lines = [(name, _format_value(there), _format_value(now)) for name, there, now in rows]
        self._lines = [("", *head), *lines] if rows else []
        for number, labels in enumerate(self._cells):
            texts = self._lines[number] if number < len(self._lines) else ("", "", "")
            for label, text in zip(labels, texts, strict=True):
                label.setText(text)
        self.where.setToolTip("\n".join(f"{name}: {there} ({head[1]}: {now})" for name, there, now in lines))
        self._show_parts()

    def set_compact(self, compact: bool) -> None:
        """Leave the numbers to the tool tip."""
        self._is_compact = compact
        self._show_parts()

    def _show_parts(self) -> None:
        for number, labels in enumerate(self._cells):
            for label in labels:
                label.setVisible(number < len(self._lines) and not self._is_compact)
        self.loss.setVisible(not self._is_compact and bool(self.loss.text()))

    def set_words(self, words: str) -> None:
        """Say what growing the collection costs."""
        self.loss.setText(words)
        self.slider.setToolTip(words or "How many irrelevant models are in the collection")
        self._show_parts()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; sizes of text follow the program's."""
        for row, labels in enumerate(self._cells):
            for label in labels:
                label.setFont(text_font(self.font(), 0.92, strong=not row))
        self.where.setFont(text_font(self.font(), 0.92, strong=True))
        self.loss.setFont(text_font(self.font(), 0.92))

    def sizeHint(self) -> QSize:
        """Qt override."""
        return QSize(CONTROLS_WIDTH, super().sizeHint().height())

    def _tell(self, value: int) -> None:
        if not self._shown:
            self.level_selected.emit(
                math.nan if value >= self.slider.maximum() else min(value * SLIDER_STEP, self._top)
            )


def _format_value(value: float) -> str:
    return format_value(value)


RELEVANT_SCOPES = (1, 2, 4)
"""Relevant scopes: as many places as models are relevant, the second tier, and what a person still leafs through."""

SIDE_BY_SIDE_RATIO = 1.6
"""Width over height from which slider and numbers stand beside the graph instead of below it."""

MIN_TABLE_HEIGHT = 460
"""Pixels of height from which there is room for the numbers below the graph, and not only for the slider."""

X_LABELS = ("Generality g, the share of relevant models (each step halves it)", "Generality g")

GENERALITY_DEFINITION = (
    "Expected recall within n times as many places as models are relevant, if only a random part of the irrelevant "
    "models were in the collection: so many that the generality g = c / (c + irrelevant models) is the same for all "
    "queries. An exact expectation; the last point is the list itself. Random lists reach n g."
)


class GeneralityPanel(PlotPanel):
    """Recall at a relevant scope by generality, with a slider for the embedding."""

    def __init__(self, session: Session) -> None:
        tip = f"{GENERALITY_DEFINITION}\n{GENERALITY}"
        entries = [
            PlotKind(str(scope), generality_scope_label(scope), f"{generality_scope_label(scope)}\n{tip}")
            for scope in RELEVANT_SCOPES
        ]
        super().__init__(session, "generality", entries)
        self._generality = GeneralityModel(session, self)
        self.foot = EmbeddingControls()
        self._arrange()
        self._add_options()
        self.head.kinds.setToolTip(tip)
        self.head.kind_selected.connect(self._select_scope)
        self.head.aggregation_selected.connect(self._select_aggregation)
        self.head.option_toggled.connect(self._select_option)
        self.foot.level_selected.connect(self._select_level)
        self._generality.changed.connect(self._show_rendered)
        self._generality.expected_changed.connect(self._show_expected)
        session.benchmark_changed.connect(self._show_rendered)
        session.scores_changed.connect(self._show_rendered)
        self.show_all()

    def _arrange(self) -> None:
        middle = QWidget()
        self._side_layout = QBoxLayout(QBoxLayout.Direction.TopToBottom, middle)
        self._side_layout.setContentsMargins(0, 0, 0, 0)
        self._side_layout.setSpacing(0)
        self.column.removeWidget(self._place)
        self._side_layout.addWidget(self._place, 1)
        self._side_layout.addWidget(self.foot)
        self.column.addWidget(middle, 1)

    def _add_options(self) -> None:
        how = [(ADD_IRRELEVANT, "Growing the embedding"), (CLASS_SIZES, "Class sizes")]
        self.head.add_option_group("Generality by", how, ADD_IRRELEVANT)
        self.head.add_option(RANDOM, "Random lists", on=True, tip="19 of 20 lie within the band")
        self.head.add_option(IDEAL, "Ideal list (TRIS)")
        self.head.add_option(LABELS, "Names at the ends of lines", on=True)
        self._add_actions()

    def view_state(self) -> dict[str, Any]:
        """See `PlotPanel`; the level of the embedding where one is looked at."""
        level = self._generality.level
        return super().view_state() if level is None else {**super().view_state(), "level": level}

    def restore_view_state(self, state: Mapping[str, Any]) -> None:
        """See `PlotPanel`."""
        super().restore_view_state(state)
        level = state.get("level")
        self._select_level(level if isinstance(level, float) and 0 <= level < math.inf else math.nan)
        self.foot.set_level(self._generality.level)

    # What it says of its graph.

    def title(self) -> str:
        """See `PlotPanel`."""
        benchmark, selection = self._session.benchmark, self._session.selection
        name = generality_scope_label(self._generality.scope).partition(" ")[0]
        if benchmark is None:
            return name
        means = selection.means or selection.query == NOTHING or self._generality.how == CLASS_SIZES
        return f"{benchmark.name} {name} {'mean' if means else benchmark.queries.ids[selection.query]}"

    def axes(self) -> tuple[str, str, str]:
        """See `PlotPanel`."""
        return X_LABELS[0], self._y_labels()[0], "halves"

    def _y_labels(self) -> tuple[str, str]:
        scope = self._generality.scope
        return ("Recall = precision", "GRiP") if scope == 1 else (f"Recall within {scope}c places", f"GR{scope}P")

    def curves(self, theme: str) -> list[PlotCurve]:
        """See `PlotPanel`."""
        benchmark = self._session.benchmark
        if benchmark is None:
            return []
        looks, own = curve_styles(benchmark.runs, theme), self._session.edits.colours
        known, nothing = {curve.run: curve for curve in self._generality.drawn.curves}, np.zeros(0)
        lines = []
        for place, (run, look) in enumerate(zip(benchmark.runs, looks, strict=True)):
            curve, colour = known.get(place), own.get(run.name, look.colour)
            x, y = (nothing, nothing) if curve is None else (curve.x, curve.y)
            line = PlotCurve(str(place), run.name, x, y, colour, look.dash, marker=look.marker)
            if self._generality.how == CLASS_SIZES:  # where there are no lines, runs of a participant differ by markers
                marker = MARKERS[DASHES.index(look.dash) % len(MARKERS)]
                line = replace(line, dotted=True, spread=None if curve is None else curve.spread, marker=marker)
            lines.append(line)
        return lines

    def references(self) -> References:
        """See `PlotPanel`."""
        selection = self._session.selection
        shown = self._generality.curve_of(selection.run) if selection.run in selection.drawn_runs else None
        on = frozenset(key for key in (RANDOM, IDEAL) if self.head.is_on(key))
        return generality_references(self._generality.drawn, shown, on)

    def columns(self) -> list[ValueColumn]:
        """See `PlotPanel`."""
        return generality_columns(self.drawn(self._theme.name), self._generality.drawn, self.head.is_on(RANDOM))

    def cursor_at(self, rank: int) -> PlotCursor:
        """See `PlotPanel`; the recall at a rank is a height, which a curve has where so few models are enough."""
        drawn = self._generality.drawn
        if not drawn.curves:
            return NO_CURSOR
        dots = tuple(CurveDot(str(curve.run), *self._generality.place_at(curve, rank)) for curve in drawn.curves)
        curve = self._generality.curve_of(self._session.selection.run)
        level = None if curve is None else curve.reached.at(rank)[0]
        words = "" if level is None or math.isnan(level) else f"rank {rank:,}: recall {format_value(level)}"
        return PlotCursor(None, dots, level=level, words=words)

    def rank_at(self, x: float) -> int | None:
        """See `PlotPanel`."""
        return self._generality.rank_at(x, self._session.selection.run)

    # What it shows.

    @Slot()
    def _show_rendered(self) -> None:
        self.show_all()

    def show_all(self) -> None:
        """See `PlotPanel`."""
        session, drawn = self._session, self._generality.drawn
        benchmark = session.benchmark
        if benchmark is None:
            self.show_empty("No benchmark is open")
        elif benchmark.assessment is None:
            self.show_empty("Nothing to measure", "The benchmark has no relevance assessment.")
        elif not benchmark.runs:
            self.show_empty("Nothing to draw", "The benchmark has no runs.")
        elif session.scores is None:
            self.show_empty("Evaluating…")
        elif drawn.complete and not any(np.isfinite(curve.y).any() for curve in drawn.curves):
            self.show_empty("Nothing to draw", "The curve is not defined for this query.")
        else:
            self._show_graph()

    def _show_graph(self) -> None:
        drawn, scope = self._generality.drawn, self._generality.scope
        grows, known = self._generality.how == ADD_IRRELEVANT, math.isfinite(drawn.high)
        end = (drawn.low if grows else drawn.high) if known else 1.0
        start = float(math.floor(math.log2(scope) if grows or not known else min(drawn.low, end - 1.0)))
        self.plot.set_axes(X_LABELS, self._y_labels(), (start, max(end, start + 1.0)), (0.0, 1.0), "halves")
        self.foot.set_span(drawn.low)
        self.foot.set_level(self._generality.level)
        self.draw()
        self.head.of.set_current(MEAN if self._session.selection.means else QUERY)
        self.head.of.setEnabled(self._generality.how == ADD_IRRELEVANT)
        self._show_level()
        self._show_expected()
        self.show_content()

    def _show_level(self) -> None:
        """The dashed line where the slider is, and a dot on each curve there."""
        level = self._generality.level
        if level is None or self._generality.how == CLASS_SIZES:
            self.plot.show_pin(NO_CURSOR)
            return
        dots = tuple(CurveDot(curve.key, level, curve.value_at(level)) for curve in self.plot.visible_curves())
        self.plot.show_pin(PlotCursor(level, dots))

    @Slot()
    def _show_expected(self) -> None:
        generality, run = self._generality, self._session.run
        drawn, expected = generality.drawn, generality.expected
        name = "" if run is None else run.name
        if generality.how == CLASS_SIZES:
            self.foot.slider.setEnabled(False)
            self.foot.set_values("Classes of the present collection", ("", ""), [])
            self.foot.set_words(CONFOUNDED)
            return
        level = drawn.low if generality.level is None else generality.level
        if math.isnan(drawn.low):  # nothing is drawn yet, whatever level the slider was left at
            self.foot.set_values("", ("", ""), [])
            self.foot.set_words("")
            return
        kept = drawn.irrelevant if generality.level is None else generality.kept()
        rows: list[tuple[str, float, float]] = []
        if expected is not None:
            scope, recall = generality.scope, expected.recall.tolist()
            if scope == 1:
                rows.append(("Recall = precision in c", *recall))
            else:
                rows.append((f"Recall in {scope}c", *recall))
                rows.append((f"Precision in {scope}c", *(value / scope for value in recall)))
            rows.append(("Average precision", *expected.average_precision.tolist()))
            rows.append(("NDCG, whole list", *expected.gain.tolist()))
        is_present = drawn.high <= drawn.low + 1e-9
        head = (generality_label(level), "present" if is_present else generality_label(drawn.low))
        self.foot.set_values(f"{name}, {embedding_label(level, kept, drawn.irrelevant)}", head, rows)
        curve = generality.curve_of(self._session.selection.run)
        self.foot.set_words("" if curve is None else loss_description(name, curve.loss, curve.last_loss))

    def follow(self, old: Selection, new: Selection) -> None:
        """See `PlotPanel`."""
        if old.run != new.run:
            self.plot.set_references(self.references())
            self._show_expected()
        if old.drawn_runs != new.drawn_runs:
            self._show_level()
        if old.means != new.means:
            self.head.of.set_current(MEAN if new.means else QUERY)

    def showEvent(self, event: QShowEvent) -> None:
        """Qt override."""
        super().showEvent(event)
        self._generality.set_active(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt override."""
        super().hideEvent(event)
        self._generality.set_active(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override; in a flat place slider and numbers stand at the side."""
        super().resizeEvent(event)
        flat = event.size().width() >= SIDE_BY_SIDE_RATIO * event.size().height()
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._side_layout.setDirection(across if flat else down)
        self.foot.set_compact(not flat and event.size().height() < MIN_TABLE_HEIGHT)
        self.foot.setMaximumWidth(CONTROLS_WIDTH if flat else 16_777_215)
        self.foot.setMinimumWidth(CONTROLS_WIDTH if flat else 0)

    # What the person does.

    @Slot(str)
    def _select_scope(self, key: str) -> None:
        self._generality.set_scope(int(key))

    @Slot(str)
    def _select_aggregation(self, what: str) -> None:
        self._session.select(means=what == MEAN)

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
        self._generality.set_level(None if math.isnan(level) else level)
        self._show_level()
        self._show_expected()
