"""Sets of queries that benchmark.toml names."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, Classification, FormatError, Queries
from shrec_viewer.formats.core.findings_log import FindingsLog, count_of, join_some
from shrec_viewer.formats.core.ids import IdIndex
from shrec_viewer.formats.io.schema import suggestion
from shrec_viewer.formats.io.tables import TextTable, read_table
from shrec_viewer.formats.manifest.manifest import Manifest, SliceEntry
from shrec_viewer.formats.truth.id_lists import read_plain_ids

#: Values of a column up to which each is a slice; a column with more is a number or a text.
MAX_VALUES = 100


def with_slices(benchmark: Benchmark, named: Mapping[str, Sequence[str]]) -> Benchmark:
    """The benchmark with these slices (ids of queries by name); unknown ids, and slices without queries, are left out.

    One of the name of a slice that the benchmark has replaces it.
    """
    known = benchmark.queries.index
    rows = {name: sorted({known[one] for one in ids if one in known}) for name, ids in named.items()}
    found = {name: np.array(one, np.int64) for name, one in rows.items() if one}
    return replace(benchmark, slices={**benchmark.slices, **found}) if found else benchmark


def text_tables(manifest: Manifest, paths: Iterable[Path]) -> list[TextTable]:
    """Class tables with all their columns, if a slice is a column; files that are no such tables are left out."""
    found = []
    for path in paths if any(entry.column for entry in manifest.slices.values()) else ():
        with suppress(FormatError):
            found.append(read_table(path))
    return found


def find_slices(
    manifest: Manifest,
    queries: Queries,
    tree: Classification | None,
    tables: Sequence[TextTable],
    findings_log: FindingsLog,
) -> Mapping[str, NDArray[np.int64]]:
    """Queries of each slice, (n,) int64 ascending; unknown ids, classes and columns are error findings.

    Parameters
    ----------
    tables : tables that may have a column with the ids of the queries, and the columns of slices.
    """
    index, found = IdIndex(queries.ids), dict[str, NDArray[np.int64]]()
    file = findings_log.root / findings_log.manifest_name
    for name, entry in manifest.slices.items():
        line = manifest.find_line("slices", name) or manifest.find_line(f"slices.{name}")
        problems: list[str] = []
        parts = _of_column(entry.column, index, tables, problems) if entry.column else {}
        ids = (*entry.ids, *_of_file(entry, problems))
        chosen = [*_of_ids(ids, index, problems), *_of_classes(entry, queries, tree, problems)]
        if chosen or not entry.column:
            parts = {**parts, "": chosen}
        for problem in problems:
            findings_log.error(file, f"the slice '{name}' {problem}", "ignored", line=line)
        for value, rows in parts.items():
            if rows:
                found[f"{name}: {value}" if value else name] = np.unique(np.array(rows, np.int64))
            elif not problems:
                findings_log.warning(file, f"the slice '{name}' has no queries", "ignored", line=line)
    return found


def _of_file(entry: SliceEntry, problems: list[str]) -> tuple[str, ...]:
    """Ids in the file of a slice, () without one or if it cannot be read."""
    if entry.file is None:
        return ()
    try:
        return read_plain_ids(entry.file)
    except FormatError as error:
        problems.append(f"names a file that is no list of ids: {error.path.name}: {error.reason}")
        return ()


def _of_ids(ids: Sequence[str], index: IdIndex, problems: list[str]) -> list[int]:
    rows = [index.index_of(name) for name in ids]
    if unknown := [name for name, row in zip(ids, rows, strict=True) if row < 0]:
        problems.append(f"names {count_of(len(unknown), 'unknown query', 'unknown queries')}: {join_some(unknown)}")
    return [row for row in rows if row >= 0]


def _of_classes(entry: SliceEntry, queries: Queries, tree: Classification | None, problems: list[str]) -> list[int]:
    names = () if tree is None else tree.names
    if unknown := [name for name in entry.classes if name not in names]:
        hint = suggestion(unknown[0], names)
        problems.append(
            f"names {count_of(len(unknown), 'unknown class', 'unknown classes')}: {join_some(unknown)}{hint}"
        )
    if tree is None or not entry.classes:
        return []
    is_chosen = np.array([name in entry.classes for name in names], np.bool_)
    for label, parent in enumerate(tree.parents.tolist()):  # parents precede their children
        is_chosen[label] |= parent >= 0 and is_chosen[parent]
    return np.flatnonzero((queries.labels >= 0) & is_chosen[queries.labels]).tolist()


def _of_column(column: str, index: IdIndex, tables: Sequence[TextTable], problems: list[str]) -> dict[str, list[int]]:
    """Queries of each value of a column of the first table that has it and a column of query ids."""
    for table in tables:
        place = table.find((column,))
        keys = [[index.index_of(name) for name in table.column(number, header=True)] for number in range(table.width)]
        known = max(keys, key=lambda rows: sum(row >= 0 for row in rows), default=[])
        if place is None or not any(row >= 0 for row in known) or keys.index(known) == place:
            continue
        parts: dict[str, list[int]] = {}
        for row, value in zip(known, table.column(place, header=True), strict=True):
            if row >= 0 and value:
                parts.setdefault(value, []).append(row)
        if len(parts) > MAX_VALUES:
            problems.append(f"has {len(parts):,} values in the column '{column}', more than {MAX_VALUES}, the limit")
            return {}
        return parts
    names = [name for table in tables for name in (table.rows[0] if table.rows else ())]
    problems.append(f"names the column '{column}', which no table of the queries has{suggestion(column, names)}")
    return {}
