"""Fields of the bars show their words in full where there is room."""

import pytest
from PySide6.QtWidgets import QStyleOptionComboBox
from pytestqt.qtbot import QtBot

from shrec_viewer.app.fields import WIDEST, Field
from shrec_viewer.widgets.choice import Choice


def _painted(field: Choice) -> str:
    field.resize(field.sizeHint())
    option = QStyleOptionComboBox()
    field.initStyleOption(option)
    return option.currentText


@pytest.mark.parametrize("words", ["All participants", "as given", "Left out"])
def test_a_choice_as_wide_as_it_wishes_ends_nothing_with_dots(qtbot: QtBot, words: str) -> None:
    choice = Choice()
    qtbot.addWidget(choice)
    choice.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToContents)
    choice.addItem(words)
    choice.ensurePolished()
    assert _painted(choice) == words


def test_a_field_grows_for_its_words_and_keeps_its_width_until_there_are_others(qtbot: QtBot) -> None:
    field = Field("Run", 100)
    qtbot.addWidget(field)
    field.set_rows([("A", 0, ""), ("H1  Participant H", 1, ""), ("W" * 90, 2, "")])
    field.set_value(0)
    assert field.sizeHint().width() == 100
    field.set_value(1)
    assert 100 < field.sizeHint().width() <= 100 * WIDEST
    assert _painted(field) == "H1  Participant H"
    field.set_value(0)
    assert field.sizeHint().width() > 100
    field.set_value(2)
    assert field.sizeHint().width() == int(100 * WIDEST)
    field.set_rows([("A", 0, "")])
    assert field.sizeHint().width() == 100
