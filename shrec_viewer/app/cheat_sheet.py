"""All keys on one page, from the table of commands: grouped, searchable, never out of date."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QLabel, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from shrec_viewer.app.commands import key_table
from shrec_viewer.app.frame import Frame
from shrec_viewer.app.fuzzy import holds
from shrec_viewer.widgets.theme import SPACE, text_font

SIZE = QSize(860, 560)
"""Pixels: two columns of groups."""

COLUMNS = 2


class CheatSheet(QDialog):
    """A page of keys; what is typed narrows it."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame.as_widget())
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._rebound = frame.settings.keys
        self.setObjectName("cheat_sheet")
        self.setWindowTitle("Keyboard shortcuts")
        self.field = QLineEdit()
        self._area = QScrollArea()
        self._none = QLabel("No key does that. The palette finds commands without keys, too: Ctrl+Shift+P.")
        self._build()
        self.field.textChanged.connect(self._show)
        self._show("")
        self.resize(SIZE.boundedTo(frame.as_widget().size()))

    def groups(self, wanted: str = "") -> dict[str, list[tuple[str, str]]]:
        """Text and keys by menu or view, of all that fits what is wanted."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for menu, text, keys in key_table(self._rebound):
            if holds(wanted, f"{text} {menu} {keys}"):
                groups.setdefault(menu.replace("/", " › "), []).append((text, keys))
        return groups

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; the keys of a page scroll it while the field has the focus."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            bar = self._area.verticalScrollBar()
            steps = {Qt.Key.Key_Down: bar.singleStep(), Qt.Key.Key_Up: -bar.singleStep()}
            steps |= {Qt.Key.Key_PageDown: bar.pageStep(), Qt.Key.Key_PageUp: -bar.pageStep()}
            if event.key() in steps:
                bar.setValue(bar.value() + steps[Qt.Key(event.key())])
                return True
        return super().eventFilter(watched, event)

    def _build(self) -> None:
        self.field.setPlaceholderText("Look for a key or what it does")
        self.field.setAccessibleName("Look for a key or what it does")
        self.field.setClearButtonEnabled(True)
        self.field.installEventFilter(self)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QScrollArea.Shape.NoFrame)
        self._area.setAccessibleName("Keys")
        self._none.setProperty("muted", True)
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4 * SPACE, 4 * SPACE, 4 * SPACE, 4 * SPACE)
        layout.setSpacing(3 * SPACE)
        layout.addWidget(self.field)
        layout.addWidget(self._area, 1)
        layout.addWidget(self._none, 1)

    @Slot(str)
    def _show(self, wanted: str) -> None:
        groups = self.groups(wanted)
        page = QWidget()
        columns = QHBoxLayout(page)
        columns.setSpacing(10 * SPACE)
        piles: list[list[tuple[str, list[tuple[str, str]]]]] = [[] for _ in range(COLUMNS)]
        heights = [0] * COLUMNS
        for group in groups.items():  # each to the shorter column
            place = heights.index(min(heights))
            piles[place].append(group)
            heights[place] += len(group[1]) + 2
        for pile in piles:
            columns.addLayout(self._column(pile), 1)
        self._area.setWidget(page)
        self._area.setVisible(bool(groups))
        self._none.setVisible(not groups)

    def _column(self, groups: list[tuple[str, list[tuple[str, str]]]]) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(4 * SPACE)
        grid.setVerticalSpacing(2 * SPACE)
        row = 0
        for name, lines in groups:
            heading = QLabel(name)
            heading.setFont(text_font(self.font(), strong=True))
            grid.addWidget(heading, row, 0, 1, 2)
            for text, keys in lines:
                row += 1
                words, caps = QLabel(text), QLabel(keys)
                words.setWordWrap(True)
                caps.setProperty("keycap", True)
                grid.addWidget(words, row, 0)
                grid.addWidget(caps, row, 1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            row += 1
            grid.setRowMinimumHeight(row, 3 * SPACE)
            row += 1
        grid.setRowStretch(row, 1)
        grid.setColumnStretch(0, 1)
        return grid
