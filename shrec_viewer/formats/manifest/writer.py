"""Write `benchmark.toml`: change single keys, keep comments and order."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.io.atomic import atomic_file
from shrec_viewer.formats.io.text import read_text
from shrec_viewer.formats.manifest.manifest import KEYS, MANIFEST_NAME

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


@dataclass(frozen=True)
class ManifestEdit:
    """One line of the manifest.

    Attributes
    ----------
    table : key of `manifest.KEYS`: "benchmark", "collection", "queries", "assessment" or "runs".
    key : one of the table's keys.
    value : a path is written relative to the manifest; None takes the line away.
    run : file or folder of the run that the line is about, for the table "runs".
    """

    table: str
    key: str
    value: str | bool | Path | None
    run: Path | None = None


def edits_of_options(run: Path, reading: ReadOptions) -> tuple[ManifestEdit, ...]:
    """What a person says about the reading of a run, as lines of its ``[[runs]]`` table."""
    said = ((key, value) for key, value in vars(reading).items() if value is not None)
    return tuple(ManifestEdit("runs", key, value, run) for key, value in said)


def write_manifest(benchmark_folder: Path, answers: Sequence[ManifestEdit]) -> None:
    """Write or update the `benchmark.toml` of a folder, complete or not at all; comments and order stay.

    Parameters
    ----------
    benchmark_folder : the folder, or the manifest itself (`.toml`, `.shrec`).
    answers : lines to set. A ``[[runs]]`` table is found by its path, and added behind the others where there is none.

    Raises
    ------
    FormatError
        When the manifest is no TOML, says something else where a table should be, or cannot be written.
    ValueError
        When an answer names a table or key that manifests do not have, or a run's key without the run.
    """
    from tomlkit import document, dumps, parse
    from tomlkit.exceptions import TOMLKitError

    for answer in answers:
        if answer.key not in KEYS.get(answer.table, ()) or (answer.table == "runs") != (answer.run is not None):
            raise ValueError(f"'{answer.key}' cannot be set in [{answer.table}]")
    path = benchmark_folder / MANIFEST_NAME if benchmark_folder.is_dir() else benchmark_folder
    try:
        told = parse(read_text(path)) if path.exists() else document()
        for answer in answers:
            _apply_edit(told, answer, path)
    except TOMLKitError as error:
        raise FormatError(path, f"is not valid TOML: {str(error)[:1].lower()}{str(error)[1:]}") from error
    with atomic_file(path) as draft:
        draft.write_text(dumps(told), encoding="utf-8", newline="")


def _apply_edit(told: "TOMLDocument", answer: ManifestEdit, path: Path) -> None:
    folder = path.resolve().parent
    table = _table(told, answer.table, path) if answer.run is None else _run_table(told, answer.run, path)
    value = _relative_path(answer.value, folder) if isinstance(answer.value, Path) else answer.value
    if value is not None:
        table[answer.key] = value
    elif answer.key in table:
        del table[answer.key]


def _table(told: "TOMLDocument", name: str, path: Path) -> Any:
    from tomlkit import table

    if name not in told:
        told[name] = table()
    if not isinstance(told[name], dict):
        raise FormatError(path, f"'{name}' is not a table; write it as [{name}]")
    return told[name]


def _run_table(told: "TOMLDocument", run: Path, path: Path) -> Any:
    """The ``[[runs]]`` table with the path of a run, made where there is none."""
    from tomlkit import aot, table

    folder = path.resolve().parent
    runs = told.setdefault("runs", aot())
    if not isinstance(runs, list) or not all(isinstance(entry, dict) for entry in runs):
        raise FormatError(path, "'runs' is not a list of tables; write it as [[runs]]")
    wanted = _normal_path(folder, str(run.absolute()))
    for entry in runs:
        if isinstance(entry.get("path"), str) and _normal_path(folder, entry["path"]) == wanted:
            return entry
    entry = table()
    entry["path"] = _relative_path(run, folder)
    runs.append(entry)
    return entry


def _normal_path(folder: Path, said: str) -> str:
    return os.path.normcase(os.path.realpath(folder / said))


def _relative_path(path: Path, folder: Path) -> str:
    """A path as manifests have it: relative, with forward slashes; absolute where it lies on another drive."""
    try:
        return Path(os.path.relpath(os.path.realpath(path), folder)).as_posix()
    except ValueError:
        return path.absolute().as_posix()
