"""Thumbnails of meshes, images and broken files."""

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from solids import cube, mesh_of

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.formats.meshes.images import IMAGE_SUFFIXES, read_image
from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.render.renderer import Renderer
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.thumbnails.thumbnail import IMAGE_FILE_SUFFIXES, ThumbnailRequest, encode_webp, make_thumbnail

ODD = Path(__file__).parents[3] / "../shared/data/meshes_odd"


def read_cube(path: Path) -> Mesh:
    return cube()


def test_image_round_trip_through_webp(renderer: Renderer):
    pixels = renderer.draw(cube(), Camera(), 128, 128)
    packed = make_thumbnail(ThumbnailRequest(Path("cube.off"), 128), read_cube, read_image, renderer)
    assert packed.problem is None
    assert len(packed.webp) < 8000
    again = packed.pixels()
    assert again.shape == (128, 128, 4)
    assert np.array_equal(again[..., 3], pixels[..., 3])  # alpha is kept exactly
    opaque = pixels[..., 3] == 255
    assert np.abs(again[opaque].astype(int) - pixels[opaque]).mean() < 3


def test_webp_file_is_valid():
    packed = encode_webp(np.full((20, 30, 4), 200, np.uint8))
    with Image.open(BytesIO(packed)) as picture:
        assert (picture.format, picture.size, picture.mode) == ("WEBP", (30, 20), "RGBA")


def test_image_suffixes_equal_those_of_readers():
    assert {*IMAGE_SUFFIXES, ".svg"} == IMAGE_FILE_SUFFIXES  # SVG is read by Qt, see viewmodels/vector_pictures.py


def test_images_are_scaled_not_rendered(tmp_path: Path, renderer: Renderer):
    Image.new("RGB", (40, 20), (255, 255, 255)).save(tmp_path / "sketch.PNG")
    thumbnail = make_thumbnail(ThumbnailRequest(tmp_path / "sketch.PNG", 64), read_cube, read_image, renderer)
    assert thumbnail.pixels()[..., 3].sum() == 64 * 32 * 255


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (FormatError("a.off", "holds no geometry"), "holds no geometry"),
        (ValueError("no such thing"), "cannot be drawn (ValueError: no such thing)"),
        (MemoryError(), "not enough memory"),
        (RecursionError("too deep"), "cannot be drawn (RecursionError: too deep)"),
    ],
)
def test_errors_become_problems(renderer: Renderer, error: Exception, problem: str):
    def refuse(path: Path) -> Mesh:
        raise error

    thumbnail = make_thumbnail(ThumbnailRequest(Path("a.off")), refuse, read_image, renderer)
    assert thumbnail.problem == problem
    assert thumbnail.webp == b""
    assert thumbnail.pixels().shape == (0, 0, 4)


@pytest.mark.parametrize("name", ["m1_thumb.jpg", "m1_thumb.png", "m1.jpg", "m1.png", "m1.webp"])
def test_bundled_image_replaces_broken_model(tmp_path: Path, renderer: Renderer, name: str):
    Image.new("RGB", (160, 120), (0, 128, 0)).save(tmp_path / name)
    for model in ("m1.off", "m1.off.gz"):
        (tmp_path / model).write_text("broken")
        shown = make_thumbnail(ThumbnailRequest(tmp_path / model, 64), read_mesh, read_image, renderer)
        assert shown.problem is None
        assert shown.is_substitute
        assert shown.pixels()[..., 3].sum() == 64 * 48 * 255
        assert shown.notes[-1].endswith(f"; the image '{name}' next to it is shown")
    (tmp_path / "m1.off").write_text("OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    drawn = make_thumbnail(ThumbnailRequest(tmp_path / "m1.off", 64), read_mesh, read_image, renderer)
    assert not drawn.is_substitute  # the model itself is the better picture


def test_texture_is_no_substitute_for_broken_mesh(tmp_path: Path, renderer: Renderer):
    (tmp_path / "m1.obj").write_text("v 0 0 nothing\n")
    Image.new("RGB", (16, 16)).save(tmp_path / "m1.png")
    assert make_thumbnail(ThumbnailRequest(tmp_path / "m1.obj", 64), read_mesh, read_image, renderer).problem
    (tmp_path / "m2.off").write_text("broken")
    (tmp_path / "m2_thumb.jpg").write_text("broken too")
    problem = make_thumbnail(ThumbnailRequest(tmp_path / "m2.off", 64), read_mesh, read_image, renderer).problem
    assert problem == "does not start with 'OFF'"


def test_empty_mesh_has_problem(renderer: Renderer):
    def read_nothing(path: Path) -> Mesh:
        return mesh_of([], [])

    thumbnail = make_thumbnail(ThumbnailRequest(Path("a.off")), read_nothing, read_image, renderer)
    assert thumbnail.problem == "nothing to draw: the image is empty"


def test_odd_files_give_image_or_problem(renderer: Renderer):
    if not ODD.is_dir():
        pytest.skip("needs shared/data/meshes_odd")
    shown, refused = [], {}
    for path in sorted(ODD.rglob("*")):
        if path.is_file():
            thumbnail = make_thumbnail(ThumbnailRequest(path, 64), read_mesh, read_image, renderer)
            assert bool(thumbnail.webp) != bool(thumbnail.problem), path.name
            if thumbnail.problem:
                refused[path.name] = thumbnail.problem
            else:
                assert thumbnail.pixels()[..., 3].max() > 0
                shown.append(path.name)
    assert len(shown) >= 100
    texts = {".md", ".mtl", ".bin"}
    assert all("empty" in name or Path(name).suffix in texts for name in refused)
    assert not any(problem.startswith("cannot be drawn") for problem in refused.values())
