"""Start page: demo, open, unsaved edits, recent benchmarks, drop target and shortcuts."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.widgets.controls.controls import ScaledLabel
from shrec_viewer.widgets.controls.layouts import Stretch, column_of, row_of
from shrec_viewer.widgets.controls.plain_text import PlainLabel, set_tooltip
from shrec_viewer.widgets.style.text import draw_text, measured_font
from shrec_viewer.widgets.style.theme import RADIUS, SPACE, Theme, current_theme, icon, icon_pixmap, text_font

#: Width of the column in lines of text: two buttons, or two shortcuts with their texts, next to each other.
COLUMN_LINES = 31

#: Maximum number of recent benchmarks shown, less the rows of unsaved edits; the menu has the others.
MAX_RECENT = 5

#: Maximum number of benchmarks with unsaved edits shown; the others follow when these are opened or discarded.
MAX_UNSAVED = 2


@dataclass(frozen=True)
class RecentBenchmark:
    """A benchmark opened before.

    Attributes
    ----------
    path : folder or file.
    name : title of the benchmark.
    missing : the path does not exist any more; shown disabled.
    detail : short description, ``"13 runs, 30 queries"``; "" for none.
    """

    path: str
    name: str
    missing: bool = False
    detail: str = ""


class RecentBenchmarkButton(QAbstractButton):
    """Button with name, path and contents of a recent benchmark."""

    def __init__(self, item: RecentBenchmark, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.item = item
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setEnabled(not item.missing)
        if not item.missing:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        missing = " (not found)" if item.missing else ""
        self.setAccessibleName(f"{item.name}, {item.path}{missing}")
        set_tooltip(self, item.path + missing)

    def sizeHint(self) -> QSize:
        """Two lines of text."""
        line = QFontMetricsF(text_font(self.font())).height()
        return QSize(round(COLUMN_LINES * line), round(2 * line + 3 * SPACE))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint name and folder."""
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        box, theme = QRectF(self.rect()).adjusted(1, 1, -1, -1), current_theme()
        if self.underMouse() and self.isEnabled():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("selection" if self.isDown() else "hover"))
            painter.drawRoundedRect(box, RADIUS, RADIUS)
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, RADIUS, RADIUS)
        self._draw_texts(painter, box.adjusted(2 * SPACE, SPACE, -2 * SPACE, -SPACE), theme)

    def _draw_texts(self, painter: QPainter, box: QRectF, theme: Theme) -> None:
        bold, small = measured_font(self.font(), bold=True), measured_font(self.font(), 0.92)
        ink, muted = (theme.colour(token if self.isEnabled() else "faint") for token in ("ink", "muted"))
        upper = QRectF(box.left(), box.center().y() - bold.height, box.width(), bold.height)
        parts = (self.item.detail, "not found" if self.item.missing else "")
        detail = ", ".join(part for part in parts if part)
        draw_text(painter, upper, detail, small, muted, right=True)
        lower = upper.translated(0, bold.height)
        draw_text(painter, lower, self.item.path, small, muted, Qt.TextElideMode.ElideMiddle)
        upper.setRight(upper.right() - small.width(detail) - 2 * SPACE)
        draw_text(painter, upper, self.item.name, bold, ink)


