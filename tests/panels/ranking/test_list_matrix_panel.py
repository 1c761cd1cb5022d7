"""Thumbnail matrix and model page, with mouse and keys."""

import shutil

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from sample_benchmark import write_sample_benchmark
from sessions import open_in

from shrec_viewer.evaluation.model_ranks import model_ranks
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.panels.ranking.list_matrix import ListMatrixPanel
from shrec_viewer.panels.ranking.model_page import ModelPagePanel
from shrec_viewer.viewmodels.ranking.list_matrix import MAX_RANKS
from shrec_viewer.widgets.style.theme import LIGHT
from shrec_viewer.widgets.tables.record_table import MARK_ROLE

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def matrix(opened, show, settled, qtbot):
    panel = show(ListMatrixPanel(opened), 900, 500)
    qtbot.waitUntil(lambda: panel.model.n_ranks > 0)
    settled()
    return panel


def marked_rank(panel):
    """The rank whose number has the colour of the cursor; 0 for none."""
    image, view = panel.view.viewport().grab().toImage(), panel.view
    first, last = view.visible_ranks()
    corners = {rank: view.cell_rect(0, rank).topLeft().toPoint().x() + 2 for rank in range(first + 1, last + 1)}
    return next((r for r, x in corners.items() if image.pixelColor(x, 2).name() == LIGHT.selection.lower()), 0)


def lit_models(panel):
    """Models of the cells with a thick outline."""
    image, view = panel.view.viewport().grab().toImage(), panel.view
    found = set()
    for row in range(view.visible_rows()[1]):
        for rank in range(1, view.visible_ranks()[1] + 1):
            corner = view.cell_rect(row, rank).topLeft().toPoint() + QPoint(1, 1)
            if image.pixelColor(corner).name() == LIGHT.accent.lower():
                found.add(int(panel.model.list_of(row).items[rank - 1]))
    return found


def point(panel, row, rank):
    return panel.view.cell_rect(row, rank).center().toPoint()


def test_rows_are_all_runs_for_the_query_best_first(matrix, opened):
    scores, selection = opened.scores, opened.selection
    column = scores.values[:, selection.query, scores.column(opened.measure)]
    assert [key.run for key in matrix.model.rows] == list(np.argsort(-column, kind="stable"))
    assert {key.query for key in matrix.model.rows} == {selection.query}
    for row, key in enumerate(matrix.model.rows):
        shown = ranked_list(opened.benchmark, opened.benchmark.runs[key.run], key.query, opened.profile)
        found = matrix.model.list_of(row)
        assert found.items.tolist() == shown.items[:MAX_RANKS].tolist()
        assert found.levels.tolist() == shown.levels[:MAX_RANKS].tolist()


def test_a_model_under_the_mouse_is_lit_up_in_every_row(matrix, opened, qtbot):
    row, rank = 1, 2
    item = int(matrix.model.list_of(row).items[rank - 1])
    qtbot.mouseMove(matrix.view.viewport(), point(matrix, row, rank))
    qtbot.waitUntil(lambda: lit_models(matrix) == {item})
    assert marked_rank(matrix) == rank
    in_selected = np.flatnonzero(opened.ranked_list.items == item)
    assert opened.cursor_state.cursor == int(in_selected[0]) + 1
    outlined = matrix.grab().toImage()
    qtbot.mouseMove(matrix.view.viewport(), QPoint(5, 5))
    qtbot.waitUntil(lambda: not lit_models(matrix))
    assert matrix.grab().toImage() != outlined


def test_the_cursor_of_other_views_is_marked_in_all_rows(matrix, opened):
    opened.cursor_state.hover(4)
    assert marked_rank(matrix) == 4
    assert lit_models(matrix) == {opened.ranked_list.items[3]}


def test_click_and_keys_select_run_and_rank(matrix, opened, settled, qtbot):
    qtbot.mouseClick(matrix.view.viewport(), LEFT, pos=point(matrix, 2, 3))
    assert (opened.selection.run, opened.selection.rank) == (matrix.model.rows[2].run, 3)
    settled()
    qtbot.keyClick(matrix.view, Qt.Key.Key_Down)
    assert (opened.selection.run, opened.selection.rank) == (matrix.model.rows[3].run, 3)
    qtbot.keyClick(matrix.view, Qt.Key.Key_Right)
    assert opened.selection.rank == 4
    qtbot.mouseClick(matrix.view.viewport(), LEFT, pos=QPoint(10, point(matrix, 0, 1).y()))
    assert opened.selection.run == matrix.model.rows[0].run


def test_one_run_for_all_queries_in_any_order(matrix, opened, settled, qtbot):
    qtbot.mouseClick(matrix.mode.button("queries"), LEFT)
    settled()
    run = opened.selection.run
    assert sorted(key.query for key in matrix.model.rows) == list(range(len(opened.benchmark.queries)))
    assert {key.run for key in matrix.model.rows} == {run}
    for key in (opened.measures[-1], "order"):
        matrix.order.setCurrentIndex(matrix.order.findData(key))
        matrix.order.activated.emit(matrix.order.currentIndex())
        values = [opened.scores.values[run, row.query, opened.scores.column(matrix.model.measure)]
                  for row in matrix.model.rows]  # fmt: skip
        if key == "order":
            assert [row.query for row in matrix.model.rows] == list(range(len(values)))
        else:
            assert np.all(np.diff([value for value in values if not np.isnan(value)]) <= 0)
    settled()
    qtbot.mouseClick(matrix.view.viewport(), LEFT, pos=point(matrix, 2, 1))
    assert (opened.selection.query, opened.selection.rank) == (matrix.model.rows[2].query, 1)


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_menus_and_state(matrix, opened, qtbot):
    views = []
    opened.cursor_state.view_requested.connect(views.append)
    matrix.view.menu_requested.emit(0, 2, QPoint(0, 0))
    menu = QApplication.activePopupWidget()
    next(action for action in menu.actions() if "all lists" in action.text()).trigger()
    menu.close()
    assert views == ["model"]
    assert opened.selection.rank == 2
    matrix.slider.setValue(64)
    assert matrix.options.state() == {"edge": 64}
    matrix.set_state({"by": "queries", "order": "?", "edge": "x"})
    assert (matrix.options.by, matrix.options.order) == ("queries", "")
    assert (matrix.mode.current, matrix.order.currentIndex(), matrix.slider.value()) == ("queries", 0, 48)


