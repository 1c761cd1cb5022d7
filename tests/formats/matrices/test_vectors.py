"""Feature vectors are scored like the same distances in a matrix, whatever files, metric and ids they have."""

import pickle
from gzip import compress
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from made_folders import IDS, NATURAL, QUERIES, benchmark_files, cla, distances, labels, npy, query_classes, write
from scipy.io import savemat
from scipy.spatial.distance import cdist

from shrec_viewer.domain import DistanceMatrix, FormatError, RankedLists, Severity
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.parallel.cluster import is_in_files
from shrec_viewer.formats.core.read_choices import METRIC_LABELS, METRICS
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark, reload_run, with_run
from shrec_viewer.formats.io import array_files
from shrec_viewer.formats.io.array_files import BANDS
from shrec_viewer.formats.matrices import matrix, vectors
from shrec_viewer.formats.matrices.vectors import VectorMatrix, _distances_of
from shrec_viewer.formats.preview.preview import preview
from shrec_viewer.metrics import find_profile

WIDTH = 9


def features(names, seed=3) -> np.ndarray:
    """(n, WIDTH) float64 histograms of the models and queries, nearer within a class."""
    classes = {**labels(), **query_classes()}
    random = np.random.default_rng(seed)
    centres = dict(
        zip(dict.fromkeys(classes.values()), random.random((len(set(classes.values())), WIDTH)), strict=True)
    )
    rows = {name: centres[kind] + random.random(WIDTH) * 0.5 for name, kind in classes.items()}
    return np.array([rows[name] for name in names])


def hellinger(one, other):
    return np.sqrt(((np.sqrt(one)[:, None] - np.sqrt(other)[None]) ** 2).sum(axis=2) / 2)


def chi_square(one, other):
    difference, total = one[:, None] - other[None], one[:, None] + other[None]
    return (np.divide(difference**2, total, out=np.zeros_like(total), where=total != 0)).sum(axis=2) / 2


ORACLES = {
    "l2": lambda one, other: cdist(one, other, "euclidean"),
    "l2sq": lambda one, other: cdist(one, other, "sqeuclidean"),
    "cosine": lambda one, other: cdist(one, other, "cosine"),
    "ip": lambda one, other: one @ other.T,
    "l1": lambda one, other: cdist(one, other, "cityblock"),
    "chi2": chi_square,
    "hellinger": hellinger,
    "js": lambda one, other: cdist(one, other, "jensenshannon"),
}


def savez(**arrays) -> bytes:
    stream = BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def mat(**arrays) -> bytes:
    stream = BytesIO()
    savemat(stream, arrays, do_compression=True)
    return stream.getvalue()


def table(names, values, header=True) -> str:
    lines = ["id," + ",".join(f"f{number}" for number in range(values.shape[1]))] if header else []
    lines += [",".join([name, *map(repr, row)]) for name, row in zip(names, values.tolist(), strict=True)]
    return "\n".join(lines) + "\n"


def text(values) -> str:
    return "".join(" ".join(map(repr, row)) + "\n" for row in values.tolist())


@pytest.fixture(params=["in memory", "by bands"])
def loading(request, monkeypatch):
    """Distances of small runs are in memory; others are computed a band of few rows at a time."""
    if request.param == "by bands":
        monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", 0)
        monkeypatch.setattr(array_files, "BAND_BYTES", 24 * 8 * 5)
        monkeypatch.setattr(vectors, "COMPUTED_BYTES", 24 * 8 * 5)
        monkeypatch.setattr(vectors, "BLOCK_BYTES", WIDTH * 8 * 7)
        monkeypatch.setattr(vectors, "PAIR_BYTES", WIDTH * 8 * 3)
    yield request.param
    BANDS.clear()


def dense(benchmark, found: DistanceMatrix) -> np.ndarray:
    """(Q, N) numbers in the order of the benchmark."""
    values = np.full((len(benchmark.queries), len(benchmark.collection)), np.nan)
    for query, row in enumerate(found.rows):
        values[query, found.columns] = np.asarray(found.values[row])
    return values


def scores(benchmark):
    return evaluate(benchmark, find_profile("default")).raw_values


def read_one(folder, files, **options):
    parts = BenchmarkParts(read_options=ReadOptions(**options))
    benchmark = read_benchmark(write(folder, files), parts)
    assert not benchmark.has_errors
    (run,) = benchmark.runs
    return benchmark, run


