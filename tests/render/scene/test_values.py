"""Quantities on meshes: range, colours by hand, and how values follow vertices and faces."""

from dataclasses import replace

import numpy as np
import pytest
from solids import mesh_of, sphere

from shrec_viewer.domain.mesh import Mesh, MeshValues, Texture
from shrec_viewer.domain.value_scale import ValueScale, common_range
from shrec_viewer.formats.meshes.values import correspondence_colours
from shrec_viewer.render.renderer import Renderer, open_renderer
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.lighting import linear_to_srgb, srgb_to_linear
from shrec_viewer.render.scene.palette import colour_bytes
from shrec_viewer.render.scene.picking import PickedValue, picked_point
from shrec_viewer.render.scene.render_mesh import make_render_mesh
from shrec_viewer.render.scene.style import RenderStyle
from shrec_viewer.render.scene.values import (
    CATEGORIES,
    DIVERGING,
    NUMBER_UNIT,
    RISING,
    UNDEFINED_COLOUR,
    palette_bytes,
    summarise,
)

FRONT = Camera(azimuth=0, elevation=0, field_of_view=0)
SIZE = 64


@pytest.fixture(scope="module", params=["gl", "software"])
def renderer(request):
    try:
        opened = open_renderer(request.param)
    except RuntimeError as error:
        pytest.skip(f"no OpenGL here: {error}")
    yield opened
    opened.close()


def quad(*values: MeshValues) -> Mesh:
    """A square that fills the view from the front: its corners are lower left, lower right, upper right, upper left."""
    corners = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]
    return replace(mesh_of(corners, [[0, 1, 2], [0, 2, 3]]), values=values)


def of_vertices(name, numbers, labels=None):
    return MeshValues(name, "vertex", np.array(numbers, np.float32), labels)


def of_faces(name, numbers, labels=None):
    return MeshValues(name, "face", np.array(numbers, np.float32), labels)


def surface(
    renderer: Renderer, mesh: Mesh, scale: ValueScale | None, across: float, up: float
) -> tuple[np.ndarray, np.ndarray]:
    """Bytes of the surface at a place from -1 to 1, and the light there, which a grey surface shows."""
    style = RenderStyle(ambient_occlusion=False, values=scale)
    grey = np.full((1, 4), 128, np.uint8)
    row, column = (int(SIZE * (1 - 0.69 * place) / 2) for place in (up, -across))
    shown = renderer.draw(mesh, FRONT, SIZE, SIZE, style)[row, column]
    painted = replace(mesh, colours=np.repeat(grey, len(mesh.vertices), axis=0))
    lit = renderer.draw(painted, FRONT, SIZE, SIZE, replace(style, values=None))[row, column]
    assert shown[3] == lit[3] == 255
    return shown[:3].astype(float), (srgb_to_linear(lit[None]) / srgb_to_linear(grey))[0]


CORNERS = ((-0.95, -0.95), (0.95, -0.95), (0.95, 0.95), (-0.95, 0.95))


def near(found: tuple[np.ndarray, np.ndarray], expected, tolerance=6):
    """Whether a place of `surface` has this colour under its light."""
    (shown, light), wanted = found, colour_bytes(expected) if isinstance(expected, str) else expected[:3]
    lit = 255 * linear_to_srgb(srgb_to_linear(np.array([[*wanted, 255]], np.uint8))[0] * light)
    return np.abs(shown - lit).max() <= tolerance


def test_corners_have_the_colours_of_their_values(renderer):
    mesh = quad(of_vertices("q", [0, 2, 4, 2]))
    first, last = RISING[0], RISING[-1]
    scale = ValueScale("q", 0.25, 3.75)
    assert near(surface(renderer, mesh, scale, *CORNERS[0]), first)
    assert near(surface(renderer, mesh, scale, *CORNERS[2]), last)
    half = palette_bytes(has_zero=False, has_labels=False)[128]
    assert near(surface(renderer, mesh, scale, -0.1, 0.1), half)
    clipped = ValueScale("q", 1.5, 2.5)
    assert near(surface(renderer, mesh, clipped, -0.8, -0.8), first), "beyond the range: the colour of the end"
    assert near(surface(renderer, mesh, clipped, 0.8, 0.8), last)
    around = ValueScale("q", 0.25, 3.75, zero=2.0)
    assert near(surface(renderer, mesh, around, -0.95, -0.95), DIVERGING[0])
    assert near(surface(renderer, mesh, around, 0.95, 0.95), DIVERGING[-1])
    assert near(surface(renderer, mesh, around, -0.5, 0.5), DIVERGING[3])


