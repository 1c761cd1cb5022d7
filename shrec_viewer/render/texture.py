"""Pictures upon a body, made ready for both renderers: clay beneath what is transparent, and halves of halves."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Texture
from shrec_viewer.render.look import CLAY, decode, encode

Floats = NDArray[np.float32]

_STEPS = 2**14
"""Of linear light from which bytes of sRGB are looked up; the smallest step of a byte is 1/3295."""


@dataclass(frozen=True, eq=False)
class Skin:
    """What a textured body shows; faces stand in the order of their pictures.

    Attributes
    ----------
    places : (V, 2) float32, u to the right and v *downwards* from the picture's upper left corner; beyond 0..1 it
        repeats.
    pages : (F,) int16, place in `pictures` of each face, ascending.
    pictures : (height, width, 4) uint8 each, sRGB, top row first.
    """

    places: Floats
    pages: NDArray[np.int16]
    pictures: tuple[NDArray[np.uint8], ...]

    def runs(self) -> Iterator[tuple[int, int, int]]:
        """Picture, first face and number of faces of each run of faces with one picture."""
        used, first, count = np.unique(self.pages, return_index=True, return_counts=True)
        yield from zip(used.tolist(), first.tolist(), count.tolist(), strict=True)

    @cached_property
    def texels(self) -> "Texels":
        """The pictures as the software renderer looks them up; worked out when first asked for."""
        return Texels(self.pictures)


def make_skin(texture: Texture, has_colours: bool) -> tuple[Skin, NDArray[np.int64]]:
    """The skin of a texture, and the order in which the faces have to stand.

    Parameters
    ----------
    has_colours : whether vertices have colours, which faces without a picture show; else these are clay.
    """
    bare = len(texture.pictures)
    plain = np.ones(3, np.float32) if has_colours else np.asarray(CLAY, np.float32)
    pixel = np.append(np.rint(255 * encode(plain)), 255).astype(np.uint8).reshape(1, 1, 4)
    pages = np.where(texture.of_faces < 0, bare, texture.of_faces).astype(np.int16)
    order = np.argsort(pages, kind="stable")
    places = np.stack([texture.places[:, 0], 1 - texture.places[:, 1]], axis=1)
    return Skin(places, pages[order], (*texture.pictures, pixel)), order


def levels(picture: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    """A picture (height, width, 4), then its half, the half of that, down to one pixel; all opaque.

    Each pixel of a half is the mean light of four; where a side is odd its last row is left out. What is transparent
    shows clay.
    """
    linear = decode(picture.reshape(-1, 4)).reshape(*picture.shape[:2], 3)
    opaque = picture
    if (picture[..., 3] < 255).any():
        alpha = picture[..., 3:].astype(np.float32) / 255
        linear = (linear * alpha + np.asarray(CLAY, np.float32) * (1 - alpha)).astype(np.float32)
        opaque = _as_bytes(linear)
    found = [np.ascontiguousarray(opaque)]
    while max(linear.shape[:2]) > 1:
        linear = _half(_half(linear, 0), 1)
        found.append(_as_bytes(linear))
    return found


def _half(linear: Floats, axis: int) -> Floats:
    count = linear.shape[axis] // 2
    if count == 0:
        return linear
    pairs = np.moveaxis(linear, axis, 0)
    return np.moveaxis((pairs[0 : 2 * count : 2] + pairs[1 : 2 * count : 2]) * np.float32(0.5), 0, axis)


def _as_bytes(linear: Floats) -> NDArray[np.uint8]:
    pixels = np.full((*linear.shape[:2], 4), 255, np.uint8)
    pixels[..., :3] = _encoded()[(linear * np.float32(_STEPS) + np.float32(0.5)).astype(np.int32)]
    return pixels


@lru_cache(maxsize=1)
def _encoded() -> NDArray[np.uint8]:
    """Bytes of sRGB for `_STEPS` + 1 steps of linear light: a table is ten times as fast as powers."""
    steps = np.linspace(0, 1, _STEPS + 1).astype(np.float32)
    return np.rint(255 * encode(steps)).astype(np.uint8)


class Texels:
    """The pixels of pictures and all their halves in one table.

    Parameters
    ----------
    pictures : (height, width, 4) uint8 each.
    """

    def __init__(self, pictures: tuple[NDArray[np.uint8], ...]) -> None:
        pyramids = [levels(picture) for picture in pictures]
        most = max(len(pyramid) for pyramid in pyramids)
        sizes = [[level.shape[:2] for level in pyramid] for pyramid in pyramids]
        sizes = [[*size, *[(1, 1)] * (most - len(size))] for size in sizes]
        self._sizes = np.array(sizes, np.int32)  # (pictures, levels, 2), height first
        self._tops = np.array([len(pyramid) - 1 for pyramid in pyramids], np.float32)
        counts = [[level.shape[0] * level.shape[1] for level in pyramid] for pyramid in pyramids]
        counts = [[*count, *[0] * (most - len(count))] for count in counts]
        self._starts = np.concatenate([[0], np.cumsum(counts)])[:-1].reshape(len(pictures), most)
        flat = [level.reshape(-1, 4).view(np.uint32)[:, 0] for pyramid in pyramids for level in pyramid]
        self._table = np.concatenate(flat)
        self._light = decode(np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1))[:, 0]

    def seen(self, pages: NDArray[np.int64], places: Floats, right: Floats, down: Floats) -> Floats:
        """Linear colours (N, 3) of samples, as OpenGL filters them: bilinear in two levels, and between these.

        Parameters
        ----------
        pages : (N,) pictures.
        places : (N, 2) as in `Skin`.
        right, down : (N, 2) change of `places` from one sample to the next.
        """
        size = self._sizes[pages, 0, ::-1].astype(np.float32)
        reach = np.maximum(((right * size) ** 2).sum(axis=1), ((down * size) ** 2).sum(axis=1))
        depth = np.clip(0.5 * np.log2(np.maximum(reach, np.float32(1e-12))), 0, self._tops[pages])
        level = depth.astype(np.int64)
        colours = self._bilinear(pages, places, level)
        share = depth - level
        between = np.flatnonzero(share > 0)
        if len(between):
            coarse = self._bilinear(pages[between], places[between], level[between] + 1)
            colours[between] += (coarse - colours[between]) * share[between, None].astype(np.float32)
        return colours

    def _bilinear(self, pages: NDArray[np.int64], places: Floats, level: NDArray[np.int64]) -> Floats:
        start = self._starts[pages, level]
        height, width = self._sizes[pages, level].T
        x, y = places[:, 0] * width - np.float32(0.5), places[:, 1] * height - np.float32(0.5)
        left, top = np.floor(x), np.floor(y)
        x, y = (x - left).astype(np.float32)[:, None], (y - top).astype(np.float32)[:, None]
        columns = [np.mod(left.astype(np.int64) + step, width) for step in (0, 1)]
        rows = [start + np.mod(top.astype(np.int64) + step, height) * width for step in (0, 1)]
        upper, lower = (self._at(row + columns[0]) * (1 - x) + self._at(row + columns[1]) * x for row in rows)
        return upper * (1 - y) + lower * y

    def _at(self, indices: NDArray[np.int64]) -> Floats:
        return self._light[self._table[indices][:, None].view(np.uint8)[:, :3]]
