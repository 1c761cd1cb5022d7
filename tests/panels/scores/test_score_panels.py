"""Score panels: filters, columns, ranks, contingency table and calculation."""

from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt, QUrl
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QMenu, QStyleOptionViewItem, QToolTip
from sessions import open_in

from shrec_viewer.content.contents import build_table
from shrec_viewer.domain import Finding, Severity
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.metrics import kendall_tau
from shrec_viewer.number_format import format_fixed, format_percent
from shrec_viewer.panels.scores.calculation import CalculationPanel
from shrec_viewer.panels.scores.contingency import ContingencyPanel
from shrec_viewer.panels.scores.heat_map import HeatMapPanel
from shrec_viewer.panels.scores.run_intervals import SignificancePanel
from shrec_viewer.panels.scores.score_tables import LeaderboardPanel, RunScoresPanel
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.viewmodels.scores.score_tables import common_measures, run_warnings
from shrec_viewer.viewmodels.session import session
from shrec_viewer.viewmodels.session.selection import NOTHING, CalculationTarget
from shrec_viewer.widgets.controls.check_list import KEY_ROLE
from shrec_viewer.widgets.controls.plain_text import PlainLabel
from shrec_viewer.widgets.style.theme import DARK, apply_text_size, apply_theme
from shrec_viewer.widgets.tables.score_columns import ColumnChooserPopup


def cell(panel, row, column):
    """Centre of a cell, by displayed row and column."""
    return panel.table.visualRect(panel.table.model().index(row, column)).center()


def shown_names(table):
    model = table.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def test_runs_of_one_participant_can_be_shown(opened, show):
    panel = show(LeaderboardPanel(opened))
    everyone = shown_names(panel.table)
    name = panel.participant.itemData(2)
    panel.participant.setCurrentIndex(2)
    panel.participant.activated.emit(2)
    wanted = {run.name for run in opened.benchmark.runs if run.participant == name}
    assert set(shown_names(panel.table)) == wanted
    panel.participant.setCurrentIndex(0)
    panel.participant.activated.emit(0)
    assert shown_names(panel.table) == everyone


@pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)", extend=True)
def test_chosen_columns_are_kept_under_other_conventions(opened, show, settled, qtbot):
    panel = show(LeaderboardPanel(opened))
    columns, chooser = panel.columns, open_columns(panel, qtbot)
    assert list(columns.columns()) == [measure.key for measure in opened.scores.measures]
    with qtbot.waitSignal(columns.changed):
        click_entry(chooser, "AP", qtbot)
    assert panel.table.isColumnHidden(columns.columns()["AP"])
    chooser.close()
    opened.set_profile("psb")
    settled()
    assert panel.table.isColumnHidden(columns.columns()["AP"])
    assert not panel.table.isColumnHidden(columns.columns()["FT"])
    chooser = open_columns(panel, qtbot)
    qtbot.mouseClick(chooser.all, Qt.MouseButton.LeftButton)
    assert not panel.table.isColumnHidden(columns.columns()["AP"])
    chooser.close()


@pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)", extend=True)
def test_slices_are_columns_of_the_table_of_runs(opened, show, settled, qtbot):
    panel = show(LeaderboardPanel(opened))
    measures, chooser = list(panel.columns.columns()), open_columns(panel, qtbot)
    click_entry(chooser, "difficulty: hard", qtbot)
    click_entry(chooser, "difficulty: easy", qtbot)
    assert list(panel.columns.columns()) == [*measures, "difficulty: hard", "difficulty: easy"]
    qtbot.mouseClick(chooser.none, Qt.MouseButton.LeftButton)
    assert list(panel.columns.columns()) == measures
    qtbot.mouseClick(chooser.all, Qt.MouseButton.LeftButton)  # no slices, which may be many
    assert list(panel.columns.columns()) == measures
    click_entry(chooser, "difficulty: hard", qtbot)
    chooser.close()

    def values(name):
        column = panel.columns.columns()[name]
        return [panel.model.index(row, column).data() for row in range(panel.model.rowCount())]

    for measure in ("AP", "FT"):
        opened.select(measure=measure)
        settled()
        table = build_table(content_data(opened), panel.request())
        assert table.columns[-1].key == f"{measure}, difficulty: hard"
        by_run = {row[0]: format_fixed(row[-1], 3) for row in table.rows}
        assert values("difficulty: hard") == [by_run[run.name] for run in opened.benchmark.runs]
    easy = next(one for one in panel.model.available_slices() if one.name == "difficulty: easy")
    panel.set_option("slices", (easy.name,))
    means = opened.scores.values_in_mean[:, easy.queries, opened.scores.column("FT")].mean(axis=1)
    assert values(easy.name) == [format_fixed(mean, 3) for mean in means.tolist()]
    column = panel.columns.columns()["difficulty: easy"]
    tip = panel.model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert tip.startswith(f"FT, {len(easy.queries)} queries\n")
    assert panel.model.measure_of(column) is None
    panel.table.sortByColumn(column, Qt.SortOrder.DescendingOrder)
    panel.set_state({})
    assert list(panel.columns.columns()) == measures


