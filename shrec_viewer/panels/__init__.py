"""Dock panels of the main window, one row of PANELS each."""

from shrec_viewer.panels.comparison.gain_loss import GainLossPanel
from shrec_viewer.panels.comparison.side_by_side import ComparisonPanel
from shrec_viewer.panels.files.findings import FindingsPanel
from shrec_viewer.panels.files.tasks import TasksPanel
from shrec_viewer.panels.mesh_view.mesh_view import MeshViewPanel
from shrec_viewer.panels.panel.record import PERSPECTIVES, Area, Panel, Perspective
from shrec_viewer.panels.plots.curves import GainPanel, PrecisionRecallPanel
from shrec_viewer.panels.plots.generality import GeneralityPanel
from shrec_viewer.panels.ranking.notes import NotesPanel
from shrec_viewer.panels.ranking.queries import QueriesPanel
from shrec_viewer.panels.ranking.ranked_list import RankedListPanel
from shrec_viewer.panels.scores.calculation import CalculationPanel
from shrec_viewer.panels.scores.confusion import ConfusionPanel
from shrec_viewer.panels.scores.contingency import ContingencyPanel
from shrec_viewer.panels.scores.heat_map import HeatMapPanel
from shrec_viewer.panels.scores.leaderboard import LeaderboardPanel
from shrec_viewer.panels.scores.measures import MeasuresPanel
from shrec_viewer.panels.scores.significance import SignificancePanel

PANELS: tuple[Panel, ...] = (
    Panel("results", "Ranked list", "centre", RankedListPanel, ("query",)),
    Panel("comparison", "Side by side", "centre", ComparisonPanel, ("compare",)),
    Panel("heat_map", "Runs and queries", "centre", HeatMapPanel, ("campaign",)),
    Panel("queries", "Queries", "left", QueriesPanel),
    Panel("notes", "Notes", "left", NotesPanel, ("query",)),
    Panel("precision_recall", "Precision and recall", "right", PrecisionRecallPanel, ("query", "campaign")),
    Panel("gain", "Gain", "right", GainPanel, ("query", "campaign")),
    Panel("model_view", "3D view", "right", MeshViewPanel, ("query", "compare")),
    Panel("explanation", "Working", "right", CalculationPanel),
    Panel("contingency", "Contingency", "right", ContingencyPanel, ("query",)),
    Panel("gain_loss", "Gain and loss", "bottom", GainLossPanel, ("compare",)),
    Panel("leaderboard", "Runs", "bottom", LeaderboardPanel),
    Panel("standings", "Standing", "bottom", SignificancePanel, ("campaign",)),
    Panel("measures", "Measures of the run", "bottom", MeasuresPanel, ("query", "campaign")),
    Panel("confusion", "Classes", "bottom", ConfusionPanel, ("campaign",)),
    Panel("generality", "Generality", "bottom", GeneralityPanel, ("query", "campaign")),
    Panel("findings", "Findings", "bottom", FindingsPanel, ("query",)),
    Panel("tasks", "Tasks", "bottom", TasksPanel, ()),
)
"""Every panel; docks of one area stand in this order, those at the bottom behind each other."""

__all__ = ["PANELS", "PERSPECTIVES", "Area", "Panel", "Perspective"]
