"""A benchmark in which every text is markup that opens a file: nothing opens it, and the text is seen as typed.

The file is watched by the operating system, so that opens by Qt's C++ code count.
"""

import csv
import io
import json
import re
import sys
from xml.etree import ElementTree

import pytest
from canary import Canary
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QDesktopServices, QGuiApplication, QHelpEvent, QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFileDialog,
    QGraphicsTextItem,
    QGraphicsView,
    QInputDialog,
    QLabel,
    QMainWindow,
    QMenu,
    QMessageBox,
    QTextBrowser,
    QToolTip,
    QWidget,
)
from sessions import settle
from shared_windows import SharedWindow
from shiboken6 import isValid
from windows import a_window, open_in_window

from shrec_viewer.app.commands import edit as edit_commands
from shrec_viewer.content.contents import build_chart
from shrec_viewer.formats.manifest.project import read_project
from shrec_viewer.panels import PANELS, PERSPECTIVES, panels_by_key
from shrec_viewer.panels.export.content import built_table
from shrec_viewer.panels.files.findings import FileExcerptDialog
from shrec_viewer.panels.plots.plot_panel import PlotPanel
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.report.figures.rendering import figure_bytes
from shrec_viewer.report.tables.formats import table_bytes
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.widgets.controls.plain_text import shorten_name
from shrec_viewer.widgets.tables.score_table import ScoreTable

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is of Linux"),
    pytest.mark.qt_log_ignore("This plugin does not support", extend=True),
]

STEP = 24
"""Pixels between two positions at which tooltips are opened: less than the height of a row."""

ENDING = {"quit", "close", "open_folder", "open_file", "open_demo", "reload", "full_screen", "log"}
"""Commands that close the benchmark, or only affect the screen."""


@pytest.fixture(scope="module")
def canary(qapp):
    watched = Canary()
    yield watched
    watched.close()


