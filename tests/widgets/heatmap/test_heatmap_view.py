"""A map of colours: every cell is where the mouse finds it, has its colour, and can be walked to by keys."""

from itertools import groupby

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication

from shrec_viewer.charts.matrix import EMPTY_MATRIX, Matrix
from shrec_viewer.render.scene.palette import contrast
from shrec_viewer.widgets.heatmap.confusion import TierImageLegend
from shrec_viewer.widgets.heatmap.data import HeatmapColourBar, heatmap_colour_table
from shrec_viewer.widgets.heatmap.view import HeatmapView
from shrec_viewer.widgets.style.relevance import contrasting_ink
from shrec_viewer.widgets.style.theme import DARK, LIGHT, SPACE


def cells(rows=3, columns=4, **more):
    values = np.arange(rows * columns, dtype=float).reshape(rows, columns) / (rows * columns)
    return Matrix(values, tuple(f"run {r}" for r in range(rows)), tuple(f"Q{c}" for c in range(columns)), **more)


@pytest.fixture
def grid(qtbot):
    grid = HeatmapView()
    qtbot.addWidget(grid)
    grid.resize(700, 300)
    grid.set_chart(cells())
    grid.show()
    qtbot.waitExposed(grid)
    return grid


def test_cell_at_a_point_is_the_painted_cell(grid):
    for row in range(3):
        for column in range(4):
            assert grid.cell_at(grid.cell_rect(row, column).center()) == (row, column)
    assert grid.cell_at(QPoint(1, 1)) is None


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("scale", ["values", "shares", "differences"])
def test_a_cell_has_the_colour_of_its_value(grid, theme, scale):
    grid.set_theme(theme)
    values = np.array([[-1.0, 0.0, 1.0]]) if scale == "differences" else np.array([[0.0, 0.5, 1.0]])
    low = -1.0 if scale == "differences" else 0.0
    grid.set_chart(Matrix(values, ("r",), ("a", "b", "c"), low, 1.0, scale=scale, decimals=0))
    table = heatmap_colour_table(theme, scale)
    picture = grid.viewport().grab().toImage()
    for column, place in enumerate((0, len(table) // 2, len(table) - 1)):
        corner = grid.cell_rect(0, column).topLeft() + QPoint(3, 3)
        assert picture.pixelColor(corner).name() == QColor(table[place]).name()


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5])
def test_lines_between_cells_leave_no_colour_of_the_cell_before(grid, scale):
    picture = QImage(grid.viewport().size() * scale, QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(scale)
    grid.set_chart(cells(columns=7))
    grid.viewport().render(picture, QPoint())
    box = grid.cell_rect(1, 0).united(grid.cell_rect(1, 6))
    line = [round(x * scale) for x in (box.left() + 1, box.right() - 1)], round((box.top() + 4) * scale)
    colours = [picture.pixelColor(x, line[1]).name() for x in range(*line[0])]
    assert [name for name, _ in groupby(colours)][1::2] == [LIGHT.surface.lower()] * 6


def test_the_frame_of_the_first_cell_is_complete(grid):
    grid.set_current(0, 0)
    picture, box = grid.viewport().grab().toImage(), grid.cell_rect(0, 0)
    edges = [QPoint(box.center().x(), y) for y in (box.top() - 1, box.bottom() + 1)]
    edges += [QPoint(x, box.center().y()) for x in (box.left() - 1, box.right() + 1)]
    assert {picture.pixelColor(edge).name() for edge in edges} == {LIGHT.accent.lower()}


def test_undefined_cells_are_hatched(grid):
    values = np.array([[0.5, np.nan, np.nan]])
    absent = np.array([[False, False, True]])
    grid.set_chart(Matrix(values, ("r",), ("a", "b", "c"), absent=absent))
    picture = grid.viewport().grab().toImage()
    colours = []
    for column in range(3):
        box = grid.cell_rect(0, column).adjusted(3, 3, -4, -4)
        colours.append(
            {
                picture.pixelColor(x, y).name()
                for x in range(box.left(), box.right())
                for y in range(box.top(), box.bottom())
            }
        )
    assert len(colours[1]) > 1
    assert colours[1] != colours[0]
    assert not (colours[1] | colours[2]) & set(heatmap_colour_table(LIGHT, "values"))


def test_clicks_and_keys_select_and_enter_activates(grid, qtbot):
    with qtbot.waitSignal(grid.cell_selected) as emitted:
        qtbot.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=grid.cell_rect(1, 2).center())
    assert emitted.args == [1, 2]
    for key, place in ((Qt.Key.Key_Right, [1, 3]), (Qt.Key.Key_Down, [2, 3]), (Qt.Key.Key_Right, [2, 3])):
        with qtbot.waitSignal(grid.cell_selected) as emitted:
            qtbot.keyClick(grid, key)
        assert emitted.args == place
    with qtbot.waitSignal(grid.cell_activated) as emitted:
        qtbot.keyClick(grid, Qt.Key.Key_Return)
    assert emitted.args == [2, 3]
    with qtbot.waitSignal(grid.cell_activated) as emitted:
        qtbot.mouseDClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=grid.cell_rect(0, 0).center())
    assert emitted.args == [0, 0]