def shown_columns(panel):
    return [name for name, column in panel.columns.columns().items() if not panel.table.isColumnHidden(column)]


@pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)", extend=True)
@pytest.mark.parametrize("panel", [LeaderboardPanel, RunScoresPanel])
def test_columns_of_papers_are_shown_until_others_are_chosen(panel, opened, show, qtbot):
    """Also in an export, which begins with what is shown; projects contain columns that were chosen only."""
    panel = show(panel(opened))
    opened.set_profile("shrec2006")
    qtbot.waitUntil(lambda: len(panel.columns.columns()) > 30)
    opened.select(measure="ADR")
    usual = ["ADR", "AP(rel=2)", "AP", "FT(rel=2)", "FT", "ST(rel=2)", "ST", "NDCG@100"]
    assert (shown_columns(panel), panel.options.state()) == (usual, {})
    assert panel.request().measures == tuple(usual)
    opened.select(measure="P")
    assert shown_columns(panel) == [*usual, "P"]
    opened.select(measure="ADR")
    assert shown_columns(panel) == usual
    panel.set_state({"hidden_columns": ["AP"]})
    assert shown_columns(panel) == [name for name in panel.columns.columns() if name != "AP"]
    panel.set_state({"hidden_columns": []})
    assert panel.columns.hidden == frozenset()
    assert panel.options.state() == {"hidden_columns": []}
    open_columns(panel, qtbot).usual.click()
    assert (shown_columns(panel), panel.options.state()) == (usual, {})


def open_columns(panel, qtbot):
    qtbot.mouseClick(panel.choose, Qt.MouseButton.LeftButton)
    return panel.choose.findChildren(ColumnChooserPopup)[-1]


def click_entry(chooser, name, qtbot):
    row = next(row for row in range(chooser.list.count()) if chooser.list.item(row).data(KEY_ROLE) == name)
    chooser.list.scrollToItem(chooser.list.item(row))
    spot = chooser.list.visualItemRect(chooser.list.item(row)).center()
    qtbot.mouseClick(chooser.list.viewport(), Qt.MouseButton.LeftButton, pos=spot)


@pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)", extend=True)
def test_column_menu_stays_open_while_choosing(opened, show, qtbot):
    panel = show(LeaderboardPanel(opened))
    opened.set_profile("shrec2006")
    qtbot.waitUntil(lambda: len(panel.columns.columns()) > 30)
    chooser, every = open_columns(panel, qtbot), set(panel.columns.columns())
    qtbot.mouseClick(chooser.all, Qt.MouseButton.LeftButton)
    for name in ("FT", "ST", "AP"):
        click_entry(chooser, name, qtbot)
        assert chooser.isVisible()
    assert panel.columns.hidden == {"FT", "ST", "AP"} & every
    qtbot.mouseClick(chooser.usual, Qt.MouseButton.LeftButton)
    shown = set(shown_columns(panel))
    assert shown == set(common_measures(opened.profile)) & every
    assert 5 < len(shown) < 12
    assert not chooser.usual.isEnabled()
    qtbot.mouseClick(chooser.none, Qt.MouseButton.LeftButton)
    assert panel.columns.hidden == every


@pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)", extend=True)
def test_columns_are_chosen_with_the_keyboard(opened, show, qtbot):
    panel = show(LeaderboardPanel(opened))
    opened.set_profile("shrec2006")
    qtbot.waitUntil(lambda: len(panel.columns.columns()) > 30)
    panel.set_option("hidden_columns", ())
    panel.choose.setFocus()
    qtbot.keyClick(panel.choose, Qt.Key.Key_Space)
    chooser = panel.choose.findChildren(ColumnChooserPopup)[-1]
    assert chooser.search_field.hasFocus()
    qtbot.keyClicks(chooser.search_field, "ndcg")
    found = [chooser.list.item(row) for row in range(chooser.list.count()) if not chooser.list.item(row).isHidden()]
    assert found
    assert all("ndcg" in item.text().casefold() for item in found)
    qtbot.keyClick(chooser.search_field, Qt.Key.Key_Return)
    first, second = found[0].data(KEY_ROLE), found[1].data(KEY_ROLE)
    assert panel.columns.hidden == {first}
    qtbot.keyClick(chooser.search_field, Qt.Key.Key_Down)
    qtbot.keyClick(chooser.list, Qt.Key.Key_Down)
    qtbot.keyClick(chooser.list, Qt.Key.Key_Space)
    assert panel.columns.hidden == {first, second}
    chooser.none.click()
    assert panel.columns.hidden == {item.data(KEY_ROLE) for item in found}
    qtbot.keyClick(chooser.list, Qt.Key.Key_Escape)
    assert not chooser.isVisible()
    assert panel.isVisible()


def test_each_run_has_its_point_for_one_query(opened, show, qtbot):
    panel = show(LeaderboardPanel(opened))
    opened.select(means=False)
    roles = {name.data().decode(): role for role, name in panel.model.roleNames().items()}
    for column, measure in enumerate(opened.scores.measures):
        values = opened.scores.values[:, opened.selection.query, column]
        at = panel.model.column_of(measure.key)
        for run in range(len(values)):
            place = panel.model.data(panel.model.index(run, at), roles["place"])
            if measure.better == "none" or np.isnan(values[run]):
                assert place is None
                continue
            better = values > values[run] if measure.better == "higher" else values < values[run]
            assert place == better.sum() + 1
    opened.select(means=True)
    assert panel.model.data(panel.model.index(0, 2), roles["place"]) is None


@pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)", extend=True)
def test_orders_of_the_runs_by_two_measures_are_compared(opened, show, settled, qtbot):
    """The tooltip of each header compares the order with that by the selected measure."""
    opened.select(means=True)
    panel = show(LeaderboardPanel(opened), 1100, 300)
    panel.set_option("hidden_columns", ())
    means = opened.scores.mean()

    def values(key):
        return means[:, opened.scores.column(key)]

    opened.select(measure="AP(rel=2)")
    settled()
    header = panel.table.horizontalHeader()
    for key in ("FT", "FP", "AP(rel=2)"):  # the order by FP is that of its negative values
        column = panel.model.column_of(key)
        panel.table.scrollTo(panel.table.model().index(0, column))
        point = QPoint(header.sectionViewportPosition(column) + 5, 5)
        event = QHelpEvent(QEvent.Type.ToolTip, point, header.viewport().mapToGlobal(point))
        QToolTip.hideText()
        QApplication.sendEvent(header.viewport(), event)
        qtbot.waitUntil(QToolTip.isVisible)
        other = -values("FP") if key == "FP" else values(key)
        text = f"Kendall's τ {format_fixed(kendall_tau(values('AP(rel=2)'), other), 3)}"
        assert (text in QToolTip.text()) == (key != "AP(rel=2)"), key
    QToolTip.hideText()


@pytest.mark.parametrize(("of", "over"), [("query", "queries"), ("queries", "queries"), ("classes", "classes")])
def test_click_on_a_score_requests_its_calculation(opened, show, qtbot, of, over):
    panel = show(LeaderboardPanel(opened))
    opened.select(means=of != "query", mean_over=over)
    column = panel.model.column_of(opened.scores.measures[1].key)
    with qtbot.waitSignal(opened.cursor_state.view_requested) as reported:
        qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=cell(panel, 2, column))
    assert reported.args == ["calculation"]
    query = opened.selection.query if of == "query" else NOTHING
    assert opened.cursor_state.calculation_target == CalculationTarget(
        opened.scores.measures[1].key, opened.selection.run, query, over
    )


