"""Files that look like a run and cannot be read are a warning that names them, in every command."""

import pickle
import zipfile
from io import BytesIO

import numpy as np
import pytest
from made_folders import IDS, QUERIES, benchmark_files, distances, list_files, write

from shrec_viewer.cli import main
from shrec_viewer.domain import Severity
from shrec_viewer.formats.discovery.benchmark import read_benchmark

VALUES = distances(columns=IDS)


def _text(number="{:.6f}", separator=" ", first="", last=""):
    rows = (separator.join(number.format(value) for value in row) for row in VALUES)
    return first + "".join(f"{row}\n" for row in rows) + last


def _fortran(letter):
    return _text("{:.6E}").replace("E", letter)


def _zip(name):
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(name, "<x/>")
    return stream.getvalue()


READ = {
    "percent": ("S.txt", _text(first="% distances of a method\n")),
    "percent alone": ("S.dat", _text(first="%\n%%\n")),
    "Fortran": ("S.txt", _fortran("D")),
    "Fortran, small": ("S.txt", _fortran("d")),
    "quoted": ("S.csv", _text('"{:.6f}"', ",")),
    "quoted, semicolons": ("S.txt", _text('"{:.6f}"', ";")),
    "UTF-16 LE": ("S.txt", _text().encode("utf-16-le")),
    "UTF-16 BE": ("S.txt", _text().encode("utf-16-be")),
}
"""What can only mean one thing."""


def _read(folder, name, content):
    """Values of the run S, and the findings about its file."""
    benchmark = read_benchmark(write(folder, {**benchmark_files(), **list_files("R"), name: content}))
    assert [run.name for run in benchmark.runs] == ["R", "S"]
    matrix = benchmark.runs[1].ranking
    about = [(f.severity, f.line, f.message, f.action) for f in benchmark.findings if name in f.file]
    return np.asarray(matrix.values)[matrix.rows].tolist(), matrix.columns.tolist(), about


@pytest.mark.parametrize("kind", READ)
def test_a_run_that_can_only_mean_one_thing_is_read(tmp_path, kind):
    name, content = READ[kind]
    assert _read(tmp_path / "other", name, content) == _read(tmp_path / "plain", name, _text())


