"""Numbers of faces that files of meshes announce."""

import struct

import pytest

from shrec_viewer.formats.meshes.mesh_reader import face_count
from shrec_viewer.resources import resource

PLY = b"ply\r\nformat ascii 1.0\r\nelement vertex 3\r\nelement face 7\r\nend_header\r\n"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.off", b"OFF\n8 12 0\n", 12),
        ("b.OFF", b"# a comment 5 6\noff8 13 18\n", 13),
        ("c.off", b"# 5 6\nCOFF # colours\n8 14 18\n", 14),
        ("d.off", b"OFF\n8 -1 0", None),
        ("e.off", b"OFF\n8 99999999999999999999 0", None),
        ("f.ply", PLY, 7),
        ("g.ply", b"element face 7\n", None),
        ("h.stl", bytes(80) + struct.pack("<I", 2) + bytes(100), 2),
        ("i.stl", bytes(80) + struct.pack("<I", 3) + bytes(100), None),
        ("j.stl", b"solid", None),
        ("k.obj", b"OFF\n8 12 0\n", None),
        ("l.off", b"", None),
    ],
)
def test_what_the_head_of_a_file_announces(tmp_path, name, content, expected):
    path = tmp_path / name
    path.write_bytes(content)
    assert face_count(path) == expected
    assert face_count(tmp_path) is None


def test_the_demo_announces_what_its_meshes_have():
    from shrec_viewer.formats.meshes.mesh_reader import read_mesh

    paths = sorted(resource("demo").rglob("*.off"))[:5]
    assert paths
    assert [face_count(path) for path in paths] == [len(read_mesh(path).faces) for path in paths]
