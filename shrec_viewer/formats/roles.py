"""Which of several lists of classes describes the collection, and which the queries."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from shrec_viewer.domain import Finding, Severity
from shrec_viewer.formats.labels import LabelTable
from shrec_viewer.formats.material import Material
from shrec_viewer.formats.matrix import MatrixFile
from shrec_viewer.formats.naming import IdIndex, without_extension
from shrec_viewer.formats.territory import COLLECTION_WORDS, QUERY_WORDS

SAMPLE = 200
"""Words of a file that are looked up to see whose ids they are."""

HINT = 0.5
"""Weight of a name against one file that fits: it decides only where no content does."""


TURNED = 1.25
"""Weight of a matrix that fits if it is turned: less than one that fits as it stands, and than names of two files."""

ONE_SIDE = 0.75
"""Weight of a matrix of which one side fits."""

LETTERS = {"q": "query", "t": "target", "m": "model", "db": "database"}
"""Names of tables that are no more than a letter."""


@dataclass(frozen=True, eq=False)
class Roles:
    """The outcome; `queries` is None where the collection queries itself, or nobody says who queries.

    `is_by_rows`: only the rows of matrices say that the longer table holds the queries.
    """

    collection: LabelTable | None
    queries: LabelTable | None
    unused: tuple[LabelTable, ...] = ()
    is_sure: bool = True
    is_by_rows: bool = False


def choose_roles(material: Material, collection: LabelTable | None, queries: LabelTable | None) -> Roles:
    """Roles of the tables, from what the other files fit; names decide only where nothing else does.

    Parameters
    ----------
    material : all that was found.
    collection, queries : tables that somebody named; they keep their role.
    """
    tables = material.tables
    firsts = [collection] if collection is not None else tables
    seconds = [queries] if queries is not None else [None, *tables]
    as_collection = {id(table): _collection_score(table, material) for table in {*firsts} - {None}}
    as_queries = {id(table): _query_score(table, material) for table in {*tables, *firsts, *seconds} - {None}}
    best: tuple[float, ...] | None = None
    chosen: tuple[LabelTable | None, LabelTable | None] = (collection, queries)
    is_sure = True
    for first, second in product(firsts, seconds):
        if first is second or first is None:
            continue
        score = as_collection[id(first)] + as_queries[id(second if second is not None else first)]
        score += sum(_fit(found, first, second) for found in material.matrices)
        rank = (round(score, 3), second is None, len(first))
        if best is None or rank > best:
            is_sure = best is None or rank[0] > best[0]
            best, chosen = rank, (first, second)
        elif rank[0] == best[0] and first is not chosen[0]:
            is_sure = False
    unused = tuple(table for table in tables if table is not chosen[0] and table is not chosen[1])
    are_told = collection is not None or queries is not None
    return Roles(*chosen, unused, is_sure or len(unused) == 0, not are_told and _by_rows(*chosen, material))


def _by_rows(first: LabelTable | None, second: LabelTable | None, material: Material) -> bool:
    """Whether nothing but the rows of matrices says that the longer of two tables holds the queries."""
    if first is None or second is None or len(second) <= len(first) or _collection_score(first, material):
        return False
    return not _query_score(second, material) and any(_fit(found, first, second) > 1 for found in material.matrices)


def _fit(matrix: MatrixFile, first: LabelTable, second: LabelTable | None) -> float:
    """How a matrix fits a collection and its queries: 2 for both sides; less where it would fit only if turned.

    So one turned matrix says less than what the names of the tables say.
    """
    models, queries = len(first), len(second if second is not None else first)
    shape = matrix.values.shape
    if matrix.values.ndim == 1:
        return 2.0 * (shape[0] == models * queries)
    if shape == (queries, models):
        return 2.0
    if shape == (models, queries):
        return TURNED
    return ONE_SIDE * (shape[0] == queries or shape[1] == models)


def without_other_splits(table: LabelTable, material: Material) -> LabelTable:
    """The part of a table that the runs answer: models of other splits are no part of the collection.

    Where no run tells, the part called "test", which is what contests publish.
    """
    if table.splits is None or len(set(table.splits)) < 2:
        return table
    words = [set(_sampled(column)) for folder in material.lists for column in folder.sample.columns]
    parts = [_only(table, split) for split in sorted(set(table.splits), key=lambda split: split != "test")]
    return max(parts, key=lambda part: sum(len(found & set(part.ids)) for found in words))


def _only(table: LabelTable, split: str) -> LabelTable:
    keep = [place for place, name in enumerate(table.splits or ()) if name == split]
    message = f"{len(table):,} models in several splits"
    finding = Finding(
        Severity.INFO, str(table.path), None, message, f"the {len(keep):,} of '{split}' are the collection"
    )
    return replace(
        table,
        ids=tuple(table.ids[place] for place in keep),
        labels=table.labels[keep],
        splits=(split,) * len(keep),
        findings=(*table.findings, finding),
    )


def _collection_score(table: LabelTable, material: Material) -> float:
    index = IdIndex(table.ids)
    score = sum(max(index.share(_sampled(column)) for column in found.sample.columns) for found in material.lists)
    named = [*(found.models for found in material.tabled), *(found.models for found in material.qrels)]
    score += sum(index.share(_sampled(words)) for words in named)
    score += sum(index.share(_sampled(matrix.columns)) for matrix in material.named)
    score += index.share(_sampled([without_extension(path.name) for path in material.meshes]))
    return score + HINT * _hint(table.path, COLLECTION_WORDS, QUERY_WORDS)


def _query_score(table: LabelTable, material: Material) -> float:
    index = IdIndex(table.ids)
    score = sum(index.share(_sampled(found.names)) for found in material.lists)
    named = [*(found.queries for found in material.tabled), *(found.queries for found in material.qrels)]
    score += sum(index.share(_sampled(words)) for words in named)
    score += sum(index.share(_sampled(matrix.rows)) for matrix in material.named)
    return score + HINT * _hint(table.path, QUERY_WORDS, COLLECTION_WORDS)


def _hint(path: Path, wanted: re.Pattern[str], other: re.Pattern[str]) -> int:
    name = LETTERS.get(path.stem.lower(), path.stem)
    return bool(wanted.search(name)) - bool(other.search(name))


def _sampled(words: Sequence[str]) -> Sequence[str]:
    return words[:: max(1, len(words) // SAMPLE)]
