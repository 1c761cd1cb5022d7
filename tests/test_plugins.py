"""Rows of other packages: listed, used from the command line and in the window; faulty ones are warnings."""

import asyncio
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from sample_plugin import write_metadata, write_package
from tiny_benchmark import write_tiny

from shrec_viewer import plugins
from shrec_viewer.content.contents import FIGURES, TABLES, content_of, set_extra_contents
from shrec_viewer.content.scores import RunsRequest
from shrec_viewer.domain import DistanceMatrix, FormatError, RankedLists, ShrecViewerError
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.io.text import FileHead
from shrec_viewer.metrics import CurveValues, HitTable, find_curve, find_measure, find_profile
from shrec_viewer.plugins import (
    Content,
    LabelTable,
    Measure,
    QrelsFile,
    TableRequest,
    TruthReader,
    option,
    ranked_list_reader,
)

ROOT = Path(__file__).parents[1]

END = "-- end of the output --"


def call(*arguments, path=None, code=None, status=0):
    """Run the program, or `code`, with a package folder on the path; stdout and stderr."""
    folders = [str(folder) for folder in (path, ROOT) if folder is not None]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders), "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, *(("-c", code) if code is not None else ("-m", "shrec_viewer")), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, cwd=ROOT)
    assert done.returncode == status, done.stderr
    return done.stdout, done.stderr


