"""Every reader of text reads the same values in each encoding and notation, packed or not, with a header or without."""

import gzip
import io
import re
import zipfile
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_folders import QUERIES, benchmark_files, list_files, matrix_text, write
from run_samples import VALUES, keyed_lists, labelled, long_table, matrix_words, submission, trec
from test_every_reader import BY_KEY, GOOD, SAMPLES

from shrec_viewer.domain import Severity
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.discovery.recognition import recognise_format
from shrec_viewer.formats.io.text import decode, in_plain_notation, looks_like_text, read_file_head, utf16_codec

DOCUMENTS = ("manifest", "results")
"""Formats of documents, which have one notation only."""

OF_ALL = ("UTF-16 LE", "UTF-16 BE", "UTF-16", "UTF-8 with mark", "CR LF", "CR", "no line end", "gzip")
"""Encodings of any text, also of JSON, which has no comments and one notation of numbers."""

LINES = ("lines", "list_lines", "row_lines", "column_lines")
"""Fields with 1-based lines."""


def _text(key, name):
    data = (SAMPLES / key / "good" / name).read_bytes()
    return decode(data) if looks_like_text(data) else ""


TEXTS = [
    (key, name)
    for key, name in GOOD
    if key not in DOCUMENTS
    and not name.endswith(("_ok.txt", "_junk.txt"))  # read with the file of good models only
    and not name.endswith(".gz")
    and _text(key, name)
]


def _quoted(text):
    return re.sub(r'[^\s,;"]+', r'"\g<0>"', text)


def _with_d(text):
    number = re.compile(r"(?<![^\s,;])-?[0-9]+\.[0-9]+(?![^\s,;])")
    return number.sub(lambda found: f"{float(found[0]):.16E}".replace("E", "D"), text)


def _with_decimal_commas(text):
    """With commas in numbers, and semicolons between cells, as spreadsheets of many countries write them."""
    return re.sub(r"(?<![^\s;])(-?[0-9]+)\.([0-9]+)(?![^\s;])", r"\1,\2", text.replace(",", ";"))


COMMENTS = {
    "percent": "% distances\n%\n%% made by hand: 1, 2; 3\n",
    "hash": "# distances\n#\n## made by hand: 1, 2; 3\n",
    "indented": "  % distances\n\t# of 7\n",
}
ENCODINGS = {
    "UTF-16 LE": lambda text: text.encode("utf-16-le"),
    "UTF-16 BE": lambda text: text.encode("utf-16-be"),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-8 with mark": lambda text: text.encode("utf-8-sig"),
    **{name: lambda text, first=first: (first + text).encode() for name, first in COMMENTS.items()},
    "percent in UTF-16": lambda text: (COMMENTS["percent"] + text).encode("utf-16-le"),
    "percent with mark": lambda text: (COMMENTS["percent"] + text).encode("utf-8-sig"),
    "quoted": lambda text: _quoted(text).encode(),
    "Fortran": lambda text: _with_d(text).encode(),
    "CR LF": lambda text: text.replace("\n", "\r\n").encode(),
    "CR": lambda text: text.replace("\n", "\r").encode(),
    "no line end": lambda text: text.rstrip("\n").encode(),
    "gzip": lambda text: gzip.compress(text.encode()),
    "decimal commas": lambda text: _with_decimal_commas(text).encode(),
}
SHIFTS = {"percent": 3, "hash": 3, "indented": 2, "percent in UTF-16": 3, "percent with mark": 3}


def _content(found, shift=0):
    """Values of all fields as text, with lines as without the first `shift` ones."""
    content = {}

    def moved(message):
        return re.sub(r"(?<=in line )[0-9]+", lambda line: str(int(line[0]) - shift), message)

    for name in (field.name for field in fields(found)):
        value = getattr(found, name)
        if name == "findings":
            value = [(f.severity, f.line and f.line - shift, moved(f.message), f.action, f.count) for f in value]
        elif name in LINES:
            value = np.asarray(value) - shift
        elif name in ("path", "line_kinds", "notes", "lacks_line_end", "commas", "comments", "blank", "malformed"):
            continue
        content[name] = np.asarray(value).tolist() if isinstance(value, np.ndarray) else value
    return repr(content)


