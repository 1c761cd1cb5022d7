"""A process of its own prints: the same bytes, for all threads, and it is there again after it has ended."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from shrec_viewer.domain.errors import Cancelled
from shrec_viewer.report import figure_process as module
from shrec_viewer.report.figure import COLUMN_MM, FIGURE_FORMATS, PAGE_MM, FigureLine, FigureSpec, render_figure
from shrec_viewer.report.figure_process import FigureError, FigureProcess

X = np.linspace(0, 1, 11)
GRAPH = FigureSpec("Precision-recall", "recall", "precision", (0, 1), (0, 1), (FigureLine("A", X, 1 - X, "#2B7BBA"),))


def never() -> bool:
    return False


def hang(connection: object) -> None:
    time.sleep(1000)


def crash(connection) -> None:
    connection.recv()
    os.kill(os.getpid(), signal.SIGSEGV)


@pytest.fixture
def printer():
    made = FigureProcess()
    yield made
    made.close()
    assert not made._servant.is_running


def test_it_prints_what_is_printed_here(printer):
    files = printer.files(GRAPH, FIGURE_FORMATS, never)
    assert files == {form: render_figure(GRAPH, form) for form in FIGURE_FORMATS}
    wide = printer.files(GRAPH, ("png",), never, width=PAGE_MM, dpi=72)
    assert wide == {"png": render_figure(GRAPH, "png", width=PAGE_MM, dpi=72)}
    assert wide["png"] != render_figure(GRAPH, "png", width=COLUMN_MM, dpi=72)


def test_two_threads_get_each_what_they_asked_for(printer):
    graphs = [GRAPH, FigureSpec("Gain", "rank", "gain", (0, 10), (0, 5), (FigureLine("B", 10 * X, 5 * X, "#AA3377"),))]
    found: dict[int, bytes] = {}

    def ask(number: int) -> None:
        found[number] = printer.files(graphs[number], ("svg",), never)["svg"]

    threads = [threading.Thread(target=ask, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == {number: render_figure(graphs[number], "svg") for number in (0, 1)}


def test_one_that_was_killed_is_replaced(printer):
    expected = {"svg": render_figure(GRAPH, "svg")}
    assert printer.files(GRAPH, ("svg",), never) == expected
    os.kill(printer._servant._process.pid, signal.SIGKILL)
    assert printer.files(GRAPH, ("svg",), never) == expected


def test_a_job_that_ends_it_says_so(monkeypatch):
    monkeypatch.setattr(module, "serve_figures", crash)
    printer = FigureProcess()
    with pytest.raises(FigureError, match=r"^it makes the printing process crash \(SIGSEGV\)$"):
        printer.files(GRAPH, ("svg",), never)
    printer.close()


def test_a_graph_that_cannot_be_printed_says_why_and_the_next_can(printer):
    odd = FigureSpec("odd", "x", "y", (0, 1), (0, 1), (FigureLine("A", X, X[:3], "#2B7BBA"),))
    with pytest.raises(FigureError, match="ValueError"):
        printer.files(odd, ("svg",), never)
    assert printer.files(GRAPH, ("svg",), never) == {"svg": render_figure(GRAPH, "svg")}


def test_nobody_waits_for_what_was_called_off(monkeypatch):
    monkeypatch.setattr(module, "serve_figures", hang)
    since = time.monotonic()
    printer = FigureProcess()
    with pytest.raises(Cancelled):
        printer.files(GRAPH, ("svg",), lambda: time.monotonic() - since > 0.2)
    assert not printer._servant.is_running
    assert time.monotonic() - since < 10
