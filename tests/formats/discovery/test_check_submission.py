"""A submission alone, checked against classification and queries as organisers do on the evening of the deadline."""

import json
import zipfile

import numpy as np
import pytest
from made_folders import (
    IDS,
    NATURAL,
    QUERIES,
    cla,
    distances,
    list_files,
    matrix_text,
    npy,
    order,
    query_classes,
    write,
)

from shrec_viewer import cli
from shrec_viewer.formats.runs.checks import count_tied_ranks


def in_class_order():
    """The queries as their classification lists them."""
    classes = query_classes()
    return [query for own in dict.fromkeys(classes.values()) for query in QUERIES if classes[query] == own]


def query_names():
    classes = query_classes()
    sizes = [(own, "0", list(classes.values()).count(own)) for own in dict.fromkeys(classes.values())]
    return cla(sizes, in_class_order())


@pytest.fixture
def check(tmp_path, capsys):
    """`check` on a submission: exit status, findings as the JSON for a web form."""
    truth = write(tmp_path / "truth", {"models.cla": cla(), "queries.cla": query_names()})

    def call(files, name):
        path = write(tmp_path / "sent", files) / name
        parts = ["--classification", str(truth / "models.cla"), "--queries", str(truth / "queries.cla")]
        status = cli.main(["check", str(path), *parts, "--format", "json"])
        findings = json.loads(capsys.readouterr().out)["findings"]
        return status, [f for f in findings if not f["file"].startswith(str(truth))]

    return call


def grave(findings):
    return {(f["severity"], f["file"], f["line"], f["message"]) for f in findings if f["severity"] != "info"}


SINGLE = {
    "M.txt": matrix_text(distances()),
    "M.npy": npy(distances()),
    "M.matrix": distances(in_class_order(), IDS).astype("<f4").tobytes(),
    "M.run": "".join(
        f"{query} Q0 {model} {1 + rank} {-rank} M\n" for query in QUERIES for rank, model in enumerate(order(query))
    ),
    "M.csv": "".join(",".join([query, *order(query)]) + "\n" for query in QUERIES),
}


@pytest.mark.parametrize("name", SINGLE)
def test_a_single_file_without_faults(name, check):
    status, findings = check({name: SINGLE[name], "beside.txt": "1 2 3\n" * 24}, name)
    assert (status, grave(findings)) == (0, set())
    assert {finding["file"] for finding in findings} == {name}


def test_a_folder_with_every_fault(check):
    files = list_files("M", queries=QUERIES[2:])
    lines = [files["M/Q3"].splitlines(), files["M/Q4"].splitlines(), files["M/Q5"].splitlines()]
    lines[0][4] = "N777 0.5"
    lines[0][6] = lines[0][2]
    lines[1][3] = lines[1][3].split()[0] + " nan"
    lines[2][2], lines[2][3] = (
        lines[2][2].split()[0] + " " + lines[2][3].split()[1],
        lines[2][3].split()[0] + " " + lines[2][2].split()[1],
    )
    for place, words in enumerate(lines):
        files[f"M/Q{3 + place}"] = "\n".join(words) + "\n"
    files["M/Q6"] = "\n".join(files["M/Q6"].splitlines()[:9]) + "\n"
    files["M/Q99"] = files["M/Q7"]
    status, findings = check(files, "M")
    found = {(severity, file, line) for severity, file, line, _ in grave(findings)}
    messages = " | ".join(finding["message"] for finding in findings)
    assert ("error", "Q3", 5) in found or ("warning", "Q3", 5) in found  # unknown
    assert {file for _, file, _ in found} == {".", "Q3", "Q4", "Q5", "Q6"}  # Q6: shorter than the others
    assert ("Q3", 7) in {(file, line) for _, file, line in found}  # twice in the file
    assert ("Q4", 4) in {(file, line) for _, file, line in found}  # no number
    assert "2 queries have no list: Q1, Q2" in messages
    assert "1 list not named after a query: Q99" in messages
    assert "the lists name 9 to 24 of 24 models" in messages
    assert status == int(any(severity == "error" for severity, _, _ in found))


