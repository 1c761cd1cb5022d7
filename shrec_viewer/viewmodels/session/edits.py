"""Undoable edits of a session: notes, run colours, hidden runs, camera."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QUndoCommand, QUndoStack

from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.viewmodels.mesh_view.state import MeshViewState
from shrec_viewer.viewmodels.session.selection import Selection

NOTE_ID, RUNS_ID = 1, 2
"""Numbers under which Qt merges the keys typed into one note, and the choice of a run with its taking back."""

UNDO_LIMIT = 500
"""Changes that can be undone: more than anybody remembers, and a note of a page each is still half a megabyte."""


@dataclass(frozen=True)
class EditState:
    """Everything that was changed; what a project keeps.

    Attributes
    ----------
    notes : text by id of the query; no empty ones.
    colours : ``#rrggbb`` by name of the run, where it is not that of its participant.
    hidden : names of the runs that graphs do not show.
    """

    notes: Mapping[str, str] = field(default_factory=dict)
    colours: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()


class Edits(QObject):
    """The changes of one session and the way back through them; `stack` is the one source for "modified".

    Runs are shown and hidden by `Session.select(shown_runs=...)`, whoever does it; this takes note of it.

    Parameters
    ----------
    session : whose; also the parent.

    Signals
    -------
    notes_changed(query_id)
        The note of a query is another one, or with "" all are.
    colours_changed()
        Runs are drawn in other colours.
    changed()
        Anything of the above, or the runs shown.
    """

    notes_changed = Signal(str)
    colours_changed = Signal()
    changed = Signal()

    def __init__(self, session: Any) -> None:
        super().__init__(session)
        self._session = session
        self._path: object = None
        self._edited = EditState()
        self._applying = False
        self.stack = QUndoStack(self)
        self.stack.setUndoLimit(UNDO_LIMIT)
        session.benchmark_changed.connect(self._follow_benchmark)
        session.selection_changed.connect(self._follow_selection)

    @property
    def edited(self) -> EditState:
        """Everything that was changed."""
        return self._edited

    @property
    def notes(self) -> Mapping[str, str]:
        """Notes by id of the query."""
        return self._edited.notes

    @property
    def colours(self) -> Mapping[str, str]:
        """Colours by name of the run."""
        return self._edited.colours

    def note(self, query_id: str) -> str:
        """The note of a query, "" for none."""
        return self._edited.notes.get(query_id, "")

    def set_note(self, query_id: str, text: str) -> None:
        """Write a note; what is typed into one note without anything between is one step back."""
        if text != self.note(query_id):
            words = f"note on {query_id}"
            self.stack.push(_NoteCommand(self, words, self._edited, self._with(notes={query_id: text}), query_id))

    def set_colour(self, run: str, colour: str) -> None:
        """Draw a run in this colour, ``#rrggbb``; "" for that of its participant."""
        if colour != self._edited.colours.get(run, ""):
            self.stack.push(_EditCommand(self, f"colour of {run}", self._edited, self._with(colours={run: colour})))

    def toggle_run(self, run: int) -> None:
        """Hide the run at this place in all graphs, or show it again; the only one drawn stays, and why is told."""
        drawn = set(self._session.selection.drawn_runs)
        if drawn == {run}:
            name = self._session.benchmark.runs[run].name
            self._session.done.emit(f"{name} is the only run that graphs draw: show another one before you hide it")
        else:
            self._session.select(shown_runs=sorted(drawn ^ {run}))

    def isolate_run(self, run: int) -> None:
        """Draw this run alone, or all again where it is alone already."""
        if self._session.selection.drawn_runs == (run,):
            self.show_all_runs()
        else:
            self._session.select(shown_runs=(run,))

    def show_all_runs(self) -> None:
        """Draw all runs."""
        if self._session.benchmark is not None:
            self._session.select(shown_runs=range(len(self._session.benchmark.runs)))

    def change_camera(self, camera: Camera, words: str) -> None:
        """Look at all models of the collection like this; `words` name the change in the menu."""
        before = self._session.mesh_view_state.camera
        if camera != before:
            self.stack.push(_CameraCommand(self._session.mesh_view_state, words, before, camera))

    def restore(self, edited: EditState) -> None:
        """Take over what was kept, without a way back: a project was opened."""
        self.stack.clear()
        self.apply(edited)

    def apply_undoable(self, edited: EditState, words: str) -> None:
        """The same as a change that can be undone: notes that were not saved are brought back."""
        self.stack.push(_EditCommand(self, words, self._edited, edited))

    def apply(self, edited: EditState) -> None:
        """Show this state and tell what is another; steps call it, nobody else."""
        before, self._edited = self._edited, edited
        if before.hidden != edited.hidden:
            self._show_runs(edited.hidden)
        differing = {key for key in {*before.notes, *edited.notes} if before.notes.get(key) != edited.notes.get(key)}
        if differing:
            self.notes_changed.emit(next(iter(differing)) if len(differing) == 1 else "")
        if before.colours != edited.colours:
            self.colours_changed.emit()
        if before != edited:
            self.changed.emit()

    def _with(self, notes: Mapping[str, str] | None = None, colours: Mapping[str, str] | None = None) -> EditState:
        """The present state with some entries replaced; those replaced by "" are gone."""
        old = self._edited
        new_notes = {key: text for key, text in {**old.notes, **(notes or {})}.items() if text}
        new_colours = {key: text for key, text in {**old.colours, **(colours or {})}.items() if text}
        return EditState(new_notes, new_colours, old.hidden)

    def _show_runs(self, hidden: frozenset[str]) -> None:
        benchmark = self._session.benchmark
        if benchmark is None:
            return
        self._applying = True
        try:
            shown = [place for place, run in enumerate(benchmark.runs) if run.name not in hidden]
            self._session.select(shown_runs=shown)
        finally:
            self._applying = False

    @Slot()
    def _follow_benchmark(self) -> None:
        """Another one begins without edits; the same, read once more, keeps them."""
        if self._session.path == self._path and self._session.benchmark is not None:
            return
        had_colours = bool(self._edited.colours)
        self._path = self._session.path
        self._edited = EditState(hidden=self._hidden(self._session.selection))
        self.stack.clear()
        self.notes_changed.emit("")
        if had_colours:
            self.colours_changed.emit()
        self.changed.emit()

    @Slot(object, object)
    def _follow_selection(self, old: Selection, new: Selection) -> None:
        if old.shown_runs == new.shown_runs or self._applying:
            return
        after = self._hidden(new)
        if self._edited.hidden != after:
            edited = EditState(self._edited.notes, self._edited.colours, after)
            words = shown_runs_text(old, new, [run.name for run in self._session.benchmark.runs])
            self.stack.push(_RunsCommand(self, words, self._edited, edited))

    def _hidden(self, selection: Selection) -> frozenset[str]:
        benchmark = self._session.benchmark
        if benchmark is None:
            return frozenset()
        shown = set(selection.shown_runs)
        return frozenset(run.name for place, run in enumerate(benchmark.runs) if place not in shown)


