"""Precision-recall and cumulated gain panels, with their reference lines."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from shrec_viewer.charts.plot import Plot
from shrec_viewer.content.curves import (
    AVERAGES,
    BASELINE,
    BEFORE_EDITS,
    IDEAL,
    PRECISION_RECALL_OPTIONS,
    QUERIES,
    RANDOM,
    REFERENCES,
    SCOPE_LINES,
    UNREACHABLE,
    ComputedCurves,
    GainRequest,
    PrecisionRecallRequest,
    ScopeRequest,
    computed_curves,
    curve_plot,
    curves_of,
    default_curve,
    has_scope_lines,
)
from shrec_viewer.content.data import ContentData
from shrec_viewer.evaluation.plots.curves import RANK, RECALL, RunCurve
from shrec_viewer.metrics import Curve
from shrec_viewer.metrics.curves.averaging import CurveAveraging
from shrec_viewer.number_format import SHARE_DECIMALS
from shrec_viewer.panels.plots.plot_panel import PlotKind, PlotPanel, ValueColumn, value_columns
from shrec_viewer.render.scene.palette import RunStyle
from shrec_viewer.viewmodels.content.data import followed
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.plots.overlays import NO_CURSOR, CurveDot, PlotCursor


def kind_labels(curve: Curve) -> tuple[str, str]:
    """Short text and detail of a curve type in the header.

    Examples
    --------
    >>> from shrec_viewer.metrics import find_curve
    >>> kind_labels(find_curve("NCG")), kind_labels(find_curve("PR11"))
    (('NCG', 'Normalised cumulated gain'), ('11 points', ''))
    """
    short, _, detail = (curve.short_label or f"{curve.key}  {curve.label}").partition("  ")
    return short, detail


def mean_description(curve: Curve, average: CurveAveraging | None = None, within: str = "") -> str:
    """How the curve is averaged over the queries, for its tooltip.

    Examples
    --------
    >>> from shrec_viewer.metrics import find_curve
    >>> mean_description(find_curve("PR"))
    'Over all queries: mean at equal recall, 20 points.'
    >>> mean_description(find_curve("P"), "class")
    'Over all queries: mean over classes of means at equal rank.'
    >>> mean_description(find_curve("PR"), within="class: cup")
    'Over the queries of class: cup: mean at equal recall, 20 points.'
    """
    way = curve.averaged(average).label
    text = f"mean over classes of means at {way}" if average == "class" else curve.averaging or f"mean at {way}"
    return f"Over {f'the queries of {within}' if within else 'all queries'}: {text}."


def rank_label(rank: int, class_size: int | None) -> str:
    """Label of the cursor: the rank, and its multiple of the class size where there is one.

    Examples
    --------
    >>> rank_label(12, None), rank_label(52, 104), rank_label(1811, 7)
    ('rank 12', 'rank 52 (0.5 × class size)', 'rank 1,811 (259 × class size)')
    """
    return f"rank {rank:,}" if class_size is None else f"rank {rank:,} ({rank / class_size:.3g} × class size)"


def out_of_range_label(rank: int, shown: int) -> str:
    """Label of the cursor at a rank that the plot does not contain.

    Examples
    --------
    >>> out_of_range_label(1811, 100)
    'rank 1,811 (outside the 100 ranks shown)'
    """
    return f"rank {rank:,} (outside the {shown:,} ranks shown)"


#: Tooltips of entries of the menu.
REFERENCE_TIPS: Mapping[str, str] = {
    IDEAL: "All relevant models first, in order of their levels",
    RANDOM: "Expected value for a random ranking",
    SCOPE_LINES: "Precision = recall × c / s",
    UNREACHABLE: "Outside of g r ≤ p ≤ c r",
}

#: Numbers of ranks that a curve over ranks can show: the first page, the last cutoff of SHREC 2006, all of most.
RANK_LIMITS = (25, 100, 1000)


class CurvePanel(PlotPanel[PrecisionRecallRequest | GainRequest]):
    """Curves of the runs for the selected query, or their means.

    Parameters
    ----------
    options : the options of the panel.
    """

    def __init__(self, session: Session, options: PrecisionRecallRequest | GainRequest) -> None:
        self.kinds: Sequence[Curve] = tuple(curves_of(options.kind))
        entries = [
            PlotKind(kind.key, *kind_labels(kind), f"{kind.label}\n{kind.definition}\n{kind.source}")
            for kind in self.kinds
        ]
        super().__init__(session, options, entries, "curve")
        self._header_shown: tuple[Any, ...] = ()
        self._add_options()
        self.update_request()

    def _add_options(self) -> None:
        header, controls = self.header, self.controls
        keys = (IDEAL, RANDOM, *(PRECISION_RECALL_OPTIONS if self.kinds[0].is_precision_recall else ()), QUERIES)
        header.add_option(controls, "show", {key: REFERENCES[key] for key in keys}, REFERENCE_TIPS)
        header.add_option(controls, "labels")
        header.menu.addSeparator()
        ways = {way.way for kind in self.kinds for way in kind.ways}
        header.add_option(controls, "average", {way: text for way, text in AVERAGES.items() if way in ways})
        if isinstance(self.options, GainRequest):
            header.add_option(controls, "ranks", {n: f"{n:,}" for n in RANK_LIMITS})
            header.add_option(controls, "over")
        self._add_actions()

    @property
    def kind(self) -> Curve:
        """The curve type: the chosen one, else the one that the conventions name."""
        chosen = next((kind for kind in self.kinds if kind.key == self.options.curve), None)
        return chosen or default_curve(self.kinds, self._session.profile)

    @property
    def average(self) -> CurveAveraging:
        """How mean curves are averaged; types that do not have the chosen way have their default."""
        is_over_classes = self._session.selection.mean_over == "classes"
        return "class" if is_over_classes else self.kind.averaged(self.options.average or None).way

    @property
    def computed(self) -> ComputedCurves | None:
        """The curves that are computed."""
        result: ComputedCurves | None = self.computation.result
        return result

    # Request.

    def shown_request(self) -> PrecisionRecallRequest | GainRequest:
        """See `PlotPanel`."""
        session, kind = self._session, self.kind
        request: Any = followed(session, self.options)
        is_mean = not request.query
        is_scaled = kind.at_generality is not None and (not is_mean or self.average == "generality")
        shown = {key for name, key in self.header.options if name == "show" and self.header.is_on(name, key)}
        if (computed := self.computed) is not None:
            shown |= {*self.former_shown(computed.found.former), *self._baseline_shown(computed)}
        request = replace(
            request,
            curve=kind.key,
            average=self.average if is_mean and self.average != kind.ways[0].way else "",
            doublings=session.cursor_state.doublings if is_scaled else None,
            show=tuple(key for key in REFERENCES if key in shown),
            labels=True,
            values=False,
        )
        return replace(request, over=RANK) if isinstance(request, GainRequest) and kind.x != "rank" else request

    def _baseline_shown(self, computed: ComputedCurves) -> tuple[str, ...]:
        """`BASELINE` where the selected run is visible and has a version that is its baseline."""
        selection = self._session.selection
        is_visible = selection.run in selection.visible_runs
        return (BASELINE,) if is_visible and any(one.run == selection.run for one in computed.found.pinned) else ()

    def request(self) -> PrecisionRecallRequest | GainRequest | None:
        """See `RequestPanel`; without what only changes how curves are drawn."""
        if self._session.selection.query == NOTHING:
            return None
        request = self.shown_request()
        has_queries = QUERIES in request.show
        shown = (BEFORE_EDITS, BASELINE, *((QUERIES,) if has_queries else ()))
        request = replace(request, show=shown, highlight=request.highlight if has_queries else "")
        return self.with_computed_runs(request, self.computation.request)

    def compute(self, data: ContentData, request: PrecisionRecallRequest | GainRequest) -> ComputedCurves:
        """See `RequestPanel`."""
        return computed_curves(data, request)

    # Content.

    def plot_shown(self, styles: Mapping[str, RunStyle]) -> Plot | None:
        """See `PlotPanel`."""
        return None if self.computed is None else curve_plot(self.computed, self.shown_request(), styles)

    def computed_runs(self) -> Sequence[RunCurve]:
        """See `PlotPanel`."""
        return () if self.computed is None else self.computed.found.curves

    def y_range(self) -> tuple[float, float] | None:
        """See `PlotPanel`."""
        return None if self.computed is None else self.computed.wanted.kind.y_range

    def columns(self) -> list[ValueColumn]:
        """See `PlotPanel`."""
        computed = self.computed
        if computed is None:
            return []
        kind, is_over_recall = computed.wanted.kind, computed.wanted.over == RECALL
        return value_columns(
            self.visible_curves(),
            self.references(),
            "Recall" if is_over_recall else kind.x_label,
            kind.y_label,
            separate_x=is_over_recall or kind.has_points_of_queries,
            x_decimals=0 if computed.is_over_ranks else SHARE_DECIMALS,
        )

    def cursor_at(self, rank: int) -> PlotCursor:
        """See `PlotPanel`."""
        computed = self.computed
        if computed is None or not computed.found.curves:
            return NO_CURSOR
        curves = computed.found.curves
        dots = tuple(CurveDot(str(curve.run), *computed.point_at(curve, rank)) for curve in curves)
        if computed.is_over_ranks:
            shown = computed.wanted.ranks
            label = rank_label(rank, None) if rank <= shown else out_of_range_label(rank, shown)
            return PlotCursor(float(rank), dots, label=label)
        slope = computed.slope_at(rank)
        class_size = None if slope is None else computed.found.baselines.class_size
        return PlotCursor(None, dots, slope=slope, label=rank_label(rank, class_size))

    def rank_at(self, x: float) -> int | None:
        """See `PlotPanel`."""
        return None if self.computed is None else self.computed.rank_at(x, self._session.selection.run)

    # Display.

    def show_header(self) -> None:
        """See `PlotPanel`."""
        super().show_header()
        kind, average, means = self.kind, self.average, self._session.selection.means
        within = self._session.selection.slice
        if self._header_shown == (self.options, kind, average, means, within):
            return
        self._header_shown = self.options, kind, average, means, within
        header = self.header
        header.set_kind(kind.key)
        lines = [
            kind.label,
            kind.definition,
            *([mean_description(kind, average, within)] if means else []),
            kind.source,
        ]
        set_tooltip(header.kinds, "\n".join(lines))
        header.enable("average", [way.way for way in kind.ways])
        for way in AVERAGES:
            if ("average", way) in header.options:
                header.options["average", way].setChecked(way == average)
        header.enable("ranks", RANK_LIMITS if kind.x == "rank" else ())
        header.enable("over", (RANK, RECALL) if kind.x == "rank" else ())
        has_scopes = has_scope_lines(kind, average, is_mean=means)
        of_queries = (QUERIES,) if means else ()
        header.enable("show", (IDEAL, RANDOM, *(PRECISION_RECALL_OPTIONS if has_scopes else ()), *of_queries))


class PrecisionRecallPanel(CurvePanel):
    """Precision against recall."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, PrecisionRecallRequest())


class GainPanel(CurvePanel):
    """Cumulated gain by rank and recall."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, GainRequest())


class ScopePanel(CurvePanel):
    """Precision, recall and others by rank, F-measure by recall."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, ScopeRequest())
