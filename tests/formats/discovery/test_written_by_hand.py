"""Runs and truth as people write them: pairs joined by a colon, Markdown, per cent, other words for the gallery."""

import json
from itertools import product

import pytest
from made_folders import IDS, QUERIES, benchmark_files, distances, labels, query_classes, write

from shrec_viewer import cli
from shrec_viewer.domain import Severity
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark
from shrec_viewer.formats.preview.preview import preview

VALUES = 100 * (2 - distances(columns=IDS))
SCORES = {(query, model): f"{value:.2f}" for query, row in zip(QUERIES, VALUES, strict=True)
          for model, value in zip(IDS, row, strict=True)}  # fmt: skip


RANKED = sorted(SCORES.items(), key=lambda pair: (pair[0][0], -float(pair[1])))
RUN = "".join(f"{query} Q0 {model} {at % len(IDS)} {score} x\n" for at, ((query, model), score) in enumerate(RANKED))


def precisions(capsys, root, *options):
    """Average precision of the first run by query, and messages."""
    assert cli.main(["evaluate", str(root), "--measure", "AP", "--format", "json", *map(str, options)]) == 0
    out = capsys.readouterr().out
    found = json.loads(out)
    (run,) = found["runs"]
    return run["mean"]["AP"], [one for one in found["findings"] if one["severity"] != "info"]


@pytest.fixture
def expected(tmp_path, capsys):
    return precisions(capsys, write(tmp_path / "expected", {**benchmark_files(), "runs/A.run": RUN}))[0]


def table(separator, score="{}"):
    return [[query, model, score.format(value)] for (query, model), value in SCORES.items()]


def markdown(rows, rule="|:---|---:|---|", head=("query", "model", "score")):
    return "\n".join([f"| {' | '.join(head)} |", rule, *(f"|{'|'.join(row)} |" for row in rows)]) + "\n"


def matrix(number, corner="id"):
    return [[corner, *IDS], *([query, *map(number.format, row)] for query, row in zip(QUERIES, VALUES, strict=True))]


def keyed(joint, after="", between=" "):
    lists = {query: [] for query in QUERIES}
    for (query, model), score in sorted(SCORES.items(), key=lambda pair: -float(pair[1])):
        lists[query].append(f"{model}{joint}{score}")
    return "".join(f"{query}{after} {between.join(words)}\n" for query, words in lists.items())


RUNS = {
    "blanks": keyed(":"),
    "colon": keyed(":", ":", ", "),
    "commas": keyed(":", ",", ","),
    "tabs": keyed(":", "\t", "\t"),
    "markdown": markdown(table("|")),
    "crlf": markdown(table("|"), "|---|---|---|").replace("\n", "\r\n"),
    "no outer marks": "\n".join(["query | model | score", "--- | :---: | ---", *map(" | ".join, table("|"))]) + "\n",
    "comment": "# scores\n\n" + markdown(table("|")),
    "markdown matrix": markdown(matrix("{:.2f}")[1:], "|---" * 25 + "|", matrix("")[0]),
    "per cent": "\n".join(["query,model,score", *map(",".join, table(",", "{}%"))]) + "\n",
    "blank before per cent": "\n".join(["query;model;score", *map(";".join, table(",", "{} %"))]) + "\n",
    "matrix of per cent": "\n".join(map(",".join, matrix("{:.2f}%"))) + "\n",
    "markdown with per cent": markdown(table("|", "{} %")),
}  # fmt: skip


@pytest.mark.parametrize("form", RUNS)
def test_a_run_has_the_values_of_its_trec_form(form, tmp_path, capsys, expected):
    root = write(tmp_path / "b", {**benchmark_files(), "A.txt": RUNS[form]})
    options = ["--similarity"] if "matrix" in form else []
    found, faults = precisions(capsys, root, *options)
    assert found == pytest.approx(expected)
    assert not [one for one in faults if one["file"] == "A.txt" and "numbers of" not in one["message"]]


@pytest.mark.parametrize("form", ["blanks", "colon"])
def test_the_direction_of_pairs_is_a_decision_whose_remedy_is_the_other_one(form, tmp_path, capsys, expected):
    root = write(tmp_path / "b", {**benchmark_files(), "A.txt": RUNS[form]})
    benchmark = read_benchmark(root)
    (finding,) = [one for one in benchmark.findings if one.file == "A.txt" and "numbers of 12 queries" in one.message]
    assert finding.setting.option == "--distance"
    assert precisions(capsys, root, "--distance")[0] < expected


def test_a_word_that_is_no_pair_is_named(tmp_path):
    text = RUNS["blanks"].replace(f"N9:{SCORES['Q3', 'N9']}", "N9:far")
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), "A.txt": text}))
    faults = [one for one in benchmark.findings if one.file == "A.txt" and one.severity is Severity.ERROR]
    assert [(one.line, one.message) for one in faults] == [(3, "'far' is not a number")]


def test_settings_and_ports_are_no_run(tmp_path):
    text = "server localhost:8080 remote:443\nproxy localhost:8081 remote:80\nother a:1 b:2\n"
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), "settings.txt": text, "R/A.csv": "x"}))
    assert benchmark.runs == ()


def part_lines(words, separator="  ", columns=(0, 1, 2)):
    rows = [(model, name, words[0]) for model, name in labels().items()]
    rows += [(query, name, words[1]) for query, name in query_classes().items()]
    return "".join(separator.join(row[column] for column in columns) + "\n" for row in rows)


