"""The running application: main window, error hooks, garbage collection, Ctrl-C, run marker, shutdown."""

import gc
import logging
import os
import signal
import socket
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QLockFile, QObject, QSocketNotifier, QTimer, Signal, Slot
from PySide6.QtGui import QFileOpenEvent, QGuiApplication, QSessionManager
from PySide6.QtWidgets import QApplication

from shrec_viewer.app.startup.error_reporting import ErrorReporter, log_path, write_log
from shrec_viewer.app.startup.selftest import SelfTest
from shrec_viewer.app.startup.settings import SettingsFile, settings_path
from shrec_viewer.app.startup.theme import ThemeSelector
from shrec_viewer.app.window.main_window import APPLICATION_NAME, MainWindow
from shrec_viewer.version import __version__
from shrec_viewer.widgets.style.theme import program_icon

PREFIX, SUFFIX = "running-", ".lock"


class RunMarker:
    """Lock file of this process, next to those of other windows.

    Parameters
    ----------
    folder : folder of the lock files; None creates none (self-test, tests).
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._lock: QLockFile | None = None

    def begin(self) -> bool:
        """Create the lock file; whether an earlier run left one behind, which is removed."""
        if self._folder is None:
            return False
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            others = [path for path in self._folder.glob(f"{PREFIX}*{SUFFIX}") if path.is_file()]
        except OSError:
            return False
        is_left = False
        for path in others:
            # Succeeds only if the process does not exist any more; `unlock` removes the file.
            lock = _lock_file(path)
            if lock.tryLock(0):
                lock.unlock()
                is_left = True
        self._lock = _lock_file(self._folder / f"{PREFIX}{os.getpid()}{SUFFIX}")
        self._lock.tryLock(0)
        return is_left

    def end(self) -> None:
        """Remove the lock file, at the normal end."""
        if self._lock is not None:
            self._lock.unlock()


def _lock_file(path: Path) -> QLockFile:
    lock = QLockFile(str(path))
    lock.setStaleLockTime(0)  # the default is 30 s, after which the lock of a running process would be taken over
    return lock


#: Milliseconds between two checks whether the thresholds of the collector are exceeded.
COLLECTION_INTERVAL_MS = 1000


class EventLoopCollector(QObject):
    """Replaces the automatic garbage collection while the window is open.

    Python collects cycles whenever enough objects were created, in whichever thread that is. Collected inside
    `QObject::disconnect`, which holds a lock, widgets were deleted whose destructors lock the same mutex: the program
    hung. In a worker thread, widgets would be deleted outside the main thread, which Qt does not allow. pyqtgraph has
    the same class (`pyqtgraph.util.garbage_collector`), but must not be imported before the first paint of the window.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._thresholds = gc.get_threshold()
        self._was_enabled = gc.isenabled()
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._collect)
        self._timer.start(COLLECTION_INTERVAL_MS)

    @Slot()
    def _collect(self) -> None:
        """Collect the oldest generation whose threshold is exceeded, as Python does, and all younger ones."""
        counts = gc.get_count()
        for generation in (2, 1, 0):
            if counts[generation] > self._thresholds[generation]:
                gc.collect(generation)
                return

    def end(self) -> None:
        """Enable the automatic collection again."""
        self._timer.stop()
        if self._was_enabled:
            gc.enable()


if TYPE_CHECKING:
    from shrec_viewer.formats.discovery.benchmark import BenchmarkParts

#: Exit status after a signal less its number, the convention of shells: 130 after Ctrl-C.
EXIT_SIGNALLED = 128

#: Signals that close the window and keep unsaved edits; Windows lacks the last.
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")

#: Qt platforms that keep the clipboard in a static variable instead of giving it to the system.
PLATFORMS_WITHOUT_CLIPBOARD = ("offscreen", "minimal", "minimalegl", "vnc", "linuxfb", "eglfs", "vkkhrdisplay")


class QtApplication(QApplication):
    """QApplication that reports the files of the Finder.

    A subclass instead of an event filter, which would run Python code for the events of all widgets.

    Signals
    -------
    file_opened(path)
        A file was opened with the program by a double click on macOS, at the start or later.
    """

    file_opened = Signal(str)

    def event(self, event: QEvent) -> bool:
        """Report a file of the Finder."""
        if isinstance(event, QFileOpenEvent):
            self.file_opened.emit(event.file())
            return True
        return super().event(event)


