"""The certainty command, and the families of tests that --run names in compare, robustness and tables."""

import csv
import json
from io import StringIO

import numpy as np
import pytest

from shrec_viewer.cli import main
from shrec_viewer.evaluation.comparison.certainty import certainty_document, family_of, order_certainty
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile
from shrec_viewer.metrics.statistics.significance import holm, randomisation_tests
from shrec_viewer.resources import resource


@pytest.fixture
def call(capsys):
    """Call the program; its standard output, after success."""

    def run(*arguments, status=0):
        found = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        assert found == status, said.err
        return said.err if status else said.out

    return run


@pytest.fixture(scope="module")
def scores():
    return evaluate(read_benchmark(resource("demo")), find_profile("shrec2006"))


def test_the_document_is_that_of_the_options(call, scores):
    options = ["--resample=query", "--resamples=500", "--seed=7", "--rope=0.2", "--difference=0.05", "--measure=AP"]
    found = json.loads(call("certainty", "demo", "--format", "json", *options))
    expected = order_certainty(scores, "AP", resample="query", resamples=500, seed=7, rope=0.2, difference=0.05)
    assert found == json.loads(json.dumps(certainty_document(expected)))


def test_pairs_are_those_of_the_command_compare(call):
    found = json.loads(call("certainty", "demo", "--format", "json"))
    assert len(found["pairs"]) == 15
    for pair in found["pairs"][:4]:
        one = json.loads(call("compare", "demo", pair["b"], pair["a"], "--format", "json"))
        assert pair["difference"] == pytest.approx(one["difference"]["value"], abs=1e-12)
        assert pair["interval"] == pytest.approx([one["difference"]["low"], one["difference"]["high"]], abs=1e-12)
        assert pair["effect_size"] == pytest.approx(one["effect"], abs=1e-12)
        wins = one["tally"]
        assert (pair["wins"], pair["ties"], pair["losses"]) == (wins["b_better"], wins["equal"], wins["a_better"])


def test_the_csv_has_every_number_of_the_document(call):
    document = json.loads(call("certainty", "demo", "--resamples=300", "--format", "json"))
    rows = list(csv.DictReader(StringIO(call("certainty", "demo", "--resamples=300", "--format", "csv"))))
    found = {(row["a"], row["b"], row["figure"]): row["value"] for row in rows}
    assert len(found) == len(rows) == 6 * 8 + 15 * 10
    for run in document["runs"]:
        assert float(found[run["name"], "", "mean"]) == run["mean"]
        ends = [found[run["name"], "", f"rank_interval {end}"] for end in ("low", "high")]
        assert [int(end) for end in ends] == run["rank_interval"]
    for pair in document["pairs"]:
        assert int(found[pair["a"], pair["b"], "queries_needed"]) == pair["queries_needed"]
        assert found[pair["a"], pair["b"], "equivalent"] == str(pair["equivalent"]).lower()


@pytest.mark.parametrize(
    ("form", "mark"), [("table", "verdict"), ("latex", r"\bottomrule"), ("markdown", "| verdict |")]
)
def test_texts_have_runs_pairs_and_the_sentence(call, form, mark):
    out = call("certainty", "demo", "--format", form)
    assert mark in out
    assert out.count("B2 and B1 share places 1 to 3; 32 queries would be needed to tell them apart.") == 1
    assert "no probability to be the best method" in out
    assert "Family: 6 runs, 16 queries" in out
    assert "Not comparable: ADR divides by what was retrieved" in out


def test_run_names_the_family(call, scores):
    found = json.loads(call("certainty", "demo", "--run", "B1", "--run", "A1", "--format", "json"))
    assert found["family"] == ["B1", "A1"]
    bounds = {run["name"]: run["rank_bounds"] for run in found["runs"]}
    assert bounds == {"B1": [1, 1], "A1": [2, 2]}
    expected = order_certainty(family_of(scores, ("B1", "A1")))
    assert [run["rank_bounds"] for run in found["runs"]] == expected.bounds.tolist()


def test_virtual_runs_are_in_the_family_only_if_named(call):
    both = ["--virtual", "rrf(A1,B1)", "--format", "json"]
    assert "rrf(A1,B1)" not in json.loads(call("certainty", "demo", *both))["family"]
    named = json.loads(call("certainty", "demo", "--run", "A1", "--run", "rrf(A1,B1)", *both))
    assert sorted(named["family"]) == ["A1", "rrf(A1,B1)"]


def test_a_group_counts_once(call):
    found = json.loads(call("certainty", "demo", "--group", "B*", "--format", "json"))
    assert len(found["family"]) == 5
    assert len({"B1", "B2"} & set(found["family"])) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["certainty", "demo", "--run", "A9"], "there is no run 'A9'"),
        (["certainty", "demo", "--rope", "-1"], "--rope"),
        (["certainty", "demo", "--difference", "0"], "--difference"),
        (["certainty", "demo", "--resamples", "1"], "--resamples"),
        (["compare", "demo", "A1", "B1", "--run", "C1"], "--run names the runs that are all compared"),
    ],
)
def test_wrong_calls_are_refused(call, arguments, message):
    assert message in call(*arguments, status=2)


