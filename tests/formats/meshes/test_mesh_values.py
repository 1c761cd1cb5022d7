"""Values beside a mesh follow its vertices and faces; what does not fit is a sentence with both counts."""

import bz2
import gzip
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shrec_viewer.domain import FormatError, Quantity
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.formats.meshes.values import (
    DARK,
    LIGHT,
    UNMATCHED,
    correspondence_colours,
    find_value_faults,
    read_values,
    with_quantity,
)

#: Vertex 1 is not finite, face 1 refers to it, and face 2 has four corners: vertices 0, 2, 3, 4, 5; faces 0, 2, 2, 3.
MESH = "OFF\n6 4 0\n0 0 0\nnan 0 0\n2 0 0\n3 1 0\n4 0 1\n5 0 0\n3 0 2 3\n3 0 1 2\n4 2 3 4 5\n3 0 4 5\n"


@pytest.fixture
def mesh(tmp_path: Path) -> Mesh:
    (tmp_path / "m.off").write_text(MESH)
    return read_mesh(tmp_path / "m.off")


def quantity(folder: Path, **fields: object) -> Quantity:
    return replace(Quantity(folder, name="heat", files={folder / "m.off": folder / "m.txt"}), **fields)


def lines(values: object) -> str:
    return "".join(f"{value}\n" for value in np.asarray(values).tolist())


@pytest.mark.parametrize(
    ("text", "column"),
    [
        (lines([10, 11, 12, 13, 14, 15]), None),
        ("10 11 12 13 14 15", None),
        ("heat\n" + lines([10, 11, 12, 13, 14, 15]), None),
        ("# made by hand\nheat\n\n" + lines([10, 11, 12, 13, 14, 15]), None),
        ("x,heat\n" + "".join(f"0,{k}\n" for k in range(10, 16)), 2),
        ("".join(f"0\t{k}\n" for k in range(10, 16)), 2),
        ("".join(f"{k};0\r\n" for k in range(10, 16)), 1),
        ("".join(f"{k}.0e0\n" for k in range(10, 16)), 1),
    ],
)
def test_texts_in_any_notation_give_the_same_values(text, column, mesh, tmp_path):
    for suffix, pack in ((".txt", bytes), (".csv.gz", gzip.compress)):
        path = tmp_path / f"m{suffix}"
        path.write_bytes(pack(text.encode()))
        values = read_values(path, mesh, quantity(tmp_path, column=column))
        assert values.place == "vertex"
        assert values.numbers.tolist() == [10, 12, 13, 14, 15]
        assert values.numbers.dtype == np.float32
        assert (values.name, values.labels) == ("heat", None)


@pytest.mark.parametrize("kind", ["<f8", ">f4", "<i4", "u1", "f2", "?"])
@pytest.mark.parametrize("shape", [(4,), (4, 1), (1, 4)])
def test_arrays_of_faces_follow_polygons_that_are_cut(kind, shape, mesh, tmp_path):
    np.save(tmp_path / "m.npy", np.array([0, 1, 1, 0], kind).reshape(shape))
    values = read_values(tmp_path / "m.npy", mesh, quantity(tmp_path))
    assert values.place == "face"
    assert values.numbers.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("text", "fields", "reason"),
    [
        (lines(range(5)), {}, "has 5 values, but the model has 6 vertices and 4 faces"),
        ("7\n", {}, "has 1 value, but the model has 6 vertices and 4 faces"),
        (lines(range(6)), {"place": "face"}, "has 6 values, but the model has 6 vertices and 4 faces, and `place`"),
        ("1\n2\nthree\n4\n", {}, "m.txt:3: 'three' is not a number"),
        ("heat\n1\ntwo\n3\n4\n", {}, "m.txt:3: 'two' is not a number"),
        ("a,b\n1,2\n3\n", {"column": 1}, "m.txt:3: 1 cell in this line, 2 in the first"),
        ("1\n2 3\n4\n", {}, "m.txt:2: 2 numbers in this line, 1 in the first"),
        ("1 2\n3 4\n", {}, "has 2 columns: 1, 2; `column = 1` in [values] takes the first"),
        ("kmin,kmax\n1,2\n3,4\n", {}, "has 2 columns: 1 'kmin', 2 'kmax'"),
        ("1 2\n3 4\n", {"column": 3}, "has 2 columns, and no column 3"),
        ("", {}, "is empty"),
        (",,,\n;;\n", {}, "contains no numbers, only separators"),
        (" , \n , \n", {"column": 1}, "contains no numbers"),
        ("no numbers at all\n", {}, "is not a number"),
        ("0\n1\n2.5\n3\n", {"labels": True}, "contains 2.5, but labels are whole numbers up to 9,999"),
        ("0\n1\n70000\n3\n", {"labels": True}, "contains 70000, but labels"),
    ],
)
def test_what_does_not_fit_is_a_sentence(text, fields, reason, mesh, tmp_path):
    (tmp_path / "m.txt").write_text(text)
    with pytest.raises(FormatError) as error:
        read_values(tmp_path / "m.txt", mesh, quantity(tmp_path, **fields))
    assert reason in str(error.value)
    (found,) = find_value_faults(tmp_path / "m.off", [quantity(tmp_path, **fields)])
    assert found.message == error.value.reason
    assert found.line == error.value.line