def call_all(*calls, path):
    """Run the program several times in one process; the stdout of each."""
    code = (
        "import json, sys; from shrec_viewer.cli.program import run\n"
        "for words in json.loads(sys.argv[1]):\n"
        f"    assert run(words) == 0, words; print({END!r})\n"
    )
    words = json.dumps([[str(word) for word in each] for each in calls])
    return call(words, code=code, path=path)[0].split(f"{END}\n")[:-1]


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    return write_package(tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    return write_package(tmp_path_factory.mktemp("faulty"), faulty=True)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return write_tiny(tmp_path_factory.mktemp("benchmark") / "tiny")


def test_without_plugins_the_list_is_empty():
    assert call("plugins")[0] == "no plug-ins installed\n"


def test_plugins_are_listed_with_their_package(package):
    written, shown = call_all(["plugins", "--format", "json"], ["plugins"], path=package)
    document = json.loads(written)
    assert document["schema"] == "shrec-viewer/plugins/1"
    assert document["failures"] == []
    assert [(row["group"], row["key"], row["label"]) for row in document["plugins"]] == [
        ("measures", "FirstRank", "Rank of the first relevant model"),
        ("curves", "Half", "One half"),
        ("profiles", "ours2026", "Our contest 2026"),
        ("readers", "sample-plugin.jsonl", "JSON lines"),
        ("panels", "run_count", ""),
    ]
    assert {(row["package"], row["version"]) for row in document["plugins"]} == {("sample-plugin", "1.2")}
    assert "ours2026" in shown
    assert "sample-plugin" in shown


def test_packages_in_the_folder_of_the_user_are_plugins(tmp_path, monkeypatch, tiny):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder = tmp_path / "shrec-viewer/plugins"
    output, messages = call("plugins")
    assert output == "no plug-ins installed\n"
    assert str(folder) in messages
    assert not folder.exists()
    folder.mkdir(parents=True)
    write_package(folder)
    (folder / "click.py").write_text("raise SystemExit('a plug-in replaced a package of the program')")
    assert "sample-plugin" in call("plugins")[0]
    assert "FirstRank" in call("evaluate", tiny, "--measure", "FirstRank")[0]


def test_listing_does_not_import_qt_or_the_panel(package):
    code = (
        "import sys; from shrec_viewer.cli.program import run; status = run(['plugins']);"
        "assert status == 0; bad = {'PySide6', 'sample_plugin_panel'} & set(sys.modules); assert not bad, bad"
    )
    call(code=code, path=package)


def test_measure_curve_and_profile_are_used_by_evaluate(package, tiny):
    written, table = call_all(
        ["evaluate", tiny, "--profile", "ours2026", "--format", "json", "--curves", "--per-query"],
        ["evaluate", tiny, "--measure", "FirstRank(rel=1)", "--format", "csv"],
        path=package,
    )
    document = json.loads(written)
    assert [row["key"] for row in document["measures"]] == ["FirstRank", "AP", "NN"]
    for run in document["runs"]:
        assert run["mean"]["FirstRank"] >= 1.0
        assert set(run["curves"]["Half"]["y"]) == {0.5}
        for values in run["queries"].values():
            assert (values["NN"] == 1.0) == (values["FirstRank"] == 1.0)
    assert "FirstRank" in table


IN_PYTHON = """
import json, sys, warnings
import shrec_viewer as sv

assert "shrec_viewer.plugins" not in sys.modules, "the import is as cheap as without plug-ins"
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    contest = sv.Contest(classes=["a", "a", "b", "b"], profile="ours2026")
    opened = sv.open("demo", profile="ours2026")
contest.add("mine", distances=[[0, 2, 1, 3], [1, 0, 2, 3], [1, 2, 0, 3], [1, 2, 3, 0]])
result = {
    "warnings": [[str(one.message), one.filename] for one in found],
    "ranks": contest.evaluate("FirstRank").per_query("FirstRank").to_dict(),
    "measures": list(opened.evaluate().to_dict()),
    "curve": list(opened.curve("Half", run="A1").y[:2]),
}
assert "PySide6" not in sys.modules
print(json.dumps(result))
"""


def test_python_uses_them_too(package):
    found = json.loads(call(code=IN_PYTHON, path=package)[0])
    assert found["warnings"] == []
    assert found["ranks"]["mine"] == [2, 1, 3, 3]
    assert found["measures"] == ["FirstRank", "AP", "NN"]
    assert found["curve"] == [0.5, 0.5]


def test_python_warns_of_failed_ones_in_the_sentences_of_the_command_line(faulty, tiny):
    output, _ = call(code=IN_PYTHON, path=faulty)
    warned = json.loads(output)["warnings"]
    assert {file for _, file in warned} == {"<string>"}, "the line of the caller"
    _, printed = call("evaluate", tiny, "--measure", "AP", path=faulty)
    begin = "shrec-viewer: warning: plug-in"
    lines = [line.removeprefix("shrec-viewer: warning: ") for line in printed.splitlines() if line.startswith(begin)]
    assert [text for text, _ in warned] == lines
    assert len(lines) > 5


def test_they_are_explained_by_measures_and_profiles(package):
    explained, profiles, written = call_all(
        ["measures", "FirstRank"], ["profiles"], ["measures", "--format", "json"], path=package
    )
    assert "Rank of the first relevant model" in explained
    assert "Our contest 2026" in profiles
    document = json.loads(written)
    assert document["measures"][-1]["key"] == "FirstRank"
    assert document["curves"][-1]["key"] == "Half"


def test_a_benchmark_may_name_a_profile_of_another_package(package, tiny):
    manifest = tiny / "benchmark.toml"
    text = manifest.read_text(encoding="utf-8")
    try:
        manifest.write_text(text.replace('name = "Tiny"', 'name = "Tiny"\nprofile = "ours2026"'), encoding="utf-8")
        document = json.loads(call("evaluate", tiny, "--format", "json", path=package)[0])
        assert document["profile"] == "ours2026"
        assert not [finding for finding in document["findings"] if "profile" in finding["message"]]
    finally:
        manifest.write_text(text, encoding="utf-8")


def add_jsonl_run(tiny):
    """A third run in the format of the plug-in, with the lists of the good one, and one that cannot be recognised."""
    rows = []
    for file in sorted((tiny / "runs" / "good").iterdir()):
        rows.append(json.dumps({"sketch of": file.name, "shapes like it": file.read_text(encoding="utf-8").split()}))
    (tiny / "runs" / "third.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tiny / "explode.bin").write_bytes(b"\0\1\2")
    (tiny / "benchmark.toml").unlink()


def test_a_run_format_is_used_by_evaluate_and_by_the_window(package, tmp_path):
    tiny = write_tiny(tmp_path / "tiny")
    add_jsonl_run(tiny)
    output, messages = call("evaluate", tiny, "--measure", "AP", "--format", "json", path=package)
    means = {run["name"].removesuffix(".jsonl"): run["mean"]["AP"] for run in json.loads(output)["runs"]}
    assert set(means) == {"good", "poor", "third"}
    assert means["third"] == means["good"]
    reader = "the reader 'sample-plugin.jsonl' of sample-plugin 1.2"
    assert f"{reader} failed to recognise a file: RuntimeError: recognition failed" in messages
    without, errors = call("evaluate", tiny, "--measure", "AP", "--format", "json", status=1)
    assert {run["name"] for run in json.loads(without)["runs"]} == {"good", "poor"}
    assert "runs/third.jsonl: error: is of no format of runs" in errors  # a run that is ignored is an error
    assert call(tiny, code=WINDOW.replace('"2 runs"', '"3 runs"'), path=package)[0] == "done\n"


def test_a_manifest_may_name_a_run_format_of_another_package(package, tmp_path):
    tiny = write_tiny(tmp_path / "tiny")
    manifest = (tiny / "benchmark.toml").read_text(encoding="utf-8")
    add_jsonl_run(tiny)
    shutil.rmtree(tiny / "runs" / "good")
    manifest = manifest.replace('path = "runs/good"', 'path = "runs/third.jsonl"\nformat = "sample-plugin.jsonl"')
    (tiny / "benchmark.toml").write_text(manifest, encoding="utf-8")
    document = json.loads(call("evaluate", tiny, "--format", "json", path=package)[0])
    assert {run["name"]: run["participant"] for run in document["runs"]}["good"] == "Ada"
    assert not [finding for finding in document["findings"] if "jsonl" in finding["message"]]


def test_faulty_entry_points_are_warnings_and_the_others_work(faulty, tiny):
    document = json.loads(call("plugins", "--format", "json", path=faulty)[0])
    reasons = {failure["entry_point"]: failure["message"] for failure in document["failures"]}
    colliding = {"duplicate", "second", "a_second_jsonl", "jsonl_again"}
    assert set(reasons) == {*colliding, "text", "missing", "absent", "unknown", "other_name"}
    assert reasons["duplicate"] == "there is already a measure 'AP' in this program, which is used"
    assert reasons["second"] == "there is already a measure 'FirstRank' of sample-plugin 1.2, which is used"
    assert reasons["a_second_jsonl"] == "there is already a reader 'trec' in this program, which is used"
    owner = "sample-plugin 1.2"
    assert reasons["jsonl_again"] == f"there is already a reader 'sample-plugin.jsonl' of {owner}, which is used"
    rows = {row["key"]: row for row in document["plugins"] if row["key"] in ("FirstRank", "AfterAll")}
    assert {key: row["package"] for key, row in rows.items()} == {"FirstRank": owner[:-4], "AfterAll": "faulty-plugin"}
    assert reasons["text"] == "'AP' is not a Measure"
    assert "MISSING" in reasons["missing"]
    assert "no_such_module" in reasons["absent"]
    assert "there is no measure 'Nothing'" in reasons["unknown"]
    assert reasons["other_name"] == "the key of the measure 'MAP' is 'AP'"
    assert {row["key"] for row in document["plugins"]} >= {"FirstRank", "Half", "ours2026", "Broken"}
    output, messages = call(
        "evaluate", tiny, "--measure", "FirstRank", "--measure", "AP", "--format", "json", path=faulty
    )
    assert json.loads(output)["runs"][0]["mean"]["AP"] is not None
    assert messages.count("warning: plug-in") == 9
    assert (
        "plug-in 'duplicate' of faulty-plugin 0.1 (measures): there is already a measure 'AP' in this program"
        in messages
    )


def test_a_measure_that_raises_is_undefined(faulty, tiny):
    output, messages = call("evaluate", tiny, "--measure", "Broken", "--measure", "AP", "--format", "json", path=faulty)
    assert all(run["mean"] == {"Broken": None, "AP": run["mean"]["AP"]} for run in json.loads(output)["runs"])
    assert "the measure 'Broken' of faulty-plugin 0.1 failed" in messages
    assert "ValueError: no values" in messages


def test_a_measure_that_ends_tasks_is_undefined_and_ctrl_c_in_one_ends_the_program(faulty, tiny):
    words = ("evaluate", tiny, "--measure", "AP", "--format", "json", "--measure")
    output, messages = call(*words, "Halted", path=faulty)
    assert all(run["mean"] == {"AP": run["mean"]["AP"], "Halted": None} for run in json.loads(output)["runs"])
    reason = "CancelledError: no event loop"
    assert f"the measure 'Halted' of faulty-plugin 0.1 failed, its values are undefined: {reason}" in messages
    output, messages = call(*words, "Interrupted", path=faulty, status=130)
    assert (output, "Traceback" in messages) == ("", False)


def test_what_plug_ins_print_is_not_among_results(faulty, tiny):
    output, messages = call("evaluate", tiny, "--measure", "Changes", "--format", "csv", path=faulty)
    assert output.startswith("run,")
    assert "printed by" not in output
    assert "printed by a plug-in\n" in messages
    assert "printed by click\n" in messages
    assert call("evaluate", "--help", path=faulty)[0].startswith("Usage: ")


def test_other_measures_are_right_beside_one_that_changes_its_input(faulty, tiny):
    calls = [["evaluate", tiny, *words, "--format", "json"] for words in (["--measure", "AP"], CHANGED)]
    alone, beside = (json.loads(output)["runs"] for output in call_all(*calls, path=faulty))
    assert [run["mean"]["AP"] for run in beside] == [run["mean"]["AP"] for run in alone]
    assert [run["mean"]["Changes"] for run in beside] == [0.0] * len(alone)


CHANGED = ["--measure", "Changes", "--measure", "AP"]


WINDOW = """
import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication, QLabel

from shrec_viewer.plugins import install_plugins

app = QApplication([])
assert not install_plugins(panels=True).failures
from shrec_viewer.panels import all_panels
from shrec_viewer.panels.plots.curves import ScopePanel
from shrec_viewer.panels.scores.score_tables import LeaderboardPanel
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails

session = Session(Thumbnails(None))
rows = {panel.key: panel for panel in all_panels()}
counter, failing = rows["run_count"].factory(session), rows["failing"].factory(session)
curves, leaderboard = ScopePanel(session), LeaderboardPanel(session)
session.open(Path(sys.argv[1]))
while session.scores is None:
    app.processEvents()
assert counter.text() == "2 runs", counter.text()
assert "FirstRank" in [measure.key for measure in session.scores.measures]
assert "Half" in [kind.key for kind in curves.kinds]
assert not isinstance(failing, QLabel)

from shrec_viewer.app.dialogs.about import plugins
from shrec_viewer.app.help.pages import help_pages

assert "sample-plugin 1.2: FirstRank (measures), Half (curves)" in plugins()[0][1], plugins()
assert {"FirstRank", "Half", "ours2026"} <= {page.key for page in help_pages()}
print("done")
sys.stdout.flush()
import os
os._exit(0)
"""


def test_panel_measure_and_curve_are_used_in_the_window(package, tiny):
    output, messages = call(tiny, code=WINDOW, path=package)
    assert output == "done\n"
    assert "the panel 'failing' cannot be created: ValueError: no panel" in messages


def test_the_window_opens_with_plugins(package, tiny):
    output, messages = call(tiny, "--selftest", path=package)
    assert json.loads(output)["ready"] is True
    assert "plug-in" not in messages


def test_row_types_are_exported():
    for name in (
        "Measure",
        "Curve",
        "Profile",
        "RunReader",
        "TruthReader",
        "Match",
        "Panel",
        "LabelTable",
        "QrelsFile",
    ):
        assert isinstance(getattr(plugins, name), type)
    assert all(callable(getattr(plugins, name)) for name in plugins.__all__)
    with pytest.raises(AttributeError):
        _ = plugins.nothing


DOCKS = """
import sys
from pathlib import Path

from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication

from shrec_viewer.plugins import install_plugins

app = QApplication([])
install_plugins(panels=True)
from shrec_viewer.app.startup.settings import SettingsFile
from shrec_viewer.app.startup.theme import ThemeSelector
from shrec_viewer.app.window.main_window import MainWindow

window = MainWindow(ThemeSelector(app), SettingsFile(None), thumbnails=False)
window.painted.connect(window.assemble)
loop = QEventLoop()
window.assembled.connect(loop.quit)
window.show()
loop.exec()
window.open_path(Path(sys.argv[1]))
while window.session.scores is None:
    app.processEvents()
window.workspace.show_panel("run_count")
assert window.workspace.panel("run_count").text() == "2 runs"
assert window.workspace.is_shown("run_count")
assert window.workspace.dock("run_count").windowTitle() == "Number of runs"
print("done")
sys.stdout.flush()
import os
os._exit(0)
"""


def test_a_panel_of_another_package_is_a_dock(package, tiny):
    assert call(tiny, code=DOCKS, path=package)[0] == "done\n"


def test_failing_way_of_averaging_is_undefined_with_a_warning(caplog):
    from shrec_viewer.metrics import CurveAverage, find_profile
    from shrec_viewer.metrics.curves.precision_recall import PR
    from shrec_viewer.metrics.ranking.list_ranking import ListArrays, hits_from_lists
    from shrec_viewer.metrics.ranking.truth import pairs_as_truth
    from shrec_viewer.plugins import _guarded_curve

    def failing(hits, profile, points):
        raise ValueError("no values")

    hits = hits_from_lists(pairs_as_truth([{0: 1}], 2), ListArrays.of([[0, 1]])).hits
    plugins._warn_once.cache_clear()
    curve = _guarded_curve(_loaded("curves", replace(PR, averages=(CurveAverage("rank", failing),))))
    values = curve.averaged("rank").function(hits, find_profile("default"), 5)
    assert np.isnan(values.y).all()
    assert "the curve 'PR' of odd 1.0 failed, it is undefined: ValueError: no values" in caplog.text


def _row(**fields):
    return Measure(**{
        "name": "Odd", "label": "Odd", "better": "lower", "range": (0.0, 1.0), "definition": "One.", "formula": "1",
        "source": "-", "function": len, **fields,
    })  # fmt: skip


async def _cancelled():
    raise asyncio.CancelledError("no loop")


class _Entry:
    """An entry point whose object is made when it is loaded."""

    name, dist = "odd", None

    def __init__(self, load):
        self.load = load


class EntryPoints(list):
    """Entry points of measures only."""

    def select(self, group):
        return self if group == "shrec_viewer.measures" else []


@pytest.mark.parametrize(
    ("load", "message"),
    [
        (lambda: sys.exit("no licence"), "SystemExit: no licence"),
        (lambda: asyncio.run(_cancelled()), "CancelledError: no loop"),
        (lambda: _row(label=None), "'label' of the measure 'Odd' is not text"),
        (lambda: _row(source=None), "'source' of the measure 'Odd' is not text"),
        (lambda: _row(range=None), "'range' of the measure 'Odd' is not a pair of ascending numbers"),
        (lambda: _row(range=(1, 0)), "'range' of the measure 'Odd' is not a pair of ascending numbers"),
    ],
)
def test_faulty_rows_are_left_out_with_a_reason(monkeypatch, load, message):
    found = EntryPoints([_Entry(load)])
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda: found)
    loaded = plugins.load_plugins.__wrapped__()
    assert [(failure.entry_point, failure.message) for failure in loaded.failures] == [("odd", message)]
    assert loaded.rows == ()


def _loaded(group, row):
    """A row as it is loaded from the package "odd"."""
    return plugins.PluginRow(group, getattr(row, "key", None) or row.name, "Odd", "odd", "1.0", row)


def _hits():
    """The hits of two queries with two relevant models each, of two levels."""
    column = np.full(2, 9)
    return HitTable(
        np.array([0, 2, 4]),
        np.array([2, 5, 1, 3]),
        np.array([1, 2, 1, 1], np.uint8),
        column,
        np.array([[1, 1], [2, 0]]),
        column,
        column < 0,
        np.zeros(2, np.int32),
    )


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (lambda *_: sys.exit(3), "SystemExit: 3"),
        (lambda hits, *_: np.full(len(hits), 1j), "the result has type 'complex128' instead of real numbers"),
        (lambda hits, *_: ["0.5"] * len(hits), "the result has type '<U3' instead of real numbers"),
        (lambda hits, *_: [None] * len(hits), "the result has type 'object' instead of real numbers"),
        (lambda hits, *_: np.ones((len(hits), 1)), "the result has shape (2, 1) instead of (2,)"),
        (lambda *_: 0.5, "the result has shape () instead of (2,)"),
        (lambda *_: [0.5, np.inf], "the result contains inf, which is not a number from 0 to 1"),
        (lambda *_: [0.5, 1e300], "the result contains 1e+300, which is not a number from 0 to 1"),
        (lambda *_: [0.5, -0.1], "the result contains -0.1, which is not a number from 0 to 1"),
        (lambda *_: np.ma.masked_array([0.5, 0.5], [True, False]), "the result has masked numbers; NaN is undefined"),
    ],
)
def test_a_faulty_function_of_a_measure_gives_no_values_and_one_warning(caplog, values, message):
    plugins._warn_once.cache_clear()
    guarded = plugins._guarded_measure(_loaded("measures", _row(function=values)))
    for _ in range(2):
        assert np.isnan(guarded.function(_hits(), find_profile("default"), 1, None)).tolist() == [True, True]
    assert caplog.messages == [f"the measure 'Odd' of odd 1.0 failed, its values are undefined: {message}"]


