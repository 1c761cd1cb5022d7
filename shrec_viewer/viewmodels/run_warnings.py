"""What the findings hold against single runs, so that a table of scores can say so beside the numbers."""

import os
from collections.abc import Mapping
from pathlib import Path

from shrec_viewer.domain import Benchmark, Severity

MOST_NAMED = 4
"""Findings of a run that are told one by one; the panel of findings has all."""


def run_warnings(benchmark: Benchmark) -> Mapping[int, str]:
    """Warnings and errors about each run, or about a file of its folder, a line each; runs without any are left out.

    ``"98.2% of the ranks are tied: the distance equals that of a neighbour"``
    """
    sources = {os.path.normpath(run.source): place for place, run in enumerate(benchmark.runs)}
    found: dict[int, list[str]] = {}
    for finding in benchmark.findings:
        if finding.severity is Severity.INFO:
            continue
        path = Path(os.path.normpath(benchmark.root / finding.file))
        place = next((sources[str(one)] for one in (path, *path.parents) if str(one) in sources), None)
        if place is not None:
            words = finding.message if str(path) in sources else f"{path.name}: {finding.message}"
            found.setdefault(place, []).append(words)
    return {place: _told(words) for place, words in found.items()}


def _told(words: list[str]) -> str:
    rest = len(words) - MOST_NAMED
    return "\n".join(words[:MOST_NAMED] + ([f"… and {rest:,} more; see the findings"] if rest > 0 else []))
