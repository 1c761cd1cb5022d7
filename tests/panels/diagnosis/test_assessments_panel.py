"""The panel of assessments: tables and chart of an independent comparison, keys, mouse, files and export."""

import shlex

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from shrec_viewer.cli import main
from shrec_viewer.content.assessments import ACTIVE_MARK
from shrec_viewer.content.contents import build_chart
from shrec_viewer.evaluation.comparison.assessments import compare_assessments, find_assessments
from shrec_viewer.evaluation.edits import amended_qrels
from shrec_viewer.panels import panels_by_key
from shrec_viewer.panels.diagnosis.assessments import AssessmentsPanel
from shrec_viewer.panels.export.panel_export import PanelExport
from shrec_viewer.report.figures.rendering import figure_bytes
from shrec_viewer.viewmodels.content.data import content_data


@pytest.fixture
def panel(opened, show, settled):
    panel = show(AssessmentsPanel(opened), 1100, 320)
    settled()
    return panel


def rows(model):
    return list(model.table.rows)


def test_tables_show_an_independent_comparison(panel, opened):
    found, _ = find_assessments(opened.benchmark)
    expected = compare_assessments(opened.benchmark, opened.profile, found, opened.measure)
    shown = rows(panel.model)
    assert [cells[0] for cells in shown] == [
        f"{ACTIVE_MARK + ' ' if index == 0 else ''}{index + 1}. {one.label}" for index, one in enumerate(found)
    ]
    np.testing.assert_allclose([cells[1] for cells in shown], expected.tau[0])
    np.testing.assert_allclose([cells[2] for cells in shown], expected.tau_ap[0])
    assert [cells[4] for cells in shown] == [one.n_pairs for one in found]
    for cells in rows(panel.runs_model):
        run = expected.runs.index(cells[0])
        assert list(cells[1::2]) == expected.ranks[:, run].tolist()
        np.testing.assert_array_equal(cells[2::2], expected.values[:, run])


def test_return_uses_the_selected_assessment(panel, opened, settled, qtbot):
    panel.table.selectRow(1)
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    settled()
    assert opened.assessments.active_key == panel.model.key(1)
    marks = [cells[0].startswith(ACTIVE_MARK) for cells in rows(panel.model)]
    assert marks == [index == 1 for index in range(len(marks))]
    assert rows(panel.model)[1][1] == 1.0
    assert not panel.use.isEnabled()


def test_click_on_a_line_selects_its_run(panel, opened, qtbot):
    names = panel.computation.result.runs
    other = next(index for index, name in enumerate(names) if name != opened.run.name)
    qtbot.mouseClick(panel.chart, Qt.MouseButton.LeftButton, pos=panel.chart.position(other, 0).toPoint())
    assert opened.run.name == names[other]
    # Ranks: every column lists each run once, the better one above.
    ranks = panel.computation.result.ranks
    for column in range(len(ranks)):
        heights = [panel.chart.position(line, column).y() for line in range(len(names))]
        assert len(set(heights)) == len(names)
        assert sorted(range(len(names)), key=heights.__getitem__) == sorted(
            range(len(names)), key=lambda line: (ranks[column, line], heights[line])
        )


def test_file_is_added_kept_in_projects_and_removed(panel, opened, settled, qtbot, tmp_path):
    path = tmp_path / "second.qrels"
    path.write_text(amended_qrels(opened.benchmark))
    panel.add_file(path)
    settled()
    assert rows(panel.model)[-1][0].endswith("second.qrels")
    state = panel.options.state()
    panel.table.selectRow(panel.model.rowCount() - 1)
    qtbot.keyClick(panel.table, Qt.Key.Key_Delete)
    settled()
    assert not any("second" in cells[0] for cells in rows(panel.model))
    panel.set_state(state)
    settled()
    assert rows(panel.model)[-1][0].endswith("second.qrels")


def test_an_edit_adds_an_assessment(panel, opened, settled):
    before = panel.model.rowCount()
    opened.edits.set_level(0, [int(opened.ranked_list.items[0])], 1)
    settled()
    assert panel.model.rowCount() == before + 1
    assert rows(panel.model)[1][0] == f"{ACTIVE_MARK} 2. Classes as read with edits"


def test_export_and_command_name_the_assessments(panel, opened, settled, tmp_path):
    path = tmp_path / "second.qrels"
    path.write_text(amended_qrels(opened.benchmark))
    panel.add_file(path)
    settled()
    export = PanelExport(opened, panels_by_key()["assessments"], panel)
    export.copy()
    settled()
    lines = QApplication.clipboard().text().splitlines()
    assert len(lines) >= 1 + len(opened.benchmark.runs)
    assert lines[0].split("\t")[0] == "run"
    words = shlex.split(export.command(export.content()))
    assert words[:4] == ["shrec-viewer", "figure", "demo", "assessments"]
    assert f"--against-assessment={path}" in words
    output = tmp_path / "figure.svg"
    assert main([*words[1:-1], f"--output={output}"]) == 0
    assert output.read_bytes() == figure_bytes(build_chart(content_data(opened), panel.requests()[0]), "svg")
