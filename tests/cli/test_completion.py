"""Completions of shells, requested as their scripts do: in a process, with environment variables."""

import os
import subprocess
import sys
from pathlib import Path
from shlex import quote

import numpy as np
import pytest
from click.shell_completion import BashComplete
from sample_plugin import write_package
from tiny_benchmark import write_tiny

from shrec_viewer.cli import options
from shrec_viewer.cli.program import COMMANDS, INSTRUCTION, load_command, program
from shrec_viewer.content.contents import FIGURES, TABLES
from shrec_viewer.domain import Cancelled
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, names_of_run_files, read_benchmark
from shrec_viewer.metrics import PROFILE_KEYS, measure_table

ROOT = Path(__file__).parents[2]


def complete(words, cwd, shell="bash", **changed):
    """Output and status for the last of some words."""
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT), INSTRUCTION: f"{shell}_complete",
        "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1), **changed,
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "shrec_viewer"], env=environment, cwd=cwd, capture_output=True, text=True, timeout=300
    )
    assert done.stderr == ""
    return done.stdout, done.returncode


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("contests")
    tiny = write_tiny(folder / "tiny")
    np.save(folder / "added.npy", 1 - np.eye(5))
    np.save(tiny / "runs" / "with blank.npy", 1 - np.eye(5))
    return folder


def test_bash_completes_runs_and_quotes_blanks(folder):
    """Also those that --add names in the same line."""
    out, status = complete(["shrec-viewer", "evaluate", "tiny", "--add", "added.npy", "--run", ""], folder)
    assert (out.splitlines(), status) == (["plain,good", "plain,poor", "plain,'with blank'", "plain,added"], 0)


def test_zsh_completes_queries(folder):
    out, _ = complete(["shrec-viewer", "figure", "tiny", "gain", "--query", "b"], folder, "zsh")
    assert out.splitlines() == [line for name in ("b1", "b2", "b3") for line in ("plain", name, "_")]


def test_measures_of_plug_ins_are_completed(folder, tmp_path):
    package = write_package(tmp_path)
    words = ["shrec-viewer", "evaluate", "tiny", "--measure", "First"]
    out, _ = complete(words, folder, PYTHONPATH=os.pathsep.join([str(package), str(ROOT)]))
    assert out.splitlines() == ["plain,FirstRank"]


@pytest.mark.parametrize("benchmark", ["nowhere", "added.npy/x", "broken"])
def test_a_benchmark_that_cannot_be_read_gives_nothing(benchmark, folder):
    (folder / "broken").mkdir(exist_ok=True)
    (folder / "broken" / "benchmark.toml").write_text("[[[")
    assert complete(["shrec-viewer", "evaluate", benchmark, "--run", ""], folder) == ("", 1)


def words_for(line, monkeypatch, folder, incomplete=""):
    """The same in this process, without output."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv(INSTRUCTION, "bash_complete")
    found = BashComplete(program, {}, "shrec-viewer", INSTRUCTION)
    return [(item.type, item.value) for item in found.get_completions(line.split(), incomplete)]


CASES = {
    "measures": ("evaluate tiny --measure", [*(row.name for row in measure_table()), "all"]),
    "curves": ("figure tiny gain --curve", None),
    "profiles": ("evaluate tiny --profile", list(PROFILE_KEYS)),
    "profiles of the list": ("profiles", list(PROFILE_KEYS)),
    "figures": ("figure tiny", list(FIGURES)),
    "tables": ("table tiny", list(TABLES)),
    "measures of figures": ("figure tiny heat_map --measure", [row.name for row in measure_table()]),
    "runs of a comparison": ("compare tiny good", ["good", "poor", "with blank"]),
    "runs of figures": ("figure tiny gain --highlight", ["good", "poor", "with blank"]),
    "runs elsewhere": ("compare tiny --runs added.npy", ["added"]),
    "models": ("table tiny model --model", ["b1", "b2", "b3", "c1", "c2"]),
    "virtual runs": ("evaluate tiny --virtual", None),
    "conventions": ("evaluate tiny --convention", None),
}


@pytest.mark.parametrize("case", CASES)
def test_values_are_completed(case, monkeypatch, folder):
    line, expected = CASES[case]
    found = [value for _, value in words_for(line, monkeypatch, folder)]
    assert found
    if expected is not None:
        assert found == [quote(name) for name in expected]


def test_the_first_word_is_a_command_or_a_path(monkeypatch, folder):
    found = words_for("", monkeypatch, folder)
    assert found[0][0] == "file"
    listed = [name for name in COMMANDS if not load_command(name).hidden]
    assert [value for _, value in found[1:]] == listed
    assert ("plain", "--version") in words_for("", monkeypatch, folder, "--")
    assert ("plain", "--classification") in words_for("tiny", monkeypatch, folder, "--c")


@pytest.mark.parametrize(
    "name", [name for name in COMMANDS if name not in ("cache", "measures", "profiles", "plugins")]
)
def test_every_command_completes_its_benchmark_and_options(name, monkeypatch, folder):
    known = {word for param in load_command(name).params for word in param.opts if word.startswith("--")}
    found = {value for _, value in words_for(f"{name} tiny" if name != "demo" else name, monkeypatch, folder, "--")}
    assert known - {"--install-desktop"} <= found
    if name != "demo":
        assert ("plain", "demo") in words_for(name, monkeypatch, folder, "de")
        assert words_for(name, monkeypatch, folder)[0][0] == "file"


def test_reading_ends_after_some_seconds(monkeypatch, folder):
    """Then runs are named by their files, also where benchmark.toml names them, and elsewhere."""
    monkeypatch.setattr(options, "READ_S", -1.0)
    for line in ("evaluate tiny --run", "evaluate tiny --runs tiny/runs --run", "evaluate demo --run"):
        monkeypatch.setattr(options, "READ_S", -1.0)
        quick = words_for(line, monkeypatch, folder)
        monkeypatch.setattr(options, "READ_S", 60.0)
        assert sorted(quick) == sorted(words_for(line, monkeypatch, folder))
    monkeypatch.setattr(options, "READ_S", -1.0)
    with pytest.raises(Cancelled):
        words_for("figure tiny gain --query", monkeypatch, folder)


def test_names_by_files_are_those_of_reading(tmp_path):
    """Of a manifest with names, lists in folders, equal names in two folders, and files of known suffixes."""
    tiny = write_tiny(tmp_path / "tiny")
    for name in ("one/method.npy", "two/method.npy", "A.dist.npy"):
        (tiny / "runs" / name).parent.mkdir(exist_ok=True)
        np.save(tiny / "runs" / name, 1 - np.eye(5))
    with (tiny / "benchmark.toml").open("a") as file:
        file.write('\n[[runs]]\nname = "Named"\npath = "runs/A.dist.npy"\n')
    expected = {run.name for run in read_benchmark(tiny).runs}
    assert "Named" in expected
    found = set(names_of_run_files(tiny, BenchmarkParts()))
    assert {"good", "poor", "Named"} <= found & expected
    assert len(found) == len(expected) == 5


def test_names_that_no_line_can_hold_are_left_out(monkeypatch):
    monkeypatch.setenv(INSTRUCTION, "zsh_complete")
    found = options.completions(["a", "b\nc", "d\x1b", "e f"], "")
    assert [item.value for item in found] == ["a", "e f"]


def test_completing_a_line_does_not_change_the_menu(monkeypatch, folder):
    monkeypatch.setattr("shrec_viewer.cli.desktop_entry.change_desktop", pytest.fail)
    words_for("--install-desktop", monkeypatch, folder, "--")
