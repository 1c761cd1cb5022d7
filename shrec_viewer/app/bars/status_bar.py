"""Status bar: selection, scores at the cursor, findings and background tasks."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QStatusBar, QToolButton

from shrec_viewer.viewmodels.files.findings import findings_summary
from shrec_viewer.viewmodels.session.selection import Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.status_text import StatusText
from shrec_viewer.widgets.controls.eliding import ElidingLine
from shrec_viewer.widgets.controls.progress import TaskProgressBar
from shrec_viewer.widgets.style.icons import icon
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme


class StatusBar(QStatusBar):
    """Words tied to the session.

    Signals
    -------
    findings_requested()
        The person pressed the count of findings.
    tasks_requested()
        The person pressed the account of what goes on.
    """

    findings_requested = Signal()
    tasks_requested = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._spoken = StatusText(session)
        self.words = ElidingLine()
        self.scores = ElidingLine(grows=True)
        self.badge = QToolButton()
        self.busy = TaskProgressBar()
        self.words.setAccessibleName("Selection")
        self.scores.setAccessibleName("Scores at the rank pointed at")
        self.scores.setToolTip(
            "Precision, recall and NDCG of the list up to the rank pointed at, or the measure of the query"
        )
        self.badge.setAutoRaise(True)
        self.badge.setToolButtonStyle(self.badge.toolButtonStyle().ToolButtonTextBesideIcon)
        self.badge.setToolTip("Show the findings")
        self.badge.clicked.connect(self._report_findings)
        self.busy.cancel_requested.connect(session.stop)
        self.busy.details_requested.connect(self.tasks_requested)
        self.setContentsMargins(2 * SPACE, 0, SPACE, 0)
        self.addWidget(self.words, 1)
        self.addPermanentWidget(self.busy)
        self.addPermanentWidget(self.scores)
        self.addPermanentWidget(self.badge)
        session.benchmark_changed.connect(self._show_all)
        session.runs_reloaded.connect(self._show_all)
        session.thumbnails.findings_changed.connect(self._show_all)
        session.selection_changed.connect(self._show_selection)
        session.list_changed.connect(self._renew)
        session.scores_changed.connect(self._renew)
        session.cursor_state.cursor_changed.connect(self._show_words)
        session.progress.connect(self._show_progress)
        self._show_all()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        worst = min((finding.severity.rank for finding in self._session.findings), default=2)
        name = ("error", "warning", "info")[worst]
        self.badge.setIcon(icon(name, theme, name))

    @Slot()
    def _show_all(self) -> None:
        words = findings_summary(self._session.findings)
        self.badge.setText(words)
        self.badge.setAccessibleName(words)
        self.badge.setVisible(bool(words))
        self.set_theme(current_theme())
        self.scores.reset_width()
        self._renew()

    @Slot()
    def _renew(self, *_: object) -> None:
        self._spoken.update()
        self._show_words()

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if (old.query, old.run, old.measure) != (new.query, new.run, new.measure):
            self._spoken.update()
        self._show_words()

    @Slot()
    def _show_words(self, *_: object) -> None:
        self.words.setText(self._spoken.cursor_text())
        self.scores.setText(self._spoken.values_text())

    @Slot(str, int, int)
    def _show_progress(self, text: str, done: int, total: int) -> None:
        if text:
            self.busy.set_progress(text, done, total)
        else:
            self.busy.set_idle()

    @Slot()
    def _report_findings(self) -> None:
        self.findings_requested.emit()