class UnsavedRow(QWidget):
    """A benchmark with unsaved edits: a button that opens it, and one that discards them.

    Signals
    -------
    discard_requested(str)
        Discard the edits of the benchmark with this path.
    """

    discard_requested = Signal(str)

    def __init__(self, item: RecentBenchmark, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.open_button = RecentBenchmarkButton(item)
        self.discard_button = QToolButton()
        self.discard_button.setText("Discard…")
        self.discard_button.setAccessibleName(f"Discard the unsaved edits of {item.name}")
        set_tooltip(self.discard_button, "Delete the unsaved edits")
        self.discard_button.clicked.connect(self._discard)
        self.setLayout(row_of((self.open_button, 1), self.discard_button, margins=(0, 0, SPACE, 0)))

    @Slot()
    def _discard(self) -> None:
        self.discard_requested.emit(self.open_button.item.path)


def _box_of_rows() -> tuple[QFrame, QVBoxLayout]:
    box = QFrame()
    box.setObjectName("welcome_recent")
    rows = column_of(spacing=0, margins=SPACE)
    box.setLayout(rows)
    return box, rows


class WelcomePage(QWidget):
    """Start page with buttons, benchmarks with unsaved edits, recent benchmarks and shortcuts.

    Signals
    -------
    demo_requested()
        Open the bundled benchmark.
    tour_requested()
        Start the tour of the bundled benchmark.
    open_requested()
        Choose a folder to open.
    recent_requested(str)
        Open the recent benchmark with this path, or the one with unsaved edits.
    discard_requested(str)
        Discard the unsaved edits of the benchmark with this path.
    """

    demo_requested = Signal()
    tour_requested = Signal()
    open_requested = Signal()
    recent_requested = Signal(str)
    discard_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dropping = False
        self._logo, self._title = PlainLabel(), ScaledLabel("SHREC Viewer", 2.0, bold=True)
        self._subtitle = PlainLabel("Inspect rankings of 3D shape retrieval and how their scores are computed.")
        self._demo = QPushButton("Open the demo")
        self._open = QPushButton("Open a benchmark…")
        self._tour = QPushButton("Take the five-minute tour")
        self._tour.setProperty("link", True)
        self._hint, self._recent_title = PlainLabel("or drop a folder here"), ScaledLabel("Recent", 0.92, bold=True)
        self._recent_box, self._recent = _box_of_rows()
        self._rows: list[RecentBenchmarkButton] = []
        self._items: Sequence[RecentBenchmark] = ()
        self._unsaved_title = ScaledLabel("Unsaved edits", 0.92, bold=True)
        self._unsaved_box, self._unsaved = _box_of_rows()
        self._unsaved_rows: list[UnsavedRow] = []
        self._shortcuts = QGridLayout()
        self._keys: list[QLabel] = []
        self._demo.setProperty("primary", True)
        self._tour.clicked.connect(self.tour_requested)
        self._frame = QWidget()
        self._demo.clicked.connect(self.demo_requested)
        self._open.clicked.connect(self.open_requested)
        self._build()
        self.set_unsaved(())
        self._update_style()

    def set_unsaved(self, items: Sequence[RecentBenchmark]) -> None:
        """Show benchmarks whose edits were not saved, newest first; at most `MAX_UNSAVED`."""
        for row in self._unsaved_rows:
            self._unsaved.removeWidget(row)
            row.deleteLater()
        self._unsaved_rows = [UnsavedRow(item) for item in items[:MAX_UNSAVED]]
        for row in self._unsaved_rows:
            row.open_button.clicked.connect(self._on_recent_clicked)
            row.discard_requested.connect(self.discard_requested)
            self._unsaved.addWidget(row)
        self._recent_title.setContentsMargins(0, 4 * SPACE if self._unsaved_rows else 0, 0, 2 * SPACE)
        self._unsaved_title.setVisible(bool(self._unsaved_rows))
        self._unsaved_box.setVisible(bool(self._unsaved_rows))
        self.set_recent(self._items)

    def set_recent(self, items: Sequence[RecentBenchmark]) -> None:
        """Show these benchmarks, newest first; at most `MAX_RECENT`."""
        self._items = items
        for row in self._rows:
            self._recent.removeWidget(row)
            row.deleteLater()
        self._rows = [RecentBenchmarkButton(item) for item in items[: MAX_RECENT - len(self._unsaved_rows)]]
        for row in self._rows:
            row.clicked.connect(self._on_recent_clicked)
            self._recent.addWidget(row)
        self._recent_title.setVisible(bool(self._rows))
        self._recent_box.setVisible(bool(self._rows))

    def set_shortcuts(self, shortcuts: Sequence[tuple[str, str]]) -> None:
        """Show shortcuts in two columns: ``[("Ctrl+O", "Open a benchmark")]``."""
        for label in self._keys:
            self._shortcuts.removeWidget(label)
            label.deleteLater()
        self._keys = []
        for index, (key, text) in enumerate(shortcuts):
            row, column = divmod(index, 2)
            key_label, text_label = PlainLabel(key), PlainLabel(text, muted=True)
            key_label.setProperty("keycap", True)
            self._shortcuts.addWidget(key_label, row, 3 * column, Qt.AlignmentFlag.AlignRight)
            self._shortcuts.addWidget(text_label, row, 3 * column + 1)
            self._keys += [key_label, text_label]

    def set_dropping(self, dropping: bool) -> None:
        """Show the drop target while a folder is dragged over the window."""
        self._dropping = dropping
        self._hint.setText("Drop to open" if dropping else "or drop a folder here")
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._update_style()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the drop target."""
        if not self._dropping:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(current_theme().colour("accent"), 2, Qt.PenStyle.DashLine))
        painter.setBrush(current_theme().colour("selection", 0.5))
        edge = 3 * SPACE
        painter.drawRoundedRect(self.rect().adjusted(edge, edge, -edge, -edge), 2 * RADIUS, 2 * RADIUS)

    def _build(self) -> None:
        for button in (self._demo, self._open):
            button.setMinimumHeight(9 * SPACE)
            button.setIconSize(QSize(18, 18))
        self._subtitle.setWordWrap(True)
        self._shortcuts.setHorizontalSpacing(2 * SPACE)
        self._shortcuts.setVerticalSpacing(2 * SPACE)
        self._shortcuts.setColumnStretch(1, 1)
        self._shortcuts.setColumnStretch(4, 1)
        for part in (self._logo, self._title, self._subtitle, self._hint):
            part.setAlignment(Qt.AlignmentFlag.AlignCenter)
        lists = (self._unsaved_title, self._unsaved_box, self._recent_title, self._recent_box)
        for title in (self._unsaved_title, self._recent_title):
            title.setContentsMargins(0, 0, 0, 2 * SPACE)  # not a spacing, which hidden widgets would leave
        head = (self._logo, 4 * SPACE, self._title, SPACE, self._subtitle, 7 * SPACE)
        buttons = row_of((self._demo, 1), (self._open, 1), spacing=3 * SPACE)
        tour = (self._tour, Qt.AlignmentFlag.AlignHCenter)
        ways = (buttons, 3 * SPACE, self._hint, 2 * SPACE, tour, 6 * SPACE)
        parts = (Stretch(2), *head, *ways, *lists, 7 * SPACE, self._shortcuts, Stretch(3))
        self._frame.setLayout(column_of(*parts, spacing=0))
        page, area = QWidget(), QScrollArea()  # with large text and several benchmarks, higher than a small window
        page.setLayout(row_of(Stretch(), (self._frame, 100), Stretch()))
        area.setWidget(page)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for transparent in (area.viewport(), page):
            transparent.setAutoFillBackground(False)  # the page paints the drop target
        self.setLayout(column_of(area, margins=0))

    def changeEvent(self, event: QEvent) -> None:
        """Qt override; the width of the column is in lines of text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._update_style()

    def _update_style(self) -> None:
        ratio = self.devicePixelRatioF()
        self._frame.setMaximumWidth(COLUMN_LINES * self.fontMetrics().height())
        self._logo.setPixmap(icon_pixmap("shrec-viewer", current_theme().accent, 72, ratio))
        self._subtitle.setProperty("muted", True)
        self._hint.setProperty("muted", True)
        for title in (self._unsaved_title, self._recent_title):
            title.setProperty("muted", True)
        if self.isVisible():
            self._set_icons()

    def showEvent(self, event: QShowEvent) -> None:
        """Load the icons; a program started with a benchmark never shows this page."""
        super().showEvent(event)
        self._set_icons()

    def _set_icons(self) -> None:
        self._demo.setIcon(icon("play", current_theme(), "accent_ink"))
        self._open.setIcon(icon("folder-open", current_theme()))

    def _on_recent_clicked(self) -> None:
        row = self.sender()
        if isinstance(row, RecentBenchmarkButton):
            self.recent_requested.emit(row.item.path)
