"""Read and write `.shrec` projects: paths, view state and notes of a session."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.io.archive import has_archive_suffix
from shrec_viewer.formats.io.atomic import write_text_atomic
from shrec_viewer.formats.io.documents import read_toml
from shrec_viewer.formats.io.limits import MAX_DOCUMENT_BYTES, MAX_DOCUMENT_RUNS, MAX_NAME_BYTES
from shrec_viewer.formats.manifest.manifest import MAX_FAULTS, PROJECT_SUFFIX, LineIndex
from shrec_viewer.formats.manifest.parts import BenchmarkParts
from shrec_viewer.formats.manifest.run_changes import AddedRun, RunChanges, VirtualRun

HEADER_COMMENT = "A project of the SHREC Viewer: benchmark, state of the window, and notes."

PART_NAMES = ("classification", "queries", "assessment", "models", "runs")
"""Fields of `BenchmarkParts` that are paths."""

KEYS: Mapping[str, tuple[str, ...] | None] = {
    "benchmark": ("name", "profile", "folder", "format"),
    "parts": PART_NAMES,
    "runs": ("name", "path", "hash"),
    "view": None,
    "files": None,
    "notes": None,
    "edits": ("hidden", "colours", "removed", "names", "added", "virtual", "levels", "reviewed"),
}
"""Tables of the document and their keys; None if any key is allowed: ids of queries, and state of the window."""

MAX_NOTE_CHARACTERS = 2**20
"""Maximum number of characters of a note."""

Value = TypeVar("Value", dict[str, Any], list[Any])

HASH_SAMPLE_BYTES = 65_536
"""Bytes at each end of a file that are hashed, with its length.

