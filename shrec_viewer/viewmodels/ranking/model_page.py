"""Ranks of the selected model in all runs, for the queries to which it is relevant or for which it is an error."""

import numpy as np

from shrec_viewer.content.data import ContentData
from shrec_viewer.content.models import RELEVANT, table_of_ranks
from shrec_viewer.domain import UNKNOWN_ITEM
from shrec_viewer.evaluation.model_ranks import ModelRanks
from shrec_viewer.viewmodels.session.session import LISTING, Session
from shrec_viewer.viewmodels.text.labels import level_name

#: Titles of the columns before those of the runs.
LEADING_HEADERS = ("Query", "Class", "Level")

#: Rows of the table; a class of ShapeNet has up to 8,000 models, each of them a query.
MAX_QUERIES = 2000


def model_of_page(session: Session, shown: str) -> str:
    """Id of the selected model, or of the first one of the list; "" for none.

    It is that of `shown`, the present one, until the list of another query is known.
    """
    selection, found, collection = session.selection, session.ranked_list, session.benchmark.collection
    item = UNKNOWN_ITEM
    if not session.has_list or (selection.rank is None and selection.model is not None):
        item = UNKNOWN_ITEM if selection.model is None else selection.model
    elif found is None or (selection.rank or 1) > len(found) or session.tasks.is_busy(LISTING):
        return shown
    else:
        item = int(found.items[(selection.rank or 1) - 1])
    return "" if item == UNKNOWN_ITEM else collection.ids[item]


class ModelRankTable:
    """A row per query and a column per run with the rank of the model, as the window shows them.

    Parameters
    ----------
    of : `RELEVANT` or `FALSE_POSITIVE`: queries to which the model is relevant, or for which it is a false positive.

    Attributes
    ----------
    queries : of the rows.
    n_left_out : number of queries without a row.
    table, headers : the table, and the titles of its columns.
    sort_keys : by column, what is sorted by instead of the cells: queries by index, lists without the model last.
    """

    def __init__(self, data: ContentData, ranks: ModelRanks, of: str) -> None:
        self._benchmark, self._ranks, self._is_error = data.benchmark, ranks, ranks.is_false_positive
        found = ranks.relevant_queries if of == RELEVANT else ranks.false_positive_queries
        self.queries: list[int] = found[:MAX_QUERIES].tolist()
        self.n_left_out = len(found) - len(self.queries)
        self.table = table_of_ranks(data, ranks, self.queries, range(len(ranks.ranks)), of)
        shown = ranks.ranks[:, self.queries]
        last = np.where(shown > 0, shown, np.iinfo(np.int32).max)
        columns = {0: self.queries, **dict(enumerate(last.tolist(), start=len(LEADING_HEADERS)))}
        self.sort_keys = {column: values.__getitem__ for column, values in columns.items()}
        self.headers = (*LEADING_HEADERS, *(run.name for run in data.benchmark.runs))

    def cell(self, row: int, column: int) -> tuple[int, int | None, int]:
        """Query, run and rank of a cell; run None in a leading column, rank 0 where the model is not in the list."""
        query, run = self.queries[row], column - len(LEADING_HEADERS)
        return (query, None, 0) if run < 0 else (query, run, int(self._ranks.ranks[run, query]))

    def is_error(self, row: int, column: int) -> bool:
        """Whether the model is a false positive in this cell."""
        query, run, _ = self.cell(row, column)
        return run is not None and bool(self._is_error[run, query])

    def tip(self, row: int, column: int) -> str:
        """Tooltip of a cell."""
        benchmark, ranks = self._benchmark, self._ranks
        query, run, rank = self.cell(row, column)
        name = benchmark.queries.ids[query]
        if run is None:
            level = level_name(int(ranks.levels[query]), benchmark.levels)
            return f"{name}: {level}; {ranks.sizes[query]:,} relevant models"
        where = f"rank {rank:,}" if rank else "not in the list"
        error = ", false positive within the first tier" if self.is_error(row, column) else ""
        return f"{benchmark.runs[run].name} for {name}: {where}{error}"
