"""Dock panels of the main window, one row of PANELS each."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from shrec_viewer.content.diagnosis.classification import ClassificationRequest
from shrec_viewer.content.diagnosis.distances import DistancesRequest
from shrec_viewer.content.diagnosis.error_budget import QueryCausesRequest
from shrec_viewer.content.diagnosis.run_groups import RunGroupsRequest
from shrec_viewer.content.diagnosis.similarity import HeadroomRequest, RunMapRequest, RunSimilarityRequest
from shrec_viewer.content.diagnosis.slices import VarianceRequest
from shrec_viewer.content.lists import RelevantRequest
from shrec_viewer.content.scores import RankingsRequest
from shrec_viewer.panels.chart_panel import ChartPanelFactory
from shrec_viewer.panels.comparison.gain_loss import GainLossPanel
from shrec_viewer.panels.comparison.rank_rows import ComparisonPanel
from shrec_viewer.panels.diagnosis.assessments import ASSESSMENTS_SHORTCUTS, AssessmentsPanel
from shrec_viewer.panels.diagnosis.confusions import ClassCostsPanel
from shrec_viewer.panels.diagnosis.edits import EditsPanel
from shrec_viewer.panels.diagnosis.error_budget import ErrorBudgetPanel
from shrec_viewer.panels.diagnosis.map import MAP_SHORTCUTS, MapPanel
from shrec_viewer.panels.diagnosis.missed import MissedPanel
from shrec_viewer.panels.diagnosis.review import ReviewPanel
from shrec_viewer.panels.diagnosis.robustness import RobustnessPanel
from shrec_viewer.panels.diagnosis.slices import SlicesPanel
from shrec_viewer.panels.diagnosis.suspects import SUSPECTS_SHORTCUTS, SuspectsPanel
from shrec_viewer.panels.files.findings import FindingsPanel
from shrec_viewer.panels.files.tasks import TasksPanel
from shrec_viewer.panels.mesh_view.mesh_view import MESH_VIEW_SHORTCUTS, MeshViewPanel
from shrec_viewer.panels.panel import LIST_SCOPES, PERSPECTIVES, RANK_SCOPE, Area, Panel, Perspective
from shrec_viewer.panels.plots.curves import GainPanel, PrecisionRecallPanel, ScopePanel
from shrec_viewer.panels.plots.generality import GeneralityPanel
from shrec_viewer.panels.plots.plot_panel import PLOT_SHORTCUTS
from shrec_viewer.panels.plugin_panels import GuardedFactory
from shrec_viewer.panels.ranking.list_matrix import MATRIX_SHORTCUTS, ListMatrixPanel
from shrec_viewer.panels.ranking.model_page import ModelPagePanel
from shrec_viewer.panels.ranking.notes import NotesPanel
from shrec_viewer.panels.ranking.queries import QueriesPanel
from shrec_viewer.panels.ranking.ranked_list import RANKED_LIST_SHORTCUTS, RankedListPanel
from shrec_viewer.panels.scores.calculation import CalculationPanel
from shrec_viewer.panels.scores.certainty import CertaintyPanel
from shrec_viewer.panels.scores.confusion import ConfusionPanel
from shrec_viewer.panels.scores.contingency import ContingencyPanel
from shrec_viewer.panels.scores.heat_map import HeatMapPanel
from shrec_viewer.panels.scores.run_history import RunHistoryPanel
from shrec_viewer.panels.scores.run_intervals import PracticalPanel, SignificancePanel
from shrec_viewer.panels.scores.score_tables import LEADERBOARD_SHORTCUTS, LeaderboardPanel, RunScoresPanel

PLOT_PERSPECTIVES = ("query", "campaign")

#: Panels of the program, in the order of the docks in each area (at the bottom: tabs), their views, and the menus.
PANELS: tuple[Panel, ...] = (
    Panel("ranked_list", "Ranked list", "centre", RankedListPanel, ("query",), (*LIST_SCOPES, "level"),
          shortcuts=RANKED_LIST_SHORTCUTS,
          group="Query",
          description="Models retrieved for the selected query, as cards with thumbnails and relevance"),
    Panel("matrix", "Thumbnail matrix", "centre", ListMatrixPanel, (), ("level",), shortcuts=MATRIX_SHORTCUTS,
          view_of="ranked_list",
          description="Picture matrix: the ranked lists of all runs for one query, or of one run for all queries, as "
                      "rows of small thumbnails"),
    Panel("comparison", "Comparison", "centre", ComparisonPanel, ("compare",), (*RANK_SCOPE, "level"),
          group="Query",
          description="Ranked lists of two or more runs for one query as rows, with lines between the same models"),
    Panel("heat_map", "Heat map", "centre", HeatMapPanel, ("campaign",),
          group="Runs",
          description="One measure of all runs for all queries as colours"),
    Panel("error_budget", "Error budget", "centre", ErrorBudgetPanel, ("diagnose",),
          group="Runs",
          description="What the selected run loses by cause: hubs, confusions, ties, missing models; and the false "
                      "positives that cost most"),
    Panel("review", "Review", "centre", ReviewPanel, ("assess",), shortcuts=SUSPECTS_SHORTCUTS,
          group="Assess",
          description="The suspect under review: query and model side by side, the reason, and what each level would "
                      "change"),
    Panel("suspects", "Suspects", "left", SuspectsPanel, ("assess",), shortcuts=SUSPECTS_SHORTCUTS,
          group="Assess",
          description="Doubtful relevance levels or labels with their evidence, in the order of their review; "
                      "agreement with a second assessor"),
    Panel("queries", "Queries", "left", QueriesPanel, ("query", "compare", "diagnose", "assess"), LIST_SCOPES,
          group="Query",
          description="List of all queries with their scores, sorted and filtered"),
    Panel("slices", "Slices", "left", SlicesPanel, (),
          view_of="queries",
          description="Means of the selected run in sets of queries: classes, difficulty, number of relevant models, "
                      "and those of benchmark.toml; the plots show the curves of the selected set"),
    Panel("precision_recall", "Precision and recall", "right", PrecisionRecallPanel, PLOT_PERSPECTIVES, RANK_SCOPE,
          is_plot=True, shortcuts=PLOT_SHORTCUTS,
          group="Runs", view_title="Precision-recall",
          description="Precision-recall curves of the runs"),
    Panel("scope", "Precision, recall, F-measure", "right", ScopePanel, (), RANK_SCOPE,
          is_plot=True, shortcuts=PLOT_SHORTCUTS,
          view_of="precision_recall", view_title="Scope, F-measure",
          description="Precision, recall and ADR by rank (scope), F-measure by recall"),
    Panel("gain", "Cumulated gain", "right", GainPanel, PLOT_PERSPECTIVES, RANK_SCOPE,
          is_plot=True, shortcuts=PLOT_SHORTCUTS,
          group="Runs", dock_title="Gain, generality",
          description="CG, NCG, DCG and NDCG by rank"),
    Panel("generality", "Generality", "right", GeneralityPanel, (), RANK_SCOPE,
          is_plot=True, shortcuts=PLOT_SHORTCUTS,
          view_of="gain",
          description="Precision by generality: embedding in larger collections, GRiP and TRIS"),
    Panel("map", "Map", "right", MapPanel, ("diagnose",), shortcuts=MAP_SHORTCUTS,
          group="Query",
          description="Models as points, near each other where the run takes them for similar: scatter plot of the "
                      "collection, MDS, PCA, t-SNE, lasso"),
    Panel("mesh_view", "3D view", "right", MeshViewPanel, ("query", "compare", "diagnose"),
          shortcuts=MESH_VIEW_SHORTCUTS,
          group="Query",
          description="Query and selected model as rotatable meshes"),
    Panel("model", "Model", "right", ModelPagePanel, ("query", "compare", "campaign", "diagnose"),
          group="Query", dock_title="Details",
          description="Page of the selected model: mesh, class, its rank in every run for every query to which it is "
                      "relevant, and false positives"),
    Panel("notes", "Notes", "right", NotesPanel, (),
          view_of="model",
          description="Comments on queries"),
    Panel("relevant", "Relevant models", "right", ChartPanelFactory(RelevantRequest), (),
          view_of="model",
          description="Assessment of the selected query: all its relevant models, and their ranks in every run"),
    Panel("gain_loss", "Differences per query", "bottom", GainLossPanel, ("compare",), RANK_SCOPE,
          group="Runs",
          description="Score differences between runs A and B for each query, largest gain and loss first"),
    Panel("leaderboard", "Runs", "bottom", LeaderboardPanel, ("query", "compare", "campaign"),
          shortcuts=LEADERBOARD_SHORTCUTS,
          group="Runs", view_title="Leaderboard",
          description="Table of all runs with their scores, ranked by the measure; leaderboard"),
    Panel("history", "History of the run", "bottom", RunHistoryPanel, (),
          view_of="leaderboard", view_title="History",
          description="Former versions of the selected run, with their scores, notes and the baseline"),
    Panel("practical", "Incomplete judgements", "bottom", PracticalPanel, (),
          view_of="leaderboard",
          description="Practical system without complete ground truth: bounds and estimates of recall, generality and "
                      "class size from the judged first ranks and a random sample"),
    Panel("run_groups", "Groups of runs", "bottom", ChartPanelFactory(RunGroupsRequest), (),
          view_of="leaderboard", view_title="Groups",
          description="Checkpoints or seeds of one method as a group: its members in order, mean and deviation"),
    Panel("rankings", "Ranking by query", "bottom", ChartPanelFactory(RankingsRequest, shows_order=True), (),
          view_of="leaderboard", view_title="By query",
          description="Leaderboard of each query: the runs in the order of the measure, a column for each query"),
    Panel("run_similarity", "Similarity of runs", "bottom", ChartPanelFactory(RunSimilarityRequest), (),
          view_of="leaderboard", view_title="Similarity",
          description="Rank-biased overlap, AP correlation or common models of the lists of each two runs, with a "
                      "dendrogram"),
    Panel("run_map", "Map of runs", "bottom", ChartPanelFactory(RunMapRequest), (),
          view_of="leaderboard", view_title="Map",
          description="Runs as points, near each other where their lists are similar (MDS)"),
    Panel("headroom", "Headroom", "bottom", ChartPanelFactory(HeadroomRequest), (),
          view_of="leaderboard",
          description="Relevant models by the sets of runs that find them, and the best run of each query"),
    Panel("missed", "Found by no run", "bottom", MissedPanel, (),
          view_of="leaderboard",
          description="Relevant models that no run has among the first C ranks, with their pictures"),
    Panel("significance", "Significance", "bottom", SignificancePanel, ("campaign",),
          group="Runs",
          description="Mean scores with confidence intervals, and which runs differ significantly"),
    Panel("certainty", "Certainty", "bottom", CertaintyPanel, (),
          view_of="significance",
          description="How sure the order of the runs is: rank intervals in resamples of the queries, sure bounds, "
                      "critical differences, practically equivalent runs, and what the order depends on"),
    Panel("variance", "Sources of variance", "bottom", ChartPanelFactory(VarianceRequest), (),
          view_of="significance",
          description="Shares of classes, runs and queries in the variance of the scores"),
    Panel("confusion", "Class confusion", "bottom", ConfusionPanel, ("campaign", "diagnose"),
          group="Runs", dock_title="Confusions", view_title="Matrix",
          description="Which classes are retrieved for queries of which class: confusion matrix and tier image"),
    Panel("class_costs", "Confusions by cost", "bottom", ClassCostsPanel, ("diagnose",),
          view_of="confusion", view_title="By cost",
          description="What models of one class cost queries of another one, the largest excess over chance first, or "
                      "cost them more than in run B, with pictures"),
    Panel("query_causes", "Causes by query", "bottom", ChartPanelFactory(QueryCausesRequest), (),
          view_of="confusion",
          description="Why each query of the selected run loses what it does, and which causes carry it"),
    Panel("classification", "Classification", "bottom", ChartPanelFactory(ClassificationRequest), (),
          view_of="confusion",
          description="Nearest-neighbour classification: precision, recall and F1 of each class; accuracy and MCC of "
                      "the runs"),
    Panel("distances", "Distances", "bottom", ChartPanelFactory(DistancesRequest), (),
          view_of="confusion",
          description="Densities of distances to relevant and irrelevant models, ROC and DET curves, equal error rate, "
                      "distance against rank"),
    Panel("calculation", "Calculation", "bottom", CalculationPanel,
          ("query", "compare", "campaign"), shortcut_scopes=RANK_SCOPE,
          group="Runs", dock_title="Score",
          description="How the selected score was computed, step by step"),
    Panel("contingency", "Contingency table", "bottom", ContingencyPanel, (), RANK_SCOPE,
          view_of="calculation",
          description="Relevant and retrieved models at the cutoff: true and false positives and negatives"),
    Panel("measures", "Scores of the run", "bottom", RunScoresPanel, ("campaign",),
          view_of="calculation",
          description="Table of all scores of the selected run, per query and class"),
    Panel("edits", "Edits", "bottom", EditsPanel, ("assess",),
          group="Assess",
          description="Edits of the relevance assessment: list with reasons, old and new means, rank changes of the "
                      "runs, conclusions that change"),
    Panel("assessments", "Assessments", "bottom", AssessmentsPanel, ("assess",), shortcuts=ASSESSMENTS_SHORTCUTS,
          group="Assess",
          description="Several truths: the leaderboard under each assessment (levels, classes coarse and fine, edits, "
                      "other files), their rank correlation, and a slope chart of the ranks"),
    Panel("robustness", "Robustness", "bottom", RobustnessPanel, ("campaign", "assess"),
          group="Assess",
          description="Rank intervals of the runs under all profiles and single conventions; which pairs of runs "
                      "change order, and by which convention"),
    Panel("findings", "Findings", "bottom", FindingsPanel, ("query", "campaign"),
          group="Files", dock_title="Files",
          description="Errors and warnings about the files of the benchmark"),
    Panel("tasks", "Tasks", "bottom", TasksPanel, (),
          view_of="findings",
          description="Background work with progress"),
)  # fmt: skip


_extra_panels: tuple[Panel, ...] = ()


def set_extra_panels(panels: Sequence[Panel], packages: Mapping[str, str]) -> None:
    """Replace the panels of other packages; `shrec_viewer.plugins` calls this before the window is created.

    Parameters
    ----------
    packages : name and version of each package with plug-ins, by the name of its top module.
    """
    global _extra_panels
    _extra_panels = tuple(replace(panel, factory=GuardedFactory(panel, packages)) for panel in panels)


def all_panels() -> tuple[Panel, ...]:
    """`PANELS`, then the panels of other packages."""
    return (*PANELS, *_extra_panels)


def panels_by_key() -> dict[str, Panel]:
    """The rows of `all_panels` by their keys."""
    return {panel.key: panel for panel in all_panels()}


def docked_panels() -> tuple[Panel, ...]:
    """The rows with a dock of their own, whose other views are `views_of`."""
    return tuple(panel for panel in all_panels() if panel.area != "centre" and not panel.view_of)


def views_of(key: str) -> tuple[Panel, ...]:
    """The rows of the views of a dock, that of the dock first; a single one has no names of views."""
    return (panels_by_key()[key], *(panel for panel in all_panels() if panel.view_of == key))


def dock_of(key: str) -> str:
    """Key of the dock that a panel is in, by the keys of their rows."""
    return panels_by_key()[key].dock


__all__ = [
    "PANELS",
    "PERSPECTIVES",
    "Area",
    "Panel",
    "Perspective",
    "all_panels",
    "dock_of",
    "docked_panels",
    "panels_by_key",
    "set_extra_panels",
    "views_of",
]
