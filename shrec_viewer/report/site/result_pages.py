"""Values of the pages with results: all runs, participants, runs, queries and confusions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.plots.confusion import Confusion, largest_confusions
from shrec_viewer.evaluation.score_tables import query_statuses
from shrec_viewer.metrics import ResolvedMeasure, find_curve
from shrec_viewer.report.site.charts import Chart, RunIntervalChart, Series, interval_chart, line_chart, map_paths
from shrec_viewer.report.site.contest_site import ContestSite
from shrec_viewer.report.site.score_cells import ScoreCell, score_cells

CHART_POINTS = 100
"""Ranks of curves, as in the report of SHREC 2006."""

QUERY_DIGITS = 6
"""Significant digits of the curves of single queries; those of means are exact."""

MANY_QUERIES = 200
"""Queries from which their pages have two charts instead of all, without tables of their values, in `FEW_DIGITS`: the
charts of 2,000 queries and 15 runs else take more space than all images."""

FEW_DIGITS = 3

EXAMPLE_QUERIES = 40
"""Columns of the table of ranks by query; of more queries, those in which the runs differ most."""

LISTED_CONFUSIONS = 25

STATUS_TEXTS = {
    "answered": "",
    "missing_as_empty": "no list, counts 0",
    "missing_left_out": "no list, not in means",
    "nothing_relevant": "no relevant models, not in means",
    "nothing_relevant_as_zero": "no relevant models, counts 0",
    "left_out": "not in means",
}
"""Texts of `query_statuses`."""

MAP_SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
"""Upper limits of the shades of confusion maps: most shares are below a tenth."""

MAX_ROW_LABELS = 60
"""Classes up to which the rows of a confusion map have labels."""

MAX_MAP_CELLS = 250_000

RANKS_TABLE_KEY, DYNAMIC_RECALL_KEY = "CG@100", "ADR"
"""Measures of Table 2 and Table 3 of the SHREC 2006 report, evaluated under every profile."""

FIGURE_QUERY_CURVE, FIGURE_MEAN_CURVE = "DCG", "NDCG"
"""Curves of Figures 2 and 3."""


@dataclass(frozen=True)
class MeasureRanking:
    """The runs in the order of one measure, best first, undefined ones last.

    Attributes
    ----------
    rows : run, cell, and letters of its significance groups; "" if the measure was not tested.
    """

    measure: ResolvedMeasure
    rows: tuple[tuple[int, ScoreCell, str], ...]


@dataclass(frozen=True)
class SignificanceView:
    """Significance of one measure: chart of intervals, and (run, mean, low, high, p, letters) for each run."""

    measure: ResolvedMeasure
    chart: RunIntervalChart
    rows: tuple[tuple[int, float, float, float, float, str], ...]
    baseline: str
    n_queries: int


@dataclass(frozen=True)
class ConfusionView:
    """A confusion map, and its largest cells as (class of the query, class of the model, share).

    Attributes
    ----------
    rows, columns : names of the classes.
    has_labels : whether the rows have labels.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    has_labels: bool
    paths: tuple[str, ...]
    largest: tuple[tuple[str, str, float], ...]


def all_runs(site: ContestSite, _index: int) -> dict[str, Any]:
    """Means, significance, rankings by each measure, mean curves, and the tables and figures of 2006."""
    scores = site.scores
    cells = score_cells(scores.mean(), scores.measures)
    class_means = scores.class_mean() if scores.profile.average == "both" else np.full((0, 0), np.nan)
    textbook = scores.textbook()
    query, figure = _example_figure(site)
    main = dict.fromkeys((scores.profile.headline, DYNAMIC_RECALL_KEY))
    return {
        "cells": cells,
        "class_cells": score_cells(class_means, scores.measures) if np.isfinite(class_means).any() else [],
        "textbook_cells": [] if textbook is None else score_cells(textbook.mean(), scores.measures),
        "rankings": rankings(site, cells),
        "significances": [_significance_view(site, key) for key in main if key in site.significance],
        "charts": [mean_chart(site, key) for key in scores.profile.curves],
        "rank_table": _rank_table(site),
        "dynamic_recall": next((one for one in rankings(site, cells) if one.measure.key == DYNAMIC_RECALL_KEY), None),
        "figure_query": query,
        "figure": figure,
        "mean_figure": mean_chart(site, FIGURE_MEAN_CURVE, prefix="figure-3-"),
        "order_at_end": _order_at_end(site),
    }


