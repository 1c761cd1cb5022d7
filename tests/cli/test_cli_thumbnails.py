"""The thumbnails command: cache, images, contact sheets, and messages about models without a thumbnail."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from processes import started

from shrec_viewer.cli.program import run
from shrec_viewer.cli.thumbnails import thumbnails_command
from shrec_viewer.formats.meshes import mesh_reader
from shrec_viewer.render.scene.palette import PRESETS, colour_bytes
from shrec_viewer.render.scene.values import RISING
from shrec_viewer.report.sheets import contact_sheet

TETRA = "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 0 1 3\n3 0 2 3\n3 1 2 3\n"

PYRAMID = "OFF\n5 6 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0.5 0.5 1\n4 3 2 1 0\n3 0 1 4\n3 1 2 4\n3 2 3 4\n3 3 0 4\n3 0 1 2\n"
"""A pyramid on the plane z = 0."""

TOML = """[benchmark]
name = "Small"
[collection]
models = "models"
classification = "models.cla"
[queries]
models = "queries"
classification = "queries.cla"
[assessment]
derive = "classes"
[[runs]]
name = "A1"
path = "runs/A1"
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Six models of two classes, one of them broken, two queries, one run without a list for the second."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "small"
    for folder in ("models", "queries", "runs/A1"):
        (root / folder).mkdir(parents=True)
    for number in range(1, 7):
        (root / "models" / f"m{number}.off").write_text(TETRA.replace("0 0 1\n", f"0 0 {number}\n"))
    (root / "models" / "m4.off").write_text("broken")
    for number in (1, 2):
        (root / "queries" / f"q{number}.off").write_text(TETRA.replace("0 1 0\n", f"0 {number + 1} 0\n"))
    (root / "models.cla").write_text("PSB 1\n2 6\n\na 0 3\nm1\nm2\nm3\n\nb 0 3\nm4\nm5\nm6\n")
    (root / "queries.cla").write_text("PSB 1\n2 2\n\na 0 1\nq1\n\nb 0 1\nq2\n")
    (root / "runs/A1/q1").write_text("m2 0.1\nm4 0.2\nm1 0.3\n")
    (root / "benchmark.toml").write_text(TOML)
    return root


def shown(path: Path) -> np.ndarray:
    with Image.open(path) as picture:
        return np.array(picture.convert("RGBA"))


def test_cache_is_filled_once_and_failures_are_reported(small: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["thumbnails", str(small)]) == 0
    reported = capsys.readouterr()
    assert reported.out == ""
    assert (
        "shrec-viewer: models/m4.off: warning: does not start with 'OFF'; "
        "a placeholder is shown instead of the thumbnail" in reported.err
    )
    assert "Small: 7 drawn, 0 cached, 1 without a thumbnail; rendered by " in reported.err
    assert run(["thumbnails", str(small)]) == 0
    assert "Small: 0 drawn, 7 cached, 1 without a thumbnail" in capsys.readouterr().err


def test_repairs_are_reported_each_time(small: Path, capsys: pytest.CaptureFixture[str]):
    (small / "models" / "m5.off").write_text(TETRA.rsplit("\n", 2)[0])
    for _ in range(2):
        assert run(["thumbnails", str(small)]) == 0
        reported = capsys.readouterr().err
        assert "models/m5.off: note: the file ends after 3 of 4 faces; drawn as far as possible" in reported


def test_images_are_written_for_models_and_queries(small: Path, tmp_path: Path):
    assert run(["thumbnails", str(small), "--output", str(tmp_path / "out"), "--size", "48"]) == 0
    names = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*")}
    assert names == {*(f"m{number}.png" for number in (1, 2, 3, 5, 6)), "queries/q1.png", "queries/q2.png"}
    pixels = shown(tmp_path / "out" / "m1.png")
    assert pixels.shape == (48, 48, 4)
    assert set(np.unique(pixels[..., 3])) >= {0, 255}


def test_axis_and_renderer_change_the_image(small: Path, tmp_path: Path):
    for name, options in {"y": [], "z": ["--up", "z"], "s": ["--renderer", "software"]}.items():
        assert run(["thumbnails", str(small), "--output", str(tmp_path / name), "--size", "64", *options]) == 0
    y, z, software = (shown(tmp_path / name / "m6.png").astype(int) for name in "yzs")
    assert np.abs(y - z).mean() > 10
    assert np.abs(y - software).mean() < 1


