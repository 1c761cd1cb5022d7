"""How glTF turns and chooses texture coordinates, which trimesh does not look at."""

import json
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOVED = "KHR_texture_transform"

_JSON = 0x4E4F534A
"""Kind of the first chunk of a GLB file."""


@dataclass(frozen=True)
class TextureMap:
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


def with_plain_maps(data: bytes) -> tuple[bytes, dict[str, TextureMap]]:
    """The file with one set of texture coordinates for each face, and how its materials move them, by their new names.

    A file that does neither, or is damaged, stays as it is.

    Parameters
    ----------
    data : of a GLB or GLTF file.
    """
    is_binary = data[:4] == b"glTF"
    size, kind = struct.unpack_from("<II", data, 12) if is_binary and len(data) >= 20 else (0, 0)
    text = data[20 : 20 + size] if is_binary and kind == _JSON else b"" if is_binary else data
    if _MOVED.encode() not in text and b'"texCoord"' not in text:
        return data, {}
    try:
        tree = json.loads(text)
        maps = _rewritten(tree)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        return data, {}
    head = json.dumps(tree).encode()
    if not is_binary:
        return head, maps
    head += b" " * (-len(head) % 4)
    rest = data[20 + size :]
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(head) + len(rest), len(head), _JSON) + head + rest, maps


def _rewritten(tree: Any) -> dict[str, TextureMap]:
    maps, sets = {}, {}
    for number, material in enumerate(tree.get("materials", [])):
        info = material.get("pbrMetallicRoughness", {}).get("baseColorTexture", {})
        change = info.get("extensions", {}).get(_MOVED, {})
        material["name"] = f"material {number}"
        offset, scale = change.get("offset", (0, 0)), change.get("scale", (1, 1))
        maps[material["name"]] = TextureMap(
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
