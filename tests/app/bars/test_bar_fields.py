"""Fields of the tool bars show their full text if there is space."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QStyleOptionComboBox
from pytestqt.qtbot import QtBot
from windows import a_window, open_in_window

from shrec_viewer.app.bars.bars import VISIBLE_CONVENTIONS
from shrec_viewer.app.startup.settings import Settings, SettingsFile
from shrec_viewer.app.startup.theme import ThemeSelector
from shrec_viewer.app.window.main_window import MainWindow
from shrec_viewer.metrics import find_convention
from shrec_viewer.resources import resource
from shrec_viewer.widgets.controls.controls import MAX_GROWTH, ComboField, ElidingComboBox, ElidingLabel, ElidingLine
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


def clipped_labels(panel) -> list[str]:
    """Texts of the visible labels of a panel that are smaller than their text."""
    found = []
    for label in panel.findChildren(QLabel):
        if label.isVisible() and label.text() and not isinstance(label, ElidingLabel | ElidingLine):
            wraps, least = label.wordWrap(), label.minimumSizeHint()
            height = label.heightForWidth(label.width()) if wraps else least.height()
            if label.height() < height - 1 or (not wraps and label.width() < least.width() - 1):
                found.append(label.text())
    return found


def test_large_fonts_clip_no_label_and_keep_the_window_on_the_screen(qapp, qtbot, subtests):
    """1278 x 743 is what a title bar and a desktop panel leave of a screen of 1280 x 800."""
    for window in a_window(qapp, qtbot, size=(1278, 743)):
        open_in_window(window, resource("demo"), qtbot)
        window.session.select(rank=2)
        window.show_message("warning", "A message of some length about one of the files that were read. " * 3)
        for percent in (150, 175):
            window.workspace.show_panel("generality")
            window.change_settings(replace(window.settings, text_size=percent))
            with subtests.test(percent=percent):
                for key in ("findings", "contingency", "generality"):
                    window.workspace.show_panel(key)
                    qtbot.waitUntil(lambda: clipped_labels(window.workspace.panel(key)) == [])  # noqa: B023
                qtbot.waitUntil(lambda: window.statusBar().geometry().bottom() < 743)  # noqa: B023
                assert window.size().toTuple() == (1278, 743)
                measure = window.bar("selection_bar").measure
                qtbot.waitUntil(lambda: measure.width() >= measure.minimumSizeHint().width())  # noqa: B023
        window.change_settings(replace(window.settings, text_size=100))


@pytest.mark.parametrize("scale", [1.2, 1.5, 2.0])
def test_window_can_be_as_small_as_a_scaled_screen(qapp, qtbot, scale):
    """A screen of 1280 x 800 has 640 x 400 pixels of its own at a scale of 2; title bar and desktop panel take 57."""
    size = round(1278 / scale), round(743 / scale)
    for window in a_window(qapp, qtbot, size=size):
        open_in_window(window, resource("demo"), qtbot)
        window.show_message("warning", "A message of some length about one of the files that were read.")
        for key in ("compare", "campaign", "query"):
            window.workspace.show_perspective(key)
            qtbot.wait(200)
            assert window.size().toTuple() == size
            assert window.statusBar().geometry().bottom() < size[1]


def elided_fields(window: MainWindow) -> list[str]:
    """Names of the visible fields of the bars that are elided or outside the window."""
    names = []
    for field in window.findChildren(ComboField):
        option = QStyleOptionComboBox()
        field.initStyleOption(option)
        is_outside = field.mapTo(window, field.rect().topRight()).x() >= window.width()
        if field.isVisible() and (option.currentText != field.currentText() or is_outside):
            names.append(field.accessibleName())
    return names


def test_no_field_of_the_bars_is_elided_at_any_text_size(qapp, qtbot, subtests):
    for window in a_window(qapp, qtbot, size=(1278, 743)):
        open_in_window(window, resource("demo"), qtbot)
        window.session.select(run=0, compared=1)
        for percent in (100, 115, 130, 150, 175):
            with subtests.test(percent=percent):
                window.change_settings(replace(window.settings, text_size=percent))
                qtbot.waitUntil(lambda: elided_fields(window) == [])  # noqa: B023 - within the loop
                assert len([field for field in window.findChildren(ComboField) if field.isVisible()]) >= 6
                window.change_settings(replace(window.settings, text_size=100))
                qtbot.waitUntil(lambda: sum(f.isVisible() for f in window.findChildren(ComboField)) == 9)  # noqa: B023


def test_selection_of_a_longer_text_wraps_the_bar(qapp, qtbot):
    for window in a_window(qapp, qtbot, size=(1278, 743)):
        open_in_window(window, resource("demo"), qtbot)
        window.session.select(run=3)  # B2
        window.change_settings(replace(window.settings, text_size=150))
        qtbot.waitUntil(lambda: elided_fields(window) == [])  # noqa: B023 - within the loop
        bar = window.bar("selection_bar")
        qtbot.waitUntil(lambda: not window.toolBarBreak(bar.second))  # noqa: B023 - within the loop
        for compared in (2, None, 1):
            window.session.select(compared=compared)
            window.update_commands()  # as before a key is handled: it also stops the timer of the tool bar
            qtbot.waitUntil(lambda: elided_fields(window) == [])  # noqa: B023 - within the loop
        window.change_settings(replace(window.settings, text_size=100))


def test_conventions_that_do_not_fit_are_in_the_menu(qapp, qtbot):
    for window in a_window(qapp, qtbot, size=(700, 600)):
        open_in_window(window, resource("demo"), qtbot)
        bar = window.bar("convention_bar")
        shown = [name for name in VISIBLE_CONVENTIONS if bar.field(name).isVisible()]
        assert 0 < len(shown) < len(VISIBLE_CONVENTIONS)
        menu = bar.findChild(QMenu)
        titles = {action.text() for action in menu.actions() if action.isVisible() and action.menu() is not None}
        for name in VISIBLE_CONVENTIONS:
            assert (find_convention(name).label in titles) == (name not in shown)
        values = [row.value for row in find_convention("missing_query").values]
        bar.action("missing_query", next(x for x in values if x != window.session.profile.missing_query)).trigger()
        assert "changed" in bar._more.text()
