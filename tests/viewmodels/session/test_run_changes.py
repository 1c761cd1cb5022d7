"""Runs that are removed, renamed, replaced and added in a session: undo, projects, journals, live reload."""

import os
import shutil
import tempfile
from dataclasses import replace

import numpy as np
import pytest
from sessions import a_session, open_in, settle

from shrec_viewer.domain import Severity
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.discovery.submission import read_submission
from shrec_viewer.formats.io.schema import read_data, to_data
from shrec_viewer.formats.manifest.edit_state import EditState
from shrec_viewer.formats.manifest.project import (
    changed_runs,
    missing_files,
    missing_runs,
    read_project,
    with_hashes,
    write_project,
)
from shrec_viewer.formats.manifest.run_changes import AddedRun, RunChanges
from shrec_viewer.metrics import find_profile
from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.files.run_submission import RunToAdd, destinations, write_runs
from shrec_viewer.viewmodels.session.project import JOURNAL_CODECS, restore, snapshot


@pytest.fixture
def demo(tmp_path):
    return shutil.copytree(resource("demo"), tmp_path / "demo")


@pytest.fixture
def session(qtbot):
    yield from a_session()


@pytest.fixture
def opened(session, demo, qtbot):
    return open_in(session, demo, qtbot)


def names(session):
    return [run.name for run in session.benchmark.runs]


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_removed_and_renamed_runs_keep_scores_files_and_come_back(opened, demo, qtbot):
    before, files, means = names(opened), contents(demo), opened.mean("queries").copy()
    opened.select(run=2, compared=3)
    opened.edits.set_colour("B1", "#123456")
    style = opened.run_styles.styles("light")[2]
    opened.edits.set_runs(RunChanges(frozenset({"A2"})), "remove A2")
    settle(opened, qtbot)
    assert names(opened) == ["A1", "B1", "B2", "C1", "R1"]
    assert opened.run.name == "B1"
    assert opened.benchmark.runs[opened.selection.compared].name == "B2"
    np.testing.assert_array_equal(opened.mean("queries"), means[[0, 2, 3, 4, 5]])
    changes = replace(opened.edits.edited.runs, names={"B1": "Best"})
    opened.edits.set_runs(changes, "rename B1", renamed={"B1": "Best"})
    settle(opened, qtbot)
    assert names(opened) == ["A1", "Best", "B2", "C1", "R1"]
    assert opened.run.name == "Best"
    assert opened.run_styles.styles("light")[1].colour == style.colour
    assert opened.ranked_list is not None
    opened.edits.stack.undo()
    opened.edits.stack.undo()
    settle(opened, qtbot)
    assert names(opened) == before
    np.testing.assert_array_equal(opened.mean("queries"), means)
    opened.edits.stack.redo()
    settle(opened, qtbot)
    assert "A2" not in names(opened)
    assert contents(demo) == files


def submission(tmp_path, demo, name="A9"):
    """A copy of the run A1 outside the benchmark."""
    return shutil.copytree(demo / "runs" / "A1", tmp_path / "mail" / name)


def test_an_added_run_is_read_scored_and_reloaded(opened, demo, tmp_path, qtbot):
    path = submission(tmp_path, demo)
    opened.edits.set_runs(RunChanges(added=(AddedRun(path, "A9", "A"),)), "add A9")
    settle(opened, qtbot)
    assert names(opened)[-1] == "A9"
    np.testing.assert_array_equal(opened.mean("queries")[-1], opened.mean("queries")[0])
    list_file = sorted(path.iterdir())[0]
    lines = list_file.read_text().splitlines()
    list_file.write_text("\n".join(reversed(lines)) + "\n")
    opened.reload_runs({len(names(opened)) - 1})
    settle(opened, qtbot)
    assert not np.array_equal(opened.mean("queries")[-1], opened.mean("queries")[0])
    opened.edits.stack.undo()
    settle(opened, qtbot)
    assert "A9" not in names(opened)
    assert list_file.exists()


