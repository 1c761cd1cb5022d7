"""Every way in which contests write ranked lists reads as the same run."""

import numpy as np
import pytest
from made_folders import IDS, NATURAL, QUERIES, benchmark_files, cla, distances, list_files, order, qrels, write

from shrec_viewer.domain import RankedLists, Severity
from shrec_viewer.formats.discovery.benchmark import read_benchmark

DIALECTS = {
    "id": {"line": "{id}"},
    "id distance": {},
    "distance id": {"line": "{distance} {id}"},
    "name of the query first": {"first": "{query}"},
    "name first, bare ids": {"line": "{id}", "first": "{query}"},
    "distance id, name first": {"line": "{distance} {id}", "first": "{query}"},
    "tabs": {"line": "{id}\t{distance}"},
    "many blanks": {"line": "  {id}     {distance} "},
    "CR LF": {"end": "\r\n"},
    "CR LF, name first": {"end": "\r\n", "first": "{query}"},
    "commas": {"line": "{id},{distance}"},
    "commas and blanks": {"line": "{id}, {distance}"},
    "semicolons": {"line": "{distance};{id}"},
    "blank lines": {"end": "\n\n"},
    "comments": {"first": "# made by hand\n{query}"},
    "txt": {"suffix": ".txt"},
    "four letters": {"suffix": ".list"},
    "extension of the meshes": {"suffix": ".off"},
    "extension of the images": {"suffix": ".PNG"},
    "ids with extension": {"line": "{id}.off {distance}"},
    "ids with folder": {"line": "models/{id}.off {distance}"},
    "other zeros": {"line": "N000{number} {distance}"},
    "no prefix": {"line": "{number} {distance}"},
    "no prefix, distance first": {"line": "{distance} {number}"},
    "another case": {"line": "n{number} {distance}"},
    "decimal commas": {"line": "{id} {comma}"},
    "decimal commas, distance first": {"line": "{comma}\t{id}"},
    "decimal commas between semicolons": {"line": "{id};{comma}"},
    "quotation marks": {"line": '"{id}","{distance}"'},
    "quoted decimal commas": {"line": '"{id}";"{comma}"'},
    "Fortran": {"line": "  {id}   {distance}D+00"},
    "numbered": {"line": "{rank}. {id} {distance}"},
    "numbered, tabs": {"line": "{rank}\t{id}\t{distance}"},
    "header": {"line": "{id} {distance}", "first": "model distance"},
    "header, numbered": {"line": "{rank},{id},{distance}", "first": "rank,id,distance"},
    "query in each line": {"line": "{query},{id},{distance}"},
    "numbered, no prefix": {"line": "{rank} {number} {distance}"},
    "numbered, no prefix, commas": {"line": "{rank},{number},{distance}"},
    "query and rank": {"line": "{query} {rank} {id} {distance}"},
    "rank between": {"line": "{id} {rank} {distance}"},
    "TREC for each query": {"line": "{query} Q0 {id} {rank} {distance} method"},
    "bars": {"line": "{id}|{distance}"},
    "colons": {"line": "{id}: {distance}"},
    "tabs at the end": {"line": "{id}\t{distance}\t"},
    "semicolons at the end": {"line": "{id};{comma};"},
    "ids with a drive": {"line": "C:\\models\\{id}.off {distance}"},
    "names with an ending": {"suffix": "_result.txt"},
    "query said": {"first": "Query: {query}"},
    "two extensions": {"suffix": ".off.txt"},
    "no last line end": {"end": "\n", "line": "{id} {distance}"},
}


