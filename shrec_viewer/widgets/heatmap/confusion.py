"""Princeton tier image of queries by models, and the list of the largest confusions of classes."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QEvent,
    QMarginsF,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from shrec_viewer.number_format import format_value
from shrec_viewer.widgets.controls.plain_text import ItemTooltips, set_tooltip, titled_tooltip
from shrec_viewer.widgets.heatmap.data import mixed
from shrec_viewer.widgets.style.painted import ARROW_STEPS, PaintedWidget
from shrec_viewer.widgets.style.relevance import ThumbnailPainter
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, text_font

#: Values of a pixel: 0 neither tier, 1 second tier, 2 first tier, 3 nearest neighbour.
PIXEL_KINDS = 4


#: Margin in pixels around a marked dot, which may be smaller than a pixel.
MARK_MARGINS = QMarginsF(3, 3, 3, 3)

#: Targets of `jump_requested`: first and last dot of a row.
FIRST_DOT, LAST_DOT = 0, 1


class TierImage(PaintedWidget):
    """Tier image scaled to the widget, with the square of each class outlined.

    Arrow keys move between dots and rows, Home and End to the ends of a row; the owner calls `set_marked_position`
    in response.

    Attributes
    ----------
    marked_position : row and column of the marked dot, or None.

    Signals
    -------
    resized()
        The size changed: an image of another size is needed.
    position_selected(down, right)
        Position of a click, as shares of height and width in [0, 1).
    position_hovered(down, right)
        Position of the mouse; (-1, -1) when it leaves.
    step_requested(rows, dots)
        Arrow keys: number of rows down and of dots to the right.
    jump_requested(target)
        Home or End: to the `FIRST_DOT` or `LAST_DOT` dot of the row.
    """

    resized = Signal()
    position_selected = Signal(float, float)
    position_hovered = Signal(float, float)
    step_requested = Signal(int, int)
    jump_requested = Signal(int)
    preferred_size = QSize(360, 360)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._codes: NDArray[np.uint8] = np.zeros((0, 0), np.uint8)
        self._image = QImage()
        self._blocks: tuple[tuple[float, float, float, float], ...] = ()
        self._tooltip_text = ""
        self.marked_position: tuple[int, int] | None = None
        self._shape = (1, 1)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Tier image")

    def set_image(self, codes: NDArray[np.uint8], blocks: Sequence[tuple[float, float, float, float]]) -> None:
        """Show (H, W) uint8 codes (see `PIXEL_KINDS`).

        Parameters
        ----------
        blocks : top, left, height, width of each class as shares of the image: the first tier of a perfect run.
        """
        self._codes, self._blocks = codes, tuple(blocks)
        self._colour()

    def set_tooltip_text(self, text: str) -> None:
        """Set the tooltip of the dot under the mouse."""
        self._tooltip_text = text

    def set_marked_position(self, position: tuple[int, int] | None, rows: int = 1, columns: int = 1) -> None:
        """Mark a dot by row and column, out of numbers of rows and columns; None for none."""
        self.marked_position, self._shape = position, (rows, columns)
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        super().set_theme(theme)
        self._colour()

    @property
    def image_size(self) -> QSize:
        """Size of the image in device pixels."""
        ratio = self.devicePixelRatioF()
        box = self._box()
        return QSize(round(box.width() * ratio), round(box.height() * ratio))

    @staticmethod
    def colours(theme: Theme) -> tuple[QColor, ...]:
        """Colours of the codes 0 to 3."""
        share = 0.45 if theme.name == "light" else 0.4
        background, accent = theme.colour("surface"), theme.colour("accent")
        return background, mixed(background, accent, share), accent, theme.colour("ink")

    def resizeEvent(self, event: QEvent) -> None:
        """Emit `resized`, so that the image is rendered in the new size."""
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint image, class blocks and marked position."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.colour("surface"))
        if self._image.isNull():
            return
        box = self._box()
        painter.drawImage(box, self._image)
        painter.setPen(QPen(self._theme.colour("line_strong", 0.7), 1))
        for top, left, height, width in self._blocks:
            painter.drawRect(
                QRectF(
                    box.left() + left * box.width(), box.top() + top * box.height(), width * box.width(),
                    height * box.height(),
                )
            )  # fmt: skip
        painter.setPen(self._theme.colour("line"))
        painter.drawRect(box)
        if self.marked_position is not None:
            at = self._marker_rect()
            painter.setPen(QPen(self._theme.colour("accent"), 1))
            painter.drawLine(QPointF(box.left(), at.center().y()), QPointF(box.right(), at.center().y()))
            painter.drawLine(QPointF(at.center().x(), box.top()), QPointF(at.center().x(), box.bottom()))
            painter.setPen(QPen(self._theme.colour("ink"), 1.5))
            painter.drawRect(at.marginsAdded(MARK_MARGINS))
        if self.hasFocus():
            painter.setPen(QPen(self._theme.colour("accent"), 1.5))
            painter.drawRect(box)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Emit the position under the mouse."""
        self.position_hovered.emit(*self._share(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        """Emit that no position is hovered."""
        self.position_hovered.emit(-1.0, -1.0)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Emit the clicked position."""
        down, right = self._share(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and down >= 0:
            self.position_selected.emit(down, right)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Do nothing: the press has selected already."""
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit the step of an arrow key, or the jump of Home and End."""
        key = Qt.Key(event.key())
        if key in ARROW_STEPS:
            self.step_requested.emit(*ARROW_STEPS[key])
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.jump_requested.emit(FIRST_DOT if key == Qt.Key.Key_Home else LAST_DOT)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Show the tooltip of the position under the mouse."""
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), titled_tooltip(self._tooltip_text) if self._tooltip_text else "", self)
            return True
        return super().event(event)

    def _box(self) -> QRectF:
        return QRectF(self.rect()).adjusted(2 * SPACE, SPACE, -2 * SPACE - 1, -SPACE - 1)

    def _marker_rect(self) -> QRectF:
        """Rectangle of the marked dot."""
        box, (row, column), (rows, columns) = self._box(), self.marked_position or (0, 0), self._shape
        height, width = box.height() / max(rows, 1), box.width() / max(columns, 1)
        return QRectF(box.left() + column * width, box.top() + row * height, width, height)

    def _share(self, point: QPoint) -> tuple[float, float]:
        box = self._box()
        if not box.contains(point) or not box.width() or not box.height():
            return -1.0, -1.0
        down, right = (point.y() - box.top()) / box.height(), (point.x() - box.left()) / box.width()
        return min(down, 1 - 1e-9), min(right, 1 - 1e-9)

    def _colour(self) -> None:
        height, width = self._codes.shape
        if not height or not width:
            self._image = QImage()
        else:
            table = np.array([colour.getRgb() for colour in self.colours(self._theme)], np.uint8)
            pixels = np.ascontiguousarray(table[np.minimum(self._codes, PIXEL_KINDS - 1)])
            self._image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()
        self.update()


