"""The score table sorts, marks the best values and reports the selected run."""

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QGuiApplication, QHelpEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QMenu, QToolTip
from widget_models import BoardModel, board

from shrec_viewer.widgets.style.theme import DARK, LIGHT, text_font
from shrec_viewer.widgets.tables.score_table import NUMBER_MARGIN, ScoreColumnInfo, ScoreSortModel, ScoreTable

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def table(qtbot):
    shown = ScoreTable()
    qtbot.addWidget(shown)
    shown.model_kept = board()
    shown.setModel(shown.model_kept)
    shown.set_sort(-1)
    shown.resize(600, 300)
    shown.show()
    qtbot.waitExposed(shown)
    shown.heard = {"run": [], "cell": [], "toggled": []}
    shown.run_selected.connect(shown.heard["run"].append)
    shown.run_toggled.connect(shown.heard["toggled"].append)
    shown.cell_selected.connect(hears_cells(shown))
    return shown


def hears_cells(table):
    cells = table.heard["cell"]

    class Hears:
        def hear(self, row, column):
            cells.append((row, column))

    table.hears = Hears()
    return table.hears.hear


def names(table):
    return [table.model().index(row, 0).data() for row in range(table.model().rowCount())]


def middle(table, row, column):
    return table.visualRect(table.model().index(row, column)).center()


def test_first_header_click_sorts_best_first(table, qtbot):
    header = table.horizontalHeader()
    x = header.sectionViewportPosition(1) + 10
    qtbot.mouseClick(header.viewport(), LEFT, pos=QPoint(x, 8))
    assert names(table) == ["gamma", "alpha", "beta", "delta"]
    qtbot.mouseClick(header.viewport(), LEFT, pos=QPoint(x, 8))
    assert names(table) == ["delta", "beta", "alpha", "gamma"]
    qtbot.mouseClick(header.viewport(), LEFT, pos=QPoint(header.sectionViewportPosition(3) + 10, 8))
    assert names(table) == ["gamma", "beta", "alpha", "delta"], "a low rank is a good one"


@pytest.mark.parametrize("descending", [True, False])
def test_undefined_values_are_last_in_either_order(table, descending):
    table.set_sort(2, descending=descending)
    assert names(table)[-1] == "beta"
    assert names(table)[:3] == (["alpha", "delta", "gamma"] if descending else ["gamma", "delta", "alpha"])


def test_names_sort_as_text(table):
    table.set_sort(0, descending=False)
    assert names(table) == ["alpha", "beta", "delta", "gamma"]
    table.set_sort(-1)
    assert names(table) == ["beta", "alpha", "gamma", "delta"]


def test_signals_have_model_rows_in_any_order(table, qtbot):
    table.set_sort(1)
    qtbot.mouseClick(table.viewport(), LEFT, pos=middle(table, 0, 1))
    qtbot.mouseClick(table.viewport(), LEFT, pos=middle(table, 3, 0))
    assert table.heard["run"] == [2, 3]
    assert table.heard["cell"] == [(2, 1)], "a name is no score"


def test_keys_select(table, qtbot):
    table.set_sort(1)
    table.set_current_run(2)
    qtbot.keyClick(table, Qt.Key.Key_Down)
    qtbot.keyClick(table, Qt.Key.Key_Right)
    assert table.heard["run"] == [1, 1]
    assert table.heard["cell"] == [(1, 1)]


def test_setters_do_not_emit(table):
    table.set_current_run(1)
    table.set_current_run(None)
    table.set_current_run(99)
    table.set_sort(1)
    table.set_theme(DARK)
    assert table.heard == {"run": [], "cell": [], "toggled": []}


def test_current_run_is_found_in_any_order(table):
    table.set_sort(1)
    for row in range(4):
        table.set_current_run(row)
        assert table.currentIndex().siblingAtColumn(0).data() == table.model_kept.rows[row][0]
        assert len(table.selectionModel().selectedRows()) == 1
    table.set_current_run(None)
    assert not table.selectionModel().hasSelection()