def messages(benchmark, *severities):
    return [finding for finding in benchmark.findings if finding.severity in severities]


Q, T = features(QUERIES), features(NATURAL)
SHUFFLED = NATURAL[5:] + NATURAL[:5]

PAIRS = {
    "npz": {"A.npz": savez(query=Q, target=T)},
    "npz with ids": {
        "A.npz": savez(target=features(SHUFFLED), query=Q[::-1], target_ids=np.array(SHUFFLED), query_ids=QUERIES[::-1])
    },
    "npz without names": {"A.npz": savez(arr_0=T, arr_1=Q)},
    "files": {"A/query.npy": npy(Q), "A/target.npy": npy(T)},
    "files with other names": {"A/x.npy": npy(Q), "A/y.npy": npy(T)},
    "text files": {"A/sketch.txt": text(Q), "A/gallery.txt": text(T)},
    "tables": {"A/queries.csv": table(QUERIES, Q), "A/models.csv": table(SHUFFLED, features(SHUFFLED))},
    "tables without heads": {
        "A/queries.csv": table(QUERIES, Q, header=False),
        "A/models.csv": table(SHUFFLED, features(SHUFFLED), header=False),
    },
    "stacked": {"A.npy": npy(np.vstack([Q, T]))},
    "stacked the other way": {"A.npy": npy(np.vstack([T, Q]))},
    "stacked table": {"A.csv": table((*SHUFFLED, *QUERIES), np.vstack([features(SHUFFLED), Q]))},
    "MATLAB": {"A.mat": mat(gallery=T, probes=Q)},
    "compressed files": {"A/query.npy.gz": compress(npy(Q)), "A/target.npy.gz": compress(npy(T))},
    "Fortran order": {"A/query.npy": npy(np.asfortranarray(Q)), "A/target.npy": npy(np.asfortranarray(T))},
}
SELF = {
    "npy": {"A.npy": npy(T)},
    "npz": {"A.npz": savez(features=T)},
    "npz with ids": {"A.npz": savez(features=features(SHUFFLED), names=np.array(SHUFFLED))},
    "npz with others": {"A.npz": savez(features=T, centres=np.zeros((3, 100)))},
    "text": {"A.txt": text(T)},
    "table": {"A.csv": table(SHUFFLED, features(SHUFFLED))},
    "counted table": {
        "A.csv": "," + ",".join(map(str, range(WIDTH))) + "\n" + table(map(str, range(24)), T, header=False)
    },
    "two arrays": {"A.npz": savez(query=T, target=T)},
}


@pytest.mark.parametrize("layout", PAIRS)
def test_queries_and_models_are_scored_like_their_distances(layout, loading, tmp_path):
    benchmark, run = read_one(tmp_path / "vectors", {**benchmark_files(), **_below("runs", PAIRS[layout])})
    assert run.name == "A"
    expected, other = read_one(tmp_path / "npy", {**benchmark_files(), "runs/A.npy": npy(cdist(Q, T))})
    np.testing.assert_allclose(dense(benchmark, run.ranking), dense(expected, other.ranking), rtol=1e-12)
    np.testing.assert_array_equal(scores(benchmark), scores(expected))
    (found,) = [finding for finding in messages(benchmark, Severity.WARNING) if "feature vectors" in finding.message]
    assert "not distances" in found.message
    assert "Euclidean" in found.action
    assert found.setting.option == "--metric cosine"


@pytest.mark.parametrize("layout", SELF)
def test_a_collection_that_queries_itself(layout, loading, tmp_path):
    benchmark, run = read_one(tmp_path / "vectors", {"classes.cla": cla(), **_below("runs", SELF[layout])})
    _, other = read_one(tmp_path / "npy", {"classes.cla": cla(), "runs/A.npy": npy(cdist(T, T))})
    np.testing.assert_allclose(dense(benchmark, run.ranking), dense(benchmark, other.ranking), rtol=1e-12)
    assert not np.diagonal(dense(benchmark, run.ranking)).any()


def _below(folder, files):
    return {f"{folder}/{name}": content for name, content in files.items()}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("metric", METRICS)
