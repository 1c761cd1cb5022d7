"""A run written in any format reads back as the same run where the format allows; else a finding says what is lost."""

from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_folders import IDS, QUERIES, benchmark_files, distances, list_files, matrix_text, write

from shrec_viewer import cli
from shrec_viewer.domain import (
    NO_VALUES,
    UNKNOWN_ITEM,
    Benchmark,
    Collection,
    DistanceMatrix,
    FormatError,
    Queries,
    QueryKind,
    RankedLists,
    Run,
    Severity,
)
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.runs import writers
from shrec_viewer.formats.runs.writers import WRITERS
from shrec_viewer.formats.runs.written_formats import WrittenFormat
from shrec_viewer.metrics import PROFILES, find_profile

SUFFIXES = {"trec": ".run", "ranklist": "", "npy": ".npy", "text": ".txt", "matrix": ".matrix", "submission": ".csv"}
MATRICES = ("npy", "text", "matrix")
BY_KEY = {writer.key: writer for writer in WRITERS}
DEFAULT = find_profile("default")
N_QUERIES, N_MODELS = len(QUERIES), len(IDS)


def benchmark_of(run, ids=IDS, queries=QUERIES):
    outside = np.full(len(queries), -1, np.int32)
    query_names = Queries(queries, (None,) * len(queries), (QueryKind.NONE,) * len(queries), outside, outside)
    return Benchmark("B", Path(), Collection(ids, (None,) * len(ids)), query_names, runs=(run,))


def run_of(ranking):
    return Run("My run", "Me", Path("x"), ranking)


def lists(items_by_query, far=None, n_queries=N_QUERIES):
    """A run of lists; items_by_query: {query: items}; far: {query: distances}."""
    lengths = [len(items_by_query.get(query, ())) for query in range(n_queries)]
    flat = [item for query in range(n_queries) for item in items_by_query.get(query, ())]
    values = [value for query in range(n_queries) for value in far.get(query, ())] if far is not None else None
    return RankedLists(
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.array(flat, np.int32),
        np.array(values, np.float64) if values is not None else None,
        np.array([query in items_by_query for query in range(n_queries)]),
    )


def written(key, ranking, tmp_path, **names):
    """Write a run, read it back; the run read, and what was said on writing."""
    run = run_of(ranking)
    folder = write(tmp_path / "b", benchmark_files())
    target = folder / f"runs/W{SUFFIXES[key]}"
    target.parent.mkdir(exist_ok=True)
    findings_log = FindingsLog(folder)
    BY_KEY[key].write(run, benchmark_of(run, **names), target, findings_log)
    (folder / "benchmark.toml").write_text(
        f'[collection]\nclassification = "classes.cla"\n[[runs]]\npath = "runs/{target.name}"\n'
        + ('order = "classification"\n' if key in MATRICES else "")
    )
    benchmark = read_benchmark(folder)
    assert benchmark.collection.ids == IDS
    (back,) = benchmark.runs
    return back, [(finding.severity, finding.message) for finding in findings_log.findings]


def answers_of(ranking):
    found = {}
    for query in np.flatnonzero(ranking.present).tolist():
        rows = ranking.rows(query)
        far = ranking.distances[rows].tolist() if ranking.distances is not None else None
        found[query] = (ranking.items[rows].tolist(), far)
    return found


@st.composite
def rankings(draw, ties=False):
    """Lists with rising distances of full precision; some queries missing, lists short."""
    items_by_query, far = {}, {}
    for query in draw(st.sets(st.integers(0, N_QUERIES - 1), min_size=1)):
        items_by_query[query] = draw(st.permutations(range(N_MODELS)))[: draw(st.integers(2, N_MODELS))]
        size = len(items_by_query[query])
        values = st.floats(0, 1e6, allow_subnormal=False)
        far[query] = sorted(draw(st.lists(values, min_size=size, max_size=size, unique=not ties)))
    return lists(items_by_query, far)


@settings(max_examples=25, deadline=None)
@given(ranking=rankings(ties=True))
def test_lists_survive_as_rank_lists_and_trec_to_the_last_bit(ranking, tmp_path_factory):
    for key in ("ranklist", "trec"):
        back, _ = written(key, ranking, tmp_path_factory.mktemp(key))
        assert answers_of(back.ranking) == answers_of(ranking)


