"""Projects are saved and restored; unsaved notes; moved folders."""

import os
import shutil
import threading
from functools import partial
from pathlib import Path

import pytest
import tomlkit
from PySide6.QtCore import QPoint, QStandardPaths, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QPushButton
from sample_benchmark import write_sample_benchmark
from sessions import settle, waiting_for
from windows import a_window, open_in_window

from shrec_viewer.app.docking.workspace import checked_layouts, focused_panel
from shrec_viewer.app.window import project_files
from shrec_viewer.formats.io.documents import read_toml
from shrec_viewer.formats.manifest import project
from shrec_viewer.formats.manifest.project import read_project
from shrec_viewer.metrics import with_convention
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.resources import resource

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def memory(tmp_path):
    return tmp_path / "settings.ini"


@pytest.fixture
def sample_benchmark(tmp_path):
    return write_sample_benchmark(tmp_path / "data" / "sample_benchmark")


@pytest.fixture(autouse=True)
def unsaved(tmp_path, monkeypatch):
    monkeypatch.setattr(project_files, "unsaved_notes_folder", lambda: tmp_path / "unsaved")
    return tmp_path / "unsaved"


@pytest.fixture
def window(qapp, qtbot, memory):
    yield from a_window(qapp, qtbot, memory)


def answer(monkeypatch, path):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args, **options: (str(path), ""))


def save(window, qtbot, key="save"):
    window.menus.actions[key].trigger()
    settle(window.session, qtbot)


def looked_at(window):
    session = window.session
    return (
        session.selection, session.profile, dict(session.edits.notes), session.edits.edited.hidden,
        window.workspace.perspective, window.settings.card_size,
    )  # fmt: skip


def test_all_panel_states_are_restored(window, sample_benchmark, tmp_path, monkeypatch, qtbot):
    path = tmp_path / "data" / "mine.shrec"
    open_in_window(window, sample_benchmark, qtbot)
    session = window.session
    session.set_conventions(with_convention(session.profile, "ties", "trec"))
    window.workspace.show_perspective("compare")
    session.select(query=1, run=1, compared=0, measure="FT", shown_runs=(1,))
    session.select(rank=3)
    window.set_card_size("L")
    session.edits.set_note(session.benchmark.queries.ids[1], "a note")
    settle(session, qtbot)
    assert window.isWindowModified()
    answer(monkeypatch, path.with_suffix(""))
    qtbot.keyClick(window, Qt.Key.Key_S, CTRL)
    settle(session, qtbot)
    assert not window.isWindowModified()
    assert {name for name, run in read_project(path).runs.items() if run.hash} == {
        run.name for run in session.benchmark.runs
    }
    expected = looked_at(window)
    open_in_window(window, write_sample_benchmark(tmp_path / "other"), qtbot)
    window.set_card_size("S")
    window.workspace.show_perspective("query")
    open_in_window(window, path, qtbot)
    assert looked_at(window) == expected
    assert not window.isWindowModified()
    assert window.settings.recent[0] == str(path)


def test_selected_rank_is_visible(window, tmp_path, monkeypatch, qtbot):
    path = tmp_path / "mine.shrec"
    open_in_window(window, resource("demo"), qtbot)
    grid = window.workspace.ranked_list.grid
    window.session.select(query=3, rank=60)
    answer(monkeypatch, path)
    save(window, qtbot)
    for before in (resource("demo"), write_sample_benchmark(tmp_path / "other"), None):
        if before is None:
            window.session.close()
        else:
            open_in_window(window, before, qtbot)
        open_in_window(window, path, qtbot)
        assert (window.session.selection.query, window.session.selection.rank) == (3, 60)
        assert grid.selected_rows() == [59]
        assert grid.shows_row(59), before


def test_project_opens_with_its_run_and_its_edits_are_no_consequence(
    window, sample_benchmark, tmp_path, monkeypatch, qtbot
):
    session, path = window.session, tmp_path / "mine.shrec"
    open_in_window(window, sample_benchmark, qtbot)
    session.select(run=1)
    session.edits.set_level(0, [4], 2)
    settle(session, qtbot)
    assert window.consequences.isVisible()
    answer(monkeypatch, path)
    save(window, qtbot)
    session.close()
    shown = []
    session.changed.connect(lambda *_: shown.append(window.consequences.isVisible()))
    open_in_window(window, path, qtbot)
    settle(session, qtbot)
    assert session.edits.levels
    assert shown
    assert not any(shown)
    assert session.run.name == "A2"


