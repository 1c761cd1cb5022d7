"""From panel to panel by keys, and what becomes of the panel that has them."""

from shrec_viewer.app.commands.command import Command
from shrec_viewer.app.frame import Frame, has_benchmark

NO_DOCK = "The middle stays where it is. Go to another panel first: F6."
"""Told where what has the keys is no dock."""


def _next(frame: Frame) -> None:
    frame.workspace.step_panel(1)


def _previous(frame: Frame) -> None:
    frame.workspace.step_panel(-1)


def _float(frame: Frame) -> None:
    if not frame.workspace.float_panel():
        frame.tell("info", NO_DOCK)


def _close(frame: Frame) -> None:
    if not frame.workspace.close_panel():
        frame.tell("info", NO_DOCK)


ROWS: tuple[Command, ...] = (
    Command("next_panel", "View", "&Next panel", _next, ("F6",), has_benchmark, starts_group=True),
    Command("previous_panel", "View", "Pre&vious panel", _previous, ("Shift+F6",), has_benchmark),
    Command("float_panel", "View", "Panel in or &out of the window", _float, ("Ctrl+F6",), has_benchmark),
    Command("close_panel", "View", "Close pan&el", _close, ("Ctrl+Shift+W",), has_benchmark),
)
"""The rows, in the order of the menu."""
