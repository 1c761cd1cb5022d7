"""Legend of a plot and the pop-up list of all its curves: show, hide, isolate."""

from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QHideEvent,
    QIcon,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.widgets.controls.shortcuts import overrides_letters
from shrec_viewer.widgets.plots.curves import PlotCurve
from shrec_viewer.widgets.plots.overlays import DOT_RADIUS, draw_marker
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, text_font

ISOLATE_MODIFIERS = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ControlModifier
"""Keys that make a click mean this curve only; either, because many window managers keep Alt for themselves."""


class CurveClickHandler(QObject):
    """Tells clicks from double clicks without making anybody wait.

    A click counts at once. A double click takes its first click back and then means something else. Only a click on
    the one curve that is left waits for a second one, since alone it is refused.

    Signals
    -------
    toggled(str)
        Show or hide this curve.
    isolated(str)
        Show this curve only, or all again.
    """

    toggled = Signal(str)
    isolated = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._key = ""
        self._waiting = QTimer(self)
        self._waiting.setSingleShot(True)
        self._waiting.timeout.connect(self._refuse)

    def press(self, key: str, modifiers: Qt.KeyboardModifier, *, is_last: bool) -> None:
        """A click on this curve; `is_last`: no other one is shown."""
        self._waiting.stop()
        self._key = key
        if modifiers & ISOLATE_MODIFIERS:
            self._key = ""
            self.isolated.emit(key)
        elif is_last:
            self._waiting.start(QApplication.doubleClickInterval())
        else:
            self.toggled.emit(key)

    def on_double_click(self) -> None:
        """The click was the first one of a double click; the mouse may be over another entry by now."""
        key, self._key = self._key, ""
        if not key:
            return
        if self._waiting.isActive():
            self._waiting.stop()
        else:
            self.toggled.emit(key)
        self.isolated.emit(key)

    def _refuse(self) -> None:
        key, self._key = self._key, ""
        self.toggled.emit(key)


LINE_SAMPLE_WIDTH = 22
"""Pixels of line shown: one and a half periods of the longest dash."""

ENTRY_WIDTH = LINE_SAMPLE_WIDTH + 4 * SPACE
"""Pixels of an entry beside its name."""

MIN_NAME_WIDTH = 38
"""Pixels of a name below which an entry says nothing: five letters; then fewer entries are shown."""

MAX_LINES = 3
"""Lines of a full legend: with forty runs more of them would be legend than graph."""


def entries_per_line(names: Sequence[int], room: int, rest: int) -> int:
    """How many entries fit into one line if names are cut; `rest` pixels go to the number of those left out.

    Examples
    --------
    >>> count_in_line([40, 40, 40], 400, 50), count_in_line([40, 40, 40], 210, 50), count_in_line([40, 40], 20, 50)
    (3, 2, 1)
    """
    least = [min(name, MIN_NAME_WIDTH) + ENTRY_WIDTH for name in names]
    if sum(least) <= room:
        return len(names)
    return max(1, sum(total <= room - rest for total in accumulate(least)))


def flow_layout(names: Sequence[int], height: int, room: int | None) -> list[QRect]:
    """Boxes of entries whose names are so wide, line after line; all in one line where there is no end of `room`."""
    boxes, x, y = [], 0, 0
    for name in names:
        if room is not None and x and x + name + ENTRY_WIDTH > room:
            x, y = 0, y + height
        boxes.append(QRect(x, y, name + ENTRY_WIDTH, height))
        x += name + ENTRY_WIDTH
    return boxes


def fits_in_lines(boxes: Sequence[QRect], room: int, rest: int) -> bool:
    """Whether these lines, with `rest` pixels behind the last entry, are at most `MAX_LINES`."""
    line = boxes[-1].top() // boxes[-1].height()
    return line < MAX_LINES - 1 or (line == MAX_LINES - 1 and boxes[-1].right() + rest <= room)


