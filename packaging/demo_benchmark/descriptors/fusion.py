"""Several descriptors as one: the sum of their distances, each in units of its own spread."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from demo_benchmark.descriptors.global_numbers import global_distances
from demo_benchmark.descriptors.histograms import sector_distances
from demo_benchmark.descriptors.silhouettes import silhouette_distances
from demo_benchmark.sampling import VIEWS, Sample


def fused_distances(queries: Sequence[Sample], models: Sequence[Sample]) -> NDArray[np.float64]:
    """(Q, N) for models: silhouettes, sectors, global numbers; for sketches: silhouettes alone."""
    parts = [
        silhouette_distances(queries, models, len(VIEWS)),
        sector_distances(queries, models),
        global_distances(queries, models),
    ]
    scaled = [part / part.mean(axis=1, keepdims=True) for part in parts]
    sketch = np.array([sample.is_sketch for sample in queries])[:, None]
    return np.where(sketch, scaled[0] * len(parts), np.add.reduce(scaled))
