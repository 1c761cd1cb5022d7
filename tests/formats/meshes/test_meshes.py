"""Every dialect of OFF gives the same mesh, every odd file a drawable mesh or a sentence, real ones agree."""

import bz2
import gzip
import io
import os
import random
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.formats.meshes import mesh_reader, trimesh_scene
from shrec_viewer.formats.meshes.mesh_reader import MESH_SUFFIXES, find_mesh_fault, read_mesh

DATA = Path(__file__).parents[3] / "../shared/data"
ODD = DATA / "meshes_odd"
SHREC06 = DATA / "shrec06/models"

CORNERS = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
SQUARE = [[0, 1, 2], [0, 2, 3]]
POINTS = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
FACES = "3 0 1 2\n3 0 2 3\n"


def write(folder: Path, text: str | bytes, name: str = "square.off") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def assert_square(mesh: Mesh) -> None:
    assert mesh.vertices.dtype == np.float32
    assert mesh.faces.dtype == np.int32
    assert mesh.vertices.tolist() == CORNERS
    assert mesh.faces.tolist() == SQUARE


@pytest.mark.parametrize(
    "text",
    [
        f"OFF\n4 2 0\n{POINTS}{FACES}",
        f"OFF\n4 2 5\n{POINTS}{FACES}",
        f"OFF\n4 2\n{POINTS}{FACES}",
        f"OFF4 2 0\n{POINTS}{FACES}",
        f"OFF 4 2 0\n{POINTS}{FACES}",
        f"off\n4 2 0\n{POINTS}{FACES}",
        f"Off\n\n4 2 0\n\n{POINTS}\n{FACES}",
        f"  \t OFF\n4 2 0\n{POINTS}{FACES}",
        f"# made by hand\nOFF # header\n# counts\n4 2 0 # here\n{POINTS}{FACES}# end",
        f"OFF\r\n4 2 0\r\n{POINTS}{FACES}".replace("\n", "\r\n").replace("\r\r", "\r"),
        f"\ufeffOFF\n4 2 0\n{POINTS}{FACES}",
        f"OFF\n4 2 0\n{POINTS}{FACES}".rstrip(),
        f"OFF\n4 2 0\n{POINTS}{FACES}7 7 7 and more\n",
        f"OFF\n4 1 0\n{POINTS}4 0 1 2 3\n",
        f"OFF\n4 2 0\n{POINTS}3 0\n1 2 3\n0 2 3\n",
        "OFF\n4 2 0\n0 0 0 1 0 0\n1 1 0\n0 1 0\n" + FACES,
        f"OFF\n4 2 0\n{POINTS}3\t0\t1\t2\n3   0 2   3  \n",
        f"OFF\n4 2 0\n{POINTS}".replace("1", "1.000e+00").replace("OFF\n4", "OFF\n4") + FACES,
        f"OFF\n4 2 0\n{POINTS}".replace("\n", " ") + FACES,
        f"OFF\n4\n2\n0\n{POINTS}{FACES}",
        f"OFF\n4\n2 0\n{POINTS}{FACES}",
        f"OFF\n4 2\n0\n{POINTS}{FACES}",
        f"OFF\n4\n2\n{POINTS}{FACES}",
        f"OFF 4 2 0\n{POINTS}{FACES}".replace(" ", "\n"),
        f"OFF\n4 2 0\n{POINTS}{FACES}".replace("\n", " "),
        "NOFF\n4 2 0\n" + POINTS.replace("\n", " 0 0 1\n") + FACES,
    ],
)
def test_every_dialect_of_off_gives_the_same_square(tmp_path, text):
    mesh = read_mesh(write(tmp_path, text))
    assert_square(mesh)
    assert mesh.colours is None
    assert mesh.notes == ()


def test_polygons_become_triangle_fans(tmp_path):
    points = "".join(f"{k} {k * k} 0\n" for k in range(6))
    mesh = read_mesh(write(tmp_path, f"OFF\n6 3 0\n{points}5 0 1 2 3 4\n3 5 4 3\n4 0 2 4 5\n"))
    assert mesh.faces.tolist() == [[0, 1, 2], [0, 2, 3], [0, 3, 4], [5, 4, 3], [0, 2, 4], [0, 4, 5]]


