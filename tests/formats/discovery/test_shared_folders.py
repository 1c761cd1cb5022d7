"""Every real folder opens, as what it is, with findings that say so."""

import csv
import time
from pathlib import Path

import numpy as np
import pytest

from shrec_viewer.domain import (
    ClassAssessment,
    DistanceMatrix,
    FormatError,
    PairAssessment,
    QueryKind,
    RankedLists,
    Severity,
)
from shrec_viewer.formats.core.ids import natural_key
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark

DATA = Path(__file__).parents[3] / "../shared/data"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the real test data is not available")


def grave(benchmark):
    return {f"{f.location}: {f.message}" for f in benchmark.findings if f.severity is not Severity.INFO}


@pytest.fixture(scope="module")
def shrec06():
    return read_benchmark(DATA / "shrec06")


def test_shrec06_matches_its_readme(shrec06):
    assert (shrec06.name, shrec06.profile, len(shrec06.collection)) == ("shrec06", "default", 1814)
    assert shrec06.queries.ids == tuple(f"Q{number:02}" for number in range(1, 31))
    assert set(shrec06.queries.kinds) == {QueryKind.MODEL}
    assert (shrec06.queries.member == -1).all()
    assert sum(path is None for path in shrec06.collection.paths) == 5
    assert all(
        path.stem == name
        for path, name in zip(shrec06.collection.paths, shrec06.collection.ids, strict=True)
        if path is not None
    )
    assert (len(shrec06.classification.names), len(shrec06.classification.leaves)) == (197, 161)
    assert not shrec06.has_errors


def test_shrec06_has_the_level_counts_of_its_table(shrec06):
    assert isinstance(shrec06.assessment, PairAssessment)
    assert shrec06.assessment.levels == (1, 2)
    rows = [line.split(",") for line in (DATA / "shrec06/queries.csv").read_text().splitlines()[1:]]
    for query, row in enumerate(rows):
        _, level = shrec06.assessment.relevant(query)
        assert [int((level == 2).sum()), int((level == 1).sum())] == [int(row[6]), int(row[7])]
        assert shrec06.classification.names[shrec06.queries.labels[query]] == row[3]


def test_shrec06_has_thirteen_runs_of_eight_participants(shrec06):
    assert [run.name for run in shrec06.runs] == "A1 A2 B1 B2 B3 E2 F1 F2 G1 H1 K1 K2 R1".split()  # noqa: SIM905
    assert [run.participant for run in shrec06.runs] == [f"Participant {run.name[0]}" for run in shrec06.runs]
    kinds = {run.name: type(run.ranking) for run in shrec06.runs}
    assert {name for name, kind in kinds.items() if kind is DistanceMatrix} == {"F2", "H1"}
    lengths = {
        run.name: set(np.diff(run.ranking.indptr).tolist())
        for run in shrec06.runs
        if isinstance(run.ranking, RankedLists) and run.name != "K2"
    }
    full, cut = {1809}, {200}
    assert lengths == {
        **dict.fromkeys(("A1", "A2", "F1", "G1", "K1", "R1"), full),
        **dict.fromkeys(("B1", "B2", "B3"), cut),
        "E2": {1802},
    }


@pytest.mark.parametrize("run", ["A1", "A2", "B1", "B2", "B3", "E2", "G1", "K1", "R1"])
def test_shrec06_lists_are_those_of_the_files_word_by_word(shrec06, run):
    """Read a second time in the simplest way: the word that begins with N, in the order of the lines."""
    lists = shrec06.run(run).ranking
    for query, name in enumerate(shrec06.queries.ids):
        words = (DATA / "shrec06/runs" / run / name).read_text().split()
        expected = [word for word in words if word.startswith("N")]
        assert [shrec06.collection.ids[item] for item in lists.items[lists.rows(query)]] == expected
        if lists.distances is not None:
            numbers = [float(word) for word in words if not word.startswith(("N", "Q"))]
            assert lists.distances[lists.rows(query)].tolist() == numbers


def test_shrec06_trec_run_is_ordered_by_score(shrec06):
    lists = shrec06.run("F1").ranking
    assert lists.by_score
    for query in range(30):
        assert np.all(np.diff(lists.distances[lists.rows(query)]) >= 0)
    assert shrec06.collection.ids[lists.items[0]] == "N0985"
    assert lists.distances[0] == 0.342628


