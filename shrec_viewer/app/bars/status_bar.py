"""Status bar: selection, scores at the cursor, findings and background tasks."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QStatusBar, QToolButton

from shrec_viewer.viewmodels.files.findings import findings_summary
from shrec_viewer.viewmodels.session.selection import Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.status_text import StatusText
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.controls.messages import MessageSpace, TaskProgressBar
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon
from shrec_viewer.widgets.style.tooltips import set_tooltip


class StatusBar(QStatusBar):
    """Status bar of the window: selection, progress, scores, findings.

    Signals
    -------
    findings_requested()
        The number of findings was clicked.
    tasks_requested()
        The progress of background tasks was clicked.
    """

    findings_requested = Signal()
    tasks_requested = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._status_text = StatusText(session)
        self.message_space = MessageSpace()
        self.selection = ElidingLine()
        self.scores = ElidingLine(grows=True)
        self.badge = QToolButton()
        self.busy = TaskProgressBar()
        self.selection.setAccessibleName("Selection")
        self.scores.setAccessibleName("Scores at the cursor")
        set_tooltip(
            self.scores,
            "Precision, recall and NDCG of the list up to the rank at the cursor, or the measure of the query",
        )
        self.badge.setAutoRaise(True)
        self.badge.setToolButtonStyle(self.badge.toolButtonStyle().ToolButtonTextBesideIcon)
        set_tooltip(self.badge, "Show the findings")
        self.badge.clicked.connect(self._request_findings)
        self.busy.cancel_requested.connect(session.stop)
        self.busy.details_requested.connect(self.tasks_requested)
        self.setContentsMargins(2 * SPACE, 0, SPACE, 0)
        self.addWidget(self.message_space)
        self.addWidget(self.selection, 1)
        self.addPermanentWidget(self.busy)
        self.addPermanentWidget(self.scores)
        self.addPermanentWidget(self.badge)
        session.benchmark_changed.connect(self._show_all)
        session.runs_reloaded.connect(self._show_all)
        session.thumbnails.findings_changed.connect(self._show_all)
        session.selection_changed.connect(self._show_selection)
        session.list_changed.connect(self._update_text)
        session.scores_changed.connect(self._update_text)
        session.cursor_state.cursor_changed.connect(self._show_text)
        session.progress.connect(self._show_progress)
        self._show_all()

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme."""
        worst = min((finding.severity.rank for finding in self._session.findings), default=2)
        name = ("error", "warning", "info")[worst]
        self.badge.setIcon(icon(name, theme, name))

    @Slot()
    def _show_all(self) -> None:
        summary = findings_summary(self._session.findings)
        self.badge.setText(summary)
        self.badge.setAccessibleName(summary)
        self.badge.setVisible(bool(summary))
        self.set_theme(current_theme())
        self.scores.reset_width()
        self._update_text()

    @Slot()
    def _update_text(self, *_: object) -> None:
        self._status_text.update()
        self._show_text()

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if (old.query, old.run, old.measure) != (new.query, new.run, new.measure):
            self._status_text.update()
        self._show_text()

    @Slot()
    def _show_text(self, *_: object) -> None:
        self.selection.setText(self._status_text.cursor_text())
        self.scores.setText(self._status_text.values_text())

    @Slot(str, int, int)
    def _show_progress(self, text: str, done: int, total: int) -> None:
        if text:
            self.busy.set_progress(text, done, total)
        else:
            self.busy.set_idle()

    @Slot()
    def _request_findings(self) -> None:
        self.findings_requested.emit()
