"""Only the open benchmark and its scores stay in memory."""

import gc
import shutil
from collections import Counter

import pytest
from sessions import settle
from windows import a_window, open_in_window

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.panels import PANELS, PERSPECTIVES
from shrec_viewer.resources import resource


@pytest.fixture
def window(qapp, qtbot):
    yield from a_window(qapp, qtbot)


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(resource("demo"), tmp_path / "benchmark")


def alive():
    """Number of benchmarks and score tables in memory, including those of the fixtures of other tests."""
    for _ in range(3):  # objects released by a finalizer are collected in the next round
        if not gc.collect():
            break
    kinds = Counter(map(type, gc.get_objects()))
    return kinds[Benchmark], kinds[Scores]


def wait_for(expected, session, qtbot):
    """Wait until this number is in memory, that is, until the last task has released its inputs.

    Checked rarely, and only while no task runs: `gc.get_objects` during the creation of a tuple in another thread makes
    that creation fail, and the traceback keeps the objects alive.
    """
    found = None
    for _ in range(30):
        settle(session, qtbot)
        if (found := alive()) == expected:
            return
        qtbot.wait(300)
    assert found == expected


def look_at_everything(window, qtbot):
    """Show every panel once, in its perspective."""
    for perspective in (*PERSPECTIVES, PERSPECTIVES[0]):
        window.workspace.show_perspective(perspective.key)
        qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)
        settle(window.session, qtbot)
    for panel in PANELS:
        if panel.area != "centre":
            window.workspace.show_panel(panel.key)
            settle(window.session, qtbot)


def test_only_the_open_benchmark_is_alive(window, folder, qtbot):
    """After every panel showed it, after reloads of changed runs, after closing it, and opened for the second time."""
    session, others = window.session, alive()
    only = (others[0] + 1, others[1] + 1)
    open_in_window(window, folder, qtbot)
    look_at_everything(window, qtbot)
    path = min(path for path in (folder / "runs").rglob("*") if path.is_file())
    lines = path.read_text().splitlines()
    for turn in (1, 2):
        path.write_text("\n".join([*lines[turn:], *lines[:turn]]) + "\n")
        session.reload()
        settle(session, qtbot)
    wait_for(only, session, qtbot)
    session.close()
    settle(session, qtbot)
    assert alive() == others, "what was closed is gone at once: it may be a gigabyte"
    open_in_window(window, folder, qtbot)
    wait_for(only, session, qtbot)
    session.close()
    settle(session, qtbot)
    assert alive() == others
