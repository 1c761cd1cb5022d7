"""Read `benchmark.toml`, the declaration of the parts of a benchmark, and write single keys of it."""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from msgspec import Meta

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.domain.benchmark import ColumnNumber, Quantity
from shrec_viewer.formats.core.read_options import DETECT_ALL, FormatKey, ReadOptions, TruthColumns
from shrec_viewer.formats.io.atomic import atomic_file
from shrec_viewer.formats.io.documents import check_toml, read_toml
from shrec_viewer.formats.io.limits import MAX_DOCUMENT_BYTES, MAX_DOCUMENT_RUNS
from shrec_viewer.formats.io.schema import (
    INDEX,
    Codec,
    Fault,
    Level,
    Name,
    Place,
    Text,
    known_keys,
    read_data,
    stored,
    suggestion,
    to_data,
)
from shrec_viewer.formats.io.text import FileHead, read_text

MANIFEST_NAME = "benchmark.toml"
PROJECT_SUFFIX = ".shrec"

#: Tables of saved projects only, which are not read as a part of the benchmark.
PROJECT_TABLES = ("view", "notes", "edits")

DERIVATIONS = ("classes", "sister-classes")

#: Relevance level by query id, then by class name or model id.
LevelOverrides = Mapping[str, Mapping[str, Level]]

#: Action of a finding about an unknown profile.
DEFAULT_USED = "the default profile is used"


class CameraTable(TypedDict, total=False):
    """Camera settings of the collection, as in `render.scene.camera`; angles in degrees.

    With the quantity that colours its models, and the range of the colours, as in `render.scene.values`.
    """

    up: Literal["Y", "Z"]
    azimuth: Annotated[float, Meta(ge=-360, le=360, description="a number of degrees")]
    elevation: Annotated[float, Meta(ge=-90, le=90, description="a number of degrees")]
    projection: Literal["perspective", "parallel"]
    fit: Literal["sphere", "tight"]
    values: Text
    low: Annotated[float, Meta(description="a number")]
    high: Annotated[float, Meta(description="a number")]
    zero: Annotated[float, Meta(description="a number")]


CameraSettings = Annotated[Mapping[str, str | float], "values of `CameraTable`"]


@dataclass(frozen=True)
class RunEntry:
    """One ``[[runs]]`` table; None for missing keys. `index`: 0-based number among all of them."""

    path: Path
    name: Name | None = None
    participant: Name | None = None
    read_options: ReadOptions = field(default=DETECT_ALL, metadata=stored(is_inline=True))
    line: int | None = field(default=None, metadata=stored(None))
    manifest: Path | None = field(default=None, metadata=stored(None))
    index: int = field(default=0, metadata=stored(INDEX))


@dataclass(frozen=True)
class SliceEntry:
    """A set of queries in ``[slices]``: a list of ids, ``{ class = […] }``, ``{ column = "…" }``, ``{ file = "…" }``.

    Attributes
    ----------
    ids : of queries.
    classes : names of classes, with the classes below them.
    column : name of a column of the table of the queries; each of its values is a slice.
    file : list of ids, one per line, such as the public part of the queries of a contest.
    """

    ids: tuple[Name, ...] = ()
    classes: tuple[Name, ...] = field(default=(), metadata=stored("class"))
    column: Name | None = None
    file: Path | None = None


