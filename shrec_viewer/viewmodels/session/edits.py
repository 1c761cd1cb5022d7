"""Undoable edits of a session: notes, relevance levels, hidden runs, camera, and the style of each run."""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from getpass import getuser
from itertools import product
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QUndoCommand, QUndoStack

from shrec_viewer.domain import Assessment, Benchmark, Run
from shrec_viewer.evaluation.edits import AssessmentEdit, original_assessment
from shrec_viewer.formats.io.atomic import write_text_atomic
from shrec_viewer.formats.manifest.edit_state import EditState
from shrec_viewer.formats.manifest.run_changes import RunChanges
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.palette import (
    DASHES,
    MARKERS,
    N_COLOURS,
    RunStyle,
    Slots,
    StyleSlot,
    assign_slots,
    run_style,
)
from shrec_viewer.viewmodels.mesh_view.state import MeshViewState
from shrec_viewer.viewmodels.session.selection import Selection

NOTE_ID, RUNS_ID = 1, 2
"""`QUndoCommand.id` of the commands that Qt merges: edits of a note; showing and hiding runs."""

REVIEW_REASON = "review of suspects"
"""Reason of edits that are made in a review."""

UNDO_LIMIT = 500
"""Maximum number of undo steps; 500 steps with notes of a page each take half a megabyte."""


class EditedSession(Protocol):
    """The part of `Session` that `Edits` uses; a protocol, since `Session` imports this module."""

    benchmark_changed: Any
    selection_changed: Any
    done: Any
    mesh_view_state: MeshViewState

    @property
    def benchmark(self) -> Benchmark | None:
        """See `Session`."""

    @property
    def path(self) -> Path | None:
        """See `Session`."""

    @property
    def selection(self) -> Selection:
        """See `Session`."""

    @property
    def assessments(self) -> Any:
        """See `Session`."""

    def select(self, *, shown_runs: Sequence[int] | None = None) -> None:
        """See `Session`."""

    def update_runs(self) -> None:
        """See `Session`."""


