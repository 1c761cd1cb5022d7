"""Panel with the findings reported while reading files: table, filter, export, and excerpts of the files."""

import os
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import cast

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.content.edits import FindingsRequest, severity_rank, table_of_findings
from shrec_viewer.content.request import Request
from shrec_viewer.domain import Benchmark, Finding, Severity
from shrec_viewer.panels.context_menus import context_menu, popup_in
from shrec_viewer.panels.export.content import ExportContent
from shrec_viewer.panels.files.import_dialog import open_import_dialog
from shrec_viewer.panels.panel import WrappingRow
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.viewmodels.files.finding_location import Excerpt, FindingLocation, locate_finding, read_excerpt
from shrec_viewer.viewmodels.files.findings import finding_text, findings_table, location_text, severity_name
from shrec_viewer.viewmodels.files.participant_findings import copy_for_participant
from shrec_viewer.viewmodels.files.remedies import apply_remedy, remedy_problem, remedy_text
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import describe_failure
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.controls.context_menu import trigger_export
from shrec_viewer.widgets.controls.controls import EmptyState
from shrec_viewer.widgets.controls.plain_text import PlainLabel, escape_mnemonic, set_tooltip, title_text
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon, icon_pixmap, text_font
from shrec_viewer.widgets.tables.file_preview import NumberedLinesView
from shrec_viewer.widgets.tables.record_table import Mark, RecordTableModel
from shrec_viewer.widgets.tables.record_view import RecordView

EXCERPT_TASK = "file excerpt"

#: Initial size in pixels: about 80 characters and 20 lines.
DIALOG_SIZE = (760, 480)


