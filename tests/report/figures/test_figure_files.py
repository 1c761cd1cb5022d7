"""Figures in several formats from background threads: same bytes, errors, cancellation, blocking of other threads."""

import shutil
import threading
import time
from typing import get_args

import numpy as np
import pytest

from shrec_viewer.charts.plot import Axes, Plot, PlotCurve
from shrec_viewer.domain.errors import Cancelled
from shrec_viewer.report.figures.drawing.style import COLUMN_MM, PAGE_MM
from shrec_viewer.report.figures.rendering import (
    FigureError,
    FigureFormat,
    figure_bytes,
    render_formats,
)

FORMATS = [form for form in get_args(FigureFormat) if form != "pgf" or shutil.which("xelatex")]
X = np.linspace(0, 1, 11)
UNIT = Axes("recall", "precision", (0, 1), (0, 1))
GRAPH = Plot("Precision-recall", UNIT, (PlotCurve("A", "A", X, 1 - X, "#2B7BBA"),))


def never() -> bool:
    return False


@pytest.fixture(scope="module")
def alone():
    return {form: figure_bytes(GRAPH, form) for form in FORMATS}


def test_files_equal_those_of_figure_bytes(alone):
    assert render_formats(GRAPH, FORMATS, never) == alone
    wide = render_formats(GRAPH, ("png",), never, width=PAGE_MM, dpi=72)
    assert wide == {"png": figure_bytes(GRAPH, "png", width=PAGE_MM, dpi=72)}
    assert wide["png"] != figure_bytes(GRAPH, "png", width=COLUMN_MM, dpi=72)


def test_two_threads_get_their_own_figures():
    gain = PlotCurve("B", "B", 10 * X, 5 * X, "#AA3377")
    graphs = [GRAPH, Plot("Gain", Axes("rank", "gain", (0, 10), (0, 5)), (gain,))]
    found: dict[int, bytes] = {}

    def render(number: int) -> None:
        found[number] = render_formats(graphs[number], ("svg",), never)["svg"]

    threads = [threading.Thread(target=render, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == {number: figure_bytes(graphs[number], "svg") for number in (0, 1)}


def test_error_of_one_figure_names_its_cause_and_the_next_is_rendered(alone):
    odd = Plot("odd", UNIT, (PlotCurve("A", "A", X, X[:3], "#2B7BBA"),))
    with pytest.raises(FigureError, match="ValueError"):
        render_formats(odd, ("svg",), never)
    assert render_formats(GRAPH, ("svg",), never) == {"svg": alone["svg"]}


def test_cancelled_before_a_format():
    calls = []

    def cancelled() -> bool:
        calls.append(len(calls))
        return len(calls) > 1

    with pytest.raises(Cancelled):
        render_formats(GRAPH, FORMATS, cancelled)
    assert calls == [0, 1]


def test_other_threads_keep_running():
    """The longest work for which rendering blocks another thread stays below the bar for rare actions, 400 ms.

    Processor time of the process, to which a busy machine adds little; the best of three runs counts.
    """
    for _ in range(3):
        thread = threading.Thread(target=render_formats, args=(GRAPH, FORMATS, never))
        thread.start()
        delays, last = [0.0], time.process_time()
        while thread.is_alive():
            time.sleep(0.002)
            now = time.process_time()
            delays.append(now - last)
            last = now
        if max(delays) < 0.4:
            return
    pytest.fail(f"blocked for {max(delays):.1f} s")
