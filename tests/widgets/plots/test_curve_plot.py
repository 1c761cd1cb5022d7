"""The plot draws curves and reports which one is under the mouse, hovered or clicked."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QWidget

from shrec_viewer.charts.plot import PlotCurve
from shrec_viewer.render.scene.palette import DASHES, OUTLINE_DASHES
from shrec_viewer.widgets.plots.canvas import nice_step
from shrec_viewer.widgets.plots.curve_plot import CurvePlot
from shrec_viewer.widgets.plots.curves import DASH_PATTERNS, curve_pen, joined_with_gaps
from shrec_viewer.widgets.plots.legend import CurveListPopup
from shrec_viewer.widgets.plots.overlays import NO_CURSOR, PlotCursor
from shrec_viewer.widgets.style.theme import DARK, LIGHT

LEFT = Qt.MouseButton.LeftButton
X = np.linspace(0, 1, 21)
FALLING = PlotCurve("falling", "Falling", X, 1 - X, "#0072B2")
FLAT = PlotCurve("flat", "Flat", X, np.full(21, 0.2), "#D55E00", "dash")
GONE = PlotCurve("gone", "Gone", X, np.full(21, np.nan), "#1B1B1B")


@pytest.fixture
def plot(qtbot):
    shown = CurvePlot()
    qtbot.addWidget(shown)
    shown.set_axes("Recall", "Precision", (0, 1), (0, 1))
    shown.set_curves([FALLING, FLAT, GONE])
    shown.resize(500, 400)
    shown.show()
    qtbot.waitExposed(shown)
    shown.heard = {"curve": [], "x": [], "hover": []}
    shown.curve_selected.connect(shown.heard["curve"].append)
    shown.x_selected.connect(shown.heard["x"].append)
    shown.x_hovered.connect(shown.heard["hover"].append)
    return shown


def point(plot, x, y):
    """Where (x, y) is in the canvas' viewport."""
    return plot._canvas.widget_point(x, y).toPoint()


def move(plot, qtbot, spot):
    """Two moves with a pause: pyqtgraph takes a hundred a second, and Qt none to where the mouse is already."""
    qtbot.mouseMove(plot._canvas.viewport(), spot + QPoint(1, 0))
    qtbot.wait(15)
    qtbot.mouseMove(plot._canvas.viewport(), spot)
    qtbot.wait(15)


def click(plot, qtbot, x, y):
    move(plot, qtbot, point(plot, x, y))
    qtbot.mouseClick(plot._canvas.viewport(), LEFT, pos=point(plot, x, y))


def entry(plot, key):
    """Middle of the legend's entry."""
    keys = [curve.key for curve in plot._legend._curves]
    return plot._legend.boxes()[keys.index(key)].center()


def test_click_on_a_curve_selects_it_and_x(plot, qtbot):
    click(plot, qtbot, 0.5, 0.2)
    click(plot, qtbot, 0.31, 0.69)
    assert plot.heard["curve"] == ["flat", "falling"]
    assert plot.heard["x"] == pytest.approx([0.5, 0.3])


def test_click_beside_the_curves_selects_only_x(plot, qtbot):
    click(plot, qtbot, 0.72, 0.95)
    assert plot.heard["curve"] == []
    assert plot.heard["x"] == pytest.approx([0.7])


def test_click_on_an_axis_is_ignored(plot, qtbot):
    qtbot.mouseClick(plot._canvas.viewport(), LEFT, pos=QPoint(5, 100))
    assert plot.heard["x"] == plot.heard["curve"] == []


def test_setters_do_not_emit(plot):
    plot.set_selected("flat")
    plot.set_selected("no such curve")
    plot.show_cursor(PlotCursor(0.5))
    plot.show_cursor(NO_CURSOR)
    plot.show_cursor(PlotCursor(math.nan))
    plot.set_theme(DARK)
    plot.set_curves([FLAT])
    plot.set_axes("Rank", "Gain")
    plot.reset_zoom()
    assert plot.heard == {"curve": [], "x": [], "hover": []}


def test_mouse_shows_the_readout(plot, qtbot):
    move(plot, qtbot, point(plot, 0.5, 0.6))
    assert plot._readout.isVisible()
    assert plot._readout._title == "Recall 0.5"
    assert [(r.curve.key, r.text) for r in plot._readout._curve_values] == [("falling", "0.500"), ("flat", "0.200")]
    assert plot.heard["hover"][-1] == pytest.approx(0.5)
    assert plot._canvas.rect().contains(plot._readout.geometry())


