"""Parts of the plot: names at line ends, zoom by mouse, references, cursor and samples, the table of values."""

import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication

from shrec_viewer.charts.plot import PlotCurve, ReferenceArea, ReferenceLine, ReferencePoint, References
from shrec_viewer.render.scene.palette import MARKERS as PALETTE_MARKERS
from shrec_viewer.widgets.plots.canvas import PlotFrame
from shrec_viewer.widgets.plots.curve_plot import CurvePlot
from shrec_viewer.widgets.plots.curves import MARKERS
from shrec_viewer.widgets.plots.overlays import (
    LEADER_LENGTH,
    MAX_LABEL_SHARE,
    MAX_LABEL_SHIFT,
    MAX_LABELS,
    MIN_LABEL_WIDTH,
    CursorLayer,
    CurveDot,
    EndLabelLayer,
    PlotCursor,
    marked_samples,
)
from shrec_viewer.widgets.style.theme import LIGHT

LEFT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
X = np.linspace(0, 1, 21)


def curve(key, y, **more):
    return PlotCurve(key, key.upper(), X, np.broadcast_to(np.asarray(y, float), X.shape), "#0072B2", **more)


@pytest.fixture
def plot(qtbot):
    shown = CurvePlot()
    qtbot.addWidget(shown)
    shown.set_axes("Recall", "Precision", (0, 1), (0, 1))
    shown.set_curves([curve("a", 1 - X), curve("b", 0.2), curve("c", 0.21)])
    shown.resize(500, 400)
    shown.show()
    qtbot.waitExposed(shown)
    qtbot.wait(30)  # axes find their width when they are first painted
    return shown


def at(plot, x, y):
    return plot._canvas.widget_point(x, y).toPoint()


def view(plot):
    return np.array(plot._canvas.view_box().viewRange())


def drag(plot, qtbot, start, stop, button=LEFT, modifier=Qt.KeyboardModifier.NoModifier):
    """As a window system sends it; pyqtgraph takes a movement for a drag only after a while."""
    port = plot._canvas.viewport()
    first, last = at(plot, *start), at(plot, *stop)
    qtbot.mouseMove(port, first)
    qtbot.mousePress(port, button, modifier, first)
    qtbot.wait(20)
    for share in (0.25, 0.5, 0.75, 1.0):
        spot = first + (last - first) * share
        event_to(port, spot, button, modifier)
        qtbot.wait(20)
    qtbot.mouseRelease(port, button, modifier, last)


def event_to(port, spot, button, modifier):
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QMouseEvent

    place = QPointF(spot)
    QApplication.sendEvent(
        port,
        QMouseEvent(QEvent.Type.MouseMove, place, port.mapToGlobal(place), Qt.MouseButton.NoButton, button, modifier),
    )


# ------------------------------------------------------------------------------------------------------------- zoom


def test_rubber_band_zooms_and_the_button_resets(plot, qtbot):
    home = view(plot)
    drag(plot, qtbot, (0.2, 0.8), (0.6, 0.4))
    np.testing.assert_allclose(view(plot), [[0.2, 0.6], [0.4, 0.8]], atol=0.01)
    assert plot._reset_button.isVisible()
    qtbot.mouseClick(plot._reset_button, LEFT)
    np.testing.assert_allclose(view(plot), home)
    assert not plot._reset_button.isVisible()


def test_flat_rubber_band_zooms_x_only(plot, qtbot):
    home = view(plot)
    drag(plot, qtbot, (0.2, 0.5), (0.6, 0.505))
    np.testing.assert_allclose(view(plot)[0], [0.2, 0.6], atol=0.01)
    np.testing.assert_allclose(view(plot)[1], home[1])


