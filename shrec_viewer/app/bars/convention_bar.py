"""Bar with the conventions of the profile, and the message strip that suggests a profile."""

from pathlib import Path

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPushButton, QSizePolicy, QToolBar, QToolButton, QWidget

from shrec_viewer.evaluation.evaluate import suggest_profile
from shrec_viewer.metrics import CONVENTIONS, Convention, Profile, find_convention, with_convention
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import ComboField, caption, spacer
from shrec_viewer.widgets.controls.messages import MessageBar
from shrec_viewer.widgets.controls.plain_text import escape_mnemonic
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon, text_font
from shrec_viewer.widgets.style.tooltips import set_tooltip

VISIBLE_CONVENTIONS = {
    "relevant_from": ("Relevance threshold", 138),
    "ties": ("Ties", 142),
    "self_match": ("Self-match", 100),
    "missing_query": ("Missing queries", 154),
}
"""Conventions shown as fields: caption and width in pixels. The others are in the menu at the end."""

GROUP_TITLES = {"lists": "Ranked lists", "means": "Means", "measures": "Measures"}
"""Headings of the groups of `CONVENTIONS` in the menu."""


class ConventionBar(QToolBar):
    """Tool bar that changes single conventions of the profile; scores are recomputed immediately."""

    def __init__(self, session: Session) -> None:
        super().__init__("Conventions")
        self._session = session
        self._fields: dict[str, ComboField] = {}
        self._captions: dict[str, QLabel] = {}
        self._field_actions: dict[str, list[QAction]] = {}
        self._submenus: dict[str, QAction] = {}
        self._values: list[tuple[Convention, object, QAction]] = []
        self._groups: list[QActionGroup] = []
        self._menu = QMenu(self)
        self._more = QToolButton()
        self._reset = QPushButton()
        self.setObjectName("convention_bar")
        self.setMovable(False)
        self.setIconSize(QSize(16, 16))
        self._build()
        self._hide_duplicates()
        self._reset.clicked.connect(self._reset_profile)
        session.benchmark_changed.connect(self._show_benchmark)
        session.profile_changed.connect(self._show_profile)
        self._show_benchmark()
        self.set_theme(current_theme())

    def field(self, name: str) -> ComboField:
        """The field of a convention in `VISIBLE_CONVENTIONS`."""
        return self._fields[name]

    def action(self, name: str, value: object) -> QAction:
        """The menu action that sets a convention to a value."""
        return next(action for choice, row, action in self._values if choice.field == name and row == value)

    @property
    def restore_button(self) -> QPushButton:
        """The button that resets all conventions to those of the profile."""
        return self._reset

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme."""
        self._more.setIcon(icon("sliders", theme, "muted"))
        self._reset.setIcon(icon("undo", theme))
        self._show_changes()

    def _build(self) -> None:
        self.addWidget(spacer(SPACE))
        for name, (title, width) in VISIBLE_CONVENTIONS.items():
            choice = find_convention(name)
            label = self._captions[name] = caption(title, choice.explanation)
            field = self._fields[name] = ComboField(choice.label, width)
            set_tooltip(field, choice.explanation)
            field.value_picked.connect(self._pick_field)
            self._field_actions[name] = [self.addWidget(part) for part in (label, field, spacer(SPACE))]
        for group, heading in GROUP_TITLES.items():
            self._menu.addSection(heading)
            for choice in CONVENTIONS:
                if choice.group == group:
                    self._add_submenu(choice)
        self._more.setText("More")
        self._more.setAccessibleName("More conventions")
        set_tooltip(self._more, "All other conventions")
        self._more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._more.setIconSize(QSize(16, 16))
        self._more.setMenu(self._menu)
        self._more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.addWidget(self._more)
        spring = QWidget()
        spring.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(spring)
        self._restore_action = self.addWidget(self._reset)
        self.addWidget(spacer(SPACE))

    def fit(self, width: int) -> None:
        """Choose the fields shown in a window of this width; the other conventions are in the menu."""
        for n_shown, compact in ((4, False), (4, True), (3, True), (2, True), (1, True), (0, True)):
            for index, (name, field) in enumerate(self._fields.items()):
                field.set_compact(compact)
                for action in self._field_actions[name]:
                    action.setVisible(index < n_shown)
            if (layout := self.layout()) is not None:
                layout.invalidate()
            if self.sizeHint().width() <= width:
                break
        self._hide_duplicates()

    def _hide_duplicates(self) -> None:
        """Hide the submenus of conventions that have a field."""
        for name, actions in self._field_actions.items():
            self._submenus[name].setVisible(not actions[0].isVisible())

    def _add_submenu(self, choice: Convention) -> None:
        menu = self._menu.addMenu(choice.label)
        menu.setToolTipsVisible(True)
        set_tooltip(menu.menuAction(), choice.explanation)
        self._submenus[choice.field] = menu.menuAction()
        group = QActionGroup(menu)
        for allowed in choice.values:
            action = menu.addAction(allowed.label)
            action.setCheckable(True)
            set_tooltip(action, allowed.explanation)
            action.triggered.connect(self._pick_action)
            group.addAction(action)
            self._values.append((choice, allowed.value, action))
        self._groups.append(group)

    @Slot()
    def _show_benchmark(self) -> None:
        benchmark = self._session.benchmark
        levels = () if benchmark is None or benchmark.assessment is None else benchmark.assessment.levels
        for name, field in self._fields.items():
            choice = find_convention(name)
            allowed = [row for row in choice.values if name != "relevant_from" or row.value in (1, *levels)]
            field.set_rows([(row.label, row.value, row.explanation) for row in allowed])
            field.setEnabled(benchmark is not None and len(allowed) > 1)
        self._more.setEnabled(benchmark is not None)
        self._show_profile()

    @Slot()
    def _show_profile(self) -> None:
        profile = self._session.profile
        for name, field in self._fields.items():
            choice, value = find_convention(name), getattr(profile, name)
            if not any(field.itemData(index) == value for index in range(field.count())):
                field.addItem(choice.label_of(value), value)
            field.set_value(value)
        self._show_changes()
        for choice, value, action in self._values:
            action.setChecked(getattr(profile, choice.field) == value)
        shown = [name for name, actions in self._field_actions.items() if actions[0].isVisible()]
        hidden = [name for name in profile.changes if name not in shown]
        self._more.setText(f"More ({len(hidden)} changed)" if hidden else "More")
        origin = profile.changed_from
        self._restore_action.setVisible(origin is not None)
        self._reset.setText("" if origin is None else f"Reset to {escape_mnemonic(origin.title)}")

    def _show_changes(self) -> None:
        """Set the captions of changed conventions in bold."""
        for name, label in self._captions.items():
            is_changed = name in self._session.profile.changes
            label.setProperty("muted", not is_changed)
            label.style().polish(label)
            label.setFont(
                text_font(QApplication.font(), bold=is_changed)
            )  # polishing with the style sheet resets the font

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
