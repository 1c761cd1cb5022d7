"""Two windows on one benchmark or project: each shows the other, and neither overwrites its changes unasked."""

import itertools
import json
import shutil
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QPushButton, QToolButton
from sample_benchmark import write_sample_benchmark
from sessions import settle
from windows import a_window, open_in_window

from shrec_viewer.app.window import project_files
from shrec_viewer.formats.manifest.project import read_project

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.fixture(autouse=True)
def unsaved(tmp_path, monkeypatch):
    monkeypatch.setattr(project_files, "unsaved_notes_folder", lambda: tmp_path / "data" / "unsaved")
    return tmp_path / "data" / "unsaved"


@pytest.fixture
def benchmark(tmp_path):
    return write_sample_benchmark(tmp_path / "sample_benchmark")


@pytest.fixture
def two(qapp, qtbot, tmp_path):
    generators = [a_window(qapp, qtbot, tmp_path / f"{name}.ini") for name in "ab"]
    yield [next(generator) for generator in generators]
    for generator in generators:
        next(generator, None)


def choose(monkeypatch, path):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args, **options: (str(path), ""))


def save(window, qtbot, key="save"):
    window.menus.actions[key].trigger()
    settle(window.session, qtbot)


def question(window):
    return window.findChild(QMessageBox, project_files.CHANGED_DIALOG)


def press(window, text, qtbot):
    """Press a button of the question about a changed file."""
    button = next(b for b in question(window).findChildren(QPushButton) if b.text().replace("&", "") == text)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: question(window) is None)
    settle(window.session, qtbot)


def test_each_window_is_told_of_the_other(two, benchmark, qtbot):
    first, second = two
    open_in_window(first, benchmark, qtbot)
    open_in_window(second, benchmark, qtbot)
    for window in two:
        qtbot.waitUntil(partial(is_told, window))


def is_told(window):
    return any("also open in another window" in text for text in window.message_bar.texts())


def test_unsaved_notes_can_be_restored_while_another_window_is_open(two, qapp, qtbot, benchmark, tmp_path):
    for window in a_window(qapp, qtbot, tmp_path / "former.ini"):
        open_in_window(window, benchmark, qtbot)
        window.session.edits.set_note("q1", "seen")
    first, second = two
    open_in_window(first, benchmark, qtbot)
    open_in_window(second, benchmark, qtbot)
    for window in two:
        qtbot.waitUntil(partial(is_told, window))
        bar = window.message_bar
        assert "also open" in bar.current().text
        qtbot.mouseClick(bar.findChild(QToolButton, "more"), Qt.MouseButton.LeftButton)
        assert bar.current().text == "1 note was not saved in a project.", bar.texts()
        (button,) = (b for b in bar.findChildren(QPushButton) if b.text() == project_files.RESTORE_EDITS)
        assert button.isVisible()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert second.session.edits.note("q1") == "seen"


def test_saving_asks_when_the_other_window_has_saved(two, benchmark, tmp_path, monkeypatch, qtbot):
    path, copy = tmp_path / "mine.shrec", tmp_path / "copy.shrec"
    first, second = two
    open_in_window(first, benchmark, qtbot)
    choose(monkeypatch, path)
    save(first, qtbot)
    open_in_window(second, path, qtbot)
    a, b = first.session.benchmark.queries.ids[:2]
    first.session.edits.set_note(a, "of the first")
    second.session.edits.set_note(b, "of the second")
    save(first, qtbot)
    assert question(first) is None
    save(second, qtbot)
    assert "has changed since this window read or saved it" in question(second).text()
    assert dict(read_project(path).edits.notes) == {a: "of the first"}
    press(second, "Cancel", qtbot)
    assert dict(read_project(path).edits.notes) == {a: "of the first"}
    assert second.isWindowModified()
    choose(monkeypatch, copy)
    save(second, qtbot)
    press(second, project_files.SAVE_AS, qtbot)
    assert dict(read_project(path).edits.notes) == {a: "of the first"}
    assert dict(read_project(copy).edits.notes) == {b: "of the second"}
    assert not second.isWindowModified()
    save(second, qtbot, "save_as")  # now on its own file, which has not changed
    assert question(second) is None


