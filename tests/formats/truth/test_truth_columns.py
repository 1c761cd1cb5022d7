"""A table of truth is read by the roles of its columns, whatever names and separates them; levels in arrays by ids."""

import numpy as np
import pytest
from made_folders import IDS, QUERIES, benchmark_files, distances, labels, qrels, query_classes, write

from shrec_viewer import cli
from shrec_viewer.domain import Severity
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, configured_options, read_benchmark
from shrec_viewer.formats.preview.preview import preview

PAIRS = [line.split()[::2] + line.split()[3:] for line in qrels().splitlines()]
SEPARATORS = [",", ";", "\t", "|", "  "]


def contest(tmp_path, **files):
    """A matrix of distances with ids, and other files."""
    head = ",".join(["query", *IDS])
    rows = [",".join([query, *map(str, row)]) for query, row in zip(QUERIES, distances(columns=IDS), strict=True)]
    return write(tmp_path, {"runs/A.csv": "\n".join([head, *rows]) + "\n", **files})


def levels_of(benchmark):
    ids, assessment = benchmark.collection.ids, benchmark.assessment
    return {
        (name, ids[model]): level
        for query, name in enumerate(benchmark.queries.ids)
        for model, level in zip(*(values.tolist() for values in assessment.relevant(query)), strict=True)
    }


def messages(benchmark):
    return [f"{one.file}: {one.message}" for one in benchmark.findings if one.severity is not Severity.INFO]


EXPECTED = {(query, model): int(level) for query, model, level in PAIRS if int(level)}
SAME_CLASS = {
    (query, model): 1 for query, own in query_classes().items() for model, name in labels().items() if own == name
}


@pytest.mark.parametrize("head", ["Bemerkung{0}Treffer{0}Anfrage{0}Grad", "x{0}doc{0}query{0}rel", ""])
@pytest.mark.parametrize("separator", SEPARATORS)
def test_levels_are_read_by_the_roles_of_columns(separator, head, tmp_path):
    level = "{},0" if separator == ";" else "{}"
    lines = [separator.join(["x", model, query, level.format(value)]) for query, model, value in PAIRS]
    text = "\n".join([*([head.format(separator)] if head else []), *lines]) + "\n"
    root = contest(tmp_path, **{"marks.dat": text})
    parts = BenchmarkParts(assessment=root / "marks.dat", truth_columns=("-,model,query,level",))
    benchmark = read_benchmark(root, parts)
    assert levels_of(benchmark) == EXPECTED
    assert messages(benchmark) == []
    assert [run.name for run in benchmark.runs] == ["A"]


@pytest.mark.parametrize("head", ["Frage Fund\n", "query model\n", ""])
def test_pairs_without_levels_are_relevant(head, tmp_path):
    text = head + "".join(f"{query} {model}\n" for query, model, level in PAIRS if level == "2")
    root = contest(tmp_path, **{"marks.txt": text})
    toml = '[assessment]\nqrels = "marks.txt"\ncolumns = "query,model"\n'
    (root / "benchmark.toml").write_text(toml)
    benchmark = read_benchmark(root)
    assert levels_of(benchmark) == SAME_CLASS
    assert messages(benchmark) == []
    assert configured_options(benchmark, root / "marks.txt").columns == "query,model"


@pytest.mark.parametrize("separator", SEPARATORS)
def test_classes_are_read_by_the_roles_of_columns(separator, tmp_path):
    models = [separator.join(["Nr", "Gruppe", "Objekt"])]
    models += [separator.join([str(at), name, model]) for at, (model, name) in enumerate(labels().items())]
    queries = [separator.join(["Gruppe", "Skizze"]), *map(separator.join, map(reversed, query_classes().items()))]
    root = contest(tmp_path, **{"a.dat": "\n".join(models) + "\n", "b.dat": "\n".join(queries) + "\n"})
    parts = BenchmarkParts(
        classification=root / "a.dat", queries=root / "b.dat", truth_columns=("class,query", "-,class,model")
    )
    benchmark = read_benchmark(root, parts)
    assert levels_of(benchmark) == SAME_CLASS
    assert messages(benchmark) == []
    toml = '[collection]\nclassification = "a.dat"\ncolumns = "-,class,model"\n'
    (root / "benchmark.toml").write_text(toml + '[queries]\nclassification = "b.dat"\ncolumns = "class,query"\n')
    assert levels_of(read_benchmark(root)) == SAME_CLASS


def test_a_partition_has_its_columns_in_any_order(tmp_path):
    rows = [f"gallery   {model:8}{name}" for model, name in labels().items()]
    rows += [f"query     {query:8}{name}" for query, name in query_classes().items()]
    root = contest(tmp_path, **{"list.txt": "part name class\n" + "\n".join(rows) + "\n"})
    parts = BenchmarkParts(classification=root / "list.txt", truth_columns=("part,model,class",))
    benchmark = read_benchmark(root, parts)
    assert levels_of(benchmark) == SAME_CLASS
    assert benchmark.queries.ids == QUERIES
    assert messages(benchmark) == []


