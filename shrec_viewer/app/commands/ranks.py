"""Walking through queries, runs and ranks, and what to do with the model found."""

from collections.abc import Callable
from functools import partial

from shrec_viewer.app.commands.command import Command
from shrec_viewer.app.dialogs import ask_rank
from shrec_viewer.app.frame import Frame, has_list, has_model, has_pictures, has_queries, has_runs, has_truth

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
    _step(frame, 1, relevant=True)


def _previous_relevant(frame: Frame) -> None:
    _step(frame, -1, relevant=True)


def _next_intruder(frame: Frame) -> None:
    _step(frame, 1, relevant=False)


def _previous_intruder(frame: Frame) -> None:
    _step(frame, -1, relevant=False)


def _step(frame: Frame, by: int, *, relevant: bool) -> None:
    if not frame.workspace.step_rank(by, relevant=relevant):
        frame.tell("info", no_further("relevant model" if relevant else "intruder", by))


def no_further(what: str, by: int) -> str:
    """What is told where a walk has come to its end.

    Examples
    --------
    >>> no_further("miss", -1)
    'No miss before this rank.'
    """
    return f"No {what} {'after' if by > 0 else 'before'} this rank."


def _next_miss(frame: Frame) -> None:
    _miss(frame, 1)


def _previous_miss(frame: Frame) -> None:
    _miss(frame, -1)


def _miss(frame: Frame, by: int) -> None:
    """Relevant models beyond rank C; where there are none, those that were not retrieved at all."""
    from shrec_viewer.viewmodels.steps import misses, step_to  # numpy would delay the first picture of the window

    ranks = misses(frame.session)
    if step_to(frame.session, ranks, by):
        return
    if by > 0 and len(frame.session.ranked_list.not_retrieved):
        frame.workspace.results.show_absent()
    elif len(ranks):
        frame.tell("info", no_further("miss", by))
    else:
        frame.tell("info", "No miss: all relevant models stand within the first C places, C being their number.")


def _next_mover(frame: Frame) -> None:
    _mover(frame, 1)


def _previous_mover(frame: Frame) -> None:
    _mover(frame, -1)


def _mover(frame: Frame, by: int) -> None:
    from shrec_viewer.viewmodels.movers import step_mover

    step_mover(frame.session, by, _teller(frame))


def _teller(frame: Frame) -> Callable[[str], None]:
    return partial(frame.tell, "info")


def _go_to_rank(frame: Frame) -> None:
    session = frame.session
    if (rank := ask_rank(frame.as_widget(), session.selection.rank or 1, len(session.ranked_list))) is not None:
        session.select(rank=rank)


def _no_rank(frame: Frame) -> None:
    frame.session.deselect_rank()


def _open_model(frame: Frame) -> None:
    frame.session.orbit.open()  # so that the keys go there, too
    frame.workspace.show_panel("model_view")


def _make_query(frame: Frame) -> None:
    if not frame.workspace.results.cards.make_query():
        apart = not (frame.session.benchmark.queries.member >= 0).any()
        why = "the queries are no models of this collection" if apart else "this model was not queried"
        frame.tell("info", f"It cannot be made the query: {why}.")


def _copy_rows(frame: Frame) -> None:
    frame.workspace.results.copy_rows()


def _cards_text(frame: Frame) -> None:
    frame.set_card_size("T")


def _is_text(frame: Frame) -> bool:
    return frame.settings.card_size == "T"


ROWS: tuple[Command, ...] = (
    Command("next_query", "Go", "&Next query", _next_query, ("]", "PgDown"), has_queries, aside=OUTSIDE),
    Command("previous_query", "Go", "&Previous query", _previous_query, ("[", "PgUp"), has_queries, aside=OUTSIDE),
    Command("next_run", "Go", "Next r&un", _next_run, (".",), has_runs, starts_group=True),
    Command("previous_run", "Go", "Previous run", _previous_run, (",",), has_runs),
    Command("next_relevant", "Go", "Next &relevant", _next_relevant, ("R",), has_truth, "walk", starts_group=True),
    Command("previous_relevant", "Go", "Previous relevant", _previous_relevant, ("Shift+R",), has_truth, "walk"),
    Command("next_intruder", "Go", "Next &intruder", _next_intruder, ("N",), has_truth, "walk"),
    Command("previous_intruder", "Go", "Previous intruder", _previous_intruder, ("Shift+N",), has_truth, "walk"),
    Command("next_miss", "Go", "Next &miss (relevant beyond rank C)", _next_miss, ("M",), has_truth, "walk"),
    Command("previous_miss", "Go", "Previous miss", _previous_miss, ("Shift+M",), has_truth, "walk"),
    Command("next_mover", "Go", "Biggest mo&ver between the runs compared", _next_mover, ("V",), has_truth, "walk"),
    Command("previous_mover", "Go", "The mover before", _previous_mover, ("Shift+V",), has_truth, "walk"),
    Command("go_to_rank", "Go", "&Go to rank…", _go_to_rank, ("G",), has_list, "walk", starts_group=True),
    Command("no_rank", "Go", "Select no rank", _no_rank, ("Esc",), has_model, "list"),
    Command("open_model", "Go", "&Open in 3D", _open_model, ("Return",), has_model, "results", starts_group=True),
    Command("make_query", "Go", "Make it the &query", _make_query, ("Q",), has_model, "results"),
    Command("cards_text", "View/Picture size", "&Text alone", _cards_text, (), has_pictures, checked=_is_text),
    Command("copy_rows", "Edit", "Copy models as a &table", _copy_rows, ("Ctrl+Shift+C",), has_model, "results"),
)
"""The rows, in the order of the menu."""
