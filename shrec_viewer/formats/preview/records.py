"""Records of an import preview: columns, rows, questions and options."""

from dataclasses import dataclass
from pathlib import Path

COLUMN_MEANINGS = ("query", "id", "rank", "distance", "score", "level", "class", "model", "text", "ignored")
"""What a column can mean. ``id``: of a model; ``model``: the distances to one; ``text``: nothing is told apart."""


@dataclass(frozen=True)
class PreviewColumn:
    """One column of the cells shown: what it means, one of MEANINGS, and what a person calls it."""

    meaning: str
    title: str


@dataclass(frozen=True)
class PreviewRow:
    """One line as it is understood.

    Attributes
    ----------
    line : 1-based; None where a file has no lines.
    cells : at most as many as there are columns.
    note : why the line is passed over, or what is odd about it; "" where it is simply read.
    """

    line: int | None
    cells: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True)
class QuestionOption:
    """One answer to a question: its key, what a person calls it, what it would give, and whether it can be chosen."""

    key: str
    label: str
    gives: str
    fits: bool = True


@dataclass(frozen=True)
class Question:
    """Something that can be read in several ways.

    Attributes
    ----------
    key : field of `Reading` that answers it.
    label : the question for a person.
    options : its answers.
    chosen : key of the option that the preview shows; "" for none of them.
    sure : the content, or the person, says so; else it is a guess.
    why : how that was told; "" where nobody knows.
    """

    key: str
    label: str
    options: tuple[QuestionOption, ...]
    chosen: str
    sure: bool
    why: str = ""


@dataclass(frozen=True)
class Preview:
    """The beginning of a file as it is understood, and how else it could be.

    Attributes
    ----------
    path : what was asked about: a file, or a folder of rank lists.
    sample : the file whose lines are shown.
    format : key of the reader taken; "" where no reader recognises the file.
    label : of the reader.
    columns : of the cells shown.
    rows : the first lines; the plain lines where `problem` says that they cannot be read so.
    said : one sentence, how it is understood.
    questions : what can be chosen, in the order to show.
    problem : why it cannot be read so; "" where it can.
    hidden : how many more columns the file has than are shown.
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
