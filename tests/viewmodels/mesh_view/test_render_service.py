"""Render service: newest camera, files read once, errors as problems."""

import os
import signal
import threading
import time
from functools import partial
from multiprocessing import active_children
from pathlib import Path

import numpy as np
import pytest
from named_meshes import read_by_name
from sample_benchmark import write_sample_benchmark

from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.style import RenderStyle
from shrec_viewer.render.software.software_renderer import SoftwareRenderer
from shrec_viewer.render.workers.model_readers import (
    LoadedModel,
    ModelReaderPool,
    ModelReadJob,
    ModelSource,
    read_model,
)
from shrec_viewer.render.workers.renderer_process import RenderRequest
from shrec_viewer.viewmodels.mesh_view import rendering
from shrec_viewer.viewmodels.mesh_view.rendering import (
    RenderQueue,
    RenderResult,
    RenderService,
    RenderSession,
    run_render_loop,
)
from shrec_viewer.viewmodels.tasks.tasks import Task
from shrec_viewer.viewmodels.thumbnails.image_reader import read_image_or_svg

QUICK_STYLE = RenderStyle(samples=1, ambient_occlusion=False)

pytestmark = pytest.mark.usefixtures("spawned_workers")


def never():
    return False


CAMERA = Camera(fit="sphere")


@pytest.fixture
def models(tmp_path):
    return write_sample_benchmark(tmp_path / "sample_benchmark") / "models"


@pytest.fixture
def source(qtbot):
    created = RenderService()
    yield created
    created.close()


def shot(path, pane="a", camera=CAMERA, size=80, style=QUICK_STYLE):
    return RenderRequest(pane, ModelSource(path), camera, size, size, style)


@pytest.mark.parametrize("prefer", ["gl", "software"])
def test_mesh_is_rendered_in_another_thread(source, models, qtbot, prefer):
    source.set_preference(prefer)
    with qtbot.waitSignal(source.rendered) as received:
        source.request([shot(models / "m1.off")])
    drawn = received.args[0]
    assert drawn.problem == ""
    assert (drawn.image.width(), drawn.image.height()) == (80, 80)
    assert drawn.image.pixelColor(40, 40).alpha() == 255
    assert drawn.image.pixelColor(0, 0).alpha() == 0
    assert (drawn.info.vertices, drawn.info.faces) == (8, 12)
    assert drawn.info.size == pytest.approx((1.0, 1.0, 1.0))
    assert source.description.startswith("OpenGL" if prefer == "gl" else "software")


def test_panes_get_newest_camera_in_turn():
    wakes = []
    requests = RenderQueue(lambda: wakes.append(True))
    first, second, third = (shot(None, "a", CAMERA.orbited(turn, 0)) for turn in (1, 2, 3))
    requests.put([first, shot(None, "b")])
    requests.put([second])
    assert len(wakes) == 2
    assert requests.take() == second
    requests.put([third])
    assert requests.take().pane == "b"
    assert requests.take() == third
    assert requests.take() is None


def test_parked_request_is_replaced_or_unparked():
    requests = RenderQueue(lambda: None)
    old, new = shot("m1", "a", CAMERA), shot("m2", "a", CAMERA)
    requests.park(old, requests.generation)
    assert requests.parked() == [old]
    assert requests.take() is None
    assert not requests.is_empty
    requests.put([new])
    assert requests.parked() == []
    assert requests.take() == new
    requests.park(new, requests.generation)
    requests.unpark(ModelSource("m1"))
    assert requests.take() is None
    requests.unpark(ModelSource("m2"))
    assert requests.take() == new
    requests.clear()
    requests.park(new, requests.generation - 1)
    assert requests.is_empty  # taken before `clear`


def test_moving_camera_skips_outdated_requests(source, models, qtbot):
    recorded = []
    source.rendered.connect(recorded.append)
    for turn in range(200):
        source.request([shot(models / "m1.off", camera=CAMERA.orbited(turn / 10, 0))])
    qtbot.waitUntil(lambda: bool(recorded) and recorded[-1].request.camera == CAMERA.orbited(19.9, 0))
    assert len(recorded) < 200


