"""All tests run without a display and with separate settings, cache and log folders."""

import atexit
import gc
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import threading
from functools import partialmethod
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from forked_run import number_of_processes
from hypothesis import HealthCheck, settings
from pytestqt.exceptions import capture_exceptions, format_captured_exceptions
from pytestqt.qtbot import QtBot, _close_widgets
from worker_processes import get_context, get_fast_context

# Before anything imports Qt: it reads these once.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")

# Before anything imports numpy, here and in the programs that tests start: its threads compete with the other test
# processes, and take a quarter of the time of its import.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Without byte code, each of 300 programs and worker processes that tests start compiles the modules that it imports,
# which doubles the time of its start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The list of installed fonts that matplotlib makes in a new folder takes 1.3 s in each process; the first process of a
# run makes the folder, and the others get its environment.
if "MPLCONFIGDIR" not in os.environ:
    os.environ["MPLCONFIGDIR"] = tempfile.mkdtemp(prefix="shrec-viewer-tests-fonts-")
    atexit.register(shutil.rmtree, os.environ["MPLCONFIGDIR"], ignore_errors=True)

# A shell starts background commands with SIGINT ignored, and programs started by tests would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Time limits would make tests depend on the load of the machine.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# `--doctest-modules` would import each conftest.py as module "conftest", which fails if several folders are given.
collect_ignore_glob = ["*conftest.py"]

