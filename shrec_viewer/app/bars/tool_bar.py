"""Main tool bar: perspective, query, runs, measure and profile."""

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolBar, QToolButton, QWidget

from shrec_viewer.app.commands import COMMANDS_BY_KEY, Command
from shrec_viewer.metrics import find_measure, profile_table
from shrec_viewer.panels import PERSPECTIVES
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import class_label
from shrec_viewer.widgets.controls.controls import ComboField, caption, spacer
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon
from shrec_viewer.widgets.style.tooltips import plain_tooltip, set_tooltip

FIELD_WIDTHS = {"Query": 160, "Run": 126, "Compared run": 126, "Measure": 96, "Conventions": 160}
"""Widths of the fields in pixels: an id with its class, a run with its participant, a key, a contest with its year. All
fit in a window of 1280 pixels with its frame."""

ADD_MEASURE = "Add measure…"
"""First item in the field of the measure: a list of 40 measures scrolls, and would hide a last one."""

NO_RUN = "none"
"""Item in the field of run B that ends the comparison."""

RUN_A_TOOLTIP = "Run A, whose ranked list is shown"
RUN_B_TOOLTIP = "Run B, which run A is compared with; differences are A − B; “none” ends the comparison"

NO_COMPARED_RUN = "no second run"
"""Placeholder of the field of run B."""

NO_COMPARED_RUN_TOOLTIP = "This benchmark has one run; drop another one on the window to compare them"


def _bar_width(bar: QToolBar) -> int:
    """Preferred width; the layout of a tool bar is updated only with the next event."""
    if (layout := bar.layout()) is not None:
        layout.invalidate()
    return bar.sizeHint().width()


