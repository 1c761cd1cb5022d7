"""Panel of incomplete judgements: its values are those of the evaluation; mouse and keys change scope and sample."""

import math

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton
from sample_benchmark import only_meshes
from sessions import open_in
from tiny_benchmark import write_tiny

from shrec_viewer.content.practical import PracticalRequest
from shrec_viewer.evaluation.choices import JUDGED_SCOPE, SAMPLE_SIZE
from shrec_viewer.evaluation.practical import practical
from shrec_viewer.panels.scores.run_intervals import PracticalPanel


@pytest.fixture
def panel(opened, show, settled):
    shown = show(PracticalPanel(opened), 900, 300)
    settled()
    return shown


def expected(session, panel):
    return {
        run.name: run
        for run in practical(
            session.benchmark, session.profile, scope=panel.options.judged, sample_size=panel.options.sample
        ).runs
    }


def press(qtbot, panel, key):
    qtbot.mouseClick(panel.value.button(key), Qt.MouseButton.LeftButton)


@pytest.mark.parametrize("key", ["recall", "generality", "class_size"])
def test_rows_hold_the_estimates_of_the_evaluation(panel, opened, qtbot, settled, key):
    press(qtbot, panel, key)
    settled()
    wanted = expected(opened, panel)
    assert {row.name for row in panel.chart.rows} == set(wanted)
    for row in panel.chart.rows:
        value = getattr(wanted[row.name], key)
        assert (row.value, row.low, row.high) == (value.estimate, value.interval.low, value.interval.high)
        assert f"{value.actual:.3f}"[:4] in row.note
        assert f"bounds {value.bounds.low:.3f}"[:9] in row.note
        assert f"{wanted[row.name].judged} judged ranks" in row.description
    recalls = [wanted[row.name].recall.estimate for row in panel.chart.rows]
    assert recalls == sorted(recalls, reverse=True), "the same order for every value"


def test_rows_can_be_the_queries_of_the_selected_run(panel, opened, qtbot, settled):
    qtbot.mouseClick(panel.rows.button("queries"), Qt.MouseButton.LeftButton)
    settled()
    names, run = opened.benchmark.queries.ids, opened.run.name
    found = practical(opened.benchmark, opened.profile, runs=[run], by_query=True).runs
    assert [row.name for row in panel.chart.rows] == [one.query for one in found]
    assert [row.value for row in panel.chart.rows] == pytest.approx([one.recall.estimate for one in found], nan_ok=True)
    opened.select(query=names.index(panel.chart.rows[2].name))
    assert panel.chart.current == 2
    panel.chart.row_selected.emit(1)
    assert names[opened.selection.query] == panel.chart.rows[1].name
    assert opened.run.name == run
    assert (panel.requests()[0].rows, panel.requests()[0].highlight) == ("queries", run)


def test_texts_state_what_is_assumed(panel, qtbot, settled):
    used = f"{JUDGED_SCOPE} ranks of each list, {SAMPLE_SIZE:,} pairs"
    assert panel.judged.text() == f"Used of the complete assessment: {used}"
    assert "exact 95 % confidence interval" in panel.caption.text()
    assert panel.chart._scale_name.startswith(f"Estimated recall, first {JUDGED_SCOPE} ranks")
    press(qtbot, panel, "generality")
    settled()
    assert panel.chart._scale_name.startswith("Estimated generality")


