"""Panel with the findings reported while reading files: table, filter and details."""

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QIcon, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.domain import Benchmark, Finding, FormatError, Severity
from shrec_viewer.panels.files.file_excerpt import FileExcerptDialog
from shrec_viewer.panels.files.import_dialog import open_import_dialog
from shrec_viewer.panels.panel.panel_widget import BasePanel
from shrec_viewer.viewmodels.files.finding_location import FindingLocation, locate_finding
from shrec_viewer.viewmodels.files.findings import (
    SEVERITY_ROLE,
    FindingsModel,
    export_findings,
    finding_text,
    location_text,
    severity_name,
    to_tsv,
)
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.controls.shortcuts import overrides_copy
from shrec_viewer.widgets.style.icons import icon, icon_pixmap
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, text_font

COLUMN_WIDTHS = (104, 210)
"""Pixels of the first columns: a mark with its word, a file with its line. The sentences share the rest."""

NARROW_COLUMN_WIDTHS = (92, 132)
"""The same where there is little room."""

ACTION_COLUMN, ACTION_COLUMN_MIN_WIDTH = 3, 760
"""What was done stands in the details as well: below so many pixels its column leaves the room to what was found."""

ROW_HEIGHT = 26
"""Pixels of a row, as in the table of runs."""


class FindingsTable(QTableView):
    """Shows a `FindingsModel`.

    Signals
    -------
    opened()
        The current finding was double-clicked, or Enter was pressed on it.
    copy_requested()
        Ctrl+C.
    moved()
        Another finding is the current one, or none.
    """

    opened = Signal()
    copy_requested = Signal()
    moved = Signal()

    def __init__(self, model: FindingsModel) -> None:
        super().__init__()
        self._findings = model
        self._severity = _SeverityDelegate(self)
        self.setModel(model)
        self.setItemDelegateForColumn(0, self._severity)
        self._build(len(COLUMN_WIDTHS), model.columnCount())
        self.doubleClicked.connect(self._emit_opened)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._severity.set_theme(theme)
        self.viewport().update()

    def event(self, event: QEvent) -> bool:
        """Qt override; while it has the focus, the key for copying is its own and not the menu's."""
        return overrides_copy(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def currentChanged(
        self, current: QModelIndex | QPersistentModelIndex, previous: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Qt override."""
        super().currentChanged(current, previous)
        self.moved.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        narrow = event.size().width() < ACTION_COLUMN_MIN_WIDTH
        if narrow != self.isColumnHidden(ACTION_COLUMN):
            self.setColumnHidden(ACTION_COLUMN, narrow)
            for column, width in enumerate(NARROW_COLUMN_WIDTHS if narrow else COLUMN_WIDTHS):
                self.setColumnWidth(column, width)

    def _build(self, fixed: int, columns: int) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        rows, headers = self.verticalHeader(), self.horizontalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(ROW_HEIGHT)
        headers.setHighlightSections(False)
        headers.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column, width in enumerate(COLUMN_WIDTHS):
            self.setColumnWidth(column, width)
        for column in range(fixed, columns):
            headers.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        self.setSortingEnabled(True)
        self.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.setAccessibleName("Findings")

    def _emit_opened(self) -> None:
        self.opened.emit()


class _SeverityDelegate(QStyledItemDelegate):
    """Puts the mark of its severity before a finding."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._marks: dict[str, QIcon] = {}
        self.set_theme(current_theme())

    def set_theme(self, theme: Theme) -> None:
        """Paint marks in these colours from now on."""
        self._marks = {severity.value: icon(severity.value, theme, severity.value) for severity in Severity}

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:  # noqa: N802
        """Qt override."""
        super().initStyleOption(option, index)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
        option.icon = self._marks[index.data(SEVERITY_ROLE)]
        option.decorationSize = QSize(16, 16)


SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.INFO)
"""The gravest first."""

FILTER_WIDTH_RANGE = (72, 260)
"""Pixels of the field at least and at most: a few letters, a few words."""

MIN_WIDTH_CHARS, SHORT_LABELS_BELOW_CHARS = 55, 92
"""Mean letters of width at least, and below which the line says all in short."""

FILTER_DELAY_MS = 120
"""Milliseconds after the last key until the table is filtered: nobody types slower, nobody waits longer."""


class FindingsHeader(QWidget):
    """Switches, a field and buttons in one line.

    Signals
    -------
    filter_picked()
        `severities` or `text` are others.
    copy_requested(), export_requested(), import_requested()
        The buttons.
    """

    filter_changed = Signal()
    copy_requested = Signal()
    export_requested = Signal()
    import_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.switches = {severity: QToolButton() for severity in SEVERITIES}
        self.field = QLineEdit()
        self.shown = QLabel()
        self.copy, self.export, self.settings = QToolButton(), QToolButton(), QToolButton()
        self._counts: Mapping[Severity, int] = dict.fromkeys(SEVERITIES, 0)
        self._filter_timer = QTimer(self, interval=FILTER_DELAY_MS, singleShot=True)
        self._build()
        for switch in self.switches.values():
            switch.toggled.connect(self._emit_filter)
        self.field.textChanged.connect(self._restart_filter_timer)
        self._filter_timer.timeout.connect(self._emit_filter)
        self.copy.clicked.connect(self.copy_requested)
        self.export.clicked.connect(self.export_requested)
        self.settings.clicked.connect(self.import_requested)

    @property
    def severities(self) -> frozenset[Severity]:
        """Those to show."""
        return frozenset(severity for severity, switch in self.switches.items() if switch.isChecked())

    @property
    def text(self) -> str:
        """Words that must occur."""
        return self.field.text()

    def set_counts(self, counts: dict[Severity, int], shown: int, total: int) -> None:
        """Show how many findings there are."""
        self._counts = counts
        self._say()
        self.shown.setText("" if shown == total else "{n} of {m} shown".format(n=f"{shown:,}", m=f"{total:,}"))
        self.export.setEnabled(shown > 0)
        self.copy.setEnabled(shown > 0)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        for severity, switch in self.switches.items():
            switch.setIcon(icon(severity.value, theme, severity.value))

    def minimumSizeHint(self) -> QSize:
        """Qt override; the room of the short words, so that a narrow dock can be had."""
        return QSize(
            round(MIN_WIDTH_CHARS * QFontMetricsF(self.font()).averageCharWidth()), super().minimumSizeHint().height()
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._say()

    def _say(self) -> None:
        """Words in full, or numbers and the first words where there is no room."""
        short = self.width() < SHORT_LABELS_BELOW_CHARS * QFontMetricsF(self.font()).averageCharWidth()
        for severity, switch in self.switches.items():
            words = count_text(self._counts[severity], severity_name(severity))
            switch.setText(f"{self._counts[severity]:,}" if short else words)
            switch.setAccessibleName(words)
            switch.setEnabled(self._counts[severity] > 0)
        self.settings.setText("Import…" if short else "Import settings…")
        self.copy.setVisible(not short)  # Ctrl+C and the menu of the table do the same

    def _build(self) -> None:
        line = QHBoxLayout(self)
        line.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, SPACE)
        line.setSpacing(SPACE)
        for place, (severity, switch) in enumerate(self.switches.items()):
            switch.setCheckable(True)
            switch.setChecked(True)
            switch.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            switch.setIconSize(QSize(14, 14))
            switch.setToolTip(f"Show or hide {severity_name(severity)}s")
            switch.setProperty("segment", ("first", "inner", "last")[place])
            line.addWidget(switch)
            line.setSpacing(0)
        line.addSpacing(2 * SPACE)
        self.field.setPlaceholderText("Filter by file or words")
        self.field.setAccessibleName("Filter the findings")
        self.field.setClearButtonEnabled(True)
        self.field.setMinimumWidth(FILTER_WIDTH_RANGE[0])
        self.field.setMaximumWidth(FILTER_WIDTH_RANGE[1])
        line.addWidget(self.field, 1)
        line.addSpacing(2 * SPACE)
        self.shown.setProperty("muted", True)
        line.addWidget(self.shown)
        line.addStretch(1)
        texts = ("Import settings…", "Copy", "Export…")
        tips = (
            "See how a run is read, and have it read otherwise",
            "Copy the selected findings, or all that are shown (Ctrl+C)",
            "Write all that are shown into a file: text, CSV or JSON",
        )
        for button, text, tip in zip((self.settings, self.copy, self.export), texts, tips, strict=True):
            button.setText(text)
            button.setToolTip(tip)
            line.addWidget(button)
            line.addSpacing(SPACE)
        self.set_theme(current_theme())

    @Slot()
    def _emit_filter(self) -> None:
        self._filter_timer.stop()
        self.filter_changed.emit()

    @Slot()
    def _restart_filter_timer(self) -> None:
        self._filter_timer.start()


SEVERITY_ICON_SIZE = 16
"""Pixels of the mark of the severity."""


class FindingDetails(QWidget):
    """Follows the current finding of the table.

    Signals
    -------
    open_requested(), go_requested()
        The buttons.
    """

    open_requested = Signal()
    select_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._severity = ""
        self._scroll = QScrollArea()
        self._mark, self.word, self.place = QLabel(), QLabel(), QLabel()
        self.message, self._done, self.action = QLabel(), QLabel("What was done"), QLabel()
        self.open = QPushButton("Open")
        self.go = QPushButton()
        self._build()
        self.open.clicked.connect(self.open_requested)
        self.go.clicked.connect(self.select_requested)
        self.set_finding(None, None, None)

    def set_finding(self, finding: Finding | None, place: FindingLocation | None, benchmark: Benchmark | None) -> None:
        """Show this finding; None for none."""
        has_one = finding is not None
        for part in (self._mark, self.word, self.place, self.action, self._done, self.open, self.go):
            part.setVisible(has_one)
        if finding is None or place is None or benchmark is None:
            self._severity = ""
            self.message.setText("Choose a finding to see all of it.")
            return
        self._severity = finding.severity.value
        self.word.setText(severity_name(finding.severity).capitalize())
        self.place.setText(location_text(finding))
        times = " ({n} times; the line is the first)".format(n=f"{finding.count:,}") if finding.count > 1 else ""
        self.message.setText(_capitalise_first(finding.message) + times)
        self.action.setText(_capitalise_first(finding.action))
        self._done.setVisible(bool(finding.action))
        self.action.setVisible(bool(finding.action))
        self.open.setEnabled(place.path is not None)
        there = place.path is not None
        self.open.setToolTip("Show the place in its file" if there else "The file is not there any more")
        words = go_to_label(place, benchmark)
        self.go.setText(words)
        self.go.setToolTip("Select this run, and the query if there is one")
        self.go.setVisible(bool(words))
        self._dress()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self._dress()

    def _build(self) -> None:
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMinimumWidth(220)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setObjectName("finding_details")
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(3 * SPACE, 2 * SPACE, 3 * SPACE, 2 * SPACE)
        layout.setSpacing(SPACE)
        header = QHBoxLayout()
        header.setSpacing(SPACE)
        header.addWidget(self._mark)
        header.addWidget(self.word)
        header.addSpacing(SPACE)
        header.addWidget(self.place, 1)
        layout.addLayout(header)
        self._done.setProperty("muted", True)
        self.place.setProperty("muted", True)
        for part in (self.message, self.place, self._done, self.action):
            part.setWordWrap(True)
            part.setTextFormat(Qt.TextFormat.PlainText)
            part.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout.addWidget(self.message)
        layout.addSpacing(SPACE)
        layout.addWidget(self._done)
        layout.addWidget(self.action)
        layout.addStretch(1)
        self._scroll.setWidget(inside)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(3 * SPACE, SPACE, 3 * SPACE, 2 * SPACE)
        buttons.setSpacing(2 * SPACE)
        for button in (self.open, self.go):
            buttons.addWidget(button)
        buttons.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._scroll, 1)
        whole.addLayout(buttons)

    def minimumSizeHint(self) -> QSize:
        """Qt override; it scrolls."""
        return QSize(200, 60)

    def _dress(self) -> None:
        self.word.setFont(text_font(self.font(), strong=True))
        places = "#finding_details, QScrollArea, QScrollArea > QWidget > QWidget"
        self.setStyleSheet(f"{places} {{ background: {self._theme.surface}; }}")
        if self._severity:
            colour = getattr(self._theme, self._severity)
            self._mark.setPixmap(icon_pixmap(self._severity, colour, SEVERITY_ICON_SIZE, self.devicePixelRatioF()))


