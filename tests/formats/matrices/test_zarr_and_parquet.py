"""Runs in Zarr and Parquet: scored like the same numbers in `.npy`, hostile and damaged files, a missing extra."""

import json
import os
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shrec_viewer.domain import FormatError, Severity
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.discovery.benchmark import read_benchmark, reload_run, with_run
from shrec_viewer.formats.io import array_files
from shrec_viewer.formats.io.array_files import BANDS, StoredMatrix, band_edges
from shrec_viewer.formats.matrices import matrix
from shrec_viewer.formats.matrices.matrix_blocks import BlockMatrix
from shrec_viewer.formats.matrices.parquet import read_parquet
from shrec_viewer.formats.matrices.zarr_store import read_zarr
from shrec_viewer.formats.preview.preview import preview
from shrec_viewer.metrics import find_profile


@pytest.fixture(autouse=True, scope="module")
def libraries():
    """Import them here: every test process collects this file, one runs it, and the imports take 1.3 s."""
    global zarr, pa, pq
    zarr = pytest.importorskip("zarr")
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")


# Ids of fixed length are written with a type that is not yet in the specification of version 3.
pytestmark = pytest.mark.filterwarnings("ignore:The data type")

N_QUERIES, N_MODELS = 6, 21
QUERIES = [f"Q{number:03d}" for number in range(N_QUERIES)]
MODELS = [f"M{number:03d}" for number in range(N_MODELS)]


def _contest(root):
    """A folder with a classification of models and one of queries, without runs."""
    (root / "runs").mkdir(parents=True)
    for name, ids in (("classification.cla", MODELS), ("queries.cla", QUERIES)):
        half = len(ids) // 2
        parts = [
            f"{kind} 0 {len(part)}\n" + "\n".join(part) for kind, part in (("cat", ids[:half]), ("dog", ids[half:]))
        ]
        (root / name).write_text(f"PSB 1\n2 {len(ids)}\n\n" + "\n\n".join(parts) + "\n")
    return root


def _distances(seed=3, dtype=np.float32):
    return np.random.default_rng(seed).random((N_QUERIES, N_MODELS)).astype(dtype)


def _messages(benchmark, *severities):
    return [f"{found.message}; {found.action}" for found in benchmark.findings if found.severity in severities]


def _scores(root):
    benchmark = read_benchmark(root)
    return benchmark, evaluate(benchmark, find_profile("default")).raw_values


def _expected(tmp_path, values):
    root = _contest(tmp_path / "npy")
    np.save(root / "runs/A.npy", values)
    return _scores(root)[1]


# ── how the same matrix is written ───────────────────────────────────────────────────────────────────────────────────


def _zarr_array(folder, values, **options):
    array = zarr.create_array(folder, shape=values.shape, dtype=values.dtype, **{"chunks": (2, 7), **options})
    array[:] = values


def _zarr_v2(runs, values):
    _zarr_array(runs / "A.zarr", values, zarr_format=2)


def _zarr_v3(runs, values):
    _zarr_array(runs / "A.zarr", values)


def _zarr_sharded(runs, values):
    _zarr_array(runs / "A.zarr", values, chunks=(1, 5), shards=(3, 20))


def _zarr_group(runs, values, zarr_format=3):
    group = zarr.open_group(runs / "A.zarr", mode="w", zarr_format=zarr_format)
    group.create_array("distances", data=values[::-1, ::-1].copy(), chunks=(4, 4))
    group.create_array("queries", data=np.array(QUERIES[::-1]))
    group.create_array("models", data=np.array(MODELS[::-1]))


def _zarr_xarray(runs, values):
    group = zarr.open_group(runs / "A.zarr", mode="w", zarr_format=3)
    rows, columns = np.random.default_rng(1).permutation(N_QUERIES), np.random.default_rng(2).permutation(N_MODELS)
    group.create_array("d", data=values[rows][:, columns], dimension_names=["probe", "shape"])
    group.create_array("probe", data=np.array(QUERIES)[rows], dimension_names=["probe"])
    group.create_array("shape", data=np.array(MODELS)[columns], dimension_names=["shape"])


