"""One fault of the levels is one finding, and the finding says what is wrong with them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_folders import list_files, qrels, write

from shrec_viewer.cli import main
from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.discovery.reader_table import read_json_truth
from shrec_viewer.formats.truth.qrels import MAX_LEVEL, read_qrels

FAULTS = {
    "1000": "the level 1000 is above 255",
    "256": "the level 256 is above 255",
    "99999999999": "the level 99999999999 is above 255",
    "0.5": "the level '0.5' is not an integer",
    "1.5e0": "the level '1.5e0' is not an integer",
    "high": "the level 'high' is not an integer",
    "nan": "the level 'nan' is not an integer",
    "inf": "the level 'inf' is not an integer",
    "1_0": "the level '1_0' is not an integer",
}


def _replaced(level: str) -> str:
    """The levels of `made_folders` with another one in place of 2."""
    return "".join(line.replace(" 2\n", f" {level}\n") for line in qrels().splitlines(keepends=True))


@pytest.mark.parametrize("level", FAULTS)
@pytest.mark.parametrize("command", ["evaluate", "check"])
def test_a_fault_of_many_lines_is_one_finding(tmp_path, level, command, capsys):
    write(tmp_path, {"truth.txt": _replaced(level), **list_files()})
    assert main([command, str(tmp_path)]) == 1
    printed = "".join(capsys.readouterr())
    count = qrels().count(" 2\n")
    assert printed.count(FAULTS[level]) == 1
    assert f"{FAULTS[level]} ({count} times); the line is ignored" in printed


def _in_columns(header: str, roles: str) -> str:
    """The levels of `made_folders` below a line of names, in the order of the first letters of the roles."""
    rows = (dict(zip("qiml", line.split(), strict=True)) for line in qrels().splitlines())
    return "".join([f"{header}\n", *(" ".join(row[role] for role in roles) + "\n" for row in rows)])


HEADERS = {
    "query iter doc rel": "qiml",
    "Query_ID Q0 Model_ID Relevance": "qiml",
    "qid docno level": "qml",
    "doc iter topic rel": "miql",
    "gain model query": "lmq",
}


@pytest.mark.parametrize("header", HEADERS)
def test_a_line_that_names_the_columns_is_a_note(tmp_path, header, capsys):
    """It was an error of a level that is not an integer, and columns in another order were read by their place."""
    plain = read_benchmark(write(tmp_path / "plain", {"truth.txt": qrels(), **list_files()}))
    folder = write(tmp_path / "b", {"truth.txt": _in_columns(header, HEADERS[header]), **list_files()})
    found = read_benchmark(folder)
    assert found.queries.ids == plain.queries.ids
    for query in range(len(plain.queries)):
        for one, other in zip(found.assessment.relevant(query), plain.assessment.relevant(query), strict=True):
            assert one.tolist() == other.tolist()
    (note,) = [finding for finding in found.findings if "names the columns" in finding.message]
    assert (note.severity, note.file, note.line, note.count) == (Severity.INFO, "truth.txt", 1, 1)
    assert main(["evaluate", str(folder), "--measure", "AP"]) == 0
    assert "warning" not in capsys.readouterr().err


@pytest.mark.parametrize("header", ["query iter doc", "a b c d", "query iter doc rel rank"])
def test_other_first_lines_are_faults(tmp_path, header):
    path = tmp_path / "truth.txt"
    path.write_text(f"{header}\n{qrels()}", encoding="utf-8")
    (finding,) = read_qrels(path).findings
    assert (finding.severity, finding.line) == (Severity.ERROR, 1)


@pytest.mark.parametrize("level", ["0.5", "1.25"])
def test_levels_that_are_all_fractions_are_an_error_at_the_file(tmp_path, level):
    text = "".join(f"{line.rsplit(' ', 1)[0]} {level}\n" for line in qrels().splitlines())
    found = read_benchmark(write(tmp_path, {"truth.txt": text, **list_files()}))
    (finding,) = [finding for finding in found.findings if finding.severity is Severity.ERROR]
    assert (finding.file, finding.message) == ("truth.txt", f"the level '{level}' is not an integer")


@pytest.mark.parametrize("notation", ["{}.0", "{}.", "{}.000", "{}e0", "+{}", "00{}", "0000{}", "{}.0E+00"])
def test_whole_numbers_in_other_notations_are_levels(tmp_path, notation):
    plain = tmp_path / "plain.txt"
    plain.write_text(qrels(), encoding="utf-8")
    lines = (line.rsplit(" ", 1) for line in qrels().splitlines())
    text = "".join(f"{head} {notation.format(level)}\n" for head, level in lines)
    expected, benchmark = read_qrels(plain), read_benchmark(write(tmp_path / "b", {"truth.txt": text, **list_files()}))
    found = read_qrels(tmp_path / "b" / "truth.txt")
    assert (found.models, found.level.tolist()) == (expected.models, expected.level.tolist())
    assert (found.zero_models, found.lines.tolist()) == (expected.zero_models, expected.lines.tolist())
    assert benchmark.assessment is not None
    assert not [finding for finding in benchmark.findings if finding.severity is Severity.ERROR]


@given(st.integers(-(10**12), 10**12))
def test_every_integer_is_a_level_or_beyond_the_limit(tmp_path_factory, level):
    path = tmp_path_factory.mktemp("level") / "qrels.txt"
    path.write_text(f"Q1 0 m1 {level}\nQ1 0 m2 1\n", encoding="utf-8")
    found = read_qrels(path)
    messages = [finding.message for finding in found.findings]
    if level > MAX_LEVEL:
        assert messages == [f"the level {level} is above {MAX_LEVEL}"]
    elif level < 0:
        assert messages == ["a level is -1" if level == -1 else "a level is below -1"]
        assert found.is_junk.tolist() == [level == -1]
    else:
        assert messages == []
        assert found.level.tolist() == [level, 1][level == 0 :]


def test_levels_without_the_second_column_say_how_to_read_them(tmp_path, capsys):
    files = {"truth.txt": qrels().replace(" 0 ", " "), **list_files()}
    folder = write(tmp_path, files)
    (finding,) = [finding for finding in read_benchmark(folder).findings if finding.file == "truth.txt"]
    assert (finding.severity, finding.setting.option) == (Severity.WARNING, "--assessment truth.txt")
    assert "a query, a model and a level, such as 'Q1 N9 2'" in finding.message
    main(["evaluate", str(folder), "--assessment", str(folder / "truth.txt"), "--format", "csv"])
    three = capsys.readouterr().out
    write(tmp_path, {"truth.txt": qrels()})
    main(["evaluate", str(folder), "--format", "csv"])
    assert three == capsys.readouterr().out


def test_one_line_without_the_second_column_is_a_fault(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text("Q1 0 m1 1\nQ1 m2 1\nQ1 0 m3 1\n", encoding="utf-8")
    found = read_qrels(path)
    assert found.models == ("m1", "m3")
    assert [finding.line for finding in found.findings] == [2]
    path.write_text("Q1 m2\n", encoding="utf-8")
    with pytest.raises(FormatError, match="4 columns"):
        read_qrels(path)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 99)), max_size=30))
def test_no_occurrence_is_lost_where_findings_are_joined(tmp_path_factory, faults):
    root = tmp_path_factory.getbasetemp()
    log = FindingsLog(root)
    one = Finding(Severity.ERROR, str(root / "f"), 1, "", "ignored")
    log.extend(replace(one, message=f"{kind}: '{word}'s' is {word}", line=word) for kind, word in faults)
    for kind in "ab":
        found = [finding for finding in log.findings if finding.message.startswith(kind)]
        count = sum(fault[0] == kind for fault in faults)
        assert sum(finding.count for finding in found) == count
        assert len(found) == (count if count <= 5 else 1)


@pytest.mark.parametrize(
    "text",
    [
        '{"q1": {"m1": 1, "m1": 0, "m2": 1}}',
        '{"q1": {"m1": 1}, "q1": {"m2": 1}}',
        '{"query": "q1", "model": "m2", "level": 1}\n{"query": "q1", "model": "m1", "level": 1, "level": 0}\n',
    ],
)
def test_a_key_twice_in_json_is_an_error(tmp_path, text):
    """Python uses the last value, and says nothing."""
    path = tmp_path / "qrels.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match="is a key twice"):
        read_json_truth(path)
