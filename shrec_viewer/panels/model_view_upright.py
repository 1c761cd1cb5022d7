"""Keeps the models of a collection upright: as the person said last time, or accepts now."""

from dataclasses import replace

from PySide6.QtCore import QObject, Slot

from shrec_viewer.viewmodels.orbit_shot import Drawn
from shrec_viewer.viewmodels.orbit_stage import OrbitStage
from shrec_viewer.viewmodels.orbit_up import Up, UpVotes
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.orbit_deck import OrbitDeck
from shrec_viewer.widgets.orbit_offer import OrbitOffer


class Upright(QObject):
    """Counts how the models stand and offers another axis; turns nothing that nobody asked for."""

    def __init__(
        self, session: Session, stage: OrbitStage, deck: OrbitDeck, offer: OrbitOffer, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._orbit = session.orbit
        self._edits = session.edits
        self._stage = stage
        self._deck = deck
        self._offer = offer
        self.votes = UpVotes()
        session.benchmark_changed.connect(self._start_again)
        session.orbit.up_changed.connect(self._turn)
        offer.accepted.connect(self.switch)
        offer.declined.connect(self._keep)
        session.orbit.camera_changed.connect(self._show_home)
        self._session, self._path = session, session.path
        self._start_there()

    def count(self, drawn: Drawn) -> None:
        """Another model was seen."""
        if drawn.facts.is_picture or drawn.problem:
            return
        self.votes.count(drawn.shot.path, drawn.facts.stands_on)
        suggestion = self.votes.suggestion()
        is_news = not self._orbit.is_settled and suggestion.up not in (None, self._orbit.up)
        self._offer.set_offer(f"Of those seen so far, {suggestion.sentence()}." if is_news else "")

    @Slot()
    def switch(self) -> None:
        """Let the other axis point up, from now on for this collection."""
        self._offer.set_offer("")
        other: Up = "Y" if self._orbit.up == "Z" else "Z"
        self._edits.look_from(replace(self._orbit.camera, up=other), f"{other} axis up")

    @Slot()
    def _keep(self) -> None:
        self._offer.set_offer("")
        self._orbit.set_up(self._orbit.up)

    @Slot()
    def _start_again(self) -> None:
        self.votes = UpVotes()
        self._offer.set_offer("")
        if self._session.path != self._path:  # read once more, it stays as it stands
            self._path = self._session.path
            self._start_there()

    def _start_there(self) -> None:
        """Begin where the collection is looked at from."""
        self._show_home()
        self._stage.set_camera(replace(self._orbit.camera, fit="sphere"))

    @Slot()
    def _show_home(self) -> None:
        self._deck.set_home(replace(self._orbit.camera, fit="sphere"))

    @Slot()
    def _turn(self) -> None:
        self._stage.set_camera(replace(self._stage.camera, up=self._orbit.up))