def test_calculation_marks_its_ranks_and_links_select_them(opened, show, settled, qtbot):
    panel = show(CalculationPanel(opened), 380, 500)
    opened.cursor_state.show_calculation(CalculationTarget("AP", opened.selection.run, opened.selection.query))
    settled()
    levels = opened.ranked_list.levels
    assert opened.cursor_state.marks == tuple(np.flatnonzero(levels > 0) + 1)
    value = opened.scores.values[opened.selection.run, opened.selection.query, opened.scores.column("AP")]
    assert f"AP = {value:.6f}" in panel.page.toPlainText()
    last = opened.cursor_state.marks[-1]
    panel.page.highlighted.emit(QUrl(f"rank:{last}"))
    assert opened.cursor_state.cursor == last
    panel.page.highlighted.emit(QUrl())
    panel.page.anchorClicked.emit(QUrl(f"rank:{last}"))
    assert opened.selection.rank == last
    panel.hide()
    assert opened.cursor_state.marks == ()


def test_calculation_follows_the_selection(opened, show, settled):
    panel = show(CalculationPanel(opened), 380, 500)
    opened.cursor_state.show_calculation(CalculationTarget("FT", opened.selection.run, NOTHING))
    settled()
    assert "mean over queries" in panel.page.toPlainText()
    opened.select(query=4)
    settled()
    text = panel.page.toPlainText()
    assert f"{opened.run.name}, {opened.benchmark.queries.ids[4]}" in text
    assert "FT = " in text
    opened.select(measure="ADR")
    settled()
    assert "ADR = " in panel.page.toPlainText()
    opened.set_profile("psb")  # which has no ADR
    settled()
    assert f"{opened.profile.headline} = " in panel.page.toPlainText()


def test_calculation_has_the_models_of_its_own_list(opened, show, settled, qtbot, monkeypatch):
    """Until the list of a new query is ranked, the page of the previous one stays; it is then laid out once."""
    panel = show(CalculationPanel(opened), 380, 500)
    opened.cursor_state.show_calculation(CalculationTarget("AP", opened.selection.run, opened.selection.query))
    settled()
    before, pages, may_rank = panel.page.toPlainText(), [], Event()
    set_html, rank = panel.page.setHtml, session.make_ranked_list

    def record(text):
        pages.append(text)
        set_html(text)

    def rank_later(*inputs):
        may_rank.wait(60)
        return rank(*inputs)

    monkeypatch.setattr(panel.page, "setHtml", record)
    monkeypatch.setattr(session, "make_ranked_list", rank_later)
    opened.select(query=4)
    try:
        qtbot.waitUntil(lambda: panel.computation.result.query == opened.benchmark.queries.ids[4], timeout=60_000)
        assert (pages, panel.page.toPlainText()) == ([], before)
    finally:
        may_rank.set()
    settled()
    assert len(pages) == 1
    text = panel.page.toPlainText()
    for rank in opened.cursor_state.marks:
        assert f"{rank:,}\n{opened.benchmark.collection.ids[opened.ranked_list.items[rank - 1]]}\n" in text


def read_again(document, faults):
    """The document after the benchmark was read again, with runs that could not be read."""
    return replace(document, request=replace(document.request), unreadable_runs=faults)


def test_runs_that_cannot_be_read_are_named_below_the_table(opened, show):
    panel = show(LeaderboardPanel(opened))
    assert not panel.unreadable.isVisible()
    faults = {Path("runs/X1"): "runs/X1:3: too few columns", Path("runs/<b>Y"): "runs/<b>Y: is empty"}
    opened.apply(read_again(opened.document, faults))
    assert panel.unreadable.isVisible()
    assert panel.unreadable.text() == "Cannot be read: X1, <b>Y"
    assert "too few columns" in panel.unreadable.toolTip()
    opened.apply(read_again(opened.document, {}))
    assert not panel.unreadable.isVisible()