def test_corresponding_vertices_have_the_same_colours(renderer):
    reference = mesh_of([[0, 0, 0], [1, 0, 0], [1, 2, 0], [0, 2, 1]], [[0, 1, 2]])
    reference, model = (replace(one, source_counts=(4, len(one.faces))) for one in (reference, quad()))
    own, _ = correspondence_colours(reference, None, reference)
    assert len(np.unique(own, axis=0)) == len(own)
    for number, colour in enumerate(own):
        colours, _ = correspondence_colours(model, np.full(4, float(number)), reference, base=0)
        for corner in CORNERS:
            assert near(surface(renderer, replace(model, colours=colours), None, *corner), colour)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("size", [3e38, 1e-33])
def test_the_largest_and_smallest_numbers_have_their_colours(renderer, size):
    mesh = quad(of_vertices("q", [-size, 0, size, 0]))
    (summary,) = summarise(mesh)
    low, high = common_range([summary])
    assert (low, high) == pytest.approx((-0.94 * size, 0.94 * size), rel=0.01)
    for scale in (ValueScale("q", -size, size), ValueScale("q"), ValueScale("q", zero=0.0)):
        first, _, last = (shown for shown, _ in (surface(renderer, mesh, scale, *CORNERS[i]) for i in (0, 1, 2)))
        middle, light = surface(renderer, mesh, scale, -0.5, 0.5)
        half = palette_bytes(has_zero=scale.zero is not None, has_labels=False)[128]
        assert np.abs(first - last).max() > 60
        assert near((middle, light), half, tolerance=12), "between both, neither the first nor the last colour"


def test_undefined_values_and_missing_quantities_are_grey(renderer):
    mesh = quad(of_vertices("q", [0, 2, 4, np.nan]))
    scale = ValueScale("q", 0, 4)
    assert near(surface(renderer, mesh, scale, -0.7, 0.7), UNDEFINED_COLOUR), "a face with an undefined corner"
    assert not near(surface(renderer, mesh, scale, 0.7, -0.7), UNDEFINED_COLOUR)
    assert near(surface(renderer, mesh, ValueScale("other"), 0.7, -0.7), UNDEFINED_COLOUR)
    infinite = quad(of_faces("q", [np.inf, 1]))
    assert near(surface(renderer, infinite, scale, 0.5, -0.5), UNDEFINED_COLOUR)


def test_values_of_faces_are_not_drawn_where_no_face_is_left(renderer):
    """A file all of whose faces refer to missing vertices is drawn as points."""
    corners = quad().vertices
    points = Mesh(corners, np.zeros((0, 3), np.int32), values=(of_faces("q", []),))
    style = RenderStyle(ambient_occlusion=False, values=ValueScale("q"))
    shown = renderer.draw(points, FRONT, SIZE, SIZE, style)
    without = renderer.draw(replace(points, values=()), FRONT, SIZE, SIZE, style)
    assert shown[..., 3].any()
    np.testing.assert_array_equal(shown, without)


def test_faces_have_one_colour_each(renderer):
    mesh = quad(of_faces("q", [0, 1]))
    scale = ValueScale("q", 0, 1)
    for across, up in ((0.8, -0.8), (0.1, -0.1), (0.8, 0.6)):
        assert near(surface(renderer, mesh, scale, across, up), RISING[0])
    for across, up in ((-0.8, 0.8), (-0.1, 0.1)):
        assert near(surface(renderer, mesh, scale, across, up), RISING[-1])


