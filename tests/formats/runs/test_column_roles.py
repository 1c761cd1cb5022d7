"""A long list is the same run whatever separates its columns, names them or stands between them."""

import json
import re
from itertools import permutations

import numpy as np
import pytest
from made_folders import IDS, NATURAL, QUERIES, benchmark_files, distances, write

from shrec_viewer import cli
from shrec_viewer.domain import Severity
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.io.text import read_file_head
from shrec_viewer.formats.manifest.parts import BenchmarkParts
from shrec_viewer.formats.preview.preview import preview
from shrec_viewer.formats.runs.pair_table import match_long_table

VALUES = distances()


def records():
    """Query, model, rank from 1 on and distance of all places of all lists."""
    for query, row in zip(QUERIES, VALUES, strict=True):
        for rank, at in enumerate(np.argsort(row), 1):
            yield query, NATURAL[at], rank, row[at]


def read(tmp_path, text, name="S.txt"):
    return read_benchmark(write(tmp_path, {**benchmark_files(), f"runs/{name}": text}))


def lists_of(benchmark):
    (run,) = benchmark.runs
    ids, ranking = benchmark.collection.ids, run.ranking
    names = [[ids[item] for item in ranking.items[ranking.rows(query)]] for query in range(len(benchmark.queries))]
    return dict(zip(benchmark.queries.ids, names, strict=True))


LISTS: dict[str, list[str]] = {}
for _query, _model, _, _ in records():
    LISTS.setdefault(_query, []).append(_model)

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "blank": " ", "blanks": "   ", "colon": ":"}

FORMS = {
    "rank": ("{query} {model} {rank}", ("qid pid rank", "query_id doc_id position", "")),
    "score": (
        "{query} {model} {score:.6f}",
        ("query-id corpus-id score", "topic docno sim", "#query model cosine", ""),
    ),
    "distance": ("{query} {model} {distance:.6f}", ("queryId targetId dist", "%query image distance", "")),
    "rank before score": ("{query} {model} {rank} {score:.6f}", ("query item rank score", "")),
    "tag": ("{query} {model} {rank} {score:.6f} my", ("qid docid rank score run", "")),
    "no tag": ("{query} Q0 {model} {rank} {score:.6f}", ("query q0 model rank similarity", "")),
    "query rank distance model": ("{query} {rank} {distance:.6f} {model}", ("query rank distance model", "")),
    "models first": ("{model} {query} {distance:.6f}", ("model query distance",)),
    "another name": ("{query} {model} {score:.6f}", ("query model agreement",)),
}
CASES = [(form, header, separator) for form, (_, headers) in FORMS.items() for header in headers
         for separator in SEPARATORS]  # fmt: skip


@pytest.mark.parametrize(("form", "header", "separator"), CASES)
def test_forms_are_one_run(form, header, separator, tmp_path):
    lines = [header] if header else []
    for query, model, rank, distance in records():
        lines.append(FORMS[form][0].format(query=query, model=model, rank=rank, distance=distance, score=-distance))
    marked = re.sub(r"(?<=\S) ", SEPARATORS[separator], "\n".join(lines))
    assert lists_of(read(tmp_path, marked + "\n")) == LISTS


@pytest.mark.parametrize("value", ["{rank}", "{score:.5f}"])
@pytest.mark.parametrize("separator", SEPARATORS.values(), ids=SEPARATORS)
def test_ids_may_be_whole_numbers(separator, value, tmp_path):
    lines = [
        separator.join([f"10{query[1:]}", f"700{model[1:]}", value.format(rank=rank, score=-distance)])
        for query, model, rank, distance in records()
    ]
    relevant = "".join(f"10{query[1:]} 0 700{models[0][1:]} 1\n" for query, models in LISTS.items())
    benchmark = read_benchmark(write(tmp_path, {"qrels.txt": relevant, "runs/S.tsv": "\n".join(lines)}))
    assert lists_of(benchmark) == {
        f"10{query[1:]}": [f"700{model[1:]}" for model in models] for query, models in LISTS.items()
    }


