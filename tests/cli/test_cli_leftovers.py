"""Drafts and unpacked archives of ended commands are removed, and files of others stay."""

import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from processes import started
from sample_benchmark import write_sample_benchmark

from shrec_viewer.formats.io.owned_files import TemporaryFiles, draft_path, remove_leftovers

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")

SLOW = """
import sys, time
from pathlib import Path
from shrec_viewer.cli import check, program
from shrec_viewer.formats.io.atomic import atomic_path

def write_slowly(text, output):
    with atomic_path(Path(output)) as draft:
        draft.write_text("half")
        print("writing", file=sys.__stdout__, flush=True)
        time.sleep(60)

check.write_result = write_slowly
sys.exit(program.run(sys.argv[1:]))
"""
"""A command that is never done writing its draft."""


@pytest.fixture
def homes(tmp_path, monkeypatch):
    for name in ("CACHE", "CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / "homes" / name))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))


@contextmanager
def writing(tmp_path):
    """A command on an archive, in the middle of its output."""
    folder = write_sample_benchmark(tmp_path / "sample_benchmark", meshes=False)
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", folder)
    (tmp_path / "out").mkdir()
    output = tmp_path / "out" / "findings.csv"
    command = [sys.executable, "-c", SLOW, "check", archive, "--format", "csv", "--output", str(output)]
    with started(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "writing\n"
        yield process


def left(tmp_path):
    folders = (tmp_path / "out", tmp_path / "temporary")
    return sorted(path.name for folder in folders for path in folder.iterdir())


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_ends_a_command_without_leftovers(homes, tmp_path, name):
    number = getattr(signal, name)
    with writing(tmp_path) as process:
        assert len(left(tmp_path)) == 2
        process.send_signal(number)
        assert process.wait(600) == 128 + number
    assert left(tmp_path) == []


def test_the_next_start_removes_what_a_killed_command_left(homes, tmp_path):
    foreign = tmp_path / "out" / ".scores.csv.4711-0a1b2c3d.part"
    with writing(tmp_path) as process:
        foreign.write_text("of another program")
        other = tmp_path / "temporary" / "shrec-viewer-1-abc"
        other.mkdir()
        start = [sys.executable, "-m", "shrec_viewer", "cache"]
        subprocess.run(start, check=True, capture_output=True)
        assert len(left(tmp_path)) == 4  # the command still runs
        process.kill()
    subprocess.run(start, check=True, capture_output=True)
    assert left(tmp_path) == [foreign.name, other.name]


def test_a_list_that_was_tampered_with_deletes_nothing_else(tmp_path):
    victims = [tmp_path / name for name in ("thesis.tex", ".x.99-0a1b2c3d.part", "shrec-viewer-99-")]
    for path in victims:
        path.write_text("kept")
    lists = tmp_path / "lists"
    lists.mkdir()
    lines = "".join(f'"{path}"\n' for path in victims)
    (lists / "77-ab.temporary").write_text(lines + "{\n[1]\nnull\n" + f'"{tmp_path}"\n"/"\n')
    remove_leftovers(lists)
    assert all(path.read_text() == "kept" for path in victims)
    assert list(lists.iterdir()) == []


def test_drafts_of_running_processes_stay(tmp_path):
    files = TemporaryFiles()
    files.start(tmp_path / "lists")
    draft = draft_path(tmp_path / "scores.json")
    files.add(draft)
    draft.write_text("half")
    remove_leftovers(tmp_path / "lists")
    assert draft.exists()
    draft.unlink()
    files.remove(draft)
    assert list((tmp_path / "lists").iterdir()) == []


def test_names_of_drafts_fit_the_file_system(tmp_path):
    target = tmp_path / ("ä" * 120 + ".json")
    assert len(os.fsencode(draft_path(target).name)) < 255
    assert draft_path(target) != draft_path(target)
    assert Path(draft_path(target)).parent == tmp_path
