"""File menu: open, save, export, reload, import settings."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QWidget

from shrec_viewer.app.commands.command import (
    STANDARD,
    Command,
    WindowInterface,
    condition,
    has_benchmark,
    has_list,
    has_scores,
)
from shrec_viewer.app.commands.view import call_plot, has_plot
from shrec_viewer.app.dialogs.standard_dialogs import choose_file, choose_folder, choose_table_file

EXPORT_MENU = "File/Export"


@condition("the benchmark has findings")
def has_findings(window: WindowInterface) -> bool:
    """Whether reading the files reported anything."""
    return has_benchmark(window) and window.session.has_findings


@condition("the benchmark has relevance assessments")
def has_truth(window: WindowInterface) -> bool:
    """Whether relevant models are known, with or without runs."""
    return has_benchmark(window) and window.session.benchmark.assessment is not None


def _open_folder(window: WindowInterface) -> None:
    _open_chosen(window, choose_folder)


def _open_file(window: WindowInterface) -> None:
    _open_chosen(window, choose_file)


def _open_chosen(window: WindowInterface, choose: Callable[[QWidget, Path], Path | None]) -> None:
    """Open the path chosen in a dialog, which starts in the parent folder of the last benchmark."""
    start = Path(window.settings.recent[0]).parent if window.settings.recent else Path.home()
    if (path := choose(window.as_widget(), start)) is not None:
        window.open_path(path)


def _open_demo(window: WindowInterface) -> None:
    window.open_demo()


def _save(window: WindowInterface) -> None:
    window.projects.save()


def _save_as(window: WindowInterface) -> None:
    window.projects.save_as()


def _export_runs(window: WindowInterface) -> None:
    panel, session = window.workspace.panel("leaderboard"), window.session
    of = panel.model.of
    values = session.benchmark.queries.ids[session.selection.query] if of == "query" else f"mean over {of}"
    _export_table(window, panel.table, f"{session.benchmark.name} runs {values}")


def _export_measures(window: WindowInterface) -> None:
    panel = window.workspace.panel("measures")
    _export_table(window, panel.table, f"{window.session.benchmark.name} {window.session.run.name} {panel.model.of}")


def _export_table(window: WindowInterface, table: Any, name: str) -> None:
    """Write a table as CSV to a file chosen in a dialog, in full precision and in the order shown."""
    if (path := choose_table_file(window.as_widget(), name)) is None or not window.session.may_write(path):
        return
    from shrec_viewer.domain import FormatError  # lazy import: numpy would delay the first paint of the window
    from shrec_viewer.formats.io.atomic import atomic_file

    try:
        with atomic_file(path) as draft:
            draft.write_text(table.csv(), encoding="utf-8", newline="")
    except FormatError as error:
        window.show_message("error", error.standalone_message, topic=EXPORT_MENU)
    else:
        window.show_message("info", f"Saved {path}", topic=EXPORT_MENU)


def _export_strip(window: WindowInterface) -> None:
    from shrec_viewer.panels.mesh_view.image_export import choose_image_path  # lazy import, as above

    strip = window.workspace.results.card_preview.strip
    if (path := choose_image_path(window.as_widget(), strip.name)) is not None:
        strip.save(path)


def _export_findings(window: WindowInterface) -> None:
    window.workspace.panel("findings").choose_export_path()


def _export_site(window: WindowInterface) -> None:
    from shrec_viewer.app.dialogs.site_export import SiteExportDialog  # lazy import, as above

    SiteExportDialog(window.as_widget(), window.session).open()


def _add_runs(window: WindowInterface) -> None:
    window.dropped_files.show_dialog()


def _reload(window: WindowInterface) -> None:
    window.session.reload()


def _close(window: WindowInterface) -> None:
    window.session.close()


def _import_settings(window: WindowInterface) -> None:
    from shrec_viewer.panels.files.import_dialog import open_import_dialog  # lazy import, as above

    open_import_dialog(window.as_widget(), window.session)


def _toggle_live_reload(window: WindowInterface) -> None:
    window.change_settings(replace(window.settings, follow=not window.settings.follow))


def _is_live_reload_on(window: WindowInterface) -> bool:
    return window.settings.follow


def _quit(window: WindowInterface) -> None:
    window.close()


FILE_COMMANDS: tuple[Command, ...] = (
    Command("open_folder", "File", "&Open folder…", _open_folder, (STANDARD.Open,),
            description="Open a benchmark: a folder with models, classification and runs"),
    Command("open_file", "File", "Open &file…", _open_file, ("Ctrl+Shift+O",),
            description="Open a benchmark.toml, a zipped benchmark or a project"),
    Command("open_demo", "File", "Open the &demo", _open_demo, ("Ctrl+D",),
            description="Open the bundled example benchmark"),
    Command("add_runs", "File", "Add ru&ns…", _add_runs, ("Ctrl+Shift+A",), has_benchmark,
            description="Check submissions, as file, folder or archive, against the benchmark, and add their runs"),
    Command("save", "File", "&Save project", _save, (STANDARD.Save,), has_benchmark, starts_group=True,
            description="Save selection, layout, notes and edits in a .shrec file"),
    Command("save_as", "File", "Save project &as…", _save_as, ("Ctrl+Shift+S",), has_benchmark,
            description="Save selection, layout, notes and edits in another .shrec file"),
    Command("graph_export", EXPORT_MENU, "Export &plot…", call_plot, ("Ctrl+E",), has_plot, value="choose_export_path",
            description="Save the figure as SVG, PDF, PNG or PGF for a paper"),
    Command("graph_save_values", EXPORT_MENU, "Export &values of the plot…", call_plot, (), has_plot,
            value="choose_values_path",
            description="Save the numbers of the curves as CSV"),
    Command("export_runs", EXPORT_MENU, "Export table of &runs…", _export_runs, (), has_scores, starts_group=True,
            description="Save the scores of all runs as CSV"),
    Command("export_measures", EXPORT_MENU, "Export &measures of the run…", _export_measures, (), has_scores,
            description="Save the scores of the selected run as CSV"),
    Command("save_strip", EXPORT_MENU, "Export list as &image…", _export_strip, (), has_list, starts_group=True,
            description="Save the first thumbnails of the ranked list as PNG or SVG"),
    Command("export_findings", EXPORT_MENU, "Export &findings…", _export_findings, (), has_findings,
            description="Save errors and warnings about the files as CSV or JSON"),
    Command("export_site", EXPORT_MENU, "Contest si&te…", _export_site, (), has_truth, starts_group=True,
            description="Save the results of all runs as a static site"),
    Command("reload", "File", "&Reload", _reload, ("F5",), has_benchmark, starts_group=True,
            description="Read all files of the benchmark again"),
    Command("close", "File", "&Close", _close, (STANDARD.Close,), has_benchmark,
            description="Close the benchmark and show the welcome page"),
    Command("import_settings", "File", "&Import settings…", _import_settings, ("Ctrl+I",), has_benchmark,
            starts_group=True,
            description="Interpretation of the files: columns, order, similarity or distance, ground truth"),
    Command("follow", "File", "Re&load changed runs automatically", _toggle_live_reload, (),
            checked=_is_live_reload_on,
            description="Live reload: read runs again when their files change on disk"),
    Command("quit", "File", "&Quit", _quit, ("Ctrl+Q",), starts_group=True,
            description="Close the window and end the program"),
)  # fmt: skip
"""Part of `COMMANDS`, in the order of the menu."""
