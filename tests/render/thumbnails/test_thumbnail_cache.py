"""Thumbnail cache: storage, limits, keys, and every kind of damaged or unwritable file."""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from shrec_viewer.domain import Quantity
from shrec_viewer.domain.value_scale import ValueScale
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.style import RenderStyle
from shrec_viewer.render.thumbnails import cache as cache_module
from shrec_viewer.render.thumbnails.cache import ThumbnailCache, thumbnail_keys
from shrec_viewer.render.thumbnails.thumbnail import ThumbnailRequest

QUICK_STYLE = RenderStyle(samples=1, ambient_occlusion=False)

ONE, TWO, THREE = b"1" * 16, b"2" * 16, b"3" * 16


def test_stored_thumbnails_are_found_by_next_object(tmp_path: Path):
    first = ThumbnailCache(tmp_path / "deep" / "folder")
    first.put({ONE: b"one", TWO: b"two"})
    first.put({TWO: b"two again"})
    first.close()
    second = ThumbnailCache(tmp_path / "deep" / "folder")
    assert second.is_persistent
    assert second.get_many([ONE, TWO, THREE]) == {ONE: b"one", TWO: b"two again"}
    second.clear()
    assert second.get_many([ONE, TWO]) == {}
    second.close()
    assert second.get_many([ONE]) == {}
    second.put({ONE: b"after closing"})


def test_many_keys_are_split_into_queries(tmp_path: Path):
    cache = ThumbnailCache(tmp_path)
    many = {number.to_bytes(16, "big"): b"picture %d" % number for number in range(2500)}
    cache.put(many)
    assert cache.get_many(many) == many
    cache.close()


