"""Everything can be reached by keyboard and has an accessible name."""

from itertools import groupby

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QDialog, QLabel, QMenuBar, QTabBar, QToolBar, QWidget
from sessions import settle

from shrec_viewer.app.docking.tab_order import tab_order
from shrec_viewer.panels import PANELS, PERSPECTIVES
from shrec_viewer.widgets.plots.bar_chart import BarChart

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

OWN_PARTS = ("qt_spinbox_lineedit", "qt_scrollarea_viewport", "ScrollLeftButton", "ScrollRightButton")
"""Internal parts of Qt's widgets."""


def nameless(root):
    """Visible focusable widgets without accessible name."""
    found = []
    for widget in [root, *root.findChildren(QWidget)]:
        if widget.focusPolicy() == Qt.FocusPolicy.NoFocus or not widget.isVisible() or isinstance(widget, QTabBar):
            continue
        if widget.objectName() in OWN_PARTS or widget.isWindow() or widget.focusProxy() is not None:
            continue
        if isinstance(widget, QLabel) and not widget.text():
            continue  # the text is set later
        face = QAccessible.queryAccessibleInterface(widget)
        if face is not None and not face.text(QAccessible.Text.Name):
            owner = widget.parentWidget()
            found.append(f"{type(widget).__name__} '{widget.objectName()}' in {type(owner).__name__}")
    return found


def test_focusable_parts_have_accessible_names(opened, qtbot, subtests):
    for perspective in PERSPECTIVES:
        with subtests.test(perspective=perspective.key):
            opened.workspace.show_perspective(perspective.key)
            qtbot.wait(100)
            assert nameless(opened) == []


def test_panel_parts_have_accessible_names(opened, qtbot, subtests):
    for row in PANELS:
        with subtests.test(panel=row.key):
            opened.workspace.show_panel(row.key)
            qtbot.wait(60)
            assert nameless(opened.workspace.panel(row.key)) == []


def test_window_parts_have_accessible_names(opened, qtbot, subtests):
    keys = ("palette", "keys", "measures", "preferences", "about", "panel_export", "export_site", "add_runs")
    for key in (*keys, "import_settings", "add_virtual_run", "whats_new"):
        with subtests.test(key):
            opened.menus.actions[key].trigger()
            settle(opened.session, qtbot)
            (dialog,) = [one for one in opened.findChildren(QDialog) if one.isVisible()]
            assert nameless(dialog) == []
            dialog.close()


def test_conventions_and_tour_have_accessible_names(opened, qtbot):
    opened.tool_bar.conventions.button.click()
    assert opened.tool_bar.conventions.isVisible()
    assert nameless(opened.tool_bar.conventions) == []
    opened.tool_bar.conventions.close()
    opened.start_tour()
    qtbot.waitUntil(lambda: opened.tour is not None and opened.tour.step is not None)
    assert nameless(opened.tour.bubble) == []
    opened.tour.bubble.skip.click()


def test_tab_key_reaches_tool_bar_and_all_panels(opened, qtbot):
    qtbot.wait(50)
    seen = []
    for _ in range(200):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        seen.append(QApplication.focusWidget())
        if seen.count(seen[0]) > 1:
            break
    bar = opened.tool_bar
    for widget in (bar.query, bar.run, bar.measure, bar.conventions.button):
        assert widget in seen, widget.accessibleName()
    for key in ("queries", "ranked_list", "leaderboard", "precision_recall"):
        panel = opened.workspace.panel(key)
        assert any(panel.isAncestorOf(widget) for widget in seen), key


def place_of(window, widget):
    """Where the focus is, as the user would say."""
    panel = next((row for row in PANELS if _contains(window.workspace.existing_panel(row.key), widget)), None)
    if panel is not None:
        return panel.area
    names = {"menu_strip": "header", "selection_bar": "header", "consequences": "strip"}
    bars = [names[bar.objectName()] for bar in window.findChildren(QToolBar) if _contains(bar, widget)]
    return "status" if _contains(window.statusBar(), widget) else bars[0] if bars else ""


def _contains(parent, widget):
    return parent is not None and (parent is widget or parent.isAncestorOf(widget))


#: Pixels that a ring changes at least: that of the smallest button, 27 pixels wide, has 100.
MIN_RING = 60


def changed_pixels(one, other):
    """Number of pixels that differ visibly between two pictures of a widget."""
    images = [picture.toImage().convertToFormat(QImage.Format.Format_RGBA8888) for picture in (one, other)]
    pixels = [np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4) for image in images]
    return int((np.abs(np.subtract(*pixels, dtype=np.int16)).max(axis=2) > 24).sum())


