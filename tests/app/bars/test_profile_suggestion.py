"""A profile is suggested once for a benchmark that states none."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QToolButton
from sample_benchmark import write_sample_benchmark
from sessions import settle
from windows import a_window, open_in_window

from shrec_viewer.app.bars.conventions import ProfileSuggestionStrip
from shrec_viewer.widgets.controls.messages import INFO_MS


@pytest.fixture
def window(qapp, qtbot):
    yield from a_window(qapp, qtbot)


@pytest.fixture
def strip(window):
    return window.findChild(ProfileSuggestionStrip)


@pytest.fixture
def unstated(tmp_path):
    return unstating(tmp_path / "unstated")


def unstating(folder):
    write_sample_benchmark(folder)
    manifest = folder / "benchmark.toml"
    manifest.write_text(manifest.read_text().replace('profile = "shrec2006"\n', ""))
    return folder


def test_accepted_suggestion_sets_the_profile(window, strip, unstated, qtbot):
    open_in_window(window, unstated, qtbot)
    session = window.session
    assert session.profile.key == "default"
    assert strip.isVisible()
    assert strip.current().text == "This looks like SHREC 2006."
    button = next(button for button in strip.findChildren(QPushButton) if button.isVisible())
    assert button.text() == "Use SHREC 2006"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settle(session, qtbot)
    assert session.profile.key == "shrec2006"
    assert not strip.isVisible()
    session.reload()
    settle(session, qtbot)
    assert not strip.isVisible()


def test_strip_stays_until_answered_and_covers_no_error(window, strip, unstated, qtbot, monkeypatch):
    monkeypatch.setattr("shrec_viewer.widgets.controls.messages.INFO_MS", 1)
    assert INFO_MS > 1000
    open_in_window(window, unstated, qtbot)
    window.show_message("error", "something else")
    qtbot.wait(50)
    assert window.message_bar.isVisible()
    assert window.message_area.texts() == ["something else", "This looks like SHREC 2006."]
    window.message_bar.dismiss()
    assert strip.isVisible()


def test_choosing_another_profile_removes_the_suggestion(window, strip, unstated, qtbot):
    open_in_window(window, unstated, qtbot)
    window.session.set_profile("trec")
    assert not strip.isVisible()
    window.session.set_profile("default")
    settle(window.session, qtbot)
    assert not strip.isVisible()


def test_reloading_does_not_show_the_strip_again(window, strip, unstated, qtbot):
    open_in_window(window, unstated, qtbot)
    strip.dismiss()
    window.session.reload()
    settle(window.session, qtbot)
    assert not strip.isVisible()


def test_stated_profile_shows_no_suggestion(window, strip, unstated, tmp_path, qtbot):
    open_in_window(window, unstated, qtbot)
    assert strip.isVisible()
    open_in_window(window, write_sample_benchmark(tmp_path / "stated"), qtbot)
    assert not strip.isVisible()
    open_in_window(window, unstated, qtbot)
    assert strip.isVisible()  # opened again
    window.session.close()
    assert not strip.isVisible()


def test_profile_of_the_command_line_suppresses_the_suggestion(window, strip, unstated, qtbot):
    window.open_path(unstated, None, "trec")
    settle(window.session, qtbot)
    assert not strip.isVisible()


def test_accepted_profile_is_used_when_the_folder_is_opened_again(qapp, qtbot, unstated, tmp_path):
    for window in a_window(qapp, qtbot, tmp_path / "settings.ini"):
        open_in_window(window, unstated, qtbot)
        strip = window.findChild(ProfileSuggestionStrip)
        button = next(button for button in strip.findChildren(QPushButton) if button.isVisible())
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        settle(window.session, qtbot)
    for window in a_window(qapp, qtbot, tmp_path / "settings.ini"):
        open_in_window(window, unstated, qtbot)
        assert window.session.profile.key == "shrec2006"
        assert not window.findChild(ProfileSuggestionStrip).isVisible()
        window.open_path(unstated, None, "trec")
        settle(window.session, qtbot)
        assert window.session.profile.key == "trec", "the command line has precedence"
        manifest = unstated / "benchmark.toml"
        manifest.write_text(manifest.read_text().replace("[benchmark]\n", '[benchmark]\nprofile = "psb"\n'))
        open_in_window(window, unstated, qtbot)
        assert window.session.profile.key == "psb", "benchmark.toml has precedence"


def test_dismissed_suggestion_is_not_shown_when_the_folder_is_opened_again(qapp, qtbot, unstated, tmp_path):
    for window in a_window(qapp, qtbot, tmp_path / "settings.ini"):
        open_in_window(window, unstated, qtbot)
        strip = window.findChild(ProfileSuggestionStrip)
        close = next(button for button in strip.findChildren(QToolButton) if button.toolTip() == "Dismiss")
        qtbot.mouseClick(close, Qt.MouseButton.LeftButton)
        assert not strip.isVisible()
    for window in a_window(qapp, qtbot, tmp_path / "settings.ini"):
        open_in_window(window, unstated, qtbot)
        assert window.session.profile.key == "default"
        assert not window.findChild(ProfileSuggestionStrip).isVisible()
        open_in_window(window, unstating(tmp_path / "another"), qtbot)
        assert window.findChild(ProfileSuggestionStrip).isVisible()
