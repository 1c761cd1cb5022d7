"""The generality graph: what a larger collection costs each run."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from shrec_viewer.metrics.generality_graph import CONFOUNDED
from shrec_viewer.metrics.sources import GENERALITY
from shrec_viewer.numerals import listed
from shrec_viewer.panels.curve_graph import LABELS, GraphPanel
from shrec_viewer.panels.curve_head import MEAN, QUERY, Entry
from shrec_viewer.panels.curve_options import IDEAL, RANDOM
from shrec_viewer.panels.generality_foot import WIDTH, GeneralityFoot
from shrec_viewer.panels.generality_references import generality_columns, generality_references
from shrec_viewer.panels.generality_words import embedding_words, generality_words, loss_words, scope_name
from shrec_viewer.render.palette import DASHES, MARKERS
from shrec_viewer.viewmodels.curves_looks import looks_of
from shrec_viewer.viewmodels.generality import Generality
from shrec_viewer.viewmodels.generality_work import CLASSES, GROWING
from shrec_viewer.viewmodels.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.plot_curve import PlotCurve
from shrec_viewer.widgets.plot_marks import NO_CURSOR, Cursor, Dot
from shrec_viewer.widgets.plot_reference import References
from shrec_viewer.widgets.plot_table import Column

SCOPES = (1, 2, 4)
"""Relevant scopes: as many places as models are relevant, the second tier, and what a person still leafs through."""

FLAT = 1.6
"""Width over height from which slider and numbers stand beside the graph instead of below it."""

TALL = 460
"""Pixels of height from which there is room for the numbers below the graph, and not only for the slider."""

X_WORDS = ("Generality g, the share of relevant models (each step halves it)", "Generality g")

DEFINITION = (
    "Expected recall within n times as many places as models are relevant, if only a random part of the irrelevant "
    "models were in the collection: so many that the generality g = c / (c + irrelevant models) is the same for all "
    "queries. An exact expectation; the last point is the list itself. Random lists reach n g."
)


class GeneralityPanel(GraphPanel):
    """Recall at a relevant scope by generality, with a slider for the embedding."""

    def __init__(self, session: Session) -> None:
        tip = f"{DEFINITION}\n{GENERALITY}"
        entries = [Entry(str(scope), scope_name(scope), f"{scope_name(scope)}\n{tip}") for scope in SCOPES]
        super().__init__(session, "generality", entries)
        self._generality = Generality(session, self)
        self.foot = GeneralityFoot()
        self._arrange()
        self._add_options()
        self.head.kinds.setToolTip(tip)
        self.head.kind_picked.connect(self._pick_scope)
        self.head.of_picked.connect(self._pick_of)
        self.head.option_picked.connect(self._pick_option)
        self.foot.level_picked.connect(self._pick_level)
        self._generality.changed.connect(self._show_drawn)
        self._generality.expected_changed.connect(self._show_expected)
        session.benchmark_changed.connect(self._show_drawn)
        session.scores_changed.connect(self._show_drawn)
        self.show_all()

    def _arrange(self) -> None:
        middle = QWidget()
        self._sides = QBoxLayout(QBoxLayout.Direction.TopToBottom, middle)
        self._sides.setContentsMargins(0, 0, 0, 0)
        self._sides.setSpacing(0)
        self.column.removeWidget(self._place)
        self._sides.addWidget(self._place, 1)
        self._sides.addWidget(self.foot)
        self.column.addWidget(middle, 1)

    def _add_options(self) -> None:
        how = [(GROWING, self.tr("Growing the embedding")), (CLASSES, self.tr("Class sizes"))]
        self.head.add_group(self.tr("Generality by"), how, GROWING)
        self.head.add_option(RANDOM, self.tr("Random lists"), on=True, tip=self.tr("19 of 20 lie within the band"))
        self.head.add_option(IDEAL, self.tr("Ideal list (TRIS)"))
        self.head.add_option(LABELS, self.tr("Names at the ends of lines"), on=True)
        self._add_verbs()

    def view_state(self) -> dict[str, Any]:
        """See `GraphPanel`; the level of the embedding where one is looked at."""
        level = self._generality.level
        return super().view_state() if level is None else {**super().view_state(), "level": level}

    def take_view_state(self, state: Mapping[str, Any]) -> None:
        """See `GraphPanel`."""
        super().take_view_state(state)
        level = state.get("level")
        self._pick_level(level if isinstance(level, float) and 0 <= level < math.inf else math.nan)
        self.foot.set_level(self._generality.level)

    # What it says of its graph.

    def title(self) -> str:
        """See `GraphPanel`."""
        benchmark, selection = self._session.benchmark, self._session.selection
        name = scope_name(self._generality.scope).partition(" ")[0]
        if benchmark is None:
            return name
        means = selection.means or selection.query == NOTHING or self._generality.how == CLASSES
        return f"{benchmark.name} {name} {'mean' if means else benchmark.queries.ids[selection.query]}"

    def axes(self) -> tuple[str, str, str]:
        """See `GraphPanel`."""
        return X_WORDS[0], self._y_words()[0], "halves"

    def _y_words(self) -> tuple[str, str]:
        scope = self._generality.scope
        return ("Recall = precision", "GRiP") if scope == 1 else (f"Recall within {scope}c places", f"GR{scope}P")

    def curves(self, theme: str) -> list[PlotCurve]:
        """See `GraphPanel`."""
        benchmark = self._session.benchmark
        if benchmark is None:
            return []
        looks, own = looks_of(benchmark.runs, theme), self._session.edits.colours
        known, nothing = {curve.run: curve for curve in self._generality.drawn.curves}, np.zeros(0)
        lines = []
        for place, (run, look) in enumerate(zip(benchmark.runs, looks, strict=True)):
            curve, colour = known.get(place), own.get(run.name, look.colour)
            x, y = (nothing, nothing) if curve is None else (curve.x, curve.y)
            line = PlotCurve(str(place), run.name, x, y, colour, look.dash, marker=look.marker)
            if self._generality.how == CLASSES:  # where there are no lines, runs of a participant differ by markers
                marker = MARKERS[DASHES.index(look.dash) % len(MARKERS)]
                line = replace(line, dotted=True, spread=None if curve is None else curve.spread, marker=marker)
            lines.append(line)
        return lines

    def references(self) -> References:
        """See `GraphPanel`."""
        selection = self._session.selection
        shown = self._generality.curve_of(selection.run) if selection.run in selection.drawn_runs else None
        on = frozenset(key for key in (RANDOM, IDEAL) if self.head.is_on(key))
        return generality_references(self._generality.drawn, shown, on)

    def columns(self) -> list[Column]:
        """See `GraphPanel`."""
        return generality_columns(self.drawn(self._theme.name), self._generality.drawn, self.head.is_on(RANDOM))

    def cursor_at(self, rank: int) -> Cursor:
        """See `GraphPanel`; the recall at a rank is a height, which a curve has where so few models are enough."""
        drawn = self._generality.drawn
        if not drawn.curves:
            return NO_CURSOR
        dots = tuple(Dot(str(curve.run), *self._generality.place_at(curve, rank)) for curve in drawn.curves)
        curve = self._generality.curve_of(self._session.selection.run)
        level = None if curve is None else curve.reached.at(rank)[0]
        words = "" if level is None or math.isnan(level) else f"rank {rank:,}: recall {listed(level)}"
        return Cursor(None, dots, level=level, words=words)

    def rank_at(self, x: float) -> int | None:
        """See `GraphPanel`."""
        return self._generality.rank_at(x, self._session.selection.run)

    # What it shows.

    @Slot()
    def _show_drawn(self) -> None:
        self.show_all()

    def show_all(self) -> None:
        """See `GraphPanel`."""
        session, drawn = self._session, self._generality.drawn
        benchmark = session.benchmark
        if benchmark is None:
            self.show_empty(self.tr("No benchmark is open"))
        elif benchmark.assessment is None:
            self.show_empty(self.tr("Nothing to measure"), self.tr("The benchmark has no relevance assessment."))
        elif not benchmark.runs:
            self.show_empty(self.tr("Nothing to draw"), self.tr("The benchmark has no runs."))
        elif session.scores is None:
            self.show_empty(self.tr("Evaluating…"))
        elif drawn.complete and not any(np.isfinite(curve.y).any() for curve in drawn.curves):
            self.show_empty(self.tr("Nothing to draw"), self.tr("The curve is not defined for this query."))
        else:
            self._show_graph()

    def _show_graph(self) -> None:
        drawn, scope = self._generality.drawn, self._generality.scope
        grows, known = self._generality.how == GROWING, math.isfinite(drawn.high)
        end = (drawn.low if grows else drawn.high) if known else 1.0
        start = float(math.floor(math.log2(scope) if grows or not known else min(drawn.low, end - 1.0)))
        self.plot.set_axes(X_WORDS, self._y_words(), (start, max(end, start + 1.0)), (0.0, 1.0), "halves")
        self.foot.set_span(drawn.low)
        self.foot.set_level(self._generality.level)
        self.draw()
        self.head.of.set_current(MEAN if self._session.selection.means else QUERY)
        self.head.of.setEnabled(self._generality.how == GROWING)
        self._show_level()
        self._show_expected()
        self.show_content()

    def _show_level(self) -> None:
        """The dashed line where the slider is, and a dot on each curve there."""
        level = self._generality.level
        if level is None or self._generality.how == CLASSES:
            self.plot.show_pin(NO_CURSOR)
            return
        dots = tuple(Dot(curve.key, level, curve.value_at(level)) for curve in self.plot.visible_curves())
        self.plot.show_pin(Cursor(level, dots))

    @Slot()
    def _show_expected(self) -> None:
        generality, run = self._generality, self._session.run
        drawn, expected = generality.drawn, generality.expected
        name = "" if run is None else run.name
        if generality.how == CLASSES:
            self.foot.slider.setEnabled(False)
            self.foot.set_values(self.tr("Classes of the present collection"), ("", ""), [])
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
                rows.append((self.tr("Recall = precision in c"), *recall))
            else:
                rows.append((self.tr("Recall in {n}c").format(n=scope), *recall))
                rows.append((self.tr("Precision in {n}c").format(n=scope), *(value / scope for value in recall)))
            rows.append((self.tr("Average precision"), *expected.average_precision.tolist()))
            rows.append((self.tr("NDCG, whole list"), *expected.gain.tolist()))
        is_present = drawn.high <= drawn.low + 1e-9
        head = (generality_words(level), self.tr("present") if is_present else generality_words(drawn.low))
        self.foot.set_values(f"{name}, {embedding_words(level, kept, drawn.irrelevant)}", head, rows)
        curve = generality.curve_of(self._session.selection.run)
        self.foot.set_words("" if curve is None else loss_words(name, curve.loss, curve.last_loss))

    def follow(self, old: Selection, new: Selection) -> None:
        """See `GraphPanel`."""
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
        flat = event.size().width() >= FLAT * event.size().height()
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._sides.setDirection(across if flat else down)
        self.foot.set_compact(not flat and event.size().height() < TALL)
        self.foot.setMaximumWidth(WIDTH if flat else 16_777_215)
        self.foot.setMinimumWidth(WIDTH if flat else 0)

    # What the person does.

    @Slot(str)
    def _pick_scope(self, key: str) -> None:
        self._generality.set_scope(int(key))

    @Slot(str)
    def _pick_of(self, what: str) -> None:
        self._session.select(means=what == MEAN)

    @Slot(str, bool)
    def _pick_option(self, key: str, on: bool) -> None:
        if key == LABELS:
            self.plot.set_labelled(on)
        elif key in (GROWING, CLASSES):
            self._generality.set_how(key)
        else:
            self.draw()

    @Slot(float)
    def _pick_level(self, level: float) -> None:
        self._generality.set_level(None if math.isnan(level) else level)
        self._show_level()
        self._show_expected()
