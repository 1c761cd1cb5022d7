"""Tooltips show plain text as typed, with long lines wrapped."""

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QAction, QHelpEvent, QStandardItem, QStandardItemModel, QTextDocument
from PySide6.QtWidgets import QApplication, QLabel, QListView, QMenu, QToolTip

from shrec_viewer.widgets.controls.plain_text import (
    ItemTooltips,
    set_tooltip,
    suppress_tooltips,
    titled_tooltip,
    tooltip_text,
)

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

LONG = "Precision and recall are those of the first list; distances < 0 count as similar. " * 4
MARKUP = ["<b>x</b>", "<img src='/dev/zero'>", "a &amp; b", "a < b", "&lt;", "<!-- x -->", "x\n<p>y", "</p>z", "<"]


def tip_widget():
    return next(w for w in QApplication.topLevelWidgets() if w.inherits("QTipLabel") and w.isVisible())


def read(text):
    """The characters that a label with this text shows."""
    document = QTextDocument()
    document.setHtml(text)
    return document.toPlainText()


@pytest.fixture
def shown(qapp):
    yield QToolTip.text
    QToolTip.hideText()


@pytest.fixture
def view(qtbot):
    view, model = QListView(), QStandardItemModel()
    qtbot.addWidget(view)
    view.setModel(model)
    view.model_kept = model
    ItemTooltips(view)
    view.show()
    return view


def help_at(widget, point):
    QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, point, widget.mapToGlobal(point)))


def help_at_item(view, tip):
    item = QStandardItem("row")
    item.setToolTip(tip)
    view.model_kept.setItem(0, item)
    help_at(view.viewport(), view.visualRect(view.model_kept.index(0, 0)).center())


@pytest.fixture
def label(qtbot):
    label = QLabel("x")
    qtbot.addWidget(label)
    label.show()
    return label


def test_long_tooltip_of_a_widget_is_wrapped(label, shown):
    set_tooltip(label, LONG)
    help_at(label, QPoint(1, 1))
    assert shown() == tooltip_text(LONG)
    assert tip_widget().width() < 700
    assert tip_widget().height() > 40


def test_long_tooltip_of_an_item_is_wrapped(view, shown):
    help_at_item(view, LONG)
    assert shown() == tooltip_text(LONG)
    assert tip_widget().width() < 700


@pytest.mark.parametrize("text", MARKUP)
def test_markup_is_shown_as_typed(text, label, view, shown):
    set_tooltip(label, text)
    help_at(label, QPoint(1, 1))
    assert read(shown()) == text
    QToolTip.hideText()
    help_at_item(view, text)
    assert read(shown()) == text
    assert read(titled_tooltip(text)) == text


def test_tooltip_of_a_menu_entry_is_shown_as_typed(qtbot, shown):
    menu = QMenu()
    qtbot.addWidget(menu)
    menu.setToolTipsVisible(True)
    action = QAction("entry", menu)
    menu.addAction(action)
    set_tooltip(action, MARKUP[0])
    menu.popup(QPoint(0, 0))
    menu.setActiveAction(action)
    help_at(menu, menu.actionGeometry(action).center())
    assert read(shown()) == MARKUP[0]
    menu.close()


def test_short_tooltip_is_unchanged(label, shown):
    set_tooltip(label, "Ranks shown")
    help_at(label, QPoint(1, 1))
    assert shown() == "Ranks shown"


def test_screen_readers_are_given_the_plain_text(label):
    set_tooltip(label, MARKUP[0])
    assert label.accessibleDescription() == MARKUP[0]
    set_tooltip(label, "Ranks shown")
    assert label.accessibleDescription() == "", "Qt takes the tooltip"
    label.setAccessibleDescription("of the panel")
    set_tooltip(label, MARKUP[0])
    assert label.accessibleDescription() == "of the panel"


def test_item_without_tooltip_shows_none(view, shown):
    help_at_item(view, "")
    assert shown() == ""


def test_suppressed_tooltips_are_not_shown(view, shown):
    suppress_tooltips(view.viewport(), True)
    help_at_item(view, "Ranks shown")
    assert shown() == ""
    suppress_tooltips(view.viewport(), False)
    help_at_item(view, "Ranks shown")
    assert shown() == "Ranks shown"


def test_tooltip_keeps_lines():
    assert tooltip_text(f"{LONG}\nsource") == f"<p>{LONG.replace('<', '&lt;')}</p><p>source</p>"
    assert tooltip_text("") == titled_tooltip("") == ""


@pytest.mark.parametrize("text", ["x" * 4_000, "<b>" + "x" * 4_000, "word " * 800, "line\n" * 500])
def test_a_long_text_fits_on_a_screen(text, qtbot, shown):
    label = QLabel("x")
    qtbot.addWidget(label)
    label.show()
    for shown_text in (tooltip_text(text), titled_tooltip(text)):
        QToolTip.showText(QPoint(5, 5), shown_text, label)
        size = tip_widget().size()
        assert size.width() <= 1280
        assert size.height() <= 800
        QToolTip.hideText()
        qtbot.waitUntil(
            lambda: not any(w.inherits("QTipLabel") for w in QApplication.topLevelWidgets() if w.isVisible())
        )


@pytest.mark.parametrize("sign", ["\x00", "\x1b", "\x9b", "\u202e", "\udce9"])
def test_control_characters_are_escaped(sign):
    for text in (tooltip_text(f"a{sign}b"), titled_tooltip(f"a{sign}b")):
        assert sign not in text
        assert read(text).startswith("a\\")
