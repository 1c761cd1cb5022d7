"""Read tables of ids and classes: CSV with known columns, text lines, or any header."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from shrec_viewer.domain import ROOT, Finding, FormatError, Severity
from shrec_viewer.formats.core.ids import without_extension
from shrec_viewer.formats.io.tables import (
    PARTICIPANT_COLUMNS,
    RUN_COLUMNS,
    TextTable,
    head_rows,
    read_table,
    separator_of,
)
from shrec_viewer.formats.io.text import FileHead, is_number, read_lines
from shrec_viewer.formats.truth.labels import LabelTable

CSV_COLUMNS = 3
ID_NAMES = ("id", "fullid", "full id", "model id", "modelid", "query id", "name")
CATEGORY_NAMES = ("category", "class", "label")
NON_CLASS_HEADERS = {*RUN_COLUMNS, *PARTICIPANT_COLUMNS, "query", "query id", "class", "relevance"}
"""Headers of three columns that say something else."""

SUBCATEGORY_NAMES = ("subcategory", "sub category", "subclass")
_HEADERS = [[name, category] for name in ID_NAMES for category in CATEGORY_NAMES]
SHAPENET_NAMES = ("synsetid", "subsynsetid")


def is_class_csv(head: FileHead) -> bool:
    """Whether it is a table with a header that says so, or three columns: distinct ids, repeated words, words."""
    rows = head_rows(head)
    if not rows:
        return False
    header = [cell.casefold() for cell in rows[0]]
    if all(name in header for name in SHAPENET_NAMES):
        return header[0] == "id"
    if header[0] in ID_NAMES and len(header) >= 2 and header[1] in CATEGORY_NAMES:
        return len(header) <= CSV_COLUMNS
    if len(header) != CSV_COLUMNS or len(rows) < 2 or NON_CLASS_HEADERS & {cell.replace("_", " ") for cell in header}:
        return False
    ids, categories, _ = zip(*rows, strict=True)
    wordy = not any(is_number(cell) for row in rows for cell in row[1:])
    return wordy and len(set(ids)) == len(ids) and len(set(categories)) < len(rows)


def read_class_csv(path: Path) -> LabelTable:
    """Ids with their classes: category, and subcategory below it.

    The tree has the categories at the top and ``category/subcategory`` below, because the same subcategory may stand
    below several categories. In ShapeNet's table a model whose subsynset is its synset has the synset as its class.

    Raises
    ------
    FormatError
        With the line, where a row has no id or no category, or where the file is no such table.
    """
    table = read_table(path)
    columns, has_header, graded = class_csv_layout(table)
    tree = ClassTreeBuilder()
    ids: dict[str, int] = {}
    splits: list[str] = []
    findings = []
    for row, line in zip(table.rows[has_header:], table.lines[has_header:], strict=True):
        cells = [row[place] if place is not None and place < len(row) else "" for place in columns]
        name, category, sub, split = cells
        if [name.casefold(), category.casefold()] in _HEADERS:
            message = "a header in the middle of the table"
            findings.append(Finding(Severity.WARNING, str(path), line, message, "passed over"))
            continue
        if not name or not category:
            raise FormatError(path, "the row has no id or no category", line)
        if name in ids:
            message = f"'{name}' stands a second time"
            findings.append(Finding(Severity.ERROR, str(path), line, message, "the first one counts"))
            continue
        ids[name] = tree.label(category, "" if graded == "shapenet" and sub == category else sub)
        splits.append(split)
    if not ids:
        raise FormatError(path, "lists nothing")
    return LabelTable(
        path,
        tuple(ids),
        np.array(list(ids.values()), np.int32),
        tuple(tree.names),
        np.array(tree.parents, np.int32),
        tuple(splits) if columns[3] is not None else None,
        graded if any(parent != ROOT for parent in tree.parents) else "same",
        tuple(findings),
    )


def class_csv_layout(table: TextTable) -> tuple[tuple[int | None, ...], bool, str]:
    """Places of id, category, subcategory and split; whether there is a header; what sharing a class means."""
    synset, sub = table.find(SHAPENET_NAMES[:1]), table.find(SHAPENET_NAMES[1:])
    if synset is not None and sub is not None:
        return (table.find(("id",)) or 0, synset, sub, table.find(("split",))), True, "shapenet"
    category = table.find(CATEGORY_NAMES)
    if category is not None:
        return (table.find(ID_NAMES) or 0, category, table.find(SUBCATEGORY_NAMES), None), True, "sisters"
    if table.width != CSV_COLUMNS:
        why = f"'id,category,subcategory' is expected, found {table.width} columns"
        raise FormatError(table.path, why, table.lines[0] if table.lines else None)
    return (0, 1, 2, None), False, "sisters"


class ClassTreeBuilder:
    """Two levels of classes in order of appearance, parents first."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.parents: list[int] = []
        self._places: dict[str, int] = {}

    def label(self, category: str, sub: str) -> int:
        """Place of a class below a category, or of the category itself; made where it is new."""
        top = self._place(category, ROOT)
        return self._place(f"{category}/{sub}", top) if sub else top

    def _place(self, name: str, parent: int) -> int:
        if name not in self._places:
            self._places[name] = len(self.names)
            self.names.append(name)
            self.parents.append(parent)
        return self._places[name]


