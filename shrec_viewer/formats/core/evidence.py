"""Ranks of relevant models under one reading of a run, and which of several readings is clearly the best."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.number_format import format_fixed, format_percent

#: Minimum number of queries to compare readings.
MIN_QUERIES = 4

#: Standard errors by which a reading must be better than chance, or than another: p = 1/30,000.
CLEAR_Z = 4.0

#: Standard errors by which a reading that is better than chance must be better than the others: p = 1/700.
#:
#: Lower than `CLEAR_Z`, because similar readings, such as two orders of the rows, differ little for few queries.
CLEAR_Z_BETWEEN = 3.0


@dataclass(frozen=True, eq=False)
class RankEvidence:
    """Ranks of relevant models in a sample of the lists.

    Attributes
    ----------
    shares : (Q,) float64, share of the models that are not relevant before a relevant one, the query itself aside: 0
        best, 0.5 by chance; NaN for queries that are not in the sample, have no list, no relevant model or no other.
    precision : mean average precision of the sample, with the expected ranks of tied models; NaN if it is empty.
    """

    shares: NDArray[np.float64]
    precision: float

    @property
    def n_lists(self) -> int:
        """Number of lists with relevant models in the sample."""
        return int(np.count_nonzero(~np.isnan(self.shares)))

    @property
    def mean(self) -> float:
        """Mean relative rank; 0.5, as by chance, if nothing is known."""
        return 0.5 if np.isnan(self.shares).all() else float(np.nanmean(self.shares))

    @property
    def text(self) -> str:
        """Average precision in parentheses, to follow the description of a reading; "" if nothing is known."""
        return f" (AP {format_fixed(self.precision, 3)})" if self.n_lists else ""

    @property
    def mean_text(self) -> str:
        """Mean relative rank and average precision."""
        return f"{format_percent(self.mean, 1)}{self.text}"


def z_score(shares: NDArray[np.float64], against: NDArray[np.float64] | float = 0.5) -> float:
    """Paired z score of `RankEvidence.shares` against others or chance; positive if `shares` are smaller."""
    differences = against - shares
    differences = differences[~np.isnan(differences)]
    if len(differences) < MIN_QUERIES:
        return 0.0
    # Not 0 where all differences are equal, as for a perfect run.
    error = max(float(np.std(differences)) / len(differences) ** 0.5, 1e-6)
    return float(np.mean(differences)) / error


def clearly_best(evidence: Sequence[RankEvidence], least: float = CLEAR_Z_BETWEEN) -> int | None:
    """Index of the reading that is better than chance and than each other one; None if none is.

    Paired by query: difficult queries have high ranks in every reading, which would hide the difference of the means.

    Parameters
    ----------
    least : standard errors by which it must be better than the others.
    """
    best = min(range(len(evidence)), key=lambda index: evidence[index].mean)
    shares = evidence[best].shares
    others = (other for index, other in enumerate(evidence) if index != best)
    is_clear = z_score(shares) > CLEAR_Z and all(z_score(shares, other.shares) > least for other in others)
    return best if is_clear else None
