"""The grid of 3D views: drags, wheel, keys, buttons and drops."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication

from shrec_viewer.charts.mesh_pane import MeshPane
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.widgets.mesh_view.actions import MESH_VIEW_ACTIONS, zoomed_at
from shrec_viewer.widgets.mesh_view.mesh_view import DEGREES_PER_PIXEL, LOADING_DELAY_MS, MODEL_MIME
from shrec_viewer.widgets.mesh_view.mesh_view_grid import MeshViewGrid, tile_rects
from shrec_viewer.widgets.style.theme import DARK, LIGHT

LEFT, MIDDLE, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton
QUERY = MeshPane("query", "Query", "Q01", "chair", is_query=True)
ANSWER = MeshPane("a", "B2, rank 3", "M003", "chair", "1.5776", 2)
COMPARED = MeshPane("b", "C1, rank 3", "M014", "stool", level=1)


class Follower:
    """Follows `camera_moved` as the panel does, and records the other signals."""

    def __init__(self, view_grid):
        self.view_grid, self.cameras, self.names, self.dropped = view_grid, [], [], []
        view_grid.camera_moved.connect(self.follow)
        view_grid.action_requested.connect(self.names.append)
        view_grid.dropped.connect(self.take)

    def follow(self, camera):
        self.cameras.append(camera)
        self.view_grid.set_camera(camera)

    def take(self, pane, model):
        self.dropped.append((pane, model))


@pytest.fixture
def view_grid(qtbot):
    made = MeshViewGrid()
    qtbot.addWidget(made)
    made.resize(900, 420)
    made.set_captions([QUERY, ANSWER, COMPARED])
    made.show()
    qtbot.waitExposed(made)
    made.follower = Follower(made)
    return made


def square(size=80):
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0xFFAA2211)
    return image


def drag(qtbot, view, way, button=LEFT, modifiers=Qt.KeyboardModifier.NoModifier):
    start = view.rect().center()
    qtbot.mousePress(view, button, modifiers, start)
    qtbot.mouseMove(view, start + QPoint(3, 0))
    qtbot.mouseMove(view, start + way)
    qtbot.mouseRelease(view, button, modifiers, start + way)


def turn_wheel(view, notches, at):
    event = QWheelEvent(
        QPointF(at), view.mapToGlobal(QPointF(at)), QPoint(), QPoint(0, 120 * notches), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, event)


def test_left_drag_rotates_all_views(view_grid, qtbot):
    before = view_grid.camera
    drag(qtbot, view_grid.view("a"), QPoint(-40, 20))
    assert view_grid.camera == before.orbited(40 * DEGREES_PER_PIXEL, 20 * DEGREES_PER_PIXEL)
    drag(qtbot, view_grid.view("query"), QPoint(40, -20))
    assert view_grid.camera.azimuth == pytest.approx(before.azimuth)
    assert view_grid.camera.elevation == pytest.approx(before.elevation)


@pytest.mark.parametrize(
    ("button", "modifiers"),
    [
        (MIDDLE, Qt.KeyboardModifier.NoModifier),
        (RIGHT, Qt.KeyboardModifier.NoModifier),
        (LEFT, Qt.KeyboardModifier.ShiftModifier),
    ],
)
def test_other_drags_pan(view_grid, qtbot, button, modifiers):
    view = view_grid.view("a")
    half = min(view.pixel_size()) / 2 / view.devicePixelRatioF()
    drag(qtbot, view, QPoint(30, 12), button, modifiers)
    assert view_grid.camera.pan == pytest.approx((30 / half, -12 / half))
    assert (view_grid.camera.azimuth, view_grid.camera.zoom) == (Camera().azimuth, 1.0)


def test_wheel_zooms_at_the_mouse(view_grid):
    view = view_grid.view("a")
    at = QPoint(view.width() // 4, view.height() // 2)
    turn_wheel(view, 3, at)
    zoomed = view_grid.camera
    assert zoomed.zoom == pytest.approx(1.15**3)
    turn_wheel(view, -3, at)
    assert view_grid.camera.zoom == pytest.approx(1.0)
    assert view_grid.camera.pan == pytest.approx((0, 0), abs=1e-9)
    assert zoomed.pan[0] > 0, "what is left of the middle moves to the right, towards the mouse"


def test_zoom_keeps_the_point_under_the_mouse():
    points = np.array([[0.3, 0.4, -0.2], [-0.5, 0.1, 0.6]], np.float32)
    camera = Camera(fit="sphere", pan=(0.1, -0.2), zoom=1.3)

    def seen(view):
        clip = np.c_[points, np.ones(2)] @ view.fitted_view(points, 300, 300).clip.T
        return clip[:, :2] / clip[:, 3:]

    place = seen(camera)[0]
    assert seen(zoomed_at(camera, 1.7, tuple(place)))[0] == pytest.approx(place)


def test_zoom_is_limited():
    far = zoomed_at(Camera(zoom=20.0, pan=(0.5, 0.5)), 2.0, (0.3, 0.3))
    assert (far.zoom, far.pan) == (20.0, (0.5, 0.5))


KEYS = {
    Qt.Key.Key_1: {"azimuth": 0, "elevation": 0},
    Qt.Key.Key_3: {"azimuth": 90, "elevation": 0},
    Qt.Key.Key_7: {"elevation": 90},
    Qt.Key.Key_9: {"azimuth": Camera().azimuth, "elevation": Camera().elevation},
    Qt.Key.Key_5: {"field_of_view": 0},
    Qt.Key.Key_Plus: {"zoom": 2.5},
    Qt.Key.Key_Minus: {"zoom": 1.6},
    Qt.Key.Key_0: {"zoom": 1.0, "pan": (0.0, 0.0), "azimuth": Camera().azimuth},
    Qt.Key.Key_Home: {"zoom": 1.0, "pan": (0.0, 0.0), "azimuth": Camera().azimuth},
}


@pytest.mark.parametrize("key", KEYS)
def test_keys_move_the_camera_as_in_f3d_and_blender(view_grid, qtbot, key):
    view_grid.set_camera(Camera(fit="sphere", azimuth=10, elevation=5, zoom=2.0, pan=(0.3, 0.1)))
    qtbot.keyClick(view_grid, key)
    for name, value in KEYS[key].items():
        assert getattr(view_grid.camera, name) == pytest.approx(value)
    assert view_grid.camera.fit == "sphere"


def test_parallel_projection_can_be_left_again(view_grid, qtbot):
    qtbot.keyClick(view_grid, Qt.Key.Key_5)
    assert view_grid.bar.actions_by_name["parallel"].isChecked()
    qtbot.keyClick(view_grid, Qt.Key.Key_5)
    assert not view_grid.camera.is_parallel
    assert not view_grid.bar.actions_by_name["parallel"].isChecked()


@pytest.mark.parametrize("key", [Qt.Key.Key_6, Qt.Key.Key_Right])
def test_steps_of_fifteen_degrees(view_grid, qtbot, key):
    before = view_grid.camera
    shift = Qt.KeyboardModifier.ShiftModifier if key == Qt.Key.Key_Right else Qt.KeyboardModifier.NoModifier
    qtbot.keyClick(view_grid, key, shift)
    assert view_grid.camera == before.orbited(15, 0)


@pytest.mark.parametrize("action", [row for row in MESH_VIEW_ACTIONS if row.keys], ids=lambda row: row.name)
def test_keys_override_window_shortcuts(view_grid, qtbot, action):
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QKeyEvent, QKeySequence

    panes = view_grid.shown
    view_grid.set_camera(Camera(fit="sphere", azimuth=11, zoom=1.5))
    start = view_grid.camera
    for key in action.keys:
        combination = QKeySequence(key)[0]
        override = QKeyEvent(QEvent.Type.ShortcutOverride, combination.key(), combination.keyboardModifiers())
        override.ignore()
        QApplication.sendEvent(view_grid, override)
        assert override.isAccepted()
        qtbot.keyClick(view_grid, combination.key(), combination.keyboardModifiers())
    assert (
        view_grid.follower.names == [action.name] * len(action.keys)
        or view_grid.camera != start
        or view_grid.shown != panes
    )


def test_buttons_emit_the_actions_of_keys(view_grid, qtbot):
    for row in MESH_VIEW_ACTIONS:
        if row.location in ("bar", "end") and row.name not in ("reset", "in_place"):
            qtbot.mouseClick(view_grid.bar.widgetForAction(view_grid.bar.actions_by_name[row.name]), LEFT)
            assert view_grid.follower.names[-1] == row.name


def test_buttons_have_tooltips_with_keys(view_grid):
    for row in MESH_VIEW_ACTIONS:
        tip = view_grid.bar.actions_by_name[row.name].toolTip()
        assert row.text in tip
        if row.keys:
            assert "(" in tip


def test_one_view_at_a_time_can_be_flipped(view_grid, qtbot):
    assert view_grid.shown == ("query", "a", "b")
    qtbot.keyClick(view_grid, Qt.Key.Key_F)
    assert view_grid.shown == ("a",), "the answer comes first"
    qtbot.keyClick(view_grid, Qt.Key.Key_Space)
    assert view_grid.shown == ("b",)
    qtbot.keyClick(view_grid, Qt.Key.Key_Space)
    assert view_grid.shown == ("query",)
    assert view_grid.view("query").isVisible()
    assert not view_grid.view("a").isVisible()
    qtbot.keyClick(view_grid, Qt.Key.Key_F)
    assert view_grid.shown == ("query", "a", "b")


def test_double_click_isolates_and_restores(view_grid, qtbot):
    qtbot.mouseDClick(view_grid.view("b"), LEFT)
    assert view_grid.shown == ("b",)
    qtbot.mouseDClick(view_grid.view("b"), LEFT)
    assert len(view_grid.shown) == 3


def test_small_grid_shows_one_view_and_keys_the_others(view_grid, qtbot):
    assert view_grid.view("a").count == ""
    view_grid.resize(250, 200)
    QApplication.processEvents()
    assert view_grid.shown == ("a",)
    assert view_grid.view("a").count == "2 of 3"
    qtbot.keyClick(view_grid, Qt.Key.Key_F)
    assert view_grid.shown == ("b",)
    qtbot.keyClick(view_grid, Qt.Key.Key_Space)
    assert view_grid.shown == ("query",)
    view_grid.show_pane("a")
    view_grid.resize(900, 420)
    QApplication.processEvents()
    assert len(view_grid.shown) == 3


def test_image_stays_until_another_model_is_set(view_grid):
    view_grid.view("a").set_image(square(), "8 vertices")
    view_grid.set_captions([QUERY, MeshPane("a", "B2, rank 3", "M003", "chair", "", 1)])
    assert view_grid.view("a").image is not None
    view_grid.set_captions([QUERY, MeshPane("a", "B2, rank 4", "M005", "chair")])
    assert view_grid.view("a").image is None
    assert view_grid.shown == ("query", "a")


def test_removed_view_is_deleted(view_grid, qtbot):
    from shiboken6 import isValid

    view = view_grid.view("b")
    view_grid.set_captions([QUERY])
    qtbot.waitUntil(lambda: not isValid(view))


def test_view_without_mesh_ignores_the_mouse(view_grid, qtbot):
    view_grid.view("query").set_image(square(), "picture", turnable=False)
    drag(qtbot, view_grid.view("query"), QPoint(40, 0))
    turn_wheel(view_grid.view("query"), 1, QPoint(50, 80))
    view_grid.set_captions([QUERY, MeshPane("a", "B2", "M1", problem="is an empty file")])
    drag(qtbot, view_grid.view("a"), QPoint(40, 0))
    assert view_grid.follower.cameras == []
    assert "empty file" in view_grid.view("a").accessibleName()


def test_card_can_be_dropped_on_a_view(view_grid):
    view, data = view_grid.view("query"), QMimeData()
    data.setData(MODEL_MIME, b"M042")
    copy, at = Qt.DropAction.CopyAction, QPoint(20, 90)
    enter = QDragEnterEvent(at, copy, data, LEFT, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(view, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(view, QDropEvent(QPointF(at), copy, data, LEFT, Qt.KeyboardModifier.NoModifier))
    assert view_grid.follower.dropped == [("query", "M042")]


def test_other_mime_types_are_refused(view_grid):
    data = QMimeData()
    data.setText("M042")
    enter = QDragEnterEvent(QPoint(20, 90), Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier)
    enter.ignore()
    QApplication.sendEvent(view_grid.view("query"), enter)
    assert not enter.isAccepted()


def test_grabbed_image_has_all_visible_views(view_grid):
    for key in ("query", "a", "b"):
        view_grid.view(key).set_image(square())
    whole = view_grid.picture()
    assert whole.width() == round(view_grid.view("b").geometry().right() + 1 + 4) * whole.devicePixelRatio()
    for key in ("query", "a", "b"):
        middle = view_grid.view(key).geometry().center()
        assert whole.pixelColor(middle).red() > 150


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_background_has_the_theme_colour(view_grid, theme, use_theme):
    view = view_grid.view("a")
    use_theme(theme)
    shown = view.grab().toImage().pixelColor(view.width() // 2, view.height() - 30)
    assert shown.name() == theme.picture.lower()


def test_a_frame_shows_the_focus(view_grid, qapp):
    """On the screen, not painted for the test: Qt repaints the area when the grid gets or loses the focus."""

    def accents():
        qapp.processEvents()
        image, accent = view_grid.screen().grabWindow(view_grid.winId()).toImage(), LIGHT.accent.lower()
        edge, y = view_grid.bar.height() + 1, view_grid.height() - 20
        return [image.pixelColor(x, y).name() == accent for x in (0, 1)] + [image.pixelColor(9, edge).name() == accent]

    view_grid.setFocus()
    assert all(accents())
    view_grid.clearFocus()
    assert not any(accents())


def test_tiles_fill_the_area_without_gaps():
    from PySide6.QtCore import QRect

    assert tile_rects(QRect(0, 0, 300, 300), 0) == []
    assert [place.width() for place in tile_rects(QRect(0, 0, 908, 308), 3)] == [300, 300, 300]
    tall = tile_rects(QRect(0, 0, 308, 908), 3)
    assert len({place.left() for place in tall}) == 1, "one below the other where it is high"
    assert all(a.bottom() + 1 == b.top() for a, b in pairwise(tall))


def test_empty_view_shows_a_loading_message(view_grid, qtbot):
    view = view_grid.view("a")
    view.set_image(square())
    view.set_text(replace(ANSWER, title="M099"))
    assert not view.is_loading
    before = view.grab().toImage()
    qtbot.waitUntil(lambda: view.is_loading)
    assert view.grab().toImage() != before
    view.set_image(square())
    assert not view.is_loading
    view.set_text(replace(ANSWER, title="M100"))
    view.set_text(replace(ANSWER, title="M100", problem="takes longer than 30 seconds to read"))
    qtbot.wait(LOADING_DELAY_MS + 200)
    assert not view.is_loading
