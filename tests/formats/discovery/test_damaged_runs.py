"""Surplus cells, repeated keys and changed headers in every format of runs: errors and warnings with file and line."""

import io
import warnings
import zipfile

import numpy as np
import pytest
from made_folders import cla, distances, npy, qrels, write
from run_samples import SAMPLE_RUNS, VALUES

from shrec_viewer.domain import FormatError, Severity
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark


def opened(folder, name, data, *, order="names"):
    files = {"classes.cla": cla(), "truth.txt": qrels(), "runs/B.npy": npy(distances()), f"runs/{name}": data}
    return read_benchmark(write(folder, files), BenchmarkParts(read_options=ReadOptions(order=order)))


def changed(name, line, change):
    """The sample with one line changed; lines are counted from 1."""
    suffix, text = SAMPLE_RUNS[name]
    lines = text.split("\n")
    lines[line - 1] = change(lines[line - 1])
    return f"A{suffix}", "\n".join(lines)


def repeated(name, line):
    """The sample with one line a second time at its end."""
    suffix, text = SAMPLE_RUNS[name]
    return f"A{suffix}", text + text.split("\n")[line - 1] + "\n"


def doubled_npz():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        packed.writestr("D.npy", npy(VALUES))
        packed.writestr("D.npy", npy(VALUES[:, ::-1]))
    return stream.getvalue()


NPY, FLOAT32_NPY = SAMPLE_RUNS["npy"][1], SAMPLE_RUNS["float32 npy"][1]

DAMAGES = {
    "cell more in a matrix": (*changed("text", 5, lambda line: line + " 0.5"), 5, "25 numbers in this line"),
    "cell less in a matrix": (*changed("text", 5, lambda line: line[:-9]), 5, "23 numbers in this line"),
    "cell more in a comma matrix": (*changed("comma text", 5, lambda line: line + ",0.5"), 5, "25 numbers in this"),
    "cell more in a matrix with ids": (*changed("ids", 5, lambda line: line + ",0.5"), 5, "25 numbers in this line"),
    "id more than columns": (
        *changed("ids", 1, lambda line: line + ",N99"),
        1,
        "this line has 26 cells",
    ),
    "row twice": (*repeated("ids", 4), 14, "1 row has the id of another: Q3"),
    "column twice": (*changed("ids", 1, lambda line: line.replace("N5,", "N4,")), 1, "1 column has the id of another"),
    "word more in a TREC line": (*changed("trec", 8, lambda line: line + " x"), 8, "6 columns 'query Q0 model rank"),
    "pair twice in TREC": (*repeated("trec", 6), 289, "is a duplicate: ranks"),
    "cell more in a table of pairs": (*changed("long", 8, lambda line: line + ",x"), 8, "this line has 4 cells"),
    "cell more far down": (*changed("long", 200, lambda line: line + ",x"), 200, "more than 3 cells in this line"),
    "pair twice": (*repeated("long", 6), 290, "is a duplicate: ranks"),
    "quotation mark": (*changed("submission", 5, lambda line: line.replace(",", ',"', 1)), 5, "is not closed"),
    "quotation mark far down": (*changed("long", 200, lambda line: '"' + line), 200, "is not closed"),
    "model more in a list": (*changed("submission", 5, lambda line: line + ",N3"), 5, "'N3' is a duplicate"),
    "unknown model more": (*changed("submission", 5, lambda line: line + ",N99"), 5, "unknown id 'N99' at rank 25"),
    "query twice": (*repeated("submission", 4), 13, "duplicate list of 'Q4' (first in line 4)"),
    "key twice": (*repeated("keyed lists", 4), 13, "duplicate list of 'Q4' (first in line 4)"),
    "model twice in JSON": (
        *("A.json", SAMPLE_RUNS["json scores in lines"][1].replace('"N12"', '"N13"', 1)),
        *(13, "'N13' is a duplicate"),
    ),
    "bytes more": ("A.npy", NPY + b"1234", None, "4 bytes after the matrix, beyond what its header declares"),
    "type of half the size": ("A.npy", NPY.replace(b"<f8", b"<f4"), None, "1,152 bytes after the matrix"),
    "type of twice the size": ("A.npy", FLOAT32_NPY.replace(b"<f4", b"<f8"), None, "is truncated: 1,280 bytes"),
    "other byte order": ("A.npy", FLOAT32_NPY.replace(b"<f4", b">f4"), None, "most values are below 1e-15 or above"),
    "fewer rows in the header": ("A.npy", NPY.replace(b"(12, 24)", b"(11, 24)"), None, "bytes after the matrix"),
    "exchanged axes": ("A.npy", NPY.replace(b"(12, 24)", b"(24, 12)"), None, "the transpose of 12 x 24"),
    "bytes more in a binary matrix": ("A.matrix", SAMPLE_RUNS["float32"][1] + b"ab", None, "1,154 bytes"),
    "number more in a binary matrix": ("A.matrix", SAMPLE_RUNS["float32"][1] + b"abcd", None, "1 number too many"),
    "MATLAB type of half the size": ("A.mat", b"\n" + SAMPLE_RUNS["mat4"][1][1:], None, "1,152 bytes after the last"),
    "name twice in npz": ("A.npz", doubled_npz(), None, "'D' is in the file twice"),
}
"""File name, content, line and part of the finding."""

WITH_IDS = ("cell more in a matrix with ids", "id more than columns", "row twice", "column twice")


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_a_finding_with_line_and_action(damage, tmp_path):
    name, data, line, words = DAMAGES[damage]
    benchmark = opened(tmp_path, name, data, order=None if damage in WITH_IDS else "names")
    assert "B" in [run.name for run in benchmark.runs]
    found = [finding for finding in benchmark.findings if words in finding.message]
    assert len(found) == 1, list(map(str, benchmark.findings))
    assert (found[0].file, found[0].line) == (f"runs/{name}", line)
    assert found[0].severity in (Severity.ERROR, Severity.WARNING)
    assert found[0].action


def test_surplus_and_lacking_cells_that_cancel_out_are_no_matrix(tmp_path):
    """The size fits, but all rows between are shifted by one column."""
    lines = SAMPLE_RUNS["text"][1].split("\n")
    lines[3], lines[6] = lines[3] + " 0.5", lines[6][:-9]
    benchmark = opened(tmp_path, "A.txt", "\n".join(lines))
    assert [run.name for run in benchmark.runs] == ["B"]
    assert benchmark.has_errors


@pytest.mark.parametrize("per_line", [7, 10, 24, 100])
@pytest.mark.parametrize("by_row", [True, False])
def test_wrapped_matrices_are_read(per_line, by_row, tmp_path):
    """The tools of the contests ignore line breaks."""
    rows = VALUES if by_row else VALUES.reshape(1, -1)
    text = "".join(
        " ".join(f"{value:.6f}" for value in row[start : start + per_line]) + "\n"
        for row in rows
        for start in range(0, len(row), per_line)
    )
    benchmark = opened(tmp_path, "A.txt", text)
    assert not benchmark.has_errors
    ranking = benchmark.run("A").ranking
    assert np.array_equal(np.asarray(ranking.values), np.round(VALUES, 6))


def test_repeated_key_of_the_manifest_is_an_error_with_line(tmp_path):
    write(tmp_path, {"classes.cla": cla(), "benchmark.toml": '[benchmark]\nname = "A"\nname = "B"\n'})
    with pytest.raises(FormatError, match=r"benchmark\.toml:3: is not valid TOML"):
        read_benchmark(tmp_path)
