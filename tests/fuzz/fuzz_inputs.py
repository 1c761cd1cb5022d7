"""Seeds of the fuzzers and mutations of them: the demo, tests/data and, where present, real files of ../shared/data.

Every input is determined by the name of a target and its number, so that a failure can be repeated alone.
"""

import bz2
import copy
import datetime
import gzip
import io
import json
import random
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

PROJECT = Path(__file__).parents[2]
SAMPLES = PROJECT / "tests" / "data" / "formats"
DEMO = PROJECT / "resources" / "demo"
REAL = PROJECT.parent / "shared" / "data"
"""Real data; read in their folder, never copied into the project."""

MAX_SEED_BYTES = 60_000
"""Larger real files are cut at the end of a line: mutations of the beginning are the same, and much faster."""

TOKENS = (
    *(b"\0", b"\n", b"\r", b"\t", b" ", b",", b";", b"-", b"nan", b"inf", b"1e999", b"-0", b"True", b"null", b"NaN"),
    *(b"99999999999999999999", b"9" * 400, b"9" * 5_000, b"\xff\xfe", b"\xef\xbb\xbf", b'"', b"'''", b'"""', b"#"),
    *(
        b"PSB 1",
        b"\x1f\x8b\x08",
        b"\x93NUMPY",
        b"PK\x03\x04",
        b"OFF",
        b"[",
        b"{",
        b"[[",
        b"]]",
        b"<!DOCTYPE a [",
        b"&#0;",
    ),
    *(b"\xff" * 8, b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"../", b"/dev/zero", b"a.", b"= {", b"x" * 5_000, b"(" * 200),
)
REPETITIONS = (50, 1_000, 20_000)
"""A few pieces are repeated so often that an algorithm of quadratic time is noticed."""


def text_seeds(key: str) -> list[bytes]:
    """Files of a format."""
    found = [path.read_bytes() for path in sorted(SAMPLES.glob(f"{key}/*/*"))]
    return [*found, *parquet_seeds()] if key == "parquet" else found


@cache
def parquet_seeds() -> tuple[bytes, ...]:
    """A matrix, pairs and lists in Parquet; empty without pyarrow."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        return ()
    ids, rows = ["q1", "q2", "q3"], [["a1", "b1"], ["b1", "c1"], ["a1", "c1"]]
    pairs = {"query": ids, "model": ["a1", "b1", "c1"], "distance": [0.5, 1.5, 2.5]}
    found = []
    for columns in (
        {"query": ids, "a1": [0.0, 1.0, 2.0], "b1": [3.0, 1.0, 2.0]},
        pairs,
        {"query": ids, "models": rows},
    ):
        stream = io.BytesIO()
        parquet.write_table(pa.table(columns), stream, row_group_size=2)
        found.append(stream.getvalue())
    return tuple(found)


@cache
def zarr_seeds() -> tuple[tuple[tuple[str, bytes], ...], ...]:
    """Files of an array of version 2 and of one of version 3, as name and content; empty without zarr."""
    try:
        import zarr
    except ImportError:
        return ()
    found = []
    for version in (2, 3):
        with tempfile.TemporaryDirectory() as folder:
            array = zarr.create_array(folder, shape=(4, 6), chunks=(2, 3), dtype="f4", zarr_format=version)
            array[:] = np.arange(24).reshape(4, 6)
            paths = sorted(path for path in Path(folder).rglob("*") if path.is_file())
            found.append(tuple((path.relative_to(folder).as_posix(), path.read_bytes()) for path in paths))
    return tuple(found)


@cache
def real_texts() -> tuple[bytes, ...]:
    found = []
    for folder in ("classification", "psb_d2", "shrec06", "shrec2017_rgbd", "shrec2018_rgbd", "shrec2021_culture"):
        files = sorted(path for path in (REAL / folder).rglob("*") if path.is_file() and path.suffix != ".md")
        expected = [path for path in files if path.suffix.lower() not in (".off", ".obj", ".ply", ".png", ".jpg")]
        found += [_beginning(path) for path in expected[:: max(1, len(expected) // 12)]]
    return tuple(data for data in found if data)


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        data = file.read(MAX_SEED_BYTES + 1)
    return data if len(data) <= MAX_SEED_BYTES else data[: data.rfind(b"\n", 0, MAX_SEED_BYTES) + 1]


@cache
def all_texts() -> tuple[bytes, ...]:
    return (
        *(data for path in sorted(SAMPLES.iterdir()) if path.is_dir() for data in text_seeds(path.name)),
        *real_texts(),
    )


@cache
def mesh_seeds() -> tuple[tuple[str, bytes], ...]:
    """Name and content of small meshes of every format."""
    import trimesh

    box = trimesh.creation.box()
    found = [(f"box.{kind}", _exported(box, kind)) for kind in ("ply", "stl", "glb", "obj", "off", "dae")]
    found.append(("box.xyz", b"0 0 0\n1 0 0\n0 1 0\n0 0 1\n"))
    found.append(("text.ply", _exported(box, "ply", encoding="ascii")))
    found.append(("text.stl", _exported(box, "stl_ascii")))
    found.append(("box.3mf", threemf()))
    found.append(("box.gltf", gltf()))
    off = dict(found)["box.off"]
    found += [
        ("box.off.gz", gzip.compress(off)),
        ("box.off.bz2", bz2.compress(off)),
        ("box.zip", zipped({"box.off": off})),
    ]
    models = sorted(path for path in (DEMO / "models").iterdir() if path.is_file())
    found += [(path.name, path.read_bytes()) for path in models[:: max(1, len(models) // 4)]]
    real = sorted(path for path in (REAL / "meshes_odd").glob("*") if path.is_file() and path.suffix != ".md")
    found += [(path.name.replace(" ", "_"), path.read_bytes()) for path in real if path.stat().st_size < MAX_SEED_BYTES]
    return tuple(found)


def _exported(mesh, kind: str, **options) -> bytes:
    data = mesh.export(file_type=kind, **options)
    return data.encode() if isinstance(data, str) else data


def gltf() -> bytes:
    numbers = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4").tobytes()
    import base64

    uri = f"data:application/octet-stream;base64,{base64.b64encode(numbers).decode()}"
    return json.dumps(
        {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0, "children": [1]}, {"translation": [1, 2, 3]}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
            "accessors": [{"componentType": 5126, "count": 3, "type": "VEC3", "bufferView": 0}],
            "bufferViews": [{"buffer": 0, "byteLength": 36}],
            "buffers": [{"uri": uri, "byteLength": 36}],
        }
    ).encode()


def threemf() -> bytes:
    corners = "".join(f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in ((0, 0, 0), (1, 0, 0), (0, 1, 0)))
    mesh = f'<mesh><vertices>{corners}</vertices><triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh>'
    uses = '<component objectid="1"/><component objectid="1" transform="1 0 0 0 1 0 0 0 1 5 5 5"/>'
    objects = f'<object id="1">{mesh}</object><object id="2"><components>{uses}</components></object>'
    return zipped(
        {"3D/3dmodel.model": f'<model><resources>{objects}</resources><build><item objectid="2"/></build></model>'}
    )


def zipped(files: dict[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


SVG = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 20 20">
<defs><linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient></defs>
<g id="a" transform="rotate(20)"><path d="M0 0 L10 10 C1 2 3 4 5 6 Z" fill="url(#g)" stroke="#123456"/></g>
<use xlink:href="#a" x="3"/><text x="1" y="9" font-size="4">cat</text></svg>"""


