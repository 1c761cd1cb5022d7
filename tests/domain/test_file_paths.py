"""Paths stored as names in folders equal the paths that they were made of."""

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrec_viewer.domain import Collection
from shrec_viewer.domain.benchmark import FilePaths

NAMES = st.sampled_from(["a.off", "b c.obj", ".hidden", "é\udcff.ply", "..", "x"])
PATHS = st.builds(
    lambda parts, anchor: Path(anchor, *parts), st.lists(NAMES, max_size=3), st.sampled_from(["", "/", "/m"])
)


@given(st.lists(st.none() | PATHS, max_size=8))
def test_elements_are_the_paths(paths):
    found = FilePaths(paths)
    assert [*found] == [found[index] for index in range(len(found))] == paths
    assert [found[-1 - index] for index in range(len(paths))] == paths[::-1]
    assert found[1:-1] == tuple(paths[1:-1])
    assert found == tuple(paths)
    assert found == FilePaths(paths)
    assert found != [*paths, Path("one more")]
    assert found.has_file.tolist() == [path is not None for path in paths]
    assert {*found.folders} >= {path.parent for path in paths if path is not None and path.name}
    assert pickle.loads(pickle.dumps(found)) == found


def test_indices_beyond_the_end_are_errors():
    with pytest.raises(IndexError):
        FilePaths([None])[1]


def test_a_collection_has_the_folders_of_its_files():
    files = (Path("m/a.off"), None, Path("n/b.off"), Path("m/c.off"))
    collection = Collection(("a", "x", "b", "c"), files)
    assert collection.paths == files
    assert collection.folders == (Path("m"), Path("n"))
    assert collection.has_file.tolist() == [True, False, True, True]
