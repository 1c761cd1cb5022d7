"""Undoable edits of a session: notes, relevance levels, hidden runs, camera, and the style of each run."""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from getpass import getuser
from itertools import product
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from shrec_viewer.domain import Assessment, Benchmark, FormatError, PublishedTable, Run, Severity
from shrec_viewer.domain.value_scale import ValueScale
from shrec_viewer.evaluation.comparison.published import published_findings
from shrec_viewer.evaluation.edits import AssessmentEdit, original_assessment, read_edits
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.io.atomic import write_text_atomic
from shrec_viewer.formats.manifest.edit_state import EditState
from shrec_viewer.formats.manifest.run_changes import RunChanges
from shrec_viewer.formats.truth.published import read_published
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
from shrec_viewer.viewmodels.session.document import Document, with_edited
from shrec_viewer.viewmodels.session.selection import Selection

#: `QUndoCommand.id` of the commands that Qt merges: edits of a note; showing and hiding runs.
NOTE_ID, RUNS_ID = 1, 2

#: Reason of edits that are made in a review.
REVIEW_REASON = "review of suspects"

#: Text of the undo step that restores unsaved edits.
RESTORED_EDITS = "edits of an earlier session"

#: Maximum number of undo steps; 500 steps with notes of a page each take half a megabyte.
UNDO_LIMIT = 500


class EditedSession(Protocol):
    """The part of `Session` that this module uses; a protocol, since `Session` imports it."""

    done: Any
    failed: Any
    message: Any
    mesh_view_state: MeshViewState

    @property
    def document(self) -> Document:
        """See `Session`."""

    def apply(self, document: Document) -> None:
        """See `Session`."""

    def select(self, *, shown_runs: Sequence[int] | None = None) -> None:
        """See `Session`."""


