"""Plot panels: shared cursor by mouse and keys, values, options, copying and export."""

import csv
import math
import tomllib
from functools import partial
from io import StringIO
from itertools import pairwise, product
from xml.etree import ElementTree

import numpy as np
import pytest
import tomlkit
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QStyleOptionComboBox, QToolButton, QWidget
from sample_benchmark import write_sample_benchmark
from sessions import a_session, open_in, settle

from shrec_viewer.charts.plot import PlotCurve
from shrec_viewer.charts.surface import DEFAULT_ANGLES
from shrec_viewer.content.contents import build_chart
from shrec_viewer.content.curves import curves_of as curves_of_kind
from shrec_viewer.formats.discovery.reader_table import read_own_results
from shrec_viewer.metrics import CURVES
from shrec_viewer.number_format import format_value
from shrec_viewer.panels.plots.curves import GainPanel, PrecisionRecallPanel
from shrec_viewer.panels.plots.generality import GeneralityPanel
from shrec_viewer.panels.plots.plot_panel import RUN_ACTIONS, PlotHeader, PlotKind, ValueColumn
from shrec_viewer.report.figures.drawing.plot import line_styles
from shrec_viewer.report.figures.rendering import figure_bytes
from shrec_viewer.report.tables.formats import table_bytes
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.widgets.plots.canvas import PlotCanvas
from shrec_viewer.widgets.plots.overlays import NO_CURSOR
from shrec_viewer.widgets.style.theme import THEMES

LEFT = Qt.MouseButton.LeftButton


class Graphs(QWidget):
    """The three plot panels side by side."""

    def __init__(self, session):
        super().__init__()
        self.recall, self.gain = PrecisionRecallPanel(session), GainPanel(session)
        self.generality = GeneralityPanel(session)
        self.all = (self.recall, self.gain, self.generality)
        layout = QHBoxLayout(self)
        for panel in self.all:
            layout.addWidget(panel)


@pytest.fixture
def session(qtbot, tmp_path):
    for made in a_session():
        yield open_in(made, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)


@pytest.fixture
def settled(session, qtbot):
    def wait():
        settle(session, qtbot)

    return wait


@pytest.fixture
def graphs(session, qtbot, settled, request):
    """The panels; painted only in tests with `painted`, as painting takes most of the time of many tests."""
    session.select(run=1)  # levels of q1: 0 2 0 2 1 0 0 1
    shown = Graphs(session)
    shown.setUpdatesEnabled("painted" in request.fixturenames)
    qtbot.addWidget(shown)
    shown.resize(1500, 520)
    shown.show()
    qtbot.waitExposed(shown)
    settled()
    yield shown
    session.shut_down()


@pytest.fixture
def painted():
    """Requested by tests in which `graphs` are painted: those that look at pixels, and some of each way of use."""


def canvas_of(panel):
    return panel.plot.findChild(PlotCanvas)


def move(panel, qtbot, x, y):
    """Two moves with a pause: pyqtgraph handles 100 per second, and Qt ignores a move to the current position."""
    canvas = canvas_of(panel)
    spot = canvas.widget_point(x, y).toPoint()
    qtbot.mouseMove(canvas.viewport(), spot + QPoint(1, 1))
    qtbot.wait(15)
    qtbot.mouseMove(canvas.viewport(), spot)
    qtbot.wait(15)
    return spot


def leave(panel, qtbot):
    qtbot.mouseMove(canvas_of(panel).viewport(), QPoint(2, 2))
    qtbot.wait(15)


def dots_of(panel):
    return {int(dot.key): (dot.x, dot.y) for dot in panel.plot.current_cursor.dots}


def shown_columns(panel):
    """The columns of the table of values as it is shown."""
    table = panel.values.table
    cells = [[math.nan if cell is None else cell for cell in column] for column in zip(*table.rows, strict=True)]
    return [ValueColumn(head.key, np.array(values)) for head, values in zip(table.columns, cells, strict=True)]


def figure_of(panel):
    """The figure that the panel exports."""
    (request,) = panel.requests()
    return build_chart(content_data(panel._session), request)


def curves_of(panel):
    return [(int(curve.key), curve) for curve in panel.plot.visible_curves()]


def defined(places):
    return {key: place for key, place in places.items() if not math.isnan(place[1])}


# ------------------------------------------------------------------------------------------------------ one cursor


def test_hovered_rank_is_marked_in_every_plot_at_the_evaluated_point(graphs, session, settled, subtests):
    graphs.recall.select_kind("PR")
    settled()
    for rank in (1, 2, 4, 5, 8):
        with subtests.test(rank=rank):
            check_hovered_rank(graphs, session, rank)


