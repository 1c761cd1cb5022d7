"""Legend of a plot and pop-up list of all its curves: show, hide, isolate."""

from collections.abc import Collection, Sequence
from itertools import accumulate
from operator import attrgetter
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
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
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QToolTip,
    QWidget,
)

from shrec_viewer.charts.plot import PlotCurve
from shrec_viewer.widgets.controls.check_list import KEY_ROLE, CheckListPopup, CheckListWidget
from shrec_viewer.widgets.controls.controls import overrides_letters
from shrec_viewer.widgets.controls.layouts import row_of
from shrec_viewer.widgets.controls.plain_text import PlainLabel, tooltip_text
from shrec_viewer.widgets.plots.curves import curve_pen, draw_line_sample
from shrec_viewer.widgets.style.painted import PaintedWidget
from shrec_viewer.widgets.style.text import CENTRE, put_text
from shrec_viewer.widgets.style.theme import SPACE, current_theme, text_font

#: Modifiers of a click that isolates a curve; Ctrl as well as Alt, since many window managers use Alt+click.
ISOLATE_MODIFIERS = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ControlModifier


class CurveClickHandler(QObject):
    """Distinguishes clicks from double clicks without delaying clicks.

    A click toggles at once; a double click reverts that and isolates. Only a click on the last visible curve is delayed
    by the double-click interval, since hiding the last curve is refused.

    Signals
    -------
    toggled(str)
        Show or hide this curve.
    isolated(str)
        Show only this curve, or all again.
    """

    toggled = Signal(str)
    isolated = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._key = ""
        self._click_timer = QTimer(self, singleShot=True)
        self._click_timer.timeout.connect(self._on_click_timeout)

    def press(self, key: str, modifiers: Qt.KeyboardModifier, *, is_last: bool) -> None:
        """Handle a click on this curve; `is_last`: it is the only visible one."""
        self._click_timer.stop()
        self._key = key
        if modifiers & ISOLATE_MODIFIERS:
            self._key = ""
            self.isolated.emit(key)
        elif is_last:
            self._click_timer.start(QApplication.doubleClickInterval())
        else:
            self.toggled.emit(key)

    def on_double_click(self) -> None:
        """Handle a double click; it belongs to the entry of its first click, even if the mouse has moved."""
        key, self._key = self._key, ""
        if not key:
            return
        if self._click_timer.isActive():
            self._click_timer.stop()
        else:
            self.toggled.emit(key)
        self.isolated.emit(key)

    def cancel(self) -> None:
        """Discard a click that may still become a double click; called when the curves are those of other runs."""
        self._click_timer.stop()
        self._key = ""

    def _on_click_timeout(self) -> None:
        key, self._key = self._key, ""
        self.toggled.emit(key)


#: Width of the line sample in pixels: one and a half periods of the longest dash pattern.
LINE_SAMPLE_WIDTH = 22

#: Width of an entry in pixels without its name.
ENTRY_WIDTH = LINE_SAMPLE_WIDTH + 4 * SPACE

#: Minimum width of a name in pixels, five letters; below it fewer entries are shown.
MIN_NAME_WIDTH = 38


def entries_per_line(names: Sequence[int], available: int, more_width: int) -> int:
    """Number of entries with elided names that fit into one line, with `more_width` pixels for the number of others.

    Examples
    --------
    >>> [entries_per_line([40, 40, 40], available, 50) for available in (400, 210, 20)]
    [3, 2, 1]
    """
    widths = [min(name, MIN_NAME_WIDTH) + ENTRY_WIDTH for name in names]
    if sum(widths) <= available:
        return len(names)
    return max(1, sum(total <= available - more_width for total in accumulate(widths)))


def flow_layout(names: Sequence[int], height: int, available: int | None) -> list[QRect]:
    """Boxes of entries with names of these widths, line after line; one line if `available` is None."""
    boxes, x, y = [], 0, 0
    for name in names:
        if available is not None and x and x + name + ENTRY_WIDTH > available:
            x, y = 0, y + height
        boxes.append(QRect(x, y, name + ENTRY_WIDTH, height))
        x += name + ENTRY_WIDTH
    return boxes


