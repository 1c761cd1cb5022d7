"""The numpy rasteriser against a slow reference that tests every triangle at every sample."""

import numpy as np
import pytest

from shrec_viewer.render.software import raster
from shrec_viewer.render.software.raster import NO_FACE, rasterise


def slow(points: np.ndarray, faces: np.ndarray, width: int, height: int) -> np.ndarray:
    """Nearest face at each sample by barycentric coordinates; samples on an edge count as inside."""
    index, nearest = np.full((height, width), NO_FACE), np.full((height, width), np.inf)
    for number, (a, b, c) in enumerate(points[faces]):
        area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        if area == 0:
            continue
        for row in range(height):
            for column in range(width):
                x, y = column + 0.5, row + 0.5
                u = ((b[0] - x) * (c[1] - y) - (b[1] - y) * (c[0] - x)) / area
                v = ((c[0] - x) * (a[1] - y) - (c[1] - y) * (a[0] - x)) / area
                w = 1 - u - v
                depth = u * a[2] + v * b[2] + w * c[2]
                if min(u, v, w) >= 0 and depth < nearest[row, column]:
                    index[row, column], nearest[row, column] = number, depth
    return index


@pytest.mark.parametrize("seed", range(4))
def test_coverage_of_random_triangles(seed):
    random = np.random.default_rng(seed)
    points = random.uniform(-8, 32, (60, 3)) * (1, 1, 0.02) + (0, 0, 0.2)
    faces = np.arange(60).reshape(20, 3).astype(np.int32)
    index, depth = rasterise(points, faces, 24, 20)
    assert np.array_equal(index, slow(points, faces, 24, 20))
    assert ((depth < 1) == (index != NO_FACE)).all()


def test_neighbours_share_no_sample_and_leave_no_gap():
    grid = np.stack(np.meshgrid(np.arange(0, 13, 1.5), np.arange(0, 13, 1.5)), axis=-1).reshape(-1, 2)
    points = np.column_stack([grid, np.full(len(grid), 0.5)])
    index = np.arange(81).reshape(9, 9)
    a, b, c, d = index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]
    faces = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]).reshape(-1, 3).astype(np.int32)
    covered = np.zeros((12, 12), int)
    for face in faces:
        covered += rasterise(points, face[None], 12, 12)[0] != NO_FACE
    assert (covered == 1).all()


def test_result_does_not_depend_on_batch_size(monkeypatch):
    random = np.random.default_rng(9)
    points = random.uniform(0, 60, (300, 3)) * (1, 1, 1 / 60)
    faces = np.arange(300).reshape(100, 3).astype(np.int32)
    whole = rasterise(points, faces, 60, 60)
    monkeypatch.setattr(raster, "_BATCH", 50)
    parts = rasterise(points, faces, 60, 60)
    assert np.array_equal(whole[0], parts[0])
    assert np.array_equal(whole[1], parts[1])


def test_empty_mesh_covers_nothing():
    index, depth = rasterise(np.empty((0, 3)), np.empty((0, 3), np.int32), 5, 4)
    assert (index == NO_FACE).all()
    assert (depth == 1).all()
