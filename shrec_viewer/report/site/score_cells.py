"""Scores as cells of tables: text, rank among the runs, and marks of the best ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.evaluation.comparison.leaderboards import ranks_of
from shrec_viewer.evaluation.score_tables import is_count
from shrec_viewer.metrics import ResolvedMeasure
from shrec_viewer.number_format import format_value


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


def score_cells(values: NDArray[np.float64], measures: Sequence[ResolvedMeasure]) -> list[list[ScoreCell]]:
    """Cells of scores (R, M), ranked in each column."""
    columns = []
    for numbers, measure in zip(values.T, measures, strict=True):
        counted, ranks = is_count(measure, numbers), np.zeros(len(numbers), np.int64)
        if measure.better != "none" and len(numbers) > 1:
            ranks = np.where(np.isnan(numbers), 0, ranks_of(-numbers if measure.better == "lower" else numbers))
        columns.append(
            [
                ScoreCell(value, format_value(value, counted=counted), rank)
                for value, rank in zip(numbers.tolist(), ranks.tolist(), strict=True)
            ]
        )
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in values]