def test_values_at_the_limits_of_the_range_are_kept_with_their_rounding():
    values = [1.0 + 1e-15, -1e-15]
    guarded = plugins._guarded_measure(_loaded("measures", _row(function=lambda *_: values)))
    assert guarded.function(_hits(), find_profile("default"), 1, None).tolist() == values
    unlimited = _row(function=lambda *_: [np.inf, 1e300], range=(0.0, np.inf))
    assert np.isnan(plugins._guarded_measure(_loaded("measures", unlimited)).function(_hits(), None, 1, None)).all()


def _shown_arrays(hits):
    """Every array that a function can reach from a hit table."""
    tables = (hits, hits.best_of_same_length(), hits.at_least(1), hits.at_least(2))
    return [value for table in tables for value in (*vars(table).values(), hits.query) if isinstance(value, np.ndarray)]


@pytest.mark.parametrize("group", ["measures", "curves"])
def test_functions_cannot_change_what_they_are_shown(group):
    """Not by writing, not with the flag set, and not by putting other arrays into the table or its caches."""

    def changes(hits, *_):
        for array in _shown_arrays(hits):
            with suppress(ValueError):
                array[:] = 0
            with suppress(ValueError):
                array.setflags(write=True)
                array[:] = 0
        hits._hits_by_level.clear()
        object.__setattr__(hits, "ranks", np.zeros_like(hits.ranks))
        np.seterr(all="raise")
        return None

    hits, settings = _hits(), np.geterr()
    measure, default = find_measure("AP"), find_profile("default")
    expected = [array.copy() for array in _shown_arrays(_hits())]
    if group == "measures":
        guarded = plugins._guarded_measure(_loaded("measures", _row(function=changes)))
        values = guarded.function(hits, default, 1, None)
    else:
        guarded = plugins._guarded_curve(_loaded("curves", replace(find_curve("PR"), function=changes)))
        values = guarded.function(hits, default, 5).y
    assert np.isnan(values).all()
    for found, array in zip(_shown_arrays(hits), expected, strict=True):
        np.testing.assert_array_equal(found, array)
    assert measure.evaluate(hits, default).tolist() == measure.evaluate(_hits(), default).tolist()
    assert np.geterr() == settings


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (lambda *_: np.ones((2, 5)), "it returned ndarray instead of CurveValues"),
        (lambda *_: CurveValues(np.arange(5.0), np.ones((1, 5))), "'y' is not one row for each of 2 queries"),
        (lambda *_: CurveValues(np.arange(4.0), np.ones((2, 5))), "'x' has shape (4,) instead of (5,) or (2, 5)"),
        (lambda *_: CurveValues(np.arange(5.0), np.ones((2, 5), complex)), "'y' has type 'complex128' instead"),
        (lambda *_: CurveValues(np.arange(5.0), np.full((2, 5), 7.0)), "'y' contains 7, which is not a number from 0"),
        (lambda *_: CurveValues(np.arange(5.0), np.full((2, 5), np.inf)), "'y' contains inf, which is not a number"),
        (lambda *_: CurveValues(np.arange(5.0), np.ones((2, 5)), np.ones(3)), "'lower' has shape (3,) instead of"),
        (lambda *_: CurveValues(np.arange(5.0)[::-1], np.ones((2, 5))), "'x' is not ascending"),
        (lambda *_: CurveValues(np.array([[0, 1, 2, 3, 4], [0, 2, 1, 3, 4.0]]), np.ones((2, 5))), "'x' is not asc"),
        (lambda *_: CurveValues(np.array([0, 1, np.nan, 3, 4]), np.ones((2, 5))), "'x' contains NaN"),
        (lambda *_: CurveValues(np.array([0, 1, 2, 3, np.inf]), np.ones((2, 5))), "'x' contains inf, which is not"),
    ],
)
def test_a_faulty_function_of_a_curve_gives_no_curve_and_one_warning(caplog, values, message):
    plugins._warn_once.cache_clear()
    row = replace(find_curve("PR"), function=values, at_generality=values)
    guarded = plugins._guarded_curve(_loaded("curves", row))
    for found in (guarded.function(_hits(), None, 5), guarded.function(_hits(), None, 5)):
        assert np.isnan(found.y).all()
    assert np.isnan(guarded.at_generality(_hits(), None).y).all()
    (warning,) = caplog.messages
    assert warning.startswith(f"the curve 'PR' of odd 1.0 failed, it is undefined: {message}")


