"""All results in one folder: the same bytes each time, the commands that repeat them, folders that are not replaced."""

import json
import shlex
from dataclasses import replace
from hashlib import sha256

import pytest
from sample_benchmark import write_sample_benchmark

from shrec_viewer.cli import main
from shrec_viewer.content.data import ContentData
from shrec_viewer.domain import FormatError
from shrec_viewer.domain.errors import Cancelled
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile
from shrec_viewer.report import everything
from shrec_viewer.report.everything import export_everything


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_sample_benchmark(tmp_path_factory.mktemp("everything") / "sample_benchmark")


@pytest.fixture(scope="module")
def data(folder):
    benchmark, profile = read_benchmark(folder), find_profile("shrec2006")
    return ContentData(benchmark, profile, evaluate(benchmark, profile, measures=("AP", "FT", "ADR")))


@pytest.fixture(scope="module")
def exported(folder, tmp_path_factory):
    target = tmp_path_factory.mktemp("target") / "results"
    assert main(["export", str(folder), "--output", str(target)]) == 0
    return target


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_manifest_lists_all_files_with_their_digests(exported, folder):
    files = files_of(exported)
    document = json.loads(files.pop("manifest.json"))
    assert document["schema"] == "shrec-viewer/export/1"
    assert document["files"] == {name: sha256(content).hexdigest() for name, content in sorted(files.items())}
    inputs = {one["path"]: one["sha256"] for one in document["inputs"]}
    assert inputs["models.cla"] == sha256((folder / "models.cla").read_bytes()).hexdigest()
    assert document["profile"] == "shrec2006"
    kinds = {name.partition("/")[0] for name in files}
    assert kinds >= {"tables", "figures", "runs", "findings.csv", "commands.sh"}
    assert len([name for name in files if name.startswith("runs/")]) == 3


def test_a_second_export_replaces_the_first_with_the_same_bytes(exported, folder):
    before = files_of(exported)
    assert main(["export", str(folder), "--output", str(exported)]) == 0
    assert files_of(exported) == before


def test_the_commands_of_the_script_write_the_same_bytes(exported, folder, tmp_path):
    lines = (exported / "commands.sh").read_text(encoding="utf-8").splitlines()
    commands = [line for line in lines if line.startswith("shrec-viewer ")]
    assert len(commands) == len(files_of(exported)) - 2  # without manifest and script
    chosen = [line for line in commands if any(word in line for word in (".csv", ".trec", "/gain.svg", "/runs.tex"))]
    images = [
        line for line in commands if any(word in line for word in ("/queries.pdf", "/lists_of_best", "/triptych"))
    ]
    assert len(images) == 3
    for line in [*chosen[:14], *images]:
        words = shlex.split(line.replace('"$benchmark"', str(folder)).replace("$folder", str(tmp_path)))
        output = tmp_path / words[-1]
        output.parent.mkdir(parents=True, exist_ok=True)
        assert main(words[1:]) == 0
        assert output.read_bytes() == (exported / output.relative_to(tmp_path)).read_bytes(), line


def test_each_run_has_a_figure_of_its_lists(exported, folder):
    names = {path.stem for path in (exported / "figures").glob("lists_*.pdf")}
    assert names == {"lists_of_best_runs", *(f"lists_{run.name}" for run in read_benchmark(folder).runs)}
    assert all((exported / "figures" / f"{name}.pdf").read_bytes().startswith(b"%PDF") for name in names)


def test_images_can_be_left_out(folder, tmp_path, monkeypatch):
    """Which files there are; what is drawn does not depend on it."""
    monkeypatch.setattr(everything, "figure_bytes", lambda _content, form: form.encode())
    assert main(["export", str(folder), "--no-images", "--output", str(tmp_path / "results")]) == 0
    assert not list((tmp_path / "results/figures").glob("lists_*"))
    assert (tmp_path / "results/figures/heat_map.pdf").exists()