def shared_widths(wanted: Sequence[int], room: int) -> list[int]:
    """Widths that fit into `room`: the short names whole, the long ones cut to one width.

    Examples
    --------
    >>> shared([10, 50, 90], 100), shared([10, 20], 100)
    ([10, 45, 45], [10, 20])
    """
    left, shares = max(0, room), list(wanted)
    for done, place in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        shares[place] = min(wanted[place], left // (len(wanted) - done))
        left -= shares[place]
    return shares


MAX_NAME_WIDTH = 180
"""Pixels after which a name is cut."""

MAX_LEGEND_LINES = 3
"""Lines of a full legend: with forty runs more of them would be legend than graph."""

LegendForm = Literal["full", "line", "none"]
"""As many lines as it takes up to `MAX_LEGEND_LINES`, one line, or no legend."""

MORE_KEY = "+"
"""Stands for the number of entries left out where a key of a curve could; curves have other keys."""

CLICK_KEYS = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)
"""Keys that do what a click or a double click does."""

LegendEntry = tuple[PlotCurve, QRect]


class PlotLegend(QWidget):
    """Entries that flow into as many lines as the width asks for; those left out are counted, and a click lists all.

    Signals
    -------
    toggled(str)
        Click or Space on an entry: show or hide that curve.
    isolated(str)
        Double click, Alt or Ctrl+click, or Enter on an entry: show that curve only, or all again.
    hovered(str)
        The mouse is over this entry; "" when it left.
    rest_wanted()
        Click, Space or Enter on the number of those left out: the person wants to see all.
    """

    toggled = Signal(str)
    isolated = Signal(str)
    hovered = Signal(str)
    list_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._curves: tuple[PlotCurve, ...] = ()
        self._hidden: frozenset[str] = frozenset()
        self._emphasised: str | None = None
        self._over = ""
        self._focused = 0
        self._is_one_line = False
        self._click_handler = CurveClickHandler(self)
        self._click_handler.toggled.connect(self.toggled)
        self._click_handler.isolated.connect(self.isolated)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName("Legend")

    def set_curves(self, curves: Sequence[PlotCurve]) -> None:
        """List these."""
        self._curves = tuple(curves)
        self._focused = min(self._focused, len(self._curves))
        self.updateGeometry()
        self.update()

    def set_state(self, hidden: Collection[str], emphasised: str | None) -> None:
        """Show which curves are hidden and which one is lifted."""
        self._hidden, self._emphasised = frozenset(hidden), emphasised
        names = ", ".join(
            f"{curve.label} (hidden)" if curve.key in self._hidden else curve.label for curve in self._curves
        )
        self.setAccessibleName(f"Legend: {names}")
        self.updateGeometry()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self.update()

    def set_one_line(self, one_line: bool) -> None:
        """Keep to one line: names are cut alike, and when they would be too short the last entries only counted."""
        if one_line != self._is_one_line:
            self._is_one_line = one_line
            self.updateGeometry()
            self.update()

    def boxes(self, width: int | None = None) -> list[QRect]:
        """Where each entry is, for a widget of this width; maybe not all of them."""
        return [box for _, box in self._placed(width)[0]]

    def rest_box(self) -> QRect | None:
        """Where the number of those left out is; None where all are there."""
        return self._placed()[1]

    def _placed(self, width: int | None = None) -> tuple[list[LegendEntry], QRect | None]:
        if not self._curves:
            return [], None
        metrics = QFontMetricsF(text_font(self.font(), 0.92))
        height = round(metrics.height()) + SPACE
        room = self.width() if width is None else width
        names = [min(round(metrics.horizontalAdvance(curve.label)) + 1, MAX_NAME_WIDTH) for curve in self._curves]
        rest = round(metrics.horizontalAdvance(self._rest_words(len(names)))) + 3 * SPACE
        count = entries_per_line(names, room, rest) if self._is_one_line else len(names)
        places = self._chosen(count)
        if self._is_one_line:
            spare = room - count * ENTRY_WIDTH - rest * (count < len(names))
            boxes = flow_layout(shared_widths([names[place] for place in places], spare), height, None)
        else:
            boxes = flow_layout(names, height, room)
            while count > 1 and not fits_in_lines(boxes, room, rest if count < len(names) else 0):
                count -= 1
                places = self._chosen(count)
                boxes = flow_layout([names[place] for place in places], height, room)
        entries = [(self._curves[place], box) for place, box in zip(places, boxes, strict=True)]
        left_out = count < len(names)
        return entries, QRect(boxes[-1].right() + 1, boxes[-1].top(), rest, height) if left_out else None

    def _chosen(self, count: int) -> list[int]:
        """Places of the curves that have entries, ascending: the first ones, so that none jumps when it is clicked.

        The lifted one is among them, and all that are shown where there is room for those.
        """
        places = range(len(self._curves))
        shown = {place for place in places if self._curves[place].key not in self._hidden}
        emphasised = {place for place in places if self._curves[place].key == self._emphasised}
        wanted = emphasised | shown if len(emphasised | shown) <= count else emphasised
        first = [place for place in places if place not in wanted][: count - len(wanted)]
        return sorted([*wanted, *first])

    def _rest_words(self, number: int) -> str:
        return f"+{number} more"

    def heightForWidth(self, width: int) -> int:
        """Qt override."""
        boxes = self.boxes(width)
        return boxes[-1].bottom() + 1 if boxes else 0

    def hasHeightForWidth(self) -> bool:
        """Qt override."""
        return True

    def sizeHint(self) -> QSize:
        """Qt override."""
        return QSize(200, self.heightForWidth(max(self.width(), 200)))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        entries, rest = self._placed()
        for place, (curve, box) in enumerate(entries):
            self._draw_entry(painter, QRectF(box), curve, focused=self.hasFocus() and place == self._focused)
        if rest is not None:
            self._draw_ground(
                painter,
                QRectF(rest),
                over=self._over == MORE_KEY,
                focused=self.hasFocus() and self._focused >= len(entries),
            )
            painter.setFont(text_font(self.font(), 0.92))
            painter.setPen(self._theme.colour("accent"))
            painter.drawText(rest, Qt.AlignmentFlag.AlignCenter, self._rest_words(len(self._curves) - len(entries)))

    def _draw_ground(self, painter: QPainter, box: QRectF, *, over: bool, focused: bool) -> None:
        if over or focused:
            painter.setPen(QPen(self._theme.colour("accent"), 1.5) if focused else Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("hover"))
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 3, 3)

    def _draw_entry(self, painter: QPainter, box: QRectF, curve: PlotCurve, *, focused: bool) -> None:
        is_hidden, is_emphasised = curve.key in self._hidden, curve.key == self._emphasised
        self._draw_ground(painter, box, over=curve.key == self._over, focused=focused)
        left, middle = box.left() + 1.5 * SPACE, box.center().y()
        colour = self._theme.faint if is_hidden else None
        painter.setPen(curve.pen(emphasised=is_emphasised, faded=is_hidden, colour=colour))
        painter.drawLine(QPointF(left, middle), QPointF(left + LINE_SAMPLE_WIDTH, middle))
        if curve.marker or curve.dotted:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("faint") if is_hidden else curve.shade)
            draw_marker(painter, QPointF(left + LINE_SAMPLE_WIDTH / 2, middle), curve.marker or "circle", DOT_RADIUS)
        font = text_font(self.font(), 0.92, strong=is_emphasised)
        font.setStrikeOut(is_hidden)
        painter.setFont(font)
        painter.setPen(self._theme.colour("faint" if is_hidden else "ink"))
        text = QRectF(
            left + LINE_SAMPLE_WIDTH + 1.5 * SPACE,
            box.top(),
            box.right() - left - LINE_SAMPLE_WIDTH - 1.5 * SPACE,
            box.height(),
        )
        shown = QFontMetricsF(font).elidedText(curve.label, Qt.TextElideMode.ElideMiddle, text.width())
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)

    def key_at(self, point: QPointF) -> str:
        """Key of the curve whose entry is at a point; "" for none."""
        return "" if (key := self._key_at(point)) == MORE_KEY else key

    def _key_at(self, point: QPointF) -> str:
        entries, rest = self._placed()
        if rest is not None and rest.contains(point.toPoint()):
            return MORE_KEY
        return next((curve.key for curve, box in entries if box.contains(point.toPoint())), "")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        key = self._key_at(event.position())
        if event.button() != Qt.MouseButton.LeftButton or not key:
            return
        if key == MORE_KEY:
            self.list_requested.emit()
        else:
            shown = {curve.key for curve in self._curves} - self._hidden
            self._click_handler.press(key, event.modifiers(), is_last=shown == {key})

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._click_handler.on_double_click()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        self._hover(self._key_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """Qt override."""
        self._hover("")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}
        entries, rest = self._placed()
        places = len(entries) + (rest is not None)
        focused = min(self._focused, places - 1)
        if not entries or event.key() not in (*steps, *CLICK_KEYS):
            super().keyPressEvent(event)
        elif event.key() in steps:
            self._focused = (focused + steps[Qt.Key(event.key())]) % places
            self.update()
        elif focused == len(entries):
            self.list_requested.emit()
        else:
            told = self.toggled if event.key() == Qt.Key.Key_Space else self.isolated
            told.emit(entries[focused][0].key)

    def event(self, event: QEvent) -> bool:
        """Qt override; the whole name of an entry, and what can be done with it."""
        if isinstance(event, QHelpEvent):
            key = self._key_at(QPointF(event.pos()))
            labels = {curve.key: curve.label for curve in self._curves}
            hint = "click: show or hide in all graphs; double or Alt+click: this one only, or all again"
            said = "All runs, to show and hide" if key == MORE_KEY else f"{labels.get(key, '')}\n{hint}"
            QToolTip.showText(event.globalPos(), said if key else "", self)
            return True
        return super().event(event)

    def _hover(self, key: str) -> None:
        if key != self._over:
            self._over = key
            self.setCursor(Qt.CursorShape.PointingHandCursor if key else Qt.CursorShape.ArrowCursor)
            self.update()
            self.hovered.emit("" if key == MORE_KEY else key)


