"""Panel with the map of models."""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QToolButton

from shrec_viewer.charts.scatter import Scatter
from shrec_viewer.content.diagnosis.error_budget import FalsePositivesRequest, has_budget, restricted_models
from shrec_viewer.content.map import MapRequest, turned_onto
from shrec_viewer.diagnosis.error_budget import DIVIDED
from shrec_viewer.panels.diagnosis.slices import SliceDialog
from shrec_viewer.panels.diagnosis.strips import RestrictionButton
from shrec_viewer.panels.panel import WrappingRow, row_layout
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.viewmodels.content.data import FOLLOWED
from shrec_viewer.viewmodels.session.document import Document, has_other_models
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.plots.scatter_view import ScatterView
from shrec_viewer.widgets.style.theme import SPACE, Theme

#: Client name of the requests of thumbnails, except the one for the hovered model.
THUMBNAIL_CLIENT = "map"

#: Ranks whose models in the lasso are counted.
FIRST = 10

#: See `Panel.shortcuts`.
MAP_SHORTCUTS = (
    ("Map", "Next model in a direction", "←  →  ↑  ↓"),
    ("Map", "Zoom, show all", "+  −  wheel  Home"),
    ("Map", "Show all models again", "Esc"),
)

#: Why models have no slice.
NO_QUERIES = "None of these models is a query, and no query has most of its relevant models among them"


