"""What lies upon a geometry that trimesh has read: its picture, and colours of vertices, faces and materials."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.formats.album import NO_PICTURE

_STAND_IN = 2
"""Pixels of the grey square that trimesh puts in the place of a missing texture."""

_COLOURFUL = 24
"""Of 255, between the strongest and the weakest channel, from which on a material has a colour."""


def _is_textured(geometry: Any) -> bool:
    visual = getattr(geometry, "visual", None)
    return visual is not None and visual.kind == "texture"


def lacks_picture(geometry: Any) -> bool:
    """Whether a geometry says where a picture would lie, and has none."""
    return _is_textured(geometry) and geometry.visual.uv is not None and picture_of(geometry) is None


def picture_of(geometry: Any) -> Any:
    """The picture (Pillow's) upon a geometry, not yet read; None where it has none or does not say where it lies."""
    if not _is_textured(geometry) or np.shape(geometry.visual.uv) != (len(geometry.vertices), 2):
        return None
    material = geometry.visual.material
    pictures = (getattr(material, name, None) for name in ("image", "baseColorTexture"))
    picture = next((found for found in pictures if found is not None), None)
    # trimesh puts a small grey square in the place of a missing texture
    return None if picture is not None and max(picture.size) <= _STAND_IN and picture.format is None else picture


def picture_key(geometry: Any) -> tuple[int, bool]:
    """What tells the picture upon a geometry from others."""
    return id(picture_of(geometry)), is_opaque(geometry)


def is_opaque(geometry: Any) -> bool:
    """Whether alpha means nothing, as in glTF unless it says otherwise."""
    material = geometry.visual.material
    return hasattr(material, "alphaMode") and material.alphaMode in (None, "OPAQUE")


def colours_of(geometry: Any, count: int, picture: int) -> NDArray[np.float64] | None:
    """(V, 4) in 0..255 where the file paints its vertices, faces or material; None where it does not."""
    visual = getattr(geometry, "visual", None)
    try:
        if visual is None or not visual.defined:
            own = getattr(geometry, "colors", None)
        elif visual.kind != "texture":
            own = visual.vertex_colors
        elif picture == NO_PICTURE:
            own = _beside(visual) if "color" in visual.vertex_attributes else _plain(visual.material, count)
        else:
            own = _tint(visual, count)
        colours = None if own is None else np.asarray(own, np.float64)
    except Exception:  # colours of a kind that trimesh does not bring into shape
        return None
    if colours is None or colours.shape != (count, 4) or not np.isfinite(colours).all():
        return None
    return colours


def _beside(visual: Any) -> NDArray[np.float64]:
    """Colours (V, 4) in 0..255 of vertices that have a material as well."""
    written = np.asarray(visual.vertex_attributes["color"])
    full = np.iinfo(written.dtype).max if written.dtype.kind in "ui" else 1.0
    colours = np.full((len(written), 4), 255.0)
    colours[:, : written.shape[1]] = written * (255.0 / full)
    return colours


def _tint(visual: Any, count: int) -> NDArray[np.float64] | None:
    """(V, 4) by which glTF has a picture multiplied: the factor of the material and the colours of the vertices."""
    factor = getattr(visual.material, "baseColorFactor", None)
    tint = np.full((count, 4), 255.0) if factor is None else np.tile(_encoded(np.asarray(factor)), (count, 1))
    if "color" in visual.vertex_attributes:
        tint = tint * _beside(visual) / 255.0
    return None if (tint[:, :3] >= 254.5).all() else tint


def _plain(material: Any, count: int) -> NDArray[np.float64] | None:
    """(V, 4) in the one colour of a material; None for greys, which say no more than clay and are often a default."""
    colour = np.asarray(material.main_color, np.float64)
    if hasattr(material, "baseColorFactor"):
        colour = _encoded(colour)
    if np.ptp(colour[:3]) < _COLOURFUL:
        return None
    return np.tile(colour, (count, 1))


def _encoded(colour: NDArray[Any]) -> NDArray[np.float64]:
    """A colour of glTF, which is linear light, as sRGB; both (4,) in 0..255."""
    share = np.asarray(colour, np.float64) / 255
    encoded: NDArray[np.float64] = np.where(share <= 0.0031308, 12.92 * share, 1.055 * share ** (1 / 2.4) - 0.055)
    return np.rint(255 * encoded)
