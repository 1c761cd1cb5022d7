"""What the person says about a benchmark: parts named on the command line before what the manifest says."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.cla import is_cla, read_cla
from shrec_viewer.formats.class_lines import is_class_lines, read_class_lines
from shrec_viewer.formats.csv_truth import read_csv_truth
from shrec_viewer.formats.labels import LabelTable
from shrec_viewer.formats.loose_labels import read_loose_labels
from shrec_viewer.formats.manifest import Levels, Manifest, RunEntry
from shrec_viewer.formats.packed import check_regular
from shrec_viewer.formats.reading import UNSAID, Reading
from shrec_viewer.formats.text import read_head


@dataclass(frozen=True)
class Parts:
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
    reading: Reading = UNSAID


@dataclass(frozen=True)
class Plan:
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
    only_runs: Path | None
    levels: Levels = field(default_factory=dict)
    reading: Reading = UNSAID
    camera: Mapping[str, str | float] = field(default_factory=dict)

    @property
    def folders(self) -> list[Path]:
        """Folders that are named."""
        named = [self.models, self.query_files, self.only_runs, *(entry.path for entry in self.runs)]
        return [path for path in named if path is not None and path.is_dir()]

    @property
    def files(self) -> list[Path]:
        """Files that are named."""
        named = [self.classification, self.query_classes, self.qrels, self.models, self.query_files, self.only_runs]
        named += [entry.path for entry in self.runs]
        return [path for path in named if path is not None and path.is_file()]


def make_plan(manifest: Manifest | None, parts: Parts) -> Plan:
    """What the manifest and the caller say together; the caller has the last word.

    Raises
    ------
    FormatError
        When a part that the caller names is not there, or is a device or a pipe.
    """
    said = manifest if manifest is not None else Manifest(Path())
    part = {name: _absolute(path) for name, path in vars(parts).items() if name != "reading"}
    queries = part["queries"]
    is_folder = queries is not None and queries.is_dir()
    return Plan(
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


def _absolute(path: Path | None) -> Path | None:
    if path is None:
        return None
    if not path.exists():
        raise FormatError(path, "is not there")
    check_regular(path)
    return Path(os.path.abspath(path))


def read_labels(path: Path) -> LabelTable:
    """Ids and classes of a `.cla` or of a table, told apart by content."""
    head = read_head(path)
    if path.suffix.lower() == ".cla" or is_cla(head):
        return read_cla(path)
    if is_class_lines(head):
        return read_class_lines(path)
    try:
        return read_csv_truth(path)
    except FormatError as error:
        try:
            return read_loose_labels(path)[0]
        except FormatError:
            raise error from None
