"""Copy, Export… and Copy as command of every panel, by mouse and keyboard; the command writes the same bytes."""

import gc
import shlex
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from platformdirs import user_data_path
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMenu, QToolButton, QWidget
from pytestqt.exceptions import capture_exceptions
from sample_benchmark import write_sample_benchmark
from sessions import a_session, open_in, settle
from shiboken6 import isValid

from shrec_viewer.cli import main
from shrec_viewer.content.contents import build_chart
from shrec_viewer.content.request import Request
from shrec_viewer.evaluation.run_versions import stored_folder
from shrec_viewer.panels import PANELS, Panel
from shrec_viewer.panels.export import dialog as dialog_module
from shrec_viewer.panels.export import panel_export
from shrec_viewer.panels.export.content import ExportContent, NoCommandError, figure_file
from shrec_viewer.panels.export.dialog import DRAWING, FIGURE, TABLE, ExportDialog
from shrec_viewer.panels.export.drawing import record_drawing
from shrec_viewer.panels.export.panel_export import PanelExport
from shrec_viewer.report.tables.formats import TABLE_FORMATS
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.viewmodels.files.run_submission import remove_runs
from shrec_viewer.widgets.controls.context_menu import ContextMenu, panel_actions
from shrec_viewer.widgets.style.theme import LIGHT, apply_theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


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


def prepare(session, panel, settled):
    """Select a query and runs, and make what the panel shows."""
    count = len(session.benchmark.runs)
    shown = range(count) if panel.key != "missed" else [count - 1]  # which does not find every relevant model
    session.select(query=1, run=1, compared=0, rank=2, shown_runs=list(shown))
    if panel.key == "edits" and not session.edits.levels:
        session.edits.set_level(0, [3, 4], 2)
        session.edits.set_level(1, [7], 1, "a reason, with a comma")
        settled()
    if panel.key == "history":
        session.versions.folder = stored_folder(user_data_path("shrec-viewer", appauthor=False))
        session.versions._record()
        settled()


@pytest.fixture
def scene(opened, settled, show):
    """A panel as a window with its export."""

    def make(panel):
        prepare(opened, panel, settled)
        widget = show(panel.factory(opened))
        export = PanelExport(opened, panel, widget)
        settled()
        return export, widget

    return make


@pytest.fixture(scope="module")
def module_session(module_qtbot, tmp_path_factory):
    """The sample benchmark for the tests of every panel."""
    for session in a_session():
        folder = write_sample_benchmark(tmp_path_factory.mktemp("panel_export") / "sample_benchmark")
        yield open_in(session, folder, module_qtbot)


@pytest.fixture(scope="module", params=PANELS, ids=lambda panel: panel.key)
def every_scene(request, module_session, module_qtbot):
    """Each panel as a window with its export; tests leave it as it is."""
    session, panel = module_session, request.param
    settled = partial(settle, session, module_qtbot)
    apply_theme(QApplication.instance(), LIGHT)
    prepare(session, panel, settled)
    widget = panel.factory(session)
    widget.resize(820, 460)
    widget.show()
    module_qtbot.waitExposed(widget)
    export = PanelExport(session, panel, widget)
    settled()
    yield panel, export, widget
    widget.close()
    widget.deleteLater()
    module_qtbot.waitUntil(lambda: not isValid(widget))
    session.edits.stack.setIndex(0)
    settled()


@pytest.fixture
def without_previews(monkeypatch):
    """Dialogs without previews of figures, which take most of the time; a test of every panel draws them."""
    monkeypatch.setattr(dialog_module, "_preview_figure_work", lambda *_: b"")


@contextmanager
def recorded(*signals):
    """First arguments of these signals."""
    texts = []

    def add(text, *_):
        texts.append(text)

    for signal in signals:
        signal.connect(add)
    yield texts
    for signal in signals:
        signal.disconnect(add)


