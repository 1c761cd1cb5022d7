"""Keeps the models of a collection upright: as the person said last time, or accepts now."""

from dataclasses import replace

from PySide6.QtCore import QObject, Slot

from shrec_viewer.viewmodels.orbit_shot import Drawn
from shrec_viewer.viewmodels.orbit_stage import OrbitStage
from shrec_viewer.viewmodels.orbit_up import UpVotes
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.orbit_offer import OrbitOffer


class Upright(QObject):
    """Counts how the models stand and offers another axis; turns nothing that nobody asked for."""

    def __init__(self, session: Session, stage: OrbitStage, offer: OrbitOffer, parent: QObject) -> None:
        super().__init__(parent)
        self._orbit = session.orbit
        self._stage = stage
        self._offer = offer
        self.votes = UpVotes()
        session.benchmark_changed.connect(self._start_again)
        session.orbit.up_changed.connect(self._turn)
        offer.accepted.connect(self.switch)
        offer.declined.connect(self._keep)
        self._turn()

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
        self._orbit.set_up("Y" if self._orbit.up == "Z" else "Z")

    @Slot()
    def _keep(self) -> None:
        self._offer.set_offer("")
        self._orbit.set_up(self._orbit.up)

    @Slot()
    def _start_again(self) -> None:
        self.votes = UpVotes()
        self._offer.set_offer("")

    @Slot()
    def _turn(self) -> None:
        self._stage.set_camera(replace(self._stage.camera, up=self._orbit.up))
