"""Pictures upon meshes are found, read and placed right in every format; what is wrong with them is a sentence."""

import io
import json
import struct
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.formats.meshes import images
from shrec_viewer.formats.meshes.images import open_texture
from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.formats.meshes.obj import NO_INDEX, ObjMaterial, parse_mtl, parse_obj

ODD = Path(__file__).parents[3] / "../shared/data/meshes_odd"

CORNERS = [[0, 0], [1, 0], [1, 1], [0, 1]]
"""Texture coordinates of SQUARE, counterclockwise from the lower left."""

SQUARE = (
    "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nusemtl one\nf 1/1 2/2 3/3 4/4\n"
)

QUARTERS = np.array([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [255, 255, 0]]], np.uint8)
"""Red above green's left, blue and yellow below: no turn or reflection looks the same."""


def picture(size: int = 8) -> Image.Image:
    return Image.fromarray(QUARTERS.repeat(size // 2, 0).repeat(size // 2, 1))


def write(folder: Path, name: str, content: str | bytes | Image.Image, **options: object) -> Path:
    path = folder / name
    if isinstance(content, Image.Image):
        content.save(path, **options)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def square(folder: Path, materials: str = "newmtl one\nmap_Kd skin.png\n") -> Path:
    write(folder, "m.mtl", materials)
    return write(folder, "square.obj", SQUARE)


def looked_up(mesh: Mesh, x: float, y: float) -> list[int]:
    """What the picture shows at a point of the square, by the definition of `Texture`."""
    assert mesh.texture is not None
    for face, page in zip(mesh.faces, mesh.texture.face_images, strict=True):
        a, b, c = mesh.vertices[face][:, :2].astype(float)
        two, three = np.linalg.solve(np.stack([b - a, c - a], axis=1), np.array([x, y]) - a)
        if page < 0 or min(two, three, 1 - two - three) < 0:
            continue
        u, v = np.array([1 - two - three, two, three]) @ mesh.texture.uv[face]
        image = mesh.texture.images[page]
        row, column = int((1 - v) * image.shape[0]) % len(image), int(u * image.shape[1]) % image.shape[1]
        return image[row, column, :3].tolist()
    raise AssertionError("no face there")


def assert_upright(mesh: Mesh) -> None:
    seen = [[looked_up(mesh, x, y) for x in (0.2, 0.8)] for y in (0.8, 0.2)]
    assert seen == QUARTERS.tolist()


def gltf(tmp_path: Path, image: bytes | str, name: str = "square.glb", **material: object) -> Path:
    """A square by hand: its v runs downwards, as glTF has it."""
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
    spots = np.array([[u, 1 - v] for u, v in CORNERS], np.float32)
    index = np.array([0, 1, 2, 0, 2, 3], np.uint32)
    blobs = [points.tobytes(), spots.tobytes(), index.tobytes(), *([image] if isinstance(image, bytes) else [])]
    starts = np.cumsum([0, *map(len, blobs)]).tolist()
    views = [
        {"buffer": 0, "byteOffset": start, "byteLength": len(blob)} for start, blob in zip(starts, blobs, strict=False)
    ]
    source = {"bufferView": 3, "mimeType": "image/png"} if isinstance(image, bytes) else {"uri": image}
    surface = {"baseColorTexture": {"index": 0}} | material.pop("surface", {})
    tree = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": surface, **material}],
        "textures": [{"source": 0}],
        "images": [source],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC2"},
            {"bufferView": 2, "componentType": 5125, "count": 6, "type": "SCALAR"},
        ],
        "bufferViews": views,
        "buffers": [{"byteLength": starts[-1]}],
    }
    body = b"".join(blobs)
    head = json.dumps(tree).encode()
    head, body = head + b" " * (-len(head) % 4), body + b"\0" * (-len(body) % 4)
    chunks = struct.pack("<II", len(head), 0x4E4F534A) + head + struct.pack("<II", len(body), 0x004E4942) + body
    return write(tmp_path, name, struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks)


MOVES = [
    {"offset": [0.25, 0.5]},
    {"scale": [2, -3]},
    {"rotation": 0.7},
    {"offset": [0.1, 0.2], "scale": [0.5, 2], "rotation": -2},
]


