"""A panel that either shows its content or says why there is none."""

from PySide6.QtWidgets import QStackedLayout, QWidget

from shrec_viewer.widgets.empty_state import EmptyState


class Pane(QWidget):
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
