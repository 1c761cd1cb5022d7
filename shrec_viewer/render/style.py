"""What a picture may vary in; everything else of the look is fixed, so that pictures can be compared."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """How a mesh is drawn.

    Attributes
    ----------
    samples : 1 or 2, samples along each side of a pixel; 1 only while something moves.
    colours : whether the file's own colours replace the clay.
    relief : whether hollows, ridges and outlines are worked out; costs a fifth of a picture, so not while moving.
    """

    samples: int = 2
    colours: bool = True
    relief: bool = True


FINE = Style()
"""Thumbnails, and a 3D view that rests."""

QUICK = Style(samples=1, relief=False)
"""A 3D view while it is turned, where there is no GPU."""
