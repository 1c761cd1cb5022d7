"""Collection, queries and assessment that a run is read against."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Assessment, Benchmark, Collection, Queries
from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.core.ids import IdIndex, natural_key


@dataclass(frozen=True, eq=False)
class ReadContext:
    """Collection and queries that a run is read against, and the log for findings about it.

    Attributes
    ----------
    collection, queries : what ids and columns refer to.
    assessment : None if there is none; it selects between orders that fit equally well.
    findings_log : for the findings.
    items, query_ids : indices of their ids.
    listing : name of the order of the collection in findings.
    """

    collection: Collection
    queries: Queries
    assessment: Assessment | None
    findings_log: FindingsLog
    items: IdIndex
    query_ids: IdIndex
    listing: str = "the classification"

    @cached_property
    def models_with_file(self) -> NDArray[np.int32]:
        """Models that have a mesh or image, (n,) int32, in natural order of the file names."""
        found = [
            (natural_key(path.name), index) for index, path in enumerate(self.collection.paths) if path is not None
        ]
        return np.array([index for _, index in sorted(found)], np.int32)

    @cached_property
    def has_file(self) -> NDArray[np.bool_]:
        """(N,) bool, models that a complete list contains: those with a file, or all if none has one."""
        found = np.array([path is not None for path in self.collection.paths], bool)
        return found if found.any() else np.ones(len(found), bool)

    def no_query(self, words: Sequence[str]) -> str:
        """Example of an unknown query id for a message: ``, 'x1' for one, while 'Q1' is a query``."""
        return _id_example(words, self.queries.ids, "query")

    def no_model(self, words: Sequence[str]) -> str:
        """The same for a model."""
        return _id_example(words, self.collection.ids, "model")

    @property
    def n_listable(self) -> int:
        """Number of models in a complete list."""
        return int(self.has_file.sum())


def _id_example(words: Sequence[str], known: Sequence[str], noun: str) -> str:
    one = f", '{words[0]}' for one" if words else ""
    return f"{one}, while '{known[0]}' is a {noun}" if known else one


def read_context_of(benchmark: Benchmark, findings_log: FindingsLog) -> ReadContext:
    """The context of an open benchmark."""
    items, queries = IdIndex(benchmark.collection.ids), IdIndex(benchmark.queries.ids)
    listing = "the classification" if benchmark.classification is not None else "the collection"
    return ReadContext(
        benchmark.collection, benchmark.queries, benchmark.assessment, findings_log, items, queries, listing
    )
