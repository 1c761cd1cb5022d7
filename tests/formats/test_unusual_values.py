"""NaN, infinities and overflow: the same ranking and the same finding in every format of runs."""

import io
import json

import numpy as np
import pytest
from made_folders import NATURAL, QUERIES, benchmark_files, distances, npy, write

from shrec_viewer.domain import DistanceMatrix, Severity
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark
from shrec_viewer.metrics import find_profile, with_conventions

NAN = [(1, 3), (1, 7), (4, 0)]
FAR = [(2, 5), (6, 11)]
NEAR = [(3, 2)]
LARGE = [(5, 8), (5, 9)]


def unusual(*, large=True) -> np.ndarray:
    values = distances()
    for value, cells in ((np.nan, NAN), (np.inf, FAR), (-np.inf, NEAR), (1e39, LARGE if large else ())):
        for cell in cells:
            values[cell] = value
    return values


def word(value: float) -> str:
    """Infinity as overflow, as programs that print more digits than they can read write it."""
    return {np.inf: "1e999", -np.inf: "-1e999"}.get(value, "nan" if value != value else repr(float(value)))


def rows(values, separator, corner=""):
    named = bool(corner)
    lines = [separator.join([corner, *NATURAL])] if named else []
    for query, line in zip(QUERIES, values, strict=True):
        lines.append(separator.join([*([query] if named else []), *map(word, line)]))
    return "\n".join(lines) + "\n"


def mat4(values) -> bytes:
    header = np.array([0, *values.shape, 0, 2], "<u4").tobytes()
    return header + b"D\0" + values.astype("<f8").tobytes("F")


def npz(values) -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(stream, D=values)
    return stream.getvalue()


def ranked(values):
    """Query, model and distance, in the order of the distance, NaN last."""
    for query, line in zip(QUERIES, values, strict=True):
        for column in np.argsort(line, kind="stable"):
            yield query, NATURAL[column], line[column]


def trec(values) -> str:
    return "".join(f"{query} Q0 {model} 1 {word(-value)} A\n" for query, model, value in ranked(values))


def long_table(values) -> str:
    return "query,model,distance\n" + "".join(f"{q},{m},{word(value)}\n" for q, m, value in ranked(values))


def score_objects(values) -> str:
    found = {query: {} for query in QUERIES}
    for query, model, value in ranked(values):
        found[query][model] = -value
    return json.dumps(found).replace("Infinity", "1e999").replace("NaN", "null", 1)


def rank_lists(values):
    found = {}
    for query, model, value in ranked(values):
        name = f"runs/A/{query}"
        found[name] = found.get(name, "") + f"{model} {word(value)}\n"
    return found


FORMATS = {
    "text": lambda values: {"runs/A.txt": rows(values, " ")},
    "csv": lambda values: {"runs/A.csv": rows(values, ",")},
    "ids": lambda values: {"runs/A.csv": rows(values, ",", corner="id")},
    "npy": lambda values: {"runs/A.npy": npy(values)},
    "npz": lambda values: {"runs/A.npz": npz(values)},
    "mat": lambda values: {"runs/A.mat": mat4(values)},
    "binary": lambda values: {"runs/A.matrix": values.astype("<f8").tobytes()},
    "float32 .npy": lambda values: {"runs/A.npy": npy(values.astype("<f4"))},
    "float32 .matrix": lambda values: {"runs/A.matrix": values.astype("<f4").tobytes()},
    "big-endian": lambda values: {"runs/A.matrix": values.astype(">f4").tobytes()},
    "trec": lambda values: {"runs/A.run": trec(values)},
    "long": lambda values: {"runs/A.csv": long_table(values)},
    "json": lambda values: {"runs/A.json": score_objects(values)},
    "lists": rank_lists,
}
FLOAT32 = {"float32 .npy", "float32 .matrix", "big-endian"}

