"""The ranked list in the middle: what one run answers to one query, framed by relevance."""

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QVBoxLayout

from shrec_viewer.panels.card_actions import CardActions
from shrec_viewer.panels.model_view_cards import ABSENT_STAGE, TurningCards
from shrec_viewer.panels.pane import Pane
from shrec_viewer.panels.results_foot import ResultsFoot
from shrec_viewer.panels.results_head import ResultsHead
from shrec_viewer.panels.results_places import ResultsPlaces
from shrec_viewer.viewmodels.list_facts import list_words
from shrec_viewer.viewmodels.ranked_list_model import RankedListModel
from shrec_viewer.viewmodels.selection import NOTHING, Selection
from shrec_viewer.viewmodels.series import series_of
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.words import class_words, collection_words, missing_words
from shrec_viewer.widgets.barcode import Barcode
from shrec_viewer.widgets.card_delegate import card_edge
from shrec_viewer.widgets.card_grid import CardGrid
from shrec_viewer.widgets.empty_state import EmptyState
from shrec_viewer.widgets.picture_slider import SizeSlider
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme

CLIENT = "head"
"""Name under which the head asks for the query's picture; before "queries" and "results" in the alphabet."""

ABSENT_SHARE, ABSENT_MOST = 1 / 3, 0.45
"""Of the height, for the relevant models that were not retrieved: what was retrieved comes first. More where that shows
not even one line of cards with its text."""

TEXT, SMALL = "T", "S"
"""Sizes of cards where no model has a file, because hatched tiles say nothing; of models that were not retrieved."""

OPEN_MODEL = "open_model"
"""Key of the command that Enter and a double click stand for; the window gives it to the panel with its keys."""

