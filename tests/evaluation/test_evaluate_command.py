"""``evaluate`` and ``compare``: changed conventions, order of runs, ceilings, tables for papers."""

import csv
import json
import re
from io import StringIO

import numpy as np
import pytest

from shrec_viewer.cli import main
from shrec_viewer.metrics import CONVENTIONS, CURVES, MEASURES, PROFILES, find_measure, find_profile

CLASSIFICATION = "PSB 1\n2 6\n\nx 0 3\na\nb\nc\n\ny 0 3\nd\ne\nf\n"
QRELS = "q1 0 a 2\nq1 0 b 1\nq2 0 d 2\nq4 0 e 1\n"
LISTS = """q1 Q0 c 1 0.9 T
q1 Q0 a 2 0.9 T
q1 Q0 zz 3 0.8 T
q1 Q0 b 4 0.7 T
q2 Q0 d 1 0.5 T
q2 Q0 e 2 0.4 T
"""
"""c and a are equal, zz is unknown, q4 has no list."""


@pytest.fixture
def call(capsys):
    def run(*arguments):
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture
def contest(tmp_path):
    folder = tmp_path / "contest"
    (folder / "runs").mkdir(parents=True)
    (folder / "classification.cla").write_text(CLASSIFICATION)
    (folder / "qrels.txt").write_text(QRELS)
    (folder / "runs" / "T.run").write_text(LISTS)
    return folder