def test_failing_panel_state_leaves_the_window_usable(window, sample_benchmark, tmp_path, monkeypatch, qtbot):
    path = tmp_path / "mine.shrec"
    open_in_window(window, sample_benchmark, qtbot)
    window.session.select(query=1)
    answer(monkeypatch, path)
    save(window, qtbot)
    window.session.close()

    def breaks(*_):
        raise RuntimeError("no such layout")

    monkeypatch.setattr(window.workspace, "apply_layouts", breaks)
    with qtbot.captureExceptions() as caught:
        window.open_path(path)
        settle(window.session, qtbot)
        qtbot.waitUntil(lambda: bool(caught))
    assert str(caught[0][1]) == "no such layout"
    assert window.workspace.updatesEnabled()
    assert window.session.selection.query == 1


def test_benchmark_opened_during_a_project_restore_is_shown(window, sample_benchmark, tmp_path, monkeypatch, qtbot):
    path = tmp_path / "mine.shrec"
    open_in_window(window, sample_benchmark, qtbot)
    window.workspace.show_perspective("compare")
    answer(monkeypatch, path)
    save(window, qtbot)
    window.workspace.show_perspective("query")
    window.session.close()
    with qtbot.waitSignal(window.session.changed):
        window.open_path(path)
    window.session.close()
    assert window.workspace.updatesEnabled()
    open_in_window(window, sample_benchmark, qtbot)
    assert window.workspace.perspective == "query"


def test_saving_again_opens_no_dialog_and_clears_the_modified_mark(
    window, sample_benchmark, tmp_path, monkeypatch, qtbot
):
    path = tmp_path / "mine.shrec"
    open_in_window(window, sample_benchmark, qtbot)
    answer(monkeypatch, path)
    save(window, qtbot)
    answer(monkeypatch, "")  # a second dialog would save nothing
    window.session.select(shown_runs=(0,))
    assert window.isWindowModified()
    save(window, qtbot)
    assert not window.isWindowModified()
    assert len(read_project(path).edits.hidden) == len(window.session.benchmark.runs) - 1
    window.menus.actions["undo"].trigger()
    assert window.isWindowModified()
    window.menus.actions["redo"].trigger()
    assert not window.isWindowModified()


def test_project_restores_dock_positions(window, sample_benchmark, tmp_path, monkeypatch, qtbot):
    path = tmp_path / "mine.shrec"
    open_in_window(window, sample_benchmark, qtbot)
    window.workspace.dock("gain").close()
    answer(monkeypatch, path)
    save(window, qtbot)
    window.menus.actions["reset_layout"].trigger()
    qtbot.wait(50)
    assert window.workspace.dock("gain").isVisible()
    open_in_window(window, path, qtbot)
    qtbot.wait(100)
    assert not window.workspace.dock("gain").isVisible()
    assert window.workspace.dock("precision_recall").isVisible()
    assert window.workspace.ranked_list.isVisible()


def asked_for(monkeypatch):
    """Start folders of the file dialogs."""
    starts = []

    def ask(_parent, _title, start, _kind):
        starts.append(start)
        return "", ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    return starts


def test_default_project_folder_is_not_that_of_the_demo(window, sample_benchmark, tmp_path, monkeypatch, qtbot):
    documents = tmp_path / "documents"
    documents.mkdir()
    monkeypatch.setattr(QStandardPaths, "writableLocation", lambda _kind: str(documents))
    starts = asked_for(monkeypatch)
    open_in_window(window, resource("demo"), qtbot)
    window.menus.actions["save"].trigger()
    assert Path(starts[-1]).parent == documents
    projects = tmp_path / "projects"
    projects.mkdir()
    window.save_settings(window.settings.with_recent(projects / "mine.shrec"))
    window.menus.actions["save"].trigger()
    assert Path(starts[-1]).parent == projects
    open_in_window(window, sample_benchmark, qtbot)
    window.menus.actions["save"].trigger()
    assert Path(starts[-1]).parent == sample_benchmark.parent
    monkeypatch.setattr(os, "access", lambda path, _mode: path != sample_benchmark.parent)
    window.menus.actions["save"].trigger()
    assert Path(starts[-1]).parent == projects


