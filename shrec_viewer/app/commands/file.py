"""File menu: open, save, import settings, live reload, export."""

from dataclasses import replace
from pathlib import Path

from shrec_viewer.app.commands.command import STANDARD, Command, WindowInterface, has_benchmark, has_list
from shrec_viewer.app.commands.plots import current_plot, has_plot
from shrec_viewer.app.commands.thumbnails import save_strip
from shrec_viewer.app.dialogs.standard_dialogs import ask_file, ask_folder, ask_table_file


def _open_folder(frame: WindowInterface) -> None:
    if (path := ask_folder(frame.as_widget(), _start_folder(frame))) is not None:
        frame.open_path(path)


def _open_file(frame: WindowInterface) -> None:
    if (path := ask_file(frame.as_widget(), _start_folder(frame))) is not None:
        frame.open_path(path)


def _start_folder(frame: WindowInterface) -> Path:
    """Where a dialog begins: beside what was opened last."""
    return Path(frame.settings.recent[0]).parent if frame.settings.recent else Path.home()


def _open_demo(frame: WindowInterface) -> None:
    frame.open_demo()


def _save(frame: WindowInterface) -> None:
    frame.desk.projects.save()


def _save_as(frame: WindowInterface) -> None:
    frame.desk.projects.save_as()


def _reload(frame: WindowInterface) -> None:
    frame.session.reload()


def _close(frame: WindowInterface) -> None:
    frame.session.close()


def _quit(frame: WindowInterface) -> None:
    frame.close()


FILE_ROWS: tuple[Command, ...] = (
    Command("open_folder", "File", "&Open folder…", _open_folder, (STANDARD.Open,)),
    Command("open_file", "File", "Open &file…", _open_file, ("Ctrl+Shift+O",)),
    Command("open_demo", "File", "Open the &demo", _open_demo, ("Ctrl+D",)),
    Command("save", "File", "&Save project", _save, (STANDARD.Save,), has_benchmark, starts_group=True),
    Command("save_as", "File", "Save project &as…", _save_as, ("Ctrl+Shift+S",), has_benchmark),
    Command("reload", "File", "&Reload", _reload, ("F5",), has_benchmark, starts_group=True),
    Command("close", "File", "&Close", _close, (STANDARD.Close,), has_benchmark),
    Command("quit", "File", "&Quit", _quit, ("Ctrl+Q",), starts_group=True),
)
"""The rows, in the order of the menu."""


def _import_settings(frame: WindowInterface) -> None:
    from shrec_viewer.panels.files.import_dialog import (
        open_import_dialog,  # the window shows itself before it knows any panel
    )

    open_import_dialog(frame.as_widget(), frame.session)


def _toggle_live_reload(frame: WindowInterface) -> None:
    frame.desk.change_settings(replace(frame.settings, follow=not frame.settings.follow))


def _is_live_reload_on(frame: WindowInterface) -> bool:
    return frame.settings.follow


def _show_findings(frame: WindowInterface) -> None:
    frame.workspace.show_panel("findings")


def _show_tasks(frame: WindowInterface) -> None:
    frame.workspace.show_panel("tasks")


IMPORT_ROWS: tuple[Command, ...] = (
    Command(
        "import_settings", "File", "&Import settings…", _import_settings, ("Ctrl+I",), has_benchmark, starts_group=True
    ),
    Command("follow", "File", "Fo&llow changes on disk", _toggle_live_reload, (), checked=_is_live_reload_on),
)
"""The rows, in the order of the menu."""

FINDINGS_VIEW_ROWS: tuple[Command, ...] = (
    Command("show_findings", "View", "Show the f&indings", _show_findings, ("Ctrl+Shift+F",), has_benchmark),
    Command("show_tasks", "View", "Show the &tasks", _show_tasks, ("Ctrl+Shift+T",), has_benchmark),
)
"""The same."""


EXPORT_MENU = "File/Export"


def has_scores(frame: WindowInterface) -> bool:
    """The runs are measured."""
    return has_benchmark(frame) and frame.session.scores is not None


def has_findings(frame: WindowInterface) -> bool:
    """Something was found."""
    return has_benchmark(frame) and frame.session.has_findings


def _export_plot(frame: WindowInterface) -> None:
    if (graph := current_plot(frame)) is not None:
        graph.choose_export_path()


def _export_plot_values(frame: WindowInterface) -> None:
    if (graph := current_plot(frame)) is not None:
        graph.choose_values_path()


def _export_runs(frame: WindowInterface) -> None:
    panel, session = frame.workspace.panel("leaderboard"), frame.session
    of = panel.model.of
    of = session.benchmark.queries.ids[session.selection.query] if of == "query" else f"mean over {of}"
    _save_table(frame, panel.table, f"{session.benchmark.name} runs {of}")


def _export_measures(frame: WindowInterface) -> None:
    panel = frame.workspace.panel("measures")
    _save_table(frame, panel.table, f"{frame.session.benchmark.name} {frame.session.run.name} {panel.model.of}")


def _save_table(frame: WindowInterface, table: object, name: str) -> None:
    """With all digits, in the order in which the table stands."""
    if (path := ask_table_file(frame.as_widget(), name)) is None:
        return
    from shrec_viewer.domain import FormatError  # the window shows itself before it knows any reader
    from shrec_viewer.formats.io.atomic import atomic_file

    try:
        with atomic_file(path) as draft:
            draft.write_text(table.csv(), encoding="utf-8", newline="")  # type: ignore[attr-defined]
    except FormatError as error:
        frame.tell("error", error.sentence)
    else:
        frame.tell("info", f"Saved {path}")


def _export_findings(frame: WindowInterface) -> None:
    frame.workspace.panel("findings").choose_export_path()


EXPORT_ROWS: tuple[Command, ...] = (
    Command("graph_export", EXPORT_MENU, "Export &graph…", _export_plot, ("Ctrl+E",), has_plot),
    Command("graph_save_values", EXPORT_MENU, "Export &values of the graph…", _export_plot_values, (), has_plot),
    Command("export_runs", EXPORT_MENU, "Export table of &runs…", _export_runs, (), has_scores, starts_group=True),
    Command("export_measures", EXPORT_MENU, "Export &measures of the run…", _export_measures, (), has_scores),
    Command("save_strip", EXPORT_MENU, "Export list as &picture…", save_strip, (), has_list, starts_group=True),
    Command("export_findings", EXPORT_MENU, "Export &findings…", _export_findings, (), has_findings),
)
"""The rows, in the order of the menu."""
