"""Matrices that name their rows and columns are placed by these names, whatever their order."""

import numpy as np
import pytest
from made_folders import IDS, NATURAL, QUERIES, benchmark_files, cla, distances, order, write

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.discovery.benchmark import read_benchmark

ROWS, COLUMNS = QUERIES[::-1], IDS[5:] + IDS[:5]


def table(rows=ROWS, columns=COLUMNS, separator=",", comma=False, corner="", header=True, index=True) -> str:
    """Text of a matrix with ids."""
    lines = [[*([corner] if corner is not None and index else []), *columns]] if header else []
    for name, line in zip(rows, distances(rows, columns), strict=True):
        words = [f"{value:.6f}".replace(".", "," if comma else ".") for value in line]
        lines.append([*([name] if index else []), *words])
    return "".join(separator.join(line) + "\n" for line in lines)


DIALECTS = {
    "pandas": {},
    "excel": {"separator": ";", "comma": True, "corner": "Modell"},
    "tabs": {"separator": "\t", "corner": "id"},
    "R": {"separator": " ", "corner": None},
}


def ranked(benchmark, run, query):
    ranking = run.ranking
    line = ranking.values[ranking.rows[query]]
    return [benchmark.collection.ids[ranking.columns[place]] for place in np.argsort(line)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_ids_define_rows_and_columns(dialect, tmp_path):
    files = {**benchmark_files(), "A1.csv": table(**DIALECTS[dialect])}
    benchmark = read_benchmark(write(tmp_path, files))
    (run,) = benchmark.runs
    for query, name in enumerate(benchmark.queries.ids):
        assert ranked(benchmark, run, query) == order(name)
    reported_findings = [finding for finding in benchmark.findings if finding.file == "A1.csv"]
    assert [(f.severity, f.message, f.action) for f in reported_findings] == [
        ("info", "matrix of 12 x 24", "ordered by the ids of its columns and rows")
    ]


def self_files():
    return {"classes.cla": cla()}


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        ({"index": False}, "only the columns have labels; the rows are assumed to be in the same order"),
        ({"header": False}, "only the rows have labels; the columns are assumed to be in the same order"),
    ],
)
def test_one_named_side_of_a_square_matrix_tells_the_other(sides, message, tmp_path):
    shuffled = NATURAL[7:] + NATURAL[:7]
    write(tmp_path, {**self_files(), "m.csv": table(shuffled, shuffled, **sides)})
    benchmark = read_benchmark(tmp_path)
    (run,) = benchmark.runs
    for query, name in enumerate(benchmark.queries.ids):
        assert ranked(benchmark, run, query)[0] == name
    assert message in [f"{finding.message}; {finding.action}" for finding in benchmark.findings]


def test_a_count_instead_of_ids_is_left_away(tmp_path):
    """What pandas writes where it knows no names: the order of the classification, for once, is the usual one."""
    count = [str(place) for place in range(24)]
    text = table(NATURAL, NATURAL)
    lines = [line.split(",") for line in text.splitlines()]
    lines[0][1:] = count
    for place, line in enumerate(lines[1:]):
        line[0] = count[place]
    write(tmp_path, {**self_files(), "m.csv": "".join(",".join(line) + "\n" for line in lines)})
    benchmark = read_benchmark(tmp_path)
    (run,) = benchmark.runs
    for query, name in enumerate(benchmark.queries.ids):
        assert ranked(benchmark, run, query)[0] == name


def test_unknown_ids_are_an_error_with_examples(tmp_path):
    foreign = [f"X{place}" for place in range(24)]
    text = "\n".join([",".join(["", *foreign]), *table(NATURAL, NATURAL).splitlines()[1:]])
    text = "\n".join([text.splitlines()[0], *(f"Y{line}" for line in text.splitlines()[1:])])
    benchmark = read_benchmark(write(tmp_path, {**self_files(), "m.csv": text}))
    assert benchmark.runs == ()
    (finding,) = [finding for finding in benchmark.findings if finding.file == "m.csv"]
    assert (finding.severity, finding.message) == (
        "error",
        "its columns are labelled 'X0' to 'X23', but 'N9' is a model here; by the number in it plus 1 'X0' would be "
        "'N1'",
    )


