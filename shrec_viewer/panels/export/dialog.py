"""The export dialog of a panel: preview, format, size, palette, and runs, measures and decimals of tables."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QFontDatabase, QGuiApplication, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.formats.io.atomic import atomic_file
from shrec_viewer.panels.export.content import (
    COLUMN_WIDTHS,
    DEFAULT_PALETTE,
    FIGURE_LABELS,
    PALETTE_LABELS,
    ExportContent,
    benchmark_arguments,
    built_table,
    figure_command,
    figure_file,
    table_command,
    table_data,
)
from shrec_viewer.panels.export.drawing import DRAWING_FORMATS
from shrec_viewer.report.figures.request import FigureRequest
from shrec_viewer.report.tables.formats import TABLE_FORMATS, table_bytes
from shrec_viewer.report.tables.kinds import TableData, TableRequest
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task
from shrec_viewer.widgets.controls.controls import SegmentedButtons
from shrec_viewer.widgets.controls.file_dialogs import EXPORT, choose_save_path
from shrec_viewer.widgets.controls.plain_text import PlainLabel
from shrec_viewer.widgets.style.theme import SPACE

FIGURE, DRAWING, TABLE = "figure", "drawing", "table"
"""What is exported: the panel's figure, the panel as the window draws it, or its table."""

PREVIEW_DPI = 110
"""Resolution of previews: one column is then as wide as on paper on a common screen."""

PREVIEW_SIZE = QSize(520, 430)
"""Smallest size of the preview in pixels; the dialog fits a screen of 1280 x 800."""

PREVIEW_CHARACTERS = 20_000
"""Characters of a table that are previewed; laying out more takes longer than 100 ms."""

MAX_DIGITS = 12

NO_PGF = (
    "The panel offers no figure, only its drawing on the screen, and PGF contains LaTeX commands that matplotlib "
    "writes. SVG and PDF contain the drawing as vectors."
)

BUILDING = "Building…"


