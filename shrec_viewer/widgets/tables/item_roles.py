"""Item data by role name, independent of the model."""

from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex


class ItemRoles:
    """The named roles of one model, looked up once.

    Parameters
    ----------
    model : any item model or proxy; None for none. What it does not publish reads as the default.
    """

    def __init__(self, model: QAbstractItemModel | None = None) -> None:
        names = model.roleNames() if model is not None else {}
        self._numbers = {bytes(name.data()).decode(): number for number, name in names.items()}

    def __contains__(self, name: str) -> bool:
        return name in self._numbers

    def number(self, name: str) -> int | None:
        """Number of the role, None where the model has no such role."""
        return self._numbers.get(name)

    def value(self, index: QModelIndex | QPersistentModelIndex, name: str, default: Any = None) -> Any:
        """What the model says under this name; `default` where it says nothing."""
        number = self._numbers.get(name)
        if number is None:
            return default
        value = index.data(number)
        return default if value is None else value
