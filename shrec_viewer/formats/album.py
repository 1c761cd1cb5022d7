"""The pictures upon one model, each read once and all together small enough to keep."""

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.formats.images import open_texture, read_texture

NO_PICTURE = -1

_SIDES = (1024, 512, 256, 128, 64, 32)
"""Pixels along a side that pictures are shrunk to, the largest that lets all together stay within `_MOST_PIXELS`."""

_MOST_PIXELS = 8 * 1024 * 1024
"""Of all pictures of a model together, 32 MB."""

_MOST_PICTURES = 1000
"""Of one model; each costs a call of the driver in every frame."""


class Album:
    """Opens the pictures of a model, then reads them all.

    Attributes
    ----------
    pictures : (height, width, 4) uint8 each; filled by `read`.
    notes : a sentence for each kind of failure.
    """

    def __init__(self) -> None:
        self.pictures: list[NDArray[np.uint8]] = []
        self._opened: dict[Hashable, tuple[str, Any, bool]] = {}
        self._numbers: dict[Hashable, int] = {}
        self._failed: dict[str, list[str]] = {}
        self._asked: set[str] = set()

    @property
    def notes(self) -> list[str]:
        """Why pictures are missing; many with one reason share a sentence."""
        return [
            f"{names[0]} {why}" if len(names) == 1 else f"{names[0]} {why}; the same holds for {len(names) - 1} more"
            for why, names in self._failed.items()
        ]

    def open(self, name: str, load: Callable[[str], bytes]) -> None:
        """Take in a file by its name, which is its key too; once."""
        if name in self._asked:
            return
        self._asked.add(name)
        try:
            self.add(name, name, open_texture(load(name)))
        except OSError:
            self.fail(name, "is not beside the model")
        except ValueError as error:
            self.fail(name, f"cannot be read ({error})")

    def add(self, key: Hashable, name: str, picture: Any, *, is_opaque: bool = False) -> None:
        """Take in a picture that is opened already.

        Parameters
        ----------
        key : what `number` knows it by.
        name : for notes; "" where it has none.
        is_opaque : whether its alpha means nothing.
        """
        if len(self._opened) < _MOST_PICTURES:
            self._opened.setdefault(key, (name, picture, is_opaque))
        else:
            self.fail(name, f"is left out, as there are more than {_MOST_PICTURES}")

    def read(self) -> None:
        """Read the pixels of all; those that fail are noted and have no number."""
        side = _side([picture.size for _, picture, _ in self._opened.values()])
        uses = Counter(id(picture) for _, picture, _ in self._opened.values())
        for key, (name, picture, is_opaque) in self._opened.items():
            uses[id(picture)] -= 1
            try:
                pixels = read_texture(picture, side, is_opaque=is_opaque)
            except ValueError as error:
                self.fail(name, f"cannot be read ({error})")
                continue
            finally:
                if not uses[id(picture)]:
                    picture.close()  # its pixels in full size, of which only one picture at a time has room
            self._numbers[key] = len(self.pictures)
            self.pictures.append(pixels)

    def number(self, key: Hashable) -> int:
        """Place in `pictures`, or `NO_PICTURE`."""
        return self._numbers.get(key, NO_PICTURE)

    def fail(self, name: str, why: str) -> None:
        """Note a picture that could not be had at all."""
        self._failed.setdefault(why, []).append(f"the texture '{name}'" if name else "a texture")


def _side(sizes: list[tuple[int, int]]) -> int:
    for side in _SIDES:
        if sum(min(width, side) * min(height, side) for width, height in sizes) <= _MOST_PIXELS:
            return side
    return _SIDES[-1]
