"""What all panels with a graph have in common: the cursor, the values behind, copying and saving."""

import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QStackedLayout, QVBoxLayout, QWidget

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.atomic import new_file
from shrec_viewer.numerals import listed
from shrec_viewer.panels.curve_head import CurveHead, Entry
from shrec_viewer.panels.curve_print import (
    FILTERS,
    VALUES,
    clipboard_data,
    file_of,
    files_of,
    form_of,
    printed,
    printed_curves,
)
from shrec_viewer.panels.pane import Pane
from shrec_viewer.report.graph import Graph
from shrec_viewer.report.plots import FORMS, Form
from shrec_viewer.viewmodels.selection import Selection
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.curve_plot import CurvePlot
from shrec_viewer.widgets.plot_curve import PlotCurve
from shrec_viewer.widgets.plot_marks import NO_CURSOR, Cursor
from shrec_viewer.widgets.plot_reference import References
from shrec_viewer.widgets.plot_table import Column, PlotTable
from shrec_viewer.widgets.theme import Theme, current_theme

ROOMY = 340
"""Pixels of height from which a graph has room for a legend of several lines."""

LOW = 200
"""Pixels of height below which a legend would leave the curves less than half of the room; their names at their ends do
without it."""

LABELS = "labels"
VERBS = (
    ("copy_print", "Copy for a paper (SVG, PDF, PNG)"),
    ("copy_picture", "Copy picture as seen"),
    ("copy_values", "Copy values"),
    ("export", "Export graph…"),
    ("save_values", "Save values as CSV…"),
)
"""What every graph can do, by key and text."""