def test_decimal_commas_between_blanks(tmp_path):
    lines = [f"{query} {model} {distance:.6f}".replace(".", ",") for query, model, _, distance in records()]
    assert lists_of(read(tmp_path, "\n".join(lines))) == LISTS


@pytest.mark.parametrize("header", ["", "query,model,distance\n"], ids=["bare", "header"])
@pytest.mark.parametrize("separator", SEPARATORS.values(), ids=SEPARATORS)
def test_minus_one_fills_lists(separator, header, tmp_path):
    lines = [f"{query},{model if rank < 20 else -1},{distance}" for query, model, rank, distance in records()]
    benchmark = read(tmp_path, (header + "\n".join(lines)).replace(",", separator))
    assert lists_of(benchmark) == {query: models[:19] for query, models in LISTS.items()}
    assert not [finding for finding in benchmark.findings if finding.severity is Severity.ERROR]
    (padding,) = (finding for finding in benchmark.findings if finding.message == "the model is -1")
    assert (padding.line, padding.count) == (20 + bool(header), 5 * len(QUERIES))


@pytest.mark.parametrize("score", ["0", "1", "2"])
def test_levels_of_beir_are_no_run(tmp_path, score):
    rows = "".join(f"{query}\t{model}\t{score}\n" for query, model, _, _ in records())
    path = tmp_path / "test.tsv"
    path.write_text("query-id\tcorpus-id\tscore\n" + rows)
    assert not match_long_table(read_file_head(path))


def test_other_tables_are_no_runs(tmp_path):
    tables = {
        "levels without a header": "".join(f"{query} {model} {rank % 3}\n" for query, model, rank, _ in records()),
        "points": "".join(f"{x} {y} {x * y / 7:.3f}\n" for x in range(9) for y in range(9)),
        "matrix": "\n".join("\t".join(map(str, row)) for row in VALUES[:, :3]),
        "classes": "".join(f"{model},class{rank % 4},{rank}\n" for _, model, rank, _ in records()),
    }
    for name, text in tables.items():
        path = tmp_path / f"{name}.txt"
        path.write_text(text)
        assert not match_long_table(read_file_head(path)), name


def test_a_file_that_is_not_understood_names_the_roles(tmp_path):
    rows = "".join(f"{query},{model},far\n" for query, model, _, _ in records())
    benchmark = read(tmp_path, "query,thing,how\n" + rows, "S.csv")
    (error,) = (finding for finding in benchmark.findings if finding.severity is Severity.ERROR)
    assert "its columns were taken for 'query': queries, 'thing': words, 'how': one word" in error.message
    assert "'query,model,score'" in error.message


ENTRIES = {query: [(model, distance) for name, model, _, distance in records() if name == query] for query in QUERIES}


def by_role(query, value):
    """An object for each query, with a key for the list."""
    return {"query_id": query, "results": value}


JSON_ENTRIES = {
    "ids": lambda entries: [model for model, _ in entries],
    "filled ids": lambda entries: [*(model for model, _ in entries), "-1", -1],
    "similarities by id": lambda entries: {model: -value for model, value in entries},
    "ids and scores": lambda entries: [{"corpus_id": model, "score": -value} for model, value in entries],
    "ids and distances": lambda entries: [{"id": model, "dist": value, "class": "x"} for model, value in entries],
    "ids and ranks": lambda entries: [{"rank": at, "docid": model} for at, (model, _) in enumerate(entries, 1)],
    "pairs": lambda entries: [[model, value] for model, value in entries],
}
JSON_FILES = {
    "by query": lambda lists: json.dumps(lists),
    "indented": lambda lists: json.dumps(lists, indent=2),
    "within an object": lambda lists: json.dumps({"method": "A", "results": lists}),
    "objects": lambda lists: json.dumps([by_role(*item) for item in lists.items()]),
    "objects within an object": lambda lists: json.dumps({"runs": [by_role(*item) for item in lists.items()]}),
    "objects in lines": lambda lists: "\n".join(json.dumps(by_role(*item)) for item in lists.items()) + "\n",
    "lists in lines": lambda lists: "\n".join(json.dumps({name: value}) for name, value in lists.items()),
}


