"""Points of a mesh under the pointer, against their places."""

from math import dist

import numpy as np
import pytest
from solids import cube, mesh_of, scattered_sphere

from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.picking import picked_point
from shrec_viewer.render.scene.render_mesh import PreparedMesh
from shrec_viewer.render.scene.style import FINE_STYLE

FRONT = Camera(0, 0)


def point_at(prepared, x, y, camera=FRONT, size=200):
    return picked_point(prepared, camera, size, size, FINE_STYLE, x * size, y * size)


@pytest.mark.parametrize("field_of_view", [0.0, 22.0, 60.0])
def test_points_lie_on_the_surface_where_the_pointer_is(field_of_view):
    prepared = PreparedMesh(cube())
    camera = Camera(0, 0, field_of_view=field_of_view)
    side = 1 / np.sqrt(3)  # of the cube in the unit sphere
    for x, y in ((0.5, 0.5), (0.4, 0.55), (0.61, 0.37)):
        found = point_at(prepared, x, y, camera)
        assert found.point[2] == pytest.approx(side, abs=1e-6)  # the near side
        fitted = prepared.render_mesh.fitted_view(camera, 200, 200, box=False)
        clip = fitted.clip @ (*found.point, 1)
        assert (clip[:2] / clip[3]).tolist() == pytest.approx([2 * x - 1, 1 - 2 * y], abs=1e-5)
    assert point_at(prepared, 0.01, 0.01, camera) is None


def test_distances_are_in_the_unit_of_the_file():
    mesh = cube()
    for factor in (1.0, 250.0):
        prepared = PreparedMesh(mesh_of(mesh.vertices * factor + 7, mesh.faces))
        one, other = (point_at(prepared, x, 0.5, Camera(0, 0, field_of_view=0)) for x in (0.45, 0.55))
        # The unit sphere fills 98.5 % of the image, and the cube of side 2 has the radius of its corners.
        expected = 0.1 * 2 / 0.985 * np.sqrt(3) * factor
        assert dist(one.point, other.point) * one.radius == pytest.approx(expected, rel=1e-3)


def test_the_cut_surface_is_behind():
    prepared = PreparedMesh(cube())
    assert point_at(prepared, 0.5, 0.5, FRONT.cut_open()).point[2] == pytest.approx(-1 / np.sqrt(3), abs=1e-6)


def test_points_of_a_cloud_are_points_of_the_file():
    points = scattered_sphere(300)
    found = point_at(PreparedMesh(mesh_of(points, [])), 0.5, 0.5)
    scaled = PreparedMesh(mesh_of(points, [])).render_mesh.points
    assert np.abs(scaled - found.point).sum(axis=1).min() < 1e-6