def test_middle_button_and_shift_pan(plot, qtbot):
    for button, modifier in ((MIDDLE, Qt.KeyboardModifier.NoModifier), (LEFT, Qt.KeyboardModifier.ShiftModifier)):
        plot._canvas.view_box().setRange(xRange=(0.4, 0.6), yRange=(0.4, 0.6), padding=0)
        drag(plot, qtbot, (0.5, 0.5), (0.45, 0.5), button, modifier)
        (left, right), (bottom, top) = view(plot)
        assert right - left == pytest.approx(0.2)
        assert left > 0.42
        assert (bottom, top) == pytest.approx((0.4, 0.6), abs=0.005)


def test_wheel_zooms_at_the_mouse(plot, qtbot):
    port, spot = plot._canvas.viewport(), at(plot, 0.25, 0.75)
    place = QPointF(spot)
    wheel = QWheelEvent(
        place, port.mapToGlobal(place), QPoint(), QPoint(0, 240), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(port, wheel)
    (left, right), (bottom, top) = view(plot)
    assert right - left < 0.9
    assert left < 0.25 < right
    assert bottom < 0.75 < top
    assert at(plot, 0.25, 0.75) == spot or (at(plot, 0.25, 0.75) - spot).manhattanLength() <= 2


# ------------------------------------------------------------------------------------------------------------ names


def frame(width=400.0, height=120.0):
    return PlotFrame(QRectF(0, 0, width, height), QRectF(0, 0, width + 60, height), (0, 1), (0, 1), LIGHT, QFont())


@pytest.mark.parametrize("seed", range(8))
def test_end_labels_keep_distance_and_order(qapp, seed):
    random = np.random.default_rng(seed)
    curves = [curve(f"r{n}", height) for n, height in enumerate(random.uniform(0, 1, 24))]
    labels = EndLabelLayer(lambda: curves)
    labels.selected_key = "r17"
    placed = labels.layout(frame(), 12)[1]
    assert 2 <= len(placed) <= MAX_LABELS
    assert "r17" in {label.curve.key for label in placed}
    heights = [label.y for label in placed]
    assert (np.diff(heights) >= 12 - 1e-9).all()
    assert all(abs(label.end.y() - label.y) <= MAX_LABEL_SHIFT * 12 + 0.01 for label in placed)
    ends = [label.end.y() for label in placed]
    assert ends == sorted(ends), "in the order of the curves"
    best = max(curves, key=lambda one: one.y[-1])
    if abs(best.y[-1] - curves[17].y[-1]) * 120 > 20:
        assert best.key in {label.curve.key for label in placed}


def test_all_curves_are_named_where_there_is_room_for_all(qapp):
    """Else optional labels are left out where ends are close."""
    apart = [curve(f"r{n}", 0.1 + 0.2 * n) for n in range(5)]
    labels = EndLabelLayer(lambda: apart)
    placed = labels.layout(frame(), 12)[1]
    assert [label.y for label in placed] == pytest.approx([label.end.y() for label in placed])
    for number in (8, 40):
        bunch = [curve(f"r{n}", 0.003 * n) for n in range(number)]
        labels = EndLabelLayer(lambda curves=bunch: curves)
        labels.selected_key = "r2"
        placed = labels.layout(frame(), 12)[1]
        if number == 8:
            assert [label.curve.key for label in placed] == [f"r{n}" for n in range(8)][::-1]
            assert (np.diff([label.y for label in placed]) >= 12 - 1e-9).all()
        else:
            assert len(placed) <= 2, "no fan of leaders"


def named(labels, shape):
    inner, side = labels.layout(shape, 12)
    return {curve.key for curve, _ in inner} | {label.curve.key for label in side}


@pytest.mark.parametrize("seed", range(8))
def test_required_labels_are_placed_however_close_the_ends(qapp, seed):
    """As in a graph of precision over recall, where all curves end in one corner."""
    random = np.random.default_rng(seed)
    curves = [curve(f"r{n}", (1 - X) * random.uniform(0.2, 1) + 0.02) for n in range(24)]
    labels = EndLabelLayer(lambda: curves)
    labels.selected_key, labels.hovered_key = "r17", "r9"
    labels.named = frozenset({"r3", "r5", "r20"})
    labels.references = (ReferenceLine("Random", X, np.full(21, 0.02), mark="random", ends=True),)
    assert named(labels, frame()) >= {"r17", "r9", "r3", "r5", "r20", "reference Random"}
    side = labels.layout(frame(), 12)[1]
    assert (np.diff([label.y for label in side]) >= 12 - 0.02).all()
    assert all(-6 <= label.y <= 126 for label in side)


@pytest.mark.parametrize("seed", range(20))
def test_no_label_covers_a_curve(qapp, seed):
    """Curves that end at any x, as those of lists that were cut."""
    random = np.random.default_rng(seed)
    curves = []
    for n in range(8):
        x = np.linspace(0, random.choice([1.0, random.uniform(0.1, 0.9)]), 12)
        curves.append(PlotCurve(f"r{n}", f"Run {n}", x, random.uniform(0, 1, 12).cumsum() / 12, "#0072B2"))
    labels = EndLabelLayer(lambda: curves)
    labels.selected_key, labels.named = "r0", frozenset({"r1"})
    shape = frame(400, 300)
    inner, side = labels.layout(shape, 12)
    assert {"r0", "r1"} <= named(labels, shape)
    fine = np.linspace(0, 1, 3000)
    for one in curves:
        samples = np.linspace(0, 1, 12)
        x, y = shape.x_at(np.interp(fine, samples, one.x)), shape.y_at(np.interp(fine, samples, one.y))
        for other, box in inner:
            inside = (x > box.left()) & (x < box.right()) & (y > box.top()) & (y < box.bottom())
            assert not inside.any(), (other.key, one.key)
    boxes = [box for _, box in inner]
    assert not any(a.intersects(b) for k, a in enumerate(boxes) for b in boxes[:k])
    assert all(shape.rect.contains(box) for box in boxes)
    assert all(label.end is None or label.end.x() > 370 for label in side)


def test_reference_labels_cover_no_curve(plot, qtbot):
    line = ReferenceLine("Ideal", X, np.full(21, 0.5), mark="ideal", at=7)
    plot.set_curves([curve(f"c{n}", 0.40 + 0.02 * n) for n in range(5)])
    plot.set_references(References((), (line,), (ReferencePoint("TRIS", 0.5, 0.45),)))
    plot._canvas.grab()
    shape = plot._canvas.frame()
    assert len(plot._references.label_boxes) == 2
    for box in plot._references.label_boxes:
        for shown in plot.visible_curves():
            assert not box.top() <= shape.point(0.5, shown.y[0]).y() <= box.bottom()


def test_marks_of_a_fan_of_lines_are_on_their_lines(plot):
    scopes = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4)
    ends = [(min(1, scope), min(1, 1 / scope)) for scope in scopes]
    plot.set_curves([curve("c", 0.9 - 0.8 * X)])
    lines = [ReferenceLine(f"{k}", np.array([0, x]), np.array([0, y]), mark=f"s{k}") for k, (x, y) in enumerate(ends)]
    plot.set_references(References((), tuple(lines), ()))
    plot._canvas.grab()
    shape = plot._canvas.frame()
    assert len(plot._references.label_boxes) == len(scopes)
    origin = shape.point(0, 0)
    for end, box in zip(ends, plot._references.label_boxes, strict=True):
        along, centre = shape.point(*end) - origin, box.center() - origin
        assert along.x() * centre.y() - along.y() * centre.x() == pytest.approx(0, abs=math.hypot(along.x(), along.y()))


