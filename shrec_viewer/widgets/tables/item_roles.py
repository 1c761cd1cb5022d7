"""Item data by role name, independent of the model."""

from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex


class ItemRoles:
    """Roles of an item model by name, looked up once.

    Parameters
    ----------
    model : any item model or proxy, or None. Missing roles have the default value.
    """

    def __init__(self, model: QAbstractItemModel | None = None) -> None:
        names = model.roleNames() if model is not None else {}
        self._numbers = {bytes(name.data()).decode(): number for number, name in names.items()}

    def __contains__(self, name: str) -> bool:
        return name in self._numbers

    def number(self, name: str) -> int | None:
        """Number of the role, or None."""
        return self._numbers.get(name)

    def value(self, index: QModelIndex | QPersistentModelIndex, name: str, default: Any = None) -> Any:
        """Value of a role of an item; `default` for none."""
        number = self._numbers.get(name)
        if number is None:
            return default
        value = index.data(number)
        return default if value is None else value