def write_hostile(folder, mark, starts=("",)):
    """Eight models in two classes, three runs; every name begins with one of `starts` and ends with the markup."""

    def name(text, number=0):
        return f"{starts[number % len(starts)]}{text}{mark}"

    models = [name(f"m{number}", number) for number in range(8)]
    classes = [name("class0", 2), name("class1", 3)]
    participants = [name("p0", 1), name("p1", 2)]
    (folder / "models").mkdir(parents=True)
    (folder / "runs").mkdir()
    for number, model in enumerate(models):
        (folder / "models" / f"{model}.off").write_text(f"OFF\n3 1 0\n0 0 0\n1 0 0\n0 {number + 1} 0\n3 0 1 2\n")
    (folder / "models" / f"{name('broken')}.off").write_text("OFF\n9 9 9\n0 0\n")
    (folder / f"{name('odd', 1)}.foo").write_bytes(b"\x00\x01")
    with (folder / f"classes{mark}.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("id", "class"), *((model, classes[n % 2]) for n, model in enumerate(models))])
    parts = []
    for run in range(3):
        run_name = name(f"r{run}", run)
        with (folder / "runs" / f"{run_name}.csv").open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(("query", "model", "distance"))
            for n, query in enumerate(models[: 8 - run]):
                others = [models[(n * (1 + run) + step * (1 + 2 * run)) % 8] for step in range(8)]
                rows.writerows((query, model, f"{place / 10}") for place, model in enumerate(others))
            rows.writerow((models[0], f"unknown{mark}", "0.95"))
        parts.append(
            f"[[runs]]\nname = '{run_name}'\nparticipant = '{participants[run % 2]}'\npath = 'runs/{run_name}.csv'\n"
        )
    (folder / "benchmark.toml").write_text(
        f"[benchmark]\nname = '{name('bench', 3)}'\nprofile = 'shrec2006'\n'{name('key')}' = 1\n"
        f"[collection]\nmodels = 'models'\nclassification = 'classes{mark}.csv'\n"
        "[assessment]\nderive = 'classes'\n" + "".join(parts)
    )
    return folder


class Viewer:
    """Looks at everything in the window, and records what opens the file or shows another text than typed."""

    def __init__(self, canary, qtbot):
        self.canary, self.mark = canary, canary.markup
        self.opened, self.wrong = [], []
        self.seen = 0
        self.window = None  # the only main window to look at; None for all
        self._qtbot = qtbot

    def check(self):
        """Fail if anything opened the file, or was shown otherwise than typed."""
        assert not self.opened, "\n".join(sorted(set(self.opened)))
        assert not self.wrong, "\n".join(sorted(set(self.wrong)))

    def look_at_menu(self, place, menu):
        """Check the texts of a menu."""
        QApplication.processEvents()
        self._check_texts(place, (menu, *menu.findChildren(QWidget)))
        if self.canary.times_opened():
            self.opened.append(place)

    def look(self, place, widget=None):
        """Check all texts, and the tooltips at positions in a widget."""
        QApplication.processEvents()
        self._check_texts(place, self._widgets())
        if widget is not None:
            self._open_tooltips(place, widget)
        if self.canary.times_opened():
            self.opened.append(place)

    def _open_tooltips(self, place, widget):
        if isinstance(widget, QMenu):
            points = [widget.actionGeometry(action).center() for action in widget.actions()]
        else:
            size = widget.size()
            points = [QPoint(x, y) for y in range(3, size.height(), STEP) for x in range(3, size.width(), STEP)]
        for point in points:
            target = widget.childAt(point) or widget
            at = target.mapFrom(widget, point) if target is not widget else point
            QToolTip.hideText()
            event = QHelpEvent(QEvent.Type.ToolTip, at, target.mapToGlobal(at))
            QApplication.sendEvent(target, event)
            if self.canary.times_opened():
                self.opened.append(f"{place}: tooltip of {type(target).__name__} '{QToolTip.text()[:60]}'")
            text = QToolTip.text()
            if "canary" in text:
                self.seen += 1
                if Qt.mightBeRichText(text):
                    document = QTextDocument()
                    document.setHtml(text)
                    text = document.toPlainText()
                if self.mark not in text.replace("\n", ""):
                    self.wrong.append(f"{place}: tooltip of {type(target).__name__} '{text[:200]}'")
        QToolTip.hideText()

    def _widgets(self):
        """Main window, visible dialogs and menus, with their children."""
        for top in QApplication.topLevelWidgets():
            if top.isVisible() and (self.window in (None, top) or not isinstance(top, QMainWindow)):
                yield from (top, *top.findChildren(QWidget))

    def _check_texts(self, place, widgets):
        for widget in widgets:
            if (
                isinstance(widget, QLabel)
                and "canary" in widget.text()
                and widget.metaObject().className() != "QTipLabel"
            ):
                self.seen += 1
                is_plain = widget.textFormat() == Qt.TextFormat.PlainText
                if not is_plain or self.mark not in widget.text():
                    self.wrong.append(f"{place}: {type(widget).__name__} '{widget.text()}'")
            elif isinstance(widget, QAbstractButton):
                self._check_mnemonics(place, widget.text())
            elif isinstance(widget, QTextBrowser) and "canary" in widget.toHtml():
                self.seen += 1
                if self.mark not in widget.toPlainText():
                    self.wrong.append(f"{place}: page '{widget.toPlainText()}'")
            elif isinstance(widget, QGraphicsView):
                for item in widget.items():
                    if isinstance(item, QGraphicsTextItem) and "canary" in item.toHtml():
                        self.seen += 1
                        if self.mark not in item.toPlainText():
                            self.wrong.append(f"{place}: text of a graph '{item.toPlainText()}'")
            for action in widget.actions():
                self._check_mnemonics(place, action.text())

    def _check_mnemonics(self, place, text):
        if "&#47;" in text.replace("&&", ""):
            self.wrong.append(f"{place}: '{text}' of a menu or button")


@pytest.fixture
def viewer(canary, qtbot):
    return Viewer(canary, qtbot)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, canary):
    return write_hostile(tmp_path_factory.mktemp("text") / f"hostile{canary.markup}", canary.markup)


@pytest.fixture
def saved(monkeypatch, tmp_path):
    """Answers of file dialogs: files to write are in this folder, nothing is opened."""
    out = tmp_path / "saved"
    out.mkdir()

    def save_name(*args, **_):
        kinds = [kind for kind in (".shrec", ".csv", ".png", ".svg", ".txt") if any(kind in str(arg) for arg in args)]
        return str(out / f"file{len(list(out.iterdir()))}{(kinds or ['.txt'])[0]}"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", save_name)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_, **__: ("", ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_, **__: "")
    monkeypatch.setattr(QInputDialog, "getInt", lambda *_, **__: (2, True))
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda *_: True)
    monkeypatch.setattr(edit_commands, "choose_colour", lambda *_: "#123456")
    return out


def hostile_window(app, bot, settings, folder):
    for made in a_window(app, bot, settings, size=(1400, 900), pictures=True):
        open_in_window(made, folder, bot)
        yield made


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot, tmp_path_factory, folder):
    for made in hostile_window(qapp, module_qtbot, tmp_path_factory.mktemp("text") / "settings.ini", folder):
        yield SharedWindow(made, module_qtbot)


def test_the_watch_notices_rich_text(canary, qtbot):
    label = QLabel(f"A{canary.markup}")
    qtbot.addWidget(label)
    label.grab()
    assert canary.times_opened() >= 1


