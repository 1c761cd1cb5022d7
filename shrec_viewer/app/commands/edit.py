"""Edit menu: undo, copy, notes, run colours and visibility, preferences."""

from PySide6.QtGui import QGuiApplication

from shrec_viewer.app.commands.command import (
    STANDARD,
    Command,
    WindowInterface,
    condition,
    has_assessment,
    has_benchmark,
    has_list,
    has_model,
    has_queries,
    has_scores,
)
from shrec_viewer.app.dialogs.standard_dialogs import choose_colour

#: The entries that copy; those that copy what a panel shows are in the export menu as well.
COPY_MENU = "Edit/Copy"


@condition("a note, a run colour or the runs shown have been changed")
def can_undo(window: WindowInterface) -> bool:
    """Whether there is a step to undo."""
    return has_benchmark(window) and window.session.edits.stack.canUndo()


@condition("a change has been undone")
def can_redo(window: WindowInterface) -> bool:
    """Whether there is a step to redo."""
    return has_benchmark(window) and window.session.edits.stack.canRedo()


def _paste(window: WindowInterface) -> None:
    """Handle the paths on the clipboard as dropped ones."""
    if window.dropped_files is not None:
        window.dropped_files.paste()


@condition("a run is selected")
def has_run(window: WindowInterface) -> bool:
    """Whether a run is selected."""
    return has_benchmark(window) and window.session.run is not None


@condition("the selected run has a custom colour")
def has_custom_colour(window: WindowInterface) -> bool:
    """Whether the colour of the selected run was changed."""
    return has_run(window) and window.session.run.name in window.session.edits.colours


@condition("some runs are hidden in plots")
def hides_runs(window: WindowInterface) -> bool:
    """Whether some runs are hidden in plots."""
    return has_run(window) and len(window.session.selection.shown_runs) < len(window.session.benchmark.runs)


def _copy_id(window: WindowInterface) -> None:
    """Copy the ids of all selected cards; if the ranked list is hidden, that of the selected model."""
    session = window.session
    if window.workspace.is_shown("ranked_list") and window.workspace.ranked_list.copy_ids():
        return
    if (item := session.document.model) is not None:
        QGuiApplication.clipboard().setText(session.benchmark.collection.ids[item])


def _find_query(window: WindowInterface) -> None:
    window.workspace.show_panel("queries")
    window.workspace.queries.focus_filter()


def _write_note(window: WindowInterface) -> None:
    window.workspace.show_panel("notes")
    window.workspace.panel("notes").start_writing()


def choose_run_colour(window: WindowInterface, run: int | None = None) -> None:
    """Open the colour dialog for the run with index `run`, or for the selected run."""
    edits, path = window.session.edits, window.session.path
    name = window.session.benchmark.runs[window.session.selection.run if run is None else run].name
    colour = choose_colour(window, name, edits.colours.get(name, ""))
    if colour and window.session.path == path:  # another benchmark may have been opened behind the dialog
        edits.set_colour(name, colour)


@condition("there are unsaved edits of earlier sessions")
def has_kept_edits(window: WindowInterface) -> bool:
    """Whether edits of earlier sessions are neither restored nor discarded."""
    return has_benchmark(window) and window.projects.unsaved.has_kept_edits


@condition("an added measure is selected")
def has_added_measure(window: WindowInterface) -> bool:
    """Whether the selected measure was added by the user."""
    return has_benchmark(window) and window.session.measure in window.session.added_measures


def _focused_models(window: WindowInterface) -> tuple[int, ...]:
    """Models of the selected cards of the focused grid; else the model of the selected rank."""
    if window.workspace.is_shown("ranked_list") and (models := window.workspace.ranked_list.focused_models()):
        return models
    model = window.session.document.model
    return () if model is None or window.session.selection.rank is None else (model,)


def _set_level(window: WindowInterface, level: int) -> None:
    models = [model for model in _focused_models(window) if model >= 0]
    if models:
        window.session.edits.set_level(window.session.selection.query, models, level)


@condition("the assessment has been edited")
def has_level_edits(window: WindowInterface) -> bool:
    """Whether levels differ from those of the files."""
    return has_benchmark(window) and bool(window.session.edits.levels)


def _add_measure(window: WindowInterface) -> None:
    from shrec_viewer.app.dialogs.measures import AddMeasureDialog  # lazy import: needs numpy

    AddMeasureDialog(window, window.session).open()


def _copy_findings(window: WindowInterface) -> None:
    from shrec_viewer.viewmodels.files.participant_findings import copy_for_participant  # lazy import: needs numpy

    copy_for_participant(window.session)


