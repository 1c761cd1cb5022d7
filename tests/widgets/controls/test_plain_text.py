"""Labels, message boxes and pages open no file that their text names; the watch notices that those of Qt do."""

import sys

import pytest
from canary import Canary
from PySide6.QtCore import QTimer
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QMessageBox, QTextBrowser

from shrec_viewer.widgets.controls import file_dialogs
from shrec_viewer.widgets.controls.controls import ElidingLabel, ElidingLine, EmptyState
from shrec_viewer.widgets.controls.file_dialogs import EXPORT
from shrec_viewer.widgets.controls.messages import MessageBar
from shrec_viewer.widgets.controls.plain_text import (
    MAX_NAME_LENGTH,
    HtmlPage,
    PlainLabel,
    PlainMessageBox,
    PlainMessageBoxFilter,
    escape_mnemonic,
    title_text,
)

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is of Linux")


@pytest.fixture
def canary(qapp):
    watched = Canary()
    yield watched
    watched.close()


def raw_box(text):
    box = QMessageBox()
    box.setInformativeText(text)
    return box


def raw_page(text):
    page = QTextBrowser()
    page.setHtml(text)
    return page


def box(text):
    found = PlainMessageBox()
    found.setText(text)
    found.setInformativeText(text)
    found.setDetailedText(text)
    return found


def page(text):
    found = HtmlPage()
    found.setHtml(text)
    return found


def eliding_label(text):
    found = ElidingLabel()
    found.setText(text)
    return found


def eliding_line(text):
    found = ElidingLine()
    found.setText(text)
    return found


def message(text):
    bar = MessageBar()
    bar.show_message("error", text, text, text)
    return bar


@pytest.mark.parametrize("make", [QLabel, raw_box, raw_page])
def test_widgets_of_qt_open_the_file(make, canary, qtbot):
    widget = make(f"A{canary.markup}")
    qtbot.addWidget(widget)
    widget.grab()
    assert canary.times_opened() >= 1


@pytest.mark.parametrize(
    "make",
    [PlainLabel, box, page, eliding_label, eliding_line, message, lambda text: EmptyState("", text, text, text)],
    ids=["label", "box", "page", "eliding label", "eliding line", "message", "empty state"],
)
def test_widgets_of_the_program_do_not(make, canary, qtbot):
    widget = make(f"A{canary.markup}")
    qtbot.addWidget(widget)
    widget.show()
    widget.grab()
    assert canary.times_opened() == 0


@pytest.mark.parametrize("style", ["<link rel=stylesheet href={}>x", "<p style='background-image:url({})'>x</p>"])
def test_a_page_opens_no_style_sheet(style, canary, qtbot):
    widget = page(style.format(canary.path))
    qtbot.addWidget(widget)
    widget.grab()
    assert canary.times_opened() == 0


def test_the_text_is_seen_as_typed(canary, qtbot):
    text = f"A&B<b>{canary.markup}\n$x$"
    widget = PlainLabel(text)
    qtbot.addWidget(widget)
    assert widget.text() == text
    widget.adjustSize()
    drawn, expected = (
        QImage(widget.size(), QImage.Format.Format_RGB32),
        QImage(widget.size(), QImage.Format.Format_RGB32),
    )
    for image in (drawn, expected):
        image.fill(widget.palette().window().color())
    widget.render(drawn)
    painter = QPainter(expected)
    painter.setFont(widget.font())
    painter.setPen(widget.palette().windowText().color())
    painter.drawText(expected.rect(), widget.alignment(), text)
    painter.end()
    assert drawn == expected


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\u202ea", "\\u202ea"),
        ("a\x00b", "a\\x00b"),
        ("a\x1b[0m", "a\\x1b[0m"),
        ("\udce9", "\\xe9"),
        ("a\nb\tc", "a\nb\tc"),
    ],
)
def test_control_characters_are_escaped(name, shown, qtbot):
    for make in (PlainLabel, eliding_label, eliding_line):
        widget = make(name)
        qtbot.addWidget(widget)
        assert widget.text() == shown


def test_names_in_menus_and_titles_are_not_interpreted(qtbot):
    assert escape_mnemonic("R&D") == "R&&D"
    assert "\t" not in escape_mnemonic("name\tCtrl+Q")
    assert len(escape_mnemonic("x" * 100_000)) == MAX_NAME_LENGTH
    widget = PlainLabel()
    qtbot.addWidget(widget)
    for name in ("A[*]", "[*][*]", "a[*]b[*]"):
        for is_modified in (False, True):
            widget.setWindowModified(is_modified)
            widget.setWindowTitle(f"{title_text(name)}[*] – Program")
            assert widget.windowTitle() == f"{title_text(name)}[*] – Program"


def replace_file(dialog, name):
    """Choose a file that exists in Qt's own dialog; the question whether to replace it is rejected."""
    dialog.selectFile(name)
    QTimer.singleShot(0, reject_box)
    dialog.accept()


def reject_box():
    box = next(top for top in QApplication.topLevelWidgets() if isinstance(top, QMessageBox) and top.isVisible())
    box.grab()
    box.reject()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@pytest.mark.parametrize("is_filtered", [False, True])
def test_the_question_to_replace_a_file_opens_no_other(is_filtered, canary, qtbot, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    name = f"A{canary.markup}.csv"
    (folder / name).write_text("x")
    dialog = QFileDialog(None, "Save", str(folder))
    qtbot.addWidget(dialog)
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    if is_filtered:
        PlainMessageBoxFilter(dialog)
    dialog.show()
    replace_file(dialog, name)
    assert (canary.times_opened() == 0) == is_filtered


DIALOGS = {
    "getSaveFileName": lambda folder: file_dialogs.choose_save_path(None, "", EXPORT, folder / "a", ""),
    "getOpenFileName": lambda folder: file_dialogs.choose_open_path(None, "", EXPORT, folder),
    "getExistingDirectory": lambda folder: file_dialogs.choose_folder(None, "", EXPORT, folder),
}


@pytest.mark.parametrize("name", DIALOGS)
def test_boxes_are_plain_while_a_file_dialog_is_open(name, canary, qtbot, monkeypatch, tmp_path):
    def open_box(*_args, **_options):
        box = raw_box(f"A{canary.markup}")
        qtbot.addWidget(box)
        box.show()
        box.grab()
        return "" if name == "getExistingDirectory" else ("", "")

    monkeypatch.setattr(QFileDialog, name, open_box)
    DIALOGS[name](tmp_path)
    assert canary.times_opened() == 0
    open_box()
    assert canary.times_opened() >= 1  # the filter is removed afterwards
