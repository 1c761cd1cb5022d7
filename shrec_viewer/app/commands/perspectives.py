"""The three arrangements of the window."""

from shrec_viewer.app.commands.command import Command
from shrec_viewer.app.frame import Frame, has_benchmark


def _show(frame: Frame, key: str) -> None:
    frame.workspace.show_perspective(key)
    frame.workspace.focus_centre()


def _query(frame: Frame) -> None:
    _show(frame, "query")


def _compare(frame: Frame) -> None:
    _show(frame, "compare")


def _campaign(frame: Frame) -> None:
    _show(frame, "campaign")


def _is_query(frame: Frame) -> bool:
    return frame.workspace is not None and frame.workspace.perspective == "query"


def _is_compare(frame: Frame) -> bool:
    return frame.workspace is not None and frame.workspace.perspective == "compare"


def _is_campaign(frame: Frame) -> bool:
    return frame.workspace is not None and frame.workspace.perspective == "campaign"


MENU = "View/Perspective"

ROWS: tuple[Command, ...] = (
    Command("perspective_query", MENU, "&Query", _query, ("Ctrl+1",), has_benchmark, checked=_is_query),
    Command("perspective_compare", MENU, "&Compare", _compare, ("Ctrl+2",), has_benchmark, checked=_is_compare),
    Command("perspective_campaign", MENU, "C&ampaign", _campaign, ("Ctrl+3",), has_benchmark, checked=_is_campaign),
)
"""The rows, in the order of `PERSPECTIVES`."""
