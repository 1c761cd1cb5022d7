"""Command lines and file names of exports: names of files that mean something to a shell or a file system."""

import os
import subprocess
import sys

import pytest

from shrec_viewer.content.curves import GainRequest
from shrec_viewer.content.scores import RunsRequest
from shrec_viewer.panels.export.content import figure_command, table_command
from shrec_viewer.printable import file_name

HOSTILE = (
    "<script>", "a & b", "100%", "under_score", "back\\slash", 'quo"te', "it's", "comma, name", "line\nbreak", "עברית",
    "\u202egnp.exe", "😀 shape", "=1+1", "+1", "@SUM", "-rf", "--output=x", "$(touch x)", "`touch x`", "a;b", "*", "~",
    "!!", "#x", "a|b", "{1,2}", "../../x", "",
)  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize("make", [table_command, figure_command])
def test_a_shell_passes_names_as_they_are(make, tmp_path):
    request = RunsRequest(runs=HOSTILE) if make is table_command else GainRequest(runs=HOSTILE)
    start = ("/data/it's & <here>", "--profile=shrec2006")
    line = make(start, request, "file name.csv")
    program, folder = tmp_path / "bin/shrec-viewer", tmp_path / "work"
    program.parent.mkdir()
    folder.mkdir()
    program.write_text("#!/bin/sh\nprintf '%s\\0' \"$@\"\n")
    program.chmod(0o755)
    path = {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, check=True, text=True, env=path)
    words = done.stdout.split("\0")[:-1]
    command = "table" if make is table_command else "figure"
    kind, *chosen = request.arguments(command)
    assert words == [command, start[0], kind, start[1], *chosen, "--output=file name.csv"]
    assert [word.removeprefix("--run=") for word in words if word.startswith("--run=")] == list(HOSTILE)
    assert not list(folder.iterdir())


@pytest.mark.parametrize("name", [*HOSTILE, "con", "NUL", "lpt1", "x" * 500, ".", "..", "名" * 300])
def test_file_names_are_valid_everywhere(name, tmp_path):
    for parts in ((name,), ("Runs", name, name), (name, "AP")):
        made = file_name(*parts)
        assert 0 < len(f"{made}.json".encode()) < 255
        assert not set(made) & set('<>:"/\\|?*\0\n\r\t%&;$`\u202e')
        assert not made.startswith((".", "-", "=", "+", "@"))
        assert not made.endswith((".", " "))
        assert made.casefold() not in ("con", "nul", "lpt1")
        (tmp_path / f"{made}.json").write_text("x")