NAMED_ONLY = ("numbered, no prefix", "numbered, no prefix, commas", "TREC for each query")
"""Dialects that are read only if benchmark.toml names the folder as a run."""


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_is_the_same_run(dialect, tmp_path):
    files = list_files(**DIALECTS[dialect])
    if dialect == "no last line end":
        files = {name: text.rstrip("\n") for name, text in files.items()}
    write(tmp_path, {**benchmark_files(), **files})
    if dialect in NAMED_ONLY:
        found = read_benchmark(tmp_path)
        assert found.runs == ()
        (finding,) = [finding for finding in found.findings if finding.file == "runs/A1"]
        assert finding.setting.lines == ("[[runs]]", 'path = "runs/A1"', 'format = "rank_list"')
        write(tmp_path, {"benchmark.toml": '[[runs]]\npath = "runs/A1"\nformat = "rank_list"\n'})
    benchmark = read_benchmark(tmp_path)
    (run,) = benchmark.runs
    assert (run.name, run.participant, run.source) == ("A1", "A", tmp_path / "runs/A1")
    lists = run.ranking
    assert isinstance(lists, RankedLists)
    assert benchmark.queries.ids == QUERIES
    assert benchmark.collection.ids == IDS
    assert lists.present.all()
    assert not lists.by_score
    for query, name in enumerate(QUERIES):
        listed = [IDS[item] for item in lists.items[lists.rows(query)]]
        assert listed == order(name)
        line = DIALECTS[dialect].get("line", "{distance}")
        if "{distance}" in line or "{comma}" in line:
            expected = [distances((name,), (model,))[0, 0] for model in listed]
            np.testing.assert_allclose(lists.distances[lists.rows(query)], expected, atol=6e-7)
        else:
            assert lists.distances is None
    assert not [finding for finding in benchmark.findings if finding.severity is not Severity.INFO]


@pytest.mark.parametrize("line", ["{number} {distance}", "{distance} {number}"])
def test_numeric_ids_are_distinguished_from_distances(line, tmp_path):
    """No truth, no meshes: which column holds the ids follows from the numbers alone."""
    benchmark = read_benchmark(write(tmp_path, list_files(line=line)))
    assert benchmark.collection.ids == tuple(name[1:] for name in NATURAL)
    lists = benchmark.runs[0].ranking
    names = [NATURAL[item] for item in lists.items[lists.rows(0)]]
    assert names == order("Q1")
    assert benchmark.assessment is None
    assert benchmark.runs[0].name == "A1"


@pytest.mark.parametrize("distance_first", [False, True])
def test_known_ids_distinguish_integer_distances_from_ids(distance_first, tmp_path):
    files = benchmark_files()
    for query in QUERIES:
        pairs = [(name[1:], f"{1000 + 2 * rank}") for rank, name in enumerate(order(query))]
        files[f"runs/B/{query}"] = "".join(
            f"{far} {name}\n" if distance_first else f"{name} {far}\n" for name, far in pairs
        )
    lists = read_benchmark(write(tmp_path, files)).runs[0].ranking
    assert [IDS[item] for item in lists.items[lists.rows(3)]] == order("Q4")
    assert lists.distances[lists.rows(3)].tolist() == [1000.0 + 2 * rank for rank in range(24)]


def test_descending_numbers_are_similarities(tmp_path):
    files = benchmark_files()
    for query in QUERIES:
        files[f"runs/S/{query}"] = "".join(f"{name} {1 - rank / 32}\n" for rank, name in enumerate(order(query)))
    benchmark = read_benchmark(write(tmp_path, files))
    lists = benchmark.runs[0].ranking
    assert lists.distances[lists.rows(0)][:3].tolist() == [-1.0, -31 / 32, -30 / 32]
    assert [IDS[item] for item in lists.items[lists.rows(0)]] == order("Q1")
    assert "read as similarities: their negatives are the distances" in [f.action for f in benchmark.findings]


def test_faults_of_many_lists_are_one_finding(tmp_path):
    files = {**benchmark_files(), **list_files()}
    for query in QUERIES:
        name = f"runs/A1/{query}"
        lines = files[name].splitlines()
        files[name] = "\n".join([*lines[:3], "ghost 9", *lines[3:]])
    benchmark = read_benchmark(write(tmp_path, files))
    (finding,) = [finding for finding in benchmark.findings if "ghost" in finding.message]
    assert (finding.file, finding.line, finding.count) == ("runs/A1/Q1", 4, 12)
    assert finding.message == "in 12 of 12 lists, first here: unknown id 'ghost' at rank 4"
    lists = benchmark.runs[0].ranking
    assert all(lists.items[lists.rows(query)][3] == -1 for query in range(12))


