"""Textures and colours of geometries loaded by trimesh, including glTF texture transforms."""

import json
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.formats.meshes.images import NO_TEXTURE

_TEXTURE_TRANSFORM = "KHR_texture_transform"

_JSON_CHUNK = 0x4E4F534A
"""Kind of the first chunk of a GLB file."""


@dataclass(frozen=True)
class TextureTransform:
    """Where a material has its picture, by `KHR_texture_transform`: scaled, turned, then moved.

    Attributes
    ----------
    offset, scale : in shares of the picture, v downwards.
    rotation : radians.
    """

    offset: tuple[float, float] = (0.0, 0.0)
    scale: tuple[float, float] = (1.0, 1.0)
    rotation: float = 0.0

    def moved(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Texture coordinates (V, 2), v upwards before and after."""
        u, v = places[:, 0] * self.scale[0], (1 - places[:, 1]) * self.scale[1]
        cosine, sine = np.cos(self.rotation), np.sin(self.rotation)
        across, down = cosine * u + sine * v + self.offset[0], cosine * v - sine * u + self.offset[1]
        return np.stack([across, 1 - down], axis=1)


def extract_texture_transforms(data: bytes) -> tuple[bytes, dict[str, TextureTransform]]:
    """The file with one set of texture coordinates for each face, and how its materials move them, by their new names.

    A file that does neither, or is damaged, stays as it is.

    Parameters
    ----------
    data : of a GLB or GLTF file.
    """
    is_binary = data[:4] == b"glTF"
    size, kind = struct.unpack_from("<II", data, 12) if is_binary and len(data) >= 20 else (0, 0)
    text = data[20 : 20 + size] if is_binary and kind == _JSON_CHUNK else b"" if is_binary else data
    if _TEXTURE_TRANSFORM.encode() not in text and b'"texCoord"' not in text:
        return data, {}
    try:
        tree = json.loads(text)
        maps = _rewrite_materials(tree)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        return data, {}
    head = json.dumps(tree).encode()
    if not is_binary:
        return head, maps
    head += b" " * (-len(head) % 4)
    rest = data[20 + size :]
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(head) + len(rest), len(head), _JSON_CHUNK) + head + rest, maps


def _rewrite_materials(tree: Any) -> dict[str, TextureTransform]:
    maps, sets = {}, {}
    for number, material in enumerate(tree.get("materials", [])):
        info = material.get("pbrMetallicRoughness", {}).get("baseColorTexture", {})
        change = info.get("extensions", {}).get(_TEXTURE_TRANSFORM, {})
        material["name"] = f"material {number}"
        offset, scale = change.get("offset", (0, 0)), change.get("scale", (1, 1))
        maps[material["name"]] = TextureTransform(
            (float(offset[0]), float(offset[1])), (float(scale[0]), float(scale[1])), float(change.get("rotation", 0))
        )
        sets[number] = int(change.get("texCoord", info.get("texCoord", 0)))
    for mesh in tree.get("meshes", []):
        for primitive in mesh.get("primitives", []):
            chosen = sets.get(primitive.get("material"), 0)
            attributes = primitive.get("attributes", {})
            if chosen and f"TEXCOORD_{chosen}" in attributes:
                attributes["TEXCOORD_0"] = attributes[f"TEXCOORD_{chosen}"]
    return maps


_PLACEHOLDER_SIDE = 2
"""Pixels of the grey square that trimesh puts in the place of a missing texture."""

_MIN_SATURATION = 24
"""Of 255, between the strongest and the weakest channel, from which on a material has a colour."""


def _is_textured(geometry: Any) -> bool:
    visual = getattr(geometry, "visual", None)
    return visual is not None and visual.kind == "texture"


def lacks_texture(geometry: Any) -> bool:
    """Whether a geometry says where a picture would lie, and has none."""
    return _is_textured(geometry) and geometry.visual.uv is not None and texture_of(geometry) is None


def texture_of(geometry: Any) -> Any:
    """The picture (Pillow's) upon a geometry, not yet read; None where it has none or does not say where it lies."""
    if not _is_textured(geometry) or np.shape(geometry.visual.uv) != (len(geometry.vertices), 2):
        return None
    material = geometry.visual.material
    pictures = (getattr(material, name, None) for name in ("image", "baseColorTexture"))
    picture = next((found for found in pictures if found is not None), None)
    # trimesh puts a small grey square in the place of a missing texture
    return (
        None if picture is not None and max(picture.size) <= _PLACEHOLDER_SIDE and picture.format is None else picture
    )


def texture_key(geometry: Any) -> tuple[int, bool]:
    """What tells the picture upon a geometry from others."""
    return id(texture_of(geometry)), is_opaque(geometry)


def is_opaque(geometry: Any) -> bool:
    """Whether alpha means nothing, as in glTF unless it says otherwise."""
    material = geometry.visual.material
    return hasattr(material, "alphaMode") and material.alphaMode in (None, "OPAQUE")


def vertex_colours_of(geometry: Any, count: int, picture: int) -> NDArray[np.float64] | None:
    """(V, 4) in 0..255 where the file paints its vertices, faces or material; None where it does not."""
    visual = getattr(geometry, "visual", None)
    try:
        if visual is None or not visual.defined:
            own = getattr(geometry, "colors", None)
        elif visual.kind != "texture":
            own = visual.vertex_colors
        elif picture == NO_TEXTURE:
            own = (
                _vertex_attribute_colours(visual)
                if "color" in visual.vertex_attributes
                else _material_colours(visual.material, count)
            )
        else:
            own = _texture_tint(visual, count)
        colours = None if own is None else np.asarray(own, np.float64)
    except Exception:  # colours of a kind that trimesh does not bring into shape
        return None
    if colours is None or colours.shape != (count, 4) or not np.isfinite(colours).all():
        return None
    return colours


def _vertex_attribute_colours(visual: Any) -> NDArray[np.float64]:
    """Colours (V, 4) in 0..255 of vertices that have a material as well."""
    written = np.asarray(visual.vertex_attributes["color"])
    full = np.iinfo(written.dtype).max if written.dtype.kind in "ui" else 1.0
    colours = np.full((len(written), 4), 255.0)
    colours[:, : written.shape[1]] = written * (255.0 / full)
    return colours


def _texture_tint(visual: Any, count: int) -> NDArray[np.float64] | None:
    """(V, 4) by which glTF has a picture multiplied: the factor of the material and the colours of the vertices."""
    factor = getattr(visual.material, "baseColorFactor", None)
    tint = np.full((count, 4), 255.0) if factor is None else np.tile(_linear_to_srgb(np.asarray(factor)), (count, 1))
    if "color" in visual.vertex_attributes:
        tint = tint * _vertex_attribute_colours(visual) / 255.0
    return None if (tint[:, :3] >= 254.5).all() else tint


def _material_colours(material: Any, count: int) -> NDArray[np.float64] | None:
    """(V, 4) in the one colour of a material; None for greys, which say no more than clay and are often a default."""
    colour = np.asarray(material.main_color, np.float64)
    if hasattr(material, "baseColorFactor"):
        colour = _linear_to_srgb(colour)
    if np.ptp(colour[:3]) < _MIN_SATURATION:
        return None
    return np.tile(colour, (count, 1))


def _linear_to_srgb(colour: NDArray[Any]) -> NDArray[np.float64]:
    """A colour of glTF, which is linear light, as sRGB; both (4,) in 0..255."""
    share = np.asarray(colour, np.float64) / 255
    encoded: NDArray[np.float64] = np.where(share <= 0.0031308, 12.92 * share, 1.055 * share ** (1 / 2.4) - 0.055)
    return np.rint(255 * encoded)