def test_a_faulty_calculation_shows_the_inputs(caplog):
    plugins._warn_once.cache_clear()
    row = _row(function=lambda hits, *_: np.full(len(hits), 0.5), calculation=lambda inputs: "one half")
    guarded = plugins._guarded_measure(_loaded("measures", row))
    assert guarded.at().calculation(_hits().rows(0, 1), find_profile("default")).total == 0.5
    assert caplog.messages == [
        "the calculation of the measure 'Odd' of odd 1.0 failed: it returned str, no CalculationSteps"
    ]


def test_arrays_of_shared_records_cannot_be_changed(tmp_path):
    """Panels and contents of plug-ins get the benchmark and the scores themselves."""
    benchmark = read_benchmark(write_tiny(tmp_path / "tiny"))
    scores = evaluate(benchmark, find_profile("default"), measures=["AP"])
    for name in ("missing", "counted", "values", "values_in_mean", "without_relevant"):
        assert isinstance(getattr(scores, name), np.ndarray)
    assessment, queries = benchmark.assessment, benchmark.queries
    records = [scores, *scores.hits, *scores.anomalies, queries, assessment, *(run.ranking for run in benchmark.runs)]
    arrays = [value for record in records for value in vars(record).values() if isinstance(value, np.ndarray)]
    arrays += [*scores.by_class(), *assessment.relevant(0)]
    assert len(arrays) > 30
    for array in arrays:
        assert not array.flags.writeable
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            array.setflags(write=True)


