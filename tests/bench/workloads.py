"""Four synthetic contests of realistic size, written in the formats of contests."""

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
    asked = np.sort(random.integers(0, 1000, n_queries))
    folder = root / "d"
    (folder / "runs").mkdir(parents=True)
    write_classification(folder / "classification.cla", names, labels)
    write_classification(folder / "queries.cla", queries, asked)
    path = folder / "runs" / "M00.npy"
    values = np.lib.format.open_memmap(path, "w+", np.float32, (n_queries, n_models))
    for start in range(0, n_queries, CHUNK):
        block = random.random((min(CHUNK, n_queries - start), n_models), np.float32)
        block -= 0.3 * (asked[start : start + CHUNK, None] == labels[None, :])
        values[start : start + CHUNK] = block
    values.flush()
    return Workload("d", f"{n_queries:,} x {n_models:,} float32, 1 GB", folder, "default", matrices=(path,))


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