def test_a_comma_inside_a_number_costs_the_number_only(tmp_path):
    files = {**benchmark_files(), **list_files(line="{distance} {id}")}
    files["runs/A1/Q3"] = files["runs/A1/Q3"].replace(".", ".0,", 1)
    benchmark = read_benchmark(write(tmp_path, files))
    lists = benchmark.runs[0].ranking
    assert [IDS[item] for item in lists.items[lists.rows(2)]] == order("Q3")
    assert np.isnan(lists.distances[lists.rows(2)]).tolist() == [True] + 23 * [False]
    (finding,) = [finding for finding in benchmark.findings if finding.file == "runs/A1/Q3"]
    assert (finding.severity, finding.line) == (Severity.WARNING, 1)
    assert finding.message.endswith("at rank 1 is not a number (a comma in it)")


def test_unreadable_textures_are_missing(tmp_path):
    files = {**benchmark_files(), **list_files()}
    del files["runs/A1/Q2"]
    files["runs/A1/Q3"] = bytes(range(256))
    files["runs/A1/Q4"] = ""
    files["runs/A1/Q5"] = "this is no list\nbut a text of some\nmore words than two\n"
    files["runs/A1/Q6.txt"] = files["runs/A1/Q6"]
    files["runs/A1/Q99"] = files["runs/A1/Q6"]
    benchmark = read_benchmark(write(tmp_path, files))
    lists = benchmark.runs[0].ranking
    assert np.flatnonzero(~lists.present).tolist() == [1, 2, 4]
    assert lists.rows(3) == slice(24, 24)
    reported_findings = {
        (f.severity.value, f.location, f.message) for f in benchmark.findings if f.severity is not Severity.INFO
    }
    assert reported_findings == {
        ("error", "runs/A1/Q3", "is not a text file"),
        ("error", "runs/A1/Q5:1", "a line 'id', 'id distance' or 'distance id' is expected, found 4 words"),
        ("warning", "runs/A1/Q4", "the list is empty"),
        ("warning", "runs/A1/Q6.txt", "duplicate list for 'Q6'"),
        ("warning", "runs/A1", "1 list not named after a query: Q99"),
        ("warning", "runs/A1", "3 queries have no list: Q2, Q3, Q5"),
    }


def test_one_list_with_exchanged_columns_is_noticed(tmp_path):
    files = {**benchmark_files(), **list_files()}
    files["runs/A1/Q5"] = list_files(line="{distance} {id}")["runs/A1/Q5"]
    benchmark = read_benchmark(write(tmp_path, files))
    lists = benchmark.runs[0].ranking
    assert [IDS[item] for item in lists.items[lists.rows(4)]] == order("Q5")
    assert [(f.location, f.message) for f in benchmark.findings if f.severity is Severity.WARNING] == [
        ("runs/A1/Q5:1", "columns in reverse order compared with the other lists")
    ]


def test_lists_of_unknown_ids_are_no_run(tmp_path):
    files = {**benchmark_files(), **list_files(line="X{id}X {distance}")}
    benchmark = read_benchmark(write(tmp_path, files))
    assert benchmark.runs == ()
    errors = [finding for finding in benchmark.findings if finding.severity is Severity.ERROR]
    first = order("Q1")[0]
    message = f"none of its ids is a model of the collection, for example 'X{first}X', while 'N9' is a model; "
    message += f"by the number in it 'X{first}X' would be '{first}'"
    assert [(f.file, f.message) for f in errors] == [("runs/A1", message)]


def test_lists_in_a_folder_each_are_one_error_for_each_run(tmp_path):
    """It was an error for each list, as each begins differently."""
    lists = {run: list_files(f"runs/{run}") for run in ("A1", "A2")}
    texts = {path: text for run in lists.values() for path, text in run.items()}
    alone = {f"{path.replace('/Q', '/row')}/list.txt": text for path, text in texts.items()}
    found = read_benchmark(write(tmp_path, {"classes.cla": cla(), "truth.txt": qrels(), **alone}))
    errors = [finding for finding in found.findings if finding.severity is Severity.ERROR]
    assert [finding.file for finding in errors] == ["runs/A1/row1/list.txt", "runs/A2/row1/list.txt"]
    for finding in errors:
        assert (
            "(12 files, each alone in a folder, while the lists of a run are in one, or in those of the queries"
            in finding.message
        )


