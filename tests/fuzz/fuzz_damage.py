"""Damaged runs in a benchmark: rankings and distances are those of the undamaged file, or there is a new finding.

Only bytes that are no values are damaged: files are truncated between two words, separators and line ends are removed,
lines are repeated or lost, encodings are changed or broken, headers are overwritten. A changed digit is a legal value,
which no reader can notice, and is left out.
"""

import gzip
import json
import random
import re
import struct
from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path

import numpy as np
from fuzz_inputs import zipped

from shrec_viewer.domain import Benchmark, DistanceMatrix, FormatError
from shrec_viewer.formats.discovery.benchmark import read_benchmark

QUERIES = tuple(f"Q{number}" for number in range(1, 7))
MODELS = tuple(f"N{number}" for number in range(1, 13))
CLASSES = "PSB 1\n3 12\n" + "".join(
    f"{name} 0 4\n" + "".join(f"{model}\n" for model in MODELS[first : first + 4])
    for name, first in (("cat", 0), ("dog", 4), ("cup", 8))
)
QRELS = "".join(
    f"{query} 0 {model} {int(row % 3 == column // 4)}\n"
    for row, query in enumerate(QUERIES)
    for column, model in enumerate(MODELS)
)
DISTANCES = np.random.default_rng(5).permuted(np.tile(np.arange(1, 13) / 16 + 0.03125, (6, 1)), axis=1)


def ranked(row: int) -> list[int]:
    return np.argsort(DISTANCES[row]).tolist()


def _npy() -> bytes:
    stream = BytesIO()
    np.save(stream, DISTANCES)
    return stream.getvalue()


def _npz() -> bytes:
    stream = BytesIO()
    np.savez_compressed(stream, D=DISTANCES)
    return stream.getvalue()


def _mat() -> bytes:
    shape = struct.pack("<IIii", 5, 8, *DISTANCES.shape)
    values = DISTANCES.T.tobytes()
    body = struct.pack("<IIII", 6, 8, 6, 0) + shape + struct.pack("<II", 1, 1) + b"D".ljust(8, b"\0")
    body += struct.pack("<II", 9, len(values)) + values
    return b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM" + struct.pack("<II", 14, len(body)) + body


def _lists() -> dict[str, str]:
    return {
        query: "".join(f"{MODELS[item]} {DISTANCES[row, item]:.5f}\n" for item in ranked(row))
        for row, query in enumerate(QUERIES)
    }


def _trec() -> str:
    return "".join(
        f"{query} Q0 {MODELS[item]} {rank} {-DISTANCES[row, item]:.5f} tag\n"
        for row, query in enumerate(QUERIES)
        for rank, item in enumerate(ranked(row), 1)
    )


def _table(separator: str) -> str:
    head = separator.join(("id", *MODELS)) + "\n"
    rows = (separator.join((query, *(f"{value:.5f}" for value in DISTANCES[row]))) for row, query in enumerate(QUERIES))
    return head + "".join(f"{row}\n" for row in rows)


RUNS: dict[str, tuple[str, bytes]] = {
    "rank list": ("runs/A1/Q3", _lists()["Q3"].encode()),
    "trec": ("runs/A1.run", _trec().encode()),
    "submission": (
        "runs/A1.csv",
        "".join(",".join((q, *(MODELS[i] for i in ranked(r)))) + "\n" for r, q in enumerate(QUERIES)).encode(),
    ),
    "long": (
        "runs/A1.csv",
        (
            "query,model,distance\n"
            + "".join(f"{q},{MODELS[i]},{DISTANCES[r, i]:.5f}\n" for r, q in enumerate(QUERIES) for i in ranked(r))
        ).encode(),
    ),
    "json": (
        "runs/A1.json",
        json.dumps({q: [MODELS[i] for i in ranked(r)] for r, q in enumerate(QUERIES)}, indent=0).encode(),
    ),
    "json scores": (
        "runs/A1.json",
        json.dumps(
            {q: {MODELS[i]: -float(DISTANCES[r, i]) for i in ranked(r)} for r, q in enumerate(QUERIES)}
        ).encode(),
    ),
    "keyed": (
        "runs/A1.txt",
        "".join(f"{q}: {' '.join(MODELS[i] for i in ranked(r))}\n" for r, q in enumerate(QUERIES)).encode(),
    ),
    "text matrix": ("runs/A1.txt", "".join(" ".join(f"{v:.5f}" for v in row) + "\n" for row in DISTANCES).encode()),
    "comma matrix": ("runs/A1.txt", "".join(",".join(f"{v:.5f}" for v in row) + "\n" for row in DISTANCES).encode()),
    "labelled matrix": ("runs/A1.txt", _table(" ").encode()),
    "labelled table": ("runs/A1.csv", _table(",").encode()),
    "npy": ("runs/A1.npy", _npy()),
    "npz": ("runs/A1.npz", _npz()),
    "mat": ("runs/A1.mat", _mat()),
    "binary": ("runs/A1.matrix", DISTANCES.astype("<f4").tobytes()),
    "zip of lists": ("runs/A1.zip", zipped({f"A1/{name}": text for name, text in _lists().items()})),
    "classification": ("classes.cla", CLASSES.encode()),
}
"""Damaged file, and its undamaged content."""

DAMAGED_RUNS = tuple(RUNS)
IS_TEXT = {
    name: not content.startswith((b"\x93", b"PK", b"MATLAB")) and name != "binary"
    for name, (_, content) in RUNS.items()
}

_WORD_ENDS = re.compile(rb"[\s,:{}\[\]]")


