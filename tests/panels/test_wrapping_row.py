"""Controls of a panel that wrap in a narrow panel."""

import pytest
from PySide6.QtWidgets import QPushButton, QWidget

from shrec_viewer.panels.panel import WrappingRow
from shrec_viewer.widgets.controls.controls import ElidingLine


@pytest.fixture
def row(qtbot):
    first, second = [QPushButton("First tier"), QPushButton("Second tier")], [QPushButton("Share"), QPushButton("Key")]
    holder, shown = QWidget(), WrappingRow(first, second)
    qtbot.addWidget(holder)
    shown.setParent(holder)  # a window cannot be smaller than its layout
    shown.holder, shown.first, shown.second = holder, first, second
    holder.show()
    return shown


def is_wrapped(first, second):
    """Whether the second group is below the first one."""
    first.parentWidget().layout().activate()
    return second.y() > first.y()


def test_groups_are_next_to_each_other_where_both_fit(row):
    needed = row.sizeHint().width()
    for width, height, expected in ((needed + 1, 40, False), (needed - 1, 80, True), (needed + 1, 40, False)):
        row.resize(width, height)
        assert is_wrapped(row.first[0], row.second[0]) == expected


def test_minimum_width_is_that_of_the_wider_group(row, qtbot):
    widths = [sum(button.minimumSizeHint().width() for button in group) for group in (row.first, row.second)]
    assert max(widths) <= row.minimumSizeHint().width() < sum(widths)


def test_a_longer_or_hidden_control_wraps_the_row_again(row, qtbot):
    row.resize(row.sizeHint().width() + 1, 80)
    row.second[0].setText("A longer text of this button")
    qtbot.waitUntil(lambda: is_wrapped(row.first[0], row.second[1]))
    row.second[0].hide()
    qtbot.waitUntil(lambda: not is_wrapped(row.first[0], row.second[1]))


def test_a_text_gets_the_remaining_width(qtbot):
    button, text, holder = QPushButton("First tier"), ElidingLine(), QWidget()
    qtbot.addWidget(holder)
    row = WrappingRow([button], [text])
    row.setParent(holder)
    row.resize(600, 40)
    holder.show()
    qtbot.waitUntil(lambda: text.width() > 600 - button.sizeHint().width() - 60)
    assert button.width() == button.sizeHint().width()
    row.resize(button.sizeHint().width() + 30, 80)
    assert is_wrapped(button, text), "a text of some characters is shown in any case"


def test_controls_below_a_text_keep_their_width(qtbot):
    text, buttons, holder = ElidingLine(), [QPushButton("First tier"), QPushButton("Second tier")], QWidget()
    qtbot.addWidget(holder)
    text.setMinimumWidth(500)
    row = WrappingRow([text], buttons)
    row.setParent(holder)
    row.resize(600, 80)
    holder.show()
    qtbot.waitUntil(lambda: is_wrapped(text, buttons[0]))
    assert [button.width() for button in buttons] == [button.sizeHint().width() for button in buttons]
