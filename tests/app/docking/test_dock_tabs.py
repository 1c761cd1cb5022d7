"""Tabbed docks are dragged, floated and closed by mouse and keyboard."""

from itertools import groupby

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QTabBar, QToolButton, QWidget
from sessions import settle
from shared_windows import a_shared_window

from shrec_viewer.app.docking.workspace import focused_panel, visible_panels
from shrec_viewer.panels import panels_by_key
from shrec_viewer.resources import resource
from shrec_viewer.widgets.style.theme import current_theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

LEFT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot):
    yield from a_shared_window(qapp, module_qtbot, resource("demo"))


def tab(window, key):
    """The tab bar of a dock, and the centre of its tab."""
    dock = window.workspace.dock(key)
    for bar in window.workspace.perspective_window.findChildren(
        QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly
    ):
        for place in range(bar.count()) if bar.isVisible() else ():
            if bar.tabText(place) == dock.windowTitle():
                return bar, bar.tabRect(place).center()
    raise AssertionError(f"{key} has no tab")


def a_tabbed(window):
    """Key of a dock that is covered by another tab."""
    perspective_window = window.workspace.perspective_window
    return next(
        k
        for k, d in perspective_window.docks().items()
        if not d.isHidden() and not d.isFloating() and perspective_window.tabifiedDockWidgets(d)
    )


def move(widget, place):
    """Mouse event with the left button pressed, at a position on the screen."""
    local = QPointF(widget.mapFromGlobal(place))
    event = QMouseEvent(
        QEvent.Type.MouseMove, local, QPointF(place), Qt.MouseButton.NoButton, LEFT, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(widget, event)


def pulled(window, key):
    """The dock of a tab that was dragged out, with the button still pressed."""
    bar, point = tab(window, key)
    QTest.mousePress(bar, LEFT, pos=point)
    move(bar, bar.mapToGlobal(point + QPoint(4, 4)))
    assert not window.workspace.dock(key).isFloating()
    move(bar, bar.mapToGlobal(point + QPoint(0, 90)))
    dock = window.workspace.dock(key)
    assert dock.isFloating()
    assert QWidget.mouseGrabber() is dock
    return dock


def test_tab_dragged_out_floats_and_follows_the_mouse(opened):
    key = a_tabbed(opened)
    dock = pulled(opened, key)
    outside = opened.mapToGlobal(QPoint(opened.width() + 60, 90))
    move(dock, outside)
    assert dock.geometry().contains(outside)
    QTest.mouseRelease(dock, LEFT, pos=dock.mapFromGlobal(outside))
    assert QWidget.mouseGrabber() is None
    assert dock.isFloating()
    assert dock.isVisible()


def test_tab_dropped_on_another_dock_becomes_a_tab_there(opened):
    key = a_tabbed(opened)
    perspective_window = opened.workspace.perspective_window
    target = next(d for k, d in perspective_window.docks().items() if k != key and not d.visibleRegion().isEmpty()
                  and d not in perspective_window.tabifiedDockWidgets(opened.workspace.dock(key)))  # fmt: skip
    dock = pulled(opened, key)
    place = perspective_window.mapToGlobal(target.geometry().center())
    move(dock, place)
    assert perspective_window.tabs._frame.geometry() == target.geometry()
    QTest.mouseRelease(dock, LEFT, pos=dock.mapFromGlobal(place))
    assert not dock.isFloating()
    assert target in perspective_window.tabifiedDockWidgets(dock)
    assert not dock.visibleRegion().isEmpty()


@pytest.mark.parametrize("area", ["Left", "Right", "Bottom"])
def test_tab_dropped_at_an_edge_moves_to_that_area(opened, area):
    perspective_window = opened.workspace.perspective_window
    dock = pulled(opened, a_tabbed(opened))
    room = perspective_window.rect()
    point = {
        "Left": QPoint(4, room.center().y()),
        "Right": QPoint(room.right() - 4, room.center().y()),
        "Bottom": QPoint(room.center().x(), room.bottom() - 4),
    }[area]
    move(dock, perspective_window.mapToGlobal(point))
    assert perspective_window.tabs._frame.isVisible()
    QTest.mouseRelease(dock, LEFT, pos=dock.mapFromGlobal(perspective_window.mapToGlobal(point)))
    assert not perspective_window.tabs._frame.isVisible()
    assert not dock.isFloating()
    assert perspective_window.dockWidgetArea(dock).name == f"{area}DockWidgetArea"


def test_dock_hidden_during_a_drag_releases_the_mouse(opened):
    dock = pulled(opened, a_tabbed(opened))
    dock.hide()
    assert QWidget.mouseGrabber() is None


def test_tabs_can_be_reordered(opened):
    bar, _ = tab(opened, a_tabbed(opened))
    assert bar.isMovable()
    assert bar.count() > 1
    before = [bar.tabText(place) for place in range(bar.count())]
    first, second = (bar.tabRect(place).center() for place in (0, 1))
    QTest.mousePress(bar, LEFT, pos=first)
    for step in range(1, 11):
        move(bar, bar.mapToGlobal(first + (second - first) * step / 5))
    QTest.mouseRelease(bar, LEFT, pos=first + (second - first) * 2)
    QTest.qWait(400)
    assert [bar.tabText(place) for place in range(bar.count())] != before


def test_double_click_floats_a_tab_and_middle_click_closes_it(opened):
    key = a_tabbed(opened)
    bar, point = tab(opened, key)
    QTest.mouseDClick(bar, LEFT, pos=point)
    assert opened.workspace.dock(key).isFloating()
    other = a_tabbed(opened)
    bar, point = tab(opened, other)
    QTest.mouseClick(bar, MIDDLE, pos=point)
    assert opened.workspace.dock(other).isHidden()


def test_tab_menu_floats_and_closes(opened, qtbot):
    key = a_tabbed(opened)
    bar, point = tab(opened, key)
    QApplication.sendEvent(bar, _menu_event(bar, point))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    title = opened.workspace.dock(key).windowTitle()
    texts = [action.text().replace("&", "") for action in menu.actions() if action.text()]
    assert texts == [f"Float {title}", f"Close {title}", "Copy", "Export…", "Copy as command"]
    qtbot.keyClick(menu, Qt.Key.Key_Down)
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    assert opened.workspace.dock(key).isFloating()


def _menu_event(bar, point):
    from PySide6.QtGui import QContextMenuEvent

    return QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, bar.mapToGlobal(point))


