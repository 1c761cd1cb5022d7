"""Distances by chance: the baseline that every method should beat."""

import random

import numpy as np
from numpy.typing import NDArray

SEED = "a monkey with a keyboard"


def chance_distances(n_queries: int, n_models: int) -> NDArray[np.float64]:
    """(Q, N) uniform in [0, 1), the same on every machine."""
    dice = random.Random(SEED)
    return np.array([[dice.random() for _ in range(n_models)] for _ in range(n_queries)])