@pytest.mark.parametrize("move", MOVES)
def test_gltf_may_move_its_texture_coordinates(tmp_path, move):
    surface = {"baseColorTexture": {"index": 0, "extensions": {"KHR_texture_transform": move}}}
    mesh = read_mesh(gltf(tmp_path, as_png(picture()), surface=surface))
    turn, (x, y), (across, down) = move.get("rotation", 0), move.get("offset", (0, 0)), move.get("scale", (1, 1))
    # for column vectors; which way it turns is settled by the example of the extension, below
    moved = np.array([[1, 0, x], [0, 1, y], [0, 0, 1]])
    turned = np.array([[np.cos(turn), np.sin(turn), 0], [-np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    expected = [(moved @ turned @ np.diag([across, down, 1]) @ [u, 1 - v, 1])[:2] for u, v in CORNERS]
    assert np.abs(mesh.texture.uv * [1, -1] + [0, 1] - expected).max() < 1e-6


def test_the_example_of_the_extension_shows_the_lower_left_quarter_turned(tmp_path):
    move = {"offset": [0, 1], "rotation": np.pi / 2, "scale": [0.5, 0.5]}
    surface = {"baseColorTexture": {"index": 0, "extensions": {"KHR_texture_transform": move}}}
    corner = np.zeros((4, 4, 3), np.uint8)
    corner[2:, :2] = QUARTERS
    mesh = read_mesh(gltf(tmp_path, as_png(Image.fromarray(corner)), surface=surface))
    seen = [[looked_up(mesh, x, y) for x in (0.2, 0.8)] for y in (0.8, 0.2)]
    assert seen == np.rot90(QUARTERS, -1).tolist()


@pytest.mark.parametrize("broken", [{"offset": 3}, {"scale": []}, {"rotation": "far"}, [], None])
def test_invalid_gltf_texture_coordinates_are_ignored(tmp_path, broken):
    surface = {"baseColorTexture": {"index": 0, "extensions": {"KHR_texture_transform": broken}}}
    assert_upright(read_mesh(gltf(tmp_path, as_png(picture()), surface=surface)))


def test_gltf_may_choose_another_set_of_texture_coordinates(tmp_path):
    path = gltf(tmp_path, as_png(picture()), surface={"baseColorTexture": {"index": 0, "texCoord": 1}})
    data = path.read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    tree = json.loads(data[20 : 20 + size])
    tree["meshes"][0]["primitives"][0]["attributes"] = {"POSITION": 0, "TEXCOORD_0": 3, "TEXCOORD_1": 1}
    tree["accessors"].append({"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC2"})
    head = json.dumps(tree).encode()
    head += b" " * (-len(head) % 4)
    data = (
        struct.pack("<4sIIII", b"glTF", 2, 20 + len(head) + len(data) - 20 - size, len(head), 0x4E4F534A)
        + head
        + data[20 + size :]
    )
    assert_upright(read_mesh(write(tmp_path, "second.glb", data)))


def as_png(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


COLLADA = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><up_axis>Y_UP</up_axis></asset><library_images><image id="i"><init_from>skin.png</init_from></image>
</library_images><library_effects><effect id="e"><profile_COMMON>
<newparam sid="s"><surface type="2D"><init_from>i</init_from></surface></newparam>
<newparam sid="t"><sampler2D><source>s</source></sampler2D></newparam>
<technique sid="c"><lambert><diffuse><texture texture="t" texcoord="UV"/></diffuse></lambert></technique>
</profile_COMMON></effect></library_effects><library_materials><material id="m"><instance_effect url="#e"/></material>
</library_materials><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 1 1 0 0 1 0</float_array><technique_common>
<accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<source id="u"><float_array id="ua" count="8">0 0 1 0 1 1 0 1</float_array><technique_common>
<accessor source="#ua" count="4" stride="2"><param name="S" type="float"/><param name="T" type="float"/></accessor>
</technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="2" material="mm"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="TEXCOORD" source="#u" offset="1" set="0"/><p>0 0 1 1 2 2 0 0 2 2 3 3</p></triangles></mesh>
</geometry></library_geometries><library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g">
<bind_material><technique_common><instance_material symbol="mm" target="#m">
<bind_vertex_input semantic="UV" input_semantic="TEXCOORD" input_set="0"/></instance_material></technique_common>
</bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>"""

PLY = (
    "ply\nformat ascii 1.0\ncomment TextureFile skin.png\nelement vertex 4\nproperty float x\nproperty float y\n"
    "property float z\nproperty float s\nproperty float t\nelement face 2\nproperty list uchar int vertex_indices\n"
    "end_header\n0 0 0 0 0\n1 0 0 1 0\n1 1 0 1 1\n0 1 0 0 1\n3 0 1 2\n3 0 2 3\n"
)


def made(folder: Path, kind: str) -> Path:
    write(folder, "skin.png", picture())
    if kind == "obj":
        return square(folder)
    if kind == "zip":
        with zipfile.ZipFile(folder / "square.zip", "w") as archive:
            for path in (square(folder), folder / "m.mtl", folder / "skin.png"):
                archive.write(path, path.name)
        return folder / "square.zip"
    if kind == "glb":
        return gltf(folder, as_png(picture()))
    return write(folder, f"square.{kind}", {"dae": COLLADA, "ply": PLY}[kind])


@pytest.mark.parametrize("kind", ["obj", "zip", "glb", "dae", "ply"])
def test_a_picture_lies_upright_and_unmirrored(tmp_path, kind):
    mesh = read_mesh(made(tmp_path, kind))
    assert mesh.notes == ()
    assert mesh.colours is None
    assert mesh.texture is not None
    assert mesh.texture.uv.dtype == np.float32
    assert mesh.texture.images[0].dtype == np.uint8
    assert_upright(mesh)


@pytest.mark.parametrize("kind", ["obj", "dae", "ply"])
def test_missing_or_damaged_texture_is_a_note(tmp_path, kind):
    path = made(tmp_path, kind)
    for damage in (None, b"", b"no picture at all", as_png(picture(256))[:200]):
        (tmp_path / "skin.png").unlink(missing_ok=True)
        if damage is not None:
            write(tmp_path, "skin.png", damage)
        mesh = read_mesh(path)
        assert mesh.texture is None
        assert mesh.colours is None
        assert len(mesh.notes) == 1
        assert "texture" in mesh.notes[0]
    (tmp_path / "skin.png").unlink()
    if kind == "obj":
        assert read_mesh(path).notes == ("texture 'skin.png' was not found in the folder of the model",)


@pytest.mark.parametrize("damage", [b"", b"nothing", as_png(picture(256))[:200]])
def test_damaged_embedded_image_is_a_note(tmp_path, damage):
    mesh = read_mesh(gltf(tmp_path, damage))
    assert mesh.texture is None
    assert len(mesh.notes) == 1
    assert mesh.notes[0].startswith(("a texture cannot be read", "a texture was not found"))


def test_a_point_is_split_only_where_its_texture_coordinates_differ(tmp_path):
    write(tmp_path, "skin.png", picture())
    write(tmp_path, "m.mtl", "newmtl one\nmap_Kd skin.png\n")
    text = SQUARE.replace("f 1/1 2/2 3/3 4/4", "f 1/1 2/2 3/3\nf 1/1 3/3 4/4\nf 1/2 2/2 3/3")
    mesh = read_mesh(write(tmp_path, "seam.obj", text))
    assert len(mesh.vertices) == 5
    assert mesh.texture.uv[mesh.faces].tolist() == [
        [CORNERS[0], CORNERS[1], CORNERS[2]],
        [CORNERS[0], CORNERS[2], CORNERS[3]],
        [CORNERS[1], CORNERS[1], CORNERS[2]],
    ]


def test_every_material_has_its_own_picture_or_colour(tmp_path):
    write(tmp_path, "skin.png", picture())
    write(tmp_path, "other.png", Image.new("RGB", (4, 2), (1, 2, 3)))
    names = ["one", "two", "red", "grey", "nobody", "lost", "one"]
    write(
        tmp_path,
        "m.mtl",
        "newmtl one\nmap_Kd skin.png\nnewmtl two\nKd 0 0 0\nmap_Kd other.png\nnewmtl red\nKd 1 0 0\n"
        "newmtl grey\nKd .5 .5 .5\nnewmtl lost\nKd 0 0 1\nmap_Kd lost.png\n",
    )
    uses = "".join(f"usemtl {name}\nf 1/1 2/2 {3 + k % 2}/3\n" for k, name in enumerate(names))
    mesh = read_mesh(write(tmp_path, "many.obj", f"f 1 2 3\n{SQUARE.split('usemtl')[0]}{uses}f 1 2 4\n"))
    shown = {}
    for face, page in zip(mesh.faces, mesh.texture.face_images, strict=True):
        colour = tuple(mesh.colours[face[0], :3].tolist())
        shown.setdefault((int(page), colour), []).append(face)
    grey, white = (190, 190, 190), (255, 255, 255)
    counts = {key: len(faces) for key, faces in shown.items()}
    # nothing named, grey, not described, and the last face, which names no texture coordinates
    assert counts == {(-1, grey): 4, (-1, (255, 0, 0)): 1, (-1, (0, 0, 255)): 1, (0, white): 2, (1, white): 1}
    assert [image.shape for image in mesh.texture.images] == [(8, 8, 4), (2, 4, 4)]
    assert mesh.notes == ("texture 'lost.png' was not found in the folder of the model",)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("map_Kd skin.png", True),
        ("map_Kd   my skin.png  ", True),
        ("MAP_KD my%20skin.png", True),
        ('map_Kd "skin.png"', True),
        ("map_Kd SKIN.PNG", True),
        ("map_Kd ./skin.png", True),
        ("map_Kd deep/er.png", True),
        ("map_Kd deep\\er.png", True),
        ("map_Kd C:\\Users\\me\\skin.png", True),
        ("map_Kd /home/me/skin.png", True),
        ("map_Kd ../textures/skin.png", True),
        ("map_Kd file:///tmp/skin.png", True),
        ("map_Kd -clamp on -s 2 1 1 -o 0.5 -bm 1 skin.png", True),
        ("map_Kd -s 2 skin.png", True),
        ("map_Kd -mm 0 1 skin.png", True),
        ("map_Kd ../outside.png", False),
        ("map_Kd ..", False),
        ("map_Kd .", False),
        ("map_Kd", False),
        ("map_Kd /", False),
        ("map_Kd deep", False),
        ("map_Kd link.png", False),
        ("map_Kd LINK.PNG", False),
        ("map_Kd \0", False),
        ("map_Kd " + "x" * 5000, False),
    ],
)
def test_images_are_read_from_the_folder_of_the_model_only(tmp_path, line, found):
    folder = tmp_path / "models"
    (folder / "deep").mkdir(parents=True)
    for place in ("models/skin.png", "models/my skin.png", "models/deep/er.png", "outside.png"):
        write(tmp_path, place, picture())
    (folder / "link.png").symlink_to(tmp_path / "outside.png")
    mesh = read_mesh(square(folder, f"newmtl one\n{line}\n"))
    assert (mesh.texture is not None) == found
    assert (mesh.notes == ()) == (found or line == "map_Kd")


def test_scale_and_offset_of_a_material_move_its_picture(tmp_path):
    write(tmp_path, "skin.png", picture())
    mesh = read_mesh(square(tmp_path, "newmtl one\nmap_Kd -s 2 3 1 -o 0.25 0.5 skin.png\n"))
    assert mesh.texture.uv.tolist() == [[2 * u + 0.25, 3 * v + 0.5] for u, v in CORNERS]


def test_invalid_material_lines_are_ignored():
    text = "Kd 1 0 0\nmap_Kd a.png\nnewmtl\nnewmtl  two words \nKd one two three\nKd 0.5\nKd nan 0 0\nKd\nillum\n"
    text += "map_Kd -s\n"
    assert parse_mtl(text) == {"two words": ObjMaterial((0.5, 0.5, 0.5))}
    assert parse_mtl("newmtl a\r\nKd 2 -1 0 # bright\r\n") == {"a": ObjMaterial((1.0, 0.0, 0.0))}


def test_materials_may_come_from_several_files_or_be_missing(tmp_path):
    write(tmp_path, "skin.png", picture())
    write(tmp_path, "a.mtl", "newmtl zero\nKd 1 0 0")
    write(tmp_path, "b.mtl", "newmtl one\nmap_Kd skin.png")
    write(tmp_path, "a b.mtl", "newmtl one\nKd 0 1 0")
    path = write(tmp_path, "square.obj", SQUARE.replace("m.mtl", "a.mtl b.mtl"))
    assert_upright(read_mesh(path))
    (tmp_path / "b.mtl").unlink()
    mesh = read_mesh(path)
    assert mesh.notes == ("material file 'a.mtl b.mtl' was not found in the folder of the model",)
    write(tmp_path, "square.obj", SQUARE.replace("m.mtl", "a b.mtl"))
    assert read_mesh(path).colours[0].tolist() == [0, 255, 0, 255]


@pytest.mark.parametrize("places", ["vt nan 0", "vt inf 0", "vt 1e30 0", "vt", "vt left right", ""])
def test_non_numeric_texture_coordinates_are_0(tmp_path, places):
    write(tmp_path, "skin.png", picture())
    path = square(tmp_path)
    write(tmp_path, "square.obj", SQUARE.replace("vt 0 1\n", f"{places}\n"))  # without one, 4 points nowhere
    mesh = read_mesh(path)
    assert mesh.notes == ("1 of 4 texture coordinates are not valid numbers and were set to 0",)
    assert mesh.texture.uv.tolist() == [*CORNERS[:3], [0, 0]]


@pytest.mark.parametrize("corner", ["9/4", "4/9", "4/-9", "-9/4", "4/x", "4//", "99999999999999999999/4"])
def test_invalid_corners_drop_only_their_face(tmp_path, corner):
    write(tmp_path, "skin.png", picture())
    path = square(tmp_path)
    write(tmp_path, "square.obj", f"{SQUARE}f 1/1 2/2 {corner}\n")
    mesh = read_mesh(path)
    assert 2 <= len(mesh.faces) <= 3
    assert len(mesh.notes) == (corner != "4//")
    assert_upright(mesh)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK", "I;16", "I", "F", "YCbCr"])
def test_every_kind_of_picture_becomes_rgba(tmp_path, mode):
    dark, light = (60, 60, 60), (200, 200, 200)
    image = Image.new("RGB", (8, 8), light)
    image.paste(dark, (0, 0, 4, 8))
    if mode == "I;16":
        converted = Image.fromarray((np.asarray(image.convert("L"), np.uint16) * 257).astype(np.uint16))
    else:
        converted = image.quantize(8).convert(mode) if mode in ("P", "PA") else image.convert(mode)
    suffix = {"CMYK": "jpg", "YCbCr": "jpg", "PA": "tif", "I": "tif", "F": "tif"}.get(mode, "png")
    write(tmp_path, f"skin.{suffix}", converted, **({"quality": 100} if suffix == "jpg" else {}))
    pixels = read_mesh(square(tmp_path, f"newmtl one\nmap_Kd skin.{suffix}\n")).texture.images[0]
    assert pixels.shape == (8, 8, 4)
    assert (pixels[..., 3] == 255).all()
    expected = (0, 255) if mode == "1" else (60, 200)
    for column, value in ((0, expected[0]), (7, expected[1])):
        if mode == "1":
            continue
        assert np.abs(pixels[:, column, :3].astype(int) - value).max() <= 3


def test_alpha_is_used_unless_gltf_disables_it(tmp_path):
    faint = picture().convert("RGBA")
    faint.putalpha(100)
    assert (read_mesh(gltf(tmp_path, as_png(faint))).texture.images[0][..., 3] == 255).all()
    assert_upright(read_mesh(gltf(tmp_path, as_png(faint))))
    assert (read_mesh(gltf(tmp_path, as_png(faint), alphaMode="BLEND")).texture.images[0][..., 3] == 100).all()
    write(tmp_path, "skin.png", faint)
    assert (read_mesh(square(tmp_path)).texture.images[0][..., 3] == 100).all()


def test_a_factor_of_gltf_tints_the_picture(tmp_path):
    mesh = read_mesh(gltf(tmp_path, as_png(picture()), surface={"baseColorFactor": [1, 0.2158, 0, 1]}))
    assert mesh.colours.tolist() == [[255, 128, 0, 255]] * 4
    assert_upright(mesh)
    assert read_mesh(gltf(tmp_path, as_png(picture()), surface={"baseColorFactor": [1, 1, 1, 1]})).colours is None


def test_image_of_gltf_is_found_by_escaped_name(tmp_path):
    write(tmp_path, "my skin.png", picture())
    assert_upright(read_mesh(gltf(tmp_path, "my%20skin.png")))


def test_geometries_of_a_scene_keep_their_textures(tmp_path):
    scene = trimesh.Scene()
    for number, colour in enumerate([(255, 0, 0), (0, 0, 255)]):
        plate = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], process=False)
        material = trimesh.visual.material.PBRMaterial(baseColorTexture=Image.new("RGB", (4, 4), colour))
        plate.visual = trimesh.visual.TextureVisuals(uv=[[0, 0], [1, 0], [0, 1]], material=material)
        scene.add_geometry(plate, transform=trimesh.transformations.translation_matrix([10 * number, 0, 0]))
    mesh = read_mesh(write(tmp_path, "two.glb", scene.export(file_type="glb")))
    assert len(mesh.texture.images) == 2
    for face, page in zip(mesh.faces, mesh.texture.face_images, strict=True):
        is_second = mesh.vertices[face][:, 0].min() >= 10
        assert mesh.texture.images[page][0, 0, :3].tolist() == ([0, 0, 255] if is_second else [255, 0, 0])


def test_pictures_are_shrunk_singly_and_all_together(tmp_path, monkeypatch):
    write(tmp_path, "skin.png", picture(4096))
    mesh = read_mesh(square(tmp_path))
    assert mesh.texture.images[0].shape == (1024, 1024, 4)
    assert_upright(mesh)
    for size in ((4100, 4099), (5000, 3001)):  # no whole multiples
        write(tmp_path, "skin.png", picture(64).convert("RGBA").resize(size, Image.Resampling.NEAREST))
        assert_upright(read_mesh(square(tmp_path)))
    write(tmp_path, "skin.png", picture(4096).resize((4096, 16)))
    assert read_mesh(square(tmp_path)).texture.images[0].shape == (16, 1024, 4)
    monkeypatch.setattr(images, "_MAX_TOTAL_PIXELS", 100_000)
    write(tmp_path, "skin.png", picture(1024))
    assert read_mesh(square(tmp_path)).texture.images[0].shape == (256, 256, 4)


def bomb(width: int, height: int) -> bytes:
    """A PNG that says it has so many pixels and has nearly none."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", b"x\x9c\x03\x00\x00\x00\x00\x01"), (b"IEND", b"")]
    data = b"\x89PNG\r\n\x1a\n"
    for kind, content in chunks:
        import zlib

        data += struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    return data


@pytest.mark.parametrize(
    ("size", "why"),
    [((20_000, 20_000), "far too many pixels"), ((9_000, 9_000), "9,000 x 9,000 pixels, too many"), ((0, 5), "")],
)
def test_image_with_too_many_pixels_is_refused(tmp_path, size, why):
    write(tmp_path, "skin.png", bomb(*size))
    mesh = read_mesh(square(tmp_path))
    assert mesh.texture is None
    assert len(mesh.notes) == 1
    assert why in mesh.notes[0]
    assert read_mesh(gltf(tmp_path, bomb(*size))).notes


def test_point_colours_precede_materials_but_not_textures(tmp_path):
    painted = SQUARE.replace("v 0 0 0", "v 0 0 0 1 0 0").replace("v 1 0 0", "v 1 0 0 0 1 0")
    painted = painted.replace("v 1 1 0", "v 1 1 0 0 0 1").replace("v 0 1 0\n", "v 0 1 0 0 0 0\n")
    write(tmp_path, "skin.png", picture())
    write(tmp_path, "m.mtl", "newmtl one\nKd 0.9 0.1 0.1\n")
    path = write(tmp_path, "square.obj", painted)
    assert read_mesh(path).colours[:, :3].tolist() == [[255, 0, 0], [0, 255, 0], [0, 0, 255], [0, 0, 0]]
    write(tmp_path, "m.mtl", "newmtl one\nmap_Kd skin.png\n")
    mesh = read_mesh(path)
    assert mesh.colours is None
    assert_upright(mesh)


WORDS = st.text('0123456789-/. #\\vtnfxe\t"%', max_size=12)
LINES = st.lists(
    st.tuples(st.sampled_from(["v", "vt", "f", "usemtl", "mtllib", "o", "", "f", "vt"]), st.lists(WORDS, max_size=5)),
    max_size=25,
)


@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]))
def test_obj_and_mtl_read_anything(tmp_path_factory, lines, end):
    folder = tmp_path_factory.getbasetemp()
    text = end.join(" ".join([kind, *words]) for kind, words in lines)
    write(folder, "any.mtl", text.replace("usemtl", "newmtl").replace("vt", "map_Kd").replace("f ", "Kd "))
    write(folder, "any.obj", f"mtllib any.mtl{end}v 0 0 0{end}v 1 0 0{end}v 0 1 0{end}{text}{end}f 1 2 3")
    mesh = read_mesh(folder / "any.obj")
    assert np.isfinite(mesh.vertices).all()
    assert mesh.faces.size == 0 or 0 <= mesh.faces.min() <= mesh.faces.max() < len(mesh.vertices)
    parse_mtl(text)


