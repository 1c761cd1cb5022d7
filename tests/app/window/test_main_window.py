"""Main window: welcome page, opening, bars, messages, layout."""

import threading
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPushButton,
    QScrollBar,
    QTabBar,
    QToolButton,
    QWidget,
)
from sample_benchmark import write_sample_benchmark
from sessions import settle
from windows import a_window, open_in_window

from shrec_viewer.app.docking.perspective_window import DockTitleBar
from shrec_viewer.app.docking.saved_layout import LayoutError, restore_geometry
from shrec_viewer.app.docking.workspace import checked_layouts
from shrec_viewer.app.startup.settings import LAYOUT_VERSION, Settings, SettingsFile
from shrec_viewer.app.window import main_window as module
from shrec_viewer.panels import docked_panels, panels_by_key
from shrec_viewer.widgets.controls.controls import ElidingLine, area_on_screen
from shrec_viewer.widgets.controls.plain_text import plain_tooltip

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def memory(tmp_path):
    return tmp_path / "settings.ini"


@pytest.fixture
def window(qapp, qtbot, memory):
    yield from a_window(qapp, qtbot, memory)


@pytest.fixture
def sample_benchmark(tmp_path):
    return write_sample_benchmark(tmp_path / "sample_benchmark")


@pytest.fixture
def newly_opened(window, sample_benchmark, qtbot):
    open_in_window(window, sample_benchmark, qtbot)
    return window


@pytest.fixture
def demo(monkeypatch, tmp_path):
    folder = write_sample_benchmark(tmp_path / "demo")
    monkeypatch.setattr(module, "resource", lambda name: folder)
    monkeypatch.setattr("shrec_viewer.app.window.opening.resource", lambda name: folder)
    return folder


def test_welcome_page_is_shown_first(window):
    assert window.welcome.isVisible()
    assert not window.tool_bar.isVisible()
    assert not window.statusBar().isVisible()
    assert window.windowTitle() == "SHREC Viewer"


def test_a_classification_opens_its_folder(window, sample_benchmark, qtbot):
    """Desktops start the program with a file: a double click on a ``.cla``, which is registered for it."""
    classification = next(sample_benchmark.glob("*.cla"))
    open_in_window(window, classification, qtbot)
    assert window.session.path == sample_benchmark
    assert window.session.benchmark.runs


def test_demo_opens_with_one_click(window, demo, qtbot):
    button = next(button for button in window.welcome.findChildren(QPushButton) if "demo" in button.text())
    qtbot.mouseClick(button, LEFT)
    settle(window.session, qtbot)
    assert window.session.path == demo
    assert window.workspace.isVisible()
    assert window.settings.recent == ()  # the demo is not listed


def test_missing_demo_shows_an_error(window, monkeypatch):
    def missing(name):
        raise FileNotFoundError("the installation lacks its resource 'demo'")

    monkeypatch.setattr(module, "resource", missing)
    window.open_demo()
    assert window.message_bar.current().text == "The demo cannot be opened: the installation lacks its resource 'demo'"
    assert window.welcome.isVisible()


def test_opened_benchmark_is_in_the_title_in_the_recent_menu_and_has_the_focus(newly_opened, sample_benchmark, memory):
    opened = newly_opened
    assert opened.windowTitle() == "Menagerie[*] – SHREC Viewer"
    assert opened.settings.recent == (str(sample_benchmark),)
    assert SettingsFile(memory).read().recent == (str(sample_benchmark),)
    assert opened.workspace.isVisible()
    assert opened.tool_bar.isVisible()
    assert QApplication.focusWidget() is opened.workspace.ranked_list.grid


