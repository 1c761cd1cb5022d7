"""Truth under any header, without one, without ids, or in folders; queries as a plain list."""

from io import BytesIO

import numpy as np
import pytest
from made_folders import (
    IDS,
    NATURAL,
    QUERIES,
    cla,
    distances,
    labels,
    list_files,
    mesh_files,
    qrels,
    query_classes,
    write,
)

from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark


def rows(separator=",", header="", word=str) -> str:
    lines = [f"{word(name)}{separator}{own}" for name, own in labels().items()]
    return "\n".join([*([header] if header else []), *lines]) + "\n"


def npy(values) -> bytes:
    stream = BytesIO()
    np.save(stream, values)
    return stream.getvalue()


def findings_of(benchmark, name):
    return [(str(f.severity), f"{f.message}; {f.action}") for f in benchmark.findings if f.file == name]


TABLES = {
    "model,class": {"header": "model,class"},
    "filename,label": {"header": "filename,label", "word": lambda name: f"{name}.off"},
    "file;category": {"header": "file;category", "separator": ";"},
    "mesh,label": {"header": "mesh,label"},
    "protein,class": {"header": "protein,class"},
    "Modell;Klasse": {"header": "\ufeffModell;Klasse", "separator": ";"},
    "words of no meaning": {"header": "was,wohin"},
    "no header": {},
    "white space": {"separator": " ", "word": lambda name: f"{name}.off"},
    "tabs": {"separator": "\t"},
}


@pytest.mark.parametrize("dialect", TABLES)
def test_a_table_whose_ids_the_lists_name_is_the_truth(dialect, tmp_path):
    lists = {f"runs/A1/{name}": "".join(f"{other}\n" for other in (name, *NATURAL) if other) for name in NATURAL}
    benchmark = read_benchmark(write(tmp_path, {"truth.csv": rows(**TABLES[dialect]), **lists}))
    tree = benchmark.classification
    found = {
        name.removesuffix(".off"): tree.names[label]
        for name, label in zip(benchmark.collection.ids, tree.labels, strict=True)
    }
    assert found == labels()
    assert benchmark.assessment is not None
    assert [run.name for run in benchmark.runs] == ["A1"]
    about = "a table of 24 ids in 5 classes, which are ids of runs or files; used as classes"
    assert findings_of(benchmark, "truth.csv")[0] == ("info", about)


def test_a_table_of_ids_that_no_other_file_names_is_used_once_it_is_named(tmp_path):
    files = {"labels.csv": rows(), "m.npy": npy(distances(IDS, IDS))}
    benchmark = read_benchmark(write(tmp_path, files))
    assert benchmark.classification is None
    expected = ("warning", "looks like a table of 24 ids in 5 classes; ignored; otherwise classes; to read it so")
    assert findings_of(benchmark, "labels.csv")[0] == expected
    write(tmp_path, {"benchmark.toml": '[collection]\nclassification = "labels.csv"\n'})
    named = read_benchmark(tmp_path)
    assert named.collection.ids == IDS
    assert len(named.runs) == 1


def test_a_table_of_other_ids_is_named_with_the_option_that_reads_it(tmp_path):
    text = rows(word=lambda name: f"other{name}x")
    files = {"truth.csv": text, "m.csv": "," + ",".join(NATURAL) + "\n"}
    files["m.csv"] += "".join(
        ",".join([name, *(f"{value:.4f}" for value in line)]) + "\n"
        for name, line in zip(NATURAL, distances(NATURAL, NATURAL), strict=True)
    )
    benchmark = read_benchmark(write(tmp_path, files))
    assert benchmark.assessment is None
    ((severity, error_text),) = findings_of(benchmark, "truth.csv")
    assert severity == "warning"
    assert "looks like a table of 24 ids in 5 classes; 'otherN9x' is one, while other files name 'N1'" in error_text
    (found,) = [finding for finding in benchmark.findings if finding.file == "truth.csv"]
    assert found.setting.option == "--classification truth.csv"
    named = read_benchmark(tmp_path, BenchmarkParts(classification=tmp_path / "truth.csv"))
    assert len(named.classification.leaves) == 5


def test_tables_of_runs_are_not_classes(tmp_path):
    table = "run,team\n" + "".join(f"A{place},team{place % 3}\n" for place in range(12))
    benchmark = read_benchmark(write(tmp_path, {"runs.csv": table, **list_files()}))
    assert benchmark.classification is None


