"""What the long runs of the fuzzers found, as small files."""

import json
import sqlite3
import zlib

import numpy as np
import pytest

from shrec_viewer.formats.io.parse_cache import ARRAY_OFFSET, CACHE_MAGIC, ParseCache
from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.render.thumbnails.cache import ThumbnailCache
from shrec_viewer.render.thumbnails.thumbnail import Thumbnail


@pytest.mark.parametrize("faces", [f"3 0 1 {'9' * 30}", f"{'9' * 30} 0 1 2", f"3 0 1 2\n3 0 {'9' * 30} 1 7 7 7 7 7"])
def test_integers_beyond_64_bits_in_an_off_file(faces, tmp_path):
    path = tmp_path / "m.off"
    path.write_text(f"OFF\n3 {faces.count(chr(10)) + 1} 0\n0 0 0\n1 0 0\n0 1 0\n{faces}\n")
    assert len(read_mesh(path).vertices) == 3


def test_texts_of_the_thumbnail_cache_that_are_not_utf8(tmp_path):
    """The module sqlite3 fails to decode its own message about the table."""
    cache = ThumbnailCache(tmp_path)
    cache.put({b"k": b"webp"}, {b"k": ("a note",)})
    cache.close()
    path = tmp_path / "thumbnails.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE contents", b"CREATE TABLE \xb4\xff\xfetents"))
    cache = ThumbnailCache(tmp_path)
    cache.put({b"n": b"webp"})
    assert cache.get_many([b"n"]) == {b"n": b"webp"}
    cache.close()


def test_values_of_other_types_in_the_thumbnail_cache_are_missing(tmp_path):
    cache = ThumbnailCache(tmp_path)
    cache.put({b"k": b"webp"}, {b"k": ("a note",)})
    cache._connection.execute("UPDATE thumbnails SET webp = 'text', notes = 7")
    cache._connection.execute("INSERT INTO contents VALUES (?, 5, 0)", (b"s",))
    assert cache.get_many([b"k"]) == {}
    assert cache.notes([b"k"]) == {b"k": ("7",)}
    assert cache.digests([b"s"]) == {}
    cache.close()


@pytest.mark.parametrize("stored", [b"%!PS-Adobe-3.0 EPSF-3.0\n", b"RIFF\0\0\0\0WEBP", b"garbage"])
def test_a_stored_thumbnail_that_is_no_image_is_one_transparent_pixel(stored):
    assert Thumbnail(webp=stored).pixels().tolist() == [[[0, 0, 0, 0]]]


@pytest.mark.parametrize("kind", ["|O", [["a", "|O"]], "<U4", "|V8", "<M8[s]"])
def test_the_parse_cache_maps_numbers_only(kind, tmp_path):
    """An array of objects would be pointers into the memory of this process."""
    cache = ParseCache(tmp_path)
    data = np.arange(4.0).tobytes()
    text = json.dumps({"dtype": kind, "shape": [1], "bytes": len(data), "sum": zlib.crc32(data), "words": {}}).encode()
    footer = b"".join(number.to_bytes(8, "little") for number in (zlib.crc32(text), len(text))) + CACHE_MAGIC
    path = cache.path("matrix-1")
    path.write_bytes(CACHE_MAGIC.ljust(ARRAY_OFFSET, b"\0") + data + text + footer)
    assert cache.get("matrix-1") is None
    assert not path.exists()
