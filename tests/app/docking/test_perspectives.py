"""Perspectives share the selection and the panels."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QTabBar, QToolButton
from sample_benchmark import write_sample_benchmark
from sessions import settle
from shared_windows import a_shared_window
from windows import a_window, open_in_window

from shrec_viewer.app.docking.workspace import visible_panels
from shrec_viewer.app.startup.settings import SettingsFile
from shrec_viewer.panels import PANELS, PERSPECTIVES, docked_panels

CTRL = Qt.KeyboardModifier.ControlModifier
KEYS = {
    "query": Qt.Key.Key_1,
    "compare": Qt.Key.Key_2,
    "campaign": Qt.Key.Key_3,
    "diagnose": Qt.Key.Key_4,
    "assess": Qt.Key.Key_5,
}


@pytest.fixture
def memory(tmp_path):
    return tmp_path / "settings.ini"


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot, tmp_path_factory):
    yield from a_shared_window(
        qapp, module_qtbot, write_sample_benchmark(tmp_path_factory.mktemp("window") / "sample_benchmark")
    )


def go(window, key, qtbot):
    qtbot.keyClick(QApplication.focusWidget() or window, KEYS[key], CTRL)
    qtbot.wait(80)
    assert window.workspace.perspective == key, QApplication.focusWidget()


def open_docks(window):
    return {key for key, dock in window.workspace.perspective_window.docks().items() if not dock.isHidden()}


def standing(key):
    return {panel.key for panel in docked_panels() if key in panel.perspectives}


def test_shortcuts_switch_perspectives_and_keep_the_selection(opened, qtbot):
    opened.session.select(query=1, run=1, rank=2)
    for key in ("campaign", "diagnose", "compare", "query", "compare"):
        go(opened, key, qtbot)
        assert opened.workspace.perspective == key
        assert open_docks(opened) == standing(key)
        assert (opened.session.selection.query, opened.session.selection.run) == (1, 1)
        assert opened.menus.actions[f"perspective_{key}"].isChecked()


def test_panels_are_known_to_be_visible_unless_another_tab_covers_them(opened, qtbot):
    """Contents that fill a dock make `QWidget.visibleRegion` of the dock empty."""
    workspace, tabbed = opened.workspace, 0
    for perspective in PERSPECTIVES:
        go(opened, perspective.key, qtbot)
        docks = workspace.perspective_window.docks()
        for key in open_docks(opened):
            workspace.show_panel(key)
            qtbot.wait(30)
            assert workspace.is_shown(key), key
            covered = {k for k, d in docks.items() if d in workspace.perspective_window.tabifiedDockWidgets(docks[key])}
            assert not {k for k in covered if workspace.is_shown(k)}, key
            seen = {*visible_panels(workspace.perspective_window)}
            assert key in seen
            assert not covered & seen
            tabbed += len(covered)
    assert tabbed > 10


def test_each_perspective_has_its_central_panel(opened, qtbot):
    for perspective in PERSPECTIVES:
        go(opened, perspective.key, qtbot)
        centres = [row.key for row in PANELS if row.area == "centre" and perspective.key in row.perspectives]
        assert len(centres) <= 1
        for key in centres:
            assert opened.workspace.panel(key).isVisible()
            middle = opened.workspace.perspective_window.centralWidget()
            assert middle.isAncestorOf(opened.workspace.panel(key))
            assert opened.workspace.panel(key).size() == middle.size()


def test_central_panel_cannot_be_closed(opened, qtbot):
    """Qt keeps a copy of the layout while a dock is dragged, and crashes on a deleted widget in it."""
    middles = {}
    for key in ("query", "diagnose", "compare", "assess", "campaign", "compare", "query", "assess", "campaign"):
        go(opened, key, qtbot)
        middle = opened.workspace.perspective_window.centralWidget()
        assert middles.setdefault(key, middle) is middle
    assert len(set(middles.values())) == len(PERSPECTIVES)
    assert all(middle.parentWidget() is not None for middle in middles.values())


def test_panel_is_one_widget_shared_by_the_perspectives(opened, qtbot):
    queries = opened.workspace.queries
    for key in ("compare", "diagnose", "query"):
        go(opened, key, qtbot)
        assert opened.workspace.queries is queries
        assert opened.workspace.dock("queries").panel is queries
        assert queries.isVisible()
        assert not queries.visibleRegion().isEmpty()


def test_tab_of_the_perspective_is_checked(opened, qtbot):
    bar = opened.tool_bar
    buttons = {b.text(): b for b in bar.findChildren(QToolButton) if b.property("tab")}
    assert list(buttons) == ["Query", "Compare", "Campaign", "Diagnose", "Assess"]
    qtbot.mouseClick(buttons["Campaign"], Qt.MouseButton.LeftButton)
    assert opened.workspace.perspective == "campaign"
    assert buttons["Campaign"].isChecked()
    assert not buttons["Query"].isChecked()


def test_panel_of_another_perspective_can_be_opened(opened, qtbot):
    go(opened, "compare", qtbot)
    opened.workspace.show_panel("findings")
    qtbot.wait(30)
    assert opened.workspace.perspective == "compare"
    assert opened.workspace.is_shown("findings")
    opened.workspace.show_panel("ranked_list")
    assert opened.workspace.perspective == "query"


@pytest.mark.qt_log_ignore("This plugin does not support raise", extend=True)
def test_each_perspective_restores_its_own_layout(qapp, qtbot, memory, tmp_path):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, folder, qtbot)
        window.workspace.dock("gain").close()
        go(window, "campaign", qtbot)
        window.workspace.dock("leaderboard").close()
        assert window.workspace.dock("gain").isVisible()
    assert SettingsFile(memory).read().perspective == "campaign"
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, folder, qtbot)
        qtbot.wait(80)
        assert window.workspace.perspective == "campaign"
        assert open_docks(window) == standing("campaign") - {"leaderboard"}
        go(window, "query", qtbot)
        assert open_docks(window) == standing("query") - {"gain"}
        window.menus.actions["reset_layout"].trigger()
        qtbot.wait(50)
        assert open_docks(window) == standing("query")
        window.menus.actions["perspective_campaign"].trigger()
        qtbot.wait(50)
        assert open_docks(window) == standing("campaign")


@pytest.mark.qt_log_ignore("This plugin does not support raise", extend=True)
def test_floating_docks_hide_and_show_with_their_perspective(opened, qtbot):
    dock = opened.workspace.dock("gain")
    dock.setFloating(True)
    qtbot.wait(30)
    go(opened, "compare", qtbot)
    assert not dock.isVisible()
    go(opened, "query", qtbot)
    assert dock.isVisible()
    assert dock.isFloating()
    assert dock.panel is opened.workspace.panel("gain")


@pytest.mark.qt_log_ignore("This plugin does not support raise", extend=True)
def test_floating_dock_outside_all_screens_is_moved_onto_one(opened, qtbot):
    dock = opened.workspace.dock("gain")
    dock.setFloating(True)
    dock.move(QPoint(-5000, 9000))
    qtbot.wait(30)
    opened.workspace.show_panel("gain")
    screen = QGuiApplication.primaryScreen().availableGeometry()
    assert screen.contains(dock.frameGeometry().topLeft())


def test_docks_outside_the_default_layout_can_be_opened(opened, qtbot):
    go(opened, "compare", qtbot)
    action = next(action for action in opened.workspace.dock_actions() if action.data() == "confusion")
    assert not action.isChecked()
    action.trigger()
    qtbot.wait(30)
    assert opened.workspace.is_shown("confusion")
    assert opened.workspace.dock("confusion").parent() is opened.workspace.perspective_window


def arrangement(window):
    """Rectangles of the visible docks, tab order, raised tabs and floating panels of the current perspective."""
    docks = {key: dock for key, dock in window.workspace.perspective_window.docks().items() if not dock.isHidden()}
    bars = window.workspace.perspective_window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return (
        {key: dock.geometry().getRect() for key, dock in docks.items() if dock.geometry().right() >= 0},
        sorted(
            (bar.currentIndex(), [bar.tabText(tab) for tab in range(bar.count())]) for bar in bars if bar.isVisible()
        ),
        {key for key, dock in docks.items() if dock.isFloating()},
        set(docks),
    )


def check_arrangements(window, seen, qtbot):
    qtbot.waitUntil(lambda: window.workspace.perspective == "campaign")
    for key in ("campaign", "query", "compare", "query"):
        go(window, key, qtbot)
        qtbot.wait(120)
        assert arrangement(window) == seen[key], key
    assert window.message_area.texts() == []


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_changed_layouts_of_all_perspectives_are_restored(qapp, qtbot, memory, tmp_path, subtests):
    folder, project = write_sample_benchmark(tmp_path / "sample_benchmark"), tmp_path / "mine.shrec"
    seen = {}
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, folder, qtbot)
        for key, extra in (("query", "significance"), ("compare", "tasks"), ("campaign", "notes")):
            go(window, key, qtbot)
            perspective_window = window.workspace.perspective_window
            for panel in ("queries", extra):  # a tab, or a further dock
                window.workspace.show_panel(panel)
            dock = window.workspace.dock
            perspective_window.splitDockWidget(dock("queries"), dock("calculation"), Qt.Orientation.Vertical)
            perspective_window.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, dock("edits"))
            dock("edits").show()
            dock("calculation").show()
            perspective_window.resizeDocks([dock("queries"), dock("calculation")], [300, 200], Qt.Orientation.Vertical)
            perspective_window.resizeDocks([dock("queries")], [344], Qt.Orientation.Horizontal)
            dock("leaderboard").setFloating(True)
            dock("leaderboard").setGeometry(77, 88, 520, 210)
            qtbot.wait(120)
            seen[key] = arrangement(window)
        window.projects.write(project)
        qtbot.waitUntil(project.exists)
        settle(window.session, qtbot)
    for path, settings in ((folder, memory), (project, None)):
        with subtests.test(path.name):
            for window in a_window(qapp, qtbot, settings):
                open_in_window(window, path, qtbot)
                check_arrangements(window, seen, qtbot)


def test_a_wide_window_has_robustness_at_the_right_of_assess(opened, qtbot):
    """As the first of the tabs there; a narrower window has it below the pair."""
    areas = {1920: Qt.DockWidgetArea.RightDockWidgetArea, 1280: Qt.DockWidgetArea.BottomDockWidgetArea}
    for width, area in areas.items():
        opened.resize(width, 900)
        go(opened, "assess", qtbot)
        opened.workspace.reset_layout()
        window = opened.workspace.perspective_window
        qtbot.waitUntil(lambda window=window: window.is_complete)
        assert window.dockWidgetArea(opened.workspace.dock("robustness")) == area
        assert opened.workspace.is_shown("robustness") == (width == 1920)
        go(opened, "query", qtbot)