def visit_panels(window, qtbot):
    """Show each panel, yielding its place and widget; those of several perspectives once."""
    space, visited = window.workspace, set()
    for perspective in PERSPECTIVES:
        space.show_perspective(perspective.key)
        qtbot.waitUntil(lambda: space.perspective_window.is_complete)
        for panel in PANELS:
            if panel.key in visited:
                continue
            if panel.area == "centre" and perspective.key not in panels_by_key()[panel.dock].perspectives:
                continue
            visited.add(panel.key)
            space.show_panel(panel.key)
            settle(window.session, qtbot)
            yield f"{perspective.key}/{panel.key}", space.existing_panel(panel.key)
        yield perspective.key, window
    assert visited == {panel.key for panel in PANELS}


def edit(window, qtbot, mark):
    """Write notes, and select two runs and a rank."""
    session, benchmark = window.session, window.session.benchmark
    assert all(mark in run.name and mark in run.participant for run in benchmark.runs)
    assert all(mark in name for name in (*benchmark.collection.ids, *benchmark.classification.names, benchmark.name))
    assert any(mark in finding.message + finding.file for finding in benchmark.findings)
    for query in range(3):
        session.edits.set_note(benchmark.queries.ids[query], f"note{mark}")
    session.select(run=0, compared=1, query=0, rank=2)
    settle(session, qtbot)


@pytest.fixture
def edited(shared, saved, qtbot, canary):
    """The window that the tests share, in its first state, with edits."""
    window = shared.reset(qtbot)
    edit(window, qtbot, canary.markup)
    return window


def test_no_panel_or_tooltip_interprets_texts(edited, viewer, qtbot):
    n_texts = 0
    for place, widget in visit_panels(edited, qtbot):
        before = viewer.seen
        viewer.look(place)
        n_texts += viewer.seen - before
        if widget is not edited or place == PERSPECTIVES[0].key:  # bars and title bars: the same in all perspectives
            viewer.look(place, widget)
    assert n_texts > 20
    assert viewer.seen > 100
    viewer.check()
    assert shorten_name(edited.session.benchmark.name) in edited.windowTitle()


def close_popups():
    while (popup := QApplication.activePopupWidget()) is not None and popup.isVisible():
        popup.close()
    for top in QApplication.topLevelWidgets():
        if top.isVisible() and hasattr(top, "reject"):
            top.reject()


DIALOGS = {
    "AboutDialog", "AddMeasureDialog", "CommandPalette", "ImportDialog", "HelpWindow", "PreferencesDialog",
    "ShortcutsDialog",
}  # fmt: skip


def test_no_message_interprets_texts(edited, viewer, qtbot):
    session, mark = edited.session, viewer.mark
    for severity in ("info", "warning", "error"):
        edited.show_message(severity, f"text{mark}", f"details{mark}")
        viewer.look(severity)
    edited.show_error_dialog(f"text{mark}", f"details{mark}")
    viewer.look("error dialog")
    close_popups()
    path = next((session.benchmark.root / "runs").iterdir())
    excerpt = FileExcerptDialog(session, edited)
    excerpt.show_lines(path, 3, f"finding{mark}")
    settle(session, qtbot)
    assert mark in excerpt.lines.toPlainText()
    viewer.look("excerpt")
    edited.close()
    box = edited.findChild(QMessageBox)
    assert box.isVisible()
    assert mark in box.text()
    viewer.look("unsaved edits")
    close_popups()
    viewer.check()


def test_no_context_menu_interprets_texts(edited, viewer, qtbot):
    menus = set()
    for perspective in PERSPECTIVES:
        edited.workspace.show_perspective(perspective.key)
        qtbot.waitUntil(lambda: edited.workspace.perspective_window.is_complete)
        for widget in edited.findChildren(QWidget):
            if not isValid(widget) or not widget.isVisible() or widget.width() < 60 or widget.height() < 20:
                continue
            for point in (QPoint(50, 15), widget.rect().center()):
                where = widget.mapToGlobal(point)
                QApplication.sendEvent(widget, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, where))
                popup = QApplication.activePopupWidget()
                if isinstance(popup, QMenu):
                    viewer.look_at_menu(f"{perspective.key}: menu of {type(widget).__name__}", popup)
                    menus.add(tuple(action.text() for action in popup.actions()))
                close_popups()
                if not isValid(widget):
                    break
        viewer.look(perspective.key)
    assert len(menus) > 8
    assert sum("#47;tmp" in "".join(texts) for texts in menus) > 3
    viewer.check()


