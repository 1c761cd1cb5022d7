"""Software renderer: a z-buffer in numpy."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.scene.ambient_occlusion import FAR_DEPTH, ambient_occlusion
from shrec_viewer.render.scene.camera import Camera, FittedView
from shrec_viewer.render.scene.lighting import (
    BASE_COLOUR,
    WIRE,
    linear_to_srgb,
    orientation_colours,
    shade,
    wire_opacity,
)
from shrec_viewer.render.scene.overlay import Overlay, make_overlay
from shrec_viewer.render.scene.render_mesh import PreparedMesh, RenderMesh
from shrec_viewer.render.scene.style import FINE_STYLE, RenderStyle
from shrec_viewer.render.scene.texture import RenderTexture
from shrec_viewer.render.software.point_sprites import rasterise_sprites, sprite_normals, sprite_radius
from shrec_viewer.render.software.raster import NO_FACE, Interpolation, rasterise

Floats = NDArray[np.float32]


class SoftwareRenderer:
    """A z-buffer over numpy arrays; see `Renderer`."""

    name = "software"

    def __init__(self, description: str = "software (numpy)") -> None:
        self.description = description
        self._drawn: PreparedMesh | None = None

    def prepare(self, mesh: Mesh) -> PreparedMesh:
        """The mesh, kept ready; see `Renderer.prepare`."""
        return PreparedMesh(mesh)

    def draw(
        self, mesh: Mesh | PreparedMesh, camera: Camera, width: int, height: int, style: RenderStyle = FINE_STYLE
    ) -> NDArray[np.uint8]:
        """Pixels (height, width, 4); see `Renderer.draw`."""
        body = self._prepared(mesh).body
        if len(body.points) == 0:
            return np.zeros((height, width, 4), np.uint8)
        fitted_view = body.fitted_view(camera, width, height, box=style.box)
        view = _SceneView(body, fitted_view, style, width * style.samples, height * style.samples)
        lines = make_overlay(body.corners, fitted_view, width, height, style)
        if len(body.faces):
            index, depth, colour = _visible_faces(view)
        else:
            index, depth, colour = _visible_sprites(
                view, sprite_radius(len(body.points), min(width, height) * camera.zoom)
            )
        picture = np.zeros((*index.shape, 3), np.float32)
        picture[index != NO_FACE] = colour
        seen = index != NO_FACE
        if lines is not None:
            seen = _draw_overlay(lines, picture, depth, seen)
        depth = np.where(seen, camera.depth(depth, fitted_view.reach), np.float32(FAR_DEPTH))
        return _resolve(picture, depth, style, fitted_view.enlargement)

    def close(self) -> None:
        """Forget the mesh."""
        self._drawn = None

    def _prepared(self, mesh: Mesh | PreparedMesh) -> PreparedMesh:
        if isinstance(mesh, PreparedMesh):
            return mesh
        if self._drawn is None or self._drawn.mesh is not mesh:
            self._drawn = PreparedMesh(mesh)
        return self._drawn


@dataclass(frozen=True, eq=False)
class _SceneView:
    """A body in front of a camera; `columns` and `rows` count samples."""

    body: RenderMesh
    fitted_view: FittedView
    style: RenderStyle
    columns: int
    rows: int

    def screen(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Places (V, 3) in samples from the upper left corner with depth in [0, 1], and the divisor (V,)."""
        clip = self.body.points @ self.fitted_view.clip[:, :3].T + self.fitted_view.clip[:, 3]
        places = (clip[:, :3] / clip[:, 3:] * (1, -1, 1) + 1) / 2 * (self.columns, self.rows, 1)
        return places, clip[:, 3]


_Visible = tuple[NDArray[np.int32], Floats, Floats]
"""What is seen (rows, columns), its depth, and the colours (N, 3), sRGB, of the N samples where something is."""


def _visible_sprites(view: _SceneView, radius: float) -> _Visible:
    screen, _ = view.screen()
    radius *= view.style.samples
    index, depth = rasterise_sprites(screen, radius, view.columns, view.rows)
    normals = sprite_normals(index, screen, radius)
    if view.style.shading == "normals":
        return index, depth, orientation_colours(normals, view.fitted_view.rotation)
    albedo: Floats = np.asarray(BASE_COLOUR, np.float32)
    if view.body.paint is not None and view.style.colours:
        albedo = view.body.paint[index[index != NO_FACE]]
    return index, depth, linear_to_srgb(shade(normals) * albedo)


def _visible_faces(view: _SceneView) -> _Visible:
    body, style = view.body, view.style
    screen, w = view.screen()
    index, depth = rasterise(screen, body.faces, view.columns, view.rows)
    facing, away = _facing_normals(body, view.fitted_view)
    seen = index[index != NO_FACE]
    has_colours = style.colours and style.shading != "normals"
    paint, render_texture = (body.paint, body.render_texture) if has_colours else (None, None)
    between = None
    if paint is not None or render_texture is not None or style.wireframe or style.shading == "smooth":
        between = Interpolation(index, screen, body.faces)
    if style.shading == "normals":
        own = np.where(away[:, None], -facing, facing)
        colour = orientation_colours(own, view.fitted_view.rotation)[seen]
    elif paint is None and render_texture is None and style.shading == "flat":
        colour = linear_to_srgb(shade(facing) * np.asarray(BASE_COLOUR, np.float32))[seen]
    else:
        assert between is not None
        light = _smooth_shading(view, between, w, facing) if style.shading == "smooth" else shade(facing)[seen]
        albedo = np.asarray(BASE_COLOUR if render_texture is None else (1, 1, 1), np.float32)
        albedo = albedo if paint is None else _vertex_colours(between, paint, body.faces, w)
        colour = linear_to_srgb(
            light * albedo
            if render_texture is None
            else light * albedo * _texture_colours(between, render_texture, body.faces, w)
        )
    if style.wireframe and between is not None:
        share = _wire_opacity(between, style.samples)
        colour = colour + (np.asarray(WIRE, np.float32) - colour) * share[:, None]
    return index, depth, colour


