"""List of the largest class confusions, with a query at the left and a wrongly retrieved model at the right."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPixmap
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from shrec_viewer.number_format import format_value
from shrec_viewer.widgets.style.relevance import ThumbnailPainter
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, text_font
from shrec_viewer.widgets.style.tooltips import ItemTooltips

THUMBNAIL_EDGE = 40
"""Size of a thumbnail in pixels: three lines of text."""

NAME_LINES = 8
"""Width of the names of the classes in heights of a line: about 17 characters."""

PAIR_ROLE = Qt.ItemDataRole.UserRole
"""The `ConfusedPair` of an item."""


@dataclass(frozen=True)
class ConfusedPair:
    """Two classes of which the models of the second are retrieved for queries of the first.

    Attributes
    ----------
    row, column : of the cell in the confusion matrix.
    query_class, model_class : names.
    share : of the results in the tier that are of the second class, mean over the queries of the first one.
    example : the query and the model with the best rank among those confused: ``"Q05, rank 2: M017"``.
    query_path, model_path : files of both, for thumbnails; None for none.
    """

    row: int
    column: int
    query_class: str
    model_class: str
    share: float
    example: str
    query_path: Path | None
    model_path: Path | None


ThumbnailSource = Callable[[Path | None], QPixmap | None]
"""The thumbnail of a file; None while there is none."""


class ConfusionList(QListWidget):
    """Ranked list of confusions.

    Signals
    -------
    pair_selected(row, column)
        A confusion was clicked or reached with the arrow keys; its cell in the matrix.
    pair_activated(row, column)
        Double click or Enter.
    """

    pair_selected = Signal(int, int)
    pair_activated = Signal(int, int)

    def __init__(self, thumbnail: ThumbnailSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        ItemTooltips(self)
        self._delegate = ConfusionDelegate(thumbnail, self)
        self.setItemDelegate(self._delegate)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Largest confusions")
        self.currentItemChanged.connect(self._on_current_changed)
        self.itemActivated.connect(self._on_activated)
        self._is_filling = False

    @property
    def pairs(self) -> tuple[ConfusedPair, ...]:
        """The confusions, largest first."""
        return tuple(self.item(row).data(PAIR_ROLE) for row in range(self.count()))

    def set_pairs(self, pairs: Sequence[ConfusedPair]) -> None:
        """Show these confusions; does not emit."""
        self._is_filling = True
        self.clear()
        for pair in pairs:
            item = QListWidgetItem(f"{pair.query_class} → {pair.model_class}, share {format_value(pair.share)}")
            item.setData(PAIR_ROLE, pair)
            item.setToolTip(f"{item.text()}\nFor example {pair.example}")
            self.addItem(item)
        self._is_filling = False

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._delegate.theme = theme
        self.viewport().update()

    def sizeHint(self) -> QSize:
        """Width of two thumbnails and a name, and a few rows."""
        return QSize(_row_width(self.font()), 4 * (THUMBNAIL_EDGE + 2 * SPACE))

    def _on_current_changed(self, item: QListWidgetItem | None) -> None:
        if item is not None and not self._is_filling:
            self.pair_selected.emit(item.data(PAIR_ROLE).row, item.data(PAIR_ROLE).column)

    def _on_activated(self, item: QListWidgetItem) -> None:
        self.pair_activated.emit(item.data(PAIR_ROLE).row, item.data(PAIR_ROLE).column)


def _row_width(font: QFont) -> int:
    return 2 * THUMBNAIL_EDGE + round(NAME_LINES * QFontMetricsF(text_font(font)).height())


class ConfusionDelegate(QStyledItemDelegate):
    """Paints two thumbnails, and between them the classes, a bar and the share."""

    def __init__(self, thumbnail: ThumbnailSource, parent: QWidget) -> None:
        super().__init__(parent)
        self._thumbnail = thumbnail
        self._painter = ThumbnailPainter()
        self.theme = current_theme()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Two thumbnails and the names of the classes; height of a thumbnail or of three lines."""
        lines = 3 * QFontMetricsF(text_font(option.font)).height()
        return QSize(_row_width(option.font), round(max(THUMBNAIL_EDGE, lines)) + 2 * SPACE)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint a confusion."""
        pair: ConfusedPair = index.data(PAIR_ROLE)
        theme, cell = self.theme, QRectF(option.rect)
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(cell, theme.colour("selection"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(cell, theme.colour("hover"))
        edge = float(THUMBNAIL_EDGE)
        top = cell.center().y() - edge / 2
        left = QRectF(cell.left() + 2 * SPACE, top, edge, edge)
        right = QRectF(cell.right() - 2 * SPACE - edge, top, edge, edge)
        for box, path in ((left, pair.query_path), (right, pair.model_path)):
            thumbnail = self._thumbnail(path)
            if thumbnail is not None and not thumbnail.isNull():
                self._painter.draw(painter, box, thumbnail, theme)
            else:
                self._painter.draw_background(painter, box, theme)
        self._paint_text(painter, cell, left.right() + 2 * SPACE, right.left() - 2 * SPACE, pair, option)
        painter.restore()

    def _paint_text(
        self,
        painter: QPainter,
        cell: QRectF,
        left: float,
        right: float,
        pair: ConfusedPair,
        option: QStyleOptionViewItem,
    ) -> None:
        font = text_font(option.font)
        metrics, height = QFontMetricsF(font), QFontMetricsF(font).height()
        line = QRectF(left, cell.center().y() - 1.5 * height, right - left, height)
        vertical_centre = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(font)
        painter.setPen(self.theme.colour("ink"))
        for text in (pair.query_class, f"→ {pair.model_class}"):
            elided = metrics.elidedText(text, Qt.TextElideMode.ElideRight, line.width())
            painter.drawText(line, Qt.AlignmentFlag.AlignLeft | vertical_centre, elided)
            line.translate(0, height)
        painter.setPen(self.theme.colour("muted"))
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | vertical_centre, format_value(pair.share))
        width = max(line.width() - metrics.horizontalAdvance("0.000") - 2 * SPACE, 0.0)
        track = QRectF(left, line.center().y() - 2, width, 4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.colour("sunken"))
        painter.drawRoundedRect(track, 2, 2)
        painter.setBrush(self.theme.colour("accent"))
        painter.drawRoundedRect(track.adjusted(0, 0, -width * (1 - min(pair.share, 1.0)), 0), 2, 2)
