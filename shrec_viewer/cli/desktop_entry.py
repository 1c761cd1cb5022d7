"""Menu entry, icons and file types in the user's data folder, for installations with pip."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import click

from shrec_viewer.cli.terminal import print_message, write_result
from shrec_viewer.resources import desktop_files

#: Name of the program in the lines ``Exec=`` of the menu entry.
PROGRAM = "shrec-viewer"

#: Systems without XDG folders, with what to do there.
NOT_LINUX = {
    "win32": "it has no menu entries of this kind; create a shortcut to the program, or use the installer",
    "darwin": "it has no menu entries of this kind; use the application bundle",
}

#: Folders that are kept until the caches are updated: without them, that fails (shared-mime-info 2.2).
DATABASES = ("applications", "packages")

#: Files that the programs for each database write (desktop-file-utils 0.26, shared-mime-info 2.2).
CACHES = {
    "applications": {"mimeinfo.cache"},
    "mime": {
        "XMLnamespaces", "aliases", "generic-icons", "globs", "globs2", "icons", "magic", "mime.cache", "subclasses",
        "treemagic", "types", "version",
    },
}  # fmt: skip

#: Characters with a backslash before them in a quoted argument (Desktop Entry Specification 1.5, "The Exec key").
QUOTED = '"`$\\'

#: Escapes of every value in a desktop file, applied after those of the argument.
ESCAPES = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def data_home() -> Path:
    """``$XDG_DATA_HOME``, or its default; the specification ignores relative paths."""
    folder = Path(os.environ.get("XDG_DATA_HOME", ""))
    return folder if folder.is_absolute() else Path.home() / ".local/share"


def program_words() -> list[str]:
    """The command that started this program, with absolute paths."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    script = Path(sys.argv[0]).absolute()
    if script.name.startswith(PROGRAM) and os.access(script, os.X_OK):
        return [str(script)]  # not resolved: pipx replaces the target of its link
    return [sys.executable, "-m", "shrec_viewer"]


def exec_value(words: list[str]) -> str:
    r"""A command as value of ``Exec=``.

    GLib 2.74 looks for the program before it replaces ``%%``, so that such a program is started by ``env``.

    Examples
    --------
    >>> exec_value(["/home/ann/my programs/shrec-viewer"])
    '"/home/ann/my programs/shrec-viewer"'
    >>> print(exec_value(["/opt/50% $x"]))
    "env" "/opt/50%% \\$x"
    """
    quoted = []
    for word in ["env", *words] if "%" in words[0] else words:
        marked = "".join(f"\\{letter}" if letter in QUOTED else letter for letter in word.replace("%", "%%"))
        quoted.append(f'"{marked}"')
    return _escaped(" ".join(quoted))


def _escaped(value: str) -> str:
    return "".join(ESCAPES.get(letter, letter) for letter in value)


