"""The worked example of the SHREC 2006 report, section 4."""

import numpy as np

from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable

#: Levels of the models in the list.
EXAMPLE_GAINS = (2, 2, 1, 2, 2, 1, 0, 1, 0, 1, 2, 0, 0, 0)

#: Marginally and highly relevant models, and size of the collection.
EXAMPLE_SIZES, EXAMPLE_COLLECTION = (5, 6), 1814


def example_hits(profile: Profile) -> HitTable:
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
