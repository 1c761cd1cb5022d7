"""The line at the bottom: what is looked at, in words; what was found; what goes on."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QLabel, QSizePolicy, QStatusBar, QToolButton

from shrec_viewer.domain import Benchmark
from shrec_viewer.viewmodels.findings_model import findings_words
from shrec_viewer.viewmodels.selection import NOTHING
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.words import class_words, collection_words, distance_words, level_words, model_class
from shrec_viewer.widgets.busy_bar import BusyBar
from shrec_viewer.widgets.icons import icon
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme


class StatusBar(QStatusBar):
    """Words tied to the session.

    Signals
    -------
    findings_requested()
        The person pressed the count of findings.
    """

    findings_requested = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.words = QLabel()
        self.scores = QLabel()
        self.badge = QToolButton()
        self.busy = BusyBar()
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.words.setAccessibleName(self.tr("Selection"))
        self.badge.setAutoRaise(True)
        self.badge.setToolButtonStyle(self.badge.toolButtonStyle().ToolButtonTextBesideIcon)
        self.badge.setToolTip(self.tr("Show the findings"))
        self.badge.clicked.connect(self._tell_findings)
        self.busy.cancel_requested.connect(session.stop)
        self.setContentsMargins(2 * SPACE, 0, SPACE, 0)
        self.addWidget(self.words, 1)
        self.addPermanentWidget(self.busy)
        self.addPermanentWidget(self.scores)
        self.addPermanentWidget(self.badge)
        session.benchmark_changed.connect(self._show_all)
        session.selection_changed.connect(self._show_words)
        session.list_changed.connect(self._show_words)
        session.scores_changed.connect(self._show_words)
        session.progress.connect(self._show_progress)
        self._show_all()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        worst = min((finding.severity.rank for finding in self._session.findings), default=2)
        name = ("error", "warning", "info")[worst]
        self.badge.setIcon(icon(name, theme, name))

    @Slot()
    def _show_all(self) -> None:
        words = findings_words(self._session.findings)
        self.badge.setText(words)
        self.badge.setAccessibleName(words)
        self.badge.setVisible(bool(words))
        self.set_theme(current_theme())
        self._show_words()

    @Slot()
    def _show_words(self, *_: object) -> None:
        self.words.setText(selection_words(self._session))
        self.scores.setText(score_words(self._session))

    @Slot(str, int, int)
    def _show_progress(self, text: str, done: int, total: int) -> None:
        if text:
            self.busy.set_progress(text, done, total)
        else:
            self.busy.set_idle()

    @Slot()
    def _tell_findings(self) -> None:
        self.findings_requested.emit()


def selection_words(session: Session) -> str:
    """``"Q17 duck · run M2 · rank 12 of 1,814 · m1042 · class duck · highly relevant (2) · distance 0.183"``."""
    benchmark, selection, run = session.benchmark, session.selection, session.run
    if benchmark is None:
        return ""
    if selection.query == NOTHING or run is None:
        return "  ·  ".join(_collection_parts(session, benchmark))
    name = class_words(benchmark, int(benchmark.queries.labels[selection.query]))
    parts = [f"{benchmark.queries.ids[selection.query]} {name}".strip(), f"run {run.name}"]
    shown, rank = session.ranked_list, selection.rank
    if shown is None or rank is None or rank > len(shown):
        return "  ·  ".join(parts)
    item = int(shown.items[rank - 1])
    parts.append(f"rank {rank:,} of {len(shown):,}")
    parts.append(benchmark.collection.ids[item] if item >= 0 else "not in the collection")
    if class_name := model_class(benchmark, item):
        parts.append(f"class {class_name}")
    if benchmark.assessment is not None:
        parts.append(level_words(int(shown.levels[rank - 1]), benchmark.assessment.levels))
    if distance := distance_words(float(shown.distances[rank - 1])):
        parts.append(f"distance {distance}")
    return "  ·  ".join(parts)


def _collection_parts(session: Session, benchmark: Benchmark) -> list[str]:
    """``["meshes_odd", "122 models", "no queries", "duck"]``, the model's class behind it."""
    parts = [benchmark.name, *collection_words(benchmark)]
    model = session.selection.model
    if model is not None:
        parts.append(benchmark.collection.ids[model])
        if class_name := model_class(benchmark, model):
            parts.append(f"class {class_name}")
    return parts


def score_words(session: Session) -> str:
    """``"AP 0.581"``: the measure looked at, of the selected run for the selected query; "" where there is none."""
    scores, run, query = session.scores, session.run, session.selection.query
    if scores is None or run is None or query == NOTHING or run.name not in scores.runs:
        return ""
    value = float(scores.values[scores.run_index(run.name), query, scores.column(session.measure)])
    return f"{session.measure} {'–' if value != value else f'{value:.4f}'}"
