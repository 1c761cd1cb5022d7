"""Everything of use in a folder, read but not yet understood as one benchmark."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from shrec_viewer.domain import Cancelled, FormatError
from shrec_viewer.formats.cla import read_cla
from shrec_viewer.formats.class_lines import read_class_lines
from shrec_viewer.formats.csv_truth import read_csv_truth
from shrec_viewer.formats.id_lists import IdList, read_id_list
from shrec_viewer.formats.journal import Journal, count_of
from shrec_viewer.formats.label_vector import LabelVector, read_label_vector
from shrec_viewer.formats.labels import LabelTable
from shrec_viewer.formats.listed import read_listed
from shrec_viewer.formats.long_table import read_long_table
from shrec_viewer.formats.matrix import MatrixFile, read_matrix
from shrec_viewer.formats.named_matrix import NamedMatrix, read_named_matrix
from shrec_viewer.formats.naming import without_extension
from shrec_viewer.formats.pairs import read_pairs
from shrec_viewer.formats.partiality import read_partiality
from shrec_viewer.formats.qrels import QrelsFile, read_qrels
from shrec_viewer.formats.rank_list import RankListFile, read_rank_list
from shrec_viewer.formats.submission import SubmissionFile, read_submission
from shrec_viewer.formats.survey import EMPTY, MESH, PICTURE, UNKNOWN, Found, Survey
from shrec_viewer.formats.tables import Table, read_table
from shrec_viewer.formats.trec import TrecFile, read_trec
from shrec_viewer.formats.watch import NOBODY, Watch
from shrec_viewer.formats.word_codes import WordCodes

Noun = TypeVar("Noun")

LISTABLE = (
    *("rank_list", EMPTY, UNKNOWN, "table", "matrix", "qrels", "trec"),
    *("truth", "pairs", "classes", "submission", "partiality", "named", "long", "listed", "labels"),
)
"""What a file in a folder of rank lists may look like, where its name is a query's: lists with faults, too."""


MOST_SIDE_BYTES = 2**18
"""Tables of runs or queries are smaller; what is larger holds scores."""


NOTHING_LISTED = RankListFile(Path(), None, ((),), np.zeros(0, np.int32))
"""Stands for the first list of a folder where nobody could read one without knowing the ids."""


@dataclass(frozen=True, eq=False)
class ListFolder:
    """A folder with rank lists in it, one file per query.

    Attributes
    ----------
    path : the folder.
    files : its files, in natural order.
    sample : its first list that is not empty; `NOTHING_LISTED` where none is recognised.
    """

    path: Path
    files: tuple[Found, ...]
    sample: RankListFile

    @property
    def names(self) -> list[str]:
        """Names of the files that look like lists, without extension."""
        return [without_extension(found.path.name) for found in self.files if found.kind == "rank_list"]


@dataclass(eq=False)
class Material:
    """What was found, by kind, in natural order of the paths; broken files are findings and not here.

    Attributes
    ----------
    surveys : the folder itself, and folders elsewhere that the person named.
    failures : why files of a known format could not be read.
    watch : who waits.
    """

    surveys: list[Survey]
    tables: list[LabelTable] = field(default_factory=list)
    qrels: list[QrelsFile] = field(default_factory=list)
    trecs: list[TrecFile] = field(default_factory=list)
    submissions: list[SubmissionFile] = field(default_factory=list)
    listed: list[SubmissionFile] = field(default_factory=list)
    matrices: list[MatrixFile] = field(default_factory=list)
    named: list[NamedMatrix] = field(default_factory=list)
    label_vectors: list[LabelVector] = field(default_factory=list)
    lists: list[ListFolder] = field(default_factory=list)
    id_lists: list[IdList] = field(default_factory=list)
    side: list[Table] = field(default_factory=list)
    failures: list[FormatError] = field(default_factory=list)
    watch: Watch = NOBODY

    @property
    def tabled(self) -> list[TrecFile | SubmissionFile]:
        """Runs in one file that names queries and models."""
        return [*self.trecs, *self.submissions]

    def files(self, *kinds: str) -> list[Found]:
        """All files of some kinds, or all files."""
        return [found for survey in self.surveys for found in survey.files(*kinds)]

    @cached_property
    def meshes(self) -> list[Path]:
        """Meshes, known by their endings."""
        return [found.path for found in self.files(MESH)]

    @cached_property
    def pictures(self) -> list[Path]:
        """Pictures, known by their endings."""
        return [found.path for found in self.files(PICTURE)]

    def list_folder(self, path: Path) -> ListFolder | None:
        """Rank lists directly in a folder, None where there are none."""
        files = next((survey.folders[path] for survey in self.surveys if path in survey.folders), [])
        return told_folder(path, files)


def gather(surveys: list[Survey], journal: Journal, watch: Watch) -> Material:
    """Read all that was recognised, but of rank lists one per folder."""
    material = Material(surveys, watch=watch)

    def read_all(kind: str, read: Callable[[Path], Noun], *, quiet: bool = False) -> list[Noun]:
        nouns = []
        for found in material.files(kind):
            if watch.cancelled():
                raise Cancelled
            if quiet and kind == "table" and found.size > MOST_SIDE_BYTES:
                continue
            try:
                nouns.append(read(found.path))
            except FormatError as error:
                if not quiet:
                    material.failures.append(error)
                    journal.failed(error, "left out")
                elif kind != "table":
                    journal.warning(error.path, error.why, "left out", line=error.line)
        return nouns

    material.tables = [*read_all("cla", read_cla), *read_all("truth", read_csv_truth)]
    material.tables += read_all("classes", read_class_lines)
    material.qrels = [*read_all("qrels", read_qrels), *read_all("pairs", read_pairs)]
    material.trecs = read_all("trec", partial(read_trec, watch=watch, models=WordCodes()))
    material.trecs += read_all("long", read_long_table)
    material.listed = read_all("listed", read_listed, quiet=True)
    material.submissions = [*read_all("submission", read_submission), *material.listed]
    material.label_vectors = read_all("labels", read_label_vector)
    named = read_all("named", partial(read_named_matrix, watch=watch))
    material.named = [matrix for matrix in named if not matrix.are_counted]
    material.matrices = [*read_all("matrix", partial(read_matrix, watch=watch)), *(m for m in named if m.are_counted)]
    for partiality in read_all("partiality", read_partiality):
        message = f"partiality of {count_of(len(partiality.shares), 'query', 'queries')}"
        journal.info(partiality.path, message, "no measure uses it")
    material.id_lists = read_all("ids", read_id_list)
    material.side = read_all("table", read_table, quiet=True)
    folders = [(folder, files) for survey in surveys for folder, files in survey.folders.items()]
    material.lists = [found for folder, files in folders if (found := list_folder(folder, files)) is not None]
    return material


def list_folder(path: Path, files: Sequence[Found]) -> ListFolder | None:
    """The rank lists among some files of a folder, None where there are none."""
    sample = next((some for file in files if file.kind == "rank_list" and (some := _sample(file.path))), None)
    return ListFolder(path, tuple(file for file in files if file.kind in LISTABLE), sample) if sample else None


def told_folder(path: Path, files: Sequence[Found]) -> ListFolder | None:
    """The same of a folder that somebody calls a run, also where no file in it is recognised as a list."""
    found = list_folder(path, files)
    listable = tuple(file for file in files if file.kind in LISTABLE)
    return found if found is not None or not listable else ListFolder(path, listable, NOTHING_LISTED)


def _sample(path: Path) -> RankListFile | None:
    try:
        found = read_rank_list(path)
    except FormatError:
        return None
    return found if len(found) else None
