"""Files that this program wrote into the folder of a benchmark change nothing when it is opened again."""

import json

import pytest
from click.testing import CliRunner
from made_folders import IDS, NATURAL, QUERIES, benchmark_files, list_files, qrels, write

from shrec_viewer.cli.program import program
from shrec_viewer.formats.discovery.benchmark import read_benchmark

MESH = "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 0 1 3\n3 0 2 3\n3 1 2 3\n"


def call(*arguments):
    return CliRunner().invoke(program, list(map(str, arguments)), standalone_mode=False)


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path, {**benchmark_files(), **list_files("runs/A1"), **list_files("runs/B1")})


WRITTEN = {
    "scores.csv": ("evaluate", "--format", "csv"),
    "queries.csv": ("evaluate", "--format", "csv", "--per-query"),
    "scores.json": ("evaluate", "--format", "json", "--curves"),
    "table.tex": ("evaluate", "--format", "latex"),
    "table.md": ("evaluate", "--format", "markdown"),
    "findings.csv": ("check", "--format", "csv"),
    "findings.json": ("check", "--format", "json"),
    "practical.csv": ("practical", "--format", "csv"),
    "correlation.csv": ("correlate", "--format", "csv"),
}


def test_results_written_into_the_folder_are_ignored(folder):
    before = read_benchmark(folder)
    for name, (command, *options) in WRITTEN.items():
        text = call(command, folder, *options).stdout
        assert text
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "comparison.json").write_text(call("compare", folder, "A1", "B1", "--format", "json").stdout)
    after = read_benchmark(folder)
    assert [(run.name, run.participant) for run in after.runs] == [(run.name, run.participant) for run in before.runs]
    assert (after.collection.ids, after.queries.ids) == (before.collection.ids, before.queries.ids)
    (own,) = [found for found in after.findings if "results of this program" in found.message]
    assert own.message.startswith("8 files of results of this program: comparison.json, correlation.csv, findings.csv,")
    assert not [found for found in after.findings if found.file in WRITTEN]


def test_a_table_of_scores_names_no_participants(folder):
    row = "run,participant,query,status,profile,AP\nA1,Someone else,mean,,default,0.5\n"
    before = read_benchmark(folder).run("A1").participant
    write(folder, {"scores.csv": row})
    assert read_benchmark(folder).run("A1").participant == before


TABLES = [
    "runs",
    "measures",
    "heat_map",
    "gain_loss",
    "significance",
    "confusion",
    "contingency",
    "ranked_list",
    "comparison",
    "practical",
    "calculation",
    "history",
    "edits",
    "suspects",
    "robustness",
    "conventions",
    "unsettled",
    "certainty",
    "certainty_pairs",
    "order",
    "findings",
]


@pytest.mark.parametrize("truth", ["classes", "pairs"])
def test_tables_of_panels_written_into_the_folder_are_ignored(truth, tmp_path):
    files = benchmark_files() if truth == "classes" else {"truth.txt": qrels()}
    folder = write(tmp_path, {**files, **list_files("runs/A1"), **list_files("runs/B1")})
    before = read_benchmark(folder)
    written = []
    for kind in TABLES:
        for suffix in (".csv", ".tsv"):
            done = call("table", folder, kind, "--format", "csv")
            if done.exception is None and done.stdout.count(",") > 0:
                text = done.stdout if suffix == ".csv" else done.stdout.replace(",", "\t")
                written.append((folder / f"{kind}{suffix}", text))
    assert len(written) > 30
    for path, text in written:
        path.write_text(text, encoding="utf-8")
    after = read_benchmark(folder)
    assert [run.name for run in after.runs] == [run.name for run in before.runs]
    assert (after.collection.ids, after.queries.ids) == (before.collection.ids, before.queries.ids)
    assert after.assessment.levels == before.assessment.levels
    names = {path.name for path, _ in written}
    assert not [found for found in after.findings if found.file in names]


