"""Camera angles, fits and depths against values computed by hand."""

import numpy as np
import pytest

from shrec_viewer.render.scene.camera import VIEWS, Camera


@pytest.mark.parametrize(
    ("camera", "towards"),
    [
        (Camera(0, 0), (0, 0, 1)),
        (Camera(90, 0), (1, 0, 0)),
        (Camera(0, 90), (0, 1, 0)),
        (Camera(0, 0, "Z"), (0, -1, 0)),
        (Camera(90, 0, "Z"), (1, 0, 0)),
        (Camera(0, 90, "Z"), (0, 0, 1)),
    ],
)
def test_eye_position_from_angles(camera, towards):
    rotation = camera.rotation()
    assert np.allclose(rotation[2], towards)
    assert np.allclose(rotation @ rotation.T, np.eye(3))
    assert np.linalg.det(rotation) == pytest.approx(1)


def test_orbit_stops_at_poles_and_wraps_azimuth():
    assert Camera(170, 0).orbited(20, 0).azimuth == -170
    assert Camera(0, 80).orbited(0, 50).elevation == 89.9
    assert Camera(0, -80).orbited(0, -50).elevation == -89.9


def test_zoom_is_limited_and_pan_accumulates():
    assert Camera().zoomed(1e9).zoom == 20
    assert Camera().zoomed(0).zoom == 0.05
    assert Camera().panned(0.1, 0.2).panned(0.1, -0.1).pan == pytest.approx((0.2, 0.1))


@pytest.mark.parametrize("field_of_view", [0.0, 22.0, 60.0])
def test_depth_runs_from_0_at_nearest_to_1_at_farthest_point_of_sphere(field_of_view):
    camera = Camera(0, 0, field_of_view=field_of_view, fit="sphere")
    points = np.array([[0, 0, 1], [0, 0, 0], [0, 0, -1]], np.float32)
    clip = points @ camera.fitted_view(points, 100, 100).clip[:, :3].T + camera.fitted_view(points, 100, 100).clip[:, 3]
    screen = (clip[:, 2] / clip[:, 3] + 1) / 2
    assert ((screen > 0) & (screen < 1)).all()
    assert np.allclose(camera.depth(screen.astype(np.float32)), [0, 0.5, 1], atol=1e-5)


@pytest.mark.parametrize("size", [(100, 100), (200, 100), (100, 300)])
@pytest.mark.parametrize(("fit", "most"), [("tight", 0.94), ("sphere", 0.985)])
def test_all_vertices_are_inside_image(size, fit, most):
    points = np.random.default_rng(1).normal(size=(500, 3)).astype(np.float32)
    points /= np.linalg.norm(points, axis=1).max()
    for azimuth in range(-180, 180, 45):
        clip_matrix = Camera(azimuth, 30, fit=fit).fitted_view(points, *size).clip
        clip = points @ clip_matrix[:, :3].T + clip_matrix[:, 3]
        assert (np.abs(clip[:, :2] / clip[:, 3:]) <= most + 1e-4).all()


@pytest.mark.parametrize("field_of_view", [0.0, 22.0, 90.0])
def test_sphere_fills_image_from_all_directions(field_of_view):
    turn, rise = np.meshgrid(np.linspace(-np.pi, np.pi, 200), np.linspace(-np.pi / 2, np.pi / 2, 200))
    ball = np.stack([np.cos(rise) * np.sin(turn), np.sin(rise), np.cos(rise) * np.cos(turn)], -1).reshape(-1, 3)
    for border, reach in ((0.0, 0.985), (3.0, 0.94), (10.0, 0.8)):
        for azimuth, elevation in ((0, 0), (70, 20), (-130, -80)):
            camera = Camera(azimuth, elevation, field_of_view=field_of_view)
            clip = ball @ (matrix := camera.fitted_view(ball, 100, 100, border=border).clip)[:, :3].T + matrix[:, 3]
            assert np.abs(clip[:, :2] / clip[:, 3:]).max() == pytest.approx(reach, abs=2e-3)


@pytest.mark.parametrize("field_of_view", [0.0, 22.0, 60.0])
def test_box_corners_are_inside_image(field_of_view):
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32)
    reached = []
    for azimuth in range(0, 360, 5):
        camera = Camera(azimuth, 35.3, field_of_view=field_of_view)
        clip = corners @ (matrix := camera.fitted_view(corners, 80, 80, corners).clip)[:, :3].T + matrix[:, 3]
        reached.append(np.abs(clip[:, :2] / clip[:, 3:]).max())
    assert 0.9 < max(reached) <= 0.985 + 1e-6


def test_pan_unit_is_half_smaller_side():
    points = np.zeros((1, 3), np.float32)
    clip = Camera(fit="sphere", pan=(0.5, -0.25)).fitted_view(points, 200, 100).clip @ [0, 0, 0, 1]
    assert clip[0] / clip[3] * 100 == pytest.approx(25)
    assert clip[1] / clip[3] * 50 == pytest.approx(-12.5)


def test_named_views_look_along_axes():
    towards = {view: Camera(up="Y").seen_from(view).rotation()[2] for view in VIEWS}
    for view, axis in {"front": [0, 0, 1], "back": [0, 0, -1], "right": [1, 0, 0], "left": [-1, 0, 0]}.items():
        assert towards[view] == pytest.approx(axis, abs=1e-12)
    assert towards["top"] == pytest.approx([0, 1, 0], abs=1e-12)
    assert towards["bottom"] == pytest.approx([0, -1, 0], abs=1e-12)
    assert Camera(up="Z").seen_from("front").rotation()[2] == pytest.approx([0, -1, 0], abs=1e-12)
    moved = Camera(up="Z", field_of_view=0.0).zoomed(3).panned(1, 1).seen_from("iso")
    assert moved == Camera(up="Z", field_of_view=0.0)


def test_switching_projection_twice_restores_camera():
    camera = Camera(12, 34, "Z", 2.0)
    assert camera.with_other_projection().is_parallel
    assert camera.with_other_projection().with_other_projection() == camera


def test_camera_settings_round_trip():
    for camera in (Camera(), Camera(-120.5, 80, "Z", field_of_view=0.0), Camera(fit="tight")):
        assert Camera().with_settings(camera.as_settings()) == camera


def test_invalid_camera_settings_are_ignored():
    wrong = {"up": "X", "azimuth": "left", "elevation": 91, "projection": "fisheye", "zoom": 300, "fit": "loose"}
    wrong |= {"roll": float("nan"), "right": float("nan"), "upward": "1"}
    assert Camera().with_settings(wrong) == Camera()
    assert Camera().with_settings({"up": "z", "azimuth": 10}) == Camera(azimuth=10, up="Z")