def test_a_matrix_of_the_wrong_shape_fails(check):
    status, findings = check({"M.txt": matrix_text(distances()[:, :-1])}, "M.txt")
    assert status == 1
    assert ("error", "M.txt", None, "a matrix of 12 x 23, but 12 x 24 is expected (queries x models)") in grave(
        findings
    )


def test_ties_are_counted(check):
    values = np.floor(distances(QUERIES, NATURAL) * 4)
    ordered = np.sort(values, axis=1)
    share = sum(map(count_tied_ranks, ordered)) / values.size
    status, findings = check({"M.txt": matrix_text(values)}, "M.txt")
    message = f"{100 * share:.1f} % of the ranks are tied: the distance equals that of a neighbour"
    assert status == 0
    assert ("warning", "M.txt", None, message) in grave(findings)


@pytest.mark.parametrize(
    ("line", "tied"),
    [([], 0), ([1], 0), ([1, 2], 0), ([1, 1], 2), ([1, 1, 1, 2], 3), ([1, 2, 2, 3, 3], 4), ([np.nan, np.nan], 0)],
)
def test_a_tied_place_equals_a_neighbour(line, tied):
    assert count_tied_ranks(np.array(line, float)) == tied


def test_a_file_of_something_else_is_refused(check):
    status, findings = check({"letter.txt": "Dear reader,\nnothing here to see.\n"}, "letter.txt")
    assert status == 1
    assert "is not a folder, benchmark.toml, .shrec project, .zip, .tar.gz or run" in findings[0]["message"]


def test_an_empty_file_is_called_empty(check):
    status, findings = check({"run.txt": ""}, "run.txt")
    assert (status, findings[0]["message"]) == (1, "the file is empty")


def test_a_zip_of_lists(check, tmp_path):

    (tmp_path / "sent").mkdir(exist_ok=True)
    with zipfile.ZipFile(tmp_path / "sent/method_M.zip", "w") as packed:
        for name, text in list_files("method_M").items():
            packed.writestr(name, text)
    status, findings = check({}, "method_M.zip")
    assert (status, grave(findings)) == (0, set())


def test_a_table_with_every_fault(check):
    rows = [",".join([query, *(model[1:] for model in order(query)[:10])]) + "\n" for query in QUERIES[2:]]
    rows += ["Q1\n", "Q99,3,4,5,6\n", "Q5,1,2,3,4,5\n", "Q2,1,2,2,77\n"]
    status, findings = check({"M.csv": "".join(rows)}, "M.csv")
    assert status == 1
    assert grave(findings) == {
        ("error", "M.csv", 13, "duplicate list of 'Q5' (first in line 3)"),
        ("warning", "M.csv", 12, "1 row of unknown queries: Q99"),
        ("warning", "M.csv", 11, "the list of 'Q1' is empty"),
        ("warning", "M.csv", 14, "unknown id '77' at rank 4"),
        ("warning", "M.csv", 14, "'2' is a duplicate: ranks 2 and 3"),
        ("warning", "M.csv", 14, "1 list is shorter than the others (10 models), and may be truncated: 'Q2' (4)"),
    }
    assert "the lists name 0 to 10 of 24 models" in {finding["message"] for finding in findings}


def test_names_written_otherwise_are_counted_and_a_slip_is_odd(check):
    files = {f"M/{name[2:].replace('Q', 'Q0')}.txt": text for name, text in list_files("M").items()}
    files["M/Q01.txt"] = files["M/Q01.txt"].replace("N14 ", "14 ")
    status, findings = check(files, "M")
    assert status == 0
    assert grave(findings) == {("warning", ".", None, "ids match without the prefix: '14' is 'N14', unlike most ids")}
    reported_findings = {finding["message"]: finding["count"] for finding in findings}
    assert reported_findings["queries match with different leading zeros: 'Q01' is 'Q1'"] == len(QUERIES)
