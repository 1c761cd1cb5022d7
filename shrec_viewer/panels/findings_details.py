"""One finding in full: where, what, what was done about it, and where one can go from there."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from shrec_viewer.domain import Benchmark, Finding
from shrec_viewer.viewmodels.findings_model import place_words, severity_word
from shrec_viewer.viewmodels.findings_place import Place
from shrec_viewer.widgets.icons import icon_pixmap
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme, text_font

MARK = 16
"""Pixels of the mark of the severity."""


class FindingDetails(QWidget):
    """Follows the current finding of the table.

    Signals
    -------
    open_requested(), go_requested()
        The buttons.
    """

    open_requested = Signal()
    go_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._severity = ""
        self._scroll = QScrollArea()
        self._mark, self.word, self.place = QLabel(), QLabel(), QLabel()
        self.message, self._done, self.action = QLabel(), QLabel(self.tr("What was done")), QLabel()
        self.open = QPushButton(self.tr("Open"))
        self.go = QPushButton()
        self._build()
        self.open.clicked.connect(self.open_requested)
        self.go.clicked.connect(self.go_requested)
        self.set_finding(None, None, None)

    def set_finding(self, finding: Finding | None, place: Place | None, benchmark: Benchmark | None) -> None:
        """Show this finding; None for none."""
        has_one = finding is not None
        for part in (self._mark, self.word, self.place, self.action, self._done, self.open, self.go):
            part.setVisible(has_one)
        if finding is None or place is None or benchmark is None:
            self._severity = ""
            self.message.setText(self.tr("Choose a finding to see all of it."))
            return
        self._severity = finding.severity.value
        self.word.setText(severity_word(finding.severity).capitalize())
        self.place.setText(place_words(finding))
        times = (
            self.tr(" ({n} times; the line is the first)").format(n=f"{finding.count:,}") if finding.count > 1 else ""
        )
        self.message.setText(_as_sentence(finding.message) + times)
        self.action.setText(_as_sentence(finding.action))
        self._done.setVisible(bool(finding.action))
        self.action.setVisible(bool(finding.action))
        self.open.setEnabled(place.path is not None)
        there = place.path is not None
        self.open.setToolTip(
            self.tr("Show the place in its file") if there else self.tr("The file is not there any more")
        )
        words = go_words(place, benchmark)
        self.go.setText(words)
        self.go.setToolTip(self.tr("Select this run, and the query if there is one"))
        self.go.setVisible(bool(words))
        self._dress()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self._dress()

    def _build(self) -> None:
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMinimumWidth(220)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setObjectName("finding_details")
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(3 * SPACE, 2 * SPACE, 3 * SPACE, 2 * SPACE)
        layout.setSpacing(SPACE)
        head = QHBoxLayout()
        head.setSpacing(SPACE)
        head.addWidget(self._mark)
        head.addWidget(self.word)
        head.addSpacing(SPACE)
        head.addWidget(self.place, 1)
        layout.addLayout(head)
        self._done.setProperty("muted", True)
        self.place.setProperty("muted", True)
        for part in (self.message, self.place, self._done, self.action):
            part.setWordWrap(True)
            part.setTextFormat(Qt.TextFormat.PlainText)
            part.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout.addWidget(self.message)
        layout.addSpacing(SPACE)
        layout.addWidget(self._done)
        layout.addWidget(self.action)
        layout.addStretch(1)
        self._scroll.setWidget(inside)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(3 * SPACE, SPACE, 3 * SPACE, 2 * SPACE)
        buttons.setSpacing(2 * SPACE)
        for button in (self.open, self.go):
            buttons.addWidget(button)
        buttons.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._scroll, 1)
        whole.addLayout(buttons)

    def minimumSizeHint(self) -> QSize:
        """Qt override; it scrolls."""
        return QSize(200, 60)

    def _dress(self) -> None:
        self.word.setFont(text_font(self.font(), strong=True))
        places = "#finding_details, QScrollArea, QScrollArea > QWidget > QWidget"
        self.setStyleSheet(f"{places} {{ background: {self._theme.surface}; }}")
        if self._severity:
            colour = getattr(self._theme, self._severity)
            self._mark.setPixmap(icon_pixmap(self._severity, colour, MARK, self.devicePixelRatioF()))


def go_words(place: Place, benchmark: Benchmark) -> str:
    """``"Go to K2, Q05"``: what a finding is about in the program itself; "" for nothing."""
    if place.run is None:
        return ""
    words = f"Go to {benchmark.runs[place.run].name}"
    return words if place.query is None else f"{words}, {benchmark.queries.ids[place.query]}"


def _as_sentence(words: str) -> str:
    return words[:1].upper() + words[1:]