def test_a_list_of_similarities_written_into_the_folder_is_ignored(tmp_path):
    lines = [f"{query} Q0 {model} {rank} {1 / rank} A\n" for query in QUERIES for rank, model in enumerate(IDS, 1)]
    folder = write(tmp_path, {"truth.txt": qrels(), "A.run": "".join(lines)})
    before = read_benchmark(folder)
    table = call("table", folder, "ranked_list", "--run", "A", "--query", QUERIES[0], "--format", "csv").stdout
    assert table.splitlines()[0] == "rank,model,class,level,similarity"
    for name, text in (("list.csv", table), ("list.tsv", table.replace(",", "\t"))):
        (folder / name).write_text(text, encoding="utf-8")
    after = read_benchmark(folder)
    assert [run.name for run in after.runs] == [run.name for run in before.runs]
    assert (after.collection.ids, after.queries.ids) == (before.collection.ids, before.queries.ids)
    assert any("2 files of results of this program: list.csv, list.tsv" in found.message for found in after.findings)


EXPORTED = {
    "table": 'Run,Participant,AP,NN\nA1,"Lee, Kim",0.5,\nB1,,0.25,1.0\n',
    "shared x": "Rank,A1,B1\n1,0.5,0.25\n2,0.5,0.5\n",
    "x of each run": "A1: recall,A1: precision,B1: recall,B1: precision\n0.5,1.0,0.25,1.0\n",
    "generality": "−log₂ g,g,A1\n0.0,1.0,1.0\n",
}


@pytest.mark.parametrize("text", EXPORTED.values(), ids=EXPORTED)
def test_tables_exported_from_the_window_are_ignored(folder, text):
    before = read_benchmark(folder)
    write(folder, {"exported.csv": text})
    after = read_benchmark(folder)
    assert [run.participant for run in after.runs] == [run.participant for run in before.runs]
    assert not [found for found in after.findings if found.severity == "error" or found.file == "exported.csv"]
    assert any("exported.csv" in found.message for found in after.findings if "results of this" in found.message)


@pytest.mark.parametrize("header", ["rank,id,distance", "Rank,Model,Distance", "Rank,Models,Scores"])
def test_rank_lists_with_a_header_are_not_taken_for_results(tmp_path, header):
    write(tmp_path, {**benchmark_files(), **list_files(line="{rank},{id},{distance}", first=header)})
    assert len(read_benchmark(tmp_path).runs) == 1


def test_tables_of_others_are_not_taken_for_results(folder):
    write(folder, {"participants.csv": "Run,Participant,City\nA1,Lee,Utrecht\nB1,Kim,Daejeon\n"})
    assert [run.participant for run in read_benchmark(folder).runs] == ["Lee", "Kim"]


@pytest.fixture
def meshes(tmp_path):
    files = dict.fromkeys((f"models/{name}.off" for name in IDS), MESH)
    files["models/N3.off"] = MESH[:-20]
    files["models/N4.off"] = ""
    files["models/N6.off"] = MESH[:-3]
    files["models/N5.off"] = MESH.replace("4 4 0", "40 4 0")
    return write(tmp_path, {**benchmark_files(), **list_files("runs/A1"), **files})


def test_check_reports_truncated_meshes_without_drawing(meshes):
    findings = json.loads(call("check", meshes, "--format", "json").stdout)["findings"]
    found = {finding["file"]: finding["message"] for finding in findings if finding["file"].startswith("models/")}
    assert found["models/N3.off"] == "the mesh is damaged: the file ends after 1 of 4 faces"
    assert found["models/N4.off"] == "the mesh is an empty file"
    assert found["models/N6.off"] == "the mesh is damaged: the file ends after 3 of 4 faces"
    assert set(found) == {"models/N3.off", "models/N4.off", "models/N5.off", "models/N6.off"}
    assert all(finding["severity"] == "warning" for finding in findings if finding["file"] in found)
    assert not [finding for finding in read_benchmark(meshes).findings if finding.file in found]


def test_many_meshes_with_one_fault_are_one_finding(meshes):
    write(meshes, {f"models/{name}.off": "" for name in NATURAL[:12]})
    findings = json.loads(call("check", meshes, "--format", "json").stdout)["findings"]
    found = [finding for finding in findings if "is an empty file" in finding["message"]]
    assert [finding["message"] for finding in found] == ["the mesh is an empty file (12 meshes, this is the first)"]
