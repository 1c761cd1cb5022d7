"""Command palette: find and run commands, or select queries, runs, measures and panels."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Slot,
)
from PySide6.QtGui import QFont, QFontMetricsF, QKeyEvent, QKeySequence, QPainter, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
)

from shrec_viewer.app.commands import COMMANDS, command_text
from shrec_viewer.app.commands.command import WindowInterface
from shrec_viewer.app.commands.plots import PLOT_PANELS
from shrec_viewer.app.dialogs.fuzzy_search import best_matches
from shrec_viewer.widgets.style.theme import RADIUS, SPACE, current_theme, text_font

MESH_VIEW = "model_view"
"""Key of the row of `PANELS` whose models turn."""


@dataclass(frozen=True)
class PaletteEntry:
    """One thing to choose.

    Attributes
    ----------
    key : what is remembered, ``"command:reload"``; the part before the colon says what `name` is.
    text : what is looked through and shown.
    where : menu or kind, shown quietly.
    keys : shortcut; "" for none.
    why_not : why it cannot be done now; "" where it can.
    """

    key: str
    text: str
    where: str
    keys: str = ""
    why_not: str = ""

    @property
    def kind(self) -> str:
        """A command, query, run, run to compare, measure, panel, graph, the 3D view (``"orbit"``), or recent."""
        return self.key.partition(":")[0]

    @property
    def name(self) -> str:
        """What stands behind the kind."""
        return self.key.partition(":")[2]


def all_entries(frame: WindowInterface) -> list[PaletteEntry]:
    """All that can be chosen now, and the commands that cannot, with the reason."""
    return [
        *_commands(frame),
        *_selections(frame),
        *_panels(frame),
        *_plots(frame),
        *_mesh_view(frame),
        *_recent(frame),
    ]


def run_entry(frame: WindowInterface, entry: PaletteEntry) -> None:
    """Do it."""
    session = frame.session
    if entry.kind == "command":
        frame.menus.actions[entry.name].trigger()
    elif entry.kind == "recent":
        frame.open_path(Path(entry.name))
    elif entry.kind == "panel":
        frame.workspace.go_to_panel(entry.name)
    elif entry.kind == "graph":
        _run_plot_entry(frame, *entry.name.split("/"))
    elif entry.kind == "orbit":
        frame.workspace.go_to_panel(MESH_VIEW)
        frame.workspace.panel(MESH_VIEW).view_grid.bar.actions_by_name[entry.name].trigger()
    elif session.benchmark is not None and entry.kind == "query":
        session.select(query=session.benchmark.queries.index.get(entry.name))
    elif session.benchmark is not None and entry.kind == "measure":
        session.select(measure=entry.name)
    elif session.benchmark is not None:
        places = {run.name: place for place, run in enumerate(session.benchmark.runs)}
        session.select(**{"run" if entry.kind == "run" else "compared": places.get(entry.name)})


def _commands(frame: WindowInterface) -> Iterator[PaletteEntry]:
    for command in COMMANDS:
        action = frame.menus.actions[command.key]
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        why_not = "" if command.enabled(frame) else disabled_reason(command.enabled.__doc__)
        yield PaletteEntry(f"command:{command.key}", action.text().replace("&", "").rstrip("…") or command_text(command),
                    command.menu.replace("/", " › "), keys, why_not)  # fmt: skip


def disabled_reason(need: str | None) -> str:
    """What a test needs, from its docstring: "needs: a benchmark is open"."""
    first = (need or "not now").strip().splitlines()[0].rstrip(".")
    return f"needs: {first[:1].lower()}{first[1:]}"


def _selections(frame: WindowInterface) -> Iterator[PaletteEntry]:
    session = frame.session
    if session is None or session.benchmark is None:
        return
    from shrec_viewer.viewmodels.text.labels import class_label

    benchmark = session.benchmark
    for name, label in zip(benchmark.queries.ids, benchmark.queries.labels, strict=True):
        words = class_label(benchmark, int(label))
        yield PaletteEntry(f"query:{name}", f"Go to query {name} {words}".rstrip(), "Query")
    for run in benchmark.runs:
        yield PaletteEntry(f"run:{run.name}", f"Select run {run.name}", run.participant)
    for run in benchmark.runs:
        yield PaletteEntry(f"compare:{run.name}", f"Compare with run {run.name}", run.participant)
    if session.scores is not None:
        for measure in session.scores.measures:
            yield PaletteEntry(f"measure:{measure.key}", f"Measure {measure.key}: {measure.label}", "Measure")


def _panels(frame: WindowInterface) -> Iterator[PaletteEntry]:
    if frame.session is None or frame.session.benchmark is None:
        return
    from shrec_viewer.panels import PANELS

    for panel in PANELS:
        yield PaletteEntry(f"panel:{panel.key}", f"Go to panel {panel.title}", "Panel")


def _plots(frame: WindowInterface) -> Iterator[PaletteEntry]:
    """Kinds and options of each graph; what one does with any graph is a command."""
    for key, title in _panel_titles(frame, PLOT_PANELS):
        head = frame.workspace.panel(key).header
        for place in range(head.kinds.count()):
            words = " ".join(head.kinds.itemText(place).split())
            yield PaletteEntry(f"graph:{key}/kind/{head.kinds.itemData(place)}", f"{title}: draw {words}", "Graph")
        for name, action in head.options.items():
            part = action.actionGroup().parent().title() + " " if action.actionGroup() is not None else ""
            state = "Graph, on" if action.isChecked() else "Graph"
            why_not = "" if action.isEnabled() else "not for this curve"
            yield PaletteEntry(f"graph:{key}/option/{name}", f"{title}: {part}{action.text()}", state, "", why_not)


def _run_plot_entry(frame: WindowInterface, key: str, what: str, name: str) -> None:
    frame.workspace.show_panel(key)
    head = frame.workspace.panel(key).header
    if what == "kind":
        head.select_kind(name)
    elif name in head.options:
        head.options[name].trigger()


def _mesh_view(frame: WindowInterface) -> Iterator[PaletteEntry]:
    """What keys and buttons of the 3D view do; stepping and leaving are for who is in it."""
    for _, title in _panel_titles(frame, (MESH_VIEW,)):
        from shrec_viewer.widgets.mesh_view.actions import MESH_VIEW_ACTIONS

        actions = frame.workspace.panel(MESH_VIEW).view_grid.bar.actions_by_name
        for row in MESH_VIEW_ACTIONS:
            if row.place != "none":
                state = f"{title}, on" if actions[row.name].isChecked() else title
                keys = QKeySequence(row.keys[0]).toString(QKeySequence.SequenceFormat.NativeText) if row.keys else ""
                why_not = "" if actions[row.name].isEnabled() else "not for what is shown"
                yield PaletteEntry(f"orbit:{row.name}", f"{title}: {row.text.rstrip('…')}", state, keys, why_not)


def _panel_titles(frame: WindowInterface, keys: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Key and title of those panels, where something is open."""
    if frame.session is None or frame.session.benchmark is None:
        return
    from shrec_viewer.panels import PANELS

    titles = {panel.key: panel.title for panel in PANELS}
    for key in keys:
        yield key, titles[key]


