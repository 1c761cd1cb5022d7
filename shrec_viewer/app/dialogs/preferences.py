"""Preferences dialog: settings, disk caches and shortcuts."""

from dataclasses import Field, fields, replace
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QLineEdit,
    QListWidget,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QWidget,
)

from shrec_viewer.app.commands.command import WindowInterface
from shrec_viewer.app.dialogs.fuzzy_search import contains_all_words
from shrec_viewer.app.dialogs.shortcuts import ShortcutsPage
from shrec_viewer.app.dialogs.standard_dialogs import WindowDialog
from shrec_viewer.app.startup.settings import (
    FILES,
    MAX_ADDRESS,
    MAX_JOBS,
    PAGES,
    SHORTCUTS,
    THUMBNAILS,
    Settings,
)
from shrec_viewer.evaluation.parallel.local import available_cores
from shrec_viewer.viewmodels.files.disk_caches import DiskCache, parse_cache_spec, thumbnail_cache_spec
from shrec_viewer.viewmodels.tasks.computing import CONNECTED, CONNECTING, WorkerStatus
from shrec_viewer.widgets.controls.controls import ComboField
from shrec_viewer.widgets.controls.layouts import Stretch, column_of, row_of
from shrec_viewer.widgets.controls.plain_text import PlainLabel
from shrec_viewer.widgets.style.theme import SPACE, text_font

#: The settings in the dialog, see `option`; shortcuts and caches have their own widgets.
OPTIONS = tuple(row for row in fields(Settings) if "page" in row.metadata)

OptionField = QCheckBox | ComboField | QSpinBox | QLineEdit


MEGABYTE = 1_000_000

#: Limits of the size of a cache in megabytes.
MIN_MEGABYTES, MAX_MEGABYTES = 10, 1_000_000

#: Step of the spin box in megabytes.
STEP_MEGABYTES = 50


class CacheRow(QWidget):
    """Size and limit of a disk cache, with a button that clears it. Changes apply immediately.

    Signals
    -------
    cleared()
        The cache was emptied.
    """

    cleared = Signal()

    def __init__(self, cache: DiskCache) -> None:
        super().__init__()
        self.cache = cache
        cache.setParent(self)
        title = cache.kind.title
        self.size_label, self._problem = PlainLabel(), PlainLabel()
        self.limit, self.button = QSpinBox(singleStep=STEP_MEGABYTES, prefix="at most "), QPushButton("Clear")
        self.limit.setRange(MIN_MEGABYTES, MAX_MEGABYTES)
        self.limit.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)  # the value is changed by wheel and arrow keys
        self.limit.setGroupSeparatorShown(True)
        self.limit.setSuffix(" MB")
        self.limit.setKeyboardTracking(False)  # otherwise typing 500 would set 5 and 50 first
        self.limit.setAccessibleName(f"Limit: {title}")
        self.button.setAutoDefault(False)
        self.button.setAccessibleName(f"Clear: {title}")
        self._build(f"{cache.kind.explanation} The least recently used files are deleted first.\n{cache.kind.folder}")
        self.show_values()
        self.limit.valueChanged.connect(self._set_limit)
        self.button.clicked.connect(cache.clear)
        cache.changed.connect(self.show_values)
        cache.cleared.connect(self.cleared)
        cache.failed.connect(self._show_problem)

    def restore(self) -> None:
        """Set the default limit."""
        self.limit.setValue(round(self.cache.kind.usual / MEGABYTE))

    def close_cache(self) -> None:
        """End the thread of the cache, when the dialog closes."""
        self.cache.close()

    @Slot()
    def show_values(self) -> None:
        """Show the size and the limit."""
        self._is_updating = True
        if not self.cache.is_busy:
            self.limit.setValue(round(self.cache.limit / MEGABYTE))
        self._is_updating = False
        size = "deleting files…" if self.cache.is_busy else f"{self.cache.used / MEGABYTE:,.1f} MB"
        self.size_label.setText(f"{self.cache.kind.title}: {size}")
        self.button.setEnabled(not self.cache.is_busy)

    def _build(self, text: str) -> None:
        explanation = PlainLabel(text, muted=True)
        for label in (explanation, self._problem):
            label.setWordWrap(True)
        self._problem.hide()
        line = row_of((self.size_label, 1), self.limit, self.button)
        self.setLayout(column_of(line, explanation, self._problem, spacing=SPACE, margins=0))

    @Slot(int)
    def _set_limit(self, megabytes: int) -> None:
        if not self._is_updating:
            self._problem.hide()
            self.cache.set_limit(megabytes * MEGABYTE)

    @Slot(str)
    def _show_problem(self, text: str) -> None:
        self._problem.setText(text)
        self._problem.show()