def test_vertex_colours_are_bytes_whether_written_as_bytes_or_shares(tmp_path):
    as_bytes = "COFF\n3 1 0\n0 0 0 255 0 0 255\n1 0 0 0 255 0 255\n0 1 0 0 0 255 255\n3 0 1 2\n"
    as_shares = "COFF\n3 1 0\n0 0 0 1.0 0 0 1\n1 0 0 0 1 0 1\n0 1 0 0 0 1 1\n3 0 1 2\n"
    expected = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]]
    for text in (as_bytes, as_shares):
        colours = read_mesh(write(tmp_path, text)).colours
        assert colours is not None
        assert colours.dtype == np.uint8
        assert colours.tolist() == expected


def test_face_colours_duplicate_the_corners(tmp_path):
    mesh = read_mesh(write(tmp_path, f"OFF\n4 2 0\n{POINTS}3 0 1 2 1.0 0.0 0.5\n3 0 2 3 10 20 30\n"))
    assert mesh.vertices[mesh.faces].tolist() == np.array(CORNERS, float)[np.array(SQUARE)].tolist()
    assert mesh.colours is not None
    assert mesh.colours.tolist() == [[255, 0, 128, 255]] * 3 + [[10, 20, 30, 255]] * 3


def test_truncated_mesh_has_a_note(tmp_path):
    mesh = read_mesh(write(tmp_path, f"OFF\n4 9 0\n{POINTS}{FACES}3 1"))
    assert_square(mesh)
    assert mesh.notes == ("the file ends after 2 of 9 faces",)
    mesh = read_mesh(write(tmp_path, "OFF\n9 2 0\n0 0 0\n1 2 3\n"))
    assert len(mesh.vertices) == 2
    assert mesh.notes[0] == "the file ends after 2 of 9 vertices"


@pytest.mark.parametrize("corner", [-1, 4, 2_000_000_000, 5_000_000_000])
def test_faces_out_of_range_are_dropped_and_counted(tmp_path, corner):
    mesh = read_mesh(write(tmp_path, f"OFF\n4 3 0\n{POINTS}3 0 1 2\n3 0 1 {corner}\n3 0 2 3\n"))
    assert_square(mesh)
    assert mesh.notes == ("1 of 3 faces refer to missing vertices and were ignored",)


def test_non_finite_vertices_are_dropped_with_their_faces(tmp_path):
    text = "OFF\n6 4 0\n0 0 0\nnan 0 0\n1 0 0\n1 1 0\n0 inf 0\n0 1 0\n3 0 2 3\n3 0 1 2\n3 0 3 5\n3 4 5 0\n"
    mesh = read_mesh(write(tmp_path, text))
    assert_square(mesh)
    assert mesh.notes == ("2 of 6 vertices are not finite and were ignored with their faces",)


def test_edges_are_no_faces(tmp_path):
    mesh = read_mesh(write(tmp_path, f"OFF\n4 3 0\n{POINTS}2 0 1\n{FACES}"))
    assert_square(mesh)
    assert mesh.notes == ("1 faces with fewer than three corners were ignored",)


def test_no_faces_at_all_is_a_cloud(tmp_path):
    mesh = read_mesh(write(tmp_path, f"OFF\n4 0 0\n{POINTS}"))
    assert mesh.vertices.tolist() == CORNERS
    assert mesh.faces.shape == (0, 3)


