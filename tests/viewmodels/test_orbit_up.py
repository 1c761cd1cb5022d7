"""Which axis points up: what is remembered, what is only suggested."""

import logging
from itertools import product

import numpy as np

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.viewmodels.orbit_up import UpMemory, UpVotes, stands_on


def table(up):
    """A plate on four thin legs with feet, standing along an axis."""
    boxes = [((0, 0, 0.9), (1, 1, 1))]
    boxes += [((x, y, 0), (x + 0.2, y + 0.2, 0.9)) for x in (0, 0.8) for y in (0, 0.8)]
    corners, faces = [], []
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    for low, high in boxes:
        start = len(corners)
        corners += [[(low, high)[i][0], (low, high)[j][1], (low, high)[k][2]] for i, j, k in product((0, 1), repeat=3)]
        faces += [[start + q[0], start + q[a], start + q[b]] for q in quads for a, b in ((1, 2), (2, 3))]
    points = np.array(corners, np.float32)
    if up == "Y":
        points = points[:, [0, 2, 1]]
    return Mesh(points, np.array(faces, np.int32))


def test_a_table_stands_on_its_feet_though_its_sides_are_larger():
    assert stands_on(table("Z")) == "Z"
    assert stands_on(table("Y")) == "Y"


def test_a_box_stands_on_any_side():
    assert stands_on(Mesh(table("Z").vertices[:8], table("Z").faces[:12])) == ""


def pyramid(up):
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 1]], np.float32)
    faces = np.array([[0, 1, 2], [0, 2, 3], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]], np.int32)
    return Mesh(points if up == "Z" else points[:, [0, 2, 1]], faces)


def test_a_pyramid_stands_on_its_base():
    assert stands_on(pyramid("Z")) == "Z"
    assert stands_on(pyramid("Y")) == "Y"


def test_nothing_is_said_of_what_stands_nowhere():
    ball = np.random.default_rng(1).normal(size=(50, 3)).astype(np.float32)
    assert stands_on(Mesh(ball, np.zeros((0, 3), np.int32))) == ""
    flat = Mesh(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32), np.array([[0, 1, 2]], np.int32))
    assert stands_on(flat) == ""


def test_a_few_voices_suggest_nothing(tmp_path):
    votes = UpVotes()
    for number in range(3):
        votes.count(tmp_path / str(number), "Z")
    assert votes.suggestion is None
    votes.count(tmp_path / "3", "Z")
    assert (votes.suggestion, votes.words) == ("Z", "4 of 4")
    votes.count(tmp_path / "3", "Z")
    votes.count(tmp_path / "4", "")
    assert votes.words == "4 of 4", "each model has one voice, and need not raise it"
    for number in (4, 5):
        votes.count(tmp_path / str(number), "Y")
    assert votes.suggestion is None, "4 of 6 are no clear majority"


def test_each_collection_is_remembered(tmp_path):
    memory = UpMemory(tmp_path / "config" / "upright.json")
    one, two = tmp_path / "one", tmp_path / "two"
    assert memory.up_of(one) is None
    memory.remember(one, "Z")
    memory.remember(two, "Y")
    again = UpMemory(tmp_path / "config" / "upright.json")
    assert (again.up_of(one), again.up_of(two), again.up_of(tmp_path)) == ("Z", "Y", None)
    again.remember(one, "Y")
    assert memory.up_of(one) == "Y"
    assert [path.name for path in (tmp_path / "config").iterdir()] == ["upright.json"]


def test_a_damaged_memory_is_a_warning(tmp_path, caplog):
    (tmp_path / "upright.json").write_text("{not json")
    memory = UpMemory(tmp_path / "upright.json")
    with caplog.at_level(logging.WARNING):
        assert memory.up_of(tmp_path) is None
    assert "cannot be read" in caplog.text
    memory.remember(tmp_path, "Z")
    assert memory.up_of(tmp_path) == "Z"


def test_a_disk_that_cannot_be_written_is_a_warning(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    with caplog.at_level(logging.WARNING):
        UpMemory(tmp_path / "file" / "upright.json").remember(tmp_path, "Z")
    assert "not remembered" in caplog.text
    UpMemory(None).remember(tmp_path, "Z")
