"""Licences of everything in the bundle, as one text file."""

import sys
import sysconfig
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution
from pathlib import Path

FILE = "licences.txt"
"""Name of the file; `shrec_viewer.resources.resource` finds it in a bundle."""

FOLDER = "shrec_viewer/_resources"

NAMES = ("licen", "copying", "notice", "authors")
"""Beginnings of names of licence files, in lower case."""

COMMON_LICENCES = Path("/usr/share/common-licenses")
"""Texts to which the copyright files of Debian refer."""

LINE = "=" * 80

QT_NOTICE = """Qt and PySide6 are used under the GNU Lesser General Public License, version 3. They are shared libraries
in the folder PySide6 of this installation and can be replaced by other builds of the same version."""


def distributions(name: str = "shrec-viewer", extras: Iterable[str] = ("meshes",)) -> dict[str, Distribution]:
    """The installed distributions on which the program depends, by name in lower case."""
    from packaging.requirements import Requirement

    found: dict[str, Distribution] = {}

    def add(name: str, extras: Iterable[str]) -> None:
        if name.lower() in found:
            return
        found[name.lower()] = distribution(name)
        for text in found[name.lower()].requires or ():
            needed = Requirement(text)
            if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in (*extras, "")):
                add(needed.name, needed.extras)

    add(name, extras)
    return dict(sorted(found.items()))


def licence_files(found: Distribution) -> list[Path]:
    """Licence files in the metadata and the package of a distribution."""
    paths = [Path(str(found.locate_file(file))) for file in found.files or ()]
    return [path for path in paths if path.is_file() and path.name.lower().startswith(NAMES) and path.suffix != ".py"]


def section(found: Distribution) -> str:
    """Name, version and licence texts of a distribution."""
    metadata = found.metadata
    licence = metadata.get("License-Expression") or (metadata.get("License") or "").partition("\n")[0]
    licence = licence or ", ".join(
        line.rpartition(" :: ")[2] for line in metadata.get_all("Classifier") or () if line.startswith("License")
    )
    parts = [LINE, f"{metadata['Name']} {found.version}", f"Licence: {licence or 'see below'}"]
    if metadata["Name"].lower().startswith(("pyside6", "shiboken6")):
        parts.append(QT_NOTICE)
    parts += [path.read_text(encoding="utf-8", errors="replace").rstrip() for path in licence_files(found)]
    return "\n\n".join(parts)


def python_section() -> str:
    """Licence of Python itself."""
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    places = (
        Path(sysconfig.get_path("stdlib")) / "LICENSE.txt",
        Path(sys.base_prefix) / "LICENSE.txt",
        Path(f"/usr/share/doc/lib{name}/copyright"),
        Path(f"/usr/share/doc/{name}/copyright"),
    )
    text = next((place.read_text(encoding="utf-8") for place in places if place.is_file()), "")
    if not text:
        raise FileNotFoundError("the licence of Python was not found: " + ", ".join(map(str, places)))
    return "\n\n".join([LINE, f"Python {sys.version.split()[0]}", text.rstrip()])


def write(folder: Path) -> list[tuple[str, str]]:
    """Write the licences of Python and all packages; returns the entry for PyInstaller's list of data files."""
    folder.mkdir(parents=True, exist_ok=True)
    begin = "SHREC Viewer contains the following software.\n"
    others = [section(found) for name, found in distributions().items() if name != "shrec-viewer"]
    (folder / FILE).write_text("\n\n".join([begin, python_section(), *others, ""]), encoding="utf-8")
    return [(str(folder / FILE), FOLDER)]


def append_system_libraries(folder: Path, sources: Iterable[str]) -> None:
    """Add the licences of bundled libraries of a Debian build system; other systems have none."""
    if not Path("/var/lib/dpkg/info").is_dir():
        return
    packages = sorted({package for source in sources if (package := _debian_package(source))})
    parts = []
    for package in packages:
        text = Path(f"/usr/share/doc/{package}/copyright")
        if package.startswith("libpython") or not text.is_file():
            continue
        parts.append("\n\n".join([LINE, f"{package} (Debian)", text.read_text(encoding="utf-8", errors="replace")]))
    parts += [
        "\n\n".join([LINE, path.name, path.read_text(encoding="utf-8")])
        for name in ("LGPL-3", "GPL-3", "LGPL-2.1", "Apache-2.0")
        if (path := COMMON_LICENCES / name).is_file()
    ]
    with (folder / FILE).open("a", encoding="utf-8") as file:
        file.write("\n\n".join([*parts, ""]))


def _debian_package(source: str) -> str:
    """Package that owns a file; "" if none does. Debian 12 lists some files below /lib, some below /usr/lib."""
    import subprocess

    path = Path(source).resolve()
    if not path.is_relative_to("/usr/lib") and not path.is_relative_to("/lib"):
        return ""
    names = {str(path), str(path).removeprefix("/usr")}
    found = subprocess.run(["dpkg", "-S", *sorted(names)], capture_output=True, text=True, check=False)
    return found.stdout.partition(":")[0]