def test_the_table_of_runs_scrolls_to_the_selected_measure(opened, show, qtbot):
    """Horizontally only, and back to the names where the column is visible there, too."""
    panel = show(LeaderboardPanel(opened), 420, 170)
    table, rows = panel.table, panel.table.verticalScrollBar()
    keys = [panel.model.measure_of(column) for column in table.shown_columns()]

    def shows(key):
        left = table.columnViewportPosition(panel.model.column_of(key))
        return left >= 0 and left + table.columnWidth(panel.model.column_of(key)) <= table.viewport().width()

    opened.select(run=4)
    table.set_current_run(None)
    rows.setValue(rows.maximum())
    before, runs = rows.value(), opened.selection.run
    for key in (keys[-1], keys[len(keys) // 2], keys[-2]):
        assert not shows(key)
        opened.select(measure=key)
        assert shows(key), key
        assert (rows.value(), opened.selection.run) == (before, runs)
    assert before > 0
    first = next(key for key in keys if key is not None)
    opened.select(measure=first)
    assert shows(first)
    assert table.horizontalScrollBar().value() == 0
    table.horizontalScrollBar().setValue(50)  # by the user
    opened.select(query=3)
    assert table.horizontalScrollBar().value() == 50
    panel.hide()
    opened.select(measure=keys[-1])
    panel.show()
    qtbot.waitUntil(lambda: shows(keys[-1]))


def test_calculation_of_a_list_that_cannot_be_ranked(opened, show, settled, qtbot, monkeypatch):
    """The page shows the score of the new query, without the models of the former list."""
    panel = show(CalculationPanel(opened), 380, 500)
    opened.cursor_state.show_calculation(CalculationTarget("AP", opened.selection.run, opened.selection.query))
    settled()
    former, failures = opened.ranked_list, []

    def fail(*_inputs):
        raise OSError(5, "Input/output error")

    opened.failed.connect(lambda *texts: failures.append(texts))
    monkeypatch.setattr(session, "make_ranked_list", fail)
    opened.select(query=4)
    settled()
    assert len(failures) == 1
    assert "cannot be shown" in failures[0][0]
    assert opened.ranked_list is None
    text = panel.page.toPlainText()
    assert f"{opened.run.name}, {opened.benchmark.queries.ids[4]}" in text
    names = [opened.benchmark.collection.ids[item] for item in former.items.tolist()]
    assert not [name for name in names if name in text.partition("Definition")[0]]


def test_calculation_is_kept_at_another_text_size(opened, show, settled, qapp, monkeypatch):
    """The page lays out its text itself; it is set again in another theme."""
    panel = show(CalculationPanel(opened), 380, 500)
    opened.cursor_state.show_calculation(CalculationTarget("AP", opened.selection.run, opened.selection.query))
    settled()
    pages, set_html, height = [], panel.page.setHtml, panel.page.document().size().height()
    monkeypatch.setattr(panel.page, "setHtml", lambda text: pages.append(text) or set_html(text))
    try:
        apply_text_size(qapp, 150)
        assert not pages
        assert panel.page.document().size().height() > 1.2 * height
        apply_theme(qapp, DARK)
        assert len(pages) == 1
    finally:
        apply_text_size(qapp, 100)


def test_heads_of_a_calculation_are_not_broken_within_a_word(opened, show, settled):
    opened.select(measure="AP")
    panel = show(CalculationPanel(opened), 240, 500)
    settled()
    block, lines = panel.page.document().begin(), {}
    while block.isValid():
        lines[block.text()] = block.layout().lineCount()
        block = block.next()
    heads = ("rank", "model", "level", "contribution")
    assert [lines[head] for head in heads] == [1, 1, 1, 1]


def test_calculation_has_the_best_possible_value_of_the_list(opened, show, settled):
    """For AP the share of the relevant models that a list of this length can hold."""
    panel = show(CalculationPanel(opened), 380, 500)
    run, query = opened.selection.run, opened.selection.query
    hits = opened.scores.hits[run].rows(query, query + 1)
    best = min(int(hits.list_length[0]), int(hits.relevant_size(1)[0])) / int(hits.relevant_size(1)[0])
    opened.cursor_state.show_calculation(CalculationTarget("AP", run, query))
    settled()
    assert f"best possible value for a list of this length: {best:.6f}" in panel.page.toPlainText()
    opened.cursor_state.show_calculation(CalculationTarget("AP", run, NOTHING))
    settled()
    mean = opened.scores.ceiling().mean()[run, opened.scores.column("AP")]
    assert f"best possible value for lists of these lengths: {mean:.6f}" in panel.page.toPlainText()


def test_scores_of_one_run_by_query_and_by_class(opened, show, settled, qtbot):
    panel = show(RunScoresPanel(opened))
    model = panel.model
    roles = {name.data().decode(): role for role, name in model.roleNames().items()}

    def numbers():
        columns = range(2, model.columnCount())
        return [[model.data(model.index(r, c), roles["value"]) for c in columns] for r in range(model.rowCount())]

    np.testing.assert_array_equal(numbers(), opened.scores.values[opened.selection.run])
    qtbot.mouseClick(panel.aggregation.button("classes"), Qt.MouseButton.LeftButton)
    _, means = opened.scores.by_class()
    np.testing.assert_array_equal(numbers(), means[opened.selection.run])
    opened.select(run=(opened.selection.run + 1) % len(opened.benchmark.runs))
    np.testing.assert_array_equal(numbers(), means[opened.selection.run])
    before = opened.selection.query
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=cell(panel, 3, 0))
    name = panel.table.model().index(3, 0).data()
    label = opened.scores.query_labels[opened.selection.query]
    assert opened.benchmark.classification.names[label] == name
    assert before != opened.selection.query or opened.scores.query_labels[before] == label


def test_query_of_the_table_is_selected_and_marked(opened, show, qtbot):
    panel = show(RunScoresPanel(opened))
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=cell(panel, 4, 0))
    name = panel.table.model().index(4, 0).data()
    assert opened.benchmark.queries.ids[opened.selection.query] == name
    opened.select(query=1)
    index = panel.table.currentIndex()
    assert panel.table.model().index(index.row(), 0).data() == opened.benchmark.queries.ids[1]


