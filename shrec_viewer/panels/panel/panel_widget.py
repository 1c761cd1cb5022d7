"""Base widget of the panels: content, or a message with the reason why there is none."""

from typing import NamedTuple, Protocol

from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLayout, QStackedLayout, QVBoxLayout, QWidget

from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import EmptyState
from shrec_viewer.widgets.style.theme import SPACE


class EmptyReason(NamedTuple):
    """Title and text of an `EmptyState`."""

    title: str
    text: str = ""


def missing_scores_reason(session: Session, *, runs: int = 1, waiting: str = "Evaluating…") -> EmptyReason:
    """Why a panel of scores is empty; where nothing is missing, the scores are still being computed.

    Parameters
    ----------
    runs : number of runs that the panel requires.
    waiting : title while the panel's own computation is running.
    """
    benchmark = session.benchmark
    if benchmark is None:
        return EmptyReason("No benchmark is open")
    if benchmark.assessment is None:
        return EmptyReason("No scores", "The benchmark has no relevance assessment.")
    if not len(benchmark.queries):
        return EmptyReason("No scores", "The benchmark has no queries.")
    if not benchmark.runs:
        return EmptyReason("No scores", "The benchmark has no runs.")
    if len(benchmark.runs) < runs:
        return EmptyReason("No comparison", "A comparison requires two runs; the benchmark has one.")
    return EmptyReason("Evaluating…" if session.scores is None else waiting)


class ActiveModel(Protocol):
    """A view model that computes only while it is active."""

    def set_active(self, active: bool, /) -> None:
        """Start or stop computing."""


def row_layout(top: int = SPACE, bottom: int = SPACE, spacing: int = 2 * SPACE) -> QHBoxLayout:
    """Layout of a header or footer row: margins of `2 * SPACE` at the sides."""
    layout = QHBoxLayout()
    layout.setContentsMargins(2 * SPACE, top, 2 * SPACE, bottom)
    layout.setSpacing(spacing)
    return layout


class BasePanel(QWidget):
    """Base class of the panels: shows `content`, or an `EmptyState` in its place."""

    def __init__(self, icon: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.content = QWidget()
        self.empty = EmptyState(icon)
        self._active_models: list[ActiveModel] = []
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._stack.addWidget(self.content)
        self._stack.addWidget(self.empty)

    def set_body(self, *parts: QWidget | QLayout, stretch: QWidget) -> QVBoxLayout:
        """Fill the content with parts below each other, without margins; `stretch` is the part that grows."""
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for part in parts:
            if isinstance(part, QLayout):
                layout.addLayout(part)
            else:
                layout.addWidget(part, 1 if part is stretch else 0)
        return layout

    def add_active_model(self, model: ActiveModel) -> None:
        """Let a view model compute only while the panel is visible."""
        self._active_models.append(model)

    def showEvent(self, event: QShowEvent) -> None:
        """Qt override."""
        super().showEvent(event)
        for model in self._active_models:
            model.set_active(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt override."""
        super().hideEvent(event)
        for model in self._active_models:
            model.set_active(False)

    @property
    def is_empty(self) -> bool:
        """Whether the reason is shown instead of the content."""
        return self._stack.currentWidget() is self.empty

    def show_content(self) -> None:
        """Show the content."""
        self._stack.setCurrentWidget(self.content)

    def show_empty(self, title: str, text: str = "", action: str = "") -> None:
        """Show why there is no content, with the text of a button that helps, if any."""
        self.empty.set_message(title, text, action)
        self._stack.setCurrentWidget(self.empty)
