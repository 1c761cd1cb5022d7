"""Groups of runs, such as checkpoints or seeds of one method: mean, deviation, and the member that represents them."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.scores import Scores, mean_of_defined
from shrec_viewer.formats.core.ids import natural_sorted

#: Between the patterns of one group.
SEPARATOR = ","


@dataclass(frozen=True, eq=False)
class RunGroup:
    """Runs whose names match a pattern.

    Attributes
    ----------
    pattern : of names: ``"net_*"``, or several with commas.
    members : (n,) names, in natural order.
    representative : the member that stands for the group: its mean in the main measure is the median; of an even
        number, the lower one in the middle. Undefined means are the last ones.
    means : (n, M) float64, means of the members in the measures of the scores; NaN undefined.
    """

    pattern: str
    members: tuple[str, ...]
    representative: str
    means: NDArray[np.float64]

    @property
    def mean(self) -> NDArray[np.float64]:
        """(M,) float64, mean over the members; NaN without a defined value."""
        return mean_of_defined(self.means, axis=0)

    @property
    def deviation(self) -> NDArray[np.float64]:
        """(M,) float64, standard deviation over the members with divisor n - 1; NaN of fewer than two."""
        count = np.count_nonzero(~np.isnan(self.means), axis=0)
        squares = np.nansum(np.square(self.means - self.mean), axis=0)
        return np.sqrt(np.divide(squares, count - 1, out=np.full(len(count), np.nan), where=count > 1))


def members_of(pattern: str, runs: Sequence[str]) -> tuple[str, ...]:
    """Names of the runs that are, or match, one of the patterns separated by commas, in natural order."""
    parts = [part.strip() for part in pattern.split(SEPARATOR)]
    matching = [name for name in runs if any(name == part or fnmatchcase(name, part) for part in parts)]
    return tuple(natural_sorted(matching))


def pattern_of(members: Sequence[str], runs: Sequence[str]) -> str:
    """A pattern of exactly these runs: their common beginning and ``*`` where no other run has it, else all names."""
    names = sorted(members)
    length = next((n for n, (a, b) in enumerate(zip(names[0], names[-1], strict=False)) if a != b), len(names[0]))
    short = f"{names[0][:length]}*"
    return short if length and set(members_of(short, runs)) == set(members) else SEPARATOR.join(natural_sorted(names))


def run_groups(scores: Scores, patterns: Sequence[str], measure: int = 0) -> tuple[RunGroup, ...]:
    """The groups of the runs of `scores`.

    Parameters
    ----------
    measure : column that says which member stands for a group.

    Raises
    ------
    ShrecViewerError
        If no run matches a pattern, or one matches several.
    """
    means, owner = scores.mean(), dict[str, str]()
    groups = []
    for pattern in dict.fromkeys(patterns):
        members = members_of(pattern, scores.runs)
        if not members:
            raise ShrecViewerError(f"no run matches '{pattern}'; the runs are {', '.join(scores.runs)}")
        for name in members:
            if name in owner:
                raise ShrecViewerError(f"the run '{name}' is in two groups, '{owner[name]}' and '{pattern}'")
            owner[name] = pattern
        values = means[[scores.run_index(name) for name in members]]
        order = np.argsort(values[:, measure], kind="stable")
        defined = int(np.count_nonzero(~np.isnan(values[:, measure]))) or len(members)
        groups.append(RunGroup(pattern, members, members[order[(defined - 1) // 2]], values))
    return tuple(groups)


def with_representatives(scores: Scores, groups: Sequence[RunGroup]) -> Scores:
    """The scores with one member of each group."""
    others = {name for group in groups for name in group.members if name != group.representative}
    return scores.select_runs([row for row, name in enumerate(scores.runs) if name not in others])


def group_record(group: RunGroup, scores: Scores, measure: int = 0) -> dict[str, Any]:
    """Record of a group for JSON documents; None for NaN."""

    def by_key(values: NDArray[np.float64]) -> dict[str, float | None]:
        pairs = zip(scores.measures, values.tolist(), strict=True)
        return {one.key: None if value != value else value for one, value in pairs}

    return {
        "pattern": group.pattern,
        "representative": group.representative,
        "median_of": scores.measures[measure].key,
        "mean": by_key(group.mean),
        "deviation": by_key(group.deviation),
        "members": [
            {"name": name, "mean": by_key(values)} for name, values in zip(group.members, group.means, strict=True)
        ],
    }
