"""Reload of files that change on disk."""

import os

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton
from sample_benchmark import write_sample_benchmark
from sessions import settle
from windows import a_window, open_in_window

from shrec_viewer.domain import Cancelled
from shrec_viewer.panels.files.import_dialog import ImportDialog
from shrec_viewer.viewmodels.session import session as session_module


@pytest.fixture
def window(qapp, qtbot, tmp_path):
    yield from a_window(qapp, qtbot, tmp_path / "settings.ini")


@pytest.fixture
def folder(tmp_path):
    """A sample benchmark with lists long enough to scroll."""
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    classes = (folder / "models.cla").read_text(encoding="utf-8")
    more = [f"x{number}" for number in range(200)]
    classes = classes.replace("4 8", "5 208") + "\nrest 0 200\n" + "\n".join(more) + "\n"
    (folder / "models.cla").write_text(classes, encoding="utf-8")
    for path in (folder / "runs").glob("A*/q*"):
        lines = [f"{name} {10 + place:.1f}" for place, name in enumerate(more)]
        path.write_text(path.read_text(encoding="utf-8") + "\n".join(lines) + "\n", encoding="utf-8")
    return folder


def replace(path, text):
    draft = path.with_name(f".{path.name}.new")
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, path)


def swapped(path):
    """Swap the first and the last line of a list."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return "\n".join([lines[-1], *lines[1:-1], lines[0]]) + "\n"


def test_message_names_the_changed_run_and_the_selection_is_kept(window, folder, qtbot):
    open_in_window(window, folder, qtbot)
    session, results = window.session, window.workspace.ranked_list
    session.select(query=0, run=0, rank=60)
    settle(session, qtbot)
    bar = results.grid.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 100)
    bar.setValue(bar.maximum() // 2)
    qtbot.wait(100)
    window.workspace.show_panel("mesh_view")
    stage = window.workspace.panel("mesh_view").camera_controller
    stage.set_camera(stage.camera.orbited(30, 10))
    camera = stage.camera
    place, chosen, shown = bar.value(), session.selection, window.workspace.panel("findings").model.total
    replace(folder / "runs/A1/q1", swapped(folder / "runs/A1/q1"))
    qtbot.waitUntil(lambda: window.message_bar.current() is not None)
    settle(session, qtbot)
    message = window.message_bar.current()
    assert message.severity == "info"
    assert message.text.startswith("A1 reloaded, ")
    assert "→" in message.text
    assert session.selection == chosen
    assert bar.value() == place
    assert stage.camera == camera
    assert window.workspace.panel("findings").model.total >= shown - 1
    items = session.ranked_list.items
    assert session.benchmark.collection.ids[items[0]] == "x199"


def test_live_reload_can_be_switched_off_and_is_stored(window, folder, qtbot, tmp_path):
    action = window.menus.actions["follow"]
    open_in_window(window, folder, qtbot)
    assert action.isChecked()
    assert window.session.is_watching
    action.trigger()
    assert not action.isChecked()
    assert not window.session.is_watching
    assert not window.settings.follow
    assert "follow=false" in (tmp_path / "settings.ini").read_text(encoding="utf-8")
    action.trigger()
    assert window.session.is_watching


def test_menus_open_import_settings_findings_and_tasks(window, folder, qtbot):
    open_in_window(window, folder, qtbot)
    window.menus.actions["import_settings"].trigger()
    dialog = window.findChild(ImportDialog)
    qtbot.waitUntil(lambda: dialog.model.preview is not None)
    settle(window.session, qtbot)
    assert dialog.isVisible()
    assert not dialog.isModal()
    dialog.close()
    for key in ("tasks", "findings"):
        window.menus.actions[f"show_{key}"].trigger()
        qtbot.waitUntil(lambda key=key: window.workspace.panel(key).isVisible())


def test_ctrl_c_in_the_findings_copies_findings(window, folder, qtbot):
    open_in_window(window, folder, qtbot)
    window.session.select(rank=1)
    window.workspace.show_panel("findings")
    panel = window.workspace.panel("findings")
    qtbot.waitUntil(panel.isVisible)
    panel.table.setFocus()
    panel.table.selectRow(0)
    QGuiApplication.clipboard().setText("")
    assert QApplication.focusWidget() is panel.table
    qtbot.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().startswith("Severity\tWhere\t")


def test_ambiguous_file_is_announced_in_a_strip(window, folder, qtbot):
    import numpy as np

    np.save(folder / "runs/W.npy", np.zeros((5, 7)))
    text = (folder / "benchmark.toml").read_text(encoding="utf-8")
    (folder / "benchmark.toml").write_text(text + '\n[[runs]]\npath = "runs/W.npy"\n', encoding="utf-8")
    from shrec_viewer.panels.files.import_dialog import ImportStrip

    open_in_window(window, folder, qtbot)
    strip = window.findChild(ImportStrip)
    qtbot.waitUntil(strip.isVisible)
    assert strip.current().text.startswith("W.npy: ")
    qtbot.mouseClick(strip._action, Qt.MouseButton.LeftButton)
    dialog = window.findChild(ImportDialog)
    qtbot.waitUntil(lambda: dialog is not None and dialog.model.preview is not None)
    settle(window.session, qtbot)
    dialog.close()


class Slow:
    """A reader that runs until it is cancelled."""

    def __init__(self):
        self.was_cancelled = False

    def __call__(self, path, parts, task):
        for done in range(1000):
            task.progress(done, 1000, "big.txt, MiB")
            if task.wait(0.01):
                self.was_cancelled = True
                raise Cancelled
        return None


@pytest.fixture
def slow(monkeypatch):
    slow = Slow()
    monkeypatch.setattr(session_module, "open_benchmark", slow)
    return slow


def test_first_opening_can_be_cancelled(window, folder, slow, qtbot):
    window.open_path(folder)
    page = window.pages.reading
    qtbot.waitUntil(lambda: page.isVisible() and "big.txt" in page.accessibleName())
    button = page.findChild(QPushButton)
    assert button.text() == "Cancel"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: slow.was_cancelled)
    assert window.pages.currentWidget() is window.welcome
    assert not window.session.is_open


def test_cancelled_second_opening_keeps_the_open_benchmark(window, folder, tmp_path, qtbot, request):
    open_in_window(window, folder, qtbot)
    slow = request.getfixturevalue("slow")
    before = window.session.benchmark
    window.open_path(tmp_path)
    busy = window.statusBar().busy
    qtbot.waitUntil(busy.isVisible)
    qtbot.waitUntil(lambda: "big.txt, MiB" in busy.accessibleName())
    qtbot.mouseClick(busy._bar, Qt.MouseButton.LeftButton)
    panel = window.workspace.panel("tasks")
    qtbot.waitUntil(panel.isVisible)
    qtbot.waitUntil(lambda: panel.model.rowCount() > 0 and not panel.tasks.rows[0].outcome)
    qtbot.mouseClick(busy._cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: slow.was_cancelled)
    assert not busy.isVisible()
    assert window.session.benchmark is before
    assert window.workspace.isVisible()


def test_badge_counts_unreadable_files(window, folder, qtbot):
    open_in_window(window, folder, qtbot)
    badge = window.statusBar().badge
    assert "error" not in badge.text()
    (folder / "runs/A1").rename(folder / "away")
    qtbot.waitUntil(lambda: "1 error" in badge.text())
    qtbot.waitUntil(lambda: window.message_bar.current() is not None)
    assert window.message_bar.current().severity == "warning"
    (folder / "away").rename(folder / "runs/A1")
    qtbot.waitUntil(lambda: "error" not in badge.text())
