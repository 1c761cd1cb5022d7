"""Preferences dialog: settings, disk caches and shortcuts."""

from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal, Slot
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
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.app.bars.combo_field import ComboField
from shrec_viewer.app.commands.command import WindowInterface
from shrec_viewer.app.dialogs.fuzzy_search import contains_all_words
from shrec_viewer.app.dialogs.shortcuts import ShortcutsPage
from shrec_viewer.app.startup.settings import TEXT_SIZES, Settings
from shrec_viewer.viewmodels.files.disk_caches import DiskCache, parse_cache_spec, thumbnail_cache_spec
from shrec_viewer.widgets.style.theme import SPACE, text_font


@dataclass(frozen=True)
class PreferenceOption:
    """A setting that a person may change.

    Attributes
    ----------
    key : field of `Settings`.
    page : where it stands.
    label : before the field, or beside the box to tick.
    explanation : a sentence below it.
    values : value and text of each choice; none for something that is on or off.
    """

    key: str
    page: str
    label: str
    explanation: str
    values: tuple[tuple[object, str], ...] = ()


APPEARANCE, THUMBNAILS, FILES, SHORTCUTS = "Appearance", "Pictures", "Files", "Keys"

PAGES = (APPEARANCE, THUMBNAILS, FILES, SHORTCUTS)
"""In the order of the list."""

OPTIONS = (
    PreferenceOption(
        "theme",
        APPEARANCE,
        "Theme",
        "The system's is followed while the program runs.",
        (("system", "As the system"), ("light", "Light"), ("dark", "Dark")),
    ),
    PreferenceOption(
        "relevance",
        APPEARANCE,
        "Colours of relevance",
        "All but the last keep their levels apart for every kind of colour vision.",
        (
            ("ordinal", "Blue, amber, grey: what is not relevant stays quiet"),
            ("strict", "Strict: what is not relevant is red and hatched"),
            ("contrast", "High contrast"),
            ("classic", "Traffic lights: not for colour-blind eyes"),
        ),
    ),
    PreferenceOption(
        "text_size",
        APPEARANCE,
        "Size of letters",
        "Percent of the system's size.",
        tuple((percent, f"{percent} %") for percent in TEXT_SIZES),
    ),
    PreferenceOption("animations", APPEARANCE, "Animations", "Menus and lists open with a movement."),
    PreferenceOption(
        "convention_bar", APPEARANCE, "Conventions in sight", "A second bar shows the choices that change numbers."
    ),
    PreferenceOption(
        "card_size",
        THUMBNAILS,
        "Size of pictures",
        "In the ranked list.",
        (("S", "Small"), ("M", "Medium"), ("L", "Large"), ("T", "Text alone")),
    ),
    PreferenceOption(
        "renderer",
        THUMBNAILS,
        "Draw models with",
        "Holds at once. Pictures drawn before are kept until they are cleared below.",
        (("auto", "OpenGL where there is any"), ("gl", "OpenGL"), ("software", "The processor alone")),
    ),
    PreferenceOption(
        "follow", FILES, "Follow changes on disk", "A run that changes is read anew; a note says what it did."
    ),
)
"""Every preference but the keys and the caches, which have pages of their own kind."""


MEGABYTE = 1_000_000

MIN_MEGABYTES, MAX_MEGABYTES = 10, 1_000_000
"""Megabytes that can be chosen: a few screens of pictures, and a disk."""

STEP_MEGABYTES = 50
"""Megabytes of one press of an arrow."""


class CacheRow(QWidget):
    """Name, size, the limit, and a button that clears. What is chosen holds at once.

    Signals
    -------
    cleared()
        Nothing is kept any more.
    """

    cleared = Signal()

    def __init__(self, cache: DiskCache) -> None:
        super().__init__()
        self.cache = cache
        cache.setParent(self)
        title = cache.kind.title
        self.words, self._trouble = QLabel(), QLabel()
        self.limit, self.button = QSpinBox(), QPushButton("Clear")
        self.limit.setRange(MIN_MEGABYTES, MAX_MEGABYTES)
        self.limit.setSingleStep(STEP_MEGABYTES)
        self.limit.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)  # wheel and arrow keys do it
        self.limit.setGroupSeparatorShown(True)
        self.limit.setPrefix("at most ")
        self.limit.setSuffix(" MB")
        self.limit.setKeyboardTracking(False)  # 5 on the way to 500 is no limit
        self.limit.setAccessibleName(f"Limit: {title}")
        self.button.setAutoDefault(False)
        self.button.setAccessibleName(f"Clear: {title}")
        self._build(f"{cache.kind.explanation} What was not used for longest goes first. {cache.kind.folder}")
        self.show_values()
        self.limit.valueChanged.connect(self._set_limit)
        self.button.clicked.connect(cache.clear)
        cache.changed.connect(self.show_values)
        cache.cleared.connect(self.cleared)
        cache.failed.connect(self._show_trouble)

    def restore(self) -> None:
        """Allow what is usual."""
        self.limit.setValue(round(self.cache.kind.usual / MEGABYTE))

    def close_cache(self) -> None:
        """End the thread; the row is not shown any more."""
        self.cache.close()

    @Slot()
    def show_values(self) -> None:
        """Show how much there is now, and how much there may be."""
        self._is_updating = True
        if not self.cache.is_busy:
            self.limit.setValue(round(self.cache.limit / MEGABYTE))
        self._is_updating = False
        what = "making room…" if self.cache.is_busy else f"{self.cache.used / MEGABYTE:,.1f} MB"
        self.words.setText(f"{self.cache.kind.title}: {what}")
        self.button.setEnabled(not self.cache.is_busy)

    def _build(self, words: str) -> None:
        line, column, quiet = QHBoxLayout(), QVBoxLayout(self), QLabel(words)
        quiet.setProperty("muted", True)
        for label in (quiet, self._trouble):
            label.setWordWrap(True)
        self._trouble.hide()
        line.addWidget(self.words, 1)
        line.addWidget(self.limit)
        line.addWidget(self.button)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        column.addLayout(line)
        column.addWidget(quiet)
        column.addWidget(self._trouble)

    @Slot(int)
    def _set_limit(self, megabytes: int) -> None:
        if not self._is_updating:
            self._trouble.hide()
            self.cache.set_limit(megabytes * MEGABYTE)

    @Slot(str)
    def _show_trouble(self, sentence: str) -> None:
        self._trouble.setText(sentence)
        self._trouble.show()