@pytest.mark.parametrize("level", [1, 2])
def test_contingency_table_agrees_with_the_measures(opened, show, settled, qtbot, level):
    panel = show(ContingencyPanel(opened), 420, 300)
    settled()
    qtbot.mouseClick(panel.level.button(str(level)), Qt.MouseButton.LeftButton)
    suffix = "" if level == 1 else "(rel=2)"
    run, profile = opened.run, opened.profile
    for query in (0, 3, 9):
        opened.select(query=query)
        settled()
        for scope in (1, 5, 17):
            opened.select(rank=scope)
            keys = [f"P{suffix}@{scope}", f"R{suffix}@{scope}", f"TP{suffix}", f"FN{suffix}"]
            values = evaluate(opened.benchmark, profile, runs=[run.name], measures=keys).values[0, query]
            tp, fp, fn, tn = panel.table.counts
            assert tp + fp == scope
            assert tp / scope == pytest.approx(values[0])
            assert tp / (tp + fn) == pytest.approx(values[1])
            assert tp + fn == values[2] + values[3]
            own = opened.benchmark.queries.member[query] >= 0 and profile.self_match == "drop"
            assert tp + fp + fn + tn == len(opened.benchmark.collection) - own


@pytest.mark.parametrize("make", [LeaderboardPanel, RunScoresPanel])
def test_tiers_in_per_cent(opened, show, settled, make):
    """As the report of 2006 prints them; other measures stay shares, and exact values too."""
    panel = show(make(opened), 900, 400)
    settled()
    panel.set_option("percent", True)
    assert panel._percent.isChecked()
    model = panel._model
    measures = [model.measure_of(column) for column in range(model.columnCount())]
    assert {"FT", "AP"} <= set(measures)
    for column, measure in enumerate(measures):
        if measure is None:
            continue
        value, text = model.column_values(column)[0], model.index(0, column).data()
        is_tier = measure.startswith(("FT", "ST"))
        assert text == (format_percent(value, 1) if is_tier else format_fixed(value, 3))
    shown = {key: panel.table.model().column_info(measures.index(key)).text(0.25) for key in ("FT", "AP")}
    assert shown == {"FT": "25.0 %", "AP": "0.250"}
    request = panel.requests()[0]
    assert request.percent
    table = build_table(content_data(opened), request)
    column = [one.key for one in table.columns].index("FT (%)")
    shares = sorted(100 * value for value in model.column_values(measures.index("FT")) if value == value)
    assert sorted(row[column] for row in table.rows if row[column] is not None) == pytest.approx(shares)