def test_plots_from_180_pixels_have_labels(qapp):
    labels = EndLabelLayer(lambda: [curve("a", 0.5)])
    assert labels.width(QFont(), 170) == 0 < labels.width(QFont(), 180)


def test_leaders_do_not_have_curve_colours(plot, qtbot):
    plot.set_curves([PlotCurve("a", "A", X, np.full(21, 0.5), "#D55E00"), PlotCurve("b", "B", X, X * 0.51, "#D55E00")])
    qtbot.wait(20)
    rect = plot._canvas.frame().rect
    image = plot._canvas.grab().toImage()
    for x in range(int(rect.right()) + 2, int(rect.right()) + LEADER_LENGTH - 1):
        column = [image.pixelColor(x, y) for y in range(image.height())]
        assert all(far(shade, QColor("#D55E00")) > 150 for shade in column), x


def test_curve_that_ends_early_is_labelled_within_the_axes(qapp):
    short = PlotCurve("short", "Short", np.array([0.0, 0.4]), np.array([0.5, 0.5]), "#0072B2")
    labels = EndLabelLayer(lambda: [short, curve("a", 0.3)])
    labels.is_visible = True
    assert [label.curve.key for label in labels.layout(frame(), 12)[1]] == ["a"]
    assert [shown.key for shown, _ in labels.layout(frame(), 12)[0]] == ["short"]


