"""Levels that the person sets for single queries on top of those that follow from the classes."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Assessment, Classification, PairAssessment
from shrec_viewer.formats.journal import Journal, count_of
from shrec_viewer.formats.manifest import MANIFEST_NAME, Levels
from shrec_viewer.formats.naming import IdIndex


def with_levels(
    assessment: Assessment,
    levels: Levels,
    tree: Classification,
    queries: IdIndex,
    items: IdIndex,
    journal: Journal,
) -> PairAssessment:
    """An assessment, written out in pairs, with the levels that some queries have for some classes or models.

    A name that is both a class and a model means the class. What means nothing is an error finding.
    """
    chosen: dict[int, dict[str, int]] = {}
    file = journal.root / MANIFEST_NAME
    for name, wanted in levels.items():
        query = queries.place(name)
        if query < 0:
            journal.error(file, f"levels are set for '{name}', which is no query", "left out")
        else:
            chosen.setdefault(query, {}).update(wanted)
    found = []
    changed = 0
    for query in range(len(assessment)):
        own, level = assessment.relevant(query)
        if query in chosen:
            dense = np.zeros(len(items), np.uint8)
            dense[own] = level
            before = dense.copy()
            _set(dense, chosen[query], tree, items, queries.ids[query], journal)
            changed += int((dense != before).sum())
            own = np.flatnonzero(dense).astype(np.int32)
            level = dense[own]
        found.append((own, level))
    if chosen:
        message = f"{count_of(len(chosen), 'query has', 'queries have')} levels of its own in {MANIFEST_NAME}"
        journal.info(file, message.replace("its", "their" if len(chosen) > 1 else "its"), f"{changed:,} levels changed")
    indptr = np.concatenate([[0], np.cumsum([len(own) for own, _ in found])]).astype(np.int64)
    return PairAssessment(indptr, np.concatenate([own for own, _ in found]), np.concatenate([lv for _, lv in found]))


def _set(
    dense: NDArray[np.uint8],
    wanted: Mapping[str, int],
    tree: Classification,
    items: IdIndex,
    query: str,
    journal: Journal,
) -> None:
    for name, level in wanted.items():
        if name in tree.names:
            dense[tree.members(tree.names.index(name))] = level
        elif (place := items.place(name)) >= 0:
            dense[place] = level
        else:
            message = f"'{query}' has a level for '{name}', which is no class and no model"
            journal.error(journal.root / MANIFEST_NAME, message, "left out")
