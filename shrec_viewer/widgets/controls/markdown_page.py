"""Page of Markdown in the fonts and colours of the theme, with links."""

import re
from collections.abc import Iterator

from PySide6.QtCore import QUrl, Signal, Slot
from PySide6.QtGui import (
    QBrush,
    QDesktopServices,
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextListFormat,
    QTextTable,
)
from PySide6.QtWidgets import QWidget

from shrec_viewer.widgets.controls.plain_text import HtmlPage
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, text_font

#: Font size of headings by level, relative to the text.
HEADING_SIZES = {1: 1.7, 2: 1.3, 3: 1.08}

#: Space in pixels above and below headings by level.
HEADING_MARGINS = {1: (0, 8), 2: (20, 6), 3: (14, 4)}

#: Percent of the font's line height: lines of 90 characters are easier to follow.
LINE_HEIGHT = 125

#: Schemes of links that are opened in other programs, after a click.
WEB_SCHEMES = ("https", "http", "mailto")

#: Indentation of lists in pixels.
INDENT = 24

BULLETS = (QTextListFormat.Style.ListCircle, QTextListFormat.Style.ListSquare)

FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML


class MarkdownPage(HtmlPage):
    """Page of Markdown that the program contains. It opens nothing by itself; links to the web open after a click.

    Signals
    -------
    page_requested(name, heading)
        A link to another page was clicked, ``"formats.md"``; its heading as in `heading_slug`, "" for the top.
    """

    page_requested = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._markdown = ""
        self.anchorClicked.connect(self._open_link)

    def set_markdown(self, text: str) -> None:
        """Show a page from its top; HTML in it is shown as text."""
        self._markdown = text
        self.document().setMarkdown(text, FEATURES)
        self.document().setIndentWidth(INDENT)
        self._format()
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def set_html(self, html: str) -> None:
        """Show a page of HTML from its top."""
        self._markdown = ""
        self.setHtml(html)

    def set_theme(self, theme: Theme) -> None:
        """Set the theme; HTML follows the palette."""
        if self._markdown:
            position = self.verticalScrollBar().value()
            self.set_markdown(self._markdown)
            self.verticalScrollBar().setValue(position)

    def scroll_to(self, heading: str) -> bool:
        """Scroll to a heading, given as in `heading_slug`; False if there is none."""
        for block in self._blocks():
            if block.blockFormat().headingLevel() and heading_slug(block.text()) == heading:
                top = self.document().documentLayout().blockBoundingRect(block).top()
                self.verticalScrollBar().setValue(round(top))
                return True
        return False

    def _blocks(self) -> Iterator[QTextBlock]:
        block = self.document().begin()
        while block.isValid():
            yield block
            block = block.next()

    @Slot(QUrl)
    def _open_link(self, link: QUrl) -> None:
        if link.scheme() in WEB_SCHEMES:
            QDesktopServices.openUrl(link)
        elif not link.scheme() and not link.path():
            self.scroll_to(link.fragment())
        elif not link.scheme():
            self.page_requested.emit(link.path(), link.fragment())

    def _format(self) -> None:
        """Set fonts, colours and margins; those of Qt's Markdown import do not follow the theme (Qt 6.10)."""
        theme = current_theme()
        whole = QTextCursor(self.document())
        whole.beginEditBlock()  # one layout for all changes
        for block in self._blocks():
            cursor = QTextCursor(block)
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
            level = block.blockFormat().headingLevel()
            if level:
                self._format_heading(cursor, level)
            elif _is_code(block):
                self._format_code(cursor, follows=_is_code(block.previous()), continues=_is_code(block.next()))
            else:
                self._format_text(cursor)
        for frame in self.document().rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                _format_table(frame, theme)
        whole.endEditBlock()

    def _format_heading(self, cursor: QTextCursor, level: int) -> None:
        above, below = HEADING_MARGINS[min(level, 3)]
        cursor.setCharFormat(_ink_format(text_font(self.font(), HEADING_SIZES[min(level, 3)], bold=True)))
        layout = QTextBlockFormat()
        layout.setTopMargin(above)
        layout.setBottomMargin(below)
        cursor.mergeBlockFormat(layout)

    def _format_code(self, cursor: QTextCursor, *, follows: bool, continues: bool) -> None:
        cursor.setCharFormat(_ink_format(self._code_font()))
        layout = QTextBlockFormat()
        layout.setBackground(QBrush(current_theme().colour("hover")))
        layout.setTextIndent(2 * SPACE)
        layout.setNonBreakableLines(False)
        layout.setTopMargin(0 if follows else SPACE)
        layout.setBottomMargin(0 if continues else 3 * SPACE)  # no line height: it would leave gaps in the background
        cursor.mergeBlockFormat(layout)

    def _format_text(self, cursor: QTextCursor) -> None:
        """Set line height and margins, and the colours of code and links within the text."""
        block, layout = cursor.block(), QTextBlockFormat()
        layout.setLineHeight(LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        is_inner_item = block.textList() is not None and block.next().textList() is not None
        layout.setBottomMargin(SPACE if is_inner_item else 2 * SPACE)
        layout.setTopMargin(0)
        if (found := block.textList()) is not None and found.format().style() in BULLETS:
            style = found.format()
            style.setStyle(QTextListFormat.Style.ListDisc)  # Qt draws circles and squares for `*` and `+`
            found.setFormat(style)
        if cursor.currentTable() is not None:
            layout.setBottomMargin(0)
        cursor.mergeBlockFormat(layout)
        spans = [part.fragment() for part in block]  # type: ignore[attr-defined]  # not declared by PySide6 6.10
        for span in spans:
            look = QTextCharFormat()
            if span.charFormat().fontFixedPitch():
                look.setFont(self._code_font(), QTextCharFormat.FontPropertiesInheritanceBehavior.FontPropertiesAll)
                look.setBackground(QBrush(current_theme().colour("hover")))
            elif span.charFormat().isAnchor():
                look.setForeground(current_theme().colour("accent"))
            elif span.charFormat().fontWeight() > QFont.Weight.Normal:
                look.setFontWeight(QFont.Weight.DemiBold)
            else:
                continue
            part = QTextCursor(self.document())
            part.setPosition(span.position())
            part.setPosition(span.position() + span.length(), QTextCursor.MoveMode.KeepAnchor)
            part.mergeCharFormat(look)

    def _code_font(self) -> QFont:
        """The system's font of fixed pitch in letters as high as those of the text."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(self.font().pointSizeF())
        ratio = QFontMetricsF(self.font()).xHeight() / max(QFontMetricsF(font).xHeight(), 1)
        font.setPointSizeF(self.font().pointSizeF() * min(ratio, 1.0))
        return font


def heading_slug(text: str) -> str:
    """Name of a heading in links, as on GitHub.

    Examples
    --------
    >>> heading_slug("Is the query part of its own list?")
    'is-the-query-part-of-its-own-list'
    """
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def _is_code(block: QTextBlock) -> bool:
    return block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence)


def _ink_format(font: QFont) -> QTextCharFormat:
    look = QTextCharFormat()
    look.setFont(font)
    look.setForeground(current_theme().colour("ink"))
    return look


def _format_table(table: QTextTable, theme: Theme) -> None:
    layout = table.format()
    layout.setBorderCollapse(True)
    layout.setBorder(1)
    layout.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    layout.setBorderBrush(QBrush(theme.colour("line")))
    layout.setCellPadding(SPACE)
    layout.setTopMargin(SPACE)
    layout.setBottomMargin(2 * SPACE)
    layout.setWidth(QTextLength())
    table.setFormat(layout)
