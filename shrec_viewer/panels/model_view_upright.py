"""Keeps the models of a collection upright: as the person said last time, or accepts now."""

from dataclasses import replace

from PySide6.QtCore import QObject, Slot

from shrec_viewer.viewmodels.orbit_shot import Drawn
from shrec_viewer.viewmodels.orbit_stage import OrbitStage
from shrec_viewer.viewmodels.orbit_up import Up, UpVotes, up_memory
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.orbit_offer import OrbitOffer


class Upright(QObject):
    """Counts how the models stand and offers another axis; turns nothing that nobody asked for."""

    def __init__(self, session: Session, stage: OrbitStage, offer: OrbitOffer, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._stage = stage
        self._offer = offer
        self._memory = up_memory()
        self._votes = UpVotes()
        self._is_settled = False
        session.benchmark_changed.connect(self._start_again)
        offer.accepted.connect(self.switch)
        offer.declined.connect(self._keep)
        self._start_again()

    def count(self, drawn: Drawn) -> None:
        """Another model was seen."""
        self._votes.count(drawn.shot.path, drawn.facts.stands_on)
        suggested = self._votes.suggestion
        if self._is_settled or suggested is None or suggested == self._stage.camera.up:
            self._offer.set_offer("")
            return
        self._offer.set_offer(f"{self._votes.words} models seen so far stand upright if {suggested} points up.")

    @Slot()
    def switch(self) -> None:
        """Let the other axis point up, from now on for this collection."""
        self._settle("Y" if self._stage.camera.up == "Z" else "Z")

    @Slot()
    def _keep(self) -> None:
        self._settle("Z" if self._stage.camera.up == "Z" else "Y")

    def _settle(self, up: Up) -> None:
        self._is_settled = True
        self._offer.set_offer("")
        self._turn(up)
        if self._session.benchmark is not None:
            self._memory.remember(self._session.benchmark.root, up)

    @Slot()
    def _start_again(self) -> None:
        benchmark = self._session.benchmark
        said = None if benchmark is None else self._memory.up_of(benchmark.root)
        self._votes = UpVotes()
        self._is_settled = said is not None
        self._offer.set_offer("")
        self._turn(said or "Y")

    def _turn(self, up: Up) -> None:
        self._stage.set_camera(replace(self._stage.camera, up=up))
