"""Behaviour for which the versions of PySide6 and pyqtgraph are pinned."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pyqtgraph as pg
import pytest
from pyqtgraph.exporters import SVGExporter

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]

COUNT_NONE = """
import sys
from PySide6.QtWidgets import QApplication, QLabel

app = QApplication([])
label = QLabel()
before = sys.getrefcount(None), sys.getrefcount(True)
for number in range(1000):
    label.setText(str(number))
    label.windowTitleChanged.emit("")
    label.customContextMenuRequested.emit(label.pos())
print(sys.getrefcount(None) - before[0], sys.getrefcount(True) - before[1])
"""


def test_pyside_gives_back_every_reference_to_none():
    """6.12 loses a reference to None or True with every call; the process dies when they are used up."""
    answer = subprocess.run([sys.executable, "-c", COUNT_NONE], capture_output=True, text=True, check=True)
    lost_none, lost_true = map(int, answer.stdout.split())
    # A few references come and go with caches; the fault costs one a call.
    assert abs(lost_none) < 100
    assert abs(lost_true) < 100


def test_pyside_is_one_that_works_with_pyqtgraph():
    release = tuple(map(int, version("PySide6-Essentials").split(".")[:3]))
    assert (6, 8, 3) <= release < (6, 11)
    assert release != (6, 10, 1), "6.10.1 crashes when dataChanged is connected"


def test_the_pin_stands_in_pyproject():
    (pin,) = (line for line in PROJECT["dependencies"] if line.startswith("PySide6"))
    assert pin == "PySide6-Essentials>=6.8.3,<6.11,!=6.10.1"


@pytest.mark.parametrize("line", PROJECT["dependencies"])
def test_every_dependency_is_installed_as_asked_for(line):
    name, lowest = re.match(r"([\w-]+)>=([\d.]+)", line).groups()
    installed = tuple(int(part) for part in re.findall(r"\d+", version(name)))
    assert installed >= tuple(map(int, lowest.split(".")))


def test_pyqtgraph_exports_a_plain_plot_as_svg(qtbot, tmp_path):
    """With PySide6 6.11 every export fails with `not enough values to unpack`."""
    plot = pg.PlotWidget()
    qtbot.addWidget(plot)
    plot.plot([0.0, 0.5, 1.0], [1.0, 0.5, 0.25])
    path = tmp_path / "plot.svg"
    SVGExporter(plot.plotItem).export(str(path))
    drawn = path.read_text(encoding="utf-8")
    assert drawn.startswith("<?xml")
    assert "<path" in drawn or "<polyline" in drawn
