"""Read `benchmark.toml`, the declaration of the parts of a benchmark, and write single keys of it."""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.core.read_options import (
    BOOLEAN_OPTIONS,
    CELL_VALUES,
    DETECT_ALL,
    LIST_COLUMNS,
    MATRIX_BLOCKS,
    MATRIX_ORDERS,
    QUERY_SOURCES,
    ReadOptions,
)
from shrec_viewer.formats.io.atomic import atomic_file
from shrec_viewer.formats.io.documents import check_toml, read_toml
from shrec_viewer.formats.io.limits import MAX_DOCUMENT_BYTES, MAX_DOCUMENT_RUNS, MAX_NAME_BYTES
from shrec_viewer.formats.io.text import FileHead, read_text

MANIFEST_NAME = "benchmark.toml"
PROJECT_SUFFIX = ".shrec"

DERIVATIONS = ("classes", "sister-classes")

KEYS: dict[str, tuple[str, ...]] = {
    "benchmark": ("name", "profile", "only_listed_runs"),
    "collection": ("models", "classification"),
    "queries": ("models", "classification"),
    "assessment": ("qrels", "derive", "levels"),
    "runs": (
        "name",
        "participant",
        "path",
        "format",
        "columns",
        "order",
        "cells",
        "similarity",
        "query_line",
        "queries_by",
        "blocks",
    ),
    "camera": ("up", "azimuth", "elevation", "projection", "fit"),
}
"""Tables of the document and their keys; ``[assessment.levels.Q13]`` contains levels of classes and models."""

LevelOverrides = Mapping[str, Mapping[str, int]]
"""Relevance level by query id, then by class name or model id."""

CAMERA_CHOICES = {"up": ("Y", "Z"), "projection": ("perspective", "parallel"), "fit": ("sphere", "tight")}
CAMERA_DEGREES = {"azimuth": 360, "elevation": 90}
"""Values of camera settings; limits of angles in degrees, for both signs. As in `render.scene.camera`."""

MAX_LEVEL = 255
"""Levels are stored as uint8."""

PROJECT_TABLES = ("view", "notes", "edits")
"""Tables of saved projects only; their content is defined by the window."""


@dataclass(frozen=True)
class RunEntry:
    """One ``[[runs]]`` table; None for missing keys. `index`: 0-based number among all of them."""

    path: Path
    name: str | None = None
    participant: str | None = None
    read_options: ReadOptions = DETECT_ALL
    line: int | None = None
    manifest: Path | None = None
    index: int = 0


@dataclass(frozen=True)
class Manifest:
    """Content of a manifest; None for missing keys. Paths exist, and are absolute if `path` is.

    `missing_paths`: those that are named and do not exist, such as on a drive that was removed.
    """

    path: Path
    name: str | None = None
    profile: str | None = None
    models: Path | None = None
    classification: Path | None = None
    query_models: Path | None = None
    query_classification: Path | None = None
    qrels: Path | None = None
    derive: str | None = None
    runs: tuple[RunEntry, ...] = ()
    levels: LevelOverrides = field(default_factory=dict)
    project: dict[str, Any] = field(default_factory=dict)
    camera: Mapping[str, str | float] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    lines: tuple[str, ...] = ()
    only_listed_runs: bool = False
    missing_paths: tuple[Path, ...] = ()

    def summary(self) -> str:
        """Number of runs."""
        return f"description with {len(self.runs):,} {'run' if len(self.runs) == 1 else 'runs'}"

    def find_line(self, table: str, key: str | None = None, index: int = 0) -> int | None:
        """Line of the header of a table, or of a key in it; see `LineIndex.find`."""
        return self._line_index.find(table, key, index)

    @cached_property
    def _line_index(self) -> "LineIndex":
        return LineIndex(self.lines)


def is_manifest(head: FileHead) -> bool:
    """Whether a line is the header of a table of manifests."""
    return (
        head.text is not None
        and "[" in head.text
        and any(
            line.split("#")[0].strip() in ("[benchmark]", "[collection]", "[[runs]]", "[assessment]")
            for line in head.lines
        )
    )


def read_manifest(path: Path, profiles: Collection[str] = (), formats: tuple[str, ...] = ()) -> Manifest:
    """Read a manifest; unknown keys and invalid values are findings with their line.

    Parameters
    ----------
    path : the file.
    profiles : keys of all profiles, to report unknown ones; empty: profiles are not checked.

    Raises
    ------
    FormatError
        With the line, when it is not valid TOML.
    """
    document, text = read_toml(path)
    return _ManifestParser(path, text, document, profiles, formats).result()


MAX_FAULTS = 100
"""Findings about one document; further ones are counted in the last."""