@pytest.mark.parametrize("file", JSON_FILES)
@pytest.mark.parametrize("entries", JSON_ENTRIES)
def test_forms_of_json_are_one_run(entries, file, tmp_path):
    lists = {query: JSON_ENTRIES[entries](found) for query, found in ENTRIES.items()}
    benchmark = read(tmp_path, JSON_FILES[file](lists), "S.json")
    assert lists_of(benchmark) == LISTS
    assert not [finding for finding in benchmark.findings if finding.severity is Severity.ERROR]


@pytest.mark.parametrize("in_lines", [False, True])
@pytest.mark.parametrize("keys", [("qid", "pid", "rank"), ("query", "model", "distance"), ("topic", "docno", "rank")])
def test_a_pair_in_each_object(keys, in_lines, tmp_path):
    rows = [
        dict(zip(keys, (query, model, rank if keys[2] == "rank" else distance), strict=True))
        for query, model, rank, distance in records()
    ]
    text = "\n".join(map(json.dumps, rows)) if in_lines else json.dumps(rows)
    assert lists_of(read(tmp_path, text, "S.jsonl")) == LISTS


def test_ids_beside_their_distances(tmp_path):
    rows = [
        {"query": query, "ids": [model for model, _ in found], "distances": [value for _, value in found]}
        for query, found in ENTRIES.items()
    ]
    benchmark = read(tmp_path, json.dumps(rows), "S.json")
    assert lists_of(benchmark) == LISTS
    assert benchmark.runs[0].ranking.distances is not None


def test_json_that_is_not_understood_names_the_forms(tmp_path):
    text = "\n".join(json.dumps({"query": query, "results": 7}) for query in QUERIES)
    benchmark = read(tmp_path, text, "S.jsonl")
    (error,) = (finding for finding in benchmark.findings if finding.severity is Severity.ERROR)
    assert "[{query, results}]" in error.message


def numbers(order, n_models=10):
    """(12, n) numbers of the nearest models of each query from 0 on, in an order of the models."""
    return np.array([[order.index(model) for model in models[:n_models]] for models in LISTS.values()])


ARRAYS = {
    "first numbers": lambda found: {"S.npy": found},
    "from 1 on": lambda found: {"S.npy": found + 1},
    "five from 1 on": lambda found: {"S.npy": found[:, :5] + 1},
    "filled with -1": lambda found: {"S.npy": np.hstack([found, np.full((len(found), 4), -1)])},
    "as many places as models": lambda found: {"S.npy": np.hstack([found, np.full((len(found), 14), -1)])},
    "numbers and distances": lambda found: {"S.npz": {"D": np.sort(VALUES)[:, :10].astype("f4"), "I": found}},
    "numbers of type double": lambda found: {"S.npz": {"D": np.sort(VALUES)[:, :10], "I": found + 1.0}},
    "two files": lambda found: {"S/D.npy": np.sort(VALUES)[:, :10].astype("f4"), "S/I.npy": found},
    "text": lambda found: {"S.txt": found},
}


@pytest.mark.parametrize("order", ["names", "classification"])
@pytest.mark.parametrize("form", ARRAYS)
def test_numbers_of_the_first_models(form, order, tmp_path):
    write(tmp_path, benchmark_files())
    (tmp_path / "runs").mkdir()
    found = numbers(NATURAL if order == "names" else IDS)
    for name, content in ARRAYS[form](found).items():
        (tmp_path / "runs" / name).parent.mkdir(exist_ok=True)
        save = {"npy": np.save, "npz": lambda path, arrays: np.savez(path, **arrays)}.get(name[-3:])
        if save is None:
            np.savetxt(tmp_path / "runs" / name, content, fmt="%d")
        else:
            save(tmp_path / "runs" / name, content)
    benchmark = read_benchmark(tmp_path, BenchmarkParts(read_options=ReadOptions(order=order)))
    n_models = 5 if form.startswith("five") else 10
    assert lists_of(benchmark) == {query: models[:n_models] for query, models in LISTS.items()}
    assert not [finding for finding in benchmark.findings if finding.severity is Severity.ERROR]
    actions = [finding.action for finding in benchmark.findings if "2 matrices" in finding.message]
    expected = "'I' is read: whole numbers, such as numbers of models beside their distances"
    assert actions == [expected] * ("S.npz" in ARRAYS[form](found))


