"""The jobs of an organiser by keys alone, in a window of 1280 x 770; files are chosen in dialogs that are replaced."""

import shutil
import time
import zipfile

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QTabBar
from sample_benchmark import write_sample_benchmark
from sessions import settle
from shared_windows import a_shared_window
from windows import a_window, open_in_window

from shrec_viewer.app.dialogs import site_export
from shrec_viewer.app.dialogs.command_palette import CommandPalette
from shrec_viewer.app.dialogs.site_export import SITE_TASK, SiteExportDialog
from shrec_viewer.panels.export.dialog import ExportDialog
from shrec_viewer.panels.files.add_runs import AddRunsDialog
from shrec_viewer.resources import resource

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

KEY, CTRL, SHIFT = Qt.Key, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
SIZE = (1280, 770)


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot):
    yield from a_shared_window(qapp, module_qtbot, resource("demo"), size=SIZE)


class Keyboard:
    """Presses keys where the focus is."""

    def __init__(self, window, qtbot):
        self.window, self.qtbot = window, qtbot

    def press(self, *keys, modifier=Qt.KeyboardModifier.NoModifier):
        """Press keys one after the other."""
        for key in keys:
            self.qtbot.keyClick(self.focused(), key, modifier)

    def focused(self):
        """The widget that gets the next key."""
        popup = QApplication.activePopupWidget()
        if popup is not None:
            return popup.focusWidget() or popup
        focused = QApplication.focusWidget()
        if focused is None or not focused.isVisible():
            self._activate(self.window)
        return QApplication.focusWidget() or self.window

    def write(self, text):
        self.qtbot.keyClicks(self.focused(), text)

    def settle(self):
        settle(self.window.session, self.qtbot)

    def tab_to(self, holds, by=KEY.Key_Tab):
        """Press Tab until a widget with the focus has the property, and return it."""
        for _ in range(150):
            widget = self.focused()
            if holds(widget):
                assert widget.isVisible()
                return widget
            self.press(by, modifier=SHIFT if by == KEY.Key_Backtab else Qt.KeyboardModifier.NoModifier)
        raise AssertionError(f"Tab does not get there from {widget.accessibleName()}")

    def tab_to_widget(self, widget):
        return self.tab_to(lambda one: one is widget)

    def tab_to_text(self, text, by=KEY.Key_Tab):
        """Press Tab until the widget with this text or accessible name has the focus."""
        return self.tab_to(lambda widget: text in _texts(widget), by)

    def show_tab(self, text):
        """Show the tab of a dock: Tab to its bar, then arrows."""
        bar = self.tab_to(lambda one: isinstance(one, QTabBar) and text in _tabs(one))
        while bar.tabText(bar.currentIndex()).replace("&", "") != text:
            before = bar.currentIndex()
            self.press(KEY.Key_Right if _tabs(bar).index(text) > before else KEY.Key_Left)
            assert bar.currentIndex() != before
        self.settle()

    def dialog(self, kind):
        """The dialog of a class, which has the keys."""
        self.qtbot.waitUntil(lambda: any(one.isVisible() for one in self.window.findChildren(kind)))
        (found,) = (one for one in self.window.findChildren(kind) if one.isVisible())
        self._activate(found)
        return found

    def _activate(self, window):
        """Give a window the keys, as window managers do when it is opened, or what covered it is closed."""
        window.activateWindow()
        self.qtbot.waitUntil(window.isActiveWindow)


def _texts(widget):
    text = widget.text().replace("&", "") if hasattr(widget, "text") else ""
    return text, widget.accessibleName()


def _tabs(bar):
    return [bar.tabText(tab).replace("&", "") for tab in range(bar.count())]


@pytest.fixture
def keys(opened, qtbot):
    return Keyboard(opened, qtbot)


def names_of_runs(window):
    return [run.name for run in window.session.benchmark.runs]


def test_best_run_its_significance_and_a_cell_of_the_heat_map(opened, keys):
    keys.press(KEY.Key_3, modifier=CTRL)
    keys.settle()
    order = opened.workspace.panel("leaderboard").order
    assert order.isVisible()
    assert order.text().startswith("B2 leads with ADR")
    keys.tab_to_widget(opened.workspace.panel("heat_map").grid)
    before = opened.session.selection.query, opened.session.selection.run
    keys.press(KEY.Key_Right, KEY.Key_Down)
    keys.settle()
    assert opened.session.selection.query != before[0]
    assert opened.session.selection.run != before[1]
    keys.show_tab("Significance")
    assert opened.workspace.is_shown("significance")


def test_why_a_query_fails(opened, keys):
    keys.press(KEY.Key_4, modifier=CTRL)
    keys.settle()
    budget = opened.workspace.panel("error_budget")
    keys.tab_to_widget(budget.bars)
    keys.press(KEY.Key_Down, KEY.Key_Down)
    keys.settle()
    assert budget.bars.accessibleDescription() or budget.title.text()
    keys.tab_to_widget(budget.table)
    keys.press(KEY.Key_Down)
    keys.settle()
    assert opened.session.document.model is not None


