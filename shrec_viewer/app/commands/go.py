"""Go menu: history, queries, runs, ranks, and the compared run."""

from functools import partial

from shrec_viewer.app.commands.command import (
    STANDARD,
    Command,
    WindowInterface,
    condition,
    has_assessment,
    has_benchmark,
    has_list,
    has_model,
    has_queries,
    has_runs,
    has_two_runs,
)
from shrec_viewer.app.dialogs.standard_dialogs import choose_rank

#: Topic of messages about a step that had no effect.
STEP = "step"

#: Where PgUp and PgDown change the query; in the ranked list they scroll.
OUTSIDE_LIST = "outside the ranked list"


@condition("another query, run or measure was selected before")
def can_go_back(window: WindowInterface) -> bool:
    """Whether the history has a previous selection."""
    return has_benchmark(window) and window.history.can_go_back


@condition("you have gone back in the history")
def can_go_forward(window: WindowInterface) -> bool:
    """Whether the history has a following selection."""
    return has_benchmark(window) and window.history.can_go_forward


@condition("run B is selected")
def is_comparing(window: WindowInterface) -> bool:
    """Whether a run B is selected to compare run A with."""
    return has_benchmark(window) and window.session.selection.compared is not None


def _show_step(window: WindowInterface, text: str) -> None:
    """Show why a step had no effect, until the selection changes."""
    window.show_message("info", text, topic=STEP)


def _step_run(window: WindowInterface, by: int) -> None:
    from shrec_viewer.viewmodels.ranking.ranked_list import step_run  # lazy import: needs numpy

    step_run(window.session, by)


def _step_rank(window: WindowInterface, by: int, *, relevant: bool) -> None:
    from shrec_viewer.viewmodels.ranking.ranked_list import step_rank  # lazy import: needs numpy

    if not step_rank(window.session, by, relevant=relevant):
        _show_step(window, end_of_list_text("relevant model" if relevant else "false positive", by))


def end_of_list_text(what: str, by: int) -> str:
    """Message for a step that finds nothing further.

    Examples
    --------
    >>> end_of_list_text("missed model", -1)
    'No missed model before this rank.'
    """
    return f"No {what} {'after' if by > 0 else 'before'} this rank."


def _step_missed(window: WindowInterface, by: int) -> None:
    """Select the next relevant model beyond rank C; at the end, show those that were not retrieved at all."""
    from shrec_viewer.viewmodels.ranking.ranked_list import missed_ranks, step_to  # lazy import: needs numpy

    ranks = missed_ranks(window.session)
    if step_to(window.session, ranks, by):
        return
    if by > 0 and len(window.session.ranked_list.not_retrieved):
        window.workspace.ranked_list.show_missed()
    elif len(ranks):
        _show_step(window, end_of_list_text("missed model", by))
    else:
        _show_step(window, "No missed model: all C relevant models are within the first C ranks.")


def _step_rank_change(window: WindowInterface, by: int) -> None:
    from shrec_viewer.viewmodels.ranking.ranked_list import step_rank_change  # lazy import: needs numpy

    step_rank_change(window.session, by, partial(_show_step, window))


def _go_to_rank(window: WindowInterface) -> None:
    session = window.session
    if (rank := choose_rank(window, session.selection.rank or 1, len(session.ranked_list))) is not None:
        session.select(rank=rank)


def _swap_runs(window: WindowInterface) -> None:
    selection = window.session.selection
    window.session.select(run=selection.compared, compared=selection.run)


def _next_compared(window: WindowInterface) -> None:
    """Select the next run except run A as run B; starts over after the last one."""
    selection, count = window.session.selection, len(window.session.benchmark.runs)
    start = selection.run if selection.compared is None else selection.compared
    others = [(start + step) % count for step in range(1, count + 1)]
    window.session.select(compared=next(run for run in others if run != selection.run))


def _stop_comparing(window: WindowInterface) -> None:
    from shrec_viewer.viewmodels.session.selection import NOTHING  # lazy import: needs numpy

    window.session.select(compared=NOTHING)


def _open_model(window: WindowInterface) -> None:
    window.session.mesh_view_state.open()  # gives the 3D view the focus as well
    window.workspace.show_panel("mesh_view")


def _make_query(window: WindowInterface) -> None:
    if not window.workspace.ranked_list.cards.make_query():
        are_separate = not (window.session.benchmark.queries.member >= 0).any()
        why = "the queries are not models of this collection" if are_separate else "it is not among the queries"
        _show_step(window, f"This model cannot be used as the query: {why}.")