def test_recent_paths_open_from_the_welcome_page_and_the_menu(newly_opened, sample_benchmark, qtbot):
    opened = newly_opened
    opened.menus.actions["close"].trigger()
    assert opened.welcome.isVisible()
    (row,) = opened.welcome._rows
    qtbot.mouseClick(row, LEFT)
    settle(opened.session, qtbot)
    assert opened.session.path == sample_benchmark
    opened.menus.actions["close"].trigger()
    (action,) = opened.menus.recent.actions()
    action.trigger()
    settle(opened.session, qtbot)
    assert opened.session.path == sample_benchmark


def first_is_grey(window):
    return not window.welcome._rows[0].isEnabled()


def test_missing_recent_path_is_disabled(qapp, qtbot, memory, tmp_path):
    SettingsFile(memory).write(Settings(recent=(str(tmp_path / "gone"),)))
    for window in a_window(qapp, qtbot, memory):
        qtbot.waitUntil(partial(first_is_grey, window))
        (action,) = window.menus.recent.actions()
        assert not action.isEnabled()


def test_unresponsive_drive_does_not_block_the_window(qapp, qtbot, memory, sample_benchmark, monkeypatch):
    hang, ended = threading.Event(), []

    def exists(path):
        if path.name == "hanging":
            hang.wait(120)
            ended.append(path)
        return False

    SettingsFile(memory).write(Settings(recent=("/gone", "/drive/hanging")))
    monkeypatch.setattr("shrec_viewer.app.window.opening._exists", exists)
    for window in a_window(qapp, qtbot, memory):
        qtbot.waitUntil(partial(first_is_grey, window))
        assert window.welcome._rows[1].isEnabled()
        monkeypatch.undo()
        open_in_window(window, sample_benchmark, qtbot)
        assert window.session.is_open
    assert ended == []
    hang.set()


def test_folder_can_be_opened_before_the_window_is_assembled(qapp, qtbot, sample_benchmark):
    from shrec_viewer.app.startup.theme import ThemeSelector

    looks = ThemeSelector(qapp)
    window = module.MainWindow(looks, SettingsFile(None), thumbnails=False)
    qtbot.addWidget(window)
    window.painted.connect(window.assemble)
    window.open_path(sample_benchmark, None, "default")
    window.show()
    assert window.pages.reading.isVisible()
    qtbot.waitUntil(lambda: window.session is not None and window.session.scores is not None)
    assert window.session.profile.key == "default"
    assert window.workspace.isVisible()
    window.close()
    looks.deleteLater()


def test_folder_can_be_dropped(window, sample_benchmark, qtbot):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(sample_benchmark))])
    copy, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(9, 9), copy, mime, LEFT, none)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    assert window.welcome._dropping
    drop = QDropEvent(QPointF(9, 9), copy, mime, LEFT, none)
    QApplication.sendEvent(window, drop)
    settle(window.session, qtbot)
    assert drop.isAccepted()
    assert not window.welcome._dropping
    assert window.session.path == sample_benchmark


def test_text_cannot_be_dropped(window):
    mime = QMimeData()
    mime.setText("not a folder")
    enter = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, mime, LEFT, Qt.KeyboardModifier.NoModifier)
    enter.ignore()
    QApplication.sendEvent(window, enter)
    assert not enter.isAccepted()


def test_status_bar_shows_the_selection(opened, qtbot):
    status = opened.statusBar()
    assert status.selection.text() == "q1 cat  ·  run A1"
    assert status.scores.text() == "ADR 1.000"
    opened.session.select(run=1, rank=2)
    settle(opened.session, qtbot)
    assert status.selection.text() == (
        "q1 cat  ·  run A2  ·  rank 2 of 8  ·  m1  ·  class cat  ·  highly relevant (2)  ·  distance 0.2000"
    )
    opened.session.select(query=2, run=2)
    settle(opened.session, qtbot)
    assert status.selection.text() == "q3 chair  ·  run B1"
    assert status.scores.text() == "ADR: no results"


