"""An option set by code, control, project, command or export dialog is the same request and chart, in all panels."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial

import click
import numpy as np
import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QDoubleSpinBox, QListWidget, QSpinBox, QWidget
from sample_benchmark import write_sample_benchmark
from sessions import a_session, is_settled, open_in, settle
from shiboken6 import isValid

from shrec_viewer.app.window.project_files import PanelStates
from shrec_viewer.cli.content_options import requested
from shrec_viewer.cli.figure import figure_command
from shrec_viewer.cli.program import program
from shrec_viewer.cli.results import table_command
from shrec_viewer.content.contents import build_chart, build_table, content_of
from shrec_viewer.content.curves import curves_of
from shrec_viewer.content.request import Request
from shrec_viewer.formats.manifest.project import read_project, write_project
from shrec_viewer.panels import PANELS
from shrec_viewer.panels.export import dialog as dialog_module
from shrec_viewer.panels.export.content import NoCommandError, write_edits
from shrec_viewer.panels.export.dialog import ExportDialog
from shrec_viewer.panels.export.panel_export import PanelExport
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.viewmodels.session.project import snapshot
from shrec_viewer.widgets.controls.controls import SegmentedButtons

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

COMMANDS = {"figure": figure_command, "table": table_command}

TEXTS = {
    "participant": lambda session: ["A", ""],
    "sorted_by": lambda session: ["AP", "run", ""],
    "class_name": lambda session: [session.benchmark.classification.names[0], ""],
    "text": lambda session: ["1", ""],
    "values": lambda session: ["quality", ""],
    "level": lambda session: [1.0, None],
    "order": lambda session: ["order", "AP", ""],
    "sort_run": lambda session: [session.benchmark.runs[1].name, ""],
    "sort_query": lambda session: [session.benchmark.queries.ids[1], ""],
}
"""Values of texts without choices, which name something of the benchmark."""

WAYS = {
    "comparison": {"chart", "control", "command"},
    "heat_map": {"chart", "control", "command", "dialog"},
    "queries": {"control", "command"},
    "precision_recall": {"chart", "control", "command", "dialog"},
    "gain": {"chart", "control", "command", "dialog"},
    "generality": {"chart", "control", "command", "dialog"},
    "mesh_view": {"command"},
    "contingency": {"control", "command", "dialog"},
    "gain_loss": {"chart", "control", "command", "dialog"},
    "leaderboard": {"command", "dialog"},
    "measures": {"control", "command"},
    "confusion": {"chart", "control", "command"},
    "matrix": {"control", "command"},
    "model": {"chart", "control", "command"},
    "suspects": {"chart", "control", "command"},
    "certainty": {"chart", "control", "command", "dialog"},
    "assessments": {"chart", "command"},
    "practical": {"chart", "control", "command", "dialog"},
}
"""Ways that set at least one option of a panel; all do so by code and by the project."""


@dataclass
class Scene:
    """A panel as a window, with its export."""

    session: object
    panel: RequestPanel
    export: PanelExport
    settled: object
    key: str


class OnePanel(QObject):
    """In place of the workspace: its panels are one."""

    panel_created = Signal(str, QWidget)

    def __init__(self, key, panel):
        super().__init__()
        self._panels = {key: panel}

    def panels(self):
        return self._panels


def settle_if_busy(session, qtbot):
    """Wait for what a change started; most options change what is shown at once."""
    QApplication.processEvents()
    if not is_settled(session):
        settle(session, qtbot)


@pytest.fixture(scope="module")
def module_session(module_qtbot, tmp_path_factory):
    """The sample benchmark with edits, whose runs, query and model are selected."""
    for session in a_session():
        open_in(session, write_sample_benchmark(tmp_path_factory.mktemp("requests") / "sample"), module_qtbot)
        session.edits.set_level(0, [3, 4], 2)
        session.select(query=1, run=1, compared=0, rank=2)
        settle(session, module_qtbot)
        write_edits(session)  # the file that copied commands name
        yield session


@pytest.fixture(params=PANELS, ids=lambda panel: panel.key)
def scene(request, module_session, qtbot, monkeypatch):
    """Each panel that has a request."""
    row, settled = request.param, partial(settle_if_busy, module_session, qtbot)
    panel = row.factory(module_session)
    if not isinstance(panel, RequestPanel):
        panel.deleteLater()
        pytest.skip("no RequestPanel: it has no options, and is exported as it is drawn")
    monkeypatch.setattr(dialog_module, "_preview_figure_work", lambda *_: b"")
    panel.resize(900, 460)
    panel.show()
    export = PanelExport(module_session, row, panel)
    settle(module_session, qtbot)
    yield Scene(module_session, panel, export, settled, row.key)
    panel.close()
    panel.deleteLater()
    qtbot.waitUntil(lambda: not isValid(panel))


def values_of(field, session, kind):
    """Values of an option, each of which differs from the one before; the default is the last one."""
    row = field.option
    if field.name == "curve":
        found = [curve.key for curve in curves_of(kind)][:3]  # the others are made by the same functions
    elif field.kind is bool:
        found = [True, False]
    elif row.choices is not None:
        found = list(row.choices)
    elif field.kind is int:
        low = int(row.low or 0)
        found = [low, min(low + 7, int(row.high if row.high is not None else low + 7))]
    elif field.kind is float and not field.optional:
        found = [field.default + row.step]
    elif field.repeated:
        hidden = [session.scores.measures[1].key]
        found = {"files": [], "hidden_columns": hidden, "slices": ["difficulty: hard"]}[field.name]
    else:
        found = TEXTS[field.name](session)
    if field.repeated:
        found = [(one,) for one in found]
    return [*(one for one in dict.fromkeys(found) if one != field.default), field.default]


def same(one, other):
    """Whether two charts, tables or results are equal; NaN equals NaN."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if is_dataclass(one):
        return all(same(getattr(one, field.name), getattr(other, field.name)) for field in fields(one))
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) or (one != one and other != other)


