"""Options of the user for reading a run: what its reader chose and why, and what each other option would give."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import DistanceMatrix
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import BY_NAME, BY_NEAREST, CELL_VALUES, MATRIX_ORDERS, ReadOptions
from shrec_viewer.formats.io.text import is_number
from shrec_viewer.formats.matrices.interpretation import (
    CLEAR_Z,
    DISTANCE_CELLS,
    MODEL_NUMBER_CELLS,
    MatrixOrder,
    permutation_base,
    possible_orders,
    relevant_rank_shares,
    z_score,
)
from shrec_viewer.formats.matrices.matrix_runs import OWN_VALUE_LARGEST, MatrixReading, is_own_value_largest
from shrec_viewer.formats.runs.checks import LIST_CHECKS, CheckedList, are_similarities, check_descending
from shrec_viewer.formats.runs.rank_list import UNDECIDED_COLUMNS, RankListFile
from shrec_viewer.formats.runs.rank_list_folder import RankListDialect
from shrec_viewer.formats.runs.trec import TrecFile
from shrec_viewer.number_format import format_percent


@dataclass(frozen=True)
class QuestionOption:
    """One option of a question: key, label, text about the result it would have, and whether it can be chosen."""

    key: str
    label: str
    outcome: str
    is_available: bool = True


@dataclass(frozen=True)
class Question:
    """An aspect of a file that can be interpreted in several ways.

    Attributes
    ----------
    key : field of `ReadOptions` that settles it.
    label : title of the question.
    options : the possible interpretations.
    chosen : key of the option that the preview shows; "" for none.
    is_sure : True if determined by the content or set by the user, False for a guess.
    reason : reason for `chosen`; "" for none.
    """

    key: str
    label: str
    options: tuple[QuestionOption, ...]
    chosen: str
    is_sure: bool
    reason: str = ""


SET_EXPLICITLY = "set explicitly"
"""`Question.reason` of an option that the user or benchmark.toml chose."""

LABELS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "columns": (
        "Columns",
        {"id distance": "Model, then distance", "distance id": "Distance, then model", "id": "Model only"},
    ),
    "similarity": (
        "Direction",
        {"false": "Distances (smaller = more similar)", "true": "Similarities (larger = more similar)"},
    ),
    "query_line": ("First line", {"true": "The name of the query", "false": "The first result"}),
    "cells": (
        "Cell values",
        {
            "distances": "Distances, or ranks of the models",
            "models from 1": "Model numbers from 1, best first",
            "models from 0": "Model numbers from 0, best first",
        },
    ),
    "order": (
        "Row and column order",
        {
            "classification": "Order of the classification",
            "names": "Natural order of the ids",
            "numbers": "Numeric order of the ids",
        },
    ),
    "queries_by": (
        "Query of each row or list",
        {
            BY_NAME: "The one that the order, ids or file names give",
            BY_NEAREST: "The one that is nearest in it",
        },
    ),
}
"""Title of the question about each field of `ReadOptions`, and the label of each value, in display order."""


def question_about(
    key: str,
    options: ReadOptions,
    chosen: str,
    outcomes: Mapping[str, str],
    reason: str = "",
    *,
    is_sure: bool = False,
    unavailable: Collection[str] = (),
) -> Question:
    """The question about a field of `ReadOptions`, which is settled if the field is set.

    Parameters
    ----------
    outcomes : text about the result of each value of the field.
    unavailable : values that cannot be chosen.
    """
    title, labels = LABELS[key]
    is_set = getattr(options, key) is not None
    choices = (QuestionOption(at, label, outcomes[at], at not in unavailable) for at, label in labels.items())
    return Question(key, title, tuple(choices), chosen, is_set or is_sure, SET_EXPLICITLY if is_set else reason)


def _direction(
    options: ReadOptions, *, is_similarity: bool, outcomes: Sequence[str] = ("", ""), reason: str = "", is_sure: bool
) -> Question:
    chosen, named = str(is_similarity).lower(), {"false": outcomes[0], "true": outcomes[1]}
    return question_about("similarity", options, chosen, named, reason, is_sure=is_sure)


def direction_of_scores(run: TrecFile, options: ReadOptions) -> Question:
    """Which scores of a list of pairs are more similar."""
    is_similarity = run.nearer == "larger" if options.similarity is None else options.similarity
    against = ", against the format" if not run.title else ""
    outcomes = (f"the smallest score comes first{against}", "the largest score comes first")
    reason = "defined by the format" if run.has_direction else "no header names the third column"
    return _direction(options, is_similarity=is_similarity, outcomes=outcomes, reason=reason, is_sure=run.has_direction)


def columns_question(
    lists: Sequence[RankListFile], dialect: RankListDialect, context: ReadContext, options: ReadOptions
) -> Question | None:
    """Which column of some lists has the ids; None for lists of ids."""
    pairs = [found for found in lists if len(found.columns) == 2]
    if not pairs:
        return None
    ids = [_known_ids_text([word for found in pairs for word in found.columns[at]], context) for at in (0, 1)]
    outcomes = {"id distance": ids[0], "distance id": ids[1], "id": f"{ids[0]}; second column ignored"}
    chosen = dialect.columns or ("id distance", "distance id")[dialect.column]
    is_sure = dialect.reason != UNDECIDED_COLUMNS
    return question_about("columns", options, chosen, outcomes, dialect.reason, is_sure=is_sure)


def _known_ids_text(words: Sequence[str], context: ReadContext) -> str:
    if len(context.collection):
        known = int((context.items.indices_of(words) >= 0).sum())
        return f"{known:,} of {count_of(len(words), 'id')} are models of the collection"
    return "numbers" if all(map(is_number, words)) else f"names such as '{words[0]}'"


def direction_of_lists(
    lists: Sequence[RankListFile], checked: Sequence[CheckedList], options: ReadOptions
) -> Question | None:
    """Which numbers of some lists are more similar; None if they have none or it is ignored."""
    if options.columns == "id" or all(len(found.columns) < 2 for found in lists):
        return None
    is_descending = are_similarities(dict(enumerate(checked)))
    check = LIST_CHECKS.index(check_descending)
    is_ascending = any(found.is_descending is not None for found in checked) and not any(
        found.faults[check] for found in checked
    )
    reason = "numbers in descending order" if is_descending else "numbers in ascending order" if is_ascending else ""
    return _direction(
        options,
        is_similarity=is_descending if options.similarity is None else options.similarity,
        outcomes=("ranked in the order of the lines",) * 2,
        reason=reason,
        is_sure=bool(reason),
    )


def query_line_question(
    lists: Sequence[RankListFile], checked: Sequence[CheckedList], context: ReadContext, options: ReadOptions
) -> Question | None:
    """Whether the first lines are queries; None if no list of models without numbers starts with its query."""
    find = context.query_ids.index_of
    for found, result in zip(lists, checked, strict=True):
        first = found.columns[0][0] if len(found.columns) == 1 and len(found.columns[0]) else ""
        if first and 0 <= find(first) == find(found.path.name):
            is_name = result.name is not None
            outcomes = {"true": "ranks start at the second line", "false": "ranks start at the first line"}
            reason = f"the query {'occurs' if is_name else 'does not occur'} again below"
            return question_about("query_line", options, str(is_name).lower(), outcomes, reason, is_sure=True)
    return None


def direction_of_matrix(reading: MatrixReading | None, context: ReadContext, options: ReadOptions) -> Question:
    """Which values of a matrix are more similar; a guess if it was not read for a benchmark."""
    if reading is None:
        return _direction(options, is_similarity=bool(options.similarity), is_sure=False)
    ranking, order = reading.ranking, reading.order
    outcomes, is_sure, reason = ("", ""), False, ""
    shares = _rank_shares(ranking, order, context)
    if shares is not None:
        own = float(np.nanmean(shares))
        outcomes = (_rank_text(own), _rank_text(1 - own))
        outcomes = outcomes[::-1] if ranking.similarity else outcomes
        z = z_score(shares)
        is_sure, reason = z > CLEAR_Z, _rank_text(own)
        if z < -CLEAR_Z:
            reason = "relevant models rank worse than by chance; they rank better in the other direction"
        elif not is_sure:
            reason = "neither direction is significantly better than chance"
    if ranking.similarity and not is_sure and is_own_value_largest(ranking.values, order, context):
        reason = OWN_VALUE_LARGEST
    return _direction(options, is_similarity=ranking.similarity, outcomes=outcomes, reason=reason, is_sure=is_sure)


def matrix_questions(reading: MatrixReading, context: ReadContext, options: ReadOptions) -> list[Question]:
    """What the values of a matrix without ids mean, if they could be model numbers, and the order of its columns."""
    return [*_cells_question(reading, options), _order_question(reading, context, options)]


def _cells_question(reading: MatrixReading, options: ReadOptions) -> list[Question]:
    base = permutation_base(reading.numbers)
    if base is None:
        return []
    is_ranked = reading.ranking.values is not reading.numbers
    misfit = f"the numbers begin with {base}"
    outcomes = dict.fromkeys(CELL_VALUES, misfit) | {
        DISTANCE_CELLS: "smaller = more similar",
        MODEL_NUMBER_CELLS[base]: "",
    }
    return [
        question_about(
            "cells",
            options,
            MODEL_NUMBER_CELLS[base] if is_ranked else DISTANCE_CELLS,
            outcomes,
            f"each row is a permutation of the numbers from {base}",
            unavailable=(MODEL_NUMBER_CELLS[1 - base],),
        )
    ]


def _order_question(reading: MatrixReading, context: ReadContext, options: ReadOptions) -> Question:
    ranking, order = reading.ranking, reading.order
    shape = (len(ranking.values), len(ranking.columns))
    outcomes = dict.fromkeys(MATRIX_ORDERS, f"does not fit {count_of(shape[1], 'column')}")
    fitting = {key: orders[0] for key in MATRIX_ORDERS if (orders := possible_orders(shape, context, key))}
    for key, found in fitting.items():
        shares = _rank_shares(ranking, found, context)
        ranks = "" if shares is None else f"; {_rank_text(float(np.nanmean(shares)))}"
        outcomes[key] = f"{found.description}{ranks}"
    single = "the orders that fit are the same" if len(fitting) > 1 else "only one order fits"
    unavailable = set(MATRIX_ORDERS) - set(fitting)
    return question_about(
        "order",
        options,
        order.key,
        outcomes,
        order.reason or single,
        is_sure=order.is_sure,
        unavailable=unavailable,
    )


def _rank_shares(ranking: DistanceMatrix, order: MatrixOrder, context: ReadContext) -> NDArray[np.float64] | None:
    """See `relevant_rank_shares`; None without relevant models."""
    if context.assessment is None:
        return None
    shares = relevant_rank_shares(ranking.values, order, context.assessment, context.queries.member)
    return None if np.isnan(shares).all() else 1 - shares if ranking.similarity else shares


def _rank_text(share: float) -> str:
    return f"mean relative rank of relevant models: {format_percent(share, 1)}"
