"""Render style: samples, shading, wireframe, bounding box and axes."""

from dataclasses import dataclass
from typing import Literal

Shading = Literal["flat", "smooth", "normals"]


@dataclass(frozen=True)
class RenderStyle:
    """How a mesh is drawn.

    Attributes
    ----------
    samples : 1 or 2, samples along each side of a pixel; 1 only while something moves.
    colours : whether the file's own colours replace the clay.
    relief : whether hollows, ridges and outlines are worked out; costs a fifth of a picture, so not while moving.
    shading : "flat" shows the faces as they are; "smooth" rounds what bends by less than `normals.CREASE`; "normals"
        paints each face by the direction of its own normal (red x, green y, blue z), so that faces turned inside out
        stand out.
    wireframe : edges of the triangles upon the surface.
    box : the bounding box along the mesh's own axes, with room made for it.
    axes : a small cross in the lower left corner that says which way x, y and z point.
    """

    samples: int = 2
    colours: bool = True
    ambient_occlusion: bool = True
    shading: Shading = "flat"
    wireframe: bool = False
    box: bool = False
    axes: bool = False


FINE_STYLE = RenderStyle()
"""Thumbnails, and a 3D view that rests."""

QUICK_STYLE = RenderStyle(samples=1, ambient_occlusion=False)
"""A 3D view while it is turned, where there is no GPU."""