def test_readout_is_hidden_on_leave(plot, qtbot):
    move(plot, qtbot, point(plot, 0.5, 0.6))
    move(plot, qtbot, QPoint(3, 3))
    assert plot._readout.isHidden()
    assert math.isnan(plot.heard["hover"][-1])


def test_readout_does_not_cover_the_pin(plot, qtbot):
    for pin, side in ((0.6, -1), (0.4, 1)):
        plot.show_pin(PlotCursor(pin))
        move(plot, qtbot, point(plot, 0.5, 0.6))
        assert np.sign(plot._readout.geometry().center().x() - point(plot, 0.5, 0.6).x()) == side


def test_nearest_curve_is_highlighted(plot, qtbot):
    plot.grab()  # axes find their width when they are first painted
    qtbot.wait(10)
    spot = point(plot, 0.25, 0.75) + plot._canvas.pos()  # on the other curve, which steps back
    whole = contrast(plot, spot)
    move(plot, qtbot, point(plot, 0.5, 0.21))
    assert [r.curve.key for r in plot._readout._curve_values if r.is_nearest] == ["flat"]
    assert plot._cursor_layer.hovered_key == "flat"
    assert contrast(plot, spot) < 0.5 * whole
    move(plot, qtbot, QPoint(3, 3))
    assert plot._cursor_layer.hovered_key is None
    assert contrast(plot, spot) == whole


def contrast(plot, spot):
    """How far the darkest of the pixels around a place is from white."""
    image = plot.grab().toImage()
    around = [image.pixelColor(spot + QPoint(x, y)).lightnessF() for x in range(-2, 3) for y in range(-2, 3)]
    return 1 - min(around)


def test_only_the_selected_curve_is_wide(plot):
    plot.set_selected("flat")
    widths = {key: item.opts["pen"].widthF() for key, item in plot._items.items()}
    assert widths["flat"] > 2
    assert widths["falling"] == 1
    plot.set_selected(None)
    assert all(item.opts["pen"].widthF() == 1 for item in plot._items.values())


@pytest.mark.parametrize("dash", ["solid", "dash"])
@pytest.mark.parametrize("in_hand", ["falling", "twin", None])
def test_equal_curves_are_both_visible(plot, dash, in_hand):
    plot.set_curves([FALLING, PlotCurve("twin", "Twin", X, 1 - X, "#D57404", dash)])
    plot.set_selected(in_hand)
    image = plot._canvas.grab().toImage()
    points = [point(plot, x, 1 - x) for x in np.linspace(0.1, 0.9, 300)]
    seen = [QColor(image.pixel(spot)) for spot in points]
    blue = sum(colour.blue() - colour.red() > 60 for colour in seen)
    orange = sum(colour.red() - colour.blue() > 60 for colour in seen)
    assert min(blue, orange) > 30


def test_a_curve_without_a_value_is_not_drawn(plot):
    assert plot._items.keys() == {"falling", "flat"}
    assert len(plot._legend.boxes()) == 2


def test_items_are_reused_and_removed(plot):
    before = plot._items["flat"]
    plot.set_curves([FLAT])
    assert plot._items == {"flat": before}
    plot.set_curves([])
    assert plot._items == {}
    plot.grab()


class Owner:
    """Does with a plot's runs what a session does."""

    def __init__(self, plot):
        self.plot, self.reported = plot, []
        plot.toggle_requested.connect(self.toggle)
        plot.isolate_requested.connect(self.isolate)
        plot.show_all_requested.connect(self.show_all)

    def shown(self):
        return {curve.key for curve in self.plot._listed} - self.plot._hidden

    def toggle(self, key):
        self.reported.append(("toggle", key))
        if self.shown() != {key}:
            self.plot.set_hidden(self.plot._hidden ^ {key})

    def isolate(self, key):
        self.reported.append(("only", key))
        keys = {curve.key for curve in self.plot._listed}
        self.plot.set_hidden(() if self.shown() == {key} else keys - {key})

    def show_all(self):
        self.reported.append(("all", ""))
        self.plot.set_hidden(())


@pytest.fixture
def owner(plot):
    return Owner(plot)