def _zarr_several_runs(runs, values):
    group = zarr.open_group(runs / "all.zarr", mode="w", zarr_format=3)
    group.create_array("A", data=values)
    group.create_array("B", data=values + 1)


def _zarr_shards(runs, values, axis, n_parts=3):
    for number, block in enumerate(np.array_split(values, n_parts, axis=axis)):
        _zarr_array(runs / f"A/{number}.zarr", block, chunks=block.shape)


def _wide(values, names, ids=None, key="query"):
    columns = {} if ids is None else {key: ids}
    return pa.table({**columns, **{name: values[:, index] for index, name in enumerate(names)}})


def _parquet_wide(runs, values):
    order = np.random.default_rng(4).permutation(N_MODELS)
    pq.write_table(
        _wide(values[:, order], [MODELS[item] for item in order], QUERIES), runs / "A.parquet", row_group_size=2
    )


def _parquet_pandas(runs, values):
    table = _wide(values, MODELS).append_column("__index_level_0__", pa.array(QUERIES))
    pq.write_table(table, runs / "A.parquet")


def _parquet_plain(runs, values):
    pq.write_table(_wide(values, [str(number) for number in range(N_MODELS)]), runs / "A.parquet", row_group_size=1)


def _parquet_vectors(runs, values):
    flat = pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), N_MODELS)
    pq.write_table(pa.table({"distances": flat}), runs / "A.parquet", row_group_size=4)


def _parquet_named_vectors(runs, values):
    rows = [row.tolist() for row in values[::-1]]
    pq.write_table(
        pa.table({"query": QUERIES[::-1], "distances": pa.array(rows, pa.list_(pa.float32()))}), runs / "A.parquet"
    )


def _pairs(values, rows=range(N_QUERIES), columns=range(N_MODELS)):
    pairs = [(QUERIES[row], MODELS[column], values[row, column]) for row in rows for column in columns]
    queries, models, numbers = zip(*pairs, strict=True)
    return pa.table({"query_id": queries, "model": pa.array(models).dictionary_encode(), "distance": pa.array(numbers)})


def _parquet_pairs(runs, values):
    pq.write_table(_pairs(values), runs / "A.parquet", row_group_size=7)


def _parquet_lists(runs, values):
    order = np.argsort(values, axis=1, kind="stable")
    models = [[MODELS[item] for item in row] for row in order]
    distances = [np.sort(row).tolist() for row in values]
    pq.write_table(pa.table({"query": QUERIES, "models": models, "distances": distances}), runs / "A.parquet")


def _parquet_parts(runs, values, axis):
    (runs / "A").mkdir()
    size = values.shape[axis]
    for number, part in enumerate(np.array_split(np.arange(size), 3)):
        table = _pairs(values, part) if axis == 0 else _pairs(values, columns=part)
        pq.write_table(table, runs / f"A/part-{number}.parquet")


def _parquet_wide_parts(runs, values, axis, n_parts=3):
    (runs / "A").mkdir()
    for number, part in enumerate(np.array_split(np.arange(values.shape[axis]), n_parts)):
        if axis == 0:
            table = _wide(values[part], MODELS, [QUERIES[row] for row in part])
        else:
            table = _wide(values[:, part], [MODELS[column] for column in part], QUERIES)
        pq.write_table(table, runs / f"A/{number}.parquet")


def _parquet_vector_parts(runs, values):
    (runs / "A").mkdir()
    for number, column in enumerate(values.T):
        pq.write_table(pa.table({"distances": column[:, None].tolist()}), runs / f"A/{number}.parquet")


