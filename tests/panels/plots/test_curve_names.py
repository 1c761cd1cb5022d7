"""Names of curves, and what the mouse highlights in plots, legends and the table of runs."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QWidget

from shrec_viewer.panels.plots.curves import GainPanel, PrecisionRecallPanel
from shrec_viewer.panels.scores.score_tables import LeaderboardPanel


class PlotsAndTable(QWidget):
    def __init__(self, session):
        super().__init__()
        self.recall, self.gain, self.runs = PrecisionRecallPanel(session), GainPanel(session), LeaderboardPanel(session)
        layout = QHBoxLayout(self)
        for panel in (self.recall, self.gain, self.runs):
            layout.addWidget(panel)


@pytest.fixture
def views(opened, show, settled):
    shown = show(PlotsAndTable(opened), 1500, 420)
    settled()
    return shown


def named(panel):
    inner, side = panel.plot._end_labels.layout(panel.plot._canvas.frame(), 12)
    return {curve.label for curve, _ in inner} | {label.curve.label for label in side}


def index_of(session, name):
    return [run.name for run in session.benchmark.runs].index(name)


def highlighted(views):
    """Names of the run that is highlighted in each plot, each legend and the table."""
    session = views.runs._session
    runs = session.benchmark.runs
    found = []
    for panel in (views.recall, views.gain):
        for key in (panel.plot._cursor_layer.hovered_key, panel.plot._legend._highlighted_key):
            found.append(runs[int(key)].name if key else "")
    table = views.runs.table
    row = table._delegate.hovered_row
    found.append("" if row < 0 else table.model().index(row, 0).data())
    return found


def test_selected_compared_best_and_random_are_named_in_every_plot(views, opened, settled):
    opened.select(run=index_of(opened, "A1"), compared=index_of(opened, "A2"))
    views.recall.set_option("show", ("random",))
    settled()
    for query in range(len(opened.benchmark.queries)):
        opened.select(query=query)
        settled()
        drawn = {curve.label for curve in views.recall.plot.visible_curves()}
        assert {"A1", "A2", "B2", "random"} & (drawn | {"random"}) <= named(views.recall), query
        assert {"A1", "A2", "B2"} <= named(views.gain)


def test_a_run_in_random_order_is_named_whatever_it_is_called(views, opened):
    benchmark = opened.benchmark
    runs = tuple(replace(run, participant="Random forest") if run.name == "A1" else run for run in benchmark.runs)
    opened.apply(replace(opened.document, benchmark=replace(benchmark, runs=runs)))
    for panel in (views.recall, views.gain):
        panel.draw()
        assert str(index_of(opened, "R1")) in panel.plot._end_labels.named
        assert str(index_of(opened, "A1")) not in panel.plot._end_labels.named
        assert "R1" in named(panel)


def test_a_curve_under_the_mouse_is_highlighted_everywhere(views, qtbot):
    canvas = views.gain.plot._canvas
    curve = next(curve for curve in views.gain.plot.visible_curves() if curve.label == "R1")
    for step in (0, 3):  # pyqtgraph ignores a move to where the mouse is already
        qtbot.mouseMove(canvas.viewport(), canvas.widget_point(80, curve.value_at(80)).toPoint() + QPoint(step, 0))
        qtbot.wait(30)
    qtbot.waitUntil(lambda: highlighted(views) == ["R1"] * 5)
    qtbot.mouseMove(views.runs.table.viewport(), QPoint(200, 390))
    qtbot.mouseMove(canvas.viewport(), QPoint(1, 1))
    qtbot.waitUntil(lambda: highlighted(views) == [""] * 5)


def test_a_legend_entry_under_the_mouse_highlights_curve_and_row(views, qtbot):
    legend = views.recall.plot._legend
    keys = [curve.key for curve, _ in legend._laid_out()[0]]
    position = keys.index(str(index_of(views.runs._session, "C1")))
    qtbot.mouseMove(legend, legend.boxes()[position].center())
    qtbot.waitUntil(lambda: highlighted(views) == ["C1"] * 5)
    qtbot.mouseMove(views.gain.header, QPoint(2, 2))
    qtbot.waitUntil(lambda: highlighted(views) == [""] * 5)


def test_a_table_row_under_the_mouse_highlights_curve_and_entry(views, qtbot):
    table = views.runs.table
    row = next(row for row in range(table.model().rowCount()) if table.model().index(row, 0).data() == "A1")
    qtbot.mouseMove(table.viewport(), table.visualRect(table.model().index(row, 0)).center())
    qtbot.waitUntil(lambda: highlighted(views) == ["A1"] * 5)
    assert "A1" in named(views.recall), "the highlighted curve is named too"
    qtbot.mouseMove(views.gain.header, QPoint(2, 2))
    qtbot.waitUntil(lambda: highlighted(views) == [""] * 5)


def test_another_query_keeps_the_highlight(views, opened, settled):
    opened.cursor_state.hover_run(2)
    opened.select(query=3)
    settled()
    assert len(set(highlighted(views))) == 1
    assert highlighted(views)[0]


def test_end_labels_need_the_width_of_the_reference_too(views):
    plot = views.recall.plot
    before = plot._end_labels.width(QFont(), 600)
    views.recall.set_option("show", ("random",))
    assert plot._end_labels.width(QFont(), 600) > before
