"""Back and forward through selections."""

import pytest
from sample_benchmark import write_sample_benchmark
from sessions import a_session, open_in, settle

from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.session.session import MAX_HISTORY, SelectionHistory


@pytest.fixture
def session(qapp, qtbot, tmp_path):
    for session in a_session():
        yield open_in(session, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)


def test_back_and_forward_restore_selections_with_ranks(session):
    session.select(run=0)
    history = SelectionHistory(session)
    session.select(rank=3)
    assert not history.can_go_back  # changes of rank are not recorded
    session.select(query=1)
    session.select(run=1)
    history.back()
    assert (session.selection.query, session.selection.run) == (1, 0)
    history.back()
    assert (session.selection.query, session.selection.run, session.selection.rank) == (0, 0, 3)
    assert not history.can_go_back
    history.back()
    history.forward()
    history.forward()
    assert (session.selection.query, session.selection.run) == (1, 1)
    assert not history.can_go_forward


def test_automatic_selection_is_not_recorded(session, qtbot):
    """The first run was not selected by the user."""
    history, runs = SelectionHistory(session), []
    session.changed.connect(lambda old, new: runs.append((old.selection.run, new.selection.run)))
    open_in(session, resource("demo"), qtbot)
    assert any(old != new and old >= 0 for old, new in runs), runs
    assert not history.can_go_back
    session.select(query=1)
    assert history.can_go_back


def test_new_selection_clears_forward_stack(session):
    history = SelectionHistory(session)
    session.select(query=1)
    history.back()
    session.select(measure="FT")
    assert not history.can_go_forward
    history.back()
    assert session.selection.measure == ""


def test_history_is_limited_and_emits_changed(session):
    history, received = SelectionHistory(session), []
    history.changed.connect(lambda: received.append(1))
    for step in range(MAX_HISTORY + 20):
        session.select(query=step % 2)
    assert len(history._back_stack) == MAX_HISTORY
    assert len(received) >= MAX_HISTORY
    session.close()
    assert not history.can_go_back


def test_restrictions_are_of_the_selection_and_not_of_its_history(session, qtbot):
    open_in(session, resource("demo"), qtbot)
    history = SelectionHistory(session)
    differences = []
    session.changed.connect(lambda old, new: differences.append(new.differs(old, "restriction")))
    session.select(cause="hubs", within=[7, 3])
    assert (session.selection.cause, session.selection.within) == ("hubs", (3, 7))
    assert differences == [True]
    session.select(query=2)
    assert differences == [True, False]
    session.select(within=[10_000])  # of a benchmark that was closed
    assert session.selection.within == (3, 7)
    history.back()
    assert (session.selection.query, session.selection.cause, session.selection.within) == (0, "hubs", (3, 7))
    assert not history.can_go_back
    session.reload()
    settle(session, qtbot)
    assert (session.selection.cause, session.selection.within) == ("hubs", (3, 7))
    session.close()
    assert (session.selection.cause, session.selection.within) == ("", ())
