"""A change of theme dresses what is in sight at once and the rest after it; it leaves nothing behind."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QCheckBox,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import delete

from shrec_viewer.widgets.style.style_updater import StyleSettings, style_updater
from shrec_viewer.widgets.style.theme import DARK, LIGHT, apply_text_size, apply_theme, style_sheet


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
    qtbot.waitUntil(lambda: style_updater(qapp).is_done)


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
    assert not style_updater(qapp).is_done
    qtbot.waitUntil(lambda: style_updater(qapp).is_done)
    assert pages.grab().toImage() == as_made_now(pages, qtbot)
    pages.setCurrentIndex(1)
    assert pages.grab().toImage() == as_made_now(pages, qtbot)


@pytest.mark.parametrize("themes", [(DARK,), (DARK, LIGHT), (DARK, LIGHT, DARK)])
def test_what_is_shown_before_its_turn_is_dressed_first(pages, qapp, qtbot, themes):
    for theme in themes:
        apply_theme(qapp, theme)
    pages.setCurrentIndex(1)
    qtbot.waitUntil(lambda: style_updater(qapp).is_done)
    assert pages.grab().toImage() == as_made_now(pages, qtbot)


def test_letters_of_what_is_not_in_sight_grow_too(pages, qapp, qtbot):
    apply_text_size(qapp, 130)
    qtbot.waitUntil(lambda: style_updater(qapp).is_done)
    pages.setCurrentIndex(1)
    assert pages.grab().toImage() == as_made_now(pages, qtbot)


def test_no_delegates_are_left_behind(pages, qapp, qtbot):
    boxes = [pages.widget(place).box for place in range(2)]
    for _ in range(3):
        for place, theme in enumerate((DARK, LIGHT)):
            pages.setCurrentIndex(place)
            apply_theme(qapp, theme)
            qtbot.waitUntil(lambda: style_updater(qapp).is_done)
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert [len(box.findChildren(QAbstractItemDelegate)) for box in boxes] == [1, 1]


def test_patient_windows_keep_their_picture_until_all_in_it_is_dressed(pages, qapp, qtbot):
    apply_theme(qapp, DARK, deferred=True)
    while not style_updater(qapp).is_done and not pages.updatesEnabled():
        qapp.processEvents()
    assert pages.updatesEnabled()
    assert pages.grab().toImage() == as_made_now(pages, qtbot)


class Painted(QObject):
    """Counts how often what it watches is painted."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__(watched)
        self.count = 0
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Paint
        return False


@pytest.mark.parametrize("requests", [(130,), (115, 130, 150)])
def test_a_window_that_was_to_be_drawn_just_before_is_drawn_afterwards(pages, qapp, qtbot, requests):
    dialog = QDialog(pages)
    QVBoxLayout(dialog).addWidget(page := Page())
    dialog.show()
    qtbot.waitExposed(dialog)
    qtbot.wait(20)
    for percent in requests:
        page.box.update()  # as a field does whose value is changed
        apply_text_size(qapp, percent, deferred=True)
    qapp.sendPostedEvents(dialog, QEvent.Type.UpdateRequest)
    painted = [Painted(window) for window in (dialog, pages)]
    qtbot.waitUntil(lambda: style_updater(qapp).is_done)
    qtbot.wait(20)
    assert all(one.count for one in painted)
    assert dialog.updatesEnabled()
    assert page.box.font().pointSizeF() == pytest.approx(qapp.font().pointSizeF())


def test_patience_takes_one_widget_a_turn_where_each_takes_its_time(pages, qapp, monkeypatch):
    told = []
    monkeypatch.setattr(style_updater, "FROZEN_SLICE_S", -1)
    monkeypatch.setattr(style_updater, "SLICE_S", -1)
    style_updater(qapp).change(StyleSettings(style_sheet(DARK), tell=told.append), deferred=True)
    counts = [0]
    while not style_updater(qapp).is_done:
        qapp.processEvents()
        counts.append(len(told))
    assert set(pages.findChildren(QWidget)) <= set(told)
    assert max(later - earlier for earlier, later in pairwise(counts)) == 1


def test_of_many_wishes_the_first_and_the_newest_are_fulfilled(pages, qapp, qtbot, monkeypatch):
    told = []
    monkeypatch.setattr(
        style_updater, "FROZEN_SLICE_S", -1
    )  # so that the first takes longer than asking for the others
    for name in ("first", "second", "third", "fourth"):
        outfit = StyleSettings(style_sheet(DARK), wear=lambda _app, name=name: told.append(name))
        style_updater(qapp).change(outfit, deferred=True)
        qapp.processEvents()
    qtbot.waitUntil(lambda: style_updater(qapp).is_done)
    assert told == ["first", "fourth"]
    assert pages.updatesEnabled()


def test_a_window_that_opens_meanwhile_and_one_that_goes(pages, qapp, qtbot):
    apply_theme(qapp, DARK, deferred=True)
    qapp.processEvents()
    late, gone = QStackedWidget(), QStackedWidget()
    for stack in (late, gone):
        qtbot.addWidget(stack)
        stack.addWidget(Page())
        stack.resize(pages.size())
        stack.show()
    qapp.processEvents()
    gone.close()
    gone.deleteLater()
    qtbot.waitUntil(lambda: style_updater(qapp).is_done)
    late.setFocus()
    pages.setFocus()
    assert late.updatesEnabled()
    assert late.grab().toImage() == as_made_now(pages, qtbot)


def test_a_widget_that_fails_to_follow_does_not_keep_the_others_from_it(pages, qapp, qtbot):
    class Broken(QLabel):
        def set_theme(self, theme):
            raise ValueError(theme.name)

    broken = Broken("words", pages.widget(0))
    broken.show()
    apply_theme(qapp, DARK, deferred=True)
    with qtbot.capture_exceptions() as errors:
        qtbot.waitUntil(lambda: style_updater(qapp).is_done)
    assert [str(error) for _, error, _ in errors] == ["dark"]
    assert pages.updatesEnabled()
    delete(broken)
    assert pages.grab().toImage() == as_made_now(pages, qtbot)
