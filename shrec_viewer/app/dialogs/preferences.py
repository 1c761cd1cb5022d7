"""Preferences dialog: settings, disk caches and shortcuts."""

from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.app.commands.command import WindowInterface
from shrec_viewer.app.dialogs.fuzzy_search import contains_all_words
from shrec_viewer.app.dialogs.shortcuts import ShortcutsPage
from shrec_viewer.app.startup.settings import MAX_JOBS, MAX_SHORT_TEXT, TEXT_SIZES, Settings
from shrec_viewer.evaluation.parallel.local import available_cores
from shrec_viewer.viewmodels.files.disk_caches import DiskCache, parse_cache_spec, thumbnail_cache_spec
from shrec_viewer.viewmodels.tasks.computing import CONNECTED, CONNECTING, WorkerStatus
from shrec_viewer.widgets.controls.controls import ComboField
from shrec_viewer.widgets.controls.plain_text import PlainLabel
from shrec_viewer.widgets.style.theme import SPACE, text_font


@dataclass(frozen=True)
class PreferenceOption:
    """A setting in the preferences.

    Attributes
    ----------
    key : field of `Settings`.
    page : page of the dialog.
    label : label of the field or check box.
    explanation : text below it.
    values : value and text of each choice; empty for a check box.
    """

    key: str
    page: str
    label: str
    explanation: str
    values: tuple[tuple[object, str], ...] = ()


APPEARANCE, THUMBNAILS, FILES, COMPUTING, SHORTCUTS = "Appearance", "Thumbnails", "Files", "Computing", "Shortcuts"

PAGES = (APPEARANCE, THUMBNAILS, FILES, COMPUTING, SHORTCUTS)
"""Pages, in the order of the list."""

OPTIONS = (
    PreferenceOption(
        "theme",
        APPEARANCE,
        "Theme",
        "“System” follows changes of the system theme.",
        (("system", "System"), ("light", "Light"), ("dark", "Dark")),
    ),
    PreferenceOption(
        "relevance",
        APPEARANCE,
        "Relevance colours",
        "All but the last are safe for every type of colour vision.",
        (
            ("ordinal", "Blue, amber, grey: not relevant is muted"),
            ("strict", "Strict: not relevant is red and hatched"),
            ("contrast", "High contrast"),
            ("classic", "Red-yellow-green: not colour-blind safe"),
        ),
    ),
    PreferenceOption(
        "text_size",
        APPEARANCE,
        "Font size",
        "In percent of the system's font size.",
        tuple((percent, f"{percent} %") for percent in TEXT_SIZES),
    ),
    PreferenceOption("animations", APPEARANCE, "Animate menus", "Opens menus and lists with an animation."),
    PreferenceOption(
        "convention_bar",
        APPEARANCE,
        "Show conventions bar",
        "A second tool bar with the conventions of the evaluation.",
    ),
    PreferenceOption(
        "card_size",
        THUMBNAILS,
        "Thumbnail size",
        "In the ranked list.",
        (("S", "Small"), ("M", "Medium"), ("L", "Large"), ("T", "Text only")),
    ),
    PreferenceOption(
        "renderer",
        THUMBNAILS,
        "Renderer",
        "Applies to new thumbnails; clear the cache to render existing ones again.",
        (("auto", "Automatic"), ("gl", "OpenGL"), ("software", "Software (CPU)")),
    ),
    PreferenceOption(
        "follow",
        FILES,
        "Reload changed runs automatically",
        "Reloads runs that change on disk and reports how scores changed.",
    ),
)
"""Every setting in the dialog except shortcuts, caches and computing, which have their own widgets."""


MEGABYTE = 1_000_000

MIN_MEGABYTES, MAX_MEGABYTES = 10, 1_000_000
"""Limits of the size of a cache in megabytes."""

STEP_MEGABYTES = 50
"""Step of the spin box in megabytes."""


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
        self.limit, self.button = QSpinBox(), QPushButton("Clear")
        self.limit.setRange(MIN_MEGABYTES, MAX_MEGABYTES)
        self.limit.setSingleStep(STEP_MEGABYTES)
        self.limit.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)  # the value is changed by wheel and arrow keys
        self.limit.setGroupSeparatorShown(True)
        self.limit.setPrefix("at most ")
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
        line, column, explanation = QHBoxLayout(), QVBoxLayout(self), PlainLabel(text)
        explanation.setProperty("muted", True)
        for label in (explanation, self._problem):
            label.setWordWrap(True)
        self._problem.hide()
        line.addWidget(self.size_label, 1)
        line.addWidget(self.limit)
        line.addWidget(self.button)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        column.addLayout(line)
        column.addWidget(explanation)
        column.addWidget(self._problem)

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


