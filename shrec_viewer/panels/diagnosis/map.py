"""Panel with the map of models."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtGui import QHideEvent, QPixmap

from shrec_viewer.charts.scatter import Scatter
from shrec_viewer.content.map import MapRequest
from shrec_viewer.diagnosis.model_map import laid_onto
from shrec_viewer.panels.panel import WrappingRow, row_layout
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.viewmodels.content.data import FOLLOWED
from shrec_viewer.viewmodels.session.document import Document, has_other_models
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.plots.scatter_view import ScatterView
from shrec_viewer.widgets.style.theme import SPACE, Theme

THUMBNAIL_CLIENT = "map"
"""Name of the panel's request of thumbnails; that of the hovered model has a name of its own."""

FIRST = 10
"""Ranks whose models in the lasso are counted."""

MAP_SHORTCUTS = (
    ("Map", "Next model in a direction", "←  →  ↑  ↓"),
    ("Map", "Zoom, show all", "+  −  wheel  Home"),
    ("Map", "Remove the lasso", "Esc"),
)
"""Keys that the panel's widgets handle; see `Panel.shortcuts`."""


class MapPanel(RequestPanel[MapRequest]):
    """The collection as points; a click selects a model, a lasso marks models in the ranked list."""

    waiting = "Computing the map…"

    def __init__(self, session: Session) -> None:
        super().__init__(session, MapRequest(), "grid", uses=("benchmark", "profile"))
        self._computed: Scatter | None = None
        self._shown: Scatter | None = None  # turned onto the map shown before
        self._path = session.path
        self._restricted: tuple[int, ...] = ()
        self.view = ScatterView()
        self.view.image_of = self._image
        self.text = ElidingLine(token="muted")
        self.both = self.controls.check_box("both")
        colour, method, drag = (self.controls.choice_box(name) for name in ("colour", "method", "drag"))
        header, footer = WrappingRow((colour, method), (drag, self.both)), row_layout()
        footer.addWidget(self.text, 1)
        self.set_body(header, self.view, footer, stretch=self.view)
        footer.setContentsMargins(2 * SPACE, 0, 2 * SPACE, SPACE)
        self.setFocusProxy(self.view)
        self.view.model_picked.connect(self._select)
        self.view.model_hovered.connect(self._hover)
        self.view.restricted.connect(self._restrict)
        self.view.near_changed.connect(self._request_thumbnails)
        session.thumbnails.arrived.connect(self._repaint)
        self.update_request()

    def request(self) -> MapRequest | None:
        """See `RequestPanel`; None without a run."""
        request = super().request()
        pair = FOLLOWED["pair"](self._session)
        self.both.setEnabled(bool(pair))
        if request is None or not request.runs:
            return None
        return replace(request, runs=pair) if request.both and pair else request

    def requests(self) -> tuple[MapRequest, ...]:
        """See `RequestPanel`; with the marked model."""
        request, current = self.request(), self._current()
        if request is None or self.is_empty:
            return ()
        ids = self._session.benchmark.collection.ids
        return (replace(request, models=() if current is None else (ids[current],)),)

    def show_result(self, result: Scatter) -> None:
        """See `RequestPanel`; another map is turned onto the one before, as of a new version of the run."""
        if self._session.path != self._path:
            self._path, self._computed, self._shown = self._session.path, None, None
        former, shown = self._computed, self._shown
        self._computed = result
        if shown is not None and result.has_points_of(former):
            result = replace(result, clouds=shown.clouds)
        elif shown is not None:
            before = shown.clouds[0]
            clouds = (
                replace(one, points=laid_onto(one.models, one.points, before.models, before.points))
                for one in result.clouds
            )
            result = replace(result, clouds=tuple(clouds))
        self._shown = result
        self.view.set_drag(self.options.drag)
        self.view.set_chart(result)
        self.view.set_current(self._current())
        self._show_text()

    def show_options(self) -> None:
        """See `RequestPanel`."""
        self.view.set_drag(self.options.drag)

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        super().show_changes(old, new)
        if new.differs(old, "rank", "model") or has_other_models(old, new):
            self.view.set_current(self._current())
            self._mark()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self.view.set_theme(theme)

    def hideEvent(self, event: QHideEvent) -> None:
        """Also remove the marks of the ranked list."""
        super().hideEvent(event)
        if self._restricted:
            self._session.cursor_state.mark(())

    def _current(self) -> int | None:
        """The selected model."""
        selection, found = self._session.selection, self._session.ranked_list
        if not self._session.has_list:
            return selection.model
        if found is None or selection.rank is None or selection.rank > len(found):
            return None
        item = int(found.items[selection.rank - 1])
        return item if item >= 0 else None

    @Slot(int)
    def _select(self, model: int) -> None:
        """Select the rank of a model, as a click on its card; one that is not in the list has no rank."""
        found = self._session.ranked_list
        if not self._session.has_list or found is None:
            self._session.select(model=model)
            return
        rows = np.flatnonzero(found.items == model)
        if len(rows):
            self._session.select(rank=int(rows[0]) + 1)
        else:
            name = self._session.benchmark.collection.ids[model]
            self.text.setText(f"{name} is not in the list")

    @Slot(object)
    def _hover(self, model: int | None) -> None:
        self._request_images(f"{THUMBNAIL_CLIENT} hovered", () if model is None else (model,))
        found = self._session.ranked_list
        rows = np.zeros(0, np.int64) if model is None or found is None else np.flatnonzero(found.items == model)
        self._session.cursor_state.hover(int(rows[0]) + 1 if len(rows) else None)

    @Slot(object)
    def _request_thumbnails(self, models: tuple[int, ...]) -> None:
        self._request_images(THUMBNAIL_CLIENT, models)

    def _request_images(self, client: str, models: tuple[int, ...]) -> None:
        paths = self._session.benchmark.collection.paths
        self._session.thumbnails.request(client, [path for model in models if (path := paths[model]) is not None])

    def _image(self, model: int) -> QPixmap | None:
        paths = self._session.benchmark.collection.paths
        return self._session.thumbnails.pixmap(paths[model]) if model < len(paths) else None

    @Slot()
    def _repaint(self, *_: frozenset[Path]) -> None:
        self.view.update()

    @Slot(object)
    def _restrict(self, models: tuple[int, ...]) -> None:
        self._restricted = models
        self._mark()
        self._show_text()

    def _mark(self) -> None:
        """Mark the models in the lasso in the list."""
        found = self._session.ranked_list
        if found is not None and self.isVisible():
            rows = np.flatnonzero(np.isin(found.items, self._restricted)) if self._restricted else np.zeros(0, np.int64)
            self._session.cursor_state.mark((rows + 1).tolist())

    def _show_text(self) -> None:
        """How many models are in the lasso; without one what the positions come from."""
        if self._shown is None:
            return
        if not self._restricted:
            note = self._shown.clouds[0].note
            self.text.setText(note, *(note.rpartition("; ")[:1]), "")
            set_tooltip(self.text, note)
            return
        inside = list(self._restricted)
        classes = {self._shown.classes[model] for model in inside} - {""}
        parts = [f"{len(inside):,} of {count_text(len(self._shown.clouds[0].models), 'model')}"]
        parts += [f"{len(classes):,} {'class' if len(classes) == 1 else 'classes'}"] if classes else []
        marks = np.array(self._session.cursor_state.marks)
        parts.append(f"{int((marks <= FIRST).sum())} of the first {FIRST} ranks")
        self.text.setText(" · ".join(parts), " · ".join(parts[:-1]), "")
