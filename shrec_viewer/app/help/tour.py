"""Tour of the window on the demo: a bubble with text next to the control that it describes."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QCursor, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from shrec_viewer.app.help.tour_steps import TOUR_STEPS, prepare_step, step_target, step_texts
from shrec_viewer.app.window.opening import is_demo
from shrec_viewer.widgets.controls.layouts import Stretch, column_of, row_of
from shrec_viewer.widgets.controls.plain_text import PlainLabel
from shrec_viewer.widgets.style.theme import RADIUS, SPACE, current_theme, text_font

if TYPE_CHECKING:
    from shrec_viewer.viewmodels.session.document import Document

#: Width of the bubble in average characters: lines that are easy to read.
LINE_LENGTH = 44

#: Distance of the bubble from the control, in pixels.
GAP = 3 * SPACE

#: Least distance of the bubble from the edges of the window, in pixels.
MARGIN = 2 * SPACE

#: Width of the outline of the control in pixels.
OUTLINE = 3

#: Milliseconds between two updates of the position: docks are moved, resized, covered and filled later.
FOLLOW_INTERVAL_MS = 100


class TourOutline(QWidget):
    """Outline of the control that is described; passes all mouse events on."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("tour_outline")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the outline."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(current_theme().colour("accent"), OUTLINE))
        edge = OUTLINE // 2 + 1
        painter.drawRoundedRect(self.rect().adjusted(edge, edge, -edge, -edge), RADIUS, RADIUS)


