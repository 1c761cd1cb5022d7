"""Both renderers against geometry, against each other, and with degenerate meshes."""

import os
import random
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from solids import CUBE_FACES, cube, flipped, mesh_of, scattered_sphere, soup, sphere

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.gl import gl_renderer
from shrec_viewer.render.renderer import Renderer, open_renderer
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.style import FINE_STYLE, RenderStyle

QUICK_STYLE = RenderStyle(samples=1, ambient_occlusion=False)

SHREC06 = Path(__file__).parents[2] / "../shared/data/shrec06/models"


def test_shader_cache_is_disabled_on_a_full_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("MESA_SHADER_CACHE_DIR", str(tmp_path / "not" / "there"))
    for variable in ("MESA_SHADER_CACHE_DISABLE", "MESA_GLSL_CACHE_DISABLE", "__GL_SHADER_DISK_CACHE"):
        monkeypatch.setenv(variable, "")
    monkeypatch.setattr(gl_renderer, "disk_usage", lambda _: SimpleNamespace(free=2**30))
    assert gl_renderer._disable_full_shader_cache() == ""
    monkeypatch.setattr(gl_renderer, "disk_usage", lambda _: SimpleNamespace(free=2**20))
    text = f"; shaders are not cached, as the disk with {tmp_path} is full"
    assert gl_renderer._disable_full_shader_cache() == text
    assert os.environ["MESA_SHADER_CACHE_DISABLE"] == "true"


FLAT = Camera(azimuth=0, elevation=0, field_of_view=0)
"""A parallel view from the front, whose lengths on the screen are known."""

PLAIN = RenderStyle(ambient_occlusion=False)

WIRED = RenderStyle(ambient_occlusion=False, wireframe=True)
BOXED = RenderStyle(ambient_occlusion=False, box=True)

STYLES = (
    FINE_STYLE,
    QUICK_STYLE,
    RenderStyle(shading="smooth"),
    RenderStyle(shading="normals", colours=False),
    RenderStyle(wireframe=True, colours=False),
    RenderStyle(shading="smooth", wireframe=True, box=True, axes=True),
)
"""Every switch once, and all together."""

MEAN_DIFFERENCE = 1.0
"""Of 255, over covered pixels: both round the same colour, so half a step is expected."""

SHARE_DIFFERENT = 0.005
"""Of covered pixels may differ by more than 16 of 255: OpenGL snaps corners to 1/256 of a sample."""


def alpha(pixels: np.ndarray) -> np.ndarray:
    return pixels[..., 3].astype(float) / 255


def light(pixels: np.ndarray) -> float:
    """Mean of red, green and blue where the picture is opaque."""
    return float(pixels[pixels[..., 3] == 255][:, :3].mean())


def test_sphere_covers_area_of_disc(renderer: Renderer):
    size = 200
    covered = alpha(renderer.draw(sphere(), FLAT, size, size)).sum()
    assert covered == pytest.approx(np.pi * (0.985 * size / 2) ** 2, rel=0.004)  # 48 rings: 0.1 % less than round


def test_sphere_fits_in_perspective(renderer: Renderer):
    size = 200
    for elevation in (0.0, 30.0, 89.0):
        seen = alpha(renderer.draw(sphere(), Camera(elevation=elevation), size, size))
        assert seen.sum() == pytest.approx(np.pi * (0.985 * size / 2) ** 2, rel=0.008)
        assert seen[0].sum() == seen[-1].sum() == seen[:, 0].sum() == seen[:, -1].sum() == 0


def test_tight_fit_fills_larger_side_and_centres(renderer: Renderer):
    for camera in (Camera(), Camera(up="Z", azimuth=100, elevation=-40), Camera(field_of_view=0)):
        camera = replace(camera, fit="tight")
        for mesh in (cube(), mesh_of([[0, 0, 0], [10, 0, 0], [0, 0.3, 0.2]], [[0, 1, 2]])):
            seen = alpha(renderer.draw(mesh, camera, 128, 128)) > 0
            rows, columns = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
            assert max(np.ptp(rows), np.ptp(columns)) + 1 == pytest.approx(0.94 * 128, abs=3)
            assert abs(rows[0] - (127 - rows[-1])) <= 2
            assert abs(columns[0] - (127 - columns[-1])) <= 2