def test_findings_are_counted_and_open_with_one_click(opened, qtbot):
    badge = opened.statusBar().badge
    assert badge.text() == "1 warning"
    panel = opened.workspace.panel("findings")
    assert panel.visibleRegion().isEmpty()
    qtbot.mouseClick(badge, LEFT)
    qtbot.wait(20)
    assert not panel.visibleRegion().isEmpty()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_tool_bar_fields_show_and_set_the_selection(opened, qtbot):
    bar, session = opened.tool_bar, opened.session
    assert [bar.query.itemText(place) for place in range(3)] == ["q1  cat", "q2  dog", "q3  chair"]
    assert [bar.run.itemText(place) for place in range(3)] == ["A1", "A2", "B1"]
    assert bar.run.itemData(2, Qt.ItemDataRole.ToolTipRole) == "Participant Ben"
    assert len({bar.run.itemIcon(place).pixmap(20, 12).toImage().pixel(1, 6) for place in range(3)}) > 1
    session.select(query=1, run=2)
    assert (bar.query.currentIndex(), bar.run.currentIndex()) == (1, 2)
    bar.query.setFocus()
    qtbot.keyClick(bar.query, Qt.Key.Key_Down)
    assert session.selection.query == 2
    bar.run.setFocus()
    qtbot.keyClick(bar.run, Qt.Key.Key_Home)
    assert session.selection.run == 0
    qtbot.mouseClick(bar.aggregation.button("mean"), LEFT)
    assert session.selection.means
    session.select(means=False)
    assert bar.aggregation.current == "query"
    mean = bar.aggregation.button("mean")
    (class_mean,) = mean.actions()  # in the menu of a right click
    class_mean.trigger()
    assert (session.selection.mean_over, mean.text()) == ("classes", "Class mean")
    class_mean.trigger()
    assert (session.selection.mean_over, mean.text()) == ("queries", "Mean")
    popup = bar.conventions
    assert popup.button.text() == popup.profile.currentText() == "SHREC 2006"
    qtbot.mouseClick(popup.button, LEFT)
    assert popup.isVisible()
    qtbot.keyClick(popup.profile, Qt.Key.Key_Home)
    settle(session, qtbot)
    assert session.profile.key == "default"
    assert popup.button.text() == session.profile.title
    qtbot.keyClick(popup, Qt.Key.Key_Escape)
    assert not popup.isVisible()


def test_run_b_is_shown_where_two_runs_are_compared(opened, qtbot):
    bar = opened.tool_bar
    for key, expected in (("compare", True), ("campaign", False), ("query", False)):
        opened.workspace.show_perspective(key)
        qtbot.waitUntil(lambda expected=expected: bar.compared.isVisible() == expected)
        has_queries = key != "campaign"
        qtbot.waitUntil(lambda shown=has_queries: bar.aggregation.isVisible() == shown)


