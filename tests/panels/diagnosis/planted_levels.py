"""An assessment of pairs for the sample benchmark."""

from pathlib import Path

from shrec_viewer.formats.discovery.benchmark import read_benchmark


def plant_levels(folder: Path) -> Path:
    """Write a qrels file next to the folder with the levels of the classes, some of them wrong."""
    benchmark = read_benchmark(folder)
    lines = []
    for query, name in enumerate(benchmark.queries.ids):
        levels = benchmark.assessment.gains(query, len(benchmark.collection))
        for model, level in enumerate(levels.tolist()):
            wrong = (query + model) % 11 == 0
            lines.append(f"{name} 0 {benchmark.collection.ids[model]} {(1 - min(level, 1)) if wrong else level}")
    path = folder.parent / "planted.qrels"
    path.write_text("\n".join(lines) + "\n")
    return path