@pytest.mark.parametrize("form", ["lines", "npy"])
def test_labels_without_ids_are_those_of_rows_and_columns(form, tmp_path):
    query_names, models = list(query_classes().values()), [labels()[name] for name in NATURAL]
    numbers = {word: place for place, word in enumerate(dict.fromkeys(models))}
    files = {"task.npy": npy(distances())}
    for name, words in (("query_labels", query_names), ("target_labels", models)):
        coded = [numbers[word] for word in words]
        files[f"{name}.npy" if form == "npy" else f"{name}.txt"] = (
            npy(np.array(coded)) if form == "npy" else "".join(f"{code}\n" for code in coded)
        )
    benchmark = read_benchmark(write(tmp_path, files))
    assert (len(benchmark.collection), len(benchmark.queries), len(benchmark.runs)) == (24, 12, 1)
    for query, name in enumerate(QUERIES):
        relevant, _ = benchmark.assessment.relevant(query)
        assert {NATURAL[place] for place in relevant} == {n for n in NATURAL if labels()[n] == query_classes()[name]}


def test_labels_without_match_are_ignored(tmp_path):
    files = {"classes.cla": cla(), "clusters.txt": "0\n0\n1\n1\n" * 4, "m.npy": npy(distances(IDS, IDS))}
    benchmark = read_benchmark(write(tmp_path, files))
    assert [run.name for run in benchmark.runs] == ["m"]


def test_folders_are_the_classes_of_queries_too(tmp_path):
    mesh = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
    files = {f"target/{own}/{name}.off": mesh for name, own in labels().items()}
    files |= {f"query/{own}/{name}.off": mesh for name, own in query_classes().items()}
    benchmark = read_benchmark(write(tmp_path, {**files, "cdist.npy": npy(distances())}))
    assert benchmark.assessment is not None
    tree = benchmark.classification
    names = {
        name: tree.names[label] for name, label in zip(benchmark.queries.ids, benchmark.queries.labels, strict=True)
    }
    assert names == query_classes()
    assert all(path is not None for path in benchmark.queries.paths)


SUBSET = NATURAL[3:11]


@pytest.mark.parametrize("header", ["", "id\n", "# asked\n"])
def test_plain_list_selects_the_queries(header, tmp_path):
    files = {"classes.cla": cla(), "queries.txt": header + "".join(f"{name}\n" for name in SUBSET)}
    files["m.npy"] = npy(distances(SUBSET, NATURAL))
    write(tmp_path, files)
    if header != "id\n":  # a list with that header is used without being named
        found = read_benchmark(tmp_path)
        (finding,) = [finding for finding in found.findings if finding.file == "queries.txt"]
        assert finding.message == "looks like a list of 8 queries"
        assert finding.setting.lines == ("[queries]", 'classification = "queries.txt"')
    for text in ("", '[queries]\nclassification = "queries.txt"\n'):
        parts = BenchmarkParts() if text else BenchmarkParts(queries=tmp_path / "queries.txt")
        benchmark = read_benchmark(write(tmp_path, {"benchmark.toml": text}), parts)
        assert benchmark.queries.ids == SUBSET
        tree = benchmark.classification
        assert [tree.names[label] for label in benchmark.queries.labels] == [labels()[name] for name in SUBSET]
        assert benchmark.assessment is not None
        assert [benchmark.collection.ids[place] for place in benchmark.queries.member] == list(SUBSET)
        (run,) = benchmark.runs
        line = run.ranking.values[run.ranking.rows[2]]
        listed = [benchmark.collection.ids[run.ranking.columns[place]] for place in np.argsort(line)]
        assert listed[0] == SUBSET[2]


def test_a_matrix_may_have_rows_for_the_queries_or_for_all(tmp_path):
    mugs = [name for name in NATURAL if labels()[name] == "mug"][:2]
    cats = [name for name in NATURAL if labels()[name] == "cat"][:3]
    query_names = "\n".join(["PSB 1", "2 5", "cat 0 3", *cats, "mug 0 2", *mugs, ""])
    names = (*cats, *mugs)
    rows = sorted(names, key=NATURAL.index)
    files = {
        "classes.cla": cla(),
        "queries.cla": query_names,
        "part.npy": npy(distances(rows)),
        "whole.npy": npy(distances(NATURAL)),
        "benchmark.toml": "".join(f'[[runs]]\npath = "{run}.npy"\norder = "names"\n' for run in ("part", "whole")),
    }
    benchmark = read_benchmark(write(tmp_path, files))
    assert benchmark.queries.ids == names
    assert [run.name for run in benchmark.runs] == ["part", "whole"]
    for run in benchmark.runs:
        assert run.ranking.present.all()
        for query, name in enumerate(names):
            line = run.ranking.values[run.ranking.rows[query]]
            assert benchmark.collection.ids[run.ranking.columns[np.argmin(line)]] == name


