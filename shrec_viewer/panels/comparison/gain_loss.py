"""Panel with the per-query differences between runs A and B and their significance test."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout

from shrec_viewer.content.gain_loss import GainLossRequest
from shrec_viewer.number_format import format_gain, format_value
from shrec_viewer.panels.context_menus import QueryActions, context_menu, popup_in
from shrec_viewer.panels.export.content import ExportContent
from shrec_viewer.panels.panel import BasePanel, missing_scores_reason
from shrec_viewer.viewmodels.comparison.comparison import RunComparison, comparison_details, comparison_text
from shrec_viewer.viewmodels.ranking.query_list import score_difference
from shrec_viewer.viewmodels.scores.computations import SignificanceModel
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import class_label
from shrec_viewer.widgets.comparison.gain_loss import GainLossBars
from shrec_viewer.widgets.controls.controls import SegmentedButtons, SummaryLabel
from shrec_viewer.widgets.style.theme import SPACE, Theme

ORDERS = (("gain", "By difference"), ("given", "File order"), ("class", "By class"))
"""Sort orders: key and label."""

MIN_SUMMARY_CHARS = 48
"""Minimum line length of the summary at the right of the buttons; a narrower one goes below them."""


class GainLossPanel(BasePanel):
    """Bar chart of the score differences from run A to run B, one bar per query."""

    def __init__(self, session: Session) -> None:
        super().__init__("curves")
        self._session = session
        self._compared = RunComparison(session, self)
        self._significance = SignificanceModel(session, self)
        self.add_active_model(self._compared)
        self.add_active_model(self._significance)
        self._order: NDArray[np.int64] = np.zeros(0, np.int64)
        self.order = SegmentedButtons(ORDERS)
        self.bars = GainLossBars()
        self.summary = SummaryLabel()
        self._header = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._build()
        self.order.selected.connect(self._show_bars)
        self.bars.bar_selected.connect(self._select_bar)
        self.bars.bar_activated.connect(self._open_bar)
        self.bars.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.bars.customContextMenuRequested.connect(self._show_context_menu)
        self._compared.changed.connect(self._show_summary)
        self._significance.changed.connect(self._show_summary)
        session.benchmark_changed.connect(self._show_bars)
        session.scores_changed.connect(self._show_bars)
        session.selection_changed.connect(self._show_selection)
        self._show_bars()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        self._arrange_header()
        super().resizeEvent(event)
        self.summary.fit()

    def set_theme(self, theme: Theme) -> None:
        """Follow the font size; children are updated by `apply_theme`."""
        self._arrange_header()
        self.summary.fit()

    def _arrange_header(self) -> None:
        """Place the summary below the buttons in a narrow panel."""
        available = self.width() - self.order.sizeHint().width()
        is_narrow = available < MIN_SUMMARY_CHARS * self.fontMetrics().averageCharWidth()
        self._header.setDirection(QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight)

    def export_content(self) -> ExportContent:
        """See `Panel`; the queries in the order on screen."""
        scores, pair = self._session.scores, self._pair()
        if scores is None or pair is None:
            return ExportContent()
        runs = (scores.runs[pair[0]], scores.runs[pair[1]])
        queries = tuple(scores.queries[query] for query in self._order)
        request = GainLossRequest(runs=runs, queries=queries, query_order="given", measure=self._session.measure)
        figure = GainLossRequest(runs=runs, queries=queries, query_order="given", measure=self._session.measure)
        return ExportContent(figure, request, names=(self._session.measure, *runs))

    def height_hint(self) -> tuple[int, int]:
        """See `Panel`; four lines of text, and bars of seven or twelve lines above the names of the queries."""
        line = self.fontMetrics().height()
        return 14 * line, 19 * line

    def view_state(self) -> dict[str, Any]:
        """See `Panel`."""
        return {"order": self.order.current}

    def restore_view_state(self, state: Mapping[str, Any]) -> None:
        """See `Panel`; unknown values are ignored."""
        if state.get("order") in [key for key, _ in ORDERS]:
            self.order.set_current(state["order"])
            self._show_bars()

    def _build(self) -> None:
        header = self._header
        header.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, SPACE)
        header.setSpacing(3 * SPACE)
        header.addWidget(self.order, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        header.addWidget(self.summary, 1)
        self.set_body(header, self.bars, stretch=self.bars)

    # ------------------------------------------------------------------------------------------------------- display

    def _pair(self) -> tuple[int, int] | None:
        """Indices of runs A and B in the scores; None where there is no run B."""
        scores, benchmark, selection = self._session.scores, self._session.benchmark, self._session.selection
        if scores is None or benchmark is None or selection.compared is None or selection.compared == selection.run:
            return None
        names = (benchmark.runs[selection.run].name, benchmark.runs[selection.compared].name)
        if not all(name in scores.runs for name in names):
            return None
        return scores.run_index(names[0]), scores.run_index(names[1])

    def _values(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Scores (Q,) of runs A and B."""
        scores, pair = self._session.scores, self._pair()
        if scores is None or pair is None:
            return np.zeros(0), np.zeros(0)
        column = scores.column(self._session.measure)
        return scores.values_in_mean[pair[0], :, column], scores.values_in_mean[pair[1], :, column]

    @Slot()
    def _show_bars(self, *_: object) -> None:
        scores, pair = self._session.scores, self._pair()
        if scores is None or pair is None:
            self.show_empty(*missing_scores_reason(self._session, runs=2, waiting="No run B selected"))
            return
        a, b = self._values()
        gains = score_difference(a, b)
        inverted = scores.measures[scores.column(self._session.measure)].better == "lower"
        self._order = self._ordered(-gains if inverted else gains, scores.query_labels)
        title = f"Difference of {self._session.measure}"
        names = tuple(scores.queries[query] for query in self._order)
        self.bars.set_bars(names, gains[self._order], self._bar_text, title=title, inverted=inverted)
        self._show_current()
        self._show_summary()
        self.show_content()

    def _ordered(self, gains: NDArray[np.float64], labels: NDArray[np.int32]) -> NDArray[np.int64]:
        """Indices of the queries in the current order: by decreasing gain, undefined ones last."""
        by_gain = np.where(np.isnan(gains), np.inf, -gains)
        if self.order.current == "gain":
            return np.argsort(by_gain, kind="stable")
        if self.order.current == "class":
            return np.lexsort((by_gain, np.where(labels < 0, np.iinfo(np.int32).max, labels)))
        return np.arange(len(gains))

    @Slot()
    def _show_summary(self) -> None:
        found, groups = self._compared.comparison, self._significance.groups
        p_of_all_pairs = float("nan")
        if found is not None and groups is not None and groups.measure == found.measure:
            p_of_all_pairs = groups.p_of_pair(found.run_a, found.run_b)
        if found is None:
            self.summary.set_summary("")
        else:
            self.summary.set_summary(comparison_text(found, p_of_all_pairs), comparison_details(found))

    def _bar_text(self, bar: int) -> str:
        """Tooltip of a bar: query and class, then ``"AP 0.380 → 0.412  (▲ +0.032)"``."""
        scores, benchmark = self._session.scores, self._session.benchmark
        if scores is None or benchmark is None or not bar < len(self._order):
            return ""
        query = int(self._order[bar])
        values = self._values()
        if any(query >= len(column) for column in values):
            return ""  # the bars are still those of the previous benchmark
        a, b = (float(column[query]) for column in values)
        name = class_label(benchmark, int(scores.query_labels[query]))
        text = f"{f'{scores.queries[query]} {name}'.rstrip()}\n"
        text += f"{self._session.measure} {format_value(a)} → {format_value(b)}"
        if a == a and b == b:
            text += f"  ({format_gain(float(score_difference(a, b)))})"
        return text

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if (old.run, old.compared, old.measure) != (new.run, new.compared, new.measure):
            self._show_bars()
        elif old.query != new.query:
            self._show_current()

    def _show_current(self) -> None:
        query = self._session.selection.query
        bars = np.flatnonzero(self._order == query)
        self.bars.set_current(int(bars[0]) if query != NOTHING and len(bars) else -1)

    @Slot(int)
    def _select_bar(self, bar: int) -> None:
        self._session.select(query=int(self._order[bar]))

    @Slot(int)
    def _open_bar(self, bar: int) -> None:
        self._select_bar(bar)
        self._session.cursor_state.request_view("query")

    @Slot(QPoint)
    def _show_context_menu(self, position: QPoint) -> None:
        """Open the menu of the query of the bar at the mouse; with the menu key, of the current one."""
        bar = hovered if (hovered := self.bars.bar_at(position)) >= 0 else self.bars.current
        menu = context_menu(self.bars)
        if 0 <= bar < len(self._order):
            QueryActions(self._session, int(self._order[bar]), menu)
        popup_in(self.bars, menu, position)
