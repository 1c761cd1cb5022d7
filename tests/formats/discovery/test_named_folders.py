"""A folder whose files are named after queries but are not recognised as rank lists is a finding with the setting."""

import unicodedata
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_folders import IDS, QUERIES, benchmark_files, list_files, order, write

from shrec_viewer.domain import FormatError, Severity
from shrec_viewer.formats.core.findings_log import RUN_IGNORED, UNDECIDED
from shrec_viewer.formats.core.ids import AMBIGUOUS, CASE, EXACT, UNICODE_NFC, IdIndex
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.io.text import in_plain_notation, read_file_head
from shrec_viewer.formats.runs.rank_list import (
    DECIMAL_COMMAS,
    is_rank_list,
    parse_list_numbers,
    read_rank_list,
    split_lines,
)


def reported(benchmark, place):
    return [(f.severity, f.message, f.action) for f in benchmark.findings if f.file == place]


def spaced(files, separator=""):
    """A benchmark whose ids have blanks and accents in them, and a run in it."""
    names = {name: f"große Vase, {name[1:]}" for name in IDS}
    truth = "id,category\n" + "".join(f'"{names[name]}",c{place % 3}\n' for place, name in enumerate(IDS))
    queries = "id,category\n" + "".join(f"Skizze {name[1:]},c{place % 3}\n" for place, name in enumerate(QUERIES))
    lists = {}
    for query in QUERIES:
        lines = [
            files.format(id=names[name], distance=f"{0.25 * rank:.2f}") for rank, name in enumerate(order(query), 1)
        ]
        lists[f"runs/A1/Skizze {query[1:]}.txt"] = "\n".join(lines) + "\n"
    return names, {"models.csv": truth, "queries.csv": queries, **lists}


AS_RUN = '[[runs]]\npath = "{path}"\nformat = "{format}"\n'


@pytest.mark.parametrize(
    "line", ["{id}", "{id} {distance}", "{id}\t{distance}", "{distance} {id}", '"{id}",{distance}']
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_ids_with_blanks_and_accents(line, form, tmp_path):
    names, files = spaced(line)
    files = {name: unicodedata.normalize(form if "runs" in name else "NFC", text) for name, text in files.items()}
    write(tmp_path, files)
    found = read_benchmark(tmp_path)
    if not found.runs:  # blanks make more words than an id and a distance
        (finding,) = [finding for finding in found.findings if finding.file == "runs/A1"]
        assert finding.key == (RUN_IGNORED if finding.severity is Severity.ERROR else UNDECIDED)
        assert finding.setting.lines == ("[[runs]]", 'path = "runs/A1"', 'format = "rank_list"')
    write(tmp_path, {"benchmark.toml": AS_RUN.format(path="runs/A1", format="rank_list")})
    benchmark = read_benchmark(tmp_path)
    (run,) = benchmark.runs
    for query, name in enumerate(QUERIES):
        place = benchmark.queries.ids.index(f"Skizze {name[1:]}")
        listed = [benchmark.collection.ids[item] for item in run.ranking.items[run.ranking.rows(place)]]
        assert listed == [names[model] for model in order(name)], query
    unusual = [finding.message for finding in benchmark.findings if finding.severity is not Severity.INFO]
    assert all("by chance" in message for message in unusual)


def test_a_table_of_ids_with_blanks_is_read_if_it_is_named(tmp_path):
    names, files = spaced("{id}")
    rows = [f"Skizze {q[1:]}," + ",".join(f'"{names[name]}"' for name in order(q)) + "\n" for q in QUERIES]
    files = {name: text for name, text in files.items() if "runs" not in name} | {"one.csv": "".join(rows)}
    write(tmp_path, files)
    found = read_benchmark(tmp_path)
    assert found.runs == ()
    (finding,) = [finding for finding in found.findings if finding.file == "one.csv"]
    assert finding.key == UNDECIDED
    assert finding.setting.lines == ("[[runs]]", 'path = "one.csv"', 'format = "submission"')
    write(tmp_path, {"benchmark.toml": AS_RUN.format(path="one.csv", format="submission")})
    benchmark = read_benchmark(tmp_path)
    (run,) = benchmark.runs
    place = benchmark.queries.ids.index("Skizze 3")
    listed = [benchmark.collection.ids[item] for item in run.ranking.items[run.ranking.rows(place)]]
    assert listed == [names[model] for model in order("Q3")]


def test_names_of_queries_in_another_case_are_theirs(tmp_path):
    files = list_files()
    files = {name.replace("/Q", "/q"): text for name, text in files.items()}
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), **files}))
    assert benchmark.runs[0].ranking.present.all()
    message = "queries match case-insensitively: 'q1' is 'Q1'"
    assert (Severity.INFO, message, "matched") in reported(benchmark, "runs/A1")