class ExportDialog(QDialog):
    """Dialog that exports what a panel showed when it was opened.

    Parameters
    ----------
    parent : the window.
    session : what is open.
    title : of the panel.
    content : what it exports.
    widget : the panel, for content without a figure.
    """

    def __init__(self, parent: QWidget, session: Session, title: str, content: ExportContent, widget: QWidget) -> None:
        super().__init__(parent)
        self._session, self._title, self._content, self._widget = session, title, content, widget
        self._data, self._start = table_data(session), benchmark_arguments(session)
        self._name = "export"
        self._task_key = f"export preview {id(self)}"
        self._pixmap = QPixmap()
        whats = [(FIGURE, "Figure")] if content.figure is not None else [(DRAWING, "As shown")]
        whats += [(TABLE, "Table")] if content.table is not None else []
        self.what = SegmentedButtons(tuple(whats))
        self.form, self.columns, self.palette_box = QComboBox(), QComboBox(), QComboBox()
        self.digits, self.letters = QSpinBox(), QCheckBox("Significance letters")
        self.runs, self.measures = QListWidget(), QListWidget()
        self.image, self.text = PlainLabel(), QPlainTextEdit()
        self.preview = QStackedWidget()
        self.buttons = QDialogButtonBox()
        self._options = QFormLayout()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("export_dialog")
        self.setWindowTitle(f"Export {title}")
        self._build(len(whats) > 1)
        self.what.set_current(TABLE if content.figure is None and content.table is not None else whats[0][0])
        self._show_options()

    def set_name(self, name: str) -> None:
        """Propose a file name, without suffix."""
        self._name = name

    def _build(self, has_choice: bool) -> None:
        self._fill_fields()
        options = self._options
        options.setContentsMargins(0, 0, 0, 0)
        options.setVerticalSpacing(2 * SPACE)
        if has_choice:
            options.addRow("Export", self.what)
        self.what.setVisible(has_choice)
        for label, field in (
            ("Format", self.form),
            ("Width", self.columns),
            ("Palette", self.palette_box),
            ("Decimals", self.digits),
            ("", self.letters),
            ("Runs", self.runs),
            ("Measures", self.measures),
        ):
            options.addRow(label, field)
            field.setAccessibleName(label or self.letters.text())
        side = QWidget()
        side.setLayout(options)
        side.setMaximumWidth(330)
        self.image.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.image.setWordWrap(True)
        self.image.setAccessibleName("Preview")
        self.image.setMinimumSize(1, 1)
        self.text.setReadOnly(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setAccessibleName("Preview of the file")
        self.preview.addWidget(self.image)
        self.preview.addWidget(self.text)
        self.preview.setMinimumSize(PREVIEW_SIZE)
        row = QHBoxLayout()
        row.setSpacing(4 * SPACE)
        row.addWidget(self.preview, 1)
        row.addWidget(side)
        roles = QDialogButtonBox.ButtonRole
        self.command_button = self.buttons.addButton("Copy command", roles.ActionRole)
        self.export_button = self.buttons.addButton("Export…", roles.AcceptRole)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4 * SPACE, 4 * SPACE, 4 * SPACE, 4 * SPACE)
        layout.setSpacing(3 * SPACE)
        layout.addLayout(row, 1)
        layout.addWidget(self.buttons)
        self.export_button.setDefault(True)
        self.command_button.clicked.connect(self.copy_command)
        self.buttons.accepted.connect(self.choose_path)
        self.buttons.rejected.connect(self.reject)
        self.what.selected.connect(self._show_options)
        self.form.activated.connect(self._update_preview)
        self.columns.activated.connect(self._update_preview)
        self.palette_box.activated.connect(self._update_preview)
        self.digits.valueChanged.connect(self._update_preview)
        self.letters.toggled.connect(self._update_preview)
        self.runs.itemChanged.connect(self._update_preview)
        self.measures.itemChanged.connect(self._update_preview)

    def _fill_fields(self) -> None:
        for width, label in COLUMN_WIDTHS.items():
            self.columns.addItem(f"{label}, {width:g} mm", width)
        for key, label in PALETTE_LABELS.items():
            self.palette_box.addItem(label, key)
        self.digits.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)  # mouse wheel and arrow keys change it
        self.digits.setRange(-1, MAX_DIGITS)
        self.digits.setValue(-1)
        self.digits.setSpecialValueText("default")
        request = self._content.table
        if not isinstance(request, TableRequest):
            return
        if request.kind in ("runs", "heat_map"):
            _fill(self.runs, request.runs, request.runs)
        if request.kind in ("runs", "measures") and self._data is not None and self._data.scores is not None:
            known = [measure.key for measure in self._data.scores.measures]
            shown = request.measures or tuple(known)
            _fill(self.measures, dict.fromkeys((*shown, *known)), shown)

    # What is chosen.

    @property
    def format(self) -> str:
        """Key of the format."""
        return str(self.form.currentData())

    @property
    def width_mm(self) -> float:
        """Width of the figure in millimetres."""
        return float(self.columns.currentData())

    @property
    def palette_key(self) -> str:
        """Key of the palette."""
        return str(self.palette_box.currentData())

    @property
    def chosen_digits(self) -> int | None:
        """Decimals of the values of a table; None for the default."""
        return None if self.digits.value() < 0 else self.digits.value()

    def chosen_table(self) -> object:
        """The table or request with the chosen runs, measures and letters."""
        request = self._content.table
        if not isinstance(request, TableRequest):
            return request
        runs = _checked(self.runs) if self.runs.count() else request.runs
        measures = _checked(self.measures) if self.measures.count() else request.measures
        return replace(request, runs=runs, measures=measures, letters=self.letters.isChecked())

    def command(self) -> str:
        """Command line that writes the same file; "" if there is none."""
        if not self._start:
            return ""
        suffix = TABLE_FORMATS[self.format].suffix if self.what.current == TABLE else f".{self.format}"
        name = f"{self._name}{suffix}"
        if self.what.current == FIGURE and isinstance(self._content.figure, FigureRequest):
            options = [f"--columns={1 + self.columns.currentIndex()}"] if self.columns.currentIndex() else []
            options += [f"--palette={self.palette_key}"] if self.palette_key != DEFAULT_PALETTE else []
            return figure_command(self._start, self._content.figure, name, options)
        request = self.chosen_table()
        if self.what.current == TABLE and isinstance(request, TableRequest):
            options = [f"--format={self.format}"]
            options += [] if self.chosen_digits is None else [f"--digits={self.chosen_digits}"]
            return table_command(self._start, request, name, options)
        return ""

    # Display.

    @Slot()
    def _show_options(self, *_: object) -> None:
        """Show the fields of what is exported."""
        what = self.what.current
        labels: dict[str, str] = (
            {key: row.label for key, row in TABLE_FORMATS.items()} if what == TABLE else dict(FIGURE_LABELS)
        )
        self.form.clear()
        for key, label in labels.items():
            self.form.addItem(label, key)
        request = self._content.table
        is_runs = isinstance(request, TableRequest) and request.kind == "runs" and request.over == "queries"
        for field, is_shown in (
            (self.columns, what != TABLE),
            (self.palette_box, what == FIGURE and len(PALETTE_LABELS) > 1),
            (self.digits, what == TABLE),
            (self.letters, what == TABLE and is_runs),
            (self.runs, what == TABLE and self.runs.count() > 1),
            (self.measures, what == TABLE and self.measures.count() > 1),
        ):
            self._options.setRowVisible(field, is_shown)
        self.preview.setCurrentWidget(self.text if what == TABLE else self.image)
        self._update_preview()

    @Slot()
    def _update_preview(self, *_: object) -> None:
        """Build the preview in the background."""
        is_pgf = self.what.current == DRAWING and self.format not in DRAWING_FORMATS
        request = self.chosen_table()
        is_empty = (self.runs.count() > 0 and not _checked(self.runs)) or (
            self.measures.count() > 0 and not _checked(self.measures)
        )
        is_empty = is_empty and self.what.current == TABLE and request is not None
        self.export_button.setEnabled(not is_pgf and not is_empty)
        self.command_button.setEnabled(bool(self.command()) and not is_empty)
        if is_pgf:
            self._show_message(NO_PGF)
        elif is_empty:
            self.text.setPlainText("No run or no measure is chosen.")
        elif self.what.current == DRAWING:
            self._show_image(self._widget.grab())
        else:
            self._session.tasks.run(self._task_key, self._preview_work(), self._show_preview, self._show_failure)

    def _preview_work(self) -> Callable[[Task], bytes]:
        if self.what.current == TABLE:
            return self._table_work()
        return self._figure_work("png", PREVIEW_DPI)

    def _figure_work(self, form: str, dpi: int | None) -> Callable[[Task], bytes]:
        figure = self._content.figure
        return partial(_figure_work, figure, self._data, form, self.width_mm, self.palette_key, dpi)

    def _table_work(self) -> Callable[[Task], bytes]:
        return partial(_table_work, self.chosen_table(), self._data, self.format, self.chosen_digits)

    def _show_preview(self, content: bytes) -> None:
        if self.what.current == TABLE:
            text = content.decode()
            more = len(text) - PREVIEW_CHARACTERS
            self.text.setPlainText(text[:PREVIEW_CHARACTERS] + (f"\n… {more:,} more characters" if more > 0 else ""))
            return
        pixmap = QPixmap()
        pixmap.loadFromData(content)
        self._show_image(pixmap)

    def _show_failure(self, error: Exception) -> None:
        if self.what.current == TABLE:
            self.text.setPlainText(str(error))
        else:
            self._show_message(str(error))

    def _show_message(self, text: str) -> None:
        self._pixmap = QPixmap()
        self.image.setText(text)

    def _show_image(self, pixmap: QPixmap) -> None:
        self._pixmap = pixmap
        self._fit_image()

    def _fit_image(self) -> None:
        """Show the image in its size, or smaller where it does not fit."""
        if self._pixmap.isNull():
            return
        space = self.image.size() * self.devicePixelRatioF()
        shown = self._pixmap
        if shown.width() > space.width() or shown.height() > space.height():
            smooth = Qt.TransformationMode.SmoothTransformation
            shown = shown.scaled(space, Qt.AspectRatioMode.KeepAspectRatio, smooth)
        shown.setDevicePixelRatio(self.devicePixelRatioF())
        self.image.setPixmap(shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the preview."""
        super().resizeEvent(event)
        self._fit_image()

    # Results.

    @Slot()
    def copy_command(self) -> None:
        """Copy the command line that writes the same file."""
        QGuiApplication.clipboard().setText(self.command())
        self._session.done.emit(f"Command of {self._title} copied")

    @Slot()
    def choose_path(self) -> None:
        """Open the file dialog, write the file and close."""
        is_table = self.what.current == TABLE
        suffix = TABLE_FORMATS[self.format].suffix if is_table else f".{self.format}"
        filters = f"{self.form.currentText()} (*{suffix})"
        start = Path.home() / f"{self._name}{suffix}"
        path, _ = choose_save_path(self, f"Export {self._title}", EXPORT, start, filters, suffix)
        if path is not None and self._session.may_write(path):
            self.save(path)
            self.accept()

    def save(self, path: Path) -> None:
        """Write the file in the background, and report the result."""
        if self.what.current == DRAWING:
            content = DRAWING_FORMATS[self.format](self._widget, self.width_mm, self._title)
            work: Callable[[Task], bytes] = partial(_finished_work, content)
        elif self.what.current == TABLE:
            work = self._table_work()
        else:
            work = self._figure_work(self.format, None)
        self._session.tasks.run(
            f"export {path}",
            partial(_write_work, path, work),
            partial(report_saved, self._session, path),
            partial(self._session.report_failure, f"{self._title} cannot be exported"),
            title=f"Exporting {path.name}",
        )


def report_saved(session: Session, path: Path, _result: object) -> None:
    """Report that a file was written."""
    session.done.emit(f"Saved {path}")


def _finished_work(content: bytes, _task: Task) -> bytes:
    return content


def _table_work(source: object, data: TableData | None, form: str, digits: int | None, task: Task) -> bytes:
    return table_bytes(built_table(source, data, task.cancelled), form, digits)


def _figure_work(
    figure: Any, data: TableData | None, form: Any, width: float, palette: str, dpi: int | None, task: Task
) -> bytes:
    return figure_file(figure, data, form, width, palette, task.cancelled, dpi)


def _write_work(path: Path, work: Callable[[Task], bytes], task: Task) -> None:
    content = work(task)
    with atomic_file(path) as draft:
        draft.write_bytes(content)


def _fill(box: QListWidget, names: Iterable[str], shown: Sequence[str]) -> None:
    for name in names:
        item = QListWidgetItem(name, box)
        item.setFlags(Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        item.setCheckState(Qt.CheckState.Checked if name in shown else Qt.CheckState.Unchecked)


def _checked(box: QListWidget) -> tuple[str, ...]:
    items = [box.item(row) for row in range(box.count())]
    return tuple(item.text() for item in items if item.checkState() == Qt.CheckState.Checked)