def test_legend_emits_and_changes_nothing(plot, qtbot):
    with qtbot.waitSignal(plot.toggle_requested) as reported:
        qtbot.mouseClick(plot._legend, LEFT, pos=entry(plot, "flat"))
    assert reported.args == ["flat"]
    assert plot._hidden == set()


def test_legend_click_toggles(plot, owner, qtbot):
    qtbot.mouseClick(plot._legend, LEFT, pos=entry(plot, "flat"))
    assert plot._hidden == {"flat"}
    assert not plot._items["flat"].isVisible()
    assert "Flat (hidden)" in plot._legend.accessibleName()
    click(plot, qtbot, 0.5, 0.2)
    assert plot.heard["curve"] == [], "what is hidden cannot be picked"
    empty = PlotCurve("flat", "Flat", np.zeros(0), np.zeros(0), "#D55E00")
    plot.set_curves([FALLING, empty], {"flat"})
    assert len(plot._legend.boxes()) == 2, "hidden curves are named though they are not computed"
    plot.set_curves([FALLING, FLAT], {"flat"})
    qtbot.mouseClick(plot._legend, LEFT, pos=entry(plot, "flat"))
    assert plot._hidden == set()


def double_click(plot, qtbot, key):
    """As a window system sends it: the first click comes by itself."""
    qtbot.mouseClick(plot._legend, LEFT, pos=entry(plot, key))
    qtbot.mouseDClick(plot._legend, LEFT, pos=entry(plot, key))


def test_double_click_isolates_and_restores(plot, owner, qtbot):
    double_click(plot, qtbot, "flat")
    assert plot._hidden == {"falling"}
    assert owner.reported == [("toggle", "flat"), ("toggle", "flat"), ("only", "flat")], "the click is taken back"
    owner.reported.clear()
    double_click(plot, qtbot, "flat")
    assert plot._hidden == set()
    assert owner.reported == [("only", "flat")], "the last one is not hidden"


def test_click_on_the_last_visible_curve_is_delayed(plot, owner, qtbot):
    owner.isolate("flat")
    with qtbot.waitSignal(plot.toggle_requested):
        qtbot.mouseClick(plot._legend, LEFT, pos=entry(plot, "flat"))
        assert owner.reported == [("only", "flat")]


@pytest.mark.parametrize("modifier", [Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier])
def test_alt_and_ctrl_click_isolate(plot, owner, qtbot, modifier):
    for hidden in ({"falling"}, set()):
        qtbot.mouseClick(plot._legend, LEFT, modifier, entry(plot, "flat"))
        assert plot._hidden == hidden


def test_the_legend_works_by_keys(plot, owner, qtbot):
    plot._legend.setFocus()
    qtbot.keyClick(plot._legend, Qt.Key.Key_Right)
    qtbot.keyClick(plot._legend, Qt.Key.Key_Space)
    assert plot._hidden == {"flat"}
    qtbot.keyClick(plot._legend, Qt.Key.Key_Return)
    assert plot._hidden == {"falling"}


def test_legend_hover_highlights_the_curve(plot, qtbot):
    qtbot.mouseMove(plot._legend, entry(plot, "flat"))
    assert plot._cursor_layer.hovered_key == "flat"
    qtbot.mouseMove(plot._legend, QPoint(plot._legend.width() - 1, plot._legend.height() - 1))
    assert plot._cursor_layer.hovered_key is None


def view(plot):
    return np.array(plot._canvas.view_box().viewRange()).round(6).tolist()


@pytest.mark.parametrize("way", ["double", "home", "zero", "call"])
def test_zoom_can_be_reset(plot, qtbot, way):
    home = view(plot)
    plot._canvas.view_box().setRange(xRange=(0.4, 0.5), yRange=(0.1, 0.3), padding=0)
    assert view(plot) != home
    if way == "double":
        where = point(plot, 0.45, 0.25)
        move(plot, qtbot, where)
        for _ in range(2):
            qtbot.mousePress(plot._canvas.viewport(), LEFT, pos=where)
            qtbot.mouseRelease(plot._canvas.viewport(), LEFT, pos=where)
        qtbot.mouseDClick(plot._canvas.viewport(), LEFT, pos=where)
        qtbot.mouseRelease(plot._canvas.viewport(), LEFT, pos=where)
    elif way == "call":
        plot.reset_zoom()
    else:
        qtbot.keyClick(plot._canvas, Qt.Key.Key_Home if way == "home" else Qt.Key.Key_0)
    assert view(plot) == home