@dataclass(frozen=True)
class Manifest:
    """Content of a manifest; None for missing keys. Paths exist, and are absolute if `path` is.

    `members`: whether queries whose ids are those of models are these models; None: as their source says.
    `missing_paths`: those that are named and do not exist, such as on a drive that was removed. `runs_in` and
    `read_options` are set by the caller, see `resolve_parts`: the only folder or file of runs, and how all are read.
    """

    path: Path = field(metadata=stored(None))
    name: Name | None = field(default=None, metadata=stored("benchmark.name"))
    profile: Name | None = field(default=None, metadata=stored("benchmark.profile"))
    models: Path | None = field(default=None, metadata=stored("collection.models"))
    classification: Path | None = field(default=None, metadata=stored("collection.classification"))
    class_columns: TruthColumns | None = field(default=None, metadata=stored("collection.columns"))
    query_models: Path | None = field(default=None, metadata=stored("queries.models"))
    query_classification: Path | None = field(default=None, metadata=stored("queries.classification"))
    query_columns: TruthColumns | None = field(default=None, metadata=stored("queries.columns"))
    members: bool | None = field(default=None, metadata=stored("queries.members"))
    qrels: Path | None = field(default=None, metadata=stored("assessment.qrels"))
    level_columns: TruthColumns | None = field(default=None, metadata=stored("assessment.columns"))
    derive: str | None = field(default=None, metadata=stored("assessment.derive", choices=DERIVATIONS))
    runs: Annotated[tuple[RunEntry, ...], Meta(max_length=MAX_DOCUMENT_RUNS)] = ()
    levels: LevelOverrides = field(default_factory=dict, metadata=stored("assessment.levels"))
    camera: CameraSettings = field(default_factory=dict)
    slices: Mapping[str, SliceEntry] = field(default_factory=dict)
    values: Mapping[str, Quantity] = field(default_factory=dict)
    published: tuple[Path, ...] = field(default=(), metadata=stored("benchmark.published"))
    findings: tuple[Finding, ...] = field(default=(), metadata=stored(None))
    lines: tuple[str, ...] = field(default=(), metadata=stored(None))
    only_listed_runs: bool = field(default=False, metadata=stored("benchmark.only_listed_runs"))
    missing_paths: tuple[Path, ...] = field(default=(), metadata=stored(None))
    runs_in: Path | None = field(default=None, metadata=stored(None))
    read_options: ReadOptions = field(default=DETECT_ALL, metadata=stored(None))

    @property
    def side_files(self) -> tuple[Path, ...]:
        """Files that are no parts of the benchmark: published tables, and lists of the queries of slices."""
        return (*self.published, *(entry.file for entry in self.slices.values() if entry.file is not None))

    @property
    def tables_by_roles(self) -> list[tuple[Path | None, str, str]]:
        """Tables of truth of which the roles of the columns are set, None for one that is not named; roles; option."""
        tables = (
            (self.classification, self.class_columns, "--classification"),
            (self.query_classification, self.query_columns, "--queries"),
            (self.qrels, self.level_columns, "--assessment"),
        )
        return [(path, roles, option) for path, roles, option in tables if roles is not None]

    @property
    def folders(self) -> list[Path]:
        """All folders among the parts."""
        return [path for path in self._paths() if path.is_dir()]

    @property
    def files(self) -> list[Path]:
        """All files among the parts."""
        return [path for path in self._paths() if path.is_file()]

    def _paths(self) -> list[Path]:
        parts = (self.classification, self.query_classification, self.qrels, self.models, self.query_models)
        several = (*(run.path for run in self.runs), *(entry.path for entry in self.values.values()))
        return [path for path in (*parts, self.runs_in, *several) if path is not None]

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
    missing: list[Path] = []

    def existing(name: str) -> Path:
        found = Path(os.path.normpath(path.parent / name))
        if not os.path.exists(found):  # never raises, unlike `Path.exists`: names may be too long or contain a NUL
            missing.append(found)
            raise ValueError(f"names '{name}', {MISSING}")
        return found

    def known_format(key: str) -> str:
        if formats and key not in formats:
            raise ValueError(f"must be one of {', '.join(formats)}, not {key!r}")
        return key

    if path.suffix.lower() == PROJECT_SUFFIX:
        document = {name: table for name, table in document.items() if name not in PROJECT_TABLES}
    if isinstance(slices := document.get("slices"), dict):
        named = {name: {"ids": entry} if isinstance(entry, list) else entry for name, entry in slices.items()}
        document = {**document, "slices": named}
    if isinstance(values := document.get("values"), dict):
        named = {name: {"path": entry} if isinstance(entry, str) else entry for name, entry in values.items()}
        document = {**document, "values": named}
    if isinstance(benchmark := document.get("benchmark"), dict) and isinstance(benchmark.get("published"), str):
        document = {**document, "benchmark": {**benchmark, "published": [benchmark["published"]]}}
    codecs = {
        Path: Codec(Name, existing),
        FormatKey: Codec(Name, known_format),
        CameraSettings: Codec(CameraTable, dict),
        str: Codec(Text, str),
        ColumnNumber: Codec(Annotated[int, Meta(ge=1)], int),
    }
    lines = tuple(text.split("\n"))
    manifest, faults = read_data(Manifest, document, codecs, path=path, lines=lines)
    findings = findings_of(path, lines, faults)
    if profiles and manifest.profile is not None and manifest.profile not in profiles:
        message = f"unknown profile '{manifest.profile}'{suggestion(manifest.profile, profiles)}"
        line = manifest.find_line("benchmark", "profile")
        findings += (Finding(Severity.ERROR, str(path), line, message, DEFAULT_USED),)
        manifest = replace(manifest, profile=None)
    runs = (replace(run, line=manifest.find_line("runs", None, run.index), manifest=path) for run in manifest.runs)
    findings = tuple(sorted(findings, key=lambda finding: finding.line or 0))
    return replace(manifest, runs=tuple(runs), findings=findings, missing_paths=tuple(missing))


#: End of the text about a path that is not there.
MISSING = "which does not exist"

#: Findings about one document; further ones are counted in the last.
MAX_FAULTS = 100


