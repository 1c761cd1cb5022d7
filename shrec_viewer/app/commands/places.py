"""Back and forward through what was looked at; the two runs compared."""

from shrec_viewer.app.commands.command import STANDARD, Command
from shrec_viewer.app.frame import Frame, has_benchmark


def can_go_back(frame: Frame) -> bool:
    """Another query, run or measure was looked at before."""
    return has_benchmark(frame) and frame.desk.history.can_go_back


def can_go_forward(frame: Frame) -> bool:
    """You went back before."""
    return has_benchmark(frame) and frame.desk.history.can_go_forward


def is_comparing(frame: Frame) -> bool:
    """A run to compare with is chosen as B."""
    return has_benchmark(frame) and frame.session.selection.compared is not None


def has_two_runs(frame: Frame) -> bool:
    """There are two runs to compare."""
    return has_benchmark(frame) and len(frame.session.benchmark.runs) > 1


def _back(frame: Frame) -> None:
    frame.desk.history.back()


def _forward(frame: Frame) -> None:
    frame.desk.history.forward()


def _swap(frame: Frame) -> None:
    selection = frame.session.selection
    frame.session.select(run=selection.compared, compared=selection.run)


def _compare_none(frame: Frame) -> None:
    from shrec_viewer.viewmodels.selection import NOTHING  # numpy with it, which the first picture need not wait for

    frame.session.select(compared=NOTHING)


def _next_compared(frame: Frame) -> None:
    """The next run but the selected one; round and round."""
    selection, count = frame.session.selection, len(frame.session.benchmark.runs)
    first = selection.run if selection.compared is None else selection.compared
    others = [(first + step) % count for step in range(1, count + 1)]
    frame.session.select(compared=next(place for place in others if place != selection.run))


ROWS: tuple[Command, ...] = (
    Command("back", "Go", "&Back", _back, (STANDARD.Back,), can_go_back),
    Command("forward", "Go", "For&ward", _forward, (STANDARD.Forward,), can_go_forward),
)
"""The rows at the top of the menu."""

RUN_ROWS: tuple[Command, ...] = (
    Command("swap_runs", "Go", "Sw&ap the runs A and B", _swap, ("X",), is_comparing, "list", starts_group=True),
    Command("next_compared", "Go", "Next run to &compare with", _next_compared, ("Shift+.",), has_two_runs),
    Command("compare_none", "Go", "Compare with no run", _compare_none, (), is_comparing),
)
"""The rows behind those that walk."""