def test_scope_follows_the_wheel_and_typed_numbers(panel, opened, qtbot, settled):
    before = panel.chart.rows
    panel.scope.setFocus()
    centre = QPointF(panel.scope.rect().center())
    wheel = QWheelEvent(
        centre, panel.scope.mapToGlobal(centre), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(panel.scope, wheel)
    settled()
    assert panel.options.judged == JUDGED_SCOPE - 1
    assert panel.chart.rows != before
    panel.scope.selectAll()
    qtbot.keyClicks(panel.scope.lineEdit(), "12")
    assert panel.options.judged == JUDGED_SCOPE - 1, "not for each digit"
    qtbot.keyClick(panel.scope.lineEdit(), Qt.Key.Key_Return)
    settled()
    assert panel.options.judged == 12
    wanted = expected(opened, panel)
    assert all(row.value == wanted[row.name].recall.estimate for row in panel.chart.rows)
    assert "first 12 ranks" in panel.chart._scale_name


def test_without_a_sample_the_line_is_the_bounds(panel, opened, qtbot, settled):
    panel.sample_size.selectAll()
    qtbot.keyClicks(panel.sample_size.lineEdit(), "0")
    qtbot.keyClick(panel.sample_size.lineEdit(), Qt.Key.Key_Return)
    settled()
    wanted = expected(opened, panel)
    for row in panel.chart.rows:
        assert math.isnan(row.value)
        assert (row.low, row.high) == (wanted[row.name].recall.bounds.low, wanted[row.name].recall.bounds.high)
    assert "Estimates require a random sample" in panel.caption.text()
    assert panel.chart._scale_name.startswith("Bounds of recall, first ")
    row = panel.chart.row_rect(0).toRect()
    image = panel.chart.viewport().grab().toImage()
    line = panel.chart._theme.colour("line_strong").name()
    assert line in {image.pixelColor(x, row.center().y()).name() for x in range(row.width())}, "the bounds are drawn"


def test_clicks_and_keys_select_runs(panel, opened, qtbot):
    qtbot.mouseClick(panel.chart.viewport(), Qt.MouseButton.LeftButton, pos=panel.chart.row_rect(3).center().toPoint())
    assert opened.run.name == panel.chart.rows[3].name
    qtbot.keyClick(panel.chart, Qt.Key.Key_Up)
    assert opened.run.name == panel.chart.rows[2].name


def test_values_follow_the_profile(panel, opened, settled):
    before = [row.value for row in panel.chart.rows]
    opened.set_profile("trec")  # keeps self-matches, and excludes queries without a list
    settled()
    wanted = expected(opened, panel)
    assert [row.value for row in panel.chart.rows] == [wanted[row.name].recall.estimate for row in panel.chart.rows]
    assert [row.value for row in panel.chart.rows] != before


def test_nothing_is_computed_while_hidden(opened, qtbot, settled):
    panel = PracticalPanel(opened)
    qtbot.addWidget(panel)
    settled()
    assert panel.is_empty
    assert panel.computation.result is None


def test_empty_panel_gives_the_reason(session, show, settled, sample_benchmark, qtbot):
    panel = show(PracticalPanel(session))
    assert panel.is_empty
    open_in(session, only_meshes(sample_benchmark), qtbot)
    settled()
    assert panel.is_empty
    assert panel.empty.accessibleName() == "No bounds. The benchmark has no relevance assessment: no model was judged."


def test_only_judged_models_count_where_level_0_occurs(session, show, settled, tmp_path, qtbot):
    folder = tmp_path / "contest"
    folder.mkdir()
    (folder / "models.cla").write_text("PSB 1\n1 3\n\nx 0 3\na\nb\nc\n")
    (folder / "qrels.txt").write_text("q1 0 a 2\nq1 0 b 0\nq2 0 c 1\n")
    (folder / "T.run").write_text("q1 Q0 b 1 0.9 T\nq1 Q0 a 2 0.8 T\nq1 Q0 c 3 0.7 T\nq2 Q0 c 1 0.9 T\n")
    panel = show(PracticalPanel(session))
    open_in(session, folder, qtbot)
    settled()
    (row,) = panel.chart.rows
    assert "actual" not in row.note
    assert "2 of 3 judged ranks are relevant" in row.description
    assert panel.judged.text().startswith(f"Judged: up to {JUDGED_SCOPE} ranks of each list")


def choose(monkeypatch, path):
    """Let the file dialog return this path; None cancels it."""
    chosen = "" if path is None else str(path)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (chosen, ""))


def test_pairs_to_judge_are_saved_and_judging_them_fills_the_panel(
    session, show, settled, tmp_path, qtbot, monkeypatch
):
    """From a benchmark without a truth: save the pairs, judge them, open again."""
    folder = write_tiny(tmp_path / "tiny")
    (folder / "tiny.cla").unlink()
    (folder / "benchmark.toml").write_text("[benchmark]\nname = 'Blind'\n")
    (folder / "collection.txt").write_text("b1\nb2\nb3\nc1\nc2\n")
    panel = show(PracticalPanel(session))
    open_in(session, folder, qtbot)
    assert panel.is_empty
    panel.scope.setValue(2)
    path, heard = tmp_path / "pairs.txt", []
    session.written.connect(lambda message, written: heard.append((message, written)))
    choose(monkeypatch, None)
    button = next(button for button in panel.empty.findChildren(QPushButton) if button.isVisible())
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settled()
    assert heard == []
    choose(monkeypatch, path.with_suffix(""))
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settled()
    lines = [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]
    assert heard == [(f"Saved {len(lines)} pairs to judge: {path}", str(path))]
    judged = "".join(f"{query} 0 {model} {int(query[0] == model[0])}\n" for query, _, model, _ in lines)
    (folder / "qrels.txt").write_text(judged)
    open_in(session, folder, qtbot)
    assert not panel.is_empty
    assert "actual" not in panel.chart.rows[0].note
    (good,) = [row for row in panel.chart.rows if row.name == "good"]
    assert "8 of 10 judged ranks are relevant" in good.description
    assert panel.save.isVisible()
    assert panel.minimumSizeHint().width() <= 440  # of the bottom area


def test_nothing_is_to_be_judged_in_a_complete_assessment(panel):
    assert not panel.save.isVisible()


def test_settings_are_kept_in_projects(panel, opened, show, settled, qtbot):
    press(qtbot, panel, "class_size")
    panel.scope.setValue(7)
    settled()
    state = panel.options.state()
    assert state == {"value": "class_size", "judged": 7}
    other = show(PracticalPanel(opened))
    other.set_state(state | {"unknown": 1})
    settled()
    assert other.options == panel.options
    assert [row.value for row in other.chart.rows] == [row.value for row in panel.chart.rows]
    other.set_state({"value": "class_size", "scope": 7, "sample": SAMPLE_SIZE})  # of a former version
    assert other.options == panel.options
    other.set_state({"value": "nonsense", "scope": "many"})
    assert other.options == PracticalRequest()
