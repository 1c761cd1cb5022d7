"""The house keeps its rules, and each rule is seen to bite."""

import json
import subprocess
import sys
from pathlib import Path

import house_rules
import pytest
from house_rules import RULES, rooms

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def house():
    return rooms(ROOT)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_our_house_keeps(rule, house):
    broken = list(rule(house))
    assert not broken, "\n" + "\n".join(broken)


def test_the_whole_house_is_read(house):
    read = {room.path for room in house}
    assert {f"shrec_viewer/{name}" for name in ("__init__.py", "domain/run.py", "metrics/hits.py")} <= read


# Each case: the rule, a source tree, and every sentence that it must draw. `D` stands for a docstring.
BITES = [
    (
        "arrows",
        {"metrics/tiers.py": "D\nfrom shrec_viewer.domain import Run\n", "domain/__init__.py": "D\n"},
        [
            "metrics/tiers.py:2: metrics imports shrec_viewer.domain, but may know nothing of ours; move it down, or pass it in"
        ],
    ),
    (
        "arrows",
        {"domain/run.py": "D\ndef f():\n    import shrec_viewer.metrics.hits\n", "metrics/hits.py": "D\n"},
        [
            "domain/run.py:3: domain imports shrec_viewer.metrics.hits, but may know nothing of ours; move it down, or pass it in"
        ],
    ),
    (
        "arrows",
        {
            "widgets/grid.py": "D\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
            "    from shrec_viewer.viewmodels.session import Session\n",
            "viewmodels/session.py": "D\n",
        },
        [
            "widgets/grid.py:4: widgets imports shrec_viewer.viewmodels.session, but may know domain.mesh, render.camera, render.palette, resources, numerals; move it down, or pass it in"
        ],
    ),
    (
        "arrows",
        {"formats/cla.py": "D\nfrom shrec_viewer import render\n", "render/__init__.py": "D\n"},
        [
            "formats/cla.py:2: formats imports shrec_viewer.render, but may know domain, resources, numerals; move it down, or pass it in"
        ],
    ),
    (
        "arrows",
        {"widgets/orbit.py": "D\nfrom shrec_viewer.domain.run import Run\n", "domain/run.py": "D\n"},
        [
            "widgets/orbit.py:2: widgets imports shrec_viewer.domain.run, but may know domain.mesh, render.camera, render.palette, resources, numerals; move it down, or pass it in"
        ],
    ),
    (
        "arrows",
        {"tools/x.py": "D\n"},
        ["tools/x.py:1: 'tools' is no floor of the house; use a folder of the design"],
    ),
    (
        "cycles",
        {
            "domain/a.py": "D\nfrom shrec_viewer.domain.b import x\n",
            "domain/b.py": "D\ndef f():\n    from shrec_viewer.domain.a import y\n",
        },
        [
            "domain/a.py:2: shrec_viewer.domain.a -> shrec_viewer.domain.b -> shrec_viewer.domain.a is a cycle; move what both need into a third module"
        ],
    ),
    (
        "cycles",
        {
            "metrics/__init__.py": "D\nfrom shrec_viewer.metrics.tiers import first\n",
            "metrics/tiers.py": "D\nfrom shrec_viewer.metrics import TABLE\n",
        },
        [
            "metrics/__init__.py:2: shrec_viewer.metrics -> shrec_viewer.metrics.tiers -> shrec_viewer.metrics is a cycle; move what both need into a third module"
        ],
    ),
    (
        "hosts",
        {"evaluation/x.py": "D\nfrom PySide6.QtCore import Signal\n"},
        [
            "evaluation/x.py:2: PySide6 is imported, but lives in: viewmodels, widgets, panels, app; ask its host instead"
        ],
    ),
    (
        "hosts",
        {"viewmodels/x.py": "D\nfrom PySide6 import QtCore, QtWidgets\n"},
        ["viewmodels/x.py:2: PySide6.QtWidgets is imported, but lives in: widgets, panels, app; ask its host instead"],
    ),
    (
        "hosts",
        {"panels/x.py": "D\nimport pyqtgraph as pg\n"},
        ["panels/x.py:2: pyqtgraph is imported, but lives in: widgets; ask its host instead"],
    ),
    (
        "hosts",
        {"formats/off.py": "D\ndef f():\n    import trimesh\n"},
        ["formats/off.py:3: trimesh is imported, but lives in: formats/meshes; ask its host instead"],
    ),
    (
        "hosts",
        {"widgets/x.py": "D\ndef f():\n    import moderngl\n"},
        ["widgets/x.py:3: moderngl is imported, but lives in: render; ask its host instead"],
    ),
    (
        "hosts",
        {"render/processes.py": "D\nfrom threading import Lock, Thread\nfrom multiprocessing import Process\n"},
        ["render/processes.py:2: threading.Thread is imported, but lives in: viewmodels/tasks; ask its host instead"],
    ),
    (
        "hosts",
        {
            "viewmodels/tasks.py": "D\nimport threading\nfrom concurrent.futures import Executor\nimport multiprocessing\n"
        },
        ["viewmodels/tasks.py:4: multiprocessing is imported, but lives in: render/processes; ask its host instead"],
    ),
    (
        "hosts",
        {"app/x.py": "D\nfrom PySide6.QtCore import QThreadPool\nfrom rich.table import Table\n"},
        [
            "app/x.py:2: PySide6.QtCore.QThreadPool is imported, but lives in: viewmodels/tasks; ask its host instead",
            "app/x.py:3: rich is imported, but lives in: cli; ask its host instead",
        ],
    ),
    (
        "hosts",
        {"app/x.py": "D\nimport pandas.api\n"},
        ["app/x.py:2: pandas has no host; give it one in HOSTS and pyproject.toml"],
    ),
    (
        "hosts",
        {"app/x.py": "D\nfrom importlib import import_module\n"},
        ["app/x.py:2: importlib is imported, but lives in: nowhere; ask its host instead"],
    ),
    (
        "heavy_imports",
        {
            "formats/meshes.py": "D\ntry:\n    import trimesh\nexcept ImportError:\n    pass\ndef f():\n    import trimesh\n"
        },
        ["formats/meshes.py:3: trimesh slows the start; import it inside the function that needs it"],
    ),
    (
        "relative_imports",
        {"domain/a.py": "D\nfrom . import b\nfrom ..x import y\n"},
        [
            "domain/a.py:2: 'from .' is relative; write the whole name",
            "domain/a.py:3: 'from ..x' is relative; write the whole name",
        ],
    ),
    (
        "docstrings",
        {"domain/a.py": "import sys\n", "domain/b.py": '"""One.\n\nTwo."""\n'},
        [
            "domain/a.py:1: the module has no docstring; say in one line what is in it",
            "domain/b.py:1: the module's docstring has several lines; one is enough",
        ],
    ),
    (
        "only_definitions",
        {
            "app/a.py": 'D\nX = 1\n"""Why."""\nfor x in []:\n    pass\nif __name__ == "__main__":\n    print()\nlog.setup()\n'
        },
        [
            "app/a.py:4: 'for x in []:' runs at import; put it into a function that someone calls",
            "app/a.py:8: 'log.setup()' runs at import; put it into a function that someone calls",
        ],
    ),
    (
        "connections",
        {
            "panels/a.py": "D\nclass P:\n    def __init__(self):\n        def local(): ...\n"
            "        a.b.connect(lambda: 1)\n        a.b.connect(partial(f, 1))\n        a.b.connect(functools.partial(f))\n"
            "        a.b.connect(local)\n        a.b.connect(self._show)\n        sqlite3.connect(path)\n"
        },
        [
            "panels/a.py:5: a signal is connected to a lambda; connect a bound method",
            "panels/a.py:6: a signal is connected to a partial; connect a bound method",
            "panels/a.py:7: a signal is connected to a partial; connect a bound method",
            "panels/a.py:8: a signal is connected to a local function; connect a bound method",
        ],
    ),
    (
        "silencers",
        {"widgets/a.py": "D\ndef f(box):\n    box.blockSignals(True)\n    with QSignalBlocker(box): ...\n"},
        [
            "widgets/a.py:3: blockSignals hides a set_x that emits; mend that set_x instead",
            "widgets/a.py:4: QSignalBlocker hides a set_x that emits; mend that set_x instead",
        ],
    ),
    (
        "silent_setters",
        {
            "widgets/a.py": "D\ndef set_rank(self, rank):\n    self.rank_picked.emit(rank)\ndef pick(self):\n    x.emit()\n"
        },
        ["widgets/a.py:3: set_rank emits; a set_x shows, only x_picked tells"],
    ),
    (
        "sizes",
        {"domain/a.py": "D\n" + "\n" * 320, "domain/b.py": "D\ndef f():\n" + "    x = 1\n" * 60},
        [
            "domain/a.py:321: 321 lines; give half of it a door (320 at most)",
            "domain/b.py:2: f has 61 lines; name a part of it",
        ],
    ),
    (
        "names",
        {"formats/text_utils.py": "D\n", "app/manager/x.py": "D\n"},
        [
            "app/manager/x.py:1: 'manager' says nothing about what is in it; name the thing",
            "formats/text_utils.py:1: 'utils' says nothing about what is in it; name the thing",
        ],
    ),
    (
        "promises",
        {"domain/a.py": "D\nx = 1  # TO" + "DO: more\n"},
        ["domain/a.py:2: a note for later; do it now, or write an issue"],
    ),
]


