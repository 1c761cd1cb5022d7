"""Texts of the tables, grammar of keys, other names, formulas, and messages about wrong keys."""

import dataclasses
import inspect
import re
import typing

import numpy as np
import pytest
from hit_tables import Case, table_of
from hypothesis import given, settings
from hypothesis import strategies as st

from shrec_viewer.metrics import (
    CURVES,
    FAMILIES,
    MEASURES,
    PROFILES,
    UnknownKeyError,
    evaluator_bugs_of,
    find_curve,
    find_measure,
    find_profile,
    textbook_profile,
)
from shrec_viewer.metrics.measures.measure import SYMBOLS
from shrec_viewer.metrics.profiles.conventions import EVALUATOR_BUGS
from shrec_viewer.metrics.profiles.profile import RANKING_CONVENTIONS, Profile

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
    "GR3",
    "GR20(rel=2)",
    "GRP1",
    "GRP2",
    "RR",
    "Rprec",
    "TP",
    "FP",
    "TN",
    "FN",
    "AP(rel=2)",
    "FT(rel=2)",
    "P(rel=2)@10",
    "TP@10",
    "FN(rel=2)@5",
    "F(beta=2)",
    "F(beta=0.5,rel=2)@20",
    "Cost(alpha=0.2)@10",
    "F(beta=0.123456789)",
    "F(beta=100000000)",
    "Cost(alpha=0.0000001)",
    "P@2147483647",
    "GRP2147483647",
]


@pytest.mark.parametrize("key", CONTRACT)
def test_canonical_keys_are_unchanged(key):
    assert find_measure(key).key == key


@pytest.mark.parametrize(
    ("key", "canonical"),
    [
        ("E", "E@32"),
        ("AP(rel=1)", "AP"),
        (" NDCG@05 ", "NDCG@5"),
        ("E@10", "E@10"),
        ("MAP", "AP"),
        ("MAP(rel=2)@10", "AP(rel=2)@10"),
        ("MADR", "ADR"),
        ("MRR", "RR"),
        ("nDCG", "NDCG"),
        ("ndcg@5", "NDCG@5"),
        ("First Tier", "FT"),
        ("first-tier(rel=2)", "FT(rel=2)"),
        ("T1", "FT"),
        ("T2", "ST"),
        ("Tier1", "FT"),
        ("BEP", "BEP"),
        ("Bull's eye", "BEP"),
        ("GRiP", "GR1"),
        ("E-measure", "E@32"),
        ("F", "F1"),
        ("R-precision", "Rprec"),
        ("Nearest Neighbor", "NN"),
        ("Cost", "Cost(alpha=0.5)"),
        ("F(beta=2.0, rel=2)@10", "F(beta=2,rel=2)@10"),
        ("f(beta=3)@10", "F(beta=3)@10"),
        ("cost(alpha=0.25)", "Cost(alpha=0.25)"),
        ("gr3(rel=2)", "GR3(rel=2)"),
        ("grp4", "GRP4"),
    ],
)
def test_equivalent_spellings_give_one_key(key, canonical):
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
        ("NDGC@5", "there is no measure 'NDGC@5'; do you mean 'NDCG'?"),
        ("AP@", "there is no measure 'AP@'; do you mean 'AP@R'?"),
        ("NDCG(rel=2)", "NDCG takes no relevance level: it uses all levels at once"),
        ("FT@10", "FT takes no cutoff: its definition fixes the ranks, FT = V(C) / C"),
        ("NN@5", "NN takes no cutoff: its definition fixes the ranks, NN = [G[1] relevant]"),
        ("P@0", "the cutoff must be at least 1, not 0"),
        ("P(rel=0)", "the relevance level must be at least 1, not 0"),
        ("GR0", "there is no measure 'GR0'; do you mean 'GR2'?"),
        ("GR02", "there is no measure 'GR02'; do you mean 'GR2'?"),
        ("GR", "there is no measure 'GR'; do you mean 'GR2'?"),
        ("GR2@10", "GR2 takes no cutoff: its definition fixes the ranks, GR2 = V(2C) / C"),
        ("NN2", "there is no measure 'NN2'; do you mean 'NN'?"),
        ("AP(beta=2)", "there is no measure 'AP(beta=2)'; do you mean 'AP'?"),
        ("P@2147483648", "the cutoff must be at most 2147483647, not 2147483648"),
        ("GR99999999999999999999", "the number of GR must be at most 2147483647, not 99999999999999999999"),
        ("F(beta=1.2.3)", "beta must be a number from 0 to 1000000000, not 1.2.3"),
        ("F(beta=99999999999)", "beta must be a number from 0 to 1000000000, not 99999999999"),
        ("Cost(alpha=1.5)", "alpha must be a number from 0 to 1, not 1.5"),
        ("F(beta=2,rel=1.5)", "the relevance level must be a whole number, not 1.5"),
    ],
)
def test_unknown_key_suggests_the_nearest_one(key, sentence):
    with pytest.raises(UnknownKeyError) as caught:
        find_measure(key)
    assert str(caught.value) == sentence
    assert isinstance(caught.value, KeyError)