JOBS_TEXT = "Runs are evaluated in as many threads, and large files are read in as many processes."

SCHEDULER_TEXT = (
    "Address of a Dask scheduler, such as tcp://host:8786, or local:4 for four processes on this machine. Its workers "
    "rank distance matrices that are larger than 32 MB. Requires the extra “cluster”."
)


class ComputingRow(QWidget):
    """Number of threads, and address of a scheduler, with a button that connects to it. Changes apply immediately."""

    def __init__(self, window: WindowInterface) -> None:
        super().__init__()
        self._window = window
        self.jobs, self.scheduler = QSpinBox(), QLineEdit()
        self.button, self.status = QPushButton("Connect"), PlainLabel()
        self.jobs.setRange(0, MAX_JOBS)
        self.jobs.setSpecialValueText(f"all cores ({available_cores()})")
        self.jobs.setKeyboardTracking(False)  # otherwise typing 16 would set 1 first
        self.jobs.setAccessibleName("Threads")
        self.jobs.setAccessibleDescription(JOBS_TEXT)
        self.scheduler.setPlaceholderText("None: this machine only")
        self.scheduler.setMaxLength(MAX_SHORT_TEXT)
        self.scheduler.setAccessibleName("Scheduler")
        self.scheduler.setAccessibleDescription(SCHEDULER_TEXT)
        self.button.setAutoDefault(False)
        self.status.setWordWrap(True)
        self._build()
        self.show_values()
        self.jobs.valueChanged.connect(self._set_jobs)
        self.scheduler.editingFinished.connect(self._set_scheduler)
        self.scheduler.returnPressed.connect(self._connect_typed)
        self.scheduler.textEdited.connect(self._show_status)
        self.button.clicked.connect(self._connect_scheduler)
        if window.session is not None:
            window.session.computing.changed.connect(self._show_status)

    def restore(self) -> None:
        """Set the defaults."""
        defaults = Settings()
        self._window.change_settings(replace(self._window.settings, jobs=defaults.jobs, scheduler=defaults.scheduler))
        self.show_values()

    def show_values(self) -> None:
        """Show the settings."""
        self._is_updating = True
        self.jobs.setValue(self._window.settings.jobs)
        self.scheduler.setText(self._window.settings.scheduler)
        self._is_updating = False
        self._show_status()

    def _build(self) -> None:
        column, line = QVBoxLayout(self), QHBoxLayout()
        titles = PlainLabel("Threads"), PlainLabel("Scheduler")
        explanations = PlainLabel(JOBS_TEXT), PlainLabel(SCHEDULER_TEXT)
        for label in explanations:
            label.setProperty("muted", True)
            label.setWordWrap(True)
        for label, field in zip(titles, (self.jobs, self.scheduler), strict=True):
            label.setBuddy(field)
        self.jobs.setFixedWidth(FIELD_WIDTH)
        self.scheduler.setFixedWidth(FIELD_WIDTH)
        line.addWidget(self.scheduler)
        line.addWidget(self.button)
        line.addStretch(1)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        for widget in (titles[0], self.jobs, explanations[0]):
            column.addWidget(widget)
        column.addSpacing(3 * SPACE)
        column.addWidget(titles[1])
        column.addLayout(line)
        column.addWidget(explanations[1])
        column.addWidget(self.status)

    @Slot()
    def _show_status(self, *_: object) -> None:
        session = self._window.session
        status = WorkerStatus() if session is None else session.computing.status
        is_connected = status.state == CONNECTED
        workers = f"Connected: {status.text}." if is_connected else status.problem or status.text
        page = f" Web page: {status.dashboard}" if status.dashboard else ""
        self.status.setText(f"{workers[:1].upper()}{workers[1:]}{page}")
        self.status.setVisible(bool(workers))
        address = self.scheduler.text().strip()
        self._is_in_use = status.state in (CONNECTING, CONNECTED) and address == session.computing.address
        self.button.setText(("Disconnect" if is_connected else "Cancel") if self._is_in_use else "Connect")
        # Enabled while connecting: a disabled button passes the focus to "Restore defaults".
        self.button.setEnabled(session is not None and bool(address))

    @Slot(int)
    def _set_jobs(self, jobs: int) -> None:
        if not self._is_updating:
            self._window.change_settings(replace(self._window.settings, jobs=jobs))

    @Slot()
    def _set_scheduler(self) -> None:
        address = self.scheduler.text().strip()
        if address != self._window.settings.scheduler:
            self._window.change_settings(replace(self._window.settings, scheduler=address))
        self._show_status()

    @Slot()
    def _connect_typed(self) -> None:
        """Connect to the address in the field, unless it is in use: Return cancels no connection."""
        if self.button.isEnabled() and not self._is_in_use:
            self._connect_scheduler()

    @Slot()
    def _connect_scheduler(self) -> None:
        is_in_use = self._is_in_use
        self._set_scheduler()
        if is_in_use:
            self._window.session.computing.disconnect_scheduler()
        else:
            self._window.session.computing.connect_scheduler()


