"""Menu entry, file types and software catalogue of the program (``resources/desktop``), and their places."""

import configparser
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtGui import QImage

from shrec_viewer.app.window.main_window import APPLICATION_NAME
from shrec_viewer.resources import desktop_files, resource

SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)


def _file(pattern: str) -> Path:
    (path,) = resource("desktop").glob(pattern)
    return path


def _entry():
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(_file("applications/*.desktop"), encoding="utf-8")
    return parser["Desktop Entry"]


def _file_types():
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    types = ElementTree.parse(_file("mime/packages/*.xml")).getroot().findall(f"{space}mime-type")
    return {found.get("type"): found.find(f"{space}glob").get("pattern") for found in types}


def _component():
    return ElementTree.parse(_file("metainfo/*.metainfo.xml")).getroot()


def _check(program: str, *arguments: str):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_menu_entry_is_valid():
    _check("desktop-file-validate", str(_file("applications/*.desktop")))


def test_the_catalogue_entry_is_valid():
    _check("appstreamcli", "validate", "--no-net", str(_file("metainfo/*.metainfo.xml")))


def test_all_entries_name_the_same_program_and_file_types():
    entry, component, types = _entry(), _component(), _file_types()
    assert types == {"application/x-shrec-viewer-project": "*.shrec", "text/x-psb-classification": "*.cla"}
    assert entry["MimeType"].rstrip(";").split(";") == list(types)
    assert [found.text for found in component.iter("mediatype")] == list(types)
    assert entry["Name"] == component.findtext("name") == APPLICATION_NAME
    assert component.get("type") == "desktop-application"
    assert component.findtext("launchable") == _file("applications/*.desktop").name
    assert entry["Categories"].rstrip(";").split(";") == [found.text for found in component.iter("category")]


def test_the_window_belongs_to_the_menu_entry():
    entry = _entry()
    assert entry["StartupWMClass"] == _file("applications/*.desktop").stem
    assert entry["Exec"] == "shrec-viewer %f"


def test_the_files_have_the_layout_of_usr_share():
    files = desktop_files()
    assert all(path.is_file() for path in files.values())
    assert {name for name in files if not name.startswith("icons/")} == {
        "applications/shrec-viewer.desktop",
        "metainfo/org.shrec_viewer.viewer.metainfo.xml",
        "mime/packages/shrec-viewer.xml",
    }
    icons = {name for name in files if name.startswith("icons/")}
    assert icons == {
        "icons/hicolor/scalable/apps/shrec-viewer.svg",
        *(f"icons/hicolor/{size}x{size}/apps/{_entry()['Icon']}.png" for size in SIZES),
    }
    for size in SIZES:
        image = QImage(str(files[f"icons/hicolor/{size}x{size}/apps/shrec-viewer.png"]))
        assert (image.width(), image.height()) == (size, size)
