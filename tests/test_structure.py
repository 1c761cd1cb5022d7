"""The source tree follows the structure rules, and each rule detects a violation."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import structure_rules
from structure_rules import RULES, read_sources

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def files():
    return read_sources(ROOT)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_package_follows(rule, files):
    broken = list(rule(files))
    assert not broken, "\n" + "\n".join(broken)


def test_every_file_is_read(files):
    read = {file.path for file in files}
    assert {
        f"shrec_viewer/{name}" for name in ("__init__.py", "domain/mesh.py", "metrics/ranking/hit_table.py")
    } <= read


# Each case: rule, source tree, expected sentences. `D` is replaced by a module docstring.
VIOLATIONS = [
    (
        "layers",
        {"metrics/tiers.py": "D\nfrom shrec_viewer.domain import Run\n", "domain/__init__.py": "D\n"},
        [
            "metrics/tiers.py:2: metrics imports shrec_viewer.domain, but may import read_only; move it down, or pass the value in"
        ],
    ),
    (
        "layers",
        {"domain/run.py": "D\ndef f():\n    import shrec_viewer.metrics.hits\n", "metrics/hits.py": "D\n"},
        [
            "domain/run.py:3: domain imports shrec_viewer.metrics.hits, but may import read_only; move it down, or pass the value in"
        ],
    ),
    (
        "layers",
        {
            "widgets/grid.py": "D\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
            "    from shrec_viewer.viewmodels.session.session import Session\n",
            "viewmodels/session.py": "D\n",
        },
        [
            "widgets/grid.py:4: widgets imports shrec_viewer.viewmodels.session.session, but may import charts, domain.mesh, domain.value_scale, render.scene.camera, render.scene.palette, resources, number_format, printable, read_only, shortages, version; move it down, or pass the value in"
        ],
    ),
    (
        "layers",
        {"formats/cla.py": "D\nfrom shrec_viewer import render\n", "render/__init__.py": "D\n"},
        [
            "formats/cla.py:2: formats imports shrec_viewer.render, but may import domain, resources, number_format, printable, read_only, shortages, version; move it down, or pass the value in"
        ],
    ),
    (
        "layers",
        {"widgets/orbit.py": "D\nfrom shrec_viewer.domain.run import Run\n", "domain/run.py": "D\n"},
        [
            "widgets/orbit.py:2: widgets imports shrec_viewer.domain.run, but may import charts, domain.mesh, domain.value_scale, render.scene.camera, render.scene.palette, resources, number_format, printable, read_only, shortages, version; move it down, or pass the value in"
        ],
    ),
    (
        "layers",
        {"tools/x.py": "D\n"},
        ["tools/x.py:1: 'tools' is no layer; use one of ALLOWED_IMPORTS"],
    ),
    (
        "cycles",
        {
            "domain/a.py": "D\nfrom shrec_viewer.domain.b import x\n",
            "domain/b.py": "D\ndef f():\n    from shrec_viewer.domain.a import y\n",
        },
        [
            "domain/a.py:2: shrec_viewer.domain.a -> shrec_viewer.domain.b -> shrec_viewer.domain.a is an import cycle; move the shared part into a third module"
        ],
    ),
    (
        "cycles",
        {
            "metrics/__init__.py": "D\nfrom shrec_viewer.metrics.tiers import first\n",
            "metrics/tiers.py": "D\nfrom shrec_viewer.metrics import TABLE\n",
        },
        [
            "metrics/__init__.py:2: shrec_viewer.metrics -> shrec_viewer.metrics.tiers -> shrec_viewer.metrics is an import cycle; move the shared part into a third module"
        ],
    ),
    (
        "third_parties",
        {"evaluation/x.py": "D\nfrom PySide6.QtCore import Signal\n"},
        ["evaluation/x.py:2: PySide6 is imported, but only these may: viewmodels, widgets, panels, app"],
    ),
    (
        "third_parties",
        {"viewmodels/x.py": "D\nfrom PySide6 import QtCore, QtWidgets\n"},
        ["viewmodels/x.py:2: PySide6.QtWidgets is imported, but only these may: widgets, panels, app"],
    ),
    (
        "third_parties",
        {"panels/x.py": "D\nimport pyqtgraph as pg\n"},
        ["panels/x.py:2: pyqtgraph is imported, but only these may: widgets"],
    ),
    (
        "third_parties",
        {"formats/off.py": "D\ndef f():\n    import trimesh\n"},
        ["formats/off.py:3: trimesh is imported, but only these may: formats/meshes"],
    ),
    (
        "third_parties",
        {"widgets/x.py": "D\ndef f():\n    import moderngl\n"},
        ["widgets/x.py:3: moderngl is imported, but only these may: render"],
    ),
    (
        "third_parties",
        {
            "render/workers/worker_pool.py": "D\nfrom threading import Lock, Thread\nfrom multiprocessing import Process\n"
        },
        ["render/workers/worker_pool.py:2: threading.Thread is imported, but only these may: viewmodels/tasks"],
    ),
    (
        "third_parties",
        {
            "viewmodels/tasks.py": "D\nimport threading\nfrom concurrent.futures import Executor\nimport multiprocessing\n"
        },
        [
            "viewmodels/tasks.py:4: multiprocessing is imported, but only these may: render/workers/worker_pool, evaluation/parallel"
        ],
    ),
    (
        "third_parties",
        {"app/x.py": "D\nfrom PySide6.QtCore import QThreadPool\nfrom rich.table import Table\n"},
        [
            "app/x.py:2: PySide6.QtCore.QThreadPool is imported, but only these may: viewmodels/tasks",
            "app/x.py:3: rich is imported, but only these may: cli",
        ],
    ),
    (
        "third_parties",
        {"app/x.py": "D\nimport polars.api\n"},
        ["app/x.py:2: polars is not listed; add it to IMPORTERS and pyproject.toml"],
    ),
    (
        "third_parties",
        {"app/x.py": "D\nfrom importlib import import_module\n"},
        [
            "app/x.py:2: importlib.import_module is imported, but only these may: cli/program, cli/options, metrics, plugins"
        ],
    ),
    (
        "heavy_imports",
        {
            "formats/meshes.py": "D\ntry:\n    import trimesh\nexcept ImportError:\n    pass\ndef f():\n    import trimesh\n"
        },
        ["formats/meshes.py:3: trimesh imports slowly; import it in the function that needs it"],
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
            "domain/a.py:1: no module docstring; say in one line what the module does",
            "domain/b.py:1: module docstring of several lines; keep the first",
        ],
    ),
    (
        "only_definitions",
        {
            "app/a.py": 'D\nX = 1\n"""Why."""\nfor x in []:\n    pass\nif __name__ == "__main__":\n    print()\nlog.setup()\n'
        },
        [
            "app/a.py:4: 'for x in []:' runs at import; move it into a function",
            "app/a.py:8: 'log.setup()' runs at import; move it into a function",
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
        "overridden_slots",
        {
            "panels/a.py": "D\nclass A:\n    def __init__(self):\n        a.b.connect(self._show)\n"
            "    def _show(self): ...\n",
            "panels/b.py": "D\nclass B(A[int]): ...\nclass C(B):\n    def show(self): ...\n    def _show(self): ...\n",
        },
        ["panels/b.py:5: A connects _show to a signal; override what it calls"],
    ),
    (
        "blocked_signals",
        {"widgets/a.py": "D\ndef f(box):\n    box.blockSignals(True)\n    with QSignalBlocker(box): ...\n"},
        [
            "widgets/a.py:3: blockSignals hides a set_x that emits; fix that set_x",
            "widgets/a.py:4: QSignalBlocker hides a set_x that emits; fix that set_x",
        ],
    ),
    (
        "silent_setters",
        {
            "widgets/a.py": "D\ndef set_rank(self, rank):\n    self.rank_picked.emit(rank)\ndef pick(self):\n    x.emit()\n"
        },
        ["widgets/a.py:3: set_rank emits; set_x only displays, x_picked reports a user action"],
    ),
    (
        "plain_tooltips",
        {
            "panels/a.py": "D\nlabel.setToolTip(name)\nitem.setToolTip(name)\n",
            "panels/b.py": "D\nQToolTip.showText(at, name)\nQToolTip.showText(at, tooltip_text(name) if name else '')\n",
        },
        [
            "panels/a.py:2: setToolTip interprets markup; use set_tooltip",
            "panels/b.py:2: showText interprets markup; give it tooltip_text or titled_tooltip",
        ],
    ),
    (
        "folder_sizes",
        {f"domain/m{n}.py": "D\n" for n in range(21)} | {"domain/__init__.py": "D\n"},
        ["domain/__init__.py:1: 21 modules in one folder; group them by concept (20 at most)"],
    ),
    (
        "class_names",
        {
            "domain/a.py": "D\nclass Entry: ...\nclass _Row: ...\n",
            "formats/b.py": "D\nclass Entry: ...\nclass _Row: ...\n",
        },
        ["formats/b.py:2: class Entry exists in shrec_viewer/domain/a.py already; qualify one of them"],
    ),
    (
        "plain_texts",
        {
            "panels/a.py": "D\nclass Head(QLabel): ...\nx = QtWidgets.QLabel('a')\nQMessageBox.warning(None, 'a', 'b')\n",
            "panels/scores/calculation.py": "D\npage.setHtml('')\n",
            "widgets/controls/plain_text.py": "D\nclass PlainLabel(QLabel): ...\n",
            "widgets/b.py": "D\nlabel = PlainLabel('a')\nbuttons = QMessageBox.StandardButton\nlabel.setHtml('')\n",
        },
        [
            "panels/a.py:2: QLabel may interpret text from files; use those of widgets/controls/plain_text",
            "panels/a.py:3: QLabel may interpret text from files; use those of widgets/controls/plain_text",
            "panels/a.py:4: QMessageBox may interpret text from files; use those of widgets/controls/plain_text",
            "widgets/b.py:4: setHtml may interpret text from files; use those of widgets/controls/plain_text",
        ],
    ),
    (
        "vague_names",
        {"formats/text_utils.py": "D\n", "app/manager/x.py": "D\n"},
        [
            "app/manager/x.py:1: 'manager' says nothing about the contents; name the concept",
            "formats/text_utils.py:1: 'utils' says nothing about the contents; name the concept",
        ],
    ),
    (
        "notes_for_later",
        {"domain/a.py": "D\nx = 1  # TO" + "DO: more\n"},
        ["domain/a.py:2: a comment that defers work; do it now, or write an issue"],
    ),
]


def _build(root: Path, files: dict[str, str]) -> None:
    for name, source in files.items():
        path = root / "shrec_viewer" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source.replace("D\n", '"""Module contents."""\n', 1), encoding="utf-8")


@pytest.mark.parametrize(
    ("rule", "files", "sentences"), VIOLATIONS, ids=[f"{n}-{case[0]}" for n, case in enumerate(VIOLATIONS)]
)
def test_the_rule_detects(rule, files, sentences, tmp_path):
    _build(tmp_path, files)
    assert list(getattr(structure_rules, rule)(read_sources(tmp_path))) == [
        f"shrec_viewer/{sentence}" for sentence in sentences
    ]


def test_every_rule_has_a_violation():
    assert {case[0] for case in VIOLATIONS} == {rule.__name__ for rule in RULES}


def test_a_correct_tree_breaks_no_rule(tmp_path):
    _build(
        tmp_path,
        {
            "version.py": 'D\n__version__ = "1"\n',
            "resources.py": "D\nimport sys\n",
            "domain/__init__.py": "D\nfrom shrec_viewer.domain.mesh import Mesh\n",
            "domain/mesh.py": "D\nimport numpy as np\n",
            "formats/meshes.py": "D\nfrom shrec_viewer.domain import Mesh\ndef read():\n    import trimesh\n",
            "evaluation/tables.py": "D\nfrom shrec_viewer.version import __version__\nfrom shrec_viewer.resources import resource\n",
            "widgets/orbit.py": "D\nfrom PySide6.QtWidgets import QWidget\nfrom shrec_viewer.domain.mesh import Mesh\n",
            "viewmodels/tasks.py": "D\nimport threading\nfrom PySide6.QtCore import QRunnable\n",
            "cli/program.py": "D\nimport click\ndef f():\n    from shrec_viewer.app.startup.main import main\n",
            "app/main.py": "D\n",
        },
    )
    files = read_sources(tmp_path)
    assert [sentence for rule in RULES for sentence in rule(files)] == []


def test_starting_the_command_line_loads_nothing_heavy():
    script = "import json, sys, shrec_viewer.cli; print(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})))"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(json.loads(answer.stdout))
    assert "shrec_viewer" in loaded
    assert not loaded & {*structure_rules.HEAVY, "numpy", "PySide6", "pyqtgraph", "scipy"}