def test_three_sides_of_cube_have_three_shades(renderer: Renderer):
    seen = {}
    for side in ("top", "front", "right"):
        mesh = mesh_of(cube().vertices, cube((side,)).faces)
        seen[side] = light(renderer.draw(mesh, Camera(), 128, 128, PLAIN))
    assert seen["top"] > seen["front"] + 20
    assert seen["front"] > seen["right"] + 20
    assert seen["right"] > 70  # legible on a dark card
    assert seen["top"] < 235  # and not lost on a light one


def test_cube_shows_shades_of_sides_at_once(renderer: Renderer):
    pixels = renderer.draw(cube(), Camera(), 256, 256, PLAIN)
    shades = np.bincount(pixels[pixels[..., 3] == 255][:, 0], minlength=256)
    assert np.count_nonzero(shades > 1500) == 3


def test_both_sides_of_face_look_alike(renderer: Renderer):
    for mesh in (cube(), sphere(12), soup(60, 5)):
        assert (
            np.array_equal(renderer.draw(mesh, Camera(), 128, 128), renderer.draw(flipped(mesh), Camera(), 128, 128))
            or _mean_difference(
                renderer.draw(mesh, Camera(), 128, 128), renderer.draw(flipped(mesh), Camera(), 128, 128)
            )
            < 0.1
        )


def test_front_is_at_azimuth_0_right_at_90_and_top_above(renderer: Renderer):
    marked = {}
    for side, camera in {
        "front": Camera(azimuth=0, elevation=0),
        "right": Camera(azimuth=90, elevation=0),
        "back": Camera(azimuth=180, elevation=0),
        "left": Camera(azimuth=-90, elevation=0),
        "top": Camera(azimuth=0, elevation=89.9),
        "bottom": Camera(azimuth=0, elevation=-89.9),
    }.items():
        for painted in CUBE_FACES:
            mesh = _painted_cube(painted)
            pixels = renderer.draw(mesh, camera, 64, 64, PLAIN)
            red = pixels[32, 32].astype(int)
            marked[side, painted] = red[0] > 2 * red[1]
    assert {key for key, value in marked.items() if value} == {(side, side) for side in CUBE_FACES}


def test_up_is_up_whichever_axis_it_is(renderer: Renderer):
    needle = [[-0.1, 0, 0], [0.1, 0, 0], [0, 1, 0]]
    as_y = renderer.draw(mesh_of(needle, [[0, 1, 2]]), FLAT, 64, 64, PLAIN)
    lying = [[x, -z, y] for x, y, z in needle]
    as_z = renderer.draw(mesh_of(lying, [[0, 1, 2]]), Camera(0, 0, "Z", field_of_view=0), 64, 64, PLAIN)
    assert alpha(as_y)[40:].sum() > 2 * alpha(as_y)[:24].sum()  # the foot is wider and below
    assert _mean_difference(as_y, as_z) < 0.1


def test_nearer_faces_hide_farther_ones(renderer: Renderer):
    square = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], float)
    near, far = square * 0.5 + [0, 0, 0.5], square - [0, 0, 0.5]
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    paint = [[255, 0, 0, 255]] * 4 + [[0, 0, 255, 255]] * 4
    for order in (1, -1):
        both = np.concatenate([faces, faces + 4])[::order]
        pixels = renderer.draw(mesh_of([*near, *far], both, paint), FLAT, 64, 64)
        assert pixels[32, 32, 0] > 5 * pixels[32, 32, 2]
        assert pixels[14, 32, 2] > 5 * pixels[14, 32, 0]


def test_vertex_colours_are_interpolated_and_can_be_disabled(renderer: Renderer):
    square = mesh_of(
        [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2], [0, 2, 3]], [[0, 0, 0, 255]] * 2 + [[255] * 4] * 2
    )
    column = renderer.draw(square, FLAT, 64, 64, PLAIN)[:, 32].astype(int)
    seen = column[column[:, 3] == 255][:, 0]
    assert (np.diff(seen) <= 0).all()
    assert seen[0] > 150 > 60 > seen[-1]
    clay = renderer.draw(square, FLAT, 64, 64, RenderStyle(colours=False, ambient_occlusion=False))
    assert len(np.unique(clay[clay[..., 3] == 255][:, 0])) == 1