def test_central_panel_has_the_focus_after_opening_a_project(
    window, sample_benchmark, tmp_path, monkeypatch, qtbot, subtests
):
    open_in_window(window, sample_benchmark, qtbot)
    for perspective in ("query", "compare", "campaign", "diagnose", "assess"):
        with subtests.test(perspective):
            path = tmp_path / f"{perspective}.shrec"
            window.workspace.show_perspective(perspective)
            qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)
            answer(monkeypatch, path)
            save(window, qtbot, "save_as")
            window.workspace.show_perspective("query")
            window.workspace.dock("gain").close()  # so that the layouts differ
            window.statusBar().badge.setFocus()
            open_in_window(window, path, qtbot)
            assert window.workspace.perspective == perspective
            shown = window.workspace.perspective_window
            qtbot.waitUntil(lambda: focused_panel(shown) == shown.centre)  # noqa: B023 - within the loop


def test_failed_saving_shows_an_error_and_keeps_the_project_modified(
    window, sample_benchmark, tmp_path, monkeypatch, qtbot
):
    open_in_window(window, sample_benchmark, qtbot)
    window.session.edits.set_note("x", "y")
    answer(monkeypatch, tmp_path / "no" / "such" / "folder" / "mine.shrec")
    save(window, qtbot)
    assert "mine.shrec cannot be saved" in window.message_bar.current().text
    assert window.isWindowModified()


def test_project_with_a_missing_folder_opens_a_folder_dialog(window, sample_benchmark, tmp_path, monkeypatch, qtbot):
    path = tmp_path / "my" / "own" / "folder" / "mine.shrec"  # other tests create a folder of that name
    path.parent.mkdir(parents=True)
    open_in_window(window, sample_benchmark, qtbot)
    answer(monkeypatch, path)
    save(window, qtbot)
    window.session.close()
    hidden = tmp_path / "a" / "b" / "renamed"
    hidden.parent.mkdir(parents=True)
    shutil.move(sample_benchmark, hidden)
    window.open_path(path)
    qtbot.waitUntil(lambda: window.findChild(QMessageBox, "relink") is not None)
    box = window.findChild(QMessageBox, "relink")
    assert "was not found at its old path" in box.text()
    monkeypatch.setattr(project_files, "choose_folder", lambda parent, start, purpose: hidden)
    choose = next(button for button in box.findChildren(QPushButton) if "Choose" in button.text())
    qtbot.mouseClick(choose, Qt.MouseButton.LeftButton)
    settle(window.session, qtbot)
    assert window.session.benchmark.root == hidden
    assert read_project(path).source == hidden


def test_a_project_moved_out_of_its_benchmark_asks_for_it(window, sample_benchmark, tmp_path, monkeypatch, qtbot):
    path = sample_benchmark / "mine.shrec"
    open_in_window(window, sample_benchmark, qtbot)
    answer(monkeypatch, path)
    save(window, qtbot)
    window.session.close()
    moved = tmp_path / "desktop" / "mine.shrec"
    moved.parent.mkdir()
    shutil.move(path, moved)
    window.open_path(moved)
    qtbot.waitUntil(lambda: window.findChild(QMessageBox, "relink") is not None)
    box = window.findChild(QMessageBox, "relink")
    assert str(moved.parent / "runs") in box.informativeText()
    assert not window.session.is_open
    monkeypatch.setattr(project_files, "choose_folder", lambda parent, start, purpose: sample_benchmark)
    choose = next(button for button in box.findChildren(QPushButton) if "Choose" in button.text())
    qtbot.mouseClick(choose, Qt.MouseButton.LeftButton)
    settle(window.session, qtbot)
    assert window.session.benchmark.root == sample_benchmark
    assert all(run.source.is_relative_to(sample_benchmark / "runs") for run in window.session.benchmark.runs)


