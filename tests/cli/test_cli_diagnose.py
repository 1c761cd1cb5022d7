"""The command diagnose: its contract, its formats, and the same from Python."""

import csv
import io
import json

import pytest

import shrec_viewer as sv
from shrec_viewer.cli import main
from shrec_viewer.diagnosis.document import DEFAULT_SECTIONS, RUN_SECTIONS, SECTIONS


def diagnose(capsys, *arguments):
    status = main(["diagnose", "demo", *arguments])
    return status, capsys.readouterr()


def test_the_document_follows_the_contract(capsys):
    status, printed = diagnose(capsys, "--format", "json")
    assert status == 0
    found = json.loads(printed.out)
    keys = [
        "schema",
        "version",
        "benchmark",
        "profile",
        "measure",
        "level",
        "k",
        "thresholds",
        "doubtful_pairs",
        "runs",
    ]
    assert list(found) == [*keys, "headroom", "similarity", "variance"]
    assert (found["schema"], found["measure"], found["level"], found["k"]) == ("shrec-viewer/diagnosis/1", "AP", 1, 10)
    evaluated = json.loads(_evaluated(capsys))
    assert [run["name"] for run in found["runs"]] == [run["name"] for run in evaluated["runs"]]
    for run, scores in zip(found["runs"], evaluated["runs"], strict=True):
        assert list(run) == ["name", "participant", *(name for name in RUN_SECTIONS if name in DEFAULT_SECTIONS)]
        budget = run["budget"]
        assert budget["value"] == scores["mean"]["AP"]
        causes = {cause["cause"]: cause for cause in budget["causes"]}
        order = ["missing", "unlisted", "ties", "hubs", "confusions", "labels", "single"]
        assert list(causes) == order
        assert budget["value"] + sum(cause["share"] for cause in causes.values()) == pytest.approx(1.0, abs=1e-9)
        for name, cause in causes.items():
            split = [cause[zone] for zone in ("near", "found_elsewhere", "hard")]
            assert (None in split) == (name in ("missing", "unlisted"))
            if None not in split:
                assert sum(split) == pytest.approx(cause["share"], abs=1e-12)
            assert ("alone_best" in cause) == (name == "unlisted")
            assert (cause["chance"] is None) == (name not in ("hubs", "confusions", "labels"))
            assert (cause["alone"] is None) == (name == "single")
        assert budget["n"] == budget["n_all"] - len(scores["missing_queries"])
        assert [one["irrelevant"] for one in run["hubs"]["models"]] == sorted(
            (one["irrelevant"] for one in run["hubs"]["models"]), reverse=True
        )
    assert sum(found["variance"].values()) == pytest.approx(1.0)
    assert "NaN" not in printed.out


def _evaluated(capsys):
    assert main(["evaluate", "demo", "--measure", "AP", "--format", "json"]) == 0
    return capsys.readouterr().out


def test_sections_of_csv_are_in_the_order_of_the_document(capsys):
    """They were in the order of a set of texts, which differs from process to process."""
    asked = [option for name in SECTIONS for option in ("--section", name)]
    _, printed = diagnose(capsys, *asked, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(printed.out)))
    of_all = [name for name in SECTIONS if name not in RUN_SECTIONS]
    assert list(dict.fromkeys(row["section"] for row in rows if not row["run"])) == of_all


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("form", ["json", "csv", "markdown", "table"])
def test_every_section_in_every_format(capsys, section, form):
    status, printed = diagnose(capsys, "--run", "A1", "--section", section, "--format", form)
    assert status == 0
    if form == "json":
        found = json.loads(printed.out)
        assert section in (found["runs"][0] if section in RUN_SECTIONS else found)
        assert not (set(SECTIONS) - {section}) & (set(found) | set(found["runs"][0]))
    elif form == "csv":
        rows = list(csv.reader(io.StringIO(printed.out)))
        assert rows[0] == ["run", "section", "item", "figure", "value"]
        assert {row[1] for row in rows[1:]} == {section}
    else:
        assert printed.out.strip()


def test_one_run_is_compared_with_all(capsys):
    whole = json.loads(diagnose(capsys, "--format", "json", "--section", "budget")[1].out)
    alone = json.loads(diagnose(capsys, "--format", "json", "--section", "budget", "--run", "B1")[1].out)
    assert alone["runs"] == [run for run in whole["runs"] if run["name"] == "B1"]


def test_the_table_has_value_shares_and_sentences(capsys):
    out = diagnose(capsys)[1].out
    lines = out.splitlines()
    assert lines[0].split() == ["run", "AP", "missing", "unlisted", "ties", "hubs", "confusions", "labels", "single"]
    assert any(line.startswith("A1 loses 0.") for line in lines)
    assert "cost queries of" in out


