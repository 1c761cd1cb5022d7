"""The selected query, runs, rank and measure; the rank cursor and other short-lived state."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.domain import Benchmark

#: `Selection.query` and `Selection.run` where the benchmark has none, or none is open.
NOTHING = -1

#: Runs shown at first: eight colours times three dashes can be distinguished.
MAX_SHOWN_RUNS = 24


@dataclass(frozen=True)
class Selection:
    """What the views show.

    Attributes
    ----------
    query : index of the query in the benchmark, or `NOTHING`.
    run : index of the run whose list is shown, or `NOTHING`.
    compared : index of the run it is compared with, or None.
    shown_runs : indices of the runs shown in plots, ascending. Empty: only the selected run.
    rank : selected 1-based rank in the list of `run`, or None.
    model : index in the collection of the selected model where it has no rank, or None.
    measure : key of the selected measure; "" for the profile's headline measure.
    means : plots and the table of runs show means instead of `query`.
    mean_over : what these means are over, ``"queries"`` or ``"classes"``.
    cause : cause of the error budget whose models alone are shown; "" for all.
    within : indices of the models that alone are shown, such as those in a lasso on the map, ascending; () for all.
    groups : groups of runs, of each of which one member is in tests; patterns of their names.
    slice : name of the slice over whose queries these means are; "" for all queries.
    """

    query: int = NOTHING
    run: int = NOTHING
    compared: int | None = None
    shown_runs: tuple[int, ...] = ()
    rank: int | None = None
    model: int | None = None
    measure: str = ""
    means: bool = False
    mean_over: str = "queries"
    cause: str = ""
    within: tuple[int, ...] = ()
    slice: str = ""
    groups: tuple[str, ...] = ()

    @property
    def scores_of(self) -> str:
        """What scores are of: ``"query"``, or `mean_over`; also where there is no query."""
        if not self.means and self.query != NOTHING:
            return "query"
        return self.mean_over

    @property
    def visible_runs(self) -> tuple[int, ...]:
        """`shown_runs`, or the selected run if it is empty; empty only if no run is selected."""
        selected = () if self.run == NOTHING else (self.run,)
        return self.shown_runs or selected

    @property
    def needed_runs(self) -> tuple[int, ...]:
        """Indices of the runs to compute curves for: visible runs, and the selected run for converting x to ranks."""
        return tuple(sorted({*self.visible_runs, self.run} - {NOTHING}))


def initial_selection(benchmark: Benchmark) -> Selection:
    """The first run, the first query that it has results for, and the first `MAX_SHOWN_RUNS` runs shown."""
    n_runs = len(benchmark.runs)
    return Selection(
        query=first_query(benchmark, 0),
        run=0 if n_runs else NOTHING,
        shown_runs=tuple(range(min(n_runs, MAX_SHOWN_RUNS))),
    )


def first_query(benchmark: Benchmark, run: int) -> int:
    """Index of the first query that a run has results for, 0 if there is none; `NOTHING` without queries."""
    if not len(benchmark.queries):
        return NOTHING
    return int(benchmark.runs[run].present.argmax()) if benchmark.runs else 0


def with_changes(old: Selection, changes: Mapping[str, Any]) -> Selection:
    """A copy of `old` with `changes`; values that are None are ignored.

    Another query resets the rank, and a rank the model; another run keeps the rank, so that two runs can be compared
    rank by rank. Run A and run B change places where one is selected as the other.
    """
    given = {name: value for name, value in changes.items() if value is not None}
    if "model" in given or given.get("query", old.query) != old.query:
        given = {"rank": None, **given}
    if given.get("rank") is not None:
        given = {"model": None, **given}
    if old.compared is not None and old.compared != old.run:
        if given.get("run") == old.compared:
            given = {"compared": old.run, **given}
        elif given.get("compared") == old.run:
            given = {"run": old.compared, **given}
    # Equal values stay the same objects, as `Document.differs` compares objects.
    return replace(old, **{name: value for name, value in given.items() if value != getattr(old, name)})


def restricted_to(requested: Selection, current: Selection, benchmark: Benchmark) -> Selection:
    """`requested`, with the values of `current` for indices that `benchmark` does not have.

    `compared` may be `NOTHING` for none. Indices out of range are not an error, as a click may be delivered after its
    benchmark was closed.
    """
    n_runs = len(benchmark.runs)
    compared = None if requested.compared == NOTHING else requested.compared
    rank, model = requested.rank, requested.model
    return replace(
        requested,
        query=requested.query if 0 <= requested.query < len(benchmark.queries) else current.query,
        run=requested.run if 0 <= requested.run < n_runs else current.run,
        compared=compared if compared is None or 0 <= compared < n_runs else current.compared,
        shown_runs=tuple(sorted({run for run in requested.shown_runs if 0 <= run < n_runs})),
        rank=rank if rank is None or rank >= 1 else current.rank,
        model=model if model is None or 0 <= model < len(benchmark.collection) else current.model,
        within=requested.within if max(requested.within, default=-1) < len(benchmark.collection) else current.within,
    )


def carry_selection(
    selection: Selection,
    old: Benchmark,
    new: Benchmark,
    old_runs: Sequence[object] | None = None,
    new_runs: Sequence[object] | None = None,
) -> Selection:
    """`selection` of the benchmark `old` for its reloaded version `new`; the initial values for what was removed.

    Runs are matched by name, queries and models by id. New runs are shown if all runs were shown before. The rank is
    kept only for the same query.

    Parameters
    ----------
    old_runs, new_runs : values by which runs are matched instead of their names, one per run.
    """
    initial = initial_selection(new)
    old_runs = [run.name for run in old.runs] if old_runs is None else old_runs
    new_runs = [run.name for run in new.runs] if new_runs is None else new_runs
    query = _new_index(selection.query, old.queries.ids, new.queries.ids)
    run = _new_index(selection.run, old_runs, new_runs)
    compared = None if selection.compared is None else _new_index(selection.compared, old_runs, new_runs)
    model = None if selection.model is None else _new_index(selection.model, old.collection.ids, new.collection.ids)
    shown = {
        index for old_index in selection.shown_runs if (index := _new_index(old_index, old_runs, new_runs)) is not None
    }
    if len(selection.shown_runs) == len(old_runs):
        shown |= {index for index in initial.shown_runs if new_runs[index] not in old_runs}
    return replace(
        selection,
        query=initial.query if query is None else query,
        run=initial.run if run is None else run,
        compared=compared,
        shown_runs=tuple(sorted(shown)),
        rank=None if query is None else selection.rank,
        model=model,
        within=selection.within if old.collection.ids == new.collection.ids else (),
    )


def _new_index(index: int, old: Sequence[object], new: Sequence[object]) -> int | None:
    """Index in `new` of the name at `index` in `old`, or None."""
    if not 0 <= index < len(old) or old[index] not in new:
        return None
    return index if index < len(new) and new[index] == old[index] else new.index(old[index])


@dataclass(frozen=True)
class CalculationTarget:
    """A score shown in the Calculation panel.

    Attributes
    ----------
    measure : key of the measure.
    run : index of the run.
    query : index of the query; `NOTHING` for a mean.
    over : what a mean is taken over, ``"queries"`` or ``"classes"``.
    """

    measure: str
    run: int
    query: int = NOTHING
    over: str = "queries"


class CursorState(QObject):
    """Short-lived state shared by the views; unlike the selection it is not part of the history or of projects.

    The cursor is the rank under the mouse, else the selected rank. Views call `hover` with the rank under the mouse,
    and with None when the mouse leaves; the session calls `set_selected_rank`.

    Attributes
    ----------
    hovered_model : index of the model under the mouse if it is not in the list of the selected run, or None.
    marks : 1-based ranks that the number with the shown calculation depends on, ascending; empty without one.
    calculation_target : the score shown in the Calculation panel, or None.
    doublings : -log2 of the generality for which precision-recall curves are shown; None for that of the collection.
    hidden_former : scores beside which the curves before the edits are hidden, or None.
    requested_lists : indices of the runs whose lists should be shown side by side; empty before any were requested.

    Signals
    -------
    cursor_changed(rank)
        1-based rank in the list of the selected run and query, or None; also emitted when `hovered_model` was replaced.
    run_hovered(run)
        Index of the run whose curve, legend entry or table row is under the mouse, or None.
    marks_changed()
        `marks` was replaced.
    calculation_target_changed()
        `calculation_target` was replaced.
    former_hidden()
        `hidden_former` was replaced.
    generality_changed()
        `doublings` was replaced.
    view_requested(key)
        A panel or perspective (key of `PANELS` or `PERSPECTIVES`) should be shown; panels do not know the window.
    help_requested(key)
        The help page of this measure should be shown; "" for the list of all measures.
    note_requested()
        The note of the selected query should be edited.
    colour_requested(run)
        A colour for the run with this index should be chosen.
    measure_requested()
        A measure should be added to the tables.
    runs_requested()
        Runs should be added to the benchmark.
    lists_requested()
        `requested_lists` was replaced.
    """

    cursor_changed = Signal(object)
    run_hovered = Signal(object)
    marks_changed = Signal()
    calculation_target_changed = Signal()
    former_hidden = Signal()
    generality_changed = Signal()
    view_requested = Signal(str)
    help_requested = Signal(str)
    note_requested = Signal()
    colour_requested = Signal(int)
    measure_requested = Signal()
    runs_requested = Signal()
    lists_requested = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._hovered: int | None = None
        self._selected: int | None = None
        self.hovered_model: int | None = None
        self._hovered_run: int | None = None
        self.marks: tuple[int, ...] = ()
        self.calculation_target: CalculationTarget | None = None
        self.doublings: float | None = None
        self.hidden_former: object = None
        self.requested_lists: tuple[int, ...] = ()

    @property
    def cursor(self) -> int | None:
        """1-based rank that every view marks, or None."""
        return self._selected if self._hovered is None else self._hovered

    def request_lists(self, runs: Sequence[int]) -> None:
        """Request the lists of these runs, A and B first, side by side; the panel may be made later."""
        self.requested_lists = tuple(runs)
        self.lists_requested.emit()

    def show_generality(self, doublings: float | None) -> None:
        """Show curves for this -log2 of the generality; None for that of the collection."""
        if doublings != self.doublings:
            self.doublings = doublings
            self.generality_changed.emit()

    def hide_former(self, scores: object) -> None:
        """Hide the curves before the edits until there are other scores than these."""
        self.hidden_former = scores
        self.former_hidden.emit()

    @Slot(object)
    def hover(self, rank: int | None) -> None:
        """Set the 1-based rank under the mouse; None for none."""
        self._set(rank, self._selected)

    def hover_model(self, model: int) -> None:
        """Set `hovered_model`; no rank is under the mouse."""
        self._set(None, self._selected, model)

    def hover_run(self, run: int | None) -> None:
        """Set the index of the run under the mouse; None for none."""
        if run != self._hovered_run:
            self._hovered_run = run
            self.run_hovered.emit(run)

    def set_selected_rank(self, rank: int | None) -> None:
        """Set the selected rank; it is the cursor until the mouse moves."""
        self._set(None, rank)

    def mark(self, ranks: Sequence[int]) -> None:
        """Mark these 1-based ranks in the list."""
        marks = tuple(sorted({int(rank) for rank in ranks}))
        if marks != self.marks:
            self.marks = marks
            self.marks_changed.emit()

    def show_calculation(self, target: CalculationTarget | None) -> None:
        """Show the calculation of this number; None for that of the selection."""
        if target != self.calculation_target:
            self.calculation_target = target
            self.calculation_target_changed.emit()

    def request_view(self, key: str) -> None:
        """Emit `view_requested`."""
        self.view_requested.emit(key)

    def request_help(self, key: str) -> None:
        """Emit `help_requested`."""
        self.help_requested.emit(key)

    @Slot()
    def request_measure(self) -> None:
        """Emit `measure_requested`."""
        self.measure_requested.emit()

    def clear(self) -> None:
        """Reset cursor, hovered run, marks and calculation; called when another benchmark is opened."""
        self._set(None, None)
        self.hover_run(None)
        self.mark(())
        self.show_calculation(None)
        self.show_generality(None)
        self.requested_lists = ()

    def _set(self, hovered: int | None, selected: int | None, model: int | None = None) -> None:
        before = (self.cursor, self.hovered_model)
        self._hovered, self._selected, self.hovered_model = hovered, selected, model
        if (self.cursor, model) != before:
            self.cursor_changed.emit(self.cursor)