def _recent(frame: WindowInterface) -> Iterator[PaletteEntry]:
    for path in frame.settings.recent:
        yield PaletteEntry(f"recent:{path}", f"Open recent {Path(path).name}", path)


ENTRY_ROLE, MATCHES_ROLE = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1

ROW_HEIGHT = 32
"""Pixels of a row at the usual size of type; more where letters are larger."""

RowIndex = QModelIndex | QPersistentModelIndex


class PaletteDelegate(QStyledItemDelegate):
    """Paints an `PaletteEntry`."""

    def sizeHint(self, option: QStyleOptionViewItem, index: RowIndex) -> QSize:
        """Qt override."""
        return QSize(200, max(ROW_HEIGHT, round(option.fontMetrics.height() + 3 * SPACE)))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: RowIndex) -> None:
        """Qt override."""
        entry, places = index.data(ENTRY_ROLE), index.data(MATCHES_ROLE)
        if not isinstance(entry, PaletteEntry):
            return
        theme = current_theme()
        box = QRectF(option.rect).adjusted(SPACE, 1, -SPACE, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        state = option.state
        if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.setPen(Qt.PenStyle.NoPen)
            is_current = bool(state & QStyle.StateFlag.State_Selected)
            painter.setBrush(theme.colour("selection" if is_current else "hover"))
            painter.drawRoundedRect(box, RADIUS, RADIUS)
        line = box.adjusted(2 * SPACE, 0, -2 * SPACE, 0)
        room = line.adjusted(0, 0, -self._draw_right(painter, line, entry), 0)
        self._draw_name(painter, room, entry, places or ())
        painter.restore()

    def _draw_right(self, painter: QPainter, line: QRectF, entry: PaletteEntry) -> float:
        """Keys, or why it cannot be done, then where it stands; pixels taken."""
        theme, font = current_theme(), text_font(painter.font(), 0.92)
        quiet = entry.why_not or entry.where
        words = f"{quiet}    {entry.keys}" if entry.keys else quiet
        painter.setFont(font)
        painter.setPen(theme.colour("muted"))
        shown = QFontMetricsF(font).elidedText(words, Qt.TextElideMode.ElideLeft, line.width() * 0.55)
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, shown)
        return QFontMetricsF(font).horizontalAdvance(shown) + 3 * SPACE

    def _draw_name(self, painter: QPainter, room: QRectF, entry: PaletteEntry, places: tuple[int, ...]) -> None:
        """Letter by letter, so that those meant can be strong."""
        theme = current_theme()
        plain, strong = text_font(QFont()), text_font(QFont(), strong=True)
        painter.setPen(theme.colour("faint" if entry.why_not else "ink"))
        painter.setClipRect(room)
        x = room.left()
        for part, is_meant in _highlight_spans(entry.text, set(places)):
            font = strong if is_meant else plain
            painter.setFont(font)
            width = QFontMetricsF(font).horizontalAdvance(part)
            painter.drawText(QRectF(x, room.top(), width + 1, room.height()), Qt.AlignmentFlag.AlignVCenter, part)
            x += width


