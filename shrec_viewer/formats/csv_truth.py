"""Truth as a table: ``id,category,subcategory`` (SHREC'17/'18 RGB-D) and ShapeNet's ``id,synsetId,subSynsetId``."""

from pathlib import Path

import numpy as np

from shrec_viewer.domain import ROOT, Finding, FormatError, Severity
from shrec_viewer.formats.labels import LabelTable
from shrec_viewer.formats.tables import PARTICIPANT_COLUMNS, RUN_COLUMNS, Table, head_rows, read_table
from shrec_viewer.formats.text import Head, is_number

COLUMNS = 3
ID_NAMES = ("id", "fullid", "full id", "model id", "modelid", "query id", "name")
CATEGORY_NAMES = ("category", "class", "label")
OTHER_NAMES = {*RUN_COLUMNS, *PARTICIPANT_COLUMNS, "query", "query id", "class", "relevance"}
"""Headers of three columns that say something else."""

SUBCATEGORY_NAMES = ("subcategory", "sub category", "subclass")
_HEADERS = [[name, category] for name in ID_NAMES for category in CATEGORY_NAMES]
SHAPENET_NAMES = ("synsetid", "subsynsetid")


def is_csv_truth(head: Head) -> bool:
    """Whether it is a table with a header that says so, or three columns: distinct ids, repeated words, words."""
    rows = head_rows(head)
    if not rows:
        return False
    header = [cell.casefold() for cell in rows[0]]
    if all(name in header for name in SHAPENET_NAMES):
        return header[0] == "id"
    if header[0] in ID_NAMES and len(header) >= 2 and header[1] in CATEGORY_NAMES:
        return len(header) <= COLUMNS
    if len(header) != COLUMNS or len(rows) < 2 or OTHER_NAMES & {cell.replace("_", " ") for cell in header}:
        return False
    ids, categories, _ = zip(*rows, strict=True)
    wordy = not any(is_number(cell) for row in rows for cell in row[1:])
    return wordy and len(set(ids)) == len(ids) and len(set(categories)) < len(rows)


def read_csv_truth(path: Path) -> LabelTable:
    """Ids with their classes: category, and subcategory below it.

    The tree has the categories at the top and ``category/subcategory`` below, because the same subcategory may stand
    below several categories. In ShapeNet's table a model whose subsynset is its synset has the synset as its class.

    Raises
    ------
    FormatError
        With the line, where a row has no id or no category, or where the file is no such table.
    """
    table = read_table(path)
    columns, has_header, graded = layout(table)
    tree = ClassTree()
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


def layout(table: Table) -> tuple[tuple[int | None, ...], bool, str]:
    """Places of id, category, subcategory and split; whether there is a header; what sharing a class means."""
    synset, sub = table.find(SHAPENET_NAMES[:1]), table.find(SHAPENET_NAMES[1:])
    if synset is not None and sub is not None:
        return (table.find(("id",)) or 0, synset, sub, table.find(("split",))), True, "shapenet"
    category = table.find(CATEGORY_NAMES)
    if category is not None:
        return (table.find(ID_NAMES) or 0, category, table.find(SUBCATEGORY_NAMES), None), True, "sisters"
    if table.width != COLUMNS:
        why = f"'id,category,subcategory' is expected, found {table.width} columns"
        raise FormatError(table.path, why, table.lines[0] if table.lines else None)
    return (0, 1, 2, None), False, "sisters"


class ClassTree:
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