def test_line_sample_and_space_toggle_without_selecting(table, qtbot):
    table.set_sort(1)
    cell = table.visualRect(table.model().index(1, 0))
    qtbot.mouseClick(table.viewport(), LEFT, pos=QPoint(cell.left() + 10, cell.center().y()))
    assert table.heard["toggled"] == [1]
    table.set_current_run(3)
    qtbot.keyClick(table, Qt.Key.Key_Space)
    assert table.heard["toggled"] == [1, 3]
    assert table.heard["run"] == []


def test_press_beside_the_rows_is_ignored(table, qtbot):
    table.set_current_run(1)
    qtbot.mouseClick(table.viewport(), LEFT, pos=QPoint(20, table.viewport().height() - 3))
    assert table.heard["run"] == []
    assert table.currentIndex().siblingAtColumn(0).data() == "alpha"


def test_focus_does_not_select(table):
    table.setFocus(Qt.FocusReason.TabFocusReason)
    assert table.heard["run"] == []
    assert not table.currentIndex().isValid()


def facts(table, column):
    return table.model().column_info(column)


def test_best_value_depends_on_polarity(table):
    assert facts(table, 0) == ScoreColumnInfo()
    assert (facts(table, 1).best, facts(table, 1).better) == ("0.933", "higher")
    assert facts(table, 2).best == "0.400"
    assert (facts(table, 3).best, facts(table, 3).better) == ("7.00", "lower")


def test_equal_texts_share_the_best(table):
    column = facts(table, 1)
    assert [column.text(values[0]) == column.best for _, values in table.model_kept.rows] == [False, True, True, False]


@pytest.mark.parametrize(
    ("values", "best"),
    [((1.0, 1.0, 1.0, 0.2), ""), ((1.0, 1.0, 0.3, 0.2), "1.000"), ((1.0, 1.0, 1.0, 1.0), ""), ((0.1, 0.2), "0.200")],
)
def test_value_of_most_runs_is_not_marked_best(qtbot, values, best):
    table = ScoreTable()
    qtbot.addWidget(table)
    table.setModel(model := BoardModel([("R", "higher", (0, 1))], [(f"r{n}", [v]) for n, v in enumerate(values)]))
    assert facts(table, 1).best == best
    assert model.rowCount() == len(values)


def test_a_measure_without_polarity_has_no_best(qtbot):
    table = ScoreTable()
    qtbot.addWidget(table)
    model = BoardModel([("TP", "none", (0, 9))], [("a", [1.0]), ("b", [2.0])])
    table.setModel(model)
    assert facts(table, 1).best == ""
    assert table.horizontalHeader().header_text(1) == "TP"


def test_headers_mark_lower_is_better(table):
    header = table.horizontalHeader()
    assert [header.header_text(column) for column in range(4)] == ["Run", "NN", "FT", "Rank (lower)"]


@pytest.mark.parametrize("column", [0, 1, 3])
def test_only_the_sorted_header_has_a_triangle(table, column):
    accent = QColor(LIGHT.accent).rgb()
    for descending in (True, False):
        table.set_sort(column, descending=descending)
        header = table.horizontalHeader()
        image = header.viewport().grab().toImage()
        found = [x for x in range(image.width()) for y in range(image.height()) if image.pixel(x, y) == accent]
        right = header.sectionViewportPosition(column) + header.sectionSize(column)
        assert found
        assert all(right - 12 <= x < right for x in found)


def many_runs(qtbot, height):
    table = ScoreTable()
    qtbot.addWidget(table)
    table.model_kept = BoardModel([("NN", "higher", (0, 1))], [(f"run {n:02}", [1 - n / 40]) for n in range(30)])
    table.setModel(table.model_kept)
    table.resize(300, height)
    table.show()
    qtbot.waitExposed(table)
    return table


