"""Docks: one file is one widget tied to the session, one row here is one dock."""

from shrec_viewer.panels.comparison import ComparisonPanel
from shrec_viewer.panels.confusion import ConfusionPanel
from shrec_viewer.panels.contingency import ContingencyPanel
from shrec_viewer.panels.curve_panel import GainPanel, PrecisionRecallPanel
from shrec_viewer.panels.explanation import ExplanationPanel
from shrec_viewer.panels.findings import FindingsPanel
from shrec_viewer.panels.gain_loss import GainLossPanel
from shrec_viewer.panels.generality import GeneralityPanel
from shrec_viewer.panels.heat_map import HeatMapPanel
from shrec_viewer.panels.leaderboard import LeaderboardPanel
from shrec_viewer.panels.measures import MeasuresPanel
from shrec_viewer.panels.model_view import ModelViewPanel
from shrec_viewer.panels.notes import NotesPanel
from shrec_viewer.panels.panel import Area, Panel
from shrec_viewer.panels.perspective import PERSPECTIVES, Perspective
from shrec_viewer.panels.queries import QueriesPanel
from shrec_viewer.panels.results import ResultsPanel
from shrec_viewer.panels.standings import StandingsPanel
from shrec_viewer.panels.tasks import TasksPanel

PANELS: tuple[Panel, ...] = (
    Panel("results", "Ranked list", "centre", ResultsPanel, ("query",)),
    Panel("comparison", "Side by side", "centre", ComparisonPanel, ("compare",)),
    Panel("heat_map", "Runs and queries", "centre", HeatMapPanel, ("campaign",)),
    Panel("queries", "Queries", "left", QueriesPanel),
    Panel("notes", "Notes", "left", NotesPanel, ("query",)),
    Panel("precision_recall", "Precision and recall", "right", PrecisionRecallPanel, ("query", "campaign")),
    Panel("gain", "Gain", "right", GainPanel, ("query", "campaign")),
    Panel("model_view", "3D view", "right", ModelViewPanel, ("query", "compare")),
    Panel("explanation", "Working", "right", ExplanationPanel),
    Panel("contingency", "Contingency", "right", ContingencyPanel, ("query",)),
    Panel("gain_loss", "Gain and loss", "bottom", GainLossPanel, ("compare",)),
    Panel("leaderboard", "Runs", "bottom", LeaderboardPanel),
    Panel("standings", "Standing", "bottom", StandingsPanel, ("campaign",)),
    Panel("measures", "Measures of the run", "bottom", MeasuresPanel, ("query", "campaign")),
    Panel("confusion", "Classes", "bottom", ConfusionPanel, ("campaign",)),
    Panel("generality", "Generality", "bottom", GeneralityPanel, ("query", "campaign")),
    Panel("findings", "Findings", "bottom", FindingsPanel, ("query",)),
    Panel("tasks", "Tasks", "bottom", TasksPanel, ()),
)
"""Every panel; docks of one area stand in this order, those at the bottom behind each other."""

__all__ = ["PANELS", "PERSPECTIVES", "Area", "Panel", "Perspective"]
