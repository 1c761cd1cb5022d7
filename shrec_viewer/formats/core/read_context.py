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
    """Collection and queries that a run answers, and the journal for what is noticed about it.

    Attributes
    ----------
    collection, queries : what ids and columns refer to.
    assessment : the truth, where there is one; it decides between orders that fit alike.
    journal : takes the findings.
    items, query_ids : look-ups of their ids.
    listing : what the order of the collection is the order of, for sentences.
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
        """Models that have a mesh or picture, in natural order of the files' names."""
        found = [
            (natural_key(path.name), place) for place, path in enumerate(self.collection.paths) if path is not None
        ]
        return np.array([place for _, place in sorted(found)], np.int32)

    @cached_property
    def has_file(self) -> NDArray[np.bool_]:
        """(N,) bool, models that a complete list names: those with a file, or all where none has one."""
        found = np.array([path is not None for path in self.collection.paths], bool)
        return found if found.any() else np.ones(len(found), bool)

    def no_query(self, words: Sequence[str]) -> str:
        """Half a sentence that sets a word of a run beside a query: ``'x1' for one, while 'Q1' is a query``."""
        return _id_example(words, self.queries.ids, "query")

    def no_model(self, words: Sequence[str]) -> str:
        """The same for a model."""
        return _id_example(words, self.collection.ids, "model")

    @property
    def n_listable(self) -> int:
        """How many models a complete list names."""
        return int(self.has_file.sum())


def _id_example(words: Sequence[str], known: Sequence[str], noun: str) -> str:
    one = f", '{words[0]}' for one" if words else ""
    return f"{one}, while '{known[0]}' is a {noun}" if known else one


def read_context_of(benchmark: Benchmark, findings_log: FindingsLog) -> ReadContext:
    """What a run of an open benchmark is read against."""
    items, queries = IdIndex(benchmark.collection.ids), IdIndex(benchmark.queries.ids)
    listing = "the classification" if benchmark.classification is not None else "the collection"
    return ReadContext(
        benchmark.collection, benchmark.queries, benchmark.assessment, findings_log, items, queries, listing
    )