def _highlight_spans(text: str, places: set[int]) -> list[tuple[str, bool]]:
    """The text in pieces, with whether they were meant."""
    parts: list[tuple[str, bool]] = []
    for place, letter in enumerate(text):
        is_meant = place in places
        if parts and parts[-1][1] == is_meant:
            parts[-1] = (parts[-1][0] + letter, is_meant)
        else:
            parts.append((letter, is_meant))
    return parts


SIZE = QSize(620, 420)
"""Pixels: the longest command with its menu and keys, and a dozen rows."""

MAX_ROWS = 100
"""Rows shown; nobody walks further than that instead of typing another letter."""

MAX_RECENT_CHOICES = 12
"""Choices remembered: as many as are in sight before anything is typed."""

NAVIGATION_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
"""Keys that walk the list while the field keeps the focus."""

Index = QModelIndex | QPersistentModelIndex
NO_PARENT = QModelIndex()


class PaletteModel(QAbstractListModel):
    """The entries that fit, best first."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._rows: list[tuple[PaletteEntry, tuple[int, ...]]] = []

    def show_rows(self, rows: Sequence[tuple[PaletteEntry, tuple[int, ...]]]) -> None:
        """Show these, with the letters that were meant."""
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = NO_PARENT) -> int:
        """Qt override."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Qt override."""
        entry, places = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(text for text in (entry.text, entry.where, entry.keys, entry.why_not) if text)
        return {ENTRY_ROLE: entry, MATCHES_ROLE: places}.get(role)