class TourBubble(QFrame):
    """Title, text and buttons of one step.

    Signals
    -------
    next_requested(), back_requested(), start_over_requested(), skip_requested()
        A button was clicked; Esc skips.
    """

    next_requested = Signal()
    back_requested = Signal()
    start_over_requested = Signal()
    skip_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("tour_bubble")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.title, self.text, self.count = PlainLabel(), PlainLabel(wraps=True), PlainLabel(muted=True)
        self.next, self.back = QPushButton("Next"), QPushButton("Back")
        self.start_over, self.skip = QPushButton("Start over"), QPushButton("Skip the tour")
        self.next.clicked.connect(self.next_requested)
        self.back.clicked.connect(self.back_requested)
        self.start_over.clicked.connect(self.start_over_requested)
        self.skip.clicked.connect(self.skip_requested)
        self.next.setProperty("primary", True)
        for button in (self.next, self.back, self.start_over, self.skip):
            button.setAutoDefault(True)  # Return presses the button with the focus
        header = row_of((self.title, 1), self.count)
        buttons = row_of(self.skip, Stretch(), self.start_over, self.back, self.next)
        margins = (4 * SPACE, 3 * SPACE, 4 * SPACE, 3 * SPACE)
        self.setLayout(column_of(header, self.text, SPACE, buttons, spacing=2 * SPACE, margins=margins))
        self.hide()

    def set_step(self, index: int, *, resumed: bool) -> None:
        """Show the texts of a step of `TOUR_STEPS`.

        Parameters
        ----------
        resumed : whether the tour goes on with this step, and can be started over.
        """
        heading = TOUR_STEPS[index].heading
        self.title.setFont(text_font(self.font(), 1.15, bold=True))
        self.title.setText(heading)
        self.text.setText(step_texts()[heading])
        self.count.setText(f"{index + 1} of {len(TOUR_STEPS)}")
        self.back.setVisible(index > 0 and not resumed)
        self.start_over.setVisible(resumed)
        is_last = index == len(TOUR_STEPS) - 1
        self.next.setText("Finish" if is_last else "Next")
        self.skip.setVisible(not is_last)
        self.setAccessibleName(f"Tour, step {index + 1} of {len(TOUR_STEPS)}: {heading}")
        self.setAccessibleDescription(self.text.text())

    def update_hover(self) -> None:
        """Update which button is under the mouse.

        Qt 6.10 sends no event to a button that is moved away from the mouse, and none to a button that was moved under
        it when the mouse leaves.
        """
        for button in (self.next, self.back, self.start_over, self.skip):
            is_inside = button.rect().contains(button.mapFromGlobal(QCursor.pos()))
            if is_inside != button.underMouse():
                button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, is_inside)
                button.update()

    def preferred_size(self) -> QSize:
        """Size for the current text; the height follows from the wrapped lines."""
        layout = self.layout()
        assert layout is not None
        layout.activate()
        lines = round(QFontMetricsF(self.font()).averageCharWidth() * LINE_LENGTH)
        width = max(lines, layout.totalMinimumSize().width())
        return QSize(width, max(self.heightForWidth(width), layout.totalMinimumHeightForWidth(width)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc skips the tour."""
        if event.key() == Qt.Key.Key_Escape:
            self.skip_requested.emit()
        else:
            super().keyPressEvent(event)


class Tour(QObject):
    """Leads through `TOUR_STEPS` in the main window, on the demo, which it opens.

    The step is stored in the settings: the tour goes on there when it is started again.

    Parameters
    ----------
    window : the assembled `MainWindow`.
    """

    def __init__(self, window: Any) -> None:
        super().__init__(window)
        self._window = window
        self._index = 0
        self._is_resumed = False
        self._is_opening = False
        self._shown_at: QRect | None = None
        self.outline, self.bubble = TourOutline(window), TourBubble(window)
        self.bubble.next_requested.connect(self._next)
        self.bubble.back_requested.connect(self._back)
        self.bubble.start_over_requested.connect(self._start_over)
        self.bubble.skip_requested.connect(self.stop)
        self._follow_timer = QTimer(self, interval=FOLLOW_INTERVAL_MS)
        self._follow_timer.timeout.connect(self._follow)
        window.session.changed.connect(self._follow_session)
        window.session.failed.connect(self._give_up)

    @property
    def step(self) -> int | None:
        """Index of the step that is shown; None while the tour is not running."""
        return self._index if self.bubble.isVisible() else None

    def start(self) -> None:
        """Show the step that was left last, or the first one; opens the demo if it is not open."""
        headings = [step.heading for step in TOUR_STEPS]
        left = self._window.settings.tour_step
        self._index = headings.index(left) if left in headings else 0
        self._is_resumed = self._index > 0
        if self._has_demo():
            self._show()
        else:
            self._is_opening = True
            self._window.open_demo()

    @Slot()
    def stop(self) -> None:
        """Hide the tour; the step is kept in the settings."""
        self._is_opening = False
        self._follow_timer.stop()
        self.bubble.hide()
        self.outline.hide()
        if self._window.workspace is not None and self._has_demo():
            self._window.workspace.focus_centre()

    def _has_demo(self) -> bool:
        path = self._window.session.path
        return self._window.session.is_open and path is not None and is_demo(path)

    @Slot(object, object)
    def _follow_session(self, old: "Document", new: "Document") -> None:
        """Begin when the demo is open; stop when another benchmark is opened."""
        if self._is_opening and self._has_demo():
            self._is_opening = False
            self._show()
        elif self.bubble.isVisible() and not self._has_demo():
            self.stop()

    @Slot(str, str)
    def _give_up(self, _text: str, _details: str) -> None:
        self._is_opening = False

    @Slot()
    def _next(self) -> None:
        if self._index == len(TOUR_STEPS) - 1:
            self._store("")
            self.stop()
        else:
            self._go_to(self._index + 1)

    @Slot()
    def _back(self) -> None:
        self._go_to(max(self._index - 1, 0))

    @Slot()
    def _start_over(self) -> None:
        self._go_to(0)

    def _go_to(self, index: int) -> None:
        self._index, self._is_resumed = index, False
        self._show()

    def _store(self, heading: str) -> None:
        self._window.save_settings(replace(self._window.settings, tour_step=heading))

    def _show(self) -> None:
        step = TOUR_STEPS[self._index]
        self._store(step.heading if self._index else "")
        prepare_step(self._window, step)
        self.bubble.set_step(self._index, resumed=self._is_resumed)
        self._shown_at = None
        self._follow()
        self.bubble.show()
        self.bubble.next.setFocus()
        self._follow_timer.start()

    @Slot()
    def _follow(self) -> None:
        """Move outline and bubble to the control; the outline is hidden while the control is."""
        found = step_target(self._window, TOUR_STEPS[self._index])
        area = QRect()
        if found is not None and found[0].window() is self._window:
            area = QRect(self._window.mapFromGlobal(found[1].topLeft()), found[1].size())
        inside = self._window.rect().adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        size = self.bubble.preferred_size()
        position = QRect(bubble_position(area, size, inside), size)
        if area == self._shown_at and position == self.bubble.geometry():
            self.bubble.update_hover()
            return
        self._shown_at = area
        self.outline.setVisible(not area.isEmpty())
        self.outline.setGeometry(area.adjusted(-OUTLINE, -OUTLINE, OUTLINE, OUTLINE).intersected(self._window.rect()))
        self.bubble.setGeometry(position)
        self.bubble.update_hover()
        self.outline.raise_()
        self.bubble.raise_()


def bubble_position(area: QRect, size: QSize, inside: QRect) -> QPoint:
    """Top left corner of the bubble: next to a control, else in its lower right corner; centred without a control.

    Parameters
    ----------
    area : of the control; empty if it is not visible.
    size : of the bubble.
    inside : where it may be.
    """
    centred = QRect(QPoint(), size)
    if area.isEmpty():
        centred.moveCenter(inside.center())
        return centred.topLeft()
    side_y = min(max(area.top(), inside.top()), inside.bottom() - size.height() + 1)
    stack_x = min(max(area.left(), inside.left()), inside.right() - size.width() + 1)
    sideways = (QPoint(area.right() + 1 + GAP, side_y), QPoint(area.left() - GAP - size.width(), side_y))
    stacked = (QPoint(stack_x, area.bottom() + 1 + GAP), QPoint(stack_x, area.top() - GAP - size.height()))
    for position in (*stacked, *sideways) if area.width() > area.height() else (*sideways, *stacked):
        if inside.contains(QRect(position, size)):
            return position
    corner = area.intersected(inside).bottomRight() - QPoint(size.width() + GAP, size.height() + GAP)
    return QPoint(max(corner.x(), inside.left()), max(corner.y(), inside.top()))
