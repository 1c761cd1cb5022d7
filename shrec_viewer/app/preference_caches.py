"""What the program keeps on disk to be quick: how large it is and may be, and a way to be rid of it."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSpinBox, QVBoxLayout, QWidget

from shrec_viewer.app.preference_options import FILES, PICTURES
from shrec_viewer.viewmodels.kept_caches import KeptCache, parsed_cache, picture_cache
from shrec_viewer.widgets.theme import SPACE

MEGABYTE = 1_000_000

LEAST, MOST = 10, 1_000_000
"""Megabytes that can be chosen: a few screens of pictures, and a disk."""

STEPS = 50
"""Megabytes of one press of an arrow."""


class CacheRow(QWidget):
    """Name, size, the limit, and a button that clears. What is chosen holds at once.

    Signals
    -------
    cleared()
        Nothing is kept any more.
    """

    cleared = Signal()

    def __init__(self, cache: KeptCache) -> None:
        super().__init__()
        self.cache = cache
        cache.setParent(self)
        title = cache.kind.title
        self.words, self._trouble = QLabel(), QLabel()
        self.limit, self.button = QSpinBox(), QPushButton("Clear")
        self.limit.setRange(LEAST, MOST)
        self.limit.setSingleStep(STEPS)
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
        self._showing = True
        if not self.cache.is_busy:
            self.limit.setValue(round(self.cache.limit / MEGABYTE))
        self._showing = False
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
        if not self._showing:
            self._trouble.hide()
            self.cache.set_limit(megabytes * MEGABYTE)

    @Slot(str)
    def _show_trouble(self, sentence: str) -> None:
        self._trouble.setText(sentence)
        self._trouble.show()


def cache_rows() -> list[tuple[str, str, CacheRow]]:
    """Page, words to look for, and row of each cache."""
    rows = []
    for page, kind in ((PICTURES, picture_cache()), (FILES, parsed_cache())):
        rows.append((page, f"{kind.title}\n{kind.explanation} cache clear limit", CacheRow(KeptCache(kind))))
    return rows
