"""Status bar of the window: selection, progress, scores, unsaved edits, findings."""

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QStatusBar, QToolButton, QWidget

from shrec_viewer.domain import Finding
from shrec_viewer.viewmodels.files.findings import findings_summary
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.task_table import TaskList
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.viewmodels.text.status_text import SEPARATOR, StatusText
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.controls.messages import MessageSpace, TaskProgressBar
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon


class StatusBar(QStatusBar):
    """Status bar of the window: selection, progress, scores, unsaved edits, findings.

    Signals
    -------
    findings_requested()
        The number of findings was clicked.
    save_requested()
        The number of unsaved edits was clicked.
    tasks_requested()
        The progress of background tasks was clicked.
    scheduler_requested()
        The state of a scheduler without a web page was clicked.
    """

    findings_requested = Signal()
    save_requested = Signal()
    tasks_requested = Signal()
    scheduler_requested = Signal()

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._status_text = StatusText(session)
        self.message_space = MessageSpace()
        self.selection = ElidingLine()
        self.scores = ElidingLine(grows=True)
        self.badge = QToolButton(autoRaise=True, toolButtonStyle=Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.unsaved = QToolButton(autoRaise=True, toolButtonStyle=Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.workers = QToolButton(autoRaise=True, toolButtonStyle=Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.busy = TaskProgressBar()
        self._tasks = TaskList(session, self)
        self.selection.setAccessibleName("Selection")
        self.scores.setAccessibleName("Scores at the cursor")
        set_tooltip(
            self.scores,
            "Precision, recall and NDCG of the list up to the rank at the cursor, or the measure of the query; "
            "in parentheses the difference from the baseline",
        )
        set_tooltip(self.badge, "Show the findings")
        self.badge.clicked.connect(self.findings_requested)
        set_tooltip(self.unsaved, "Save the edits and notes")
        self.unsaved.clicked.connect(self.save_requested)
        self.workers.clicked.connect(self._open_dashboard)
        self.busy.cancel_requested.connect(self._cancel_task)
        self.busy.details_requested.connect(self.tasks_requested)
        self.setContentsMargins(2 * SPACE, 0, SPACE, 0)
        self.addWidget(self.message_space)
        self.addWidget(self.selection, 1)
        self.addPermanentWidget(self.busy)
        self.addPermanentWidget(self.scores)
        self.addPermanentWidget(self.unsaved)
        self.addPermanentWidget(self.workers)
        self.addPermanentWidget(self.badge)
        session.computing.changed.connect(self._show_workers)
        self._show_workers()
        session.changed.connect(self._follow_session)
        session.thumbnails.findings_changed.connect(self._show_all)
        session.versions.baseline_changed.connect(self._update_text)
        session.cursor_state.cursor_changed.connect(self._show_text)
        session.review.changed.connect(self._show_text)
        self._tasks.changed.connect(self._show_task)
        self._show_all()

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme."""
        self._show_severity(self._session.findings, theme)

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "benchmark", "runs", "warnings"):
            self._show_all()
        elif new.differs(old, "list", "scores", "query", "run", "measure"):
            self._update_text()
        elif new.differs(old, "selection"):
            self._show_text()

    @Slot()
    def _show_all(self) -> None:
        findings = self._session.findings
        summary = findings_summary(findings)
        self.badge.setText(summary)
        self.badge.setAccessibleName(summary)
        self.badge.setVisible(bool(summary))
        self._show_severity(findings, current_theme())
        self.scores.reset_width()
        self._update_text()

    def _show_severity(self, findings: tuple[Finding, ...], theme: Theme) -> None:
        worst = min((finding.severity.rank for finding in findings), default=2)
        name = ("error", "warning", "info")[worst]
        self.badge.setIcon(icon(name, theme, name))

    def show_unsaved(self) -> None:
        """Say how many edits would be lost; undone ones that are saved count as well."""
        stack = self._session.edits.stack
        number = abs(stack.index() - max(stack.cleanIndex(), 0))
        self.unsaved.setText(f"{count_text(max(number, 1), 'edit')}, not saved")
        self.unsaved.setVisible(not stack.isClean())

    @Slot()
    def _update_text(self) -> None:
        self._status_text.update()
        self._show_text()

    @Slot()
    def _show_text(self, *_: object) -> None:
        parts = self._status_text.cursor_text().split(SEPARATOR)
        self.selection.setText(*(SEPARATOR.join(parts[:count]) for count in range(len(parts), 0, -1)))
        self.scores.setText(self._status_text.values_text())

    @Slot()
    def _show_task(self) -> None:
        """Show the task that has been running for longest."""
        running = [row for row in self._tasks.rows if not row.outcome]
        if running:
            others = [row.sentence for row in running[1:]]
            self.busy.set_progress(running[0].sentence, running[0].fraction, others)
        self.busy.setVisible(bool(running))

    @Slot()
    def _cancel_task(self) -> None:
        self._tasks.cancel(0)  # running tasks are the first rows

    @Slot()
    def _show_workers(self) -> None:
        computing = self._session.computing
        status = computing.status
        self.workers.setText(status.text)
        self.workers.setAccessibleName(f"Scheduler: {status.text}")
        action = f"Open {status.dashboard}" if status.dashboard else "Open the preferences"
        lines = (f"Scheduler {computing.address}", status.problem, action)
        set_tooltip(self.workers, "\n".join(line for line in lines if line))
        self.workers.setVisible(bool(status.text))

    @Slot()
    def _open_dashboard(self) -> None:
        """Open the web page of the scheduler, or the preferences if it has none."""
        url = QUrl(self._session.computing.status.dashboard)
        if url.scheme() not in ("http", "https") or not QDesktopServices.openUrl(url):
            self.scheduler_requested.emit()
