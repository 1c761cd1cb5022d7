"""What the README shows is what the program does: its Python runs, its calls answer what stands below them."""

import re
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from shrec_viewer import __version__
from shrec_viewer.cli.program import COMMANDS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def _refresh():
    """The script that writes the answers, as a module."""
    spec = spec_from_file_location("refresh_readme", ROOT / "packaging/refresh_readme.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_call_answers_what_stands_below_it():
    refresh = _refresh()
    assert {match["call"].split()[0] for match in refresh.BLOCK.finditer(README)} == {"evaluate", "check"}
    assert refresh.refreshed(README) == README, "run `python packaging/refresh_readme.py`"


def test_a_stale_answer_is_written_anew():
    stale = ["```console", "$ shrec-viewer --version", "shrec-viewer 0.0.0", "```", "and"]
    stale += ["```console", "$ shrec-viewer --help", "old", "...", "```"]
    fresh = _refresh().refreshed("\n".join(stale)).splitlines()
    assert fresh[2] == f"shrec-viewer {__version__}"
    assert fresh[7].startswith("Usage: shrec-viewer")
    assert fresh[8:] == ["...", "```"]


@pytest.mark.parametrize("code", _blocks("python"), ids=lambda code: code.splitlines()[0])
def test_python_runs(code):
    exec(compile(code, "README.md", "exec"), {})


def test_the_manifest_is_toml_with_known_tables():
    (manifest,) = _blocks("toml")
    assert list(tomllib.loads(manifest)) == ["benchmark", "collection", "queries", "assessment", "runs", "camera"]


def test_every_command_and_every_folder_is_named():
    assert all(f"shrec-viewer {command.name}" in README for command in COMMANDS if not command.hidden)
    floors = [path.name for path in (ROOT / "shrec_viewer").iterdir() if (path / "__init__.py").exists()]
    assert all(re.search(rf"^  {floor}/ ", README, flags=re.MULTILINE) for floor in floors)


PICTURES = ("window", "compare", "campaign")

SHOWN = ("demo.sh", "test.sh", "CHANGELOG.md", *(f"{name}.webp" for name in PICTURES))


@pytest.mark.parametrize("path", [f"packaging/{name}" for name in SHOWN])
def test_what_it_points_to_is_there(path):
    assert path in README
    assert (ROOT / path).is_file()


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_of_the_window_is_whole_and_light(name):
    from PIL import Image

    path = ROOT / f"packaging/{name}.webp"
    assert path.stat().st_size < 400_000, "a page that opens at once"
    with Image.open(path) as image:
        assert image.size == (1280, 800)
        assert min(image.convert("RGB").getpixel((5, 795))) > 200, "the status bar of the light theme"
