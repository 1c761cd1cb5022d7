"""Tool bar above the status bar that says what the last change did to the scores."""

from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QSizePolicy, QToolBar, QToolButton, QWidget

from shrec_viewer.metrics import Profile
from shrec_viewer.viewmodels.comparison.comparison import compare_most_different
from shrec_viewer.viewmodels.scores.score_tables import describe_changes
from shrec_viewer.viewmodels.session.document import Document, changed_runs
from shrec_viewer.viewmodels.session.edits import RESTORED_EDITS
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.consequences import consequence_text
from shrec_viewer.widgets.controls.controls import ElidingLabel, spacer
from shrec_viewer.widgets.controls.layouts import Stretch, row_of
from shrec_viewer.widgets.controls.plain_text import PlainLabel, set_tooltip
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon, icon_pixmap

#: Size of the icons in pixels.
ICON_SIZE = 16


def is_read_again(before: Document, after: Document) -> bool:
    """Whether files were read again, and no run that was there before has another result."""
    if after.differs(before, "edits", "profile") or after.assessment != before.assessment:
        return False
    old, new = before.scores, after.scores
    if old is None or new is None or (old.queries, old.measures) != (new.queries, new.measures):
        return False
    pairs = [
        (old.values[old.run_index(name)], new.values[new.run_index(name)]) for name in old.runs if name in new.runs
    ]
    return all(np.array_equal(*pair, equal_nan=True) for pair in pairs)


class ConsequenceStrip(QToolBar):
    """What an edit, another convention or other files of the runs changed; hidden until then, by × and by undo.

    Parameters
    ----------
    actions : actions of `COMMANDS`, by their keys.

    Attributes
    ----------
    cause, effect : texts shown.
    """

    def __init__(self, session: Session, actions: Mapping[str, QAction], parent: QWidget) -> None:
        super().__init__("Consequences of the last change", parent)
        self._session = session
        self._actions = actions
        self._before: Document | None = None  # when the scores changed last
        self._index = 0  # of the undo stack then
        self._former: Profile | None = None  # conventions to return to
        self._replaced = ""  # the run whose file was replaced
        self._check = PlainLabel()
        self.cause, self.effect = ElidingLabel(bold=True), ElidingLabel()
        self._compare, self._details, self._undo, self._dismiss = (QToolButton() for _ in range(4))
        self.setObjectName("consequences")
        self.setMovable(False)
        self.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
        self._build()
        self._compare.clicked.connect(self._compare_versions)
        self._details.clicked.connect(self._show_details)
        self._undo.clicked.connect(self._revert)
        self._dismiss.clicked.connect(self._close)
        session.changed.connect(self._follow_session)
        self.set_theme(current_theme())
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme."""
        self._check.setPixmap(icon_pixmap("check", theme.accent, ICON_SIZE, self.devicePixelRatioF()))
        self._dismiss.setIcon(icon("close", theme))

    def _build(self) -> None:
        texts = QWidget()
        texts.setLayout(row_of(SPACE, self._check, self.cause, self.effect, Stretch(), spacing=2 * SPACE, margins=0))
        texts.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(texts)
        self._compare.setText("Compare")
        set_tooltip(self._compare, "Compare the run with its former version")
        self._compare_action = self.addWidget(self._compare)
        self._details.setText("Details")
        set_tooltip(self._details, "Show the edits with what each changes")
        self._details_action = self.addWidget(self._details)
        self._undo.setText("Undo")
        self._dismiss.setAccessibleName("Dismiss")
        set_tooltip(self._dismiss, "Dismiss")
        self._undo_action = self.addWidget(self._undo)
        for button in (self._compare, self._details, self._undo, self._dismiss):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.addWidget(self._dismiss)
        self.addWidget(spacer(SPACE))

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.path != old.path or not new.is_open:
            self._before = None
            self.hide()
        if new.differs(old, "edits") and self._former is None:
            self._undo_action.setVisible(False)  # until the scores are there: the step named is not the last one
        if new.scores is None or (self._before is not None and new.scores is self._before.scores):
            return
        before, index = self._before, self._session.edits.stack.index()
        if before is not None and (is_read_again(before, new) or new.extra_runs is not before.extra_runs):
            # The last change stays: files were read again, or versions are shown as runs.
            self._before = new
            return
        is_undone = index < self._index
        self._before, self._index, self._former, self._replaced = new, index, None, ""
        cause = "" if before is None or is_undone else self._cause(before, new)
        effect = consequence_text(before, new) if before is not None and cause else ""
        self.cause.setText(cause)
        self.effect.setText(effect)
        is_edit = before is not None and self._former is None and new.differs(before, "edits")
        self._compare_action.setVisible(bool(self._replaced))
        self._details_action.setVisible(is_edit and not self._replaced)
        self._undo_action.setVisible(is_edit or self._former is not None)
        self.setVisible(bool(effect))

    def _cause(self, before: Document, new: Document) -> str:
        """What was changed; "" for what only adds measures or runs."""
        if new.differs(before, "profile"):
            self._former = before.profile
            is_other = (before.profile.changed_from or before.profile).key != (
                new.profile.changed_from or new.profile
            ).key
            return f"Conventions of {new.profile.title}" if is_other else describe_changes(before.profile, new.profile)
        if new.differs(before, "assessment"):
            text = self._session.edits.stack.undoText() if new.differs(before, "edits") else "assessment"
            happened = "restored" if text == RESTORED_EDITS else "changed"
            return f"{text[:1].upper()}{text[1:]} {happened}"
        if [run.name for run in before.benchmark.runs] != [run.name for run in new.benchmark.runs]:
            return ""
        changed = changed_runs(before, new)
        names = [new.benchmark.runs[run].name for run in changed]
        self._replaced = names[0] if len(names) == 1 else ""
        happened = "replaced" if any(new.origins[run] != before.origins[run] for run in changed) else "read again"
        return f"{', '.join(names)} {happened}" if names else ""

    @Slot()
    def _close(self) -> None:
        self._session.dismiss_changes()
        self.hide()

    @Slot()
    def _compare_versions(self) -> None:
        if not self._session.versions.compare_with_former(self._replaced):
            compare_most_different(self._session, self._replaced)

    @Slot()
    def _show_details(self) -> None:
        self._session.cursor_state.request_view("edits")

    @Slot()
    def _revert(self) -> None:
        if self._former is not None:
            self._before = None  # the return is no change to be reported
            self._session.set_conventions(self._former)
            self.hide()
        else:
            self._actions["undo"].trigger()