WRITERS = {
    "zarr 2": _zarr_v2,
    "zarr 3": _zarr_v3,
    "zarr shards in one array": _zarr_sharded,
    "zarr group 3": _zarr_group,
    "zarr group 2": lambda runs, values: _zarr_group(runs, values, 2),
    "xarray": _zarr_xarray,
    "zarr files by queries": lambda runs, values: _zarr_shards(runs, values, 0),
    "zarr files by models": lambda runs, values: _zarr_shards(runs, values, 1),
    "parquet wide": _parquet_wide,
    "pandas": _parquet_pandas,
    "parquet without ids": _parquet_plain,
    "parquet lists of distances": _parquet_vectors,
    "parquet lists of distances with ids": _parquet_named_vectors,
    "parquet pairs": _parquet_pairs,
    "parquet ranked lists": _parquet_lists,
    "parquet pairs in files by queries": lambda runs, values: _parquet_parts(runs, values, 0),
    "parquet pairs in files by models": lambda runs, values: _parquet_parts(runs, values, 1),
    "parquet wide in files by queries": lambda runs, values: _parquet_wide_parts(runs, values, 0),
    "parquet wide in files by models": lambda runs, values: _parquet_wide_parts(runs, values, 1),
    "parquet wide in files of one query": lambda runs, values: _parquet_wide_parts(runs, values, 0, N_QUERIES),
    "parquet wide in files of one model": lambda runs, values: _parquet_wide_parts(runs, values, 1, N_MODELS),
    "parquet vectors in files of one model": _parquet_vector_parts,
    "zarr files of one model": lambda runs, values: _zarr_shards(runs, values, 1, N_MODELS),
}


@pytest.fixture(params=["in memory", "by bands"])
def loading(request, monkeypatch):
    """Matrices in memory, or read by bands of a few rows."""
    if request.param == "by bands":
        monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", 0)
        monkeypatch.setattr(array_files, "BAND_BYTES", 1)
    yield request.param
    BANDS.clear()


@pytest.mark.parametrize("writer", WRITERS)
def test_a_run_is_scored_like_the_same_matrix_in_npy(tmp_path, loading, writer):
    values = _distances()
    root = _contest(tmp_path / "other")
    WRITERS[writer](root / "runs", values)
    benchmark, found = _scores(root)
    assert [run.name for run in benchmark.runs] == ["A"]
    messages = _messages(benchmark, Severity.ERROR, Severity.WARNING)
    expected = ("only the rows have labels", "no better than by chance")
    assert [message for message in messages if not any(text in message for text in expected)] == []
    np.testing.assert_array_equal(found, _expected(tmp_path, values))
    again = with_run(benchmark, 0, reload_run(benchmark, 0))
    np.testing.assert_array_equal(evaluate(again, find_profile("default")).raw_values, found)


@pytest.mark.parametrize("writer", [name for name in WRITERS if "files" not in name])
def test_a_preview_shows_the_first_cells(tmp_path, writer):
    root = _contest(tmp_path / "other")
    WRITERS[writer](root / "runs", _distances())
    benchmark = read_benchmark(root)
    for opened in (None, benchmark):
        shown = preview(benchmark.runs[0].source, benchmark=opened)
        assert (shown.problem, shown.format) == ("", "zarr" if "parquet" not in shown.sample.name else "parquet")
        assert shown.rows
        assert all(len(row.cells) <= len(shown.columns) for row in shown.rows)


