"""The drawing of the surface of precision over recall and generality: projection, rotation and gaps."""

import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt

from shrec_viewer.charts.surface import DEFAULT_ANGLES, Surface, SurfaceLine
from shrec_viewer.widgets.plots.surface_view import MAX_ELEVATION, SurfaceView
from shrec_viewer.widgets.style.theme import DARK, LIGHT

LEFT = Qt.MouseButton.LeftButton
SCOPES = np.array([0.5, 1.0, 2.0, 4.0])


def surface(level=None):
    """A run whose recall is the generality to the power of 1/2 at s = c; scopes beyond the collection are undefined."""
    doublings = np.array([0.0, 1.0, 2.0])
    recall = np.minimum(SCOPES[None, :] * np.exp2(-doublings / 2)[:, None], 1.0)
    recall[np.log2(SCOPES)[None, :] > doublings[:, None]] = np.nan
    lines = () if level is None else (SurfaceLine("g", recall[1], np.full(4, level), recall[1] / SCOPES, "accent"),)
    return Surface("Surface of A", doublings, recall, recall / SCOPES, lines)


@pytest.fixture
def view(qtbot):
    shown = SurfaceView()
    qtbot.addWidget(shown)
    shown.resize(400, 300)
    shown.show()
    qtbot.waitExposed(shown)
    return shown


def test_a_box_seen_from_the_front_has_recall_to_the_right_and_precision_up(view):
    view.rotate(-DEFAULT_ANGLES[0], -DEFAULT_ANGLES[1])
    assert view.angles == (0.0, 0.0)
    right, down, depth = view.project([0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1])
    assert right[1] > right[0] == right[2] == right[3]
    assert down[3] < down[0] == down[1] == down[2]
    assert depth[2] > depth[0] == depth[1] == depth[3], "the collection is at the back"
    assert (right[0] + right[1]) / 2 == pytest.approx(200)


@pytest.mark.parametrize("azimuth", range(-180, 180, 45))
@pytest.mark.parametrize("elevation", [0, 40, 85])
def test_the_box_is_inside_the_widget_from_every_side(view, azimuth, elevation):
    view.rotate(azimuth - view.angles[0], elevation - view.angles[1])
    corners = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1)
    right, down, _ = view.project(*corners)
    assert np.all((right >= 0) & (right <= 400))
    assert np.all((down >= 0) & (down <= 300))
    view.set_surface(surface())
    view.grab()


def test_drag_and_keys_rotate_and_home_resets(view, qtbot):
    view.set_surface(surface())
    before = view.grab().toImage()
    qtbot.mousePress(view, LEFT, pos=QPoint(100, 100))
    qtbot.mouseMove(view, QPoint(150, 130))
    qtbot.mouseRelease(view, LEFT, pos=QPoint(150, 130))
    dragged = view.angles
    assert dragged[0] < DEFAULT_ANGLES[0]
    assert dragged[1] > DEFAULT_ANGLES[1]
    assert view.grab().toImage() != before
    qtbot.mouseMove(view, QPoint(50, 30))
    assert view.angles == dragged, "the button is up"
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert view.angles[0] == pytest.approx(dragged[0] - 5)
    for _ in range(30):
        qtbot.keyClick(view, Qt.Key.Key_Up)
    assert view.angles[1] == MAX_ELEVATION
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert view.angles == DEFAULT_ANGLES
    qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.mouseDClick(view, LEFT)
    assert view.angles == DEFAULT_ANGLES
    assert view.grab().toImage() == before


def test_the_highlighted_generality_and_the_themes_change_the_drawing(view):
    view.set_surface(surface())
    plain = view.grab().toImage()
    view.set_surface(surface(level=0.7))
    assert view.grab().toImage() != plain
    view.set_theme(DARK)
    assert view.grab().toImage().pixelColor(1, 1) == DARK.colour("surface")
    view.set_theme(LIGHT)
    view.set_surface(None)
    empty = view.grab().toImage()
    assert {empty.pixelColor(x, y).name() for x in range(0, 400, 40) for y in range(0, 300, 30)} == {
        LIGHT.colour("surface").name()
    }
    assert view.accessibleDescription() == ""


def test_lines_and_planes_are_named_in_the_upper_right_corner(view):
    view.set_surface(surface())
    bare = view.grab(QRect(300, 0, 100, 60)).toImage()
    border = np.array([0.0, 1.0, 1.0, 0.0])
    plane = SurfaceLine("Plane", border, np.array([0.0, 0.0, 2.0, 2.0]), border, "muted", filled=True)
    for line in (plane, replace(plane, label="Dotted", dash="dot", filled=False)):
        view.set_surface(replace(surface(), lines=(line,)))
        assert view.grab(QRect(300, 0, 100, 60)).toImage() != bare


def test_a_surface_of_one_level_is_drawn(view):
    one = Surface("A", np.zeros(1), np.ones((1, 2)), np.ones((1, 2)))
    view.set_surface(one)
    view.grab()
    assert math.isfinite(view.project(1.0, 0.0, 1.0)[0])
