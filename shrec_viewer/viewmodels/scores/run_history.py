"""History of the selected run: its versions as a table, with means and differences."""

from enum import IntEnum
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal, Slot

from shrec_viewer.domain import Benchmark, Run
from shrec_viewer.evaluation.run_versions import EnteredModels, version_title
from shrec_viewer.formats.runs.version_store import StoredVersion, VersionStore
from shrec_viewer.metrics import Profile
from shrec_viewer.number_format import SHARE_DECIMALS, format_fixed
from shrec_viewer.viewmodels.session.computation import SessionComputation
from shrec_viewer.viewmodels.session.run_versions import ScoredHistory, score_history
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Work

HISTORY_LANE = "run history"
"""Key of the task that reads the versions."""

COLUMNS = ("Version", "Mean", "Change", "Baseline", "Note")
"""Columns of the table."""

HASH_DIGITS = 12
"""Digits of the hash in tooltips."""


class HistoryColumn(IntEnum):
    """Columns of `HistoryTable`."""

    VERSION, MEAN, CHANGE, BASELINE, NOTE = range(5)


class RunHistory(SessionComputation):
    """Versions of the selected run, computed while a view of them is visible.

    A former version that is shown as a run has no history of its own; then that of the run stays.
    """

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(session, HISTORY_LANE, "The versions of the run cannot be read", parent, keeps_result=True)
        self._revision = 0
        self._store_key = ""
        self._run: Run | None = None
        self._deleted, self._deleted_at = "", NOTHING  # with the run that was selected then
        session.versions.changed.connect(self._increment)

    @property
    def history(self) -> ScoredHistory | None:
        """The versions; None until they are read, and where none are kept."""
        return self.result if isinstance(self.result, ScoredHistory) else None

    @property
    def run_name(self) -> str:
        """Shown name of the run, "" for none."""
        return self._deleted if self._run is None else self._run.name

    @property
    def deleted_run(self) -> str:
        """Name of the deleted run whose versions are shown; "" for those of the selected run."""
        return self._deleted

    def show_deleted(self, name: str) -> None:
        """Show the versions of a run whose file was deleted, until another run is selected; "" for the selected run."""
        self._deleted, self._deleted_at = name, self._session.selection.run
        self.update_result()

    @Slot()
    def _increment(self) -> None:
        self._revision += 1
        self.update_result()

    def reset(self) -> None:
        """No run is known in a benchmark that was just opened."""
        self._store_key, self._run, self._deleted = "", None, ""

    def prepare(self) -> None:
        """Find the run, by its name in the store."""
        session = self._session
        run = session.selection.run
        if self._deleted and run != self._deleted_at:
            self._deleted = ""
        if self._deleted:
            self._store_key, self._run = self._deleted, None
        elif session.benchmark is None or run == NOTHING:
            self._store_key, self._run = "", None
        elif key := session.versions.key_of(run):
            self._store_key, self._run = key, session.benchmark.runs[run]

    def inputs(self) -> tuple[Any, ...]:
        """Everything that the table depends on."""
        session, store = self._session, self._session.versions.store
        if store is None or session.benchmark is None or not self._store_key:
            return ()
        query = session.selection.query
        known = tuple(key for run in range(len(session.benchmark.runs)) if (key := session.versions.key_of(run)))
        return (
            self._store_key,
            self._run,
            session.benchmark,
            session.profile,
            session.measure,
            query,
            known,
            self._revision,
        )

    def work(
        self,
        key: str,
        run: Run | None,
        benchmark: Benchmark,
        profile: Profile,
        measure: str,
        query: int,
        known: tuple[str, ...],
        revision: int,
    ) -> tuple[Work, str]:
        """See `SessionComputation.work`."""
        store: VersionStore | None = self._session.versions.store
        assert store is not None
        work = partial(score_history, store, key, run, benchmark, profile, measure, query, known, revision)
        return work, f"Versions of {key}"


