"""The actions Copy, Export… and Copy as command of a panel."""

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, QMimeData, QObject, QStringListModel, Slot
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QImage
from PySide6.QtWidgets import QWidget

from shrec_viewer.content.data import ContentData
from shrec_viewer.content.request import Request
from shrec_viewer.panels.export.content import (
    DEFAULT_PALETTE,
    ExportContent,
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
from shrec_viewer.panels.export.dialog import ExportDialog
from shrec_viewer.panels.export.drawing import record_drawing
from shrec_viewer.panels.panel import BasePanel, Panel
from shrec_viewer.printable import file_name
from shrec_viewer.report.figures.content import FigureDrawing
from shrec_viewer.report.figures.drawing.style import COLUMN_MM, PAGE_MM
from shrec_viewer.report.figures.rendering import FigureFormat
from shrec_viewer.report.tables.formats import table_bytes
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task
from shrec_viewer.widgets.controls.context_menu import EXPORT_ACTION, PANEL_ACTION, ContextMenu

MIME_TYPES: dict[FigureFormat, str] = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}


#: Object names of the other two actions.
COPY_ACTION, COMMAND_ACTION = "copy_panel", "copy_panel_command"


class PanelExport(QObject):
    """Adds the actions *Copy*, *Export…* and *Copy as command* to a panel, and runs them.

    They are in the menu of its dock, in all context menus of the panel (where it has none, they are the menu), and
    in *File, Export*.

    Parameters
    ----------
    session : what is open.
    panel : its row.
    widget : the panel; what `BasePanel.export` returns is exported, else what it draws.
    """

    def __init__(self, session: Session, panel: Panel, widget: QWidget) -> None:
        super().__init__(widget)
        self._session, self._panel, self._widget = session, panel, widget
        self.dialog: ExportDialog | None = None
        self.actions: list[QAction] = []
        for name, text, receiver in (
            (COPY_ACTION, "&Copy", self.copy),
            (EXPORT_ACTION, "&Export…", self.open_dialog),
            (COMMAND_ACTION, "Copy as co&mmand", self.copy_command),
        ):
            action = QAction(text, self)
            action.setObjectName(name)
            action.setProperty(PANEL_ACTION, True)
            action.triggered.connect(receiver)
            self.actions.append(action)
            widget.addAction(action)
        widget.installEventFilter(self)

    @property
    def title(self) -> str:
        """Title of the panel."""
        return self._panel.title

    def content(self) -> ExportContent:
        """What the panel exports; nothing for a panel that is exported as it is drawn."""
        if isinstance(self._widget, BasePanel) and self._session.is_open:
            return self._widget.export()
        return ExportContent()

    def file_name(self, content: ExportContent) -> str:
        """Name of a file without suffix: panel, benchmark, measure and query."""
        benchmark = self._session.benchmark
        return file_name(self._panel.title, benchmark.name, *content.names)

    def command(self, content: ExportContent) -> str:
        """Command line that repeats the figure, else the table.

        Raises
        ------
        NoCommandError
            If none does; the text says why.
        """
        figure, table, name = content.figure, content.table, self.file_name(content)
        if isinstance(figure, Request):
            styles = style_arguments(self._session, figure)
            return figure_command(benchmark_arguments(self._session), figure, f"{name}.pdf", styles)
        if isinstance(table, Request):
            return table_command(benchmark_arguments(self._session), table, f"{name}.csv")
        raise NoCommandError("no command writes what it shows; Export… does")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Open the menu of the three actions where neither the panel nor a part of it has a menu."""
        # The type first: events of a widget that is being destroyed arrive after the garbage collector has cleared the
        # attributes of this object (PySide6 6.10).
        if not isinstance(event, QContextMenuEvent) or watched is not self._widget:
            return False
        event.accept()
        self._widget.event(event)  # ignored by widgets without a menu of their own
        if not event.isAccepted():
            menu = ContextMenu(self._widget)
            is_key = event.reason() == QContextMenuEvent.Reason.Keyboard
            menu.popup(self._widget.mapToGlobal(self._widget.rect().center()) if is_key else event.globalPos())
        return True

    @Slot()
    def copy(self) -> None:
        """Copy the figure, or what is drawn, and the table as text."""
        content = self.content()
        if content.figure is None:
            content = replace(content, figure=record_drawing(self._widget, self.title))
        work = partial(_copied_parts, content, content_data(self._session))
        self._session.tasks.run(
            f"copy {self._panel.key}",
            work,
            self._set_clipboard,
            partial(self._session.report_failure, f"{self.title} cannot be copied"),
            title=f"Copying {self.title}",
        )

    def _set_clipboard(self, parts: dict[str, bytes]) -> None:
        data = clipboard_data()
        for form, kind in MIME_TYPES.items():
            if form in parts:
                data.setData(kind, parts[form])
        data.setImageData(QImage.fromData(parts["png"]))
        if "tabs" in parts:
            data.setText(parts["tabs"].decode())
        QGuiApplication.clipboard().setMimeData(data)
        what = "image and table" if "tabs" in parts else "image"
        self._session.done.emit(f"{self.title} copied: {what}")

    @Slot()
    def open_dialog(self) -> None:
        """Open the export dialog."""
        self.open_dialog_for(self.content())

    def open_dialog_for(self, content: ExportContent) -> None:
        """Open the export dialog for a part of what the panel shows."""
        dialog = ExportDialog(self._widget.window(), self._session, self.title, content, self._widget)
        dialog.set_name(self.file_name(content))
        self.dialog = dialog
        dialog.open()

    @Slot()
    def copy_command(self) -> None:
        """Copy the command line that repeats the figure or table; edits that it refers to are written to a file."""
        try:
            line = self.command(self.content())
            write_edits(self._session)
        except NoCommandError as error:
            self._session.failed.emit(f"No command repeats {self.title}: {error}", "")
            return
        QGuiApplication.clipboard().setText(line)
        self._session.done.emit(f"Command of {self.title} copied")


def clipboard_data() -> QMimeData:
    """Empty data for the clipboard.

    Made by Qt: one made by Python is destroyed with the clipboard after the interpreter ended, which crashes the
    program when it is closed (PySide6 6.10.3).
    """
    model = QStringListModel([""])
    data = model.mimeData([model.index(0)])
    data.clear()
    return data


def _copied_parts(content: ExportContent, data: ContentData, task: Task) -> dict[str, bytes]:
    """The figure in all formats and the table as text; runs as a background task."""
    parts: dict[str, bytes] = {}
    if content.figure is not None:
        figure = figure_content(content.figure, data, task.cancelled)
        # A panel is about as wide on the screen as both columns at the resolution of publishers.
        width = PAGE_MM if isinstance(figure, FigureDrawing) else COLUMN_MM
        for form in MIME_TYPES:
            parts[form] = figure_file(figure, data, form, width, DEFAULT_PALETTE, task.cancelled)
    if content.table is not None:
        parts["tabs"] = table_bytes(built_table(content.table, data, task.cancelled), "tabs")
    return parts