def fits_in_lines(boxes: Sequence[QRect], available: int, more_width: int) -> bool:
    """Whether the boxes and `more_width` pixels after the last one need at most `MAX_LINES` lines."""
    line = boxes[-1].top() // boxes[-1].height()
    return line < MAX_LINES - 1 or (line == MAX_LINES - 1 and boxes[-1].right() + more_width <= available)


def shared_widths(natural: Sequence[int], available: int) -> list[int]:
    """Widths that fit into `available`: short names in full, long ones elided to a common width.

    Examples
    --------
    >>> shared_widths([10, 50, 90], 100), shared_widths([10, 20], 100)
    ([10, 45, 45], [10, 20])
    """
    left, widths = max(0, available), list(natural)
    for done, index in enumerate(sorted(range(len(natural)), key=natural.__getitem__)):
        widths[index] = min(natural[index], left // (len(natural) - done))
        left -= widths[index]
    return widths


#: Width of a name in pixels above which it is elided.
MAX_NAME_WIDTH = 180

#: Lines of a full legend; with forty runs a complete one would be larger than the graph.
MAX_LINES = 3

#: Up to `MAX_LINES` lines, one line, or no legend.
LegendForm = Literal["full", "line", "none"]

#: Key of the entry with the number of curves left out; no curve has this key.
MORE_KEY = "+"

#: Keys equivalent to a click (Space) or a double click.
CLICK_KEYS = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)

LegendEntry = tuple[PlotCurve, QRect]

#: What an entry shows of a curve.
ENTRY_LOOK = attrgetter("key", "label", "colour", "dash", "emphasis", "sample_marker")


