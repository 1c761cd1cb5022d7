"""Tool bar of the window: perspectives, selection, conventions, search and export."""

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QAction, QColor
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolBar, QToolButton, QWidget

from shrec_viewer.app.bars.conventions import ConventionsPopup
from shrec_viewer.app.commands import COMMANDS_BY_KEY, Command
from shrec_viewer.content.data import class_name
from shrec_viewer.metrics import find_measure
from shrec_viewer.panels import PERSPECTIVES
from shrec_viewer.panels.plots.plot_panel import MEAN, QUERY
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import ComboField, SegmentedButtons, spacer
from shrec_viewer.widgets.controls.layouts import row_of
from shrec_viewer.widgets.controls.plain_text import plain_tooltip, set_tooltip
from shrec_viewer.widgets.plots.curves import line_icon
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon

#: Widths of the fields in pixels: an id with its class, a run with its line, a key.
FIELD_WIDTHS = {"Query": 110, "Run": 60, "Compared run": 60, "Measure": 56}

#: Letters that a field shows at least while the conventions have a text.
MIN_LETTERS = 4

#: First item in the field of the measure: a list of 40 measures scrolls, and would hide a last one.
ADD_MEASURE = "Add measure…"

RUN_A_TOOLTIP = "Run A, whose ranked list is shown"
RUN_B_TOOLTIP = "Run B, which run A is compared with; differences are A → B"

#: Placeholder of the field of run B.
NO_COMPARED_RUN = "no second run"

NO_COMPARED_RUN_TOOLTIP = "This benchmark has one run; drop another one on the window to compare them"

#: Size in pixels of the sample of a run's line.
LINE_SAMPLE = QSize(20, 12)

AGGREGATION_TIPS = {
    QUERY: "Curves and scores of the runs for the selected query (Ctrl+M)",
    MEAN: "Curves and scores of the runs as means (Ctrl+M); right-click for the mean over classes",
}


