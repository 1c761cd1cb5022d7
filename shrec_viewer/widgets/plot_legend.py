"""The legend of a plot: line samples with names, on which curves are shown, hidden and isolated."""

from collections.abc import Collection, Sequence
from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from shrec_viewer.widgets.plot_choosing import Choosing
from shrec_viewer.widgets.plot_curve import PlotCurve
from shrec_viewer.widgets.plot_legend_lines import EACH, SAMPLE, count_in_line, fits, flowed, shared
from shrec_viewer.widgets.plot_marks import DOT, draw_marker
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme, text_font

LONGEST = 180
"""Pixels after which a name is cut."""

MOST_LINES = 3
"""Lines of a full legend: with forty runs more of them would be legend than graph."""

LegendForm = Literal["full", "line", "none"]
"""As many lines as it takes up to `MOST_LINES`, one line, or no legend."""

REST = "+"
"""Stands for the number of entries left out where a key of a curve could; curves have other keys."""

DOING = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)
"""Keys that do what a click or a double click does."""

Entry = tuple[PlotCurve, QRect]


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
    rest_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._curves: tuple[PlotCurve, ...] = ()
        self._hidden: frozenset[str] = frozenset()
        self._lifted: str | None = None
        self._over = ""
        self._focused = 0
        self._is_one_line = False
        self._choosing = Choosing(self)
        self._choosing.toggled.connect(self.toggled)
        self._choosing.isolated.connect(self.isolated)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(self.tr("Legend"))

    def set_curves(self, curves: Sequence[PlotCurve]) -> None:
        """List these."""
        self._curves = tuple(curves)
        self._focused = min(self._focused, len(self._curves))
        self.updateGeometry()
        self.update()

    def set_state(self, hidden: Collection[str], lifted: str | None) -> None:
        """Show which curves are hidden and which one is lifted."""
        self._hidden, self._lifted = frozenset(hidden), lifted
        names = ", ".join(
            self.tr("{name} (hidden)").format(name=curve.label) if curve.key in self._hidden else curve.label
            for curve in self._curves
        )
        self.setAccessibleName(self.tr("Legend: {names}").format(names=names))
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

    def _placed(self, width: int | None = None) -> tuple[list[Entry], QRect | None]:
        if not self._curves:
            return [], None
        metrics = QFontMetricsF(text_font(self.font(), 0.92))
        height = round(metrics.height()) + SPACE
        room = self.width() if width is None else width
        names = [min(round(metrics.horizontalAdvance(curve.label)) + 1, LONGEST) for curve in self._curves]
        rest = round(metrics.horizontalAdvance(self._rest_words(len(names)))) + 3 * SPACE
        count = count_in_line(names, room, rest) if self._is_one_line else len(names)
        places = self._chosen(count)
        if self._is_one_line:
            spare = room - count * EACH - rest * (count < len(names))
            boxes = flowed(shared([names[place] for place in places], spare), height, None)
        else:
            boxes = flowed(names, height, room)
            while count > 1 and not fits(boxes, room, rest if count < len(names) else 0):
                count -= 1
                places = self._chosen(count)
                boxes = flowed([names[place] for place in places], height, room)
        entries = [(self._curves[place], box) for place, box in zip(places, boxes, strict=True)]
        left_out = count < len(names)
        return entries, QRect(boxes[-1].right() + 1, boxes[-1].top(), rest, height) if left_out else None

    def _chosen(self, count: int) -> list[int]:
        """Places of the curves that have entries, ascending: the first ones, so that none jumps when it is clicked.

        The lifted one is among them, and all that are shown where there is room for those.
        """
        places = range(len(self._curves))
        shown = {place for place in places if self._curves[place].key not in self._hidden}
        lifted = {place for place in places if self._curves[place].key == self._lifted}
        wanted = lifted | shown if len(lifted | shown) <= count else lifted
        first = [place for place in places if place not in wanted][: count - len(wanted)]
        return sorted([*wanted, *first])

    def _rest_words(self, number: int) -> str:
        return self.tr("+{n} more").format(n=number)

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
                over=self._over == REST,
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
        is_hidden, is_lifted = curve.key in self._hidden, curve.key == self._lifted
        self._draw_ground(painter, box, over=curve.key == self._over, focused=focused)
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

    def key_at(self, point: QPointF) -> str:
        """Key of the curve whose entry is at a point; "" for none."""
        return "" if (key := self._key_at(point)) == REST else key

    def _key_at(self, point: QPointF) -> str:
        entries, rest = self._placed()
        if rest is not None and rest.contains(point.toPoint()):
            return REST
        return next((curve.key for curve, box in entries if box.contains(point.toPoint())), "")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        key = self._key_at(event.position())
        if event.button() != Qt.MouseButton.LeftButton or not key:
            return
        if key == REST:
            self.rest_wanted.emit()
        else:
            shown = {curve.key for curve in self._curves} - self._hidden
            self._choosing.press(key, event.modifiers(), is_last=shown == {key})

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._choosing.press_again()

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
        if not entries or event.key() not in (*steps, *DOING):
            super().keyPressEvent(event)
        elif event.key() in steps:
            self._focused = (focused + steps[Qt.Key(event.key())]) % places
            self.update()
        elif focused == len(entries):
            self.rest_wanted.emit()
        else:
            told = self.toggled if event.key() == Qt.Key.Key_Space else self.isolated
            told.emit(entries[focused][0].key)

    def event(self, event: QEvent) -> bool:
        """Qt override; the whole name of an entry, and what can be done with it."""
        if isinstance(event, QHelpEvent):
            key = self._key_at(QPointF(event.pos()))
            labels = {curve.key: curve.label for curve in self._curves}
            hint = self.tr("click: show or hide in all graphs; double or Alt+click: this one only, or all again")
            said = self.tr("All runs, to show and hide") if key == REST else f"{labels.get(key, '')}\n{hint}"
            QToolTip.showText(event.globalPos(), said if key else "", self)
            return True
        return super().event(event)

    def _hover(self, key: str) -> None:
        if key != self._over:
            self._over = key
            self.setCursor(Qt.CursorShape.PointingHandCursor if key else Qt.CursorShape.ArrowCursor)
            self.update()
            self.hovered.emit("" if key == REST else key)
