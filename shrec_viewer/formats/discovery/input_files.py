"""Files that must not be replaced by results: inputs of the open benchmark, and files that look like inputs."""

import os
from collections.abc import Iterator
from pathlib import Path

from shrec_viewer.domain import Benchmark, FormatError
from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.core.reader import EMPTY, IMAGE, UNKNOWN, RunReader
from shrec_viewer.formats.discovery.reader_table import OWN_RESULTS, all_readers
from shrec_viewer.formats.discovery.recognition import is_run, recognise_file
from shrec_viewer.formats.manifest.manifest import PROJECT_SUFFIX
from shrec_viewer.formats.manifest.parts import BenchmarkParts

#: Extensions of files that meshes refer to, besides images: materials of OBJ, buffers of glTF.
MODEL_PART_SUFFIXES = (".mtl", ".bin")

#: Device and inode: equal for hard links, links, other spellings of a path, and upper case on a system without case.
FileId = tuple[int, int | str]


class InputFiles:
    """The files and folders that a benchmark was read from.

    Parameters
    ----------
    benchmark : None if it could not be read, or is not read yet.
    opened : path that was opened.
    parts : parts at other paths.
    """

    def __init__(self, benchmark: Benchmark | None, opened: Path | None, parts: BenchmarkParts | None = None) -> None:
        self._names: dict[FileId, str] = {}
        self._root = None if benchmark is None else benchmark.root
        self._model_folders: set[FileId] = set()
        for path, name in _named_inputs(benchmark, opened, parts):
            if (found := file_id(path)) is not None:
                self._names.setdefault(found, name)
        for folder in {} if benchmark is None else {path.parent for path in benchmark.files()}:
            if (found := file_id(folder)) is not None:
                self._model_folders.add(found)

    def name_of(self, target: Path) -> str:
        """What a file is for the benchmark, such as "a run"; "" if it is no input. Files of a run folder are inputs."""
        found = file_id(target)
        if found is None:
            return ""
        if (name := self._names.get(found, "")) and not target.is_dir():
            return name
        for folder in Path(os.path.realpath(target)).parents:
            name = self._names.get(file_id(folder) or (0, 0), "")
            if name == "a run":
                return "part of a run"
        return ""

    def has_models_in(self, folder: Path) -> bool:
        """Whether a folder, or its subfolder for queries, contains files of models or queries."""
        return any(file_id(path) in self._model_folders for path in (folder, folder / "queries"))

    def has_picture_or_material(self, target: Path) -> bool:
        """Whether a file is an image in the benchmark, or next to its models and of a type that meshes refer to."""
        if not target.is_file():
            return False
        suffix = target.suffix.lower()
        if suffix in MODEL_PART_SUFFIXES:
            return file_id(target.parent) in self._model_folders
        is_inside = self._root is not None and Path(os.path.realpath(target)).is_relative_to(
            os.path.realpath(self._root)
        )
        return is_inside and _kind(target) == IMAGE


def file_id(path: Path) -> FileId | None:
    """Identity of a file or folder; None if there is none."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    # Some network drives of Windows report inode 0 for every file.
    return status.st_dev, status.st_ino or os.path.realpath(path)


def recognised_input(target: Path) -> str:
    """What the readers take a file for, such as "TREC run"; "" for results of this program and other files."""
    kind = _kind(target)
    if kind in ("", EMPTY, UNKNOWN, IMAGE, OWN_RESULTS):
        return ""
    readers = {reader.key: reader for reader in all_readers()}
    reader = readers.get(kind)
    if isinstance(reader, RunReader) and reader.read_folder is not None and not _is_run_folder(target.parent):
        return ""  # almost any text looks like one list
    return kind if reader is None else reader.label


def _is_run_folder(folder: Path) -> bool:
    """Whether a folder contains several lists and nothing else, as far as its first files show."""
    return len(_files_in(folder)) > 1 and is_run(folder)


def _kind(target: Path) -> str:
    if not target.is_file():
        return ""
    if target.suffix.lower() == PROJECT_SUFFIX:
        return "project"
    try:
        found = recognise_file(target, FindingsLog(target.parent))
    except (OSError, FormatError):
        return ""
    return "" if found is None else found.kind


def _files_in(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir()) if folder.is_dir() else []
    except OSError:
        return []


def _named_inputs(
    benchmark: Benchmark | None, opened: Path | None, parts: BenchmarkParts | None
) -> Iterator[tuple[Path, str]]:
    if opened is not None and not opened.is_dir():
        yield opened, "the benchmark itself"
    if benchmark is not None:
        for run in benchmark.runs:
            if run.expression:
                continue
            yield run.source, "a run"
            yield from ((path, "part of a run") for path in _files_in(run.source))
        yield from ((path, "a model or query") for path in benchmark.files())
        yield from ((path, "one of its files") for path in benchmark.sources)
    if parts is not None:
        named = {"classification": parts.classification, "queries": parts.queries, "assessment": parts.assessment}
        named |= {"models": parts.models, "runs": parts.runs}
        for name, path in named.items():
            if path is not None and not path.is_dir():
                yield path, f"given as --{name}"