def _changes_order(writer):
    return writer in ("parquet wide", "xarray") or any(word in writer for word in ("group", "ranked", "pairs"))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_matrices_with_ties_and_nan_are_equal_to_npy(tmp_path_factory, data):
    tmp_path = tmp_path_factory.mktemp("contest")
    numbers = st.sampled_from([0.0, 0.5, 1.0, 2.0, 1e9, np.nan, np.inf])
    flat = data.draw(st.lists(numbers, min_size=N_QUERIES * N_MODELS, max_size=N_QUERIES * N_MODELS))
    dtype = data.draw(st.sampled_from([np.float16, np.float32, np.float64]))
    with np.errstate(over="ignore"):
        values = np.array(flat).astype(dtype).reshape(N_QUERIES, N_MODELS)
    # Permuted columns break ties in another order, as in any format.
    writer = data.draw(
        st.sampled_from([name for name in WRITERS if "with ids" not in name and not _changes_order(name)])
    )
    root = _contest(tmp_path / "other")
    WRITERS[writer](root / "runs", values)
    _, found = _scores(root)
    np.testing.assert_array_equal(found, _expected(tmp_path, values))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    chunks=st.tuples(st.integers(1, 9), st.integers(1, 25)),
    n_rows=st.integers(1, 12),
    rows=st.one_of(st.integers(-3, 2), st.slices(12), st.lists(st.integers(0, 11), max_size=6)),
)
def test_rows_of_a_stored_matrix_are_those_of_the_array(tmp_path_factory, chunks, n_rows, rows):
    folder = tmp_path_factory.mktemp("array")
    values = np.arange(n_rows * 20, dtype=np.float32).reshape(n_rows, 20) + 1
    _zarr_array(folder / "a.zarr", values, chunks=(min(chunks[0], n_rows), min(chunks[1], 20)))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(matrix, "MAX_LOADED_BYTES", 0)
        patched.setattr(array_files, "BAND_BYTES", 1)
        stored = pickle.loads(pickle.dumps(read_zarr(folder / "a.zarr").values))
    assert isinstance(stored, StoredMatrix)
    expected = np.array([row % n_rows for row in rows], np.int64) if isinstance(rows, list) else rows
    if isinstance(expected, int):
        expected = expected % n_rows
    np.testing.assert_array_equal(stored[expected], values[expected])
    assert (stored.shape, stored.ndim, stored.size, len(stored)) == (values.shape, 2, values.size, n_rows)


def test_several_arrays_of_a_group_are_runs(tmp_path):
    values = _distances()
    root = _contest(tmp_path / "other")
    _zarr_several_runs(root / "runs", values)
    benchmark, found = _scores(root)
    assert [run.name for run in benchmark.runs] == ["A", "B"]
    np.testing.assert_array_equal(found[0], _expected(tmp_path, values)[0])


def test_several_parquet_files_of_the_same_pairs_are_runs(tmp_path):
    root = _contest(tmp_path / "other")
    for name in "AB":
        pq.write_table(_pairs(_distances(ord(name))), root / f"runs/{name}.parquet")
    assert [run.name for run in _scores(root)[0].runs] == ["A", "B"]


def test_a_similarity_column_reverses_the_order(tmp_path):
    values = _distances()
    root = _contest(tmp_path / "other")
    table = _pairs(values)
    scores = pa.array([-number.as_py() for number in table["distance"]])
    pq.write_table(table.drop_columns("distance").append_column("score", scores), root / "runs/A.parquet")
    np.testing.assert_array_equal(_scores(root)[1], _expected(tmp_path, values))


def test_a_zarr_run_named_in_the_manifest(tmp_path):
    values = _distances()
    root = _contest(tmp_path / "other")
    _zarr_v3(root / "runs", values)
    (root / "benchmark.toml").write_text('[[runs]]\nname = "mine"\npath = "runs/A.zarr"\nsimilarity = true\n')
    benchmark, found = _scores(root)
    assert [run.name for run in benchmark.runs] == ["mine"]
    np.testing.assert_array_equal(found, _expected(tmp_path, -values))


def test_a_zarr_run_in_an_archive(tmp_path):
    import zipfile

    values = _distances()
    root, inside = _contest(tmp_path / "other"), tmp_path / "inside"
    _zarr_v3(inside, values)
    with zipfile.ZipFile(root / "runs/sent.zip", "w") as archive:
        for path in sorted(inside.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(inside))
    benchmark, found = _scores(root)
    assert len(benchmark.runs) == 1
    np.testing.assert_array_equal(found, _expected(tmp_path, values))


# ── files that are damaged or hostile ────────────────────────────────────────────────────────────────────────────────


def _only_error(root):
    (message,) = [
        f"{found.file}: {found.message}" for found in read_benchmark(root).findings if found.severity is Severity.ERROR
    ]
    return message


def test_missing_chunks_are_an_error(tmp_path):
    root = _contest(tmp_path / "other")
    _zarr_v3(root / "runs", _distances())
    next((root / "runs/A.zarr/c").glob("1/*")).unlink()
    assert _only_error(root) == "runs/A.zarr: 1 of its 9 chunks are not stored"


