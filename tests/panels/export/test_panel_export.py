"""Copy, Export… and Copy as command of every panel, by mouse and keyboard; the command writes the same bytes."""

import gc
import shlex

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QWidget
from pytestqt.exceptions import capture_exceptions
from sessions import open_in

from shrec_viewer.cli import main
from shrec_viewer.panels import PANELS, Panel
from shrec_viewer.panels.export.content import ExportContent, figure_content, table_data
from shrec_viewer.panels.export.dialog import DRAWING, FIGURE, NO_PGF, TABLE, ExportDialog
from shrec_viewer.panels.export.panel_export import PanelExport
from shrec_viewer.report.tables.formats import TABLE_FORMATS
from shrec_viewer.report.tables.kinds import TableRequest
from shrec_viewer.widgets.controls.context_menu import ContextMenu, panel_actions

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

every_panel = pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.key)


class DrawnLabel(QLabel):
    """A panel of a plug-in that offers nothing to export."""

    def __init__(self, session):
        super().__init__("<b>drawn</b> by a plug-in")
        self.setTextFormat(Qt.TextFormat.PlainText)


PLUGIN = Panel("plugin_label", "Label & <b>more</b>", "right", DrawnLabel)


@pytest.fixture
def opened(session, sample_benchmark, qtbot):
    """The sample benchmark, whose figures and tables are small."""
    return open_in(session, sample_benchmark, qtbot)


@pytest.fixture
def scene(opened, settled, show):
    """A panel as a window with its export."""

    def make(panel):
        opened.select(query=1, run=1, compared=0, rank=2)
        widget = show(panel.factory(opened))
        export = PanelExport(opened, panel, widget)
        settled()
        return export, widget

    return make


def trigger(menu: QMenu, text: str) -> None:
    """Click an entry of an open menu with the mouse."""
    action = next(action for action in menu.actions() if action.text().replace("&", "").startswith(text))
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())


def panel_menu(widget: QWidget) -> QMenu:
    """The menu that a panel without menus of its own opens for a right click."""
    menu = ContextMenu(widget)
    menu.popup(widget.mapToGlobal(QPoint(5, 5)))
    return menu


@every_panel
def test_the_three_entries_work_by_mouse(panel, scene, settled, qtbot):
    export, widget = scene(panel)
    session = export._session
    assert [action.text() for action in panel_actions(widget)] == ["&Copy", "&Export…", "Copy as co&mmand"]
    said = []
    session.done.connect(said.append)
    session.failed.connect(lambda text, _details: said.append(text))
    trigger(panel_menu(widget), "Copy")
    settled()
    assert [text for text in said if text.startswith(f"{panel.title} copied")], said
    data = QGuiApplication.clipboard().mimeData()
    assert data.hasImage()
    assert not data.hasHtml()
    content = export.content()
    assert data.hasText() == (content.table is not None)
    trigger(panel_menu(widget), "Export")
    dialog = export.dialog
    settled()
    assert dialog.isVisible()
    assert panel.title in dialog.windowTitle()
    assert dialog.sizeHint().width() <= 1280
    assert dialog.sizeHint().height() <= 720
    dialog.reject()
    trigger(panel_menu(widget), "Copy as command")
    line = export.command(export.content())
    assert line == QGuiApplication.clipboard().text() if line else said[-1].startswith("No command repeats")


WITH_TABLE_COMMAND = (
    "results", "comparison", "heat_map", "queries", "contingency", "gain_loss", "leaderboard", "standings", "measures",
    "confusion", "practical", "findings",
)  # fmt: skip
"""Panels whose tables the command line repeats."""


