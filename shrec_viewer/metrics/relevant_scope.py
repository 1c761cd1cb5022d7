"""Recall and precision at a relevant scope: when n times as many models are looked at as are relevant."""

from dataclasses import dataclass

from shrec_viewer.metrics.counting import FloatColumn, found, share
from shrec_viewer.metrics.hits import HitTable
from shrec_viewer.metrics.measure import Family, Measure
from shrec_viewer.metrics.profile import Profile
from shrec_viewer.metrics.sources import GENERALITY
from shrec_viewer.metrics.tiers import recall_at_relevant_scope


@dataclass(frozen=True)
class RecallAtScope:
    """(Q,) recall within the first n C places, v(nC)/C."""

    scope: int

    def __call__(self, hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
        """See `MeasureFunction`."""
        return recall_at_relevant_scope(hits, level, self.scope)


@dataclass(frozen=True)
class PrecisionAtScope:
    """(Q,) precision within the first n C places, v(nC)/(nC); its best value is 1/n."""

    scope: int

    def __call__(self, hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
        """See `MeasureFunction`."""
        scope = self.scope * hits.relevant_size(level)
        return share(found(hits, level, scope), scope)


def recall_row(scope: int) -> Measure:
    """GRn: the ordinate of the GRnP graph."""
    times = "as many models are looked at as are relevant" if scope == 1 else f"{scope} times as many are looked at"
    also = "Recall, and at the same time precision," if scope == 1 else "Recall"
    places = "C" if scope == 1 else f"{scope}C"
    return Measure(
        name=f"GR{scope}",
        label=f"Recall at relevant scope {scope}",
        better="higher",
        range=(0.0, 1.0),
        definition=f"{also} when {times}: the ordinate of the generality-recall-precision graph for relevant scope "
        f"{scope}. Any whole number may stand in the name.",
        formula=f"GR{scope} = V({places}) / C",
        source=GENERALITY,
        function=RecallAtScope(scope),
    )


def precision_row(scope: int) -> Measure:
    """GRPn: precision at the same place as GRn."""
    places = "C" if scope == 1 else f"{scope}C"
    return Measure(
        name=f"GRP{scope}",
        label=f"Precision at relevant scope {scope}",
        better="higher",
        range=(0.0, 1.0 / scope),
        definition=f"Precision within the first {places} places, where C models are relevant: GR{scope} divided by "
        f"{scope}, so that its best value is {1.0 / scope:.3g}. Any whole number may stand in the name.",
        formula=f"GRP{scope} = V({places}) / {places}",
        source=GENERALITY,
        function=PrecisionAtScope(scope),
    )


GR1, GR2, GRP2 = recall_row(1), recall_row(2), precision_row(2)
GR_FAMILY = Family("GR", recall_row)
GRP_FAMILY = Family("GRP", precision_row)
