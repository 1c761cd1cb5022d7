"""Values of the pages with results: all runs, participants, runs, queries and confusions."""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.plot import Plot
from shrec_viewer.content.confusion import confusion_matrix
from shrec_viewer.domain import Benchmark, ShrecViewerError
from shrec_viewer.evaluation.comparison.certainty import Certainty, certainty_notes, family_of, order_certainty
from shrec_viewer.evaluation.comparison.published import PUBLISHED_NOTE, PublishedRow
from shrec_viewer.evaluation.plots.confusion import Confusion, largest_confusions
from shrec_viewer.evaluation.score_tables import published_scores, query_statuses
from shrec_viewer.metrics import find_curve
from shrec_viewer.number_format import format_fixed
from shrec_viewer.report.figures.web import WebFigure
from shrec_viewer.report.site.charts import map_paths
from shrec_viewer.report.site.contest_site import ContestSite
from shrec_viewer.report.site.score_cells import ScoreCell, score_cells

#: Significant digits of the curves of single queries; those of means are exact.
QUERY_DIGITS = 6

#: Queries from which their pages have two charts instead of all, without tables of their values, in fewer digits: the
#: charts of 2,000 queries and 15 runs else take more space than all images.
MANY_QUERIES, FEW_DIGITS = 200, 3

#: Columns of the table of ranks by query; of more queries, those in which the runs differ most.
EXAMPLE_QUERIES = 40

LISTED_CONFUSIONS = 25

#: Texts of `query_statuses`.
STATUS_TEXTS = {
    "answered": "",
    "missing_as_empty": "no list, counts 0",
    "missing_left_out": "no list, not in means",
    "not_common": "no list in another run, not in means",
    "nothing_relevant": "no relevant models, not in means",
    "nothing_relevant_as_zero": "no relevant models, counts 0",
    "left_out": "not in means",
}

#: Upper limits of the shades of confusion maps: most shares are below a tenth.
MAP_SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)

#: Classes up to which the rows of a confusion map have labels.
MAX_ROW_LABELS = 60

MAX_MAP_CELLS = 250_000

#: Measures of Table 2 and Table 3 of the SHREC 2006 report, evaluated under every profile.
RANKS_TABLE_KEY, DYNAMIC_RECALL_KEY = "CG@100", "ADR"

#: Curves of Figures 2 and 3.
FIGURE_QUERY_CURVE, FIGURE_MEAN_CURVE = "DCG", "NDCG"


def all_runs(site: ContestSite, _index: int) -> dict[str, Any]:
    """Means, significance, rankings by each measure, mean curves, and the tables and figures of 2006."""
    scores, charts = site.scores, site.charts
    class_means = scores.class_mean() if scores.profile.average == "both" else np.full((0, 0), np.nan)
    textbook = scores.textbook()
    main = dict.fromkeys((scores.profile.headline, DYNAMIC_RECALL_KEY))
    tested = [site.significance[key] for key in main if key in site.significance]
    values = scores.values[:, :, scores.column(RANKS_TABLE_KEY)]
    spread = _spread(values)
    query = int(np.argmax(spread)) if len(spread) else -1
    figures = charts.of_query((FIGURE_QUERY_CURVE,), scores.queries[query], QUERY_DIGITS) if query >= 0 else []
    (mean_figure,) = charts.of_means((FIGURE_MEAN_CURVE,))
    published = published_scores(scores)
    return {
        "cells": score_cells(scores.mean(), scores.measures),
        "published": [(row, _printed_cells(row)) for row in published],
        "published_note": PUBLISHED_NOTE if published else "",
        "class_cells": score_cells(class_means, scores.measures) if np.isfinite(class_means).any() else [],
        "textbook_cells": [] if textbook is None else score_cells(textbook.mean(), scores.measures),
        "significances": [(found, *charts.intervals(found), *_certainty(site, found.measure.key)) for found in tested],
        "charts": charts.of_means(scores.profile.curves),
        "rank_table": _rank_table(site, values, spread),
        "dynamic_recall": scores.column(DYNAMIC_RECALL_KEY),
        "figure_query": query,
        "figures": [replace(figure, key=f"figure-2-{figure.key}") for figure in figures],
        "mean_figure": replace(mean_figure, key=f"figure-3-{mean_figure.key}"),
        "order_at_end": _order_at_end(mean_figure.plot, scores.runs),
    }


