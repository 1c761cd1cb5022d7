"""Matrices in several files: equal to the joined matrix, ambiguous and unusable blocks, other folders of matrices."""

import numpy as np
import pytest

from shrec_viewer.domain import Severity
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.parallel.cluster import is_in_files
from shrec_viewer.formats.discovery.benchmark import read_benchmark, reload_run
from shrec_viewer.formats.io.array_files import FileMatrix
from shrec_viewer.formats.matrices import matrix
from shrec_viewer.formats.matrices.matrix_blocks import BlockMatrix
from shrec_viewer.metrics import find_profile

N_QUERIES, N_MODELS = 6, 20


def _contest(root, n_queries=N_QUERIES):
    """A folder with a classification of models and one of queries, without runs."""
    root.mkdir()
    (root / "runs").mkdir()
    for name, prefix, count in (("classification.cla", "M", N_MODELS), ("queries.cla", "Q", n_queries)):
        lines = ["PSB 1", f"2 {count}", "", f"cat 0 {count // 2}", *(f"{prefix}{i:03d}" for i in range(count // 2)), ""]
        lines += [f"dog 0 {count - count // 2}", *(f"{prefix}{i:03d}" for i in range(count // 2, count))]
        (root / name).write_text("\n".join(lines) + "\n")
    return root


def _distances(n_queries=N_QUERIES, seed=3):
    return np.random.default_rng(seed).random((n_queries, N_MODELS)).astype(np.float32)


def _write(folder, blocks, kind):
    folder.mkdir(parents=True)
    for number, block in enumerate(blocks):
        if kind == "npy":
            np.save(folder / f"{number}.npy", block)
        else:
            np.ascontiguousarray(block).tofile(folder / f"{number}.bin")


def _messages(benchmark, severity):
    return [f"{finding.message}; {finding.action}" for finding in benchmark.findings if finding.severity is severity]


@pytest.mark.parametrize("kind", ["npy", "raw"])
@pytest.mark.parametrize(("axis", "cuts"), [(0, [1, 3]), (1, [7, 12]), (1, [2, 4, 6, 8, 10, 12, 14, 16, 18])])
def test_blocks_are_scored_like_the_joined_matrix(tmp_path, monkeypatch, kind, axis, cuts):
    monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", 0)  # files of all sizes are read by rows
    values = _distances()
    one, several = _contest(tmp_path / "one"), _contest(tmp_path / "several")
    np.save(one / "runs/A.npy", values)
    _write(several / "runs/A", np.split(values, cuts, axis=axis), kind)
    expected, found = read_benchmark(one), read_benchmark(several)
    assert [run.name for run in found.runs] == ["A"]
    assert _messages(found, Severity.ERROR) == []
    assert isinstance(found.runs[0].ranking.values, BlockMatrix)
    profile = find_profile("default")
    np.testing.assert_array_equal(evaluate(found, profile).raw_values, evaluate(expected, profile).raw_values)
    of = "queries" if axis == 0 else "models"
    joined = [message for message in _messages(found, Severity.INFO) if "joined" in message]
    assert len(joined) == 1
    assert joined[0].endswith(f"joined in the order of their names, as blocks of {of}")


@pytest.mark.parametrize("kind", ["npy", "raw"])
@pytest.mark.parametrize("axis", [0, 1])
def test_memory_is_limited_by_run_not_by_block(tmp_path, monkeypatch, kind, axis):
    """Many small blocks of a large run are read by rows, and can be ranked on workers; those of a small one are not."""
    root, values = _contest(tmp_path / "contest"), _distances()
    _write(root / "runs/A", np.split(values, [(2, 7)[axis]], axis=axis), kind)
    monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", values.nbytes - 1)
    (run,) = read_benchmark(root).runs
    assert is_in_files(run.ranking.values)
    np.testing.assert_array_equal(np.asarray(run.ranking.values), values)
    monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", values.nbytes)
    (run,) = read_benchmark(root).runs
    assert isinstance(run.ranking.values, np.ndarray)
    np.testing.assert_array_equal(run.ranking.values, values)


def test_the_order_is_that_of_numbers_not_of_characters(tmp_path):
    root = _contest(tmp_path / "contest")
    values = _distances()
    _write(root / "runs/A", np.split(values, 20, axis=1), "npy")
    (run,) = read_benchmark(root).runs
    np.testing.assert_array_equal(np.asarray(run.ranking.values), values)


def test_raw_blocks_that_fit_both_ways_name_the_line_that_decides(tmp_path):
    root = _contest(tmp_path / "contest", n_queries=10)
    values = _distances(10)
    _write(root / "runs/A", np.split(values, 5, axis=1), "raw")  # 40 numbers: 2 rows of 20 or 10 of 4
    found = read_benchmark(root)
    (finding,) = [finding for finding in found.findings if "blocks of queries and of models" in finding.message]
    assert finding.severity is Severity.WARNING
    assert 'blocks = "models"' in finding.setting.lines
    (root / "benchmark.toml").write_text("\n".join(finding.setting.lines))
    (run,) = read_benchmark(root).runs
    np.testing.assert_array_equal(np.asarray(run.ranking.values), values)


def test_named_blocks_that_do_not_add_up_are_an_error_with_their_shapes(tmp_path):
    root = _contest(tmp_path / "contest")
    _write(root / "runs/A", np.split(_distances()[:, :-1], [7, 12], axis=1), "npy")
    (root / "benchmark.toml").write_text('[[runs]]\npath = "runs/A"\n')
    found = read_benchmark(root)
    assert found.runs == ()
    expected = (
        "its 3 matrices (0.npy 6 x 7, 1.npy 6 x 5, 2.npy 6 x 7) do not add up to 6 x 20 (queries x models); "
        "the run is ignored"
    )
    assert [message for message in _messages(found, Severity.ERROR) if "add up" in message] == [expected]


@pytest.mark.parametrize(("kind", "axis"), [("npy", 1), ("npy", 0), ("bin", 1)])
def test_a_missing_block_is_one_error_with_the_shapes_of_the_others(tmp_path, kind, axis):
    """The files are called 0, 2, 3, like queries; none is reported as a list of models or a truncated matrix."""
    root = _contest(tmp_path / "contest")
    folder = root / "runs/A"
    _write(folder, np.split(_distances(), [2, 4, 5], axis=axis), kind)
    next(folder.glob("1.*")).unlink()
    found = read_benchmark(root)
    assert found.runs == ()
    (message,) = _messages(found, Severity.ERROR)
    assert message.startswith(f"its 3 matrices (0.{kind} ")
    assert message.endswith(" do not add up to 6 x 20 (queries x models); the run is ignored")
    assert not [text for text in _messages(found, Severity.WARNING) if "named after" in text]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("missing_bytes", [4, 2])
@pytest.mark.parametrize("is_named", [False, True])
def test_a_truncated_raw_block_is_one_error_that_names_it(tmp_path, axis, missing_bytes, is_named):
    """Also where its bytes are not those of whole numbers, so that it is no matrix by itself."""
    root = _contest(tmp_path / "contest")
    _write(root / "runs/A", np.split(_distances(), [2, 4, 5], axis=axis), "raw")
    block = root / "runs/A/1.bin"
    block.write_bytes(block.read_bytes()[:-missing_bytes])
    if is_named:
        blocks = ("queries", "models")[axis]
        (root / "benchmark.toml").write_text(f'[[runs]]\npath = "runs/A"\nblocks = "{blocks}"\n')
    found = read_benchmark(root)
    assert found.runs == ()
    (message,) = _messages(found, Severity.ERROR)
    assert "do not add up to 6 x 20 (queries x models)" in message
    assert message.endswith("; 1.bin is no block of it; the run is ignored")


@pytest.mark.parametrize("is_named", [False, True])
def test_a_truncated_npy_block_is_not_an_error_of_the_other_blocks(tmp_path, is_named):
    root = _contest(tmp_path / "contest")
    _write(root / "runs/A", np.split(_distances(), [7, 12], axis=1), "npy")
    block = root / "runs/A/1.npy"
    block.write_bytes(block.read_bytes()[:-4])
    if is_named:
        (root / "benchmark.toml").write_text('[[runs]]\npath = "runs/A"\n')
    found = read_benchmark(root)
    assert found.runs == ()
    errors = [finding for finding in found.findings if finding.severity is Severity.ERROR]
    assert {finding.file for finding in errors} <= {"runs/A", "runs/A/1.npy"}
    assert sum("is truncated" in finding.message for finding in errors) == 1


def test_a_foreign_matrix_beside_blocks_is_named(tmp_path):
    root = _contest(tmp_path / "contest")
    _write(root / "runs/A", np.split(_distances(), [7, 12], axis=1), "npy")
    np.save(root / "runs/A/embedding.npy", np.zeros((3, 4), np.float32))
    (message,) = _messages(read_benchmark(root), Severity.ERROR)
    assert message.endswith("; embedding.npy is no block of it; the run is ignored")


@pytest.mark.parametrize(
    ("kind", "cuts", "is_named"),
    [
        *((kind, cuts, True) for kind in ("npy", "raw") for cuts in ([5, 10, 15], [6, 11])),
        ("npy", [5, 10, 15], False),
        ("npy", [6, 11], False),
        ("raw", [6, 11], False),  # the others fit both ways
    ],
)
def test_blocks_as_wide_as_high_are_not_runs_of_the_queries_against_each_other(tmp_path, kind, cuts, is_named):
    """Also where one of them is; the blocks are `queries x models` together, and file names tell the tables apart."""
    root = _contest(tmp_path / "contest", n_queries=5)
    _write(root / "runs/A", np.split(_distances(5), cuts, axis=1), kind)
    if is_named:  # then the tables can have any names
        (root / "classification.cla").rename(root / "2.cla")
        (root / "queries.cla").rename(root / "1.cla")
        (root / "benchmark.toml").write_text('[[runs]]\npath = "runs/A"\nblocks = "models"\n')
    found = read_benchmark(root)
    assert (len(found.queries), len(found.collection)) == (5, N_MODELS)
    assert _messages(found, Severity.ERROR) == []
    (run,) = found.runs
    np.testing.assert_array_equal(np.asarray(run.ranking.values), _distances(5))


@pytest.mark.parametrize(("kind", "names"), [("npy", "{}"), ("raw", "part-{:03d}")])
@pytest.mark.parametrize(("n_queries", "axis", "cuts"), [(6, 1, [6, 13]), (60, 0, [20, 40])])
@pytest.mark.parametrize("missing", [1, 2])
def test_a_square_block_is_no_run_of_its_own_where_another_is_missing(
    tmp_path, kind, names, n_queries, axis, cuts, missing
):
    root = _contest(tmp_path / "contest", n_queries)
    _write(root / "runs/A", np.split(_distances(n_queries), cuts, axis=axis), kind)
    for block in [*(root / "runs/A").iterdir()]:
        if int(block.stem) == missing:
            block.unlink()
        else:
            block.rename(block.with_stem(names.format(int(block.stem))))
    found = read_benchmark(root)
    assert found.runs == ()
    (message,) = _messages(found, Severity.ERROR)
    assert f" do not add up to {n_queries} x 20 (queries x models)" in message


def test_square_matrices_called_by_numbers_are_runs(tmp_path):
    """With a second classification of the same models, and beside a table of queries of another benchmark."""
    root = _contest(tmp_path / "contest")
    (root / "queries.cla").rename(root / "other.cla")
    (root / "coarse.cla").write_bytes((root / "classification.cla").read_bytes())
    for name in ("1", "2"):
        np.save(root / f"runs/{name}.npy", _distances(N_MODELS, int(name)))
    found = read_benchmark(root)
    assert [run.name for run in found.runs] == ["1", "2"]
    assert len(found.collection) == len(found.queries) == N_MODELS


@pytest.mark.parametrize("name", ["Thumbs.db", "2.npy.tmp", "notes.txt"])
def test_other_files_in_the_folder_are_not_blocks(tmp_path, name):
    root = _contest(tmp_path / "contest")
    _write(root / "runs/A", np.split(_distances(), [7, 12], axis=1), "npy")
    (root / "runs/A" / name).write_bytes(b"\xd0\xcf\x11\xe0" + bytes(40))
    (run,) = read_benchmark(root).runs
    np.testing.assert_array_equal(np.asarray(run.ranking.values), _distances())


def test_a_block_without_numbers_is_an_error_and_does_not_hide_that_the_others_add_up(tmp_path):
    root = _contest(tmp_path / "contest")
    _write(root / "runs/A", [*np.split(_distances(), [7], axis=1), np.empty((N_QUERIES, 0))], "npy")
    found = read_benchmark(root)
    assert found.runs == ()
    assert _messages(found, Severity.ERROR)[0].startswith("contains an array of shape 6 x 0")
    assert not [message for message in _messages(found, Severity.ERROR) if "do not add up" in message]


def test_blocks_of_unequal_height_are_not_lists_of_models(tmp_path):
    root = _contest(tmp_path / "contest")
    values = _distances()
    _write(root / "runs/A", [values[:, :7], values[:5, 7:]], "npy")
    found = read_benchmark(root)
    assert found.runs == ()
    assert not [text for severity in Severity for text in _messages(found, severity) if "named after" in text]
    (message,) = _messages(found, Severity.ERROR)
    assert message.endswith("; 1.npy is no block of it; the run is ignored")


def test_complete_runs_in_a_folder_are_not_blocks(tmp_path):
    root = _contest(tmp_path / "contest")
    for name in ("A", "B"):
        np.save(root / f"runs/{name}.npy", _distances(seed=ord(name)))
    assert [run.name for run in read_benchmark(root).runs] == ["A", "B"]


def test_a_changed_block_is_not_mixed_with_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", 0)
    root = _contest(tmp_path / "contest")
    values = _distances()
    _write(root / "runs/A", np.split(values, [10], axis=1), "npy")
    found = read_benchmark(root)
    changed = np.flip(values[:, 10:], axis=0)
    np.save(root / "runs/A/1.npy", np.concatenate([changed, changed]))
    with pytest.raises(Exception, match="changed after it was opened"):
        evaluate(found, find_profile("default"))
    np.save(root / "runs/A/1.npy", changed)
    again = reload_run(found, 0).run
    np.testing.assert_array_equal(np.asarray(again.ranking.values), np.concatenate([values[:, :10], changed], axis=1))


@pytest.mark.parametrize("axis", [0, 1])
def test_rows_of_a_block_matrix_are_those_of_the_joined_array(axis):
    values = _distances()
    blocks = BlockMatrix(tuple(np.split(values, [2, 3], axis=axis)), axis)
    assert (blocks.shape, blocks.size, len(blocks)) == (values.shape, values.size, len(values))
    for rows in (0, -1, slice(1, 5), slice(None, None, -2), np.array([5, 0, 2, 2]), np.array([], int)):
        np.testing.assert_array_equal(blocks[rows], values[rows])
    np.testing.assert_array_equal(np.stack(list(blocks)), values)
    assert isinstance(np.asarray(blocks), np.ndarray)
    assert not isinstance(blocks, FileMatrix)
