"""Messages, empty panes and progress tell without stopping anyone."""

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QEnterEvent, QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QProgressBar,
    QToolButton,
    QWidget,
)

from shrec_viewer.widgets.controls.controls import EmptyState
from shrec_viewer.widgets.controls.messages import (
    MAX_MESSAGES,
    MessageArea,
    MessageBar,
    MessageSpace,
    TaskProgressBar,
)
from shrec_viewer.widgets.controls.plain_text import plain_tooltip
from shrec_viewer.widgets.style.theme import DARK, LIGHT

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
    shown.action_requested.connect(lambda action, topic: shown.heard.append((action, topic) if topic else action))
    return shown


def test_message_bar_is_hidden_without_message(strip):
    assert strip.isHidden()
    strip.show_message("warning", "3 findings in the files.")
    assert strip.isVisible()
    assert strip._text.text() == "3 findings in the files."
    assert strip.accessibleName() == "3 findings in the files."


def test_newest_message_is_shown_first(strip, qtbot):
    strip.show_message("error", "first")
    strip.show_message("error", "second")
    assert (strip.current().text, strip.message_count(), strip._more.text()) == ("second", 2, "+1 more")
    qtbot.mouseClick(strip._close, LEFT)
    assert (strip.current().text, strip._more.isVisible()) == ("first", False)
    with qtbot.waitSignal(strip.dismissed):
        qtbot.mouseClick(strip._close, LEFT)
    assert strip.isHidden()


def test_repeated_message_is_shown_once(strip):
    for _ in range(5):
        strip.show_message("warning", "again")
    assert strip.message_count() == 1


def test_expired_message_is_removed_from_the_queue(strip):
    for text in ("B1 cannot be read", "later"):
        strip.show_message("warning", text)
    strip.remove_message("B1 cannot be read")
    assert (strip.current().text, strip.message_count()) == ("later", 1)
    strip.remove_message("never told")
    strip.remove_message("later")
    assert strip.isHidden()


def test_message_replaces_earlier_ones_on_the_same_topic(strip):
    strip.show_message("error", "x.shrec cannot be saved", topic="save")
    strip.show_message("warning", "other")
    strip.show_message("info", "Saved x.shrec", topic="save")
    assert strip.texts() == ["Saved x.shrec", "other"]
    strip.remove_topic("save")
    assert strip.texts() == ["other"]


def test_answered_message_is_removed(strip, qtbot):
    strip.show_message("warning", "1 error.", action="Show")
    with qtbot.assertNotEmitted(strip.dismissed):
        qtbot.mouseClick(strip._action, LEFT)
    assert strip.heard == ["Show"]
    assert strip.isHidden()


def test_queue_of_messages_is_bounded(strip):
    for number in range(2 * MAX_MESSAGES + 1):
        strip.show_message("warning", str(number))
    assert strip.message_count() == MAX_MESSAGES
    assert strip.current().text == str(2 * MAX_MESSAGES)


def test_information_expires_and_errors_stay(strip, qtbot):
    strip._expiry_timer.setInterval(20)
    strip.show_message("error", "stays")
    strip.show_message("info", "goes")
    qtbot.waitUntil(lambda: strip.current().text == "stays")
    qtbot.wait(60)
    assert strip.isVisible()


def test_details_are_collapsed_at_first(strip, qtbot):
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


def test_information_stays_while_it_has_the_focus(strip, qtbot):
    strip._expiry_timer.setInterval(20)
    strip.show_message("info", "reading slowly", action="Do it")
    strip.focus_message()
    assert QApplication.focusWidget() is strip._action
    qtbot.wait(80)
    assert strip.current().text == "reading slowly"
    strip.field.setFocus()
    qtbot.waitUntil(lambda: strip.current() is None)


def test_information_stays_under_the_mouse(strip, qtbot):
    strip._expiry_timer.setInterval(20)
    strip.show_message("info", "pointed at")
    middle = QPointF(strip.rect().center())
    QApplication.sendEvent(strip, QEnterEvent(middle, middle, QPointF(strip.mapToGlobal(middle))))
    qtbot.wait(80)
    assert strip.current().text == "pointed at"
    QApplication.sendEvent(strip, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: strip.current() is None)


def test_message_with_action_does_not_expire(strip, qtbot):
    strip._expiry_timer.setInterval(1)
    strip.show_message("info", "shall I?", action="Yes", persistent=True)
    QApplication.sendEvent(strip, QEvent(QEvent.Type.Leave))
    qtbot.wait(60)
    assert strip.current().text == "shall I?"


