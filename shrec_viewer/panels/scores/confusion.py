"""Panel with the class confusion matrix in the first and second tier, its largest confusions, and the tier image."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QHideEvent, QPixmap, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.charts.matrix import EMPTY_MATRIX
from shrec_viewer.content.confusion import ConfusionRequest, RunConfusion, confusion_matrix, run_confusion
from shrec_viewer.content.data import ContentData, class_name
from shrec_viewer.content.request import Request
from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.plots.confusion import Tier, confused_ranks, largest_confusions, tier_image
from shrec_viewer.number_format import format_value
from shrec_viewer.panels.export.content import ExportContent
from shrec_viewer.panels.panel import WrappingRow
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.controls.context_menu import ContextMenu
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.controls.plain_text import ItemTooltips, PlainLabel, escape_mnemonic, set_tooltip
from shrec_viewer.widgets.heatmap.confusion import (
    FIRST_DOT,
    LAST_DOT,
    ConfusedPair,
    ConfusionList,
    TierImage,
    TierImageLegend,
)
from shrec_viewer.widgets.heatmap.data import HeatmapColourBar
from shrec_viewer.widgets.heatmap.view import HeatmapView
from shrec_viewer.widgets.style.theme import SPACE, Theme


class ConfusionHit(NamedTuple):
    """One retrieved model that a cell counts.

    Attributes
    ----------
    query_id, model_id : ids of the query and the model.
    rank : 1-based rank of the model in the list of the query.
    query : index of the query in the benchmark.
    """

    query_id: str
    rank: int
    model_id: str
    query: int

    @property
    def text(self) -> str:
        """``"Q05  ·  rank 12  ·  N0876"``."""
        return f"{self.query_id}  ·  rank {self.rank:,}  ·  {self.model_id}"


class ConfusionCellMenu(ContextMenu):
    """Context menu of one cell; deleted when it closes.

    Parameters
    ----------
    text : description of the cell.
    hits : the models that the cell counts.

    Signals
    -------
    hit_opened(query, rank)
        The first hit is to be opened.
    """

    hit_opened = Signal(int, int)

    def __init__(self, text: str, hits: Sequence[ConfusionHit], parent: QWidget) -> None:
        super().__init__(parent)
        self._text, self._hits = text, hits
        if hits:
            first = f"{hits[0].query_id}, rank {hits[0].rank:,}: {hits[0].model_id}"
            self.addAction(f"&Go to {escape_mnemonic(first)}").triggered.connect(self._open_first)
        else:
            self.addAction("No models in this cell").setEnabled(False)
        self.addSeparator()
        for label, copy in (("Copy &query ids", self._copy_queries), ("Copy &model ids", self._copy_models)):
            action = self.addAction(label)
            action.setEnabled(bool(hits))
            action.triggered.connect(copy)
        self.addAction("&Copy cell text").triggered.connect(self._copy_text)

    @Slot()
    def _open_first(self) -> None:
        self.hit_opened.emit(self._hits[0].query, self._hits[0].rank)

    @Slot()
    def _copy_queries(self) -> None:
        _copy_unique(hit.query_id for hit in self._hits)

    @Slot()
    def _copy_models(self) -> None:
        _copy_unique(hit.model_id for hit in self._hits)

    @Slot()
    def _copy_text(self) -> None:
        QGuiApplication.clipboard().setText(self._text)


def _copy_unique(ids: Iterable[str]) -> None:
    """Copy ids without duplicates, one per line, in their order."""
    QGuiApplication.clipboard().setText("\n".join(dict.fromkeys(ids)))


#: Hits listed for one cell. Each is a `QListWidgetItem`; a cell of a large benchmark counts thousands.
MAX_ROWS = 500

#: Rank for which the list is made wide enough.
WIDEST_RANK = 8888

#: (query, rank) of a list item.
HIT_ROLE = Qt.ItemDataRole.UserRole


class ConfusionHitList(QWidget):
    """Description of a cell and the list of the hits that it counts.

    Signals
    -------
    hit_selected(query, rank), hit_opened(query, rank)
        A click; Enter or a double click.
    """

    hit_selected = Signal(int, int)
    hit_opened = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = QListWidget()
        ItemTooltips(self.list)
        self._description = PlainLabel()
        self.list.setAccessibleName("Models in the cell")
        self.list.setUniformItemSizes(True)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._description.setProperty("muted", True)
        self._description.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, SPACE)
        self._description.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._description)
        column.addWidget(self.list, 1)
        self.list.itemClicked.connect(self._select)
        self.list.itemActivated.connect(self._open)

    def clear(self, text: str) -> None:
        """Empty the list and show a message."""
        self.list.clear()
        self._description.setText(text)

    def set_hits(self, text: str, hits: Sequence[ConfusionHit]) -> None:
        """Show the description of a cell and its hits."""
        self.clear(text)
        for hit in hits[:MAX_ROWS]:
            item = QListWidgetItem(hit.text)
            item.setToolTip(hit.text)
            item.setData(HIT_ROLE, (hit.query, hit.rank))
            self.list.addItem(item)
        if len(hits) > MAX_ROWS:
            self.list.addItem(QListWidgetItem(f"… and {len(hits) - MAX_ROWS:,} more"))

    def open_first(self) -> None:
        """Open the first hit, if any."""
        if self.list.count():
            self._open(self.list.item(0))

    def width_for(self, query_ids: Iterable[str], model_ids: Iterable[str]) -> int:
        """Width in pixels at which no row with one of these ids is elided."""
        longest = ConfusionHit(
            max(query_ids, key=len, default=""), WIDEST_RANK, max(model_ids, key=len, default=""), 0
        ).text
        self.list.ensurePolished()  # its font, while it is hidden
        scroll_bar = self.list.verticalScrollBar().sizeHint().width()
        return self.list.fontMetrics().horizontalAdvance(longest) + scroll_bar + 6 * SPACE

    @Slot(QListWidgetItem)
    def _select(self, item: QListWidgetItem) -> None:
        if (hit := item.data(HIT_ROLE)) is not None:
            self.hit_selected.emit(*hit)

    @Slot(QListWidgetItem)
    def _open(self, item: QListWidgetItem) -> None:
        if (hit := item.data(HIT_ROLE)) is not None:
            self.hit_opened.emit(*hit)


Positions = NDArray[np.int64]


class TierImageController(QObject):
    """Renders the tier image at the size of its widget and selects what is clicked in it.

    Parameters
    ----------
    image : the widget; parent of this object.

    Signals
    -------
    dot_described(text)
        A click or a key moved to another spot; two lines describe it.
    """

    dot_described = Signal(str)

    def __init__(self, session: Session, image: TierImage) -> None:
        super().__init__(image)
        self._session, self._image = session, image
        self._shown: RunConfusion | None = None
        self._queries: Positions = np.zeros(0, np.int64)  # query index of each row of the image
        self._models: Positions = np.zeros(0, np.int64)  # item index of each column
        image.resized.connect(self._show)
        image.position_selected.connect(self._select_spot)
        image.position_hovered.connect(self._describe)
        image.step_requested.connect(self._step)
        image.jump_requested.connect(self._jump)

    def set_tiers(self, shown: RunConfusion | None) -> None:
        """Show these tiers; None while the image is not visible, so that it is not rendered."""
        self._shown = shown
        self._show()

    def clear(self) -> None:
        """Forget the tiers and the position of another benchmark."""
        self._shown = None
        self._image.set_marked_position(None)

    @Slot()
    def _show(self) -> None:
        if self._shown is None:
            return
        benchmark, size = self._shown.benchmark, self._image.image_size
        codes, row_of, column_of = tier_image(self._shown.tiers, benchmark, max(size.height(), 1), max(size.width(), 1))
        self._queries, self._models = np.argsort(row_of), np.argsort(column_of)
        self._image.set_image(codes, _class_blocks(benchmark))

    # Mouse. Positions are shares of the height and the width, -1 outside the image.

    @Slot(float, float)
    def _select_spot(self, y: float, x: float) -> None:
        if self._shown is not None and y >= 0 and len(self._queries):
            self._go(*self._cell_at(y, x))

    @Slot(float, float)
    def _describe(self, y: float, x: float) -> None:
        is_inside = self._shown is not None and y >= 0 and len(self._queries)
        self._image.set_tooltip_text(self._spot_text(*self._cell_at(y, x)) if is_inside else "")

    def _cell_at(self, y: float, x: float) -> tuple[int, int]:
        return int(y * len(self._queries)), int(x * len(self._models))

    def _spot_text(self, row: int, column: int) -> str:
        if self._shown is None:
            return ""
        benchmark = self._shown.benchmark
        query, model = int(self._queries[row]), int(self._models[column])
        rank = self._rank(query, model)
        name = class_name(benchmark, int(benchmark.queries.labels[query]))
        position = "in neither tier" if rank is None else f"rank {rank:,}"
        return f"{benchmark.queries.ids[query]} {name} → {benchmark.collection.ids[model]}\n{position}"

    def _rank(self, query: int, model: int) -> int | None:
        """Rank of the model in the tiers of the query; None where it is in neither."""
        matches = np.flatnonzero(self._tier_items(query) == model)
        return int(matches[0]) + 1 if len(matches) else None

    def _tier_items(self, query: int) -> NDArray[np.integer]:
        """Items of the tiers of a query by rank; -1 for ids that are not in the collection."""
        if self._shown is None:
            return np.zeros(0, np.int64)
        tiers = self._shown.tiers
        return tiers.items[tiers.indptr[query] : tiers.indptr[query + 1]]

    # Keys.

    @Slot(int, int)
    def _step(self, rows: int, dots: int) -> None:
        """Go to the query above or below, or to the next dot at the left or right."""
        if self._shown is None or not len(self._queries):
            return
        row, column = self._image.marked_position or (0, -1)
        if rows:
            row = min(max(row + rows, 0), len(self._queries) - 1)
            self._go(row, max(column, 0))
            return
        columns = self._dots(row)
        following = columns[columns > column] if dots > 0 else columns[columns < column][::-1]
        if len(following):
            self._go(row, int(following[0]))

    @Slot(int)
    def _jump(self, target: int) -> None:
        """Go to the first or last dot of the query."""
        row = (self._image.marked_position or (0, 0))[0]
        if self._shown is not None and len(self._queries) and len(columns := self._dots(row)):
            self._go(row, int(columns[{FIRST_DOT: 0, LAST_DOT: -1}[target]]))

    def _dots(self, row: int) -> Positions:
        """Columns of the models in the tiers of the query of a row, ascending."""
        column_of = np.empty(len(self._models), np.int64)
        column_of[self._models] = np.arange(len(self._models))
        items = self._tier_items(int(self._queries[row]))
        return np.sort(column_of[items[items >= 0]])

    def _go(self, row: int, column: int) -> None:
        """Mark a spot, describe it and select its query and rank."""
        self._image.set_marked_position((row, column), len(self._queries), len(self._models))
        text = self._spot_text(row, column)
        self._image.setAccessibleDescription(text)
        query = int(self._queries[row])
        self._session.select(query=query, rank=self._rank(query, int(self._models[column])))
        self.dot_described.emit(text)


def _class_blocks(benchmark: Benchmark) -> list[tuple[float, float, float, float]]:
    """Blocks of queries and models of the same class: top, left, height, width as shares of the image."""
    if benchmark.classification is None:
        return []
    query_labels, model_labels = np.sort(benchmark.queries.labels), np.sort(benchmark.classification.labels)
    # Queries and models without a class (label -1) come last, as in the image.
    query_labels, model_labels = (np.concatenate([a[a >= 0], a[a < 0]]) for a in (query_labels, model_labels))
    blocks = []
    for label in np.unique(query_labels[query_labels >= 0]):
        rows, columns = np.flatnonzero(query_labels == label), np.flatnonzero(model_labels == label)
        if len(columns):
            top, left = rows[0] / len(query_labels), columns[0] / len(model_labels)
            blocks.append((top, left, len(rows) / len(query_labels), len(columns) / len(model_labels)))
    return blocks


SHOWN_TIPS = {
    "1": "Share of each model class among the first C results, C = number of relevant models",
    "2": "Share of each model class among the first 2 C results, C = number of relevant models",
    "image": "One row per query, one column per model, both sorted by class: nearest neighbour, first tier and second "
    "tier.\n"
    "Arrow keys move between the dots; Home and End go to the first and last one of a query.",
}

#: Width over height from which the list of hits is at the right of the cells instead of below them.
SIDE_BY_SIDE_RATIO = 1.3

#: Confusions listed; their examples take 1 ms each for 1,800 models.
MAX_CONFUSIONS = 30

#: Name of this panel's thumbnail requests.
THUMBNAIL_CLIENT = "confusions"

#: Maximum share of the width, or of the height, for the list of hits.
LIST_SHARE = 0.42


class ResizedSplitter(QSplitter):
    """Splitter that emits `resized`: when the panel gets its `resizeEvent`, its children have their former sizes."""

    resized = Signal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self.resized.emit()


class ConfusionPanel(RequestPanel[ConfusionRequest]):
    """Class confusion matrix of the selected run; a cell lists the hits that it counts."""

    waiting = "Computing tiers…"

    def __init__(self, session: Session) -> None:
        super().__init__(session, ConfusionRequest(), "grid", uses=("benchmark", "profile"))
        self._run: RunConfusion | None = None
        self.kind = self.controls.buttons("shown")
        self.title = ElidingLine(token="muted")
        self.grid = HeatmapView()
        self.image = TierImage()
        self._image_controller = TierImageController(session, self.image)
        self.scale, self.key = HeatmapColourBar(), TierImageLegend()
        self._hits = ConfusionHitList()
        self.hit_list = self._hits.list
        self.confusions = ConfusionList(self._thumbnail)
        self._caption = PlainLabel("Largest confusions")
        self._back_button = QToolButton()
        self._lists = QStackedWidget()
        self._lists_column = QWidget()
        self._split = ResizedSplitter(Qt.Orientation.Vertical)
        self._user_moved_split = False
        self._list_width = 0
        self._pages = QStackedWidget()
        self._build()
        self.grid.cell_selected.connect(self._show_hits)
        self.grid.cell_hovered.connect(self._show_cell_title)
        self.grid.cell_activated.connect(self._open_first)
        self.confusions.pair_selected.connect(self._select_pair)
        self.confusions.pair_activated.connect(self._open_first)
        self._back_button.clicked.connect(self._show_confusions)
        session.thumbnails.arrived.connect(self._show_arrived)
        session.thumbnails.size_changed.connect(self._request_thumbnails)
        self.grid.menu_requested.connect(self._show_context_menu)
        self._image_controller.dot_described.connect(self._show_dot_text)
        self._hits.hit_selected.connect(self._select_hit)
        self._hits.hit_opened.connect(self._open_hit)
        self.update_request()
        self._measure_list()

    def request(self) -> ConfusionRequest | None:
        """See `RequestPanel`; of both tiers. None without a classification and an assessment."""
        benchmark, run = self._session.benchmark, self._session.run
        if run is None or benchmark.assessment is None or benchmark.classification is None:
            return None
        return ConfusionRequest(runs=(run.name,))

    def requests(self) -> tuple[Request, ...]:
        """See `RequestPanel`; the tier shown, also for the tier image."""
        return tuple(request.with_values(tier=self.tier) for request in super().requests())

    def export(self) -> ExportContent:
        """See `RequestPanel`; the tier image, which has a pixel for each query and model, is exported as drawn."""
        exported = super().export()
        if exported.table is None:
            return exported
        figure = None if self.options.shown == "image" else exported.figure
        return replace(exported, figure=figure, names=(*exported.names, f"{self._tier_name()} tier"))

    def compute(self, data: ContentData, request: ConfusionRequest) -> RunConfusion:
        """See `RequestPanel`."""
        return run_confusion(data, request)

    def show_options(self) -> None:
        """See `RequestPanel`."""
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the list of hits at the right of the cells in a wide panel, else below them."""
        super().resizeEvent(event)
        is_wide = event.size().width() > SIDE_BY_SIDE_RATIO * event.size().height()
        self._split.setOrientation(Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical)

    @Slot()
    def _apply_split_sizes(self) -> None:
        """Make the list of hits as wide as its text until the user moves the splitter."""
        if self._user_moved_split:
            return
        is_horizontal = self._split.orientation() == Qt.Orientation.Horizontal
        total = self._split.width() if is_horizontal else self._split.height()
        list_size = min(self._list_width if is_horizontal else total, round(total * LIST_SHARE))
        self._split.setSizes([total - list_size, list_size])

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        if new.differs(old, "benchmark"):
            self._image_controller.clear()
            self._measure_list()
        super().show_changes(old, new)

    def _measure_list(self) -> None:
        if (benchmark := self._session.benchmark) is not None:
            hits_width = self._hits.width_for(benchmark.queries.ids, benchmark.collection.ids)
            self._list_width = max(hits_width, self.confusions.sizeHint().width())
            self._apply_split_sizes()

    @Slot()
    def _mark_split_moved(self, *_: int) -> None:
        self._user_moved_split = True

    def set_theme(self, theme: Theme) -> None:
        """Follow the font size; children are updated by `apply_theme`."""
        self._measure_list()

    def sizeHint(self) -> QSize:
        """Preferred size of the panel."""
        return QSize(420, 420)

    def _build(self) -> None:
        for key, tip in SHOWN_TIPS.items():
            set_tooltip(self.kind.button(key), tip)
        self.grid.setAccessibleName("Class of the query, class of the model")
        self._pages.addWidget(self.grid)
        self._pages.addWidget(self.image)
        header = WrappingRow([self.kind], [self.title, self.scale, self.key], top=2 * SPACE)
        self._caption.setProperty("muted", True)
        self._back_button.setText("‹ Largest confusions")
        set_tooltip(self._back_button, "Show the list of the largest confusions")
        self._back_button.setAutoRaise(True)
        self._lists.addWidget(self.confusions)
        self._lists.addWidget(self._hits)
        column = QVBoxLayout(self._lists_column)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        for widget in (self._caption, self._back_button):
            column.addWidget(widget)
        column.addWidget(self._lists, 1)
        self._caption.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, SPACE)
        split = self._split
        split.splitterMoved.connect(self._mark_split_moved)
        split.resized.connect(self._apply_split_sizes)
        split.setChildrenCollapsible(False)
        split.addWidget(self._pages)
        split.addWidget(self._lists_column)
        split.setStretchFactor(0, 1)
        split.setStretchFactor(1, 0)
        self.set_body(header, split, stretch=split)

    @property
    def tier(self) -> Tier:
        """The tier that the cells count."""
        return 2 if self.options.shown == "2" else 1

    # ------------------------------------------------------------------------------------------------------- display

    def show_result(self, result: RunConfusion) -> None:
        """See `RequestPanel`."""
        self._run = result
        self._show_confusions()
        found, is_image = result.of_tier[self.tier], self.options.shown == "image"
        self._show_cell_title(-1, -1)
        if is_image and self._split.isAncestorOf(self.focusWidget() or self):
            # The focused widget is hidden below; Qt would then focus the next widget of the window.
            self.kind.button("image").setFocus()
        self._pages.setCurrentWidget(self.image if is_image else self.grid)
        for part in (self._lists_column, self.scale):
            part.setVisible(not is_image)
        self.key.setVisible(is_image)
        cells = confusion_matrix(found, result.benchmark, result.tiers.run, self.tier)
        self.grid.set_chart(cells, self._cell_text)
        self.scale.set_scale(cells, "share")
        set_tooltip(self.scale, f"Share of the results in the {self._tier_name()} tier")
        self.confusions.set_pairs(
            [_pair(result, self.tier, *cell) for cell in largest_confusions(found, MAX_CONFUSIONS)]
        )
        self._measure_list()
        self._image_controller.set_tiers(result if is_image else None)
        self.show_content()
        self._request_thumbnails()  # the list is visible only now

    def _tier_name(self) -> str:
        return "first" if self.tier == 1 else "second"

    def show_reason(self) -> None:
        """See `RequestPanel`."""
        self._run, benchmark = None, self._session.benchmark
        self._show_confusions()
        self.confusions.set_pairs(())
        self.grid.set_chart(EMPTY_MATRIX)
        self._image_controller.set_tiers(None)
        if self._session.is_open and benchmark.classification is None:
            self.show_empty("No classes", "The confusion matrix requires a classification of the models.")
        else:
            super().show_reason()

    def _cell_text(self, row: int, column: int) -> str:
        if self._run is None:
            return ""
        found = self._run.of_tier[self.tier]
        query_class, model_class = (
            class_name(self._run.benchmark, int(label)) for label in (found.rows[row], found.columns[column])
        )
        share = format_value(float(found.shares[row, column]))
        queries = count_text(int(found.queries[row]), "query", "queries")
        return f"{query_class} → {model_class}\nshare {share} of the {self._tier_name()} tier, mean of {queries}"

    def _thumbnail(self, path: Path | None) -> QPixmap | None:
        return self._session.thumbnails.pixmap(path)

    @Slot()
    def _request_thumbnails(self) -> None:
        """Request the thumbnails of the list while it is visible."""
        pairs = self.confusions.pairs if self.confusions.isVisible() else ()
        paths = [path for pair in pairs for path in (pair.query_path, pair.model_path) if path is not None]
        self._session.thumbnails.request(THUMBNAIL_CLIENT, list(dict.fromkeys(paths)))

    @Slot(object)
    def _show_arrived(self, _paths: frozenset[Path]) -> None:
        self.confusions.viewport().update()

    def showEvent(self, event: QShowEvent) -> None:
        """Request the thumbnails of the list, and measure it: it has its final font only now."""
        super().showEvent(event)
        self._measure_list()
        self._request_thumbnails()

    def hideEvent(self, event: QHideEvent) -> None:
        """Drop the requests of thumbnails."""
        super().hideEvent(event)
        self._session.thumbnails.request(THUMBNAIL_CLIENT, [])

    @Slot(int, int)
    def _show_cell_title(self, row: int, column: int) -> None:
        """Show classes and share of the cell under the mouse; without one, the run and the axes."""
        if row >= 0:
            classes, _, share = self._cell_text(row, column).partition("\n")
            self.title.setText(f"{classes} · {share}", f"{classes} · {share.partition(' of ')[0]}", classes)
        elif self._run is not None:
            run = self._run.tiers.run
            self.title.setText(f"{run}: queries ↓  models →", run)

    @Slot()
    def _show_confusions(self) -> None:
        """Show the list of the largest confusions instead of the models of a cell."""
        self.grid.set_current(-1, -1)
        self._show_list(self.confusions)

    def _show_list(self, page: QWidget) -> None:
        self._lists.setCurrentWidget(page)
        self._caption.setVisible(page is self.confusions)
        self._back_button.setVisible(page is not self.confusions)

    @Slot(int, int)
    def _select_pair(self, row: int, column: int) -> None:
        """Mark the cell of a confusion; its models are listed by a double click or a click on the cell."""
        self.grid.set_current(row, column)

    @Slot(str)
    def _show_dot_text(self, text: str) -> None:
        what, _, rank = text.partition("\n")
        self.title.setText(f"{rank} · {what}", rank)

    # --------------------------------------------------------------------------------------------------- interaction

    @Slot(int, int)
    def _show_hits(self, row: int, column: int) -> None:
        if self._run is not None:
            self._hits.set_hits(self._cell_text(row, column), cell_hits(self._run, self.tier, row, column))
            self._show_list(self._hits)

    @Slot(int, int, QPoint)
    def _show_context_menu(self, row: int, column: int, position: QPoint) -> None:
        """Open the menu of a cell, or of the panel for a row or column header."""
        if self._run is None or row < 0 or column < 0:
            ContextMenu(self.grid).popup(position)
            return
        hits = cell_hits(self._run, self.tier, row, column)
        menu = ConfusionCellMenu(self._cell_text(row, column), hits, self.grid)
        menu.hit_opened.connect(self._open_hit)
        menu.popup(position)

    @Slot(int, int)
    def _open_first(self, row: int, column: int) -> None:
        self._show_hits(row, column)
        self._hits.open_first()

    @Slot(int, int)
    def _select_hit(self, query: int, rank: int) -> None:
        self._session.select(query=query, rank=rank)

    @Slot(int, int)
    def _open_hit(self, query: int, rank: int) -> None:
        self._select_hit(query, rank)
        self._session.cursor_state.request_view("query")


