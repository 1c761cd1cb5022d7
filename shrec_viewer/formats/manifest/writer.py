"""Write single keys of `benchmark.toml`, preserving comments and order."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.io.atomic import atomic_file
from shrec_viewer.formats.io.documents import check_toml
from shrec_viewer.formats.io.limits import MAX_DOCUMENT_BYTES
from shrec_viewer.formats.io.text import read_text
from shrec_viewer.formats.manifest.manifest import KEYS, MANIFEST_NAME

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


@dataclass(frozen=True)
class ManifestEdit:
    """One key of a manifest and its new value.

    Attributes
    ----------
    table : key of `manifest.KEYS`: "benchmark", "collection", "queries", "assessment" or "runs".
    key : one of the table's keys.
    value : a path is written relative to the manifest; None removes the key.
    run : file or folder of the run, for the table "runs".
    """

    table: str
    key: str
    value: str | bool | Path | None
    run: Path | None = None


def edits_of_options(run: Path, read_options: ReadOptions) -> tuple[ManifestEdit, ...]:
    """Options for reading a run as keys of its ``[[runs]]`` table."""
    options = ((key, value) for key, value in vars(read_options).items() if value is not None)
    return tuple(ManifestEdit("runs", key, value, run) for key, value in options)


def write_manifest(benchmark_folder: Path, edits: Sequence[ManifestEdit]) -> None:
    """Create or change the `benchmark.toml` of a folder atomically, preserving comments and order.

    Parameters
    ----------
    benchmark_folder : the folder, or the manifest itself (`.toml`, `.shrec`).
    edits : keys to set or remove. The ``[[runs]]`` table of a run is found by its path; appended if there is none.

    Raises
    ------
    FormatError
        When the manifest is not valid TOML, contains a value where a table is expected, or cannot be written.
    ValueError
        When an edit has an unknown table or key, or a key of a run without the run.
    """
    from tomlkit import document, dumps, parse
    from tomlkit.exceptions import TOMLKitError

    for edit in edits:
        if edit.key not in KEYS.get(edit.table, ()) or (edit.table == "runs") != (edit.run is not None):
            raise ValueError(f"'{edit.key}' cannot be set in [{edit.table}]")
    path = benchmark_folder / MANIFEST_NAME if benchmark_folder.is_dir() else benchmark_folder
    try:
        toml = parse(_checked_text(path)) if path.exists() else document()
        for edit in edits:
            _apply_edit(toml, edit, path)
    except TOMLKitError as error:
        raise FormatError(path, f"is not valid TOML: {str(error)[:1].lower()}{str(error)[1:]}") from error
    with atomic_file(path) as draft:
        draft.write_text(dumps(toml), encoding="utf-8", newline="")


def _checked_text(path: Path) -> str:
    text = read_text(path, MAX_DOCUMENT_BYTES)
    check_toml(path, text)
    return text


def _apply_edit(toml: "TOMLDocument", edit: ManifestEdit, path: Path) -> None:
    folder = path.resolve().parent
    table = _table(toml, edit.table, path) if edit.run is None else _run_table(toml, edit.run, path)
    value = _relative_path(edit.value, folder) if isinstance(edit.value, Path) else edit.value
    if value is not None:
        table[edit.key] = value
    elif edit.key in table:
        del table[edit.key]


def _table(toml: "TOMLDocument", name: str, path: Path) -> Any:
    from tomlkit import table

    if name not in toml:
        toml[name] = table()
    if not isinstance(toml[name], dict):
        raise FormatError(path, f"'{name}' is not a table; write it as [{name}]")
    return toml[name]


def _run_table(toml: "TOMLDocument", run: Path, path: Path) -> Any:
    """The ``[[runs]]`` table with the path of a run; appended if there is none."""
    from tomlkit import aot, table

    folder = path.resolve().parent
    runs = toml.setdefault("runs", aot())
    if not isinstance(runs, list) or not all(isinstance(entry, dict) for entry in runs):
        raise FormatError(path, "'runs' is not a list of tables; write it as [[runs]]")
    normal_path = _normal_path(folder, str(run.absolute()))
    for entry in runs:
        if isinstance(entry.get("path"), str) and _normal_path(folder, entry["path"]) == normal_path:
            return entry
    entry = table()
    entry["path"] = _relative_path(run, folder)
    runs.append(entry)
    return entry


def _normal_path(folder: Path, text: str) -> str:
    return os.path.normcase(os.path.realpath(folder / text))


def _relative_path(path: Path, folder: Path) -> str:
    """Path in a manifest: relative, with forward slashes; absolute for another drive of Windows."""
    try:
        return Path(os.path.relpath(os.path.realpath(path), folder)).as_posix()
    except ValueError:
        return path.absolute().as_posix()
