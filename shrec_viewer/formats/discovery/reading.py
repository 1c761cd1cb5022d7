"""Read every recognised file of a folder, grouped by kind."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from shrec_viewer.domain import Cancelled, FormatError
from shrec_viewer.formats.core.findings_log import FindingsLog, count_of
from shrec_viewer.formats.core.ids import without_extension
from shrec_viewer.formats.discovery.folder_scan import EMPTY, IMAGE, MESH, UNKNOWN, FolderScan, FoundFile
from shrec_viewer.formats.io.columns import TokenCodes
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.tables import TextTable, read_table
from shrec_viewer.formats.matrices.labelled_matrix import LabelledMatrix, read_labelled_matrix
from shrec_viewer.formats.matrices.matrix import MatrixFile, read_matrix
from shrec_viewer.formats.runs.keyed_lists import read_keyed_lists
from shrec_viewer.formats.runs.long_table import read_long_table
from shrec_viewer.formats.runs.rank_list import RankListFile, read_rank_list
from shrec_viewer.formats.runs.submission import SubmissionFile, read_submission
from shrec_viewer.formats.runs.trec import TrecFile, read_trec
from shrec_viewer.formats.truth.cla import read_cla
from shrec_viewer.formats.truth.class_tables import read_class_csv, read_class_lines
from shrec_viewer.formats.truth.id_lists import IdList, read_id_list
from shrec_viewer.formats.truth.labels import LabelTable, LabelVector, read_label_vector
from shrec_viewer.formats.truth.partiality import read_partiality
from shrec_viewer.formats.truth.qrels import QrelsFile, read_pair_table, read_qrels

Parsed = TypeVar("Parsed")

LIST_FILE_KINDS = (
    *("rank_list", EMPTY, UNKNOWN, "table", "matrix", "qrels", "trec"),
    *("truth", "pairs", "classes", "submission", "partiality", "named", "long", "listed", "labels"),
)
"""What a file in a folder of rank lists may look like, where its name is a query's: lists with faults, too."""


MAX_TABLE_BYTES = 2**18
"""Tables of runs or queries are smaller; what is larger holds scores."""


NO_SAMPLE = RankListFile(Path(), None, ((),), np.zeros(0, np.int32))
"""Stands for the first list of a folder where nobody could read one without knowing the ids."""


@dataclass(frozen=True, eq=False)
class RankListFolder:
    """A folder with rank lists in it, one file per query.

    Attributes
    ----------
    path : the folder.
    files : its files, in natural order.
    sample : its first list that is not empty; `NO_SAMPLE` where none is recognised.
    """

    path: Path
    files: tuple[FoundFile, ...]
    sample: RankListFile

    @property
    def names(self) -> list[str]:
        """Names of the files that look like lists, without extension."""
        return [without_extension(found.path.name) for found in self.files if found.kind == "rank_list"]


@dataclass(eq=False)
class DiscoveredFiles:
    """What was found, by kind, in natural order of the paths; broken files are findings and not here.

    Attributes
    ----------
    surveys : the folder itself, and folders elsewhere that the person named.
    failures : why files of a known format could not be read.
    watch : who waits.
    """

    folder_scans: list[FolderScan]
    tables: list[LabelTable] = field(default_factory=list)
    qrels: list[QrelsFile] = field(default_factory=list)
    trec_files: list[TrecFile] = field(default_factory=list)
    submissions: list[SubmissionFile] = field(default_factory=list)
    listed: list[SubmissionFile] = field(default_factory=list)
    matrices: list[MatrixFile] = field(default_factory=list)
    named: list[LabelledMatrix] = field(default_factory=list)
    label_vectors: list[LabelVector] = field(default_factory=list)
    lists: list[RankListFolder] = field(default_factory=list)
    id_lists: list[IdList] = field(default_factory=list)
    side: list[TextTable] = field(default_factory=list)
    failures: list[FormatError] = field(default_factory=list)
    watch: ReadProgress = NO_PROGRESS

    @property
    def table_runs(self) -> list[TrecFile | SubmissionFile]:
        """Runs in one file that names queries and models."""
        return [*self.trec_files, *self.submissions]

    def files(self, *kinds: str) -> list[FoundFile]:
        """All files of some kinds, or all files."""
        return [found for folder_scan in self.folder_scans for found in folder_scan.files(*kinds)]

    @cached_property
    def meshes(self) -> list[Path]:
        """Meshes, known by their endings."""
        return [found.path for found in self.files(MESH)]

    @cached_property
    def pictures(self) -> list[Path]:
        """Pictures, known by their endings."""
        return [found.path for found in self.files(IMAGE)]

    def find_list_folder(self, path: Path) -> RankListFolder | None:
        """Rank lists directly in a folder, None where there are none."""
        files = next(
            (folder_scan.folders[path] for folder_scan in self.folder_scans if path in folder_scan.folders), []
        )
        return named_list_folder(path, files)


