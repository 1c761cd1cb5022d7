"""Read and write `.shrec` projects: paths, view state and notes of a session."""

import hashlib
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.io.atomic import write_text_atomic
from shrec_viewer.formats.io.text import read_text
from shrec_viewer.formats.manifest.manifest import PROJECT_SUFFIX
from shrec_viewer.formats.manifest.parts import BenchmarkParts

HEADER_COMMENT = "A project of the SHREC Viewer: what was opened, what was looked at, and the notes made there."

PART_NAMES = ("classification", "queries", "assessment", "models", "runs")
"""Fields of `BenchmarkParts` that are paths."""

HASH_SAMPLE_BYTES = 65_536
"""Bytes at each end of a file that its hash looks at, beside its length: a run that was computed anew differs in them,
and a matrix of gigabytes costs no more than a page of text."""

MAX_HASHED_FILES = 200
"""Files of a folder that its hash looks into; of the others it knows name and length."""

MAX_SIBLINGS = 500
"""Folders that are looked through for one that was moved."""


@dataclass(frozen=True)
class Project:
    """A `.shrec` file.

    Attributes
    ----------
    path : the file.
    source : what was opened, absolute; it need not exist any more.
    name : of the benchmark.
    profile : key of the conventions, with changes: ``"psb+ties=trec"``.
    parts : parts that the person named, absolute, by their names in `BenchmarkParts`.
    runs : name and path of each run.
    hashes : hash of each run by its name; see `content_hash`.
    view : what was looked at; plain values, the window's own affair.
    notes : text by id of the query.
    colours : ``#rrggbb`` by name of the run.
    hidden : names of runs that graphs do not show.
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

    def with_parts(self, parts: BenchmarkParts) -> BenchmarkParts:
        """`parts`, and where they say nothing those of the project."""
        mine: dict[str, Any] = {name: path for name, path in self.parts.items() if getattr(parts, name) is None}
        return replace(parts, **mine)


def is_project(path: Path) -> bool:
    """Whether a path is called like a project and says what was opened; one without is a manifest."""
    if path.suffix.lower() != PROJECT_SUFFIX or not path.is_file():
        return False
    try:
        return "folder" in _table(_document(path), "benchmark")
    except FormatError:
        return False


def read_project(path: Path) -> Project:
    """What a project says.

    Raises
    ------
    FormatError
        Where it is no TOML, or names no folder.
    """
    path = Path(os.path.abspath(path))
    document = _document(path)
    benchmark, parts, edits = (_table(document, name) for name in ("benchmark", "parts", "edits"))
    folder = benchmark.get("folder")
    if not isinstance(folder, str) or not folder:
        raise FormatError(path, "is no project: it does not say which folder was opened (folder in [benchmark])")
    runs = [run for run in document.get("runs", []) if isinstance(run, dict) and isinstance(run.get("name"), str)]
    hidden = edits.get("hidden", [])
    return Project(
        path,
        _absolute(path, folder),
        str(benchmark.get("name", "")),
        str(benchmark.get("profile", "default")),
        {name: _absolute(path, parts[name]) for name in PART_NAMES if isinstance(parts.get(name), str)},
        {run["name"]: _absolute(path, str(run.get("path", ""))) for run in runs},
        {run["name"]: str(run["hash"]) for run in runs if "hash" in run},
        _table(document, "view"),
        _texts(_table(document, "notes")),
        _texts(_table(edits, "colours")),
        tuple(name for name in hidden if isinstance(name, str)) if isinstance(hidden, list) else (),
    )


def write_project(project: Project) -> None:
    """Write a project: all of it, or what stood there before; OSError where the disk refuses.

    Paths are written relative to the project, with forward slashes, so that both can be moved together.
    """
    write_text_atomic(project.path, _to_toml(project))


def find_source(project: Project) -> Path | None:
    """What the project opened: where it says, else among the folders around the project; None where it is nowhere.

    A folder found by its name counts only if it has a run of the project where that was, or if there were none.
    """
    if project.source.exists():
        return project.source
    return next((path for path in _candidates(project) if _has_runs(project, path)), None)


def relocate_project(project: Project, source: Path) -> Project:
    """The project for a folder that lies elsewhere now; runs and parts inside it go with it."""

    def follow(path: Path) -> Path:
        return source / path.relative_to(project.source) if path.is_relative_to(project.source) else path

    return replace(
        project,
        source=source,
        parts={name: follow(path) for name, path in project.parts.items()},
        runs={name: follow(path) for name, path in project.runs.items()},
    )


def content_hash(path: Path) -> str:
    """What a file or folder holds, as 16 hexadecimal digits; "" where it cannot be read. See `HASH_SAMPLE_BYTES`."""
    digest = hashlib.sha256()
    try:
        if path.is_dir():
            files = sorted(file for file in path.rglob("*") if file.is_file())
            for place, file in enumerate(files):
                digest.update(f"{file.relative_to(path).as_posix()}\0{file.stat().st_size}\0".encode())
                if place < MAX_HASHED_FILES:
                    _add_sample(digest, file)
        else:
            digest.update(f"{path.stat().st_size}\0".encode())
            _add_sample(digest, path)
    except OSError:
        return ""
    return digest.hexdigest()[:16]


def changed_runs(project: Project) -> tuple[str, ...]:
    """Names of runs whose files are there but hold something else than when the project was saved."""
    present = ((name, content_hash(path)) for name, path in project.runs.items() if name in project.hashes)
    return tuple(name for name, found in present if found and found != project.hashes[name])


def _add_sample(digest: Any, path: Path) -> None:
    with path.open("rb") as file:
        digest.update(file.read(HASH_SAMPLE_BYTES))
        size = file.seek(0, os.SEEK_END)
        if size > HASH_SAMPLE_BYTES:
            file.seek(max(HASH_SAMPLE_BYTES, size - HASH_SAMPLE_BYTES))
            digest.update(file.read(HASH_SAMPLE_BYTES))


def _to_toml(project: Project) -> str:
    import tomlkit

    base = project.path.parent
    document = tomlkit.document()
    document.add(tomlkit.comment(HEADER_COMMENT))
    document["benchmark"] = {
        "name": project.name, "profile": project.profile, "folder": _relative(project.source, base)
    }  # fmt: skip
    if project.parts:
        document["parts"] = {name: _relative(path, base) for name, path in project.parts.items()}
    runs = tomlkit.aot()
    for name, path in project.runs.items():
        entry = {"name": name, "path": _relative(path, base)}
        if project.hashes.get(name):
            entry["hash"] = project.hashes[name]
        runs.append(tomlkit.item(entry))
    if project.runs:
        document["runs"] = runs
    document["view"] = {key: value for key, value in project.view.items() if value is not None}
    document["notes"] = dict(project.notes)
    document["edits"] = {"hidden": list(project.hidden), "colours": dict(project.colours)}
    return tomlkit.dumps(document)


def _document(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise FormatError(path, f"is not valid TOML: {error}") from error


def _table(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = document.get(name, {})
    return table if isinstance(table, dict) else {}


def _texts(table: Mapping[str, Any]) -> dict[str, str]:
    return {name: text for name, text in table.items() if isinstance(text, str)}


def _absolute(path: Path, text: str) -> Path:
    return Path(os.path.normpath(path.parent / text))


def _relative(path: Path, base: Path) -> str:
    """Relative where there is a way; another drive of Windows has none."""
    try:
        return Path(os.path.relpath(path, base)).as_posix()
    except ValueError:
        return path.as_posix()


def _candidates(project: Project) -> Iterator[Path]:
    """Everything of the same name beside the project, one and two floors up, and one floor further down."""
    base = project.path.parent
    for folder in (base, base.parent, base.parent.parent):
        if (folder / project.source.name).exists():
            yield folder / project.source.name
        for child in _folders(folder):
            if (child / project.source.name).exists():
                yield child / project.source.name


def _folders(folder: Path) -> Iterable[Path]:
    try:
        children = sorted(child for child in folder.iterdir() if child.is_dir())
    except OSError:
        return ()
    return children[:MAX_SIBLINGS]


def _has_runs(project: Project, source: Path) -> bool:
    inside = [path for path in project.runs.values() if path.is_relative_to(project.source)]
    return not inside or any((source / path.relative_to(project.source)).exists() for path in inside)
