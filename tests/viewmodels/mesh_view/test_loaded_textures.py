"""Textures in the mesh view: rendering and memory."""

from pathlib import Path

import numpy as np
import pytest

from shrec_viewer.domain.mesh import Mesh, Texture
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.workers.model_readers import LoadedModel, ModelInfo, ModelReadJob, ModelSource, pack_mesh
from shrec_viewer.render.workers.renderer_process import RenderRequest
from shrec_viewer.viewmodels.mesh_view import rendering
from shrec_viewer.viewmodels.mesh_view.rendering import MIN_LOADED_FILES, RenderSession


def never():
    return False


def plate(side: int | None) -> Mesh:
    """A square that faces the camera, with a red texture or without texture."""
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], np.float32)
    faces = np.array([[0, 1, 2], [0, 2, 3]], np.int32)
    if side is None:
        return Mesh(corners, faces)
    red = np.full((side, side, 4), [255, 0, 0, 255], np.uint8)
    return Mesh(corners, faces, texture=Texture(corners[:, :2], (red,), np.zeros(2, np.int16)))


def test_mesh_view_shows_textures(qapp):
    render_session = RenderSession("software", never)
    for name, side in (("red.obj", 16), ("clay.obj", None)):
        render_session.add_file(
            ModelReadJob(ModelSource(Path(name))), LoadedModel(pack_mesh(plate(side)), info=ModelInfo(4, 2))
        )
        image = render_session.draw(RenderRequest("a", ModelSource(Path(name)), Camera(0, 0), 32, 32)).image
        assert image is not None
        colour = image.pixelColor(16, 16)
        assert (colour.green() < colour.red() / 4) == (side is not None)
    render_session.close()


@pytest.mark.parametrize(("side", "kept"), [(None, 8), (64, 8), (512, MIN_LOADED_FILES)])
def test_textures_count_as_memory(qapp, monkeypatch, side, kept):
    monkeypatch.setattr(rendering, "MAX_LOADED_BYTES", 8 * 512 * 512 * 4)
    render_session = RenderSession("software", never)
    for number in range(8):
        render_session.add_file(
            ModelReadJob(ModelSource(Path(f"{number}.obj"))), LoadedModel(pack_mesh(plate(side)), info=ModelInfo(4, 2))
        )
    shots = [RenderRequest("a", ModelSource(Path(f"{number}.obj")), Camera(), 32, 32) for number in range(8)]
    assert [render_session.needs_file(shot) for shot in shots] == [True] * (8 - kept) + [False] * kept
    render_session.close()
