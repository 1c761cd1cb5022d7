"""Self-test: open the window, wait until everything is drawn, print timings as JSON."""

import time
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QDialog, QMessageBox

from shrec_viewer.app.startup.selftest_line import MILESTONES, print_selftest
from shrec_viewer.app.window.main_window import MainWindow

if TYPE_CHECKING:
    from shrec_viewer.viewmodels.session.document import Document

#: Milliseconds after which the self-test fails: ten times what the largest folder needs on two slow cores.
TIMEOUT_MS = 120_000

#: Milliseconds between two checks whether everything is drawn; the precision of the milestones.
POLL_MS = 10


class SelfTest(QObject):
    """Records the milestones of a window and prints them.

    Parameters
    ----------
    window : not shown yet.
    started : `time.perf_counter` at the start of the process, from which milestones are counted.
    expects_benchmark : whether a benchmark is opened; otherwise the test ends once the window is assembled.

    Signals
    -------
    finished(int)
        Everything is drawn (0), or an error or timeout occurred (1); the line was printed.
    """

    finished = Signal(int)

    def __init__(self, window: MainWindow, started: float, *, expects_benchmark: bool) -> None:
        super().__init__(window)
        self._window = window
        self._started = started
        self._expects_benchmark = expects_benchmark
        self._is_over = False
        self._times: dict[str, float | None] = dict.fromkeys(MILESTONES)
        self._poll_timer = QTimer(self, interval=POLL_MS)
        self._poll_timer.timeout.connect(self._poll)
        window.painted.connect(self._record_window)
        window.assembled.connect(self._watch_session)
        QTimer.singleShot(TIMEOUT_MS, self._fail_with_timeout)

    @Slot(str, str)
    def fail(self, reason: str, details: str) -> None:
        """End with status 1 and this reason."""
        self._finish(reason)

    @Slot()
    def _record_window(self) -> None:
        self._record("window_ms")

    @Slot()
    def _watch_session(self) -> None:
        session = self._window.session
        assert session is not None
        session.changed.connect(self._follow_session)
        session.failed.connect(self.fail)
        self._poll_timer.start()

    @Slot(object, object)
    def _follow_session(self, old: "Document", new: "Document") -> None:
        if new.differs(old, "benchmark"):
            self._record("benchmark_ms")
        if new.scores is not None:
            self._record("scores_ms")

    @Slot()
    def _poll(self) -> None:
        if not self._expects_benchmark:
            self._finish("")
            return
        session = self._window.session
        if session is None:
            return
        if not session.is_open:
            if not session.tasks.is_busy():
                self._finish(self._reason_for_no_benchmark())
            return
        if session.run is None or not len(session.benchmark.queries):
            self._finish(f"'{session.benchmark.name}' has no run with a ranked list to show")
        elif self._times["first_pictures_ms"] is None and is_drawn(self._window):
            self._record("first_pictures_ms")
            QTimer.singleShot(2 * POLL_MS, self._succeed)  # lets the last thumbnail be painted as well

    def _reason_for_no_benchmark(self) -> str:
        """Why nothing is open or being read: the text of a dialog, which is not answered, else the newest message."""
        texts = self._window.message_area.texts()
        return next((dialog_text(dialog) for dialog in _open_dialogs()), texts[0] if texts else "nothing was opened")

    @Slot()
    def _succeed(self) -> None:
        self._finish("")

    @Slot()
    def _fail_with_timeout(self) -> None:
        missing = [name.removesuffix("_ms").replace("_", " ") for name, at in self._times.items() if at is None]
        self._finish(f"timeout after {TIMEOUT_MS // 1000} seconds: no {', no '.join(missing)}")

    def _record(self, milestone: str) -> None:
        if self._times[milestone] is None:
            self._times[milestone] = round((time.perf_counter() - self._started) * 1000, 1)

    def _finish(self, reason: str) -> None:
        if self._is_over:
            return
        self._is_over = True
        self._poll_timer.stop()
        session, workspace = self._window.session, self._window.workspace
        drawn = (
            0
            if workspace is None
            else sum(view.model.visible_thumbnails.loaded_count for view in _thumbnail_views(workspace))
        )
        findings = 0 if session is None else len(session.findings)
        is_printed = print_selftest(
            reason, self._times, drawn, findings
        )  # without `finished`, the process would not end
        self.finished.emit(0 if is_printed and not reason else 1)


def _open_dialogs() -> list[QDialog]:
    return [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, QDialog) and widget.isVisible()]


def dialog_text(dialog: QDialog) -> str:
    """Title of a dialog, with the texts of a message box, in one line."""
    parts = [dialog.windowTitle()]
    if isinstance(dialog, QMessageBox):
        parts += [dialog.text(), dialog.informativeText()]
    return " ".join(" ".join(part.split()) for part in parts if part)


def _thumbnail_views(workspace: Any) -> list[Any]:
    panels = (workspace.existing_panel(key) for key in ("ranked_list", "queries"))
    return [view for view in panels if view is not None and view.isVisible()]


def is_drawn(window: MainWindow) -> bool:
    """Whether scores, ranked list and all visible thumbnails (or their placeholders) are shown."""
    session, workspace = window.session, window.workspace
    if session is None or workspace is None or not session.is_open:
        return False
    if not workspace.perspective_window.is_complete or (session.has_list and session.ranked_list is None):
        return False
    has_scores = session.scores is not None or session.benchmark.assessment is None or not session.has_list
    if session.tasks.is_busy() or not has_scores:
        return False
    views = _thumbnail_views(workspace)
    if any(view.model.visible_thumbnails.pending_count for view in views):
        return False
    return all(view.model.visible_thumbnails.visible or view.is_empty for view in views)