def cache_rows() -> list[tuple[str, str, CacheRow]]:
    """Page, words to look for, and row of each cache."""
    rows = []
    for page, kind in ((THUMBNAILS, thumbnail_cache_spec()), (FILES, parse_cache_spec())):
        rows.append((page, f"{kind.title}\n{kind.explanation} cache clear limit", CacheRow(DiskCache(kind))))
    return rows


SIZE = QSize(760, 520)
"""Pixels: the longest choice beside the list of pages."""

FIELD_WIDTH = 360
"""Pixels of a field to choose from."""


class PreferencesDialog(QDialog):
    """Stays open beside the window; what is changed holds at once and is remembered."""

    def __init__(self, frame: WindowInterface) -> None:
        super().__init__(frame.as_widget())
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("preferences")
        self.setWindowTitle("Preferences")
        self._frame = frame
        self._rows: list[tuple[str, str, QWidget]] = []
        self._fields: dict[str, QCheckBox | ComboField] = {}
        self._caches: list[tuple[str, CacheRow]] = []
        self.field, self.list, self._heading = QLineEdit(), QListWidget(), QLabel()
        self._defaults = QPushButton("Restore defaults")
        self.keys = ShortcutsPage(frame)
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

    def option(self, key: str) -> QCheckBox | ComboField:
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
            row.cleared.connect(self._redraw_thumbnails)
            self.finished.connect(row.close_cache)
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

    def _add(self, page: str, words: str, row: QWidget) -> None:
        self._rows.append((page, words, row))
        self._column.addWidget(row)

    def _row(self, option: PreferenceOption) -> QWidget:
        row = QWidget()
        column = QVBoxLayout(row)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        field: QCheckBox | ComboField
        if option.values:
            label = QLabel(option.label)
            field = ComboField(option.label, FIELD_WIDTH)
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
        self._is_updating = True
        for key, field in self._fields.items():
            value = getattr(self._frame.settings, key)
            if isinstance(field, QCheckBox):
                field.setChecked(bool(value))
            else:
                field.set_value(value)
        self._is_updating = False

    @Slot()
    def _show_rows(self, *_: object) -> None:
        wanted, page = self.field.text().strip(), PAGES[max(self.list.currentRow(), 0)]
        for owner, words, row in self._rows:
            row.setVisible(contains_all_words(wanted, f"{words} {owner}") if wanted else owner == page)
        self._heading.setText("Found" if wanted else page)
        self._defaults.setVisible(not wanted)

    @Slot()
    def _pick(self, *_: object) -> None:
        if self._is_updating:
            return
        for key, field in self._fields.items():
            if field is self.sender():
                value: Any = field.isChecked() if isinstance(field, QCheckBox) else field.currentData()
                self._frame.desk.change_settings(replace(self._frame.settings, **{key: value}))

    @Slot()
    def _restore(self) -> None:
        page, usual = PAGES[max(self.list.currentRow(), 0)], Settings()
        keys = [option.key for option in OPTIONS if option.page == page] + (["keys"] if page == SHORTCUTS else [])
        changes: dict[str, Any] = {key: getattr(usual, key) for key in keys}
        self._frame.desk.change_settings(replace(self._frame.settings, **changes))
        for owner, row in self._caches:
            if owner == page:
                row.restore()
        self._show_values()
        self.keys.show_rows()

    @Slot()
    def _redraw_thumbnails(self) -> None:
        """What was kept is gone: what is in sight is drawn anew, by the renderer that is preferred now."""
        if self._frame.session is not None:
            self._frame.session.thumbnails.redraw()
