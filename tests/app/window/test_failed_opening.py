"""After an error while opening, the window can be used."""

from unittest.mock import Mock

import pytest
from sample_benchmark import write_sample_benchmark
from sessions import settle
from windows import a_window, open_in_window

from shrec_viewer.app.startup.error_reporting import ErrorReporter
from shrec_viewer.app.startup.settings import SettingsFile
from shrec_viewer.app.startup.theme import ThemeSelector
from shrec_viewer.app.window.main_window import MainWindow
from shrec_viewer.viewmodels.session import session as session_module


@pytest.fixture
def window(qapp, qtbot):
    yield from a_window(qapp, qtbot)


@pytest.fixture
def sample_benchmark(tmp_path):
    return write_sample_benchmark(tmp_path / "sample_benchmark")


def break_(*_args, **_more):
    raise RuntimeError("unexpected")


def test_failed_reading_keeps_the_page(window, sample_benchmark, monkeypatch, qtbot, subtests):
    for is_open in (False, True):
        for error in (RuntimeError, ImportError, RecursionError, SystemExit):
            with subtests.test(f"{error.__name__}, {is_open}"):
                window.message_bar.dismiss()
                with monkeypatch.context() as patch:
                    patch.setattr(session_module, "open_benchmark", Mock(side_effect=error("unexpected")))
                    open_in_window(window, sample_benchmark, qtbot)
                assert window.message_bar.current().severity == "error"
                assert window.session.is_open is is_open
                assert (window.workspace if is_open else window.welcome).isVisible()
        open_in_window(window, sample_benchmark, qtbot)
        assert window.workspace.isVisible()


@pytest.mark.parametrize("name", ["opened", "resolve_profile"])
def test_benchmark_that_cannot_be_displayed_shows_the_welcome_page(window, sample_benchmark, monkeypatch, qtbot, name):
    reporter = ErrorReporter()
    reporter.reported.connect(window.show_error_message)
    monkeypatch.setattr(session_module, name, break_)
    with qtbot.captureExceptions() as caught:
        open_in_window(window, sample_benchmark, qtbot)
        reporter.report(*caught[0])
    assert window.message_bar.current().text.endswith("unexpected")
    assert not window.session.is_open
    assert window.welcome.isVisible()


def test_failed_assembly_shows_the_welcome_page_and_is_retried(qapp, qtbot, sample_benchmark, monkeypatch):
    looks = ThemeSelector(qapp)
    window = MainWindow(looks, SettingsFile(None), thumbnails=False)
    qtbot.addWidget(window)
    reporter = ErrorReporter()
    reporter.reported.connect(window.show_error_message)
    monkeypatch.setattr("shrec_viewer.app.docking.workspace.Workspace", break_)
    window.open_path(sample_benchmark)
    window.show()
    assert window.pages.reading.isVisible()
    for open_ in (window.assemble, lambda: window.open_path(sample_benchmark)):
        with pytest.raises(RuntimeError) as caught:
            open_()
        reporter.report(caught.type, caught.value, caught.tb)
        assert window.welcome.isVisible()
        assert window.message_bar.current().text.endswith("unexpected")
    monkeypatch.undo()
    window.open_path(sample_benchmark)
    settle(window.session, qtbot)
    assert window.workspace.isVisible()
    window.close()
    looks.deleteLater()