def test_unknown_and_missing_ids_are_reported(tmp_path):
    columns = (*COLUMNS[1:], "N99")
    text = table(ROWS[1:]).replace(COLUMNS[0], "N99", 1)
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), "m.csv": text}))
    (run,) = benchmark.runs
    assert int(run.ranking.present.sum()) == 11
    reported_findings = {finding.message for finding in benchmark.findings if finding.file == "m.csv"}
    assert {
        "1 column is of an unknown model: N99",
        f"1 model has no column: {COLUMNS[0]}",
        f"1 query has no list: {ROWS[0]}",
    } <= reported_findings
    assert len(columns) == 24


def test_without_truth_the_ids_are_the_collection(tmp_path):
    benchmark = read_benchmark(write(tmp_path, {"m.csv": table()}))
    assert benchmark.collection.ids == NATURAL
    assert set(benchmark.queries.ids) == set(QUERIES)
    (run,) = benchmark.runs
    assert ranked(benchmark, run, benchmark.queries.ids.index("Q3")) == order("Q3")


def test_first_line_longer_than_the_head_is_recognised(tmp_path):
    names = [f"a_rather_long_name_of_a_model_{place:05d}" for place in range(300)]
    random = np.random.default_rng(3)
    lines = [",".join(["", *names])]
    lines += [",".join([name, *(f"{value:.4f}" for value in random.random(300))]) for name in names]
    benchmark = read_benchmark(write(tmp_path, {"m.csv": "\n".join(lines)}))
    assert len(benchmark.collection) == 300
    assert len(benchmark.runs) == 1


def test_whole_distances_between_models_are_read(tmp_path):
    lines = ["," + ",".join(COLUMNS)]
    for name, line in zip(COLUMNS, distances(COLUMNS, COLUMNS), strict=True):
        lines.append(",".join([name, *(str(int(1000 * value)) for value in line)]))
    benchmark = read_benchmark(write(tmp_path, {**self_files(), "m.csv": "\n".join(lines)}))
    (run,) = benchmark.runs
    for query, name in enumerate(benchmark.queries.ids):
        assert ranked(benchmark, run, query)[0] == name


def test_matrix_with_queries_in_the_first_line_is_transposed(tmp_path):
    lines = ["," + ",".join(ROWS)]
    for name, line in zip(COLUMNS, distances(ROWS, COLUMNS).T, strict=True):
        lines.append(",".join([name, *(f"{value:.6f}" for value in line)]))
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), "m.csv": "\n".join(lines)}))
    (run,) = benchmark.runs
    assert ranked(benchmark, run, benchmark.queries.ids.index("Q5")) == order("Q5")
    assert ("warning", "its rows are models and its columns are queries") in [
        (finding.severity, finding.message) for finding in benchmark.findings
    ]


SCORES = "run,NN,FT,ST,AP\n" + "".join(f"M{place},0.{place + 1},0.5,0.25,0.4\n" for place in range(6))


def test_tables_of_scores_and_of_features_of_queries_are_no_runs(tmp_path):
    features = "".join(f"{name},{',0.5' * 7},0.{place}\n".replace(",,", ",") for place, name in enumerate(QUERIES))
    files = {**benchmark_files(), "m.csv": table(QUERIES, NATURAL), "scores.csv": SCORES, "features.csv": features}
    benchmark = read_benchmark(write(tmp_path, files))
    assert [run.name for run in benchmark.runs] == ["m"]
    (reported,) = [finding for finding in benchmark.findings if finding.file == "features.csv"]
    assert (reported.severity, reported.action) == (
        "warning",
        "treated as features of queries without those of models; ignored",
    )
    assert not benchmark.has_errors


def test_a_table_of_scores_alone_is_no_benchmark(tmp_path):
    with pytest.raises(FormatError, match=r"begins with 'run,NN,FT,ST,AP'"):
        read_benchmark(write(tmp_path, {"scores.csv": SCORES}))


def test_repeated_id_is_an_error(tmp_path):
    text = table(NATURAL, NATURAL).replace("\nN2,", "\nN1,", 1)
    benchmark = read_benchmark(write(tmp_path, {**self_files(), "m.csv": text}))
    (run,) = benchmark.runs
    assert int(run.ranking.present.sum()) == 23
    assert "1 row has the id of another: N1" in [finding.message for finding in benchmark.findings]
