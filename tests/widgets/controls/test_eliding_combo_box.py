"""Fields open lists that show every row whole."""

import pytest
from PySide6.QtWidgets import QComboBox, QStyleOptionComboBox, QWidget

from shrec_viewer.widgets.controls.controls import ElidingComboBox
from shrec_viewer.widgets.style.theme import LIGHT, apply_theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

TITLES = ["SHREC 2006", "SHREC 2012 generic", "Princeton shape benchmark", "TREC", "Textbook", "Not retrieved last"]


@pytest.fixture
def field(qtbot, qapp):
    """Makes a field of a class with rows in it, near the top of the screen, and opens it."""
    apply_theme(qapp, LIGHT)
    holder = QWidget()
    qtbot.addWidget(holder)
    holder.resize(600, 60)

    def opened(kind, rows, current=0, width=94, left=10):
        combo = kind(holder)
        combo.addItems(rows)
        combo.setFixedWidth(width)
        combo.setCurrentIndex(current)
        combo.move(left, 10)
        holder.show()
        qtbot.waitExposed(holder)
        combo.showPopup()
        return combo

    yield opened
    for combo in holder.findChildren(QComboBox):
        combo.hidePopup()


def rows_in_sight(combo):
    view = combo.view()
    boxes = [view.visualRect(combo.model().index(row, 0)) for row in range(combo.count())]
    return sum(view.viewport().rect().contains(box) for box in boxes)


@pytest.mark.parametrize("kind", [QComboBox, ElidingComboBox])
@pytest.mark.parametrize("current", [0, 5])
def test_short_list_is_complete_and_below_the_field(field, kind, current):
    combo = field(kind, TITLES, current, width=260)
    assert rows_in_sight(combo) == 6
    assert combo.view().verticalScrollBar().maximum() == 0
    assert combo.view().window().y() >= combo.mapToGlobal(combo.rect().bottomLeft()).y() - 1


def test_a_long_list_shows_twenty_rows(field):
    assert rows_in_sight(field(ElidingComboBox, [f"Q{row}" for row in range(100)])) == 20


def test_the_open_list_is_as_wide_as_its_longest_text(field):
    combo = field(ElidingComboBox, TITLES)
    assert combo.view().viewport().width() >= combo.view().sizeHintForColumn(0) > combo.width()


def test_wide_list_stays_on_the_screen(field):
    combo = field(ElidingComboBox, ["word " * 30], left=500)
    assert combo.view().window().frameGeometry().right() <= combo.screen().availableGeometry().right()


def test_closed_field_elides_long_text(field):
    texts = []
    for width in (94, 400):
        option = QStyleOptionComboBox()
        field(ElidingComboBox, TITLES, current=2, width=width).initStyleOption(option)
        texts.append(option.currentText)
    assert texts[0].startswith("Pri")
    assert texts[0].endswith("…")
    assert texts[1] == TITLES[2]
