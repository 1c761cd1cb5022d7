"""Suggested up axis of collections, also rotated ones; none without a clear majority."""

from pathlib import Path

import numpy as np
import pytest
from solids import cube, mesh_of, scattered_sphere, sphere

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.render.scene.up_axis import SAMPLE, likely_up_axis, suggest_up

ROOT = Path(__file__).parents[3]


def suggestion(meshes):
    return suggest_up([likely_up_axis(mesh) for mesh in meshes])


def laid(mesh: Mesh) -> Mesh:
    """The same with what pointed to Y pointing to Z."""
    return Mesh(mesh.vertices[:, [0, 2, 1]] * np.array([1, -1, 1], np.float32), mesh.faces)


def table() -> Mesh:
    """A board on four legs, Y up."""
    parts = [((-1, 0.9, -0.6), (1, 1, 0.6))]
    parts += [((x, 0, z), (x + 0.1, 0.9, z + 0.1)) for x in (-1, 0.9) for z in (-0.6, 0.5)]
    vertices = [(cube().vertices + 1) / 2 * np.subtract(high, low) + low for low, high in parts]
    faces = [cube().faces + 8 * place for place in range(len(parts))]
    return mesh_of(np.concatenate(vertices), np.concatenate(faces))


@pytest.mark.parametrize("place", ["../shared/data/shrec06/models", "resources/demo/models"])
def test_suggested_up_axis_of_collections_as_stored_and_rotated(place: str):
    folder = ROOT / place
    if not folder.is_dir():
        pytest.skip(f"needs {place}")
    files = sorted(path for path in folder.rglob("*.off"))
    meshes = [read_mesh(path) for path in files[:: -(-len(files) // SAMPLE)]]
    upright, lying = suggestion(meshes), suggestion([laid(mesh) for mesh in meshes])
    assert (upright.up, lying.up) == ("Y", "Z")
    assert upright.votes["Y"] > 2 * upright.votes["Z"]
    assert lying.votes["Z"] > 2 * lying.votes["Y"]
    assert str(upright.votes["Y"]) in upright.message()


def test_few_votes_are_not_significant():
    assert suggestion([table()]).votes == {"Y": 1, "Z": 0}
    assert suggestion([laid(table())]).votes == {"Y": 0, "Z": 1}
    assert suggestion([table()] * 6).up is None  # a coin gives six of six once in 64 times
    assert suggestion([table()] * 7).up == "Y"
    assert suggestion([table(), laid(table())] * 20).up is None


def test_symmetric_shapes_have_no_vote():
    strange = [
        cube(),
        sphere(),
        mesh_of(scattered_sphere(500), []),
        mesh_of([], []),
        mesh_of([[1, 1, 1]] * 3, [[0, 1, 2]]),
    ]
    found = suggestion(strange)
    assert found.votes == {"Y": 0, "Z": 0}
    assert found.up is None
    assert found.message() == "no clear up axis: 0 of 5 models suggest Y up, 0 Z up"
    assert suggestion([]).up is None
