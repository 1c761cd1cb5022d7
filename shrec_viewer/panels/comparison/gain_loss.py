"""Panel with the per-query differences between runs A and B and their significance test."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QLabel, QMenu, QSizePolicy, QVBoxLayout

from shrec_viewer.number_format import format_gain, format_value
from shrec_viewer.panels.panel.actions import QueryActions
from shrec_viewer.panels.panel.panel_widget import BasePanel, missing_scores_reason
from shrec_viewer.viewmodels.comparison.comparison import RunComparison, comparison_text, interval_disagreement_note
from shrec_viewer.viewmodels.ranking.query_list import score_difference
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import class_label
from shrec_viewer.widgets.comparison.gain_loss import GainLossBars
from shrec_viewer.widgets.controls.segmented_buttons import SegmentedButtons
from shrec_viewer.widgets.style.theme import SPACE

ORDERS = (("gain", "By gain"), ("given", "As given"), ("class", "By class"))

MIN_SENTENCE_CHARS = 48
"""In a line of the sentence at least where it stands beside the buttons: a higher column takes the bars' room."""


class GainLossPanel(BasePanel):
    """Bars tied to the session: picking one selects its query."""

    def __init__(self, session: Session) -> None:
        super().__init__("curves")
        self._session = session
        self._compared = RunComparison(session, self)
        self._order: NDArray[np.int64] = np.zeros(0, np.int64)
        self.order = SegmentedButtons(ORDERS)
        self.bars = GainLossBars()
        self.sentence = QLabel()
        self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._build()
        self.order.picked.connect(self._show_bars)
        self.bars.bar_selected.connect(self._pick)
        self.bars.bar_activated.connect(self._open)
        self.bars.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.bars.customContextMenuRequested.connect(self._offer)
        self._compared.changed.connect(self._show_sentence)
        session.benchmark_changed.connect(self._show_bars)
        session.scores_changed.connect(self._show_bars)
        session.selection_changed.connect(self._show_selection)
        self._show_bars()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt override; statistics are made only while somebody sees them."""
        super().showEvent(event)
        self._compared.set_active(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt override."""
        super().hideEvent(event)
        self._compared.set_active(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override; the sentence goes below the buttons where beside them it would be a column of single words."""
        beside = event.size().width() - self.order.sizeHint().width()
        narrow = beside < MIN_SENTENCE_CHARS * self.fontMetrics().averageCharWidth()
        self._head.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
        super().resizeEvent(event)

    def view_state(self) -> dict[str, Any]:
        """What is shown how, for a project: plain values."""
        return {"order": self.order.current}

    def restore_view_state(self, state: Mapping[str, Any]) -> None:
        """Show what a project says; what is not known is passed over."""
        if state.get("order") in [key for key, _ in ORDERS]:
            self.order.set_current(state["order"])
            self._show_bars()

    def _build(self) -> None:
        self.sentence.setWordWrap(True)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        header = self._head
        header.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, SPACE)
        header.setSpacing(3 * SPACE)
        header.addWidget(self.order, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        header.addWidget(self.sentence, 1)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(header)
        layout.addWidget(self.bars, 1)

    # --------------------------------------------------------------------------------------------------- what is shown

    def _pair(self) -> tuple[int, int] | None:
        """Places of A and B in the scores."""
        scores, benchmark, selection = self._session.scores, self._session.benchmark, self._session.selection
        if scores is None or benchmark is None or selection.compared is None or selection.compared == selection.run:
            return None
        names = (benchmark.runs[selection.run].name, benchmark.runs[selection.compared].name)
        if not all(name in scores.runs for name in names):
            return None
        return scores.run_index(names[0]), scores.run_index(names[1])

    def _values(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(Q,) values of A and of B."""
        scores, pair = self._session.scores, self._pair()
        if scores is None or pair is None:
            return np.zeros(0), np.zeros(0)
        column = scores.column(self._session.measure)
        return scores.values_in_mean[pair[0], :, column], scores.values_in_mean[pair[1], :, column]

    @Slot()
    def _show_bars(self, *_: object) -> None:
        scores, pair = self._session.scores, self._pair()
        if scores is None or pair is None:
            self.show_empty(*missing_scores_reason(self._session, runs=2, waiting="No run to compare with"))
            return
        a, b = self._values()
        gains = score_difference(a, b)  # as the queries' list and the heat map have it
        inverted = scores.measures[scores.column(self._session.measure)].better == "lower"
        self._order = self._ordered(-gains if inverted else gains, scores.query_labels)
        title = f"{self._session.measure}: {scores.runs[pair[0]]} − {scores.runs[pair[1]]}"
        names = tuple(scores.queries[query] for query in self._order)
        self.bars.set_bars(names, gains[self._order], self._words, title=title, inverted=inverted)
        self._show_current()
        self._show_sentence()
        self.show_content()

    def _ordered(self, gains: NDArray[np.float64], labels: NDArray[np.int32]) -> NDArray[np.int64]:
        """Largest gain first; queries without a value last."""
        by_gain = np.where(np.isnan(gains), np.inf, -gains)
        if self.order.current == "gain":
            return np.argsort(by_gain, kind="stable")
        if self.order.current == "class":
            return np.lexsort((by_gain, np.where(labels < 0, np.iinfo(np.int32).max, labels)))
        return np.arange(len(gains))

    @Slot()
    def _show_sentence(self) -> None:
        found = self._compared.comparison
        self.sentence.setText("" if found is None else comparison_text(found))
        self.sentence.setToolTip("" if found is None else interval_disagreement_note(found))

    def _words(self, place: int) -> str:
        scores, benchmark = self._session.scores, self._session.benchmark
        if scores is None or benchmark is None or not place < len(self._order):
            return ""
        query = int(self._order[place])
        values = self._values()
        if any(query >= len(column) for column in values):
            return ""  # the runs are being compared anew
        a, b = (float(column[query]) for column in values)
        name = class_label(benchmark, int(scores.query_labels[query]))
        change = f"\n{self._session.measure} {format_value(a)} against {format_value(b)}"
        return (
            f"{scores.queries[query]} {name}".rstrip()
            + change
            + (f"  ({format_gain(float(score_difference(a, b)))})" if a == a and b == b else "")
        )

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if (old.run, old.compared, old.measure) != (new.run, new.compared, new.measure):
            self._show_bars()
        elif old.query != new.query:
            self._show_current()

    def _show_current(self) -> None:
        query = self._session.selection.query
        places = np.flatnonzero(self._order == query)
        self.bars.set_current(int(places[0]) if query != NOTHING and len(places) else -1)

    @Slot(int)
    def _pick(self, place: int) -> None:
        self._session.select(query=int(self._order[place]))

    @Slot(int)
    def _open(self, place: int) -> None:
        self._pick(place)
        self._session.cursor_state.request_view("query")

    @Slot(QPoint)
    def _offer(self, at: QPoint) -> None:
        """What can be done with the query whose bar is under the mouse, or by the menu key with the current one."""
        place = found if (found := self.bars.bar_at(at)) >= 0 else self.bars.current
        if 0 <= place < len(self._order):
            menu = QMenu(self.bars)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            QueryActions(self._session, int(self._order[place]), menu)
            menu.popup(self.bars.viewport().mapToGlobal(at))
