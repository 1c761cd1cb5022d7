"""Every test runs without a display and with settings, cache and log of its own."""

import gc
import os
import tempfile
from pathlib import Path

import pytest

# Before anything imports Qt: it reads these once.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")

HOMES = {"XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "data", "XDG_STATE_HOME": "state"}
"""Where Linux programs keep what is theirs; a test never touches the person's own."""


@pytest.fixture(autouse=True, scope="session")
def homes_of_our_own():
    with tempfile.TemporaryDirectory(prefix="shrec-viewer-tests-") as folder, pytest.MonkeyPatch.context() as patch:
        for variable, name in HOMES.items():
            home = Path(folder) / name
            home.mkdir()
            patch.setenv(variable, str(home))
        yield


SWEEP_EVERY = 200
"""Tests between two sweeps where no widget is involved; a sweep takes some 50 ms."""


@pytest.fixture(autouse=True, scope="session")
def garbage_is_collected_between_tests():
    """As `app.garbage` does in the program: collected inside a call of Qt's, widgets can lock it up for good."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(autouse=True)
def sweep(request, _tests_since_sweep=[0]):  # noqa: B006 - one counter for the whole run is what is meant
    yield
    _tests_since_sweep[0] += 1
    if "qtbot" in request.fixturenames or "qapp" in request.fixturenames or _tests_since_sweep[0] >= SWEEP_EVERY:
        _tests_since_sweep[0] = 0
        gc.collect()


@pytest.fixture(autouse=True)
def no_widget_outlives_its_test(request):
    """A widget that is still there after its test is held by a connection, a global, or a missing parent."""
    yield
    if "qtbot" not in request.fixturenames:
        return
    left = _widgets_left()
    assert not left, (
        f"still there after the test: {left}; look for a connected lambda, or for a qtbot.addWidget left out"
    )


def _widgets_left():
    from PySide6.QtCore import QCoreApplication, QEvent
    from PySide6.QtWidgets import QApplication

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    if not QApplication.topLevelWidgets():
        return []
    gc.collect()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return [f"{type(widget).__name__} '{widget.objectName()}'" for widget in QApplication.topLevelWidgets()]
