"""A matrix reads as the same run whatever its kind and the order of its rows and columns; else a sentence."""

import numpy as np
import pytest
from made_folders import (
    IDS,
    NATURAL,
    QUERIES,
    benchmark_files,
    cla,
    distances,
    matrix_text,
    mesh_files,
    npy,
    query_classes,
    write,
)

from shrec_viewer.domain import DistanceMatrix, Severity
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.io.array_files import FileMatrix
from shrec_viewer.formats.manifest.parts import BenchmarkParts
from shrec_viewer.formats.matrices import matrix
from shrec_viewer.formats.matrices.matrix import read_matrix

ENCODINGS = {
    "M.txt": matrix_text,
    "M.npy": lambda values: npy(values.astype(np.float32)),
    "M.matrix": lambda values: values.astype("<f4").tobytes(),
    "M64.matrix": lambda values: values.astype("<f8").tobytes(),
    "swapped.matrix": lambda values: values.astype(">f4").tobytes(),
    "text.matrix": matrix_text,
    "commas.csv": lambda values: matrix_text(values).replace(" ", ","),
    "one_line.txt": lambda values: matrix_text(values).replace("\n", " "),
    "shifted.txt": lambda values: matrix_text(values).replace("\n", " ", 1),
}
ORDERS = {"classification": IDS, "names": NATURAL}


def dense(benchmark, matrix) -> np.ndarray:
    """(Q, N) distances in the benchmark's own order, NaN where the matrix says nothing."""
    values = np.full((len(benchmark.queries), len(benchmark.collection)), np.nan)
    known = np.flatnonzero(matrix.columns >= 0)
    for query, row in enumerate(matrix.rows):
        if row >= 0:
            values[query, matrix.columns[known]] = np.asarray(matrix.values[row])[known]
    return values


def read_one(tmp_path, files):
    benchmark = read_benchmark(write(tmp_path, files))
    (run,) = benchmark.runs
    assert isinstance(run.ranking, DistanceMatrix)
    return benchmark, run


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", ENCODINGS)
def test_queries_times_models(name, order, tmp_path):
    content = ENCODINGS[name](distances(QUERIES, ORDERS[order]))
    benchmark, run = read_one(tmp_path, {**benchmark_files(), name: content})
    assert benchmark.collection.ids == IDS
    np.testing.assert_allclose(dense(benchmark, run.ranking), distances(QUERIES, IDS), atol=1e-6)
    assert run.name == name.rsplit(".", 1)[0]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", ENCODINGS)
def test_the_collection_queries_itself(name, order, tmp_path):
    content = ENCODINGS[name](distances(ORDERS[order], ORDERS[order]))
    benchmark, run = read_one(tmp_path, {"classes.cla": cla(), name: content})
    assert benchmark.queries.are_members
    assert benchmark.queries.ids == IDS
    np.testing.assert_allclose(dense(benchmark, run.ranking), distances(IDS, IDS), atol=1e-6)
    assert any("profile psb" in finding.action for finding in benchmark.findings)


def test_columns_are_the_files_where_some_models_have_none(tmp_path):
    files = {**benchmark_files()}
    for gone in ("N4", "N20"):
        del files[f"models/{gone}.off"]
    present = [name for name in NATURAL if name not in ("N4", "N20")]
    benchmark, run = read_one(tmp_path, {**files, "F.txt": matrix_text(distances(QUERIES, present))})
    expected = distances(QUERIES, IDS)
    expected[:, [IDS.index("N4"), IDS.index("N20")]] = np.nan
    np.testing.assert_allclose(dense(benchmark, run.ranking), expected, atol=1e-6)
    reported_findings = [finding.message for finding in benchmark.findings if finding.severity is Severity.WARNING]
    assert reported_findings == ["2 models have no file: N20, N4"]


