"""A handful of global numbers per shape: box, volume, surface, spread."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from demo_benchmark.sampling import Sample

CLIP = 3.0
"""Standard deviations beyond which an odd number counts no further."""


def global_distances(queries: Sequence[Sample], models: Sequence[Sample]) -> NDArray[np.float64]:
    """(Q, N) root mean squares of differences in standard deviations; numbers that a sketch lacks are left out."""
    table = np.array([sample.numbers for sample in models])
    middle, spread = table.mean(axis=0), table.std(axis=0)
    known = np.clip((table - middle) / spread, -CLIP, CLIP)
    asked = np.clip((np.array([sample.numbers for sample in queries]) - middle) / spread, -CLIP, CLIP)
    return np.asarray(np.sqrt(np.nanmean((asked[:, None, :] - known[None, :, :]) ** 2, axis=2)))
