"""Copy, Export… and Copy as command of every panel: in its title bar, its tab, its context menu and the File menu."""

import re
import shlex

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QTabBar, QToolButton
from sample_benchmark import write_sample_benchmark
from sessions import settle
from shared_windows import a_shared_window
from windows import a_window, open_in_window

from shrec_viewer.app.dialogs.command_palette import all_entries
from shrec_viewer.app.docking.perspective_window import float_dock
from shrec_viewer.panels import PANELS, Panel, set_extra_panels
from shrec_viewer.panels.export.dialog import ExportDialog

pytestmark = [
    pytest.mark.qt_log_ignore("This plugin does not support", extend=True),
]

ENTRIES = ["&Copy", "&Export…", "Copy as co&mmand"]


def _label(session):
    return QLabel("of a plug-in")


PLUGIN = Panel("extra", "R&D &x <b>", "bottom", _label, ())


@pytest.fixture(scope="module")
def sample_benchmark(tmp_path_factory):
    set_extra_panels([PLUGIN], {})
    yield write_sample_benchmark(tmp_path_factory.mktemp("menus") / "sample_benchmark")
    set_extra_panels([], {})


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot, sample_benchmark):
    yield from a_shared_window(qapp, module_qtbot, sample_benchmark)


@pytest.fixture
def window(shared, qtbot):
    return shared.reset(qtbot)


def open_menu(widget, point, qtbot):
    """The menu that a right click opens."""
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, widget.mapToGlobal(point))
    QApplication.sendEvent(widget, event)
    menus = [one for one in QApplication.topLevelWidgets() if isinstance(one, QMenu) and one.isVisible()]
    (menu,) = menus
    return menu


def click(menu, text, qtbot):
    action = next(action for action in menu.actions() if action.text() == text)
    qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())


def handle_of(space, key):
    """The tab bar with the tab of a dock, else its title bar; and a point in it."""
    dock = space.dock(key)
    title_bar = dock.titleBarWidget()
    if title_bar.height() > 0 and title_bar.isVisible() and not space.perspective_window.tabifiedDockWidgets(dock):
        return title_bar, title_bar.rect().center()
    for bar in space.perspective_window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
        for tab in range(bar.count()):
            if bar.isVisible() and bar.tabText(tab) == dock.windowTitle():
                return bar, bar.tabRect(tab).center()
    raise AssertionError(f"{key} has neither tab nor title bar")


def has_handle(space, key):
    try:
        handle_of(space, key)
    except AssertionError:
        return False
    return space.is_shown(key) and space.perspective_window.is_complete


@pytest.fixture
def new_window(qapp, qtbot, sample_benchmark):
    for window in a_window(qapp, qtbot):
        open_in_window(window, sample_benchmark, qtbot)
        yield window


def test_every_dock_has_the_three_entries(new_window, qtbot):
    window, space = new_window, new_window.workspace
    rows = [row for row in (*PANELS, PLUGIN) if row.area != "centre"]
    for row in rows:
        space.show_panel(row.key)
        qtbot.waitUntil(lambda row=row: has_handle(space, row.key))
        menu = open_menu(*handle_of(space, row.key), qtbot)
        assert [action.text() for action in menu.actions()][-3:] == ENTRIES, row.key
        click(menu, "&Export…", qtbot)
        (dialog,) = [found for found in window.findChildren(ExportDialog) if found.isVisible()]
        assert dialog.windowTitle() == f"Export {row.title}"
        assert dialog.form.count() in (4, 6)  # formats of figures or tables
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)
        qtbot.waitUntil(lambda: not [found for found in window.findChildren(ExportDialog) if found.isVisible()])
        settle(window.session, qtbot)
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        space.go_to_panel(row.key)
        assert space.panel_export().title == row.title  # of File > Export
    # The dialogs are deleted later.
    qtbot.waitUntil(lambda: not window.findChildren(ExportDialog))


@pytest.mark.parametrize("key", ["leaderboard", "precision_recall", "extra"])
@pytest.mark.parametrize("floating", [False, True])
def test_entries_of_title_bars_work(key, floating, window, qtbot):
    space = window.workspace
    space.show_panel(key)
    qtbot.waitUntil(lambda: has_handle(space, key))
    if floating:
        float_dock(space.dock(key))
        qtbot.waitUntil(lambda: space.dock(key).isFloating() and has_handle(space, key))
    settle(window.session, qtbot)
    done, failed = [], []
    window.session.done.connect(done.append)
    window.session.failed.connect(lambda text, _details: failed.append(text))
    QGuiApplication.clipboard().clear()
    click(open_menu(*handle_of(space, key), qtbot), "&Copy", qtbot)
    qtbot.waitUntil(lambda: any("copied" in text for text in done))
    assert QGuiApplication.clipboard().mimeData().hasImage()
    click(open_menu(*handle_of(space, key), qtbot), "Copy as co&mmand", qtbot)
    if key == "extra":
        assert failed == [f"No command repeats {PLUGIN.title}: no command writes what it shows; Export… does"]
    else:
        words = shlex.split(QGuiApplication.clipboard().text())
        assert words[:2] == ["shrec-viewer", "table" if key == "leaderboard" else "figure"]
        assert failed == []


@pytest.mark.parametrize(
    ("perspective", "key"), [("query", "ranked_list"), ("compare", "comparison"), ("campaign", "heat_map")]
)
def test_central_panels_have_the_three_entries(perspective, key, window, qtbot):
    space = window.workspace
    space.show_perspective(perspective)
    qtbot.waitUntil(lambda: space.perspective_window.is_complete)
    settle(window.session, qtbot)
    panel = space.panel(key)
    inner = panel.childAt(panel.rect().center()) or panel
    while inner is not None and inner is not panel and inner.contextMenuPolicy() == Qt.ContextMenuPolicy.NoContextMenu:
        inner = inner.parentWidget()
    menu = open_menu(inner, QPoint(inner.width() // 2, inner.height() // 2), qtbot)
    assert [action.text() for action in menu.actions() if not action.isSeparator()][-3:] == ENTRIES
    menu.close()
    texts = [action.text() for action in window.menus.menu("File").actions()]
    assert any("xport" in text for text in texts)
    assert space.panel_export().title == next(row.title for row in PANELS if row.key == key)


def test_title_of_a_plugin_panel_is_shown_as_typed(window, qtbot):
    """``&`` marks no key in the menus, the tab, the title bar and the palette."""
    space, title = window.workspace, PLUGIN.title
    space.show_panel("extra")
    qtbot.waitUntil(lambda: space.is_shown("extra"))
    (action,) = [action for action in space.dock_actions() if action.data() == "extra"]
    dock = space.dock("extra")
    tabs = [bar.tabText(k) for bar in space.perspective_window.findChildren(QTabBar) for k in range(bar.count())]
    shown = [text for text in (action.text(), dock.toggleViewAction().text(), *tabs) if "<b>" in text]
    assert len(shown) == 3
    assert {re.sub("&(.)", r"\1", text) for text in shown} == {title}
    assert all(QKeySequence.mnemonic(text).isEmpty() for text in shown)
    float_dock(dock)
    labels = [label.text() for label in dock.titleBarWidget().findChildren(QLabel)]
    assert labels == [title]
    entries = [entry.text for entry in all_entries(window) if "<b>" in entry.text]
    assert f"Go to panel {title}" in entries
    assert dock.titleBarWidget().findChild(QToolButton).accessibleName() == f"Menu of {title}"
