"""Small item models with named roles, as the views ask for them."""

import math

from PySide6.QtCore import QAbstractListModel, QAbstractTableModel, QByteArray, QModelIndex, Qt


def role_names(names):
    return {Qt.ItemDataRole.UserRole + 1 + place: QByteArray(name.encode()) for place, name in enumerate(names)}


class RowsModel(QAbstractListModel):
    """Rows are dictionaries of role values."""

    def __init__(self, names, rows):
        super().__init__()
        self.names, self.rows = names, rows
        self.n_requests = 0

    def roleNames(self):
        return role_names(self.names)

    def rowCount(self, parent=QModelIndex()):  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index, role=Qt.ItemDataRole.DisplayRole):
        self.n_requests += 1
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.rows[index.row()].get("tip")
        place = role - Qt.ItemDataRole.UserRole - 1
        return self.rows[index.row()].get(self.names[place]) if 0 <= place < len(self.names) else None

    def replace(self, rows):
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()


CARD_ROLES = ("rank", "item_id", "class_name", "level", "distance", "tied", "thumbnail", "problem", "query")
QUERY_ROLES = ("query_id", "class_name", "score", "thumbnail", "problem", "missing")


def cards(count, **changes):
    """`count` plain cards; `changes` are role values by row, ``{3: {"level": 2}}``."""
    rows = [
        {"rank": row + 1, "item_id": f"m{row:05}", "class_name": "duck", "level": 0, "distance": row / 7, "problem": ""}
        for row in range(count)
    ]
    for row, values in changes.get("at", {}).items():
        rows[row] |= values
    return RowsModel(CARD_ROLES, rows)


def queries(scores, **changes):
    rows = [
        {"query_id": f"Q{row + 1:02}", "class_name": "duck", "score": score, "problem": "", "missing": False}
        for row, score in enumerate(scores)
    ]
    for row, values in changes.get("at", {}).items():
        rows[row] |= values
    return RowsModel(QUERY_ROLES, rows)


class BoardModel(QAbstractTableModel):
    """Runs by measures: `columns` are (head, better, range), `rows` are (name, values)."""

    names = ("value", "colour", "dash", "shown", "better", "range")

    def __init__(self, columns, rows):
        super().__init__()
        self.columns, self.rows, self.tips = columns, rows, {}

    def roleNames(self):
        return role_names(self.names)

    def rowCount(self, parent=QModelIndex()):  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent=QModelIndex()):  # noqa: B008
        return 0 if parent.isValid() else 1 + len(self.columns)

    def _name(self, role):
        place = role - Qt.ItemDataRole.UserRole - 1
        return self.names[place] if 0 <= place < len(self.names) else None

    def headerData(self, section, orientation, role=Qt.ItemDataRole.DisplayRole):
        if orientation != Qt.Orientation.Horizontal:
            return None
        head, better, limits = ("Run", None, None) if section == 0 else self.columns[section - 1]
        if role == Qt.ItemDataRole.DisplayRole:
            return head
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.tips.get(section)
        return {"better": better, "range": limits}.get(self._name(role))

    def data(self, index, role=Qt.ItemDataRole.DisplayRole):
        name, values = self.rows[index.row()]
        if index.column() == 0:
            if role == Qt.ItemDataRole.DisplayRole:
                return name
            return {"colour": "#0072B2", "dash": "dash", "shown": True}.get(self._name(role))
        return values[index.column() - 1] if self._name(role) == "value" else None


def board():
    """Four runs; the best NN is shared, FT of one run is undefined, the lower rank is the better."""
    columns = [("NN", "higher", (0.0, 1.0)), ("FT", "higher", (0.0, 1.0)), ("Rank", "lower", (0.0, math.inf))]
    rows = [
        ("beta", [0.5, math.nan, 12.0]),
        ("alpha", [0.93333, 0.4, 300.5]),
        ("gamma", [0.93334, 0.3, 7.0]),
        ("delta", [0.1, 0.35, math.nan]),
    ]
    return BoardModel(columns, rows)
