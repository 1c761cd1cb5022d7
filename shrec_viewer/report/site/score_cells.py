"""Scores as cells of tables: text, rank among the runs, and marks of the best ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf, isnan

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics import ResolvedMeasure
from shrec_viewer.number_format import format_value

TOLERANCE = 1e-12
"""Scores that differ by less have the same rank; `evaluate` marks the best ones in the same way."""


@dataclass(frozen=True)
class ScoreCell:
    """A score in a table.

    Attributes
    ----------
    value : in full precision; NaN undefined.
    text : for display.
    rank : among the runs, 1 for the best, equal ones share it; 0 if undefined, for a single run, and for measures
        without a direction.
    """

    value: float
    text: str
    rank: int = 0

    @property
    def mark(self) -> str:
        """CSS class: best, second best, or none."""
        return {1: "best", 2: "second"}.get(self.rank, "")


def is_count(measure: ResolvedMeasure, values: NDArray[np.float64]) -> bool:
    """Whether all values of a measure are whole numbers that are not shares."""
    defined = values[~np.isnan(values)]
    return isinf(measure.range[1]) and bool(np.all(defined == np.floor(defined)))


def score_cells(values: NDArray[np.float64], measures: Sequence[ResolvedMeasure]) -> list[list[ScoreCell]]:
    """Cells of scores (R, M), ranked in each column."""
    columns = []
    for column, measure in enumerate(measures):
        numbers, counted = values[:, column], is_count(measure, values[:, column])
        ranks = score_ranks(numbers, measure)
        columns.append(
            [
                ScoreCell(float(number), format_value(float(number), counted=counted), rank)
                for number, rank in zip(numbers, ranks, strict=True)
            ]
        )
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in values]


def score_ranks(values: NDArray[np.float64], measure: ResolvedMeasure) -> list[int]:
    """Rank of each score; see `ScoreCell.rank`."""
    if measure.better == "none" or len(values) < 2:
        return [0] * len(values)
    sign = 1.0 if measure.better == "lower" else -1.0
    order = np.argsort(sign * values, kind="stable")
    ranks = [0] * len(values)
    for place, index in enumerate(order):
        if isnan(values[index]):
            break
        before = order[place - 1] if place else None
        tied = before is not None and abs(values[index] - values[before]) <= TOLERANCE
        ranks[index] = ranks[before] if tied and before is not None else place + 1
    return ranks
