"""The assessment in use: steps through those available, scores under each, edits, reloads."""

import numpy as np
import pytest
from sessions import a_session, open_in, settle

from shrec_viewer.evaluation.edits import amended_qrels
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.resources import resource


@pytest.fixture
def session(qapp, qtbot):
    for session in a_session():
        yield open_in(session, resource("demo"), qtbot)


def check_scores(session):
    assert session.scores.benchmark.assessment is session.benchmark.assessment
    expected = evaluate(session.benchmark, session.profile, measures=list(session.measures))
    np.testing.assert_array_equal(session.scores.raw_values, expected.raw_values)


def test_steps_use_each_assessment_and_return_to_the_first(session, qtbot):
    original, first = session.benchmark.assessment, session.mean("queries").copy()
    keys = []
    session.assessments.step(1)  # requested before they are read
    settle(session, qtbot)
    count = len(session.assessments.available)
    assert count > 2
    for _ in range(count - 1):
        keys.append(session.assessments.active_key)
        assert session.benchmark.assessment is session.assessments.active.assessment
        levels = session.benchmark.assessment.gains(session.selection.query, len(session.benchmark.collection))
        items = session.ranked_list.items
        np.testing.assert_array_equal(session.ranked_list.levels[items >= 0], levels[items[items >= 0]])
        check_scores(session)
        session.assessments.step(1)
        settle(session, qtbot)
    assert keys == [one.key for one in session.assessments.available[1:]]
    assert session.benchmark.assessment is original
    assert session.assessments.active is None
    np.testing.assert_array_equal(session.mean("queries"), first)
    session.assessments.step(-1)
    settle(session, qtbot)
    assert session.assessments.active_key == keys[-1]


def test_edits_are_an_assessment_of_their_own(session, qtbot):
    session.assessments.find()
    settle(session, qtbot)
    query, model = session.selection.query, int(session.ranked_list.items[0])
    before = int(session.ranked_list.levels[0])
    session.edits.set_level(query, [model], 2 - before)
    settle(session, qtbot)
    edited = session.benchmark.assessment
    assert [one.key for one in session.assessments.available][:2] == ["read", "edited"]
    assert session.assessments.active_key == "edited"
    session.assessments.use("read")
    settle(session, qtbot)
    assert int(session.ranked_list.levels[0]) == before
    check_scores(session)
    # Levels of another assessment are not edited: the former level would be that of the wrong one.
    messages = []
    session.done.connect(messages.append)
    levels = session.edits.levels
    session.edits.set_level(query, [model], 1)
    assert session.edits.levels == levels
    assert "cannot be edited" in messages[0]
    session.assessments.use("edited")
    settle(session, qtbot)
    assert int(session.ranked_list.levels[0]) == 2 - before
    check_scores(session)
    assert session.benchmark.assessment.edits == edited.edits
    session.edits.stack.undo()
    settle(session, qtbot)
    assert session.assessments.active_key == "read"
    check_scores(session)


def test_undo_of_an_edit_keeps_another_assessment(session, qtbot):
    query, model = session.selection.query, int(session.ranked_list.items[0])
    session.edits.set_level(query, [model], 2 - int(session.ranked_list.levels[0]))
    session.assessments.find()
    settle(session, qtbot)
    session.assessments.use("classes:1")
    settle(session, qtbot)
    used = session.benchmark.assessment
    session.edits.stack.undo()
    settle(session, qtbot)
    assert session.benchmark.assessment is used
    assert next(one.key for one in session.assessments.available) == "read"
    assert "edited" not in [one.key for one in session.assessments.available]
    check_scores(session)


def test_added_runs_and_reloads(session, qtbot):
    session.assessments.find()
    settle(session, qtbot)
    session.assessments.use("classes:1")
    settle(session, qtbot)
    used = session.benchmark.assessment
    session.set_extra_runs([session.benchmark.runs[0]])
    settle(session, qtbot)
    assert session.benchmark.assessment is used
    check_scores(session)
    session.reload()
    settle(session, qtbot)
    assert session.assessments.active is None
    assert session.assessments.active_key == "read"
    check_scores(session)


def test_files_are_added_and_bad_ones_are_reported(session, qtbot, tmp_path):
    good, bad = tmp_path / "second.qrels", tmp_path / "bad.qrels"
    good.write_text(amended_qrels(session.benchmark))
    bad.write_text("x 0 y 1\n")
    messages = []
    session.message.connect(lambda *message: messages.append(message))
    session.assessments.set_files([good, bad])
    settle(session, qtbot)
    assert session.assessments.files == (good,)
    assert session.assessments.available[-1].key == str(good)
    assert [message[0] for message in messages] == ["warning"]
    assert messages[0][1].startswith("bad.qrels is no assessment")
    session.close()
    assert session.assessments.available == ()
    assert session.assessments.files == ()
