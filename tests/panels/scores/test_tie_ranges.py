"""Lowest and highest values over the orders of ties: in the tables, and as an order of the queries."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from sessions import open_in

from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.metrics import with_convention
from shrec_viewer.panels.ranking.queries import QueriesPanel
from shrec_viewer.panels.scores.score_tables import LeaderboardPanel, RunScoresPanel
from shrec_viewer.viewmodels.ranking.query_list import QueryScores
from shrec_viewer.viewmodels.scores.score_tables import ScoreRole
from shrec_viewer.widgets.tables.score_columns import ColumnChooserPopup

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)  # the pop-up, under offscreen


@pytest.fixture
def tied(tmp_path, session, qtbot):
    """Two runs with ties and one without, for four queries over a collection of twelve models in four classes."""
    random, names = np.random.default_rng(3), [f"m{n}" for n in range(12)]
    classes = "".join(f"\n\nc{k} 0 3\n" + "\n".join(names[3 * k : 3 * k + 3]) for k in range(4))
    (tmp_path / "classes.cla").write_text(f"PSB 1\n4 12{classes}\n")
    for name, levels in (("few", 6), ("many", 2), ("none", 0)):
        matrix = random.permutation(144).reshape(12, 12) if not levels else random.integers(1, levels + 1, (12, 12))
        np.savetxt(tmp_path / f"{name}.txt", matrix, fmt="%.1f")
    return open_in(session, tmp_path, qtbot)


def expected(session, read):
    """Lowest and highest of three separate evaluations."""
    keys = list(session.measures)
    every = [
        read(evaluate(session.benchmark, session.profile, measures=keys, ties=ties))
        for ties in ("profile", "optimistic", "pessimistic")
    ]
    return np.min(every, axis=0), np.max(every, axis=0)


def click_ranges(panel, qtbot):
    """Click the check box in the list of columns."""
    qtbot.mouseClick(panel.choose, Qt.MouseButton.LeftButton)
    popup = next(popup for popup in panel.findChildren(ColumnChooserPopup) if popup.isVisible())
    qtbot.mouseClick(popup.option, Qt.MouseButton.LeftButton, pos=QPoint(8, popup.option.height() // 2))
    popup.close()


def shown(model):
    rows, first = range(model.rowCount()), model.column_of("AP")
    return [model.index(row, first).data(ScoreRole.TIE_RANGE) for row in rows]


def test_leaderboard_shows_ranges_while_the_button_is_checked(tied, show, settled, qtbot):
    panel = show(LeaderboardPanel(tied), 900, 300)
    settled()
    assert shown(panel.model) == [None] * 3
    click_ranges(panel, qtbot)
    settled()
    column = tied.scores.column("AP")
    for of, read in (("queries", lambda s: s.mean()), ("classes", lambda s: s.class_mean())):
        tied.select(means=True, mean_over=of)
        low, high = (bound[:, column] for bound in expected(tied, read))
        np.testing.assert_allclose(shown(panel.model), np.stack([low, high], axis=1), atol=1e-15)
        assert [run.name for run, a, b in zip(tied.benchmark.runs, low, high, strict=True) if a == b] == ["none"]
    tied.select(means=False)
    for query in (1, 3):
        tied.select(query=query)
        settled()
        low, high = (bound[:, query, column] for bound in expected(tied, lambda s: s.values))
        np.testing.assert_allclose(shown(panel.model), np.stack([low, high], axis=1), atol=1e-15)
    state = panel.options.state()
    click_ranges(panel, qtbot)
    assert shown(panel.model) == [None] * 3
    panel.set_state(state)
    settled()
    assert None not in shown(panel.model)


def test_measures_of_the_run_show_ranges(tied, show, settled, qtbot):
    panel = show(RunScoresPanel(tied), 900, 300)
    click_ranges(panel, qtbot)
    settled()
    column, names = tied.scores.column("AP"), [run.name for run in tied.benchmark.runs]
    for name in ("many", "few"):
        tied.select(run=names.index(name))
        settled()
        low, high = (bound[names.index(name), :, column] for bound in expected(tied, lambda s: s.values))
        np.testing.assert_allclose(shown(panel.model), np.stack([low, high], axis=1), atol=1e-15)
    tip = panel.model.index(int(np.argmax(high - low)), panel.model.column_of("AP")).data(Qt.ItemDataRole.ToolTipRole)
    assert "over the orders of ties" in tip


def test_queries_are_ordered_by_what_ties_may_change(tied, show, settled):
    panel = show(QueriesPanel(tied), 300, 500)
    names = [run.name for run in tied.benchmark.runs]
    column = tied.scores.column(tied.measure)
    panel.set_option("order", "ties")
    for name in ("many", "few"):
        tied.select(run=names.index(name))
        settled()
        low, high = (bound[names.index(name), :, column] for bound in expected(tied, lambda s: s.values))
        rows = [panel.model.query_of(row) for row in range(panel.model.rowCount())]
        assert rows == np.argsort(-(high - low), kind="stable").tolist()
        texts = [panel.model.scores.ties_text(query) for query in range(12)]
        assert [bool(text) for text in texts] == (high > low).tolist()
        assert not any(text.split("–")[0] == text.split("–")[-1] for text in texts if "–" in text)
    panel.set_option("order", "file")
    tied.set_conventions(with_convention(tied.profile, "list_cut", 10))
    settled()
    assert np.isnan(panel.model.scores.tie_widths).all()  # only computed for views that show them


def test_ranges_that_print_alike_are_named_by_their_size():
    scores = QueryScores(*(np.array([0.5, 0.5, 0.5]),) * 3, *(np.zeros(3, dtype=bool),) * 2,
                         lowest=np.array([0.4, 0.5, 0.49999]), highest=np.array([0.5, 0.5, 0.50001]))  # fmt: skip
    assert [scores.ties_text(query) for query in range(3)] == ["0.400–0.500", "", "range <0.001"]