@pytest.mark.parametrize(
    "data",
    [np.array(["a"]), np.zeros((2, 2, 2)), np.zeros(0), np.zeros(6, complex), np.array([None] * 6), np.zeros((6, 2))],
)
def test_other_arrays_are_sentences(data, mesh, tmp_path):
    np.save(tmp_path / "m.npy", data)
    with pytest.raises(FormatError):
        read_values(tmp_path / "m.npy", mesh, quantity(tmp_path))


def test_values_without_number_are_undefined_and_infinite_ones_are_said(mesh, tmp_path):
    (tmp_path / "m.txt").write_text("nan\n1\ninf\n-inf\n1e300\n5\n")
    values = read_values(tmp_path / "m.txt", mesh, quantity(tmp_path))
    assert np.isnan(values.numbers).tolist() == [True, True, True, True, False]
    (found,) = find_value_faults(tmp_path / "m.off", [quantity(tmp_path)])
    assert (found.message, found.action) == ("3 values are infinite or beyond ±3.4e+38", "shown as undefined")
    (tmp_path / "m.txt").write_text("nan\n" * 6)
    assert [fault.message for fault in find_value_faults(tmp_path / "m.off", [quantity(tmp_path)])] == [
        "has no finite value"
    ]


def test_labels_have_names_and_negative_ones_are_none(mesh, tmp_path):
    (tmp_path / "m.txt").write_text(lines([0, 9, -1, 1, 3, 0]))
    values = read_values(tmp_path / "m.txt", mesh, quantity(tmp_path, labels=True, names=("head", "leg")))
    assert values.labels == ("head", "leg", "2", "3")
    assert np.nan_to_num(values.numbers, nan=-7).tolist() == [0, -7, 1, 3, 0]
    (tmp_path / "m.txt").write_text(lines([-1] * 6))
    assert read_values(tmp_path / "m.txt", mesh, quantity(tmp_path, labels=True)).labels == ()


def test_as_many_vertices_as_faces_are_said_and_place_decides(tmp_path):
    (tmp_path / "m.off").write_text("OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 0 1 3\n3 0 2 3\n3 1 2 3\n")
    (tmp_path / "m.txt").write_text("1\n2\n3\n4\n")
    mesh = read_mesh(tmp_path / "m.off")
    assert read_values(tmp_path / "m.txt", mesh, quantity(tmp_path)).place == "vertex"
    assert read_values(tmp_path / "m.txt", mesh, quantity(tmp_path, place="face")).place == "face"
    (found,) = find_value_faults(tmp_path / "m.off", [quantity(tmp_path)])
    assert found.message == "as many values as vertices and as faces"
    assert "taken for the vertices" in found.action
    assert find_value_faults(tmp_path / "m.off", [quantity(tmp_path, place="face")]) == []


def test_a_scene_of_several_parts_has_no_order_that_values_follow(mesh, tmp_path):
    (tmp_path / "m.txt").write_text(lines(range(6)))
    with pytest.raises(FormatError, match="several parts"):
        read_values(tmp_path / "m.txt", replace(mesh, source_counts=None), quantity(tmp_path))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=80) | st.text("0123456789.,; \neE-+naif#", max_size=60).map(str.encode))