A recomputed run differs in them, and a matrix of gigabytes takes no longer than a small file.
"""

MAX_HASHED_FILES = 200
"""Maximum number of files of a folder whose content is hashed; of the others only name and length are."""

RUNS_FROM_ROOT = 2
"""Value of ``format`` in [benchmark] from which paths of runs are relative to the benchmark; before, to the project."""

MAX_SIBLINGS = 500
"""Maximum number of subfolders that are searched for a benchmark that was moved."""


@dataclass(frozen=True)
class Project:
    """Content of a `.shrec` file.

    Attributes
    ----------
    path : the file.
    source : the benchmark that was opened, absolute; it may not exist any more.
    name : name of the benchmark.
    profile : key of the profile, with changes: ``"psb+ties=trec"``.
    parts : absolute paths of parts set by the user, by field of `BenchmarkParts`.
    runs : name and path of each run, absolute; also of runs that were not found when the project was saved.
    hashes : hash of each run by its name; see `content_hash`.
    view : state of the window; plain values, defined by the window.
    notes : text by query id.
    colours : ``#rrggbb`` by name of the run.
    hidden : names of runs that plots do not show.
    run_changes : runs that were removed, renamed, added and computed from others.
    levels : edits of the assessment, plain values: query, model, former, level, author, time and reason.
    reviewed : decisions about suspects, plain values: query, model and decision.
    files : hash of each file that was read and is no run, such as the classification, by its path relative to `root`;
        "" before the project is saved. A moved benchmark is recognised by these files.
    digest : digest of the file as it was read or written; see `project_digest`.
    findings : fields that were ignored; `file` is the full path.
    """

    path: Path
    source: Path
    name: str = ""
    profile: str = "default"
    parts: Mapping[str, Path] = field(default_factory=dict)
    runs: Mapping[str, Path] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)
    view: Mapping[str, Any] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    colours: Mapping[str, str] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    run_changes: RunChanges = field(default_factory=RunChanges)
    files: Mapping[str, str] = field(default_factory=dict)
    levels: tuple[Mapping[str, Any], ...] = ()
    reviewed: tuple[Mapping[str, Any], ...] = ()
    digest: str = field(default="", compare=False)
    findings: tuple[Finding, ...] = field(default=(), compare=False)

    @property
    def root(self) -> Path:
        """Folder that paths of runs are relative to: that of the benchmark; for an archive, the archive."""
        return root_of(self.source)

    def with_parts(self, parts: BenchmarkParts) -> BenchmarkParts:
        """`parts`, with missing ones taken from the project."""
        missing: dict[str, Any] = {name: path for name, path in self.parts.items() if getattr(parts, name) is None}
        return replace(parts, **missing)


def is_project(path: Path) -> bool:
    """Whether a file has the extension of a project and is not a manifest, which has tables with files instead."""
    if path.suffix.lower() != PROJECT_SUFFIX or not path.is_file():
        return False
    try:
        document, _ = read_toml(path)
    except FormatError:
        return False
    has_files = any(_table(document, name) for name in ("collection", "queries", "assessment"))
    return "folder" in _table(document, "benchmark") or not (has_files or "runs" in document)


def read_project(path: Path) -> Project:
    """Read a project.

    Raises
    ------
    FormatError
        When it is not valid TOML, or has no source folder.
    """
    path = Path(os.path.abspath(path))
    digest = project_digest(path)  # before reading: a change in between is detected when the project is saved
    document, text = read_toml(path)
    return replace(_ProjectParser(path, text, _with_bytes(document)).project(), digest=digest)


class _ProjectParser:
    """Validates a parsed project; fields of a wrong type are findings and ignored."""

    def __init__(self, path: Path, text: str, document: Mapping[str, Any]) -> None:
        self._path = path
        self._document = document
        self._line_index = LineIndex(text.split("\n"))
        self._findings: list[Finding] = []

    def project(self) -> Project:
        for name, content in self._document.items():
            if name not in KEYS:
                self._note(f"unknown key '{name}'", name)
            elif isinstance(content, dict) and (known := KEYS[name]) is not None:
                for key in content.keys() - known:
                    self._note(f"unknown key '{key}' in [{name}]", name, key)
        benchmark, parts, edits, notes, view = (
            self._table(name) for name in ("benchmark", "parts", "edits", "notes", "view")
        )
        folder = self._text("benchmark", benchmark, "folder")
        if not folder:
            raise FormatError(self._path, "is not a project: the key 'folder' is missing in [benchmark]")
        source = _absolute(self._path.parent, folder)
        paths_from = benchmark.get("format", 1)
        if type(paths_from) is not int:
            self._note("'format' is not an integer", "benchmark", "format")
        base = root_of(source) if paths_from == RUNS_FROM_ROOT else self._path.parent
        part_texts = {name: self._text("parts", parts, name) for name in PART_NAMES}
        runs = self._runs()
        return Project(
            self._path,
            source,
            self._text("benchmark", benchmark, "name") or "",
            self._text("benchmark", benchmark, "profile") or "default",
            {name: _absolute(self._path.parent, text) for name, text in part_texts.items() if text},
            {name: _absolute(base, run) for name, (run, _) in runs.items()},
            {name: found for name, (_, found) in runs.items() if found},
            view,
            self._texts("notes", notes, MAX_NOTE_CHARACTERS),
            self._texts("edits.colours", self._inner(edits, "colours", dict), MAX_NAME_BYTES),
            tuple(name for name in self._inner(edits, "hidden", list) if isinstance(name, str)),
            self._run_changes(edits),
            self._files(root_of(source)),
            self._rows(edits, "levels"),
            self._rows(edits, "reviewed"),
            findings=tuple(self._findings),
        )

    def _runs(self) -> dict[str, tuple[str, str]]:
        """Path and hash of each run by its name."""
        listed = self._document.get("runs", [])
        if not isinstance(listed, list) or not all(isinstance(run, dict) for run in listed):
            self._note("'runs' is not a list of tables; write it as [[runs]]", "runs")
            return {}
        if len(listed) > MAX_DOCUMENT_RUNS:
            message = f"has {len(listed):,} [[runs]] tables, more than {MAX_DOCUMENT_RUNS:,}, the limit"
            self._note(message, "runs", None, MAX_DOCUMENT_RUNS)
        runs = {}
        for index, run in enumerate(listed[:MAX_DOCUMENT_RUNS]):
            name, path, found = (self._text("runs", run, key, index) for key in ("name", "path", "hash"))
            if name and path:
                runs[name] = (path, found or "")
            else:
                self._note("this run has no name or no path", "runs", None, index)
        return runs

    def _run_changes(self, edits: Mapping[str, Any]) -> RunChanges:
        removed = (name for name in self._inner(edits, "removed", list) if isinstance(name, str))
        names = self._texts("edits.names", self._inner(edits, "names", dict), MAX_NAME_BYTES)
        listed = self._inner(edits, "added", list)
        if len(listed) > MAX_DOCUMENT_RUNS:
            self._note(f"has {len(listed):,} added runs, more than {MAX_DOCUMENT_RUNS:,}, the limit", "edits.added")
        added = []
        for index, run in enumerate(listed[:MAX_DOCUMENT_RUNS]):
            keys = ("path", "name", "participant", "inside", "replaces")
            texts = [self._text("edits.added", run if isinstance(run, dict) else {}, key, index) for key in keys]
            path, name, *others = texts
            if path and name:
                added.append(AddedRun(_absolute(self._path.parent, path), name, *(text or "" for text in others)))
            else:
                self._note("this run has no name or no path", "edits.added", None, index)
        names = {old: new for old, new in names.items() if new}
        return RunChanges(frozenset(removed), names, tuple(added), self._virtual_runs(edits))

    def _virtual_runs(self, edits: Mapping[str, Any]) -> tuple[VirtualRun, ...]:
        """Runs computed from others; the expressions are parsed where they are computed."""
        found = []
        for text in self._inner(edits, "virtual", list):
            if isinstance(text, str) and text.strip():
                found.append(VirtualRun(text.strip()))
            else:
                self._note("an entry of 'virtual' is no text, such as \"rrf(A1, B2)\"", "edits", "virtual")
        if len(found) > MAX_DOCUMENT_RUNS:
            message = f"has {len(found):,} virtual runs, more than {MAX_DOCUMENT_RUNS:,}, the limit"
            self._note(message, "edits", "virtual")
        return tuple(dict.fromkeys(found[:MAX_DOCUMENT_RUNS]))

    def _files(self, root: Path) -> dict[str, str]:
        """Hashes of files inside the benchmark; others are ignored."""
        found = self._texts("files", self._table("files"), MAX_NAME_BYTES)
        return {name: known for name, known in found.items() if _absolute(root, name).is_relative_to(root)}

    def _rows(self, edits: Mapping[str, Any], name: str) -> tuple[Mapping[str, Any], ...]:
        """Edits of the assessment or decisions; their values are checked where they are used."""
        listed = self._inner(edits, name, list)
        if not all(isinstance(row, dict) for row in listed):
            self._note(f"'{name}' is not a list of tables; write it as [[edits.{name}]]", "edits", name)
        return tuple(row for row in listed if isinstance(row, dict))

    def _table(self, name: str) -> dict[str, Any]:
        return self._inner(self._document, name, dict)

    def _inner(self, table: Mapping[str, Any], name: str, kind: type[Value]) -> Value:
        value = table.get(name)
        if value is not None and not isinstance(value, kind):
            self._note(f"'{name}' is not a {'table' if kind is dict else 'list'}", name)
        return value if isinstance(value, kind) else kind()

    def _texts(self, table: str, values: Mapping[str, Any], max_characters: int) -> dict[str, str]:
        found = {key: self._text(table, values, key, 0, max_characters) for key in values}
        return {key: text for key, text in found.items() if text is not None}

    def _text(
        self, table: str, values: Mapping[str, Any], key: str, index: int = 0, max_characters: int = MAX_NAME_BYTES
    ) -> str | None:
        value = values.get(key)
        if value is None:
            return None
        if not isinstance(value, str):
            self._note(f"'{key}' is not text", table, key, index)
        elif len(value) > max_characters:
            self._note(f"'{key}' has more than {max_characters:,} characters, the limit", table, key, index)
        else:
            return value
        return None

    def _note(self, message: str, table: str, key: str | None = None, index: int = 0) -> None:
        if len(self._findings) <= MAX_FAULTS:
            line = self._line_index.find(table, key, index)
            self._findings.append(Finding(Severity.ERROR, str(self._path), line, message, "ignored"))


def project_digest(path: Path) -> str:
    """Digest of the content of a file; "" for a missing file, and a fixed text for one that cannot be read."""
    try:
        if not path.is_file():
            return "not a file" if path.exists() else ""
        if path.stat().st_size > MAX_DOCUMENT_BYTES:
            return "too large"
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return "unreadable"


def write_project(project: Project) -> str:
    """Write a project atomically, and return its digest; OSError when it cannot be written.

    Paths of runs are relative to the benchmark, the others to the project, with forward slashes, so that both can be
    moved, together or alone.
    """
    text = _to_toml(project)
    write_text_atomic(project.path, text)
    return hashlib.sha256(text.encode()).hexdigest()


def find_source(project: Project) -> Path | None:
    """Source of a project; if it was moved, a folder of the same name near the project, or None.

    A folder found by name must have the content of the benchmark, see `_is_benchmark`. A folder that contains the
    project must have some of it, as a project that was saved in its benchmark can be moved without it.
    """
    if os.path.exists(project.source) and (
        not project.path.is_relative_to(project.source) or _has_part(project, project.source)
    ):
        return project.source
    return next((path for path in _candidates(project) if _is_benchmark(project, path)), None)


def not_found_reason(project: Project) -> str:
    """Why `find_source` finds nothing, to follow "belongs to a benchmark"."""
    if not os.path.exists(project.source):
        other = next(_candidates(project), None)
        content = f" with its content: '{other}' contains other files" if other is not None else ""
        return f"'{project.source}', which does not exist, and nothing of that name is next to the project{content}"
    run = next(iter(project.runs.values()), project.source)
    reason = f"'{run}' {'has another content' if os.path.exists(run) else 'does not exist'}"
    return f"a benchmark that is not in '{project.source}': {reason}"


def with_hashes(project: Project) -> Project:
    """The project with the present hashes of its files and runs; files that do not exist are removed."""
    files = {name: content_hash(project.root / name) for name in project.files}
    runs = {name: content_hash(path) or project.hashes.get(name, "") for name, path in project.runs.items()}
    return replace(
        project,
        files={name: found for name, found in files.items() if found},
        hashes={name: found for name, found in runs.items() if found},
    )


def relocate_project(project: Project, source: Path) -> Project:
    """The project with another source folder; paths of runs and parts inside it are changed accordingly."""

    def moved(path: Path) -> Path:
        return root_of(source) / path.relative_to(project.root) if path.is_relative_to(project.root) else path

    return replace(
        project,
        source=source,
        parts={name: moved(path) for name, path in project.parts.items()},
        runs={name: moved(path) for name, path in project.runs.items()},
    )


def with_former_runs(project: Project, former: Project) -> Project:
    """The project with runs that only an earlier version of it has, except runs that were renamed.

    These are the runs whose files were not found: the open benchmark does not have them, but the project keeps them.
    """
    known = {*project.runs.values()}
    missing = {name: path for name, path in former.runs.items() if name not in project.runs and path not in known}
    hashes = {name: former.hashes[name] for name in missing if name in former.hashes}
    return replace(project, runs={**project.runs, **missing}, hashes={**hashes, **project.hashes})


def missing_files(project: Project) -> tuple[str, ...]:
    """Files and runs of the saved benchmark that do not exist, relative to its folder; none for an archive."""
    if os.path.isfile(project.source) and has_archive_suffix(project.source):
        return ()
    runs = (project.runs[name] for name in missing_runs(project))
    names = [run.relative_to(project.root).as_posix() if run.is_relative_to(project.root) else str(run) for run in runs]
    return (*(name for name in project.files if not os.path.exists(project.root / name)), *names)


def missing_runs(project: Project) -> tuple[str, ...]:
    """Names of runs whose files do not exist; none for a benchmark in an archive."""
    if os.path.isfile(project.source) and has_archive_suffix(project.source):
        return ()
    return tuple(name for name, path in project.runs.items() if not os.path.exists(path))


def root_of(source: Path) -> Path:
    """Folder of a benchmark that was opened: the folder of a benchmark.toml or a run, a folder or an archive itself."""
    is_file = source.suffix.lower() in (".toml", PROJECT_SUFFIX) or os.path.isfile(source)
    return source.parent if is_file and not has_archive_suffix(source) else source


def content_hash(path: Path) -> str:
    """Hash of a file or folder, 16 hexadecimal digits; "" when it cannot be read. See `HASH_SAMPLE_BYTES`."""
    digest = hashlib.sha256()
    try:
        if not os.path.exists(path):
            return ""
        if path.is_dir():
            files = sorted(file for file in path.rglob("*") if file.is_file())
            for index, file in enumerate(files):
                name = os.fsencode(file.relative_to(path).as_posix())
                digest.update(name + f"\0{file.stat().st_size}\0".encode())
                if index < MAX_HASHED_FILES:
                    _add_sample(digest, file)
        elif path.is_file():  # opening a pipe would block
            digest.update(f"{path.stat().st_size}\0".encode())
            _add_sample(digest, path)
        else:
            return ""
    except OSError:
        return ""
    return digest.hexdigest()[:16]


def changed_runs(project: Project) -> tuple[str, ...]:
    """Names of runs whose files exist but have changed since the project was saved."""
    present = ((name, content_hash(path)) for name, path in project.runs.items() if name in project.hashes)
    return tuple(name for name, found in present if found and found != project.hashes[name])


def _add_sample(digest: Any, path: Path) -> None:
    with path.open("rb") as file:
        digest.update(file.read(HASH_SAMPLE_BYTES))
        size = file.seek(0, os.SEEK_END)
        if size > HASH_SAMPLE_BYTES:
            file.seek(max(HASH_SAMPLE_BYTES, size - HASH_SAMPLE_BYTES))
            digest.update(file.read(HASH_SAMPLE_BYTES))


_ESCAPE = "\U0010f800"
"""Precedes a private character that was in the text itself."""

_TO_PRIVATE = {surrogate: chr(surrogate - 0xD800 + 0x10F000) for surrogate in range(0xD800, 0xE000)} | {
    private: f"{_ESCAPE}{chr(private)}" for private in (*range(0x10F000, 0x10F800), ord(_ESCAPE))
}
"""Private characters for surrogates, which TOML cannot contain: bytes of file names that are not UTF-8 (PEP 383)."""

_PRIVATE = re.compile(f"{_ESCAPE}([\U0010f000-{_ESCAPE}])|([\U0010f000-\U0010f7ff])")


def _from_private(found: re.Match[str]) -> str:
    return found[1] or chr(ord(found[2]) - 0x10F000 + 0xD800)


def _with_bytes(value: Any) -> Any:
    """A value of a document with surrogates in place of their private characters; see `_TO_PRIVATE`."""
    if isinstance(value, str):
        return _PRIVATE.sub(_from_private, value)
    if isinstance(value, dict):
        return {_with_bytes(key): _with_bytes(inner) for key, inner in value.items()}
    return [_with_bytes(inner) for inner in value] if isinstance(value, list) else value


def _to_toml(project: Project) -> str:
    import tomlkit

    base, root = project.path.parent, project.root
    document = tomlkit.document()
    document.add(tomlkit.comment(HEADER_COMMENT))
    document["benchmark"] = {
        "name": project.name, "profile": project.profile, "folder": _relative(project.source, base),
        "format": RUNS_FROM_ROOT,
    }  # fmt: skip
    if project.parts:
        document["parts"] = {name: _relative(path, base) for name, path in project.parts.items()}
    runs = tomlkit.aot()
    for name, path in project.runs.items():
        entry = {"name": name, "path": _relative(path, root)}
        if project.hashes.get(name):
            entry["hash"] = project.hashes[name]
        runs.append(tomlkit.item(entry))
    if project.runs:
        document["runs"] = runs
    if project.files:
        document["files"] = dict(project.files)
    document["view"] = {key: value for key, value in project.view.items() if value is not None}
    document["notes"] = dict(project.notes)
    edits = tomlkit.table()
    edits.update({"hidden": list(project.hidden), "colours": dict(project.colours)})
    edits.update(_run_changes_table(project, base))
    for name, rows in (("levels", project.levels), ("reviewed", project.reviewed)):
        tables = tomlkit.aot()
        for row in rows:
            tables.append(tomlkit.item(dict(row)))
        if rows:
            edits[name] = tables
    document["edits"] = edits
    return tomlkit.dumps(document).translate(_TO_PRIVATE)


def _run_changes_table(project: Project, base: Path) -> dict[str, Any]:
    """Keys of ``[edits]``; paths are relative to the project. Keys without a value are left out."""
    changes = project.run_changes
    added = [
        {"path": _relative(run.path, base), "name": run.name, "participant": run.participant, "inside": run.inside,
         "replaces": run.replaces}
        for run in changes.added
    ]  # fmt: skip
    table = {
        "removed": sorted(changes.removed),
        "names": dict(changes.names),
        "added": [{key: text for key, text in run.items() if text} for run in added],
        "virtual": [run.expression for run in changes.virtual],
    }
    return {key: value for key, value in table.items() if value}


def _table(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = document.get(name, {})
    return table if isinstance(table, dict) else {}


def _absolute(folder: Path, text: str) -> Path:
    return Path(os.path.normpath(folder / text))


def _relative(path: Path, base: Path) -> str:
    """Relative path; absolute for another drive of Windows."""
    try:
        return Path(os.path.relpath(path, base)).as_posix()
    except ValueError:
        return path.as_posix()


def _candidates(project: Project) -> Iterator[Path]:
    """Paths of the same name in the folder of the project, its parent and grandparent, and in their subfolders."""
    base = project.path.parent
    for folder in (base, base.parent, base.parent.parent):
        if os.path.exists(folder / project.source.name):
            yield folder / project.source.name
        for child in _folders(folder):
            if os.path.exists(child / project.source.name):
                yield child / project.source.name


def _folders(folder: Path) -> Iterable[Path]:
    try:
        children = sorted(child for child in folder.iterdir() if child.is_dir())
    except OSError:
        return ()
    return children[:MAX_SIBLINGS]


def _is_benchmark(project: Project, source: Path) -> bool:
    """Whether a folder found by name is the benchmark: all its files are unchanged, and it contains a run.

    If the project has no files but runs, one of the runs must be unchanged.
    """
    root = root_of(source)
    if not project.files:
        return _has_known_run(project, root)
    has_files = all(content_hash(root / name) == known for name, known in project.files.items())
    return has_files and (root.is_file() or _has_run(project, root))


def _has_part(project: Project, source: Path) -> bool:
    """Whether a folder contains an unchanged file or run; without hashes, whether it contains a run of the project."""
    root = root_of(source)
    if not project.files and not project.hashes:
        return _has_run(project, root)
    is_known = any(content_hash(root / name) == known for name, known in project.files.items())
    return is_known or _has_known_run(project, root)


def _has_run(project: Project, root: Path) -> bool:
    """Whether a folder contains a run of the project; True if the benchmark contained none."""
    inside = [path for path in project.runs.values() if path.is_relative_to(project.root)]
    return not inside or any(os.path.exists(root / path.relative_to(project.root)) for path in inside)


def _has_known_run(project: Project, root: Path) -> bool:
    inside = {name: path for name, path in project.runs.items() if path.is_relative_to(project.root)}
    known = {name: project.hashes.get(name) for name in inside}
    return any(
        known[name] and content_hash(root / path.relative_to(project.root)) == known[name]
        for name, path in inside.items()
    )
