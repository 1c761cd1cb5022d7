"""Images of sample solids equal golden images that were checked by eye, with both renderers.

After an intended change: ``python tests/render/test_golden.py`` renders the golden images again; check them by eye.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from solids import CUBE_FACES, cube, lettered_cube, mesh_of, scattered_sphere, soup, sphere

from shrec_viewer.domain.mesh import Mesh, MeshValues
from shrec_viewer.domain.value_scale import ValueScale
from shrec_viewer.render.gl import gl_renderer
from shrec_viewer.render.renderer import Renderer, open_renderer
from shrec_viewer.render.scene import lighting
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.style import FINE_STYLE, RenderStyle

GOLDEN = Path(__file__).with_name("golden")
SIZE = 96

MEAN = 1.5
"""Of 255, over covered pixels: rounding costs half a step, corners that OpenGL snaps a little more."""

SHARE = 0.01
"""Of covered pixels may differ by more than 24 of 255."""


def dice() -> Mesh:
    """A cube whose sides have colours of their own, one of them two, so that they run into each other."""
    corners = cube().vertices[cube().faces].reshape(-1, 3)
    paint = np.repeat(np.linspace([250, 240, 60, 255], [30, 90, 220, 255], len(CUBE_FACES)), 6, axis=0)
    paint[:3] = [220, 30, 30, 255]
    return mesh_of(corners, np.arange(36), paint)


def knot() -> Mesh:
    """A tube in a knot: hollows, outlines before each other, and nothing straight."""
    turn = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    path = np.stack([np.sin(turn) + 2 * np.sin(2 * turn), np.cos(turn) - 2 * np.cos(2 * turn), -np.sin(3 * turn)], 1)
    along = np.gradient(path, axis=0)
    side = np.cross(along, [0.3, 0.2, 1.0])
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    up = np.cross(along, side)
    up /= np.linalg.norm(up, axis=1, keepdims=True)
    around = np.linspace(0, 2 * np.pi, 14, endpoint=False)[:, None, None]
    points = path + 0.45 * (np.cos(around) * side + np.sin(around) * up)
    place = np.arange(14 * 120).reshape(14, 120)
    a, b, c, d = place, np.roll(place, -1, 0), np.roll(np.roll(place, -1, 0), -1, 1), np.roll(place, -1, 1)
    return mesh_of(points, np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]))


def valued_knot() -> Mesh:
    """The knot with a quantity of its vertices, undefined in a part, one of its faces, and labels of its vertices."""
    plain = knot()
    height, turn = plain.vertices[:, 2], np.arctan2(plain.vertices[:, 1], plain.vertices[:, 0])
    quality = np.where(turn > 2.4, np.nan, height).astype(np.float32)
    slope = (np.arange(len(plain.faces)) % 240 / 120 - 1).astype(np.float32)
    part = (np.floor(turn + 4)).astype(np.float32)
    values = (
        MeshValues("quality", "vertex", quality),
        MeshValues("slope", "face", slope),
        MeshValues("part", "vertex", part, tuple("abcdefgh")),
    )
    return replace(plain, values=values)


def valued_cloud() -> Mesh:
    plain = mesh_of(scattered_sphere(900), [])
    return replace(plain, values=(MeshValues("height", "vertex", plain.vertices[:, 1].copy()),))


CASES = {
    "knot-values": (valued_knot, Camera(), RenderStyle(values=ValueScale("quality", -0.8, 0.8))),
    "knot-zero": (valued_knot, Camera(30, 60), RenderStyle(values=ValueScale("slope", -1, 1, 0.0), wireframe=True)),
    "knot-labels": (valued_knot, Camera(0, 80), RenderStyle(values=ValueScale("part"), shading="smooth")),
    "cloud-values": (valued_cloud, Camera(fit="tight"), RenderStyle(values=ValueScale("height"))),
    "knot": (knot, Camera(), FINE_STYLE),
    "knot-smooth": (knot, Camera(-50, 60, "Z", field_of_view=0.0), RenderStyle(shading="smooth")),
    "knot-normals": (knot, Camera(fit="tight"), RenderStyle(shading="normals")),
    "ball-wires": (lambda: sphere(9), Camera(20, 40), RenderStyle(wireframe=True, shading="smooth")),
    "dice-box": (dice, Camera(-30, 20, "Y", 0.8), RenderStyle(box=True, axes=True)),
    "letters": (lettered_cube, Camera(35, 25), FINE_STYLE),
    "soup": (lambda: soup(120, 7), Camera(), FINE_STYLE),
    "cloud": (lambda: mesh_of(scattered_sphere(900), []), Camera(fit="tight"), FINE_STYLE),
}


def drawn(renderer: Renderer, name: str, **changes: object) -> np.ndarray:
    make, camera, style = CASES[name]
    return renderer.draw(make(), replace(camera, **changes), SIZE, SIZE, style)


def differs(pixels: np.ndarray, name: str) -> bool:
    """Whether a picture is beyond the tolerance of the golden one."""
    with Image.open(GOLDEN / f"{name}.png") as picture:
        golden = np.array(picture.convert("RGBA"))
    seen = (pixels[..., 3] > 0) | (golden[..., 3] > 0)
    shown = [np.where(picture[..., 3:] > 0, picture, 0).astype(int) for picture in (pixels, golden)]
    difference = np.abs(shown[0] - shown[1]).max(axis=2)[seen]
    return bool(difference.mean() > MEAN or (difference > 24).mean() > SHARE)


@pytest.mark.parametrize("name", CASES)
def test_images_equal_golden_images(renderer: Renderer, name: str):
    assert not differs(drawn(renderer, name), name)


@pytest.mark.parametrize("name", CASES)
def test_golden_comparison_detects_wrong_camera(renderer: Renderer, name: str):
    camera = CASES[name][1]
    wrong = {"turned": {"azimuth": camera.azimuth + 4}, "raised": {"elevation": camera.elevation + 4}}
    wrong |= {"near": {"zoom": camera.zoom * 1.04}, "panned": {"pan": (0.04, 0.0)}}
    wrong["up"] = {"up": "Z" if camera.up == "Y" else "Y"}
    if name.startswith("cloud"):  # a ball looks the same from everywhere
        wrong = {key: wrong[key] for key in ("near", "panned")}
    for key, changes in wrong.items():
        assert differs(drawn(renderer, name, **changes), name), key


@pytest.mark.parametrize("name", [name for name in CASES if "normals" not in name])
@pytest.mark.parametrize("wrong", ["mirrored key", "weak key", "no fill", "cold base colour", "no ambient occlusion"])
def test_golden_comparison_detects_wrong_lighting(
    monkeypatch: pytest.MonkeyPatch, renderer: Renderer, name: str, wrong: str
):
    if wrong == "no ambient occlusion":
        make, camera, style = CASES[name]
        assert differs(renderer.draw(make(), camera, SIZE, SIZE, replace(style, ambient_occlusion=False)), name)
        return
    if wrong == "cold base colour" and (name in ("dice-box", "letters") or CASES[name][2].values is not None):
        pytest.skip("has its own colours")
    (x, y, z), colour, wrap = lighting.KEY_LIGHT
    changed = {
        "mirrored key": ("KEY_LIGHT", ((-x, y, z), colour, wrap)),
        "weak key": ("KEY_LIGHT", ((x, y, z), tuple(0.93 * value for value in colour), wrap)),
        "no fill": ("FILL_LIGHT", (lighting.FILL_LIGHT[0], (0.0, 0.0, 0.0), lighting.FILL_LIGHT[2])),
        "cold base colour": ("BASE_COLOUR", tuple(reversed(lighting.BASE_COLOUR))),
    }[wrong]
    assert differs(_relit(monkeypatch, renderer.name, *changed, name), name)


def _relit(monkeypatch: pytest.MonkeyPatch, renderer: str, constant: str, value: tuple, name: str) -> np.ndarray:
    """The image under other lighting, which a renderer reads when it is opened."""
    from shrec_viewer.render.software import software_renderer

    monkeypatch.setattr(lighting, constant, value)
    if constant == "BASE_COLOUR":
        monkeypatch.setattr(software_renderer, "BASE_COLOUR", value)
        monkeypatch.setitem(gl_renderer._LIGHTING_UNIFORMS, "base_colour", value)
    else:
        prefix = constant.lower().removesuffix("_light")
        uniforms = {
            prefix: gl_renderer._unit_vector(value[0]),
            f"{prefix}_colour": value[1],
            f"{prefix}_wrap": value[2],
        }
        for key, uniform in uniforms.items():
            monkeypatch.setitem(gl_renderer._LIGHTING_UNIFORMS, key, uniform)
    opened = open_renderer(renderer)
    try:
        return drawn(opened, name)
    finally:
        opened.close()


if __name__ == "__main__":
    software = open_renderer("software")
    for case in CASES:
        Image.fromarray(drawn(software, case)).save(GOLDEN / f"{case}.png", optimize=True)