@example(b"0;\n;\n")
def test_any_file_is_values_or_a_sentence(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("values")
    mesh = Mesh(np.eye(3, dtype=np.float32), np.array([[0, 1, 2]], np.int32), source_counts=(3, 1))
    for suffix in (".txt", ".npy"):
        (folder / f"m{suffix}").write_bytes(data)
        try:
            values = read_values(folder / f"m{suffix}", mesh, quantity(folder))
        except FormatError:
            continue
        assert values.numbers.shape == ((3,) if values.place == "vertex" else (1,))
        assert not np.isinf(values.numbers).any()


def test_clouds_without_faces_have_values_of_vertices(tmp_path):
    (tmp_path / "m.off").write_text("OFF\n3 0 0\n0 0 0\n1 0 0\n2 0 0\n")
    (tmp_path / "m.txt.bz2").write_bytes(bz2.compress(b"1\n2\n3\n"))
    (tmp_path / "m.txt").write_text("1\n2\n3\n")
    mesh = read_mesh(tmp_path / "m.off")
    assert read_values(tmp_path / "m.txt", mesh, quantity(tmp_path)).numbers.tolist() == [1, 2, 3]


# correspondences ---------------------------------------------------------------------------------------------------

#: A reference with vertices (0, 0, 0), (2, 0, 0), (0, 4, 0), (0, 0, 8); of vertex 1 in the file, there is none.
REFERENCE = "OFF\n5 2 0\n0 0 0\nnan 0 0\n2 0 0\n0 4 0\n0 0 8\n3 0 2 3\n3 0 3 4\n"
GREY = list(UNMATCHED)
BLACK, RED, GREEN, BLUE = (
    [*channels, 255] for channels in ([DARK] * 3, [LIGHT, DARK, DARK], [DARK, LIGHT, DARK], [DARK, DARK, LIGHT])
)


@pytest.mark.parametrize(
    ("matches", "base", "expected", "said"),
    [
        ([0, 1, 2, 3, 4, 2], None, [BLACK, RED, GREEN, BLUE, RED], ()),
        ([1, 2, 3, 4, 5, 3], None, [BLACK, RED, GREEN, BLUE, RED], ()),
        ([1, 2, 3, 3, 3, 3], None, [BLACK, RED, RED, RED, RED], ("counted from 1",)),
        ([1, 2, 3, 3, 3, 3], 0, [GREY, GREEN, GREEN, GREEN, GREEN], ()),
        ([2, 2, 3, 3, 3, 3], None, [RED, GREEN, GREEN, GREEN, GREEN], ("counted from 0",)),
        ([0, 1, -1, float("nan"), 7, 1.5], None, [BLACK, GREY, GREY, GREY, GREY], ("1 number beyond the 5",)),
        ([0, 0, 5, float("inf"), 1e300, 0], None, [GREY, BLUE, GREY, GREY, GREY], ("1 number beyond the 5",)),
    ],
)
def test_colours_of_the_reference_are_carried_over(matches, base, expected, said, mesh, tmp_path):
    (tmp_path / "r.off").write_text(REFERENCE)
    reference = read_mesh(tmp_path / "r.off")
    colours, notes = correspondence_colours(mesh, np.array(matches, float), reference, base)
    assert colours.dtype == np.uint8
    assert len(notes) == len(said)
    assert all(part in note for part, note in zip(said, notes, strict=True))
    assert colours.tolist() == expected


def test_the_reference_has_its_own_colours_and_other_models_those_of_their_files(mesh, tmp_path):
    (tmp_path / "r.off").write_text(REFERENCE)
    (tmp_path / "m.txt").write_text("\n".join("012342"))
    paths = {"correspondence": "r", "reference": tmp_path / "r.off"}
    maps = quantity(tmp_path, **paths)
    shown = with_quantity(read_mesh(tmp_path / "r.off"), tmp_path / "r.off", maps)
    assert shown.colours is not None
    assert shown.colours.tolist() == [BLACK, RED, GREEN, BLUE]
    shown = with_quantity(mesh, tmp_path / "m.off", maps)
    assert shown.colours is not None
    assert shown.colours.tolist() == [BLACK, RED, GREEN, BLUE, RED]
    assert shown.values == ()
    assert with_quantity(mesh, tmp_path / "other.off", maps) is mesh
    (tmp_path / "m.txt").write_text("0 1 2 3\n")
    with pytest.raises(FormatError, match="has 4 numbers, but the model has 6 vertices"):
        with_quantity(mesh, tmp_path / "m.off", maps)
    (fault,) = find_value_faults(tmp_path / "m.off", [maps])
    assert fault.message == "has 4 numbers, but the model has 6 vertices"


def test_values_of_a_file_are_added_to_those_of_the_mesh(mesh, tmp_path):
    (tmp_path / "m.txt").write_text(lines(range(6)))
    shown = with_quantity(mesh, tmp_path / "m.off", quantity(tmp_path))
    assert [values.name for values in shown.values] == ["heat"]
    assert shown.values[0].numbers.tolist() == [0, 2, 3, 4, 5]
    assert with_quantity(mesh, tmp_path / "other.off", quantity(tmp_path)) is mesh


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_named_pipe_is_not_opened(mesh, tmp_path):
    os.mkfifo(tmp_path / "m.txt")
    with pytest.raises(FormatError):
        read_values(tmp_path / "m.txt", mesh, quantity(tmp_path))


@pytest.mark.parametrize("name", ["missing.txt", "folder"])
def test_a_file_that_is_gone_is_a_sentence(name, mesh, tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(FormatError, match=name):
        read_values(tmp_path / name, mesh, quantity(tmp_path))
