"""The panel of robustness: intervals, changes and pairs of an independent examination."""

import time
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from shrec_viewer.content import robustness
from shrec_viewer.diagnosis.robustness import examine_robustness
from shrec_viewer.domain import Cancelled
from shrec_viewer.metrics import find_profile
from shrec_viewer.panels.diagnosis.robustness import RobustnessPanel
from shrec_viewer.panels.export.content import built_table
from shrec_viewer.viewmodels.content import computation
from shrec_viewer.viewmodels.content.data import content_data


@pytest.fixture
def panel(opened, qtbot, settled):
    return shown(opened, qtbot, settled)


def shown(opened, qtbot, settled):
    panel = RobustnessPanel(opened)
    qtbot.addWidget(panel)
    panel.resize(1000, 300)
    panel.show()
    settled()
    return panel


def test_tables_show_the_result(panel, opened):
    expected = examine_robustness(opened.benchmark, opened.profile, opened.measure)
    assert not panel.is_empty
    rows = panel.runs_model.table.rows
    assert [row[1] for row in rows] == sorted(expected.ranks.tolist())
    intervals = dict(zip(expected.runs, expected.intervals.tolist(), strict=True))
    assert {row[0]: [row[2], row[3]] for row in rows} == intervals
    assert panel.pairs_model.rowCount() == sum(not pair.settled for pair in expected.pairs)
    assert panel.variants_model.rowCount() == len(expected.variants)


def test_a_change_shows_its_pairs_and_a_run_is_selected(panel, opened, qtbot):
    panel.variants.selectRow(0)
    key = panel.variants_model.key(0)
    expected = panel.computation.result.changes_of(key)
    assert panel.pairs_model.rowCount() == len(expected) > 0
    panel.runs.selectRow(1)
    assert opened.run.name == panel.runs_model.key(1)


def test_another_measure_is_examined(panel, opened, settled):
    opened.select(measure="FT")
    settled()
    assert panel.computation.result.measure.key == "FT"


def test_intervals_are_visible_without_scrolling(panel, qtbot):
    panel.resize(675, 280)  # in a window of 1280 x 800
    header = panel.runs.horizontalHeader()
    qtbot.waitUntil(lambda: panel.runs.viewport().width() >= header.sectionPosition(3) + header.sectionSize(3))
    narrow = panel.runs.width()
    panel.resize(1200, 400)
    qtbot.waitUntil(lambda: panel.variants.width() > 400)
    assert panel.runs.width() == narrow


def test_changes_differ_where_they_are_elided(panel, qtbot):
    panel.resize(1300, 400)  # in a window of 1920 x 1080
    view, model = panel.variants, panel.variants_model
    qtbot.waitUntil(lambda: view.columnWidth(0) > 200)
    width, metrics = view.columnWidth(0) - 8, view.fontMetrics()
    texts = [str(model.index(row, 0).data()) for row in range(model.rowCount())]
    assert len({metrics.elidedText(text, view.textElideMode(), width) for text in texts}) == len(texts)


def test_one_run_has_no_pair(panel, opened):
    one = replace(opened.benchmark, runs=opened.benchmark.runs[:1])
    panel.show_result(examine_robustness(one, opened.profile, opened.measure))
    assert panel.caption.text() == "One run: no pair to compare"
    assert panel.runs_model.rowCount() == 1
    assert panel.pairs_model.rowCount() == 0


def test_exported_tables_use_the_result_of_the_panel_while_it_is_current(opened, qtbot, settled, monkeypatch):
    examined = []

    def examine(benchmark, profile, measure, **options):
        examined.append((profile.key, measure))
        return examine_robustness(benchmark, profile, measure, **options)

    monkeypatch.setattr(robustness, "examine_robustness", examine)
    panel = shown(opened, qtbot, settled)
    of_panel = (opened.profile.key, opened.measure)
    content, data = panel.export(), content_data(opened)
    requests = [content.table, *content.tables.values()]
    tables = [built_table(request, data, lambda: False).rows for request in requests]
    assert [len(rows) for rows in tables] == [
        model.rowCount() for model in (panel.runs_model, panel.variants_model, panel.pairs_model)
    ]
    assert examined == [of_panel]
    other = find_profile("psb")
    built_table(content.table, replace(data, profile=other), lambda: False)
    built_table(replace(content.table, measure="FT"), data, lambda: False)
    built_table(content.table, replace(data, benchmark=replace(data.benchmark)), lambda: False)
    assert examined[1:] == [("psb", opened.measure), (opened.profile.key, "FT"), of_panel]


def test_cancelled_examination_is_said_and_started_again_by_its_button(opened, qtbot, settled, monkeypatch):
    def endless(*_, cancelled, **_options):
        while not cancelled():
            time.sleep(0.01)
        raise Cancelled

    with monkeypatch.context() as patch:
        patch.setattr(robustness, "examine_robustness", endless)
        patch.setattr(computation, "LONG_TASK_S", 0)
        panel = RobustnessPanel(opened)
        qtbot.addWidget(panel)
        panel.show()
        button = panel.empty.findChild(QPushButton)
        qtbot.waitUntil(lambda: opened.tasks.is_busy("panel robustness"))
        assert not button.isVisible()
        opened.tasks.stop("panel robustness")
        assert panel.is_empty
        cancelled = "Cancelled. "  # title and empty text
        assert panel.empty.accessibleName().endswith(cancelled)
        settled()
        opened.select(measure=next(key for key in opened.measures if key != opened.measure))
        qtbot.waitUntil(lambda: opened.tasks.is_busy("panel robustness"))
        assert not panel.empty.accessibleName().endswith(cancelled), "it is being computed"
        said = []
        opened.message.connect(lambda _severity, text, _details: said.append(text))
        opened.select(measure="FT")
        assert f"{panel.row.short_title}: computed again for FT: the measure changed" in said
        opened.tasks.stop("panel robustness")
        assert panel.empty.accessibleName().endswith(cancelled)
        settled()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settled()
    assert not panel.is_empty
    assert panel.runs_model.rowCount() == len(opened.benchmark.runs)
