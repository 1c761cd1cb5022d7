"""Graphs of the shown runs, for the query in hand or as means over all."""

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QStyleOptionComboBox, QVBoxLayout

from shrec_viewer.metrics import CURVES, CurveKind
from shrec_viewer.panels.pane import Pane
from shrec_viewer.panels.switch import Switch
from shrec_viewer.viewmodels.curves import Curves
from shrec_viewer.viewmodels.selection import Selection
from shrec_viewer.viewmodels.series import series_of
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.curve_plot import CurvePlot
from shrec_viewer.widgets.plot_curve import PlotCurve
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme, text_font

RANKS = (25, 100, 1000)
"""How many ranks a gain curve can show: the first page, the last cut-off of SHREC 2006, and about all."""

BY_RANK = "Rank"
"""`CurveKind.x_label` of the curves that run along ranks."""

CHOICE_WIDTH, REACH_WIDTH = 94, 84
"""Pixels of the fields: a key such as NDCG, a number of four digits; the list that opens is as wide as its words."""

FIELD_EDGES = 44
"""Pixels of a field that its words cannot have: its arrow and what is left free at both sides."""

ROOMY = 340
"""Pixels of height from which a graph has room for its legend."""

AROUND, LEGEND = 180, 60
"""Pixels of height that the axis cannot have: fields, axis of ranks and legend; the legend alone, of three lines."""

QUERY, MEAN = "query", "mean"


class KindField(QComboBox):
    """Shows the key alone where there is no room for the words behind it."""

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:  # noqa: N802
        """Qt override."""
        super().initStyleOption(option)
        room = self.width() - FIELD_EDGES
        if self.fontMetrics().horizontalAdvance(option.currentText) > room:
            option.currentText = option.currentText.partition("  ")[0]


