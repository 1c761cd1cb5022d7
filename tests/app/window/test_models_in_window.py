"""Models in the window: 3D view, card sizes, preferences."""

from shutil import rmtree

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QApplication
from sample_benchmark import write_sample_benchmark
from sessions import settle
from shared_windows import a_shared_window
from windows import open_in_window

from shrec_viewer.app.dialogs.shortcuts import panel_shortcuts
from shrec_viewer.app.startup.settings import SettingsFile
from shrec_viewer.resources import resource
from shrec_viewer.widgets.mesh_view.actions import MESH_VIEW_ACTIONS
from shrec_viewer.widgets.style.theme import animations_on, apply_animations


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    return tmp_path_factory.mktemp("models") / "settings.ini"


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot, memory):
    yield from a_shared_window(qapp, module_qtbot, resource("demo"), memory, meshes=True)


@pytest.fixture
def window(opened):
    """The same window, for another benchmark."""
    return opened


def view_grid(window):
    return window.workspace.panel("mesh_view").view_grid


def test_card_opens_in_3d_and_escape_restores_the_scroll_position(opened, qtbot, subtests):
    for way in ("enter", "space", "double click"):
        with subtests.test(way):
            check_card_in_3d(opened, qtbot, way)
        opened.session.deselect_rank()


def check_card_in_3d(opened, qtbot, way):
    grid = opened.workspace.ranked_list.grid
    grid.setFocus()
    grid.set_current_rank(25)
    opened.session.select(rank=25)
    qtbot.wait(80)
    width, scroll = grid.width(), grid.verticalScrollBar().value()
    assert scroll > 0
    if way == "double click":
        qtbot.mouseDClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=grid.visualRect(grid.currentIndex()).center())
    else:
        qtbot.keyClick(grid, Qt.Key.Key_Return if way == "enter" else Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: view_grid(opened).hasFocus())
    assert opened.workspace.is_shown("mesh_view")
    qtbot.waitUntil(lambda: view_grid(opened).view("a").image is not None)
    assert view_grid(opened).view("a").text.role.endswith("rank 25")
    qtbot.keyClick(view_grid(opened), Qt.Key.Key_Escape)
    qtbot.waitUntil(grid.hasFocus)
    qtbot.waitUntil(lambda: grid.width() == width)
    assert grid.verticalScrollBar().value() == scroll


def test_stepping_in_3d_moves_the_selection_of_unranked_models(window, qtbot, tmp_path):
    write_demo_models(tmp_path / "models")
    open_in_window(window, tmp_path / "models", qtbot)
    grid = window.workspace.ranked_list.grid
    qtbot.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=grid.visualRect(grid.model().index(0, 0)).center())
    qtbot.keyClick(grid, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view_grid(window).hasFocus())
    for _ in range(40):
        qtbot.keyClick(view_grid(window), Qt.Key.Key_Right)
    assert window.session.selection.model == 40
    assert window.statusBar().selection.text().endswith(grid.currentIndex().data())
    assert grid.selected_rows() == [40]
    assert grid.shows_row(40)
    window.session.deselect_rank()
    assert grid.selected_rows() == []


def write_demo_models(folder):
    folder.mkdir()
    for mesh in sorted(resource("demo").glob("models/*.off"))[:60]:
        (folder / mesh.name).write_bytes(mesh.read_bytes())


def test_panels_keep_their_size_after_enlarging_the_3d_view(opened, qtbot):
    grid, perspective_window = opened.workspace.ranked_list.grid, opened.workspace.perspective_window
    grid.setFocus()
    opened.session.select(rank=5)
    qtbot.wait(200)

    def sizes():
        return {
            key: dock.size() for key, dock in perspective_window.docks().items() if not dock.visibleRegion().isEmpty()
        }

    in_front = [dock for dock in perspective_window.docks().values() if not dock.visibleRegion().isEmpty()]
    before = sizes()
    for _ in range(3):
        qtbot.keyClick(grid, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: view_grid(opened).hasFocus())
        qtbot.wait(120)
        qtbot.keyClick(view_grid(opened), Qt.Key.Key_Escape)
        qtbot.waitUntil(grid.hasFocus)
        qtbot.wait(120)
    for dock in in_front:
        dock.raise_()
    qtbot.wait(60)
    assert sizes() == before


def test_opening_the_3d_view_moves_no_card(opened, qtbot):
    """With the default sizes and with those that the user chose; the panel is made by the first opening."""
    workspace, window = opened.workspace, opened.workspace.perspective_window
    grid = workspace.panel("ranked_list").grid
    opened.session.select(rank=1)

    def places():
        cards = [grid.visualRect(grid.model().index(row, 0)) for row in range(grid.model().rowCount())]
        return grid.columns(), grid.mapTo(opened, grid.rect().topLeft()), cards

    for is_dragged in (False, True):
        if is_dragged:
            window.sizes.keep()
            window.resizeDocks([window.dock("precision_recall")], [400], Qt.Orientation.Horizontal)
        qtbot.wait(200)
        before = places()
        opened.session.mesh_view_state.open()
        qtbot.waitUntil(lambda: view_grid(opened).hasFocus())
        qtbot.wait(200)
        assert places() == before
        opened.session.mesh_view_state.leave()
        qtbot.wait(60)
        assert places() == before
        workspace.show_panel("gain")


