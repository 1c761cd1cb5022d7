"""Command palette: find and run commands, or select queries, runs, measures and panels."""

from collections.abc import Iterator, Sequence
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
from PySide6.QtGui import QFont, QKeyEvent, QKeySequence, QPainter, QShowEvent
from PySide6.QtWidgets import (
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from shrec_viewer.app.commands import COMMANDS, command_text
from shrec_viewer.app.commands.command import WindowInterface
from shrec_viewer.app.dialogs.fuzzy_search import best_matches
from shrec_viewer.app.dialogs.standard_dialogs import WindowDialog
from shrec_viewer.app.help.pages import guide_headings
from shrec_viewer.content.data import class_name
from shrec_viewer.panels import all_panels, panels_by_key
from shrec_viewer.widgets.controls.layouts import column_of
from shrec_viewer.widgets.controls.markdown_page import heading_slug
from shrec_viewer.widgets.controls.plain_text import ItemTooltips, PlainLabel, plain_tooltip, without_mnemonic
from shrec_viewer.widgets.mesh_view.actions import MESH_VIEW_ACTIONS
from shrec_viewer.widgets.style.text import draw_text, measured_font
from shrec_viewer.widgets.style.theme import RADIUS, SPACE, current_theme

#: Key of the 3D view in `PANELS`.
MESH_VIEW = "mesh_view"

NATIVE_TEXT = QKeySequence.SequenceFormat.NativeText


@dataclass(frozen=True)
class PaletteEntry:
    """An entry of the command palette.

    Attributes
    ----------
    key : kind and name, ``"command:reload"``; stored in the settings when the entry is chosen.
    text : text that is shown and searched.
    context : menu or kind, shown at the right and searched.
    keys : shortcut; "" for none.
    disabled_reason : why it cannot be chosen; "" if it can.
    description : what it does or is, shown after the text and searched.
    """

    key: str
    text: str
    context: str
    keys: str = ""
    disabled_reason: str = ""
    description: str = ""

    @property
    def details(self) -> str:
        """What is searched besides the text."""
        return f"{self.context} {self.keys} {self.description}"

    @property
    def kind(self) -> str:
        """``command``, ``query``, ``run``, ``compare``, ``measure``, ``panel``, ``graph``, ``mesh_view``, ``help``."""
        return self.key.partition(":")[0]

    @property
    def name(self) -> str:
        """The part of the key after the kind."""
        return self.key.partition(":")[2]


def all_entries(window: WindowInterface) -> list[PaletteEntry]:
    """All entries in the current state of the window."""
    entries = [*_command_entries(window)]
    if window.session is not None and window.session.is_open:
        entries += [*_selection_entries(window), *_panel_entries(), *_plot_entries(window), *_mesh_view_entries(window)]
    for page, heading in guide_headings():
        entries.append(PaletteEntry(f"help:{page.key}#{heading_slug(heading)}", heading, f"Help › {page.title}"))
    entries += [
        PaletteEntry(f"recent:{path}", f"Open recent {Path(path).name}", path) for path in window.settings.recent
    ]
    return entries


def run_entry(window: WindowInterface, entry: PaletteEntry) -> None:
    """Run or select an entry; does nothing if its query, run or measure no longer exists."""
    session = window.session
    if entry.kind == "command":
        window.menus.actions[entry.name].trigger()
    elif entry.kind == "recent":
        window.open_path(Path(entry.name))
    elif entry.kind == "help":
        window.show_help(*entry.name.split("#"))
    elif entry.kind == "panel":
        window.workspace.go_to_panel(entry.name)
    elif entry.kind == "graph":
        _run_plot_entry(window, *entry.name.split("/"))
    elif entry.kind == "mesh_view":
        window.workspace.go_to_panel(MESH_VIEW)
        window.workspace.panel(MESH_VIEW).view_grid.bar.actions_by_name[entry.name].trigger()
    elif entry.kind == "query":
        session.select(query=session.benchmark.queries.index.get(entry.name))
    elif entry.kind == "measure":
        session.select(measure=entry.name)
    else:
        indices = {run.name: index for index, run in enumerate(session.benchmark.runs)}
        session.select(**{"run" if entry.kind == "run" else "compared": indices.get(entry.name)})


def _command_entries(window: WindowInterface) -> Iterator[PaletteEntry]:
    panels = panels_by_key()
    for command in COMMANDS:
        action = window.menus.actions[command.key]
        text = without_mnemonic(action.text()).rstrip("…") or command_text(command)
        keys = action.shortcut().toString(NATIVE_TEXT)
        reason = "" if command.enabled(window) else f"needs: {command.enabled.needs}"
        context = command.menu.replace("/", " › ")
        if command.scope in panels:
            context = f"{context} · {panels[command.scope].title}"
        yield PaletteEntry(f"command:{command.key}", text, context, keys, reason, command.description)


def _selection_entries(window: WindowInterface) -> Iterator[PaletteEntry]:
    benchmark, scores = window.session.benchmark, window.session.scores
    for name, label in zip(benchmark.queries.ids, benchmark.queries.labels, strict=True):
        text = f"Go to query {name} {class_name(benchmark, int(label))}".rstrip()
        yield PaletteEntry(f"query:{name}", text, "Query")
    for run in benchmark.runs:
        yield PaletteEntry(f"run:{run.name}", f"Select run {run.name}", run.participant)
    for run in benchmark.runs:
        yield PaletteEntry(f"compare:{run.name}", f"Compare with run {run.name}", run.participant)
    if scores is not None:
        for measure in scores.measures:
            text = f"Measure {measure.key}: {measure.label}"
            yield PaletteEntry(f"measure:{measure.key}", text, "Measure", description=measure.definition)


def _panel_entries() -> Iterator[PaletteEntry]:
    for panel in all_panels():
        text = f"Go to panel {panel.title}"
        yield PaletteEntry(f"panel:{panel.key}", text, "Panel", description=panel.description)


def _plot_entries(window: WindowInterface) -> Iterator[PaletteEntry]:
    """Kinds of curves and options of each plot; actions that apply to every plot are commands."""
    for panel in all_panels():
        if not panel.is_plot:
            continue
        header = window.workspace.panel(panel.key).header
        for index in range(header.kinds.count()):
            kind = " ".join(header.kinds.itemText(index).split())
            key = f"graph:{panel.key}/kind/{header.kinds.itemData(index)}"
            tip = str(header.kinds.itemData(index, Qt.ItemDataRole.ToolTipRole) or "")
            description = f"{header.kinds.itemData(index)}: {tip}"
            yield PaletteEntry(key, f"{panel.title}: show {kind}", "Plot", description=description)
        for (name, value), action in header.options.items():
            group = action.actionGroup().parent().title() + " " if action.actionGroup() is not None else ""
            option = without_mnemonic(action.text())
            context = "Plot (on)" if action.isChecked() else "Plot"
            reason = "" if action.isEnabled() else "not available for this curve"
            text = f"{panel.title}: {without_mnemonic(group)}{option}"
            key, tip = f"graph:{panel.key}/option/{_option_key(name, value)}", plain_tooltip(action)
            yield PaletteEntry(key, text, context, "", reason, tip if tip != option else "")


def _run_plot_entry(window: WindowInterface, panel: str, group: str, name: str) -> None:
    window.workspace.show_panel(panel)
    plot = window.workspace.panel(panel)
    if group == "kind":
        plot.select_kind(name)
    for option, action in plot.header.options.items():
        if group == "option" and _option_key(*option) == name:
            action.trigger()


def _option_key(name: str, value: object) -> str:
    """Key of an entry of an option: ``"show=random"``; the name of the option alone for one that is on or off."""
    return name if value is None else f"{name}={value}"


def _mesh_view_entries(window: WindowInterface) -> Iterator[PaletteEntry]:
    """Actions of the 3D view, except those that are useful only while it has the focus."""
    title = panels_by_key()[MESH_VIEW].title
    actions = window.workspace.panel(MESH_VIEW).view_grid.bar.actions_by_name
    for row in MESH_VIEW_ACTIONS:
        if row.location != "none":
            context = f"{title} (on)" if actions[row.name].isChecked() else title
            keys = QKeySequence(row.keys[0]).toString(NATIVE_TEXT) if row.keys else ""
            reason = "" if actions[row.name].isEnabled() else "not available for this model"
            text = f"{title}: {row.text.rstrip('…')}"
            yield PaletteEntry(f"mesh_view:{row.name}", text, context, keys, reason, row.tip)


ENTRY_ROLE, MATCHES_ROLE = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1

#: Height of a row in pixels at the default font size; larger fonts increase it.
ROW_HEIGHT = 32

RowIndex = QModelIndex | QPersistentModelIndex
NO_PARENT = QModelIndex()


class PaletteDelegate(QStyledItemDelegate):
    """Paints a `PaletteEntry`, with the matched characters in bold."""

    def sizeHint(self, option: QStyleOptionViewItem, index: RowIndex) -> QSize:
        """Height of a row; the list sets the width."""
        return QSize(200, max(ROW_HEIGHT, round(option.fontMetrics.height() + 3 * SPACE)))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: RowIndex) -> None:
        """Paint a command with its matched characters, context and keys."""
        entry, matches = index.data(ENTRY_ROLE), index.data(MATCHES_ROLE)
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
        left = line.adjusted(0, 0, -self._draw_context(painter, line, entry), 0)
        self._draw_text(painter, left, entry, matches or ())
        painter.restore()

    def _draw_context(self, painter: QPainter, line: QRectF, entry: PaletteEntry) -> float:
        """Draw the context or the reason, and the shortcut; returns their width in pixels."""
        theme, font = current_theme(), measured_font(painter.font(), 0.92)
        context = entry.disabled_reason or entry.context
        text = f"{context}    {entry.keys}" if entry.keys else context
        box = line.adjusted(line.width() * 0.45, 0, 0, 0)
        muted = theme.colour("muted")
        return draw_text(painter, box, text, font, muted, Qt.TextElideMode.ElideLeft, right=True) + 3 * SPACE

    def _draw_text(self, painter: QPainter, rect: QRectF, entry: PaletteEntry, matches: tuple[int, ...]) -> None:
        """Draw the text, and the description in the remaining width."""
        theme = current_theme()
        plain, bold = measured_font(QFont()), measured_font(QFont(), bold=True)
        ink, muted = (theme.colour("faint" if entry.disabled_reason else token) for token in ("ink", "muted"))
        painter.setClipRect(rect)
        x = rect.left()
        for span, is_match in _match_spans(entry.text, set(matches)):
            font = bold if is_match else plain
            x += draw_text(painter, QRectF(x, rect.top(), font.width(span) + 1, rect.height()), span, font, ink)
        if entry.description:
            rest = rect.adjusted(x - rect.left() + 3 * SPACE, 0, 0, 0)
            draw_text(painter, rest, " ".join(entry.description.split()), measured_font(QFont(), 0.92), muted)


