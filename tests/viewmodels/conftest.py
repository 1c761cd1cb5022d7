"""What tests of models share: a session, and the smallest benchmark in which everything occurs once."""

import pytest
from sample_benchmark import write_menagerie
from sessions import a_session, open_in


@pytest.fixture
def session(qtbot):
    """A session with nothing open."""
    yield from a_session()


@pytest.fixture
def sample_benchmark(tmp_path):
    """Folder of the smallest benchmark in which everything occurs once."""
    return write_menagerie(tmp_path / "sample_benchmark")


@pytest.fixture
def opened(session, sample_benchmark, qtbot):
    """The sample_benchmark, open, scored and listed."""
    return open_in(session, sample_benchmark, qtbot)
