"""Position and size of the window are stored as numbers and restored onto a screen."""

import json

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication, QMainWindow
from windows import a_window

from shrec_viewer.app.docking.saved_layout import LayoutError, geometry_to_data, restore_geometry
from shrec_viewer.app.startup.settings import Settings, SettingsFile

FIELDS = {"x": 30, "y": 40, "width": 500, "height": 420, "state": "normal"}


def test_geometry_round_trip(qapp):
    window, again = QMainWindow(), QMainWindow()
    window.setGeometry(31, 42, 510, 403)
    data = json.loads(json.dumps(geometry_to_data(window)))
    restore_geometry(again, data)
    assert again.geometry() == window.geometry()
    assert geometry_to_data(again) == data


@pytest.mark.parametrize("state", ["maximized", "full screen"])
def test_states_are_restored(qapp, qtbot, state):
    window = QMainWindow()
    qtbot.addWidget(window)
    restore_geometry(window, {**FIELDS, "state": state})
    window.show()
    assert window.isMaximized() == (state == "maximized")
    assert window.isFullScreen() == (state == "full screen")
    assert geometry_to_data(window)["state"] == state


@pytest.mark.parametrize("position", [(-9000, 5), (20_000, 20_000)])
def test_window_outside_all_screens_has_no_position(qapp, position):
    window = QMainWindow()
    restore_geometry(window, {**FIELDS, "x": position[0], "y": position[1]})
    assert window.size().toTuple() == (500, 420)
    assert QApplication.primaryScreen().geometry().contains(window.pos())


values = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just([1])


@given(data=st.dictionaries(st.sampled_from([*FIELDS, "other"]), values).map(lambda changed: {**FIELDS, **changed}))
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_invalid_geometry_has_a_reason_and_changes_nothing(qapp, data):
    window = QMainWindow()
    before = window.geometry()
    try:
        restore_geometry(window, data)
    except LayoutError:
        assert window.geometry() == before
    else:
        assert window.width() <= QApplication.primaryScreen().availableSize().width()


def test_invalid_geometry_in_the_settings_is_one_message(qapp, qtbot, tmp_path):
    SettingsFile(tmp_path / "settings.ini").write(Settings(geometry={**FIELDS, "width": -1}))
    for window in a_window(qapp, qtbot, tmp_path / "settings.ini"):
        assert window.message_area.texts() == [
            "The saved layout of the window is not valid ('width' must be an integer from 200 to 32767); "
            "the default layout is used."
        ]
