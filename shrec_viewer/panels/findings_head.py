"""What stands above the findings: how many of each weight, which of them to show, and what to do with them."""

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from shrec_viewer.domain import Severity
from shrec_viewer.viewmodels.findings_model import severity_word
from shrec_viewer.viewmodels.words import count_words
from shrec_viewer.widgets.icons import icon
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme

SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.INFO)
"""The gravest first."""

FILTER_WIDTHS = (72, 260)
"""Pixels of the field at least and at most: a few letters, a few words."""

LEAST, SHORT = 55, 92
"""Mean letters of width at least, and below which the line says all in short."""

TYPING_MS = 120
"""Milliseconds after the last key until the table is filtered: nobody types slower, nobody waits longer."""


class FindingsHead(QWidget):
    """Switches, a field and buttons in one line.

    Signals
    -------
    filter_picked()
        `severities` or `text` are others.
    copy_requested(), export_requested(), import_requested()
        The buttons.
    """

    filter_picked = Signal()
    copy_requested = Signal()
    export_requested = Signal()
    import_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.switches = {severity: QToolButton() for severity in SEVERITIES}
        self.field = QLineEdit()
        self.shown = QLabel()
        self.copy, self.export, self.settings = QToolButton(), QToolButton(), QToolButton()
        self._counts: Mapping[Severity, int] = dict.fromkeys(SEVERITIES, 0)
        self._typing = QTimer(self, interval=TYPING_MS, singleShot=True)
        self._build()
        for switch in self.switches.values():
            switch.toggled.connect(self._tell_filter)
        self.field.textChanged.connect(self._wait_for_more)
        self._typing.timeout.connect(self._tell_filter)
        self.copy.clicked.connect(self.copy_requested)
        self.export.clicked.connect(self.export_requested)
        self.settings.clicked.connect(self.import_requested)

    @property
    def severities(self) -> frozenset[Severity]:
        """Those to show."""
        return frozenset(severity for severity, switch in self.switches.items() if switch.isChecked())

    @property
    def text(self) -> str:
        """Words that must occur."""
        return self.field.text()

    def set_counts(self, counts: dict[Severity, int], shown: int, total: int) -> None:
        """Show how many findings there are."""
        self._counts = counts
        self._say()
        self.shown.setText("" if shown == total else self.tr("{n} of {m} shown").format(n=f"{shown:,}", m=f"{total:,}"))
        self.export.setEnabled(shown > 0)
        self.copy.setEnabled(shown > 0)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        for severity, switch in self.switches.items():
            switch.setIcon(icon(severity.value, theme, severity.value))

    def minimumSizeHint(self) -> QSize:
        """Qt override; the room of the short words, so that a narrow dock can be had."""
        return QSize(round(LEAST * QFontMetricsF(self.font()).averageCharWidth()), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._say()

    def _say(self) -> None:
        """Words in full, or numbers and the first words where there is no room."""
        short = self.width() < SHORT * QFontMetricsF(self.font()).averageCharWidth()
        for severity, switch in self.switches.items():
            words = count_words(self._counts[severity], severity_word(severity))
            switch.setText(f"{self._counts[severity]:,}" if short else words)
            switch.setAccessibleName(words)
            switch.setEnabled(self._counts[severity] > 0)
        self.settings.setText(self.tr("Import…") if short else self.tr("Import settings…"))
        self.copy.setVisible(not short)  # Ctrl+C and the menu of the table do the same

    def _build(self) -> None:
        line = QHBoxLayout(self)
        line.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, SPACE)
        line.setSpacing(SPACE)
        for place, (severity, switch) in enumerate(self.switches.items()):
            switch.setCheckable(True)
            switch.setChecked(True)
            switch.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            switch.setIconSize(QSize(14, 14))
            switch.setToolTip(self.tr("Show or hide {kind}s").format(kind=severity_word(severity)))
            switch.setProperty("segment", ("first", "inner", "last")[place])
            line.addWidget(switch)
            line.setSpacing(0)
        line.addSpacing(2 * SPACE)
        self.field.setPlaceholderText(self.tr("Filter by file or words"))
        self.field.setAccessibleName(self.tr("Filter the findings"))
        self.field.setClearButtonEnabled(True)
        self.field.setMinimumWidth(FILTER_WIDTHS[0])
        self.field.setMaximumWidth(FILTER_WIDTHS[1])
        line.addWidget(self.field, 1)
        line.addSpacing(2 * SPACE)
        self.shown.setProperty("muted", True)
        line.addWidget(self.shown)
        line.addStretch(1)
        texts = (self.tr("Import settings…"), self.tr("Copy"), self.tr("Export…"))
        tips = (
            self.tr("See how a run is read, and have it read otherwise"),
            self.tr("Copy the selected findings, or all that are shown (Ctrl+C)"),
            self.tr("Write all that are shown into a file: text, CSV or JSON"),
        )
        for button, text, tip in zip((self.settings, self.copy, self.export), texts, tips, strict=True):
            button.setText(text)
            button.setToolTip(tip)
            line.addWidget(button)
            line.addSpacing(SPACE)
        self.set_theme(current_theme())

    @Slot()
    def _tell_filter(self) -> None:
        self._typing.stop()
        self.filter_picked.emit()

    @Slot()
    def _wait_for_more(self) -> None:
        self._typing.start()
