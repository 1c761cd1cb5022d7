"""The examples in the help of the commands do what they say, with the files that they name."""

import re
import shlex
import shutil

import pytest

from shrec_viewer.cli.program import COMMANDS, load_command, run
from shrec_viewer.resources import resource

CONTESTS = ("shrec06", "contest", "culture")
"""Folders that examples name."""

SMALLER = {"report": ["--first=0", "--run=A1", "--run=B2"], "export": ["--no-images"], "thumbnails": ["--size=16"]}
"""Options that are added: other tests draw the pictures, which take minutes."""

EXAMPLES = [
    line.strip()
    for name in COMMANDS
    for line in (load_command(name).epilog or "").splitlines()
    if line.strip().startswith("shrec-viewer ")
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the demo under the names of the examples, and the other files that they name."""
    folder = tmp_path_factory.mktemp("examples")
    demo = resource("demo")
    for name in CONTESTS:
        shutil.copytree(demo, folder / name)
    for name in ("corrections.qrels", "amended.qrels", "judged.txt"):
        (folder / name).write_text("Q01 0 M001 2\nQ01 0 M002 1\nQ02 0 M003 1\nQ02 0 M004 0\n")
    assert run(["evaluate", "demo", "--format", "csv", "--output", str(folder / "published.csv")]) == 0
    return folder


def test_every_command_with_many_options_has_examples():
    shown = {line.split()[1] for line in EXAMPLES}
    assert shown >= {"evaluate", "correlate", "practical", "report", "history", "table", "figure", "export", "suspects"}
    assert len(EXAMPLES) > 25


@pytest.mark.parametrize("line", EXAMPLES)
def test_an_example_runs(line, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    words = shlex.split(line.partition(" && ")[0])[1:]
    assert words[1] in ("demo", *CONTESTS)
    assert run([*words, *SMALLER.get(words[0], ())]) in (0, 1), "1: the files have errors"
    out, err = capsys.readouterr()
    assert "unexpected error" not in err
    assert out or err
    for option, name in re.findall(r"--(output|sheet|to-judge) (\S+)", line):
        assert (folder / name).exists(), option