def check_hovered_rank(graphs, session, rank):
    session.cursor_state.hover(rank)
    scores = session.scores
    at = {key: [scores.curve(key, run, 0, 8).y[rank - 1] for run in range(3)] for key in ("P", "R", "NDCG")}
    for run in range(3):
        recall, precision = dots_of(graphs.recall)[run]
        hits = scores.curve("PR", run, 0)
        if hits.x[0] * 4 / rank <= hits.y[0] and hits.x[-1] * 4 / rank >= hits.y[-1]:  # between its first and last hit
            assert precision == pytest.approx(np.interp(recall, hits.x, hits.y)), "on the curve"
        else:
            assert math.isnan(precision)
        if at["R"][run] > (at["R"][run] if rank == 1 else scores.curve("R", run, 0, 8).y[rank - 2]):
            assert (recall, precision) == pytest.approx((at["R"][run], at["P"][run])), "a hit is where it is"
        assert dots_of(graphs.gain)[run] == pytest.approx((rank, at["NDCG"][run]))
        assert not dots_of(graphs.generality)[run][1] < at["R"][run] - 1e-9
    description = canvas_of(graphs.gain).accessibleDescription()
    assert description == f"rank {rank}, A2: {graphs.gain.kind.y_label} {at['NDCG'][1]:.3f}"
    slope = graphs.recall.plot.current_cursor.slope
    assert slope == pytest.approx(4 / rank)
    for recall, precision in defined(dots_of(graphs.recall)).values():
        assert precision == pytest.approx(slope * recall), "every run is on the ray of its scope"
    assert graphs.gain.plot.current_cursor.x == rank
    assert graphs.generality.plot.current_cursor.level == pytest.approx(at["R"][1])
    session.cursor_state.hover(None)
    assert [panel.plot.current_cursor for panel in graphs.all] == [NO_CURSOR] * 3


def test_mouse_in_the_gain_plot_sets_and_clears_the_cursor(graphs, session, qtbot):
    heard = []
    session.cursor_state.cursor_changed.connect(heard.append)
    graphs.gain.set_option("ranks", 25)
    settle(session, qtbot)
    move(graphs.gain, qtbot, 5.0, 0.5)
    assert session.cursor_state.cursor == 5
    assert graphs.recall.plot.current_cursor.label == "rank 5 (1.25 × class size)"
    leave(graphs.gain, qtbot)
    assert session.cursor_state.cursor is None
    assert heard[-1] is None
    session.select(rank=2)
    move(graphs.gain, qtbot, 7.0, 0.5)
    assert session.cursor_state.cursor == 7
    leave(graphs.gain, qtbot)
    assert session.cursor_state.cursor == 2, "back to what is selected"


def test_cursor_is_cleared_when_the_mouse_leaves_after_a_new_query(graphs, session, settled, qtbot):
    graphs.gain.set_option("ranks", 25)
    settled()
    move(graphs.gain, qtbot, 5.0, 0.5)
    session.select(query=1)
    settled()
    leave(graphs.gain, qtbot)
    assert session.cursor_state.cursor is None


def test_mouse_in_the_recall_plot_sets_the_rank_that_reaches_the_recall(graphs, session, settled, qtbot):
    graphs.recall.select_kind("PR11")
    settled()
    for recall, rank in ((0.2, 2), (0.3, 4), (0.7, 5), (1.0, 8)):
        move(graphs.recall, qtbot, recall, 0.95)
        assert session.cursor_state.cursor == rank, recall
    graphs.recall.select_kind("PR")
    settled()
    session.select(means=True)
    settled()
    move(graphs.recall, qtbot, 0.99, 0.97)
    got = graphs.recall.computed.curve_of(1).reached
    assert got.at(session.cursor_state.cursor)[0] >= 0.9


def test_mouse_in_the_generality_plot_sets_the_rank(graphs, session, qtbot):
    move(graphs.generality, qtbot, 1.0, 0.9)
    assert session.cursor_state.cursor == graphs.generality.computed.rank_at(1.0, 1)
    assert graphs.gain.plot.current_cursor.x == session.cursor_state.cursor
    leave(graphs.generality, qtbot)
    assert session.cursor_state.cursor is None


def test_click_selects_rank_and_run(painted, graphs, session, settled, qtbot):
    graphs.gain.set_option("ranks", 25)
    settled()
    heights = sorted((0.0, *(y for _, y in defined({k: (4, c.y[3]) for k, c in curves_of(graphs.gain)}).values()), 1.0))
    gap = max(pairwise(heights), key=lambda pair: pair[1] - pair[0])
    spot = move(graphs.gain, qtbot, 4.0, sum(gap) / 2)  # between the curves
    qtbot.mouseClick(canvas_of(graphs.gain).viewport(), LEFT, pos=spot)
    assert session.selection.rank == 4
    assert session.selection.run == 1
    curve = graphs.gain.computed.curve_of(2)
    spot = move(graphs.gain, qtbot, 20.0, float(curve.y[19]))
    qtbot.mouseClick(canvas_of(graphs.gain).viewport(), LEFT, pos=spot)
    settled()
    assert session.selection.run == 2


@pytest.mark.parametrize("name", ["recall", "gain", "generality"])
def test_arrow_keys_step_through_ranks_and_runs_in_every_plot(graphs, session, settled, qtbot, name):
    canvas = canvas_of(getattr(graphs, name))
    for expected in (1, 2, 3):
        qtbot.keyClick(canvas, Qt.Key.Key_Right)
        assert session.selection.rank == expected
    qtbot.keyClick(canvas, Qt.Key.Key_Left)
    assert session.selection.rank == 2
    for _ in range(20):
        qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert session.selection.rank == 8, "the list ends"
    qtbot.keyClick(canvas, Qt.Key.Key_Down)
    settled()
    assert session.selection.run == 2
    qtbot.keyClick(canvas, Qt.Key.Key_Up)
    settled()
    assert session.selection.run == 1


# --------------------------------------------------------------------------------------------------- what is drawn


