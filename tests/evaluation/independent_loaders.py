"""Small loaders of real contest folders for tests, independent of the package `formats` on purpose."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from shrec_viewer.domain import (
    Benchmark,
    ClassAssessment,
    Classification,
    Collection,
    DistanceMatrix,
    PairAssessment,
    Queries,
    QueryKind,
    RankedLists,
    Run,
)

DATA = Path(__file__).parents[2] / "../shared/data"


def data_folder(name: str) -> Path:
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"the real data folder '{name}' is not available")
    return folder


def read_classification(path: Path) -> tuple[tuple[str, ...], Classification]:
    """Model ids in file order, and the tree."""
    tokens = iter(path.read_text().split()[2:])
    n_classes, n_models = int(next(tokens)), int(next(tokens))
    names: list[str] = []
    parents: list[int] = []
    ids: list[str] = []
    labels: list[int] = []
    for label in range(n_classes):
        names.append(next(tokens))
        parent = next(tokens)
        parents.append(-1 if parent == "0" else names.index(parent))
        size = int(next(tokens))
        ids += [next(tokens) for _ in range(size)]
        labels += [label] * size
    assert len(ids) == n_models
    return tuple(ids), Classification(np.array(labels, np.int32), tuple(names), np.array(parents, np.int32))


def collection_of(ids: tuple[str, ...]) -> Collection:
    return Collection(ids, (None,) * len(ids))


def queries_of(ids: tuple[str, ...], labels: np.ndarray, member: np.ndarray) -> Queries:
    n = len(ids)
    return Queries(ids, (None,) * n, (QueryKind.NONE,) * n, member.astype(np.int32), labels.astype(np.int32))


def pairs_of(rows: list[dict[int, int]]) -> PairAssessment:
    """From one dict {model: level} a query."""
    items = [np.array(sorted(row), np.int32) for row in rows]
    levels = [np.array([row[item] for item in sorted(row)], np.uint8) for row in rows]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    empty = np.zeros(0, np.int32)
    return PairAssessment(indptr, np.concatenate([empty, *items]), np.concatenate([empty.astype(np.uint8), *levels]))


def lists_of(rows: list[list[int] | None], distances: list[list[float]] | None = None, by_score: bool = False):
    """Ranked lists from one list of models a query, None for a missing one."""
    indptr = np.concatenate([[0], np.cumsum([len(row or ()) for row in rows])]).astype(np.int64)
    items = np.array([item for row in rows for item in row or ()], np.int32)
    flat = None if distances is None else np.array([d for row in distances for d in row], np.float64)
    return RankedLists(indptr, items, flat, np.array([row is not None for row in rows]), by_score)


@cache
def load_shrec06() -> Benchmark:
    folder = data_folder("shrec06")
    ids, tree = read_classification(folder / "classification.cla")
    collection = collection_of(ids)
    query_rows = [line.split(",") for line in (folder / "queries.csv").read_text().splitlines()[1:]]
    queries = tuple(row[0] for row in query_rows)
    labels = np.array([tree.names.index(row[3]) for row in query_rows])
    levels: dict[str, dict[int, int]] = {query: {} for query in queries}
    for line in (folder / "qrels.txt").read_text().splitlines():
        query, _, model, level = line.split()
        if int(level) > 0:
            levels[query][collection.index[model]] = int(level)
    present_models = sorted(path.stem for path in (folder / "models").glob("*.off"))
    runs = []
    for line in (folder / "runs.csv").read_text().splitlines()[1:]:
        name, participant, path = line.split(",")[:3]
        source = folder / path
        if source.suffix in (".txt", ".npy"):
            by_name = sorted(ids) if source.suffix == ".npy" else present_models
            values = np.load(source, mmap_mode="r") if source.suffix == ".npy" else np.loadtxt(source)
            columns = np.array([collection.index[model] for model in by_name], np.int32)
            ranking = DistanceMatrix(values, np.arange(len(queries), dtype=np.int32), columns)
        elif source.suffix == ".run":
            ranking = _trec(source, queries, collection)
        else:
            ranking = _folder(source, queries, collection)
        runs.append(Run(name, participant, source, ranking))
    return Benchmark(
        name="shrec06",
        root=folder,
        collection=collection,
        queries=queries_of(queries, labels, np.full(len(queries), -1)),
        assessment=pairs_of([levels[query] for query in queries]),
        classification=tree,
        runs=tuple(runs),
        profile="shrec2006",
    )


def _folder(folder: Path, queries: tuple[str, ...], collection: Collection) -> RankedLists:
    rows: list[list[int] | None] = []
    for query in queries:
        if not (folder / query).exists():
            rows.append(None)
            continue
        row = []
        for line in (folder / query).read_text().splitlines():
            ids = [token for token in line.split() if token.startswith("N")]
            row += [collection.index.get(ids[0], -1)] if ids else []
        rows.append(row)
    return lists_of(rows)


def _trec(path: Path, queries: tuple[str, ...], collection: Collection) -> RankedLists:
    rows: dict[str, list[int]] = {query: [] for query in queries}
    distances: dict[str, list[float]] = {query: [] for query in queries}
    for line in path.read_text().splitlines():
        query, _, model, _, score, _ = line.split()
        rows[query].append(collection.index[model])
        distances[query].append(-float(score))
    return lists_of([rows[q] for q in queries], [distances[q] for q in queries], by_score=True)


@cache
def load_psb() -> Benchmark:
    folder = data_folder("psb_d2")
    ids, tree = read_classification(folder / "test.cla")
    n = len(ids)
    values = np.memmap(folder / "d2_l1_test.matrix", "<f4", "r", shape=(n, n))
    ranking = DistanceMatrix(values, np.arange(n, dtype=np.int32), np.arange(n, dtype=np.int32))
    return Benchmark(
        name="psb_d2",
        root=folder,
        collection=collection_of(ids),
        queries=queries_of(ids, tree.labels, np.arange(n)),
        assessment=ClassAssessment(tree, tree.labels),
        classification=tree,
        runs=(Run("D2", "baseline", folder / "d2_l1_test.matrix", ranking),),
        profile="psb",
    )


@cache
def load_culture() -> Benchmark:
    """Real submissions to SHREC 2021: separate queries and targets, whose ids are row and column numbers."""
    folder = data_folder("shrec2021_culture")
    ids, targets = read_classification(folder / "datasetCulture.cla")
    query_ids, query_classes = read_classification(folder / "queryCulture.cla")
    labels = np.array([targets.names.index(query_classes.names[label]) for label in query_classes.labels], np.int32)
    index = {name: place for place, name in enumerate(ids)}
    columns = np.array([index[str(number)] for number in range(len(ids))], np.int32)
    rows = np.array([int(name) for name in query_ids], np.int32)
    runs = [
        Run(path.stem, path.stem, path, DistanceMatrix(np.loadtxt(path), rows, columns))
        for path in sorted((folder / "testCulture").glob("*.txt"))
    ]
    return Benchmark(
        name="culture",
        root=folder,
        collection=collection_of(ids),
        queries=queries_of(query_ids, labels, np.full(len(query_ids), -1)),
        assessment=ClassAssessment(targets, labels),
        classification=targets,
        runs=tuple(runs),
    )
