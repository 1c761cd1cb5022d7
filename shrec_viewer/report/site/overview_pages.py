"""Values of the pages about the benchmark: home, measures, findings and manifest."""

from collections import Counter
from statistics import median_low
from typing import Any

import numpy as np

from shrec_viewer.domain import Benchmark
from shrec_viewer.domain.benchmark import ROOT
from shrec_viewer.evaluation.calculation import calculation_of
from shrec_viewer.metrics import CONVENTIONS, Profile, evaluator_bugs_of
from shrec_viewer.metrics.measures.measure import SYMBOLS
from shrec_viewer.metrics.measures.worked_example import (
    EXAMPLE_COLLECTION,
    EXAMPLE_GAINS,
    EXAMPLE_SIZES,
    example_hits,
)
from shrec_viewer.metrics.profiles.conventions import Convention
from shrec_viewer.report.site.contest_site import ContestSite
from shrec_viewer.report.site.score_cells import score_cells

#: Queries shown on the home page; the page of all queries has the others.
MAX_QUERY_IMAGES = 240

#: Classes up to which the home page has an image of the first model of each.
MAX_CLASS_IMAGES = 400


def home(site: ContestSite, _index: int) -> dict[str, Any]:
    """Collection, participants, queries, classification and assessment."""
    return {
        "cells": score_cells(site.scores.mean(), site.scores.measures),
        "query_limit": MAX_QUERY_IMAGES,
        "classes": class_tree(site.benchmark),
        "level_summaries": [(level, _summary(site, level)) for level in site.levels],
        "n_without_file": int(np.sum(~site.benchmark.collection.has_file)),
        "are_members": site.benchmark.queries.are_members,
    }


def class_tree(benchmark: Benchmark) -> list[tuple[int, int, list[int]]]:
    """Class, depth and own models, parents before their children; empty without classification."""
    tree = benchmark.classification
    if tree is None:
        return []
    children: dict[int, list[int]] = {}
    for label, parent in enumerate(tree.parents.tolist()):
        children.setdefault(parent, []).append(label)
    entries, stack = [], [(label, 0) for label in reversed(children.get(ROOT, []))]
    while stack:  # no recursion: files may nest classes deeper than Python calls
        label, depth = stack.pop()
        entries.append((label, depth, tree.members(label).tolist()))
        stack += [(child, depth + 1) for child in reversed(children.get(label, []))]
    return entries


def example_models(benchmark: Benchmark) -> list[int]:
    """The first model of each class, for its image on the home page; none of more than `MAX_CLASS_IMAGES`."""
    tree = benchmark.classification
    if tree is None or len(tree.leaves) > MAX_CLASS_IMAGES:
        return []
    return [int(tree.members(int(label))[0]) for label in tree.leaves]


def _summary(site: ContestSite, level: int) -> tuple[int, int, int, int]:
    """Number of relevant models of a level: of all queries, and the lowest, median and highest of one query."""
    counts = [sizes[level] for sizes in site.level_sizes] or [0]
    return sum(counts), min(counts), median_low(counts), max(counts)


def measures(site: ContestSite, _index: int) -> dict[str, Any]:
    """Measures with definition and worked examples, and the conventions of the profile.

    Each measure has its value and calculation in the example of the report, NaN and None if undefined, and the
    calculation for a query of the benchmark, None without runs.
    """
    profile = site.profile
    hits = example_hits(profile)
    run, query = _real_example(site)
    entries = []
    for measure in site.scores.measures:
        value = float(measure.evaluate(hits, profile)[0])
        steps = measure.calculation(hits, profile) if value == value else None
        real = None if run < 0 else calculation_of(site.scores, measure.key, run, query)
        entries.append((measure, value, steps, real))
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


def _real_example(site: ContestSite) -> tuple[int, int]:
    """The best run, and the query with the fewest relevant models among those that it answers; (-1, -1) for none."""
    sizes = [sum(sizes.values()) for sizes in site.level_sizes]
    for run in sorted(site.ranking, key=lambda row: bool(site.benchmark.run(site.scores.runs[row]).expression)):
        answered = [query for query in np.flatnonzero(~site.scores.missing[run]) if sizes[query] > 0]
        if answered:
            return run, int(min(answered, key=lambda query: (sizes[query], query)))
    return -1, -1


def conventions_of(profile: Profile) -> list[tuple[Convention, str, str]]:
    """Each convention with its value under a profile and the effect of this value."""
    found = []
    for convention in CONVENTIONS:
        value = getattr(profile, convention.field)
        effects = (one.explanation for one in convention.values if one.value == value)
        found.append((convention, convention.label_of(value), next(effects, convention.explanation)))
    return found


def findings(site: ContestSite, _index: int) -> dict[str, Any]:
    """Findings, errors first."""
    ordered = sorted(site.benchmark.findings, key=lambda finding: finding.severity.rank)
    return {"findings": ordered, "counts": Counter(str(finding.severity) for finding in ordered)}


def manifest(site: ContestSite, _index: int) -> dict[str, Any]:
    """Conventions; the inputs with their SHA-256 are those of the site."""
    return {"conventions": conventions_of(site.profile)}
