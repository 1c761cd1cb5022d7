"""Ties the cards of a grid to the 3D view: they are dragged to it, and turn larger where the mouse rests."""

from PySide6.QtCore import QObject, Slot

from shrec_viewer.panels.model_view_strip import StripKeeper
from shrec_viewer.viewmodels.orbit_shot import Drawn
from shrec_viewer.viewmodels.orbit_stage import OrbitStage, Wanted
from shrec_viewer.viewmodels.ranked_list_model import RankedListModel
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.card_grid import CardGrid
from shrec_viewer.widgets.picture_drag import CardDrag
from shrec_viewer.widgets.picture_hover import EDGE, CardHover

STAGE, ABSENT_STAGE = "card ", "absent card "
"""Put before the one pane of the stage of the list, and of the models that it does not contain."""

CARD = "hovered"
"""Key of that pane."""


class TurningCards(QObject):
    """Lets the cards of `grid` turn and be dragged, and gives it the keys back from the 3D view; a child of the grid.

    Parameters
    ----------
    model : the grid's model.
    name : put before the one pane of its stage; one grid, one name.
    is_list : whether the grid is the ranked list, to which the keys come back and of which papers show a strip.
    """

    def __init__(
        self, session: Session, grid: CardGrid, model: RankedListModel, name: str = STAGE, *, is_list: bool = True
    ) -> None:
        super().__init__(grid)
        self._session = session
        self._grid = grid
        self._model = model
        self._former_rank: int | None = None
        self.hover = CardHover(grid)
        self.drag = CardDrag(grid)
        self.stage = OrbitStage(session.orbit.source, name, self)
        self.hover.wanted.connect(self._turn)
        self.hover.ended.connect(self._stop)
        self.stage.drawn.connect(self._show)
        self.drag.pressed.connect(self._note_rank)
        self.drag.started.connect(self._take_back)
        session.orbit.opened.connect(self.hover.end)
        session.benchmark_changed.connect(self.hover.end)
        model.modelReset.connect(self.hover.end)
        if is_list:
            self.strip = StripKeeper(session, self)
            session.orbit.left.connect(self._come_back)

    @Slot()
    def _note_rank(self) -> None:
        self._former_rank = self._session.selection.rank

    @Slot()
    def _take_back(self) -> None:
        """What was pressed is carried elsewhere; it was not meant to be selected."""
        if self._former_rank is None:
            self._session.deselect_rank()
        else:
            self._session.select(rank=self._former_rank)

    @Slot()
    def _come_back(self) -> None:
        """The list stands where it stood: nothing has scrolled it but a walk through its ranks."""
        if self._grid.isVisible():
            self._grid.setFocus()

    @Slot(int)
    def _turn(self, row: int) -> None:
        if (path := self._model.path_of(row)) is None:
            return
        pixels = round(EDGE * self._grid.devicePixelRatioF())
        self.stage.start_over(self._session.orbit.camera)
        self.stage.show({CARD: Wanted(path, pixels, pixels)})
        self.stage.set_turning(True)

    @Slot()
    def _stop(self) -> None:
        self.stage.set_turning(False)
        self.stage.show({})

    @Slot(str, object)
    def _show(self, _pane: str, drawn: Drawn) -> None:
        if drawn.image is not None and not drawn.facts.is_picture:
            self.hover.show_image(drawn.image)
        elif drawn.facts.is_picture:
            self.stage.set_turning(False)
