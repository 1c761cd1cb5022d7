"""Light and dark theme, and following the system."""

import pytest
from PySide6.QtGui import QPalette

from shrec_viewer.app.startup.theme import ThemeSelector
from shrec_viewer.widgets.style.theme import DARK, LIGHT


@pytest.fixture
def looks(qapp):
    looks = ThemeSelector(qapp)
    yield looks
    looks.choose("light")
    looks.deleteLater()


@pytest.mark.parametrize(("choice", "theme"), [("light", LIGHT), ("dark", DARK)])
def test_chosen_theme_applies_to_the_application(looks, qapp, choice, theme):
    looks.choose(choice)
    assert looks.theme is theme
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == theme.window.lower()


def test_system_theme_is_followed_only_if_chosen(looks, monkeypatch):
    of_system = [LIGHT]
    monkeypatch.setattr(looks, "_system_theme", lambda: of_system[0])
    looks.choose("system")
    assert looks.theme is LIGHT
    of_system[0] = DARK
    looks._follow_system()
    assert looks.theme is DARK
    looks.choose("light")
    looks._follow_system()
    assert looks.theme is LIGHT
    looks.choose("system")
    assert looks.theme is DARK