EXPECTED = {
    (3, "3 distances are not a number (NaN), the first that of 'N8' for 'Q2'"),
    (2, "2 distances are infinite, the farthest, the first that of 'N6' for 'Q3'"),
    (1, "1 distance is infinite, the nearest, the first that of 'N3' for 'Q4'"),
    (2, "2 distances are beyond the range of float32, the first that of 'N9' for 'Q6'"),
}


def opened(folder, files):
    labelled = isinstance(files.get("runs/A.csv"), str) and files["runs/A.csv"].startswith("id,")
    options = ReadOptions() if labelled else ReadOptions(order="names")
    return read_benchmark(write(folder, {**benchmark_files(), **files}), BenchmarkParts(read_options=options))


def unusual_findings(benchmark):
    return [f for f in benchmark.findings if "(NaN)" in f.message or "infinite" in f.message or "float32" in f.message]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_the_same_findings_and_scores(name, tmp_path):
    values = unusual(large=name not in FLOAT32)
    benchmark = opened(tmp_path / "own", FORMATS[name](values))
    (run,) = benchmark.runs
    expected = {entry for entry in EXPECTED if name not in FLOAT32 or "float32" not in entry[1]}
    found = unusual_findings(benchmark)
    assert {(finding.count, finding.message) for finding in found} == expected
    assert len(found) == len(expected)
    assert all(finding.severity is Severity.WARNING for finding in found)
    reference = opened(tmp_path / "reference", FORMATS["npy"](values))
    by_matrix, by_format = (
        evaluate(one, find_profile("default"), measures=["AP", "NDCG", "NN", "FT"]) for one in (reference, benchmark)
    )
    assert by_matrix.values.tolist() == by_format.values.tolist()
    if isinstance(run.ranking, DistanceMatrix) or run.ranking.by_score:
        actions = {finding.message: finding.action for finding in unusual_findings(reference)}
        assert {finding.message: finding.action for finding in found} == actions
    else:
        assert {finding.action for finding in found} == {"file order is the ranking"}


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"lists"}))
@pytest.mark.parametrize("convention", ["not_a_number", "infinite"])
def test_formats_that_rank_by_distance_drop_the_same_models(name, convention, tmp_path):
    values = unusual(large=name not in FLOAT32)
    profile = with_conventions(find_profile("default"), {convention: "drop"})
    reference = opened(tmp_path / "reference", FORMATS["npy"](values))
    benchmark = opened(tmp_path / "own", FORMATS[name](values))
    scores = [evaluate(one, profile, measures=["AP", "NDCG", "R"]).values.tolist() for one in (reference, benchmark)]
    assert scores[0] == scores[1]
    assert scores[0] != evaluate(reference, find_profile("default"), measures=["AP", "NDCG", "R"]).values.tolist()


def test_similarities_count_as_their_negative_distances(tmp_path):
    files = {**benchmark_files(), "runs/A.npy": npy(-unusual())}
    options = ReadOptions(order="names", similarity=True)
    benchmark = read_benchmark(write(tmp_path, files), BenchmarkParts(read_options=options))
    assert {(finding.count, finding.message) for finding in unusual_findings(benchmark)} == EXPECTED


def test_marked_distances_of_models_to_themselves_are_a_note(tmp_path):
    from made_folders import IDS, cla

    values = distances(rows=NATURAL)
    np.fill_diagonal(values, np.inf)
    benchmark = read_benchmark(
        write(tmp_path, {"test.cla": cla(), "A.npy": npy(values)}),
        BenchmarkParts(read_options=ReadOptions(order="names")),
    )
    (found,) = unusual_findings(benchmark)
    assert found.severity is Severity.INFO
    assert found.count == len(IDS)
    assert found.message.endswith(f"the first that of '{IDS[0]}' for '{IDS[0]}'; all are of models to themselves")


def test_a_list_names_its_file_and_line(tmp_path):
    benchmark = opened(tmp_path, rank_lists(unusual()))
    (far,) = [finding for finding in unusual_findings(benchmark) if "farthest" in finding.message]
    text = (tmp_path / "runs/A/Q3").read_text().split("\n")
    assert far.file == "runs/A/Q3"
    assert text[far.line - 1].startswith("N6 1e999")
