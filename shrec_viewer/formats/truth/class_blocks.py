"""Read classes in blocks: the name of a class and the ids of its models, below or beside it; or ranges of numbers."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, repeat
from pathlib import Path

from shrec_viewer.domain import FormatError, NumberedIds, Severity
from shrec_viewer.formats.io.limits import MAX_IDS, check_counts, limit_error
from shrec_viewer.formats.io.text import FileHead, read_lines, read_or_none
from shrec_viewer.formats.truth.class_tables import LabelRows, LabelTable, label_table_of

#: Names of classes in brackets, before a colon, and before the number of ids that follow.
_HEADINGS = (re.compile(r"\[(.+)\]"), re.compile(r"(.+):"), re.compile(r"(\S+)\s+([0-9]{1,7})"))

#: A class and the numbers of its first and last model: ``cup 21-40``.
_RANGE = re.compile(r"(\S.*?)[\s:,;]\s*([0-9]{1,9})\s*(?:-|–|\.\.)\s*([0-9]{1,9})")

#: A class and its ids: ``cup: m1 m2``. Ranked lists may look so: only the name of the file tells them apart.
_LINE = re.compile(r"([^:]+):\s*(.*)")

#: Parts of the names of files whose blocks may be lines, or be separated by blank lines alone.
_CLASS_FILE = re.compile(r"class|categor|label", re.IGNORECASE)

MIN_CLASSES = 2

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
