"""All results in one folder: the same bytes each time, the commands that repeat them, folders that are not replaced."""

import json
import shlex
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
