"""Rigid geometry: laws of samples and fields, alignment of moved shapes, and the virtual run of a folder of meshes."""

import re
from dataclasses import replace
from functools import partial
from itertools import pairwise, product

import numpy as np
import pytest
from independent_loaders import data_folder
from numpy.testing import assert_allclose, assert_array_equal

from shrec_viewer.domain import Cancelled, Collection, Severity
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.evaluation import rigid_distances as module
from shrec_viewer.evaluation.parallel import cluster
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.evaluation.rigid_distances import rigid_distances
from shrec_viewer.evaluation.virtual_runs import (
    VirtualRunError,
    cost_text,
    virtual_run,
    virtual_run_findings,
    with_virtual_runs,
)
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.geometry import alignment as alignment_module
from shrec_viewer.geometry import difference as difference_module
from shrec_viewer.geometry.alignment import GOOD_FIT, POINTS_PER_CELL, PointGrid, Pose, align_meshes, similarity
from shrec_viewer.geometry.comparison import chamfer_distance
from shrec_viewer.geometry.difference import SAMPLING_FLOOR, mesh_of_difference, shape_difference
from shrec_viewer.geometry.shape import (
    CELLS,
    HALF_SIDE,
    INVERSES,
    ROTATIONS,
    distance_field,
    make_shape,
    nearest_occupied,
    surface_samples,
)
from shrec_viewer.metrics import find_profile
from shrec_viewer.render.scene.render_mesh import make_render_mesh
from shrec_viewer.render.thumbnails.cache import ThumbnailCache

PROFILE = find_profile("default")


@pytest.fixture
def coarse_surface(monkeypatch):
    """Fewer samples of surfaces after the alignment: their number, not that of vertices, takes the time."""
    monkeypatch.setattr(difference_module, "SURFACE_SAMPLES", 6000)
    monkeypatch.setattr(alignment_module, "GRID_CELLS", 16)


@pytest.fixture
def few_samples(coarse_surface, monkeypatch):
    """Samples enough for what is drawn and said, but not for the accuracy of alignments and distances."""
    monkeypatch.setattr(difference_module, "FINE_POINTS", 1024)
    monkeypatch.setattr(alignment_module, "LAST_POINTS", 384)


def box(*sides):
    """A box without symmetries but its own, with a corner cut off by a moved vertex."""
    vertices = np.array(list(product((0.0, 1.0), repeat=3))) * sides
    vertices[7] *= 0.6
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]
    return Mesh(vertices.astype(np.float32), np.array(faces, np.int32))


def moved(mesh, seed, *, rotation=None, scale=1.0, mirror=False):
    """A mesh with other coordinates and another order of faces, so that its samples are other ones."""
    random = np.random.default_rng(seed)
    turn = np.linalg.qr(random.normal(size=(3, 3)))[0] if rotation is None else rotation
    turn = turn * np.sign(np.linalg.det(turn))
    vertices = mesh.vertices * ([-1.0, 1.0, 1.0] if mirror else [1.0, 1.0, 1.0])
    vertices = scale * vertices @ turn.T + random.normal(size=3)
    return Mesh(vertices.astype(np.float32), mesh.faces[random.permutation(len(mesh.faces))])


def off_text(mesh):
    lines = ["OFF", f"{len(mesh.vertices)} {len(mesh.faces)} 0"]
    lines += [" ".join(f"{value:.7g}" for value in vertex) for vertex in mesh.vertices]
    return "\n".join([*lines, *(f"3 {a} {b} {c}" for a, b, c in mesh.faces)]) + "\n"


def test_rotations_are_the_group_of_the_cube():
    found = {tuple(matrix.ravel()) for matrix in ROTATIONS}
    assert len(found) == 24
    for one, other in product(ROTATIONS, repeat=2):
        assert tuple((one @ other).ravel()) in found
    assert_array_equal(np.einsum("rij,rjk->rik", ROTATIONS, ROTATIONS[INVERSES]), np.tile(np.eye(3), (24, 1, 1)))