@pytest.mark.parametrize("name", ["recall", "gain"])
def test_every_curve_equals_the_evaluation_for_query_and_mean(graphs, session, settled, name):
    panel = getattr(graphs, name)
    for means in (False, True):
        session.select(means=means)
        for kind in panel.kinds:
            panel.select_kind(kind.key)
            settled()
            assert panel.kind is kind
            for run in (0, 1):
                expected = session.scores.curve(
                    kind.key, run, None if means else 0, getattr(panel.options, "ranks", 100)
                )
                shown = next(curve for curve in panel.plot.visible_curves() if curve.key == str(run))
                np.testing.assert_array_equal(shown.y, expected.y)
                np.testing.assert_array_equal(shown.x, expected.x)
    other = curves_of_kind("scope")
    assert {kind.key for kind in (*graphs.recall.kinds, *graphs.gain.kinds, *other)} == {
        kind.key for kind in CURVES if kind.x != "generality"
    }


def test_options_draw_their_reference_curves(painted, graphs, session, settled):
    panel, options = graphs.recall, graphs.recall.header.options
    panel.select_kind("PR")
    settled()
    nothing = panel.references()
    assert (nothing.areas, nothing.lines, nothing.points) == ((), (), ())
    for key in ("ideal", "random", "scopes", "wedge", "tris"):
        options["show", key].trigger()
    shown = panel.plot._references.references
    left, below = shown.areas  # c = 4 of d = 8
    assert np.stack([left.x, left.y], 1).tolist() == [[0, 0], [0.25, 1], [0, 1]], "not one place looked at"
    assert np.stack([below.x, below.y], 1).tolist() == [[0, 0], [1, 0.5], [1, 0]], "more than there is"
    assert {line.mark for line in shown.lines} == {"s = 1", "s = c/2", "s = c", "s = 2c", "random", "ideal"}
    assert [(point.x, point.y) for point in shown.points] == [(1.0, 1.0)]
    session.select(query=1)
    settled()
    assert panel.plot._references.references.points, "the next query has them too"
    options["show", "tris"].trigger()
    assert not panel.plot._references.references.points


def test_means_are_averaged_as_chosen_and_named_on_the_axis(graphs, session, settled):
    panel = graphs.recall
    panel.select_kind("PR")
    session.select(means=True)
    settled()
    panel.set_option("show", ("scopes", "wedge", "tris"))
    named = {
        "recall": "Recall (mean at equal recall, 20 points, g = 1/2)",
        "generality": "Recall (mean at equal relevant scope and generality, g = 1/2)",
        "rank": "Recall (mean at equal rank, g = 1/2)",
        "class": "Recall (mean over classes, g = 1/2)",
    }
    for way, label in named.items():
        if way == "class":  # for the table of runs too
            session.select(mean_over="classes")
        else:
            panel.header.options["average", way].trigger()
        settled()
        assert panel.shown_plot.axes.x_label == label
        for curve in panel.plot.visible_curves():
            expected = session.scores.curve("PR", int(curve.key), None, average=way)
            np.testing.assert_array_equal(curve.y, expected.y)
            np.testing.assert_array_equal(curve.x, expected.x)
        shown = panel.references()
        has_lines = way == "generality"
        assert panel.header.options["show", "scopes"].isEnabled() == has_lines
        assert bool(shown.points) == bool(shown.lines) == has_lines
        assert {"Unreachable region"} & {area.label for area in shown.areas} == (
            {"Unreachable region"} if has_lines else set()
        )
    panel.select_kind("PR20")
    settled()
    assert panel.average == "class", "a macro average of every kind"
    session.select(mean_over="queries")
    panel.header.options["average", "recall"].trigger()
    assert not panel.header.options["average", "rank"].isEnabled()
    session.select(means=False)
    settled()
    assert panel.shown_plot.axes.x_label == "Recall (g = 1/2)"


def test_bounds_of_truncated_lists_are_a_band_and_in_the_message(graphs, session, settled, qtbot):
    panel = graphs.generality
    session.select(run=2, means=True)
    settled()
    curve = panel.computed.curve_of(2)
    (_, lower), (_, upper) = curve.bounds
    assert np.any(upper - lower > 0.1)
    (band,) = [area for area in panel.references().areas if area.label == "Range for unlisted models"]
    np.testing.assert_array_equal(band.y[: len(curve.x)], lower)
    weights = (np.mean(curve.x) - curve.x) / np.sum((curve.x - np.mean(curve.x)) ** 2)  # of the least-squares line
    ends = np.array([weights * lower, weights * upper])
    low, high = format_value(max(ends.min(axis=0).sum(), 0.0)), format_value(ends.max(axis=0).sum())
    assert f"between {low} and {high} of its recall for each doubling" in panel.footer.loss.text()
    assert "narrow domain" in panel.footer.loss.toolTip()
    graphs.recall.select_kind("PR")
    graphs.recall.header.options["average", "generality"].trigger()
    settled()
    # In the whole collection the points are those of the lists, as in the tables.
    assert "Range for unlisted models" not in [area.label for area in graphs.recall.references().areas]
    slider = panel.footer.slider
    slider.setFocus()
    qtbot.keyClick(slider, Qt.Key.Key_Left)
    settled()
    assert "Range for unlisted models" in [area.label for area in graphs.recall.references().areas]


def test_the_precision_recall_graph_follows_the_slider(graphs, session, settled, qtbot):
    graphs.recall.select_kind("PR")
    slider = graphs.generality.footer.slider
    slider.setFocus()
    qtbot.keyClick(slider, Qt.Key.Key_Home)
    settled()
    assert graphs.recall.shown_plot.axes.x_label == "Recall (g = 1)"
    for curve in graphs.recall.plot.visible_curves():
        np.testing.assert_allclose(curve.y, 1.0, err_msg="nothing irrelevant")
    qtbot.keyClick(slider, Qt.Key.Key_End)
    settled()
    assert graphs.recall.shown_plot.axes.x_label == "Recall (g = 1/2)"


