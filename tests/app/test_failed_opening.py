"""Whatever breaks while something is opened, the window goes back to what can be used."""

import pytest
from menagerie import write_menagerie
from sessions import settle
from windows import a_window, open_in_window

from shrec_viewer.app.errors import ErrorReporter
from shrec_viewer.app.looks import Looks
from shrec_viewer.app.main_window import MainWindow
from shrec_viewer.app.settings import SettingsFile
from shrec_viewer.viewmodels import session as session_module


@pytest.fixture
def window(qapp, qtbot):
    yield from a_window(qapp, qtbot)


@pytest.fixture
def menagerie(tmp_path):
    return write_menagerie(tmp_path / "menagerie")


def break_(*_args, **_more):
    raise RuntimeError("nobody foresaw this")


@pytest.mark.parametrize("error", [RuntimeError, ImportError, RecursionError, SystemExit])
def test_reading_that_breaks_leads_back_to_the_welcome_page(window, menagerie, monkeypatch, qtbot, error):
    def read(*_):
        raise error("nobody foresaw this")

    monkeypatch.setattr(session_module, "read", read)
    open_in_window(window, menagerie, qtbot)
    assert window.strip.current().severity == "error"
    assert window.welcome.isVisible()
    monkeypatch.undo()
    open_in_window(window, menagerie, qtbot)
    assert window.workspace.isVisible()
    monkeypatch.setattr(session_module, "read", read)
    open_in_window(window, menagerie, qtbot)
    assert window.workspace.isVisible()
    assert window.session.benchmark is not None


@pytest.mark.parametrize("name", ["first_selection", "profile_of"])
def test_an_answer_that_cannot_be_shown_leads_back(window, menagerie, monkeypatch, qtbot, name):
    reporter = ErrorReporter()
    reporter.reported.connect(window.tell_error)
    monkeypatch.setattr(session_module, name, break_)
    with qtbot.captureExceptions() as caught:
        open_in_window(window, menagerie, qtbot)
        reporter.report(*caught[0])
    assert window.strip.current().text.endswith("nobody foresaw this")
    assert window.session.benchmark is None
    assert window.welcome.isVisible()


def test_a_start_that_breaks_leads_back_and_is_tried_again(qapp, qtbot, menagerie, monkeypatch):
    looks = Looks(qapp)
    window = MainWindow(looks, SettingsFile(None), pictures=False)
    qtbot.addWidget(window)
    reporter = ErrorReporter()
    reporter.reported.connect(window.tell_error)
    monkeypatch.setattr("shrec_viewer.app.workspace.Workspace", break_)
    window.open_path(menagerie)
    window.show()
    assert window.pages.reading.isVisible()
    for open_ in (window.assemble, lambda: window.open_path(menagerie)):
        with pytest.raises(RuntimeError) as caught:
            open_()
        reporter.report(caught.type, caught.value, caught.tb)
        assert window.welcome.isVisible()
        assert window.strip.current().text.endswith("nobody foresaw this")
    monkeypatch.undo()
    window.open_path(menagerie)
    settle(window.session, qtbot)
    assert window.workspace.isVisible()
    window.close()
    looks.deleteLater()