def test_first_visible_row_is_complete(qtbot):
    table = many_runs(qtbot, 207)
    for row in (20, 11, 29, 3):
        table.set_current_run(row)
        top = table.rowAt(0)
        assert table.rowViewportPosition(top) == 0
        assert table.viewport().rect().contains(table.visualRect(table.model().index(row, 0)))


def test_current_row_stays_visible_with_the_first(qtbot):
    table = many_runs(qtbot, 90)
    table.set_current_run(5)
    assert table.rowAt(0) > 0
    table.resize(300, 300)
    assert table.rowAt(0) == 0
    table.set_current_run(29)
    table.set_current_run(4)
    assert table.rowAt(0) == 0


def test_single_run_is_not_marked_best(qtbot):
    table = ScoreTable()
    qtbot.addWidget(table)
    model = BoardModel([("NN", "higher", (0, 1))], [("only", [0.5])])
    table.setModel(model)
    assert facts(table, 1).best == ""


def test_decimal_points_are_aligned(table):
    texts = [facts(table, 3).text(values[2]) for _, values in table.model_kept.rows]
    assert texts == ["12.00", "300.50", "7.00", "–"]


def test_column_info_follows_the_model(table):
    assert facts(table, 1).best == "0.933"
    table.model_kept.rows[3][1][0] = 0.99
    table.model_kept.dataChanged.emit(table.model_kept.index(3, 1), table.model_kept.index(3, 1))
    assert facts(table, 1).best == "0.990"


def test_infinite_range_ends_at_the_largest_value(table):
    assert (facts(table, 3).low, facts(table, 3).high) == (0.0, 300.5)


def test_copied_text_has_full_precision_in_the_order_on_screen(table, qtbot):
    table.set_sort(1)
    assert table.tsv() == (
        "Run\tNN\tFT\tRank\n"
        "gamma\t0.93334\t0.3\t7.0\n"
        "alpha\t0.93333\t0.4\t300.5\n"
        "beta\t0.5\t\t12.0\n"
        "delta\t0.1\t0.35\t\n"
    )
    table.set_current_run(0)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "Run\tNN\tFT\tRank\nbeta\t0.5\t\t12.0\n"


def test_the_context_menu_copies(table):
    table.set_current_run(2)
    menu = QMenu(table)
    table._add_copy_actions(menu)
    first, second = menu.actions()
    second.trigger()
    assert QGuiApplication.clipboard().text() == table.tsv()
    first.trigger()
    assert QGuiApplication.clipboard().text() == table.tsv(selected=True)
    assert first.shortcut() == QKeySequence(QKeySequence.StandardKey.Copy)


def bar_length(table, row, column):
    image = table.grab().toImage()
    cell = table.visualRect(table.model().index(row, column)).translated(table.viewport().pos())
    background, y = QColor(LIGHT.surface).rgb(), cell.center().y()
    numbers = round(QFontMetricsF(text_font(table.font(), bold=True)).horizontalAdvance("0.000")) + NUMBER_MARGIN
    return sum(image.pixel(x, y) != background for x in range(cell.left(), cell.right() - numbers - 3))


def test_bar_length_follows_the_value(table):
    full = bar_length(table, 1, 1) / 0.93333
    assert full > 20
    assert bar_length(table, 0, 1) == pytest.approx(0.5 * full, abs=3)
    assert bar_length(table, 3, 1) == pytest.approx(0.1 * full, abs=3)
    assert bar_length(table, 0, 2) == 0, "undefined is not zero, and neither has a bar"


