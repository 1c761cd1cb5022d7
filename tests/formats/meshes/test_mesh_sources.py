"""Each vertex and face of a mesh knows its place in the file, and takes its values with it."""

import io
import struct
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.formats.meshes.mesh_reader import MESH_SUFFIXES, read_mesh

ODD = Path(__file__).parents[3] / "../shared/data/meshes_odd"


@dataclass(frozen=True)
class Drawn:
    """A mesh to be written: vertex k has x = k, polygon k the value 100 + k, and vertex k the value 10 k."""

    n_vertices: int
    polygons: list[list[int]]
    lost: frozenset[int] = frozenset()
    coloured: bool = False

    def point(self, vertex: int) -> tuple[float, float, float]:
        return (float("nan") if vertex in self.lost else float(vertex), (vertex * 7 % 5) / 2, (vertex * 3 % 4) / 2)


@st.composite
def drawn_meshes(draw: st.DrawFn, max_corners: int = 6, min_corners: int = 2) -> Drawn:
    n = draw(st.integers(6, 12))
    corners = st.lists(st.integers(0, n - 1), min_size=min_corners, max_size=max_corners, unique=True)
    polygons = draw(st.lists(corners, min_size=1, max_size=8))
    lost = draw(st.frozensets(st.integers(0, n - 1), max_size=2))
    return Drawn(n, polygons, lost, draw(st.booleans()))


def off(drawn: Drawn) -> bytes:
    lines = ["OFF", f"{drawn.n_vertices} {len(drawn.polygons)} 0"]
    lines += [" ".join(map(str, drawn.point(k))) for k in range(drawn.n_vertices)]
    for number, polygon in enumerate(drawn.polygons):
        colour = [number * 9, 20, 30] if drawn.coloured else []
        lines.append(" ".join(map(str, [len(polygon), *polygon, *colour])))
    return "\n".join(lines).encode()


def obj(drawn: Drawn) -> bytes:
    lines = ["v {} {} {}".format(*drawn.point(k)) for k in range(drawn.n_vertices)]
    lines = [line.replace("nan", "word") for line in lines] + ["vt 0 0", "vt 1 0", "vt 0 1", "mtllib a.mtl"]
    for number, polygon in enumerate(drawn.polygons):
        lines += [f"usemtl m{number % 3}"] if drawn.coloured else []
        separator = f"/{number % 3 + 1}" if number % 2 else ""
        lines.append("f " + " ".join(f"{corner + 1}{separator}" for corner in polygon))
    return "\n".join(lines).encode()


def ply_header(drawn: Drawn, form: str) -> bytes:
    return (
        f"ply\nformat {form} 1.0\nelement vertex {drawn.n_vertices}\nproperty float x\nproperty float y\n"
        f"property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nproperty double quality\n"
        f"element face {len(drawn.polygons)}\nproperty short label\n"
        "property list uchar int vertex_indices\nend_header\n"
    ).encode()


def ascii_ply(drawn: Drawn) -> bytes:
    lines = [" ".join(map(str, [*drawn.point(k), 1, 2, 3, 10 * k])) for k in range(drawn.n_vertices)]
    lines += [" ".join(map(str, [100 + k, len(p), *p])) for k, p in enumerate(drawn.polygons)]
    return ply_header(drawn, "ascii") + "\n".join(lines).encode() + b"\n"


def binary_ply(order: str) -> Callable[[Drawn], bytes]:
    def write(drawn: Drawn) -> bytes:
        body = ply_header(drawn, "binary_little_endian" if order == "<" else "binary_big_endian")
        for k in range(drawn.n_vertices):
            body += struct.pack(f"{order}3f3Bd", *drawn.point(k), 1, 2, 3, 10 * k)
        for k, polygon in enumerate(drawn.polygons):
            body += struct.pack(f"{order}hB{len(polygon)}i", 100 + k, len(polygon), *polygon)
        return body

    return write


