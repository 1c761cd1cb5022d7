"""How far scores depend on the order of models at the same distance, which nobody decided."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.evaluation.scores import Scores


@dataclass(frozen=True, eq=False)
class TieRange:
    """The scores as the profile orders equal distances, and as well and as badly as they could be ordered.

    Attributes
    ----------
    actual, optimistic, pessimistic : scores of the same runs, queries and measures.
    """

    actual: Scores
    optimistic: Scores
    pessimistic: Scores

    def values(self) -> NDArray[np.float64]:
        """(2, R, Q, M) float64, lowest and highest value of each query; NaN where undefined or missing."""
        return self._between(lambda scores: scores.values)

    def mean(self) -> NDArray[np.float64]:
        """(2, R, M) float64, lowest and highest mean over queries."""
        return self._between(Scores.mean)

    def class_mean(self) -> NDArray[np.float64]:
        """(2, R, M) float64, lowest and highest mean over classes."""
        return self._between(Scores.class_mean)

    def _between(self, read: Callable[[Scores], NDArray[np.float64]]) -> NDArray[np.float64]:
        every = np.array([read(scores) for scores in (self.actual, self.optimistic, self.pessimistic)])
        return np.array([every.min(axis=0), every.max(axis=0)])
