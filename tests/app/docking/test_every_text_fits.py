"""No text of the window is cut off, no widget overlaps another one, and every button has a name for screen readers."""

from dataclasses import replace
from itertools import combinations

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QComboBox,
    QDockWidget,
    QLabel,
    QLineEdit,
    QMainWindow,
    QSpinBox,
    QStackedWidget,
    QToolButton,
    QWidget,
)
from sessions import settle
from shared_windows import SharedWindow
from windows import a_window, open_in_window, wait_for_layout

from shrec_viewer.panels import PANELS, PERSPECTIVES
from shrec_viewer.resources import resource
from shrec_viewer.widgets.controls.controls import ElidingLabel, SummaryLabel
from shrec_viewer.widgets.controls.plain_text import without_mnemonic
from shrec_viewer.widgets.style.theme import apply_text_size

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

OWN_PARTS = ("qt_spinbox_lineedit", "ScrollLeftButton", "ScrollRightButton", "qt_toolbar_ext_button")
"""Internal parts of Qt's widgets."""


@pytest.fixture(scope="module", params=[75, 200])
def shared(request, qapp, module_qtbot):
    """The demo with the smallest and the largest text size, in the smallest supported window."""
    for window in a_window(qapp, module_qtbot, size=(1278, 743)):
        open_in_window(window, resource("demo"), module_qtbot)
        window.change_settings(replace(window.settings, text_size=request.param))
        wait_for_layout(module_qtbot)
        yield SharedWindow(window, module_qtbot)
    apply_text_size(qapp, 100)


@pytest.fixture
def window(shared, qtbot):
    return shared.reset(qtbot)


def described(widget):
    text = widget.accessibleName() or getattr(widget, "text", str)()
    return f"{type(widget).__name__} '{text[:40]}' in {type(widget.parentWidget()).__name__}"


def lines_width(widget, text):
    return max(widget.fontMetrics().horizontalAdvance(line) for line in text.split("\n"))


def faults_of(widget):
    """What is wrong with a widget: no name, or a text that is cut off."""
    line = widget.fontMetrics().height()
    if isinstance(widget, QAbstractButton):
        shows_icon = isinstance(widget, QToolButton) and not widget.icon().isNull()
        text = "" if shows_icon and widget.width() < line + lines_width(widget, widget.text()) else widget.text()
        if not QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name).strip():
            yield "has no accessible name"
        if text and widget.width() < lines_width(widget, without_mnemonic(text)):
            yield f"has a width of {widget.width()} for '{text}'"
        if widget.text() and widget.height() < line - 1:
            yield f"has a height of {widget.height()} for lines of {line}"
    elif isinstance(widget, QLabel) and widget.text() and not isinstance(widget, ElidingLabel | SummaryLabel):
        text = without_mnemonic(widget.text())
        least = widget.heightForWidth(widget.width()) if widget.wordWrap() else line
        if not widget.wordWrap() and widget.contentsRect().width() < lines_width(widget, text):
            yield f"has a width of {widget.contentsRect().width()} for its text"
        if widget.height() < least - 1:
            yield f"has a height of {widget.height()} instead of {least}"
    elif isinstance(widget, QComboBox | QLineEdit | QSpinBox) and widget.height() < line:
        yield f"has a height of {widget.height()} for lines of {line}"
    parent = widget.parentWidget()
    scrolls = isinstance(parent.parentWidget(), QAbstractScrollArea)
    is_control = isinstance(widget, QAbstractButton | QLabel | QComboBox | QLineEdit)
    if is_control and not scrolls and not parent.rect().adjusted(-1, -1, 1, 1).contains(widget.geometry()):
        yield "is partly outside"


def overlaps(parent):
    """Pairs of widgets in one layout that overlap."""
    if isinstance(parent, QMainWindow | QDockWidget | QStackedWidget) or not parent.isVisible():
        return  # Qt replaces their layouts, whose Python objects would crash later (PySide6 6.10)
    layout = parent.layout()
    if layout is None:
        return
    parts = [part for part in parent.children() if isinstance(part, QWidget) and part.isVisible()]
    placed = [part for part in parts if layout.indexOf(part) >= 0]
    for one, other in combinations(placed, 2):
        common = one.geometry().intersected(other.geometry())
        if common.width() > 1 and common.height() > 1:
            yield f"{described(one)} overlaps {described(other)}"


def faults(window):
    """Everything that is wrong with the visible widgets of a window."""
    found = []
    for widget in window.findChildren(QWidget):
        if widget.isVisible() and widget.window() is window and widget.objectName() not in OWN_PARTS:
            found += overlaps(widget)
            if not widget.visibleRegion().isEmpty():
                found += [f"{described(widget)} {fault}" for fault in faults_of(widget)]
    return found


def assert_no_faults(window, qtbot):
    def has_none():
        assert faults(window) == []

    settle(window.session, qtbot)
    qtbot.waitUntil(has_none)


@pytest.mark.parametrize("perspective", [row.key for row in PERSPECTIVES])
def test_perspectives(window, qtbot, perspective):
    window.session.select(compared=1)
    window.workspace.show_perspective(perspective)
    qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)
    assert_no_faults(window, qtbot)


def test_panels(window, qtbot, subtests):
    window.workspace.show_perspective("campaign")
    for row in PANELS:
        with subtests.test(panel=row.key):
            window.workspace.show_panel(row.key)
            assert_no_faults(window, qtbot)


def test_status_bar_with_a_task_and_a_message(window, qtbot):
    def work(task):
        while not task.wait(0.05):
            task.progress(41, 96, "page")

    window.session.tasks.run("some", work, title="Contest site")
    window.session.written.emit("Contest site written: 61 pages in /somewhere/in/a/folder/of/some/length", "/somewhere")
    bar = window.statusBar().busy
    qtbot.waitUntil(lambda: bar.isVisible() and "page 41" in bar.accessibleName())
    qtbot.waitUntil(lambda: faults(window) == [])
    window.session.tasks.stop("some")