def test_samples_lie_on_the_surface_in_proportion_to_its_area():
    square = Mesh(
        np.array([[0, 0, 0], [3, 0, 0], [3, 1, 0], [0, 1, 0]], np.float32), np.array([[0, 1, 2], [0, 2, 3]], np.int32)
    )
    samples = surface_samples(square, 3000)
    assert (samples[:, 2] == 0.0).all()
    for begin in range(3):  # each third holds a third, also among the first samples
        for part in (samples, samples[:300]):
            share = np.mean((part[:, 0] >= begin) & (part[:, 0] < begin + 1))
            assert abs(share - 1 / 3) < 0.06
    assert_array_equal(samples, surface_samples(square, 3000))


def test_samples_of_what_has_no_area_are_its_vertices():
    cloud = Mesh(np.arange(12, dtype=np.float32).reshape(4, 3), np.zeros((0, 3), np.int32))
    line = Mesh(cloud.vertices, np.array([[0, 1, 2]], np.int32))
    for mesh in (cloud, line):
        samples = surface_samples(mesh, 10)
        assert samples.shape == (10, 3)
        assert {tuple(one) for one in samples} == {tuple(one) for one in cloud.vertices}
    with pytest.raises(ValueError, match="has no extent"):
        make_shape(Mesh(np.ones((5, 3), np.float32), np.zeros((0, 3), np.int32)))


@pytest.mark.parametrize("seed", range(5))
def test_nearest_occupied_cell_of_a_brute_force(seed):
    random = np.random.default_rng(seed)
    is_occupied = random.random((9, 9, 9)) < (0.01, 0.05, 0.3, 0.9, 0.002)[seed]
    is_occupied[2, 3, 4] = True
    cells = np.argwhere(is_occupied)
    every = np.argwhere(np.ones_like(is_occupied))
    found = np.stack(np.unravel_index(nearest_occupied(is_occupied).ravel(), is_occupied.shape), axis=1)
    assert is_occupied[tuple(found.T)].all()
    first = cells[np.square(every[:, None] - cells).sum(axis=2).argmin(axis=1)]
    assert_array_equal(found, first, "of cells at the same distance, the first one")


def test_field_is_the_distance_within_a_cell():
    shape = make_shape(box(1, 2, 3))
    field = distance_field(shape.points).astype(float)
    centres = (np.argwhere(np.ones((CELLS,) * 3))[::97] + 0.5) * (2 * HALF_SIDE / CELLS) - HALF_SIDE
    exact = np.linalg.norm(centres[:, None] - shape.points, axis=2).min(axis=1)
    assert np.abs(field[::97] - exact).max() < np.sqrt(3) * 2 * HALF_SIDE / CELLS
    assert np.abs(field[::97] - exact).mean() < 0.05


def test_chamfer_distance_of_a_brute_force():
    random = np.random.default_rng(0)
    one, other = random.normal(size=(40, 3)), random.normal(size=(30, 3))
    all_pairs = np.linalg.norm(one[:, None] - other, axis=2)
    assert_allclose(
        chamfer_distance(one, other), (all_pairs.min(axis=1).mean() + all_pairs.min(axis=0).mean()) / 2, rtol=1e-12
    )
    assert chamfer_distance(one, one) < 1e-7


def resampled(mesh, seed, **motion):
    """The same surface with other vertices: each face is divided at a random point."""
    random = np.random.default_rng(seed)
    weights = random.dirichlet((2, 2, 2), len(mesh.faces))[:, :, None]
    centres = (mesh.vertices[mesh.faces] * weights).sum(axis=1).astype(np.float32)
    new = len(mesh.vertices) + np.arange(len(mesh.faces), dtype=np.int32)
    faces = [np.stack([mesh.faces[:, a], mesh.faces[:, b], new], axis=1) for a, b in ((0, 1), (1, 2), (2, 0))]
    return moved(Mesh(np.concatenate([mesh.vertices, centres]), np.concatenate(faces)), seed, **motion)


def permuted(mesh, seed):
    order = np.random.default_rng(seed).permutation(len(mesh.vertices))
    return Mesh(mesh.vertices[order], np.argsort(order)[mesh.faces].astype(np.int32))