def _is_certain(encoding, key, name, text):
    """Whether a text means the same in an encoding: words are cells, and numbers have decimals."""
    if encoding == "quoted":
        return key != "keyed_lists" and not set(text) & set('"#') and not re.search(r"[0-9],[0-9]+;|  ", text)
    if name.endswith((".json", ".jsonl")):
        return encoding in OF_ALL
    if (
        encoding == "decimal commas"
        and key == "matrix"
        and not all("." in word for word in re.findall("[^ ,\n]+", text))
    ):
        return False
    if encoding in ("Fortran", "decimal commas"):
        return key in ("matrix", "labelled_matrix", "trec", "long") and "touching" not in name and ";" not in text
    return encoding != "UTF-16 LE" or text.isascii()


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(("key", "name"), TEXTS)
def test_every_sample_is_read_as_the_plain_file(tmp_path, encoding, key, name):
    text = _text(key, name)
    if not _is_certain(encoding, key, name, text):
        return
    plain, other = tmp_path / "plain" / name, tmp_path / "other" / name
    for path, data in ((plain, text.encode()), (other, ENCODINGS[encoding](text))):
        path.parent.mkdir()
        path.write_bytes(data)
    expected, found = (BY_KEY[key].read(path) for path in (plain, other))
    if encoding == "decimal commas" and key == "matrix":  # a warning says so
        expected, found = (replace(matrix, findings=()) for matrix in (expected, found))
    assert _content(found, SHIFTS.get(encoding, 0)) == _content(expected)
    assert recognise_format(read_file_head(other)) == recognise_format(read_file_head(plain))


RUNS = {
    "TREC": trec(),
    "table": long_table(),
    "submission": submission(),
    "lists in lines": keyed_lists(),
    "ids": labelled(),
    "matrix": matrix_words(),
    "matrix with commas": matrix_words(separator=","),
}


def _ranking(folder, files):
    benchmark = read_benchmark(write(folder, {**benchmark_files(), **files}))
    assert [f for f in benchmark.findings if f.severity is Severity.ERROR] == []
    (run,) = benchmark.runs
    if hasattr(run.ranking, "columns"):
        return np.asarray(run.ranking.values)[run.ranking.rows][:, np.argsort(run.ranking.columns)].tolist()
    distances = run.ranking.distances
    return [run.ranking.items.tolist(), None if distances is None else distances.tolist()]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", RUNS)
def test_every_run_is_read_as_the_plain_file(tmp_path, encoding, kind):
    if (encoding, kind) == ("quoted", "lists in lines"):
        return
    expected = _ranking(tmp_path / "plain", {"A1.txt": RUNS[kind]})
    assert _ranking(tmp_path / "other", {"A1.txt": ENCODINGS[encoding](RUNS[kind])}) == expected


@pytest.mark.parametrize("encoding", ["UTF-16 LE", "UTF-8 with mark", "CR LF", "decimal commas"])
@pytest.mark.parametrize("kind", RUNS)
def test_every_run_in_an_archive_is_read_as_the_plain_file(tmp_path, encoding, kind):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("A1.txt", ENCODINGS[encoding](RUNS[kind]))
    expected = _ranking(tmp_path / "plain", {"A1.txt": RUNS[kind]})
    assert _ranking(tmp_path / "other", {"A1.zip": packed.getvalue()}) == expected


HEADERS = {
    "TREC": "query Q0 model rank score tag",
    "table": "qid,docid,dist",
    "submission": "query,models",
    "matrix": " ".join(map(str, range(24))),
}
"""Headers of files that are read without one as well; in `RUNS` the table has one."""


@pytest.mark.parametrize("encoding", ["plain", "UTF-16 LE", "UTF-8 with mark", "CR LF", "gzip", "decimal commas"])
@pytest.mark.parametrize("kind", HEADERS)
def test_every_run_is_read_with_and_without_a_header(tmp_path, encoding, kind):
    text = RUNS[kind].removeprefix("query,model,distance\n")
    expected = _ranking(tmp_path / "plain", {"A1.txt": RUNS[kind]})
    for name, content in (("without", text), ("with", f"{HEADERS[kind]}\n{text}")):
        data = content.encode() if encoding == "plain" else ENCODINGS[encoding](content)
        assert _ranking(tmp_path / name, {"A1.txt": data}) == expected, name