def test_a_replacing_run_keeps_name_participant_and_colour(opened, demo, tmp_path, qtbot):
    path = submission(tmp_path, demo)
    styles = opened.run_styles.styles("light")
    added = AddedRun(path, "A2", "somebody", replaces="A2")
    opened.edits.set_runs(RunChanges(added=(added,)), "replace A2")
    settle(opened, qtbot)
    assert names(opened) == ["A1", "A2", "B1", "B2", "C1", "R1"]
    assert opened.benchmark.runs[1].source == path
    assert opened.benchmark.runs[1].participant == opened.runs_as_read[1].participant
    assert opened.run_styles.styles("light") == styles
    opened.reload()
    settle(opened, qtbot)
    assert opened.benchmark.runs[1].source == path


def test_a_missing_added_run_is_a_finding(opened, tmp_path, qtbot):
    opened.edits.set_runs(RunChanges(added=(AddedRun(tmp_path / "gone", "X", "X"),)), "add X")
    settle(opened, qtbot)
    assert "X" not in names(opened)
    found = [finding for finding in opened.findings if "'X' cannot be read" in finding.message]
    assert [finding.severity for finding in found] == [Severity.ERROR]
    assert opened.edits.edited.runs.added


def test_a_project_saves_and_restores_the_changes(opened, demo, tmp_path, qtbot, session):
    path = submission(tmp_path, demo)
    changes = RunChanges(
        frozenset({"C1"}), {"B1": "Best"}, (AddedRun(path, "A9", "A"), AddedRun(path, "R1", "R", replaces="R1"))
    )
    opened.edits.set_runs(changes, "change runs")
    settle(opened, qtbot)
    project = snapshot(opened, tmp_path / "p.shrec", {})
    write_project(project)
    found = read_project(tmp_path / "p.shrec")
    assert found.findings == ()
    assert found.edits.runs == changes
    assert set(found.runs) == {"A1", "A2", "B1", "B2", "C1", "R1"}
    for other in a_session():
        open_in(other, tmp_path / "p.shrec", qtbot)
        restore(other, found)
        settle(other, qtbot)
        assert names(other) == ["A1", "A2", "Best", "B2", "R1", "A9"]
        assert other.benchmark.runs[4].source == path
        assert other.edits.stack.isClean()
    benchmark = read_benchmark(tmp_path / "p.shrec")
    assert [run.name for run in benchmark.runs] == ["A1", "A2", "Best", "B2", "R1", "A9"]
    stored = to_data(opened.edits.edited, JOURNAL_CODECS)
    assert read_data(EditState, stored, JOURNAL_CODECS) == (opened.edits.edited, [])


def test_options_for_reading_are_kept_in_projects_and_links(opened, demo, tmp_path, qtbot):
    np.save(tmp_path / "S.npy", -np.load(demo / "runs" / "B2.npy"))
    options = ReadOptions(similarity=True)
    (submitted,) = read_submission(opened.benchmark, tmp_path / "S.npy", options=options).runs
    opened.edits.set_runs(RunChanges(added=(submitted.added("S"),)), "add S")
    settle(opened, qtbot)
    write_project(snapshot(opened, tmp_path / "p.shrec", {}))
    scores = evaluate(read_benchmark(tmp_path / "p.shrec"), find_profile("default"), measures=["AP"])
    assert scores.mean()[scores.run_index("S")] == scores.mean()[scores.run_index("B2")]
    runs = [RunToAdd(submitted)]
    copy, link, _ = destinations(opened, runs)
    assert "without the given options" in copy.problem
    write_runs(link, runs, None)
    linked = read_benchmark(demo)
    scores = evaluate(linked, find_profile("default"), measures=["AP"])
    assert scores.mean()[scores.run_index("S")] == scores.mean()[scores.run_index("B2")]