def test_header_clicks_are_emitted(grid, qtbot):
    cell = grid.cell_rect(2, 3)
    with qtbot.waitSignal(grid.row_selected) as emitted:
        qtbot.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(5, cell.center().y()))
    assert emitted.args == [2]
    with qtbot.waitSignal(grid.column_selected) as emitted:
        qtbot.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(cell.center().x(), 3))
    assert emitted.args == [3]


def test_current_one_of_10000_columns_is_scrolled_into_view(grid, qtbot):
    grid.set_chart(cells(3, 10_000))
    grid.set_current(2, 9_876)
    assert grid.viewport().rect().contains(grid.cell_rect(2, 9_876))
    assert grid.cell_at(grid.cell_rect(2, 9_876).center()) == (2, 9_876)
    grid.set_chart(cells(2, 5))
    assert grid.current is None
    assert grid.horizontalScrollBar().maximum() == 0


def test_ctrl_wheel_widens_columns(grid):
    grid.set_chart(cells(3, 200))
    before = grid.cell_rect(0, 0).width()
    centre = QPointF(grid.viewport().rect().center())
    for _ in range(3):
        event = QWheelEvent(
            centre, grid.viewport().mapToGlobal(centre), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(grid.viewport(), event)
    assert grid.cell_rect(0, 0).width() > before


def test_empty_map(grid, qtbot):
    grid.set_chart(EMPTY_MATRIX)
    qtbot.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(50, 50))
    qtbot.keyClick(grid, Qt.Key.Key_Right)
    assert grid.cell_at(QPoint(50, 50)) is None


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("scale", ["values", "shares", "differences"])
def test_numbers_have_contrast_on_every_colour(theme, scale):
    for colour in heatmap_colour_table(theme, scale):
        assert contrast(contrasting_ink(QColor(colour)).name(), colour) >= 4.5


def test_number_format_of_cells():
    plain, difference = cells(), cells(scale="differences")
    assert [plain.number(value) for value in (0.25, 1.0, 0.0, float("nan"))] == ["0.250", "1.000", "0.000", ""]
    assert [difference.number(value) for value in (0.25, -0.25, 0.0)] == ["+0.250", "\N{MINUS SIGN}0.250", "0.000"]


def test_group_stretches():
    grouped = cells(groups=("a", "a", "b", "a"))
    assert grouped.stretches() == [("a", 0, 1), ("b", 2, 2), ("a", 3, 3)]


def shown_scale(qtbot, of, name="AP", width=600):
    scale = HeatmapColourBar()
    qtbot.addWidget(scale)
    scale.set_scale(of, name)
    scale.resize(width, scale.sizeHint().height())
    scale.show()
    return scale


def test_colour_bar_labels(qtbot):
    scale = shown_scale(qtbot, cells(low=-0.424, high=0.424, scale="differences"), "ADR − mean")
    scale.set_theme(DARK)
    assert scale.limits() == ("−0.424", "+0.424")
    assert scale.description() == scale.toolTip() == scale.accessibleDescription() == "ADR − mean: −0.424 … +0.424"
    wide = scale.sizeHint().width()
    assert scale.minimumSizeHint().width() < wide
    scale.set_scale(cells(low=-0.424, high=0.424, scale="differences"), "")
    assert scale.sizeHint().width() < wide


