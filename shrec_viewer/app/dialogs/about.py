"""The About dialog, and the dialog for uncaught exceptions: versions and details for error reports."""

import platform
import re
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from PySide6.QtCore import QLibraryInfo, QSize, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFormLayout, QPushButton, QWidget

from shrec_viewer.app.dialogs.standard_dialogs import WindowDialog, fixed_pitch_text, open_log
from shrec_viewer.app.help.licences import licences_text
from shrec_viewer.plugins import load_plugins
from shrec_viewer.printable import printable_lines
from shrec_viewer.version import __version__
from shrec_viewer.widgets.controls.layouts import Stretch, column_of, row_of
from shrec_viewer.widgets.controls.plain_text import PlainLabel
from shrec_viewer.widgets.style.theme import LOGO, SPACE, current_theme, icon_pixmap, text_font

#: Packages whose versions are listed.
PACKAGES = ("PySide6-Essentials", "numpy", "pyqtgraph", "moderngl", "trimesh", "Pillow")


#: Shown instead of the renderer until one is started; thumbnails from the cache need none.
NOT_USED_YET = "selected when the first model is rendered"


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


def shorten_home(text: str, home: Path | None = None) -> str:
    r"""A text in which the path of the home folder is ``~``.

    Examples
    --------
    >>> shorten_home("/home/ann/data, /home/anna and /home/ann.", Path("/home/ann"))
    '~/data, /home/anna and ~.'
    """
    home = home or Path.home()
    names = {str(home), str(home.resolve()), home.as_posix()}
    names |= {name.replace("\\", "\\\\") for name in names}  # as in the repr of a path
    for name in sorted(names, key=len, reverse=True):
        if len(Path(name).parts) > 1:  # not the root, which would replace every slash
            text = re.sub(rf"{re.escape(name)}(?!\w)(?![.-]\w)", "~", text)
    return text


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


LICENCE = "SHREC Viewer is distributed under the BSD 3-Clause licence."

DESCRIPTION = "Inspect and evaluate the rankings of 3D shape retrieval contests."


class AboutDialog(WindowDialog):
    """Versions, system and renderers, with a button to copy them."""

    def __init__(self, parent: QWidget, session: Any) -> None:
        super().__init__(parent, "about", "About SHREC Viewer")
        self._rows = [*versions(), *system_info(), *renderers(session), *plugins()]
        name, logo = PlainLabel(f"SHREC Viewer {__version__}"), PlainLabel()
        name.setFont(text_font(self.font(), 1.5, bold=True))
        logo.setPixmap(icon_pixmap(LOGO, "", 56, self.devicePixelRatioF()))
        form = QFormLayout(horizontalSpacing=4 * SPACE)
        for title, text in self._rows[1:]:
            label, value = PlainLabel(title, muted=True), PlainLabel(text, wraps=True)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            form.addRow(label, value)
        self.licences, self.copy, close = QPushButton("Licences"), QPushButton("Copy"), QPushButton("Close")
        self.licences.clicked.connect(self._show_licences)
        self.copy.clicked.connect(self._copy)
        close.clicked.connect(self.close)
        close.setDefault(True)
        close.setFocus()
        header = row_of(logo, 3 * SPACE, (column_of(name, PlainLabel(DESCRIPTION, muted=True)), 1))
        buttons = row_of(self.licences, Stretch(), self.copy, close)
        margins = (6 * SPACE, 6 * SPACE, 6 * SPACE, 4 * SPACE)
        self.setLayout(column_of(header, form, buttons, spacing=4 * SPACE, margins=margins))

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(f"{name}: {text}" for name, text in self._rows))

    @Slot()
    def _show_licences(self) -> None:
        LicencesDialog(self).open()


#: Size of the licences in pixels: lines of 80 characters in a font of fixed pitch.
LICENCES_SIZE = QSize(760, 560)


class LicencesDialog(WindowDialog):
    """Licences of the program and of the software that it uses."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "licences", "Licences")
        self.text = fixed_pitch_text("Licences", printable_lines(f"{LICENCE}\n\n{licences_text()}"))
        close = QPushButton("Close")
        close.clicked.connect(self.close)
        close.setDefault(True)
        self.setLayout(column_of((self.text, 1), row_of(Stretch(), close), spacing=3 * SPACE, margins=4 * SPACE))
        self.resize(LICENCES_SIZE)


#: Size in pixels: a traceback with lines of 90 characters.
SIZE = QSize(680, 420)

#: Maximum number of errors listed; the log has all.
MAX_REPORTS = 20

EXPLANATION = "Your data are unchanged. Save your project and continue. If the error occurs again, please report it."


class ErrorDialog(QDialog):
    """Non-modal dialog that lists all uncaught exceptions of a session."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("error_dialog")
        self.setWindowTitle("Unexpected error")
        self._reports: list[str] = []
        self.message, self._explanation = PlainLabel(wraps=True), PlainLabel(EXPLANATION, wraps=True, muted=True)
        self.details = fixed_pitch_text("Details for a report")
        self.copy, self.log = QPushButton("Copy"), QPushButton("Show the log")
        self.continue_button = QPushButton("Continue")
        self._build()
        self.copy.clicked.connect(self._copy)
        self.log.clicked.connect(open_log)
        self.continue_button.clicked.connect(self.close)
        self.resize(SIZE.boundedTo(parent.size()))

    def show_error(self, text: str, details: str) -> None:
        """Show an error; its traceback is listed once, also if it occurs again."""
        if details not in self._reports:
            self._reports = [*self._reports, details][-MAX_REPORTS:]
        count = len(self._reports)
        self.message.setText(text if count == 1 else f"{text}\n({count} different errors so far)")
        self.details.setPlainText(shorten_home("\n\n".join([*reversed(self._reports), diagnostics()])))
        self.show()

    def _build(self) -> None:
        mark = PlainLabel()
        mark.setPixmap(icon_pixmap("error", current_theme().error, 32, self.devicePixelRatioF()))
        self.message.setFont(text_font(self.font(), bold=True))
        self.continue_button.setDefault(True)
        texts = column_of(self.message, self._explanation)
        header = row_of((mark, Qt.AlignmentFlag.AlignTop), 2 * SPACE, (texts, 1))
        footer = row_of(self.copy, self.log, Stretch(), self.continue_button)
        self.setLayout(column_of(header, (self.details, 1), footer, spacing=3 * SPACE, margins=4 * SPACE))

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(shorten_home(f"{self.message.text()}\n\n{self.details.toPlainText()}"))