def test_elided_text_is_in_the_details(strip, qtbot):
    long = "The file that was read yesterday cannot be read today, and the reason is not known. " * 3
    strip.show_message("error", long.strip(), "line 1")
    strip.resize(420, strip.sizeHint().height())
    assert strip._text.is_elided()
    assert plain_tooltip(strip._text) == long.strip()
    assert strip._details.toPlainText() == f"{long.strip()}\n\nline 1"
    strip.show_message("error", long.strip())
    assert strip._expand.isVisible()
    assert not strip._copy.isVisible()
    strip.resize(strip.sizeHint().width() + 40, strip.height())
    assert not strip._text.is_elided()
    assert not strip._expand.isVisible()


def test_escape_closes_the_focused_message(strip, qtbot):
    for text in ("first", "second"):
        strip.show_message("warning", text)
    strip.focus_message()
    assert QApplication.focusWidget() is strip._close
    qtbot.keyClick(strip._close, Qt.Key.Key_Escape)
    assert strip.current().text == "first"
    with qtbot.waitSignal(strip.dismissed):
        qtbot.keyClick(strip._close, Qt.Key.Key_Escape)


def test_waiting_messages_are_counted(strip):
    for text in ("first", "second", "third"):
        strip.show_message("warning", text)
    assert strip._more.text() == "+2 more"
    assert strip._more.toolTip() == "Show the next message:\nsecond\nfirst"


def test_message_raises_an_accessibility_alert(strip, monkeypatch):
    emitted = []
    monkeypatch.setattr(
        "shrec_viewer.widgets.controls.messages.QAccessible.updateAccessibility",
        lambda event: emitted.append((event.message(), event.politeness())),
    )
    strip.show_message("info", "read")
    strip.show_message("error", "lost")
    ways = QAccessible.AnnouncementPoliteness
    assert emitted == [("read", ways.Polite), ("lost", ways.Assertive)]


@pytest.fixture
def framed(qtbot):
    """A window with menus, contents, a status bar, and two message bars."""
    window = QMainWindow()
    qtbot.addWidget(window)
    window.menuBar().setNativeMenuBar(False)
    for title in ("&File", "&Edit", "&View", "&Help"):
        window.menuBar().addMenu(title)
    window.setCentralWidget(QPlainTextEdit("contents"))
    window.area = MessageArea(window)
    window.bars = [MessageBar(), MessageBar()]
    for bar in window.bars:
        window.area.add(bar)
    space = MessageSpace()
    window.statusBar().addWidget(space)
    window.statusBar().addWidget(QLabel("selection"), 1)
    window.area.set_space(space)
    window.resize(1280, 400)
    window.show()
    qtbot.waitExposed(window)
    return window


def test_messages_neither_move_nor_cover_contents_or_menus(framed, qtbot):
    before = framed.centralWidget().geometry()
    for number, bar in enumerate(framed.bars):
        bar.show_message("warning", f"Message {number} of usual length.", action="Do it")
    qtbot.waitUntil(lambda: framed.area.width() > 200)
    assert framed.centralWidget().geometry() == before
    area, status = framed.area.geometry(), framed.statusBar().geometry()
    assert status.contains(area)
    assert not area.intersects(framed.menuBar().geometry())
    label = framed.statusBar().findChild(QLabel)
    qtbot.waitUntil(lambda: label.mapTo(framed, QPoint()).x() >= framed.area.geometry().right())
    for bar in framed.bars:
        bar.dismiss()
    qtbot.waitUntil(lambda: framed.area.geometry().isEmpty())
    assert framed.centralWidget().geometry() == before


def test_message_does_not_widen_the_window(framed, qtbot):
    least = framed.minimumSizeHint().width()
    framed.bars[0].show_message("warning", "A message of some length. " * 10)
    qtbot.waitUntil(lambda: framed.area.width() > 500)
    framed.resize(400, 300)
    qtbot.waitUntil(lambda: 0 < framed.area.geometry().right() < 400)
    assert framed.width() == 400
    assert framed.minimumSizeHint().width() == least


def test_newest_message_of_all_bars_is_shown_and_the_others_are_counted(framed, qtbot):
    first, second = framed.bars
    first.show_message("warning", "one")
    second.show_message("warning", "two")
    assert (first.isVisible(), second.isVisible()) == (False, True)
    assert (second._more.text(), second._more.toolTip()) == ("+1 more", "Show the next message:\none")
    first.show_message("info", "three")
    assert (first.isVisible(), second.isVisible()) == (True, False)
    assert framed.area.texts() == ["three", "one", "two"]
    first.show_message("info", "four")
    assert framed.area.texts() == ["four", "three", "one"]
    assert framed.area.message_count() == MAX_MESSAGES == 3
    qtbot.mouseClick(first._close, LEFT)
    assert first.current().text == "three"
    second.show_message("error", "five")
    first.dismiss()
    assert (first.isVisible(), second.isVisible()) == (False, True)
    assert second._more.isHidden()