PAGE_KEYS = (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
"""Keys that turn the pages of the list while it has the focus, and change the query elsewhere."""


class ResultsPanel(Pane):
    """The ranked list tied to the session: picking a card selects its rank everywhere."""

    def __init__(self, session: Session) -> None:
        super().__init__("grid")
        self._session = session
        self._theme = current_theme()
        self.model = RankedListModel(session, parent=self)
        self.absent_model = RankedListModel(session, missed=True, parent=self)
        self.barcode = Barcode()
        self.head = ResultsHead(self.barcode)
        self.grid = CardGrid()
        self.absent_grid = CardGrid()
        self.foot = ResultsFoot()
        self._places = ResultsPlaces(session, self.model, self.grid, self.barcode)
        self.cards = CardActions(session, self.model, self.grid)
        self.absent_cards = CardActions(session, self.absent_model, self.absent_grid, ranked=False)
        self.turning = TurningCards(session, self.grid, self.model)
        self.absent_turning = TurningCards(session, self.absent_grid, self.absent_model, ABSENT_STAGE, is_list=False)
        self.sizes = SizeSlider()
        self._missing = EmptyState("grid")
        self._middle = QStackedWidget()
        self._card_size = self.grid.card_size_name()
        self._has_files = False
        self._build()
        self.grid.setModel(self.model)
        self.absent_grid.setModel(self.absent_model)
        self.grid.rank_picked.connect(self._pick_rank)
        self.grid.row_picked.connect(self._pick_row)
        self.grid.item_activated.connect(self._open_model)
        self.grid.visible_rows_changed.connect(self.model.pictures.set_visible)
        self.absent_grid.visible_rows_changed.connect(self.absent_model.pictures.set_visible)
        self.cards.model_requested.connect(self._open_model)
        self.foot.toggled.connect(self._show_absent_grid)
        self.sizes.size_picked.connect(self.set_card_size)
        session.benchmark_changed.connect(self._show_benchmark)
        session.list_changed.connect(self._show_list)
        session.selection_changed.connect(self._show_selection)
        session.thumbnails.arrived.connect(self._show_arrived)
        session.thumbnails.size_changed.connect(self._ask_picture)
        self.model.modelReset.connect(self._show_current)
        self._show_benchmark()

    @property
    def is_empty(self) -> bool:
        """Whether a reason is shown instead of cards."""
        return super().is_empty or self._middle.currentWidget() is self._missing

    @property
    def has_files(self) -> bool:
        """Whether any model has a file to make a picture of."""
        return self._has_files

    @property
    def waiting(self) -> int:
        """Visible cards whose picture is still being made."""
        return self.model.pictures.waiting

    @property
    def drawn_pictures(self) -> int:
        """Visible pictures."""
        return self.model.pictures.drawn

    @property
    def shown_pictures(self) -> int:
        """Visible cards."""
        return len(self.model.pictures.visible)

    @Slot(str)
    def set_card_size(self, size: str) -> None:
        """Show cards of size ``"S"``, ``"M"``, ``"L"``, ``"T"`` (text) or pixels (digits) where there are pictures."""
        self._card_size = size
        self.sizes.set_size(size)
        self._fit_cards()

    def set_preset(self, preset: str) -> None:
        """Mark relevance in this preset of `render.palette.PRESETS` wherever the panel does."""
        for widget in (self.grid, self.absent_grid, self.barcode, self.foot.legend):
            widget.set_preset(preset)

    def show_absent(self) -> None:
        """Open the section of the relevant models that were not retrieved."""
        self.foot.open()

    def copy_ids(self) -> bool:
        """Copy the ids of the cards selected together, of the section that has the focus; whether there are any."""
        return self._actions_in_focus().copy_ids()

    def copy_rows(self) -> None:
        """Copy the cards selected together as a table, of the section that has the focus."""
        self._actions_in_focus().copy_rows()

    def _actions_in_focus(self) -> CardActions:
        return self.absent_cards if self.absent_grid.hasFocus() else self.cards

    def _fit_cards(self) -> None:
        is_bare = self._session.benchmark is not None and not self.has_files
        self.sizes.setVisible(not is_bare)
        for grid, usual in ((self.grid, self._card_size), (self.absent_grid, SMALL)):
            size = TEXT if is_bare else usual
            if size != grid.card_size_name():
                grid.set_card_size(size)
        self._fit_pictures()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; the list keeps the keys that turn its pages from the shortcuts of the window."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in PAGE_KEYS:
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._fit_absent()

    def event(self, event: QEvent) -> bool:
        """Qt override; on a finer screen pictures need more pixels."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._fit_pictures()
        return super().event(event)

    def _fit_pictures(self) -> None:
        edge = card_edge(self.grid.card_size_name()) or card_edge(SMALL)
        self._session.thumbnails.set_size(round(edge * self.devicePixelRatioF()))

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are told by `apply_theme`."""
        self._theme = theme
        self._show_texts()

    def _build(self) -> None:
        self.absent_grid.set_card_size(SMALL)
        self.absent_grid.setAccessibleName(self.tr("Relevant models that were not retrieved"))
        self.absent_grid.hide()
        for grid in (self.grid, self.absent_grid):
            grid.setFrameShape(QFrame.Shape.NoFrame)
            grid.installEventFilter(self)
        self._middle.addWidget(self.grid)
        self._middle.addWidget(self._missing)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addWidget(self._middle, 1)
        layout.addWidget(self.foot)
        self.foot.add_end(self.sizes)
        self.sizes.watch(self.grid.viewport())
        layout.addWidget(self.absent_grid)
        layout.setContentsMargins(0, SPACE, 0, 0)

    @Slot()
    def _show_benchmark(self) -> None:
        benchmark = self._session.benchmark
        self._has_files = benchmark is not None and any(path is not None for path in benchmark.collection.paths)
        truth = None if benchmark is None else benchmark.assessment
        self.foot.set_levels(() if truth is None else truth.levels)
        self.head.set_has_pictures(benchmark is not None and any(path is not None for path in benchmark.queries.paths))
        self._fit_cards()
        self._show_list()

    @Slot()
    def _show_list(self) -> None:
        benchmark, shown, run = self._session.benchmark, self._session.ranked_list, self._session.run
        if benchmark is None:
            self.show_empty(self.tr("No benchmark is open"))
        elif not self._session.has_lists and not len(benchmark.collection):
            self.show_empty(self.tr("There are no models"), self.tr("The findings say what each file was taken for."))
        else:
            self.show_content()
        is_missing = run is not None and shown is not None and shown.missing
        if benchmark is not None and run is not None and is_missing:
            query = benchmark.queries.ids[self._session.selection.query]
            title = self.tr("{run} has no answer to {query}").format(run=run.name, query=query)
            self._missing.set_message(title, missing_words(self._session.profile))
        self._middle.setCurrentWidget(self._missing if is_missing else self.grid)
        self.foot.set_absent(0 if shown is None else len(shown.not_retrieved))
        self._show_absent_grid(self.foot.is_open)
        self._places.show_list()
        self._ask_picture()
        self._show_texts()

    @Slot(bool)
    def _show_absent_grid(self, shown: bool) -> None:
        self.absent_grid.setVisible(shown)
        self._fit_absent()

    def _fit_absent(self) -> None:
        """As many lines as there are, but no more than a third of the panel, or one line where that is more."""
        count = self.absent_model.rowCount()
        if not count:
            return
        last = self.absent_grid.visualRect(self.absent_model.index(count - 1, 0))
        lines = last.bottom() + self.absent_grid.verticalScrollBar().value() + SPACE
        room = max(self.height() * ABSENT_SHARE, min(last.height() + 3 * SPACE, self.height() * ABSENT_MOST))
        self.absent_grid.setFixedHeight(max(1, min(lines, int(room))))

    def _show_texts(self) -> None:
        benchmark, selection, run = self._session.benchmark, self._session.selection, self._session.run
        if benchmark is None:
            return
        if run is None or selection.query == NOTHING:
            models, lacking = collection_words(benchmark)
            self.head.set_collection(models, lacking)
            return
        class_name = class_words(benchmark, int(benchmark.queries.labels[selection.query]))
        shown = self._session.ranked_list
        counts = ""
        if shown is not None and not shown.missing:
            judged = benchmark.assessment is not None
            counts = list_words(shown, self._session.profile, self._places.relevant_size(), judged=judged)
        by = f" ({run.participant})" if run.participant not in ("", run.name) else ""
        self.head.set_texts(benchmark.queries.ids[selection.query], class_name, f"{run.name}{by}", counts)
        self.head.set_run_colour(
            series_of(benchmark.runs, self._theme.name, self._session.edits.colours)[selection.run].colour
        )

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if (old.rank, old.model) != (new.rank, new.model):
            self._show_current()

    @Slot()
    def _show_current(self) -> None:
        """Mark the card that is looked at, by its rank, or where nothing is ranked by its model."""
        selection = self._session.selection
        if self._session.has_lists:
            self.grid.set_current_rank(selection.rank)
        else:
            self.grid.set_current_row(selection.model)  # the collection stands in its own order

    @Slot()
    def _ask_picture(self) -> None:
        benchmark, query = self._session.benchmark, self._session.selection.query
        path = None if benchmark is None or query == NOTHING else benchmark.queries.paths[query]
        self._session.thumbnails.want(CLIENT, [] if path is None else [path])
        self.head.set_picture(self._session.thumbnails.picture(path), self._session.thumbnails.problem(path))

    @Slot(object)
    def _show_arrived(self, paths: frozenset[Path]) -> None:
        benchmark, query = self._session.benchmark, self._session.selection.query
        if benchmark is not None and query != NOTHING and benchmark.queries.paths[query] in paths:
            self._ask_picture()

    @Slot(int)
    def _pick_rank(self, rank: int) -> None:
        self._session.select(rank=rank)

    @Slot(int)
    def _pick_row(self, row: int) -> None:
        if not self._session.has_lists:
            self._session.select(model=self.model.item_of(row))

    @Slot()
    def _open_model(self, *_: int) -> None:
        """Do what the window's command does, where the window has given it to this panel."""
        for action in self.actions():
            if action.data() == OPEN_MODEL:
                action.trigger()
