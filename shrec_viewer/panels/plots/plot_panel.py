"""Base class of the plot panels: cursor, runs shown, table of values, copy and export."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QMenu, QStackedLayout, QVBoxLayout, QWidget

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.io.atomic import atomic_file
from shrec_viewer.number_format import format_value
from shrec_viewer.panels.panel.actions import RunActions
from shrec_viewer.panels.panel.panel_widget import BasePanel
from shrec_viewer.panels.plots.plot_export import (
    CSV_FILTER,
    FILE_FILTERS,
    clipboard_data,
    export_format,
    render_file,
    render_files,
    report_graph,
    report_lines,
)
from shrec_viewer.panels.plots.plot_header import PlotHeader, PlotKind
from shrec_viewer.report.figure import FIGURE_FORMATS, FigureFormat, FigureSpec
from shrec_viewer.viewmodels.session.selection import Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.plots.curve_plot import CurvePlot
from shrec_viewer.widgets.plots.curves import PlotCurve
from shrec_viewer.widgets.plots.overlays import NO_CURSOR, PlotCursor
from shrec_viewer.widgets.plots.references import References
from shrec_viewer.widgets.plots.value_table import DECIMALS, ValueColumn, ValueTable
from shrec_viewer.widgets.style.theme import Theme, current_theme


def value_columns(
    curves: Sequence[PlotCurve], references: References, x_label: str, y_label: str, *, own_x: bool = False
) -> list[ValueColumn]:
    """Columns of x and y, titled by axis and curve; references that are listed stand behind the curves.

    Parameters
    ----------
    own_x : every curve has x of its own by its kind, and so a pair of columns, even where the values agree: a program
        that reads the file finds the same columns whatever the lists are.
    """
    lines = [(curve.label, curve.x, curve.y) for curve in curves]
    lines += [(line.label, line.x, line.y) for line in references.lines if line.listed]
    if not lines:
        return []
    first = lines[0][1]
    decimals = 0 if x_label == "Rank" else DECIMALS
    shared = [] if own_x else [line for line in lines if np.array_equal(line[1], first)]
    columns: list[ValueColumn] = []
    if shared:
        columns.append(ValueColumn(x_label, first, decimals))
        columns += [ValueColumn(label, y) for label, _, y in shared]
        lines = [line for line in lines if not any(line is other for other in shared)]
    for label, x, y in lines:
        columns += [
            ValueColumn(f"{label}: {x_label.lower()}", x, decimals),
            ValueColumn(f"{label}: {y_label.lower()}", y),
        ]
    return columns


COMMON_ACTIONS = (
    ("copy_print", "Copy for a paper (SVG, PDF, PNG)"),
    ("copy_picture", "Copy picture as seen"),
    ("copy_values", "Copy values"),
    ("export", "Export graph…"),
    ("save_values", "Save values as CSV…"),
)
"""What every graph can do, by key and text."""


class PlotPanelBase(BasePanel):
    """Head, graph and table; subclasses say what is in them.

    Parameters
    ----------
    name : of its lanes.
    entries : kinds to choose from.
    """

    def __init__(self, session: Session, name: str, entries: Sequence[PlotKind]) -> None:
        super().__init__("curves")
        self._session = session
        self._name = name
        self.head = PlotHeader(entries)
        self.plot = CurvePlot()
        self.table = ValueTable()
        self._place = QWidget()
        self._pages = QStackedLayout(self._place)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(self.plot)
        self._pages.addWidget(self.table)
        self.column = QVBoxLayout(self.content)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(0)
        self.column.addWidget(self.head)
        self.column.addWidget(self._place, 1)
        self.head.values_toggled.connect(self.show_values)
        self.head.action_triggered.connect(self._do)

    def _add_actions(self) -> None:
        self.head.menu.addSeparator()
        for key, text in COMMON_ACTIONS:
            self.head.add_action(key, text)

    # What subclasses say.

    def title(self) -> str:
        """What the graph is of, for the name of a file."""
        raise NotImplementedError

    def axes(self) -> tuple[str, str, str]:
        """Name of x, name of y, and how the ticks of x are written."""
        raise NotImplementedError

    def curves(self, theme: str) -> list[PlotCurve]:
        """One a run, in the colours of a theme; without values where it is hidden and nobody needs them."""
        raise NotImplementedError

    def references(self) -> References:
        """What the curves are held against."""
        raise NotImplementedError

    def columns(self) -> list[ValueColumn]:
        """The values behind the graph."""
        raise NotImplementedError

    def do(self, key: str) -> None:
        """Do what a verb of the menu says that not every graph has."""

    # What it shows.

    @property
    def hidden(self) -> frozenset[str]:
        """Keys of the runs that graphs do not draw."""
        benchmark = self._session.benchmark
        runs = 0 if benchmark is None else len(benchmark.runs)
        return frozenset(str(run) for run in set(range(runs)).difference(self._session.selection.drawn_runs))

    def drawn(self, theme: str) -> list[PlotCurve]:
        """The curves that are not hidden."""
        hidden = self.hidden
        return [curve for curve in self.curves(theme) if curve.key not in hidden]

    @property
    def shows_values_table(self) -> bool:
        """Whether the values are shown instead of the graph."""
        return self._pages.currentWidget() is self.table

    @Slot(bool)
    def show_values(self, shown: bool) -> None:
        """Show the values, or the graph."""
        self.head.data.setChecked(shown)
        self._pages.setCurrentWidget(self.table if shown else self.plot)
        if shown:
            self.table.set_columns(self.columns())

    # Copying and saving.

    @Slot(str)
    def _do(self, key: str) -> None:
        common = {
            "copy_print": self.copy_for_print,
            "copy_picture": self.copy_picture,
            "copy_values": self.copy_values,
            "export": self.choose_export_path,
            "save_values": self.choose_values_path,
        }
        common[key]() if key in common else self.do(key)

    def printed(self) -> FigureSpec:
        """The graph as it would be printed: what is hidden here is left out, what is zoomed into fills the axes."""
        shown = [curve for curve in self.drawn("light") if curve.is_drawn]
        lines = report_lines(shown, str(self._session.selection.run))
        return report_graph(self.title(), self.axes(), self.plot.view_range(), lines, self.references())

    def copy_picture(self) -> None:
        """Put the graph as it is seen onto the clipboard."""
        QGuiApplication.clipboard().setPixmap(self.plot.grab())

    def copy_for_print(self) -> None:
        """Put the graph onto the clipboard as SVG, PDF and PNG, rendered in the background."""
        work = partial(render_files, self.printed())
        self._session.tasks.run(f"print {self._name}", work, self._copy_files, self._report_export_error)

    def _copy_files(self, files: dict[FigureFormat, bytes]) -> None:
        QGuiApplication.clipboard().setMimeData(clipboard_data(files))
        self._session.done.emit(f"{self.title()} is on the clipboard as SVG, PDF and PNG")

    def copy_values(self) -> None:
        """Put the values onto the clipboard: tabs between, a line each."""
        self.table.set_columns(self.columns())
        QGuiApplication.clipboard().setText(self.table.written("\t"))

    def choose_export_path(self) -> None:
        """Ask where to save the graph."""
        self._ask(";;".join((*FILE_FILTERS, CSV_FILTER)), self._export_chosen)

    def choose_values_path(self) -> None:
        """Ask where to save the values."""
        self._ask(CSV_FILTER, self._values_chosen)

    def _ask(self, filters: str, receiver: Callable[[str], None]) -> None:
        dialog = QFileDialog(self, "Save")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(filters.split(";;"))
        dialog.selectFile(re.sub(r"[^\w.()@+-]+", "-", self.title()).strip("-"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(receiver)
        dialog.open()

    @Slot(str)
    def _export_chosen(self, name: str) -> None:
        dialog = self.sender()
        chosen = dialog.selectedNameFilter() if isinstance(dialog, QFileDialog) else ""
        typed = Path(name).suffix.lower().removeprefix(".")
        if typed == "csv" or (chosen == CSV_FILTER and typed not in FIGURE_FORMATS):
            self._values_chosen(name)
        else:
            self.export(*export_format(Path(name), chosen))

    @Slot(str)
    def _values_chosen(self, name: str) -> None:
        self.save_values(Path(name) if Path(name).suffix else Path(f"{name}.csv"))

    def export(self, path: Path, form: FigureFormat, width: float) -> None:
        """Save the graph, rendered in the background."""
        work = partial(render_file, self.printed(), form, width)
        self._session.tasks.run(f"print {self._name}", work, partial(self._write, path), self._report_export_error)

    def save_values(self, path: Path) -> None:
        """Save the values with all their digits."""
        self.table.set_columns(self.columns())
        self._write(path, self.table.written(",").encode())

    def _write(self, path: Path, content: bytes) -> None:
        try:
            with atomic_file(path) as draft:
                draft.write_bytes(content)
            self._session.done.emit(f"Saved {path}")
        except FormatError as error:
            self._session.failed.emit(error.sentence, "")

    def _report_export_error(self, error: Exception) -> None:
        self._session.report_failure("The graph cannot be printed", error)


FULL_LEGEND_HEIGHT = 340
"""Pixels of height from which a graph has room for a legend of several lines."""

MIN_LEGEND_HEIGHT = 200
"""Pixels of height below which a legend would leave the curves less than half of the room; then a button lists the
runs."""

LABELS = "labels"
CHOOSE_RUNS, ALL_RUNS, ONE_RUN = "choose_runs", "all_runs", "one_run"


PLOT_SHORTCUTS = (
    ("Plots", "Previous or next rank", "←  →"),
    ("Plots", "Previous or next run", "↑  ↓"),
    ("Plots", "Zoom in, pan", "drag  wheel  Shift+drag"),
    ("Plots", "Reset zoom", "Home  0"),
)
"""Keys that a plot handles itself; see `Panel.shortcuts`."""


class PlotPanel(PlotPanelBase):
    """A graph tied to the session's cursor and selection; subclasses say what is drawn."""

    def __init__(self, session: Session, name: str, entries: Sequence[PlotKind]) -> None:
        super().__init__(session, name, entries)
        self._theme = current_theme()
        self.head.runs.clicked.connect(self._show_run_list)
        self.plot.curve_selected.connect(self._select_run)
        self.plot.x_selected.connect(self._select_place)
        self.plot.x_hovered.connect(self._hover)
        self.plot.stepped.connect(self._step)
        self.plot.toggle_requested.connect(self._toggle_run)
        self.plot.isolate_requested.connect(self._isolate_run)
        self.plot.show_all_requested.connect(session.edits.show_all_runs)
        session.cursor_state.cursor_changed.connect(self._show_cursor)
        session.selection_changed.connect(self._show_selection)
        session.edits.colours_changed.connect(self._show_colours)

    def _add_actions(self) -> None:
        """What every graph can do."""
        self.head.menu.addSeparator()
        self.head.add_action(CHOOSE_RUNS, "Choose the runs drawn…")
        self.head.add_action(ALL_RUNS, "Draw all runs")
        self.head.add_action(ONE_RUN, "Draw the selected run only, whichever it is")
        super()._add_actions()

    # What subclasses say.

    def cursor_at(self, rank: int) -> PlotCursor:
        """Where a rank is in the graph."""
        raise NotImplementedError

    def rank_at(self, x: float) -> int | None:
        """The rank meant by a place of the graph; None for none."""
        raise NotImplementedError

    def show_all(self) -> None:
        """Show everything anew, or the reason why there is nothing."""
        raise NotImplementedError

    def follow(self, old: Selection, new: Selection) -> None:
        """Something else is selected; the run in hand and the cursor follow by themselves."""

    def view_state(self) -> dict[str, Any]:
        """What the person chose here, for a project: plain values."""
        options = {key: action.isChecked() for key, action in self.head.options.items()}
        return {"kind": self.head.kinds.currentData(), "values": self.shows_values_table, "options": options}

    def restore_view_state(self, state: Mapping[str, Any]) -> None:
        """Choose what a project says; what is not known is passed over."""
        self.head.select_kind(state.get("kind"))
        options = state.get("options")
        for key, on in options.items() if isinstance(options, dict) else ():
            self.head.set_option(str(key), on is True)
        self.show_values(state.get("values") is True)

    # What it shows.

    def draw(self) -> None:
        """Show curves, references, cursor and, where they are in sight, the values."""
        self.plot.set_references(self.references())
        self.plot.set_curves(self.curves(self._theme.name), self.hidden)
        self.plot.set_highlighted(str(self._session.selection.run))
        self._fit_legend()
        self._show_cursor(self._session.cursor_state.cursor)
        if self.shows_values_table:
            self.table.set_columns(self.columns())

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are told by `apply_theme`."""
        self._theme = theme
        self.show_all()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override; a low graph does with one line of legend, a very low one with the names at the lines' ends."""
        super().resizeEvent(event)
        self._fit_legend()

    def _fit_legend(self) -> None:
        height = self.height()
        self.plot.set_legend(
            "full" if height >= FULL_LEGEND_HEIGHT else "none" if height < MIN_LEGEND_HEIGHT else "line"
        )
        self.head.runs.setVisible(height < MIN_LEGEND_HEIGHT)

    @Slot(object)
    def _show_cursor(self, rank: int | None) -> None:
        cursor = NO_CURSOR if rank is None else self.cursor_at(rank)
        self.plot.show_cursor(cursor)
        self.plot.set_cursor_description(self._spoken(cursor))

    def _spoken(self, cursor: PlotCursor) -> str:
        """What a screen reader says of the place of the cursor on the curve in hand."""
        dot = next((dot for dot in cursor.dots if dot.key == str(self._session.selection.run)), None)
        run = self._session.run
        if dot is None or run is None or math.isnan(dot.y):
            return cursor.words
        return f"{cursor.words}, {run.name}: {self.axes()[1]} {format_value(dot.y)}"

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if old.run != new.run:
            self.plot.set_highlighted(str(new.run))
            self._show_cursor(self._session.cursor_state.cursor)
        if old.drawn_runs != new.drawn_runs:
            self._show_runs()
        self.follow(old, new)

    def _show_runs(self) -> None:
        """Hide and show at once what is known; what has to be computed first comes later."""
        self.plot.set_hidden(self.hidden)
        if self.shows_values_table:
            self.table.set_columns(self.columns())

    @Slot()
    def _show_colours(self) -> None:
        self.show_all()

    # What the person does.

    @Slot(float)
    def _hover(self, x: float) -> None:
        self._session.cursor_state.hover(None if math.isnan(x) else self._clamp_rank(self.rank_at(x)))

    @Slot(float)
    def _select_place(self, x: float) -> None:
        if not math.isnan(x) and (rank := self._clamp_rank(self.rank_at(x))) is not None:
            self._session.select(rank=rank)

    @Slot(int)
    def _step(self, by: int) -> None:
        cursor = self._session.cursor_state.cursor
        if (rank := self._clamp_rank(max(1, by) if cursor is None else max(1, cursor + by))) is not None:
            self._session.select(rank=rank)

    @Slot(str)
    def _select_run(self, key: str) -> None:
        if key.isdigit():
            self._session.select(run=int(key))

    def _clamp_rank(self, rank: int | None) -> int | None:
        """The rank, or the last one of the list that is shown where it is shorter."""
        shown = self._session.ranked_list
        return None if rank is None or shown is None or not len(shown) else min(rank, len(shown))

    @Slot(str)
    def _toggle_run(self, key: str) -> None:
        if key.isdigit():
            self._session.edits.toggle_run(int(key))

    @Slot(str)
    def _isolate_run(self, key: str) -> None:
        if key.isdigit():
            self._session.edits.isolate_run(int(key))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Qt override; what can be done with the run under the mouse, and with the graph."""
        is_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        key = str(self._session.selection.run) if is_key else self.plot.key_at(event.globalPos())
        key = "" if self.shows_values_table and not is_key else key
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        part = menu
        benchmark = self._session.benchmark  # a graph may still show what was closed
        if key.isdigit() and benchmark is not None and int(key) < len(benchmark.runs):
            RunActions(self._session, int(key), menu)
            menu.addSeparator()
            part = menu.addMenu("This &graph")
        part.addActions(self.head.menu.actions())
        menu.popup(self.mapToGlobal(self.rect().center()) if is_key else event.globalPos())

    @Slot()
    def _show_run_list(self) -> None:
        self.plot.list_runs(self.head.runs)

    def do(self, key: str) -> None:
        """See `PlotPanelBase`."""
        if key == CHOOSE_RUNS:
            self.plot.list_runs(self.head.more)
        elif key == ALL_RUNS:
            self._session.edits.show_all_runs()
        elif key == ONE_RUN:
            self._session.select(shown_runs=())