def test_name_of_a_curve_that_ends_in_a_bundle_is_not_next_to_another_curve(qapp):
    """Where there is no space at its end; a required name is at the side, with the colour of its curve."""
    bundle = [PlotCurve(f"c{n}", f"C{n}", X, np.full(21, 0.3 + 0.05 * n), "#0072B2") for n in range(9)]
    short = PlotCurve("short", "Short", np.array([0.0, 0.4]), np.array([0.5, 0.5]), "#D55E00")
    labels = EndLabelLayer(lambda: [short, *bundle])
    labels.is_visible = True
    inner, side = labels.layout(frame(400, 200), 12)
    assert "short" not in {shown.key for shown, _ in inner} | {label.curve.key for label in side}
    labels.named = frozenset({"short"})
    inner, side = labels.layout(frame(400, 200), 12)
    assert inner == []
    assert {label.curve.key: label.end for label in side}["short"] is None


def test_label_margin_depends_on_the_width(plot, qtbot):
    def gutter():
        qtbot.wait(5)
        return plot._canvas.viewport().width() - plot._canvas.frame().rect.right()

    assert gutter() > 20
    plot.resize(120, 300)
    assert gutter() < 20
    plot.resize(500, 400)
    assert gutter() > 20
    plot.set_labelled(False)
    assert gutter() < 20
    plot.set_labelled(True)
    plot.set_curves([PlotCurve("long", "A name that is far too long for it", X, X, "#0072B2")])
    assert 60 < gutter() <= MAX_LABEL_SHARE * 500 + 1, "long names are cut"
    plot.resize(250, 400)
    assert MIN_LABEL_WIDTH < gutter() < 70, "but not to nothing"
    plot.resize(1200, 400)
    assert gutter() > 80


# ---------------------------------------------------------------------------------------------- samples and cursor


def colour_near(plot, x, y, colour, reach=2):
    image, spot = plot.grab().toImage(), at(plot, x, y) + plot._canvas.pos()
    expected = QColor(colour)
    around = [image.pixelColor(spot + QPoint(i, j)) for i in range(-reach, reach + 1) for j in range(-reach, reach + 1)]
    # A line of one pixel may lie between two of them and be half as strong in each.
    return any(far(shade, expected) < 0.6 * far(QColor("white"), expected) for shade in around)


def far(one, two):
    """How far two colours are from each other, summed over the channels."""
    return sum(abs(a - b) for a, b in zip(one.getRgb(), two.getRgb(), strict=True))


def test_lone_samples_are_marked_and_gaps_stay_empty(plot):
    y = np.full(21, np.nan)
    y[3], y[10:15] = 0.8, 0.6
    plot.set_curves([PlotCurve("gaps", "Gaps", X, y, "#D55E00")])
    assert plot.visible_curves()[0].isolated_samples.tolist() == [3]
    assert colour_near(plot, X[3], 0.8, "#D55E00")
    assert colour_near(plot, X[12], 0.6, "#D55E00")
    assert not colour_near(plot, 0.3, 0.73, "#D55E00"), "nothing joins them"


