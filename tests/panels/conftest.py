"""What tests of panels share: a session, the demo open in it, and a panel as a window of its own."""

from functools import partial

import pytest
from sample_benchmark import write_menagerie
from sessions import a_session, open_in, settle

from shrec_viewer.resources import resource


@pytest.fixture
def session(qtbot):
    """A session with nothing open."""
    yield from a_session()


@pytest.fixture
def sample_benchmark(tmp_path):
    """Folder of the smallest benchmark in which everything occurs once."""
    return write_menagerie(tmp_path / "sample_benchmark")


@pytest.fixture
def opened(session, qtbot):
    """The demo, open, scored and listed."""
    return open_in(session, resource("demo"), qtbot)


@pytest.fixture
def settled(session, qtbot):
    """Wait until no answer is under way."""
    return partial(settle, session, qtbot)


@pytest.fixture
def show(qtbot):
    """Show a widget of this size as a window of its own."""

    def put(widget, width=820, height=460):
        qtbot.addWidget(widget)
        widget.resize(width, height)
        widget.show()
        qtbot.waitExposed(widget)
        return widget

    return put