def findings_of(path: Path, lines: Sequence[str], faults: Sequence[Fault]) -> tuple[Finding, ...]:
    """Findings about what was left out of a TOML document; at most `MAX_FAULTS` and one that counts the others."""
    index, findings = LineIndex(lines), []
    for number, fault in enumerate(faults[: MAX_FAULTS + 1]):
        severity, message = Severity.ERROR, f"{_name_of(fault.place)} {fault.problem}"
        if fault.known:
            header = f" in {_header(fault.place[:-1])}" if fault.place[1:] else ""
            hint = suggestion(str(fault.place[-1]), fault.known) if number < MAX_FAULTS else ""
            severity, message = Severity.WARNING, f"unknown key {_name_of(fault.place)}{header}{hint}"
        elif fault.place[0] == "values" and fault.problem.endswith(MISSING):  # scores do not depend on it
            severity = Severity.WARNING
        elif "table" in fault.problem:
            message += f"; write it as {_header((*fault.place, 0) if 'list' in fault.problem else fault.place)}"
        if number == MAX_FAULTS:
            severity, message = Severity.ERROR, f"more than {MAX_FAULTS} faults; the next is: {message}"
        count = max(1, len(faults) - MAX_FAULTS) if number == MAX_FAULTS else 1
        findings.append(Finding(severity, str(path), index.line_of(fault.place), message, "ignored", count=count))
    return tuple(findings)


def _name_of(place: Place) -> str:
    return f"'{place[-1]}'" if isinstance(place[-1], str) else f"entry {place[-1] + 1} of '{place[-2]}'"


def _header(place: Place) -> str:
    """The header of a table in a document: ``[assessment.levels.Q3]``, ``[[runs]]``."""
    name = ".".join(part for part in place if isinstance(part, str))
    return f"[[{name}]]" if isinstance(place[-1], int) else f"[{name}]"


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

    def line_of(self, place: Place) -> int | None:
        """Line of a value, or of the header of a table; None if not found."""
        *tables, last = [part for part in place if isinstance(part, str)]
        index = next((part for part in reversed(place) if isinstance(part, int)), 0)
        table = ".".join(tables)
        found = self.find(".".join((*tables, last)), None, index) or self.find(table, last, index)
        # A key of an inline table is on the line of the table.
        return found if found or len(place) < 2 else self.line_of(place[:-1])


if TYPE_CHECKING:
    from tomlkit import TOMLDocument


@dataclass(frozen=True)
class ManifestEdit:
    """One key of a manifest and its new value.

    Attributes
    ----------
    table : "benchmark", "collection", "queries", "assessment", "values" or "runs".
    key : one of the table's keys; for "values" the name of a quantity.
    value : paths are written relative to the manifest; None removes the key.
    run : file or folder of the run, for the table "runs".
    """

    table: str
    key: str
    value: str | bool | Path | tuple[Path, ...] | Quantity | None
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

    keys = {**known_keys(Manifest), "runs": known_keys(RunEntry)}
    for edit in edits:
        known = {edit.key} if edit.table == "values" else keys.get(edit.table) or ()
        if edit.key not in known or (edit.table == "runs") != (edit.run is not None):
            raise ValueError(f"'{edit.key}' cannot be set in [{edit.table}]")
    path = benchmark_folder / MANIFEST_NAME if benchmark_folder.is_dir() else benchmark_folder
    try:
        toml = document()
        if path.exists():
            text = read_text(path, MAX_DOCUMENT_BYTES)
            check_toml(path, text)
            toml = parse(text)
        for edit in edits:
            _apply_edit(toml, edit, path)
    except TOMLKitError as error:
        raise FormatError(path, f"is not valid TOML: {str(error)[:1].lower()}{str(error)[1:]}") from error
    with atomic_file(path) as draft:
        draft.write_text(dumps(toml), encoding="utf-8", newline="")


def _apply_edit(toml: "TOMLDocument", edit: ManifestEdit, path: Path) -> None:
    from tomlkit import inline_table

    folder = path.resolve().parent
    table = _table(toml, edit.table, path) if edit.run is None else _run_table(toml, edit.run, path)
    value: Any = edit.value
    if isinstance(value, Quantity):
        data = to_data(value, {Path: Codec(Name, str, partial(relative_path, base=folder))})
        value = inline_table()
        value.update({key: item for key, item in data.items() if item != "" and item is not False})
    elif isinstance(value, Path | tuple):
        several = value if isinstance(value, tuple) else (value,)
        paths = [relative_path(Path(os.path.realpath(path)), folder) for path in several]
        value = paths if isinstance(value, tuple) else paths[0]
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
    entry["path"] = relative_path(Path(os.path.realpath(run)), folder)
    runs.append(entry)
    return entry


def _normal_path(folder: Path, text: str) -> str:
    return os.path.normcase(os.path.realpath(folder / text))


def relative_path(path: Path, base: Path) -> str:
    """Path in a document: relative to a folder, with forward slashes; absolute for another drive of Windows."""
    try:
        return Path(os.path.relpath(path, base)).as_posix()
    except ValueError:
        return path.absolute().as_posix()
