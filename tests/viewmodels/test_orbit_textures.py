"""Views that turn show pictures upon models, and count them as memory."""

from pathlib import Path

import numpy as np
import pytest

from shrec_viewer.domain.mesh import Mesh, Texture
from shrec_viewer.render.camera import Camera
from shrec_viewer.render.reading import Facts, Reading, ReadJob, packed
from shrec_viewer.viewmodels import orbit_studio
from shrec_viewer.viewmodels.orbit_shot import Shot
from shrec_viewer.viewmodels.orbit_studio import LEAST_KEPT, Studio


def never():
    return False


def plate(side: int | None) -> Mesh:
    """A square that faces the camera, red by a picture, or clay."""
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], np.float32)
    faces = np.array([[0, 1, 2], [0, 2, 3]], np.int32)
    if side is None:
        return Mesh(corners, faces)
    red = np.full((side, side, 4), [255, 0, 0, 255], np.uint8)
    return Mesh(corners, faces, texture=Texture(corners[:, :2], (red,), np.zeros(2, np.int16)))


def test_a_view_shows_the_picture_upon_a_model(qapp):
    studio = Studio("software", never)
    for name, side in (("red.obj", 16), ("clay.obj", None)):
        studio.keep(ReadJob(Path(name)), Reading(packed(plate(side)), facts=Facts(4, 2)))
        image = studio.draw(Shot("a", Path(name), Camera(0, 0), 32, 32)).image
        assert image is not None
        colour = image.pixelColor(16, 16)
        assert (colour.green() < colour.red() / 4) == (side is not None)
    studio.close()


@pytest.mark.parametrize(("side", "kept"), [(None, 8), (64, 8), (512, LEAST_KEPT)])
def test_textures_count_as_memory(qapp, monkeypatch, side, kept):
    monkeypatch.setattr(orbit_studio, "MOST_BYTES", 8 * 512 * 512 * 4)
    studio = Studio("software", never)
    for number in range(8):
        studio.keep(ReadJob(Path(f"{number}.obj")), Reading(packed(plate(side)), facts=Facts(4, 2)))
    shots = [Shot("a", Path(f"{number}.obj"), Camera(), 32, 32) for number in range(8)]
    assert [studio.lacks(shot) for shot in shots] == [True] * (8 - kept) + [False] * kept
    studio.close()
