"""Messages, empty panes and progress tell without stopping anyone."""

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QAccessible, QEnterEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QMainWindow, QPlainTextEdit, QToolButton, QWidget

from shrec_viewer.widgets.controls.controls import EmptyState
from shrec_viewer.widgets.controls.messages import MAX_MESSAGES, SHOW_DELAY_MS, MessageArea, MessageBar, TaskProgressBar
from shrec_viewer.widgets.style.theme import DARK

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def strip(qtbot):
    holder = QWidget()
    qtbot.addWidget(holder)
    holder.resize(3000, 300)
    field = QLineEdit(holder)  # has the keys, as something always has in a window
    shown = MessageBar(holder)
    shown.setGeometry(1500, 150, 700, 60)  # away from the mouse: what is pointed at stays
    holder.show()
    holder.activateWindow()
    qtbot.waitUntil(holder.isActiveWindow)
    field.setFocus()
    shown.holder, shown.field = holder, field
    shown.heard = []
    shown.action_requested.connect(shown.heard.append)
    return shown


def test_a_strip_is_hidden_until_there_is_something_to_tell(strip):
    assert strip.isHidden()
    strip.show_message("warning", "3 findings in the files.")
    assert strip.isVisible()
    assert strip._text.text() == "3 findings in the files."
    assert strip.accessibleName() == "3 findings in the files."


def test_the_newest_is_shown_and_the_others_wait(strip, qtbot):
    strip.show_message("error", "first")
    strip.show_message("error", "second")
    assert (strip.current().text, strip.message_count(), strip._more.text()) == ("second", 2, "+1 more")
    qtbot.mouseClick(strip._close, LEFT)
    assert (strip.current().text, strip._more.isVisible()) == ("first", False)
    with qtbot.waitSignal(strip.dismissed):
        qtbot.mouseClick(strip._close, LEFT)
    assert strip.isHidden()


def test_the_same_message_is_told_once(strip):
    for _ in range(5):
        strip.show_message("warning", "again")
    assert strip.message_count() == 1


def test_a_message_that_holds_no_longer_is_taken_back_wherever_it_waits(strip):
    for text in ("B1 cannot be read", "later"):
        strip.show_message("warning", text)
    strip.remove_message("B1 cannot be read")
    assert (strip.current().text, strip.message_count()) == ("later", 1)
    strip.remove_message("never told")
    strip.remove_message("later")
    assert strip.isHidden()


def test_a_flood_does_not_pile_up(strip):
    for number in range(1000):
        strip.show_message("warning", str(number))
    assert strip.message_count() == MAX_MESSAGES
    assert strip.current().text == "999"


def test_information_goes_by_itself_and_an_error_stays(strip, qtbot):
    strip._expiry_timer.setInterval(20)
    strip.show_message("error", "stays")
    strip.show_message("info", "goes")
    qtbot.waitUntil(lambda: strip.current().text == "stays")
    qtbot.wait(60)
    assert strip.isVisible()


def test_details_wait_to_be_asked_for(strip, qtbot):
    strip.show_message("error", "No.", "line 1\nline 2")
    assert strip._details.isHidden()
    qtbot.mouseClick(strip._expand, LEFT)
    assert strip._details.isVisible()
    assert strip._details.toPlainText() == "line 1\nline 2"
    qtbot.mouseClick(strip._copy, LEFT)
    assert QGuiApplication.clipboard().text() == "No.\n\nline 1\nline 2"
    strip.show_message("error", "Other.")
    assert strip._details.isHidden()
    assert strip._expand.isHidden()


def test_information_stays_while_somebody_works_in_it(strip, qtbot):
    strip._expiry_timer.setInterval(20)
    strip.show_message("info", "reading slowly", action="Do it")
    strip.focus_message()
    assert QApplication.focusWidget() is strip._action
    qtbot.wait(80)
    assert strip.current().text == "reading slowly"
    strip.field.setFocus()
    qtbot.waitUntil(lambda: strip.current() is None)


def test_information_stays_while_it_is_pointed_at(strip, qtbot):
    strip._expiry_timer.setInterval(20)
    strip.show_message("info", "pointed at")
    middle = QPointF(strip.rect().center())
    QApplication.sendEvent(strip, QEnterEvent(middle, middle, QPointF(strip.mapToGlobal(middle))))
    qtbot.wait(80)
    assert strip.current().text == "pointed at"
    QApplication.sendEvent(strip, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: strip.current() is None)