SIZE = QSize(760, 520)
"""Size in pixels: the longest choice next to the list of pages."""

FIELD_WIDTH = 360
"""Width of a combo box in pixels."""


class PreferencesDialog(QDialog):
    """Non-modal dialog of the settings; changes apply immediately."""

    def __init__(self, window: WindowInterface) -> None:
        super().__init__(window.as_widget())
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("preferences")
        self.setWindowTitle("Preferences")
        self._window = window
        self._rows: list[tuple[str, str, QWidget]] = []
        self._fields: dict[str, QCheckBox | ComboField] = {}
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
        self.resize(SIZE.boundedTo(window.as_widget().size()))

    def showEvent(self, event: QShowEvent) -> None:
        """Lay out the list again, as its first layout precedes the padding of the style sheet."""
        super().showEvent(event)
        self.list.scheduleDelayedItemsLayout()

    def show_page(self, page: str) -> None:
        """Show one of `PAGES`."""
        self.list.setCurrentRow(PAGES.index(page))

    def option(self, key: str) -> QCheckBox | ComboField:
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
        self._column = QVBoxLayout(page)
        self._column.setContentsMargins(4 * SPACE, 0, 4 * SPACE, 0)
        self._column.setSpacing(4 * SPACE)
        for option in OPTIONS:
            self._add(option.page, f"{option.label}\n{option.explanation}", self._row(option))
        for owner, label, row in cache_rows():
            self._add(owner, label, row)
            self._caches.append((owner, row))
            row.cleared.connect(self._redraw_thumbnails)
            self.finished.connect(row.close_cache)
        self.computing = ComputingRow(self._window)
        self._add(COMPUTING, f"Computing threads jobs cores scheduler Dask cluster\n{SCHEDULER_TEXT}", self.computing)
        self._add(SHORTCUTS, "Keyboard shortcuts of commands", self.keys)
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

    def _add(self, page: str, text: str, row: QWidget) -> None:
        self._rows.append((page, text, row))
        self._column.addWidget(row)

    def _row(self, option: PreferenceOption) -> QWidget:
        row = QWidget()
        column = QVBoxLayout(row)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        field: QCheckBox | ComboField
        if option.values:
            label = PlainLabel(option.label)
            field = ComboField(option.label, FIELD_WIDTH)
            field.set_rows([(text, value, "") for value, text in option.values])
            field.value_picked.connect(self._pick)
            label.setBuddy(field)
            column.addWidget(label)
        else:
            field = QCheckBox(option.label)
            field.setAccessibleName(option.label)
            field.toggled.connect(self._pick)
        explanation = PlainLabel(option.explanation)
        explanation.setProperty("muted", True)
        explanation.setWordWrap(True)
        field.setAccessibleDescription(option.explanation)
        self._fields[option.key] = field
        column.addWidget(field)
        column.addWidget(explanation)
        return row

    def _show_values(self) -> None:
        self._is_updating = True
        for key, field in self._fields.items():
            value = getattr(self._window.settings, key)
            if isinstance(field, QCheckBox):
                field.setChecked(bool(value))
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
        if self._is_updating:
            return
        for key, field in self._fields.items():
            if field is self.sender():
                value: Any = field.isChecked() if isinstance(field, QCheckBox) else field.currentData()
                self._window.change_settings(replace(self._window.settings, **{key: value}))

    @Slot()
    def _restore(self) -> None:
        page, defaults = PAGES[max(self.list.currentRow(), 0)], Settings()
        keys = [option.key for option in OPTIONS if option.page == page] + (["keys"] if page == SHORTCUTS else [])
        changes: dict[str, Any] = {key: getattr(defaults, key) for key in keys}
        self._window.change_settings(replace(self._window.settings, **changes))
        for owner, row in self._caches:
            if owner == page:
                row.restore()
        if page == COMPUTING:
            self.computing.restore()
        self._show_values()
        self.keys.show_rows()

    @Slot()
    def _redraw_thumbnails(self) -> None:
        """Render the visible thumbnails again, after the cache was cleared."""
        if self._window.session is not None:
            self._window.session.thumbnails.redraw()
