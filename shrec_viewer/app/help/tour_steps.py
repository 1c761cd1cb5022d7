"""Steps of the tour: their texts in ``resources/help/tour.md``, and the controls that they point at."""

import re
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

from shrec_viewer.app.commands.command import WindowInterface
from shrec_viewer.resources import resource
from shrec_viewer.widgets.controls.controls import area_on_screen


@dataclass(frozen=True)
class TourStep:
    """A step of the tour.

    Attributes
    ----------
    heading : of its section in ``tour.md``.
    panel : key of a row of `PANELS`, which is opened; "" for a control of the bars.
    part : attribute of the panel, or of the selection bar, that is pointed at; "" for the whole panel.
    menu : name of the menu that is pointed at; "" for a widget.
    perspective : key of a row of `PERSPECTIVES`, which is shown.
    needs_model : whether a model is selected if there is none.
    needs_comparison : whether a second run is selected if there is none.
    """

    heading: str
    panel: str = ""
    part: str = ""
    menu: str = ""
    perspective: str = "query"
    needs_model: bool = False
    needs_comparison: bool = False


#: Steps in order.
TOUR_STEPS: tuple[TourStep, ...] = (
    TourStep("Queries", "queries"),
    TourStep("Ranked list", "ranked_list", "grid"),
    TourStep("The whole list", "ranked_list", "barcode"),
    TourStep("Runs", part="run"),
    TourStep("Precision and recall", "precision_recall"),
    TourStep("3D view", "mesh_view", needs_model=True),
    TourStep("Scores", "leaderboard"),
    TourStep("Calculation", "calculation"),
    TourStep("Conventions", part="conventions.button"),
    TourStep("Two runs side by side", "comparison", perspective="compare", needs_comparison=True),
    TourStep("Gain and loss", "gain_loss", perspective="compare", needs_comparison=True),
    TourStep("All runs and queries", "heat_map", perspective="campaign"),
    TourStep("Significance", "significance", perspective="campaign"),
    TourStep("Why a run is weak", "error_budget", perspective="diagnose"),
    TourStep("Doubtful levels", "review", perspective="assess"),
    TourStep("Findings", "findings"),
    TourStep("Your own contest", menu="File"),
)


@lru_cache(maxsize=1)
def step_texts() -> dict[str, str]:
    """Text of each section of ``tour.md`` as one paragraph, by heading."""
    sections = re.split(r"(?m)^## ", resource("help/tour.md").read_text(encoding="utf-8"))[1:]
    parts = (section.partition("\n") for section in sections)
    return {heading: " ".join(text.split()) for heading, _, text in parts}


def prepare_step(window: WindowInterface, step: TourStep) -> None:
    """Show the perspective and panel of a step, and select what it needs."""
    session, workspace = window.session, window.workspace
    workspace.show_perspective(step.perspective)
    if step.panel:
        workspace.show_panel(step.panel)
    if step.needs_model and session.selection.rank is None:
        session.select(rank=0)
    if step.needs_comparison and session.selection.compared is None:
        session.select(compared=next(run for run in range(len(session.benchmark.runs)) if run != session.selection.run))


def step_target(window: WindowInterface, step: TourStep) -> tuple[QWidget, QRect] | None:
    """The control of a step and its visible area in global coordinates; None while it is not visible."""
    widget: Any
    if step.menu and window.menu_strip.button.isVisible():
        widget = window.menu_strip.button
        area = widget.rect()
    elif step.menu:
        widget = window.menu_strip.menu_bar
        area = widget.actionGeometry(window.menus.menu(step.menu).menuAction())
    else:
        owner = window.workspace.existing_panel(step.panel) if step.panel else window.tool_bar
        if owner is None:
            return None
        widget = attrgetter(step.part)(owner) if step.part else owner
        area = area_on_screen(widget)
    if area.isEmpty() or not widget.isVisible():
        return None
    return widget, QRect(widget.mapToGlobal(area.topLeft()), area.size())