def test_broken_files_have_problem(source, tmp_path, qtbot):
    (tmp_path / "empty.off").write_text("")
    (tmp_path / "text.off").write_text("hello\n")
    recorded = []
    source.rendered.connect(recorded.append)
    source.request(
        [shot(tmp_path / "empty.off", "a"), shot(tmp_path / "text.off", "b"), shot(tmp_path / "no.off", "c")]
    )
    qtbot.waitUntil(lambda: len(recorded) == 3)
    assert all(drawn.image is None and drawn.problem for drawn in recorded)
    assert "empty" in recorded[0].problem


def test_image_file_is_shown_unchanged(source, tmp_path, qtbot):
    from PySide6.QtGui import QImage

    sketch = QImage(40, 20, QImage.Format.Format_RGB32)
    sketch.fill(0xFF3366)
    sketch.save(str(tmp_path / "sketch.png"))
    with qtbot.waitSignal(source.rendered) as received:
        source.request([shot(tmp_path / "sketch.png")])
    assert received.args[0].info.is_image_file
    assert received.args[0].image.pixelColor(40, 40).red() == 255


def test_file_is_read_once_until_clear(models):
    render_session, file = RenderSession("software", never), models / "m1.off"
    assert render_session.needs_file(shot(file))
    render_session.add_file(
        ModelReadJob(ModelSource(file)), read_model(ModelReadJob(ModelSource(file)), read_mesh, None)
    )
    for turn in range(3):
        assert not render_session.needs_file(shot(file, camera=CAMERA.orbited(turn, 0)))
        assert render_session.draw(shot(file, camera=CAMERA.orbited(turn, 0))).image is not None
    render_session.clear()
    assert render_session.needs_file(shot(file))
    render_session.close()


def test_model_that_crashes_the_driver_is_drawn_by_the_software_renderer(models):
    render_session, file = RenderSession("auto", never), models / "m1.off"

    def crash() -> RenderResult | None:
        render_session.add_file(
            ModelReadJob(ModelSource(file)), read_model(ModelReadJob(ModelSource(file)), read_mesh, None)
        )
        os.kill(render_session._renderer_process._pool._workers[0].process.pid, signal.SIGBUS)
        return render_session.draw(shot(file))

    assert crash() is None
    assert render_session.needs_file(shot(file))
    render_session.add_file(
        ModelReadJob(ModelSource(file)), read_model(ModelReadJob(ModelSource(file)), read_mesh, None)
    )
    assert render_session.draw(shot(file)).image is not None
    assert render_session.description == "software (numpy), as OpenGL makes the drawing process crash (SIGBUS)"
    assert crash().problem == "makes the drawing process crash (SIGBUS)"
    render_session.close()


def test_model_that_crashes_renderer_is_not_retried(models):
    render_session, crashing, other = RenderSession("software", never), models / "m1.off", models / "m2.off"
    for file in (crashing, other):
        render_session.add_file(
            ModelReadJob(ModelSource(file)), read_model(ModelReadJob(ModelSource(file)), read_mesh, None)
        )
    os.kill(render_session._renderer_process._pool._workers[0].process.pid, signal.SIGSEGV)
    drawn = render_session.draw(shot(crashing))
    assert (drawn.image, drawn.problem) == (None, "makes the drawing process crash (SIGSEGV)")
    assert drawn.info.vertices == 8
    assert not render_session.needs_file(shot(crashing))
    assert render_session.draw(shot(crashing)).problem == drawn.problem
    assert render_session.needs_file(shot(other))
    render_session.add_file(
        ModelReadJob(ModelSource(other)), read_model(ModelReadJob(ModelSource(other)), read_mesh, None)
    )
    assert render_session.draw(shot(other)).image is not None
    render_session.close()