def test_list_that_begins_with_the_query_keeps_it(tmp_path):
    """The collection queries itself and every model finds itself first: that line is an answer, not a name."""
    files = {"classes.cla": benchmark_files()["classes.cla"]}
    for model in IDS:
        others = [name for name in NATURAL if name != model]
        files[f"runs/self/{model}"] = "\n".join([model, *others]) + "\n"
    benchmark = read_benchmark(write(tmp_path, files))
    assert benchmark.queries.are_members
    lists = benchmark.runs[0].ranking
    assert all(lists.items[lists.rows(query)][0] == query for query in range(24))
    assert np.diff(lists.indptr).tolist() == 24 * [24]


def test_a_list_without_its_own_query_is_complete(tmp_path):
    files = {"classes.cla": benchmark_files()["classes.cla"]}
    for model in IDS:
        files[f"runs/self/{model}"] = "".join(f"{name} 1\n" for name in NATURAL if name != model)
    benchmark = read_benchmark(write(tmp_path, files))
    assert not [finding for finding in benchmark.findings if finding.message.startswith("the lists name")]
    files["runs/self/N9"] = "N21 1\nN3 2\n"
    benchmark = read_benchmark(write(tmp_path, files))
    assert "the lists name 2 to 23 of 24 models" in [finding.message for finding in benchmark.findings]


def test_repeated_first_line_is_the_query_name(tmp_path):
    files = {"classes.cla": benchmark_files()["classes.cla"]}
    for model in IDS:
        files[f"runs/self/{model}"] = "\n".join([model, *NATURAL]) + "\n"
    lists = read_benchmark(write(tmp_path, files)).runs[0].ranking
    assert np.diff(lists.indptr).tolist() == 24 * [24]
    assert all([IDS[item] for item in lists.items[lists.rows(query)]] == list(NATURAL) for query in range(24))


def test_a_trec_run_is_ordered_by_score_with_ties_in_file_order(tmp_path):
    lines = []
    for query in QUERIES:
        ranked = order(query)
        scores = [10.0 - rank // 2 for rank in range(24)]  # pairs tie
        rows = [f"{query} Q0 {name} {rank + 1} {scores[rank]} t" for rank, name in enumerate(ranked)]
        lines += rows if query != "Q2" else rows[::-1]
    text = "\n".join(lines).replace(" 7.0 t", " nan t", 1)
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), "T1.run": text + "\nQ77 Q0 N1 1 1 t\n"}))
    (run,) = benchmark.runs
    lists = run.ranking
    assert lists.by_score
    assert (run.name, run.participant) == ("T1", "T")
    first = order("Q1")
    first.append(first.pop(6))  # the score that is nan
    assert [IDS[item] for item in lists.items[lists.rows(0)]] == first
    turned = [name for rank in range(0, 24, 2) for name in order("Q2")[rank : rank + 2][::-1]]
    assert [IDS[item] for item in lists.items[lists.rows(1)]] == turned
    assert lists.distances[lists.rows(2)].tolist() == [rank // 2 - 10.0 for rank in range(24)]
    reported_findings = {(f.line, f.message) for f in benchmark.findings if f.severity is Severity.WARNING}
    assert reported_findings == {
        (7, f"1 distance is not a number (NaN), the first that of '{order('Q1')[6]}' for 'Q1'"),
        (7, "the lines are not in the order of the scores"),
        (289, "1 unknown query: Q77"),
        (None, "99.3 % of the ranks are tied: the distance equals that of a neighbour"),
    }


def test_ranks_that_contradict_the_scores_are_a_finding(tmp_path):
    lines = [
        f"{query} Q0 {name} {24 - rank} {-rank} t\n" for query in QUERIES for rank, name in enumerate(order(query))
    ]
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), "T1.run": "".join(lines)}))
    lists = benchmark.runs[0].ranking
    assert [IDS[item] for item in lists.items[lists.rows(5)]] == order("Q6")
    (finding,) = [finding for finding in benchmark.findings if finding.severity is Severity.WARNING]
    assert (finding.location, finding.count) == ("T1.run:2", 12 * 23)
    assert finding.message == "the rank column is not in the order of the scores"