class PlotLegend(PaintedWidget):
    """Entries in a flow layout; a last entry with the number of those left out opens the list of all.

    Signals
    -------
    toggled(str)
        Click or Space on an entry: show or hide its curve.
    isolated(str)
        Double click, Alt or Ctrl+click, or Enter on an entry: show only its curve, or all again.
    hovered(str)
        Key of the entry under the mouse; "" when the mouse left.
    list_requested()
        Click, Space or Enter on the number of those left out.
    """

    toggled = Signal(str)
    isolated = Signal(str)
    hovered = Signal(str)
    list_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._curves: tuple[PlotCurve, ...] = ()
        self._hidden: frozenset[str] = frozenset()
        self._selected_key: str | None = None
        self._hovered_key = ""  # entry under the mouse
        self._highlighted_key = ""  # of the curve under the mouse in any view
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
        """List these curves."""
        if [curve.label for curve in curves] != [curve.label for curve in self._curves]:
            self._click_handler.cancel()
            self.updateGeometry()
        if [*map(ENTRY_LOOK, curves)] != [*map(ENTRY_LOOK, self._curves)]:
            self.update()
        self._curves = tuple(curves)
        self._focused = min(self._focused, len(self._curves))

    def set_state(self, hidden: Collection[str], selected_key: str | None) -> None:
        """Mark the hidden curves and the selected one."""
        if (frozenset(hidden), selected_key) != (self._hidden, self._selected_key):
            self._hidden, self._selected_key = frozenset(hidden), selected_key
            self.updateGeometry()
            self.update()
        names = ", ".join(
            f"{curve.label} (hidden)" if curve.key in self._hidden else curve.label for curve in self._curves
        )
        self.setAccessibleName(f"Legend: {names}")

    def set_hovered(self, key: str) -> None:
        """Highlight the entry of a curve, or the number of others if it has none; "" for none. Does not emit."""
        if key != self._highlighted_key:
            self._highlighted_key = key
            self.update()

    def set_one_line(self, one_line: bool) -> None:
        """Use one line: names are elided to a common width, and entries that do not fit are counted."""
        if one_line != self._is_one_line:
            self._is_one_line = one_line
            self.updateGeometry()
            self.update()

    def boxes(self, width: int | None = None) -> list[QRect]:
        """Boxes of the entries shown, for a widget of this width."""
        return [box for _, box in self._laid_out(width)[0]]

    def _laid_out(self, width: int | None = None) -> tuple[list[LegendEntry], QRect | None]:
        if not self._curves:
            return [], None
        metrics = QFontMetricsF(text_font(self.font(), 0.92))
        height = round(metrics.height()) + SPACE
        available = self.width() if width is None else width
        names = [min(round(metrics.horizontalAdvance(curve.label)) + 1, MAX_NAME_WIDTH) for curve in self._curves]
        more_width = round(metrics.horizontalAdvance(f"+{len(names)} more")) + 3 * SPACE
        count = entries_per_line(names, available, more_width) if self._is_one_line else len(names)
        indices = self._listed_indices(count)
        if self._is_one_line:
            spare = available - count * ENTRY_WIDTH - more_width * (count < len(names))
            boxes = flow_layout(shared_widths([names[index] for index in indices], spare), height, None)
        else:
            boxes = flow_layout(names, height, available)
            while count > 1 and not fits_in_lines(boxes, available, more_width if count < len(names) else 0):
                count -= 1
                indices = self._listed_indices(count)
                boxes = flow_layout([names[index] for index in indices], height, available)
        entries = [(self._curves[index], box) for index, box in zip(indices, boxes, strict=True)]
        is_complete = count == len(names)
        return entries, None if is_complete else QRect(boxes[-1].right() + 1, boxes[-1].top(), more_width, height)

    def _listed_indices(self, count: int) -> list[int]:
        """Indices of the `count` curves that have entries, ascending.

        The selected curve is included, all visible curves if they fit, and then the first ones, so that entries do
        not move when one is clicked.
        """
        indices = range(len(self._curves))
        visible = {index for index in indices if self._curves[index].key not in self._hidden}
        selected = {index for index in indices if self._curves[index].key == self._selected_key}
        fixed = selected | visible if len(selected | visible) <= count else selected
        first = [index for index in indices if index not in fixed][: count - len(fixed)]
        return sorted([*fixed, *first])

    def heightForWidth(self, width: int) -> int:
        """Height of the lines of entries."""
        boxes = self.boxes(width)
        return boxes[-1].bottom() + 1 if boxes else 0

    def hasHeightForWidth(self) -> bool:
        """True: entries are wrapped into lines."""
        return True

    def sizeHint(self) -> QSize:
        """Height of the lines of entries in the current width."""
        return QSize(200, self.heightForWidth(max(self.width(), 200)))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the entries and the number of those left out."""
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        entries, more_box = self._laid_out()
        for index, (curve, box) in enumerate(entries):
            self._draw_entry(painter, QRectF(box), curve, focused=self.hasFocus() and index == self._focused)
        if more_box is not None:
            self._draw_background(
                painter,
                QRectF(more_box),
                hovered=self._hovered_key == MORE_KEY or self._highlights_other(entries),
                focused=self.hasFocus() and self._focused >= len(entries),
            )
            text, font = f"+{len(self._curves) - len(entries)} more", text_font(self.font(), 0.92)
            put_text(painter, QRectF(more_box), text, self._theme.colour("accent"), CENTRE, font=font)

    def _highlights_other(self, entries: Sequence[LegendEntry]) -> bool:
        """Whether the highlighted curve is one of those without an entry."""
        listed = {curve.key for curve, _ in entries}
        return self._highlighted_key in {curve.key for curve in self._curves} - listed

    def _draw_background(self, painter: QPainter, box: QRectF, *, hovered: bool, focused: bool) -> None:
        if hovered or focused:
            painter.setPen(QPen(self._theme.colour("accent"), 1.5) if focused else Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("hover"))
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 3, 3)

    def _draw_entry(self, painter: QPainter, box: QRectF, curve: PlotCurve, *, focused: bool) -> None:
        is_hidden, is_selected = curve.key in self._hidden, curve.key == self._selected_key
        is_hovered = curve.key in (self._hovered_key, self._highlighted_key)
        self._draw_background(painter, box, hovered=is_hovered, focused=focused)
        left, centre_y = box.left() + 1.5 * SPACE, box.center().y()
        colour = self._theme.faint if is_hidden else None
        pen = curve_pen(curve, bold=is_selected, faded=is_hidden, colour=colour)
        draw_line_sample(painter, QPointF(left, centre_y), LINE_SAMPLE_WIDTH, pen, curve.sample_marker)
        font = text_font(self.font(), 0.92, bold=is_selected)
        font.setStrikeOut(is_hidden)
        ink, text = self._theme.colour("faint" if is_hidden else "ink"), QRectF(box)
        text.setLeft(left + LINE_SAMPLE_WIDTH + 1.5 * SPACE)
        put_text(painter, text, curve.label, ink, font=font, elide=Qt.TextElideMode.ElideMiddle)

    def key_at(self, point: QPointF) -> str:
        """Key of the curve whose entry is at a point; "" for none."""
        return "" if (key := self._key_at(point)) == MORE_KEY else key

    def _key_at(self, point: QPointF) -> str:
        entries, more_box = self._laid_out()
        if more_box is not None and more_box.contains(point.toPoint()):
            return MORE_KEY
        return next((curve.key for curve, box in entries if box.contains(point.toPoint())), "")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Show or hide the curve of the entry under the mouse, or open the list of all."""
        key = self._key_at(event.position())
        if event.button() != Qt.MouseButton.LeftButton or not key:
            return
        if key == MORE_KEY:
            self.list_requested.emit()
        else:
            visible = {curve.key for curve in self._curves} - self._hidden
            self._click_handler.press(key, event.modifiers(), is_last=visible == {key})

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Isolate the curve of the entry of the first click."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._click_handler.on_double_click()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Highlight the entry under the mouse."""
        self._hover(self._key_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """Highlight no entry."""
        self._hover("")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the focus between entries with arrow keys; Space and Enter act as click and double click."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}
        entries, more_box = self._laid_out()
        count = len(entries) + (more_box is not None)
        focused = min(self._focused, count - 1)
        if not entries or event.key() not in (*steps, *CLICK_KEYS):
            super().keyPressEvent(event)
        elif event.key() in steps:
            self._focused = (focused + steps[Qt.Key(event.key())]) % count
            self.update()
        elif focused == len(entries):
            self.list_requested.emit()
        else:
            signal = self.toggled if event.key() == Qt.Key.Key_Space else self.isolated
            signal.emit(entries[focused][0].key)

    def event(self, event: QEvent) -> bool:
        """Show the full name of the entry under the mouse as a tooltip."""
        if isinstance(event, QHelpEvent):
            key = self._key_at(QPointF(event.pos()))
            labels = {curve.key: curve.label for curve in self._curves}
            hint = "Click: show or hide in all graphs\nDouble click or Alt+click: show only this run, or all again"
            text = "List all runs" if key == MORE_KEY else f"{labels.get(key, '')}\n{hint}"
            QToolTip.showText(event.globalPos(), tooltip_text(text) if key else "", self)
            return True
        return super().event(event)

    def _hover(self, key: str) -> None:
        if key != self._hovered_key:
            self._hovered_key = key
            self.setCursor(Qt.CursorShape.PointingHandCursor if key else Qt.CursorShape.ArrowCursor)
            self.update()
            self.hovered.emit("" if key == MORE_KEY else key)


#: Size in pixels of the line sample before a name.
SAMPLE_SIZE = QSize(26, 14)

#: Maximum number of rows without scrolling.
MAX_ROWS = 16


class CurveListWidget(CheckListWidget):
    """List of curves with check boxes; clicks and keys emit signals, only the owner changes the check states.

    Signals
    -------
    toggled(str), isolated(str)
        See `CurveListPopup`.
    """

    toggled = Signal(str)
    isolated = Signal(str)

    def __init__(self) -> None:
        super().__init__("Runs in the graphs", Qt.TextElideMode.ElideMiddle)
        self._click_handler = CurveClickHandler(self)
        self._click_handler.toggled.connect(self.toggled)
        self._click_handler.isolated.connect(self.isolated)
        self.setIconSize(SAMPLE_SIZE)

    def event(self, event: QEvent) -> bool:
        """Override shortcuts of the window that are letters: they search in the list."""
        return overrides_letters(event) or super().event(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Isolate the curve of the first click."""
        self._click_handler.on_double_click()

    def turn(self, item: QListWidgetItem) -> None:
        """Show or hide a curve."""
        self.toggled.emit(item.data(KEY_ROLE))

    def enter(self, item: QListWidgetItem) -> None:
        """Isolate a curve."""
        self.isolated.emit(item.data(KEY_ROLE))

    def press(self, item: QListWidgetItem, modifiers: Qt.KeyboardModifier) -> None:
        """Show, hide or isolate the curve that was clicked."""
        key = item.data(KEY_ROLE)
        self._click_handler.press(key, modifiers & ISOLATE_MODIFIERS, is_last=self.checked_keys() == {key})


class CurveListPopup(CheckListPopup):
    """Pop-up with all curves next to a plot; closed by a click outside or Esc.

    Signals
    -------
    toggled(str)
        Click or Space on a curve: show or hide it.
    isolated(str)
        Double click, Alt or Ctrl+click, or Enter: show only this curve, or all again.
    show_all_requested()
        Show all curves.
    closed()
        The pop-up was closed and will be deleted.
    """

    toggled = Signal(str)
    isolated = Signal(str)
    show_all_requested = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__("curve_list_popup", parent)
        self.list = CurveListWidget()
        self.list.toggled.connect(self.toggled)
        self.list.isolated.connect(self.isolated)
        self.show_all_button = QPushButton("Show all", autoDefault=False)
        self.show_all_button.clicked.connect(self.show_all_requested)
        hint = PlainLabel("Space or click: show or hide\nEnter or double click: isolate", muted=True)
        self.lay_out(self.list, row_of((hint, 1), self.show_all_button))

    def set_curves(self, curves: Sequence[PlotCurve], hidden: Collection[str], selected_key: str | None) -> None:
        """List these curves; the visible ones are checked, the selected one is bold."""
        current = self.list.currentItem()
        current_key = selected_key if current is None else current.data(KEY_ROLE)
        self.list.clear()
        for curve in curves:
            item = self.list.add(curve.key, curve.label, curve.label)
            item.setIcon(_line_icon(curve, self.devicePixelRatioF()))
            if curve.key == current_key:
                self.list.setCurrentItem(item)
        self.set_state(hidden, selected_key)

    def set_state(self, hidden: Collection[str], selected_key: str | None) -> None:
        """Check the visible curves and mark the selected one."""
        faint, ink = current_theme().colour("faint"), current_theme().colour("ink")
        for key, item in self.list.items_by_key().items():
            is_hidden = key in hidden
            font = text_font(self.font(), bold=key == selected_key)
            font.setStrikeOut(is_hidden)
            item.setFont(font)
            item.setForeground(faint if is_hidden else ink)
            self.list.set_checked(item, not is_hidden)
        self.show_all_button.setEnabled(bool(hidden))

    def open_near(self, plot: QRect, anchor: QRect) -> None:
        """Open next to the plot, so that the effect of a check is visible, with the bottom aligned to the anchor.

        Parameters
        ----------
        plot, anchor : rectangles in screen coordinates; the anchor is the widget that was clicked.
        """
        self.fit_list(self.list, MAX_ROWS)
        size, available = self.sizeHint(), self.screen().availableGeometry()
        left = plot.left() - size.width()
        if left < available.left():
            left = min(plot.right() + 1, available.right() - size.width())
        top = min(max(anchor.bottom() - size.height(), available.top()), available.bottom() - size.height())
        self.move(left, max(top, available.top()))
        self.show()
        self.list.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        """Emit `closed`."""
        super().hideEvent(event)
        self.closed.emit()


def _line_icon(curve: PlotCurve, ratio: float) -> QIcon:
    """Sample of the curve's line and marker."""
    pixmap = QPixmap(SAMPLE_SIZE * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = curve_pen(curve)
    pen.setWidthF(2.0)
    start = QPointF(0, SAMPLE_SIZE.height() // 2)
    draw_line_sample(painter, start, SAMPLE_SIZE.width(), pen, curve.sample_marker)
    painter.end()
    return QIcon(pixmap)
