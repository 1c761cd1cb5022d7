"""The About dialog; versions, system and renderers for error reports."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from PySide6.QtCore import QLibraryInfo, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from shrec_viewer import __version__
from shrec_viewer.plugins import load_plugins
from shrec_viewer.widgets.controls.plain_text import PlainLabel
from shrec_viewer.widgets.style.theme import LOGO, SPACE, icon_pixmap, text_font

PACKAGES = ("PySide6-Essentials", "numpy", "pyqtgraph", "moderngl", "trimesh", "Pillow")
"""Packages whose versions are listed."""


NOT_USED_YET = "selected when the first model is rendered"
"""Shown instead of the renderer until one is started; thumbnails from the cache need none."""


def versions() -> list[tuple[str, str]]:
    """Names and versions of the program and its packages, without importing them."""
    rows = [("SHREC Viewer", __version__), ("Python", sys.version.split()[0])]
    rows.append(("Qt", QLibraryInfo.version().toString()))
    rows += [(name, _version(name)) for name in PACKAGES]
    return rows


def system_info() -> list[tuple[str, str]]:
    """The system and its screens."""
    screens = [
        f"{screen.size().width()}×{screen.size().height()} at {screen.devicePixelRatio():g}"
        for screen in QGuiApplication.screens()
    ]
    return [
        ("System", platform.platform()),
        ("Window system", QGuiApplication.platformName()),
        ("Screens", ", ".join(screens)),
    ]


def renderers(session: Any) -> list[tuple[str, str]]:
    """Renderers of thumbnails and 3D view, without starting one, which may crash a driver.

    Parameters
    ----------
    session : a `Session`, or None while the window is not assembled.
    """
    if session is None:
        return [("Thumbnails", NOT_USED_YET), ("3D view", NOT_USED_YET)]
    return [
        ("Thumbnails", session.thumbnails.renderer or NOT_USED_YET),
        ("3D view", session.mesh_view_state.source.description or NOT_USED_YET),
    ]


def plugins() -> list[tuple[str, str]]:
    """Extensions from other packages, one line for each package, and entry points that failed."""
    found = load_plugins(panels=True)
    by_package: dict[str, list[str]] = {}
    for row in found.rows:
        by_package.setdefault(f"{row.package} {row.version}", []).append(f"{row.key} ({row.group})")
    lines = [("Plug-in", f"{package}: {', '.join(names)}") for package, names in by_package.items()]
    return [*lines, *(("Plug-in failed", str(failure)) for failure in found.failures)]


def diagnostics() -> str:
    """Versions and system as lines of text, for error reports."""
    return "\n".join(f"{name}: {text}" for name, text in [*versions(), *system_info()])


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


DESCRIPTION = "Inspect and evaluate the rankings of 3D shape retrieval contests."


class AboutDialog(QDialog):
    """Versions, system and renderers, with a button to copy them."""

    def __init__(self, parent: QWidget, session: Any) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("about")
        self.setWindowTitle("About SHREC Viewer")
        self._rows = [*versions(), *system_info(), *renderers(session)]
        name, description, logo = PlainLabel(f"SHREC Viewer {__version__}"), PlainLabel(DESCRIPTION), PlainLabel()
        name.setFont(text_font(self.font(), 1.5, bold=True))
        description.setProperty("muted", True)
        logo.setPixmap(icon_pixmap(LOGO, "", 56, self.devicePixelRatioF()))
        form = QFormLayout()
        form.setHorizontalSpacing(4 * SPACE)
        for title, text in self._rows[1:]:
            label, value = PlainLabel(title), PlainLabel(text)
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
        header = QHBoxLayout()
        texts = QVBoxLayout()
        texts.addWidget(name)
        texts.addWidget(description)
        header.addWidget(logo)
        header.addSpacing(3 * SPACE)
        header.addLayout(texts, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6 * SPACE, 6 * SPACE, 6 * SPACE, 4 * SPACE)
        layout.setSpacing(4 * SPACE)
        for part in (header, form, buttons):
            layout.addLayout(part)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(f"{name}: {text}" for name, text in self._rows))
