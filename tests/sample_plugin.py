"""A small package with plug-ins, written as an installed distribution: modules and dist-info on a path."""

import subprocess
import sys
from pathlib import Path

CODE = """
import asyncio
import os
import signal
import time
from contextlib import suppress

import click
import numpy as np

from shrec_viewer.plugins import Curve, Measure, Profile


def first_relevant(hits, profile, level, cutoff):
    ranks = np.full(len(hits), np.nan)
    relevant = hits.at_least(level)
    is_first = relevant.number == 1
    ranks[relevant.query[is_first]] = relevant.ranks[is_first]
    return ranks


def half_curve(hits, profile, points):
    from shrec_viewer.metrics import CurveValues

    return CurveValues(np.arange(1.0, points + 1.0), np.full((len(hits), points), 0.5))


FIRST = Measure(
    name="FirstRank", label="Rank of the first relevant model", better="lower", range=(1.0, float("inf")),
    definition="Rank of the first relevant model.", formula="p_1", source="sample plug-in",
    function=first_relevant, common=True,
)
HALF = Curve(
    key="Half", label="One half", x_label="Rank", y_label="Half", x_range=None, y_range=(0.0, 1.0),
    definition="One half at every rank.", source="sample plug-in", function=half_curve, x="rank", common=True,
)
OURS = Profile(
    key="ours2026", title="Our contest 2026", source="sample plug-in", description="The conventions of our contest.",
    measures=("FirstRank", "AP", "NN"), headline="AP", curves=("Half", "PR"),
)


def broken(hits, profile, level, cutoff):
    raise ValueError("no values")


BROKEN = Measure(
    name="Broken", label="Broken measure", better="higher", range=(0.0, 1.0), definition="Always fails.", formula="?",
    source="sample plug-in", function=broken,
)
def halted(hits, profile, level, cutoff):
    raise asyncio.CancelledError("no event loop")


def interrupted(hits, profile, level, cutoff):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)


HALTED, INTERRUPTED = (
    Measure(
        name=function.__name__.title(), label="Ends", better="higher", range=(0.0, 1.0), definition="Ends.",
        formula="?", source="sample plug-in", function=function,
    )
    for function in (halted, interrupted)
)
def changes(hits, profile, level, cutoff):
    print("printed by a plug-in")
    click.echo("printed by click")
    for array in (hits.ranks, hits.levels, hits.query, hits.at_least(1).ranks, hits.best_of_same_length().ranks):
        with suppress(ValueError):
            array[:] = 1
    return np.zeros(len(hits))


CHANGES = Measure(
    name="Changes", label="Changes its input", better="higher", range=(0.0, 1.0), definition="Writes.", formula="?",
    source="sample plug-in", function=changes,
)
DUPLICATE = Measure(
    name="AP", label="Another AP", better="higher", range=(0.0, 1.0), definition="Has a key that exists.", formula="?",
    source="sample plug-in", function=broken,
)
NOT_A_ROW = "AP"
SAME_AS_FIRST = [
    Measure(
        name="FirstRank", label="Another first rank", better="higher", range=(0.0, 1.0), definition="Repeats a key.",
        formula="?", source="faulty plug-in", function=broken,
    ),
    Measure(
        name="AfterAll", label="A good row after a bad one", better="higher", range=(0.0, 1.0), definition="1.",
        formula="1", source="faulty plug-in", function=first_relevant,
    ),
]
OTHER_NAME = Profile(
    key="other", title="Other name", source="-", description="-", measures=("MAP",), headline="MAP", curves=(),
)
UNKNOWN = Profile(
    key="unknown", title="Unknown", source="-", description="-", measures=("Nothing",), headline="Nothing", curves=(),
)
"""

PANEL = """
from PySide6.QtWidgets import QLabel

from shrec_viewer.plugins import Panel


class RunCount(QLabel):
    def __init__(self, session):
        super().__init__()
        self._session = session
        session.changed.connect(self._follow)
        self._show()

    def _follow(self, old, new):
        if new.differs(old, "benchmark"):
            self._show()

    def _show(self):
        self.setText(f"{len(self._session.benchmark.runs) or 'no'} runs")


def fails(session):
    raise ValueError("no panel")


ROWS = [
    Panel("run_count", "Number of runs", "right", RunCount),
    Panel("failing", "Failing panel", "right", fails, ()),
]
"""

READER = """
import json

from shrec_viewer.plugins import ranked_list_reader


def is_jsonl(data, name):
    if name == "explode.bin":
        raise RuntimeError("recognition failed")
    return data.startswith(b'{"sketch of":')


def read_jsonl(path):
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {row["sketch of"]: row["shapes like it"] for row in rows}


TREC = ranked_list_reader("trec", "Another TREC reader", is_jsonl, read_jsonl, (".trec",))
JSONL = ranked_list_reader("sample-plugin.jsonl", "JSON lines", is_jsonl, read_jsonl, (".jsonl",))
"""

ENTRY_POINTS = """
[shrec_viewer.measures]
first = sample_plugin_rows:FIRST

[shrec_viewer.curves]
half = sample_plugin_rows:HALF

[shrec_viewer.profiles]
ours = sample_plugin_rows:OURS

[shrec_viewer.readers]
jsonl = sample_plugin_reader:JSONL

[shrec_viewer.panels]
run_count = sample_plugin_panel:ROWS
"""

FAULTY_ENTRY_POINTS = """
[shrec_viewer.measures]
broken = sample_plugin_rows:BROKEN
changes = sample_plugin_rows:CHANGES
halted = sample_plugin_rows:HALTED
interrupted = sample_plugin_rows:INTERRUPTED
duplicate = sample_plugin_rows:DUPLICATE
second = sample_plugin_rows:SAME_AS_FIRST
text = sample_plugin_rows:NOT_A_ROW
missing = sample_plugin_rows:MISSING
absent = no_such_module:ROW

[shrec_viewer.readers]
a_second_jsonl = sample_plugin_reader:TREC
jsonl_again = sample_plugin_reader:JSONL

[shrec_viewer.profiles]
unknown = sample_plugin_rows:UNKNOWN
other_name = sample_plugin_rows:OTHER_NAME
"""


def write_package(folder: Path, *, faulty: bool = False) -> Path:
    """Write the package below `folder`, which is to be on `sys.path`; with `faulty`, a second one full of errors."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sample_plugin_rows.py").write_text(CODE, encoding="utf-8")
    (folder / "sample_plugin_panel.py").write_text(PANEL, encoding="utf-8")
    (folder / "sample_plugin_reader.py").write_text(READER, encoding="utf-8")
    write_metadata(folder, "sample-plugin", "1.2", ENTRY_POINTS)
    if faulty:
        write_metadata(folder, "faulty-plugin", "0.1", FAULTY_ENTRY_POINTS)
    return folder


def write_metadata(folder: Path, name: str, version: str, entry_points: str) -> None:
    """Write the metadata of an installed distribution with these entry points."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    (info / "entry_points.txt").write_text(entry_points, encoding="utf-8")


def install(source: Path, folder: Path) -> None:
    """Build the package in a folder and install it into another one, without the network: hatchling is installed."""
    offline = ("--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    command = [sys.executable, "-m", "pip", "install", *offline, "--target", str(folder), str(source)]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