def test_view_is_that_of_the_benchmark_unless_given(small: Path, tmp_path: Path):
    assert run(["thumbnails", str(small), "--output", str(tmp_path / "z"), "--size", "64", "--up", "z"]) == 0
    assert run(["thumbnails", str(small), "--output", str(tmp_path / "y"), "--size", "64"]) == 0
    toml = small / "benchmark.toml"
    toml.write_text((toml.read_text() if toml.exists() else "") + '\n[camera]\nup = "Z"\n')
    assert run(["thumbnails", str(small), "--output", str(tmp_path / "manifest"), "--size", "64"]) == 0
    assert run(["thumbnails", str(small), "--output", str(tmp_path / "option"), "--size", "64", "--up", "y"]) == 0
    pictures = {name: shown(tmp_path / name / "m6.png") for name in ("y", "z", "manifest", "option")}
    assert np.array_equal(pictures["manifest"], pictures["z"])
    assert np.array_equal(pictures["option"], pictures["y"])


@pytest.fixture
def valued(small: Path) -> Path:
    """The same with a value of each vertex: 0 to 3 times the number of the model; one model has none."""
    (small / "height").mkdir()
    for number in (1, 2, 3, 6):
        (small / "height" / f"m{number}.txt").write_text("\n".join(str(number * index) for index in range(4)))
    toml = small / "benchmark.toml"
    toml.write_text(toml.read_text() + '\n[values]\nheight = { path = "height", unit = "mm" }\n')
    return small


def test_models_are_coloured_by_a_quantity_in_one_range(valued: Path, tmp_path: Path, capsys):
    def drawn(name: str, *options: str) -> np.ndarray:
        assert run(["thumbnails", str(valued), "--output", str(tmp_path / name), "--size", "64", *options]) == 0
        return shown(tmp_path / name / "m6.png")

    plain = drawn("plain")
    common = drawn("common", "--values", "height")
    message = capsys.readouterr().err
    assert "height in mm: ≤ 0." in message
    assert "grey: undefined" in message
    fixed = drawn("fixed", "--values", "height", "--value-range", "0", "18")
    assert not np.array_equal(plain, common)
    assert not np.array_equal(common, fixed)
    grey = shown(tmp_path / "fixed" / "m5.png")
    covered = grey[grey[..., 3] == 255][:, :3].astype(int)
    assert np.ptp(covered, axis=1).max() < 30, "the model without values is grey"
    toml = valued / "benchmark.toml"
    toml.write_text(toml.read_text() + '\n[camera]\nvalues = "height"\nlow = 0\nhigh = 18\n')
    assert np.array_equal(drawn("manifest"), fixed)
    assert np.array_equal(drawn("other", "--values", "height"), common), "the range is of the quantity in the manifest"


def test_sheet_and_figure_have_the_legend_of_the_quantity(valued: Path, tmp_path: Path):
    plain, coloured = tmp_path / "plain.png", tmp_path / "coloured.png"
    assert run(["thumbnails", str(valued), "--sheet", str(plain)]) == 0
    assert run(["thumbnails", str(valued), "--sheet", str(coloured), "--values", "height"]) == 0
    below = shown(coloured)[len(shown(plain)) :, :, :3]
    assert len(below) > 20
    for colour in (RISING[1], RISING[-2]):
        difference = np.abs(below.astype(int) - colour_bytes(colour)).max(axis=2)
        assert (difference < 12).any(), "the palette"
    figure = tmp_path / "sheet.svg"
    options = ["--query", "q1", "--camera", "values=height,low=0,high=5", "--output", str(figure)]
    assert run(["figure", str(valued), "strips", *options]) == 0
    assert "height in mm" in figure.read_text()
    assert "≥ 5.0000" in figure.read_text()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_contact_sheet_shows_all_models(small: Path, tmp_path: Path, theme: str):
    target = tmp_path / "new" / "sheet.png"
    assert run(["thumbnails", str(small), "--sheet", str(target), "--theme", theme, "--columns", "3"]) == 0
    pixels = shown(target)
    assert pixels.shape[1] == 24 + 3 * (142 + 6) - 6
    assert (pixels[0, 0, :3].mean() > 128) == (theme == "light")


