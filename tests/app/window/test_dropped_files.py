"""Files dragged from a file manager onto the window."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QToolButton
from sample_benchmark import write_sample_benchmark
from sessions import settle
from windows import a_window, open_in_window

from shrec_viewer.cli.program import run
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.recognition import is_run
from shrec_viewer.formats.manifest.parts import BenchmarkParts
from shrec_viewer.panels.files.add_runs import AddRunsDialog
from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.files import run_submission

COPY, MOVE, LINK = Qt.DropAction.CopyAction, Qt.DropAction.MoveAction, Qt.DropAction.LinkAction
HAND = (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)


no_raise = pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)", extend=True)


@pytest.fixture
def window(qapp, qtbot, tmp_path):
    yield from a_window(qapp, qtbot, tmp_path / "settings.ini")


@pytest.fixture
def changing(window, qtbot, tmp_path):
    """A window with a benchmark of which the test changes files."""
    open_in_window(window, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)
    return window


def mime(*what) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl(name) if "://" in str(name) else QUrl.fromLocalFile(str(name)) for name in what])
    return data


def carry(window, *what, place=None, actions=COPY | MOVE | LINK, let_go=None) -> QDropEvent:
    """Drag files over a position of the window and drop them there; `let_go` replaces the data at the drop."""
    place = QPoint(600, 500) if place is None else place
    data, later = mime(*what), mime(*what) if let_go is None else let_go
    enter = QDragEnterEvent(place, actions, data, *HAND)
    move = QDragMoveEvent(place, actions, data, *HAND)
    drop = QDropEvent(QPointF(place), actions, later, *HAND)
    for event in (enter, move, drop):
        event.setDropAction(MOVE)  # the default of file managers within one disk
        QApplication.sendEvent(window.windowHandle(), event)
        assert event.isAccepted()
    return drop


def message_texts(window) -> list[str]:
    return [message.text for message in window.message_bar._messages]


def middle(window, widget) -> QPoint:
    return widget.mapTo(window, widget.rect().center())


def test_drop_is_accepted_as_a_copy(window, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "other")
    assert carry(window, folder).dropAction() == COPY
    settle(window.session, qtbot)
    assert window.session.path == folder


def test_file_dropped_on_a_text_field_is_opened(opened, tmp_path, qtbot):
    field = next(field for field in opened.findChildren(QLineEdit) if field.isVisible() and not field.isReadOnly())
    other = write_sample_benchmark(tmp_path / "other")
    carry(opened, other, place=middle(opened, field))
    settle(opened.session, qtbot)
    assert opened.session.path == other
    assert field.text() == ""


def test_drop_is_opened_though_the_source_has_ended(window, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "other")
    carry(window, folder, let_go=QMimeData())
    settle(window.session, qtbot)
    assert window.session.path == folder


def test_aborted_drag_changes_nothing(window, tmp_path):
    enter = QDragEnterEvent(QPoint(9, 9), COPY, data := mime(tmp_path), *HAND)
    QApplication.sendEvent(window.windowHandle(), enter)
    assert window.welcome._dropping
    QApplication.sendEvent(window.windowHandle(), QDragLeaveEvent())
    assert not window.welcome._dropping
    assert data.hasUrls()


def test_dropped_web_address_shows_a_message(opened):
    before = opened.session.path
    carry(opened, "https://example.org/data/runs.zip")
    assert message_texts(opened) == ["“runs.zip” is not a local file (example.org). Download it first."]
    assert opened.session.path == before


def new_runs(opened, tmp_path, *names):
    """Copies of the run A1 in another folder."""
    source = next(run.source for run in opened.session.benchmark.runs if run.name == "A1")
    return [shutil.copytree(source, tmp_path / "new" / name) for name in names]


def choose(opened, text):
    """Click an entry of the menu of the drop."""
    menu = next(menu for menu in opened.findChildren(QMenu) if menu.objectName() == "dropped")
    action = next(action for action in menu.actions() if action.text() == text)
    action.trigger()
    menu.close()


@no_raise
def test_the_menu_of_a_drop_starts_with_the_name(opened, tmp_path):
    """As a disabled entry: the style sheet draws no text of `QMenu.addSection`."""
    carry(opened, *new_runs(opened, tmp_path, "N & 1", "N2"))
    menu = opened.findChildren(QMenu, "dropped")[-1]
    first = menu.actions()[0]
    assert (first.text(), first.isSeparator(), first.isEnabled()) == ("N && 1 and 1 more", False, False)
    menu.close()


def dialog_of(opened, qtbot):
    dialog = opened.findChildren(AddRunsDialog)[-1]
    qtbot.waitUntil(lambda: not dialog.model.is_checking)
    settle(opened.session, qtbot)
    return dialog


def shown(opened):
    return [run.name for run in opened.session.benchmark.runs]


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@no_raise
def test_several_dropped_runs_are_checked_then_copied_and_undone(changing, tmp_path, qtbot):
    root = changing.session.benchmark.root
    before, files = shown(changing), contents(root)
    carry(changing, *new_runs(changing, tmp_path, "N1", "N2"))
    choose(changing, "Add as run")
    dialog = dialog_of(changing, qtbot)
    assert [run.run.name for run in dialog.model.runs] == ["N1", "N2"]
    assert shown(changing) == before, "nothing is added before a click"
    assert {row[0] for row in dialog.findings_model.table.rows} == {"note"}
    assert dialog.way == "copy"
    qtbot.mouseClick(dialog.add, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: {*shown(changing)} == {*before, "N1", "N2"})
    settle(changing.session, qtbot)
    assert not list(root.rglob(".*"))
    assert changing.session.edits.stack.isClean(), "files on disk are no unsaved edits"
    assert {path: data for path, data in contents(root).items() if path in files} == files
    changing.session.edits.stack.undo()
    qtbot.waitUntil(lambda: shown(changing) == before)
    settle(changing.session, qtbot)
    assert contents(root) == files
    changing.session.edits.stack.redo()
    qtbot.waitUntil(lambda: {*shown(changing)} == {*before, "N1", "N2"})
    settle(changing.session, qtbot)


@no_raise
def test_undo_never_deletes_a_copy_that_was_changed(changing, tmp_path, qtbot):
    carry(changing, *new_runs(changing, tmp_path, "N1"))
    choose(changing, "Add as run")
    qtbot.mouseClick(dialog_of(changing, qtbot).add, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "N1" in shown(changing))
    settle(changing.session, qtbot)
    copy = next(run.source for run in changing.session.benchmark.runs if run.name == "N1")
    changed = sorted(copy.iterdir())[0]
    changed.write_text(changed.read_text() + "\n")
    changing.session.edits.stack.undo()
    settle(changing.session, qtbot)
    qtbot.waitUntil(lambda: any("is not deleted" in text for text in message_texts(changing)))
    assert changed.exists()


@no_raise
@pytest.mark.parametrize("has_manifest", [True, False])
def test_a_run_is_linked_in_benchmark_toml_and_undone(changing, tmp_path, qtbot, has_manifest):
    root = changing.session.benchmark.root
    manifest = root / "benchmark.toml"
    if has_manifest:
        manifest.write_text('# by hand\n[benchmark]\nname = "Zoo"\n')
        changing.session.reload()
        settle(changing.session, qtbot)
    before, files = shown(changing), contents(root)
    (new,) = new_runs(changing, tmp_path, "N1")
    carry(changing, new)
    choose(changing, "Add as run")
    dialog = dialog_of(changing, qtbot)
    qtbot.mouseClick(dialog.ways["link"], Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
    assert dialog.way == "link"
    qtbot.mouseClick(dialog.add, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "N1" in shown(changing))
    settle(changing.session, qtbot)
    assert ("# by hand" in manifest.read_text()) is has_manifest
    assert next(run.source for run in changing.session.benchmark.runs if run.name == "N1") == new
    changing.session.edits.stack.undo()
    qtbot.waitUntil(lambda: shown(changing) == before)
    settle(changing.session, qtbot)
    assert contents(root) == files
    assert new.exists()


@no_raise
def test_replace_keeps_name_and_colour_and_writes_nothing(changing, tmp_path, qtbot):
    root, styles = changing.session.benchmark.root, changing.session.run_styles.styles("light")
    before, files = shown(changing), contents(root)
    (new,) = new_runs(changing, tmp_path, "second try")
    carry(changing, new)
    choose(changing, "Add as run")
    dialog = dialog_of(changing, qtbot)
    choice = dialog.runs.indexWidget(dialog.runs_model.index(0, 4))
    assert choice.currentData() == "", "no run has the name of the file"
    choice.setCurrentIndex(choice.findData("A2"))
    assert dialog.way == "project"
    assert not dialog.ways["copy"].isEnabled()
    qtbot.mouseClick(dialog.add, Qt.MouseButton.LeftButton)
    settle(changing.session, qtbot)
    assert shown(changing) == before
    assert changing.session.benchmark.run("A2").source == new
    assert changing.session.run_styles.styles("light") == styles
    assert contents(root) == files
    changing.session.edits.stack.undo()
    settle(changing.session, qtbot)
    assert changing.session.benchmark.run("A2").source != new


@no_raise
def test_a_file_with_the_name_of_a_run_is_proposed_to_replace_it(changing, tmp_path, qtbot):
    """Afterwards the strip and the table of runs say what that changes."""
    session, strip = changing.session, changing.consequences
    before = session.mean("queries").copy()
    (new,) = new_runs(changing, tmp_path, "B1")
    carry(changing, new)
    choose(changing, "Add as run")
    dialog = dialog_of(changing, qtbot)
    assert [one.replaces for one in dialog.chosen()] == ["B1"]
    qtbot.mouseClick(dialog.add, Qt.MouseButton.LeftButton)
    settle(session, qtbot)
    assert session.benchmark.run("B1").source == new
    assert strip.cause.text() == "B1 replaced"
    assert strip.effect.text().startswith(f"{session.measure} of B1 ")
    assert strip.effect.text().endswith(f" of {len(session.benchmark.runs)}")
    assert session.document.replaced_scores.mean() == pytest.approx(before, nan_ok=True)


@no_raise
@pytest.mark.parametrize("keeps", [True, False])
def test_a_replaced_run_is_compared_with_its_former_version(window, tmp_path, qtbot, keeps):
    """Or, where no versions are kept, with the run that differs most from it; the strip stays, to undo it."""
    session, strip = window.session, window.consequences
    session.versions.folder = tmp_path / "versions" if keeps else None
    open_in_window(window, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)
    settle(session, qtbot)
    before = session.scores
    (new,) = new_runs(window, tmp_path, "B1")
    carry(window, new)
    choose(window, "Add as run")
    qtbot.mouseClick(dialog_of(window, qtbot).add, Qt.MouseButton.LeftButton)
    settle(session, qtbot)
    buttons = {one.text(): one for one in strip.findChildren(QToolButton) if one.isVisible()}
    assert [text for text in buttons if text] == ["Compare", "Undo"]
    qtbot.mouseClick(buttons["Compare"], Qt.MouseButton.LeftButton)
    settle(session, qtbot)
    assert window.workspace.perspective == "compare"
    compared = session.benchmark.runs[session.selection.compared].name
    assert session.run.name == "B1"
    assert compared.startswith("B1 · ") if keeps else compared == "A2"
    if keeps:
        row = session.scores.run_index(compared)
        np.testing.assert_array_equal(session.scores.values[row], before.values[before.run_index("B1")])
    assert strip.isVisible()
    qtbot.mouseClick(buttons["Undo"], Qt.MouseButton.LeftButton)
    settle(session, qtbot)
    assert session.benchmark.run("B1").source != new


@no_raise
def test_a_drop_is_only_checked(opened, tmp_path, qtbot):
    (new,) = new_runs(opened, tmp_path, "N1")
    lists = sorted(new.iterdir())
    lists[0].write_text(lists[0].read_text() + "unheard-of 9.5\n")
    before, files = shown(opened), contents(opened.session.benchmark.root)
    carry(opened, new)
    choose(opened, "Check against this benchmark")
    dialog = dialog_of(opened, qtbot)
    assert not dialog.add.isVisible()
    rows = dialog.findings_model.table.rows
    assert any(f"{lists[0].name}:" in place and "unheard-of" in text for _, place, text in rows)
    assert dialog.runs_model.index(0, 3).data() == "1"
    qtbot.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    text = QGuiApplication.clipboard().text()
    assert text.startswith(f"{opened.session.benchmark.name}: submission of {dialog.model.runs[0].run.participant}\n")
    assert f"{lists[0].name}, line " in text
    assert "unheard-of" in text
    dialog.close()
    assert (shown(opened), contents(opened.session.benchmark.root)) == (before, files)


@no_raise
def test_a_drop_is_opened_alone(opened, tmp_path, qtbot):
    (new,) = new_runs(opened, tmp_path, "N1")
    carry(opened, new)
    choose(opened, "Open alone")
    settle(opened.session, qtbot)
    qtbot.waitUntil(lambda: opened.session.path == new or any("N1" in text for text in message_texts(opened)))


@no_raise
@pytest.mark.parametrize(("names", "links"), [(["N1"], "the link."), (["N1", "N2"], "the links.")])
def test_a_read_only_folder_is_linked_in_the_project(changing, tmp_path, qtbot, monkeypatch, names, links):
    monkeypatch.setattr(run_submission.os, "access", lambda *_: False)
    carry(changing, *new_runs(changing, tmp_path, *names))
    choose(changing, "Add as run")
    dialog = dialog_of(changing, qtbot)
    assert [dialog.ways[key].isEnabled() for key in ("copy", "link", "project")] == [False, False, True]
    assert "cannot be written" in dialog.problem.text()
    qtbot.mouseClick(dialog.add, Qt.MouseButton.LeftButton)
    settle(changing.session, qtbot)
    assert set(names) <= {*shown(changing)}
    assert any(f"linked, and saved with the project. Undo removes {links}" in text for text in message_texts(changing))


@no_raise
def test_a_pasted_path_is_handled_like_a_drop(opened, tmp_path, qtbot):
    (new,) = new_runs(opened, tmp_path, "N1")
    QApplication.clipboard().setText(f'"{new}"\n')
    opened.workspace.focus_centre()
    qtbot.keyClick(opened.workspace.ranked_list.grid, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    choose(opened, "Add as run")
    dialog = dialog_of(opened, qtbot)
    assert [run.run.name for run in dialog.model.runs] == ["N1"]
    dialog.close()
    QApplication.clipboard().setText("no path at all")
    opened.menus.actions["paste"].trigger()
    assert any("no path of an existing file" in text for text in message_texts(opened))


@no_raise
def test_runs_of_the_command_line_are_added_to_what_is_opened(window, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    new = shutil.copytree(folder / "runs" / "A1", tmp_path / "new" / "N1")
    files = contents(folder)
    window.change_when_open(BenchmarkParts(added=(new,)))
    open_in_window(window, folder, qtbot)
    qtbot.waitUntil(lambda: "N1" in shown(window))
    settle(window.session, qtbot)
    assert contents(folder) == files
    window.session.edits.stack.undo()
    assert "N1" not in shown(window)


@no_raise
def test_edits_and_virtual_runs_of_the_command_line_have_the_scores_of_evaluate(window, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    new = shutil.copytree(folder / "runs" / "A2", tmp_path / "new" / "N1")
    edits = tmp_path / "edits.txt"
    edits.write_text("q1 0 m3 2\nq2 0 m4 0\nq9 0 m4 0\n")
    call = ["evaluate", str(folder), f"--add={new}", f"--edits={edits}", "--virtual=rrf(N1,B1)", "--measure=AP"]
    assert run([*call, "--format=json", f"--output={tmp_path / 'scores.json'}"]) == 1, "an edit names no query"
    scores = json.loads((tmp_path / "scores.json").read_text())["runs"]
    window.change_when_open(BenchmarkParts(added=(new,)), edits, ("rrf(N1,B1)",))
    open_in_window(window, folder, qtbot)
    session = window.session
    qtbot.waitUntil(lambda: shown(window) == ["A1", "A2", "B1", "N1", "rrf(N1,B1)"])
    settle(session, qtbot)
    found = session.mean("queries")[:, session.document.scores.column("AP")]
    assert dict(zip(shown(window), found.tolist(), strict=True)) == {one["name"]: one["mean"]["AP"] for one in scores}
    assert [edit.pair for edit in session.edits.levels] == [("q1", "m3"), ("q2", "m4")]
    texts = message_texts(window)
    assert "1 problem in edits.txt" in texts
    assert not any("left out" in text for text in texts), (
        "the virtual run is computed after the run that it needs is added"
    )
    for _ in range(3):
        session.edits.stack.undo()
    assert shown(window) == ["A1", "A2", "B1"]
    assert session.edits.levels == ()


@no_raise
def test_virtual_runs_are_added_where_those_to_add_have_errors(window, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    (tmp_path / "N1.npy").write_bytes(b"no array")
    window.change_when_open(BenchmarkParts(added=(tmp_path / "N1.npy",)), None, ("rrf(A1,B1)",))
    open_in_window(window, folder, qtbot)
    dialog = dialog_of(window, qtbot)
    assert shown(window) == ["A1", "A2", "B1"]
    dialog.close()
    qtbot.waitUntil(lambda: "rrf(A1,B1)" in shown(window))
    settle(window.session, qtbot)


def test_options_of_the_command_line_apply_to_added_runs(window, tmp_path, qtbot):
    np.save(tmp_path / "S.npy", -np.load(resource("demo") / "runs" / "B2.npy"))
    window.change_when_open(BenchmarkParts(added=(tmp_path / "S.npy",), read_options=ReadOptions(similarity=True)))
    open_in_window(window, resource("demo"), qtbot)
    qtbot.waitUntil(lambda: "S" in shown(window))
    settle(window.session, qtbot)
    means = dict(zip(shown(window), window.session.mean("queries"), strict=True))
    np.testing.assert_array_equal(means["S"], means["B2"])


def test_one_of_several_dropped_paths_is_opened_and_the_others_counted(opened, tmp_path, qtbot):
    other = write_sample_benchmark(tmp_path / "other")
    (tmp_path / "note.txt").write_text("hello")
    carry(opened, other, tmp_path / "note.txt", opened.session.path)
    settle(opened.session, qtbot)
    assert opened.session.path == other
    assert any(text == "Opened “other”; 2 other dropped items were ignored." for text in message_texts(opened))


def test_unreadable_file_shows_a_message(opened, tmp_path, qtbot, monkeypatch):
    before = opened.session.path
    shut = tmp_path / "shut"
    shut.mkdir()
    real = Path.iterdir

    def refuse(self):
        if self == shut:
            raise PermissionError(13, "Permission denied")
        return real(self)

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert not is_run(shut)
    carry(opened, tmp_path / "gone")
    settle(opened.session, qtbot)
    assert any("does not exist" in text for text in message_texts(opened))
    assert opened.session.path == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
def test_named_pipe_does_not_block_the_excerpt(opened, tmp_path, qtbot):
    os.mkfifo(tmp_path / "pipe.txt")
    assert not is_run(tmp_path / "pipe.txt")
    carry(opened, tmp_path / "pipe.txt")
    settle(opened.session, qtbot)
    assert "pipe.txt" in message_texts(opened)[0]


@no_raise
def test_a_dropped_table_of_scores_is_shown_beside(changing, tmp_path):
    path = tmp_path / "published.csv"
    path.write_text("Run,MAP\nA1,0.5\nDaras,0.6\n")
    carry(changing, path)
    choose(changing, "Show as published scores")
    assert changing.session.benchmark.published[0].names == ("A1", "Daras")
    path.write_text("Run,Votes\nA1,3\n")
    carry(changing, path)
    menu = QApplication.activePopupWidget()
    assert "Show as published scores" not in [action.text() for action in menu.actions()]
    menu.close()


def test_published_scores_of_the_command_line_are_an_edit(window, tmp_path, qtbot):
    path = tmp_path / "published.csv"
    path.write_text("Run,MAP\nA1,0.5\n")
    parts = BenchmarkParts(published=(path,))
    window.change_when_open(parts)
    window.open_path(write_sample_benchmark(tmp_path / "sample_benchmark"), parts.without_edits, None)
    settle(window.session, qtbot)
    assert [table.source for table in window.session.benchmark.published] == ["published.csv"]
    window.session.edits.stack.undo()
    assert window.session.benchmark.published == ()