@pytest.mark.parametrize("line", ["{id} {distance}", "{distance} {id}", "{id},{distance}", "{id}"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_list_of_a_folder_is_read_as_the_plain_file(tmp_path, encoding, line):
    lists = list_files(line=line)
    expected = _ranking(tmp_path / "plain", lists)
    assert _ranking(tmp_path / "other", {name: ENCODINGS[encoding](text) for name, text in lists.items()}) == expected
    mixed = {name: ENCODINGS[encoding](text) if name.endswith("7") else text for name, text in lists.items()}
    assert _ranking(tmp_path / "mixed", mixed) == expected


def test_comments_between_the_lines(tmp_path):
    lines = matrix_text(VALUES).splitlines()
    commented = "".join(f"{line}\n% row {number}\n" for number, line in enumerate(lines, 1))
    expected = _ranking(tmp_path / "plain", {"A1.txt": matrix_text(VALUES)})
    assert _ranking(tmp_path / "other", {"A1.txt": commented}) == expected


IDS = ["1D-03x", "a1.5D-03", "12D-03", "1.5Dx", "m.5D+3a", "D-03", "1.5D", "1.5D3", "02D+03_b"]


@pytest.mark.parametrize("name", IDS)
def test_ids_like_numbers_of_fortran_stay_ids(name):
    data = f"Q1 Q0 {name} 1 0.5 t\n".encode()
    assert in_plain_notation(data) == data


@pytest.mark.parametrize("text", ['"a ""b"" c",d\n', '"a,b",c\n', '"",b\n', 'say "a" \'b\n', '5" pipe,6" pipe\n'])
def test_quotation_marks_with_a_meaning_stay(text):
    kept = text.replace('"a" ', "a ") if text.startswith("say") else text
    assert in_plain_notation(text.encode()).decode() == kept


@pytest.mark.parametrize("text", ["a%b 1\n", "a #b\n", "1.#INF 2\n", "5 % 3\n"])
def test_marks_within_a_line_are_no_comments(text):
    assert in_plain_notation(text.encode()).decode() == text


@given(st.text('ab%#\n\r \t1.5D+-0",;', max_size=60))
def test_lines_keep_their_number(text):
    data = text.encode()
    assert re.findall(rb"[\r\n]", in_plain_notation(data)) == re.findall(rb"[\r\n]", data)
    assert in_plain_notation(in_plain_notation(data)) == in_plain_notation(data) or b'"' in data


BINARY = {
    "float32": np.random.default_rng(1).random(2000, np.float32).tobytes(),
    "float64": np.random.default_rng(1).random(2000).tobytes(),
    "whole numbers": np.arange(2000, dtype="<f4").tobytes(),
    "int16": np.arange(2000, dtype="<i2").tobytes(),
    "int16, small": (np.arange(2000, dtype="<i2") % 20).tobytes(),
    "zeros": bytes(4000),
    "short": b"a\0b\0",
    "Cyrillic": "Привет, модели\n".encode("utf-16-le"),
}


@pytest.mark.parametrize("kind", BINARY)
def test_numbers_are_no_utf16(kind):
    assert utf16_codec(BINARY[kind]) is None


def test_a_folder_of_lists_names_its_comments(tmp_path):
    lists = list_files()
    lists = {name: f"% {name}\n{text}" for name, text in lists.items()}
    findings = read_benchmark(write(tmp_path, {**benchmark_files(), **lists})).findings
    (finding,) = [finding for finding in findings if "comment" in finding.message]
    assert (finding.severity, finding.count) == (Severity.INFO, len(QUERIES))


@pytest.mark.parametrize("text", ["% a report\n\\section{x}\n", "\\begin{tabular}\n\\end{tabular}\n", '% "\n""\n'])
def test_latex_is_no_list(tmp_path, text):
    path = tmp_path / "report.tex"
    path.write_text(text)
    assert recognise_format(read_file_head(path)) != "rank_list"