def trigger(menu: QMenu, text: str) -> None:
    """Click an entry of an open menu with the mouse."""
    action = next(action for action in menu.actions() if action.text().replace("&", "").startswith(text))
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())


def panel_menu(widget: QWidget) -> QMenu:
    """The menu that a panel without menus of its own opens for a right click."""
    menu = ContextMenu(widget)
    menu.popup(widget.mapToGlobal(QPoint(5, 5)))
    return menu


def test_the_three_entries_work_by_mouse(every_scene, qtbot, monkeypatch):
    panel, export, widget = every_scene
    session = export._session
    # The resolution of publishers takes three times as long.
    monkeypatch.setattr(panel_export, "figure_file", partial(figure_file, dpi=60))
    assert [action.text() for action in panel_actions(widget)] == ["&Copy", "&Export…", "Copy as co&mmand"]
    if export.content().figure is None:
        assert len(record_drawing(widget, panel.title).parts) > 1  # 1: an image, where a part cannot be recorded
    with recorded(session.done, session.failed) as said:
        trigger(panel_menu(widget), "Copy")
        settle(session, qtbot)
    assert [text for text in said if text.startswith(f"{panel.title} copied")], said
    data = QGuiApplication.clipboard().mimeData()
    assert data.hasImage()
    assert not data.hasHtml()
    content = export.content()
    assert data.hasText() == (content.table is not None)
    trigger(panel_menu(widget), "Export")
    dialog = export.dialog
    settle(session, qtbot)
    assert dialog._pixmap.isNull() == (dialog.preview.currentWidget() is dialog.text)
    assert dialog.isVisible()
    assert panel.title in dialog.windowTitle()
    assert dialog.sizeHint().width() <= 1280
    assert dialog.sizeHint().height() <= 720
    dialog.reject()


NO_COMMAND = ("notes", "tasks")
"""Panels that show no data of the benchmark."""


def test_the_copied_command_writes_what_the_panel_exports(every_scene, qtbot, tmp_path, monkeypatch, without_previews):
    panel, export, widget = every_scene
    QGuiApplication.clipboard().clear()
    with recorded(export._session.failed) as failures:
        trigger(panel_menu(widget), "Copy as command")
    if panel.key in NO_COMMAND:
        assert failures == [f"No command repeats {panel.title}: no command writes what it shows; Export… does"]
        return
    assert failures == []
    words = shlex.split(QGuiApplication.clipboard().text())
    assert words[0] == "shrec-viewer"
    monkeypatch.chdir(tmp_path)
    assert main(words[1:]) == 0
    if words[1] == "correlate":
        return  # it prints its own tables
    name = next(word for word in words if word.startswith("--output=")).removeprefix("--output=")
    export.open_dialog()
    dialog = export.dialog
    is_figure = words[1] == "figure"
    assert dialog.what.current == (FIGURE if is_figure else TABLE)
    dialog.form.setCurrentIndex(dialog.form.findData("pdf" if is_figure else "csv"))
    dialog.save(tmp_path / "window")
    settle(export._session, qtbot)
    dialog.reject()
    written = (tmp_path / "window").read_bytes()
    assert (tmp_path / name).read_bytes() == written
    assert len(written) > 40


def test_a_second_click_on_what_is_exported_keeps_the_format(scene, qtbot):
    export, _widget = scene(next(panel for panel in PANELS if panel.key == "leaderboard"))
    export.open_dialog()
    dialog = export.dialog
    qtbot.mouseClick(dialog.what.button(TABLE), Qt.MouseButton.LeftButton)
    dialog.form.setCurrentIndex(dialog.form.findData("json"))
    qtbot.mouseClick(dialog.what.button(TABLE), Qt.MouseButton.LeftButton)
    assert dialog.format == "json"
    dialog.reject()


