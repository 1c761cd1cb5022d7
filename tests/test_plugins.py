"""Rows of other packages: listed, used from the command line and in the window; faulty ones are warnings."""

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from sample_plugin import write_package
from tiny_benchmark import write_tiny

from shrec_viewer import plugins
from shrec_viewer.content.contents import FIGURES, TABLES, content_of, set_extra_contents
from shrec_viewer.content.scores import RunsRequest
from shrec_viewer.domain import FormatError, ShrecError
from shrec_viewer.metrics import HitTable, find_profile
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
        rows.append(json.dumps({"query": file.name, "results": file.read_text(encoding="utf-8").split()}))
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
    assert "the reader 'sample-plugin.jsonl' failed to recognise a file: RuntimeError: recognition failed" in messages
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
    assert "the measure 'Broken' failed" in messages
    assert "ValueError: no values" in messages


WINDOW = """
import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication, QLabel

from shrec_viewer.plugins import install_plugins

app = QApplication([])
assert not install_plugins(panels=True).failures
from shrec_viewer.panels import all_panels
from shrec_viewer.panels.plots.curves import GainPanel
from shrec_viewer.panels.scores.score_tables import LeaderboardPanel
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails

session = Session(Thumbnails(None))
rows = {panel.key: panel for panel in all_panels()}
counter, failing = rows["run_count"].factory(session), rows["failing"].factory(session)
gain, leaderboard = GainPanel(session), LeaderboardPanel(session)
session.open(Path(sys.argv[1]))
while session.scores is None:
    app.processEvents()
assert counter.text() == "2 runs", counter.text()
assert "FirstRank" in [measure.key for measure in session.scores.measures]
assert "Half" in [kind.key for kind in gain.kinds]
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
    curve = _guarded_curve(replace(PR, averages=(CurveAverage("rank", failing),)))
    values = curve.averaged("rank").function(hits, find_profile("default"), 5)
    assert np.isnan(values.y).all()
    assert "the curve 'PR' failed, it is undefined: ValueError: no values" in caplog.text


def _row(**fields):
    return Measure(**{
        "name": "Odd", "label": "Odd", "better": "lower", "range": (0.0, 1.0), "definition": "One.", "formula": "1",
        "source": "-", "function": len, **fields,
    })  # fmt: skip


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


def _changes_its_input(hits, *_):
    hits.ranks[:] = 1
    return np.ones(len(hits))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda *_: sys.exit(3), "SystemExit: 3"),
        (lambda hits, *_: np.full(len(hits), 1j), "ValueError: returned complex numbers"),
        (lambda hits, *_: np.ones((len(hits), 1)), "ValueError: returned shape (1, 1) instead of (1,)"),
        (_changes_its_input, "ValueError: assignment destination is read-only"),
    ],
)
def test_a_faulty_function_of_a_measure_gives_no_values_and_one_warning(caplog, function, message):
    column = np.ones(1, np.int64)
    hits = HitTable(
        np.array([0, 1]), np.array([2]), np.array([1], np.uint8), column, column[:, None], column, column < 0
    )
    plugins._warn_once.cache_clear()
    guarded = plugins._guarded_measure(_row(function=function))
    for _ in range(2):
        assert np.isnan(guarded.function(hits, find_profile("default"), 1, None)).tolist() == [True]
    assert caplog.messages == [f"the measure 'Odd' failed, its values are undefined: {message}"]
    assert hits.ranks.tolist() == [2]


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
        (lambda path: _classes(path, ids=()), "'labels' and 'ids' have different lengths"),
        (lambda path: _classes(path, labels=np.array([-2])), "'labels' contains -2, which is not from -1 to 0"),
        (lambda _: sys.exit("no licence"), "SystemExit: no licence"),
    ],
)
def test_a_truth_format_with_a_faulty_result_is_an_error_of_the_file(tmp_path, read, message):
    guarded = plugins._guarded_reader(TruthReader("odd", "Odd", (".odd",), bool, read))
    with pytest.raises(FormatError) as error:
        guarded.read(tmp_path / "a.odd")
    assert error.value.reason == f"the reader 'odd' failed: {message}"
    for valid in (_levels, _classes):
        assert plugins._guarded_reader(replace(guarded, read=valid)).read(tmp_path / "a.odd").path.name == "a.odd"


def test_a_run_format_with_faulty_functions_is_an_error_of_the_file(tmp_path):
    row = ranked_list_reader("odd", "Odd", lambda data, name: True, lambda path: {"Q1": [("m1", 0.5), "m2"]})
    with pytest.raises(FormatError, match="the list of 'Q1' is not a list of ids or of"):
        plugins._guarded_reader(row).read(tmp_path / "a.odd")
    guarded = plugins._guarded_reader(replace(row, read=list, rank=lambda *_: [][1]))
    with pytest.raises(FormatError, match="the reader 'odd' failed: it returned list instead of a ParsedRun"):
        guarded.read("ab")
    with pytest.raises(FormatError, match="the reader 'odd' failed: IndexError: list index out of range"):
        guarded.rank(_levels(tmp_path / "a.odd"), None, None, None)


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

    row = plugins._guarded_content(Content("Ours", OurRequest, table=fails))
    with pytest.raises(ShrecError, match="the content 'ours' failed: IndexError: list index out of range"):
        row.table(None, OurRequest())
    assert row.chart is None


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
