"""Go menu: history, queries, runs, ranks, and the compared run."""

from collections.abc import Callable
from functools import partial

from shrec_viewer.app.commands.command import (
    STANDARD,
    Command,
    WindowInterface,
    has_assessment,
    has_benchmark,
    has_list,
    has_model,
    has_queries,
    has_runs,
    has_thumbnails,
)
from shrec_viewer.app.dialogs.standard_dialogs import ask_rank


def can_go_back(frame: WindowInterface) -> bool:
    """Another query, run or measure was looked at before."""
    return has_benchmark(frame) and frame.desk.history.can_go_back


def can_go_forward(frame: WindowInterface) -> bool:
    """You went back before."""
    return has_benchmark(frame) and frame.desk.history.can_go_forward


def is_comparing(frame: WindowInterface) -> bool:
    """A run to compare with is chosen as B."""
    return has_benchmark(frame) and frame.session.selection.compared is not None


def has_two_runs(frame: WindowInterface) -> bool:
    """There are two runs to compare."""
    return has_benchmark(frame) and len(frame.session.benchmark.runs) > 1


def _back(frame: WindowInterface) -> None:
    frame.desk.history.back()


def _forward(frame: WindowInterface) -> None:
    frame.desk.history.forward()


def _swap_runs(frame: WindowInterface) -> None:
    selection = frame.session.selection
    frame.session.select(run=selection.compared, compared=selection.run)


def _compare_none(frame: WindowInterface) -> None:
    from shrec_viewer.viewmodels.session.selection import (
        NOTHING,  # numpy with it, which the first picture need not wait for
    )

    frame.session.select(compared=NOTHING)


def _next_compared(frame: WindowInterface) -> None:
    """The next run but the selected one; round and round."""
    selection, count = frame.session.selection, len(frame.session.benchmark.runs)
    first = selection.run if selection.compared is None else selection.compared
    others = [(first + step) % count for step in range(1, count + 1)]
    frame.session.select(compared=next(place for place in others if place != selection.run))


HISTORY_ROWS: tuple[Command, ...] = (
    Command("back", "Go", "&Back", _back, (STANDARD.Back,), can_go_back),
    Command("forward", "Go", "For&ward", _forward, (STANDARD.Forward,), can_go_forward),
)
"""The rows at the top of the menu."""

COMPARED_RUN_ROWS: tuple[Command, ...] = (
    Command("swap_runs", "Go", "Sw&ap the runs A and B", _swap_runs, ("X",), is_comparing, "list", starts_group=True),
    Command("next_compared", "Go", "Next run to &compare with", _next_compared, ("Shift+.",), has_two_runs),
    Command("compare_none", "Go", "Compare with no run", _compare_none, (), is_comparing),
)
"""The rows behind those that walk."""


OUTSIDE_LIST = "outside the pictures"
"""Where the keys for pages change the query: among the pictures they turn pages."""


def _next_query(frame: WindowInterface) -> None:
    frame.workspace.step_query(1)


def _previous_query(frame: WindowInterface) -> None:
    frame.workspace.step_query(-1)


def _next_run(frame: WindowInterface) -> None:
    frame.workspace.step_run(1)


def _previous_run(frame: WindowInterface) -> None:
    frame.workspace.step_run(-1)


def _next_relevant(frame: WindowInterface) -> None:
    _step_rank(frame, 1, relevant=True)


def _previous_relevant(frame: WindowInterface) -> None:
    _step_rank(frame, -1, relevant=True)


def _next_false_positive(frame: WindowInterface) -> None:
    _step_rank(frame, 1, relevant=False)


def _previous_false_positive(frame: WindowInterface) -> None:
    _step_rank(frame, -1, relevant=False)


def _step_rank(frame: WindowInterface, by: int, *, relevant: bool) -> None:
    if not frame.workspace.step_rank(by, relevant=relevant):
        frame.tell("info", end_of_list_text("relevant model" if relevant else "intruder", by))


def end_of_list_text(what: str, by: int) -> str:
    """What is told where a walk has come to its end.

    Examples
    --------
    >>> no_further("miss", -1)
    'No miss before this rank.'
    """
    return f"No {what} {'after' if by > 0 else 'before'} this rank."


def _next_miss(frame: WindowInterface) -> None:
    _step_miss(frame, 1)


def _previous_miss(frame: WindowInterface) -> None:
    _step_miss(frame, -1)


def _step_miss(frame: WindowInterface, by: int) -> None:
    """Relevant models beyond rank C; where there are none, those that were not retrieved at all."""
    from shrec_viewer.viewmodels.ranking.rank_steps import (  # numpy would delay the first picture of the window
        missed_ranks,
        step_to,
    )

    ranks = missed_ranks(frame.session)
    if step_to(frame.session, ranks, by):
        return
    if by > 0 and len(frame.session.ranked_list.not_retrieved):
        frame.workspace.results.show_missed()
    elif len(ranks):
        frame.tell("info", end_of_list_text("miss", by))
    else:
        frame.tell("info", "No miss: all relevant models stand within the first C places, C being their number.")


