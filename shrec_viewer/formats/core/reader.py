"""Row types of the table READERS, with the records that readers exchange: found files, opened runs, columns."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from pathlib import Path
from typing import Any

from shrec_viewer.domain import DistanceMatrix, RankedLists
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.core.run_checks import settle_queries
from shrec_viewer.formats.io.files import read_unchanged
from shrec_viewer.formats.io.progress import ReadProgress
from shrec_viewer.formats.io.tables import TextTable
from shrec_viewer.formats.io.text import FileHead

MESH = "mesh"
IMAGE = "image"
ARCHIVE = "archive"
EMPTY = "empty"
UNKNOWN = "unknown"


class Match(IntEnum):
    """How well the beginning of a file matches a format of runs, and thus on what it depends whether it is a run."""

    #: It is none.
    NO = 0
    #: It is read only where benchmark.toml, the command line or the import dialog names it as a run.
    IF_NAMED = 1
    #: It is read, and a run if its ids are those of the benchmark.
    IF_IDS_KNOWN = 2
    #: It is a run whatever its ids.
    CERTAIN = 3


@dataclass(frozen=True)
class FoundFile:
    """A file and its format.

    Attributes
    ----------
    path : the file.
    kind : key of a reader, or one of `MESH`, `IMAGE`, `ARCHIVE`, `EMPTY` and `UNKNOWN`.
    size : bytes of the file as stored; 0 for meshes and images.
    match : how certain `kind` is, for run formats.
    """

    path: Path
    kind: str
    size: int = 0
    match: Match = Match.CERTAIN


#: Possible meanings of a column. ``id``: model ids; ``part``: queries or gallery; ``model``: distances to one model;
#: ``text``: not interpreted.
COLUMN_MEANINGS = (
    *("query", "id", "rank", "distance", "score", "level", "class", "subclass", "part"),
    *("model", "text", "ignored"),
)


@dataclass(frozen=True)
class PreviewColumn:
    """One column of the cells shown: its meaning, one of COLUMN_MEANINGS, and its title."""

    meaning: str
    title: str


QUERY_COLUMN = PreviewColumn("query", "Query")
MODEL_COLUMN = PreviewColumn("id", "Model")
LEVEL_COLUMN = PreviewColumn("level", "Level")
CLASS_COLUMN = PreviewColumn("class", "Class")
SUBCLASS_COLUMN = PreviewColumn("subclass", "Subclass")
IGNORED_COLUMN = PreviewColumn("ignored", "ignored")


def list_column(index: int) -> PreviewColumn:
    """Column of a row of a query and its models, best first."""
    return PreviewColumn("id", f"Model at rank {index}") if index else QUERY_COLUMN


#: Column of an index, None for one that a reader ignores; and the number of rows of the header.
UsedColumns = tuple[Callable[[int], PreviewColumn | None], int]

#: Columns that a reader uses of a table; may raise FormatError.
TableColumns = Callable[[TextTable], UsedColumns]


class ParsedRun:
    """Base class of what a `RunReader` reads: words and numbers, not yet matched to the ids of a benchmark.

    Discovery takes ids of queries and models from these methods where no other file lists them.

    Attributes
    ----------
    path : file or folder of the run.
    """

    path: Path

    def query_ids(self) -> Sequence[str]:
        """Ids of the queries as written in the file; empty if the format has none."""
        return ()

    def id_columns(self) -> Sequence[Sequence[str]]:
        """Columns of which one contains ids of models, a sample of them at least; empty if the format has none."""
        return ()

    def model_ids(self) -> Collection[str]:
        """All ids of models in the file; empty if the format has none."""
        return ()

    def matrix_shape(self) -> tuple[int, ...] | None:
        """Shape of a matrix without ids: (R, M), or (n,) where the file does not give rows; None for other runs."""
        return None

    def file_paths(self) -> Sequence[Path]:
        """Files of a folder that together are one run and are not runs themselves; empty for other runs."""
        return ()

    def summary(self) -> str:
        """Contents in a few words, ``"30 queries, 1,814 models"``; empty for none."""
        return ""


@dataclass(frozen=True)
class FormatReader:
    """A file format; rows of this type are neither runs nor truth (tables, benchmark.toml).

    Attributes
    ----------
    key : short name, unique in the table.
    label : name in the interface.
    suffixes : usual extensions, for file dialogs; recognition does not depend on them. Empty: any.
    recognise : whether the beginning of a file (at most 64 KiB) matches, as `bool` or `Match`; never raises.
    read : reads a file; raises FormatError and nothing else. Its result has ``summary()``, the contents in a few words,
        and may have ``findings`` about lines, and ``line_kinds``, what each line is.
    columns : columns of a text whose lines are shown in the import dialog: those of words separated by white space, or
        a function that finds them in a table; empty for other formats, of which the result is shown.
    """

    key: str
    label: str
    suffixes: tuple[str, ...]
    recognise: Callable[[FileHead], Match | bool]
    read: Callable[..., Any]
    columns: tuple[PreviewColumn, ...] | TableColumns = ()

    def match(self, head: FileHead) -> Match:
        """How well a file matches; True counts as `Match.CERTAIN`."""
        found = self.recognise(head)
        return found if isinstance(found, Match) else Match.CERTAIN if found else Match.NO

    def read_unchanged(self, path: Path, *args: Any) -> Any:
        """The result of `read`, repeated if the file changed while it was read."""
        return read_unchanged(path, partial(self.read, path, *args))


@dataclass(frozen=True)
class TruthReader(FormatReader):
    """A format of classes, relevance levels or lists of ids.

    `read(path)` returns a `LabelTable`, `QrelsFile`, `IdList`, `LabelVector` or `PartialityFile`; discovery uses the
    result by its type.

    Attributes
    ----------
    of_folder : whether `read` reads all files of this format in the folder of a file.
    """

    of_folder: bool = False


@dataclass(frozen=True, kw_only=True)
class RunReader(FormatReader):
    """A format of runs.

    Attributes
    ----------
    read : ``read(path, progress=NO_PROGRESS)``: a file as a `ParsedRun`; with `read_folder`, the list of one query.
    rank : ``rank(parsed, context, options, cancelled)``: ids matched to the benchmark, as `RankedLists` or
        `DistanceMatrix`, with findings in ``context.findings_log``. None after an error finding, or
        ``context.findings_log.ignore_run``, if the run is unusable.
    accept : ``accept(parsed, context)``: whether a file that was found, not named, is a run of this benchmark; None:
        if `recognise` was certain, or the file names a query of the benchmark.
    read_folder : ``read_folder(path, files, progress)``, for formats with several files in a folder; returns
        None if the folder holds no such file.
    cache_kind : kind of large files of this format in the parse cache; None if they are not cached.
    """

    rank: Callable[[Any, ReadContext, ReadOptions, Callable[[], bool]], RankedLists | DistanceMatrix | None]
    accept: Callable[[Any, ReadContext], bool] | None = None
    read_folder: Callable[[Path, Sequence[FoundFile], ReadProgress], ParsedRun | None] | None = None
    cache_kind: str | None = None


@dataclass(frozen=True, eq=False)
class OpenedRun:
    """A run as read, with its reader.

    Attributes
    ----------
    reader : row of its format.
    parsed : result of ``reader.read`` or ``reader.read_folder``.
    is_certain : the file was recognised with `Match.CERTAIN`, or is named as a run.
    """

    reader: RunReader
    parsed: ParsedRun
    is_certain: bool = True

    @property
    def path(self) -> Path:
        """File or folder of the run."""
        return self.parsed.path

    def rank(
        self, context: ReadContext, options: ReadOptions, cancelled: Callable[[], bool]
    ) -> RankedLists | DistanceMatrix | None:
        """The run with its ids matched to the benchmark; None or RunIgnoredError, and a finding, if it is unusable."""
        ranking = self.reader.rank(self.parsed, context, options, cancelled)
        return None if ranking is None else settle_queries(self.path, ranking, context, options, cancelled)

    def belongs_to(self, context: ReadContext) -> bool:
        """Whether a run that was found is one of the benchmark."""
        if self.reader.accept is not None:
            return self.reader.accept(self.parsed, context)
        return self.is_unconditional or context.query_ids.share(self.parsed.query_ids()) > 0

    @property
    def is_unconditional(self) -> bool:
        """Whether the file is a run whatever its ids."""
        return self.is_certain and self.reader.accept is None

    @property
    def is_folder(self) -> bool:
        """Whether the run is a folder with several files."""
        return self.reader.read_folder is not None
