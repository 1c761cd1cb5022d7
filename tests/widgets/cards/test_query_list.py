"""The query list shows the scores of the queries and reports the selected one."""

import math

import pytest
from PySide6.QtCore import QSortFilterProxyModel, Qt
from PySide6.QtGui import QColor, QPixmap
from widget_models import queries

from shrec_viewer.widgets.cards.query_list import QueryDelegate, QueryListView
from shrec_viewer.widgets.style.theme import DARK, LIGHT

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def view(qtbot):
    shown = QueryListView()
    qtbot.addWidget(shown)
    shown.model_kept = queries([row / 40 for row in range(40)])
    shown.setModel(shown.model_kept)
    shown.resize(260, 400)
    shown.show()
    qtbot.waitExposed(shown)
    shown.picked = []
    shown.query_selected.connect(shown.picked.append)
    return shown


def middle(view, row):
    return view.visualRect(view.model().index(row, 0)).center()


def test_click_and_keys_select(view, qtbot):
    qtbot.mouseClick(view.viewport(), LEFT, pos=middle(view, 2))
    qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_End)
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert view.picked == [2, 3, 39]


def test_setter_does_not_emit(view):
    view.set_current_row(30)
    assert view.currentIndex().row() == 30
    assert view.viewport().rect().contains(middle(view, 30))
    for row in (None, 40, -1):
        view.set_current_row(30)
        view.set_current_row(row)
        assert not view.currentIndex().isValid()
        assert not view.selectionModel().hasSelection()
    assert view.picked == []


def test_focus_does_not_select(view):
    view.setFocus(Qt.FocusReason.TabFocusReason)
    assert view.picked == []
    assert not view.currentIndex().isValid()


def test_filtered_and_sorted_model(view, qtbot):
    proxy = QSortFilterProxyModel()
    proxy.setSourceModel(view.model_kept)
    numbers = {bytes(name.data()).decode(): number for number, name in proxy.roleNames().items()}
    proxy.setSortRole(numbers["score"])
    proxy.sort(0, Qt.SortOrder.DescendingOrder)
    proxy.setFilterRole(numbers["query_id"])
    proxy.setFilterFixedString("Q1")
    view.setModel(proxy)
    assert proxy.rowCount() == 10
    qtbot.mouseClick(view.viewport(), LEFT, pos=middle(view, 0))
    assert view.picked == [0]
    assert view.currentIndex().data(numbers["query_id"]) == "Q19"
    view.setModel(None)


def test_visible_rows_are_emitted(view, qtbot):
    with qtbot.waitSignal(view.visible_rows_changed):
        view.set_current_row(39)
    assert view.visible_rows()[1] == 39
    rows = range(40)
    seen = [row for row in rows if view.visualRect(view.model().index(row, 0)).intersects(view.viewport().rect())]
    assert view.visible_rows() == (seen[0], seen[-1])


def bar_length(view, row):
    """Pixels of accent along the bar of a row that is neither current nor under the mouse."""
    image = view.grab().toImage()
    cell = view.visualRect(view.model().index(row, 0)).translated(view.viewport().pos())
    accent = QColor(LIGHT.accent).rgb()
    return max(
        sum(image.pixel(x, y) == accent for x in range(cell.left() + 60, cell.right()))
        for y in range(cell.top(), cell.bottom())
    )


def test_bar_length_follows_the_score(qtbot):
    view = QueryListView()
    qtbot.addWidget(view)
    model = queries([0.0, 0.5, 1.0, math.nan, 2.0], at={1: {"missing": False}})
    view.setModel(model)
    view.resize(300, 400)
    view.show()
    lengths = [bar_length(view, row) for row in range(5)]
    assert lengths[0] == lengths[3] == 0
    assert lengths[2] == lengths[4]
    assert lengths[1] == pytest.approx(lengths[2] / 2, abs=2)
    view.set_score_range(0, 2)
    assert bar_length(view, 4) == lengths[2]
    assert bar_length(view, 2) == pytest.approx(lengths[2] / 2, abs=2)


def test_missing_list_has_a_dotted_line(qtbot):
    view = QueryListView()
    qtbot.addWidget(view)
    model = queries([0.0, 0.0], at={1: {"missing": True}})
    view.setModel(model)
    view.resize(300, 200)
    view.show()
    image = view.grab().toImage()
    found = set()
    for row in range(2):
        cell = view.visualRect(model.index(row, 0)).translated(view.viewport().pos())
        shades = {image.pixelColor(x, y).name().upper() for x in range(cell.left(), cell.right())
                  for y in range(cell.top(), cell.bottom())}  # fmt: skip
        found.add((row, LIGHT.warning in shades))
    assert found == {(0, False), (1, True)}