class Edits(QObject):
    """Undoable edits of a session; `stack` holds the undo commands and the modified state.

    Runs are shown and hidden by `Session.select(shown_runs=...)`; this adds an undo command for it.

    Attributes
    ----------
    is_recovery_applied : whether the values contain those of `apply_undoable`.

    Signals
    -------
    notes_changed(query_id)
        The note of a query changed; with "" those of several queries.
    colours_changed()
        Colours of runs changed.
    levels_changed()
        Edits of the assessment changed.
    reviews_changed()
        Decisions about suspects changed.
    changed()
        Any of the above, or the shown runs, changed.
    """

    notes_changed = Signal(str)
    colours_changed = Signal()
    levels_changed = Signal()
    reviews_changed = Signal()
    changed = Signal()

    def __init__(self, session: EditedSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._path: object = None
        self._edited = EditState()
        self._saved = EditState()
        self._applying = False  # while an undo command selects runs, which must not become another command
        self.is_recovery_applied = False
        self.stack = QUndoStack(self)
        self.stack.setUndoLimit(UNDO_LIMIT)
        session.benchmark_changed.connect(self._follow_benchmark)
        session.selection_changed.connect(self._follow_selection)

    @property
    def edited(self) -> EditState:
        """All edited values."""
        return self._edited

    @property
    def notes(self) -> Mapping[str, str]:
        """Notes by query id."""
        return self._edited.notes

    @property
    def colours(self) -> Mapping[str, str]:
        """Colours by run name."""
        return self._edited.colours

    @property
    def levels(self) -> tuple[AssessmentEdit, ...]:
        """Edits of the assessment, the latest last."""
        return tuple(self._edited.levels.values())

    @property
    def saved(self) -> EditState:
        """All values as they were last saved or opened."""
        return self._saved

    def set_saved(self, edited: EditState) -> None:
        """Record the values that were saved; if they are still the current ones, nothing is modified."""
        self._saved = edited
        if self._edited == edited:
            self.stack.setClean()

    def note(self, query_id: str) -> str:
        """Note of a query, "" for none."""
        return self._edited.notes.get(query_id, "")

    def set_note(self, query_id: str, text: str) -> None:
        """Set a note; consecutive changes of one note are one undo step."""
        if text != self.note(query_id):
            after = self._with_changes(notes={query_id: text})
            self.stack.push(_NoteCommand(self, f"note on {query_id}", self._edited, after, query_id))

    def set_colour(self, run: str, colour: str) -> None:
        """Set the colour of a run, ``#rrggbb``; "" for the default colour."""
        if colour != self._edited.colours.get(run, ""):
            self.stack.push(
                _EditCommand(self, f"colour of {run}", self._edited, self._with_changes(colours={run: colour}))
            )

    def set_runs(self, changes: RunChanges, text: str, *, renamed: Mapping[str, str] | None = None) -> None:
        """Set the runs that were removed, renamed, added and computed; `text` names the change in the Undo menu.

        Parameters
        ----------
        renamed : new name of runs by the former one; they keep their colour and stay hidden or shown.
        """
        old, names = self._edited, renamed or {}
        if changes == old.runs:
            return
        colours = {names.get(run, run): colour for run, colour in old.colours.items()}
        hidden = frozenset(names.get(run, run) for run in old.hidden)
        self.stack.push(_EditCommand(self, text, old, replace(old, colours=colours, hidden=hidden, runs=changes)))

    def set_level(self, query: int, models: Iterable[int], level: int, reason: str = "") -> None:
        """Set the relevance level of models (indices) for a query as one undo step; the files are not changed.

        A model whose level becomes that of the files has no edit any more.
        """
        if (editable := self._editable()) is None:
            return
        benchmark, original = editable
        chosen = list(models)
        levels = self._with_levels(benchmark, original, query, chosen, level, reason)
        name = benchmark.collection.ids[chosen[0]] if len(chosen) == 1 else f"{len(chosen)} models"
        self._push_levels(f"level of {name}", levels)

    def _editable(self) -> tuple[Benchmark, Assessment] | None:
        """The benchmark and the assessment that edits refer to; None, and a message, if another one or none is used."""
        benchmark = self._session.benchmark
        original = None if benchmark is None else original_assessment(benchmark)
        if benchmark is None or original is None:
            self._session.done.emit("The benchmark has no relevance assessment to edit")
            return None
        if (active := self._session.assessments.active) is not None:
            text = f"Levels of '{active.label}' cannot be edited, only those as read; F7 uses the next assessment"
            self._session.done.emit(text)
            return None
        return benchmark, original

    def _with_levels(
        self, benchmark: Benchmark, original: Assessment, query: int, chosen: Sequence[int], level: int, reason: str
    ) -> dict[tuple[str, str], AssessmentEdit]:
        """The present edits with another level of some models."""
        levels = dict(self._edited.levels)
        known = dict(zip(*(column.tolist() for column in original.relevant(query)), strict=True))
        for model in chosen:
            pair = benchmark.queries.ids[query], benchmark.collection.ids[model]
            former = levels.pop(pair, None)
            if (original_level := int(known.get(model, 0))) != level:
                kept = reason or ("" if former is None else former.reason)
                levels[pair] = AssessmentEdit(*pair, original_level, level, user_name(), present_time(), kept)
        return levels

    def review_pair(self, query: int, model: int, level: int) -> None:
        """Record the decision about a suspect, and the edit that follows from it, as one undo step."""
        if (editable := self._editable()) is None:
            return
        benchmark, original = editable
        pair = benchmark.queries.ids[query], benchmark.collection.ids[model]
        levels = self._with_levels(benchmark, original, query, [model], level, REVIEW_REASON)
        self._push_review(pair, level, levels)

    def review_label(self, model: str, decision: int, edits: Sequence[AssessmentEdit]) -> None:
        """Record the decision about the label of a model (id) as one undo step.

        Parameters
        ----------
        decision : 0 to keep the label, 1 for the suggested one.
        edits : the levels that follow from the suggested label.
        """
        if self._editable() is None:
            return
        others = {edit.pair for edit in edits}
        levels = {pair: edit for pair, edit in self._edited.levels.items() if pair not in others}
        if decision:
            author, time = user_name(), present_time()
            dated = (replace(edit, author=author, time=time, reason=REVIEW_REASON) for edit in edits)
            levels |= {edit.pair: edit for edit in dated}
        self._push_review(("", model), decision, levels)

    def _push_review(
        self, pair: tuple[str, str], decision: int, levels: Mapping[tuple[str, str], AssessmentEdit]
    ) -> None:
        after = replace(self._edited, levels=levels, reviewed={**self._edited.reviewed, pair: decision})
        if after != self._edited:
            self.stack.push(_EditCommand(self, f"review of {pair[1]}", self._edited, after))

    def set_reason(self, pair: tuple[str, str], reason: str) -> None:
        """Set the reason of an edit of the assessment."""
        edit = self._edited.levels.get(pair)
        if edit is not None and edit.reason != reason:
            self._push_levels(f"reason of {pair[1]}", {**self._edited.levels, pair: replace(edit, reason=reason)})

    def remove_levels(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Restore the levels of the files for these pairs, as one undo step."""
        removed = set(pairs)
        self._push_levels("level edits", {pair: e for pair, e in self._edited.levels.items() if pair not in removed})

    def add_levels(self, edits: Iterable[AssessmentEdit], text: str) -> None:
        """Add edits of the assessment, as of a file, as one undo step."""
        self._push_levels(text, {**self._edited.levels, **{edit.pair: edit for edit in edits}})

    def _push_levels(self, text: str, levels: Mapping[tuple[str, str], AssessmentEdit]) -> None:
        if dict(self._edited.levels) != dict(levels):
            self.stack.push(_EditCommand(self, text, self._edited, replace(self._edited, levels=levels)))

    def toggle_run(self, run: int) -> None:
        """Hide the run with this index in all plots, or show it; the only shown run cannot be hidden."""
        shown, benchmark = set(self._session.selection.visible_runs), self._session.benchmark
        if shown == {run} and benchmark is not None:
            name = benchmark.runs[run].name
            self._session.done.emit(f"{name} is the only run shown; show another run before hiding it")
        else:
            self._session.select(shown_runs=sorted(shown ^ {run}))

    def isolate_run(self, run: int) -> None:
        """Show only this run, or all runs if it is the only one shown."""
        if self._session.selection.visible_runs == (run,):
            self.show_all_runs()
        else:
            self._session.select(shown_runs=(run,))

    def show_all_runs(self) -> None:
        """Show all runs."""
        if self._session.benchmark is not None:
            self._session.select(shown_runs=range(len(self._session.benchmark.runs)))

    def change_camera(self, camera: Camera, text: str) -> None:
        """Set the camera of the collection; `text` names the change in the Undo menu."""
        before = self._session.mesh_view_state.camera
        if camera != before:
            self.stack.push(_CameraCommand(self._session.mesh_view_state, text, before, camera))

    def restore(self, edited: EditState) -> None:
        """Set all edited values and clear the undo stack; used when a project is opened."""
        self.stack.clear()
        self.is_recovery_applied = False
        self._saved = edited
        self.apply(edited)

    def apply_undoable(self, edited: EditState, text: str) -> None:
        """Set all edited values as one undo step; used to restore unsaved edits of earlier sessions."""
        self.stack.push(_RecoveryCommand(self, text, self._edited, edited))

    def apply(self, edited: EditState) -> None:
        """Set all edited values and emit the signals; called by undo commands."""
        before, self._edited = self._edited, edited
        if before.runs != edited.runs:
            self._session.update_runs()
        if before.hidden != edited.hidden:
            self._show_runs(edited.hidden)
        differing = {key for key in {*before.notes, *edited.notes} if before.notes.get(key) != edited.notes.get(key)}
        if differing:
            self.notes_changed.emit(next(iter(differing)) if len(differing) == 1 else "")
        if before.colours != edited.colours:
            self.colours_changed.emit()
        if before != edited:
            self.changed.emit()
        if before.reviewed != edited.reviewed:
            self.reviews_changed.emit()
        if before.levels != edited.levels:
            self.levels_changed.emit()

    def _with_changes(
        self, notes: Mapping[str, str] | None = None, colours: Mapping[str, str] | None = None
    ) -> EditState:
        """The current values with some entries replaced; "" removes an entry."""
        old = self._edited
        new_notes = {key: text for key, text in {**old.notes, **(notes or {})}.items() if text}
        new_colours = {key: text for key, text in {**old.colours, **(colours or {})}.items() if text}
        return replace(old, notes=new_notes, colours=new_colours)

    def _show_runs(self, hidden: frozenset[str]) -> None:
        benchmark = self._session.benchmark
        if benchmark is None:
            return
        self._applying = True
        try:
            shown = [index for index, run in enumerate(benchmark.runs) if run.name not in hidden]
            self._session.select(shown_runs=shown)
        finally:
            self._applying = False

    @Slot()
    def _follow_benchmark(self) -> None:
        """Reset the edits when another benchmark is opened, not when it is reloaded."""
        if self._session.path == self._path and self._session.benchmark is not None:
            return
        had_colours = bool(self._edited.colours)
        self._path = self._session.path
        self._edited = self._saved = EditState(hidden=self._hidden(self._session.selection))
        self.is_recovery_applied = False
        self.stack.clear()
        self.notes_changed.emit("")
        if had_colours:
            self.colours_changed.emit()
        self.changed.emit()

    @Slot(object, object)
    def _follow_selection(self, old: Selection, new: Selection) -> None:
        benchmark = self._session.benchmark
        if old.shown_runs == new.shown_runs or self._applying or benchmark is None:
            return
        after = self._hidden(new)
        if self._edited.hidden != after:
            edited = replace(self._edited, hidden=after)
            text = shown_runs_text(old, new, [run.name for run in benchmark.runs])
            self.stack.push(_RunsCommand(self, text, self._edited, edited))

    def _hidden(self, selection: Selection) -> frozenset[str]:
        benchmark = self._session.benchmark
        if benchmark is None:
            return frozenset()
        shown = set(selection.shown_runs)
        return frozenset(run.name for index, run in enumerate(benchmark.runs) if index not in shown)


def user_name() -> str:
    """Name of the user of the system, the author of edits; "" if it is unknown."""
    try:
        return getuser()
    except (OSError, KeyError, ImportError):  # no such variable and no such user, as in containers
        return ""


def present_time() -> str:
    """Time of an edit, ISO 8601 in UTC to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class _EditCommand(QUndoCommand):
    """Changes all edited values from one state to another."""

    def __init__(self, edits: Edits, text: str, before: EditState, after: EditState) -> None:
        super().__init__(text)
        self._edits = edits
        self._before = before
        self.after = after

    def redo(self) -> None:
        """Set the new values; also called by `QUndoStack.push`."""
        self._edits.apply(self.after)

    def undo(self) -> None:
        """Restore the previous values."""
        self._edits.apply(self._before)


class _RecoveryCommand(_EditCommand):
    """Adds edits of earlier sessions; records whether they are part of the current ones."""

    def redo(self) -> None:
        """Set the new values; also called by `QUndoStack.push`."""
        self._edits.is_recovery_applied = True
        super().redo()

    def undo(self) -> None:
        """Restore the previous values."""
        self._edits.is_recovery_applied = False
        super().undo()


class _RunsCommand(_EditCommand):
    """Changes the shown runs; removed from the stack when the next command restores the previous runs.

    The first click of a double click in a legend toggles a run; the double click reverts it, and only the double click
    should be an undo step.
    """

    def id(self) -> int:
        """`RUNS_ID`: Qt merges commands of the same id."""
        return RUNS_ID

    def mergeWith(self, other: QUndoCommand) -> bool:  # noqa: N802
        """Merge the next command if it restores the previous runs."""
        if not isinstance(other, _RunsCommand) or other.after.hidden != self._before.hidden:
            return False
        self.setObsolete(True)
        _release(other)
        return True


class _CameraCommand(QUndoCommand):
    """Changes the camera of the collection, which `MeshViewState` stores."""

    def __init__(self, mesh_view_state: MeshViewState, text: str, before: Camera, after: Camera) -> None:
        super().__init__(text)
        self._mesh_view_state = mesh_view_state
        self._before, self._after = before, after

    def redo(self) -> None:
        """Set the new values; also called by `QUndoStack.push`."""
        self._mesh_view_state.set_camera(self._after)

    def undo(self) -> None:
        """Restore the previous values."""
        self._mesh_view_state.set_camera(self._before)


class _NoteCommand(_EditCommand):
    """Changes one note; consecutive commands for the same note are merged."""

    def __init__(self, edits: Edits, text: str, before: EditState, after: EditState, query_id: str) -> None:
        super().__init__(edits, text, before, after)
        self._query_id = query_id

    def id(self) -> int:
        """`NOTE_ID`: Qt merges commands of the same id."""
        return NOTE_ID

    def mergeWith(self, other: QUndoCommand) -> bool:  # noqa: N802
        """Merge the next command if it changes the same note."""
        if not isinstance(other, _NoteCommand) or other._query_id != self._query_id:
            return False
        self.after = other.after
        _release(other)
        return True


def _release(merged: _EditCommand) -> None:
    """Clear the attributes of a merged command: Qt deletes it, but PySide 6 never frees the Python object."""
    merged.__dict__.clear()


def shown_runs_text(old: Selection, new: Selection, names: Sequence[str]) -> str:
    """Text of the undo command for another choice of shown runs.

    Examples
    --------
    >>> runs = ["K1", "K2", "L1"]
    >>> all_runs, two = Selection(run=0, shown_runs=(0, 1, 2)), Selection(run=0, shown_runs=(0, 1))
    >>> shown_runs_text(all_runs, two, runs), shown_runs_text(two, all_runs, runs)
    ('hide L1', 'show L1')
    >>> shown_runs_text(all_runs, Selection(run=0, shown_runs=(2,)), runs)
    'show only L1'
    >>> shown_runs_text(all_runs, Selection(run=0), runs)
    'show only the selected run'
    """
    before, after = set(old.visible_runs), set(new.visible_runs)
    hidden, shown = before - after, after - before
    if not new.shown_runs:
        return "show only the selected run"
    if len(hidden) + len(shown) == 1:
        return f"{'hide' if hidden else 'show'} {names[next(iter(hidden or shown))]}"
    if len(after) == 1:
        return f"show only {names[next(iter(after))]}"
    if len(after) == len(names):
        return "show all runs"
    return "change shown runs" if hidden and shown else f"{'hide' if hidden else 'show'} {len(hidden or shown)} runs"


def distinct_style(style: RunStyle, used: Iterable[RunStyle]) -> RunStyle:
    """`style`, with another dash or marker if a run in `used` looks the same."""
    taken = {_look(other) for other in used}
    markers, dashes = dict.fromkeys((style.marker, "", *MARKERS[1:])), dict.fromkeys((style.dash, *DASHES))
    candidates = (style._replace(dash=dash, marker=marker) for marker, dash in product(markers, dashes))
    return next((candidate for candidate in candidates if _look(candidate) not in taken), style)


def _look(style: RunStyle) -> tuple[str, str, str]:
    return style.colour.upper(), style.dash, style.marker


class StyledSession(Protocol):
    """The part of `Session` that `RunStyles` uses; a protocol, since `Session` imports this module."""

    edits: Any

    @property
    def benchmark(self) -> Benchmark | None:
        """See `Session`."""

    @property
    def path(self) -> Path | None:
        """See `Session`."""


class RunStyles(QObject):
    """Styles of the runs of the open benchmark.

    A run keeps its style when other runs are added, removed or reloaded, and when the benchmark is opened again.

    Attributes
    ----------
    folder : folder with one file per benchmark, read when a benchmark is opened; None stores nothing.

    Signals
    -------
    changed()
        Styles of open runs changed: a colour was chosen, or a project was restored.
    """

    changed = Signal()

    def __init__(self, session: StyledSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.folder: Path | None = None
        self._path: Path | None = None
        self._runs: Sequence[Run] = ()
        self._slots: dict[str, StyleSlot] = {}
        session.edits.colours_changed.connect(self.changed)

    def styles(self, theme: str) -> tuple[RunStyle, ...]:
        """Styles of all runs of the benchmark, in their order, in a theme; with the colours that the user chose.

        A chosen colour keeps dash and marker of the run, unless another run has all three.
        """
        benchmark, chosen = self._session.benchmark, self._session.edits.colours
        if benchmark is None:
            return ()
        slots = self.slots()
        found = [run_style(slots[run.name], theme) for run in benchmark.runs]
        used = {style for run, style in zip(benchmark.runs, found, strict=True) if run.name not in chosen}
        for index, run in enumerate(benchmark.runs):
            if run.name in chosen:
                found[index] = distinct_style(found[index]._replace(colour=chosen[run.name]), used)
                used.add(found[index])
        return tuple(found)

    def slots(self) -> Slots:
        """Slots of the open benchmark's runs; new ones are assigned and stored."""
        benchmark = self._session.benchmark
        if self._session.path != self._path:
            self._path, self._runs = self._session.path, ()
            self._slots = self._read()
        if benchmark is not None and benchmark.runs is not self._runs:
            self._runs, former = benchmark.runs, self._slots
            self._slots = assign_slots(benchmark.runs, former)
            if self._slots != former:
                self._write()
        return self._slots

    def copy_slot(self, run: str, renamed: str) -> None:
        """Give a run the same slot under a new name, before it is renamed."""
        slots = self.slots()
        if run in slots:
            self._slots = {**slots, renamed: slots[run]}
            self._write()

    def restore(self, slots: object) -> None:
        """Use the slots of a project, three numbers by name of the run; other runs get new ones."""
        former = dict(self.slots())
        if not isinstance(slots, Mapping):  # of a project without styles
            return
        self._runs, self._slots = (), _valid_slots(slots)
        if self.slots() != former:
            self.changed.emit()

    def _file(self) -> Path | None:
        if self.folder is None or self._path is None:
            return None
        return self.folder / f"{hashlib.sha256(os.fsencode(self._path.resolve())).hexdigest()[:24]}.json"

    def _read(self) -> dict[str, StyleSlot]:
        try:
            path = self._file()
            return {} if path is None else _valid_slots(json.loads(path.read_text(encoding="utf-8"))["runs"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):  # no such file, or damaged
            return {}

    def _write(self) -> None:
        path = self._file()
        if path is None:
            return
        content = {"path": str(self._path), "runs": {name: list(slot) for name, slot in self._slots.items()}}
        with suppress(OSError):  # where the folder cannot be written, styles last until the program ends
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text_atomic(path, json.dumps(content))  # ASCII: names may have bytes that are not UTF-8


def _valid_slots(slots: object) -> dict[str, StyleSlot]:
    """The valid entries of stored slots; the first of several runs with the same slot."""
    found: dict[str, StyleSlot] = {}
    for name, indices in slots.items() if isinstance(slots, Mapping) else ():
        if not isinstance(indices, Sequence) or [type(index) for index in indices] != [int, int, int]:
            continue
        slot = StyleSlot(*indices)
        sizes = (N_COLOURS, len(DASHES), len(MARKERS))
        is_valid = all(0 <= index < size for index, size in zip(slot, sizes, strict=True))
        if is_valid and slot not in found.values():
            found[str(name)] = slot
    return found


def run_styles_folder() -> Path:
    """Folder of the files with the styles of each benchmark on this system."""
    from platformdirs import user_data_path

    return user_data_path("shrec-viewer", appauthor=False) / "run_styles"
