"""Read and write `.shrec` projects: paths, view state and notes of a session."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, get_args

from msgspec import Meta

from shrec_viewer.domain import Finding, FormatError
from shrec_viewer.formats.io.archive_names import has_archive_suffix
from shrec_viewer.formats.io.atomic import write_text_atomic
from shrec_viewer.formats.io.documents import read_toml
from shrec_viewer.formats.io.limits import MAX_DOCUMENT_BYTES, MAX_DOCUMENT_RUNS
from shrec_viewer.formats.io.schema import Codec, Codecs, Name, Text, read_data, stored, to_data
from shrec_viewer.formats.io.text import read_or_none
from shrec_viewer.formats.manifest.edit_state import EDIT_CODECS, EditState
from shrec_viewer.formats.manifest.manifest import PROJECT_SUFFIX, CameraTable, findings_of, relative_path
from shrec_viewer.formats.manifest.parts import BenchmarkParts

HEADER_COMMENT = "# A project of the SHREC Viewer: benchmark, state of the window, and notes."

#: Fields of `BenchmarkParts` that are paths.
PartName = Literal["classification", "queries", "assessment", "models", "runs"]

PART_NAMES: tuple[PartName, ...] = get_args(PartName)

#: Bytes at each end of a file that are hashed, with its length.
#:
#: A recomputed run differs in them, and a matrix of gigabytes takes no longer than a small file.
HASH_SAMPLE_BYTES = 65_536

#: Maximum number of files of a folder whose content is hashed; of the others only name and length are.
MAX_HASHED_FILES = 200

#: Value of ``format`` in [benchmark] from which paths of runs are relative to the benchmark; before, to the project.
RUNS_FROM_ROOT = 2

#: Maximum number of subfolders that are searched for a benchmark that was moved.
MAX_SIBLINGS = 500


RunPath = Annotated[Path, "of a run of the benchmark"]


@dataclass(frozen=True)
class SavedRun:
    """A run of a saved benchmark: its name, its absolute path, and its hash ("" for none), see `content_hash`."""

    name: Name
    path: RunPath
    hash: Text = ""


SavedRuns = Mapping[str, SavedRun]


class ProjectView(TypedDict, total=False):
    """The table ``[view]``: the selection by ids and names, and the state of the window."""

    perspective: Text
    card_size: Text
    layouts: Any
    layout_version: int
    panels: Mapping[str, Mapping[str, Any]]
    measure: Text
    means: bool
    mean_over: Literal["queries", "classes"]
    slice: Text
    groups: tuple[Text, ...]
    rank: Annotated[int, Meta(ge=1)]
    query: Text
    run: Text
    compared: Text
    model: Text
    added_measures: tuple[Text, ...]
    run_styles: Mapping[str, tuple[int, int, int]]
    camera: CameraTable


ViewState = Annotated[Mapping[str, Any], "values of `ProjectView`"]


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
    runs : each run by its name; also those that were not found when the project was saved.
    view : state of the window, see `ProjectView`.
    edits : notes and all other edits.
    files : hash of each file that was read and is no run, such as the classification, by its path relative to `root`;
        "" before the project is saved. A moved benchmark is recognised by these files.
    format : what paths of runs in the file are relative to, see `RUNS_FROM_ROOT`.
    digest : digest of the file as it was read or written; see `project_digest`.
    findings : fields that were ignored; `file` is the full path.
    """

    path: Path = field(metadata=stored(None))
    source: Path = field(metadata=stored("benchmark.folder"))
    name: Text = field(default="", metadata=stored("benchmark.name"))
    profile: Name = field(default="default", metadata=stored("benchmark.profile"))
    parts: Mapping[PartName, Path] = field(default_factory=dict)
    runs: SavedRuns = field(default_factory=dict)
    view: ViewState = field(default_factory=dict)
    edits: EditState = field(default_factory=EditState, metadata=stored(is_inline=True))
    files: Mapping[str, Text] = field(default_factory=dict)
    format: int = field(default=RUNS_FROM_ROOT, metadata=stored("benchmark.format"), compare=False)
    digest: str = field(default="", metadata=stored(None), compare=False)
    findings: tuple[Finding, ...] = field(default=(), metadata=stored(None), compare=False)

    @property
    def root(self) -> Path:
        """Folder that paths of runs are relative to: that of the benchmark; for an archive, the archive."""
        return root_of(self.source)

    @property
    def has_hashes(self) -> bool:
        """Whether its files or runs have hashes, by which the benchmark is recognised."""
        return bool(self.files) or any(run.hash for run in self.runs.values())

    def with_parts(self, parts: BenchmarkParts) -> BenchmarkParts:
        """`parts`, with missing ones taken from the project."""
        missing: dict[str, Any] = {name: path for name, path in self.parts.items() if getattr(parts, name) is None}
        return replace(parts, **missing)


