"""The shared rank cursor, marked ranks, and the score shown in the Calculation panel."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.viewmodels.session.selection import NOTHING


@dataclass(frozen=True)
class CalculationTarget:
    """A score shown in the Calculation panel.

    Attributes
    ----------
    measure : key of the measure.
    run : index of the run.
    query : index of the query; `NOTHING` for a mean.
    over : what a mean is taken over, ``"queries"`` or ``"classes"``.
    """

    measure: str
    run: int
    query: int = NOTHING
    over: str = "queries"


class CursorState(QObject):
    """Short-lived state shared by the views; unlike the selection it is not part of the history or of projects.

    The cursor is the rank under the mouse, else the selected rank. Views call `hover` with the rank under the mouse,
    and with None when the mouse leaves; the session calls `set_selected_rank`.

    Signals
    -------
    cursor_changed(rank)
        1-based rank in the list of the selected run and query, or None.
    marks_changed()
        `marks` was replaced.
    calculation_target_changed()
        `calculation_target` was replaced.
    view_requested(key)
        A panel or perspective (key of `PANELS` or `PERSPECTIVES`) should be shown; panels do not know the window.
    help_requested(key)
        The help page of this measure should be shown; "" for the list of all measures.
    note_requested()
        The note of the selected query should be edited.
    colour_requested(run)
        A colour for the run with this index should be chosen.
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
        """1-based ranks that the number with the shown calculation depends on, ascending; empty without one."""
        return self._marks

    @property
    def calculation_target(self) -> CalculationTarget | None:
        """The score shown in the Calculation panel, or None."""
        return self._calculation_target

    @Slot(object)
    def hover(self, rank: int | None) -> None:
        """Set the 1-based rank under the mouse; None for none."""
        self._set(rank, self._selected)

    def set_selected_rank(self, rank: int | None) -> None:
        """Set the selected rank; it is the cursor until the mouse moves."""
        self._set(None, rank)

    def mark(self, ranks: Sequence[int]) -> None:
        """Mark these 1-based ranks in the list."""
        marks = tuple(sorted({int(rank) for rank in ranks}))
        if marks != self._marks:
            self._marks = marks
            self.marks_changed.emit()

    def show_calculation(self, target: CalculationTarget | None) -> None:
        """Show the calculation of this number; None for that of the selection."""
        if target != self._calculation_target:
            self._calculation_target = target
            self.calculation_target_changed.emit()

    def request_view(self, key: str) -> None:
        """Emit `view_requested`."""
        self.view_requested.emit(key)

    def request_help(self, key: str) -> None:
        """Emit `help_requested`."""
        self.help_requested.emit(key)

    def request_note(self) -> None:
        """Emit `note_requested`."""
        self.note_requested.emit()

    def request_colour(self, run: int) -> None:
        """Emit `colour_requested`."""
        self.colour_requested.emit(run)

    def clear(self) -> None:
        """Reset cursor, marks and calculation; called when another benchmark is opened."""
        self._set(None, None)
        self.mark(())
        self.show_calculation(None)

    def _set(self, hovered: int | None, selected: int | None) -> None:
        before = self.cursor
        self._hovered, self._selected = hovered, selected
        if self.cursor != before:
            self.cursor_changed.emit(self.cursor)