@cache
def picture_seeds() -> tuple[tuple[str, bytes], ...]:
    """Name and content of small pictures of every format."""
    from PIL import Image

    pixels = np.random.default_rng(0).integers(0, 255, (24, 32, 4), np.uint8)
    image = Image.fromarray(pixels)
    found = [("drawing.svg", SVG.encode())]
    kinds = (("png", "RGBA"), ("png", "P"), ("png", "I;16"), ("jpeg", "RGB"), ("bmp", "RGB"), ("webp", "RGBA"))
    for kind, mode in (*kinds, ("tiff", "RGB"), ("gif", "P")):
        stream = io.BytesIO()
        (Image.fromarray(pixels[..., 0].astype(np.uint16)) if mode == "I;16" else image.convert(mode)).save(
            stream, kind
        )
        found.append((f"picture.{kind}", stream.getvalue()))
    stream = io.BytesIO()
    image.convert("RGB").save(stream, "jpeg", progressive=True, exif=Image.Exif())
    found.append(("progressive.jpg", stream.getvalue()))
    stream = io.BytesIO()
    image.convert("P").save(stream, "gif", save_all=True, append_images=[image.convert("P")] * 3)
    found.append(("animated.gif", stream.getvalue()))
    return tuple(found)


PROJECT_TEXT = """[benchmark]
name = "B"
profile = "shrec2006"
folder = "b"
format = 2

[parts]
models = "b/models"

[[runs]]
name = "A1"
path = "runs/A1"
hash = "0123456789abcdef"

[view]
query = "Q1"
rank = 3
camera = { up = "Z", azimuth = 30.5 }
panels = { curves = { log = true, shown = ["A1", "B2"] } }
layout_version = 4
run_styles = { A1 = [0, 1, 2] }

[notes]
Q1 = "look here"
Q2 = '''
two lines'''

[edits]
hidden = ["A1"]

[edits.colours]
A1 = "#ff0000"
"""


BY_HAND = b"""[benchmark]
name = "By hand"
profile = "psb"

[collection]
classification = "c.cla"

[[runs]]
name = "A"
path = "runs/A.txt"
"""

LAYOUT = {
    "docks": [{"tabs": ["queries", "list"], "current": "queries", "width": 300, "height": 200}],
    "floating": [],
}

_EDITS = {
    "notes": {"Q1": "x"},
    "edits": {
        "colours": {"A1": "#ff0000"},
        "hidden": ["A1"],
        "levels": [{"query": "Q1", "model": "N1", "level": 2, "before": 1}],
        "reviewed": [{"query": "", "model": "N1", "level": 1}],
    },
}