def test_a_mesh_far_from_the_origin_keeps_its_detail(tmp_path):
    points = "".join(f"{x + 4_500_000.25} {y + 300_000} {z}\n" for x, y, z in CORNERS)
    mesh = read_mesh(write(tmp_path, f"OFF\n4 2 0\n{points}{FACES}"))
    assert (mesh.vertices - mesh.vertices[0]).tolist() == CORNERS
    assert "far from the origin" in mesh.notes[0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is an empty file"),
        (" \n \n", "is an empty file"),
        ("OFF", "has no counts of vertices and faces"),
        ("OFF\nfour two 0\n", "has no counts of vertices and faces"),
        ("OFF\n-4 2 0\n", "declares -4 vertices and 2 faces"),
        ("OFF\n0 0 0\n", "contains no vertex that can be drawn"),
        ("OFF\n3 1 0\n", "declares 3 vertices but contains none"),
        ("OFF\n3 1 0\n0 zero 0\n", "has vertices that are not numbers"),
        ("OFF\n1 0 0\nnan nan nan\n", "contains no vertex that can be drawn"),
        ("OFF BINARY\n", "is a binary OFF file; only text is supported"),
        ("4OFF\n1 0 0\n0 0 0 1\n", "has more than three dimensions"),
        ("4 2 0\n0 0 0\n", "does not start with 'OFF'"),
        ("OFF\n9999999999 9999999999 0\n1 2\n", "declares 9999999999 vertices but contains none"),
    ],
)
def test_unreadable_source_is_an_error_with_file(tmp_path, text, why):
    path = write(tmp_path, text)
    with pytest.raises(FormatError) as caught:
        read_mesh(path)
    assert why in caught.value.reason
    assert caught.value.path == path


def test_missing_and_unknown_files_are_errors(tmp_path):
    for path in (tmp_path / "none.off", tmp_path, write(tmp_path, "x", "notes.txt"), write(tmp_path, "x", "plain")):
        with pytest.raises(FormatError):
            read_mesh(path)


def test_packed_files_are_unpacked(tmp_path):
    text = f"OFF\n4 2 0\n{POINTS}{FACES}".encode()
    assert_square(read_mesh(write(tmp_path, gzip.compress(text), "square.off.gz")))
    assert_square(read_mesh(write(tmp_path, bz2.compress(text), "square.OFF.bz2")))
    assert_square(read_mesh(write(tmp_path, text, "square.off.gz")))  # the content counts, not the name
    for pack, suffix, kind in ((gzip.compress, "gz", "gzip"), (bz2.compress, "bz2", "bzip2")):
        for damaged in (pack(text)[:-9], pack(text)[:20] + b"\0\0\0\0" + pack(text)[24:]):
            with pytest.raises(FormatError, match=f"is a damaged or truncated {kind} file"):
                read_mesh(write(tmp_path, damaged, f"square.off.{suffix}"))


@pytest.mark.parametrize(
    "face",
    ["1/1/1 2 4//1", "1/2/3 2/1 4", "1//1 2/1 4/1/1", "1 2/1/1 4/1", "1/1/1 2/1/1 3 4", "1 2/1 3/1/1 4/1"],
)
def test_corners_of_obj_may_have_different_shapes_in_one_face(face, tmp_path):
    """The slashes of some of these add up to one or two for each corner."""
    text = f"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvn 0 0 1\nf {face}\nf {face}\n"
    mesh = read_mesh(write(tmp_path, text, "mixed.obj"))
    expected = [int(corner.split("/")[0]) - 1 for corner in face.split()]
    fan = [[expected[0], expected[place], expected[place + 1]] for place in range(1, len(expected) - 1)]
    assert mesh.faces.tolist() == fan * 2


def test_corners_of_obj_may_count_backwards(tmp_path):
    text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf -4/1/1 -3//1 -2 -1\n"
    mesh = read_mesh(write(tmp_path, text, "square.obj"))
    assert mesh.vertices[mesh.faces].tolist() == np.array(CORNERS, float)[np.array(SQUARE)].tolist()


