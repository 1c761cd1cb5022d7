"""Silhouettes compared by their low frequencies: the one method here that can read a sketch."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from demo_benchmark.sampling import Sample

FREQUENCIES = 5
"""Low frequencies kept along each axis: 45 numbers a view tell a mug from a vase and forgive a wavering hand."""


def silhouette_distances(queries: Sequence[Sample], models: Sequence[Sample], views: int) -> NDArray[np.float64]:
    """(Q, N) mean L1 distances of Fourier magnitudes over the first `views` views; a sketch has only the first.

    Source: after Vranic, 3D model retrieval, 2004 (silhouette descriptor).
    """
    known = np.array([_spectrum(sample.masks[:views]) for sample in models])
    rows = []
    for sample in queries:
        asked = _spectrum(sample.masks[:views])
        rows.append(np.abs(known[:, : len(asked)] - asked).mean(axis=(1, 2)))
    return np.array(rows)


def _spectrum(masks: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(views, k) magnitudes of the low frequencies, scaled to length 1."""
    spectrum = np.abs(np.fft.rfft2(masks.astype(float)))
    kept = np.concatenate(
        [spectrum[:, :FREQUENCIES, :FREQUENCIES], spectrum[:, 1 - FREQUENCIES :, :FREQUENCIES]], axis=1
    )
    flat = kept.reshape(len(masks), -1)
    return np.asarray(flat / np.linalg.norm(flat, axis=1, keepdims=True))
