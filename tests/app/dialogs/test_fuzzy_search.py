"""Fuzzy search: ranking of matches, and arbitrary text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrec_viewer.app.dialogs.fuzzy_search import best_matches, contains_all_words, fuzzy_match

TEXTS = ("Open folder", "Open the demo", "Reload", "Reset layout", "Go to query Q01 chair", "Go to query Q10 lamp",
         "Select run M2", "Measure AP: Average precision", "Dark", "Show the findings")  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "first"),
    [
        ("rel", "Reload"), ("q10", "Go to query Q10 lamp"), ("m2", "Select run M2"), ("demo", "Open the demo"),
        ("rl", "Reset layout"), ("average", "Measure AP: Average precision"), ("find", "Show the findings"),
        ("lamp query", "Go to query Q10 lamp"),
    ],
)  # fmt: skip
def test_best_match_is_first(expected, first):
    assert TEXTS[best_matches(expected, [(text, "") for text in TEXTS], 3)[0][0]] == first


def test_text_with_other_letters_does_not_match():
    assert best_matches("zz", [(text, "") for text in TEXTS], 5) == []


@given(st.text(max_size=12), st.text(max_size=30))
def test_matched_letters_are_letters_of_the_pattern(expected, text):
    match = fuzzy_match(expected, text)
    if match is not None:
        assert all(0 <= place < len(text.lower()) for place in match.indices)
        letters = "".join(expected.lower().split())
        assert len(match.indices) <= len(letters)
        assert all(text.lower()[place] in letters for place in match.indices)


@given(st.text(min_size=1, max_size=20))
def test_text_matches_itself(text):
    assert fuzzy_match(text, text) is not None
    assert contains_all_words(text, text)
