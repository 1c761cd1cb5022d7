"""File menu: open, save, export, reload, import settings."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QWidget

from shrec_viewer.app.commands.command import (
    STANDARD,
    Command,
    WindowInterface,
    condition,
    has_benchmark,
    has_queries,
)
from shrec_viewer.app.dialogs.standard_dialogs import choose_file, choose_folder, is_exporting
from shrec_viewer.widgets.controls.file_dialogs import choose_open_path

EXPORT_MENU = "File/Export"

#: File filter of tables of published scores.
PUBLISHED_FILTER = "Tables (*.csv *.tsv *.txt);;All files (*)"


@condition("a panel is shown")
def has_panel(window: WindowInterface) -> bool:
    """Whether a benchmark is open and a panel is focused or central."""
    return has_benchmark(window) and window.workspace is not None and window.workspace.panel_export() is not None


@condition("the benchmark has relevance assessments")
def has_truth(window: WindowInterface) -> bool:
    """Whether relevant models are known, with or without runs."""
    return has_benchmark(window) and window.session.benchmark.assessment is not None


def _open_chosen(window: WindowInterface, choose: Callable[[QWidget, Path], Path | None]) -> None:
    """Open the path chosen in a dialog, which starts in the parent folder of the last benchmark."""
    start = Path(window.settings.recent[0]).parent if window.settings.recent else Path.home()
    if (path := choose(window, start)) is not None:
        window.open_path(path)


def _panel_title(window: WindowInterface) -> str:
    export = window.workspace.panel_export() if window.workspace is not None else None
    return "" if export is None else str(export.title)


def _call_export(window: WindowInterface, method: str) -> None:
    """Call a method of the export of the focused panel, else of the central one."""
    if (export := window.workspace.panel_export()) is not None:
        getattr(export, method)()


def _export_site(window: WindowInterface) -> None:
    from shrec_viewer.app.dialogs.site_export import SITE_TASK, SiteExportDialog  # lazy import, as above

    if not is_exporting(window.session, SITE_TASK, "The contest site"):
        SiteExportDialog(window, window.session).open()


def _export_everything(window: WindowInterface) -> None:
    from shrec_viewer.app.dialogs.everything_export import EVERYTHING_TASK, choose_and_export  # lazy import, as above

    if not is_exporting(window.session, EVERYTHING_TASK, "The export of everything"):
        choose_and_export(window, window.session)


def _add_virtual_run(window: WindowInterface) -> None:
    """Open the dialog for a fusion of the runs that are selected in the table."""
    from shrec_viewer.evaluation.virtual_runs import quoted_run_name  # lazy imports, as above
    from shrec_viewer.panels.files.virtual_run_dialog import VirtualRunDialog

    table = window.workspace.existing_panel("leaderboard")
    rows = table.table.selected_runs() if table is not None else ()
    runs = window.session.benchmark.runs
    chosen = [runs[row] for row in rows if row < len(runs)]  # published scores are below
    names = [run.expression or quoted_run_name(run.name) for run in chosen] if len(chosen) > 1 else []
    VirtualRunDialog(window.session, window, names).open()


def _add_published(window: WindowInterface) -> None:
    path = choose_open_path(window, "Add published scores", "published", Path.home(), PUBLISHED_FILTER)
    if path is not None:
        window.session.edits.add_published(path)


def _import_settings(window: WindowInterface) -> None:
    from shrec_viewer.panels.files.import_dialog import open_import_dialog  # lazy import, as above

    open_import_dialog(window, window.session)


#: Part of `COMMANDS`, in the order of the menu.
FILE_COMMANDS: tuple[Command, ...] = (
    Command("open_folder", "File", "&Open folder…", lambda window: _open_chosen(window, choose_folder),
            (STANDARD.Open,),
            description="Open a benchmark: a folder with models, classification and runs"),
    Command("open_file", "File", "Open &file…", lambda window: _open_chosen(window, choose_file), ("Ctrl+Shift+O",),
            description="Open a benchmark.toml, a zipped benchmark or a project"),
    Command("open_demo", "File", "Open the &demo", lambda window: window.open_demo(), ("Ctrl+D",),
            description="Open the bundled example benchmark"),
    Command("add_runs", "File", "Add ru&ns…", lambda window: window.dropped_files.show_dialog(), ("Ctrl+Shift+A",),
            has_benchmark,
            description="Check submissions, as file, folder or archive, against the benchmark, and add their runs"),
    Command("add_virtual_run", "File", "Virtual r&un…", _add_virtual_run, (), has_queries,
            description="Add or change a run computed from others: fusion, best run per query, ideal or random"),
    Command("add_published", "File", "&Published scores…", _add_published, (), has_truth,
            description="Show a table of published scores beside the computed ones: a row per run or method"),
    Command("save", "File", "&Save project", lambda window: window.projects.save(), (STANDARD.Save,), has_benchmark,
            starts_group=True,
            description="Save selection, layout, notes and edits in a .shrec file"),
    Command("save_as", "File", "Save project &as…", lambda window: window.projects.save_as(), ("Ctrl+Shift+S",),
            has_benchmark,
            description="Save selection, layout, notes and edits in another .shrec file"),
    Command("panel_copy", EXPORT_MENU, "&Copy", _call_export, (), has_panel, value="copy", subject=_panel_title,
            description="Copy what the focused panel shows: figure as vectors and image, table as text"),
    Command("panel_export", EXPORT_MENU, "&Export…", _call_export, ("Ctrl+E",), has_panel, value="open_dialog",
            subject=_panel_title,
            description="Save the focused panel as SVG, PDF, PNG or PGF, or as CSV, JSON, LaTeX or Markdown table"),
    Command("panel_command", EXPORT_MENU, "Copy as co&mmand", _call_export, (), has_panel, value="copy_command",
            subject=_panel_title,
            description="Copy the command line that writes the figure or table of the focused panel again"),
    Command("export_everything", EXPORT_MENU, "Export e&verything…", _export_everything, (), has_benchmark,
            starts_group=True,
            description="Save all tables, figures, findings and runs in a folder, with a manifest and the commands"),
    Command("export_site", EXPORT_MENU, "Contest si&te…", _export_site, (), has_truth,
            description="Save the results of all runs as a static site"),
    Command("reload", "File", "&Reload", lambda window: window.session.reload(), ("F5",), has_benchmark,
            starts_group=True,
            description="Read all files of the benchmark again"),
    Command("close", "File", "&Close", lambda window: window.session.close(), (STANDARD.Close,), has_benchmark,
            description="Close the benchmark and show the welcome page"),
    Command("import_settings", "File", "&Import settings…", _import_settings, ("Ctrl+I",), has_benchmark,
            starts_group=True,
            description="Interpretation of the files: columns, order, similarity or distance, ground truth"),
    Command("follow", "File", "Re&load changed runs automatically",
            lambda window: window.change_settings(replace(window.settings, follow=not window.settings.follow)), (),
            checked=lambda window: window.settings.follow,
            description="Live reload: read runs again when their files change on disk"),
    Command("quit", "File", "&Quit", lambda window: window.close(), ("Ctrl+Q",), starts_group=True,
            description="Close the window and end the program"),
)  # fmt: skip
