"""The review of suspects: their order, the one looked at, and the decisions about them."""

from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.content.suspects import SuspectsRequest
from shrec_viewer.diagnosis.suspects import Suspect, SuspectQueue, label_edits
from shrec_viewer.evaluation.edits import with_edits
from shrec_viewer.viewmodels.session.document import Document

#: Decision to keep the present level or label.
KEEP = -1

#: Indices of query and model; the query is -1 for the label of a model.
SuspectPair = tuple[int, int]


class Review(QObject):
    """The suspects under review, which the panels of the queue and of the pair share.

    Parameters
    ----------
    session : the `Session`, which owns this object.

    Attributes
    ----------
    queue : None until suspects were searched.
    pairs : those of the suspects, in the order of the review.
    options : unit, order, and whether suggestion, reason and ranks are hidden (blind).
    current : the suspect looked at; None for none.
    search : the `Computation` of the queue; None before a panel needed it.

    Signals
    -------
    changed()
        An attribute or a decision is another one.
    """

    changed = Signal()

    def __init__(self, session: Any, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.queue: SuspectQueue | None = None
        self.pairs: tuple[SuspectPair, ...] = ()
        self.options = SuspectsRequest()
        self.current: Suspect | None = None
        self.search: Any = None
        session.changed.connect(self._follow)

    @property
    def position(self) -> int:
        """Place of the current suspect in the order, from 0; -1 for none."""
        return -1 if self.current is None else self.pairs.index(pair_of(self.current))

    @property
    def n_decided(self) -> int:
        """Number of suspects with a decision."""
        return sum(self._decision_of(pair) is not None for pair in self.pairs)

    @property
    def decision(self) -> int | None:
        """That about the current suspect: a level, for a label 0 (kept) or 1 (the suggested one); None for none."""
        return None if self.current is None else self._decision_of(pair_of(self.current))

    def show(self, queue: SuspectQueue | None, pairs: tuple[SuspectPair, ...]) -> None:
        """Review these suspects in this order; of another queue the first one without a decision is current."""
        if queue is self.queue and pairs == self.pairs:
            return
        is_other = queue is not self.queue
        self.queue, self.pairs = queue, pairs
        if is_other or self.current is None or pair_of(self.current) not in pairs:
            self.current = None
            self.select(self._undecided_after(-1))
        self.changed.emit()

    def set_options(self, options: SuspectsRequest) -> None:
        """Replace the options."""
        if options != self.options:
            self.options = options
            self.changed.emit()

    def select(self, pair: SuspectPair | None) -> None:
        """Look at the suspect of a pair; None and unknown pairs change nothing."""
        suspects = () if self.queue is None else self.queue.suspects
        found = next((suspect for suspect in suspects if pair_of(suspect) == pair), None)
        if found is not None and found is not self.current:
            self.current = found
            self.changed.emit()

    def step(self, by: int) -> None:
        """Look at the suspect `by` places further, as far as there is one; decisions make no difference."""
        if self.current is not None and 0 <= (place := self.position + by) < len(self.pairs):
            self.select(self.pairs[place])

    def decide(self, decision: int) -> None:
        """Record a decision about the current suspect, which can be undone, and look at the next one without any.

        Parameters
        ----------
        decision : level; `KEEP` for the present one. For labels: 0 or `KEEP` to keep the label, else the suggested one.
        """
        suspect, queue, benchmark = self.current, self.queue, self._session.benchmark
        if suspect is None or queue is None:
            return
        following = self._undecided_after(self.position)
        if queue.by == "model":
            edits = label_edits(with_edits(benchmark, ()), suspect.model, suspect.suggested)
            self._session.edits.review_label(queue.benchmark.collection.ids[suspect.model], int(decision > 0), edits)
        else:
            level = suspect.current if decision == KEEP else decision
            self._session.edits.review_pair(suspect.query, suspect.model, level)
        self.select(following)

    @Slot(object, object)
    def _follow(self, old: Document, new: Document) -> None:
        """Forget a queue of another benchmark; return to the suspect whose decision was undone."""
        if new.differs(old, "opened"):
            self.show(None, ())
            self.current = None
        elif new.differs(old, "reviews"):
            undone = set(old.edited.reviewed) - set(new.edited.reviewed)
            self.select(next((pair for pair in self.pairs if self._names(pair) in undone), None))
            self.changed.emit()

    def _undecided_after(self, place: int) -> SuspectPair | None:
        """The first pair without a decision after a place, else before it."""
        others = (*self.pairs[place + 1 :], *self.pairs[: max(place, 0)])
        return next((pair for pair in others if self._decision_of(pair) is None), None)

    def _decision_of(self, pair: SuspectPair) -> int | None:
        return self._session.edits.edited.reviewed.get(self._names(pair))

    def _names(self, pair: SuspectPair) -> tuple[str, str]:
        assert self.queue is not None
        return names_of(self.queue, pair)


def pair_of(suspect: Suspect) -> SuspectPair:
    """Indices of query and model."""
    return suspect.query, suspect.model


def names_of(queue: SuspectQueue, pair: SuspectPair) -> tuple[str, str]:
    """Ids of query and model, the keys of decisions; the query of a label is ""."""
    query, model = pair
    return "" if query < 0 else queue.benchmark.queries.ids[query], queue.benchmark.collection.ids[model]