def test_saving_keeps_runs_that_were_not_found(window, sample_benchmark, tmp_path, monkeypatch, qtbot):
    path = tmp_path / "mine.shrec"
    open_in_window(window, sample_benchmark, qtbot)
    answer(monkeypatch, path)
    save(window, qtbot)
    before = read_project(path)
    name = sorted(before.runs)[0]
    shutil.move(before.runs[name].path, tmp_path / "unplugged")
    open_in_window(window, path, qtbot)
    qtbot.waitUntil(lambda: f"Runs of the project not found: {name}." in message_text(window))
    assert name not in [run.name for run in window.session.benchmark.runs]
    save(window, qtbot)
    answer(monkeypatch, tmp_path / "copy.shrec")
    save(window, qtbot, "save_as")
    for saved in (path, tmp_path / "copy.shrec"):
        assert read_project(saved).runs == before.runs
    shutil.move(tmp_path / "unplugged", before.runs[name].path)
    open_in_window(window, path, qtbot)
    assert name in [run.name for run in window.session.benchmark.runs]


def test_a_benchmark_in_an_archive_stores_paths_in_it(window, sample_benchmark, tmp_path, monkeypatch, qtbot):
    archive = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", sample_benchmark))
    path = tmp_path / "mine.shrec"
    open_in_window(window, archive, qtbot)
    names = [run.name for run in window.session.benchmark.runs]
    answer(monkeypatch, path)
    save(window, qtbot)
    assert all(run.path.is_relative_to(archive) for run in read_project(path).runs.values())
    open_in_window(window, path, qtbot)
    assert [run.name for run in window.session.benchmark.runs] == names


def message_text(window):
    message = window.message_bar.current()
    return "" if message is None else message.text


def test_run_changed_since_saving_is_named(window, sample_benchmark, tmp_path, monkeypatch, qtbot):
    path = tmp_path / "mine.shrec"
    open_in_window(window, sample_benchmark, qtbot)
    answer(monkeypatch, path)
    save(window, qtbot)
    window.session.close()
    run = read_project(path).runs["A1"].path
    file = sorted(run.iterdir())[0] if run.is_dir() else run
    file.write_text("\n".join(reversed(file.read_text().splitlines())) + "\n")
    open_in_window(window, path, qtbot)
    qtbot.waitUntil(lambda: window.message_bar.current() is not None and "A1" in window.message_bar.current().text)


def test_unsaved_notes_are_offered_and_restored(qapp, qtbot, memory, sample_benchmark):
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, sample_benchmark, qtbot)
        query = window.session.benchmark.queries.ids[0]
        window.menus.actions["write_note"].trigger()
        field = window.workspace.panel("notes").field
        assert field.hasFocus()
        qtbot.keyClicks(field, "seen")
        qtbot.keyClick(field, Qt.Key.Key_Z, CTRL)
        assert field.toPlainText() == ""
        qtbot.keyClicks(field, "seen again")
        assert window.menus.actions["undo"].text() == f"&Undo note on {query}"
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, sample_benchmark, qtbot)
        assert window.message_bar.current().text == "1 note was not saved in a project."
        button = next(
            b for b in window.message_bar.findChildren(QPushButton) if b.text() == project_files.RESTORE_EDITS
        )
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert window.session.edits.note(query) == "seen again"
        assert window.isWindowModified()


def test_notes_older_than_a_second_survive_a_crash(window, sample_benchmark, unsaved, qtbot):
    open_in_window(window, sample_benchmark, qtbot)
    window.session.edits.set_note(window.session.benchmark.queries.ids[0], "kept")
    qtbot.waitUntil(partial(holds, unsaved, "kept"))
    window.session.edits.stack.undo()
    qtbot.waitUntil(lambda: not list(unsaved.iterdir()))


def holds(folder, words):
    return folder.exists() and any(words in file.read_text() for file in folder.glob("*.json"))