def test_point_cloud_of_sphere_looks_like_sphere(renderer: Renderer):
    for count in (400, 4_000, 40_000):
        pixels = renderer.draw(mesh_of(scattered_sphere(count), []), FLAT, 128, 128)
        assert 0.8 < alpha(pixels).sum() / (np.pi * 64**2) < 1
    few = renderer.draw(mesh_of(scattered_sphere(7), []), FLAT, 128, 128)
    assert 50 < alpha(few).sum() < 600  # single points are seen, and stay points


@pytest.mark.parametrize("size", [(96, 96), (97, 61), (31, 200)])
def test_images_have_requested_size(renderer: Renderer, size: tuple[int, int]):
    for style in (FINE_STYLE, QUICK_STYLE):
        pixels = renderer.draw(cube(), Camera(), *size, style)
        assert pixels.shape == (size[1], size[0], 4)
        assert pixels.dtype == np.uint8
        assert pixels[..., 3].max() == 255


def test_degenerate_meshes_can_be_drawn(renderer: Renderer):
    assert not renderer.draw(mesh_of([], []), Camera(), 32, 32).any()
    assert renderer.draw(mesh_of([[5, 5, 5]], []), Camera(), 32, 32)[..., 3].any()
    assert renderer.draw(mesh_of([[5, 5, 5]] * 3, [[0, 1, 2]]), Camera(), 32, 32).shape == (32, 32, 4)
    assert renderer.draw(mesh_of([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]]), FLAT, 32, 32).shape == (32, 32, 4)
    huge = mesh_of(cube().vertices * 1e30, cube().faces)
    tiny = mesh_of(cube().vertices * 1e-30, cube().faces)
    usual = renderer.draw(cube(), Camera(), 64, 64)
    assert _mean_difference(renderer.draw(huge, Camera(), 64, 64), usual) < 0.5
    assert _mean_difference(renderer.draw(tiny, Camera(), 64, 64), usual) < 0.5


def test_faces_without_area_are_drawn_as_points(renderer: Renderer):
    line = np.linspace([-1, -1, 0], [1, 1, 0], 40)
    ends = np.arange(39)
    sketch = mesh_of(line, np.stack([ends, ends + 1, ends + 1], axis=1))
    assert alpha(renderer.draw(sketch, Camera(), 64, 64)).sum() > 40
    mixed = mesh_of([*line, [0, 1, 0]], [*np.stack([ends, ends + 1, ends + 1], axis=1), [0, 39, 40]])
    alone = mesh_of([*line, [0, 1, 0]], [[0, 39, 40]])
    shown = [renderer.draw(mesh, FLAT, 64, 64) for mesh in (mixed, alone)]
    assert _mean_difference(*shown) < 1


def test_unused_vertices_do_not_change_scale(renderer: Renderer):
    stray = mesh_of([*cube().vertices, [1e6, 0, 0]], cube().faces)
    assert np.array_equal(renderer.draw(stray, Camera(), 64, 64), renderer.draw(cube(), Camera(), 64, 64))


def test_different_meshes_give_different_images(renderer: Renderer):
    first, second = cube(), sphere(8)
    before = renderer.draw(first, Camera(), 64, 64)
    renderer.draw(second, Camera(), 64, 64)
    assert np.array_equal(renderer.draw(first, Camera(), 64, 64), before)


def test_ambient_occlusion_darkens_cavities_but_not_planes(renderer: Renderer):
    corner = cube(("bottom", "back", "left"))
    camera = Camera(azimuth=45, elevation=35)
    plain, carved = (renderer.draw(corner, camera, 128, 128, style).astype(int) for style in (PLAIN, FINE_STYLE))
    middle = plain[..., 3] == 255
    change = (carved - plain)[..., :3].mean(axis=2)
    assert change[middle].min() < -15
    assert np.median(np.abs(change[middle])) < 3


