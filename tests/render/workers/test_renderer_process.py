"""Renderer process: images, crashes, timeouts, software fallback."""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from pool_readers import crash, crash_unless_software, hang
from solids import cube

from shrec_viewer.domain.errors import Cancelled
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.style import RenderStyle
from shrec_viewer.render.software.software_renderer import SoftwareRenderer
from shrec_viewer.render.workers import renderer_process as module
from shrec_viewer.render.workers.model_readers import ModelInfo, ModelSource, mesh_info, pack_mesh, unpack_mesh
from shrec_viewer.render.workers.renderer_process import (
    RendererProcess,
    RendererProcessError,
    RenderRequest,
    to_premultiplied_bgra,
)

QUICK_STYLE = RenderStyle(samples=1, ambient_occlusion=False)

pytestmark = pytest.mark.usefixtures("spawned_workers")

CAMERA, SIDE = Camera(30, 20), 48


def never() -> bool:
    return False


def order(name: str = "cube", side: int = SIDE) -> RenderRequest:
    return RenderRequest("pane", ModelSource(Path(name)), CAMERA, side, side + 8, QUICK_STYLE)


@pytest.fixture
def process():
    made = RendererProcess("software", never)
    yield made
    made.stop()


def pixels_of(image: bytes, side: int = SIDE) -> np.ndarray:
    return np.frombuffer(image, np.uint8).reshape(side + 8, side, 4).astype(int)


def test_image_equals_that_of_renderer(process):
    loaded = process.load(ModelSource(Path("cube")), pack_mesh(cube()))
    assert loaded.problem == ""
    assert loaded.nbytes > 0
    drawn = process.draw(order())
    assert drawn.problem == ""
    here = SoftwareRenderer().draw(cube(), CAMERA, SIDE, SIDE + 8, QUICK_STYLE).astype(float)
    expected = here[..., [2, 1, 0, 3]]
    expected[..., :3] *= expected[..., 3:] / 255
    assert np.abs(pixels_of(drawn.bgra) - expected).max() <= 1
    assert process.description == "software (numpy)"


def test_premultiplied_bgra():
    assert to_premultiplied_bgra(np.array([[[200, 100, 50, 255], [200, 100, 50, 0]]], np.uint8)) == bytes(
        [50, 100, 200, 255, 0, 0, 0, 0]
    )
    half = np.frombuffer(to_premultiplied_bgra(np.array([[[200, 100, 50, 128]]], np.uint8)), np.uint8)
    np.testing.assert_allclose(half, [50 * 128 / 255, 100 * 128 / 255, 200 * 128 / 255, 128], atol=1)


def test_mesh_round_trip_through_pack():
    mesh = cube()
    again = unpack_mesh(pack_mesh(mesh))
    np.testing.assert_array_equal(again.vertices, mesh.vertices)
    np.testing.assert_array_equal(again.faces, mesh.faces)
    assert mesh_info(again, "Z") == ModelInfo(8, len(mesh.faces), tuple(np.ptp(mesh.vertices, axis=0)), likely_up="Z")
    assert mesh_info(Mesh(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.int32))) == ModelInfo()


def test_drawing_unloaded_mesh_is_problem(process):
    process.load(ModelSource(Path("cube")), pack_mesh(cube()))
    process.unload(ModelSource(Path("cube")), ModelSource(Path("other")))
    drawn = process.draw(order())
    assert drawn.bgra == b""
    assert drawn.problem.startswith("cannot be drawn (KeyError")
    process.load(ModelSource(Path("cube")), pack_mesh(cube()))  # the process is still running
    assert process.draw(order()).problem == ""


def test_killed_process_is_replaced(process):
    process.load(ModelSource(Path("cube")), pack_mesh(cube()))
    os.kill(process._pool._workers[0].process.pid, signal.SIGKILL)
    with pytest.raises(RendererProcessError, match=r"^cannot be drawn: the drawing process was killed \(SIGKILL\)$"):
        process.draw(order())
    assert process.was_killed
    assert not process.is_running
    with pytest.raises(RendererProcessError):  # no mesh is loaded
        process.draw(order())
    process.load(ModelSource(Path("cube")), pack_mesh(cube()))
    assert process.draw(order()).problem == ""


def test_crashing_driver_falls_back_to_software(monkeypatch):
    monkeypatch.setattr(module, "open_mesh_renderer", crash_unless_software)
    process = RendererProcess("auto", never)
    process.load(ModelSource(Path("cube")), pack_mesh(cube()))
    assert process.draw(order()).problem == ""
    why = "as OpenGL makes the drawing process crash (SIGSEGV)"
    assert process.description == f"software (numpy), {why}"
    process.stop()


def test_error_if_no_process_starts(monkeypatch):
    monkeypatch.setattr(module, "open_mesh_renderer", crash)
    process = RendererProcess("auto", never)
    with pytest.raises(RendererProcessError, match="crash"):
        process.start()
    assert not process.is_running


@pytest.mark.skipif(sys.platform != "linux", reason="the driver is hidden with variables of Linux")
def test_software_without_driver(monkeypatch):
    monkeypatch.setenv("LIBGL_DRIVERS_PATH", "/none")
    monkeypatch.setenv("__EGL_VENDOR_LIBRARY_DIRS", "/none")
    monkeypatch.delenv("DISPLAY", raising=False)
    process = RendererProcess("auto", never)
    process.start()
    assert process.description.startswith("software (numpy), as OpenGL is not available: ")
    process.stop()


def test_timeout_ends_process():
    process = RendererProcess("software", never)
    process.load(ModelSource(Path("large_mesh")), pack_mesh(large_mesh()))
    process._pool.timeout_s = 0.0
    with pytest.raises(RendererProcessError, match="takes longer than 0 seconds to draw"):
        process.draw(order("large_mesh", 3000))
    assert not process.is_running


def test_cancelling_ends_start(monkeypatch):
    monkeypatch.setattr(module, "open_mesh_renderer", hang)
    since = time.monotonic()
    process = RendererProcess("software", lambda: time.monotonic() - since > 0.2)
    with pytest.raises(Cancelled):
        process.start()
    process.stop()
    assert not process.is_running


def test_process_starts_on_demand(process):
    assert not process.is_running
    process.unload(ModelSource(Path("cube")))
    assert not process.is_running
    process.prestart()
    assert process.is_running
    process.stop()
    assert not process.is_running


def large_mesh() -> Mesh:
    """Mesh that takes long to draw in a large image."""
    count = 300_000
    vertices = np.random.default_rng(1).normal(size=(count, 3)).astype(np.float32)
    return Mesh(vertices, np.arange(count, dtype=np.int32).reshape(-1, 3))
