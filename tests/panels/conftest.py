"""Fixtures of the panel tests: a session, the demo opened in it, and panels as windows."""

from functools import partial

import pytest
from sample_benchmark import write_sample_benchmark
from sessions import a_session, open_in, read_demo_once, settle

from shrec_viewer.resources import resource
from shrec_viewer.widgets.style.theme import LIGHT, apply_theme, current_theme


@pytest.fixture(autouse=True, scope="session")
def demo_is_read_once():
    with pytest.MonkeyPatch.context() as patch:
        read_demo_once(patch)
        yield


@pytest.fixture(autouse=True)
def theme(qapp):
    """Fonts and margins of the program: without them sizes would depend on which test ran before."""
    if current_theme() is not LIGHT or not qapp.styleSheet():  # applying it takes 20 to 130 ms
        apply_theme(qapp, LIGHT)


@pytest.fixture
def session(qtbot):
    """A session without a benchmark."""
    yield from a_session()


@pytest.fixture
def sample_benchmark(tmp_path):
    """Folder of the sample benchmark."""
    return write_sample_benchmark(tmp_path / "sample_benchmark")


@pytest.fixture
def opened(session, qtbot):
    """The demo, opened and evaluated."""
    return open_in(session, resource("demo"), qtbot)


@pytest.fixture
def settled(session, qtbot):
    """Wait until no task is running."""
    return partial(settle, session, qtbot)


@pytest.fixture
def show(qtbot):
    """Show a widget as a window of this size."""

    def put(widget, width=820, height=460):
        qtbot.addWidget(widget)
        widget.resize(width, height)
        widget.show()
        qtbot.waitExposed(widget)
        return widget

    return put
