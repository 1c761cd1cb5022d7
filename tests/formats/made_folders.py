"""Small benchmarks that tests write to disk, in any format; what they hold is known exactly."""

from functools import cache
from pathlib import Path

import numpy as np

CLASSES = (
    ("animal", "0", 0),
    ("cat", "animal", 5),
    ("dog", "animal", 4),
    ("cup", "0", 6),
    ("mug", "cup", 3),
    ("jar", "0", 6),
)
IDS = tuple(
    f"N{number}" for number in (9, 21, 3, 14, 8, 17, 1, 24, 12, 5, 19, 10, 2, 16, 7, 23, 11, 4, 20, 13, 6, 22, 15, 18)
)
"""Ids in the order of the classification: not the natural one."""

QUERIES = tuple(f"Q{number}" for number in range(1, 13))
NATURAL = tuple(f"N{number}" for number in range(1, 25))


def labels() -> dict[str, str]:
    """Class of each model."""
    names = [name for name, _, count in CLASSES for _ in range(count)]
    return dict(zip(IDS, names, strict=True))


def query_classes() -> dict[str, str]:
    """Class of each query: cat, dog, cup, mug, jar in turn."""
    leaves = [name for name, _, count in CLASSES if count]
    return {query: leaves[place % len(leaves)] for place, query in enumerate(QUERIES)}


def cla(classes=CLASSES, ids=IDS, newline="\n") -> str:
    """Text of a classification."""
    ids = list(ids)
    lines = ["PSB 1", f"{len(classes)} {len(ids)}", ""]
    for name, parent, count in classes:
        lines += [f"{name} {parent} {count}", *(ids.pop(0) for _ in range(count)), ""]
    return newline.join(lines)


def qrels() -> str:
    """Text of the levels: the query's class 2, its sister 1."""
    sister = {"cat": "dog", "dog": "cat"}
    lines = []
    for query, own in query_classes().items():
        for model, name in labels().items():
            level = 2 if name == own else 1 if name == sister.get(own) else 0
            lines.append(f"{query} 0 {model} {level}\n")
    return "".join(lines)


def distances(rows=QUERIES, columns=NATURAL, seed=7) -> np.ndarray:
    """(R, M) float64 with distinct values in a row: a fair method, rows and columns in the order asked for."""
    pick_rows = [(*QUERIES, *NATURAL).index(name) for name in rows]
    return _all_distances(seed)[np.ix_(pick_rows, [NATURAL.index(name) for name in columns])]


@cache
def _all_distances(seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    query_names = {**labels(), **query_classes()}
    all_rows = (*QUERIES, *NATURAL)
    noise = random.permuted(np.tile(np.arange(1, 25) / 64, (len(all_rows), 1)), axis=1)
    values = np.array(
        [
            [0.5 * (query_names[r] != query_names[c]) + noise[i, j] for j, c in enumerate(NATURAL)]
            for i, r in enumerate(all_rows)
        ]
    )
    for place in range(len(NATURAL)):
        values[len(QUERIES) + place, place] = 0.0
    return values


def order(query: str) -> list[str]:
    """Models from near to far."""
    line = distances((query,))[0]
    return [NATURAL[place] for place in np.argsort(line)]


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Write files, with the folders they lie in."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def mesh_files(folder: str, names) -> dict[str, str]:
    """One triangle for each name."""
    return {f"{folder}/{name}.off": "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n" for name in names}


def benchmark_files() -> dict[str, str]:
    """Everything but runs."""
    return {
        "classes.cla": cla(),
        "truth.txt": qrels(),
        **mesh_files("models", IDS),
        **mesh_files("queries", QUERIES),
    }


def list_files(
    folder: str = "runs/A1", line="{id} {distance}", first="", end="\n", suffix="", queries=QUERIES
) -> dict[str, str]:
    """A run as rank lists in one dialect."""
    files = {}
    for query in queries:
        line_of = dict(zip(NATURAL, distances((query,))[0], strict=True))
        lines = []
        for rank, name in enumerate(order(query), 1):
            far = f"{line_of[name]:.6f}"
            words = {"id": name, "number": name[1:], "distance": far, "comma": far.replace(".", ",")}
            lines.append(line.format(**words, rank=rank, query=query))
        if first:
            lines.insert(0, first.format(query=query))
        files[f"{folder}/{query}{suffix}"] = end.join(lines) + end
    return files


def matrix_text(values: np.ndarray) -> str:
    """A matrix as ASCII."""
    return "".join(" ".join(f"{value:.6f}" for value in row) + "\n" for row in values)


def npy(values: np.ndarray) -> bytes:
    """A matrix as NumPy writes it."""
    from io import BytesIO

    stream = BytesIO()
    np.save(stream, values)
    return stream.getvalue()