def go_to_label(place: FindingLocation, benchmark: Benchmark) -> str:
    """``"Go to K2, Q05"``: what a finding is about in the program itself; "" for nothing."""
    if place.run is None:
        return ""
    words = f"Go to {benchmark.runs[place.run].name}"
    return words if place.query is None else f"{words}, {benchmark.queries.ids[place.query]}"


def _capitalise_first(words: str) -> str:
    return words[:1].upper() + words[1:]


EXPORT_FILTERS = "Text (*.txt);;Table (*.csv);;JSON (*.json)"
"""What findings can be written as."""

SPLIT_RATIO = (5, 2)
"""Width of the table and of the details, the sentences being cut in the one and whole in the other."""

STACKED_BELOW_WIDTH = 560
"""Pixels of the panel below which the details stand under the table."""


class FindingsPanel(BasePanel):
    """Findings tied to the session, the gravest first."""

    def __init__(self, session: Session) -> None:
        super().__init__("findings")
        self._session = session
        self._current: Finding | None = None
        self._excerpt_dialog: FileExcerptDialog | None = None
        self.model = FindingsModel(session, self)
        self.header = FindingsHeader()
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
    def excerpt_dialog(self) -> FileExcerptDialog | None:
        """The window that shows places, once one was asked for."""
        return self._excerpt_dialog

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
        narrow = event.size().width() < STACKED_BELOW_WIDTH
        self._split.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)
        super().resizeEvent(event)

    def _build(self) -> None:
        split = self._split
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        split.addWidget(self.details)
        for place, share in enumerate(SPLIT_RATIO):
            split.setStretchFactor(place, share)
        split.setSizes([share * 200 for share in SPLIT_RATIO])
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.header)
        layout.addWidget(split, 1)

    def _connect(self) -> None:
        self.header.filter_changed.connect(self._filter)
        self.header.copy_requested.connect(self._copy)
        self.header.export_requested.connect(self.choose_export_path)
        self.table.opened.connect(self._open)
        self.table.copy_requested.connect(self._copy)
        self.table.moved.connect(self._show_current)
        self.table.customContextMenuRequested.connect(self._show_menu)
        self.model.modelReset.connect(self._find_current)
        self.details.open_requested.connect(self._open)
        self.details.select_requested.connect(self._go)
        self.header.import_requested.connect(self._open_import_dialog)
        self._session.benchmark_changed.connect(self._show_findings)
        self._session.runs_reloaded.connect(self._show_findings)
        self._session.thumbnails.findings_changed.connect(self._show_findings)

    @Slot()
    def _show_findings(self, *_: object) -> None:
        if self._session.benchmark is None:
            self.show_empty("No benchmark is open")
        elif not self._session.findings:
            self.show_empty("Nothing was noticed", "All files were read without a question.")
        else:
            self.show_content()
        self._show_counts()

    def _show_counts(self) -> None:
        self.header.set_counts(self.model.counts(), self.model.rowCount(), self.model.total)

    @Slot()
    def _filter(self) -> None:
        self.model.set_filter(self.header.severities, self.header.text)
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
        self.details.set_finding(self._current, locate_finding(benchmark, self._current), benchmark)

    def _place(self) -> FindingLocation | None:
        benchmark = self._session.benchmark
        if benchmark is None or self._current is None or not self.table.currentIndex().isValid():
            return None
        return locate_finding(benchmark, self._current)

    @Slot()
    def _open(self) -> None:
        place = self._place()
        if place is None or self._current is None:
            return
        if place.path is None:
            self._session.failed.emit(f"'{self._current.file}' is not there any more", "")
            return
        if self._excerpt_dialog is None:
            self._excerpt_dialog = FileExcerptDialog(self._session, self.window())
        self._excerpt_dialog.show_place(place.path, place.line, finding_text(self._current))

    @Slot()
    def _go(self) -> None:
        place = self._place()
        if place is not None:
            self._session.select(run=place.run, query=place.query)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(to_tsv(self.selected()))

    @Slot()
    def choose_export_path(self) -> None:
        """Ask where to write the findings shown."""
        benchmark = self._session.benchmark
        if benchmark is None:
            return
        start = str(Path.home() / "findings.txt")
        name, form = QFileDialog.getSaveFileName(self, "Export the findings", start, EXPORT_FILTERS)
        if name:
            path = Path(name)
            self.export(path if path.suffix else path.with_suffix("." + form.split("*.")[-1].rstrip(")")))

    @Slot()
    def _open_import_dialog(self) -> None:
        place = self._place()
        run = None if place is None else place.run
        path = (
            place.path
            if place is not None and run is None and place.path is not None and place.path.is_file()
            else None
        )
        open_import_dialog(self.window(), self._session, run, path)

    @Slot(QPoint)
    def _show_menu(self, at: QPoint) -> None:
        place, benchmark = self._place(), self._session.benchmark
        if place is None or benchmark is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Open the place", self._open).setEnabled(place.path is not None)
        if words := go_to_label(place, benchmark):
            menu.addAction(words, self._go)
        if place.run is not None:
            menu.addAction("Import settings…", self._open_import_dialog)
        menu.addSeparator()
        menu.addAction("Copy", self._copy)
        menu.popup(self.table.viewport().mapToGlobal(at))
