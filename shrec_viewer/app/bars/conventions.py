"""Conventions of the evaluation: a button in the tool bar, the popup that it opens, and the suggestion of a profile."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QLabel,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.evaluation.evaluate import suggest_profile
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.core.read_choices import METRIC_LABELS
from shrec_viewer.formats.discovery.run_selection import unused_name
from shrec_viewer.formats.manifest.manifest import ManifestEdit
from shrec_viewer.metrics import CONVENTIONS, Convention, Profile, find_convention, profile_table, with_convention
from shrec_viewer.metrics.tables import PROFILE_KEYS
from shrec_viewer.panels.name_dialog import NameDialog
from shrec_viewer.viewmodels.files.import_dialog import write_edits
from shrec_viewer.viewmodels.files.run_submission import unwritable_reason
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.scoring import Means, score_profiles
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.consequences import consequence_text
from shrec_viewer.widgets.controls.controls import ComboField, add_heading, caption
from shrec_viewer.widgets.controls.layouts import Stretch, column_of, row_of
from shrec_viewer.widgets.controls.messages import MessageBar
from shrec_viewer.widgets.controls.plain_text import PlainLabel, escape_mnemonic, set_tooltip
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon

#: Conventions shown as fields: caption. The others are in the menu below them.
VISIBLE_CONVENTIONS = {
    "relevant_from": "Relevant from",
    "ties": "Ties",
    "self_match": "Self-match",
    "missing_query": "Missing queries",
}

#: Headings of the groups of `CONVENTIONS` in the menu.
GROUP_TITLES = {"lists": "Ranked lists", "means": "Means", "measures": "Measures"}

#: Widths in pixels: of the captions, of the fields, of the field of the profile, and of the popup.
CAPTION_WIDTH, FIELD_WIDTH, PROFILE_WIDTH, POPUP_WIDTH = 128, 100, 180, 372

#: Keys of the tasks that evaluate the runs without changed conventions, and that write these to benchmark.toml.
EFFECT, SAVE = "effect of the conventions", "save profile"

#: Sizes in pixels of the icon of the button, and of the dot that marks changed conventions.
ICON_SIZE, DOT_SIZE = 16, 8


class ConventionsPopup(QFrame):
    """Popup with the profile and its conventions; scores are recomputed immediately.

    Attributes
    ----------
    profile : field with the profile.
    save, rename, remove : open the dialog that gives changed conventions a name, or another one; forget the name.
    button : for the tool bar; shows the profile and how many conventions are changed, and opens the popup.

    Signals
    -------
    names_changed(names)
        The user saved, renamed or removed a profile; see `Settings.profile_names`.
    """

    names_changed = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._session = session
        self._fields: dict[str, ComboField] = {}
        self._changed: dict[str, QLabel] = {}
        self._meanings: dict[str, QLabel] = {}
        self._effect = PlainLabel(wraps=True, muted=True)
        self._values: list[tuple[Convention, object, QAction]] = []
        self._levels: tuple[int, ...] = ()
        self._menu = QMenu(self)
        self.button = QToolButton(toolButtonStyle=Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.profile = ComboField("Conventions", PROFILE_WIDTH)
        self._more = QToolButton()
        self._names: Mapping[str, str] = {}
        self._reset, self.save = QPushButton(), QPushButton("Save as profile…")
        self.rename, self.remove = QPushButton("Rename…"), QPushButton("Remove")
        self.setObjectName("conventions")
        self.setAccessibleName("Conventions of the evaluation")
        self.setAttribute(Qt.WidgetAttribute.WA_NoMouseReplay)  # a click on the button closes the popup only
        self._build()
        for field in (self.profile, *self._fields.values()):
            field.set_compact(True)
        self.button.clicked.connect(self.open)
        self.profile.value_picked.connect(session.set_profile)
        self._reset.clicked.connect(self._reset_profile)
        self.save.clicked.connect(self._choose_name)
        self.rename.clicked.connect(self._choose_name)
        self.remove.clicked.connect(self._remove_name)
        session.changed.connect(self._follow_session)
        self._show_benchmark()
        self.set_theme(current_theme())

    def field(self, name: str) -> ComboField:
        """The field of a convention in `VISIBLE_CONVENTIONS`."""
        return self._fields[name]

    def action(self, name: str, value: object) -> QAction:
        """The menu action that sets a convention to a value."""
        return next(action for choice, row, action in self._values if choice.field == name and row == value)

    def set_compact(self, compact: bool) -> None:
        """Show only the icon in the button, or the text beside it."""
        styles = Qt.ToolButtonStyle
        self.button.setToolButtonStyle(styles.ToolButtonIconOnly if compact else styles.ToolButtonTextBesideIcon)

    @Slot()
    def open(self) -> None:
        """Show the popup below the button, inside the screen."""
        self.adjustSize()
        corner = self.button.mapToGlobal(QPoint(self.button.width() - self.width(), self.button.height() + SPACE))
        self.move(max(corner.x(), self.button.screen().availableGeometry().left()), corner.y())
        self.show()
        self.profile.setFocus(Qt.FocusReason.PopupFocusReason)

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme."""
        self._reset.setIcon(icon("undo", theme))
        self._show_profile()

    def _build(self) -> None:
        self.button.setProperty("chip", True)
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._more.setAccessibleName("More conventions")
        self._more.setMenu(self._menu)
        for group, heading in GROUP_TITLES.items():
            add_heading(self._menu, heading)
            for choice in CONVENTIONS:
                if choice.group == group and choice.field not in VISIBLE_CONVENTIONS:
                    self._add_submenu(choice)
        self._add_metrics(self._menu.addMenu("Metric of feature vectors"))
        grid = QGridLayout()
        grid.setColumnMinimumWidth(0, CAPTION_WIDTH)
        grid.setColumnStretch(2, 1)
        grid.addWidget(caption("Conventions of"), 0, 0)
        grid.addWidget(self.profile, 0, 1, 1, 2, Qt.AlignmentFlag.AlignLeft)
        for row, (name, title) in enumerate(VISIBLE_CONVENTIONS.items(), 1):
            choice = find_convention(name)
            field = self._fields[name] = ComboField(choice.label, FIELD_WIDTH)
            set_tooltip(field, choice.explanation)
            field.value_picked.connect(self._pick_field)
            self._changed[name] = PlainLabel("changed", muted=True)
            self._meanings[name] = PlainLabel(wraps=True, muted=True)
            self._meanings[name].setContentsMargins(0, 0, 0, 2 * SPACE)
            grid.addWidget(self._meanings[name], 2 * row + 1, 0, 1, 3)
            for column, part in enumerate((caption(title, choice.explanation), field, self._changed[name])):
                grid.addWidget(
                    part, 2 * row, column, Qt.AlignmentFlag.AlignLeft if column < 2 else Qt.AlignmentFlag.AlignRight
                )
        grid.setVerticalSpacing(0)
        set_tooltip(self.remove, "Remove the name from the list; the conventions stay as they are")
        names = row_of(self.save, self.rename, self.remove, Stretch(), spacing=2 * SPACE, margins=0)
        reset = row_of(self._reset, Stretch(), margins=0)
        rows = grid, row_of(self._more, Stretch(), margins=0), self._effect, reset, names
        self.setLayout(column_of(*rows, spacing=2 * SPACE, margins=3 * SPACE))
        self.setFixedWidth(POPUP_WIDTH)

    def _add_metrics(self, menu: QMenu) -> None:
        self._metric_menu, self._metrics = menu.menuAction(), QActionGroup(menu)
        for key, label in METRIC_LABELS.items():
            action = menu.addAction(label)
            action.setCheckable(True)
            action.setData(key)
            self._metrics.addAction(action)
        self._metrics.triggered.connect(self._pick_metric)

    def _add_submenu(self, choice: Convention) -> None:
        menu = self._menu.addMenu(choice.label)
        menu.setToolTipsVisible(True)
        set_tooltip(menu.menuAction(), choice.explanation)
        group = QActionGroup(menu)
        for allowed in choice.values:
            action = menu.addAction(allowed.label)
            action.setCheckable(True)
            set_tooltip(action, allowed.explanation)
            action.triggered.connect(self._pick_action)
            group.addAction(action)
            self._values.append((choice, allowed.value, action))

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        # Most edits change no levels, and to update the fields lays out the window.
        if new.differs(old, "benchmark") or (new.differs(old, "assessment") and new.benchmark.levels != self._levels):
            self._show_benchmark()
        elif new.differs(old, "profile"):
            self._show_profile()
        elif new.differs(old, "scores"):
            self._show_effect()
        elif new.differs(old, "runs"):
            self._show_metrics()

    def _show_metrics(self) -> None:
        """Check the metric that all runs of feature vectors have; no submenu without such runs."""
        found = {*self._session.metrics.values()}
        self._metric_menu.setVisible(bool(found))
        for action in self._metrics.actions():
            action.setChecked(found == {action.data()})

    @Slot(QAction)
    def _pick_metric(self, action: QAction) -> None:
        self._session.set_metric(action.data())

    def _show_benchmark(self) -> None:
        self._show_metrics()
        self._levels = self._session.benchmark.levels
        for name, field in self._fields.items():
            choice = find_convention(name)
            allowed = [row for row in choice.values if name != "relevant_from" or row.value in (1, *self._levels)]
            field.set_rows([(row.label, row.value, row.explanation) for row in allowed])
            field.setEnabled(self._session.is_open and len(allowed) > 1)
        self._more.setEnabled(self._session.is_open)
        self._show_profile()

    def _show_profile(self) -> None:
        profile = self._session.profile
        origin = profile if profile.changed_from is None else profile.changed_from
        saved = self.name
        named = [(one, key, f"Saved as {one}: {key}") for one, key in self._names.items() if key in PROFILE_KEYS]
        contests = [(row.title, row.key, f"{row.description}\n{row.source}") for row in profile_table()]
        self.profile.set_rows([*named, *contests])
        self.profile.set_value(profile.key if saved else origin.key)
        set_tooltip(self.profile, f"{profile.description}\n{profile.source}")
        for name, field in self._fields.items():
            choice, value = find_convention(name), getattr(profile, name)
            if not any(field.itemData(index) == value for index in range(field.count())):
                field.addItem(choice.label_of(value), value)
            field.set_value(value)
            self._changed[name].setVisible(name in profile.changes)
            texts = [allowed.explanation for allowed in choice.values if allowed.value == value]
            self._meanings[name].setText(texts[0] if texts else choice.explanation)
        for choice, value, action in self._values:
            action.setChecked(getattr(profile, choice.field) == value)
        hidden = [name for name in profile.changes if name not in VISIBLE_CONVENTIONS]
        self._more.setText(f"More ({len(hidden)} changed)" if hidden else "More: duplicates, scope, gain…")
        self._reset.setVisible(profile.changed_from is not None)
        self._reset.setText(f"Restore {escape_mnemonic(origin.title)}")
        self.save.setVisible(profile.changed_from is not None and not saved)
        set_tooltip(self.save, f"Give these conventions a name: {profile.key}")
        for button in (self.rename, self.remove):
            button.setVisible(bool(saved))
        n_changed = 0 if saved else len(profile.changes)
        name = saved or (f"{origin.title} · {n_changed} changed" if n_changed else origin.title)
        self.button.setText(escape_mnemonic(name))
        self.button.setAccessibleName(f"Conventions: {name}")
        size = DOT_SIZE if n_changed else ICON_SIZE
        self.button.setIconSize(QSize(size, size))
        self.button.setIcon(
            icon("dot" if n_changed else "sliders", current_theme(), "warning" if n_changed else "muted")
        )
        set_tooltip(self.button, f"Conventions of the evaluation\n{profile.description}\n{profile.source}")

    def showEvent(self, event: QShowEvent) -> None:
        """Evaluate the effect of the conventions."""
        super().showEvent(event)
        self._show_effect()

    def _show_effect(self) -> None:
        """Say what the changed conventions do to the scores, together and each of several, once it is evaluated."""
        session, profile, scores = self._session, self._session.profile, self._session.scores
        origin = profile.changed_from
        self._effect.setVisible(origin is not None)
        self._effect.setText("Evaluating the effect…")
        if origin is None or scores is None or scores.profile != profile or not self.isVisible():
            return
        profiles = {f"Against {origin.title}": origin}
        if len(profile.changes) > 1:
            for name in profile.changes:
                label = f"{find_convention(name).label} alone"
                profiles[label] = with_convention(profile, name, getattr(origin, name))
        session.tasks.run(
            EFFECT,
            partial(score_profiles, scores, tuple(profiles.values()), session.added_measures),
            partial(self._show_evaluated, scores, tuple(profiles)),
            "The effect of the conventions cannot be evaluated",
            title="Effect of the conventions",
        )

    def _show_evaluated(self, scores: Scores, labels: Sequence[str], found: Sequence[tuple[Scores, Means]]) -> None:
        document = self._session.document
        if document.scores is not scores:
            return
        befores = (Document(scores=before, means=means) for before, means in found)
        texts = (consequence_text(before, document) for before in befores)
        self._effect.setText("\n".join(f"{label}: {text}." for label, text in zip(labels, texts, strict=True) if text))
        self.adjustSize()

    @Slot(object)
    def _pick_field(self, value: object) -> None:
        name = next(name for name, field in self._fields.items() if field is self.sender())
        self._change(name, value)

    @Slot()
    def _pick_action(self) -> None:
        for choice, value, action in self._values:
            if action is self.sender():
                self._change(choice.field, value)
                return

    def _change(self, name: str, value: object) -> None:
        assert value is None or isinstance(value, str | int)
        self._session.set_conventions(with_convention(self._session.profile, name, value))

    @Slot()
    def _reset_profile(self) -> None:
        origin = self._session.profile.changed_from
        if origin is not None:
            self._session.set_conventions(origin)

    # Names of profiles.

    @property
    def name(self) -> str:
        """The name under which the present conventions were saved; "" for none."""
        return next((name for name, key in self._names.items() if key == self._session.profile.key), "")

    @property
    def names(self) -> Mapping[str, str]:
        """See `Settings.profile_names`."""
        return self._names

    def set_names(self, names: Mapping[str, str]) -> None:
        """Offer the profiles that were saved under a name."""
        self._names = names
        self._show_profile()

    @Slot()
    def _choose_name(self) -> None:
        self.hide()
        ProfileDialog(self._session, self, self.name).open()

    @Slot()
    def _remove_name(self) -> None:
        name = self.name
        self.names_changed.emit({one: key for one, key in self._names.items() if one != name})
        self._session.done.emit(f"The profile {name} was removed from the list")

    def save_name(self, name: str, former: str, *, in_manifest: bool) -> None:
        """Save the present conventions under a name, instead of a former one ("" for none).

        Parameters
        ----------
        in_manifest : whether benchmark.toml is to have them, too.
        """
        others = {one: key for one, key in self._names.items() if one not in (former, name)}
        self.names_changed.emit({name: self._session.profile.key, **others})
        self._session.done.emit(f"Saved as the profile {name}; commands know it by this name")
        if in_manifest:
            self._write_profile()

    def _write_profile(self) -> None:
        session, key = self._session, self._session.profile.key
        work = partial(
            write_edits, session.manifest or session.benchmark.root, (ManifestEdit("benchmark", "profile", key),)
        )
        saved, problem = partial(self._show_saved, key), "The profile cannot be saved"
        session.tasks.run(SAVE, work, saved, problem, title="Writing benchmark.toml", listed=True)

    def _show_saved(self, key: str, path: Path) -> None:
        self._session.written.emit(f"{path.name} has the profile {key}", str(path))
        self._session.reload()