def menu_entry(text: str, words: list[str]) -> str:
    """The menu entry of the program with the command that starts it; hidden by desktops once that is removed."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith(f"Exec={PROGRAM}"):
            if not any(other.startswith("TryExec=") for other in lines):
                lines.append(f"TryExec={_escaped(words[0])}")
            line = f"Exec={exec_value(words)}{line.removeprefix(f'Exec={PROGRAM}')}"
        lines.append(line)
    return "\n".join(lines) + "\n"


def wanted_files() -> dict[Path, bytes]:
    """Contents of the files to install, by path."""
    contents = {data_home() / name: path.read_bytes() for name, path in desktop_files().items()}
    for path, content in contents.items():
        if path.suffix == ".desktop":
            contents[path] = menu_entry(content.decode("utf-8"), program_words()).encode("utf-8")
    return contents


def install_desktop() -> int:
    """Write the files that are missing or outdated, and print their paths; returns the exit status.

    A file that this function did not write, or that was changed since, is kept.
    """
    ours, kept, lines = _read_record(), [], []
    for path, content in wanted_files().items():
        current = _hash_of(path)
        if current == _hash(content):
            continue
        if current is not None and current != ours.get(str(path)):
            kept.append(path)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        ours[str(path)] = _hash(content)
        _write_record(ours)  # before the file, so that an interrupted call leaves nothing that is not recorded
        path.write_bytes(content)
        lines.append(f"wrote {path}\n")
    if lines:
        lines += _update_caches()
    write_result("".join(lines) or "the menu entry, icons and file types are up to date\n", None)
    for path in kept:
        print_message(f"{path} was written by another program or changed, and is kept")
    return 1 if kept else 0


def uninstall_desktop() -> int:
    """Remove the files that `install_desktop` wrote, and print their paths; returns the exit status."""
    ours, lines, kept = _read_record(), [], []
    for name, content in ours.items():
        path, current = Path(name), _hash_of(Path(name))
        if current is not None and current != content:
            kept.append(path)
        elif current is not None:
            path.unlink()
            lines.append(f"removed {path}\n")
            _remove_empty_folders(path.parent)
    if lines:
        lines += _update_caches()
        _remove_empty_databases()
    with suppress(FileNotFoundError):
        _record_path().unlink()
    write_result("".join(lines) or "no menu entry, icons and file types were installed by this command\n", None)
    for path in kept:
        print_message(f"{path} was changed since it was written, and is kept")
    return 0


def _remove_empty_folders(folder: Path) -> None:
    with suppress(OSError):  # not empty
        while folder != data_home() and folder.is_relative_to(data_home()) and folder.name not in DATABASES:
            folder.rmdir()
            folder = folder.parent


def _remove_empty_databases() -> None:
    """Remove databases that consist of caches only: the programs that write them leave caches without entries."""
    for name, caches in CACHES.items():
        folder = data_home() / name
        files = [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]
        if not folder.is_symlink() and all(path.parent == folder and path.name in caches for path in files):
            shutil.rmtree(folder, ignore_errors=True)


def _update_caches() -> list[str]:
    """Update the caches of desktops with their programs, where installed; returns what was run, as lines."""
    home = data_home()
    theme = home / "icons/hicolor"
    if theme.is_dir():
        os.utime(theme)  # desktops read a theme again when its folder is newer
    calls = [
        ("update-desktop-database", "-q", str(home / "applications")),
        ("update-mime-database", str(home / "mime")),
    ]
    if (theme / "icon-theme.cache").exists():  # a new cache would hide icons that others add without updating it
        calls.append(("gtk-update-icon-cache", "-q", "-f", "-t", str(theme)))
    lines = []
    for call in calls:
        if Path(call[-1]).is_dir() and (program := shutil.which(call[0])) is not None:
            done = subprocess.run([program, *call[1:]], capture_output=True, text=True, check=False)
            failed = "" if done.returncode == 0 else f" (status {done.returncode})"
            lines.append(f"ran {' '.join(call)}{failed}\n")
    return lines


def _record_path() -> Path:
    from platformdirs import user_state_path

    return user_state_path(PROGRAM, appauthor=False) / "desktop-files.json"


def _read_record() -> dict[str, str]:
    """Hashes of the files that were written, by path; empty if there is none or it is damaged."""
    try:
        record = json.loads(_record_path().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(record, dict):
        return {}
    return {path: str(content) for path, content in record.items() if Path(path).is_absolute()}


def _write_record(record: dict[str, str]) -> None:
    from shrec_viewer.formats.io.atomic import write_text_atomic

    _record_path().parent.mkdir(parents=True, exist_ok=True)
    write_text_atomic(_record_path(), json.dumps(record, indent=1))


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()


def _hash_of(path: Path) -> str | None:
    """Hash of a file; None if there is none, and "" for what is not a file, such as a link."""
    if not os.path.lexists(path):
        return None
    return "" if path.is_symlink() or not path.is_file() else _hash(path.read_bytes())


def change_desktop(option: str) -> int:
    """Run the action of ``--install-desktop`` or ``--uninstall-desktop``; returns the exit status."""
    if sys.platform in NOT_LINUX:
        raise click.UsageError(f"menu entries are for Linux; on this system {NOT_LINUX[sys.platform]}")
    try:
        return install_desktop() if option == "install_desktop" else uninstall_desktop()
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from error