def test_a_measure_without_an_order_is_one_sentence(call):
    assert "runs have no differences by query to test" in call("certainty", "demo", "--measure", "MCC", status=1)
    assert "neither higher nor lower" in call("certainty", "demo", "--measure", "Judged@10", status=1)


# ------------------------------------------------------------------------------------------------------------- families


def adjusted(scores, names, base, measure):
    """P of the comparisons with a run, with Holm's correction for these runs only, computed on its own."""
    values = scores.values_in_mean[[scores.run_index(name) for name in names], :, scores.column(measure)]
    p = np.array([test.p for test in randomisation_tests((values - values[names.index(base)]).T)])
    p[names.index(base)] = np.nan
    return dict(zip(names, holm(p).tolist(), strict=True))


def test_run_is_the_family_of_corrected_p_values_in_compare_and_in_the_table(call, scores):
    """P against B2 is corrected for two comparisons with three runs, and for five with all."""
    names = ["A2", "B1", "B2"]
    runs = [f"--run={name}" for name in ("B1", "B2", "A2")]
    expected, of_all = adjusted(scores, names, "B2", "AP"), adjusted(scores, list(scores.runs), "B2", "AP")
    found = json.loads(call("compare", "demo", *runs, "--measure=AP", "--format=json"))
    assert found["family"] == names
    assert {run["run"]: run["p"] for run in found["runs"] if run["p"] is not None} == pytest.approx(
        {name: p for name, p in expected.items() if p == p}
    )
    table = json.loads(call("table", "demo", "significance", *runs, "--measure=AP", "--format=json"))
    rows = {row[0]: row[4] for row in table["rows"]}
    assert list(rows) == ["B1", "B2", "A2"]  # in the order given
    assert rows["A2"] == pytest.approx(expected["A2"])
    assert expected["A2"] != pytest.approx(of_all["A2"])
    assert any("all pairs of 3 runs" in note for note in table["notes"])
    assert any("2 comparisons" in note for note in table["notes"])


def test_a_baseline_is_in_the_family(call):
    table = json.loads(call("table", "demo", "significance", "--run=A1", "--run=A2", "--baseline=B1", "--format=json"))
    assert [row[0] for row in table["rows"]] == ["A1", "A2"]
    assert all(row[4] is not None for row in table["rows"])


def test_robustness_ranks_the_family_only(call):
    found = json.loads(call("robustness", "demo", "--run=B1", "--run=A1", "--measure=AP", "--format=json"))
    assert [run["name"] for run in found["runs"]] == ["B1", "A1"]
    assert max(run["rank_interval"][1] for run in found["runs"]) == 2
    table = json.loads(call("table", "demo", "robustness", "--run=B1", "--run=A1", "--measure=AP", "--format=json"))
    assert [row[0] for row in table["rows"]] == ["B1", "A1"]


def test_letters_of_the_table_of_runs_are_those_of_the_family(call):
    table = json.loads(
        call("table", "demo", "runs", "--letters", "--measure=ADR", "--run=B1", "--run=A1", "--format=json")
    )
    assert list(table["letters"].values()) == [["a", "b"]]  # among all six runs both have an a or b in common
    assert "of 2 runs" in table["notes"][0]


def test_what_the_order_depends_on_has_the_ranks_of_robustness(call):
    table = json.loads(call("table", "demo", "order", "--measure=AP", "--format=json"))
    robustness = json.loads(call("robustness", "demo", "--measure=AP", "--format=json"))
    ends = {run["name"]: run["rank_interval"] for run in robustness["runs"]}
    column = [one["key"] for one in table["columns"]].index("conventions")
    for row in table["rows"]:
        words = [int(word) for word in row[column].split(" to ")]
        assert [words[0], words[-1]] == ends[row[0]]


def test_compare_names_runs_that_are_not_comparable(call):
    """B1 of the demo has 125 models for each query, C1 has 40."""
    reason = "B1 and C1 have lists of other lengths, on average 125 and 40 models"
    assert f"Not comparable: ADR divides by what was retrieved and favours short lists: {reason}." in " ".join(
        call("compare", "demo", "B1", "C1", "--measure=ADR").split()
    )
    assert json.loads(call("compare", "demo", "B1", "C1", "--measure=ADR", "--format=json"))["not_comparable"] == [
        reason
    ]
    assert json.loads(call("compare", "demo", "B1", "C1", "--measure=NN", "--format=json"))["not_comparable"] == []
    pairs = json.loads(call("compare", "demo", "--measure=ADR", "--format=json"))["not_comparable"]
    assert reason in [pair["reason"] for pair in pairs]
    assert "Not comparable" in call("table", "demo", "significance", "--measure=ADR", "--format=latex")