class ToolBar(QToolBar):
    """Fields of the selection and profile, and buttons of some commands.

    Parameters
    ----------
    session : the selection.
    actions : actions of `COMMANDS`, by their keys.

    Attributes
    ----------
    commands : rows of `COMMANDS` that have a button in the bar, apart from the perspectives.
    second : the right half of the bar, with measure and profile; below the left half where both do not fit, see `fit`.
    """

    def __init__(self, session: Session, actions: Mapping[str, QAction]) -> None:
        super().__init__("Selection")
        self._session = session
        self._actions = actions
        self.commands: list[Command] = []
        self.query, self.run, self.compared, self.measure, self.profile = (
            ComboField(name, width, elides=name != "Measure") for name, width in FIELD_WIDTHS.items()
        )
        self._fields = (self.query, self.run, self.compared, self.measure, self.profile)
        self.second = QToolBar("Measure")
        for bar, name in ((self, "selection_bar"), (self.second, "measure_bar")):
            bar.setObjectName(name)
            bar.setMovable(False)
            bar.setIconSize(QSize(18, 18))
        self._build()
        self._connect()
        self._show_benchmark()
        self.set_theme(current_theme())

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme."""
        names = {"previous_query": "chevron-left", "next_query": "chevron-right", "swap_runs": "swap"}
        for key, name in {**names, "convention_bar": "sliders"}.items():
            self._actions[key].setIcon(icon(name, theme))
        self._actions["switch_theme"].setIcon(icon("sun" if theme.name == "dark" else "moon", theme, "muted"))

    def _build(self) -> None:
        self.addWidget(spacer(SPACE))
        self.addWidget(self._perspective_buttons())
        self.addSeparator()
        self._add_action("previous_query")
        self.addWidget(self.query)
        self._add_action("next_query")
        self.addSeparator()
        self.addWidget(caption("A", RUN_A_TOOLTIP))
        self.addWidget(self.run)
        self._add_action("swap_runs")
        self.addWidget(caption("B", RUN_B_TOOLTIP))
        self.addWidget(self.compared)
        second = self.second
        second.addSeparator()
        second.addWidget(
            caption("Measure", "Measure of the query list, the heat map and the score bars; runs are ranked by it")
        )
        second.addWidget(self.measure)
        second.addWidget(self.profile)
        self._add_action("convention_bar", second)
        stretch = QWidget()
        stretch.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        second.addWidget(stretch)
        self._add_action("switch_theme", second)

    def fit(self, width: int) -> bool:
        """Choose the widths of the fields for a window of this width; False if the halves need a line each."""
        for compact in (False, True):
            for field in self._fields:
                field.set_compact(compact)
            if _bar_width(self) + _bar_width(self.second) <= width:
                return True
        for field in self._fields:
            field.set_compact(False)
        return False

    @property
    def is_too_narrow(self) -> bool:
        """Whether a field has less than its preferred width."""
        return any(field.width() < field.sizeHint().width() for field in self._fields)

    def _perspective_buttons(self) -> QWidget:
        """A segmented control with a button for each perspective."""
        buttons = QWidget()
        row = QHBoxLayout(buttons)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for index, perspective in enumerate(PERSPECTIVES):
            button = QToolButton()
            button.setDefaultAction(self._actions[f"perspective_{perspective.key}"])
            button.setText(perspective.title.replace("&", ""))
            set_tooltip(button, f"{perspective.tip} ({perspective.shortcut})")
            button.setAccessibleName(f"Perspective {button.text()}")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            ends = {0: "first", len(PERSPECTIVES) - 1: "last"}
            button.setProperty("segment", ends.get(index, "inner"))
            row.addWidget(button)
        return buttons

    def _add_action(self, key: str, bar: QToolBar | None = None) -> None:
        self.commands.append(COMMANDS_BY_KEY[key])
        bar = self if bar is None else bar
        bar.addAction(self._actions[key])
        button = bar.widgetForAction(self._actions[key])
        button.setAccessibleName(plain_tooltip(self._actions[key]))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def _connect(self) -> None:
        session = self._session
        self.query.value_picked.connect(self._select_query)
        self.run.value_picked.connect(self._select_run)
        self.compared.value_picked.connect(self._select_compared)
        self.measure.value_picked.connect(self._select_measure)
        self.profile.value_picked.connect(self._select_profile)
        session.benchmark_changed.connect(self._show_benchmark)
        session.profile_changed.connect(self._show_profile)
        session.scores_changed.connect(self._show_measures)
        session.selection_changed.connect(self._show_selection)

    @Slot()
    def _show_benchmark(self) -> None:
        benchmark = self._session.benchmark
        queries: list[tuple[str, object, str]] = []
        runs: list[tuple[str, object, str]] = []
        if benchmark is not None:
            ids, labels = benchmark.queries.ids, benchmark.queries.labels
            for index, (name, label) in enumerate(zip(ids, labels, strict=True)):
                queries.append((f"{name}  {class_label(benchmark, int(label))}".rstrip(), index, ""))
            for index, run in enumerate(benchmark.runs):
                participant = f"  {run.participant}" if run.participant not in ("", run.name) else ""
                runs.append((f"{run.name}{participant}", index, ""))
        self.query.set_rows(queries)
        self.run.set_rows(runs)
        none = ((NO_RUN, NOTHING, "Stop comparing"),)
        self.compared.set_rows((*none, *runs) if len(runs) > 1 else ())
        names = [] if benchmark is None else [run.name for run in benchmark.runs]
        self.run.set_short_texts(names)
        self.compared.set_short_texts([NO_RUN, *names] if len(runs) > 1 else ())
        self.compared.setPlaceholderText(NO_COMPARED_RUN if len(runs) == 1 else "")
        set_tooltip(self.run, RUN_A_TOOLTIP)
        set_tooltip(self.compared, NO_COMPARED_RUN_TOOLTIP if len(runs) == 1 else RUN_B_TOOLTIP)
        self._show_profile()
        self._show_indices()

    @Slot()
    def _show_profile(self) -> None:
        profile = self._session.profile
        rows = [(row.title, row.key, f"{row.description}\n{row.source}") for row in profile_table()]
        if profile.changed_from is not None:
            rows.append((profile.title, profile.key, profile.description))
        self.profile.set_rows(rows if self._session.benchmark is not None else ())
        self.profile.set_value(profile.key)
        set_tooltip(self.profile, f"{profile.description}\n{profile.source}")
        self._show_measures()

    @Slot()
    def _show_measures(self) -> None:
        scores = self._session.scores
        rows = []
        if scores is not None:
            rows.append((ADD_MEASURE, ADD_MEASURE, "Any measure and cut-off, under every profile"))
        for key in self._session.measures if self._session.benchmark is not None else ():
            measure = find_measure(key)
            rows.append((key, key, f"{measure.label}\n{measure.definition}"))
        self.measure.set_rows(rows)
        self._show_measure()

    def _show_measure(self) -> None:
        self.measure.set_value(self._session.measure)
        tip = self.measure.currentData(Qt.ItemDataRole.ToolTipRole)
        set_tooltip(self.measure, f"Selected measure: {tip}" if tip else "")

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if (old.query, old.run, old.compared) != (new.query, new.run, new.compared):
            self._show_indices()
        if old.measure != new.measure:
            self._show_measure()

    def _show_indices(self) -> None:
        selection = self._session.selection
        self.query.set_value(selection.query)
        self.run.set_value(selection.run)
        self.compared.set_value(NOTHING if selection.compared is None else selection.compared)

    @Slot(object)
    def _select_query(self, index: int) -> None:
        self._session.select(query=index)

    @Slot(object)
    def _select_run(self, index: int) -> None:
        self._session.select(run=index)

    @Slot(object)
    def _select_compared(self, index: int) -> None:
        self._session.select(compared=index)

    @Slot(object)
    def _select_measure(self, key: str) -> None:
        if key == ADD_MEASURE:
            self._show_measure()
            self._actions["add_measure"].trigger()
        else:
            self._session.select(measure=key)

    @Slot(object)
    def _select_profile(self, key: str) -> None:
        self._session.set_profile(key)
