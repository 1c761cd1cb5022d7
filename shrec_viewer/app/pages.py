"""What fills the window: the welcome page, what is being read, or the workspace."""

from pathlib import Path

from PySide6.QtWidgets import QStackedWidget, QWidget

from shrec_viewer.widgets.empty_state import EmptyState
from shrec_viewer.widgets.welcome_page import WelcomePage

CANCEL = "Cancel"
"""The action of the page that says what is being read."""


class Pages(QStackedWidget):
    """One of three pages; the workspace comes later than the others."""

    def __init__(self) -> None:
        super().__init__()
        self.welcome = WelcomePage()
        self.reading = EmptyState()  # without icon: their font would delay the first picture of the window
        self._workspace: QWidget | None = None
        for page in (self.welcome, self.reading):
            self.addWidget(page)

    def set_workspace(self, workspace: QWidget) -> None:
        """Take the views of an open benchmark."""
        self._workspace = workspace
        self.addWidget(workspace)

    def show_workspace(self) -> None:
        """Show the views."""
        if self._workspace is not None:
            self.setCurrentWidget(self._workspace)

    def show_welcome(self) -> None:
        """Show the welcome page."""
        self.setCurrentWidget(self.welcome)

    def show_reading(self, path: Path) -> None:
        """Say what is being read."""
        self.reading.set_message(f"Reading {path.name}", action=CANCEL)
        self.setCurrentWidget(self.reading)

    def show_progress(self, text: str, done: int, total: int) -> bool:
        """Say how far reading is; False where something else is shown."""
        if self.currentWidget() is not self.reading:
            return False
        self.reading.set_message(text, f"{done:,} of {total:,}" if total else "", CANCEL)
        return True