class FileExcerptDialog(QDialog):
    """Non-modal dialog that shows lines of a file; one dialog is reused for all findings."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._path: Path | None = None
        self.lines = NumberedLinesView()
        self.summary = PlainLabel()
        self.note = PlainLabel()
        self.error_page = EmptyState("findings")
        self.open_externally = QPushButton("Open in default application")
        self._close = QPushButton("Close")
        self._pages = QStackedWidget()
        self._build()
        self.open_externally.clicked.connect(self._open_externally)
        self._close.clicked.connect(self.close)
        session.changed.connect(self._follow_session)

    def show_lines(self, path: Path, line: int | None, text: str) -> None:
        """Show the lines of a file around `line`, below the text of a finding."""
        self._path = path
        self.setWindowTitle(title_text(f"{path.name}:{line}" if line else path.name))
        self.summary.setText(text)
        self.note.setText("Reading…")
        self._session.tasks.run(
            EXCERPT_TASK, partial(read_excerpt, path, line), self._show, self._fail, title=f"Reading {path.name}"
        )
        self.show()
        self.activateWindow()

    def _build(self) -> None:
        self.resize(*DIALOG_SIZE)
        self.summary.setWordWrap(True)
        self.summary.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.note.setProperty("muted", True)
        self.lines.setAccessibleName("Lines of the file")
        self._close.setDefault(True)
        self._pages.addWidget(self.lines)
        self._pages.addWidget(self.error_page)
        footer = QHBoxLayout()
        footer.setContentsMargins(3 * SPACE, 0, 3 * SPACE, 0)
        footer.addWidget(self.note, 1)
        footer.addWidget(self.open_externally)
        footer.addWidget(self._close)
        header = QHBoxLayout()
        header.setContentsMargins(3 * SPACE, 0, 3 * SPACE, 0)
        header.addWidget(self.summary)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 3 * SPACE, 0, 3 * SPACE)
        layout.setSpacing(2 * SPACE)
        layout.addLayout(header)
        layout.addWidget(self._pages, 1)
        layout.addLayout(footer)

    def _show(self, excerpt: Excerpt) -> None:
        self.lines.set_lines(excerpt.lines, excerpt.first if excerpt.numbered else None, excerpt.mark)
        self.note.setText(excerpt.note or str(excerpt.path))
        self._pages.setCurrentWidget(self.lines)
        self.lines.setFocus()

    def _fail(self, error: Exception) -> None:
        message, _ = describe_failure("The file cannot be shown", error)
        self.error_page.set_message("No lines to show", message)
        self.note.setText("" if self._path is None else str(self._path))
        self._pages.setCurrentWidget(self.error_page)

    @Slot()
    def _open_externally(self) -> None:
        if self._path is not None and not QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._path))):
            self.note.setText("No application is associated with this file type")

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if not new.is_open:
            self.close()


#: Height of a row without its two lines of text in pixels.
ROW_MARGIN = 12

#: Column of the finding, which also shows the others: severity as an icon, place and action in its second line.
FINDING_COLUMN = 2


class FindingsTable(RecordView):
    """View of the findings, in two lines each."""

    def __init__(self, model: RecordTableModel) -> None:
        super().__init__(
            model, "Findings", stretched=(FINDING_COLUMN,), is_sortable=False, row_margin=ROW_MARGIN, lines=2
        )
        self.min_copied = 1
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.horizontalHeader().hide()
        self.mark_columns(FINDING_COLUMN)

    def show_one_column(self) -> None:
        """Hide the other columns, which the model has for copying."""
        for column in range(self.model().columnCount()):
            self.setColumnHidden(column, column != FINDING_COLUMN)


#: In the order of the buttons.
SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.INFO)

#: Minimum and maximum width in pixels of the filter field.
FILTER_WIDTH_RANGE = (72, 260)

#: Width of the header below which it uses short labels, in average characters.
SHORT_LABELS_BELOW_CHARS = 92

#: Time in milliseconds after the last key press until the table is filtered: once per word, not per letter.
FILTER_DELAY_MS = 120


class FindingsHeader(QWidget):
    """Buttons for the severities, a filter field, and buttons for copy, export and import settings.

    Signals
    -------
    filter_changed()
        `severities` or `text` changed.
    copy_requested(), participant_requested(), export_requested(), import_requested()
        A button was clicked.
    """

    filter_changed = Signal()
    copy_requested = Signal()
    participant_requested = Signal()
    export_requested = Signal()
    import_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.switches = {severity: QToolButton() for severity in SEVERITIES}
        self.field = QLineEdit()
        self.shown = PlainLabel()
        self.copy, self.export, self.settings = QToolButton(), QToolButton(), QToolButton()
        self.participant = QToolButton()
        self._counts: Mapping[Severity, int] = dict.fromkeys(SEVERITIES, 0)
        self._filter_timer = QTimer(self, interval=FILTER_DELAY_MS, singleShot=True)
        self._build()
        for switch in self.switches.values():
            switch.toggled.connect(self._emit_filter)
        self.field.textChanged.connect(self._restart_filter_timer)
        self._filter_timer.timeout.connect(self._emit_filter)
        self.copy.clicked.connect(self.copy_requested)
        self.participant.clicked.connect(self.participant_requested)
        self.export.clicked.connect(self.export_requested)
        self.settings.clicked.connect(self.import_requested)

    @property
    def severities(self) -> frozenset[Severity]:
        """Severities to show."""
        return frozenset(severity for severity, switch in self.switches.items() if switch.isChecked())

    @property
    def text(self) -> str:
        """Words of the filter field."""
        return self.field.text()

    def set_counts(self, counts: dict[Severity, int], shown: int, total: int) -> None:
        """Show the number of findings of each severity, and how many the filter leaves."""
        self._counts = counts
        self._update_labels()
        self.shown.setText("" if shown == total else f"{shown:,} of {total:,} shown")
        self.shown.setVisible(shown != total)
        self.export.setEnabled(shown > 0)
        self.copy.setEnabled(shown > 0)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        for severity, switch in self.switches.items():
            switch.setIcon(icon(severity.value, theme, severity.value))
        self._update_labels()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose full or short labels."""
        super().resizeEvent(event)
        self._update_labels()

    def _update_labels(self) -> None:
        """Set full labels, or short ones in a narrow header."""
        is_short = self.width() < SHORT_LABELS_BELOW_CHARS * QFontMetricsF(self.font()).averageCharWidth()
        for severity, switch in self.switches.items():
            label = count_text(self._counts[severity], severity_name(severity))
            switch.setText(f"{self._counts[severity]:,}" if is_short else label)
            switch.setAccessibleName(label)
            switch.setEnabled(self._counts[severity] > 0)
        self.settings.setText("Import…" if is_short else "Import settings…")
        for button in (self.copy, self.participant):  # also in the context menu of the table
            button.setVisible(not is_short)

    def _build(self) -> None:
        switches = QWidget()
        line = QHBoxLayout(switches)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(0)
        for index, (severity, switch) in enumerate(self.switches.items()):
            switch.setCheckable(True)
            switch.setChecked(True)
            switch.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            switch.setIconSize(QSize(14, 14))
            set_tooltip(switch, f"Show or hide {severity_name(severity)}s")
            switch.setProperty("segment", ("first", "inner", "last")[index])
            line.addWidget(switch)
        self.field.setPlaceholderText("File or text")
        self.field.setAccessibleName("Filter findings")
        self.field.setClearButtonEnabled(True)
        self.field.setMinimumWidth(FILTER_WIDTH_RANGE[0])
        self.field.setMaximumWidth(FILTER_WIDTH_RANGE[1])
        self.field.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.shown.setProperty("muted", True)
        texts = ("Import settings…", "Copy", "Copy for participant", "Export…")
        tips = (
            "Show and change how a run is interpreted",
            "Copy the selected findings, or all that are shown (Ctrl+C)",
            "Copy the findings about the runs of a participant as a text to send: of the run of the selected finding, "
            "else of the current run",
            "Export the findings shown as text, CSV or JSON",
        )
        for button, text, tip in zip(
            (self.settings, self.copy, self.participant, self.export), texts, tips, strict=True
        ):
            button.setText(text)
            set_tooltip(button, tip)
        row = WrappingRow([switches, self.field], [self.shown, self.settings, self.copy, self.participant, self.export])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(row)
        self.set_theme(current_theme())

    @Slot()
    def _emit_filter(self) -> None:
        self._filter_timer.stop()
        self.filter_changed.emit()

    @Slot()
    def _restart_filter_timer(self) -> None:
        self._filter_timer.start()


