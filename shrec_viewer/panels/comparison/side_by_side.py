"""Panel that shows the ranked lists of several runs for one query side by side."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction, QHideEvent, QKeyEvent, QPixmap, QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QMenu, QSizePolicy, QVBoxLayout

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.rank_shifts import ranks_in
from shrec_viewer.number_format import format_value
from shrec_viewer.panels.panel.panel_widget import BasePanel
from shrec_viewer.viewmodels.comparison.comparison import MAX_LISTS, ComparedList, ComparedLists, query_difference_text
from shrec_viewer.viewmodels.plots.run_styles import run_styles
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import class_label, missing_query_text, model_class
from shrec_viewer.widgets.comparison.rank_lanes import RankLane
from shrec_viewer.widgets.comparison.rank_lanes_view import RankLanesView
from shrec_viewer.widgets.controls.fields import ElidingComboBox
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme


class SessionCardSource:
    """What the lists ask about models, answered from the session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def name(self, item: int) -> str:
        """See `Faces`."""
        benchmark = self._benchmark_with(item)
        return "" if benchmark is None else benchmark.collection.ids[item]

    def class_name(self, item: int) -> str:
        """See `Faces`."""
        benchmark = self._benchmark_with(item)
        return "" if benchmark is None else model_class(benchmark, item)

    def picture(self, item: int) -> QPixmap | None:
        """See `Faces`."""
        return self._session.thumbnails.picture(self.path(item))

    def problem(self, item: int) -> str:
        """See `Faces`."""
        return self._session.thumbnails.problem(self.path(item))

    def path(self, item: int) -> Path | None:
        """File of a model."""
        benchmark = self._benchmark_with(item)
        return None if benchmark is None else benchmark.collection.paths[item]

    def _benchmark_with(self, item: int) -> Benchmark | None:
        """The benchmark where it has the model: lists of one read before may be painted until the new ones are made."""
        benchmark = self._session.benchmark
        return benchmark if benchmark is not None and 0 <= item < len(benchmark.collection) else None


THUMBNAIL_CLIENT = "comparison"
"""Name under which pictures are asked for."""


