"""Lay out the Debian package around the bundle: python packaging/linux/deb.py BUNDLE TREE.

`packaging/linux/build.sh` calls it in the build system and makes the package of TREE.
"""

import gzip
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import formatdate
from hashlib import md5
from pathlib import Path

import manual

from shrec_viewer import __version__
from shrec_viewer.resources import desktop_files

ROOT = Path(__file__).parents[2]

NAME = "shrec-viewer"

MAINTAINER = "SHREC Viewer developers <maintainers@shrec-viewer.invalid>"

RECOMMENDED = (
    "libgl1-mesa-dri",
    "libwayland-client0",
    "libwayland-cursor0",
    "libwayland-egl1",
    "xdg-utils",
    "libfile-mimeinfo-perl",
)
"""Drivers for OpenGL, Wayland, and the program that opens files in others.

Without libfile-mimeinfo-perl, xdg-open on a desktop other than GNOME, KDE and Xfce takes the type of a file from
file(1), which ignores the MIME types of packages (xdg-utils 1.1.3): a .shrec is text/plain.
"""

OPTIONAL = ("gtk3", "wayland", "wlshell")
"""Parts of the paths of plug-ins that are loaded only where their libraries exist: they add no dependencies."""

DESCRIPTION = """inspect and evaluate the rankings of 3D shape retrieval contests
 For organisers and participants of 3D shape retrieval contests (SHREC). It
 opens the files that a contest exchanges (classification, relevance
 assessment, ranked lists or distance matrices, models), shows each ranked
 list as thumbnails framed by relevance, draws precision-recall, gain and
 generality graphs, and computes the measures under the conventions of that
 contest. The same numbers are available from the command line without a
 screen."""

OVERRIDES = """# The package contains Python, Qt and numpy in tested versions, as Debian 12 lacks PySide6 and numpy 2.
shrec-viewer: duplicate-font-file *
shrec-viewer: embedded-library *
shrec-viewer: extra-license-file *
shrec-viewer: font-in-non-font-package *
shrec-viewer: font-outside-font-dir *
shrec-viewer: hardening-no-bindnow *
shrec-viewer: hardening-no-fortify-functions *
shrec-viewer: hardening-no-pie *
shrec-viewer: library-not-linked-against-libc *
shrec-viewer: package-contains-documentation-outside-usr-share-doc *
shrec-viewer: shared-library-lacks-prerequisites *
shrec-viewer: spelling-error-in-binary *
shrec-viewer: unstripped-binary-or-object *
"""


def changed_at() -> int:
    """Time of the commit, seconds since 1970; `packaging/release.sh` sets it."""
    return int(os.environ["SOURCE_DATE_EPOCH"])


def dependencies(bundle: Path, work: Path) -> str:
    """Packages with the libraries that the files of the bundle need and the bundle lacks."""
    (work / "debian").mkdir(parents=True, exist_ok=True)
    (work / "debian/control").write_text(f"Source: {NAME}\n\nPackage: {NAME}\nArchitecture: any\n")
    files = [path for path in sorted(bundle.rglob("*")) if path.is_file() and not path.is_symlink() and _is_elf(path)]
    needed = [path for path in files if not any(name in str(path.relative_to(bundle)).lower() for name in OPTIONAL)]
    call = ["dpkg-shlibdeps", "-O", "--ignore-missing-info"]
    call += [f"-l{folder}" for folder in sorted({str(path.parent) for path in files})]
    call += [f"-x{package}" for package in _packages(path.name for path in (bundle / "_internal").glob("*.so*"))]
    done = subprocess.run([*call, *(f"-e{path}" for path in needed)], cwd=work, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout.partition("shlibs:Depends=")[2].strip()


def _packages(libraries: Iterable[str]) -> list[str]:
    """Packages of the build system whose libraries are in the bundle, so that it does not need them."""
    found = subprocess.run(["dpkg", "-S", *(f"*/{name}" for name in libraries)], capture_output=True, text=True)
    return sorted({line.partition(":")[0] for line in found.stdout.splitlines()})


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def changelog() -> bytes:
    """The change log in Debian's form: one entry that names the file with the changes."""
    entry = f"{NAME} ({__version__}) stable; urgency=low\n\n  * Version {__version__}; see CHANGELOG.md.gz.\n\n"
    return f"{entry} -- {MAINTAINER}  {formatdate(changed_at())}\n".encode()


def metainfo(text: str) -> str:
    """The catalogue entry with this version as its release."""
    day = datetime.fromtimestamp(changed_at(), UTC).date()
    release = f'  <releases>\n    <release version="{__version__}" date="{day}"/>\n  </releases>\n'
    return text.replace("</component>", f"{release}</component>")


def write(path: Path, content: bytes, *, packed: bool = False) -> None:
    """Write a file with its folders; compressed without a date."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content, mtime=0) if packed else content)


def lay_out(bundle: Path, tree: Path) -> None:
    """Write all files of the package, and its control file."""
    share, lib = tree / "usr/share", tree / f"usr/lib/{NAME}"
    shutil.copytree(bundle, lib, symlinks=True)
    (tree / "usr/bin").mkdir(parents=True)
    (tree / f"usr/bin/{NAME}").symlink_to(f"../lib/{NAME}/{NAME}")
    for name, path in desktop_files().items():
        content = path.read_bytes()
        write(share / name, metainfo(content.decode()).encode() if name.startswith("metainfo/") else content)
    write(share / f"man/man1/{NAME}.1.gz", manual.man_page().encode(), packed=True)
    manual.main(["completions", str(share)])
    doc = share / f"doc/{NAME}"
    write(doc / "changelog.gz", changelog(), packed=True)
    write(doc / "CHANGELOG.md.gz", (ROOT / "packaging/CHANGELOG.md").read_bytes(), packed=True)
    (licences,) = bundle.rglob("licences.txt")
    own = (ROOT / "LICENSE").read_text(encoding="utf-8")
    note = f"\nThe licences of the software in this package are in /usr/lib/{NAME}/{licences.relative_to(bundle)}.\n"
    write(doc / "copyright", (own + note).encode())
    write(share / f"lintian/overrides/{NAME}", OVERRIDES.encode())
    for path in tree.rglob("*"):
        if not path.is_symlink():
            is_program = path.is_dir() or (path.name == NAME and path.parent == lib)
            path.chmod(0o755 if is_program else 0o644)
    size = sum(path.lstat().st_size for path in tree.rglob("*") if path.is_file()) // 1024
    architecture = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True)
    control = {
        "Package": NAME,
        "Version": __version__,
        "Architecture": architecture.stdout.strip(),
        "Maintainer": MAINTAINER,
        "Installed-Size": str(size),
        "Depends": dependencies(bundle, tree.with_name("shlibdeps")),
        "Recommends": ", ".join(RECOMMENDED),
        "Section": "science",
        "Priority": "optional",
        "Homepage": "https://www.shrec.net/",
        "Description": DESCRIPTION,
    }
    write(tree / "DEBIAN/control", "".join(f"{key}: {value}\n" for key, value in control.items()).encode())
    files = sorted(path for path in (tree / "usr").rglob("*") if path.is_file() and not path.is_symlink())
    sums = "".join(f"{md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}\n" for path in files)
    write(tree / "DEBIAN/md5sums", sums.encode())
    for path in [*tree.rglob("*"), tree]:
        os.utime(path, (changed_at(), changed_at()), follow_symlinks=False)


if __name__ == "__main__":
    lay_out(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
