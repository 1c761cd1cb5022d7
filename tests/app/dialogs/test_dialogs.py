"""Command palette, shortcuts, conventions, preferences, history, help, errors and drops."""

import re
from functools import cache

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QKeySequence, QTextDocument, QTextTable
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from sample_benchmark import write_sample_benchmark
from sessions import settle
from shared_windows import a_shared_window
from windows import a_window, open_in_window

from shrec_viewer.app.commands import COMMANDS, command_text, shortcut_table
from shrec_viewer.app.dialogs.about import ErrorDialog
from shrec_viewer.app.dialogs.command_palette import ENTRY_ROLE, CommandPalette
from shrec_viewer.app.dialogs.preferences import PreferencesDialog
from shrec_viewer.app.dialogs.shortcuts import ShortcutsDialog, panel_shortcuts
from shrec_viewer.app.help.help_window import HelpWindow
from shrec_viewer.app.help.pages import guide_pages, help_pages
from shrec_viewer.app.startup.settings import Settings, SettingsFile
from shrec_viewer.evaluation.virtual_runs import VIRTUAL_RUNS
from shrec_viewer.metrics import CURVES, MEASURES, PROFILES
from shrec_viewer.metrics.measures.measure import SYMBOLS
from shrec_viewer.panels import PANELS, panels_by_key
from shrec_viewer.render.scene.palette import contrast
from shrec_viewer.viewmodels.text.formulas import formula_html
from shrec_viewer.widgets.style.theme import (
    DARK,
    LIGHT,
    animations_on,
    apply_relevance_preset,
    current_preset,
    current_theme,
    high_contrast,
)

CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier,
)  # fmt: skip
LEFT = Qt.MouseButton.LeftButton

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.fixture
def memory(tmp_path):
    return tmp_path / "settings.ini"