@pytest.mark.parametrize(("first", "gap"), [(0, 7), (1, 7), (1, 0), (1, 24)])
def test_columns_are_numbers_where_ids_leave_a_gap(first, gap, tmp_path):
    """Numbers from 0 or 1 without one, as Princeton's leave out 762: the matrix has a column for it all the same."""
    numbers = [first + place for place in range(25) if place != gap]
    if gap == 24:
        numbers[-1] += 1  # the last number shows how many there are
    name_of = dict(zip(NATURAL, map(str, numbers), strict=True))
    values = np.insert(distances(QUERIES, NATURAL), min(gap, 23), 0.01, axis=1)
    truth = [line.split() for line in benchmark_files()["truth.txt"].splitlines()]
    files = {
        "classes.cla": cla(ids=[name_of[model] for model in IDS]),
        "truth.txt": "".join(f"{query} 0 {name_of[model]} {level}\n" for query, _, model, level in truth),
        "F.txt": matrix_text(values),
    }
    benchmark, run = read_one(tmp_path, files)
    assert np.flatnonzero(run.ranking.columns < 0).tolist() == [min(gap, 23)]
    np.testing.assert_allclose(dense(benchmark, run.ranking), distances(QUERIES, IDS), atol=1e-6)


def test_a_binary_matrix_tells_which_of_two_classifications_is_the_collections(tmp_path):
    """Without any hint in the names: only 12 x 24 values fit both."""
    by_class = {}
    for query, own in query_classes().items():
        by_class.setdefault(own, []).append(query)
    query_names = cla(
        tuple((own, "0", len(them)) for own, them in by_class.items()),
        [query for them in by_class.values() for query in them],
    )
    content = distances(QUERIES, NATURAL).astype("<f4").tobytes()
    benchmark, run = read_one(tmp_path, {"a.cla": query_names, "b.cla": cla(), "M.matrix": content})
    assert benchmark.collection.ids == IDS
    expected = distances(benchmark.queries.ids, IDS)
    np.testing.assert_allclose(dense(benchmark, run.ranking), expected, atol=1e-6)


def manifest(order="", similarity=""):
    lines = ["[[runs]]", 'path = "M.txt"', 'name = "Mine"', 'participant = "Me"']
    lines += [f'order = "{order}"'] if order else []
    lines += [f"similarity = {similarity}"] if similarity else []
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("order", ORDERS)
def test_the_manifest_has_the_last_word_on_the_order(order, tmp_path):
    """Noise without truth behind it: nothing but the manifest can tell."""
    values = np.random.default_rng(1).random((12, 24))
    files = {**benchmark_files(), "M.txt": matrix_text(values), "benchmark.toml": manifest(order)}
    _, run = read_one(tmp_path, files)
    assert (run.name, run.participant) == ("Mine", "Me")
    assert [IDS[column] for column in run.ranking.columns] == list(ORDERS[order])


SHUFFLED = ("Q7", "Q12", "Q1", "Q10", "Q3", "Q5", "Q11", "Q2", "Q9", "Q4", "Q8", "Q6")
GIVEN_ORDERS = ("classification", "names", "numbers")


@pytest.mark.parametrize("true_rows", [SHUFFLED, QUERIES])
@pytest.mark.parametrize("order", GIVEN_ORDERS)
def test_explicit_order_applies_to_rows_without_finding(order, true_rows, tmp_path):
    """Even where the distances say otherwise: the finding says what was read, and by whose word."""
    files = {**benchmark_files(), "benchmark.toml": manifest(order)}
    by_class = {name: query_classes()[name] for name in SHUFFLED}
    leaves = dict.fromkeys(by_class.values())
    query_names = [name for leaf in leaves for name in SHUFFLED if by_class[name] == leaf]
    files["queries.cla"] = cla([(leaf, "0", [*by_class.values()].count(leaf)) for leaf in leaves], query_names)
    files["benchmark.toml"] += '[queries]\nclassification = "queries.cla"\n'
    files["M.txt"] = matrix_text(distances(query_names if true_rows is SHUFFLED else QUERIES, NATURAL))
    benchmark, run = read_one(tmp_path, files)
    assert benchmark.queries.ids == tuple(query_names)
    rows = query_names if order == "classification" else QUERIES
    assert run.ranking.rows.tolist() == [list(rows).index(name) for name in query_names]
    (finding,) = [finding for finding in benchmark.findings if finding.file == "M.txt" and "matrix" in finding.message]
    assert finding.severity is Severity.INFO
    assert finding.message == f"matrix of 12 x 24, order '{order}'"
    assert finding.action.endswith(" (set explicitly)")
    assert "to fix it" not in "".join(map(str, benchmark.findings))