class Edits(QObject):
    """Undoable edits of a session; `stack` holds the undo commands and the modified state.

    The values are part of the document. Runs are shown and hidden by `Session.select(shown_runs=...)`, which adds an
    undo command by `record_shown_runs`.

    Attributes
    ----------
    is_recovery_applied : whether the values contain those of `apply_undoable`.
    saved : all values as they were last saved or opened.
    """

    def __init__(self, session: EditedSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.saved = EditState()
        self.is_recovery_applied = False
        self.stack = QUndoStack(self)
        self.stack.setUndoLimit(UNDO_LIMIT)

    @property
    def edited(self) -> EditState:
        """All edited values."""
        return self._session.document.edited

    @property
    def notes(self) -> Mapping[str, str]:
        """Notes by query id."""
        return self.edited.notes

    @property
    def colours(self) -> Mapping[str, str]:
        """Colours by run name."""
        return self.edited.colours

    @property
    def levels(self) -> tuple[AssessmentEdit, ...]:
        """Edits of the assessment, the latest last."""
        return tuple(self.edited.levels.values())

    def set_saved(self, edited: EditState) -> None:
        """Record the values that were saved; if they are still the current ones, nothing is modified."""
        self.saved = edited
        if self.edited == edited:
            self.stack.setClean()

    def note(self, query_id: str) -> str:
        """Note of a query, "" for none."""
        return self.edited.notes.get(query_id, "")

    def set_note(self, query_id: str, text: str) -> None:
        """Set a note; consecutive changes of one note are one undo step."""
        if text != self.note(query_id):
            after = replace(self.edited, notes=_with_text(self.notes, query_id, text))
            self.stack.push(_NoteCommand(self, f"note on {query_id}", self.edited, after, query_id))

    def set_colour(self, run: str, colour: str) -> None:
        """Set the colour of a run, ``#rrggbb``; "" for the default colour."""
        self._push(f"colour of {run}", colours=_with_text(self.colours, run, colour))

    def set_runs(self, changes: RunChanges, text: str, *, renamed: Mapping[str, str] | None = None) -> None:
        """Set the runs that were removed, renamed, added and computed; `text` names the change in the Undo menu.

        Parameters
        ----------
        renamed : new name of runs by the former one; they keep their colour and stay hidden or shown.
        """
        old, names = self.edited, renamed or {}
        if changes == old.runs:
            return
        colours = {names.get(run, run): colour for run, colour in old.colours.items()}
        hidden = frozenset(names.get(run, run) for run in old.hidden)
        self._push(text, colours=colours, hidden=hidden, runs=changes)

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
        self._push(f"level of {name}", levels=levels)

    def _editable(self) -> tuple[Benchmark, Assessment] | None:
        """The benchmark and the assessment that edits refer to; None, and a message, if another one or none is used."""
        document = self._session.document
        original = original_assessment(document.benchmark)
        if original is None:
            self._session.done.emit("The benchmark has no relevance assessment to edit")
            return None
        if document.assessment is not None:
            text = f"Levels of '{document.assessment.label}' cannot be edited, only those as read"
            self._session.done.emit(f"{text}; F7 uses the next assessment")
            return None
        return document.benchmark, original

    def _with_levels(
        self, benchmark: Benchmark, original: Assessment, query: int, chosen: Sequence[int], level: int, reason: str
    ) -> dict[tuple[str, str], AssessmentEdit]:
        """The present edits with another level of some models."""
        levels = dict(self.edited.levels)
        models, relevant = original.relevant(query)
        known = dict(zip(models.tolist(), relevant.tolist(), strict=True))
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
        levels = {pair: edit for pair, edit in self.edited.levels.items() if pair not in others}
        if decision:
            author, time = user_name(), present_time()
            dated = (replace(edit, author=author, time=time, reason=REVIEW_REASON) for edit in edits)
            levels |= {edit.pair: edit for edit in dated}
        self._push_review(("", model), decision, levels)

    def _push_review(
        self, pair: tuple[str, str], decision: int, levels: Mapping[tuple[str, str], AssessmentEdit]
    ) -> None:
        changed = "review" if levels == dict(self.edited.levels) else "level" if pair[0] else "label"
        self._push(f"{changed} of {pair[1]}", levels=levels, reviewed={**self.edited.reviewed, pair: decision})

    def set_reason(self, pair: tuple[str, str], reason: str) -> None:
        """Set the reason of an edit of the assessment."""
        edit = self.edited.levels.get(pair)
        if edit is not None and edit.reason != reason:
            levels = {**self.edited.levels, pair: replace(edit, reason=reason)}
            self._push(f"reason of {pair[1]}", levels=levels)

    def remove_levels(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Restore the levels of the files for these pairs, as one undo step."""
        removed = set(pairs)
        levels = {pair: edit for pair, edit in self.edited.levels.items() if pair not in removed}
        self._push("level edits", levels=levels)

    def load_levels(self, path: Path) -> None:
        """Add the edits of a file, see `read_edits`, as one undo step; what is wrong with it is a message."""
        try:
            edits, findings = read_edits(path, self._session.document.as_read)
        except FormatError as error:
            self._session.failed.emit(f"The edits cannot be read: {error}", "")
            return
        self._push(f"edits of {path.name}", levels={**self.edited.levels, **{edit.pair: edit for edit in edits}})
        if findings:
            details = "\n".join(map(str, findings))
            self._session.message.emit("warning", f"{count_of(len(findings), 'problem')} in {path.name}", details)

    def add_published(self, path: Path) -> None:
        """Add a table of published scores, in place of one of the same name; what is wrong with it is a message."""
        try:
            table = read_published(path)
        except FormatError as error:
            self._session.failed.emit(f"The published scores cannot be read: {error}", "")
            return
        self._push(f"published scores of {path.name}", published=(*self._other_tables(table.source), table))
        findings = published_findings(replace(self._session.document.benchmark, published=(table,)))
        severity = "warning" if any(finding.severity is not Severity.INFO for finding in findings) else "info"
        text = f"{findings[0].message[:1].upper()}{findings[0].message[1:]}; {findings[0].action}"
        self._session.message.emit(severity, text, "\n".join(map(str, findings[1:])))

    def remove_published(self, source: str) -> None:
        """Remove an added table of published scores."""
        self._push(f"published scores of {source}", published=self._other_tables(source))

    def _other_tables(self, source: str) -> tuple[PublishedTable, ...]:
        return tuple(table for table in self.edited.published if table.source != source)

    def _push(self, text: str, **changes: Any) -> None:
        """Replace some values as one undo step; does nothing if they are equal to the present ones."""
        after = replace(self.edited, **changes)
        if after != self.edited:
            self.stack.push(_EditCommand(self, text, self.edited, after))

    def set_slice(self, name: str, queries: Iterable[int]) -> None:
        """Name a set of queries (indices); without queries, forget the slice of this name."""
        ids = tuple(self._session.document.benchmark.queries.ids[query] for query in queries)
        others = {one: kept for one, kept in self.edited.slices.items() if one != name}
        self._push(f"slice {name}", slices={**others, name: ids} if ids else others)

    def toggle_run(self, run: int) -> None:
        """Hide the run with this index in all plots, or show it; the only shown run cannot be hidden."""
        document = self._session.document
        shown = set(document.selection.visible_runs)
        if shown == {run}:
            name = document.benchmark.runs[run].name
            self._session.done.emit(f"{name} is the only run shown; show another run before hiding it")
        else:
            self._session.select(shown_runs=sorted(shown ^ {run}))

    def isolate_run(self, run: int) -> None:
        """Show only this run, or all runs if it is the only one shown."""
        if self._session.document.selection.visible_runs == (run,):
            self.show_all_runs()
        else:
            self._session.select(shown_runs=(run,))

    def show_all_runs(self) -> None:
        """Show all runs."""
        self._session.select(shown_runs=range(len(self._session.document.benchmark.runs)))

    def record_shown_runs(self, old: Document, new: Document) -> None:
        """Add an undo command for other shown runs; called by `Session.select`, which has changed the document."""
        text = shown_runs_text(old.selection, new.selection, [run.name for run in new.benchmark.runs])
        self.stack.push(_RunsCommand(self, text, old.edited, new.edited))

    def change_camera(self, camera: Camera, text: str) -> None:
        """Set the camera of the collection; `text` names the change in the Undo menu."""
        before = self._session.mesh_view_state.camera
        if camera != before:
            self.stack.push(_ImageCommand(self._session.mesh_view_state.set_camera, text, before, camera))

    def change_scale(self, scale: ValueScale | None, text: str) -> None:
        """Set the quantity that colours the thumbnails; `text` names the change in the Undo menu."""
        before = self._session.mesh_view_state.scale
        if scale != before:
            self.stack.push(_ImageCommand(self._session.mesh_view_state.set_scale, text, before, scale))

    def restore(self, edited: EditState) -> None:
        """Set all edited values and clear the undo stack; used when a project is opened."""
        self.stack.clear()
        self.is_recovery_applied = False
        self.saved = edited
        self.apply(edited)

    def apply_undoable(self, edited: EditState, text: str) -> None:
        """Set all edited values as one undo step; used to restore unsaved edits of earlier sessions."""
        self.stack.push(_RecoveryCommand(self, text, self.edited, edited))

    def apply(self, edited: EditState) -> None:
        """Set all edited values; called by undo commands."""
        self._session.apply(with_edited(self._session.document, edited))

    def reset(self) -> None:
        """Start without undo commands and saved values; called by the session when another benchmark is opened."""
        self.is_recovery_applied = False
        self.saved = self.edited
        self.stack.clear()


def _with_text(texts: Mapping[str, str], key: str, text: str) -> dict[str, str]:
    """The texts with another one for a key; "" removes it."""
    return {name: value for name, value in {**texts, key: text}.items() if value}


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


class _ImageCommand(QUndoCommand):
    """Changes the camera of the collection or the colours of its thumbnails, which `MeshViewState` stores."""

    def __init__(self, apply: Callable[[Any], None], text: str, before: object, after: object) -> None:
        super().__init__(text)
        self._apply, self._before, self._after = apply, before, after

    def redo(self) -> None:
        """Set the new values; also called by `QUndoStack.push`."""
        self._apply(self._after)

    def undo(self) -> None:
        """Restore the previous values."""
        self._apply(self._before)


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

    def __init__(self, session: EditedSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.folder: Path | None = None
        self._path: Path | None = None
        self._runs: Sequence[Run] = ()
        self._slots: dict[str, StyleSlot] = {}

    def styles(self, theme: str) -> tuple[RunStyle, ...]:
        """Styles of all runs of the benchmark, in their order, in a theme; with the colours that the user chose.

        A chosen colour keeps dash and marker of the run, unless another run has all three.
        """
        document = self._session.document
        benchmark, chosen = document.benchmark, document.edited.colours
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
        path, runs = self._session.document.path, self._session.document.benchmark.runs
        if path != self._path:
            self._path, self._runs = path, ()
            self._slots = self._read()
        if runs is not self._runs:
            self._runs, former = runs, self._slots
            self._slots = assign_slots(runs, former)
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