def test_key_unlike_any_other_lists_all_keys():
    with pytest.raises(UnknownKeyError, match="there is no measure '!'; there are NN, FT, ST, E, AP, "):
        find_measure("!")


def test_unknown_profiles_and_curves_suggest_the_nearest_one():
    with pytest.raises(UnknownKeyError, match="there is no profile 'shrec06'; do you mean 'shrec2006'"):
        find_profile("shrec06")
    with pytest.raises(UnknownKeyError, match=r"there is no curve 'pr'; do you mean 'PR'\?"):
        find_curve("pr")


@pytest.mark.parametrize("table", [MEASURES, CURVES, PROFILES], ids=["measures", "curves", "profiles"])
def test_rows_have_all_texts_and_unique_names(table):
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
def test_conventions_have_documented_values(profile):
    documented = inspect.cleandoc(Profile.__doc__ or "")
    for field, kind in typing.get_type_hints(Profile).items():
        assert f"\n{field} : " in documented or field in ("key", "title", "source", "description")
        if typing.get_origin(kind) is typing.Literal:
            assert getattr(profile, field) in typing.get_args(kind)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_variants_name_existing_conventions_and_values(measure):
    hints = typing.get_type_hints(Profile)
    for variant in measure.variants:
        assert variant.value in typing.get_args(hints[variant.convention])
        assert variant.formula != measure.formula
        assert variant.range is None or (variant.range != measure.range and variant.range[0] <= variant.range[1])


def test_formula_follows_the_profile():
    assert find_measure("AP").formula_under(find_profile("psb")) == "AP = (1/C) sum_k k / p_k"
    assert find_measure("AP").formula_under(find_profile("shrec2006")) == "AP = (1/V) sum_k k / p_k; 0 where V = 0"
    assert find_measure("ST").formula_under(find_profile("shrec2006")) == "ST = V(d) / d, d = min(Va, 2C)"


