"""Natural order and id matching: laws, and the spellings that contests really use."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrec_viewer.formats.core.ids import (
    AMBIGUOUS,
    EXACT,
    EXTENSION,
    PREFIX,
    PREFIX_AND_ZEROS,
    ZEROS,
    IdIndex,
    natural_key,
    natural_order,
    natural_sorted,
    trailing_numbers,
    without_extension,
)

NAMES = st.text(st.sampled_from("aZ019._-²٣é"), max_size=12)


@given(st.lists(st.integers(0, 10**30), unique=True, max_size=20), st.integers(0, 40), st.randoms())
def test_padded_numbers_are_in_numeric_order(numbers, width, random):
    names = [f"N{number:0{random.randint(0, width)}}x" for number in sorted(numbers)]
    shuffled = random.sample(names, len(names))
    order = natural_order(shuffled)
    assert order.dtype == np.int32
    assert [shuffled[place] for place in order] == names


@given(st.lists(NAMES, max_size=20), st.randoms())
def test_natural_order_is_total(names, random):
    once = sorted(names, key=natural_key)
    assert sorted(random.sample(names, len(names)), key=natural_key) == once
    assert sorted(natural_order(names).tolist()) == list(range(len(names)))


@given(
    st.lists(st.sampled_from(["9", "0a", "a0", "é9", "T09", "T10", "T1b", "Ta1", "²3"]), max_size=9), st.integers(0, 3)
)
def test_names_of_one_pattern_have_the_same_order_as_others(names, width):
    """Names of one length with digits at the same indices are ordered in a faster way."""
    names = [f"m{name:0>{width}}" for name in names]
    assert natural_order(names).tolist() == sorted(range(len(names)), key=lambda index: natural_key(names[index]))
    assert natural_sorted(names) == sorted(names, key=natural_key)


def test_natural_order_by_hand():
    names = ["m10", "m9", "T0", "T10", "T2", "m09", "m9a", "10", "9"]
    assert sorted(names, key=natural_key) == ["9", "10", "T0", "T2", "T10", "m09", "m9", "m9a", "m10"]


@pytest.mark.parametrize(
    ("word", "id", "rule"),
    [
        ("N0001", "N0001", EXACT),
        ("N0001.off", "N0001", EXTENSION),
        ("models/N0001.off", "N0001", EXTENSION),
        ("models\\N0001.obj", "N0001", EXTENSION),
        ("m665", "665", PREFIX),
        ("665", "665", EXACT),
        ("m0665", "665", PREFIX_AND_ZEROS),
        ("34670", "034670", ZEROS),
        ("N1", "N0001", ZEROS),
        ("1", "N0001", PREFIX_AND_ZEROS),
        ("0001", "N0001", PREFIX),
        ("snn.087_1845118", "snn.087_1845118", EXACT),
        ("wss.3ef5", "wss.3ef5", EXACT),
    ],
)
def test_spellings_of_one_id(word, id, rule):
    ids = ("N0001", "665", "034670", "snn.087_1845118", "wss.3ef5", "other")
    match = IdIndex(ids).match(word)
    assert match.index == ids.index(id)
    assert match.rule == rule


@pytest.mark.parametrize("word", ["Q0001", "N2", "", "N0001b", "0.5", "1e-05", "N", "snn", "ghost.off", "12.off"])
def test_words_that_match_no_id(word):
    assert IdIndex(("N0001", "snn.087_1845118", "5")).match(word).index == -1


def test_ambiguous_word_matches_no_id():
    index = IdIndex(("N1", "M1", "x.off", "x.obj"))
    assert index.match("1").rule == AMBIGUOUS
    assert index.match("x").rule == AMBIGUOUS
    assert index.indices_of(["1", "x", "N1"]).tolist() == [-1, -1, 0]
    used: dict[str, tuple[int, str]] = {}
    index.indices_of(["N1", "1", "x", "N01", "ghost"], used)
    assert used == {AMBIGUOUS: (2, "1"), ZEROS: (1, "N01")}


@given(st.lists(NAMES, unique=True, min_size=1, max_size=15))
def test_every_id_matches_itself(ids):
    index = IdIndex(ids)
    assert index.indices_of(ids).tolist() == list(range(len(ids)))
    assert index.share(ids) == index.share(ids, exact=True) == 1.0


@given(st.lists(NAMES, unique=True, max_size=12), NAMES)
def test_a_match_agrees_with_a_slow_reading_of_the_rules(ids, word):
    """Same words, same digits up to zeros, and never two different prefixes."""
    place = IdIndex(ids).match(word).index
    if place < 0:
        assert word not in ids
        return
    meant, given_ = without_extension(ids[place]), without_extension(word)
    if word != ids[place] and meant != given_:
        own, other = re.fullmatch(r"(.*?)0*([0-9]*)", meant), re.fullmatch(r"(.*?)0*([0-9]*)", given_)
        assert own[2] == other[2]
        assert own[1] == other[1] or not own[1] or not other[1]


def test_trailing_numbers():
    assert trailing_numbers(["D00001", "D01200"]).tolist() == [1, 1200]
    assert trailing_numbers(["a1", "b1"]) is None
    assert trailing_numbers(["a1", "b"]) is None
    assert trailing_numbers(["1x9", "٣2", "a²"]) is None  # digits of ASCII only
    assert trailing_numbers(["1x9", "٣2", "x1234567890123456789"]).tolist() == [9, 2, 234567890123456789]
