"""Five synthetic contests of realistic size, written in the formats of contests.

``python tests/bench/workloads.py FOLDER [--models N]`` writes the largest one, of a million models.
"""

import argparse
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SEED = 2006
CHUNK = 200
"""Queries per block of output."""


@dataclass(frozen=True)
class Workload:
    """One contest on disk.

    Attributes
    ----------
    key, title : "a", and what it is in a few words.
    folder : what the program opens.
    profile : conventions to evaluate under.
    qrels, trec_runs : the same contest as text, for programs that read only that; empty where that would not fit.
    matrices : matrix files of the folder.
    """

    key: str
    title: str
    folder: Path
    profile: str
    qrels: Path | None = None
    trec_runs: tuple[Path, ...] = ()
    matrices: tuple[Path, ...] = ()


def contest(root: Path) -> Workload:
    """(a) 17 runs, 30 external queries, 1,814 models, graded truth, as TREC text."""
    random = np.random.default_rng(SEED)
    models, queries = [f"N{i:04d}" for i in range(1, 1815)], [f"Q{i:02d}" for i in range(1, 31)]
    labels = random.integers(0, 90, len(models))
    folder = root / "a"
    (folder / "runs").mkdir(parents=True)
    levels = np.zeros((30, 1814), int)
    for query, label in enumerate(random.integers(0, 90, 30)):
        levels[query, labels == label] = 2
        levels[query, (labels // 2 == label // 2) & (labels != label)] = 1
    qrels = folder / "qrels.txt"
    rows = [f"{queries[q]} 0 {models[m]} {levels[q, m]}\n" for q, m in zip(*np.nonzero(levels), strict=True)]
    qrels.write_text("".join(rows))
    runs = []
    for number in range(17):
        scores = random.random(levels.shape) + levels * random.uniform(0.1, 0.4)
        runs.append(write_trec(folder / "runs" / f"M{number:02d}.run", queries, models, scores))
    return Workload("a", "17 runs x 30 queries x 1,814 models, TREC text", folder, "default", qrels, tuple(runs))


def self_retrieval(root: Path, text: bool, n_runs: int = 15) -> Workload:
    """(b) 15 runs, 1,200 models in 60 classes, each also a query, as Princeton matrices or TREC text."""
    random = np.random.default_rng(SEED + 1)
    names = [f"D{i:05d}" for i in range(1, 1201)]
    labels = np.repeat(np.arange(60), 20)
    folder = root / ("b-text" if text else "b")
    (folder / "runs").mkdir(parents=True)
    write_classification(folder / "classification.cla", names, labels)
    qrels = root / "b.qrels"
    if text:
        same = [(a, b) for a in range(1200) for b in np.flatnonzero(labels == labels[a]) if a != b]
        qrels.write_text("".join(f"{names[a]} 0 {names[b]} 1\n" for a, b in same))
    files = []
    for number in range(n_runs):
        nearness = random.uniform(0.2, 0.4) * (labels[:, None] == labels[None, :])
        distances = (1.0 + random.random((1200, 1200)) - nearness).astype(np.float32)
        np.fill_diagonal(distances, 0.0)
        if text:
            files.append(write_trec(folder / "runs" / f"M{number:02d}.run", names, names, -distances, own=False))
        else:
            files.append(folder / "runs" / f"M{number:02d}.matrix")
            distances.tofile(files[-1])
    title = f"{n_runs} runs x 1,200 x 1,200 models, {'TREC text' if text else 'float32 matrices'}"
    if text:
        return Workload("b-text", title, folder, "psb", qrels, tuple(files))
    return Workload("b", title, folder, "psb", matrices=tuple(files))


def core55(root: Path, n_models: int = 10_265, length: int = 1000) -> Workload:
    """(c) 10,265 queries, 1,000 models each, classes of up to 1,700 models, as TREC text with class labels or qrels."""
    random = np.random.default_rng(SEED + 2)
    sizes = 1.0 / np.arange(1, 56) ** 0.8
    labels = np.sort(random.choice(55, n_models, p=sizes / sizes.sum()))
    names = [f"{i:06d}" for i in range(n_models)]
    folder = root / "c"
    (folder / "runs").mkdir(parents=True)
    write_classification(folder / "classification.cla", names, labels)
    members = [np.flatnonzero(labels == label) for label in range(55)]
    qrels = root / "c.qrels"
    with qrels.open("w") as file:
        for query, name in enumerate(names):
            file.write("".join(f"{name} 0 {names[m]} 1\n" for m in members[labels[query]]))
    run = folder / "runs" / "M00.run"
    with run.open("w") as file:
        for start in range(0, n_models, CHUNK):
            queries = np.arange(start, min(start + CHUNK, n_models))
            scores = random.random((len(queries), n_models), np.float32)
            scores += 0.35 * (labels[queries, None] == labels[None, :])
            best = np.argpartition(-scores, length, axis=1)[:, :length]
            for row, query in enumerate(queries):
                order = best[row][np.argsort(-scores[row, best[row]])]
                file.write(trec_lines(names[query], [names[m] for m in order], scores[row, order]))
    return Workload("c", f"{n_models:,} queries x {length:,}, class labels", folder, "trec", qrels, (run,))


def large_matrix(root: Path, n_queries: int = 5000, n_models: int = 50_000) -> Workload:
    """(d) one matrix of 1 GB: 5,000 external queries, 50,000 models in 1,000 classes."""
    random = np.random.default_rng(SEED + 3)
    names, queries = [f"T{i:05d}" for i in range(n_models)], [f"Q{i:04d}" for i in range(n_queries)]
    labels = np.repeat(np.arange(1000), n_models // 1000)
    query_labels = np.sort(random.integers(0, 1000, n_queries))
    folder = root / "d"
    (folder / "runs").mkdir(parents=True)
    write_classification(folder / "classification.cla", names, labels)
    write_classification(folder / "queries.cla", queries, query_labels)
    path = folder / "runs" / "M00.npy"
    values = np.lib.format.open_memmap(path, "w+", np.float32, (n_queries, n_models))
    for start in range(0, n_queries, CHUNK):
        block = random.random((min(CHUNK, n_queries - start), n_models), np.float32)
        block -= 0.3 * (query_labels[start : start + CHUNK, None] == labels[None, :])
        values[start : start + CHUNK] = block
    values.flush()
    return Workload("d", f"{n_queries:,} x {n_models:,} float32, 1 GB", folder, "default", matrices=(path,))


def sharded_contest(root: Path, n_models: int = 1_000_000, n_queries: int = 2000, n_classes: int = 1000) -> Workload:
    """(e) a run of 8 GB in 8 blocks of models and one of 4 GB (float16) in 4 blocks of queries, 2,000 x 1,000,000.

    The models have meshes: links to a few files. Every block has random numbers of its own, so that the same files
    result from any number of threads.
    """
    folder = root / "e"
    names, queries = [f"T{i:07d}" for i in range(n_models)], [f"Q{i:04d}" for i in range(n_queries)]
    labels = np.arange(n_models) * n_classes // n_models
    query_labels = np.sort(np.random.default_rng(SEED + 4).integers(0, n_classes, n_queries))
    (folder / "models").mkdir(parents=True)
    write_meshes(folder / "models", names)
    write_classification(folder / "classification.cla", names, labels)
    write_classification(folder / "queries.cla", queries, query_labels)
    of_models = [(query_labels, part) for part in np.array_split(labels, 8)]
    of_queries = [(part, labels) for part in np.array_split(query_labels, 4)]
    files = []
    for run, (parts, dtype) in enumerate(((of_models, np.float32), (of_queries, np.float16))):
        (folder / "runs" / f"M{run}").mkdir(parents=True)
        paths = [folder / "runs" / f"M{run}" / f"{number:02d}.npy" for number in range(len(parts))]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for number, (path, (rows, columns)) in enumerate(zip(paths, parts, strict=True)):
                pool.submit(_write_block, path, rows, columns, dtype, 0.25 + 0.1 * run, (SEED + 5, run, number))
        files += paths
    return Workload("e", f"{n_queries:,} x {n_models:,} in blocks", folder, "default", matrices=tuple(files))


def _write_block(
    path: Path, rows: np.ndarray, columns: np.ndarray, dtype: type, nearness: float, seed: Sequence[int]
) -> None:
    """Distances of the queries of some classes to the models of some classes."""
    random = np.random.default_rng(seed)
    values = np.lib.format.open_memmap(path, "w+", dtype, (len(rows), len(columns)))
    height = max(20_000_000 // len(columns), 1)
    for start in range(0, len(rows), height):
        block = 1 + random.random((len(rows[start : start + height]), len(columns)), np.float32)
        block -= nearness * (rows[start : start + height, None] == columns[None, :])
        values[start : start + height] = block
    values.flush()


SHAPES = 40
"""Number of different meshes; the other files are links, because only their number matters."""


def write_meshes(folder: Path, names: list[str]) -> None:
    """Write boxes of different proportions, each under many names."""
    faces = ("0 1 3 2", "4 6 7 5", "0 4 5 1", "2 3 7 6", "0 2 6 4", "1 5 7 3")
    for number, name in enumerate(names):
        path = folder / f"{name}.off"
        if number >= SHAPES:
            os.link(folder / f"{names[number % SHAPES]}.off", path)
            continue
        corners = [(x * (1 + number / 10), y * (1 + number % 7), z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
        lines = ["OFF", "8 6 0", *(" ".join(map(str, corner)) for corner in corners), *(f"4 {face}" for face in faces)]
        path.write_text("\n".join(lines) + "\n")


def write_classification(path: Path, names: list[str], labels: np.ndarray) -> None:
    """A Princeton classification without parents."""
    classes = np.unique(labels)
    parts = [f"PSB 1\n{len(classes)} {len(names)}\n"]
    for label in classes:
        members = np.flatnonzero(labels == label)
        parts.append(f"\nclass{label} 0 {len(members)}\n" + "".join(f"{names[m]}\n" for m in members))
    path.write_text("".join(parts))


def write_trec(path: Path, queries: list[str], models: list[str], scores: np.ndarray, own: bool = True) -> Path:
    """Full lists, best first; without the query itself where `own` is False."""
    with path.open("w") as file:
        for query, name in enumerate(queries):
            order = np.argsort(-scores[query], kind="stable")
            if not own:
                order = order[order != query]
            file.write(trec_lines(name, [models[m] for m in order], scores[query, order]))
    return path


def trec_lines(query: str, models: list[str], scores: np.ndarray) -> str:
    """The list of one query."""
    rows = zip(models, scores.tolist(), strict=True)
    return "".join(f"{query} Q0 {model} {rank} {score:.6f} run\n" for rank, (model, score) in enumerate(rows, 1))


def main() -> None:
    """Write the contest of a million models, or a smaller one."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--classes", type=int, default=1000)
    options = parser.parse_args()
    sharded_contest(options.folder, options.models, options.queries, options.classes)


if __name__ == "__main__":
    main()
