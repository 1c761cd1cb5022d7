"""The selected query, runs, rank and measure, as a frozen record."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from shrec_viewer.domain import Benchmark

NOTHING = -1
"""`Selection.query` and `Selection.run` where the benchmark has none, or none is open."""

MAX_SHOWN_RUNS = 24
"""Runs drawn from the start: eight colours times three dashes can still be told apart (UX.md §6)."""


@dataclass(frozen=True)
class Selection:
    """What every view shows.

    Attributes
    ----------
    query : place of the query in the benchmark, or `NOTHING`.
    run : place of the run whose list is shown, or `NOTHING`.
    compared : place of the run it is compared with; None for none.
    shown_runs : runs that graphs draw, in ascending order; all others are hidden, the selected one too. Empty: the
        selected run alone, whichever it is.
    rank : 1-based rank of the model that is looked at in the list of `run`, or None.
    model : place in the collection of the model that is looked at where there is no list, or None.
    measure : key of the measure that is looked at; "" for the one that the profile puts first.
    means : the graphs show means over all queries instead of `query`.
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
    def drawn_runs(self) -> tuple[int, ...]:
        """The runs that graphs draw, ascending; never none where a run is selected."""
        alone = () if self.run == NOTHING else (self.run,)
        return self.shown_runs or alone

    @property
    def needed_runs(self) -> tuple[int, ...]:
        """The runs whose curves are needed: those drawn, and the selected one, along which places turn into ranks."""
        return tuple(sorted({*self.drawn_runs, self.run} - {NOTHING}))


def initial_selection(benchmark: Benchmark) -> Selection:
    """The first query and the first run, with all curves that can be told apart."""
    n_runs = len(benchmark.runs)
    return Selection(
        query=0 if len(benchmark.queries) else NOTHING,
        run=0 if n_runs else NOTHING,
        shown_runs=tuple(range(min(n_runs, MAX_SHOWN_RUNS))),
    )


def with_changes(old: Selection, requests: Mapping[str, Any]) -> Selection:
    """`old` with those fields replaced that `requests` names with something other than None.

    Another query starts without a rank; another run keeps it, so that two runs can be compared place by place.
    """
    given = {name: value for name, value in requests.items() if value is not None}
    if given.get("query", old.query) != old.query:
        given = {"rank": None, **given}
    return replace(old, **given)


def restricted_to(wanted: Selection, present: Selection, benchmark: Benchmark) -> Selection:
    """`wanted`, but what `benchmark` does not have stays as it is in `present`.

    The run compared may be `NOTHING`: then there is none. A click can arrive after the folder it was meant for has been
    closed; such a wish is not worth an error.
    """
    n_runs = len(benchmark.runs)
    compared = None if wanted.compared == NOTHING else wanted.compared
    rank, model = wanted.rank, wanted.model
    return replace(
        wanted,
        query=wanted.query if 0 <= wanted.query < len(benchmark.queries) else present.query,
        run=wanted.run if 0 <= wanted.run < n_runs else present.run,
        compared=compared if compared is None or 0 <= compared < n_runs else present.compared,
        shown_runs=tuple(sorted({run for run in wanted.shown_runs if 0 <= run < n_runs})),
        rank=rank if rank is None or rank >= 1 else present.rank,
        model=model if model is None or 0 <= model < len(benchmark.collection) else present.model,
    )
