"""Bars of the window: the tool bar, the conventions of the profile, and the status bar."""

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QDesktopServices
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStatusBar,
    QToolBar,
    QToolButton,
    QWidget,
)

from shrec_viewer.app.commands import COMMANDS_BY_KEY, Command
from shrec_viewer.content.data import class_name
from shrec_viewer.domain import Finding
from shrec_viewer.evaluation.evaluate import suggest_profile
from shrec_viewer.formats.core.read_choices import METRIC_LABELS
from shrec_viewer.metrics import (
    CONVENTIONS,
    Convention,
    Profile,
    find_convention,
    find_measure,
    profile_table,
    with_convention,
)
from shrec_viewer.panels import PERSPECTIVES
from shrec_viewer.viewmodels.files.findings import findings_summary
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.status_text import StatusText
from shrec_viewer.widgets.controls.controls import ComboField, ElidingLine, add_heading, caption, spacer
from shrec_viewer.widgets.controls.layouts import row_of
from shrec_viewer.widgets.controls.messages import MessageBar, MessageSpace, TaskProgressBar
from shrec_viewer.widgets.controls.plain_text import escape_mnemonic, plain_tooltip, set_tooltip
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon, text_font

#: Widths of the fields in pixels: an id with its class, a run with its participant, a key, a contest with its year. All
#: fit in a window of 1280 pixels with its frame.
FIELD_WIDTHS = {"Query": 160, "Run": 126, "Compared run": 126, "Measure": 96, "Conventions": 160}

#: First item in the field of the measure: a list of 40 measures scrolls, and would hide a last one.
ADD_MEASURE = "Add measure…"

#: Item in the field of run B that ends the comparison.
NO_RUN = "none"

RUN_A_TOOLTIP = "Run A, whose ranked list is shown"
RUN_B_TOOLTIP = "Run B, which run A is compared with; differences are A → B; “none” ends the comparison"

#: Placeholder of the field of run B.
NO_COMPARED_RUN = "no second run"

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
        self._fitted_widths: list[int] = []
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
        second.addWidget(self.measure)
        second.addWidget(self.profile)
        self._add_action("convention_bar", second)
        stretch = QWidget()
        stretch.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        second.addWidget(stretch)
        self._add_action("switch_theme", second)

    def fit(self, width: int) -> bool:
        """Choose the widths of the fields for a window of this width; False if the halves need a line each."""
        fits = any(self._needed_width(compact) <= width for compact in (False, True))
        if not fits:
            self._needed_width(False)
        self._fitted_widths = self._preferred_widths()
        return fits

    @property
    def needs_fit(self) -> bool:
        """Whether a field has another preferred width than at the last `fit`.

        The widths of the fields themselves would not do: they change with the next layout, after several events.
        """
        return self._fitted_widths != self._preferred_widths()

    def _preferred_widths(self) -> list[int]:
        return [field.sizeHint().width() for field in self._fields]

    def _needed_width(self, compact: bool) -> int:
        for field in self._fields:
            field.set_compact(compact)
        return _bar_width(self) + _bar_width(self.second)

    def _perspective_buttons(self) -> QWidget:
        """A segmented control with a button for each perspective."""
        buttons: list[QToolButton] = []
        for index, perspective in enumerate(PERSPECTIVES):
            button = QToolButton()
            button.setDefaultAction(self._actions[f"perspective_{perspective.key}"])
            button.setText(perspective.title.replace("&", ""))
            set_tooltip(button, f"{perspective.tip} ({perspective.shortcut})")
            button.setAccessibleName(f"Perspective {button.text()}")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            ends = {0: "first", len(PERSPECTIVES) - 1: "last"}
            button.setProperty("segment", ends.get(index, "inner"))
            buttons.append(button)
        control = QWidget()
        control.setLayout(row_of(*buttons, spacing=0, margins=0))
        return control

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
        self.profile.value_picked.connect(session.set_profile)
        session.changed.connect(self._follow_session)

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "benchmark"):
            self._show_benchmark()
            return
        if new.differs(old, "profile"):
            self._show_profile()
        elif new.differs(old, "scores"):
            self._show_measures()
        elif new.differs(old, "measure"):
            self._show_measure()
        if new.differs(old, "query", "run", "compared"):
            self._show_indices()

    def _show_benchmark(self) -> None:
        benchmark = self._session.benchmark
        queries: list[tuple[str, object, str]] = []
        runs: list[tuple[str, object, str]] = []
        ids, labels = benchmark.queries.ids, benchmark.queries.labels
        for index, (name, label) in enumerate(zip(ids, labels, strict=True)):
            queries.append((f"{name}  {class_name(benchmark, int(label))}".rstrip(), index, ""))
        for index, run in enumerate(benchmark.runs):
            participant = f"  {run.participant}" if run.participant not in ("", run.name) else ""
            runs.append((f"{run.name}{participant}", index, ""))
        self.query.set_rows(queries)
        self.run.set_rows(runs)
        none = ((NO_RUN, NOTHING, "Stop comparing"),)
        self.compared.set_rows((*none, *runs) if len(runs) > 1 else ())
        names = [run.name for run in benchmark.runs]
        self.run.set_short_texts(names)
        self.compared.set_short_texts([NO_RUN, *names] if len(runs) > 1 else ())
        self.compared.setPlaceholderText(NO_COMPARED_RUN if len(runs) == 1 else "")
        set_tooltip(self.run, RUN_A_TOOLTIP)
        set_tooltip(self.compared, NO_COMPARED_RUN_TOOLTIP if len(runs) == 1 else RUN_B_TOOLTIP)
        self._show_profile()
        self._show_indices()

    def _show_profile(self) -> None:
        profile = self._session.profile
        rows = [(row.title, row.key, f"{row.description}\n{row.source}") for row in profile_table()]
        if profile.changed_from is not None:
            rows.append((profile.title, profile.key, profile.description))
        self.profile.set_rows(rows)
        self.profile.set_value(profile.key)
        set_tooltip(self.profile, f"{profile.description}\n{profile.source}")
        self._show_measures()

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


