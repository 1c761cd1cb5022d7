"""Panel that shows the ranked lists of several runs for one query as rows."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Slot
from PySide6.QtGui import QAction, QHideEvent, QKeyEvent, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QToolButton

from shrec_viewer.content.data import ContentData
from shrec_viewer.content.images import rank_rows
from shrec_viewer.content.lists import ALL_SHOWN, ComparisonRequest, compared_lists, comparison_texts
from shrec_viewer.content.request import Request
from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.comparison.comparison import ranks_in
from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.panels.context_menus import context_menu, popup_in
from shrec_viewer.panels.panel import row_layout
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.viewmodels.comparison.comparison import (
    choose_compared_run,
    compared_runs,
)
from shrec_viewer.viewmodels.content.data import camera_of, styles_by_name
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import missing_query_text, model_class
from shrec_viewer.widgets.comparison.rank_rows import RankRowsView
from shrec_viewer.widgets.controls.context_menu import PanelMenu
from shrec_viewer.widgets.controls.controls import LeadLabel, SummaryLabel
from shrec_viewer.widgets.controls.layouts import Stretch, column_of
from shrec_viewer.widgets.controls.plain_text import escape_mnemonic, set_tooltip
from shrec_viewer.widgets.style.painted import PaintedWidget
from shrec_viewer.widgets.style.relevance import FRAME_MARGIN, ThumbnailPainter, draw_frame, query_mark
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon, text_font


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
        return benchmark if 0 <= item < len(benchmark.collection) else None


#: Side of the query's image in pixels: with its frame and the margins as high as the head of a ranked list, 72 pixels.
QUERY_EDGE = 54


class QueryPicture(PaintedWidget):
    """Image of the query in its double frame."""

    preferred_size = smallest_size = QSize(QUERY_EDGE + 2 * FRAME_MARGIN, QUERY_EDGE + 2 * FRAME_MARGIN)

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(self.preferred_size)
        self._painter = ThumbnailPainter(max_bytes=0)  # no cache: each query has another image
        self._picture: QPixmap | None = None
        self._problem = ""

    def set_picture(self, picture: QPixmap | None, problem: str) -> None:
        """Show an image, or why there is none."""
        self._picture, self._problem = picture, problem
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        painter, box = self.start_painting(), QRectF(FRAME_MARGIN, FRAME_MARGIN, QUERY_EDGE, QUERY_EDGE)
        font, reason = text_font(self.font(), 0.85), self._problem or None
        self._painter.draw_model(painter, box, self._picture, reason, self._theme, font)
        draw_frame(painter, box, query_mark(self._theme))


#: Name of this panel's thumbnail requests.
THUMBNAIL_CLIENT = "comparison"


class ComparisonPanel(RequestPanel[ComparisonRequest]):
    """Ranked lists of two or more runs as rows: run A first, then run B; ranks from left to right."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, ComparisonRequest(), "grid", uses=("benchmark", "profile"))
        self._chosen: tuple[int, ...] = ()  # runs of the third list and further ones
        self._cards = SessionCardSource(session)
        self.lists = RankRowsView(self._cards)
        self.count = self.controls.choice_box("count")
        self.picture = QueryPicture()
        self.lead, self.summary = LeadLabel(), SummaryLabel()
        self.summary.setProperty("muted", True)
        self.menu_button = QToolButton()
        self._build()
        self.lists.card_selected.connect(self._select_card)
        self.lists.card_activated.connect(self._open_card)
        self.lists.head_clicked.connect(self._show_run_menu)
        self.lists.item_hovered.connect(self._point)
        self.lists.visible_ranks_changed.connect(self._request_thumbnails)
        session.cursor_state.lists_requested.connect(self._show_requested)
        session.cursor_state.cursor_changed.connect(self._show_cursor)
        session.thumbnails.arrived.connect(self._show_arrived)
        session.thumbnails.size_changed.connect(self._request_thumbnails_again)
        self.set_theme(current_theme())
        self._show_requested()
        self.update_request()

    def request(self) -> ComparisonRequest | None:
        """See `RequestPanel`; the lists from the top; None where the benchmark has no two runs."""
        benchmark, query = self._session.benchmark, self._session.selection.query
        runs = compared_runs(self._session, self.options.count, self._chosen)
        if query == NOTHING or not runs or len(benchmark.runs) < 2:
            return None
        names = tuple(benchmark.runs[run].name for run in runs)
        return ComparisonRequest(runs=names, queries=(benchmark.queries.ids[query],))

    def requests(self) -> tuple[Request, ...]:
        """See `RequestPanel`; with the ranks in sight."""
        request, (first, last) = self.request(), self.lists.visible_ranks()
        if request is None:
            return ()
        shown = replace(request, measure=self._session.measure, camera=camera_of(self._session))
        return (replace(shown, rank=first + 1, top=max(last - first + 1, 1), every_line=self.options.every_line),)

    def export_names(self) -> tuple[str, ...]:
        """See `RequestPanel`; query and all runs."""
        request = self.request()
        return () if request is None else (*request.queries, *request.runs)

    def compute(self, data: ContentData, request: ComparisonRequest) -> dict[str, RankedList]:
        """See `RequestPanel`."""
        return compared_lists(data, request)

    @property
    def compared(self) -> Mapping[str, RankedList]:
        """The lists shown by the names of their runs; the previous ones until the new ones are computed."""
        return self.computation.result or {}

    def update_request(self) -> None:
        """See `RequestPanel`; selects a run B where there is none."""
        if self.isVisible():
            choose_compared_run(self._session)
        super().update_request()

    def show_options(self) -> None:
        """See `RequestPanel`."""
        self.lists.set_all_lines(self.options.every_line)
        self.count.updateGeometry()

    # ------------------------------------------------------------------------------------------------------ commands

    def swap_runs(self) -> None:
        """Exchange run A and run B."""
        selection = self._session.selection
        if selection.compared is not None:
            self._session.select(run=selection.compared, compared=selection.run)

    def flip(self) -> None:
        """Show only A, then only B at the same position, then all lists."""
        isolated = self.lists.isolated_row
        self.lists.show_only({None: 0, 0: 1}.get(isolated) if len(self.lists.rows) > 1 else None)

    # ---------------------------------------------------------------------------------------------------- Qt overrides

    def hideEvent(self, event: QHideEvent) -> None:
        """Request no more thumbnails."""
        super().hideEvent(event)
        self._session.thumbnails.request(THUMBNAIL_CLIENT, [])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Swap the runs with X, show all lists with Esc."""
        if event.key() == Qt.Key.Key_X and not event.modifiers():
            self.swap_runs()
        elif event.key() == Qt.Key.Key_Escape and self.lists.isolated_row is not None:
            self.lists.show_only(None)
        else:
            super().keyPressEvent(event)

    def _build(self) -> None:
        set_tooltip(self.count, "Number of runs: A, B, then the best others. Click the name of a run to change it.")
        menu = PanelMenu(self)
        self.controls.add_actions(menu, "every_line")
        self.menu_button.setMenu(menu)
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setAutoRaise(True)
        self.menu_button.setAccessibleName("Comparison menu")
        set_tooltip(self.menu_button, "Lines, copy and export")
        header = row_layout(top=SPACE // 2, bottom=SPACE // 2)
        header.addWidget(self.picture)
        header.addLayout(column_of(Stretch(), self.lead, self.summary, Stretch(), spacing=0, margins=0), 1)
        header.addWidget(self.count)
        header.addWidget(self.menu_button)
        self.set_body(header, self.lists, stretch=self.lists)
        self.setFocusProxy(self.lists)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        super().set_theme(theme)
        self.menu_button.setIcon(icon("more", theme))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override; in a low panel the summary is one line."""
        super().resizeEvent(event)
        self.summary.fit()

    # ------------------------------------------------------------------------------------------------------- display

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`; all lists of another benchmark, or of the same one as it is now, are shown."""
        if new.differs(old, "benchmark"):
            self._chosen = ()
            self.lists.show_only(None)
        elif new.differs(old, "scores", "measure"):
            self.update_view()
        if new.differs(old, "rank"):
            self.lists.set_current(0, new.selection.rank)
        super().show_changes(old, new)

    def show_result(self, result: Mapping[str, RankedList]) -> None:
        """See `RequestPanel`."""
        benchmark, styles = self._session.benchmark, styles_by_name(self._session, self.theme_name)
        lists = {name: shown for name, shown in result.items() if name in styles}
        reason, values = missing_query_text(self._session.profile), [self._value(name) for name in lists]
        key = "" if self._session.scores is None else self._session.measure
        rows = [
            replace(
                row,
                missing=f"{row.missing}. {reason}" if row.missing else "",
                **styles[row.name]._asdict(),
            )
            for row in rank_rows(benchmark, lists, key, values)
        ]
        self.lists.set_rows(rows, binary=benchmark.is_binary)
        self.lists.set_current(0, self._session.selection.rank)
        lead, moves, shorter = comparison_texts(benchmark, self._session.selection.query, key, values, lists)
        self.lead.set_sentence(lead, *shorter)  # without the values, which the rows have
        self.summary.set_summary(moves)
        self._show_query()

    def _show_query(self) -> None:
        path = self._query_path()
        self.picture.setVisible(path is not None)
        self.picture.set_picture(self._session.thumbnails.pixmap(path), self._session.thumbnails.problem(path))

    def _query_path(self) -> Path | None:
        query = self._session.selection.query
        return None if query == NOTHING else self._session.benchmark.queries.paths[query]

    def show_reason(self) -> None:
        """See `RequestPanel`."""
        benchmark = self._session.benchmark
        if not self._session.is_open:
            self.show_empty("No benchmark is open")
        elif not len(benchmark.queries):
            self.show_empty("No comparison", "The benchmark has no queries.")
        elif len(benchmark.runs) < 2:
            self.show_empty("No comparison", "A comparison requires two runs; the benchmark has fewer.")
        else:
            self.show_result({})
            self.show_content()

    def _value(self, run: str) -> float:
        """Score of a run for the selected query; NaN where there is none."""
        scores, query = self._session.scores, self._session.selection.query
        if scores is None or query == NOTHING or run not in scores.runs:
            return float("nan")
        return float(scores.values[scores.run_index(run), query, scores.column(self._session.measure)])

    @Slot(object)
    def _show_cursor(self, rank: int | None) -> None:
        shown = next(iter(self.compared.values()), None)
        self.lists.set_item(-1 if shown is None or rank is None or rank > len(shown) else int(shown.items[rank - 1]))

    # ----------------------------------------------------------------------------------------------------- thumbnails

    @Slot(int, int)
    def _request_thumbnails(self, first: int, last: int) -> None:
        if not self.isVisible():
            return
        page, query = last - first + 1, self._query_path()
        visible = [*([] if query is None else [query]), *self._paths(first, last)]
        self._session.thumbnails.request(THUMBNAIL_CLIENT, visible, self._paths(last + 1, last + page))

    @Slot()
    def _request_thumbnails_again(self) -> None:
        self._request_thumbnails(*self.lists.visible_ranks())

    def _paths(self, first: int, last: int) -> Iterator[Path]:
        """Files of the models at some 0-based indices of all lists."""
        for index in range(first, last + 1):
            for row in self.lists.rows:
                path = self._cards.path(int(row.items[index])) if index < len(row) else None
                if path is not None:
                    yield path

    @Slot(object)
    def _show_arrived(self, _paths: frozenset[Path]) -> None:
        self.lists.refresh()
        self._show_query()

    # --------------------------------------------------------------------------------------------------- interaction

    @Slot()
    def _show_requested(self) -> None:
        """Show the lists that another panel requested."""
        if runs := self._session.cursor_state.requested_lists:
            self._chosen = runs[2:]
            choices = self.controls.field("count").option.choices or {}
            self.set_option("count", next((count for count in choices if count >= len(runs)), ALL_SHOWN))
            self.update_request()

    @Slot(int)
    def _show_run_menu(self, row: int) -> None:
        """Open the menu that changes the run of a list."""
        shown = list(self.compared)
        if row >= len(shown):
            return
        menu = context_menu(self.lists)
        for index, run in enumerate(self._session.benchmark.runs):
            name = run.name
            action = menu.addAction(escape_mnemonic(name))
            action.setCheckable(True)
            action.setChecked(name == shown[row])
            action.setEnabled(name == shown[row] or name not in shown or {row, shown.index(name)} == {0, 1})
            action.setData((row, index))
        menu.triggered.connect(self._change_run)
        popup_in(self.lists, menu, self.lists.head(row).topLeft().toPoint())

    @Slot(QAction)
    def _change_run(self, action: QAction) -> None:
        """Show another run in a list: in the first one select run A, in the second one run B."""
        row, run = action.data()
        if row < 2:
            self._session.select(**{("run", "compared")[row]: run})
            return
        chosen = list(compared_runs(self._session, self.options.count, self._chosen)[2:])
        chosen[row - 2 : row - 1] = [run]
        self._chosen = tuple(chosen)
        self.update_request()

    def _rank_in_a(self, item: int) -> int:
        """1-based rank of a model in the list of run A; 0 for none."""
        shown = next(iter(self.compared.values()), None)
        return 0 if shown is None else int(ranks_in(shown, np.array([item], np.int32))[0])

    @Slot(int, int)
    def _select_card(self, row: int, rank: int) -> None:
        """Select the rank of a card of A; for a card of another list, the rank of its model in A, if any."""
        if row == 0:
            self._session.select(rank=rank)
        elif rank_in_a := self._rank_in_a(int(self.lists.rows[row].items[rank - 1])):
            self._session.select(rank=rank_in_a)
            self.lists.set_current(row, rank)

    @Slot(int, int)
    def _open_card(self, row: int, rank: int) -> None:
        self._select_card(row, rank)
        self._session.cursor_state.request_view("mesh_view")

    @Slot(int)
    def _point(self, item: int) -> None:
        if item < 0 or not self.compared:
            self._session.cursor_state.hover(None)
        elif rank := self._rank_in_a(item):
            self._session.cursor_state.hover(rank)
        else:
            self._session.cursor_state.hover_model(item)