SAMPLE_SIZE = QSize(26, 14)
"""Pixels of a curve's line before its name."""

MAX_ROWS = 16
"""Names in sight at once; more are scrolled to."""

MAX_LIST_WIDTH = 420
"""Pixels after which names are cut; their tips have them whole."""

CURVE_KEY_ROLE = Qt.ItemDataRole.UserRole


class CurveListWidget(QListWidget):
    """Curves with ticks; what a click or a key means is told, ticks change only when the owner says so."""

    toggled = Signal(str)
    isolated = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choosing = CurveClickHandler(self)
        self.choosing.toggled.connect(self.toggled)
        self.choosing.isolated.connect(self.isolated)
        self.setIconSize(SAMPLE_SIZE)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Runs in the graphs")

    def keys_shown(self) -> set[str]:
        """Keys of the curves that are ticked."""
        rows = [self.item(row) for row in range(self.count())]
        return {item.data(CURVE_KEY_ROLE) for item in rows if item.checkState() == Qt.CheckState.Checked}

    def event(self, event: QEvent) -> bool:
        """Qt override."""
        return overrides_letters(event) or super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        item = self.itemAt(event.position().toPoint())
        if item is not None and event.button() == Qt.MouseButton.LeftButton:
            self.setCurrentItem(item)
            self._press(item, event.modifiers())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        self.choosing.on_double_click()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        item = self.currentItem()
        if item is not None and event.key() == Qt.Key.Key_Space:
            self.toggled.emit(item.data(CURVE_KEY_ROLE))
        elif item is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.isolated.emit(item.data(CURVE_KEY_ROLE))
        elif event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _press(self, item: QListWidgetItem, modifiers: Qt.KeyboardModifier) -> None:
        key = item.data(CURVE_KEY_ROLE)
        self.choosing.press(key, modifiers & ISOLATE_MODIFIERS, is_last=self.keys_shown() == {key})