@given(
    st.lists(st.lists(st.tuples(st.integers(-6, 6), st.integers(-4, 4), st.integers(1, 4)), min_size=3, max_size=5)),
    st.sampled_from(["{0}", "{0}/{1}", "{0}//{2}", "{0}/{1}/{2}"]),
    st.sampled_from([" ", "  ", "\t"]),
)
def test_faces_of_every_shape_agree_with_a_plain_reading(polygons, shape, gap):
    head = "v 0 0 0\n" * 5 + "vt 0 0\n" * 3
    body = "\n".join(gap.join(["f", *(shape.format(*corner) for corner in polygon)]) for polygon in polygons)
    content = parse_obj((head + body).encode())
    expected = []
    for polygon in polygons:
        points = [v - 1 if v > 0 else 5 + v if v < 0 else -1 for v, _, _ in polygon]
        spots = [t - 1 if t > 0 else NO_INDEX if t == 0 else 3 + t if t >= -3 else 3 for _, t, _ in polygon]
        if "{1}" not in shape:
            spots = [NO_INDEX] * len(polygon)
        for k in range(1, len(polygon) - 1):
            expected.append([(points[j], spots[j]) for j in (0, k, k + 1)])
    found = np.stack([content.mesh.faces, content.face_uv], axis=2)
    assert found.tolist() == [[list(corner) for corner in face] for face in expected]
    assert content.skipped == 0