def _next_rank_change(frame: WindowInterface) -> None:
    _step_rank_change(frame, 1)


def _previous_rank_change(frame: WindowInterface) -> None:
    _step_rank_change(frame, -1)


def _step_rank_change(frame: WindowInterface, by: int) -> None:
    from shrec_viewer.viewmodels.ranking.rank_steps import step_rank_change

    step_rank_change(frame.session, by, _message_callback(frame))


def _message_callback(frame: WindowInterface) -> Callable[[str], None]:
    return partial(frame.tell, "info")


def _go_to_rank(frame: WindowInterface) -> None:
    session = frame.session
    if (rank := ask_rank(frame.as_widget(), session.selection.rank or 1, len(session.ranked_list))) is not None:
        session.select(rank=rank)


def _no_rank(frame: WindowInterface) -> None:
    frame.session.deselect_rank()


def _open_model(frame: WindowInterface) -> None:
    frame.session.mesh_view_state.open()  # so that the keys go there, too
    frame.workspace.show_panel("model_view")


def _make_query(frame: WindowInterface) -> None:
    if not frame.workspace.results.cards.make_query():
        apart = not (frame.session.benchmark.queries.member >= 0).any()
        why = "the queries are no models of this collection" if apart else "this model was not queried"
        frame.tell("info", f"It cannot be made the query: {why}.")


def _copy_rows(frame: WindowInterface) -> None:
    frame.workspace.results.copy_rows()


def _cards_text(frame: WindowInterface) -> None:
    frame.set_card_size("T")


def _is_text(frame: WindowInterface) -> bool:
    return frame.settings.card_size == "T"


RANK_ROWS: tuple[Command, ...] = (
    Command("next_query", "Go", "&Next query", _next_query, ("]", "PgDown"), has_queries, aside=OUTSIDE_LIST),
    Command("previous_query", "Go", "&Previous query", _previous_query, ("[", "PgUp"), has_queries, aside=OUTSIDE_LIST),
    Command("next_run", "Go", "Next r&un", _next_run, (".",), has_runs, starts_group=True),
    Command("previous_run", "Go", "Previous run", _previous_run, (",",), has_runs),
    Command("next_relevant", "Go", "Next &relevant", _next_relevant, ("R",), has_assessment, "walk", starts_group=True),
    Command("previous_relevant", "Go", "Previous relevant", _previous_relevant, ("Shift+R",), has_assessment, "walk"),
    Command("next_intruder", "Go", "Next &intruder", _next_false_positive, ("N",), has_assessment, "walk"),
    Command(
        "previous_intruder", "Go", "Previous intruder", _previous_false_positive, ("Shift+N",), has_assessment, "walk"
    ),
    Command("next_miss", "Go", "Next &miss (relevant beyond rank C)", _next_miss, ("M",), has_assessment, "walk"),
    Command("previous_miss", "Go", "Previous miss", _previous_miss, ("Shift+M",), has_assessment, "walk"),
    Command(
        "next_mover",
        "Go",
        "Biggest mo&ver between the runs compared",
        _next_rank_change,
        ("V",),
        has_assessment,
        "walk",
    ),
    Command("previous_mover", "Go", "The mover before", _previous_rank_change, ("Shift+V",), has_assessment, "walk"),
    Command("go_to_rank", "Go", "&Go to rank…", _go_to_rank, ("G",), has_list, "walk", starts_group=True),
    Command("no_rank", "Go", "Select no rank", _no_rank, ("Esc",), has_model, "list"),
    Command("open_model", "Go", "&Open in 3D", _open_model, ("Return",), has_model, "results", starts_group=True),
    Command("make_query", "Go", "Make it the &query", _make_query, ("Q",), has_model, "results"),
    Command("cards_text", "View/Picture size", "&Text alone", _cards_text, (), has_thumbnails, checked=_is_text),
    Command("copy_rows", "Edit", "Copy models as a &table", _copy_rows, ("Ctrl+Shift+C",), has_model, "results"),
)
"""The rows, in the order of the menu."""


def has_runs_to_compare(frame: WindowInterface) -> bool:
    """There are runs to compare."""
    return has_benchmark(frame) and len(frame.session.benchmark.runs) > 1


def _flip_runs(frame: WindowInterface) -> None:
    frame.workspace.show_panel("comparison")
    frame.workspace.panel("comparison").flip()


COMPARE_ROWS: tuple[Command, ...] = (
    Command("flip_runs", "Go", "&Flip A and B in place", _flip_runs, ("`", "F"), has_runs_to_compare, "comparison"),
)
"""The rows, in the order of the menu."""
