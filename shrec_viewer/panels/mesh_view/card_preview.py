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
"""Put before the one pane of the stage of the list, and of the models that it does not contain."""

CARD_KEY = "hovered"
"""Key of that pane."""


class CardMeshPreview(QObject):
    """Lets the cards of `grid` turn and be dragged, and gives it the keys back from the 3D view; a child of the grid.

    Parameters
    ----------
    model : the grid's model.
    name : put before the one pane of its stage; one grid, one name.
    is_list : whether the grid is the ranked list, to which the keys come back and of which papers show a strip.
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
        self.stage = CameraController(session.mesh_view_state.source, name, self)
        self.hover.wanted.connect(self._turn)
        self.hover.ended.connect(self._stop)
        self.stage.drawn.connect(self._show)
        self.drag.pressed.connect(self._remember_rank)
        self.drag.started.connect(self._restore_rank)
        session.mesh_view_state.opened.connect(self.hover.end)
        session.benchmark_changed.connect(self.hover.end)
        model.modelReset.connect(self.hover.end)
        if is_list:
            self.strip = ResultStripExporter(session, self)
            session.mesh_view_state.left.connect(self._focus_grid)

    @Slot()
    def _remember_rank(self) -> None:
        self._previous_rank = self._session.selection.rank

    @Slot()
    def _restore_rank(self) -> None:
        """What was pressed is carried elsewhere; it was not meant to be selected."""
        if self._previous_rank is None:
            self._session.deselect_rank()
        else:
            self._session.select(rank=self._previous_rank)

    @Slot()
    def _focus_grid(self) -> None:
        """The list stands where it stood: nothing has scrolled it but a walk through its ranks."""
        if self._grid.isVisible():
            self._grid.setFocus()

    @Slot(int)
    def _turn(self, row: int) -> None:
        if (path := self._model.path_of(row)) is None:
            return
        pixels = round(HOVER_EDGE * self._grid.devicePixelRatioF())
        self.stage.start_over(self._session.mesh_view_state.camera)
        self.stage.show({CARD_KEY: PaneContent(path, pixels, pixels)})
        self.stage.set_spinning(True)

    @Slot()
    def _stop(self) -> None:
        self.stage.set_spinning(False)
        self.stage.show({})

    @Slot(str, object)
    def _show(self, _pane: str, drawn: RenderResult) -> None:
        if drawn.image is not None and not drawn.facts.is_image_file:
            self.hover.show_image(drawn.image)
        elif drawn.facts.is_image_file:
            self.stage.set_spinning(False)
