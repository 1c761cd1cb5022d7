"""A long tool tip comes in several lines, whoever has it."""

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication, QLabel, QListView, QToolTip

from shrec_viewer.widgets.style.theme import LIGHT, apply_theme
from shrec_viewer.widgets.style.tooltips import TooltipWrapper, titled_tooltip, wrap_tooltip

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

LONG = "Precision and recall are those of the first list; distances < 0 count as similar. " * 4


@pytest.fixture
def shown(qapp):
    apply_theme(qapp, LIGHT)
    yield QToolTip.text
    QToolTip.hideText()


def help_at(widget, point):
    QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, point, widget.mapToGlobal(point)))


def test_long_tooltip_of_a_widget_is_wrapped(qtbot, shown):
    label = QLabel("x")
    qtbot.addWidget(label)
    label.setToolTip(LONG)
    label.show()
    help_at(label, QPoint(1, 1))
    assert shown() == wrap_tooltip(LONG)
    assert "&lt; 0" in shown()
    tip = next(w for w in QApplication.topLevelWidgets() if w.inherits("QTipLabel") and w.isVisible())
    assert tip.width() < 700
    assert tip.height() > 40


def test_long_tooltip_of_an_item_is_wrapped(qtbot, shown):
    view, model = QListView(), QStandardItemModel()
    qtbot.addWidget(view)
    item = QStandardItem("row")
    item.setToolTip(LONG)
    model.appendRow(item)
    view.setModel(model)
    view.show()
    help_at(view.viewport(), view.visualRect(model.index(0, 0)).center())
    assert shown() == wrap_tooltip(LONG)


def test_short_tooltip_is_unchanged(qtbot, shown):
    label = QLabel("x")
    qtbot.addWidget(label)
    label.setToolTip("Ranks shown")
    label.show()
    help_at(label, QPoint(1, 1))
    assert shown() == "Ranks shown"


def test_tooltip_wrapper_is_installed_once(qapp):
    for _ in range(3):
        apply_theme(qapp, LIGHT)
    assert len(qapp.findChildren(TooltipWrapper)) == 1


def test_tooltip_keeps_lines_and_rich_text():
    assert wrap_tooltip(f"{LONG}\nsource") == f"<p>{LONG.replace('<', '&lt;')}</p><p>source</p>"
    assert wrap_tooltip("<b>x</b>" * 40) == "<b>x</b>" * 40
    assert wrap_tooltip("") == titled_tooltip("") == ""
