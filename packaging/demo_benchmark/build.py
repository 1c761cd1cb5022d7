"""Builds the demo benchmark: models, classification, queries, runs, and the manifest that ties them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from demo_benchmark.catalogue import CLASSES, DemoModel, make_collection, make_queries
from demo_benchmark.sampling import sample_sketch, sample_solid
from demo_benchmark.sketch import draw_sketch, png
from demo_benchmark.solid import DECIMALS, Solid
from demo_benchmark.submissions import write_runs

MANIFEST = """\
# The demo benchmark of SHREC Viewer. README.md tells what it is; `packaging/build_demo.py` makes all of it anew.

[benchmark]
name = "Demo: things at home and in the air"
profile = "shrec2006"

[collection]
models = "models"
classification = "classification.cla"

[queries]
models = "queries"
classification = "queries.cla"

[assessment]
derive = "sister-classes"   # same class: 2, highly relevant; sister class: 1, marginally relevant

[[runs]]
name = "A1"
participant = "Alder"
path = "runs/A1"            # shape distribution D2

[[runs]]
name = "A2"
participant = "Alder"
path = "runs/A2"            # shells and sectors

[[runs]]
name = "B1"
participant = "Birch"
path = "runs/B1.txt"        # silhouettes from one side, as sketches show it
order = "names"

[[runs]]
name = "B2"
participant = "Birch"
path = "runs/B2.npy"        # silhouettes from four sides, sectors and global numbers together
order = "names"

[[runs]]
name = "C1"
participant = "Cedar"
path = "runs/C1"            # six global numbers; 40 models a query, nothing for Q15

[[runs]]
name = "R1"
participant = "Rowan"
path = "runs/R1.run"        # chance
"""

README = """\
# The demo benchmark

{models} models in {classes} classes, {queries} queries of which {sketches} are sketches, 6 runs of 4 participants.
All of it is made by SHREC Viewer's own `packaging/build_demo.py`: the models are put together from simple parts, the
sketches are drawn from models that are not in the collection, and the runs are real answers of simple descriptors, of
which none is trained.

| run | participant | method | format |
|---|---|---|---|
| A1 | Alder | shape distribution D2, three decimals (many ties) | a list per query, `id distance` |
| A2 | Alder | histogram over shells and sectors | a list per query, query's name first, `distance id` |
| B1 | Birch | silhouettes from the side that sketches show, low frequencies | text matrix |
| B2 | Birch | silhouettes from four sides, sectors, global numbers, added up | `.npy` matrix |
| C1 | Cedar | six global numbers; the best 40 only, nothing for Q15 | a list per query, `id` |
| R1 | Rowan | chance | TREC run |

Highly relevant (2) are the models of the query's class, marginally relevant (1) those of its sister classes. Only
the silhouettes can read a sketch; the other methods take its filled outline for a flat shape.
"""


def build_demo(folder: Path) -> None:
    """Write the whole demo into `folder`, which must be empty or not exist.

    The same models, sketches and manifest come out on every machine. Distances are rounded to what all processors
    agree on; at a rounding border a last digit may still differ.
    """
    collection, queries = make_collection(), make_queries()
    write_models(folder / "models", collection)
    drawings = write_queries(folder / "queries", queries)
    write_cla(folder / "classification.cla", collection)
    write_cla(folder / "queries.cla", queries)
    known = [sample_solid(model.solid) for model in collection]
    asked = [
        sample_sketch(drawings[query.name] < 128) if query.sketch else sample_solid(query.solid) for query in queries
    ]
    write_runs(folder / "runs", [query.name for query in queries], [model.name for model in collection], asked, known)
    write_text(folder / "benchmark.toml", MANIFEST)
    write_text(
        folder / "README.md",
        README.format(
            models=len(collection),
            classes=sum(kind.make is not None for kind in CLASSES),
            queries=len(queries),
            sketches=sum(query.sketch for query in queries),
        ),
    )


def write_models(folder: Path, models: Sequence[DemoModel]) -> None:
    """One OFF file a model."""
    folder.mkdir(parents=True)
    for model in models:
        write_text(folder / f"{model.name}.off", off_text(model.solid))


def write_queries(folder: Path, queries: Sequence[DemoModel]) -> dict[str, np.ndarray]:
    """OFF files and PNG sketches; returns the sketches by name, (SIDE, SIDE) uint8 each."""
    write_models(folder, [query for query in queries if not query.sketch])
    drawings = {query.name: draw_sketch(query.solid, query.name) for query in queries if query.sketch}
    for name, drawing in drawings.items():
        (folder / f"{name}.png").write_bytes(png(drawing))
    return drawings


def write_cla(path: Path, models: Sequence[DemoModel]) -> None:
    """Classification in PSB format, with the whole tree even where a class is empty here."""
    lines = ["PSB 1", f"{len(CLASSES)} {len(models)}"]
    for kind in CLASSES:
        members = [model.name for model in models if model.class_name == kind.name]
        lines += ["", f"{kind.name} {kind.parent or '0'} {len(members)}", *members]
    write_text(path, "\n".join(lines) + "\n")


def off_text(solid: Solid) -> str:
    """ASCII OFF; neighbouring triangles of one flat or twisted quad stay triangles."""
    vertices = [" ".join(_number(value) for value in row) for row in solid.vertices]
    faces = [f"3 {a} {b} {c}" for a, b, c in solid.faces]
    return "\n".join(["OFF", f"{len(vertices)} {len(faces)} 0", *vertices, *faces]) + "\n"


def _number(value: float) -> str:
    """Shortest form of a rounded coordinate: ``-3.5``, ``0``."""
    text = f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def write_text(path: Path, text: str) -> None:
    """UTF-8 with LF on every system."""
    path.write_text(text, encoding="utf-8", newline="\n")