def _build(root: Path, files: dict[str, str]) -> None:
    for name, source in files.items():
        path = root / "shrec_viewer" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source.replace("D\n", '"""What is here."""\n', 1), encoding="utf-8")


@pytest.mark.parametrize(("rule", "files", "sentences"), BITES, ids=[f"{n}-{bite[0]}" for n, bite in enumerate(BITES)])
def test_the_rule_bites(rule, files, sentences, tmp_path):
    _build(tmp_path, files)
    assert list(getattr(house_rules, rule)(rooms(tmp_path))) == [f"shrec_viewer/{sentence}" for sentence in sentences]


def test_every_rule_is_seen_to_bite():
    assert {bite[0] for bite in BITES} == {rule.__name__ for rule in RULES}


def test_a_good_house_breaks_no_rule(tmp_path):
    _build(
        tmp_path,
        {
            "__init__.py": 'D\n__version__ = "1"\n',
            "resources.py": "D\nimport sys\n",
            "domain/__init__.py": "D\nfrom shrec_viewer.domain.mesh import Mesh\n",
            "domain/mesh.py": "D\nimport numpy as np\n",
            "formats/meshes.py": "D\nfrom shrec_viewer.domain import Mesh\ndef read():\n    import trimesh\n",
            "evaluation/tables.py": "D\nfrom shrec_viewer import __version__\nfrom shrec_viewer.resources import resource\n",
            "widgets/orbit.py": "D\nfrom PySide6.QtWidgets import QWidget\nfrom shrec_viewer.domain.mesh import Mesh\n",
            "viewmodels/tasks.py": "D\nimport threading\nfrom PySide6.QtCore import QRunnable\n",
            "cli/program.py": "D\nimport click\ndef f():\n    from shrec_viewer.app.main import main\n",
            "app/main.py": "D\n",
        },
    )
    house = rooms(tmp_path)
    assert [sentence for rule in RULES for sentence in rule(house)] == []


def test_an_exception_is_named_only_while_it_is_needed(tmp_path, monkeypatch):
    monkeypatch.setattr(
        house_rules, "LARGE_ROOMS", {"shrec_viewer/domain/a.py": "a table that reads best in one piece"}
    )
    _build(tmp_path, {"domain/a.py": "D\n" + "\n" * 400})
    assert list(house_rules.sizes(rooms(tmp_path))) == []
    _build(tmp_path, {"domain/a.py": "D\n"})
    assert list(house_rules.sizes(rooms(tmp_path))) == [
        "shrec_viewer/domain/a.py:1: 1 lines; it needs no exception in LARGE_ROOMS any more"
    ]


def test_every_exception_has_a_reason():
    exceptions = {**house_rules.LARGE_ROOMS, **house_rules.LONG_FUNCTIONS}
    assert all(len(reason.split()) >= 4 for reason in exceptions.values())


def test_starting_the_command_line_loads_nothing_heavy():
    script = "import json, sys, shrec_viewer.cli; print(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})))"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(json.loads(answer.stdout))
    assert "shrec_viewer" in loaded
    assert not loaded & {*house_rules.HEAVY, "numpy", "PySide6", "pyqtgraph", "scipy"}
