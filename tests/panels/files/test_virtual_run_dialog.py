"""Dialog of virtual runs: fields and expression follow each other, weights, changes, removal, problems."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDialogButtonBox, QFileDialog, QMenu, QWidget
from sessions import settle

from shrec_viewer.domain import RankedLists
from shrec_viewer.evaluation.run_groups import members_of
from shrec_viewer.evaluation.virtual_runs import VIRTUAL_RUNS
from shrec_viewer.formats.discovery.submission import read_submission
from shrec_viewer.formats.manifest.run_changes import VirtualRun
from shrec_viewer.panels import panels_by_key
from shrec_viewer.panels.context_menus import RunActions, SeveralRunActions
from shrec_viewer.panels.files.virtual_run_dialog import VirtualRunDialog
from shrec_viewer.viewmodels.files.run_submission import remove_runs
from shrec_viewer.viewmodels.files.virtual_runs import set_virtual_run
from shrec_viewer.viewmodels.scores.score_tables import LeaderboardModel, ScoreRole

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def parent(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget


@pytest.fixture
def show_dialog(opened, parent, qtbot):
    def show(runs=(), expression=""):
        dialog = VirtualRunDialog(opened, parent, runs, expression)
        qtbot.addWidget(dialog)
        dialog.show()
        qtbot.waitExposed(dialog)
        return dialog

    return show


def row_of(dialog, text):
    table = dialog.operands
    return next(row for row in range(table.rowCount()) if table.item(row, 0).text() == text)


def click_box(dialog, qtbot, text):
    """Click the check box of a run."""
    table = dialog.operands
    rectangle = table.visualItemRect(table.item(row_of(dialog, text), 0))
    at = rectangle.center()
    at.setX(rectangle.left() + 12)
    qtbot.mouseClick(table.viewport(), LEFT, pos=at)


def press(dialog, qtbot, button=QDialogButtonBox.StandardButton.Ok):
    qtbot.mouseClick(dialog.buttons.button(button), LEFT)


def names(session):
    return [run.name for run in session.benchmark.runs]


def test_a_weighted_fusion_is_added_with_the_mouse(show_dialog, opened, qtbot):
    dialog = show_dialog()
    assert dialog.expression.text() == "rrf()"
    click_box(dialog, qtbot, "A1")
    click_box(dialog, qtbot, "B2")
    assert dialog.expression.text() == "rrf(A1, B2)"
    dialog.operands.item(row_of(dialog, "A1"), 1).setText("2.5")
    qtbot.keyClicks(dialog.options["k"], "20")
    assert dialog.expression.text() == "rrf(A1*2.5, B2, k=20)"
    press(dialog, qtbot)
    settle(opened, qtbot)
    assert names(opened)[-1] == "rrf(A1*2.5, B2, k=20)"
    opened.edits.stack.undo()
    settle(opened, qtbot)
    assert names(opened) == ["A1", "A2", "B1", "B2", "C1", "R1"]


@pytest.mark.parametrize("row", VIRTUAL_RUNS, ids=lambda row: row.key)
def test_every_function_can_be_chosen(show_dialog, opened, qtbot, row):
    dialog = show_dialog(["A1", "B2"])
    dialog.kind.setCurrentIndex(dialog.kind.findData(row.key))
    if row.key == "without":
        assert not dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).isEnabled()
        click_box(dialog, qtbot, "Alder")
    expected = {"without": "without(Alder)"}
    if not row.takes_runs:
        expected[row.key] = f"{row.key}()"
    if row.rescale is not None:
        expected[row.key] = f"{row.key}(A1)"
    assert dialog.expression.text() == expected.get(row.key, f"{row.key}(A1, B2)")
    assert dialog.operands.isVisible() == row.takes_runs
    assert row.source.split(":")[0] in dialog.definition.text()
    assert set(dialog.options) == {*row.options, "depth"}
    press(dialog, qtbot)
    settle(opened, qtbot)
    assert names(opened)[-1] == expected.get(row.key, f"{row.key}(A1, B2)")


def test_typed_and_nested_expressions_fill_the_fields(show_dialog, qtbot):
    dialog = show_dialog()
    dialog.expression.clear()
    qtbot.keyClicks(dialog.expression, "combsum(A1*3, borda(C1, B2)*0.5, without(Birch), norm=z, depth=9)")
    dialog.expression.editingFinished.emit()
    assert dialog.kind.currentData() == "combsum"
    checked = {
        dialog.operands.item(row, 0).text(): dialog.operands.item(row, 1).text()
        for row in range(dialog.operands.rowCount())
        if dialog.operands.item(row, 0).checkState() == Qt.CheckState.Checked
    }
    assert checked == {"A1": "3", "borda(C1, B2)": "0.5", "without(Birch)": "1"}
    norm = dialog.options["norm"]
    assert isinstance(norm, QComboBox)
    assert (norm.currentData(), dialog.options["depth"].text()) == ("z", "9")
    click_box(dialog, qtbot, "A1")
    assert dialog.expression.text() == "combsum(borda(C1, B2)*0.5, without(Birch), norm=z, depth=9)"


@pytest.mark.parametrize(
    "text",
    ["", "rrf(", "rrf(Z9)", "rrf(A1, k=many)", "rrf(A1*x)", "rrf(A1*0)", "frr(A1)", "oracle(measure=XY)", "without(Z)",
     "combsum(A1, norm=q)", "random(seed=-1)", "ideal(depth=0)", "borda(rrf(A1, k=-1))", "rrf(A1)"],
)  # fmt: skip
def test_problems_are_shown_and_cannot_be_added(show_dialog, opened, qtbot, text):
    set_virtual_run(opened, "rrf(A1)")
    settle(opened, qtbot)
    dialog = show_dialog()
    dialog.expression.setText(text)
    assert dialog.problem.text()
    assert not dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).isEnabled()
    dialog.accept()
    settle(opened, qtbot)
    assert opened.edits.edited.runs.virtual == (VirtualRun("rrf(A1)"),)
    dialog.reject()


def test_a_run_without_its_source_can_be_changed_and_removed(show_dialog, opened, qtbot):
    set_virtual_run(opened, "rrf(A1, B2)")
    opened.edits.set_colour("rrf(A1, B2)", "#123456")
    remove_runs(opened, [0])
    settle(opened, qtbot)
    assert names(opened)[-1] == "R1"
    dialog = show_dialog()
    dialog.entry.setCurrentIndex(dialog.entry.findData("rrf(A1, B2)"))
    assert "A1" in dialog.problem.text()
    click_box(dialog, qtbot, "A1")
    click_box(dialog, qtbot, "C1")
    press(dialog, qtbot)
    settle(opened, qtbot)
    assert names(opened)[-1] == "rrf(B2, C1)"
    assert opened.edits.colours == {"rrf(B2, C1)": "#123456"}
    dialog = show_dialog(expression="rrf(B2, C1)")
    qtbot.mouseClick(dialog.remove, LEFT)
    settle(opened, qtbot)
    assert opened.edits.edited.runs.virtual == ()


def choose(menu, text):
    next(action for action in menu.actions() if action.text().replace("&", "") == text).trigger()


def test_menus_combine_edit_and_save_runs(parent, opened, qtbot, tmp_path, monkeypatch):
    parent.show()
    menu = QMenu(parent)
    SeveralRunActions(opened, (3, 0), menu)
    choose(menu, "Combine these…")
    dialog = parent.findChild(VirtualRunDialog)
    assert dialog.expression.text() == "rrf(B2, A1)"
    dialog.accept()
    settle(opened, qtbot)
    index = names(opened).index("rrf(B2, A1)")
    menu = QMenu(parent)
    RunActions(opened, index, menu)
    assert "Rename…" not in [action.text().replace("&", "") for action in menu.actions()]
    choose(menu, "Edit virtual run…")
    dialog = next(found for found in parent.findChildren(VirtualRunDialog) if found.isVisible())
    assert dialog.former == "rrf(B2, A1)"
    dialog.reject()
    target = tmp_path / "fused.trec"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(target), "TREC run (*.trec)"))
    choose(menu, "Save lists…")
    settle(opened, qtbot)
    (read,) = read_submission(opened.benchmark, target).runs
    virtual = opened.benchmark.runs[index].ranking
    assert isinstance(read.run.ranking, RankedLists)
    np.testing.assert_array_equal(read.run.ranking.items, virtual.items)


def test_the_table_marks_virtual_runs_and_cites_their_source(opened, qtbot):
    set_virtual_run(opened, "median(A1, B2)")
    settle(opened, qtbot)
    model = LeaderboardModel(opened)
    shown = [model.index(row, 0).data(ScoreRole.VIRTUAL) for row in range(model.rowCount())]
    assert shown == [False] * 6 + [True]
    tip = model.index(6, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "Median rank" in tip
    assert "Fagin, Kumar, Sivakumar" in tip


def test_heads_of_the_runs_are_above_their_texts(show_dialog):
    dialog = show_dialog()
    assert dialog.operands.horizontalHeader().defaultAlignment() & Qt.AlignmentFlag.AlignLeft


def test_a_menu_makes_runs_a_group_and_ends_it(parent, opened, show, qtbot, settled):
    panels = [show(panels_by_key()[key].factory(opened), 600, 400) for key in ("run_groups", "significance")]
    settled()
    own = {curve.label for curve in panels[0].computation.result.curves}  # runs of each participant
    menu = QMenu(parent)
    SeveralRunActions(opened, (0, 1), menu)
    choose(menu, "Group these")
    settled()
    (pattern,) = opened.selection.groups
    assert set(members_of(pattern, names(opened))) == set(names(opened)[:2])
    chart = panels[0].computation.result
    assert [curve.label for curve in chart.curves] == [pattern]
    assert f"--group={pattern}" in panels[0].request().arguments("figure")
    shown = {row.name for row in panels[1].computation.result.rows}
    assert shown == set(names(opened)) - set(names(opened)[:2]) | {chart.curves[0].run}
    menu = QMenu(parent)
    SeveralRunActions(opened, (1, 2), menu)
    choose(menu, "Group these")  # in place of the group that has one of them
    assert set(members_of(opened.selection.groups[0], names(opened))) == set(names(opened)[1:3])
    menu = QMenu(parent)
    SeveralRunActions(opened, (2, 1), menu)
    choose(menu, "Ungroup these")
    settled()
    assert opened.selection.groups == ()
    assert {curve.label for curve in panels[0].computation.result.curves} == own
