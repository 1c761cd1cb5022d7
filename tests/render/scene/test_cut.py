"""Meshes cut by a plane: both parts together are the whole, on their sides, with the attributes of the whole."""

from dataclasses import replace

import numpy as np
import pytest
from solids import cube, mesh_of, scattered_sphere, soup, sphere

from shrec_viewer.domain.mesh import Mesh, MeshValues, Texture
from shrec_viewer.render.scene.camera import CUTS, Camera
from shrec_viewer.render.scene.render_mesh import PreparedMesh, cut_mesh, make_render_mesh
from shrec_viewer.render.scene.values import NUMBER_UNIT


def attributed(mesh: Mesh) -> Mesh:
    """A mesh whose colours, texture coordinates and quantity are linear in space, with the number of each face."""
    place = mesh.vertices / np.abs(mesh.vertices).max()
    colours = np.rint(255 * (place @ np.eye(3, 4) / 2 + 0.5)).astype(np.uint8)
    image = np.zeros((2, 2, 4), np.uint8)
    faces = np.arange(len(mesh.faces))
    values = (
        MeshValues("height", "vertex", (2 * place[:, 1] + place[:, 0]).astype(np.float32)),
        MeshValues("number", "face", faces.astype(np.float32)),
        MeshValues("part", "vertex", (place[:, 2] > 0).astype(np.float32), ("back", "front")),
    )
    texture = Texture(place[:, :2].astype(np.float32), (image, image), (faces % 2).astype(np.int16))
    return replace(mesh, colours=colours, texture=texture, values=values)


def areas(mesh):
    a, b, c = np.moveaxis(mesh.points[mesh.faces].astype(float), 1, 0)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2


@pytest.mark.parametrize("mesh", [cube(), sphere(12), soup(200, 3)], ids=["cube", "sphere", "soup"])
@pytest.mark.parametrize("position", [-0.4, 0.0, 0.31])
@pytest.mark.parametrize("axis", range(3))
def test_the_two_parts_are_the_whole(mesh, axis, position):
    whole = make_render_mesh(attributed(mesh))
    parts = [cut_mesh(whole, sign + "xyz"[axis], position) for sign in ("", "-")]
    for part, sign in zip(parts, (1, -1), strict=True):
        assert (sign * (part.points[:, axis] - position) <= 1e-6).all()
        assert np.isfinite(part.points).all()
        assert np.array_equal(np.unique(part.faces), np.arange(len(part.points)))
        assert (np.diff(part.render_texture.face_images) >= 0).all()
        # Attributes that are linear in space are the same functions of the place as before.
        assert part.values["height"].defined.all()
        for before, after in (
            (whole.render_texture.uv, part.render_texture.uv),
            (whole.values["height"].numbers[:, None], part.values["height"].numbers[:, None]),
        ):
            solution = np.linalg.lstsq(np.c_[whole.points, np.ones(len(whole.points))], before, rcond=None)[0]
            assert np.allclose(np.c_[part.points, np.ones(len(part.points))] @ solution, after, atol=1e-4)
        assert part.colours.min() >= whole.colours.min() - 1e-6
        assert part.colours.max() <= whole.colours.max() + 1e-6
        assert set(np.unique(part.values["part"].numbers)) <= {0, 1}
        normals = [np.cross(b - a, c - a) for a, b, c in part.points[part.faces].astype(float)]
        own = whole.face_normals[_position_of(whole.source_faces, part.source_faces)]
        assert (np.einsum("ij,ij->i", np.reshape(normals, (-1, 3)), own) >= -1e-9).all()  # not turned inside out
    total = np.zeros(len(mesh.faces))
    for part in parts:
        np.add.at(total, part.source_faces, areas(part))
        assert np.array_equal(part.values["number"].numbers / NUMBER_UNIT, part.source_faces)
    expected = np.zeros(len(mesh.faces))
    np.add.at(expected, whole.source_faces, areas(whole))
    assert np.allclose(total, expected, atol=1e-6)


def _position_of(order, faces):
    place = np.empty(len(order), int)
    place[order] = np.arange(len(order))
    return place[faces]


def test_a_cut_beside_the_mesh_changes_nothing_and_one_before_it_leaves_nothing():
    whole = make_render_mesh(cube())
    kept = cut_mesh(whole, "x", 1.0)
    assert np.array_equal(kept.points[kept.faces], whole.points[whole.faces])
    assert len(cut_mesh(whole, "-x", 1.0).points) == 0


def test_points_of_a_cloud_are_on_their_side():
    whole = make_render_mesh(mesh_of(scattered_sphere(500), []))
    near, far = cut_mesh(whole, "z", 0.2), cut_mesh(whole, "-z", 0.2)
    assert len(near.points) + len(far.points) == 500
    assert near.points[:, 2].max() <= 0.2 <= far.points[:, 2].min()


@pytest.mark.parametrize(
    ("camera", "expected"),
    [
        (Camera(0, 0), "z"),
        (Camera(180, 0), "-z"),
        (Camera(90, 0), "x"),
        (Camera(0, 89), "y"),
        (Camera(0, 0, "Z"), "-y"),
    ],
)
def test_the_half_before_the_centre_is_cut_away(camera, expected):
    assert camera.cut_open().cut == expected
    assert camera.cut_open().cut in CUTS


def test_the_cut_moves_towards_the_eye_up_to_the_end_of_the_mesh():
    for camera in (Camera(0, 0).cut_open(), Camera(180, 0).cut_open()):
        sign = -1 if camera.cut.startswith("-") else 1
        assert camera.cut_moved(0.25).cut_at == pytest.approx(0.25 * sign)
        assert camera.cut_moved(5).cut_at == sign


def test_the_inside_is_seen_by_both_renderers(renderer):
    prepared = renderer.prepare(sphere(24))
    camera = Camera(0, 0)
    whole = renderer.draw(prepared, camera, 64, 64)
    cut = renderer.draw(prepared, camera.cut_open(), 64, 64)
    assert cut[32, 32, 3] == 255  # the far half is behind the cut
    assert np.abs(cut[..., :3].astype(int) - whole[..., :3]).max() > 20
    assert not renderer.draw(prepared, replace(camera, cut="z", cut_at=-1.0), 64, 64)[..., 3].any()
    assert np.array_equal(renderer.draw(prepared, camera, 64, 64), whole)
    prepared.release()


def test_the_last_cut_is_kept():
    prepared = PreparedMesh(sphere(8))
    camera = Camera(0, 0).cut_open()
    assert prepared.shown(camera) is prepared.shown(camera.orbited(30, 0))
    assert prepared.shown(camera.cut_moved(0.1)) is not prepared.shown(camera)
    assert prepared.shown(Camera()) is prepared.render_mesh
