"""Every row of PANELS handles all changes of a session."""

from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget
from sample_benchmark import write_sample_benchmark
from sessions import a_session, open_in, settle
from shiboken6 import isValid

from shrec_viewer.panels import PANELS, PERSPECTIVES
from shrec_viewer.panels.panel import BasePanel
from shrec_viewer.panels.scores.order_line import OrderLine
from shrec_viewer.widgets.style.theme import DARK, LIGHT, apply_text_size, apply_theme
from shrec_viewer.widgets.tables.record_view import RecordView

LEAST = {"left": (260, 320), "right": (320, 320), "bottom": (440, 320), "centre": (560, 320)}
"""Largest minimum size in pixels of a panel of each area at the default font size; the right area has 320 pixels in a
window of 1280, and a panel that needs more would widen it."""

SELECTIONS = ({"query": 2}, {"run": 1}, {"rank": 2}, {"run": 2}, {"query": 0}, {"shown_runs": [1]}, {"measure": "FT"})


@pytest.fixture(scope="module")
def module_session(module_qtbot, tmp_path_factory):
    """The sample benchmark, opened and evaluated, for the tests that change nothing."""
    for session in a_session():
        folder = write_sample_benchmark(tmp_path_factory.mktemp("every_panel") / "sample_benchmark")
        yield open_in(session, folder, module_qtbot)


@pytest.fixture(scope="module", params=PANELS, ids=lambda panel: panel.key)
def shown(request, module_session, module_qtbot):
    """A panel, created with an open benchmark and shown."""
    apply_theme(QApplication.instance(), LIGHT)
    widget = request.param.factory(module_session)
    widget.setProperty("area", request.param.area)
    widget.resize(820, 460)
    widget.show()
    module_qtbot.waitExposed(widget)
    settle(module_session, module_qtbot)
    yield widget
    widget.close()
    widget.deleteLater()
    module_qtbot.waitUntil(lambda: not isValid(widget))


def test_panel_fits_its_area_on_a_small_screen(shown, module_session, qtbot):
    module_session.select(query=1, run=1, compared=0, rank=2)
    settle(module_session, qtbot)
    least, (width, height) = shown.minimumSizeHint(), LEAST[shown.property("area")]
    assert least.width() <= width
    assert least.height() <= height


def test_tables_without_rows_have_no_scroll_bar_and_no_header(shown, qtbot):
    for table in (one for one in shown.findChildren(RecordView) if one.isVisible()):
        table.model().set_filter("no row of any table contains this")
        qtbot.wait(20)  # ranges of scroll bars follow later
        assert not table.model().rowCount()
        bars = table.horizontalScrollBar(), table.verticalScrollBar(), table.horizontalHeader()
        assert not any(part.isVisible() for part in bars)
        table.model().set_filter("")
        assert table.horizontalHeader().isVisible() == (table.model().rowCount() > 0)


def test_keys_and_titles_are_distinct():
    assert len({panel.key for panel in PANELS}) == len(PANELS)
    assert len({panel.title for panel in PANELS}) == len(PANELS)
    centres = [key for panel in PANELS if panel.area == "centre" for key in panel.perspectives]
    assert sorted(centres) == sorted(perspective.key for perspective in PERSPECTIVES)


def test_panels_handle_empty_open_select_and_close(session, sample_benchmark, settled, show):
    """All panels show one session, as in the window."""
    panels = {panel.key: show(panel.factory(session)) for panel in PANELS}
    keys = list(panels)

    def empty():
        return [key for key, widget in panels.items() if widget.is_empty]

    assert all(isinstance(widget, BasePanel) for widget in panels.values())
    assert empty() == keys
    session.open(sample_benchmark)
    settled()
    assert empty() == []
    for selection in SELECTIONS:
        session.select(**selection)
        settled()
    session.set_profile("psb")
    settled()
    session.open(sample_benchmark)
    settled()
    assert empty() == []
    session.close()
    settled()
    assert empty() == keys


def test_panel_can_be_created_with_an_open_benchmark(shown):
    assert not shown.is_empty


