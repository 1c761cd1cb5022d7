"""Panel with the ranked list of one run for one query: header, barcode, cards and rotating preview."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from shrec_viewer.content.diagnosis.error_budget import (
    ErrorBudgetRequest,
    FalsePositivesRequest,
    has_budget,
    restricted_models,
)
from shrec_viewer.content.diagnosis.reasons import ReasonPart, geometry_of_query, query_reason
from shrec_viewer.content.lists import RankedListRequest
from shrec_viewer.content.request import Request
from shrec_viewer.diagnosis.error_budget import DIVIDED
from shrec_viewer.evaluation.geometry_evidence import geometry_run
from shrec_viewer.panels.context_menus import CardActions
from shrec_viewer.panels.diagnosis.strips import RestrictionButton
from shrec_viewer.panels.ranking.list_matrix import ViewButton
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.render.workers.model_readers import ModelSource
from shrec_viewer.report.site.images import ValueLegendRequest, value_legend
from shrec_viewer.viewmodels.content.data import FOLLOWED, with_images
from shrec_viewer.viewmodels.mesh_view.rendering import RenderResult
from shrec_viewer.viewmodels.mesh_view.scene import CameraController, PaneContent
from shrec_viewer.viewmodels.ranking.ranked_list import (
    RankedListModel,
    ResultStrip,
    barcode_cuts,
    level_counts,
    list_summaries,
    relevant_count,
    tier_cuts,
)
from shrec_viewer.viewmodels.session.document import Document, has_other_models
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import collection_summary, count_text, missing_query_text, query_class
from shrec_viewer.widgets.cards.barcode import Barcode
from shrec_viewer.widgets.cards.card_grid import CardGrid, CardSizeWheel, thumbnail_edge
from shrec_viewer.widgets.cards.card_hover import HOVER_EDGE, CardDrag, CardHover
from shrec_viewer.widgets.controls.controls import EmptyState
from shrec_viewer.widgets.controls.layouts import Stretch, row_of
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.mesh_view.value_scale import ValueLegendView
from shrec_viewer.widgets.style.relevance import FRAME_MARGIN, RelevanceLegend, ThumbnailPainter, draw_frame, query_mark
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, text_font

#: Prefixes of the render keys of the two grids: the ranked list, and the relevant models not retrieved.
LIST_KEY_PREFIX, MISSED_KEY_PREFIX = "card ", "absent card "

#: Render key of the hovered card.
CARD_KEY = "hovered"


class CardMeshPreview(QObject):
    """Rotating preview of the hovered card of `grid`, and drag of cards; a child of the grid.

    Parameters
    ----------
    model : the grid's model.
    name : prefix of its render keys, unique per grid.
    """

    def __init__(self, session: Session, grid: CardGrid, model: RankedListModel, name: str) -> None:
        super().__init__(grid)
        self._session = session
        self._grid = grid
        self._model = model
        self._previous_rank: int | None = None
        self.hover = CardHover(grid)
        self.drag = CardDrag(grid)
        self.camera_controller = CameraController(session.mesh_view_state.source, name, self)
        self.hover.image_requested.connect(self._start)
        self.hover.ended.connect(self._stop)
        self.camera_controller.rendered.connect(self._show)
        self.drag.pressed.connect(self._store_rank)
        self.drag.started.connect(self._restore_rank)
        session.mesh_view_state.open_requested.connect(self.hover.end)
        model.modelReset.connect(self.hover.end)

    @Slot()
    def _store_rank(self) -> None:
        self._previous_rank = self._session.selection.rank

    @Slot()
    def _restore_rank(self) -> None:
        """Undo the selection by the mouse press that started a drag."""
        if self._previous_rank is None:
            self._session.deselect_rank()
        else:
            self._session.select(rank=self._previous_rank)

    @Slot(int)
    def _start(self, row: int) -> None:
        if (path := self._model.path_of(row)) is None:
            return
        pixels = round(HOVER_EDGE * self._grid.devicePixelRatioF())
        state = self._session.mesh_view_state
        self.camera_controller.reset_camera(state.camera, state.style)
        content = PaneContent(ModelSource(path, quantity=state.quantity_of(path)), pixels, pixels)
        self.camera_controller.show({CARD_KEY: content})
        self.camera_controller.set_spinning(True)

    @Slot()
    def _stop(self) -> None:
        self.camera_controller.set_spinning(False)
        self.camera_controller.show({})

    @Slot(str, object)
    def _show(self, _pane: str, result: RenderResult) -> None:
        if result.image is not None:
            self.hover.show_image(result.image)
        if result.info.is_image_file:
            self.camera_controller.set_spinning(False)


#: Size of the query's thumbnail in pixels: with its frame as high as the texts and the barcode at its right, 72 pixels.
QUERY_IMAGE_SIZE = 58

#: Size of the title relative to the text.
TITLE_SCALE = 1.15


class RankedListHeader(QWidget):
    """Paints the query's thumbnail in its double frame, and lines of text at the right of it.

    Parameters
    ----------
    below : widget below the texts (the barcode).
    corner : widget at the end of the first line (legend, button), as wide as there is space beside the title.

    Signals
    -------
    reason_picked(part)
        A `ReasonPart` was clicked, or chosen by Return after Tab and the arrow keys.
    """

    reason_picked = Signal(object)

    def __init__(self, below: QWidget, corner: QWidget) -> None:
        super().__init__()
        self._below, self._corner = below, corner
        corner.setParent(self)
        self._theme = current_theme()
        self._painter = ThumbnailPainter(max_bytes=0)  # no cache: each query has another thumbnail
        self._thumbnail: QPixmap | None = None
        self._problem = ""
        self._title = self._class_name = self._run = ""
        self._reason: tuple[ReasonPart, ...] = ()
        self._links: list[tuple[QRectF, ReasonPart]] = []
        self._focused = 0  # the part with the keyboard focus
        self._has_reasons = False
        self._counts: tuple[str, ...] = ("",)
        self._has_query = self._has_thumbnails = True
        self._laid_out_height = -1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self._column = QVBoxLayout(self)
        self._column.addWidget(below)
        self._column.addStretch(1)
        self._lay_out()

    def set_has_thumbnails(self, has: bool) -> None:
        """Reserve space for the query's thumbnail; False where no query has a file."""
        self._has_thumbnails = has
        self._lay_out()

    def set_thumbnail(self, thumbnail: QPixmap | None, problem: str) -> None:
        """Show the query's thumbnail, or a placeholder."""
        self._thumbnail, self._problem = thumbnail, problem
        self.update()

    def set_texts(self, query: str, class_name: str, run: str, counts: str, *shorter: str) -> None:
        """Show query, class, run, and a summary of its list.

        Parameters
        ----------
        shorter : shown instead of an elided summary, the longest first.
        """
        self._has_query = True
        self._title, self._class_name, self._run, self._counts = query, class_name, run, (counts, *shorter)
        self.setAccessibleName(f"{query}, {class_name}, {run}, {counts}")
        self._update_tooltip()
        self._lay_out()

    def set_has_reasons(self, has: bool) -> None:
        """Reserve space for the parts of a reason."""
        self._has_reasons = has
        self._lay_out()

    def set_reason(self, parts: tuple[ReasonPart, ...]) -> None:
        """Show why the query loses what it does; a click on a part emits it."""
        if parts != self._reason:
            self._reason, self._focused = parts, 0
            self.setFocusPolicy(Qt.FocusPolicy.TabFocus if parts else Qt.FocusPolicy.NoFocus)
            self.setAccessibleDescription(self._reason_text)
            self._update_tooltip()
            self.update()

    @property
    def _reason_text(self) -> str:
        return "; ".join(part.text + (f" ({part.note.rstrip('.')})" if part.note else "") for part in self._reason)

    def _update_tooltip(self) -> None:
        names = f"{self._title} {self._class_name}".rstrip()  # elided where they are long
        set_tooltip(self, "\n".join(line for line in (names, self._run, self._counts[0], self._reason_text) if line))

    def set_collection(self, models: str, lacking: str) -> None:
        """Show the number of models and what is missing for a ranked list, instead of query and run."""
        self.set_texts(models, "", "", lacking)
        self._has_query = False
        self.setAccessibleName(f"{models}, {lacking}")
        self._lay_out()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """Height of texts, barcode and thumbnail."""
        return QSize(320, self._preferred_height())

    def minimumSizeHint(self) -> QSize:
        """Half of the preferred width, as texts are elided."""
        return QSize(160, self._preferred_height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the thumbnail, class and values of the query."""
        # Every cursor move repaints the barcode, and Qt then also paints the part of the parent below it.
        if self._below.isVisible() and self._below.geometry().contains(event.rect()):
            return
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        top = (self.height() - QUERY_IMAGE_SIZE) // 2
        box = QRectF(2 * SPACE + FRAME_MARGIN, top, QUERY_IMAGE_SIZE, QUERY_IMAGE_SIZE)
        if self._shows_image:
            if self._thumbnail is not None:
                self._painter.draw(painter, box, self._thumbnail, self._theme)
            elif self._problem:
                self._painter.draw_missing(painter, box, "", self._theme, self.font())
            else:
                self._painter.draw_background(painter, box, self._theme)
            draw_frame(painter, box, query_mark(self._theme))
        height = self.height() if self._below.isHidden() else self._text_height()
        self._draw_texts(painter, QRectF(self._left(), 0, self.width() - self._left() - 2 * SPACE, height))

    def _left(self) -> float:
        """Left edge of the texts."""
        return 2 * SPACE + QUERY_IMAGE_SIZE + 2 * FRAME_MARGIN + 3 * SPACE if self._shows_image else 3 * SPACE

    @property
    def _shows_image(self) -> bool:
        return self._has_query and self._has_thumbnails

    def _preferred_height(self) -> int:
        texts = self._text_height() + (0 if self._below.isHidden() else self._below.sizeHint().height())
        return max(texts, QUERY_IMAGE_SIZE + 2 * FRAME_MARGIN if self._shows_image else 0)

    def _text_height(self) -> int:
        title_height = QFontMetricsF(text_font(self.font(), TITLE_SCALE, bold=True)).height()
        return round(title_height) + SPACE // 2 + (self.fontMetrics().height() if self._has_reasons else 0)

    def changeEvent(self, event: QEvent) -> None:
        """Lay out the header in the new font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._lay_out()

    def _lay_out(self) -> None:
        self._column.setContentsMargins(max(0, round(self._left()) - 2 * SPACE), self._text_height(), 0, 0)
        if (height := self._preferred_height()) != self._laid_out_height:
            self._laid_out_height = height
            self.updateGeometry()  # lays out the whole window
        self._place_corner()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._place_corner()

    def _place_corner(self) -> None:
        """Give the corner the space beside the title; its badges where there is less."""
        font = text_font(self.font(), TITLE_SCALE, bold=True)
        title = QFontMetricsF(font).horizontalAdvance(f"{self._title}  {self._class_name}")
        space = self.width() - self._left() - title - 6 * SPACE
        least, most = self._corner.minimumSizeHint().width(), self._corner.sizeHint().width()
        width = max(least, min(most, round(space)))
        height = max(round(QFontMetricsF(font).height()), self._corner.minimumSizeHint().height())
        self._corner.setGeometry(self.width() - width - 2 * SPACE, SPACE // 2, width, height)

    def _draw_texts(self, painter: QPainter, box: QRectF) -> None:
        title_font, plain_font = text_font(self.font(), TITLE_SCALE, bold=True), text_font(self.font())
        line_height = QFontMetricsF(plain_font).height()
        first = QRectF(box.left(), box.top() + SPACE // 2, box.width(), QFontMetricsF(title_font).height())
        if not self._corner.isHidden():
            first.setRight(self._corner.x() - 2 * SPACE)
        self._draw_reason(painter, QRectF(box.left(), first.bottom(), box.width(), line_height), plain_font)
        first.setLeft(first.left() + self._draw(painter, first, self._title, title_font, "ink") + 2 * SPACE)
        class_font = text_font(self.font(), TITLE_SCALE)
        first.setLeft(first.left() + self._draw(painter, first, self._class_name, class_font, "muted") + 3 * SPACE)
        metrics = QFontMetricsF(plain_font)
        fitting = (text for text in self._counts if metrics.horizontalAdvance(text) <= first.width())
        elided = self._counts[0] if len(self._counts) == 1 else ""  # part of a number would be another number
        self._draw(painter, first, next(fitting, elided), plain_font, "muted")

    def _draw_reason(self, painter: QPainter, box: QRectF, font: QFont) -> None:
        """Draw the parts of the reason: of the first one the clauses, and of the others those, that fit whole."""
        self._links, metrics, gap = [], QFontMetricsF(font), 3 * SPACE
        parts = self._reason if self._has_reasons else ()
        texts = [part.text for part in parts]
        while texts and "; " in texts[0] and metrics.horizontalAdvance("".join(texts)) + gap * len(texts) > box.width():
            texts[0] = texts[0].rpartition("; ")[0]
        for index, (part, text) in enumerate(zip(parts, texts, strict=True)):
            width = metrics.horizontalAdvance(text) + 1
            if index and width > box.width():
                break
            place = QRectF(box.left(), box.top(), min(width, box.width()), box.height())
            self._draw(painter, place, text, font, "accent")
            if self.hasFocus() and index == self._focused:
                painter.setPen(QPen(self._theme.colour("accent"), 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(place.adjusted(-2, 0, 2, 0), 3, 3)
            self._links.append((place, part))
            box.setLeft(place.right() + gap)

    def _part_at(self, place: QPointF) -> ReasonPart | None:
        return next((part for box, part in self._links if box.contains(place)), None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show a hand over the parts of the reason."""
        is_link = self._part_at(event.position()) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.ArrowCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose another part of the reason by the arrow keys; emit it by Return or Space."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}
        if event.key() in steps and self._reason:
            last = max(len(self._links), 1) - 1  # of the parts that fit
            self._focused = min(max(self._focused + steps[Qt.Key(event.key())], 0), last)
            self.update()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._reason:
            self.reason_picked.emit(self._reason[self._focused])
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Emit the part of the reason under the mouse."""
        part = self._part_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and part is not None:
            self.reason_picked.emit(part)

    def _draw(self, painter: QPainter, box: QRectF, text: str, font: QFont, token: str) -> float:
        """Draw an elided text; return its width."""
        metrics = QFontMetricsF(font)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0.0, box.width()))
        painter.setFont(font)
        painter.setPen(self._theme.colour(token))
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        return metrics.horizontalAdvance(shown)


class MissedModelsButton(QToolButton):
    """Button with the number of relevant models not retrieved; in a narrow panel its text is shorter."""

    def __init__(self) -> None:
        super().__init__()
        self._texts = ("", "")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setCheckable(True)
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.toggled.connect(self._update_arrow)
        self.set_count(0)

    @property
    def is_open(self) -> bool:
        """Whether the models are shown: it is checked and not hidden."""
        return self.isChecked() and not self.isHidden()

    def set_count(self, count: int) -> None:
        """Show this number; hidden for 0."""
        texts = (f"{count_text(count, 'relevant model')} not retrieved", f"{count:,} not retrieved")
        if texts != self._texts:
            self._texts = texts
            self.setAccessibleName(texts[0])
            set_tooltip(self, texts[0])
            self._fit()
            self.updateGeometry()
        self.setVisible(count > 0)
        self._update_arrow()

    @Slot()
    def _update_arrow(self) -> None:
        self.setArrowType(Qt.ArrowType.DownArrow if self.is_open else Qt.ArrowType.RightArrow)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        """Size with the long text."""
        return self._size(self._texts[0])

    def minimumSizeHint(self) -> QSize:
        """Size with the short text."""
        return self._size(self._texts[1])

    def _size(self, text: str) -> QSize:
        base, metrics = super().sizeHint(), self.fontMetrics()
        change = metrics.horizontalAdvance(text) - metrics.horizontalAdvance(self.text())
        return QSize(base.width() + change, base.height())

    def _fit(self) -> None:
        text = self._texts[0] if self.width() >= self.sizeHint().width() else self._texts[1]
        if text != self.text():
            self.setText(text)


#: Time in milliseconds that the mouse must rest on a rank of a plot before the list scrolls to it; without the delay,
#: moving along a curve would scroll the list all the time.
SCROLL_DELAY_MS = 180


class RankedListCursor(QObject):
    """Connects grid and barcode with the session's cursor.

    Hovering a card or a tick moves the cursor; a click on the barcode scrolls the grid. When the cursor is moved
    elsewhere (plots, calculation) to a rank that is not visible, the grid scrolls there after `SCROLL_DELAY_MS`, and
    back when the cursor leaves without a click.
    """

    def __init__(self, session: Session, model: RankedListModel, grid: CardGrid, barcode: Barcode) -> None:
        super().__init__(grid)
        self._session = session
        self._model = model
        self._grid = grid
        self._barcode = barcode
        self._is_mouse_over = False
        self._previous_scroll: int | None = None  # scroll position before the temporary one
        self._temporary_scroll = 0
        self._scroll_timer = QTimer(self, interval=SCROLL_DELAY_MS, singleShot=True)
        self._scroll_timer.timeout.connect(self._scroll_temporarily)
        grid.rank_hovered.connect(self._point)
        grid.visible_rows_changed.connect(self._show_window)
        grid.verticalScrollBar().valueChanged.connect(self._show_window)
        barcode.rank_hovered.connect(self._point)
        barcode.rank_hovered.connect(self._name_rank)
        barcode.scroll_requested.connect(grid.show_rank)
        session.cursor_state.cursor_changed.connect(self._show_cursor)
        session.cursor_state.marks_changed.connect(self._show_marks)

    def relevant_size(self) -> int:
        """Number of relevant models of the selected query; 0 where there is no list."""
        benchmark, shown = self._session.benchmark, self._session.ranked_list
        if shown is None:
            return 0
        return relevant_count(benchmark, self._session.selection.query, shown, self._session.profile)

    def show_list(self) -> None:
        """Update barcode and grid for another list, or for none."""
        shown, benchmark, profile = self._session.ranked_list, self._session.benchmark, self._session.profile
        self._barcode.setVisible(self._session.has_list)
        if shown is None:
            self._barcode.set_levels(self._model.levels)
            self._grid.set_cutoffs([])
            return
        size, is_judged = self.relevant_size(), benchmark.assessment is not None
        self._barcode.set_levels(shown.levels, judged=is_judged, binary=benchmark.is_binary)
        self._barcode.set_ties(shown.tied)
        self._barcode.set_cutoffs(barcode_cuts(size, len(shown), profile))
        self._grid.set_cutoffs(tier_cuts(size))
        self._show_window()
        self._show_marks()
        self._show_cursor(self._session.cursor_state.cursor)

    @Slot()
    def _show_window(self, *_: int) -> None:
        first, last = self._grid.visible_rows()
        ranks = self._model.ranks[max(first, 0) : last + 1]
        self._barcode.set_window(*((int(ranks[0]), int(ranks[-1])) if len(ranks) else (1, 0)))

    @Slot(object)
    def _point(self, rank: int | None) -> None:
        """Move the cursor to the card or tick under the mouse; None for none."""
        self._is_mouse_over = rank is not None
        self._session.cursor_state.hover(rank)

    @Slot(object)
    def _name_rank(self, rank: int | None) -> None:
        self._barcode.set_rank_text("" if rank is None else self._model.rank_text(rank))

    @Slot(object)
    def _show_cursor(self, rank: int | None) -> None:
        self._barcode.set_cursor_rank(rank)
        self._grid.set_cursor_rank(rank)
        self._scroll_timer.stop()
        if rank is None or rank == self._session.selection.rank:
            self._scroll_back()
        elif not self._is_mouse_over:
            self._scroll_timer.start()

    @Slot()
    def _scroll_temporarily(self) -> None:
        """Scroll to the rank of the cursor and store the previous position."""
        rank, bar = self._session.cursor_state.cursor, self._grid.verticalScrollBar()
        if rank is None or self._grid.shows_row(int(np.searchsorted(self._model.ranks, rank))):
            return
        previous = bar.value()
        self._grid.show_rank(rank)
        if self._previous_scroll is None:
            self._previous_scroll = previous
        self._temporary_scroll = bar.value()

    def _scroll_back(self) -> None:
        """Restore the previous position, unless the list was scrolled by the user since."""
        previous, self._previous_scroll = self._previous_scroll, None
        bar = self._grid.verticalScrollBar()
        if previous is not None and bar.value() == self._temporary_scroll:
            bar.setValue(previous)

    def keep_position(self) -> None:
        """Keep the scroll position, once a rank was selected or another list is shown."""
        self._scroll_timer.stop()
        self._previous_scroll = None

    @Slot()
    def _show_marks(self) -> None:
        self._barcode.set_marked_ranks(self._session.cursor_state.marks)
        self._grid.set_marked_ranks(self._session.cursor_state.marks)


#: Name of the header's thumbnail request. Requests are served in alphabetical order: before "queries" and "results".
THUMBNAIL_CLIENT = "header"

#: Maximum share of the height for the relevant models not retrieved, and the same where the first one is less than one
#: row of cards.
MISSED_SHARE, MAX_MISSED_SHARE = 1 / 3, 0.45

#: Card sizes where no model has a file, and of the models not retrieved.
TEXT_CARDS, SMALL_CARDS = "T", "S"

#: Keys that scroll the list while it has the focus; elsewhere they select the previous or next query.
PAGE_KEYS = (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


#: Keys that the panel's widgets handle; see `Panel.shortcuts`.
RANKED_LIST_SHORTCUTS = (
    ("Ranked list", "Previous or next rank", "←  →  ↑  ↓  Home  End"),
    ("Ranked list", "Page up or down", "PgUp  PgDown"),
    ("Ranked list", "Select several models", "Ctrl+click  Shift+click  Ctrl+A"),
    ("Ranked list", "Open the model in 3D", "Enter  Space"),
    ("Ranked list", "Thumbnail size", "Ctrl+wheel"),
    ("Reason above the list", "Choose a part, follow it", "←  →  Enter"),
    ("Barcode", "Scroll the list", "←  →  PgUp  PgDown  Home  End"),
)


class RankedListPanel(RequestPanel[RankedListRequest]):
    """Ranked list of the selected run for the selected query; a click on a card selects its rank."""

    def __init__(self, session: Session) -> None:
        self.model, self.missed_model = RankedListModel(session), RankedListModel(session, missed=True)
        super().__init__(session, RankedListRequest(), "grid", uses=())
        self.model.setParent(self)
        self.missed_model.setParent(self)
        self.barcode = Barcode()
        self.grid = CardGrid()
        self.missed_grid = CardGrid()
        self.sizes = CardSizeWheel(self)
        self.missed_button = MissedModelsButton()
        self.legend = RelevanceLegend()
        self.value_legend = ValueLegendView()
        self.value_legend.has_name = True
        self.matrix = ViewButton(session, is_matrix=False)
        corner = QWidget()
        corner.setLayout(row_of((self.legend, 1), self.matrix, spacing=2 * SPACE, margins=0))
        self.header = RankedListHeader(self.barcode, corner)
        self._list_cursor = RankedListCursor(session, self.model, self.grid, self.barcode)
        self.cards = CardActions(session, self.model, self.grid)
        self.missed_actions = CardActions(session, self.missed_model, self.missed_grid, ranked=False)
        self.card_preview = CardMeshPreview(session, self.grid, self.model, LIST_KEY_PREFIX)
        self.missed_preview = CardMeshPreview(session, self.missed_grid, self.missed_model, MISSED_KEY_PREFIX)
        self.strip = ResultStrip(session, self)
        self.reasons = self.computation_of(query_reason, "Why this query")
        self.values = self.computation_of(value_legend, "Range of the colours", uses=())
        self.rigid_geometry = self.computation_of(geometry_of_query, "Rigid geometry")
        self.restricted = self.computation_of(restricted_models, "Models of the cause", quick=has_budget)
        self.restriction = RestrictionButton(session)
        self._no_results = EmptyState("grid")
        self._pages = QStackedWidget()
        self._card_size = self.grid.card_size_name()
        self._build()
        self.grid.setModel(self.model)
        self.missed_grid.setModel(self.missed_model)
        self.grid.rank_selected.connect(self._select_rank)
        self.grid.row_selected.connect(self._select_row)
        self.grid.item_activated.connect(self._open_model)
        self.grid.visible_rows_changed.connect(self.model.visible_thumbnails.set_visible)
        self.missed_grid.visible_rows_changed.connect(self.missed_model.visible_thumbnails.set_visible)
        self.cards.model_requested.connect(self._open_model)
        self.missed_button.toggled.connect(self._show_missed_grid)
        self.sizes.size_selected.connect(self.set_card_size)
        self.strip.rendered.connect(self._copy_strip)
        session.thumbnails.arrived.connect(self._show_arrived)
        session.thumbnails.size_changed.connect(self._request_thumbnail)
        session.mesh_view_state.close_requested.connect(self._focus_grid)
        self.model.modelReset.connect(self._show_current)
        self.reasons.changed.connect(self._show_reason)
        self.values.changed.connect(self._show_values)
        session.mesh_view_state.scale_changed.connect(self._request_values)
        self.rigid_geometry.changed.connect(self._show_geometry)
        self.header.reason_picked.connect(self._open_part)
        self.restricted.changed.connect(self._restrict)
        self._show_benchmark()

    @property
    def is_empty(self) -> bool:
        """Whether a message is shown instead of cards."""
        return super().is_empty or self._pages.currentWidget() is self._no_results

    @property
    def has_files(self) -> bool:
        """Whether any model has a file."""
        return bool(self._session.benchmark.collection.has_file.any())

    @Slot(str)
    def set_card_size(self, size: str) -> None:
        """Set the card size where models have files: ``"S"``, ``"M"``, ``"L"``, ``"T"`` (text) or pixels (digits)."""
        self._card_size = size
        self.sizes.set_size(size)
        self._fit_cards()

    def requests(self) -> tuple[Request, ...]:
        """See `RequestPanel`; the list as images and as a table."""
        request = self.request()
        return () if request is None or self._session.ranked_list is None else with_images(self._session, request)

    @Slot(object)
    def _copy_strip(self, image: QImage) -> None:
        QGuiApplication.clipboard().setImage(image)
        self._session.done.emit(f"Image of {' '.join(self.export_names())} copied")

    @Slot()
    def _focus_grid(self) -> None:
        """Focus the list without scrolling it, after the user left the 3D view."""
        if self.grid.isVisible():
            self.grid.setFocus()

    def show_missed(self) -> None:
        """Show the relevant models not retrieved, if any."""
        if not self.missed_button.isHidden():
            self.missed_button.setChecked(True)

    def copy_ids(self) -> bool:
        """Copy the ids of the selected cards of the focused grid; False where no card is selected."""
        return self._focused_actions().copy_ids()

    def copy_rows(self) -> None:
        """Copy the selected cards of the focused grid as a table."""
        self._focused_actions().copy_rows()

    def focused_models(self) -> tuple[int, ...]:
        """Indices of the models of the selected cards, if a grid has the focus."""
        if not (self.grid.hasFocus() or self.missed_grid.hasFocus()):
            return ()
        return self._focused_actions().models()

    def _focused_actions(self) -> CardActions:
        return self.missed_actions if self.missed_grid.hasFocus() else self.cards

    def _fit_cards(self) -> None:
        is_text_only = self._session.is_open and not self.has_files
        for grid, card_size in ((self.grid, self._card_size), (self.missed_grid, SMALL_CARDS)):
            size = TEXT_CARDS if is_text_only else card_size
            if size != grid.card_size_name():
                grid.set_card_size(size)
        self._fit_thumbnails()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept ShortcutOverride, which delivers the page keys to the focused grid, not to shortcuts."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in PAGE_KEYS:
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the grid of models not retrieved to the height."""
        super().resizeEvent(event)
        self._fit_missed()

    def event(self, event: QEvent) -> bool:
        """Request other thumbnails for a screen with another pixel ratio."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._fit_thumbnails()
        return super().event(event)

    def _fit_thumbnails(self) -> None:
        edge = thumbnail_edge(self.grid.card_size_name()) or thumbnail_edge(SMALL_CARDS)
        self._session.thumbnails.set_size(round(edge * self.devicePixelRatioF()))

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are updated by `apply_theme`."""
        self._show_texts()

    def _build(self) -> None:
        self.missed_grid.set_card_size(SMALL_CARDS)
        self.missed_grid.setAccessibleName("Relevant models not retrieved")
        self.missed_grid.hide()
        for grid in (self.grid, self.missed_grid):
            grid.setFrameShape(QFrame.Shape.NoFrame)
            grid.installEventFilter(self)
        self._pages.addWidget(self.grid)
        self._pages.addWidget(self._no_results)
        self.sizes.watch(self.grid.viewport())
        footer = row_of(self.missed_button, self.restriction, Stretch(), spacing=2 * SPACE, margins=(SPACE, 0, 0, 0))
        values = row_of((self.value_legend, 1), margins=(2 * SPACE, 0, 2 * SPACE, SPACE))
        self.set_body(self.header, values, self._pages, footer, self.missed_grid, stretch=self._pages)
        self.setFocusProxy(self.grid)

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        if new.differs(old, "benchmark"):
            self._show_benchmark()
            return
        if new.differs(old, "query", "run", "rank"):
            self._list_cursor.keep_position()
        if new.differs(old, "rank", "model"):
            self._show_current()
        if new.differs(old, "assessment"):
            self._show_levels()
        if has_other_models(old, new):
            self._show_list()
        elif new.differs(old, "restriction"):
            self._request_models()

    def _show_levels(self) -> None:
        levels = self._session.benchmark.levels
        self.legend.set_levels(levels)
        self.legend.setVisible(bool(levels))

    def _show_benchmark(self) -> None:
        benchmark = self._session.benchmark
        self._show_levels()
        self.header.set_has_thumbnails(any(path is not None for path in benchmark.queries.paths))
        self.header.set_has_reasons(benchmark.assessment is not None and bool(benchmark.runs))
        self._fit_cards()
        self._request_values()
        self._show_list()

    @Slot()
    def _request_values(self) -> None:
        """Find the range of the quantity that colours the thumbnails."""
        scale = self._session.mesh_view_state.scale
        self.values.set_request(None if scale is None or not self.has_files else ValueLegendRequest(scale))
        self._show_values()

    @Slot()
    def _show_values(self) -> None:
        """Show what the colours of the thumbnails mean, which then all have its range."""
        legend = self.values.result if self.values.is_current else None
        self.value_legend.set_legend(legend)
        self.value_legend.setVisible(legend is not None)
        if legend is not None:
            self._session.mesh_view_state.set_range(legend.scale)

    def _show_list(self) -> None:
        benchmark, shown, run = self._session.benchmark, self._session.ranked_list, self._session.run
        if not self._session.is_open:
            self.show_empty("No benchmark is open")
        elif not self._session.has_list and not len(benchmark.collection):
            self.show_empty("No models", "Findings lists how each file was recognised.")
        else:
            self.show_content()
        is_missing = run is not None and shown is not None and shown.missing
        if run is not None and is_missing:
            query = benchmark.queries.ids[self._session.selection.query]
            title = f"{run.name} has no results for {query}"
            self._no_results.set_message(title, missing_query_text(self._session.profile))
        self._pages.setCurrentWidget(self._no_results if is_missing else self.grid)
        n_missed = 0 if shown is None else len(shown.not_retrieved)
        self.missed_button.set_count(0 if is_missing else n_missed)
        self._show_missed_grid(self.missed_button.is_open or (is_missing and n_missed > 0))
        self._list_cursor.show_list()
        self._request_thumbnail()
        self._show_texts()
        self._request_reason()
        self._request_models()

    def _request_models(self) -> None:
        """Show only the models of the lasso, and those that cost something of the cause, once they are computed."""
        run, query, cause, within = (FOLLOWED[name](self._session) for name in ("run", "query", "cause", "within"))
        has_cause = cause[0] in DIVIDED and run and query and self._session.has_list
        request = FalsePositivesRequest(runs=run, query=query[0], cause=cause[0], models=within) if has_cause else None
        self.restricted.set_request(request)
        self._restrict()

    @Slot()
    def _restrict(self) -> None:
        found = self.restricted.result if self.restricted.is_current else None
        self.model.set_models(self._session.selection.within or None if found is None else found.models)

    def _request_reason(self) -> None:
        """Explain the list that is shown, if it has relevant models."""
        query, run, shown = self._session.selection.query, self._session.run, self._session.ranked_list
        is_known = run is not None and query != NOTHING and shown is not None and shown.relevant_count > 0
        name = self._session.benchmark.queries.ids[query] if is_known else ""
        runs = (run.name,) if run is not None else ()
        self.reasons.set_request(ErrorBudgetRequest(runs=runs, query=name) if name else None)
        self._show_reason()

    @Slot()
    def _show_geometry(self) -> None:
        found = self.rigid_geometry.result if self.rigid_geometry.is_current else None
        for model in (self.model, self.missed_model):
            model.set_geometry(found)

    @Slot()
    def _show_reason(self) -> None:
        text = self.reasons.result if self.reasons.is_current else None
        self.header.set_reason(text or ())
        # After the reason, which divides the losses of all runs: both would do that at the same time.
        is_chosen = text is not None and geometry_run(self._session.benchmark) is not None
        self.rigid_geometry.set_request(self.reasons.request if is_chosen else None)
        self._show_geometry()

    @Slot(object)
    def _open_part(self, part: ReasonPart) -> None:
        """Select the rank that a part of the reason names, or show the panel that explains it."""
        if part.rank is not None:
            self._session.select(rank=part.rank)
        else:
            self._session.cursor_state.request_view(part.view)

    @Slot(bool)
    def _show_missed_grid(self, shown: bool) -> None:
        self.missed_grid.setVisible(shown)
        self._fit_missed()

    def _fit_missed(self) -> None:
        """Make the grid of models not retrieved as high as its rows, within the shares of `MISSED_SHARE`."""
        count = self.missed_model.rowCount()
        if not count:
            return
        last = self.missed_grid.visualRect(self.missed_model.index(count - 1, 0))
        end = last.bottom() + self.missed_grid.verticalScrollBar().value()
        # The cards may have been made smaller for the present height of this grid; the new height is for full ones.
        full_height = self.missed_grid.full_card_height()
        all_rows = end + SPACE + end // max(last.height(), 1) * (full_height - last.height())
        one_row = full_height + 3 * SPACE
        available = max(self.height() * MISSED_SHARE, min(one_row, self.height() * MAX_MISSED_SHARE))
        self.missed_grid.setFixedHeight(max(1, min(all_rows, int(available))))

    def _show_texts(self) -> None:
        benchmark, selection, run = self._session.benchmark, self._session.selection, self._session.run
        if not self._session.is_open:
            return
        if selection.query == NOTHING:
            self.header.set_collection(*collection_summary(benchmark))
            return
        class_name = query_class(benchmark, selection.query)
        if run is None:
            models, missing = collection_summary(benchmark)
            if benchmark.assessment is not None:
                relevant = int((self.model.levels >= max(1, self._session.profile.relevant_from)).sum())
                models = f"{relevant:,} relevant of {models}"
            self.header.set_texts(benchmark.queries.ids[selection.query], class_name, "", f"{models} · {missing}")
            return
        shown = self._session.ranked_list
        counts: tuple[str, ...] = ("",)
        self._show_counts()
        if shown is not None and shown.missing and benchmark.assessment is not None:
            counts = (count_text(len(shown.not_retrieved), "relevant model"),)
        elif shown is not None and not shown.missing:
            judged = benchmark.assessment is not None
            counts = list_summaries(shown, self._session.profile, self._list_cursor.relevant_size(), judged=judged)
        participant = f" ({run.participant})" if run.participant not in ("", run.name) else ""
        self.header.set_texts(benchmark.queries.ids[selection.query], class_name, f"{run.name}{participant}", *counts)

    def _show_counts(self) -> None:
        """Show in the legend how many models of each level the list has."""
        session, shown = self._session, self._session.ranked_list
        counts: Mapping[int, tuple[int, int]] = {}
        if shown is not None and not shown.missing:
            counts = level_counts(session.benchmark, session.selection.query, shown, session.profile)
        self.legend.set_counts(counts)

    @Slot()
    def _show_current(self) -> None:
        """Mark the selected card, by its rank, or by its model where the collection is shown."""
        selection = self._session.selection
        if self._session.has_list:
            self.grid.set_current_rank(selection.rank)
        else:
            self.grid.set_current_row(self.model.row_of(selection.model))

    @Slot()
    def _request_thumbnail(self) -> None:
        benchmark, query = self._session.benchmark, self._session.selection.query
        path = None if query == NOTHING else benchmark.queries.paths[query]
        self._session.thumbnails.request(THUMBNAIL_CLIENT, [] if path is None else [path])
        self.header.set_thumbnail(self._session.thumbnails.pixmap(path), self._session.thumbnails.problem(path))

    @Slot(object)
    def _show_arrived(self, paths: frozenset[Path]) -> None:
        benchmark, query = self._session.benchmark, self._session.selection.query
        if query != NOTHING and benchmark.queries.paths[query] in paths:
            self._request_thumbnail()

    @Slot(int)
    def _select_rank(self, rank: int) -> None:
        self._session.select(rank=rank)

    @Slot(int)
    def _select_row(self, row: int) -> None:
        if not self._session.has_list:
            self._session.select(model=self.model.item_of(row))

    @Slot()
    def _open_model(self, *_: int) -> None:
        """Open the selected model in the 3D view."""
        selection = self._session.selection
        if selection.rank is not None or selection.model is not None:
            self._session.mesh_view_state.open()
