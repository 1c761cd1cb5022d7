"""Context menu actions for a query, a run and the selected model cards."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QObject, QPoint, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QAction, QDesktopServices, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractScrollArea, QMenu, QWidget

from shrec_viewer.evaluation.run_groups import members_of, pattern_of
from shrec_viewer.evaluation.virtual_runs import quoted_run_name
from shrec_viewer.panels.files.add_runs import RenameDialog
from shrec_viewer.panels.files.run_lists import choose_and_save_lists
from shrec_viewer.panels.files.virtual_run_dialog import VirtualRunDialog
from shrec_viewer.printable import separated_text
from shrec_viewer.viewmodels.files.run_submission import can_rename, remove_runs, restore_removed_runs
from shrec_viewer.viewmodels.ranking.ranked_list import RankedListModel
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.cards.card_grid import CardGrid
from shrec_viewer.widgets.controls.context_menu import ContextMenu
from shrec_viewer.widgets.controls.plain_text import escape_mnemonic
from shrec_viewer.widgets.style.relevance import BINARY_LEVEL_NAMES, LEVEL_NAMES


def context_menu(parent: QWidget) -> QMenu:
    """An empty context menu that is deleted when it closes, and ends with the actions of the panel."""
    return ContextMenu(parent)


def popup_in(view: QAbstractScrollArea, menu: QMenu, position: QPoint) -> None:
    """Open a context menu at a position in the viewport of a view; does not block."""
    menu.popup(view.viewport().mapToGlobal(position))


class QueryActions(QObject):
    """Adds the actions for one query to a menu.

    Parameters
    ----------
    query : index of the query in the benchmark.
    menu : the menu; parent of this object.
    """

    def __init__(self, session: Session, query: int, menu: QMenu) -> None:
        super().__init__(menu)
        self._session = session
        self._query = query
        self._id = session.benchmark.queries.ids[query]
        menu.addAction(f"&Show ranked list of {escape_mnemonic(self._id)}").triggered.connect(self._show_list)
        open_model = menu.addAction("&Open in 3D")
        open_model.setEnabled(session.benchmark.queries.paths[query] is not None)
        open_model.triggered.connect(self._open_model)
        menu.addAction("Lists of &all runs").triggered.connect(self._show_all_runs)
        menu.addAction("Edit &note…").triggered.connect(self._edit_note)
        menu.addSeparator()
        menu.addAction("Copy query &id").triggered.connect(self._copy_id)

    @Slot()
    def _show_list(self) -> None:
        self._session.select(query=self._query)
        self._session.cursor_state.request_view("ranked_list")

    @Slot()
    def _open_model(self) -> None:
        self._session.select(query=self._query)
        self._session.cursor_state.request_view("mesh_view")

    @Slot()
    def _show_all_runs(self) -> None:
        self._session.select(query=self._query)
        self._session.cursor_state.request_view("matrix")

    @Slot()
    def _edit_note(self) -> None:
        self._session.select(query=self._query)
        self._session.cursor_state.note_requested.emit()

    @Slot()
    def _copy_id(self) -> None:
        QGuiApplication.clipboard().setText(self._id)


class RunActions(QObject):
    """Adds the actions for one run to a menu.

    Parameters
    ----------
    run : index of the run in the benchmark.
    menu : the menu; parent of this object.
    """

    def __init__(self, session: Session, run: int, menu: QMenu) -> None:
        super().__init__(menu)
        self._session = session
        self._run = run
        self._name = session.benchmark.runs[run].name
        selection, name = session.selection, escape_mnemonic(self._name)
        select = menu.addAction(f"&Select {name} as run A")
        select.setEnabled(run != selection.run)
        select.triggered.connect(self._select)
        is_run_b = selection.compared == run
        compare = menu.addAction(f"Stop &comparing with {name}" if is_run_b else f"&Compare with {name} (run B)")
        compare.setEnabled(is_run_b or run != selection.run)
        compare.triggered.connect(self._stop_comparison if is_run_b else self._compare)
        menu.addSeparator()
        is_shown, is_only = run in selection.visible_runs, selection.visible_runs == (run,)
        menu.addAction("&Hide in plots" if is_shown else "S&how in plots").triggered.connect(self._toggle)
        menu.addAction("Show &all runs" if is_only else "Show &only this run").triggered.connect(self._isolate)
        menu.addAction("Co&lour…").triggered.connect(self._choose_colour)
        default_colour = menu.addAction("&Default colour")
        default_colour.setEnabled(self._name in session.edits.colours)
        default_colour.triggered.connect(self._reset_colour)
        menu.addSeparator()
        if session.benchmark.runs[run].expression:
            menu.addAction("&Edit virtual run…").triggered.connect(self._edit)
        else:
            rename = menu.addAction("&Rename…")
            rename.setEnabled(can_rename(session, run))
            rename.triggered.connect(self._rename)
        menu.addAction("Sa&ve lists…").triggered.connect(self._save_lists)
        menu.addAction("Re&move from the list").triggered.connect(self._remove)
        restore = menu.addAction("Show remove&d runs")
        restore.setEnabled(bool(session.edits.edited.runs.removed))
        restore.triggered.connect(self._restore_removed)
        menu.addSeparator()
        menu.addAction("Copy run &name").triggered.connect(self._copy_name)

    @Slot()
    def _rename(self) -> None:
        menu = self.parent()
        if isinstance(menu, QMenu) and (view := menu.parentWidget()) is not None:
            RenameDialog(self._session, self._run, view.window()).open()

    @Slot()
    def _edit(self) -> None:
        menu = self.parent()
        if isinstance(menu, QMenu) and (view := menu.parentWidget()) is not None:
            VirtualRunDialog(self._session, view.window(), expression=self._name).open()

    @Slot()
    def _save_lists(self) -> None:
        menu = self.parent()
        if isinstance(menu, QMenu) and (view := menu.parentWidget()) is not None:
            choose_and_save_lists(self._session, self._run, view.window())

    @Slot()
    def _remove(self) -> None:
        remove_runs(self._session, [self._run])

    @Slot()
    def _restore_removed(self) -> None:
        restore_removed_runs(self._session)

    @Slot()
    def _select(self) -> None:
        self._session.select(run=self._run)

    @Slot()
    def _compare(self) -> None:
        self._session.select(compared=self._run)

    @Slot()
    def _stop_comparison(self) -> None:
        self._session.select(compared=NOTHING)

    @Slot()
    def _toggle(self) -> None:
        self._session.edits.toggle_run(self._run)

    @Slot()
    def _isolate(self) -> None:
        self._session.edits.isolate_run(self._run)

    @Slot()
    def _choose_colour(self) -> None:
        self._session.cursor_state.colour_requested.emit(self._run)

    @Slot()
    def _reset_colour(self) -> None:
        self._session.edits.set_colour(self._name, "")

    @Slot()
    def _copy_name(self) -> None:
        QGuiApplication.clipboard().setText(self._name)


class SeveralRunActions(QObject):
    """Adds the actions for several runs to a menu.

    Parameters
    ----------
    runs : indices of at least two runs, in the order shown.
    menu : the menu; parent of this object.

    Signals
    -------
    export_requested()
        The rows of these runs are to be written to a file.
    """

    export_requested = Signal()

    def __init__(self, session: Session, runs: Sequence[int], menu: QMenu) -> None:
        super().__init__(menu)
        self._session = session
        self._runs = tuple(runs)
        count = count_text(len(runs), "run")
        menu.addAction("&Compare these").triggered.connect(self._compare)
        menu.addAction("Show &only these").triggered.connect(self._isolate)
        menu.addAction(f"&Hide {count} in plots").triggered.connect(self._hide)
        menu.addAction("Com&bine these…").triggered.connect(self._combine)
        names = [run.name for run in session.benchmark.runs]
        self._pattern = pattern_of([names[run] for run in self._runs], names)
        is_group = self._pattern in session.selection.groups
        menu.addAction("Un&group these" if is_group else "&Group these").triggered.connect(self._group)
        menu.addAction(f"&Export {count}…").triggered.connect(self.export_requested)
        menu.addSeparator()
        menu.addAction(f"Remo&ve {count} from the list").triggered.connect(self._remove)

    @Slot()
    def _compare(self) -> None:
        """Select the first two as runs A and B, show these runs in plots, and open the comparison of their lists."""
        self._session.select(run=self._runs[0], compared=self._runs[1])
        self._isolate()
        self._session.cursor_state.request_lists(self._runs)
        self._session.cursor_state.request_view("compare")

    @Slot()
    def _isolate(self) -> None:
        self._session.select(shown_runs=sorted(self._runs))

    @Slot()
    def _hide(self) -> None:
        shown = set(self._session.selection.visible_runs) - set(self._runs)
        if shown:
            self._session.select(shown_runs=sorted(shown))
        else:
            self._session.done.emit("These are the only runs shown; show another run before hiding them")

    @Slot()
    def _combine(self) -> None:
        """Open the dialog of virtual runs with a fusion of these runs."""
        menu, benchmark = self.parent(), self._session.benchmark
        if self._session.is_open and isinstance(menu, QMenu) and (view := menu.parentWidget()) is not None:
            runs = [benchmark.runs[run] for run in self._runs]
            names = [run.expression or quoted_run_name(run.name) for run in runs]
            VirtualRunDialog(self._session, view.window(), names).open()

    @Slot()
    def _group(self) -> None:
        """Take these runs as a group, in place of those that contain one of them, and show it; or as none any more."""
        session, groups = self._session, self._session.selection.groups
        names = [run.name for run in session.benchmark.runs]
        chosen = {names[run] for run in self._runs}
        kept = [group for group in groups if not chosen & set(members_of(group, names))]
        session.select(groups=kept if self._pattern in groups else [*kept, self._pattern])
        session.cursor_state.request_view("run_groups")

    @Slot()
    def _remove(self) -> None:
        remove_runs(self._session, self._runs)


class ModelActions(QObject):
    """Adds the actions for a model at a rank of a list to a menu.

    Parameters
    ----------
    model : index of the model in the collection.
    run, query, rank : the list, and the 1-based rank of the model in it.
    menu : the menu; parent of this object.
    """

    def __init__(self, session: Session, model: int, run: int, query: int, rank: int, menu: QMenu) -> None:
        super().__init__(menu)
        self._session = session
        self._rank, self._run, self._query = rank, run, query
        self._id = session.benchmark.collection.ids[model]
        has_file = session.benchmark.collection.paths[model] is not None
        menu.addAction("&Show ranked list").triggered.connect(self._show_list)
        menu.addAction(f"Ranks of {escape_mnemonic(self._id)} in &all lists").triggered.connect(self._show_page)
        open_model = menu.addAction("&Open in 3D")
        open_model.setEnabled(has_file)
        open_model.triggered.connect(self._open_model)
        menu.addSeparator()
        menu.addAction("Copy model &id").triggered.connect(self._copy_id)
        LevelActions(session, query, (model,), menu)

    def _select(self, view: str) -> None:
        self._session.select(run=self._run, query=self._query, rank=self._rank)
        self._session.cursor_state.request_view(view)

    @Slot()
    def _show_list(self) -> None:
        self._select("query")

    @Slot()
    def _show_page(self) -> None:
        self._select("model")

    @Slot()
    def _open_model(self) -> None:
        self._select("mesh_view")

    @Slot()
    def _copy_id(self) -> None:
        QGuiApplication.clipboard().setText(self._id)


class LevelActions(QObject):
    """Adds a submenu with the relevance levels of models for a query; without an assessment it adds nothing.

    Parameters
    ----------
    query : index of the query.
    models : indices of the models.
    menu : the menu; parent of this object.
    """

    def __init__(self, session: Session, query: int, models: Sequence[int], menu: QMenu) -> None:
        super().__init__(menu)
        self._session, self._query, self._models = session, query, tuple(models)
        benchmark = session.benchmark
        if benchmark.assessment is None or not self._models:
            return
        levels = benchmark.assessment.gains(query, len(benchmark.collection))[list(self._models)]
        choices = (0, *benchmark.assessment.levels)
        submenu = self.submenu = QMenu("&Relevance for this query", menu)
        menu.addMenu(submenu)
        names = BINARY_LEVEL_NAMES if choices == (0, 1) else LEVEL_NAMES
        for level in range(max(choices, default=1) + 1):
            text = names.get(level, "")
            keys = f"\t{level}" if level < 4 else ""
            action = submenu.addAction(f"&{level}{f': {text}' if text else ''}{keys}")
            action.setData(level)
            action.setCheckable(True)
            action.setChecked(bool((levels == level).all()))
        submenu.triggered.connect(self._set_level)

    @Slot(QAction)
    def _set_level(self, action: QAction) -> None:
        self._session.edits.set_level(self._query, self._models, int(action.data()))


#: Key sequences in the notation of the operating system.
NATIVE_TEXT = QKeySequence.SequenceFormat.NativeText

#: Header of the copied table, before distance or similarity; columns are those of `RankedListModel.row_cells`.
COPIED_COLUMNS = ("rank", "id", "class", "level")


class CardActions(QObject):
    """Actions on the selected cards of one grid, and its context menu.

    Parameters
    ----------
    ranked : whether the cards have ranks; the 3D view selects a model by its rank.

    Signals
    -------
    model_requested()
        The current model is to be opened in the 3D view.
    """

    model_requested = Signal()

    def __init__(self, session: Session, model: RankedListModel, grid: CardGrid, *, ranked: bool = True) -> None:
        super().__init__(grid)
        self._ranked = ranked
        self._session = session
        self._model = model
        self._grid = grid
        grid.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        grid.customContextMenuRequested.connect(self._show_menu)

    @property
    def row(self) -> int:
        """Row of the current card, -1 for none."""
        return self._grid.currentIndex().row() if self._grid.currentIndex().isValid() else -1

    @Slot()
    def copy_ids(self) -> bool:
        """Copy the ids of the selected cards, one per line; False where no card is selected."""
        rows = self._grid.selected_rows()
        self._copy([self._model.index(row, 0).data() for row in rows])
        return bool(rows)

    @Slot()
    def copy_rows(self) -> None:
        """Copy the selected cards as a tab-separated table: rank, id, class, level, distance or similarity."""
        rows = self._grid.selected_rows()
        if rows:
            cells = [(*COPIED_COLUMNS, self._model.value_name), *map(self._model.row_cells, rows)]
            QGuiApplication.clipboard().setText(separated_text(cells, "\t").removesuffix("\n"))

    @Slot()
    def show_file(self) -> None:
        """Open the folder of the current model's file in the system's file manager."""
        if (path := self._model.path_of(self.row)) is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))

    @Slot()
    def make_query(self) -> bool:
        """Select the current model as query; False where it is none of the queries."""
        if (query := self.query_of_current()) == NOTHING:
            return False
        self._session.select(query=query)
        return True

    @Slot()
    def show_page(self) -> None:
        """Show the ranks of the current model in the lists of all runs."""
        self._session.cursor_state.request_view("model")

    def models(self) -> tuple[int, ...]:
        """Indices of the models of the selected cards."""
        items = (self._model.item_of(row) for row in self._grid.selected_rows())
        return tuple(item for item in items if item >= 0)

    def query_of_current(self) -> int:
        """Index of the query that is the current model; `NOTHING` where there is none."""
        benchmark = self._session.benchmark
        if self.row < 0:
            return NOTHING
        item = self._model.item_of(self.row)
        queries = np.flatnonzero(benchmark.queries.member == item) if item >= 0 else np.zeros(0, np.int64)
        return int(queries[0]) if len(queries) else NOTHING

    def menu(self) -> QMenu:
        """The context menu of the selected cards; it is deleted when it closes."""
        count = len(self._grid.selected_rows())
        ids = "&Copy model id" if count == 1 else f"&Copy {count_text(count, 'model id')}"
        path = self._model.path_of(self.row)
        menu = context_menu(self._grid)
        for text, keys, receiver, is_enabled in (
            ("&Open in 3D", "Return", self.model_requested, path is not None and self._ranked),
            (ids, "Ctrl+C", self.copy_ids, count > 0),
            ("Copy models as a &table", "Ctrl+Shift+C", self.copy_rows, count > 0),
            ("Show &file in folder", "", self.show_file, path is not None),
            ("Use as &query", "Q" if self._ranked else "", self.make_query, self.query_of_current() != NOTHING),
            ("Ranks in &all lists", "", self.show_page, self._ranked and count == 1),
        ):
            # Text after a tab is drawn in the shortcut column. QAction.setShortcut would register the keys a second
            # time, and Qt runs neither of two actions with the same key ("ambiguous shortcut").
            action = menu.addAction(f"{text}\t{QKeySequence(keys).toString(NATIVE_TEXT)}" if keys else text)
            action.triggered.connect(receiver)
            action.setEnabled(is_enabled)
        if self._session.selection.query != NOTHING:
            LevelActions(self._session, self._session.selection.query, self.models(), menu)
        return menu

    @Slot(QPoint)
    def _show_menu(self, position: QPoint) -> None:
        """Open the menu at the mouse, or at the current card where the menu key was pressed."""
        if self.row >= 0 and not self._grid.indexAt(position).isValid():
            position = self._grid.visualRect(self._grid.currentIndex()).center()
        popup_in(self._grid, self.menu() if self.row >= 0 else context_menu(self._grid), position)

    def _copy(self, lines: list[str]) -> None:
        if lines:
            QGuiApplication.clipboard().setText("\n".join(lines))