def rankings(site: ContestSite, cells: Sequence[Sequence[ScoreCell]]) -> list[MeasureRanking]:
    """The runs ranked by the mean of each measure that has a direction."""
    found = []
    for column, measure in enumerate(site.scores.measures):
        if measure.better != "none":
            order, tested = site.scores.order_by(measure.key), site.significance.get(measure.key)
            letters = ("",) * len(order) if tested is None else tested.groups.letters
            found.append(MeasureRanking(measure, tuple((run, cells[run][column], letters[run]) for run in order)))
    return found


def mean_chart(site: ContestSite, key: str, *, prefix: str = "", runs: Sequence[int] = ()) -> Chart:
    """Mean curves of all runs; if `runs` are given, the others are dimmed."""
    curve = find_curve(key)
    series = []
    for run in site.ranking:
        values = site.scores.curve(key, run, None, CHART_POINTS)
        series.append(_series(site, run, values.x, values.y, is_dimmed=bool(runs) and run not in runs))
    way = curve.averaged().label
    return line_chart(
        f"{prefix}{key}",
        f"Mean: {curve.label}",
        (curve.x_label, curve.y_label),
        curve.x_range,
        curve.y_range,
        series,
        description=f"Mean over queries at {way}.",
    )


def query_chart(site: ContestSite, key: str, query: int, *, prefix: str = "") -> Chart:
    """Curves of all runs for one query."""
    curve = find_curve(key)
    series = []
    for run in site.ranking:
        values = site.scores.curve(key, run, query, CHART_POINTS)
        series.append(_series(site, run, values.x, values.y))
    return line_chart(
        f"{prefix}{key}",
        curve.label,
        (curve.x_label, curve.y_label),
        curve.x_range,
        curve.y_range,
        series,
        digits=QUERY_DIGITS if len(site.scores.queries) <= MANY_QUERIES else FEW_DIGITS,
    )


def _series(
    site: ContestSite, run: int, x: NDArray[np.float64], y: NDArray[np.float64], *, is_dimmed: bool = False
) -> Series:
    return Series(site.scores.runs[run], site.styles[run], site.run_pages[run], x, y, is_dimmed)


def _significance_view(site: ContestSite, key: str) -> SignificanceView:
    found = site.significance[key]
    sign = 1.0 if found.measure.better == "lower" else -1.0
    order = np.argsort([sign * interval.mean for interval in found.means], kind="stable")
    rows = tuple(
        (
            int(run),
            found.means[run].mean,
            found.means[run].low,
            found.means[run].high,
            float(found.p_against_baseline[run]),
            found.groups.letters[run],
        )
        for run in order
    )
    drawn = [
        (site.scores.runs[run], site.run_pages[run], site.styles[run], mean, low, high)
        for run, mean, low, high, _, _ in rows
    ]
    chart = interval_chart(drawn, found.measure.range_under(site.profile))
    return SignificanceView(found.measure, chart, rows, found.baseline, found.pairs.n)


def _rank_table(site: ContestSite) -> dict[str, Any]:
    """Table 2: the runs of some queries in the order of their cumulated gain at rank 100."""
    column = site.scores.column(RANKS_TABLE_KEY)
    measure, values = site.scores.measures[column], site.scores.values[:, :, column]
    queries = list(range(values.shape[1]))
    if len(queries) > EXAMPLE_QUERIES:
        spread = _spread(values)
        queries = sorted(np.argsort(-spread, kind="stable")[:EXAMPLE_QUERIES].tolist())
    columns = []
    for query in queries:
        cells = [row[0] for row in score_cells(values[:, [query]], [measure])]
        order = np.argsort(-values[:, query], kind="stable")
        columns.append([(int(run), cells[run]) for run in order])
    return {"measure": measure, "queries": queries, "columns": columns, "n_rows": len(site.scores.runs)}