def test_bars_end_before_the_numbers(table):
    """They were painted below the digits."""
    image = table.grab().toImage()
    cell = table.visualRect(table.model().index(1, 1)).translated(table.viewport().pos())
    width = QFontMetricsF(text_font(table.font(), bold=True)).horizontalAdvance("0.933")
    left = cell.right() - NUMBER_MARGIN - round(width)
    ink, background = QColor(LIGHT.ink), QColor(LIGHT.surface)
    rows = range(cell.top() + 2, cell.bottom() - 1)
    colours = [image.pixelColor(x, y) for x in range(left, cell.right()) for y in rows]
    # Antialiased digits are between ink and surface, all channels about equal; a bar is teal.
    assert all(abs(colour.red() - colour.green()) < 12 for colour in colours), "nothing but digits"
    assert background in colours
    assert any(abs(colour.red() - ink.red()) < 60 for colour in colours)


def test_columns_use_the_width_without_cutting_numbers(table):
    table.resize(300, 300)
    expected = [table.columnWidth(column) for column in range(4)]
    table.resize(1000, 300)
    assert all(table.columnWidth(column) >= width for column, width in enumerate(expected))
    assert table.columnWidth(1) > expected[1]
    table.resize(100, 300)
    for column in range(4):
        assert table.columnWidth(column) >= table.sizeHintForColumn(column)


def test_user_width_is_kept(table, qtbot):
    header = table.horizontalHeader()
    edge = QPoint(header.sectionViewportPosition(2) - 1, 8)
    qtbot.mouseMove(header.viewport(), edge)
    qtbot.mousePress(header.viewport(), LEFT, pos=edge)
    qtbot.mouseMove(header.viewport(), edge + QPoint(40, 0))
    qtbot.mouseRelease(header.viewport(), LEFT, pos=edge + QPoint(40, 0))
    chosen = table.columnWidth(1)
    table.resize(1000, 300)
    assert table.columnWidth(1) == chosen


HINT = "<p>Right click or press ? for help.</p>"


def test_header_tooltip_is_wrapped(table, monkeypatch):
    shown = []
    monkeypatch.setattr(QToolTip, "showText", staticmethod(_collects(shown)))
    header = table.horizontalHeader()
    table.model_kept.tips = {1: "Nearest neighbour\nwhether the first is < relevant"}
    point = QPoint(header.sectionViewportPosition(1) + 5, 5)
    QApplication.sendEvent(header.viewport(), QHelpEvent(QEvent.Type.ToolTip, point, header.mapToGlobal(point)))
    assert shown == ["<p style='font-weight:600'>Nearest neighbour</p><p>whether the first is &lt; relevant</p>" + HINT]


def _collects(shown):
    def show(_place, text, _widget):
        shown.append(text)

    return show


def test_another_model_replaces_the_first(table):
    other = BoardModel([("AP", "higher", (0, 1))], [("x", [0.1]), ("y", [math.nan])])
    table.setModel(other)
    assert table.model().columnCount() == 2
    assert facts(table, 1).best == "0.100"
    table.set_theme(DARK)
    assert not table.grab().isNull()
    table.setModel(None)
    assert table.model().rowCount() == 0
    table.set_current_run(0)
    assert not table.grab().isNull()


class WholeColumns(BoardModel):
    """Gives the values of a column in one go."""

    def column_values(self, column):
        return [None if column == 0 else values[column - 1] for _, values in self.rows]


@pytest.mark.parametrize("kind", [BoardModel, WholeColumns])
@given(st.data())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_stay_sorted_after_changes(qtbot, kind, data):
    number = st.one_of(st.just(math.nan), st.floats(-9, 9, width=16))
    rows = st.lists(st.tuples(st.text("abC", max_size=3), st.lists(number, min_size=2, max_size=2)), max_size=6)
    heads = [("NN", "higher", (0.0, 1.0)), ("Rank", "lower", (0.0, math.inf))]
    model, order = kind(heads, data.draw(rows)), ScoreSortModel()
    order.setSourceModel(model)
    for _ in range(4):
        column, descending = data.draw(st.integers(0, 2)), data.draw(st.booleans())
        order.sort(column, Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder)
        if data.draw(st.booleans()):
            model.beginResetModel()
            model.rows = data.draw(rows)
            model.endResetModel()
        elif model.rows:
            place = data.draw(st.integers(0, len(model.rows) - 1))
            model.rows[place] = data.draw(rows.filter(len))[0]
            model.dataChanged.emit(model.index(place, 0), model.index(place, 2))
        shown = [order.mapToSource(order.index(row, 0)).row() for row in range(order.rowCount())]
        assert sorted(shown) == list(range(len(model.rows)))
        if column == 0:
            found = [model.rows[row][0].casefold() for row in shown]
            assert found == sorted(found, reverse=descending)
        else:
            found = [model.rows[row][1][column - 1] for row in shown]
            known = [value for value in found if not math.isnan(value)]
            assert known == sorted(known, reverse=descending)
            assert all(math.isnan(value) for value in found[len(known) :])


