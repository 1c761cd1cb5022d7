"""Parts of a benchmark named by the caller or the manifest, resolved to absolute paths."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.io.compressed import check_regular_file
from shrec_viewer.formats.io.text import read_file_head
from shrec_viewer.formats.manifest.manifest import LevelOverrides, Manifest, RunEntry
from shrec_viewer.formats.truth.cla import is_cla, read_cla
from shrec_viewer.formats.truth.class_tables import (
    is_class_lines,
    read_any_class_table,
    read_class_csv,
    read_class_lines,
)
from shrec_viewer.formats.truth.labels import LabelTable


@dataclass(frozen=True)
class BenchmarkParts:
    """Parts of a benchmark that the caller names; None: as the manifest says, else found in the folder.

    Attributes
    ----------
    classification : classes of the collection (`.cla`, table or lines).
    queries : folder of the queries' files, or a file with their classes.
    assessment : qrels.
    models : folder of the collection's files.
    runs : folder of runs, or one runfile; no others are read.
    reading : how runs are to be read; it has the last word about each of them.
    """

    classification: Path | None = None
    queries: Path | None = None
    assessment: Path | None = None
    models: Path | None = None
    runs: Path | None = None
    reading: ReadOptions = DETECT_ALL


@dataclass(frozen=True)
class ResolvedParts:
    """Parts that are settled, as absolute paths; None where they have to be found."""

    name: str | None
    profile: str | None
    classification: Path | None
    query_classes: Path | None
    qrels: Path | None
    models: Path | None
    query_files: Path | None
    derive: str | None
    runs: tuple[RunEntry, ...]
    runs_only: Path | None
    levels: LevelOverrides = field(default_factory=dict)
    reading: ReadOptions = DETECT_ALL
    camera: Mapping[str, str | float] = field(default_factory=dict)

    @property
    def folders(self) -> list[Path]:
        """Folders that are named."""
        named = [self.models, self.query_files, self.runs_only, *(entry.path for entry in self.runs)]
        return [path for path in named if path is not None and path.is_dir()]

    @property
    def files(self) -> list[Path]:
        """Files that are named."""
        named = [self.classification, self.query_classes, self.qrels, self.models, self.query_files, self.runs_only]
        named += [entry.path for entry in self.runs]
        return [path for path in named if path is not None and path.is_file()]


def resolve_parts(manifest: Manifest | None, parts: BenchmarkParts) -> ResolvedParts:
    """What the manifest and the caller say together; the caller has the last word.

    Raises
    ------
    FormatError
        When a part that the caller names is not there, or is a device or a pipe.
    """
    said = manifest if manifest is not None else Manifest(Path())
    part = {name: _existing_absolute(path) for name, path in vars(parts).items() if name != "reading"}
    queries = part["queries"]
    is_folder = queries is not None and queries.is_dir()
    return ResolvedParts(
        said.name,
        said.profile,
        part["classification"] or said.classification,
        queries if queries is not None and not is_folder else said.query_classification,
        part["assessment"] or (said.qrels if said.derive is None else None),
        part["models"] or said.models,
        queries if is_folder else said.query_models,
        said.derive if part["assessment"] is None else None,
        said.runs if part["runs"] is None else (),
        part["runs"],
        said.levels if part["assessment"] is None else {},
        parts.reading,
        said.camera,
    )


def _existing_absolute(path: Path | None) -> Path | None:
    if path is None:
        return None
    if not path.exists():
        raise FormatError(path, "does not exist")
    check_regular_file(path)
    return Path(os.path.abspath(path))


def read_class_table(path: Path) -> LabelTable:
    """Ids and classes of a `.cla` or of a table, told apart by content."""
    head = read_file_head(path)
    if path.suffix.lower() == ".cla" or is_cla(head):
        return read_cla(path)
    if is_class_lines(head):
        return read_class_lines(path)
    try:
        return read_class_csv(path)
    except FormatError as error:
        try:
            return read_any_class_table(path)[0]
        except FormatError:
            raise error from None