@pytest.fixture
def matrices(tmp_path):
    """One query per relevant model; model a is at no number, model b at infinity."""
    folder = tmp_path / "matrices"
    (folder / "runs").mkdir(parents=True)
    (folder / "classification.cla").write_text(CLASSIFICATION)
    (folder / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 1\n")
    np.save(folder / "runs" / "M.npy", np.array([[np.nan, np.inf, 1, 2, 3, 4]], np.float32))
    return folder


def ap(call, folder, *arguments, run=0):
    status, out, err = call(
        "evaluate", folder, "--measure", "AP", "--format", "json", "--profile", "default", *arguments
    )
    assert status in (0, 1), err
    return json.loads(out)["runs"][run]["mean"]["AP"]


@pytest.mark.parametrize(
    ("arguments", "mean"),
    [
        ((), ((1 / 2 + 2 / 3) / 2 + 1 + 0) / 3),
        (("--missing", "skip"), ((1 / 2 + 2 / 3) / 2 + 1) / 2),
        (("--ties", "index"), ((1 / 1 + 2 / 3) / 2 + 1 + 0) / 3),
        (("--ties", "trec"), ((1 / 2 + 2 / 3) / 2 + 1 + 0) / 3),
        (("--ties", "optimistic"), ((1 / 1 + 2 / 3) / 2 + 1 + 0) / 3),
        (("--ties", "pessimistic"), ((1 / 2 + 2 / 3) / 2 + 1 + 0) / 3),
        (("--relevance", "2"), (1 / 2 + 1) / 2),
        (("--relevance", "2", "--convention", "no_relevant=zero"), (1 / 2 + 1 + 0) / 3),
        (("--convention", "unknown=keep"), ((1 / 2 + 2 / 4) / 2 + 1 + 0) / 3),
        (("--convention", "list_cut=2"), ((1 / 2) / 2 + 1 + 0) / 3),
        (("--convention", "list-cut=3", "--convention", "cut-counts=lines"), ((1 / 2) / 2 + 1 + 0) / 3),
        (("--convention", "list_cut=2", "--convention", "ap_divisor=retrieved"), (1 / 2 + 1 + 0) / 3),
        (("--convention", "ap_divisor=largest-class", "--missing", "skip"), ((1 / 2 + 2 / 3) / 2 + 1 / 2) / 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_each_convention_can_be_overridden(call, contest, arguments, mean):
    assert ap(call, contest, *arguments) == pytest.approx(mean, abs=1e-15)


@pytest.mark.parametrize(
    ("arguments", "mean"),
    [
        ((), (1 / 5 + 2 / 6) / 2),
        (("--convention", "not_a_number=drop"), (1 / 5) / 2),
        (("--convention", "infinite=drop"), (1 / 5) / 2),
        (("--convention", "infinite=drop", "--convention", "not_a_number=drop"), 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_odd_distances_can_be_overridden(call, matrices, arguments, mean):
    assert ap(call, matrices, *arguments) == pytest.approx(mean, abs=1e-15)


def test_the_query_in_its_own_list_can_be_kept(call, tmp_path):
    """Three birds and two cats, nearest first along a line; kept, every query finds itself."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "birds.cla").write_text("PSB 1\n2 5\n\nbird 0 3\na\nb\nc\n\ncat 0 2\nd\ne\n")
    np.save(tmp_path / "runs" / "M.npy", np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0))))
    measure = ("--measure", "NN", "--format", "json")
    dropped = json.loads(call("evaluate", tmp_path, *measure)[1])["runs"][0]["mean"]["NN"]
    kept = json.loads(call("evaluate", tmp_path, *measure, "--convention", "self_match=keep")[1])["runs"][0]["mean"][
        "NN"
    ]
    assert (dropped, kept) == (4 / 5, 1.0)


def test_changed_convention_is_stated_in_every_format(call, contest):
    _, out, err = call(
        "evaluate", contest, "--profile", "psb", "--missing", "skip", "--ties", "trec", "--format", "json"
    )
    document = json.loads(out)
    assert document["profile"] == "psb+ties=trec+missing_query=skip"
    assert document["conventions"] == {"ties": "trec", "missing_query": "skip"}
    assert "ties" not in document
    assert "profile used: Princeton Shape Benchmark (modified) (psb+ties=trec+missing_query=skip)" in err
    _, again, _ = call("evaluate", contest, "--profile", document["profile"], "--format", "json")
    assert json.loads(again) == document
    _, out, err = call("evaluate", contest, "--ties", "optimistic", "--format", "json")
    assert json.loads(out)["ties"] == "optimistic"
    assert "equal distances in the best order for the run" in err
    _, out, err = call("evaluate", contest, "--profile", "psb", "--ties", "index", "--format", "json")
    assert json.loads(out)["profile"] == "psb", "what a contest does anyway changes nothing"


def test_how_far_means_depend_on_the_order_of_ties(call, contest):
    low, high = ((1 / 2 + 2 / 3) / 2 + 1) / 3, ((1 / 1 + 2 / 3) / 2 + 1) / 3
    arguments = ("evaluate", contest, "--profile", "default", "--measure", "AP", "--ties", "range")
    run = json.loads(call(*arguments, "--format", "json", "--per-query")[1])["runs"][0]
    assert run["mean"]["AP"] == pytest.approx(low)
    assert run["tie_range"]["mean"]["AP"] == [pytest.approx(low), pytest.approx(high)]
    by_class = [(7 / 12 + 1 / 2) / 2, (5 / 6 + 1 / 2) / 2]  # q1 asks for x, q2 and q4 for y
    assert run["tie_range"]["class_mean"]["AP"] == pytest.approx(by_class)
    assert run["tie_range"]["queries"] == {
        "q1": {"AP": [pytest.approx(7 / 12), pytest.approx(5 / 6)]},
        "q2": {"AP": [1, 1]},
        "q4": {"AP": [None, None]},
    }
    rows = {row["query"]: row["AP"] for row in csv.DictReader(StringIO(call(*arguments, "--format", "csv")[1]))}
    assert {name: float(value) for name, value in rows.items()} == {
        "mean": pytest.approx(low),
        "mean_lowest": pytest.approx(low),
        "mean_highest": pytest.approx(high),
        "class_mean": pytest.approx(by_class[0]),
        "class_mean_lowest": pytest.approx(by_class[0]),
        "class_mean_highest": pytest.approx(by_class[1]),
    }
    table = call(*arguments)[1].splitlines()
    assert [line.split()[1] for line in table] == ["query", *rows]


@pytest.mark.parametrize(
    ("arguments", "sentence", "pointer"),
    [
        (
            ("--convention", "tie=file"),
            "there is no convention 'tie'; do you mean 'ties'?",
            "lists the conventions",
        ),
        (("--convention", "ties=x"), "ties must be file, index or trec, not 'x'", "lists the conventions"),
        (("--convention", "ties"), "expected NAME=VALUE", "lists the conventions"),
        (("--ties", "random"), "'random' is not one of", "--help` lists the options"),
        (("--relevance", "0"), "0 is not in the range x>=1", "--help` lists the options"),
        (
            ("--profile", "psb+ties=x"),
            "ties must be file, index or trec, not 'x'",
            "`shrec-viewer profiles` lists all keys",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_convention_is_a_usage_error(call, contest, arguments, sentence, pointer):
    status, out, err = call("evaluate", contest, *arguments)
    assert (status, out) == (2, "")
    assert sentence in err
    assert pointer in err.splitlines()[-1]


def test_compare_accepts_conventions(call):
    plain = json.loads(call("compare", "demo", "C1", "B2", "--measure", "AP", "--format", "json")[1])
    skipped = json.loads(
        call("compare", "demo", "C1", "B2", "--measure", "AP", "--format", "json", "--missing", "skip")[1]
    )
    assert (plain["queries"], skipped["queries"]) == (16, 15)
    assert skipped["profile"] == "shrec2006+missing_query=skip"
    assert call("compare", "demo", "C1", "B2", "--ties", "range")[0] == 2


# ------------------------------------------------------------------------- papers


def test_latex_table_marks_the_best_and_compiles(call):
    _, out, _ = call("evaluate", "demo", "--measure", "AP", "--measure", "FN(rel=2)", "--format", "latex")
    lines = [line.strip() for line in out.splitlines()]
    assert lines[0] == r"% \usepackage{booktabs}"
    assert r"run & participant & AP $\uparrow$ & FN(rel=2) $\downarrow$ \\" in lines
    assert sum(r"B2 & Birch & \textbf{0.629}" in line for line in lines) == 1
    assert sum(r"\textbf" in line.split("&")[2] for line in lines if line.count("&") == 3) == 1
    assert out.isascii()
    assert [out.count(rf"\{end}{{tabular}}") for end in ("begin", "end")] == [1, 1]
    assert all(line.count("&") == 3 for line in lines if line.endswith(r"\\"))


def test_special_characters_of_latex_and_markdown_are_escaped(call, tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "c.cla").write_text(CLASSIFICATION)
    np.save(tmp_path / "runs" / "a_b & 50%.npy", np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0))))
    latex = call("evaluate", tmp_path, "--measure", "AP", "--format", "latex")[1]
    assert r"a\_b \& 50\% & " in latex
    markdown = call("evaluate", tmp_path, "--measure", "AP", "--format", "markdown")[1]
    assert r"| a\_b & 50% |" in markdown


def test_markdown_has_a_table_per_mean_and_a_column_per_measure(call):
    _, out, _ = call(
        "evaluate", "demo", "--profile", "default", "--measure", "AP", "--measure", "NN", "--format", "markdown"
    )
    rows = [line for line in out.splitlines() if line.startswith("|")]
    assert rows.count("| run | participant | AP ↑ | NN ↑ |") == 2, "over queries and over classes"
    assert {row.count("|") for row in rows} == {5}
    assert "Means over queries; profile Viewer default (default)" in out
    assert any(row.startswith("| B2 | Birch | **") for row in rows)


@pytest.mark.parametrize(("suffix", "start"), [(".tex", "% \\usepackage"), (".md", "Means over queries")])
def test_suffix_selects_the_format(call, tmp_path, suffix, start):
    path = tmp_path / f"table{suffix}"
    assert call("evaluate", "demo", "--measure", "AP", "--output", path)[:2] == (0, "")
    assert path.read_text(encoding="utf-8").startswith(start)


# ------------------------------------------------------------------------- lists of what there is


def test_profiles_list_the_conventions(call):
    out = " ".join(call("profiles")[1].split())
    for choice in CONVENTIONS:
        assert f"{choice.field} {choice.label} {choice.explanation}" in out
        assert all(allowed.explanation in out for allowed in choice.values)
    document = json.loads(call("profiles", "--format", "json")[1])
    assert [row["field"] for row in document["choices"]] == [choice.field for choice in CONVENTIONS]
    assert "Conventions to change" not in call("profiles", "psb")[1]


def test_a_changed_profile_can_be_looked_up(call):
    document = json.loads(call("profiles", "psb+list_cut=100", "--format", "json")[1])
    assert document["profiles"][0]["conventions"]["list_cut"] == 100
    assert document["choices"] == []


def test_bounds_of_truncated_lists_are_written(call):
    _, out, _ = call(
        "evaluate", "demo", "--profile", "default", "--format", "json", "--curves", "--average", "generality"
    )
    bounded = 0
    for run in json.loads(out)["runs"]:
        for key in ("GRiP", "GR2P", "PR", "E(generality)"):
            curve = run["curves"][key]
            if "lower" in curve:
                bounded += 1
                rows = zip(curve["lower"], curve["y"], curve["upper"], strict=True)
                assert all(low - 1e-12 <= y <= high + 1e-12 for low, y, high in rows if None not in (low, y, high))
                assert curve["lower"] != curve["upper"]
    assert bounded, "some lists of the demo are truncated"


def test_all_curves_of_a_profile_are_written(call):
    document = json.loads(
        call("evaluate", "demo", "--profile", "default", "--format", "json", "--curves", "--run", "A1")[1]
    )
    assert tuple(document["runs"][0]["curves"]) == find_profile("default").curves
    drawn = {key for profile in PROFILES for key in profile.curves}
    assert drawn == {kind.key for kind in CURVES}, "every curve belongs to some profile"


# ------------------------------------------------------------------------- all runs at once


def test_all_runs_are_compared_by_default(call):
    status, out, err = call("compare", "demo", "--measure", "AP")
    lines = [line.split() for line in out.splitlines()]
    rows = lines[next(index for index, line in enumerate(lines) if line[:1] == ["run"]) :]
    assert (status, rows[0]) == (0, ["run", "AP", "low", "high", "p(Holm)", "p(Tukey)", "group"])
    assert [row[0] for row in rows[1:]] == ["B2", "B1", "C1", "A2", "A1", "R1"], "best first"
    assert rows[1][4] == "-", "the best is not compared with itself"
    assert all(float(row[2]) <= float(row[1]) <= float(row[3]) for row in rows[1:])
    assert "over 16 queries" in " ".join(out.split())
    assert "p against B2" in " ".join(out.split())
    assert "SHREC 2006" in err


def test_all_runs_as_json_agree_with_the_table_and_with_single_tests(call):
    document = json.loads(call("compare", "demo", "--measure", "AP", "--format", "json", "--baseline", "A1")[1])
    assert document["schema"] == "shrec-viewer/significance/1"
    assert (document["baseline"], document["queries"], document["resampled"]) == ("A1", 16, "query")
    runs = {run["run"]: run for run in document["runs"]}
    assert runs["A1"]["p"] is None
    names = list(runs)
    pairs = np.array(document["pairs"]["p"])
    np.testing.assert_array_equal(pairs, pairs.T)
    for one, other in np.ndindex(pairs.shape):
        share = set(runs[names[one]]["group"]) & set(runs[names[other]]["group"])
        assert bool(share) == (pairs[one, other] > 0.05), "two runs share a letter exactly where they look alike"
    single = json.loads(call("compare", "demo", "A1", "R1", "--measure", "AP", "--format", "json")[1])
    assert runs["R1"]["p"] >= single["test"]["p"], "Holm only raises"
    assert runs["R1"]["mean"]["value"] == single["b"]["mean"]["value"]


def test_resampling_unit_can_be_selected(call, tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "c.cla").write_text(CLASSIFICATION)
    for name, seed in (("A", 1), ("B", 2)):
        np.save(tmp_path / "runs" / f"{name}.npy", np.random.default_rng(seed).random((6, 6)))
    for choice, unit, number in (("auto", "class", 2), ("class", "class", 2), ("query", "query", 6)):
        for runs in ((), ("A", "B")):
            document = json.loads(call("compare", tmp_path, *runs, "--resample", choice, "--format", "json")[1])
            interval = document["difference"] if runs else document["runs"][0]["mean"]
            assert (document["resampled"], interval["units"]) == (unit, number)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("A1",), "Missing argument 'RUN_B': give two runs, or none to compare all"),
        (("A1", "B2", "--baseline", "C1"), "--baseline is for the comparison of all runs"),
        (("--baseline", "C9"), "there is no run 'C9'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_comparison_is_a_usage_error(call, arguments, sentence):
    status, out, err = call("compare", "demo", *arguments)
    assert (status, out) == (2, "")
    assert sentence in err


def test_contradicting_tests_are_named(call):
    """C1 differs from B2 alone with Holm's correction, but not by Tukey HSD, which assigns the letters."""
    _, out, _ = call("compare", "demo")
    rows = {line.split()[0]: line.split() for line in out.splitlines() if line}
    assert rows["run"] == ["run", "ADR", "low", "high", "p(Holm)", "p(Tukey)", "group"]
    contradicting = [
        name
        for name, row in rows.items()
        if name in ("A1", "A2", "B1", "C1", "R1") and (float(row[4]) < 0.05) != (float(row[5]) < 0.05)
    ]
    assert contradicting == ["C1"]
    assert set(rows["C1"][6]) & set(rows["B2"][6]), "same letter: not significantly different"
    text = " ".join(out.split())
    assert "The tests disagree on C1 (Holm p < 0.001, Tukey HSD p = 0.334): Holm corrects for" in text
    assert "randomised Tukey HSD of all pairs" in text
    assert "paired randomisation tests with Holm correction" in text
    assert json.loads(call("compare", "demo", "--format", "json")[1])["disagreement"].startswith(
        "The tests disagree on C1"
    )


def test_a_pair_is_not_corrected_for_the_other_runs_and_says_so(call):
    out = " ".join(call("compare", "demo", "A2", "B2")[1].split())
    assert "paired randomisation test of this pair alone over 16 queries" in out
    assert "Not corrected for the other 4 runs: the test of all pairs (randomised Tukey HSD, " in out
    assert "HSD, compare without RUN_A and RUN_B) may not separate them." in out


def test_a_pair_that_only_the_test_of_all_pairs_separates_says_so(call, tmp_path):
    """Three queries of twelve with large differences: 2 of 2^3 exchanges are as large, p = 1/4."""
    models = [f"m{index:02}" for index in range(40)]
    (tmp_path / "qrels.txt").write_text("".join(f"q{query:02} 0 {models[query]} 1\n" for query in range(12)))
    for run, rank in {"A": 1, "B": 40, "C": 2, "D": 2, "E": 2, "F": 2}.items():
        lines = []
        for query in range(12):
            others = [model for model in models if model != models[query]]
            others.insert(rank - 1 if query < 3 else 1, models[query])
            lines += [f"q{query:02} Q0 {model} {place + 1} {-place} {run}\n" for place, model in enumerate(others)]
        (tmp_path / f"{run}.run").write_text("".join(lines))
    pair, everything = (" ".join(call("compare", tmp_path, *runs)[1].split()) for runs in (("A", "B"), ()))
    assert "p = 0.250, paired randomisation test of this pair alone" in pair
    assert "the test of all pairs (randomised Tukey HSD, compare without RUN_A and RUN_B) may separate them." in pair
    assert "The tests disagree on B (Holm p = 1.000, Tukey HSD p = 0.00" in everything
    assert "Not corrected" not in call("compare", tmp_path, "C", "D")[1], "equal runs"


def test_comparison_on_all_measures_and_order_of_runs(call):
    out = call("compare", "demo", "A1", "B2", "--profile", "psb", "--measure", "all")[1]
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["measure", "A1", "B2", "change", "low", "high", "p"]
    assert [line[0] for line in lines[1:7]] == list(find_profile("psb").measures)
    document = json.loads(
        call("compare", "demo", "A1", "B2", "--profile", "psb", "--measure", "all", "--format", "json")[1]
    )
    assert document["schema"] == "shrec-viewer/comparisons/1"
    single = json.loads(
        call("compare", "demo", "A1", "B2", "--profile", "psb", "--measure", "MAP", "--format", "json")[1]
    )
    assert single in document["comparisons"]
    assert single["measure"]["key"] == "AP"
    scores = json.loads(call("evaluate", "demo", "--sort", "NN", "--measure", "NN", "--format", "json")[1])
    out = call("compare", "demo", "--sort", "NN")[1].split("\n\n", 1)[1]
    assert [line.split()[0] for line in out.splitlines()[1:]] == [run["name"] for run in scores["runs"]]
    assert call("compare", "demo", "A1", "B2", "--sort", "NN")[0] == 2


# ------------------------------------------------------- order of runs, selection of measures


def test_runs_are_ranked_by_a_measure(call):
    """As in table 3 of the report of 2006: rank, run and mean average dynamic recall."""
    arguments = ("evaluate", "demo", "--profile", "shrec2006", "--measure", "MADR", "--sort", "MADR")
    document = json.loads(call(*arguments, "--format", "json")[1])
    means = [run["mean"]["ADR"] for run in document["runs"]]
    assert means == sorted(means, reverse=True)
    assert [run["rank"] for run in document["runs"]] == [1, 2, 3, 4, 5, 6]
    names = [run["name"] for run in document["runs"]]
    latex = call(*arguments, "--format", "latex")[1]
    assert r"\caption{Means over queries, ranked by MADR; profile SHREC 2006 (shrec2006)}" in latex
    rows = [line.split(" & ") for line in latex.splitlines() if line.startswith("    ") and "&" in line]
    assert [row[0].strip() for row in rows] == ["rank", *"123456"]
    assert [row[1] for row in rows[1:]] == names
    out = call(*arguments)[1]
    assert [line.split()[:2] for line in out.splitlines()[1:]] == [[str(n), name] for n, name in enumerate(names, 1)]
    rows = list(csv.DictReader(StringIO(call(*arguments, "--format", "csv")[1])))
    assert [row["run"] for row in rows] == names


def test_fewer_false_positives_rank_first_and_equal_runs_share_a_rank(call, tmp_path):
    (tmp_path / "qrels.txt").write_text("a 0 b 1\na 0 c 1\n", encoding="utf-8")
    (tmp_path / "classes.cla").write_text("PSB 1\n1 6\nall 0 6\nb c d e f g\n", encoding="utf-8")
    for name, models in {"p": "def", "q": "bd", "r": "ce", "s": "bc"}.items():
        lines = [f"a Q0 {model} {rank} {10 - rank} {name}" for rank, model in enumerate(models, 1)]
        (tmp_path / f"{name}.run").write_text("\n".join(lines) + "\n", encoding="utf-8")
    out = call("evaluate", tmp_path, "--profile", "default", "--measure", "AP", "--sort", "FP", "--format", "json")[1]
    ranked = [(run["rank"], run["name"].removesuffix(".run"), run["mean"]["FP"]) for run in json.loads(out)["runs"]]
    assert ranked == [(1, "s", 0), (2, "q", 1), (2, "r", 1), (4, "p", 3)]
    assert call("evaluate", tmp_path, "--sort", "ADRR")[0] == 2


def test_all_measures(call):
    document = json.loads(call("evaluate", "demo", "--profile", "psb", "--measure", "all", "--format", "json")[1])
    keys = [row["key"] for row in document["measures"]]
    assert keys[:6] == list(find_profile("psb").measures)
    assert {measure.at().key for measure in MEASURES} <= set(keys)
    assert len(set(keys)) == len(keys)
    keys = call("evaluate", "demo", "--profile", "psb", "--measure", "all", "--measure", "P@7", "--format", "csv")[1]
    assert "P@7" in keys.splitlines()[0].split(",")


@pytest.mark.parametrize("width", [60, 80, 200])
def test_a_table_in_a_pipe_has_the_main_measures_that_fit(call, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    _, out, err = call("evaluate", "demo", "--profile", "shrec2006")
    lines = out.splitlines()
    assert max(map(len, lines)) <= width
    assert "ADR" in lines[0].split()
    shown = len(lines[0].split()) - 2
    assert f": {39 - shown} measures left out: --measure all or --format csv for all, --measure KEY for one" in err
    _, out, err = call("evaluate", "demo", "--profile", "shrec2006", "--measure", "all")
    assert max(map(len, out.splitlines())) > 200
    assert "left out" not in err


@pytest.mark.parametrize("form", ["csv", "json", "latex", "markdown"])
def test_other_formats_in_a_pipe_have_all_measures(call, monkeypatch, form):
    monkeypatch.setenv("COLUMNS", "40")
    _, out, err = call("evaluate", "demo", "--profile", "shrec2006", "--format", form)
    keys = find_profile("shrec2006").measures
    assert all(re.search(rf"(?<![\w)]){re.escape(key)}(?![(@\w])", out.replace("\\", "")) for key in keys)
    assert "left out" not in err


@pytest.mark.parametrize("key", ["FP", "P@3"])
def test_a_table_in_a_pipe_has_the_measure_that_ranks_the_runs(call, monkeypatch, key):
    """It is one of the last measures of the profile, or none of them."""
    monkeypatch.setenv("COLUMNS", "60")
    _, out, _ = call("evaluate", "demo", "--profile", "shrec2006", "--sort", key)
    header, *rows = (line.split() for line in out.splitlines())
    assert header[:4] == ["rank", "run", "participant", key]
    assert len(header) < 10
    means = [float(row[3]) for row in rows]
    assert means == sorted(means, reverse=find_measure(key).better == "higher")


def test_a_table_in_a_pipe_always_has_the_headline_measure(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "10")
    out = call("evaluate", "demo", "--profile", "trec+missing_query=zero")[1]
    assert out.splitlines()[0].split() == ["run", "participant", "AP"]


def test_a_table_in_a_file_has_all_measures(call, tmp_path):
    call("evaluate", "demo", "--profile", "shrec2006", "--output", tmp_path / "table.txt")
    assert len((tmp_path / "table.txt").read_text(encoding="utf-8").splitlines()[0].split()) == 41


def test_excluded_queries_are_announced(call, tmp_path):
    """Two classes of one and two models, and one of three, under the conventions of Princeton."""
    (tmp_path / "c.cla").write_text("PSB 1\n3 6\nx 0 1\na\ny 0 2\nb\nc\nz 0 3\nd\ne\nf\n", encoding="utf-8")
    np.save(tmp_path / "M.npy", np.random.default_rng(1).random((6, 6)).astype(np.float32))
    for form in ("table", "csv", "json"):
        status, out, err = call("evaluate", tmp_path, "--profile", "psb", "--format", form)
        assert status == 0, err
        assert (
            "profile used: Princeton Shape Benchmark (psb); queries of classes of fewer than 3 models (3) are excluded "
            "from the means\n"
        ) in err
    assert json.loads(out)["excluded_queries"] == ["a", "b", "c"]
    _, out, err = call("evaluate", tmp_path, "--profile", "default", "--format", "json")
    # The query of a class of its own has nothing to find, whatever the profile.
    assert (
        "profile used: Viewer default (default); queries without relevant models (1) are excluded from the means\n"
        in err
    )
    assert "excluded_queries" not in json.loads(out)
    err = call("evaluate", tmp_path, "--convention", "no_relevant=zero")[2]
    assert "; queries without relevant models (1) score 0\n" in err
    err = call("compare", tmp_path, "--profile", "psb")[2]
    assert "(3) are excluded from the means" in err
    (tmp_path / "benchmark.toml").write_text('[benchmark]\nprofile = "psb"\n', encoding="utf-8")
    out = call("check", tmp_path)[1]
    assert (
        "note: 3 queries of classes of fewer than 3 models: a, b, c; excluded from the means by Princeton Shape "
        "Benchmark\n"
    ) in out


@pytest.mark.parametrize(
    ("other", "classes"),
    [("-1 0 3\na\nb\nc\n", "the class '-1' (3)"), ("-1 0 1\na\nx 0 2\nb\nc\n", "{few} and of the class '-1' (3)")],
)
def test_excluded_classes_are_those_of_the_file(call, tmp_path, other, classes):
    text = f"PSB 1\n{3 if 'x' in other else 2} 6\n{other}z 0 3\nd\ne\nf\n"
    (tmp_path / "c.cla").write_text(text, encoding="utf-8")
    np.save(tmp_path / "M.npy", np.random.default_rng(1).random((6, 6)).astype(np.float32))
    err = call("evaluate", tmp_path, "--profile", "psb")[2]
    expected = classes.format(few="classes of fewer than 3 models")
    assert f"(psb); queries of {expected} are excluded from the means\n" in err


# ------------------------------------------------------------------------- ceilings


@pytest.mark.parametrize("profile", ["default", "shrec2021", "psb"])
def test_best_possible_means_follow_those_of_the_runs(call, profile):
    arguments = ("evaluate", "demo", "--profile", profile, "--measure", "E@32", "--measure", "AP", "--ceiling")
    document = json.loads(call(*arguments, "--format", "json")[1])
    for run in document["runs"]:
        assert run["ceiling"]["mean"]["AP"] == 1 - len(run["missing_queries"]) / 16  # a missing list stays missing
        assert run["mean"]["E@32"] <= run["ceiling"]["mean"]["E@32"] < 1
    rows = list(csv.DictReader(StringIO(call(*arguments, "--format", "csv")[1])))
    for run in document["runs"]:
        ceilings = {row["query"]: row for row in rows if row["run"] == run["name"] and "ceiling" in row["query"]}
        assert set(ceilings) == {"ceiling", "class_ceiling"}
        assert float(ceilings["ceiling"]["E@32"]) == run["ceiling"]["mean"]["E@32"]
    latex = call(*arguments, "--format", "latex")[1]
    assert "Best possible means over queries, for lists of the submitted lengths" in latex
    assert r"\textbf{1.000}" not in latex, "no bound is marked as the best run"
    assert not any("ceiling" in run for run in json.loads(call(*arguments[:-1], "--format", "json")[1])["runs"])


def test_ceilings_of_false_positives_and_short_lists(call, tmp_path):
    """Query a, relevant b c of six others: a list of four has two false positives at least, one of one has none."""
    (tmp_path / "qrels.txt").write_text("a 0 b 1\na 0 c 1\na 0 d 0\n", encoding="utf-8")
    (tmp_path / "classes.cla").write_text("PSB 1\n1 6\nall 0 6\nb c d e f g\n", encoding="utf-8")
    for name, models in {"long": "debf", "short": "e"}.items():
        lines = [f"a Q0 {model} {rank} {10 - rank} {name}" for rank, model in enumerate(models, 1)]
        (tmp_path / f"{name}.run").write_text("\n".join(lines) + "\n", encoding="utf-8")
    keys = [part for key in ("FP", "FN", "ST", "P") for part in ("--measure", key)]
    status, out, err = call("evaluate", tmp_path, "--profile", "shrec2006", *keys, "--ceiling", "--format", "json")
    assert status == 0, err
    runs = {run["name"].removesuffix(".run"): run for run in json.loads(out)["runs"]}
    assert runs["long"]["mean"] == {"FP": 3, "FN": 1, "ST": 0.25, "P": 0.25}
    assert runs["long"]["ceiling"]["mean"] == {"FP": 2, "FN": 0, "ST": 0.5, "P": 0.5}
    assert runs["short"]["mean"] == {"FP": 1, "FN": 2, "ST": 0, "P": 0}
    assert runs["short"]["ceiling"]["mean"] == {"FP": 0, "FN": 1, "ST": 1, "P": 1}
