"""Labels, message boxes, pages, and texts of menus and titles, which show text from files as it is."""

# QLabel and QMessageBox guess whether a text is HTML, and open the files that it names: the name of a run
# ``A<img src="/dev/zero">`` took 4 GB (Qt 6.10). Menus and buttons interpret ``&``, menus tabs, titles ``[*]``.
# The structure rules allow the classes of Qt in this module only.

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QUrl
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel, QMessageBox, QTextBrowser, QWidget

from shrec_viewer.printable import printable, printable_lines

MAX_NAME_LENGTH = 80
"""Characters of a name in a menu or on a button; longer names are shortened in the middle."""


class PlainLabel(QLabel):
    """Label that shows its text as it is; control characters, which hide or reorder other text, are escaped."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        if text:
            self.setText(text)

    def setText(self, text: str) -> None:  # noqa: N802 - as in QLabel
        """Set the text."""
        super().setText(printable_lines(text))


class PlainMessageBox(QMessageBox):
    """Message box whose texts are shown as they are."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def setText(self, text: str) -> None:  # noqa: N802 - as in QMessageBox
        """Set the text."""
        super().setText(printable_lines(text))

    def setInformativeText(self, text: str) -> None:  # noqa: N802 - as in QMessageBox
        """Set the smaller text below."""
        super().setInformativeText(printable_lines(text))


class PlainMessageBoxFilter(QObject):
    """Event filter of the application that makes the message boxes of Qt's own file dialog show plain text.

    In Qt 6.10, its question whether to replace a file takes the name of the file for HTML. The filter is installed only
    while a dialog is open, as Python is called for every event.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        app = QCoreApplication.instance()
        if app is not None:
            app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override: set the format before the first layout, which opens the file."""
        if event.type() == QEvent.Type.Polish and isinstance(watched, QMessageBox):
            watched.setTextFormat(Qt.TextFormat.PlainText)
        return False

    def remove(self) -> None:
        """Remove the event filter."""
        app = QCoreApplication.instance()
        if app is not None:
            app.removeEventFilter(self)
        self.deleteLater()


class HtmlPage(QTextBrowser):
    """Page of HTML that the program made; it opens no files and no addresses, whatever the HTML contains."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pixel = QImage(1, 1, QImage.Format.Format_ARGB32)
        self._pixel.fill(Qt.GlobalColor.transparent)
        self.setOpenLinks(False)

    def loadResource(self, kind: int, name: QUrl | str) -> object:  # noqa: N802 - as in QTextBrowser
        """A transparent pixel; for None, and once for data that is no image, Qt 6.10 opens the file itself."""
        return self._pixel


def shorten_name(name: str) -> str:
    """A name with control characters escaped, of at most `MAX_NAME_LENGTH` characters.

    Examples
    --------
    >>> shorten_name("A1"), len(shorten_name("x" * 10_000))
    ('A1', 80)
    """
    name = printable(name[: 4 * MAX_NAME_LENGTH] + name[-MAX_NAME_LENGTH:] if len(name) > 5 * MAX_NAME_LENGTH else name)
    if len(name) <= MAX_NAME_LENGTH:
        return name
    half = MAX_NAME_LENGTH // 2
    return f"{name[: half - 1]}…{name[-half:]}"


def escape_mnemonic(name: str) -> str:
    r"""A name as text of a menu or button, where ``&`` marks a key and a tab the shortcut.

    Examples
    --------
    >>> escape_mnemonic("R&D\t1")
    'R&&D\\t1'
    """
    return shorten_name(name).replace("&", "&&")


def title_text(name: str) -> str:
    """A name as a part of a window title, where ``[*]`` is the sign of unsaved changes.

    Examples
    --------
    >>> title_text("A[*]")
    'A[*][*]'
    """
    return shorten_name(name).replace("[*]", "[*][*]")
