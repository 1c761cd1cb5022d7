"""Graphs of the shown runs, for the query in hand or as means over all."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import Slot

from shrec_viewer.metrics import CURVES, CurveKind
from shrec_viewer.panels.curve_graph import LABELS, GraphPanel
from shrec_viewer.panels.curve_head import MEAN, QUERY, Entry
from shrec_viewer.panels.curve_options import FOR_RECALL, IDEAL, RANDOM, SCOPES, TRIS_POINT, WEDGE, references_of
from shrec_viewer.panels.curve_values import columns_of
from shrec_viewer.panels.curve_words import BY_RANK, choice_words, far_words, mean_words, rank_words
from shrec_viewer.viewmodels.curves import RANK, RECALL, Curves
from shrec_viewer.viewmodels.curves_looks import looks_of
from shrec_viewer.viewmodels.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.plot_axis import Ticks
from shrec_viewer.widgets.plot_curve import PlotCurve
from shrec_viewer.widgets.plot_marks import NO_CURSOR, Cursor, Dot
from shrec_viewer.widgets.plot_reference import References
from shrec_viewer.widgets.plot_table import Column

RANKS = (25, 100, 1000)
"""How many ranks a gain curve can show: the first page, the last cut-off of SHREC 2006, and about all."""


class CurvePanel(GraphPanel):
    """Curves tied to the session: picking a curve selects its run, pointing at a rank points at it everywhere.

    Parameters
    ----------
    name : of the lane that computes the curves.
    keys : the kinds of `CURVES` to choose from, the first one shown at first where the profile names none of `firsts`.
    firsts : kinds that can be shown at first; the others are asked for.
    """

    def __init__(self, session: Session, name: str, keys: Sequence[str], firsts: Sequence[str]) -> None:
        self._firsts = tuple(firsts)
        self._has_chosen = False  # the person, a kind: then conventions change it no more
        by_key = {kind.key: kind for kind in CURVES}
        self._kinds = tuple(by_key[key] for key in keys)
        entries = [
            Entry(kind.key, choice_words(kind), f"{kind.label}\n{kind.definition}\n{kind.source}")
            for kind in self._kinds
        ]
        super().__init__(session, name, entries)
        self._curves = Curves(session, f"curves {name}", self._kinds[0], self)
        self._add_options()
        self.head.kind_picked.connect(self._pick_kind)
        self.head.of_picked.connect(self._pick_of)
        self.head.option_picked.connect(self._pick_option)
        self._curves.changed.connect(self._show_curves)
        session.benchmark_changed.connect(self._show_profile)
        session.profile_changed.connect(self._show_profile)
        session.scores_changed.connect(self._show_curves)
        self._show_profile()

    def _add_options(self) -> None:
        head = self.head
        head.add_option(IDEAL, self.tr("Ideal list"), tip=self.tr("Everything relevant first"))
        head.add_option(RANDOM, self.tr("Random lists"), tip=self.tr("What chance is expected to reach"))
        if any(kind.x_label != BY_RANK and kind.key.startswith("PR") for kind in self._kinds):
            head.add_option(SCOPES, self.tr("Lines of equal scope"), tip=self.tr("Precision = recall × c / scope"))
            head.add_option(WEDGE, self.tr("What cannot be reached"), tip=self.tr("Beyond g r ≤ p ≤ c r"))
            head.add_option(TRIS_POINT, self.tr("Total recall ideal system (TRIS)"))
        head.add_option(LABELS, self.tr("Names at the ends of lines"), on=True)
        head.menu.addSeparator()
        if any(kind.x_label == BY_RANK for kind in self._kinds):
            head.add_group(self.tr("Ranks shown"), [(f"{n}", f"{n:,}") for n in RANKS], f"{self._curves.ranks}")
            over = [(RANK, self.tr("Rank")), (RECALL, self.tr("Recall reached, in percent"))]
            head.add_group(self.tr("Drawn against"), over, RANK)
        self._add_verbs()

    @property
    def kind(self) -> CurveKind:
        """What is drawn."""
        return self._curves.kind

    def view_state(self) -> dict[str, Any]:
        """See `GraphPanel`; a kind that came with the conventions comes with them again."""
        state = super().view_state()
        return state if self._has_chosen else {key: value for key, value in state.items() if key != "kind"}

    def take_view_state(self, state: Mapping[str, Any]) -> None:
        """See `GraphPanel`."""
        if "kind" not in state:
            self._has_chosen = False
            self._show_profile()
        super().take_view_state(state)

    # What it says of its graph.

    def title(self) -> str:
        """See `GraphPanel`."""
        benchmark, selection = self._session.benchmark, self._session.selection
        if benchmark is None:
            return self.kind.key
        of = "mean" if selection.means or selection.query == NOTHING else benchmark.queries.ids[selection.query]
        return f"{benchmark.name} {self.kind.key} {of}"

    def axes(self) -> tuple[str, str, str]:
        """See `GraphPanel`."""
        if self.kind.x_label == BY_RANK and self._curves.over == RECALL:
            return "Recall", self.kind.y_label, "percent"
        return self.kind.x_label, self.kind.y_label, "number"

    def curves(self, theme: str) -> list[PlotCurve]:
        """See `GraphPanel`."""
        benchmark = self._session.benchmark
        if benchmark is None:
            return []
        looks, own = looks_of(benchmark.runs, theme), self._session.edits.colours
        known, nothing = {curve.run: curve for curve in self._curves.curves}, np.zeros(0)
        lines = []
        for place, (run, look) in enumerate(zip(benchmark.runs, looks, strict=True)):
            curve, colour = known.get(place), own.get(run.name, look.colour)
            x, y = (nothing, nothing) if curve is None else (curve.x, curve.y)
            lines.append(PlotCurve(str(place), run.name, x, y, colour, look.dash, marker=look.marker))
        return lines

    def references(self) -> References:
        """See `GraphPanel`."""
        on = {key for key in (IDEAL, RANDOM, *FOR_RECALL) if key in self.head.options and self.head.is_on(key)}
        return references_of(self._curves.baselines, frozenset(on))

    def columns(self) -> list[Column]:
        """See `GraphPanel`."""
        x_label, y_label, _ = self.axes()
        over_recall = self.kind.x_label == BY_RANK and self._curves.over == RECALL
        own_x = over_recall or self.kind.average is not None
        return columns_of(self.drawn(self._theme.name), self.references(), x_label, y_label, own_x=own_x)

    def cursor_at(self, rank: int) -> Cursor:
        """See `GraphPanel`."""
        if not self._curves.curves:
            return NO_CURSOR
        places = [(curve.run, *self._curves.place_at(curve, rank)) for curve in self._curves.curves]
        dots = tuple(Dot(str(run), x, y) for run, x, y in places)
        size, slope = self._curves.baselines.class_size, self._curves.slope_at(rank)
        if self._curves.is_over_ranks:
            shown = self._curves.ranks
            return Cursor(float(rank), dots, words=rank_words(rank, None) if rank <= shown else far_words(rank, shown))
        return Cursor(None, dots, slope=slope, words=rank_words(rank, None if slope is None else size))

    def rank_at(self, x: float) -> int | None:
        """See `GraphPanel`."""
        return self._curves.rank_at(x, self._session.selection.run)

    # What it shows.

    @Slot()
    def _show_profile(self) -> None:
        """Start with the first curve of ours that the profile names, until the person chooses another one."""
        named = [key for key in self._session.profile.curves if key in self._firsts]
        if named and not self._has_chosen:
            self._set_kind(named[0])
        self._show_curves()

    def _set_kind(self, key: str) -> None:
        kind = next(kind for kind in self._kinds if kind.key == key)
        self.head.set_kind(key)
        self._curves.set_kind(kind)
        for option in FOR_RECALL:
            if option in self.head.options:
                self.head.options[option].setEnabled(kind.key.startswith("PR"))
        for option in (*map(str, RANKS), RANK, RECALL):
            if option in self.head.options:
                self.head.options[option].setEnabled(kind.x_label == BY_RANK)
        self._show_means()

    def _show_means(self) -> None:
        """Both graphs are about the same: the query in hand, or the mean over all."""
        means, kind = self._session.selection.means, self._curves.kind
        self.head.of.set_current(MEAN if means else QUERY)
        said = [kind.label, kind.definition, mean_words(kind)] if means else [kind.label, kind.definition]
        self.head.kinds.setToolTip("\n".join((*said, kind.source)))

    @Slot()
    def _show_curves(self) -> None:
        self.show_all()

    def show_all(self) -> None:
        """See `GraphPanel`."""
        benchmark = self._session.benchmark
        if benchmark is None or self._session.scores is None:
            self._show_reason()
            return
        x_label, y_label, ticks = self.axes()
        is_rank = self.kind.x_label == BY_RANK
        words = (y_label, self.kind.key) if is_rank else y_label
        self.plot.set_axes(x_label, words, self._x_range(), self.kind.y_range, _ticks(ticks))
        self.draw()
        self._show_means()
        if self._curves.curves and not any(curve.is_defined for curve in self._curves.curves):
            self.show_empty(self.tr("Nothing to draw"), self.tr("The curve is not defined for this query."))
        else:
            self.show_content()

    def _x_range(self) -> tuple[float, float]:
        if self._curves.is_over_ranks:
            return 1.0, float(self._curves.ranks)
        return self.kind.x_range or (0.0, 1.0)

    def _show_reason(self) -> None:
        benchmark = self._session.benchmark
        if benchmark is None:
            self.show_empty(self.tr("No benchmark is open"))
        elif benchmark.assessment is None:
            self.show_empty(self.tr("Nothing to measure"), self.tr("The benchmark has no relevance assessment."))
        elif not benchmark.runs:
            self.show_empty(self.tr("Nothing to draw"), self.tr("The benchmark has no runs."))
        else:
            self.show_empty(self.tr("Evaluating…"))

    def follow(self, old: Selection, new: Selection) -> None:
        """See `GraphPanel`."""
        if old.means != new.means:
            self._show_means()

    # What the person does.

    @Slot(str)
    def _pick_kind(self, key: str) -> None:
        self._has_chosen = True
        self._set_kind(key)
        self._show_curves()

    @Slot(str)
    def _pick_of(self, what: str) -> None:
        self._session.select(means=what == MEAN)

    @Slot(str, bool)
    def _pick_option(self, key: str, on: bool) -> None:
        if key == LABELS:
            self.plot.set_labelled(on)
        elif key.isdigit():
            self._curves.set_ranks(int(key))
        elif key in (RANK, RECALL):
            self._curves.set_over(key)
        else:
            self.draw()


def _ticks(ticks: str) -> Ticks:
    return "percent" if ticks == "percent" else "halves" if ticks == "halves" else "number"


class PrecisionRecallPanel(CurvePanel):
    """Precision against recall."""

    def __init__(self, session: Session) -> None:
        keys = ("PR20", "PR20(self)", "PR11", "PR")
        super().__init__(session, "precision-recall", keys, keys)


class GainPanel(CurvePanel):
    """Cumulated gain along the ranks, plain, discounted, normalised, and what else runs along them."""

    def __init__(self, session: Session) -> None:
        gains = ("NDCG", "NCG", "DCG", "CG")
        super().__init__(session, "gain", (*gains, "CG(recall)", "DCG(recall)", "P", "R", "ADR"), gains)
