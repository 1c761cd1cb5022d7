"""The export dialog of a panel: preview, format, size, palette, decimals, and the options of the request."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QFontDatabase, QGuiApplication, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QPlainTextEdit,
    QSpinBox,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.charts.table import Table
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.request import OptionField, Request
from shrec_viewer.evaluation.evaluate import make_checkpoint
from shrec_viewer.panels.controls import CheckList, OptionControls
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
from shrec_viewer.widgets.controls.layouts import Stretch, column_of, row_of
from shrec_viewer.widgets.controls.plain_text import PlainLabel
from shrec_viewer.widgets.style.theme import SPACE

#: What is exported: the panel's figure, the panel as the window draws it, its table, or a text in another format.
#:
#: Further tables have keys of their own, `TABLE` followed by their label.
FIGURE, DRAWING, TABLE, TEXT = "figure", "drawing", "table", "text"

#: Resolution of previews: one column is then as wide as on paper on a common screen.
PREVIEW_DPI = 110

#: Smallest size of the preview in pixels; the dialog fits a screen of 1280 x 800.
PREVIEW_SIZE = QSize(520, 430)

#: Characters of a table that are previewed; laying out more takes longer than 100 ms.
PREVIEW_CHARACTERS = 20_000

MAX_DIGITS = 12

#: Maximum width of the options in pixels: with the preview, the dialog fits a screen of 1280.
MAX_OPTIONS_WIDTH = 440

#: Options of which some of the names shown can be chosen, and their labels.
NAMES = {"runs": "Runs shown", "measures": "Measures shown"}

NOTHING_CHOSEN = "No run or no measure is chosen."


class _CheckListField(QWidget):
    """A list of check boxes, and buttons that check none, all, or those of when it was made.

    Parameters
    ----------
    box : the list, with the values shown in the panel.
    """

    def __init__(self, box: CheckList) -> None:
        super().__init__()
        self._box = box
        self._choices = {"None": (), "Shown": box.checked, "All": box.values}
        self._group = QButtonGroup(self)
        for text in self._choices:
            button = QToolButton()
            button.setText(text)
            self._group.addButton(button)
        buttons = row_of(*self._group.buttons(), Stretch(), spacing=SPACE, margins=0)
        self.setLayout(column_of((box, 1), buttons, spacing=SPACE, margins=0))
        self._group.buttonClicked.connect(self._choose)

    @Slot(QAbstractButton)
    def _choose(self, button: QAbstractButton) -> None:
        self._box.choose(self._choices[button.text()])


def _row_field(control: QWidget) -> QWidget:
    """The field of the form that contains the control of an option."""
    parent = control.parentWidget()
    return parent if isinstance(parent, _CheckListField) else control


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
        self._sources: dict[str, FigureContent | Table | Request] = {}
        if content.figure is not None:
            self._sources[FIGURE] = content.figure
        if content.table is not None:
            self._sources[TABLE] = content.table
        self._sources |= {f"{TABLE} {label}": table for label, table in content.tables.items()}
        self._name, self._shown_what = "export", ""
        self._drawn: FigureContent | None = None
        self._task_key = f"export preview {id(self)}"
        self._pixmap = QPixmap()
        whats = [(FIGURE, "Figure")] if content.figure is not None else [(DRAWING, "As shown")]
        whats += [(key, key.removeprefix(TABLE).strip() or "Table") for key in self._sources if key != FIGURE]
        whats += [(TEXT, "Text")] if content.texts else []
        self.what = SegmentedButtons(tuple(whats))
        self.form, self.columns, self.palette_box = QComboBox(), QComboBox(), QComboBox()
        self.digits = QSpinBox()
        self.controls: dict[str, QWidget] = {}
        self._option_controls: OptionControls | None = None
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
        options.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        if has_choice:
            options.addRow("Export", row_of(self.what, Stretch()))
        else:
            self.what.setParent(self)
        self.what.setVisible(has_choice)
        for label, field in (
            ("Format", self.form),
            ("Width", self.columns),
            ("Palette", self.palette_box),
            ("Decimals", self.digits),
        ):
            options.addRow(label, field)
            field.setAccessibleName(label)
        side = QWidget()
        side.setLayout(options)
        side.setMaximumWidth(MAX_OPTIONS_WIDTH)
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

    def _fill_fields(self) -> None:
        for width, label in COLUMN_WIDTHS.items():
            self.columns.addItem(f"{label}, {width:g} mm", width)
        for key, label in PALETTE_LABELS.items():
            self.palette_box.addItem(label, key)
        self.digits.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)  # mouse wheel and arrow keys change it
        self.digits.setRange(-1, MAX_DIGITS)
        self.digits.setValue(-1)
        self.digits.setSpecialValueText("default")

    def _show_fields(self) -> None:
        """Replace the fields of the options by those of what is exported, if it is a request."""
        for field in self.controls.values():
            self._options.removeRow(_row_field(field))
        self.controls = {}
        if self._option_controls is not None:
            self._option_controls.deleteLater()
            self._option_controls = None
        if not isinstance(request := self.source, Request):
            return
        self._option_controls = controls = OptionControls(request, self)
        controls.changed.connect(self._set_option)
        fields = {field.name: field for field in request.options() if field.is_of(self._command)}
        for name in controls.shown:
            if name in fields:
                self._add_field(name, "" if fields[name].kind is bool else fields[name].option.label)
        for name in fields:
            names = self._names(fields[name], getattr(request, name))
            if len(names) > 1:
                box = controls.check_list(name, names)
                self._add_field(name, NAMES[name], box)
                box.changed.connect(self._update_preview)  # also where nothing is chosen
        self._show_offered_fields(request)

    def _add_field(self, name: str, label: str, field: QWidget | None = None) -> None:
        assert self._option_controls is not None
        control = self.controls[name] = field or self._option_controls.control(name)
        if isinstance(control, CheckList):
            self._options.addRow(label, _CheckListField(control))
        else:
            self._options.addRow(label, control)
        if label:
            control.setAccessibleName(label)

    def _names(self, field: OptionField, chosen: tuple[str, ...]) -> tuple[str, ...]:
        """What can be chosen: the runs shown, else all; the measures shown, then others. () for other options."""
        if not field.repeated or field.option.follows not in ("", "runs"):
            return ()
        if field.name == "runs":
            return chosen or tuple(run.name for run in self._data.benchmark.runs)
        if field.name != "measures" or self._data.scores is None:
            return ()
        return tuple(dict.fromkeys((*chosen, *(measure.key for measure in self._data.scores.measures))))

    def _show_offered_fields(self, request: Request) -> None:
        for name, field in self.controls.items():
            self._options.setRowVisible(_row_field(field), name not in request.fixed_options)

    @Slot(str, object)
    def _set_option(self, name: str, value: Any) -> None:
        """Change the request, also where it is that of another form of the same content."""
        former = self.source
        assert isinstance(former, Request)
        assert self._option_controls is not None
        request = former.with_values(**{name: value})
        self._sources = {what: request if one == former else one for what, one in self._sources.items()}
        self._option_controls.set_request(request)
        self._show_offered_fields(request)
        if name not in NAMES:
            self._update_preview()

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
        return self.what.current.startswith(TABLE)

    @property
    def _command(self) -> str:
        """Command that makes it of a request."""
        return "table" if self._is_table else "figure"

    @property
    def source(self) -> FigureContent | Table | Request | None:
        """What is exported: contents, or the request for them with the chosen options; None for drawings and texts."""
        return self._sources.get(self.what.current)

    def _figure(self) -> Any:
        """The figure, else the panel as it is drawn."""
        if self.source is not None:
            return self.source
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

    def command(self) -> str:
        """Command line that writes the same file; "" if there is none."""
        request, name = self.source, f"{self._name}{self.suffix}"
        if not self._start or not isinstance(request, Request):
            return ""
        if self._is_table:
            options = [f"--format={self.format}"]
            options += [] if self.chosen_digits is None else [f"--digits={self.chosen_digits}"]
            return table_command(self._start, request, name, options)
        options = style_arguments(self._session, request)
        options += [f"--columns={1 + self.columns.currentIndex()}"] if self.columns.currentIndex() else []
        options += [f"--palette={self.palette_key}"] if self.palette_key != DEFAULT_PALETTE else []
        return figure_command(self._start, request, name, options)

    # Display.

    @Slot()
    def _show_options(self, *_: object) -> None:
        """Show the fields of what is exported; a click on what is shown keeps the choices."""
        what, is_table = self.what.current, self._is_table
        if what == self._shown_what:
            return
        self._shown_what = what
        labels: dict[str, str] = dict(FIGURE_LABELS)
        if is_table:
            labels = {key: row.label for key, row in TABLE_FORMATS.items()}
        elif what == TEXT:
            labels = {text.label: text.label for text in self._content.texts}
        self.form.clear()
        for key, label in labels.items():
            self.form.addItem(label, key)
        for field, is_shown in (
            (self.columns, what in (FIGURE, DRAWING)),
            (self.palette_box, what in (FIGURE, DRAWING)),
            (self.digits, is_table),
        ):
            self._options.setRowVisible(field, is_shown)
        self._show_fields()
        self.preview.setCurrentWidget(self.image if what in (FIGURE, DRAWING) else self.text)
        self._update_preview()

    @Slot()
    def _update_preview(self, *_: object) -> None:
        """Build the preview in the background."""
        names = [field for name, field in self.controls.items() if name in NAMES and isinstance(field, CheckList)]
        is_empty = not all(field.checked for field in names)
        self.export_button.setEnabled(not is_empty)
        self.command_button.setEnabled(bool(self.command()) and not is_empty)
        if is_empty and self._is_table:
            self.text.setPlainText(NOTHING_CHOSEN)
        elif is_empty:
            self._show_message(NOTHING_CHOSEN)
        else:
            self._session.tasks.run(
                self._task_key,
                self._preview_work(),
                self._show_preview,
                self._show_failure,
                title=f"Preview of {self._title}",
            )

    def _preview_work(self) -> Callable[[Task], bytes]:
        if self._is_table:
            return self._table_work()
        if self.what.current == TEXT:
            return partial(_text_work, self._text())
        return partial(_preview_figure_work, self._figure(), self._data, self.width_mm, self.palette_key, PREVIEW_DPI)

    def _table_work(self) -> Callable[[Task], bytes]:
        return partial(_table_work, self.source, self._data, self.format, self.chosen_digits)

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
            export=True,
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
    session.written.emit(f"Saved {path}", str(path))


def _table_work(source: Any, data: ContentData, form: str, digits: int | None, task: Task) -> bytes:
    return table_bytes(built_table(source, data, task.cancelled), form, digits)


def _text_work(text: ExportText, _task: Task) -> bytes:
    return text.make().encode(errors="surrogateescape")


def _preview_figure_work(figure: Any, data: ContentData, width: float, palette: str, dpi: int, task: Task) -> bytes:
    return figure_file(figure, data, "png", width, palette, task.cancelled, dpi)


def _figure_work(
    figure: Any, data: ContentData, form: Any, width: float, palette: str, path: Path, task: Task
) -> FigureFiles:
    content = figure_content(figure, data, task.cancelled)
    return figure_files(content, form, path, width, palette, checkpoint=make_checkpoint(task.cancelled))


def _file_of_work(path: Path, work: Callable[[Task], bytes], task: Task) -> FigureFiles:
    return {path: work(task)}


def _write_work(work: Callable[[Task], FigureFiles], task: Task) -> None:
    write_figure_files(work(task))
