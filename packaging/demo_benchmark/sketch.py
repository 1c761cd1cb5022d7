"""Sketches: the outlines and creases of a model as a hand would draw them, and the small PNG file they go into."""

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from demo_benchmark.draw import Draw
from demo_benchmark.sampling import SKETCH_VIEW
from demo_benchmark.solid import Solid
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.scene.render_mesh import make_render_mesh
from shrec_viewer.render.software.raster import NO_FACE, rasterise

SIDE = 480
"""Pixels of a sketch."""

SAMPLES = 2
"""Samples of the line finder along each side of a pixel."""

CREASE = 0.72
"""Neighbouring surfaces whose normals have a smaller cosine than this meet in a line: 44 degrees."""

STEP = 0.02
"""A jump in depth, in diameters of the model, beyond which one surface hides another."""

WOBBLE = 2.2
"""Pixels by which the hand strays."""

PEN = 1.5
"""Half width of a line in pixels."""

SHADES = 4
"""Grey levels between paper and ink: enough for smooth lines, small in the file."""


def draw_sketch(solid: Solid, name: str) -> NDArray[np.uint8]:
    """(SIDE, SIDE) uint8, 0 ink to 255 paper; `name` seeds the hand."""
    lines = _lines(solid)
    strayed = _stray(lines, Draw(f"hand {name}", 0))
    ink = _smooth(strayed)
    levels = np.rint(np.clip(1 - ink, 0, 1) * (SHADES - 1)) * (255 / (SHADES - 1))
    return levels.astype(np.uint8)


def _lines(solid: Solid) -> NDArray[np.bool_]:
    """Samples next to which the surface jumps or turns sharply."""
    size = SIDE * SAMPLES
    body = make_render_mesh(Mesh(solid.vertices.astype(np.float32), solid.faces.astype(np.int32)))
    fitted_view = SKETCH_VIEW.fitted_view(body.points, size, size)
    clip = body.points @ fitted_view.clip[:, :3].T + fitted_view.clip[:, 3]
    screen = (clip[:, :3] / clip[:, 3:] * (0.94, -0.94, 1) + 1) / 2 * (size, size, 1)
    index, depth = rasterise(screen, body.faces, size, size)
    corners = body.points[body.faces].astype(np.float64)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    seen = np.where((index != NO_FACE)[:, :, None], normals[index], 0)
    found = np.zeros(index.shape, bool)
    for axis in (0, 1):
        here = tuple(slice(None, -1) if place == axis else slice(None) for place in (0, 1))
        there = tuple(slice(1, None) if place == axis else slice(None) for place in (0, 1))
        edge = (index[here] == NO_FACE) != (index[there] == NO_FACE)
        both = (index[here] != NO_FACE) & (index[there] != NO_FACE)
        turn = (seen[here] * seen[there]).sum(axis=2) < CREASE
        jump = np.abs(depth[here] - depth[there]) > STEP
        found[here] |= edge | (both & (jump | turn))
    return found


def _stray(lines: NDArray[np.bool_], hand: Draw) -> NDArray[np.bool_]:
    """The picture pulled about by slow waves, as a hand that is not a ruler would."""
    size = len(lines)
    at = np.arange(size) / size
    shift = np.zeros((2, size, size))
    for wave in (2, 3, 5, 9):
        for axis in (0, 1):
            along, across = (np.sin(2 * np.pi * (wave * at + hand.between(0, 1))) for _ in range(2))
            shift[axis] += (along[:, None] + across[None, :]) / wave
    shift *= WOBBLE * SAMPLES / 1.5
    rows, columns = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
    moved_rows = np.clip(np.rint(rows + shift[0]).astype(int), 0, size - 1)
    moved_columns = np.clip(np.rint(columns + shift[1]).astype(int), 0, size - 1)
    return lines[moved_rows, moved_columns]


def _smooth(lines: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(SIDE, SIDE) share of ink: every sample of a line becomes a dot of the pen."""
    reach = int(np.ceil(PEN * SAMPLES))
    padded = np.pad(lines, reach)
    size = len(lines)
    inked = np.zeros_like(lines)
    for down in range(-reach, reach + 1):
        for right in range(-reach, reach + 1):
            if down * down + right * right <= (PEN * SAMPLES) ** 2:
                inked |= padded[reach + down : reach + down + size, reach + right : reach + right + size]
    return inked.reshape(SIDE, SAMPLES, SIDE, SAMPLES).mean(axis=(1, 3))


def png(grey: NDArray[np.uint8]) -> bytes:
    """A PNG file of `SHADES` greys, two bits a pixel.

    Written here because the demo must come out the same to the byte with every version of a picture library.
    """
    height, width = grey.shape
    levels = (grey // 85).astype(np.uint8)
    levels = np.pad(levels, ((0, 0), (0, -width % 4)))
    packed = (levels[:, 0::4] << 6) | (levels[:, 1::4] << 4) | (levels[:, 2::4] << 2) | levels[:, 3::4]
    rows = np.hstack([np.zeros((height, 1), np.uint8), packed]).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 2, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )
