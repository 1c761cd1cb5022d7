"""The list as a picture, for papers and messages."""

from shrec_viewer.app.commands.command import Command
from shrec_viewer.app.frame import Frame, has_list


def _copy_strip(frame: Frame) -> None:
    frame.workspace.results.turning.strip.copy()


def _save_strip(frame: Frame) -> None:
    from shrec_viewer.panels.model_view_save import ask_picture_file  # panels import numpy and pyqtgraph

    strip = frame.workspace.results.turning.strip
    if (path := ask_picture_file(frame.as_widget(), strip.name)) is not None:
        strip.save(path)


ROWS: tuple[Command, ...] = (
    Command("copy_strip", "Edit", "Copy list as &picture", _copy_strip, ("Ctrl+Alt+C",), has_list, starts_group=True),
    Command("save_strip", "Edit", "Save list as picture…", _save_strip, (), has_list),
)
"""The rows, in the order of the menu."""