def test_empty_files_and_folders_are_findings(tmp_path):
    files = {**benchmark_files(), **list_files(), **{f"runs/none/{query}": "" for query in QUERIES}}
    write(tmp_path, files)
    (tmp_path / "runs/nothing").mkdir()
    benchmark = read_benchmark(tmp_path)
    assert [run.name for run in benchmark.runs] == ["A1"]
    message = "12 files are named after queries ('Q1' after 'Q1'), and all are empty"
    assert reported(benchmark, "runs/none") == [(Severity.ERROR, message, "the run is ignored")]
    assert reported(benchmark, "runs/nothing") == [(Severity.WARNING, "is empty, next to runs", "ignored")]


@pytest.mark.parametrize(
    ("line", "severity"),
    [("{id} is a model", Severity.ERROR), ("0.1 0.7 0.2 0.9", Severity.WARNING), ("<xml a b c>", Severity.WARNING)],
)
def test_first_line_of_non_list_is_quoted(line, severity, tmp_path):
    files = {**benchmark_files(), **list_files(), **list_files("runs/B", line=line)}
    benchmark = read_benchmark(write(tmp_path, files))
    assert [run.name for run in benchmark.runs] == ["A1"]
    first = line.format(id=order("Q1")[0])
    (finding,) = reported(benchmark, "runs/B")
    assert finding[0] is severity
    assert "12 files are named after queries ('Q1' after 'Q1')" in finding[1]
    assert f"the first line of 'Q1', '{first}', is not one of a ranked list of models such as 'N9'" in finding[1]


@pytest.mark.parametrize("line", ["{}", "Q1\n{}"])
@pytest.mark.parametrize("separator", [" ", ",", ";", "\t"])
def test_all_ids_in_one_line(separator, line, tmp_path):
    files = {f"runs/A1/{query}.txt": line.format(separator.join(order(query))) + "\n" for query in QUERIES}
    files["runs/A1/Q2.txt"] = files["runs/A1/Q2.txt"].replace("Q1", "Q2")
    write(tmp_path, {**benchmark_files(), **files})
    found = read_benchmark(tmp_path)
    assert found.runs == ()
    (finding,) = [finding for finding in found.findings if finding.file == "runs/A1"]
    assert finding.setting.lines == ("[[runs]]", 'path = "runs/A1"', 'format = "rank_list"')
    benchmark = read_benchmark(write(tmp_path, {"benchmark.toml": AS_RUN.format(path="runs/A1", format="rank_list")}))
    (run,) = benchmark.runs
    for query, name in enumerate(QUERIES):
        assert [IDS[item] for item in run.ranking.items[run.ranking.rows(query)]] == order(name)


@pytest.mark.parametrize("name", ["{}_result", "{}.ranks_v2", "result_{}", "2019-{}"])
def test_common_affix_of_names_is_ignored(name, tmp_path):
    files = {f"runs/A1/{name.format(key.split('/')[-1])}": text for key, text in list_files().items()}
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), **files}))
    assert benchmark.runs[0].ranking.present.all()
    common = name.replace("{}", "")
    assert (
        Severity.INFO,
        f"'{common}' is part of all file names",
        "the rest is the name of the query",
    ) in (reported(benchmark, "runs/A1"))