def test_large_text_in_a_narrow_panel_keeps_the_key_of_the_curve(qtbot):
    header = PlotHeader([PlotKind("NDCG", "NDCG", "Normalised discounted cumulated gain", "")])
    qtbot.addWidget(header)
    font = header.kinds.font()
    font.setPointSizeF(1.75 * font.pointSizeF())
    header.kinds.setFont(font)
    header.resize(header.minimumSizeHint())
    header.show()
    option = QStyleOptionComboBox()
    header.kinds.initStyleOption(option)
    assert option.currentText == "NDCG"


def _family(panel):
    return {line.mark: line for line in panel.references().lines if line.label.startswith("A2, ")}


def test_family_has_a_curve_of_the_selected_run_for_each_generality(graphs, session, settled, qtbot):
    panel = graphs.generality
    session.select(run=1, means=True)
    panel.select_kind("PR")
    settled()
    assert list(_family(panel)) == ["g = 1"], "at g = 1/2, that of the collection, the run has its own curve"
    session.cursor_state.show_generality(0.5)
    settled()
    family = _family(panel)
    assert list(family) == ["g = 1", "g = 1/2"]
    run_colours = {style.colour for theme in THEMES for style in session.run_styles.styles(theme)}
    for doublings, line in zip((0.0, 1.0), family.values(), strict=True):
        expected = session.scores.curve("PR", 1, None, average="generality", doublings=doublings)
        np.testing.assert_allclose(line.x[: len(expected.x)], expected.x)
        np.testing.assert_allclose(line.y[: len(expected.y)], expected.y)
        assert line.ends, "its name is at its end, where the curves are farthest apart"
        assert line.width > 2
        assert not run_colours & {getattr(theme, line.token) for theme in THEMES.values()}
    session.cursor_state.show_generality(None)
    settled()
    assert panel.shown_plot.axes.x_label == "Recall (mean at equal relevant scope and generality, g = 1/2)"
    slider = panel.footer.slider
    slider.setFocus()
    qtbot.keyClick(slider, Qt.Key.Key_PageDown)
    settled()
    level = panel.options.level
    assert 0 < level < 1 or slider.value() == 0
    for curve in panel.plot.visible_curves():
        expected = session.scores.curve("PR", int(curve.key), None, average="generality", doublings=level)
        np.testing.assert_array_equal(curve.y, expected.y)
    assert not panel.header.options["vary", "classes"].isEnabled()
    panel.columns()
    panel.requests()
    panel.select_kind("2")
    settled()
    assert panel.shown_plot.axes.x_label.startswith("Generality g")
    assert panel.header.options["vary", "classes"].isEnabled()


def test_surface_is_drawn_for_the_selected_run_and_follows_the_slider(painted, graphs, session, settled, qtbot):
    panel = graphs.generality
    session.select(run=1, means=True)
    panel.select_kind("GReP")
    settled()
    view = panel.surface_view
    assert view.isVisible()
    assert not panel.plot.isVisible()
    options = [action for (name, _), action in panel.header.options.items() if name in ("show", "labels")]
    assert not any(action.isEnabled() for action in options)  # without effect on the surface
    found = view.data
    assert found.title == "Surface of A2"
    expected = session.scores.curve("GRiP", 1, None)
    np.testing.assert_allclose(found.doublings, expected.x)
    lines = {line.label: line for line in found.lines}
    assert list(lines) == ["Plane p = r", "Random", "TRIS", "p = r at s = c (GRiP)"]
    for values in (lines["p = r at s = c (GRiP)"].recall, lines["p = r at s = c (GRiP)"].precision):
        np.testing.assert_allclose(values, expected.y)
    np.testing.assert_array_equal(lines["TRIS"].recall, np.ones(len(expected.x)))
    np.testing.assert_allclose(lines["Random"].precision, 2.0**-found.doublings)
    panel.footer.slider.setFocus()
    qtbot.keyClick(panel.footer.slider, Qt.Key.Key_Home)
    highlighted = view.data.lines[-1]
    assert (highlighted.label, set(highlighted.doublings.tolist())) == ("g = 1", {0.0})
    view.setFocus()  # its ring is in both images
    before = view.grab().toImage()
    qtbot.mousePress(view, LEFT, pos=QPoint(50, 50))
    qtbot.mouseMove(view, QPoint(90, 60))
    qtbot.mouseRelease(view, LEFT, pos=QPoint(90, 60))
    assert view.angles != DEFAULT_ANGLES
    assert view.grab().toImage() != before
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert view.angles == DEFAULT_ANGLES
    assert view.grab().toImage() == before
    assert panel.export().figure.kind == "surface"
    qtbot.mouseClick(panel.header.values_button, LEFT)
    columns = {column.title: column.values for column in shown_columns(panel)}
    np.testing.assert_allclose(columns["Recall"], columns["Precision"] * columns["s / c"])
    qtbot.mouseClick(panel.header.values_button, LEFT)
    assert view.isVisible()
    session.select(run=2)
    settled()
    assert view.data.title == "Surface of B1"
    panel.select_kind("1")
    settled()
    assert panel.plot.isVisible()
    assert panel.export().figure.kind == "generality"
    assert {action.text() for action in options if action.isEnabled()} >= {"Random baseline", "Ideal ranking (TRIS)"}