def test_labels_are_those_of_the_nearest_corner(renderer):
    labels = tuple("abcd")
    mesh = quad(of_vertices("part", [0, 1, 2, 3], labels))
    for number, (across, up) in enumerate(CORNERS):
        for share in (1.0, 0.75):
            assert near(surface(renderer, mesh, ValueScale("part"), across * share, up * share), CATEGORIES[number])
    faces = quad(of_faces("part", [len(CATEGORIES) + 2, 256 + 8], labels))
    assert near(surface(renderer, faces, ValueScale("part"), 0.5, -0.5), CATEGORIES[2]), "repeated"
    assert near(surface(renderer, faces, ValueScale("part"), -0.5, 0.5), CATEGORIES[264 % len(CATEGORIES)])
    unknown = quad(of_vertices("part", [np.nan, 1, 1, 1], labels))
    assert near(surface(renderer, unknown, ValueScale("part"), -0.9, -0.9), UNDEFINED_COLOUR)
    assert near(surface(renderer, unknown, ValueScale("part"), 0.9, -0.9), CATEGORIES[1])


def test_range_changes_without_another_mesh(renderer):
    prepared = renderer.prepare(quad(of_vertices("q", [0, 2, 4, 2]), of_faces("f", [0, 1])))
    draw = lambda scale: renderer.draw(prepared, FRONT, SIZE, SIZE, RenderStyle(values=scale))  # noqa: E731
    one, two = draw(ValueScale("q", 0, 4)), draw(ValueScale("q", 0, 8))
    other = draw(ValueScale("f", 0, 1))
    assert not np.array_equal(one, two)
    assert not np.array_equal(two, other)
    assert np.array_equal(one, draw(ValueScale("q", 0, 4)))
    assert np.array_equal(draw(ValueScale("q")), draw(ValueScale("q", *common_range(summarise(prepared.mesh)[:1]))))


def test_values_follow_removed_vertices_thinned_points_and_sorted_faces():
    ball = sphere(12)
    padded = np.concatenate([[[9, 9, 9]], ball.vertices, [[9, 9, 9]]]).astype(np.float32)
    values = (of_vertices("x", padded[:, 0]), of_faces("n", np.arange(len(ball.faces))))
    texture = Texture(
        np.zeros((len(padded), 2), np.float32),
        (np.full((1, 1, 4), 255, np.uint8), np.full((1, 1, 4), 9, np.uint8)),
        (np.arange(len(ball.faces)) % 3 - 1).astype(np.int16),
    )
    made = make_render_mesh(Mesh(padded, (ball.faces + 1).astype(np.int32), texture=texture, values=values))
    assert len(made.points) == len(ball.vertices)
    numbers = {name: made.values_of(name).numbers / NUMBER_UNIT for name in "xn"}
    assert np.allclose(numbers["x"], made.points[:, 0] * np.abs(ball.vertices).max(), atol=0.1)
    assert np.array_equal(padded[made.source_vertices, 0], numbers["x"])
    assert np.array_equal(numbers["n"], made.source_faces)
    assert not np.array_equal(made.source_faces, np.arange(len(ball.faces))), "sorted by image"
    cloud = make_render_mesh(
        Mesh(
            np.random.default_rng(1).random((450_000, 3), np.float32),
            ball.faces[:0],
            values=(of_vertices("i", np.arange(450_000)),),
        )
    )
    assert np.array_equal(cloud.values_of("i").numbers / NUMBER_UNIT, np.arange(0, 450_000, 3))
    flat = make_render_mesh(mesh_without_area())
    assert flat.values_of("n").defined.tolist() == [False] * 3, "drawn as points, which have no values of faces"


def mesh_without_area() -> Mesh:
    line = mesh_of([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]])
    return replace(line, values=(of_faces("n", [1]),))


