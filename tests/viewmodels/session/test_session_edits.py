"""Notes, hidden runs and colours: signals, undo, and reload."""

import gc

import pytest
from sample_benchmark import write_sample_benchmark
from sessions import a_session, open_in, settle

from shrec_viewer.formats.manifest.edit_state import EditState


@pytest.fixture
def session(qapp, qtbot, tmp_path):
    for session in a_session():
        yield open_in(session, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)


def test_opened_benchmark_is_unmodified(session):
    assert session.edits.stack.isClean()
    assert session.edits.edited == EditState()


def test_typing_note_is_one_undo_step(session):
    edits, received = session.edits, []

    def record(old, new):
        assert new.differs(old, "notes")
        received.append({*new.edited.notes.items()} ^ {*old.edited.notes.items()})

    session.changed.connect(record)
    first, second = session.benchmark.queries.ids[:2]
    for text in ("a", "ab", "abc"):
        edits.set_note(first, text)
    edits.set_note(second, "x")
    assert (edits.note(first), edits.note(second)) == ("abc", "x")
    assert edits.stack.undoText() == f"note on {second}"
    assert edits.stack.count() == 2
    edits.stack.undo()
    edits.stack.undo()
    assert edits.notes == {}
    assert edits.stack.isClean()
    edits.stack.redo()
    assert edits.note(first) == "abc"
    assert [{name for name, _ in notes} for notes in received] == [
        {name} for name in [first] * 3 + [second] * 2 + [first] * 2
    ]


def test_merged_note_commands_release_state(session):
    """Nor those of a reverted click: an undo step stores two states."""
    gc.collect()
    before = live_states()
    first = session.benchmark.queries.ids[0]
    for number in range(100):
        session.edits.set_note(first, "a" * (number + 1))
    for _ in range(20):
        session.edits.toggle_run(1)
        session.edits.toggle_run(1)
    gc.collect()
    assert session.edits.stack.count() == 1
    assert live_states() - before <= 2


def live_states():
    return sum(type(thing) is EditState for thing in gc.get_objects())


def test_empty_note_is_removed(session):
    query = session.benchmark.queries.ids[0]
    session.edits.set_note(query, "a")
    session.edits.set_note(query, "")
    assert dict(session.edits.notes) == {}


def test_hiding_run_is_undoable_from_every_view(session):
    names = [run.name for run in session.benchmark.runs]
    every = tuple(range(len(names)))
    session.select(shown_runs=every[1:])
    assert session.edits.stack.undoText() == f"hide {names[0]}"
    session.select(shown_runs=every[2:])
    assert session.edits.stack.undoText() == f"hide {names[1]}"
    session.select(shown_runs=())
    assert session.edits.stack.undoText() == "show only the selected run"
    for shown in (every[2:], every[1:], every):
        session.edits.stack.undo()
        assert session.selection.shown_runs == shown
    session.edits.stack.redo()
    assert session.selection.shown_runs == every[1:]
    assert session.edits.stack.count() == 3


def test_reverted_choice_of_runs_is_no_undo_step(session):
    session.edits.set_colour("A1", "#123456")
    session.edits.toggle_run(0)
    session.edits.toggle_run(0)
    assert session.edits.stack.undoText() == "colour of A1"
    assert session.edits.stack.count() == 1
    session.edits.toggle_run(0)
    session.edits.toggle_run(1)
    session.edits.toggle_run(0)
    assert session.edits.stack.undoText() == "show A1"
    session.edits.stack.undo()
    assert session.selection.visible_runs == (2,)


def test_selected_run_can_be_hidden_and_shown(session):
    run = session.selection.run
    session.edits.toggle_run(run)
    assert run not in session.selection.visible_runs
    assert session.edits.edited.hidden == {session.run.name}
    session.edits.stack.undo()
    assert run in session.selection.visible_runs


def test_only_shown_run_cannot_be_hidden(session):
    received = []
    session.done.connect(received.append)
    session.edits.isolate_run(2)
    assert session.selection.visible_runs == (2,)
    assert session.edits.stack.undoText() == "show only B1"
    session.edits.toggle_run(2)
    assert session.selection.visible_runs == (2,)
    assert received == ["B1 is the only run shown; show another run before hiding it"]
    session.edits.isolate_run(2)
    assert session.selection.visible_runs == (0, 1, 2)
    session.edits.isolate_run(1)
    session.edits.show_all_runs()
    assert not session.edits.stack.canUndo(), "nothing changed"


def test_undo_does_not_change_selection(session):
    session.select(shown_runs=(0,))
    session.select(query=1, rank=2)
    session.edits.stack.undo()
    assert (session.selection.query, session.selection.rank) == (1, 2)


def test_colour_is_set_and_reset(session):
    session.edits.set_colour("A1", "#123456")
    assert session.edits.colours == {"A1": "#123456"}
    assert session.edits.stack.undoText() == "colour of A1"
    session.edits.set_colour("A1", "")
    assert session.edits.colours == {}


def test_reload_keeps_edits_and_another_folder_resets_them(session, tmp_path, qtbot):
    query = session.benchmark.queries.ids[0]
    session.edits.set_note(query, "look here")
    session.select(shown_runs=(0,))
    before = session.edits.edited
    session.reload()
    settle(session, qtbot)
    assert session.edits.edited == before
    assert session.selection.shown_runs == (0,)
    assert session.edits.stack.count() == 2
    open_in(session, write_sample_benchmark(tmp_path / "other"), qtbot)
    assert session.edits.edited == EditState()
    assert session.edits.stack.count() == 0


def test_restoring_project_clears_undo_stack(session):
    query = session.benchmark.queries.ids[0]
    names = [run.name for run in session.benchmark.runs]
    session.edits.restore(EditState({query: "a"}, {names[0]: "#112233"}, frozenset(names[1:])))
    assert session.selection.shown_runs == (0,)
    assert session.edits.stack.count() == 0
    assert session.edits.stack.isClean()


def test_restoring_unsaved_notes_is_undoable(session):
    query = session.benchmark.queries.ids[0]
    session.edits.apply_undoable(EditState({query: "a"}), "unsaved notes")
    assert session.edits.note(query) == "a"
    session.edits.stack.undo()
    assert session.edits.note(query) == ""