def _printed_cells(row: PublishedRow) -> list[ScoreCell]:
    """Cells of published scores, with the decimals that they are printed with."""
    cells = zip(row.values.tolist(), row.decimals.tolist(), strict=True)
    return [ScoreCell(value, format_fixed(value, decimals)) for value, decimals in cells]


def _certainty(site: ContestSite, measure: str) -> tuple[Certainty | None, Sequence[str], WebFigure | None]:
    """How sure the order by a measure is, with notes and figure; none where there is nothing to resample."""
    try:
        found = order_certainty(family_of(site.scores), measure)
    except ShrecViewerError:
        return None, (), None
    return found, certainty_notes(found), site.charts.places(found)


def _spread(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """(Q,) difference between the best and the worst run (R, Q); -1 without values."""
    low = np.nan_to_num(values, nan=np.inf).min(axis=0)
    high = np.nan_to_num(values, nan=-np.inf).max(axis=0)
    return np.where(np.isfinite(high) & np.isfinite(low), high - low, -1.0)


def _rank_table(site: ContestSite, values: NDArray[np.float64], spread: NDArray[np.float64]) -> dict[str, Any]:
    """Table 2: the runs of some queries in the order of their cumulated gain at rank 100."""
    measure = site.scores.measures[site.scores.column(RANKS_TABLE_KEY)]
    queries = list(range(len(spread)))
    if len(queries) > EXAMPLE_QUERIES:
        queries = sorted(np.argsort(-spread, kind="stable")[:EXAMPLE_QUERIES].tolist())
    columns = []
    for query in queries:
        cells = score_cells(values[:, [query]], [measure])
        columns.append([(int(run), cells[run][0]) for run in np.argsort(-values[:, query], kind="stable")])
    return {"measure": measure, "queries": queries, "columns": columns}


def _order_at_end(plot: Plot | None, runs: Sequence[str]) -> list[int]:
    """Runs from top to bottom at the end of the curves of a plot."""
    ends = {} if plot is None else {line.label: float(line.y[-1]) for line in plot.curves if isfinite(line.y[-1])}
    return [runs.index(name) for name in sorted(ends, key=ends.__getitem__, reverse=True)]


def queries(site: ContestSite, _index: int) -> dict[str, Any]:
    """All queries with class, relevant models, and scores of the main measure."""
    headline = site.scores.measures[site.headline]
    rows = []
    for query, values in enumerate(site.scores.values[:, :, site.headline].T):
        cells = [row[0] for row in score_cells(values[:, None], [headline])]
        defined = values[np.isfinite(values)]
        is_single = len(cells) == 1 and len(defined) == 1
        best = [run for run, cell in enumerate(cells) if cell.rank == 1 or is_single]
        mean = float(defined.mean()) if len(defined) else float("nan")
        rows.append((query, best, cells[best[0]] if best else None, mean))
    return {"rows": rows, "headline": headline}


def participant(site: ContestSite, index: int) -> dict[str, Any]:
    """One participant: means of their runs, and their mean curves among those of the others."""
    participant = site.participants[index]
    runs = [run for run, of in enumerate(site.scores.participants) if of == participant]
    return {
        "participant": participant,
        "runs": runs,
        "names": [site.scores.runs[run] for run in runs],
        "cells": score_cells(site.scores.mean(), site.scores.measures),
        "charts": site.charts.of_means(main_curves(site)),
    }


def run(site: ContestSite, index: int) -> dict[str, Any]:
    """One run: means, scores of all queries, mean curves and confusions."""
    scores, maps = site.scores, site.lists.confusions
    class_means = scores.class_mean()
    has_classes = bool(np.isfinite(class_means[index]).any())
    anomalies = scores.anomalies[index]
    noticed = {name: int(getattr(anomalies, name).sum()) for name in anomalies.__dataclass_fields__}
    return {
        "run": index,
        "means": score_cells(scores.mean(), scores.measures)[index],
        "class_means": score_cells(class_means, scores.measures)[index] if has_classes else None,
        "cells": score_cells(scores.values[index], scores.measures),
        "statuses": [STATUS_TEXTS[status] for status in query_statuses(scores, index)],
        "noticed": {name: count for name, count in noticed.items() if count},
        "charts": site.charts.of_means(main_curves(site)),
        "confusion": confusion_map(site.benchmark, maps[index], scores.runs[index]) if maps else None,
    }


def query(site: ContestSite, index: int) -> dict[str, Any]:
    """One query: measures of all runs and their order, graphs, and the first models of all lists."""
    scores, assessment = site.scores, site.benchmark.assessment
    assert assessment is not None  # else there are no scores
    is_one_of_many = len(scores.queries) > MANY_QUERIES
    keys = main_curves(site) if is_one_of_many else _query_curves(site)
    digits = FEW_DIGITS if is_one_of_many else QUERY_DIGITS
    charts = site.charts.of_query(keys, scores.queries[index], digits) if scores.runs else []
    sign = 1.0 if scores.measures[site.headline].better == "lower" else -1.0
    return {
        "query": index,
        "cells": score_cells(scores.values[:, index], scores.measures),
        "order": np.argsort(sign * scores.values[:, index, site.headline], kind="stable").tolist(),
        "charts": charts,
        "has_values": not is_one_of_many,
        "n_open_charts": len(main_curves(site)),
        "relevant": _most_relevant(site.benchmark, index, site.lists.first),
        "n_relevant": len(assessment.relevant(index)[0]),
        "own": int(site.benchmark.queries.member[index]) if site.profile.self_match == "drop" else -1,
    }


def _most_relevant(benchmark: Benchmark, query: int, first: int) -> list[tuple[int, int]]:
    """Model and level of the first relevant models of a query, the highest levels first."""
    if benchmark.assessment is None:
        return []
    models, levels = benchmark.assessment.relevant(query)
    order = np.argsort(-levels.astype(np.int64), kind="stable")[:first]
    return list(zip(models[order].tolist(), levels[order].tolist(), strict=True))


def relevant_models(benchmark: Benchmark, first: int) -> set[int]:
    """Models that the pages of queries show as relevant."""
    shown = [_most_relevant(benchmark, query, first) for query in range(len(benchmark.queries))]
    return {model for of_query in shown for model, _ in of_query}


def main_curves(site: ContestSite) -> list[str]:
    """The first curve of gain by rank of the profile, and the first one of precision and recall."""
    curves = [find_curve(key) for key in site.profile.curves]
    gain = next((curve.key for curve in curves if curve.x == "rank" and curve.y == "gain"), "NDCG")
    return [gain, next((curve.key for curve in curves if curve.is_precision_recall), "PR")]


def _query_curves(site: ContestSite) -> list[str]:
    """The same, then all other curves of gain, and precision and recall by rank."""
    curves = [find_curve(key) for key in site.profile.curves]
    wanted = [curve.key for curve in curves if curve.y == "gain" or (curve.x == "rank" and curve.y != "other")]
    return list(dict.fromkeys((*main_curves(site), *wanted)))


def confusions(site: ContestSite, _index: int) -> dict[str, Any]:
    """Mean confusion of all runs, and the largest confusions of each run."""
    maps = site.lists.confusions
    mean = replace(maps[0], shares=np.mean([one.shares for one in maps], axis=0))
    return {
        "mean": confusion_map(site.benchmark, mean, "mean"),
        "of_runs": [one.shares for one in maps],
        "limits": MAP_SHARES,
    }


def confusion_map(benchmark: Benchmark, found: Confusion, run: str) -> dict[str, Any]:
    """Matrix of a confusion, its shades and its largest cells; no shades of more than `MAX_MAP_CELLS` cells."""
    matrix = confusion_matrix(found, benchmark, run, 1)
    return {
        "matrix": matrix,
        "has_labels": len(matrix.rows) <= MAX_ROW_LABELS,
        "paths": map_paths(matrix.values, MAP_SHARES) if matrix.values.size <= MAX_MAP_CELLS else (),
        "largest": largest_confusions(found, LISTED_CONFUSIONS),
    }