def test_nothing_is_computed_while_hidden(matrix, opened, settled):
    matrix.hide()
    opened.select(query=3)
    settled()
    assert matrix.model.rows == ()
    matrix.show()
    settled()
    assert {key.query for key in matrix.model.rows} == {3}


@pytest.fixture
def page(opened, show, settled):
    panel = show(ModelPagePanel(opened), 900, 400)
    opened.select(rank=2)
    settled()
    return panel


def test_the_page_shows_the_selected_model(page, opened, settled, qtbot):
    item = int(opened.ranked_list.items[1])
    assert page.item == item
    assert page.mesh.text.title == opened.benchmark.collection.ids[item]
    expected = model_ranks(opened.benchmark, opened.profile, item)
    rows = [page.model.index(row, 0).data() for row in range(page.model.rowCount())]
    assert rows == [opened.benchmark.queries.ids[query] for query in expected.relevant_queries]
    assert page.model.index(0, 3).data() == f"{expected.ranks[0, expected.relevant_queries[0]]}"
    qtbot.mouseClick(page.kind.button("false"), LEFT)
    assert page.model.rowCount() == len(expected.false_positive_queries)


def test_the_page_is_exported_as_shown_and_restored_from_former_projects(page, opened):
    page.set_state({"of": "false"})
    assert page.kind.current == "false"
    queries = model_ranks(opened.benchmark, opened.profile, page.item).false_positive_queries
    request = page.export().table
    assert (request.by, request.models) == ("false", (page.mesh.text.title,))
    assert request.queries == tuple(opened.benchmark.queries.ids[query] for query in queries)
    assert page.options.state() == {"by": "false"}
    page.set_state({"of": "other"})
    assert (page.kind.current, page.options.state()) == ("relevant", {})


def test_a_click_on_a_rank_selects_it_and_keeps_the_model(page, opened, settled, qtbot):
    item = page.item
    index = page.model.index(page.model.rowCount() - 1, 4)
    query, run = page.model.key(index.row()), 1
    rank = int(page.computation.result.ranks[run, query])
    QTest.mouseClick(page.table.viewport(), LEFT, pos=page.table.visualRect(index).center())
    settled()
    assert (opened.selection.query, opened.selection.run, opened.selection.rank) == (query, run, rank)
    assert page.item == item
    assert opened.ranked_list.items[rank - 1] == item


def test_without_a_selected_rank_the_page_shows_the_first_model(opened, show, settled):
    panel = show(ModelPagePanel(opened))
    settled()
    assert panel.item == opened.ranked_list.items[0]
    opened.close()
    assert panel.is_empty


def test_a_model_of_a_collection_without_runs_has_its_page(session, tmp_path, show, settled, qtbot):
    folder = write_sample_benchmark(tmp_path / "no_runs")
    shutil.rmtree(folder / "runs")
    (folder / "benchmark.toml").unlink()
    open_in(session, folder, qtbot)
    panel = show(ModelPagePanel(session), 900, 400)
    session.select(model=2)
    settled()
    assert not panel.is_empty
    assert panel.mesh.text.title == session.benchmark.collection.ids[2]
    assert panel.model.columnCount() == 3
    queries = model_ranks(session.benchmark, session.profile, 2).relevant_queries
    assert panel.model.rowCount() == len(queries) > 0


def test_columns_of_a_hidden_page_are_fitted_when_it_is_shown(page, qtbot):
    width = page.table.columnWidth(0)
    page.hide()
    page.table.setColumnWidth(0, width + 50)
    QApplication.sendEvent(page.table, QEvent(QEvent.Type.StyleChange))
    QApplication.processEvents()
    assert page.table.columnWidth(0) == width + 50
    page.show()
    qtbot.waitUntil(lambda: page.table.columnWidth(0) == width)


def test_views_may_read_the_table_while_another_benchmark_is_being_shown(page, opened, tmp_path, qtbot):
    model, read = page.model, []
    shape = model.rowCount(), model.columnCount()

    def read_all():
        """As views do that are hidden before the table knows the benchmark that was opened."""
        read.append((model.rowCount(), model.columnCount()))
        for column in range(model.columnCount()):
            model.headerData(column, Qt.Orientation.Horizontal)
            for row in range(model.rowCount()):
                for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, MARK_ROLE):
                    model.data(model.index(row, column), role)

    model.modelAboutToBeReset.connect(read_all)
    write_sample_benchmark(tmp_path)
    open_in(opened, tmp_path, qtbot)
    assert shape[0] > 0
    assert read[0] == shape, "the table of the demo, while the sample with fewer queries and runs is open"
