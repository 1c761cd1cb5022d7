"""Base class of the plot panels, its header row, and the figure of the displayed plot."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QContextMenuEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QSizePolicy,
    QStackedLayout,
    QToolButton,
    QWidget,
)

from shrec_viewer.charts.plot import NO_REFERENCES, Plot, PlotCurve, References
from shrec_viewer.charts.table import Cell, Table, TableColumn
from shrec_viewer.content.curves import BEFORE_EDITS, CurvesRequest, plot_curves
from shrec_viewer.content.data import slices_of
from shrec_viewer.content.request import Request
from shrec_viewer.evaluation.plots.curves import RunCurve
from shrec_viewer.number_format import SHARE_DECIMALS, format_value
from shrec_viewer.panels.context_menus import RunActions, context_menu
from shrec_viewer.panels.controls import OptionControls
from shrec_viewer.panels.export.content import ExportContent
from shrec_viewer.panels.panel import row_layout
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.render.scene.palette import RunStyle
from shrec_viewer.viewmodels.comparison.comparison import runs_best_first
from shrec_viewer.viewmodels.content.data import content_data, styles_by_name
from shrec_viewer.viewmodels.session.document import DIFFERENCES, Document
from shrec_viewer.viewmodels.session.selection import Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.context_menu import PANEL_ACTION, PanelMenu
from shrec_viewer.widgets.controls.controls import SHORT_TEXT_ROLE, ElidingComboBox, ElidingLine, EmptyState
from shrec_viewer.widgets.controls.plain_text import PlainLabel, escape_mnemonic, set_tooltip
from shrec_viewer.widgets.plots.curve_plot import CurvePlot
from shrec_viewer.widgets.plots.curves import line_icon
from shrec_viewer.widgets.plots.overlays import NO_CURSOR, PlotCursor
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon
from shrec_viewer.widgets.tables.record_table import RecordTableModel
from shrec_viewer.widgets.tables.record_view import RecordView

C = TypeVar("C", bound=CurvesRequest)
P = TypeVar("P", bound=CurvesRequest)

NO_TIPS: Mapping[Any, str] = MappingProxyType({})

#: Text that the curve type field always shows in full.
LONGEST_KEY = "NDCG"


class CurveTypeField(ElidingComboBox):
    """Combo box as wide as the short text of its item, at least as `LONGEST_KEY` in the current font."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Curve type")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.currentIndexChanged.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        """Size of the short text; the list and the tooltip have the full one."""
        short = self.currentData(SHORT_TEXT_ROLE) or self.currentText()
        return QSize(self.width_of(short), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Texts are elided before a dock becomes wider."""
        return QSize(self.width_of(LONGEST_KEY), super().sizeHint().height())


#: What the curves are of: the selected query, or the mean over the queries.
QUERY, MEAN = "query", "mean"


@dataclass(frozen=True)
class PlotKind:
    """An entry of the curve type field.

    Attributes
    ----------
    key : identifier.
    short_text : text of the closed field where the full one does not fit, ``"NDCG"``.
    detail : text after it where there is space; "" for none.
    tip : tooltip.
    """

    key: str
    short_text: str
    detail: str
    tip: str


class PlotHeader(QWidget):
    """Header row of a plot panel: curve type, values button and menu.

    Signals
    -------
    kind_selected(key), values_toggled(on)
        Another curve type; the table of values instead of the plot.
    action_triggered(key)
        An entry of the menu that is no option.
    """

    kind_selected = Signal(str)
    values_toggled = Signal(bool)
    action_triggered = Signal(str)

    def __init__(self, entries: Sequence[PlotKind], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kinds = CurveTypeField()
        self.hidden_button = QToolButton()
        self.runs_button = QToolButton()
        self.values_button = QToolButton()
        self.menu_button = QToolButton()
        self.menu = PanelMenu(self)
        self.options: dict[tuple[str, Any], QAction] = {}
        self.menu_actions: dict[str, QAction] = {}
        for index, entry in enumerate(entries):
            self.kinds.addItem(f"{entry.short_text}  {entry.detail}".rstrip(), entry.key)
            self.kinds.setItemData(index, entry.short_text, SHORT_TEXT_ROLE)
            self.kinds.setItemData(index, entry.tip, Qt.ItemDataRole.ToolTipRole)
        self._build()
        self.kinds.activated.connect(self._emit_kind)
        self.values_button.toggled.connect(self.values_toggled)
        self.menu.triggered.connect(self._emit_menu_entry)
        self.set_theme(current_theme())

    def _build(self) -> None:
        self.values_button.setCheckable(True)
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setMenu(self.menu)
        self.runs_button.hide()
        self.hidden_button.hide()
        set_tooltip(self.hidden_button, "Show all runs in all graphs again")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 0)
        layout.setSpacing(SPACE)
        layout.addWidget(self.kinds)
        layout.addWidget(self.hidden_button)
        layout.addStretch(1)
        for button, text in (
            (self.runs_button, "Choose runs"),
            (self.values_button, "Table of values"),
            (self.menu_button, "Plot options, copy and export"),
        ):
            set_tooltip(button, text)
            button.setAccessibleName(text)
            button.setIconSize(QSize(16, 16))
            layout.addWidget(button)

    def add_option(
        self,
        controls: OptionControls,
        name: str,
        entries: Mapping[Any, str] | None = None,
        tips: Mapping[Any, str] = NO_TIPS,
    ) -> None:
        """Add an option to the menu, see `OptionControls.add_actions`.

        Parameters
        ----------
        tips : tooltips of entries by value.
        """
        for action in controls.add_actions(self.menu, name, entries):
            value = action.data()
            self.options[name, value] = action
            if value in tips:
                set_tooltip(action, tips[value])

    def add_action(self, key: str, text: str) -> None:
        """Add an entry that triggers `action_triggered`."""
        action = self.menu.addAction(text)
        action.setData(key)
        self.menu_actions[key] = action

    def is_on(self, name: str, value: Any) -> bool:
        """Whether an entry of an option is checked and enabled; False if it is not in the menu."""
        action = self.options.get((name, value))
        return action is not None and action.isChecked() and action.isEnabled()

    def enable(self, name: str, values: Iterable[Any]) -> None:
        """Enable these entries of an option, and disable its others."""
        enabled = set(values)
        for (option, value), action in self.options.items():
            if option == name:
                action.setEnabled(value in enabled)

    def set_kind(self, key: str) -> None:
        """Show a curve type as the current one."""
        self.kinds.setCurrentIndex(self.kinds.findData(key))

    def show_hidden(self, number: int) -> None:
        """Say how many runs are hidden, with a button that shows them."""
        self.hidden_button.setText(f"{number:,} hidden · Show")
        self.hidden_button.setVisible(number > 0)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self.runs_button.setIcon(icon("runs", theme))
        self.values_button.setIcon(icon("table", theme))
        self.menu_button.setIcon(icon("list", theme))

    @Slot(int)
    def _emit_kind(self, _index: int) -> None:
        self.kind_selected.emit(self.kinds.currentData())

    @Slot(QAction)
    def _emit_menu_entry(self, action: QAction) -> None:
        if not action.property(PANEL_ACTION) and not action.isCheckable():
            self.action_triggered.emit(action.data())


class ValueColumn(NamedTuple):
    """A column of the table of values.

    Attributes
    ----------
    title : header text.
    values : (K,) float64; NaN is an empty cell.
    decimals : number of decimals shown; 0 for ranks. Copied and saved text has full precision.
    """

    title: str
    values: NDArray[np.float64]
    decimals: int = SHARE_DECIMALS

    def cells(self) -> list[Cell]:
        """The values; whole numbers where no decimals are shown."""
        return [
            None if math.isnan(value) else round(value) if not self.decimals and value.is_integer() else value
            for value in self.values.tolist()
        ]


def value_columns(
    curves: Sequence[PlotCurve],
    references: References,
    x_label: str,
    y_label: str,
    *,
    separate_x: bool = False,
    x_decimals: int = SHARE_DECIMALS,
) -> list[ValueColumn]:
    """Columns of the table of values: x and y of the curves, then of the references that are listed.

    Parameters
    ----------
    separate_x : give every curve its own x column. By default curves with equal x share one. Used for curve types whose
        x depends on the run, so that the columns of a CSV file do not depend on the data.
    x_decimals : decimals of x as shown.
    """
    lines = [(curve.label, curve.x, curve.y) for curve in curves]
    lines += [(line.label, line.x, line.y) for line in references.lines if line.listed]
    if not lines:
        return []
    first_x = lines[0][1]
    shared = [] if separate_x else [line for line in lines if np.array_equal(line[1], first_x)]
    columns: list[ValueColumn] = []
    if shared:
        columns.append(ValueColumn(x_label, first_x, x_decimals))
        columns += [ValueColumn(label, y) for label, _, y in shared]
        lines = [line for line in lines if not any(line is other for other in shared)]
    for label, x, y in lines:
        columns += [
            ValueColumn(f"{label}: {x_label.lower()}", x, x_decimals),
            ValueColumn(f"{label}: {y_label.lower()}", y),
        ]
    return columns


#: Actions of every plot: key and text.
RUN_ACTIONS = (
    ("choose_runs", "Choose runs…"),
    ("all_runs", "Show all runs"),
    ("one_run", "Show only the selected run"),
)

#: Height in pixels from which the legend may take several lines.
FULL_LEGEND_HEIGHT = 340

#: Height in pixels below which a button replaces the legend, which would take more than half of the height.
MIN_LEGEND_HEIGHT = 200

#: Keys that a plot handles itself; see `Panel.shortcuts`.
PLOT_SHORTCUTS = (
    ("Plots", "Previous or next rank", "←  →"),
    ("Plots", "Previous or next run", "↑  ↓"),
    ("Plots", "Zoom in, pan", "drag  wheel  Shift+drag"),
    ("Plots", "Reset zoom", "Home  0"),
)


#: Size in pixels of the sample of the line before the edits.
BEFORE_SAMPLE = QSize(20, 12)


class PlotPanel(RequestPanel[P]):
    """Header, plot and table of values, connected to the session; subclasses provide the content.

    The curves are computed for `request`; `plot_shown` makes the plot of them, so quickly that the selected run, hidden
    runs and lines for comparison change at once.

    Parameters
    ----------
    options : the options of the panel.
    entries : curve types of the header.
    kind_option : name of the option for the curve type.
    """

    def __init__(self, session: Session, options: P, entries: Sequence[PlotKind], kind_option: str) -> None:
        super().__init__(session, options, uses=("scores", "former", "baselines"))
        self._kind_option = kind_option
        self._theme = current_theme()
        self._is_outdated = False
        self._y_label = ""
        self.header = PlotHeader(entries)
        self.plot = CurvePlot()
        self.values = RecordTableModel(self)
        self.table = RecordView(self.values, "Values of the graph", is_sortable=False, selects_cells=True, row_margin=6)
        self.table.setFrameShape(QFrame.Shape.StyledPanel)
        self.table.setAlternatingRowColors(True)
        self.table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._plot_area = QWidget()
        self._pages = QStackedLayout(self._plot_area)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(self.plot)
        self._pages.addWidget(self.table)
        self.no_curve = EmptyState("curves", "No curve", "The curve is not defined for this query.")
        self._pages.addWidget(self.no_curve)
        self.before, self._before_icon, self._before_name = QWidget(), PlainLabel(), ElidingLine(token="muted")
        self.hide_before = QToolButton()
        self._build_before()
        self.column = self.set_body(self.header, self.before, self._plot_area, stretch=self._plot_area)
        self._actions: dict[str, Callable[[], object]] = {
            "choose_runs": self._show_run_list,
            "all_runs": session.edits.show_all_runs,
            "one_run": self._show_selected_run_only,
        }
        self.header.kind_selected.connect(self.select_kind)
        self.header.values_toggled.connect(self.show_values)
        self.header.action_triggered.connect(self._run_action)
        self.header.runs_button.clicked.connect(self._show_run_list)
        self.header.hidden_button.clicked.connect(session.edits.show_all_runs)
        self.plot.curve_selected.connect(self._select_run)
        self.plot.x_selected.connect(self._select_position)
        self.plot.x_hovered.connect(self._hover)
        self.plot.curve_hovered.connect(self._hover_run)
        self.plot.stepped.connect(self._step)
        self.plot.toggle_requested.connect(self._toggle_run)
        self.plot.isolate_requested.connect(self._isolate_run)
        self.plot.show_all_requested.connect(session.edits.show_all_runs)
        session.cursor_state.cursor_changed.connect(self._show_cursor)
        session.cursor_state.run_hovered.connect(self._show_hovered_run)
        session.cursor_state.generality_changed.connect(self._follow)
        session.cursor_state.former_hidden.connect(self._show_former)
        self.hide_before.clicked.connect(self._hide_former)

    def _build_before(self) -> None:
        """Row with the name of the curve before the edits, and a button that hides it."""
        row = row_layout(0, 0, SPACE)
        row.addWidget(self._before_icon)
        row.addWidget(self._before_name, 1)
        row.addWidget(self.hide_before)
        self.before.setLayout(row)
        self.hide_before.setText("Hide")
        self.before.hide()
        set_tooltip(self.hide_before, "Hide the curve before the edits until the next change")

    @Slot()
    def _hide_former(self) -> None:
        self._session.cursor_state.hide_former(self._session.scores)

    @Slot()
    def _show_former(self) -> None:
        self.draw()

    def _add_actions(self) -> None:
        """Add the slices and actions of every plot to the menu; subclasses call this after adding their options."""
        self.slices = self.header.menu.addMenu("Queries of the mean")
        self.slices.aboutToShow.connect(self._list_slices)
        self.slices.triggered.connect(self._select_slice)
        self.header.menu.addSeparator()
        for key, text in RUN_ACTIONS:
            self.header.add_action(key, text)

    @Slot()
    def _list_slices(self) -> None:
        """Offer all queries and each slice; the present one is checked."""
        self.slices.clear()
        names = [one.name for one in slices_of(content_data(self._session))] if self._session.scores else []
        for name in ("", *names):
            action = self.slices.addAction(escape_mnemonic(name) or "All queries")
            action.setCheckable(True)
            action.setChecked(name == self._session.selection.slice)
            action.setData(name)

    @Slot(QAction)
    def _select_slice(self, action: QAction) -> None:
        self._session.select(slice=action.data(), means=True)

    # Content, provided by subclasses.

    def shown_request(self) -> CurvesRequest:
        """The request for the plot as it is shown, in the whole range of its axes."""
        raise NotImplementedError

    def plot_shown(self, styles: Mapping[str, RunStyle]) -> Plot | None:
        """The plot in these styles of the runs; None before it is computed."""
        raise NotImplementedError

    def computed_runs(self) -> Sequence[RunCurve]:
        """The curves that are computed, possibly also of runs hidden since."""
        raise NotImplementedError

    def columns(self) -> list[ValueColumn]:
        """Columns of the table of values."""
        raise NotImplementedError

    def cursor_at(self, rank: int) -> PlotCursor:
        """The cursor at a rank."""
        raise NotImplementedError

    def rank_at(self, x: float) -> int | None:
        """The rank at a position of the x axis; None for none."""
        raise NotImplementedError

    def show_header(self) -> None:
        """Show which options apply."""

    def y_range(self) -> tuple[float, float] | None:
        """Range of the y axis; None for that of the visible curves."""
        return (0.0, 1.0)

    def is_dotted(self) -> bool:
        """Whether curves are measured points."""
        return False

    # Request.

    def with_computed_runs(self, request: C, before: Request | None) -> C:
        """The request for the visible runs and the selected one, for which x is converted to ranks.

        Parameters
        ----------
        before : the request before; where it has all these runs, no curve is computed to hide one.
        """
        benchmark = self._session.benchmark
        names = [run.name for run in benchmark.runs]
        needed = replace(request, runs=tuple(names[run] for run in self._session.selection.needed_runs))
        if type(before) is not type(request) or not set(needed.runs) <= set(before.runs) <= set(names):
            return needed
        return before if replace(needed, runs=before.runs) == before else needed

    def former_shown(self, former: Sequence[RunCurve]) -> tuple[str, ...]:
        """`BEFORE_EDITS` where the selected run is visible and has a curve before the edits, until that is hidden."""
        session, selection = self._session, self._session.selection
        is_hidden = session.cursor_state.hidden_former is session.scores
        has_curve = any(curve.run == selection.run for curve in former) and selection.run in selection.visible_runs
        return (BEFORE_EDITS,) if has_curve and not is_hidden else ()

    def requests(self) -> tuple[Request, ...]:
        """See `RequestPanel`; in the range that is shown, and without the curve before the edits.

        That is part of a figure where it is chosen in the dialog.
        """
        if self.is_empty or not self._session.is_open:
            return ()
        request = self.shown_request()
        request = replace(request, show=tuple(key for key in request.show if key != BEFORE_EDITS))
        if self.plot.is_zoomed:
            x_range, y_range = self.plot.view_range()
            request = replace(request, x_range=x_range, y_range=y_range)
        return (request,)

    def update_request(self) -> None:
        """See `RequestPanel`."""
        self.show_header()
        super().update_request()

    @Slot(str)
    def select_kind(self, key: str) -> None:
        """Show another curve type."""
        self.set_option(self._kind_option, key)

    # Display.

    @property
    def hidden(self) -> frozenset[str]:
        """Keys of the runs that plots do not show."""
        benchmark = self._session.benchmark
        runs = len(benchmark.runs)
        return frozenset(str(run) for run in set(range(runs)).difference(self._session.selection.visible_runs))

    @property
    def shown_plot(self) -> Plot | None:
        """The plot as it is shown, without zoom; None before it is computed."""
        return self.plot_shown(styles_by_name(self._session, self._theme.name))

    def references(self) -> References:
        """Lines, areas and points for comparison."""
        return NO_REFERENCES if (plot := self.shown_plot) is None else plot.references

    def visible_curves(self) -> list[PlotCurve]:
        """The curves that are not hidden."""
        hidden = self.hidden
        return [curve for curve in self._curves() if curve.key not in hidden]

    def _curves(self) -> tuple[PlotCurve, ...]:
        """One curve per run; without values where the run is hidden and not computed."""
        benchmark = self._session.benchmark
        names = {index: run.name for index, run in enumerate(benchmark.runs)}
        styles = styles_by_name(self._session, self._theme.name)
        return plot_curves(self.computed_runs(), names, styles, dotted=self.is_dotted())

    def show_result(self, result: Any) -> None:
        """See `RequestPanel`; curves, references and cursor, and the table of values if it is open."""
        self.show_header()
        self.draw()
        curves = self.computed_runs()
        self.show_curves(defined=not curves or any(np.isfinite(curve.y).any() for curve in curves))

    def draw(self) -> None:
        """Draw curves, references and cursor."""
        plot = self.shown_plot
        if plot is None:
            return
        axes = plot.axes
        x_labels, y_labels = (axes.x_label, *axes.short_x_labels), (axes.y_label, *axes.short_y_labels)
        self.plot.set_axes(x_labels, y_labels, axes.x_range, self.y_range(), axes.x_ticks)
        self._y_label = axes.y_label
        self.plot.set_references(plot.references)
        before = next((line for line in plot.references.lines if line.in_legend), None)
        self.before.setVisible(before is not None)
        if before is not None:
            sample = line_icon(self._theme.colour(before.token), before.dash, BEFORE_SAMPLE, self.devicePixelRatioF())
            self._before_icon.setPixmap(sample.pixmap(BEFORE_SAMPLE))
            self._before_name.setText(before.label)
        self.plot.set_curves(self._curves(), self.hidden)
        self.header.show_hidden(len(self.hidden))
        self.plot.set_selected(str(self._session.selection.run))
        self._name_curves()
        self._fit_legend()
        self._show_cursor(self._session.cursor_state.cursor)
        self._update_table()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme, now or when the panel is shown; children are updated by `apply_theme`."""
        self._theme = theme
        self._is_outdated = not self.isVisible()
        if not self._is_outdated:
            self.update_view()

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the curves in a theme that was set while the panel was hidden."""
        super().showEvent(event)
        if self._is_outdated:
            self.set_theme(self._theme)

    @property
    def graph(self) -> QWidget:
        """The widget that draws the values: the plot, or what a subclass shows in its place."""
        return self.plot

    @property
    def shows_values_table(self) -> bool:
        """Whether the table of values is chosen instead of the plot."""
        return self.options.values

    @property
    def is_empty(self) -> bool:
        """Whether a reason is shown instead of the content, or of the curves."""
        return super().is_empty or self._pages.currentWidget() is self.no_curve

    def show_curves(self, *, defined: bool) -> None:
        """Show plot or table; if no curve is defined, the reason below the header, which offers other curves."""
        page = self.table if self.shows_values_table else self.graph
        self._pages.setCurrentWidget(page if defined else self.no_curve)

    @Slot(bool)
    def show_values(self, shown: bool) -> None:
        """Show the table of values, or the plot."""
        self.set_option("values", shown)

    def show_options(self) -> None:
        """See `RequestPanel`."""
        self.plot.set_labelled(self.options.labels)
        self.show_header()
        self.header.values_button.setChecked(self.options.values)
        if self._pages.currentWidget() is not self.no_curve:
            self.show_curves(defined=True)
        self.draw()

    def _update_table(self) -> None:
        if self.shows_values_table:
            self.values.set_table(self.value_table())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose the legend that fits the height."""
        super().resizeEvent(event)
        self._fit_legend()

    def _fit_legend(self) -> None:
        """Choose a legend of several lines, of one line, or labels at the ends of the lines, by the height."""
        height = self.height()
        is_low = height < MIN_LEGEND_HEIGHT
        self.plot.set_legend("full" if height >= FULL_LEGEND_HEIGHT else "none" if is_low else "line")
        self.header.runs_button.setVisible(is_low)

    def _name_curves(self) -> None:
        """Always name the compared, the best and random runs in the plot, and the selected run anyway."""
        scores, compared = self._session.scores, self._session.selection.compared
        named: set[int] = set()
        if scores is not None:
            named.update(scores.random_runs, runs_best_first(self._session)[:1])
        if compared is not None:
            named.add(compared)
        self.plot.set_named({str(run) for run in named})

    @Slot(object)
    def _show_hovered_run(self, run: int | None) -> None:
        self.plot.set_hovered("" if run is None else str(run))

    @Slot(object)
    def _show_cursor(self, rank: int | None) -> None:
        cursor = NO_CURSOR if rank is None else self.cursor_at(rank)
        self.plot.show_cursor(cursor)
        self.plot.set_cursor_description(self._cursor_description(cursor))

    def _cursor_description(self, cursor: PlotCursor) -> str:
        """Accessible description of the cursor on the curve of the selected run."""
        dot = next((dot for dot in cursor.dots if dot.key == str(self._session.selection.run)), None)
        run = self._session.run
        if dot is None or run is None or math.isnan(dot.y):
            return cursor.label
        return f"{cursor.label}, {run.name}: {self._y_label} {format_value(dot.y)}"

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`; curves computed before are shown or hidden at once."""
        if new.differs(old, "selection") and not new.differs(old, "benchmark"):
            self.show_selection(old.selection, new.selection)
        if new.differs(old, *(name for name in DIFFERENCES if name != "list")):
            super().show_changes(old, new)

    def show_selection(self, old: Selection, new: Selection) -> None:
        """Show what differs between two selections."""
        if (old.compared, old.measure) != (new.compared, new.measure):
            self._name_curves()
        if old.run != new.run:
            self.plot.set_selected(str(new.run))
            self._show_cursor(self._session.cursor_state.cursor)
        if old.visible_runs != new.visible_runs:
            self.plot.set_hidden(self.hidden)
            self.header.show_hidden(len(self.hidden))
            self._update_table()
        if (old.run, old.visible_runs) != (new.run, new.visible_runs):
            self.plot.set_references(self.references())
        if old.means != new.means:
            self.show_header()

    # Export.

    @Slot(str)
    def _run_action(self, key: str) -> None:
        self._actions[key]()

    def title(self) -> str:
        """Title of the plot."""
        plot = self.plot_shown(styles_by_name(self._session, "light"))
        return "" if plot is None else plot.title

    def value_table(self) -> Table:
        """The table of values in full precision."""
        columns = self.columns()
        heads = (TableColumn(name, name, is_number=True, shown_digits=digits) for name, _, digits in columns)
        cells = (column.cells() for column in columns)
        return Table("curves", self.title(), tuple(heads), tuple(zip_longest(*cells)))

    def export(self) -> ExportContent:
        """See `RequestPanel`; the visible curves in the range shown, and the table of values."""
        requests = self.requests()
        return ExportContent(requests[0], self.value_table(), self.export_names()) if requests else ExportContent()

    def export_names(self) -> tuple[str, ...]:
        """Curve and query for file names: the title without the benchmark, whose name files have anyway."""
        name = self._session.benchmark.name
        return (self.title().removeprefix(name).strip(),)

    # Interaction.

    @Slot(float)
    def _hover(self, x: float) -> None:
        self._session.cursor_state.hover(None if math.isnan(x) else self._clamp_rank(self.rank_at(x)))

    @Slot(str)
    def _hover_run(self, key: str) -> None:
        self._session.cursor_state.hover_run(int(key) if key.isdigit() else None)

    @Slot(float)
    def _select_position(self, x: float) -> None:
        if not math.isnan(x) and (rank := self._clamp_rank(self.rank_at(x))) is not None:
            self._session.select(rank=rank)

    @Slot(int)
    def _step(self, by: int) -> None:
        cursor = self._session.cursor_state.cursor
        if (rank := self._clamp_rank(max(1, by) if cursor is None else max(1, cursor + by))) is not None:
            self._session.select(rank=rank)

    def _clamp_rank(self, rank: int | None) -> int | None:
        """A rank, at most the length of the list shown; None where there is no list."""
        shown = self._session.ranked_list
        return None if rank is None or shown is None or not len(shown) else min(rank, len(shown))

    # Keys of curves are indices of runs; other keys (references) select nothing.

    @Slot(str)
    def _select_run(self, key: str) -> None:
        if key.isdigit():
            self._session.select(run=int(key))

    @Slot(str)
    def _toggle_run(self, key: str) -> None:
        if key.isdigit():
            self._session.edits.toggle_run(int(key))

    @Slot(str)
    def _isolate_run(self, key: str) -> None:
        if key.isdigit():
            self._session.edits.isolate_run(int(key))

    @Slot()
    def _show_run_list(self) -> None:
        header = self.header
        self.plot.list_runs(header.runs_button if header.runs_button.isVisible() else header.menu_button)

    def _show_selected_run_only(self) -> None:
        self._session.select(shown_runs=())  # an empty tuple shows only the selected run, also after it changes

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open a menu of the run under the mouse (menu key: the selected run) and of the plot."""
        is_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        key = str(self._session.selection.run) if is_key else self.plot.key_at(event.globalPos())
        if self.shows_values_table and not is_key:
            key = ""
        menu = context_menu(self)
        plot_menu = menu
        benchmark = self._session.benchmark  # curves of a benchmark that was just closed may still be shown
        if key.isdigit() and int(key) < len(benchmark.runs):
            RunActions(self._session, int(key), menu)
            menu.addSeparator()
            plot_menu = menu.addMenu("This &plot")
        plot_menu.addActions([action for action in self.header.menu.actions() if not action.property(PANEL_ACTION)])
        menu.popup(self.mapToGlobal(self.rect().center()) if is_key else event.globalPos())