def test_notes_are_written_with_the_keyboard_and_select_their_queries(window, sample_benchmark, qtbot):
    open_in_window(window, sample_benchmark, qtbot)
    session, notes = window.session, window.workspace.panel("notes")
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_N, CTRL | Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(QApplication.focusWidget(), "first")
    session.select(query=1)
    assert notes.field.toPlainText() == ""
    qtbot.keyClicks(notes.field, "second")
    assert notes.others.count() == 2
    notes.others.setCurrentRow(0)
    qtbot.keyClick(notes.others, Qt.Key.Key_Return)
    assert session.selection.query == 0
    assert notes.field.toPlainText() == "first"


def test_panel_states_of_a_project_are_restored(window, sample_benchmark, tmp_path, monkeypatch, qapp, qtbot):
    path = tmp_path / "mine.shrec"
    open_in_window(window, sample_benchmark, qtbot)
    window.session.select(query=1, run=1, compared=0)
    choose_in_panels(window.workspace)
    settle(window.session, qtbot)
    expected = chosen_in_panels(window.workspace)
    assert expected["queries"] == {"order": "loss", "text": "q2"}
    assert expected["precision_recall"]["curve"] == "PR11"
    assert expected["leaderboard"]["sorted_by"] == window.workspace.panel("leaderboard").model.measure_of(3)
    assert expected["mesh_view"] == {"shading": "normals", "box": True}
    assert expected["generality"]["level"] == 1.0
    answer(monkeypatch, path)
    save(window, qtbot)
    for other in a_window(qapp, qtbot):
        open_in_window(other, path, qtbot)
        for key in ("heat_map", "gain", "comparison", "generality", "mesh_view"):  # restored when they are created
            other.workspace.panel(key)
        settle(other.session, qtbot)
        assert chosen_in_panels(other.workspace) == {key: expected[key] for key in chosen_in_panels(other.workspace)}
        assert {
            "queries",
            "precision_recall",
            "gain",
            "leaderboard",
            "heat_map",
            "comparison",
        } <= other.workspace.panels().keys()
        assert other.workspace.queries.list.model().rowCount() == 1
        assert other.workspace.panel("leaderboard").table.isColumnHidden(2)


