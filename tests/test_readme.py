"""README: its Python runs, its commands print what it shows, its examples of formats are read."""

import re
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from shrec_viewer import __version__
from shrec_viewer.cli.program import COMMANDS, load_command
from shrec_viewer.domain import Severity
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def _refresh():
    """The script that writes the output of the commands, as a module."""
    spec = spec_from_file_location("refresh_readme", ROOT / "packaging/refresh_readme.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_command_prints_what_is_shown():
    refresh = _refresh()
    shown = {match["call"].split()[0] for match in refresh.BLOCK.finditer(README)}
    assert shown == {"evaluate", "check", "correlate", "practical", "suspects"}
    assert refresh.refreshed(README) == README, "run `python packaging/refresh_readme.py`"


def test_outdated_output_is_replaced():
    stale = ["```console", "$ shrec-viewer --version", "shrec-viewer 0.0.0", "```", "and"]
    stale += ["```console", "$ shrec-viewer --help", "old", "...", "```"]
    fresh = _refresh().refreshed("\n".join(stale)).splitlines()
    assert fresh[2] == f"shrec-viewer {__version__}"
    assert fresh[7].startswith("Usage: shrec-viewer")
    assert fresh[8:] == ["...", "```"]


@pytest.mark.parametrize("code", _blocks("python"), ids=lambda code: code.splitlines()[0])
def test_python_runs(code):
    exec(compile(code, "README.md", "exec"), {})


FORMATS = dict(
    re.findall(r"^\*\*([\w ]+)\*\*[^`]*?(?:`[^`]*`[^`]*?)*?```\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)
)


def test_the_examples_of_formats_are_read_as_one_benchmark(tmp_path):
    files = {
        "classes.cla": "Classification",
        "judged.txt": "Relevance assessment",
        "runs/L/Q01": "Rank lists",
        "runs/T": "TREC run",
    }
    for name, title in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(FORMATS[title], encoding="utf-8")
    benchmark = read_benchmark(tmp_path)
    assert not [finding for finding in benchmark.findings if finding.severity == Severity.ERROR]
    assert sorted(benchmark.collection.ids) == ["m17", "m18", "m21", "m42", "m57"]
    assert list(benchmark.queries.ids) == ["Q01", "Q02"]
    scores = evaluate(benchmark, find_profile("default"))
    precision = scores.values[:, 0, scores.column("AP")]
    runs = [run.name for run in benchmark.runs]
    # Q01: m17 and m18 are relevant; L ranks them 1 and 3, the TREC run 1 and 3.
    assert precision[runs.index("L")] == pytest.approx((1 + 2 / 3) / 2)
    assert precision[runs.index("T")] == pytest.approx((1 + 2 / 3) / 2)


def test_the_example_of_a_matrix_is_read_in_the_order_of_the_classification(tmp_path):
    (tmp_path / "classes.cla").write_text(FORMATS["Classification"], encoding="utf-8")
    (tmp_path / "A.txt").write_text(FORMATS["Distance matrix"], encoding="utf-8")
    benchmark = read_benchmark(tmp_path)
    assert not [finding for finding in benchmark.findings if finding.severity == Severity.ERROR]
    scores = evaluate(benchmark, find_profile("default"))
    # Nearest neighbours of m17, m18, m21, m42, m57: m18, m17, m42, m21, m21.
    assert scores.values[0, :, scores.column("NN")].tolist() == [1, 1, 0, 0, 0]


def test_the_manifest_is_toml_with_known_tables():
    (manifest,) = _blocks("toml")
    assert list(tomllib.loads(manifest)) == ["benchmark", "collection", "queries", "assessment", "runs", "camera"]


def test_every_command_and_every_layer_is_named():
    assert all(f"shrec-viewer {name}" in README for name in COMMANDS if not load_command(name).hidden)
    layers = [path.name for path in (ROOT / "shrec_viewer").iterdir() if (path / "__init__.py").exists()]
    assert all(re.search(rf"^  {layer}/ ", README, flags=re.MULTILINE) for layer in layers)


SCREENSHOTS = ("window", "compare", "campaign")

LINKED = ("demo.sh", "test.sh", "CHANGELOG.md", *(f"{name}.webp" for name in SCREENSHOTS))


@pytest.mark.parametrize("path", [f"packaging/{name}" for name in LINKED])
def test_linked_files_exist(path):
    assert path in README
    assert (ROOT / path).is_file()


@pytest.mark.parametrize("name", SCREENSHOTS)
def test_a_screenshot_is_complete_and_light(name):
    from PIL import Image

    path = ROOT / f"packaging/{name}.webp"
    assert path.stat().st_size < 400_000, "the page should load quickly"
    with Image.open(path) as image:
        assert image.size == (1280, 800)
        assert min(image.convert("RGB").getpixel((5, 795))) > 200, "the status bar of the light theme"
