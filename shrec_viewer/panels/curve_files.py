"""A graph with its values behind it, and how both are copied and saved."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QStackedLayout, QVBoxLayout, QWidget

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.atomic import new_file
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
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.curve_plot import CurvePlot
from shrec_viewer.widgets.plot_curve import PlotCurve
from shrec_viewer.widgets.plot_reference import References
from shrec_viewer.widgets.plot_table import Column, PlotTable

VERBS = (
    ("copy_print", "Copy for a paper (SVG, PDF, PNG)"),
    ("copy_picture", "Copy picture as seen"),
    ("copy_values", "Copy values"),
    ("export", "Export graph…"),
    ("save_values", "Save values as CSV…"),
)
"""What every graph can do, by key and text."""


class GraphFiles(Pane):
    """Head, graph and table; subclasses say what is in them.

    Parameters
    ----------
    name : of its lanes.
    entries : kinds to choose from.
    """

    def __init__(self, session: Session, name: str, entries: Sequence[Entry]) -> None:
        super().__init__("curves")
        self._session = session
        self._name = name
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
        """One a run, in the colours of a theme; without values where it is hidden and nobody needs them."""
        raise NotImplementedError

    def references(self) -> References:
        """What the curves are held against."""
        raise NotImplementedError

    def columns(self) -> list[Column]:
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
        shown = [curve for curve in self.drawn("light") if curve.is_drawn]
        lines = printed_curves(shown, str(self._session.selection.run))
        return printed(self.title(), self.axes(), self.plot.view_range(), lines, self.references())

    def copy_picture(self) -> None:
        """Put the graph as it is seen onto the clipboard."""
        QGuiApplication.clipboard().setPixmap(self.plot.grab())

    def copy_for_print(self) -> None:
        """Put the graph onto the clipboard as SVG, PDF and PNG, drawn beside the window."""
        work = partial(files_of, self._session.printer, self.printed())
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
        work = partial(file_of, self._session.printer, self.printed(), form, width)
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