def choose_in_panels(workspace):
    queries, board, heat = workspace.queries, workspace.panel("leaderboard"), workspace.panel("heat_map")
    queries.header._filter.setText("q2")
    queries.header._order.setCurrentIndex(queries.header._order.findData("loss"))
    queries.header._order.activated.emit(queries.header._order.currentIndex())
    workspace.panel("precision_recall").select_kind("PR11")
    workspace.panel("precision_recall").header.options["show", "random"].trigger()
    workspace.panel("gain").header.options["over", "recall"].trigger()
    hidden = tuple(name for name, column in board.columns.columns().items() if column == 2)
    board.set_option("hidden_columns", hidden)
    workspace.window().session.select(mean_over="classes")
    compared = workspace.panel("comparison")
    compared.count.setCurrentIndex(1)
    compared.count.activated.emit(1)
    next(action for action in compared.menu_button.menu().actions() if action.text() == "All lines").trigger()
    heads = board.table.horizontalHeader()
    at = QPoint(heads.sectionViewportPosition(3) + 8, heads.height() // 2)
    QTest.mouseClick(heads.viewport(), Qt.MouseButton.LeftButton, pos=at)
    workspace.panel("generality").footer.level_selected.emit(1.0)
    workspace.panel("mesh_view")._act("normals")
    workspace.panel("mesh_view")._act("box")
    heat.queries_by.setCurrentIndex(3)
    heat.set_option("values", "run")


def chosen_in_panels(workspace):
    panels = workspace.panels().items()
    return {key: panel.options.state() for key, panel in panels if isinstance(panel, RequestPanel)}


def test_window_title_names_the_project(window, sample_benchmark, tmp_path, monkeypatch, qtbot):
    open_in_window(window, sample_benchmark, qtbot)
    assert window.windowTitle() == "Menagerie[*] – SHREC Viewer"
    answer(monkeypatch, tmp_path / "mine.shrec")
    save(window, qtbot)
    assert window.windowTitle() == "mine.shrec[*] – Menagerie – SHREC Viewer"
    open_in_window(window, sample_benchmark, qtbot)
    assert window.windowTitle() == "Menagerie[*] – SHREC Viewer"
    open_in_window(window, tmp_path / "mine.shrec", qtbot)
    assert window.windowTitle() == "mine.shrec[*] – Menagerie – SHREC Viewer"


NONSENSE = (
    "7",
    "{queries = 3, gain = {kind = 5, options = [1], values = 'x'}, heat_map = {against = [], queries_by = {}}, "
    "leaderboard = {hidden_columns = 4, of = []}, generality = {level = true}, mesh_view = {shading = 2}}",
    "{queries = {order = 'no such', class = 8, text = 9}, nobody = {a = 1}, generality = {level = nan}, "
    "leaderboard = {sorted_by = 3, descending = 'x'}, mesh_view = {box = 'x', wireframe = 4}}",
    "{leaderboard = {sorted_by = 'no such'}}",
)


LAYOUTS = (
    "'AAAA/wAAAAD9'",
    "{query = 'AAAA/wAAAAD9', campaign = {areas = {}}}",
    "{query = {areas = {left = {size = 1e9, tabs = ['queries'], current = 'queries'}}}, other = {}}",
)


def test_each_invalid_layout_has_a_reason():
    for layouts in (*LAYOUTS, "7", "{other = {}}"):
        _, problem = checked_layouts(tomlkit.parse(f"layouts = {layouts}").unwrap()["layouts"])
        assert problem


def damaged_projects(path, key, values):
    """Copies of a project with other values at ``view.<key>``; yields each value and its path."""
    for number, value in enumerate(values):
        document = tomlkit.parse(path.read_text())
        document["view"][key] = tomlkit.parse(f"{key} = {value}")[key]
        damaged = path.with_name(f"damaged{number}.shrec")
        damaged.write_text(tomlkit.dumps(document))
        yield value, damaged


def test_project_with_an_invalid_layout_opens_with_the_default_layout(
    window, sample_benchmark, tmp_path, monkeypatch, qtbot, subtests
):
    path = tmp_path / "mine.shrec"
    open_in_window(window, sample_benchmark, qtbot)
    answer(monkeypatch, path)
    save(window, qtbot)
    for layouts, damaged in damaged_projects(path, "layouts", LAYOUTS):
        with subtests.test(layouts):
            window.workspace.dock("gain").close()
            open_in_window(window, damaged, qtbot)
            qtbot.waitUntil(lambda: bool(window.message_area.texts()))
            (text,) = window.message_area.texts()
            assert text.startswith("The saved layout of the project is not valid (")
            assert text.endswith("); the default layout is used.")
            qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)
            assert all(window.workspace.dock(key).isVisible() for key in ("queries", "gain", "leaderboard"))


def test_project_with_invalid_panel_states_opens(window, sample_benchmark, tmp_path, monkeypatch, qtbot, subtests):
    path = tmp_path / "mine.shrec"
    open_in_window(window, sample_benchmark, qtbot)
    answer(monkeypatch, path)
    window.workspace.panel("heat_map")
    save(window, qtbot)
    for panels, damaged in damaged_projects(path, "panels", NONSENSE):
        with subtests.test(panels):
            open_in_window(window, damaged, qtbot)
            message = window.message_bar.current()
            assert message is None or message.severity == "info" or "[view.panels" in message.text
            assert window.session.path == damaged
            assert window.session.is_open


# Quitting with unsaved edits.


def unsaved_dialog(window):
    return window.findChild(QMessageBox, project_files.UNSAVED_DIALOG)


def quit_with_note(window, folder, qtbot):
    """Open `folder`, write a note and press Ctrl+Q; the dialog."""
    open_in_window(window, folder, qtbot)
    window.session.edits.set_note(window.session.benchmark.queries.ids[0], "kept")
    window.activateWindow()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Q, CTRL)
    qtbot.waitUntil(lambda: unsaved_dialog(window) is not None)
    assert window.isVisible()
    return unsaved_dialog(window)