def _levels(path, **fields):
    one = {"query": np.zeros(1, np.int32), "level": np.ones(1, np.uint8), "lines": np.ones(1, np.int32)}
    return QrelsFile(**{"path": path, "queries": ("Q1",), "models": ("m1",), "findings": (), **one, **fields})


def _classes(path, **fields):
    one = {"labels": np.zeros(1, np.int32), "names": ("cat",), "parents": np.full(1, -1, np.int32)}
    return LabelTable(**{"path": path, "ids": ("m1",), **one, **fields})


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda _: "levels", "it returned str instead of a QrelsFile or LabelTable"),
        (lambda path: _levels(path, models=()), "'query', 'models', 'level' and 'lines' have different lengths"),
        (lambda path: _levels(path, query=np.array([4])), "'query' contains 4, which is not from 0 to 0"),
        (lambda path: _levels(path, query=np.zeros(1)), "'query' has type 'float64' instead of integers"),
        (lambda path: _classes(path, ids=()), "'labels' and 'ids' have different lengths"),
        (lambda path: _classes(path, labels=np.array([-2])), "'labels' contains -2, which is not from -1 to 0"),
        (lambda _: sys.exit("no licence"), "SystemExit: no licence"),
    ],
)
def test_a_truth_format_with_a_faulty_result_is_an_error_of_the_file(tmp_path, read, message):
    guarded = plugins._guarded_reader(_loaded("readers", TruthReader("odd", "Odd", (".odd",), bool, read)))
    with pytest.raises(FormatError) as error:
        guarded.read(tmp_path / "a.odd")
    assert error.value.reason == f"the reader 'odd' of odd 1.0 failed: {message}"
    for valid in (_levels, _classes):
        row = _loaded("readers", replace(guarded, read=valid))
        assert plugins._guarded_reader(row).read(tmp_path / "a.odd").path.name == "a.odd"