@pytest.mark.parametrize(
    ("change", "action"),
    [
        (lambda values: values[:, :20], "the largest, 'A', is read"),
        (lambda values: values * 2, "the first of the largest, 'A', is read"),
    ],
)
def test_the_matrix_of_several_that_is_read_is_named_with_the_reason(change, action, tmp_path):
    write(tmp_path, benchmark_files())
    np.savez(tmp_path / "S.npz", A=VALUES, B=change(VALUES))
    findings = read_benchmark(tmp_path, BenchmarkParts(read_options=ReadOptions(order="names"))).findings
    assert [finding.action for finding in findings if "2 matrices" in finding.message] == [action]


def by_columns(columns, separator="|"):
    """The records in these columns, in random order of lines, with numbers that say nothing in ignored ones."""
    rng = np.random.default_rng(3)
    cells = {
        "query": lambda row: f"10{row[0][1:]}",
        "model": lambda row: f"700{row[1][1:]}",
        "rank": lambda row: row[2],
        "distance": lambda row: f"{row[3]:.6f}",
        "score": lambda row: f"{-row[3]:.6f}",
        "-": lambda _: rng.integers(9),
    }
    lines = [separator.join(str(cells[role](row)) for role in columns.split(",")) for row in records()]
    return "\n".join(rng.permutation(lines).tolist()) + "\n"


def read_by_columns(tmp_path, text, columns):
    """The run of a file with numbers as ids, read by the roles of its columns."""
    relevant = "".join(f"10{query[1:]} 0 700{models[0][1:]} 1\n" for query, models in LISTS.items())
    folder = write(tmp_path, {"qrels.txt": relevant, "S.txt": text})
    return read_benchmark(folder, BenchmarkParts(runs=folder / "S.txt", read_options=ReadOptions(columns=columns)))


NUMBERED = {f"10{query[1:]}": [f"700{model[1:]}" for model in models] for query, models in LISTS.items()}
ORDERS = [
    ",".join(order)
    for number in ("rank", "score", "distance")
    for order in permutations(("query", "model", number, "-"))
]


@pytest.mark.parametrize("columns", ORDERS)
def test_roles_that_are_set_read_any_order_of_columns(columns, tmp_path):
    """Ids, ranks and ignored numbers are all whole: nothing but the option says which is which."""
    benchmark = read_by_columns(tmp_path, by_columns(columns), columns)
    assert lists_of(benchmark) == NUMBERED
    (finding,) = [finding for finding in benchmark.findings if columns in finding.message]
    assert "set explicitly" in finding.message
    toml = f'[[runs]]\npath = "S.txt"\ncolumns = "{columns}"\n'
    assert (
        lists_of(read_benchmark(write(tmp_path / "toml", {**files_of(tmp_path), "benchmark.toml": toml}))) == NUMBERED
    )
    shown = preview(tmp_path / "S.txt", ReadOptions(columns=columns), benchmark)
    assert (shown.roles, shown.problem) == (tuple(columns.split(",")), "")


def files_of(folder):
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("separator", [" ", "\t", ",", ";", "|", ":"])
@pytest.mark.parametrize("columns", ["query,model,-,score", "rank,model,query"])
def test_roles_that_are_set_fit_every_separator(separator, columns, tmp_path):
    assert lists_of(read_by_columns(tmp_path, by_columns(columns, separator), columns)) == NUMBERED


