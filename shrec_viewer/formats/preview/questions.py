"""Options of the user for reading a run: what its reader chose and why, and what each other option would give."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import DistanceMatrix
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.core.rank_evidence import matrix_keys, rank_evidence, z_score
from shrec_viewer.formats.core.read_choices import BY_NAME, BY_NEAREST, MATRIX_ORDERS, VECTOR_CELLS
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.io.text import is_number
from shrec_viewer.formats.matrices.interpretation import (
    CLEAR_Z,
    DISTANCE_CELLS,
    MODEL_NUMBER_CELLS,
    MatrixOrder,
    permutation_base,
    possible_orders,
)
from shrec_viewer.formats.matrices.matrix import MatrixFile
from shrec_viewer.formats.matrices.matrix_runs import OWN_VALUE_LARGEST, MatrixReading, is_own_value_largest
from shrec_viewer.formats.matrices.vectors import METRIC_TABLE, find_vectors
from shrec_viewer.formats.runs.checks import DESCENDING, CheckedList, are_similarities
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


#: `Question.reason` of an option that the user or benchmark.toml chose.
SET_EXPLICITLY = "set explicitly"

#: Title of the question about each field of `ReadOptions`, and the label of each value, in display order.
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
            "vectors": "Feature vectors, one in each row",
        },
    ),
    "order": (
        "Row and column order",
        {
            "classification": "Order of the classification",
            "names": "Natural order of the ids",
            "numbers": "Numeric order of the ids",
            "characters": "Order of the ids by their characters",
        },
    ),
    "metric": ("Metric of feature vectors", {key: metric.label for key, metric in METRIC_TABLE.items()}),
    "queries_by": (
        "Query of each row or list",
        {
            BY_NAME: "The one that the order, ids or file names give",
            BY_NEAREST: "The one that is nearest in it",
        },
    ),
}


def question_about(
    key: str,
    options: ReadOptions,
    chosen: str | bool,
    outcomes: Mapping[str, str],
    reason: str = "",
    *,
    is_sure: bool = False,
    misfit: str = "",
) -> Question:
    """The question about a field of `ReadOptions`, which is settled if the field is set.

    Parameters
    ----------
    outcomes : text about the result of each value of the field that can be chosen.
    misfit : why the other values cannot be chosen.
    """
    title, labels = LABELS[key]
    is_set = getattr(options, key) is not None
    choices = tuple(QuestionOption(at, label, outcomes.get(at, misfit), at in outcomes) for at, label in labels.items())
    return Question(key, title, choices, str(chosen).lower(), is_set or is_sure, SET_EXPLICITLY if is_set else reason)


def direction_of_scores(run: TrecFile, options: ReadOptions) -> Question:
    """Which scores of a list of pairs are more similar."""
    is_similarity = run.nearer == "larger" if options.similarity is None else options.similarity
    against = "" if run.title else ", against the format"
    outcomes = {"false": f"the smallest score comes first{against}", "true": "the largest score comes first"}
    reason = "defined by the format" if run.has_direction else "no header names the third column"
    return question_about("similarity", options, is_similarity, outcomes, reason, is_sure=run.has_direction)


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
    is_ascending = any(found.is_descending is not None for found in checked) and not any(
        DESCENDING in found.faults for found in checked
    )
    reason = "numbers in descending order" if is_descending else "numbers in ascending order" if is_ascending else ""
    is_similarity = is_descending if options.similarity is None else options.similarity
    outcomes = dict.fromkeys(("false", "true"), "ranked in the order of the lines")
    return question_about("similarity", options, is_similarity, outcomes, reason, is_sure=bool(reason))


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
            return question_about("query_line", options, is_name, outcomes, reason, is_sure=True)
    return None


def direction_of_matrix(reading: MatrixReading | None, context: ReadContext, options: ReadOptions) -> Question:
    """Which values of a matrix are more similar; a guess if it was not read for a benchmark."""
    if reading is None:
        return question_about("similarity", options, bool(options.similarity), {"false": "", "true": ""})
    ranking, order = reading.ranking, reading.order
    own, other, is_sure, reason = "", "", False, ""
    shares = _rank_shares(ranking, order, context)
    if shares is not None:
        own, other = (_rank_text(share) for share in (np.nanmean(shares), 1 - np.nanmean(shares)))
        z = z_score(shares)
        is_sure, reason = z > CLEAR_Z, own
        if z < -CLEAR_Z:
            reason = "relevant models rank worse than by chance; they rank better in the other direction"
        elif not is_sure:
            reason = "neither direction is significantly better than chance"
    if ranking.similarity and not is_sure and is_own_value_largest(ranking.values, order, context):
        reason = OWN_VALUE_LARGEST
    outcomes = {"false": other, "true": own} if ranking.similarity else {"false": own, "true": other}
    return question_about("similarity", options, ranking.similarity, outcomes, reason, is_sure=is_sure)


def metric_question(reading: MatrixReading, options: ReadOptions) -> Question:
    """The metric of feature vectors."""
    outcomes = {
        key: f"{'larger' if metric.is_similarity else 'smaller'} = more similar" for key, metric in METRIC_TABLE.items()
    }
    return question_about("metric", options, reading.ranking.metric, outcomes, "the usual one")


def cells_question(
    file: MatrixFile, reading: MatrixReading, context: ReadContext, options: ReadOptions
) -> Question | None:
    """What the values of a matrix without ids mean; None if they can only be distances."""
    can_be_vectors = bool(find_vectors(file, context, VECTOR_CELLS))
    base = None if reading.ranking.metric else permutation_base(reading.numbers)
    if base is None and not can_be_vectors:
        return None
    is_other_shape = bool(reading.ranking.metric and find_vectors(file, context))
    outcomes = {} if is_other_shape else {DISTANCE_CELLS: "smaller = more similar"}
    chosen, reason, misfit = DISTANCE_CELLS, "the values are no model numbers", "does not fit the values"
    if base is not None:
        model_numbers = MODEL_NUMBER_CELLS[base]
        chosen = DISTANCE_CELLS if reading.ranking.values is reading.numbers else model_numbers
        outcomes[model_numbers] = ""
        reason, misfit = f"each row is a permutation of the numbers from {base}", f"does not fit numbers from {base} on"
    if can_be_vectors:
        outcomes[VECTOR_CELLS] = "distances are computed with a metric"
    if reading.ranking.metric:
        chosen, reason = VECTOR_CELLS, "a row for each model"
    return question_about("cells", options, chosen, outcomes, reason, is_sure=base is None, misfit=misfit)


def order_question(reading: MatrixReading, context: ReadContext, options: ReadOptions) -> Question:
    """The order of the rows and columns of a matrix without ids."""
    ranking, order = reading.ranking, reading.order
    shape = (len(ranking.values), len(ranking.columns))
    outcomes = {}
    for key in MATRIX_ORDERS:
        if found := possible_orders(shape, context, key):
            shares = _rank_shares(ranking, found[0], context)
            ranks = "" if shares is None else f"; {_rank_text(np.nanmean(shares))}"
            outcomes[key] = f"{found[0].description}{ranks}"
    reason = order.reason or ("the orders that fit are the same" if len(outcomes) > 1 else "only one order fits")
    misfit = f"does not fit {count_of(shape[1], 'column')}"
    question = question_about("order", options, order.key, outcomes, reason, is_sure=order.is_sure, misfit=misfit)
    if (listed := options.order) is None or listed in MATRIX_ORDERS:
        return question
    return replace(question, options=(*question.options, QuestionOption(listed, f"List {listed}", order.description)))


def _rank_shares(ranking: DistanceMatrix, order: MatrixOrder, context: ReadContext) -> NDArray[np.float64] | None:
    """See `RankEvidence.shares`; None without relevant models."""
    n_queries, n_models = len(context.queries), len(context.collection)
    rows = order.rows_of_queries(n_queries)
    keys = matrix_keys(ranking.values, rows, order.columns, n_models, similarity=ranking.similarity)
    shares = rank_evidence(keys, context).shares
    return None if np.isnan(shares).all() else shares


def _rank_text(share: np.floating) -> str:
    return f"mean relative rank of relevant models: {format_percent(float(share), 1)}"
