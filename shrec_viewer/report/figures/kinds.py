"""Kinds of figures: what each panel shows, and the figures of papers, from the benchmark and its scores."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from shrec_viewer.report.figures import curve_figures, image_figures, score_figures
from shrec_viewer.report.figures.content import FigureContent
from shrec_viewer.report.figures.request import FigureData, FigureRequest

FigureFunction = Callable[[FigureData, FigureRequest], FigureContent]
ImageFunction = Callable[[FigureData, FigureRequest], list[Path]]

IMAGE_SIZE, LARGE_IMAGE_SIZE = 256, 768
"""Side of images in pixels: that of the thumbnails of the window, which are cached, and of images across a page."""


@dataclass(frozen=True)
class FigureKind:
    """A kind of figure: one row of `FIGURES`.

    Attributes
    ----------
    key : argument of the command.
    title : what the figure shows.
    build : makes its content.
    needs_scores : whether the runs are evaluated first.
    images : files whose images it shows; None for none.
    image_size : side of these images in pixels.
    """

    key: str
    title: str
    build: FigureFunction
    needs_scores: bool = True
    images: ImageFunction | None = None
    image_size: int = IMAGE_SIZE


_ROWS = (
    FigureKind(
        "precision_recall", "Precision over recall of one query, or averaged over all", curve_figures.precision_recall
    ),
    FigureKind("gain", "Cumulated gain and other curves by rank of one query, or averaged", curve_figures.gain),
    FigureKind("generality", "Recall at a relevant scope over the generality (GRiP)", curve_figures.generality),
    FigureKind(
        "family",
        "Precision over recall of one run at several values of generality",
        curve_figures.family,
    ),
    FigureKind("surface", "Precision over recall and generality of one run (GReP)", curve_figures.surface),
    FigureKind("leaderboard", "Mean scores of the runs as bars, best first", score_figures.leaderboard_figure),
    FigureKind(
        "significance", "Mean scores of the runs with confidence intervals and groups", score_figures.significance
    ),
    FigureKind("heat_map", "A measure of all runs for all queries as colours", score_figures.heat_map_figure),
    FigureKind("gain_loss", "Differences between two runs for each query", score_figures.gain_and_loss),
    FigureKind(
        "confusion", "Classes in the first or second tier of one run as colours", score_figures.confusion_figure, False
    ),
    FigureKind(
        "strips",
        "First models of several runs for several queries, with relevance and the ranks of missed models",
        image_figures.strips,
        False,
        image_figures.strip_images,
    ),
    FigureKind(
        "matrix",
        "Ranked lists of all runs for one query, or of one run for all queries, as rows of images",
        image_figures.matrix,
        False,
        image_figures.matrix_images,
    ),
    FigureKind("queries", "All queries as images", image_figures.queries, False, image_figures.query_images),
    FigureKind(
        "triptych",
        "A query and the models of two runs at one rank as large images",
        image_figures.triptych,
        False,
        image_figures.triptych_images,
        LARGE_IMAGE_SIZE,
    ),
    FigureKind(
        "models",
        "Queries and models as large images",
        image_figures.models,
        False,
        image_figures.model_images,
        LARGE_IMAGE_SIZE,
    ),
    FigureKind(
        "practical",
        "Bounds and estimates of the runs with incomplete judgements",
        score_figures.practical_figure,
        False,
    ),
)

FIGURES: dict[str, FigureKind] = {kind.key: kind for kind in _ROWS}
"""Kinds of figures by their keys."""


def build_figure(data: FigureData, request: FigureRequest) -> FigureContent:
    """The content of the requested figure.

    Raises
    ------
    ShrecError
        If the benchmark lacks what the figure shows, or has no run, query or measure of a requested name.
    """
    return FIGURES[request.kind].build(data, request)