def test_family_and_surface_are_computed_only_while_visible(graphs, session, settled):
    panel = graphs.generality
    settled()
    computations = {"PR": "generality computed_family", "GReP": "generality computed_surface"}
    keys = {task.status.key for task in session.tasks.finished}
    assert not keys & {*computations.values()}
    for graph, key in computations.items():
        panel.select_kind(graph)
        settled()
        assert key in {task.status.key for task in session.tasks.finished}


def test_mean_curves_do_not_depend_on_the_query(graphs, session, settled):
    session.select(means=True)
    settled()
    reported = []
    for panel in graphs.all:
        panel.computation.changed.connect(partial(reported.append, panel))
    session.select(query=1)
    settled()
    assert reported == []


def test_gain_over_recall_has_the_same_values(graphs, session, settled):
    before = {curve.key: curve.y for curve in graphs.gain.plot.visible_curves()}
    graphs.gain.header.options["over", "recall"].trigger()
    settled()
    assert graphs.gain.shown_plot.axes.x_ticks == "percent"
    for curve in graphs.gain.plot.visible_curves():
        np.testing.assert_array_equal(curve.y, before[curve.key])
        recall = session.scores.curve("R", int(curve.key), 0, len(curve.y)).y
        np.testing.assert_allclose(curve.x, recall)
    session.cursor_state.hover(4)
    assert dots_of(graphs.gain)[1][0] == pytest.approx(0.5)


def test_only_shown_runs_are_drawn(graphs, session, settled):
    for panel in graphs.all:
        assert len(panel.plot.visible_curves()) == 3
    graphs.gain.header.menu_actions["one_run"].trigger()
    settled()
    for panel in graphs.all:
        assert [curve.label for curve in panel.plot.visible_curves()] == ["A2"]
    graphs.gain.header.menu_actions["all_runs"].trigger()
    settled()
    for panel in graphs.all:
        assert len(panel.plot.visible_curves()) == 3


def legend_entry(panel, run):
    """Centre of a run's legend entry."""
    legend = panel.plot._legend
    keys = [curve.key for curve, _ in legend._laid_out()[0]]
    return legend, legend.boxes()[keys.index(str(run))].center()


def test_legend_click_hides_the_run_in_all_plots_and_can_be_undone(painted, graphs, session, settled, qtbot, subtests):
    for name, run in product(("recall", "gain", "generality"), (0, 1)):  # run 1 is selected
        with subtests.test(name, run=run):
            check_legend_click(graphs, session, settled, qtbot, name, run)
        session.select(query=0)
        settled()


def check_legend_click(graphs, session, settled, qtbot, name, run):
    widget, spot = legend_entry(getattr(graphs, name), run)
    qtbot.mouseClick(widget, LEFT, pos=spot)
    for panel in graphs.all:
        assert {curve.key for curve in panel.plot.visible_curves()} == {"0", "1", "2"} - {str(run)}, "at once"
        assert panel.plot._legend._hidden == {str(run)}
        assert len(panel.plot._legend.boxes()) == 3
        assert (panel.header.hidden_button.isVisible(), panel.header.hidden_button.text()) == (True, "1 hidden · Show")
        session.cursor_state.hover(4)
        panel.show_values(True)
        assert not any(column.title.startswith(session.benchmark.runs[run].name) for column in shown_columns(panel))
        panel.show_values(False)
    assert session.edits.edited.hidden == {session.benchmark.runs[run].name}
    assert not session.edits.stack.isClean()
    session.select(query=1)
    settled()
    assert {curve.key for curve in graphs.gain.plot.visible_curves()} == {"0", "1", "2"} - {str(run)}
    session.edits.stack.undo()
    settled()
    for panel in graphs.all:
        assert {curve.key for curve in panel.plot.visible_curves()} == {"0", "1", "2"}
        assert not panel.header.hidden_button.isVisible()
    session.edits.isolate_run(run)
    assert graphs.gain.header.hidden_button.text() == "2 hidden · Show"
    qtbot.mouseClick(graphs.gain.header.hidden_button, LEFT)
    for panel in graphs.all:
        assert {curve.key for curve in panel.plot.visible_curves()} == {"0", "1", "2"}
        assert not panel.header.hidden_button.isVisible()


def test_double_click_isolates_the_run_in_all_plots_in_one_undo_step(graphs, session, settled, qtbot):
    widget, spot = legend_entry(graphs.gain, 2)
    qtbot.mouseClick(widget, LEFT, pos=spot)
    qtbot.mouseDClick(widget, LEFT, pos=spot)
    settled()
    for panel in graphs.all:
        assert [curve.key for curve in panel.plot.visible_curves()] == ["2"]
    assert session.edits.stack.undoText() == "show only B1"
    move(graphs.recall, qtbot, 0.5, 0.95)
    assert session.cursor_state.cursor is not None, "places become ranks along the selected run, hidden or not"
    session.edits.stack.undo()
    settled()
    assert [len(panel.plot.visible_curves()) for panel in graphs.all] == [3, 3, 3]
    assert session.edits.stack.isClean()


def test_hiding_runs_computes_nothing_and_showing_only_missing_curves(graphs, session, settled):
    reported = []
    graphs.gain.computation.changed.connect(partial(reported.append, 1))
    graphs.generality.computation.changed.connect(partial(reported.append, 2))
    for shown in ((0, 1), (1, 2), (0, 1, 2)):
        session.select(shown_runs=shown)
        settled()
    assert reported == []
    session.select(shown_runs=(1, 2), query=1)
    settled()
    assert set(reported) == {1, 2}
    assert graphs.gain.computed.curve_of(0) is None
    session.edits.show_all_runs()
    settled()
    assert graphs.gain.computed.curve_of(0) is not None


