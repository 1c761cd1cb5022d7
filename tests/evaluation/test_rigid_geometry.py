"""Rigid geometry: laws of samples and fields, alignment of moved shapes, and the virtual run of a folder of meshes."""

import re
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pytest
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
from shrec_viewer.geometry.alignment import SAMPLING_FLOOR, align_meshes, surface_distances
from shrec_viewer.geometry.comparison import chamfer_distance
from shrec_viewer.geometry.difference import coloured_difference
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
from shrec_viewer.render.thumbnails.cache import ThumbnailCache

PROFILE = find_profile("default")


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
    least = np.square(every[:, None] - cells).sum(axis=2).min(axis=1)
    assert_array_equal(np.square(every - found).sum(axis=1), least)


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


@pytest.mark.parametrize("seed", range(8))
def test_alignment_finds_the_motion(seed):
    mesh = box(1, 2, 4)
    itself = align_meshes(mesh, mesh)
    assert itself.distance < 1e-7
    assert itself.sentence() == "Same shape within sampling"
    other = moved(mesh, seed, scale=1.02)
    found = align_meshes(mesh, other)
    assert found.is_same
    assert abs(found.scale - 1.02) < 0.02
    assert_allclose(found.rotation @ found.rotation.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(found.rotation) > 0
    assert "rotated by" in found.sentence()
    assert "scaled by 1.0" in found.sentence()
    placed = found.transformed(mesh.vertices)
    order = np.linalg.norm(placed[:, None] - other.vertices, axis=2).min(axis=1)
    assert order.max() < 0.12 * found.radius


@pytest.mark.parametrize("seed", range(3))
def test_mirror_image_is_said(seed):
    mesh = box(1, 2, 4)
    other = moved(mesh, seed, mirror=True)
    without, found = align_meshes(mesh, other), align_meshes(mesh, other, may_mirror=True)
    assert found.is_mirrored
    assert found.is_same
    assert found.distance < without.distance
    assert found.sentence().startswith("Same shape within sampling, mirrored")
    assert np.linalg.det(found.rotation) < 0
    again = align_meshes(mesh, moved(mesh, seed), may_mirror=True)
    assert not again.is_mirrored


def test_other_shapes_are_not_the_same():
    found = align_meshes(box(1, 1, 1), box(1, 1, 6), may_mirror=True)
    assert found.distance > 2 * SAMPLING_FLOOR
    assert found.sentence().startswith(f"Mean distance {found.distance:.2f} radii")


def test_surface_distances_of_a_brute_force():
    surface = box(1, 2, 3)
    vertices = np.random.default_rng(0).normal(size=(100, 3)).astype(np.float32) * 2
    samples = surface_samples(surface, 50_000)
    exact = np.linalg.norm(vertices[:, None] - samples, axis=2).min(axis=1)
    found = surface_distances(vertices, surface)
    assert (found >= exact - 1e-5).all()
    assert np.mean(found - exact) < 0.01
    assert surface_distances(samples[:500], surface).max() == 0.0


def test_difference_is_coloured_by_distance():
    other = box(1, 1, 6)
    mesh, sentence = coloured_difference(box(1, 1, 1), other)
    assert re.fullmatch(r"Mean distance 0\.\d\d radii.*; colours from 0 to 0\.\d\d radii, worst .*", sentence)
    distances = surface_distances(mesh.vertices, other)
    order = np.argsort(distances, kind="stable")
    assert (np.diff(mesh.colours[order, 2].astype(int)) <= 0).all(), "the farther, the less blue"
    assert mesh.colours[order[-1]].tolist() == [166, 61, 0, 255]
    same, sentence = coloured_difference(moved(box(1, 2, 4), 3, mirror=True), box(1, 2, 4))
    assert sentence.startswith("Same shape within sampling, mirrored")
    assert len(np.unique(same.colours, axis=0)) == 1
    normals = np.cross(*(same.vertices[same.faces[:, corner]] - same.vertices[same.faces[:, 0]] for corner in (1, 2)))
    outward = same.vertices[same.faces].mean(axis=1) - same.vertices.mean(axis=0)
    original = moved(box(1, 2, 4), 3, mirror=True)
    of_original = np.cross(
        *(original.vertices[original.faces[:, corner]] - original.vertices[original.faces[:, 0]] for corner in (1, 2))
    )
    from_centre = original.vertices[original.faces].mean(axis=1) - original.vertices.mean(axis=0)
    signs = np.sign((normals * outward).sum(axis=1)), np.sign((of_original * from_centre).sum(axis=1))
    assert_array_equal(signs[0], signs[1], "the sides of faces are kept")


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