def test_the_campaign_always_shows_means(opened, qtbot):
    """The switch is hidden there, so that neither its key nor the history may change it."""
    session, workspace = opened.session, opened.workspace
    workspace.show_perspective("query")
    session.select(means=False, query=0)
    session.select(query=1)
    workspace.show_perspective("campaign")
    assert session.selection.means
    assert workspace.panel("leaderboard").model.of == "queries"
    opened.activateWindow()
    qtbot.keyClick(opened, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    opened.history.back()
    assert session.selection.query == 0
    assert session.selection.means
    workspace.show_perspective("query")
    assert not session.selection.means
    assert workspace.panel("leaderboard").model.of == "query"
    qtbot.keyClick(opened, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    assert session.selection.means
    session.select(means=False)


def test_panels_say_their_scope_at_the_right_of_the_title(opened, qtbot):
    """Of the switch, the query, the run and the measure; in the row of the tabs, or in the title without tabs."""
    session, workspace = opened.session, opened.workspace
    query, n_queries = session.benchmark.queries.ids, len(session.benchmark.queries)

    def scopes():
        window = workspace.perspective_window
        lines = [line for line in window.findChildren(ElidingLine) if line.isVisible()]
        return {line.text() for line in lines if isinstance(line.parentWidget(), QTabBar | DockTitleBar)}

    workspace.show_perspective("query")
    qtbot.waitUntil(lambda: workspace.perspective_window.is_complete)
    for place in (1, 0):
        session.select(query=place, means=False)
        assert {query[place], f"{query[place]} · by {session.measure}"} <= scopes()
    session.select(means=True)
    mean = f"mean of {n_queries} queries"
    assert {mean, f"{mean} · by {session.measure}"} <= scopes()
    session.select(mean_over="classes", measure="AP")
    assert {f"class {mean}", f"class {mean} · by AP"} <= scopes()
    session.select(mean_over="queries", means=False, measure="ADR")


def test_few_controls_are_in_sight_in_the_campaign(opened, qtbot):
    """There were 55 with two rows of fields; at most 30 are wanted at 1280 pixels."""
    opened.consequences.hide()
    opened.message_bar.dismiss()
    opened.workspace.show_perspective("campaign")
    qtbot.waitUntil(lambda: opened.workspace.perspective_window.is_complete)
    qtbot.waitUntil(lambda: not opened.tool_bar.query.isVisible())
    kinds = (QAbstractButton, QComboBox, QLineEdit, QAbstractSlider, QAbstractSpinBox)
    shown = [
        widget
        for widget in opened.findChildren(QWidget)
        if isinstance(widget, kinds) and not isinstance(widget, QScrollBar) and not area_on_screen(widget).isEmpty()
    ]
    assert len(shown) <= 30, "; ".join(f"{type(one).__name__} {one.accessibleName()}" for one in shown)


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_export_button_names_the_panel_with_the_focus(opened, qtbot):
    menu = opened.menus.menu("File/Export")
    button = next(one for one in opened.tool_bar.findChildren(QToolButton) if one.menu() is menu)
    leaderboard, queries = opened.workspace.panel("leaderboard"), opened.workspace.panel("queries")
    for key, part in (("queries", queries.list), ("leaderboard", leaderboard.table)):
        opened.activateWindow()  # as window managers do when the menu is closed
        qtbot.waitUntil(opened.isActiveWindow)
        part.setFocus()
        QTimer.singleShot(0, menu.close)  # the menu has an event loop of its own
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert f"({panels_by_key()[key].title})" in opened.menus.actions["panel_export"].text()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_menus_are_a_button_in_a_narrow_window(opened, qtbot):
    strip = opened.menu_strip
    assert (strip.menu_bar.isVisible(), strip.button.isVisible()) == (False, True)
    menu = strip.button.menu()
    for keys in ((Qt.Key.Key_F10, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_Alt, Qt.KeyboardModifier.NoModifier)):
        QTimer.singleShot(0, menu.close)  # the menu has an event loop of its own
        with qtbot.waitSignal(menu.aboutToShow):
            qtbot.keyClick(opened, *keys)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)
    opened.activateWindow()
    qtbot.waitUntil(opened.isActiveWindow)
    view = opened.menus.menu("View")
    with qtbot.waitSignal(view.aboutToShow):
        qtbot.keyClick(opened, Qt.Key.Key_V, Qt.KeyboardModifier.AltModifier)
    view.close()
    go, entry = opened.menus.menu("Go"), opened.menus.actions["next_query"]
    qtbot.keyClick(opened, Qt.Key.Key_G, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(go.isVisible)
    with qtbot.waitSignal(entry.triggered):  # the menus were disabled with the menu bar, and ignored the mouse
        qtbot.mouseClick(go, Qt.MouseButton.LeftButton, pos=go.actionGeometry(entry).center())
    opened.resize(1700, 800)
    qtbot.waitUntil(strip.menu_bar.isVisible)
    assert not strip.button.isVisible()
    opened.session.close()
    opened.resize(1280, 800)
    qtbot.waitUntil(strip.menu_bar.isVisible)
    assert not opened.tool_bar.isVisible(), "the welcome page has the menus only"


def test_every_dock_can_be_closed_and_reopened_from_the_menu(opened):
    actions = [action for group in opened.menus.docks.actions() for action in group.menu().actions()]
    assert {action.data() for action in actions} == {panel.key for panel in docked_panels()}
    for action in actions:
        opened.workspace.show_panel(action.data())
        assert action.isChecked()
        action.trigger()
        assert not action.isChecked()
        assert opened.workspace.dock(action.data()).isHidden()
        action.trigger()
        assert action.isChecked()
        assert opened.workspace.dock(action.data()).isVisible()


def visible_tab_bars(workspace):
    """Tab bars of docks, without the names of views."""
    children = Qt.FindChildOption.FindDirectChildrenOnly
    bars = [bar for bar in workspace.perspective_window.findChildren(QTabBar, options=children) if bar.isVisible()]
    return [bar for bar in bars if bar.visibleRegion().boundingRect().isValid()]


def test_layout_is_stored(qapp, qtbot, memory, sample_benchmark):
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, sample_benchmark, qtbot)
        window.workspace.dock("gain").close()
        window.resize(1100, 700)
    for window in a_window(qapp, qtbot, memory, size=(1100, 700)):
        open_in_window(window, sample_benchmark, qtbot)
        assert not window.workspace.dock("gain").isVisible()
        assert window.workspace.dock("precision_recall").isVisible()
        assert len(visible_tab_bars(window.workspace)) == 2  # one bottom, one right


def test_layout_of_another_version_is_ignored(qapp, qtbot, memory, sample_benchmark):
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, sample_benchmark, qtbot)
        window.workspace.dock("gain").close()
    file = SettingsFile(memory)
    file.write(replace(file.read(), layout_version=LAYOUT_VERSION + 1))
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, sample_benchmark, qtbot)
        assert window.workspace.dock("gain").isVisible()


