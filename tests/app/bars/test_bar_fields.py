"""Fields of the tool bars show their full text if there is space."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QStyleOptionComboBox
from pytestqt.qtbot import QtBot

from shrec_viewer.app.bars.combo_field import MAX_GROWTH, ComboField
from shrec_viewer.app.startup.settings import Settings, SettingsFile
from shrec_viewer.app.startup.theme import ThemeSelector
from shrec_viewer.app.window.main_window import MainWindow
from shrec_viewer.widgets.controls.controls import ElidingComboBox
from shrec_viewer.widgets.style.theme import apply_text_size


def _painted(field: ElidingComboBox) -> str:
    field.resize(field.sizeHint())
    option = QStyleOptionComboBox()
    field.initStyleOption(option)
    return option.currentText


@pytest.mark.parametrize("words", ["All participants", "as given", "Left out"])
def test_field_with_its_preferred_width_elides_no_text(qtbot: QtBot, words: str) -> None:
    choice = ElidingComboBox()
    qtbot.addWidget(choice)
    choice.setSizeAdjustPolicy(ElidingComboBox.SizeAdjustPolicy.AdjustToContents)
    choice.addItem(words)
    choice.ensurePolished()
    assert _painted(choice) == words


def test_field_grows_with_its_text_and_keeps_its_width_until_the_items_change(qtbot: QtBot) -> None:
    field = ComboField("Run", 100)
    qtbot.addWidget(field)
    field.set_rows([("A", 0, ""), ("H1  Participant H", 1, ""), ("W" * 90, 2, "")])
    field.set_value(0)
    assert field.sizeHint().width() == 100
    field.set_value(1)
    assert 100 < field.sizeHint().width() <= 100 * MAX_GROWTH
    assert _painted(field) == "H1  Participant H"
    field.set_value(0)
    assert field.sizeHint().width() > 100
    field.set_value(2)
    assert field.sizeHint().width() == int(100 * MAX_GROWTH)
    field.set_rows([("A", 0, "")])
    assert field.sizeHint().width() == 100


def test_large_font_applies_immediately_and_the_window_fits_a_small_screen(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "settings.ini"
    SettingsFile(path).write(Settings(text_size=150))
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    usual = app.font().pointSizeF()
    window = MainWindow(ThemeSelector(app), SettingsFile(path), thumbnails=False)
    qtbot.addWidget(window)
    try:
        window.resize(1280, 800)
        window.show()
        window.assemble()
        window.open_demo()
        qtbot.waitUntil(lambda: window.session is not None and window.session.scores is not None)
        assert window.workspace is not None
        for perspective in ("query", "compare", "campaign"):
            window.workspace.show_perspective(perspective)
            assert window.minimumSizeHint().width() <= 1280
        assert window.menuBar().font().pointSizeF() == pytest.approx(1.5 * usual)
    finally:
        window.close()
        apply_text_size(app, 100)
