"""Draws with numpy alone, for machines whose OpenGL is missing or broken; the same look as `gl`."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.body import Body, Prepared
from shrec_viewer.render.camera import Camera, Framing
from shrec_viewer.render.interpolation import Interpolation
from shrec_viewer.render.look import CLAY, WIRE, encode, orientation_colours, shade, wire_share
from shrec_viewer.render.overlay import Overlay, overlay
from shrec_viewer.render.raster import NOTHING, rasterise
from shrec_viewer.render.relief import FAR, relief
from shrec_viewer.render.splats import ball_normals, rasterise_splats, splat_radius
from shrec_viewer.render.style import FINE, Style
from shrec_viewer.render.texture import Skin

Floats = NDArray[np.float32]


class SoftwareRenderer:
    """A z-buffer over numpy arrays; see `Renderer`."""

    name = "software"

    def __init__(self, description: str = "software (numpy)") -> None:
        self.description = description
        self._drawn: Prepared | None = None

    def prepare(self, mesh: Mesh) -> Prepared:
        """The mesh, kept ready; see `Renderer.prepare`."""
        return Prepared(mesh)

    def draw(
        self, mesh: Mesh | Prepared, camera: Camera, width: int, height: int, style: Style = FINE
    ) -> NDArray[np.uint8]:
        """Pixels (height, width, 4); see `Renderer.draw`."""
        body = self._prepared(mesh).body
        if len(body.points) == 0:
            return np.zeros((height, width, 4), np.uint8)
        framing = body.framing(camera, width, height, box=style.box)
        view = _View(body, framing, style, width * style.samples, height * style.samples)
        lines = overlay(body.corners, framing, width, height, style)
        if len(body.faces):
            index, depth, colour = _faces(view)
        else:
            index, depth, colour = _balls(view, splat_radius(len(body.points), min(width, height) * camera.zoom))
        picture = np.zeros((*index.shape, 3), np.float32)
        picture[index != NOTHING] = colour
        seen = index != NOTHING
        if lines is not None:
            seen = _lay_over(lines, picture, depth, seen)
        depth = np.where(seen, camera.depth(depth, framing.reach), np.float32(FAR))
        return _resolve(picture, depth, style, framing.enlargement)

    def close(self) -> None:
        """Forget the mesh."""
        self._drawn = None

    def _prepared(self, mesh: Mesh | Prepared) -> Prepared:
        if isinstance(mesh, Prepared):
            return mesh
        if self._drawn is None or self._drawn.mesh is not mesh:
            self._drawn = Prepared(mesh)
        return self._drawn


@dataclass(frozen=True, eq=False)
class _View:
    """A body in front of a camera; `columns` and `rows` count samples."""

    body: Body
    framing: Framing
    style: Style
    columns: int
    rows: int

    def screen(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Places (V, 3) in samples from the upper left corner with depth in [0, 1], and the divisor (V,)."""
        clip = self.body.points @ self.framing.clip[:, :3].T + self.framing.clip[:, 3]
        places = (clip[:, :3] / clip[:, 3:] * (1, -1, 1) + 1) / 2 * (self.columns, self.rows, 1)
        return places, clip[:, 3]


_Drawn = tuple[NDArray[np.int32], Floats, Floats]
"""What is seen (rows, columns), its depth, and the colours (N, 3), sRGB, of the N samples where something is."""


def _balls(view: _View, radius: float) -> _Drawn:
    screen, _ = view.screen()
    radius *= view.style.samples
    index, depth = rasterise_splats(screen, radius, view.columns, view.rows)
    normals = ball_normals(index, screen, radius)
    if view.style.shading == "normals":
        return index, depth, orientation_colours(normals, view.framing.rotation)
    albedo: Floats = np.asarray(CLAY, np.float32)
    if view.body.paint is not None and view.style.colours:
        albedo = view.body.paint[index[index != NOTHING]]
    return index, depth, encode(shade(normals) * albedo)


def _faces(view: _View) -> _Drawn:
    body, style = view.body, view.style
    screen, w = view.screen()
    index, depth = rasterise(screen, body.faces, view.columns, view.rows)
    facing, away = _facing_normals(body, view.framing)
    seen = index[index != NOTHING]
    has_colours = style.colours and style.shading != "normals"
    paint, skin = (body.paint, body.skin) if has_colours else (None, None)
    between = None
    if paint is not None or skin is not None or style.wireframe or style.shading == "smooth":
        between = Interpolation(index, screen, body.faces)
    if style.shading == "normals":
        own = np.where(away[:, None], -facing, facing)
        colour = orientation_colours(own, view.framing.rotation)[seen]
    elif paint is None and skin is None and style.shading == "flat":
        colour = encode(shade(facing) * np.asarray(CLAY, np.float32))[seen]
    else:
        assert between is not None
        light = _smooth_light(view, between, w, facing) if style.shading == "smooth" else shade(facing)[seen]
        albedo = np.asarray(CLAY if skin is None else (1, 1, 1), np.float32)
        albedo = albedo if paint is None else _paint(between, paint, body.faces, w)
        colour = encode(light * albedo if skin is None else light * albedo * _pictured(between, skin, body.faces, w))
    if style.wireframe and between is not None:
        share = _wires(between, style.samples)
        colour = colour + (np.asarray(WIRE, np.float32) - colour) * share[:, None]
    return index, depth, colour


