"""Docks with several views: names, keys of former layouts, one view for each perspective, exports, menus."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton
from sample_benchmark import write_sample_benchmark
from shared_windows import a_shared_window

from shrec_viewer.app.docking.panel_views import PanelViews
from shrec_viewer.app.docking.saved_layout import DockLayout, FloatingPanel, SplitDocks, TabGroup, layout_from_data
from shrec_viewer.formats.io.schema import to_data
from shrec_viewer.panels import PANELS, PERSPECTIVES, views_of
from shrec_viewer.panels.ranking.list_matrix import ViewButton
from shrec_viewer.widgets.controls.context_menu import panel_actions

CENTRAL = {panel.key for panel in PANELS if panel.area == "centre" and len(views_of(panel.dock)) > 1}
DOCKS = {panel.key: panel.dock for panel in PANELS if panel.area != "centre" or panel.key in CENTRAL}
VIEWS = [panel for panel in PANELS if panel.view_of]


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot, tmp_path_factory):
    yield from a_shared_window(
        qapp, module_qtbot, write_sample_benchmark(tmp_path_factory.mktemp("window") / "sample_benchmark")
    )


def complete(window, qtbot):
    qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)


def contents(window, key):
    return window.workspace.dock(key).widget()


def test_every_view_is_in_the_area_of_a_dock_that_is_no_view():
    hosts = {panel.key: panel for panel in PANELS if not panel.view_of}
    assert len(VIEWS) >= 19
    for panel in VIEWS:
        assert hosts[panel.view_of].area == panel.area, panel.key
        perspectives = {*hosts[panel.view_of].perspectives}
        assert perspectives.issuperset(panel.perspectives), panel.key
    for perspective in PERSPECTIVES:  # one view is shown at first
        first = [panel.view_of for panel in VIEWS if perspective.key in panel.perspectives]
        assert len(set(first)) == len(first)


def test_a_former_layout_opens_the_dock_once_with_the_view_that_was_raised():
    layout = DockLayout(
        {
            "left": SplitDocks(
                300, "vertical", (TabGroup(200, ("queries",), "queries"), TabGroup(90, ("notes",), "notes"))
            ),
            "bottom": TabGroup(250, ("history", "leaderboard", "missed", "tasks", "measures", "findings"), "tasks"),
            "right": SplitDocks(
                320,
                "vertical",
                (TabGroup(9, ("model", "mesh_view"), "mesh_view"), TabGroup(7, ("relevant",), "relevant")),
            ),
        },
        (FloatingPanel("contingency", 1, 2, 300, 200), FloatingPanel("edits", 1, 2, 300, 200)),
    )
    found = layout_from_data(to_data(layout), DOCKS, CENTRAL)
    assert found.areas == {
        "left": SplitDocks(
            300, "vertical", (TabGroup(200, ("queries",), "queries"), TabGroup(90, ("model",), "model"))
        ),
        "bottom": TabGroup(250, ("leaderboard", "findings", "calculation"), "findings"),
        "right": TabGroup(320, ("mesh_view",), "mesh_view"),
    }
    assert [panel.panel for panel in found.floating] == ["edits"]
    assert found.views == {"model": "notes", "findings": "tasks"}
    assert layout_from_data(to_data(found), DOCKS, CENTRAL) == found


@pytest.mark.parametrize("panel", VIEWS, ids=lambda panel: panel.key)
def test_a_former_key_shows_its_view(opened, panel, qtbot):
    workspace = opened.workspace
    workspace.show_panel(panel.key)
    complete(opened, qtbot)
    qtbot.waitUntil(lambda: workspace.is_shown(panel.key))
    views = workspace.panel(panel.key).parentWidget()
    assert isinstance(views, PanelViews)
    assert views.key == panel.key
    if panel.area != "centre":
        assert workspace.dock(panel.key) is workspace.dock(panel.view_of)
    assert views.names.isHidden() == (panel.area == "centre")
    workspace.go_to_panel(panel.key)
    assert workspace.panel_export().title == panel.title
    assert [views.names.tabText(tab) for tab in range(views.names.count())] == [
        row.view_title or row.title for row in views_of(panel.view_of)
    ]


def test_a_button_at_the_head_of_the_list_shows_it_as_a_matrix_and_back(opened, qtbot):
    workspace = opened.workspace
    workspace.show_panel("ranked_list")
    complete(opened, qtbot)
    for shown, other in (("ranked_list", "matrix"), ("matrix", "ranked_list")):
        qtbot.waitUntil(lambda shown=shown: workspace.is_shown(shown))
        (button,) = workspace.panel(shown).findChildren(ViewButton)
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda other=other: workspace.is_shown(other))
        assert not workspace.is_shown(shown)
        assert button.isChecked() == (shown == "matrix")
    workspace.show_perspective("compare")
    workspace.show_panel("matrix")  # as the palette and menus of runs do
    complete(opened, qtbot)
    assert workspace.perspective == "query"
    qtbot.waitUntil(lambda: workspace.is_shown("matrix"))
    assert workspace.layout_states()["query"]["views"] == {"ranked_list": "matrix"}
    workspace.show_panel("ranked_list")


def test_a_former_layout_with_the_matrix_in_a_dock_shows_it_in_the_centre():
    bottom = TabGroup(250, ("leaderboard", "matrix"), "matrix")
    found = layout_from_data(to_data(DockLayout({"bottom": bottom})), DOCKS, CENTRAL)
    assert found.areas == {"bottom": TabGroup(250, ("leaderboard",), "leaderboard")}
    assert found.views == {"ranked_list": "matrix"}
    assert layout_from_data(to_data(found), DOCKS, CENTRAL) == found
    alone = DockLayout({"right": TabGroup(300, ("matrix",), "matrix")}, (FloatingPanel("edits", 1, 2, 300, 200),))
    assert not layout_from_data(to_data(alone), DOCKS, CENTRAL).areas
    floating = DockLayout({}, (FloatingPanel("matrix", 1, 2, 300, 200),))
    assert layout_from_data(to_data(floating), DOCKS, CENTRAL).floating == ()


def test_names_are_chosen_by_mouse_and_arrow_keys(opened, qtbot):
    workspace = opened.workspace
    workspace.show_panel("findings")
    complete(opened, qtbot)
    names = contents(opened, "findings").names
    qtbot.mouseClick(names, Qt.MouseButton.LeftButton, pos=names.tabRect(1).center())
    qtbot.waitUntil(lambda: workspace.is_shown("tasks"))
    assert not workspace.is_shown("findings")
    names.setFocus()
    QTest.keyClick(names, Qt.Key.Key_Left)
    qtbot.waitUntil(lambda: workspace.is_shown("findings"))


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@pytest.mark.parametrize("reason", [QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard])
def test_the_names_of_views_have_the_menu_of_the_dock(opened, qtbot, reason):
    workspace = opened.workspace
    workspace.show_panel("headroom")
    complete(opened, qtbot)
    dock, names = workspace.dock("headroom"), contents(opened, "headroom").names
    place = names.tabRect(2).center()
    QApplication.sendEvent(names, QContextMenuEvent(reason, place, names.mapToGlobal(place)))
    menu = QApplication.activePopupWidget()
    texts = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert texts == ["Float Runs", "Close Runs", "&Copy", "&Export…", "Copy as co&mmand"]
    assert menu.actions()[-1] in panel_actions(workspace.panel("headroom"))
    menu.actions()[1].trigger()
    assert not workspace.perspective_window.is_open("leaderboard")
    assert dock.isHidden()


@pytest.mark.parametrize("percent", [100, 175])
def test_the_arrow_keys_bring_each_name_of_a_view_completely_into_sight(opened, qtbot, percent):
    opened.change_settings(replace(opened.settings, text_size=percent))
    opened.workspace.show_panel("leaderboard")
    complete(opened, qtbot)
    names = contents(opened, "leaderboard").names
    names.setFocus()
    for tab, row in enumerate(views_of("leaderboard")):
        qtbot.waitUntil(lambda tab=tab: names.currentIndex() == tab and names.rect().contains(names.tabRect(tab)))
        arrows = [arrow.geometry() for arrow in names.findChildren(QToolButton) if arrow.isVisible()]
        assert not [one for one in arrows if one.intersects(names.tabRect(tab))], row.key
        assert names.tabRect(tab).width() > names.fontMetrics().horizontalAdvance(names.tabText(tab))
        qtbot.waitUntil(lambda row=row: opened.workspace.is_shown(row.key))
        QTest.keyClick(names, Qt.Key.Key_Right)


def test_each_perspective_has_its_own_view(opened, qtbot):
    workspace = opened.workspace
    for perspective, view in (("campaign", "confusion"), ("diagnose", "class_costs")):
        workspace.show_perspective(perspective)
        complete(opened, qtbot)
        workspace.perspective_window.open_dock("confusion") if perspective == "campaign" else None
        qtbot.waitUntil(lambda view=view: workspace.is_shown(view))
    workspace.show_panel("distances")
    workspace.show_perspective("campaign")
    complete(opened, qtbot)
    qtbot.waitUntil(lambda: workspace.is_shown("confusion"))
    workspace.show_perspective("diagnose")
    complete(opened, qtbot)
    qtbot.waitUntil(lambda: workspace.is_shown("distances"))
    stored = workspace.layout_states()
    assert stored["diagnose"]["views"] == {"confusion": "distances"}
    workspace.reset_layout()
    complete(opened, qtbot)
    qtbot.waitUntil(lambda: workspace.is_shown("class_costs"))
    assert workspace.apply_layouts(stored, "diagnose") == ""
    complete(opened, qtbot)
    qtbot.waitUntil(lambda: workspace.is_shown("distances"))


def test_the_menu_has_a_submenu_for_each_group(opened):
    groups = {menu.text(): [row.text() for row in menu.menu().actions()] for menu in opened.menus.docks.actions()}
    assert list(groups) == ["&Assess", "&Query", "&Runs", "&Files"]
    assert groups["&Files"] == ["Files"]
    assert groups["&Assess"] == ["Suspects", "Edits", "Assessments", "Robustness"]
    assert "Score" in groups["&Runs"]
    assert "Details" in groups["&Query"]