#: Labels of the colours, from dark to light; short, to leave space for the axis labels.
TIER_NAMES = ("nearest", "1st tier", "2nd tier")

#: Full text for the tooltip.
TIER_DESCRIPTION = "nearest neighbour, first tier, second tier, squares: models of the query's class"

#: Size of a swatch in pixels.
SWATCH_SIZE = 10

#: Pixels between two entries.
LABEL_SPACING = 3 * SPACE


class TierImageLegend(PaintedWidget):
    """Legend of the tier image; in a narrow widget texts are left out from the right, the tooltip is complete."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Colours")
        self.setAccessibleDescription(TIER_DESCRIPTION)
        set_tooltip(self, f"From dark to light: {TIER_DESCRIPTION}")

    def labels(self) -> tuple[str, ...]:
        """Texts of the entries: three colours, then the outline of a class."""
        return (*(label for label in TIER_NAMES), "query class")

    def visible_labels(self) -> list[str]:
        """Texts that fit, "" for those left out."""
        labels, metrics = list(self.labels()), QFontMetricsF(self._font())
        widths = [metrics.horizontalAdvance(label) + SPACE for label in labels]
        for index in reversed(range(len(labels))):
            if sum(widths) + self._swatches() <= self.width():
                break
            labels[index], widths[index] = "", 0.0
        return labels

    def sizeHint(self) -> QSize:
        """Size of swatches and labels."""
        metrics = QFontMetricsF(self._font())
        labels = sum(metrics.horizontalAdvance(label) + SPACE for label in self.labels())
        return QSize(round(labels + self._swatches()) + 1, round(metrics.height()) + SPACE)

    def minimumSizeHint(self) -> QSize:
        """Size without labels."""
        return QSize(round(self._swatches()), self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint swatches and labels."""
        painter = QPainter(self)
        painter.setFont(self._font())
        _, second_tier, first_tier, nearest = TierImage.colours(self._theme)
        left, top, metrics = 0.0, (self.height() - SWATCH_SIZE) / 2, QFontMetricsF(self._font())
        for colour, label in zip((nearest, first_tier, second_tier, None), self.visible_labels(), strict=True):
            swatch = QRectF(left, top, SWATCH_SIZE, SWATCH_SIZE)
            if colour is not None:
                painter.fillRect(swatch, colour)
            else:
                painter.setPen(self._theme.colour("line_strong"))
                painter.drawRect(swatch.adjusted(0.5, 0.5, -0.5, -0.5))
            left += SWATCH_SIZE + SPACE
            painter.setPen(self._theme.colour("muted"))
            box = QRectF(left, 0, metrics.horizontalAdvance(label) + 1, self.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, label)
            left += (metrics.horizontalAdvance(label) if label else -SPACE) + LABEL_SPACING

    def _swatches(self) -> float:
        return (len(TIER_NAMES) + 1) * (SWATCH_SIZE + LABEL_SPACING) - LABEL_SPACING

    def _font(self) -> QFont:
        return text_font(self.font(), 0.92)


#: Size of a thumbnail in pixels: three lines of text.
THUMBNAIL_EDGE = 40

#: Minimum width of the names of the classes in heights of a line: about 17 characters.
NAME_LINES = 8

#: The `ConfusedPair` of an item.
PAIR_ROLE = Qt.ItemDataRole.UserRole


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


#: The thumbnail of a file; None while there is none.
ThumbnailSource = Callable[[Path | None], QPixmap | None]


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
        """Width of two thumbnails and the longest name, and a few rows."""
        metrics = QFontMetricsF(text_font(self.font()))
        names = [name for pair in self.pairs for name in (pair.query_class, f"→ {pair.model_class}")]
        longest = max((metrics.horizontalAdvance(name) for name in names), default=0.0)
        margins = 8 * SPACE + self.verticalScrollBar().sizeHint().width() + 2 * self.frameWidth()
        width = max(_row_width(self.font()), 2 * THUMBNAIL_EDGE + math.ceil(longest) + margins)
        return QSize(width, 4 * (THUMBNAIL_EDGE + 2 * SPACE))

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