LINE_COLUMNS = 3

MIN_GOOD_LINES = 0.75
"""Share of lines that must be right for the others to be faults, and the file not of another format."""


def is_class_lines(head: FileHead) -> bool:
    """Whether nearly all lines are a name and two whole numbers; bare numbers as names only where the file says so."""
    rows = [row for row in head.rows if _is_class_line(row)]
    if len(rows) < max(1, MIN_GOOD_LINES * len(head.rows)) or len({row[0] for row in rows}) < MIN_GOOD_LINES * len(
        rows
    ):
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
    tree = ClassTreeBuilder()
    ids: dict[str, int] = {}
    findings = []
    for number, line in enumerate(read_lines(path), 1):
        words = tuple(line.split())
        if not words or words[0].startswith("#"):
            continue
        if not _is_class_line(words):
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


def _is_class_line(words: tuple[str, ...]) -> bool:
    return len(words) == LINE_COLUMNS and all(word.isascii() and word.isdigit() for word in words[1:])


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

MIN_ROWS = 4
MIN_CLASSES = 2
MAX_TABLE_BYTES = 2**23
"""Bytes: a hundred thousand ids. What is larger holds distances."""


def read_any_class_table(path: Path) -> tuple[LabelTable, bool]:
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
    rows = _table_rows(path)
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
    body = rows[1:] if named or _is_table_header(rows, header) else rows
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
    if len(found) < MIN_ROWS or not MIN_CLASSES <= len(names) <= len(found) / 2 or len(findings) > len(found):
        raise FormatError(path, "its columns are no ids with classes that come again", rows[0][0])
    bare = [without_extension(name) for name in found]
    if len(set(bare)) < len(bare) or not all(map(str.__ne__, bare, found)):  # not all are names of files
        bare = list(found)
    return label_table_of(path, bare, list(found.values()), findings), named


def label_table_of(
    path: Path, ids: Sequence[str], words: Sequence[str], findings: Sequence[Finding] = ()
) -> LabelTable:
    """Ids and their classes, all at the top of the tree, in the order in which they are met."""
    names = {word: place for place, word in enumerate(dict.fromkeys(words))}
    labels = np.array([names[word] for word in words], np.int32)
    parents = np.full(len(names), ROOT, np.int32)
    return LabelTable(path, tuple(ids), labels, tuple(names), parents, findings=tuple(findings))


def _table_rows(path: Path) -> list[tuple[int, tuple[str, ...]]]:
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


def _is_table_header(rows: Sequence[tuple[int, tuple[str, ...]]], header: Sequence[str]) -> bool:
    """Whether the first row names columns: a word for it, or a class that never comes again though all others do."""
    if header[0] in ID_WORDS or header[1] in CLASS_WORDS:
        return True
    words = [row[1] for _, row in rows[1:] if len(row) > 1]
    return rows[0][1][1] not in words and all(words.count(word) > 1 for word in set(words))
