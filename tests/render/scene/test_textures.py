"""Textures: orientation, filtering, agreement of both renderers."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from solids import CUBE_FACES, QUARTERS, SPOTS, cube, letter, lettered_cube, mesh_of, scattered_sphere, textured

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.renderer import Renderer, open_renderer
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.lighting import BASE_COLOUR, linear_to_srgb, srgb_to_linear
from shrec_viewer.render.scene.render_mesh import make_render_mesh
from shrec_viewer.render.scene.style import FINE_STYLE, RenderStyle
from shrec_viewer.render.scene.texture import Texels, mipmaps

QUICK_STYLE = RenderStyle(samples=1, ambient_occlusion=False)

ODD = Path(__file__).parents[3] / "../shared/data/meshes_odd"

FLAT = Camera(azimuth=0, elevation=0, field_of_view=0, fit="tight")
PLAIN = RenderStyle(ambient_occlusion=False)

MEAN = 1.0
"""Of 255, over covered pixels, between the renderers; as for clay."""

SHARE = 0.004
"""Of covered pixels may differ by more than 16 of 255."""


def plate(scale: float = 1.0) -> Mesh:
    """A square that faces the camera, with the letter upon it `scale` times."""
    square = mesh_of([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    return textured(square, np.array(SPOTS) * scale, letter())


def hue(pixels: np.ndarray, row: float, column: float) -> list[int]:
    """Which quarter's colour a place in the picture has, by row and column."""
    height, width = pixels.shape[:2]
    seen = pixels[int(row * height), int(column * width), :3].astype(float)
    colours = QUARTERS.reshape(4, 3).astype(float)
    alike = colours @ seen / np.linalg.norm(colours, axis=1) / np.linalg.norm(seen)
    return [int(alike.argmax()) // 2, int(alike.argmax()) % 2]


def agree(one: np.ndarray, two: np.ndarray) -> bool:
    seen = (one[..., 3] > 0) | (two[..., 3] > 0)
    shown = [np.where(picture[..., 3:] > 0, picture, 0).astype(int) for picture in (one, two)]
    difference = np.abs(shown[0] - shown[1]).max(axis=2)[seen]
    return bool(difference.mean() < MEAN and (difference > 16).mean() < SHARE)


@pytest.fixture(scope="module")
def pair():
    try:
        opened = open_renderer("gl"), open_renderer("software")
    except RuntimeError as error:
        pytest.skip(f"no OpenGL here: {error}")
    yield opened
    for renderer in opened:
        renderer.close()


def test_texture_is_upright_and_not_mirrored(renderer: Renderer):
    pixels = renderer.draw(plate(), FLAT, 96, 96, PLAIN)
    places = {
        (i, j): hue(pixels, row, column) for i, row in ((0, 0.12), (1, 0.88)) for j, column in ((0, 0.15), (1, 0.85))
    }
    assert places == {key: list(key) for key in places}
    expected = np.asarray(Image.fromarray(letter()).resize((96, 96), Image.Resampling.BOX)).astype(float)[
        6:-6, 6:-6, :3
    ]
    found = pixels[6:-6, 6:-6, :3].astype(float)
    as_is = np.corrcoef(expected.ravel(), found.ravel())[0, 1]
    turned = [
        np.corrcoef(other.ravel(), found.ravel())[0, 1]
        for other in (expected[::-1], expected[:, ::-1], expected[::-1, ::-1])
    ]
    assert as_is > 0.9 > 0.6 > max(turned)


@pytest.mark.parametrize("side", [side for side in CUBE_FACES if side not in ("top", "bottom")])
def test_texture_is_upright_on_all_sides_of_cube(renderer: Renderer, side: str):
    azimuth = {"front": 0, "right": 90, "back": 180, "left": -90}[side]
    seen = renderer.draw(lettered_cube(), replace(FLAT, azimuth=azimuth), 64, 64, PLAIN)
    front = renderer.draw(lettered_cube(), FLAT, 64, 64, PLAIN)
    assert agree(seen, front)
    assert [hue(seen, row, column) for row in (0.12, 0.88) for column in (0.15, 0.85)] == [
        [0, 0],
        [0, 1],
        [1, 0],
        [1, 1],
    ]


def test_texture_colours_are_shaded_correctly(renderer: Renderer):
    white, grey = (np.full((4, 4, 4), [value, value, value, 255], np.uint8) for value in (255, 128))
    colours = {}
    for name, picture in {"white": white, "grey": grey}.items():
        mesh = replace(plate(), texture=replace(plate().texture, images=(picture,)))
        colours[name] = srgb_to_linear(renderer.draw(mesh, FLAT, 32, 32, PLAIN)[16, 16][None])[0]
    assert colours["grey"] / colours["white"] == pytest.approx(srgb_to_linear(grey[0, :1])[0], rel=0.02)
    clay = srgb_to_linear(renderer.draw(replace(plate(), texture=None), FLAT, 32, 32, PLAIN)[16, 16][None])[0]
    assert clay / colours["white"] == pytest.approx(BASE_COLOUR, rel=0.03)


def test_vertex_colours_multiply_texture(renderer: Renderer):
    half = int(np.rint(255 * float(linear_to_srgb(np.float32(0.5)))))
    tinted = replace(plate(), colours=np.full((4, 4), [half, 255, 0, 255], np.uint8))
    one, two = (srgb_to_linear(renderer.draw(mesh, FLAT, 64, 64, PLAIN).reshape(-1, 4)) for mesh in (plate(), tinted))
    assert np.abs(two - one * np.float32([0.5, 1, 0])).max() < 0.01


def test_textures_repeat(renderer: Renderer):
    shifted = replace(plate(), texture=replace(plate().texture, uv=np.float32(SPOTS) + np.float32([3, -2])))
    assert agree(renderer.draw(shifted, FLAT, 64, 64), renderer.draw(plate(), FLAT, 64, 64))
    twice = renderer.draw(plate(2.0), FLAT, 64, 64, PLAIN)
    for row in (0.12, 0.55):
        assert [hue(twice, row, column) for column in (0.12, 0.42, 0.56, 0.86)] == [[0, 0], [0, 1], [0, 0], [0, 1]]


def test_fine_pattern_is_filtered_to_mean(renderer: Renderer):
    checks = np.indices((512, 512)).sum(axis=0) % 2 * 255
    board = np.dstack([checks, checks, checks, np.full_like(checks, 255)]).astype(np.uint8)
    mesh = replace(plate(), texture=replace(plate().texture, images=(board,)))
    pixels = renderer.draw(mesh, FLAT, 64, 64, PLAIN)[8:-8, 8:-8, :3]
    white = np.full((1, 1, 4), 255, np.uint8)
    bright = renderer.draw(replace(mesh, texture=replace(mesh.texture, images=(white,))), FLAT, 64, 64, PLAIN)
    assert np.ptp(pixels, axis=(0, 1)).max() <= 2
    assert srgb_to_linear(pixels[24, 24][None]) == pytest.approx(srgb_to_linear(bright[32, 32][None]) / 2, rel=0.03)


def test_faces_with_and_without_image_of_material(renderer: Renderer):
    reds, blues = (np.full((3, 5, 4), colour, np.uint8) for colour in ([255, 0, 0, 255], [0, 0, 255, 255]))
    strips = [[x, y, 0] for x in (0, 1, 2, 3) for y in (0, 1)]
    faces = [[2 * k, 2 * k + 2, 2 * k + 1] for k in (2, 0, 1)] + [[2 * k + 2, 2 * k + 3, 2 * k + 1] for k in (2, 0, 1)]
    corners = np.array(strips, float)[np.array(faces)].reshape(-1, 3)
    mesh = textured(mesh_of(corners, np.arange(18)), np.zeros((18, 2)), reds, blues, of_faces=[-1, 0, 1, -1, 0, 1])
    for colours, expected in ((None, BASE_COLOUR), (np.full((18, 4), [255, 255, 0, 255], np.uint8), (1, 1, 0))):
        pixels = renderer.draw(replace(mesh, colours=colours), FLAT, 90, 30, PLAIN)[15].astype(int)
        assert pixels[16, 0] > 100 > pixels[16, 2] if colours is None else pixels[16, 0] > 100
        assert max(pixels[45, :2]) < 20
        seen = srgb_to_linear(pixels[75][None].astype(np.uint8))[0]
        assert seen / seen.max() == pytest.approx(np.array(expected) / max(expected), abs=0.06)


def test_transparent_texels_show_base_colour(renderer: Renderer):
    hollow = letter()
    hollow[..., 3] = 0
    clear = replace(plate(), texture=replace(plate().texture, images=(hollow,)))
    clay = renderer.draw(replace(plate(), texture=None), FLAT, 48, 48)
    assert np.abs(renderer.draw(clear, FLAT, 48, 48).astype(int) - clay).max() <= 2


def test_no_texture_without_colours_or_with_normals_shading(renderer: Renderer):
    bare = replace(lettered_cube(), texture=None)
    for style in (
        RenderStyle(colours=False),
        RenderStyle(shading="normals"),
        RenderStyle(colours=False, wireframe=True, samples=1),
    ):
        assert np.array_equal(
            renderer.draw(lettered_cube(), Camera(), 64, 64, style), renderer.draw(bare, Camera(), 64, 64, style)
        )


def test_texture_with_unused_vertices_lines_and_points(renderer: Renderer):
    usual = renderer.draw(plate(), FLAT, 64, 64)
    texture = plate().texture
    stray = replace(
        plate(),
        vertices=np.concatenate([np.float32([[50, 50, 50]]), plate().vertices]),
        faces=plate().faces + 1,
        texture=replace(texture, uv=np.concatenate([np.float32([[9, 9]]), texture.uv])),
    )
    assert np.array_equal(renderer.draw(stray, FLAT, 64, 64), usual)
    line = textured(mesh_of([[0, 0, 0], [1, 1, 0], [2, 2, 0]], [[0, 1, 2]]), np.zeros((3, 2)), letter())
    assert renderer.draw(line, FLAT, 32, 32)[..., 3].any()
    cloud = mesh_of(scattered_sphere(50), [])
    assert renderer.draw(textured(cloud, np.zeros((50, 2)), letter()), FLAT, 32, 32)[..., 3].any()


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (3, 5), (100, 60), (64, 64)])
def test_renderers_agree_on_any_texture_size(pair, shape: tuple[int, int]):
    random = np.random.default_rng(3)
    noise = np.dstack([random.integers(0, 256, (*shape, 3)), np.full(shape, 255)]).astype(np.uint8)
    for scale in (0.3, 1.0, 6.0):
        mesh = replace(plate(scale), texture=replace(plate(scale).texture, images=(noise,)))
        assert agree(*(renderer.draw(mesh, Camera(40, 35), 96, 80) for renderer in pair)), scale