#: Part of `COMMANDS`, in the order of the menu.
EDIT_COMMANDS: tuple[Command, ...] = (
    Command("undo", "Edit", "&Undo", lambda window: window.session.edits.stack.undo(), (STANDARD.Undo,), can_undo,
            description="Revert the last change of notes, colours, visible runs or camera"),
    Command("redo", "Edit", "&Redo", lambda window: window.session.edits.stack.redo(), (STANDARD.Redo,), can_redo,
            description="Repeat the change that was undone"),
    Command("copy_id", COPY_MENU, "Copy &model id", _copy_id, (STANDARD.Copy,), has_model,
            description="Copy the name of the selected model to the clipboard"),
    Command("copy_rows", COPY_MENU, "Copy models as a &table",
            lambda window: window.workspace.ranked_list.copy_rows(), ("Ctrl+Shift+C",), has_model, "ranked_list",
            description="Copy rank, id, class, relevance and distance of the selected models to the clipboard"),
    Command("copy_strip", COPY_MENU, "Copy list as &image", lambda window: window.workspace.ranked_list.strip.render(),
            ("Ctrl+Alt+C",), has_list,
            description="Copy the first thumbnails of the ranked list to the clipboard"),
    Command("copy_findings", COPY_MENU, "Copy &findings for the participant",
            _copy_findings, (), has_run, starts_group=True,
            description="Copy the findings about the runs of the participant of the selected run, as a text to send"),
    Command("paste", "Edit", "&Paste a file or folder", _paste, (STANDARD.Paste,),
            description="Open, add as a run or check what was copied in a file manager, or a path on the clipboard"),
    Command("find_query", "Edit", "&Find query", _find_query, (STANDARD.Find,), has_queries,
            description="Filter the list of queries by id or class; search"),
    Command("write_note", "Edit", "Write a &note on the query", _write_note, ("Ctrl+Shift+N",), has_queries,
            description="Comment on the selected query"),
    Command("restore_unsaved", "Edit", "Restore unsaved edits", lambda window: window.projects.restore_unsaved(), (),
            has_kept_edits,
            description="Add the edits of earlier sessions that were not saved in a project; can be undone"),
    Command("discard_unsaved", "Edit", "Discard unsaved edits…", lambda window: window.projects.show_discard_dialog(),
            (), has_kept_edits,
            description="Delete the edits of earlier sessions that were not saved in a project"),
    *(
        Command(f"level_{level}", "Edit/Relevance level", text, _set_level, (str(level),), has_assessment, "level",
                value=level, description="Change the relevance of the selected model for this query as an edit; the "
                                         "files are not changed")
        for level, text in enumerate(
            ("&0: not relevant", "&1: (marginally) relevant", "&2: highly relevant", "&3: level 3")
        )
    ),
    Command("restore_levels", "Edit/Relevance level", "Restore the &original levels",
            lambda window: window.session.edits.remove_levels([edit.pair for edit in window.session.edits.levels]), (),
            has_level_edits, starts_group=True,
            description="Remove all edits of the assessment; can be undone"),
    Command("run_colour", "Edit", "Colour of the run…", choose_run_colour, (), has_run, starts_group=True,
            description="Choose the colour of the selected run in plots and tables"),
    Command("usual_colour", "Edit", "Default colour of the run",
            lambda window: window.session.edits.set_colour(window.session.run.name, ""), (), has_custom_colour,
            description="Remove the custom colour of the selected run"),
    Command("hide_run", "Edit", "Hide / show the run in plots",
            lambda window: window.session.edits.toggle_run(window.session.selection.run), (), has_run,
            description="Switch the curves of the selected run on or off"),
    Command("isolate_run", "Edit", "Show only this run",
            lambda window: window.session.edits.isolate_run(window.session.selection.run), (), has_run,
            description="Hide the curves of all other runs"),
    Command("show_all_runs", "Edit", "Show all runs in plots", lambda window: window.session.edits.show_all_runs(), (),
            hides_runs,
            description="Make the hidden runs visible again"),
    Command("add_measure", "Edit", "Add &measure…", _add_measure, ("Ctrl+Shift+M",), has_scores, starts_group=True,
            description="Compute any measure or cutoff under every profile: NN, E@16, NDCG@5"),
    Command("remove_measure", "Edit", "Remove measure",
            lambda window: window.session.remove_measure(window.session.measure), (), has_added_measure,
            description="Remove the selected measure, if it was added, from the table of runs"),
)  # fmt: skip

#: The last row of the menu.
PREFERENCES_COMMANDS: tuple[Command, ...] = (
    Command("preferences", "Edit", "Pr&eferences", lambda window: window.show_preferences(), ("Ctrl+,",),
            starts_group=True,
            description="Settings: theme, font size, thumbnails, renderer, shortcuts, caches"),
)  # fmt: skip