class ProfileDialog(NameDialog):
    """Dialog for the name of the present conventions.

    Parameters
    ----------
    former : the name that they have; "" for none.
    """

    def __init__(self, session: Session, popup: ConventionsPopup, former: str) -> None:
        self._popup, self._former = popup, former
        self.in_manifest = QCheckBox("Also in benchmark.toml, for everyone who opens the contest")
        title = "Rename the profile" if former else "Save as profile"
        proposed = former or unused_name(session.benchmark.name, set(popup.names))
        super().__init__(session, title, "Name of the conventions", proposed, popup.parentWidget() or popup)
        problem = "" if session.path is None else unwritable_reason(session, session.path)
        self.in_manifest.setEnabled(not problem)
        key = session.profile.key
        set_tooltip(self.in_manifest, problem or f'Writes profile = "{key}": every command has these conventions')
        self.in_manifest.setVisible(not former)
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(layout.indexOf(self.problem), self.in_manifest)

    def problem_of(self, name: str) -> str:
        """See `NameDialog`; a profile that was saved before is replaced."""
        is_taken = name in PROFILE_KEYS or any(name == profile.title for profile in profile_table())
        return "" if name and not is_taken else f"{name} is a profile of the program" if name else "Give it a name"

    def note_of(self, name: str) -> str:
        """See `NameDialog`."""
        return f"Replaces the profile {name}" if name in self._popup.names and name != self._former else ""

    def use(self, name: str) -> None:
        """See `NameDialog`."""
        self._popup.save_name(name, self._former, in_manifest=self.in_manifest.isChecked())


class ProfileSuggestionStrip(MessageBar):
    """Message bar shown until a profile is chosen or it is closed; separate from that for errors, to cover none."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._suggested: Profile | None = None
        self.action_requested.connect(self._use_suggested)
        session.changed.connect(self._follow_session)

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.path != old.path:  # not on reload
            self._suggest()
        elif new.differs(old, "profile"):
            self.dismiss()

    def _suggest(self) -> None:
        session = self._session
        self.dismiss()
        self._suggested = None
        if session.is_open and not session.is_profile_chosen:
            self._suggested = suggest_profile(session.benchmark)
        if self._suggested is not None:
            title = self._suggested.title
            self.show_message("info", f"This looks like {title}.", action=f"Use {title}", persistent=True)

    @Slot()
    def _use_suggested(self, *_: object) -> None:
        if self._suggested is not None:
            self._session.set_profile(self._suggested.key)