@pytest.mark.parametrize("key", ["robustness", "edits"])
def test_further_tables_of_a_panel_have_commands(key, scene, settled, tmp_path, monkeypatch, without_previews):
    export, _widget = scene(next(panel for panel in PANELS if panel.key == key))
    monkeypatch.chdir(tmp_path)
    export.open_dialog()
    dialog = export.dialog
    dialog.set_name("table")
    assert export.content().tables
    for label in export.content().tables:
        dialog.what.button(f"{TABLE} {label}").click()
        dialog.form.setCurrentIndex(dialog.form.findData("csv"))
        dialog.save(tmp_path / "window")
        settled()
        dialog.command_button.click()
        assert main(shlex.split(QGuiApplication.clipboard().text())[1:]) == 0
        assert (tmp_path / "table.csv").read_bytes() == (tmp_path / "window").read_bytes(), label
    dialog.reject()


def test_edits_colours_and_hidden_runs_are_in_the_copied_command(
    scene, opened, settled, tmp_path, monkeypatch, without_previews
):
    """What only the window has: levels edited in it, colours that the user chose, and runs that are hidden."""
    relevant = opened.benchmark.assessment.relevant(1)[0].tolist()
    others = [model for model in range(len(opened.benchmark.collection)) if model not in relevant]
    opened.edits.set_level(1, others[:2], 2, "seen on paper")
    settled()
    opened.edits.set_colour("A1", "#123456")
    opened.edits.toggle_run(2)
    monkeypatch.chdir(tmp_path)
    for key in ("precision_recall", "significance", "leaderboard", "ranked_list"):
        export, _widget = scene(next(panel for panel in PANELS if panel.key == key))
        QGuiApplication.clipboard().clear()
        export.copy_command()
        words = shlex.split(QGuiApplication.clipboard().text())
        (edits,) = [word.removeprefix("--edits=") for word in words if word.startswith("--edits=")]
        assert '"seen on paper"' in Path(edits).read_text(encoding="utf-8")
        assert "--show=before-edits" not in words, "only where it is chosen"
        if words[1] == "figure" and key != "ranked_list":
            assert [word for word in words if word.startswith("--style=A1=#123456")]
        assert main(words[1:]) == 0
        form = "pdf" if words[1] == "figure" else "csv"
        dialog = ExportDialog(_widget, opened, "panel", export.content(), _widget)
        dialog.form.setCurrentIndex(dialog.form.findData(form))
        dialog.save(tmp_path / "window")
        settled()
        name = next(word for word in words if word.startswith("--output=")).removeprefix("--output=")
        assert (tmp_path / name).read_bytes() == (tmp_path / "window").read_bytes(), key
        dialog.deleteLater()
    assert [word for word in shlex.split(export.command(export.content())) if word.startswith("--edits=")]
    opened.edits.stack.undo()
    opened.edits.stack.undo()
    opened.edits.stack.undo()
    settled()
    assert "--edits" not in export.command(export.content())


def test_runs_that_no_command_reads_are_a_message(scene, opened, settled, without_previews):
    export, _widget = scene(next(panel for panel in PANELS if panel.key == "leaderboard"))
    failures = []
    opened.failed.connect(lambda text, _details: failures.append(text))
    remove_runs(opened, [2])
    settled()
    export.copy_command()
    assert len(failures) == 1
    assert "save the project, open it" in failures[0]
    with pytest.raises(NoCommandError):
        export.command(export.content())
    export.open_dialog()
    settled()
    assert not export.dialog.command_button.isEnabled()
    assert export.dialog.export_button.isEnabled()
    export.dialog.reject()