class CurvePanel(Pane):
    """Curves tied to the session: picking a curve selects its run, pointing at a rank selects the rank.

    Parameters
    ----------
    name : of the lane that computes the curves.
    keys : the kinds of `CURVES` to choose from, the first one shown at first where the profile names none of them.
    """

    def __init__(self, session: Session, name: str, keys: Sequence[str]) -> None:
        super().__init__("curves")
        self._session = session
        self._theme = current_theme()
        self._kinds = tuple(kind for kind in CURVES if kind.key in keys)
        self._curves = Curves(session, f"curves {name}", self._kinds[0], self)
        self._choice = KindField()
        self._reach = QComboBox()
        self._of = Switch(((QUERY, "Query"), (MEAN, "Mean")))
        self.plot = CurvePlot()
        self._roomy = True
        self._y_words = ""
        self._build()
        self._choice.activated.connect(self._pick_kind)
        self._reach.activated.connect(self._pick_reach)
        self._of.picked.connect(self._pick_of)
        self.plot.curve_picked.connect(self._pick_run)
        self.plot.x_picked.connect(self._pick_place)
        self._curves.changed.connect(self._show_curves)
        session.benchmark_changed.connect(self._show_profile)
        session.profile_changed.connect(self._show_profile)
        session.scores_changed.connect(self._show_curves)
        session.selection_changed.connect(self._show_selection)
        session.list_changed.connect(self._show_cursor)
        self._show_profile()

    @property
    def kind(self) -> CurveKind:
        """What is drawn."""
        return self._curves.kind

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are told by `apply_theme`."""
        self._theme = theme
        self._show_curves()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override; a low graph does without legend and long words, which the table and the tool tip have."""
        super().resizeEvent(event)
        roomy = event.size().height() >= ROOMY
        if roomy != self._roomy:
            self._roomy = roomy
            self.plot.set_legend("full" if roomy else "none")
        if self._y_label() != self._y_words:
            self._show_axes()

    def _build(self) -> None:
        for kind in self._kinds:
            self._choice.addItem(choice_words(kind), kind.key)
            self._choice.setItemData(self._choice.count() - 1, kind.definition, Qt.ItemDataRole.ToolTipRole)
        self._choice.setAccessibleName(self.tr("Kind of curve"))
        self._choice.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._choice.setMinimumWidth(CHOICE_WIDTH)
        self._choice.view().setMinimumWidth(self._choice.sizeHint().width())
        for ranks in RANKS:
            self._reach.addItem(f"{ranks:,}", ranks)
        self._reach.setCurrentIndex(RANKS.index(self._curves.ranks))
        self._reach.setAccessibleName(self.tr("Ranks shown"))
        self._reach.setToolTip(self.tr("Ranks shown"))
        self._reach.setFixedWidth(REACH_WIDTH)
        head = QHBoxLayout()
        head.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 0)
        head.setSpacing(SPACE)
        head.addWidget(self._choice, 1)
        head.addWidget(self._reach)
        head.addWidget(self._of)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.plot, 1)

    @Slot()
    def _show_profile(self) -> None:
        """Start with the curve of ours that the profile names first."""
        named = [key for key in self._session.profile.curves if any(kind.key == key for kind in self._kinds)]
        if named:
            self._set_kind(named[0])
        self._show_curves()

    def _set_kind(self, key: str) -> None:
        place = self._choice.findData(key)
        self._choice.setCurrentIndex(place)
        self._reach.setVisible(self._kinds[place].x_label == BY_RANK)
        self._curves.set_kind(self._kinds[place])
        self._show_means()

    def _show_means(self) -> None:
        """Both graphs are about the same: the query in hand, or the mean over all."""
        means, kind = self._session.selection.means, self._curves.kind
        self._of.set_current(MEAN if means else QUERY)
        said = [kind.definition, mean_words(kind)] if means else [kind.definition]
        self._choice.setToolTip("\n".join((*said, kind.source)))

    @Slot()
    def _show_curves(self) -> None:
        benchmark = self._session.benchmark
        if benchmark is None or self._session.scores is None:
            self._show_reason()
            return
        looks = series_of(benchmark.runs, self._theme.name)
        drawn = [
            PlotCurve(str(curve.run), benchmark.runs[curve.run].name, curve.x, curve.y, look.colour, look.dash)
            for curve in self._curves.curves
            if curve.run < len(looks) and (look := looks[curve.run])
        ]
        self._show_axes()
        self.plot.set_curves(drawn)
        self.plot.set_highlighted(str(self._session.selection.run))
        self._show_means()
        self._show_cursor()
        if self._curves.curves and not any(curve.is_defined for curve in self._curves.curves):
            self.show_empty(self.tr("Nothing to draw"), self.tr("The curve is not defined for this query."))
        else:
            self.show_content()

    def _show_axes(self) -> None:
        kind = self._curves.kind
        x_range = (1.0, float(self._curves.ranks)) if kind.x_range is None else kind.x_range
        self._y_words = self._y_label()
        self.plot.set_axes(kind.x_label, self._y_words, x_range, kind.y_range)

    def _y_label(self) -> str:
        """What the axis says in full, or the key alone where the axis is shorter than that."""
        kind = self._curves.kind
        room = self.height() - (AROUND if self._roomy else AROUND - LEGEND)
        fits = QFontMetricsF(text_font(self.font(), strong=True)).horizontalAdvance(kind.y_label) <= room
        return kind.y_label if fits or kind.x_label != BY_RANK else kind.key

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

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if old.run != new.run:
            self.plot.set_highlighted(str(new.run))
        if old.means != new.means:
            self._show_means()
        if (old.rank, old.run, old.query, old.means) != (new.rank, new.run, new.query, new.means):
            self._show_cursor()

    @Slot()
    def _show_cursor(self) -> None:
        """Mark where the selected rank stands: at the rank, or at the recall reached there."""
        shown, rank = self._session.ranked_list, self._session.selection.rank
        if rank is None or shown is None or rank > len(shown) or self._session.selection.means:
            self.plot.set_cursor(None)
        elif self._curves.kind.x_label == BY_RANK:
            self.plot.set_cursor(float(rank))
        else:
            relevant = int((shown.levels > 0).sum()) + len(shown.not_retrieved)
            found = int((shown.levels[:rank] > 0).sum())
            self.plot.set_cursor(found / relevant if relevant else None)

    @Slot(int)
    def _pick_kind(self, _place: int) -> None:
        self._set_kind(self._choice.currentData())
        self._show_curves()

    @Slot(int)
    def _pick_reach(self, _place: int) -> None:
        self._curves.set_ranks(self._reach.currentData())

    @Slot(str)
    def _pick_of(self, what: str) -> None:
        self._session.select(means=what == MEAN)

    @Slot(str)
    def _pick_run(self, key: str) -> None:
        self._session.select(run=int(key))

    @Slot(float)
    def _pick_place(self, x: float) -> None:
        """Select the rank pointed at, or the rank at which that recall is reached."""
        shown = self._session.ranked_list
        if shown is None or math.isnan(x) or self._session.selection.means or not len(shown):
            return
        if self._curves.kind.x_label == BY_RANK:
            self._session.select(rank=min(max(round(x), 1), len(shown)))
            return
        places = np.flatnonzero(shown.levels > 0)
        wanted = math.ceil(x * (len(places) + len(shown.not_retrieved)) - 1e-9)
        if 1 <= wanted <= len(places):
            self._session.select(rank=int(places[wanted - 1]) + 1)


def choice_words(kind: CurveKind) -> str:
    """How a kind is offered in a narrow field: the key where it is well known, else what sets it apart.

    Examples
    --------
    >>> from shrec_viewer.metrics import find_curve
    >>> choice_words(find_curve("NCG")), choice_words(find_curve("PR11"))
    ('NCG  Normalised cumulated gain', '11 points')
    """
    if kind.x_label == BY_RANK:
        return f"{kind.key}  {kind.label}"
    special = kind.label.partition(", ")[2] or kind.label
    return special[:1].upper() + special[1:]


def mean_words(kind: CurveKind) -> str:
    """What the mean of such curves is, for the tool tip.

    Examples
    --------
    >>> from shrec_viewer.metrics import find_curve
    >>> mean_words(find_curve("PR"))
    'Over all queries: mean precision against mean recall, at each rank.'
    """
    if kind.x_label == BY_RANK:
        return "Over all queries: the mean at each rank."
    if kind.average is not None:
        return "Over all queries: mean precision against mean recall, at each rank."
    return "Over all queries: mean precision at each recall."


class PrecisionRecallPanel(CurvePanel):
    """Precision against recall."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, "precision-recall", ("PR20", "PR20(self)", "PR11", "PR"))


class GainPanel(CurvePanel):
    """Cumulated gain along the ranks: plain, discounted, normalised."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, "gain", ("NDCG", "NCG", "DCG", "CG"))
