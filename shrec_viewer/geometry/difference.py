"""Difference of two meshes: alignment, distances and words, and the meshes that show it."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.domain.value_scale import ValueLegend, ValueScale
from shrec_viewer.geometry.alignment import (
    FINE_POINTS,
    FINE_STEPS,
    GOOD_FIT,
    SURFACE_SAMPLES,
    TRIMMED,
    Alignment,
    PointGrid,
    Pose,
    Start,
    align_shapes,
    find_start,
    similarity,
)
from shrec_viewer.geometry.comparison import square_factors
from shrec_viewer.geometry.shape import SEED, Shape, make_shape, surface_samples
from shrec_viewer.number_format import format_percent

#: Distance of vertices in radii up to which two meshes are the same: files have six digits or fewer.
SAME_VERTEX = 1e-3

#: Vertices of the largest mesh of which corresponding ones are searched in another order, and steps of this search.
MATCHED_VERTICES, MATCH_STEPS = 50_000, 6

#: Mean distance of the surfaces in radii below which their samples cannot tell them apart, at least; and in mean
#: distances of other samples of the same surface, which are larger where much surface is within a small radius.
#:
#: Models of SHREC 2006 that were rotated, scaled and sampled again have 0.007 to 0.012 radii, other ones at least 0.08.
SAMPLING_FLOOR, SAMPLE_DISTANCES = 0.015, 1.6

#: Other samples of the same surface.
FLOOR_POINTS = 1024

#: Share of the mean distance of the mesh itself below which its mirror image is taken: others are near symmetric.
#: And of the distance of some samples below which it is aligned at all, unless the mesh itself is near.
MIRROR_GAIN, MIRROR_HINT = 0.9, 0.96

#: Samples of the largest distances, which are computed again without a grid, some at once until none can be larger.
EXACT_WORST, EXACT_AT_ONCE = 64, 8

#: Percentile of the distances that has the last colour; larger ones have it, too.
LAST_PERCENTILE = 98.0

#: Colours of distances in sRGB: none, half, and the last one; the hue of losses, which no other surface has.
COLOURS = np.array([[236, 238, 240], [255, 159, 112], [166, 61, 0]], np.float64)

#: Colours of a legend of distances.
N_LEGEND_COLOURS = 64

#: Colour of the other mesh in an overlay in sRGB, as dots: their number, and their radius in radii of the mesh.
OTHER_COLOUR, N_DOTS, DOT_RADIUS = (0, 86, 155), 2500, 0.014

#: Smallest rotation in degrees and relative change of scale that are said, of the same mesh and of others.
SAID_OF_MESH, SAID_OF_SHAPE = (0.05, 1e-4), (0.5, 5e-3)

#: What two meshes have in common: the same vertices; shapes that samples cannot tell apart; or neither.
Sameness = Literal["mesh", "sampling", ""]

#: What is drawn of a comparison: the mesh aligned with the other one and coloured; the same and the other one as dots;
#: or the mesh as it is, in the place and size that it has in the first two.
Drawn = Literal["moved", "both", "fixed"]


@dataclass(frozen=True, eq=False)
class ShapeDifference:
    """How a mesh differs from another one: how it results from that one, and what distance remains.

    Attributes
    ----------
    alignment : of the mesh with the other one.
    sameness : see `Sameness`.
    mean, worst : distance of the surfaces after the alignment, both ways, in root mean square radii of the other one;
        0 for the same mesh, NaN for shapes that are the same within sampling.
    shift : distance of the centres in the files, in these radii.
    last : distance at the end of the colour scale of this pair, in these radii; larger distances have the same colour.
        0 for the same shapes, and where no distances are drawn.
    """

    alignment: Alignment
    sameness: Sameness
    mean: float
    worst: float
    shift: float = 0.0
    last: float = 0.0

    @property
    def scale(self) -> float:
        """Size of the mesh relative to the other one."""
        return 1.0 / self.alignment.scale

    @property
    def distances(self) -> str:
        """Mean and largest distance, or that there is none."""
        if self.sameness == "mesh":
            return "Same mesh"
        if self.sameness == "sampling":
            return "Same within sampling"
        mean = format_percent(self.mean, 1 if self.mean < 0.1 else 0)
        return f"Mean {mean}, worst {format_percent(self.worst)} of the radius"

    @property
    def motion(self) -> str:
        """How the mesh results from the other one: ``"mirrored, rotated by 37° and scaled by 1.02"``; "" for not."""
        is_mesh = self.sameness == "mesh"
        angle, scale = SAID_OF_MESH if is_mesh else SAID_OF_SHAPE
        digits = ".4g" if is_mesh else ".3g"
        parts = ["mirrored"] if self.alignment.is_mirrored else []
        parts += [f"rotated by {self.alignment.degrees:{'.3g' if is_mesh else '.0f'}}°"] * (
            self.alignment.degrees >= angle
        )
        parts += [f"scaled by {self.scale:{digits}}"] * (abs(self.scale - 1.0) >= scale)
        parts += ["moved"] if is_mesh and not parts and self.shift > SAME_VERTEX else []
        return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)

    def details(self) -> str:
        """The transformation in numbers, and the unit of the distances, for display."""
        alignment = self.alignment
        axis = ", ".join(f"{-value:.2f}" for value in alignment.axis)
        parts = [f"rotation {alignment.degrees:.1f}° about ({axis})" if alignment.degrees >= SAID_OF_MESH[0] else ""]
        parts += [f"scale {self.scale:.4g}", f"moved by {self.shift:.3g} radii"]
        text = ", ".join(filter(None, parts))
        return f"{text[:1].upper()}{text[1:]}\nRadius: root mean square distance of the surface from its centre"

    def sentence(self) -> str:
        """How the mesh differs, for display."""
        start = self.distances if self.sameness else f"Distance: {self.distances[:1].lower()}{self.distances[1:]}"
        return (", " if self.sameness else "; ").join(filter(None, (start, self.motion)))


def shape_difference(mesh: Mesh, other: Mesh, *, may_mirror: bool = True) -> ShapeDifference:
    """Align a mesh with another one and measure the distances that remain.

    Parameters
    ----------
    may_mirror : whether the mirror image of the mesh is tried as well.

    Raises
    ------
    ValueError
        If a mesh has no points or no extent; the text says so of "it" or "the other mesh".
    """
    return _Pair(mesh, other, may_mirror=may_mirror).difference


class _Pair:
    """Two meshes in the unit of the second one: its centre at 0, its root mean square radius 1."""

    def __init__(self, mesh: Mesh, other: Mesh, *, may_mirror: bool) -> None:
        shapes = _shape(mesh, "it"), _shape(other, "the other mesh")
        start = find_start(*shapes)
        alignment = align_shapes(*shapes, start)
        self.moved, self.radius = mesh, alignment.radius
        vertices = other.vertices.astype(np.float64)
        self.centre = (vertices.min(axis=0) + vertices.max(axis=0)) / 2.0
        self.original, self.other = other, Mesh(self._scaled(vertices), other.faces)
        matched = _matched(mesh, other, alignment, may_mirror=may_mirror)
        self._place(mesh, matched or alignment)
        self._samples = surface_samples(self.other, SURFACE_SAMPLES)
        self.grid = PointGrid(self._samples, self._around())
        if matched is not None:
            self.difference = ShapeDifference(matched, "mesh", 0.0, 0.0, _shift(matched, mesh))
            return
        apart, _ = self.grid.nearest(surface_samples(self.other, FLOOR_POINTS, seed=SEED + 1))
        floor = max(SAMPLING_FLOOR, SAMPLE_DISTANCES * float(apart.mean()))
        self._own = surface_samples(mesh, SURFACE_SAMPLES).astype(np.float64)
        limit = max(GOOD_FIT, alignment.distance)
        alignment, mean, worst = self._measured(mesh, alignment)
        if may_mirror and mean >= floor:
            mirrored = _mirrored(shapes, start, is_near=limit == GOOD_FIT)
            placed = self.moved
            found = self._measured(mesh, mirrored) if mirrored is not None and mirrored.distance < limit else None
            if found is not None and found[1] < MIRROR_GAIN * mean:
                alignment, mean, worst = found
            else:
                self.moved = placed
        shift = _shift(alignment, mesh)
        if mean < floor:
            self.difference = ShapeDifference(alignment, "sampling", float("nan"), float("nan"), shift)
        else:
            self.difference = ShapeDifference(alignment, "", mean, worst, shift)

    def _scaled(self, vertices: NDArray[np.float64]) -> NDArray[np.float32]:
        return ((vertices - self.centre) / self.radius).astype(np.float32)

    def _place(self, mesh: Mesh, alignment: Alignment) -> None:
        moved = _placed(mesh.vertices.astype(np.float64), alignment)
        faces = np.ascontiguousarray(mesh.faces[:, ::-1]) if alignment.is_mirrored else mesh.faces
        self.moved = Mesh(self._scaled(moved), faces, notes=mesh.notes)

    def _around(self) -> NDArray[np.float32]:
        return np.stack([self.moved.vertices.min(axis=0), self.moved.vertices.max(axis=0)])

    def _measured(self, mesh: Mesh, alignment: Alignment) -> tuple[Alignment, float, float]:
        """A good fit refined, or the alignment; mean and largest distance in its place."""
        if alignment.distance < GOOD_FIT:
            alignment = self._refined(alignment)
        self._place(mesh, alignment)
        return alignment, *self._distances(self._scaled(_placed(self._own, alignment)))

    def _refined(self, alignment: Alignment) -> Alignment:
        """The alignment after some steps with more samples."""
        samples = self._own[:FINE_POINTS]
        target = self._samples.astype(np.float64) * self.radius + self.centre
        for _ in range(FINE_STEPS):
            distances, nearest = self.grid.nearest(self._scaled(_placed(samples, alignment)))
            kept = np.argsort(distances, kind="stable")[: int((1.0 - TRIMMED) * len(samples))]
            pose = similarity(samples[kept], target[nearest[kept]], is_mirrored=alignment.is_mirrored)
            alignment = _with_pose(alignment, pose)
        return alignment

    def _distances(self, own: NDArray[np.float32]) -> tuple[float, float]:
        """Mean and largest distance of samples to the nearest ones of the other mesh, both ways."""
        samples = self._samples
        grids = (self.grid, samples), (PointGrid(own, samples), own)
        parts = own[:FINE_POINTS], samples[:FINE_POINTS]
        means, worst = [], 0.0
        for (grid, target), points in zip(grids, parts, strict=True):
            distances, _ = grid.nearest(points)
            means.append(float(distances.mean()))
            farthest = np.argsort(-distances, kind="stable")[:EXACT_WORST]
            for start in range(0, len(farthest), EXACT_AT_ONCE):
                chosen = farthest[start : start + EXACT_AT_ONCE]
                if distances[chosen[0]] <= worst:  # distances of a grid are never too small
                    break
                a, b = square_factors(points[chosen], target)
                worst = max(worst, float(np.sqrt(max((a @ b.T).min(axis=1).max(), 0.0))))
        return sum(means) / 2.0, worst

    def drawn(self, drawn: Drawn, last: float) -> Mesh:
        """The mesh that shows the difference; `last` see `mesh_of_difference`."""
        frame = _frame(np.concatenate([self.moved.vertices, self.other.vertices]))
        if drawn == "fixed":
            x, y, z, radius = frame
            x, y, z = (self.centre + self.radius * np.array([x, y, z])).tolist()
            return replace(self.original, frame=(x, y, z, radius * self.radius))
        shares, own_last = self._shares(last)
        self.difference = replace(self.difference, last=own_last)
        colours = np.stack([np.interp(shares, (0.0, 0.5, 1.0), column) for column in COLOURS.T], axis=1).round()
        moved = replace(self.moved, colours=_rgba(colours))
        if drawn == "both":
            if not len(moved.faces):
                chosen = np.linspace(0, len(shares) - 1, min(N_DOTS, len(shares))).astype(np.int64)
                moved = replace(_dots(moved.vertices[chosen], colours[chosen], frame[3]), notes=moved.notes)
            others = surface_samples(self.other, N_DOTS)
            moved = _joined(moved, _dots(others, np.broadcast_to(OTHER_COLOUR, others.shape), frame[3]))
        return replace(moved, frame=frame)

    def _shares(self, last: float) -> tuple[NDArray[np.float32], float]:
        """(V,) colours of the vertices in [0, 1], and `ShapeDifference.last`; all 0 for the same shapes."""
        if self.difference.sameness:
            return np.zeros(len(self.moved.vertices), np.float32), 0.0
        distances, _ = self.grid.nearest(self.moved.vertices)
        own_last = max(float(np.percentile(distances, LAST_PERCENTILE)), SAMPLING_FLOOR)
        shares: NDArray[np.float32] = np.minimum(distances / np.float32(last or own_last), 1.0)
        return shares, own_last


def distance_legend(last: float) -> ValueLegend | None:
    """What the colours of differences mean that are drawn up to a distance; None for 0, where they mean nothing."""
    if not last:
        return None
    shares = np.linspace(0.0, 1.0, N_LEGEND_COLOURS)
    colours = np.stack([np.interp(shares, (0.0, 0.5, 1.0), column) for column in COLOURS.T], axis=1).round()
    ticks = (
        (0.0, format_percent(0.0)),
        (1.0, f"≥ {format_percent(last, 1 if last < 0.1 else 0)}"),
    )
    scale = ValueScale("distance", 0.0, last)
    return ValueLegend("radii", scale, _rgba(np.concatenate([colours, colours[-1:]])), ticks, clips_high=True)


def mesh_of_difference(
    mesh: Mesh, other: Mesh, drawn: Drawn = "moved", *, may_mirror: bool = True, last: float = 0.0
) -> tuple[Mesh, ShapeDifference]:
    """What is drawn of a comparison, and the difference of the mesh from the other one.

    For "fixed" it is the mesh with which the other one is aligned, and the difference is that of the other one. All
    three have the same `Mesh.frame` for the same pair.

    Parameters
    ----------
    last : distance at the end of the colour scale; 0 for that of this pair.

    Raises
    ------
    ValueError
        As `shape_difference`.
    """
    pair = _Pair(other, mesh, may_mirror=may_mirror) if drawn == "fixed" else _Pair(mesh, other, may_mirror=may_mirror)
    shown = pair.drawn(drawn, last)
    return shown, pair.difference


def _shape(mesh: Mesh, name: str) -> Shape:
    """The shape of a mesh; ValueError, whose text names the mesh, if it cannot be aligned."""
    try:
        return make_shape(mesh)
    except ValueError as error:
        raise ValueError(f"{name} {error}") from error


def _mirrored(shapes: tuple[Shape, Shape], start: Start, *, is_near: bool) -> Alignment | None:
    """The alignment of the mirror image; None if some samples are not nearer to the other shape than from `start`.

    Parameters
    ----------
    is_near : whether `start` leads to a good fit, so that some samples cannot say which image is nearer.
    """
    found = find_start(*shapes, is_mirrored=True)
    return align_shapes(*shapes, found) if is_near or found.distance < MIRROR_HINT * start.distance else None


def _matched(mesh: Mesh, other: Mesh, alignment: Alignment, *, may_mirror: bool) -> Alignment | None:
    """The alignment of meshes with the same vertices, in the order of the files or in another one; None for others."""
    n = len(mesh.vertices)
    if n != len(other.vertices) or len(mesh.faces) != len(other.faces):
        return None
    vertices, target = mesh.vertices.astype(np.float64), other.vertices.astype(np.float64)
    for is_mirrored in (False, True) if may_mirror else (False,):
        found = _with_pose(alignment, similarity(vertices, target, is_mirrored=is_mirrored), is_mirrored=is_mirrored)
        if float(np.abs(_placed(vertices, found) - target).max()) <= SAME_VERTEX * found.radius:
            return found
    if alignment.distance >= GOOD_FIT or n > MATCHED_VERTICES:
        return None
    grid = PointGrid(target.astype(np.float32), target[:1].astype(np.float32))
    former = np.inf
    for _ in range(MATCH_STEPS):
        placed = _placed(vertices, alignment).astype(np.float32)
        distances, nearest = grid.nearest(placed)
        if float(distances.max()) <= SAME_VERTEX * alignment.radius:
            back, _ = PointGrid(placed, placed[:1]).nearest(target.astype(np.float32))
            return alignment if float(back.max()) <= SAME_VERTEX * alignment.radius else None
        if not (mean := float(distances.mean())) < former:
            return None
        former = mean
        alignment = _with_pose(alignment, similarity(vertices, target[nearest], is_mirrored=alignment.is_mirrored))
    return None


def _with_pose(alignment: Alignment, pose: Pose, *, is_mirrored: bool | None = None) -> Alignment:
    mirrored = alignment.is_mirrored if is_mirrored is None else is_mirrored
    shift = np.asarray(pose.shift)
    return replace(alignment, rotation=pose.rotation, scale=float(pose.scale), translation=shift, is_mirrored=mirrored)


def _placed(vertices: NDArray[np.float64], alignment: Alignment) -> NDArray[np.float64]:
    placed: NDArray[np.float64] = alignment.scale * vertices @ alignment.rotation.T + alignment.translation
    return placed


def _shift(alignment: Alignment, mesh: Mesh) -> float:
    """Distance in radii by which the centre of the bounding box of a mesh is moved."""
    vertices = mesh.vertices.astype(np.float64)
    centre = (vertices.min(axis=0) + vertices.max(axis=0)) / 2.0
    return float(np.linalg.norm(_placed(centre[None], alignment)[0] - centre)) / alignment.radius


def _frame(points: NDArray[np.float32]) -> tuple[float, float, float, float]:
    """Centre and radius of a sphere around points; see `Mesh.frame`."""
    points = points.astype(np.float64)
    centre = (points.min(axis=0) + points.max(axis=0)) / 2.0
    x, y, z = centre.tolist()
    return x, y, z, float(np.linalg.norm(points - centre, axis=1).max())


def _rgba(colours: NDArray[Any]) -> NDArray[np.uint8]:
    rgba: NDArray[np.uint8] = np.concatenate([colours, np.full((len(colours), 1), 255.0)], axis=1).astype(np.uint8)
    return rgba


def _dots(points: NDArray[np.float32], colours: NDArray[Any], radius: float) -> Mesh:
    """Octahedra in place of points, as both renderers draw either faces or points."""
    corners = np.concatenate([np.eye(3), -np.eye(3)]).astype(np.float32) * np.float32(DOT_RADIUS * radius)
    faces = [(a, b, c) if (a < 3) ^ (b < 3) ^ (c < 3) else (a, c, b) for a in (0, 3) for b in (1, 4) for c in (2, 5)]
    vertices = (points[:, None] + corners).reshape(-1, 3)
    starts = 6 * np.arange(len(points), dtype=np.int32)[:, None, None]
    return Mesh(
        vertices, (starts + np.array(faces, np.int32)).reshape(-1, 3), _rgba(np.repeat(colours, 6, axis=0))
    )  # fmt: skip


def _joined(one: Mesh, other: Mesh) -> Mesh:
    """Both meshes as one; the first one has the notes."""
    assert one.colours is not None
    assert other.colours is not None
    return Mesh(
        np.concatenate([one.vertices, other.vertices]),
        np.concatenate([one.faces, other.faces + np.int32(len(one.vertices))]),
        np.concatenate([one.colours, other.colours]),
        one.notes,
    )
