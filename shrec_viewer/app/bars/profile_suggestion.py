"""Message strip that suggests a profile where a benchmark states none."""

from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from shrec_viewer.evaluation.profile_suggestion import suggest_profile
from shrec_viewer.metrics import Profile
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.messages import MessageBar


class ProfileSuggestionStrip(MessageBar):
    """Message bar shown until a profile is chosen or it is closed; separate from that for errors, to cover none."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._path: Path | None = None
        self._suggested: Profile | None = None
        self.action_requested.connect(self._use_suggested)
        session.benchmark_changed.connect(self._update)
        session.profile_changed.connect(self._dismiss)

    @Slot()
    def _update(self) -> None:
        session = self._session
        if session.benchmark is not None and session.path == self._path:
            return  # reloaded: the suggestion was shown before
        self.dismiss()
        self._path = session.path
        self._suggested = None
        if session.benchmark is not None and not session.is_profile_chosen:
            self._suggested = suggest_profile(session.benchmark)
        if self._suggested is not None:
            title = self._suggested.title
            self.show_message(
                "info", f"No profile given; this looks like {title}.", action=f"Use {title}", persistent=True
            )

    @Slot()
    def _use_suggested(self, *_: object) -> None:
        if self._suggested is not None:
            self._session.set_profile(self._suggested.key)

    @Slot()
    def _dismiss(self) -> None:
        self.dismiss()
