"""The six runs of the four participants, each in the format its participant happens to use."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from demo_benchmark.descriptors import (
    chance_distances,
    d2_distances,
    fused_distances,
    global_distances,
    sector_distances,
    silhouette_distances,
)
from demo_benchmark.sampling import Sample

Distances = NDArray[np.float64]

TRUNCATED = 40
"""Models that Cedar lists per query: a third of the collection, so that recall ends early and can be seen to."""

UNANSWERED = "Q15"
"""The query that Cedar hands in nothing for: a sketch of a bird."""


def write_runs(
    folder: Path, queries: Sequence[str], models: Sequence[str], asked: list[Sample], known: list[Sample]
) -> None:
    """Compute all runs and write them below `folder`; equal distances are in the order of the names."""
    write_lists(folder / "A1", queries, models, np.round(d2_distances(asked, known), 3), "{id} {distance:.3f}")
    write_lists(folder / "A2", queries, models, sector_distances(asked, known), "{distance:.6e}\t{id}", headed=True)
    write_text_matrix(folder / "B1.txt", silhouette_distances(asked, known, views=1))
    write_npy(folder / "B2.npy", fused_distances(asked, known))
    answered = [place for place, query in enumerate(queries) if query != UNANSWERED]
    distances = global_distances(asked, known)[answered]
    write_lists(folder / "C1", [queries[place] for place in answered], models, distances, "{id}", length=TRUNCATED)
    write_trec(folder / "R1.run", queries, models, chance_distances(len(queries), len(models)))


def write_lists(
    folder: Path,
    queries: Sequence[str],
    models: Sequence[str],
    distances: Distances,
    line: str,
    *,
    headed: bool = False,
    length: int | None = None,
) -> None:
    """One file a query, named after it, best first.

    Parameters
    ----------
    line : format of a line, of ``id`` and ``distance``.
    headed : whether the first line holds the query's name.
    length : models listed; None for all.
    """
    folder.mkdir(parents=True)
    for query, row in zip(queries, rounded(distances), strict=True):
        order = np.argsort(row, kind="stable")[:length]
        lines = [line.format(id=models[place], distance=row[place]) for place in order]
        (folder / query).write_text(
            "\n".join([query, *lines] if headed else lines) + "\n", encoding="ascii", newline="\n"
        )


def write_text_matrix(path: Path, distances: Distances) -> None:
    """Queries x models in plain text, columns in the order of the names."""
    rows = [" ".join(f"{value:.6f}" for value in row) for row in rounded(distances)]
    path.write_text("\n".join(rows) + "\n", encoding="ascii", newline="\n")


def write_npy(path: Path, distances: Distances) -> None:
    """Queries x models as a float32 array, columns in the order of the names."""
    with path.open("wb") as file:
        np.lib.format.write_array(file, rounded(distances).astype("<f4"), version=(1, 0))


def write_trec(path: Path, queries: Sequence[str], models: Sequence[str], distances: Distances) -> None:
    """``query Q0 model rank score tag``; the score is the negative distance."""
    lines = []
    for query, row in zip(queries, rounded(distances), strict=True):
        for rank, place in enumerate(np.argsort(row, kind="stable"), start=1):
            lines.append(f"{query} Q0 {models[place]} {rank} {-row[place]:.6f} {path.stem}")
    path.write_text("\n".join(lines) + "\n", encoding="ascii", newline="\n")


def rounded(distances: Distances) -> Distances:
    """To six decimals, so that the last bits of a processor's arithmetic decide no rank."""
    return np.round(distances, 6) + 0.0