def test_retrieved_by_level(opened, show, settled):
    """Vh of Ch, Vm of Cm and Vn of Cn of SHREC 2006, in the table of the command, too."""
    panel = show(ContingencyPanel(opened), 420, 300)
    settled()
    opened.select(rank=17)
    settled()
    (label,) = (one for one in panel.findChildren(PlainLabel) if one.accessibleName() == "Retrieved by level")
    rows = {str(row[0]): row for row in build_table(content_data(opened), panel.requests()[0]).rows}
    levels = [rows[f"level {level}"] for level in (2, 1, 0)]
    assert label.text() == ", ".join(f"{row[0].removeprefix('level ')}: {row[1]} of {row[3]}" for row in levels)
    assert (sum(row[1] for row in levels), sum(row[3] for row in levels)) == (17, rows["all"][3])
    assert label.isVisible()


def test_scope_is_kept_for_other_queries(opened, show, settled, qtbot):
    panel = show(ContingencyPanel(opened), 420, 300)
    settled()
    opened.cursor_state.hover(7)
    assert panel.scope.value() == 7
    qtbot.mouseClick(panel.follow_cursor, Qt.MouseButton.LeftButton)
    panel.scope.setValue(12)
    opened.cursor_state.hover(3)
    assert panel.scope.value() == 12
    assert sum(panel.table.counts[:2]) == 12


def test_run_with_warnings_is_marked(session, sample_benchmark, show, qtbot):
    """Scores of a run with equal distances depend on the rule for ties."""
    (sample_benchmark / "runs" / "flat.matrix").write_text("\n".join(" ".join(["1.0"] * 8) for _ in range(3)) + "\n")
    text = (sample_benchmark / "benchmark.toml").read_text()
    (sample_benchmark / "benchmark.toml").write_text(f'{text}\n[[runs]]\nname = "flat"\npath = "runs/flat.matrix"\n')
    opened = open_in(session, sample_benchmark, qtbot)
    panel = show(LeaderboardPanel(opened), 900, 400)
    model = panel.model
    role = next(role for role, name in model.roleNames().items() if name == b"warning")
    reported = {run.name: model.index(row, 0).data(role) for row, run in enumerate(opened.benchmark.runs)}
    assert "100.0 % of the ranks are tied" in reported["flat"]
    assert reported["B1"].startswith("1 query has no list")
    assert reported["A1"] == reported["A2"] == ""
    row = list(reported).index("flat")
    for way in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
        assert reported["flat"] in model.index(row, 0).data(way)
    delegate, option, names = panel.table.itemDelegate(), QStyleOptionViewItem(), shown_names(panel.table)
    width = {
        name: delegate.sizeHint(option, panel.table.model().index(names.index(name), 0)).width() for name in reported
    }
    plain = option.fontMetrics.horizontalAdvance("B1") - option.fontMetrics.horizontalAdvance("A1")
    assert width["B1"] - width["A1"] >= plain + 14


def test_listed_findings_of_a_run_are_limited(opened):
    run = opened.benchmark.runs[1]
    inside = [Finding(Severity.WARNING, f"{run.source}/Q{n}", 1, f"odd {n}") for n in range(7)]
    about = Finding(Severity.ERROR, str(run.source), None, "worse")
    quiet = Finding(Severity.INFO, str(opened.benchmark.runs[2].source), None, "fine")
    found = run_warnings(replace(opened.benchmark, findings=(about, *inside, quiet)))
    assert list(found) == [1]
    assert found[1].splitlines() == ["worse", "Q0: odd 0", "Q1: odd 1", "Q2: odd 2", "… and 4 more; see the findings"]


@pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)", extend=True)
@pytest.mark.parametrize("panel", [LeaderboardPanel, RunScoresPanel])
def test_measure_help_opens_from_column_header_and_cells(panel, opened, show, qtbot):
    panel = show(panel(opened))
    panel.set_option("hidden_columns", ())
    requested_pages = []
    opened.cursor_state.help_requested.connect(requested_pages.append)
    table, column = panel.table, panel.model.column_of("FT") if hasattr(panel.model, "column_of") else 3
    key = panel.model.measure_of(column)
    headers = table.horizontalHeader()
    at = QPoint(headers.sectionViewportPosition(column) + 8, headers.height() // 2)
    headers.customContextMenuRequested.emit(at)
    menu = table.findChildren(QMenu)[-1]
    assert menu.actions()[0].text() == f"What is {key}?"
    menu.actions()[0].trigger()
    menu.close()
    hidden = panel.columns.hidden
    table.setCurrentIndex(table.model().index(1, column))
    qtbot.keyClicks(table, "?")
    panel.explain.click()
    assert requested_pages == [key, key, opened.measure]
    assert hidden == frozenset()
    headers.customContextMenuRequested.emit(QPoint(4, 4))
    menu = table.findChildren(QMenu)[-1]
    texts = ["Choose columns…", "Show all columns", "", "Add measure…", "Ranges of ties", "Tiers in per cent"]
    assert [action.text() for action in menu.actions()] == texts
    menu.close()
    headers.customContextMenuRequested.emit(at)
    menu = table.findChildren(QMenu)[-1]
    menu.actions()[1].trigger()
    menu.close()
    assert panel.columns.hidden == {key}
    help_at = QHelpEvent(QEvent.Type.ToolTip, at, headers.viewport().mapToGlobal(at))
    QApplication.sendEvent(headers.viewport(), help_at)
    assert "Right click" in QToolTip.text()
    QToolTip.hideText()


def runs_best_first(session):
    """Names of the runs by their mean of the selected measure, ties in file order."""
    column = session.scores.column(session.measure)
    means = session.scores.mean()[:, column]
    keys = means if session.scores.measures[column].better == "lower" else -means
    return [session.benchmark.runs[run].name for run in np.argsort(np.nan_to_num(keys, nan=np.inf), kind="stable")]


def assert_sorted_alike(session, table, heat_map, significance, qtbot):
    expected = runs_best_first(session)
    assert shown_names(table.table) == expected
    assert list(heat_map.computation.result.rows) == expected
    qtbot.waitUntil(lambda: [row.name for row in significance.chart.rows] == expected)


def click_header(panel, column, qtbot):
    header = panel.table.horizontalHeader()
    panel.table.scrollTo(panel.table.model().index(0, column))
    at = QPoint(header.sectionViewportPosition(column) + header.sectionSize(column) // 2, header.height() // 2)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_chosen_measure_sorts_the_runs_alike_in_all_panels(opened, show, settled, qtbot):
    opened.select(means=True)
    table = show(LeaderboardPanel(opened), 1600, 400)
    panels = table, show(HeatMapPanel(opened)), show(SignificancePanel(opened))
    settled()
    assert_sorted_alike(opened, *panels, qtbot)
    click_header(table, 0, qtbot)  # sorts by name
    assert shown_names(table.table) == sorted(shown_names(table.table))
    for measure in ("FT", "AP"):
        opened.select(measure=measure)
        settled()
        assert_sorted_alike(opened, *panels, qtbot)
        assert f"by {measure}" in table.shown_scope()[0]
    click_header(table, table.model.column_of("ST"), qtbot)
    settled()
    assert opened.measure == "ST"
    assert_sorted_alike(opened, *panels, qtbot)
    click_header(table, table.model.column_of("ST"), qtbot)  # worst first, as long as the measure is selected
    assert shown_names(table.table) == runs_best_first(opened)[::-1]
    click_header(table, table.model.column_of("ST"), qtbot)
    for profile in ("psb", "shrec2006", "trec", "default"):
        opened.set_profile(profile)
        settled()
        opened.select(measure=opened.scores.measures[2].key)
        settled()
        assert_sorted_alike(opened, *panels, qtbot)


def test_runs_stay_sorted_by_the_measure_when_the_profile_lacks_it(opened, show, settled, qtbot):
    opened.select(means=True)
    table = show(LeaderboardPanel(opened), 1600, 400)
    panels = table, show(HeatMapPanel(opened)), show(SignificancePanel(opened))
    click_header(table, table.model.column_of("ADR"), qtbot)
    settled()
    assert opened.measure == "ADR"
    opened.set_profile("psb")  # which has no ADR
    settled()
    assert opened.measure == opened.profile.headline != "ADR"
    assert_sorted_alike(opened, *panels, qtbot)
    opened.set_profile("default")
    settled()
    assert_sorted_alike(opened, *panels, qtbot)
