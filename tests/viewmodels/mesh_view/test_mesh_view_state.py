"""Up axis and camera of a collection: stored and suggested."""

import json
import logging

import numpy as np

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.up_axis import likely_up_axis, suggest_up
from shrec_viewer.viewmodels.mesh_view.state import CameraStore, MeshViewState
from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails


def pyramid(up):
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 1]], np.float32)
    faces = np.array([[0, 1, 2], [0, 2, 3], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]], np.int32)
    return Mesh(points if up == "Z" else points[:, [0, 2, 1]], faces)


def test_likely_up_axis_of_pyramid():
    assert likely_up_axis(pyramid("Z")) == "Z"
    assert likely_up_axis(pyramid("Y")) == "Y"


def test_no_likely_up_axis_of_symmetric_shapes():
    flat = Mesh(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32), np.zeros((0, 3), np.int32))
    assert likely_up_axis(flat) == ""


def test_few_votes_suggest_nothing(tmp_path):
    votes = {}
    for number in range(6):
        votes[tmp_path / str(number)] = "Z"
    assert suggest_up(votes.values()).up is None, "six coins fall alike once in 64 times"
    votes[tmp_path / "6"] = "Z"
    assert suggest_up(votes.values()).up == "Z"
    votes[tmp_path / "6"] = "Z"
    votes[tmp_path / "7"] = ""
    assert suggest_up(votes.values()).message() == "7 of 8 models suggest Z up, 0 the other axis"
    for number in (8, 9, 10):
        votes[tmp_path / str(number)] = "Y"
    assert suggest_up(votes.values()).up is None


def test_camera_of_each_collection_is_stored(tmp_path):
    memory = CameraStore(tmp_path / "config" / "upright.json")
    one, two = tmp_path / "one", tmp_path / "two"
    low = Camera(azimuth=10, elevation=-5, fit="tight", field_of_view=0)
    assert memory.camera_of(one) is None
    memory.store(one, Camera(up="Z"))
    memory.store(two, low)
    again = CameraStore(tmp_path / "config" / "upright.json")
    assert (again.camera_of(one), again.camera_of(two), again.camera_of(tmp_path)) == (Camera(up="Z"), low, None)
    again.store(one, Camera())
    assert memory.camera_of(one) == Camera()
    assert [path.name for path in (tmp_path / "config").iterdir()] == ["upright.json"]


def test_damaged_camera_file_is_logged(tmp_path, caplog):
    (tmp_path / "upright.json").write_text("{not json")
    memory = CameraStore(tmp_path / "upright.json")
    with caplog.at_level(logging.WARNING):
        assert memory.camera_of(tmp_path) is None
    assert "cannot be read" in caplog.text
    memory.store(tmp_path, Camera(up="Z"))
    assert memory.camera_of(tmp_path) == Camera(up="Z")
    (tmp_path / "upright.json").write_text(json.dumps({str(tmp_path.resolve()): "Z"}))  # format of older versions
    assert memory.camera_of(tmp_path) == Camera(up="Z")


def test_camera_file_in_a_folder_that_cannot_be_searched_is_none(tmp_path):
    """`Path.exists` raises an exception for it, as for too long a name."""
    assert CameraStore(tmp_path / ("x" * 300) / "upright.json").camera_of(tmp_path) is None


def test_write_error_of_camera_file_is_logged(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    with caplog.at_level(logging.WARNING):
        CameraStore(tmp_path / "file" / "upright.json").store(tmp_path, Camera())
    assert "not stored" in caplog.text
    CameraStore(None).store(tmp_path, Camera())


def test_stored_camera_is_restored(qtbot, tmp_path):
    mesh_view_state = MeshViewState(Thumbnails(None))
    mesh_view_state.set_collection(tmp_path / "one")
    assert (mesh_view_state.up, mesh_view_state.is_chosen) == ("Y", False)
    with qtbot.waitSignal(mesh_view_state.up_changed):
        mesh_view_state.set_up("Z")
    mesh_view_state.set_collection(tmp_path / "two")
    assert (mesh_view_state.up, mesh_view_state.is_chosen) == ("Y", False)
    with qtbot.waitSignal(mesh_view_state.up_changed):
        mesh_view_state.set_collection(tmp_path / "one")
    assert (mesh_view_state.up, mesh_view_state.is_chosen) == ("Z", True)
    mesh_view_state.set_collection(None)
    assert mesh_view_state.up == "Y"
    mesh_view_state.close()
