"""--install-desktop and --uninstall-desktop: files, commands with odd paths, files of others, other systems."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shrec_viewer.cli import desktop_entry, main
from shrec_viewer.resources import desktop_files

ODD = 'my "venv" 100% $HOME `id` \\ü'
"""Name of a folder with all characters that the values of menu entries escape."""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Data folder of a user who has none yet."""
    data = tmp_path / "data home"
    monkeypatch.setenv("XDG_DATA_HOME", str(data))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return data


@pytest.fixture
def script(tmp_path, monkeypatch):
    """A program in a folder with an odd name that writes its arguments to a file next to it."""
    path = tmp_path / ODD / "bin/shrec-viewer"
    path.parent.mkdir(parents=True)
    lines = ("#!/bin/sh", 'cd "$(dirname "$0")"', 'for word; do echo "$word"; done >part', "mv part words", "")
    path.write_text("\n".join(lines), encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(path)])
    return path


def files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_all_files_are_written_once_and_listed(home, capsys):
    assert main(["--install-desktop"]) == 0
    assert set(desktop_files()) <= files(home)
    output = capsys.readouterr().out
    assert all(f"wrote {home / name}\n" in output for name in desktop_files())
    before = {path: path.stat().st_mtime_ns for path in home.rglob("*") if path.is_file()}
    assert main(["--install-desktop"]) == 0
    assert {path: path.stat().st_mtime_ns for path in home.rglob("*") if path.is_file()} == before
    assert capsys.readouterr().out == "the menu entry, icons and file types are up to date\n"


def test_what_was_written_is_removed_and_nothing_else(home, capsys):
    other = home / "applications/other.desktop"
    other.parent.mkdir(parents=True)
    other.write_text("[Desktop Entry]\n", encoding="utf-8")
    assert main(["--install-desktop"]) == 0
    assert main(["--uninstall-desktop"]) == 0
    output = capsys.readouterr().out
    assert all(f"removed {home / name}\n" in output for name in desktop_files())
    left = files(home)
    assert not left & set(desktop_files())
    assert "applications/other.desktop" in left
    assert not (home / "icons").exists()
    assert "status" not in output, "the caches were updated without failing"
    types = home / "mime/globs2"
    assert not types.exists() or "shrec" not in types.read_text(encoding="utf-8")
    assert main(["--uninstall-desktop"]) == 0
    assert capsys.readouterr().out == "no menu entry, icons and file types were installed by this command\n"


def test_nothing_is_left_of_databases_without_entries(home):
    assert main(["--install-desktop"]) == 0
    (home / "applications/mimeinfo.cache").write_text("[MIME Cache]\n", encoding="utf-8")
    (home / "mime/globs2").write_text("# generated\n", encoding="utf-8")
    assert main(["--uninstall-desktop"]) == 0
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("name", ["mime/packages/other.xml", "mime/note.txt", "applications/other.desktop"])
def test_databases_with_files_of_others_are_kept(home, name):
    other = home / name
    other.parent.mkdir(parents=True)
    other.write_text('<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info"/>', encoding="utf-8")
    assert main(["--install-desktop"]) == 0
    assert main(["--uninstall-desktop"]) == 0
    assert {path.name for path in home.iterdir()} == {name.partition("/")[0]}
    assert other.exists()


def test_files_of_others_are_neither_replaced_nor_removed(home, capsys):
    entry = home / "applications/shrec-viewer.desktop"
    entry.parent.mkdir(parents=True)
    entry.write_text("[Desktop Entry]\nName=by hand\n", encoding="utf-8")
    target = home / "elsewhere.svg"
    target.write_text("<svg/>", encoding="utf-8")
    icon = home / "icons/hicolor/scalable/apps/shrec-viewer.svg"
    icon.parent.mkdir(parents=True)
    icon.symlink_to(target)
    assert main(["--install-desktop"]) == 1
    assert f"{entry} was written by another program" in capsys.readouterr().err
    assert main(["--uninstall-desktop"]) == 0
    assert "by hand" in entry.read_text(encoding="utf-8")
    assert icon.is_symlink()
    assert target.read_text(encoding="utf-8") == "<svg/>"


def test_an_entry_that_was_changed_since_is_kept(home, capsys):
    assert main(["--install-desktop"]) == 0
    entry = home / "applications/shrec-viewer.desktop"
    entry.write_text("[Desktop Entry]\nName=changed\n", encoding="utf-8")
    assert main(["--install-desktop"]) == 1
    assert main(["--uninstall-desktop"]) == 0
    assert "was changed since" in capsys.readouterr().err
    assert files(home) & set(desktop_files()) == {"applications/shrec-viewer.desktop"}


def test_outdated_files_are_replaced(home, monkeypatch, capsys):
    assert main(["--install-desktop"]) == 0
    monkeypatch.setattr(desktop_entry, "program_words", lambda: ["/new/bin/shrec-viewer"])
    assert main(["--install-desktop"]) == 0
    assert 'Exec="/new/bin/shrec-viewer" %f\n' in (home / "applications/shrec-viewer.desktop").read_text("utf-8")


@pytest.mark.parametrize("record", ["", "[]", "null", '{"a": {"b": 1}, "relative": "x"}', "[" * 100_000])
def test_a_damaged_record_removes_nothing(home, tmp_path, record):
    (tmp_path / "state/shrec-viewer").mkdir(parents=True)
    (tmp_path / "state/shrec-viewer/desktop-files.json").write_text(record, encoding="utf-8")
    home.mkdir()
    (home / "relative").write_text("x", encoding="utf-8")
    assert main(["--uninstall-desktop"]) == 0
    assert files(home) == {"relative"}


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_other_systems_get_a_message(home, platform, monkeypatch, capsys):
    monkeypatch.setattr(desktop_entry.sys, "platform", platform)
    assert main(["--install-desktop"]) == 2
    assert "menu entries are for Linux" in capsys.readouterr().err
    assert not home.exists()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_named(home, capsys):
    home.mkdir()
    home.chmod(0o500)
    assert main(["--install-desktop"]) == 1
    assert str(home) in capsys.readouterr().err


def test_a_file_in_the_way_is_named(home, capsys):
    home.mkdir()
    (home / "applications").write_text("", encoding="utf-8")
    assert main(["--install-desktop"]) == 1
    assert str(home / "applications") in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("desktop-file-validate") is None, reason="desktop-file-validate is not installed")
def test_the_entry_is_valid_whatever_the_path(home, script):
    assert main(["--install-desktop"]) == 0
    entry = str(home / "applications/shrec-viewer.desktop")
    answer = subprocess.run(["desktop-file-validate", entry], capture_output=True, text=True)
    assert (answer.returncode, answer.stdout) == (0, "")


@pytest.mark.skipif(shutil.which("gio") is None, reason="gio is not installed")
def test_desktops_start_the_program_whatever_its_path(home, script, tmp_path):
    assert main(["--install-desktop"]) == 0
    project = tmp_path / "a project.shrec"
    project.touch()
    subprocess.run(["gio", "launch", str(home / "applications/shrec-viewer.desktop"), str(project)], check=True)
    words = script.parent / "words"
    end = time.monotonic() + 60
    while not words.exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert words.read_text(encoding="utf-8") == f"{project}\n"


def test_without_a_script_the_interpreter_starts_the_program(monkeypatch):
    monkeypatch.setattr(sys, "argv", [str(Path(desktop_entry.__file__).parents[1] / "__main__.py")])
    assert desktop_entry.program_words() == [sys.executable, "-m", "shrec_viewer"]
