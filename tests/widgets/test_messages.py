"""Messages, empty panes and progress tell without stopping anyone."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from shrec_viewer.widgets.busy_bar import PATIENCE_MS, BusyBar
from shrec_viewer.widgets.empty_state import EmptyState
from shrec_viewer.widgets.message_strip import KEPT, MessageStrip
from shrec_viewer.widgets.theme import DARK

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def strip(qtbot):
    shown = MessageStrip()
    qtbot.addWidget(shown)
    shown.resize(700, 60)
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
    assert (strip.current().text, strip.waiting(), strip._more.text()) == ("second", 2, "+1 more")
    qtbot.mouseClick(strip._close, LEFT)
    assert (strip.current().text, strip._more.isVisible()) == ("first", False)
    with qtbot.waitSignal(strip.dismissed):
        qtbot.mouseClick(strip._close, LEFT)
    assert strip.isHidden()


def test_the_same_message_is_told_once(strip):
    for _ in range(5):
        strip.show_message("warning", "again")
    assert strip.waiting() == 1


def test_a_message_that_holds_no_longer_is_taken_back_wherever_it_waits(strip):
    for text in ("B1 cannot be read", "later"):
        strip.show_message("warning", text)
    strip.take_back("B1 cannot be read")
    assert (strip.current().text, strip.waiting()) == ("later", 1)
    strip.take_back("never told")
    strip.take_back("later")
    assert strip.isHidden()


def test_a_flood_does_not_pile_up(strip):
    for number in range(1000):
        strip.show_message("warning", str(number))
    assert strip.waiting() == KEPT
    assert strip.current().text == "999"


def test_information_goes_by_itself_and_an_error_stays(strip, qtbot):
    strip._expire.setInterval(20)
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
    assert pane._sentence.isHidden()
    pane.set_icon("")
    assert pane._icon.isHidden()
    pane.set_theme(DARK)


def test_a_long_sentence_of_an_empty_pane_is_not_cut(qtbot):
    pane = EmptyState("runs", "No run selected", "A sentence that is long enough to need three lines. " * 3)
    qtbot.addWidget(pane)
    pane.resize(260, 300)
    pane.show()
    qtbot.waitExposed(pane)
    sentence = pane._sentence
    assert sentence.height() >= sentence.heightForWidth(sentence.width())


def test_short_work_shows_no_bar(qtbot):
    bar = BusyBar()
    qtbot.addWidget(bar)
    bar.set_progress("Measuring", 1, 3)
    qtbot.wait(50)
    assert bar.isHidden()
    bar.set_idle()
    qtbot.wait(PATIENCE_MS)
    assert bar.isHidden()


def test_long_work_shows_a_bar_that_can_be_cancelled(qtbot):
    bar = BusyBar()
    qtbot.addWidget(bar)
    for done in range(3):
        bar.set_progress("Measuring", done, 17)
    qtbot.waitUntil(bar.isVisible, timeout=3 * PATIENCE_MS)
    assert (bar._bar.value(), bar._bar.maximum()) == (2, 17)
    assert bar._text.text() == "Measuring 2 / 17"
    with qtbot.waitSignal(bar.cancel_requested):
        qtbot.mouseClick(bar._cancel, LEFT)
    assert bar.isVisible(), "the owner stops the work and says so"
    bar.set_progress("Reading", 0, 0)
    assert bar._bar.maximum() == 0
    assert bar._text.text() == "Reading"