def test_markers_keep_a_distance_along_the_line(qapp):
    assert MARKERS == PALETTE_MARKERS
    dense = PlotCurve("d", "D", np.linspace(0, 1, 1000), np.full(1000, 0.5), "#0072B2", marker="square")
    places = marked_samples(dense, frame())
    assert 4 <= len(places) <= 8
    assert len(marked_samples(curve("plain", 0.5), frame())) == 0
    assert len(marked_samples(curve("points", 0.5, dotted=True), frame())) == 21


@pytest.mark.parametrize("marker", MARKERS)
def test_every_marker_can_be_drawn(plot, marker):
    plot.set_curves([curve("a", 0.5, marker=marker)])
    plot.show_cursor(PlotCursor(None, (CurveDot("a", 0.5, 0.5),)))
    assert colour_near(plot, 0.5, 0.5, "#0072B2")


def test_scope_ray_goes_through_its_points(plot):
    plot.set_curves([])
    plot.show_cursor(PlotCursor(None, (), slope=0.5, label="rank 8"))
    for recall in (0.25, 0.5, 0.75):
        assert colour_near(plot, recall, recall / 2, LIGHT.accent)
    plot.show_cursor(PlotCursor(None, (), level=0.4))
    assert colour_near(plot, 0.7, 0.4, LIGHT.accent, 1)
    assert not colour_near(plot, 0.5, 0.25, LIGHT.accent, 1)
    plot.show_cursor(PlotCursor(math.nan, (CurveDot("gone", math.nan, 1.0),), level=math.nan))
    plot.grab()


def test_the_grid_does_not_break_lines_for_comparison(plot):
    plot.set_curves([])
    plot.set_references(References((), (ReferenceLine("", np.array([0.0, 1.0]), np.array([0.87, 0.87]), width=4.0),)))
    image, origin = plot.grab().toImage(), plot._canvas.pos()
    (left, y), (right, _) = ((at(plot, x, 0.87) + origin).toTuple() for x in (0.02, 0.98))
    assert {image.pixelColor(x, y).name() for x in range(left, right)} == {LIGHT.muted.lower()}


def test_references_are_drawn_and_labelled(plot):
    plot.set_curves([])
    line = ReferenceLine("Ideal", np.array([0.0, 1.0]), np.array([0.87, 0.87]), "error", mark="ideal")
    area = ReferenceArea("Area", np.array([0.0, 0.5, 0.5, 0.0]), np.array([0.0, 0.0, 0.5, 0.5]), "error")
    plot.set_references(References((area,), (line,), (ReferencePoint("TRIS", 0.7, 0.7),)))
    assert colour_near(plot, 0.5, 0.87, LIGHT.error)
    image = plot.grab().toImage()
    inside = image.pixelColor(at(plot, 0.33, 0.27) + plot._canvas.pos())
    outside = image.pixelColor(at(plot, 0.73, 0.27) + plot._canvas.pos())
    assert inside.red() - inside.blue() > 5 > outside.red() - outside.blue()
    assert colour_near(plot, 0.7, 0.7, LIGHT.ink, 6)
    plot.set_references()
    assert not colour_near(plot, 0.5, 0.87, LIGHT.error, 1)


@pytest.mark.parametrize("slope", [0.1, 0.24, 0.6, 1.0, 3.0])
def test_ray_label_is_off_the_ray_and_curves(slope):
    """For a flat ray they were placed on it, at its start, as far from its dots as can be."""
    x = np.linspace(0.0, 1.0, 5)
    low = [PlotCurve(f"{n}", f"{n}", x, 0.02 + 0.02 * n + 0.05 * x, "#123456") for n in range(4)]
    shape, size = frame(260, 190), QRectF(0, 0, 140, 16)
    marks = CursorLayer(lambda: low)
    box = size.translated(marks._ray_label_position(shape, slope, size))
    end = marks._ray_end(shape, slope)
    start = shape.point(0.0, 0.0)
    assert not any(box.contains(start + (end - start) * share) for share in np.linspace(0.0, 1.0, 500))
    assert shape.rect.contains(box)
    assert box.center().x() > shape.rect.left() + 0.4 * shape.rect.width()