def test_two_renderers_agree():
    try:
        gl = open_renderer("gl")
    except RuntimeError as error:
        pytest.skip(f"no OpenGL here: {error}")
    software = open_renderer("software")
    meshes = [cube(), sphere(20), soup(300, 1), mesh_of(sphere(30).vertices, []), _painted_cube("top")]
    if SHREC06.is_dir():
        from shrec_viewer.formats.meshes.mesh_reader import read_mesh  # only a test may know both floors

        meshes += [read_mesh(path) for path in random.Random(2).sample(sorted(SHREC06.glob("*.off")), 3)]
    cameras = (Camera(), Camera(fit="tight"), Camera(-70, -20, "Z", 1.4, (0.1, -0.2), 0.0))
    for row, mesh in enumerate(meshes):
        for turn, camera in enumerate(cameras):
            # Each mesh with each style and camera, and each style with each camera, but not all three.
            for style in STYLES[(row + turn) % 3 :: 3] if len(mesh.faces) < 20_000 else (FINE_STYLE,):
                one, two = gl.draw(mesh, camera, 256, 216, style), software.draw(mesh, camera, 256, 216, style)
                assert _mean_difference(one, two) < MEAN_DIFFERENCE
                assert _share_different(one, two) < SHARE_DIFFERENT
    gl.close()


def test_smooth_shading_of_sphere_and_box(renderer: Renderer):
    smooth = RenderStyle(shading="smooth", ambient_occlusion=False)
    ball = renderer.draw(sphere(10), FLAT, 128, 128, smooth).astype(int)
    faceted = renderer.draw(sphere(10), FLAT, 128, 128, PLAIN).astype(int)
    steps = [np.abs(np.diff(pixels[64, 24:104, 0])).max() for pixels in (ball, faceted)]
    assert steps[0] <= 4 < 12 < steps[1]
    for mesh in (cube(), flipped(cube())):
        assert (
            _mean_difference(
                renderer.draw(mesh, Camera(), 96, 96, smooth), renderer.draw(mesh, Camera(), 96, 96, PLAIN)
            )
            < 0.6
        )


def test_smooth_shading_ignores_orientation_and_split_vertices(renderer: Renderer):
    smooth = RenderStyle(shading="smooth")
    ball = sphere(12)
    whole = renderer.draw(ball, Camera(), 96, 96, smooth)
    mixed = ball.faces.copy()
    mixed[::2] = mixed[::2, ::-1]
    apart = mesh_of(ball.vertices[ball.faces].reshape(-1, 3), np.arange(3 * len(ball.faces)))
    assert _mean_difference(renderer.draw(mesh_of(ball.vertices, mixed), Camera(), 96, 96, smooth), whole) < 0.3
    assert _mean_difference(renderer.draw(apart, Camera(), 96, 96, smooth), whole) < 0.3


def test_normals_shading_shows_direction_and_flipped_faces(renderer: Renderer):
    style = RenderStyle(shading="normals", ambient_occlusion=False)
    seen = {}
    for name, mesh in {"cube": cube(), "inside out": flipped(cube())}.items():
        for side, azimuth in {"front": 0, "right": 90}.items():
            seen[name, side] = renderer.draw(mesh, Camera(azimuth, 0), 32, 32, style)[16, 16, :3].tolist()
    low, middle, high = (round(255 * value) for value in (0.05, 0.5, 0.95))
    for key, colour in {
        ("cube", "front"): [middle, middle, high],
        ("cube", "right"): [high, middle, middle],
        ("inside out", "front"): [middle, middle, low],
        ("inside out", "right"): [low, middle, middle],
    }.items():
        assert np.abs(np.array(seen[key]) - colour).max() <= 1


