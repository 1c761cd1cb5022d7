"""Parts of a benchmark set by the caller or the manifest, as absolute paths."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.io.files import check_regular_file
from shrec_viewer.formats.io.text import read_file_head
from shrec_viewer.formats.manifest.manifest import LevelOverrides, Manifest, RunEntry
from shrec_viewer.formats.truth.cla import is_cla, read_cla
from shrec_viewer.formats.truth.class_tables import (
    LabelTable,
    is_class_lines,
    read_any_class_table,
    read_class_csv,
    read_class_lines,
)


@dataclass(frozen=True)
class BenchmarkParts:
    """Parts of a benchmark that the caller sets; None: as in the manifest, else searched for in the folder.

    Attributes
    ----------
    classification : classes of the collection (`.cla`, table or lines).
    queries : folder with the files of the queries, or a file with their classes.
    assessment : qrels.
    models : folder with the files of the collection.
    runs : folder of runs, or one run file; no other runs are read.
    read_options : options for reading all runs; they override those of the manifest.
    """

    classification: Path | None = None
    queries: Path | None = None
    assessment: Path | None = None
    models: Path | None = None
    runs: Path | None = None
    read_options: ReadOptions = DETECT_ALL


@dataclass(frozen=True)
class ResolvedParts:
    """Parts set by the caller or the manifest, as absolute paths; None if they have to be searched for."""

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
    read_options: ReadOptions = DETECT_ALL
    camera: Mapping[str, Any] = field(default_factory=dict)
    only_listed_runs: bool = False

    @property
    def folders(self) -> list[Path]:
        """All folders among the parts."""
        paths = [self.models, self.query_files, self.runs_only, *(entry.path for entry in self.runs)]
        return [path for path in paths if path is not None and path.is_dir()]

    @property
    def files(self) -> list[Path]:
        """All files among the parts."""
        paths = [self.classification, self.query_classes, self.qrels, self.models, self.query_files, self.runs_only]
        paths += [entry.path for entry in self.runs]
        return [path for path in paths if path is not None and path.is_file()]


def resolve_parts(manifest: Manifest | None, parts: BenchmarkParts) -> ResolvedParts:
    """Combine the parts of manifest and caller; those of the caller take precedence.

    Raises
    ------
    FormatError
        When a part set by the caller does not exist, or is a device or a pipe.
    """
    declared = manifest if manifest is not None else Manifest(Path())
    part = {name: _existing_absolute(path) for name, path in vars(parts).items() if name != "read_options"}
    queries = part["queries"]
    is_folder = queries is not None and queries.is_dir()
    return ResolvedParts(
        declared.name,
        declared.profile,
        part["classification"] or declared.classification,
        queries if queries is not None and not is_folder else declared.query_classification,
        part["assessment"] or (declared.qrels if declared.derive is None else None),
        part["models"] or declared.models,
        queries if is_folder else declared.query_models,
        declared.derive if part["assessment"] is None else None,
        declared.runs if part["runs"] is None else (),
        part["runs"],
        declared.levels if part["assessment"] is None else {},
        parts.read_options,
        declared.camera,
        declared.only_listed_runs and part["runs"] is None,
    )


def _existing_absolute(path: Path | None) -> Path | None:
    if path is None:
        return None
    if not os.path.exists(path):
        raise FormatError(path, "does not exist")
    check_regular_file(path)
    return Path(os.path.abspath(path))


def read_class_table(path: Path) -> LabelTable:
    """Ids and classes of a `.cla` file or of a table, recognised by content."""
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