@pytest.mark.parametrize("key", WITH_TABLE_COMMAND)
def test_the_copied_command_writes_the_bytes_of_the_window(key, scene, settled, tmp_path, monkeypatch):
    panel = next(panel for panel in PANELS if panel.key == key)
    export, _widget = scene(panel)
    assert isinstance(export.content().table, TableRequest)
    dialog = ExportDialog(_widget, export._session, panel.title, export.content(), _widget)
    dialog.set_name("table")
    dialog.what.set_current(TABLE)
    dialog._show_options()
    for form in TABLE_FORMATS:
        dialog.form.setCurrentIndex(dialog.form.findData(form))
        dialog.digits.setValue(4 if form == "latex" else -1)
        words = shlex.split(dialog.command())
        assert words[0] == "shrec-viewer"
        written = tmp_path / f"window{TABLE_FORMATS[form].suffix}"
        dialog.save(written)
        settled()
        monkeypatch.chdir(tmp_path)
        assert main(words[1:]) == 0
        assert (tmp_path / f"table{TABLE_FORMATS[form].suffix}").read_bytes() == written.read_bytes(), form
    dialog.deleteLater()


FIGURE_PANELS = ("heat_map", "gain_loss", "standings", "confusion", "precision_recall", "gain", "generality", "results")


@pytest.mark.parametrize("key", FIGURE_PANELS)
def test_the_copied_command_draws_the_figure_of_the_window(key, scene, settled, tmp_path, monkeypatch):
    panel = next(panel for panel in PANELS if panel.key == key)
    export, widget = scene(panel)
    dialog = ExportDialog(widget, export._session, panel.title, export.content(), widget)
    dialog.set_name("figure")
    assert dialog.what.current == FIGURE
    dialog.columns.setCurrentIndex(1)
    dialog.palette_box.setCurrentIndex(1)
    written = tmp_path / "window.svg"
    dialog.save(written)
    settled()
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(dialog.command())[1:]) == 0
    assert (tmp_path / "figure.svg").read_bytes() == written.read_bytes()
    dialog.deleteLater()


@pytest.mark.parametrize("means", [False, True])
@pytest.mark.parametrize("key", ["precision_recall", "gain", "generality"])
def test_the_requested_figure_is_the_plot_on_the_screen(key, means, scene, settled):
    export, widget = scene(next(panel for panel in PANELS if panel.key == key))
    export._session.select(means=means)
    export._session.edits.toggle_run(2)
    widget.plot._canvas.view_box().setRange(xRange=(0.5, 0.9), yRange=(0.2, 0.4), padding=0)
    settled()
    seen, made = widget.figure(), figure_content(export.content().figure, table_data(export._session), lambda: False)
    assert (made.title, made.x_label, made.y_label, made.x_ticks) == (
        seen.title,
        seen.x_label,
        seen.y_label,
        seen.x_ticks,
    )
    assert made.x_range == pytest.approx(seen.x_range)
    assert made.y_range == pytest.approx(seen.y_range)
    assert [line.label for line in made.lines] == [line.label for line in seen.lines]
    for one, other in zip((*made.lines, *made.references), (*seen.lines, *seen.references), strict=True):
        np.testing.assert_array_equal(one.x, other.x)
        np.testing.assert_array_equal(one.y, other.y)
        assert (one.colour, one.dash, one.marker, one.width) == (other.colour, other.dash, other.marker, other.width)


def test_a_panel_without_a_menu_opens_the_three_entries(scene, qtbot):
    _export, widget = scene(PLUGIN)
    place = widget.rect().center()
    for reason in (QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard):
        QApplication.sendEvent(widget, QContextMenuEvent(reason, place, widget.mapToGlobal(place)))
        menu = next(top for top in QApplication.topLevelWidgets() if isinstance(top, QMenu) and top.isVisible())
        entries = [action.text() for action in menu.actions() if action.text()]
        assert entries == ["&Copy", "&Export…", "Copy as co&mmand"]
        menu.close()


def test_events_of_a_destroyed_panel_are_ignored(opened):
    """The garbage collector clears the attributes of the event filter before it destroys the widget."""
    panel = QWidget()
    panel.export = PanelExport(opened, PANELS[0], panel)
    panel.show()
    del panel
    with capture_exceptions() as exceptions:
        gc.collect()
    assert exceptions == []