FILES = {
    "slashes": ("S.txt", _text(first="// made by hand\n"), "'// made by hand'"),
    "semicolon": ("S.txt", _text(first="; made by hand\n"), "'; made by hand'"),
    "lists with percent": (
        "S.txt",
        "".join(f"% {query}\n{IDS[0]} 1.5 7\n{IDS[1]} 2.5 8\n" for query in QUERIES),
        f":2: warning: is of no format of runs, but has lines of ids and numbers; this line is '{IDS[0]} 1.5 7'",
    ),
    "empty": ("S.txt", "", "is empty"),
    "blanks": ("S.txt", "  \n\n", "has no rows"),
    "separators": ("S.csv", ",,,\n", "has no rows"),
    "pipes": ("S.csv", "|||\n", "has no rows"),
    "zero-width blanks": ("S.txt", "\u200b\n\u2060\n", "has no rows"),
    "NULs": ("S.txt", bytes(1001), "is not a text file"),
    "renamed archive": ("S.txt", _zip("runs/S.txt"), "is not a text file"),
    "damaged array": ("S.npz", b"\x80\x04" + bytes(range(256)), "does not begin like a .npz file"),
    "LFS pointer": ("S.npy", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "begin like a .npy file"),
    "hexadecimal": ("S.txt", "".join(f"{' '.join(map(float.hex, row))}\n" for row in VALUES.tolist()), "0x1."),
    "complex": ("S.txt", _text("{:.6f}j"), "lines of ids and numbers"),
    "complex in brackets": ("S.txt", _text("({:.6f}+0j)"), "lines of ids and numbers"),
    "printed array": ("S.txt", np.array2string(VALUES, threshold=9), "an array as it is printed, with '...'"),
    "login page": ("S.txt", "\n<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>\n", "HTML or XML"),
    "error of a server": ("S.csv", '<?xml version="1.0"?><Error><Code>403</Code></Error>', "HTML or XML"),
    "status of a server": ("S.txt", "404: Not Found\n", "holds a message instead of a run, as a failed download"),
    "refusal": ("S.csv", "Access denied\n", "'Access denied'"),
    "refusal as JSON": ("S.json", '{"message": "Not Found", "status": "404"}\n', "holds a message"),
    "JSON in several lines": ("S.json", '{\n "error": {\n  "code": 403\n }\n}\n', "holds a message"),
    "text pointer of LFS": ("S.txt", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "holds a message"),
    "pointer of git-annex": ("S.txt", "/annex/objects/SHA256E-s12--4d7a2146.txt\n", "holds a message"),
    "rclone": ("S.run", "2024/05/01 12:00:00 ERROR : S.run: Failed to copy: googleapi\n", "holds a message"),
    "wget": ("S.txt", "Resolving example.org... failed: Unknown name.\nwget: unable to resolve\n", "holds a message"),
    "traceback": (
        "S.txt",
        'Traceback (most recent call last):\n  File "a.py", line 3\nKeyError: 5\n',
        "holds a message",
    ),
    "short binary matrix": ("S.bin", VALUES.tobytes()[:-7], "is of no format of runs: 2,297 bytes, and a binary"),
    "random bytes": ("S.dat", bytes(np.random.default_rng(1).integers(0, 256, 999, np.uint8)), "999 bytes, and a"),
    "vectors of FAISS": (
        "S.fvecs",
        np.insert(np.float32(VALUES), 0, np.int32(24).view("f4"), axis=1).tobytes(),
        "a file of vectors",
    ),
    "damaged Zarr": ("S.zarr/.zarray", '{"zarr_format": 2, "chunks"', "is no matrix of Zarr"),
    "YAML": ("S.txt", "---\n", "has no rows"),
    "empty list": ("S.txt", "[]", "has no rows"),
    "empty object": ("S.json", "{}\n", "has no rows"),
    "null": ("S.txt", "null\n", "has no rows"),
    "Arrow": ("S.feather", b"ARROW1" + bytes(600), "a file of Arrow"),
    "spreadsheet": ("S.xlsx", _zip("xl/worksheets/sheet1.xml"), "a spreadsheet"),
    "old spreadsheet": ("S.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "a spreadsheet"),
    "pickle": ("S.pkl", pickle.dumps(VALUES), "a pickle"),
    "PyTorch": ("S.pt", _zip("archive/data.pkl"), "PyTorch"),
    "HDF5": ("S.h5", b"\x89HDF\r\n\x1a\n" + bytes(2000), "HDF5"),
}

NOT_A_NUMBER = {
    "slashes": "error: '//' is not a number; ignored",
}
"""Files that are certainly a matrix, and thus an error."""


@pytest.mark.parametrize("command", ["evaluate", "check"])
@pytest.mark.parametrize("kind", FILES)
def test_a_run_that_cannot_be_read_is_a_warning(tmp_path, kind, command, capsys):
    path, content, fault = FILES[kind]
    name = path.split("/")[0]
    write(tmp_path, {**benchmark_files(), **list_files("R"), path: content})
    status = main([command, str(tmp_path)])
    printed = capsys.readouterr()
    (line,) = [line for line in (printed.out + printed.err).splitlines() if name in line]
    if kind in NOT_A_NUMBER:
        assert (status, line.removeprefix("shrec-viewer: ")) == (1, f"{name}:1: {NOT_A_NUMBER[kind]}")
        return
    assert status == 0
    assert "warning" in line
    assert fault in line
    assert "ignored; if it is a run, " in line


@pytest.mark.parametrize("kind", FILES)
def test_beside_a_matrix_it_is_named_as_well(tmp_path, kind):
    path, content, _ = FILES[kind]
    name = path.split("/")[0]
    write(tmp_path, {**benchmark_files(), "A.matrix": _text(), path: content})
    benchmark = read_benchmark(tmp_path)
    assert [run.name for run in benchmark.runs] == ["A"]
    (finding,) = [finding for finding in benchmark.findings if name in finding.file + finding.message]
    assert finding.severity is not Severity.INFO


@pytest.mark.parametrize("kind", ["YAML", "null", "login page", "printed array", "status of a server"])
def test_in_a_folder_of_runs_it_is_named_wherever_the_others_are(tmp_path, kind):
    name, content, fault = FILES[kind]
    write(tmp_path, {**benchmark_files(), **list_files("R"), f"runs/{name}": content})
    (finding,) = [finding for finding in read_benchmark(tmp_path).findings if name in finding.file + finding.message]
    assert finding.severity is Severity.WARNING
    assert fault in finding.message


DOCUMENTS = {
    "README": "These are the distances of the method.\nThe first row is Q1.\nSee page 7 of the paper.\n",
    "README.txt": "Version 1.0 of 2024\n\n12 queries, 24 models\nWritten by Ada Byron in London\n",
    "notes.txt": "The run B failed on Q3 and was not sent.\n",
    "team.txt": "Ada Byron, London: sent in time.\n",
    "paper.txt": "A text of many lines.\n" * 30 + "It has an error.\n",
    "page.html": "<html></html>",
    "page.svg": "<svg/>",
    "shell.txt": "Select '...' to see the 3 pages\nand '1.5f' to see none.\n",
    "notes.md": "1 2 3\n4 5 6\n",
    "run.log": "",
    "script.py": "",
    "binary.dat2": bytes(np.random.default_rng(1).integers(0, 256, 999, np.uint8)),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_stay_a_note(tmp_path, name):
    write(tmp_path, {**benchmark_files(), **list_files("R"), name: DOCUMENTS[name]})
    found = [finding for finding in read_benchmark(tmp_path).findings if name in finding.file + finding.message]
    assert [finding.severity for finding in found] == [Severity.INFO]


@pytest.mark.parametrize("has_queries", [True, False])
def test_vertices_of_a_mesh_stay_a_note(tmp_path, has_queries):
    files = benchmark_files() if has_queries else {"a.off": "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"}
    meshes = {"models/N1.gltf": "{}"} if has_queries else {}
    write(tmp_path, {**files, **meshes, "models/N1.bin": FILES["random bytes"][1]})
    found = [finding for finding in read_benchmark(tmp_path).findings if "N1.bin" in finding.file + finding.message]
    assert [finding.severity for finding in found] == [Severity.INFO]
