"""Licences of third parties: those of the installed packages, or of the file in a bundle."""

import re
import sys
from importlib.metadata import requires

import pytest
from windows import a_window

from shrec_viewer import resources
from shrec_viewer.app.dialogs.about import AboutDialog, LicencesDialog
from shrec_viewer.app.help.licences import dependencies, licences_text

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def name_of(line):
    return re.match(r"[\w.-]+", line)[0].lower()


def test_every_dependency_is_listed_with_its_licence():
    found = {row.metadata["Name"].lower().replace("_", "-") for row in dependencies()}
    assert {name_of(line) for line in requires("shrec-viewer") if "extra ==" not in line} <= found
    assert {"contourpy", "shiboken6"} <= found, "dependencies of dependencies"
    assert "pytest" not in found
    text = licences_text()
    for row in dependencies():
        title = f"{row.metadata['Name']} {row.version}\n\nLicence: "
        assert title in text
        assert text.partition(title)[2].partition("\n")[0] not in ("", "see below"), title
    assert "SIL OPEN FONT LICENSE" in text
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in text or "LGPL-3.0-only" in text


def test_a_bundle_shows_its_file(tmp_path, monkeypatch):
    (tmp_path / "resources").mkdir()
    (tmp_path / "resources/licences.txt").write_text("gathered at build time\n", encoding="utf-8")
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert resources.resource("licences.txt").is_file()
    assert licences_text() == "gathered at build time\n"


def test_a_program_that_is_not_installed_has_no_dependencies():
    assert dependencies("no-such-distribution") == []


@pytest.fixture
def window(qapp, qtbot):
    yield from a_window(qapp, qtbot)


def test_about_shows_the_licences(window, qtbot):
    window.menus.actions["about"].trigger()
    (about,) = window.findChildren(AboutDialog)
    qtbot.waitUntil(about.isVisible)
    about.licences.click()
    (dialog,) = about.findChildren(LicencesDialog)
    qtbot.waitUntil(dialog.isVisible)
    assert "matplotlib" in dialog.text.toPlainText()
    dialog.close()
    about.close()
