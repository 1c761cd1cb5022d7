"""Camera of the collection: commands, thumbnails, 3D view, undo and storage."""

import tomllib

import pytest
from PySide6.QtCore import Qt
from sample_benchmark import write_sample_benchmark
from sessions import settle
from windows import a_window, open_in_window

from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.render.scene.camera import FIELD_OF_VIEW, Camera

CTRL = Qt.KeyboardModifier.ControlModifier
TIGHT = Camera(fit="tight")


@pytest.fixture
def window(qapp, qtbot, tmp_path):
    yield from a_window(qapp, qtbot, tmp_path / "settings.ini")


@pytest.fixture
def folder(tmp_path):
    return write_sample_benchmark(tmp_path / "sample_benchmark")


@pytest.fixture
def opened(window, folder, qtbot):
    open_in_window(window, folder, qtbot)
    return window


def do(window, key):
    window.menus.actions[key].trigger()


def camera(window):
    return window.session.mesh_view_state.camera


def test_fill_thumbnail_updates_thumbnails_and_can_be_undone(opened):
    fill, undo = opened.menus.actions["fill_picture"], opened.menus.actions["undo"]
    assert not fill.isChecked()
    do(opened, "fill_picture")
    assert camera(opened) == TIGHT == opened.session.thumbnails._camera
    assert fill.isChecked()
    assert undo.text().endswith("fill the thumbnail")
    do(opened, "z_up")
    assert fill.isChecked()  # the options are independent
    assert camera(opened) == Camera(fit="tight", up="Z")
    undo.trigger()
    undo.trigger()
    assert camera(opened) == Camera() == opened.session.thumbnails._camera
    assert not fill.isChecked()
    do(opened, "redo")
    assert camera(opened) == TIGHT


def test_camera_is_stored_per_collection(opened, folder, tmp_path, qtbot):
    do(opened, "fill_picture")
    open_in_window(opened, write_sample_benchmark(tmp_path / "other"), qtbot)
    assert camera(opened) == Camera()
    open_in_window(opened, folder, qtbot)
    assert camera(opened) == TIGHT


def test_collection_uses_the_camera_of_the_3d_view(opened, qtbot):
    opened.session.select(rank=1)
    opened.session.mesh_view_state.open()
    panel = opened.workspace.panel("mesh_view")
    qtbot.waitUntil(panel.view_grid.hasFocus)
    assert panel.camera_controller.camera == Camera()
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_3)
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_5)
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_Plus)
    do(opened, "camera_of_view")
    assert camera(opened) == Camera(azimuth=90, elevation=0, field_of_view=0)
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_7)
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_Home)
    assert panel.camera_controller.camera == camera(opened)  # the default camera keeps it
    do(opened, "usual_camera")
    assert camera(opened) == Camera()


def test_camera_is_stored_in_projects_and_read_from_the_manifest(opened, folder, tmp_path, qtbot):
    do(opened, "fill_picture")
    path = tmp_path / "kept.shrec"
    opened.projects.write(path)
    qtbot.waitUntil(path.exists)
    settle(opened.session, qtbot)
    assert tomllib.loads(path.read_text())["view"]["camera"]["fit"] == "tight"
    do(opened, "usual_camera")
    open_in_window(opened, path, qtbot)
    assert camera(opened) == TIGHT
    other = write_sample_benchmark(tmp_path / "other")
    with (other / "benchmark.toml").open("a") as file:
        file.write('\n[camera]\nup = "Z"\nfit = "tight"\nprojection = "parallel"\nazimuth = 10\n')
    open_in_window(opened, other, qtbot)
    assert camera(opened) == Camera(azimuth=10, up="Z", fit="tight", field_of_view=0)
    do(opened, "usual_camera")
    open_in_window(opened, folder, qtbot)
    open_in_window(opened, other, qtbot)
    assert camera(opened) == Camera(up="Z", field_of_view=FIELD_OF_VIEW)  # the user's choice takes precedence


def test_invalid_manifest_value_is_a_finding_with_its_line(folder):
    text = (folder / "benchmark.toml").read_text()
    (folder / "benchmark.toml").write_text(text + '\n[camera]\nfit = "huge"\nazimuth = "left"\nzoom = 2\nup = "Y"\n')
    benchmark = read_benchmark(folder)
    assert benchmark.camera == {"up": "Y"}
    findings_text = " ".join(f"{finding.line}: {finding.message}" for finding in benchmark.findings)
    start = text.count("\n") + 2
    assert f"{start + 1}: 'fit' must be one of sphere, tight, not 'huge'" in findings_text
    assert f"{start + 2}: 'azimuth' must be a number of degrees from -360 to 360" in findings_text
    assert f"{start + 3}: unknown key 'zoom' in [camera]" in findings_text