class _ManifestParser:
    """Validates a parsed document and collects findings."""

    def __init__(
        self, path: Path, text: str, document: dict[str, Any], profiles: Collection[str], formats: tuple[str, ...]
    ) -> None:
        self.path = path
        self.lines = text.split("\n")
        self.document = document
        self.profiles = profiles
        self.formats = formats
        self.findings: list[Finding] = []
        self.missing_paths: list[Path] = []
        self._line_index = LineIndex(self.lines)

    def result(self) -> Manifest:
        self._check_tables()
        benchmark, collection, queries, assessment = (
            self._table(name) for name in ("benchmark", "collection", "queries", "assessment")
        )
        runs = self.document.get("runs", [])
        if not isinstance(runs, list) or not all(isinstance(run, dict) for run in runs):
            self._note("'runs' is not a list of tables; write it as [[runs]]", self._line("runs", None), "ignored")
            runs = []
        if len(runs) > MAX_DOCUMENT_RUNS:
            message = f"has {len(runs):,} [[runs]] tables, more than {MAX_DOCUMENT_RUNS:,}, the limit"
            self._note(message, self._line("runs", None, MAX_DOCUMENT_RUNS), "this one and all that follow are ignored")
            runs = runs[:MAX_DOCUMENT_RUNS]
        entries = [entry for index, run in enumerate(runs) if (entry := self._run(index, run)) is not None]
        only_listed_runs = self._boolean("benchmark", benchmark, "only_listed_runs") or False
        return Manifest(
            self.path,
            self._text("benchmark", benchmark, "name"),
            self._profile(benchmark),
            self._path("collection", collection, "models"),
            self._path("collection", collection, "classification"),
            self._path("queries", queries, "models"),
            self._path("queries", queries, "classification"),
            self._path("assessment", assessment, "qrels"),
            self._choice("assessment", assessment, "derive", DERIVATIONS),
            tuple(entries),
            self._levels(assessment),
            {name: self.document[name] for name in PROJECT_TABLES if name in self.document},
            self._camera(self._table("camera")),
            tuple(sorted(self.findings, key=lambda finding: finding.line or 0)),
            tuple(self.lines),
            only_listed_runs,
            tuple(self.missing_paths),
        )

    def _check_tables(self) -> None:
        allowed = [*KEYS, *(PROJECT_TABLES if self.path.suffix.lower() == PROJECT_SUFFIX else ())]
        for name in self.document:
            if name not in allowed:
                self._unknown(name, allowed, "", self._line(name, None))

    def _table(self, name: str) -> dict[str, Any]:
        table = self.document.get(name, {})
        if not isinstance(table, dict):
            self._note(f"'{name}' is not a table; write it as [{name}]", self._line(name, None), "ignored")
            return {}
        for key in table:
            if key not in KEYS[name]:
                self._unknown(key, KEYS[name], f" in [{name}]", self._line(name, key))
        return table

    def _run(self, index: int, run: dict[str, Any]) -> RunEntry | None:
        line = self._line("runs", None, index)
        for key in run:
            if key not in KEYS["runs"]:
                self._unknown(key, KEYS["runs"], " in [[runs]]", self._line("runs", key, index))
        path = self._path("runs", run, "path", index)
        if path is None:
            if "path" not in run:
                self._note("this run has no path", line, "the run is ignored")
            return None
        booleans: dict[str, Any] = {key: self._boolean("runs", run, key, index) for key in BOOLEAN_OPTIONS}
        choices = (
            ("format", self.formats),
            ("columns", LIST_COLUMNS),
            ("order", MATRIX_ORDERS),
            ("cells", CELL_VALUES),
            ("queries_by", QUERY_SOURCES),
            ("blocks", MATRIX_BLOCKS),
        )
        chosen: dict[str, Any] = {key: self._choice("runs", run, key, known, index) for key, known in choices}
        name, participant = (self._text("runs", run, key, index) for key in ("name", "participant"))
        return RunEntry(path, name, participant, ReadOptions(**booleans, **chosen), line, self.path, index)

    def _text(self, table: str, values: dict[str, Any], key: str, index: int = 0) -> str | None:
        value = values.get(key)
        if isinstance(value, str) and len(value) > MAX_NAME_BYTES:
            message = f"'{key}' has more than {MAX_NAME_BYTES:,} characters, the limit"
            self._note(message, self._line(table, key, index), "ignored")
            return None
        if value is None or (isinstance(value, str) and value.strip()):
            return value
        self._note(f"'{key}' is not text", self._line(table, key, index), "ignored")
        return None

    def _boolean(self, table: str, values: dict[str, Any], key: str, index: int = 0) -> bool | None:
        value = values.get(key)
        if value is None or isinstance(value, bool):
            return value
        self._note(f"'{key}' must be true or false", self._line(table, key, index), "ignored")
        return None

    def _levels(self, assessment: dict[str, Any]) -> dict[str, dict[str, int]]:
        given = assessment.get("levels", {})
        levels: dict[str, dict[str, int]] = {}
        for query, entries in given.items() if isinstance(given, dict) else [("levels", given)]:
            if not isinstance(entries, dict):
                message = f"'{query}' is not a table of levels; write it as [assessment.levels.{query}]"
                self._note(message, self._line("assessment.levels", query), "ignored")
                continue
            for name, level in entries.items():
                if type(level) is int and 0 <= level <= MAX_LEVEL:
                    levels.setdefault(query, {})[name] = level
                    continue
                line = self._line(f"assessment.levels.{query}", name)
                self._note(f"the level of '{name}' is not an integer from 0 to {MAX_LEVEL}", line, "ignored")
        return levels

    def _profile(self, benchmark: dict[str, Any]) -> str | None:
        key = self._text("benchmark", benchmark, "profile")
        if key is None or not self.profiles or key in self.profiles:
            return key
        message = f"unknown profile '{key}'{_suggestion(key, self.profiles)}"
        self._note(message, self._line("benchmark", "profile"), "the default profile is used")
        return None

    def _camera(self, table: dict[str, Any]) -> dict[str, str | float]:
        camera: dict[str, str | float] = {}
        for key, choices in CAMERA_CHOICES.items():
            if (choice := self._choice("camera", table, key, choices)) is not None:
                camera[key] = choice
        for key, limit in CAMERA_DEGREES.items():
            value = table.get(key)
            if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= limit:
                camera[key] = value
            elif value is not None:
                message = f"'{key}' must be a number of degrees from -{limit} to {limit}"
                self._note(message, self._line("camera", key), "ignored")
        return camera

    def _path(self, table: str, values: dict[str, Any], key: str, index: int = 0) -> Path | None:
        value = self._text(table, values, key, index)
        if value is None:
            return None
        path = Path(os.path.normpath(self.path.parent / value))
        if not os.path.exists(path):  # never raises, unlike `Path.exists`: names may be too long or contain a NUL
            name = f"run '{value}'" if table == "runs" else f"'{value}'"
            self._note(f"{name} does not exist", self._line(table, key, index), "ignored")
            self.missing_paths.append(path)
            return None
        return path

    def _choice(
        self, table: str, values: dict[str, Any], key: str, choices: tuple[str, ...], index: int = 0
    ) -> str | None:
        value = self._text(table, values, key, index)
        if value is None or not choices or value in choices:
            return value
        message = f"'{key}' must be one of {', '.join(choices)}, not '{value}'"
        self._note(message, self._line(table, key, index), "ignored")
        return None

    def _unknown(self, key: str, known: list[str] | tuple[str, ...], where: str, line: int | None) -> None:
        suggestion = _suggestion(key, known) if len(self.findings) < MAX_FAULTS else ""
        self._add(Severity.WARNING, f"unknown key '{key}'{where}{suggestion}", line, "ignored")

    def _note(self, message: str, line: int | None, action: str) -> None:
        self._add(Severity.ERROR, message, line, action)

    def _add(self, severity: Severity, message: str, line: int | None, action: str) -> None:
        if len(self.findings) < MAX_FAULTS:
            self.findings.append(Finding(severity, str(self.path), line, message, action))
        elif len(self.findings) == MAX_FAULTS:
            message = f"more than {MAX_FAULTS} faults; the next is: {message}"
            self.findings.append(Finding(Severity.ERROR, str(self.path), line, message, action))
        else:
            self.findings[-1] = replace(self.findings[-1], count=self.findings[-1].count + 1)

    def _line(self, table: str, key: str | None, index: int = 0) -> int | None:
        return self._line_index.find(table, key, index)


