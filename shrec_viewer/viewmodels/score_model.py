"""What tables of scores have in common: first some names, then a column for each measure."""

from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QByteArray, QModelIndex, QObject, QPersistentModelIndex, Qt

from shrec_viewer.metrics import Profile, ResolvedMeasure
from shrec_viewer.numerals import formula
from shrec_viewer.viewmodels.session import Session


class ScoreRole(IntEnum):
    """What a cell, or a head, can be asked for; views find these by the names in `ScoreModel.roleNames`."""

    VALUE = Qt.ItemDataRole.UserRole + 1
    BETTER = Qt.ItemDataRole.UserRole + 2
    RANGE = Qt.ItemDataRole.UserRole + 3
    COLOUR = Qt.ItemDataRole.UserRole + 4
    DASH = Qt.ItemDataRole.UserRole + 5
    SHOWN = Qt.ItemDataRole.UserRole + 6
    PARTICIPANT = Qt.ItemDataRole.UserRole + 7
    PLACE = Qt.ItemDataRole.UserRole + 8
    WARNING = Qt.ItemDataRole.UserRole + 9


class ScoreModel(QAbstractTableModel):
    """Columns of measures behind columns of names; who inherits fills them and says what the cells are.

    Roles by name: value (float, NaN undefined or missing) of a cell; better and range of the head of a measure.
    """

    ROLES: tuple[ScoreRole, ...] = (ScoreRole.VALUE, ScoreRole.BETTER, ScoreRole.RANGE)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._heads: tuple[str, ...] = ()
        self._measures: tuple[ResolvedMeasure, ...] = ()
        self._values: NDArray[np.float64] = np.zeros((0, 0))

    def column_of(self, measure: str) -> int | None:
        """Column of a measure; None where it was not evaluated."""
        keys = [resolved.key for resolved in self._measures]
        return len(self._heads) + keys.index(measure) if measure in keys else None

    def measure_of(self, column: int) -> str | None:
        """Key of the measure in a column; None for the names."""
        place = column - len(self._heads)
        return self._measures[place].key if 0 <= place < len(self._measures) else None

    def column_values(self, column: int) -> list[float | None]:
        """The role value of all rows of a column: NaN where it is undefined or missing, None where they are names."""
        place = column - len(self._heads)
        if not 0 <= place < len(self._measures):
            return [None] * self.rowCount()
        return self._values[:, place].tolist() if self._values.size else [float("nan")] * self.rowCount()

    def roleNames(self) -> dict[int, QByteArray]:
        """Qt override."""
        return {role.value: QByteArray(role.name.lower().encode()) for role in self.ROLES}

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Qt override."""
        return 0 if parent.isValid() else len(self._heads) + len(self._measures)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt override; the tool tip of a measure is its definition, polarity and source."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < self.columnCount():
            return None
        if section < len(self._heads):
            return self._heads[section] if role == Qt.ItemDataRole.DisplayRole else None
        measure = self._measures[section - len(self._heads)]
        if role == Qt.ItemDataRole.DisplayRole:
            return measure.key
        if role == ScoreRole.BETTER:
            return measure.better
        if role == ScoreRole.RANGE:
            return measure.range
        if role == Qt.ItemDataRole.ToolTipRole:
            return definition_words(measure, self._session.profile)
        return None


USUAL = ("NN", "FT", "ST", "E", "ADR", "AP", "NDCG", "Rprec", "RR")
"""Measures that papers print, each at its largest cut-off; the others of a profile are for who asks for them."""

FEW = 10
"""Measures that are few enough to be all usual: a profile that names no more names those of its papers."""


def usual_measures(profile: Profile) -> tuple[str, ...]:
    """Keys of the few measures of a profile that most people want to see, its headline among them."""
    if len(profile.measures) <= FEW:
        return profile.measures
    largest = {key.partition("@")[0] + "@" * ("@" in key): key for key in profile.measures}  # cut-offs stand in order
    wanted = {key for name, key in largest.items() if name.rstrip("@").partition("(")[0] in USUAL}
    return tuple(key for key in profile.measures if key in wanted or key == profile.headline)


def definition_words(measure: ResolvedMeasure, profile: Profile) -> str:
    """What the head of a column says about its measure: definition, formula, polarity, source."""
    better = {"higher": "Higher is better.", "lower": "Lower is better.", "none": ""}[measure.better]
    lines = (measure.label, measure.definition, formula(measure.formula_under(profile)))
    return "\n".join((*lines, f"{better} {measure.source_under(profile)}".lstrip()))
