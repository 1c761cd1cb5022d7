"""Virtual runs in a session: computed like on the command line, live, undoable, saved in projects and journals."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from sample_benchmark import write_sample_benchmark
from sessions import a_session, open_in, settle

from shrec_viewer.cli.program import run as run_program
from shrec_viewer.domain import Severity
from shrec_viewer.evaluation.virtual_runs import virtual_run
from shrec_viewer.formats.io.schema import read_data, to_data
from shrec_viewer.formats.manifest.edit_state import EditState
from shrec_viewer.formats.manifest.project import read_project, write_project
from shrec_viewer.formats.manifest.run_changes import RunChanges, VirtualRun
from shrec_viewer.panels.export.content import benchmark_arguments
from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.files.run_submission import can_rename, remove_runs, rename_run
from shrec_viewer.viewmodels.files.virtual_runs import add_virtual_runs
from shrec_viewer.viewmodels.session.project import JOURNAL_CODECS, restore, snapshot

EXPRESSIONS = ("rrf(A1, B2*2, k=10)", "oracle()", "ideal()", "random(7)", "without(Alder)", "combmnz(A1, B2)")


@pytest.fixture
def demo(tmp_path):
    return shutil.copytree(resource("demo"), tmp_path / "demo")


@pytest.fixture
def session(qtbot):
    yield from a_session()


@pytest.fixture
def opened(session, demo, qtbot):
    return open_in(session, demo, qtbot)


@pytest.fixture
def messages(session):
    found = []
    session.message.connect(lambda severity, text, _: found.append(text) if severity == "warning" else None)
    return found


def names(session):
    return [run.name for run in session.benchmark.runs]


def add(session, qtbot, *expressions):
    virtual = tuple(map(VirtualRun, expressions))
    session.edits.set_runs(replace(session.edits.edited.runs, virtual=virtual), "add virtual runs")
    settle(session, qtbot)


def lists(session, name):
    ranking = session.benchmark.run(name).ranking
    return np.split(ranking.items, ranking.indptr[1:-1])


def assert_same_lists(one, other):
    for left, right in zip(one, other, strict=True):
        np.testing.assert_array_equal(left, right)


def test_virtual_runs_are_those_of_the_command_line(opened, demo, qtbot, capsys):
    before = names(opened)
    add(opened, qtbot, *EXPRESSIONS)
    assert names(opened) == [*before, *EXPRESSIONS]
    options = [f"--virtual={text}" for text in EXPRESSIONS]
    assert run_program(["evaluate", str(demo), "--format=json", f"--profile={opened.profile.key}", *options]) == 0
    document = json.loads(capsys.readouterr().out)
    means = {run["name"]: run["mean"] for run in document["runs"]}
    for row, name in enumerate(opened.scores.runs):
        expected = [means[name][measure.key] for measure in opened.scores.measures]
        np.testing.assert_allclose(opened.mean("queries")[row], np.array(expected, float), rtol=0, atol=0)
    assert [argument for argument in benchmark_arguments(opened) if argument.startswith("--virtual")] == options
    opened.edits.stack.undo()
    settle(opened, qtbot)
    assert names(opened) == before
    opened.edits.stack.redo()
    settle(opened, qtbot)
    assert names(opened) == [*before, *EXPRESSIONS]


def test_a_reloaded_source_recomputes_only_what_depends_on_it(opened, demo, qtbot):
    add(opened, qtbot, "rrf(A1, B2)", "rrf(C1, B2)", "random(1)")
    fused, other, random = opened.benchmark.runs[-3:]
    selected = names(opened).index(fused.name)
    opened.select(run=selected)
    settle(opened, qtbot)
    shutil.rmtree(demo / "runs" / "A1")
    shutil.copytree(demo / "runs" / "C1", demo / "runs" / "A1")
    opened.reload_runs({0})
    settle(opened, qtbot)
    assert opened.benchmark.runs[-3] is not fused
    assert opened.benchmark.runs[-2] is other
    assert opened.benchmark.runs[-1] is random
    assert_same_lists(lists(opened, fused.name), lists(opened, other.name))  # A1 has the lists of C1 now
    rows = [opened.scores.run_index(name) for name in (fused.name, other.name)]
    np.testing.assert_array_equal(*opened.mean("queries")[rows])
    shown = opened.ranked_list.items
    np.testing.assert_array_equal(shown, [item for item in lists(opened, other.name)[opened.selection.query]
                                          if item in shown])  # fmt: skip


def test_edits_of_the_assessment_recompute_what_depends_on_it(opened, qtbot):
    add(opened, qtbot, "ideal()", "rrf(A1, B2)")
    fused = opened.benchmark.runs[-1]
    query = opened.selection.query
    worst = int(lists(opened, "ideal()")[query][-1])
    opened.edits.set_level(query, [worst], 1)
    settle(opened, qtbot)
    assert worst in lists(opened, "ideal()")[query][: opened.benchmark.assessment.relevant(query)[0].size]
    assert opened.benchmark.runs[-1] is fused
    row = opened.scores.run_index("ideal()")
    assert opened.scores.values[row, query, opened.scores.column("AP")] == 1.0


def test_another_profile_recomputes_the_order_of_ties(opened, qtbot):
    add(opened, qtbot, "oracle()")
    for profile in ("trec", "psb", "default"):
        opened.set_profile(profile)
        settle(opened, qtbot)
        plain = replace(opened.benchmark, runs=opened.benchmark.runs[:-1])
        expected = virtual_run(plain, "oracle()", opened.profile).ranking
        np.testing.assert_array_equal(opened.benchmark.runs[-1].ranking.items, expected.items)


def test_runs_are_removed_and_sources_are_renamed(opened, qtbot, messages):
    add(opened, qtbot, "rrf(A1, B2)", 'combsum("A1", rrf(A1, C1))', "without(Alder)")
    opened.edits.set_colour("rrf(A1, B2)", "#123456")
    index = names(opened).index("rrf(A1, B2)")
    assert not can_rename(opened, index)
    rename_run(opened, 0, "Mine, new")
    settle(opened, qtbot)
    assert names(opened)[-3:] == [
        'rrf("Mine, new", B2)',
        'combsum("Mine, new", rrf("Mine, new", C1))',
        "without(Alder)",
    ]
    assert opened.edits.colours == {'rrf("Mine, new", B2)': "#123456"}
    assert not messages
    remove_runs(opened, [index])
    settle(opened, qtbot)
    assert 'rrf("Mine, new", B2)' not in names(opened)
    for _ in range(2):
        opened.edits.stack.undo()
    settle(opened, qtbot)
    assert names(opened)[0] == "A1"
    assert names(opened)[-3] == "rrf(A1, B2)"


def test_a_removed_source_gives_one_message_and_undo_restores_the_run(opened, qtbot, messages):
    add(opened, qtbot, "rrf(A1, B2)", "borda(A1, C1)", "random()")
    remove_runs(opened, [0])
    settle(opened, qtbot)
    assert names(opened) == ["A2", "B1", "B2", "C1", "R1", "random()"]
    (text,) = messages
    assert text.startswith("Virtual run 'rrf(A1, B2)': there is no run 'A1'")
    assert "the run is left out; 1 more, see the findings" in text
    errors = [finding for finding in opened.findings if finding.key == "virtual-run-missing"]
    assert [finding.severity for finding in errors] == [Severity.ERROR, Severity.ERROR]
    opened.edits.stack.undo()
    settle(opened, qtbot)
    assert names(opened)[-3:] == ["rrf(A1, B2)", "borda(A1, C1)", "random()"]
    assert len(messages) == 1


def test_a_project_restores_virtual_runs_and_reports_unknown_ones_once(opened, demo, tmp_path, qtbot, messages, capsys):
    add(opened, qtbot, "rrf(A1, B2)", 'median("A1"*3, B2)')
    opened.edits.set_colour("rrf(A1, B2)", "#123456")
    path = tmp_path / "demo.shrec"
    project = snapshot(opened, path, {})
    write_project(project)
    assert read_project(path).edits.runs == opened.edits.edited.runs
    faulty = (*project.edits.runs.virtual, VirtualRun("rrf(Z9, A1)"), VirtualRun("oracle("), VirtualRun("frr(A1)"))
    write_project(replace(project, edits=replace(project.edits, runs=RunChanges(virtual=faulty))))
    means = opened.mean("queries").copy()
    open_in(opened, path, qtbot)
    restore(opened, read_project(path))
    settle(opened, qtbot)
    assert names(opened)[-2:] == ["rrf(A1, B2)", 'median("A1"*3, B2)']
    np.testing.assert_array_equal(opened.mean("queries"), means)
    assert len([text for text in messages if "irtual" in text]) == 1
    assert run_program(["evaluate", str(path), "--format=json", "--virtual=rrf(A1, B2)"]) == 1  # an error finding
    captured = capsys.readouterr()
    runs = json.loads(captured.out)["runs"]
    assert [run["name"] for run in runs] == names(opened)
    assert runs[-1]["virtual"]["expression"] == 'median("A1"*3, B2)'
    assert "there is no run 'Z9'" in captured.err
    assert run_program(["check", str(path)]) == 1


def test_a_project_selects_the_virtual_runs_that_were_selected(opened, tmp_path, qtbot):
    add(opened, qtbot, "rrf(A1, B2)", "oracle()")
    path, chosen = tmp_path / "demo.shrec", names(opened).index
    opened.select(run=chosen("rrf(A1, B2)"), compared=chosen("oracle()"))
    write_project(snapshot(opened, path, {}))
    for choice in (None, "B1"):  # a run that is selected while they are computed stays selected
        open_in(opened, path, qtbot)
        restore(opened, read_project(path))
        if choice is not None:
            opened.select(run=names(opened).index(choice))
        settle(opened, qtbot)
        assert opened.run.name == (choice or "rrf(A1, B2)")
        assert names(opened)[opened.selection.compared] == "oracle()"
        assert opened.scores is not None


@pytest.mark.parametrize(
    "line", ["virtual = 3", "virtual = [3]", 'virtual = [""]', 'virtual = [["rrf(A1)"]]', "virtual = {}"]
)
def test_a_damaged_list_of_virtual_runs_is_a_finding(tmp_path, demo, line):
    path = tmp_path / "damaged.shrec"
    path.write_text(f'[benchmark]\nfolder = "demo"\n[edits]\n{line}\n', encoding="utf-8")
    project = read_project(path)
    assert project.edits.runs == RunChanges()
    assert [finding.severity for finding in project.findings] == [Severity.ERROR]


def test_journals_keep_virtual_runs(opened, qtbot):
    add(opened, qtbot, *EXPRESSIONS)
    state = opened.edits.edited
    stored = json.loads(json.dumps(to_data(state, JOURNAL_CODECS)))
    assert read_data(EditState, stored, JOURNAL_CODECS) == (state, [])


def test_files_that_geometry_cannot_use_are_a_finding_but_no_left_out_run(session, tmp_path, monkeypatch, qtbot):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = write_sample_benchmark(tmp_path / "damaged")
    broken = next(path for path in sorted((folder / "models").rglob("*.off")))
    broken.write_text("OFF\n")
    open_in(session, folder, qtbot)
    heard = []
    session.message.connect(lambda severity, text, details: heard.append(text))
    add_virtual_runs(session, ["geometry()"])
    settle(session, qtbot)
    assert [run.name for run in session.benchmark.runs][-1] == "geometry()"
    warnings = [one for one in session.findings if one.severity is Severity.WARNING]
    messages = [one.message for one in warnings if one.message.startswith("geometry()")]
    assert messages == [f"geometry() cannot use 1 file: {broken.stem}"]
    assert not any("left out" in text for text in heard)
