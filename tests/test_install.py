"""What is installed: the wheel with its resources, and the scripts that set up a new machine and run the checks."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from shrec_viewer.cli.display import QT_LIBRARIES, X11_LIBRARIES

ROOT = Path(__file__).parents[1]


# ------------------------------------------------------------------------------- packages


def _build(source: Path, target: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True, text=True)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return _build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


def _files(folder: str) -> set[str]:
    found = (path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*") if path.is_file())
    return {name for name in found if "/." not in name and "__pycache__" not in name}


def test_every_resource_reaches_the_wheel(wheel):
    packed = set(zipfile.ZipFile(wheel).namelist())
    wanted = {name.replace("resources/", "shrec_viewer/_resources/", 1) for name in _files("resources")}
    assert wanted <= packed
    assert "shrec_viewer/py.typed" in packed
    assert "shrec_viewer/_resources/help/changes.md" in packed, "the change log, which the help shows"


def test_the_wheel_holds_the_program_and_nothing_else(wheel):
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"shrec_viewer"}


def test_the_source_distribution_makes_the_same_wheel(wheel, tmp_path):
    archive = _build(ROOT, "sdist", tmp_path / "sdist")
    with tarfile.open(archive) as packed:
        packed.extraction_filter = getattr(tarfile, "data_filter", None)  # since 3.11.4, and required since 3.12
        packed.extractall(tmp_path / "source")
    (source,) = (tmp_path / "source").iterdir()
    again = _build(source, "wheel", tmp_path / "again")
    assert again.name == wheel.name
    assert set(zipfile.ZipFile(again).namelist()) == set(zipfile.ZipFile(wheel).namelist())


def test_the_installed_package_finds_its_demo_and_evaluates_it(installed, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(installed)}

    def python(*arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-P", *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    answer = python("-m", "shrec_viewer", "evaluate", "demo", "--format", "json")
    assert answer.returncode == 0, answer.stderr
    document = json.loads(answer.stdout)
    assert document["schema"] == "shrec-viewer/scores/1"
    assert len(document["runs"]) == 6
    where = python("-c", "import shrec_viewer; print(shrec_viewer.__file__)").stdout.strip()
    assert Path(where).is_relative_to(installed), "the wheel is what was asked, not the checkout"


# ------------------------------------------------------------------------ a fresh machine

TOOLS = (
    "sh",
    "cat",
    "cksum",
    "cp",
    "cut",
    "dirname",
    "env",
    "grep",
    "mkdir",
    "mkfifo",
    "mktemp",
    "rm",
    "sed",
    "tail",
    "touch",
    "tr",
    "true",
    "uname",
)

PYTHON = """#!/bin/sh
echo "${0##*/} $*" >>"$LOG"
case "$*" in
    *version_info*) [ "$FITS" = yes ] ;;
    --version) echo "Python $VERSION" ;;
    "-c import ensurepip"*) [ "$ENSUREPIP" = yes ] ;;
    "-m pip --version") [ "$PIP" = yes ] || [ -e "$LOG.pip" ] ;;
    *--target*) touch "$LOG.pip" ;;
    "-m venv "*)
        for folder; do :; done
        mkdir -p "$folder/bin" && touch "$folder/pyvenv.cfg" && cp "$0" "$folder/bin/python" ;;
    *"pip install"*)
        echo "WARNING: a notice" >&2
        if [ "$ONLINE" = yes ]; then
            echo "Collecting numpy>=2.0 (from shrec-viewer)"
            echo "  Downloading numpy"
            echo "Installing collected packages: numpy"
        else
            echo "ERROR: no index" >&2
            false
        fi ;;
    *missing_libraries*) [ ! -s "$LIBRARIES" ] || cat "$LIBRARIES" ;;
