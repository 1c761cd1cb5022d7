"""Textures for rendering: composition over the base colour, mipmaps, sampling in numpy."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Texture
from shrec_viewer.render.scene.lighting import BASE_COLOUR, linear_to_srgb, srgb_to_linear

Floats = NDArray[np.float32]

#: Steps of linear light in the lookup table of sRGB bytes; the smallest step of a byte is 1/3295.
_LINEAR_STEPS = 2**14


@dataclass(frozen=True, eq=False)
class RenderTexture:
    """Texture coordinates and images of a mesh whose faces are sorted by image.

    Attributes
    ----------
    uv : (V, 2) float32, u to the right and v *downwards* from the upper left corner of the image; repeats beyond 0..1.
    face_images : (F,) int16, index into `images` for each face, ascending.
    images : (height, width, 4) uint8 each, sRGB, top row first.
    """

    uv: Floats
    face_images: NDArray[np.int16]
    images: tuple[NDArray[np.uint8], ...]

    def face_ranges(self) -> Iterator[tuple[int, int, int]]:
        """Index of the image, first face and number of faces, for each run of faces with the same image."""
        used, first, count = np.unique(self.face_images, return_index=True, return_counts=True)
        yield from zip(used.tolist(), first.tolist(), count.tolist(), strict=True)

    @cached_property
    def texels(self) -> "Texels":
        """The images as the software renderer samples them; computed on first use."""
        return Texels(self.images)


def make_render_texture(texture: Texture, has_colours: bool) -> tuple[RenderTexture, NDArray[np.int64]]:
    """Convert a texture for rendering; also returns the order in which the faces must be sorted.

    Parameters
    ----------
    has_colours : whether vertices have colours, which are then used for faces without an image; else `BASE_COLOUR`.
    """
    no_image = len(texture.images)
    plain = np.ones(3, np.float32) if has_colours else np.asarray(BASE_COLOUR, np.float32)
    pixel = np.append(np.rint(255 * linear_to_srgb(plain)), 255).astype(np.uint8).reshape(1, 1, 4)
    # Faces without an image get an image of one pixel, so that both renderers have one case.
    face_images = np.where(texture.face_images < 0, no_image, texture.face_images).astype(np.int16)
    order = np.argsort(face_images, kind="stable")
    # v upwards in model files, downwards in image rows.
    uv = np.stack([texture.uv[:, 0], 1 - texture.uv[:, 1]], axis=1)
    return RenderTexture(uv, face_images[order], (*texture.images, pixel)), order


def mipmaps(image: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    """An image (height, width, 4) and its mipmap levels down to one pixel; all opaque, over `BASE_COLOUR`.

    Each pixel is the mean of four in linear light; the last row or column of an odd size is dropped.
    """
    linear = _linear_table()[image[..., :3]]
    opaque = image
    if (image[..., 3] < 255).any():
        alpha = image[..., 3:].astype(np.float32) / 255
        # Composed before the levels are halved: averaging transparent pixels would mix in their hidden colours.
        linear = (linear * alpha + np.asarray(BASE_COLOUR, np.float32) * (1 - alpha)).astype(np.float32)
        opaque = _to_srgb_bytes(linear)
    levels = [np.ascontiguousarray(opaque)]
    while max(linear.shape[:2]) > 1:
        linear = _halve(linear)
        levels.append(_to_srgb_bytes(linear))
    return levels


def _halve(linear: Floats) -> Floats:
    rows, columns = ((slice(0, size // 2 * 2, 2), slice(1, size // 2 * 2, 2)) for size in linear.shape[:2])
    if linear.shape[0] == 1:
        return (linear[:, columns[0]] + linear[:, columns[1]]) * np.float32(0.5)
    if linear.shape[1] == 1:
        return (linear[rows[0]] + linear[rows[1]]) * np.float32(0.5)
    half: Floats = linear[rows[0], columns[0]] + linear[rows[0], columns[1]]
    half += linear[rows[1], columns[0]]
    half += linear[rows[1], columns[1]]
    half *= np.float32(0.25)
    return half


@lru_cache(maxsize=1)
def _linear_table() -> Floats:
    """Linear light of the 256 sRGB bytes."""
    return srgb_to_linear(np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1))[:, 0]


def _to_srgb_bytes(linear: Floats) -> NDArray[np.uint8]:
    pixels = np.full((*linear.shape[:2], 4), 255, np.uint8)
    pixels[..., :3] = _srgb_table()[(linear * np.float32(_LINEAR_STEPS) + np.float32(0.5)).astype(np.int32)]
    return pixels


@lru_cache(maxsize=1)
def _srgb_table() -> NDArray[np.uint8]:
    """Table of sRGB bytes for `_LINEAR_STEPS` + 1 steps of linear light; ten times as fast as the power function."""
    steps = np.linspace(0, 1, _LINEAR_STEPS + 1).astype(np.float32)
    return np.rint(255 * linear_to_srgb(steps)).astype(np.uint8)


class Texels:
    """All mipmap levels of all images in one array of pixels.

    Parameters
    ----------
    images : (height, width, 4) uint8 each.
    """

    def __init__(self, images: tuple[NDArray[np.uint8], ...]) -> None:
        pyramids = [mipmaps(image) for image in images]
        self._levels = max(len(pyramid) for pyramid in pyramids)
        shapes = [[level.shape[:2] for level in pyramid] for pyramid in pyramids]
        sizes = np.array([shape + [(0, 0)] * (self._levels - len(shape)) for shape in shapes], np.int32).reshape(-1, 2)
        self._heights, self._widths = np.ascontiguousarray(sizes.T)  # of image p in level k at p * levels + k
        self._starts = np.concatenate([[0], np.cumsum(sizes.prod(axis=1))])[:-1].astype(np.int32)
        # Images of one mesh differ in size, and so in the number of levels.
        self._tops = np.array([len(pyramid) - 1 for pyramid in pyramids], np.float32)
        flat = [level.reshape(-1, 4).view(np.uint32)[:, 0] for pyramid in pyramids for level in pyramid]
        self._table = np.concatenate(flat)

    def sample(self, images: NDArray[np.int64], uv: Floats, right: Floats, down: Floats) -> Floats:
        """Linear colours (N, 3) of samples, filtered as by OpenGL: bilinear in two mipmap levels, linear between them.

        Parameters
        ----------
        images : (N,) indices of the images.
        uv : (N, 2) as in `RenderTexture`.
        right, down : (N, 2) change of `uv` from one sample to the next.
        """
        base = images.astype(np.int32) * np.int32(self._levels)
        size = np.stack([self._widths[base], self._heights[base]], axis=1).astype(np.float32)
        right, down = right * size, down * size
        reach = np.maximum(np.einsum("nk,nk->n", right, right), np.einsum("nk,nk->n", down, down))
        # log2 of the length from its square: half the logarithm. The longer of both sides, as OpenGL's isotropic
        # filter.
        depth = np.clip(np.float32(0.5) * np.log2(np.maximum(reach, np.float32(1e-12))), 0, self._tops[images])
        level = depth.astype(np.int32)
        within = uv - np.floor(uv)
        colours = self._bilinear(base + level, within)
        # Most samples of a magnified texture have weight 0 and need one level only.
        weight = (depth - level).astype(np.float32)
        fractional = np.flatnonzero(weight > 0)
        if len(fractional):
            coarse = self._bilinear((base + level)[fractional] + 1, within[fractional])
            fine = colours[fractional]
            coarse -= fine
            coarse *= weight[fractional, None]
            coarse += fine
            colours[fractional] = coarse
        return colours

    def _bilinear(self, level: NDArray[np.int32], uv: Floats) -> Floats:
        """Linear colours (N, 3) at `uv` (N, 2) in 0..1; `level` (N,) is the index of an image's mipmap level."""
        width, height = self._widths[level], self._heights[level]
        left, right, weight_x = _bilinear_neighbours(uv[:, 0], width)
        top, bottom, weight_y = _bilinear_neighbours(uv[:, 1], height)
        start = self._starts[level]
        upper, lower = (self._interpolate_row(start + row * width, left, right, weight_x) for row in (top, bottom))
        lower -= upper
        lower *= weight_y
        upper += lower
        return upper

    def _interpolate_row(
        self, row: NDArray[np.int32], left: NDArray[np.int32], right: NDArray[np.int32], weight: Floats
    ) -> Floats:
        one, two = self._colours_at(row + left), self._colours_at(row + right)
        two -= one
        two *= weight
        one += two
        return one

    def _colours_at(self, indices: NDArray[np.int32]) -> Floats:
        return _linear_table()[self._table[indices].view(np.uint8).reshape(-1, 4)[:, :3]]


def _bilinear_neighbours(
    position: Floats, size: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32], Floats]:
    """Two neighbouring pixels of positions in 0..1, wrapping around at the border, and the weight of the second."""
    pixel: Floats = position * size.astype(np.float32) - np.float32(0.5)
    first = np.floor(pixel).astype(np.int32)
    weight: Floats = (pixel - first).astype(np.float32)
    second = first + np.int32(1)
    second[second >= size] = 0
    before = first < 0
    first[before] = size[before] - 1
    return first, second, weight[:, None]