def cell_hits(shown: RunConfusion, tier: Tier, row: int, column: int) -> list[ConfusionHit]:
    """Everything that a cell counts."""
    found, benchmark = shown.of_tier[tier], shown.benchmark
    classes = int(found.rows[row]), int(found.columns[column])
    query_ids, model_ids = benchmark.queries.ids, benchmark.collection.ids
    return [
        ConfusionHit(query_ids[query], int(rank), model_ids[item], int(query))
        for query, rank, item in zip(*confused_ranks(shown.tiers, benchmark, tier, *classes), strict=True)
    ]


def _pair(shown: RunConfusion, tier: Tier, row: int, column: int) -> ConfusedPair:
    """The confusion of a cell, with its model of the best rank as the example."""
    found, benchmark = shown.of_tier[tier], shown.benchmark
    classes = int(found.rows[row]), int(found.columns[column])
    queries, ranks, items = confused_ranks(shown.tiers, benchmark, tier, *classes)
    first = int(np.argmin(ranks))
    query, item = int(queries[first]), int(items[first])
    return ConfusedPair(
        row,
        column,
        class_name(benchmark, classes[0]),
        class_name(benchmark, classes[1]),
        float(found.shares[row, column]),
        f"{benchmark.queries.ids[query]}, rank {int(ranks[first]):,}: {benchmark.collection.ids[item]}",
        benchmark.queries.paths[query],
        benchmark.collection.paths[item],
    )
