"""Help window: guides, and a page for each measure, curve and profile."""

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QTextBrowser, QWidget

from shrec_viewer.app.dialogs.fuzzy_search import contains_all_words
from shrec_viewer.app.dialogs.standard_dialogs import WindowDialog
from shrec_viewer.app.help.pages import HelpPage, help_pages
from shrec_viewer.metrics import UnknownKeyError, find_measure
from shrec_viewer.widgets.controls.layouts import column_of, row_of
from shrec_viewer.widgets.controls.markdown_page import MarkdownPage
from shrec_viewer.widgets.style.theme import SPACE, text_font

#: Size in pixels: the list, and a page of 90 characters per line.
SIZE = QSize(1000, 660)

#: Width of the list in pixels: the longest name fits.
LIST_WIDTH = 320


class HelpWindow(WindowDialog):
    """Non-modal window with a list of pages, a search field and the page.

    Parameters
    ----------
    parent : the main window.
    key : page to show, ``"questions.md"``, ``"AP"``, ``"P@10"`` or ``"shrec2006"``; "" for the first.
    previous_version : of the program before the last update, for *What's new*; "" if there was none.
    """

    def __init__(self, parent: QWidget, key: str = "", previous_version: str = "") -> None:
        super().__init__(parent, "help_window", "Help")
        self.field, self.list, self.text = QLineEdit(placeholderText="Search the help"), QListWidget(), MarkdownPage()
        self._pages = help_pages(previous_version)
        self._build()
        self.field.textChanged.connect(self._search)
        self.list.currentItemChanged.connect(self._show)
        self.text.page_requested.connect(self.show_page)
        self._search("")
        self.show_page(key)
        self.resize(SIZE.boundedTo(parent.size()))

    @Slot(str, str)
    def show_page(self, key: str, heading: str = "") -> None:
        """Show the page of a key, with or without parameters, at a heading given as in `heading_slug`."""
        try:
            name = find_measure(key).measure.name
        except UnknownKeyError:
            name = key
        if not self._select(key, name):
            self.field.clear()  # it may be hidden by the search
            self._select(key, name)
        if heading:
            self.text.scroll_to(heading)

    def _select(self, *keys: str) -> bool:
        """Select the page with one of some keys; False if it is not listed."""
        for row in range(self.list.count()):
            page = self.list.item(row).data(Qt.ItemDataRole.UserRole)
            if isinstance(page, HelpPage) and page.key in keys:
                self.list.setCurrentRow(row)
                return True
        return False

    def _build(self) -> None:
        self.field.setAccessibleName("Search the help")
        self.field.setClearButtonEnabled(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setAccessibleName("Pages")
        self.text.setAccessibleName("Page")
        self.text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.text.document().setDocumentMargin(4 * SPACE)
        left = QWidget()
        left.setLayout(column_of(self.field, (self.list, 1), margins=0))
        left.setFixedWidth(LIST_WIDTH)
        self.setLayout(row_of(left, (self.text, 1), spacing=3 * SPACE, margins=3 * SPACE))

    @Slot(str)
    def _search(self, pattern: str) -> None:
        self.list.clear()
        group, named = "", ""
        for page in self._pages:
            is_named = contains_all_words(pattern, " ".join((page.title, page.key, *page.other_names)))
            if not is_named and not contains_all_words(pattern, page.markdown):
                continue
            named = named or (page.key if is_named else "")
            if page.group != group:
                group = page.group
                heading = QListWidgetItem(group)
                heading.setFlags(Qt.ItemFlag.NoItemFlags)
                heading.setFont(text_font(self.font(), bold=True))
                self.list.addItem(heading)
            item = QListWidgetItem(page.title)
            item.setData(Qt.ItemDataRole.UserRole, page)
            self.list.addItem(item)
        if not named or not self._select(named):
            self.list.setCurrentRow(1 if self.list.count() > 1 else -1)

    @Slot(QListWidgetItem, QListWidgetItem)
    def _show(self, item: QListWidgetItem | None, _previous: QListWidgetItem | None) -> None:
        page = None if item is None else item.data(Qt.ItemDataRole.UserRole)
        if not isinstance(page, HelpPage):
            return
        if not page.markdown:
            self.text.set_html(page.html)
            return
        self.text.set_markdown(page.markdown)
        if pattern := self.field.text().strip():
            self.text.find(pattern)
            self.text.ensureCursorVisible()