def test_unused_query_list_does_not_change_the_queries(tmp_path):
    files = {"classes.cla": cla(), **list_files(), "queries.txt": "\n".join(NATURAL[:6])}
    benchmark = read_benchmark(write(tmp_path, files))
    assert set(QUERIES) == set(benchmark.queries.ids)
    assert benchmark.run("A1").ranking.present.all()


QUERY_CLA = "PSB 1\n5 12\n\n" + "\n".join(
    f"{name} 0 {sum(own == name for own in query_classes().values())}\n"
    + "".join(f"{query}\n" for query, own in query_classes().items() if own == name)
    for name in ("cat", "dog", "cup", "mug", "jar")
)


@pytest.mark.parametrize("truth", ["classes", "qrels", "files"])
def test_a_query_list_that_is_named_takes_precedence(truth, tmp_path):
    """Over classes, relevance levels and files of the queries; each has the relevant models it has without the list."""
    files = {"classes.cla": cla(), **list_files(), "lists/some.txt": "Q7\nQ2\nQ12\n"}
    files |= {"classes": {"queries.cla": QUERY_CLA}, "qrels": {"truth.txt": qrels()}}.get(
        truth, mesh_files("queries", QUERIES)
    )
    folder = write(tmp_path, files)
    whole = read_benchmark(folder)
    found = read_benchmark(folder, BenchmarkParts(queries=folder / "lists/some.txt"))
    assert found.queries.ids == ("Q7", "Q2", "Q12")
    assert found.run("A1").present.all()
    assert any("3 queries" in text or "3 models" in text for _, text in findings_of(found, "lists/some.txt"))
    for query, name in enumerate(found.queries.ids):
        before = whole.queries.ids.index(name)
        assert found.queries.member[query] == whole.queries.member[before] == -1
        if truth != "files":
            relevant, expected = found.assessment.relevant(query)[0], whole.assessment.relevant(before)[0]
            assert relevant.tolist() == expected.tolist() != []


def test_listed_queries_that_their_table_lacks_are_counted(tmp_path):
    files = {"classes.cla": cla(), "queries.cla": QUERY_CLA, **list_files(), "lists/some.txt": "Q7\nQ77\n"}
    found = read_benchmark(write(tmp_path, files), BenchmarkParts(queries=tmp_path / "lists/some.txt"))
    assert found.queries.ids == ("Q7", "Q77")
    assert found.queries.labels.tolist()[1] == -1
    assert any("2 queries listed, of 12 in 'queries.cla'; 'queries.cla' lacks 1 of them" in text
               for _, text in findings_of(found, "lists/some.txt"))  # fmt: skip
    (tmp_path / "lists/some.txt").write_text("N3\nN1\n")
    found = read_benchmark(tmp_path, BenchmarkParts(queries=tmp_path / "lists/some.txt"))
    assert (found.queries.ids, found.queries.are_members) == (("N3", "N1"), True)
    assert any(
        "'queries.cla' has none of them and is not used" in text for _, text in findings_of(found, "lists/some.txt")
    )


@pytest.mark.parametrize("text", ['{"sizes": [1, 2, 3], "names": ["a", "b"]}', '{"sizes": [1, 2, 3], "name": "x"}'])
def test_settings_in_json_are_no_run_and_no_error(text, tmp_path):
    benchmark = read_benchmark(
        write(tmp_path, {"classes.cla": cla(), "m.npy": npy(distances(NATURAL)), "c.json": text})
    )
    assert [run.name for run in benchmark.runs] == ["m"]
    assert not benchmark.has_errors


def test_labels_as_many_as_meshes_are_theirs_in_natural_order(tmp_path):
    text = "".join(f"{labels()[name]}\n" for name in NATURAL)
    benchmark = read_benchmark(write(tmp_path, {**mesh_files("models", NATURAL), "labels.txt": text}))
    tree = benchmark.classification
    named = {name: tree.names[label] for name, label in zip(benchmark.collection.ids, tree.labels, strict=True)}
    assert named == labels()
    assert findings_of(benchmark, "labels.txt")[0][0] == "warning"
