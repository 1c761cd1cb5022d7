"""Files whose name or folder says relevance assessment, but whose form is none: never runs, one finding each."""

import re
from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.ids import without_extension
from shrec_viewer.formats.io.tables import head_rows
from shrec_viewer.formats.io.text import FileHead, read_file_head, read_or_none
from shrec_viewer.formats.runs.pair_table import taken_for
from shrec_viewer.formats.truth.class_tables import read_any_class_table
from shrec_viewer.formats.truth.qrels import QrelsFile, is_level, read_json_qrels, read_pair_table, read_qrels

#: Key of the format in the table READERS.
UNREAD_TRUTH = "unread_truth"

#: Stems of files, and names of folders, that are relevance assessments.
TRUTH_PATH = re.compile(
    r"(.*[^a-z])?(qrels?|gt|(ground[-_ ]?)?truth|judge?ments?|assessments?|relevance([-_ ]?(levels?|judge?ments?))?)"
    r"([-_ .]*(train|test|val|dev|all|[0-9]+))*",
    re.IGNORECASE,
)

#: Columns of qrels without their second one.
UNMARKED_COLUMNS = 3

ACCEPTED = (
    "read are lines 'query 0 model level', tables with a header such as 'query,model,level', JSON {query: {model: "
    "level}}, classes and matrices of levels, with whole numbers as levels; a run is read if --add or [[runs]] names it"
)


def is_truth_path(path: Path) -> bool:
    """Whether the name of a file, without extension, or of a folder says that it is a relevance assessment."""
    return TRUTH_PATH.fullmatch(without_extension(path.name)) is not None


def is_unmarked_truth(head: FileHead) -> bool:
    """Whether a file has lines of a query, a model and a level, or ids and classes: findings name options for it."""
    if head.text is None:
        return False
    if all(len(row) == UNMARKED_COLUMNS and is_level(row[-1]) for row in head.rows):
        return True
    return read_or_none(read_any_class_table, head.path) is not None


def read_unread_truth(path: Path) -> QrelsFile:
    """Never returns: the error says what the file was taken for, and what is read.

    Raises
    ------
    FormatError
        Always.
    """
    head = read_file_head(path)
    rows = head_rows(head)
    text = "its name or folder says relevance assessment, but its form is none"
    if head.text is None:
        raise FormatError(path, f"{text}: it is no text; {ACCEPTED}")
    is_json = head.text.lstrip().startswith(("{", "["))
    columns = "; it was taken for JSON" if is_json else taken_for(rows or head.rows, "").removesuffix("; ")
    try:
        (read_json_qrels if is_json else read_pair_table if rows else read_qrels)(path)
    except FormatError as error:
        raise FormatError(path, f"{text}: {error.reason}{columns}; {ACCEPTED}", error.line) from error
    raise FormatError(path, f"{text}{columns}; {ACCEPTED}")