def test_folders_with_other_files_are_not_replaced(exported, folder, tmp_path, capsys):
    other = tmp_path / "mine"
    other.mkdir()
    (other / "thesis.tex").write_text("years of work")
    assert main(["export", str(folder), "--output", str(other)]) != 0
    assert files_of(other) == {"thesis.tex": b"years of work"}
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert "is not an export of this program" in message


def test_a_cancelled_export_leaves_nothing(data, tmp_path):
    calls = []

    def cancelled():
        calls.append(1)
        return len(calls) > 12

    with pytest.raises(Cancelled):
        export_everything(data, tmp_path / "results", cancelled=cancelled)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_one_error(data, tmp_path):
    with pytest.raises(FormatError, match="folder that does not exist"):
        export_everything(data, tmp_path / "absent" / "results")
    assert not list(tmp_path.iterdir())


def test_an_export_is_not_read_as_part_of_the_benchmark(folder, exported, tmp_path):
    import shutil

    copy = tmp_path / "sample_benchmark"
    shutil.copytree(folder, copy)
    shutil.copytree(exported, copy / "results")
    assert [run.name for run in read_benchmark(copy).runs] == [run.name for run in read_benchmark(folder).runs]


@pytest.mark.parametrize("name", ["living room", "living\u00a0room", " chair", "chair\u2003", "a\tb", ""])
@pytest.mark.parametrize("kind", ["collection", "queries"])
def test_runs_without_trec_form_are_left_out_by_name(data, tmp_path, name, kind):
    part = getattr(data.benchmark, kind)
    others = replace(part, ids=(name, *part.ids[1:]))
    target = tmp_path / "results"
    summary = export_everything(replace(data, benchmark=replace(data.benchmark, **{kind: others}), scores=None), target)
    expected = [f"runs/{run.name}.trec: the run '{run.name}' has no TREC form: " for run in data.benchmark.runs]
    assert [text[: len(start)] for text, start in zip(summary.left_out, expected, strict=True)] == expected
    assert all(f"'{name}' has a blank in it" in text and str(tmp_path) not in text for text in summary.left_out)
    assert not any("/tmp" in text or "run.trec" in text for text in summary.left_out)
    assert {"findings.csv", "commands.sh", "manifest.json"} <= set(files_of(target))
    document = json.loads((target / "manifest.json").read_text(encoding="utf-8"))
    assert document["left_out"] == list(summary.left_out)


def test_the_command_writes_all_but_the_run_with_a_blank_in_an_id(tmp_path, capsys):
    folder = tmp_path / "contest"
    folder.mkdir()
    models, queries = [f"M{number:03}" for number in range(8)], [f"living room {number}" for number in range(4)]
    for name, ids in (("models", models), ("queries", queries)):
        rows = "".join(f"{word},c{at % 2}\n" for at, word in enumerate(ids))
        (folder / f"{name}.csv").write_text(f"id,class\n{rows}", encoding="utf-8")
    for run in ("good", "poor"):
        text = "".join(f"{query},{','.join(models)}\n" for query in queries)
        (folder / f"{run}.csv").write_text(text, encoding="utf-8")
    target = tmp_path / "results"
    main(["export", str(folder), "--no-images", "--output", str(target)])
    printed = capsys.readouterr().err
    for run in ("good", "poor"):
        assert f"left out: runs/{run}.trec: the run '{run}' has no TREC form" in printed
        assert (target / "tables" / f"queries_{run}.csv").is_file()
    assert "unexpected" not in printed


def test_a_full_disk_stops_an_export(data, tmp_path, monkeypatch):
    def full(_run, _benchmark, path, _log):
        raise FormatError(path, "cannot be written: no space left on device") from OSError(28, "no space left")

    monkeypatch.setattr(everything, "write_trec", full)
    with pytest.raises(FormatError, match="no space left"):
        export_everything(replace(data, scores=None), tmp_path / "results")
    assert not list(tmp_path.iterdir())