def test_model_is_drawn_although_the_renderer_process_is_killed(source, models, qtbot):
    source.set_preference("software")
    results, killed = [], []
    source.rendered.connect(results.append)
    for turn in range(4):
        source.request([shot(models / "m1.off", camera=CAMERA.orbited(turn, 0))])
        qtbot.waitUntil(lambda count=turn + 1: len(results) == count)
        assert results[-1].problem == ""
        for process in active_children():
            if process.name == "draw":
                os.kill(process.pid, signal.SIGKILL)
                process.join(5)
                killed.append(process.pid)
    assert len(set(killed)) == 4
    assert source.description == "software (numpy)"


def test_idle_renderer_process_ends_and_restarts(source, models, qtbot, monkeypatch):
    monkeypatch.setattr(rendering, "IDLE_TIMEOUT_S", 0.2)
    render_sessions = []
    monkeypatch.setattr(
        rendering, "RenderSession", lambda *given: render_sessions.append(RenderSession(*given)) or render_sessions[-1]
    )
    source.set_preference("software")
    for turn in range(2):
        with qtbot.waitSignal(source.rendered) as received:
            source.request([shot(models / "m1.off", camera=CAMERA.orbited(turn, 0))])
        assert received.args[0].problem == ""
        qtbot.waitUntil(lambda: not render_sessions[0]._renderer_process.is_running)
    assert len(render_sessions) == 1
    assert source.description == "software (numpy)"


def test_image_file_is_read_again_in_larger_size():
    render_session, file = RenderSession("software", never), Path("sketch.png")
    render_session.add_file(
        ModelReadJob(ModelSource(file), 80), LoadedModel(pixels=np.full((80, 80, 4), 255, np.uint8))
    )
    assert not render_session.needs_file(shot(file, size=80))
    assert not render_session.needs_file(shot(file, size=40))
    assert render_session.needs_file(shot(file, size=81))
    render_session.close()


def test_loop_ends_when_cancelled():
    task, readers = Task(), ModelReaderPool(read_mesh, read_image_or_svg)
    requests = RenderQueue(readers.wake)
    thread = threading.Thread(
        target=run_render_loop, args=(requests, readers, partial(RenderSession, "software"), task)
    )
    thread.start()
    time.sleep(0.05)
    task.cancel()
    requests.wake()
    thread.join(30)
    assert not thread.is_alive()
    readers.close()


def test_renderer_change_while_drawing(source, models, qtbot):
    for prefer, words in (("software", "software"), ("gl", "OpenGL"), ("auto", "")):
        source.set_preference(prefer)
        with qtbot.waitSignal(source.rendered):
            source.request([shot(models / "m2.off")])
        assert source.description.startswith(words)
    with pytest.raises(ValueError, match="one of auto, gl, software"):
        source.set_preference("vulkan")


def test_renderer_description_contains_reason_of_fallback(monkeypatch):
    from shrec_viewer.render import renderer

    def raise_error(prefer):
        if prefer == "gl":
            raise RuntimeError("no driver")
        return SoftwareRenderer()

    assert renderer.open_renderer_or_software("software").description == "software (numpy)"
    monkeypatch.setattr(renderer, "open_renderer", raise_error)
    assert "OpenGL was requested, but no driver" in renderer.open_renderer_or_software("gl").description


def test_nothing_is_rendered_after_close(qtbot, models):
    source = RenderService()
    source.request([shot(models / "m1.off")])
    source.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "mesh view"]


# ── readers that hang or crash ───────────────────────────────────────────────────────────────────────────────────────


TIMEOUT_S = 6.0
"""Limit for reading a file: longer than two processes take to start on a busy machine."""


def a_service(timeout_s):
    created = RenderService(read=read_by_name, timeout_s=timeout_s)
    created.set_preference("software")
    yield created
    created.close()


@pytest.fixture
def service(qtbot):
    yield from a_service(TIMEOUT_S)


@pytest.fixture
def service_without_timeout(qtbot):
    yield from a_service(3600.0)


