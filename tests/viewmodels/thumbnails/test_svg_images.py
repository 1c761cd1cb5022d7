"""SVG sketches are rendered by Qt, also without a display."""

from base64 import b64encode
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.formats.meshes.images import read_image
from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.render.thumbnails.thumbnail import ThumbnailRequest
from shrec_viewer.render.workers.thumbnail_pool import ThumbnailPool
from shrec_viewer.viewmodels.thumbnails.image_reader import read_image_or_svg

WIDE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100">'
    '<rect width="200" height="100" fill="#ff0000" fill-opacity="0.5"/><text x="80" y="70">words</text></svg>'
)


def svg(folder: Path, text: str, name: str = "sketch.svg") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_svg_is_fitted_with_transparency(qapp: object, tmp_path: Path):
    pixels = read_image_or_svg(svg(tmp_path, WIDE), 64)
    assert pixels.shape == (64, 64, 4)
    assert pixels.dtype == np.uint8
    assert not pixels[:15].any()
    assert not pixels[49:].any()
    assert np.abs(pixels[20, 5].astype(int) - (255, 0, 0, 128)).max() <= 1  # straight alpha


@pytest.mark.parametrize(
    "text", ["", "no drawing", "<svg xmlns='http://www.w3.org/2000/svg'/>", "<svg", "<html></html>"]
)
@pytest.mark.filterwarnings("ignore")
def test_invalid_svg_raises_format_error(qapp: object, qtlog: object, tmp_path: Path, text: str):
    with qtlog.disabled(), pytest.raises(FormatError, match="cannot be read as an SVG image"):
        read_image_or_svg(svg(tmp_path, text), 64)


def test_missing_and_large_svg_raise_format_error(tmp_path: Path):
    with pytest.raises(FormatError, match="cannot be opened"):
        read_image_or_svg(tmp_path / "none.svg", 64)
    with (tmp_path / "large.svg").open("wb") as file:
        file.truncate(20_000_001)
    with pytest.raises(FormatError, match="is larger than 20 MB"):
        read_image_or_svg(tmp_path / "large.svg", 64)


def test_other_images_are_read_without_qt(tmp_path: Path):
    Image.new("RGB", (20, 20), (1, 2, 3)).save(tmp_path / "sketch.png")
    assert np.array_equal(read_image_or_svg(tmp_path / "sketch.png", 32), read_image(tmp_path / "sketch.png", 32))
    with pytest.raises(FormatError, match="which only the window can render"):
        read_image(svg(tmp_path, WIDE), 32)


def test_svg_with_text_does_not_crash_process(tmp_path: Path):
    with ThumbnailPool(read_mesh, read_image_or_svg, None, 1) as workers:
        workers.request([ThumbnailRequest(svg(tmp_path, WIDE), 64)])
        ((_, thumbnail),) = workers.wait(60)
    assert thumbnail.problem is None
    assert thumbnail.pixels()[32, 5, 3] in (127, 128)


RECT = '<rect width="10" height="10" fill="#0000ff"/>'

EXTERNAL = {
    "path": '<image xlink:href="{red}" width="10" height="10"/>',
    "relative path": '<image xlink:href="red.png" width="10" height="10"/>',
    "plain href": '<image href="{red}" width="10" height="10"/>',
    "embedded SVG with a path": '<image xlink:href="data:image/svg+xml;base64,{nested}" width="10" height="10"/>',
    "mislabelled SVG": '<image xlink:href="data:image/png;base64,{nested}" width="10" height="10"/>',
}


def document(content: str, before: str = "") -> str:
    names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'{before}<svg {names} viewBox="0 0 10 10">{content}</svg>'


@pytest.fixture
def red(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A red image that documents refer to; its folder is the working directory."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "red.png"
    Image.new("RGB", (4, 4), (255, 0, 0)).save(path)
    return path


@pytest.mark.parametrize("element", EXTERNAL.values(), ids=EXTERNAL)
def test_svg_opens_no_other_file(qapp: object, tmp_path: Path, red: Path, element: str):
    nested = b64encode(document(EXTERNAL["path"].format(red=red)).encode()).decode()
    pixels = read_image_or_svg(svg(tmp_path, document(RECT + element.format(red=red, nested=nested))), 16)
    assert (pixels == (0, 0, 255, 255)).all()


def test_svg_opens_no_style_sheet(qapp: object, tmp_path: Path):
    (tmp_path / "red.css").write_text("rect { fill: #ff0000 }")
    instruction = f'<?xml-stylesheet type="text/css" href="{tmp_path / "red.css"}"?>'
    pixels = read_image_or_svg(svg(tmp_path, document('<rect width="10" height="10"/>', instruction)), 16)
    assert (pixels == (0, 0, 0, 255)).all()


def test_svg_has_its_embedded_image_styles_and_references(qapp: object, tmp_path: Path, red: Path):
    image = f'<image xlink:href="data:image/png;base64,{b64encode(red.read_bytes()).decode()}" width="10" height="5"/>'
    style = '<style>.low {fill: #00ff00}</style><defs><rect id="r" y="5" width="10" height="5"/></defs>'
    metadata = '<metadata xmlns:x="urn:x"><x:image href="a"/></metadata>'
    content = f'{style}{image}<use xlink:href="#r" class="low"/>{metadata}'
    pixels = read_image_or_svg(svg(tmp_path, document(content)), 16)
    assert (pixels[2, 8] == (255, 0, 0, 255)).all()
    assert (pixels[13, 8] == (0, 255, 0, 255)).all()