@pytest.mark.parametrize(
    "models", ["m1 m2", b"m1", {"m1", "m2"}, {"m1": 0.2, "m2": 0.1}], ids=["str", "bytes", "set", "dict"]
)
def test_a_run_format_does_not_take_characters_sets_and_keys_for_lists(tmp_path, models):
    row = ranked_list_reader("odd", "Odd", lambda data, name: True, lambda path: {"Q1": models})
    with pytest.raises(FormatError, match="the list of 'Q1' is not a list of ids or of"):
        plugins._guarded_reader(_loaded("readers", row)).read(tmp_path / "a.odd")


def test_a_run_format_with_faulty_functions_is_an_error_of_the_file(tmp_path):
    row = ranked_list_reader("odd", "Odd", lambda data, name: True, lambda path: {"Q1": [("m1", 0.5), "m2"]})
    with pytest.raises(FormatError, match="the list of 'Q1' is not a list of ids or of"):
        plugins._guarded_reader(_loaded("readers", row)).read(tmp_path / "a.odd")
    guarded = plugins._guarded_reader(_loaded("readers", replace(row, read=list, rank=lambda *_: [][1])))
    with pytest.raises(
        FormatError, match=r"the reader 'odd' of odd 1\.0 failed: it returned list instead of a ParsedRun"
    ):
        guarded.read("ab")
    with pytest.raises(FormatError, match=r"the reader 'odd' of odd 1\.0 failed: IndexError: list index out of range"):
        guarded.rank(_levels(tmp_path / "a.odd"), None, None, None)


def _lists(**fields):
    arrays = {"indptr": np.array([0, 1, 2]), "items": np.zeros(2, np.int32), "present": np.ones(2, bool)}
    return RankedLists(**{**arrays, "distances": np.zeros(2), **fields})


def _matrix(**fields):
    arrays = {"rows": np.arange(2, dtype=np.int32), "columns": np.arange(3, dtype=np.int32)}
    return DistanceMatrix(**{"values": np.zeros((2, 3)), **arrays, **fields})


@pytest.mark.parametrize(
    ("ranking", "message"),
    [
        ([], "it returned list, no RankedLists or DistanceMatrix"),
        (_lists(indptr=np.array([0, 2])), "'indptr' has shape (2,) instead of (3,)"),
        (_lists(indptr=np.array([0, 1, 1])), "'indptr' is not ascending from 0 to the end"),
        (_lists(items=np.array([0, 3])), "'items' contains 3, which is not from -1 to 2"),
        (_lists(items=np.zeros(2)), "'items' has type 'float64' instead of integers"),
        (_lists(distances=np.zeros(3)), "'distances' has shape (3,) instead of (2,)"),
        (_lists(distances=np.zeros(2, complex)), "'distances' is not of floating-point numbers"),
        (_lists(present=np.ones(1, bool)), "'present' has shape (1,) instead of (2,)"),
        (_matrix(values=np.zeros((2, 3), complex)), "'values' is not a matrix of floating-point numbers"),
        (_matrix(rows=np.array([0, 2])), "'rows' contains 2, which is not from -1 to 1"),
        (_matrix(columns=np.array([0, 1])), "'columns' has shape (2,) instead of (3,)"),
        (_matrix(columns=np.array([0, 1, 1])), "'columns' repeats a model"),
    ],
)
def test_a_run_whose_arrays_do_not_fit_the_benchmark_is_an_error_of_the_file(tmp_path, ranking, message):
    context = SimpleNamespace(queries=range(2), collection=range(3))
    row = ranked_list_reader("odd", "Odd", lambda data, name: True, lambda path: {})
    guarded = plugins._guarded_reader(_loaded("readers", replace(row, rank=lambda *_: ranking)))
    with pytest.raises(FormatError) as error:
        guarded.rank(_levels(tmp_path / "a.odd"), context, None, None)
    assert error.value.reason == f"the reader 'odd' of odd 1.0 failed: {message}"
    for valid in (_lists(), _matrix(), None):
        good = plugins._guarded_reader(_loaded("readers", replace(row, rank=lambda *_, one=valid: one)))
        assert good.rank(_levels(tmp_path / "a.odd"), context, None, None) is valid


@dataclass(frozen=True)
class OurRequest(TableRequest):
    kind: ClassVar[str] = "ours"