@pytest.mark.parametrize(
    "words",
    [
        *product(("database", "Gallery", "target", "db"), ("query", "probe")),
        *(("train", "test"), ("train", "query"), ("test", "probe")),
    ],
)
@pytest.mark.parametrize("separator", ["  ", ","])
def test_a_partition_names_its_parts_in_the_usual_words(words, separator, tmp_path, capsys):
    root = write(tmp_path, {"parts.txt": part_lines(words, separator), "A.run": RUN})
    assert precisions(capsys, root) == (1.0, [])  # models of the query's class are nearest
    benchmark = read_benchmark(root)
    assert (set(benchmark.queries.ids), set(benchmark.collection.ids)) == (set(QUERIES), set(IDS))
    found = preview(root / "parts.txt", benchmark=benchmark)
    assert [column.meaning for column in found.columns] == ["id", "class", "part"]
    assert found.rows[0].cells[:2] == (IDS[0], labels()[IDS[0]])


@pytest.mark.parametrize("fault", ["a truncated last line", "a misspelled part"])
def test_a_partition_with_one_wrong_line_is_an_error_of_that_line(fault, tmp_path):
    lines = part_lines(("gallery", "query")).splitlines()
    wrong = len(lines) if fault == "a truncated last line" else 2
    lines[wrong - 1] = lines[wrong - 1].split()[0] if wrong > 2 else lines[wrong - 1].replace("gallery", "galery")
    root = write(tmp_path, {"parts.txt": "\n".join(lines), "A.run": RUN})
    (found,) = [one for one in read_benchmark(root).findings if one.severity == "error" and "parts" in one.file]
    assert (found.line, "'query', 'gallery' or 'train' are expected" in found.message) == (wrong, True)


def test_train_and_test_of_other_runs_are_splits(tmp_path):
    """A run of the models of one split on themselves: the other split has no query."""
    run = "".join(
        f"{query} Q0 {model} 1 {-abs(a - b)} x\n" for a, query in enumerate(IDS) for b, model in enumerate(IDS)
    )
    root = write(tmp_path, {"parts.txt": part_lines(("test", "train")), "A.run": run})
    benchmark = read_benchmark(root)
    assert (set(benchmark.queries.ids), set(benchmark.collection.ids)) == (set(IDS), set(IDS))


@pytest.mark.parametrize("form", ["run", "matrix"])
def test_a_run_of_all_splits_on_themselves_is_of_the_whole_table(form, tmp_path):
    files = {"parts.csv": "id,category,split\n" + part_lines(("train", "test"), ",")}
    names = (*IDS, *QUERIES)
    values = [[abs(a - b) for b in range(len(names))] for a in range(len(names))]
    if form == "run":
        pairs = [(a, b) for a in range(len(names)) for b in range(len(names))]
        files["A.run"] = "".join(f"{names[a]} Q0 {names[b]} 1 {-values[a][b]} x\n" for a, b in pairs)
    else:
        files["A.txt"] = "".join(" ".join(map(str, row)) + "\n" for row in values)
    benchmark = read_benchmark(write(tmp_path, files))
    assert set(benchmark.queries.ids) == set(benchmark.collection.ids) == set(names)


GROUPS = {name: [model for model, own in labels().items() if own == name] for name in dict.fromkeys(labels().values())}


@pytest.mark.parametrize("name", ["truth.json", "gt/classes.json", "relevance.json", "groups.json"])
@pytest.mark.parametrize("option", ["--classification", "toml"])
def test_a_file_named_as_classes_is_nothing_else(name, option, tmp_path, capsys):
    queries = "id,class\n" + "".join(f"{query},{own}\n" for query, own in query_classes().items())
    root = write(tmp_path, {name: json.dumps(GROUPS), "A.run": RUN, "queries.csv": queries})
    given = ["--classification", root / name]
    if option == "toml":
        (root / "benchmark.toml").write_text(f'[collection]\nclassification = "{name}"\n')
        given = []
    assert precisions(capsys, root, *given)[1] == []
    benchmark = read_benchmark(root, BenchmarkParts(classification=root / name))
    assert not [one for one in benchmark.findings if one.file == name and one.severity is not Severity.INFO]
    assert [run.name for run in benchmark.runs] == ["A"]


@pytest.mark.parametrize(("columns", "part"), [
    ("class,model,-", "--classification"), ("query,class", "--queries"), ("query,model", "--assessment"),
])  # fmt: skip
def test_columns_without_their_file_name_the_options(columns, part, tmp_path, capsys):
    root = write(tmp_path, {**benchmark_files(), "A.txt": RUNS["per cent"]})
    assert cli.main(["evaluate", str(root), "--truth-columns", columns]) == 1
    errors = capsys.readouterr().err
    assert f"--truth-columns={columns} is given, but no file of such columns: {part}" in errors
    assert "benchmark.toml" not in errors


@pytest.mark.parametrize(("name", "text", "meanings", "cells"), [
    ("truth.json", '{"Q1": {"N9": 2, "N3": 0}, "Q2": {"N8": 1}}', ["query", "id", "level"], ("Q1", "N9", "2")),
    ("solution.csv", "id,images,Usage\nQ1,N9 N3,Public\nQ2,N8,Private\n", ["query", "id", "level"], ("Q1", "N9", "1")),
    ("gt.csv", "id,N9,N3,N8\nQ1,2,0,1\nQ2,0,1,0\n", ["query", "id", "level"], ("Q1", "N9", "2")),
    ("classes.json", json.dumps(GROUPS), ["id", "class"], (IDS[0], labels()[IDS[0]])),
    ("classes.txt", "[cat]\nN9\nN21\n[dog]\nN3\nN14\n", ["id", "class"], ("N9", "cat")),
])  # fmt: skip
def test_import_settings_show_the_columns_of_truth(name, text, meanings, cells, tmp_path):
    root = write(tmp_path, {**benchmark_files(), name: text})
    found = preview(root / name)
    assert [column.meaning for column in found.columns] == meanings
    assert found.rows[0].cells == cells