def damaged_text(data: bytes, rng: random.Random) -> bytes:
    """A text damaged between its words."""
    ends = [found.start() for found in _WORD_ENDS.finditer(data)]
    lines = data.splitlines(keepends=True)
    at = rng.choice(ends)
    index = rng.randrange(len(lines))
    match rng.randrange(13):
        case 0:
            return data[: at + rng.randrange(2)]
        case 1:
            return data[:at] + data[at + 1 :]
        case 2:
            return b"".join(lines[:index] + lines[index + 1 :])
        case 3:
            return b"".join(lines[:index] + [lines[index]] * rng.randint(2, 4) + lines[index + 1 :])
        case 4:
            return (
                data[:at] + rng.choice((b"\0", b"\xff", b"\x1a", b"\x1b[0m", b"\xc3")) * rng.randint(1, 3) + data[at:]
            )
        case 5:
            return data.decode().encode(rng.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32")))
        case 6:
            return data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b" \n", b"\n ")))
        case 7:
            return gzip.compress(data)[: rng.randint(10, 10_000)]
        case 8:
            return data[:at] + rng.choice((b"\n", b" ", b",", b";", b"\t", b'"', b"#", b"\n#")) + data[at:]
        case 9:
            return data + data[rng.choice(ends) :]
        case 10:
            other = rng.choice(ends)
            first, last = sorted((at, other))
            return data[:first] + data[last:]
        case 11:
            return b"".join(lines[index:])
        case _:
            return b"".join(lines[:index])


def damaged_bytes(data: bytes, rng: random.Random, n_header: int) -> bytes:
    """A binary file truncated, lengthened, or with another header."""
    at = rng.randrange(len(data))
    match rng.randrange(6):
        case 0:
            return data[:at]
        case 1:
            return data + rng.randbytes(rng.choice((1, 2, 3, 4, 8, 96)))
        case 2 if n_header:
            at = rng.randrange(n_header)
            return data[:at] + rng.randbytes(1) + data[at + 1 :]
        case 3:
            return data[: at // 4 * 4] + data[at // 4 * 4 + rng.choice((1, 2, 3, 4, 8)) :]
        case 4:
            return gzip.compress(data)[: rng.randint(10, 10_000)]
        case _:
            return data[rng.choice((1, 2, 3, 4, 8, 24, 48)) :]


N_HEADER = {"npy": 128, "npz": 0, "mat": 176, "binary": 0, "zip of lists": 0}
"""Bytes that are no values; in archives each member has a checksum, so that any byte may be damaged."""


def write_benchmark(folder: Path, name: str, content: bytes) -> None:
    path, _ = RUNS[name]
    files: dict[str, bytes] = {"classes.cla": CLASSES.encode(), "truth.txt": QRELS.encode()}
    if name in ("rank list", "classification"):
        files |= {f"runs/A1/{query}": text.encode() for query, text in _lists().items()}
    files[path] = content
    for file, data in files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(data)


def outcome(benchmark: Benchmark) -> tuple[object, ...]:
    """Models, queries, which models share a class, and the ranking and the distances of each run, by id."""
    ids, queries = np.array(benchmark.collection.ids), np.array(benchmark.queries.ids)
    rankings = []
    for run in benchmark.runs:
        lists = {}
        for query, name in enumerate(queries.tolist()):
            ranking = run.ranking
            if isinstance(ranking, DistanceMatrix):
                if ranking.rows[query] < 0:
                    continue
                known = ranking.columns >= 0
                values = np.asarray(ranking.values[int(ranking.rows[query])], np.float64)[known]
                order = np.argsort(-values if ranking.similarity else values, kind="stable")
                lists[name] = [*ids[ranking.columns[known][order]].tolist(), *values[order].tolist()]
            elif ranking.present[query]:
                rows = ranking.rows(query)
                lists[name] = [ids[item] if item >= 0 else None for item in ranking.items[rows].tolist()]
                lists[name] += [] if ranking.distances is None else ranking.distances[rows].tolist()
        rankings.append(sorted(lists.items()))
    tree = benchmark.classification
    labels = () if tree is None else tree.labels
    classes = sorted(sorted(ids[np.array(labels) == label].tolist()) for label in set(labels))  # names are free
    return sorted(ids.tolist()), sorted(queries.tolist()), classes, rankings


def said(benchmark: Benchmark) -> set[tuple[str, str, str]]:
    return {(finding.severity, finding.file, finding.message) for finding in benchmark.findings}


@cache
def undamaged(name: str) -> tuple[object, set[tuple[str, str, str]]]:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        write_benchmark(Path(folder), name, RUNS[name][1])
        benchmark = read_benchmark(Path(folder))
        found = outcome(benchmark)
        assert len(benchmark.runs) == 1, (name, benchmark.findings)
        expected = [(query, [MODELS[item] for item in ranked(row)]) for row, query in enumerate(QUERIES)]
        assert [(query, ranking[: len(MODELS)]) for query, ranking in found[-1][0]] == expected, name
        return found, said(benchmark)


def read_damaged_run(name: str) -> Callable[[random.Random, Path], None]:
    """Target of `fuzz_targets` for a format."""

    def run(rng: random.Random, folder: Path) -> None:
        expected, before = undamaged(name)
        data = RUNS[name][1]
        damaged = damaged_text(data, rng) if IS_TEXT[name] else damaged_bytes(data, rng, N_HEADER[name])
        write_benchmark(folder, name, damaged)
        try:
            benchmark = read_benchmark(folder)
        except FormatError:
            return
        assert outcome(benchmark) == expected or said(benchmark) - before, f"silent difference: {damaged[:2000]!r}"

    return run