def _vertex_colours(between: Interpolation, paint: Floats, faces: NDArray[np.int32], w: NDArray[np.float64]) -> Floats:
    """Linear colours (N, 3) at the samples, right in perspective."""
    corners = faces[between.faces]
    nearness = 1 / w[corners][:, :, None]
    values = between.at_samples(np.concatenate([paint[corners] * nearness, nearness], axis=2))
    return np.clip(values[:, :3] / np.maximum(values[:, 3:], 1e-6), 0, 1)


def _texture_colours(
    between: Interpolation, render_texture: RenderTexture, faces: NDArray[np.int32], w: NDArray[np.float64]
) -> Floats:
    """Linear colours (N, 3) of the pictures at the samples, right in perspective."""
    corners = faces[between.faces]
    nearness = 1 / w[corners][:, :, None]
    values, right, down = between.with_changes(
        np.concatenate([render_texture.places[corners] * nearness, nearness], axis=2)
    )
    near: Floats = np.maximum(values[:, 2:], np.float32(1e-6))
    places: Floats = values[:, :2] / near
    across, below = (((change[:, :2] - places * change[:, 2:]) / near).astype(np.float32) for change in (right, down))
    return render_texture.texels.seen(
        render_texture.pages[between.faces].astype(np.int64)[between.place], places, across, below
    )


def _wire_opacity(between: Interpolation, samples: int) -> Floats:
    """How much (N,) of a wire's colour each sample takes."""
    weights = between.at_samples(np.broadcast_to(np.eye(3), (len(between.faces), 3, 3)))
    altitudes = (between.altitudes() / samples)[between.place]
    return wire_opacity(weights * altitudes, altitudes)


def _facing_normals(body: RenderMesh, fitted_view: FittedView) -> tuple[Floats, NDArray[np.bool_]]:
    """Unit normals (F, 3) in eye coordinates, each turned to the eye, and which of them (F,) were turned."""
    rotation = fitted_view.rotation.T.astype(np.float32)
    normals = body.face_normals @ rotation
    if fitted_view.is_parallel:
        away = normals[:, 2] < 0
    else:
        to_eye = np.array([0, 0, fitted_view.distance], np.float32) - (body.points @ rotation)[body.faces[:, 0]]
        away = np.einsum("ij,ij->i", normals, to_eye) < 0
    return np.where(away[:, None], -normals, normals), away


def _smooth_shading(view: _SceneView, between: Interpolation, w: NDArray[np.float64], facing: Floats) -> Floats:
    """Light (N, 3) at the samples, by normals that run from corner to corner."""
    normals = view.body.corner_normals[between.faces] @ view.fitted_view.rotation.T
    nearness = 1 / w[view.body.faces[between.faces]][:, :, None]
    rounded = between.at_samples(normals * nearness)
    own = facing[between.faces][between.place]
    length = np.sqrt(np.einsum("ij,ij->i", rounded, rounded))
    length = np.where(np.einsum("ij,ij->i", rounded, own) < 0, -length, length)
    return shade((rounded / np.where(length != 0, length, 1)[:, None]).astype(np.float32))


def _draw_overlay(lines: Overlay, picture: Floats, depth: Floats, seen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Draw lines into picture and depth where they are nearer; answers where anything is seen now."""
    rows, columns = seen.shape
    places = (lines.corners.reshape(-1, 3) * (1, -1, 1) + 1) / 2 * (columns, rows, 1)
    faces = np.arange(len(places), dtype=np.int32).reshape(-1, 3)
    index, their_depth = rasterise(places, faces, columns, rows)
    nearer = (index != NO_FACE) & (their_depth < np.where(seen, depth, np.float32(2)))
    picture[nearer] = lines.colours[index[nearer]]
    depth[nearer] = their_depth[nearer]
    return seen | nearer


def _resolve(colour: Floats, depth: Floats, style: RenderStyle, enlargement: float) -> NDArray[np.uint8]:
    """Samples averaged into pixels, with relief; (H, W, 4) straight alpha."""
    count = style.samples
    seen = (depth < FAR_DEPTH).astype(np.float32)
    corners = [(slice(i, None, count), slice(j, None, count)) for i in range(count) for j in range(count)]
    covered = np.add.reduce([seen[corner] for corner in corners])
    total = np.add.reduce([colour[corner] for corner in corners])  # colour is 0 where nothing is seen
    mean = total / np.maximum(covered, 1)[:, :, None]
    if style.ambient_occlusion:
        nearest = np.minimum.reduce([depth[corner] for corner in corners])
        mean = mean * ambient_occlusion(nearest, enlargement)[:, :, None]
    pixels = np.concatenate([np.clip(mean, 0, 1), covered[:, :, None] / count**2], axis=2)
    return np.rint(pixels * 255).astype(np.uint8)
