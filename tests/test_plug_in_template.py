"""The template of a plug-in is built, installed and used as its README says, and its own tests pass."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from sample_plugin import install

from shrec_viewer.plugins import GROUPS

ROOT = Path(__file__).parents[1]
TEMPLATE = ROOT / "packaging/plugin_template"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Environment variables of a process that finds the installed package, and the copy of its sources."""
    home = tmp_path_factory.mktemp("home")
    copy = home / "my-plugin"
    shutil.copytree(TEMPLATE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    install(copy, home / "shrec-viewer/plugins")
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, "XDG_DATA_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}, copy


def _run(installed, *arguments):
    environment, folder = installed
    command = [sys.executable, "-m", *map(str, arguments)]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, encoding="utf-8")


def test_its_rows_are_listed(installed):
    answer = _run(installed, "shrec_viewer", "plugins", "--format", "json")
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout)
    assert found["failures"] == []
    assert {(row["group"], row["key"]) for row in found["plugins"]} == {
        ("measures", "WorstRank"),
        ("curves", "example-plugin.Found"),
        ("profiles", "example-plugin.contest"),
        ("readers", "example-plugin.jsonl"),
        ("panels", "run_count"),
    }
    assert {row["package"] for row in found["plugins"]} == {"example-plugin"}


def test_every_command_of_the_readme_runs(installed):
    commands = re.findall(r"^shrec-viewer ([^#\n]+)", (TEMPLATE / "README.md").read_text(), re.MULTILINE)
    lines = [command.strip() for command in commands]
    assert lines == ["plugins", "evaluate demo --measure WorstRank"]
    answers = [_run(installed, "shrec_viewer", *line.split()) for line in lines]
    assert [answer.returncode for answer in answers] == [0, 0]
    assert "WorstRank" in answers[1].stdout.splitlines()[0]


def test_its_own_tests_pass(installed):
    answer = _run(installed, "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:zarr", "tests")
    assert answer.returncode == 0, answer.stdout
    assert "4 passed" in answer.stdout


def test_the_panel_is_a_row(installed):
    code = "import shrec_viewer.plugins as p; found = p.load_plugins(panels=True); print(found.rows, found.failures)"
    environment, folder = installed
    answer = subprocess.run([sys.executable, "-c", code], env=environment, cwd=folder, capture_output=True, text=True)
    assert "Panel(key='example-plugin.run_count'" in answer.stdout, answer.stderr
    assert answer.stdout.endswith(") ()\n")


def test_its_tables_are_groups_of_the_program_and_its_metadata_that_of_a_package():
    project = tomllib.loads((TEMPLATE / "pyproject.toml").read_text())["project"]
    assert {group.removeprefix("shrec_viewer.") for group in project["entry-points"]} == {*GROUPS} - {"contents"}
    assert project["dependencies"] == ["shrec-viewer"]


def test_the_page_on_plug_ins_leads_to_it():
    assert "packaging/plugin_template" in (ROOT / "resources/help/plug-ins.md").read_text()
