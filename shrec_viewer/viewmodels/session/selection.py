"""The selected query, runs, rank and measure, as a frozen record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shrec_viewer.domain import Benchmark

NOTHING = -1
"""`Selection.query` and `Selection.run` where the benchmark has none, or none is open."""

MAX_SHOWN_RUNS = 24
"""Runs shown at first: eight colours times three dashes can be distinguished (UX.md §6)."""


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
    model : index in the collection of the selected model where there are no lists, or None.
    measure : key of the selected measure; "" for the profile's headline measure.
    means : plots show means over all queries instead of `query`.
    """

    query: int = NOTHING
    run: int = NOTHING
    compared: int | None = None
    shown_runs: tuple[int, ...] = ()
    rank: int | None = None
    model: int | None = None
    measure: str = ""
    means: bool = False

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
    """The first query, the first run, and the first `MAX_SHOWN_RUNS` runs shown."""
    n_runs = len(benchmark.runs)
    return Selection(
        query=0 if len(benchmark.queries) else NOTHING,
        run=0 if n_runs else NOTHING,
        shown_runs=tuple(range(min(n_runs, MAX_SHOWN_RUNS))),
    )


def with_changes(old: Selection, changes: Mapping[str, Any]) -> Selection:
    """A copy of `old` with `changes`; values that are None are ignored.

    Another query resets the rank; another run keeps it, so that two runs can be compared rank by rank.
    """
    given = {name: value for name, value in changes.items() if value is not None}
    if given.get("query", old.query) != old.query:
        given = {"rank": None, **given}
    return replace(old, **given)


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
    )


def carry_selection(selection: Selection, old: Benchmark, new: Benchmark) -> Selection:
    """`selection` of the benchmark `old` for its reloaded version `new`; the initial values for what was removed.

    Runs are matched by name, queries and models by id. New runs are shown if all runs were shown before. The rank is
    kept only for the same query.
    """
    initial = initial_selection(new)
    old_runs, new_runs = [run.name for run in old.runs], [run.name for run in new.runs]
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
    )


def _new_index(index: int, old: Sequence[str], new: Sequence[str]) -> int | None:
    """Index in `new` of the name at `index` in `old`, or None."""
    if not 0 <= index < len(old) or old[index] not in new:
        return None
    return index if index < len(new) and new[index] == old[index] else new.index(old[index])
