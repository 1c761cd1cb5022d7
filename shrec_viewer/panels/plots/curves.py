"""Precision-recall and cumulated gain panels, with their reference lines."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import Slot

from shrec_viewer.charts.plot import PlotCurve, ReferenceLine, References
from shrec_viewer.content.curves import (
    BASELINE,
    BEFORE_EDITS,
    IDEAL,
    PRECISION_RECALL_OPTIONS,
    RANDOM,
    SCOPE_LINES,
    TRIS_POINT,
    UNREACHABLE,
    GainRequest,
    PrecisionRecallRequest,
    baseline_line,
    curve_references,
    generality_range,
    mean_axis_labels,
)
from shrec_viewer.evaluation.plots.curves import RANK, RECALL
from shrec_viewer.metrics import Curve, curve_table
from shrec_viewer.metrics.curves.averaging import CurveAveraging
from shrec_viewer.number_format import SHARE_DECIMALS
from shrec_viewer.panels.panel import missing_scores_reason
from shrec_viewer.panels.plots.plot_panel import (
    LABELS,
    MEAN,
    QUERY,
    PlotAxes,
    PlotKind,
    PlotPanel,
    ValueColumn,
    former_lines,
    value_columns,
)
from shrec_viewer.viewmodels.plots.curves import CurveModel
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.plots.overlays import (
    NO_CURSOR,
    CurveDot,
    PlotCursor,
)


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


def mean_description(curve: Curve, average: CurveAveraging | None = None) -> str:
    """How the curve is averaged over the queries, for its tooltip.

    Examples
    --------
    >>> from shrec_viewer.metrics import find_curve
    >>> mean_description(find_curve("PR"))
    'Over all queries: mean at equal recall, 20 points.'
    >>> mean_description(find_curve("P"), "class")
    'Over all queries: mean over classes of means at equal rank.'
    """
    way = curve.averaged(average).label
    text = f"mean over classes of means at {way}" if average == "class" else curve.averaging or f"mean at {way}"
    return f"Over all queries: {text}."


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


AVERAGING_TEXTS: Mapping[CurveAveraging, str] = {
    "recall": "At equal recall",
    "generality": "At equal relevant scope and generality",
    "rank": "At equal rank",
    "class": "Macro average (mean over classes)",
}
"""Entries of the menu, as ``mean_recall`` …"""


def averaging_of_option(key: str) -> CurveAveraging | None:
    """Way of averaging of a menu entry; None for other entries."""
    return next((way for way in AVERAGING_TEXTS if key == f"mean_{way}"), None)


RANK_LIMITS = (25, 100, 1000)
"""Numbers of ranks that a curve over ranks can show: the first page, the last cutoff of SHREC 2006, all of most."""


class CurvePanel(PlotPanel):
    """Curves of the runs for the selected query, or their means.

    Parameters
    ----------
    name : part of the names of its background tasks.
    kinds : the curve types offered; the first one is the initial one unless the conventions name a default.
    defaults : types of which the first one that the conventions name is shown initially.
    """

    def __init__(self, session: Session, name: str, kinds: Sequence[Curve], defaults: Sequence[Curve]) -> None:
        self._kinds = tuple(kinds)
        self._default_kinds = tuple(kind.key for kind in defaults)
        self._user_chose_kind = False  # then a change of conventions keeps the curve type
        entries = [
            PlotKind(kind.key, *kind_labels(kind), f"{kind.label}\n{kind.definition}\n{kind.source}")
            for kind in self._kinds
        ]
        super().__init__(session, name, entries)
        self._curves = CurveModel(session, f"curves {name}", self._kinds[0], self)
        self._add_options()
        self.header.kind_selected.connect(self._select_kind)
        self.header.option_toggled.connect(self._select_option)
        self._curves.changed.connect(self._show_all)
        session.benchmark_changed.connect(self._show_profile)
        session.profile_changed.connect(self._show_profile)
        session.scores_changed.connect(self._show_state)
        self._show_profile()

    def _add_options(self) -> None:
        header = self.header
        header.add_option(IDEAL, "Ideal ranking", tip="All relevant models first, in order of their levels")
        header.add_option(RANDOM, "Random baseline", tip="Expected value for a random ranking")
        if any(kind.is_precision_recall for kind in self._kinds):
            header.add_option(SCOPE_LINES, "Constant-scope lines", tip="Precision = recall × c / s")
            header.add_option(UNREACHABLE, "Unreachable region", tip="Outside of g r ≤ p ≤ c r")
            header.add_option(TRIS_POINT, "Total recall ideal system (TRIS)")
        header.add_option(LABELS, "Label lines", on=True)
        header.menu.addSeparator()
        ways = {way.way for kind in self._kinds for way in kind.ways} | {"class"}
        averages = [(f"mean_{way}", text) for way, text in AVERAGING_TEXTS.items() if way in ways]
        header.add_option_group("Mean over queries", averages, f"mean_{self._kinds[0].ways[0].way}")
        if any(kind.x == "rank" for kind in self._kinds):
            header.add_option_group("Ranks shown", [(f"{n}", f"{n:,}") for n in RANK_LIMITS], f"{self._curves.ranks}")
            header.add_option_group("X axis", [(RANK, "Rank"), (RECALL, "Recall (%)")], RANK)
        self._add_actions()

    @property
    def kind(self) -> Curve:
        """The curve type shown."""
        return self._curves.kind

    @property
    def average(self) -> CurveAveraging:
        """How mean curves are averaged."""
        return self._curves.average

    def view_state(self) -> dict[str, Any]:
        """See `PlotPanel`; a curve type selected by the conventions is not stored."""
        state = super().view_state()
        return state if self._user_chose_kind else {key: value for key, value in state.items() if key != "kind"}

    def restore_view_state(self, state: Mapping[str, Any]) -> None:
        """See `PlotPanel`."""
        if "kind" not in state:
            self._user_chose_kind = False
            self._show_profile()
        super().restore_view_state(state)

    # Content.

    def title(self) -> str:
        """See `PlotPanel`."""
        benchmark, selection = self._session.benchmark, self._session.selection
        if benchmark is None:
            return self.kind.key
        is_mean = selection.means or selection.query == NOTHING
        return f"{benchmark.name} {self.kind.key} {'mean' if is_mean else benchmark.queries.ids[selection.query]}"

    @property
    def _is_rank_curve_over_recall(self) -> bool:
        return self.kind.x == "rank" and self._curves.over == RECALL

    def axes(self) -> PlotAxes:
        """See `PlotPanel`."""
        return PlotAxes(
            self._x_labels()[0], self.kind.y_label, "percent" if self._is_rank_curve_over_recall else "number"
        )

    def _x_labels(self) -> tuple[str, ...]:
        """Forms of the x axis' title, the longest first; means name the averaging, precision over recall generality."""
        x_label = "Recall" if self._is_rank_curve_over_recall else self.kind.x_label
        generality = generality_range(self._curves.baselines.doublings) if self.kind.is_precision_recall else ""
        if self._session.selection.means:
            return mean_axis_labels(x_label, self.average, self.kind, generality)
        return (f"{x_label} ({generality})" if generality else x_label), x_label

    def curves(self, theme: str) -> list[PlotCurve]:
        """See `PlotPanel`."""
        benchmark = self._session.benchmark
        if benchmark is None:
            return []
        styles = self._session.run_styles.styles(theme)
        computed, empty = {curve.run: curve for curve in self._curves.curves}, np.zeros(0)
        lines = []
        for index, (run, style) in enumerate(zip(benchmark.runs, styles, strict=True)):
            curve = computed.get(index)
            x, y = (empty, empty) if curve is None else (curve.x, curve.y)
            lines.append(PlotCurve(str(index), run.name, x, y, style.colour, style.dash, marker=style.marker))
        return lines

    def references(self) -> References:
        """See `PlotPanel`."""
        known = (IDEAL, RANDOM, *PRECISION_RECALL_OPTIONS)
        checked = {key for key in known if key in self.header.options and self.header.is_on(key)}
        selection = self._session.selection
        selected = self._curves.curve_of(selection.run) if selection.run in selection.visible_runs else None
        found = curve_references(
            self._curves.baselines, frozenset(checked), None if selected is None else selected.bounds
        )
        former = former_lines(self._session, self._curves.former)
        return replace(found, lines=(*former, *found.lines, *self._pinned_line()))

    def _pinned_line(self) -> tuple[ReferenceLine, ...]:
        """The curve of the version that is the baseline of the selected run."""
        run, selection = self._session.run, self._session.selection
        curve = self._curves.pinned_curve(selection.run) if selection.run in selection.visible_runs else None
        if run is None or curve is None:
            return ()
        return (baseline_line(run.name, curve.x, curve.y),)

    def figure_request(self) -> PrecisionRecallRequest | GainRequest:
        """See `PlotPanel`."""
        selection = self._session.selection
        is_mean = selection.means or selection.query == NOTHING
        way = "" if not is_mean or self.average == self.kind.ways[0].way else self.average
        known = (IDEAL, RANDOM, *PRECISION_RECALL_OPTIONS)
        shown = [key for key in known if key in self.header.options and self.header.is_on(key)]
        shown += [BEFORE_EDITS] if former_lines(self._session, self._curves.former) else []
        shown += [BASELINE] if self._pinned_line() else []
        options = self._shared_options() | {
            "curve": self.kind.key, "average": way, "doublings": self._curves.doublings, "show": tuple(shown)
        }  # fmt: skip
        if self.kind.is_precision_recall:
            return PrecisionRecallRequest(**options)
        over = self._curves.over if self.kind.x == "rank" else RANK
        return GainRequest(**options, ranks=self._curves.ranks, over=over)

    def columns(self) -> list[ValueColumn]:
        """See `PlotPanel`."""
        x_label = "Recall" if self._is_rank_curve_over_recall else self.kind.x_label
        y_label = self.kind.y_label
        curves, references = self.visible_curves(self._theme.name), self.references()
        separate_x = self._is_rank_curve_over_recall or self.kind.has_points_of_queries
        x_decimals = 0 if self._curves.is_over_ranks else SHARE_DECIMALS
        return value_columns(curves, references, x_label, y_label, separate_x=separate_x, x_decimals=x_decimals)

    def cursor_at(self, rank: int) -> PlotCursor:
        """See `PlotPanel`."""
        if not self._curves.curves:
            return NO_CURSOR
        positions = [(curve.run, *self._curves.point_at(curve, rank)) for curve in self._curves.curves]
        dots = tuple(CurveDot(str(run), x, y) for run, x, y in positions)
        if self._curves.is_over_ranks:
            shown = self._curves.ranks
            label = rank_label(rank, None) if rank <= shown else out_of_range_label(rank, shown)
            return PlotCursor(float(rank), dots, label=label)
        slope = self._curves.slope_at(rank)
        class_size = None if slope is None else self._curves.baselines.class_size
        return PlotCursor(None, dots, slope=slope, label=rank_label(rank, class_size))

    def rank_at(self, x: float) -> int | None:
        """See `PlotPanel`."""
        return self._curves.rank_at(x, self._session.selection.run)

    # Display.

    @Slot()
    def _show_state(self) -> None:
        """Show why there are no curves, or the first ones; later ones are drawn once they are computed."""
        if self.is_empty or self._session.scores is None:
            self.show_all()

    @Slot()
    def _show_profile(self) -> None:
        """Select the first curve type that the conventions name, unless the user chose one."""
        named = [key for key in self._session.profile.curves if key in self._default_kinds]
        if named and not self._user_chose_kind:
            self._set_kind(named[0])
        self.show_all()

    def _set_kind(self, key: str) -> None:
        kind = next(kind for kind in self._kinds if kind.key == key)
        self.header.set_kind(key)
        self._curves.set_kind(kind)
        options = self.header.options
        for option in options.keys() & {*map(str, RANK_LIMITS), RANK, RECALL}:
            options[option].setEnabled(kind.x == "rank")
        self._show_aggregation()

    def _show_aggregation(self) -> None:
        means, kind, average = self._session.selection.means, self._curves.kind, self.average
        self.header.aggregation.set_current(MEAN if means else QUERY)
        lines = [kind.label, kind.definition, *([mean_description(kind, average)] if means else []), kind.source]
        set_tooltip(self.header.kinds, "\n".join(lines))
        options, offered = self.header.options, {"class", *(way.way for way in kind.ways)}
        for way in AVERAGING_TEXTS:
            if f"mean_{way}" in options:
                options[f"mean_{way}"].setEnabled(way in offered)
                options[f"mean_{way}"].setChecked(way == average)
        has_scopes = kind.is_precision_recall and (not means or average == "generality")
        for option in options.keys() & set(PRECISION_RECALL_OPTIONS):
            options[option].setEnabled(has_scopes)

    def show_all(self) -> None:
        """See `PlotPanel`."""
        benchmark = self._session.benchmark
        if benchmark is None or self._session.scores is None:
            self.show_empty(*missing_scores_reason(self._session))
            return
        _, y_label, tick_format = self.axes()
        y_labels = (y_label, self.kind.key) if self.kind.x == "rank" else y_label
        self._show_aggregation()
        self.plot.set_axes(self._x_labels(), y_labels, self._x_range(), self.kind.y_range, tick_format)
        self.draw()
        curves = self._curves.curves
        self.show_curves(defined=not curves or any(curve.is_defined for curve in curves))

    def _x_range(self) -> tuple[float, float]:
        if self._curves.is_over_ranks:
            return 1.0, float(self._curves.ranks)
        return self.kind.x_range or (0.0, 1.0)

    def on_selection_changed(self, old: Selection, new: Selection) -> None:
        """See `PlotPanel`."""
        if old.means != new.means:
            self._show_aggregation()
        if old.run != new.run:
            self.plot.set_references(self.references())

    # Interaction.

    @Slot(str)
    def _select_kind(self, key: str) -> None:
        self._user_chose_kind = True
        self._set_kind(key)
        self.show_all()

    @Slot(str, bool)
    def _select_option(self, key: str, on: bool) -> None:
        if key == LABELS:
            self.plot.set_labelled(on)
        elif key.isdigit():
            self._curves.set_ranks(int(key))
        elif key in (RANK, RECALL):
            self._curves.set_over(key)
        elif (way := averaging_of_option(key)) is not None:
            self._curves.set_average(way)
            self.show_all()
        else:
            self.draw()


class PrecisionRecallPanel(CurvePanel):
    """Precision against recall."""

    def __init__(self, session: Session) -> None:
        kinds = [kind for kind in curve_table() if kind.is_precision_recall]
        super().__init__(session, "precision-recall", kinds, kinds)


class GainPanel(CurvePanel):
    """Cumulated gain by rank, and all other curves except those of precision over recall and by generality."""

    def __init__(self, session: Session) -> None:
        kinds = [kind for kind in curve_table() if not kind.is_precision_recall and kind.x != "generality"]
        kinds.sort(key=lambda kind: kind.y != "gain")
        super().__init__(session, "gain", kinds, [kind for kind in kinds if kind.y == "gain" and kind.x == "rank"])
