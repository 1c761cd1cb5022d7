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
from shrec_viewer.cli.program import program

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


LISTED = [command for command in program.commands.values() if not command.hidden]


def _run(shell: str, *arguments: str) -> list[str]:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run([shell, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_tracked_man_page_is_current(manual):
    assert manual.PAGE.read_text(encoding="utf-8") == manual.man_page(), "run `python packaging/linux/manual.py`"


def test_the_man_page_has_all_commands_and_options_and_the_version(manual):
    page = manual.man_page().replace("\\-", "-")
    assert f'"SHREC Viewer {__version__}"' in page
    parts = dict(re.findall(r'^\.SS "shrec-viewer (\S+).*"\n((?:(?!\.S).*\n)*)', page, flags=re.MULTILINE))
    assert list(parts) == list(program.commands)
    for command in program.commands.values():
        named = set(re.findall(r"^\.B (-.*)$", parts[command.name], flags=re.MULTILINE))
        assert {option for line in named for option in re.findall(r"(?<![\w\]])--?[a-z-]+", line)} == _options(command)


def test_man_shows_the_page_without_warnings(manual):
    if shutil.which("man") is None:
        pytest.skip("man is not installed")
    call = ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", str(manual.PAGE)]
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80"}
    done = subprocess.run(call, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


def _bash(script: Path, *words: str) -> set[str]:
    line = " ".join(f"'{word}'" for word in words)
    code = (
        f"compopt() {{ echo \"files\"; }}; source '{script}'; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1};"
        ' _shrec_viewer; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    return {line for line in _run("bash", "--norc", "-c", code) if line}


def test_bash_completes_commands_options_and_values(completions):
    script = completions["bash"]
    assert {"evaluate", "compare", "demo"} <= _bash(script, "shrec-viewer", "")
    assert _bash(script, "shrec-viewer", "ev") == {"files", "evaluate"}
    assert _bash(script, "shrec-viewer", "--v") == {"--version"}
    for command in LISTED:
        assert _bash(script, "shrec-viewer", command.name, "-") == _options(command)
    assert _bash(script, "shrec-viewer", "evaluate", "demo", "--profile", "ps") == {"psb"}
    assert _bash(script, "shrec-viewer", "evaluate", "--list-columns", "id ") == {"id\\ distance"}
    assert _bash(script, "shrec-viewer", "evaluate", "--output", "x") == {"files"}
    assert _bash(script, "shrec-viewer", "evaluate", "x") == {"files"}
    assert _bash(script, "shrec-viewer", "evaluate", "--relevance", "") == set()


def _fish(script: Path, line: str) -> set[str]:
    found = _run("fish", "--no-config", "-c", f"source '{script}'; complete -C '{line}'")
    return {row.partition("\t")[0] for row in found}


def test_fish_completes_commands_options_and_values(completions):
    script = completions["fish"]
    assert {"evaluate", "compare", "demo"} <= _fish(script, "shrec-viewer ")
    for command in LISTED:
        assert _fish(script, f"shrec-viewer {command.name} --") == {
            option for option in _options(command) if option.startswith("--")
        }
    assert _fish(script, "shrec-viewer evaluate --profile ps") == {"psb"}


ZSH = """
autoload -Uz compinit; compinit -D -u
_describe() { print -l ${(P)${@[-1]}} }
_files() { print files }
_arguments() { print -l -- $@ }
words=(WORDS); CURRENT=COUNT
source SCRIPT
"""


def _zsh(script: Path, *words: str) -> str:
    code = ZSH.replace("WORDS", " ".join(f"'{word}'" for word in words)).replace("COUNT", str(len(words)))
    return "\n".join(_run("zsh", "-f", "-c", code.replace("SCRIPT", str(script))))


def test_zsh_completes_commands_options_and_values(completions):
    script = completions["zsh"]
    assert "evaluate:Scores of every run" in _zsh(script, "shrec-viewer", "ev")
    for command in LISTED:
        offered = _zsh(script, "shrec-viewer", command.name, "-")
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
    for value in choices:
        assert value in _bash(completions["bash"], "shrec-viewer", command, "demo", value[:2])
        assert value in _fish(completions["fish"], f"shrec-viewer {command} demo {value[:2]}")
        assert value in _zsh(completions["zsh"], "shrec-viewer", command, "demo", value[:2])