#: Conventions shown as fields: caption and width in pixels. The others are in the menu at the end.
VISIBLE_CONVENTIONS = {
    "relevant_from": ("Relevance threshold", 138),
    "ties": ("Ties", 142),
    "self_match": ("Self-match", 100),
    "missing_query": ("Missing queries", 154),
}

#: Headings of the groups of `CONVENTIONS` in the menu.
GROUP_TITLES = {"lists": "Ranked lists", "means": "Means", "measures": "Measures"}


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
        self._levels: tuple[int, ...] = ()
        self._menu = QMenu(self)
        self._more = QToolButton(toolButtonStyle=Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._reset = QPushButton()
        self.setObjectName("convention_bar")
        self.setMovable(False)
        self.setIconSize(QSize(16, 16))
        self._build()
        self._hide_duplicates()
        self._reset.clicked.connect(self._reset_profile)
        session.changed.connect(self._follow_session)
        self._show_benchmark()
        self.set_theme(current_theme())

    def field(self, name: str) -> ComboField:
        """The field of a convention in `VISIBLE_CONVENTIONS`."""
        return self._fields[name]

    def action(self, name: str, value: object) -> QAction:
        """The menu action that sets a convention to a value."""
        return next(action for choice, row, action in self._values if choice.field == name and row == value)

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
            add_heading(self._menu, heading)
            for choice in CONVENTIONS:
                if choice.group == group:
                    self._add_submenu(choice)
        self._add_metrics(self._menu.addMenu("Metric of feature vectors"))
        self._more.setText("More")
        self._more.setAccessibleName("More conventions")
        set_tooltip(self._more, "All other conventions")
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

    def _add_metrics(self, menu: QMenu) -> None:
        self._metric_menu, self._metrics = menu.menuAction(), QActionGroup(menu)
        for key, label in METRIC_LABELS.items():
            action = menu.addAction(label)
            action.setCheckable(True)
            action.setData(key)
            self._metrics.addAction(action)
        self._metrics.triggered.connect(self._pick_metric)

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

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        # Most edits change no levels, and to update the fields lays out the window.
        if new.differs(old, "benchmark") or (new.differs(old, "assessment") and new.benchmark.levels != self._levels):
            self._show_benchmark()
        elif new.differs(old, "profile"):
            self._show_profile()
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


class StatusBar(QStatusBar):
    """Status bar of the window: selection, progress, scores, findings.

    Signals
    -------
    findings_requested()
        The number of findings was clicked.
    tasks_requested()
        The progress of background tasks was clicked.
    scheduler_requested()
        The state of a scheduler without a web page was clicked.
    """

    findings_requested = Signal()
    tasks_requested = Signal()
    scheduler_requested = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._status_text = StatusText(session)
        self.message_space = MessageSpace()
        self.selection = ElidingLine()
        self.scores = ElidingLine(grows=True)
        self.badge = QToolButton(autoRaise=True, toolButtonStyle=Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.workers = QToolButton(autoRaise=True, toolButtonStyle=Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.busy = TaskProgressBar()
        self.selection.setAccessibleName("Selection")
        self.scores.setAccessibleName("Scores at the cursor")
        set_tooltip(
            self.scores,
            "Precision, recall and NDCG of the list up to the rank at the cursor, or the measure of the query; "
            "in parentheses the difference from the baseline",
        )
        set_tooltip(self.badge, "Show the findings")
        self.badge.clicked.connect(self.findings_requested)
        self.workers.clicked.connect(self._open_dashboard)
        self.busy.cancel_requested.connect(session.stop)
        self.busy.details_requested.connect(self.tasks_requested)
        self.setContentsMargins(2 * SPACE, 0, SPACE, 0)
        self.addWidget(self.message_space)
        self.addWidget(self.selection, 1)
        self.addPermanentWidget(self.busy)
        self.addPermanentWidget(self.scores)
        self.addPermanentWidget(self.workers)
        self.addPermanentWidget(self.badge)
        session.computing.changed.connect(self._show_workers)
        self._show_workers()
        session.changed.connect(self._follow_session)
        session.thumbnails.findings_changed.connect(self._show_all)
        session.versions.baseline_changed.connect(self._update_text)
        session.cursor_state.cursor_changed.connect(self._show_text)
        session.progress.connect(self._show_progress)
        self._show_all()

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme."""
        self._show_severity(self._session.findings, theme)

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "benchmark", "runs", "warnings"):
            self._show_all()
        elif new.differs(old, "list", "scores", "query", "run", "measure"):
            self._update_text()
        elif new.differs(old, "selection"):
            self._show_text()

    @Slot()
    def _show_all(self) -> None:
        findings = self._session.findings
        summary = findings_summary(findings)
        self.badge.setText(summary)
        self.badge.setAccessibleName(summary)
        self.badge.setVisible(bool(summary))
        self._show_severity(findings, current_theme())
        self.scores.reset_width()
        self._update_text()

    def _show_severity(self, findings: tuple[Finding, ...], theme: Theme) -> None:
        worst = min((finding.severity.rank for finding in findings), default=2)
        name = ("error", "warning", "info")[worst]
        self.badge.setIcon(icon(name, theme, name))

    @Slot()
    def _update_text(self) -> None:
        self._status_text.update()
        self._show_text()

    @Slot()
    def _show_text(self, *_: object) -> None:
        self.selection.setText(self._status_text.cursor_text())
        self.scores.setText(self._status_text.values_text())

    @Slot(str, int, int)
    def _show_progress(self, text: str, done: int, total: int) -> None:
        if text:
            self.busy.set_progress(text, done, total)
        else:
            self.busy.set_idle()

    @Slot()
    def _show_workers(self) -> None:
        computing = self._session.computing
        status = computing.status
        self.workers.setText(status.text)
        self.workers.setAccessibleName(f"Scheduler: {status.text}")
        action = f"Open {status.dashboard}" if status.dashboard else "Open the preferences"
        lines = (f"Scheduler {computing.address}", status.problem, action)
        set_tooltip(self.workers, "\n".join(line for line in lines if line))
        self.workers.setVisible(bool(status.text))

    @Slot()
    def _open_dashboard(self) -> None:
        """Open the web page of the scheduler, or the preferences if it has none."""
        url = QUrl(self._session.computing.status.dashboard)
        if url.scheme() not in ("http", "https") or not QDesktopServices.openUrl(url):
            self.scheduler_requested.emit()
