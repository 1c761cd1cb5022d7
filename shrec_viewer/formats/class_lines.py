"""Classes as lines ``name class subclass`` (SHREC'16 partial retrieval: `queries_cla.txt`, `targets_cla.txt`)."""

from pathlib import Path

import numpy as np

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.csv_truth import ClassTree
from shrec_viewer.formats.labels import LabelTable
from shrec_viewer.formats.text import Head, is_number, read_lines

COLUMNS = 3

GOOD_SHARE = 0.75
"""Share of lines that must be right for the others to be faults, and the file not of another format."""


def is_class_lines(head: Head) -> bool:
    """Whether nearly all lines are a name and two whole numbers; bare numbers as names only where the file says so."""
    rows = [row for row in head.rows if _is_good(row)]
    if len(rows) < max(1, GOOD_SHARE * len(head.rows)) or len({row[0] for row in rows}) < GOOD_SHARE * len(rows):
        return False
    return not all(is_number(row[0]) for row in rows) or head.path.stem.lower().endswith("_cla")


def read_class_lines(path: Path) -> LabelTable:
    """Names with their classes and, below these, subclasses.

    The same subclass is level 2, the same class level 1: measures that know no levels count both.

    Raises
    ------
    FormatError
        With the first line that is none, where nearly none is.
    """
    tree = ClassTree()
    ids: dict[str, int] = {}
    findings = []
    for number, line in enumerate(read_lines(path), 1):
        words = tuple(line.split())
        if not words or words[0].startswith("#"):
            continue
        if not _is_good(words):
            message = f"'name class subclass' is expected, found '{' '.join(words)[:40]}'"
            if not ids:
                raise FormatError(path, message, number)
            findings.append(Finding(Severity.ERROR, str(path), number, message, "left out"))
        elif words[0] in ids:
            message = f"'{words[0]}' stands a second time"
            findings.append(Finding(Severity.ERROR, str(path), number, message, "the first one counts"))
        else:
            ids[words[0]] = tree.label(words[1], words[2])
    if not ids:
        raise FormatError(path, "lists nothing")
    labels, parents = np.array(list(ids.values()), np.int32), np.array(tree.parents, np.int32)
    names = tuple(tree.names)
    return LabelTable(path, tuple(ids), labels, names, parents, graded="sisters", findings=tuple(findings))


def _is_good(words: tuple[str, ...]) -> bool:
    return len(words) == COLUMNS and all(word.isascii() and word.isdigit() for word in words[1:])