def test_geometries_of_a_scene_are_transformed(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    scene = trimesh.Scene()
    for shift in (0.0, 10.0):
        move = np.eye(4)
        move[0, 3] = shift
        scene.add_geometry(trimesh.creation.box(), transform=move)
    path = write(tmp_path, scene.export(file_type="glb"), "two.glb")
    mesh = read_mesh(path)
    assert len(mesh.faces) == 24
    assert mesh.vertices[:, 0].min() == -0.5
    assert mesh.vertices[:, 0].max() == 10.5


def test_broken_binary_files_are_errors(tmp_path):
    lying = b"\0" * 80 + struct.pack("<I", 4_000_000_000) + b"\0" * 100
    with pytest.raises(FormatError, match="cannot be read as STL"):
        read_mesh(write(tmp_path, lying, "lying.stl"))
    with pytest.raises(FormatError, match="cannot be read as GLB"):
        read_mesh(write(tmp_path, b"glTF\2\0\0\0\xff\xff\xff\xff", "short.glb"))


@given(st.one_of(st.binary(max_size=200), st.text("OFCN0123456789 .-#\n\te", max_size=200).map(str.encode)))
def test_off_is_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "any.off"
    path.write_bytes(b"OFF\n" + data)
    try:
        mesh = read_mesh(path)
    except FormatError:
        return
    assert_drawable(mesh)


def assert_drawable(mesh: Mesh) -> None:
    assert len(mesh.vertices) > 0
    assert np.isfinite(mesh.vertices).all()
    assert mesh.faces.shape[1:] == (3,)
    assert mesh.faces.size == 0 or 0 <= mesh.faces.min() <= mesh.faces.max() < len(mesh.vertices)
    assert mesh.colours is None or (mesh.colours.shape == (len(mesh.vertices), 4) and mesh.colours.dtype == np.uint8)


def odd_files() -> list[Path]:
    known = (*MESH_SUFFIXES, ".bz2")
    return sorted(path for path in ODD.rglob("*") if path.is_file() and path.suffix.lower() in known)


@pytest.mark.parametrize("path", odd_files(), ids=lambda path: path.name)
def test_odd_meshes_are_drawable_or_empty(path):
    if path.name.startswith("empty") or "_empty_" in path.name or path.stem.endswith("_empty"):
        with pytest.raises(FormatError):
            read_mesh(path)
    else:
        assert_drawable(read_mesh(path))


def test_our_reader_of_off_agrees_with_trimesh_on_real_models():
    if not SHREC06.is_dir():
        pytest.skip("needs shared/data/shrec06")
    trimesh = pytest.importorskip("trimesh")
    for path in random.Random(6).sample(sorted(SHREC06.glob("*.off")), 20):
        ours, theirs = read_mesh(path), trimesh.load_mesh(path, process=False)
        assert np.array_equal(ours.vertices, theirs.vertices.astype(np.float32)), path.name
        assert np.array_equal(ours.faces, theirs.faces), path.name
        assert ours.notes == ()


def test_too_large_file_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(mesh_reader, "MAX_MESH_BYTES", 1_000_000)
    (tmp_path / "large.off").write_bytes(b"0" * 1_000_001)
    (tmp_path / "bomb.off.gz").write_bytes(gzip.compress(b"0" * 50_000_000))
    (tmp_path / "bomb.ply.bz2").write_bytes(bz2.compress(b"0" * 50_000_000))
    for name in ("large.off", "bomb.off.gz", "bomb.ply.bz2"):
        with pytest.raises(FormatError, match=r"is larger than 1 MiB, the limit|would unpack to more than 1 MiB"):
            read_mesh(tmp_path / name)


@pytest.mark.parametrize("suffix", ["obj", "ply", "stl", "glb", "dae", "off"])
@pytest.mark.parametrize("packed", ["", ".gz", ".bz2"])
def test_every_format_is_read_packed_and_plain(tmp_path, suffix, packed):
    box = trimesh.creation.box((1, 2, 3))
    data = box.export(file_type=suffix)
    data = data if isinstance(data, bytes) else data.encode()
    pack = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress}[packed]
    mesh = read_mesh(write(tmp_path, pack(data), f"box.{suffix}{packed}"))
    assert len(mesh.faces) == 12
    assert np.ptp(mesh.vertices, axis=0) == pytest.approx([1, 2, 3])


def threemf(model: str, name: str = "3D/3dmodel.model") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(name, model)
    return stream.getvalue()


TETRA_3MF = """<?xml version="1.0"?><model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>
<object id="1"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/>
<vertex x="0" y="0" z="1"/></vertices><triangles><triangle v1="0" v2="1" v3="2"/><triangle v1="0" v2="1" v3="3"/>
</triangles></mesh></object>
<object id="2"><components><component objectid="1"/><component objectid="1" transform="2 0 0 0 2 0 0 0 2 10 0 0"/>
</components></object></resources><build><item objectid="2" transform="1 0 0 0 1 0 0 0 1 0 5 0"/></build></model>"""