def press(dialog, name, qtbot):
    button = dialog.button(getattr(QMessageBox.StandardButton, name))
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def quit_again(window, qtbot):
    qtbot.waitUntil(lambda: unsaved_dialog(window) is None)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.workspace.focus_centre()
    qtbot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Q, CTRL)
    qtbot.waitUntil(lambda: unsaved_dialog(window) is not None)
    return unsaved_dialog(window)


def test_quitting_is_cancelled_or_saves_the_edits(window, sample_benchmark, unsaved, tmp_path, monkeypatch, qtbot):
    dialog = quit_with_note(window, sample_benchmark, qtbot)
    assert "backed up" not in dialog.informativeText()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: unsaved_dialog(window) is None)
    assert window.isVisible()
    assert window.session.edits.note(window.session.benchmark.queries.ids[0]) == "kept"
    answer(monkeypatch, "")  # saving is cancelled
    press(quit_again(window, qtbot), "Save", qtbot)
    qtbot.waitUntil(lambda: unsaved_dialog(window) is None)
    assert window.isVisible()
    answer(monkeypatch, tmp_path / "nowhere" / "mine.shrec")
    press(quit_again(window, qtbot), "Save", qtbot)
    settle(window.session, qtbot)
    assert window.isVisible()
    assert window.message_bar.current().severity == "error"
    answer(monkeypatch, tmp_path / "mine.shrec")
    press(quit_again(window, qtbot), "Save", qtbot)
    qtbot.waitUntil(lambda: not window.isVisible())
    assert "kept" in (tmp_path / "mine.shrec").read_text()
    assert not list(unsaved.iterdir())


def test_discarded_edits_are_not_restored(window, sample_benchmark, unsaved, qtbot):
    dialog = quit_with_note(window, sample_benchmark, qtbot)
    assert holds(unsaved, "kept")
    press(dialog, "Discard", qtbot)
    qtbot.waitUntil(lambda: not window.isVisible())
    assert not list(unsaved.iterdir())


def test_dialog_says_that_notes_will_be_lost_without_a_settings_folder(window, sample_benchmark, unsaved, qtbot):
    unsaved.write_text("a file where the folder should be")
    dialog = quit_with_note(window, sample_benchmark, qtbot)
    assert dialog.informativeText().startswith(
        "Notes and other edits will be lost unless they are saved: they cannot be backed up ("
    )
    press(dialog, "Discard", qtbot)
    qtbot.waitUntil(lambda: not window.isVisible())


def test_saved_edits_are_not_asked_about(window, sample_benchmark, tmp_path, monkeypatch, qtbot):
    open_in_window(window, sample_benchmark, qtbot)
    window.session.edits.set_note(window.session.benchmark.queries.ids[0], "kept")
    answer(monkeypatch, tmp_path / "mine.shrec")
    save(window, qtbot)
    window.close()
    assert not window.isVisible()
    assert unsaved_dialog(window) is None


def test_no_project_is_parsed_in_the_main_thread(window, sample_benchmark, tmp_path, monkeypatch, qtbot):
    threads = []

    def read(file):
        threads.append(threading.current_thread())
        return read_toml(file)

    monkeypatch.setattr(project, "read_toml", read)
    path = tmp_path / "mine.shrec"
    open_in_window(window, sample_benchmark, qtbot)
    answer(monkeypatch, path)
    save(window, qtbot)
    open_in_window(window, path, qtbot)
    with waiting_for(window.session, qtbot, "benchmark"):
        window.session.reload()
    settle(window.session, qtbot)
    assert window.projects.path == path
    window.session.edits.set_note("Q01", "new")
    window.projects.write(path)
    settle(window.session, qtbot)
    assert threading.main_thread() not in threads
    assert len(threads) >= 3


def test_a_project_that_cannot_be_parsed_is_a_message_and_the_window_stays_usable(window, tmp_path, qtbot):
    path = tmp_path / "mine.shrec"
    path.write_text(f'[benchmark]\nfolder = "."\n{".".join(["a"] * 20_000)} = 1\n')
    window.open_path(path)
    qtbot.waitUntil(lambda: window.message_bar.current() is not None)
    assert "mine.shrec" in window.message_bar.current().text
    assert not window.session.is_open
