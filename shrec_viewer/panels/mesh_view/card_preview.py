"""Rotating preview of the hovered model card, and dragging cards to the 3D view."""

from PySide6.QtCore import QObject, Slot

from shrec_viewer.panels.mesh_view.image_export import ResultStripExporter
from shrec_viewer.viewmodels.mesh_view.camera_controller import CameraController, PaneContent
from shrec_viewer.viewmodels.mesh_view.rendering import RenderResult
from shrec_viewer.viewmodels.ranking.ranked_list import RankedListModel
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.cards.card_grid import CardGrid
from shrec_viewer.widgets.cards.card_hover import HOVER_EDGE, CardDrag, CardHover

LIST_KEY_PREFIX, MISSED_KEY_PREFIX = "card ", "absent card "
"""Prefixes of the render keys of the two grids: the ranked list, and the relevant models not retrieved."""

CARD_KEY = "hovered"
"""Render key of the hovered card."""


class CardMeshPreview(QObject):
    """Rotating preview of the hovered card of `grid`, and drag of cards; a child of the grid.

    Parameters
    ----------
    model : the grid's model.
    name : prefix of its render keys, unique per grid.
    is_list : whether the grid is the ranked list: it can be exported as an image, and gets the focus back when the user
        leaves the 3D view.
    """

    def __init__(
        self,
        session: Session,
        grid: CardGrid,
        model: RankedListModel,
        name: str = LIST_KEY_PREFIX,
        *,
        is_list: bool = True,
    ) -> None:
        super().__init__(grid)
        self._session = session
        self._grid = grid
        self._model = model
        self._previous_rank: int | None = None
        self.hover = CardHover(grid)
        self.drag = CardDrag(grid)
        self.camera_controller = CameraController(session.mesh_view_state.source, name, self)
        self.hover.image_requested.connect(self._start)
        self.hover.ended.connect(self._stop)
        self.camera_controller.rendered.connect(self._show)
        self.drag.pressed.connect(self._store_rank)
        self.drag.started.connect(self._restore_rank)
        session.mesh_view_state.open_requested.connect(self.hover.end)
        session.benchmark_changed.connect(self.hover.end)
        model.modelReset.connect(self.hover.end)
        if is_list:
            self.strip = ResultStripExporter(session, self)
            session.mesh_view_state.close_requested.connect(self._focus_grid)

    @Slot()
    def _store_rank(self) -> None:
        self._previous_rank = self._session.selection.rank

    @Slot()
    def _restore_rank(self) -> None:
        """Undo the selection by the mouse press that started a drag."""
        if self._previous_rank is None:
            self._session.deselect_rank()
        else:
            self._session.select(rank=self._previous_rank)

    @Slot()
    def _focus_grid(self) -> None:
        """Focus the grid without scrolling it."""
        if self._grid.isVisible():
            self._grid.setFocus()

    @Slot(int)
    def _start(self, row: int) -> None:
        if (path := self._model.path_of(row)) is None:
            return
        pixels = round(HOVER_EDGE * self._grid.devicePixelRatioF())
        self.camera_controller.reset_camera(self._session.mesh_view_state.camera)
        self.camera_controller.show({CARD_KEY: PaneContent(path, pixels, pixels)})
        self.camera_controller.set_spinning(True)

    @Slot()
    def _stop(self) -> None:
        self.camera_controller.set_spinning(False)
        self.camera_controller.show({})

    @Slot(str, object)
    def _show(self, _pane: str, result: RenderResult) -> None:
        if result.image is not None and not result.info.is_image_file:
            self.hover.show_image(result.image)
        elif result.info.is_image_file:
            self.camera_controller.set_spinning(False)
