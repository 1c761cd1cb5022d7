"""The man page and the completions name the commands and options of the parser."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import click
import pytest

from shrec_viewer import __version__
from shrec_viewer.cli.program import COMMANDS, load_command

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def manual():
    """``packaging/linux/manual.py`` as a module."""
    spec = spec_from_file_location("manual", ROOT / "packaging/linux/manual.py")
    module = module_from_spec(spec)
    sys.modules["manual"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["manual"]


@pytest.fixture(scope="module")
def completions(manual, tmp_path_factory):
    folder = tmp_path_factory.mktemp("completions")
    manual.main(["completions", str(folder)])
    return {shell: folder / name for shell, name in manual.COMPLETIONS.items()}


def _options(command: click.Command) -> set[str]:
    found = {name for param in command.params if isinstance(param, click.Option) for name in param.opts}
    found |= {name for param in command.params if isinstance(param, click.Option) for name in param.secondary_opts}
    return found | {"-h", "--help"}


LISTED = [command for command in map(load_command, COMMANDS) if not command.hidden]


def _run(shell: str, *arguments: str) -> list[str]:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run([shell, *arguments], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_tracked_man_page_is_current(manual):
    assert manual.PAGE.read_text(encoding="utf-8") == manual.man_page(), "run `python packaging/linux/manual.py`"


def test_the_man_page_has_all_commands_and_options_and_the_version(manual):
    page = manual.man_page().replace("\\-", "-")
    assert f'"SHREC Viewer {__version__}"' in page
    parts = dict(re.findall(r'^\.SS "shrec-viewer (\S+).*"\n((?:(?!\.S).*\n)*)', page, flags=re.MULTILINE))
    assert list(parts) == list(COMMANDS)
    for command in map(load_command, COMMANDS):
        named = set(re.findall(r"^\.B (-.*)$", parts[command.name], flags=re.MULTILINE))
        assert {option for line in named for option in re.findall(r"(?<![\w\]])--?[a-z-]+", line)} == _options(command)


def test_man_shows_the_page_without_warnings(manual):
    if shutil.which("man") is None:
        pytest.skip("man is not installed")
    call = ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", str(manual.PAGE)]
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80"}
    done = subprocess.run(call, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


MARK = "-- next line --"
"""Printed after the answers to one line: one shell completes several lines, as its start takes most of the time."""


def _answers(found: list[str]) -> list[list[str]]:
    parts = "\n".join(found).split(MARK)
    return [[line for line in part.splitlines() if line] for part in parts[:-1]]


def _quoted(words: Sequence[str]) -> str:
    return " ".join(f"'{word}'" for word in words)


def _bash(script: Path, *lines: Sequence[str]) -> list[set[str]]:
    """What bash offers for the last word of each line."""
    code = [f"compopt() {{ echo \"files\"; }}; source '{script}'"]
    for words in lines:
        code.append(f"COMPREPLY=(); COMP_WORDS=({_quoted(words)}); COMP_CWORD={len(words) - 1}; _shrec_viewer")
        code.append(f'printf "%s\\n" "${{COMPREPLY[@]}}"; echo "{MARK}"')
    return [set(answer) for answer in _answers(_run("bash", "--norc", "-c", "\n".join(code)))]


def test_bash_completes_commands_options_and_values(completions):
    script = completions["bash"]
    first, *others = _bash(
        script,
        ("shrec-viewer", ""),
        ("shrec-viewer", "ev"),
        ("shrec-viewer", "--v"),
        ("shrec-viewer", "evaluate", "demo", "--profile", "ps"),
        ("shrec-viewer", "evaluate", "--list-columns", "id "),
        ("shrec-viewer", "evaluate", "--output", "x"),
        ("shrec-viewer", "evaluate", "x"),
        ("shrec-viewer", "evaluate", "--relevance", ""),
    )
    assert {"evaluate", "compare", "demo"} <= first
    assert others == [{"files", "evaluate"}, {"--version"}, {"psb"}, {"id\\ distance"}, {"files"}, {"files"}, set()]
    options = _bash(script, *(("shrec-viewer", command.name, "-") for command in LISTED))
    assert options == [_options(command) for command in LISTED]


def _fish(script: Path, *lines: str) -> list[set[str]]:
    """What fish offers at the end of each line."""
    calls = "; ".join(f"complete -C '{line}'; echo '{MARK}'" for line in lines)
    found = _answers(_run("fish", "--no-config", "-c", f"source '{script}'; {calls}"))
    return [{row.partition("\t")[0] for row in answer} for answer in found]


def test_fish_completes_commands_options_and_values(completions):
    script = completions["fish"]
    first, values = _fish(script, "shrec-viewer ", "shrec-viewer evaluate --profile ps")
    assert {"evaluate", "compare", "demo"} <= first
    assert values == {"psb"}
    options = _fish(script, *(f"shrec-viewer {command.name} --" for command in LISTED))
    assert options == [{option for option in _options(command) if option.startswith("--")} for command in LISTED]


ZSH = """
autoload -Uz compinit; compinit -D -u
_describe() { print -l ${(P)${@[-1]}} }
_files() { print files }
_arguments() { print -l -- $@ }
"""


def _zsh(script: Path, *lines: Sequence[str]) -> list[str]:
    """What zsh offers for the last word of each line."""
    calls = (f"words=({_quoted(words)}); CURRENT={len(words)}\nsource {script}\nprint -- '{MARK}'" for words in lines)
    return ["\n".join(answer) for answer in _answers(_run("zsh", "-f", "-c", "\n".join((ZSH, *calls))))]


def test_zsh_completes_commands_options_and_values(completions):
    script = completions["zsh"]
    first, *others = _zsh(script, ("shrec-viewer", "ev"), *(("shrec-viewer", command.name, "-") for command in LISTED))
    assert "evaluate:Scores of every run" in first
    for command, offered in zip(LISTED, others, strict=True):
        assert set(re.findall(r"^\*(--?[\w-]+)\[", offered, flags=re.MULTILINE)) == _options(command)
        # `_arguments` of zsh 5.9 rejects a second row for all words that follow.
        positions = re.findall(r"^(\*?):argument:", offered, flags=re.MULTILINE)
        arguments = [param for param in command.params if isinstance(param, click.Argument)]
        assert positions == ["*" * (param.nargs == -1) for param in arguments]


CHOICES = [
    (command.name, param.type.choices)
    for command in LISTED
    for param in command.params
    if isinstance(param, click.Argument) and isinstance(param.type, click.Choice)
]


@pytest.mark.parametrize(("command", "choices"), CHOICES)
def test_values_of_arguments_are_completed(completions, command, choices):
    lines = [("shrec-viewer", command, "demo", value[:2]) for value in choices]
    offered = zip(
        _bash(completions["bash"], *lines),
        _fish(completions["fish"], *(" ".join(line) for line in lines)),
        _zsh(completions["zsh"], *lines),
        strict=True,
    )
    for value, answers in zip(choices, offered, strict=True):
        assert all(value in answer for answer in answers), (value, answers)
