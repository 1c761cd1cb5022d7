"""What tests of models share: a session, and the smallest benchmark in which everything occurs once."""

import pytest
from menagerie import write_menagerie
from sessions import a_session, open_in


@pytest.fixture
def session(qtbot):
    """A session with nothing open."""
    yield from a_session()


@pytest.fixture
def menagerie(tmp_path):
    """Folder of the smallest benchmark in which everything occurs once."""
    return write_menagerie(tmp_path / "menagerie")


@pytest.fixture
def opened(session, menagerie, qtbot):
    """The menagerie, open, scored and listed."""
    return open_in(session, menagerie, qtbot)
