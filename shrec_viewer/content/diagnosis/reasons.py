"""Why a query loses what it does, in words whose parts refer to ranks and panels."""

from dataclasses import dataclass
from itertools import permutations
from math import ceil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.content.data import ContentData, query_number
from shrec_viewer.content.diagnosis.error_budget import MAX_EXPLAINED, ErrorBudgetRequest, lists_of_run, run_budget
from shrec_viewer.diagnosis.error_budget import DIVIDED, BudgetWork
from shrec_viewer.domain import Benchmark, ShrecViewerError
from shrec_viewer.evaluation.geometry_evidence import GeometryRanks, evidence_note, first_verdict, geometry_run
from shrec_viewer.formats.meshes.mesh_reader import box_sides, face_count

#: Ranks whose most frequent class the sentence on a list names.
FIRST_RANKS = 10

#: Multiple of the usual number of faces from which a mesh is unusual; the same for its inverse.
UNUSUAL_FACES = 5.0

#: Files of a collection whose faces are counted, and of which the number must be known to be called usual.
SAMPLED_FILES, LEAST_FILES = 500, 20


def _usual_faces(benchmark: Benchmark) -> float | None:
    """Median number of faces of the models, as a sample of their files announces it; None if that is unknown."""
    paths = [*benchmark.collection.files()]
    counts = [face_count(path) for path in paths[:: max(len(paths) // SAMPLED_FILES, 1)]]
    known = [count for count in counts if count is not None]
    return float(np.median(known)) if len(known) >= max(LEAST_FILES, len(counts) / 2) else None


#: Models of a class whose bounding boxes are compared, at most, and at least: a class of a thousand takes no longer.
SAMPLED_MODELS, LEAST_MODELS = 12, 5

#: When axes are exchanged, by the distance of logarithms of the sides of bounding boxes from the median of the class.
#:
#: As they are, at least the first number, and that many times the median distance of the class; exchanged, at most that
#: many times this distance, and this part of the distance as they are. Of 29 queries of SHREC 2006, 6 are named.
BOX_LIMITS = (0.5, 3.0, 1.5, 3.0)


@dataclass(frozen=True)
class ReasonPart:
    """A part of the explanation of a list, and what it refers to: a 1-based rank, or the key of a panel.

    Attributes
    ----------
    note : what else is to be known, for tooltips.
    """

    text: str
    rank: int | None = None
    view: str = ""
    note: str = ""


def query_reason(data: ContentData, request: ErrorBudgetRequest) -> tuple[ReasonPart, ...]:
    """Why the requested query loses what it does, what stands first, hubs, and where the nearest relevant model stands.

    Also what rigid geometry says about the first false positive, where it was computed.

    Raises
    ------
    ShrecViewerError
        If the lists of the run are too long for it.
    """
    benchmark = data.benchmark
    work, row, query = _explained(data, request)
    sentence = work.sentence(row, query, data.cancelled) or run_budget(data, request).budget.sentences[query]
    parts = [ReasonPart(sentence, view="class_costs" if sentence.startswith("'") else "query_causes")]
    ranked, level = work.ranked(row, query), work.level
    relevant = np.flatnonzero(ranked.levels >= level)
    first, tree = ranked.items[:FIRST_RANKS], benchmark.classification
    wrong = first[(ranked.levels[:FIRST_RANKS] < level) & (first >= 0)]
    if tree is not None and len(wrong):
        labels = tree.labels[wrong]
        counts = np.bincount(labels[labels >= 0], minlength=1)
        if counts.max() >= 2:
            name = tree.names[int(counts.argmax())]
            parts.append(ReasonPart(f"{counts.max()} of the first {len(first)} are '{name}'", view="class_costs"))
    one = work.false_positives(row, query)
    hubs = np.flatnonzero((one.by_cause[:, DIVIDED.index("hubs")] > 0) & (one.ranks <= FIRST_RANKS))
    if len(hubs):
        rank, model = int(one.ranks[hubs[0]]), benchmark.collection.ids[one.models[hubs[0]]]
        parts.append(ReasonPart(f"hub {model} at rank {rank}", rank))
    if (geometry := work.geometry(query)) is not None and work.run(row) is not geometry_run(benchmark):
        rank, text = first_verdict(geometry, ranked.items)
        parts.append(ReasonPart(text, rank, note=evidence_note(work.weak_classes)))
    if len(relevant) and relevant[0] > 0:
        nearest = int(relevant[0])
        text = f"nearest relevant model at rank {nearest + 1:,}"
        distance, least = float(ranked.distances[nearest]), float(ranked.distances[0])
        if not ranked.similarity and least > 0 and np.isfinite(distance):
            text += f", {distance / least:.3g} times the distance of rank 1"
        parts.append(ReasonPart(text, nearest + 1))
    label = int(work.classes_of_queries[query])
    parts += [
        ReasonPart(text, view="mesh_view") for text in (_unusual_faces(data, query), _other_axes(data, query, label))
    ]
    return tuple(part for part in parts if part.text)


def _explained(data: ContentData, request: ErrorBudgetRequest) -> tuple[BudgetWork, int, int]:
    """The lists of all runs, the row of the requested one, and the query; ShrecViewerError for lists too long."""
    benchmark, query = data.benchmark, query_number(data, request.query)
    if len(benchmark.collection) * len(benchmark.queries) > MAX_EXPLAINED:
        raise ShrecViewerError("the lists are too long to be explained at once; the panel Causes by query does it")
    return *lists_of_run(data, request), query


def geometry_of_query(data: ContentData, request: ErrorBudgetRequest) -> GeometryRanks | None:
    """Rigid geometry beside the runs for the requested query; None if it was not chosen. Raises as `query_reason`."""
    if geometry_run(data.benchmark) is None:
        return None
    work, _, query = _explained(data, request)
    return work.geometry(query)


def _unusual_faces(data: ContentData, query: int) -> str:
    usual, path = data.result(_usual_faces, data.benchmark), data.benchmark.queries.paths[query]
    count = face_count(path) if path is not None and usual else None
    if not count or not usual or 1 / UNUSUAL_FACES < count / usual < UNUSUAL_FACES:
        return ""
    return f"mesh of {count / usual:.2g} times the usual number of faces"


def _other_axes(data: ContentData, query: int, label: int) -> str:
    """Which axes of the query are exchanged against its class, where its bounding box is that of others only then."""
    benchmark, path = data.benchmark, data.benchmark.queries.paths[query]
    usual = data.result(_usual_box, benchmark, label) if path is not None and label >= 0 else None
    own = None if usual is None or path is None else _proportions(path)
    if usual is None or own is None:
        return ""
    away = {axes: float(np.linalg.norm(own[list(axes)] - usual[0])) for axes in permutations(range(3))}
    nearest, least = min(away, key=lambda axes: away[axes]), max(BOX_LIMITS[0], BOX_LIMITS[1] * usual[1])
    if away[0, 1, 2] < least or away[nearest] > min(BOX_LIMITS[2] * usual[1], away[0, 1, 2] / BOX_LIMITS[3]):
        return ""
    moved = ["xyz"[axis] for axis in range(3) if nearest[axis] != axis]
    up = str(benchmark.camera.get("up", "Y")).lower()
    what = "up axis differs" if up in moved else "turned about the up axis"
    return f"{what}: against its class, {', '.join(moved[:-1])} and {moved[-1]} are exchanged"


def _proportions(path: Path) -> NDArray[np.float64] | None:
    """(3,) logarithms of the sides of the bounding box over their geometric mean; None where they are unknown."""
    sides = box_sides(path)
    return None if sides is None else np.log(sides) - np.log(sides).mean()


def _usual_box(benchmark: Benchmark, label: int) -> tuple[NDArray[np.float64], float] | None:
    """Median (3,) of the proportions of models of a class, and their median distance from it; None if few are known."""
    assert benchmark.classification is not None
    members = benchmark.classification.members(label).tolist()
    paths = [path for model in members if (path := benchmark.collection.paths[model]) is not None]
    sample = [_proportions(path) for path in paths[:: ceil(len(paths) / SAMPLED_MODELS) or 1]]
    known = np.array([one for one in sample if one is not None])
    if len(known) < LEAST_MODELS:
        return None
    middle = np.median(known, axis=0)
    return middle, float(np.median(np.linalg.norm(known - middle, axis=1)))
