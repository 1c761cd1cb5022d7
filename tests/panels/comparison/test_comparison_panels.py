"""Comparison panels: clicks select, and texts have the values of the scores."""

import re

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from sessions import waiting_for

from shrec_viewer.charts.rank_rows import RankRows
from shrec_viewer.content.contents import build_chart
from shrec_viewer.evaluation.comparison.comparison import compare
from shrec_viewer.panels.comparison.gain_loss import GainLossPanel
from shrec_viewer.panels.comparison.rank_rows import ComparisonPanel
from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.comparison.comparison import comparison_details, runs_best_first
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.viewmodels.files.run_submission import remove_runs, rename_run
from shrec_viewer.widgets.controls.plain_text import plain_tooltip


@pytest.fixture
def panel(opened, show, settled):
    panel = show(ComparisonPanel(opened))
    settled()
    return panel


def names(panel):
    return [row.name for row in panel.lists.rows]


def runs(panel, session):
    """Indices of the runs shown."""
    known = [run.name for run in session.benchmark.runs]
    return [known.index(name) for name in names(panel)]


def test_best_other_run_is_compared_until_another_is_chosen(panel, opened, settled):
    best = runs_best_first(opened)
    assert opened.selection.run == best[0]
    assert opened.selection.compared == best[1]
    assert names(panel) == [opened.benchmark.runs[run].name for run in best[:2]]
    means = opened.scores.mean()[:, opened.scores.column(opened.measure)]
    assert np.all(np.diff(means[best]) <= 0)


def test_new_benchmark_scrolls_to_the_first_rank_and_a_reload_keeps_the_position(
    panel, opened, settled, qtbot, sample_benchmark
):
    panel.resize(400, panel.height())
    bar = panel.lists.horizontalScrollBar()
    scroll(panel.lists, qtbot)
    before = bar.value()
    assert before > 0
    opened.reload()
    settled()
    assert bar.value() == before
    for unseen in (False, True):
        scroll(panel.lists, qtbot)
        panel.setVisible(not unseen)
        opened.changed.connect(panel.lists.viewport().repaint)
        opened.open(sample_benchmark if not unseen else resource("demo"))
        settled()
        panel.show()
        settled()
        assert len(panel.lists.rows) == 2
        assert bar.maximum() > 0
        assert bar.value() == 0


def test_lists_with_removed_models_are_painted(panel, opened, sample_benchmark, qtbot):
    rows, faces = panel.lists.rows, panel._cards
    with waiting_for(opened, qtbot, "benchmark"):
        opened.open(sample_benchmark)
    assert panel.lists.rows != rows
    gone = int(rows[0].items.max())
    assert (faces.name(gone), faces.class_name(gone), faces.path(gone)) == ("", "", None)
    panel.lists.set_rows(rows)
    panel.lists.viewport().repaint()


