"""The list of queries: picture, id, class and a bar of the chosen measure."""

import math

from PySide6.QtCore import (
    QAbstractItemModel,
    QLineF,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QFocusEvent, QFont, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from shrec_viewer.widgets.picture_paint import PicturePainter
from shrec_viewer.widgets.roles import Roles
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme, text_font

PICTURE = 44
"""Edge of the picture: three lines of text high, so that a query is recognised without making the list long."""

BAR = 56
"""Width of the value bar in pixels."""

NARROW = 2 * BAR
"""Width of the text below which the number takes the class's place and the bar is left out."""

SETTLE_MS = 40
"""Wait after the last scroll before saying what is in sight."""


Index = QModelIndex | QPersistentModelIndex


class QueryDelegate(QStyledItemDelegate):
    """Paints one query.

    Roles: ``query_id`` str, ``class_name`` str, ``score`` float (NaN undefined), ``picture`` QPixmap or None,
    ``problem`` str (why there is no picture), ``missing`` bool (the run has no list for this query).
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._roles = Roles()
        self._pictures = PicturePainter()
        self._low, self._high = 0.0, 1.0

    def set_theme(self, theme: Theme) -> None:
        """Paint with these colours from now on."""
        self._theme = theme

    def set_roles(self, roles: Roles) -> None:
        """Read items by these roles."""
        self._roles = roles

    def set_range(self, low: float, high: float) -> None:
        """Values of an empty and of a full bar."""
        self._low, self._high = low, high

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Qt override."""
        return QSize(3 * PICTURE, PICTURE + 3 * SPACE)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Qt override."""
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        row = QRectF(option.rect)
        self._draw_ground(painter, row, option.state)
        picture = QRectF(row.left() + 2 * SPACE, row.top() + 1.5 * SPACE, PICTURE, PICTURE)
        self._draw_picture(painter, picture, index)
        text = row.adjusted(picture.right() - row.left() + 2.5 * SPACE, 1.5 * SPACE, -3 * SPACE, -1.5 * SPACE)
        self._draw_text(painter, text, index, option.font)
        painter.restore()

    def _draw_ground(self, painter: QPainter, row: QRectF, state: QStyle.StateFlag) -> None:
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(row, self._theme.colour("selection"))
            painter.fillRect(QRectF(row.left(), row.top(), 3, row.height()), self._theme.colour("accent"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(row, self._theme.colour("hover"))

    def _draw_picture(self, painter: QPainter, box: QRectF, index: Index) -> None:
        picture = self._roles.value(index, "picture")
        problem = self._roles.value(index, "problem", "")
        if picture is not None and not picture.isNull():
            self._pictures.draw(painter, box, picture, self._theme)
        elif problem:
            self._pictures.draw_missing(painter, box, "", self._theme, text_font(painter.font(), 0.8))
        else:
            self._pictures.draw_ground(painter, box, self._theme)

    def _draw_text(self, painter: QPainter, box: QRectF, index: Index, font: QFont) -> None:
        strong, plain = text_font(font, strong=True), text_font(font)
        line = QFontMetricsF(strong).height()
        top = QRectF(box.left(), box.center().y() - line - 1, box.width(), line)
        bottom = top.translated(0, line + 2)
        taken, second = 0.0, str(self._roles.value(index, "class_name", ""))
        if "score" in self._roles:
            if box.width() < NARROW:
                second = self._score_words(index)
            else:
                taken = self._draw_score(painter, top, bottom, index, plain) + 2 * SPACE
        for area, cut, token, text in (
            (top, strong, "ink", str(self._roles.value(index, "query_id", ""))),
            (bottom, plain, "muted", second),
        ):
            shown = QFontMetricsF(cut).elidedText(text, Qt.TextElideMode.ElideRight, max(0.0, area.width() - taken))
            painter.setFont(cut)
            painter.setPen(self._theme.colour(token))
            painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

    def _draw_score(self, painter: QPainter, top: QRectF, bottom: QRectF, index: Index, font: QFont) -> float:
        """Draw number and bar at the right; the width they took."""
        missing = bool(self._roles.value(index, "missing", False))
        painter.setFont(font)
        painter.setPen(self._theme.colour("warning" if missing else "ink"))
        painter.drawText(top, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._score_words(index))
        track = QRectF(bottom.right() - BAR, bottom.center().y() - 2, BAR, 4)
        if missing:
            painter.setPen(QPen(self._theme.colour("warning"), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QLineF(track.left(), track.center().y(), track.right(), track.center().y()))
            return BAR
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("sunken"))
        painter.drawRoundedRect(track, 2, 2)
        share = self._share(self._score(index))
        if share > 0:
            painter.setBrush(self._theme.colour("accent"))
            painter.drawRoundedRect(QRectF(track.left(), track.top(), track.width() * share, track.height()), 2, 2)
        return BAR

    def _score(self, index: Index) -> float:
        return float(self._roles.value(index, "score", math.nan))

    def _score_words(self, index: Index) -> str:
        return self.tr("no list") if self._roles.value(index, "missing", False) else score_text(self._score(index))

    def _share(self, score: float) -> float:
        if math.isnan(score) or not self._high > self._low:
            return 0.0
        return min(1.0, max(0.0, (score - self._low) / (self._high - self._low)))


class QueryList(QListView):
    """Shows queries; the person walks them by mouse and keys.

    The model publishes the roles that `QueryDelegate` names; filter and sort it with a proxy.

    Signals
    -------
    query_picked(int)
        The person clicked a query or moved to it by keys; its row in this view's model.
    visible_rows_changed(int, int)
        First and last row in sight, some milliseconds after a change; (0, -1) for none.
    """

    query_picked = Signal(int)
    visible_rows_changed = Signal(int, int)

    # Qt may call overrides while its own constructor runs, before ours has set anything.
    _settle: QTimer | None = None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._delegate = QueryDelegate(self)
        self._told: tuple[int, int] | None = None
        self._settle = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._settle.timeout.connect(self._tell_visible)
        self.setItemDelegate(self._delegate)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.verticalScrollBar().valueChanged.connect(self._sight_moved)
        self.verticalScrollBar().rangeChanged.connect(self._range_moved)
        self.setAccessibleName(self.tr("Queries"))

    def setModel(self, model: QAbstractItemModel | None) -> None:
        """Qt override."""
        super().setModel(model)
        self._delegate.set_roles(Roles(model))
        self._told = None
        self._tell_visible_soon()

    def reset(self) -> None:
        """Qt override."""
        super().reset()
        self._told = None
        self._tell_visible_soon()

    def set_current_row(self, row: int | None) -> None:
        """Show this row of the view's model as current and bring it into sight; None, or no such row: none."""
        model = self.model()
        if not model:
            return
        if row is None or not 0 <= row < model.rowCount():
            self.selectionModel().clear()
            return
        index = model.index(row, 0)
        if index != self.currentIndex() or not self.selectionModel().isSelected(index):
            self.setCurrentIndex(index)
            self.scrollTo(index)

    def set_score_range(self, low: float, high: float) -> None:
        """Values of an empty and of a full bar, by default 0 and 1."""
        self._delegate.set_range(low, high)
        self.viewport().update()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._delegate.set_theme(theme)
        self.viewport().update()

    def visible_rows(self) -> tuple[int, int]:
        """First and last row at least partly in sight; (0, -1) when there is none."""
        count = self.model().rowCount() if self.model() is not None else 0
        height = self.sizeHintForRow(0) if count else 0
        if height <= 0:
            return (0, -1)
        top = self.verticalScrollBar().value()
        return top // height, min(count - 1, (top + self.viewport().height() - 1) // height)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        if self.currentIndex().isValid() and self.currentIndex().row() != before:
            self.query_picked.emit(self.currentIndex().row())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt override; a press beside the rows changes nothing."""
        index = self.indexAt(event.position().toPoint())
        if not index.isValid():
            event.accept()
            return
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self.query_picked.emit(index.row())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt override; dragging picks nothing."""
        if not event.buttons():
            super().mouseMoveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt override; focus alone makes no row current."""
        had_current = self.currentIndex().isValid()
        super().focusInEvent(event)
        if not had_current and self.selectionModel() is not None:
            self.selectionModel().clear()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._tell_visible_soon()

    def _sight_moved(self, _value: int) -> None:
        self._tell_visible_soon()

    def _range_moved(self, _low: int, _high: int) -> None:
        self._tell_visible_soon()

    def _tell_visible_soon(self) -> None:
        if self._settle is not None:
            self._settle.start()

    def _tell_visible(self) -> None:
        visible = self.visible_rows()
        if visible != self._told:
            self._told = visible
            self.visible_rows_changed.emit(*visible)


def score_text(score: float) -> str:
    """A value of a measure with three decimals; "–" for undefined.

    Examples
    --------
    >>> score_text(0.98765), score_text(float("nan")), score_text(18.25), score_text(1234.5)
    ('0.988', '–', '18.25', '1234.5')
    """
    if math.isnan(score):
        return "–"
    decimals = 3 if abs(score) < 10 else 2 if abs(score) < 100 else 1
    return f"{score:.{decimals}f}"
