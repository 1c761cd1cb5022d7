"""Base widget of the panels: content, or a message saying why there is none."""

from typing import NamedTuple

from PySide6.QtWidgets import QStackedLayout, QWidget

from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.empty_state import EmptyState


class EmptyReason(NamedTuple):
    """A title and a sentence for an `EmptyState`."""

    title: str
    sentence: str = ""


def missing_scores_reason(session: Session, *, runs: int = 1, waiting: str = "Evaluating…") -> EmptyReason:
    """What is lacking for a panel of numbers; where nothing is, they are still to come.

    Parameters
    ----------
    runs : how many runs it takes.
    waiting : what goes on meanwhile.
    """
    benchmark = session.benchmark
    if benchmark is None:
        return EmptyReason("No benchmark is open")
    if benchmark.assessment is None:
        return EmptyReason("Nothing to measure", "The benchmark has no relevance assessment.")
    if not len(benchmark.queries):
        return EmptyReason("Nothing to measure", "The benchmark has no queries.")
    if not benchmark.runs:
        return EmptyReason("Nothing to measure", "The benchmark has no runs.")
    if len(benchmark.runs) < runs:
        return EmptyReason("Nothing to compare", "It takes two runs; the benchmark has one.")
    return EmptyReason("Evaluating…" if session.scores is None else waiting)


class BasePanel(QWidget):
    """Content, or an `EmptyState` in its place."""

    def __init__(self, icon: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.content = QWidget()
        self.empty = EmptyState(icon)
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._stack.addWidget(self.content)
        self._stack.addWidget(self.empty)

    @property
    def is_empty(self) -> bool:
        """Whether the reason is shown instead of the content."""
        return self._stack.currentWidget() is self.empty

    def show_content(self) -> None:
        """Show the content."""
        self._stack.setCurrentWidget(self.content)

    def show_empty(self, title: str, sentence: str = "", action: str = "") -> None:
        """Say why there is nothing to show, and where it helps what to do."""
        self.empty.set_message(title, sentence, action)
        self._stack.setCurrentWidget(self.empty)