@dataclass(frozen=True)
class OddRequest(TableRequest):
    kind: ClassVar[str] = "odd"

    scope: str = option("", help="Text where others have a number.")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (OurRequest, "is not a Content"),
        (Content("Ours", OurRequest), "has no chart and no table"),
        (Content("Ours", OurRequest, table=3), "is not callable"),
        (Content("Runs", RunsRequest, table=list), "there is already a content 'runs' in this program"),
        (Content("Odd", OddRequest, table=list), "the option 'scope' of the content 'odd' has another type here"),
    ],
)
def test_wrong_contents_are_refused(row, reason):
    with pytest.raises(plugins.PluginError, match=reason):
        plugins._check_content(row, ())


def test_a_failing_content_is_an_error_with_its_key():
    def fails(data, request):
        return [][1]

    row = plugins._guarded_content(_loaded("contents", Content("Ours", OurRequest, table=fails)))
    with pytest.raises(
        ShrecViewerError, match=r"the content 'ours' of odd 1\.0 failed: IndexError: list index out of range"
    ):
        row.table(None, OurRequest())
    row = plugins._guarded_content(_loaded("contents", Content("Ours", OurRequest, table=lambda *_: "text")))
    with pytest.raises(ShrecViewerError, match=r"the content 'ours' of odd 1\.0 failed: it returned str"):
        row.table(None, OurRequest())
    assert row.chart is None


class Halt(BaseException):
    """What a package may raise that is no `Exception`; even its text fails."""

    def __str__(self):
        raise Halt


def _raising(error):
    """A function of a plug-in that raises an exception."""

    def raises(*_):
        raise error

    return raises


def _guarded_functions(raises):
    """Each function of a plug-in that may fail, as this program calls it."""
    profile = find_profile("default")
    measure = plugins._guarded_measure(_loaded("measures", _row(function=raises, calculation=raises)))
    curve = replace(find_curve("PR"), function=raises, at_generality=raises)
    curve = plugins._guarded_curve(_loaded("curves", curve))
    content = plugins._guarded_content(_loaded("contents", Content("Ours", OurRequest, table=raises)))
    reader = ranked_list_reader("odd", "Odd", raises, raises)
    reader = plugins._guarded_reader(_loaded("readers", replace(reader, rank=raises, accept=raises)))
    parsed = SimpleNamespace(path=Path("a.odd"))
    return {
        "measure": lambda: np.isnan(measure.function(_hits(), profile, 1, None)).all(),
        "calculation": lambda: np.isnan(measure.at().calculation(_hits().rows(0, 1), profile).total),
        "curve": lambda: np.isnan(curve.function(_hits(), None, 5).y).all(),
        "at_generality": lambda: np.isnan(curve.at_generality(_hits(), None).y).all(),
        "content": lambda: content.table(None, OurRequest()),
        "recognise": lambda: reader.recognise(FileHead(Path("a.odd"), 0, b"")) is False,
        "accept": lambda: reader.accept(None) is False,
        "read": lambda: reader.read(Path("a.odd")),
        "rank": lambda: reader.rank(parsed, None),
    }


@pytest.mark.parametrize("error", [SystemExit(3), GeneratorExit(), asyncio.CancelledError(), Halt()], ids=repr)
@pytest.mark.parametrize("function", _guarded_functions(print))
def test_what_is_no_exception_is_a_fault_of_a_plug_in_too(caplog, function, error):
    plugins._warn_once.cache_clear()
    try:
        assert _guarded_functions(_raising(error))[function]()
    except ShrecViewerError as failure:
        messages = [str(failure)]
    else:
        messages = caplog.messages
    assert messages
    assert all("of odd 1.0 failed" in one and type(error).__name__ in one for one in messages)


@pytest.mark.parametrize("function", _guarded_functions(print))
def test_ctrl_c_in_a_plug_in_is_raised(function):
    with pytest.raises(KeyboardInterrupt):
        _guarded_functions(_raising(KeyboardInterrupt()))[function]()


def test_contents_of_other_packages_are_figures_and_tables():
    row = Content("Ours", OurRequest, table=list)
    try:
        set_extra_contents([row])
        assert content_of(OurRequest()) is row
        assert "ours" not in FIGURES
        assert list(TABLES)[-1] == "ours"
    finally:
        set_extra_contents(())
    assert "ours" not in TABLES