def controls_of(panel, name):
    """Usable controls of an option in a panel: widgets, and entries of menus."""
    widgets = [one for one in panel.findChildren(QWidget) if one.window() is panel.window() and not one.isHidden()]
    found = [*widgets, *panel.findChildren(QAction)]
    return [one for one in found if one.property("option") == name and one.isEnabled()]


def operate(controls, value, former):
    """Set an option by one of its controls, as the user does; whether one of them has the value and the former one."""
    actions = [one for one in controls if isinstance(one, QAction)]
    for action in actions:
        if not isinstance(value, tuple) and action.data() in (None, value):
            action.trigger()
            return True
    if actions and isinstance(value, tuple):
        if not {*value, *former} <= {action.data() for action in actions}:
            return False
        for action in actions:
            if action.isChecked() != (action.data() in value):
                action.trigger()
        return True
    for control in controls:
        if isinstance(control, QCheckBox):
            control.click()
        elif isinstance(control, SegmentedButtons):
            button = control.button(str(value)) if str(value) in control.property("values") else None
            if button is None or button.isHidden() or not button.isEnabled():
                continue
            button.click()
        elif isinstance(control, QListWidget):
            for row in range(control.count()):
                item = control.item(row)
                is_on = item.data(Qt.ItemDataRole.UserRole) in value
                item.setCheckState(Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked)
        elif isinstance(control, QComboBox):
            index = control.findData(value)
            if index < 0 or not control.model().item(index).isEnabled():
                continue
            control.setCurrentIndex(index)
            control.activated.emit(index)
        elif isinstance(control, QSpinBox | QDoubleSpinBox):
            if not control.minimum() <= value <= control.maximum():
                continue
            control.setValue(value)
        else:
            continue
        return True
    return False


def read_command(line):
    """The request that a copied command line makes."""
    _, command, benchmark, kind, *words = shlex.split(line)
    parent = click.Context(program, **program.context_settings)
    context = COMMANDS[command].make_context(command, [benchmark, kind, *words], parent=parent)
    return requested(command, kind, dict(context.params))


