"""Recipes of installers for Windows, macOS and Flatpak, as far as they can be checked on Linux."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from shrec_viewer.resources import desktop_files

PACKAGING = Path(__file__).parents[2] / "packaging"


def _need(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")


def test_nsis_compiles_the_installer_without_warnings(tmp_path):
    _need("makensis")
    bundle = tmp_path / "shrec-viewer"
    (bundle / "_internal").mkdir(parents=True)
    for name in ("shrec-viewer.exe", "shrec-viewer-window.exe", "_internal/base_library.zip"):
        (bundle / name).write_bytes(b"x")
    setup = tmp_path / "shrec-viewer-1.0-setup.exe"
    defined = {"VERSION": "1.0", "BUNDLE": bundle, "OUTPUT": setup}
    call = ["makensis", "-WX", "-V2", *(f"-D{name}={value}" for name, value in defined.items())]
    done = subprocess.run([*call, PACKAGING / "windows/installer.nsi"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert setup.read_bytes()[:2] == b"MZ"


def test_the_nsis_uninstaller_removes_what_the_installer_writes():
    installer, uninstaller = (PACKAGING / "windows/installer.nsi").read_text().split('Section "Uninstall"')
    keys = {
        key.split("\\shell")[0].split("\\DefaultIcon")[0]
        for key in re.findall(r'WriteRegStr HKCU "([^"]+)"', installer)
    }
    removed = set(re.findall(r'DeleteReg(?:Key|Value) HKCU "([^"]+)"', uninstaller))
    assert keys == removed
    assert set(re.findall(r'CreateShortcut "([^"]+)"', installer)) <= set(re.findall(r'Delete "([^"]+)"', uninstaller))


@pytest.mark.parametrize("script", ["macos/build.sh", "linux/build.sh", "linux/install.sh", "release.sh"])
def test_shell_scripts_have_no_syntax_errors(script):
    done = subprocess.run(["sh", "-n", PACKAGING / script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_flatpak_puts_the_files_of_the_desktop_in_their_places(tmp_path):
    yaml = pytest.importorskip("yaml")
    recipe = yaml.safe_load((PACKAGING / "flatpak/org.shrec_viewer.viewer.yml").read_text())
    (module,) = recipe["modules"]
    source, app = tmp_path / "source", tmp_path / "app"
    for row in module["sources"]:
        path = PACKAGING / "flatpak" / row["path"]
        if row["dest"] == "run":  # the bundle
            (source / "run/shrec-viewer").mkdir(parents=True)
            (source / "run/shrec-viewer/shrec-viewer").write_text("")
        else:
            shutil.copytree(path, source / row["dest"])
    app.mkdir()
    for command in module["build-commands"]:
        subprocess.run(["sh", "-ec", command.replace("/app/", f"{app}/")], cwd=source, check=True)
    shared = {path.relative_to(app / "share").as_posix() for path in (app / "share").rglob("*") if path.is_file()}
    renamed = f"mime/packages/{recipe['id']}.xml"
    assert shared == {renamed if name.startswith("mime/") else name for name in desktop_files()}
    assert (app / "bin" / recipe["command"]).resolve().is_file()
