"""Every row of COMMANDS: enabled state, effect, menu entry and shortcut."""

from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLabel
from sample_benchmark import only_meshes, write_sample_benchmark
from sessions import settle
from windows import a_window, open_in_window

from shrec_viewer.app.commands import COMMANDS, default_shortcuts, key_sequences, shortcut_table
from shrec_viewer.app.commands import edit as edit_commands
from shrec_viewer.app.commands import file as file_commands
from shrec_viewer.app.commands import go as rank_commands
from shrec_viewer.app.commands import help as help_commands
from shrec_viewer.app.dialogs.shortcuts import panel_shortcuts
from shrec_viewer.app.docking.panel_store import shortcut_scopes
from shrec_viewer.formats.manifest.edit_state import EditState
from shrec_viewer.panels import PANELS, panels_by_key
from shrec_viewer.panels.export.dialog import ExportDialog
from shrec_viewer.viewmodels.session.project import KeptEdits

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

MENUS = sorted({command.menu.split("/")[0] for command in COMMANDS})

NEEDS_NOTHING = {
    "paste",
    "open_folder", "open_file", "open_demo", "quit", "cards_small", "cards_medium", "cards_large", "cards_text",
    "theme_system", "theme_light", "theme_dark", "switch_theme", "full_screen", "keys", "log", "about", "preferences",
    "palette", "measures", "follow", "formats_help", "measures_help", "questions_help", "plug_ins_help", "whats_new",
    "python_help", "report_problem", "tour",
}  # fmt: skip