class ToolBar(QToolBar):
    """Fields of the selection and conventions, and buttons of some commands.

    Parameters
    ----------
    session : the selection.
    actions : actions of `COMMANDS`, by their keys.
    export : menu of the button at the end.

    Attributes
    ----------
    commands : rows of `COMMANDS` that have a button in the bar, apart from the perspectives.
    buttons : those of `commands` by their keys.
    conventions : popup with the profile and its conventions.
    aggregation : whether the graphs and the table of runs show the query or the mean of the queries.
    """

    def __init__(self, session: Session, actions: Mapping[str, QAction], export: QMenu, parent: QWidget) -> None:
        super().__init__("Selection", parent)
        self._session = session
        self._actions = actions
        self.commands: list[Command] = []
        self.query, self.run, self.compared, self.measure = self._fields = tuple(
            ComboField(name, width, elides=name != "Measure") for name, width in FIELD_WIDTHS.items()
        )
        self.conventions = ConventionsPopup(session, self)
        self.aggregation = SegmentedButtons(((QUERY, "Query"), (MEAN, "Mean")))
        self._export = QToolButton()
        self.buttons: dict[str, QToolButton] = {}
        self._hidden: set[QAction] = set()  # not of the perspective
        self._steps: list[QAction] = []
        self._fitted_widths: list[int] = []
        self.setObjectName("selection_bar")
        self.setMovable(False)
        self.setIconSize(QSize(18, 18))
        self._build(export)
        self._connect()
        self._show_benchmark()
        self.set_theme(current_theme())

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme, or new colours of the runs."""
        names = {"previous_query": "chevron-left", "next_query": "chevron-right", "swap_runs": "swap"}
        for key, name in {**names, "palette": "search"}.items():
            self._actions[key].setIcon(icon(name, theme))
        self._export.setIcon(icon("export", theme))
        self._show_lines(theme)

    def set_perspective(self, key: str) -> None:
        """Show the fields of a perspective: run B where two runs are compared, a query where one is shown."""
        is_all_queries = next(one for one in PERSPECTIVES if one.key == key).is_all_queries
        self._hidden = {
            *(() if key == "compare" else self._comparison),
            *((*self._steps, self._aggregation_action) if is_all_queries else ()),
        }
        for action in (*self._comparison, self._aggregation_action, *self._steps):
            action.setVisible(action not in self._hidden)

    def _build(self, export: QMenu) -> None:
        self.addWidget(spacer(SPACE))
        self.addWidget(self._perspective_buttons())
        self.addWidget(spacer(2 * SPACE))
        self._steps = [self._add_command("previous_query"), self.addWidget(self.query), self._add_command("next_query")]
        self.addWidget(self.run)
        for field in self._fields:
            field.set_compact(True)
        for field in (self.run, self.compared):
            field.setIconSize(LINE_SAMPLE)
        self._comparison = [self._add_command("swap_runs"), self.addWidget(self.compared)]
        self.addWidget(self.measure)
        for key, tip in AGGREGATION_TIPS.items():
            set_tooltip(self.aggregation.button(key), tip)
        mean = self.aggregation.button(MEAN)
        mean.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        mean.addAction(self._actions["class_means"])
        self._aggregation_action = self.addWidget(self.aggregation)
        stretch = QWidget()
        stretch.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(stretch)
        conventions = QWidget()  # a button in a tool bar itself has the size of its icons
        conventions.setLayout(row_of(self.conventions.button, margins=0))
        self.addWidget(conventions)
        search = self._add_command("palette")
        self._export.setMenu(export)
        self._export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._export.setAccessibleName("Export")
        self._export.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        set_tooltip(self._export, "Export the focused panel, everything, or a contest site")
        self._optional = [
            self.addWidget(self._export),
            search,
            self._steps[2],
            self._steps[0],
            self._comparison[0],
            self._aggregation_action,
        ]
        self.addWidget(spacer(SPACE))

    def fit(self, width: int) -> None:
        """Show what fits into this width in pixels.

        What is in the menus as well is hidden first, then fields elide their texts, the conventions lose theirs, and
        fields elide the last letters.
        """
        self._show_full_texts()
        self.conventions.set_compact(False)
        shown = [action for action in self._optional if action not in self._hidden]
        for action in shown:
            action.setVisible(True)
        for action in shown:
            if self._required_width() <= width:
                break
            action.setVisible(False)
        for is_compact, n_letters in ((False, MIN_LETTERS), (True, 0)):
            self._show_full_texts()
            self.conventions.set_compact(is_compact)
            for field in (self.query, self.run, self.compared):
                if (excess := self._required_width() - width) > 0 and field.isVisibleTo(self):
                    least = field.minimumSizeHint().width() + n_letters * field.fontMetrics().averageCharWidth()
                    field.limit_width(max(field.sizeHint().width() - excess, least))
            if self._required_width() <= width:
                break
        self._fitted_widths = self._preferred_widths()

    def _show_full_texts(self) -> None:
        for field in self._fields:
            field.limit_width(None)

    def _required_width(self) -> int:
        """Width in pixels of all that is shown."""
        if (layout := self.layout()) is not None:
            layout.invalidate()  # the layout of a tool bar is updated only with the next event
        return self.sizeHint().width()

    @property
    def needs_fit(self) -> bool:
        """Whether a field has another preferred width than at the last `fit`.

        The widths of the fields themselves would not do: they change with the next layout, after several events.
        """
        return self._fitted_widths != self._preferred_widths()

    def _preferred_widths(self) -> list[int]:
        return [field.sizeHint().width() for field in self._fields]

    def _perspective_buttons(self) -> QWidget:
        buttons: list[QToolButton] = []
        for perspective in PERSPECTIVES:
            button = QToolButton()
            button.setDefaultAction(self._actions[f"perspective_{perspective.key}"])
            button.setText(perspective.title.replace("&", ""))
            set_tooltip(button, f"{perspective.tip} ({perspective.shortcut})")
            button.setAccessibleName(f"Perspective {button.text()}")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setProperty("tab", True)
            buttons.append(button)
        control = QWidget()
        control.setLayout(row_of(*buttons, spacing=SPACE, margins=0))
        return control

    def _add_command(self, key: str) -> QAction:
        """Add the button of a command; hiding the action returned does not hide the command in the menus."""
        self.commands.append(COMMANDS_BY_KEY[key])
        button = QToolButton()
        button.setDefaultAction(self._actions[key])
        button.setAccessibleName(plain_tooltip(self._actions[key]))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.buttons[key] = button
        return self.addWidget(button)

    def _connect(self) -> None:
        session = self._session
        self.query.value_picked.connect(self._select_query)
        self.run.value_picked.connect(self._select_run)
        self.compared.value_picked.connect(self._select_compared)
        self.measure.value_picked.connect(self._select_measure)
        self.aggregation.selected.connect(self._select_aggregation)
        session.changed.connect(self._follow_session)

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "benchmark"):
            self._show_benchmark()
            return
        if new.differs(old, "profile", "scores"):
            self._show_measures()
        elif new.differs(old, "measure"):
            self._show_measure()
        if new.differs(old, "selection"):
            self._show_selection()

    def _show_benchmark(self) -> None:
        benchmark = self._session.benchmark
        queries: list[tuple[str, object, str]] = []
        runs: list[tuple[str, object, str]] = []
        ids, labels = benchmark.queries.ids, benchmark.queries.labels
        for index, (name, label) in enumerate(zip(ids, labels, strict=True)):
            queries.append((f"{name}  {class_name(benchmark, int(label))}".rstrip(), index, ""))
        for index, run in enumerate(benchmark.runs):
            participant = f"Participant {run.participant}" if run.participant not in ("", run.name) else ""
            runs.append((run.name, index, participant))
        self.query.set_rows(queries)
        self.run.set_rows(runs)
        self.compared.set_rows(runs if len(runs) > 1 else ())
        self.compared.setPlaceholderText(NO_COMPARED_RUN if len(runs) == 1 else "")
        set_tooltip(self.run, RUN_A_TOOLTIP)
        set_tooltip(self.compared, NO_COMPARED_RUN_TOOLTIP if len(runs) == 1 else RUN_B_TOOLTIP)
        self._show_lines(current_theme())
        self._show_measures()
        self._show_selection()

    def _show_lines(self, theme: Theme) -> None:
        """Show the line of each run before its name."""
        styles = self._session.run_styles.styles(theme.name)
        for index, style in enumerate(styles):
            sample = line_icon(QColor(style.colour), style.dash, LINE_SAMPLE, self.devicePixelRatioF())
            self.run.setItemIcon(index, sample)
            self.compared.setItemIcon(index, sample)

    def _show_measures(self) -> None:
        scores = self._session.scores
        rows = []
        if scores is not None:
            rows.append((ADD_MEASURE, ADD_MEASURE, "Any measure and cutoff, under every profile"))
        for key in self._session.measures:
            measure = find_measure(key)
            rows.append((key, key, f"{measure.label}\n{measure.definition}"))
        self.measure.set_rows(rows)
        self._show_measure()

    def _show_measure(self) -> None:
        self.measure.set_value(self._session.measure)
        tip = self.measure.currentData(Qt.ItemDataRole.ToolTipRole)
        set_tooltip(self.measure, f"Measure of the query list and heat map, which ranks the runs: {tip}" if tip else "")

    def _show_selection(self) -> None:
        selection = self._session.selection
        self.query.set_value(selection.query)
        self.run.set_value(selection.run)
        self.compared.set_value(selection.compared)
        self.aggregation.set_current(MEAN if selection.means else QUERY)
        self.aggregation.button(MEAN).setText("Class mean" if selection.mean_over == "classes" else "Mean")

    @Slot(object)
    def _select_query(self, index: int) -> None:
        self._session.select(query=index)

    @Slot(object)
    def _select_run(self, index: int) -> None:
        self._session.select(run=index)

    @Slot(object)
    def _select_compared(self, index: int) -> None:
        self._session.select(compared=index)

    @Slot(str)
    def _select_aggregation(self, key: str) -> None:
        self._session.select(means=key == MEAN)

    @Slot(object)
    def _select_measure(self, key: str) -> None:
        if key == ADD_MEASURE:
            self._show_measure()
            self._actions["add_measure"].trigger()
        else:
            self._session.select(measure=key)