def test_a_plug_in_panel_is_exported_as_drawn(scene, settled, tmp_path):
    export, _widget = scene(PLUGIN)
    assert isinstance(export.content(), ExportContent)
    export.open_dialog()
    dialog = export.dialog
    assert dialog.what.current == DRAWING
    assert not dialog.command()
    for form, start in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
        dialog.form.setCurrentIndex(dialog.form.findData(form))
        for name in ("one", "two"):
            dialog.save(tmp_path / f"{name}.{form}")
            settled()
        content = (tmp_path / f"one.{form}").read_bytes()
        assert content.startswith(start)
        assert content == (tmp_path / f"two.{form}").read_bytes()
    svg = (tmp_path / "one.svg").read_text()
    assert 'width="84mm"' in svg
    assert "&lt;b&gt;drawn" in svg  # text, not an image
    dialog.form.setCurrentIndex(dialog.form.findData("pgf"))
    dialog.form.activated.emit(dialog.form.currentIndex())
    assert dialog.image.text() == NO_PGF
    assert not dialog.export_button.isEnabled()
    dialog.reject()


def test_names_are_those_of_panel_benchmark_measure_and_query(scene, opened):
    heat_map = next(panel for panel in PANELS if panel.key == "heat_map")
    export, _ = scene(heat_map)
    name = export.file_name(export.content())
    assert name.startswith("Heat-map_Menagerie")
    results = next(panel for panel in PANELS if panel.key == "results")
    export, _ = scene(results)
    content = export.content()
    assert content.names == (opened.benchmark.queries.ids[1], opened.run.name)


def test_hidden_runs_and_measures_are_chosen_in_the_dialog(scene, settled, tmp_path):
    export, _widget = scene(next(panel for panel in PANELS if panel.key == "leaderboard"))
    export.open_dialog()
    dialog = export.dialog
    assert isinstance(dialog.chosen_table(), TableRequest)
    all_runs = dialog.chosen_table().runs
    dialog.runs.item(1).setCheckState(Qt.CheckState.Unchecked)
    for row in range(2, dialog.measures.count()):
        dialog.measures.item(row).setCheckState(Qt.CheckState.Unchecked)
    dialog.letters.setChecked(True)
    dialog.form.setCurrentIndex(dialog.form.findData("latex"))
    dialog.save(tmp_path / "runs.tex")
    settled()
    text = (tmp_path / "runs.tex").read_text()
    shown = [run for run in all_runs if f"    {run} & " in text]
    assert shown == [run for run in all_runs if run != all_runs[1]]
    assert text.count("textsuperscript") == 2 * len(shown)
    assert r"\underline{" in text
    assert "--letters" in dialog.command()
    for row in range(dialog.runs.count()):
        dialog.runs.item(row).setCheckState(Qt.CheckState.Unchecked)
    assert not dialog.export_button.isEnabled()
    dialog.reject()


def test_a_figure_has_both_widths_and_its_values(scene, settled, tmp_path):
    export, _ = scene(next(panel for panel in PANELS if panel.key == "precision_recall"))
    export.open_dialog()
    dialog = export.dialog
    assert dialog.what.current == FIGURE
    settled()
    assert not dialog._pixmap.isNull()
    for row, size in enumerate(("84", "174")):
        dialog.columns.setCurrentIndex(row)
        dialog.form.setCurrentIndex(dialog.form.findData("svg"))
        dialog.save(tmp_path / f"{size}.svg")
        settled()
        points = float(size) / 25.4 * 72
        width = (tmp_path / f"{size}.svg").read_text().split('width="', 1)[1].split("pt", 1)[0]
        assert float(width) == pytest.approx(points, abs=0.5)
    dialog.reject()


def test_a_folder_that_cannot_be_written_is_one_message(scene, settled, tmp_path):
    export, _ = scene(next(panel for panel in PANELS if panel.key == "heat_map"))
    failures = []
    export._session.failed.connect(lambda text, details: failures.append(text))
    export.open_dialog()
    export.dialog.save(tmp_path / "absent" / "x.csv")
    settled()
    assert len(failures) == 1
    assert "folder that does not exist" in failures[0]
    assert not (tmp_path / "absent").exists()
    assert not list(tmp_path.rglob("x.csv*"))
    export.dialog.reject()
