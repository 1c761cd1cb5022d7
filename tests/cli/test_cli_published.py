"""Published scores in commands, in benchmark.toml, in projects and in the site."""

import csv
import io
import json

import pytest
from sample_benchmark import write_sample_benchmark

from shrec_viewer.cli.program import run
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.manifest.edit_state import EditState
from shrec_viewer.formats.manifest.project import Project, read_project, write_project
from shrec_viewer.formats.truth.published import read_published

PUBLISHED = "Run,MAP (%),Votes\nA1,50.0,3\nDaras,99.1,4\n"


@pytest.fixture
def folder(tmp_path):
    return write_sample_benchmark(tmp_path / "sample_benchmark")


@pytest.fixture
def published(tmp_path):
    path = tmp_path / "published.csv"
    path.write_text(PUBLISHED)
    return path


def output(capsys, *arguments, status=0):
    assert run([*map(str, arguments)]) == status
    return capsys.readouterr()


def test_evaluate_shows_them_below_the_runs(folder, published, capsys):
    out, err = output(capsys, "evaluate", folder, "--published", published, "--measure", "AP")
    names = [line.split("  ")[0] for line in out.splitlines()[1:]]
    assert names[:2] == ["A1", "A1 (published.csv)"]
    assert names[-1] == "Daras (published.csv)"
    assert "the column 'Votes' is named after no measure" in err
    document = json.loads(output(capsys, "evaluate", folder, "--published", published, "--format", "json").out)
    ours = next(one for one in document["runs"] if one["name"] == "A1")["mean"]["AP"]
    record = document["published"][0]
    assert (record["source"], record["name"], record["run"]) == ("published.csv", "A1", "A1") or record[
        "source"
    ].endswith("published.csv")
    assert record["values"]["AP"]["difference"] == pytest.approx(0.5 - ours)
    rows = list(
        csv.reader(io.StringIO(output(capsys, "evaluate", folder, "--published", published, "--format", "csv").out))
    )
    kinds = [row[2] for row in rows if row[0] == "A1"]
    assert kinds[-3:] == ["published:published.csv", "difference:published.csv", "agrees:published.csv"]


def test_paper_tables_raise_the_difference(folder, published, capsys):
    for call in (["evaluate"], ["table"]):
        kind = ["runs"] if call == ["table"] else []
        out = output(capsys, *call, folder, *kind, "--measure", "AP", "--format", "latex", "--published", published).out
        line = next(line for line in out.splitlines() if "A1 (published.csv)" in line)
        assert "0.500\\textsuperscript{" in line, out
        assert "0.991 \\\\" in out
        assert "Behind a published value" in out


def test_measures_of_the_table_are_computed_too(folder, tmp_path, capsys):
    path = tmp_path / "odd.csv"
    path.write_text("Run,GR7\nA1,0.5\n")
    document = json.loads(output(capsys, "evaluate", folder, "--published", path, "--format", "json").out)
    assert "GR7" in document["runs"][0]["mean"]
    assert list(document["published"][0]["values"]) == ["GR7"]


def test_a_table_that_cannot_be_read_ends_the_command(folder, tmp_path, capsys):
    path = tmp_path / "x.csv"
    path.write_text("run,query,measure,value\nA1,mean,AP,0.5\n")
    assert "has a row per measure" in output(capsys, "evaluate", folder, "--published", path, status=1).err
    no_file = output(capsys, "evaluate", folder, "--published", tmp_path / "none.csv", status=2).err
    assert "does not exist" in no_file


def test_no_output_replaces_the_table(folder, published, capsys):
    err = output(capsys, "evaluate", folder, "--published", published, "--output", published, status=2).err
    assert "an input" in err
    assert published.read_text() == PUBLISHED


def declared(folder, value):
    path = folder / "benchmark.toml"
    text = path.read_text() if path.exists() else ""
    line = f"published = {value}\n"
    path.write_text(
        text.replace("[benchmark]\n", f"[benchmark]\n{line}") if "[benchmark]" in text else f"[benchmark]\n{line}{text}"
    )


@pytest.mark.parametrize("value", ['"published.csv"', '["published.csv"]'])
def test_a_declared_table_is_read_and_is_no_other_part(folder, value, capsys):
    (folder / "published.csv").write_text(PUBLISHED)
    declared(folder, value)
    benchmark = read_benchmark(folder)
    assert [table.source for table in benchmark.published] == ["published.csv"]
    assert folder / "published.csv" in benchmark.sources  # it is watched, and no output replaces it
    assert not any("published.csv" in str(finding) for finding in benchmark.findings)
    assert "published.csv: note: published scores of 2 runs by AP" in output(capsys, "check", folder).out


def test_a_declared_table_that_is_wrong_is_a_finding(folder, capsys):
    (folder / "published.csv").write_text("Run,AP\nA1,0.5\nA1,0.4\n")
    declared(folder, '["published.csv", "gone.csv"]')
    out = output(capsys, "check", folder, status=1).out
    assert "published.csv:3: error: the run 'A1' is repeated; ignored" in out
    assert "names 'gone.csv', which does not exist" in out


def test_tables_of_a_project_are_kept_in_it(folder, published, tmp_path, capsys):
    project = tmp_path / "p.shrec"
    write_project(Project(project, folder, edits=EditState(published=(read_published(published),))))
    published.unlink()
    assert read_project(project).edits.published[0].names == ("A1", "Daras")
    assert "Daras (published.csv)" in output(capsys, "evaluate", project, "--measure", "AP").out


def test_the_site_has_them_and_a_blind_one_has_not(folder, published, tmp_path, capsys):
    for options, expected in (([], True), (["--blind"], False)):
        target = tmp_path / f"site{len(options)}"
        output(capsys, "report", folder, "--first", "0", "--published", published, "--output", target, *options)
        page = (target / "all_runs.html").read_text()
        assert ("A1 (published.csv)" in page and "Daras (published.csv)" in page) is expected
        assert ("Behind a published value" in page) is expected
        pages = "".join(path.read_text() for path in target.rglob("*.html"))
        assert ("Daras" in pages) is expected