def test_a_damaged_chunk_is_one_error(tmp_path):
    root = _contest(tmp_path / "other")
    _zarr_v3(root / "runs", _distances())
    chunk = next((root / "runs/A.zarr/c").glob("1/*"))
    chunk.write_bytes(chunk.read_bytes()[:5])
    assert "runs/A.zarr: has a damaged chunk in rows" in _only_error(root)


@pytest.mark.parametrize("name", ["zarr.json", "A.parquet"])
@pytest.mark.parametrize("size", [0, 7, 60])
def test_truncated_files_are_errors(tmp_path, name, size):
    root = _contest(tmp_path / "other")
    np.save(root / "runs/B.npy", _distances())
    (_zarr_v3 if name == "zarr.json" else _parquet_wide)(root / "runs", _distances())
    path = next((root / "runs").rglob(name))
    path.write_bytes(path.read_bytes()[:size])
    benchmark = read_benchmark(root)
    assert [run.name for run in benchmark.runs] == ["B"]
    assert len(_messages(benchmark, Severity.ERROR)) == 1


class _Executed(Exception):  # noqa: N818 - raised by a pickle
    pass


def _execute():
    Path(os.environ["EXECUTED"]).write_text("yes")
    return np.zeros((2, 7))


class _Hostile:
    def __reduce__(self):
        return _execute, ()


def test_a_codec_that_runs_code_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("EXECUTED", str(tmp_path / "executed"))
    root = _contest(tmp_path / "other")
    _zarr_v2(root / "runs", _distances())
    metadata = root / "runs/A.zarr/.zarray"
    content = json.loads(metadata.read_text())
    metadata.write_text(json.dumps({**content, "compressor": None, "filters": [{"id": "pickle", "protocol": 5}]}))
    for chunk in (root / "runs/A.zarr").glob("?.?"):
        chunk.write_bytes(pickle.dumps(_Hostile()))
    assert _only_error(root) == "runs/A.zarr: uses the codec 'pickle', which is not supported"
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": [2**50, 2]},
        {"shape": [10**6, 10**9]},
        {"shape": "many"},
        {"shape": [6, 20, 3]},
        {"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [0, 0]}}},
        {"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2**30, 2**30]}}},
        {"data_type": "complex128"},
        {"data_type": {"name": "struct"}},
        {"codecs": 5},
        {"zarr_format": 9},
        {"node_type": "group"},
    ],
)
def test_hostile_metadata_is_one_error(tmp_path, changes):
    root = _contest(tmp_path / "other")
    np.save(root / "runs/B.npy", _distances())
    _zarr_v3(root / "runs", _distances())
    metadata = root / "runs/A.zarr/zarr.json"
    metadata.write_text(json.dumps({**json.loads(metadata.read_text()), **changes}))
    benchmark = read_benchmark(root)
    assert [run.name for run in benchmark.runs] == ["B"]
    assert len(_messages(benchmark, Severity.ERROR)) <= 2


def test_lists_of_different_lengths_name_their_row(tmp_path):
    rows = [row.tolist() for row in _distances()]
    rows[3].pop()
    pq.write_table(pa.table({"distances": rows}), tmp_path / "A.parquet")
    with pytest.raises(FormatError, match="the list in row 4 has another length than the first, 21 numbers"):
        np.asarray(read_parquet(tmp_path / "A.parquet").values)


def test_distances_that_are_text_are_named_in_the_error(tmp_path):
    table = {"query": ["q"], "model": ["m"], "distance": ["0.5"]}
    pq.write_table(pa.table(table), tmp_path / "A.parquet")
    with pytest.raises(FormatError, match="no column of numbers named 'distance', 'score' or 'rank'"):
        read_parquet(tmp_path / "A.parquet")


