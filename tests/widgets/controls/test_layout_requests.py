"""Widgets that are given what they show already do not have the window laid out again."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QVBoxLayout, QWidget

from shrec_viewer.charts.plot import PlotCurve
from shrec_viewer.panels.ranking.ranked_list import MissedModelsButton
from shrec_viewer.widgets.controls.controls import ComboField
from shrec_viewer.widgets.plots.legend import PlotLegend
from shrec_viewer.widgets.style.relevance import RelevanceLegend


class LayoutRequests(QObject):
    """Counts the requests that a window receives."""

    def __init__(self, window):
        super().__init__(window)
        self.count = 0
        window.installEventFilter(self)

    def eventFilter(self, _watched, event):
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False


class Field(ComboField):
    """A field whose rows and value are set together, as by the tool bars."""

    def show_rows(self, *texts):
        self.set_rows([(text, number, "") for number, text in enumerate(texts)])
        self.set_value(1)


def field():
    return Field("Field", 60)


def curves(*names):
    return [PlotCurve(key=name, label=name, x=np.arange(2.0), y=np.arange(2.0), colour="#000000") for name in names]


CASES = {
    "rows": (field, "show_rows", ("one", "two"), ("one", "another text")),
    "levels": (RelevanceLegend, "set_levels", ((1, 2),), ((1,),)),
    "curves": (PlotLegend, "set_curves", (curves("A1", "B2"),), (curves("A1", "C3"),)),
    "hidden": (PlotLegend, "set_state", (("A1",), "B2"), ((), "B2")),
    "missed": (MissedModelsButton, "set_count", (3,), (1234,)),
}


@pytest.mark.parametrize("case", CASES)
def test_only_other_contents_request_a_layout(case, qapp, qtbot):
    make, setter, contents, others = CASES[case]
    window = QWidget()
    qtbot.addWidget(window)
    widget = make()
    QVBoxLayout(window).addWidget(widget)
    getattr(widget, setter)(*contents)
    window.show()
    qtbot.waitExposed(window)
    qapp.sendPostedEvents()
    requests = LayoutRequests(window)
    getattr(widget, setter)(*contents)
    qapp.sendPostedEvents()
    assert requests.count == 0
    getattr(widget, setter)(*others)
    qapp.sendPostedEvents()
    assert requests.count > 0


def test_rows_set_again_keep_the_value(qtbot):
    combo = field()
    qtbot.addWidget(combo)
    combo.set_rows([])
    assert not combo.isEnabled()
    rows = [("one", 1, ""), ("two", 2, "")]
    combo.set_rows(rows)
    combo.set_value(2)
    combo.set_rows(rows)
    assert combo.currentData() == 2
    combo.addItem("three", 3)
    combo.set_rows(rows)
    assert combo.count() == 2
    assert combo.currentIndex() == -1