def scroll(lists, qtbot):
    """Scroll with the wheel."""
    at = QPointF(lists.viewport().rect().center())
    for _ in range(2):
        event = QWheelEvent(
            at, lists.viewport().mapToGlobal(at), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(lists.viewport(), event)
    assert lists.horizontalScrollBar().value() > 0


def test_x_swaps_the_runs(panel, opened, settled, qtbot):
    a, b = opened.selection.run, opened.selection.compared
    qtbot.keyClick(panel.lists, Qt.Key.Key_X)
    settled()
    assert (opened.selection.run, opened.selection.compared) == (b, a)
    assert names(panel) == [opened.benchmark.runs[run].name for run in (b, a)]
    qtbot.keyClick(panel.lists, Qt.Key.Key_X)
    assert (opened.selection.run, opened.selection.compared) == (a, b)


def test_flipping_shows_a_then_b_then_both(panel):
    shown = []
    for _ in range(4):
        panel.flip()
        shown.append(panel.lists.isolated_row)
    assert shown == [0, 1, None, 0]


def test_lists_are_those_of_the_runs_and_the_summary_has_their_scores(panel, opened, settled):
    from shrec_viewer.evaluation.ranked_list import ranked_list

    opened.select(query=7)
    settled()
    column = opened.scores.column(opened.measure)
    for row, run in zip(panel.lists.rows, (opened.selection.run, opened.selection.compared), strict=True):
        expected = ranked_list(opened.benchmark, opened.benchmark.runs[run], 7, opened.profile)
        np.testing.assert_array_equal(row.items, expected.items)
        np.testing.assert_array_equal(row.levels, expected.levels)
        value = f"{opened.scores.values[run, 7, column]:.3f}"
        assert row.note == f"{opened.measure} {value}"
        assert value in panel.lead.text()
    assert panel.lead.text().startswith(f"On {opened.benchmark.queries.ids[7]}")


def test_the_shorter_sentence_has_names_with_commas_in_full(panel, opened, settled):
    runs = opened.benchmark.runs
    rename_run(opened, opened.selection.run, "A, with: commas")
    settled()
    opened.select(query=7)
    settled()
    name, other = (opened.benchmark.runs[run].name for run in (opened.selection.run, opened.selection.compared))
    assert name == "A, with: commas"
    assert len(runs) == len(opened.benchmark.runs)
    difference = rf"{re.escape(other)} is [0-9.]+ {opened.measure} (above|below) {re.escape(name)}\."
    metrics = panel.lead.fontMetrics()
    full = re.search(difference[:-2], panel.lead.text())
    panel.lead.setFixedWidth(metrics.horizontalAdvance(f"{full.group()}.") + 8)
    assert re.fullmatch(difference, panel.lead.shown_text)


def test_card_of_either_list_selects_the_rank_in_run_a(panel, opened, settled, qtbot):
    lists = panel.lists
    qtbot.mouseClick(lists.viewport(), Qt.MouseButton.LeftButton, pos=lists.card(0, 3).center().toPoint())
    assert opened.selection.rank == 3
    qtbot.mouseClick(lists.viewport(), Qt.MouseButton.LeftButton, pos=lists.card(1, 2).center().toPoint())
    item = lists.rows[1].items[1]
    assert lists.rows[0].items[opened.selection.rank - 1] == item
    assert lists.current == (1, 2)


def test_mouse_sets_and_follows_the_shared_cursor(panel, opened, qtbot):
    lists = panel.lists
    qtbot.mouseMove(lists.viewport(), lists.card(0, 2).center().toPoint())
    assert opened.cursor_state.cursor == 2
    opened.cursor_state.hover(4)
    assert lists._item == lists.rows[0].items[3]


def test_further_runs_are_shown_in_further_rows(panel, opened, settled):
    panel.count.setCurrentIndex(2)
    panel.count.activated.emit(2)
    settled()
    assert names(panel) == [opened.benchmark.runs[run].name for run in runs_best_first(opened)[:4]]


def test_one_run_is_not_compared(panel, opened, settled):
    remove_runs(opened, range(1, len(opened.benchmark.runs)))
    settled()
    assert len(opened.benchmark.runs) == 1
    assert panel.is_empty
    assert "requires two runs" in panel.empty.accessibleName()


def all_lines(panel):
    """The entry of the menu."""
    return next(action for action in panel.menu_button.menu().actions() if action.text() == "All lines")


def test_number_of_lists_and_lines_are_restored(panel, opened, settled):
    panel.set_state({"count": 3, "every_line": True})
    settled()
    assert names(panel) == [opened.benchmark.runs[run].name for run in runs_best_first(opened)[:3]]
    assert panel.count.currentText() == "3 runs"
    assert all_lines(panel).isChecked()
    assert panel.options.state() == {"count": 3, "every_line": True}
    assert panel.export_names() == (opened.benchmark.queries.ids[opened.selection.query], *names(panel))
    panel.set_state({"count": 0})
    settled()
    assert names(panel) == [opened.benchmark.runs[run].name for run in runs_best_first(opened)]
    panel.set_state({"count": 9})
    settled()
    assert (panel.count.currentText(), all_lines(panel).isChecked(), len(names(panel))) == ("2 runs", False, 2)


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_click_on_a_run_name_selects_another_run(panel, opened, settled, qtbot):
    panel.count.setCurrentIndex(panel.count.findData(4))
    panel.count.activated.emit(panel.count.currentIndex())
    settled()
    for lane in (3, 2, 1, 0):
        shown = runs(panel, opened)
        expected = next(run for run in range(len(opened.benchmark.runs)) if run not in shown)
        header = panel.lists.head(lane).center().toPoint()
        qtbot.mouseClick(panel.lists.viewport(), Qt.MouseButton.LeftButton, pos=header)
        menu = QApplication.activePopupWidget()
        entries = menu.actions()[: len(opened.benchmark.runs)]  # those of every panel follow
        assert [action.isEnabled() for action in entries] == [
            run == shown[lane] or run not in shown or (lane < 2 and run in shown[:2])
            for run in range(len(opened.benchmark.runs))
        ]
        assert [action.isChecked() for action in menu.actions()].index(True) == shown[lane]
        menu.actions()[expected].trigger()
        menu.close()
        settled()
        shown[lane] = expected
        assert runs(panel, opened)[lane] == expected
    assert (opened.selection.run, opened.selection.compared) == (shown[0], runs(panel, opened)[1])


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@pytest.mark.parametrize("lane", [0, 1])
def test_run_a_chosen_as_run_b_or_reversed_swaps_the_lists(panel, opened, settled, qtbot, lane):
    a, b = shown = runs(panel, opened)
    header = panel.lists.head(lane).center().toPoint()
    qtbot.mouseClick(panel.lists.viewport(), Qt.MouseButton.LeftButton, pos=header)
    menu = QApplication.activePopupWidget()
    menu.actions()[shown[1 - lane]].trigger()
    menu.close()
    settled()
    assert (opened.selection.run, opened.selection.compared) == (b, a)
    assert runs(panel, opened) == [b, a]


@pytest.mark.parametrize("made_before", [True, False])
def test_requested_lists_are_shown(opened, show, settled, made_before):
    worst = runs_best_first(opened)[::-1]
    panel = show(ComparisonPanel(opened)) if made_before else None
    for runs in (worst[:3], [*worst[1:3], worst[0], worst[3]], worst[:2]):
        opened.select(run=runs[0], compared=runs[1], shown_runs=runs)
        opened.cursor_state.request_lists(runs)
        panel = panel or show(ComparisonPanel(opened))
        settled()
        assert names(panel) == [opened.benchmark.runs[run].name for run in runs]
        assert panel.count.currentText() == f"{len(runs)} runs"
    opened.cursor_state.request_lists([*range(len(opened.benchmark.runs))] * 2)
    settled()
    assert panel.count.currentText() == "Shown runs"
    assert len(names(panel)) == len(opened.benchmark.runs)


def test_escape_shows_all_lists_after_flipping(panel, qtbot):
    panel.flip()
    assert panel.lists.isolated_row == 0
    panel.lists.setFocus()
    qtbot.keyClick(panel.lists, Qt.Key.Key_Escape)
    assert panel.lists.isolated_row is None


def test_card_tooltip_names_the_rank_in_the_other_list(panel, opened):
    a, b = panel.lists.rows[:2]
    for rank in (1, 2, 3, 4, 5):
        said = panel.lists.card_tooltip(1, rank).splitlines()
        item = int(b.items[rank - 1])
        assert said[0].startswith(f"{b.name}, rank {rank}: {opened.benchmark.collection.ids[item]}")
        other = a.items.tolist().index(item) + 1
        better = (
            f"{abs(other - rank)} rank{'' if abs(other - rank) == 1 else 's'} {'better' if rank < other else 'worse'}"
        )
        assert said[-1] == (
            f"at the same rank in {a.name}" if other == rank else f"{better} than in {a.name} (rank {other})"
        )


def test_missing_list_shows_a_message(panel, opened, settled):
    missing = np.argwhere(opened.scores.missing)
    run, query = (int(place) for place in missing[0])
    opened.select(run=run, compared=(run + 1) % len(opened.benchmark.runs), query=query)
    settled()
    assert "has no results" in panel.lists.rows[0].missing
    assert panel.lists.rows[0].note == "no results", "which is not the same as an undefined value"
    assert "no results" in panel.lead.text()


def test_opening_a_card_requests_the_3d_view(panel, opened, qtbot):
    with qtbot.waitSignal(opened.cursor_state.view_requested) as reported:
        qtbot.mouseDClick(
            panel.lists.viewport(), Qt.MouseButton.LeftButton, pos=panel.lists.card(0, 2).center().toPoint()
        )
    assert reported.args == ["mesh_view"]


def choose(box, value):
    """Choose an entry as a user does."""
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def test_bars_are_the_score_differences(opened, show, settled, qtbot):
    opened.select(compared=(opened.selection.run + 1) % len(opened.benchmark.runs))
    panel = show(GainLossPanel(opened))
    settled()
    column = opened.scores.column(opened.measure)
    a, b = (opened.scores.values_in_mean[run, :, column] for run in (opened.selection.run, opened.selection.compared))
    for key in ("difference", "given", "class"):
        choose(panel.order, key)
        shown = panel.bars._gains
        np.testing.assert_array_equal(shown, (b - a)[panel._order])
    choose(panel.order, "difference")
    known = panel.bars._gains[~np.isnan(panel.bars._gains)]
    assert np.all(np.diff(known) <= 0)
    qtbot.mouseClick(panel.bars.viewport(), Qt.MouseButton.LeftButton, pos=panel.bars.column(0).center().toPoint())
    assert opened.selection.query == panel._order[0]
    opened.select(query=panel._order[5])
    assert panel.bars.current == 5
    runs = [opened.benchmark.runs[run].name for run in (opened.selection.run, opened.selection.compared)]
    found = compare(opened.scores, *runs, opened.measure)
    change = found.difference.mean
    verdict = f"{runs[1]} is {abs(change):.3f} {opened.measure} {'above' if change > 0 else 'below'} {runs[0]}"
    assert panel.lead.text().startswith(f"Over {found.n} queries, {verdict}")
    assert panel.lead.font().weight() > panel.summary.font().weight()
    won = found.win_tie_loss
    assert f"better, {won.equal} equal, {won.worse} worse" in panel.summary.text()
    assert plain_tooltip(panel.summary) == comparison_details(found)


def test_summary_has_two_lines_and_names_a_contradiction_of_the_tests(session, show, settled):
    """In the demo, the test of this pair separates C1 and B2 in ADR, the one of all pairs does not (see `compare`)."""
    session.open(resource("demo"))
    settled()
    names = [run.name for run in session.benchmark.runs]
    session.select(run=names.index("C1"), compared=names.index("B2"), measure="ADR")
    panel = show(GainLossPanel(session), 660, 300)  # as wide as at 1280 pixels
    settled()
    assert "p < 0.001 (paired randomisation)" in panel.summary.text()
    why = " Among all runs not significant: p = 0.334 (Tukey HSD). Not comparable: lists of other lengths."
    assert panel.summary.text().endswith(why)
    assert "C1 and B2 have lists of other lengths, on average 40 and 125 models" in panel.summary.toolTip()
    session.select(run=names.index("A1"))
    settled()
    assert panel.lead.text().startswith("Over 16 queries, B2 is ")
    assert "Tukey" not in panel.summary.text(), "both tests separate A1 and B2"
    line = panel.summary.fontMetrics().lineSpacing()
    assert panel.summary.heightForWidth(panel.summary.width()) <= 2 * line + 2


def test_summary_and_order_share_a_row_in_a_narrow_panel(opened, show, settled):
    panel = show(GainLossPanel(opened), 260, 400)
    settled()
    assert panel.summary.geometry().right() < panel.order.x()
    assert panel.summary.shown_text
    assert panel.bars.height() > 200


def test_both_visible_panels_follow_query_and_runs(opened, show, settled):
    for kinds in ((ComparisonPanel, GainLossPanel), (GainLossPanel, ComparisonPanel)):
        shown = [show(kind(opened)) for kind in kinds]
        panel = next(one for one in shown if isinstance(one, ComparisonPanel))
        bars = next(one for one in shown if isinstance(one, GainLossPanel))
        for query in (3, 5):
            opened.select(query=query)
            settled()
            assert panel.lead.text().startswith(f"On {opened.benchmark.queries.ids[query]}")
        selection = opened.selection
        opened.select(run=selection.compared, compared=selection.run)
        settled()
        expected = [opened.benchmark.runs[run].name for run in (selection.compared, selection.run)]
        assert names(panel) == expected
        for text in (panel.lead.text(), bars.lead.text()):
            assert re.search(f"{expected[1]} is [0-9.]+ {opened.measure} (above|below) {expected[0]}", text)
        for one in shown:
            one.hide()


def test_bars_select_a_run_b_where_there_is_none(opened, show, settled):
    assert opened.selection.compared is None
    panel = show(GainLossPanel(opened))
    settled()
    assert not panel.is_empty
    assert opened.selection.compared == runs_best_first(opened)[1]


def test_export_is_what_is_seen(panel, opened, settled):
    """The ranks in sight of the runs shown, with the lines, in the order of the rows."""
    panel.resize(420, panel.height())
    settled()
    panel.lists.horizontalScrollBar().setValue(2)
    panel.set_option("every_line", True)
    settled()
    first, last = panel.lists.visible_ranks()
    assert 0 < first < last < 9
    chart = build_chart(content_data(opened), panel.export().figure)
    assert isinstance(chart, RankRows)
    assert [row.name for row in chart.rows] == names(panel)
    assert (chart.first, chart.every_line) == (first + 1, True)
    ids = opened.benchmark.collection.ids
    for row, tiles in zip(panel.lists.rows, chart.tiles, strict=True):
        assert [tile.caption for tile in tiles] == [ids[item] for item in row.items[first : last + 1]]
        assert [tile.level for tile in tiles] == row.levels[first : last + 1].tolist()
    for row, drawn in zip(panel.lists.rows, chart.rows, strict=True):
        assert (row.colour, row.dash, row.marker) == (drawn.colour, drawn.dash, drawn.marker)


def test_query_is_the_first_picture(panel, opened, settled):
    assert panel.picture.isVisible() == (opened.benchmark.queries.paths[opened.selection.query] is not None)
    assert panel.picture.geometry().right() < panel.summary.x()
    assert panel.picture.geometry().bottom() <= 72