def is_project(path: Path) -> bool:
    """Whether a file has the extension of a project and is not a manifest, which has tables with files instead."""
    if path.suffix.lower() != PROJECT_SUFFIX or not path.is_file():
        return False
    if (found := read_or_none(read_toml, path)) is None:
        return False
    document, _ = found
    has_files = any(_table(document, name) for name in ("collection", "queries", "assessment"))
    return "folder" in _table(document, "benchmark") or not (has_files or "runs" in document)


def project_at(path: Path) -> Project | None:
    """The project at a path; None if there is none. Errors as of `read_project`."""
    return read_project(path) if is_project(path) else None


def read_project(path: Path) -> Project:
    """Read a project; unknown keys and wrong values are findings and ignored.

    Raises
    ------
    FormatError
        When it is not valid TOML, or has no source folder.
    """
    path = Path(os.path.abspath(path))
    digest = project_digest(path)  # before reading: a change in between is detected when the project is saved
    document, text = read_toml(path)
    document, folder = _with_bytes(document), path.parent
    benchmark = _table(document, "benchmark")
    is_from_root = benchmark.setdefault("format", 1) == RUNS_FROM_ROOT
    source = _absolute(folder, str(benchmark.get("folder", "")))
    codecs = _codecs(folder, root_of(source) if is_from_root else folder)
    project, faults = read_data(Project, document, codecs, path=path, digest=digest)
    if project is None:
        raise FormatError(path, "is not a project: the key 'folder' is missing in [benchmark]")
    inside = {name: known for name, known in project.files.items() if _is_inside(name, project.root)}
    return replace(project, files=inside, findings=findings_of(path, text.split("\n"), faults))


def _codecs(folder: Path, root: Path) -> Codecs:
    """How a project stores its values: paths are relative to its folder, those of runs to the benchmark."""
    return {
        **EDIT_CODECS,
        Path: Codec(Name, partial(_absolute, folder), partial(relative_path, base=folder)),
        RunPath: Codec(Name, partial(_absolute, root), partial(relative_path, base=root)),
        SavedRuns: Codec(
            Annotated[tuple[SavedRun, ...], Meta(max_length=MAX_DOCUMENT_RUNS)],
            lambda runs: {run.name: run for run in runs},
            lambda runs: tuple(runs.values()),
        ),
        ViewState: Codec(ProjectView, dict, dict),
    }


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
    import tomlkit

    data = to_data(replace(project, format=RUNS_FROM_ROOT), _codecs(project.path.parent, project.root))
    text = f"{HEADER_COMMENT}\n\n{tomlkit.dumps(data)}".translate(_TO_PRIVATE)
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
    run = next((run.path for run in project.runs.values()), project.source)
    reason = f"'{run}' {'has another content' if os.path.exists(run) else 'does not exist'}"
    return f"a benchmark that is not in '{project.source}': {reason}"


def with_hashes(project: Project) -> Project:
    """The project with the present hashes of its files and runs; files that do not exist are removed."""
    files = {name: content_hash(project.root / name) for name in project.files}
    runs = {name: replace(run, hash=content_hash(run.path) or run.hash) for name, run in project.runs.items()}
    return replace(project, files={name: found for name, found in files.items() if found}, runs=runs)


def relocate_project(project: Project, source: Path) -> Project:
    """The project with another source folder; paths of runs and parts inside it are changed accordingly."""

    def moved(path: Path) -> Path:
        return root_of(source) / path.relative_to(project.root) if path.is_relative_to(project.root) else path

    return replace(
        project,
        source=source,
        parts={name: moved(path) for name, path in project.parts.items()},
        runs={name: replace(run, path=moved(run.path)) for name, run in project.runs.items()},
    )


