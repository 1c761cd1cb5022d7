"""One camera for all panes of the mesh view; lowers the render quality while it moves."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.style import FINE_STYLE, RenderStyle
from shrec_viewer.viewmodels.mesh_view.rendering import RenderRequest, RenderResult, RenderService

REST_MS = 160
"""The camera rests once it has not moved for so long: a hand that pauses while dragging takes no longer."""

FRAME_BUDGET_S = 1 / 30
"""Seconds for one picture of every pane while the camera moves; the size gives way until that holds."""

MIN_SCALE = 0.3
"""Share of the size down to which pictures may go while the camera moves; below that shapes are not recognised."""

SCALE_SMOOTHING = 0.5
"""Share of the way to the right size that one picture goes, so that the size does not flicker."""

ASSUMED_SECONDS = 1.0
"""Seconds assumed for a fine picture before the first one."""

SPIN_INTERVAL_MS = 33
"""Between two steps of a turn that goes by itself."""

SPIN_DEGREES_PER_S = 24.0
"""Degrees a second: a full turn in 15 seconds, slow enough to look at."""


@dataclass(frozen=True)
class PaneContent:
    """What one pane shows: a file, in so many device pixels."""

    path: Path
    width: int
    height: int


class CameraController(QObject):
    """Asks an `RenderService` for pictures of some panes from one camera.

    Parameters
    ----------
    name : put before the names of panes, so that several stages can share one source.

    Signals
    -------
    drawn(pane, Drawn)
        The newest picture of a pane.
    camera_changed(Camera)
        All panes are seen from elsewhere now.
    style_changed(Style)
        All panes are drawn in another way now.
    turning_changed(bool)
        It turns by itself, or no longer.
    """

    drawn = Signal(str, object)
    camera_changed = Signal(object)
    style_changed = Signal(object)
    spinning_changed = Signal(bool)

    def __init__(self, source: RenderService, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source = source
        self._name = name
        self._wanted: dict[str, PaneContent] = {}
        self._camera = Camera(fit="sphere")
        self._style = FINE_STYLE
        self._is_moving = False
        self._scale = 1.0
        self._fine_seconds = ASSUMED_SECONDS
        self._spin_time = 0.0
        self._rest = QTimer(self, interval=REST_MS, singleShot=True)
        self._turn = QTimer(self, interval=SPIN_INTERVAL_MS)
        self._rest.timeout.connect(self._draw_finely)
        self._turn.timeout.connect(self._turn_on)
        source.drawn.connect(self._take)
        source.renderer_changed.connect(self.redraw)

    @property
    def camera(self) -> Camera:
        """Where all panes are seen from."""
        return self._camera

    @property
    def style(self) -> RenderStyle:
        """How they are drawn when the camera rests."""
        return self._style

    @property
    def is_spinning(self) -> bool:
        """Whether it turns by itself."""
        return self._turn.isActive()

    @property
    def scale(self) -> float:
        """Share of the full size in which pictures are drawn while the camera moves."""
        return self._scale

    def show(self, wanted: Mapping[str, PaneContent]) -> None:
        """Draw these panes and no others; what has not changed is not drawn again."""
        gone = set(self._wanted) - set(wanted)
        self._source.withdraw(self._name + pane for pane in gone)
        new = [pane for pane, what in wanted.items() if self._wanted.get(pane) != what]
        self._wanted = dict(wanted)
        self._ask(new)

    def set_camera(self, camera: Camera) -> None:
        """See all panes from here."""
        if camera == self._camera:
            return
        self._camera = camera
        self._is_moving = True
        self._rest.start()
        self._ask(self._wanted)
        self.camera_changed.emit(camera)

    def start_over(self, camera: Camera) -> None:
        """Look from where thumbnails do; tells nobody, as nothing is shown yet. What turns keeps its size."""
        self._camera = replace(camera, fit="sphere")

    def set_style(self, style: RenderStyle) -> None:
        """Draw all panes like this."""
        if style == self._style:
            return
        self._style = style
        self._ask(self._wanted)
        self.style_changed.emit(style)

    def set_spinning(self, turning: bool) -> None:
        """Turn by itself, or stop."""
        if turning == self.is_spinning:
            return
        if turning:
            self._spin_time = time.monotonic()
            self._turn.start()
        else:
            self._turn.stop()
            self._draw_finely()
        self.spinning_changed.emit(turning)

    @Slot()
    def redraw(self) -> None:
        """Draw all panes again: their files, or the renderer, are other ones."""
        self._fine_seconds = ASSUMED_SECONDS
        self._ask(self._wanted)

    @Slot()
    def _draw_finely(self) -> None:
        if not self.is_spinning:
            self._is_moving = False
            self._ask(self._wanted)

    @Slot()
    def _turn_on(self) -> None:
        now = time.monotonic()
        self.set_camera(self._camera.orbited((now - self._spin_time) * SPIN_DEGREES_PER_S, 0.0))
        self._spin_time = now

    def _ask(self, panes: Mapping[str, PaneContent] | list[str]) -> None:
        is_quick = self._is_moving and self._fine_seconds * len(self._wanted) > FRAME_BUDGET_S
        style = replace(self._style, samples=1, ambient_occlusion=False) if is_quick else self._style
        scale = self._scale if is_quick else 1.0
        shots = []
        for pane in panes:
            what = self._wanted[pane]
            width, height = max(1, round(what.width * scale)), max(1, round(what.height * scale))
            shots.append(RenderRequest(self._name + pane, what.path, self._camera, width, height, style))
        if shots:
            self._source.request(shots)

    @Slot(object)
    def _take(self, drawn: RenderResult) -> None:
        pane = drawn.shot.pane.removeprefix(self._name)
        if pane == drawn.shot.pane or pane not in self._wanted or self._wanted[pane].path != drawn.shot.path:
            return
        if drawn.seconds:
            self._learn(drawn)
        self.drawn.emit(pane, drawn)

    def _learn(self, drawn: RenderResult) -> None:
        """Find the size in which a quick round of all panes takes no longer than `FRAME_BUDGET_S`, and whether a fine one does.

        A fine picture that took long is believed at once, one that took little by half, as the next may be slower.
        """
        if drawn.shot.style.ambient_occlusion:
            before = self._fine_seconds
            self._fine_seconds = max(
                drawn.seconds, (before + drawn.seconds) / 2 if before < ASSUMED_SECONDS else drawn.seconds
            )
        else:
            target_scale = self._scale * (FRAME_BUDGET_S / (drawn.seconds * len(self._wanted))) ** 0.5
            self._scale += SCALE_SMOOTHING * (min(max(target_scale, MIN_SCALE), 1.0) - self._scale)