def add_run(keys, path, monkeypatch):
    """Choose a file in the dialog that adds runs, and wait until it is checked."""
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(path)], ""))
    keys.press(KEY.Key_A, modifier=CTRL | SHIFT)
    dialog = keys.dialog(AddRunsDialog)
    keys.tab_to_text("Files…")
    keys.press(KEY.Key_Space)
    keys.settle()
    return dialog


def test_a_faulty_archive_is_added_and_a_run_replaced(opened, keys, monkeypatch, tmp_path):
    runs = resource("demo") / "runs"
    with zipfile.ZipFile(tmp_path / "D1.zip", "w") as archive:
        for path in sorted((runs / "A2").iterdir())[:-1]:
            archive.writestr(f"D1/{path.name}", path.read_text(encoding="utf-8") + "nothing here at all\n")
    dialog = add_run(keys, tmp_path / "D1.zip", monkeypatch)
    assert " error" in dialog.summary.text()
    keys.tab_to_text("Copy for participant")
    keys.press(KEY.Key_Space)
    assert "1. D1.zip/Q01, line" in QGuiApplication.clipboard().text()
    way = keys.tab_to(lambda one: one in dialog.ways.values())
    while not dialog.ways["project"].isChecked():
        keys.press(KEY.Key_Down)
    assert way.isVisible()
    keys.tab_to_text("Add anyway")
    keys.press(KEY.Key_Space)
    keys.settle()
    assert "D1" in names_of_runs(opened)
    shutil.copyfile(runs / "B1.txt", tmp_path / "A1.txt")
    dialog = add_run(keys, tmp_path / "A1.txt", monkeypatch)
    assert [one.replaces for one in dialog.chosen()] == ["A1"], "it is proposed"
    keys.tab_to_text("Add")
    keys.press(KEY.Key_Space)
    keys.settle()
    strip = opened.consequences
    assert strip.cause.text() == "A1 replaced"
    assert strip.effect.text().startswith("ADR of A1 0.411 → ")
    keys.tab_to_text("Undo")
    keys.press(KEY.Key_Space)
    keys.settle()
    assert not strip.isVisible()


def test_a_level_is_corrected_and_returned_to(opened, keys):
    keys.press(KEY.Key_1, modifier=CTRL)
    keys.settle()
    session, grid = opened.session, opened.workspace.ranked_list.grid
    keys.tab_to_widget(grid)
    keys.press(KEY.Key_Home, KEY.Key_Right)
    before = int(session.ranked_list.levels[session.selection.rank - 1])
    keys.press(KEY.Key_0 if before else KEY.Key_2)
    keys.settle()
    assert opened.consequences.cause.text().startswith("Level of ")
    assert session.document.replaced_scores is not None
    plot = opened.workspace.panel("precision_recall")
    assert plot.before.isVisible()
    assert keys.tab_to_text("Hide") is plot.hide_before
    keys.press(KEY.Key_Space)
    assert not plot.before.isVisible()
    keys.tab_to_text("Details")
    keys.press(KEY.Key_Space)
    keys.settle()
    assert opened.workspace.is_shown("edits")
    keys.tab_to_text("Undo")
    keys.press(KEY.Key_Space)
    keys.settle()
    assert not session.edits.edited.levels
    assert not opened.consequences.isVisible()


def test_suspects_are_reviewed(opened, keys):
    keys.press(KEY.Key_5, modifier=CTRL)
    keys.settle()
    review = opened.session.review
    keys.press(KEY.Key_1)
    keys.settle()
    assert review.n_decided == 1
    keys.press(KEY.Key_Down)
    assert review.position == 2
    keys.tab_to_text("Blind")
    keys.press(KEY.Key_Space)
    assert review.options.blind
    keys.press(KEY.Key_Space)
    assert not review.options.blind
    keys.tab_to_text("Skip")
    keys.press(KEY.Key_Space)
    keys.tab_to_text("Dismiss")
    keys.press(KEY.Key_Space)
    assert not opened.consequences.isVisible()


def test_two_runs_are_compared(opened, keys):
    keys.press(KEY.Key_2, modifier=CTRL)
    keys.settle()
    field = keys.tab_to_text("Compared run")
    keys.press(KEY.Key_Down)
    keys.settle()
    assert opened.session.selection.compared is not None
    rows = opened.workspace.panel("comparison")
    keys.tab_to(lambda one: rows.isAncestorOf(one) and one.height() > field.height() * 3)
    before = opened.session.selection.rank
    keys.press(KEY.Key_Right, KEY.Key_Right)
    keys.settle()
    assert opened.session.selection.rank != before


def test_conventions_are_changed_in_their_popup_and_returned_to(opened, keys):
    session = opened.session
    former, popup = session.profile, opened.tool_bar.conventions
    keys.tab_to_widget(popup.button)
    keys.press(KEY.Key_Space)
    assert popup.isVisible()
    keys.tab_to_widget(popup.field("missing_query"))
    keys.press(KEY.Key_Down)
    keys.press(KEY.Key_Escape)
    keys.settle()
    assert not popup.isVisible()
    assert session.profile != former
    assert opened.consequences.cause.text() == "Missing queries: Score 0 → Exclude"
    keys.tab_to_text("Undo")
    keys.press(KEY.Key_Space)
    keys.settle()
    assert session.profile == former