def test_a_slice_and_the_difference_of_two_runs(capsys):
    asked = ("--run", "A1", "--compare-with", "B1", "--slice", "class: chair")
    found = json.loads(diagnose(capsys, *asked, "--format", "json")[1].out)
    assert found["slice"] == "class: chair"
    (run,) = found["runs"]
    assert {"budget", "hubs", "confusions", "difference"} <= set(run)
    difference = run["difference"]
    parts = [cause["share"] for cause in difference["causes"]]
    assert difference["with"] == "B1"
    assert difference["value"] == pytest.approx(difference["ideal"] + sum(parts), abs=1e-12)
    assert {one["query_class"] for one in difference["confusions"]} == {"chair"}
    slices = json.loads(diagnose(capsys, "--section", "slices", "--format", "json")[1].out)["runs"]
    means = {one["name"]: next(s["mean"] for s in one["slices"] if s["name"] == "class: chair") for one in slices}
    assert run["budget"]["value"] == pytest.approx(means["A1"], abs=1e-12)
    assert difference["value"] == pytest.approx(means["A1"] - means["B1"], abs=1e-12)
    out = diagnose(capsys, *asked)[1].out
    assert out.startswith("Only queries of the slice 'class: chair'.\n")
    assert difference["sentence"] in out
    assert "AP below B1: " in difference["sentence"] or "AP above B1: " in difference["sentence"]
    assert "difference" not in json.loads(diagnose(capsys, "--run", "A1", "--format", "json")[1].out)["runs"][0]
    status, printed = diagnose(capsys, "--slice", "class: chiar")
    assert status == 2
    assert "do you mean 'class: chair'?" in printed.err
    status, printed = diagnose(capsys, "--run", "A1", "--compare-with", "A1")
    assert status == 2
    assert "'A1' is the only run" in printed.err
    status, printed = diagnose(capsys, "--slice", "class: chair", "--section", "variance")
    assert status == 2
    assert "budget, hubs, confusions, queries, not variance" in printed.err
    status, printed = diagnose(capsys, "--compare-with", "B1", "--measure", "RR", "--section", "budget")
    assert "RR is not a sum over relevant models, so it has no shares" in printed.out


def test_unknown_names_and_measures_without_shares(capsys):
    status, printed = diagnose(capsys, "--section", "hub")
    assert status == 2
    assert "do you mean 'hubs'" in printed.err
    assert ", ".join(SECTIONS) in printed.err
    status, printed = diagnose(capsys, "--run", "A9")
    assert status == 2
    assert "A9" in printed.err
    status, printed = diagnose(capsys, "--measure", "RR", "--section", "budget", "--format", "json")
    assert status == 0
    assert "RR is not a sum over relevant models" in printed.err
    causes = json.loads(printed.out)["runs"][0]["budget"]["causes"]
    assert all(one["share"] is None and one["claimed"] is None and one["last"] is None for one in causes)
    assert {one["cause"] for one in causes if one["alone"] is None} == {"single"}


def test_python_gives_the_sections_of_the_command(capsys):
    contest = sv.open("demo")
    document = json.loads(diagnose(capsys, "--run", "A1", "--format", "json")[1].out)
    assert contest.diagnose("A1", "budget", profile=document["profile"]) == document["runs"][0]["budget"]
    assert contest.diagnose("A1", profile=document["profile"])["headroom"] == document["headroom"]
    with pytest.raises(sv.ShrecViewerError, match="hubs"):
        contest.diagnose("A1", "hub")
    asked = ("--run", "A1", "--compare-with", "B1", "--slice", "class: chair", "--format", "json")
    (run,) = json.loads(diagnose(capsys, *asked)[1].out)["runs"]
    options = {"slice": "class: chair", "compare_with": "B1", "profile": document["profile"]}
    found = contest.diagnose("A1", **options)
    assert (found["difference"], found["budget"]) == (run["difference"], run["budget"])
    assert contest.diagnose("A1", "hubs", **options) == run["hubs"]
    for wrong, text in (({"slice": "class: chiar"}, "class: chair"), ({"compare_with": "A9"}, "A9")):
        with pytest.raises(sv.ShrecViewerError, match=text):
            contest.diagnose("A1", **wrong)
    with pytest.raises(sv.ShrecViewerError, match="not variance"):
        contest.diagnose("A1", "variance", slice="class: chair")


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (
            ("error_budget", "--slice", "class: chiar"),
            2,
            "there is no slice 'class: chiar'; do you mean 'class: chair'?",
        ),
        (("error_budget", "--compared", "A9"), 2, "there is no run 'A9'"),
        (("confusion_examples", "--class", "chair"), 1, "a confusion has two classes"),
        (("confusion_examples", "--class", "chair", "--class", "foo"), 1, "there is no class 'foo'"),
        (("repair", "--cause", "hub"), 2, "'hub' is not one of"),
    ],
)
def test_wrong_options_of_figures_of_the_diagnosis(capsys, tmp_path, arguments, status, text):
    output = tmp_path / "figure.svg"
    assert main(["figure", "demo", *arguments, "--output", str(output)]) == status
    assert text in capsys.readouterr().err
    assert not output.exists()