def test_colour_bar_explains_hatches(qtbot):
    values = np.array([[0.5, np.nan], [np.nan, 0.25]])
    absent = np.array([[False, True], [False, False]])
    both = Matrix(values, ("a", "b"), ("x", "y"), absent=absent)
    assert [what for _, what in shown_scale(qtbot, both).hatched()] == ["no ranked list", "undefined"]
    assert "no ranked list" in shown_scale(qtbot, both).description()
    assert shown_scale(qtbot, cells()).hatched() == ()


@pytest.mark.parametrize("inverted", [False, True])
def test_colour_bar_has_the_colours_of_the_cells(qtbot, grid, inverted):
    """Where less is better the colours run the other way, and so must the bar."""
    of = cells(1, 2, low=0.0, high=0.5, inverted=inverted)
    scale = shown_scale(qtbot, of, "")
    picture = scale.grab().toImage()
    left = round(scale.fontMetrics().horizontalAdvance("0.000")) + SPACE
    grid.set_chart(of)
    seen = grid.grab().toImage()
    box = grid.cell_rect(0, 0).translated(grid.viewport().pos())
    first = seen.pixelColor(box.left() + 2, box.top() + 2)
    bar = picture.pixelColor(left + 4, picture.height() // 2)
    assert max(abs(one - other) for one, other in zip(first.getRgb(), bar.getRgb(), strict=True)) < 48


def test_tier_legend_shortens_labels_before_swatches(qtbot):
    key = TierImageLegend()
    qtbot.addWidget(key)
    key.resize(key.sizeHint())
    assert key.visible_labels() == list(key.labels())
    key.resize(key.sizeHint().width() - 4, key.height())
    assert key.visible_labels() == [*key.labels()[:-1], ""]
    key.resize(key.minimumSizeHint())
    assert not any(key.visible_labels())
    assert all(word in key.toolTip() for word in ("nearest", "first tier", "second tier", "class"))
    key.grab()


def test_strips_are_labelled_with_their_columns(grid):
    grid.resize(600, 400)
    grid.set_chart(cells(6, 189, totals=np.linspace(0, 1, 6)))
    layout = grid._layout
    assert layout.strips > 1
    assert layout.has_strip_heads
    picture = grid.viewport().grab().toImage()
    background = picture.pixelColor(2, 2)
    for columns in layout.by_strip(range(189)):
        for column, ends in ((columns[0], (0, 12)), (columns[-1], (-12, 0))):
            box = grid.cell_rect(0, column)
            edge = box.left() if column == columns[0] else box.right()
            inked = [
                picture.pixelColor(edge + x, y) != background
                for x in range(*ends)
                for y in range(box.top() - layout.strip_head, box.top())
            ]
            assert any(inked), (column, ends)


def test_many_columns_of_few_rows_are_folded_into_strips(grid, qtbot):
    # The viewport has this size, with and without the border of the style sheet around it.
    grid.resize(QSize(600, 340) + grid.size() - grid.viewport().size())
    grid.set_chart(cells(2, 907, totals=np.array([0.25, 0.75])))
    assert grid.horizontalScrollBar().maximum() == grid.verticalScrollBar().maximum() == 0
    seen = set()
    for column in (0, 1, 120, 450, 905, 906):
        for row in (0, 1):
            box = grid.cell_rect(row, column)
            assert grid.viewport().rect().contains(box)
            assert grid.cell_at(box.center()) == (row, column)
            seen.add((box.left(), box.top()))
    assert len(seen) == 12
    assert not grid._layout.has_strip_heads  # two rows leave no height for them
    table = heatmap_colour_table(LIGHT, "values")
    values = grid.cells.values
    picture = grid.viewport().grab().toImage()
    box = grid.cell_rect(1, 906)
    assert picture.pixelColor(box.center()).name() == QColor(table[-1]).name() or values[1, 906] < 1
    beyond = grid.cell_rect(1, 906).center() + QPoint(2 * box.width(), 0)
    assert grid.cell_at(beyond) is None
    with qtbot.waitSignal(grid.row_selected) as emitted:
        qtbot.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(5, grid.cell_rect(1, 600).center().y()))
    assert emitted.args == [1]