@pytest.mark.parametrize("rubbish", [b"", b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_damaged_file_is_replaced(tmp_path: Path, rubbish: bytes):
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


def test_file_of_another_version_is_replaced(tmp_path: Path):
    connection = sqlite3.connect(tmp_path / "thumbnails.sqlite")
    connection.execute("CREATE TABLE thumbnails (something TEXT)")
    connection.execute("PRAGMA user_version = 99")
    connection.commit()
    connection.close()
    cache = ThumbnailCache(tmp_path)
    cache.put({ONE: b"one"})
    assert cache.get_many([ONE]) == {ONE: b"one"}
    cache.close()


def test_no_cache_in_invalid_folder(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    for folder in (None, tmp_path / "file", tmp_path / "file" / "below"):
        cache = ThumbnailCache(folder)
        assert not cache.is_persistent
        cache.put({ONE: b"one"})
        assert cache.get_many([ONE]) == {}
        assert cache.size() == 0
        cache.clear()
        cache.close()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_no_new_thumbnails_in_read_only_folder(tmp_path: Path):
    tmp_path.chmod(0o500)
    cache = ThumbnailCache(tmp_path)
    cache.put({ONE: b"one"})
    assert cache.get_many([ONE]) == {}
    cache.close()
    tmp_path.chmod(0o700)


def test_least_recently_used_are_deleted_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    limit = 300_000
    cache = ThumbnailCache(tmp_path, limit)
    old = [b"old" + bytes([number]) for number in range(40)]
    cache.put({key: bytes(5000) for key in old})
    monkeypatch.setattr(cache_module, "_current_hour", lambda: int(time.time()) // 3600 + 1)  # an hour later
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


def test_connecting_retries_while_file_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Switching to WAL fails at once while another process creates the file; without a retry there is no cache."""
    connected, tries = cache_module._connect, []

    def twice_locked(path):
        tries.append(path)
        if len(tries) < 3:
            raise sqlite3.OperationalError("database is locked")
        return connected(path)

    monkeypatch.setattr(cache_module, "_connect", twice_locked)
    cache = ThumbnailCache(tmp_path)
    assert cache.is_persistent
    assert len(tries) == 3
    cache.close()


def test_two_processes_write_same_file(tmp_path: Path):
    script = (
        "import sys; from pathlib import Path; from shrec_viewer.render.thumbnails.cache import ThumbnailCache\n"
        "cache = ThumbnailCache(Path(sys.argv[1]))\n"
        "for n in range(150): cache.put({(sys.argv[2] + str(n)).encode(): bytes(2000)})\n"
        "cache.close()\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path), name]) for name in "ab"]
    assert [writer.wait(600) for writer in writers] == [0, 0]
    cache = ThumbnailCache(tmp_path)
    keys = [f"{name}{number}".encode() for name in "ab" for number in range(150)]
    assert len(cache.get_many(keys)) == 300
    cache.close()


def test_locked_file_raises_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cache_module, "_LOCK_TIMEOUT", 0.05)
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


def test_key_depends_on_everything_that_changes_image(tmp_path: Path):
    path = tmp_path / "a.off"
    path.write_text("OFF")
    request = ThumbnailRequest(path, 96)
    key = key_of(request)
    assert key == key_of(ThumbnailRequest(tmp_path / "." / "a.off", 96))
    others = [
        key_of(replace(request, size=192)),
        key_of(replace(request, camera=Camera(up="Z"))),
        key_of(replace(request, style=QUICK_STYLE)),
        key_of(replace(request, style=RenderStyle(values=ValueScale("q", 0.0, 1.0)))),
        key_of(replace(request, style=RenderStyle(values=ValueScale("q", 0.0, 2.0)))),
    ]
    path.write_text("OFF ")
    others.append(key_of(request))
    assert len({key, *others}) == 7
    os.utime(path, ns=(1, 1))
    assert key_of(request) == others[-1]  # touched, not changed
    assert key_of(ThumbnailRequest(tmp_path / "none.off", 96)) is None


def test_key_depends_on_the_file_of_the_values(tmp_path: Path):
    path, file = tmp_path / "a.off", tmp_path / "a.txt"
    path.write_text("OFF")
    file.write_text("1")
    quantity = Quantity(tmp_path, zero=0.0, name="q", files={path: file, tmp_path / "b.off": file})
    request = ThumbnailRequest(path, 96, quantity=quantity.of_mesh(path))
    keys = [key_of(request), key_of(replace(request, quantity=None))]
    keys.append(key_of(replace(request, quantity=replace(quantity.of_mesh(path), column=2))))
    file.write_text("12")
    keys.append(key_of(request))
    assert len(set(keys)) == 4
    with_others = replace(quantity, files={**quantity.files, tmp_path / "c.off": file})
    assert key_of(replace(request, quantity=with_others.of_mesh(path))) == keys[-1]


def test_copies_share_keys_unless_they_refer_to_other_files(tmp_path: Path):
    for suffix, shared in ((".off", True), (".ply", True), (".obj", False), (".gltf", False)):
        paths = [tmp_path / folder / f"a{suffix}" for folder in ("one", "two")]
        for path in paths:
            path.parent.mkdir(exist_ok=True)
            path.write_text("the same")
        first, second = (key_of(ThumbnailRequest(path)) for path in paths)
        assert (first == second) == shared
    for folder in ("one", "two"):
        (tmp_path / folder / "b.ply").write_text("ply\nformat ascii 1.0\ncomment TextureFile b.png\n")
    assert len({key_of(ThumbnailRequest(tmp_path / folder / "b.ply")) for folder in ("one", "two")}) == 2
    as_off, as_ply = (key_of(ThumbnailRequest(tmp_path / "one" / f"a{suffix}")) for suffix in (".off", ".ply"))
    assert as_off != as_ply


def test_new_or_changed_material_changes_key(tmp_path: Path):
    request = ThumbnailRequest(tmp_path / "a.obj")
    request.path.write_text("mtllib a.mtl")
    keys = [key_of(request)]
    for age in (1, 2):
        (tmp_path / "a.mtl").write_text("newmtl one")
        os.utime(tmp_path / "a.mtl", ns=(age, age))
        keys += [key_of(request), key_of(request)]
    assert keys[1] == keys[2]
    assert keys[3] == keys[4]
    assert len(set(keys)) == 3


def test_rewritten_file_of_the_same_size_and_time_has_another_key(tmp_path: Path):
    path, draft = tmp_path / "a.off", tmp_path / "draft"
    path.write_text("OFF 1")
    draft.write_text("OFF 2")
    for file in (path, draft):
        os.utime(file, ns=(1, 1))
    cache = ThumbnailCache(tmp_path / "cache")
    first = thumbnail_keys([ThumbnailRequest(path)], cache)
    draft.replace(path)
    assert thumbnail_keys([ThumbnailRequest(path)], cache) != first
    cache.close()


def test_file_is_read_once_for_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "a.off"
    path.write_text("OFF")
    cache = ThumbnailCache(tmp_path / "cache")
    first = thumbnail_keys([ThumbnailRequest(path)], cache)
    monkeypatch.setattr(cache_module, "content_digest", None)
    assert thumbnail_keys([ThumbnailRequest(path)], cache) == first
    cache.clear()
    with pytest.raises(TypeError):
        thumbnail_keys([ThumbnailRequest(path)], cache)
    cache.close()


def test_full_disk_is_reported(mount: Callable[[str], Path]):
    folder = mount("size=1m")
    cache = ThumbnailCache(folder)
    cache.put({ONE: b"one"})
    for number in range(60):
        cache.put({b"%016d" % number: os.urandom(40_000)})
    assert cache.problem == f"new thumbnails are not cached: the disk with {folder} is full"
    assert cache.get_many([ONE]) == {ONE: b"one"}
    kept = cache.get_many(b"%016d" % number for number in range(60))
    assert 5 < len(kept) < 30
    cache.close()
    again = ThumbnailCache(folder)
    assert again.get_many([*kept, ONE]) == kept | {ONE: b"one"}
    again.clear()  # makes room
    again.put({TWO: b"two"})
    assert again.problem == ""
    again.close()


def test_full_database_is_reported(tmp_path: Path):
    """Like a full disk, without privileges: the number of database pages is limited."""
    cache = ThumbnailCache(tmp_path)
    cache.put({ONE: b"one"})
    pages = cache._connection.execute("PRAGMA page_count").fetchone()[0]
    cache._connection.execute(f"PRAGMA max_page_count = {pages + 20}")
    for number in range(10):
        cache.put({b"%016d" % number: os.urandom(40_000)})
    assert cache.problem == f"new thumbnails are not cached: the disk with {tmp_path} is full"
    kept = cache.get_many(b"%016d" % number for number in range(10))
    assert 0 < len(kept) < 5
    assert cache.get_many([ONE]) == {ONE: b"one"}
    cache._connection.execute("PRAGMA max_page_count = 1000000")
    cache.put({TWO: b"two"})
    assert cache.problem == ""
    cache.close()
    again = ThumbnailCache(tmp_path)
    assert again.get_many([*kept, ONE, TWO]) == kept | {ONE: b"one", TWO: b"two"}
    again.close()


def test_read_only_folder_is_read_and_reported(mount: Callable[[str], Path]):
    folder = mount("size=4m")
    cache = ThumbnailCache(folder)
    cache.put({ONE: b"one"})
    cache.close()
    subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
    cache = ThumbnailCache(folder)
    cache.put({TWO: b"two"})
    assert cache.get_many([ONE, TWO]) == {ONE: b"one"}
    assert cache.problem.startswith(f"new thumbnails are not cached: {folder} cannot be written (")
    cache.close()


def test_invalid_folder_is_reported(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    cache = ThumbnailCache(tmp_path / "file" / "below")
    assert cache.problem.startswith(f"new thumbnails are not cached: {tmp_path / 'file' / 'below'} cannot")
    assert ThumbnailCache(None).problem == ""


def key_of(request: ThumbnailRequest) -> bytes | None:
    return thumbnail_keys([request], ThumbnailCache(None))[request]