class GraphPanel(Pane):
    """A graph tied to the session's cursor and selection; subclasses say what is drawn.

    Parameters
    ----------
    name : of its lanes.
    entries : kinds to choose from.
    """

    def __init__(self, session: Session, name: str, entries: Sequence[Entry]) -> None:
        super().__init__("curves")
        self._session = session
        self._name = name
        self._theme = current_theme()
        self.head = CurveHead(entries)
        self.plot = CurvePlot()
        self.table = PlotTable()
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
        self.head.data_picked.connect(self.show_values)
        self.head.verb_picked.connect(self._do)
        self.plot.curve_picked.connect(self._pick_run)
        self.plot.x_picked.connect(self._pick_place)
        self.plot.x_hovered.connect(self._hover)
        self.plot.stepped.connect(self._step)
        session.pointing.cursor_changed.connect(self._show_cursor)
        session.selection_changed.connect(self._show_selection)
        session.edits.colours_changed.connect(self._show_colours)

    def _add_verbs(self) -> None:
        self.head.menu.addSeparator()
        for key, text in VERBS:
            self.head.add_verb(key, self.tr(text))

    # What subclasses say.

    def title(self) -> str:
        """What the graph is of, for the name of a file."""
        raise NotImplementedError

    def axes(self) -> tuple[str, str, str]:
        """Name of x, name of y, and how the ticks of x are written."""
        raise NotImplementedError

    def curves(self, theme: str) -> list[PlotCurve]:
        """What is drawn, in the colours of a theme."""
        raise NotImplementedError

    def references(self) -> References:
        """What the curves are held against."""
        raise NotImplementedError

    def columns(self) -> list[Column]:
        """The values behind the graph."""
        raise NotImplementedError

    def cursor_at(self, rank: int) -> Cursor:
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

    def do(self, key: str) -> None:
        """Do what a verb of the menu says that not every graph has."""

    # What it shows.

    @property
    def shows_values(self) -> bool:
        """Whether the values are shown instead of the graph."""
        return self._pages.currentWidget() is self.table

    @Slot(bool)
    def show_values(self, shown: bool) -> None:
        """Show the values, or the graph."""
        self.head.data.setChecked(shown)
        self._pages.setCurrentWidget(self.table if shown else self.plot)
        if shown:
            self.table.set_columns(self.columns())

    def draw(self) -> None:
        """Show curves, references, cursor and, where they are in sight, the values."""
        self.plot.set_references(self.references())
        self.plot.set_curves(self.curves(self._theme.name))
        self.plot.set_highlighted(str(self._session.selection.run))
        self._fit_legend()
        self._show_cursor(self._session.pointing.cursor)
        if self.shows_values:
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
        height, named = self.height(), self.plot.names_fit(self._place.width())
        self.plot.set_legend("full" if height >= ROOMY else "none" if height < LOW and named else "line")

    @Slot(object)
    def _show_cursor(self, rank: int | None) -> None:
        cursor = NO_CURSOR if rank is None else self.cursor_at(rank)
        self.plot.show_cursor(cursor)
        self.plot.set_spoken(self._spoken(cursor))

    def _spoken(self, cursor: Cursor) -> str:
        """What a screen reader says of the place of the cursor on the curve in hand."""
        dot = next((dot for dot in cursor.dots if dot.key == str(self._session.selection.run)), None)
        run = self._session.run
        if dot is None or run is None or math.isnan(dot.y):
            return cursor.words
        return f"{cursor.words}, {run.name}: {self.axes()[1]} {listed(dot.y)}"

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if old.run != new.run:
            self.plot.set_highlighted(str(new.run))
            self._show_cursor(self._session.pointing.cursor)
        self.follow(old, new)

    @Slot()
    def _show_colours(self) -> None:
        self.show_all()

    # What the person does.

    @Slot(float)
    def _hover(self, x: float) -> None:
        self._session.pointing.point(None if math.isnan(x) else self._in_list(self.rank_at(x)))

    @Slot(float)
    def _pick_place(self, x: float) -> None:
        if not math.isnan(x) and (rank := self._in_list(self.rank_at(x))) is not None:
            self._session.select(rank=rank)

    @Slot(int)
    def _step(self, by: int) -> None:
        cursor = self._session.pointing.cursor
        if (rank := self._in_list(max(1, by) if cursor is None else max(1, cursor + by))) is not None:
            self._session.select(rank=rank)

    @Slot(str)
    def _pick_run(self, key: str) -> None:
        if key.isdigit():
            self._session.select(run=int(key))

    def _in_list(self, rank: int | None) -> int | None:
        """The rank, or the last one of the list that is shown where it is shorter."""
        shown = self._session.ranked_list
        return None if rank is None or shown is None or not len(shown) else min(rank, len(shown))

    # Copying and saving.

    @Slot(str)
    def _do(self, key: str) -> None:
        common = {
            "copy_print": self.copy_for_print,
            "copy_picture": self.copy_picture,
            "copy_values": self.copy_values,
            "export": self.ask_export,
            "save_values": self.ask_save_values,
        }
        common[key]() if key in common else self.do(key)

    def printed(self) -> Graph:
        """The graph as it would be printed: what is hidden here is left out, what is zoomed into fills the axes."""
        hidden = self.plot.hidden_keys()
        shown = [curve for curve in self.curves("light") if curve.is_drawn and curve.key not in hidden]
        lines = printed_curves(shown, str(self._session.selection.run))
        return printed(self.title(), self.axes(), self.plot.view_range(), lines, self.references())

    def copy_picture(self) -> None:
        """Put the graph as it is seen onto the clipboard."""
        QGuiApplication.clipboard().setPixmap(self.plot.grab())

    def copy_for_print(self) -> None:
        """Put the graph onto the clipboard as SVG, PDF and PNG, drawn beside the window."""
        work = partial(files_of, self.printed())
        self._session.tasks.run(f"print {self._name}", work, self._copy_files, self._fail_print)

    def _copy_files(self, files: dict[Form, bytes]) -> None:
        QGuiApplication.clipboard().setMimeData(clipboard_data(files))
        self._session.done.emit(f"{self.title()} is on the clipboard as SVG, PDF and PNG")

    def copy_values(self) -> None:
        """Put the values onto the clipboard: tabs between, a line each."""
        self.table.set_columns(self.columns())
        QGuiApplication.clipboard().setText(self.table.written("\t"))

    def ask_export(self) -> None:
        """Ask where to save the graph."""
        self._ask(";;".join((*FILTERS, VALUES)), self._export_chosen)

    def ask_save_values(self) -> None:
        """Ask where to save the values."""
        self._ask(VALUES, self._values_chosen)

    def _ask(self, filters: str, receiver: Callable[[str], None]) -> None:
        dialog = QFileDialog(self, self.tr("Save"))
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
        if typed == "csv" or (chosen == VALUES and typed not in FORMS):
            self._values_chosen(name)
        else:
            self.export(*form_of(Path(name), chosen))

    @Slot(str)
    def _values_chosen(self, name: str) -> None:
        self.save_values(Path(name) if Path(name).suffix else Path(f"{name}.csv"))

    def export(self, path: Path, form: Form, width: float) -> None:
        """Save the graph, drawn beside the window."""
        work = partial(file_of, self.printed(), form, width)
        self._session.tasks.run(f"print {self._name}", work, partial(self._write, path), self._fail_print)

    def save_values(self, path: Path) -> None:
        """Save the values with all their digits."""
        self.table.set_columns(self.columns())
        self._write(path, self.table.written(",").encode())

    def _write(self, path: Path, content: bytes) -> None:
        try:
            with new_file(path) as draft:
                draft.write_bytes(content)
            self._session.done.emit(f"Saved {path}")
        except FormatError as error:
            self._session.failed.emit(error.sentence, "")

    def _fail_print(self, error: Exception) -> None:
        self._session.tell_failure("The graph cannot be printed", error)
