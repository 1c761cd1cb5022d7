"""The window of preferences: searchable, applied at once, each page with a way back to its defaults."""

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.app.fields import Field
from shrec_viewer.app.frame import Frame
from shrec_viewer.app.fuzzy import holds
from shrec_viewer.app.preference_caches import CacheRow, cache_rows
from shrec_viewer.app.preference_keys import KeysPage
from shrec_viewer.app.preference_options import KEYS, OPTIONS, PAGES, Option
from shrec_viewer.app.settings import Settings
from shrec_viewer.widgets.theme import SPACE, text_font

SIZE = QSize(760, 520)
"""Pixels: the longest choice beside the list of pages."""

FIELD_WIDTH = 360
"""Pixels of a field to choose from."""


class Preferences(QDialog):
    """Stays open beside the window; what is changed holds at once and is remembered."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame.as_widget())
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("preferences")
        self.setWindowTitle("Preferences")
        self._frame = frame
        self._rows: list[tuple[str, str, QWidget]] = []
        self._fields: dict[str, QCheckBox | Field] = {}
        self._caches: list[tuple[str, CacheRow]] = []
        self.field, self.list, self._heading = QLineEdit(), QListWidget(), QLabel()
        self._defaults = QPushButton("Restore defaults")
        self.keys = KeysPage(frame)
        self._build()
        self._show_values()
        self.field.textChanged.connect(self._show_rows)
        self.list.currentRowChanged.connect(self._show_rows)
        self._defaults.clicked.connect(self._restore)
        self.list.setCurrentRow(0)
        self.resize(SIZE.boundedTo(frame.as_widget().size()))

    def showEvent(self, event: QShowEvent) -> None:
        """Qt override; the first choice has laid the rows out without the room that the style sheet gives them."""
        super().showEvent(event)
        self.list.scheduleDelayedItemsLayout()

    def option(self, key: str) -> QCheckBox | Field:
        """The field of a setting."""
        return self._fields[key]

    def shown(self) -> list[str]:
        """Labels of the rows in sight."""
        return [text.split("\n")[0] for _, text, row in self._rows if not row.isHidden()]

    # How it is built.

    def _build(self) -> None:
        self.field.setPlaceholderText("Look for a preference")
        self.field.setAccessibleName("Look for a preference")
        self.field.setClearButtonEnabled(True)
        self.list.addItems(PAGES)
        self.list.setAccessibleName("Pages")
        self.list.setFixedWidth(160)
        self._heading.setFont(text_font(self.font(), 1.3, strong=True))
        page = QWidget()
        self._column = QVBoxLayout(page)
        self._column.setContentsMargins(4 * SPACE, 0, 4 * SPACE, 0)
        self._column.setSpacing(4 * SPACE)
        for option in OPTIONS:
            self._add(option.page, f"{option.label}\n{option.explanation}", self._row(option))
        for owner, label, row in cache_rows():
            self._add(owner, label, row)
            self._caches.append((owner, row))
            row.cleared.connect(self._draw_again)
            self.finished.connect(row.close_cache)
        self._add(KEYS, "Keyboard shortcuts of commands", self.keys)
        self._column.setStretchFactor(self.keys, 1)
        self._column.addStretch(0)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setAccessibleName("Preferences")
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(page)
        left, right, foot = QVBoxLayout(), QVBoxLayout(), QHBoxLayout()
        left.addWidget(self.field)
        left.addWidget(self.list, 1)
        self.field.setFixedWidth(160)
        close = QPushButton("Close")
        close.clicked.connect(self.close)
        foot.addWidget(self._defaults)
        foot.addStretch(1)
        foot.addWidget(close)
        for button in (self._defaults, close):
            button.setAutoDefault(False)
        right.addWidget(self._heading)
        right.addWidget(area, 1)
        right.addLayout(foot)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(4 * SPACE, 4 * SPACE, 4 * SPACE, 4 * SPACE)
        layout.setSpacing(4 * SPACE)
        layout.addLayout(left)
        layout.addLayout(right, 1)

    def _add(self, page: str, words: str, row: QWidget) -> None:
        self._rows.append((page, words, row))
        self._column.addWidget(row)

    def _row(self, option: Option) -> QWidget:
        row = QWidget()
        column = QVBoxLayout(row)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        field: QCheckBox | Field
        if option.values:
            label = QLabel(option.label)
            field = Field(option.label, FIELD_WIDTH)
            field.set_rows([(text, value, "") for value, text in option.values])
            field.value_picked.connect(self._pick)
            label.setBuddy(field)
            column.addWidget(label)
        else:
            field = QCheckBox(option.label)
            field.setAccessibleName(option.label)
            field.toggled.connect(self._pick)
        explanation = QLabel(option.explanation)
        explanation.setProperty("muted", True)
        explanation.setWordWrap(True)
        field.setAccessibleDescription(option.explanation)
        self._fields[option.key] = field
        column.addWidget(field)
        column.addWidget(explanation)
        return row

    # What it shows and does.

    def _show_values(self) -> None:
        self._showing = True
        for key, field in self._fields.items():
            value = getattr(self._frame.settings, key)
            if isinstance(field, QCheckBox):
                field.setChecked(bool(value))
            else:
                field.set_value(value)
        self._showing = False

    @Slot()
    def _show_rows(self, *_: object) -> None:
        wanted, page = self.field.text().strip(), PAGES[max(self.list.currentRow(), 0)]
        for owner, words, row in self._rows:
            row.setVisible(holds(wanted, f"{words} {owner}") if wanted else owner == page)
        self._heading.setText("Found" if wanted else page)
        self._defaults.setVisible(not wanted)

    @Slot()
    def _pick(self, *_: object) -> None:
        if self._showing:
            return
        for key, field in self._fields.items():
            if field is self.sender():
                value: Any = field.isChecked() if isinstance(field, QCheckBox) else field.currentData()
                self._frame.desk.change_settings(replace(self._frame.settings, **{key: value}))

    @Slot()
    def _restore(self) -> None:
        page, usual = PAGES[max(self.list.currentRow(), 0)], Settings()
        keys = [option.key for option in OPTIONS if option.page == page] + (["keys"] if page == KEYS else [])
        changes: dict[str, Any] = {key: getattr(usual, key) for key in keys}
        self._frame.desk.change_settings(replace(self._frame.settings, **changes))
        for owner, row in self._caches:
            if owner == page:
                row.restore()
        self._show_values()
        self.keys.show_rows()

    @Slot()
    def _draw_again(self) -> None:
        """What was kept is gone: what is in sight is drawn anew, by the renderer that is preferred now."""
        if self._frame.session is not None:
            self._frame.session.thumbnails.draw_again()
