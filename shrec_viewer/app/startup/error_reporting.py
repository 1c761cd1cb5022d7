"""Log uncaught exceptions of all threads and report them to the window."""

import builtins
import logging
import sys
import threading
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from traceback import format_exception, walk_tb
from types import TracebackType
from typing import NoReturn

from PySide6.QtCore import QMessageLogContext, QObject, QtMsgType, Signal, qFormatLogMessage

from shrec_viewer.plugins import failed_package
from shrec_viewer.printable import ExitError, fault_text, printable_lines
from shrec_viewer.shortages import shortage

_log = logging.getLogger(__name__)

#: Size at which a new log file is started; one older file is kept. A traceback has about 2,000 bytes.
MAX_LOG_BYTES = 1_000_000

#: Calls beyond the limit of recursion for a report: signals that lead to each other have no other stack left.
RECURSION_RESERVE = 500


class ErrorReporter(QObject):
    """Exception hook of all threads while it is installed.

    Signals
    -------
    reported(text, details)
        An uncaught exception as one line, and its traceback.
    plugin_failed(text, details)
        The same for one that the code of a plug-in raised; once for each line of code.
    """

    reported = Signal(str, str)
    plugin_failed = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._previous_hooks = (sys.excepthook, threading.excepthook)
        self._exits = (sys.exit, {"exit": builtins.exit, "quit": builtins.quit})
        self._is_reporting = False
        self._failed_lines = set[tuple[str, int]]()

    def install(self) -> None:
        """Replace Python's exception hooks, and its functions that raise `SystemExit`, see `ExitError`."""
        self._previous_hooks = (sys.excepthook, threading.excepthook)
        sys.exit = _raise_exit
        vars(builtins).update(exit=_raise_exit, quit=_raise_exit)
        sys.excepthook = self.report
        threading.excepthook = self._report_thread

    def uninstall(self) -> None:
        """Restore what `install` replaced."""
        sys.exit = self._exits[0]
        vars(builtins).update(self._exits[1])
        sys.excepthook, threading.excepthook = self._previous_hooks

    def report(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Log and report an exception; KeyboardInterrupt and SystemExit of the program go to the previous hook."""
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(limit + RECURSION_RESERVE)
        try:
            self._report(kind, error, trace)
        finally:
            sys.setrecursionlimit(limit)

    def _report(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        package = failed_package(error, trace)
        if not issubclass(kind, Exception) and not package:
            self._previous_hooks[0](kind, error, trace)
            return
        if package and trace is not None:  # it may fail at each paint event
            frame, number = [at for at in walk_tb(trace) if at[0].f_code is not _raise_exit.__code__][-1]
            line = frame.f_code.co_filename, number
            if line in self._failed_lines:
                return
            self._failed_lines.add(line)
        _log.error(
            "the plug-in %s failed" if package else "unexpected error",
            *filter(None, [package]),
            exc_info=(kind, error, trace),
        )
        if self._is_reporting:
            return  # a slot of `reported` raised: both errors are in the log, the first one is shown
        self._is_reporting = True
        try:
            details = "".join(format_exception(kind, error, trace))
            if package:
                self.plugin_failed.emit(f"The plug-in {package} failed: {fault_text(error)}", details)
            else:
                lacking = shortage(error)
                text = f"Unexpected error: {fault_text(error)}" if lacking is None else lacking
                self.reported.emit(f"{text[0].upper()}{text[1:]}", details)
        except RuntimeError:  # the Qt object was deleted, during shutdown
            self._previous_hooks[0](kind, error, trace)
        finally:
            self._is_reporting = False

    def _report_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self.report(args.exc_type, args.exc_value, args.exc_traceback)


def _raise_exit(status: object = None, /) -> NoReturn:
    raise ExitError(*filter(lambda part: part is not None, [status]))


class PrintableFormatter(logging.Formatter):
    """Formatter that escapes control characters, as log files are shown in terminals."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as text, with tabs and line feeds of its traceback."""
        return printable_lines(super().format(record))


def print_qt_message(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
    """Message handler of Qt that prints on `sys.stderr`, which escapes control characters; Qt itself does not."""
    with suppress(OSError, ValueError):  # closed or full
        print(qFormatLogMessage(kind, context, text), file=sys.stderr)  # noqa: T201 - as Qt does


def log_path() -> Path:
    """Path of the log file of the window."""
    from platformdirs import user_log_path

    return user_log_path("shrec-viewer", appauthor=False) / "shrec-viewer.log"


def write_log(path: Path) -> None:
    """Write log records to a file, or to standard error if it cannot be written."""
    root = logging.getLogger("shrec_viewer")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = RotatingFileHandler(
            path, maxBytes=MAX_LOG_BYTES, backupCount=1, encoding="utf-8", errors="backslashreplace"
        )
    except OSError as error:
        handler = logging.StreamHandler(sys.stderr)
        root.addHandler(handler)
        root.warning("no log file is written: %s", error)
        return
    handler.setFormatter(PrintableFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root.addHandler(handler)