def test_zoom_survives_the_next_query_but_not_other_axes(plot):
    plot._canvas.view_box().setRange(xRange=(0.4, 0.5), yRange=(0.1, 0.3), padding=0)
    zoomed = view(plot)
    plot.set_curves([FLAT, FALLING])
    assert view(plot) == zoomed
    plot.set_axes("Rank", "Gain", (1, 100), (0, 50))
    assert view(plot)[0][1] > 100


def test_free_axes_span_the_curves_and_start_at_zero(qtbot):
    plot = CurvePlot()
    qtbot.addWidget(plot)
    plot.set_axes("Rank", "Gain")
    plot.set_curves([PlotCurve("a", "a", np.arange(1.0, 101), np.linspace(3, 40, 100), "#000000")])
    (left, right), (bottom, top) = view(plot)
    assert left < 1 < 100 < right < 110
    assert bottom < 0 < 40 < top < 45


def test_zooming_out_is_limited(plot):
    home = view(plot)
    plot._canvas.view_box().setRange(xRange=(0.4, 0.5), yRange=(0.1, 0.3), padding=0)
    plot._canvas.view_box().scaleBy((1000, 1000))
    assert view(plot) == home


def test_arrow_keys_step_ranks_and_curves(plot, qtbot):
    steps = []
    plot.stepped.connect(steps.append)
    plot.set_selected("falling")
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Down):
        qtbot.keyClick(plot._canvas, key)
    assert steps == [1, -1]
    assert plot.heard["curve"] == ["flat"]
    plot.set_selected("flat")
    qtbot.keyClick(plot._canvas, Qt.Key.Key_Down)
    qtbot.keyClick(plot._canvas, Qt.Key.Key_Up)
    assert plot.heard["curve"] == ["flat", "falling", "falling"]


def accent_at(plot, spot, theme=LIGHT):
    image = plot.grab().toImage()
    return any(
        image.pixelColor(spot + plot._canvas.pos() + QPoint(x, 0)).name().upper() == theme.accent for x in (-1, 0, 1)
    )


def test_cursor_is_painted_at_its_x(plot):
    plot.show_cursor(PlotCursor(0.25))
    assert accent_at(plot, point(plot, 0.25, 0.5))
    plot.show_cursor(NO_CURSOR)
    assert not accent_at(plot, point(plot, 0.25, 0.5))


def test_theme_change_reaches_background_axes_and_legend(plot):
    for theme in (DARK, LIGHT):
        plot.set_theme(theme)
        image = plot.grab().toImage()
        for spot in (QPoint(2, 2), point(plot, 0.9, 0.93) + plot._canvas.pos(), QPoint(2, plot.height() - 2)):
            assert image.pixelColor(spot).name().upper() == theme.surface
        shades = {image.pixelColor(x, y).name().upper() for x in range(0, 500, 1) for y in range(0, 400, 3)}
        assert theme.line in shades, "the grid"
        assert theme.ink in shades, "the names"


def test_a_crowd_is_one_item_and_not_in_the_legend(qtbot):
    plot = CurvePlot()
    qtbot.addWidget(plot)
    plot.set_axes("Recall", "Precision", (0, 1), (0, 1))
    crowd = [PlotCurve(f"q{n}", f"q{n}", X, X**n, "#5A616C", emphasis="crowd") for n in range(1, 200)]
    plot.set_curves([*crowd, FALLING])
    assert len(plot._items) == len(plot._crowd_items) == 1
    assert len(plot._legend.boxes()) == 1
    plot.set_curves([FALLING])
    assert plot._crowd_items == []


def test_hovering_an_empty_plot(qtbot):
    plot = CurvePlot()
    qtbot.addWidget(plot)
    plot.resize(300, 200)
    plot.show()
    click(plot, qtbot, 0.5, 0.5)
    qtbot.keyClick(plot._canvas, Qt.Key.Key_Right)
    plot.grab()
    assert plot._readout.isHidden()