def test_pairs_without_a_number_are_in_the_order_of_their_lines(tmp_path):
    lines = [f"10{query[1:]} 700{model[1:]}" for query, model, _, _ in records()]
    assert lists_of(read_by_columns(tmp_path, "\n".join(lines), "query,model")) == NUMBERED


@pytest.mark.parametrize("columns", ["distance,-,model,-", "-,-,model,-", "rank,score,model,-"])
def test_lists_in_a_folder_are_read_by_roles(columns, tmp_path):
    """Files such as these are not lists by themselves: two numbers, of which one repeats, and a tag."""
    texts = {
        f"S/{query}": "dist;no;name;tag\n" + "".join(f".{n:02};{n % 5};{model};t\n" for n, model in enumerate(models))
        for query, models in LISTS.items()
    }
    folder = write(tmp_path, {**benchmark_files(), **texts})
    options = ReadOptions(columns=columns)
    assert not read_benchmark(folder).runs
    benchmark = read_benchmark(folder, BenchmarkParts(runs=folder / "S", read_options=options))
    assert lists_of(benchmark) == LISTS
    shown = preview(folder / "S", options, benchmark)
    assert (shown.roles, shown.problem) == (tuple(columns.split(",")), "")
    toml = f'[[runs]]\npath = "S"\ncolumns = "{columns}"\n'
    assert lists_of(read_benchmark(write(tmp_path, {"benchmark.toml": toml}))) == LISTS


NO_ROLES = (
    *("query,score", "model,model,-", "query,model,score,query", "query, model", "id,distance", "query,model,", ""),
    *("id distance,model", "-"),
)


@pytest.mark.parametrize("columns", NO_ROLES)
def test_roles_that_cannot_be_are_refused(columns, tmp_path, capsys):
    toml = f'[[runs]]\npath = "S.txt"\ncolumns = "{columns}"\n'
    benchmark = read_benchmark(
        write(tmp_path, {**benchmark_files(), "S.txt": by_columns("query,model,score"), "benchmark.toml": toml})
    )
    assert any(f.line == 3 and "'query,model,-,score'" in f.message for f in benchmark.findings)
    assert cli.main(["evaluate", str(tmp_path), "--list-columns", columns]) == 2
    assert "--list-columns" in capsys.readouterr().err


def test_a_table_with_fewer_columns_than_roles_says_so(tmp_path):
    benchmark = read_by_columns(tmp_path, by_columns("query,model", ","), "query,model,-,score")
    assert "has 2 columns, fewer than the 4 of 'query,model,-,score'" in str(benchmark.findings)


@pytest.mark.parametrize("separator", [" ", ",", "|"])
def test_a_table_with_more_columns_than_roles_says_so(separator, tmp_path):
    """The ranks would be read as scores, the largest first."""
    benchmark = read_by_columns(tmp_path, by_columns("query,model,rank,score", separator), "query,model,score")
    expected = "has 4 columns, more than the 3 of 'query,model,score'; a column that is not read is '-'"
    assert expected in str(benchmark.findings)
    assert benchmark.runs == ()


def test_lists_with_more_columns_than_roles_say_so(tmp_path):
    texts = {f"S/{query}": "".join(f"{model};.5;t\n" for model in models) for query, models in LISTS.items()}
    folder = write(tmp_path, {**benchmark_files(), **texts})
    options = ReadOptions(columns="model,distance")
    benchmark = read_benchmark(folder, BenchmarkParts(runs=folder / "S", read_options=options))
    assert "has 3 columns, more than the 2 of 'model,distance'" in str(benchmark.findings)


def test_the_separator_is_the_one_that_gives_as_many_columns(tmp_path):
    lines = [f"10{query[1:]}|700{model[1:]}|a,b,c,d,e|{-value}" for query, model, _, value in records()]
    assert lists_of(read_by_columns(tmp_path, "\n".join(lines), "query,model,-,score")) == NUMBERED
