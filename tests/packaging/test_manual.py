"""The man page and the completions name the commands and options of the parser."""

import os
import re
import shutil
import subprocess
import sys
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


@pytest.fixture
def program_on_path(tmp_path, monkeypatch):
    """The program as a command, which the scripts call."""
    command = tmp_path / "bin" / "shrec-viewer"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m shrec_viewer "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.environ['PATH']}")


BASH = """
compopt() { echo "files"; }
source "$0"
answer() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _shrec_viewer_completion shrec-viewer
    printf "%s " "${COMPREPLY[@]}"; echo; }
answer shrec-viewer ev
answer shrec-viewer evaluate demo --profile ps
answer shrec-viewer evaluate --list-columns ""
answer shrec-viewer evaluate demo --run A
answer shrec-viewer evaluate --output x
answer shrec-viewer evaluate nowhere --run A
"""


def test_bash_completes_commands_values_and_names_of_the_benchmark(completions, program_on_path):
    found = _run("bash", "--norc", "-c", BASH, str(completions["bash"]))
    expected = ["files", "evaluate", "psb", "id 'id distance' 'distance id'", "A1 A2", "files", "", ""]
    assert [line.strip() for line in found] == expected


def test_fish_completes_names_of_the_benchmark(completions, program_on_path):
    code = f"source '{completions['fish']}'; complete -C 'shrec-viewer evaluate demo --run A'"
    assert _run("fish", "--no-config", "-c", code) == ["A1", "A2"]


def test_zsh_completes_names_of_the_benchmark(completions, program_on_path):
    code = "autoload -Uz compinit; compinit -D -u; compadd() { print -l ${(P)${@[-1]}} }; "
    code += "zsh_eval_context=(loadautofunc)"
    words = "words=(shrec-viewer evaluate demo --run A); CURRENT=5"
    assert _run("zsh", "-f", "-c", f"{code}; {words}; source '{completions['zsh']}'")[-2:] == ["A1", "A2"]