@settings(max_examples=25, deadline=None)
@given(ranking=rankings())
def test_complete_lists_survive_as_a_matrix(ranking, tmp_path_factory):
    whole = {query: (items, far) for query, (items, far) in answers_of(ranking).items()}
    for query, (items, far) in whole.items():
        rest = [item for item in range(N_MODELS) if item not in items]
        whole[query] = (items + rest, far + [2e6 + place for place in range(len(rest))])
    ranking = lists({query: items for query, (items, _) in whole.items()}, {q: far for q, (_, far) in whole.items()})
    for key in ("npy", "text"):
        back, reported_findings = written(key, ranking, tmp_path_factory.mktemp(key))
        for query, (items, far) in whole.items():
            values = back.ranking.values[back.ranking.rows[query]]
            assert back.ranking.columns[np.argsort(values, kind="stable")].tolist() == items
            assert np.sort(values).tolist() == far
        lost = [message for severity, message in reported_findings if severity is not Severity.INFO]
        assert bool(lost) == (len(whole) < N_QUERIES)


@settings(max_examples=25, deadline=None)
@given(ranking=rankings(ties=True))
def test_submission_keeps_orders_and_reports_lost_distances(ranking, tmp_path_factory):
    long = {query: items for query, (items, _) in answers_of(ranking).items() if len(items) > 3}
    if long:
        bare = lists(long, {query: sorted(float(item) for item in items) for query, items in long.items()})
        back, reported_findings = written("submission", bare, tmp_path_factory.mktemp("csv"))
        assert {query: items for query, (items, _) in answers_of(back.ranking).items()} == long
        assert reported_findings == [(Severity.WARNING, "the format has no distances")]


def test_values_beyond_float32_are_reported(tmp_path):
    far = distances(QUERIES, IDS)
    whole = DistanceMatrix(far, np.arange(N_QUERIES, dtype=np.int32), np.arange(N_MODELS, dtype=np.int32))
    back, reported_findings = written("matrix", whole, tmp_path / "a")
    assert {severity for severity, _ in reported_findings} == {Severity.INFO}
    np.testing.assert_array_equal(back.ranking.values, far)
    fine = DistanceMatrix(far + 1e-9, whole.rows, whole.columns)
    _, reported_findings = written("matrix", fine, tmp_path / "b")
    assert (Severity.WARNING, "288 distances have more digits than float32") in reported_findings
    with pytest.raises(FormatError, match="not representable in the format: models that are not in a list"):
        BY_KEY["matrix"].write(run_of(lists({0: [1, 2]})), benchmark_of(run_of(lists({0: [1]}))), tmp_path / "c.matrix",
                               FindingsLog(tmp_path))  # fmt: skip
    assert not (tmp_path / "c.matrix").exists()


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8"])
def test_a_matrix_survives_in_every_format(dtype, tmp_path):
    values = distances(QUERIES, IDS).astype(dtype)
    rows = np.arange(N_QUERIES, dtype=np.int32)[::-1]
    columns = np.roll(np.arange(N_MODELS, dtype=np.int32), 5)
    matrix = DistanceMatrix(values[::-1][:, columns], rows.copy(), columns)
    for key in BY_KEY:
        back, reported_findings = written(key, matrix, tmp_path / key)
        if key == "submission":
            continue
        assert {severity for severity, _ in reported_findings} <= {Severity.INFO}
        if key in MATRICES:
            np.testing.assert_array_equal(back.ranking.values[back.ranking.rows], values)
        if key == "npy":
            assert back.ranking.values.dtype == np.dtype(dtype).newbyteorder("=")
        if key in MATRICES:
            continue
        for query, (items, far) in answers_of(back.ranking).items():
            assert far == values[query, items].astype(np.float64).tolist() == sorted(values[query].tolist())


