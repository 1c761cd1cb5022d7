"""What is written can be read by whom the system, or the file that it replaces, lets read."""

import os
import sys
from pathlib import Path
from stat import S_IMODE

import pytest

from shrec_viewer.cli.terminal import write_result
from shrec_viewer.formats.io.atomic import atomic_file
from shrec_viewer.formats.manifest.project import Project, write_project
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.viewmodels.mesh_view.state import CameraStore

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there, files have no such modes")


def write_a_project(path):
    write_project(Project(path, path.parent, "mine"))


def write_a_table(path):
    with atomic_file(path) as draft:
        draft.write_text("1")


def write_a_result(path):
    write_result("1", path)


def write_cameras(path):
    CameraStore(path).store(Path("models"), Camera())


@pytest.fixture
def usual_mask():
    former = os.umask(0o022)
    yield
    os.umask(former)


@pytest.mark.usefixtures("usual_mask")
@pytest.mark.parametrize("write", [write_a_project, write_a_table, write_a_result, write_cameras])
def test_a_new_file_is_read_by_others_and_keeps_the_mode_it_is_given(tmp_path, write):
    path = tmp_path / "file.shrec"
    write(path)
    assert S_IMODE(path.stat().st_mode) == 0o644
    for mode in (0o664, 0o600):
        path.chmod(mode)
        write(path)
        assert S_IMODE(path.stat().st_mode) == mode
    assert list(tmp_path.iterdir()) == [path]