class CommandPalette(QDialog):
    """Opened over the window; gone once something is chosen, or with Esc."""

    def __init__(self, frame: WindowInterface) -> None:
        super().__init__(frame.as_widget(), Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("palette")
        self.setWindowTitle("Find a command")
        self.setAccessibleName("Find a command")
        self._frame = frame
        self._entries = _recent_first(all_entries(frame), frame.settings.palette_recent)
        self._texts = [f"{entry.text} {entry.where}" for entry in self._entries]
        self.field, self.list, self._found = QLineEdit(), QListView(), PaletteModel(self)
        self._build()
        self.field.textChanged.connect(self._look)
        self.list.clicked.connect(self._choose)
        self._look("")

    def _build(self) -> None:
        self.field.setPlaceholderText("Command, query, run, measure or panel")
        self.field.setAccessibleName("Find a command, query, run, measure or panel")
        self.field.installEventFilter(self)
        self.list.setModel(self._found)
        self.list.setItemDelegate(PaletteDelegate(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setAccessibleName("What was found")
        self.list.setMouseTracking(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        layout.setSpacing(2 * SPACE)
        layout.addWidget(self.field)
        layout.addWidget(self.list, 1)

    def showEvent(self, event: QShowEvent) -> None:
        """Qt override; at the top of the window, in its middle."""
        super().showEvent(event)
        window = self._frame.as_widget()
        size = SIZE.boundedTo(window.size())
        self.resize(size)
        corner = window.mapToGlobal(window.rect().topLeft())
        self.move(corner.x() + (window.width() - size.width()) // 2, corner.y() + min(80, window.height() // 8))
        self.field.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; the field has the focus, the list the arrows."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in NAVIGATION_KEYS:
                self._walk(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose(self.list.currentIndex())
                return True
        return super().eventFilter(watched, event)

    def _walk(self, event: QKeyEvent) -> None:
        page = max(self.list.viewport().height() // max(self.list.sizeHintForRow(0), 1) - 1, 1)
        by = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -page, Qt.Key.Key_PageDown: page}
        count, row = self._found.rowCount(), self.list.currentIndex().row()
        if count:
            step = by[Qt.Key(event.key())]
            wanted = (row + step) % count if abs(step) == 1 else min(max(row + step, 0), count - 1)
            self.list.setCurrentIndex(self._found.index(wanted))

    @Slot(str)
    def _look(self, text: str) -> None:
        if text.strip():
            found = [(self._entries[place], match.places) for place, match in best_matches(text, self._texts, MAX_ROWS)]
        else:
            found = [(entry, ()) for entry in self._entries[:MAX_ROWS]]
        self._found.show_rows(found)
        self.list.setCurrentIndex(self._found.index(0))

    @Slot(QModelIndex)
    def _choose(self, index: QModelIndex) -> None:
        entry = index.data(ENTRY_ROLE)
        if not isinstance(entry, PaletteEntry) or entry.why_not:
            return
        frame = self._frame
        kept = (entry.key, *(key for key in frame.settings.palette_recent if key != entry.key))[:MAX_RECENT_CHOICES]
        frame.remember(replace(frame.settings, palette_recent=kept))
        self.close()
        run_entry(frame, entry)


def _recent_first(rows: list[PaletteEntry], recent: Sequence[str]) -> list[PaletteEntry]:
    """What was chosen before in front, newest first; what cannot be done now comes last among the others."""
    order = {key: place for place, key in enumerate(recent)}
    chosen = sorted((row for row in rows if row.key in order), key=lambda row: order[row.key])
    others = [row for row in rows if row.key not in order]
    return [*chosen, *(row for row in others if not row.why_not), *(row for row in others if row.why_not)]