def test_none_shown_and_all_choose_the_names_of_a_list(scene, opened, settled, without_previews):
    export, widget = scene(next(panel for panel in PANELS if panel.key == "leaderboard"))
    hidden = widget.shown_measures()[-1]
    widget.columns.set_hidden([hidden])
    settled()
    export.open_dialog()
    dialog = export.dialog
    settled()
    box = dialog.controls["measures"]
    shown = widget.shown_measures()
    buttons = {one.text(): one for one in box.parentWidget().findChildren(QToolButton)}
    assert list(buttons) == ["None", "Shown", "All"]
    assert box.checked == shown
    rows = [box.visualItemRect(box.item(row)) for row in range(3)]
    assert [row.top() - rows[0].top() for row in rows] == [0, rows[0].height(), 2 * rows[0].height()]
    buttons["All"].click()
    assert set(box.checked) == {*shown, hidden} == {measure.key for measure in opened.scores.measures}
    assert set(dialog.source.measures) == {*shown, hidden}
    buttons["None"].click()
    assert (box.checked, dialog.export_button.isEnabled()) == ((), False)
    buttons["Shown"].click()
    assert dialog.source.measures == shown
    assert dialog.export_button.isEnabled()
    dialog.reject()


WITH_TABLE_COMMAND = ("ranked_list", "heat_map", "leaderboard", "measures", "findings", "suspects", "model")
"""Panels whose tables are compared in all formats."""


@pytest.mark.parametrize("key", WITH_TABLE_COMMAND)
def test_the_copied_command_writes_the_bytes_of_the_window(
    key, scene, settled, tmp_path, monkeypatch, without_previews
):
    panel = next(panel for panel in PANELS if panel.key == key)
    export, _widget = scene(panel)
    assert isinstance(export.content().table, Request)
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


FIGURE_PANELS = (
    "heat_map",
    "gain_loss",
    "significance",
    "confusion",
    "precision_recall",
    "gain",
    "generality",
    "ranked_list",
)


@pytest.mark.parametrize("key", FIGURE_PANELS)
def test_the_copied_command_draws_the_figure_of_the_window(
    key, scene, settled, tmp_path, monkeypatch, without_previews
):
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
    seen, made = widget.shown_plot, build_chart(content_data(export._session), export.content().figure)
    assert (made.title, made.axes.x_label, made.axes.y_label, made.axes.x_ticks) == (
        seen.title,
        seen.axes.x_label,
        seen.axes.y_label,
        seen.axes.x_ticks,
    )
    assert (*made.axes.x_range, *made.axes.y_range) == pytest.approx(np.concatenate(widget.plot.view_range()))
    visible = widget.visible_curves()
    assert [curve.label for curve in made.curves] == [curve.label for curve in visible]
    for one, other in zip(made.curves, visible, strict=True):
        np.testing.assert_array_equal((one.x, one.y), (other.x, other.y))
        assert (one.colour, one.dash, one.marker, one.emphasis) == (
            other.colour,
            other.dash,
            other.marker,
            other.emphasis,
        )
    for one, other in zip(made.references.lines, seen.references.lines, strict=True):
        np.testing.assert_array_equal((one.x, one.y), (other.x, other.y))
        assert (one.token, one.dash, one.mark, one.width) == (other.token, other.dash, other.mark, other.width)


@pytest.mark.parametrize("key", ["precision_recall", "gain", "generality", "family"])
def test_the_requested_figure_has_the_curves_before_edits(key, scene, opened, settled):
    export, widget = scene(next(panel for panel in PANELS if panel.key == ("generality" if key == "family" else key)))
    relevant = opened.benchmark.assessment.relevant(1)[0].tolist()
    others = [model for model in range(len(opened.benchmark.collection)) if model not in relevant]
    opened.edits.set_level(1, others[:2], 2)
    if key == "family":
        widget.select_kind("PR")
    settled()
    request = export.content().figure
    assert request.kind == key
    assert "--show=before-edits" not in request.arguments("figure"), "only where it is chosen in the dialog"
    request = replace(request, show=(*request.show, "before-edits"))
    seen, made = widget.references().lines, build_chart(content_data(opened), request).references.lines
    assert [line.label for line in made if line.in_legend] == [f"{opened.run.name} before the edits"]
    for one, other in zip(made, seen, strict=True):
        np.testing.assert_array_equal((one.x, one.y), (other.x, other.y))
        assert (one.token, one.dash, one.mark) == (other.token, other.dash, other.mark)


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
    assert not dialog.command_button.isEnabled()
    for form, start in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
        dialog.form.setCurrentIndex(dialog.form.findData(form))
        for name in ("one", "two"):
            dialog.save(tmp_path / f"{name}.{form}")
            settled()
        content = (tmp_path / f"one.{form}").read_bytes()
        assert content.startswith(start)
        assert content == (tmp_path / f"two.{form}").read_bytes()
    svg = (tmp_path / "one.svg").read_text()
    assert 'width="238.' in svg  # points: 84 mm
    assert "<dc:title>Label &amp; &lt;b&gt;more&lt;/b&gt;</dc:title>" in svg
    assert "&lt;b&gt;drawn" in svg  # text, not an image
    dialog.reject()


