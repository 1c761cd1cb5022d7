"""Calls that differ by platform (table in packaging/docs/releases.md), simulated where the platform is absent."""

import ctypes
import importlib
import io
import os
import re
import signal
import subprocess
import sys
import types
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from PySide6.QtCore import QObject
from sample_benchmark import write_sample_benchmark

from shrec_viewer.app.startup import application
from shrec_viewer.app.startup.display import missing_display
from shrec_viewer.cli import display, program, window
from shrec_viewer.domain import FormatError
from shrec_viewer.evaluation.parallel.local import available_cores
from shrec_viewer.formats.discovery.input_files import file_id
from shrec_viewer.formats.io import owned_files, parse_cache
from shrec_viewer.formats.io.atomic import atomic_file
from shrec_viewer.formats.io.parse_cache import GrowingArray, ParseCache
from shrec_viewer.formats.manifest.manifest import relative_path
from shrec_viewer.render.gl import gl_renderer
from shrec_viewer.render.workers import worker_pool

ROOT = Path(__file__).parents[2]

OTHERS = pytest.mark.parametrize("platform", ["win32", "darwin"])


def test_every_row_of_the_table_names_a_module_and_a_test():
    readme = (ROOT / "packaging/docs/releases.md").read_text(encoding="utf-8")
    table = re.search(r"^\| call .*\n\|[-|]+\n((?:\|.*\n)+)", readme, re.MULTILINE)
    rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table[1].splitlines()]
    assert len(rows) >= 16
    for row in rows:
        path = re.search(r"`(\w[\w/]*\.py)`", row[0])[1]
        assert (ROOT / "shrec_viewer" / path).is_file() or (ROOT / "packaging" / path).is_file(), path
        file, name = re.search(r"`([\w/]+\.py)::(\w+)`", row[-1]).groups()
        assert f"def {name}(" in (ROOT / "tests" / file).read_text(encoding="utf-8"), row[-1]


@OTHERS
def test_other_systems_need_no_system_libraries_and_no_display(monkeypatch, platform):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(ctypes, "CDLL", lambda name: (_ for _ in ()).throw(OSError(name)))
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert display.missing_libraries() == ()
    assert missing_display() == display.window_unavailable_reason() == ""


def test_start_is_now_without_proc(monkeypatch):
    monkeypatch.setattr("builtins.open", lambda *args, **_: (_ for _ in ()).throw(FileNotFoundError(args[0])))
    before = window.time.perf_counter()
    assert before <= window._process_start() <= window.time.perf_counter()


class _Msvcrt(types.ModuleType):
    """Locks of Windows: one byte at the position of the file."""

    LK_LOCK, LK_NBLCK = 1, 2

    def __init__(self):
        super().__init__("msvcrt")
        self.locked = {}

    def locking(self, descriptor, mode, size):
        inode = os.fstat(descriptor).st_ino
        assert os.lseek(descriptor, 0, os.SEEK_CUR) == owned_files.LOCK_OFFSET
        if self.locked.get(inode, descriptor) != descriptor:
            raise PermissionError("locked")
        self.locked[inode] = descriptor


def test_files_are_owned_with_locks_of_windows(monkeypatch, tmp_path):
    monkeypatch.setattr(owned_files.sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "msvcrt", _Msvcrt())
    owner = owned_files.OwnedFile(tmp_path / "owned")
    owner.write("text")
    assert owner.read() == "text"
    with pytest.raises(BlockingIOError):
        owned_files.OwnedFile(tmp_path / "owned")
    order = []
    monkeypatch.setattr(os, "close", lambda _: order.append("closed"))
    monkeypatch.setattr(Path, "unlink", lambda _: order.append("deleted"))
    owner.delete()
    assert order == ["closed", "deleted"], "an open file cannot be deleted on Windows"


def test_a_cache_file_is_closed_before_it_is_renamed_on_windows(monkeypatch, tmp_path):
    closed = []
    rename = os.replace
    with GrowingArray(np.dtype(float), ParseCache(tmp_path, 10**6), "key") as array:
        array.append(np.arange(3.0))
        monkeypatch.setattr(os, "replace", lambda old, new: (closed.append(array._stream.closed), rename(old, new)))
        monkeypatch.setattr(parse_cache, "os", types.SimpleNamespace(**{**vars(os), "name": "nt"}))
        found = array.finish((3,), {}, "key")
        monkeypatch.undo()
    assert isinstance(found, np.memmap)
    assert closed == [True]


