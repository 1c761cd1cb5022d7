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
def test_some_platforms_need_none(linux, monkeypatch, platform):
    monkeypatch.setenv("QT_QPA_PLATFORM", platform)
    assert display.missing_display() == ""


def test_no_display_is_said(linux):
    assert display.missing_display().startswith("no window can be opened: there is no display")


def test_a_display_that_does_not_answer_is_said(linux, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":987")
    assert display.missing_display() == "no window can be opened: cannot connect to the display ':987'"


def test_wayland_is_a_display(linux, monkeypatch):
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert display.missing_display() == ""
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    assert display.missing_display() != ""


def test_other_systems_always_have_a_screen(monkeypatch):
    monkeypatch.setattr(display.sys, "platform", "win32")
    assert display.missing_display() == ""


def test_the_window_answers_with_status_1(linux, capsys):
    assert run_window(None) == 1
    assert capsys.readouterr().err.startswith("no window can be opened")
