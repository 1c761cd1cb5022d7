"""Fixtures of the tests of windows."""

import pytest
from sample_benchmark import write_sample_benchmark
from sessions import read_demo_once
from shared_windows import a_shared_window


@pytest.fixture(autouse=True, scope="session")
def demo_is_read_once():
    with pytest.MonkeyPatch.context() as patch:
        read_demo_once(patch)
        yield


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot, tmp_path_factory):
    """A window with the sample benchmark, which the tests of a module share; modules with other data replace it."""
    folder = tmp_path_factory.mktemp("window")
    benchmark = write_sample_benchmark(folder / "sample_benchmark")
    yield from a_shared_window(qapp, module_qtbot, benchmark, folder / "settings.ini")


@pytest.fixture
def opened(shared, qtbot):
    """The window that the tests share, as it was first opened."""
    return shared.reset(qtbot)
