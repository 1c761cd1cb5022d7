"""Closed and full standard streams, and names with control characters."""

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from tiny_benchmark import write_tiny

from shrec_viewer.cli import main
from shrec_viewer.cli.terminal import printable

pytestmark = pytest.mark.skipif(os.name != "posix", reason="shells and names as POSIX has them")

CLOSED = (
    "shrec-viewer: the result cannot be written to standard output: it is closed; --output FILE writes it to a file"
)


def shell(words, **variables):
    line = f"{sys.executable} -m shrec_viewer {words}"
    environment = {**os.environ, **variables}
    return subprocess.run(["sh", "-c", line], capture_output=True, env=environment, timeout=600, check=False)


def test_closed_standard_output_gives_a_message(tmp_path):
    folder = write_tiny(tmp_path / "tiny")
    done = shell(f"check '{folder}' >&-")
    assert done.returncode == 1
    assert CLOSED in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


def test_results_reach_a_file_with_all_streams_closed(tmp_path):
    folder = write_tiny(tmp_path / "tiny")
    out = tmp_path / "scores.json"
    assert shell(f"evaluate '{folder}' --output '{out}' <&- >&- 2>&-").returncode == 0
    assert json.loads(out.read_text(encoding="utf-8"))["runs"]


def test_closed_standard_error_does_not_affect_the_result(tmp_path):
    folder = write_tiny(tmp_path / "tiny")
    done = shell(f"evaluate '{folder}' --format json 2>&-")
    assert done.returncode == 0
    assert json.loads(done.stdout)["runs"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_full_disk_gives_a_message(tmp_path):
    folder = write_tiny(tmp_path / "tiny")
    done = shell(f"evaluate '{folder}' --format csv --per-query > /dev/full")
    assert done.returncode == 1
    assert "standard output: no space left on device" in done.stderr.decode()
    assert "Exception ignored" not in done.stderr.decode()
    assert shell(f"evaluate '{folder}' > /dev/null 2>/dev/full").returncode == 0


NAMES = ["caf\udce9", "red\x1b[31m", "two\nlines", "turned\u202e"]
SHOWN = [r"caf\xe9", r"red\x1b[31m", r"two\nlines", r"turned\u202e"]


def test_odd_names_are_shown_escaped(tmp_path):
    folder = write_tiny(tmp_path / "tiny")
    (folder / "benchmark.toml").unlink()
    for name in NAMES:
        shutil.copytree(folder / "runs/good", folder / "runs" / name)
    shutil.rmtree(folder / "runs/good")
    for words in ("check", "evaluate", "evaluate --format markdown"):
        done = shell(f"{words} '{folder}'")
        text = (done.stdout + done.stderr).decode("utf-8")
        assert done.returncode == 0, text
        for name, shown in zip(NAMES, SHOWN, strict=True):
            assert shown.replace("\\", "") in text.replace("\\", ""), words
            assert name not in text
    reported = json.loads(shell(f"evaluate --format json '{folder}'").stdout)
    assert set(NAMES) < {run["name"].split("/")[-1] for run in reported["runs"]}  # a script finds the very names


def test_ascii_locale_works(tmp_path):
    folder = write_tiny(tmp_path / "tiny")
    (folder / "Übrig.txt").write_text("nothing of use\n", encoding="utf-8")
    done = shell(f"check '{folder}'", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert done.returncode == 0
    assert r"\xc3\x9cbrig.txt" in done.stdout.decode("ascii")


def test_plain_names_are_unchanged():
    assert printable("Ä Stühle, 椅子 [bold] é") == "Ä Stühle, 椅子 [bold] é"


def test_a_matrix_of_python_2_is_a_note_not_a_warning_of_the_interpreter(tmp_path, capsys):
    folder = write_tiny(tmp_path / "tiny")
    np.save(folder / "old.npy", np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0))))
    data = (folder / "old.npy").read_bytes()
    (folder / "old.npy").write_bytes(data.replace(b"(5, 5), }  ", b"(5L, 5L), }", 1))
    main(["check", str(folder)])
    assert "old.npy: note: its header was written by Python 2; read normally" in capsys.readouterr().out


@pytest.mark.parametrize("columns", [60, 80, 200])
@pytest.mark.parametrize("runs", [[], ["A1", "B1"]])
def test_prose_of_compare_has_lines_of_the_terminal_width_in_a_pipe(columns, runs, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(["compare", "demo", *runs]) == 0
    paragraph = capsys.readouterr().out.split("\n\n")[0]
    assert " ".join(paragraph.split("\n")).count("  ") == 0
    assert max(map(len, paragraph.split("\n"))) <= min(columns, 100)
    assert paragraph.count("\n") >= 1