def _match_spans(text: str, matches: set[int]) -> list[tuple[str, bool]]:
    """The text split where matched characters start and end."""
    spans: list[tuple[str, bool]] = []
    for index, character in enumerate(text):
        is_match = index in matches
        if spans and spans[-1][1] == is_match:
            spans[-1] = (spans[-1][0] + character, is_match)
        else:
            spans.append((character, is_match))
    return spans


#: Size of the palette in pixels: the longest entry fits with half of its description, and about twelve rows.
SIZE = QSize(760, 420)

#: Maximum number of rows shown.
MAX_ROWS = 1000

#: Number of chosen entries stored and listed first: as many as are visible without scrolling.
MAX_RECENT_ENTRIES = 12

#: Keys that move in the list while the field keeps the focus.
NAVIGATION_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class PaletteModel(QAbstractListModel):
    """The matching entries, best first."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._rows: list[tuple[PaletteEntry, tuple[int, ...]]] = []

    def set_rows(self, rows: Sequence[tuple[PaletteEntry, tuple[int, ...]]]) -> None:
        """Set entries, and the indices of their matched characters."""
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: RowIndex = NO_PARENT) -> int:
        """Number of matching commands."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: RowIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Text, tooltip and entry of a matching command."""
        entry, matches = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            parts = (entry.text, entry.description, entry.context, entry.keys, entry.disabled_reason)
            return ", ".join(text for text in parts if text)
        if role == Qt.ItemDataRole.ToolTipRole:
            return entry.description
        return {ENTRY_ROLE: entry, MATCHES_ROLE: matches}.get(role)


