"""Precision-recall and cumulated gain panels, with their reference lines."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import Slot

from shrec_viewer.metrics import Curve, curve_table
from shrec_viewer.metrics.generality.scope_graph import TRIS
from shrec_viewer.panels.plots.plot_header import MEAN, QUERY, PlotKind
from shrec_viewer.panels.plots.plot_panel import LABELS, PlotPanel, value_columns
from shrec_viewer.viewmodels.plots.curves import RANK, RECALL, Baselines, CurveModel
from shrec_viewer.viewmodels.plots.run_styles import curve_styles
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.plots.axis import TickFormat
from shrec_viewer.widgets.plots.curves import PlotCurve
from shrec_viewer.widgets.plots.overlays import NO_CURSOR, CurveDot, PlotCursor
from shrec_viewer.widgets.plots.references import ReferenceArea, ReferenceLine, ReferencePoint, References
from shrec_viewer.widgets.plots.value_table import ValueColumn


def kind_label(kind: Curve) -> str:
    """Label of a kind of curve in a narrow field.

    Examples
    --------
    >>> from shrec_viewer.metrics import find_curve
    >>> kind_label(find_curve("NCG")), kind_label(find_curve("PR11"))
    ('NCG  Normalised cumulated gain', '11 points')
    """
    return kind.short_label or f"{kind.key}  {kind.label}"


def mean_description(kind: Curve) -> str:
    """How the curve of a run is averaged, for the tool tip.

    Examples
    --------
    >>> from shrec_viewer.metrics import find_curve
    >>> mean_description(find_curve("PR"))
    'Over all queries: mean precision against mean recall, at each rank.'
    """
    at = kind.x if kind.x != "other" else "point"
    return f"Over all queries: {kind.averaging or f'the mean at each {at}'}."


def scope_label(scope: float) -> str:
    """A relevant scope s / c beside its line.

    Examples
    --------
    >>> scope_words(0.25), scope_words(1.0), scope_words(2.0), scope_words(23.9), scope_words(1 / 104)
    ('c/4', 'c', '2c', '23.9c', 'c/104')
    """
    if scope == 1.0:
        return "c"
    if scope > 1.0:
        return f"{scope:.3g}c"
    return f"c/{1.0 / scope:.3g}"


def rank_label(rank: int, class_size: int | None) -> str:
    """The rank in hand; as a multiple of the class size, which is its relevant scope, where there is one.

    Examples
    --------
    >>> rank_words(12, None), rank_words(52, 104), rank_words(1811, 7)
    ('rank 12', 'rank 52 (0.5 × class size)', 'rank 1,811 (259 × class size)')
    """
    return f"rank {rank:,}" if class_size is None else f"rank {rank:,} ({rank / class_size:.3g} × class size)"


def beyond_range_label(rank: int, shown: int) -> str:
    """Where a rank is that the graph does not reach.

    Examples
    --------
    >>> far_words(1811, 100)
    'rank 1,811 lies beyond the 100 shown'
    """
    return f"rank {rank:,} lies beyond the {shown:,} shown"


IDEAL, RANDOM, SCOPE_LINES, UNREACHABLE, TRIS_POINT = "ideal", "random", "scopes", "wedge", "tris"

PRECISION_RECALL_OPTIONS = (SCOPE_LINES, UNREACHABLE, TRIS_POINT)
"""Options that only the precision-recall graph has."""


def curve_references(baselines: Baselines, on: frozenset[str]) -> References:
    """The references that are on and known."""
    lines: list[ReferenceLine] = []
    areas: list[ReferenceArea] = []
    points: list[ReferencePoint] = []
    if UNREACHABLE in on and baselines.wedge is not None:
        # The wedge is nearly everything; what is left of it and below it is what one wants to see.
        (_, _), (first, _), (_, _), (_, lowest) = baselines.wedge.tolist()
        left = ReferenceArea("Cannot be reached", np.array([0.0, first, 0.0]), np.array([0.0, 1.0, 1.0]))
        below = ReferenceArea("Cannot be reached", np.array([0.0, 1.0, 1.0]), np.array([0.0, lowest, 0.0]))
        areas += [left, below]
    if SCOPE_LINES in on and baselines.lines is not None and baselines.scopes is not None:
        for scope, line in zip(baselines.scopes.tolist(), baselines.lines, strict=True):
            if not np.isnan(line).any():
                words = scope_label(scope)
                lines.append(ReferenceLine(words, line[:, 0], line[:, 1], "line_strong", "dot", words, listed=False))
    if RANDOM in on and baselines.random is not None:
        place = len(baselines.random.x) * 2 // 3
        lines.append(
            ReferenceLine("Random", baselines.random.x, baselines.random.y, "muted", "dash", "random", at=place)
        )
    if IDEAL in on and baselines.ideal is not None:
        place = len(baselines.ideal.x) // 3
        lines.append(ReferenceLine("Ideal", baselines.ideal.x, baselines.ideal.y, "ink", "solid", "ideal", at=place))
    if TRIS_POINT in on:
        points.append(ReferencePoint("TRIS", *TRIS))
    return References(tuple(areas), tuple(lines), tuple(points))


RANK_LIMITS = (25, 100, 1000)
"""How many ranks a gain curve can show: the first page, the last cut-off of SHREC 2006, and about all."""


class CurvePanel(PlotPanel):
    """Curves tied to the session: picking a curve selects its run, pointing at a rank points at it everywhere.

    Parameters
    ----------
    name : of the lane that computes the curves.
    kinds : the kinds of curves to choose from; the first one is the initial one unless the profile names a default.
    defaults : kinds of which the first one that the profile names is shown initially.
    """

    def __init__(self, session: Session, name: str, kinds: Sequence[Curve], defaults: Sequence[Curve]) -> None:
        self._default_kinds = tuple(kind.key for kind in defaults)
        self._user_chose_kind = False  # the person, a kind: then conventions change it no more
        self._kinds = tuple(kinds)
        entries = [
            PlotKind(kind.key, kind_label(kind), f"{kind.label}\n{kind.definition}\n{kind.source}")
            for kind in self._kinds
        ]
        super().__init__(session, name, entries)
        self._curves = CurveModel(session, f"curves {name}", self._kinds[0], self)
        self._add_options()
        self.head.kind_selected.connect(self._select_kind)
        self.head.aggregation_selected.connect(self._select_aggregation)
        self.head.option_toggled.connect(self._select_option)
        self._curves.changed.connect(self._show_curves)
        session.benchmark_changed.connect(self._show_profile)
        session.profile_changed.connect(self._show_profile)
        session.scores_changed.connect(self._show_curves)
        self._show_profile()

    def _add_options(self) -> None:
        head = self.head
        head.add_option(IDEAL, "Ideal list", tip="Everything relevant first")
        head.add_option(RANDOM, "Random lists", tip="What chance is expected to reach")
        if any(kind.is_precision_recall for kind in self._kinds):
            head.add_option(SCOPE_LINES, "Lines of equal scope", tip="Precision = recall × c / scope")
            head.add_option(UNREACHABLE, "What cannot be reached", tip="Beyond g r ≤ p ≤ c r")
            head.add_option(TRIS_POINT, "Total recall ideal system (TRIS)")
        head.add_option(LABELS, "Names at the ends of lines", on=True)
        head.menu.addSeparator()
        if any(kind.x == "rank" for kind in self._kinds):
            head.add_option_group("Ranks shown", [(f"{n}", f"{n:,}") for n in RANK_LIMITS], f"{self._curves.ranks}")
            over = [(RANK, "Rank"), (RECALL, "Recall reached, in percent")]
            head.add_option_group("Drawn against", over, RANK)
        self._add_actions()

    @property
    def kind(self) -> Curve:
        """What is drawn."""
        return self._curves.kind

    def view_state(self) -> dict[str, Any]:
        """See `PlotPanel`; a kind that came with the conventions comes with them again."""
        state = super().view_state()
        return state if self._user_chose_kind else {key: value for key, value in state.items() if key != "kind"}

    def restore_view_state(self, state: Mapping[str, Any]) -> None:
        """See `PlotPanel`."""
        if "kind" not in state:
            self._user_chose_kind = False
            self._show_profile()
        super().restore_view_state(state)

    # What it says of its graph.

    def title(self) -> str:
        """See `PlotPanel`."""
        benchmark, selection = self._session.benchmark, self._session.selection
        if benchmark is None:
            return self.kind.key
        of = "mean" if selection.means or selection.query == NOTHING else benchmark.queries.ids[selection.query]
        return f"{benchmark.name} {self.kind.key} {of}"

    def axes(self) -> tuple[str, str, str]:
        """See `PlotPanel`."""
        if self.kind.x == "rank" and self._curves.over == RECALL:
            return "Recall", self.kind.y_label, "percent"
        return self.kind.x_label, self.kind.y_label, "number"

    def curves(self, theme: str) -> list[PlotCurve]:
        """See `PlotPanel`."""
        benchmark = self._session.benchmark
        if benchmark is None:
            return []
        looks, own = curve_styles(benchmark.runs, theme), self._session.edits.colours
        known, nothing = {curve.run: curve for curve in self._curves.curves}, np.zeros(0)
        lines = []
        for place, (run, look) in enumerate(zip(benchmark.runs, looks, strict=True)):
            curve, colour = known.get(place), own.get(run.name, look.colour)
            x, y = (nothing, nothing) if curve is None else (curve.x, curve.y)
            lines.append(PlotCurve(str(place), run.name, x, y, colour, look.dash, marker=look.marker))
        return lines

    def references(self) -> References:
        """See `PlotPanel`."""
        on = {
            key
            for key in (IDEAL, RANDOM, *PRECISION_RECALL_OPTIONS)
            if key in self.head.options and self.head.is_on(key)
        }
        return curve_references(self._curves.baselines, frozenset(on))

    def columns(self) -> list[ValueColumn]:
        """See `PlotPanel`."""
        x_label, y_label, _ = self.axes()
        over_recall = self.kind.x == "rank" and self._curves.over == RECALL
        own_x = over_recall or self.kind.average is not None
        return value_columns(self.drawn(self._theme.name), self.references(), x_label, y_label, own_x=own_x)

    def cursor_at(self, rank: int) -> PlotCursor:
        """See `PlotPanel`."""
        if not self._curves.curves:
            return NO_CURSOR
        places = [(curve.run, *self._curves.place_at(curve, rank)) for curve in self._curves.curves]
        dots = tuple(CurveDot(str(run), x, y) for run, x, y in places)
        size, slope = self._curves.baselines.class_size, self._curves.slope_at(rank)
        if self._curves.is_over_ranks:
            shown = self._curves.ranks
            return PlotCursor(
                float(rank), dots, words=rank_label(rank, None) if rank <= shown else beyond_range_label(rank, shown)
            )
        return PlotCursor(None, dots, slope=slope, words=rank_label(rank, None if slope is None else size))

    def rank_at(self, x: float) -> int | None:
        """See `PlotPanel`."""
        return self._curves.rank_at(x, self._session.selection.run)

    # What it shows.

    @Slot()
    def _show_profile(self) -> None:
        """Start with the first curve of ours that the profile names, until the person chooses another one."""
        named = [key for key in self._session.profile.curves if key in self._default_kinds]
        if named and not self._user_chose_kind:
            self._set_kind(named[0])
        self._show_curves()

    def _set_kind(self, key: str) -> None:
        kind = next(kind for kind in self._kinds if kind.key == key)
        self.head.set_kind(key)
        self._curves.set_kind(kind)
        for option in PRECISION_RECALL_OPTIONS:
            if option in self.head.options:
                self.head.options[option].setEnabled(kind.is_precision_recall)
        for option in (*map(str, RANK_LIMITS), RANK, RECALL):
            if option in self.head.options:
                self.head.options[option].setEnabled(kind.x == "rank")
        self._show_means()

    def _show_means(self) -> None:
        """Both graphs are about the same: the query in hand, or the mean over all."""
        means, kind = self._session.selection.means, self._curves.kind
        self.head.of.set_current(MEAN if means else QUERY)
        said = [kind.label, kind.definition, mean_description(kind)] if means else [kind.label, kind.definition]
        self.head.kinds.setToolTip("\n".join((*said, kind.source)))

    @Slot()
    def _show_curves(self) -> None:
        self.show_all()

    def show_all(self) -> None:
        """See `PlotPanel`."""
        benchmark = self._session.benchmark
        if benchmark is None or self._session.scores is None:
            self._show_reason()
            return
        x_label, y_label, ticks = self.axes()
        is_rank = self.kind.x == "rank"
        words = (y_label, self.kind.key) if is_rank else y_label
        self.plot.set_axes(x_label, words, self._x_range(), self.kind.y_range, _tick_format(ticks))
        self.draw()
        self._show_means()
        if self._curves.curves and not any(curve.is_defined for curve in self._curves.curves):
            self.show_empty("Nothing to draw", "The curve is not defined for this query.")
        else:
            self.show_content()

    def _x_range(self) -> tuple[float, float]:
        if self._curves.is_over_ranks:
            return 1.0, float(self._curves.ranks)
        return self.kind.x_range or (0.0, 1.0)

    def _show_reason(self) -> None:
        benchmark = self._session.benchmark
        if benchmark is None:
            self.show_empty("No benchmark is open")
        elif benchmark.assessment is None:
            self.show_empty("Nothing to measure", "The benchmark has no relevance assessment.")
        elif not benchmark.runs:
            self.show_empty("Nothing to draw", "The benchmark has no runs.")
        else:
            self.show_empty("Evaluating…")

    def follow(self, old: Selection, new: Selection) -> None:
        """See `PlotPanel`."""
        if old.means != new.means:
            self._show_means()

    # What the person does.

    @Slot(str)
    def _select_kind(self, key: str) -> None:
        self._user_chose_kind = True
        self._set_kind(key)
        self._show_curves()

    @Slot(str)
    def _select_aggregation(self, what: str) -> None:
        self._session.select(means=what == MEAN)

    @Slot(str, bool)
    def _select_option(self, key: str, on: bool) -> None:
        if key == LABELS:
            self.plot.set_labelled(on)
        elif key.isdigit():
            self._curves.set_ranks(int(key))
        elif key in (RANK, RECALL):
            self._curves.set_over(key)
        else:
            self.draw()


def _tick_format(ticks: str) -> TickFormat:
    return "percent" if ticks == "percent" else "halves" if ticks == "halves" else "number"


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
