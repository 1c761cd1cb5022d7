"""Alternative interpretations of a file, and the result of each."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from shrec_viewer.domain import DistanceMatrix, FormatError
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import CELL_VALUES, LIST_COLUMNS, MATRIX_ORDERS, ReadOptions
from shrec_viewer.formats.discovery.readers import READERS
from shrec_viewer.formats.io.tables import TextTable
from shrec_viewer.formats.io.text import FileHead, is_number
from shrec_viewer.formats.manifest.manifest import Manifest
from shrec_viewer.formats.matrices.cell_values import DISTANCE_CELLS, MODEL_NUMBER_CELLS
from shrec_viewer.formats.matrices.matrix import MatrixFile
from shrec_viewer.formats.matrices.orders import CLEAR_Z, MatrixOrder, possible_orders, relevant_rank_shares, z_score
from shrec_viewer.formats.preview.records import Question, QuestionOption
from shrec_viewer.formats.runs.rank_list import UNDECIDED_COLUMNS, RankListFile, parse_list_numbers
from shrec_viewer.formats.runs.rank_list_folder import RankListDialect
from shrec_viewer.formats.runs.submission import SubmissionFile
from shrec_viewer.formats.runs.trec import TrecFile
from shrec_viewer.formats.truth.id_lists import IdList
from shrec_viewer.formats.truth.labels import LabelTable
from shrec_viewer.formats.truth.partiality import PartialityFile
from shrec_viewer.formats.truth.qrels import QrelsFile

MIN_RISING_SHARE = 0.9
"""Share of rising steps from which distances rise: a list may have a few faulty lines."""

SMALL_FILE_BYTES = 2**20
"""Bytes up to which a file is read by every reader, to say what each would make of it: a tenth of a second."""


@dataclass(eq=False)
class FileInspection:
    """What is known about a file that is looked at.

    Attributes
    ----------
    path : what was asked about.
    choice : what the person says.
    context : the open benchmark, None where nothing is open.
    head : beginning of the file that is shown.
    key : of the reader taken, "" for none.
    noun : what that reader made of it; None where it is too large for a look, or cannot be read.
    lists : of rank lists, some of the run.
    dialect : how these are written.
    orders : ways to read a matrix that fit.
    order, similarity : the way and direction taken.
    first : the number that each row is an order from, 0 or 1; None for a matrix of anything else.
    is_ranked : such rows were taken for model numbers, best first.
    """

    path: Path
    choice: ReadOptions
    context: ReadContext | None
    head: FileHead
    key: str
    noun: object = None
    lists: Sequence[RankListFile] = ()
    dialect: RankListDialect | None = None
    orders: list[MatrixOrder] = field(default_factory=list)
    order: MatrixOrder | None = None
    similarity: bool = False
    first: int | None = None
    is_ranked: bool = False


def content_summary(noun: object) -> str:
    """What a file holds, in a few words."""
    if isinstance(noun, LabelTable):
        return f"{count_of(len(noun), 'id')} in {count_of(noun.n_nonempty_classes, 'class', 'classes')}"
    if isinstance(noun, QrelsFile):
        return f"{count_of(len(noun.models), 'pair')} for {count_of(len(noun.queries), 'query', 'queries')}"
    if isinstance(noun, TrecFile):
        lines, queries = count_of(len(noun.lines), "line"), count_of(len(noun.queries), "query", "queries")
        return f"{lines}, {queries}, {count_of(len(noun.models), 'model')}"
    if isinstance(noun, SubmissionFile):
        lengths = [len(row) for row in noun.rows]
        return f"{count_of(len(noun.queries), 'query', 'queries')} with up to {count_of(max(lengths), 'model')}"
    if isinstance(noun, MatrixFile):
        if noun.values.ndim == 2:
            return f"matrix of {noun.values.shape[0]:,} x {noun.values.shape[1]:,} numbers"
        return f"{count_of(noun.values.size, 'number')} in one sequence"
    if isinstance(noun, RankListFile):
        columns = "id and number" if len(noun.columns) == 2 else "id"
        return f"list of {count_of(len(noun), 'line')}: {columns}"
    if isinstance(noun, PartialityFile):
        return f"partiality of {count_of(len(noun.shares), 'query', 'queries')}"
    if isinstance(noun, IdList):
        return f"list of {count_of(len(noun.ids), 'id')}"
    if isinstance(noun, TextTable):
        return f"table of {count_of(len(noun.rows), 'row')} and {count_of(noun.width, 'column')}"
    if isinstance(noun, Manifest):
        return f"description with {count_of(len(noun.runs), 'run')}"
    return ""


def build_questions(look: FileInspection) -> tuple[Question, ...]:
    """What can be chosen about a file, in the order to show."""
    asked = [_format(look) if not look.path.is_dir() else None]
    if look.key == "rank_list":
        asked += [_columns(look), _list_direction(look)]
    elif look.key == "matrix":
        asked += [_cells(look), _order(look), _matrix_direction(look)]
    elif look.key == "trec":
        asked.append(_trec_direction(look))
    return tuple(question for question in asked if question is not None)


def _format(look: FileInspection) -> Question:
    is_small = look.head.size <= SMALL_FILE_BYTES
    options = []
    for reader in READERS:
        gives, fits = "", reader.sniff(look.head)
        if is_small:
            try:
                gives, fits = content_summary(reader.read(look.path)), True
            except FormatError as error:
                line = f"line {error.line}: " if error.line else ""
                gives, fits = line + error.why, False
        options.append(
            QuestionOption(reader.key, reader.label, gives or ("looks like it" if fits else "looks different"), fits)
        )
    why = "told" if look.choice.format else "the first lines look like it" if look.key else ""
    return Question("format", "What is this file?", tuple(options), look.key, bool(look.key), why)


def _columns(look: FileInspection) -> Question | None:
    pairs = [found for found in look.lists if len(found.columns) == 2]
    if not pairs or look.dialect is None:
        return None
    ids = [_known(pairs, column, look.context) for column in (0, 1)]
    ignored = f"{ids[0]}; the second column means nothing"
    gives = dict(zip(LIST_COLUMNS, (ignored, ids[0], ids[1]), strict=True))
    labels = dict(zip(LIST_COLUMNS, ("Model only", "Model, then distance", "Distance, then model"), strict=True))
    chosen = look.dialect.told or LIST_COLUMNS[1 + look.dialect.column]
    options = tuple(
        QuestionOption(key, labels[key], gives[key]) for key in (LIST_COLUMNS[1], LIST_COLUMNS[2], LIST_COLUMNS[0])
    )
    sure = bool(look.dialect.told) or look.dialect.why != UNDECIDED_COLUMNS
    return Question("columns", "What are the columns?", options, chosen, sure, look.dialect.why or "told")


def _known(lists: Sequence[RankListFile], column: int, context: ReadContext | None) -> str:
    words = [word for found in lists for word in found.columns[column]]
    if context is not None and len(context.items):
        known = int((context.items.places(words) >= 0).sum())
        return f"{known:,} of {count_of(len(words), 'id')} are models of the collection"
    return "numbers" if all(map(is_number, words)) else f"names such as '{words[0]}'"


def direction_of(lists: Sequence[RankListFile], dialect: RankListDialect) -> bool | None:
    """Whether the numbers of some lists fall from line to line; None where they neither do nor, mostly, rise."""
    seen = []
    for found in lists:
        if len(found.columns) == 2 and dialect.told != "id":
            values, _ = parse_list_numbers(found.columns[1 - dialect.column])
            values = values[~np.isnan(values)]
            steps = np.diff(values)
            if np.any(steps != 0):
                seen.append((not np.any(steps > 0), float(np.mean(steps[steps != 0] > 0)) > MIN_RISING_SHARE))
    if not seen or not (all(falls for falls, _ in seen) or all(rises for _, rises in seen)):
        return None
    return seen[0][0]


def _list_direction(look: FileInspection) -> Question | None:
    if look.dialect is None or look.dialect.told == "id" or all(len(found.columns) < 2 for found in look.lists):
        return None
    falls = direction_of(look.lists, look.dialect)
    why = "" if falls is None else f"the numbers {'fall' if falls else 'rise'} from line to line"
    return _direction(look, ("the order of the lines stays the ranking",) * 2, falls is not None, why)


def _trec_direction(look: FileInspection) -> Question:
    gives = ("the smallest score comes first, against the format", "the largest score comes first")
    return _direction(look, gives, True, "the format says so")


def _matrix_direction(look: FileInspection) -> Question:
    gives, sure, why = ("", ""), False, ""
    context = look.context
    if context is not None and context.assessment is not None and look.order is not None:
        assert isinstance(look.noun, MatrixFile)
        shares = relevant_rank_shares(look.noun.values, look.order, context.assessment, context.queries.member)
        if np.any(shares >= 0):
            place = float(np.nanmean(shares))
            gives = (_rank_text(place), _rank_text(1 - place))
            sure = abs(z_score(shares)) > CLEAR_Z
            why = f"so, {gives[look.similarity]}" if sure else "neither is clearly better than chance"
    return _direction(look, gives, sure, why)


def _rank_text(share: float) -> str:
    return f"relevant models stand on average within the first {share:.1%} of the lists"


def _direction(look: FileInspection, gives: tuple[str, str], sure: bool, why: str) -> Question:
    options = (
        QuestionOption("false", "Smaller is nearer", gives[0]),
        QuestionOption("true", "Larger is nearer", gives[1]),
    )
    is_told = look.choice.similarity is not None
    chosen = str(look.similarity).lower()
    return Question("similarity", "Which is nearer?", options, chosen, is_told or sure, "told" if is_told else why)


def _cells(look: FileInspection) -> Question | None:
    """What the numbers are, where they could be model numbers."""
    if look.first is None:
        return None
    ranked = (f"Model numbers from {first}, best first" for first in (1, 0))
    labels = ("Distances, or ranks of the models", *ranked)
    told = (True, look.first == 1, look.first == 0)
    gives = ("smaller is nearer", *("" if fits else f"the numbers begin with {look.first}" for fits in told[1:]))
    found = zip(CELL_VALUES, labels, gives, told, strict=True)
    chosen = MODEL_NUMBER_CELLS[look.first] if look.is_ranked else DISTANCE_CELLS
    why = "told" if look.choice.cells is not None else f"each row is an order of the numbers from {look.first} on"
    options = tuple(QuestionOption(key, label, given, fits) for key, label, given, fits in found)
    return Question("cells", "What are the numbers?", options, chosen, look.choice.cells is not None, why)


def _order(look: FileInspection) -> Question | None:
    context, matrix = look.context, look.noun
    if context is None or not isinstance(matrix, MatrixFile) or matrix.values.ndim != 2:
        return None
    options = []
    shape = (matrix.values.shape[0], matrix.values.shape[1])
    for key, label in zip(
        MATRIX_ORDERS, ("As the classification", "As the names", "As the numbers in the ids"), strict=True
    ):
        found = possible_orders(shape, context, key)
        gives = _order_outcome(look, matrix, found[0]) if found else f"does not fit {shape[1]:,} columns"
        options.append(QuestionOption(key, label, gives, bool(found)))
    chosen = look.order.key if look.order is not None else ""
    is_told = look.choice.order is not None
    shares = [_shares(look, matrix, order) for order in look.orders]
    others = [share for order, share in zip(look.orders, shares, strict=True) if order is not look.order]
    sure = is_told or len(look.orders) == 1
    why = "told" if is_told else "only one order fits" if sure else "nothing tells the orders apart"
    if not sure and look.order is not None and (own := _shares(look, matrix, look.order)) is not None:
        sure = all(other is not None and z_score(own, other) > CLEAR_Z for other in others)
        why = "relevant models stand nearer to the top than in any other order" if sure else why
    return Question("order", "What are rows and columns in the order of?", tuple(options), chosen, sure, why)


def _shares(look: FileInspection, matrix: MatrixFile, order: MatrixOrder):  # type: ignore[no-untyped-def]
    context = look.context
    if context is None or context.assessment is None:
        return None
    shares = relevant_rank_shares(matrix.values, order, context.assessment, context.queries.member)
    return 1 - shares if look.similarity else shares


def _order_outcome(look: FileInspection, matrix: MatrixFile, order: MatrixOrder) -> str:
    shares = _shares(look, matrix, order)
    if shares is None or not np.any(shares >= 0):
        return order.said
    return f"{order.said}; {_rank_text(float(np.nanmean(shares)))}"


def applied_order(ranking: DistanceMatrix, orders: Sequence[MatrixOrder]) -> MatrixOrder | None:
    """Which of the orders a matrix was read in."""
    for order in orders:
        answered = np.flatnonzero(ranking.rows >= 0)
        same_rows = np.array_equal(order.rows[ranking.rows[answered]], answered)
        if same_rows and np.array_equal(order.columns, ranking.columns):
            return order
    return None
