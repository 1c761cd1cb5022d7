"""Menu of the table of runs: rename, remove, and several selected runs."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMenu
from sessions import settle

from shrec_viewer.panels import panels_by_key
from shrec_viewer.panels.export.dialog import ExportDialog
from shrec_viewer.panels.export.panel_export import PanelExport
from shrec_viewer.panels.files.add_runs import RenameDialog
from shrec_viewer.panels.scores.score_tables import LeaderboardPanel

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
LEFT, CTRL, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def panel(opened, show, settled):
    panel = show(LeaderboardPanel(opened), 900, 400)
    settled()
    return panel


def row_of(panel, name):
    model = panel.table.model()
    return next(row for row in range(model.rowCount()) if model.index(row, 0).data() == name)


def click(panel, qtbot, name, modifier=NONE):
    at = panel.table.visualRect(panel.table.model().index(row_of(panel, name), 0)).center()
    qtbot.mouseClick(panel.table.viewport(), LEFT, modifier, at)


def menu_of(panel, run):
    menu = QMenu(panel)
    panel.table.menu_opening.emit(menu, run)
    return menu


def choose(menu, text):
    next(action for action in menu.actions() if action.text().replace("&", "") == text).trigger()


def names(session):
    return [run.name for run in session.benchmark.runs]


def test_a_run_is_removed_and_shown_again(panel, opened, settled):
    choose(menu_of(panel, 1), "Remove from the list")
    settled()
    assert "A2" not in names(opened)
    choose(menu_of(panel, 0), "Show removed runs")
    settled()
    assert names(opened)[1] == "A2"
    opened.edits.stack.undo()
    settled()
    assert "A2" not in names(opened)


def test_a_run_is_renamed_in_a_dialog(panel, opened, settled, qtbot):
    choose(menu_of(panel, 1), "Rename…")
    dialog = panel.window().findChild(RenameDialog)
    assert dialog.field.text() == "A2"
    dialog.field.clear()
    qtbot.keyClicks(dialog.field, "Baseline <b>")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    settled()
    assert names(opened)[1] == "Baseline <b>"
    assert panel.table.model().index(row_of(panel, "Baseline <b>"), 0).data() == "Baseline <b>"


@pytest.mark.parametrize("name", ["", "  ", "A1", "x" * 100_000])
def test_a_name_that_is_not_possible_changes_nothing(panel, opened, settled, name):
    choose(menu_of(panel, 1), "Rename…")
    dialog = panel.window().findChild(RenameDialog)
    dialog.field.setText(name)
    dialog.accept()
    settled()
    assert names(opened)[1] == "A2"
    assert dialog.isVisible() == bool(dialog.problem.text())
    dialog.reject()


def test_selected_runs_are_compared_hidden_and_exported(panel, opened, settled, qtbot, tmp_path, monkeypatch):
    views = []
    opened.cursor_state.view_requested.connect(views.append)
    click(panel, qtbot, "A1")
    click(panel, qtbot, "C1", CTRL)
    selected = {names(opened)[run] for run in panel.table.selected_runs()}
    assert selected == {"A1", "C1"}
    run = names(opened).index("C1")
    path = tmp_path / "two.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    panel.panel_export = PanelExport(opened, panels_by_key()["leaderboard"], panel)
    choose(menu_of(panel, run), "Export 2 runs…")
    dialog = panel.findChild(ExportDialog)
    dialog.choose_path()
    settle(opened, qtbot)
    lines = path.read_text().splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == [names(opened)[run] for run in panel.table.selected_runs()]
    choose(menu_of(panel, run), "Hide 2 runs in plots")
    assert {names(opened)[run] for run in opened.selection.visible_runs} == {*names(opened)} - selected
    choose(menu_of(panel, run), "Compare these")
    settle(opened, qtbot)
    assert {names(opened)[run] for run in opened.selection.visible_runs} == selected
    assert {names(opened)[opened.selection.run], names(opened)[opened.selection.compared]} == selected
    assert views == ["compare"]


def test_all_selected_runs_are_compared_side_by_side(panel, opened, settled, qtbot):
    for name, modifier in (("A1", NONE), ("A2", CTRL), ("C1", CTRL)):
        click(panel, qtbot, name, modifier)
    selected = panel.table.selected_runs()
    assert len(selected) == 3
    choose(menu_of(panel, selected[2]), "Compare these")
    assert opened.cursor_state.requested_lists == selected
    assert (opened.selection.run, opened.selection.compared) == selected[:2]


def test_a_click_on_run_b_swaps_it_with_run_a(panel, opened, settled, qtbot):
    a, b = names(opened).index("A1"), names(opened).index("C1")
    opened.select(run=a, compared=b)
    click(panel, qtbot, "C1")
    assert (opened.selection.run, opened.selection.compared) == (b, a)
    opened.select(compared=b)
    assert (opened.selection.run, opened.selection.compared) == (a, b)
    opened.select(compared=-1)
    opened.select(run=b)
    assert (opened.selection.run, opened.selection.compared) == (b, None)


@pytest.mark.parametrize("descending", [True, False])
def test_arrow_keys_move_run_a_past_run_b(panel, opened, settled, qtbot, descending):
    table = panel.table
    table.set_sort(0, descending=descending)
    rows = table.shown_rows()
    down, up = Qt.Key.Key_Down, Qt.Key.Key_Up

    def selected():
        assert table.selected_runs() == (opened.selection.run,)
        return rows.index(opened.selection.run), rows.index(opened.selection.compared)

    opened.select(run=rows[0], compared=rows[1])
    for key, expected in ((down, 2), (down, 3), (up, 2), (up, 0), (up, 0)):
        qtbot.keyClick(table, key)
        assert selected() == (expected, 1)
    last = len(rows) - 1
    opened.select(compared=rows[last])
    qtbot.keyClick(table, Qt.Key.Key_PageDown)
    assert selected() == (last - 1, last), "there is no run beyond"
    qtbot.keyClick(table, down)
    assert selected() == (last - 1, last)
    opened.select(compared=-1)
    qtbot.keyClick(table, down)
    assert opened.selection.run == rows[last]


def test_the_menu_of_another_run_is_that_of_one(panel, opened, settled, qtbot):
    click(panel, qtbot, "A1")
    click(panel, qtbot, "C1", CTRL)
    texts = [action.text() for action in menu_of(panel, names(opened).index("B1")).actions()]
    assert any("Co&lour" in text for text in texts)


def test_several_runs_are_removed_as_one_step(panel, opened, settled, qtbot):
    before = names(opened)
    click(panel, qtbot, "A1")
    click(panel, qtbot, "C1", CTRL)
    choose(menu_of(panel, before.index("C1")), "Remove 2 runs from the list")
    settled()
    assert names(opened) == [name for name in before if name not in ("A1", "C1")]
    opened.edits.stack.undo()
    settled()
    assert names(opened) == before