# ------------------------------------------------------------------------------------------- dots lie on their curves


def line_distance(curve, dot):
    """Distance of a marker from the drawn line, in units of the axes."""
    return curve.distance_to(dot.x, dot.y, (1000.0, 1000.0), 1e9) / 1000.0


@pytest.mark.parametrize("means", [False, True], ids=["query", "means"])
def test_every_marker_lies_on_its_curve(graphs, session, settled, means):
    session.select(means=means, query=0)
    seen = 0
    for panel in graphs.all:
        for entry in range(panel.header.kinds.count()):
            key = panel.header.kinds.itemData(entry)
            panel.select_kind(key)
            for over in ("rank", "recall"):
                if ("over", over) in panel.header.options:
                    panel.header.options["over", over].trigger()
                settled()
                curves = {curve.key: curve for curve in panel.plot.visible_curves()}
                for rank in (1, 2, 3, 4, 5, 7, 8, 9, 40):
                    session.cursor_state.hover(rank)
                    for dot in panel.plot.current_cursor.dots:
                        if math.isfinite(dot.y):
                            seen += 1
                            assert line_distance(curves[dot.key], dot) < 1e-9, (key, over, rank, dot)
    assert seen > 200


def test_markers_at_the_cursor_are_at_the_displayed_values(graphs, session, settled, qtbot):
    for panel, x in ((graphs.recall, 0.5), (graphs.gain, 5.0), (graphs.generality, 0.5)):
        move(panel, qtbot, x, 0.97)
        marks = panel.plot._cursor_layer
        assert marks.hover is not None
        assert marks.hover_dots
        for dot in marks.hover_dots:
            assert dot.x == marks.hover
            curve = next(curve for curve in panel.plot.visible_curves() if curve.key == dot.key)
            assert line_distance(curve, dot) < 1e-9
        leave(panel, qtbot)


def test_rank_outside_the_axis_is_named_at_its_edge(painted, graphs, session, settled):
    graphs.gain.set_option("ranks", 4)
    settled()
    session.cursor_state.hover(8)
    cursor = graphs.gain.plot.current_cursor
    assert cursor.label == "rank 8 (outside the 4 ranks shown)"
    plot = graphs.gain.plot
    arrow = plot._canvas.frame().rect.topRight().toPoint() + QPoint(-3, 8)
    assert plot._canvas.grab().toImage().pixelColor(arrow) == plot._theme.colour("accent")
    session.cursor_state.hover(3)
    assert cursor != plot.current_cursor
    assert plot._canvas.grab().toImage().pixelColor(arrow) != plot._theme.colour("accent")


def test_custom_run_colour_is_used_everywhere(graphs, session):
    session.edits.set_colour("A2", "#123456")
    for panel in graphs.all:
        shown = {curve.label: curve.colour for curve in panel.plot.visible_curves()}
        assert shown["A2"] == "#123456" != shown["A1"]


def test_slider_can_be_moved_before_curves_are_drawn(graphs, session):
    session.close()
    graphs.generality.footer.level_selected.emit(0.0)
    assert session.cursor_state.doublings == 0.0
    assert graphs.generality.footer.caption.text() == ""


def test_slider_shows_the_expected_precision(graphs, session, settled, qtbot):
    footer, slider = graphs.generality.footer, graphs.generality.footer.slider
    assert slider.value() == slider.maximum() == 20
    slider.setFocus()
    qtbot.keyClick(slider, Qt.Key.Key_Home)
    settled()
    assert footer.caption.text() == "A2, g = 1: 0 of 4 irrelevant models"
    assert footer._cells[1][1].text() == "1.000", "nothing irrelevant, nothing wrong"
    assert graphs.generality.plot._cursor_layer.pin.x == 0.0
    qtbot.keyClick(slider, Qt.Key.Key_End)
    settled()
    now = session.scores.curve("R", 1, 0, 4).y[3]
    assert [cell.text() for cell in footer._cells[1]] == ["Recall = precision at c", "", f"{now:.3f}"]
    assert [cell.text() for cell in footer._cells[0]] == ["", "", "collection"], "no column is there twice"
    assert footer.caption.text() == "A2, g = 1/2: 4 of 4 irrelevant models"
    assert footer.loss.text().startswith("A2 loses 0.")


def test_measures_are_in_one_line_where_there_is_no_room_for_the_table(graphs, settled, qtbot):
    footer = graphs.generality.footer
    for size, is_short in (((300, 300), True), ((300, 620), False), ((300, 300), True)):
        graphs.generality.resize(*size)
        qtbot.waitUntil(lambda: footer.short.isVisible() == is_short)  # noqa: B023
        assert footer._cells[1][2].isVisible() != is_short
    value = footer._cells[1][2].text()
    assert footer.short.shown_text.startswith(f"R = P {value}")
    assert footer.short.visibleRegion().boundingRect().height() == footer.short.height()
    graphs.generality.resize(200, 300)
    qtbot.waitUntil(lambda: footer.short.width() < 200)
    assert footer.short.shown_text in footer.short.text(), "measures are left out whole"


