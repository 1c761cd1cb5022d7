"""Edits of the assessment in a session: scores, undo, projects, the journal after a kill, and reloads."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from sample_benchmark import write_sample_benchmark
from sessions import a_session, open_in, settle

from shrec_viewer.domain import EditedAssessment
from shrec_viewer.evaluation.edits import AssessmentEdit, level_of, with_edits
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.manifest.edit_state import EditState
from shrec_viewer.formats.manifest.project import read_project
from shrec_viewer.viewmodels.ranking.query_list import QueryListModel
from shrec_viewer.viewmodels.ranking.ranked_list import RankedListModel
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.project import EditJournal, merge_edits, restore, save, snapshot


@pytest.fixture
def folder(tmp_path):
    return write_sample_benchmark(tmp_path / "sample_benchmark")


@pytest.fixture
def session(qapp, qtbot, folder):
    for session in a_session():
        yield open_in(session, folder, qtbot)


def edit_first(session, level=None):
    """Change the level of the first model of the list shown; its index and the new level."""
    query, model = session.selection.query, int(session.ranked_list.items[0])
    old = level_of(session.benchmark, query, model)
    level = (1 if old == 0 else 0) if level is None else level
    session.edits.set_level(query, [model], level)
    return query, model, old, level


def means(session):
    return session.mean("queries").copy()


def test_scores_follow_an_edit_and_its_undo(session, qtbot):
    before, assessment = means(session), session.benchmark.assessment
    query, model, _old, level = edit_first(session)
    settle(session, qtbot)
    assert level_of(session.benchmark, query, model) == level
    assert int(session.ranked_list.levels[0]) == level
    expected = evaluate(session.benchmark, session.profile, measures=list(session.measures))
    np.testing.assert_array_equal(session.scores.raw_values, expected.raw_values)
    assert not np.array_equal(means(session), before, equal_nan=True)
    session.edits.stack.undo()
    settle(session, qtbot)
    assert session.benchmark.assessment is assessment
    np.testing.assert_array_equal(means(session), before)
    session.edits.stack.redo()
    settle(session, qtbot)
    assert level_of(session.benchmark, query, model) == level


def test_an_edit_back_to_the_original_level_is_no_edit(session, qtbot):
    _, _, old, _ = edit_first(session)
    edit_first(session, old)
    assert session.edits.levels == ()
    settle(session, qtbot)
    assert not isinstance(session.benchmark.assessment, EditedAssessment)


def test_author_time_and_reason(session):
    edit_first(session)
    (edit,) = session.edits.levels
    assert len(edit.time) == 20
    session.edits.set_reason(edit.pair, "seen in 3D")
    assert session.edits.levels[0].reason == "seen in 3D"
    session.edits.remove_levels([edit.pair])
    assert session.edits.levels == ()
    assert session.edits.stack.count() == 3


def test_rapid_edits_end_with_the_scores_of_all(session, qtbot):
    query = session.selection.query
    for model in range(4):
        session.edits.set_level(query, [model], 1 + model % 2)
    settle(session, qtbot)
    expected = evaluate(session.benchmark, session.profile, measures=list(session.measures))
    np.testing.assert_array_equal(session.scores.raw_values, expected.raw_values)


def test_a_project_keeps_the_edits(session, qtbot, tmp_path):
    query, model, _, level = edit_first(session)
    session.edits.set_reason(session.edits.levels[0].pair, 'a "quoted" reason, with ünïcode')
    edits = session.edits.levels
    project = snapshot(session, tmp_path / "work.shrec", {})

    class Task:
        cancelled = staticmethod(lambda: False)

    save(project, "", None, Task())
    read = read_project(project.path)
    assert read.findings == ()
    session.edits.restore(EditState())
    restore(session, read)
    assert session.edits.levels == edits
    settle(session, qtbot)
    assert level_of(session.benchmark, query, model) == level


def test_edits_are_in_the_journal_at_once(session, tmp_path):
    """Without an event loop in between: a kill directly after an edit loses nothing."""
    journal = EditJournal(session, tmp_path / "unsaved")
    session.changed.emit(Document(), session.document)  # as when the benchmark is opened with a journal
    edit_first(session)
    (file,) = (tmp_path / "unsaved").glob("*.json")
    (row,) = json.loads(file.read_text())["edited"]["edits"]["levels"]
    assert (row["query"], row["model"]) == session.edits.levels[0].pair
    journal.discard()


def test_a_reload_keeps_the_edits(session, qtbot):
    query, model, _, level = edit_first(session)
    settle(session, qtbot)
    session.reload()
    settle(session, qtbot)
    assert level_of(session.benchmark, query, model) == level
    expected = evaluate(session.benchmark, session.profile, measures=list(session.measures))
    np.testing.assert_array_equal(session.scores.raw_values, expected.raw_values)


def test_another_benchmark_has_no_edits(session, qtbot, tmp_path):
    edit_first(session)
    open_in(session, write_sample_benchmark(tmp_path / "other"), qtbot)
    assert session.edits.levels == ()
    assert not isinstance(session.benchmark.assessment, EditedAssessment)


def test_unknown_ids_are_findings(session):
    edit = AssessmentEdit("no query", "no model", 0, 1)
    session.edits.apply_undoable(EditState(levels={edit.pair: edit}), "edits")
    assert any("no query" in finding.message for finding in session.findings)
    assert with_edits(session.benchmark, session.edits.levels).assessment is session.benchmark.assessment


def test_edits_of_two_sessions_are_merged():
    one, two, three = (AssessmentEdit("q", model, 0, 1) for model in "abc")
    saved = EditState(levels={one.pair: one, three.pair: three})
    kept = EditState(levels={one.pair: one, two.pair: two})  # added b, removed c
    changed = AssessmentEdit("q", "a", 0, 2)
    current = EditState(levels={changed.pair: changed, three.pair: three})  # changed a
    assert merge_edits(saved, kept, current).levels == {one.pair: changed, two.pair: two}


def lost_after_kill(folder, scratch, decisions):
    """Decisions that were logged, and are not in the journal after SIGKILL; and their number.

    The process is killed once it has logged a number of decisions, while it makes the next ones.
    """
    journals, log = scratch / "unsaved", scratch / "log"
    script = Path(__file__).with_name("assess_until_killed.py")
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    process = subprocess.Popen([sys.executable, str(script), str(folder), str(journals), str(log)], env=environment)
    try:
        while process.poll() is None and (not log.exists() or log.read_text().count("\n") < decisions):
            time.sleep(0.001)
    finally:
        process.kill()
        process.wait()
    lines = [line.split("\t") for line in log.read_text().split("\n")[:-1]]
    (file,) = journals.glob("*.json")
    edited = json.loads(file.read_text())["edited"]["edits"]
    levels = {(row["query"], row["model"]): row["level"] for row in edited["levels"]}
    reviewed = {(row["query"], row["model"]): row["decision"] for row in edited["reviewed"]}
    kept = {"review": reviewed, "edit": levels}
    lost = [line for line in lines if line[0] in kept and kept[line[0]].get((line[1], line[2])) != int(line[3])]
    return lost, len(lines), len(levels)


def test_a_kill_loses_no_edit_and_no_decision(folder, tmp_path):
    lost, number, edits = lost_after_kill(folder, tmp_path, 5)
    assert lost == []
    assert number >= 5
    assert edits


def test_an_edit_changes_one_row_of_each_list(session, qtbot):
    """Views paint only what an edit changes: the model with the other level, and the scores of its query."""
    cards, shown = RankedListModel(session), QueryListModel(session)
    changed = {view: [] for view in (cards, shown)}
    for view, rows in changed.items():
        view.dataChanged.connect(
            lambda first, last, _roles=(), rows=rows: rows.append((first.row(), last.row())),
            Qt.ConnectionType.DirectConnection,
        )
    query, *_ = edit_first(session)
    settle(session, qtbot)
    assert (0, 0) in changed[cards]
    assert changed[shown] == [(query, query)]
