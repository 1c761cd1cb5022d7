"""Software renderer: a z-buffer in numpy."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.domain.value_scale import ValueScale
from shrec_viewer.render.scene.camera import Camera, FittedView
from shrec_viewer.render.scene.lighting import (
    BASE_COLOUR,
    FAR_DEPTH,
    WIRE,
    ambient_occlusion,
    linear_to_srgb,
    orientation_colours,
    shade,
    wire_opacity,
)
from shrec_viewer.render.scene.render_mesh import PreparedMesh, RenderMesh
from shrec_viewer.render.scene.style import FINE_STYLE, Overlay, RenderStyle, make_overlay
from shrec_viewer.render.scene.texture import RenderTexture
from shrec_viewer.render.scene.values import ALL_DEFINED, RenderValues, palette_indices
from shrec_viewer.render.software.raster import (
    NO_FACE,
    Interpolation,
    rasterise,
    rasterise_sprites,
    sprite_normals,
    sprite_radius,
)

Floats = NDArray[np.float32]


class SoftwareRenderer:
    """A z-buffer over numpy arrays; see `Renderer`."""

    name = "software"

    def __init__(self, description: str = "software (numpy)") -> None:
        self.description = description
        self._last_mesh: PreparedMesh | None = None

    def prepare(self, mesh: Mesh) -> PreparedMesh:
        """Prepare a mesh; see `Renderer.prepare`."""
        return PreparedMesh(mesh)

    def draw(
        self, mesh: Mesh | PreparedMesh, camera: Camera, width: int, height: int, style: RenderStyle = FINE_STYLE
    ) -> NDArray[np.uint8]:
        """Pixels (height, width, 4); see `Renderer.draw`."""
        prepared = self._prepared(mesh)
        whole, render_mesh = prepared.render_mesh, prepared.shown(camera)
        if len(render_mesh.points) == 0:
            return np.zeros((height, width, 4), np.uint8)
        fitted_view = whole.fitted_view(camera, width, height, box=style.box)
        view = _SceneView(render_mesh, fitted_view, style, width * style.samples, height * style.samples)
        lines = make_overlay(whole.corners, fitted_view, width, height, style)
        if len(render_mesh.faces):
            index, depth, colour = _visible_faces(view)
        else:
            index, depth, colour = _visible_sprites(
                view, style.point_size * sprite_radius(len(whole.points), min(width, height) * camera.zoom)
            )
        image = np.zeros((*index.shape, 3), np.float32)
        image[index != NO_FACE] = colour
        visible = index != NO_FACE
        if lines is not None:
            visible = _draw_overlay(lines, image, depth, visible)
        depth = np.where(visible, camera.depth(depth, fitted_view.clip_radius), np.float32(FAR_DEPTH))
        return _resolve(image, depth, style, fitted_view.enlargement)

    def close(self) -> None:
        """Release the mesh drawn last."""
        self._last_mesh = None

    def _prepared(self, mesh: Mesh | PreparedMesh) -> PreparedMesh:
        if isinstance(mesh, PreparedMesh):
            return mesh
        if self._last_mesh is None or self._last_mesh.mesh is not mesh:
            self._last_mesh = PreparedMesh(mesh)
        return self._last_mesh


@dataclass(frozen=True, eq=False)
class _SceneView:
    """A mesh in front of a camera; `columns` and `rows` count samples."""

    render_mesh: RenderMesh
    fitted_view: FittedView
    style: RenderStyle
    columns: int
    rows: int

    def screen(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Positions (V, 3) in samples from the upper left corner, with depth in [0, 1], and the divisor w (V,)."""
        clip = self.render_mesh.points @ self.fitted_view.clip[:, :3].T + self.fitted_view.clip[:, 3]
        # From -1 … 1 with y upwards to samples with y downwards; depth to 0 … 1 as in OpenGL.
        positions = (clip[:, :3] / clip[:, 3:] * (1, -1, 1) + 1) / 2 * (self.columns, self.rows, 1)
        return positions, clip[:, 3]


#: Index of what is visible (rows, columns), its depth, and the sRGB colours (N, 3) of the N covered samples.
_VisibleSamples = tuple[NDArray[np.int32], Floats, Floats]


