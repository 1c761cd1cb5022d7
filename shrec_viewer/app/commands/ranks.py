"""Walking through queries, runs and ranks."""

from shrec_viewer.app.commands.command import Command
from shrec_viewer.app.dialogs import ask_rank
from shrec_viewer.app.frame import Frame, has_list, has_model, has_queries, has_runs, has_truth

OUTSIDE = "outside the pictures"
"""Where the keys for pages change the query: among the pictures they turn pages."""


def _next_query(frame: Frame) -> None:
    frame.workspace.step_query(1)


def _previous_query(frame: Frame) -> None:
    frame.workspace.step_query(-1)


def _next_run(frame: Frame) -> None:
    frame.workspace.step_run(1)


def _previous_run(frame: Frame) -> None:
    frame.workspace.step_run(-1)


def _next_relevant(frame: Frame) -> None:
    frame.workspace.step_rank(1, relevant=True)


def _previous_relevant(frame: Frame) -> None:
    frame.workspace.step_rank(-1, relevant=True)


def _next_intruder(frame: Frame) -> None:
    frame.workspace.step_rank(1, relevant=False)


def _previous_intruder(frame: Frame) -> None:
    frame.workspace.step_rank(-1, relevant=False)


def _go_to_rank(frame: Frame) -> None:
    session = frame.session
    if (rank := ask_rank(frame.as_widget(), session.selection.rank or 1, len(session.ranked_list))) is not None:
        session.select(rank=rank)


def _no_rank(frame: Frame) -> None:
    frame.session.deselect_rank()


ROWS: tuple[Command, ...] = (
    Command("next_query", "Go", "&Next query", _next_query, ("]", "PgDown"), has_queries, aside=OUTSIDE),
    Command("previous_query", "Go", "&Previous query", _previous_query, ("[", "PgUp"), has_queries, aside=OUTSIDE),
    Command("next_run", "Go", "Next r&un", _next_run, (".",), has_runs, starts_group=True),
    Command("previous_run", "Go", "Previous run", _previous_run, (",",), has_runs),
    Command("next_relevant", "Go", "Next &relevant", _next_relevant, ("R",), has_truth, "list", starts_group=True),
    Command("previous_relevant", "Go", "Previous relevant", _previous_relevant, ("Shift+R",), has_truth, "list"),
    Command("next_intruder", "Go", "Next &intruder", _next_intruder, ("N",), has_truth, "list"),
    Command("previous_intruder", "Go", "Previous intruder", _previous_intruder, ("Shift+N",), has_truth, "list"),
    Command("go_to_rank", "Go", "&Go to rank…", _go_to_rank, ("G",), has_list, "list", starts_group=True),
    Command("no_rank", "Go", "Select no rank", _no_rank, ("Esc",), has_model, "list"),
)
"""The rows, in the order of the menu."""