def test_names_are_those_of_panel_benchmark_measure_and_query(scene, opened):
    heat_map = next(panel for panel in PANELS if panel.key == "heat_map")
    export, _ = scene(heat_map)
    name = export.file_name(export.content())
    assert name.startswith("Heat-map_Menagerie")
    results = next(panel for panel in PANELS if panel.key == "ranked_list")
    export, _ = scene(results)
    content = export.content()
    assert content.names == (opened.benchmark.queries.ids[1], opened.run.name)


def test_hidden_runs_and_measures_are_chosen_in_the_dialog(scene, opened, settled, tmp_path):
    opened.select(means=True)
    export, _widget = scene(next(panel for panel in PANELS if panel.key == "leaderboard"))
    export.open_dialog()
    dialog = export.dialog
    assert isinstance(dialog.source, Request)
    all_runs = dialog.source.runs
    dialog.controls["runs"].item(1).setCheckState(Qt.CheckState.Unchecked)
    for row in range(2, dialog.controls["measures"].count()):
        dialog.controls["measures"].item(row).setCheckState(Qt.CheckState.Unchecked)
    dialog.controls["letters"].click()
    dialog.form.setCurrentIndex(dialog.form.findData("latex"))
    dialog.save(tmp_path / "runs.tex")
    settled()
    text = (tmp_path / "runs.tex").read_text()
    shown = [run for run in all_runs if f"    {run} & " in text]
    assert shown == [run for run in all_runs if run != all_runs[1]]
    assert text.count("textsuperscript") == 2 * len(shown)
    assert r"\underline{" in text
    assert "--letters" in dialog.command()
    for row in range(dialog.controls["runs"].count()):
        dialog.controls["runs"].item(row).setCheckState(Qt.CheckState.Unchecked)
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


def test_a_folder_that_cannot_be_written_is_one_message(scene, settled, tmp_path, without_previews):
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


ENTRIES = ["&Copy", "&Export…", "Copy as co&mmand"]


def opened_menu(widget: QWidget, point: QPoint) -> QMenu | None:
    """The menu that a right click at a point of a panel opens."""
    inner = widget.childAt(point) or widget
    inside = inner.mapFrom(widget, point)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, inside, inner.mapToGlobal(inside))
    QApplication.sendEvent(inner, event)
    found = [top for top in QApplication.topLevelWidgets() if isinstance(top, QMenu) and top.isVisible()]
    assert len(found) <= 1
    return found[0] if found else None


def test_a_right_click_opens_the_three_entries(every_scene, qtbot):
    _panel, _export, widget = every_scene
    width, height = widget.width(), widget.height()
    for x, y in ((0.5, 0.5), (0.03, 0.97), (0.97, 0.97), (0.5, 0.9), (0.2, 0.4)):
        point = QPoint(round(x * width), round(y * height))
        if isinstance(widget.childAt(point), QLabel | QLineEdit) and not isinstance(widget, QLabel):
            continue  # fields have the menu of their text
        menu = opened_menu(widget, point)
        assert menu is not None, (x, y)
        assert [action.text() for action in menu.actions() if action.text()][-3:] == ENTRIES, (x, y)
        menu.close()
