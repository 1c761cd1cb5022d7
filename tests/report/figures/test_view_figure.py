"""What the 3D view shows, as a figure: difference of shapes, measured points, and style."""

import numpy as np
import pytest
from sample_benchmark import write_sample_benchmark

from shrec_viewer.content.contents import build_chart
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.images import ModelsRequest, as_shown
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.evaluate import never_cancelled
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.meshes.images import read_image
from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.geometry.difference import shape_difference
from shrec_viewer.metrics import find_profile
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.picking import picked_point
from shrec_viewer.render.scene.render_mesh import PreparedMesh
from shrec_viewer.render.scene.style import FINE_STYLE
from shrec_viewer.render.software.software_renderer import SoftwareRenderer
from shrec_viewer.render.thumbnails.thumbnail import make_thumbnail, thumbnail_requests
from shrec_viewer.report.figures.rendering import figure_bytes
from shrec_viewer.report.site.images import with_images

REQUEST = ModelsRequest(queries=("q1",), models=("m1", "m5"), difference="side")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    benchmark = read_benchmark(write_sample_benchmark(tmp_path_factory.mktemp("sample")))
    return ContentData(benchmark, find_profile("default"))


@pytest.fixture(scope="module")
def renderer():
    made = SoftwareRenderer()
    yield made
    made.close()


@pytest.fixture(scope="module")
def draw(data, renderer):
    """Makes the chart of a request, drawn by the software renderer."""

    def source(wanted, _checkpoint, _progress):
        for one in wanted:
            yield one.path, make_thumbnail(one, read_mesh, read_image, renderer)

    return lambda request: build_chart(with_images(data, request, source, never_cancelled), request)


def paths_of(data):
    return data.benchmark.queries.paths[0], *(data.benchmark.collection.paths[item] for item in (0, 4))


def test_captions_and_scales_are_those_of_the_difference(data, draw):
    query, *models = paths_of(data)
    sheet = draw(REQUEST)
    assert [tile.caption for tile in sheet.tiles] == ["q1", "m1", "m5"]
    assert (sheet.tiles[0].note, sheet.tiles[0].legend) == ("", None)
    for tile, path in zip(sheet.tiles[1:], models, strict=True):
        expected = shape_difference(read_mesh(path), read_mesh(query))
        assert tile.note == expected.sentence()
        assert (tile.legend is None) == bool(expected.sameness)
        if tile.legend is not None:
            assert 0.0 < tile.legend.scale.high <= expected.worst + 0.05
            assert tile.legend.ticks[0][1] == "0 %"
            assert tile.legend.ticks[-1][1].endswith("%")
            assert tile.legend.title == "distance in radii"
    drawn = figure_bytes(sheet, "svg").decode()
    assert "of the radius" in drawn


def test_an_overlay_contains_the_reference_as_dots(draw):
    sheet = draw(ModelsRequest(models=("m1", "m5"), difference="overlay", reference="m5"))
    (tile,) = sheet.tiles
    assert tile.caption == "m1"
    assert tile.note.endswith("dots: m5")


def test_both_states_of_a_flip_have_one_frame(data, draw):
    request = ModelsRequest(queries=("q1",), models=("m5",), difference="flip")
    query, _, model = paths_of(data)
    made = {one.path: one for one in as_shown(data, request, thumbnail_requests([query, model], 64, {}))}
    assert (made[query].comparison.drawn, made[query].comparison.other) == ("fixed", model)
    assert (made[model].comparison.drawn, made[model].comparison.other) == ("moved", query)
    assert all(tile.pixels is not None for tile in draw(request).tiles)


def test_style_of_the_view(data):
    request = ModelsRequest(models=("m1",), shading="smooth", wireframe=True, box=True, point_size=2.0)
    (one,) = as_shown(data, request, thumbnail_requests([paths_of(data)[1]], 64, {}))
    style = one.style
    assert (style.shading, style.wireframe, style.box, style.axes, style.point_size) == ("smooth", True, True, True, 2)
    assert one.is_cached


def test_measured_points_are_marked_with_their_distance(data, draw):
    plain, marked = (
        draw(ModelsRequest(models=("m1",), points=points)).tiles[0] for points in ((), ("m1:0,0,0,0.3,0.4,0",))
    )
    assert (plain.note, marked.note) == ("", "distance 0.5000")
    assert (plain.pixels != marked.pixels).any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reference": "m7"}, "'m7', with which others are compared, is not shown"),
        ({"points": ("m1:1,2,3",)}, "'m1:1,2,3' is not an id and two points: ID:X,Y,Z,X,Y,Z"),
        ({"points": ("m1:1,2,3,4,5,nan",)}, "'m1:1,2,3,4,5,nan' is not an id and two points: ID:X,Y,Z,X,Y,Z"),
    ],
)
def test_wrong_options_are_answered(draw, change, message):
    request = ModelsRequest(queries=("q1",), models=("m1",), difference="side").with_values(**change)
    with pytest.raises(ShrecViewerError, match="^" + message.replace("'", ".") + "$"):
        draw(request)


def test_without_comparison_nothing_is_said(draw):
    for request in (ModelsRequest(models=("m1",), difference="side"), ModelsRequest(models=("m1", "m5"))):
        assert [tile.note for tile in draw(request).tiles] == [""] * len(request.models)


def test_a_picked_point_is_known_in_the_file(data):
    mesh = read_mesh(paths_of(data)[1])
    picked = picked_point(PreparedMesh(mesh), Camera(), 64, 64, FINE_STYLE, 32, 32)
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    assert (low - 1e-5 <= picked.in_file).all()
    assert (picked.in_file <= high + 1e-5).all()
    centre = (low + high) / 2
    np.testing.assert_allclose((np.array(picked.in_file) - centre) / picked.radius, picked.point, atol=1e-5)