def test_renderers_agree_on_textures(pair):
    meshes = [lettered_cube(), lettered_cube(np.tile(letter(), (8, 8, 1)))]
    meshes.append(replace(meshes[0], colours=np.full((24, 4), [255, 200, 128, 255], np.uint8)))
    if ODD.is_dir():
        from shrec_viewer.formats.meshes.mesh_reader import read_mesh  # only a test may know both floors

        meshes += [read_mesh(ODD / name) for name in ("BoxTextured.glb", "Duck.glb", "fuze.zip", "pyramid.zip")]
    cameras = (Camera(), Camera(-70, -20, "Z", 1.4, (0.1, -0.2), 0.0, "sphere"), Camera(60, 10, zoom=6))
    styles = (FINE_STYLE, QUICK_STYLE, RenderStyle(shading="smooth", wireframe=True, box=True))
    for row, mesh in enumerate(meshes):
        assert mesh.texture is not None
        for turn, camera in enumerate(cameras):
            style = styles[(row + turn) % 3]  # each mesh with each style and camera, but not with all pairs of them
            assert agree(*(renderer.draw(mesh, camera, 128, 112, style) for renderer in pair))


def test_comparison_detects_flipped_or_unfiltered_textures(pair):
    _, software = pair
    usual = software.draw(lettered_cube(), Camera(), 128, 112)
    texture = lettered_cube().texture
    wrong = {
        "upside down": texture.uv * np.float32([1, -1]) + np.float32([0, 1]),
        "mirrored": texture.uv * np.float32([-1, 1]) + np.float32([1, 0]),
        "turned": texture.uv[:, ::-1],
        "half a pixel off": texture.uv + np.float32(1.5 / 64),
    }
    for name, places in wrong.items():
        shown = software.draw(replace(lettered_cube(), texture=replace(texture, uv=places)), Camera(), 128, 112)
        assert not agree(shown, usual), name


