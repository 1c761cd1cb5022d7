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
from shrec_viewer.panels.comparison.side_by_side import ComparisonPanel
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

#: Panels of the program, in the order of the docks in each area (at the bottom: tabs) and of the menus.
PANELS: tuple[Panel, ...] = (
    Panel("ranked_list", "Ranked list", "centre", RankedListPanel, ("query",),
          (*LIST_SCOPES, "level"), shortcuts=RANKED_LIST_SHORTCUTS,
          description="Models retrieved for the selected query, as cards with thumbnails and relevance"),
    Panel("comparison", "Side by side", "centre", ComparisonPanel, ("compare",), (*RANK_SCOPE, "level"),
          description="Ranked lists of two runs for one query, with rank changes"),
    Panel("heat_map", "Heat map", "centre", HeatMapPanel, ("campaign",),
          description="One measure of all runs for all queries as colours"),
    Panel("error_budget", "Error budget", "centre", ErrorBudgetPanel, ("diagnose",),
          description="What the selected run loses by cause: hubs, confusions, ties, missing models; and the false "
                      "positives that cost most"),
    Panel("review", "Review", "centre", ReviewPanel, ("assess",), shortcuts=SUSPECTS_SHORTCUTS,
          description="The suspect under review: query and model side by side, the reason, and what each level would "
                      "change"),
    Panel("suspects", "Suspects", "left", SuspectsPanel, ("assess",), shortcuts=SUSPECTS_SHORTCUTS,
          description="Doubtful relevance levels or labels with their evidence, in the order of their review; "
                      "agreement with a second assessor"),
    Panel("queries", "Queries", "left", QueriesPanel, ("query", "compare", "diagnose", "assess"), LIST_SCOPES,
          description="List of all queries with their scores, sorted and filtered"),
    Panel("notes", "Notes", "left", NotesPanel, ("query",),
          description="Comments on queries"),
    Panel("precision_recall", "Precision and recall", "right", PrecisionRecallPanel, PLOT_PERSPECTIVES, RANK_SCOPE,
          is_plot=True, shortcuts=PLOT_SHORTCUTS,
          description="Precision-recall curves of the runs"),
    Panel("gain", "Cumulated gain", "right", GainPanel, PLOT_PERSPECTIVES, RANK_SCOPE,
          is_plot=True, shortcuts=PLOT_SHORTCUTS,
          description="CG, NCG, DCG and NDCG by rank"),
    Panel("scope", "Precision, recall, F-measure", "right", ScopePanel, (), RANK_SCOPE,
          is_plot=True, shortcuts=PLOT_SHORTCUTS,
          description="Precision, recall and ADR by rank (scope), F-measure by recall"),
    Panel("map", "Map", "right", MapPanel, ("diagnose",), shortcuts=MAP_SHORTCUTS,
          description="Models as points, near each other where the run takes them for similar: scatter plot of the "
                      "collection, MDS, PCA, t-SNE, lasso"),
    Panel("mesh_view", "3D view", "right", MeshViewPanel, ("query", "compare", "diagnose"),
          shortcuts=MESH_VIEW_SHORTCUTS,
          description="Query and selected model as rotatable meshes"),
    Panel("calculation", "Calculation", "right", CalculationPanel, shortcut_scopes=RANK_SCOPE,
          description="How the selected score was computed, step by step"),
    Panel("contingency", "Contingency table", "right", ContingencyPanel, ("query",), RANK_SCOPE,
          description="Relevant and retrieved models at the cutoff: true and false positives and negatives"),
    Panel("gain_loss", "Differences per query", "bottom", GainLossPanel, ("compare",), RANK_SCOPE,
          description="Score differences between runs A and B for each query, largest gain and loss first"),
    Panel("leaderboard", "Runs", "bottom", LeaderboardPanel, shortcuts=LEADERBOARD_SHORTCUTS,
          description="Table of all runs with their scores, ranked by the measure; leaderboard"),
    Panel("significance", "Significance", "bottom", SignificancePanel, ("campaign",),
          description="Mean scores with confidence intervals, and which runs differ significantly"),
    Panel("certainty", "Certainty", "bottom", CertaintyPanel, (),
          description="How sure the order of the runs is: rank intervals in resamples of the queries, sure bounds, "
                      "critical differences, practically equivalent runs, and what the order depends on"),
    Panel("run_groups", "Groups of runs", "bottom", ChartPanelFactory(RunGroupsRequest), (),
          description="Checkpoints or seeds of one method as a group: its members in order, mean and deviation"),
    Panel("measures", "Scores of the run", "bottom", RunScoresPanel, PLOT_PERSPECTIVES,
          description="Table of all scores of the selected run, per query and class"),
    Panel("rankings", "Ranking by query", "bottom", ChartPanelFactory(RankingsRequest), (),
          description="Leaderboard of each query: the runs in the order of the measure, a column for each query"),
    Panel("class_costs", "Confusions by cost", "bottom", ClassCostsPanel, ("diagnose",),
          description="What models of one class cost queries of another one, the largest excess over chance first, or "
                      "cost them more than in run B, with pictures"),
    Panel("query_causes", "Causes by query", "bottom", ChartPanelFactory(QueryCausesRequest), ("diagnose",),
          description="Why each query of the selected run loses what it does, and which causes carry it"),
    Panel("confusion", "Class confusion", "bottom", ConfusionPanel, ("campaign",),
          description="Which classes are retrieved for queries of which class: confusion matrix and tier image"),
    Panel("generality", "Generality", "bottom", GeneralityPanel, PLOT_PERSPECTIVES, RANK_SCOPE,
          is_plot=True, shortcuts=PLOT_SHORTCUTS,
          description="Precision by generality: embedding in larger collections, GRiP and TRIS"),
    Panel("matrix", "Thumbnail matrix", "bottom", ListMatrixPanel, (), ("level",), shortcuts=MATRIX_SHORTCUTS,
          description="Picture matrix: the ranked lists of all runs for one query, or of one run for all queries, as "
                      "rows of small thumbnails"),
    Panel("relevant", "Relevant models", "bottom", ChartPanelFactory(RelevantRequest), (),
          description="Assessment of the selected query: all its relevant models, and their ranks in every run"),
    Panel("model", "Model", "bottom", ModelPagePanel, ("diagnose",),
          description="Page of the selected model: mesh, class, its rank in every run for every query to which it is "
                      "relevant, and false positives"),
    Panel("edits", "Edits", "bottom", EditsPanel, ("assess",),
          description="Edits of the relevance assessment: list with reasons, old and new means, rank changes of the "
                      "runs, conclusions that change"),
    Panel("robustness", "Robustness", "bottom", RobustnessPanel, ("assess",),
          description="Rank intervals of the runs under all profiles and single conventions; which pairs of runs "
                      "change order, and by which convention"),
    Panel("distances", "Distances", "bottom", ChartPanelFactory(DistancesRequest), ("diagnose",),
          description="Densities of distances to relevant and irrelevant models, ROC and DET curves, equal error rate, "
                      "distance against rank"),
    Panel("classification", "Classification", "bottom", ChartPanelFactory(ClassificationRequest), ("diagnose",),
          description="Nearest-neighbour classification: precision, recall and F1 of each class; accuracy and MCC of "
                      "the runs"),
    Panel("run_similarity", "Similarity of runs", "bottom", ChartPanelFactory(RunSimilarityRequest), (),
          description="Rank-biased overlap, AP correlation or common models of the lists of each two runs, with a "
                      "dendrogram"),
    Panel("run_map", "Map of runs", "bottom", ChartPanelFactory(RunMapRequest), (),
          description="Runs as points, near each other where their lists are similar (MDS)"),
    Panel("headroom", "Headroom", "bottom", ChartPanelFactory(HeadroomRequest), (),
          description="Relevant models by the sets of runs that find them, and the best run of each query"),
    Panel("missed", "Found by no run", "bottom", MissedPanel, (),
          description="Relevant models that no run has among the first C ranks, with their pictures"),
    Panel("variance", "Sources of variance", "bottom", ChartPanelFactory(VarianceRequest), (),
          description="Shares of classes, runs and queries in the variance of the scores"),
    Panel("slices", "Slices", "bottom", SlicesPanel, ("query",),
          description="Means of the selected run in sets of queries: classes, difficulty, number of relevant models, "
                      "and those of benchmark.toml; the plots show the curves of the selected set"),
    Panel("assessments", "Assessments", "bottom", AssessmentsPanel, ("assess",), shortcuts=ASSESSMENTS_SHORTCUTS,
          description="Several truths: the leaderboard under each assessment (levels, classes coarse and fine, edits, "
                      "other files), their rank correlation, and a slope chart of the ranks"),
    Panel("history", "History of the run", "bottom", RunHistoryPanel, (),
          description="Former versions of the selected run, with their scores, notes and the baseline"),
    Panel("practical", "Incomplete judgements", "bottom", PracticalPanel, (),
          description="Practical system without complete ground truth: bounds and estimates of recall, generality and "
                      "class size from the judged first ranks and a random sample"),
    Panel("findings", "Findings", "bottom", FindingsPanel, ("query",),
          description="Errors and warnings about the files of the benchmark"),
    Panel("tasks", "Tasks", "bottom", TasksPanel, (),
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
