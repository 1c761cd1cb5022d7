"""Projects of different benchmarks opened in turn: no view keeps indices of the former benchmark."""

import random

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication
from sample_benchmark import write_sample_benchmark
from sessions import settle
from windows import a_window, open_in_window

from shrec_viewer.app.commands import edit
from shrec_viewer.panels import PANELS, PERSPECTIVES
from shrec_viewer.resources import resource
from shrec_viewer.widgets.plots.legend import PlotLegend

DOCKS = [panel.key for panel in PANELS if panel.area != "centre"]


@pytest.fixture(scope="module")
def window(qapp, module_qtbot):
    """One window for all tests: each of them opens projects after what the others opened."""
    yield from a_window(qapp, module_qtbot, size=(1600, 1000), meshes=True)


@pytest.fixture(scope="module")
def projects(window, module_qtbot, tmp_path_factory):
    """Projects of the demo and of a smaller benchmark, each with its last query, runs and rank selected."""
    tmp_path, found = tmp_path_factory.mktemp("projects"), []
    for folder in (write_sample_benchmark(tmp_path / "small"), resource("demo")):
        open_in_window(window, folder, module_qtbot)
        select_last(window.session)
        settle(window.session, module_qtbot)
        path = tmp_path / f"{folder.name}.shrec"
        window.projects.write(path)
        module_qtbot.waitUntil(path.exists)
        settle(window.session, module_qtbot)
        found.append(path)
    return found


def select_last(session):
    """The last query and runs of the benchmark, and a rank that a smaller benchmark does not have."""
    benchmark = session.benchmark
    n_runs = len(benchmark.runs)
    session.select(query=len(benchmark.queries) - 1, run=n_runs - 1, compared=n_runs - 2)
    session.select(rank=len(benchmark.collection))


@pytest.fixture(scope="module")
def all_panels(window, projects, module_qtbot):
    """Every panel, created while a benchmark is open."""
    for perspective in PERSPECTIVES:
        window.workspace.show_perspective(perspective.key)
        module_qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)
    for key in DOCKS:
        window.workspace.show_panel(key)
        QApplication.processEvents()


def use_views(window):
    """State of the views that refers to the open benchmark: pinned model, hover, marks, calculation, current rows."""
    session, workspace = window.session, window.workspace
    benchmark = session.benchmark
    workspace.panel("mesh_view").scene.pin(len(benchmark.collection) - 1)
    session.cursor_state.hover_run(len(benchmark.runs) - 1)
    session.cursor_state.hover_model(len(benchmark.collection) - 1)
    session.cursor_state.mark((1, len(benchmark.collection)))
    for view in window.findChildren(QAbstractItemView):
        if view.isVisible() and view.model() is not None and view.model().rowCount():
            view.setCurrentIndex(view.model().index(view.model().rowCount() - 1, 0))
            QTest.mouseMove(view.viewport(), view.visualRect(view.currentIndex()).center())


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_projects_of_two_benchmarks_can_be_opened_in_turn(window, projects, qtbot):
    """Both projects in each perspective; after one of them, the next is opened while lists and scores are computed."""
    for number in range(7):
        path, perspective = projects[number % 2], PERSPECTIVES[number % 3].key
        open_in_window(window, path, qtbot)
        assert window.session.path == path
        assert window.session.selection.compared is not None
        window.workspace.show_perspective(perspective)
        for key in DOCKS:
            window.workspace.show_panel(key)
        select_last(window.session)
        use_views(window)
        if number not in (1, 2, 3):
            settle(window.session, qtbot)
            use_views(window)


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@pytest.mark.usefixtures("all_panels")
def test_benchmarks_can_be_opened_in_turn_at_any_moment(window, projects, qtbot):
    rng = random.Random(1)
    session = window.session
    for number in range(24):
        path = rng.choice([*projects, resource("demo")])
        window.open_path(path)
        for _ in range(rng.randrange(6)):
            qtbot.wait(rng.choice((0, 1, 5, 30)))
            if session.is_open and session.benchmark.runs:
                session.select(query=rng.randrange(40), run=rng.randrange(8), compared=rng.randrange(8))
                session.select(rank=rng.randrange(1, 90))
                session.cursor_state.hover(rng.randrange(1, 90))
                session.cursor_state.hover_run(rng.randrange(8))
        if number % 5 == 0:
            window.workspace.show_perspective(rng.choice(PERSPECTIVES).key)
            window.workspace.show_panel(rng.choice(DOCKS))
    settle(session, qtbot)
    assert session.is_open


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@pytest.mark.usefixtures("all_panels")
def test_menus_close_when_another_benchmark_is_opened(window, projects, qtbot):
    """Each project in turn is opened while a menu of the other one is shown."""
    seen, number = [], 1
    open_in_window(window, projects[number], qtbot)
    for panel in PANELS:
        for view in window.workspace.panel(panel.key).findChildren(QAbstractItemView):
            if view.contextMenuPolicy() != Qt.ContextMenuPolicy.CustomContextMenu:
                continue
            window.workspace.show_panel(panel.key)
            if view.isVisible() and view.model().rowCount():
                index = view.model().index(view.model().rowCount() - 1, 0)
                view.setCurrentIndex(index)
                view.customContextMenuRequested.emit(view.visualRect(index).center())
                if QApplication.activePopupWidget() is not None:
                    seen.append(panel.key)
                number = 1 - number
                open_in_window(window, projects[number], qtbot)
                assert QApplication.activePopupWidget() is None, panel.key
    assert {"queries", "ranked_list", "leaderboard", "findings"} <= set(seen)


def test_a_colour_chosen_for_a_run_of_the_former_benchmark_is_ignored(window, projects, qtbot, monkeypatch):
    def choose(*_):
        open_in_window(window, projects[0], qtbot)
        return "#123456"

    monkeypatch.setattr(edit, "choose_colour", choose)
    open_in_window(window, projects[1], qtbot)
    edit.choose_run_colour(window, len(window.session.benchmark.runs) - 1)
    assert window.session.path == projects[0]
    assert dict(window.session.edits.colours) == {}


def test_a_pending_click_in_a_legend_is_discarded_with_its_curves(window, projects, qtbot):
    open_in_window(window, projects[1], qtbot)
    legend = window.workspace.panel("precision_recall").findChild(PlotLegend)
    legend._click_handler.press("0", Qt.KeyboardModifier.NoModifier, is_last=True)
    open_in_window(window, projects[0], qtbot)
    with qtbot.assertNotEmitted(legend.toggled, wait=QApplication.doubleClickInterval() + 100):
        pass
