"""Message strip that suggests a profile where a benchmark states none."""

from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from shrec_viewer.evaluation.profile_suggestion import suggest_profile
from shrec_viewer.metrics import Profile
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.messages import MessageBar


class ProfileSuggestionStrip(MessageBar):
    """A strip of its own: it stays until the person chooses conventions or closes it, and hides no error."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._asked: Path | None = None
        self._suggested: Profile | None = None
        self.action_requested.connect(self._use)
        session.benchmark_changed.connect(self._ask)
        session.profile_changed.connect(self._rest)

    @Slot()
    def _ask(self) -> None:
        session = self._session
        if session.benchmark is not None and session.path == self._asked:
            return  # read once more: asked, and perhaps answered, already
        self.dismiss()
        self._asked = session.path
        self._suggested = None
        if session.benchmark is not None and session.profile.key == session.benchmark.profile:
            self._suggested = suggest_profile(session.benchmark)
        if self._suggested is not None:
            title = self._suggested.title
            words = f"No conventions stated; this looks like {title}."
            self.show_message("info", words, action=f"Use {title}", stays=True)

    @Slot()
    def _use(self, *_: object) -> None:
        if self._suggested is not None:
            self._session.set_profile(self._suggested.key)

    @Slot()
    def _rest(self) -> None:
        self.dismiss()