def test_objects_of_3mf_are_transformed(tmp_path):
    for data in (threemf(TETRA_3MF), gzip.compress(threemf(TETRA_3MF, "elsewhere/3DModel.model"))):
        name = "two.3mf.gz" if data[:2] == b"\x1f\x8b" else "two.3mf"
        mesh = read_mesh(write(tmp_path, data, name))
        assert len(mesh.faces) == 4
        assert mesh.vertices[:4].tolist() == [[0, 5, 0], [1, 5, 0], [0, 6, 0], [0, 5, 1]]
        assert mesh.vertices[4:].tolist() == [[10, 5, 0], [12, 5, 0], [10, 7, 0], [10, 5, 2]]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"no zip", "File is not a zip file"),
        (threemf("<model/>", "other.xml"), "it contains no model"),
        (threemf("<model>"), "no element found"),
        (threemf("<model/>"), "contains no geometry"),
        (threemf(TETRA_3MF.replace('x="0"', 'x="left"')), "could not convert string to float"),
        (threemf(TETRA_3MF.replace('objectid="1"', 'objectid="2"')), "contains no geometry"),
    ],
)
def test_broken_3mf_is_an_error(tmp_path, data, why):
    with pytest.raises(FormatError, match=why):
        read_mesh(write(tmp_path, data, "broken.3mf"))


PRODUCTION = 'xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06"'


def test_objects_of_3mf_may_be_in_other_files_of_the_archive(tmp_path):
    """As slicers write them: the build uses components by path; each file has its own ids and colours."""
    coloured = """<model><resources><colorgroup id="9"><color color="#{colour}"/></colorgroup><object id="1" pid="9"
    pindex="0"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/>
    </vertices><triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh></object></resources></model>"""
    root = f"""<model {PRODUCTION}><resources><object id="1"><components>
    <component p:path="/3D/Objects/a.model" objectid="1"/>
    <component p:path="/3D/Objects/b.model" objectid="1" transform="1 0 0 0 1 0 0 0 1 5 0 0"/>
    <component p:path="/3D/Objects/absent.model" objectid="1"/></components></object></resources>
    <build><item objectid="1"/><item objectid="1" p:path="/3D/Objects/b.model" transform="1 0 0 0 1 0 0 0 1 0 0 7"/>
    </build></model>"""
    path = tmp_path / "parts.3mf"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("3D/Objects/a.model", coloured.format(colour="FF0000"))
        archive.writestr("3D/3dmodel.model", root)
        archive.writestr("3D/Objects/b.model", coloured.format(colour="00FF00"))
    mesh = read_mesh(path)
    assert len(mesh.faces) == 3
    assert mesh.vertices[::3].tolist() == [[0, 0, 0], [5, 0, 0], [0, 0, 7]]
    assert mesh.colours[::3, :3].tolist() == [[255, 0, 0], [0, 255, 0], [0, 255, 0]]


