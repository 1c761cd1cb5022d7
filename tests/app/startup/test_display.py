"""A missing display is reported before Qt aborts the process."""

import pytest

from shrec_viewer.app.startup import display
from shrec_viewer.app.startup.main import run_window


@pytest.fixture
def linux(monkeypatch):
    monkeypatch.setattr(display.sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("platform", ["offscreen", "minimal", "vnc:size=800x600"])
def test_offscreen_platforms_need_no_display(linux, monkeypatch, platform):
    monkeypatch.setenv("QT_QPA_PLATFORM", platform)
    assert display.missing_display() == ""


def test_missing_display_is_reported(linux):
    assert display.missing_display().startswith("no window can be opened: there is no display")


def test_unreachable_display_is_reported(linux, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":987")
    assert display.missing_display() == "no window can be opened: cannot connect to the display ':987'"


def test_wayland_is_a_display(linux, monkeypatch):
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert display.missing_display() == ""
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    assert display.missing_display() != ""


def test_other_systems_need_no_display_check(monkeypatch):
    monkeypatch.setattr(display.sys, "platform", "win32")
    assert display.missing_display() == ""


def test_run_window_returns_1_without_a_display(linux, capsys):
    assert run_window(None) == 1
    assert capsys.readouterr().err.startswith("no window can be opened")