DAMAGES = (None, {"areas": {"left": {"tabs": ["queries"]}}}, "", "nonsense", 7, [[[]]])


def test_each_damaged_layout_has_a_reason(opened):
    for damage in DAMAGES:
        assert checked_layouts({"query": damage})[1].startswith("Query: ")
        with pytest.raises(LayoutError, match="'"):
            restore_geometry(opened, {"x": damage})


@pytest.mark.parametrize("damage", DAMAGES[:2])
def test_damaged_layout_is_replaced_by_the_default_layout(qapp, qtbot, memory, sample_benchmark, damage):
    SettingsFile(memory).write(Settings(layouts={"query": damage}, geometry={"x": damage}))
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, sample_benchmark, qtbot)
        texts = window.message_area.texts()
        assert sum(text.startswith("The saved layout of the panels is not valid (Query: ") for text in texts) == 1
        assert sum(text.startswith("The saved layout of the window is not valid ('") for text in texts) == 1
        assert all(window.workspace.dock(key).isVisible() for key in ("queries", "gain", "leaderboard"))


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)])
def test_default_layout_gives_most_space_to_the_ranked_list(qapp, qtbot, sample_benchmark, size):
    for window in a_window(qapp, qtbot, size=size):
        open_in_window(window, sample_benchmark, qtbot)
        workspace = window.workspace
        results, queries, gain = workspace.ranked_list, workspace.dock("queries"), workspace.dock("gain")
        leaderboard, curves = workspace.dock("leaderboard"), workspace.dock("precision_recall")
        assert abs(queries.width() - max(232, round(0.15 * size[0]))) <= 8
        assert results.width() >= size[0] * 0.5
        assert results.height() >= size[1] * 0.5
        assert gain.width() <= size[0] * 0.28
        assert curves.y() < gain.y()
        assert leaderboard.height() <= 330
        assert results.grid.columns() >= 4
        assert workspace.size().width() == size[0]