def test_painting_at_any_width_in_both_themes(qtbot, use_theme):
    view = QueryListView()
    qtbot.addWidget(view)
    picture = QPixmap(10, 30)
    picture.fill(QColor("#123456"))
    model = queries([0.3, 0.7, math.nan], at={0: {"thumbnail": picture}, 1: {"problem": "cannot be read"}})
    view.setModel(model)
    for width in (40, 130, 260, 500):
        view.resize(width, 200)
        assert not view.grab().isNull()
    use_theme(DARK)
    assert not view.grab().isNull()


def test_a_model_without_scores_has_no_bars(qtbot):
    view = QueryListView()
    qtbot.addWidget(view)
    model = queries([1.0])
    model.names = ("query_id", "class_name")
    view.setModel(model)
    view.resize(300, 200)
    view.show()
    assert bar_length(view, 0) == 0


def test_row_height_depends_on_thumbnails_and_font(view):
    row = view.visualRect(view.model().index(0, 0)).height()
    view.set_parts(thumbnails=False)
    low = view.visualRect(view.model().index(0, 0)).height()
    assert low < row
    font = view.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    view.setFont(font)
    assert view.visualRect(view.model().index(0, 0)).height() > 1.5 * low
    assert not view.grab().isNull()


def test_without_scores_there_are_no_bars(qtbot):
    view = QueryListView()
    qtbot.addWidget(view)
    model = queries([1.0])
    view.setModel(model)
    view.resize(300, 200)
    view.show()
    assert bar_length(view, 0) > 0
    view.set_parts(scores=False)
    assert bar_length(view, 0) == 0


def test_bars_are_left_out_in_large_type(view, qtbot):
    view.resize(230, 400)
    assert bar_length(view, 4) > 0
    painted = QueryDelegate(view)
    small = painted._has_bars(165.0, 56.0)
    font = view.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    view.setFont(font)
    assert {bar_length(view, row) for row in (2, 3, 4)} == {0}, "all of them, or none could be compared"
    painted.fit_fonts(font)
    assert (small, painted._has_bars(165.0, 56.0)) == (True, False)


def test_difference_bars_start_at_the_centre(qtbot):
    from widget_models import RowsModel

    from shrec_viewer.render.scene.palette import RANK_CHANGE

    rows = [
        {"query_id": f"Q{row}", "class_name": "duck", "score": 0.5, "problem": "", "missing": False,
         "difference": difference, "difference_text": text}
        for row, (difference, text) in enumerate(((0.5, "▲ +0.500"), (-0.5, "▼ −0.500"), (0.0, "= 0.000")))
    ]  # fmt: skip
    model = RowsModel((*rows[0], "thumbnail"), rows)
    view = QueryListView()
    qtbot.addWidget(view)
    view.setModel(model)
    view.resize(320, 250)
    view.show()
    view.set_secondary("difference")

    def spans(row):
        """Columns of a plain fill in the colours of gain and loss, along the bar."""
        image = view.grab().toImage()
        cell = view.visualRect(model.index(row, 0)).translated(view.viewport().pos())
        y = cell.center().y() + 10
        found = {}
        for name in ("up", "down"):
            colour = RANK_CHANGE["light"][name].lower()
            best = [x for x in range(cell.left(), cell.right() - 70)
                    for line in range(y - 4, y + 5) if image.pixelColor(x, line).name() == colour]  # fmt: skip
            found[name] = (min(best), max(best)) if best else None
        return found

    gain, loss, same = spans(0), spans(1), spans(2)
    assert gain["down"] is None
    assert loss["up"] is None
    assert same == {"up": None, "down": None}
    assert loss["down"][1] <= gain["up"][0] + 1
    view.set_secondary("difference", "lower")
    assert spans(0)["up"] is None, "more of a measure of which less is better is a loss"
    assert spans(0)["down"] == gain["up"]


def test_long_class_takes_the_space_of_the_difference_bar(qtbot):
    from widget_models import RowsModel

    from shrec_viewer.render.scene.palette import RANK_CHANGE

    rows = [
        {"query_id": f"Q{row}", "class_name": name, "score": 0.5, "problem": "", "missing": False,
         "difference": 0.5, "difference_text": "▲ +0.500"}
        for row, name in enumerate(("duck", "human_arms_out"))
    ]  # fmt: skip
    model = RowsModel((*rows[0], "thumbnail"), rows)
    view = QueryListView()
    qtbot.addWidget(view)
    view.setModel(model)
    view.resize(260, 250)
    view.show()
    view.set_secondary("difference")
    image = view.grab().toImage()
    bars = []
    for row in range(2):
        cell = view.visualRect(model.index(row, 0)).translated(view.viewport().pos())
        columns = range(cell.left(), cell.right() - 70)
        lines = range(cell.center().y() + 6, cell.center().y() + 15)
        colours = {image.pixelColor(x, y).name() for x in columns for y in lines}
        bars.append(RANK_CHANGE["light"]["up"].lower() in colours)
    assert bars == [True, False]