HOMES = {"XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "data", "XDG_STATE_HOME": "state"}
"""Base folders on Linux; tests do not touch those of the user."""


@pytest.fixture(autouse=True, scope="session")
def separate_user_folders():
    with tempfile.TemporaryDirectory(prefix="shrec-viewer-tests-") as folder, pytest.MonkeyPatch.context() as patch:
        for variable, name in HOMES.items():
            home = Path(folder) / name
            home.mkdir()
            patch.setenv(variable, str(home))
        yield


@pytest.fixture(autouse=True, scope="module")
def separate_unsaved_edits():
    """New folders for each file: windows offer the unsaved edits of the demo that a test of another file has left."""
    with tempfile.TemporaryDirectory(prefix="shrec-viewer-tests-") as folder, pytest.MonkeyPatch.context() as patch:
        for variable in ("XDG_DATA_HOME", "XDG_STATE_HOME"):
            home = Path(folder) / HOMES[variable]
            home.mkdir()
            patch.setenv(variable, str(home))
        yield


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect no garbage while tests are collected: nearly all objects remain, and it takes a sixth of the time."""
    gc.disable()
    result = yield
    gc.freeze()
    gc.enable()
    return result


LONGEST_FILES = (
    "panels/export/test_panel_export.py",
    "app/docking/test_scaled_text.py",
    "app/commands/test_commands.py",
    "test_benches.py",
    "app/window/test_odd_names.py",
    "app/window/test_alternating_projects.py",
    "app/window/test_foreign_text.py",
    "panels/test_panel_requests.py",
    "render/workers/test_thumbnail_pool.py",
    "app/window/test_project_files.py",
    "cli/test_help_examples.py",
    "report/site/test_site.py",
    "panels/test_every_panel.py",
    "panels/plots/test_plot_panels.py",
    "app/window/test_one_benchmark_alive.py",
    "app/window/test_window_strings.py",
    "test_plugins.py",
    "app/startup/test_signals.py",
    "evaluation/test_cluster.py",
    "report/test_everything.py",
    "app/startup/test_selftest.py",
    "app/docking/test_default_sizes.py",
    "viewmodels/mesh_view/test_render_service.py",
    "app/docking/test_small_windows.py",
    "app/docking/test_perspectives.py",
)
"""Files that take longer than 20 s each, the longest first."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Run the longest files first: with several test processes, one of them would run the last file alone."""
    places = {Path(__file__).parent / name: place for place, name in enumerate(LONGEST_FILES)}
    assert all(path.exists() for path in places), "a file of LONGEST_FILES was renamed"
    items.sort(key=lambda item: places.get(item.path, len(places)))


def pytest_configure(config):
    config.pluginmanager.register(ModulesWithDoctests())  # hooks of this file are called for the files next to it only


class ModulesWithDoctests:
    """Limits ``--doctest-modules`` to files with examples: it searches 800 modules, a fifth of the collection."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path):
        collectors = yield
        if file_path.suffix == ".py" and b">>> " not in file_path.read_bytes():
            return [collector for collector in collectors if not isinstance(collector, DoctestModule)]
        return collectors


@pytest.hookimpl(optionalhook=True)  # where pytest-xdist is installed
def pytest_xdist_auto_num_workers(config):
    return number_of_processes("auto") - 1  # each takes 8 s of processor time to start and collect


@pytest.fixture(autouse=True, scope="session")
def workers_are_forked_from_a_server():
    """Of 500 workers in a run, each takes 0.25 s less of processor time; programs that tests start spawn them still."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multiprocessing, "get_context", get_fast_context)
        yield


@pytest.fixture(scope="module")
def spawned_workers():
    """Workers as in the program, for tests that kill them: those of the server end some time before it reports it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multiprocessing, "get_context", get_context)
        yield


@pytest.fixture(autouse=True, scope="session")
def application_has_widgets(request):
    """Create the `QApplication` first: images in SVG create a `QGuiApplication`, and a process cannot have both.

    Not a parameter, so that `fixturenames` contains ``qapp`` only for tests that use it.
    """
    request.getfixturevalue("qapp")


COLLECTION_EVERY = 200
"""Tests between two collections of the objects of tests without widgets."""

FULL_COLLECTION_EVERY = 2000
"""Tests between two collections of all objects; one takes 0.3 to 0.5 s, one of a single test's objects 5 ms."""


@pytest.fixture(autouse=True, scope="session")
def garbage_is_collected_between_tests():
    """Collect garbage between tests only, as the program does: a collection inside a Qt call can deadlock."""
    gc.disable()
    yield
    gc.unfreeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, _count=[0]):  # noqa: B006 - one counter for the whole run is intended
    """Collect the garbage of a test with widgets, after pytest has released its fixture values.

    The objects that survive are frozen: the next collection skips them, which halves the time of short tests.
    """
    result = yield
    _count[0] += 1
    is_full = _count[0] % FULL_COLLECTION_EVERY == 0
    if is_full:
        gc.unfreeze()
    if _count[0] % COLLECTION_EVERY == 0 or {"qtbot", "qapp"} & set(getattr(item, "fixturenames", ())):
        _collect_garbage(item)
        gc.freeze()
    return result


def _collect_garbage(item):
    """Collect garbage; report an exception in a Qt callback of a widget that is destroyed as an error of the test.

    pytest-qt reports exceptions in callbacks only while a test, its set-up or its teardown runs.
    """
    with capture_exceptions() as exceptions:
        gc.collect()
    if exceptions:
        call = pytest.CallInfo.from_call(
            lambda: pytest.fail(format_captured_exceptions(exceptions), pytrace=False), when="teardown"
        )
        item.ihook.pytest_runtest_logreport(report=item.ihook.pytest_runtest_makereport(item=item, call=call))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Escape lone surrogates in reports: pytest-xdist 3.8 cannot send them and ends the run with an internal error."""
    report = yield
    report.sections = [(title, _encodable(text)) for title, text in report.sections]
    if report.failed and _encodable(report.longreprtext) != report.longreprtext:
        report.longrepr = _encodable(report.longreprtext)
    return report


def _encodable(text):
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


WAIT_LIMIT_MS = 180_000
"""Limit of waiting for something that happens at once; pytest-qt's 5 s are not enough on a busy machine."""


FAR_AWAY = (20_000, 20_000)
"""Position of the mouse before each test, outside all windows."""

WAIT_STEP_MS = 10
"""Duration of each event loop that `qtbot.wait` runs."""


