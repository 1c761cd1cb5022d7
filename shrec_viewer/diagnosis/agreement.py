"""Agreement of the decisions of two assessors about the same pairs or labels."""

from collections.abc import Mapping
from dataclasses import dataclass

from shrec_viewer.metrics.statistics.agreement import cohen_kappa

Decisions = Mapping[tuple[str, str], int]
"""Level by ids of query and model."""


@dataclass(frozen=True)
class AssessorAgreement:
    """Agreement of two assessors.

    Attributes
    ----------
    number : pairs that both assessed.
    kappa, weighted_kappa : Cohen's kappa, plain and with linear weights; NaN where undefined.
    differences : pairs with both levels, where they differ.
    """

    number: int
    kappa: float
    weighted_kappa: float
    differences: tuple[tuple[tuple[str, str], int, int], ...]


def compare_assessors(first: Decisions, second: Decisions) -> AssessorAgreement:
    """Compare the decisions about the pairs that both have.

    Examples
    --------
    >>> found = compare_assessors({("q", "a"): 0, ("q", "b"): 2}, {("q", "a"): 1, ("q", "b"): 2, ("q", "c"): 0})
    >>> found.number, found.differences
    (2, ((('q', 'a'), 0, 1),))
    """
    common = [pair for pair in first if pair in second]
    ours, theirs = [first[pair] for pair in common], [second[pair] for pair in common]
    differences = [(pair, a, b) for pair, a, b in zip(common, ours, theirs, strict=True) if a != b]
    return AssessorAgreement(
        len(common), cohen_kappa(ours, theirs), cohen_kappa(ours, theirs, "linear"), tuple(differences)
    )