def test_uncaught_exception_is_shown_and_the_window_stays_usable(opened, qtbot):
    opened.show_error_message("Unexpected error: ValueError: x", "Traceback …")
    assert opened.message_bar.isVisible()
    assert opened.message_bar.current().details == "Traceback …"
    assert opened.workspace.isVisible()
    opened.session.select(query=1)
    settle(opened.session, qtbot)
    assert opened.session.ranked_list is not None


def test_closing_ends_every_thread(qapp, qtbot, sample_benchmark):
    before = set(threading.enumerate())
    for window in a_window(qapp, qtbot):
        open_in_window(window, sample_benchmark, qtbot)
        assert set(threading.enumerate()) > before
    assert set(threading.enumerate()) <= before


def test_paths_are_shown_without_mnemonics(qapp, qtbot, memory):
    SettingsFile(memory).write(Settings(recent=("/data/R&D/shrec",)))
    for window in a_window(qapp, qtbot, memory):
        assert window.menus.recent.actions()[0].text() == "/data/R&&D/shrec"
        assert Path(window.menus.recent.actions()[0].data()).name == "shrec"


def test_messages_neither_move_nor_cover_the_contents(opened, qtbot):
    before = opened.pages.geometry(), opened.workspace.ranked_list.size()
    opened.show_message(
        "error", "B1 changed, but cannot be read: line 7 has three columns; the old answers stay", "Traceback …"
    )
    opened.show_message("warning", "Something else of some length that is worth to be told as well.")
    qtbot.waitUntil(lambda: opened.message_area.height() > 10)
    assert (opened.pages.geometry(), opened.workspace.ranked_list.size()) == before
    area = opened.message_area.geometry()
    assert opened.statusBar().geometry().contains(area)
    assert not area.intersects(opened.menuBar().geometry())
    selection = opened.statusBar().selection
    qtbot.waitUntil(lambda: opened.message_area.geometry().right() <= selection.mapTo(opened, QPoint()).x() < 900)


def test_f8_focuses_the_message_and_escape_closes_it(opened, qtbot):
    assert not opened.menus.actions["go_to_message"].isEnabled()
    opened.show_message("warning", "told")
    qtbot.waitUntil(opened.menus.actions["go_to_message"].isEnabled)
    qtbot.keyClick(opened, Qt.Key.Key_F8)
    focus = QApplication.focusWidget()
    assert opened.message_bar.isAncestorOf(focus)
    qtbot.keyClick(focus, Qt.Key.Key_Escape)
    assert opened.message_bar.current() is None
    qtbot.waitUntil(lambda: not opened.menus.actions["go_to_message"].isEnabled())
    assert QApplication.focusWidget() is not None


def test_missing_run_b_shows_a_message(window, sample_benchmark, qtbot):
    text = (sample_benchmark / "benchmark.toml").read_text()
    head, *runs = text.split("[[runs]]")
    (sample_benchmark / "benchmark.toml").write_text("[[runs]]".join([head, runs[0]]))
    for name in ("A2", "B1"):  # runs that the manifest does not list are read as well
        (sample_benchmark / "runs" / name).rename(sample_benchmark.parent / name)
    open_in_window(window, sample_benchmark, qtbot)
    assert len(window.session.benchmark.runs) == 1
    field = window.tool_bar.compared
    assert (field.placeholderText(), field.currentText(), field.isEnabled()) == ("no second run", "", False)
    assert "one run;" in plain_tooltip(field)
    for name in ("A2", "B1"):
        (sample_benchmark.parent / name).rename(sample_benchmark / "runs" / name)
    (sample_benchmark / "benchmark.toml").write_text(text)
    window.session.reload()
    settle(window.session, qtbot)
    assert (field.currentText(), field.count(), field.isEnabled()) == ("", 3, True)
    assert plain_tooltip(field).startswith("Run B, ")
