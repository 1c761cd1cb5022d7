"""The running application: main window, error hooks, Ctrl-C, and shutdown."""

import logging
import signal
import socket
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSocketNotifier, Slot
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from shrec_viewer import __version__
from shrec_viewer.app.startup.error_reporting import ErrorReporter, log_path, write_log
from shrec_viewer.app.startup.garbage_collection import EventLoopCollector
from shrec_viewer.app.startup.selftest import SelfTest
from shrec_viewer.app.startup.settings import SettingsFile, settings_path
from shrec_viewer.app.startup.theme import ThemeSelector
from shrec_viewer.app.window.main_window import APPLICATION_NAME, MainWindow
from shrec_viewer.resources import resource

if TYPE_CHECKING:
    from shrec_viewer.formats.discovery.benchmark import BenchmarkParts

EXIT_INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""

PLATFORMS_WITHOUT_CLIPBOARD = ("offscreen", "minimal", "minimalegl", "vnc", "linuxfb", "eglfs", "vkkhrdisplay")
"""Platforms of Qt that keep what was copied in a static of their own; desktops let go of it with the application."""


class Application(QObject):
    """One window and what belongs to it for as long as the process runs; see `main.run_window` for the parameters."""

    def __init__(
        self,
        app: QApplication,
        benchmark: Path | None,
        parts: "BenchmarkParts | None",
        profile: str | None,
        *,
        selftest: bool,
        started: float,
    ) -> None:
        super().__init__()
        self._app = app
        _set_application_name(app)
        write_log(log_path())
        self._errors = ErrorReporter(self)
        self._errors.install()
        memory = SettingsFile(None if selftest else settings_path())
        self.window = MainWindow(ThemeSelector(app), memory)
        self._errors.reported.connect(self.window.show_error_message)
        if not selftest:
            self._errors.reported.connect(self.window.desk.show_error)
        if selftest:
            test = SelfTest(self.window, started, expects_benchmark=benchmark is not None)
            self._errors.reported.connect(test.fail)
            test.finished.connect(self._end)
        self.window.painted.connect(self.window.assemble)
        if benchmark is not None:
            self.window.open_path(benchmark, parts, profile)

    def run(self) -> int:
        """Show the window until it is closed; the exit status."""
        wake = _InterruptHandler(self)
        collector = EventLoopCollector(self)
        self.window.assembled.connect(collector.keep)  # before anything is opened: that may go again
        self.window.show()
        try:
            return self._app.exec()
        finally:
            wake.end()
            collector.end()
            self._errors.uninstall()
            clear_clipboard()
            logging.getLogger("shrec_viewer").info("closed")

    @Slot(int)
    def _end(self, status: int) -> None:
        self.window.close()
        self._app.exit(status)

    @Slot()
    def interrupt(self) -> None:
        """Ctrl-C: close and exit with 130."""
        self._end(EXIT_INTERRUPTED)


def clear_clipboard() -> None:
    """Let go of what was copied where nobody else can ask for it.

    Qt would delete it when the process ends, after Python is gone: what was made in Python then crashes.
    """
    if QGuiApplication.platformName() in PLATFORMS_WITHOUT_CLIPBOARD:
        QGuiApplication.clipboard().clear()


class _InterruptHandler(QObject):
    """Lets Ctrl-C through while Qt waits: Python hears of a signal only when it runs some Python."""

    def __init__(self, program: Application) -> None:
        super().__init__(program)
        self._program = program
        self._ours, self._theirs = socket.socketpair()
        for end in (self._ours, self._theirs):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._ours.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_signal)
        self._former = signal.signal(signal.SIGINT, self._handle)
        self._former_wake = signal.set_wakeup_fd(self._theirs.fileno(), warn_on_full_buffer=False)

    def end(self) -> None:
        """Give the signal back."""
        signal.set_wakeup_fd(self._former_wake)
        signal.signal(signal.SIGINT, self._former)
        self._notifier.setEnabled(False)
        self._ours.close()
        self._theirs.close()

    def _handle(self, *_: object) -> None:
        self._program.interrupt()

    @Slot()
    def _on_signal(self) -> None:
        with suppress(OSError):
            self._ours.recv(64)


def _set_application_name(app: QApplication) -> None:
    app.setApplicationName("shrec-viewer")
    app.setApplicationDisplayName(APPLICATION_NAME)
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("shrec-viewer")
    app.setWindowIcon(QIcon(str(resource("icons/shrec-viewer.svg"))))
