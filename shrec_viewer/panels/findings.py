"""What the readers noticed in the files, what they did about it, and the way to the place."""

from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QMenu, QSplitter, QVBoxLayout

from shrec_viewer.domain import Finding, FormatError
from shrec_viewer.panels.findings_details import FindingDetails, go_words
from shrec_viewer.panels.findings_head import FindingsHead
from shrec_viewer.panels.findings_place import PlaceWindow
from shrec_viewer.panels.findings_table import FindingsTable
from shrec_viewer.panels.import_dialog import open_import
from shrec_viewer.panels.pane import Pane
from shrec_viewer.viewmodels.findings_export import as_rows, export_findings
from shrec_viewer.viewmodels.findings_model import FindingsModel, sentence
from shrec_viewer.viewmodels.findings_place import Place, place_of
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.theme import Theme

FORMS = "Text (*.txt);;Table (*.csv);;JSON (*.json)"
"""What findings can be written as."""

SHARES = (5, 2)
"""Width of the table and of the details, the sentences being cut in the one and whole in the other."""

NARROW = 560
"""Pixels of the panel below which the details stand under the table."""


class FindingsPanel(Pane):
    """Findings tied to the session, the gravest first."""

    def __init__(self, session: Session) -> None:
        super().__init__("findings")
        self._session = session
        self._current: Finding | None = None
        self._place_window: PlaceWindow | None = None
        self.model = FindingsModel(session, self)
        self.head = FindingsHead()
        self.table = FindingsTable(self.model)
        self.details = FindingDetails()
        self._split = QSplitter()
        self._build()
        self._connect()
        self._show_findings()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are told by `apply_theme`."""

    @property
    def current(self) -> Finding | None:
        """The finding whose details are shown."""
        return self._current

    @property
    def place_window(self) -> PlaceWindow | None:
        """The window that shows places, once one was asked for."""
        return self._place_window

    def selected(self) -> list[Finding]:
        """The selected findings, in the order shown; all that are shown where none is selected."""
        rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()})
        return [self.model.finding(row) for row in rows or range(self.model.rowCount())]

    def export(self, path: Path) -> None:
        """Write the findings that are shown; a file that cannot be written is told by the session."""
        benchmark = self._session.benchmark
        if benchmark is None:
            return
        shown = [self.model.finding(row) for row in range(self.model.rowCount())]
        try:
            export_findings(path, benchmark.name, shown)
        except FormatError as error:
            self._session.failed.emit(f"The findings cannot be exported: {error}", "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override; what a finding says stands below the table where there is no room beside it."""
        narrow = event.size().width() < NARROW
        self._split.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)
        super().resizeEvent(event)

    def _build(self) -> None:
        split = self._split
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        split.addWidget(self.details)
        for place, share in enumerate(SHARES):
            split.setStretchFactor(place, share)
        split.setSizes([share * 200 for share in SHARES])
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addWidget(split, 1)

    def _connect(self) -> None:
        self.head.filter_picked.connect(self._filter)
        self.head.copy_requested.connect(self._copy)
        self.head.export_requested.connect(self.ask_export)
        self.table.opened.connect(self._open)
        self.table.copy_requested.connect(self._copy)
        self.table.moved.connect(self._show_current)
        self.table.customContextMenuRequested.connect(self._show_menu)
        self.model.modelReset.connect(self._find_current)
        self.details.open_requested.connect(self._open)
        self.details.go_requested.connect(self._go)
        self.head.import_requested.connect(self._ask_import)
        self._session.benchmark_changed.connect(self._show_findings)
        self._session.runs_renewed.connect(self._show_findings)
        self._session.thumbnails.findings_changed.connect(self._show_findings)

    @Slot()
    def _show_findings(self, *_: object) -> None:
        if self._session.benchmark is None:
            self.show_empty(self.tr("No benchmark is open"))
        elif not self._session.findings:
            self.show_empty(self.tr("Nothing was noticed"), self.tr("All files were read without a question."))
        else:
            self.show_content()
        self._show_counts()

    def _show_counts(self) -> None:
        self.head.set_counts(self.model.counts(), self.model.rowCount(), self.model.total)

    @Slot()
    def _filter(self) -> None:
        self.model.set_filter(self.head.severities, self.head.text)
        self._show_counts()

    @Slot()
    def _find_current(self) -> None:
        """Rows were arranged anew: what was looked at stays in sight if it is still shown."""
        row = None if self._current is None else self.model.row_of(self._current)
        if row is not None:
            self.table.selectRow(row)
            self.table.scrollTo(self.model.index(row, 0))
        self._show_current()

    @Slot()
    def _show_current(self) -> None:
        index = self.table.currentIndex()
        benchmark = self._session.benchmark
        if not index.isValid() or benchmark is None or index.row() >= self.model.rowCount():
            self._current = None if benchmark is None else self._current  # it may come back with another filter
            self.details.set_finding(None, None, None)
            return
        self._current = self.model.finding(index.row())
        self.details.set_finding(self._current, place_of(benchmark, self._current), benchmark)

    def _place(self) -> Place | None:
        benchmark = self._session.benchmark
        if benchmark is None or self._current is None or not self.table.currentIndex().isValid():
            return None
        return place_of(benchmark, self._current)

    @Slot()
    def _open(self) -> None:
        place = self._place()
        if place is None or self._current is None:
            return
        if place.path is None:
            self._session.failed.emit(f"'{self._current.file}' is not there any more", "")
            return
        if self._place_window is None:
            self._place_window = PlaceWindow(self._session, self.window())
        self._place_window.show_place(place.path, place.line, sentence(self._current))

    @Slot()
    def _go(self) -> None:
        place = self._place()
        if place is not None:
            self._session.select(run=place.run, query=place.query)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(as_rows(self.selected()))

    @Slot()
    def ask_export(self) -> None:
        """Ask where to write the findings shown."""
        benchmark = self._session.benchmark
        if benchmark is None:
            return
        start = str(Path.home() / "findings.txt")
        name, form = QFileDialog.getSaveFileName(self, self.tr("Export the findings"), start, FORMS)
        if name:
            path = Path(name)
            self.export(path if path.suffix else path.with_suffix("." + form.split("*.")[-1].rstrip(")")))

    @Slot()
    def _ask_import(self) -> None:
        place = self._place()
        run = None if place is None else place.run
        path = (
            place.path
            if place is not None and run is None and place.path is not None and place.path.is_file()
            else None
        )
        open_import(self.window(), self._session, run, path)

    @Slot(QPoint)
    def _show_menu(self, at: QPoint) -> None:
        place, benchmark = self._place(), self._session.benchmark
        if place is None or benchmark is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("Open the place"), self._open).setEnabled(place.path is not None)
        if words := go_words(place, benchmark):
            menu.addAction(words, self._go)
        if place.run is not None:
            menu.addAction(self.tr("Import settings…"), self._ask_import)
        menu.addSeparator()
        menu.addAction(self.tr("Copy"), self._copy)
        menu.popup(self.table.viewport().mapToGlobal(at))
