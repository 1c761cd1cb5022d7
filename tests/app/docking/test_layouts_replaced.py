"""Replaced layouts leave no widgets behind."""

import pytest
from PySide6.QtWidgets import QApplication, QDockWidget, QTabBar
from shared_windows import a_shared_window

from shrec_viewer.app.docking.perspective_window import PerspectiveWindow
from shrec_viewer.panels import PERSPECTIVES
from shrec_viewer.resources import resource


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot):
    yield from a_shared_window(qapp, module_qtbot, resource("demo"))


@pytest.fixture
def workspace(shared, qtbot):
    return shared.reset(qtbot).workspace


def kinds():
    widgets = QApplication.allWidgets()
    return [sum(isinstance(widget, kind) for widget in widgets) for kind in (PerspectiveWindow, QDockWidget)]


def walk(workspace, qtbot):
    for perspective in (*PERSPECTIVES, PERSPECTIVES[0]):
        workspace.show_perspective(perspective.key)
        qtbot.waitUntil(lambda: workspace.perspective_window.is_complete)


@pytest.mark.qt_log_ignore("This plugin does not support raise", extend=True)
def test_replaced_layouts_are_deleted_with_floating_and_tabbed_docks(workspace, qtbot):
    walk(workspace, qtbot)
    before = kinds()
    for _ in range(2):
        for key in ("queries", "precision_recall"):
            workspace.perspective_window.dock(key).setFloating(True)
        workspace.show_panel("generality")
        qtbot.wait(30)
        workspace.apply_layouts({})
        walk(workspace, qtbot)
    qtbot.waitUntil(lambda: kinds() == before)
    assert workspace.panel("queries").isVisible()


@pytest.mark.qt_log_ignore("This plugin does not support raise", extend=True)
def test_repeated_layout_resets_leave_no_objects_behind(workspace, qtbot):
    def disturb_and_reset(times):
        for _ in range(times):
            for key in ("queries", "gain"):
                workspace.perspective_window.dock(key).setFloating(True)
            workspace.show_panel("generality")
            workspace.perspective_window.dock("precision_recall").close()
            qtbot.wait(10)
            workspace.reset_layout()
            qtbot.waitUntil(lambda: workspace.perspective_window.is_complete)
            qtbot.wait(30)
        widgets = QApplication.allWidgets()
        return sum(isinstance(widget, QTabBar) for widget in widgets), len(widgets)

    assert disturb_and_reset(2) == disturb_and_reset(4), "the tab bars of before are used again"