def test_other_columns_are_named_in_the_error(tmp_path):
    pq.write_table(pa.table({"id": MODELS, "class": ["a"] * N_MODELS}), tmp_path / "A.parquet")
    with pytest.raises(FormatError, match="has the columns 'id', 'class'; a run has 'query', 'model' and 'distance'"):
        read_parquet(tmp_path / "A.parquet")


def test_one_column_of_numbers_is_a_matrix_only_with_ids_of_the_benchmark(tmp_path):
    """A table of the areas of the models is ignored, and one of their classes as numbers is no matrix."""
    root = _contest(tmp_path / "contest")
    _parquet_wide(root / "runs", _distances())
    pq.write_table(pa.table({"name": MODELS, "area": np.arange(N_MODELS) / 7}), root / "areas.parquet")
    pq.write_table(pa.table({"name": MODELS, "class": np.arange(N_MODELS) % 2}), root / "classes.parquet")
    benchmark = read_benchmark(root)
    assert [run.name for run in benchmark.runs] == ["A"]
    assert (len(benchmark.queries), len(benchmark.collection)) == (N_QUERIES, N_MODELS)
    with pytest.raises(FormatError, match="has the columns 'name', 'class'"):
        read_parquet(root / "classes.parquet")


@pytest.mark.parametrize("writer", ["zarr 3", "parquet wide"])
def test_a_change_after_opening_is_an_error(tmp_path, monkeypatch, writer):
    monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", 0)
    root = _contest(tmp_path / "other")
    WRITERS[writer](root / "runs", _distances())
    benchmark = read_benchmark(root)
    BANDS.clear()
    if writer == "zarr 3":
        zarr.open_array(root / "runs/A.zarr", mode="r+")[0, 0] = 9
    else:
        WRITERS[writer](root / "runs", _distances(8)[:, ::-1])
    with pytest.raises(FormatError, match="changed after it was opened"):
        evaluate(benchmark, find_profile("default"))


@pytest.mark.parametrize(("writer", "module"), [("zarr 3", "zarr"), ("parquet wide", "pyarrow")])
def test_without_the_extra_one_message_names_it(tmp_path, monkeypatch, writer, module):
    root = _contest(tmp_path / "other")
    np.save(root / "runs/B.npy", _distances())
    WRITERS[writer](root / "runs", _distances())
    monkeypatch.setitem(sys.modules, module, None)
    benchmark = read_benchmark(root)
    assert [run.name for run in benchmark.runs] == ["B"]
    (message,) = _messages(benchmark, Severity.ERROR)
    assert "which requires the extra 'cluster': pip install 'shrec-viewer[cluster]'" in message


def test_blocks_of_stored_matrices_stay_in_their_files(tmp_path, monkeypatch):
    monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", 0)
    root = _contest(tmp_path / "other")
    _zarr_shards(root / "runs", _distances(), 1)
    values = read_benchmark(root).runs[0].ranking.values
    assert isinstance(values, BlockMatrix)
    assert all(isinstance(block, StoredMatrix) for block in values.blocks)


def test_bands_are_whole_chunks_up_to_a_limit(monkeypatch):
    monkeypatch.setattr(array_files, "BAND_BYTES", 100)
    monkeypatch.setattr(array_files, "MAX_BAND_BYTES", 1000)
    assert band_edges(10, 10, 3).tolist() == [0, 9, 10]  # three chunks of 30 bytes
    assert band_edges(10, 50, 3).tolist() == [0, 3, 6, 9, 10]
    assert band_edges(10, 500, 3).tolist() == [0, 2, 4, 6, 8, 10]  # a chunk of 1,500 bytes is decoded twice


def test_the_schema_of_a_parquet_matrix_is_not_made_for_each_column(tmp_path, monkeypatch):
    """Making it takes time for each column: 6,000 columns took minutes."""
    _parquet_wide(tmp_path, _distances())
    schema, made = pq.ParquetFile.schema_arrow.fget, []
    monkeypatch.setattr(pq.ParquetFile, "schema_arrow", property(lambda file: made.append(1) or schema(file)))
    read_parquet(tmp_path / "A.parquet")
    assert 0 < len(made) < N_MODELS / 2