def test_all_messages_are_shown_one_after_another(framed, qtbot):
    first, second = framed.bars
    first.show_message("warning", "one", action="Do it")
    second.show_message("warning", "two")
    second.show_message("info", "three")
    shown = []
    for _ in range(4):
        (bar,) = (bar for bar in framed.bars if bar.isVisible())
        shown.append(bar.current().text)
        assert bar._more.text() == "+2 more"
        qtbot.mouseClick(bar._more, LEFT)
    assert shown == ["three", "one", "two", "one"]
    second._more.setFocus()
    qtbot.keyClick(second._more, Qt.Key.Key_Space)
    assert QApplication.focusWidget() is first._action, "ready for Return"


def test_details_open_upwards_over_the_contents(framed, qtbot):
    framed.bars[0].show_message("error", "No.", "line 1")
    before = framed.centralWidget().geometry()
    qtbot.waitUntil(lambda: framed.area.height() > 10)
    low, bottom = framed.area.height(), framed.area.geometry().bottom()
    qtbot.mouseClick(framed.bars[0]._expand, LEFT)
    qtbot.waitUntil(lambda: framed.area.height() > low + 40)
    assert framed.centralWidget().geometry() == before
    assert framed.area.geometry().bottom() == bottom
    assert framed.bars[0]._details.isVisible()


def test_messages_are_at_the_lower_edge_without_a_status_bar(framed, qtbot):
    framed.statusBar().hide()
    framed.bars[0].show_message("warning", "Message.")
    qtbot.waitUntil(lambda: framed.area.height() > 10 and framed.area.geometry().bottom() > 350)
    assert framed.rect().contains(framed.area.geometry())


def test_focus_goes_to_the_message_shown(framed, qtbot):
    framed.area.focus_message()
    assert not isinstance(QApplication.focusWidget(), QToolButton)
    for bar in framed.bars:
        bar.show_message("warning", "x")
        framed.area.focus_message()
        assert bar.isAncestorOf(QApplication.focusWidget())


def test_markup_in_a_message_is_text(strip):
    strip.show_message("error", "<b>file</b> & co")
    assert strip._text.textFormat() == Qt.TextFormat.PlainText


def test_action_signal_has_the_message(strip, qtbot):
    strip.show_message("warning", "3 findings.", action="Show")
    qtbot.mouseClick(strip._action, LEFT)
    assert strip.heard == ["Show"]


def test_dismissing_by_code_does_not_emit(strip, qtbot):
    strip.show_message("warning", "x")
    with qtbot.assertNotEmitted(strip.dismissed):
        strip.dismiss()
    assert strip.isHidden()


def test_unknown_severity_raises(strip):
    with pytest.raises(ValueError, match="not 'fatal'"):
        strip.show_message("fatal", "x")


def test_severities_differ_in_both_themes(strip, use_theme):
    looks = []
    for theme in (LIGHT, DARK):
        use_theme(theme)
        for severity in ("info", "warning", "error"):
            strip.dismiss()
            strip.show_message(severity, "same text")
            strip.resize(400, 60)
            looks.append(strip.grab().toImage())
    assert all(a != b for n, a in enumerate(looks) for b in looks[:n])


def test_empty_state_shows_reason_and_action(qtbot):
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


def test_long_text_of_an_empty_state_is_wrapped(qtbot):
    pane = EmptyState("runs", "No run selected", "A sentence that is long enough to need three lines. " * 3)
    qtbot.addWidget(pane)
    pane.resize(260, 300)
    pane.show()
    qtbot.waitExposed(pane)
    sentence = pane._text
    assert sentence.height() >= sentence.heightForWidth(sentence.width())


def test_long_task_shows_a_bar_with_cancel_button(qtbot):
    bar = TaskProgressBar()
    qtbot.addWidget(bar)
    bar.show()
    bar.set_progress("Contest site: page 24 of 96", 0.25, ["Map", "Robustness"])
    shown = bar.findChild(QProgressBar)
    assert shown.value() == shown.maximum() / 4
    assert bar.accessibleName() == "Contest site: page 24 of 96 (+2 more)"
    with qtbot.waitSignal(bar.cancel_requested):
        qtbot.mouseClick(bar.findChild(QToolButton), LEFT)
    assert bar.isVisible(), "the owner stops the work and says so"
    bar.set_progress("Reading", -1.0)
    assert shown.maximum() == 0
    assert bar.accessibleName() == "Reading"
