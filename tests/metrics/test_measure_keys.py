"""The words of the tables, the grammar of keys, and what is said about a wrong one."""

import dataclasses
import typing

import pytest

from shrec_viewer.metrics import CURVES, MEASURES, PROFILES, UnknownKeyError, find_curve, find_measure, find_profile
from shrec_viewer.metrics.profile import Profile

CONTRACT = [
    "NN",
    "FT",
    "ST",
    "P",
    "R",
    "F1",
    "AP",
    "ADR",
    "E@32",
    "P@10",
    "R@100",
    "CG@5",
    "NCG@5",
    "DCG@5",
    "NDCG@5",
    "NDCG",
    "GR1",
    "GR2",
    "RR",
    "Rprec",
    "TP",
    "FP",
    "TN",
    "FN",
    "AP(rel=2)",
    "FT(rel=2)",
    "P(rel=2)@10",
]


@pytest.mark.parametrize("key", CONTRACT)
def test_keys_of_the_command_line_come_back_as_written(key):
    assert find_measure(key).key == key


@pytest.mark.parametrize(
    ("key", "canonical"), [("E", "E@32"), ("AP(rel=1)", "AP"), (" NDCG@05 ", "NDCG@5"), ("E@10", "E@10")]
)
def test_other_spellings_have_one_key(key, canonical):
    assert find_measure(key).key == canonical


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("AP", "Average precision"),
        ("AP(rel=2)", "Average precision (highly relevant)"),
        ("FT(rel=3)", "First tier (level 3 and up)"),
        ("NDCG@5", "Normalised discounted cumulated gain at 5"),
        ("P(rel=2)@10", "Precision at 10 (highly relevant)"),
    ],
)
def test_labels(key, label):
    assert find_measure(key).label == label


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("MAP", "there is no measure 'MAP'; do you mean 'AP'?"),
        ("ndcg@5", "there is no measure 'ndcg@5'; do you mean 'NDCG'?"),
        ("AP@", "there is no measure 'AP@'; do you mean 'AP'?"),
        ("NDCG(rel=2)", "NDCG takes no relevance level: it uses all levels at once"),
        ("FT@10", "FT takes no cut-off: it is defined by the whole list"),
        ("P@0", "a cut-off starts at 1, not 0"),
        ("P(rel=0)", "a relevance level starts at 1, not 0"),
    ],
)
def test_a_wrong_key_is_a_sentence(key, sentence):
    with pytest.raises(UnknownKeyError) as caught:
        find_measure(key)
    assert str(caught.value) == sentence
    assert isinstance(caught.value, KeyError)


def test_a_key_like_nothing_lists_all_of_them():
    with pytest.raises(UnknownKeyError, match="there is no measure '!'; there are NN, FT, ST, E, AP, "):
        find_measure("!")


def test_wrong_profiles_and_curves_are_sentences():
    with pytest.raises(UnknownKeyError, match="there is no profile 'shrec06'; do you mean 'shrec2006'"):
        find_profile("shrec06")
    with pytest.raises(UnknownKeyError, match=r"there is no curve 'pr'; do you mean 'PR'\?"):
        find_curve("pr")


@pytest.mark.parametrize("table", [MEASURES, CURVES, PROFILES], ids=["measures", "curves", "profiles"])
def test_every_row_has_all_its_words_and_a_name_of_its_own(table):
    for field in dataclasses.fields(table[0]):
        values = [getattr(row, field.name) for row in table]
        if field.name in ("name", "key", "label", "title"):
            assert len(set(values)) == len(values)
        if field.type is str or field.name in ("definition", "formula", "description"):
            assert all(values), field.name
        if field.name in ("definition", "description"):
            assert all(value.endswith(".") for value in values), field.name
            assert all(value[0].isupper() for value in values), field.name


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.key)
def test_profiles_name_measures_and_curves_that_exist(profile):
    keys = [find_measure(key).key for key in profile.measures]
    assert keys == list(profile.measures)
    assert len(set(keys)) == len(keys)
    assert profile.headline in keys
    assert [find_curve(key).key for key in profile.curves] == list(profile.curves)
    assert find_profile(profile.key) is profile


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.key)
def test_conventions_are_among_those_documented(profile):
    documented = Profile.__doc__ or ""
    for field, kind in typing.get_type_hints(Profile).items():
        assert f"\n    {field} : " in documented or field in ("key", "title", "source", "description")
        if typing.get_origin(kind) is typing.Literal:
            assert getattr(profile, field) in typing.get_args(kind)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_variants_speak_of_conventions_that_exist(measure):
    hints = typing.get_type_hints(Profile)
    for variant in measure.variants:
        assert variant.value in typing.get_args(hints[variant.convention])
        assert variant.formula != measure.formula


def test_formula_follows_the_profile():
    assert find_measure("AP").formula_under(find_profile("psb")) == "AP = (1/C) sum_k k / p_k"
    assert find_measure("AP").formula_under(find_profile("shrec2006")) == "AP = (1/V) sum_k k / p_k; 0 where V = 0"
    assert find_measure("ST").formula_under(find_profile("shrec2006")) == "ST = V(d) / d, d = min(Va, 2C)"