def test_a_project_over_archives_stores_paths_below_them(session, demo, tmp_path, qtbot):
    """One archive beside the runs, and one that contains another."""
    runs = demo / "runs"
    for name, inner in (("teamA", "A1"), ("teamB", "B2.npy")):
        (tmp_path / name).mkdir()
        shutil.move(runs / inner, tmp_path / name / inner)
        shutil.copy(runs / "R1.run", tmp_path / name / f"{name}.run")
        shutil.make_archive(str(tmp_path / name), "zip", tmp_path / name)
    (tmp_path / "outer").mkdir()
    shutil.move(tmp_path / "teamB.zip", tmp_path / "outer/teamB.zip")
    shutil.copy(runs / "R1.run", tmp_path / "outer/other.run")
    shutil.make_archive(str(runs / "outer"), "zip", tmp_path / "outer")
    shutil.move(tmp_path / "teamA.zip", runs / "teamA.zip")
    opened = open_in(session, demo, qtbot)
    path = tmp_path / "p.shrec"
    project = snapshot(opened, path, {})
    write_project(with_hashes(project))
    found = read_project(path)
    stored = {run.path.relative_to(demo).as_posix() for run in found.runs.values()}
    packed = {"runs/teamA.zip/A1", "runs/teamA.zip/teamA.run", "runs/outer.zip/other.run"}
    assert stored >= packed | {"runs/outer.zip/teamB.zip/B2.npy", "runs/outer.zip/teamB.zip/teamB.run", "runs/A2"}
    assert tempfile.gettempdir() not in path.read_text().replace(str(tmp_path), "")
    assert (missing_runs(found), missing_files(found), changed_runs(found)) == ((), (), ())
    findings = read_benchmark(path).findings
    assert not [finding for finding in findings if finding.file.endswith(".shrec")]
    shutil.copy(runs / "outer.zip", runs / "teamA.zip")
    assert set(changed_runs(found)) == {name for name, run in found.runs.items() if "teamA.zip" in str(run.path)}
    (runs / "teamA.zip").unlink()
    assert set(missing_runs(found)) == {name for name, run in found.runs.items() if "teamA.zip" in str(run.path)}


@pytest.mark.skipif(os.name == "nt", reason="paths with backslashes are valid TOML literals only")
@pytest.mark.parametrize("table", ['added = [1, {path = "x"}]', 'added = "x"', "removed = 3", "names = [1]"])
def test_hostile_tables_are_findings(opened, tmp_path, table):
    path = tmp_path / "p.shrec"
    write_project(snapshot(opened, path, {}))
    path.write_text(path.read_text().replace("[edits]", f"[edits]\n{table}"))
    found = read_project(path)
    assert found.edits.runs == RunChanges()
    assert found.findings


# -- checking a submission --------------------------------------------------------------------------------------------


def test_a_submission_is_checked_without_adding_it(opened, demo, tmp_path):
    path = submission(tmp_path, demo)
    lists = sorted(path.iterdir())
    lists[0].unlink()
    lists[1].write_text(lists[1].read_text() + "nonsense 3.5\n")
    before = opened.benchmark
    found = read_submission(before, path)
    assert [submitted.run.name for submitted in found.runs] == ["A9"]
    assert found.runs[0].missing == (before.queries.ids[0],)
    assert found.runs[0].unknown >= 1
    assert any(finding.line and finding.file.endswith(lists[1].name) for finding in found.findings)
    assert opened.benchmark is before


@pytest.mark.parametrize("kind", ["zip", "folder"])
def test_a_submission_of_several_runs_as_archive_or_folder(opened, demo, tmp_path, kind, qtbot):
    folder = tmp_path / "mail" / "smith"
    shutil.copytree(demo / "runs" / "A1", folder / "first")
    shutil.copytree(demo / "runs" / "A2", folder / "second")
    path = folder
    if kind == "zip":
        path = shutil.make_archive(str(folder), "zip", folder.parent, "smith")
    found = read_submission(opened.benchmark, path)
    assert [submitted.run.name for submitted in found.runs] == ["first", "second"]
    added = tuple(submitted.added(submitted.run.name) for submitted in found.runs)
    opened.edits.set_runs(RunChanges(added=added), "add")
    settle(opened, qtbot)
    assert names(opened)[-2:] == ["first", "second"]
    np.testing.assert_array_equal(opened.mean("queries")[-2:], opened.mean("queries")[:2])


def test_what_is_no_run_is_an_error(opened, tmp_path):
    text = tmp_path / "letter.txt"
    text.write_text("Dear organisers,\nplease find attached our results.\n")
    assert read_submission(opened.benchmark, text).has_errors
    empty = tmp_path / "empty"
    empty.mkdir()
    assert read_submission(opened.benchmark, empty).has_errors
