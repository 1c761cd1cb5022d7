"""Recognise tables and JSON documents that this program wrote: scores, findings, comparisons."""

import re
from dataclasses import dataclass
from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.io.text import FileHead, read_file_head

OWN_RESULTS = "results"
"""Key of the format in the table READERS."""

CSV_HEADERS = (
    "run,participant,query,status,profile,",
    "severity,file,line,count,message,action",
    "run,participant,profile,queries,judged,",
    "measure_1,source_1,measure_2,source_2,",
)
"""Beginnings of the tables that the commands evaluate, check, practical and correlate write."""

_RUN_TABLE = re.compile(r'Run,Participant,[^\n]+\n("[^"]*"|[^,\n]*),("[^"]*"|[^,\n]*),-?[0-9.]*(,|\n|$)')
"""Beginning of a table of runs that the window exported: the first measure is the third column."""

_CURVE_VALUES = re.compile(
    r"(?!(?i:[^\n]*\b(id|model|name|item|query|distance|score|similarity|relevance|class)s?\b))"
    r'("?[^"\n]+: (rank|recall)"?|Rank|Recall|−log₂ g|"Generality),[^\n]*\n([0-9.-]+,|$)'
)
"""Beginning of the values of a plot: the first column is its x axis, after the name of a run where each has its own.

Tables with columns for ids or distances are rank lists of others.
"""

_JSON_START = re.compile(r'\s*\{\s*"schema":\s*"shrec-viewer/([a-z]+)/[0-9]+"')


@dataclass(frozen=True)
class OwnResults:
    """A file with results of this program; it is ignored.

    Attributes
    ----------
    path : the file.
    kind : ``"table"``, ``"curves"``, or the name in the schema of a JSON document: ``"scores"``.
    """

    path: Path
    kind: str


def is_own_results(head: FileHead) -> bool:
    """Whether a file begins like a table or a JSON document of this program."""
    return bool(_kind(head))


def read_own_results(path: Path) -> OwnResults:
    """Kind of the results; FormatError for other files."""
    kind = _kind(read_file_head(path))
    if not kind:
        raise FormatError(path, "is not a file of results of this program")
    return OwnResults(path, kind)


def _kind(head: FileHead) -> str:
    if head.text is None:
        return ""
    schema = _JSON_START.match(head.text)
    if schema is not None:
        return schema[1]
    text = head.text.removeprefix("\ufeff")
    if text.startswith(CSV_HEADERS) or _RUN_TABLE.match(text):
        return "table"
    return "curves" if _CURVE_VALUES.match(text) else ""
