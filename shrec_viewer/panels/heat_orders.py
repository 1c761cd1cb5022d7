"""The fields above the map: in which order queries and runs stand, also by one run or one query."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtWidgets import QComboBox, QWidget

from shrec_viewer.widgets.choice import Choice

QUERY_ORDERS = (
    ("given", "as given"),
    ("class", "by class"),
    ("mean", "easiest first"),
    ("hard", "hardest first"),
    ("spread", "runs differ most first"),
    ("agreement", "runs agree most first"),
)
RUN_ORDERS = (("given", "as given"), ("mean", "best first"), ("worst", "worst first"))

BY_RUN, BY_QUERY = "run", "query"
"""Orders by what one run found, or by what was found for one query; the best first."""

NARROWEST = 72
"""Pixels of a field in a narrow panel; its words are cut then, and whole in its list."""


class OrderChoice(Choice):
    """Some orders, and the one by something that the person pointed at.

    Parameters
    ----------
    orders : key and words of each.
    one : key of the order by a run, or a query.
    """

    def __init__(self, name: str, orders: Sequence[tuple[str, str]], one: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._one = one
        self._by = ""
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setMinimumWidth(NARROWEST)
        for key, words in orders:
            self.addItem(words, key)

    @property
    def order(self) -> str:
        """Key of the order chosen."""
        return str(self.currentData())

    @property
    def by(self) -> str:
        """Name of the run or query that orders; "" where none does."""
        return self._by if self.order == self._one else ""

    def order_by(self, name: str) -> None:
        """Order by this run or query; tells nobody."""
        self._by = name
        if (place := self.findData(self._one)) >= 0:
            self.removeItem(place)
        self.addItem(self.tr("by {name}").format(name=name), self._one)
        self.setCurrentIndex(self.count() - 1)

    def state(self) -> dict[str, str]:
        """The order as plain values."""
        return {"order": self.order, "by": self.by}

    def take_state(self, state: object) -> None:
        """The order of `state`; what is not known is the first one. Tells nobody."""
        known: Mapping[str, Any] = state if isinstance(state, dict) else {}
        if known.get("order") == self._one and isinstance(known.get("by"), str):
            self.order_by(known["by"])
            return
        self.setCurrentIndex(max(self.findData(known.get("order")), 0))