STRIPS = "ply\nformat {form} 1.0\n{comment}element vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
STRIPS += "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
STRIP = [0, 1, 3, 2, -1, 4, 5, 7, 6, 6, 2, -1]


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian", "binary_big_endian"])
def test_strips_of_ply_are_triangles(form, tmp_path):
    corners = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    order = ">" if "big" in form else "<"
    body = (
        "".join(f"{x} {y} {z}\n" for x, y, z in corners).encode()
        + f"{len(STRIP)} {' '.join(map(str, STRIP))}\n".encode()
    )
    if form != "ascii":
        body = struct.pack(f"{order}24f", *(value for corner in corners for value in corner))
        body += struct.pack(f"{order}{1 + len(STRIP)}i", len(STRIP), *STRIP)
    mesh = read_mesh(write(tmp_path, STRIPS.format(form=form, comment="").encode() + body, "strips.ply"))
    assert mesh.faces.tolist() == [[0, 1, 3], [3, 1, 2], [4, 5, 7], [7, 5, 6]]


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian", "binary_big_endian"])
@pytest.mark.parametrize(("count", "index"), [("uchar", "ushort"), ("int", "uint"), ("ushort", "int32")])
def test_strips_of_different_lengths_are_triangles(form, count, index, tmp_path):
    """A grid of 4 x 3 points in strips of 8 and 4 corners, and one strip of all eight; faces after them."""
    strips = [[0, 4, 1, 5, 2, 6, 3, 7], [4, 8, 5, 9], [5, 9, 6, 10, 7, 11]]
    header = f"ply\nformat {form} 1.0\nelement vertex 12\nproperty float x\nproperty double y\nproperty uchar z\n"
    header += f"element tristrips 3\nproperty list {count} {index} vertex_indices\n"
    header += "element extra 1\nproperty int a\nend_header\n"
    order = ">" if "big" in form else "<"
    sign = {"uchar": "B", "ushort": "H", "int": "i", "uint": "I", "int32": "i"}
    if form == "ascii":
        lines = [f"{at % 4} {at // 4} 0" for at in range(12)] + [f"{len(s)} {' '.join(map(str, s))}" for s in strips]
        body = "\n".join([*lines, "7\n"]).encode()
    else:
        body = b"".join(struct.pack(f"{order}fdB", at % 4, at // 4, 0) for at in range(12))
        body += b"".join(struct.pack(f"{order}{sign[count]}{len(s)}{sign[index]}", len(s), *s) for s in strips)
        body += struct.pack(f"{order}i", 7)
    mesh = read_mesh(write(tmp_path, header.encode() + body, "strips.ply"))
    corners = mesh.vertices[mesh.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert len(mesh.faces) == 6 + 2 + 4
    assert len({tuple(sorted(face)) for face in mesh.faces.tolist()}) == 12, "each triangle of the grid once"
    np.testing.assert_array_equal(normals, [[0, 0, -1]] * 12)
    if form != "ascii":
        with pytest.raises(FormatError, match="damaged or truncated"):
            read_mesh(write(tmp_path, header.encode() + body[: -4 - struct.calcsize(sign[index])], "short.ply"))


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian", "binary_big_endian"])
def test_mixed_polygons_of_ply_stay_in_their_order(form, tmp_path):
    """Quadrilaterals between triangles, with a number before and after each list."""
    polygons = [[0, 1, 2, 3], [0, 1, 2], [4, 5], [1, 2, 3, 4, 5], [3, 4, 5], [2, 3, 4, 5]]
    header = f"ply\nformat {form} 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\n"
    header += f"element face {len(polygons)}\nproperty short part\nproperty list uchar int vertex_indices\n"
    header += "property double area\nelement extra 1\nproperty uchar a\nend_header\n"
    rows = [(number, len(polygon), *polygon, number / 4) for number, polygon in enumerate(polygons)]
    if form == "ascii":
        lines = [f"{k} {k * k} 0" for k in range(6)] + [" ".join(map(str, row)) for row in rows] + ["7"]
        body = "\n".join(lines).encode()
    else:
        order = ">" if "big" in form else "<"
        body = b"".join(struct.pack(f"{order}3f", k, k * k, 0) for k in range(6))
        body += b"".join(struct.pack(f"{order}hB{row[1]}id", *row) for row in rows) + b"\7"
    mesh = read_mesh(write(tmp_path, header.encode() + body, "mixed.ply"))
    polygon = [0, 0, 1, 3, 3, 3, 4, 5, 5]
    assert mesh.source_face.tolist() == polygon
    assert mesh.source_counts == (6, 6)
    assert mesh.faces[[0, 1, 3, 4, 5]].tolist() == [[0, 1, 2], [0, 2, 3], [1, 2, 3], [1, 3, 4], [1, 4, 5]]
    assert {values.name: values.numbers.tolist() for values in mesh.values} == {
        "part": polygon,
        "area": [number / 4 for number in polygon],
    }


def test_text_of_ply_with_more_columns_than_its_header_says_is_read_by_lines(tmp_path):
    header = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    header += "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    mesh = read_mesh(write(tmp_path, header + "0 0 0 9\n1 0 0 9\n0 1 0 9\n3 0 1 2\n", "more.ply"))
    assert mesh.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert mesh.faces.tolist() == [[0, 1, 2]]


def test_edges_of_ply_do_not_hide_its_faces(tmp_path):
    header = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    edge = "element edge 1\nproperty int vertex1\nproperty int vertex2\n"
    face = "element face 1\nproperty list uchar int vertex_indices\n"
    points = "end_header\n0 0 0\n1 0 0\n0 1 0\n"
    mesh = read_mesh(write(tmp_path, f"{header}{face}{edge}{points}3 0 1 2\n0 1\n", "both.ply"))
    assert mesh.faces.tolist() == [[0, 1, 2]]
    mesh = read_mesh(write(tmp_path, f"{header}{edge}{points}0 1\n", "edges.ply"))
    assert (len(mesh.vertices), len(mesh.faces)) == (3, 0)


def stl(n_declared: int, n_triangles: int, tail: bytes = b"") -> bytes:
    triangle = struct.pack("<12f", 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0) + b"\0\0"
    return b"solid facet".ljust(80) + struct.pack("<I", n_declared) + triangle * n_triangles + tail


@pytest.mark.parametrize(
    ("data", "n_faces"),
    [(stl(3, 3), 3), (stl(0, 3), 3), (stl(2, 3), 3), (stl(3, 3, b"x" * 37), 3), (stl(0, 3, b"x" * 7), 3),
     (stl(2, 2, b"\0" * 160), 2)],
)  # fmt: skip
def test_binary_stl_with_a_wrong_count_or_bytes_after_it(data, n_faces, tmp_path):
    mesh = read_mesh(write(tmp_path, data, "a.stl"))
    assert len(mesh.faces) == n_faces
    n_declared = struct.unpack("<I", data[80:84])[0]
    wrong = f"declares {n_declared} triangles but contains {n_faces}"
    assert mesh.notes == (() if n_declared == n_faces else (wrong,))


def test_a_truncated_stl_names_both_counts(tmp_path):
    with pytest.raises(FormatError, match=r"STL \(it declares 5 triangles but contains 3: it may be truncated\)"):
        read_mesh(write(tmp_path, stl(5, 3, b"\0" * 20), "a.stl"))


@pytest.mark.parametrize(
    "faces",
    [
        "f 1 2 \\ \n 3 4\nf 1 2 4\n",
        "f 1 \\\n2 \\\t\n3 4\nf 1 2 4\n",
        "usemtl C:\\\nf 1 2 3 4\nf 1 2 4\n",
        "# C:\\models\\\nf 1 2 3 4\nf 1 2 4\n",
        "f 1 2 3 4 # C:\\\nf 1 2 4\n",
        "g a\\\nf 1 2 3 4\nf 1 2 4\n",
    ],
)
def test_backslashes_of_obj_continue_lines_of_numbers_only(faces, tmp_path):
    text = "v 0 0 0\nv 1 0 \\  \n 0\nv 1 1 0\nv 0 1 0\n" + faces
    mesh = read_mesh(write(tmp_path, text, "a.obj"))
    assert mesh.faces.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 3]]
    assert mesh.notes == ()


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"ply\nformat ascii 1.0\nelement vertex 9\nproperty float x\nend_header\n0 0\n", "a.ply"),
        (b"solid a\nfacet normal x\nendsolid", "a.stl"),
        (b'{"asset": {"version": "2.0"}, "meshes": [{"primitives": [{"attributes": {"POSITION": 7}}]}]}', "a.gltf"),
        (b"<COLLADA/>", "a.dae"),
        (b"glTF\2\0\0\0\xff\xff\xff\xff", "a.glb"),
    ],
)
def test_no_text_of_a_library_is_the_reason(data, name, tmp_path):
    with pytest.raises(FormatError) as caught:
        read_mesh(write(tmp_path, data, name))
    assert caught.value.reason == "contains no geometry" or trimesh_scene.DAMAGED in caught.value.reason


