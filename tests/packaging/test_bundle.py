"""What the bundle contains and leaves out, its licences, and equal builds of the same files."""

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from shrec_viewer.cli.display import X11_LIBRARIES
from shrec_viewer.cli.program import COMMANDS, load_command

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bundle(monkeypatch):
    """Imports a module of ``packaging/bundle``."""
    monkeypatch.syspath_prepend(ROOT / "packaging")
    return lambda name: importlib.import_module(f"bundle.{name}")


@pytest.mark.parametrize(
    "path",
    [
        "PySide6/Qt/translations/qtbase_de.qm",
        "PySide6/Qt/plugins/tls/libqopensslbackend.so",
        "PySide6/Qt/plugins/platforms/libqvnc.so",
        "PySide6/plugins/tls/qschannelbackend.dll",
        "PySide6/Qt/lib/libQt6Network.so.6",
        "PySide6/Qt6Quick.dll",
        "numpy/_core/lib/libnpymath.a",
        "numpy/random/tests/test_random.py",
        "numpy/_core/_umath_tests.cpython-311-x86_64-linux-gnu.so",
        "networkx/algorithms/tests/test_covering.py",
        "matplotlib/mpl-data/sample_data/topobathy.npz",
        "qtawesome\\fonts\\fontawesome5-solid-webfont-5.15.4.ttf",
    ],
)
def test_what_is_left_out(bundle, path):
    assert bundle("contents").is_unused(path)


@pytest.mark.parametrize(
    "path",
    [
        "PySide6/Qt/plugins/platforms/libqxcb.so",
        "PySide6/Qt/plugins/platforms/libqoffscreen.so",
        "PySide6/Qt/plugins/platforms/libqwayland.so",
        "PySide6/plugins/platforms/qwindows.dll",
        "PySide6/Qt/plugins/imageformats/libqwebp.so",
        "PySide6/Qt/plugins/platformthemes/libqgtk3.so",
        "PySide6/Qt/lib/libQt6Svg.so.6",
        "qtawesome/fonts/phosphor-1.3.0.ttf",
        "matplotlib/mpl-data/matplotlibrc",
        "numpy/testing/__init__.py",
    ],
)
def test_what_is_kept(bundle, path):
    assert not bundle("contents").is_unused(path)


def test_no_resource_of_the_program_is_left_out(bundle):
    contents = bundle("contents")
    files = [path.relative_to(ROOT / "resources") for path in (ROOT / "resources").rglob("*") if path.is_file()]
    assert not [path for path in files if contents.is_unused(f"shrec_viewer/_resources/{path.as_posix()}")]


def test_excluded_modules_are_not_imported_by_the_program(bundle):
    excluded = bundle("contents").EXCLUDED_MODULES
    code = (
        "import sys; from shrec_viewer.app.window.main_window import MainWindow;"
        "from shrec_viewer.cli.program import run; from shrec_viewer.widgets.plots.curve_plot import CurvePlot;"
        "import shrec_viewer.report.figures.rendering, trimesh, PIL.Image;"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    needed = set(done.stdout.split())
    assert done.returncode == 0, done.stderr
    own = {name for name in excluded if name in needed}
    # Imported by pyqtgraph and trimesh where they are present.
    assert own <= {"PySide6.QtTest", "numpy.f2py", "scipy"}


def test_libraries_that_desktops_may_lack_are_bundled(bundle):
    linux = bundle("linux")
    on_every_desktop = {"libX11-xcb.so.1", "libxcb.so.1", "libxcb-glx.so.0", "libxcb-randr.so.0", "libxcb-render.so.0"}
    on_every_desktop |= {"libxcb-shape.so.0", "libxcb-shm.so.0", "libxcb-sync.so.1", "libxcb-xfixes.so.0"}
    for library, _ in X11_LIBRARIES:
        bundled = linux.is_bundled(library, f"/lib/x86_64-linux-gnu/{library}")
        assert bundled != (library in on_every_desktop), library
    for library in ("libGL.so.1", "libstdc++.so.6", "libglib-2.0.so.0", "libgtk-3.so.0", "libfontconfig.so.1"):
        assert not linux.is_bundled(library, f"/usr/lib/x86_64-linux-gnu/{library}")


def test_the_licences_of_all_packages_are_gathered(bundle, tmp_path):
    licences = bundle("licences")
    found = licences.distributions(extras=())
    assert {"numpy", "pyside6-essentials", "matplotlib", "pillow", "trimesh", "moderngl", "click", "rich"} <= set(found)
    for name, distribution in found.items():
        if name != "shrec-viewer":
            text = licences.section(distribution)
            assert f"{distribution.metadata['Name']} {distribution.version}" in text
            assert "see below" not in text or len(text) > 500, f"no licence of {name}"
    assert "Lesser General Public License" in licences.section(found["pyside6-essentials"])


def test_the_check_of_the_installed_program_runs_each_command():
    text = (ROOT / "packaging/linux/check_installed.sh").read_text(encoding="utf-8")
    listed = {name for name in COMMANDS if not load_command(name).hidden}
    assert listed - {"demo"} <= set(re.findall(r'^ +"\$@" (\w+) ', text, re.MULTILINE))


def test_two_builds_give_equal_wheels_and_sdists(tmp_path):
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1750000000"}
    built = []
    for name in ("first", "second"):
        source = tmp_path / name
        for folder in ("shrec_viewer", "resources", "packaging"):
            shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__"))
        for file in ("pyproject.toml", "README.md", "CONTRIBUTING.md", "CITATION.cff", "LICENSE", ".gitignore"):
            shutil.copy(ROOT / file, source)
        call = [sys.executable, "-m", "hatchling", "build"]
        done = subprocess.run(call, cwd=source, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        built.append({path.name: path.read_bytes() for path in (source / "dist").iterdir()})
    assert len(built[0]) == 2
    assert built[0] == built[1]


def test_the_version_is_in_one_place():
    named = [
        path.relative_to(ROOT).as_posix()
        for folder in ("packaging", "resources/desktop")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".sh", ".spec", ".xml", ".desktop", ".nsi", ".yml", ".json")
        and "0.1.0" in path.read_text(encoding="utf-8")
    ]
    assert named == []