def _visible_sprites(view: _SceneView, radius: float) -> _VisibleSamples:
    screen, _ = view.screen()
    radius *= view.style.samples
    index, depth = rasterise_sprites(screen, radius, view.columns, view.rows)
    normals = sprite_normals(index, screen, radius)
    if view.style.shading == "normals":
        return index, depth, orientation_colours(normals, view.fitted_view.rotation)
    albedo: Floats = np.asarray(BASE_COLOUR, np.float32)
    if (scale := view.style.shown_values) is not None:
        values, points = view.render_mesh.values_of(scale.name), index[index != NO_FACE]
        albedo = _palette_colours(values, scale, values.numbers[points], values.defined[points])
    elif view.render_mesh.colours is not None and view.style.shows_file_colours:
        albedo = view.render_mesh.colours[index[index != NO_FACE]]
    return index, depth, linear_to_srgb(shade(normals) * albedo)


def _visible_faces(view: _SceneView) -> _VisibleSamples:
    render_mesh, style = view.render_mesh, view.style
    screen, w = view.screen()
    index, depth = rasterise(screen, render_mesh.faces, view.columns, view.rows)
    facing, away = _facing_normals(render_mesh, view.fitted_view)
    visible = index[index != NO_FACE]
    vertex_colours, render_texture = None, None
    if style.shows_file_colours:
        vertex_colours, render_texture = render_mesh.colours, render_mesh.render_texture
    has_own_colours = vertex_colours is not None or render_texture is not None or style.shown_values is not None
    interpolation = None
    if has_own_colours or style.wireframe or style.shading == "smooth":
        interpolation = Interpolation(index, screen, render_mesh.faces)
    if style.shading == "normals":
        # `facing` is turned to the eye for the light; the orientation shows the winding of the file.
        own = np.where(away[:, None], -facing, facing)
        colour = orientation_colours(own, view.fitted_view.rotation)[visible]
    elif not has_own_colours and style.shading == "flat":
        colour = linear_to_srgb(shade(facing) * np.asarray(BASE_COLOUR, np.float32))[visible]
    else:
        assert interpolation is not None
        light = _smooth_shading(view, interpolation, w, facing) if style.shading == "smooth" else shade(facing)[visible]
        albedo = np.asarray(BASE_COLOUR if render_texture is None else (1, 1, 1), np.float32)
        if style.shown_values is not None:
            albedo = _value_colours(interpolation, render_mesh, style.shown_values, w)
        elif vertex_colours is not None:
            albedo = _vertex_colours(interpolation, vertex_colours, render_mesh.faces, w)
        colour = linear_to_srgb(
            light * albedo
            if render_texture is None
            else light * albedo * _texture_colours(interpolation, render_texture, render_mesh.faces, w)
        )
    if style.wireframe and interpolation is not None:
        share = _wire_opacity(interpolation, style.samples)
        colour = colour + (np.asarray(WIRE, np.float32) - colour) * share[:, None]
    return index, depth, colour


def _vertex_colours(
    interpolation: Interpolation, colours: Floats, faces: NDArray[np.int32], w: NDArray[np.float64]
) -> Floats:
    """Linear vertex colours (N, 3) at the samples, interpolated in perspective."""
    corners = faces[interpolation.faces]
    nearness = 1 / w[corners][:, :, None]
    values = interpolation.at_samples(np.concatenate([colours[corners] * nearness, nearness], axis=2))
    return np.clip(values[:, :3] / np.maximum(values[:, 3:], 1e-6), 0, 1)


def _value_colours(
    interpolation: Interpolation, render_mesh: RenderMesh, scale: ValueScale, w: NDArray[np.float64]
) -> Floats:
    """Linear colours (N, 3) of a quantity at the samples; values of vertices are interpolated in perspective."""
    values, corners = render_mesh.values_of(scale.name), render_mesh.faces[interpolation.faces]
    if values.of_faces:
        faces = interpolation.faces[interpolation.face_of_sample]
        return _palette_colours(values, scale, values.numbers[faces], values.defined[faces])
    nearness = 1 / w[corners][:, :, None]
    if values.is_label:
        weights = interpolation.at_samples(np.eye(3) * nearness)
        vertices = corners[interpolation.face_of_sample, weights.argmax(axis=1)]
        return _palette_colours(values, scale, values.numbers[vertices], values.defined[vertices])
    parts = np.stack([values.numbers[corners], values.defined[corners], np.ones(corners.shape)], axis=2)
    found = interpolation.at_samples(parts * nearness)
    number, defined = (found[:, :2] / np.maximum(found[:, 2:], 1e-6)).T
    return _palette_colours(values, scale, number, defined > ALL_DEFINED)


def _palette_colours(values: RenderValues, scale: ValueScale, numbers: Floats, defined: NDArray[np.bool_]) -> Floats:
    return values.palette(scale)[palette_indices(numbers, defined, *values.steps(scale))]