@pytest.fixture
def wide_table(table):
    """The table with 12 measures, of which a few fit next to the names."""
    columns = [(f"M{number}", "higher", (0.0, 1.0)) for number in range(12)]
    rows = [(name, [0.1 * rank + 0.01 * number for number in range(12)]) for rank, name in enumerate("abcd", start=1)]
    table.model_kept = BoardModel(columns, rows)
    table.setModel(table.model_kept)
    table.set_sort(-1)
    return table


def test_names_stay_in_view_while_the_measures_are_scrolled(wide_table, qtbot):
    width = wide_table.columnWidth(0)
    views = (wide_table.viewport(), wide_table.horizontalHeader().viewport())
    before = [view.grab(view.rect().adjusted(0, 0, width - 1 - view.width(), 0)).toImage() for view in views]
    wide_table.show_column(12)
    value = wide_table.horizontalScrollBar().value()
    assert value > 0
    for view, image in zip(views, before, strict=True):
        shown = view.grab().toImage()
        assert shown.copy(image.rect()) == image
        assert shown.pixelColor(width - 1, image.height() // 8) == QColor(LIGHT.line), "the edge of the names"
    row = wide_table.rowViewportPosition(2) + wide_table.rowHeight(2) // 2
    assert wide_table.indexAt(QPoint(width - 3, row)).column() == 0
    assert wide_table.indexAt(QPoint(width + 3, row)).column() > 1
    qtbot.mouseClick(wide_table.viewport(), LEFT, pos=QPoint(width - 3, row))
    assert (wide_table.heard["run"], wide_table.heard["cell"]) == ([2], []), "the name, not the number behind it"
    assert wide_table.horizontalScrollBar().value() == value
    header = wide_table.horizontalHeader()
    qtbot.mouseClick(header.viewport(), LEFT, pos=QPoint(width // 2, header.height() // 2))
    assert header.sortIndicatorSection() == -1, "nothing is sorted by a measure behind the names"
    assert wide_table.header_column_at(QPoint(width // 2, 4)) == 0, "the context menu is not that of the measure"
    assert wide_table.header_column_at(QPoint(width + 3, 4)) > 1


def test_no_number_is_cut_next_to_the_names(wide_table, qtbot):
    names = wide_table.columnWidth(0)
    for column in (6, 9, 5, 11, 4, 8, 1):
        wide_table.show_column(column)
        lefts = [wide_table.columnViewportPosition(other) for other in range(1, 13)]
        assert lefts[column - 1] >= names, "the column is not behind the names"
        assert lefts[column - 1] + wide_table.columnWidth(column) <= wide_table.viewport().width()
        if wide_table.horizontalScrollBar().value() < wide_table.horizontalScrollBar().maximum():
            assert names in lefts, f"a column begins at the edge of the names when {column} is shown"
    wide_table.setCurrentIndex(wide_table.model().index(0, 12))
    for _ in range(9):
        qtbot.keyClick(wide_table, Qt.Key.Key_Left)
        current = wide_table.visualRect(wide_table.currentIndex())
        assert current.left() >= names, "the keyboard moves to no cell behind the names"