@pytest.mark.parametrize(
    ("key", "profile", "formula"),
    [
        ("P@10", "default", "P@10 = V(10) / 10"),
        ("R@7", "shrec2017", "R@7 = V(7) / min(C, L)"),
        ("AP@10", "default", "AP@10 = (1/C) sum_{p_k<=10} k / p_k"),
        ("AP@10", "shrec2006", "AP@10 = (1/V(10)) sum_{p_k<=10} k / p_k; 0 where V = 0"),
        ("E", "psb", "E@32 = 2 V(32) / (min(32, Ds) + C)"),
        ("E@10", "psb", "E@10 = 2 V(10) / (min(10, Ds) + C)"),
        ("F(beta=2)@5", "default", "F(beta=2)@5 = 5 V(5) / (5 + 4 C)"),
        ("FP@5", "default", "FP@5 = min(5, Va) - V(5)"),
        ("CG", "default", "CG = sum_i G[i]"),
        ("CG@5", "shrec2021", "CG@5 = sum_{i<=5} G[i]; G[i] = 2^level - 1"),
        ("NCG@5", "default", "NCG@5 = CG@5 / ICG@5; ICG of all relevant models, highest gains first"),
        (
            "NCG",
            "shrec2016shapenet",
            "NCG = CG / ICG; ICG of the relevant models in the list, highest gains first; "
            "ICG of at most the first L of these models",
        ),
        (
            "NDCG@5",
            "shrec2021",
            "NDCG@5 = DCG@5 / IDCG@5; DCG = sum_i G[i] / log2(i + 1); "
            "IDCG of all relevant models, highest gains first; G[i] = 2^level - 1",
        ),
    ],
)
def test_formulas_have_cutoff_gain_and_ideal_ranking(key, profile, formula):
    assert find_measure(key).formula_under(find_profile(profile)) == formula


def test_cap_of_the_ideal_ranking_is_named():
    for profile in ("shrec2017", "shrec2016shapenet"):
        for key, symbol in (("NDCG", "IDCG"), ("NCG@5", "ICG")):
            clause = f"{symbol} of at most the first L of these models"
            assert clause in find_measure(key).formula_under(find_profile(profile))
            assert clause not in find_measure(key).formula_under(find_profile("default"))
            hits = table_of([Case((1, 0, 1))])
            symbols = find_measure(key).calculation(hits, find_profile(profile)).symbols
            assert ("L", "1,000") in [(letter, value) for letter, _, value in symbols]


def test_texts_of_sources_maxima_and_exceptions():
    assert "Evaluator.js" in find_measure("AP").source_under(find_profile("shrec2016shapenet"))
    assert "k = min(K, Ds)" in find_measure("E").definition
    assert "linear in g" in find_curve("GRiP").definition
    (bug,) = evaluator_bugs_of(find_profile("shrec2021"))
    assert "2C - 1 ranks the second tier is 1" in bug.message


def test_bulls_eye_counts_the_query():
    """The query at rank 1 of its list, then 0 1 0 0 1: three of three models within 6 ranks; GR2 finds one of two."""
    default = find_profile("default")
    hits = table_of([Case((0, 1, 0, 0, 1), own=1), Case((0, 1, 0, 0, 1))])
    assert find_measure("BEP").evaluate(hits, default).tolist() == [1, 1 / 2]
    assert find_measure("GR2").evaluate(hits, default).tolist() == [1 / 2, 1 / 2]


def test_texts_of_other_cutoffs_and_short_lists():
    assert "32 unless" in find_measure("E@10").definition
    assert "first 32" not in find_measure("E@10").definition
    assert "about one half" not in find_measure("ST").definition
    assert "sections 3.5" in find_measure("GR1").source
    assert "equation 2" in find_measure("F(beta=2)").source
    assert "equation 8" in find_measure("Cost(alpha=0.5)").source


@pytest.mark.parametrize(
    ("key", "sources"),
    [
        ("PR", ("SHREC'12", "SHREC'19", "Sebe, Huijsmans, Tian, Gevers")),
        ("GRiP", ("section", "3.5")),
        ("E(generality)", ("section 6",)),
    ],
)
def test_sources_of_curves(key, sources):
    assert all(source in find_curve(key).source for source in sources)


