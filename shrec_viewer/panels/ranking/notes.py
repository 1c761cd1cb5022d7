"""Panel for the user's notes on queries."""

from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QPlainTextEdit

from shrec_viewer.charts.table import Table, TableColumn
from shrec_viewer.panels.export.content import ExportContent
from shrec_viewer.panels.panel import BasePanel
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import query_class
from shrec_viewer.widgets.controls.context_menu import open_text_menu
from shrec_viewer.widgets.controls.controls import ElidingLine, ScaledLabel
from shrec_viewer.widgets.controls.layouts import column_of
from shrec_viewer.widgets.controls.plain_text import ItemTooltips
from shrec_viewer.widgets.style.theme import SPACE

#: Maximum number of characters of a note in the list of all notes.
MAX_PREVIEW_CHARS = 60


class NoteEdit(QPlainTextEdit):
    """Text editor that uses the undo and redo commands of the window."""

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window: QPlainTextEdit accepts their ShortcutOverride even with undo disabled."""
        undo_keys = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)
        is_key = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if is_key and any(event.matches(key) for key in undo_keys):  # type: ignore[attr-defined]
            event.ignore()
            return False
        return super().event(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the text and of the panel."""
        open_text_menu(self, event)


class NotesPanel(BasePanel):
    """Editor for the note on the selected query, and the list of all notes."""

    def __init__(self, session: Session) -> None:
        super().__init__("note")
        self._session = session
        self._is_updating_text = False
        self.title, self.others_title = ElidingLine(), ScaledLabel(bold=True)
        self.field, self.others = NoteEdit(), QListWidget()
        ItemTooltips(self.others)
        self._build()
        self.field.textChanged.connect(self._write)
        self.others.itemActivated.connect(self._select_query)
        self.others.itemClicked.connect(self._select_query)
        session.changed.connect(self._follow_session)
        self._show()

    def export(self) -> ExportContent:
        """All notes; a table and no request, as a command reads no notes."""
        rows = tuple((name, self._session.edits.notes[name]) for name in self._ids())
        return ExportContent(table=Table("notes", "Notes", (TableColumn("query"), TableColumn("note")), rows))

    def start_writing(self) -> None:
        """Focus the editor with the cursor at the end of the note."""
        self.field.setFocus()
        self.field.moveCursor(self.field.textCursor().MoveOperation.End)

    def _build(self) -> None:
        self.field.setUndoRedoEnabled(False)
        self.field.setTabChangesFocus(True)
        self.field.setPlaceholderText("Note on this query. Notes are saved with the project.")
        self.others.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.others.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.others.setAccessibleName("All notes")
        parts = self.title, (self.field, 2), self.others_title, (self.others, 3)
        self.content.setLayout(column_of(*parts, spacing=2 * SPACE, margins=(2 * SPACE, SPACE, 2 * SPACE, 2 * SPACE)))

    @property
    def _query(self) -> str:
        """Id of the selected query, "" for none."""
        benchmark, query = self._session.benchmark, self._session.selection.query
        return "" if query == NOTHING else benchmark.queries.ids[query]

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "benchmark", "query"):
            self._show()
        elif new.differs(old, "notes"):
            self._show_notes()

    def _show(self) -> None:
        benchmark = self._session.benchmark
        if not self._query:
            self.show_empty("No query", "Notes are written on queries. Open a benchmark with queries.")
            return
        self.show_content()
        class_name = query_class(benchmark, self._session.selection.query)
        self.title.setText(f"{self._query}  {class_name}".rstrip())
        self.field.setAccessibleName(f"Note on {self._query} {class_name}".rstrip())
        self._show_notes()

    def _show_notes(self) -> None:
        text = self._session.edits.note(self._query)
        if self.field.toPlainText() != text:
            self._is_updating_text = True
            self.field.setPlainText(text)
            self.field.moveCursor(self.field.textCursor().MoveOperation.End)
            self._is_updating_text = False
        self._show_all_notes()

    def _ids(self) -> list[str]:
        """Queries with notes in the order of the benchmark, then those that no longer exist."""
        benchmark = self._session.benchmark
        index = benchmark.queries.index
        return sorted(self._session.edits.notes, key=lambda name: (index.get(name, len(index)), name))

    def _show_all_notes(self) -> None:
        """List all notes."""
        ids, notes = self._ids(), self._session.edits.notes
        self.others.clear()
        for name in ids:
            line = " ".join(notes[name].split())
            item = QListWidgetItem(f"{name}  {line[:MAX_PREVIEW_CHARS]}{'…' if len(line) > MAX_PREVIEW_CHARS else ''}")
            item.setData(Qt.ItemDataRole.UserRole, name)
            item.setToolTip(notes[name])
            self.others.addItem(item)
        self.others_title.setText(f"{len(ids)} note{'' if len(ids) == 1 else 's'}")
        for part in (self.others, self.others_title):
            part.setVisible(bool(ids))

    @Slot()
    def _write(self) -> None:
        if not self._is_updating_text and self._query:
            self._session.edits.set_note(self._query, self.field.toPlainText())

    @Slot(QListWidgetItem)
    def _select_query(self, item: QListWidgetItem) -> None:
        if self._session.is_open:
            query = self._session.benchmark.queries.index.get(item.data(Qt.ItemDataRole.UserRole))
            self._session.select(query=query)