def test_shrec06_columns_are_in_the_orders_that_the_readme_names(shrec06):
    ids = shrec06.collection.ids
    files = sorted((path.stem for path in (DATA / "shrec06/models").iterdir()), key=natural_key)
    f2, h1 = shrec06.run("F2").ranking, shrec06.run("H1").ranking
    assert [ids[column] for column in f2.columns] == files
    assert [ids[column] for column in h1.columns] == sorted(ids, key=natural_key)
    assert f2.rows.tolist() == h1.rows.tolist() == list(range(30))
    assert (f2.values.dtype, f2.values.shape, float(f2.values[0, 0])) == (np.float64, (30, 1809), 0.483128)
    assert not h1.values.flags.writeable
    reported_findings = {
        f.file: f.action_with_option
        for f in shrec06.findings
        if f.file in ("runs/F2.txt", "runs/H1.npy") and "matrix" in f.message
    }
    assert reported_findings["runs/F2.txt"].startswith("columns: natural order of the 1,809 file names")
    assert reported_findings["runs/H1.npy"].startswith("columns: natural order of all ids")
    assert reported_findings["runs/H1.npy"].endswith(
        'in benchmark.toml:\n    [[runs]]\n    path = "runs/H1.npy"\n    order = "classification"'
    )


def test_shrec06_findings_besides_k2(shrec06):
    assert {reported_findings for reported_findings in grave(shrec06) if "K2" not in reported_findings} == {
        "classification.cla: 5 models have no file: N0130, N0535, N0599, N0739, N1079",
        "runs/R1: the mean relative rank of relevant models is 49.5 % (AP 0.046): no better than by chance",
    }
    short = {f.file: f.message for f in shrec06.findings if f.message.startswith("the lists name")}
    assert set(short) == {"runs/B1", "runs/B2", "runs/B3", "runs/E2"}
    assert short["runs/B1"] == "the lists name 200 of 1,809 models with a file"
    named = {"N0058", "N0452", "N0580", "N0583", "N0835", "N0985", "N1050"}
    assert short["runs/E2"].startswith("the lists name 1,802 of 1,809 models with a file, never ")
    assert set(short["runs/E2"].split("never ")[1].split(", ")) == named


def test_shrec06_reading_time_is_a_few_times_that_of_split():
    """A ratio in one process, so that a busy machine does not matter; 4.3 when written."""
    lists = [path for path in (DATA / "shrec06/runs").glob("*/*") if path.is_file()]

    def plain() -> None:
        for path in lists:
            for line in path.read_text().splitlines():
                words = line.split()
                [float(word) for word in words if word[0] not in "NQ"]

    def measured(work) -> float:
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            work()
            best = min(best, time.process_time() - start)
        return best

    assert measured(lambda: read_benchmark(DATA / "shrec06")) < 10 * measured(plain)


def test_psb_queries_itself():
    benchmark = read_benchmark(DATA / "psb_d2")
    assert benchmark.queries.are_members
    assert (len(benchmark.collection), len(benchmark.classification.leaves)) == (907, 92)
    assert isinstance(benchmark.assessment, ClassAssessment)
    assert not benchmark.assessment.graded
    (run,) = benchmark.runs
    assert run.ranking.rows.tolist() == run.ranking.columns.tolist() == list(range(907))
    assert not run.ranking.values.flags.writeable
    assert grave(benchmark) == set()
    assert any("the profile psb" in finding.action for finding in benchmark.findings)


def test_cultural_heritage_has_separate_queries():
    benchmark = read_benchmark(DATA / "shrec2021_culture")
    assert (len(benchmark.collection), len(benchmark.queries)) == (448, 189)
    assert (benchmark.queries.member == -1).all(), "row numbers are no ids of models"
    assert [(run.name, run.participant) for run in benchmark.runs] == [
        ("DNE.run1", "DNE"),
        ("DRF-L.run1", "DRF-L"),
        ("MVCNN.run1", "MVCNN"),
        ("NPC.run1", "NPC"),
        ("RVN.run1", "RVN"),
        ("TL.run3", "TL"),
    ]
    assert np.bincount(benchmark.queries.labels).tolist() == [18, 136, 6, 2, 16, 11]
    assert np.bincount(benchmark.classification.labels).tolist() == [43, 319, 15, 5, 38, 28]
    for run in benchmark.runs:
        plain = np.loadtxt(run.source)
        np.testing.assert_array_equal(run.ranking.values, plain)
        assert run.ranking.columns.tolist() == list(range(448))
        assert run.ranking.rows.tolist() == list(range(189))
    tied = {finding.file: finding.message.split("%")[0] for finding in benchmark.findings if "% of" in finding.message}
    assert grave(benchmark) == {
        f"testCulture/{name}.run1.txt: {tied[f'testCulture/{name}.run1.txt']}% of the ranks are tied: "
        "the distance equals that of a neighbour"
        for name in ("MVCNN", "RVN")
    }
    for name, share in tied.items():
        values = np.sort(np.loadtxt(DATA / "shrec2021_culture" / name), axis=1)
        same = values[:, 1:] == values[:, :-1]
        lone = ~np.pad(same, ((0, 0), (1, 0))) & ~np.pad(same, ((0, 0), (0, 1)))
        assert float(share) == pytest.approx(100 * (1 - lone.mean()), abs=0.051)