class MapPanel(RequestPanel[MapRequest]):
    """The collection as points; a click selects a model, a lasso restricts lists and tables to its models."""

    waiting = "Computing the map…"

    def __init__(self, session: Session) -> None:
        super().__init__(session, MapRequest(), "grid", uses=("benchmark", "profile"))
        self._computed: Scatter | None = None
        self._shown: Scatter | None = None  # turned onto the map shown before
        self._path = session.path
        self.view, self.restriction, self.keep = ScatterView(), RestrictionButton(session), QToolButton()
        self.restricted = self.computation_of(restricted_models, "Models of the cause", quick=has_budget)
        self.view.image_of = self._image
        self.text = ElidingLine(token="muted")
        self.both = self.controls.check_box("both")
        colour, method, drag = (self.controls.choice_box(name) for name in ("colour", "method", "drag"))
        self.keep.setText("Keep as slice…")
        set_tooltip(self.keep, "Name the queries of these models, for means over them")
        policy = self.restriction.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # so that the map does not move under the lasso
        self.restriction.setSizePolicy(policy)
        header, footer = WrappingRow((colour, method), (drag, self.both)), row_layout()
        for widget, stretch in ((self.text, 1), (self.keep, 0), (self.restriction, 0)):
            footer.addWidget(widget, stretch)
        self.set_body(header, self.view, footer, stretch=self.view)
        footer.setContentsMargins(2 * SPACE, 0, 2 * SPACE, SPACE)
        self.setFocusProxy(self.view)
        self.view.model_picked.connect(self._select)
        self.view.model_hovered.connect(self._hover)
        self.view.restricted.connect(self._restrict)
        self.keep.clicked.connect(self._keep_slice)
        self.restricted.changed.connect(self._show_restriction)
        self.view.near_changed.connect(self._request_thumbnails)
        session.thumbnails.arrived.connect(self.view.repaint_thumbnails)
        self.update_request()

    def update_request(self) -> None:
        """See `RequestPanel`; also what the cause and the models of the lasso cost."""
        super().update_request()
        run, within = (FOLLOWED[name](self._session) for name in ("run", "within"))
        cause = self._session.selection.cause
        request = FalsePositivesRequest(runs=run, cause=cause if cause in DIVIDED else "", models=within)
        self.restricted.set_request(request if request.cause or within else None)
        self._show_restriction()

    def request(self) -> MapRequest | None:
        """See `RequestPanel`; None without a run."""
        request = super().request()
        pair = FOLLOWED["pair"](self._session)
        self.both.setEnabled(bool(pair))
        if request is not None and request.both and pair:
            return replace(request, runs=pair)
        return request if request is not None and request.runs else None

    def requests(self) -> tuple[MapRequest, ...]:
        """See `RequestPanel`; with the marked model."""
        request, current = self.request(), self._session.document.model
        if request is None or self.is_empty:
            return ()
        ids = self._session.benchmark.collection.ids
        return (replace(request, models=() if current is None else (ids[current],)),)

    def show_result(self, result: Scatter) -> None:
        """See `RequestPanel`; another map is turned onto the one before, as of a new version of the run."""
        if self._session.path != self._path:
            self._path, self._computed, self._shown = self._session.path, None, None
        self._shown = result if self._shown is None else turned_onto(result, self._computed, self._shown)
        self._computed = result
        self.view.set_drag(self.options.drag)
        self.view.set_chart(self._shown)
        self.view.set_current(self._session.document.model)
        self._show_restriction()

    def show_options(self) -> None:
        """See `RequestPanel`."""
        self.view.set_drag(self.options.drag)

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        super().show_changes(old, new)
        if new.differs(old, "rank", "model") or has_other_models(old, new):
            self.view.set_current(new.model)
            self._show_text()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self.view.set_theme(theme)

    @Slot(int)
    def _select(self, model: int) -> None:
        """Select the rank of a model, as a click on its card; one that is not in the list has no rank."""
        if not self._session.has_list or self._session.ranked_list is None:
            self._session.select(model=model)
        elif (rank := self._rank_of(model)) is not None:
            self._session.select(rank=rank)
        else:
            self.text.setText(f"{self._session.benchmark.collection.ids[model]} is not in the list")

    def _rank_of(self, model: int | None) -> int | None:
        """Rank of a model in the list; None where it has none."""
        found = self._session.ranked_list
        rows = np.zeros(0) if model is None or found is None else np.flatnonzero(found.items == model)
        return int(rows[0]) + 1 if len(rows) else None

    @Slot(object)
    def _hover(self, model: int | None) -> None:
        self._request_images(f"{THUMBNAIL_CLIENT} hovered", () if model is None else (model,))
        self._session.cursor_state.hover(self._rank_of(model))

    @Slot(object)
    def _request_thumbnails(self, models: tuple[int, ...]) -> None:
        self._request_images(THUMBNAIL_CLIENT, models)

    def _request_images(self, client: str, models: tuple[int, ...]) -> None:
        paths = self._session.benchmark.collection.paths
        self._session.thumbnails.request(client, [path for model in models if (path := paths[model]) is not None])

    def _image(self, model: int) -> QPixmap | None:
        paths = self._session.benchmark.collection.paths
        return self._session.thumbnails.pixmap(paths[model]) if model < len(paths) else None

    @Slot(object)
    def _restrict(self, models: tuple[int, ...]) -> None:
        """Restrict the views to the models of a lasso; without one, as after Escape, show everything again."""
        self._session.select(within=models, cause=None if models else "")

    @Slot()
    def _show_restriction(self) -> None:
        """Fade the models that are not in the lasso, or that the cause does not carry."""
        selection, found = self._session.selection, self.restricted.result if self.restricted.is_current else None
        within = found.models if found is not None else selection.within or None
        self.view.set_restriction(within)
        self._show_text()

    def _show_text(self) -> None:
        """What the models in the lasso cost, and where they are; without one what the positions come from."""
        if self._shown is None:
            return
        inside, found = list(self._session.selection.within), self.restricted.result
        is_known = found is not None and self.restricted.is_current
        self.keep.setVisible(bool(inside))
        self.keep.setEnabled(is_known)
        note = "" if inside else self._shown.clouds[0].note
        parts = list(found.texts) if inside and is_known else []
        if inside and (ranked := self._session.ranked_list) is not None:
            parts.append(f"{int(np.isin(ranked.items[:FIRST], inside).sum())} of the first {FIRST} ranks")
        shorter = (" · ".join(parts[:count]) for count in range(len(parts) - 1, 0, -1))
        self.text.setText(note or " · ".join(parts), *(note.rpartition("; ")[:1] if note else shorter), "")
        set_tooltip(self.text, note or " · ".join(parts))

    @Slot()
    def _keep_slice(self) -> None:
        """Name the queries of the models in the lasso."""
        queries = self.restricted.result.queries
        if queries:
            SliceDialog(self._session, queries, "lasso", self).open()
        else:
            self._session.done.emit(NO_QUERIES)
