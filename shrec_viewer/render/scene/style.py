"""Render style: samples, shading, wireframe, bounding box and axes."""

from dataclasses import dataclass
from typing import Literal

Shading = Literal["flat", "smooth", "normals"]


@dataclass(frozen=True)
class RenderStyle:
    """How a mesh is drawn.

    Attributes
    ----------
    samples : along each side of a pixel, 1 or 2; 1 only while the view moves.
    colours : whether the colours and textures of the file are used instead of `lighting.BASE_COLOUR`.
    ambient_occlusion : whether cavities, ridges and outlines are shaded; a fifth of the time of an image, so not while
        the view moves.
    shading : "flat"; "smooth" interpolates normals across edges below `render_mesh.CREASE_ANGLE`; "normals" colours
        each face by its normal (red x, green y, blue z), which shows flipped faces.
    wireframe : whether the edges of the triangles are drawn.
    box : whether the bounding box along the mesh's axes is drawn; the view is fitted to it.
    axes : whether a small axis cross is drawn in the lower left corner.
    """

    samples: int = 2
    colours: bool = True
    ambient_occlusion: bool = True
    shading: Shading = "flat"
    wireframe: bool = False
    box: bool = False
    axes: bool = False


FINE_STYLE = RenderStyle()
"""For thumbnails, and the 3D view at rest."""

QUICK_STYLE = RenderStyle(samples=1, ambient_occlusion=False)
"""For the 3D view while it moves, without a GPU."""
