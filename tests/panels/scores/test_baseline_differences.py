"""With a baseline, status bar, calculation, significance and plots show the difference of each number."""

import shutil

import numpy as np
import pytest
from sessions import open_in, settle

from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.metrics import curve_table
from shrec_viewer.number_format import format_value
from shrec_viewer.panels.export.content import figure_content
from shrec_viewer.panels.plots.curves import PrecisionRecallPanel
from shrec_viewer.panels.scores.calculation import CalculationPanel
from shrec_viewer.panels.scores.run_intervals import SignificancePanel
from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.viewmodels.session.selection import NOTHING, CalculationTarget
from shrec_viewer.viewmodels.text.status_text import StatusText


@pytest.fixture
def changed(session, tmp_path, qtbot):
    """The demo with the lists of A1 reversed, its former version the baseline; and the former scores."""
    demo = shutil.copytree(resource("demo"), tmp_path / "demo")
    session.versions.folder = tmp_path / "versions"
    open_in(session, demo, qtbot)
    session.select(run=0)
    settle(session, qtbot)
    former, store = session.scores, session.versions.store
    qtbot.waitUntil(lambda: len(store.history("A1").versions) == 1)
    for path in sorted((demo / "runs" / "A1").iterdir()):
        path.write_text("\n".join(reversed(path.read_text().splitlines())) + "\n")
    session.reload_runs({0})
    settle(session, qtbot)
    qtbot.waitUntil(lambda: len(store.history("A1").versions) == 2)
    first = store.history("A1").versions[0]
    session.versions.set_baseline("A1", first)
    qtbot.waitUntil(lambda: session.versions.has_baselines)
    return session, former


def difference_of(session, former, query=None):
    column = session.scores.column(session.measure)
    if query is None:
        return session.mean("queries")[0, column] - former.mean()[0, column]
    return session.scores.values[0, query, column] - former.values[0, query, column]


def test_status_bar(changed):
    session, former = changed
    query = session.selection.query
    text, bar = format_value(difference_of(session, former, query), signed=True), StatusText(session)
    bar.update()
    assert bar.values_text().endswith(f"({text})")
    session.cursor_state.hover(3)
    curves = [(key, session.scores.curve(key, 0, query, 3).y[2], former.curve(key, 0, query, 3).y[2])
              for key in ("P", "R", "NDCG")]  # fmt: skip
    expected = "  ".join(
        f"{key} {format_value(new)} ({format_value(new - old, signed=True)})" for key, new, old in curves
    )
    assert bar.values_text() == f"{expected} at 3"
    session.select(run=1)
    bar.update()
    assert "(" not in bar.values_text()


def test_a_benchmark_that_was_moved_keeps_its_baselines(changed, tmp_path, qtbot):
    session, former = changed
    session.close()
    settle(session, qtbot)
    open_in(session, (tmp_path / "demo").rename(tmp_path / "moved"), qtbot)
    qtbot.waitUntil(lambda: session.versions.has_baselines)
    settle(session, qtbot)
    column = session.scores.column(session.measure)
    difference = session.versions.difference("A1", session.measure, None)
    assert difference == session.mean("queries")[0, column] - former.mean()[0, column] != 0


@pytest.mark.parametrize("over", ["query", "queries", "classes"])
def test_calculation(changed, show, settled, over):
    session, former = changed
    panel = show(CalculationPanel(session), 500, 600)
    query = session.selection.query if over == "query" else NOTHING
    session.cursor_state.show_calculation(
        CalculationTarget(session.measure, 0, query, "queries" if over == "query" else over)
    )
    settled()
    column = session.scores.column(session.measure)
    old = {
        "query": former.values[0, query, column],
        "queries": former.mean()[0, column],
        "classes": former.class_mean()[0, column],
    }[over]
    assert f"baseline {old:.6f}, difference " in panel.page.toPlainText()
    session.versions.set_baseline("A1", None)
    settled()
    assert "baseline" not in panel.page.toPlainText()


def test_significance(changed, show, settled):
    session, former = changed
    panel = show(SignificancePanel(session), 600, 400)
    settled()
    rows = {row.name: row for row in panel.chart.rows}
    text = format_value(difference_of(session, former), signed=True)
    assert rows["A1"].note.endswith(text)
    assert f"{text} from the baseline version" in rows["A1"].description
    assert "baseline version" not in rows["B1"].description


def test_plots_draw_the_curve_of_the_baseline(changed, show, settled):
    session, _ = changed
    panel = show(PrecisionRecallPanel(session), 500, 400)
    settled()
    (line,) = [line for line in panel.references().lines if line.label == "A1: baseline"]
    first = session.versions.store.history("A1").versions[0]
    lists = session.versions.store.load(first).record.lists
    run = session.benchmark.runs[0].__class__("A1", "", session.benchmark.runs[0].source, lists)
    shown = session.benchmark.__class__(**{**vars(session.benchmark), "runs": (run,)})
    expected = evaluate(shown, session.profile).curve(panel.kind.key, 0, session.selection.query, 100)
    np.testing.assert_array_equal(line.x, expected.x)
    np.testing.assert_array_equal(line.y, expected.y)
    assert panel.kind in curve_table()
    (request,) = panel.requests()
    made = figure_content(request, content_data(session), lambda: False)
    (drawn,) = [one for one in made.references.lines if one.mark == "A1: baseline"]
    np.testing.assert_array_equal((drawn.x, drawn.y), (expected.x, expected.y))
    assert [one.label for one in made.references.lines] == [one.label for one in panel.references().lines]
    assert "--show=baseline" in request.arguments("figure")
    session.select(run=1)
    settled()
    assert not [line for line in panel.references().lines if "baseline" in line.label]