def test_files_named_like_models_are_not_lists(tmp_path):
    files = {**benchmark_files(), **{f"queries/{query}.txt": "a words about it\n" for query in QUERIES}}
    benchmark = read_benchmark(write(tmp_path, files))
    assert reported(benchmark, "queries") == []


def test_a_folder_of_relevance_is_no_run(tmp_path):
    text = "query: {query}\nquery class: head\nhighly relevant items: 2\nN9\nN21\n"
    files = {**benchmark_files(), **{f"relevance/{query}.txt": text.format(query=query) for query in QUERIES}}
    benchmark = read_benchmark(write(tmp_path, files))
    assert benchmark.runs == ()
    ((severity, _, action),) = reported(benchmark, "relevance")
    assert severity is Severity.INFO
    assert action.startswith("ignored")


def test_composed_letters_come_before_another_case():
    index = IdIndex(["Käfer", "KÄFER", "vase", "Ab", "aB"])
    assert index.match("Käfer").rule == EXACT
    apart = unicodedata.normalize("NFD", "Käfer")
    assert (index.match(apart).index, index.match(apart).rule) == (0, UNICODE_NFC)
    assert index.match("kÄFER").rule == AMBIGUOUS
    assert (index.match("VASE.off").index, index.match("VASE.off").rule) == (2, CASE)
    assert index.match("ab").rule == AMBIGUOUS


NAMES = st.lists(st.text("abcXYZ", min_size=1, max_size=6).map(lambda name: f"{name}-k"), min_size=2, unique=True)


@given(NAMES, st.data())
def test_every_dialect_is_parsed_exactly(names, data):
    values = data.draw(st.lists(st.integers(0, 10**6).map(lambda n: n / 64), min_size=len(names), max_size=len(names)))
    separator = data.draw(st.sampled_from([" ", "\t", ";", ","]))
    ways = ["{:.4f}", "{:.3e}"] + (["{:.4f},", "{:.3e}D"] if separator != "," else [])
    way = data.draw(st.sampled_from(ways))
    reported_findings = [way.rstrip(",D").format(value) for value in values]
    expected = np.array([float(word) for word in reported_findings])
    if way.endswith(","):
        reported_findings = [word.replace(".", ",") for word in reported_findings]
    elif way.endswith("D"):
        reported_findings = [word.replace("e", "D") for word in reported_findings]
    quote = data.draw(st.sampled_from(["", '"'])) if separator != " " else ""
    before = data.draw(st.sampled_from(["", "count", "query"]))
    lines = []
    for rank, (name, value) in enumerate(zip(names, reported_findings, strict=True), 1):
        cells = {"": [], "count": [str(rank)], "query": ["Q7"]}[before] + [name, value]
        lines.append(separator.join(f"{quote}{cell}{quote}" for cell in cells))
    header = data.draw(st.booleans())
    if header:
        lines.insert(0, separator.join([*(["rank"] if before else []), "id", "distance"]))
    plain = in_plain_notation("\n".join(lines).encode()).decode()
    found = split_lines(plain.split("\n"), "Q7")
    rows = found.rows[found.header :]
    assert [row[0] for row in rows] == names
    numbers, written = parse_list_numbers([row[1] for row in rows])
    assert np.array_equal(numbers, expected)
    assert (written == DECIMAL_COMMAS) == way.endswith(",")


ODD = st.text(st.sampled_from('01.,;:|"#QN\t\n \\-eD'), max_size=60)


@given(ODD, st.booleans())
def test_no_text_does_any_harm(text, has_blanks):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "Q1"
        path.write_text(text, encoding="utf-8")
        known = IdIndex(["Q N", "1 0"]).weighted_share if has_blanks else None
        is_rank_list(read_file_head(path))
        try:
            found = read_rank_list(path, known)
        except FormatError:
            return
    assert len(found.columns) in (1, 2)
    assert {len(column) for column in found.columns} == {len(found.lines)}
