"""Table of conventions against the record of profiles, and keys of modified profiles."""

import typing
from dataclasses import fields, replace

import numpy as np
import pytest
from hit_tables import truth_of
from hypothesis import given, settings
from hypothesis import strategies as st

from shrec_viewer.metrics import (
    CONVENTIONS,
    MEASURES,
    PROFILES,
    ListArrays,
    Profile,
    UnknownKeyError,
    evaluator_bugs_of,
    find_convention,
    find_measure,
    find_profile,
    hits_from_lists,
    hits_from_matrix,
    parse_convention,
    textbook_profile,
    with_convention,
    with_conventions,
)
from shrec_viewer.metrics.profiles.conventions import split_profile_key, value_key

FIXED = {"duplicates", "unjudged", "truncated"}
"""Conventions with one value: listed and tested, without a choice."""

NAMES_OF_CLASSES = {"excluded_classes"}
"""A profile names them for its own classification; nothing that a list of values could offer."""

DEFAULT = find_profile("default")
each_choice = pytest.mark.parametrize("choice", CONVENTIONS, ids=lambda choice: choice.field)


def test_conventions_with_several_values_can_be_changed():
    offered = {choice.field for choice in CONVENTIONS}
    assert len(offered) == len(CONVENTIONS)
    assert offered | FIXED | NAMES_OF_CLASSES == set(DEFAULT.conventions)
    assert not offered & (FIXED | NAMES_OF_CLASSES)
    hints = typing.get_type_hints(Profile)
    assert all(len(typing.get_args(hints[name])) == 1 for name in FIXED)


@each_choice
def test_conventions_list_exactly_the_values_of_the_record_with_labels(choice):
    hint = typing.get_type_hints(Profile)[choice.field]
    values = [allowed.value for allowed in choice.values]
    if typing.get_origin(hint) is typing.Literal:
        assert set(values) == set(typing.get_args(hint))
        assert choice.least is None
    else:
        assert choice.least is not None
        assert all(value is None or value >= choice.least for value in values)
    assert (
        len({value_key(value) for value in values}) == len({allowed.label for allowed in choice.values}) == len(values)
    )
    assert any(getattr(profile, choice.field) in values for profile in PROFILES)
    for text in (choice.explanation, *(allowed.explanation for allowed in choice.values)):
        assert text.endswith(".")
        assert text.count(". ") == 0
    assert choice.label[0].isupper()
    assert all(len(allowed.label) <= 30 for allowed in choice.values)


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.key)
def test_modified_profile_is_found_by_key_and_restored_by_the_original_value(profile):
    for choice in CONVENTIONS:
        for allowed in choice.values:
            changed = with_convention(profile, choice.field, allowed.value)
            assert getattr(changed, choice.field) == allowed.value
            assert find_profile(changed.key) == changed
            assert with_convention(changed, choice.field, getattr(profile, choice.field)) is profile
            others = {f.name for f in fields(Profile)} - {choice.field, "key", "title", "description", "changed_from"}
            assert all(getattr(changed, name) == getattr(profile, name) for name in others)
            if allowed.value == getattr(profile, choice.field):
                assert changed is profile
            else:
                assert changed.key == f"{profile.key}+{choice.field}={value_key(allowed.value)}"
                assert " " not in changed.key
                assert (changed.changed_from, changed.changes) == (profile, {choice.field: allowed.value})
                assert choice.label.lower() in changed.description


def test_order_of_changes_does_not_matter():
    one = with_convention(with_convention(DEFAULT, "ties", "trec"), "list_cut", 1000)
    other = with_convention(with_convention(DEFAULT, "list_cut", 1000), "ties", "trec")
    assert one == other == find_profile("default+list_cut=1000+ties=trec")
    assert one.key == "default+ties=trec+list_cut=1000"
    assert with_conventions(one, {"ties": "file", "list_cut": None}) is DEFAULT
    assert find_profile("default+ties=trec+ties=file") is DEFAULT


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ties=index", ("ties", "index")),
        ("list-cut=50", ("list_cut", 50)),
        ("list_cut=none", ("list_cut", None)),
        ("relevant_from=4", ("relevant_from", 4)),
        ("discount=log2(i+1)", ("discount", "log2(i+1)")),
        ("ap_divisor=largest-class", ("ap_divisor", "largest class")),
        ("ap_divisor=largest class", ("ap_divisor", "largest class")),
    ],
)
def test_parse_convention(text, found):
    assert parse_convention(text) == found
    assert split_profile_key(f"psb+{text}") == ("psb", [text]) or "-" in text.partition("=")[0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("ties", "expected NAME=VALUE, such as ties=index, not 'ties'"),
        ("tie=file", "there is no convention 'tie'; do you mean 'ties'?"),
        ("ties=random", "ties must be file, index or trec, not 'random'"),
        ("list_cut=0", "list_cut must be none or a whole number >= 1, not '0'"),
        ("list_cut=-5", "list_cut must be none or a whole number >= 1, not '-5'"),
        ("relevant_from=high", "relevant_from must be a whole number >= 1, not 'high'"),
    ],
)
def test_wrong_change_is_rejected_with_the_allowed_values(text, sentence):
    with pytest.raises(UnknownKeyError) as caught:
        find_profile(f"default+{text}") if "=" in text else parse_convention(text)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(("field", "value"), [("list_cut", 0), ("list_cut", True), ("ties", None), ("key", "x")])
