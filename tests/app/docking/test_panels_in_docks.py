"""Visible docks have their panels, whatever perspectives and layouts were shown before."""

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QPushButton
from sample_benchmark import write_sample_benchmark
from shared_windows import a_shared_window
from windows import a_window, open_in_window

from shrec_viewer.app.docking.perspective_window import PerspectiveWindow
from shrec_viewer.panels import PANELS, PERSPECTIVES
from shrec_viewer.widgets.controls.messages import MessageBar


@pytest.fixture(scope="module")
def sample_benchmark(tmp_path_factory):
    return write_sample_benchmark(tmp_path_factory.mktemp("panels") / "sample_benchmark")


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot, sample_benchmark):
    yield from a_shared_window(qapp, module_qtbot, sample_benchmark)


@pytest.fixture
def window(qapp, qtbot, tmp_path):
    yield from a_window(qapp, qtbot, tmp_path / "settings.ini")


def wait_until_complete(window, qtbot):
    qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)
    assert window.workspace.perspective_window.updatesEnabled()


class Watch(QObject):
    """Records which panels get an event of this kind."""

    def __init__(self, panels, kind):
        super().__init__()
        self._kind = kind
        self.seen = []
        for panel in panels:
            panel.installEventFilter(self)

    def eventFilter(self, watched, event):
        if event.type() == self._kind:
            self.seen.append(watched.objectName())
        return False

    def taken(self):
        seen, self.seen = self.seen, []
        return seen


def arrangements(window):
    return window.findChildren(PerspectiveWindow)


def in_sight(perspective_window):
    """Keys of the docks that no tab covers."""
    docks = perspective_window.docks()
    return {key for key, dock in docks.items() if dock.isVisible() and not dock.visibleRegion().isEmpty()}


def has_its_panels(window):
    """Whether every visible dock of the current perspective contains its panel."""
    space = window.workspace
    return all(
        space.dock(key).panel is space.panel(space.perspective_window.shown_panel(key))
        for key in in_sight(space.perspective_window)
    )


def test_opening_creates_only_the_visible_panels(window, qtbot, sample_benchmark):
    open_in_window(window, sample_benchmark, qtbot)
    wait_until_complete(window, qtbot)
    visible = in_sight(window.workspace.perspective_window)
    assert visible == {"queries", "precision_recall", "gain", "leaderboard"}
    assert has_its_panels(window)
    assert set(window.workspace.panels()) == {*visible, "ranked_list"}
    window.workspace.show_panel("findings")
    wait_until_complete(window, qtbot)
    assert set(window.workspace.panels()) == {*visible, "ranked_list", "findings"}


def test_a_panel_is_created_in_its_dock(window, qtbot, sample_benchmark):
    """Each other parent takes 3 ms, as Qt styles all widgets of the panel again."""
    created, moved = [], Watch([], QEvent.Type.ParentChange)

    def watch(key, panel):
        created.append(key)
        panel.installEventFilter(moved)

    window.workspace.panel_created.connect(watch)
    open_in_window(window, sample_benchmark, qtbot)
    wait_until_complete(window, qtbot)
    assert {"queries", "leaderboard"} <= {*created}
    assert moved.seen == []
    assert not window.workspace.perspective_window.isWindow()


def test_each_perspective_shows_its_panels(window, qtbot, sample_benchmark):
    open_in_window(window, sample_benchmark, qtbot)
    for perspective in PERSPECTIVES[1:]:
        window.workspace.show_perspective(perspective.key)
        wait_until_complete(window, qtbot)
        assert len(in_sight(window.workspace.perspective_window)) >= 2
        assert has_its_panels(window)


def test_opened_and_restored_docks_have_their_panels(opened, qtbot):
    layouts = opened.workspace.layout_states()
    for row in PANELS:
        if row.area != "centre":
            opened.workspace.show_panel(row.key)
            wait_until_complete(opened, qtbot)
            assert opened.workspace.dock(row.key).panel is opened.workspace.panel(row.key)
    opened.workspace.apply_layouts(layouts)
    wait_until_complete(opened, qtbot)
    assert has_its_panels(opened)