def test_class_sizes_are_reported_as_confounded(graphs, settled):
    graphs.generality.header.options["vary", "classes"].trigger()
    settled()
    assert "mixes" in graphs.generality.footer.loss.text()
    assert not graphs.generality.footer.slider.isEnabled()
    plot = graphs.generality.plot
    assert all(curve.dotted for curve in plot.visible_curves())
    assert {key for key, item in plot._items.items() if item.isVisible()} == {"1"}, "a line for the run in hand"
    figure = figure_of(graphs.generality)
    assert [style.dash for style in line_styles(figure.curves, figure.selected)] == ["none", "dash", "none"]


# ---------------------------------------------------------------------------------------------------------- values


def test_values_table_equals_the_drawn_curves(graphs, session, settled, qtbot):
    for panel in graphs.all:
        qtbot.mouseClick(panel.header.values_button, LEFT)
        assert panel.shows_values_table
        assert panel.table.isVisible()
        columns = {column.title.partition(": precision")[0]: column.values for column in shown_columns(panel)}
        for curve in panel.plot.visible_curves():
            values, rest = np.split(columns[curve.label], [len(curve.y)])
            np.testing.assert_array_equal(values, curve.y)
            assert np.isnan(rest).all(), "shorter columns end with empty cells"
    titles = [column.title for column in shown_columns(graphs.gain)]
    assert titles == ["Rank", "A1", "A2", "B1"]
    session.select(query=1)
    settled()
    expected = session.scores.curve("NDCG", 0, 1, 100).y
    np.testing.assert_array_equal(shown_columns(graphs.gain)[1].values, expected)
    qtbot.mouseClick(graphs.gain.header.values_button, LEFT)
    assert graphs.gain.plot.isVisible()


def test_values_table_has_separate_x_of_curves(graphs, session, settled):
    graphs.recall.select_kind("PR")
    session.select(run=2, means=False)
    settled()
    pairs = [f"{run}: {axis}" for run in ("A1", "A2", "B1") for axis in ("recall", "precision")]
    runs = [title for title in (column.title for column in graphs.recall.columns()) if title[:2] in ("A1", "A2", "B1")]
    assert runs == pairs, "also where lists happen to share their places"
    graphs.recall.select_kind("PR20")
    settled()
    assert [column.title for column in graphs.recall.columns()][:4] == ["Recall", "A1", "A2", "B1"]


