"""History of the selected run: its versions as a table, with means and differences."""

from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Slot

from shrec_viewer.charts.table import Cell, Table, TableColumn
from shrec_viewer.domain import Benchmark, Run
from shrec_viewer.formats.runs.version_store import StoredVersion, VersionStore
from shrec_viewer.metrics import Profile
from shrec_viewer.number_format import SHARE_DECIMALS
from shrec_viewer.viewmodels.session.computation import SessionComputation
from shrec_viewer.viewmodels.session.run_versions import ScoredHistory, score_history
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Work

HISTORY_LANE = "run history"
"""Key of the task that reads the versions."""

NOTE_COLUMN = 4
"""Column of the table whose texts the user edits."""

HASH_DIGITS = 12
"""Digits of the hash in tooltips."""


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


def history_table(found: ScoredHistory | None, measure: str, *, is_deleted: bool) -> Table:
    """Versions of a run, newest first, as the window shows them: with the means of a measure and their changes.

    Parameters
    ----------
    is_deleted : whether the run was deleted, so that the newest version is none of the present one.
    """
    columns = (
        TableColumn("Version"),
        TableColumn(measure, is_number=True),
        TableColumn("Change", is_number=True, is_difference=True, shown_digits=SHARE_DECIMALS),
        TableColumn("Baseline"),
        TableColumn("Note"),
    )
    rows: list[tuple[Cell, ...]] = []
    if found is not None:
        newest = len(found.means) - 1
        for index, (version, mean) in enumerate(zip(found.history.versions, found.means, strict=True)):
            present = " (present)" if index == newest and not is_deleted else ""
            change = mean - found.means[index - 1] if index else None
            title = f"{found.title(version)}{present}"
            rows.append((title, mean, change, "baseline" if version.baseline else "", version.note))
    return Table("history", "Versions of the run", columns, tuple(reversed(rows)))


def version_tip(found: ScoredHistory, version: StoredVersion) -> str:
    """Tooltip of a version: its title, its hash and its note."""
    kept = "" if version.record.is_complete else "\nThe first ranks of each list are kept"
    return f"{found.title(version)}\nContent {version.record.hash[:HASH_DIGITS]}{kept}\n{version.note}".rstrip()