_TABLE_HEADER = re.compile(r"\s*\[\[?\s*([^\]\s]+)\s*\]")
_ASSIGNMENT = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=.\[#]+))\s*[.=]""")


class LineIndex:
    """Line numbers of the tables and keys of a TOML document, which `tomllib` and `tomlkit` do not return.

    Parameters
    ----------
    lines : of the document; searched once, as a document may have thousands of faults.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._top: dict[str, int] = {}
        self._headers: dict[tuple[str, int], int] = {}
        self._keys: dict[tuple[str, int, str], int] = {}
        seen: dict[str, int] = {}
        current: str | None = None
        for number, line in enumerate(lines, 1):
            if header := _TABLE_HEADER.match(line):
                current = header[1].strip("\"'")
                seen[current] = seen.get(current, -1) + 1
                self._headers[current, seen[current]] = number
            elif found := _ASSIGNMENT.match(line):
                key = found[1] or found[2] or found[3] or ""
                if current is None:
                    self._top.setdefault(key, number)
                else:
                    self._keys.setdefault((current, seen[current], key), number)

    def find(self, table: str, key: str | None = None, index: int = 0) -> int | None:
        """Line of the header of a table, or of a key in it; None if not found.

        Parameters
        ----------
        key : None for the header.
        index : 0-based number of the table among those of an array.
        """
        if table in self._top:  # `collection.models = "models"`, `runs = []`
            return self._top[table]
        return self._headers.get((table, index)) if key is None else self._keys.get((table, index, key))


def _suggestion(word: str, known: Collection[str]) -> str:
    close = get_close_matches(word, known, 1)
    return f" (did you mean '{close[0]}'?)" if close else ""


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