def _texture_colours(
    interpolation: Interpolation, render_texture: RenderTexture, faces: NDArray[np.int32], w: NDArray[np.float64]
) -> Floats:
    """Linear texture colours (N, 3) at the samples, interpolated in perspective."""
    corners = faces[interpolation.faces]
    nearness = 1 / w[corners][:, :, None]
    values, right, down = interpolation.with_changes(
        np.concatenate([render_texture.uv[corners] * nearness, nearness], axis=2)
    )
    near: Floats = np.maximum(values[:, 2:], np.float32(1e-6))
    uv: Floats = values[:, :2] / near
    uv_right, uv_down = (((change[:, :2] - uv * change[:, 2:]) / near).astype(np.float32) for change in (right, down))
    return render_texture.texels.sample(
        render_texture.face_images[interpolation.faces].astype(np.int64)[interpolation.face_of_sample],
        uv,
        uv_right,
        uv_down,
    )


def _wire_opacity(interpolation: Interpolation, samples: int) -> Floats:
    """Opacity (N,) of the wireframe at the samples."""
    weights = interpolation.at_samples(np.broadcast_to(np.eye(3), (len(interpolation.faces), 3, 3)))
    altitudes = (interpolation.altitudes() / samples)[interpolation.face_of_sample]
    return wire_opacity(weights * altitudes, altitudes)


def _facing_normals(render_mesh: RenderMesh, fitted_view: FittedView) -> tuple[Floats, NDArray[np.bool_]]:
    """Unit normals (F, 3) in eye coordinates, flipped towards the eye, and which of them (F,) were flipped."""
    rotation = fitted_view.rotation.T.astype(np.float32)
    normals = render_mesh.face_normals @ rotation
    if fitted_view.is_parallel:
        away = normals[:, 2] < 0
    else:
        to_eye = (
            np.array([0, 0, fitted_view.distance], np.float32)
            - (render_mesh.points @ rotation)[render_mesh.faces[:, 0]]
        )
        away = np.einsum("ij,ij->i", normals, to_eye) < 0
    return np.where(away[:, None], -normals, normals), away


def _smooth_shading(view: _SceneView, interpolation: Interpolation, w: NDArray[np.float64], facing: Floats) -> Floats:
    """Light (N, 3) at the samples, with normals interpolated between corners."""
    normals = view.render_mesh.corner_normals[interpolation.faces] @ view.fitted_view.rotation.T
    nearness = 1 / w[view.render_mesh.faces[interpolation.faces]][:, :, None]
    rounded = interpolation.at_samples(normals * nearness)
    own = facing[interpolation.faces][interpolation.face_of_sample]
    length = np.sqrt(np.einsum("ij,ij->i", rounded, rounded))
    length = np.where(np.einsum("ij,ij->i", rounded, own) < 0, -length, length)
    return shade((rounded / np.where(length != 0, length, 1)[:, None]).astype(np.float32))


def _draw_overlay(lines: Overlay, image: Floats, depth: Floats, visible: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Draw lines into image and depth where they are nearer; returns which samples are covered now."""
    rows, columns = visible.shape
    positions = (lines.corners.reshape(-1, 3) * (1, -1, 1) + 1) / 2 * (columns, rows, 1)
    faces = np.arange(len(positions), dtype=np.int32).reshape(-1, 3)
    index, line_depth = rasterise(positions, faces, columns, rows)
    nearer = (index != NO_FACE) & (line_depth < np.where(visible, depth, np.float32(2)))
    image[nearer] = lines.colours[index[nearer]]
    depth[nearer] = line_depth[nearer]
    return visible | nearer


def _resolve(colour: Floats, depth: Floats, style: RenderStyle, enlargement: float) -> NDArray[np.uint8]:
    """Average samples to pixels, with ambient occlusion; (H, W, 4) with straight alpha."""
    count = style.samples
    visible = (depth < FAR_DEPTH).astype(np.float32)
    corners = [(slice(i, None, count), slice(j, None, count)) for i in range(count) for j in range(count)]
    covered = np.add.reduce([visible[corner] for corner in corners])
    total = np.add.reduce([colour[corner] for corner in corners])  # colour is 0 in empty samples
    mean = total / np.maximum(covered, 1)[:, :, None]
    if style.ambient_occlusion:
        nearest = np.minimum.reduce([depth[corner] for corner in corners])
        mean = mean * ambient_occlusion(nearest, enlargement)[:, :, None]
    pixels = np.concatenate([np.clip(mean, 0, 1), covered[:, :, None] / count**2], axis=2)
    return np.rint(pixels * 255).astype(np.uint8)
