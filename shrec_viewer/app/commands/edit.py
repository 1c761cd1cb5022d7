"""Copying and finding."""

from PySide6.QtGui import QGuiApplication

from shrec_viewer.app.commands.command import STANDARD, Command
from shrec_viewer.app.frame import Frame, has_model, has_queries


def _copy_id(frame: Frame) -> None:
    session = frame.session
    if session.selection.rank is None:
        item = session.selection.model
    else:
        item = int(session.ranked_list.items[session.selection.rank - 1])
    if item >= 0:
        QGuiApplication.clipboard().setText(session.benchmark.collection.ids[item])


def _find(frame: Frame) -> None:
    frame.workspace.find_query()


ROWS: tuple[Command, ...] = (
    Command("copy_id", "Edit", "&Copy model id", _copy_id, (STANDARD.Copy,), has_model),
    Command("find_query", "Edit", "&Find query", _find, (STANDARD.Find,), has_queries),
)
"""The rows, in the order of the menu."""