def read_files(folder_scans: list[FolderScan], findings_log: FindingsLog, watch: ReadProgress) -> DiscoveredFiles:
    """Read all that was recognised, but of rank lists one per folder."""
    material = DiscoveredFiles(folder_scans, watch=watch)

    def read_all(kind: str, read: Callable[[Path], Parsed], *, quiet: bool = False) -> list[Parsed]:
        nouns = []
        for found in material.files(kind):
            if watch.cancelled():
                raise Cancelled
            if quiet and kind == "table" and found.size > MAX_TABLE_BYTES:
                continue
            try:
                nouns.append(read(found.path))
            except FormatError as error:
                if not quiet:
                    material.failures.append(error)
                    findings_log.failed(error, "left out")
                elif kind != "table":
                    findings_log.warning(error.path, error.why, "left out", line=error.line)
        return nouns

    material.tables = [*read_all("cla", read_cla), *read_all("truth", read_class_csv)]
    material.tables += read_all("classes", read_class_lines)
    material.qrels = [*read_all("qrels", read_qrels), *read_all("pairs", read_pair_table)]
    material.trec_files = read_all("trec", partial(read_trec, watch=watch, models=TokenCodes()))
    material.trec_files += read_all("long", read_long_table)
    material.listed = read_all("listed", read_keyed_lists, quiet=True)
    material.submissions = [*read_all("submission", read_submission), *material.listed]
    material.label_vectors = read_all("labels", read_label_vector)
    named = read_all("named", partial(read_labelled_matrix, watch=watch))
    material.named = [matrix for matrix in named if not matrix.has_counter_labels]
    material.matrices = [
        *read_all("matrix", partial(read_matrix, watch=watch)),
        *(m for m in named if m.has_counter_labels),
    ]
    for partiality in read_all("partiality", read_partiality):
        message = f"partiality of {count_of(len(partiality.shares), 'query', 'queries')}"
        findings_log.info(partiality.path, message, "no measure uses it")
    material.id_lists = read_all("ids", read_id_list)
    material.side = read_all("table", read_table, quiet=True)
    folders = [(folder, files) for folder_scan in folder_scans for folder, files in folder_scan.folders.items()]
    material.lists = [found for folder, files in folders if (found := find_list_folder(folder, files)) is not None]
    return material


def find_list_folder(path: Path, files: Sequence[FoundFile]) -> RankListFolder | None:
    """The rank lists among some files of a folder, None where there are none."""
    sample = next((some for file in files if file.kind == "rank_list" and (some := _first_list(file.path))), None)
    return (
        RankListFolder(path, tuple(file for file in files if file.kind in LIST_FILE_KINDS), sample) if sample else None
    )


def named_list_folder(path: Path, files: Sequence[FoundFile]) -> RankListFolder | None:
    """The same of a folder that somebody calls a run, also where no file in it is recognised as a list."""
    found = find_list_folder(path, files)
    listable = tuple(file for file in files if file.kind in LIST_FILE_KINDS)
    return found if found is not None or not listable else RankListFolder(path, listable, NO_SAMPLE)


def _first_list(path: Path) -> RankListFile | None:
    try:
        found = read_rank_list(path)
    except FormatError:
        return None
    return found if len(found) else None
