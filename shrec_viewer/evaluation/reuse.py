"""When two profiles rank a run in the same way, so that hits found under one serve the other."""

from dataclasses import replace

import numpy as np

from shrec_viewer.domain import DistanceMatrix, Run
from shrec_viewer.metrics import Profile


def ranks_alike(run: Run, one: Profile, other: Profile) -> bool:
    """Whether `run` has the same hits under both profiles; False where that is not certain."""
    return _as_it_matters(run, one).ranking == _as_it_matters(run, other).ranking


def _as_it_matters(run: Run, profile: Profile) -> Profile:
    """The profile with those conventions that change nothing for this run brought into one form."""
    if profile.list_cut is None:
        profile = replace(profile, cut_counts="places")
    if profile.ties == "index" and not _ties_by_index_differ(run):
        profile = replace(profile, ties="file")
    if isinstance(run.ranking, DistanceMatrix):
        return profile if np.any(run.ranking.columns < 0) else replace(profile, unknown="drop")
    return profile if run.ranking.by_score else replace(profile, not_a_number="last", infinite="rank")


def _ties_by_index_differ(run: Run) -> bool:
    """Whether equal distances may stand in another order than that of the collection."""
    if isinstance(run.ranking, DistanceMatrix):
        models = run.ranking.columns
        return bool(np.any(np.diff(models[models >= 0]) < 0))
    return run.ranking.by_score
