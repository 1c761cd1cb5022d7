"""How an evaluation ends before it is done."""

from collections.abc import Callable


class Cancelled(Exception):  # noqa: N818 - it is an answer to a wish, not an error
    """Somebody no longer wants the answer; nothing went wrong."""


def never() -> bool:
    """The `cancelled` of work that nobody calls off."""
    return False


def checkpoint_of(cancelled: Callable[[], bool]) -> Callable[[], None]:
    """A function that raises `Cancelled` once `cancelled` answers True."""

    def check() -> None:
        if cancelled():
            raise Cancelled

    return check