@pytest.fixture
def window(qapp, qtbot, memory):
    yield from a_window(qapp, qtbot, memory)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The file of the settings of the shared window."""
    return tmp_path_factory.mktemp("dialogs") / "settings.ini"


@pytest.fixture(scope="module")
def shared_window(qapp, module_qtbot, tmp_path_factory, stored):
    benchmark = write_sample_benchmark(tmp_path_factory.mktemp("dialogs") / "sample_benchmark")
    yield from a_shared_window(qapp, module_qtbot, benchmark, stored)


@pytest.fixture
def shared(shared_window, qtbot):
    return shared_window.reset(qtbot)


def press(window, qtbot, key, modifier=Qt.KeyboardModifier.NoModifier):
    qtbot.keyClick(QApplication.focusWidget() or window, key, modifier)
    settle(window.session, qtbot)


def the(window, kind):
    QTest.qWait(10)  # deletes the dialogs closed before
    (found,) = window.findChildren(kind)
    return found


# The palette.


def palette(window, qtbot, words=""):
    qtbot.keyClick(window, Qt.Key.Key_P, CTRL | SHIFT)
    found = the(window, CommandPalette)
    qtbot.keyClicks(found.field, words)
    return found


def rows(found):
    model = found.list.model()
    return [model.index(row).data(ENTRY_ROLE) for row in range(model.rowCount())]


def test_palette_finds_commands_by_letters_and_runs_them(shared, qtbot):
    found = palette(shared, qtbot, "campa")
    assert rows(found)[0].key == "command:perspective_campaign"
    assert rows(found)[0].keys == "Ctrl+3"
    qtbot.keyClick(found.field, Qt.Key.Key_Return)
    assert shared.workspace.perspective == "campaign"
    assert shared.settings.palette_recent == ("command:perspective_campaign",)


def test_palette_selects_queries_runs_and_measures(shared, qtbot, subtests):
    for words, key, holds in (
        ("query q3", "query:q3", lambda session: session.selection.query == 2),
        ("compare run b1", "compare:B1", lambda session: session.selection.compared == 2),
        ("select run b1", "run:B1", lambda session: session.run.name == "B1"),
        ("measure first tier", "measure:FT", lambda session: session.measure == "FT"),
    ):
        with subtests.test(words):
            assert not holds(shared.session)
            found = palette(shared, qtbot, words)
            assert rows(found)[0].key == key
            qtbot.keyClick(found.field, Qt.Key.Key_Return)
            settle(shared.session, qtbot)
            assert holds(shared.session)


def test_palette_lists_options_of_plots_and_3d_view(window, qtbot, tmp_path):
    open_in_window(window, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)
    workspace = window.workspace
    for words, key in (("precision and recall random baseline", "graph:precision_recall/option/show=random"),
                       ("recall show pr11", "graph:precision_recall/kind/PR11"),
                       ("vary generality class size", "graph:generality/option/vary=classes")):  # fmt: skip
        found = palette(window, qtbot, words)
        assert rows(found)[0].key == key
        qtbot.keyClick(found.field, Qt.Key.Key_Return)
        settle(window.session, qtbot)
    graph = workspace.panel("precision_recall")
    assert graph.header.is_on("show", "random")
    assert graph.options.curve == "PR11"
    assert workspace.panel("generality").header.is_on("vary", "classes")
    assert workspace.is_shown("generality")
    found = palette(window, qtbot, "wireframe")
    assert (rows(found)[0].key, rows(found)[0].keys) == ("mesh_view:wireframe", "W")
    qtbot.keyClick(found.field, Qt.Key.Key_Return)
    settle(window.session, qtbot)
    view = workspace.panel("mesh_view")
    assert view.camera_controller.style.wireframe
    assert workspace.is_shown("mesh_view")
    again = palette(window, qtbot, "wireframe")
    assert rows(again)[0].context == "3D view (on)"


def test_palette_opens_panels(shared, qtbot):
    qtbot.keyClick(palette(shared, qtbot, "panel findings").field, Qt.Key.Key_Return)
    qtbot.wait(30)
    assert shared.workspace.is_shown("findings")


def test_disabled_entries_show_the_reason_and_do_nothing(shared, qtbot):
    found = palette(shared, qtbot, "redo")
    entry = rows(found)[0]
    assert (entry.key, entry.disabled_reason) == ("command:redo", "needs: a change has been undone")
    qtbot.keyClick(found.field, Qt.Key.Key_Return)
    assert found.isVisible()
    qtbot.keyClick(found.field, Qt.Key.Key_Escape)
    qtbot.wait(10)
    assert shared.findChildren(CommandPalette) == []


def test_recent_entries_are_first_and_arrow_keys_move(shared, qtbot):
    qtbot.keyClick(palette(shared, qtbot, "select run a2").field, Qt.Key.Key_Return)
    found = palette(shared, qtbot)
    assert rows(found)[0].key == "run:A2"
    qtbot.keyClick(found.field, Qt.Key.Key_Down)
    assert found.list.currentIndex().row() == 1
    qtbot.keyClick(found.field, Qt.Key.Key_Up)
    qtbot.keyClick(found.field, Qt.Key.Key_Up)
    assert found.list.currentIndex().row() == found.list.model().rowCount() - 1


def test_palette_lists_every_command(shared, qtbot):
    found = palette(shared, qtbot)
    reasons = {entry.key: entry.disabled_reason for entry in found._entries}
    assert {f"command:{command.key}" for command in COMMANDS} <= reasons.keys()
    for key, reason in reasons.items():  # options of plots depend on the kind of curve, those of a view on the model
        shown = {"graph": "curve", "mesh_view": "model"}.get(key.partition(":")[0])
        assert reason in ("", shown and f"not available for this {shown}") or reason.startswith("needs: ")


def test_palette_finds_entries_by_every_word_of_title_menu_panel_and_description(shared, qtbot):
    found = palette(shared, qtbot)
    panels = panels_by_key()

    @cache
    def keys(word):
        found.field.setText(word)
        return [entry.key for entry in rows(found)]

    for command in COMMANDS:
        assert command.description, command.key
        panel = panels[command.scope].title if command.scope in panels else ""
        for word in re.findall(r"\w{3,}", f"{command_text(command)} {command.menu} {panel} {command.description}"):
            assert f"command:{command.key}" in keys(word), (command.key, word)
    for panel in PANELS:
        assert panel.description, panel.key
        for word in re.findall(r"\w{3,}", f"{panel.title} {panel.description}"):
            assert f"panel:{panel.key}" in keys(word), (panel.key, word)


def test_palette_shows_a_message_when_nothing_matches(shared, qtbot, subtests):
    found = palette(shared, qtbot, "")
    for words in ("qwzx", "hello", "undo qwzx"):
        with subtests.test(words):
            qtbot.keyClicks(found.field, words)
            assert rows(found) == []
            assert found.no_match.isVisible()
            assert words in found.no_match.text()
            assert not found.list.isVisible()
        found.field.clear()
        assert found.list.isVisible()
        assert not found.no_match.isVisible()


def test_palette_works_without_a_benchmark(window, qtbot):
    found = palette(window, qtbot, "close")
    assert rows(found)[0].disabled_reason == "needs: a benchmark is open"


# Shortcuts and help.


def test_shortcut_list_has_every_key_and_can_be_searched(shared, qtbot):
    press(shared, qtbot, Qt.Key.Key_F1)
    sheet = the(shared, ShortcutsDialog)
    shown = {label.text() for label in sheet.findChildren(QLabel)}
    assert {text for _, text, _ in (*shortcut_table(), *panel_shortcuts())} <= shown
    qtbot.keyClicks(sheet.field, "false positive")
    assert {text for group in sheet.groups("false positive").values() for text, _ in group} >= {"Next false positive"}
    assert not sheet._no_match.isVisible()
    qtbot.keyClicks(sheet.field, "zzzz")
    assert sheet._no_match.isVisible()


def test_every_measure_curve_and_convention_has_a_page(shared, qtbot):
    keys = [page.key for page in help_pages()]
    rows = [*(row.name for row in MEASURES), *(row.key for row in CURVES), *(row.key for row in PROFILES)]
    virtual = [f"virtual-{row.key}" for row in VIRTUAL_RUNS]
    assert keys == [*(page.key for page in guide_pages()), "symbols", "example", *rows, *virtual]
    press(shared, qtbot, Qt.Key.Key_F1, SHIFT)
    help_ = the(shared, HelpWindow)
    assert help_.list.currentItem().text() == "Average dynamic recall (ADR)"  # the current entry
    for measure in MEASURES:
        help_.show_page(measure.name)
        text = " ".join(help_.text.toPlainText().split())
        for words in (measure.label, measure.source):
            assert " ".join(words.split()) in text
        for formula in (measure.formula, measure.definition):
            document = QTextDocument()
            document.setHtml(formula_html(formula))
            assert " ".join(document.toPlainText().split()) in text
        assert not any(f"where {variant.convention} " in text for variant in measure.variants)
    help_.show_page("AP")
    assert "Divisor of average precision: Largest class" in help_.text.toPlainText()
    help_.show_page("symbols")
    for symbol, meaning in SYMBOLS:
        assert f"{symbol.replace('_', '')} {meaning}" in " ".join(help_.text.toPlainText().split())
    help_.show_page("F(beta=2)@5")
    assert help_.list.currentItem().text() == "F-measure with beta 2 (F(beta=2))"
    help_.show_page("nDCG@7")
    assert help_.list.currentItem().text() == "Normalised discounted cumulated gain (NDCG)"
    assert "2level − 1" in help_.text.toPlainText(), "2 to the power of the level"
    help_.show_page("ADR")
    assert "MADR" in help_.text.toPlainText()
    help_.show_page("P@10")
    assert help_.list.currentItem().text() == "Precision (P)"
    for words, label in (
        ("dynamic recall", "Average dynamic recall"),
        ("MRR", "Reciprocal rank"),
        ("bep", "Bull's eye"),
    ):
        help_.field.clear()
        qtbot.keyClicks(help_.field, words)
        assert label in help_.text.toPlainText()


# Conventions.


def test_conventions_rescore_immediately_and_can_be_restored(shared, qtbot):
    session, bar = shared.session, shared.tool_bar.conventions
    shared.menus.actions["conventions"].trigger()
    before = session.scores
    field = bar.field("missing_query")
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_Down)
    settle(session, qtbot)
    assert session.profile.missing_query == "skip"
    assert session.scores is not before
    assert session.scores.profile == session.profile
    qtbot.keyClick(field, Qt.Key.Key_Down)
    settle(session, qtbot)
    assert (session.profile.missing_query, field.currentText()) == ("common", "Common queries")
    assert session.scores.counted.sum(axis=1).tolist() == [2] * 3, "one run lacks one of 3 queries"
    assert bar.profile.currentText() == "SHREC 2006", "that it is changed is said once, in the button"
    assert bar.button.text() == "SHREC 2006 · 1 changed"
    (reset,) = (one for one in bar.findChildren(QPushButton) if one.text() == "Restore SHREC 2006")
    assert reset.isVisible()
    qtbot.mouseClick(reset, LEFT)
    settle(session, qtbot)
    assert session.profile.key == "shrec2006"
    assert not reset.isVisible()
    assert field.currentData() == "zero"
    assert bar.button.text() == "SHREC 2006"
    bar.hide()


def test_conventions_of_the_menu_change_the_profile(shared, qtbot):
    bar = shared.tool_bar.conventions
    bar.action("list_cut", 100).trigger()
    settle(shared.session, qtbot)
    assert shared.session.profile.list_cut == 100
    assert bar._more.text() == "More (1 changed)"
    assert bar.action("list_cut", 100).isChecked()


def test_runs_a_and_b_are_selected_and_swapped(shared, qtbot):
    session, bar = shared.session, shared.tool_bar
    shared.workspace.show_perspective("compare")
    session.select(run=0)
    bar.compared.setFocus()
    qtbot.keyClick(bar.compared, Qt.Key.Key_End)
    assert session.selection.compared == 2
    shared.workspace.focus_centre()
    press(shared, qtbot, Qt.Key.Key_X)
    assert (session.selection.run, session.selection.compared) == (2, 0)
    session.select(compared=1)
    qtbot.keyClick(bar.compared, Qt.Key.Key_Home)
    assert session.selection.compared == 0
    shared.workspace.show_perspective("query")


# Back, forward, undo.


def test_back_and_forward_by_keys_and_mouse_buttons(shared, qtbot):
    session = shared.session
    session.select(query=1)
    session.select(query=2)
    shared.workspace.ranked_list.grid.setFocus()
    press(shared, qtbot, Qt.Key.Key_Left, ALT)
    assert session.selection.query == 1
    QTest.mouseClick(shared.windowHandle(), Qt.MouseButton.BackButton)
    assert session.selection.query == 0
    QTest.mouseClick(shared.windowHandle(), Qt.MouseButton.ForwardButton)
    assert session.selection.query == 1
    press(shared, qtbot, Qt.Key.Key_Right, ALT)
    assert session.selection.query == 2
    assert not shared.menus.actions["forward"].isEnabled()


def test_undo_of_hiding_a_run_names_it(shared, qtbot):
    session = shared.session
    session.select(shown_runs=(1, 2))
    assert shared.menus.actions["undo"].text() == "&Undo hide A1"
    assert shared.isWindowModified()
    shared.workspace.ranked_list.grid.setFocus()
    press(shared, qtbot, Qt.Key.Key_Z, CTRL)
    assert session.selection.shown_runs == (0, 1, 2)
    assert not shared.isWindowModified()
    assert shared.menus.actions["redo"].text() == "&Redo hide A1"


def test_custom_run_colour_reaches_plots_and_tables_and_can_be_undone(shared, qtbot):
    session = shared.session
    model = shared.workspace.panel("leaderboard").model
    session.select(run=1)
    usual = model._styles[1].colour
    session.edits.set_colour("A2", "#123456")
    qtbot.waitUntil(lambda: model._styles[1].colour == "#123456")
    assert shared.menus.actions["usual_colour"].isEnabled()
    shared.menus.actions["undo"].trigger()
    qtbot.waitUntil(lambda: model._styles[1].colour == usual)


# Preferences.


def preferences(window, qtbot):
    qtbot.keyClick(window, Qt.Key.Key_Comma, CTRL)
    return the(window, PreferencesDialog)


def choose(found, key, value, qtbot):
    field = found.option(key)
    field.setCurrentIndex(field.findData(value))
    field.activated.emit(field.currentIndex())


def test_preferences_apply_immediately_and_are_stored(shared, stored, qtbot):
    found = preferences(shared, qtbot)
    choose(found, "theme", "dark", qtbot)
    choose(found, "relevance", "contrast", qtbot)
    assert current_theme() == high_contrast(DARK)
    choose(found, "card_size", "L", qtbot)
    qtbot.keyClick(found.option("animations"), Qt.Key.Key_Space)
    assert current_preset() == "contrast"
    assert shared.workspace.ranked_list.grid.card_size_name() == "L"
    assert not animations_on()
    kept = SettingsFile(stored).read()
    assert (kept.theme, kept.relevance, kept.card_size, kept.animations) == ("dark", "contrast", "L", False)
    qtbot.mouseClick(found._defaults, LEFT)
    assert shared.settings.relevance == "ordinal"
    assert shared.settings.theme == "system"
    assert current_theme() == LIGHT
    assert shared.settings.card_size == "L"  # on another page
    assert animations_on()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_high_contrast_preset_has_high_contrast(theme):
    high = high_contrast(theme)
    for ground in (high.window, high.surface, high.raised, high.selection):
        assert contrast(high.ink, ground) >= 11
        assert contrast(high.muted, ground) >= 7
        assert contrast(high.line_strong, ground) >= 7


def test_font_size_follows_the_preference(shared, qapp, qtbot):
    found = preferences(shared, qtbot)
    before = qapp.font().pointSizeF()
    for percent in (150, 100):
        choose(found, "text_size", percent, qtbot)
        assert qapp.font().pointSizeF() == pytest.approx(before * percent / 100)


def test_preferences_can_be_searched(shared, qtbot):
    found = preferences(shared, qtbot)
    qtbot.keyClicks(found.field, "colour")
    assert found.shown() == ["Relevance colours"]


def test_shortcuts_can_be_changed_with_conflicts_and_defaults(shared, stored, qtbot):
    keys = preferences(shared, qtbot).keys
    row = [command.key for command in COMMANDS].index("reload")
    keys.table.selectRow(row)
    keys.editor.setKeySequence(QKeySequence("Ctrl+1"))
    assert "already assigned to “Query”" in keys.conflict_label.text()
    assert not keys.set_button.isEnabled()
    keys.editor.setKeySequence(QKeySequence("Ctrl+R"))
    keys.set_button.click()
    assert shared.menus.actions["reload"].shortcut() == QKeySequence("Ctrl+R")
    assert SettingsFile(stored).read().keys == {"reload": "Ctrl+R"}
    assert ("File", "Reload", "Ctrl+R") in shortcut_table(shared.settings.keys)
    keys.default_button.click()
    assert shared.menus.actions["reload"].shortcut() == QKeySequence("F5")


def test_custom_shortcuts_apply_from_the_start(qapp, qtbot, memory):
    SettingsFile(memory).write(Settings(keys={"reload": "Ctrl+R", "close": ""}, relevance="strict"))
    for window in a_window(qapp, qtbot, memory):
        assert window.menus.actions["reload"].shortcut() == QKeySequence("Ctrl+R")
        assert window.menus.actions["close"].shortcuts() == []
        assert current_preset() == "strict"
    apply_relevance_preset(qapp, "ordinal")


# Errors and drops.


def test_uncaught_exception_opens_a_dialog_with_details_to_copy(shared, qtbot):
    shared.show_error_dialog("Unexpected error: ValueError: x", "Traceback …\nValueError: x")
    shared.show_error_dialog("Unexpected error: KeyError: y", "Traceback …\nKeyError: y")
    dialog = the(shared, ErrorDialog)
    assert not dialog.isModal()
    qtbot.mouseClick(dialog.copy, LEFT)
    text = QGuiApplication.clipboard().text()
    assert "KeyError: y" in text
    assert "ValueError: x" in text
    assert "Python: 3" in text
    shared.session.select(query=1)
    settle(shared.session, qtbot)
    assert shared.session.ranked_list is not None
    dialog.close()


def drop(window, path):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(QPointF(50, 50), Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(QPoint(50, 50), Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier)
    for step in (enter, event):
        QApplication.sendEvent(window, step)


def test_dropped_benchmark_is_opened(shared, tmp_path, qtbot):
    other = write_sample_benchmark(tmp_path / "other")
    drop(shared, other)
    settle(shared.session, qtbot)
    assert shared.session.path == other


@pytest.mark.parametrize("key", ["ADR", "AP", "PR", "shrec2006"])
def test_help_pages_have_wide_values_and_mathematical_signs(qapp, key):
    page = next(page for page in help_pages() if page.key == key)
    document = QTextDocument()
    document.setHtml(page.html)
    document.setTextWidth(520)
    table = next(frame for frame in document.rootFrame().childFrames() if isinstance(frame, QTextTable))
    values = document.documentLayout().blockBoundingRect(table.cellAt(0, 1).firstCursorPosition().block())
    assert values.left() <= 0.35 * 520
    assert "<=" not in document.toPlainText()