def choose(title_bar, text, qtbot):
    """Click an entry of the menu that the button of a title bar opens."""
    qtbot.mouseClick(title_bar.findChild(QToolButton), LEFT)
    menu = QApplication.activePopupWidget()
    action = next(action for action in menu.actions() if action.text() == text)
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())


def test_title_bar_has_one_button_with_the_menu_of_the_dock(opened, qtbot):
    opened.workspace.show_perspective("compare")  # has docks that are alone in their area
    qtbot.waitUntil(lambda: opened.workspace.perspective_window.is_complete)
    dock = next(d for d in opened.workspace.perspective_window.docks().values() if not d.visibleRegion().isEmpty()
                and not opened.workspace.perspective_window.tabifiedDockWidgets(d))  # fmt: skip
    (button,) = dock.titleBarWidget().findChildren(QToolButton)
    title = dock.windowTitle()
    assert button.accessibleName() == f"Menu of {title}"
    choose(dock.titleBarWidget(), f"Float {title}", qtbot)
    assert dock.isFloating()
    choose(dock.titleBarWidget(), f"Dock {title}", qtbot)
    assert not dock.isFloating()
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_Space)
    menu = QApplication.activePopupWidget()
    qtbot.keyClick(menu, Qt.Key.Key_Down)
    qtbot.keyClick(menu, Qt.Key.Key_Down)
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    assert dock.isHidden()


@pytest.mark.parametrize("way", ["menu", "double click"])
def test_floating_panel_has_a_frame_a_title_and_an_offset(opened, qtbot, way):
    opened.workspace.show_perspective("compare")
    qtbot.waitUntil(lambda: opened.workspace.perspective_window.is_complete)
    dock = opened.workspace.dock("queries")
    title, before = dock.titleBarWidget(), dock.mapToGlobal(QPoint())
    if way == "menu":
        choose(title, "Float Queries", qtbot)
    else:
        qtbot.mouseDClick(title, LEFT, pos=QPoint(60, 10))
    assert dock.isFloating()
    qtbot.waitUntil(lambda: dock.isVisible() and dock.pos() != before)
    assert [label.text() for label in title.findChildren(QLabel) if label.isVisible()] == ["Queries"]
    image, frame = dock.grab().toImage(), QColor(current_theme().line_strong)
    corners = ((0, 0), (image.width() - 1, 0), (0, image.height() - 1), (image.width() - 1, image.height() - 1))
    assert all(image.pixelColor(x, y) == frame for x, y in corners)
    qtbot.mouseDClick(title, LEFT, pos=QPoint(60, 10))
    assert not dock.isFloating()


def heads(workspace):
    """Visible docks whose title bar is wrong: it must be complete without a tab and hidden with one."""
    wrong, perspective_window = [], workspace.perspective_window
    for key, dock in perspective_window.docks().items():
        head = dock.titleBarWidget()
        expected = dock.isFloating() or not perspective_window.tabifiedDockWidgets(dock)
        shown = {part.isHidden() for part in head.findChildren(QWidget)}
        if not dock.isHidden() and (shown != {False} if expected else False in shown):
            wrong.append((key, expected, shown))
    return wrong


def test_dock_titles_are_complete_or_hidden(opened, qtbot):
    """Every fourth dock is floated and docked again in each perspective; together they are all docks."""
    workspace = opened.workspace
    for turn, perspective in enumerate(("query", "compare", "campaign", "query")):
        workspace.show_perspective(perspective)
        qtbot.waitUntil(lambda: workspace.perspective_window.is_complete)
        assert heads(workspace) == []
        workspace.reset_layout()
        qtbot.waitUntil(lambda: workspace.perspective_window.is_complete)
        assert heads(workspace) == []
        for dock in list(workspace.perspective_window.docks().values())[turn::4]:
            for floating in (True, False):
                dock.show()
                dock.setFloating(floating)
                qtbot.wait(20)
                assert heads(workspace) == []


