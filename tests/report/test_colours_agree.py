"""The colour of a quantity is the same in the 3D view, thumbnails, strips, sheets, figures and the site."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from sample_benchmark import write_sample_benchmark

from shrec_viewer.cli.thumbnails import Sheets
from shrec_viewer.content.contents import build_chart
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.images import ModelsRequest, StripsRequest
from shrec_viewer.evaluation.evaluate import never_cancelled
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.meshes.images import read_image
from shrec_viewer.formats.meshes.values import read_valued_mesh
from shrec_viewer.metrics import find_profile
from shrec_viewer.render.scene.values import palette_bytes
from shrec_viewer.render.software.software_renderer import SoftwareRenderer
from shrec_viewer.render.thumbnails.thumbnail import make_thumbnail, thumbnail_requests
from shrec_viewer.render.workers.model_readers import ModelSource, pack_mesh
from shrec_viewer.render.workers.renderer_process import LoadMesh, MeshRenderer, RenderRequest
from shrec_viewer.report.figures.rendering import figure_bytes
from shrec_viewer.report.sheets.cards import SheetCardStyle
from shrec_viewer.report.site.images import draw_images, with_images

#: A flat square that faces the camera: all of it has one colour. The reference of a correspondence has others.
SQUARE = "OFF\n4 2 0\n-1 -1 0\n1 -1 0\n1 1 0\n-1 1 0\n3 0 1 2\n3 0 2 3\n"

#: Settings of `[values]`, value of all vertices, and the range of the colours, by kind.
KINDS = {
    "number": ("", 0.75, (0.0, 1.0)),
    "diverging": ("zero = 0.5, ", 0.25, (0.0, 1.0)),
    "labels": ('names = ["head", "tail", "leg"], ', 1, (0.0, 1.0)),
    "correspondence": ('correspondence = "m1", ', 2, None),
}

#: Levels of 255 by which colours of a compressed or scaled image may differ.
TOLERANCE = 5


@pytest.fixture(params=KINDS)
def data(request, tmp_path):
    """The sample benchmark with squares, whose vertices have all one value, seen from the front."""
    settings, value, limits = KINDS[request.param]
    folder = write_sample_benchmark(tmp_path / "sample")
    (folder / "part").mkdir()
    for path in folder.glob("*/*.off"):
        path.write_text(SQUARE)
        (folder / "part" / f"{path.stem}.txt").write_text(f"{value}\n" * 4)
    shown = "" if limits is None else "low = 0.0\nhigh = 1.0\n"
    with (folder / "benchmark.toml").open("a") as manifest:
        manifest.write(f'\n[values]\npart = {{ {settings}path = "part" }}\n')
        manifest.write(f'\n[camera]\nazimuth = 0.0\nelevation = 0.0\nprojection = "parallel"\nvalues = "part"\n{shown}')
    benchmark = read_benchmark(folder)
    assert [one.name for one in benchmark.quantities] == ["part"]
    return ContentData(benchmark, find_profile("default"))


@pytest.fixture(scope="module")
def renderer():
    made = SoftwareRenderer()
    yield made
    made.close()


@pytest.fixture
def source(renderer):
    """Draws images here by the software renderer, without the cache."""

    def draw(wanted, _checkpoint, _progress):
        for one in wanted:
            yield one.path, make_thumbnail(one, read_valued_mesh, read_image, renderer)

    return draw


def middle(pixels):
    """Colour of the middle of an image, where all pixels are the same."""
    side = len(pixels) // 2
    part = pixels[side - 4 : side + 4, side - 4 : side + 4, :3].reshape(-1, 3).astype(int)
    assert np.ptp(part, axis=0).max() <= TOLERANCE
    return part.mean(axis=0)


def has_squares(pixels, colour, count):
    """Whether so many pixels of an image have a colour."""
    return int((np.abs(pixels[..., :3].astype(int) - colour).max(axis=-1) <= TOLERANCE).sum()) >= count


def view_of(data, renderer, path):
    """The model as the 3D view draws it."""
    (one,) = thumbnail_requests([path], 96, data.benchmark.camera, data.benchmark.quantities)
    worker = MeshRenderer(renderer)
    source = ModelSource(path, quantity=one.quantity)
    request = RenderRequest("", source, one.camera, 96, 96, one.style)
    worker.handle(LoadMesh(request.source, pack_mesh(read_valued_mesh(path, one.quantity))))
    drawn = worker.handle(request)
    return np.frombuffer(drawn.bgra, np.uint8).reshape(96, 96, 4)[..., [2, 1, 0, 3]]


def test_all_outputs_have_the_same_colour(data, source, renderer):
    benchmark, path = data.benchmark, data.benchmark.collection.paths[1]
    expected = middle(view_of(data, renderer, path))
    run = benchmark.runs[0].name
    strips, models = StripsRequest(queries=("q1",), runs=(run,), top=2), ModelsRequest(models=("m2",))
    drawn = with_images(data, models, source, never_cancelled)
    np.testing.assert_allclose(middle(drawn.image(path).pixels), expected, atol=TOLERANCE)
    for request in (strips, models):
        shown = with_images(data, request, source, never_cancelled)
        png = figure_bytes(build_chart(shown, request), "png")
        assert has_squares(np.array(Image.open(BytesIO(png)).convert("RGB")), expected, 500), request.kind
    style = SheetCardStyle(96)
    images = {one: drawn.image(path).pixels for one in benchmark.collection.paths}
    assert has_squares(Sheets(benchmark, style, images, {}).contact(4), expected, 8 * 500)
    site = draw_images(benchmark, [1], source, never_cancelled, None)
    picture = np.array(Image.open(BytesIO(site.files[site.models[1].path])).convert("RGB"))
    np.testing.assert_allclose(middle(picture), expected, atol=TOLERANCE)


def test_the_colour_is_that_of_the_value(data, renderer, request):
    kind = request.node.callspec.params["data"]
    _, value, _ = KINDS[kind]
    colour = middle(view_of(data, renderer, data.benchmark.collection.paths[1]))
    if kind == "correspondence":  # the colour of the third vertex, upper right, of the reference
        reference = view_of(data, renderer, data.benchmark.queries.paths[0])
        np.testing.assert_allclose(middle(reference), colour, atol=TOLERANCE)
        return
    palette = palette_bytes(has_zero=kind == "diverging", has_labels=kind == "labels")[:, :3].astype(float)
    wanted = palette[value if kind == "labels" else round(value * 255)]
    # Light changes the lightness, not the hue.
    hues = [part / np.linalg.norm(part) for part in (wanted**2.2, colour**2.2)]
    assert float(hues[0] @ hues[1]) > 0.995
