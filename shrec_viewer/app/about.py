"""What this program is, in which version, on what it runs and with what it draws."""

from typing import Any

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from shrec_viewer import __version__
from shrec_viewer.app.diagnostics import machine, renderers, versions
from shrec_viewer.widgets.icons import LOGO, icon_pixmap
from shrec_viewer.widgets.theme import SPACE, text_font

CLAIM = "Looks into the rankings of 3D shape retrieval contests and computes their measures."


class About(QDialog):
    """Name, version, and what to copy into a report."""

    def __init__(self, parent: QWidget, session: Any) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("about")
        self.setWindowTitle("About SHREC Viewer")
        self._facts = [*versions(), *machine(), *renderers(session)]
        name, claim, logo = QLabel(f"SHREC Viewer {__version__}"), QLabel(CLAIM), QLabel()
        name.setFont(text_font(self.font(), 1.5, strong=True))
        claim.setProperty("muted", True)
        logo.setPixmap(icon_pixmap(LOGO, "", 56, self.devicePixelRatioF()))
        form = QFormLayout()
        form.setHorizontalSpacing(4 * SPACE)
        for title, text in self._facts[1:]:
            label, value = QLabel(title), QLabel(text)
            label.setProperty("muted", True)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            value.setWordWrap(True)
            form.addRow(label, value)
        self.copy, close = QPushButton("Copy"), QPushButton("Close")
        self.copy.clicked.connect(self._copy)
        close.clicked.connect(self.close)
        close.setDefault(True)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for button in (self.copy, close):
            buttons.addWidget(button)
        head = QHBoxLayout()
        words = QVBoxLayout()
        words.addWidget(name)
        words.addWidget(claim)
        head.addWidget(logo)
        head.addSpacing(3 * SPACE)
        head.addLayout(words, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6 * SPACE, 6 * SPACE, 6 * SPACE, 4 * SPACE)
        layout.setSpacing(4 * SPACE)
        for part in (head, form, buttons):
            layout.addLayout(part)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(f"{name}: {text}" for name, text in self._facts))
