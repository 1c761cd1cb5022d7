"""Panel that shows the ranked lists of several runs for one query side by side."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction, QHideEvent, QKeyEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QCheckBox

from shrec_viewer.content.images import StripsRequest
from shrec_viewer.content.lists import ComparisonRequest
from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.comparison.comparison import ranks_in
from shrec_viewer.number_format import format_value
from shrec_viewer.panels.context_menus import context_menu, popup_in
from shrec_viewer.panels.export.content import ExportContent
from shrec_viewer.panels.panel import BasePanel, row_layout
from shrec_viewer.viewmodels.comparison.comparison import MAX_LISTS, ComparedList, ComparedLists, query_difference_text
from shrec_viewer.viewmodels.content.data import camera_of
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import class_label, missing_query_text, model_class
from shrec_viewer.widgets.comparison.rank_lanes import RankLane, RankLanesView
from shrec_viewer.widgets.controls.controls import ElidingComboBox, SummaryLabel
from shrec_viewer.widgets.controls.plain_text import escape_mnemonic, set_tooltip
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme


class SessionCardSource:
    """Names, classes and thumbnails of the models in the lists, from the session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def name(self, item: int) -> str:
        """See `CardSource`."""
        benchmark = self._benchmark_with(item)
        return "" if benchmark is None else benchmark.collection.ids[item]

    def class_name(self, item: int) -> str:
        """See `CardSource`."""
        benchmark = self._benchmark_with(item)
        return "" if benchmark is None else model_class(benchmark, item)

    def picture(self, item: int) -> QPixmap | None:
        """See `CardSource`."""
        return self._session.thumbnails.pixmap(self.path(item))

    def problem(self, item: int) -> str:
        """See `CardSource`."""
        return self._session.thumbnails.problem(self.path(item))

    def path(self, item: int) -> Path | None:
        """File of a model, None where it has none."""
        benchmark = self._benchmark_with(item)
        return None if benchmark is None else benchmark.collection.paths[item]

    def _benchmark_with(self, item: int) -> Benchmark | None:
        """The benchmark if it has the model; lists of the previous benchmark are painted until they are replaced."""
        benchmark = self._session.benchmark
        return benchmark if benchmark is not None and 0 <= item < len(benchmark.collection) else None


THUMBNAIL_CLIENT = "comparison"
"""Name of this panel's thumbnail requests."""


