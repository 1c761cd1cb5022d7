"""The package of the plug-in guide works as written: built, installed and used."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sample_plugin import install

from shrec_viewer.resources import resource

ROOT = Path(__file__).parents[1]
TEXT = resource("help/plug-ins.md").read_text(encoding="utf-8")


def _blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Environment variables of a process in which the package of the examples is installed."""
    home, source = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("my-package")
    folder = home / "shrec-viewer/plugins"  # of the guide, below XDG_DATA_HOME
    measure, reader, truth, content, panel = _blocks("python")
    (source / "my_package").mkdir()
    (source / "my_package/__init__.py").write_text(measure + reader + truth + content, encoding="utf-8")
    (source / "my_package/panel.py").write_text(panel, encoding="utf-8")
    (toml,) = _blocks("toml")
    (source / "pyproject.toml").write_text(toml, encoding="utf-8")
    install(source, folder)
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, "XDG_DATA_HOME": str(home)}


def _run(environment, *arguments):
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8")


def test_the_plug_ins_are_listed(environment):
    answer = _run(environment, "-m", "shrec_viewer", "plugins")
    assert answer.returncode == 0, answer.stderr
    assert all(key in answer.stdout for key in ("NMRR", "jsonl", "json_levels", "share_best", "panels"))


def test_the_run_format_and_the_measure_are_used(environment, tmp_path):
    (tmp_path / "classes.cla").write_text("PSB 1\n2 5\ndog 0 3\na b c\ncat 0 2\nd e\n", encoding="utf-8")
    (tmp_path / "judged.txt").write_text("Q1 0 a 1\nQ1 0 b 1\nQ2 0 d 1\n", encoding="utf-8")
    lists = {"Q1": ["a", "c", "b", "d", "e"], "Q2": ["d", "e", "a", "b", "c"]}
    rows = [json.dumps({"query": query, "results": models}) for query, models in lists.items()]
    (tmp_path / "method.jsonl").write_text("\n".join(rows), encoding="utf-8")
    call = ("evaluate", str(tmp_path), "--measure", "NMRR", "--per-query", "--format", "json")
    answer = _run(environment, "-m", "shrec_viewer", *call)
    assert answer.returncode == 0, answer.stderr
    (run,) = json.loads(answer.stdout)["runs"]
    # Q1: C = 2, A = (1 + 3) / 2 = 2, (2 - 0.5 - 1) / (5 - 0.5 - 1). Q2: the model is first.
    assert run["queries"]["Q1"]["NMRR"] == pytest.approx(0.5 / 3.5)
    assert run["queries"]["Q2"]["NMRR"] == 0


def test_the_truth_format_is_used(environment, tmp_path):
    levels = {"levels": {"Q1": {"a": 2, "b": 1}, "Q2": {"d": 1}}}
    (tmp_path / "levels.json").write_text(json.dumps(levels), encoding="utf-8")
    (tmp_path / "method.run").write_text(
        "Q1 0 b 1 9 m\nQ1 0 c 2 8 m\nQ1 0 a 3 7 m\nQ2 0 e 1 9 m\nQ2 0 d 2 8 m\n", encoding="utf-8"
    )
    call = ("evaluate", str(tmp_path), "--measure", "RR", "--measure", "RR(rel=2)", "--per-query", "--format", "json")
    answer = _run(environment, "-m", "shrec_viewer", *call)
    assert answer.returncode == 0, answer.stderr
    (run,) = json.loads(answer.stdout)["runs"]
    assert run["queries"]["Q1"] == {"RR": 1.0, "RR(rel=2)": pytest.approx(1 / 3)}
    assert run["queries"]["Q2"] == {"RR": 0.5, "RR(rel=2)": None}


PANEL = """
import os
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication, QCheckBox
from shrec_viewer.app.startup.settings import SettingsFile
from shrec_viewer.app.startup.theme import ThemeSelector
from shrec_viewer.app.window.main_window import MainWindow
from shrec_viewer.plugins import install_plugins

assert not install_plugins(panels=True).failures
app = QApplication([])
window = MainWindow(ThemeSelector(app), SettingsFile(None))
window.painted.connect(window.assemble)
window.show()
while window.session is None:
    app.processEvents()
window.open_path(Path(sys.argv[1]))
while not window.session.is_open:
    app.processEvents()
window.workspace.show_panel("run_count")
while not window.workspace.is_shown("run_count"):
    app.processEvents()
assert window.workspace.panel("run_count").text() == "6 runs"
window.workspace.show_panel("share_best")
while window.session.scores is None or window.workspace.panel("share_best").is_empty:
    app.processEvents()
panel = window.workspace.panel("share_best")
(box,) = panel.findChildren(QCheckBox)
assert box.text() == "Count ties"
box.click()
print(*panel.requests()[0].arguments("figure"))
print(panel.export().names)
sys.stdout.flush()
os._exit(0)  # without the shutdown of the program, which other tests cover
"""


def test_the_chart_is_a_figure(environment, tmp_path):
    files = []
    for number, options in enumerate(((), ("--no-ties",))):
        files.append(tmp_path / f"{number}.svg")
        call = ("figure", "demo", "share_best", "--measure", "NN", *options, "--output", str(files[-1]))
        answer = _run(environment, "-m", "shrec_viewer", *call)
        assert answer.returncode == 0, answer.stderr
    assert files[0].read_bytes() != files[1].read_bytes()  # several runs have the nearest neighbour of a query right
    answer = _run(environment, "-m", "shrec_viewer", "figure", "--help-all")
    assert "share of the queries for which a run is the best" in answer.stdout


def test_the_panels_are_shown_in_the_window(environment):
    answer = subprocess.run(
        [sys.executable, "-c", PANEL, str(resource("demo"))],
        env={**environment, "QT_QPA_PLATFORM": "offscreen", "PYQTGRAPH_QT_LIB": "PySide6"},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    words, names = answer.stdout.splitlines()
    assert words.split()[0] == "share_best"
    assert words.split()[-1] == "--no-ties"
    assert "ADR" in names


def test_linked_files_and_tables_of_the_contributors_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for path in re.findall(r"[`(]((?:shrec_viewer|packaging|resources|tests)/[\w/.-]+)[`)]", text):
        assert (ROOT / path).exists(), path
    for table, path in re.findall(r"\| `(\w+)` in `([\w/.]+)` \|", text):
        assert re.search(rf"^{table}\b", (ROOT / path).read_text(encoding="utf-8"), flags=re.MULTILINE), table
