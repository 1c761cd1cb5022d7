"""Estimate the up axis of a collection from its shapes."""

from collections.abc import Collection
from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh

#: Models of a collection that are examined: enough for a clear majority, read in one to two seconds.
SAMPLE = 150

#: Sample points on each surface.
_POINTS = 1500

#: Lowest share of a shape's height that counts as its base.
_BASE_HEIGHT = 0.04

#: Minimum difference of evidence for a vote; half of the models of the PSB reach it, most of them correctly.
_MIN_DIFFERENCE = 0.25

#: Significance level of the sign test.
_SIGNIFICANCE = 0.01

#: Cells along each side of the box in which a shape is compared with its mirror image.
_GRID = 12

_AXES: dict[str, int] = {"Y": 1, "Z": 2}


@dataclass(frozen=True)
class UpSuggestion:
    """Evidence of the up axis of a collection.

    Attributes
    ----------
    up : axis of a significant majority; None without one.
    votes : number of models for each axis.
    examined : number of models examined; those without a vote look similar in both orientations.
    """

    up: Literal["Y", "Z"] | None
    votes: dict[str, int]
    examined: int

    def message(self) -> str:
        """The evidence as text for the user interface."""
        for_y, for_z = self.votes["Y"], self.votes["Z"]
        if self.up is None:
            return f"no clear up axis: {for_y} of {self.examined} models suggest Y up, {for_z} Z up"
        most, least = (for_z, for_y) if self.up == "Z" else (for_y, for_z)
        return f"{most} of {self.examined} models suggest {self.up} up, {least} the other axis"


def suggest_up(axes: Collection[str]) -> UpSuggestion:
    """Up axis of a collection from those of its models; the majority must be significant (one-sided sign test).

    Parameters
    ----------
    axes : `likely_up_axis` of each model.
    """
    votes = {axis: sum(vote == axis for vote in axes) for axis in _AXES}
    total, most = sum(votes.values()), max(votes.values())
    # P(at least `most` of `total` votes) if both axes were equally likely; whole numbers until the division.
    p = sum(comb(total, k) for k in range(most, total + 1)) / 2**total
    up: Literal["Y", "Z"] | None = None
    if p < _SIGNIFICANCE:
        up = "Y" if votes["Y"] > votes["Z"] else "Z"
    return UpSuggestion(up, votes, len(axes))


def likely_up_axis(mesh: Mesh) -> str:
    """Probable up axis of one model, ``"Y"`` or ``"Z"``, by its base and its asymmetry; "" if its evidence is weak.

    Upright objects have a broad base, and are symmetric left to right more often than top to bottom.
    """
    return _axis_evidence(mesh) or ""


def _axis_evidence(mesh: Mesh) -> Literal["Y", "Z"] | None:
    points = _surface_samples(mesh)
    if len(points) < 20:
        return None
    extent = np.ptp(points, axis=0)
    # Scaled by axis, so that a tall shape and a flat one are compared by their form only.
    points = (points - points.min(axis=0)) / np.where(extent > 0, extent, 1)
    base = {axis: _base_area_share(points, column) for axis, column in _AXES.items()}
    asymmetry = {axis: _asymmetry(points, column) for axis, column in _AXES.items()}
    evidence = (base["Z"] - base["Y"]) + (asymmetry["Z"] - asymmetry["Y"])
    if abs(evidence) < _MIN_DIFFERENCE:
        return None
    return "Z" if evidence > 0 else "Y"


def _surface_samples(mesh: Mesh) -> NDArray[np.float64]:
    """Points (n, 3) distributed evenly over the surface, the same at every call; of a point cloud, every n-th point."""
    if len(mesh.faces) == 0:
        step = max(1, len(mesh.vertices) // _POINTS)
        return mesh.vertices[::step].astype(np.float64)
    corners = mesh.vertices[mesh.faces].astype(np.float64)
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    if not area.sum() > 0:
        return np.zeros((0, 3))
    random = np.random.default_rng(1)
    along = np.cumsum(area) / area.sum()
    face = np.minimum(np.searchsorted(along, (np.arange(_POINTS) + 0.5) / _POINTS), len(area) - 1)
    one, two = random.random((2, _POINTS, 1))
    fold = one + two > 1
    one, two = np.where(fold, 1 - one, one), np.where(fold, 1 - two, two)
    start = corners[face, 0]
    return start + one * (corners[face, 1] - start) + two * (corners[face, 2] - start)


def _base_area_share(points: NDArray[np.float64], axis: int) -> float:
    """Share of the area of the box's bottom that the lowest points span, 0 to 1."""
    return _hull_area(np.delete(points, axis, axis=1)[points[:, axis] <= _BASE_HEIGHT])


def _hull_area(flat: NDArray[np.float64]) -> float:
    """Area that points (n, 2) of the unit square span, by the extreme points in sixteen directions."""
    if len(flat) < 3:
        return 0.0
    angle = np.arange(16) * np.pi / 8
    ring = flat[np.argmax(flat @ np.stack([np.cos(angle), np.sin(angle)]), axis=0)]
    following = np.roll(ring, -1, axis=0)
    return float(abs((ring[:, 0] * following[:, 1] - ring[:, 1] * following[:, 0]).sum()) / 2)


def _asymmetry(points: NDArray[np.float64], axis: int) -> float:
    """Difference of a shape from its mirror image along an axis, 0 to 1."""
    cell = np.minimum((points * _GRID).astype(np.int64), _GRID - 1)
    mirrored = cell.copy()
    mirrored[:, axis] = _GRID - 1 - mirrored[:, axis]
    sides = (np.ravel_multi_index(tuple(part.T), (_GRID,) * 3) for part in (cell, mirrored))
    one, two = (np.bincount(side, minlength=_GRID**3) for side in sides)
    return float(np.abs(one - two).sum() / (2 * len(points)))
