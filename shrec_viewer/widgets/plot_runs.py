"""All curves of a plot in a window of their own, to be shown and hidden: what a narrow legend has no room for."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import QEvent, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHideEvent, QIcon, QKeyEvent, QMouseEvent, QPainter, QPixmap
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.widgets.own_keys import keeps_letters
from shrec_viewer.widgets.plot_choosing import ALONE, Choosing
from shrec_viewer.widgets.plot_curve import PlotCurve
from shrec_viewer.widgets.plot_marks import DOT, draw_marker
from shrec_viewer.widgets.theme import SPACE, current_theme

SAMPLE = QSize(26, 14)
"""Pixels of a curve's line before its name."""

MOST_ROWS = 16
"""Names in sight at once; more are scrolled to."""

WIDEST = 420
"""Pixels after which names are cut; their tips have them whole."""

KEY = Qt.ItemDataRole.UserRole


class RunList(QListWidget):
    """Curves with ticks; what a click or a key means is told, ticks change only when the owner says so."""

    toggled = Signal(str)
    isolated = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choosing = Choosing(self)
        self.choosing.toggled.connect(self.toggled)
        self.choosing.isolated.connect(self.isolated)
        self.setIconSize(SAMPLE)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Runs in the graphs"))

    def keys_shown(self) -> set[str]:
        """Keys of the curves that are ticked."""
        rows = [self.item(row) for row in range(self.count())]
        return {item.data(KEY) for item in rows if item.checkState() == Qt.CheckState.Checked}

    def event(self, event: QEvent) -> bool:
        """Qt override."""
        return keeps_letters(event) or super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        item = self.itemAt(event.position().toPoint())
        if item is not None and event.button() == Qt.MouseButton.LeftButton:
            self.setCurrentItem(item)
            self._press(item, event.modifiers())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        self.choosing.press_again()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        item = self.currentItem()
        if item is not None and event.key() == Qt.Key.Key_Space:
            self.toggled.emit(item.data(KEY))
        elif item is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.isolated.emit(item.data(KEY))
        elif event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _press(self, item: QListWidgetItem, modifiers: Qt.KeyboardModifier) -> None:
        key = item.data(KEY)
        self.choosing.press(key, modifiers & ALONE, is_last=self.keys_shown() == {key})


class PlotRuns(QFrame):
    """Pops up beside a legend and stays until a click elsewhere or Esc.

    Signals
    -------
    toggled(str)
        Click or Space on a curve: show or hide it.
    isolated(str)
        Double click, Alt or Ctrl+click, or Enter: show this one only, or all again.
    all_wanted()
        Show all.
    closed()
        It is no longer in sight, and will be gone.
    """

    toggled = Signal(str)
    isolated = Signal(str)
    all_wanted = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("plot_runs")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.list = RunList()
        self.list.toggled.connect(self.toggled)
        self.list.isolated.connect(self.isolated)
        self.everything = QPushButton(self.tr("Show all"))
        self.everything.setAutoDefault(False)
        self.everything.clicked.connect(self.all_wanted)
        self._hint = QLabel(self.tr("Space or click: show or hide\nEnter or double click: this one only"))
        self._hint.setProperty("role", "muted")
        foot = QHBoxLayout()
        foot.addWidget(self._hint, 1)
        foot.addWidget(self.everything)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        layout.addWidget(self.list)
        layout.addLayout(foot)

    def set_curves(self, curves: Sequence[PlotCurve], hidden: Collection[str], lifted: str | None) -> None:
        """List these, ticked where they are shown, the lifted one in bold letters."""
        current = self.list.currentItem()
        here = lifted if current is None else current.data(KEY)
        self.list.clear()
        for curve in curves:
            item = QListWidgetItem(_sample(curve, self.devicePixelRatioF()), curve.label)
            item.setData(KEY, curve.key)
            item.setToolTip(curve.label)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            self.list.addItem(item)
            if curve.key == here:
                self.list.setCurrentItem(item)
        self.set_state(hidden, lifted)

    def set_state(self, hidden: Collection[str], lifted: str | None) -> None:
        """Tick what is shown."""
        faint, ink = (QColor(colour) for colour in (current_theme().faint, current_theme().ink))
        for row in range(self.list.count()):
            item = self.list.item(row)
            is_hidden = item.data(KEY) in hidden
            font = item.font()
            font.setStrikeOut(is_hidden)
            font.setBold(item.data(KEY) == lifted)
            item.setFont(font)
            item.setForeground(faint if is_hidden else ink)
            item.setCheckState(Qt.CheckState.Unchecked if is_hidden else Qt.CheckState.Checked)
        self.everything.setEnabled(bool(hidden))

    def open_beside(self, plot: QRect, anchor: QRect) -> None:
        """Show it beside the plot, so that one sees what comes of a tick, ending where the anchor ends.

        Parameters
        ----------
        plot, anchor : of the screen; the anchor is what was clicked.
        """
        rows = min(self.list.count(), MOST_ROWS)
        self.list.setFixedHeight(rows * max(self.list.sizeHintForRow(0), 1) + 2 * self.list.frameWidth() + 2)
        bar = self.list.verticalScrollBar().sizeHint().width()
        self.list.setMinimumWidth(min(self.list.sizeHintForColumn(0) + bar + 4 * SPACE, WIDEST))
        size, room = self.sizeHint(), self.screen().availableGeometry()
        left = plot.left() - size.width()
        if left < room.left():
            left = min(plot.right() + 1, room.right() - size.width())
        top = min(max(anchor.bottom() - size.height(), room.top()), room.bottom() - size.height())
        self.move(left, max(top, room.top()))
        self.show()
        self.list.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt override."""
        super().hideEvent(event)
        self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)


def _sample(curve: PlotCurve, ratio: float) -> QIcon:
    """A piece of the curve's line."""
    picture = QPixmap(SAMPLE * ratio)
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = curve.pen()
    pen.setWidthF(2.0)
    painter.setPen(pen)
    middle = SAMPLE.height() // 2
    painter.drawLine(0, middle, SAMPLE.width(), middle)
    if curve.marker or curve.dotted:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(curve.shade)
        draw_marker(painter, QPointF(SAMPLE.width() / 2, middle), curve.marker or "circle", DOT)
    painter.end()
    return QIcon(picture)
