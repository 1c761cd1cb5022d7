"""Tables of ids and classes under any header or none, recognised where no stricter format tells the truth."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from shrec_viewer.domain import ROOT, Finding, FormatError, Severity
from shrec_viewer.formats.labels import LabelTable
from shrec_viewer.formats.naming import without_extension
from shrec_viewer.formats.tables import PARTICIPANT_COLUMNS, RUN_COLUMNS, read_table, separator_of
from shrec_viewer.formats.text import is_number, read_lines

ID_WORDS = {
    *("id", "ids", "name", "model", "model id", "modelid", "model name", "file", "filename", "file name", "path"),
    *("object", "object id", "objectid", "shape", "shape id", "shapeid", "protein", "target", "item", "mesh"),
    *("query", "query id", "queryid", "sketch", "image", "modell", "datei", "modèle", "modelo", "modello"),
}
CLASS_WORDS = {
    *("class", "label", "category", "class id", "class name", "classname", "type", "group", "synset"),
    *("klasse", "kategorie", "classe", "catégorie", "clase", "categoría", "categoria"),
}
"""Headers that say what a column is, in the languages of the contests."""

OTHER_WORDS = {*RUN_COLUMNS, *PARTICIPANT_COLUMNS} - {"name", "group"}

FEWEST_ROWS = 4
FEWEST_CLASSES = 2
LARGEST = 2**23
"""Bytes: a hundred thousand ids. What is larger holds distances."""


def read_loose_labels(path: Path) -> tuple[LabelTable, bool]:
    """Ids and classes of a table of two columns, or of those of its columns whose headers say so.

    Returns
    -------
    table : with a class for each id; what stands a second time is a finding.
    named : a header names both columns.

    Raises
    ------
    FormatError
        When it is no such table: ids that come again, or classes that do not.
    """
    rows = _rows(path)
    header = [cell.casefold().replace("_", " ").strip() for cell in rows[0][1]]
    ids = next((place for place, cell in enumerate(header) if cell in ID_WORDS), None)
    label = next((place for place, cell in enumerate(header) if cell in CLASS_WORDS), None)
    named = ids is not None and label is not None
    if set(header) & OTHER_WORDS and not named:
        raise FormatError(path, "is a table of runs", rows[0][0])
    if not named:
        if len(header) != 2:
            raise FormatError(path, f"two columns are expected, an id and its class, found {len(header)}", rows[0][0])
        ids, label = 0, 1
    if ids is None or label is None:
        raise FormatError(path, "names one column of two", rows[0][0])
    body = rows[1:] if named or _is_header(rows, header) else rows
    findings = []
    found: dict[str, str] = {}
    for line, row in body:
        name, word = (row[place] if place < len(row) else "" for place in (ids, label))
        if not name or not word:
            findings.append(Finding(Severity.ERROR, str(path), line, "the row has no id or no class", "left out"))
        elif name in found:
            message = f"'{name}' stands a second time"
            findings.append(Finding(Severity.ERROR, str(path), line, message, "the first one counts"))
        else:
            found[name] = word
    names = list(dict.fromkeys(found.values()))
    if any(is_number(name) and not name.isdigit() for name in names):
        raise FormatError(path, "its second column holds numbers", rows[0][0])
    if len(found) < FEWEST_ROWS or not FEWEST_CLASSES <= len(names) <= len(found) / 2 or len(findings) > len(found):
        raise FormatError(path, "its columns are no ids with classes that come again", rows[0][0])
    bare = [without_extension(name) for name in found]
    if len(set(bare)) < len(bare) or not all(map(str.__ne__, bare, found)):  # not all are names of files
        bare = list(found)
    return table_of(path, bare, list(found.values()), findings), named


def table_of(path: Path, ids: Sequence[str], words: Sequence[str], findings: Sequence[Finding] = ()) -> LabelTable:
    """Ids and their classes, all at the top of the tree, in the order in which they are met."""
    names = {word: place for place, word in enumerate(dict.fromkeys(words))}
    labels = np.array([names[word] for word in words], np.int32)
    parents = np.full(len(names), ROOT, np.int32)
    return LabelTable(path, tuple(ids), labels, tuple(names), parents, findings=tuple(findings))


def _rows(path: Path) -> list[tuple[int, tuple[str, ...]]]:
    """Line and cells of each row; white space separates where nothing else does."""
    lines = read_lines(path)
    first = next((line for line in lines if line.strip()), "")
    if separator_of(first) is not None:
        table = read_table(path)
        return list(zip(table.lines, table.rows, strict=True))
    rows = [(number, tuple(line.split())) for number, line in enumerate(lines, 1)]
    rows = [(number, row) for number, row in rows if row and not row[0].startswith("#")]
    if not rows:
        raise FormatError(path, "lists nothing")
    return rows


def _is_header(rows: Sequence[tuple[int, tuple[str, ...]]], header: Sequence[str]) -> bool:
    """Whether the first row names columns: a word for it, or a class that never comes again though all others do."""
    if header[0] in ID_WORDS or header[1] in CLASS_WORDS:
        return True
    words = [row[1] for _, row in rows[1:] if len(row) > 1]
    return rows[0][1][1] not in words and all(words.count(word) > 1 for word in set(words))