@pytest.mark.parametrize("key", ["npy", "text"])
def test_a_run_without_some_models_and_queries_has_the_same_scores_when_written(key, tmp_path):
    """NaN for a whole row or column: no list, no model of the run; read as written with ``cells = "distances"``."""
    columns = np.array([item for item in range(N_MODELS) if item not in (3, 7)], np.int32)
    rows = np.arange(N_QUERIES, dtype=np.int32)
    rows[2] = -1
    values = distances(QUERIES, IDS)[:, columns]
    back, reported_findings = written(key, DistanceMatrix(values, rows, columns), tmp_path)
    assert (Severity.WARNING, "2 models have no distance in the run: N14, N24") in reported_findings
    assert np.flatnonzero(~back.present).tolist() == [2]
    assert np.flatnonzero(back.ranking.columns == NO_VALUES).tolist() == [3, 7]
    benchmark = read_benchmark(tmp_path / "b")
    given = replace(benchmark, runs=(replace(back, ranking=DistanceMatrix(values, rows, columns)),))
    for profile in PROFILES:
        want, found = (evaluate(one, profile, measures=["AP", "NDCG", "R", "FN", "P@10"]) for one in (given, benchmark))
        np.testing.assert_array_equal(found.values, want.values, err_msg=profile.key)
    texts = [f"{found.message}; {found.action_with_option}" for found in benchmark.findings if "NaN" in str(found)]
    assert [text.split(" no number, only NaN: ")[1].split("; ")[0] for text in texts] == ["Q3", "N14, N24"]
    assert all("--matrix-cells distances" in text for text in texts)
    toml = tmp_path / "b/benchmark.toml"
    toml.write_text(toml.read_text() + 'cells = "distances"\n')
    ranked = read_benchmark(tmp_path / "b")
    assert ranked.runs[0].present.all()
    assert any(found.message.startswith("46 distances are not a number") for found in ranked.findings)
    assert evaluate(ranked, DEFAULT, measures=["R"]).mean()[0, 0] == 1 > found.mean()[0, 2]


def test_similarities_are_written_as_their_negatives(tmp_path):
    similar = 1 - distances(QUERIES, IDS)
    matrix = DistanceMatrix(similar, np.arange(12, dtype=np.int32), np.arange(24, dtype=np.int32), similarity=True)
    for key in BY_KEY:
        back, reported_findings = written(key, matrix, tmp_path / key)
        assert [message for _, message in reported_findings].count("similarities in the run") == 1
        if key in MATRICES:
            np.testing.assert_array_equal(back.ranking.values, -similar)
        elif key != "submission":
            assert answers_of(back.ranking)[3][1] == sorted((-similar[3]).tolist())


def test_lists_without_distances(tmp_path):
    ranking = lists({0: [3, 1, 2], 1: [5, 4, 0]})
    back, _ = written("ranklist", ranking, tmp_path / "a")
    assert answers_of(back.ranking) == answers_of(ranking)
    back, reported_findings = written("trec", ranking, tmp_path / "b")
    assert {query: items for query, (items, _) in answers_of(back.ranking).items()} == {0: [3, 1, 2], 1: [5, 4, 0]}
    assert reported_findings == [(Severity.INFO, "the run has no distances")]
    back, reported_findings = written("npy", ranking, tmp_path / "c")
    assert back.ranking.values[0, [3, 1, 2]].tolist() == [1, 2, 3]
    assert np.isinf(back.ranking.values[0]).sum() == 21
    assert np.isnan(back.ranking.values[2:]).all()
    assert [message for severity, message in reported_findings if severity is Severity.WARNING] == [
        "2 lists name fewer than all models",
        "10 queries have no list: Q3, Q4, Q5, Q6, Q7, Q8, Q9, Q10 and 2 more",
    ]


def test_information_lost_by_a_format_is_a_finding(tmp_path):
    """Unknown and repeated ids, falling distances, NaN, ties, an empty list."""
    far = {0: [0.5, 0.25, 0.75], 1: [0.5, np.nan, 0.75], 2: [0.5, 0.5, 0.5], 3: []}
    ranking = lists({0: [3, UNKNOWN_ITEM, 2], 1: [5, 4, 5], 2: [9, 8, 7], 3: []}, far)
    back, reported_findings = written("trec", ranking, tmp_path / "a")
    assert [(severity.value, message) for severity, message in reported_findings] == [
        ("warning", "1 id not in the collection"),
        ("warning", "1 duplicate model in lists"),
        ("warning", "some distances not in ascending order"),
        ("warning", "1 query has an empty list: Q4"),
    ]
    assert [items for items, _ in answers_of(back.ranking).values()] == [[3, 2], [5, 4], [9, 8, 7]]
    back, reported_findings = written("ranklist", ranking, tmp_path / "b")
    assert [message for _, message in reported_findings] == ["1 id not in the collection"]
    assert [items for items, _ in answers_of(back.ranking).values()] == [[3, 2], [5, 4, 5], [9, 8, 7], []]
    tied = lists({2: [9, 8, 7]}, {2: [0.5, 0.5, 0.5 + 1e-9]})
    _, reported_findings = written("trec", tied, tmp_path / "c")
    assert [message for _, message in reported_findings] == [
        "2 scores equal the previous one in the precision of evaluators"
    ]
    back, reported_findings = written("npy", tied, tmp_path / "d")
    assert back.ranking.values[2, [9, 8, 7]].tolist() == [1, 2, 3]
    assert "the distances do not give the order of the lists" in [message for _, message in reported_findings]


