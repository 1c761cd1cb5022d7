"""Labels, message boxes, pages, menu texts and tooltips that show text as typed instead of markup."""

import re
from html import escape

from PySide6.QtCore import QCoreApplication, QEvent, QModelIndex, QObject, Qt, QUrl
from PySide6.QtGui import QAction, QContextMenuEvent, QHelpEvent, QImage
from PySide6.QtWidgets import QAbstractItemView, QLabel, QMessageBox, QTextBrowser, QToolTip, QWidget

from shrec_viewer.printable import printable, printable_lines
from shrec_viewer.widgets.controls.context_menu import open_text_menu

# QLabel and QMessageBox guess whether a text is HTML, and open the files that it names: the name of a run
# ``A<img src="/dev/zero">`` took 4 GB (Qt 6.10). Menus and buttons interpret ``&``, menus tabs, titles ``[*]``.
# The structure rules allow the classes of Qt in this module only.


#: Characters of a name in a menu or on a button; longer names are shortened in the middle.
MAX_NAME_LENGTH = 80

_MNEMONIC = re.compile("&(&?)")


class PlainLabel(QLabel):
    """Label that shows its text as it is; control characters, which hide or reorder other text, are escaped."""

    def __init__(
        self, text: str = "", parent: QWidget | None = None, *, muted: bool = False, wraps: bool = False
    ) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wraps)
        if muted:
            self.setProperty("muted", True)
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

    In Qt 6.10, its question whether to replace a file interprets the file name as HTML. The filter is installed only
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

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the text and of the panel."""
        open_text_menu(self, event)


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


def without_mnemonic(text: str) -> str:
    """The text of a menu entry, button or tab as it is shown, the inverse of `escape_mnemonic`.

    Examples
    --------
    >>> without_mnemonic("&Save R&&D")
    'Save R&D'
    """
    return _MNEMONIC.sub(r"\1", text)


def title_text(name: str) -> str:
    """A name as a part of a window title, where ``[*]`` is the sign of unsaved changes.

    Examples
    --------
    >>> title_text("A[*]")
    'A[*][*]'
    """
    return shorten_name(name).replace("[*]", "[*][*]")


#: Characters above which a line is wrapped: about 480 pixels.
MAX_LINE_CHARACTERS = 72

#: Characters above which a word, which Qt does not wrap, is shortened in the middle: about 1,300 pixels.
MAX_WORD_CHARACTERS = 200

#: Size of a text above which the rest is left out: about 650 pixels high.
MAX_LINES, MAX_CHARACTERS = 25, 3000

#: Property of the viewport of an item view whose tooltips are not shown; see `suppress_tooltips`.
SUPPRESSED_PROPERTY = "tooltips_suppressed"

#: Property of a widget or action: its tooltip as given to `set_tooltip`.
PLAIN_PROPERTY = "plain_tooltip"


def tooltip_text(text: str) -> str:
    r"""A plain text in the form in which Qt's tooltips show it as typed.

    Qt shows a text with markup as rich text, and wraps rich text only. A text with "<" or "&", or with a long line,
    is therefore escaped and becomes rich text; any other text is returned unchanged. Control characters are escaped.

    Examples
    --------
    >>> tooltip_text("Ranks shown"), tooltip_text("run <b>1</b>")
    ('Ranks shown', '<p>run &lt;b&gt;1&lt;/b&gt;</p>')
    >>> tooltip_text("a < b " * 20)[:20]
    '<p>a &lt; b a &lt; b'
    """
    text = _fitting(text)
    lines = text.split("\n")
    if "<" not in text and "&" not in text and all(len(line) <= MAX_LINE_CHARACTERS for line in lines):
        return text
    return "".join(f"<p>{escape(line, quote=False)}</p>" for line in lines)


def _fitting(text: str) -> str:
    """A text that fits on a screen, with control characters escaped."""
    lines = printable_lines(text).split("\n")
    text = "\n".join([*lines[: MAX_LINES - 1], "…"] if len(lines) > MAX_LINES else lines)
    text = re.sub(rf"\S{{{MAX_WORD_CHARACTERS + 1},}}", _shorten_word, text)
    return text if len(text) <= MAX_CHARACTERS else f"{text[: MAX_CHARACTERS - 1]}…"


def _shorten_word(found: re.Match[str]) -> str:
    half = MAX_WORD_CHARACTERS // 2
    return f"{found[0][: half - 1]}…{found[0][-half:]}"


def titled_tooltip(text: str) -> str:
    r"""Plain text as a wrapped tooltip with the first line as the title; "" for "".

    Examples
    --------
    >>> titled_tooltip("NDCG\nG[1] < 1")
    "<p style='font-weight:600'>NDCG</p><p>G[1] &lt; 1</p>"
    """
    title, *rest = escape(_fitting(text), quote=False).split("\n")
    return "".join((f"<p style='font-weight:600'>{title}</p>", *(f"<p>{line}</p>" for line in rest))) if text else ""


def set_tooltip(target: QWidget | QAction, text: str) -> None:
    """Set a tooltip of plain text; "" for none.

    For items of item views see `ItemTooltips`. Screen readers are given the tooltip of a widget without an accessible
    description, so an escaped tooltip sets one.
    """
    if text == plain_tooltip(target):
        return
    shown = tooltip_text(text)
    if isinstance(target, QWidget) and target.accessibleDescription() in ("", plain_tooltip(target)):
        target.setAccessibleDescription(text if shown != text else "")
    target.setToolTip(shown)
    target.setProperty(PLAIN_PROPERTY, text)


def plain_tooltip(target: QWidget | QAction) -> str:
    """The tooltip as given to `set_tooltip`."""
    return str(target.property(PLAIN_PROPERTY) or "")


#: Pixels of a cell of a table that its text does not get.
CELL_MARGIN = 8


class ItemTooltips(QObject):
    """Event filter that shows the tooltips of the items of a view as plain text.

    A model gives plain text for `Qt.ItemDataRole.ToolTipRole`, which Qt itself would show as rich text if it contains
    markup. The filter is on one viewport: on the application, a filter in Python took 28 % of the CPU of a window
    (PySide 6.10 makes a Python object of each event and of its receiver).
    """

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show the tooltip of the item under the mouse."""
        if event.type() != QEvent.Type.ToolTip or not isinstance(event, QHelpEvent):
            return False
        viewport = self._view.viewport()
        if viewport.property(SUPPRESSED_PROPERTY):
            return True
        index = self._view.indexAt(event.pos())
        text = _item_tooltip(self._view, index) if index.isValid() else ""
        if not text:
            return False
        QToolTip.showText(event.globalPos(), tooltip_text(str(text)), viewport, self._view.visualRect(index))
        return True


def _item_tooltip(view: QAbstractItemView, index: QModelIndex) -> str:
    """The tooltip of an item, after its whole text where that is elided."""
    text, tip = str(index.data() or ""), str(index.data(Qt.ItemDataRole.ToolTipRole) or "")
    is_elided = view.fontMetrics().horizontalAdvance(text) > view.visualRect(index).width() - CELL_MARGIN
    return "\n".join(filter(None, (text if is_elided and text not in tip else "", tip)))


def suppress_tooltips(viewport: QWidget, suppressed: bool) -> None:
    """Switch the tooltips of the items of a view off or on, e.g. while a larger card shows the same text."""
    if bool(viewport.property(SUPPRESSED_PROPERTY)) == suppressed:
        return
    viewport.setProperty(SUPPRESSED_PROPERTY, suppressed)
    if suppressed:
        QToolTip.hideText()
