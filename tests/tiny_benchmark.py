"""A benchmark of five models in two classes, small enough to work out every number by hand."""

from pathlib import Path

CLASSES = {"bird": ("b1", "b2", "b3"), "cat": ("c1", "c2")}

CLASSIFICATION = """PSB 1
2 5

bird 0 3
b1
b2
b3

cat 0 2
c1
c2
"""

MANIFEST = """[benchmark]
name = "Tiny"

[collection]
classification = "tiny.cla"

[assessment]
derive = "classes"

[[runs]]
name = "good"
participant = "Ada"
path = "runs/good"

[[runs]]
name = "poor"
participant = "Ben"
path = "runs/poor"
"""

LISTS = {
    "good": {"b1": "b2 b3 c1 c2", "b2": "b1 b3 c1 c2", "b3": "b1 b2 c1 c2", "c1": "c2 b1 b2 b3", "c2": "c1 b1 b2 b3"},
    "poor": {"b1": "c1 c2 b3 b2", "b2": "c1 c2 b3 b1", "b3": "c1 c2 b2 b1", "c1": "b1 b2 b3 c2", "c2": "b1 b2 b3 c1"},
}

BIRD_AP = (1 / 3 + 2 / 4) / 2
"""Average precision of a bird in the poor run: the other two birds at ranks 3 and 4."""

CAT_AP = 1 / 4
"""Of a cat: the other one at rank 4."""


def write_tiny(folder: Path) -> Path:
    """The benchmark, self-retrieval without the query in its own list, without a single finding of any weight."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tiny.cla").write_text(CLASSIFICATION, encoding="utf-8")
    (folder / "benchmark.toml").write_text(MANIFEST, encoding="utf-8")
    for run, lists in LISTS.items():
        (folder / "runs" / run).mkdir(parents=True, exist_ok=True)
        for query, ids in lists.items():
            (folder / "runs" / run / query).write_text(ids.replace(" ", "\n") + "\n", encoding="utf-8")
    return folder