class CommandPalette(WindowDialog):
    """Popup over the window with a search field; closes when an entry is chosen, or with Esc."""

    def __init__(self, window: WindowInterface) -> None:
        super().__init__(window, "palette", "Find a command", Qt.WindowType.Popup)
        self.setAccessibleName("Find a command")
        self._window = window
        window.update_commands()  # actions that are disabled ignore `trigger`
        self._entries = _recent_first(all_entries(window), window.settings.palette_recent)
        self._texts = [(entry.text, entry.details) for entry in self._entries]
        self.field, self.list, self._model = QLineEdit(), QListView(uniformItemSizes=True), PaletteModel(self)
        self.no_match = PlainLabel(wraps=True, muted=True)
        self._build()
        self.field.textChanged.connect(self._search)
        self.list.clicked.connect(self._choose)
        self._search("")

    def _build(self) -> None:
        self.field.setPlaceholderText("Command, query, run, measure, panel or help")
        self.field.setAccessibleName("Find a command, query, run, measure, panel or section of the help")
        self.field.installEventFilter(self)
        self.list.setModel(self._model)
        self.list.setItemDelegate(PaletteDelegate(self.list))
        ItemTooltips(self.list)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setAccessibleName("Results")
        self.list.setMouseTracking(True)
        self.no_match.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.no_match.setContentsMargins(SPACE, SPACE, SPACE, SPACE)
        self.setLayout(column_of(self.field, (self.list, 1), (self.no_match, 1), spacing=2 * SPACE, margins=2 * SPACE))

    def showEvent(self, event: QShowEvent) -> None:
        """Move the palette to the top centre of the window."""
        super().showEvent(event)
        window = self._window
        size = SIZE.boundedTo(window.size())
        self.resize(size)
        corner = window.mapToGlobal(window.rect().topLeft())
        self.move(corner.x() + (window.width() - size.width()) // 2, corner.y() + min(80, window.height() // 8))
        self.field.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Pass navigation keys from the field to the list."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in NAVIGATION_KEYS:
                self._move_current(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose(self.list.currentIndex())
                return True
        return super().eventFilter(watched, event)

    def _move_current(self, event: QKeyEvent) -> None:
        """Move by a row, wrapping around, or by a page."""
        page = max(self.list.viewport().height() // max(self.list.sizeHintForRow(0), 1) - 1, 1)
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -page, Qt.Key.Key_PageDown: page}
        count, row = self._model.rowCount(), self.list.currentIndex().row()
        if count:
            step = steps[Qt.Key(event.key())]
            row = (row + step) % count if abs(step) == 1 else min(max(row + step, 0), count - 1)
            self.list.setCurrentIndex(self._model.index(row))

    @Slot(str)
    def _search(self, text: str) -> None:
        if text.strip():
            matches = best_matches(text, self._texts, MAX_ROWS)
            rows = [(self._entries[index], match.indices) for index, match in matches]
        else:
            rows = [(entry, ()) for entry in self._entries[:MAX_ROWS]]
        self._model.set_rows(rows)
        self.list.setCurrentIndex(self._model.index(0))
        self.list.setVisible(bool(rows))
        self.no_match.setVisible(not rows)
        self.no_match.setText(
            f"No command, query, run, measure, panel or section of the help matches “{text.strip()}”."
        )

    @Slot(QModelIndex)
    def _choose(self, index: QModelIndex) -> None:
        entry = index.data(ENTRY_ROLE)
        if not isinstance(entry, PaletteEntry) or entry.disabled_reason:
            return
        settings = self._window.settings
        recent = (entry.key, *(key for key in settings.palette_recent if key != entry.key))[:MAX_RECENT_ENTRIES]
        self._window.save_settings(replace(settings, palette_recent=recent))
        self.close()
        run_entry(self._window, entry)


def _recent_first(entries: list[PaletteEntry], recent: Sequence[str]) -> list[PaletteEntry]:
    """Chosen entries first, newest first; then the others, disabled ones last."""
    order = {key: index for index, key in enumerate(recent)}
    chosen = sorted((entry for entry in entries if entry.key in order), key=lambda entry: order[entry.key])
    others = [entry for entry in entries if entry.key not in order]
    enabled = [entry for entry in others if not entry.disabled_reason]
    return [*chosen, *enabled, *(entry for entry in others if entry.disabled_reason)]