def test_table_and_figure_are_exported(opened, keys, monkeypatch, tmp_path):
    keys.press(KEY.Key_3, modifier=CTRL)
    keys.settle()
    for key, form, name in (("leaderboard", "LaTeX", "runs.tex"), ("precision_recall", "PDF", "curves.pdf")):
        panel = opened.workspace.panel(key)
        for _ in range(8):
            if panel.isAncestorOf(keys.focused()):
                break
            keys.press(KEY.Key_F6)
        keys.press(KEY.Key_E, modifier=CTRL)
        dialog = keys.dialog(ExportDialog)
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, name=name: (str(tmp_path / name), ""))
        keys.tab_to_text("Format")
        for _ in range(dialog.form.count()):
            if form in dialog.form.currentText():
                break
            keys.press(KEY.Key_Down)
        keys.settle()
        keys.tab_to_text("Export…")
        keys.press(KEY.Key_Space)
        keys.settle()
    assert (tmp_path / "runs.tex").read_text(encoding="utf-8").count("&") > 20
    assert (tmp_path / "curves.pdf").read_bytes().startswith(b"%PDF")


def start_site(keys, folder):
    """Find the command, and write a site without images."""
    keys.press(KEY.Key_K, modifier=CTRL)
    keys.dialog(CommandPalette)
    keys.write("contest site")
    keys.press(KEY.Key_Return)
    dialog = keys.dialog(SiteExportDialog)
    keys.tab_to_widget(dialog.folder)
    keys.press(KEY.Key_A, modifier=CTRL)
    keys.write(str(folder))
    keys.tab_to_widget(dialog.first)
    keys.press(KEY.Key_A, modifier=CTRL)
    keys.write("0")
    keys.tab_to_text("Export")
    keys.press(KEY.Key_Space)


def test_a_site_is_built_and_opened(qapp, qtbot, tmp_path, monkeypatch):
    """Of few models: that of the demo takes longer than the other tests."""
    shown = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: shown.append(url.toLocalFile()))
    for window in a_window(qapp, qtbot, size=SIZE):
        open_in_window(window, write_sample_benchmark(tmp_path / "contest"), qtbot)
        keys = Keyboard(window, qtbot)
        start_site(keys, tmp_path / "site")
        qtbot.waitUntil(lambda window=window: not window.session.tasks.is_busy(SITE_TASK))
        keys.tab_to_text("Open")
        keys.press(KEY.Key_Space)
    assert shown == [str(tmp_path / "site/index.html")]


def test_a_site_is_cancelled(opened, keys, tmp_path, monkeypatch):
    def images(paths, checkpoint, progress):
        while True:
            progress(41, 96, "page")
            checkpoint()
            time.sleep(0.01)
        yield

    monkeypatch.setattr(site_export, "no_images", images)
    start_site(keys, tmp_path / "site")
    keys.qtbot.waitUntil(opened.statusBar().busy.isVisible)
    keys.tab_to(lambda one: one.accessibleName().startswith("Cancel: Contest site"))
    keys.press(KEY.Key_Space)
    assert not opened.session.tasks.is_busy(SITE_TASK)
    keys.qtbot.waitUntil(lambda: not list(tmp_path.iterdir()))


def test_a_raw_folder_is_opened_saved_and_opened_again(qapp, qtbot, tmp_path, monkeypatch):
    folder = write_sample_benchmark(tmp_path / "contest", manifest=False)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "contest.shrec"), ""))
    settings = tmp_path / "settings.ini"
    for window in a_window(qapp, qtbot, settings, SIZE):
        keys = Keyboard(window, qtbot)
        keys.tab_to_text("Open a benchmark…")
        keys.press(KEY.Key_Space)
        qtbot.waitUntil(lambda window=window: window.session.is_open)
        keys.settle()
        keys.tab_to_widget(window.workspace.ranked_list.grid)
        keys.press(KEY.Key_Home, KEY.Key_0)
        keys.settle()
        assert window.session.edits.edited.levels
        keys.press(KEY.Key_S, modifier=CTRL)
        keys.settle()
        assert window.projects.path == tmp_path / "contest.shrec"
        keys.press(KEY.Key_Q, modifier=CTRL)
        qtbot.waitUntil(lambda window=window: not window.isVisible())
    for window in a_window(qapp, qtbot, settings, SIZE):
        keys = Keyboard(window, qtbot)
        keys.tab_to(lambda one: one.accessibleName().startswith("contest.shrec") or "contest.shrec" in _texts(one)[0])
        keys.press(KEY.Key_Space)
        qtbot.waitUntil(lambda window=window: window.session.is_open)
        keys.settle()
        assert window.session.edits.edited.levels