def test_undecided_order_is_the_usual_one_with_warning(tmp_path):
    values = np.random.default_rng(1).random((12, 24))
    benchmark, run = read_one(tmp_path, {**benchmark_files(), "M.txt": matrix_text(values)})
    assert [IDS[column] for column in run.ranking.columns] == list(NATURAL)
    finding, chance = [finding for finding in benchmark.findings if finding.severity is Severity.WARNING]
    assert finding.message == "matrix of 12 x 24; 2 orders fit and cannot be distinguished"
    assert (finding.setting.option, finding.setting.place) == ("--order classification", "in benchmark.toml")
    assert finding.setting.lines == ("[[runs]]", 'path = "M.txt"', 'order = "classification"')
    assert chance.message.endswith("no better than by chance")


N_NUMBERED, N_CLASSES = 120, 4


def read_numbered(tmp_path, name, ids, columns, *, first=0, classes=None):
    """A classification of numbered models, in the order of `ids`, and distances in the order of `columns`."""
    class_of = np.repeat(np.arange(N_CLASSES), N_NUMBERED // N_CLASSES)
    true_class = dict(zip(range(first, first + N_NUMBERED), class_of, strict=True)) if classes is None else classes
    rows = np.repeat(np.arange(N_CLASSES), 6)
    noise = np.random.default_rng(3).random((len(rows), N_NUMBERED))
    values = (rows[:, None] != np.array([true_class[column] for column in columns])) * 0.5 + noise
    files = {
        "models.cla": cla([(f"c{c}", "0", N_NUMBERED // N_CLASSES) for c in range(N_CLASSES)], map(str, ids)),
        "queries.cla": cla([(f"c{c}", "0", 6) for c in range(N_CLASSES)], [f"q{n}" for n in range(len(rows))]),
        name: matrix_text(values) if name.endswith(".txt") else values.astype("<f4").tobytes(),
    }
    benchmark, run = read_one(tmp_path, files)
    assert benchmark.collection.ids == tuple(map(str, ids))
    (finding,) = [finding for finding in benchmark.findings if finding.file == name and "orders fit" in finding.message]
    return [int(benchmark.collection.ids[column]) for column in run.ranking.columns], finding


@pytest.mark.parametrize("first", [0, 1])
def test_wrong_labels_do_not_change_the_order_of_numbered_columns(first, tmp_path):
    """The order of a classification with swapped labels fits the labels better than the right one."""
    numbers = list(range(first, first + N_NUMBERED))
    swapped = list(numbers)
    for one, other in ((2, 40), (35, 70), (66, 100), (95, 10)):
        swapped[one], swapped[other] = swapped[other], swapped[one]
    columns, finding = read_numbered(tmp_path, "M.txt", swapped, numbers, first=first)
    assert columns == numbers
    assert finding.severity is Severity.WARNING
    assert (
        ", because the ids are the numbers of the columns; otherwise columns: order of the classification"
        in finding.action
    )
    assert finding.setting.option == "--order classification"


@pytest.mark.parametrize("n_moved", [34, N_NUMBERED])
def test_columns_in_the_order_of_numbered_models_of_a_classification(n_moved, tmp_path):
    """Princeton's numbers are no columns: a class has any of them, or most of them follow the classes."""
    random = np.random.default_rng(1)
    mixed, moved = np.arange(N_NUMBERED), np.sort(random.permutation(N_NUMBERED)[:n_moved])
    mixed[moved] = random.permutation(moved)
    mixed = mixed.tolist()
    classes = {model: place * N_CLASSES // N_NUMBERED for place, model in enumerate(mixed)}
    for name in ("M.txt", "M.matrix"):
        columns, finding = read_numbered(tmp_path / name, name, mixed, mixed, classes=classes)
        assert columns == mixed
        assert "numbers of the columns" not in finding.action


def test_order_that_does_not_fit_ignores_the_run(tmp_path):
    files = {**benchmark_files(), "M.txt": matrix_text(distances()[:, :-1]), "benchmark.toml": manifest("names")}
    del files["models/N24.off"]
    read_one(tmp_path, files)
    files["benchmark.toml"] = manifest("classification")
    benchmark = read_benchmark(write(tmp_path, files))
    assert benchmark.runs == ()
    (finding,) = [finding for finding in benchmark.findings if finding.severity is Severity.ERROR]
    assert finding.message == "order 'classification' does not fit its 23 columns; names would"


WRONG = {
    "too few columns": (distances()[:, :-1], "a matrix of 12 x 23, but 12 x 24 is expected (queries x models)"),
    "twice": (
        np.concatenate([distances(), distances()]),
        "a matrix of 24 x 24, but 12 x 24 is expected (queries x models); probably 2 matrices in one file",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_shape_only_ignores_the_run(case, tmp_path):
    values, message = WRONG[case]
    files = {**benchmark_files(), "good.txt": matrix_text(distances()), "wrong.txt": matrix_text(values)}
    benchmark = read_benchmark(write(tmp_path, files))
    assert [run.name for run in benchmark.runs] == ["good"]
    errors = [finding for finding in benchmark.findings if finding.severity is Severity.ERROR]
    assert [(f.file, f.message, f.action) for f in errors] == [("wrong.txt", message, "the run is ignored")]


def test_a_wrong_size_of_a_binary_matrix(tmp_path):
    values = distances(IDS, IDS).astype("<f4")
    files = {"classes.cla": cla(), "long.matrix": values.tobytes() + b"\0" * 8, "short.matrix": values.tobytes()[:-8]}
    benchmark = read_benchmark(write(tmp_path, files))
    assert [run.name for run in benchmark.runs] == ["long"]
    np.testing.assert_allclose(dense(benchmark, benchmark.runs[0].ranking), distances(IDS, IDS), atol=1e-6)
    reported_findings = {
        (f.severity.value, f.file, f.message) for f in benchmark.findings if f.severity is not Severity.INFO
    }
    assert reported_findings == {
        ("warning", "long.matrix", "2 numbers too many for 24 x 24"),
        ("error", "short.matrix", "contains 574 numbers of type float32, which is not 24 x 24"),
    }


def test_similarities_are_known_by_the_diagonal(tmp_path):
    benchmark, run = read_one(tmp_path, {"classes.cla": cla(), "S.txt": matrix_text(1 - distances(NATURAL, NATURAL))})
    assert run.ranking.similarity
    assert [f.message for f in benchmark.findings if f.severity is Severity.WARNING] == [
        "every model has the largest value in its own row"
    ]


def test_similarities_of_separate_queries_are_a_warning(tmp_path):
    files = {**benchmark_files(), "M.txt": matrix_text(1 - distances(QUERIES, IDS))}
    files["benchmark.toml"] = manifest("classification")
    benchmark, run = read_one(tmp_path, files)
    assert not run.ranking.similarity
    (finding,) = [finding for finding in benchmark.findings if finding.severity is Severity.WARNING]
    assert finding.message.endswith(": worse than by chance")
    assert finding.action.startswith("read as written; otherwise as similarities (AP ")
    assert (finding.setting.option, finding.setting.lines) == ("--similarity", ("similarity = true",))
    files["benchmark.toml"] = manifest("classification", "true")
    benchmark, run = read_one(tmp_path, files)
    assert run.ranking.similarity
    assert not [finding for finding in benchmark.findings if finding.severity is Severity.WARNING]


def test_non_numeric_values_are_counted(tmp_path):
    values = distances(QUERIES, IDS)
    values[3, 4] = values[3, 5] = np.nan
    values[5, 0] = -1
    benchmark, _ = read_one(tmp_path, {**benchmark_files(), "M.txt": matrix_text(values)})
    reported_findings = {(f.severity.value, f.message) for f in benchmark.findings if f.file == "M.txt"}
    assert ("warning", "2 distances are not a number (NaN), the first that of 'N8' for 'Q4'") in reported_findings
    assert ("info", "1 value is below 0") in reported_findings


def test_scores_and_curves_are_not_runs(tmp_path):
    files = {
        **benchmark_files(),
        "M.txt": matrix_text(distances()),
        "scores.txt": "0.5 0.25 0.125\n",
        "curve.plot": "".join(f"{0.05 * (1 + k):.2f}\t{1 / (1 + k):.3f}\n" for k in range(20)),
        "table.csv": "run,query,P\nM,Q1,0.5\nM,Q2,0.25\n",
        "README.md": "# Read me\n\nThis is *prose* with numbers 1 2 3.\n",
    }
    benchmark, _ = read_one(tmp_path, files)
    assert [str(finding) for finding in benchmark.findings if finding.file == "."] == [
        ".: info: 4 files are not part of the benchmark: README.md, curve.plot, scores.txt, table.csv; ignored"
    ]
    assert not [finding for finding in benchmark.findings if finding.severity is not Severity.INFO]


def test_models_without_classification_are_in_file_order(tmp_path):
    files = {**mesh_files("shapes", NATURAL), "M.matrix": distances(NATURAL, NATURAL).astype("<f4").tobytes()}
    benchmark, run = read_one(tmp_path, files)
    assert benchmark.collection.ids == NATURAL
    assert benchmark.queries.are_members
    assert benchmark.assessment is None
    np.testing.assert_allclose(dense(benchmark, run.ranking), distances(NATURAL, NATURAL), atol=1e-6)


@pytest.mark.parametrize("name", ["M.npy", "M.matrix"])
def test_large_matrices_are_read_by_rows_and_small_ones_at_once(name, tmp_path, monkeypatch):
    raw = npy(distances()) if name == "M.npy" else distances().tobytes()
    path = tmp_path / name
    path.write_bytes(raw)
    small = matrix.in_memory(read_matrix(path).values)
    monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", 0)
    large = matrix.in_memory(read_matrix(path).values)
    assert (type(small), type(large)) == (np.ndarray, FileMatrix)
    assert not small.flags.writeable
    assert np.array_equal(small, large)
    path.write_bytes(b"")
    assert np.array_equal(small.reshape(distances().shape), distances())


LISTED = (*NATURAL[1::2], *NATURAL[::2])
LISTED_QUERIES = (*QUERIES[5:], *QUERIES[:5])


@pytest.mark.parametrize("name", ["M.txt", "M.npy", "M.matrix", "one_line.txt"])
@pytest.mark.parametrize(("rows", "columns"), [(QUERIES, LISTED), (LISTED_QUERIES, NATURAL), (QUERIES, LISTED[:20])])
def test_a_list_of_ids_is_the_order_of_columns_or_rows(rows, columns, name, tmp_path):
    """The only order that fits here, or one that nothing else would find."""
    if len(columns) < 24 and name in ("M.matrix", "one_line.txt"):
        pytest.skip("a file without lines says no number of columns")
    listed = rows if columns == NATURAL else columns
    toml = f'[[runs]]\npath = "{name}"\norder = "lists/order.txt"\n'
    files = {
        name: ENCODINGS[name](distances(rows, columns)),
        "lists/order.txt": "\n".join(listed),
        "benchmark.toml": toml,
    }
    benchmark, run = read_one(tmp_path, {**benchmark_files(), **files})
    expected = distances(QUERIES, IDS)
    expected[:, [IDS.index(item) for item in NATURAL if item not in columns]] = np.nan
    np.testing.assert_array_equal(dense(benchmark, run.ranking), expected)
    del files["benchmark.toml"]
    folder = write(tmp_path / "option", {**benchmark_files(), **files})
    options = ReadOptions(order=str(folder / "lists/order.txt"))
    (again,) = read_benchmark(folder, BenchmarkParts(runs=folder / name, read_options=options)).runs
    np.testing.assert_array_equal(dense(benchmark, again.ranking), expected)


def test_unknown_ids_of_a_list_are_named(tmp_path):
    toml = '[[runs]]\npath = "M.txt"\norder = "o.txt"\n'
    files = {"M.txt": matrix_text(distances()), "benchmark.toml": toml, "o.txt": "\n".join((*NATURAL[:23], "x9"))}
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), **files}))
    assert any("(1 unknown id: x9)" in str(found) for found in benchmark.findings)


def test_a_list_that_is_no_order_is_an_error(tmp_path):
    for number, (order, text, words) in enumerate([
        ("namez", None, "is no file; an order is one of classification, names, numbers, characters, or a list of ids"),
        ("o.txt", "N1\nN2\n", "order 'o.txt' does not fit its 24 columns; it lists 2 ids; "),
        ("o.txt", "\n".join(f"x{at}" for at in range(24)), "24 ids, and 'x0' is neither a model nor a query; "),
        ("o.txt", "N1\nN1\n", "'N1' is repeated"),
    ]):  # fmt: skip
        toml = f'[[runs]]\npath = "M.txt"\norder = "{order}"\n'
        files = {**benchmark_files(), "M.txt": matrix_text(distances()), "benchmark.toml": toml}
        benchmark = read_benchmark(write(tmp_path / str(number), files if text is None else {**files, "o.txt": text}))
        assert not benchmark.runs
        assert any(words in found.message for found in benchmark.findings if found.severity is Severity.ERROR), words
