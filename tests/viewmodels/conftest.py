"""Fixtures of viewmodel tests: a session and a sample benchmark."""

import pytest
from sample_benchmark import write_sample_benchmark
from sessions import a_session, open_in


@pytest.fixture
def session(qtbot):
    """A session without benchmark."""
    yield from a_session()


@pytest.fixture
def sample_benchmark(tmp_path):
    """Folder of a small benchmark that has every kind of part."""
    return write_sample_benchmark(tmp_path / "sample_benchmark")


@pytest.fixture
def opened(session, sample_benchmark, qtbot):
    """The sample_benchmark, open, scored and listed."""
    return open_in(session, sample_benchmark, qtbot)
