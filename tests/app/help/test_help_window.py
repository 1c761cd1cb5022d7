"""The help window: pages, links by real clicks, search, themes; nothing is opened without a click."""

from dataclasses import replace

import pytest
from page_headings import headings_of
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QDesktopServices, QTextCursor
from windows import a_window

from shrec_viewer.app.commands import COMMANDS_BY_KEY
from shrec_viewer.app.dialogs.command_palette import all_entries, run_entry
from shrec_viewer.app.help.help_window import HelpWindow
from shrec_viewer.app.help.pages import GUIDES, WHATS_NEW, guide_pages
from shrec_viewer.widgets.controls.markdown_page import MarkdownPage
from shrec_viewer.widgets.style.theme import DARK, current_theme

LEFT = Qt.MouseButton.LeftButton

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.fixture
def window(qapp, qtbot):
    yield from a_window(qapp, qtbot)


@pytest.fixture
def visited(monkeypatch):
    """Addresses that would be opened in other programs."""
    found = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda link: found.append(link.toString()) or True)
    return found


def help_of(window):
    (found,) = window.findChildren(HelpWindow)
    return found


def click_link(page, text, qtbot):
    """Click the first link with a text."""
    cursor = page.document().find(text)
    while not cursor.isNull() and not cursor.charFormat().isAnchor():
        cursor = page.document().find(text, cursor)
    assert not cursor.isNull(), text
    page.setTextCursor(cursor)
    page.ensureCursorVisible()
    middle = QTextCursor(cursor)
    middle.setPosition((cursor.selectionStart() + cursor.selectionEnd()) // 2)
    place = page.cursorRect(middle).center() + QPoint(1, 0)
    assert page.anchorAt(place), f"'{text}' is where it is clicked"
    middle.clearSelection()
    page.setTextCursor(middle)
    qtbot.mouseClick(page.viewport(), LEFT, pos=place)


@pytest.mark.parametrize(
    "key", ["formats_help", "measures_help", "questions_help", "plug_ins_help", "python_help", "whats_new"]
)
def test_each_entry_of_the_menu_opens_its_page(window, qtbot, key):
    window.menus.actions[key].trigger()
    found = help_of(window)
    page = found.list.currentItem().data(Qt.ItemDataRole.UserRole)
    assert page.key == COMMANDS_BY_KEY[key].value
    assert headings_of(found.text)
    window.menus.actions["formats_help"].trigger()
    assert help_of(window) is found, "one window for all pages"
    found.close()


def test_every_file_is_a_page():
    assert [page.key for page in guide_pages()] == [*GUIDES, WHATS_NEW]


def test_links_lead_to_headings_and_pages(window, qtbot, visited):
    window.show_help("formats.md")
    found = help_of(window)
    qtbot.waitUntil(found.isVisible)
    click_link(found.text, "rank lists", qtbot)
    top = found.text.cursorForPosition(QPoint(20, 8)).block().text()
    assert top == "Rank lists"
    click_link(found.text, "Questions", qtbot)
    assert found.list.currentItem().text() == "Questions"
    assert headings_of(found.text)[0] == "Questions"
    click_link(found.text, "Measures and profiles", qtbot)
    assert found.list.currentItem().text() == "Measures and profiles"
    assert visited == []
    found.close()


def test_the_search_finds_words_inside_the_pages(window, qtbot):
    window.show_help("formats.md")
    found = help_of(window)
    qtbot.waitUntil(found.isVisible)
    qtbot.keyClicks(found.field, "favourable order")
    assert found.list.currentItem().text() == "Questions"
    assert found.text.textCursor().selectedText().lower() == "favourable order"
    found.show_page("formats.md")
    assert found.field.text() == "", "a page that the search hides is shown all the same"
    assert found.list.currentItem().text() == "Open your own contest"
    found.close()


def test_the_command_palette_finds_sections(window, qtbot):
    entries = {entry.text: entry for entry in all_entries(window)}
    run_entry(window, entries["What happens to equal distances?"])
    found = help_of(window)
    qtbot.waitUntil(found.isVisible)
    assert found.list.currentItem().text() == "Questions"
    assert found.text.cursorForPosition(QPoint(20, 8)).block().text() == "What happens to equal distances?"
    assert "Rank lists" in entries
    found.close()


@pytest.fixture
def page(qtbot):
    made = MarkdownPage()
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.show()
    return made


def test_links_to_the_web_open_after_a_click_only(page, qtbot, visited):
    page.set_markdown("See [the contest](https://www.shrec.net/), [a file](file:///etc/passwd) and [x](javascript:x).")
    qtbot.wait(50)
    assert visited == []
    click_link(page, "a file", qtbot)
    click_link(page, "x", qtbot)
    assert visited == []
    click_link(page, "the contest", qtbot)
    assert visited == ["https://www.shrec.net/"]


def test_html_in_markdown_is_not_interpreted(page):
    page.set_markdown('<b>bold</b> <img src="/dev/zero">')
    assert "<b>bold</b>" in page.toPlainText()


def test_pages_follow_the_theme(window, qtbot):
    window.show_help("questions.md")
    found = help_of(window)
    found.text.scroll_to("what-happens-to-equal-distances")
    before = found.text.verticalScrollBar().value()
    window.set_theme_choice("dark")
    block = found.text.document().begin()
    assert block.begin().fragment().charFormat().foreground().color() == DARK.colour("ink")
    assert current_theme() is DARK
    assert found.text.verticalScrollBar().value() == before > 0
    window.set_theme_choice("light")
    found.close()


def test_headings_grow_with_the_text_size(window, qtbot):
    window.show_help("questions.md")
    found = help_of(window)
    sizes = [found.text.document().begin().begin().fragment().charFormat().font().pointSizeF()]
    window.change_settings(replace(window.settings, text_size=150))
    sizes.append(found.text.document().begin().begin().fragment().charFormat().font().pointSizeF())
    assert sizes[1] == pytest.approx(1.5 * sizes[0], rel=0.05)
    window.change_settings(replace(window.settings, text_size=100))
    found.close()


def test_a_page_is_laid_out_once(qtbot):
    """The page of measures took 360 ms when it was laid out after each change of format, 76 ms now."""
    page = MarkdownPage()
    qtbot.addWidget(page)
    changes = []
    page.document().contentsChange.connect(lambda *change: changes.append(change))
    page.set_markdown("# Title\n\n" + "A *paragraph* with `code`.\n\n" * 50)
    assert page.document().blockCount() == 51
    assert len(changes) <= 5