def test_our_reader_of_obj_agrees_with_trimesh():
    files = [path for path in sorted(ODD.glob("*.[oO][bB][jJ]")) if path.name not in SPLIT]
    if not files:
        pytest.skip("needs shared/data/meshes_odd")
    for path in files:
        with warnings.catch_warnings(action="ignore"):  # theirs, about what they do with it
            theirs = trimesh.load_mesh(path, process=False, maintain_order=True, skip_materials=True)
        ours = parse_obj(path.read_bytes())
        corners = ours.mesh.vertices[ours.mesh.faces]
        area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum() / 2
        assert len(corners) == len(theirs.faces), path.name
        assert area == pytest.approx(theirs.area, rel=1e-6), path.name
    assert len(files) >= 15


SPLIT = (
    "negative_indices.obj",
    "empty.obj",
    "polygonfaces.obj",
    "notenoughindices.obj",
    "face_in_group_name.obj",
)
"""Which trimesh misreads, or does not read."""


def test_images_release_the_full_size(tmp_path, monkeypatch):
    opened = []

    def listen(data: bytes) -> Image.Image:
        opened.append(open_texture(data))
        return opened[-1]

    monkeypatch.setattr(images, "open_texture", listen)
    for name in ("one.png", "two.png"):
        write(tmp_path, name, picture(512))
    used = SQUARE + "usemtl two\nf 1/1 2/2 3/3\n"
    square(tmp_path, "newmtl one\nmap_Kd one.png\nnewmtl two\nmap_Kd two.png\n")
    assert len(read_mesh(write(tmp_path, "square.obj", used)).texture.images) == 2
    assert len(opened) == 2
    for image in opened:
        with pytest.raises(ValueError, match="closed image"):
            image.getpixel((0, 0))