def test_rgbd_2017():
    benchmark = read_benchmark(DATA / "shrec2017_rgbd")
    assert (len(benchmark.collection), len(benchmark.queries)) == (3308, 1240)
    (run,) = benchmark.runs
    assert int(run.present.sum()) == 3
    assert isinstance(benchmark.assessment, ClassAssessment)
    assert benchmark.assessment.graded
    first = benchmark.queries.index["snn.087_1845118"]  # Chair, OfficeChair
    items, level = benchmark.assessment.relevant(first)
    rows = [line.split(",") for line in (DATA / "shrec2017_rgbd/targets.csv").read_text().splitlines()]
    chairs = {row[0]: 1 + (row[2] == "OfficeChair") for row in rows if row[1] == "Chair"}
    assert {benchmark.collection.ids[i]: int(grade) for i, grade in zip(items, level, strict=True)} == chairs
    assert "queries.csv:831: a header in the middle of the table" in grave(benchmark)
    assert not benchmark.has_errors


def test_rgbd_2018():
    benchmark = read_benchmark(DATA / "shrec2018_rgbd")
    assert (len(benchmark.collection), len(benchmark.queries), benchmark.runs) == (3308, 2101, ())
    assert benchmark.assessment.levels == (1, 2)
    assert grave(benchmark) == {".: no runs found"}


def test_classifications_alone():
    benchmark = read_benchmark(DATA / "classification")
    assert len(benchmark.collection) == 907
    assert any(
        reported_findings.startswith("base/test.cla: 7 other lists of classes")
        for reported_findings in grave(benchmark)
    )
    for folder in ("base", "coarse1", "coarse2", "coarse3"):
        assert len(read_benchmark(DATA / "classification" / folder).collection) == 907


def test_many_to_many_truth():
    benchmark = read_benchmark(DATA / "shrec2023_animar")
    assert isinstance(benchmark.assessment, PairAssessment)
    assert grave(benchmark) == {
        "test_both.csv:1: the columns 'sketch_id' and 'text_id' contain queries",
        *(f"{name}.csv: a second relevance assessment" for name in ("test_skt", "test_tex", "train_skt", "train_tex")),
        ".: no runs found",
    }


@pytest.mark.parametrize(
    ("name", "column", "n_queries", "n_models", "n_pairs"),
    [
        ("test_skt", "sketch_id", 15, 52, 60),
        ("test_tex", "text_id", 22, 85, 85),
        ("train_skt", "sketch_id", 59, 132, 236),
    ],
)
def test_named_many_to_many_assessment(name, column, n_queries, n_models, n_pairs):
    path = DATA / f"shrec2023_animar/{name}.csv"
    benchmark = read_benchmark(path.parent, BenchmarkParts(assessment=path))
    assert (len(benchmark.queries), len(benchmark.collection)) == (n_queries, n_models)
    with path.open(newline="") as stream:
        rows = {(row[column], row["obj_id"]) for row in csv.DictReader(stream)}
    assert len(rows) == n_pairs
    found = {
        (query, benchmark.collection.ids[item])
        for place, query in enumerate(benchmark.queries.ids)
        for item in benchmark.assessment.relevant(place)[0]
    }
    assert found == rows
    assert benchmark.assessment.levels == (1,)


def test_only_meshes():
    benchmark = read_benchmark(DATA / "meshes_odd")
    assert len(benchmark.collection) > 100
    assert None not in benchmark.collection.paths
    assert len(benchmark.queries) == 0
    assert benchmark.assessment is None
    assert {".: no queries found", ".: no runs found"} <= grave(benchmark)


def test_many_benchmarks_are_not_one():
    with pytest.raises(FormatError, match=r"holds \d benchmarks: psb_d2, shrec06, .*; open one of them"):
        read_benchmark(DATA)


def test_one_run_alone_opens_without_truth():
    benchmark = read_benchmark(DATA / "shrec06/runs/A2")
    assert (len(benchmark.collection), len(benchmark.queries), len(benchmark.runs)) == (1809, 30, 1)
    assert benchmark.assessment is None
