"""Limits of glTF and COLLADA scenes, checked before trimesh expands them."""

import json
import struct
from collections import Counter
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

# trimesh 5.2 and pycollada 0.9 expand a scene first: a COLLADA file of 2.6 KB, whose nodes contain each other's
# instances on six levels, has 10^6 triangles, and a glTF file of 580 bytes allocates arrays of any size.

#: Maximum number of uses of nodes and meshes in a scene; each takes trimesh 0.1 ms in glTF and 0.3 ms in COLLADA.
MAX_INSTANCES = 20_000

#: Maximum nesting of nodes; trimesh takes time in the square of the levels. Skeletons have some tens.
MAX_LEVELS = 100

#: Maximum bytes of the arrays of a small glTF scene, counted for each use; they take ten times as much while read.
MAX_EXPANDED_BYTES = 2**26

#: Maximum bytes of arrays for each byte of a larger file: each is counted as part of a view, an accessor and a mesh.
_EXPANSION = 8

#: Maximum number of corners of triangles that instances add to a COLLADA file; each takes about 150 bytes.
MAX_REPEATED_CORNERS = 3_000_000

_COMPONENT_BYTES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
_COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}

#: Type of the first chunk of a GLB file.
JSON_CHUNK = 0x4E4F534A


def gltf_text(data: bytes) -> bytes:
    """JSON text of a GLB or GLTF file; empty for a damaged GLB file."""
    if data[:4] != b"glTF":
        return data
    size, kind = struct.unpack_from("<II", data, 12) if len(data) >= 20 else (0, 0)
    return data[20 : 20 + size] if kind == JSON_CHUNK else b""


class MeshLimitError(ValueError):
    """A file exceeds a limit; the message is the reason."""


def check_gltf(data: bytes, load: Callable[[str], bytes]) -> None:
    """Check the number of uses of meshes, the nesting of nodes and the sizes of arrays.

    Parameters
    ----------
    data : content of a GLB or GLTF file.
    load : reads a buffer in another file.

    Raises
    ------
    MeshLimitError
        A limit is exceeded; the message is the reason. A damaged file may raise other exceptions as well.
    """
    document = json.loads(gltf_text(data).decode("utf-8-sig", "replace"))
    sizes = [_accessor_bytes(accessor) for accessor in document.get("accessors", [])]
    total = sum(sizes) + sum(int(view["byteLength"]) for view in document.get("bufferViews", []))
    meshes = [[_primitive_bytes(part, sizes) for part in _primitives(mesh)] for mesh in document.get("meshes", [])]
    n_uses = sum(map(len, meshes))
    for node, level in _node_levels(document).items():
        if level > MAX_LEVELS:
            raise MeshLimitError(f"its nodes have more than {MAX_LEVELS} levels, or contain themselves")
        mesh = document["nodes"][node].get("mesh")
        parts = meshes[mesh] if isinstance(mesh, int) and 0 <= mesh < len(meshes) else []
        n_uses += 1 + len(parts)
        total += sum(parts)
    if n_uses > MAX_INSTANCES:
        raise MeshLimitError(f"it uses its nodes and meshes more than {MAX_INSTANCES:,} times")
    if total > max(MAX_EXPANDED_BYTES, _EXPANSION * len(data)):
        names = {str(buffer["uri"]) for buffer in document.get("buffers", []) if "uri" in buffer}
        n_bytes = len(data) + sum(len(load(name)) for name in names if not name.startswith("data:"))
        limit = max(MAX_EXPANDED_BYTES, _EXPANSION * n_bytes)
        if total > limit:
            raise MeshLimitError(
                f"its arrays would have more than {limit >> 20:,} MiB, the limit for a file of its size"
            )


def _accessor_bytes(accessor: dict[str, Any]) -> int:
    values = int(accessor["count"]) * _COMPONENTS.get(accessor["type"], 1)
    return max(0, values) * _COMPONENT_BYTES.get(accessor["componentType"], 1)


def _primitives(mesh: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for part in mesh.get("primitives", []) if isinstance(part, dict)]


def _primitive_bytes(part: dict[str, Any], sizes: list[int]) -> int:
    used = [*part.get("attributes", {}).values(), part.get("indices")]
    return sum(sizes[index] for index in used if isinstance(index, int) and -len(sizes) <= index < len(sizes))