def test_readout_lists_at_most_the_fitting_runs(qtbot):
    plot = CurvePlot()
    qtbot.addWidget(plot)
    plot.set_axes("Recall", "Precision", (0, 1), (0, 1))
    plot.set_curves([PlotCurve(f"r{n}", f"Run {n}", X, np.full(21, n / 40), "#0072B2") for n in range(40)])
    plot.resize(400, 350)
    plot.show()
    move(plot, qtbot, point(plot, 0.5, 2 / 40))
    readings = plot._readout._curve_values
    most = plot._readout.max_curves()
    assert 20 < most < 40
    assert len(readings) == most
    assert plot._canvas.rect().contains(plot._readout.geometry())
    assert any(reading.is_nearest and reading.curve.key == "r2" for reading in readings)
    assert plot._readout._footer == f"and {40 - most} more"
    plot.set_selected("r7")
    move(plot, qtbot, point(plot, 0.6, 2 / 40))
    keys = [reading.curve.key for reading in plot._readout._curve_values]
    assert keys == [*(f"r{n}" for n in range(39, 41 - most, -1)), "r7", "r2"]


@pytest.mark.parametrize(("width", "height"), [(190, 120), (290, 150), (330, 200), (900, 160)])
def test_readout_stays_within_the_plot(qtbot, width, height):
    plot = CurvePlot()
    qtbot.addWidget(plot)
    plot.set_axes("Recall", "Precision", (0, 1), (0, 1))
    plot.set_curves([PlotCurve(f"r{n}", f"A run named {n}", X, np.full(21, n / 40), "#0072B2") for n in range(40)])
    plot.set_legend("line")
    plot.resize(width, height)
    plot.show()
    qtbot.waitExposed(plot)
    for x in (0.05, 0.5, 0.95):
        for y in (0.05, 0.5, 0.95):
            move(plot, qtbot, point(plot, x, y))
            assert plot._readout.isVisible()
            assert plot._canvas.rect().contains(plot._readout.geometry()), (x, y)


def test_legend_can_be_hidden(plot, qtbot):
    before = plot._canvas.height()
    plot.set_legend("none")
    qtbot.waitUntil(lambda: plot._canvas.height() > before)
    plot.set_legend("full")
    qtbot.waitUntil(lambda: plot._canvas.height() == before)
    assert plot.heard == {"curve": [], "x": [], "hover": []}


def names_shown(plot):
    return plot._canvas._bottom.labelText, plot._canvas._left.labelText


def test_axis_label_shortens_and_returns(plot, qtbot):
    plot.set_axes("Recall", ("Share of the ideal discounted gain", "NDCG"), (0, 1), (0, 1))
    for height, name in ((400, "Share of the ideal discounted gain"), (260, "NDCG"), (400, None), (150, "NDCG")):
        plot.resize(500, height)
        qtbot.wait(1)
        assert names_shown(plot)[1] == (name or "Share of the ideal discounted gain")
        label = plot._canvas._left.label
        assert label.mapToScene(label.boundingRect()).boundingRect().top() >= 0


def test_axis_label_shortens_at_comma_then_at_words(plot, qtbot):
    plot.set_axes("Generality, −log₂ g (each unit halves the share)", "NDCG, share of the ideal discounted gain")
    plot.resize(300, 200)
    qtbot.wait(1)
    assert names_shown(plot) == ("Generality, −log₂ g", "NDCG")
    move(plot, qtbot, point(plot, 0.5, 0.6))
    assert plot._readout._title.startswith("Generality 0.5")
    plot.set_axes("Recall", "Share of the ideal discounted gain")
    assert names_shown(plot)[1] == "Share of the…"


def test_a_longer_label_is_centred_on_its_axis_without_a_resize(plot):
    plot.set_axes("Recall (mean at equal relevant scope)", "Precision of all runs", (0, 1), (0, 1))
    for axis, centre in ((plot._canvas._bottom, "x"), (plot._canvas._left, "y")):
        label = axis.label.mapRectToParent(axis.label.boundingRect())
        assert getattr(label.center(), centre)() == pytest.approx(getattr(axis.rect().center(), centre)(), abs=1)


@pytest.fixture
def crowded(qtbot):
    """Twenty runs with a legend of one line."""
    plot = CurvePlot()
    qtbot.addWidget(plot)
    plot.set_axes("Recall", "Precision", (0, 1), (0, 1))
    plot.set_curves([PlotCurve(f"r{n}", f"A run of name {n}", X, np.full(21, n / 40), "#0072B2") for n in range(20)])
    plot.resize(500, 300)
    plot.show()
    qtbot.waitExposed(plot)
    return plot


def keys_listed(plot):
    return [curve.key for curve, _ in plot._legend._laid_out()[0]]


