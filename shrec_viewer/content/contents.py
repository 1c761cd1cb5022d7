"""The table of contents: every chart and table that panels, commands and the site show."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from shrec_viewer.charts.chart import Chart
from shrec_viewer.charts.rank_rows import RankRows
from shrec_viewer.charts.strips import Sheet, Strips
from shrec_viewer.charts.table import Table
from shrec_viewer.content import (
    assessments,
    confusion,
    curves,
    edits,
    gain_loss,
    generality,
    heat_map,
    images,
    lists,
    map,
    models,
    practical,
    robustness,
    scores,
    significance,
    suspects,
)
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.diagnosis import (
    certainty,
    classification,
    distances,
    error_budget,
    examples,
    missed,
    run_groups,
    shape_difference,
    similarity,
    slices,
)
from shrec_viewer.content.request import Request
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.domain.errors import Cancelled
from shrec_viewer.evaluation.geometry_evidence import geometry_note

#: Side of images in pixels: that of the thumbnails of the window, which are cached, and of images across a page.
IMAGE_SIZE, LARGE_IMAGE_SIZE = 256, 768


@dataclass(frozen=True)
class Content:
    """A chart, a table, or both: one row of `CONTENT`.

    Attributes
    ----------
    title : what it shows.
    label : name of the table beside others of a panel, and of its computation; "" for the title.
    request : its options; `Request.kind` is the argument of the commands ``figure`` and ``table``.
    chart : makes the chart of data and request; None for none.
    table : makes the table; None for none.
    needs_scores : whether the runs are evaluated first.
    images : files whose images the chart shows; None for none.
    image_size : side of these images in pixels.
    has_styles : whether the chart has the colours of runs.
    """

    title: str
    request: type[Request]
    chart: Callable[[ContentData, Any], Chart] | None = None
    table: Callable[[ContentData, Any], Table] | None = None
    needs_scores: bool = True
    images: Callable[[ContentData, Any], list[Path]] | None = None
    image_size: int = IMAGE_SIZE
    has_styles: bool = False
    label: str = ""

    @property
    def short_title(self) -> str:
        """Name of the table beside others of a panel."""
        return self.label or self.title

    @property
    def key(self) -> str:
        """Argument of the commands."""
        return self.request.kind


CONTENT: tuple[Content, ...] = (
    Content("Precision over recall of one query, or averaged over all", curves.PrecisionRecallRequest,
            curves.precision_recall, has_styles=True),
    Content("Cumulated gain by rank or recall of one query, or averaged", curves.GainRequest, curves.gain,
            has_styles=True),
    Content("Precision, recall and ADR by rank, and F-measure by recall, of one query, or averaged",
            curves.ScopeRequest, curves.gain, has_styles=True),
    Content("Recall at a relevant scope over the generality (GRiP)", generality.GeneralityPlotRequest,
            generality.generality, has_styles=True),
    Content("Recall of the runs, and what they lose per doubling of the collection: wide or narrow domain",
            generality.GeneralityLossRequest, table=generality.generality_loss_table),
    Content("Precision over recall of one run at several values of generality", generality.FamilyRequest,
            generality.family, has_styles=True),
    Content("Precision over recall and generality of one run (GReP)", generality.SurfaceRequest, generality.surface),
    Content("Mean scores of the runs as bars, best first", scores.LeaderboardRequest, scores.leaderboard,
            has_styles=True),
    Content("Mean scores of the runs, or their scores for one query", scores.RunsRequest, table=scores.runs_table),
    Content("Runs in the order of their scores for single queries", scores.RankingsRequest,
            table=scores.rankings_table),
    Content("Scores of one run per query or class", scores.RunScoresRequest, table=scores.run_scores_table),
    Content("Mean scores of the runs with confidence intervals and groups", significance.SignificanceRequest,
            significance.significance, significance.significance_table, has_styles=True),
    Content("Places of the runs in resamples of the queries, with sure bounds; critical differences",
            certainty.CertaintyRequest, certainty.certainty_chart, certainty.certainty_table, has_styles=True,
            label="Certainty"),
    Content("Pairs of runs: difference, equivalence, and queries that would tell them apart",
            certainty.CertaintyPairsRequest, table=certainty.pairs_table, label="Pairs of runs"),
    Content("What the order of the runs depends on: queries, conventions, doubtful labels", certainty.OrderRequest,
            table=certainty.order_table, label="What the order depends on"),
    Content("Groups of runs: their members in order, with mean and deviation", run_groups.RunGroupsRequest,
            run_groups.run_groups_chart, run_groups.run_groups_table, has_styles=True),
    Content("A measure of all runs for all queries", heat_map.HeatMapRequest, heat_map.heat_map,
            heat_map.heat_map_table),
    Content("Differences between two runs for each query", gain_loss.GainLossRequest, gain_loss.gain_loss,
            gain_loss.gain_loss_table),
    Content("Classes in the first or second tier of one run", confusion.ConfusionRequest, confusion.confusion_chart,
            confusion.confusion_table, needs_scores=False),
    Content("Relevant and retrieved models at a scope", lists.ContingencyRequest, table=lists.contingency_table,
            needs_scores=False),
    Content("Ranked list of one run for one query", lists.RankedListRequest, table=lists.ranked_list_table,
            needs_scores=False),
    Content("All relevant models of one query, and their ranks in the runs", lists.RelevantRequest,
            table=lists.relevant_table, needs_scores=False),
    Content("Ranked lists of several runs for one query, with lines between the same models", lists.ComparisonRequest,
            images.comparison, lists.comparison_table, needs_scores=False, images=images.comparison_images,
            has_styles=True, label="Ranked lists"),
    Content("First models of several runs for several queries, with relevance and the ranks of missed models",
            images.StripsRequest, images.strips, needs_scores=False, images=images.strip_images),
    Content("Ranked lists of all runs for one query, or of one run for all queries, as rows of images",
            images.MatrixRequest, images.matrix, needs_scores=False, images=images.matrix_images),
    Content("All queries as images", images.QueriesRequest, images.queries, needs_scores=False,
            images=images.query_images),
    Content("A query and the models of two runs at one rank as large images", images.TriptychRequest, images.triptych,
            needs_scores=False, images=images.triptych_images, image_size=LARGE_IMAGE_SIZE),
    Content("Queries and models as large images", images.ModelsRequest, images.models, needs_scores=False,
            images=images.model_images, image_size=LARGE_IMAGE_SIZE),
    Content("Bounds and estimates of the runs with incomplete judgements", practical.PracticalRequest,
            practical.practical_chart, practical.practical_table, needs_scores=False, has_styles=True),
    Content("How one score, or with --over a mean, was computed", scores.CalculationRequest,
            table=scores.calculation_table, label="Calculation"),
    Content("Ranks of one model in all runs", models.ModelRequest, table=models.model_table, needs_scores=False),
    Content("Differences of the shapes of models from a query or another model, after an alignment",
            shape_difference.ShapeDifferenceRequest, table=shape_difference.difference_table, needs_scores=False,
            label="Differences of shapes"),
    Content("Former versions of a run", models.HistoryRequest, table=models.history_table, needs_scores=False),
    Content("Edits of the assessment", edits.EditsRequest, table=edits.edits_table, needs_scores=False),
    Content("Means and ranks before and after the edits", edits.EditedMeansRequest, table=edits.edited_means_table,
            label="Means"),
    Content("What one run loses, by cause, from its value to the ideal", error_budget.ErrorBudgetRequest,
            error_budget.error_budget, error_budget.error_budget_table, label="Causes"),
    Content("Precision over recall of one run, and without one of its causes", error_budget.RepairRequest,
            error_budget.repair, has_styles=True),
    Content("Irrelevant models that cost one run most", error_budget.FalsePositivesRequest,
            examples.false_positive_strips, error_budget.false_positives_table, images=examples.false_positive_images,
            label="False positives"),
    Content("What models of one class cost queries of another one", error_budget.ClassCostsRequest,
            error_budget.class_costs, error_budget.class_costs_table),
    Content("Models of one class in lists of queries of another one, and the other way round",
            examples.ConfusionExamplesRequest, examples.confusion_strips, images=examples.confusion_images),
    Content("Why each query of one run loses what it does", error_budget.QueryCausesRequest,
            table=error_budget.query_causes_table),
    Content("Doubtful relevance levels or labels", suspects.SuspectsRequest, table=suspects.suspects_table,
            needs_scores=False),
    Content("Rank intervals of the runs over all conventions", robustness.RobustnessRequest,
            table=robustness.robustness_table, needs_scores=False),
    Content("Changes of the conventions and the pairs of runs that they reverse", robustness.ConventionsRequest,
            table=robustness.conventions_table, needs_scores=False, label="Changes"),
    Content("Pairs of runs that change order", robustness.UnsettledRequest, table=robustness.unsettled_table,
            needs_scores=False, label="Pairs"),
    Content("Densities of distances, ROC and DET curves, and distance against rank", distances.DistancesRequest,
            distances.distances_chart, distances.distances_table, has_styles=True),
    Content("Nearest-neighbour classification of one run by class, or of all runs",
            classification.ClassificationRequest, table=classification.classification_table),
    Content("Similarity of the lists of the runs", similarity.RunSimilarityRequest, similarity.run_similarity_chart,
            similarity.run_similarity_table),
    Content("Runs as points of a plane, near each other where their lists are similar", similarity.RunMapRequest,
            similarity.run_map_chart, has_styles=True),
    Content("Relevant models by the runs that find them, and the best run of each query", similarity.HeadroomRequest,
            similarity.headroom_chart, similarity.headroom_table),
    Content("Relevant models that no run finds, as images", missed.MissedRequest, missed.missed_chart,
            missed.missed_table, images=missed.missed_images),
    Content("Sources of the variance of the scores", slices.VarianceRequest, slices.variance_chart,
            slices.variance_table),
    Content("Means of the runs in named sets of queries", slices.SlicesRequest, table=slices.slices_table),
    Content("Ranks of the runs under all assessments of the benchmark", assessments.AssessmentsRequest,
            assessments.assessments_chart, assessments.assessments_table, needs_scores=False, has_styles=True),
    Content("Assessments of the benchmark, and the rank correlation of their leaderboards",
            assessments.AssessmentListRequest, table=assessments.assessment_list_table, needs_scores=False,
            label="Assessments"),
    Content("Models as points of a plane, near each other where a run takes them for similar", map.MapRequest,
            map.map_chart, needs_scores=False),
    Content("Errors and warnings about the files", edits.FindingsRequest, table=edits.findings_table,
            needs_scores=False),
)  # fmt: skip

FIGURES = {row.key: row for row in CONTENT if row.chart is not None}
#: Rows that are charts, and rows that are tables, by their keys, with those of other packages.
TABLES = {row.key: row for row in CONTENT if row.table is not None}


def set_extra_contents(rows: Sequence[Content]) -> None:
    """Replace the rows of other packages; `shrec_viewer.plugins` calls this before the commands are made."""
    for table, name in ((FIGURES, "chart"), (TABLES, "table")):
        table.clear()
        table.update({row.key: row for row in (*CONTENT, *rows) if getattr(row, name) is not None})


def content_of(request: Request) -> Content:
    """The row that a request belongs to."""
    return FIGURES.get(request.kind) or TABLES[request.kind]


def build_chart(data: ContentData, request: Request) -> Chart:
    """The requested chart.

    Raises
    ------
    Cancelled
        If `ContentData.cancelled` returned True.
    ShrecViewerError
        If the benchmark lacks what the chart shows, or has no run, query or measure of a requested name.
    """
    function = content_of(request).chart
    if function is None:
        raise ShrecViewerError(f"'{request.kind}' is a table and no figure")
    if data.cancelled():
        raise Cancelled
    chart = function(data, request)
    chart = replace(chart, notes=(*chart.notes, *_notes_of_runs(data, request)))
    if isinstance(chart, Strips | Sheet | RankRows):
        return replace(chart, key=replace(chart.key, legend=data.legend))
    return chart


def build_table(data: ContentData, request: Request) -> Table:
    """The requested table, with the rows and in the order that it requests. Raises as `build_chart`."""
    function = content_of(request).table
    if function is None:
        raise ShrecViewerError(f"'{request.kind}' is a figure and no table")
    if data.cancelled():
        raise Cancelled
    table = function(data, request)
    notes = [note for note in _notes_of_runs(data, request) if note not in table.notes]
    table = replace(table, notes=(*table.notes, *notes)) if notes else table
    return arranged(table, getattr(request, "sort", ""), getattr(request, "containing", ""))


def _notes_of_runs(data: ContentData, request: Request) -> list[str]:
    """What is to be known about the runs that are shown."""
    if (runs := getattr(request, "runs", None)) is None:
        return []
    return list(filter(None, [geometry_note(data.benchmark, runs or None)]))


#: Value of `TableRequest.sort` for a random order that is the same each time.
RANDOM = "random"


def arranged(table: Table, sort: str, containing: str) -> Table:
    """The table with the rows that contain all words, in the order of a column; see `TableRequest`.

    Raises
    ------
    ShrecViewerError
        If there is no such column.
    """
    keys = [column.key for column in table.columns]
    is_descending = sort not in keys and sort.startswith("-")
    name = sort[1:] if is_descending else sort
    if name not in (*keys, "", RANDOM):
        raise ShrecViewerError(f"there is no column '{name}'; the table has {', '.join(keys)}")
    rows = table.shown_rows(containing, keys.index(name) if name in keys else -1, is_descending=is_descending)
    if sort == RANDOM:
        Random(0).shuffle(rows)
    return table if rows == list(range(len(table.rows))) else table.with_rows(rows)