SQUARE_3MF = """<?xml version="1.0"?><model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02"><resources>
<basematerials id="1"><base name="red" displaycolor="#FF0000"/>
<base name="grey" displaycolor="#808080FF"/></basematerials>
<m:colorgroup id="2"><m:color color="#0000FF"/><m:color color="#00FF00FF"/></m:colorgroup>
<m:texture2d id="3" path="/3D/Textures/skin.png" contenttype="image/png"/>
<m:texture2dgroup id="4" texid="3"><m:tex2coord u="0" v="0"/><m:tex2coord u="1" v="0"/><m:tex2coord u="1" v="1"/>
<m:tex2coord u="0" v="1"/></m:texture2dgroup>
<object id="9" pid="1" pindex="0"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/>
<vertex x="1" y="1" z="0"/><vertex x="0" y="1" z="0"/></vertices><triangles>FACES</triangles></mesh></object>
</resources><build><item objectid="9"/></build></model>"""

WITH_PICTURE = """<triangle v1="0" v2="1" v3="2" pid="4" p1="0" p2="1" p3="2"/>
<triangle v1="0" v2="2" v3="3" pid="4" p1="0" p2="2" p3="3"/>"""


def threemf(folder: Path, faces: str, image: bytes | None = None) -> Path:
    with zipfile.ZipFile(folder / "square.3mf", "w") as archive:
        archive.writestr("3D/3dmodel.model", SQUARE_3MF.replace("FACES", faces))
        if image is not None:
            archive.writestr("3D/Textures/Skin.png", image)
    return folder / "square.3mf"