def test_deleted_panels_receive_no_signals(session, sample_benchmark, settled, qtbot):
    open_in(session, sample_benchmark, qtbot)
    for panel in PANELS:
        widget = panel.factory(session)
        widget.deleteLater()
        qtbot.waitUntil(lambda widget=widget: not isValid(widget))
    session.select(query=1, run=1, rank=1)
    settled()
    session.close()


def test_panel_follows_theme_changes(shown):
    apply_theme(QApplication.instance(), DARK)
    dark = shown.grab().toImage()
    apply_theme(QApplication.instance(), LIGHT)
    light = shown.grab().toImage()
    assert _brightness(dark) < 0.4 < 0.75 < _brightness(light)


PLOTS = ("distances", "run_groups", "run_map", "error_budget")
"""Panels with a plot that is no `PlotPanel`."""

MESHES = ("model", "mesh_view")
"""Panels with a rendered mesh."""


def scaled_image(widget):
    """Pixels (H, W, 4) of the panel without focus and hover, and the text size of each of its visible children."""
    if (focused := QApplication.focusWidget()) is not None:
        focused.clearFocus()
    QApplication.processEvents()
    children = [child for child in widget.findChildren(QWidget) if child.isVisible()]
    for child in children:
        child.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
    sizes = [child.font().pointSizeF() for child in children if not child.objectName().startswith("qt_")]
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return np.array(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4), sizes


@pytest.fixture
def its_session(panel, request):
    """The session of the module; a new one for the panel that shows the tasks that all other panels started."""
    if panel.key != "tasks":
        return request.getfixturevalue("module_session")
    session, folder, bot = (request.getfixturevalue(name) for name in ("session", "sample_benchmark", "qtbot"))
    return open_in(session, folder, bot)


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.key)
def test_text_size_changed_live_is_as_from_the_start(panel, its_session, show, qapp, qtbot):
    """Of a visible and of a hidden panel."""
    settled = partial(settle, its_session, qtbot)
    its_session.select(query=1, run=1, compared=0, rank=2, slice="")  # a test before may have chosen a slice
    found = []
    try:
        for changes in ("visible", "hidden", "none"):
            if changes == "hidden":
                apply_text_size(qapp, 100)
            widget = show(panel.factory(its_session), 820, 600)
            settled()
            if changes != "none":
                widget.setVisible(changes == "visible")
                apply_text_size(qapp, 175)
                widget.show()
                settled()
            for line in widget.findChildren(OrderLine):
                qtbot.waitUntil(lambda line=line: bool(line.text()))
            qtbot.wait(200)
            found.append(scaled_image(widget))
            widget.close()
    finally:
        apply_text_size(qapp, 100)
    *changed, (pixels, sizes) = found
    for live, live_sizes in changed:
        assert live_sizes == sizes
        # Fields may be 2 pixels wider; of plots that moves every line. Other processes render meshes, at any time.
        assert panel.is_plot or panel.key in (*MESHES, *PLOTS) or (live != pixels).any(axis=2).mean() < 0.005


def test_focusable_widgets_have_accessible_names(shown):
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QComboBox, QLineEdit

    kinds = (QAbstractScrollArea, QComboBox, QLineEdit, QAbstractButton)
    found = [child for kind in kinds for child in shown.findChildren(kind) if child.isVisible()]
    usable = [child for child in found if child.focusPolicy() != Qt.FocusPolicy.NoFocus and _is_ours(child)]
    unnamed = [child for child in usable if not (child.accessibleName() or getattr(child, "text", str)())]
    assert unnamed == []


def _is_ours(child: QWidget) -> bool:
    """Whether a widget is no internal part of a Qt widget, such as the list of a combo box."""
    parent = child.parentWidget()
    return not child.objectName().startswith("qt_") and parent is not None and not parent.inherits("QComboBox")


def _brightness(image) -> float:
    small = image.scaled(32, 32)
    return sum(small.pixelColor(x, y).lightnessF() for x in range(32) for y in range(32)) / 1024