def _spread(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """(Q,) difference between the best and the worst run (R, Q); -1 without values."""
    low = np.nan_to_num(values, nan=np.inf).min(axis=0)
    high = np.nan_to_num(values, nan=-np.inf).max(axis=0)
    return np.where(np.isfinite(high) & np.isfinite(low), high - low, -1.0)


def _example_figure(site: ContestSite) -> tuple[int, Chart | None]:
    """Figure 2: the query in which the runs differ most in cumulated gain at rank 100."""
    values = site.scores.values[:, :, site.scores.column(RANKS_TABLE_KEY)]
    if not values.shape[1]:
        return -1, None
    query = int(np.argmax(_spread(values)))
    return query, query_chart(site, FIGURE_QUERY_CURVE, query, prefix="figure-2-")


def _order_at_end(site: ContestSite) -> list[int]:
    """Runs from top to bottom at the end of the mean curve of Figure 3."""
    ends = np.array(
        [site.scores.curve(FIGURE_MEAN_CURVE, run, None, CHART_POINTS).y[-1] for run in range(len(site.scores.runs))]
    )
    return [int(run) for run in np.argsort(-ends, kind="stable") if np.isfinite(ends[run])]


def queries(site: ContestSite, _index: int) -> dict[str, Any]:
    """All queries with class, relevant models, and scores of the main measure."""
    scores, column = site.scores, site.headline
    rows = []
    for query in range(len(scores.queries)):
        values = scores.values[:, query, [column]]
        cells = [row[0] for row in score_cells(values, scores.measures[column : column + 1])]
        best = [
            run for run, cell in enumerate(cells) if cell.rank == 1 or (len(cells) == 1 and cell.value == cell.value)
        ]
        defined = values[np.isfinite(values)]
        rows.append(
            {
                "query": query,
                "best": best,
                "best_cell": cells[best[0]] if best else None,
                "mean": float(defined.mean()) if len(defined) else float("nan"),
            }
        )
    return {"rows": rows, "headline": scores.measures[column]}


def participant(site: ContestSite, index: int) -> dict[str, Any]:
    """One participant: means of their runs, and their mean curves among those of the others."""
    name = site.participants[index]
    runs = site.runs_of(name)
    return {
        "participant": name,
        "runs": runs,
        "cells": score_cells(site.scores.mean(), site.scores.measures),
        "charts": [mean_chart(site, key, runs=runs) for key in _main_curves(site)],
    }


def run(site: ContestSite, index: int) -> dict[str, Any]:
    """One run: means, scores of all queries, mean curves and confusions."""
    scores = site.scores
    means = score_cells(scores.mean(), scores.measures)[index]
    class_means = scores.class_mean()
    anomalies = scores.anomalies[index]
    noticed = {name: int(getattr(anomalies, name).sum()) for name in anomalies.__dataclass_fields__}
    return {
        "run": index,
        "means": means,
        "class_means": score_cells(class_means, scores.measures)[index]
        if np.isfinite(class_means[index]).any()
        else None,
        "cells": score_cells(scores.values[index], scores.measures),
        "statuses": [STATUS_TEXTS[status] for status in query_statuses(scores, index)],
        "noticed": {name: count for name, count in noticed.items() if count},
        "charts": [mean_chart(site, key, runs=[index]) for key in _main_curves(site)],
        "confusion": confusion_view(site.benchmark, site.lists.confusions[index]) if site.lists.confusions else None,
    }


def query(site: ContestSite, index: int) -> dict[str, Any]:
    """One query: measures of all runs and their order, graphs, and the first models of all lists."""
    scores = site.scores
    keys = _query_curves(site) if len(scores.queries) <= MANY_QUERIES else _main_curves(site)[:2]
    assert site.benchmark.assessment is not None  # else there are no scores
    relevant, levels = site.benchmark.assessment.relevant(index)
    sign = 1.0 if scores.measures[site.headline].better == "lower" else -1.0
    order = np.argsort(sign * scores.values[:, index, site.headline], kind="stable")
    shown = np.argsort(-levels.astype(np.int64), kind="stable")[: site.lists.first]
    return {
        "query": index,
        "cells": score_cells(scores.values[:, index], scores.measures),
        "order": order.tolist(),
        "charts": [query_chart(site, key, index) for key in keys] if scores.runs else [],
        "has_values": len(scores.queries) <= MANY_QUERIES,
        "n_open_charts": len(_main_curves(site)),
        "relevant": [(int(relevant[row]), int(levels[row])) for row in shown],
        "n_relevant": len(relevant),
        "own": int(site.benchmark.queries.member[index]) if site.profile.self_match == "drop" else -1,
    }


def relevant_models(benchmark: Benchmark, first: int) -> NDArray[np.int32]:
    """Models that the pages of queries show as relevant."""
    found = [np.zeros(0, np.int32)]
    if benchmark.assessment is not None:
        for index in range(len(benchmark.queries)):
            items, levels = benchmark.assessment.relevant(index)
            found.append(items[np.argsort(-levels.astype(np.int64), kind="stable")[:first]])
    return np.unique(np.concatenate(found))


def _main_curves(site: ContestSite) -> list[str]:
    """The first curve of gain by rank of the profile, and the first one of precision and recall."""
    curves = [find_curve(key) for key in site.profile.curves]
    gain = [curve.key for curve in curves if curve.x == "rank" and curve.y == "gain"][:1]
    recall = [curve.key for curve in curves if curve.is_precision_recall][:1]
    return [*(gain or ["NDCG"]), *(recall or ["PR"])]


def _query_curves(site: ContestSite) -> list[str]:
    """The same, then all other curves of gain, and precision and recall by rank."""
    curves = [find_curve(key) for key in site.profile.curves]
    wanted = [curve.key for curve in curves if curve.y == "gain" or (curve.x == "rank" and curve.y != "other")]
    return list(dict.fromkeys((*_main_curves(site), *wanted)))


def confusions(site: ContestSite, _index: int) -> dict[str, Any]:
    """Mean confusion of all runs, and the largest confusions of each run."""
    maps = site.lists.confusions
    mean = Confusion(
        maps[0].tier, maps[0].rows, maps[0].columns, np.mean([one.shares for one in maps], axis=0), maps[0].queries
    )
    cells = largest_confusions(mean, LISTED_CONFUSIONS)
    tree = site.benchmark.classification
    assert tree is not None
    table = [
        (
            tree.names[mean.rows[row]],
            tree.names[mean.columns[column]],
            float(mean.shares[row, column]),
            [float(one.shares[row, column]) for one in maps],
        )
        for row, column in cells
    ]
    return {
        "mean": confusion_view(site.benchmark, mean),
        "table": table,
        "limits": MAP_SHARES,
    }


def confusion_view(benchmark: Benchmark, found: Confusion) -> ConfusionView:
    """Map and largest cells of a confusion; no map of more than `MAX_MAP_CELLS` cells."""
    tree = benchmark.classification
    assert tree is not None
    largest = tuple(
        (tree.names[found.rows[row]], tree.names[found.columns[column]], float(found.shares[row, column]))
        for row, column in largest_confusions(found, LISTED_CONFUSIONS)
    )
    height, width = found.shares.shape
    paths = map_paths(found.shares, MAP_SHARES) if height * width <= MAX_MAP_CELLS else ()
    rows, columns = (tuple(tree.names[label] for label in labels) for labels in (found.rows, found.columns))
    return ConfusionView(rows, columns, len(rows) <= MAX_ROW_LABELS, paths, largest)