@pytest.mark.parametrize("seed", range(4))
def test_alignment_finds_the_motion(seed, coarse_surface):
    mesh = box(1, 2, 4)
    other = resampled(mesh, seed, scale=1.05)
    found = align_meshes(mesh, other)
    assert found.distance < GOOD_FIT
    assert abs(found.scale - 1.05) < 0.02
    assert_allclose(found.rotation @ found.rotation.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(found.rotation) > 0
    difference = shape_difference(mesh, other)
    assert difference.sameness == "sampling"
    assert np.isnan([difference.mean, difference.worst]).all(), "below the floor of sampling, distances mean nothing"
    assert difference.sentence().startswith("Same within sampling, rotated by ")
    placed = difference.alignment.transformed(mesh.vertices)
    order = np.linalg.norm(placed[:, None] - other.vertices, axis=2).min(axis=1)
    assert order.max() < 0.05 * found.radius


@pytest.mark.parametrize("seed", range(2))
def test_same_mesh_is_said_with_the_exact_motion(seed, few_samples):
    mesh = box(1, 2, 4)
    assert align_meshes(mesh, mesh).distance < 1e-7
    assert shape_difference(mesh, mesh).sentence() == "Same mesh"
    assert shape_difference(mesh, Mesh(mesh.vertices + np.float32(5), mesh.faces)).sentence() == "Same mesh, moved"
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    angle = np.degrees(np.arccos((np.trace(turn) - 1) / 2))
    other = moved(mesh, seed, rotation=turn, scale=1.02)
    for one in (other, permuted(other, seed)):
        found = shape_difference(one, mesh)
        assert found.sentence() == f"Same mesh, rotated by {angle:.3g}° and scaled by 1.02"
        assert (found.mean, found.worst) == (0.0, 0.0)
        assert_allclose(found.alignment.rotation, turn.T, atol=1e-5)
    x, y, z = (-value for value in found.alignment.axis)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    radians = np.radians(angle)
    assert_allclose(np.eye(3) + np.sin(radians) * skew + (1 - np.cos(radians)) * skew @ skew, turn, atol=1e-5)


@pytest.mark.parametrize("seed", range(2))
def test_mirror_image_is_said(seed, few_samples):
    mesh = box(1, 2, 4)
    other = resampled(mesh, seed, mirror=True)
    without, found = shape_difference(mesh, other, may_mirror=False), shape_difference(mesh, other)
    assert found.alignment.is_mirrored
    assert found.sentence().startswith("Same within sampling, mirrored")
    assert np.linalg.det(found.alignment.rotation) < 0
    assert not without.alignment.is_mirrored
    assert without.sameness == "", "without mirror images the shapes differ"
    assert not shape_difference(mesh, resampled(mesh, seed)).alignment.is_mirrored
    flipped = Mesh(mesh.vertices * np.array([1, -1, 1], np.float32), mesh.faces)
    assert shape_difference(mesh, flipped).sentence() == "Same mesh, mirrored"
    assert shape_difference(mesh, flipped, may_mirror=False).sameness != "mesh"
    assert shape_difference(mesh, moved(mesh, seed, mirror=True)).sentence().startswith("Same mesh, mirrored")


def plain_distance(one, other):
    """The distance of an alignment by the recipe of `align_meshes`, with all distances of points."""

    def refined(points, target, pose, n_steps):
        for _ in range(n_steps):
            apart = np.linalg.norm(pose.apply(points)[:, None] - target, axis=2)
            rows = np.concatenate([np.arange(len(points)), apart.argmin(axis=0)])
            columns = np.concatenate([apart.argmin(axis=1), np.arange(len(points))])
            kept = np.argsort(apart[rows, columns], kind="stable")[: int(0.9 * 2 * len(points))]
            pose = similarity(points[rows[kept]], target[columns[kept]])
        return pose

    one, other = make_shape(one), make_shape(other)
    starts = [to.T @ turn @ of for of, to in zip(one.frames, other.frames, strict=True) for turn in ROTATIONS]
    distances = [chamfer_distance(one.points[:256] @ start.T, other.points[:256]) for start in starts]
    points, target = one.points[:384], other.points[:384]
    poses = [Pose(starts[index], 1.0, np.zeros(3)) for index in np.argsort(distances, kind="stable")[:3]]
    poses = [refined(points, target, pose, 12) for pose in poses]
    pose = min(poses, key=lambda pose: chamfer_distance(pose.apply(points), target))
    points, target = one.points[:1024], other.points[:1024]
    return chamfer_distance(refined(points, target, pose, 8).apply(points.astype(float)), target)


def models_of_shrec06(seed, count):
    files = sorted((data_folder("shrec06") / "models").glob("*.off"))
    return [read_mesh(files[index]) for index in np.random.default_rng(seed).choice(len(files), count, replace=False)]


def test_alignments_of_models_are_as_near_as_those_of_the_plain_recipe():
    meshes = models_of_shrec06(5, 5)
    for one, other in pairwise(meshes):
        assert align_meshes(one, other).distance <= 1.01 * plain_distance(one, other)


def test_copies_of_models_are_recognised_and_mirrored_ones_said(coarse_surface):
    for seed, mesh in enumerate(models_of_shrec06(6, 4)):
        copy, mirrored = (resampled(mesh, 100 + seed, scale=1.3, mirror=mirror) for mirror in (False, True))
        assert shape_difference(copy, mesh).sentence().startswith("Same within sampling, rotated")
        found = shape_difference(mirrored, mesh)
        is_symmetric = shape_difference(mirrored, mesh, may_mirror=False).sameness == "sampling"
        assert found.sameness == "sampling"
        assert found.alignment.is_mirrored or is_symmetric
        assert shape_difference(mesh, mesh).sentence() == "Same mesh"


def test_other_shapes_are_not_the_same(few_samples):
    found = shape_difference(box(1, 1, 1), box(1, 1, 6))
    assert found.mean > 2 * SAMPLING_FLOOR
    assert re.match(r"Distance: mean \d+ %, worst \d+ % of the radius; ", found.sentence())


def test_distances_are_those_of_a_brute_force(coarse_surface):
    one, other = box(1, 2, 3), box(1.0, 2.5, 3.0)
    found = shape_difference(one, other)
    placed = Mesh(found.alignment.transformed(one.vertices), one.faces)
    samples = surface_samples(placed, 3000, seed=1), surface_samples(other, 3000, seed=2)
    square = sum(np.square(one[:, None] - other) for one, other in zip(samples[0].T, samples[1].T, strict=True))
    distances = np.sqrt(square) / found.alignment.radius
    assert abs(found.mean - (distances.min(axis=1).mean() + distances.min(axis=0).mean()) / 2) < 0.02
    assert abs(found.worst - max(distances.min(axis=1).max(), distances.min(axis=0).max())) < 0.05


def test_nearest_points_of_a_brute_force():
    surface = box(1, 2, 3)
    points = np.random.default_rng(0).normal(size=(100, 3)).astype(np.float32) * 2
    samples = surface_samples(surface, 20_000)
    every = np.linalg.norm(points[:, None] - samples, axis=2)
    grid = PointGrid(samples, points)
    found, nearest = grid.nearest(points)
    assert (found >= every.min(axis=1) - 1e-5).all()
    assert np.mean(found - every.min(axis=1)) < 0.01
    assert_allclose(every[np.arange(len(points)), nearest], found, atol=1e-5)
    assert grid.nearest(samples[:500])[0].max() == 0.0


def test_points_in_few_cells_are_thinned():
    random = np.random.default_rng(0)
    points = np.concatenate([random.normal(size=(20_000, 3)), random.normal(size=(20_000, 3)) + 1e6]).astype(np.float32)
    found, nearest = PointGrid(points, points[:1]).nearest(points[::100])
    assert found.max() < 10.0
    assert len(np.unique(nearest)) <= 2 * 8 * POINTS_PER_CELL


def one_point(n=4):
    return Mesh(np.full((n, 3), 2.5, np.float32), np.zeros((0, 3), np.int32))


ODD = {
    "cloud": Mesh(box(1, 2, 4).vertices, np.zeros((0, 3), np.int32)),
    "line": Mesh(np.array([[0, 0, 0], [1, 0, 0], [3, 0, 0]], np.float32), np.array([[0, 1, 2]], np.int32)),
    "flat": Mesh(np.array([[0, 0, 0], [3, 0, 0], [0, 1, 0]], np.float32), np.array([[0, 1, 2]], np.int32)),
    "parts": Mesh(np.concatenate([box(1, 2, 4).vertices, box(1, 1, 1).vertices + np.float32(1e5)]),
                  np.concatenate([box(1, 2, 4).faces, box(1, 1, 1).faces + 8])),
    "degenerate": Mesh(box(1, 2, 4).vertices, np.zeros((5, 3), np.int32)),
    "grain": Mesh(np.concatenate([box(1, 2, 4).vertices, box(1, 1, 1).vertices * np.float32(1e-4) + np.float32(1e3)]),
                  np.concatenate([box(1, 2, 4).faces, box(1, 1, 1).faces + 8])),
    "tiny": Mesh(box(1, 2, 4).vertices * np.float32(1e-25), box(1, 2, 4).faces),
    "huge": Mesh(box(1, 2, 4).vertices * np.float32(1e25), box(1, 2, 4).faces),
    "far": Mesh(box(1, 2, 4).vertices + np.float32(1e5), box(1, 2, 4).faces),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_odd_meshes_are_compared(name, few_samples):
    odd, usual = ODD[name], box(1, 2, 4)
    for one, other, drawn in ((odd, usual, "both"), (usual, odd, "moved"), (odd, odd, "fixed")):
        mesh, difference = mesh_of_difference(one, other, drawn)
        assert np.isfinite(mesh.vertices).all()
        assert np.isfinite(mesh.frame).all()
        assert difference.sentence()
        assert difference.details()
    assert difference.sameness == "mesh"


def test_what_cannot_be_compared_is_said():
    nothing = Mesh(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.int32))
    with pytest.raises(ValueError, match=r"^it has no points$"):
        shape_difference(nothing, box(1, 1, 1))
    with pytest.raises(ValueError, match=r"^the other mesh has no extent: all of its points are equal$"):
        shape_difference(box(1, 1, 1), one_point())


def test_difference_is_coloured_by_distance(few_samples):
    one, other = box(1, 1, 1), box(1, 1, 6)
    mesh, difference = mesh_of_difference(one, other)
    placed = difference.alignment.transformed(one.vertices)
    samples = surface_samples(other, 20_000)
    distances = np.linalg.norm(placed[:, None] - samples, axis=2).min(axis=1)
    order = np.argsort(distances, kind="stable")
    blue = mesh.colours[order, 2].astype(int)
    assert (np.diff(blue) <= 3).all(), "the farther, the less blue"
    assert mesh.colours[order[-1]].tolist() == [166, 61, 0, 255]
    same, difference = mesh_of_difference(resampled(box(1, 2, 4), 3, mirror=True), box(1, 2, 4))
    assert difference.sentence().startswith("Same within sampling, mirrored")
    assert len(np.unique(same.colours, axis=0)) == 1
    original = resampled(box(1, 2, 4), 3, mirror=True)
    signs = []
    for one in (same, original):
        a, b, c = one.vertices[one.faces].transpose(1, 0, 2)
        outward = (a + b + c) / 3 - one.vertices.mean(axis=0)
        signs.append(np.sign((np.cross(b - a, c - a) * outward).sum(axis=1)))
    assert_array_equal(*signs, "the sides of faces are kept")


def test_drawn_meshes_of_a_pair_have_one_place_and_size(few_samples):
    one, other = box(1, 2, 4), moved(box(1, 2, 5), 1, scale=30)
    aligned, overlay = (mesh_of_difference(one, other, drawn)[0] for drawn in ("moved", "both"))
    fixed, difference = mesh_of_difference(other, one, "fixed")
    assert difference.sentence() == mesh_of_difference(one, other)[1].sentence(), "of the mesh that is moved"
    assert_array_equal(fixed.vertices, other.vertices)
    points = [make_render_mesh(mesh).points for mesh in (aligned, overlay, fixed)]
    assert all(np.linalg.norm(one, axis=1).max() < 1.03 for one in points)
    assert_allclose(points[1][: len(one.vertices)], points[0], atol=1e-6)
    dots = points[1][len(one.vertices) :].reshape(-1, 6, 3).mean(axis=1)
    surface = surface_samples(Mesh(points[2], fixed.faces), 20_000)
    nearest = np.linalg.norm(dots[:200, None] - surface, axis=2).min(axis=1)
    assert nearest.max() < 0.05, "the dots lie on the other mesh where it is shown alone"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Four boxes turned by rotations of the axes, in other sizes, and files that are no meshes."""
    root = tmp_path_factory.mktemp("boxes")
    for name in ("models", "queries"):
        (root / name).mkdir()
    sides = {"cube": (1, 1, 1), "rod": (1, 1, 7), "plate": (1, 6, 6), "brick": (1, 2, 4)}
    for number, (name, of_box) in enumerate(sides.items()):
        (root / "models" / f"{name}.off").write_text(off_text(box(*of_box)))
        turned = moved(box(*of_box), number, rotation=ROTATIONS[5 + 4 * number], scale=10.0**number)
        (root / "queries" / f"q_{name}.off").write_text(off_text(turned))
    (root / "models" / "damaged.off").write_text("OFF\n3 1 0\n0 0\n")
    (root / "models" / "point.off").write_text("OFF\n1 0 0\n5 5 5\n")
    ids = "\n".join(f"q_{name} 0 {name} 1" for name in sides)
    (root / "qrels.txt").write_text(f"{ids}\nq_rod 0 damaged 1\nq_rod 0 point 1\n")
    return root


def test_run_ranks_turned_copies_first(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    benchmark = read_benchmark(folder)
    shown = []
    run = virtual_run(benchmark, "geometry()", PROFILE, progress=lambda *state: shown.append(state))
    assert shown[-1] == (6, 6, "files")
    assert len(benchmark.queries) == 4
    for query, name in enumerate(benchmark.queries.ids):
        found = ranked_list(benchmark, run, query, PROFILE)
        models = [benchmark.collection.ids[item] for item in found.items]
        assert models[0] == name.removeprefix("q_")
        assert sorted(models) == ["brick", "cube", "plate", "rod"], "damaged files and points are not listed"
        assert found.distances[0] < 0.1 < found.distances[1]
    assert (virtual_run(benchmark, "geometry(depth=2)", PROFILE).ranking.indptr == [0, 2, 4, 6, 8]).all()


def test_files_that_cannot_be_compared_are_named(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    benchmark = read_benchmark(folder)
    found = set(with_virtual_runs(benchmark, ["geometry()"], PROFILE).findings) - set(benchmark.findings)
    (finding,) = (one for one in found if one.severity is Severity.WARNING)
    assert finding.message == "geometry() cannot use 2 files: damaged, point"
    assert finding.file == benchmark.name
    again = with_virtual_runs(benchmark, ["geometry()", "geometry(depth=2)"], PROFILE)  # now from the cache
    assert set(again.findings) - set(benchmark.findings) == found
    found = virtual_run_findings(benchmark, {run.name: run for run in again.runs}, "/projects/one.shrec", PROFILE)
    assert {one.file for one in found} == {benchmark.name}, "the files are of the benchmark, not of the project"


def test_distances_are_cached_by_content(folder, monkeypatch, tmp_path):
    benchmark = read_benchmark(folder)
    cache = ThumbnailCache(tmp_path)
    check = partial(int)
    first = rigid_distances(benchmark, read_mesh, check, cache=cache)
    assert np.isnan(first[:, [benchmark.collection.index[name] for name in ("damaged", "point")]]).all()

    def fail(*_):
        raise AssertionError("a file was read again")

    with monkeypatch.context() as patch:
        patch.setattr(module, "map_files", fail)
        assert_array_equal(rigid_distances(benchmark, read_mesh, check, cache=cache), first)
    changed = folder / "models" / "rod.off"
    former = changed.read_text()
    changed.write_text(off_text(box(1, 6, 6)))
    second = rigid_distances(benchmark, read_mesh, check, cache=cache)
    changed.write_text(former)
    rod, plate = (benchmark.collection.index[name] for name in ("rod", "plate"))
    assert_array_equal(second[:, rod], second[:, plate])
    assert_array_equal(np.delete(second, rod, axis=1), np.delete(first, rod, axis=1))
    cache.close()


def test_passes_and_surfaces_give_the_same_order(folder, monkeypatch):
    benchmark = read_benchmark(folder)
    check = partial(int)
    whole = rigid_distances(benchmark, read_mesh, check)
    monkeypatch.setattr(module, "QUERIES_PER_PASS", 3)
    assert_array_equal(rigid_distances(benchmark, read_mesh, check), whole)
    monkeypatch.setattr(module, "COMPARED_SURFACES", 2)
    few = rigid_distances(benchmark, read_mesh, check)
    for row, of_whole in zip(few, whole, strict=True):
        order = np.argsort(row, kind="stable")
        assert_array_equal(row[order[:2]], of_whole[order[:2]])
        assert (np.diff(row[order[:4]]) >= 0).all()


def test_run_is_cancelled_between_files(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    asked = []

    def cancelled():
        asked.append(None)
        return len(asked) > 2

    with pytest.raises(Cancelled):
        virtual_run(read_benchmark(folder), "geometry()", PROFILE, cancelled=cancelled)


def test_run_without_meshes_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "qrels.txt").write_text("q1 0 m1 1\nq2 0 m2 1\n")
    (tmp_path / "A.run").write_text("q1 0 m1 1 1 A\nq2 0 m2 1 1 A\n")
    benchmark = read_benchmark(tmp_path)
    with pytest.raises(VirtualRunError, match=r"no query and model have meshes that can be read"):
        virtual_run(benchmark, "geometry()", PROFILE)
    with pytest.raises(VirtualRunError, match=r"geometry\(\) has no arguments such as 'A'"):
        virtual_run(benchmark, "geometry(A)", PROFILE)


def test_long_work_is_said_before_it_starts(folder):
    benchmark = read_benchmark(folder)
    assert cost_text(benchmark, "geometry()") == ""
    many = Collection(tuple(f"m{number}" for number in range(100_000)), [folder / "models" / "rod.off"] * 100_000)
    text = cost_text(replace(benchmark, collection=many), "rrf(A, geometry())")
    assert re.fullmatch(
        r"It reads 100,004 files, which takes about [1-9][\d,]* (min|h) and 0\.7 GB of memory on this .*\.", text
    )
    assert cost_text(replace(benchmark, collection=many), "rrf(A)") == ""


class InProcess:
    """Runs the tasks of a cluster in this process, one after the other."""

    address = "tcp://host:1"

    def n_threads(self):
        return 2

    def checked_by(self, checkpoint):
        checkpoint()
        return self

    def run(self, function, data, tasks):
        return (function(data, task) for task in tasks)


def test_workers_of_a_cluster_give_the_same_distances(folder, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "FILES_PER_TASK", 2)
    benchmark, check, shown = read_benchmark(folder), partial(int), []
    expected = rigid_distances(benchmark, read_mesh, check)
    on_cluster = partial(cluster.map_files_on_cluster, InProcess())
    found = rigid_distances(benchmark, read_mesh, check, lambda *one: shown.append(one), map_over=on_cluster)
    assert_array_equal(found, expected)
    assert shown[-1] == (6, 6, "files")


def test_workers_that_do_not_see_the_files_say_so(folder, monkeypatch):
    paths = [path for path in read_benchmark(folder).collection.paths if path is not None]
    gone = folder / "models" / "gone.off"
    read = list(cluster.map_files_on_cluster(InProcess(), [*paths[:1], gone], read_mesh, partial(int)))
    assert dict(read)[gone] == "no such file", "a file that is not here either is no fault of the worker"
    monkeypatch.setattr(cluster, "read_task", lambda _data, task: [(path, None) for path in task])
    with pytest.raises(cluster.ClusterError, match=r"a worker of 'tcp://host:1' does not see .*off, which is here"):
        list(cluster.map_files_on_cluster(InProcess(), paths, read_mesh, partial(int)))