def test_one_line_legend_counts_the_others(crowded):
    legend = crowded._legend
    full = legend.heightForWidth(legend.width())
    assert full == 3 * legend.boxes()[0].height(), "forty runs are not more legend than graph"
    crowded.set_legend("line")
    boxes = legend.boxes()
    assert legend.heightForWidth(legend.width()) == boxes[0].height() < full
    assert 4 <= len(boxes) < 20
    assert boxes[-1].right() < legend._laid_out()[1].left() < legend._laid_out()[1].right() <= legend.width()
    crowded.set_selected("r19")
    assert keys_listed(crowded)[-1] == "r19"
    crowded.grab()
    crowded.set_curves(crowded._curves[:3])
    assert {box.width() for box in legend.boxes()} == {box.width() for box in legend.boxes(2000)}, "none is cut"
    assert legend._laid_out()[1] is None
    crowded.set_curves([])
    crowded.grab()
    crowded.set_legend("none")
    assert legend.isHidden()
    crowded.set_legend("full")
    assert legend.isVisible()


@pytest.mark.parametrize("form", ["line", "full"])
def test_visible_curves_have_entries_if_they_fit(crowded, form):
    crowded.set_legend(form)
    listed = keys_listed(crowded)
    assert listed == [f"r{n}" for n in range(len(listed))]
    crowded.set_hidden({"r1"})
    assert keys_listed(crowded) == listed, "the entry clicked is still under the mouse"
    crowded.set_hidden({f"r{n}" for n in range(20) if n not in (15, 17)})
    assert {"r15", "r17"} <= set(keys_listed(crowded))
    assert len(keys_listed(crowded)) == len(listed)


@pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)", extend=True)
def test_click_on_the_count_opens_the_list_of_all(crowded, qtbot):
    owner = Owner(crowded)
    crowded.set_legend("line")
    crowded.set_selected("r3")
    qtbot.mouseClick(crowded._legend, LEFT, pos=crowded._legend._laid_out()[1].center())
    popup = crowded.findChild(CurveListPopup)
    assert popup.isVisible()
    assert popup.x() > crowded.geometry().right() - 20, "the menu leaves the plot visible"
    rows = popup.list
    assert [rows.item(row).text() for row in range(rows.count())] == [f"A run of name {n}" for n in range(20)]
    assert rows.currentRow() == 3
    qtbot.mouseClick(rows.viewport(), LEFT, pos=rows.visualItemRect(rows.item(12)).center())
    assert crowded._hidden == {"r12"}
    assert rows.item(12).checkState() == Qt.CheckState.Unchecked
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    qtbot.keyClick(rows, Qt.Key.Key_Space)
    assert crowded._hidden == {"r12", "r13"}
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    assert owner.shown() == {"r13"}
    assert rows.checked_keys() == {"r13"}
    spot = rows.visualItemRect(rows.item(14)).center()
    qtbot.mouseClick(rows.viewport(), LEFT, pos=spot)
    qtbot.mouseDClick(rows.viewport(), LEFT, pos=spot)
    assert owner.shown() == {"r14"}
    qtbot.mouseClick(popup.show_all_button, LEFT)
    assert crowded._hidden == set()
    assert not popup.show_all_button.isEnabled()
    qtbot.keyClick(rows, Qt.Key.Key_Escape)
    assert crowded._popup is None
    qtbot.waitUntil(lambda: crowded.findChild(CurveListPopup) is None)


@pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)", extend=True)
def test_count_is_reached_by_keys(crowded, qtbot):
    crowded.set_legend("line")
    crowded._legend.setFocus()
    qtbot.keyClick(crowded._legend, Qt.Key.Key_Left)  # from the first one round to the last
    qtbot.keyClick(crowded._legend, Qt.Key.Key_Space)
    assert crowded.findChild(CurveListPopup).isVisible()
    crowded.findChild(CurveListPopup).close()


def test_long_names_are_elided_first(qtbot):
    plot = CurvePlot()
    qtbot.addWidget(plot)
    plot.set_legend("line")
    plot.set_curves(
        [PlotCurve("a", "E1", X, X, "#0072B2"), PlotCurve("b", "A very long name of a run", X, X, "#0072B2")]
    )
    short, long = plot._legend.boxes(170)
    assert long.right() < 170
    assert short.width() == plot._legend.boxes(1000)[0].width()