#: Size in pixels of the severity icon.
SEVERITY_ICON_SIZE = 16


#: Maximum length of a remedy that is on its button, and not only in the tooltip.
MAX_REMEDY_CHARACTERS = 32

#: Minimum width in pixels of the details: both buttons next to each other, where ids are short.
MIN_DETAILS_WIDTH = 245

#: Height in lines of text below which the buttons scroll with the text: two rows of buttons and a line of text.
PINNED_ABOVE_LINES = 6


class FindingDetails(QWidget):
    """Full text of the current finding.

    Signals
    -------
    open_requested(), select_requested(), remedy_requested()
        A button was clicked: show the file; select the run and query; take the other reading.
    """

    open_requested = Signal()
    remedy_requested = Signal()
    select_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._severity = ""
        self._scroll, self._inside = QScrollArea(), QVBoxLayout()
        self._icon, self.severity_label, self.location = PlainLabel(), PlainLabel(), PlainLabel()
        self.message, self._action_title, self.action = PlainLabel(), PlainLabel("Action taken"), PlainLabel()
        self.open = QPushButton("Show in file")
        self.go_to = QPushButton()
        self.remedy = QPushButton()
        self._buttons = WrappingRow([self.open, self.go_to], [self.remedy])
        self._build()
        self.open.clicked.connect(self.open_requested)
        self.go_to.clicked.connect(self.select_requested)
        self.remedy.clicked.connect(self.remedy_requested)
        self.set_finding(None, None, None)

    def set_finding(
        self, finding: Finding | None, location: FindingLocation | None, benchmark: Benchmark | None
    ) -> None:
        """Show a finding; None for none."""
        for part in (
            self._icon, self.severity_label, self.location, self.action, self._action_title, self.open, self.go_to,
        ):  # fmt: skip
            part.setVisible(finding is not None)
        if finding is None or location is None or benchmark is None:
            self._severity = ""
            self.set_remedy("", "")
            self.message.setText("Select a finding to see its details.")
            return
        self._severity = finding.severity.value
        self.severity_label.setText(severity_name(finding.severity).capitalize())
        self.location.setText(location_text(finding))
        count = f" ({finding.count:,} times; the first one is in this line)" if finding.count > 1 else ""
        self.message.setText(_capitalise_first(finding.message) + count)
        self.action.setText(_capitalise_first(finding.action_with_lines))
        self._action_title.setVisible(bool(finding.action))
        self.action.setVisible(bool(finding.action))
        exists = location.path is not None
        self.open.setEnabled(exists)
        set_tooltip(self.open, "Show the lines of the file" if exists else "The file no longer exists")
        label = go_to_label(location, benchmark)
        self.go_to.setText(escape_mnemonic(label))
        set_tooltip(self.go_to, "Select this run, and the query if there is one")
        self.go_to.setVisible(bool(label))
        self._apply_style()

    def set_remedy(self, text: str, problem: str) -> None:
        """Show the button for the other reading, "" for none; `problem`: why it cannot be taken."""
        self.remedy.setText(escape_mnemonic(f"Apply {text}") if len(text) <= MAX_REMEDY_CHARACTERS else "Apply")
        self.remedy.setVisible(bool(text))
        self.remedy.setEnabled(not problem)
        set_tooltip(self.remedy, f"Not possible: {problem}" if problem else f"Take the other reading: {text}")

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self._apply_style()

    def _build(self) -> None:
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setObjectName("finding_details")
        inside = QWidget()
        layout = self._inside
        inside.setLayout(layout)
        layout.setContentsMargins(3 * SPACE, 2 * SPACE, 3 * SPACE, 2 * SPACE)
        layout.setSpacing(SPACE)
        header = QHBoxLayout()
        header.setSpacing(SPACE)
        header.addWidget(self._icon)
        header.addWidget(self.severity_label)
        header.addSpacing(SPACE)
        header.addWidget(self.location, 1)
        layout.addLayout(header)
        self._action_title.setProperty("muted", True)
        self.location.setProperty("muted", True)
        for part in (self.message, self.location, self._action_title, self.action):
            part.setWordWrap(True)
            part.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout.addWidget(self.message)
        layout.addSpacing(SPACE)
        layout.addWidget(self._action_title)
        layout.addWidget(self.action)
        layout.addStretch(1)
        self._scroll.setWidget(inside)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._scroll, 1)
        column.addWidget(self._buttons)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the buttons in sight; they scroll with the text where both do not fit."""
        super().resizeEvent(event)
        fits = self.height() >= PINNED_ABOVE_LINES * self.fontMetrics().height()
        layout = self.layout() if fits else self._inside
        if layout is not None and layout.indexOf(self._buttons) < 0:
            layout.addWidget(self._buttons)

    def minimumSizeHint(self) -> QSize:
        """Wide enough for the buttons; the content scrolls."""
        return QSize(max(MIN_DETAILS_WIDTH, self._buttons.minimumSizeHint().width()), 60)

    def _apply_style(self) -> None:
        self.severity_label.setFont(text_font(self.font(), bold=True))
        if self._severity:
            colour = getattr(self._theme, self._severity)
            self._icon.setPixmap(icon_pixmap(self._severity, colour, SEVERITY_ICON_SIZE, self.devicePixelRatioF()))


def go_to_label(location: FindingLocation, benchmark: Benchmark) -> str:
    """``"Go to K2, Q05"``: run and query of a finding; "" where it has none."""
    if location.run is None:
        return ""
    label = f"Go to {benchmark.runs[location.run].name}"
    return label if location.query is None else f"{label}, {benchmark.queries.ids[location.query]}"


def _capitalise_first(text: str) -> str:
    return text[:1].upper() + text[1:]


#: Ratio of the widths of table and details.
SPLIT_RATIO = (5, 2)

#: Width in lines of text below which the details are below the table.
STACKED_BELOW_LINES = 35


class FindingsPanel(RequestPanel[FindingsRequest]):
    """Table of the findings, errors first, with the details of the current one."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, FindingsRequest(), "findings", uses=())
        self._shown_findings: tuple[Finding, ...] = ()  # of the session
        self._findings: tuple[Finding, ...] = ()  # the most severe first
        self._texts = findings_table(())  # 100,000 findings take 0.6 s
        self._severities = frozenset(SEVERITIES)  # those in the table
        self._excerpt_dialog: FileExcerptDialog | None = None
        self.model = RecordTableModel(self)
        self.header = FindingsHeader()
        self.table = FindingsTable(self.model)
        self.details = FindingDetails()
        self._split = QSplitter()
        self._build()
        self._connect()
        self._show_findings()

    @property
    def current(self) -> Finding | None:
        """The finding whose details are shown."""
        return cast(Finding | None, self.table.current_key)

    @property
    def shown(self) -> list[Finding]:
        """The findings that the filter leaves, in the order on screen."""
        return cast(list[Finding], self.model.keys)

    def requests(self) -> tuple[Request, ...]:
        """See `RequestPanel`; also where there are no findings."""
        return (self.options,)

    def export(self) -> ExportContent:
        """See `RequestPanel`; where files contain others than are shown, these, in the order on screen."""
        benchmark, shown = self._session.benchmark, self.shown
        is_all = shown == list(self._findings)
        if not self._session.is_open or (is_all and not self._session.thumbnails.has_findings):
            return super().export()
        return ExportContent(table=table_of_findings(benchmark.name, shown), names=("selection",))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the details below the table in a narrow panel."""
        self._arrange()
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Qt override; the width at which the details are below the table depends on the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._arrange()

    def _arrange(self) -> None:
        is_narrow = self.width() < STACKED_BELOW_LINES * self.fontMetrics().height()
        self._split.setOrientation(Qt.Orientation.Vertical if is_narrow else Qt.Orientation.Horizontal)

    def _build(self) -> None:
        split = self._split
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        split.addWidget(self.details)
        for index, share in enumerate(SPLIT_RATIO):
            split.setStretchFactor(index, share)
        split.setSizes([share * 200 for share in SPLIT_RATIO])
        self.set_body(self.header, split, stretch=split)

    def _connect(self) -> None:
        self.header.filter_changed.connect(self._filter)
        self.header.copy_requested.connect(self.table.copy)
        self.header.participant_requested.connect(self._copy_for_participant)
        self.header.export_requested.connect(self._open_export_dialog)
        self.header.import_requested.connect(self._open_import_dialog)
        self.table.row_activated.connect(self._open)
        self.table.row_selected.connect(self._show_current)
        self.table.customContextMenuRequested.connect(self._show_context_menu)
        self.model.changed.connect(self._show_current)
        self.details.open_requested.connect(self._open)
        self.details.select_requested.connect(self._go_to)
        self.details.remedy_requested.connect(self._apply_remedy)
        self._session.thumbnails.findings_changed.connect(self._show_findings)

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        if new.differs(old, "benchmark", "findings"):
            self._show_findings()

    @Slot()
    def _show_findings(self) -> None:
        findings = self._session.findings
        if findings != self._shown_findings:
            self._shown_findings = findings
            self._findings = tuple(sorted(findings, key=severity_rank))
            self._texts = findings_table(self._findings)
            self._fill_table()
            if self.current is None:
                self.table.set_current_key(self.model.key(0))
                self._show_current()
        if not self._session.is_open:
            self.table.set_current_key(None)
            self.show_empty("No benchmark is open")
        elif not self._findings:
            self.show_empty("No findings", "All files were read without warnings.")
        else:
            self.show_content()
        self._show_counts()

    def _fill_table(self) -> None:
        """Show the findings of the chosen severities."""
        self._severities = self.header.severities
        rows = [row for row, found in enumerate(self._findings) if found.severity in self._severities]
        texts = self._texts.with_rows(rows)
        shown = [self._findings[row] for row in rows]

        def mark(row: int, _column: int) -> Mark:
            _, place, _, action = map(str, texts.rows[row])
            severity = shown[row].severity.value
            return Mark(severity, severity, note=f"{place} · {action}" if action else place)

        self.model.set_table(texts, shown, tips=lambda row, _column: finding_text(shown[row]), marks=mark)
        self.table.show_one_column()

    def _show_counts(self) -> None:
        counts = Counter(found.severity for found in self._findings)
        self.header.set_counts(counts, self.model.rowCount(), len(self._findings))

    @Slot()
    def _filter(self) -> None:
        if self.header.severities != self._severities:
            self._fill_table()
        self.model.set_filter(self.header.text)
        self.table.show_current()
        self._show_counts()

    @Slot()
    def _show_current(self, *_: object) -> None:
        found, benchmark = self.current, self._session.benchmark
        if found is None:
            self.details.set_finding(None, None, None)
        else:
            self.details.set_finding(found, locate_finding(benchmark, found), benchmark)
            self.details.set_remedy(remedy_text(found), remedy_problem(self._session, found))

    def _location(self) -> FindingLocation | None:
        """Location of the current finding."""
        found, benchmark = self.current, self._session.benchmark
        return None if found is None else locate_finding(benchmark, found)

    @Slot()
    def _open(self, *_: object) -> None:
        found, location = self.current, self._location()
        if found is None or location is None:
            return
        if location.path is None:
            self._session.failed.emit(f"'{found.file}' no longer exists", "")
            return
        if self._excerpt_dialog is None:
            self._excerpt_dialog = FileExcerptDialog(self._session, self.window())
        self._excerpt_dialog.show_lines(location.path, location.line, finding_text(found))

    @Slot()
    def _go_to(self) -> None:
        location = self._location()
        if location is not None:
            self._session.select(run=location.run, query=location.query)

    @Slot()
    def _apply_remedy(self) -> None:
        if self.current is not None:
            apply_remedy(self._session, self.current)

    @Slot()
    def _copy_for_participant(self) -> None:
        location = self._location()
        copy_for_participant(self._session, None if location is None else location.run)

    @Slot()
    def _open_export_dialog(self) -> None:
        trigger_export(self)

    @Slot()
    def _open_import_dialog(self) -> None:
        location = self._location()
        run = None if location is None else location.run
        path = None if location is None or run is not None else location.path
        is_file = path is not None and os.path.isfile(path)
        open_import_dialog(self.window(), self._session, run, path if is_file else None)

    @Slot(QPoint)
    def _show_context_menu(self, position: QPoint) -> None:
        location, benchmark = self._location(), self._session.benchmark
        menu = context_menu(self)
        if location is None:
            popup_in(self.table, menu, position)
            return
        menu.addAction("Show in file", self._open).setEnabled(location.path is not None)
        if label := go_to_label(location, benchmark):
            menu.addAction(escape_mnemonic(label), self._go_to)
        if self.current is not None and (text := remedy_text(self.current)):
            apply = menu.addAction(escape_mnemonic(f"Apply {text}"), self._apply_remedy)
            apply.setEnabled(not remedy_problem(self._session, self.current))
        if location.run is not None:
            menu.addAction("Import settings…", self._open_import_dialog)
        menu.addSeparator()
        menu.addAction("Copy findings as text", self.table.copy)
        menu.addAction("Copy findings for the participant", self._copy_for_participant)
        popup_in(self.table, menu, position)