def test_metrics_have_the_values_of_their_formulas(metric, dtype, loading, tmp_path):
    queries, models = Q.astype(dtype), T.astype(dtype)
    models[3] = queries[2]  # equal vectors
    models[4, :4] = queries[1, :4] = 0
    files = {**benchmark_files(), "A.npz": savez(query=queries, target=models)}
    benchmark, run = read_one(tmp_path / "vectors", files, metric=metric)
    assert run.ranking.values.dtype == dtype
    assert run.ranking.similarity == (metric == "ip")
    expected = ORACLES[metric](queries.astype(float), models.astype(float)).astype(dtype)
    found = dense(benchmark, run.ranking)[:, [IDS.index(name) for name in NATURAL]]
    np.testing.assert_allclose(found, expected, rtol=5e-6 if dtype == np.float32 else 1e-11, atol=1e-12)
    if metric in ("l2", "l2sq", "cosine", "l1", "chi2", "hellinger", "js"):
        assert found[2, 3] == 0
    written, _ = read_one(tmp_path / "npy", {**benchmark_files(), "A.npy": npy(expected)}, similarity=metric == "ip")
    np.testing.assert_array_equal(scores(benchmark), scores(written))


@pytest.mark.parametrize("has_ids", [True, False])
@pytest.mark.parametrize("is_pair", [True, False])
def test_parquet(is_pair, has_ids, tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    sides = {"query": (QUERIES, Q), "model": (SHUFFLED, features(SHUFFLED)) if has_ids else (NATURAL, T)}
    if not is_pair:
        sides = {"stacked": ([*sides["query"][0], *sides["model"][0]], np.vstack([side[1] for side in sides.values()]))}
    folder = write(tmp_path / "contest", {**benchmark_files(), "runs/A/notes.md": ""})
    for name, (ids, values) in sides.items():
        columns = {"id": list(ids)} if has_ids else {}
        parquet.write_table(arrow.table({**columns, "vector": values.tolist()}), folder / f"runs/A/{name}.parquet")
    benchmark = read_benchmark(folder)
    assert not benchmark.has_errors
    (run,) = benchmark.runs
    found = dense(benchmark, run.ranking)[:, [IDS.index(name) for name in NATURAL]]
    np.testing.assert_allclose(found, cdist(Q, T), rtol=1e-12)


def test_nearly_equal_vectors_far_from_the_origin_keep_their_digits(tmp_path):
    queries, models = Q * 1e-6 + 1000, T * 1e-6 + 1000
    files = {**benchmark_files(), "A.npz": savez(query=queries, target=models)}
    benchmark, run = read_one(tmp_path, files)
    found = dense(benchmark, run.ranking)[:, [IDS.index(name) for name in NATURAL]]
    np.testing.assert_allclose(found, cdist(queries, models), rtol=1e-12)


def test_the_metric_of_a_run_is_set_in_benchmark_toml(tmp_path):
    toml = '[[runs]]\npath = "A.npz"\nmetric = "l1"\n'
    files = {**benchmark_files(), "A.npz": savez(query=Q, target=T), "benchmark.toml": toml}
    benchmark, run = read_one(tmp_path, files)
    found = dense(benchmark, run.ranking)[:, [IDS.index(name) for name in NATURAL]]
    np.testing.assert_allclose(found, cdist(Q, T, "cityblock"))
    assert not [finding for finding in messages(benchmark, Severity.WARNING) if "feature vectors" in finding.message]


@pytest.mark.parametrize(("metric", "undefined"), [("l2", ["no finite"]), ("cosine", ["no finite", "of zeros"])])
def test_vectors_without_distances_are_findings(metric, undefined, tmp_path):
    queries, models = Q.copy(), T.copy()
    models[4] = 0
    queries[2, 1], models[7, 2] = np.nan, np.inf
    benchmark = read_benchmark(
        write(tmp_path, {**benchmark_files(), "A.npz": savez(query=queries, target=models)}),
        BenchmarkParts(read_options=ReadOptions(metric=metric)),
    )
    found = [finding.message for finding in messages(benchmark, Severity.WARNING) if " vector " in finding.message]
    assert len(found) == 1 + len(undefined)
    assert "no finite" in found[0]
    assert all(word in message for word, message in zip(undefined, found[1:], strict=True))
    run = benchmark.runs[0].ranking
    assert np.flatnonzero(~run.present).tolist() == [2]
    lacking = [IDS[at] for at in range(24) if at not in run.columns]
    assert sorted(lacking) == (["N5", "N8"] if metric == "cosine" else ["N8"])
    values = dense(benchmark, run)
    kept = [IDS.index(name) for name in NATURAL if name not in ("N5", "N8")]
    assert np.isfinite(values[[0, 1, *range(3, 12)]][:, kept]).all()


@pytest.mark.parametrize("metric", ["chi2", "hellinger", "js"])
def test_metrics_of_histograms_reject_values_below_0(metric, tmp_path):
    files = {**benchmark_files(), "A.npz": savez(query=Q, target=T - 1)}
    benchmark = read_benchmark(write(tmp_path, files), BenchmarkParts(read_options=ReadOptions(metric=metric)))
    assert not benchmark.runs
    (found,) = messages(benchmark, Severity.ERROR)
    assert "row 1 has values below 0" in found.message
    assert METRIC_LABELS[metric] in found.message


def test_a_square_array_is_read_as_distances_or_on_request_as_vectors(tmp_path):
    square = np.hstack([T, T, T])[:, :24]
    files = {"classes.cla": cla(), "A.npy": npy(square)}
    benchmark, run = read_one(tmp_path, files)
    np.testing.assert_array_equal(np.asarray(run.ranking.values), square)
    (found,) = [finding for finding in benchmark.findings if "feature vector" in finding.action]
    assert found.setting.option == "--matrix-cells vectors"
    _, run = read_one(tmp_path, files, cells="vectors")
    np.testing.assert_allclose(np.asarray(run.ranking.values), cdist(square, square), rtol=1e-12)


def test_vectors_as_wide_as_the_collection_name_the_other_reading(tmp_path):
    wide = [np.hstack([one, one, one])[:, :24] for one in (Q, T)]
    files = {**benchmark_files(), "A.npz": savez(query=wide[0], target=wide[1])}
    benchmark, run = read_one(tmp_path, files)
    np.testing.assert_allclose(np.asarray(run.ranking.values), cdist(*wide), rtol=1e-12)
    (found,) = [finding for finding in benchmark.findings if "or distances" in finding.message]
    assert found.setting.option == "--matrix-cells distances"


@pytest.mark.parametrize("cells", ["vectors"])
def test_a_matrix_that_cannot_be_vectors_says_so(cells, tmp_path):
    files = {**benchmark_files(), "A.npy": npy(distances(QUERIES, NATURAL))}
    benchmark = read_benchmark(write(tmp_path, files), BenchmarkParts(read_options=ReadOptions(cells=cells)))
    (found,) = messages(benchmark, Severity.ERROR)
    assert "12 x 24 numbers are no feature vectors" in found.message


@pytest.mark.parametrize(
    "content",
    [
        {"A.npy": npy(T[:, :3])},
        {"A.csv": "id,AP,NN,FT,ST,E\n" + table(NATURAL, T[:, :5], header=False)},
    ],
)
def test_other_tables_with_a_row_for_each_model_are_no_vectors(content, tmp_path):
    files = {"classes.cla": cla(), "M.npy": npy(distances(IDS, IDS)), **content}
    benchmark = read_benchmark(write(tmp_path, files))
    assert [run.name for run in benchmark.runs] == ["M"]


def test_numbers_of_models_with_distances_are_lists(tmp_path):
    numbers = np.argsort(cdist(T, T))[:, :5]
    files = {"classes.cla": cla(), "A.npz": savez(ids=numbers, distances=T[:, :5])}
    _, run = read_one(tmp_path, files)
    assert isinstance(run.ranking, RankedLists)


def test_a_changed_file_is_read_again_and_never_mixed(tmp_path, monkeypatch):
    monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", 0)
    files = {**benchmark_files(), "runs/A/query.npy": npy(Q), "runs/A/target.npy": npy(T)}
    benchmark, run = read_one(tmp_path, files)
    BANDS.clear()
    (tmp_path / "runs/A/target.npy").write_bytes(npy(features(NATURAL, seed=8)))
    with pytest.raises(FormatError, match="changed after it was opened"):
        run.ranking.values[0]
    again = with_run(benchmark, 0, reload_run(benchmark, 0))
    np.testing.assert_allclose(np.asarray(again.runs[0].ranking.values), cdist(Q, features(NATURAL, seed=8)))


def test_workers_get_paths_instead_of_vectors(tmp_path, monkeypatch):
    monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", 0)
    files = {
        **benchmark_files(),
        "runs/A/query.npy": npy(Q),
        "runs/A/target.npy": npy(T),
        "runs/B.npz": savez(a=Q, b=T),
    }
    benchmark = read_benchmark(write(tmp_path, files))
    stored, in_memory = [run.ranking.values for run in benchmark.runs]
    assert isinstance(stored, VectorMatrix)
    assert is_in_files(stored)
    assert not is_in_files(in_memory)
    data = pickle.dumps(stored)
    assert T.tobytes()[:64] not in data
    np.testing.assert_array_equal(pickle.loads(data)[3:5], stored[3:5])


@pytest.mark.parametrize("layout", ["npz", "files", "tables", "stacked"])
def test_the_preview_asks_for_the_metric(layout, tmp_path):
    benchmark, run = read_one(tmp_path, {**benchmark_files(), **_below("runs", PAIRS[layout])})
    shown = preview(run.source, ReadOptions(metric="cosine"), benchmark)
    assert not shown.problem
    (question,) = [one for one in shown.questions if one.key == "metric"]
    assert question.chosen == "cosine"
    assert [option.key for option in question.alternatives] == [*METRICS]
    assert all(option.is_available for option in question.alternatives)
    known = {f"{value:.6g}" for value in cdist(Q, T, "cosine").ravel()}
    assert all(known.issuperset(row.cells[1:]) for row in shown.rows)


@pytest.mark.parametrize(
    ("arrays", "fault"),
    [
        ({"query": Q, "target": T[:, 1:]}, f"'query' has {Q.shape[1]} columns and 'target' {Q.shape[1] - 1}"),
        ({"a": Q, "b": T[1:]}, "'b' has 23 rows for 24 models"),
        ({"gallery": T, "probe": Q[:5]}, "'probe' has 5 rows for 12 queries"),
        ({"a": Q[:5], "b": T[1:]}, ""),
        ({"a": Q[:5]}, ""),
    ],
)
def test_arrays_that_are_nearly_vectors_name_what_is_wrong(arrays, fault, tmp_path):
    for cells in ("", 'cells = "vectors"'):
        toml = f'[[runs]]\npath = "V.npz"\n{cells}\n'
        folder = write(tmp_path / cells[:5], {**benchmark_files(), "V.npz": savez(**arrays), "benchmark.toml": toml})
        benchmark = read_benchmark(folder)
        assert not benchmark.runs
        (found,) = messages(benchmark, Severity.ERROR)
        assert ("; they may be feature vectors, but " + fault in found.message) == bool(fault)
        assert "may be feature" not in found.message or fault


def reference(metric, first, second):
    """Distances of single pairs in extended precision, term by term."""
    p, q = first.astype(np.longdouble), second.astype(np.longdouble)
    if metric == "l1":
        return float(np.abs(p - q).sum())
    if metric == "chi2":
        kept = p + q > 0
        return float(((p - q)[kept] ** 2 / (p + q)[kept]).sum() / 2)
    p, q = p / p.sum(), q / q.sum()
    terms = [(vector[vector > 0] * np.log(2 * vector[vector > 0] / (p + q)[vector > 0])).sum() for vector in (p, q)]
    return float(np.sqrt(max(sum(terms), 0) / 2))


@pytest.mark.parametrize("metric", ["l1", "chi2", "js"])
def test_metrics_by_elements_are_exact_for_sparse_and_near_vectors(metric):
    """Equal, nearly equal, disjoint and sparse histograms; the near ones cancel in a difference of entropies."""
    rng = np.random.default_rng(11)
    models = rng.random((60, 33)) * (rng.random((60, 33)) < 0.4) + np.eye(33)[np.arange(60) % 33]
    models[20:40] = models[:20] * (1 + rng.random((20, 33)) * np.logspace(-6, -1, 20)[:, np.newaxis])
    models[40] = [*models[0, 1:], 0]
    queries = models[:20]
    found = _distances_of(Path("x"), queries, models, metric)[:]
    expected = np.array([[reference(metric, query, model) for model in models] for query in queries])
    np.testing.assert_allclose(found, expected, rtol=1e-6 if metric == "js" else 1e-13, atol=1e-15)
    assert np.all(np.diagonal(found) == 0)
