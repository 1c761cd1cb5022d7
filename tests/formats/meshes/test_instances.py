"""Small hostile meshes that expand to very many triangles, levels, arrays or files are errors at once."""

import base64
import io
import json
import resource
import struct
import time
import zipfile

import numpy as np
import pytest

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.formats.meshes import images, instances, threemf
from shrec_viewer.formats.meshes.mesh_reader import read_mesh

MAX_SECONDS = 5.0
"""Processor time; each file here takes a few hundredths of a second, and took from 5 s to more than 30 s before."""

MAX_BYTES = 2**29
"""Additional memory; some files here took more than 3 GB."""

DAE = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="9">0 0 0 1 0 0 0 1 0</float_array>
<technique_common><accessor source="#a" count="3" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>{corners}</p></triangles></mesh></geometry>
</library_geometries><library_nodes>{nodes}</library_nodes><library_visual_scenes><visual_scene id="s">{scene}
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""

GEOMETRY = '<instance_geometry url="#g"/>'


def dae(scene: str, nodes: str = "", corners: str = "0 1 2") -> str:
    return DAE.format(scene=scene, nodes=nodes, corners=corners)


def nested_instances(levels: int, fan: int) -> str:
    nodes = f'<node id="n0">{GEOMETRY}</node>'
    for level in range(1, levels + 1):
        nodes += f'<node id="n{level}">' + f'<instance_node url="#n{level - 1}"/>' * fan + "</node>"
    return dae(f'<node id="r"><instance_node url="#n{levels}"/></node>', nodes)


BUFFER = struct.pack("<9f3I", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 2)


def gltf(data: bytes = BUFFER, **changes: object) -> str:
    """A triangle, with some of its properties replaced."""
    return json.dumps(
        {
            "asset": {"version": "2.0"},
            "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
            "buffers": [{"byteLength": len(data), "uri": "data:;base64," + base64.b64encode(data).decode()}],
            "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 12}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
                {"bufferView": 1, "componentType": 5125, "count": 3, "type": "SCALAR"},
            ],
            **changes,
        }
    )


def gltf_array(count: int, kind: str = "VEC3", n_nodes: int = 1) -> str:
    """A mesh with a position array without data."""
    accessor = {"componentType": 5126, "count": count, "type": kind}
    part = {"attributes": {"POSITION": 0}}
    nodes, roots = [{"mesh": 0}] * n_nodes, [{"nodes": list(range(n_nodes))}]
    return gltf(accessors=[accessor], meshes=[{"primitives": [part]}], nodes=nodes, scenes=roots)


TRIANGLE_3MF = (
    '<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/></vertices>'
    '<triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh>'
)