def test_shortcuts_of_the_3d_view_and_the_list_are_separate(opened, qtbot):
    """N is the next false positive in the list and shows normals in the view; Ctrl+C copies the image of the view."""
    opened.session.select(rank=1)
    opened.session.mesh_view_state.open()
    qtbot.waitUntil(lambda: view_grid(opened).hasFocus())
    qtbot.keyClick(view_grid(opened), Qt.Key.Key_N)
    assert opened.session.selection.rank == 1
    assert opened.workspace.panel("mesh_view").camera_controller.style.shading == "normals"
    QGuiApplication.clipboard().clear()
    qtbot.keyClick(view_grid(opened), Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert not QGuiApplication.clipboard().image().isNull()
    assert QGuiApplication.clipboard().text() == ""


def test_shortcut_list_has_every_key_of_the_3d_view():
    reported = " ".join(keys for view, _, keys in panel_shortcuts() if view == "3D view").split()
    for action in MESH_VIEW_ACTIONS:
        for key in action.keys:
            assert {"Left": "←", "Right": "→"}.get(key, key) in reported


def test_custom_card_size_is_stored(opened, qtbot, memory):
    grid = opened.workspace.ranked_list.grid
    at = QPointF(60, 60)
    for _ in range(2):
        event = QWheelEvent(
            at, grid.viewport().mapToGlobal(at), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(grid.viewport(), event)
    assert grid.card_size_name() == "128"
    qtbot.waitUntil(lambda: opened.settings.card_size == "128")
    assert SettingsFile(memory).read().card_size == "128"


def test_preferences_set_renderer_and_animations(opened, qtbot, qapp):
    from dataclasses import replace

    opened.session.select(rank=1)
    opened.session.mesh_view_state.open()
    qtbot.waitUntil(lambda: view_grid(opened).view("a").image is not None)
    opened.change_settings(replace(opened.settings, renderer="software", animations=False))
    qtbot.waitUntil(lambda: opened.session.mesh_view_state.source.description.startswith("software"))
    assert not animations_on()
    apply_animations(qapp, True)


def test_list_is_copied_as_an_image(opened, qtbot):
    QGuiApplication.clipboard().clear()
    opened.update_commands()  # without an event, as a menu or key would do
    opened.menus.actions["copy_strip"].trigger()
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().image().width() > 1000)
    settle(opened.session, qtbot)
    assert opened.message_bar.current().text.endswith("copied")


def test_perspectives_share_the_selection(opened, qtbot):
    opened.session.select(rank=3, compared=0)
    opened.session.mesh_view_state.open()
    qtbot.waitUntil(lambda: view_grid(opened).hasFocus())
    qtbot.keyClick(view_grid(opened), Qt.Key.Key_7)
    camera = view_grid(opened).camera
    opened.workspace.show_perspective("compare")
    settle(opened.session, qtbot)
    assert view_grid(opened).camera == camera
    opened.workspace.show_perspective("query")
    settle(opened.session, qtbot)
    assert view_grid(opened).camera == camera


def click_query(window, row, qtbot):
    queries = window.workspace.panel("queries").list
    position = queries.visualRect(queries.model().index(row, 0)).center()
    qtbot.mouseClick(queries.viewport(), Qt.MouseButton.LeftButton, pos=position)
    settle(window.session, qtbot)


def shown_ids(grid):
    return [grid.model().index(row, 0).data() for row in range(grid.model().rowCount())]


def test_click_on_a_query_shows_its_relevant_models_without_runs(window, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    rmtree(folder / "runs")
    open_in_window(window, folder, qtbot)
    results = window.workspace.ranked_list
    assert shown_ids(results.grid)[:2] == ["m1", "m2"]
    click_query(window, 2, qtbot)
    assert shown_ids(results.grid)[:4] == ["m5", "m6", "m7", "m8"]
    assert results.header.accessibleName() == "q3, chair, , 4 relevant of 8 models · no runs"
    assert results.legend.isVisible()
    qtbot.mouseClick(
        results.grid.viewport(),
        Qt.MouseButton.LeftButton,
        pos=results.grid.visualRect(results.grid.model().index(1, 0)).center(),
    )
    assert window.session.benchmark.collection.ids[window.session.selection.model] == "m6"
    assert results.grid.currentIndex().row() == 1
    click_query(window, 0, qtbot)
    assert results.grid.currentIndex().data() == "m6"


def test_missing_list_shows_the_relevant_models(window, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    open_in_window(window, folder, qtbot)
    window.session.select(run=2)
    click_query(window, 2, qtbot)
    results = window.workspace.ranked_list
    assert results.is_empty
    assert results.missed_grid.isVisible()
    assert shown_ids(results.missed_grid) == ["m5", "m6", "m7", "m8"]
    click_query(window, 0, qtbot)
    assert not results.missed_grid.isVisible()