def test_wireframe_is_on_edges_only(renderer: Renderer):
    square = mesh_of([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    plain, wired = (renderer.draw(square, FLAT, 128, 128, style).astype(int) for style in (PLAIN, WIRED))
    changed = np.abs(plain - wired)[..., :3].max(axis=2) > 10
    diagonal = np.eye(128, dtype=bool)[::-1]
    inside = np.zeros((128, 128), bool)
    inside[24:104, 24:104] = True
    assert changed[diagonal & inside].all()
    near = sum(np.roll(diagonal, shift, 1).astype(int) for shift in (-2, -1, 0, 1, 2)) > 0
    assert not changed[inside & ~near].any()


def test_wireframe_of_faces_far_beyond_image(renderer: Renderer):
    camera = Camera(60, 10, zoom=6)
    plain, wired = (renderer.draw(cube(), camera, 128, 112, style).astype(int) for style in (PLAIN, WIRED))
    changed = np.abs(plain - wired)[..., :3].max(axis=2) > 10
    assert 20 < changed.sum() < 0.02 * changed.size


def test_bounding_box_fits_into_image(renderer: Renderer):
    camera = Camera(azimuth=0, elevation=0, field_of_view=0, fit="tight")
    plain, boxed = (alpha(renderer.draw(sphere(), camera, 128, 128, style)) for style in (PLAIN, BOXED))
    rows, columns = np.flatnonzero(boxed.any(axis=1)), np.flatnonzero(boxed.any(axis=0))
    assert boxed[rows[0], columns[0]] > 0  # corners that a ball does not reach
    assert plain[rows[0], columns[0]] == 0
    assert boxed[rows[0] + 1, 64] > 0
    assert 0 < rows[0] < rows[-1] < 127
    assert 0 < columns[0] < columns[-1] < 127
    mesh_view_state = Camera(fit="sphere")
    assert not alpha(renderer.draw(sphere(), mesh_view_state, 128, 128, BOXED))[[0, -1]].any()


def test_axis_cross_follows_rotation(renderer: Renderer):
    for camera, across, upwards in (
        (Camera(0, 0), 0, 1),  # front: x to the right, y up
        (Camera(0, 0, "Z"), 0, 2),
        (Camera(90, 0, "Y"), None, 1),
    ):
        pixels = renderer.draw(cube(), camera, 300, 300, RenderStyle(axes=True, ambient_occlusion=False)).astype(int)
        corner = pixels[190:, :110]
        for axis, horizontal in ((across, True), (upwards, False)):
            if axis is None:
                continue
            rows, columns = np.nonzero((corner[..., 3] > 200) & (corner[..., axis] > 1.6 * corner[..., (axis + 1) % 3]))
            assert (np.ptp(columns) > np.ptp(rows)) == horizontal


def test_several_prepared_meshes(renderer: Renderer):
    meshes = [cube(), sphere(8), soup(20, 3)]
    held = [renderer.prepare(mesh) for mesh in meshes]
    for style in (FINE_STYLE, RenderStyle(shading="smooth", wireframe=True)):
        for prepared, mesh in zip(held, meshes, strict=True):
            assert np.array_equal(
                renderer.draw(prepared, Camera(), 64, 64, style), renderer.draw(mesh, Camera(), 64, 64, style)
            )
    for prepared in held:
        prepared.release()
        prepared.release()
    assert renderer.draw(meshes[0], Camera(), 64, 64)[..., 3].any()


def _painted_cube(side: str) -> Mesh:
    """A white cube with one red side; its corners are not shared, so that colours do not run."""
    mesh = cube()
    corners = mesh.vertices[mesh.faces].reshape(-1, 3)
    white, red = [255, 255, 255, 255], [255, 0, 0, 255]
    paint = [red if name == side else white for name in CUBE_FACES for _ in range(6)]
    return mesh_of(corners, np.arange(36), paint)


def _differences(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Largest difference of any channel at each pixel that either picture covers; hidden colours do not count."""
    seen = (one[..., 3] > 0) | (two[..., 3] > 0)
    shown = [np.where(picture[..., 3:] > 0, picture, 0).astype(int) for picture in (one, two)]
    return np.abs(shown[0] - shown[1]).max(axis=2)[seen]


def _mean_difference(one: np.ndarray, two: np.ndarray) -> float:
    return float(_differences(one, two).mean())


def _share_different(one: np.ndarray, two: np.ndarray) -> float:
    return float((_differences(one, two) > 16).mean())


@pytest.mark.parametrize("missing", [True, False])
def test_missing_opengl_falls_back_to_software_with_reason(monkeypatch: pytest.MonkeyPatch, missing: bool):
    def refuse(**how: object) -> None:
        raise OSError(f"no {how.get('backend', 'WGL')} here")  # as Windows and macOS have no EGL

    monkeypatch.setitem(sys.modules, "moderngl", None if missing else SimpleNamespace(create_context=refuse))
    monkeypatch.delenv("SHREC_VIEWER_RENDERER", raising=False)
    renderer = open_renderer()
    assert renderer.name == "software"
    assert (
        "moderngl cannot be loaded" if missing else "egl: no egl here; default: no WGL here"
    ) in renderer.description
    assert renderer.draw(cube(), Camera(), 32, 32)[..., 3].any()
    with pytest.raises(RuntimeError, match=r"here|loaded"):
        open_renderer("gl")
