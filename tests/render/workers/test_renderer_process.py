"""A process of its own draws what turns: the same pictures, and whatever ends it costs one of them."""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from solids import cube

from shrec_viewer.domain.errors import Cancelled
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.style import QUICK_STYLE
from shrec_viewer.render.software.software_renderer import SoftwareRenderer
from shrec_viewer.render.workers import renderer_process as module
from shrec_viewer.render.workers.model_readers import ModelInfo, mesh_info, pack_mesh, unpack_mesh
from shrec_viewer.render.workers.renderer_process import (
    DrawMesh,
    RendererProcess,
    RendererProcessError,
    open_mesh_renderer,
    to_premultiplied_bgra,
)

CAMERA, SIDE = Camera(30, 20), 48


def never() -> bool:
    return False


def order(name: str = "cube", side: int = SIDE) -> DrawMesh:
    return DrawMesh(Path(name), CAMERA, side, side + 8, QUICK_STYLE)


def crash_unless_software(prefer: str):
    """A graphics driver that ends its process as soon as it is opened."""
    if prefer != "software":
        os.kill(os.getpid(), signal.SIGSEGV)
    return open_mesh_renderer("software")


def crash(prefer: str) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def hang(prefer: str) -> None:
    time.sleep(1000)


@pytest.fixture
def painter():
    made = RendererProcess("software", never)
    yield made
    made.stop()


def pixels_of(picture: bytes, side: int = SIDE) -> np.ndarray:
    return np.frombuffer(picture, np.uint8).reshape(side + 8, side, 4).astype(int)


def test_it_draws_what_the_renderer_draws_here(painter):
    kept = painter.load(Path("cube"), pack_mesh(cube()))
    assert kept.problem == ""
    assert kept.nbytes > 0
    drawn = painter.draw(order())
    assert drawn.problem == ""
    here = SoftwareRenderer().draw(cube(), CAMERA, SIDE, SIDE + 8, QUICK_STYLE).astype(float)
    expected = here[..., [2, 1, 0, 3]]
    expected[..., :3] *= expected[..., 3:] / 255
    assert np.abs(pixels_of(drawn.bgra) - expected).max() <= 1
    assert painter.description == "software (numpy)"


def test_colours_are_multiplied_by_alpha_and_blue_comes_first():
    assert to_premultiplied_bgra(np.array([[[200, 100, 50, 255], [200, 100, 50, 0]]], np.uint8)) == bytes(
        [50, 100, 200, 255, 0, 0, 0, 0]
    )
    half = np.frombuffer(to_premultiplied_bgra(np.array([[[200, 100, 50, 128]]], np.uint8)), np.uint8)
    np.testing.assert_allclose(half, [50 * 128 / 255, 100 * 128 / 255, 200 * 128 / 255, 128], atol=1)


def test_a_mesh_comes_out_as_it_went_in():
    mesh = cube()
    again = unpack_mesh(pack_mesh(mesh))
    np.testing.assert_array_equal(again.vertices, mesh.vertices)
    np.testing.assert_array_equal(again.faces, mesh.faces)
    assert mesh_info(again, "Z") == ModelInfo(8, len(mesh.faces), tuple(np.ptp(mesh.vertices, axis=0)), likely_up="Z")
    assert mesh_info(Mesh(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.int32))) == ModelInfo()


def test_what_is_dropped_or_was_never_kept_has_no_picture(painter):
    painter.load(Path("cube"), pack_mesh(cube()))
    painter.unload(Path("cube"), Path("other"))
    drawn = painter.draw(order())
    assert drawn.bgra == b""
    assert drawn.problem.startswith("cannot be drawn (KeyError")
    painter.load(Path("cube"), pack_mesh(cube()))  # the process lives
    assert painter.draw(order()).problem == ""


def test_a_process_that_dies_is_replaced(painter):
    painter.load(Path("cube"), pack_mesh(cube()))
    os.kill(painter._pool._workers[0].process.pid, signal.SIGKILL)
    with pytest.raises(RendererProcessError, match=r"^makes the drawing process crash \(SIGKILL\)$"):
        painter.draw(order())
    assert not painter.is_running
    with pytest.raises(RendererProcessError):  # nothing is kept any more
        painter.draw(order())
    painter.load(Path("cube"), pack_mesh(cube()))
    assert painter.draw(order()).problem == ""


def test_a_driver_that_crashes_gives_way_to_numpy(monkeypatch):
    monkeypatch.setattr(module, "open_mesh_renderer", crash_unless_software)
    painter = RendererProcess("auto", never)
    painter.load(Path("cube"), pack_mesh(cube()))
    assert painter.draw(order()).problem == ""
    why = "as OpenGL makes the drawing process crash (SIGSEGV)"
    assert painter.description == f"software (numpy), {why}"
    painter.stop()


def test_where_nothing_starts_it_says_so(monkeypatch):
    monkeypatch.setattr(module, "open_mesh_renderer", crash)
    painter = RendererProcess("auto", never)
    with pytest.raises(RendererProcessError, match="crash"):
        painter.start()
    assert not painter.is_running


@pytest.mark.skipif(sys.platform != "linux", reason="the driver is hidden in the way of this system")
def test_without_a_driver_numpy_draws(monkeypatch):
    monkeypatch.setenv("LIBGL_DRIVERS_PATH", "/none")
    monkeypatch.setenv("__EGL_VENDOR_LIBRARY_DIRS", "/none")
    monkeypatch.delenv("DISPLAY", raising=False)
    painter = RendererProcess("auto", never)
    painter.start()
    assert painter.description.startswith("software (numpy), as OpenGL is not available: ")
    painter.stop()


def test_one_that_takes_too_long_is_given_up():
    painter = RendererProcess("software", never)
    painter.load(Path("heap"), pack_mesh(heap()))
    painter._pool.timeout_s = 0.0
    with pytest.raises(RendererProcessError, match="takes longer than 0 seconds to draw"):
        painter.draw(order("heap", 3000))
    assert not painter.is_running


def test_who_is_not_waited_for_any_more_stops_waiting(monkeypatch):
    monkeypatch.setattr(module, "open_mesh_renderer", hang)
    since = time.monotonic()
    painter = RendererProcess("software", lambda: time.monotonic() - since > 0.2)
    with pytest.raises(Cancelled):
        painter.start()
    painter.stop()
    assert time.monotonic() - since < 5


def test_it_costs_nothing_until_it_is_needed(painter):
    assert not painter.is_running
    painter.unload(Path("cube"))
    assert not painter.is_running
    painter.prestart()
    assert painter.is_running
    painter.stop()
    assert not painter.is_running


def heap() -> Mesh:
    """Triangles that no machine draws large within the time of one look."""
    count = 300_000
    vertices = np.random.default_rng(1).normal(size=(count, 3)).astype(np.float32)
    return Mesh(vertices, np.arange(count, dtype=np.int32).reshape(-1, 3))
