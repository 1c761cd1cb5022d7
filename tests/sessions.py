"""Sessions for tests: without pictures, closed afterwards, opened and waited for."""

from collections.abc import Iterator

from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails


def a_session() -> Iterator[Session]:
    """A session with nothing open; ends its threads after the test."""
    session = Session(Thumbnails(None))
    yield session
    session.shut_down()


def settle(session, qtbot) -> None:
    """Wait until no answer is under way, and until the views have looked at what is in sight (40 ms later)."""
    qtbot.waitUntil(lambda: not session.tasks.is_busy())
    qtbot.wait(60)


def open_in(session, path, qtbot):
    """The session with `path` open, scored and listed."""
    session.open(path)
    settle(session, qtbot)
    assert session.benchmark is not None
    return session