def archive(**members: str | bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, content in members.items():
            file.writestr(name.replace("_", "."), content)
    return stream.getvalue()


def threemf_file(objects: str, build: str) -> bytes:
    return archive(**{"3dmodel_model": f"<model><resources>{objects}</resources><build>{build}</build></model>"})


TOO_MANY_USES = "more than 20,000 times"
TOO_LARGE = "its arrays would have more than 64 MiB, the limit for a file of its size"
TOO_DEEP = "its nodes have more than 100 levels"

HOSTILE = {
    "ten_to_the_6.dae": (nested_instances(6, 10), TOO_MANY_USES),
    "two_to_the_40.dae": (nested_instances(40, 2), TOO_MANY_USES),
    "flat.dae": (dae(f"<node>{GEOMETRY * 30_000}</node>"), TOO_MANY_USES),
    "deep.dae": (dae("<node>" * 200 + GEOMETRY + "</node>" * 200), TOO_DEEP),
    "cycle.dae": (
        dae(
            '<node id="r"><instance_node url="#a"/></node>',
            '<node id="a"><instance_node url="#b"/></node><node id="b"><instance_node url="#a"/></node>',
        ),
        TOO_DEEP,
    ),
    "repeated.dae": (dae(f"<node>{GEOMETRY * 1000}</node>", corners="0 1 2 " * 20_000), "repeat 59,940,000 corners"),
    "polygon.dae": (
        dae(f"<node>{GEOMETRY}</node>")
        .replace("<p>", "<vcount>100000000</vcount><p>")
        .replace("triangles", "polylist"),
        "its polygons have more corners than it lists",
    ),
    "zeros.gltf": (gltf_array(50_000_000), TOO_LARGE),
    "matrices.gltf": (gltf_array(10_000_000, "MAT4"), TOO_LARGE),
    "repeated.gltf": (gltf_array(100_000, n_nodes=500), TOO_LARGE),
    "views.gltf": (gltf(bytes(10**6), bufferViews=[{"buffer": 0, "byteLength": 10**6}] * 500), TOO_LARGE),
    "primitives.gltf": (
        gltf(meshes=[{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}] * 30_000}]),
        TOO_MANY_USES,
    ),
    "nodes.gltf": (gltf(nodes=[{"mesh": 0}] * 30_000, scenes=[{"nodes": list(range(30_000))}]), TOO_MANY_USES),
    "chain.gltf": (gltf(nodes=[*({"children": [k + 1]} for k in range(10_000)), {"mesh": 0}]), TOO_DEEP),
    "itself.gltf": (gltf(nodes=[{"children": [1], "mesh": 0}, {"children": [0]}]), TOO_DEEP),
    "vertices.3mf": (
        threemf_file(
            '<object id="0">'
            + TRIANGLE_3MF.replace("</vertices>", '<vertex x="0" y="0" z="0"/>' * 500 + "</vertices>")
            + "</object>",
            '<item objectid="0"/>' * 19_000,
        ),
        "repeats more than 3,000,000 vertices and triangles",
    ),
    "triangles.3mf": (
        threemf_file(
            f'<object id="0"><mesh><vertices/><triangles>{"<triangle/>" * 20_000}</triangles></mesh></object>',
            '<item objectid="0"/>' * 90_000,
        ),
        "repeats more than 3,000,000 vertices and triangles",
    ),
    "counts.off": ("OFF\n" + "9" * 4000 + " 1 0\n0 0 0\n", "declares more than 1,000,000,000,000,000 vertices"),
    "inside.zip": (archive(a_dae=nested_instances(40, 2), b_gltf=gltf_array(50_000_000)), TOO_MANY_USES),
    "models.zip": (archive(**{f"{k}_dae": nested_instances(1, 1) for k in range(200)}), "more than 100 models"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_expanding_mesh_is_an_error_at_once(tmp_path, name):
    content, reason = HOSTILE[name]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    start, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(FormatError) as caught:
        read_mesh(path)
    assert reason in caught.value.reason
    assert len(caught.value.reason) < 200
    assert time.process_time() - start < MAX_SECONDS
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < MAX_BYTES


def test_moderate_instances_are_read(tmp_path):
    for name, content, n_faces in (
        ("some.dae", nested_instances(3, 5), 125),
        ("some.gltf", gltf(nodes=[{"mesh": 0}] * 40, scenes=[{"nodes": list(range(40))}]), 40),
        ("deep.gltf", gltf(nodes=[*({"children": [k + 1]} for k in range(90)), {"mesh": 0}]), 1),
    ):
        (tmp_path / name).write_text(content)
        assert len(read_mesh(tmp_path / name).faces) == n_faces
    uses = threemf_file(f'<object id="0">{TRIANGLE_3MF}</object>', '<item objectid="0"/>' * 50)
    (tmp_path / "some.3mf").write_bytes(uses)
    assert len(read_mesh(tmp_path / "some.3mf").faces) == 50


def test_large_buffer_outside_a_gltf_file_counts_as_its_size(tmp_path, monkeypatch):
    monkeypatch.setattr(instances, "MAX_EXPANDED_BYTES", 100)
    path = tmp_path / "outside.gltf"
    text = gltf(buffers=[{"byteLength": len(BUFFER), "uri": "data.bin"}], nodes=[{"mesh": 0}] * 20)
    path.write_text(text)
    (tmp_path / "data.bin").write_bytes(BUFFER)
    assert len(read_mesh(path).faces) == 1
    path.write_text(text.replace('"count": 3', '"count": 3000'))
    with pytest.raises(FormatError, match="its arrays would have more than"):
        read_mesh(path)


def test_models_of_an_archive_are_joined_and_damaged_ones_noted(tmp_path):
    coloured = "COFF\n3 1 0\n0 0 9 255 0 0 255\n1 0 9 255 0 0 255\n0 1 9 255 0 0 255\n3 0 1 2\n"
    painted = "OFF\n3 1 0\n0 0 5\n1 0 5\n0 1 5\n3 0 1 2 0 255 0\n"
    members = {"a_off": "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "b_off": coloured, "c_dae": "<COLLADA>"}
    path = tmp_path / "several.zip"
    path.write_bytes(archive(**members))
    mesh = read_mesh(path)
    assert mesh.vertices[:, 2].tolist() == [0, 0, 0, 9, 9, 9]
    assert mesh.faces.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert mesh.colours is not None
    assert mesh.colours.tolist() == [[190, 190, 190, 255]] * 3 + [[255, 0, 0, 255]] * 3
    assert len(mesh.notes) == 1
    assert mesh.notes[0].startswith("'c.dae' in the archive was ignored: it cannot be read as DAE")
    path.write_bytes(archive(a_off=members["a_off"], p_off=painted))
    colours = read_mesh(path).colours
    assert colours is not None
    assert {tuple(colour) for colour in colours.tolist()} == {(190, 190, 190, 255), (0, 255, 0, 255)}


def test_textures_of_joined_models_keep_their_faces(tmp_path):
    picture = pytest.importorskip("PIL.Image")
    stream = io.BytesIO()
    picture.new("RGB", (4, 4), (9, 8, 7)).save(stream, "PNG")
    textured = "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl m\nf 1/1 2/1 3/1\n"
    members = {"a_obj": textured, "b_off": "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "c_obj": textured}
    path = tmp_path / "several.zip"
    path.write_bytes(archive(**members, m_mtl="newmtl m\nmap_Kd t.png\n", t_png=stream.getvalue()))
    mesh = read_mesh(path)
    assert mesh.texture is not None
    assert mesh.texture.face_images.tolist() == [0, -1, 1]
    assert [image[0, 0].tolist() for image in mesh.texture.images] == [[9, 8, 7, 255]] * 2
    assert mesh.notes == ()


def test_pixels_of_all_textures_have_a_limit(monkeypatch):
    picture = pytest.importorskip("PIL.Image")
    monkeypatch.setattr(images, "_MAX_DECODED_PIXELS", 40)
    textures = images.TextureSet()
    for key in range(4):
        textures.add(key, f"t{key}.png", picture.new("RGB", (4, 4)))
    textures.read()
    assert [textures.get(key) is not None for key in range(4)] == [True, True, False, False]
    assert textures.notes == [
        "texture 't2.png' cannot be read (the textures have more than 40 pixels); likewise 1 more"
    ]


@pytest.mark.parametrize("definition", ["Kd 1 0 0", "map_Kd missing{}.png"])
def test_very_many_materials_take_linear_time(tmp_path, definition):
    count = 20_000
    (tmp_path / "m.mtl").write_text("".join(f"newmtl m{k}\n{definition.format(k)}\n" for k in range(count)))
    faces = "".join(f"usemtl m{k}\nf 1/1 2/1 3/1\n" for k in range(count))
    path = tmp_path / "materials.obj"
    path.write_text("mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\n" + faces)
    start = time.process_time()
    mesh = read_mesh(path)
    assert len(mesh.faces) == count
    assert time.process_time() - start < MAX_SECONDS


def test_very_many_colour_groups_of_3mf_take_linear_time(tmp_path):
    triangles = "".join(f'<triangle v1="0" v2="1" v3="2" pid="{k}" p1="0"/>' for k in range(20_000))
    mesh = TRIANGLE_3MF.replace('<triangle v1="0" v2="1" v3="2"/>', triangles)
    group = '<colorgroup id="7"><color color="#ff0000"/></colorgroup>'
    path = tmp_path / "groups.3mf"
    path.write_bytes(threemf_file(f'{group}<object id="0">{mesh}</object>', '<item objectid="0"/>'))
    start = time.process_time()
    assert len(read_mesh(path).faces) == 20_000
    assert time.process_time() - start < MAX_SECONDS


def test_material_file_with_many_names_is_parsed_once(tmp_path):
    materials = "".join(f"newmtl m{k}\nKd 1 0 0\n" for k in range(20_000))
    (tmp_path / "m.mtl").write_text(materials)
    names = "".join(f"mtllib {'./' * k}m.mtl\n" for k in range(200))
    path = tmp_path / "names.obj"
    path.write_text(names + "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m1\nf 1 2 3\n")
    start = time.process_time()
    assert read_mesh(path).colours is not None
    assert time.process_time() - start < MAX_SECONDS


def test_repeat_limit_of_3mf_does_not_count_the_first_use(tmp_path, monkeypatch):
    monkeypatch.setattr(threemf, "_MAX_REPEATED", 4)
    path = tmp_path / "two.3mf"
    for n_uses, is_read in ((2, True), (3, False)):
        path.write_bytes(threemf_file(f'<object id="0">{TRIANGLE_3MF}</object>', '<item objectid="0"/>' * n_uses))
        if is_read:
            assert np.array_equal(read_mesh(path).faces, [[0, 1, 2], [3, 4, 5]])
        else:
            with pytest.raises(FormatError, match="repeats more than 4 vertices and triangles"):
                read_mesh(path)