esac
"""

APT = """#!/bin/sh
echo "apt-get $*" >>"$LOG"
[ "$APT" = works ] || exit 1
[ "$1" = update ] || : >"$LIBRARIES"
"""


class Machine:
    """A simulated machine: a PATH of stub programs that log how they are called."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "a folder with blanks"
        (self.root / "packaging").mkdir(parents=True)
        (self.root / "shrec_viewer/cli").mkdir(parents=True)
        for name in (
            "packaging/setup.sh",
            "packaging/test.sh",
            "packaging/constraints.txt",
            "shrec_viewer/cli/display.py",
        ):
            shutil.copy(ROOT / name, self.root / name)
        (self.root / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
        self.bin = folder / "bin"
        self.bin.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.log = folder / "log"
        self.libraries = folder / "libraries"
        self.libraries.touch()
        self.settings = dict.fromkeys(("FITS", "ENSUREPIP", "PIP", "ONLINE"), "yes")
        self.settings |= {"VERSION": "3.11.2", "APT": "works"}
        self.add("python3", PYTHON)
        self.add("id", "#!/bin/sh\necho 1000\n")

    def add(self, name: str, script: str) -> None:
        (self.bin / name).unlink(missing_ok=True)
        (self.bin / name).write_text(script, encoding="utf-8")
        (self.bin / name).chmod(0o755)

    def lack(self, *rows: str) -> None:
        self.libraries.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")

    def set_up(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        self.log.write_text("", encoding="utf-8")
        places = {"PATH": str(self.bin), "LOG": str(self.log), "LIBRARIES": str(self.libraries)}
        script = str(self.root / "packaging/setup.sh")
        return subprocess.run(
            [str(self.bin / "sh"), script, *arguments], env={**places, **self.settings}, capture_output=True, text=True
        )

    @property
    def calls(self) -> str:
        return self.log.read_text(encoding="utf-8")


@pytest.fixture
def machine(tmp_path):
    if os.name != "posix":
        pytest.skip("the scripts need a POSIX shell; the README has the commands for Windows")
    return Machine(tmp_path)


def test_it_makes_an_environment_and_installs_the_package_there(machine):
    answer = machine.set_up("test")
    assert answer.returncode == 0, answer.stderr
    assert f"python3 -m venv {machine.root}/.venv" in machine.calls
    assert "--constraint packaging/constraints.txt --editable .[test]" in machine.calls


def test_each_step_and_each_package_prints_one_line(machine):
    answer = machine.set_up("test")
    assert [line.split()[:2] for line in answer.stderr.splitlines()] == [
        ["setup:", "creating"],
        ["setup:", "installing"],
        ["setup:", "fetching"],
        ["setup:", "unpacking"],
        ["setup:", "installed"],
    ]
    assert "setup:   fetching numpy>=2.0\n" in answer.stderr
    assert "--constraint packaging/constraints.txt --editable .[test]" in machine.calls


def test_of_a_failed_installation_the_errors_are_printed(machine):
    machine.settings["ONLINE"] = "no"
    answer = machine.set_up("test")
    assert answer.returncode == 1
    first, *_, error, reason = answer.stderr.splitlines()
    assert (first.split()[:2], error) == (["setup:", "creating"], "ERROR: no index")
    assert "pip could not install the package" in reason
    assert "notice" not in answer.stderr


def test_nothing_is_installed_again_until_a_dependency_changes(machine):
    machine.set_up("test")
    again = machine.set_up("test")
    assert (again.returncode, again.stderr) == (0, "")
    assert "pip install" not in machine.calls
    assert machine.set_up().returncode == 0
    assert "pip install" not in machine.calls, "the tests' environment is enough for the program"
    for changed in ("pyproject.toml", "packaging/constraints.txt"):
        with (machine.root / changed).open("a", encoding="utf-8") as file:
            file.write("# changed\n")
        machine.set_up("test")
        assert "pip install" in machine.calls, changed


def test_an_old_python_is_reported(machine):
    machine.settings |= {"FITS": "no", "VERSION": "3.9.2"}
    answer = machine.set_up()
    assert answer.returncode == 1
    assert "Python 3.11 to 3.14 is required, found Python 3.9.2" in answer.stderr


def test_a_newer_python_is_preferred_to_an_old_python3(machine):
    machine.add("python3.12", PYTHON)
    machine.add("python3", '#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.2\n')
    assert machine.set_up().returncode == 0
    assert f"python3.12 -m venv {machine.root}/.venv" in machine.calls


def test_without_root_the_exact_command_is_printed(machine):
    machine.add("apt-get", APT)
    machine.add("apt-cache", "#!/bin/sh\nfalse\n")
    machine.lack("libGL.so.1 libgl1", "libxcb-cursor.so.0 libxcb-cursor0")
    answer = machine.set_up()
    assert answer.returncode == 3
    assert "Qt needs system libraries that are missing: libGL.so.1 libxcb-cursor.so.0\n" in answer.stderr
    assert "\n    apt-get install -y --no-install-recommends libgl1 libxcb-cursor0\n" in answer.stderr
    assert "apt-get" not in machine.calls


def test_sudo_with_a_password_prints_the_command(machine):
    machine.add("apt-get", APT)
    machine.add("apt-cache", "#!/bin/sh\nfalse\n")
    machine.add("sudo", "#!/bin/sh\nfalse\n")
    machine.lack("libGL.so.1 libgl1")
    answer = machine.set_up()
    assert answer.returncode == 3
    assert "\n    sudo apt-get install -y --no-install-recommends libgl1\n" in answer.stderr


@pytest.mark.parametrize("who", ["root", "sudo"])
def test_with_root_the_libraries_are_installed_under_the_names_of_the_system(machine, who):
    machine.add("apt-get", APT)
    machine.add("apt-cache", '#!/bin/sh\n[ "$2" = libglib2.0-0t64 ]\n')
    if who == "root":
        machine.add("id", "#!/bin/sh\necho 0\n")
    else:
        machine.add("sudo", '#!/bin/sh\nshift\nexec "$@"\n')
    machine.lack("libglib-2.0.so.0 libglib2.0-0", "libGL.so.1 libgl1")
    answer = machine.set_up()
    assert answer.returncode == 0, answer.stderr
    assert "apt-get install -y -qq --no-install-recommends libglib2.0-0t64 libgl1\n" in machine.calls


def test_a_failing_apt_prints_the_command_too(machine):
    machine.add("apt-get", APT)
    machine.add("apt-cache", "#!/bin/sh\nfalse\n")
    machine.add("id", "#!/bin/sh\necho 0\n")
    machine.settings["APT"] = "fails"
    machine.lack("libGL.so.1 libgl1")
    answer = machine.set_up()
    assert answer.returncode == 3
    assert "apt-get update -qq" in machine.calls
    assert "\n    apt-get install -y --no-install-recommends libgl1\n" in answer.stderr


@pytest.mark.parametrize(
    ("tool", "sentence"),
    [("dnf", "sudo dnf install 'libGL.so.1()(64bit)'"), (None, "install the packages that contain them")],
)
def test_systems_without_apt_print_the_library_names(machine, tool, sentence):
    if tool:
        machine.add(tool, "#!/bin/sh\n")
    machine.lack("libGL.so.1 libgl1")
    answer = machine.set_up()
    assert answer.returncode == 3
    assert "libGL.so.1" in answer.stderr
    assert sentence in answer.stderr


def test_without_a_network_a_message_is_printed_and_the_next_run_tries_again(machine):
    machine.settings["ONLINE"] = "no"
    answer = machine.set_up()
    assert answer.returncode == 1
    assert "pip could not install the package" in answer.stderr
    machine.settings["ONLINE"] = "yes"
    assert machine.set_up().returncode == 0
    assert "pip install" in machine.calls


def test_without_ensurepip_pip_is_installed_by_pip(machine):
    machine.settings["ENSUREPIP"] = "no"
    assert machine.set_up().returncode == 0
    assert f"python3 -m venv --without-pip {machine.root}/.venv" in machine.calls
    assert "--target" in machine.calls


def _apt_command(answer, sudo):
    """Packages of the only apt command that is printed; it is indented, on a line of its own."""
    (line,) = [line for line in answer.stderr.splitlines() if "apt-get" in line]
    prefix = f"    {'sudo ' * sudo}apt-get install -y --no-install-recommends "
    assert line.startswith(prefix)
    return line.removeprefix(prefix).split()


LIBRARY_PACKAGES = {package for _, package in (*QT_LIBRARIES, *X11_LIBRARIES)}


@pytest.mark.parametrize("sudo", [False, True])
def test_without_ensurepip_and_pip_one_command_is_printed(machine, sudo):
    machine.settings |= {"ENSUREPIP": "no", "PIP": "no"}
    machine.add("apt-get", APT)
    machine.add("apt-cache", "#!/bin/sh\nfalse\n")
    if sudo:
        machine.add("sudo", "#!/bin/sh\nfalse\n")
    answer = machine.set_up()
    assert answer.returncode == 1
    assert "Python's venv module is missing" in answer.stderr
    assert set(_apt_command(answer, sudo)) == {"python3-venv"} | LIBRARY_PACKAGES


def test_without_python_and_without_root_one_command_for_everything_is_printed_at_once(machine):
    (machine.bin / "python3").unlink()
    machine.add("apt-get", APT)
    machine.add("apt-cache", '#!/bin/sh\n[ "$2" = libglib2.0-0t64 ]\n')
    answer = machine.set_up()
    assert answer.returncode == 1
    assert machine.calls == "", "nothing is installed or downloaded before"
    renamed = LIBRARY_PACKAGES - {"libglib2.0-0"} | {"libglib2.0-0t64"}
    assert set(_apt_command(answer, sudo=False)) == {"python3", "python3-venv"} | renamed


# --------------------------------------------------------------------------- the checks


@pytest.mark.parametrize("broken", [(), ("ruff",), ("mypy",), ("ruff", "mypy", "python")])
def test_the_checks_end_with_one_line_each(machine, broken):
    machine.set_up("test")
    tools = machine.root / ".venv/bin"
    for tool in ("ruff", "mypy"):
        (tools / tool).write_text(f"#!/bin/sh\nexit {int(tool in broken)}\n", encoding="utf-8")
        (tools / tool).chmod(0o755)
    if "python" in broken:
        fail = 'case "$*" in *"-m pytest"*) exit 1 ;; esac\n'
        (tools / "python").write_text(PYTHON.replace("\n", f"\n{fail}", 1), encoding="utf-8")
    command = [str(machine.bin / "sh"), str(machine.root / "packaging/test.sh")]
    places = {"PATH": str(machine.bin), "LOG": str(machine.log), "LIBRARIES": str(machine.libraries)}
    answer = subprocess.run(command, env={**places, **machine.settings}, capture_output=True, text=True)
    results = {"lint": "ruff", "format": "ruff", "tests": "python", "types": "mypy"}
    expected = [f"{check:<8}{'failed' if tool in broken else 'passed'}" for check, tool in results.items()]
    assert answer.stdout.splitlines() == expected
    assert answer.returncode == int(bool(broken))


# ---------------------------------------------------------------------- tested versions


def _pins():
    lines = (ROOT / "packaging/constraints.txt").read_text(encoding="utf-8").splitlines()
    rows = [
        re.fullmatch(r"([\w.-]+)==([\d.]+)(?:b\d+)?(?:\.post\d+)?(?:; python_version (<|>=) \"3\.12\")?", line)
        for line in lines
        if line[0] != "#"
    ]
    assert all(rows)
    return [(re.sub(r"[-_.]+", "-", row[1]).lower(), row[2], row[3]) for row in rows]


def test_a_package_has_one_tested_version_for_each_python():
    pins = _pins()
    for name in {name for name, *_ in pins}:
        markers = sorted(str(marker) for other, _, marker in pins if other == name)
        assert markers in (["None"], ["<", ">="]), name


def test_every_dependency_has_a_tested_version_within_its_bounds():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [
        *project["dependencies"],
        *(line for extra in project["optional-dependencies"].values() for line in extra),
    ]
    versions = {}
    for name, version, _ in _pins():
        versions.setdefault(name, []).append(tuple(map(int, version.split("."))))
    for line in needed:
        name, bounds = re.fullmatch(r"([\w.-]+)((?:[<>=!]+[\d.]+,?)+)", line).groups()
        for version in versions[re.sub(r"[-_.]+", "-", name).lower()]:
            for operator, bound in re.findall(r"([<>=!]+)([\d.]+)", bounds):
                limit = tuple(map(int, bound.split(".")))
                fits = {">=": version >= limit, "<": version < limit, "!=": version != limit}[operator]
                assert fits, f"{line}: {version}"


def test_a_folder_named_venv_that_is_not_an_environment_is_kept(machine):
    (machine.root / ".venv").mkdir()
    (machine.root / ".venv/notes.txt").write_text("mine", encoding="utf-8")
    answer = machine.set_up()
    assert answer.returncode == 1
    assert "exists but is not a virtual environment; move it away" in answer.stderr
    assert (machine.root / ".venv/notes.txt").read_text(encoding="utf-8") == "mine"


def test_the_lower_bounds_of_the_release_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    needed = (re.match(r"([\w.-]+)>=([\d.]+)", line).groups()
              for line in (*project["dependencies"], *extras["meshes"], *extras["cluster"]))  # fmt: skip
    lines = (ROOT / "packaging/lower-bounds.txt").read_text(encoding="utf-8").splitlines()
    listed = [tuple(line.split("==")) for line in lines if line[0] != "#"]
    assert sorted(listed) == sorted(needed)
