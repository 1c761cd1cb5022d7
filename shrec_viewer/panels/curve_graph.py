"""What all panels with a graph have in common: the cursor, the runs that are drawn, what is picked."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QContextMenuEvent, QResizeEvent
from PySide6.QtWidgets import QMenu

from shrec_viewer.numerals import listed
from shrec_viewer.panels.curve_files import GraphFiles
from shrec_viewer.panels.curve_head import Entry
from shrec_viewer.panels.run_actions import RunActions
from shrec_viewer.viewmodels.selection import Selection
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.plot_marks import NO_CURSOR, Cursor
from shrec_viewer.widgets.theme import Theme, current_theme

ROOMY = 340
"""Pixels of height from which a graph has room for a legend of several lines."""

LOW = 200
"""Pixels of height below which a legend would leave the curves less than half of the room; then a button lists the
runs."""

LABELS = "labels"
CHOOSE_RUNS, ALL_RUNS, ONE_RUN = "choose_runs", "all_runs", "one_run"


class GraphPanel(GraphFiles):
    """A graph tied to the session's cursor and selection; subclasses say what is drawn."""

    def __init__(self, session: Session, name: str, entries: Sequence[Entry]) -> None:
        super().__init__(session, name, entries)
        self._theme = current_theme()
        self.head.runs.clicked.connect(self._list_runs)
        self.plot.curve_picked.connect(self._pick_run)
        self.plot.x_picked.connect(self._pick_place)
        self.plot.x_hovered.connect(self._hover)
        self.plot.stepped.connect(self._step)
        self.plot.toggle_picked.connect(self._toggle_run)
        self.plot.only_picked.connect(self._isolate_run)
        self.plot.all_picked.connect(session.edits.show_all_runs)
        session.pointing.cursor_changed.connect(self._show_cursor)
        session.selection_changed.connect(self._show_selection)
        session.edits.colours_changed.connect(self._show_colours)

    def _add_verbs(self) -> None:
        """What every graph can do."""
        self.head.menu.addSeparator()
        self.head.add_verb(CHOOSE_RUNS, self.tr("Choose the runs drawn…"))
        self.head.add_verb(ALL_RUNS, self.tr("Draw all runs"))
        self.head.add_verb(ONE_RUN, self.tr("Draw the selected run only, whichever it is"))
        super()._add_verbs()

    # What subclasses say.

    def cursor_at(self, rank: int) -> Cursor:
        """Where a rank is in the graph."""
        raise NotImplementedError

    def rank_at(self, x: float) -> int | None:
        """The rank meant by a place of the graph; None for none."""
        raise NotImplementedError

    def show_all(self) -> None:
        """Show everything anew, or the reason why there is nothing."""
        raise NotImplementedError

    def follow(self, old: Selection, new: Selection) -> None:
        """Something else is selected; the run in hand and the cursor follow by themselves."""

    def view_state(self) -> dict[str, Any]:
        """What the person chose here, for a project: plain values."""
        options = {key: action.isChecked() for key, action in self.head.options.items()}
        return {"kind": self.head.kinds.currentData(), "values": self.shows_values, "options": options}

    def take_view_state(self, state: Mapping[str, Any]) -> None:
        """Choose what a project says; what is not known is passed over."""
        self.head.pick_kind(state.get("kind"))
        options = state.get("options")
        for key, on in options.items() if isinstance(options, dict) else ():
            self.head.pick_option(str(key), on is True)
        self.show_values(state.get("values") is True)

    # What it shows.

    def draw(self) -> None:
        """Show curves, references, cursor and, where they are in sight, the values."""
        self.plot.set_references(self.references())
        self.plot.set_curves(self.curves(self._theme.name), self.hidden)
        self.plot.set_highlighted(str(self._session.selection.run))
        self._fit_legend()
        self._show_cursor(self._session.pointing.cursor)
        if self.shows_values:
            self.table.set_columns(self.columns())

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are told by `apply_theme`."""
        self._theme = theme
        self.show_all()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override; a low graph does with one line of legend, a very low one with the names at the lines' ends."""
        super().resizeEvent(event)
        self._fit_legend()

    def _fit_legend(self) -> None:
        height = self.height()
        self.plot.set_legend("full" if height >= ROOMY else "none" if height < LOW else "line")
        self.head.runs.setVisible(height < LOW)

    @Slot(object)
    def _show_cursor(self, rank: int | None) -> None:
        cursor = NO_CURSOR if rank is None else self.cursor_at(rank)
        self.plot.show_cursor(cursor)
        self.plot.set_spoken(self._spoken(cursor))

    def _spoken(self, cursor: Cursor) -> str:
        """What a screen reader says of the place of the cursor on the curve in hand."""
        dot = next((dot for dot in cursor.dots if dot.key == str(self._session.selection.run)), None)
        run = self._session.run
        if dot is None or run is None or math.isnan(dot.y):
            return cursor.words
        return f"{cursor.words}, {run.name}: {self.axes()[1]} {listed(dot.y)}"

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if old.run != new.run:
            self.plot.set_highlighted(str(new.run))
            self._show_cursor(self._session.pointing.cursor)
        if old.drawn_runs != new.drawn_runs:
            self._show_runs()
        self.follow(old, new)

    def _show_runs(self) -> None:
        """Hide and show at once what is known; what has to be computed first comes later."""
        self.plot.set_hidden(self.hidden)
        if self.shows_values:
            self.table.set_columns(self.columns())

    @Slot()
    def _show_colours(self) -> None:
        self.show_all()

    # What the person does.

    @Slot(float)
    def _hover(self, x: float) -> None:
        self._session.pointing.point(None if math.isnan(x) else self._in_list(self.rank_at(x)))

    @Slot(float)
    def _pick_place(self, x: float) -> None:
        if not math.isnan(x) and (rank := self._in_list(self.rank_at(x))) is not None:
            self._session.select(rank=rank)

    @Slot(int)
    def _step(self, by: int) -> None:
        cursor = self._session.pointing.cursor
        if (rank := self._in_list(max(1, by) if cursor is None else max(1, cursor + by))) is not None:
            self._session.select(rank=rank)

    @Slot(str)
    def _pick_run(self, key: str) -> None:
        if key.isdigit():
            self._session.select(run=int(key))

    def _in_list(self, rank: int | None) -> int | None:
        """The rank, or the last one of the list that is shown where it is shorter."""
        shown = self._session.ranked_list
        return None if rank is None or shown is None or not len(shown) else min(rank, len(shown))

    @Slot(str)
    def _toggle_run(self, key: str) -> None:
        if key.isdigit():
            self._session.edits.toggle_run(int(key))

    @Slot(str)
    def _isolate_run(self, key: str) -> None:
        if key.isdigit():
            self._session.edits.isolate_run(int(key))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Qt override; what can be done with the run under the mouse, and with the graph."""
        is_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        key = str(self._session.selection.run) if is_key else self.plot.key_at(event.globalPos())
        key = "" if self.shows_values and not is_key else key
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        part = menu
        benchmark = self._session.benchmark  # a graph may still show what was closed
        if key.isdigit() and benchmark is not None and int(key) < len(benchmark.runs):
            RunActions(self._session, int(key), menu)
            menu.addSeparator()
            part = menu.addMenu(self.tr("This &graph"))
        part.addActions(self.head.menu.actions())
        menu.popup(self.mapToGlobal(self.rect().center()) if is_key else event.globalPos())

    @Slot()
    def _list_runs(self) -> None:
        self.plot.list_runs(self.head.runs)

    def do(self, key: str) -> None:
        """See `GraphFiles`."""
        if key == CHOOSE_RUNS:
            self.plot.list_runs(self.head.more)
        elif key == ALL_RUNS:
            self._session.edits.show_all_runs()
        elif key == ONE_RUN:
            self._session.select(shown_runs=())
