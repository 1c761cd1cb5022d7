"""The legend of a plot: a row of line samples with names that shows, hides and isolates curves."""

from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from shrec_viewer.widgets.plot_curve import PlotCurve
from shrec_viewer.widgets.plot_marks import DOT, draw_marker
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme, text_font

SAMPLE = 22
"""Pixels of line shown: one and a half periods of the longest dash."""

LONGEST = 180
"""Pixels after which a name is cut."""

MORE_ROOM = 34
"""Pixels for the number of entries left out: a sign and three digits."""

SHORTEST = 38
"""Pixels of a name below which an entry says nothing: five letters; then fewer entries are shown."""

LegendForm = Literal["full", "line", "none"]
"""As many lines as it takes, one line, or no legend."""

Entry = tuple[PlotCurve, QRect]


class PlotLegend(QWidget):
    """Entries that flow into as many lines as the width asks for.

    Signals
    -------
    toggled(str)
        Click or Space on an entry: show or hide that curve.
    isolated(str)
        Double click, Ctrl+click or Enter on an entry: show that curve only, or all again.
    hovered(str)
        The mouse is over this entry; "" when it left.
    """

    toggled = Signal(str)
    isolated = Signal(str)
    hovered = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._curves: tuple[PlotCurve, ...] = ()
        self._hidden: frozenset[str] = frozenset()
        self._lifted: str | None = None
        self._over = ""
        self._focused = 0
        self._is_one_line = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(self.tr("Legend"))

    def set_curves(self, curves: Sequence[PlotCurve]) -> None:
        """List these."""
        self._curves = tuple(curves)
        self._focused = min(self._focused, max(0, len(self._curves) - 1))
        self.setAccessibleName(self.tr("Legend: {names}").format(names=", ".join(curve.label for curve in curves)))
        self.updateGeometry()
        self.update()

    def set_state(self, hidden: Collection[str], lifted: str | None) -> None:
        """Show which curves are hidden and which one is lifted."""
        self._hidden, self._lifted = frozenset(hidden), lifted
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
        """Where each entry is, for a widget of this width; in one line maybe not all of them."""
        return [box for _, box in self._entries(width)]

    def _entries(self, width: int | None = None) -> list[Entry]:
        metrics = QFontMetricsF(text_font(self.font(), 0.92))
        height = round(metrics.height()) + SPACE
        room = self.width() if width is None else width
        names = [min(round(metrics.horizontalAdvance(curve.label)) + 1, LONGEST) for curve in self._curves]
        curves = list(self._curves)
        if self._is_one_line:
            curves, names = self._one_line(names, room)
        found, x, y = [], 0, 0
        for curve, name in zip(curves, names, strict=True):
            needed = name + SAMPLE + 4 * SPACE
            if x and x + needed > room and not self._is_one_line:
                x, y = 0, y + height
            found.append((curve, QRect(x, y, needed, height)))
            x += needed
        return found

    def _one_line(self, names: list[int], room: int) -> tuple[list[PlotCurve], list[int]]:
        """Curves that have entries in a line of `room` pixels, the lifted one among them, and widths of their names."""
        curves, widths = list(self._curves), names
        each = SAMPLE + 4 * SPACE
        if sum(names) + each * len(names) > room:
            least = [min(name, SHORTEST) + each for name in names]
            fitting = len(names)
            if sum(least) > room:
                fitting = max(1, sum(total <= room - MORE_ROOM for total in accumulate(least)))
            places = list(range(len(names)))
            lifted = next((place for place in places if curves[place].key == self._lifted), -1)
            if lifted >= fitting:
                places.insert(fitting - 1, places.pop(lifted))
            curves = [curves[place] for place in places[:fitting]]
            left_out = len(names) - fitting
            widths = _shared(
                [names[place] for place in places[:fitting]], room - fitting * each - MORE_ROOM * bool(left_out)
            )
        return curves, widths

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
        entries = self._entries()
        focused = self._curves[self._focused] if self._curves and self.hasFocus() else None
        for curve, box in entries:
            self._draw_entry(painter, QRectF(box), curve, focused=curve is focused)
        if len(entries) < len(self._curves):
            painter.setFont(text_font(self.font(), 0.92))
            painter.setPen(self._theme.colour("muted"))
            rest = QRectF(entries[-1][1]).adjusted(entries[-1][1].width() + SPACE, 0, MORE_ROOM, 0)
            painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter, f"+{len(self._curves) - len(entries)}")

    def _draw_entry(self, painter: QPainter, box: QRectF, curve: PlotCurve, *, focused: bool) -> None:
        is_hidden, is_lifted = curve.key in self._hidden, curve.key == self._lifted
        if curve.key == self._over or focused:
            painter.setPen(QPen(self._theme.colour("accent"), 1.5) if focused else Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("hover"))
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 3, 3)
        left, middle = box.left() + 1.5 * SPACE, box.center().y()
        colour = self._theme.faint if is_hidden else None
        painter.setPen(curve.pen(lifted=is_lifted, faded=is_hidden, colour=colour))
        painter.drawLine(QPointF(left, middle), QPointF(left + SAMPLE, middle))
        if curve.marker or curve.dotted:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("faint") if is_hidden else curve.shade)
            draw_marker(painter, QPointF(left + SAMPLE / 2, middle), curve.marker or "circle", DOT)
        font = text_font(self.font(), 0.92, strong=is_lifted)
        font.setStrikeOut(is_hidden)
        painter.setFont(font)
        painter.setPen(self._theme.colour("faint" if is_hidden else "ink"))
        text = QRectF(left + SAMPLE + 1.5 * SPACE, box.top(), box.right() - left - SAMPLE - 1.5 * SPACE, box.height())
        shown = QFontMetricsF(font).elidedText(curve.label, Qt.TextElideMode.ElideMiddle, text.width())
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)

    def _key_at(self, point: QPointF) -> str:
        for curve, box in self._entries():
            if box.contains(point.toPoint()):
                return curve.key
        return ""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        key = self._key_at(event.position())
        if key and event.button() == Qt.MouseButton.LeftButton:
            alone = event.modifiers() & Qt.KeyboardModifier.ControlModifier
            (self.isolated if alone else self.toggled).emit(key)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        key = self._key_at(event.position())
        if key and event.button() == Qt.MouseButton.LeftButton:
            self.isolated.emit(key)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        self._hover(self._key_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """Qt override."""
        self._hover("")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}
        if not self._curves:
            super().keyPressEvent(event)
        elif event.key() in steps:
            self._focused = (self._focused + steps[Qt.Key(event.key())]) % len(self._curves)
            self.update()
        elif event.key() == Qt.Key.Key_Space:
            self.toggled.emit(self._curves[self._focused].key)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.isolated.emit(self._curves[self._focused].key)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Qt override; the whole name of an entry, and what can be done with it."""
        if isinstance(event, QHelpEvent):
            key = self._key_at(QPointF(event.pos()))
            labels = {curve.key: curve.label for curve in self._curves}
            hint = self.tr("click: show or hide; double or Ctrl+click: this one only")
            QToolTip.showText(event.globalPos(), f"{labels[key]}\n{hint}" if key else "", self)
            return True
        return super().event(event)

    def _hover(self, key: str) -> None:
        if key != self._over:
            self._over = key
            self.setCursor(Qt.CursorShape.PointingHandCursor if key else Qt.CursorShape.ArrowCursor)
            self.update()
            self.hovered.emit(key)


def _shared(wanted: list[int], room: int) -> list[int]:
    """Widths that fit into `room`: the short names whole, the long ones cut to one width."""
    left, shares = max(0, room), list(wanted)
    for done, place in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        shares[place] = min(wanted[place], left // (len(wanted) - done))
        left -= shares[place]
    return shares
