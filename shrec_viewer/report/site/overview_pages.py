"""Values of the pages about the benchmark: home, measures, findings and manifest."""

from collections import Counter
from dataclasses import dataclass
from statistics import median_low
from typing import Any

import numpy as np

from shrec_viewer import __version__
from shrec_viewer.domain import Benchmark
from shrec_viewer.domain.benchmark import ROOT
from shrec_viewer.evaluation.calculation import ScoreCalculation, calculation_of
from shrec_viewer.metrics import (
    CONVENTIONS,
    CalculationSteps,
    HitTable,
    Profile,
    ResolvedMeasure,
    evaluator_bugs_of,
)
from shrec_viewer.metrics.measures.measure import SYMBOLS
from shrec_viewer.report.site.contest_site import ContestSite
from shrec_viewer.report.site.score_cells import score_cells

MAX_QUERY_IMAGES = 240
"""Queries shown on the home page; the page of all queries has the others."""

MAX_CLASS_IMAGES = 400
"""Classes up to which the home page has an image of the first model of each."""


@dataclass(frozen=True)
class ClassEntry:
    """A class of the tree: depth, name, numbers of its own models and queries, and a model of it; -1 for none."""

    depth: int
    name: str
    models: int
    queries: int
    example: int


@dataclass(frozen=True)
class LevelSummary:
    """Number of relevant models of a level: of all queries, and the lowest, median and highest of one query."""

    level: int
    total: int
    lowest: int
    median: int
    highest: int


def home(site: ContestSite, _index: int) -> dict[str, Any]:
    """Collection, participants, queries, classification and assessment."""
    cells = score_cells(site.scores.mean(), site.scores.measures)
    return {
        "cells": cells,
        "query_limit": MAX_QUERY_IMAGES,
        "classes": class_tree(site),
        "level_summaries": [_summary(site, level) for level in site.levels],
        "n_without_file": sum(path is None for path in site.benchmark.collection.paths),
        "are_members": site.benchmark.queries.are_members,
    }


def class_tree(site: ContestSite) -> list[ClassEntry]:
    """All classes, parents before their children; empty without classification."""
    tree = site.benchmark.classification
    if tree is None:
        return []
    queries = Counter(int(label) for label in site.benchmark.queries.labels)
    children: dict[int, list[int]] = {}
    for label, parent in enumerate(tree.parents):
        children.setdefault(int(parent), []).append(label)
    entries, stack = [], [(label, 0) for label in reversed(children.get(ROOT, []))]
    while stack:  # no recursion: files may nest classes deeper than Python calls
        label, depth = stack.pop()
        members = tree.members(label)
        example = int(members[0]) if len(members) else -1
        entries.append(ClassEntry(depth, tree.names[label], len(members), queries[label], example))
        stack += [(child, depth + 1) for child in reversed(children.get(label, []))]
    return entries


def example_models(benchmark: Benchmark) -> list[int]:
    """The first model of each class, for its image on the home page; none of more than `MAX_CLASS_IMAGES`."""
    tree = benchmark.classification
    if tree is None or len(tree.leaves) > MAX_CLASS_IMAGES:
        return []
    return [int(tree.members(int(label))[0]) for label in tree.leaves]


def _summary(site: ContestSite, level: int) -> LevelSummary:
    counts = [sizes[level] for sizes in site.level_sizes] or [0]
    return LevelSummary(level, sum(counts), min(counts), median_low(counts), max(counts))


EXAMPLE_GAINS = (2, 2, 1, 2, 2, 1, 0, 1, 0, 1, 2, 0, 0, 0)
"""Gains of the worked example of the SHREC 2006 report."""

EXAMPLE_SIZES, EXAMPLE_COLLECTION = (5, 6), 1814
"""Marginally and highly relevant models of the example, and size of its collection."""


@dataclass(frozen=True)
class MeasureEntry:
    """A measure with its definition under the profile, and its value in the example.

    Attributes
    ----------
    value : in the example; NaN undefined.
    steps : its calculation; None if undefined.
    real : calculation for a query of the benchmark; None without runs.
    """

    measure: ResolvedMeasure
    formula: str
    source: str
    range: tuple[float, float]
    value: float
    steps: CalculationSteps | None
    real: ScoreCalculation | None


def measures(site: ContestSite, _index: int) -> dict[str, Any]:
    """Measures with definition and worked examples, and the conventions of the profile."""
    profile = site.profile
    hits = _example_hits(profile)
    run, query = _real_example(site)
    entries = []
    for measure in site.scores.measures:
        value = float(measure.evaluate(hits, profile)[0])
        entries.append(
            MeasureEntry(
                measure,
                measure.formula_under(profile),
                measure.source_under(profile),
                measure.range_under(profile),
                value,
                measure.calculation(hits, profile) if value == value else None,
                None if run < 0 else calculation_of(site.scores, measure.key, run, query),
            )
        )
    return {
        "entries": entries,
        "symbols": SYMBOLS,
        "gains": EXAMPLE_GAINS,
        "sizes": EXAMPLE_SIZES,
        "example_collection": EXAMPLE_COLLECTION,
        "conventions": conventions_of(profile),
        "bugs": evaluator_bugs_of(profile),
        "example_run": run,
        "example_query": query,
    }


def _example_hits(profile: Profile) -> HitTable:
    """The example under a profile: levels below its threshold are not relevant."""
    counted = [(rank, gain) for rank, gain in enumerate(EXAMPLE_GAINS, 1) if gain and gain >= profile.relevant_from]
    sizes = [size if level >= profile.relevant_from else 0 for level, size in enumerate(EXAMPLE_SIZES, 1)]
    return HitTable(
        indptr=np.array([0, len(counted)], np.int64),
        ranks=np.array([rank for rank, _ in counted], np.int32),
        levels=np.array([gain for _, gain in counted], np.uint8),
        list_length=np.array([len(EXAMPLE_GAINS)], np.int64),
        class_sizes=np.array([sizes], np.int64),
        collection_size=np.array([EXAMPLE_COLLECTION], np.int64),
        missing=np.array([False]),
    )


def _real_example(site: ContestSite) -> tuple[int, int]:
    """The best run, and the query with the fewest relevant models among those that it answers; (-1, -1) for none."""
    sizes = [sum(sizes.values()) for sizes in site.level_sizes]
    for run in site.ranking:
        answered = [query for query in np.flatnonzero(~site.scores.missing[run]) if sizes[query] > 0]
        if answered:
            return run, int(min(answered, key=lambda query: (sizes[query], query)))
    return -1, -1


def conventions_of(profile: Profile) -> list[tuple[str, str, str, str, bool]]:
    """Field, label, value, effect, and whether it was changed, of each convention of a profile."""
    found = []
    changes = profile.changes
    for convention in CONVENTIONS:
        value = getattr(profile, convention.field)
        effects = [one.explanation for one in convention.values if one.value == value]
        effect = effects[0] if effects else convention.explanation
        found.append(
            (convention.field, convention.label, convention.label_of(value), effect, convention.field in changes)
        )
    return found


def findings(site: ContestSite, _index: int) -> dict[str, Any]:
    """Findings, errors first."""
    ordered = sorted(site.benchmark.findings, key=lambda finding: finding.severity.rank)
    return {"findings": ordered, "counts": Counter(str(finding.severity) for finding in ordered)}


def manifest(site: ContestSite, _index: int) -> dict[str, Any]:
    """Inputs with their SHA-256, version, profile and conventions."""
    return {
        "version": __version__,
        "inputs": site.edition.inputs,
        "models_input": site.models_input,
        "conventions": conventions_of(site.profile),
        "changes": dict(site.profile.changes),
    }