class LongWaitingQtBot(QtBot):
    """The `qtbot` of pytest-qt with another default limit, and waits that do not depend on the load of the machine."""

    def __init__(self, request):
        super().__init__(request)
        self._loops = []

    waitUntil = partialmethod(QtBot.waitUntil, timeout=WAIT_LIMIT_MS)  # noqa: N815 - the name in Qt style
    waitSignal = partialmethod(QtBot.waitSignal, timeout=WAIT_LIMIT_MS)  # noqa: N815 - the name in Qt style
    waitSignals = partialmethod(QtBot.waitSignals, timeout=WAIT_LIMIT_MS)  # noqa: N815 - the name in Qt style
    waitExposed = partialmethod(QtBot.waitExposed, timeout=WAIT_LIMIT_MS)  # noqa: N815 - the name in Qt style

    def wait(self, ms):
        """Wait in steps: on a loaded machine, one event loop could end before a timer that an earlier one started.

        The loop is used again: the signal blocker of pytest-qt 4.5 takes 0.3 ms of processor time, the loop 0.1 ms.
        """
        from PySide6.QtCore import QEventLoop, QTimer

        if self._loops:
            loop, timer = self._loops.pop()
        else:  # also in an event handler that runs in a wait
            loop, timer = QEventLoop(), QTimer(singleShot=True)
            timer.timeout.connect(loop.quit)
        timer.setInterval(min(ms, WAIT_STEP_MS))
        for _ in range(max(1, round(ms / WAIT_STEP_MS))):
            timer.start()
            loop.exec()
        self._loops.append((loop, timer))


@pytest.fixture
def qtbot(qapp, request):
    return LongWaitingQtBot(request)


@pytest.fixture(scope="module")
def module_qtbot(qapp, request):
    """`qtbot` for fixtures of module scope; their widgets are deleted after the last test of the module."""
    yield LongWaitingQtBot(request)
    _close_widgets(request.node)
    left = _widgets_left()
    assert not left, f"widgets outlive the module: {left}"


@pytest.fixture(autouse=True)
def no_widget_outlives_its_test(request):
    """Fail where a top-level widget outlives its test: a connection, a global or a missing parent holds it."""
    if "qtbot" not in request.fixturenames:
        yield
        return
    from PySide6.QtWidgets import QApplication

    shared = QApplication.topLevelWidgets()  # of the module
    yield
    _reset_mouse()
    if "module_qtbot" in request.fixturenames:
        return  # checked after the last test of the module
    left = _widgets_left(shared)
    assert not left, f"widgets outlive the test: {left}; look for a connected lambda or a missing qtbot.addWidget"


def _reset_mouse():
    """Release the buttons and keys that a test left pressed, and move the mouse out of all windows.

    `QTest.mouseDClick` (Qt 6.10) ends with the second press, and hover cards ignore mouse moves with a pressed button.
    A click with Shift leaves Shift pressed for Qt, so that `selectRow` of a later test would select several rows.
    A table that a later test shows below the mouse would highlight a row.
    """
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QCursor, QGuiApplication
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QWidget

    for button in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton):
        if QGuiApplication.mouseButtons() & button:
            QTest.mouseRelease(QWidget(), button)
    if QGuiApplication.keyboardModifiers():
        QTest.keyRelease(QWidget(), Qt.Key.Key_Shift)
    QCursor.setPos(*FAR_AWAY)


def _widgets_left(shared=()):
    """Descriptions of the top-level widgets, without `shared` ones and their dialogs and menus."""
    from PySide6.QtCore import QCoreApplication, QEvent
    from PySide6.QtWidgets import QApplication

    def left():
        return [widget for widget in QApplication.topLevelWidgets() if _outermost(widget) not in shared]

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    if not left():
        return []
    gc.collect()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return [f"{type(widget).__name__} '{widget.objectName()}'" for widget in left()]


def _outermost(widget):
    while widget.parentWidget() is not None:
        widget = widget.parentWidget()
    return widget