class _EditCommand(QUndoCommand):
    """From one state to the other and back."""

    def __init__(self, edits: Edits, words: str, before: EditState, after: EditState) -> None:
        super().__init__(words)
        self._edits = edits
        self._before = before
        self.after = after

    def redo(self) -> None:
        """Qt override; also called by `QUndoStack.push`."""
        self._edits.apply(self.after)

    def undo(self) -> None:
        """Qt override."""
        self._edits.apply(self._before)


class _RunsCommand(_EditCommand):
    """Another choice of runs; together with its taking back by hand it is no step at all.

    A double click in a legend begins with a click, which is taken back: who undoes it means the double click.
    """

    def id(self) -> int:
        """Qt override; see `RUNS_ID`."""
        return RUNS_ID

    def mergeWith(self, other: QUndoCommand) -> bool:  # noqa: N802
        """Qt override."""
        if not isinstance(other, _RunsCommand) or other.after.hidden != self._before.hidden:
            return False
        self.setObsolete(True)
        _release(other)
        return True


class _CameraCommand(QUndoCommand):
    """From one way of looking at the collection to another; the collection remembers it by itself."""

    def __init__(self, mesh_view_state: MeshViewState, words: str, before: Camera, after: Camera) -> None:
        super().__init__(words)
        self._orbit = mesh_view_state
        self._before, self._after = before, after

    def redo(self) -> None:
        """Qt override; also called by `QUndoStack.push`."""
        self._orbit.set_camera(self._after)

    def undo(self) -> None:
        """Qt override."""
        self._orbit.set_camera(self._before)


class _NoteCommand(_EditCommand):
    """Typing in one note."""

    def __init__(self, edits: Edits, words: str, before: EditState, after: EditState, query_id: str) -> None:
        super().__init__(edits, words, before, after)
        self._query_id = query_id

    def id(self) -> int:
        """Qt override; see `NOTE_ID`."""
        return NOTE_ID

    def mergeWith(self, other: QUndoCommand) -> bool:  # noqa: N802
        """Qt override."""
        if not isinstance(other, _NoteCommand) or other._query_id != self._query_id:
            return False
        self.after = other.after
        _release(other)
        return True


def _release(merged: _EditCommand) -> None:
    """Let go of what a step holds that Qt deletes when it is merged: PySide keeps its Python half for good."""
    merged.__dict__.clear()


def shown_runs_text(old: Selection, new: Selection, names: Sequence[str]) -> str:
    """What another choice of runs is called in the menu, which puts Undo before it.

    Examples
    --------
    >>> runs = ["K1", "K2", "L1"]
    >>> all_of, two = Selection(run=0, shown_runs=(0, 1, 2)), Selection(run=0, shown_runs=(0, 1))
    >>> choice_words(all_of, two, runs), choice_words(two, all_of, runs)
    ('hide L1', 'show L1')
    >>> choice_words(all_of, Selection(run=0, shown_runs=(2,)), runs), choice_words(all_of, Selection(run=0), runs)
    ('draw L1 only', 'draw the selected run only')
    """
    before, after = set(old.drawn_runs), set(new.drawn_runs)
    hidden, shown = before - after, after - before
    if not new.shown_runs:
        return "draw the selected run only"
    if len(hidden) + len(shown) == 1:
        return f"{'hide' if hidden else 'show'} {names[next(iter(hidden or shown))]}"
    if len(after) == 1:
        return f"draw {names[next(iter(after))]} only"
    if len(after) == len(names):
        return "draw all runs"
    return "choice of runs" if hidden and shown else f"{'hide' if hidden else 'show'} {len(hidden or shown)} runs"
