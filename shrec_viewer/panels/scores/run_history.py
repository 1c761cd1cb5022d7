"""Panel with the former versions of the selected run: a chart, a table, and what can be done with a version."""

from pathlib import Path

from PySide6.QtCore import QModelIndex, Slot
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QPushButton

from shrec_viewer.content.models import HistoryRequest
from shrec_viewer.domain import Benchmark
from shrec_viewer.formats.runs.version_store import StoredVersion
from shrec_viewer.panels.export.content import ExportContent
from shrec_viewer.panels.panel import BasePanel, row_layout
from shrec_viewer.viewmodels.scores.run_history import NOTE_COLUMN, RunHistory, history_table, version_tip
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.plots.version_chart import VersionChart
from shrec_viewer.widgets.style.theme import SPACE
from shrec_viewer.widgets.tables.record_table import EditableTableModel
from shrec_viewer.widgets.tables.record_view import RecordView

HISTORY_HEIGHTS = (190, 300)
"""Minimum and preferred height of the panel in pixels."""

MAX_LISTED_MODELS = 8
"""Models that entered or left a list; further ones are counted."""

PIN, UNPIN = "Set as baseline", "No baseline"
"""Texts of the button of the baseline."""


class RunHistoryPanel(BasePanel):
    """Versions of the selected run; a version can be compared, shown as a run, or made the baseline."""

    def __init__(self, session: Session) -> None:
        super().__init__("table")
        self._session = session
        self.history = RunHistory(session, self)
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
        self.add_active_model(self.history)
        self.history.changed.connect(self._show)
        self.model.edited.connect(self._set_note)
        self.table.row_selected.connect(self._show_version)
        self.table.doubleClicked.connect(self._compare_row)
        self.chart.point_picked.connect(self._pick_point)
        self.runs.activated.connect(self._choose_run)
        self.compare.clicked.connect(self._compare)
        self.show_run.clicked.connect(self._show_as_run)
        self.baseline.clicked.connect(self._toggle_baseline)
        session.benchmark_changed.connect(self._show)
        self._show()

    def height_hint(self) -> tuple[int, int]:
        """See `Panel`."""
        return HISTORY_HEIGHTS

    def export_content(self) -> ExportContent:
        """See `Panel`; the versions, newest first."""
        if self._session.benchmark is None or self._session.versions.store is None or not self.versions:
            return ExportContent()
        run, measure = self.versions[0].record.run, self._session.measure
        request = HistoryRequest(runs=(run,), measure=measure)
        return ExportContent(table=request, names=(measure, self.history.run_name))

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
    def row(self) -> int:
        """Selected row, -1 for none."""
        return self.table.currentIndex().row()

    @property
    def versions(self) -> tuple[StoredVersion, ...]:
        """The versions, newest first: those of the rows."""
        found = self.history.history
        return () if found is None else found.history.versions[::-1]

    # Contents.

    @Slot()
    def _show(self) -> None:
        self._show_table()
        if self._session.benchmark is None:
            self.show_empty("No benchmark is open")
            return
        if not self._session.benchmark.runs:
            self.show_empty("No runs", "Findings lists how each file was recognised.")
            return
        self.show_content()
        count = count_text(len(self.versions), "version")
        findings = () if self.history.history is None else self.history.history.history.findings
        damaged = f" · {count_text(len(findings), 'version')} cannot be read" if findings else ""
        name = self.history.run_name
        texts = (f"{name} · {count} · {self._session.measure}{damaged}", f"{name} · {count}", name, "")
        if self.history.history is None:
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
        found, versions = self.history.history, self.versions
        self.model.set_table(
            history_table(found, self._session.measure, is_deleted=bool(self.history.deleted_run)),
            [version.file for version in versions],
            tips=[] if found is None else [version_tip(found, version) for version in versions],
        )
        if versions and self.row < 0:
            self.table.set_current_key(versions[min(1, len(versions) - 1)].file)

    def _show_runs(self) -> None:
        """List the deleted runs; hidden where there are none."""
        found = self.history.history
        deleted = () if found is None else found.deleted
        self.runs.clear()
        self.runs.addItem("Selected run", "")
        for name in deleted:
            self.runs.addItem(f"{name} (deleted)", name)
        self.runs.setCurrentIndex(max(self.runs.findData(self.history.deleted_run), 0))
        self.runs.setVisible(bool(deleted))

    @Slot(int)
    def _choose_run(self, _index: int) -> None:
        self.history.show_deleted(str(self.runs.currentData() or ""))

    @Slot()
    def _show_version(self, *_: object) -> None:
        row, versions, found = self.row, self.versions, self.history.history
        flags = [version.baseline for version in versions]
        baseline = flags.index(True) if True in flags else len(flags)
        # The chart counts from the oldest version.
        self.chart.set_values(
            () if found is None else found.means, -1 if row < 0 else len(flags) - 1 - row, len(flags) - 1 - baseline
        )
        first = 0 if self.history.deleted_run else 1  # the first row is the present version
        self.compare.setEnabled(row > 0 and not self.history.deleted_run)
        self.show_run.setEnabled(row >= first)
        self.baseline.setEnabled(row >= 0)
        self.baseline.setText(UNPIN if row >= 0 and versions[row].baseline else PIN)
        self.moved.setText(self._moved_text(row))
        set_tooltip(self.moved, self.moved.text())

    def _moved_text(self, row: int) -> str:
        """Models that entered and left the list of the selected query since a version."""
        benchmark, found = self._session.benchmark, self.history.history
        if row <= 0 or benchmark is None or found is None or (moved := found.entered[-1 - row]) is None:
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
        if self.row > 0 and not self.history.deleted_run:
            self._show_stored(compares=self.history.run_name)

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
        self._session.versions.show(self.versions[self.row], self.versions[::-1], **options)

    @Slot()
    def _toggle_baseline(self) -> None:
        if self.row >= 0:
            version = self.versions[self.row]
            self._session.versions.set_baseline(version.record.run, None if version.baseline else version)


def _ids(benchmark: Benchmark, models: tuple[int, ...]) -> str:
    ids = [benchmark.collection.ids[model] if model >= 0 else "?" for model in models[:MAX_LISTED_MODELS]]
    more = len(models) - len(ids)
    return ", ".join(ids) + (f" and {more} more" if more else "")