def test_switching_perspectives_quickly_leaves_no_dock_empty(opened, qapp, qtbot):
    for key in ("compare", "campaign", "diagnose", "query", "compare", "query", "campaign", "diagnose", "query"):
        opened.workspace.show_perspective(key)
        qapp.processEvents()
    qtbot.waitUntil(lambda: opened.workspace.perspective_window.is_complete)
    perspective_window = opened.workspace.perspective_window
    assert perspective_window.updatesEnabled()
    assert in_sight(perspective_window) >= {"queries", "precision_recall", "gain", "leaderboard"}
    for key in in_sight(perspective_window):
        assert perspective_window.dock(key).panel is opened.workspace.panel(perspective_window.shown_panel(key))


def test_project_creates_only_the_perspective_that_it_shows(window, qtbot, sample_benchmark):
    open_in_window(window, sample_benchmark, qtbot)
    space = window.workspace
    former = space.perspective_window
    space.apply_layouts({"compare": {"areas": {}}}, "compare")
    assert [one.perspective.key for one in arrangements(window) if one is not former] == ["compare"]
    former = [former, space.perspective_window]
    space.apply_layouts({"query": {"areas": {}}}, "no such perspective")
    assert [one.perspective.key for one in arrangements(window) if one not in former] == ["compare"]


@pytest.mark.qt_log_ignore("This plugin does not support raise", extend=True)
def test_replacing_layouts_repeatedly_leaves_no_dock_empty(window, qapp, qtbot, sample_benchmark):
    open_in_window(window, sample_benchmark, qtbot)
    space = window.workspace
    for round_ in range(3):
        for row in PANELS:
            if row.area != "centre":
                space.show_panel(row.key)
        qapp.processEvents()
        space.apply_layouts({})
        for _ in range(2 * round_):
            qapp.processEvents()
        space.apply_layouts({"query": b"nothing"})
        space.show_perspective("compare")
        qapp.processEvents()
        space.show_perspective("query")
    qtbot.waitUntil(lambda: len(arrangements(window)) == 2)
    for perspective in ("compare", "query"):
        space.show_perspective(perspective)
        qtbot.waitUntil(lambda: space.perspective_window.is_complete)
        assert len(in_sight(space.perspective_window)) >= 3
        for key in in_sight(space.perspective_window):
            assert space.dock(key).panel is space.panel(space.perspective_window.shown_panel(key))
    assert all(space.isAncestorOf(panel) for panel in space.panels().values())


@pytest.mark.qt_log_ignore("This plugin does not support raise", extend=True)
def test_resetting_the_layout_resizes_each_panel_once(opened, qapp, qtbot):
    space = opened.workspace
    for row in PANELS:
        if row.area != "centre":
            space.show_panel(row.key)
            qtbot.waitUntil(lambda: space.perspective_window.is_complete)
    for key in ("queries", "gain"):
        space.dock(key).close()
    places = {key: space.dock(key).geometry() for key in in_sight(space.perspective_window)}
    watch = Watch(space.panels().values(), QEvent.Type.Resize)
    space.reset_layout()
    resized = watch.taken()
    assert len(resized) <= len(set(resized)) + 2, resized
    qtbot.waitUntil(lambda: space.perspective_window.is_complete)
    assert {"queries", "gain"} <= in_sight(space.perspective_window)
    assert {key: space.dock(key).geometry() for key in in_sight(space.perspective_window)} != places


def test_name_on_the_button_of_a_message_is_shown_as_typed(qtbot):
    bar = MessageBar()
    qtbot.addWidget(bar)
    with qtbot.waitSignal(bar.action_requested) as emitted:
        bar.show_message("info", "Looks like R&D.", action="Use R&D")
        (button,) = [button for button in bar.findChildren(QPushButton) if "R&" in button.text()]
        assert button.text() == "Use R&&D"
        button.click()
    assert emitted.args == ["Use R&D", ""]