@pytest.mark.parametrize(
    ("key", "ids", "queries", "why"),
    [
        ("trec", ("a b", *IDS[1:]), QUERIES, "the model or query 'a b' has a blank in it"),
        ("trec", IDS, ("row 1", *QUERIES[1:]), "the model or query 'row 1' has a blank in it"),
        ("ranklist", ("a\tb", *IDS[1:]), QUERIES, "the model 'a\tb' has a blank in it"),
        ("ranklist", IDS, ("../Q1", *QUERIES[1:]), "the query '../Q1' has letters in it that a file name cannot have"),
        ("ranklist", IDS, ("a/b", *QUERIES[1:]), "the query 'a/b' has letters"),
        ("ranklist", IDS, ("..", *QUERIES[1:]), "the query '..' has letters"),
    ],
)
def test_unrepresentable_ids_are_refused_before_writing(key, ids, queries, why, tmp_path):
    run = run_of(lists({0: [0]}))
    with pytest.raises(FormatError, match=why):
        BY_KEY[key].write(run, benchmark_of(run, ids, queries), tmp_path / "out", FindingsLog(tmp_path))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("key", BY_KEY)
def test_failed_write_keeps_the_old_file(key, tmp_path, monkeypatch):
    run = run_of(lists({0: [3, 1, 2], 1: [5, 4, 0]}))
    target = tmp_path / "out"
    if key != "ranklist":
        target.write_text("old")

    def broken(run):
        yield next(iter(found))
        raise OSError(28, "No space left on device")

    found = list(writers.exported_lists(run))
    monkeypatch.setattr(writers, "exported_lists", broken)
    with pytest.raises(FormatError, match="out: cannot be written: no space left on device"):
        BY_KEY[key].write(run, benchmark_of(run), target, FindingsLog(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ([] if key == "ranklist" else ["out"])
    assert key == "ranklist" or target.read_text() == "old"


def test_folder_with_content_is_not_overwritten(tmp_path):
    run = run_of(lists({0: [3, 1, 2]}))
    (tmp_path / "out").mkdir()
    BY_KEY["ranklist"].write(run, benchmark_of(run), tmp_path / "out", FindingsLog(tmp_path))
    assert (tmp_path / "out/Q1").read_text().split() == [IDS[3], IDS[1], IDS[2]]
    with pytest.raises(FormatError, match="exists already"):
        BY_KEY["ranklist"].write(run, benchmark_of(run), tmp_path / "out", FindingsLog(tmp_path))
    for key in ("trec", *MATRICES, "submission"):
        with pytest.raises(FormatError, match="is a folder"):
            BY_KEY[key].write(run, benchmark_of(run), tmp_path / "out", FindingsLog(tmp_path))


def test_convert_command_writes_the_file(tmp_path, capsys):
    assert tuple(BY_KEY) == get_args(WrittenFormat)
    folder = write(tmp_path / "b", {**benchmark_files(), **list_files("runs/A1"), "M.txt": matrix_text(distances())})
    for key in BY_KEY:
        target = tmp_path / key
        assert cli.main(["convert", str(folder), "--run", "A1", "--to", key, "--output", str(target)]) == 0
        assert target.exists()
        assert "run 'A1' with 12 of 12 queries" in capsys.readouterr().err
    assert cli.main(["convert", str(folder), "--to", "npy", "--output", str(tmp_path / "x")]) == 2
    assert "there are 2 runs; select one with --run: A1, M" in capsys.readouterr().err
    assert cli.main(["convert", str(folder), "--run", "A2", "--to", "npy", "--output", str(tmp_path / "x")]) == 2
    assert "there is no run 'A2'" in capsys.readouterr().err
    assert cli.main(["convert", str(folder), "--run", "A1", "--to", "ranklist", "--output", str(folder)]) == 2
    assert "is a folder with models or queries of this benchmark, and is not replaced" in capsys.readouterr().err
    assert not list(tmp_path.glob(".*.part"))
