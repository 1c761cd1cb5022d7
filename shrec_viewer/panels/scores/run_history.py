"""Panel with the former versions of the selected run: a chart, a table, and what can be done with a version."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QModelIndex, Slot
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QPushButton

from shrec_viewer.content.models import (
    HistoryRequest,
    ScoredHistory,
    VersionsRequest,
    scored_history,
    table_of_versions,
)
from shrec_viewer.domain import Benchmark
from shrec_viewer.formats.runs.version_store import StoredVersion
from shrec_viewer.panels.panel import row_layout
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.plots.version_chart import VersionChart
from shrec_viewer.widgets.style.theme import SPACE
from shrec_viewer.widgets.tables.record_table import EditableTableModel
from shrec_viewer.widgets.tables.record_view import RecordView

#: Minimum and preferred height of the panel in pixels.
HISTORY_HEIGHTS = (190, 300)

#: Column of the table whose texts the user edits.
NOTE_COLUMN = 4

#: Digits of the hash in tooltips.
HASH_DIGITS = 12

#: Models that entered or left a list; further ones are counted.
MAX_LISTED_MODELS = 8

#: Texts of the button of the baseline.
PIN, UNPIN = "Set as baseline", "No baseline"


class RunHistoryPanel(RequestPanel[HistoryRequest]):
    """Versions of the selected run; a version can be compared, shown as a run, or made the baseline.

    A former version that is shown as a run has no history; while it is selected, that of the run before stays.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session, HistoryRequest(), "table", uses=())
        self.history = self.computation_of(scored_history, "Versions of a run", uses=("benchmark", "profile"))
        self._key = self._name = ""  # of the run, in the store and as shown
        self._deleted, self._deleted_at = "", NOTHING  # with the run that was selected then
        self._revision = 0
        self.model = EditableTableModel(NOTE_COLUMN, self)
        self.chart = VersionChart()
        self.table = RecordView(self.model, "Versions of the run", is_sortable=False, row_margin=2 * SPACE)
        self.compare, self.show_run, self.baseline = (
            QPushButton("Compare"),
            QPushButton("Show as run"),
            QPushButton(PIN),
        )
        self.runs = QComboBox()
        self._caption, self.moved = ElidingLine(token="muted"), ElidingLine(token="muted")
        self._build()
        self.history.changed.connect(self._show_history)
        self.model.edited.connect(self._set_note)
        self.table.row_selected.connect(self._show_version)
        self.table.doubleClicked.connect(self._compare_row)
        self.chart.point_picked.connect(self._pick_point)
        self.runs.activated.connect(self._choose_run)
        self.compare.clicked.connect(self._compare)
        self.show_run.clicked.connect(self._show_as_run)
        self.baseline.clicked.connect(self._toggle_baseline)
        session.versions.changed.connect(self._read_again)
        self._reset()

    def height_hint(self) -> tuple[int, int]:
        """See `Panel`."""
        return HISTORY_HEIGHTS

    def request(self) -> HistoryRequest | None:
        """See `RequestPanel`; the versions shown, newest first."""
        if self._session.versions.store is None or not self.versions:
            return None
        return HistoryRequest(runs=(self.versions[0].record.run,), measure=self._session.measure)

    def update_request(self) -> None:
        """See `RequestPanel`; the run is found by its name in the store."""
        session, benchmark, run = self._session, self._session.benchmark, self._session.selection.run
        versions = session.versions
        if self._deleted and run != self._deleted_at:
            self._deleted = ""
        if self._deleted:
            self._key, self._name = self._deleted, ""
        elif run == NOTHING:
            self._key = self._name = ""
        elif key := versions.key_of(run):
            self._key, self._name = key, benchmark.runs[run].name
        if versions.store is None or not self._key:
            self.history.set_request(None)
            return
        query = session.selection.query
        self.history.set_request(
            VersionsRequest(
                self._key,
                session.measure,
                self._name,
                "" if query == NOTHING else benchmark.queries.ids[query],
                tuple(filter(None, map(versions.key_of, range(len(benchmark.runs))))),
                self._revision,
            )
        )

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        if new.differs(old, "benchmark"):
            self._reset()
        else:
            super().show_changes(old, new)

    def _reset(self) -> None:
        """Show another benchmark, in which no run is known yet."""
        self._key = self._name = self._deleted = ""
        self.update_request()
        self._show_history()

    @Slot()
    def _read_again(self) -> None:
        self._revision += 1
        self.update_request()

    def _build(self) -> None:
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setEditTriggers(
            QAbstractItemView.EditTrigger.EditKeyPressed | QAbstractItemView.EditTrigger.SelectedClicked
        )
        self.table.horizontalHeader().setStretchLastSection(True)
        set_tooltip(self.compare, "Compare the present version with this one, query by query (double click)")
        set_tooltip(self.show_run, "Show this version as a run of its own, in all views")
        set_tooltip(self.baseline, "Show the differences of all values of the run from this version")
        header = row_layout()
        self.runs.setAccessibleName("Run")
        set_tooltip(self.runs, "Versions of runs whose files were deleted")
        header.addWidget(self.runs)
        header.addWidget(self._caption, 1)
        for button in (self.compare, self.show_run, self.baseline):
            header.addWidget(button)
        footer = row_layout(SPACE, SPACE)
        footer.addWidget(self.moved, 1)
        self.set_body(header, self.chart, self.table, footer, stretch=self.table)
        self.setFocusProxy(self.table)

    @property
    def current_row(self) -> int:
        """Selected row, -1 for none."""
        return self.table.currentIndex().row()

    @property
    def versions(self) -> tuple[StoredVersion, ...]:
        """The versions, newest first: those of the rows."""
        return self._found.versions[::-1]

    @property
    def _found(self) -> ScoredHistory:
        """The history; an empty one until it is read."""
        return self.history.result or ScoredHistory()

    # Contents.

    @Slot()
    def _show_history(self) -> None:
        self._show_table()
        if not self._session.is_open:
            self.show_empty("No benchmark is open")
            return
        if not self._session.benchmark.runs:
            self.show_empty("No runs", "Findings lists how each file was recognised.")
            return
        self.show_content()
        count = count_text(len(self.versions), "version")
        findings = self._found.findings
        damaged = f" · {count_text(len(findings), 'version')} cannot be read" if findings else ""
        name = self._deleted or self._name
        texts = (f"{name} · {count} · {self._session.measure}{damaged}", f"{name} · {count}", name, "")
        if self.history.result is None:
            is_kept = bool(self._session.versions.key_of(self._session.selection.run))
            texts = ("Reading versions…" if is_kept else "No versions of this run are kept", "", "", "")
        if self._session.versions.store is None:
            texts = ("There is no folder for user data in which versions are kept.", "No folder for versions", "", "")
        self._show_runs()
        self._caption.setText(*texts)
        set_tooltip(self._caption, "\n".join(str(finding) for finding in findings))
        self._show_version()

    def _show_table(self) -> None:
        """Show the versions, and select the one before the present one unless one of them is selected."""
        found, versions = self._found, self.versions
        titles = [found.title(version) for version in versions]
        if titles and not self._deleted:
            titles[0] += " (present)"
        measure = self._session.measure
        table = table_of_versions(found, measure)
        rows = tuple((title, *row[1:-1]) for title, row in zip(titles, table.rows, strict=True))
        self.model.set_table(
            replace(table, columns=table.columns[:-1], rows=rows),
            [version.file for version in versions],
            headers=("Version", measure, "Change", "Baseline", "Note"),
            tips=[version_tip(found, version) for version in versions],
        )
        if versions and self.current_row < 0:
            self.table.set_current_key(versions[min(1, len(versions) - 1)].file)

    def _show_runs(self) -> None:
        """List the deleted runs; hidden where there are none."""
        deleted = self._found.deleted
        self.runs.clear()
        self.runs.addItem("Selected run", "")
        for name in deleted:
            self.runs.addItem(f"{name} (deleted)", name)
        self.runs.setCurrentIndex(max(self.runs.findData(self._deleted), 0))
        self.runs.setVisible(bool(deleted))

    @Slot(int)
    def _choose_run(self, _index: int) -> None:
        """Show the versions of a deleted run until another run is selected."""
        self._deleted, self._deleted_at = str(self.runs.currentData() or ""), self._session.selection.run
        self.update_request()

    @Slot()
    def _show_version(self, *_: object) -> None:
        row, versions = self.current_row, self.versions
        flags = [version.baseline for version in versions]
        baseline = flags.index(True) if True in flags else len(flags)
        # The chart counts from the oldest version.
        last = len(flags) - 1
        self.chart.set_values(self._found.means, -1 if row < 0 else last - row, last - baseline)
        first = 0 if self._deleted else 1  # the first row is the present version
        self.compare.setEnabled(row > 0 and not self._deleted)
        self.show_run.setEnabled(row >= first)
        self.baseline.setEnabled(row >= 0)
        self.baseline.setText(UNPIN if row >= 0 and versions[row].baseline else PIN)
        self.moved.setText(self._moved_text(row))
        set_tooltip(self.moved, self.moved.text())

    def _moved_text(self, row: int) -> str:
        """Models that entered and left the list of the selected query since a version."""
        benchmark = self._session.benchmark
        if row <= 0 or not self._session.is_open or (moved := self._found.entered[-1 - row]) is None:
            return ""
        query = benchmark.queries.ids[self._session.selection.query]
        if not moved.entered and not moved.left:
            return f"{query}: the same models in the first {moved.scope} ranks"
        entered, left = (_ids(benchmark, models) for models in (moved.entered, moved.left))
        return f"{query}, first {moved.scope} ranks: entered {entered or 'none'}; left {left or 'none'}"

    # Actions.

    @Slot(int)
    def _pick_point(self, index: int) -> None:
        self.table.selectRow(len(self.versions) - 1 - index)

    @Slot(object, str)
    def _set_note(self, file: Path, note: str) -> None:
        version = next(version for version in self.versions if version.file == file)
        self._session.versions.set_note(version, note)

    @Slot()
    def _compare(self) -> None:
        if self.current_row > 0 and not self._deleted:
            self._show_stored(compares=self._name)

    @Slot(QModelIndex)
    def _compare_row(self, index: QModelIndex) -> None:
        if index.column() != NOTE_COLUMN:
            self._compare()

    @Slot()
    def _show_as_run(self) -> None:
        if self.show_run.isEnabled():
            self._show_stored()

    def _show_stored(self, **options: str) -> None:
        """Show the selected version as a run."""
        self._session.versions.show(self.versions[self.current_row], self.versions[::-1], **options)

    @Slot()
    def _toggle_baseline(self) -> None:
        if self.current_row >= 0:
            version = self.versions[self.current_row]
            self._session.versions.set_baseline(version.record.run, None if version.baseline else version)


def _ids(benchmark: Benchmark, models: tuple[int, ...]) -> str:
    ids = [benchmark.collection.ids[model] if model >= 0 else "?" for model in models[:MAX_LISTED_MODELS]]
    more = len(models) - len(ids)
    return ", ".join(ids) + (f" and {more} more" if more else "")


def version_tip(found: ScoredHistory, version: StoredVersion) -> str:
    """Tooltip of a version: its title, its hash and its note."""
    kept = "" if version.record.is_complete else "\nThe first ranks of each list are kept"
    return f"{found.title(version)}\nContent {version.record.hash[:HASH_DIGITS]}{kept}\n{version.note}".rstrip()
