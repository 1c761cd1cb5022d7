"""Two classic histograms of surface points: distances of pairs (D2), and shells cut into sectors."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from demo_benchmark.sampling import Sample

PAIR_STEPS = (1, 7, 61, 523, 1999)
"""Each point is paired with those so many places further on in the sequence: five times as many pairs as points."""

D2_BINS = 48
"""Over [0, 3] mean distances from the centroid."""

SHELLS, SECTORS = 6, 12
"""Ankerst's combined model, coarse: it should be better than D2 and worse than views."""


def d2_distances(queries: Sequence[Sample], models: Sequence[Sample]) -> NDArray[np.float64]:
    """(Q, N) L1 distances of the histograms of pair distances.

    Source: Osada et al., Shape distributions, ACM TOG 21(4), 2002.
    """
    return _manhattan([_d2(sample) for sample in queries], [_d2(sample) for sample in models])


def sector_distances(queries: Sequence[Sample], models: Sequence[Sample]) -> NDArray[np.float64]:
    """(Q, N) L1 distances of histograms over shells and sectors around the up axis; direction does not matter.

    Source: Ankerst et al., 3D shape histograms, SSD 1999.
    """
    return _manhattan([_sectors(sample) for sample in queries], [_sectors(sample) for sample in models])


def _d2(sample: Sample) -> NDArray[np.float64]:
    points = sample.points
    distances = np.concatenate([np.linalg.norm(points - np.roll(points, step, axis=0), axis=1) for step in PAIR_STEPS])
    counts, _ = np.histogram(distances, D2_BINS, (0, 3))
    return counts / len(distances)


def _sectors(sample: Sample) -> NDArray[np.float64]:
    distance = np.linalg.norm(sample.points, axis=1)
    lean = np.divide(sample.points[:, 1], distance, out=np.zeros_like(distance), where=distance > 0)
    counts, _, _ = np.histogram2d(distance, lean, (SHELLS, SECTORS), ((0, 2.4), (-1, 1)))
    return np.asarray(counts.ravel() / len(distance))


def _manhattan(queries: Sequence[NDArray[np.float64]], models: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.abs(np.array(queries)[:, None, :] - np.array(models)[None, :, :]).sum(axis=2)
