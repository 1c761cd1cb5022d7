"""Runs side by side."""

from shrec_viewer.app.commands.command import Command
from shrec_viewer.app.frame import Frame, has_benchmark


def has_two_runs(frame: Frame) -> bool:
    """There are runs to compare."""
    return has_benchmark(frame) and len(frame.session.benchmark.runs) > 1


def _flip(frame: Frame) -> None:
    frame.workspace.show_panel("comparison")
    frame.workspace.panel("comparison").flip()


ROWS: tuple[Command, ...] = (
    Command("flip_runs", "Go", "&Flip A and B in place", _flip, ("`", "F"), has_two_runs, "comparison"),
)
"""The rows, in the order of the menu."""