JOURNAL = {"paths": ["/a/b"], "saved": {}, "edited": _EDITS, "restored": ["a.json"]}

OTHER_VALUES: tuple[Any, ...] = (
    *(0, -1, 1, 2**31, 2**63 - 1, -(2**63), True, False, 0.5, -0.0, 1e308),
    *(float("nan"), float("inf"), "", " ", ".", "\x01", "a\nb", "\u202e", "é" * 300, "x" * 5000),
    *([], {}, [[]], [{}], {"": ""}, {"a": {"b": {"c": []}}}, [1, "2", [3.5]], ["A1"] * 50),
    *("psb+ties=lottery", "runs/A.txt", "#ff0000", "NaN", "-1", "1e999", "@Invalid()", datetime.date(2020, 2, 29)),
)
"""Values that a person or another program may write in place of others."""


def with_other_values(document: Any, rng: random.Random) -> Any:
    """A copy with one to three values, keys or tables replaced, removed, or added."""
    result = copy.deepcopy(document)
    for _ in range(rng.randint(1, 3)):
        owners = list(_containers(result))
        owner = rng.choice(owners)
        keys = list(owner) if isinstance(owner, dict) else list(range(len(owner)))
        value = copy.deepcopy(rng.choice(OTHER_VALUES))
        if not keys or rng.random() < 0.1:
            if isinstance(owner, dict):
                owner[rng.choice(("", "name", "a.b", "ü"))] = value
            else:
                owner.append(value)
        elif rng.random() < 0.1:
            del owner[rng.choice(keys)]
        else:
            owner[rng.choice(keys)] = value
    return result


def _containers(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _containers(inner)


@cache
def project_seeds() -> tuple[bytes, ...]:
    return (PROJECT_TEXT.encode(), (DEMO / "benchmark.toml").read_bytes(), *text_seeds("manifest"))


@cache
def settings_seeds() -> tuple[bytes, ...]:
    """Settings files with every field, as the program writes them."""
    from shrec_viewer.app.startup.settings import Settings, SettingsFile

    full = Settings(
        keys={"open": "Ctrl+O"},
        recent=("/a b/c", "/d"),
        geometry={"x": 1, "y": 2, "width": 800, "height": 600},
        layouts={"query": LAYOUT},
        palette_recent=("open",),
        profiles={"/a": "psb"},
        dialog_folders={"open": "/a"},
        added_measures=("AP", "P@10"),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "settings.ini"
        SettingsFile(path).write(full)
        return (path.read_bytes(),)


@cache
def thumbnail_cache_seed() -> bytes:
    from shrec_viewer.render.thumbnails.cache import ThumbnailCache
    from shrec_viewer.render.thumbnails.thumbnail import encode_webp

    with tempfile.TemporaryDirectory() as folder:
        cache_file = ThumbnailCache(Path(folder))
        cache_file.put({b"k" * 16: encode_webp(np.zeros((16, 16, 4), np.uint8))}, {b"k" * 16: ("a note",)})
        cache_file.put_digests({b"s" * 16: b"d" * 16})
        cache_file.close()
        path = Path(folder) / "thumbnails.sqlite"
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        return path.read_bytes()


@cache
def parse_cache_seed() -> bytes:
    from shrec_viewer.formats.io.parse_cache import GrowingArray, ParseCache

    with tempfile.TemporaryDirectory() as folder:
        stored = ParseCache(Path(folder))
        with GrowingArray(np.dtype(float), stored, "matrix-1") as array:
            array.append(np.arange(12.0))
            array.finish((3, 4), {"findings": [["warning", 1, "a", "b", 1]]}, "matrix-1")
        return stored.path("matrix-1").read_bytes()


def mutated(data: bytes, rng: random.Random, others: tuple[bytes, ...] = ()) -> bytes:
    """One to four of: bits flipped, bytes set, pieces cut or repeated, numbers replaced, tokens inserted, splices."""
    found = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(found))
        end = min(len(found), at + rng.choice((1, 1, 2, 4, 16, 200)))
        match rng.randrange(9):
            case 0 if at < len(found):
                found[at] ^= 1 << rng.randrange(8)
            case 1:
                found[at:end] = rng.randbytes(end - at)
            case 2:
                del found[at:end]
            case 3:
                times = rng.choice((1, 1, 2, 2, *REPETITIONS[: 1 + (rng.random() < 0.2) + (rng.random() < 0.05)]))
                found[at:at] = found[at : min(end, at + 16)] * times
            case 4:
                found[at:at] = rng.choice(TOKENS)
            case 5:
                del found[at:]
            case 6:
                found[at : at + 4] = rng.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"\0\0\0\x01"))
            case 7:
                digits = [index for index in range(at, min(len(found), at + 200)) if 48 <= found[index] < 58]
                if digits:
                    found[digits[0] : digits[0] + 1] = rng.choice((b"-1", b"0", b"99999999", b"9" * 30, b"1e400", b"x"))
            case 8 if others:
                other = rng.choice(others)
                found[at:] = other[rng.randint(0, len(other)) :][:MAX_SEED_BYTES]
    return bytes(found)