class ComparisonPanel(BasePanel):
    """Lists of two or more runs tied to the session: run A at the left, the run compared with beside it."""

    def __init__(self, session: Session) -> None:
        super().__init__("grid")
        self._session = session
        self._theme = current_theme()
        self._compared = ComparedLists(session, self)
        self._faces = SessionCardSource(session)
        self.lists = RankLanesView(self._faces)
        self.count = ElidingComboBox()
        self.every = QCheckBox("All lines")
        self.sentence = QLabel()
        self._build()
        self.count.activated.connect(self._select_count)
        self.every.toggled.connect(self.lists.set_every_line)
        self.lists.card_selected.connect(self._select_card)
        self.lists.card_activated.connect(self._open_card)
        self.lists.header_clicked.connect(self._show_run_menu)
        self.lists.item_hovered.connect(self._point)
        self.lists.visible_rows_changed.connect(self._request_pictures)
        self._compared.changed.connect(self._show_lists)
        session.benchmark_changed.connect(self._show_benchmark)
        session.scores_changed.connect(self._show_lists)
        session.selection_changed.connect(self._show_selection)
        session.cursor_state.cursor_changed.connect(self._show_cursor)
        session.thumbnails.arrived.connect(self._show_arrived)
        session.thumbnails.size_changed.connect(self._request_pictures_again)
        self._show_benchmark()

    def view_state(self) -> dict[str, Any]:
        """How many runs stand side by side, with which lines, for a project: plain values."""
        return {"count": self.count.currentData(), "every_line": self.every.isChecked()}

    def restore_view_state(self, state: Mapping[str, Any]) -> None:
        """Show what a project says; what is not known is passed over."""
        if (place := self.count.findData(state.get("count"))) >= 0:
            self.count.setCurrentIndex(place)
            self._select_count(place)
        self.every.setChecked(state.get("every_line") is True)

    # ------------------------------------------------------------------------------------------------------ commands

    def swap_runs(self) -> None:
        """A becomes B and B becomes A."""
        selection = self._session.selection
        if selection.compared is not None:
            self._session.select(run=selection.compared, compared=selection.run)

    def flip(self) -> None:
        """Show A alone, then B alone in the same place, then both: what changes is seen at once."""
        alone = self.lists.isolated_lane
        self.lists.show_only({None: 0, 0: 1}.get(alone) if len(self.lists.lanes) > 1 else None)

    # ---------------------------------------------------------------------------------------------------- Qt overrides

    def showEvent(self, event: QShowEvent) -> None:
        """Qt override; lists are made only while somebody sees them."""
        super().showEvent(event)
        self._compared.set_active(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt override."""
        super().hideEvent(event)
        self._compared.set_active(False)
        self._session.thumbnails.want(THUMBNAIL_CLIENT, [])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override; X swaps the runs while anything here has the focus, Esc shows all lists again."""
        if event.key() == Qt.Key.Key_X and not event.modifiers():
            self.swap_runs()
        elif event.key() == Qt.Key.Key_Escape and self.lists.isolated_lane is not None:
            self.lists.show_only(None)
        else:
            super().keyPressEvent(event)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are told by `apply_theme`."""
        self._theme = theme
        self._show_lists()

    def _build(self) -> None:
        self.count.setMinimumContentsLength(8)
        for count in range(2, MAX_LISTS + 1):
            self.count.addItem(f"{count} runs", count)
        self.count.setAccessibleName("Runs side by side")
        self.count.setToolTip(
            "Runs side by side: A, B, and others, the best first; a click on a name puts another run there"
        )
        self.every.setToolTip("Lines of all models, not only of relevant ones")
        self.sentence.setWordWrap(True)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        header = QHBoxLayout()
        header.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        header.setSpacing(2 * SPACE)
        header.addWidget(self.sentence, 1)
        header.addWidget(self.count)
        header.addWidget(self.every)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(header)
        layout.addWidget(self.lists, 1)

    # --------------------------------------------------------------------------------------------------- what is shown

    @Slot()
    def _show_benchmark(self) -> None:
        self.lists.show_only(None)
        self._show_lists()

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if old.rank != new.rank:
            self.lists.set_current(0, new.rank)
        if old.measure != new.measure:
            self._show_lists()

    @Slot()
    def _show_lists(self) -> None:
        benchmark, lists = self._session.benchmark, self._compared.lists
        if benchmark is None or len(benchmark.runs) < 2 or not len(benchmark.queries):
            self._show_reason()
            return
        lists = tuple(entry for entry in lists if entry.run < len(benchmark.runs))
        looks = run_styles(benchmark.runs, self._theme.name, self._session.edits.colours)
        assessment = benchmark.assessment
        lanes = []
        for entry in lists:
            run, shown = benchmark.runs[entry.run], entry.shown
            levels = shown.levels.astype(np.int8) if assessment is not None else np.full(len(shown), -1, np.int8)
            why = f"{run.name} has no answer. {missing_query_text(self._session.profile)}" if shown.missing else ""
            look = looks[entry.run]
            note = self._score_words(entry.run) if not shown.missing else "no answer"
            lanes.append(RankLane(run.name, note, look.colour, look.dash, shown.items, levels, shown.distances, why))
        self.lists.set_lanes(lanes, binary=assessment is not None and tuple(assessment.levels) == (1,))
        self.lists.set_current(0, self._session.selection.rank)
        self.sentence.setText(self._sentence(lists))
        self.show_content()

    def _show_reason(self) -> None:
        benchmark = self._session.benchmark
        if benchmark is None:
            self.show_empty("No benchmark is open")
        elif not len(benchmark.queries):
            self.show_empty("Nothing to compare", "The benchmark has no queries.")
        else:
            self.show_empty("Nothing to compare", "It takes two runs; the benchmark has fewer.")

    def _value(self, run: int) -> float:
        scores, benchmark, query = self._session.scores, self._session.benchmark, self._session.selection.query
        if scores is None or benchmark is None or query == NOTHING or benchmark.runs[run].name not in scores.runs:
            return float("nan")
        row = scores.run_index(benchmark.runs[run].name)
        return float(scores.values[row, query, scores.column(self._session.measure)])

    def _score_words(self, run: int) -> str:
        if self._session.scores is None:
            return ""
        return f"{self._session.measure} {format_value(self._value(run))}"

    def _sentence(self, lists: tuple[ComparedList, ...]) -> str:
        benchmark, query = self._session.benchmark, self._session.selection.query
        if benchmark is None or len(lists) < 2 or self._session.scores is None or query == NOTHING:
            return ""
        a, b = lists[:2]
        names = (benchmark.runs[a.run].name, benchmark.runs[b.run].name)
        values = (self._value(a.run), self._value(b.run))
        name = class_label(benchmark, int(benchmark.queries.labels[query]))
        words = query_difference_text(benchmark, names, self._session.measure, values, (a.shown, b.shown))
        return f"{benchmark.queries.ids[query]} {name}".rstrip() + f": {words}"

    @Slot(object)
    def _show_cursor(self, rank: int | None) -> None:
        lists = self._compared.lists
        if not lists or rank is None or rank > len(lists[0].shown):
            self.lists.set_item(-1)
            return
        self.lists.set_item(int(lists[0].shown.items[rank - 1]))

    # ------------------------------------------------------------------------------------------------------- pictures

    @Slot(int, int)
    def _request_pictures(self, first: int, last: int) -> None:
        if not self.isVisible():
            return
        page = last - first + 1
        seen = list(self._paths(first, last))
        self._session.thumbnails.want(THUMBNAIL_CLIENT, seen, self._paths(last + 1, last + page))

    @Slot()
    def _request_pictures_again(self) -> None:
        self._request_pictures(*self.lists.visible_rows())

    def _paths(self, first: int, last: int) -> Iterator[Path]:
        for place in range(first, last + 1):
            for lane in self.lists.lanes:
                path = self._faces.path(int(lane.items[place])) if place < len(lane) else None
                if path is not None:
                    yield path

    @Slot(object)
    def _show_arrived(self, _paths: frozenset[Path]) -> None:
        self.lists.refresh()

    # ------------------------------------------------------------------------------------------------- what is picked

    @Slot(int)
    def _select_count(self, _place: int) -> None:
        self._compared.set_count(self.count.currentData())

    @Slot(int)
    def _show_run_menu(self, lane: int) -> None:
        """Let the person choose whose list stands here."""
        benchmark, lists = self._session.benchmark, self._compared.lists
        if benchmark is None or lane >= len(lists):
            return
        menu = QMenu(self.lists)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for place, run in enumerate(benchmark.runs):
            action = menu.addAction(run.name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(place == lists[lane].run)
            action.setEnabled(place == lists[lane].run or place not in [entry.run for entry in lists])
            action.setData((lane, place))
        menu.triggered.connect(self._put_run)
        menu.popup(self.lists.viewport().mapToGlobal(self.lists.card(lane, 1).topLeft().toPoint()))

    @Slot(QAction)
    def _put_run(self, action: QAction) -> None:
        self._compared.set_run(*action.data())

    @Slot(int, int)
    def _select_card(self, lane: int, rank: int) -> None:
        """A card of A is its rank; one of another list is the model's rank in A, where it has one."""
        if lane == 0:
            self._session.select(rank=rank)
            return
        lists = self._compared.lists
        item = lists[lane].shown.items[rank - 1 : rank]
        at = int(ranks_in(lists[0].shown, item)[0])
        if at:
            self._session.select(rank=at)
            self.lists.set_current(lane, rank)

    @Slot(int, int)
    def _open_card(self, lane: int, rank: int) -> None:
        self._select_card(lane, rank)
        self._session.cursor_state.request_view("model_view")

    @Slot(int)
    def _point(self, item: int) -> None:
        lists = self._compared.lists
        if item < 0 or not lists:
            self._session.cursor_state.hover(None)
            return
        rank = int(ranks_in(lists[0].shown, np.array([item], np.int32))[0])
        self._session.cursor_state.hover(rank or None)
