"""The hit table: the ranks at which relevant models stand, and all that a measure may see."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class HitTable:
    """Where the relevant models of each query stand in one run's lists, as compressed sparse rows.

    5,000 queries over 50,000 models are 1.3 MB of hits against 1 GB of ranked models.

    Attributes
    ----------
    indptr : (Q + 1,) int64; the hits of query q are ``indptr[q]:indptr[q + 1]``.
    ranks : (nnz,) int32, 1-based, strictly ascending within a query.
    levels : (nnz,) uint8, relevance level of each hit, all above 0.
    list_length : (Q,) int64, length of each list after clean-up (Va); 0 where the query is missing or the list empty.
    class_sizes : (Q, L) int64; column l - 1 counts the models of level l **in the truth**, found or not, without the
        query itself where the profile leaves it out. L is the highest level of the assessment, at least 1.
    collection_size : (Q,) int64, models that could be returned (Ds; one less where the query itself is left out).
    missing : (Q,) bool, the run has no answer to the query at all.

    Source: METRICS.md, "Sparse form"; SHREC 2006 report, section 4 for the names Va, Ch, Cr, Ds.
    """

    indptr: NDArray[np.int64]
    ranks: NDArray[np.int32]
    levels: NDArray[np.uint8]
    list_length: NDArray[np.int64]
    class_sizes: NDArray[np.int64]
    collection_size: NDArray[np.int64]
    missing: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.list_length)

    @property
    def highest_level(self) -> int:
        """Highest level the truth can give."""
        return self.class_sizes.shape[1]

    def relevant_size(self, level: int = 1) -> NDArray[np.int64]:
        """(Q,) int64, number of models in the truth with at least `level` (C_t: Cr for 1, Ch for 2)."""
        return self.class_sizes[:, level - 1 :].sum(axis=1)
