"""Measures and cutoffs added by typing their keys: table of runs, selector, settings, projects, other profiles."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QStyleOptionComboBox
from sample_benchmark import write_sample_benchmark
from sessions import settle
from windows import a_window, open_in_window

from shrec_viewer.app.bars.tool_bar import ADD_MEASURE
from shrec_viewer.app.dialogs.measures import AddMeasureDialog
from shrec_viewer.app.startup.settings import SettingsFile
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.manifest.project import read_project
from shrec_viewer.metrics import MEASURES, PROFILES
from shrec_viewer.viewmodels.session.project import added_measures_of

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)", extend=True)

ADDED = ("NN", "E@16", "NDCG@5", "F(beta=0.5,rel=2)@20")


@pytest.fixture
def memory(tmp_path):
    return tmp_path / "settings.ini"


@pytest.fixture
def sample_benchmark(tmp_path):
    return write_sample_benchmark(tmp_path / "data" / "sample_benchmark")


def open_dialog(window, qtbot):
    window.activateWindow()  # after another dialog: there is no window manager
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    dialog = window.findChild(AddMeasureDialog)
    qtbot.waitUntil(lambda: dialog.field.hasFocus())
    return dialog


def add(window, text, qtbot):
    """Add a measure with the keyboard."""
    dialog = open_dialog(window, qtbot)
    qtbot.keyClicks(dialog.field, text)
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.findChild(AddMeasureDialog) is None)
    settle(window.session, qtbot)


def selector_texts(window):
    field = window.tool_bar.measure
    return [field.itemText(row) for row in range(field.count())]


def painted(field):
    option = QStyleOptionComboBox()
    field.initStyleOption(option)
    return option.currentText


def header_texts(panel):
    model = panel.table.model()
    return [model.headerData(column, Qt.Orientation.Horizontal) for column in range(model.columnCount())]


def header_menu(panel, key, qtbot):
    header = panel.table.horizontalHeader()
    column = panel.columns.columns()[key]
    panel.table.scrollTo(panel.table.model().index(0, column))
    x = header.sectionViewportPosition(column) + header.sectionSize(column) // 2
    header.customContextMenuRequested.emit(QPoint(x, header.height() // 2))
    return {action.text(): action for action in panel.table.findChildren(QMenu)[-1].actions()}


def test_typed_measures_are_added_to_table_and_selector_and_selected(opened, qtbot):
    session = opened.session
    opened.workspace.show_perspective("campaign")
    panel = opened.workspace.panel("leaderboard")
    session.set_profile("trec")
    settle(session, qtbot)
    keys = list(session.measures)
    assert not set(ADDED) & set(keys)
    for typed in ("NN", "E@16", "nDCG @ 5", "F(rel=2, beta=.5)@20"):
        add(opened, typed, qtbot)
    assert list(session.measures) == [*ADDED, *keys]
    assert header_texts(panel)[-len(session.measures) :] == list(session.measures)
    assert selector_texts(opened) == [ADD_MEASURE, *session.measures]
    field = opened.tool_bar.measure
    assert session.measure == field.currentData() == painted(field) == ADDED[-1]
    oracle = evaluate(session.benchmark, session.profile, measures=ADDED)
    columns = [session.scores.column(key) for key in ADDED]
    assert session.scores.raw_values[:, :, columns] == pytest.approx(oracle.raw_values, abs=0, nan_ok=True)
    assert session.mean("queries")[:, columns] == pytest.approx(oracle.mean(), abs=0, nan_ok=True)
    assert panel.table.horizontalHeader().sortIndicatorSection() == panel.model.column_of(ADDED[-1])


def test_added_measures_stay_under_every_profile_until_removed(opened, qtbot):
    session = opened.session
    add(opened, "E@7", qtbot)
    for profile in PROFILES:
        session.set_profile(profile.key)
        settle(session, qtbot)
        assert session.measures[0] == "E@7" == session.measure
        assert session.scores.profile is session.profile
        assert selector_texts(opened)[:2] == [ADD_MEASURE, "E@7"]
    opened.menus.actions["remove_measure"].trigger()
    settle(session, qtbot)
    assert "E@7" not in (*session.measures, *selector_texts(opened), *opened.settings.added_measures)
    assert session.measure == session.profile.headline
    opened.update_commands()
    assert not opened.menus.actions["remove_measure"].isEnabled()


def test_invalid_key_is_reported_once_and_can_be_corrected(opened, qtbot, subtests):
    usual = opened.session.measure
    for typed in ("NDGC@5", "E@@16", "", "P(rel=2", "AP@0", "<b>AP</b>", "F(beta=-1)"):
        with subtests.test(typed):
            check_invalid_key(opened, typed, qtbot)
        opened.session.select(measure=usual)
        settle(opened.session, qtbot)


def check_invalid_key(opened, typed, qtbot):
    before = opened.session.measures
    assert opened.session.measure != "NDCG@5"
    dialog = open_dialog(opened, qtbot)
    hint = dialog.text.text()
    qtbot.keyClicks(dialog.field, typed)
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.isVisible()
    report = dialog.text.text()
    assert report != hint
    assert dialog.text.textFormat() == Qt.TextFormat.PlainText
    assert opened.message_area.message_count() == 0
    assert opened.session.measures == before
    qtbot.keyClicks(dialog.field, "NDCG@5")  # replaces the selected text
    assert dialog.text.text().startswith("Normalised discounted cumulated gain at 5 (NDCG@5). ")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    settle(opened.session, qtbot)
    assert opened.session.measure == "NDCG@5"
    qtbot.waitUntil(lambda: opened.findChild(AddMeasureDialog) is None)


def test_dialog_shows_every_definition_in_full(opened, qtbot):
    dialog = open_dialog(opened, qtbot)
    for row in MEASURES:
        dialog.field.clear()
        qtbot.keyClicks(dialog.field, row.at().key)
        assert row.definition in dialog.text.text()
        qtbot.waitUntil(lambda: dialog.text.height() >= dialog.text.heightForWidth(dialog.text.width()))
    dialog.reject()


def test_measure_of_the_profile_is_kept_under_profiles_without_it(opened, qtbot):
    session = opened.session
    before = session.measures
    assert "FT" in before[1:]
    add(opened, "First Tier", qtbot)
    assert session.measure == "FT"
    assert session.measures == ("FT", *(key for key in before if key != "FT"))
    session.set_profile("trec")
    settle(session, qtbot)
    assert "FT" not in session.profile.measures
    assert session.measures == ("FT", *session.profile.measures)
    session.set_profile("shrec2006")
    session.remove_measure("FT")
    settle(session, qtbot)
    assert session.measures == before


def test_selector_and_header_open_the_dialog_and_the_header_removes(opened, qtbot):
    opened.workspace.show_perspective("campaign")
    panel = opened.workspace.panel("leaderboard")
    field = opened.tool_bar.measure
    shown = painted(field)
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_Home)  # the first item
    dialog = opened.findChild(AddMeasureDialog)
    assert dialog.isVisible()
    assert painted(field) == shown
    qtbot.keyClicks(dialog.field, "P@3")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    settle(opened.session, qtbot)
    header_menu(panel, "P@3", qtbot)["Remove P@3"].trigger()
    settle(opened.session, qtbot)
    assert "P@3" not in header_texts(panel)
    panel.set_option("hidden_columns", ("P@3",))
    header_menu(panel, "AP", qtbot)["Add measure…"].trigger()
    dialog = opened.findChild(AddMeasureDialog)
    qtbot.keyClicks(dialog.field, "P@3")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    settle(opened.session, qtbot)
    assert not panel.table.isColumnHidden(panel.model.column_of("P@3"))
    assert panel.table.columnViewportPosition(panel.model.column_of("P@3")) >= 0
    assert "Remove AP" not in header_menu(panel, "AP", qtbot)


def test_added_measures_are_kept_in_the_settings(qapp, qtbot, memory, sample_benchmark):
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, sample_benchmark, qtbot)
        add(window, "E@16", qtbot)
    SettingsFile(memory).write(  # of a plug-in that was uninstalled
        SettingsFile(memory).read().__class__(added_measures=("Lottery@3", "E@16"))
    )
    for window in a_window(qapp, qtbot, memory):
        assert "Lottery@3" in window.message_bar.current().text
        open_in_window(window, sample_benchmark, qtbot)
        assert window.session.measures[0] == "E@16"
        assert window.settings.added_measures == ("E@16",)
    assert SettingsFile(memory).read().added_measures == ("E@16",)


def test_added_measures_are_kept_in_a_project(opened, qtbot, tmp_path, monkeypatch, sample_benchmark):
    path = tmp_path / "mine.shrec"
    add(opened, "E@16", qtbot)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args, **options: (str(path), ""))
    opened.menus.actions["save"].trigger()
    settle(opened.session, qtbot)
    assert added_measures_of(read_project(path)) == ("E@16",)
    opened.menus.actions["remove_measure"].trigger()  # from the settings, not from the file
    add(opened, "NDCG@5", qtbot)
    open_in_window(opened, write_sample_benchmark(tmp_path / "other"), qtbot)
    assert opened.session.added_measures == ("NDCG@5",)
    open_in_window(opened, path, qtbot)
    assert opened.session.added_measures == ("NDCG@5", "E@16")
    assert opened.session.measure == "E@16"
    assert opened.settings.added_measures == ("NDCG@5",)
    open_in_window(opened, sample_benchmark, qtbot)
    assert opened.session.added_measures == ("NDCG@5",)


def test_unknown_measures_of_a_project_are_left_out_with_one_message(opened, qtbot, tmp_path, monkeypatch):
    path = tmp_path / "mine.shrec"
    add(opened, "E@16", qtbot)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args, **options: (str(path), ""))
    opened.menus.actions["save"].trigger()
    settle(opened.session, qtbot)
    text = path.read_text(encoding="utf-8")
    assert '["E@16"]' in text
    path.write_text(text.replace('["E@16"]', '["Lottery", "E@16", "AP@x", 3]'), encoding="utf-8")
    opened.menus.actions["remove_measure"].trigger()
    texts = []
    opened.session.message.connect(lambda severity, text, details: texts.append(text))
    open_in_window(opened, path, qtbot)
    assert opened.session.added_measures == ("E@16",)
    assert len(texts) == 1
    assert "Lottery" in texts[0]
    assert "AP@x" in texts[0]
    assert opened.message_bar.current().text == texts[0]


def test_selector_shows_the_whole_key_at_the_smallest_window_size(opened, qtbot, subtests):
    assert opened.width() == 1280
    for key in (*ADDED, "NDCG@100", "AP(rel=2)"):
        with subtests.test(key):
            add(opened, key, qtbot)
            check_selector(opened, key, qtbot)


def check_selector(opened, key, qtbot):
    field = opened.tool_bar.measure
    qtbot.waitUntil(lambda: painted(field) == key)
    extension = opened.tool_bar.findChild(QAction, "qt_toolbar_ext_button")
    assert extension is None
    assert opened.minimumSizeHint().width() <= 1280
    bar = opened.tool_bar
    assert bar.rect().contains(bar.buttons["palette"].geometry())
    assert opened.rect().contains(bar.geometry())
    assert QApplication.activeModalWidget() is None


def test_adding_a_measure_ranks_no_run_again(opened, qtbot):
    ranks = [hits.ranks for hits in opened.session.scores.hits]
    add(opened, "E@16", qtbot)
    assert all(hits.ranks is before for hits, before in zip(opened.session.scores.hits, ranks, strict=True))


def test_measure_added_while_a_run_is_reloaded_is_not_lost(opened, qtbot):
    session = opened.session
    session.reload_runs({0})
    session.add_measure("E@16")
    settle(session, qtbot)
    assert session.measures[0] == "E@16"
    assert session.measure == "E@16"