def test_strip_shows_the_ranked_list_with_relevance(small: Path, tmp_path: Path):
    target = tmp_path / "strip.png"
    assert run(["thumbnails", str(small), "--sheet", str(target), "--query", "q1", "--size", "128"]) == 0
    pixels = shown(target)
    assert pixels.shape[1] == 24 + 142 + 24 + 3 * (142 + 6) - 6
    relevant = tuple(bytes.fromhex(PRESETS["ordinal"]["light"][2].frame[1:]))
    assert (pixels[..., :3] == relevant).all(axis=2).sum() > 2 * 4 * 128 * 2  # two frames of three pixels
    missing = tmp_path / "missing.png"
    assert run(["thumbnails", str(small), "--sheet", str(missing), "--run", "A1", "--query", "q2"]) == 0
    assert shown(missing).shape[0] > 100  # says that there is no list


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--output", "a", "--sheet", "b.png"], "--output and --sheet exclude each other"),
        (["--run", "A1"], "--run, --query and --columns require --sheet FILE.png"),
        (["--sheet", "a.jpg"], "a sheet is a PNG file: use --sheet a.png"),
        (["--sheet", "a.png", "--query", "q3"], "there is no query 'q3'"),
        (["--sheet", "a.png", "--run", "A2"], "there is no run 'A2'"),
        (["--sheet", "a.png", "--query", "q1"], "a sheet of 1 strips is too large; use fewer or smaller ones"),
        (["--value-range", "1", "2"], "--value-range requires --values NAME"),
        (["--values", "q", "--value-range", "2", "1"], "a first number below the second"),
        (["--values", "q"], "--values: no model has the quantity 'q'"),
        (["--sheet", "a.png"], "a sheet of 6 cards of 128 pixels is too large; use smaller cards"),
    ],
)
def test_usage_errors_write_nothing(
    small: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, options: list[str], sentence: str
):
    monkeypatch.chdir(small)
    before = sorted(small.rglob("*"))
    monkeypatch.setattr(contact_sheet, "MAX_PIXELS", 300)
    assert run(["thumbnails", ".", *options]) == 2
    assert sentence in capsys.readouterr().err
    assert sorted(small.rglob("*")) == before


def test_unwritable_folder_gives_a_message(small: Path, capsys: pytest.CaptureFixture[str]):
    target = small / "benchmark.toml" / "sheet.png"
    assert run(["thumbnails", str(small), "--sheet", str(target)]) == 2
    assert "sheet.png" in capsys.readouterr().err


def test_no_renderable_model_is_status_1(small: Path):
    for path in small.rglob("*.off"):
        path.write_text("broken")
    assert run(["thumbnails", str(small)]) == 1


def test_help_names_every_option():
    assert {option.name for option in thumbnails_command.params} >= {
        "size",
        "output",
        "sheet",
        "renderer",
        "theme",
        "up",
        "values",
        "value_range",
    }


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_leaves_no_partial_sheet(small: Path):
    for number in range(10, 2500):  # more than can be drawn in the meantime
        (small / "models" / f"m{number}.off").write_text(TETRA.replace("0 0 1\n", f"0 0 {number}\n"))
    (small / "benchmark.toml").write_text(TOML.replace('classification = "models.cla"\n', ""))
    call = [sys.executable, "-m", "shrec_viewer", "thumbnails", str(small), "--output", str(small / "out")]
    with started(call, stderr=subprocess.DEVNULL, start_new_session=True) as process:
        end = time.monotonic() + 60
        while not list((small / "out").glob("*.png")) and time.monotonic() < end:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) in (130, -signal.SIGINT)
    assert 0 < len(list((small / "out").glob("*.png"))) < 2490
    assert not list((small / "out").rglob("*.part"))


def test_models_are_read_in_worker_processes_only(small: Path, tmp_path: Path, monkeypatch, capsys):
    def fail(path):
        raise AssertionError(f"{path} was read in the main process")

    for number in range(1, 13):  # enough votes for Z up
        (small / "models" / f"m{number}.off").write_text(PYRAMID)
    rows = "".join(f"m{number}\n" for number in range(1, 13))
    (small / "models.cla").write_text(f"PSB 1\n2 12\n\na 0 12\n{rows}\nb 0 0\n")
    monkeypatch.setattr(mesh_reader, "read_bytes", fail)  # processes that are started import the module again
    assert run(["thumbnails", str(small), "--size", "32", "--renderer", "software"]) == 0
    assert "use --up z" in capsys.readouterr().err