@pytest.fixture
def dialog_calls(monkeypatch, tmp_path):
    """Answers file dialogs, and records their arguments."""
    dialog_results = {
        "folder": write_sample_benchmark(tmp_path / "chosen"),
        "file": tmp_path / "chosen" / "benchmark.toml",
        "rank": 3,
    }
    dialog_calls = []

    def choose_folder(parent, start):
        dialog_calls.append("folder")
        return dialog_results["folder"]

    def choose_file(parent, start):
        dialog_calls.append("file")
        return dialog_results["file"]

    def choose_rank(parent, current, highest):
        dialog_calls.append(("rank", current, highest))
        return dialog_results["rank"]

    monkeypatch.setattr(QDialog, "exec", lambda dialog: 0)
    for name in ("getOpenFileName", "getSaveFileName"):
        monkeypatch.setattr(QFileDialog, name, lambda *args, **options: ("", ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *args, **options: "")
    monkeypatch.setattr(
        edit_commands, "choose_colour", lambda parent, run, current: dialog_calls.append("colour") or "#123456"
    )
    for function in (choose_folder, choose_file):
        monkeypatch.setattr(file_commands, function.__name__, function)
    monkeypatch.setattr(rank_commands, "choose_rank", choose_rank)
    monkeypatch.setattr(help_commands, "open_log", lambda: dialog_calls.append("log") or False)
    return dialog_calls


@pytest.fixture
def demo(monkeypatch, tmp_path):
    """A small replacement of the bundled demo."""
    folder = write_sample_benchmark(tmp_path / "demo")
    from shrec_viewer.app.window import main_window

    monkeypatch.setattr(main_window, "resource", lambda name: folder)
    return folder


@pytest.fixture
def window(qapp, qtbot, tmp_path):
    yield from a_window(qapp, qtbot, tmp_path / "settings.ini")


def trigger(window, key, qtbot):
    window.menus.actions[key].trigger()
    if window.isVisible():
        settle(window.session, qtbot)


def test_command_keys_and_texts_are_distinct(qapp):
    assert max(Counter(command.key for command in COMMANDS).values()) == 1
    assert max(Counter((command.menu, command.text) for command in COMMANDS).values()) == 1
    for scope in {panel.key for panel in PANELS}:
        here = {"window", *shortcut_scopes(scope)}
        rows = [command for command in COMMANDS if command.scope in here]
        shortcuts = Counter(key.toString() for command in rows for key in key_sequences(command))
        assert [key for key, count in shortcuts.items() if count > 1] == [], scope


def test_mnemonics_of_a_menu_are_distinct():
    for menu in {command.menu for command in COMMANDS}:
        letters = [c.text[c.text.index("&") + 1].lower() for c in COMMANDS if c.menu == menu and "&" in c.text]
        assert len(letters) == len(set(letters)), menu


def test_single_letter_shortcuts_work_only_in_lists(qapp):
    for command in COMMANDS:
        for key in key_sequences(command):
            if key.count() == 1 and len(key.toString()) == 1 and key.toString().isalpha():
                assert command.scope != "window", command.key


def prepare(window, key):
    """Select a query, runs, a rank and a model, change something, and fill the history."""
    session = window.session
    session.select(query=1, compared=1)
    session.select(rank=2, shown_runs=(0,))
    if key == "usual_colour":
        session.edits.set_colour(session.run.name, "#123456")
    if key == "remove_measure":
        session.add_measure(session.measure)
    if key == "redo":
        session.edits.stack.undo()
    if key == "go_to_message":
        window.show_message("info", "something")
    if key == "forward":
        window.history.back()
    if key in ("restore_unsaved", "discard_unsaved"):
        kept = KeptEdits(Path("9-9.json"), frozenset(), EditState(), EditState({"q1": "kept"}))
        window.projects.unsaved._kept = (kept,)
    window.update_commands()


def tidy(window, folder, qtbot):
    """Restore the state before a command: no messages, and `folder` open, or nothing where it is None."""
    for dialog in window.findChildren(QDialog):
        dialog.close()
    window.setWindowState(Qt.WindowState.WindowNoState)
    if window.session.path != folder and folder is None:
        window.session.close()
        settle(window.session, qtbot)
    elif window.session.path != folder:
        open_in_window(window, folder, qtbot)
    window.message_bar.dismiss()


def problem_after(window, key, qtbot):
    """Trigger a command; return the warning or error that it shows, or None."""
    trigger(window, key, qtbot)
    message = window.message_bar.current()
    return None if message is None or message.severity == "info" else message.text


def test_actions_are_enabled_only_when_they_can_run(window):
    enabled = {command.key for command in COMMANDS if window.menus.actions[command.key].isEnabled()}
    assert enabled == NEEDS_NOTHING


@pytest.mark.parametrize("menu", MENUS)
def test_menu_commands_with_a_benchmark_open(menu, request, dialog_calls, demo, tmp_path, qtbot):
    """All commands of a menu in one window; those of the menu File, which close it, in another one."""
    opened = request.getfixturevalue("window" if menu == "File" else "opened")
    if menu == "File":
        open_in_window(opened, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)
    folder, failed = opened.session.path, {}
    keys = [command.key for command in COMMANDS if command.menu.split("/")[0] == menu]
    for key in sorted(keys, key=lambda key: key == "quit"):  # the last one
        tidy(opened, folder, qtbot)
        prepare(opened, key)
        if key.startswith("graph_"):  # they act on a plot in sight
            opened.workspace.show_perspective("query")
            settle(opened.session, qtbot)
            opened.update_commands()
        if not opened.menus.actions[key].isEnabled():
            failed[key] = "is disabled"
        elif problem := problem_after(opened, key, qtbot):
            failed[key] = problem
    for dialog in opened.findChildren(QDialog):
        dialog.close()
    assert failed == {}


def test_commands_without_a_benchmark(window, dialog_calls, demo, qtbot):
    failed = {}
    for key in sorted(NEEDS_NOTHING, key=lambda key: (key == "quit", key)):
        tidy(window, None, qtbot)
        if problem := problem_after(window, key, qtbot):
            failed[key] = problem
    for dialog in window.findChildren(QDialog):
        dialog.close()
    assert failed == {}


def test_open_commands_open_the_chosen_path(window, dialog_calls, qtbot):
    trigger(window, "open_folder", qtbot)
    assert dialog_calls == ["folder"]
    assert window.session.benchmark.name == "Menagerie"
    trigger(window, "close", qtbot)
    assert not window.session.is_open
    trigger(window, "open_file", qtbot)
    assert dialog_calls == ["folder", "file"]
    assert window.session.path.name == "benchmark.toml"


def test_cancelled_dialog_opens_nothing(window, monkeypatch, qtbot):
    monkeypatch.setattr(file_commands, "choose_folder", lambda parent, start: None)
    trigger(window, "open_folder", qtbot)
    assert not window.session.is_open


def test_file_dialog_starts_in_the_folder_of_the_last_benchmark(opened, monkeypatch, qtbot):
    starts = []
    monkeypatch.setattr(file_commands, "choose_folder", lambda parent, start: starts.append(start))
    trigger(opened, "open_folder", qtbot)
    assert starts == [Path(opened.settings.recent[0]).parent]


def press(qtbot, window, key, modifier=Qt.KeyboardModifier.NoModifier):
    qtbot.keyClick(QApplication.focusWidget() or window, key, modifier)
    settle(window.session, qtbot)


def test_keys_step_through_queries_and_runs_in_every_panel(opened, qtbot):
    session = opened.session
    workspace = opened.workspace
    for widget in (workspace.ranked_list.grid, workspace.queries.list, workspace.panel("gain").plot):
        session.select(query=0, run=0)
        widget.setFocus()
        press(qtbot, opened, Qt.Key.Key_BracketRight)
        assert session.selection.query == 1
        press(qtbot, opened, Qt.Key.Key_BracketLeft)
        assert session.selection.query == 0
        press(qtbot, opened, Qt.Key.Key_Period)
        assert session.selection.run == 1
        press(qtbot, opened, Qt.Key.Key_Comma)
        assert session.selection.run == 0


def test_page_keys_scroll_in_the_list_and_change_the_query_elsewhere(opened, qtbot):
    session, workspace = opened.session, opened.workspace
    opened.set_card_size("L")
    opened.resize(700, 500)
    qtbot.wait(60)
    session.select(rank=1)
    workspace.ranked_list.grid.setFocus()
    press(qtbot, opened, Qt.Key.Key_PageDown)
    assert session.selection.query == 0
    assert session.selection.rank > 1
    press(qtbot, opened, Qt.Key.Key_PageUp)
    assert (session.selection.query, session.selection.rank) == (0, 1)
    for widget in (workspace.queries.list, workspace.panel("gain").plot, workspace.panel("leaderboard").choose):
        widget.setFocus()
        press(qtbot, opened, Qt.Key.Key_PageDown)
        assert session.selection.query == 1
        press(qtbot, opened, Qt.Key.Key_PageUp)
        assert session.selection.query == 0


def test_first_shortcut_works_with_every_focus(opened, qtbot):
    assert ("]", "Next query") in [(key, text) for key, text in default_shortcuts(["next_query"])]
    assert opened.menus.actions["next_query"].toolTip() == "Next query (])"


def test_typed_letters_find_a_query(opened, dialog_calls, qtbot):
    session = opened.session
    session.select(run=1)  # levels 0 2 0 2 1 0 0 1
    settle(session, qtbot)
    opened.workspace.ranked_list.grid.setFocus()
    ranks = []
    for key, modifier in (
        (Qt.Key.Key_R, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_R, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_N, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_R, Qt.KeyboardModifier.ShiftModifier),
        (Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier),
        (Qt.Key.Key_G, Qt.KeyboardModifier.NoModifier),
    ):
        press(qtbot, opened, key, modifier)
        ranks.append(session.selection.rank)
    assert ranks == [2, 4, 6, 5, 3, 3]
    assert dialog_calls == [("rank", 3, 8)]
    press(qtbot, opened, Qt.Key.Key_Escape)
    assert session.selection.rank is None


def test_single_letter_shortcuts_are_text_in_a_text_field(opened, qtbot):
    press(qtbot, opened, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    field = QApplication.focusWidget()
    qtbot.keyClicks(field, "rng,.[]")
    assert field.text() == "rng,.[]"
    assert opened.session.selection.rank is None
    assert opened.session.selection.query == 0


def test_escape_in_the_filter_shows_all_queries(opened, qtbot):
    opened.session.select(rank=3)
    press(qtbot, opened, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    field = QApplication.focusWidget()
    qtbot.keyClicks(field, "q2")
    assert opened.workspace.queries.list.model().rowCount() == 1
    press(qtbot, opened, Qt.Key.Key_Escape)
    assert field.text() == ""
    assert opened.session.selection.rank == 3
    press(qtbot, opened, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is opened.workspace.queries.list


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Down])
def test_enter_in_the_filter_selects_the_match(opened, qtbot, key):
    press(qtbot, opened, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(QApplication.focusWidget(), "q3")
    press(qtbot, opened, key)
    assert opened.session.selection.query == 2
    assert QApplication.focusWidget() is opened.workspace.queries.list


def test_id_of_the_selected_model_is_copied(opened, qtbot):
    opened.session.select(rank=3)
    opened.workspace.ranked_list.grid.setFocus()
    press(qtbot, opened, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "m3"


@pytest.mark.parametrize(
    ("panel", "begins"), [("leaderboard", "Run\t"), ("measures", "Query\t"), ("precision_recall", "A1: recall\t")]
)
def test_ctrl_c_in_a_table_copies_the_table(opened, qtbot, panel, begins):
    opened.session.select(rank=3)
    opened.workspace.show_panel(panel)
    shown = opened.workspace.panel(panel)
    qtbot.waitUntil(shown.isVisible)
    if panel == "precision_recall":
        shown.show_values(True)
    settle(opened.session, qtbot)
    shown.table.setFocus()
    shown.table.selectAll()
    QGuiApplication.clipboard().setText("")
    press(qtbot, opened, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith(begins), copied[:40]
    assert len(copied.splitlines()) > 2


def test_reload_reads_the_benchmark_again(opened, qtbot):
    before = opened.session.benchmark
    opened.session.select(query=1)
    trigger(opened, "reload", qtbot)
    assert opened.session.benchmark is not before
    assert opened.session.selection.query == 1


def test_theme_is_set_and_stored(opened, qtbot):
    trigger(opened, "theme_dark", qtbot)
    assert opened.menus.actions["theme_dark"].isChecked()
    assert opened.settings.theme == "dark"
    qtbot.waitUntil(lambda: _lightness(opened) < 0.4)  # the theme is applied
    trigger(opened, "switch_theme", qtbot)
    assert opened.settings.theme == "light"
    qtbot.waitUntil(lambda: _lightness(opened) > 0.7)
    trigger(opened, "theme_system", qtbot)
    assert opened.settings.theme == "system"


def test_card_size_is_set_and_stored(opened, qtbot):
    for key, size in (("cards_small", "S"), ("cards_large", "L"), ("cards_text", "T"), ("cards_medium", "M")):
        trigger(opened, key, qtbot)
        assert opened.workspace.ranked_list.grid.card_size_name() == size
        assert opened.settings.card_size == size
        assert opened.menus.actions[key].isChecked()


@pytest.mark.qt_log_ignore("This plugin does not support raise", extend=True)
def test_layout_can_be_reset(opened, qtbot):
    workspace = opened.workspace
    before = {key: workspace.dock(key).geometry().getRect() for key in ("queries", "gain", "leaderboard")}
    workspace.dock("queries").close()
    workspace.dock("gain").setFloating(True)
    trigger(opened, "reset_layout", qtbot)
    qtbot.wait(50)
    assert workspace.dock("queries").isVisible()
    assert not workspace.dock("gain").isFloating()
    for key, rect in before.items():
        now = workspace.dock(key).geometry().getRect()
        assert all(abs(a - b) <= 40 for a, b in zip(now, rect, strict=True)), (key, now, rect)


def test_full_screen_can_be_toggled(opened, qtbot):
    trigger(opened, "full_screen", qtbot)
    assert opened.isFullScreen()
    trigger(opened, "full_screen", qtbot)
    assert not opened.isFullScreen()


def test_shortcut_list_names_every_command_with_a_shortcut(qapp):
    rows = shortcut_table()
    assert len(rows) == sum(bool(key_sequences(command)) for command in COMMANDS)
    assert ("Go", "Next query", "]  PgDown outside the ranked list") in rows
    assert ("Ranked list", "Page up or down", "PgUp  PgDown") in panel_shortcuts()


def test_card_sizes_are_disabled_without_model_files(window, tmp_path, qtbot):
    bare = write_sample_benchmark(tmp_path / "bare")
    for mesh in (*bare.glob("models/*"), *bare.glob("queries/*")):
        mesh.unlink()
    open_in_window(window, bare, qtbot)
    for key in ("cards_small", "cards_medium", "cards_large", "cards_text"):
        assert not window.menus.actions[key].isEnabled()


def test_model_without_rank_is_named_and_its_id_copied(window, tmp_path, qtbot):
    open_in_window(window, only_meshes(tmp_path / "meshes"), qtbot)
    assert window.statusBar().selection.text() == "meshes  ·  8 models  ·  no queries"
    window.workspace.ranked_list.grid.setFocus()
    press(qtbot, window, Qt.Key.Key_Right)
    press(qtbot, window, Qt.Key.Key_Right)
    assert window.statusBar().selection.text().endswith("no queries  ·  m2")
    press(qtbot, window, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "m2"
    press(qtbot, window, Qt.Key.Key_Escape)
    assert window.session.selection.model is None


def _lightness(window):
    small = window.grab().toImage().scaled(32, 32)
    return sum(small.pixelColor(x, y).lightnessF() for x in range(32) for y in range(32)) / 1024


def exported(menus):
    return [action.text().replace("&", "") for action in menus.menu("File/Export").actions() if action.text()]


def test_the_export_menu_names_the_focused_panel(opened, qtbot):
    window = opened
    window.workspace.go_to_panel("leaderboard")
    window.update_commands()
    assert exported(window.menus)[:3] == ["Copy (Runs)", "Export (Runs)…", "Copy as command (Runs)"]
    window.workspace.focus_centre()
    window.update_commands()
    assert exported(window.menus)[:3] == [
        "Copy (Ranked list)",
        "Export (Ranked list)…",
        "Copy as command (Ranked list)",
    ]
    copied = [action.text().replace("&", "") for action in window.menus.menu("Edit/Copy").actions() if action.text()]
    assert copied == [
        "Copy model id",
        "Copy models as a table",
        "Copy list as image",
        "Copy findings for the participant",
        "Copy (Ranked list)",
        "Copy as command (Ranked list)",
    ]
    edit = [action.text() for action in window.menus.menu("Edit").actions()]
    assert [text for text in edit if "Copy" in text.replace("&", "")] == ["&Copy"]
    assert not any("xport" in text or "Save" in text for text in edit)
    assert window.menus.actions["panel_export"].shortcut().toString() == "Ctrl+E"


def test_export_in_a_panel_exports_that_panel(opened, qtbot):
    for key in ("leaderboard", "queries", "precision_recall"):
        opened.workspace.go_to_panel(key)
        assert opened.workspace.panel_export().title == panels_by_key()[key].title
    press(qtbot, opened, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    (dialog,) = [found for found in opened.findChildren(ExportDialog) if found.isVisible()]
    assert dialog.windowTitle() == "Export Precision and recall"
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)


def test_welcome_page_lists_commands_that_work_there(window):
    shown = [label.text() for label in window.welcome.findChildren(QLabel) if label.property("keycap")]
    works = {action.shortcut().toString() for action in window.menus.actions.values() if action.isEnabled()}
    assert len(shown) == 4
    assert set(shown) <= works


def test_file_dialogs_start_in_the_folder_of_the_last_choice(qapp, qtbot, tmp_path, monkeypatch):
    export, projects, opened_from = (tmp_path / name for name in ("export", "projects", "elsewhere"))
    for folder in (export, projects):
        folder.mkdir()
    write_sample_benchmark(opened_from / "benchmark")
    starts, chosen = [], []

    def save(_parent, _title, start, filters):
        starts.append(Path(start).parent)
        return str(chosen[-1]), filters

    def open_folder(_parent, _title, start):
        starts.append(Path(start))
        return str(opened_from / "benchmark")

    monkeypatch.setattr(QFileDialog, "getSaveFileName", save)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", open_folder)
    for repeated in (False, True):
        for window in a_window(qapp, qtbot, tmp_path / "settings.ini"):
            starts.clear()
            trigger(window, "open_folder", qtbot)
            settle(window.session, qtbot)
            chosen.append(export / "table.csv")
            for panel in ("leaderboard", "measures"):
                window.workspace.go_to_panel(panel)
                trigger(window, "panel_export", qtbot)
                (dialog,) = window.findChildren(ExportDialog)
                dialog.choose_path()
                settle(window.session, qtbot)
            chosen.append(projects / "mine.shrec")
            trigger(window, "save_as", qtbot)
            settle(window.session, qtbot)
            if repeated:
                assert starts == [opened_from, export, export, projects]
            else:
                assert opened_from not in starts[:1]
                assert starts[1:3] == [Path.home(), export]


def test_menus_have_check_marks_and_no_icons(opened):
    """Qt shows an icon instead of the check mark."""
    actions = [action for menu in opened.menus.top_menus() for action in menu.actions()]
    assert any(not action.icon().isNull() for action in actions), "of the tool bar"
    assert not any(action.isIconVisibleInMenu() for action in actions if not action.icon().isNull())