def threemf(drawn: Drawn) -> bytes:
    colours = "".join(f'<base name="a" displaycolor="#{k}0FF00"/>' for k in range(3))
    points = "".join('<vertex x="{}" y="{}" z="{}"/>'.format(*drawn.point(k)) for k in range(drawn.n_vertices))
    faces = ""
    for k, (a, b, c) in enumerate(drawn.polygons):
        group = f' pid="1" p1="{k % 3}"' if drawn.coloured and k % 4 else ""
        faces += f'<triangle v1="{a}" v2="{b}" v3="{c}"{group}/>'
    model = (
        f'<model><resources><basematerials id="1">{colours}</basematerials><object id="2"><mesh><vertices>{points}'
        f"</vertices><triangles>{faces}</triangles></mesh></object></resources>"
        '<build><item objectid="2"/></build></model>'
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("3D/3dmodel.model", model)
    return file.getvalue()


def glb(drawn: Drawn) -> bytes:
    points = np.array([drawn.point(k) for k in range(drawn.n_vertices)])
    mesh = trimesh.Trimesh(points, np.array(drawn.polygons), process=False)
    mesh.vertex_attributes["_quality"] = 10 * np.arange(drawn.n_vertices, dtype=np.float32)
    mesh.vertex_attributes["_flow"] = np.arange(2 * drawn.n_vertices, dtype=np.float32).reshape(-1, 2)
    return bytes(trimesh.Scene(mesh).export(file_type="glb"))


def assert_sources(mesh: Mesh, drawn: Drawn, counts: tuple[int, int] | None = None) -> None:
    """The law: positions and corners are those of the vertex and polygon that the mesh names."""
    assert mesh.source_counts == (counts or (drawn.n_vertices, len(drawn.polygons)))
    vertex = np.arange(len(mesh.vertices)) if mesh.source_vertex is None else mesh.source_vertex
    face = np.arange(len(mesh.faces)) if mesh.source_face is None else mesh.source_face
    assert vertex.shape == (len(mesh.vertices),)
    assert face.shape == (len(mesh.faces),)
    assert vertex.tolist() == mesh.vertices[:, 0].tolist()
    for corners, polygon in zip(vertex[mesh.faces].tolist(), face.tolist(), strict=True):
        assert set(corners) <= set(drawn.polygons[polygon])
    drawable = {k for k, p in enumerate(drawn.polygons) if len(p) > 2 and not drawn.lost & set(p)}
    assert drawable <= set(face.tolist())
    for values in mesh.values:
        number = {"quality": 10 * vertex, "label": 100 + face, "flow[0]": 2 * vertex, "flow[1]": 2 * vertex + 1}
        assert values.numbers.dtype == np.float32
        assert values.place == ("face" if values.name == "label" else "vertex")
        assert values.numbers.tolist() == number[values.name].tolist()


MTL = "newmtl m0\nKd 1 0 0\nnewmtl m1\nmap_Kd a.png\nnewmtl m2\nKd .5 .5 .5\n"


def folder_with_materials(folder: Path) -> Path:
    import PIL.Image

    (folder / "a.mtl").write_text(MTL)
    PIL.Image.new("RGB", (2, 2), "blue").save(folder / "a.png")
    return folder


@pytest.mark.parametrize(
    ("suffix", "write", "max_corners", "has_values"),
    [
        (".off", off, 6, ()),
        (".obj", obj, 6, ()),
        (".ply", ascii_ply, 6, ("quality", "label")),
        (".ply", binary_ply("<"), 6, ("quality", "label")),
        (".ply", binary_ply(">"), 6, ("quality", "label")),
        (".3mf", threemf, 3, ()),
        (".glb", glb, 3, ("quality", "flow[0]", "flow[1]")),
    ],
)
def test_vertices_and_faces_know_their_place_in_the_file(suffix, write, max_corners, has_values, tmp_path):
    folder = folder_with_materials(tmp_path)

    @settings(max_examples=60, deadline=None)
    @given(drawn_meshes(max_corners, 3 if max_corners == 3 else 2))
    def law(drawn: Drawn) -> None:
        if suffix == ".glb":
            drawn = Drawn(drawn.n_vertices, drawn.polygons)  # the exporter refuses NaN
        path = folder / f"mesh{suffix}"
        path.write_bytes(write(drawn))
        mesh = read_mesh(path)
        assert_sources(mesh, drawn)
        assert sorted(values.name for values in mesh.values) == sorted(has_values)

    law()


def test_vertices_of_ply_at_seams_of_a_texture_are_those_of_the_file(tmp_path):
    import PIL.Image

    PIL.Image.new("RGB", (4, 4), "red").save(tmp_path / "t.png")
    head = ply_header(Drawn(6, [[0]] * 3), "ascii").decode()
    head = head.replace("format ascii 1.0", "format ascii 1.0\ncomment TextureFile t.png")
    head = head.replace("end_header", "property list uchar float texcoord\nend_header")
    points = "".join(f"{k} {k % 2} {k % 3} 9 9 9 {10 * k}\n" for k in range(6))
    polygons = [[5, 4, 1], [4, 1, 3], [1, 3, 0]]
    faces = "".join(f"{100 + k} 3 {a} {b} {c} 6 0 0 1 0 0 {k}\n" for k, (a, b, c) in enumerate(polygons))
    (tmp_path / "mesh.ply").write_text(head + points + faces)
    mesh = read_mesh(tmp_path / "mesh.ply")
    assert len(mesh.vertices) > 6
    assert_sources(mesh, Drawn(6, polygons))


def test_polygons_of_stl_and_points_are_in_order(tmp_path):
    triangles = np.arange(36, dtype=np.float32).reshape(4, 3, 3) % 7
    triangles[2, 1] = np.nan
    body = b"".join(struct.pack("<12fH", 0, 0, 1, *corners.ravel(), 0) for corners in triangles)
    (tmp_path / "mesh.stl").write_bytes(bytes(80) + struct.pack("<I", 4) + body)
    mesh = read_mesh(tmp_path / "mesh.stl")
    assert mesh.source_counts == (12, 4)
    assert mesh.source_face is not None
    assert mesh.source_face.tolist() == [0, 1, 3]
    assert mesh.source_vertex is not None
    assert mesh.source_vertex.tolist() == [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11]


def test_a_file_in_order_has_no_indices_and_a_truncated_one_counts_what_it_declares(tmp_path):
    path = tmp_path / "mesh.off"
    path.write_text("OFF\n4 2 0\n0 0 0\n1 0 0\n2 0 0\n3 1 0\n3 0 1 3\n3 1 2 3\n")
    mesh = read_mesh(path)
    assert (mesh.source_vertex, mesh.source_face, mesh.source_counts) == (None, None, (4, 2))
    path.write_text("OFF\n4 9 0\n0 0 0\n1 0 0\n2 0 0\n3 1 0\n3 0 1 3\n3 1 2 3\n")
    assert read_mesh(path).source_counts == (4, 9)


def test_a_scene_of_several_parts_has_no_common_index_but_the_values_of_its_parts(tmp_path):
    one = trimesh.creation.box()
    other = trimesh.creation.icosahedron()
    other.vertex_attributes["_heat"] = np.array([np.inf, np.nan, *range(10)], np.float32)
    scene = trimesh.Scene([one, other])
    scene.add_geometry(one, transform=np.diag([2.0, 2, 2, 1]))
    (tmp_path / "scene.glb").write_bytes(scene.export(file_type="glb"))
    mesh = read_mesh(tmp_path / "scene.glb")
    assert mesh.source_counts is None
    (values,) = mesh.values
    assert values.name == "heat"
    assert sorted(values.numbers[np.isfinite(values.numbers)].tolist()) == list(range(10))
    assert len(values.numbers) == len(mesh.vertices) == 8 + 8 + 12

    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        for name in ("a.off", "b.off"):
            archive.writestr(name, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    assert read_mesh(tmp_path / "two.zip").source_counts is None


def test_repeated_objects_of_3mf_have_no_common_index(tmp_path):
    data = threemf(Drawn(6, [[0, 1, 2], [3, 4, 5]]))
    member = "3D/3dmodel.model"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        model = archive.read(member).decode().replace("</build>", '<item objectid="2"/></build>')
    with zipfile.ZipFile(tmp_path / "mesh.3mf", "w") as archive:
        archive.writestr(member, model)
    assert read_mesh(tmp_path / "mesh.3mf").source_counts is None


def test_triangles_of_collada_have_no_index(tmp_path):
    pytest.importorskip("collada")
    (tmp_path / "box.dae").write_bytes(trimesh.creation.box().export(file_type="dae"))
    assert read_mesh(tmp_path / "box.dae").source_counts is None


def odd_files() -> list[Path]:
    return sorted(path for path in ODD.rglob("*") if path.suffix.lower() in MESH_SUFFIXES) if ODD.exists() else []


@pytest.mark.parametrize("path", odd_files(), ids=lambda path: path.name)
def test_indices_and_values_of_odd_files_fit_their_meshes(path):
    try:
        mesh = read_mesh(path)
    except FormatError:
        return
    for count, source, place in (
        (len(mesh.vertices), mesh.source_vertex, 0),
        (len(mesh.faces), mesh.source_face, 1),
    ):
        if mesh.source_counts is not None:
            index = np.arange(count) if source is None else source
            assert len(index) == count
            assert not count or (index.min() >= 0 and index.max() < mesh.source_counts[place])
    for values in mesh.values:
        assert len(values.numbers) == len(mesh.vertices if values.place == "vertex" else mesh.faces)
    if path.suffix.lower() == ".ply" and mesh.source_counts is not None and not any("far" in n for n in mesh.notes):
        (geometry,) = trimesh.load_scene(path, process=False).geometry.values()
        data = geometry.metadata["_ply_raw"]["vertex"]["data"]
        written = np.column_stack([np.asarray(data[axis], np.float32).ravel() for axis in "xyz"])
        vertex = np.arange(len(mesh.vertices)) if mesh.source_vertex is None else mesh.source_vertex
        np.testing.assert_array_equal(mesh.vertices, written[vertex])