def _node_levels(document: dict[str, Any]) -> dict[int, int]:
    """Level of each node of the scene, at most ``MAX_LEVELS + 1``.

    A node with several parents occurs once, below the last one that is visited, as in trimesh.
    """
    scenes, nodes = document.get("scenes", []), document.get("nodes", [])
    roots = scenes[document.get("scene", 0)].get("nodes", []) if scenes else []
    parents: dict[int, int] = {}
    pending = [(-1, root) for root in roots]
    seen: set[tuple[int, int]] = set()
    while pending:
        edge = pending.pop()
        if edge not in seen:
            seen.add(edge)
            if len(seen) > MAX_INSTANCES:
                raise MeshLimitError(f"it uses its nodes more than {MAX_INSTANCES:,} times")
            parents[edge[1]] = edge[0]
            pending += [(edge[1], child) for child in nodes[edge[1]].get("children", [])]
    levels = {}
    for node in parents:
        level, above = 1, parents[node]
        while above in parents and level <= MAX_LEVELS:
            level, above = level + 1, parents[above]
        levels[node] = level
    return levels


def check_dae(data: bytes) -> None:
    """Check the number of uses of nodes and geometries, their nesting and the corners that they repeat.

    Raises
    ------
    MeshLimitError
        A limit is exceeded; the message is the reason.
    xml.etree.ElementTree.ParseError
        It is not XML.
    """
    root = ElementTree.fromstring(data)
    pending = [(root, 1)]
    while pending:
        element, level = pending.pop()
        element.tag = element.tag.rpartition("}")[2]
        level += element.tag == "node"
        if level > MAX_LEVELS:
            raise MeshLimitError(f"its nodes have more than {MAX_LEVELS} levels")
        pending += [(child, level) for child in element]
    for counts in root.iter("vcount"):
        _check_corner_counts(counts.text or "", len(data))
    corners = {}
    for geometry in root.iter("geometry"):
        texts = (indices.text or "" for tag in ("p", "h", "v") for indices in geometry.iter(tag))
        corners[geometry.get("id", "")] = sum(len(text.split()) for text in texts)
    uses = _DaeUses({node.get("id", ""): node for node in root.iter("node")}, corners)
    totals = [uses.below(scene, 1) for scene in root.iter("visual_scene")]
    n_uses, n_corners = sum(count for count, _ in totals), sum(count for _, count in totals)
    if n_uses > MAX_INSTANCES:
        raise MeshLimitError(f"it uses its nodes and geometries more than {MAX_INSTANCES:,} times")
    n_own = sum(corners.values())
    if n_corners - n_own > max(MAX_REPEATED_CORNERS, n_own):
        raise MeshLimitError(f"its instances repeat {n_corners - n_own:,} corners of triangles, beyond the limit")


def _check_corner_counts(text: str, n_bytes: int) -> None:
    """ValueError if polygons have more corners than the file has bytes: pycollada allocates an array of them."""
    counts = text.split()
    if any(len(count) > 9 for count in counts) or sum(int(count) for count in counts if count.isdecimal()) > n_bytes:
        raise MeshLimitError("its polygons have more corners than it lists")


class _DaeUses:
    """Uses of nodes and geometries; `nodes` and `corners` of geometries by their ids."""

    def __init__(self, nodes: dict[str, ElementTree.Element], corners: dict[str, int]) -> None:
        self._nodes, self._corners = nodes, corners
        self._known: dict[ElementTree.Element, tuple[int, int]] = {}

    def below(self, node: ElementTree.Element, level: int) -> tuple[int, int]:
        """Number of uses below a node, and the corners of the geometries in them; each node is counted once."""
        if node in self._known:
            return self._known[node]
        if level > MAX_LEVELS:
            raise MeshLimitError(f"its nodes have more than {MAX_LEVELS} levels, or contain themselves")
        geometries = _urls(node, "instance_geometry")
        n_uses, n_corners = len(geometries), sum(self._corners.get(name, 0) for name in geometries)
        instances = Counter(_urls(node, "instance_node"))
        inner = [(child, 1) for child in node.findall("node")]
        inner += [(self._nodes[name], count) for name, count in instances.items() if name in self._nodes]
        for child, count in inner:
            uses_below, corners_below = self.below(child, level + 1)
            n_uses += count * (1 + uses_below)
            n_corners += count * corners_below
        self._known[node] = n_uses, n_corners
        return n_uses, n_corners


def _urls(node: ElementTree.Element, tag: str) -> list[str]:
    """Ids that a node refers to."""
    return [instance.get("url", "").removeprefix("#") for instance in node.findall(tag)]
