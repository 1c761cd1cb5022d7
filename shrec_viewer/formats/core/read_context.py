"""Collection, queries and assessment that a run is read against."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Assessment, Benchmark, Collection, Queries
from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.core.ids import IdIndex, natural_order, trailing_numbers
from shrec_viewer.read_only import shared_array


@dataclass(frozen=True, eq=False)
class ReadContext:
    """Collection and queries that a run is read against, and the log for findings about it.

    Attributes
    ----------
    collection, queries : what ids and columns refer to.
    assessment : relevance levels, which select between orders that fit equally well; None if there are none.
    findings_log : log to which findings are added.
    items, query_ids : look-up of model ids and of query ids.
    order_source : text for findings on what defines the order of the collection.
    fixed_order : key of the order of matrices in the contest whose profile was chosen explicitly; "" for none.
    """

    collection: Collection
    queries: Queries
    assessment: Assessment | None
    findings_log: FindingsLog
    items: IdIndex
    query_ids: IdIndex
    order_source: str = "the classification"
    fixed_order: str = ""

    @shared_array
    def models_with_file(self) -> NDArray[np.int32]:
        """Models with a mesh or image, (n,) int32, in natural order of file names, or of paths if names repeat."""
        found = np.flatnonzero(self.collection.has_file)
        paths = self.collection.paths
        files = [path for index in found.tolist() if (path := paths[index]) is not None]
        names = [path.name for path in files]
        if len(set(names)) < len(names):  # a folder per model: `chair/1/model.obj`
            names = [path.as_posix() for path in files]
        return found[natural_order(names)].astype(np.int32)

    @property
    def n_models_with_file(self) -> int:
        """Number of models that have a mesh or image."""
        return int(self.collection.has_file.sum())

    @shared_array
    def id_order(self) -> NDArray[np.int32]:
        """Models in natural order of their ids, (N,) int32."""
        return natural_order(self.collection.ids)

    @cached_property
    def id_numbers(self) -> NDArray[np.int64] | None:
        """See `trailing_numbers` of the models."""
        return trailing_numbers(self.collection.ids)

    @shared_array
    def query_of_model(self) -> NDArray[np.int32]:
        """(N + 1,) int32, the query that each model is, or -1; the last element serves -1, columns without model."""
        found = np.full(len(self.collection) + 1, -1, np.int32)
        members = np.flatnonzero(self.queries.member >= 0)
        found[self.queries.member[members]] = members
        return found

    @shared_array
    def is_listable(self) -> NDArray[np.bool_]:
        """(N,) bool, models that a complete list must contain: those with a file, or all if no model has a file."""
        found = self.collection.has_file
        return found if found.any() else np.ones(len(found), bool)

    def unknown_query_example(self, ids: Sequence[str]) -> str:
        """Example of an unknown query id for a message: ``, for example 'x1', while 'Q1' is a query``."""
        return _id_example(ids, self.query_ids, "query")

    def unknown_model_example(self, ids: Sequence[str]) -> str:
        """Example of an unknown model id for a message; see `unknown_query_example`."""
        return _id_example(ids, self.items, "model")

    @property
    def n_listable(self) -> int:
        """Number of models in a complete list."""
        return int(self.is_listable.sum())


def _id_example(ids: Sequence[str], known: IdIndex, item_name: str) -> str:
    example = f", for example '{ids[0]}'" if ids else ""
    return f"{example}, while '{known.ids[0]}' is a {item_name}{known.notation_hint(ids)}" if len(known) else example


def read_context_of(benchmark: Benchmark, findings_log: FindingsLog) -> ReadContext:
    """The context of an open benchmark."""
    items, queries = IdIndex(benchmark.collection.ids), IdIndex(benchmark.queries.ids)
    order_source = "the classification" if benchmark.classification is not None else "the collection"
    return ReadContext(
        benchmark.collection, benchmark.queries, benchmark.assessment, findings_log, items, queries, order_source
    )