def copy_as(models, *names):
    for name in names:
        (models / f"{name}.off").write_bytes((models / "m1.off").read_bytes())
    return [models / f"{name}.off" for name in names]


def record(source):
    recorded = {}

    def take(drawn):
        recorded[drawn.request.source.path.stem] = drawn

    source.rendered.connect(take)
    recorded["keep"] = take  # the connection holds it weakly
    return recorded


def test_slow_reader_delays_no_other_pane(service_without_timeout, models, qtbot):
    service = service_without_timeout
    held, delayed = copy_as(models, "held", "late")
    recorded = record(service)
    service.request([shot(held, "a"), shot(delayed, "b"), shot(models / "m2.off", "c")])
    qtbot.waitUntil(lambda: "m2" in recorded)
    service.request([shot(models / "m2.off", "c", CAMERA.orbited(30, 0))])  # loaded models are rendered in the meantime
    qtbot.waitUntil(lambda: recorded["m2"].request.camera != CAMERA)
    qtbot.waitUntil(lambda: "late" in recorded)
    assert "held" not in recorded
    (models / "released").touch()
    qtbot.waitUntil(lambda: "held" in recorded)
    assert (recorded["held"].problem, recorded["late"].problem) == ("", "")


def test_hanging_reader_times_out(service, models, qtbot):
    (hang,) = copy_as(models, "hang")
    recorded = record(service)
    service.request([shot(hang, "a")])
    qtbot.waitUntil(lambda: "hang" in recorded)
    assert recorded["hang"].problem == "takes longer than 6 seconds to read"
    service.request([shot(models / "m3.off", "a")])
    qtbot.waitUntil(lambda: "m3" in recorded)
    assert recorded["m3"].problem == ""


def test_crashing_reader_is_problem_of_file(service, models, qtbot):
    (crash,) = copy_as(models, "crash")
    recorded = record(service)
    service.request([shot(crash, "a"), shot(models / "m2.off", "b")])
    qtbot.waitUntil(lambda: "crash" in recorded and "m2" in recorded)
    assert recorded["crash"].problem == "makes the reading process crash (SIGSEGV)"
    assert recorded["m2"].problem == ""


def test_slow_file_is_cancelled_when_no_longer_requested(service, models, qtbot):
    hangs = copy_as(models, *(f"hang{number}" for number in range(6)))
    recorded = record(service)
    for hang in hangs:  # more than there are processes
        service.request([shot(hang, "a")])
        qtbot.wait(100)
    qtbot.wait(700)
    service.request([shot(models / "m2.off", "a")])
    qtbot.waitUntil(lambda: "m2" in recorded)
    assert set(recorded) == {"m2", "keep"}
    busy = service._readers._workers
    qtbot.waitUntil(lambda: len(busy) == 1 and busy[0].job is None)  # no process reads a file that is not requested


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
def test_pipe_is_rejected(service, models, qtbot):
    os.mkfifo(models / "pipe.off")
    recorded = record(service)
    service.request([shot(models / "pipe.off")])
    qtbot.waitUntil(lambda: "pipe" in recorded)
    assert "not a regular file" in recorded["pipe"].problem


def test_outdated_read_result_is_dropped(service, models, qtbot):
    (delayed,) = copy_as(models, "late")
    recorded = record(service)
    service.request([shot(models / "m2.off", "a")])
    qtbot.waitUntil(lambda: "m2" in recorded)
    service.request([shot(delayed, "a")])
    qtbot.wait(600)  # read, but not delivered yet
    delayed.write_bytes((models / "m4.off").read_bytes())
    service.clear()
    service.request([shot(delayed, "a")])
    qtbot.waitUntil(lambda: "late" in recorded)
    assert recorded["late"].info.size == pytest.approx(tuple(np.ptp(read_mesh(delayed).vertices, axis=0)))
    assert recorded["late"].info.size != pytest.approx(tuple(np.ptp(read_mesh(models / "m1.off").vertices, axis=0)))
