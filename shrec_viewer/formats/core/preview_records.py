"""Records of an import preview: what is requested, columns, rows, questions and options."""

from dataclasses import dataclass
from pathlib import Path

from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.text import FileHead

COLUMN_MEANINGS = ("query", "id", "rank", "distance", "score", "level", "class", "model", "text", "ignored")
"""Possible meanings of a column. ``id``: of a model; ``model``: the distances to one; ``text``: not interpreted."""


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
    """One option of a question: key, label, the result it would give, and whether it can be chosen."""

    key: str
    label: str
    gives: str
    fits: bool = True


@dataclass(frozen=True)
class Question:
    """An aspect of a file that can be interpreted in several ways.

    Attributes
    ----------
    key : field of `ReadOptions` that settles it.
    label : title of the question.
    options : the possible interpretations.
    chosen : key of the option that the preview shows; "" for none.
    sure : settled by the content or by the user; else a guess.
    why : reason for `chosen`; "" for none.
    """

    key: str
    label: str
    options: tuple[QuestionOption, ...]
    chosen: str
    sure: bool
    why: str = ""


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
    said : summary of the contents.
    questions : what can be chosen, in display order.
    problem : why the file cannot be read with these options; "" if it can.
    hidden : number of columns of the file that are not shown.
    """

    path: Path
    sample: Path
    format: str
    label: str
    columns: tuple[PreviewColumn, ...]
    rows: tuple[PreviewRow, ...]
    said: str
    questions: tuple[Question, ...]
    problem: str = ""
    hidden: int = 0


@dataclass(frozen=True, eq=False)
class PreviewRequest:
    """What a reader is asked to preview.

    Attributes
    ----------
    path : file, or folder of lists.
    files : the file; of a folder the first lists that are not empty.
    head : beginning of the first file.
    options : how the user wants the file read; None in a field: detected.
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

    def model_note(self, word: str) -> str:
        """Note for an id that is not a model of the open benchmark; "" for one that is."""
        is_unknown = self.context is not None and self.context.items.index_of(word) < 0
        return f"'{word}' is not a model of the collection" if is_unknown else ""

    def query_note(self, word: str) -> str:
        """Note for an id that is not a query of the open benchmark; "" for one that is."""
        is_unknown = (
            self.context is not None and len(self.context.queries) and self.context.query_ids.index_of(word) < 0
        )
        return f"'{word}' is not a query" if is_unknown else ""


@dataclass(frozen=True)
class PreviewContent:
    """What a reader shows of a file.

    Attributes
    ----------
    columns, rows : the first lines.
    hidden : number of columns that are not shown.
    summary : contents in a few words.
    questions : options of this format; the format itself is always offered.
    """

    columns: tuple[PreviewColumn, ...]
    rows: tuple[PreviewRow, ...]
    hidden: int = 0
    summary: str = ""
    questions: tuple[Question, ...] = ()
