"""A session without pictures, and a small benchmark on disk to open in it."""

import pytest
from menagerie import write_menagerie

from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.thumbnails import Thumbnails


@pytest.fixture
def menagerie(tmp_path):
    return write_menagerie(tmp_path / "menagerie")


@pytest.fixture
def session(qtbot):
    session = Session(Thumbnails(None))
    yield session
    session.shut_down()


@pytest.fixture
def opened(session, menagerie, qtbot):
    """The session with the menagerie open, scored and listed."""
    with qtbot.waitSignals([session.benchmark_changed, session.scores_changed, session.list_changed]):
        session.open(menagerie)
    return session
