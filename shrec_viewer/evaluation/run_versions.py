"""Versions of runs: records of their present lists, former versions as runs, their scores, and what changed."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, DistanceMatrix, RankedLists, Run, ShrecViewerError
from shrec_viewer.evaluation.evaluate import evaluate, make_checkpoint, never_cancelled
from shrec_viewer.evaluation.ranked_list import ListHeads
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.runs.version_store import (
    StoredVersion,
    VersionRecord,
    VersionStore,
    collection_digest,
    content_digest,
    lists_digest,
)
from shrec_viewer.metrics import PROFILES, Profile

#: Entries of the lists of a version: 5 MB when compressed. 30 queries of 1,814 models have 54,000.
MAX_ENTRIES = 2_500_000

#: Distances of a matrix that are sorted for a version, in 10 s; of larger ones only the scores are kept.
MAX_SORTED = 150_000_000

#: Ranks that are compared for the models that entered and left, unless the query has more relevant models.
MAX_ENTERED = 20


def record_version(
    benchmark: Benchmark, run: Run, scores: Scores | None, *, cancelled: Callable[[], bool] = never_cancelled
) -> VersionRecord:
    """The present version of a run.

    The lists are those of the default profile with the query itself, so that they do not depend on the profile chosen.

    Parameters
    ----------
    scores : scores of `run`, among others; None without a relevance assessment.

    Raises
    ------
    Cancelled
        If `cancelled` returned True.
    FormatError
        When a large matrix has changed since it was read.
    """
    lists, is_complete = _first_ranks(benchmark, run, cancelled)
    means: dict[str, float] = {}
    if scores is not None and run.name in scores.runs:
        own = scores.select_runs([scores.run_index(run.name)])
        means = dict(zip((measure.key for measure in scores.measures), own.mean()[0].tolist(), strict=True))
    found = content_digest(run.source)
    return VersionRecord(
        run=run.name,
        participant=run.participant,
        time=time.time(),
        hash=found,
        digest=lists_digest(lists) if lists is not None else found,
        collection=collection_digest(benchmark),
        profile="" if scores is None else scores.profile.key,
        means=means,
        lists=lists,
        is_complete=is_complete,
    )


def _first_ranks(benchmark: Benchmark, run: Run, cancelled: Callable[[], bool]) -> tuple[RankedLists | None, bool]:
    """The first ranks of each list, and whether they are all; None where there are too many distances to sort."""
    n_queries, ranking = len(benchmark.queries), run.ranking
    if isinstance(ranking, DistanceMatrix) and ranking.values.size > MAX_SORTED:
        return None, False
    neutral = replace(PROFILES[0], self_match="keep", unknown="keep", list_cut=None)
    depth = max(MAX_ENTRIES // max(n_queries, 1), 100)
    checkpoint = make_checkpoint(cancelled)
    rows: list[NDArray[np.int32]] = []
    is_complete = True
    heads = ListHeads(benchmark, run, neutral)
    for query in range(n_queries):
        checkpoint()
        items = heads.head(query, depth + 1).items
        is_complete &= len(items) <= depth
        rows.append(items[:depth])
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    items = np.concatenate([np.zeros(0, np.int32), *rows])
    return RankedLists(indptr, items, None, run.present.copy()), is_complete


def version_title(record: VersionRecord, others: Sequence[VersionRecord] = ()) -> str:
    """Name of a version: the run, and the local time; with the date if it is another day than today.

    With seconds where another one has the same name otherwise.
    """
    title, full = _titles(record)
    return full if any(other is not record and _titles(other)[0] == title for other in others) else title


def _titles(record: VersionRecord) -> tuple[str, str]:
    when = datetime.fromtimestamp(record.time).astimezone()
    day = "" if when.date() == datetime.now().astimezone().date() else f"{when:%Y-%m-%d} "
    return f"{record.run} · {day}{when:%H:%M}", f"{record.run} · {day}{when:%H:%M:%S}"


def version_run(version: StoredVersion, benchmark: Benchmark, title: str) -> Run | None:
    """A version with its lists as a run; None if it has none, or is of other models or queries."""
    record = version.record
    if record.lists is None or record.collection != collection_digest(benchmark):
        return None
    items = record.lists.items
    if len(record.lists) != len(benchmark.queries) or np.any(items >= len(benchmark.collection)) or np.any(items < -1):
        return None
    return Run(title, record.participant, version.file, record.lists)


def version_means(
    store: VersionStore,
    versions: Sequence[StoredVersion],
    benchmark: Benchmark,
    profile: Profile,
    measure: str,
    *,
    cancelled: Callable[[], bool] = never_cancelled,
) -> tuple[float, ...]:
    """Mean of each version under a profile: from its lists if they are complete, else as it was recorded, or NaN."""
    means = [_recorded(version.record, profile, measure) for version in versions]
    runs: dict[int, Run] = {}
    for index, version in enumerate(versions):
        if version.record.is_complete and benchmark.assessment is not None:
            run = version_run(store.load(version), benchmark, f"{index}")
            runs |= {} if run is None else {index: run}
    if runs:
        shown = replace(benchmark, runs=tuple(runs.values()))
        found = evaluate(shown, profile, measures=[measure], cancelled=cancelled).mean()[:, 0]
        for index, mean in zip(runs, found.tolist(), strict=True):
            means[index] = mean
    return tuple(means)


#: Digits of a hash that name a version, at least.
MIN_HASH = 4


def find_versions(store: VersionStore, digits: str, run: str = "") -> list[StoredVersion]:
    """Versions whose hash begins with these digits, of one run or of all; the newest of equal ones of a run."""
    found: dict[tuple[str, str], StoredVersion] = {}
    for name in (run,) if run else store.runs():
        for version in store.history(name).versions if len(digits) >= MIN_HASH else ():
            if version.record.hash.startswith(digits.lower()):
                found[name, version.record.hash] = version
    return list(found.values())


def with_versions(store: VersionStore, benchmark: Benchmark, names: Sequence[str]) -> Benchmark:
    """The benchmark with a run for each name ``RUN@HASH``, or ``@HASH`` of any run, that is no name of a run.

    Raises
    ------
    ShrecViewerError
        If there is no such version, several begin with these digits, or it has no lists of these models and queries.
    """
    known = {run.name for run in benchmark.runs}
    added: dict[str, Run] = {}
    for name in names:
        run, sign, digits = name.rpartition("@")
        if name in known or not sign:
            continue
        found = find_versions(store, digits, run)
        if len(found) != 1:
            of = f" of '{run}'" if run else ""
            what = f"{len(found)} versions{of} begin with" if found else f"there is no version{of} that begins with"
            raise ShrecViewerError(
                f"{what} '{digits}' (at least {MIN_HASH} digits); `shrec-viewer history BENCHMARK RUN` lists them"
            )
        title = name if run else f"{found[0].record.run}@{digits}"
        version = version_run(store.load(found[0]), benchmark, title)
        if version is None:
            raise ShrecViewerError(f"the version {title} was kept without lists, or the models or queries have changed")
        added[title] = version
    return replace(benchmark, runs=(*benchmark.runs, *added.values())) if added else benchmark


def with_baselines(store: VersionStore, benchmark: Benchmark, runs: Sequence[tuple[str, str]]) -> Benchmark | None:
    """The benchmark with the version that is the baseline of each run as its only runs; None if no run has one.

    Parameters
    ----------
    runs : name of each run in the result, and in the store.
    """
    found: list[Run] = []
    for name, key in runs:
        baseline = next((version for version in store.history(key).versions if version.baseline), None)
        if baseline is not None and (run := version_run(store.load(baseline), benchmark, name)) is not None:
            found.append(run)
    return replace(benchmark, runs=tuple(found)) if found else None


def _recorded(record: VersionRecord, profile: Profile, measure: str) -> float:
    return record.means.get(measure, float("nan")) if record.profile == profile.key else float("nan")


@dataclass(frozen=True)
class EnteredModels:
    """Models of the first ranks of one of two lists only, in the order of the lists.

    Attributes
    ----------
    scope : number of ranks compared.
    entered, left : models (indices) that the later list has, or had, within them.
    """

    scope: int
    entered: tuple[int, ...]
    left: tuple[int, ...]


def entered_models(
    benchmark: Benchmark, before: Run, after: Run, query: int, profile: Profile, scope: int | None = None
) -> EnteredModels:
    """Models that entered and left the first ranks of a list between two versions of a run.

    Parameters
    ----------
    scope : number of ranks; None for `MAX_ENTERED`.
    """
    scope = MAX_ENTERED if scope is None else scope
    old, new = (ListHeads(benchmark, run, profile).head(query, scope).items.tolist() for run in (before, after))
    entered, left = (item for item in new if item not in set(old)), (item for item in old if item not in set(new))
    return EnteredModels(scope, tuple(entered), tuple(left))


def history_document(
    run: str, measure: str, versions: Sequence[StoredVersion], means: Sequence[float]
) -> dict[str, Any]:
    """``shrec-viewer/history/1``, oldest version first."""
    return {
        "schema": "shrec-viewer/history/1",
        "run": run,
        "measure": measure,
        "versions": [
            {
                "time": iso_time(version.record.time),
                "hash": version.record.hash,
                "mean": None if np.isnan(mean) else mean,
                "note": version.note,
                "baseline": version.baseline,
            }
            for version, mean in zip(versions, means, strict=True)
        ],
    }


def iso_time(seconds: float) -> str:
    """Time in UTC, ISO 8601: ``2026-11-23T14:03:05.123Z``."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def stored_folder(path: Path) -> Path:
    """Folder of the store below the folder of user data."""
    return path / "versions"