def test_a_plot_is_made_of_few_widgets(plot):
    assert len(plot.findChildren(QWidget)) < 15


# ------------------------------------------------------------------------------------------------------- curves alone


def test_value_between_samples_at_steps_and_outside():
    steps = PlotCurve("s", "s", np.array([0.0, 0.5, 0.5, 1.0]), np.array([1.0, 1.0, 0.25, 0.25]), "#000000")
    assert steps.value_at(0.25) == 1.0
    assert steps.value_at(0.5) == 1.0
    assert steps.value_at(0.75) == 0.25
    assert math.isnan(steps.value_at(1.01))
    assert math.isnan(PlotCurve("e", "e", np.zeros(0), np.zeros(0), "#000000").value_at(0))


def test_distance_is_measured_to_the_line_not_to_its_samples():
    line = PlotCurve("l", "l", np.array([0.0, 10.0]), np.array([0.0, 10.0]), "#000000")
    assert line.distance_to(5, 5, (3, 3), 10) == pytest.approx(0)
    assert line.distance_to(5, 6, (1, 1), 10) == pytest.approx(math.sqrt(0.5))
    assert line.distance_to(5, 6, (10, 10), 10) == pytest.approx(10 * math.sqrt(0.5))


def test_distance_ignores_gaps():
    gap = PlotCurve("g", "g", np.arange(5.0), np.array([0, 0, np.nan, 0, 0]), "#000000")
    assert gap.distance_to(2, 0, (100, 100), 10) > 10
    alone = PlotCurve("a", "a", np.array([1.0]), np.array([1.0]), "#000000")
    assert alone.distance_to(1, 1.5, (10, 10), 20) == pytest.approx(5)


def test_joined_curves_have_gaps_between():
    x, y = joined_with_gaps([FALLING, FLAT])
    assert len(x) == len(y) == 44
    assert np.flatnonzero(np.isnan(y)).tolist() == [21, 43]
    assert [len(part) for part in joined_with_gaps([])] == [0, 0]


def test_every_dash_of_the_palette_can_be_drawn():
    assert set(DASHES) | set(OUTLINE_DASHES) == set(DASH_PATTERNS)
    for dash in DASHES:
        for emphasised in (False, True):
            pen = curve_pen(PlotCurve("c", "c", X, X, "#0072B2", dash), bold=emphasised)
            pattern = [part * pen.widthF() for part in pen.dashPattern()] if DASH_PATTERNS[dash] else []
            assert pattern == pytest.approx(DASH_PATTERNS[dash]), "alike whatever the width"
            assert pen.color() == QColor("#0072B2")


@pytest.mark.parametrize("span", [1e-6, 0.3, 1, 7, 99, 1814, 51_000])
@pytest.mark.parametrize("most", [2, 5, 10])
def test_tick_steps_are_round_and_few(span, most):
    step = nice_step(span, most)
    mantissa = step / 10 ** math.floor(math.log10(step) + 1e-9)
    assert min(abs(mantissa - nice) for nice in (1, 2, 5)) < 1e-6
    assert span / step <= most + 1e-6
    assert span / step > most / 2.6, "and not fewer than need be"


class PaintCounter(QObject):
    """Counts the paint events of widgets, by name."""

    def __init__(self, **widgets):
        super().__init__()
        self.counts, self._names = Counter(), {widget: name for name, widget in widgets.items()}
        for widget in widgets.values():
            widget.installEventFilter(self)

    def eventFilter(self, watched, event):
        self.counts[self._names[watched]] += event.type() == QEvent.Type.Paint
        return False


def test_other_curves_and_axes_are_painted_once_and_legends_where_they_change(plot):
    def shown_after(scale, *curves):
        paints.counts.clear()
        plot.set_axes("Recall", "Precision", (0, scale), (0, 1))
        plot.set_curves(curves)
        for _ in range(10):
            QApplication.processEvents()
        return {name: count for name, count in paints.counts.items() if count}

    paints = PaintCounter(canvas=plot._canvas.viewport(), legend=plot._legend, plot=plot)
    shown_after(0.5, FALLING, FLAT)
    shown_after(0.7, FALLING, FLAT)
    steeper = replace(FALLING, y=1 - X**2)
    assert shown_after(0.5, steeper, FLAT) == {"canvas": 1}
    assert shown_after(0.7, replace(steeper, colour="#009E73"), FLAT).keys() == {"canvas", "legend", "plot"}