def test_pictures_of_3mf_lie_upright_and_may_be_missing(tmp_path):
    assert_upright(read_mesh(threemf(tmp_path, WITH_PICTURE, as_png(picture()))))
    for image, why in (
        (None, "was not found in the file"),
        (b"", "cannot be read"),
        (as_png(picture(256))[:200], "cannot be read"),
    ):
        mesh = read_mesh(threemf(tmp_path, WITH_PICTURE, image))
        assert mesh.texture is None
        assert len(mesh.faces) == 2
        assert mesh.notes[0].startswith(f"texture '/3D/Textures/skin.png' {why}")


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("", [[255, 0, 0]] * 3),
        ('pid="1" p1="0"', [[255, 0, 0]] * 3),
        ('pid="1" p1="1"', None),
        ('pid="1" p1="7"', None),
        ('pid="1" p1="x"', None),
        ('pid="8" p1="0"', None),
        ('pid="2" p1="0" p2="1" p3="0"', [[0, 0, 255], [0, 255, 0], [0, 0, 255]]),
        ('pid="4" p1="9"', None),
    ],
)
def test_colours_of_3mf_belong_to_corners(tmp_path, attributes, expected):
    mesh = read_mesh(threemf(tmp_path, f'<triangle v1="0" v2="1" v3="2" {attributes}/>', as_png(picture())))
    assert (mesh.colours is None) == (expected is None)
    if expected is not None:
        assert mesh.colours[mesh.faces[0], :3].tolist() == expected
    mixed = read_mesh(
        threemf(tmp_path, f'{WITH_PICTURE}<triangle v1="0" v2="1" v3="9" {attributes}/>', as_png(picture()))
    )
    assert len(mixed.faces) == 2
    assert_upright(mixed)
