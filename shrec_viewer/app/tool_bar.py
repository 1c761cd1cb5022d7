"""The bar at the top: which query, which run, by which conventions."""

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QLabel, QSizePolicy, QStyleOptionComboBox, QToolBar, QWidget

from shrec_viewer.metrics import PROFILES
from shrec_viewer.viewmodels.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.words import class_words
from shrec_viewer.widgets.icons import icon
from shrec_viewer.widgets.theme import Theme, current_theme

QUERY_WIDTH, RUN_WIDTH, PROFILE_WIDTH = 220, 170, 190
"""Pixels of the three fields: an id with its class, a run with its participant, a contest with its year."""

NARROWEST = 84
"""Pixels of a field in a narrow window; below that the bar hides what is at its end behind an arrow."""

FIELD_EDGES = 40
"""Pixels of a field that its words cannot have: its arrow and what is left free at both sides."""


class Field(QComboBox):
    """A combo box of this width, which becomes narrower where there is no room."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self._width = width
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumWidth(NARROWEST)
        self.setMaximumWidth(width)

    def sizeHint(self) -> QSize:
        """Qt override."""
        return QSize(self._width, super().sizeHint().height())

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:  # noqa: N802
        """Qt override; a text that is cut ends in an ellipsis."""
        super().initStyleOption(option)
        room = self.width() - FIELD_EDGES
        option.currentText = self.fontMetrics().elidedText(option.currentText, Qt.TextElideMode.ElideRight, room)


class ToolBar(QToolBar):
    """Fields tied to the session, and the buttons of a few commands.

    Parameters
    ----------
    previous, next_ : the commands that step through the queries.
    theme_switch : the command of the button at the right.
    """

    def __init__(self, session: Session, previous: QAction, next_: QAction, theme_switch: QAction) -> None:
        super().__init__("Selection")
        self._session = session
        self._previous, self._next, self._theme_switch = previous, next_, theme_switch
        self.query = Field(QUERY_WIDTH)
        self.run = Field(RUN_WIDTH)
        self.profile = Field(PROFILE_WIDTH)
        self.setObjectName("selection_bar")
        self.setMovable(False)
        self._build()
        self.query.activated.connect(self._pick_query)
        self.run.activated.connect(self._pick_run)
        self.profile.activated.connect(self._pick_profile)
        session.benchmark_changed.connect(self._show_benchmark)
        session.profile_changed.connect(self._show_profile)
        session.selection_changed.connect(self._show_selection)
        self._show_benchmark()
        self.set_theme(current_theme())

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._previous.setIcon(icon("chevron-left", theme))
        self._next.setIcon(icon("chevron-right", theme))
        self._theme_switch.setIcon(icon("sun" if theme.name == "dark" else "moon", theme, "muted"))

    def _build(self) -> None:
        for combo, name in ((self.query, "Query"), (self.run, "Run"), (self.profile, "Conventions")):
            combo.setAccessibleName(name)
        for profile in PROFILES:
            self.profile.addItem(profile.title, profile.key)
            tip = f"{profile.description}\n{profile.source}"
            self.profile.setItemData(self.profile.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self._add_label("Query")
        self.addAction(self._previous)
        self.addWidget(self.query)
        self.addAction(self._next)
        self.addSeparator()
        self._add_label("Run")
        self.addWidget(self.run)
        self.addSeparator()
        self._add_label("Conventions")
        self.addWidget(self.profile)
        spring = QWidget()
        spring.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(spring)
        self.addAction(self._theme_switch)

    def _add_label(self, text: str) -> None:
        label = QLabel(text)
        label.setProperty("muted", True)
        self.addWidget(label)

    @Slot()
    def _show_benchmark(self) -> None:
        benchmark = self._session.benchmark
        self.query.clear()
        self.run.clear()
        if benchmark is not None:
            labels = benchmark.queries.labels
            names = (class_words(benchmark, int(label)) for label in labels)
            self.query.addItems(
                [f"{name}  {words}".rstrip() for name, words in zip(benchmark.queries.ids, names, strict=True)]
            )
            for run in benchmark.runs:
                by = f"  {run.participant}" if run.participant not in ("", run.name) else ""
                self.run.addItem(f"{run.name}{by}")
        for combo in (self.query, self.run):
            combo.setEnabled(combo.count() > 0)
        self.profile.setEnabled(benchmark is not None)
        self._show_profile()
        self._show_places()

    @Slot()
    def _show_profile(self) -> None:
        profile = self._session.profile
        self.profile.setCurrentIndex(self.profile.findData(profile.key))
        self.profile.setToolTip(f"{profile.description}\n{profile.source}")

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if (old.query, old.run) != (new.query, new.run):
            self._show_places()

    def _show_places(self) -> None:
        selection = self._session.selection
        self.query.setCurrentIndex(-1 if selection.query == NOTHING else selection.query)
        self.run.setCurrentIndex(-1 if selection.run == NOTHING else selection.run)

    @Slot(int)
    def _pick_query(self, place: int) -> None:
        self._session.select(query=place)

    @Slot(int)
    def _pick_run(self, place: int) -> None:
        self._session.select(run=place)

    @Slot(int)
    def _pick_profile(self, _place: int) -> None:
        self._session.set_profile(self.profile.currentData())