def test_tab_key_goes_from_the_header_over_left_centre_right_and_bottom_to_the_strip(opened, qtbot, subtests):
    """And each stop shows that it has the focus."""
    opened.session.select(compared=1)
    opened.session.edits.set_level(0, [5], 1, "seen")
    qtbot.waitUntil(lambda: any(bar.objectName() == "consequences" and bar.isVisible() for bar in bars(opened)))
    known = set[QWidget]()
    for number, perspective in enumerate(one.key for one in PERSPECTIVES):
        theme = ("light", "dark")[number % 2]
        with subtests.test(perspective=perspective, theme=theme):
            opened.set_theme_choice(theme)
            opened.workspace.show_perspective(perspective)
            settle(opened.session, qtbot)
            opened.tool_bar.run.setFocus(Qt.FocusReason.TabFocusReason)
            seen, unmarked = [QApplication.focusWidget()], []
            for _ in range(300):
                with_focus = None if seen[-1] in known else seen[-1].grab()
                qtbot.keyClick(seen[-1], Qt.Key.Key_Tab)
                if with_focus is not None and changed_pixels(with_focus, seen[-1].grab()) < MIN_RING:
                    unmarked.append(f"{type(seen[-1]).__name__} {seen[-1].accessibleName()}")
                seen.append(QApplication.focusWidget())
                if seen[-1] is opened.tool_bar.run:
                    break
            known.update(seen)
            assert unmarked == []
            places = [place for place, _ in groupby(place_of(opened, widget) for widget in seen) if place]
            wanted = ["header", "left", "centre", "right", "bottom", "strip", "status", "header"]
            places = [place for place, _ in groupby(places)]
            assert places == [place for place in wanted if place in places]
            assert {"header", "centre", "strip"} <= {*places}
            assert ("right" in places) == (perspective != "assess")
            qtbot.keyClick(opened.tool_bar.run, Qt.Key.Key_Backtab)
            assert QApplication.focusWidget() is seen[-2]


def test_every_part_of_every_panel_shows_that_it_has_the_focus(opened, qtbot, subtests):
    """Also of panels behind tabs, and of views of a panel."""
    opened.session.select(compared=1, rank=1)
    for row in PANELS:
        with subtests.test(panel=row.key):
            opened.workspace.show_panel(row.key)
            settle(opened.session, qtbot)
            panel, unmarked = opened.workspace.panel(row.key), []
            for widget in [part for part in tab_order(opened) if _contains(panel, part)]:
                widget.setFocus(Qt.FocusReason.TabFocusReason)
                if QApplication.focusWidget() is not widget:
                    continue
                with_focus = widget.grab()
                opened.tool_bar.run.setFocus(Qt.FocusReason.TabFocusReason)
                if changed_pixels(with_focus, widget.grab()) < MIN_RING:
                    unmarked.append(f"{type(widget).__name__} {widget.accessibleName()}")
            assert unmarked == []


def test_key_of_a_perspective_gives_the_focus_to_what_its_centre_shows(opened, qtbot):
    """To the lists, cells or bars, which the arrow keys walk through, not to a field above them."""
    names = []
    for number in range(1, len(PERSPECTIVES) + 1):
        qtbot.keyClick(opened, getattr(Qt.Key, f"Key_{number}"), Qt.KeyboardModifier.ControlModifier)
        settle(opened.session, qtbot)
        names.append(QApplication.focusWidget().accessibleName())
        assert place_of(opened, QApplication.focusWidget()) == "centre"
    assert names[:3] == ["Ranked list", "Lists of the runs", "Heat map of runs and queries"]
    assert names[4] == "Review of the suspect"
    opened.workspace.show_perspective("diagnose")
    opened.workspace.focus_centre()
    assert isinstance(QApplication.focusWidget(), BarChart)


def bars(window):
    return window.findChildren(QToolBar)


def test_tab_key_leaves_tables_and_lists(opened):
    areas = [area for area in opened.findChildren(QAbstractScrollArea) if hasattr(area, "tabKeyNavigation")]
    seen = [area for area in areas if area.isVisible()]
    assert len(seen) >= 3
    assert [area.accessibleName() for area in seen if area.tabKeyNavigation()] == []


def test_menus_open_by_their_mnemonics(opened, qtbot):
    bar = opened.findChild(QMenuBar)
    texts = [action.text() for action in bar.actions()]
    letters = [text[text.index("&") + 1].lower() for text in texts]
    assert len(set(letters)) == len(letters) == 5