def cache_rows() -> list[tuple[str, str, CacheRow]]:
    """Page, searchable text and row of each cache."""
    rows = []
    for page, kind in ((THUMBNAILS, thumbnail_cache_spec()), (FILES, parse_cache_spec())):
        rows.append((page, f"{kind.title}\n{kind.explanation} cache clear limit", CacheRow(DiskCache(kind))))
    return rows


class SchedulerButton(QPushButton):
    """Connects to the scheduler whose address is in a field; `status` shows the state of the connection."""

    def __init__(self, window: WindowInterface, field: QLineEdit) -> None:
        super().__init__("Connect")
        self._window, self._field, self.status = window, field, PlainLabel(wraps=True)
        self.setAutoDefault(False)
        field.returnPressed.connect(self._connect_typed)
        field.textChanged.connect(self._show_status)
        self.clicked.connect(self._connect_scheduler)
        if window.session is not None:
            window.session.computing.changed.connect(self._show_status)
        self._show_status()

    @Slot()
    def _show_status(self, *_: object) -> None:
        session = self._window.session
        status = WorkerStatus() if session is None else session.computing.status
        is_connected = status.state == CONNECTED
        workers = f"Connected: {status.text}." if is_connected else status.problem or status.text
        page = f" Web page: {status.dashboard}" if status.dashboard else ""
        self.status.setText(f"{workers[:1].upper()}{workers[1:]}{page}")
        self.status.setVisible(bool(workers))
        address = self._field.text().strip()
        self._is_in_use = status.state in (CONNECTING, CONNECTED) and address == session.computing.address
        self.setText(("Disconnect" if is_connected else "Cancel") if self._is_in_use else "Connect")
        # Enabled while connecting: a disabled button passes the focus to "Restore defaults".
        self.setEnabled(session is not None and bool(address))

    @Slot()
    def _connect_typed(self) -> None:
        """Connect to the address in the field, unless it is in use: Return cancels no connection."""
        if self.isEnabled() and not self._is_in_use:
            self._connect_scheduler()

    @Slot()
    def _connect_scheduler(self) -> None:
        if self._is_in_use:
            self._window.session.computing.disconnect_scheduler()
        else:
            self._field.editingFinished.emit()  # the address is stored first
            self._window.session.computing.connect_scheduler()


#: Size in pixels: the longest choice next to the list of pages.
SIZE = QSize(760, 520)

#: Width of a combo box in pixels.
FIELD_WIDTH = 360