def key_in(widget, qtbot, key, modifier=Qt.KeyboardModifier.NoModifier):
    qtbot.keyClick(QApplication.focusWidget() or widget, key, modifier)


def test_f6_steps_through_the_visible_panels_and_back(opened, qtbot, subtests):
    for perspective in ("query", "compare", "campaign", "diagnose", "assess"):
        with subtests.test(perspective=perspective):
            check_f6(opened, qtbot, perspective)


def check_f6(opened, qtbot, perspective):
    opened.workspace.show_perspective(perspective)
    settle(opened.session, qtbot)
    qtbot.wait(300)
    perspective_window = opened.workspace.perspective_window
    opened.workspace.focus_centre()
    keys = visible_panels(perspective_window)
    assert len(keys) >= 3
    start, walked = focused_panel(perspective_window), []
    for _ in keys:
        key_in(opened, qtbot, Qt.Key.Key_F6)
        walked.append(focused_panel(perspective_window))
    assert sorted(walked) == sorted(keys), (walked, keys)
    areas = [panels_by_key()[key].area for key in (*walked, *walked)]
    first = areas.index("left") if "left" in areas else areas.index("centre")
    around = [area for area, _ in groupby(areas[first : first + len(keys)])]
    assert around == [area for area in ("left", "centre", "right", "bottom") if area in around]
    assert walked[-1] == start
    key_in(opened, qtbot, Qt.Key.Key_F6, SHIFT)
    assert focused_panel(perspective_window) == walked[-2]


def test_focused_panel_is_floated_and_closed_by_keys(opened, qtbot):
    opened.workspace.go_to_panel("leaderboard")
    dock = opened.workspace.dock("leaderboard")
    key_in(opened, qtbot, Qt.Key.Key_F6, CTRL)
    assert dock.isFloating()
    qtbot.waitUntil(lambda: focused_panel(opened.workspace.perspective_window) == "leaderboard")
    key_in(opened, qtbot, Qt.Key.Key_F6, CTRL)
    assert not dock.isFloating()
    qtbot.waitUntil(lambda: focused_panel(opened.workspace.perspective_window) == "leaderboard")
    key_in(opened, qtbot, Qt.Key.Key_W, CTRL | SHIFT)
    assert dock.isHidden()
    assert focused_panel(opened.workspace.perspective_window) == opened.workspace.perspective_window.centre
    key_in(opened, qtbot, Qt.Key.Key_W, CTRL | SHIFT)
    assert opened.message_area.message_count()


@pytest.mark.parametrize("key", ["precision_recall", "gain", "leaderboard"])
def test_floating_and_docking_again_keeps_the_sizes_and_the_raised_tab(opened, qtbot, key):
    window = opened.workspace.perspective_window
    opened.workspace.reset_layout()
    qtbot.waitUntil(lambda: window.is_complete and window.sizes.are_met())
    raised = visible_panels(window)
    opened.workspace.go_to_panel(key)
    for is_floating in (True, False):
        qtbot.waitUntil(lambda: focused_panel(window) == key)
        key_in(opened, qtbot, Qt.Key.Key_F6, CTRL)
        assert opened.workspace.dock(key).isFloating() == is_floating
        qtbot.waitUntil(lambda: opened.workspace.dock(key).isVisible())
        qtbot.waitUntil(window.sizes.are_met)  # the other dock of the right area had 90 pixels
    qtbot.waitUntil(lambda: sorted(visible_panels(window)) == sorted(raised))


def underlined(perspective_window):
    """Titles of the panels that have a line in the accent colour below them, in tabs or in title bars."""
    accent, found = QColor(current_theme().accent), []
    bars = perspective_window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    for bar in (bar for bar in bars if bar.isVisible()):
        for place in range(bar.count()):
            found.append((bar, bar.tabText(place), bar.tabRect(place)))
    for dock in perspective_window.docks().values():
        label = dock.titleBarWidget().findChild(QLabel)
        if label is not None and label.isVisible():
            found.append((dock.titleBarWidget(), label.text(), label.geometry()))
    return [
        text
        for widget, text, box in found
        if any(
            widget.grab(box).toImage().pixelColor(box.width() // 2, box.height() - row) == accent for row in range(1, 3)
        )
    ]


def test_only_the_title_of_the_panel_with_the_focus_is_underlined(opened):
    perspective_window = opened.workspace.perspective_window
    opened.workspace.focus_centre()
    assert underlined(perspective_window) == []
    seen = []
    for key, dock in perspective_window.docks().items():
        if dock.isFloating() or not dock.isVisible() or dock.visibleRegion().isEmpty():
            continue
        opened.workspace.panel(perspective_window.shown_panel(key)).setFocus()
        if dock.isAncestorOf(QApplication.focusWidget()):
            assert underlined(perspective_window) == [dock.windowTitle()]
            seen.append(key)
    assert len(seen) >= 2
    opened.workspace.focus_centre()
    assert underlined(perspective_window) == []