class HistoryTable(QAbstractTableModel):
    """A row per version, newest first; the note can be edited.

    Signals
    -------
    note_edited(version, text)
        The user changed the note of a `StoredVersion`.
    updated()
        Rows or values changed without a reset of the model.
    """

    note_edited = Signal(object, str)
    updated = Signal()

    def __init__(self, session: Session, history: RunHistory, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._history = history
        self._versions: tuple[StoredVersion, ...] = ()
        self._means: tuple[float, ...] = ()
        self._entered: tuple[EnteredModels | None, ...] = ()
        history.changed.connect(self._show)
        self._show()

    @property
    def versions(self) -> tuple[StoredVersion, ...]:
        """All versions, oldest first."""
        return self._versions

    @property
    def means(self) -> tuple[float, ...]:
        """Mean of each version, oldest first."""
        return self._means

    def index_of_row(self, row: int) -> int:
        """Index in `versions` of a row."""
        return len(self._versions) - 1 - row

    def version(self, row: int) -> StoredVersion:
        """The version of a row."""
        return self._versions[self.index_of_row(row)]

    def entered(self, row: int) -> EnteredModels | None:
        """Models that entered and left the list of the selected query since the version of a row."""
        return self._entered[self.index_of_row(row)]

    def title(self, row: int) -> str:
        """Name of a version: run and time."""
        return version_title(self.version(row).record, [version.record for version in self._versions])

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Number of rows; 0 below a row."""
        return 0 if parent.isValid() else len(self._versions)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Number of columns; 0 below a row."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names of the columns, aligned like their cells; that of the mean is the measure."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        if orientation != Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return self._session.measure if section == HistoryColumn.MEAN else COLUMNS[section]

    def flags(self, index: QModelIndex | QPersistentModelIndex) -> Qt.ItemFlag:
        """Notes can be edited."""
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() == HistoryColumn.NOTE else flags

    def setData(
        self, index: QModelIndex | QPersistentModelIndex, value: Any, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        """Emit the changed note; the table follows when it is stored."""
        if role != Qt.ItemDataRole.EditRole or index.column() != HistoryColumn.NOTE:
            return False
        version = self.version(index.row())
        if str(value) != version.note:
            self.note_edited.emit(version, str(value))
        return True

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Value of a cell for a role."""
        if not index.isValid() or index.row() >= len(self._versions):
            return None
        row, column = self.index_of_row(index.row()), index.column()
        version, mean = self._versions[row], self._means[row]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            if column == HistoryColumn.VERSION:
                is_present = row == len(self._versions) - 1 and not self._history.deleted_run
                present = " (present)" if is_present else ""
                return f"{self.title(index.row())}{present}"
            if column == HistoryColumn.MEAN:
                return format_fixed(mean, SHARE_DECIMALS)
            if column == HistoryColumn.CHANGE:
                return _signed(mean - self._means[row - 1]) if row else ""
            if column == HistoryColumn.BASELINE:
                return "baseline" if version.baseline else ""
            return version.note
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            kept = "" if version.record.is_complete else "\nThe first ranks of each list are kept"
            content = f"Content {version.record.hash[:HASH_DIGITS]}{kept}"
            return f"{self.title(index.row())}\n{content}\n{version.note}".rstrip()
        return None

    @Slot()
    def _show(self) -> None:
        """Show the versions; rows of versions that were shown before remain, with the note that is being edited."""
        found = self._history.history
        versions = () if found is None else found.history.versions
        old, new = [version.file for version in self._versions], [version.file for version in versions]
        notes = [version.note for version in self._versions]
        dropped = old.index(new[0]) if new and new[0] in old else len(old)
        kept = len(old) - dropped
        if not kept or old[dropped:] != new[:kept]:
            self.beginResetModel()
            self._set_rows(found)
            self.endResetModel()
            return
        if dropped:  # rows are newest first
            self.beginRemoveRows(QModelIndex(), kept, len(old) - 1)
            self._versions = self._versions[dropped:]
            self._means, self._entered = self._means[dropped:], self._entered[dropped:]
            self.endRemoveRows()
        if len(new) > kept:
            self.beginInsertRows(QModelIndex(), 0, len(new) - kept - 1)
            self._set_rows(found)
            self.endInsertRows()
        else:
            self._set_rows(found)
        # A change of the note's column would replace the text in an open editor.
        last = len(new) - 1
        self.dataChanged.emit(self.index(0, 0), self.index(last, HistoryColumn.NOTE - 1))
        for index, note in enumerate(notes[dropped:]):
            if note != versions[index].note:
                cell = self.index(last - index, HistoryColumn.NOTE)
                self.dataChanged.emit(cell, cell)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)
        self.updated.emit()

    def _set_rows(self, found: ScoredHistory | None) -> None:
        self._versions = () if found is None else found.history.versions
        self._means = () if found is None else found.means
        self._entered = () if found is None else found.entered


def _alignment(column: int) -> int:
    is_number = column in (HistoryColumn.MEAN, HistoryColumn.CHANGE)
    side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)


def _signed(difference: float) -> str:
    return "–" if np.isnan(difference) else format_fixed(difference, 3, signed=True)
