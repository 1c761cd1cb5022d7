"""Status bar text: the selection, and the values at the rank cursor."""

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.ranked_list import query_levels
from shrec_viewer.evaluation.score_tables import is_count
from shrec_viewer.number_format import format_distance, format_value
from shrec_viewer.viewmodels.ranking.ranked_list import cursor_curve_keys, cursor_curves
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import (
    NOT_IN_COLLECTION,
    collection_summary,
    level_name,
    model_class,
    query_class,
)

#: Between two parts of a line.
SEPARATOR = "  ·  "

#: Ranks at which the curves of the cursor are computed at least.
MIN_CURVE_RANKS = 1024


class StatusText:
    """The two texts of the status bar: the selected model, and values at the cursor.

    Call `update` when list, scores or measure change; in between, only the cursor may differ. The text about query and
    run and the curves along the ranks are cached, as the cursor moves with the mouse.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._selection_text = ""
        self._measure_text = ""
        self._curves: NDArray[np.float64] | None = None
        self._former_curves: NDArray[np.float64] | None = None  # of the baseline
        self._has_curves = False

    def update(self) -> None:
        """Discard results computed for a previous list."""
        self._selection_text, self._measure_text = _selection_text(self._session), measure_text(self._session)
        self._curves, self._former_curves, self._has_curves = None, None, False

    def cursor_text(self) -> str:
        """``"Q17 duck · run M2 · rank 12 of 1,814 · m1042 · class duck · highly relevant (2) · distance 0.183"``."""
        session, document = self._session, self._session.document
        benchmark, shown, rank = document.benchmark, document.ranked_list, session.cursor_state.cursor
        if not document.has_list:
            return SEPARATOR.join(_collection_parts(session, benchmark)) if document.is_open else ""
        if session.cursor_state.hovered_model is not None and session.run is not None:
            model = _model_parts(session, benchmark, session.cursor_state.hovered_model)
            return SEPARATOR.join((self._selection_text, *model, f"not in the list of {session.run.name}"))
        if shown is None or rank is None or rank > len(shown):
            return self._selection_text
        item = int(shown.items[rank - 1])
        if self._is_judged_blind(rank):
            return SEPARATOR.join((self._selection_text, benchmark.collection.ids[item]))
        parts = [self._selection_text, f"rank {rank:,} of {len(shown):,}"]
        parts.append(benchmark.collection.ids[item] if item >= 0 else NOT_IN_COLLECTION)
        if class_name := model_class(benchmark, item):
            parts.append(f"class {class_name}")
        if benchmark.assessment is not None:
            parts.append(level_name(int(shown.levels[rank - 1]), benchmark.assessment.levels))
        if found := format_distance(float(shown.distances[rank - 1])):
            parts.append(f"{shown.value_name} {found}")
        return SEPARATOR.join(parts)

    def values_text(self) -> str:
        """``"P 0.583  R 0.700  NDCG 0.812 at 12"`` at the cursor; without a cursor ``"AP 0.581"``."""
        rank = self._session.cursor_state.cursor
        curves = None if rank is None or self._is_judged_blind(rank) else self._curve_values(rank)
        if rank is None or curves is None or not 1 <= rank <= curves.shape[1]:
            return self._measure_text
        former = self._former_curves
        differences = np.full(len(curves), np.nan)
        if former is not None and rank <= former.shape[1]:
            differences = curves[:, rank - 1] - former[:, rank - 1]
        values = (
            f"{key} {format_value(float(value))}{_signed(float(difference))}"
            for key, value, difference in zip(cursor_curve_keys(), curves[:, rank - 1], differences, strict=True)
        )
        return f"{'  '.join(values)} at {rank:,}"

    def _is_judged_blind(self, rank: int) -> bool:
        """Whether the model at a rank is the suspect of a blind review, of which class, level and rank are hidden."""
        review, shown = self._session.review, self._session.ranked_list
        if not review.options.blind or review.current is None or shown is None or rank > len(shown):
            return False
        return int(shown.items[rank - 1]) == review.current.model

    def _curve_values(self, rank: int) -> NDArray[np.float64] | None:
        """`cursor_curves` at the first ranks of the list, at least to `rank`, computed when needed; None for none."""
        shown = self._session.ranked_list
        if not self._has_curves or (self._curves is not None and self._curves.shape[1] < min(rank, len(shown or ()))):
            self._has_curves = True
            # To the next power of two: all of a million ranks take 0.2 s of the main thread, the first ones 2 ms.
            count = max(MIN_CURVE_RANKS, 1 << max(rank - 1, 0).bit_length())
            self._curves, self._former_curves = self._compute_curves(count), self._compute_former_curves(count)
        return self._curves

    def _compute_curves(self, count: int) -> NDArray[np.float64] | None:
        session = self._session
        scores, run, shown = session.scores, session.run, session.ranked_list
        if scores is None or run is None or shown is None or shown.missing or not len(shown):
            return None
        if scores.profile != session.profile or run.name not in scores.runs:
            return None  # scores of the previous profile, until new scores are computed
        return cursor_curves(scores, scores.run_index(run.name), session.selection.query, min(count, len(shown)))

    def _compute_former_curves(self, count: int) -> NDArray[np.float64] | None:
        session = self._session
        run, shown = session.run, session.ranked_list
        former = None if run is None else session.versions.baseline_of_queries(run.name)
        if former is None or shown is None or not len(shown) or former.missing[0, session.selection.query]:
            return None
        return cursor_curves(former, 0, session.selection.query, min(count, len(shown)))


def _signed(difference: float) -> str:
    """``" (+0.025)"``; "" for NaN."""
    return "" if np.isnan(difference) else f" ({format_value(difference, signed=True)})"


def measure_text(session: Session) -> str:
    """``"AP 0.581"``: the selected measure of the selected run for the selected query.

    "AP –" where it is undefined, "AP: no results" where the run has none for the query, "AP 0.581 (not in the means)"
    where the profile excludes the query from every mean, "AP 0.581 (+0.025)" with the difference from the baseline, ""
    without scores.
    """
    scores, run, query = session.scores, session.run, session.selection.query
    if scores is None or run is None or query == NOTHING or run.name not in scores.runs:
        return ""
    row, column = scores.run_index(run.name), scores.column(session.measure)
    if scores.missing[row, query]:
        return f"{session.measure}: no results"
    counted = is_count(scores.measures[column], scores.values[:, :, column])
    excluded = " (not in the means)" if scores.excluded[query] else ""
    value = f"{session.measure} {format_value(float(scores.values[row, query, column]), counted=counted)}"
    difference = session.versions.difference(run.name, session.measure, query)
    return f"{value}{'' if difference is None else _signed(difference)}{excluded}"


def _selection_text(session: Session) -> str:
    """``"Q17 duck · run M2"``; with the assessment where it is not the one as read."""
    benchmark, query, run = session.benchmark, session.selection.query, session.run
    if query == NOTHING or run is None:
        return ""
    name = query_class(benchmark, query)
    parts = [f"{benchmark.queries.ids[query]} {name}".strip(), f"run {run.name}"]
    if (active := session.assessments.active) is not None:
        parts.append(f"assessment: {active.label}")
    return SEPARATOR.join(parts)


def _collection_parts(session: Session, benchmark: Benchmark) -> list[str]:
    """``["meshes_odd", "122 models", "no runs", "query Q17", "duck", "class bird", "relevant"]``."""
    parts = [benchmark.name, *collection_summary(benchmark)]
    model, query = session.selection.model, session.selection.query
    if query != NOTHING:
        parts.append(f"query {benchmark.queries.ids[query]} {query_class(benchmark, query)}".rstrip())
    return parts if model is None else [*parts, *_model_parts(session, benchmark, model)]


def _model_parts(session: Session, benchmark: Benchmark, model: int) -> list[str]:
    """``["m1042", "class duck", "relevant"]``, of a model that needs no rank."""
    query = session.selection.query
    parts = [benchmark.collection.ids[model]]
    if class_name := model_class(benchmark, model):
        parts.append(f"class {class_name}")
    if query != NOTHING and benchmark.assessment is not None:
        level = int(query_levels(benchmark, query, session.profile)[model])
        parts.append(level_name(level, benchmark.assessment.levels))
    return parts
