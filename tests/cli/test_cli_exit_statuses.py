"""Exit statuses of every command: 1 where a disk fails, 2 for a wrong call only, 0 where a reader closes the pipe."""

import errno
import os
import sys
from pathlib import Path

import pytest
from tiny_benchmark import write_tiny

from shrec_viewer.cli import main
from shrec_viewer.cli.program import COMMANDS

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")

PRINTING = {
    "evaluate": ["evaluate", "FOLDER"],
    "evaluate csv": ["evaluate", "FOLDER", "--format", "csv"],
    "evaluate json": ["evaluate", "FOLDER", "--format", "json"],
    "compare": ["compare", "FOLDER"],
    "compare two": ["compare", "FOLDER", "good", "poor"],
    "correlate": ["correlate", "FOLDER"],
    "practical": ["practical", "FOLDER"],
    "check": ["check", "FOLDER", "--format", "json"],
    "cache": ["cache"],
    "measures": ["measures"],
    "profiles": ["profiles"],
    "plugins": ["plugins"],
    "help": ["--help"],
    "help of a command": ["evaluate", "--help"],
    "version": ["--version"],
}
"""Calls that print a result."""

WRITING = {
    "evaluate": ["evaluate", "FOLDER", "--output", "TARGET"],
    "evaluate json": ["evaluate", "FOLDER", "--format", "json", "--output", "TARGET"],
    "compare": ["compare", "FOLDER", "--output", "TARGET"],
    "correlate": ["correlate", "FOLDER", "--output", "TARGET"],
    "practical": ["practical", "FOLDER", "--output", "TARGET"],
    "pairs to judge": ["practical", "FOLDER", "--to-judge", "TARGET"],
    "check": ["check", "FOLDER", "--output", "TARGET"],
    "convert": ["convert", "FOLDER", "--run", "good", "--to", "trec", "--output", "TARGET"],
    "convert to npy": ["convert", "FOLDER", "--run", "good", "--to", "npy", "--output", "TARGET"],
    "convert to text": ["convert", "FOLDER", "--run", "good", "--to", "text", "--output", "TARGET"],
    "convert to matrix": ["convert", "FOLDER", "--run", "good", "--to", "matrix", "--output", "TARGET"],
    "convert to submission": ["convert", "FOLDER", "--run", "good", "--to", "submission", "--output", "TARGET"],
    "convert to lists": ["convert", "FOLDER", "--run", "good", "--to", "ranklist", "--output", "TARGET"],
    "figure": ["figure", "FOLDER", "leaderboard", "--format", "svg", "--output", "TARGET"],
    "table": ["table", "FOLDER", "runs", "--format", "latex", "--output", "TARGET"],
    "report": ["report", "FOLDER", "--first", "0", "--output", "TARGET"],
    "export": ["export", "FOLDER", "--no-images", "--output", "TARGET"],
    "sheet": ["thumbnails", "FOLDER", "--renderer", "software", "--sheet", "TARGET.png"],
    "thumbnails": ["thumbnails", "FOLDER", "--renderer", "software", "--output", "TARGET"],
}
"""Calls that write a file or a folder."""