def test_range_of_several_meshes():
    small, large = np.linspace(0, 1, 50), np.linspace(0, 10, 5001)
    cloud = mesh_of(np.random.default_rng(1).random((50, 3)), [])
    one = summarise(replace(cloud, values=(of_vertices("q", small),)))
    two = summarise(replace(mesh_of(np.zeros((5001, 3)), []), values=(of_vertices("q", large),)))
    assert common_range(one) == pytest.approx((0.02, 0.98))
    assert common_range([*one, *two]) == pytest.approx((0.04, 9.6), abs=0.1), "each mesh counts equally"
    assert common_range(one, zero=0.5) == pytest.approx((0.02, 0.98))
    assert common_range(one, zero=0.0) == pytest.approx((-0.98, 0.98))
    outlier = [0.0] * 99 + [7.0]
    assert common_range(summarise(replace(mesh_of(np.zeros((100, 3)), []), values=(of_vertices("q", outlier),)))) == (
        0,
        7,
    )
    constant = summarise(replace(cloud, values=(of_vertices("q", np.full(50, 3.0)),)))
    assert common_range(constant) == (3, 3)
    nothing = summarise(replace(cloud, values=(of_vertices("q", np.full(50, np.nan)),)))
    assert common_range(nothing) == (0, 1)
    assert nothing[0].has_undefined
    assert ValueScale("q", 1.0, 2.0).with_range(one) == ValueScale("q", 1.0, 2.0)


def test_labels_are_summarised_with_their_texts():
    labels = of_vertices("part", [2, 2, 0, np.nan], ("head", "arm", "leg"))
    (found,) = summarise(quad(labels))
    assert found.labels == ((0, "head"), (2, "leg"))
    assert found.has_undefined
    (unnamed,) = summarise(quad(of_faces("part", [7, 7], ("head",))))
    assert unnamed.labels == ((7, "7"),)


def test_value_under_the_pointer_is_that_of_the_nearest_corner_and_the_front():
    """A place of the image names the vertex or face in the file, behind which others are hidden."""
    behind = np.array([[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1]], np.float32)
    front = quad().vertices + np.array([0, 0, 1], np.float32)
    mesh = Mesh(
        np.concatenate([behind, front]),
        np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]], np.int32),
        values=(
            of_vertices("q", [0, 1, 2, 3, 10, 11, 12, np.nan]),
            of_faces("part", [0, 0, 1, 2], ("none", "low", "high")),
        ),
        source_vertex=np.arange(8, dtype=np.int32) + 100,
        source_face=np.array([7, 7, 8, 8], np.int32),
    )
    prepared = open_renderer("software").prepare(mesh)

    def at(name, across, up, camera=FRONT):
        x, y = SIZE * (1 + 0.57 * across) / 2, SIZE * (1 - 0.57 * up) / 2
        found = picked_point(prepared, camera, SIZE, SIZE, RenderStyle(values=ValueScale(name)), x, y)
        return None if found is None else found.value

    for number, (across, up) in enumerate(CORNERS[:3]):
        assert at("q", across, up) == PickedValue(10.0 + number, "", "vertex", 104 + number)
    undefined = at("q", *CORNERS[3])
    assert np.isnan(undefined.value)
    assert undefined.index == 107
    assert at("part", 0.5, -0.5) == PickedValue(1.0, "low", "face", 8)
    assert at("part", -0.5, 0.5) == PickedValue(2.0, "high", "face", 8)
    from_behind = replace(FRONT, azimuth=180)
    assert at("q", 0.95, -0.95, from_behind) == PickedValue(0.0, "", "vertex", 100)
    assert at("q", 1.5, 0.0) is None, "beside the mesh"
    assert at("other", 0.0, 0.0) is None
    cloud = open_renderer("software").prepare(Mesh(mesh.vertices, mesh.faces[:0], values=mesh.values[:1]))
    style = RenderStyle(values=ValueScale("q"))
    half = SIZE * (1 - 0.57 * np.array([-1, 1])) / 2
    assert picked_point(cloud, FRONT, SIZE, SIZE, style, half[1], half[1]).value.index == 7
    assert picked_point(cloud, FRONT, SIZE, SIZE, style, SIZE / 2, SIZE / 2) is None
