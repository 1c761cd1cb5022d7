"""Slices named in a session: undo, projects, merging, and what follows them."""

import json

import numpy as np
import pytest
from sample_benchmark import write_sample_benchmark
from sessions import a_session, open_in, settle

from shrec_viewer.cli import main
from shrec_viewer.content.data import slices_of
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.manifest.edit_state import EditState
from shrec_viewer.formats.manifest.project import read_project
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.viewmodels.session.project import merge_edits, restore, save, snapshot
from shrec_viewer.viewmodels.tasks.tasks import Task


@pytest.fixture
def folder(tmp_path):
    return write_sample_benchmark(tmp_path / "sample_benchmark")


@pytest.fixture
def session(qapp, qtbot, folder):
    for session in a_session():
        yield open_in(session, folder, qtbot)


def known(session):
    return {one.name: one.queries.tolist() for one in slices_of(content_data(session))}


def test_a_slice_is_an_edit_with_undo_that_changes_no_score(session, qtbot):
    before, built_in, busy = session.document, known(session), session.tasks.is_busy
    session.edits.set_slice("mine", [2, 0])
    session.select(slice="mine")
    after = session.document
    assert known(session) == {"mine": [0, 2], **built_in}
    assert not busy("scores")  # nothing is evaluated again
    assert after.scores.raw_values is before.scores.raw_values
    assert after.benchmark.runs is before.benchmark.runs
    assert not after.differs(before, "benchmark", "runs", "assessment", "list")
    assert session.edits.stack.undoText() == "slice mine"
    session.edits.stack.undo()
    assert (known(session), session.selection.slice) == (built_in, "")  # no means over what is not there
    session.edits.stack.redo()
    assert known(session)["mine"] == [0, 2]
    session.edits.set_slice("mine", [1])  # another one of the name
    assert known(session)["mine"] == [1]
    session.edits.set_slice("mine", ())
    assert known(session) == built_in
    settle(session, qtbot)


def test_slices_stay_when_scores_and_files_are_others(session, qtbot, folder):
    session.edits.set_slice("mine", [2, 0])
    session.set_profile("shrec2006")
    settle(session, qtbot)
    assert known(session)["mine"] == [0, 2]
    session.reload()
    settle(session, qtbot)
    assert known(session)["mine"] == [0, 2]


def test_a_project_stores_slices_for_window_and_command_line(session, qtbot, tmp_path, capsys):
    queries = session.benchmark.queries.ids
    session.edits.set_slice("my – 形", [2, 0])
    session.select(slice="my – 形")
    project = save(snapshot(session, tmp_path / "a.shrec", {}), "", None, Task())
    assert read_project(tmp_path / "a.shrec").edits.slices == {"my – 形": (queries[2], queries[0])}
    session.edits.set_slice("my – 形", ())
    restore(session, project)
    assert (known(session)["my – 形"], session.selection.slice) == ([0, 2], "my – 形")
    np.testing.assert_array_equal(read_benchmark(tmp_path / "a.shrec").slices["my – 形"], [0, 2])
    arguments = ["evaluate", str(tmp_path / "a.shrec"), "--measure", "AP", "--slice", "my – 形", "--format", "json"]
    assert main(arguments) == 0
    (found,) = json.loads(capsys.readouterr().out)["runs"][0]["slices"]
    row = session.scores.values_in_mean[0, [0, 2], session.scores.column("AP")]
    assert (found["n"], found["mean"]["AP"]) == (2, pytest.approx(row.mean()))


def test_unknown_queries_of_a_project_are_left_out(folder, tmp_path):
    known = read_benchmark(folder).queries.ids[2]
    slices = f'[edits.slices]\nsome = ["nobody", "{known}"]\nnone = ["nobody"]\n'
    text = f'[benchmark]\nfolder = "{folder.as_posix()}"\n{slices}'
    (tmp_path / "b.shrec").write_text(text, encoding="utf-8")
    found = read_benchmark(tmp_path / "b.shrec")
    assert {name: rows.tolist() for name, rows in found.slices.items()} == {"some": [2]}


def test_slices_of_other_windows_are_merged():
    saved = EditState(slices={"a": ("q1",), "b": ("q2",)})
    kept = EditState(slices={"b": ("q2",), "c": ("q3",)})
    current = EditState(slices={"a": ("q1",), "b": ("q4",)})
    assert merge_edits(saved, kept, current).slices == {"b": ("q4",), "c": ("q3",)}