WRONG = [
    *([name, "--no-such-option"] for name in COMMANDS),
    *([name, "no such folder"] for name in ("open", "evaluate", "compare", "correlate", "practical", "check")),
    ["convert", "no such folder", "--to", "npy", "--output", "x"],
    ["thumbnails", "no such folder"],
    ["no such folder"],
    *([name, "FOLDER", "--measure", "XYZ"] for name in ("evaluate", "compare", "correlate")),
    *([name, "FOLDER", "--run", "XYZ"] for name in ("evaluate", "correlate", "practical")),
    *([name, "FOLDER", "--profile", "XYZ"] for name in ("evaluate", "compare", "correlate", "practical", "thumbnails")),
    ["measures", "XYZ"],
    ["profiles", "XYZ"],
    ["compare", "FOLDER", "good", "XYZ"],
    ["convert", "FOLDER", "--run", "XYZ", "--to", "npy", "--output", "x"],
    ["convert", "FOLDER", "--run", "good", "--to", "XYZ", "--output", "x"],
    ["convert", "FOLDER", "--run", "good", "--to", "npy"],
    ["evaluate", "FOLDER", "--format", "XYZ"],
    ["evaluate", "FOLDER", "--curves"],
    ["evaluate", "FOLDER", "--assessment", "no such file"],
    ["correlate", "FOLDER", "--against", "no such file"],
    ["demo", "demo"],
    ["cache", "cache"],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = write_tiny(tmp_path_factory.mktemp("tiny"))
    (folder / "models").mkdir()
    (folder / "models" / "b1.off").write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    return folder


def words_of(call, folder, target=""):
    return [word.replace("FOLDER", str(folder)).replace("TARGET", str(target)) for word in call]


@pytest.fixture
def printing_to(monkeypatch):
    """Function that replaces standard output by a stream on a file descriptor."""
    streams = []

    def replace(descriptor):
        streams.append(open(descriptor, "w", encoding="utf-8"))  # noqa: SIM115 - closed below
        monkeypatch.setattr(sys, "stdout", streams[0])

    yield replace
    monkeypatch.undo()
    for stream in streams:
        try:
            stream.close()
        except OSError as error:
            raise AssertionError("text was left for the flush at exit") from error


@pytest.mark.parametrize("name", WRITING)
def test_too_long_name_of_an_output_is_status_2(name, folder, tmp_path, capsys):
    assert main(words_of(WRITING[name], folder, tmp_path / ("x" * 300))) == 2
    err = capsys.readouterr().err
    assert "unexpected error" not in err
    assert os.strerror(errno.ENAMETOOLONG) in err


@needs_full
@pytest.mark.parametrize("name", PRINTING)
def test_full_standard_output_is_status_1(name, folder, printing_to, capsys):
    printing_to(os.open(FULL, os.O_WRONLY))
    assert main(words_of(PRINTING[name], folder)) == 1
    shown = capsys.readouterr().err
    assert "standard output: no space left on device" in shown
    assert "unexpected" not in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize("name", PRINTING)
def test_a_reader_that_closes_the_pipe_is_no_error(name, folder, printing_to, capsys):
    read_end, write_end = os.pipe()
    os.close(read_end)
    printing_to(write_end)
    assert main(words_of(PRINTING[name], folder)) == 0
    shown = capsys.readouterr().err
    assert "standard output" not in shown
    assert "unexpected" not in shown


@needs_full
@pytest.mark.parametrize("name", WRITING)
def test_output_to_a_full_device_is_status_1(name, folder, capsys, tmp_path):
    target = FULL
    if name in ("sheet", "thumbnails", "convert to lists"):  # the device has no suffix, and is no folder
        (tmp_path / "full.png").symlink_to(FULL)
        target = tmp_path / "full" if name == "sheet" else tmp_path / "full.png"
    status = main(words_of(WRITING[name], folder, target))
    shown = capsys.readouterr().err
    assert status == (2 if name == "thumbnails" else 1), shown  # a device instead of a folder is a wrong call
    assert "unexpected" not in shown
    assert FULL.is_char_device()  # not replaced by a file
    assert not list(Path("/dev").glob(".full*"))


@pytest.mark.parametrize("name", WRITING)
def test_a_folder_without_permission_is_status_1(name, folder, capsys, tmp_path, monkeypatch):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    if os.access(locked, os.W_OK):  # root may write everywhere but into the files of the kernel
        locked = Path("/sys")
        if not os.path.ismount(locked):
            pytest.skip("no folder is read-only for this user")
    status = main(words_of(WRITING[name], folder, locked / "result"))
    shown = capsys.readouterr().err
    assert status == 1, shown
    assert "unexpected" not in shown
    assert "result" in shown


@pytest.mark.parametrize("name", [name for name in WRITING if name not in ("thumbnails", "sheet")])
def test_a_missing_folder_is_status_2(name, folder, capsys, tmp_path):
    assert main(words_of(WRITING[name], folder, tmp_path / "none" / "result")) == 2
    assert "No such file or directory" in capsys.readouterr().err


@pytest.mark.parametrize("call", WRONG, ids=" ".join)
def test_a_wrong_call_is_status_2(call, folder, capsys):
    assert main(words_of(call, folder)) == 2
    assert "shrec-viewer: " in capsys.readouterr().err


# CPython (3.11 to 3.13) keeps byte code that was cut at the limit, and no later process can import that module.
LIMITED = "import resource, sys\nsys.dont_write_bytecode = True\n"


@pytest.mark.skipif(os.name != "posix", reason="limits as POSIX has them")
def test_a_disk_that_becomes_full_leaves_the_earlier_result(folder, tmp_path):
    import subprocess

    target = tmp_path / "scores.json"
    target.write_text("earlier")
    program = (
        f"{LIMITED}"
        "from shrec_viewer.cli import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    command = [sys.executable, "-c", program, "evaluate", str(folder), "--output", str(target)]
    done = subprocess.run(command, capture_output=True, timeout=600, check=False, text=True)
    assert done.returncode == 1, done.stderr
    assert "scores.json cannot be written: File too large" in done.stderr
    assert target.read_text() == "earlier"
    assert [path.name for path in tmp_path.iterdir()] == ["scores.json"]


@pytest.mark.skipif(os.name != "posix", reason="limits as POSIX has them")
def test_results_for_papers_are_complete_or_the_earlier_ones(folder, tmp_path):
    """Figure, table, site and export over earlier ones while the disk becomes full, and into an empty folder."""
    import json
    import subprocess

    program = (
        f"{LIMITED}"
        "import json\n"
        "from shrec_viewer.cli import main\n"
        "calls = json.loads(sys.argv[1])\n"
        "statuses = [main([*call, '--output', f'earlier/{name}']) for name, call in calls.items()]\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "for place in ('earlier', 'new'):\n"
        "    statuses += [main([*call, '--output', f'{place}/{name}']) for name, call in calls.items()]\n"
        "print(statuses)\n"
    )
    names = ("figure", "table", "report", "export")
    calls = {name: words_of(WRITING[name], folder)[:-2] for name in names}
    (tmp_path / "new").mkdir()
    (tmp_path / "earlier").mkdir()
    (tmp_path / "earlier" / "mine").write_text("mine")
    command = [sys.executable, "-c", program, json.dumps(calls)]
    done = subprocess.run(command, capture_output=True, timeout=600, check=False, text=True, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == str([0] * 4 + [1] * 8), done.stderr
    lines = [line for line in done.stderr.splitlines() if "cannot be written" in line]
    assert len(lines) == 8, lines  # one message for each
    assert all(line.lower().endswith("file too large") for line in lines)
    assert "Traceback" not in done.stderr
    assert list((tmp_path / "new").iterdir()) == []
    assert sorted(path.name for path in (tmp_path / "earlier").iterdir()) == sorted(("mine", *names))
    assert (tmp_path / "earlier" / "mine").read_text() == "mine"
    for name in ("report", "export"):
        place = tmp_path / "earlier" / name
        files = json.loads((place / "manifest.json").read_text())["files"]
        assert set(files) == {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()} - {
            "manifest.json"
        }
    assert (tmp_path / "earlier" / "figure").read_text().endswith("</svg>\n")