class ComparisonPanel(BasePanel):
    """Ranked lists of two or more runs side by side: run A at the left, then run B."""

    def __init__(self, session: Session) -> None:
        super().__init__("grid")
        self._session = session
        self._theme = current_theme()
        self._compared = ComparedLists(session, self)
        self.add_active_model(self._compared)
        self._cards = SessionCardSource(session)
        self.lists = RankLanesView(self._cards)
        self.count = ElidingComboBox()
        self.all_lines = QCheckBox("All lines")
        self.summary = SummaryLabel()
        self._build()
        self.count.activated.connect(self._select_count)
        self.all_lines.toggled.connect(self.lists.set_all_lines)
        self.lists.card_selected.connect(self._select_card)
        self.lists.card_activated.connect(self._open_card)
        self.lists.header_clicked.connect(self._show_run_menu)
        self.lists.item_hovered.connect(self._point)
        self.lists.visible_rows_changed.connect(self._request_thumbnails)
        self._compared.changed.connect(self._show_lists)
        session.cursor_state.lists_requested.connect(self._show_count)
        session.benchmark_changed.connect(self._show_benchmark)
        session.scores_changed.connect(self._show_lists)
        session.selection_changed.connect(self._show_selection)
        session.cursor_state.cursor_changed.connect(self._show_cursor)
        session.thumbnails.arrived.connect(self._show_arrived)
        session.thumbnails.size_changed.connect(self._request_thumbnails_again)
        self._show_count()
        self._show_benchmark()

    def view_state(self) -> dict[str, Any]:
        """See `Panel`."""
        return {"count": self.count.currentData(), "every_line": self.all_lines.isChecked()}

    def restore_view_state(self, state: Mapping[str, Any]) -> None:
        """See `Panel`; unknown values are ignored."""
        if (index := self.count.findData(state.get("count"))) >= 0:
            self.count.setCurrentIndex(index)
            self._select_count(index)
        self.all_lines.setChecked(state.get("every_line") is True)

    def export_content(self) -> ExportContent:
        """See `Panel`; the lists from left to right."""
        benchmark, query = self._session.benchmark, self._session.selection.query
        if benchmark is None or query == NOTHING or not self._compared.runs:
            return ExportContent()
        runs, name = tuple(benchmark.runs[run].name for run in self._compared.runs), benchmark.queries.ids[query]
        figure = None
        if benchmark.collection.has_file.any():
            figure = StripsRequest(runs=runs, queries=(name,), camera=camera_of(self._session))
        return ExportContent(figure, ComparisonRequest(runs=runs, queries=(name,)), names=(name, *runs))

    # ------------------------------------------------------------------------------------------------------ commands

    def swap_runs(self) -> None:
        """Exchange run A and run B."""
        selection = self._session.selection
        if selection.compared is not None:
            self._session.select(run=selection.compared, compared=selection.run)

    def flip(self) -> None:
        """Show only A, then only B at the same position, then all lists."""
        isolated = self.lists.isolated_lane
        self.lists.show_only({None: 0, 0: 1}.get(isolated) if len(self.lists.lanes) > 1 else None)

    # ---------------------------------------------------------------------------------------------------- Qt overrides

    def hideEvent(self, event: QHideEvent) -> None:
        """Request no more thumbnails."""
        super().hideEvent(event)
        self._session.thumbnails.request(THUMBNAIL_CLIENT, [])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Swap the runs with X, show all lists with Esc."""
        if event.key() == Qt.Key.Key_X and not event.modifiers():
            self.swap_runs()
        elif event.key() == Qt.Key.Key_Escape and self.lists.isolated_lane is not None:
            self.lists.show_only(None)
        else:
            super().keyPressEvent(event)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are updated by `apply_theme`."""
        self._theme = theme
        self._show_lists()

    def _build(self) -> None:
        self.count.setMinimumContentsLength(8)
        for count in range(2, MAX_LISTS + 1):
            self.count.addItem(f"{count} runs", count)
        self.count.setAccessibleName("Number of runs")
        set_tooltip(self.count, "Number of runs: A, B, then the best others. Click a list header to change its run.")
        set_tooltip(self.all_lines, "Connect all models between the lists, not only relevant ones")
        header = row_layout(top=2 * SPACE, bottom=2 * SPACE)
        header.addWidget(self.summary, 1)
        header.addWidget(self.count)
        header.addWidget(self.all_lines)
        self.set_body(header, self.lists, stretch=self.lists)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override; in a low panel the summary is one line."""
        super().resizeEvent(event)
        self.summary.fit()

    # ------------------------------------------------------------------------------------------------------- display

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
        styles = self._session.run_styles.styles(self._theme.name)
        assessment = benchmark.assessment
        lanes = []
        for entry in lists:
            run, shown = benchmark.runs[entry.run], entry.shown
            levels = shown.levels.astype(np.int8) if assessment is not None else np.full(len(shown), -1, np.int8)
            missing = f"{run.name} has no results. {missing_query_text(self._session.profile)}"
            style = styles[entry.run]
            note = "no results" if shown.missing else self._score_text(entry.run)
            lanes.append(
                RankLane(
                    run.name, note, style.colour, style.dash, shown.items, levels, shown.distances,
                    missing if shown.missing else "", style.marker, shown.value_name,
                )
            )  # fmt: skip
        self.lists.set_lanes(lanes, binary=assessment is not None and tuple(assessment.levels) == (1,))
        self.lists.set_current(0, self._session.selection.rank)
        self.summary.set_summary(self._summary_text(lists))
        self.show_content()

    def _show_reason(self) -> None:
        benchmark = self._session.benchmark
        if benchmark is None:
            self.show_empty("No benchmark is open")
        elif not len(benchmark.queries):
            self.show_empty("No comparison", "The benchmark has no queries.")
        else:
            self.show_empty("No comparison", "A comparison requires two runs; the benchmark has fewer.")

    def _value(self, run: int) -> float:
        """Score of a run for the selected query; NaN where there is none."""
        scores, benchmark, query = self._session.scores, self._session.benchmark, self._session.selection.query
        if scores is None or benchmark is None or query == NOTHING or benchmark.runs[run].name not in scores.runs:
            return float("nan")
        row = scores.run_index(benchmark.runs[run].name)
        return float(scores.values[row, query, scores.column(self._session.measure)])

    def _score_text(self, run: int) -> str:
        if self._session.scores is None:
            return ""
        return f"{self._session.measure} {format_value(self._value(run))}"

    def _summary_text(self, lists: tuple[ComparedList, ...]) -> str:
        """Query, and the difference between run A and run B."""
        benchmark, query = self._session.benchmark, self._session.selection.query
        if benchmark is None or len(lists) < 2 or self._session.scores is None or query == NOTHING:
            return ""
        a, b = lists[:2]
        names = (benchmark.runs[a.run].name, benchmark.runs[b.run].name)
        values = (self._value(a.run), self._value(b.run))
        name = class_label(benchmark, int(benchmark.queries.labels[query]))
        text = query_difference_text(benchmark, names, self._session.measure, values, (a.shown, b.shown))
        return f"{benchmark.queries.ids[query]} {name}".rstrip() + f", {text}"

    @Slot(object)
    def _show_cursor(self, rank: int | None) -> None:
        lists = self._compared.lists
        if not lists or rank is None or rank > len(lists[0].shown):
            self.lists.set_item(-1)
            return
        self.lists.set_item(int(lists[0].shown.items[rank - 1]))

    # ----------------------------------------------------------------------------------------------------- thumbnails

    @Slot(int, int)
    def _request_thumbnails(self, first: int, last: int) -> None:
        if not self.isVisible():
            return
        page = last - first + 1
        visible = list(self._paths(first, last))
        self._session.thumbnails.request(THUMBNAIL_CLIENT, visible, self._paths(last + 1, last + page))

    @Slot()
    def _request_thumbnails_again(self) -> None:
        self._request_thumbnails(*self.lists.visible_rows())

    def _paths(self, first: int, last: int) -> Iterator[Path]:
        """Files of the models in some rows of all lists."""
        for row in range(first, last + 1):
            for lane in self.lists.lanes:
                path = self._cards.path(int(lane.items[row])) if row < len(lane) else None
                if path is not None:
                    yield path

    @Slot(object)
    def _show_arrived(self, _paths: frozenset[Path]) -> None:
        self.lists.refresh()

    # --------------------------------------------------------------------------------------------------- interaction

    @Slot()
    def _show_count(self) -> None:
        self.count.setCurrentIndex(self.count.findData(self._compared.count))

    @Slot(int)
    def _select_count(self, _index: int) -> None:
        self._compared.set_count(self.count.currentData())

    @Slot(int)
    def _show_run_menu(self, lane: int) -> None:
        """Open the menu that changes the run of a list."""
        benchmark, lists = self._session.benchmark, self._compared.lists
        if benchmark is None or lane >= len(lists):
            return
        menu = context_menu(self.lists)
        shown = [entry.run for entry in lists]
        for index, run in enumerate(benchmark.runs):
            action = menu.addAction(escape_mnemonic(run.name))
            action.setCheckable(True)
            action.setChecked(index == lists[lane].run)
            action.setEnabled(index == lists[lane].run or index not in shown or {lane, shown.index(index)} == {0, 1})
            action.setData((lane, index))
        menu.triggered.connect(self._change_run)
        popup_in(self.lists, menu, self.lists.card(lane, 1).topLeft().toPoint())

    @Slot(QAction)
    def _change_run(self, action: QAction) -> None:
        self._compared.set_run(*action.data())

    @Slot(int, int)
    def _select_card(self, lane: int, rank: int) -> None:
        """Select the rank of a card of A; for a card of another list, the rank of its model in A, if any."""
        if lane == 0:
            self._session.select(rank=rank)
            return
        lists = self._compared.lists
        item = lists[lane].shown.items[rank - 1 : rank]
        rank_in_a = int(ranks_in(lists[0].shown, item)[0])
        if rank_in_a:
            self._session.select(rank=rank_in_a)
            self.lists.set_current(lane, rank)

    @Slot(int, int)
    def _open_card(self, lane: int, rank: int) -> None:
        self._select_card(lane, rank)
        self._session.cursor_state.request_view("mesh_view")

    @Slot(int)
    def _point(self, item: int) -> None:
        lists = self._compared.lists
        if item < 0 or not lists:
            self._session.cursor_state.hover(None)
            return
        rank = int(ranks_in(lists[0].shown, np.array([item], np.int32))[0])
        if rank:
            self._session.cursor_state.hover(rank)
        else:
            self._session.cursor_state.hover_model(item)
