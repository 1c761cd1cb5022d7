"""Records of an import preview: request, columns, rows, questions and their options."""

from dataclasses import dataclass
from pathlib import Path

from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.text import FileHead

COLUMN_MEANINGS = ("query", "id", "rank", "distance", "score", "level", "class", "model", "text", "ignored")
"""Possible meanings of a column. ``id``: model ids; ``model``: distances to one model; ``text``: not interpreted."""


@dataclass(frozen=True)
class PreviewColumn:
    """One column of the cells shown: its meaning, one of COLUMN_MEANINGS, and its title."""

    meaning: str
    title: str


@dataclass(frozen=True)
class PreviewRow:
    """One line as interpreted.

    Attributes
    ----------
    line : 1-based; None for files without lines.
    cells : at most as many as there are columns.
    note : why the line is ignored, or what is wrong with it; "" for a line that is read.
    """

    line: int | None
    cells: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True)
class QuestionOption:
    """One option of a question: key, label, text about the result it would have, and whether it can be chosen."""

    key: str
    label: str
    outcome: str
    is_available: bool = True


@dataclass(frozen=True)
class Question:
    """An aspect of a file that can be interpreted in several ways.

    Attributes
    ----------
    key : field of `ReadOptions` that settles it.
    label : title of the question.
    options : the possible interpretations.
    chosen : key of the option that the preview shows; "" for none.
    is_sure : True if determined by the content or set by the user, False for a guess.
    reason : reason for `chosen`; "" for none.
    """

    key: str
    label: str
    options: tuple[QuestionOption, ...]
    chosen: str
    is_sure: bool
    reason: str = ""


@dataclass(frozen=True)
class Preview:
    """The beginning of a file as interpreted, and the alternatives.

    Attributes
    ----------
    path : what is previewed: a file, or a folder of rank lists.
    sample : the file whose lines are shown.
    format : key of the reader used; "" if no reader recognises the file.
    label : of the reader.
    columns : of the cells shown.
    rows : the first lines; the plain lines if there is a `problem`.
    summary : short description of the contents, or the `problem`.
    questions : aspects that the user can change, in display order.
    problem : why the file cannot be read with these options; "" if it can.
    hidden : number of columns of the file that are not shown.
    """

    path: Path
    sample: Path
    format: str
    label: str
    columns: tuple[PreviewColumn, ...]
    rows: tuple[PreviewRow, ...]
    summary: str
    questions: tuple[Question, ...]
    problem: str = ""
    hidden: int = 0


@dataclass(frozen=True, eq=False)
class PreviewRequest:
    """Request to a reader for the preview of a file.

    Attributes
    ----------
    path : file, or folder of lists.
    files : the file itself; for a folder, its first lists that are not empty.
    head : beginning of the first file.
    options : options chosen by the user; None in a field: detected.
    context : ids and assessment of the open benchmark; None if none is open.
    n_rows, n_cells : maximum number of rows and of cells per row.
    progress : cancellation and parse cache.
    """

    path: Path
    files: tuple[Path, ...]
    head: FileHead
    options: ReadOptions
    context: ReadContext | None = None
    n_rows: int = 12
    n_cells: int = 12
    progress: ReadProgress = NO_PROGRESS

    def model_note(self, model_id: str) -> str:
        """Note for an id that is not a model of the open benchmark; "" for one that is."""
        is_unknown = self.context is not None and self.context.items.index_of(model_id) < 0
        return f"'{model_id}' is not a model of the collection" if is_unknown else ""

    def query_note(self, query_id: str) -> str:
        """Note for an id that is not a query of the open benchmark; "" for one that is."""
        is_unknown = (
            self.context is not None and len(self.context.queries) and self.context.query_ids.index_of(query_id) < 0
        )
        return f"'{query_id}' is not a query" if is_unknown else ""


@dataclass(frozen=True)
class PreviewContent:
    """Preview that a reader returns: the first lines of a file and a summary.

    Attributes
    ----------
    columns, rows : the first lines.
    hidden : number of columns that are not shown.
    summary : short description of the contents.
    questions : options of this format; the format itself is always offered.
    """

    columns: tuple[PreviewColumn, ...]
    rows: tuple[PreviewRow, ...]
    hidden: int = 0
    summary: str = ""
    questions: tuple[Question, ...] = ()