@pytest.mark.parametrize(("rows", "columns"), [(3, 30), (12, 24), (13, 30), (40, 8), (6, 90)])
def test_scroll_bars_do_not_oscillate(qtbot, monkeypatch, rows, columns):
    """One bar takes room, then the other is needed, then neither: a map that asks its own room never ends."""
    grid = HeatmapView()
    qtbot.addWidget(grid)
    grid.set_chart(cells(rows, columns, totals=np.arange(float(rows)), total_label="mean"))
    grid.show()
    grid.setUpdatesEnabled(False)  # only the layout matters, and painting takes most of the time
    turns, lay_out = [], HeatmapView._lay_out

    def counted(self):
        turns.append(self.size())
        if len(turns) < 30:  # so that a map without rest fails, and does not hang
            lay_out(self)

    monkeypatch.setattr(HeatmapView, "_lay_out", counted)
    restless = []
    for number, width in enumerate(range(120, 760, 9)):
        for height in range(60 + 7 * (number * 3 % 8), 480, 56):  # all heights at 7 px within 8 widths
            turns.clear()
            grid.resize(width, height)
            QApplication.processEvents()
            if len(turns) > 8:
                restless.append((width, height, len(turns)))
            body = grid._layout.body
            if grid.verticalScrollBar().maximum() and not grid.verticalScrollBar().isVisible():
                restless.append((width, height, "cut below", body))
            if grid.horizontalScrollBar().maximum() and not grid.horizontalScrollBar().isVisible():
                restless.append((width, height, "cut at the right", body))
    assert restless == []


def test_narrow_columns_have_some_names_and_that_of_the_mouse(grid, qtbot, monkeypatch):
    """161 classes of 5 pixels had no names at all."""
    from shrec_viewer.widgets.heatmap import view

    painted = []

    class Recorder(view.QPainter):
        def drawText(self, box, flags, text):  # noqa: N802
            painted.append((text, self.worldTransform().m12() != 0, round(self.worldTransform().dx())))
            super().drawText(box, flags, text)

    monkeypatch.setattr(view, "QPainter", Recorder)
    names = tuple(f"class {n}" for n in range(161))
    grid.set_chart(Matrix(np.random.default_rng(1).random((30, 161)), tuple(f"row {r}" for r in range(30)), names))
    grid.grab()
    height = grid.fontMetrics().height()
    columns = {(text, x) for text, is_upright, x in painted if is_upright}
    assert len(columns) > 10
    assert {text for text, _ in columns} <= set(names)
    assert min(np.diff(sorted(x for _, x in columns))) >= 0.8 * height * 0.9, "none covers another"
    assert {f"row {r}" for r in range(5)} <= {text for text, *_ in painted}
    painted.clear()
    hidden = next(n for n in range(20, 40) if names[n] not in dict(columns))
    qtbot.mouseMove(grid.viewport(), grid.cell_rect(2, hidden).center())
    painted.clear()
    grid.grab()
    columns = {(text, x) for text, is_upright, x in painted if is_upright}
    assert names[hidden] in dict(columns)
    assert min(np.diff(sorted(x for _, x in columns))) >= 0.8 * height * 0.9
    grid.set_current(3, hidden + 5)
    painted.clear()
    grid.grab()
    assert names[hidden + 5] in [text for text, is_upright, _ in painted if is_upright]


def test_names_of_columns_leave_the_height_to_the_cells(grid):
    grid.resize(600, 200)
    names = tuple(f"a rather long name of a class {n}" for n in range(60))
    grid.set_chart(Matrix(np.zeros((20, 60)), tuple(f"row {r}" for r in range(20)), names))
    assert grid._layout.top <= 0.45 * 200 + 6 * SPACE


def test_name_of_a_first_column_narrower_than_a_line_is_not_cut(grid):
    values = np.zeros((2, 70))
    grid.set_chart(Matrix(values, ("r", "s"), tuple(f"name {c}" for c in range(70))))
    image, body = grid.viewport().grab().toImage(), grid.cell_rect(0, 0)
    assert body.width() < grid.fontMetrics().height()
    background = image.pixelColor(body.left() - 1, 1)

    def ink(x):
        return sum(image.pixelColor(x, y) != background for y in range(body.top()))

    assert any(ink(x) for x in range(body.left() - 4, body.left()))