class CurveListPopup(QFrame):
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
    show_all_requested = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("plot_runs")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.list = CurveListWidget()
        self.list.toggled.connect(self.toggled)
        self.list.isolated.connect(self.isolated)
        self.everything = QPushButton("Show all")
        self.everything.setAutoDefault(False)
        self.everything.clicked.connect(self.show_all_requested)
        self._hint = QLabel("Space or click: show or hide\nEnter or double click: this one only")
        self._hint.setProperty("role", "muted")
        foot = QHBoxLayout()
        foot.addWidget(self._hint, 1)
        foot.addWidget(self.everything)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        layout.addWidget(self.list)
        layout.addLayout(foot)

    def set_curves(self, curves: Sequence[PlotCurve], hidden: Collection[str], emphasised: str | None) -> None:
        """List these, ticked where they are shown, the lifted one in bold letters."""
        current = self.list.currentItem()
        here = emphasised if current is None else current.data(CURVE_KEY_ROLE)
        self.list.clear()
        for curve in curves:
            item = QListWidgetItem(_line_icon(curve, self.devicePixelRatioF()), curve.label)
            item.setData(CURVE_KEY_ROLE, curve.key)
            item.setToolTip(curve.label)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            self.list.addItem(item)
            if curve.key == here:
                self.list.setCurrentItem(item)
        self.set_state(hidden, emphasised)

    def set_state(self, hidden: Collection[str], emphasised: str | None) -> None:
        """Tick what is shown."""
        faint, ink = (QColor(colour) for colour in (current_theme().faint, current_theme().ink))
        for row in range(self.list.count()):
            item = self.list.item(row)
            is_hidden = item.data(CURVE_KEY_ROLE) in hidden
            font = item.font()
            font.setStrikeOut(is_hidden)
            font.setBold(item.data(CURVE_KEY_ROLE) == emphasised)
            item.setFont(font)
            item.setForeground(faint if is_hidden else ink)
            item.setCheckState(Qt.CheckState.Unchecked if is_hidden else Qt.CheckState.Checked)
        self.everything.setEnabled(bool(hidden))

    def open_near(self, plot: QRect, anchor: QRect) -> None:
        """Show it beside the plot, so that one sees what comes of a tick, ending where the anchor ends.

        Parameters
        ----------
        plot, anchor : of the screen; the anchor is what was clicked.
        """
        rows = min(self.list.count(), MAX_ROWS)
        self.list.setFixedHeight(rows * max(self.list.sizeHintForRow(0), 1) + 2 * self.list.frameWidth() + 2)
        bar = self.list.verticalScrollBar().sizeHint().width()
        self.list.setMinimumWidth(min(self.list.sizeHintForColumn(0) + bar + 4 * SPACE, MAX_LIST_WIDTH))
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


def _line_icon(curve: PlotCurve, ratio: float) -> QIcon:
    """A piece of the curve's line."""
    picture = QPixmap(SAMPLE_SIZE * ratio)
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = curve.pen()
    pen.setWidthF(2.0)
    painter.setPen(pen)
    middle = SAMPLE_SIZE.height() // 2
    painter.drawLine(0, middle, SAMPLE_SIZE.width(), middle)
    if curve.marker or curve.dotted:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(curve.shade)
        draw_marker(painter, QPointF(SAMPLE_SIZE.width() / 2, middle), curve.marker or "circle", DOT_RADIUS)
    painter.end()
    return QIcon(picture)
