"""Read classes: tables with known columns, text lines, blocks, or labels by position."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO, StringIO
from itertools import chain, pairwise, repeat
from pathlib import Path
from sys import intern
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import NO_CLASS, ROOT, Classification, Finding, FormatError, NumberedIds, Severity
from shrec_viewer.formats.core.findings_log import FindingsLog, count_of, join_some
from shrec_viewer.formats.core.ids import folded, without_extension
from shrec_viewer.formats.core.reader import CLASS_COLUMN, MODEL_COLUMN, SUBCLASS_COLUMN, PreviewColumn, UsedColumns
from shrec_viewer.formats.io.array_files import NpyHeaderError, read_npy_header
from shrec_viewer.formats.io.documents import parse_json
from shrec_viewer.formats.io.limits import MAX_IDS, check_counts, limit_error
from shrec_viewer.formats.io.tables import (
    PARTICIPANT_COLUMNS,
    RUN_COLUMNS,
    TextTable,
    column_name,
    head_rows,
    index_of_role,
    read_table,
)
from shrec_viewer.formats.io.text import (
    FileHead,
    is_number,
    read_bytes,
    read_file_head,
    read_lines,
    read_list_text,
    read_or_none,
    read_text,
)


@dataclass(frozen=True, eq=False)
class LabelTable:
    """Ids with their classes in a tree.

    Attributes
    ----------
    path : the file.
    ids : (n,) distinct, in file order.
    labels : (n,) int32, class of each id.
    names : (C,) distinct names of the classes, parents first.
    parents : (C,) int32, -1 at the top.
    splits : (n,) part of the data (such as test) of each id; None if the file has no such column.
    graded : relevance levels of models by class: "same" class 1; "sisters" same class 2 and sister classes 1
        (SHREC'18 RGB-D); "shapenet" the levels 3, 2, 1 of SHREC'16/'17.
    findings : `file` is the full path.
    line_kinds : what each line is, for a format without columns.
    label_sets : (n,) all labels of each id, of which `labels` has the first; None where no id has several.
    """

    path: Path
    ids: Sequence[str]
    labels: NDArray[np.int32]
    names: tuple[str, ...]
    parents: NDArray[np.int32]
    splits: tuple[str, ...] | None = None
    graded: str = "same"
    findings: tuple[Finding, ...] = ()
    line_kinds: Mapping[int, str] = field(default_factory=dict)
    label_sets: tuple[tuple[str, ...], ...] | None = None

    @property
    def sets_of_labels(self) -> tuple[tuple[str, ...], ...]:
        """(n,) labels of each id, also where each has one."""
        if self.label_sets is not None:
            return self.label_sets
        return tuple((self.names[label],) if label >= 0 else () for label in self.labels.tolist())

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def n_nonempty_classes(self) -> int:
        """Number of classes that contain ids."""
        return int(np.count_nonzero(np.bincount(self.labels + 1)))  # + 1: ids without a class have -1

    def summary(self) -> str:
        """Number of ids and of their classes."""
        return f"{count_of(len(self), 'id')} in {count_of(self.n_nonempty_classes, 'class', 'classes')}"

    def contradicts(self, other: "LabelTable") -> bool:
        """Whether ids of one class here are of several in the other table, or the reverse; names may differ."""
        label_of = dict(zip(other.ids, other.labels.tolist(), strict=True))
        own = zip(self.ids, self.labels.tolist(), strict=True)
        pairs = {(label, label_of[name]) for name, label in own if name in label_of}
        return any(len({pair[side] for pair in pairs}) < len(pairs) for side in (0, 1))

    def classification(self, other: "LabelTable | None" = None) -> Classification:
        """Classification of the ids; classes that only `other` has (the table of the queries) are appended.

        A class of a query may have no models, but sister classes.
        """
        names, parents = list(self.names), self.parents.tolist()
        if other is not None:
            label_of = {name: label for label, name in enumerate(names)}
            for name, parent in zip(other.names, other.parents.tolist(), strict=True):
                if name not in label_of:
                    label_of[name] = len(names)
                    names.append(name)
                    parents.append(label_of[other.names[parent]] if parent >= 0 else ROOT)
        return Classification(self.labels, tuple(names), np.array(parents, np.int32))

    def labels_in(self, tree: Classification) -> NDArray[np.int32]:
        """Classes of the ids in another tree, matched by name; -1 for classes that it does not have."""
        label_of = {name: label for label, name in enumerate(tree.names)}
        labels = np.array([label_of.get(name, NO_CLASS) for name in self.names], np.int32)
        return labels[self.labels] if len(labels) else np.zeros(0, np.int32)


_BLANKS = re.compile(r"[\s_-]+")


def log_similar_classes(tree: Classification, labels: NDArray[np.int32], path: Path, findings_log: FindingsLog) -> None:
    """A warning if names of classes differ in case, blanks or underscores only.

    Parameters
    ----------
    labels : (Q,) int32, class of each query, or -1.
    path : of the classification.
    """
    alike: dict[str, list[str]] = {}
    for label in sorted({*tree.labels.tolist(), *labels.tolist()} - {-1}):
        name = tree.names[label]
        alike.setdefault(_BLANKS.sub("_", folded(name.strip())), []).append(f"'{name}'")
    found = [" and ".join(names) for names in alike.values() if len(names) > 1]
    if found:
        message = f"names of classes differ in case, blanks or underscores only: {join_some(found)}"
        findings_log.warning(path, message, "read as different classes; if they are one, write it in one way")


LABEL_NPY_MAGIC = b"\x93NUMPY"

#: Minimum number of lines; shorter files are ambiguous.
MIN_LABELS = 8

LABEL_HEADERS = ("label", "labels", "class", "classes", "category", "target", "y")


@dataclass(frozen=True, eq=False)
class LabelVector:
    """Class names of models or queries, by position."""

    path: Path
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.labels)

    def summary(self) -> str:
        """Number of labels."""
        return count_of(len(self), "label")


def is_label_vector(head: FileHead) -> bool:
    """Whether each line is one token and most tokens are repeated, unlike ranked lists; or an array of these."""
    if head.data.startswith(LABEL_NPY_MAGIC):
        return _labels_of_array(head.data) is not None and head.size < 2**22
    rows = head.rows[bool(head.rows) and head.rows[0][0].casefold() in LABEL_HEADERS :]
    if len(rows) < MIN_LABELS or any(len(row) != 1 or set(row[0]) & set(",;:") for row in rows):
        return False
    return 2 * len({row[0] for row in rows}) <= len(rows)


def read_label_vector(path: Path) -> LabelVector:
    """Labels in file order.

    Raises
    ------
    FormatError
        When a line has several tokens, or an array is not one-dimensional or not of integers.
    """
    if read_file_head(path).data.startswith(LABEL_NPY_MAGIC):
        found = _labels_of_array(read_bytes(path))
        if found is None:
            raise FormatError(path, "is not a one-dimensional array of repeated integers")
        return LabelVector(path, found)
    labels: list[str] = []
    for number, line in enumerate(StringIO(read_list_text(path)), 1):  # a list of millions of lines takes 60 bytes each
        words = line.split()
        if not words or (not labels and words[0].casefold() in LABEL_HEADERS):
            continue
        if len(words) > 1:
            raise FormatError(path, f"one label is expected, found '{line.strip()[:40]}'", number)
        labels.append(intern(words[0]))
    if not labels:
        raise FormatError(path, "contains no entries")
    return LabelVector(path, tuple(labels))


def _labels_of_array(data: bytes) -> tuple[str, ...] | None:
    """Integers of a one-dimensional array as text, as far as `data` reach; None for other arrays."""
    stream = BytesIO(data)
    try:
        shape, _, dtype = read_npy_header(stream)
    except NpyHeaderError:
        return None
    if len(shape) != 1 or dtype.kind not in "iu" or shape[0] < MIN_LABELS:
        return None
    body = data[stream.tell() :]
    values = np.frombuffer(body[: len(body) // dtype.itemsize * dtype.itemsize], dtype)[: shape[0]]
    return tuple(map(str, values.tolist())) if 2 * len(np.unique(values)) <= len(values) else None


_LABEL = re.compile(r"(?:&#?\w+;|[^;|])+")


def split_labels(cell: str) -> tuple[str, ...]:
    """Labels of a cell, separated by ``;`` or ``|``, which ends no entity of HTML (``&amp;``); none of an empty one."""
    return tuple(label for part in _LABEL.findall(cell) if (label := part.strip())) or ((cell,) if cell else ())


def coarser_classes(table: LabelTable, tables: Sequence[TextTable]) -> tuple[dict[str, str], Path] | None:
    """Coarser class of each class, from a table of two columns with a row for every class; and the file."""
    used = {table.names[label] for label in {*table.labels.tolist()} - {-1}}
    for other in tables:
        pairs = dict(row for row in other.rows if len(row) == 2)
        coarse = {pairs.get(name, "") for name in used}
        if used <= {*pairs} and "" not in coarse and len(coarse) < len(used) and coarse.isdisjoint(table.ids):
            return {name: pairs[name] for name in table.names if name in pairs}, other.path
    return None


def below_coarser_classes(table: LabelTable, coarse: Mapping[str, str], *, merged: bool) -> LabelTable:
    """The table with two levels of classes: ids are of the coarser ones if `merged`, else of their own below them."""
    tree = ClassTreeBuilder()
    own = [table.names[label] if label >= 0 else "" for label in table.labels.tolist()]
    top = [coarse.get(name, name) for name in own]
    labels = [
        tree.label(of, "" if merged or of == name else name) if name else -1 for name, of in zip(own, top, strict=True)
    ]
    names, parents = tuple(tree.names), np.array(tree.parents, np.int32)
    return replace(table, labels=np.array(labels, np.int32), names=names, parents=parents, label_sets=None)


CSV_COLUMNS = 3
ID_NAMES = (
    *("id", "fullid", "full id", "model id", "modelid", "query id", "name"),
    *("obj id", "object id", "objectid", "shape id", "shapeid"),
)
CATEGORY_NAMES = ("category", "class", "label", "class id", "class name", "category id", "category name")
#: Headers of tables of three columns that are not class tables.
NON_CLASS_HEADERS = {*RUN_COLUMNS, *PARTICIPANT_COLUMNS, "query", "query id", "class", "relevance"}

SUBCATEGORY_NAMES = ("subcategory", "sub category", "subclass")
_HEADERS = [[name, category] for name in ID_NAMES for category in CATEGORY_NAMES]
SHAPENET_NAMES = ("synsetid", "subsynsetid")

ID_WORDS = {
    *("id", "ids", "name", "model", "model id", "modelid", "model name", "file", "filename", "file name", "path"),
    *("object", "object id", "objectid", "shape", "shape id", "shapeid", "protein", "target", "item", "mesh"),
    *("query", "query id", "queryid", "sketch", "image", "modell", "datei", "modèle", "modelo", "modello"),
}
#: Column headers of classes, in the languages of the contests.
CLASS_WORDS = {
    *("class", "label", "category", "class id", "class name", "classname", "type", "group", "synset"),
    *("klasse", "kategorie", "classe", "catégorie", "clase", "categoría", "categoria"),
}

#: Parts of a list of queries and models, by the words for them.
PARTS_OF_PARTITION = ("query", "gallery")
PART_WORDS = {
    **dict.fromkeys(("query", "queries", "probe", "probes"), "query"),
    **dict.fromkeys(("gallery", "database", "db", "target", "targets", "collection", "dataset"), "gallery"),
    **{word: word for word in ("train", "val", "test")},
}

#: Minimum share of valid lines for a file to be of this format; the other lines are then reported.
MIN_GOOD_LINES = 0.75


class ClassColumns(NamedTuple):
    """Columns of a table of classes.

    Attributes
    ----------
    ids, classes, subclasses, parts : their indices, None for none.
    start : rows before the first id.
    graded : see `LabelTable`.
    are_numbers : classes and subclasses are whole numbers; other rows are faults.
    """

    ids: int
    classes: int
    subclasses: int | None = None
    parts: int | None = None
    start: int = 0
    graded: str = "sisters"
    are_numbers: bool = False


def class_columns(table: TextTable, columns: str = "") -> ClassColumns:
    """Columns of a table of classes; `columns` as of `read_class_table`; FormatError for another table."""
    if columns:
        model, query, label, sub, part = (
            index_of_role(columns, role) for role in ("model", "query", "class", "subclass", "part")
        )
        name = query if model is None else model
        if name is None or label is None:
            raise FormatError(table.path, f"'{columns}' are columns of relevance levels, not of classes")
        return ClassColumns(name, label, sub, part, is_header_of_words(table, (name, label)))
    if (partition := _columns_of_partition(table.rows)) is not None:
        return partition
    synset, sub = table.find(SHAPENET_NAMES[:1]), table.find(SHAPENET_NAMES[1:])
    if synset is not None and sub is not None:
        return ClassColumns(table.find(("id",)) or 0, synset, sub, table.find(("split",)), 1, "shapenet")
    category = table.find(CATEGORY_NAMES)
    if category is not None:
        return ClassColumns(table.find(ID_NAMES) or 0, category, table.find(SUBCATEGORY_NAMES), start=1)
    if table.width != CSV_COLUMNS:
        message = f"'id,category,subcategory' is expected, found {count_of(table.width, 'column')}"
        raise FormatError(table.path, message, table.lines[0] if table.lines else None)
    return ClassColumns(0, 1, 2, are_numbers=_is_class_line(table.rows[0]))


def _columns_of_partition(rows: Sequence[Sequence[str]]) -> ClassColumns | None:
    """Columns of rows of an id, its class and its part, below two others at most; None for other rows."""
    width = CSV_COLUMNS
    for column in reversed(range(width)):
        are_parts = [len(row) == width and row[column].casefold() in PART_WORDS for row in rows]
        start = next((index for index, is_part in enumerate(are_parts[:CSV_COLUMNS]) if is_part), len(rows))
        if sum(are_parts) > max(1, (len(rows) - start) / 2):
            first, second = (index for index in range(width) if index != column)
            header = [column_name(cell) for cell in rows[start - 1]] if start and len(rows[start - 1]) == width else ()
            if header and (header[first] in CLASS_WORDS or header[second] in ID_WORDS):
                first, second = second, first
            return ClassColumns(first, second, None, column, start, "same")
    return None


def is_partition(head: FileHead) -> bool:
    """Whether lines are an id, its class and ``query``, ``database`` or ``train``, below two others at most."""
    rows = head_rows(head) or head.rows
    found = _columns_of_partition(rows)
    if found is None or found.parts is None:
        return False
    words = [row[found.parts].casefold() if len(row) == CSV_COLUMNS else "" for row in rows[found.start :]]
    known = [PART_WORDS[word] for word in words if word in PART_WORDS]
    if not {*PARTS_OF_PARTITION}.isdisjoint(known):
        return len(known) >= MIN_GOOD_LINES * len(words)  # the others are an error of the file
    return len(known) == len(words) and {"train", "test"} <= {*known}


def is_class_csv(head: FileHead) -> bool:
    """Whether a table has headers of ids and classes, or three columns: distinct ids, repeated words, words."""
    rows = head_rows(head)
    if not rows:
        return False
    header = list(map(column_name, rows[0]))
    if all(name in header for name in SHAPENET_NAMES):
        return header[0] == "id"
    if header[0] in ID_NAMES and len(header) >= 2 and header[1] in CATEGORY_NAMES:
        return len(header) <= CSV_COLUMNS
    if len(header) != CSV_COLUMNS or len(rows) < 2 or NON_CLASS_HEADERS & {*header}:
        return False
    ids, categories, _ = zip(*rows, strict=True)
    wordy = not any(is_number(cell) for row in rows for cell in row[1:])
    return wordy and len(set(ids)) == len(ids) and len(set(categories)) < len(rows)


def is_class_lines(head: FileHead) -> bool:
    """Whether nearly all lines are a name and two integers; names may be numbers if the file name ends in ``_cla``."""
    names = [row[0] for row in head.rows if _is_class_line(row)]
    if len(names) < max(1, MIN_GOOD_LINES * len(head.rows)) or len({*names}) < MIN_GOOD_LINES * len(names):
        return False
    return not all(map(is_number, names)) or head.path.stem.lower().endswith("_cla")


def _is_class_line(row: Sequence[str]) -> bool:
    return len(row) == CSV_COLUMNS and all(cell.isascii() and cell.isdigit() for cell in row[1:])


def read_class_table(path: Path, columns: str = "") -> LabelTable:
    """Ids with their class, subclass and part, of a table separated by commas, other marks or blanks.

    Categories are top-level classes, their children are named ``category/subcategory``, as the same subcategory may
    belong to several categories. In the table of ShapeNet a model whose subsynset is its synset has class synset.
    The parts of a list of queries and models (`LabelTable.splits`), as of DeepFashion's ``list_eval_partition.txt``,
    are ``query`` and ``gallery``; `PART_WORDS` has other words for them.

    Parameters
    ----------
    columns : the role of each column, see TRUTH_ROLES; "" for those of the header, or of the contents.

    Raises
    ------
    FormatError
        With the line, for a row without id, or with a subcategory alone, or when the file is not such a table.
    """
    table = read_table(path, columns, has_blanks=True)
    return _classes_of_rows(table, class_columns(table, columns))


def _classes_of_rows(table: TextTable, found: ClassColumns) -> LabelTable:
    path, is_partition = table.path, found.parts is not None and found.graded == "same"
    rows, parts, unclassed = LabelRows(path), list[str](), list[int]()
    for row, line in zip(table.rows[found.start :], table.lines[found.start :], strict=True):
        cells = (row[index] if index is not None and index < len(row) else "" for index in found[:4])
        name, category, sub, part = cells
        if [column_name(name), column_name(category)] in _HEADERS:
            rows.report(line, "a header in the middle of the table", "ignored", Severity.WARNING)
        elif found.are_numbers and not _is_class_line(row):
            rows.report(line, f"'name class subclass' is expected, found '{' '.join(row)[:40]}'", "ignored")
        elif is_partition and part.casefold() not in PART_WORDS:
            raise FormatError(path, "an id, its class and 'query', 'gallery' or 'train' are expected", line)
        elif not name or (sub and not category):
            raise FormatError(path, "the row has no id or no category", line)
        elif rows.add(line, name, category, "" if found.graded == "shapenet" and sub == category else sub):
            unclassed += [] if category else [line]
            parts.append(PART_WORDS.get(part.casefold(), part))
    if len(unclassed) == len(rows.ids):
        raise FormatError(path, "contains no entries" if not rows.ids else "no row has a category")
    if unclassed:
        rows.report(unclassed[0], "a row without category", "a model without class", Severity.WARNING, len(unclassed))
    labels = rows.table(found.graded)
    return labels if found.parts is None else replace(labels, splits=_splits(path, parts))


def _splits(path: Path, parts: Sequence[str]) -> tuple[str, ...]:
    """Parts of a table; where one side of a partition is not named, it is the one of ``test`` or ``train``."""
    missing = {*PARTS_OF_PARTITION} - {*parts}
    if len(missing) != 1:
        return tuple(parts)
    other = next((word for word in ("test", *(["train"] if missing == {"gallery"} else [])) if word in parts), None)
    if other is None:
        raise FormatError(path, "has no queries or no gallery")
    return tuple(next(iter(missing)) if part == other else part for part in parts)


def is_header_of_words(table: TextTable, columns: Sequence[int], *, has_digits: bool = True) -> bool:
    """Whether the first row is a header, by its columns of ids and of classes or other ids.

    It names one of them, its class occurs once and all others repeatedly, or, for `has_digits`, one of these columns
    has a digit in each cell but the first.
    """
    cells = [table.column(index, header=False) for index in columns]
    have_digits = [[any(map(str.isdecimal, cell)) for cell in column] for column in cells]
    if has_digits and any(not first and others and all(others) for first, *others in have_digits):
        return True
    if column_name(cells[0][0]) in ID_WORDS or column_name(cells[1][0]) in CLASS_WORDS:
        return len(table.rows) > 1
    classes = Counter(filter(None, cells[1][1:]))
    return len(table.rows) > 1 and cells[1][0] not in classes and all(count > 1 for count in classes.values())


def class_table_columns(table: TextTable, columns: str = "") -> UsedColumns:
    """Columns of id, category, subcategory and part; `columns` as of `read_class_table`."""
    found = class_columns(table, columns)
    shown = (MODEL_COLUMN, CLASS_COLUMN, SUBCLASS_COLUMN, PreviewColumn("part", "Part"))
    return dict(zip(found[:4], shown, strict=True)).get, found.start


class ClassTreeBuilder:
    """Builds a tree of two levels in order of first occurrence, parents first."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.parents: list[int] = []
        self._labels: dict[str, int] = {}

    def label(self, category: str, sub: str) -> int:
        """Label of a subcategory, or of the category if `sub` is empty; new classes are added."""
        top = self._label(category, ROOT)
        return self._label(f"{category}/{sub}", top) if sub else top

    def _label(self, name: str, parent: int) -> int:
        if name not in self._labels:
            self._labels[name] = len(self.names)
            self.names.append(name)
            self.parents.append(parent)
        return self._labels[name]


class LabelRows:
    """Ids with their classes, row by row; repeated ids become findings.

    Attributes
    ----------
    ids : labels and subclass of each id, "" for none.
    findings : `file` is the full path.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.ids: dict[str, tuple[str, str]] = {}
        self.findings: list[Finding] = []

    def add(self, line: int | None, name: str, category: str, sub: str = "") -> bool:
        """Add an id; `category` may have several labels, or none. False for an id that is known already."""
        if name in self.ids:
            self.report(line, f"'{name}' is repeated", "the first occurrence is used")
            return False
        self.ids[name] = category, sub
        return True

    def report(
        self, line: int | None, message: str, action: str, severity: Severity = Severity.ERROR, count: int = 1
    ) -> None:
        """Add a finding about a line."""
        self.findings.append(Finding(severity, str(self._path), line, message, action, count))

    def table(self, graded: str = "same") -> LabelTable:
        """What was added; `graded` applies if there are subclasses."""
        classes, subclasses = ([pair[at] for pair in self.ids.values()] for at in (0, 1))
        found = label_table_of(self._path, [*self.ids], classes, self.findings, subclasses)
        return replace(found, graded=graded) if np.any(found.parents != ROOT) else found


def label_table_of(
    path: Path,
    ids: Sequence[str],
    classes: Sequence[str],
    findings: Sequence[Finding] = (),
    subclasses: Sequence[str] = (),
) -> LabelTable:
    """Table of distinct ids with their classes, numbered in order of first occurrence.

    Cells of `classes` may have several labels; `subclasses` has "" for none, and is empty if there are none at all.
    """
    tree = ClassTreeBuilder()
    sets = {cell: split_labels(cell) for cell in dict.fromkeys(classes)}
    keys: Sequence[Any] = list(zip(classes, subclasses, strict=True)) if subclasses else classes
    label_of = {}
    for key in dict.fromkeys(keys):
        cell, sub = key if subclasses else (key, "")
        label_of[key] = tree.label(sets[cell][0], sub) if sets[cell] else NO_CLASS
    has_several = any(len(labels) > 1 for labels in sets.values())
    return LabelTable(
        path,
        ids if isinstance(ids, NumberedIds) else tuple(ids),
        np.fromiter(map(label_of.__getitem__, keys), np.int32, len(ids)),
        tuple(tree.names),
        np.array(tree.parents, np.int32),
        findings=tuple(findings),
        label_sets=tuple(map(sets.__getitem__, classes)) if has_several else None,
    )


OTHER_WORDS = {*RUN_COLUMNS, *PARTICIPANT_COLUMNS} - {"name", "group"}

MIN_ROWS = 4
MIN_CLASSES = 2
#: Maximum size of a class table, a hundred thousand ids; larger tables contain distances.
MAX_TABLE_BYTES = 2**23


def read_any_class_table(path: Path) -> tuple[LabelTable, bool]:
    """Ids and classes of a table with two columns, or with headers of ids and classes.

    Returns
    -------
    table : class of each id; repeated ids are findings.
    has_headers : whether headers identify both columns.

    Raises
    ------
    FormatError
        When it is not such a table, for instance because ids are repeated or classes are not.
    """
    rows = read_table(path, has_blanks=True)
    header = list(map(column_name, rows.rows[0]))
    ids, label = (next((at for at, cell in enumerate(header) if cell in of), -1) for of in (ID_WORDS, CLASS_WORDS))
    has_headers = min(ids, label) >= 0
    if {*header} & OTHER_WORDS and not has_headers:
        raise FormatError(path, "is a table of runs", rows.lines[0])
    if not has_headers and len(header) != 2:
        message = f"two columns are expected, an id and its class, found {len(header)}"
        raise FormatError(path, message, rows.lines[0])
    start = has_headers or is_header_of_words(rows, (0, 1), has_digits=False)
    table = _classes_of_rows(rows, ClassColumns(*((ids, label) if has_headers else (0, 1)), start=start))
    if any(is_number(name) and not name.isdigit() for name in table.names):
        raise FormatError(path, "its second column contains numbers")
    is_small = len(table) < MIN_ROWS or not MIN_CLASSES <= len(table.names) <= len(table) / 2
    if is_small or len(table.findings) > len(table):
        raise FormatError(path, "its columns are not distinct ids and repeated classes")
    stems = [without_extension(name) for name in table.ids]
    are_files = len(set(stems)) == len(stems) and all(map(str.__ne__, stems, table.ids))
    return replace(table, ids=tuple(stems)) if are_files else table, has_headers


#: Words in the names of files with classes.
CLASS_FILE = re.compile(r"(?<![a-z])(class|label|categor|synset|klass)", re.IGNORECASE)


def is_class_json(head: FileHead) -> bool:
    """Whether JSON has the class of each id, or the ids of each class, if its name says so: queries have lists, too."""
    text = (head.text or "").lstrip()
    if not text.startswith("{") or head.size > MAX_TABLE_BYTES:
        return False
    if "[" in text and CLASS_FILE.search(head.path.name) is None:
        return False
    return read_or_none(read_class_json, head.path) is not None


def read_class_json(path: Path) -> LabelTable:
    """Classes of ``{id: class}`` or ``{class: [ids]}``.

    Raises
    ------
    FormatError
        When it has other content, an id is in two lists, or classes are not repeated.
    """
    if read_file_head(path).size > MAX_TABLE_BYTES:
        raise limit_error(MAX_TABLE_BYTES, "bytes", path)
    rows = LabelRows(path)
    content = parse_json(path, read_text(path), tuple)  # objects become tuples, and arrays are lists
    are_lists = isinstance(content, tuple) and all(isinstance(value, list) for _, value in content)
    for key, value in content if isinstance(content, tuple) else ():
        for name, label in ((one, key) for one in value) if are_lists else ((key, value),):
            if any(isinstance(word, bool) or not isinstance(word, str | int) for word in (name, label)):
                raise FormatError(path, f"'{key[:40]}' has neither a class nor a list of ids")
            if not rows.add(None, str(name), str(label)) and are_lists:
                raise FormatError(path, f"'{name}' is in two lists")
    table = rows.table()
    is_small = not MIN_CLASSES <= len(table.names) <= len(table) / (1 if are_lists else 2)
    if len(table) < MIN_ROWS or is_small or (are_lists and {*table.names} & {*table.ids}):
        raise FormatError(path, "has no distinct ids with repeated classes")
    return table


#: Names of classes in brackets, before a colon, and before the number of ids that follow.
_HEADINGS = (re.compile(r"\[(.+)\]"), re.compile(r"(.+):"), re.compile(r"(\S+)\s+([0-9]{1,7})"))

#: A class and the numbers of its first and last model: ``cup 21-40``.
_RANGE = re.compile(r"(\S.*?)[\s:,;]\s*([0-9]{1,9})\s*(?:-|–|\.\.)\s*([0-9]{1,9})")

#: A class and its ids: ``cup: m1 m2``. Ranked lists may look so: only the name of the file tells them apart.
_LINE = re.compile(r"([^:]+):\s*(.*)")

#: Parts of the names of files whose blocks may be lines, or be separated by blank lines alone.
_CLASS_FILE = re.compile(r"class|categor|label", re.IGNORECASE)

#: Maximum number of faults per id in files named after classes; the ranked lists of queries repeat most ids.
MAX_FAULTS = 0.5

_REPEATED = "class '{}' or an id of it is repeated, or it has none"


def is_class_blocks(head: FileHead) -> bool:
    """Whether a text is of this form: two classes at least, most ids in one of them."""
    first, second = [line.strip() for line in (*head.lines[:2], "", "")][:2]
    is_headed = any(pattern.fullmatch(first) for pattern in _HEADINGS) or _CLASS_FILE.search(head.path.stem)
    # Before the file is read: there may be thousands of rank lists.
    is_line = _LINE.fullmatch(first) and _CLASS_FILE.search(head.path.stem)
    if head.text is None or not (is_line or _RANGE.fullmatch(second) or (is_headed and len(second.split()) == 1)):
        return False
    filled = [line for line in head.lines[:-1] if line.strip()]  # the last one may be cut
    if len({*filled}) < (1 - MAX_FAULTS) * len(filled):  # labels by position, of which there may be millions
        return False
    return read_or_none(read_class_blocks, head.path) is not None


def read_class_blocks(path: Path) -> LabelTable:
    """Ids with their classes.

    Raises
    ------
    FormatError
        When the lines have none of the forms, there is one class only, or too many ids are in several.
    """
    lines = [(number, line.strip()) for number, line in enumerate(read_lines(path), 1)]
    if (ranges := _ranges(path, [(number, line) for number, line in lines if line])) is not None:
        return ranges
    rows = LabelRows(path)
    names: set[str] = set()
    for number, name, ids in _blocks(path, lines):
        if name in names:
            rows.report(number, f"class '{name[:40]}' is repeated", "read as one class")
        if not ids:
            rows.report(number, f"class '{name[:40]}' has no models", "ignored", Severity.WARNING)
        names.add(name)
        for line, model in ids:
            rows.add(line, model, name)
    if len(names) < MIN_CLASSES or not names.isdisjoint(rows.ids):
        raise FormatError(path, "contains no classes in blocks")
    if len(rows.findings) > (MAX_FAULTS * len(rows.ids) if _CLASS_FILE.search(path.stem) else 0):
        raise FormatError(path, rows.findings[0].message, rows.findings[0].line)
    return rows.table()


def _ranges(path: Path, lines: list[tuple[int, str]]) -> LabelTable | None:
    """The table of lines that are all a class and a range of numbers; None for others."""
    matches = [_RANGE.fullmatch(line) for _, line in lines]
    found = [match.groups() for match in matches if match is not None]
    if len(found) < max(len(lines), MIN_CLASSES):
        return None
    names = [name for name, _, _ in found]
    places = {name: index for index, name in reversed([*enumerate(names)])}
    ranges = [range(int(first), int(last) + 1) for _, first, last in found]
    order = sorted(range(len(ranges)), key=lambda index: ranges[index].start)
    overlap = (max(pair) for pair in pairwise(order) if ranges[pair[1]].start < ranges[pair[0]].stop)
    empty = (index for index, numbers in enumerate(ranges) if not numbers or places[names[index]] < index)
    if (faulty := min([*overlap, *empty], default=None)) is not None:
        raise FormatError(path, _REPEATED.format(names[faulty][:40]), lines[faulty][0])
    counts = [*map(len, ranges)]
    check_counts(path, 0, sum(counts))
    ids: Sequence[str] = NumberedIds(range(ranges[0].start, ranges[-1].stop))
    if any(numbers.stop != after.start for numbers, after in pairwise(ranges)):
        if sum(counts) > MAX_IDS:
            raise limit_error(MAX_IDS, "ids", path)
        ids = [str(number) for number in chain(*ranges)]
    return label_table_of(path, ids, [*chain(*map(repeat, names, counts))])


def _blocks(path: Path, lines: list[tuple[int, str]]) -> Iterator[tuple[int, str, list[tuple[int, str]]]]:
    """Line and name of each class, and line and id of each of its models."""
    filled = [(number, line) for number, line in lines if line]
    matches = [_LINE.fullmatch(line) for _, line in filled if _CLASS_FILE.search(path.stem)]
    rows = [(number, found) for (number, _), found in zip(filled, matches, strict=False) if found]
    if len(rows) == len(filled) and any(found[2] for _, found in rows):
        for number, row in rows:
            yield number, row[1].strip(), [(number, model) for model in re.split(r"[\s,;]+", row[2]) if model]
        return
    heading = next((pattern for pattern in _HEADINGS if filled and pattern.fullmatch(filled[0][1])), None)
    if filled and heading is None and _CLASS_FILE.search(path.stem) is None:
        raise FormatError(path, "has no headings of classes", filled[0][0])
    name, start, ids, n_left = "", 0, list[tuple[int, str]](), 0
    for number, line in [*lines, (len(lines) + 1, "")]:
        found = heading.fullmatch(line) if heading is not None and line and not n_left else None
        is_first = heading is None and line and not name
        if found is not None or is_first or (heading is None and not line):
            if name:
                yield start, name, ids
            name, start, ids = (line if found is None else found[1].strip()), number, []
            n_left = int(found[2]) if found is not None and heading is _HEADINGS[2] else 0
        elif line and (len(line.split()) > 1 or (heading is _HEADINGS[2] and not n_left)):
            raise FormatError(path, f"one id is expected, found '{line[:40]}'", number)
        elif line:
            ids.append((number, line))
            n_left = max(0, n_left - 1)
    if n_left:
        raise FormatError(path, f"class '{name[:40]}' has fewer ids than announced", start)
    if name:
        yield start, name, ids
