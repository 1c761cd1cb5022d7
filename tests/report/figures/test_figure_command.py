"""The figure command: equal bytes in other environments and from the window, and messages for bad input."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from shrec_viewer.cli.program import run
from shrec_viewer.resources import resource

DEMO = str(resource("demo"))

SCRIPT = """
import hashlib, sys, time
time.time = lambda: float(sys.argv[1])
import datetime
from shrec_viewer.cli.program import run
for file in ("gain.png", "heat_map.pdf", "strips.svg"):
    kind = file.partition(".")[0]
    chosen = ["--run", "A1", "--query", "Q01", "--top", "3"]
    arguments = ["figure", "demo", kind, *chosen, "--output", file]
    assert run(arguments) == 0
    print(hashlib.sha256(open(file, "rb").read()).hexdigest())
"""


def figure(*arguments):
    return run(["figure", DEMO, *map(str, arguments)])


def test_bytes_do_not_depend_on_locale_time_zone_hash_seed_clock_and_settings(tmp_path):
    found = []
    environments = (
        {"LC_ALL": "C", "TZ": "UTC", "PYTHONHASHSEED": "0"},
        {"LC_ALL": "de_DE.UTF-8", "LANG": "tr_TR.UTF-8", "TZ": "Pacific/Auckland", "PYTHONHASHSEED": "77"},
    )
    for number, environment in enumerate(environments):
        folder = tmp_path / str(number)
        folder.mkdir()
        # matplotlib reads the settings of the current folder; these change lines and fonts, and run LaTeX.
        (folder / "matplotlibrc").write_text("lines.linewidth: 9\nfont.size: 30\ntext.usetex: True\n" if number else "")
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(1e9 + number * 1e8)],
            cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found.append(done.stdout)
    assert found[0] == found[1]
    assert found[0].count("\n") == 3


def test_unknown_names_and_formats_are_usage_errors(tmp_path, capsys):
    output = tmp_path / "a.svg"
    cases = (
        (("gain", "--output", tmp_path / "a.jpg"), "the format of 'a.jpg' is unknown"),
        (("gain", "--query", "Q99", "--output", output), "there is no query 'Q99'"),
        (("map", "--model", "M25", "--output", output), "there is no model 'M25'; do you mean 'M125'"),
        (("gain", "--run", "A9", "--output", output), "there is no run 'A9'"),
        (("gain", "--highlight", "A9", "--output", output), "there is no run 'A9'"),
        (("gain", "--measure", "APX", "--output", output), "there is no measure 'APX'"),
        (("gain", "--curve", "NDGC", "--output", output), "there is no curve 'NDGC'"),
        (("gain", "--x-range", 2, 1, "--output", output), "the first limit must be less"),
        (("gain", "--query", "Q01", "--query", "Q02", "--output", output), "given 2 times: gain takes one"),
        (("pie", "--output", output), "'pie' is not one of"),
        (("gain",), "Missing option '--output'"),
    )
    for arguments, message in cases:
        assert figure(*arguments) == 2, arguments
        error = capsys.readouterr().err
        assert message in error
        assert "Traceback" not in error
    assert not list(tmp_path.iterdir())


def test_a_figure_that_cannot_be_is_one_message(tmp_path, capsys):
    output = tmp_path / "a.pdf"
    for arguments, message in (
        (("gain_loss", "--run", "A1", "--output", output), "compares two runs"),
        (("triptych", "--output", output), "compares two runs for one query"),
        (("gain", "--curve", "PR", "--output", output), "is no curve of the figure 'gain'"),
        (("models", "--output", output), "choose queries and models"),
    ):
        assert figure(*arguments) == 1, arguments
        error = capsys.readouterr().err
        assert message in error
        assert "Traceback" not in error
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_read_only_folder(tmp_path, capsys):
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    assert figure("leaderboard", "--output", folder / "a.svg") == 1
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_full_disk_leaves_nothing(tmp_path, capsys, monkeypatch):
    assert figure("leaderboard", "--format", "svg", "--output", "/dev/full") == 1
    assert "cannot be written: No space left on device" in capsys.readouterr().err
    kept = tmp_path / "a.svg"
    kept.write_text("former")

    def full(_path, _content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert figure("leaderboard", "--output", kept) == 1
    assert kept.read_text() == "former"
    assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]


def test_output_replaces_no_input(tmp_path, capsys):
    copy = tmp_path / "demo"
    shutil.copytree(DEMO, copy)
    before = (copy / "queries.cla").read_bytes()
    arguments = ["figure", str(copy), "leaderboard", "--format", "svg", "--output", str(copy / "queries.cla")]
    assert run(arguments) == 2
    assert (copy / "queries.cla").read_bytes() == before


def test_a_figure_to_standard_output(capfdbinary):
    assert figure("leaderboard", "--format", "png", "--output", "-") == 0
    assert capfdbinary.readouterr().out[:4] == b"\x89PNG"