def _flip_runs(window: WindowInterface) -> None:
    window.workspace.show_panel("comparison")
    window.workspace.panel("comparison").flip()


#: Part of `COMMANDS`, in the order of the menu.
GO_COMMANDS: tuple[Command, ...] = (
    Command("back", "Go", "&Back", lambda window: window.history.back(), (STANDARD.Back,), can_go_back,
            description="Previous selection in the history"),
    Command("forward", "Go", "For&ward", lambda window: window.history.forward(), (STANDARD.Forward,), can_go_forward,
            description="Following selection in the history"),
    Command("next_query", "Go", "&Next query", lambda window: window.workspace.queries.step(1), ("]", "PgDown"),
            has_queries, key_note=OUTSIDE_LIST,
            description="Select the query below in the list of queries"),
    Command("previous_query", "Go", "&Previous query", lambda window: window.workspace.queries.step(-1), ("[", "PgUp"),
            has_queries, key_note=OUTSIDE_LIST,
            description="Select the query above in the list of queries"),
    Command("next_run", "Go", "Next r&un", _step_run, (".",), has_runs, value=1, starts_group=True,
            description="Select the following run in file order"),
    Command("previous_run", "Go", "Previous run", _step_run, (",",), has_runs, value=-1,
            description="Select the preceding run in file order"),
    Command("next_relevant", "Go", "Next &relevant", lambda window: _step_rank(window, 1, relevant=True),
            ("R",), has_assessment, "rank", starts_group=True,
            description="Step to the following hit in the ranked list"),
    Command("previous_relevant", "Go", "Previous relevant", lambda window: _step_rank(window, -1, relevant=True),
            ("Shift+R",), has_assessment, "rank",
            description="Step to the preceding hit in the ranked list"),
    Command("next_false_positive", "Go", "Next false pos&itive",
            lambda window: _step_rank(window, 1, relevant=False), ("N",), has_assessment, "rank",
            description="Step to the following model that is not relevant"),
    Command("previous_false_positive", "Go", "Previous false positive",
            lambda window: _step_rank(window, -1, relevant=False), ("Shift+N",), has_assessment, "rank",
            description="Step to the preceding model that is not relevant"),
    Command("next_miss", "Go", "Next &missed model (false negative)", _step_missed, ("M",), has_assessment, "rank",
            value=1,
            description="Step to the following relevant model beyond rank C"),
    Command("previous_miss", "Go", "Previous missed model", _step_missed, ("Shift+M",), has_assessment, "rank",
            value=-1,
            description="Step to the preceding relevant model beyond rank C"),
    Command("next_mover", "Go", "Next largest rank c&hange", _step_rank_change, ("V",), has_assessment, "rank",
            value=1,
            description="Step to the model whose rank differs most between runs A and B"),
    Command("previous_mover", "Go", "Previous rank change", _step_rank_change, ("Shift+V",), has_assessment, "rank",
            value=-1,
            description="Step back to the previous model by rank difference between runs A and B"),
    Command("go_to_rank", "Go", "&Go to rank…", _go_to_rank, ("G",), has_list, "rank", starts_group=True,
            description="Select the model at a given position of the ranked list"),
    Command("no_rank", "Go", "Clear selection", lambda window: window.session.deselect_rank(), ("Esc",), has_model,
            "list",
            description="Deselect the model"),
    Command("open_model", "Go", "&Open in 3D", _open_model, ("Return",), has_model, "ranked_list", starts_group=True,
            description="Show the selected model in the 3D view; mesh, rotate"),
    Command("make_query", "Go", "Use as &query", _make_query, ("Q",), has_model, "ranked_list",
            description="Show the ranked list of the selected model"),
    Command("swap_runs", "Go", "Sw&ap runs A and B", _swap_runs, ("X",), is_comparing, "list", starts_group=True,
            description="Exchange the two compared runs"),
    Command("next_compared", "Go", "Next run to &compare with", _next_compared, ("Shift+.",), has_two_runs,
            description="Select the following run as run B"),
    Command("compare_none", "Go", "Stop comparing", _stop_comparing, (), is_comparing,
            description="Deselect run B"),
    Command("flip_runs", "Go", "&Flip A and B in place", _flip_runs, ("`", "F"), has_two_runs, "comparison",
            description="Show the lists of runs A and B in turn at the same position"),
)  # fmt: skip