class Application(QObject):
    """The window and everything that exists once per process; see `main.run_window` for the parameters."""

    def __init__(
        self,
        app: QApplication,
        benchmark: Path | None,
        parts: "BenchmarkParts | None",
        *,
        selftest: bool,
        started: float,
        profile: str | None = None,
        edits: Path | None = None,
        virtual: tuple[str, ...] = (),
    ) -> None:
        super().__init__()
        self._app = app
        self._status: int | None = None
        app.setApplicationName("shrec-viewer")
        app.setApplicationDisplayName(APPLICATION_NAME)
        app.setApplicationVersion(__version__)
        app.setDesktopFileName("shrec-viewer")
        app.setWindowIcon(program_icon())
        write_log(log_path())
        self._errors = ErrorReporter(self)
        self._errors.install()
        settings_file = SettingsFile(None if selftest else settings_path())
        self._marker = RunMarker(None if selftest else settings_path().parent / "running")
        self.window = MainWindow(ThemeSelector(app), settings_file)
        self._errors.reported.connect(self.window.show_error_message)
        self._errors.plugin_failed.connect(self.window.show_error_message)
        if selftest:
            test = SelfTest(self.window, started, expects_benchmark=benchmark is not None)
            self._errors.reported.connect(test.fail)
            self._errors.plugin_failed.connect(test.fail)
            test.finished.connect(self._end)
        else:
            self._errors.reported.connect(self.window.show_error_dialog)
        self.window.painted.connect(self.window.assemble)
        # Before Qt asks the windows to close at the end of the session; the X11 session manager and Windows emit it.
        app.commitDataRequest.connect(self._keep_unsaved)
        if isinstance(app, QtApplication):
            app.file_opened.connect(self._open_file)
        if benchmark is not None:
            self.window.change_when_open(parts, edits, virtual)
            self.window.open_path(benchmark, None if parts is None else parts.without_edits, profile)

    def run(self) -> int:
        """Show the window, run the event loop until it is closed, and return the exit status."""
        interrupts = _InterruptHandler(self)
        collector = EventLoopCollector(self)
        if self._marker.begin():
            self.window.offer_default_layout()
        self.window.show()
        try:
            if self._status is not None:  # before the event loop runs, `QApplication.exit` does nothing
                QTimer.singleShot(0, self._app.quit)
            status = self._app.exec()
            return status if self._status is None else self._status
        finally:
            if self.window.isVisible():  # `QApplication.exit` of a plug-in, which does not close it
                self.window.close_now()  # else its threads would outlive Qt, which crashes
            interrupts.end()
            collector.end()
            self._errors.uninstall()
            clear_clipboard()
            self._marker.end()
            logging.getLogger("shrec_viewer").info("closed")

    @Slot(int)
    def _end(self, status: int) -> None:
        self._status = status
        self.window.close_now()
        self._app.exit(status)

    def interrupt(self, number: int) -> None:
        """Close the window without a question and exit with status 128 + `number`, after a signal."""
        self._end(EXIT_SIGNALLED + number)

    @Slot(str)
    def _open_file(self, path: str) -> None:
        if path:
            self.window.open_path(Path(path))

    @Slot(QSessionManager)
    def _keep_unsaved(self, _manager: QSessionManager) -> None:
        """Write unsaved edits to disk when the user logs out; the dialog would delay the end of the session."""
        self.window.keep_unsaved()


def clear_clipboard() -> None:
    """Clear the clipboard on platforms that keep it in the process.

    Qt would delete a QMimeData created in Python after the interpreter has ended, which crashes.
    """
    if QGuiApplication.platformName() in PLATFORMS_WITHOUT_CLIPBOARD:
        QGuiApplication.clipboard().clear()


class _InterruptHandler(QObject):
    """Handles Ctrl-C, SIGTERM and SIGHUP while the Qt event loop runs; a signal that the caller ignores stays ignored.

    Python runs signal handlers between bytecodes, that is, not while Qt waits for events; the wake-up file descriptor
    makes Qt call a Python slot.
    """

    def __init__(self, application: Application) -> None:
        super().__init__(application)
        self._application = application
        self._read_end, self._write_end = socket.socketpair()
        for end in (self._read_end, self._write_end):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._read_end.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._drain)
        self._previous_handlers: dict[int, Any] = {}
        for number in (getattr(signal, name) for name in SIGNALS if hasattr(signal, name)):
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._previous_handlers[number] = signal.signal(number, self._handle)
        self._previous_fd = signal.set_wakeup_fd(self._write_end.fileno(), warn_on_full_buffer=False)

    def end(self) -> None:
        """Restore the previous signal handlers."""
        signal.set_wakeup_fd(self._previous_fd)
        for number, handler in self._previous_handlers.items():
            signal.signal(number, handler)
        self._notifier.setEnabled(False)
        self._read_end.close()
        self._write_end.close()

    def _handle(self, number: int, _frame: object) -> None:
        self._application.interrupt(number)

    @Slot()
    def _drain(self) -> None:
        with suppress(OSError):
            self._read_end.recv(64)
