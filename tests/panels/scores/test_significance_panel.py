"""Significance panel: means, intervals and groups equal the statistics; a click selects a run."""

import shutil

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from sessions import open_in

from shrec_viewer.evaluation.comparison.significance import run_significance
from shrec_viewer.panels.scores.run_intervals import SignificancePanel
from shrec_viewer.resources import resource
from shrec_viewer.widgets.style.theme import DARK, LIGHT


@pytest.fixture
def panel(session, qtbot, settled):
    open_in(session, resource("demo"), qtbot)
    panel = SignificancePanel(session)
    qtbot.addWidget(panel)
    panel.resize(700, 300)
    panel.show()
    qtbot.waitExposed(panel)
    settled()
    return panel


def test_rows_are_sorted_best_run_first(panel, session, settled):
    for measure in (session.measure, "FT"):
        session.select(measure=measure)
        settled()
        expected = run_significance(session.scores, measure)
        order = np.argsort([-interval.mean for interval in expected.means], kind="stable")
        assert [row.name for row in panel.chart.rows] == [expected.runs[place] for place in order]
        for row, place in zip(panel.chart.rows, order, strict=True):
            interval = expected.means[place]
            assert (row.value, row.low, row.high) == (interval.mean, interval.low, interval.high)
            assert row.letters == expected.groups.letters[place]
            assert (row.note == "") == (row.name == expected.baseline)
            base = expected.runs.index(expected.baseline)
            shares = bool(set(row.letters) & set(expected.groups.letters[base]))
            assert shares == (expected.pairs.p[place, base] >= 0.05), "letters and p agree"
        assert expected.baseline in panel.caption.text()


def test_notes_are_hidden_where_the_axis_is_narrow(panel, qtbot):
    chart = panel.chart
    assert chart._notes_width() > 0
    panel.resize(250, 300)
    _, right = chart._span()
    assert chart._notes_width() == 0
    assert right <= chart.viewport().width() - chart._groups_width()


def test_clicks_and_keys_select_runs(panel, session, qtbot):
    chart = panel.chart
    qtbot.mouseClick(chart.viewport(), Qt.MouseButton.LeftButton, pos=chart.row_rect(2).center().toPoint())
    assert session.run.name == chart.rows[2].name
    for key, row in (
        (Qt.Key.Key_Down, 3),
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_Up, 0),
        (Qt.Key.Key_End, len(chart.rows) - 1),
    ):
        qtbot.keyClick(chart, key)
        assert session.run.name == chart.rows[row].name
    session.select(run=0)
    name = session.benchmark.runs[0].name
    assert chart.accessibleDescription().startswith(name)


def test_every_run_has_its_colour_in_its_row(panel, qtbot):
    chart = panel.chart
    chart.set_current(-1)
    for theme in (DARK, LIGHT):
        panel.set_theme(theme)
        picture = chart.viewport().grab().toImage()
        for row, entry in enumerate(chart.rows):
            box = chart.row_rect(row).toRect()
            colours = {picture.pixelColor(x, box.center().y()).name() for x in range(box.left(), box.right())}
            assert entry.colour.lower() in colours


def test_significance_is_not_computed_while_hidden(session, qtbot, settled):
    open_in(session, resource("demo"), qtbot)
    panel = SignificancePanel(session)
    qtbot.addWidget(panel)
    settled()
    assert panel.is_empty


def test_cached_results_are_released_with_their_runs_while_hidden(panel, session, qtbot, settled, tmp_path):
    folder = shutil.copytree(resource("demo"), tmp_path / "five_runs")
    (folder / "runs" / "B2.npy").unlink()
    panel.hide()
    open_in(session, folder, qtbot)
    assert "B2" not in [run.name for run in session.benchmark.runs]
    panel.set_theme(DARK)
    assert panel.is_empty
    panel.show()
    settled()
    assert sorted(row.name for row in panel.chart.rows) == ["A1", "A2", "B1", "C1", "R1"]


def test_panel_can_repaint_before_it_follows_the_session(panel, session, qtbot, tmp_path):
    """As when the theme is switched by a receiver that the session reaches first."""
    folder = shutil.copytree(resource("demo"), tmp_path / "five_runs")
    (folder / "runs" / "B2.npy").unlink()
    heard = []

    def repaint(*_):
        if session.path == folder:
            panel.set_theme(DARK)
            heard.append(panel.is_empty)

    session.tasks.changed.connect(repaint)  # before `changed`, when the benchmark is another one
    open_in(session, folder, qtbot)
    assert heard[0]


def test_ticks_of_the_intervals_are_round_numbers(panel):
    for low, high in ((0.312, 0.871), (0.40, 0.41), (3.2, 91.0)):
        ticks = panel.chart.ticks(low, high, 400.0)
        assert len(ticks) >= 2
        assert all(low - 1e-9 <= value <= high + 1e-9 for value, _ in ticks)
        assert [float(text) for _, text in ticks] == pytest.approx([value for value, _ in ticks])
        step = ticks[1][0] - ticks[0][0]
        assert f"{step:.0e}"[0] in "125"
    assert panel.chart.ticks(0.0, 1.0, 40.0) == []


def test_a_measure_that_is_no_mean_is_not_tested(panel, session, settled):
    session.add_measure("GMAP")
    settled()
    session.select(measure="GMAP")
    settled()
    assert panel.is_empty
    assert any(label.text().startswith("GMAP is computed from all queries") for label in panel.findChildren(QLabel))
