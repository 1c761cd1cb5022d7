"""No command replaces an input by a result; one law over all commands that write files."""

import os
import shutil
from pathlib import Path

import click
import pytest
from sample_benchmark import write_sample_benchmark

from shrec_viewer.cli.program import COMMANDS, load_command, run
from shrec_viewer.formats.io.atomic import WRITTEN_RESULTS
from shrec_viewer.formats.manifest.edit_state import AssessmentEdit, EditState
from shrec_viewer.formats.manifest.project import Project, write_project

WRITING = {command.name: command for command in map(load_command, COMMANDS)
           if any({"--output", "--sheet"} & set(option.opts) for option in command.params)}  # fmt: skip

CALLS = {
    "evaluate": ["evaluate", "{folder}", "--format", "json", "--output"],
    "compare": ["compare", "{folder}", "A1", "A2", "--output"],
    "correlate": ["correlate", "{folder}", "--measure", "NN", "--measure", "FT", "--output"],
    "practical": ["practical", "{folder}", "--output"],
    "pairs to judge": ["practical", "{folder}", "--to-judge"],
    "history": ["history", "{folder}", "A1", "--output"],
    "figure": ["figure", "{folder}", "leaderboard", "--format", "svg", "--output"],
    "table": ["table", "{folder}", "runs", "--output"],
    "diagnose": ["diagnose", "{folder}", "--output"],
    "suspects": ["suspects", "{folder}", "--output"],
    "robustness": ["robustness", "{folder}", "--output"],
    "certainty": ["certainty", "{folder}", "--output"],
    "check": ["check", "{folder}", "--format", "json", "--output"],
    "convert": ["convert", "{folder}", "--run", "A1", "--to", "trec", "--output"],
    "thumbnails": ["thumbnails", "{folder}", "--renderer", "software", "--sheet"],
}
"""A call of each command for each option that names a file it writes, up to that file."""


@pytest.fixture
def folder(tmp_path):
    return write_sample_benchmark(tmp_path / "sample_benchmark")


def files_in(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def call(name, folder, output, *more):
    return run([*(word.format(folder=folder) for word in CALLS[name]), str(output), *more])


def inputs(folder):
    """One file of each kind that the benchmark was read from."""
    return {
        "manifest": folder / "benchmark.toml",
        "classification": folder / "models.cla",
        "queries": folder / "queries.cla",
        "run": next(path for path in sorted((folder / "runs" / "A1").iterdir()) if path.is_file())
        if (folder / "runs" / "A1").is_dir() else next((folder / "runs").glob("A1*")),
        "model": next(path for path in sorted(folder.rglob("*.off"))),
    }  # fmt: skip


def test_every_command_that_writes_is_called_here_and_can_be_forced():
    for name, command in WRITING.items():
        assert "--force" in {word for option in command.params for word in option.opts}, name
        # Folders, those of report, export and thumbnails, have tests of their own.
        files = {option.opts[0] for option in command.params if isinstance(option.type, click.Path)
                 and option.type.file_okay and not option.type.exists}  # fmt: skip
        assert files == {words[-1] for words in CALLS.values() if words[0] == name}, name


@pytest.mark.parametrize("name", CALLS)
def test_no_input_is_replaced(name, folder, tmp_path, capsys):
    before = files_in(folder)
    for kind, path in inputs(folder).items():
        if name == "thumbnails":
            link = tmp_path / f"{kind}.png"
            link.symlink_to(path)
            path = link
        capsys.readouterr()
        assert call(name, folder, path) == 2, kind
        said = capsys.readouterr()
        assert "is an input of this benchmark" in said.err
        assert "--force" in said.err
        assert said.err.count("shrec-viewer: ") <= 2
        assert files_in(folder) == before, kind


SPELLINGS = {
    "dots": lambda path, _: path.parent / ".." / path.parent.name / path.name,
    "relative": lambda path, _: Path(os.path.relpath(path)),
    "link": lambda path, scratch: _linked(scratch / "link", os.symlink, path),
    "link to the folder": lambda path, scratch: _linked(scratch / "folder", os.symlink, path.parent) / path.name,
    "hard link": lambda path, scratch: _linked(scratch / "hard", os.link, path),
    "double slash": lambda path, _: Path(f"{path.parent}//./{path.name}"),
}


def _linked(link, make, target):
    make(target, link)
    return link


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("kind", ["classification", "run", "model"])
def test_other_spellings_are_the_same_file(folder, tmp_path, spelling, kind):
    before = files_in(folder)
    assert call("evaluate", folder, SPELLINGS[spelling](inputs(folder)[kind], tmp_path)) == 2
    assert files_in(folder) == before


@pytest.mark.parametrize("kind", ["manifest", "classification", "run", "model"])
def test_inputs_of_another_benchmark_are_not_replaced(folder, tmp_path, kind, capsys):
    other = write_sample_benchmark(tmp_path / "other")
    before = files_in(other)
    path = inputs(other)[kind]
    assert call("evaluate", folder, path) == 2
    assert "is recognised as an input" in capsys.readouterr().err
    assert files_in(other) == before


def test_a_project_and_an_archive_are_not_replaced(folder, tmp_path):
    project = tmp_path / "mine.shrec"
    project.write_text('[benchmark]\nfolder = "sample_benchmark"\n')
    archive = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", folder))
    for path in (project, archive):
        before = path.read_bytes()
        assert call("evaluate", folder, path) == 2
        assert call("evaluate", path, path) == 2
        assert path.read_bytes() == before


def test_a_benchmark_that_cannot_be_read_is_not_replaced_by_the_reason(tmp_path):
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"PK\x03\x04 not an archive")
    assert run(["check", str(broken), "--output", str(broken)]) == 2
    assert broken.read_bytes() == b"PK\x03\x04 not an archive"


