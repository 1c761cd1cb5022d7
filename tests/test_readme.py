"""README and documentation: Python runs, commands print what is shown, formats are read, links lead to files."""

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
DOCS = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "packaging" / "docs").glob("*.md"))}
TEXT = "\n".join([README, *DOCS.values()])


def _blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL)


def _build():
    """The script that builds the site, as a module."""
    spec = spec_from_file_location("build_docs", ROOT / "packaging/docs/build.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _refresh():
    """The script that writes the output of the commands, as a module."""
    spec = spec_from_file_location("refresh_readme", ROOT / "packaging/refresh_readme.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_command_prints_what_is_shown():
    refresh = _refresh()
    shown = {match["call"].split()[0] for match in refresh.BLOCK.finditer(TEXT)}
    assert shown == {"evaluate", "check", "correlate", "practical", "suspects", "diagnose", "certainty"}
    assert refresh.refreshed(TEXT) == TEXT, "run `python packaging/refresh_readme.py`"


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
    re.findall(
        r"^\*\*([\w ]+)\*\*[^`]*?(?:`[^`]*`[^`]*?)*?```\n(.*?)^```",
        DOCS["formats-in-short.md"],
        flags=re.MULTILINE | re.DOTALL,
    )
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
    assert all(f"shrec-viewer {name}" in TEXT for name in COMMANDS if not load_command(name).hidden)
    layers = [path.name for path in (ROOT / "shrec_viewer").iterdir() if (path / "__init__.py").exists()]
    assert all(re.search(rf"^  {layer}/ ", DOCS["architecture.md"], flags=re.MULTILINE) for layer in layers)


SCREENSHOTS = ("window", "compare", "campaign", "diagnose")


def test_the_readme_fits_a_few_screens_and_names_the_two_commands():
    assert len(README.splitlines()) <= 150
    for name in ("demo.sh", "test.sh", "docs.sh"):
        assert f"sh packaging/{name}" in README
        assert (ROOT / "packaging" / name).is_file()


LINK = re.compile(r"\]\(([^)#\s]+)?(?:#([\w-]+))?\)")


def _anchors(text):
    """Anchors of the headings of a page."""
    titles = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def test_links_of_the_readme_lead_to_files():
    targets = [target for target, _ in LINK.findall(README) if target and "://" not in target]
    assert len(targets) > 15
    assert [target for target in targets if not (ROOT / target).is_file()] == []


def test_links_of_the_site_lead_to_pages():
    build = _build()
    pages = build.pages()
    wrong = []
    for name, text in pages.items():
        for target, anchor in LINK.findall(re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)):
            if "://" in target or (target in build.PICTURES and not anchor):
                continue
            page = target or name
            if page not in pages or (anchor and anchor not in _anchors(pages[page])):
                wrong.append((name, target, anchor))
    assert wrong == []


def test_the_tour_shows_all_perspectives():
    build = _build()
    assert [target for target, _ in LINK.findall(build.pages()["tour.md"]) if target in build.PICTURES] == [
        f"{name}.webp" for name in SCREENSHOTS
    ]


def test_every_page_is_in_the_contents():
    pages = _build().pages()
    listed = re.findall(r"^([\w-]+)$", pages["index.md"], flags=re.MULTILINE)
    assert sorted(listed) == sorted(Path(name).stem for name in pages if name != "index.md")


def test_commands_of_the_pages_have_known_options():
    """Each line ``shrec-viewer NAME … --option`` of a block names a command and options that it has."""
    lines = [line for block in _blocks("(?:sh|console)") for line in block.splitlines()]
    checked = 0
    for line in lines:
        words = line.removeprefix("$ ").partition("  #")[0].split()
        if words[:1] != ["shrec-viewer"] or len(words) < 2 or words[1] not in COMMANDS:
            continue
        names = {name for parameter in load_command(words[1]).params for name in parameter.opts}
        options = [word.partition("=")[0] for word in words if word.startswith("--")]
        assert set(options) <= names, line
        checked += 1
    assert checked > 10


@pytest.mark.filterwarnings("default")  # of Sphinx for authors of extensions; its own warnings fail the build
def test_the_site_is_built_without_a_warning(tmp_path):
    pytest.importorskip("sphinx", reason="the extra docs is not installed")
    assert _build().build(tmp_path) == 0
    html = {path.stem: path.read_text(encoding="utf-8") for path in (tmp_path / "html").glob("*.html")}
    assert "Contest" in html["api"]
    notebooks = sorted(path.stem for path in (ROOT / "packaging/docs/notebooks").glob("*.ipynb"))
    assert [name for name in notebooks if "cell_output" not in html[name]] == []
    assert re.search(r'<img[^>]* src="_images/\w+\.png"', html["evaluate-arrays"]), "the figure of the last cell"


@pytest.mark.parametrize("name", SCREENSHOTS)
def test_a_screenshot_is_complete_and_light(name):
    from PIL import Image

    path = ROOT / f"packaging/{name}.webp"
    assert path.stat().st_size < 400_000, "the page should load quickly"
    with Image.open(path) as image:
        assert image.size == (1280, 800)
        assert min(image.convert("RGB").getpixel((5, 795))) > 200, "the status bar of the light theme"
