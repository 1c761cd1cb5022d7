"""The lane behind turning views: newest camera wins, files are read once, trouble becomes a sentence."""

import threading
import time

import pytest
from menagerie import write_menagerie

from shrec_viewer.render.camera import Camera
from shrec_viewer.render.software import SoftwareRenderer
from shrec_viewer.render.style import QUICK
from shrec_viewer.viewmodels.orbit_shot import Shot
from shrec_viewer.viewmodels.orbit_source import OrbitSource, Wishes
from shrec_viewer.viewmodels.orbit_studio import Studio
from shrec_viewer.viewmodels.tasks import Task

CAMERA = Camera(fit="sphere")


@pytest.fixture
def models(tmp_path):
    return write_menagerie(tmp_path / "menagerie") / "models"


@pytest.fixture
def source(qtbot):
    made = OrbitSource()
    yield made
    made.close()


def shot(path, pane="a", camera=CAMERA, size=80, style=QUICK):
    return Shot(pane, path, camera, size, size, style)


@pytest.mark.parametrize("prefer", ["gl", "software"])
def test_a_mesh_is_drawn_in_another_thread(source, models, qtbot, prefer):
    source.set_preference(prefer)
    with qtbot.waitSignal(source.drawn, timeout=20_000) as told:
        source.request([shot(models / "m1.off")])
    drawn = told.args[0]
    assert drawn.problem == ""
    assert (drawn.image.width(), drawn.image.height()) == (80, 80)
    assert drawn.image.pixelColor(40, 40).alpha() == 255
    assert drawn.image.pixelColor(0, 0).alpha() == 0
    assert (drawn.facts.vertices, drawn.facts.faces) == (8, 12)
    assert drawn.facts.size == pytest.approx((1.0, 1.0, 1.0))
    assert source.description.startswith("OpenGL" if prefer == "gl" else "software")


def test_each_pane_gets_its_newest_camera_and_nobody_starves():
    wishes = Wishes()
    first, second, third = (shot(None, "a", CAMERA.orbited(turn, 0)) for turn in (1, 2, 3))
    wishes.put([first, shot(None, "b")])
    wishes.put([second])
    assert wishes.take(0) == second
    wishes.put([third])
    assert wishes.take(0).pane == "b"
    assert wishes.take(0) == third
    assert wishes.take(0) is None


def test_a_moving_camera_leaves_out_what_is_out_of_date(source, models, qtbot):
    heard = []
    source.drawn.connect(heard.append)
    for turn in range(200):
        source.request([shot(models / "m1.off", camera=CAMERA.orbited(turn / 10, 0))])
    qtbot.waitUntil(lambda: bool(heard) and heard[-1].shot.camera == CAMERA.orbited(19.9, 0), timeout=20_000)
    assert len(heard) < 200


def test_broken_files_say_why(source, tmp_path, qtbot):
    (tmp_path / "empty.off").write_text("")
    (tmp_path / "text.off").write_text("hello\n")
    heard = []
    source.drawn.connect(heard.append)
    source.request(
        [shot(tmp_path / "empty.off", "a"), shot(tmp_path / "text.off", "b"), shot(tmp_path / "no.off", "c")]
    )
    qtbot.waitUntil(lambda: len(heard) == 3, timeout=20_000)
    assert all(drawn.image is None and drawn.problem for drawn in heard)
    assert "empty" in heard[0].problem


def test_a_picture_is_shown_as_it_is(source, tmp_path, qtbot):
    from PySide6.QtGui import QImage

    sketch = QImage(40, 20, QImage.Format.Format_RGB32)
    sketch.fill(0xFF3366)
    sketch.save(str(tmp_path / "sketch.png"))
    with qtbot.waitSignal(source.drawn, timeout=20_000) as told:
        source.request([shot(tmp_path / "sketch.png")])
    assert told.args[0].facts.is_picture
    assert told.args[0].image.pixelColor(40, 40).red() == 255


def test_a_file_is_read_once_until_it_is_forgotten(models):
    from shrec_viewer.formats.meshes import read_mesh

    read = []

    def counting(path):
        read.append(path)
        return read_mesh(path)

    studio = Studio("software", counting, None)
    for turn in range(3):
        studio.draw(shot(models / "m1.off", camera=CAMERA.orbited(turn, 0)))
    assert len(read) == 1
    studio.forget()
    studio.draw(shot(models / "m1.off"))
    assert len(read) == 2
    studio.close()


def test_the_loop_ends_at_once_when_cancelled(models):
    from shrec_viewer.viewmodels.orbit_source import serve

    task, wishes = Task(), Wishes()
    thread = threading.Thread(target=serve, args=(wishes, lambda: Studio("software", None, None), task))
    thread.start()
    time.sleep(0.05)
    task.cancel()
    wishes.wake()
    thread.join(0.2)
    assert not thread.is_alive()


def test_the_renderer_can_be_changed_while_it_draws(source, models, qtbot):
    for prefer, words in (("software", "software"), ("gl", "OpenGL"), ("auto", "")):
        source.set_preference(prefer)
        with qtbot.waitSignal(source.drawn, timeout=20_000):
            source.request([shot(models / "m2.off")])
        assert source.description.startswith(words)
    with pytest.raises(ValueError, match="one of auto, gl, software"):
        source.set_preference("vulkan")


def test_what_draws_is_said_in_words_with_the_reason_where_it_is_not_what_was_asked_for(monkeypatch):
    from shrec_viewer.viewmodels import orbit_studio

    def refuse(prefer):
        if prefer == "gl":
            raise RuntimeError("no driver")
        return SoftwareRenderer()

    assert orbit_studio.open_preferred("software").description == "software (numpy)"
    monkeypatch.setattr(orbit_studio, "open_renderer", refuse)
    assert "OpenGL was asked for, but no driver" in orbit_studio.open_preferred("gl").description


def test_after_closing_nothing_is_drawn(qtbot, models):
    source = OrbitSource()
    source.request([shot(models / "m1.off")])
    source.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "lane orbit"]