def test_a_missing_package_is_named_by_its_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "collada", None)
    with pytest.raises(FormatError, match=r"DAE \(it needs the extra 'meshes': pip install 'shrec-viewer\[meshes\]'\)"):
        read_mesh(write(tmp_path, "<COLLADA/>", "a.dae"))


def test_materials_give_colour_where_they_have_one(tmp_path):
    parts = "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl one\nf 1 2 3\nusemtl two\nf 1 2 4\n"
    path = write(tmp_path, parts, "two.obj")
    for red, painted in (("1 0 0", True), ("0.8 0.8 0.8", False)):
        write(tmp_path, f"newmtl one\nKd {red}\nnewmtl two\nKd 0.5 0.5 0.5\n", "m.mtl")
        colours = read_mesh(path).colours
        assert (colours is not None) == painted
        if painted:
            assert {tuple(colour) for colour in colours.tolist()} == {(255, 0, 0, 255), (190, 190, 190, 255)}


def test_materials_of_gltf_are_linear_light(tmp_path):
    material = trimesh.visual.material.PBRMaterial(baseColorFactor=[0, 55, 255, 255])
    box = trimesh.creation.box()
    box.visual = trimesh.visual.TextureVisuals(material=material)
    colours = read_mesh(write(tmp_path, box.export(file_type="glb"), "box.glb")).colours
    assert {tuple(colour) for colour in colours.tolist()} == {(0, 128, 255, 255)}  # IEC 61966-2-1: 0.2158 is 0.502


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", ["pipe.off", "pipe.obj", "pipe.zip", "pipe.off.gz"])
def test_a_named_pipe_is_not_opened(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(FormatError, match="is a device or a pipe"):
        read_mesh(tmp_path / name)


TRIANGLE_3MF = (
    '<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/></vertices>'
    '<triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh>'
)


@pytest.mark.parametrize("content", [TRIANGLE_3MF, ""], ids=["a triangle", "nothing"])
def test_components_of_3mf_do_not_multiply_without_limit(tmp_path, content):
    levels = "".join(
        f'<object id="{level}"><components>{f"""<component objectid="{level + 1}"/>""" * 10}</components></object>'
        for level in range(15)
    )
    objects = f'{levels}<object id="15">{content}</object>'
    model = f'<model><resources>{objects}</resources><build><item objectid="0"/></build></model>'
    path = write(tmp_path, threemf(model), "many.3mf")
    with pytest.raises(FormatError, match="it uses its objects more than 100,000 times"):
        read_mesh(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("damaged", ["model.obj", "model.mtl", "skin.png"])
def test_damaged_members_of_a_zip_are_messages(tmp_path, method, damaged):
    texts = {
        "model.obj": "mtllib model.mtl\nusemtl skin\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n",
        "model.mtl": "newmtl skin\nmap_Kd skin.png\n",
        "skin.png": "no image" * 20,
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, text in texts.items():
            archive.writestr(name, text)
        info = archive.getinfo(damaged)
    data = bytearray(stream.getvalue())
    start = info.header_offset + 30 + len(info.filename)
    data[start : start + info.compress_size] = b"\xff" * info.compress_size
    path = write(tmp_path, bytes(data), "model.zip")
    if damaged == "model.obj":
        with pytest.raises(FormatError, match="cannot be unpacked"):
            read_mesh(path)
    else:
        assert any("cannot be" in note for note in read_mesh(path).notes)


def test_every_truncation_of_an_off_file_is_found_without_drawing(tmp_path):
    text = f"OFF\n4 2 0\n{POINTS}{FACES}"
    for end in range(len(text) + 1):
        fault = find_mesh_fault(write(tmp_path, text[:end]))
        # The last newline is not required.
        assert bool(fault) == (end < len(text) - 1), f"{text[:end]!r}: {fault}"


PLY = (
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    "element face 2\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 {}\n"
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.ply", PLY),
        ("m.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 {}\n"),
        ("m.obj", "mtllib no.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 {}\n"),
    ],
)
def test_faces_without_their_vertices_are_a_fault_and_missing_materials_are_not(tmp_path, name, text):
    assert find_mesh_fault(write(tmp_path, text.format(2), name)) == ""
    fault = find_mesh_fault(write(tmp_path, text.format(7), name))
    assert fault == "1 of 2 faces refer to missing vertices and were ignored"