def test_a_part_that_lies_elsewhere_is_not_replaced(folder, tmp_path):
    part = tmp_path / "elsewhere.txt"
    shutil.copy(folder / "models.cla", part)
    before = part.read_bytes()
    assert run(["evaluate", str(folder), "--classification", str(part), "--output", str(part)]) == 2
    assert part.read_bytes() == before


def test_thumbnails_are_not_written_into_the_folder_of_models(folder, capsys):
    before = files_in(folder)
    models = next(folder.rglob("*.off")).parent
    call_ = ["thumbnails", str(folder), "--renderer", "software", "--size", "16", "--output"]
    assert run([*call_, str(models)]) == 2
    assert "a folder with models or queries of this benchmark" in capsys.readouterr().err
    assert files_in(folder) == before
    assert run([*call_, str(models), "--force"]) == 0
    assert len(files_in(folder)) > len(before)


def test_an_image_or_material_of_the_benchmark_is_not_replaced(folder, tmp_path):
    models = next(folder.rglob("*.off")).parent
    material, image = models / "skin.mtl", folder / "cover.png"
    material.write_text("newmtl skin\n")
    image.write_bytes(b"\x89PNG\r\n\x1a\n")
    assert call("evaluate", folder, material) == 2
    assert call("thumbnails", folder, image) == 2
    assert material.read_text() == "newmtl skin\n"
    assert image.read_bytes() == b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize("name", CALLS)
def test_earlier_results_are_replaced(name, folder, tmp_path):
    output = tmp_path / "results" / ("sheet.png" if name == "thumbnails" else "results.txt")
    output.parent.mkdir()
    assert call(name, folder, output) in (0, 1)
    first = output.read_bytes()
    assert call(name, folder, output) in (0, 1)
    assert output.read_bytes() == first or name == "thumbnails"
    assert WRITTEN_RESULTS.has(output)


def test_a_result_inside_the_benchmark_is_replaced(folder):
    for output in (folder / "scores.json", folder / "scores.csv"):
        for _ in range(2):
            assert run(["evaluate", str(folder), "--output", str(output)]) == 0


def test_a_converted_run_that_was_changed_is_an_input_again(folder, tmp_path):
    output = tmp_path / "a.run"
    assert call("convert", folder, output) == 0
    assert call("convert", folder, output) == 0
    output.write_text(output.read_text() + "\n")
    assert call("convert", folder, output) == 2
    assert call("convert", folder, output, "--force") == 0


def test_force_replaces_an_input(folder):
    path = folder / "models.cla"
    assert call("evaluate", folder, path, "--force") == 0
    assert path.read_text().startswith("{\n")


def test_other_files_and_devices_are_written_as_before(folder, tmp_path):
    report = tmp_path / "report.tex"
    report.write_text("% an old report\n\\section{x}\n")
    assert call("evaluate", folder, report) == 0
    assert call("evaluate", folder, os.devnull) == 0


def test_folder_named_demo_is_not_silently_replaced_by_the_bundled_benchmark(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["check", "demo"]) == 0
    assert "bundled benchmark" not in capsys.readouterr().err
    folder.rename(tmp_path / "demo")
    assert run(["check", "demo"]) == 0
    assert "'demo' is the bundled benchmark; the folder of that name here is './demo'" in capsys.readouterr().err
    run(["check", "./demo"])
    assert "bundled benchmark" not in capsys.readouterr().err


def test_check_reports_edits_of_a_project_that_name_unknown_ids(folder, tmp_path, capsys):
    project = tmp_path / "mine.shrec"
    pairs = (("q1", "m1", 0), ("q99", "m1", 2), ("q1", "m99", 2))
    levels = {(query, model): AssessmentEdit(query, model, 2, level) for query, model, level in pairs}
    write_project(Project(project, folder, edits=EditState(levels=levels)))
    text = "2 edits of the assessment name unknown ids: q99, m99; ignored"
    assert run(["check", str(project)]) == 1
    assert f"mine.shrec: error: {text}" in capsys.readouterr().out
    assert run(["evaluate", str(project), "--measure", "NN"]) == 1
    err = capsys.readouterr().err
    assert f"error: {text}" in err
    assert "mine.shrec: 1 edit of the assessment\n" in err, "those that are applied"