def test_values_outside_the_record_are_rejected(field, value):
    with pytest.raises(UnknownKeyError):
        with_convention(DEFAULT, field, value)


def test_changes_are_kept_in_the_textbook_profile():
    changed = find_profile("shrec2021+ties=index")
    assert evaluator_bugs_of(changed) == evaluator_bugs_of(find_profile("shrec2021"))
    textbook = textbook_profile(changed)
    assert textbook == find_profile("shrec2021-textbook+ties=index")
    assert (textbook.tiers, textbook.ties) == ("psb", "index")
    assert textbook_profile(textbook) is None
    assert evaluator_bugs_of(find_profile("shrec2021+tiers=psb")) == ()


def test_find_convention():
    assert [find_convention(choice.field) for choice in CONVENTIONS] == list(CONVENTIONS)


@given(seed=st.integers(0, 2**32 - 1), level=st.integers(1, 4), as_list=st.booleans())
@settings(max_examples=60, deadline=None)
def test_relevance_threshold_removes_lower_levels(seed, level, as_list):
    """Ranks and sizes equal those with lower levels set to 0, also for tied and truncated lists."""
    random = np.random.default_rng(seed)
    levels, members = random.integers(0, 4, (5, 12)), random.integers(-1, 12, 5)
    values = random.integers(0, 6, (5, 12)).astype(float)
    strict = replace(DEFAULT, relevant_from=level, list_cut=int(random.integers(4, 13)))
    plain = replace(strict, relevant_from=1)
    tables = []
    for truth, profile in (
        (truth_of(levels, members), strict),
        (replace(truth_of(np.where(levels >= level, levels, 0), members), highest_level=max(levels.max(), 1)), plain),
    ):
        if as_list:
            lists = replace(ListArrays.of([range(12)] * 5), distances=values.ravel(), by_score=True)
            tables.append(hits_from_lists(truth, lists, profile))
        else:
            tables.append(hits_from_matrix(truth, values, profile=profile))
    for order in ("profile", "optimistic", "pessimistic"):
        one, other = (found.in_order(order) for found in tables)
        for field in fields(one):
            np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name), err_msg=field.name)


@pytest.mark.parametrize("measure", [measure for measure in MEASURES if measure.takes_level], ids=lambda m: m.name)
def test_level_one_above_a_threshold_of_two_equals_level_two(measure):
    random = np.random.default_rng(5)
    truth = truth_of(random.integers(0, 3, (9, 40)), np.full(9, -1))
    values = random.random((9, 40))
    for profile in PROFILES:
        strict = with_convention(profile, "relevant_from", 2)
        one = measure.at(1).evaluate(hits_from_matrix(truth, values, profile=strict).hits, strict)
        other = measure.at(2).evaluate(hits_from_matrix(truth, values, profile=profile).hits, profile)
        if profile.tiers == "literal":
            continue
        np.testing.assert_array_equal(one, other)


def test_gains_above_a_threshold_by_hand():
    """A list with the levels 1 2 0 2, which are 0 2 0 2 above a threshold of 2."""
    truth, values = truth_of(np.array([[1, 2, 0, 2]]), np.array([-1])), np.arange(4.0)[None, :]
    strict = with_convention(DEFAULT, "relevant_from", 2)
    hits = hits_from_matrix(truth, values, profile=strict).hits
    assert find_measure("CG").evaluate(hits, strict)[0] == 4
    assert find_measure("DCG").evaluate(hits, strict)[0] == 2 / 1 + 2 / 2
    assert find_measure("NDCG").evaluate(hits, strict)[0] == pytest.approx(3 / 4)
