"""Ids that the program gives behave like the texts that they stand for, without millions of texts."""

import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrec_viewer.api.arrays import classes_of, ids_of
from shrec_viewer.domain import Collection, FilePaths, NumberedIds, descending_ranks, places_of
from shrec_viewer.formats.core.ids import IdIndex, are_positions, natural_order, trailing_numbers

RANGES = st.builds(range, st.integers(0, 120), st.integers(0, 120), st.sampled_from([1, 1, 1, 2, 7])) | st.just(
    range(9, 0, -1)
)
IDS = st.builds(NumberedIds, RANGES, st.sampled_from(["", "row ", "m"]))
WORDS = st.from_regex(r"(row |ROW |Row-|m|M|q|)0{0,2}[0-9]{0,3}(\.off|\.txt|\.off\.txt|)", fullmatch=True)


@given(IDS, st.lists(WORDS, max_size=8))
def test_ids_and_their_index_are_those_of_the_texts(ids: NumberedIds, words: list[str]) -> None:
    texts = tuple(f"{ids.prefix}{number}" for number in ids.numbers)
    assert tuple(ids) == texts == tuple(ids[place] for place in range(len(ids)))
    assert ids == texts
    assert texts == ids
    assert ids == pickle.loads(pickle.dumps(ids))
    assert ids != (*texts, "x")
    assert tuple(ids[1:7:2]) == texts[1:7:2]
    assert len(ids) == len(texts)
    assert dict(places_of(ids)) == places_of(texts)
    index, of_texts = IdIndex(ids), IdIndex(texts)
    for word in (*words, "", "９", "1" * 5000, "-1", "1.0", "+1", "1_0", " 1"):
        assert index.match(word) == of_texts.match(word)
        assert (word in ids) == (word in texts)
    assert index.notation_hint(words) == of_texts.notation_hint(words)
    assert [*index.numbers_from_1] == [*of_texts.numbers_from_1]
    assert index.has_blanks == of_texts.has_blanks


@given(IDS)
def test_orders_are_those_of_the_texts(ids: NumberedIds) -> None:
    texts = tuple(ids)
    assert natural_order(ids).tolist() == natural_order(texts).tolist()
    assert descending_ranks(ids).tolist() == descending_ranks(texts).tolist()
    assert are_positions(ids) == are_positions(texts)
    if texts:
        assert trailing_numbers(ids).tolist() == trailing_numbers(texts).tolist()


LABELS = st.sampled_from(
    [0, 1, 2, 10**20, 1.0, 0.5, float("nan"), True, None, "", "1", "a", np.float32(0.1), np.int8(1)]
)


@given(st.lists(LABELS, max_size=12))
def test_classes_are_those_of_each_label_alone(labels: list[object]) -> None:
    names: dict[str, int] = {}
    expected = []
    for label in labels:
        own, name = classes_of([label], 1)
        expected.append(names.setdefault(name[0], len(names)) if own[0] >= 0 else -1)
    found, found_names = classes_of(labels, len(labels))
    assert (found.tolist(), [*found_names]) == (expected, [*names])


@given(
    st.lists(st.integers(-3, 3), max_size=12),
    st.sampled_from([np.int8, np.int64, np.uint64, np.float32, np.float64, np.bool_, str, object]),
)
def test_classes_of_an_array_are_those_of_its_elements(labels: list[int], dtype: type) -> None:
    array = np.array(labels).astype(dtype)
    found, names = classes_of(array, len(array))
    expected, expected_names = classes_of([*array], len(array))
    assert (found.tolist(), names) == (expected.tolist(), expected_names)


def test_a_million_models_without_ids_are_no_texts() -> None:
    tracemalloc.start()
    try:
        ids = ids_of(range(1_000_000), "models")
        collection = Collection(ids, FilePaths((), len(ids)))
        index = IdIndex(collection.ids)
        assert index.match("999999").index == collection.index["999999"] == 999_999
        assert index.match("x1000000").index == -1
        assert not collection.has_file.any()
        assert natural_order(collection.ids)[-1] == 999_999
        assert index.notation_hint(["m7", "m8"]) == "; by the number in it 'm7' would be '7'"
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 30e6  # 175 MB with a text for each id


def test_paths_beyond_the_given_ones_are_none() -> None:
    paths = FilePaths([None], 3)
    assert (len(paths), list(paths), paths[2], [*paths.files()]) == (3, [None] * 3, None, [])
    with pytest.raises(ValueError, match="3 ids but 2 paths"):
        Collection(("a", "b", "c"), FilePaths((), 2))
