"""Every test runs without a display and with settings, cache and log of its own."""

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
    import gc

    from PySide6.QtCore import QCoreApplication, QEvent
    from PySide6.QtWidgets import QApplication

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    if not QApplication.topLevelWidgets():
        return []
    gc.collect()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return [f"{type(widget).__name__} '{widget.objectName()}'" for widget in QApplication.topLevelWidgets()]