def test_command_line_reads_by_roles_and_names_a_wrong_role(tmp_path, capsys):
    text = "".join(f"{level}|{model}|{query}\n" for query, model, level in PAIRS)
    root = contest(tmp_path, **{"marks.dat": text})
    call = ["evaluate", str(root), "--measure", "AP", "--assessment", str(root / "marks.dat"), "--truth-columns"]
    assert cli.main([*call, "level,model,query"]) == 0
    capsys.readouterr()
    assert cli.main([*call, "class,model,-"]) == 1
    assert "--truth-columns=class,model,- is given, but no file of such columns: --class" in capsys.readouterr().err
    assert cli.main([*call, "level,model"]) == 2
    assert cli.main([*call, "level,model,query,query"]) == 2
    assert cli.main([*call, "level,model"]) == 2
    assert "'query,-,model,level', 'model,class' or 'query,class'" in capsys.readouterr().err
    assert cli.main([*call, "level,model,query,-"]) == 1
    assert "marks.dat:1: error: has 3 columns, fewer than the 4" in capsys.readouterr().err


def test_columns_of_another_kind_are_a_fault_of_the_table(tmp_path):
    root = contest(tmp_path, **{"marks.dat": "a|b\n1|2\n"})
    (root / "benchmark.toml").write_text('[assessment]\nqrels = "marks.dat"\ncolumns = "model,class"\n')
    assert "marks.dat: 'model,class' are columns of classes" in messages(read_benchmark(root))
    (root / "benchmark.toml").write_text('[assessment]\nqrels = "marks.dat"\ncolumns = "model,score"\n')
    assert any("'columns' must be roles of all columns" in message for message in messages(read_benchmark(root)))


def test_preview_has_the_cells_and_roles_of_a_table_of_truth(tmp_path):
    text = "".join(f"{level}|{model}|{query}\n" for query, model, level in PAIRS)
    root = contest(tmp_path, **{"marks.dat": text, "truth.txt": qrels()})
    (root / "benchmark.toml").write_text('[assessment]\nqrels = "marks.dat"\ncolumns = "level,model,query"\n')
    benchmark = read_benchmark(root)
    found = preview(root / "marks.dat", configured_options(benchmark, root / "marks.dat"), benchmark)
    assert (found.format, found.problem, found.roles) == ("pairs", "", ("level", "model", "query"))
    assert found.rows[0].cells == (PAIRS[0][2], PAIRS[0][1], PAIRS[0][0])
    assert not any(row.note for row in found.rows)
    assert preview(root / "truth.txt", benchmark=benchmark).roles == ("query", "-", "model", "level")


def shuffled():
    rng = np.random.default_rng(4)
    rows, columns = rng.permutation(len(QUERIES)), rng.permutation(len(IDS))
    levels = np.array([[EXPECTED.get((query, model), 0) for model in IDS] for query in QUERIES], np.int8)
    return levels[np.ix_(rows, columns)], np.array(QUERIES)[rows], np.array(IDS)[columns]


@pytest.mark.parametrize("keys", [("queries", "models"), ("ids", "targets"), ("query_ids", "names")])
@pytest.mark.parametrize(("name", "is_named"), [("gt/a.npz", True), ("qrels/levels.npz", False), ("b.npz", True)])
def test_levels_of_an_array_have_the_ids_beside_it(keys, name, is_named, tmp_path):
    root = contest(tmp_path)
    levels, queries, models = shuffled()
    (root / name).parent.mkdir(exist_ok=True)
    np.savez(root / name, levels=levels, **dict(zip(keys, (queries, models), strict=True)))
    path = root / name if name == "b.npz" else (root / name).parent
    benchmark = read_benchmark(root, BenchmarkParts(assessment=path if is_named else None))
    assert levels_of(benchmark) == EXPECTED
    assert [run.name for run in benchmark.runs] == ["A"]
    assert messages(benchmark) == []


def test_distances_of_an_array_have_the_ids_beside_it(tmp_path):
    root = contest(tmp_path, **{"qrels.txt": qrels()})
    _, queries, models = shuffled()
    np.savez(root / "runs/B.npz", D=distances(queries, models), queries=queries, models=models.astype("S8"))
    benchmark = read_benchmark(root)
    first, second = (
        np.asarray(run.ranking.values)[run.ranking.rows][:, np.argsort(run.ranking.columns)] for run in benchmark.runs
    )
    np.testing.assert_array_equal(first, second)
    assert messages(benchmark) == ["runs/B.npz: is a near-copy of A: RBO 1.000 of the first 20 ranks"]


def test_a_folder_of_several_truths_names_them(tmp_path):
    root = contest(tmp_path, **{"all/a.txt": qrels(), "all/b.txt": qrels()})
    benchmark = read_benchmark(root, BenchmarkParts(assessment=root / "all"))
    assert "all: holds 2 files of truth: 'a.txt', 'b.txt'; name one" in messages(benchmark)


def test_distances_in_a_folder_of_truth_are_no_levels(tmp_path):
    root = contest(tmp_path, **{"qrels.txt": qrels()})
    (root / "truth").mkdir()
    np.save(root / "truth/D.npy", distances())
    benchmark = read_benchmark(root)
    assert levels_of(benchmark) == EXPECTED
    assert any(message.startswith("truth/D.npy: its name or folder says") for message in messages(benchmark))


def test_benchmark_files_are_read_as_before(tmp_path):
    assert levels_of(read_benchmark(write(tmp_path, benchmark_files()))) == EXPECTED
