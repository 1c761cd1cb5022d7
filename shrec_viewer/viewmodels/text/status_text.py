"""Status bar text: the selection, and the values at the rank cursor."""

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark
from shrec_viewer.number_format import format_distance, format_value
from shrec_viewer.viewmodels.ranking.ranked_list import cursor_curve_keys, cursor_curves
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import class_label, collection_summary, is_count, level_name, model_class

SEPARATOR = "  ·  "
"""Between two parts of a line."""


class StatusText:
    """Says what is looked at, in two lines of words.

    `renew` is to be called when list, scores or measure are others; the two lines follow cursor and selection.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._head = ""
        self._value = ""
        self._along: NDArray[np.float64] | None = None
        self._is_known = False

    def renew(self) -> None:
        """Forget what was made for another list."""
        self._head, self._value = _head(self._session), measure_text(self._session)
        self._along, self._is_known = None, False

    def cursor_text(self) -> str:
        """``"Q17 duck · run M2 · rank 12 of 1,814 · m1042 · class duck · highly relevant (2) · distance 0.183"``."""
        session = self._session
        benchmark, shown, rank = session.benchmark, session.ranked_list, session.cursor_state.cursor
        if benchmark is None or not session.has_lists:
            return SEPARATOR.join(_collection_parts(session, benchmark)) if benchmark is not None else ""
        if shown is None or rank is None or rank > len(shown):
            return self._head
        item = int(shown.items[rank - 1])
        parts = [self._head, f"rank {rank:,} of {len(shown):,}"]
        parts.append(benchmark.collection.ids[item] if item >= 0 else "not in the collection")
        if class_name := model_class(benchmark, item):
            parts.append(f"class {class_name}")
        if benchmark.assessment is not None:
            parts.append(level_name(int(shown.levels[rank - 1]), benchmark.assessment.levels))
        if found := format_distance(float(shown.distances[rank - 1])):
            parts.append(f"distance {found}")
        return SEPARATOR.join(parts)

    def values_text(self) -> str:
        """``"P 0.583  R 0.700  NDCG 0.812 at 12"`` at the cursor; without one the query's measure, ``"AP 0.581"``."""
        rank = self._session.cursor_state.cursor
        along = None if rank is None else self._values()
        if rank is None or along is None or not 1 <= rank <= along.shape[1]:
            return self._value
        shares = (
            f"{key} {format_value(float(value))}"
            for key, value in zip(cursor_curve_keys(), along[:, rank - 1], strict=True)
        )
        return f"{'  '.join(shares)} at {rank:,}"

    def _values(self) -> NDArray[np.float64] | None:
        """The curves at all ranks of the list, made when the first rank is pointed at; None where there are none."""
        if not self._is_known:
            self._is_known = True
            self._along = self._made()
        return self._along

    def _made(self) -> NDArray[np.float64] | None:
        session = self._session
        scores, run, shown = session.scores, session.run, session.ranked_list
        if scores is None or run is None or shown is None or shown.missing or not len(shown):
            return None
        if scores.profile != session.profile or run.name not in scores.runs:
            return None  # the scores of the conventions before, until the new ones come
        return cursor_curves(scores, scores.run_index(run.name), session.selection.query, len(shown))


def measure_text(session: Session) -> str:
    """``"AP 0.581"``: the measure looked at, of the selected run for the selected query.

    "AP –" where it is not defined, "AP: no list" where the run has no answer, "" where nothing is measured.
    """
    scores, run, query = session.scores, session.run, session.selection.query
    if scores is None or run is None or query == NOTHING or run.name not in scores.runs:
        return ""
    place, column = scores.run_index(run.name), scores.column(session.measure)
    if scores.missing[place, query]:
        return f"{session.measure}: no list"
    counted = is_count(scores.measures[column], scores.values[:, :, column])
    return f"{session.measure} {format_value(float(scores.values[place, query, column]), counted=counted)}"


def _head(session: Session) -> str:
    benchmark, query, run = session.benchmark, session.selection.query, session.run
    if benchmark is None or query == NOTHING or run is None:
        return ""
    name = class_label(benchmark, int(benchmark.queries.labels[query]))
    return SEPARATOR.join((f"{benchmark.queries.ids[query]} {name}".strip(), f"run {run.name}"))


def _collection_parts(session: Session, benchmark: Benchmark) -> list[str]:
    """``["meshes_odd", "122 models", "no queries", "duck"]``, the model's class behind it."""
    parts = [benchmark.name, *collection_summary(benchmark)]
    model = session.selection.model
    if model is not None:
        parts.append(benchmark.collection.ids[model])
        if class_name := model_class(benchmark, model):
            parts.append(f"class {class_name}")
    return parts
