"""The lines on measures alone of the page on Python run in a separate interpreter with numpy only."""

import inspect
import json
import re
import subprocess
import sys

import shrec_viewer.metrics as metrics
from shrec_viewer.resources import resource

PAGE = resource("help/python.md").read_text(encoding="utf-8").partition("## Measures alone")[2]

AFTERWARDS = """
import json, sys
from shrec_viewer.metrics import with_convention
floors = {name.split(".")[1] for name in sys.modules if name.startswith("shrec_viewer.")}
print(json.dumps({
    "modules": sorted(name for name in sys.modules if name in ("PySide6", "scipy", "matplotlib", "trimesh", "click")),
    "floors": sorted(floors), "first_tier": first_tier.tolist(), "shape": curve.y.shape, "p": p,
    "grip": [values[-1] for values in grip], "changed": with_convention(psb, "ties", "file").key,
}))
"""


def lines_for_a_notebook() -> str:
    (block,) = re.findall(r"^```python\n(import numpy.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    return block


def test_lines_need_only_numpy():
    code = lines_for_a_notebook()
    answer = subprocess.run([sys.executable, "-c", code + AFTERWARDS], capture_output=True, text=True, check=True)
    found = json.loads(answer.stdout)
    assert found["modules"] == []
    assert found["floors"] == ["metrics", "read_only", "version"]
    assert found["first_tier"] == [1.0, 1.0, 0.5, 0.0, 1.0]
    assert found["shape"] == [5, 20]
    assert 0 < found["p"] <= 1
    assert found["grip"][0] == found["grip"][1]
    assert found["changed"] == "psb+ties=file"
    assert answer.stderr == ""


def test_the_page_has_ten_lines_for_notebooks():
    """After the import, which is as long as its names are."""
    statements = [line for line in lines_for_a_notebook().splitlines() if line and not line.startswith((" ", ")"))]
    assert len(statements) <= 10


def test_public_names_exist_once_and_are_sorted():
    names = metrics.__all__
    assert len(set(names)) == len(names)
    kinds = [(not name.isupper(), not name[0].isupper(), name) for name in names]
    assert kinds == sorted(kinds)
    assert all(getattr(metrics, name) is not None for name in names)
    exported = [getattr(metrics, name) for name in names]
    assert all(inspect.getdoc(thing) for thing in exported if inspect.isclass(thing) or inspect.isfunction(thing))