def label_box(cursor, *occupied):
    """Where the label of a cursor is painted: what differs from the same cursor without it."""
    images = []
    for shown in (cursor, replace(cursor, label="")):
        marks, image = CursorLayer(lambda: []), QImage(400, 300, QImage.Format.Format_RGB32)
        image.fill(QColor(LIGHT.surface))
        marks.cursor, marks.occupied = shown, occupied
        painter = QPainter(image)
        marks.paint(painter, frame(400, 300))
        painter.end()
        images.append(np.array(image.constBits()).reshape(300, 400, 4))
    rows, columns = np.nonzero((images[0] != images[1]).any(axis=2))
    return QRectF(columns.min(), rows.min(), np.ptp(columns) + 1, np.ptp(rows) + 1)


@pytest.mark.parametrize("cursor", [PlotCursor(x=0.4, label="rank 12"), PlotCursor(slope=0.6, label="rank 12")])
def test_the_label_of_the_rank_covers_no_other_label(cursor):
    other = label_box(cursor)
    assert not label_box(cursor, other).intersects(other)


def test_ray_label_covers_the_fewest_points():
    """They stood at the end of the ray, on whatever curves ended there."""
    x = np.linspace(0.0, 1.0, 5)  # few samples: the line between them counts as well
    near_end = [PlotCurve(f"{n}", f"{n}", x, 1.0 - 0.04 * n - 0.02 * x, "#123456") for n in range(6)]
    shape = frame(400, 300)
    size = QRectF(0, 0, 120, 16)

    def covered(at, curves):
        box = size.translated(at)
        fine = np.linspace(0.0, 1.0, 2000)
        return sum(
            int(box.contains(shape.point(a, float(np.interp(a, curve.x, curve.y))))) for curve in curves for a in fine
        )

    marks = CursorLayer(lambda: near_end)
    at = marks._ray_label_position(shape, 2.0, size)
    assert covered(at, near_end) == 0
    assert shape.rect.contains(size.translated(at))
    ray = marks._ray_end(shape, 2.0)
    assert covered(ray + QPointF(4, -8), near_end) > 0
    marks = CursorLayer(lambda: ())
    free = marks._ray_label_position(shape, 2.0, size)
    assert abs(free.y() - shape.rect.top()) < 1
    assert abs(free.x() - (ray.x() + 4)) < 1


def test_the_label_of_an_axis_is_centred_when_it_changes(plot, qtbot):
    for text in ("Recall", "Recall (equal recall, g = 1/259)", "R"):
        plot.set_axes(text, "Precision", (0, 1), (0, 1))
        axis = plot._canvas._bottom
        centre = axis.label.pos().x() + axis.label.boundingRect().width() / 2
        assert centre == pytest.approx(axis.size().width() / 2, abs=2)


@pytest.mark.parametrize("side_width", [60, 40])
def test_mark_that_the_side_is_too_narrow_for_is_within_the_axes(qapp, side_width):
    labels = EndLabelLayer(lambda: [curve("a", 0.9)])
    labels.references = (ReferenceLine("Random", X, np.full(21, 0.2), mark="expected at random", ends=True),)
    shape = PlotFrame(QRectF(0, 0, 400, 120), QRectF(0, 0, 400 + side_width, 120), (0, 1), (0, 1), LIGHT, QFont())
    inner, side = labels.layout(shape, 12)
    assert [shown.key for shown, _ in inner] == ["reference Random"]
    assert [label.curve.key for label in side] == ["a"]
    assert shape.rect.contains(inner[0][1])
