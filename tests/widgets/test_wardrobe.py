"""A change of theme dresses what is in sight at once and the rest after it; it leaves nothing behind."""

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.widgets.theme import DARK, LIGHT, apply_text_size, apply_theme
from shrec_viewer.widgets.wardrobe import wardrobe_of


class Page(QWidget):
    """One of each kind that the style sheet names; counts how often it is told of another style."""

    def __init__(self) -> None:
        super().__init__()
        self.told = 0
        self.box, muted = QComboBox(), QLabel("words")
        self.box.addItems(["first", "second"])
        muted.setProperty("muted", True)
        layout = QVBoxLayout(self)
        for widget in (self.box, muted, QCheckBox("choose"), QPushButton("press"), QLineEdit("text")):
            layout.addWidget(widget)

    def changeEvent(self, event: QEvent) -> None:
        self.told += event.type() == QEvent.Type.StyleChange
        super().changeEvent(event)


@pytest.fixture
def pages(qapp, qtbot):
    apply_theme(qapp, LIGHT)
    pages = QStackedWidget()
    qtbot.addWidget(pages)
    for _ in range(2):
        pages.addWidget(Page())
    pages.resize(300, 300)
    pages.show()
    for place in (1, 0):  # both were in sight
        pages.setCurrentIndex(place)
        qtbot.waitExposed(pages)
    pages.setFocus()
    yield pages
    apply_text_size(qapp, 100)
    apply_theme(qapp, LIGHT)
    wardrobe_of(qapp).finish()


def as_made_now(pages, qtbot):
    """The picture of such a page that knows of no other theme."""
    other = QStackedWidget()
    qtbot.addWidget(other)
    other.addWidget(Page())
    other.resize(pages.size())
    other.show()
    qtbot.waitExposed(other)
    other.setFocus()
    return other.grab().toImage()


def test_what_is_not_in_sight_is_dressed_after_what_is(pages, qapp, qtbot):
    seen, hidden = pages.widget(0), pages.widget(1)
    before = (seen.told, hidden.told)
    apply_theme(qapp, DARK)
    assert seen.told > before[0]
    assert hidden.told == before[1]
    assert not wardrobe_of(qapp).is_done
    qtbot.waitUntil(lambda: wardrobe_of(qapp).is_done)
    assert pages.grab().toImage() == as_made_now(pages, qtbot)
    pages.setCurrentIndex(1)
    assert pages.grab().toImage() == as_made_now(pages, qtbot)


@pytest.mark.parametrize("themes", [(DARK,), (DARK, LIGHT), (DARK, LIGHT, DARK)])
def test_what_is_shown_before_its_turn_is_dressed_first(pages, qapp, qtbot, themes):
    for theme in themes:
        apply_theme(qapp, theme)
    pages.setCurrentIndex(1)
    qtbot.waitUntil(lambda: wardrobe_of(qapp).is_done)
    assert pages.grab().toImage() == as_made_now(pages, qtbot)


def test_letters_of_what_is_not_in_sight_grow_too(pages, qapp, qtbot):
    apply_text_size(qapp, 130)
    qtbot.waitUntil(lambda: wardrobe_of(qapp).is_done)
    pages.setCurrentIndex(1)
    assert pages.grab().toImage() == as_made_now(pages, qtbot)


def test_no_delegates_are_left_behind(pages, qapp, qtbot):
    boxes = [pages.widget(place).box for place in range(2)]
    for _ in range(3):
        for place, theme in enumerate((DARK, LIGHT)):
            pages.setCurrentIndex(place)
            apply_theme(qapp, theme)
            qtbot.waitUntil(lambda: wardrobe_of(qapp).is_done)
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert [len(box.findChildren(QAbstractItemDelegate)) for box in boxes] == [1, 1]