def test_values_are_copied_with_tabs_and_saved_with_commas(graphs, session, qtbot):
    table = graphs.gain.value_table()
    copied = list(csv.reader(StringIO(table_bytes(table, "tabs").decode()), delimiter="\t"))
    assert copied[0] == ["Rank", "A1", "A2", "B1"]
    saved = list(csv.reader(StringIO(table_bytes(table, "csv").decode())))
    assert saved == copied
    exact = session.scores.curve("NDCG", 1, 0, 100).y
    assert [float(row[2]) for row in saved[1:]] == exact.tolist(), "all digits"
    graphs.gain.show_values(True)
    table = graphs.gain.table
    table.setFocus()
    table.setCurrentIndex(table.model().index(0, 0))
    qtbot.keyClick(table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(table, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines()[0] == "Rank\tA1"
    assert len(QGuiApplication.clipboard().text().splitlines()) == 3


def test_values_of_every_kind_are_recognised_as_results_of_the_program(graphs, session, settled, tmp_path, subtests):
    for panel, means in product(graphs.all, (False, True)):
        session.select(means=means)
        for index in range(panel.header.kinds.count()):
            kind = panel.header.kinds.itemData(index)
            with subtests.test(kind, means=means):
                panel.select_kind(kind)
                settled()
                path = tmp_path / f"{index}.csv"
                path.write_bytes(table_bytes(panel.value_table(), "csv"))
                assert read_own_results(path).kind == "curves", path.read_text()[:80]


# ------------------------------------------------------------------------------------------------ copying and saving


@pytest.mark.parametrize(("in_hand", "order"), [("a", "ab"), ("b", "ab"), (None, "ab"), ("c", "ab")])
def test_equal_curves_are_exported_on_top_of_each_other(in_hand, order):
    x = np.linspace(0, 1, 5)
    curves = [PlotCurve("b", "b", x, x, "#D57404", "dash"), PlotCurve("a", "a", x, x, "#D57404")]
    curves.append(PlotCurve("c", "c", x, 1 - x, "#0072B2"))
    over, *others = (styles := dict(zip("bac", line_styles(curves, in_hand), strict=True))).values()
    assert "".join(sorted("ab", key=lambda key: styles[key].order)) == order
    assert over.order > max(style.order for style in others)
    assert (over.groove > over.width) == (in_hand == "a"), "one colour: a thin line has to stand off a wide one"
    assert over.width > 0.8 or in_hand == "a"


@pytest.mark.parametrize("name", ["recall", "gain", "generality"])
def test_exported_plot_has_the_visible_curves(graphs, session, settled, tmp_path, name):
    panel = getattr(graphs, name)
    session.edits.toggle_run(0)  # A1 is hidden
    for form in ("svg", "pdf", "png") if name == "recall" else ("svg",):  # the others are drawn by the same function
        (tmp_path / f"graph.{form}").write_bytes(figure_bytes(figure_of(panel), form))
        assert (tmp_path / f"graph.{form}").stat().st_size > 5000
    root = ElementTree.parse(tmp_path / "graph.svg").getroot()
    names = {element.get("id") for element in root.iter("{http://www.w3.org/2000/svg}g")}
    assert {"A2", "B1"} <= names
    assert "A1" not in names
    assert name != "recall" or (tmp_path / "graph.pdf").read_bytes().startswith(b"%PDF")
    words = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert panel.shown_plot.axes.x_label in words


def test_exported_figures_use_the_light_theme(graphs):
    from shrec_viewer.widgets.style.theme import DARK

    light = figure_of(graphs.gain)
    graphs.gain.set_theme(DARK)
    dark = figure_of(graphs.gain)
    assert [line.colour for line in dark.curves] == [line.colour for line in light.curves]
    assert graphs.gain.plot.visible_curves()[0].colour != light.curves[0].colour


def test_exported_plot_has_the_zoomed_range(graphs):
    graphs.gain.plot._canvas.view_box().setRange(xRange=(10, 20), yRange=(0.2, 0.4), padding=0)
    printed = figure_of(graphs.gain)
    assert printed.axes.x_range == pytest.approx((10, 20))
    graphs.gain.plot.reset_zoom()
    assert figure_of(graphs.gain).axes.x_range == (1.0, 100.0)


def test_every_command_has_an_effect(graphs):
    for panel in graphs.all:
        assert set(panel.header.menu_actions) >= {key for key, _ in RUN_ACTIONS}
        assert all(
            isinstance(button, QToolButton) and button.accessibleName()
            for button in (panel.header.values_button, panel.header.menu_button)
        )


def test_query_without_relevant_models_shows_a_message_instead_of_a_curve(session, settled, qtbot, tmp_path):
    folder = write_sample_benchmark(tmp_path / "no chairs")
    classes = (folder / "models.cla").read_text().split("chair 0 4")[0].replace("4 8", "3 4")
    (folder / "models.cla").write_text(classes)
    session.open(folder)
    settled()
    shown = Graphs(session)
    qtbot.addWidget(shown)
    shown.resize(1500, 500)
    shown.show()
    qtbot.waitExposed(shown)
    for query in (2, 0, 2):
        session.select(query=query, rank=2)
        settled()
        assert [panel.is_empty for panel in shown.all] == [query == 2] * 3
        assert [panel.no_curve.isVisible() for panel in shown.all] == [query == 2] * 3
        session.cursor_state.hover(3)
        for panel in shown.all:
            panel.columns()
            panel.requests()
    for panel in shown.all:  # the header stays
        assert panel.shown_scope()[0] == session.benchmark.queries.ids[2]
    session.select(means=True)
    settled()
    assert not any(panel.is_empty for panel in shown.all)


def test_another_curve_can_be_chosen_where_one_is_not_defined(graphs, session, settled, qtbot):
    """GR32P is not defined for the eight models of the collection; the table of values stays chosen."""
    panel = graphs.generality
    qtbot.mouseClick(panel.header.values_button, LEFT)
    panel.select_kind("32")
    settled()
    assert panel.no_curve.isVisible()
    assert panel.header.kinds.isVisible()
    panel.header.kinds.setFocus()
    while panel.header.kinds.currentData() != "2":
        qtbot.keyClick(panel.header.kinds, Qt.Key.Key_Up)
    settled()
    assert not panel.is_empty
    assert panel.table.isVisible()
    qtbot.mouseClick(panel.header.values_button, LEFT)
    assert panel.plot.isVisible()


def test_chosen_curve_is_kept_under_other_conventions(graphs, session, settled, qtbot):
    first = graphs.gain.kind.key
    graphs.recall.header.kinds.setFocus()
    qtbot.keyClick(graphs.recall.header.kinds, Qt.Key.Key_End)
    qtbot.keyClick(graphs.recall.header.kinds, Qt.Key.Key_Up)
    assert graphs.recall.kind.key == "PR11"
    session.set_profile("trec" if session.profile.key != "trec" else "psb")
    settled()
    session.set_profile("shrec2012")
    settled()
    assert graphs.recall.kind.key == "PR11"
    assert graphs.gain.kind.key in session.profile.curves or graphs.gain.kind.key == first


def test_plot_states_are_plain_values_and_restored(painted, graphs, session, settled):
    before = [panel.options.state() for panel in graphs.all]
    graphs.recall.select_kind("PR")
    graphs.recall.header.options["show", "scopes"].trigger()
    graphs.gain.header.options["ranks", 1000].trigger()
    graphs.gain.header.options["show", "ideal"].trigger()
    graphs.generality.select_kind("4")
    graphs.generality.header.values_button.click()
    settled()
    chosen = [panel.options.state() for panel in graphs.all]
    assert all(one != other for one, other in zip(before, chosen, strict=True))
    for panel, state in zip(graphs.all, before, strict=True):
        panel.set_state(state)
    assert [panel.options.state() for panel in graphs.all] == before
    for panel, state in zip(graphs.all, tomllib.loads(tomlkit.dumps({"panels": chosen}))["panels"], strict=True):
        panel.set_state(state)
    settled()
    assert [panel.options.state() for panel in graphs.all] == chosen
    assert graphs.gain.references().lines
    assert graphs.generality.shows_values_table


def test_hidden_plot_is_drawn_in_another_theme_when_it_is_shown(painted, graphs, monkeypatch):
    from shrec_viewer.widgets.style.theme import DARK

    panel, drawn = graphs.gain, []
    light = panel.plot.visible_curves()[0].colour
    panel.hide()
    monkeypatch.setattr(panel, "draw", partial(_draw_and_count, panel.draw, drawn))
    panel.set_theme(DARK)
    assert not drawn  # the curves of hidden panels took 20 ms of a change of the theme
    panel.show()
    assert drawn
    assert panel.plot.visible_curves()[0].colour != light


def _draw_and_count(draw, drawn):
    drawn.append(True)
    draw()