FAULTY_PANELS = """
import sys
from functools import partial

from PySide6.QtCore import QRectF, QSize, QThread, QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsItem, QGraphicsScene, QGraphicsView, QSpinBox, QWidget

from shrec_viewer.plugins import Panel


class Faulty(QWidget):
    def __init__(self, session):
        super().__init__()
        self._session = session
        session.changed.connect(self.follow)

    def follow(self, old, new):
        pass


class InSlot(Faulty):
    def follow(self, old, new):
        raise ValueError("in a slot")


class ExitsInSlot(Faulty):
    def follow(self, old, new):
        sys.exit(3)


class InPaint(Faulty):
    def paintEvent(self, event):
        painter = QPainter(self)
        painter.save()
        raise ValueError("in a paint event")


class ExitsInPaint(Faulty):
    def paintEvent(self, event):
        painter = QPainter(self)
        raise SystemExit(4)


class WithoutSize(Faulty):
    def sizeHint(self):
        raise ValueError("no size")

    def minimumSizeHint(self):
        raise KeyboardInterrupt

    def height_hint(self):
        return "high"


class InTimer(Faulty):
    def __init__(self, session):
        super().__init__(session)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.tick)
        self._timer.start(1)

    def tick(self):
        raise WithoutText


class WithoutText(Exception):
    def __str__(self):
        raise ValueError("no text")


def leave(*_):
    raise SystemExit(5)


class Unguarded(Faulty):
    # Functions that are no methods, which `sys.exit` and `raise SystemExit` leave.
    def __init__(self, session):
        super().__init__(session)

        def nested():
            raise SystemExit(6)

        self._plain = Plain()
        slots = [lambda: sys.exit(7), partial(leave, 1), nested, leave, self._plain.leave]
        slots.append(lambda: exit(8))
        self._timers = [QTimer(self, singleShot=True) for _ in slots]
        for timer, slot in zip(self._timers, slots):
            timer.timeout.connect(slot)
            timer.start(1)


class Plain:
    def leave(self):
        try:
            sys.exit(9)
        except SystemExit:
            raise SystemExit(10)


class InLocalPaint(Faulty):
    def __init__(self, session):
        super().__init__(session)

        class Painted(QWidget):
            def paintEvent(self, event):
                sys.exit(11)

        self._child = Painted(self)


class InItem(QGraphicsView):
    def __init__(self, session):
        super().__init__()
        self._scene, self._item = QGraphicsScene(self), Item()
        self._scene.addItem(self._item)
        self.setScene(self._scene)


class Item(QGraphicsItem):
    def boundingRect(self):
        return QRectF(0, 0, 10, 10)

    def paint(self, *_):
        raise ValueError("in an item")


class Thread(QThread):
    def run(self):
        raise SystemExit(12)


class InThread(Faulty):
    def __init__(self, session):
        super().__init__(session)
        self._thread = Thread(self)
        self._thread.start()


class Recurses(Faulty):
    def __init__(self, session):
        super().__init__(session)
        self._box = QSpinBox(self)
        self._box.setMaximum(1_000_000)
        self._box.valueChanged.connect(self.increase)
        QTimer.singleShot(0, self._box.stepUp)

    def increase(self, value):
        self._box.setValue(value + 1)


class ChangesAgain(Faulty):
    def follow(self, old, new):
        self._session.select(query=1 - min(self._session.selection.query or 0, 1))


class CatchesItsOwn(Faulty):
    caught = 0

    def follow(self, old, new):
        try:
            self.raise_one()
        except ValueError:
            self.caught += 1

    def raise_one(self):
        raise ValueError("caught by the plug-in")


class InFactory(Faulty):
    def __init__(self, session):
        exit()


KINDS = (
    *(InSlot, ExitsInSlot, InPaint, ExitsInPaint, WithoutSize, InTimer, CatchesItsOwn, InFactory),
    *(Unguarded, InLocalPaint, InItem, InThread, Recurses, ChangesAgain),
)
ROWS = [Panel(kind.__name__, kind.__name__, "right", kind) for kind in KINDS]
"""

FAULTY_WINDOW = """
import os
import sys
from pathlib import Path

from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication

from shrec_viewer.plugins import install_plugins

app = QApplication([])
assert not install_plugins(panels=True).failures
from shrec_viewer.app.startup.error_reporting import ErrorReporter
from shrec_viewer.app.startup.settings import SettingsFile
from shrec_viewer.app.startup.theme import ThemeSelector
from shrec_viewer.app.window.main_window import MainWindow

failures, errors = [], []
reporter = ErrorReporter()
reporter.plugin_failed.connect(lambda text, details: failures.append(text))
reporter.reported.connect(lambda text, details: errors.append(details))
reporter.install()
window = MainWindow(ThemeSelector(app), SettingsFile(None), thumbnails=False)
window.painted.connect(window.assemble)
loop = QEventLoop()
window.assembled.connect(loop.quit)
window.show()
loop.exec()
window.open_path(Path(sys.argv[1]))
while window.session.scores is None:
    app.processEvents()
scores = window.session.scores.raw_values.copy()
panels = {}
for key in sys.argv[2].split(","):
    window.workspace.show_panel(key)
    panels[key] = window.workspace.panel(key)
    for query in (1, 2, 0):
        window.session.select(query=query)
        app.processEvents()
    panels[key].repaint()
    window.grab()
for _ in range(20):
    app.processEvents()
assert (window.session.scores.raw_values == scores).all()
assert panels["CatchesItsOwn"].caught >= 3
print(*failures, sep="\\n")
print("errors:", *errors)
sys.stdout.flush()
os._exit(0)
"""


def test_panels_that_fail_after_they_were_created_are_one_message_each(tmp_path, tiny):
    """The message names the package; the window goes on, also after `exit()` and with an active painter."""
    (tmp_path / "faulty_panels.py").write_text(FAULTY_PANELS, encoding="utf-8")
    write_metadata(tmp_path, "faulty-panels", "0.3", "[shrec_viewer.panels]\nrows = faulty_panels:ROWS\n")
    keys = "InSlot,ExitsInSlot,InPaint,ExitsInPaint,WithoutSize,InTimer,CatchesItsOwn,InFactory"
    keys += ",Unguarded,InLocalPaint,InItem,InThread,Recurses,ChangesAgain"
    output, messages = call(tiny, keys, code=FAULTY_WINDOW, path=tmp_path)
    reasons = (
        "ValueError: in a slot",
        "SystemExit: 3",
        "ValueError: in a paint event",
        "SystemExit: 4",
        "ValueError: no size",
        "KeyboardInterrupt:",
        "WithoutText:",
        *(f"SystemExit: {status}" for status in (5, 6, 7, 8, 10, 11, 12)),
        "ValueError: in an item",
        "RecursionError: maximum recursion depth exceeded",
        "RecursionError: more than 100 changes of the session that follow from one",
    )
    found = output.splitlines()
    assert found[-1].strip() == "errors:"
    failures = [failure.removesuffix(" while calling a Python object") for failure in found[:-1]]
    assert sorted(failures) == sorted(f"The plug-in faulty-panels 0.3 failed: {reason}" for reason in reasons)
    assert "the panel 'InFactory' cannot be created: SystemExit" in messages
