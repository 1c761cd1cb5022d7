"""How an evaluation ends before it is done."""

from collections.abc import Callable

from shrec_viewer.domain import Cancelled


def never() -> bool:
    """The `cancelled` of work that nobody calls off."""
    return False


def checkpoint_of(cancelled: Callable[[], bool]) -> Callable[[], None]:
    """A function that raises `Cancelled` once `cancelled` answers True."""

    def check() -> None:
        if cancelled():
            raise Cancelled

    return check
