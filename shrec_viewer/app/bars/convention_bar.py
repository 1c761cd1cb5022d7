"""Second tool bar: the evaluation conventions and their values."""

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPushButton, QSizePolicy, QToolBar, QToolButton, QWidget

from shrec_viewer.app.bars.combo_field import ComboField, caption, spacer
from shrec_viewer.metrics import CONVENTIONS, Convention, find_convention, with_convention
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.style.icons import icon
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, text_font

VISIBLE_CONVENTIONS = {
    "relevant_from": ("Relevant from", 138),
    "ties": ("Ties", 142),
    "self_match": ("Query itself", 100),
    "missing_query": ("Without a list", 154),
}
"""Conventions with a field of their own: a short caption and pixels. The others stand in the menu at the end."""

GROUP_TITLES = {"lists": "What a list is", "means": "What enters a mean", "measures": "What a measure computes"}
"""Headings of the menu."""


class ConventionBar(QToolBar):
    """Changes one convention at a time; scores follow at once."""

    def __init__(self, session: Session) -> None:
        super().__init__("Conventions")
        self._session = session
        self._fields: dict[str, ComboField] = {}
        self._captions: dict[str, QLabel] = {}
        self._values: list[tuple[Convention, object, QAction]] = []
        self._groups: list[QActionGroup] = []
        self._menu = QMenu(self)
        self._more = QToolButton()
        self._back = QPushButton()
        self.setObjectName("convention_bar")
        self.setMovable(False)
        self.setIconSize(QSize(16, 16))
        self._build()
        self._back.clicked.connect(self._go_back)
        session.benchmark_changed.connect(self._show_benchmark)
        session.profile_changed.connect(self._show_profile)
        self._show_benchmark()
        self.set_theme(current_theme())

    def field(self, name: str) -> ComboField:
        """The field of a convention in sight."""
        return self._fields[name]

    def action(self, name: str, value: object) -> QAction:
        """The row of the menu that sets a convention to a value."""
        return next(action for choice, row, action in self._values if choice.field == name and row == value)

    @property
    def restore_button(self) -> QPushButton:
        """The button that leads back to the conventions of the contest."""
        return self._back

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._more.setIcon(icon("sliders", theme, "muted"))
        self._back.setIcon(icon("undo", theme))
        self._show_changes()

    def _build(self) -> None:
        self.addWidget(spacer(SPACE))
        for name, (words, width) in VISIBLE_CONVENTIONS.items():
            choice = find_convention(name)
            label = self._captions[name] = caption(words, choice.explanation)
            field = self._fields[name] = ComboField(choice.label, width)
            field.setToolTip(choice.explanation)
            field.value_picked.connect(self._pick_field)
            self.addWidget(label)
            self.addWidget(field)
            self.addWidget(spacer(SPACE))
        for group, heading in GROUP_TITLES.items():
            self._menu.addSection(heading)
            for choice in CONVENTIONS:
                if choice.group == group and choice.field not in VISIBLE_CONVENTIONS:
                    self._add_submenu(choice)
        self._more.setText("More")
        self._more.setAccessibleName("More conventions")
        self._more.setToolTip("All other conventions that decide numbers")
        self._more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._more.setIconSize(QSize(16, 16))
        self._more.setMenu(self._menu)
        self._more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.addWidget(self._more)
        spring = QWidget()
        spring.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(spring)
        self._restore_action = self.addWidget(self._back)
        self.addWidget(spacer(SPACE))

    def _add_submenu(self, choice: Convention) -> None:
        menu = self._menu.addMenu(choice.label)
        menu.setToolTipsVisible(True)
        menu.menuAction().setToolTip(choice.explanation)
        group = QActionGroup(menu)
        for allowed in choice.values:
            action = menu.addAction(allowed.label)
            action.setCheckable(True)
            action.setToolTip(allowed.explanation)
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
            offered = [row for row in choice.values if name != "relevant_from" or row.value in (1, *levels)]
            field.set_rows([(row.label, row.value, row.explanation) for row in offered])
            field.setEnabled(benchmark is not None and len(offered) > 1)
        self._more.setEnabled(benchmark is not None)
        self._show_profile()

    @Slot()
    def _show_profile(self) -> None:
        profile = self._session.profile
        for name, field in self._fields.items():
            choice, value = find_convention(name), getattr(profile, name)
            if not any(field.itemData(place) == value for place in range(field.count())):
                field.addItem(choice.words_of(value), value)
            field.set_value(value)
        self._show_changes()
        for choice, value, action in self._values:
            action.setChecked(getattr(profile, choice.field) == value)
        hidden = [name for name in profile.changes if name not in VISIBLE_CONVENTIONS]
        self._more.setText(f"More ({len(hidden)} changed)" if hidden else "More")
        origin = profile.changed_from
        self._restore_action.setVisible(origin is not None)
        self._back.setText("" if origin is None else f"Back to {origin.title}")

    def _show_changes(self) -> None:
        """Captions of what was changed stand out."""
        for name, label in self._captions.items():
            is_changed = name in self._session.profile.changes
            label.setProperty("muted", not is_changed)
            label.style().polish(label)
            label.setFont(text_font(QApplication.font(), strong=is_changed))  # the sheet gives back the former one

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
    def _go_back(self) -> None:
        origin = self._session.profile.changed_from
        if origin is not None:
            self._session.set_conventions(origin)
