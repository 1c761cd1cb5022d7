"""Dock panels of the main window, one row of PANELS each."""

from shrec_viewer.panels.comparison.gain_loss import GainLossPanel
from shrec_viewer.panels.comparison.side_by_side import ComparisonPanel
from shrec_viewer.panels.files.findings import FindingsPanel
from shrec_viewer.panels.files.tasks import TasksPanel
from shrec_viewer.panels.mesh_view.mesh_view import MESH_VIEW_SHORTCUTS, MeshViewPanel
from shrec_viewer.panels.panel.record import LIST_SCOPES, PERSPECTIVES, RANK_SCOPE, Area, Panel, Perspective
from shrec_viewer.panels.plots.curves import GainPanel, PrecisionRecallPanel
from shrec_viewer.panels.plots.generality import GeneralityPanel
from shrec_viewer.panels.plots.plot_panel import PLOT_SHORTCUTS
from shrec_viewer.panels.ranking.notes import NotesPanel
from shrec_viewer.panels.ranking.queries import QueriesPanel
from shrec_viewer.panels.ranking.ranked_list import RANKED_LIST_SHORTCUTS, RankedListPanel
from shrec_viewer.panels.scores.calculation import CalculationPanel
from shrec_viewer.panels.scores.confusion import ConfusionPanel
from shrec_viewer.panels.scores.contingency import ContingencyPanel
from shrec_viewer.panels.scores.heat_map import HeatMapPanel
from shrec_viewer.panels.scores.leaderboard import LEADERBOARD_SHORTCUTS, LeaderboardPanel
from shrec_viewer.panels.scores.measures import MeasuresPanel
from shrec_viewer.panels.scores.significance import SignificancePanel

PLOT_PERSPECTIVES = ("query", "campaign")

PANELS: tuple[Panel, ...] = (
    Panel("results", "Ranked list", "centre", RankedListPanel, ("query",), LIST_SCOPES,
          shortcuts=RANKED_LIST_SHORTCUTS),
    Panel("comparison", "Side by side", "centre", ComparisonPanel, ("compare",), RANK_SCOPE),
    Panel("heat_map", "Heat map", "centre", HeatMapPanel, ("campaign",)),
    Panel("queries", "Queries", "left", QueriesPanel, shortcut_scopes=LIST_SCOPES),
    Panel("notes", "Notes", "left", NotesPanel, ("query",)),
    Panel("precision_recall", "Precision and recall", "right", PrecisionRecallPanel, PLOT_PERSPECTIVES, RANK_SCOPE,
          is_plot=True, shortcuts=PLOT_SHORTCUTS),
    Panel("gain", "Cumulated gain", "right", GainPanel, PLOT_PERSPECTIVES, RANK_SCOPE,
          is_plot=True, shortcuts=PLOT_SHORTCUTS),
    Panel("model_view", "3D view", "right", MeshViewPanel, ("query", "compare"), shortcuts=MESH_VIEW_SHORTCUTS),
    Panel("explanation", "Calculation", "right", CalculationPanel, shortcut_scopes=RANK_SCOPE),
    Panel("contingency", "Contingency table", "right", ContingencyPanel, ("query",), RANK_SCOPE),
    Panel("gain_loss", "Differences per query", "bottom", GainLossPanel, ("compare",), RANK_SCOPE),
    Panel("leaderboard", "Runs", "bottom", LeaderboardPanel, shortcuts=LEADERBOARD_SHORTCUTS),
    Panel("standings", "Significance", "bottom", SignificancePanel, ("campaign",)),
    Panel("measures", "Measures of the run", "bottom", MeasuresPanel, PLOT_PERSPECTIVES),
    Panel("confusion", "Class confusion", "bottom", ConfusionPanel, ("campaign",)),
    Panel("generality", "Generality", "bottom", GeneralityPanel, PLOT_PERSPECTIVES, RANK_SCOPE,
          is_plot=True, shortcuts=PLOT_SHORTCUTS),
    Panel("findings", "Findings", "bottom", FindingsPanel, ("query",)),
    Panel("tasks", "Tasks", "bottom", TasksPanel, ()),
)  # fmt: skip
"""Panels of the program. The order is that of the docks of an area (those at the bottom are tabs) and of menus."""


def all_panels() -> tuple[Panel, ...]:
    """`PANELS`, then the panels of installed plug-ins."""
    return PANELS


__all__ = ["PANELS", "PERSPECTIVES", "Area", "Panel", "Perspective", "all_panels"]