def assert_same_content(one, other, session):
    """Whether two requests make the same chart and table; where they need images, of equal requests."""
    row, data = content_of(one), content_data(session)
    if row.images is None and row.chart is not None:
        assert same(build_chart(data, one), build_chart(data, other))
    if row.table is not None:
        assert same(build_table(data, one), build_table(data, other))


def command_options(request, command):
    """The request as the command line knows it."""
    others = {field.name: field.default for field in request.options() if not field.is_of(command)}
    return replace(request, **others)


def assert_shown(scene, options, exported):
    """The panel has these options and requests, at once or after what it computes."""
    if scene.panel.requests() != exported:
        scene.settled()
    assert (scene.panel.options, scene.panel.requests()) == (options, exported)


def assert_command_repeats(scene, exported):
    """The copied command reads the request that the panel exports first, and that makes the same content."""
    try:
        line = scene.export.command(scene.export.content())
    except NoCommandError:
        return False
    parsed, command = read_command(line), line.split()[1]
    request = getattr(exported, command)
    names = [field.name for field in request.options() if field.is_of(command)]
    assert {name: getattr(parsed, name) for name in names} == {name: getattr(request, name) for name in names}
    if parsed != request:
        assert_same_content(parsed, request, scene.session)
    return True


def assert_dialog_sets(scene, before, expected, name, value):
    """The field of the export dialog changes the request that the panel exports to the one that it would export."""
    dialog = ExportDialog(scene.panel, scene.session, "panel", before, scene.panel)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    found = False
    for what in [key for key in ("figure", "table") if isinstance(getattr(before, key), Request)]:
        button = dialog.what.button(what)
        button.click()
        source = dialog.source
        if name not in dialog.controls or name in source.fixed_options:
            continue
        target = getattr(expected, what)
        if type(source) is not type(target) or getattr(source, name) == value or getattr(target, name) != value:
            continue
        assert operate([dialog.controls[name]], value, getattr(source, name))
        assert dialog.source == target
        for other in ("figure", "table"):
            if getattr(before, other) == source:  # one request is both
                dialog.what.button(other).click()
                assert dialog.source == getattr(expected, other)
        found = True
        break
    dialog.reject()
    dialog.deleteLater()
    return found


def test_an_option_is_the_same_request_and_chart_by_every_way(scene, tmp_path, subtests):
    session, panel = scene.session, scene.panel
    states = PanelStates(OnePanel(scene.key, panel), panel)
    ways, built = dict.fromkeys(("chart", "control", "command", "dialog"), 0), {}
    for field in [field for field in panel.options.options() if field.is_set_in_panel]:
        panel.set_state({})
        former = field.default
        for value in values_of(field, session, panel.options.kind):
            with subtests.test(option=field.name, value=value):
                # By code: the chart is the one that the content function builds.
                panel.set_option(field.name, former)
                scene.settled()
                before = scene.export.content()
                panel.set_option(field.name, value)
                scene.settled()
                options, exported, expected = panel.options, panel.requests(), scene.export.content()
                assert getattr(options, field.name) == value
                if panel.computation.result is not None:
                    request = panel.computation.request
                    if request not in built:
                        built[request] = panel.compute(content_data(session), request)
                    assert request == panel.request()
                    assert same(panel.computation.result, built[request])
                    ways["chart"] += 1
                ways["command"] += assert_command_repeats(scene, expected)
                # By the project.
                path = tmp_path / "a.shrec"
                write_project(snapshot(session, path, {"panels": states.states()}))
                panel.set_state({})
                states.restore(read_project(path).view["panels"])
                assert_shown(scene, options, exported)
                # By the controls.
                panel.set_option(field.name, former)
                scene.settled()
                if operate(controls_of(panel, field.name), value, former):
                    assert_shown(scene, options, exported)
                    ways["control"] += 1
                ways["dialog"] += assert_dialog_sets(scene, before, expected, field.name, value)
            former = value
    assert {way for way, number in ways.items() if number} >= WAYS.get(scene.key, set())
