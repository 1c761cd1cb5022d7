"""Live reload below the window: a run is read again as by opening the folder again, or a message gives the reason."""

import os
import shutil
import zipfile

import numpy as np
import pytest
from made_folders import QUERIES, benchmark_files, distances, list_files, matrix_text, npy, write

from shrec_viewer.domain import Cancelled, DistanceMatrix, FormatError
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.benchmark import read_benchmark, reload_run, with_run


def trec(scale=1.0):
    rows = []
    for query, line in zip(QUERIES, distances(), strict=True):
        rows += [f"{query} Q0 N{place + 1} 1 {-scale * far!r} t\n" for place, far in enumerate(line.tolist())]
    return "".join(rows)


FIRST = {
    "runs/L1": list_files("runs/L1"),
    "runs/M.txt": {"runs/M.txt": matrix_text(distances())},
    "runs/N.npy": {"runs/N.npy": npy(distances())},
    "runs/T.run": {"runs/T.run": trec()},
}
SECOND = {
    "runs/L1": list_files("runs/L1", line="{number} 0.5"),
    "runs/M.txt": {"runs/M.txt": matrix_text(distances(seed=11))},
    "runs/N.npy": {"runs/N.npy": npy(distances(seed=11))},
    "runs/T.run": {"runs/T.run": trec(2.0)},
}


@pytest.fixture
def folder(tmp_path):
    return write(
        tmp_path, {**benchmark_files(), **{name: text for run in FIRST.values() for name, text in run.items()}}
    )


def same(one, other):
    if isinstance(one, DistanceMatrix):
        pairs = [(one.values, other.values), (one.rows, other.rows), (one.columns, other.columns)]
        pairs.append((one.similarity, other.similarity))
    else:
        names = ("indptr", "items", "distances", "present")
        pairs = [(getattr(one, name), getattr(other, name)) for name in names]
    return all(np.array_equal(a, b, equal_nan=np.asarray(a).dtype.kind == "f") for a, b in pairs)


@pytest.mark.parametrize("place", range(4))
def test_reloaded_run_equals_run_of_reopened_folder(folder, place):
    before = read_benchmark(folder)
    run = before.runs[place]
    write(folder, SECOND[f"runs/{run.source.name}"])
    again = reload_run(before, place)
    fresh = read_benchmark(folder)
    assert (again.run.name, again.run.participant) == (run.name, run.participant)
    assert same(again.run.ranking, fresh.runs[place].ranking)
    assert not same(again.run.ranking, run.ranking)
    joined = with_run(before, place, again)
    assert joined.runs[place] is again.run
    assert all(joined.runs[other] is before.runs[other] for other in range(4) if other != place)
    assert sorted(map(str, joined.findings)) == sorted(map(str, fresh.findings))


def test_options_precede_the_manifest_which_precedes_detection(folder):
    (folder / "benchmark.toml").write_text('[[runs]]\npath = "runs/M.txt"\nname = "Mine"\nsimilarity = true\n')
    before = read_benchmark(folder)
    assert before.runs[0].name == "Mine"
    again = reload_run(before, 0)
    assert again.run.name == "Mine"
    assert again.run.ranking.similarity
    assert not reload_run(before, 0, read_options=ReadOptions(similarity=False)).run.ranking.similarity


@pytest.mark.parametrize(
    ("place", "text"),
    [(1, "1 2 3\n"), (1, "1 2 3\n4 5 x\n"), (2, "\x93NUMPY"), (3, "Q1 Q0\n"), (3, "")],
)
def test_invalid_toml_is_an_error(folder, place, text):
    before = read_benchmark(folder)
    before.runs[place].source.write_bytes(text.encode("latin-1"))
    with pytest.raises(FormatError) as caught:
        reload_run(before, place)
    assert caught.value.path == before.runs[place].source
    assert "\n" not in str(caught.value)


def test_missing_run_is_an_error(folder):
    before = read_benchmark(folder)
    shutil.rmtree(folder / "runs/L1")
    os.remove(folder / "runs/T.run")
    for place in (0, 3):
        with pytest.raises(FormatError, match="does not exist"):
            reload_run(before, place)


def test_broken_list_is_an_error_and_removed_list_a_missing_query(folder):
    before = read_benchmark(folder)
    (folder / "runs/L1/Q3").write_bytes(b"\0\1\2" * 40)
    with pytest.raises(FormatError, match="is not a text file") as caught:
        reload_run(before, 0)
    assert caught.value.path == folder / "runs/L1/Q3"
    os.remove(folder / "runs/L1/Q3")
    again = reload_run(before, 0)
    assert [QUERIES[query] for query in np.flatnonzero(~again.run.present)] == ["Q3"]
    assert any("1 query has no list: Q3" in finding.message for finding in again.findings)


def test_unreadable_list_does_not_prevent_reload(folder):
    (folder / "runs/L1/Q3").write_bytes(b"\0\1\2" * 40)
    before = read_benchmark(folder)
    write(folder, {"runs/L1/Q4": "N3 0.5\nN4 0.75\n"})
    assert reload_run(before, 0).run.ranking.indptr[4] - reload_run(before, 0).run.ranking.indptr[3] == 2


def test_writing_can_be_cancelled(folder):
    with pytest.raises(Cancelled):
        reload_run(read_benchmark(folder), 0, cancelled=lambda: True)


def test_a_benchmark_names_the_files_it_was_read_from(tmp_path):
    write(
        tmp_path,
        {
            "tiny.cla": "PSB 1\n2 4\n\na 0 2\nN1\nN2\nb 0 2\nN3\nN4\n",
            "runs/M1/N1": "N2 0.1\nN3 0.2\n",
            "runs/M1/N2": "N1 0.1\nN3 0.2\n",
            "runs/M2.txt": "0 1 2 3\n1 0 2 3\n1 2 0 3\n1 2 3 0\n",
            "models/N1.off": "OFF\n0 0 0\n",
            "notes.md": "Some notes.\n",
            "benchmark.toml": "[benchmark]\nname = 'b'\n",
        },
    )
    with zipfile.ZipFile(tmp_path / "M3.zip", "w") as archive:
        archive.writestr("N1", "N2 0.1\nN3 0.2\n")
        archive.writestr("N2", "N1 0.1\nN3 0.2\n")
    benchmark = read_benchmark(tmp_path)
    assert [run.name for run in benchmark.runs] == ["M1", "M2", "M3"]
    expected = ["M3.zip", "benchmark.toml", "runs/M1", "runs/M2.txt", "tiny.cla"]
    assert sorted(path.relative_to(tmp_path).as_posix() for path in benchmark.sources) == expected


def test_files_that_cannot_be_read_are_sources(tmp_path):
    write(tmp_path, {"tiny.cla": "PSB 1\n1 2\n\na 0 2\nN1\nN2\n", "bad.cla": "PSB 1\n1 2\n\na 0 2\nN1\n"})
    assert set(read_benchmark(tmp_path).sources) == {tmp_path / "tiny.cla", tmp_path / "bad.cla"}
