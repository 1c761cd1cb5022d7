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

from shrec_viewer.charts.table import Table
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.heat_map import HeatMapRequest
from shrec_viewer.content.request import Request
from shrec_viewer.content.scores import MeasuresRequest, RunsRequest
from shrec_viewer.evaluation.evaluate import make_checkpoint
from shrec_viewer.panels.export.content import (
    COLUMN_WIDTHS,
    DEFAULT_PALETTE,
    FIGURE_LABELS,
    PALETTE_LABELS,
    ExportContent,
    ExportText,
    NoCommandError,
    benchmark_arguments,
    built_table,
    figure_command,
    figure_content,
    figure_file,
    style_arguments,
    table_command,
    write_edits,
)
from shrec_viewer.panels.export.drawing import record_drawing
from shrec_viewer.report.figures.content import FigureContent
from shrec_viewer.report.figures.files import FigureFiles, figure_files, write_figure_files
from shrec_viewer.report.tables.formats import TABLE_FORMATS, table_bytes
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task
from shrec_viewer.widgets.controls.controls import SegmentedButtons
from shrec_viewer.widgets.controls.file_dialogs import EXPORT, choose_save_path
from shrec_viewer.widgets.controls.plain_text import PlainLabel
from shrec_viewer.widgets.style.theme import SPACE

FIGURE, DRAWING, TABLE, TEXT = "figure", "drawing", "table", "text"
"""What is exported: the panel's figure, the panel as the window draws it, its table, or a text in another format.

Further tables have keys of their own, `TABLE` followed by their label.
"""

PREVIEW_DPI = 110
"""Resolution of previews: one column is then as wide as on paper on a common screen."""

PREVIEW_SIZE = QSize(520, 430)
"""Smallest size of the preview in pixels; the dialog fits a screen of 1280 x 800."""

PREVIEW_CHARACTERS = 20_000
"""Characters of a table that are previewed; laying out more takes longer than 100 ms."""

