"""Draws with numpy alone, for machines whose OpenGL is missing or broken; the same look as `gl`."""

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.body import Body, make_body
from shrec_viewer.render.camera import Camera, Framing
from shrec_viewer.render.look import CLAY, encode, shade
from shrec_viewer.render.raster import NOTHING, rasterise
from shrec_viewer.render.relief import FAR, relief
from shrec_viewer.render.splats import ball_normals, rasterise_splats, splat_radius
from shrec_viewer.render.style import FINE, Style

Floats = NDArray[np.float32]


class SoftwareRenderer:
    """A z-buffer over numpy arrays; see `Renderer`."""

    name = "software"
    description = "software (numpy)"

    def __init__(self) -> None:
        self._drawn: tuple[Mesh, bool, Body] | None = None

    def draw(self, mesh: Mesh, camera: Camera, width: int, height: int, style: Style = FINE) -> NDArray[np.uint8]:
        """Pixels (height, width, 4); see `Renderer.draw`."""
        body = self._body(mesh, style.colours)
        if len(body.points) == 0:
            return np.zeros((height, width, 4), np.uint8)
        framing = camera.framing(body.points, width, height)
        columns, rows = width * style.samples, height * style.samples
        clip = body.points @ framing.clip[:, :3].T + framing.clip[:, 3]
        screen = (clip[:, :3] / clip[:, 3:] * (1, -1, 1) + 1) / 2 * (columns, rows, 1)
        if len(body.faces):
            index, depth = rasterise(screen, body.faces, columns, rows)
            colour = _face_colours(body, framing, index, screen, clip[:, 3])
        else:
            radius = splat_radius(len(body.points), min(width, height) * camera.zoom) * style.samples
            index, depth = rasterise_splats(screen, radius, columns, rows)
            light = shade(ball_normals(index, screen, radius))
            albedo = np.asarray(CLAY, np.float32) if body.paint is None else body.paint[index[index != NOTHING]]
            colour = encode(light * albedo)
        picture = np.zeros((rows, columns, 3), np.float32)
        picture[index != NOTHING] = colour
        depth = np.where(index != NOTHING, camera.depth(depth), np.float32(FAR))
        return _resolve(picture, depth, style, framing.enlargement)

    def close(self) -> None:
        """Forget the mesh."""
        self._drawn = None

    def _body(self, mesh: Mesh, colours: bool) -> Body:
        if self._drawn is None or self._drawn[0] is not mesh or self._drawn[1] != colours:
            self._drawn = (mesh, colours, make_body(mesh, colours=colours))
        return self._drawn[2]


def _face_colours(
    body: Body, framing: Framing, index: NDArray[np.int32], screen: NDArray[np.float64], w: NDArray[np.float64]
) -> Floats:
    """Colours (N, 3), sRGB in [0, 1], of the N samples where a face is seen."""
    seen = index[index != NOTHING]
    light = shade(_facing_normals(body, framing))
    if body.paint is None:
        return encode(light * np.asarray(CLAY, np.float32))[seen]
    corners = body.faces[seen]
    weight = _barycentric(index, screen[:, :2], corners) / w[corners]
    weight /= weight.sum(axis=1, keepdims=True)
    albedo = (body.paint[corners] * weight[:, :, None]).sum(axis=1)
    return encode((light[seen] * albedo).astype(np.float32))


def _facing_normals(body: Body, framing: Framing) -> Floats:
    """Unit normals (F, 3) in eye coordinates, each turned to the eye: both sides of a face look alike."""
    corners = (body.points @ framing.rotation.T.astype(np.float32))[body.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals /= np.where(length > 0, length, 1)
    to_eye = np.array([0, 0, framing.distance], np.float32) - corners[:, 0]
    if framing.clip[3, 3] == 1 and not framing.clip[3, :3].any():  # parallel rays
        to_eye = np.broadcast_to(np.array([0, 0, 1], np.float32), to_eye.shape)
    away = (normals * to_eye).sum(axis=1) < 0
    normals[away] *= -1
    return normals


def _barycentric(
    index: NDArray[np.int32], screen: NDArray[np.float64], corners: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Weights (N, 3) of a face's corners at the centres of the N samples where it is seen, on the screen."""
    row, column = np.nonzero(index != NOTHING)
    here = np.stack([column + 0.5, row + 0.5], axis=1)
    a, b, c = (screen[corners[:, k]] for k in range(3))

    def area(p: NDArray[np.float64], q: NDArray[np.float64], r: NDArray[np.float64]) -> NDArray[np.float64]:
        return (q[:, 0] - p[:, 0]) * (r[:, 1] - p[:, 1]) - (q[:, 1] - p[:, 1]) * (r[:, 0] - p[:, 0])

    weights = np.stack([area(here, b, c), area(a, here, c), area(a, b, here)], axis=1)
    weights = np.clip(weights * np.sign(area(a, b, c))[:, None], 1e-12, None)
    return weights / weights.sum(axis=1, keepdims=True)


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