def with_former_runs(project: Project, former: Project) -> Project:
    """The project with runs that only an earlier version of it has, except runs that were renamed.

    These are the runs whose files were not found: the open benchmark does not have them, but the project keeps them.
    """
    known = {run.path for run in project.runs.values()}
    runs = former.runs.items()
    missing = {name: run for name, run in runs if name not in project.runs and run.path not in known}
    return replace(project, runs={**project.runs, **missing})


def missing_files(project: Project) -> tuple[str, ...]:
    """Files and runs of the saved benchmark that do not exist, relative to its folder."""
    runs = (project.runs[name].path for name in missing_runs(project))
    names = [run.relative_to(project.root).as_posix() if run.is_relative_to(project.root) else str(run) for run in runs]
    return (*(name for name in project.files if not _exists(project.root / name)), *names)


def missing_runs(project: Project) -> tuple[str, ...]:
    """Names of runs whose files, or the archives that contain them, do not exist."""
    return tuple(name for name, run in project.runs.items() if not _exists(run.path))


def _exists(path: Path) -> bool:
    return os.path.exists(_file_or_archive(path))


def _file_or_archive(path: Path) -> Path:
    """The archive that a path leads into, ``team.zip`` of ``team.zip/A.run``; another path unchanged."""
    if os.path.exists(path):
        return path
    return next((folder for folder in path.parents if has_archive_suffix(folder) and os.path.isfile(folder)), path)


def root_of(source: Path) -> Path:
    """Folder of a benchmark that was opened: the folder of a benchmark.toml or a run, a folder or an archive itself."""
    is_file = source.suffix.lower() in (".toml", PROJECT_SUFFIX) or os.path.isfile(source)
    return source.parent if is_file and not has_archive_suffix(source) else source


def content_hash(path: Path) -> str:
    """Hash of a file or folder, or of the archive with it, 16 hexadecimal digits; "" when it cannot be read.

    See `HASH_SAMPLE_BYTES`.
    """
    path = _file_or_archive(path)
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
    saved = (run for run in project.runs.values() if run.hash)
    return tuple(run.name for run in saved if (found := content_hash(run.path)) and found != run.hash)


def _add_sample(digest: Any, path: Path) -> None:
    with path.open("rb") as file:
        digest.update(file.read(HASH_SAMPLE_BYTES))
        size = file.seek(0, os.SEEK_END)
        if size > HASH_SAMPLE_BYTES:
            file.seek(max(HASH_SAMPLE_BYTES, size - HASH_SAMPLE_BYTES))
            digest.update(file.read(HASH_SAMPLE_BYTES))


#: Precedes a private character that was in the text itself.
_ESCAPE = "\U0010f800"

#: Private characters for surrogates, which TOML cannot contain: bytes of file names that are not UTF-8 (PEP 383).
_TO_PRIVATE = {surrogate: chr(surrogate - 0xD800 + 0x10F000) for surrogate in range(0xD800, 0xE000)} | {
    private: f"{_ESCAPE}{chr(private)}" for private in (*range(0x10F000, 0x10F800), ord(_ESCAPE))
}

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


def _table(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = document.get(name, {})
    return table if isinstance(table, dict) else {}


def _absolute(folder: Path, text: str) -> Path:
    return Path(os.path.normpath(folder / text))


def _is_inside(name: str, root: Path) -> bool:
    return _absolute(root, name).is_relative_to(root)


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
    if not project.has_hashes:
        return _has_run(project, root)
    is_known = any(content_hash(root / name) == known for name, known in project.files.items())
    return is_known or _has_known_run(project, root)


def _has_run(project: Project, root: Path) -> bool:
    """Whether a folder contains a run of the project; True if the benchmark contained none."""
    inside = _inner_runs(project)
    return not inside or any(_exists(root / name) for name in inside)


def _has_known_run(project: Project, root: Path) -> bool:
    inside = _inner_runs(project).items()
    return any(known and content_hash(root / name) == known for name, known in inside)


def _inner_runs(project: Project) -> dict[Path, str]:
    """Hashes of the runs inside the benchmark, by their paths relative to it."""
    runs = (run for run in project.runs.values() if run.path.is_relative_to(project.root))
    return {run.path.relative_to(project.root): run.hash for run in runs}