def test_curves_of_gain_name_gain_and_ideal_ranking():
    assert "unless the profile defines another gain" in find_curve("CG").definition
    for key in ("NCG", "NDCG"):
        assert "all relevant models, or of those in the list" in find_curve(key).definition


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_formulas_use_symbols_that_are_defined(measure):
    """Capital letters are symbols of the table, keys, or defined by the formula itself; the cutoff is a number."""
    known = {word for symbol, meaning in SYMBOLS for word in re.findall(r"[A-Z]\w*", f"{symbol} {meaning}")} - {"K"}
    for profile in PROFILES:
        for cutoff in (None, 7) if measure.takes_cutoff else (None,):
            name, _, formula = measure.at(cutoff=cutoff).formula_under(profile).partition(" = ")
            assert name.partition("@")[0] == measure.name.partition("@")[0]
            defined = set(re.findall(r"([A-Z]+)@?\w*(?:\[i\])? =", formula)) | {"CG", "DCG", "ICG", "IDCG"}
            assert set(re.findall(r"[A-Z]\w*", formula)) <= known | defined, formula


def test_range_follows_the_profile_where_a_bug_exceeds_it():
    """The first tier of 2021 counts one hit too many: 2 of 1 where the class has one model."""
    first = find_measure("FT")
    assert first.range == (0, 1)
    assert first.range_under(find_profile("shrec2021")) == (0, 2)
    assert first.range_under(find_profile("shrec2021-textbook")) == (0, 1)
    assert find_measure("ST").range_under(find_profile("shrec2021")) == (0, 1)
    one_model = table_of([Case((1, 0, 0))])
    assert first.evaluate(one_model, find_profile("shrec2021"))[0] == 2


def test_family_member_equals_the_row_of_the_table():
    rows = {measure.name: measure for measure in MEASURES}
    for name in ("GR1", "GR2", "GRP2"):
        assert find_measure(name).measure is rows[name]
        made = next(family.row(int(name[-1])) for family in FAMILIES if name == f"{family.prefix}{name[-1]}")
        assert made == rows[name]


@pytest.mark.parametrize("bug", EVALUATOR_BUGS, ids=lambda bug: f"{bug.profile}-{bug.convention}")
def test_evaluator_bugs_name_existing_profiles_conventions_and_measures(bug):
    profile = find_profile(bug.profile)
    allowed = typing.get_args(typing.get_type_hints(Profile)[bug.convention])
    assert getattr(profile, bug.convention) == bug.official
    assert {bug.official, bug.textbook} <= set(allowed)
    assert bug.message.endswith(".")
    assert bug.convention not in RANKING_CONVENTIONS  # textbook values come from the same hits
    assert f"{bug.profile}-textbook" in profile.description
    for name in bug.measures:
        assert find_measure(name).measure.name == name
    assert bug in evaluator_bugs_of(profile)


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.key)
@given(tables=st.lists(st.lists(st.integers(0, 3), max_size=30).map(tuple), min_size=2, max_size=4))
@settings(max_examples=20, deadline=None)
def test_textbook_profile_changes_exactly_the_measures_of_its_bugs(profile, tables):
    mended = textbook_profile(profile)
    touched = {name for bug in evaluator_bugs_of(profile) for name in bug.measures}
    assert (mended is None) == (not touched)
    if mended is None:
        return
    assert (mended.key, textbook_profile(mended)) == (f"{profile.key}-textbook", None)
    assert find_profile(mended.key) == mended
    hits = table_of([Case(gains[1:], gains[:1], highest=3) for gains in tables])
    for measure in MEASURES:
        if measure.name not in touched:
            one, other = (measure.at().evaluate(hits, which) for which in (profile, mended))
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("bug", EVALUATOR_BUGS, ids=lambda bug: f"{bug.profile}-{bug.convention}")
def test_every_evaluator_bug_changes_a_value(bug):
    official = find_profile(bug.profile)
    mended = dataclasses.replace(official, **{bug.convention: bug.textbook})
    hits = table_of([Case((0, 1, 0, 2, 1), (3, 1), highest=3), Case((1, 0), highest=3), Case((2, 3), highest=3)])
    for name in set(bug.measures) - {"NCG"}:
        measure = find_measure(name if name != "P" else "P@5")
        assert not np.allclose(measure.evaluate(hits, official), measure.evaluate(hits, mended))