def _paint(between: Interpolation, paint: Floats, faces: NDArray[np.int32], w: NDArray[np.float64]) -> Floats:
    """Linear colours (N, 3) at the samples, right in perspective."""
    corners = faces[between.faces]
    nearness = 1 / w[corners][:, :, None]
    values = between.at_samples(np.concatenate([paint[corners] * nearness, nearness], axis=2))
    return np.clip(values[:, :3] / np.maximum(values[:, 3:], 1e-6), 0, 1)


def _pictured(between: Interpolation, skin: Skin, faces: NDArray[np.int32], w: NDArray[np.float64]) -> Floats:
    """Linear colours (N, 3) of the pictures at the samples, right in perspective."""
    corners = faces[between.faces]
    nearness = 1 / w[corners][:, :, None]
    values, right, down = between.with_changes(np.concatenate([skin.places[corners] * nearness, nearness], axis=2))
    near: Floats = np.maximum(values[:, 2:], np.float32(1e-6))
    places: Floats = values[:, :2] / near
    across, below = (((change[:, :2] - places * change[:, 2:]) / near).astype(np.float32) for change in (right, down))
    return skin.texels.seen(skin.pages[between.faces].astype(np.int64)[between.place], places, across, below)


def _wires(between: Interpolation, samples: int) -> Floats:
    """How much (N,) of a wire's colour each sample takes."""
    weights = between.at_samples(np.broadcast_to(np.eye(3), (len(between.faces), 3, 3)))
    altitudes = (between.altitudes() / samples)[between.place]
    return wire_share(weights * altitudes, altitudes)


def _facing_normals(body: Body, framing: Framing) -> tuple[Floats, NDArray[np.bool_]]:
    """Unit normals (F, 3) in eye coordinates, each turned to the eye, and which of them (F,) were turned."""
    rotation = framing.rotation.T.astype(np.float32)
    normals = body.face_normals @ rotation
    if framing.is_parallel:
        away = normals[:, 2] < 0
    else:
        to_eye = np.array([0, 0, framing.distance], np.float32) - (body.points @ rotation)[body.faces[:, 0]]
        away = np.einsum("ij,ij->i", normals, to_eye) < 0
    return np.where(away[:, None], -normals, normals), away


def _smooth_light(view: _View, between: Interpolation, w: NDArray[np.float64], facing: Floats) -> Floats:
    """Light (N, 3) at the samples, by normals that run from corner to corner."""
    normals = view.body.corner_normals[between.faces] @ view.framing.rotation.T
    nearness = 1 / w[view.body.faces[between.faces]][:, :, None]
    rounded = between.at_samples(normals * nearness)
    own = facing[between.faces][between.place]
    length = np.sqrt(np.einsum("ij,ij->i", rounded, rounded))
    length = np.where(np.einsum("ij,ij->i", rounded, own) < 0, -length, length)
    return shade((rounded / np.where(length != 0, length, 1)[:, None]).astype(np.float32))


def _lay_over(lines: Overlay, picture: Floats, depth: Floats, seen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Draw lines into picture and depth where they are nearer; answers where anything is seen now."""
    rows, columns = seen.shape
    places = (lines.corners.reshape(-1, 3) * (1, -1, 1) + 1) / 2 * (columns, rows, 1)
    faces = np.arange(len(places), dtype=np.int32).reshape(-1, 3)
    index, their_depth = rasterise(places, faces, columns, rows)
    nearer = (index != NOTHING) & (their_depth < np.where(seen, depth, np.float32(2)))
    picture[nearer] = lines.colours[index[nearer]]
    depth[nearer] = their_depth[nearer]
    return seen | nearer


def _resolve(colour: Floats, depth: Floats, style: Style, enlargement: float) -> NDArray[np.uint8]:
    """Samples averaged into pixels, with relief; (H, W, 4) straight alpha."""
    count = style.samples
    seen = (depth < FAR).astype(np.float32)
    corners = [(slice(i, None, count), slice(j, None, count)) for i in range(count) for j in range(count)]
    covered = np.add.reduce([seen[corner] for corner in corners])
    total = np.add.reduce([colour[corner] for corner in corners])  # colour is 0 where nothing is seen
    mean = total / np.maximum(covered, 1)[:, :, None]
    if style.relief:
        nearest = np.minimum.reduce([depth[corner] for corner in corners])
        mean = mean * relief(nearest, enlargement)[:, :, None]
    pixels = np.concatenate([np.clip(mean, 0, 1), covered[:, :, None] / count**2], axis=2)
    return np.rint(pixels * 255).astype(np.uint8)
