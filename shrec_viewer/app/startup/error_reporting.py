"""Log uncaught exceptions of all threads and report them to the window."""

import logging
import sys
import threading
from logging.handlers import RotatingFileHandler
from pathlib import Path
from traceback import format_exception
from types import TracebackType

from PySide6.QtCore import QObject, Signal

_log = logging.getLogger(__name__)

MAX_LOG_BYTES = 1_000_000
"""Bytes after which the log starts anew; one older file is kept. A traceback is about 2,000."""


class ErrorReporter(QObject):
    """Catches what nobody caught, in any thread, while it is installed.

    Signals
    -------
    reported(sentence, details)
        An unforeseen error; `details` is the traceback.
    """

    reported = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._former = (sys.excepthook, threading.excepthook)
        self._telling = False

    def install(self) -> None:
        """Take over Python's hooks for uncaught exceptions."""
        self._former = (sys.excepthook, threading.excepthook)
        sys.excepthook = self.report
        threading.excepthook = self._report_thread

    def uninstall(self) -> None:
        """Give the hooks back."""
        sys.excepthook, threading.excepthook = self._former

    def report(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Log `error` and tell it; an interruption by the person ends the program as usual."""
        if not issubclass(kind, Exception):
            self._former[0](kind, error, trace)
            return
        _log.error("unforeseen error", exc_info=(kind, error, trace))
        self._tell(kind, error, trace)

    def _report_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self.report(args.exc_type, args.exc_value, args.exc_traceback)

    def _tell(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if self._telling:
            return  # telling of an error broke as well: the log has both, and the screen one
        sentence = f"Something went wrong that nobody foresaw: {kind.__name__}: {error}"
        self._telling = True
        try:
            self.reported.emit(sentence, "".join(format_exception(kind, error, trace)))
        except RuntimeError:  # the window is gone already
            self._former[0](kind, error, trace)
        finally:
            self._telling = False


def log_path() -> Path:
    """Where the log of the window lies."""
    from platformdirs import user_log_path

    return user_log_path("shrec-viewer", appauthor=False) / "shrec-viewer.log"


def write_log(path: Path) -> None:
    """Send what is logged to `path`; where that cannot be written, only to standard error."""
    root = logging.getLogger("shrec_viewer")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = RotatingFileHandler(path, maxBytes=MAX_LOG_BYTES, backupCount=1, encoding="utf-8")
    except OSError as error:
        handler = logging.StreamHandler(sys.stderr)
        root.addHandler(handler)
        root.warning("no log is written: %s", error)
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root.addHandler(handler)
