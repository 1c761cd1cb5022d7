"""An uncaught exception is logged and shown, and the program continues."""

import errno
import logging
import sys
import threading

import pytest
from PySide6.QtCore import QMessageLogContext, QtMsgType

from shrec_viewer import plugins
from shrec_viewer.app.startup.error_reporting import ErrorReporter, log_path, print_qt_message, write_log
from shrec_viewer.printable import printable_streams


@pytest.fixture
def reporter(qtbot):
    reporter = ErrorReporter()
    former = (sys.excepthook, threading.excepthook)
    reporter.install()
    yield reporter
    reporter.uninstall()
    assert (sys.excepthook, threading.excepthook) == former


def raise_and_report():
    try:
        raise ZeroDivisionError("by zero")
    except ZeroDivisionError:
        sys.excepthook(*sys.exc_info())


def test_uncaught_exception_is_reported_with_details_and_logged(reporter, qtbot, caplog):
    with qtbot.waitSignal(reporter.reported) as received:
        raise_and_report()
    sentence, details = received.args
    assert sentence == "Unexpected error: ZeroDivisionError: by zero"
    assert "raise_and_report" in details
    assert "unexpected error" in caplog.text


def test_an_error_is_reported_where_packages_cannot_be_listed(reporter, qtbot, monkeypatch):
    def lack_files():
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(plugins, "plugin_packages", lack_files)
    with qtbot.waitSignal(reporter.reported) as received:
        raise_and_report()
    assert received.args[0] == "Unexpected error: ZeroDivisionError: by zero"


def test_what_the_system_lacks_is_said_without_the_exception(reporter, qtbot):
    with qtbot.waitSignal(reporter.reported) as received:
        sys.excepthook(OSError, OSError(errno.EMFILE, "Too many open files", "/usr/lib/x"), None)
    assert received.args[0] == "Too many files are open at the same time; raise the limit (`ulimit -n`)"


def test_error_in_a_thread_is_reported(reporter, qtbot):
    with qtbot.waitSignal(reporter.reported) as received:
        thread = threading.Thread(target=raise_value_error)
        thread.start()
        thread.join()
    assert "ValueError: in a thread" in received.args[0]


def raise_value_error():
    raise ValueError("in a thread")


def test_error_while_reporting_an_error_is_not_reported_again(reporter, qtbot):
    calls = []

    class Broken:
        def hear(self, sentence, details):
            calls.append(sentence)
            raise_and_report()

    broken = Broken()
    reporter.reported.connect(broken.hear)
    raise_and_report()
    assert len(calls) == 1


def test_keyboard_interrupt_goes_to_the_previous_hook(reporter, monkeypatch):
    seen = []
    monkeypatch.setattr(reporter, "_previous_hooks", (lambda *what: seen.append(what[0]), threading.excepthook))
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert seen == [KeyboardInterrupt]
    monkeypatch.undo()


@pytest.fixture
def quiet_root():
    root = logging.getLogger("shrec_viewer")
    before = list(root.handlers)
    yield root
    for handler in set(root.handlers) - set(before):
        root.removeHandler(handler)
        handler.close()


def test_log_is_written_to_a_file(tmp_path, quiet_root):
    path = tmp_path / "deep" / "viewer.log"
    write_log(path)
    logging.getLogger("shrec_viewer.test").warning("something odd")
    assert "WARNING shrec_viewer.test: something odd" in path.read_text()


def test_unwritable_log_goes_to_standard_error(tmp_path, quiet_root, capsys):
    (tmp_path / "file").write_text("in the way")
    write_log(tmp_path / "file" / "viewer.log")
    assert "no log file is written" in capsys.readouterr().err


def test_log_is_in_the_log_folder():
    assert log_path().name == "shrec-viewer.log"


def test_the_log_has_no_control_codes(tmp_path, quiet_root):
    path = tmp_path / "viewer.log"
    write_log(path)
    logging.getLogger("shrec_viewer.test").warning("run \x1b[2J\x9b1m\u202e caf\udce9\nline")
    text = path.read_text(encoding="utf-8")
    assert "run \\x1b[2J\\x9b1m\\u202e caf\\xe9\nline" in text


def test_messages_of_qt_are_printed_without_control_codes(capsys):
    with printable_streams():
        print_qt_message(QtMsgType.QtWarningMsg, QMessageLogContext(), "file \x1b]0;t\x07\x9b")
    assert "file \\x1b]0;t\\x07\\x9b" in capsys.readouterr().err