def test_a_question_waits_for_its_answer(strip, qtbot):
    strip._expiry_timer.setInterval(1)
    strip.show_message("info", "shall I?", action="Yes", persistent=True)
    QApplication.sendEvent(strip, QEvent(QEvent.Type.Leave))
    qtbot.wait(60)
    assert strip.current().text == "shall I?"


def test_what_is_cut_is_among_the_details(strip, qtbot):
    long = "The file that was read yesterday cannot be read today, and nobody knows why that is so. " * 3
    strip.show_message("error", long.strip(), "line 1")
    strip.resize(420, strip.sizeHint().height())
    assert strip._text.is_elided()
    assert strip._text.toolTip() == long.strip()
    assert strip._details.toPlainText() == f"{long.strip()}\n\nline 1"
    strip.show_message("error", long.strip())
    assert strip._expand.isVisible()
    assert not strip._copy.isVisible()
    strip.resize(strip.sizeHint().width() + 40, strip.height())
    assert not strip._text.is_elided()
    assert not strip._expand.isVisible()


def test_escape_closes_the_message_that_has_the_keys(strip, qtbot):
    for text in ("first", "second"):
        strip.show_message("warning", text)
    strip.focus_message()
    assert QApplication.focusWidget() is strip._close
    qtbot.keyClick(strip._close, Qt.Key.Key_Escape)
    assert strip.current().text == "first"
    with qtbot.waitSignal(strip.dismissed):
        qtbot.keyClick(strip._close, Qt.Key.Key_Escape)


def test_those_that_wait_are_named(strip):
    for text in ("first", "second", "third"):
        strip.show_message("warning", text)
    assert strip._more.text() == "+2 more"
    assert strip._more.toolTip() == "second\nfirst"


def test_screen_readers_are_told_at_once(strip, monkeypatch):
    told = []
    monkeypatch.setattr(
        "shrec_viewer.widgets.controls.messages.QAccessible.updateAccessibility",
        lambda event: told.append((event.message(), event.politeness())),
    )
    strip.show_message("info", "read")
    strip.show_message("error", "lost")
    ways = QAccessible.AnnouncementPoliteness
    assert told == [("read", ways.Polite), ("lost", ways.Assertive)]


@pytest.fixture
def framed(qtbot):
    """A window with menus and something to read, whose messages float."""
    window = QMainWindow()
    qtbot.addWidget(window)
    window.menuBar().setNativeMenuBar(False)
    for title in ("&File", "&Edit", "&View", "&Help"):
        window.menuBar().addMenu(title)
    window.setCentralWidget(QPlainTextEdit("what is read"))
    window.shelf = MessageArea(window)
    window.strips = [MessageBar(), MessageBar()]
    for strip in window.strips:
        window.shelf.add(strip)
    window.resize(1280, 400)
    window.show()
    qtbot.waitExposed(window)
    return window


def test_messages_move_and_cover_nothing(framed, qtbot):
    """They float where the menu bar is empty: neither what is read nor a menu is below them."""
    before = framed.centralWidget().geometry()
    for place, strip in enumerate(framed.strips):
        strip.show_message("warning", f"Message {place} says something of usual length.", action="Do it")
    qtbot.waitUntil(lambda: framed.shelf.width() > 500)
    assert framed.centralWidget().geometry() == before
    bar, box = framed.menuBar(), framed.shelf.geometry()
    assert box.bottom() <= before.top() + 8  # buttons are a little higher than letters
    menus = [bar.actionGeometry(action).right() for action in bar.actions()]
    assert box.left() > max(menus)
    assert box.right() < framed.width()
    first, second = framed.strips
    assert first.geometry().left() > second.geometry().right()
    assert framed.shelf.message_count() == 2
    first.dismiss()
    qtbot.waitUntil(lambda: framed.shelf.width() < box.width())
    second.dismiss()
    qtbot.waitUntil(lambda: framed.shelf.geometry().isEmpty())


def test_details_unfold_over_what_is_there(framed, qtbot):
    framed.strips[0].show_message("error", "No.", "line 1")
    before = framed.centralWidget().geometry()
    qtbot.waitUntil(lambda: framed.shelf.height() > 10)
    low = framed.shelf.height()
    qtbot.mouseClick(framed.strips[0]._expand, LEFT)
    qtbot.waitUntil(lambda: framed.shelf.height() > low + 40)
    assert framed.centralWidget().geometry() == before
    assert framed.strips[0]._details.isVisible()


