"""The shared rank cursor, marked ranks, and the number whose calculation is shown."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.viewmodels.session.selection import NOTHING


@dataclass(frozen=True)
class CalculationTarget:
    """A number on the screen whose working is asked for.

    Attributes
    ----------
    measure : its key.
    run : place of the run.
    query : place of the query; `NOTHING` for a mean.
    over : what a mean goes over, ``"queries"`` or ``"classes"``.
    """

    measure: str
    run: int
    query: int = NOTHING
    over: str = "queries"


class CursorState(QObject):
    """Follows the mouse and the walk through ranks; unlike the selection it leaves no trace in history or projects.

    The cursor is the rank under the mouse while there is one, else the selected rank: `point` from whatever view the
    mouse is in, with None when it leaves, and `follow` from the session when another rank is selected.

    Signals
    -------
    cursor_changed(rank)
        1-based rank in the list of the selected run and query, or None.
    marks_changed()
        `marks` is another tuple.
    explained_changed()
        `calculation_target` is another record, or None.
    view_wanted(key)
        Someone wants this panel or perspective (keys of `PANELS` and `PERSPECTIVES`) brought into sight; panels do not
        know the window.
    help_wanted(key)
        Someone wants the page of this measure; "" for all pages.
    note_wanted()
        Someone wants to write a note on the selected query.
    colour_wanted(run)
        Someone wants to choose a colour for the run at this place.
    """

    cursor_changed = Signal(object)
    marks_changed = Signal()
    calculation_target_changed = Signal()
    view_requested = Signal(str)
    help_requested = Signal(str)
    note_requested = Signal()
    colour_requested = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._hovered: int | None = None
        self._selected: int | None = None
        self._marks: tuple[int, ...] = ()
        self._calculation_target: CalculationTarget | None = None

    @property
    def cursor(self) -> int | None:
        """1-based rank that every view marks, or None."""
        return self._selected if self._hovered is None else self._hovered

    @property
    def marks(self) -> tuple[int, ...]:
        """1-based ranks that the number explained was computed from, ascending; empty where none is explained."""
        return self._marks

    @property
    def calculation_target(self) -> CalculationTarget | None:
        """The number whose working is shown, or None."""
        return self._calculation_target

    @Slot(object)
    def point(self, rank: int | None) -> None:
        """The mouse is over this rank, or over none any more."""
        self._set(rank, self._selected)

    def follow(self, rank: int | None) -> None:
        """Another rank is selected, or none; it takes the cursor from the mouse until that moves again."""
        self._set(None, rank)

    def mark(self, ranks: Sequence[int]) -> None:
        """Mark these ranks in the list."""
        marks = tuple(sorted({int(rank) for rank in ranks}))
        if marks != self._marks:
            self._marks = marks
            self.marks_changed.emit()

    def explain(self, calculation_target: CalculationTarget | None) -> None:
        """Show the working of this number, or of none."""
        if calculation_target != self._calculation_target:
            self._calculation_target = calculation_target
            self.calculation_target_changed.emit()

    def request_view(self, key: str) -> None:
        """Ask the window to bring a panel or a perspective into sight."""
        self.view_requested.emit(key)

    def request_help(self, key: str) -> None:
        """Ask the window to explain a measure."""
        self.help_requested.emit(key)

    def request_note(self) -> None:
        """Ask the window to let the person write a note on the selected query."""
        self.note_requested.emit()

    def request_colour(self, run: int) -> None:
        """Ask the window to let the person choose a colour for a run."""
        self.colour_requested.emit(run)

    def forget(self) -> None:
        """Point at nothing: something else was opened."""
        self._set(None, None)
        self.mark(())
        self.explain(None)

    def _set(self, hovered: int | None, selected: int | None) -> None:
        before = self.cursor
        self._hovered, self._selected = hovered, selected
        if self.cursor != before:
            self.cursor_changed.emit(self.cursor)