def test_a_worker_starts_without_limits_and_priorities(monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", None)
    monkeypatch.setattr(Path, "write_text", lambda *_: (_ for _ in ()).throw(FileNotFoundError("/proc")))
    monkeypatch.setattr(os, "dup2", lambda *_: None)
    previous = signal.getsignal(signal.SIGINT)
    try:
        worker_pool._set_up_worker()
    finally:
        signal.signal(signal.SIGINT, previous)
    monkeypatch.undo()
    monkeypatch.delattr(os, "setpriority")
    context = Mock()
    context.Pipe.return_value = (Mock(), Mock())
    monkeypatch.setattr("multiprocessing.get_context", Mock(return_value=context))
    _, process = worker_pool.start_process(print, (), "renderer", nice=5)
    process.start.assert_called_once_with()


def test_signals_that_windows_lacks_are_left_out(monkeypatch):
    monkeypatch.delattr(signal, "SIGHUP")
    caught = []
    monkeypatch.setattr(signal, "getsignal", lambda _: signal.SIG_DFL)
    monkeypatch.setattr(signal, "signal", lambda number, _: caught.append(number))
    program._handle_signals()
    assert caught == [signal.SIGTERM]


def test_a_window_handles_the_signals_that_exist(qapp, monkeypatch):
    class Window(QObject):
        def interrupt(self, number):
            self.ended.append(number)

    monkeypatch.delattr(signal, "SIGHUP")
    window = Window()
    window.ended = []
    before = signal.getsignal(signal.SIGTERM)
    handler = application._InterruptHandler(window)
    try:
        signal.raise_signal(signal.SIGTERM)
    finally:
        handler.end()
    assert window.ended == [signal.SIGTERM]
    assert signal.getsignal(signal.SIGTERM) == before


FINDER = """
import sys
from pathlib import Path
from PySide6.QtGui import QFileOpenEvent
from shrec_viewer.app.startup.application import Application, QtApplication
app = QtApplication([])
program = Application(app, None, None, selftest=False, started=0.0)
def send():
    app.sendEvent(app, QFileOpenEvent(sys.argv[1]))
    program.window.session.changed.connect(lambda _, new: new.is_open and (print(new.path), program._end(0)))
program.window.assembled.connect(send)
status = program.run()  # first: meanwhile `sys.exit` is that of plug-ins
sys.exit(status)
"""


def test_a_file_of_the_finder_is_opened(tmp_path):
    folder = write_sample_benchmark(tmp_path / "contest", meshes=False)
    environment = {**os.environ, **{f"XDG_{name}_HOME": str(tmp_path) for name in ("CONFIG", "STATE", "DATA", "CACHE")}}
    call = [sys.executable, "-c", FINDER, str(folder)]
    done = subprocess.run(call, env=environment, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout) == (0, f"{folder}\n"), done.stderr


def test_all_cores_are_used_without_affinity(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert available_cores() == 6


def test_files_without_inode_are_distinguished_by_their_paths(monkeypatch, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
    (tmp_path / "link").symlink_to(tmp_path / "a")
    stat = Path.stat
    without = {1: 0}  # st_ino
    monkeypatch.setattr(
        Path, "stat", lambda path, **_: os.stat_result([without.get(i, v) for i, v in enumerate(stat(path)[:10])])
    )
    assert file_id(tmp_path / "a") != file_id(tmp_path / "b")
    assert file_id(tmp_path / "a") == file_id(tmp_path / "link")


def test_a_file_that_cannot_be_replaced_is_kept(monkeypatch, tmp_path):
    target = tmp_path / "scores.csv"
    target.write_text("old")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(PermissionError(13, "Access is denied")))
    with pytest.raises(FormatError, match=r"scores\.csv"), atomic_file(target) as draft:
        draft.write_text("new")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"scores.csv": "old"}


def test_paths_on_another_drive_are_absolute(monkeypatch, tmp_path):
    assert relative_path(tmp_path / "runs" / "A1", tmp_path) == "runs/A1"
    monkeypatch.setattr(os.path, "relpath", lambda *_: (_ for _ in ()).throw(ValueError("path is on mount 'D:'")))
    assert relative_path(tmp_path / "runs" / "A1", tmp_path) == (tmp_path / "runs/A1").as_posix()


def test_the_default_context_is_used_without_egl(monkeypatch):
    tried = []

    def create_context(**options):
        tried.append(options.get("backend", "default"))
        if "backend" in options:
            raise ImportError("no module named 'glcontext.egl'")
        return "context"

    monkeypatch.setattr("moderngl.create_context", create_context)
    assert gl_renderer._open_context() == "context"
    assert tried == ["egl", "default"]


@OTHERS
def test_the_bundle_has_a_module_for_each_system(monkeypatch, platform):
    monkeypatch.syspath_prepend(ROOT / "packaging")
    contents = importlib.import_module("bundle.contents")
    module = importlib.import_module(f"bundle.{contents.PLATFORMS[platform]}")
    assert module.PROGRAMS[0][0] == "shrec-viewer"
    assert Path(module.ICON).is_file()
    assert module.is_bundled("Qt6Core.dll", "C:/venv/Qt6Core.dll")


def test_output_is_escaped_for_the_code_page_of_a_terminal(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="cp1252", errors="strict")
    monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stderr", stream)
    program._configure_streams()
    stream.write("τ")
    stream.flush()
    assert stream.buffer.getvalue() == b"\\u03c4"