def test_exports_contain_the_text_as_typed(edited, viewer, qtbot, tmp_path):
    session, mark, out = edited.session, viewer.mark, tmp_path / "out"
    out.mkdir()
    for key in ("precision_recall", "gain", "generality"):
        edited.workspace.show_panel(key)
        panel = edited.workspace.existing_panel(key)
        settle(session, qtbot)
        figure = build_chart(content_data(session), panel.export().figure)
        for form in ("svg", "pdf", "png"):
            (out / f"{key}.{form}").write_bytes(figure_bytes(figure, form))
        (out / f"{key}.csv").write_bytes(table_bytes(panel.value_table(), "csv"))
    edited.workspace.show_panel("findings")
    findings = edited.workspace.existing_panel("findings")
    exported = findings.export().table
    for suffix, form in (("txt", "table"), ("csv", "csv"), ("json", "json")):
        table = built_table(exported, content_data(session), lambda: False)
        (out / f"findings.{suffix}").write_bytes(table_bytes(table, form))
    settle(session, qtbot)
    for path in out.glob("*.svg"):
        texts = ["".join(element.itertext()) for element in ElementTree.parse(path).iter() if "text" in element.tag]
        assert any(text.startswith("r0<img src=") for text in texts), path
    assert mark in (out / "precision_recall.csv").read_text(encoding="utf-8")
    for suffix in ("txt", "csv"):
        assert mark in (out / f"findings.{suffix}").read_text(encoding="utf-8")
    document = json.loads((out / "findings.json").read_text(encoding="utf-8"))
    assert any(mark in str(row) for row in document["rows"])
    edited.projects.write(out / "a.shrec")
    settle(session, qtbot)
    assert set(read_project(out / "a.shrec").edits.notes.values()) == {f"note{mark}"}
    viewer.look("exports")
    viewer.check()


def test_no_command_or_dialog_interprets_texts(qapp, qtbot, tmp_path, folder, viewer, saved):
    """In a window of its own: commands change settings, dialogs and the layout."""
    seen = set()
    for window in hostile_window(qapp, qtbot, tmp_path / "settings.ini", folder):
        edit(window, qtbot, viewer.mark)
        viewer.window = window
        for key, action in list(window.menus.actions.items()):
            if key in ENDING or not action.isEnabled():
                continue
            action.trigger()
            settle(window.session, qtbot)
            dialogs = {
                type(top).__name__ for top in QApplication.topLevelWidgets() if top is not window and top.isVisible()
            }
            seen |= dialogs
            viewer.look(f"{key}: {dialogs or 'no dialog'}")
            close_popups()
    assert seen >= DIALOGS
    assert {path.suffix for path in saved.iterdir()} >= {".shrec"}
    viewer.check()


def is_formula(cell):
    try:
        float(cell)
    except ValueError:
        return cell.startswith(tuple("=+-@\t\r\n"))
    return False


STARTS = ("=", "+", "-", "@")
"""Characters with which a cell is a formula in spreadsheets."""

NAME = re.compile(r"[=+@-](m|r|p|class|bench|key|odd|broken)")
"""Start of a name of the benchmark."""


def test_no_exported_or_copied_table_has_formulas(qapp, qtbot, tmp_path):
    folder = write_hostile(tmp_path / "=folder", "", STARTS)
    for window in a_window(qapp, qtbot, tmp_path / "settings.ini"):
        open_in_window(window, folder, qtbot)
        session, space, tables = window.session, window.workspace, {}
        session.select(run=0, compared=1, query=0, rank=2)
        settle(session, qtbot)
        assert [run.name[0] for run in session.benchmark.runs] == list(STARTS[:3])
        for place, panel in visit_panels(window, qtbot):
            for view in panel.findChildren(ScoreTable):
                tables[f"{place} tsv"] = view.tsv()
            exported = panel.export().table if isinstance(panel, RequestPanel) else None
            if exported is not None:
                table = built_table(exported, content_data(session), lambda: False)
                tables[f"{place} csv"] = table_bytes(table, "csv").decode()
            if isinstance(panel, PlotPanel):
                tables[f"{place} copied"] = table_bytes(panel.value_table(), "tabs").decode()
        space.show_perspective("query")
        results = space.existing_panel("ranked_list")
        settle(session, qtbot)
        results.grid.selectAll()
        results.copy_rows()
        tables["cards"] = QGuiApplication.clipboard().text()
        tables["findings tsv"] = space.existing_panel("findings").model.copied()
        n_names = dict.fromkeys(STARTS, 0)
        for place, text in tables.items():
            assert NAME.search(text) or place.endswith("csv"), place  # some exported tables have no names, or no rows
            for row in csv.reader(io.StringIO(text, newline=""), delimiter="," if place.endswith("csv") else "\t"):
                assert not any(map(is_formula, row)), (place, row)
                for start in STARTS:
                    n_names[start] += any(cell.startswith(f"'{start}") for cell in row)
        assert min(n_names.values()) > 10, n_names