class PreferencesDialog(WindowDialog):
    """Non-modal dialog of the settings; changes apply immediately."""

    def __init__(self, window: WindowInterface) -> None:
        super().__init__(window, "preferences", "Preferences")
        self._window = window
        self._rows: list[tuple[str, str, QWidget]] = []
        self._fields: dict[str, OptionField] = {}
        self._caches: list[tuple[str, CacheRow]] = []
        self.field, self.list, self._heading = QLineEdit(), QListWidget(), PlainLabel()
        self._defaults = QPushButton("Restore defaults")
        self.keys = ShortcutsPage(window)
        self._build()
        self._show_values()
        self.field.textChanged.connect(self._show_rows)
        self.list.currentRowChanged.connect(self._show_rows)
        self._defaults.clicked.connect(self._restore)
        self.list.setCurrentRow(0)
        self.resize(SIZE.boundedTo(window.size()))

    def showEvent(self, event: QShowEvent) -> None:
        """Lay out the list again, as its first layout precedes the padding of the style sheet."""
        super().showEvent(event)
        self.list.scheduleDelayedItemsLayout()

    def show_page(self, page: str) -> None:
        """Show one of `PAGES`."""
        self.list.setCurrentRow(PAGES.index(page))

    def option(self, key: str) -> OptionField:
        """The field of a setting."""
        return self._fields[key]

    def shown(self) -> list[str]:
        """Labels of the visible rows."""
        return [text.split("\n")[0] for _, text, row in self._rows if not row.isHidden()]

    def _build(self) -> None:
        self.field.setPlaceholderText("Search preferences")
        self.field.setAccessibleName("Search preferences")
        self.field.setClearButtonEnabled(True)
        self.list.addItems(PAGES)
        self.list.setAccessibleName("Pages")
        self.list.setFixedWidth(160)
        self._heading.setFont(text_font(self.font(), 1.3, bold=True))
        page = QWidget()
        self._column = column_of(spacing=4 * SPACE, margins=(4 * SPACE, 0, 4 * SPACE, 0))
        page.setLayout(self._column)
        for option in OPTIONS:
            words = (option.metadata["label"], option.metadata["help"], option.metadata.get("special", ""))
            self._add(option.metadata["page"], "\n".join(words), self._row(option))
        for owner, label, row in cache_rows():
            self._add(owner, label, row)
            self._caches.append((owner, row))
            row.cleared.connect(self._redraw_thumbnails)
            self.finished.connect(row.close_cache)
        self._add(SHORTCUTS, "Keyboard shortcuts of commands", self.keys)
        self._column.setStretchFactor(self.keys, 1)
        self._column.addStretch(0)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setAccessibleName("Preferences")
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(page)
        self.field.setFixedWidth(160)
        close = QPushButton("Close")
        close.clicked.connect(self.close)
        for button in (self._defaults, close):
            button.setAutoDefault(False)
        left = column_of(self.field, (self.list, 1))
        right = column_of(self._heading, (area, 1), row_of(self._defaults, Stretch(), close))
        self.setLayout(row_of(left, (right, 1), spacing=4 * SPACE, margins=4 * SPACE))

    def _add(self, page: str, text: str, row: QWidget) -> None:
        self._rows.append((page, text, row))
        self._column.addWidget(row)

    def _row(self, option: "Field[Any]") -> QWidget:
        """Field and explanation of a setting; its kind follows from choices or the type of the default."""
        row, label = QWidget(), PlainLabel(option.metadata["label"])
        below = PlainLabel(option.metadata["help"], muted=True, wraps=True)
        field = self._fields[option.name] = self._field(option)
        field.setAccessibleName(label.text())
        field.setAccessibleDescription(below.text())
        label.setBuddy(field)
        if isinstance(field, QLineEdit):
            self.scheduler = SchedulerButton(self._window, field)
            line = row_of(field, self.scheduler, Stretch())
            row.setLayout(column_of(label, line, below, self.scheduler.status, spacing=SPACE, margins=0))
        elif isinstance(field, QCheckBox):
            row.setLayout(column_of(field, below, spacing=SPACE, margins=0))
        else:
            row.setLayout(column_of(label, field, below, spacing=SPACE, margins=0))
        return row

    def _field(self, option: "Field[Any]") -> OptionField:
        if "choices" in option.metadata:
            choices = ComboField(option.metadata["label"], FIELD_WIDTH)
            choices.set_rows([(text, value, "") for value, text in option.metadata["choices"].items()])
            choices.value_picked.connect(self._pick)
            return choices
        if isinstance(option.default, bool):
            box = QCheckBox(option.metadata["label"])
            box.toggled.connect(self._pick)
            return box
        if isinstance(option.default, int):
            number = QSpinBox(maximum=MAX_JOBS)
            number.setSpecialValueText(f"{option.metadata['special']} ({available_cores()})")
            number.setKeyboardTracking(False)  # otherwise typing 16 would set 1 first
            number.valueChanged.connect(self._pick)
            number.setFixedWidth(FIELD_WIDTH)
            return number
        text = QLineEdit(placeholderText=option.metadata["hint"], maxLength=MAX_ADDRESS)
        text.editingFinished.connect(self._pick)
        text.setFixedWidth(FIELD_WIDTH)
        return text

    def _show_values(self) -> None:
        self._is_updating = True
        for key, field in self._fields.items():
            value = getattr(self._window.settings, key)
            if isinstance(field, QCheckBox):
                field.setChecked(value)
            elif isinstance(field, QLineEdit):
                field.setText(value)
            elif isinstance(field, QSpinBox):
                field.setValue(value)
            else:
                field.set_value(value)
        self._is_updating = False

    @Slot()
    def _show_rows(self, *_: object) -> None:
        pattern, page = self.field.text().strip(), PAGES[max(self.list.currentRow(), 0)]
        for owner, text, row in self._rows:
            row.setVisible(contains_all_words(pattern, f"{text} {owner}") if pattern else owner == page)
        self._heading.setText("Results" if pattern else page)
        self._defaults.setVisible(not pattern)

    @Slot()
    def _pick(self, *_: object) -> None:
        for key, field in self._fields.items():
            if (
                field is self.sender()
                and not self._is_updating
                and _value_of(field) != getattr(self._window.settings, key)
            ):
                self._window.change_settings(replace(self._window.settings, **{key: _value_of(field)}))

    @Slot()
    def _restore(self) -> None:
        page, defaults = PAGES[max(self.list.currentRow(), 0)], Settings()
        keys = [option.name for option in OPTIONS if option.metadata["page"] == page]
        keys += ["keys"] if page == SHORTCUTS else []
        changes: dict[str, Any] = {key: getattr(defaults, key) for key in keys}
        self._window.change_settings(replace(self._window.settings, **changes))
        for owner, row in self._caches:
            if owner == page:
                row.restore()
        self._show_values()
        self.keys.show_rows()

    @Slot()
    def _redraw_thumbnails(self) -> None:
        """Render the visible thumbnails again, after the cache was cleared."""
        if self._window.session is not None:
            self._window.session.thumbnails.redraw()


def _value_of(field: OptionField) -> Any:
    if isinstance(field, QCheckBox):
        return field.isChecked()
    if isinstance(field, QLineEdit):
        return field.text().strip()
    return field.value() if isinstance(field, QSpinBox) else field.currentData()
