"""A benchmark on disk for the window: eight meshes, three queries, two relevance levels, three runs that differ."""

from pathlib import Path
from shutil import rmtree

import numpy as np

MODELS = {"cat": ("m1", "m2"), "dog": ("m3", "m4"), "chair": ("m5", "m6", "m7", "m8")}
"""Cats and dogs are sisters, so one is marginally relevant to the other."""

QUERIES = {"q1": "cat", "q2": "dog", "q3": "chair"}

CLASSIFICATION = """PSB 1
4 8

animal 0 0

cat animal 2
m1
m2

dog animal 2
m3
m4

chair 0 4
m5
m6
m7
m8
"""

QUERY_CLASSES = """PSB 1
4 3

animal 0 0

cat animal 1
q1

dog animal 1
q2

chair 0 1
q3
"""

MANIFEST = """[benchmark]
name = "Menagerie"
profile = "shrec2006"

[collection]
models = "models"
classification = "models.cla"

[queries]
models = "queries"
classification = "queries.cla"

[assessment]
derive = "sister-classes"

[[runs]]
name = "A1"
participant = "Ada"
path = "runs/A1"

[[runs]]
name = "A2"
participant = "Ada"
path = "runs/A2"

[[runs]]
name = "B1"
participant = "Ben"
path = "runs/B1"
"""

LISTS = {
    "A1": {
        "q1": "m1 m2 m3 m4 m5 m6 m7 m8",
        "q2": "m3 m4 m1 m2 m5 m6 m7 m8",
        "q3": "m5 m6 m7 m8 m1 m2 m3 m4",
    },
    "A2": {
        "q1": "m5 m1 m6 m2 m3 m7 m8 m4",
        "q2": "m8 m7 m3 m6 m4 m5 m1 m2",
        "q3": "m1 m5 m2 m6 m3 m7 m4 m8",
    },
    "B1": {"q1": "m5 m6 m1", "q2": "m3"},
}
"""A1 is perfect, A2 mixes, B1 stops early and has no answer to q3."""


def write_sample_benchmark(folder: Path, *, meshes: bool = True, manifest: bool = True) -> Path:
    """Write the benchmark; distances are the places divided by ten, places 3 and 4 of A2 are tied."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "models.cla").write_text(CLASSIFICATION, encoding="utf-8")
    (folder / "queries.cla").write_text(QUERY_CLASSES, encoding="utf-8")
    if manifest:
        (folder / "benchmark.toml").write_text(MANIFEST, encoding="utf-8")
    for run, lists in LISTS.items():
        (folder / "runs" / run).mkdir(parents=True, exist_ok=True)
        for query, ids in lists.items():
            lines = [f"{name} {_distance(run, place):.6f}" for place, name in enumerate(ids.split(), 1)]
            (folder / "runs" / run / query).write_text("\n".join(lines) + "\n", encoding="utf-8")
    for kind, names in (("models", sum(MODELS.values(), ())), ("queries", tuple(QUERIES))):
        (folder / kind).mkdir(exist_ok=True)
        for number, name in enumerate(names):
            (folder / kind / f"{name}.off").write_text(_box(number) if meshes else "", encoding="utf-8")
    return folder


def only_meshes(folder: Path) -> Path:
    """The models of the sample_benchmark and nothing else."""
    write_sample_benchmark(folder)
    for name in ("benchmark.toml", "models.cla", "queries.cla"):
        (folder / name).unlink()
    for name in ("runs", "queries"):
        rmtree(folder / name)
    return folder


def _distance(run: str, place: int) -> float:
    return (3 if run == "A2" and place == 4 else place) / 10


def _box(number: int) -> str:
    """A box whose edges depend on `number`, as OFF."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    corners *= (1 + 0.3 * number, 1.0, 1 + 0.1 * number)
    faces = ["0 1 3", "0 3 2", "4 6 7", "4 7 5", "0 4 5", "0 5 1", "2 3 7", "2 7 6", "0 2 6", "0 6 4", "1 5 7", "1 7 3"]
    lines = ["OFF", "8 12 0", *(" ".join(f"{c:.3f}" for c in corner) for corner in corners)]
    return "\n".join([*lines, *(f"3 {face}" for face in faces)]) + "\n"
