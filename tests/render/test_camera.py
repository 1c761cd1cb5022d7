"""Angles, fits and depths of the camera, by hand."""

import numpy as np
import pytest

from shrec_viewer.render.camera import VIEWS, Camera, unknown_settings


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
def test_the_eye_stands_where_the_angles_say(camera, towards):
    rotation = camera.rotation()
    assert np.allclose(rotation[2], towards)
    assert np.allclose(rotation @ rotation.T, np.eye(3))
    assert np.linalg.det(rotation) == pytest.approx(1)


def test_turning_stops_at_the_poles_and_runs_around_the_horizon():
    assert Camera(170, 0).orbited(20, 0).azimuth == -170
    assert Camera(0, 80).orbited(0, 50).elevation == 89.9
    assert Camera(0, -80).orbited(0, -50).elevation == -89.9


def test_zoom_has_limits_and_pan_adds_up():
    assert Camera().zoomed(1e9).zoom == 20
    assert Camera().zoomed(0).zoom == 0.05
    assert Camera().panned(0.1, 0.2).panned(0.1, -0.1).pan == pytest.approx((0.2, 0.1))


@pytest.mark.parametrize("field_of_view", [0.0, 22.0, 60.0])
def test_depth_runs_from_0_at_the_nearest_to_1_at_the_farthest_point_of_the_sphere(field_of_view):
    camera = Camera(0, 0, field_of_view=field_of_view, fit="sphere")
    points = np.array([[0, 0, 1], [0, 0, 0], [0, 0, -1]], np.float32)
    clip = points @ camera.framing(points, 100, 100).clip[:, :3].T + camera.framing(points, 100, 100).clip[:, 3]
    screen = (clip[:, 2] / clip[:, 3] + 1) / 2
    assert ((screen > 0) & (screen < 1)).all()
    assert np.allclose(camera.depth(screen.astype(np.float32)), [0, 0.5, 1], atol=1e-5)


@pytest.mark.parametrize("size", [(100, 100), (200, 100), (100, 300)])
@pytest.mark.parametrize("fit", ["tight", "sphere"])
def test_everything_lies_within_the_picture(size, fit):
    points = np.random.default_rng(1).normal(size=(500, 3)).astype(np.float32)
    points /= np.linalg.norm(points, axis=1).max()
    for azimuth in range(-180, 180, 45):
        clip_matrix = Camera(azimuth, 30, fit=fit).framing(points, *size).clip
        clip = points @ clip_matrix[:, :3].T + clip_matrix[:, 3]
        assert (np.abs(clip[:, :2] / clip[:, 3:]) <= 0.9401).all()


def test_panning_moves_by_half_sides_of_the_smaller_side():
    points = np.zeros((1, 3), np.float32)
    clip = Camera(fit="sphere", pan=(0.5, -0.25)).framing(points, 200, 100).clip @ [0, 0, 0, 1]
    assert clip[0] / clip[3] * 100 == pytest.approx(25)
    assert clip[1] / clip[3] * 50 == pytest.approx(-12.5)


def test_named_views_look_along_the_axes():
    towards = {view: Camera(up="Y").seen_from(view).rotation()[2] for view in VIEWS}
    for view, axis in {"front": [0, 0, 1], "back": [0, 0, -1], "right": [1, 0, 0], "left": [-1, 0, 0]}.items():
        assert towards[view] == pytest.approx(axis, abs=1e-12)
    assert towards["top"] == pytest.approx([0, 1, 0], abs=1e-12)
    assert towards["bottom"] == pytest.approx([0, -1, 0], abs=1e-12)
    assert Camera(up="Z").seen_from("front").rotation()[2] == pytest.approx([0, -1, 0], abs=1e-12)
    moved = Camera(up="Z", field_of_view=0.0).zoomed(3).panned(1, 1).seen_from("iso")
    assert moved == Camera(up="Z", field_of_view=0.0)


def test_switching_the_projection_twice_changes_nothing():
    camera = Camera(12, 34, "Z", 2.0)
    assert camera.switched().is_parallel
    assert camera.switched().switched() == camera


def test_a_camera_survives_a_file():
    for camera in (Camera(), Camera(-120.5, 80, "Z", field_of_view=0.0)):
        settings = camera.as_settings()
        assert unknown_settings(settings) == ()
        assert Camera().with_settings(settings) == camera


def test_what_a_file_says_about_cameras_is_not_believed():
    wrong = {"up": "X", "azimuth": "left", "elevation": 91, "projection": "fisheye", "zoom": 3, "roll": float("nan")}
    assert Camera().with_settings(wrong) == Camera()
    said = unknown_settings(wrong)
    assert len(said) == 6
    assert "'X' is no up of a camera" in said
    assert "the camera has no 'zoom'; it knows up, azimuth, elevation, projection" in said
    assert Camera().with_settings({"up": "z", "azimuth": 10}) == Camera(azimuth=10, up="Z")
