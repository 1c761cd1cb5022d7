"""Which panes of the mesh view are compared with each other, and how."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from shrec_viewer.charts.mesh_pane import MeshPane
from shrec_viewer.geometry.difference import Drawn
from shrec_viewer.render.thumbnails.thumbnail import MeshComparison
from shrec_viewer.render.workers.model_readers import is_image
from shrec_viewer.viewmodels.mesh_view.scene import QUERY, SELECTED


@dataclass(frozen=True)
class ComparedPanes:
    """The panes of a comparison.

    Attributes
    ----------
    shown : panes from left to right.
    reference : with which the others are compared; None without a comparison.
    comparisons : by key of the pane.
    """

    shown: tuple[MeshPane, ...]
    reference: MeshPane | None = None
    comparisons: Mapping[str, MeshComparison] = field(default_factory=dict)

    @property
    def pairs(self) -> dict[str, tuple[Path, MeshComparison]]:
        """File and comparison of each model that is compared, by key of the pane."""
        return {
            pane.key: (pane.path, self.comparisons[pane.key])
            for pane in self.shown
            if pane.path is not None and pane.key in self.comparisons
        }


def compare_panes(panes: Sequence[MeshPane], layout: str, against: str, *, may_mirror: bool) -> ComparedPanes:
    """Compare panes with one of them; without a mesh in the requested one, with the query; else not at all.

    Parameters
    ----------
    layout : ``"side"``: the models are aligned beside the reference; ``"overlay"``: each contains the reference;
        ``"flip"``: the reference and the selected model, shown alternately; "" for no comparison.
    against : key of the pane of the reference.
    may_mirror : whether mirror images are tried, too.
    """
    paths = {pane.key: pane.path for pane in panes if pane.path is not None and not is_image(pane.path)}
    reference = next((pane for key in (against, QUERY) for pane in panes if pane.key == key and key in paths), None)
    answers = [] if reference is None else [key for key in paths if key not in (reference.key, QUERY)]
    if not layout or reference is None or not answers:
        return ComparedPanes(tuple(panes))
    drawn: Drawn = "both" if layout == "overlay" else "moved"
    shown = panes
    if layout == "overlay":
        shown = [pane for pane in panes if pane is not reference]
    elif layout == "flip":
        answers = [SELECTED if SELECTED in answers else answers[0]]
        shown = [pane for pane in panes if pane is reference or pane.key in answers]
    comparisons = {key: MeshComparison(paths[reference.key], drawn, may_mirror) for key in answers}
    if layout == "flip":
        comparisons[reference.key] = MeshComparison(paths[answers[0]], "fixed", may_mirror)
    return ComparedPanes(tuple(shown), reference, comparisons)