def test_without_room_beside_the_menus_messages_float_above_the_lower_edge(framed, qtbot):
    framed.resize(520, 400)
    framed.strips[0].show_message("warning", "Narrow.")
    qtbot.waitUntil(lambda: framed.shelf.height() > 10 and framed.shelf.geometry().bottom() > 350)
    assert framed.rect().contains(framed.shelf.geometry())
    framed.resize(1280, 400)
    qtbot.waitUntil(lambda: framed.shelf.geometry().top() < 20)


def test_keys_go_from_message_to_message(framed, qtbot):
    framed.shelf.focus_message()
    assert not isinstance(QApplication.focusWidget(), QToolButton)
    for strip in framed.strips:
        strip.show_message("warning", "x")
    for strip in (*framed.strips, framed.strips[0]):
        framed.shelf.focus_message()
        assert strip.isAncestorOf(QApplication.focusWidget())


def test_markup_in_a_message_is_text(strip):
    strip.show_message("error", "<b>file</b> & co")
    assert strip._text.textFormat() == Qt.TextFormat.PlainText


def test_the_action_says_which(strip, qtbot):
    strip.show_message("warning", "3 findings.", action="Show")
    qtbot.mouseClick(strip._action, LEFT)
    assert strip.heard == ["Show"]


def test_dismissing_from_outside_is_silent(strip, qtbot):
    strip.show_message("warning", "x")
    with qtbot.assertNotEmitted(strip.dismissed):
        strip.dismiss()
    assert strip.isHidden()


def test_an_unknown_severity_is_a_mistake(strip):
    with pytest.raises(ValueError, match="not 'fatal'"):
        strip.show_message("fatal", "x")


def test_severities_look_different_in_both_looks(strip):
    looks = []
    for theme in (None, DARK):
        if theme:
            strip.set_theme(theme)
        for severity in ("info", "warning", "error"):
            strip.dismiss()
            strip.show_message(severity, "same text")
            strip.resize(400, 60)
            looks.append(strip.grab().toImage())
    assert all(a != b for n, a in enumerate(looks) for b in looks[:n])


def test_an_empty_pane_says_why_and_what_to_do(qtbot):
    pane = EmptyState("runs", "No run selected", "Pick one.", "Open the demo")
    qtbot.addWidget(pane)
    pane.resize(300, 250)
    pane.show()
    with qtbot.waitSignal(pane.action_requested):
        qtbot.mouseClick(pane._button, LEFT)
    assert pane.accessibleName() == "No run selected. Pick one."
    pane.set_message("Nothing to see")
    assert pane._button.isHidden()
    assert pane._text.isHidden()
    pane.set_theme(DARK)


def test_a_long_sentence_of_an_empty_pane_is_not_cut(qtbot):
    pane = EmptyState("runs", "No run selected", "A sentence that is long enough to need three lines. " * 3)
    qtbot.addWidget(pane)
    pane.resize(260, 300)
    pane.show()
    qtbot.waitExposed(pane)
    sentence = pane._text
    assert sentence.height() >= sentence.heightForWidth(sentence.width())


def test_short_work_shows_no_bar(qtbot):
    bar = TaskProgressBar()
    qtbot.addWidget(bar)
    bar.set_progress("Measuring", 1, 3)
    qtbot.wait(50)
    assert bar.isHidden()
    bar.set_idle()
    qtbot.wait(SHOW_DELAY_MS)
    assert bar.isHidden()


def test_long_work_shows_a_bar_that_can_be_cancelled(qtbot):
    bar = TaskProgressBar()
    qtbot.addWidget(bar)
    for done in range(3):
        bar.set_progress("Measuring", done, 17)
    qtbot.waitUntil(bar.isVisible, timeout=3 * SHOW_DELAY_MS)
    assert (bar._bar.value(), bar._bar.maximum()) == (2, 17)
    assert bar._text.text() == "Measuring 2 / 17"
    with qtbot.waitSignal(bar.cancel_requested):
        qtbot.mouseClick(bar._cancel, LEFT)
    assert bar.isVisible(), "the owner stops the work and says so"
    bar.set_progress("Reading", 0, 0)
    assert bar._bar.maximum() == 0
    assert bar._text.text() == "Reading"