def test_prepared_meshes_have_separate_textures(renderer: Renderer):
    meshes = [lettered_cube(), lettered_cube(letter()[::-1]), replace(lettered_cube(), texture=None)]
    held = [renderer.prepare(mesh) for mesh in meshes]
    expected = [renderer.draw(mesh, Camera(), 64, 64) for mesh in meshes]
    for _ in range(2):
        for prepared, picture in zip(held, expected, strict=True):
            assert np.array_equal(renderer.draw(prepared, Camera(), 64, 64), picture)
    for prepared in held:
        prepared.release()
        prepared.release()


def test_meshes_without_texture_keep_face_order():
    assert make_render_mesh(cube()).render_texture is None
    assert np.array_equal(make_render_mesh(cube()).faces, cube().faces)
    body = make_render_mesh(textured(cube(), np.zeros((8, 2)), letter(), of_faces=np.arange(12) % 2 - 1))
    assert (np.diff(body.render_texture.face_images) >= 0).all()
    assert body.render_texture.face_images.tolist() == [0] * 6 + [1] * 6
    assert np.array_equal(body.faces[:6], cube().faces[1::2])


def test_mipmaps_keep_mean_in_linear_light():
    pixels = np.random.default_rng(1).integers(0, 256, (64, 32, 4)).astype(np.uint8)
    pixels[..., 3] = 255
    pyramid = mipmaps(pixels)
    assert [level.shape[:2] for level in pyramid] == [(64, 32), (32, 16), (16, 8), (8, 4), (4, 2), (2, 1), (1, 1)]
    assert np.array_equal(pyramid[0], pixels)
    mean = srgb_to_linear(pixels.reshape(-1, 4)).mean(axis=0)
    for level in pyramid:
        assert srgb_to_linear(level.reshape(-1, 4)).mean(axis=0) == pytest.approx(mean, abs=0.004)


def test_texel_centres_are_sampled_exactly():
    picture = letter(16)
    texels = Texels((picture[:1, :1], picture))
    rows, columns = (part.ravel() for part in np.indices((16, 16)))
    places = np.stack([(columns + 0.5) / 16 - 2, (rows + 0.5) / 16 + 5], axis=1).astype(np.float32)
    still = np.zeros_like(places)
    found = texels.sample(np.ones(256, np.int64), places, still, still)
    assert found == pytest.approx(srgb_to_linear(picture.reshape(-1, 4)), abs=1e-4)
    far = texels.sample(np.ones(256, np.int64), places, still + 1, still)
    assert far == pytest.approx(np.tile(srgb_to_linear(mipmaps(picture)[-1][0]), (256, 1)), abs=1e-6)