MAX_DIGITS = 12


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
        self._data, self._start = content_data(session), _arguments(session)
        self._tables: dict[str, Table | Request] = {} if content.table is None else {TABLE: content.table}
        self._tables |= {f"{TABLE} {label}": table for label, table in content.tables.items()}
        self._name = "export"
        self._drawn: FigureContent | None = None
        self._task_key = f"export preview {id(self)}"
        self._pixmap = QPixmap()
        whats = [(FIGURE, "Figure")] if content.figure is not None else [(DRAWING, "As shown")]
        whats += [(key, key.removeprefix(TABLE).strip() or "Table") for key in self._tables]
        whats += [(TEXT, "Text")] if content.texts else []
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
        else:
            self.what.setParent(self)
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
        if isinstance(request, RunsRequest | HeatMapRequest):
            _fill(self.runs, request.runs, request.runs)
        if (
            isinstance(request, RunsRequest | MeasuresRequest)
            and self._data is not None
            and self._data.scores is not None
        ):
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

    @property
    def _is_table(self) -> bool:
        return self.what.current in self._tables

    def _figure(self) -> FigureContent | Request:
        """The figure, else the panel as it is drawn."""
        if self._content.figure is not None:
            return self._content.figure
        if self._drawn is None:
            self._drawn = record_drawing(self._widget, self._title)
        return self._drawn

    def _text(self) -> ExportText:
        """The text in the chosen format."""
        return next(text for text in self._content.texts if text.label == self.format)

    @property
    def suffix(self) -> str:
        """Suffix of files of the chosen format."""
        if self.what.current == TEXT:
            return self._text().suffix
        return TABLE_FORMATS[self.format].suffix if self._is_table else f".{self.format}"

    def chosen_table(self) -> object:
        """The table or request with the chosen runs, measures and letters."""
        request = self._tables.get(self.what.current)
        if not isinstance(request, Request) or self.what.current != TABLE:
            return request
        values: dict[str, Any] = {"runs": _checked(self.runs)} if self.runs.count() else {}
        values |= {"measures": _checked(self.measures)} if self.measures.count() else {}
        values |= {"letters": self.letters.isChecked()} if isinstance(request, RunsRequest) else {}
        return replace(request, **values)

    def command(self) -> str:
        """Command line that writes the same file; "" if there is none."""
        if not self._start:
            return ""
        name = f"{self._name}{self.suffix}"
        if self.what.current == FIGURE and isinstance(self._content.figure, Request):
            options = style_arguments(self._session, self._content.figure)
            options += [f"--columns={1 + self.columns.currentIndex()}"] if self.columns.currentIndex() else []
            options += [f"--palette={self.palette_key}"] if self.palette_key != DEFAULT_PALETTE else []
            return figure_command(self._start, self._content.figure, name, options)
        request = self.chosen_table()
        if isinstance(request, Request):
            options = [f"--format={self.format}"]
            options += [] if self.chosen_digits is None else [f"--digits={self.chosen_digits}"]
            return table_command(self._start, request, name, options)
        return ""

    # Display.

    @Slot()
    def _show_options(self, *_: object) -> None:
        """Show the fields of what is exported."""
        what, is_table = self.what.current, self._is_table
        labels: dict[str, str] = dict(FIGURE_LABELS)
        if is_table:
            labels = {key: row.label for key, row in TABLE_FORMATS.items()}
        elif what == TEXT:
            labels = {text.label: text.label for text in self._content.texts}
        self.form.clear()
        for key, label in labels.items():
            self.form.addItem(label, key)
        request = self._content.table
        is_runs = isinstance(request, RunsRequest) and request.over == "queries"
        for field, is_shown in (
            (self.columns, what in (FIGURE, DRAWING)),
            (self.palette_box, what in (FIGURE, DRAWING) and len(PALETTE_LABELS) > 1),
            (self.digits, is_table),
            (self.letters, what == TABLE and is_runs),
            (self.runs, what == TABLE and self.runs.count() > 1),
            (self.measures, what == TABLE and self.measures.count() > 1),
        ):
            self._options.setRowVisible(field, is_shown)
        self.preview.setCurrentWidget(self.image if what in (FIGURE, DRAWING) else self.text)
        self._update_preview()

    @Slot()
    def _update_preview(self, *_: object) -> None:
        """Build the preview in the background."""
        request = self.chosen_table()
        is_empty = (self.runs.count() > 0 and not _checked(self.runs)) or (
            self.measures.count() > 0 and not _checked(self.measures)
        )
        is_empty = is_empty and self.what.current == TABLE and request is not None
        self.export_button.setEnabled(not is_empty)
        self.command_button.setEnabled(bool(self.command()) and not is_empty)
        if is_empty:
            self.text.setPlainText("No run or no measure is chosen.")
        else:
            self._session.tasks.run(self._task_key, self._preview_work(), self._show_preview, self._show_failure)

    def _preview_work(self) -> Callable[[Task], bytes]:
        if self._is_table:
            return self._table_work()
        if self.what.current == TEXT:
            return partial(_text_work, self._text())
        return partial(_preview_figure_work, self._figure(), self._data, self.width_mm, self.palette_key, PREVIEW_DPI)

    def _table_work(self) -> Callable[[Task], bytes]:
        return partial(_table_work, self.chosen_table(), self._data, self.format, self.chosen_digits)

    def _show_preview(self, content: bytes) -> None:
        if self.preview.currentWidget() is self.text:
            text = content.decode(errors="surrogateescape")
            more = len(text) - PREVIEW_CHARACTERS
            self.text.setPlainText(text[:PREVIEW_CHARACTERS] + (f"\n… {more:,} more characters" if more > 0 else ""))
            return
        pixmap = QPixmap()
        pixmap.loadFromData(content)
        self._show_image(pixmap)

    def _show_failure(self, error: Exception) -> None:
        if self.preview.currentWidget() is self.text:
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
        """Copy the command line that writes the same file; edits that it refers to are written to a file."""
        try:
            write_edits(self._session)
        except NoCommandError as error:
            self._session.failed.emit(f"No command repeats {self._title}: {error}", "")
            return
        QGuiApplication.clipboard().setText(self.command())
        self._session.done.emit(f"Command of {self._title} copied")

    @Slot()
    def choose_path(self) -> None:
        """Open the file dialog, write the file and close."""
        suffix = self.suffix
        filters = f"{self.form.currentText()} (*{suffix})"
        start = Path.home() / f"{self._name}{suffix}"
        path, _ = choose_save_path(self, f"Export {self._title}", EXPORT, start, filters, suffix)
        if path is not None and self._session.may_write(path):
            self.save(path)
            self.accept()

    def save(self, path: Path) -> None:
        """Write the file in the background, and report the result."""
        work: Callable[[Task], FigureFiles] = self._files_work(path)
        self._session.tasks.run(
            f"export {path}",
            partial(_write_work, work),
            partial(report_saved, self._session, path),
            partial(self._session.report_failure, f"{self._title} cannot be exported"),
            title=f"Exporting {path.name}",
        )

    def _files_work(self, path: Path) -> Callable[[Task], FigureFiles]:
        """The function that makes the files to write: the chosen one, and the images of a PGF file."""
        if self._is_table:
            return partial(_file_of_work, path, self._table_work())
        if self.what.current == TEXT:
            return partial(_file_of_work, path, partial(_text_work, self._text()))
        return partial(_figure_work, self._figure(), self._data, self.format, self.width_mm, self.palette_key, path)


def _arguments(session: Session) -> tuple[str, ...]:
    """See `benchmark_arguments`; empty where no command reads what the window shows."""
    try:
        return benchmark_arguments(session)
    except NoCommandError:
        return ()


def report_saved(session: Session, path: Path, _result: object) -> None:
    """Report that a file was written."""
    session.done.emit(f"Saved {path}")


def _table_work(source: object, data: ContentData | None, form: str, digits: int | None, task: Task) -> bytes:
    return table_bytes(built_table(source, data, task.cancelled), form, digits)


def _text_work(text: ExportText, _task: Task) -> bytes:
    return text.make().encode(errors="surrogateescape")


def _preview_figure_work(
    figure: Any, data: ContentData | None, width: float, palette: str, dpi: int, task: Task
) -> bytes:
    return figure_file(figure, data, "png", width, palette, task.cancelled, dpi)


def _figure_work(
    figure: Any, data: ContentData | None, form: Any, width: float, palette: str, path: Path, task: Task
) -> FigureFiles:
    content = figure_content(figure, data, task.cancelled)
    return figure_files(content, form, path, width, palette, checkpoint=make_checkpoint(task.cancelled))


def _file_of_work(path: Path, work: Callable[[Task], bytes], task: Task) -> FigureFiles:
    return {path: work(task)}


def _write_work(work: Callable[[Task], FigureFiles], task: Task) -> None:
    write_figure_files(work(task))


def _fill(box: QListWidget, names: Iterable[str], shown: Sequence[str]) -> None:
    for name in names:
        item = QListWidgetItem(name, box)
        item.setFlags(Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        item.setCheckState(Qt.CheckState.Checked if name in shown else Qt.CheckState.Unchecked)


def _checked(box: QListWidget) -> tuple[str, ...]:
    items = [box.item(row) for row in range(box.count())]
    return tuple(item.text() for item in items if item.checkState() == Qt.CheckState.Checked)
