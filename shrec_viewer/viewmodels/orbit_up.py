"""Which axis of a collection points up: what the person said, remembered, and what its models suggest."""

import json
import logging
import os
import tempfile
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh

_log = logging.getLogger(__name__)

Up = Literal["Y", "Z"]

SOLE = 0.02
"""Share of the height within which a model stands on the ground."""

CLEARLY = 2.0
"""Times that the sole along one axis must be larger than along the other to count."""

LEAST_SOLE = 0.03
"""Share of the ground that a sole must cover; less is a point that happens to lie lowest."""

ALIKE = 0.3
"""Share by which both ends of an axis differ, if one of them is the foot."""

LEAST_VOTES, MAJORITY = 4, 0.75
"""Models that must have said something, and the share of them that must agree, before anything is suggested."""

MOST_REMEMBERED = 200
"""Collections whose axis is kept; those set longest ago are forgotten first."""


class UpMemory:
    """Keeps the axis of each collection in a file of its own.

    Parameters
    ----------
    path : the file; None remembers nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def up_of(self, root: Path) -> Up | None:
        """What was said about the collection at `root`; None where nothing was."""
        said = self._read().get(str(root.resolve()))
        return "Z" if said == "Z" else "Y" if said == "Y" else None

    def remember(self, root: Path, up: Up) -> None:
        """Keep it; a disk that cannot be written is a warning."""
        if self._path is None:
            return
        known = self._read()
        known.pop(str(root.resolve()), None)
        known[str(root.resolve())] = up
        kept = dict(list(known.items())[-MOST_REMEMBERED:])
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=self._path.name)
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                json.dump(kept, stream, indent=1)
            os.replace(name, self._path)
        except OSError as error:
            _log.warning("%s cannot be written (%s); the up axis is not remembered", self._path, error)

    def _read(self) -> dict[str, str]:
        if self._path is None or not self._path.exists():
            return {}
        try:
            known = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            _log.warning("%s cannot be read (%s); no up axis is known", self._path, error)
            return {}
        return {str(key): str(value) for key, value in known.items()} if isinstance(known, dict) else {}


class UpVotes:
    """Counts on which side models stand; suggests an axis once enough of them agree."""

    def __init__(self) -> None:
        self._votes: dict[Path, str] = {}

    def count(self, path: Path, stands_on: str) -> None:
        """A model of the collection stands along ``"Y"``, ``"Z"``, or says nothing (``""``)."""
        if stands_on:
            self._votes[path] = stands_on

    @property
    def suggestion(self) -> Up | None:
        """The axis that most models stand along; None while too few say anything."""
        votes = list(self._votes.values())
        for up in ("Y", "Z"):
            if len(votes) >= LEAST_VOTES and votes.count(up) >= MAJORITY * len(votes):
                return up
        return None

    @property
    def words(self) -> str:
        """``"5 of 6"``: how many agree with the suggestion."""
        votes = list(self._votes.values())
        return f"{votes.count(self.suggestion or '')} of {len(votes)}"


def stands_on(mesh: Mesh) -> str:
    """Axis along which a model has a flat sole at its lower end, ``"Y"`` or ``"Z"``; "" where neither is clear.

    The sole is the area of the triangles that lie within `SOLE` of the lowest point, as a share of the ground under the
    bounding box. An axis along which both ends are alike lies flat: the sides of a table are no soles.
    """
    if not len(mesh.faces):
        return ""
    points = mesh.vertices.astype(np.float64)
    extent = np.ptp(points, axis=0)
    if (extent <= 0).any():
        return ""
    points = (points - points.min(axis=0)) / extent
    soles = {}
    for name, axis in (("Y", 1), ("Z", 2)):
        low, high = _end(points, mesh, axis), _end(1 - points, mesh, axis)
        soles[name] = low if abs(low - high) > ALIKE * max(low, high) else 0.0
    best, other = sorted(soles, key=lambda name: -soles[name])
    return best if soles[best] >= LEAST_SOLE and soles[best] > CLEARLY * soles[other] else ""


def _end(points: NDArray[np.float64], mesh: Mesh, axis: int) -> float:
    """Area of the triangles at the lower end of an axis; (V, 3) points within the unit cube."""
    near = points[:, axis] <= SOLE
    flat = np.delete(points, axis, axis=1)[mesh.faces[near[mesh.faces].all(axis=1)]]
    first, second = flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]
    return float(np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]).sum() / 2)


def up_memory() -> UpMemory:
    """What is remembered where this system keeps settings."""
    from platformdirs import user_config_path

    return UpMemory(user_config_path("shrec-viewer", appauthor=False) / "upright.json")
