"""What the README shows is what the program does: its Python runs, its calls answer what stands below them."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from shrec_viewer.cli import main
from shrec_viewer.cli.program import COMMANDS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


CALLS = [tuple(block.split("\n", 1)) for block in _blocks("console")]


@pytest.mark.parametrize(("call", "shown"), CALLS, ids=[call for call, _ in CALLS])
def test_a_call_answers_what_stands_below_it(call, shown, capsys):
    """A line of three dots stands for any number of lines."""
    prompt, program, *arguments = shlex.split(call)
    assert (prompt, program) == ("$", "shrec-viewer")
    main(arguments)
    said = capsys.readouterr().out.rstrip("\n")
    pattern = r"\n(?:.*\n)*?".join(re.escape(part) for part in shown.rstrip("\n").split("\n...\n"))
    pattern = pattern.removesuffix(re.escape("\n...")) + (r"(?:\n.*)*" if shown.rstrip("\n").endswith("\n...") else "")
    assert re.fullmatch(pattern, said), said


def test_there_are_calls_to_compare():
    assert {call.split()[2] for call, _ in CALLS} == {"evaluate", "check"}


@pytest.mark.parametrize("code", _blocks("python"), ids=lambda code: code.splitlines()[0])
def test_python_runs(code):
    exec(compile(code, "README.md", "exec"), {})


def test_the_manifest_is_toml_with_known_tables():
    (manifest,) = _blocks("toml")
    assert list(tomllib.loads(manifest)) == ["benchmark", "collection", "queries", "assessment", "runs"]


def test_every_command_and_every_folder_is_named():
    assert all(f"shrec-viewer {command.name}" in README for command in COMMANDS if not command.hidden)
    floors = [path.name for path in (ROOT / "shrec_viewer").iterdir() if (path / "__init__.py").exists()]
    assert all(re.search(rf"^  {floor}/ ", README, flags=re.MULTILINE) for floor in floors)


@pytest.mark.parametrize("path", ["packaging/demo.sh", "packaging/test.sh", "packaging/CHANGELOG.md"])
def test_what_it_points_to_is_there(path):
    assert path in README
    assert (ROOT / path).is_file()
