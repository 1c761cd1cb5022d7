"""Whatever happens to the cache's file, pictures are at most drawn again."""

import os
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from shrec_viewer.render import cache as cache_module
from shrec_viewer.render.cache import ThumbnailCache, identity
from shrec_viewer.render.camera import Camera
from shrec_viewer.render.style import QUICK
from shrec_viewer.render.thumbnail import ThumbnailRequest

ONE, TWO, THREE = b"1" * 16, b"2" * 16, b"3" * 16


def test_what_was_put_is_there_also_for_the_next(tmp_path: Path):
    first = ThumbnailCache(tmp_path / "deep" / "folder")
    first.put({ONE: b"one", TWO: b"two"})
    first.put({TWO: b"two again"})
    first.close()
    second = ThumbnailCache(tmp_path / "deep" / "folder")
    assert second.is_kept
    assert second.get_many([ONE, TWO, THREE]) == {ONE: b"one", TWO: b"two again"}
    second.clear()
    assert second.get_many([ONE, TWO]) == {}
    second.close()
    assert second.get_many([ONE]) == {}
    second.put({ONE: b"after closing"})


def test_many_keys_are_asked_in_several_queries(tmp_path: Path):
    cache = ThumbnailCache(tmp_path)
    many = {number.to_bytes(16, "big"): b"picture %d" % number for number in range(2500)}
    cache.put(many)
    assert cache.get_many(many) == many
    cache.close()


@pytest.mark.parametrize("rubbish", [b"", b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_replaced(tmp_path: Path, rubbish: bytes):
    (tmp_path / "thumbnails.sqlite").write_bytes(rubbish)
    cache = ThumbnailCache(tmp_path)
    assert cache.get_many([ONE]) == {}
    cache.put({ONE: b"one"})
    assert cache.get_many([ONE]) == {ONE: b"one"}
    cache.close()


def test_damage_while_open_is_replaced(tmp_path: Path):
    cache = ThumbnailCache(tmp_path)
    cache.put({number.to_bytes(16, "big"): bytes(3000) for number in range(200)})
    cache.close()
    cache = ThumbnailCache(tmp_path)
    with (tmp_path / "thumbnails.sqlite").open("r+b") as file:
        file.seek(8192)
        file.write(os.urandom(400_000))
    keys = [number.to_bytes(16, "big") for number in range(200)]
    cache.get_many(keys)
    cache.put({ONE: b"one"})
    cache.get_many(keys)
    cache.put({TWO: b"two"})
    assert cache.get_many([TWO]) == {TWO: b"two"}
    cache.close()


def test_another_layout_or_another_database_is_replaced(tmp_path: Path):
    connection = sqlite3.connect(tmp_path / "thumbnails.sqlite")
    connection.execute("CREATE TABLE thumbnails (something TEXT)")
    connection.execute("PRAGMA user_version = 99")
    connection.commit()
    connection.close()
    cache = ThumbnailCache(tmp_path)
    cache.put({ONE: b"one"})
    assert cache.get_many([ONE]) == {ONE: b"one"}
    cache.close()


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    for folder in (None, tmp_path / "file", tmp_path / "file" / "below"):
        cache = ThumbnailCache(folder)
        assert not cache.is_kept
        cache.put({ONE: b"one"})
        assert cache.get_many([ONE]) == {}
        assert cache.size() == 0
        cache.clear()
        cache.close()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_keeps_nothing(tmp_path: Path):
    tmp_path.chmod(0o500)
    cache = ThumbnailCache(tmp_path)
    cache.put({ONE: b"one"})
    assert cache.get_many([ONE]) == {}
    cache.close()
    tmp_path.chmod(0o700)


def test_the_least_recently_used_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    limit = 300_000
    cache = ThumbnailCache(tmp_path, limit)
    old = [b"old" + bytes([number]) for number in range(40)]
    cache.put({key: bytes(5000) for key in old})
    monkeypatch.setattr(cache_module, "_now", lambda: int(time.time()) // 3600 + 1)  # an hour later
    loved = old[5:8]
    assert len(cache.get_many(loved)) == 3
    for number in range(40):
        cache.put({b"new" + bytes([number]): bytes(5000)})
        assert cache.size() <= limit
    assert len(cache.get_many(loved)) == 3
    assert len(cache.get_many(old)) < 25
    assert len(cache.get_many([b"new" + bytes([39])])) == 1
    assert (tmp_path / "thumbnails.sqlite").stat().st_size < 1.2 * limit
    cache.close()


def test_two_processes_write_the_same_file(tmp_path: Path):
    script = (
        "import sys; from pathlib import Path; from shrec_viewer.render.cache import ThumbnailCache\n"
        "cache = ThumbnailCache(Path(sys.argv[1]))\n"
        "for n in range(150): cache.put({(sys.argv[2] + str(n)).encode(): bytes(2000)})\n"
        "cache.close()\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path), name]) for name in "ab"]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    cache = ThumbnailCache(tmp_path)
    keys = [f"{name}{number}".encode() for name in "ab" for number in range(150)]
    assert len(cache.get_many(keys)) == 300
    cache.close()


def test_a_locked_file_makes_nothing_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cache_module, "_TIMEOUT", 0.05)
    cache = ThumbnailCache(tmp_path)
    cache.put({ONE: b"one"})
    other = sqlite3.connect(tmp_path / "thumbnails.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    cache.put({TWO: b"two"})
    assert cache.get_many([ONE, TWO]) == {ONE: b"one"}
    other.execute("ROLLBACK")
    other.close()
    cache.put({TWO: b"two"})
    assert cache.get_many([TWO]) == {TWO: b"two"}
    cache.close()


def test_the_key_changes_with_all_that_changes_the_picture(tmp_path: Path):
    path = tmp_path / "a.off"
    path.write_text("OFF")
    request = ThumbnailRequest(path, 96)
    key = identity(request)
    assert key == identity(ThumbnailRequest(path, 96))
    assert identity(ThumbnailRequest(tmp_path / "." / "a.off", 96)) == key
    others = [
        identity(replace(request, size=192)),
        identity(replace(request, camera=Camera(up="Z"))),
        identity(replace(request, style=QUICK)),
    ]
    path.write_text("OFF ")
    others.append(identity(request))
    os.utime(path, ns=(1, 1))
    others.append(identity(request))
    assert len({key, *others}) == 6
    assert identity(ThumbnailRequest(tmp_path / "none.off", 96)) is None