def test_overwriting_is_detected_by_the_other_window(two, benchmark, tmp_path, monkeypatch, qtbot):
    path = tmp_path / "mine.shrec"
    first, second = two
    open_in_window(first, benchmark, qtbot)
    choose(monkeypatch, path)
    first.session.edits.set_note("q1", "first")
    save(first, qtbot)
    open_in_window(second, benchmark, qtbot)
    second.session.edits.set_note("q1", "second")
    save(second, qtbot)  # under the name that the first window has open
    assert "It is open in another window." in question(second).informativeText()
    press(second, project_files.OVERWRITE, qtbot)
    assert read_project(path).edits.notes["q1"] == "second"
    first.session.edits.set_note("q1", "first again")
    save(first, qtbot)
    assert question(first) is not None
    press(first, "Cancel", qtbot)


def test_a_file_changed_or_deleted_by_another_program_is_asked_about(two, benchmark, tmp_path, monkeypatch, qtbot):
    path, window = tmp_path / "mine.shrec", two[0]
    open_in_window(window, benchmark, qtbot)
    choose(monkeypatch, path)
    save(window, qtbot)
    path.write_text(path.read_text() + "\n# by an editor\n")
    window.session.edits.set_note("q1", "x")
    save(window, qtbot)
    press(window, "Cancel", qtbot)
    assert path.read_text().endswith("# by an editor\n")
    save(window, qtbot)
    press(window, project_files.OVERWRITE, qtbot)
    assert read_project(path).edits.notes["q1"] == "x"
    path.unlink()
    window.session.edits.set_note("q1", "y")
    save(window, qtbot)
    assert question(window).text().startswith("“mine.shrec” is missing: ")
    assert window.isWindowModified()
    press(window, project_files.WRITE_AGAIN, qtbot)
    assert read_project(path).edits.notes["q1"] == "y"
    save(window, qtbot)
    assert question(window) is None


ORDERS = [order for order in itertools.permutations("abAB") if order.index("a") < order.index("A")
          and order.index("b") < order.index("B")]  # fmt: skip
"""Every order in which two windows edit (a, b) and save (A, B)."""


@pytest.fixture(scope="module")
def first_state(qapp, module_qtbot, tmp_path_factory):
    """A saved project without notes."""
    folder = tmp_path_factory.mktemp("two")
    for window in a_window(qapp, module_qtbot):
        open_in_window(window, write_sample_benchmark(folder / "sample_benchmark"), module_qtbot)
        window.projects.write(folder / "mine.shrec")
        module_qtbot.waitUntil((folder / "mine.shrec").exists)
        settle(window.session, module_qtbot)
    return folder / "mine.shrec"


@pytest.mark.parametrize("order", ORDERS, ids="".join)
def test_both_edit_and_save_in_every_order(two, first_state, tmp_path, monkeypatch, qtbot, unsaved, order):
    """Afterwards each note is in the project or in a journal: nothing was lost without a question."""
    path = first_state.with_name(f"{order}.shrec")
    shutil.copyfile(first_state, path)
    choose(monkeypatch, path)
    open_in_window(two[0], path, qtbot)
    open_in_window(two[1], path, qtbot)
    queries = two[0].session.benchmark.queries.ids
    for letter in order:
        at = "ab".index(letter.lower())
        if letter.islower():
            two[at].session.edits.set_note(queries[at], f"note of {letter}")
        else:
            save(two[at], qtbot)
    with_question = [window for window in two if question(window) is not None]
    assert len(with_question) == 1
    press(with_question[0], "Cancel", qtbot)
    for window in two:
        window.close_now()
    kept = [json.loads(file.read_text())["edited"]["notes"] for file in unsaved.glob("*.json")]
    found = {text for notes in (read_project(path).edits.notes, *kept) for text in notes.values()}
    assert found == {"note of a", "note of b"}
    assert list((unsaved.parent / "windows").iterdir()) == []  # neither the files of windows nor the lock
