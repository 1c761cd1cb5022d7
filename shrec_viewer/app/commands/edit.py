"""Edit menu: undo, copy, notes, run colours and visibility, preferences."""

from PySide6.QtGui import QGuiApplication

from shrec_viewer.app.commands.command import STANDARD, Command, WindowInterface, has_benchmark, has_model, has_queries
from shrec_viewer.app.dialogs.standard_dialogs import ask_colour


def can_undo(frame: WindowInterface) -> bool:
    """Something was changed: a note, the runs shown, a colour."""
    return has_benchmark(frame) and frame.session.edits.stack.canUndo()


def can_redo(frame: WindowInterface) -> bool:
    """Something was undone."""
    return has_benchmark(frame) and frame.session.edits.stack.canRedo()


def _undo(frame: WindowInterface) -> None:
    frame.session.edits.stack.undo()


def _redo(frame: WindowInterface) -> None:
    frame.session.edits.stack.redo()


def _copy_id(frame: WindowInterface) -> None:
    """The ids of all cards selected together; where the ranked list is not in sight, that of the selected rank."""
    session = frame.session
    if frame.workspace.is_shown("results") and frame.workspace.results.copy_ids():
        return
    if session.selection.rank is None:
        item = session.selection.model
    else:
        item = int(session.ranked_list.items[session.selection.rank - 1])
    if item >= 0:
        QGuiApplication.clipboard().setText(session.benchmark.collection.ids[item])


def _find_query(frame: WindowInterface) -> None:
    frame.workspace.find_query()


def _write_note(frame: WindowInterface) -> None:
    frame.workspace.show_panel("notes")
    frame.workspace.panel("notes").start_writing()


def has_run(frame: WindowInterface) -> bool:
    """A run is selected."""
    return has_benchmark(frame) and frame.session.run is not None


def has_own_colour(frame: WindowInterface) -> bool:
    """The run has a colour of its own."""
    return has_run(frame) and frame.session.run.name in frame.session.edits.colours


def colour_run(frame: WindowInterface, run: int) -> None:
    """Ask for a colour of the run at this place."""
    name, edits = frame.session.benchmark.runs[run].name, frame.session.edits
    if colour := ask_colour(frame.as_widget(), name, edits.colours.get(name, "")):
        edits.set_colour(name, colour)


def _run_colour(frame: WindowInterface) -> None:
    colour_run(frame, frame.session.selection.run)


def _reset_colour(frame: WindowInterface) -> None:
    frame.session.edits.set_colour(frame.session.run.name, "")


def _hide_run(frame: WindowInterface) -> None:
    frame.session.edits.toggle_run(frame.session.selection.run)


def _show_only_run(frame: WindowInterface) -> None:
    frame.session.edits.isolate_run(frame.session.selection.run)


def hides_runs(frame: WindowInterface) -> bool:
    """Graphs do not draw all runs."""
    return has_run(frame) and len(frame.session.selection.shown_runs) < len(frame.session.benchmark.runs)


def _show_all_runs(frame: WindowInterface) -> None:
    frame.session.edits.show_all_runs()


def _preferences(frame: WindowInterface) -> None:
    frame.desk.show_preferences()


EDIT_ROWS: tuple[Command, ...] = (
    Command("undo", "Edit", "&Undo", _undo, (STANDARD.Undo,), can_undo),
    Command("redo", "Edit", "&Redo", _redo, (STANDARD.Redo,), can_redo),
    Command("copy_id", "Edit", "&Copy model id", _copy_id, (STANDARD.Copy,), has_model, starts_group=True),
    Command("find_query", "Edit", "&Find query", _find_query, (STANDARD.Find,), has_queries),
    Command("write_note", "Edit", "Write a &note on the query", _write_note, ("Ctrl+Shift+N",), has_queries),
    Command("run_colour", "Edit", "Colour of the run…", _run_colour, (), has_run, starts_group=True),
    Command("usual_colour", "Edit", "Usual colour of the run", _reset_colour, (), has_own_colour),
    Command("hide_run", "Edit", "Hide or show the run in graphs", _hide_run, (), has_run),
    Command("isolate_run", "Edit", "Draw the run alone in graphs, or all again", _show_only_run, (), has_run),
    Command("show_all_runs", "Edit", "Show all runs in graphs", _show_all_runs, (), hides_runs),
    Command("preferences", "Edit", "Pr&eferences", _preferences, ("Ctrl+,",), starts_group=True),
)
"""The rows, in the order of the menu."""
