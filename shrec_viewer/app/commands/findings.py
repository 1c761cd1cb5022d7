"""How files are read and followed."""

from dataclasses import replace

from shrec_viewer.app.commands.command import Command
from shrec_viewer.app.frame import Frame, has_benchmark


def _import_settings(frame: Frame) -> None:
    from shrec_viewer.panels.import_dialog import open_import  # the window shows itself before it knows any panel

    open_import(frame.as_widget(), frame.session)


def _follow(frame: Frame) -> None:
    frame.desk.change_settings(replace(frame.settings, follow=not frame.settings.follow))


def _is_following(frame: Frame) -> bool:
    return frame.settings.follow


def _show_findings(frame: Frame) -> None:
    frame.workspace.show_panel("findings")


def _show_tasks(frame: Frame) -> None:
    frame.workspace.show_panel("tasks")


ROWS: tuple[Command, ...] = (
    Command(
        "import_settings", "File", "&Import settings…", _import_settings, ("Ctrl+I",), has_benchmark, starts_group=True
    ),
    Command("follow", "File", "Fo&llow changes on disk", _follow, (), checked=_is_following),
)
"""The rows, in the order of the menu."""

VIEW_ROWS: tuple[Command, ...] = (
    Command("show_findings", "View", "Show the f&indings", _show_findings, ("Ctrl+Shift+F",), has_benchmark),
    Command("show_tasks", "View", "Show the &tasks", _show_tasks, ("Ctrl+Shift+T",), has_benchmark),
)
"""The same."""
