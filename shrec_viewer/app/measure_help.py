"""The help window: every measure, curve and set of conventions explained."""

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.app.fuzzy import holds
from shrec_viewer.app.measure_pages import Page, pages
from shrec_viewer.widgets.theme import SPACE, text_font

SIZE = QSize(860, 560)
"""Pixels: a list of names and a page of 65 letters a line."""

LIST_WIDTH = 290
"""Pixels of the list; the longest name fits."""


class MeasureHelp(QDialog):
    """Stays open beside the window while one works.

    Parameters
    ----------
    parent : the window.
    key : of the page to begin with, ``"AP"``, ``"P@10"`` or ``"shrec2006"``; "" for the first.
    """

    def __init__(self, parent: QWidget, key: str = "") -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("measure_help")
        self.setWindowTitle("Measures explained")
        self.field, self.list, self.text = QLineEdit(), QListWidget(), QTextBrowser()
        self._pages = pages()
        self._build()
        self.field.textChanged.connect(self._look)
        self.list.currentItemChanged.connect(self._show)
        self._look("")
        self.show_page(key)
        self.resize(SIZE.boundedTo(parent.size()))

    def show_page(self, key: str) -> None:
        """Show the page of a key, of its measure where it has parameters."""
        name = key.partition("@")[0].partition("(")[0]
        for place in range(self.list.count()):
            page = self.list.item(place).data(Qt.ItemDataRole.UserRole)
            if isinstance(page, Page) and page.key in (key, name):
                self.list.setCurrentRow(place)
                return

    def _build(self) -> None:
        self.field.setPlaceholderText("Look for a measure")
        self.field.setAccessibleName("Look for a measure")
        self.field.setClearButtonEnabled(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setAccessibleName("Measures, curves and conventions")
        self.text.setAccessibleName("Explanation")
        self.text.setOpenLinks(False)
        self.text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.text.document().setDocumentMargin(4 * SPACE)
        left = QVBoxLayout()
        left.addWidget(self.field)
        left.addWidget(self.list, 1)
        holder = QWidget()
        holder.setLayout(left)
        holder.setFixedWidth(LIST_WIDTH)
        left.setContentsMargins(0, 0, 0, 0)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(3 * SPACE, 3 * SPACE, 3 * SPACE, 3 * SPACE)
        layout.setSpacing(3 * SPACE)
        layout.addWidget(holder)
        layout.addWidget(self.text, 1)

    @Slot(str)
    def _look(self, wanted: str) -> None:
        self.list.clear()
        group = ""
        for page in self._pages:
            if not holds(wanted, f"{page.title} {page.key}"):
                continue
            if page.group != group:
                group = page.group
                heading = QListWidgetItem(group)
                heading.setFlags(Qt.ItemFlag.NoItemFlags)
                heading.setFont(text_font(self.font(), strong=True))
                self.list.addItem(heading)
            item = QListWidgetItem(page.title)
            item.setData(Qt.ItemDataRole.UserRole, page)
            self.list.addItem(item)
        self.list.setCurrentRow(1 if self.list.count() > 1 else -1)

    @Slot(QListWidgetItem, QListWidgetItem)
    def _show(self, item: QListWidgetItem | None, _former: QListWidgetItem | None) -> None:
        page = None if item is None else item.data(Qt.ItemDataRole.UserRole)
        if isinstance(page, Page):
            self.text.setHtml(page.html)
