"""Beside or below the generality graph: a slider for the embedding, what is expected there, the loss in words."""

import math

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QSlider, QVBoxLayout, QWidget

from shrec_viewer.numerals import listed
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme, text_font

STEP = 0.05
"""Doublings between two places of the slider: 3.5 % more models, less than the eye can tell in the graph."""

ROWS = 4
"""Measures shown at most: recall and precision, average precision, NDCG."""

WIDTH = 270
"""Pixels beside a graph: the longest measure and two numbers."""


class GeneralityFoot(QWidget):
    """Shows what it is told; says where the slider is.

    Signals
    -------
    level_picked(float)
        -log2 of the generality at which an embedding is looked at; NaN for the collection as it was searched.
    """

    level_picked = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._top = 0.0
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.where = QLabel()
        self.loss = QLabel()
        self._cells = [[QLabel() for _ in range(3)] for _ in range(ROWS + 1)]
        self._build()
        self.slider.valueChanged.connect(self._tell)
        self._shown = self._is_compact = False
        self._lines: list[tuple[str, str, str]] = []
        self.set_theme(current_theme())

    def _build(self) -> None:
        self.slider.setAccessibleName(self.tr("Size of the embedding"))
        self.slider.setToolTip(self.tr("How many irrelevant models are in the collection"))
        self.slider.setPageStep(round(1.0 / STEP))
        self.slider.setRange(0, 1)
        self.slider.setValue(1)  # at its end: the collection as it was searched
        for label in (self.where, self.loss):
            label.setWordWrap(True)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.loss.setProperty("muted", True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(3 * SPACE)
        grid.setVerticalSpacing(1)
        grid.setColumnStretch(0, 1)
        for row, labels in enumerate(self._cells):
            for column, label in enumerate(labels):
                if column:
                    label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                if not row or column == 0:
                    label.setProperty("muted", True)
                grid.addWidget(label, row, column)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, 2 * SPACE)
        layout.setSpacing(SPACE)
        layout.addWidget(self.where)
        layout.addWidget(self.slider)
        layout.addLayout(grid)
        layout.addWidget(self.loss)
        layout.addStretch(1)

    def set_span(self, top: float) -> None:
        """Let the slider reach from nothing irrelevant to the collection as it was searched, -log2 g = `top`."""
        steps = 0 if math.isnan(top) else math.ceil(top / STEP - 1e-9)
        was_present = self.slider.value() >= self.slider.maximum()
        self._top = 0.0 if math.isnan(top) else top
        self._shown = True
        self.slider.setEnabled(steps > 0)
        self.slider.setRange(0, max(1, steps))
        if was_present:
            self.slider.setValue(max(1, steps))
        self._shown = False

    def set_level(self, level: float | None) -> None:
        """Put the slider there; None for the collection as it was searched."""
        self._shown = True
        self.slider.setValue(self.slider.maximum() if level is None else round(level / STEP))
        self._shown = False

    def set_values(self, where: str, head: tuple[str, str], rows: list[tuple[str, float, float]]) -> None:
        """Show where the slider is, and measures expected there and in the present collection."""
        self.where.setText(where)
        self.slider.setAccessibleDescription(where)
        lines = [(name, _number(there), _number(now)) for name, there, now in rows]
        self._lines = [("", *head), *lines] if rows else []
        for number, labels in enumerate(self._cells):
            texts = self._lines[number] if number < len(self._lines) else ("", "", "")
            for label, text in zip(labels, texts, strict=True):
                label.setText(text)
        self.where.setToolTip("\n".join(f"{name}: {there} ({head[1]}: {now})" for name, there, now in lines))
        self._show_parts()

    def set_compact(self, compact: bool) -> None:
        """Leave the numbers to the tool tip."""
        self._is_compact = compact
        self._show_parts()

    def _show_parts(self) -> None:
        for number, labels in enumerate(self._cells):
            for label in labels:
                label.setVisible(number < len(self._lines) and not self._is_compact)
        self.loss.setVisible(not self._is_compact and bool(self.loss.text()))

    def set_words(self, words: str) -> None:
        """Say what growing the collection costs."""
        self.loss.setText(words)
        self.slider.setToolTip(words or self.tr("How many irrelevant models are in the collection"))
        self._show_parts()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; sizes of text follow the program's."""
        for row, labels in enumerate(self._cells):
            for label in labels:
                label.setFont(text_font(self.font(), 0.92, strong=not row))
        self.where.setFont(text_font(self.font(), 0.92, strong=True))
        self.loss.setFont(text_font(self.font(), 0.92))

    def sizeHint(self) -> QSize:
        """Qt override."""
        return QSize(WIDTH, super().sizeHint().height())

    def _tell(self, value: int) -> None:
        if not self._shown:
            self.level_picked.emit(math.nan if value >= self.slider.maximum() else min(value * STEP, self._top))


def _number(value: float) -> str:
    return listed(value)
