"""Camera of all panes: quick images while it moves, fine ones afterwards, none twice."""

from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Signal

from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.style import FINE_STYLE, RenderStyle
from shrec_viewer.render.workers.model_readers import ModelInfo, ModelSource
from shrec_viewer.viewmodels.mesh_view import scene
from shrec_viewer.viewmodels.mesh_view.rendering import RenderResult
from shrec_viewer.viewmodels.mesh_view.scene import CameraController, PaneContent

A, B = PaneContent(ModelSource(Path("a.off")), 400, 300), PaneContent(ModelSource(Path("b.off")), 400, 300)


class FakeSource(QObject):
    """Records requests; the test supplies the results."""

    rendered = Signal(object)
    renderer_changed = Signal()

    def __init__(self):
        super().__init__()
        self.shots, self.withdrawn = [], []

    def request(self, shots):
        self.shots += list(shots)

    def withdraw(self, panes):
        self.withdrawn += list(panes)

    def result(self, seconds):
        for shot in self.shots:
            self.rendered.emit(RenderResult(shot, None, ModelInfo(), seconds))
        requested, self.shots = self.shots, []
        return requested


@pytest.fixture
def source(qtbot):
    return FakeSource()


@pytest.fixture
def stage(source):
    created = CameraController(source, "panel ")
    created.kept = source
    return created


def moved(stage, by=5.0):
    stage.set_camera(stage.camera.orbited(by, 0))


def test_visible_panes_are_rendered_once_in_full_quality(stage, source):
    stage.show({"a": A, "b": B})
    assert [(shot.pane, shot.style, shot.width, shot.height) for shot in source.shots] == [
        ("panel a", FINE_STYLE, 400, 300),
        ("panel b", FINE_STYLE, 400, 300),
    ]
    source.result(0.01)
    stage.show({"a": A, "b": B})
    assert source.shots == []
    stage.show({"a": A})
    assert (source.shots, source.withdrawn) == ([], ["panel b"])


def test_moving_camera_renders_quick_images_then_fine_one(stage, source, qtbot):
    stage.show({"a": A})
    source.result(0.2)
    moved(stage)
    (quick,) = source.shots
    assert (quick.style.samples, quick.style.ambient_occlusion) == (1, False)
    qtbot.waitUntil(lambda: len(source.shots) == 2)
    assert source.shots[1].style == FINE_STYLE
    assert (source.shots[1].width, source.shots[1].height) == (400, 300)
    assert source.shots[1].camera == stage.camera


def test_fast_fine_images_are_rendered_while_moving(stage, source):
    stage.show({"a": A})
    source.result(0.004)
    moved(stage)
    assert source.shots[0].style == FINE_STYLE
    stage.kept.result(0.3)
    moved(stage)
    assert source.shots[0].style.samples == 1, "the next model was large"


def test_scale_decreases_to_frame_budget(stage, source):
    stage.show({"a": A, "b": B})
    source.result(0.5)
    for _ in range(12):
        moved(stage)
        source.result(0.1)
    assert stage.scale == pytest.approx(scene.MIN_SCALE, abs=0.01)
    moved(stage)
    assert source.shots[0].width < 140
    for _ in range(12):
        moved(stage)
        source.result(0.001)
    assert stage.scale == pytest.approx(1.0, abs=0.01)


def test_style_applies_while_moving(stage, source):
    stage.set_style(RenderStyle(shading="normals", wireframe=True, box=True, axes=True))
    stage.show({"a": A})
    source.result(0.5)
    moved(stage)
    style = source.shots[0].style
    assert (style.shading, style.wireframe, style.box, style.axes, style.samples) == ("normals", True, True, True, 1)


def test_spin_animation_until_stopped(stage, source, qtbot):
    stage.show({"a": A})
    source.result(0.01)
    recorded = []
    stage.spinning_changed.connect(recorded.append)
    before = stage.camera
    stage.set_spinning(True)
    stage.set_spinning(True)
    qtbot.waitUntil(lambda: len(source.shots) >= 3)
    stage.set_spinning(False)
    assert stage.camera.azimuth > before.azimuth
    assert stage.camera.elevation == before.elevation
    count = len(source.shots)
    assert source.shots[-1].style == FINE_STYLE
    qtbot.wait(100)
    assert len(source.shots) == count
    assert recorded == [True, False]


def test_results_of_other_and_previous_models_are_ignored(stage, source):
    recorded = []

    def record(pane, drawn):
        recorded.append((pane, drawn.request.source.path.name))

    stage.rendered.connect(record)
    other = CameraController(source, "card ")
    stage.show({"a": A})
    other.show({"a": B})
    source.result(0.01)
    assert recorded == [("a", "a.off")]
    stage.show({"a": A})
    stage.redraw()
    stage.show({"a": B})
    source.result(0.01)
    assert recorded == [("a", "a.off"), ("a", "b.off")]


def test_equal_camera_emits_nothing(stage, qtbot):
    with qtbot.assertNotEmitted(stage.camera_changed):
        stage.set_camera(stage.camera)
    with qtbot.waitSignal(stage.camera_changed):
        stage.set_camera(Camera(fit="sphere", azimuth=1))


def test_another_renderer_redraws_all(stage, source):
    stage.show({"a": A, "b": B})
    source.result(0.01)
    source.renderer_changed.emit()
    assert len(source.shots) == 2
