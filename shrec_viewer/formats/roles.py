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
from shrec_viewer.formats.territory import QUERY_WORDS

COLLECTION_WORDS = re.compile(r"model|target|dataset|database|collection|gallery|(?<![a-z])cad", re.IGNORECASE)
"""Parts of names that contests give to collections: `SHREC13_SBR_Model.cla`, `datasetCulture.cla`, `targets.csv`."""

SAMPLE = 200
"""Words of a file that are looked up to see whose ids they are."""

HINT = 0.5
"""Weight of a name against one file that fits: it decides only where no content does."""


@dataclass(frozen=True, eq=False)
class Roles:
    """The outcome; `queries` is None where the collection queries itself, or nobody says who queries."""

    collection: LabelTable | None
    queries: LabelTable | None
    unused: tuple[LabelTable, ...] = ()
    is_sure: bool = True


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
        if second is not None:
            score += 2 * sum(found.values.shape == (len(first) * len(second),) for found in material.matrices)
        rank = (round(score, 3), second is None, len(first))
        if best is None or rank > best:
            is_sure = best is None or rank[0] > best[0]
            best, chosen = rank, (first, second)
        elif rank[0] == best[0] and first is not chosen[0]:
            is_sure = False
    unused = tuple(table for table in tables if table is not chosen[0] and table is not chosen[1])
    return Roles(*chosen, unused, is_sure or len(unused) == 0)


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
    score += sum(matrix.values.shape[-1] == _length(matrix, table) for matrix in material.matrices)
    score += index.share(_sampled([without_extension(path.name) for path in material.meshes]))
    return score + HINT * _hint(table.path, COLLECTION_WORDS, QUERY_WORDS)


def _query_score(table: LabelTable, material: Material) -> float:
    index = IdIndex(table.ids)
    score = sum(index.share(_sampled(found.names)) for found in material.lists)
    named = [*(found.queries for found in material.tabled), *(found.queries for found in material.qrels)]
    score += sum(index.share(_sampled(words)) for words in named)
    score += sum(index.share(_sampled(matrix.rows)) for matrix in material.named)
    score += sum(matrix.values.shape[0] == _length(matrix, table) for matrix in material.matrices)
    return score + HINT * _hint(table.path, QUERY_WORDS, COLLECTION_WORDS)


def _length(matrix: MatrixFile, table: LabelTable) -> int:
    """Length of a side, or of all values where nobody said where a row ends."""
    return len(table) ** (3 - matrix.values.ndim)


def _hint(path: Path, wanted: re.Pattern[str], other: re.Pattern[str]) -> int:
    return bool(wanted.search(path.stem)) - bool(other.search(path.stem))


def _sampled(words: Sequence[str]) -> Sequence[str]:
    return words[:: max(1, len(words) // SAMPLE)]
