"""The main window: pages, bars, dialogs, settings, and opening benchmarks."""

from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QCloseEvent, QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QStackedWidget, QToolBar, QWidget

from shrec_viewer.app.bars.menus import Menus
from shrec_viewer.app.commands import COMMANDS, default_shortcuts
from shrec_viewer.app.commands.command import command_text
from shrec_viewer.app.commands.edit import EDIT_ROWS as EDIT_ROWS
from shrec_viewer.app.commands.edit import colour_run
from shrec_viewer.app.startup.first_paint import FirstPaint
from shrec_viewer.app.startup.settings import LAYOUT_VERSION, Settings, SettingsFile
from shrec_viewer.app.startup.theme import ThemeSelector
from shrec_viewer.app.window.drop_target import DropTarget
from shrec_viewer.app.window.recent_files import RecentFiles, is_demo
from shrec_viewer.resources import resource
from shrec_viewer.widgets.controls.empty_state import EmptyState
from shrec_viewer.widgets.controls.messages import MessageArea, MessageBar
from shrec_viewer.widgets.controls.welcome_page import WelcomePage
from shrec_viewer.widgets.style.theme import (
    apply_animations,
    apply_contrast,
    apply_relevance_preset,
    apply_text_size,
    current_theme,
)

CANCEL = "Cancel"
"""The action of the page that says what is being read."""


class WindowPages(QStackedWidget):
    """One of three pages; the workspace comes later than the others."""

    def __init__(self) -> None:
        super().__init__()
        self.welcome = WelcomePage()
        self.reading = EmptyState()  # without icon: their font would delay the first picture of the window
        self._workspace: QWidget | None = None
        for page in (self.welcome, self.reading):
            self.addWidget(page)

    def set_workspace(self, workspace: QWidget) -> None:
        """Take the views of an open benchmark."""
        self._workspace = workspace
        self.addWidget(workspace)

    def show_workspace(self) -> None:
        """Show the views."""
        if self._workspace is not None:
            self.setCurrentWidget(self._workspace)

    def show_welcome(self) -> None:
        """Show the welcome page."""
        self.setCurrentWidget(self.welcome)

    def show_reading(self, path: Path) -> None:
        """Say what is being read."""
        self.reading.set_message(f"Reading {path.name}", action=CANCEL)
        self.setCurrentWidget(self.reading)

    def show_progress(self, text: str, done: int, total: int) -> bool:
        """Say how far reading is; False where something else is shown."""
        if self.currentWidget() is not self.reading:
            return False
        self.reading.set_message(text, f"{done:,} of {total:,}" if total else "", CANCEL)
        return True


if TYPE_CHECKING:
    from shrec_viewer.app.dialogs.error_dialog import ErrorDialog
    from shrec_viewer.app.docking.workspace import Workspace
    from shrec_viewer.app.window.dropped_files import DroppedFiles
    from shrec_viewer.app.window.project_files import ProjectFiles
    from shrec_viewer.viewmodels.session.history import SelectionHistory
    from shrec_viewer.viewmodels.session.session import Session

APPLICATION_NAME = "SHREC Viewer"


class WindowController(QObject):
    """Made with the window; what needs a session is there once `attach` was called.

    Parameters
    ----------
    window : the main window; a `Frame`.
    menus : its actions.
    """

    def __init__(self, window: Any, menus: Menus) -> None:
        super().__init__(window)
        self._window = window
        self._menus = menus
        self._bars: list[QToolBar] = []
        self._errors: ErrorDialog | None = None
        self.history: SelectionHistory | None = None
        self.projects: ProjectFiles | None = None
        self.dropped: DroppedFiles | None = None
        self._repaint_timer = QTimer(self, interval=0, singleShot=True)
        settings = window.settings
        self.apply_settings(settings, replace(Settings(), theme=settings.theme, card_size=settings.card_size))

    def attach(self, session: "Session", workspace: "Workspace") -> None:
        """Build what needs a session."""
        from shrec_viewer.app.bars.convention_bar import ConventionBar
        from shrec_viewer.app.bars.tool_bar import ToolBar
        from shrec_viewer.app.window.dropped_files import DroppedFiles
        from shrec_viewer.app.window.project_files import ProjectFiles
        from shrec_viewer.viewmodels.session.history import SelectionHistory

        self.history = SelectionHistory(session)
        self.projects = ProjectFiles(self._window, session, saves_notes=self._window.keeps_settings)
        self.dropped = DroppedFiles(self._window, session)
        for part in (self.projects, self.dropped):
            self._window.strip.action_requested.connect(part.act)
        self._bars = [ToolBar(session, self._menus.actions), ConventionBar(session)]
        for bar in self._bars:
            bar.hide()
            self._window.addToolBar(bar)
        self._window.insertToolBarBreak(self._bars[1])
        session.edits.stack.indexChanged.connect(self._show_undo_state)
        session.edits.stack.cleanChanged.connect(self._show_undo_state)
        self.history.changed.connect(self._show_state)
        if (handle := self._window.windowHandle()) is not None:
            handle.installEventFilter(self)  # it sees the buttons of the mouse before any widget does
        self._repaint_timer.timeout.connect(self._repaint)
        session.edits.colours_changed.connect(self._repaint_timer.start)  # where a benchmark goes, not all know it yet
        session.cursor_state.help_requested.connect(self.show_measures)
        session.cursor_state.note_requested.connect(self._menus.actions["write_note"].trigger)
        session.cursor_state.colour_requested.connect(self._ask_colour)
        session.done.connect(self._show_task_done)
        session.message.connect(self._window.tell)
        session.message_expired.connect(self._window.strip.remove_message)
        session.set_watching(self._window.settings.follow)
        self._choose_renderer(self._window.settings.renderer)
        session.benchmark_changed.connect(self._show_title)
        self.projects.path_changed.connect(self._show_title)
        self._show_undo_state()

    def prepare(self, path: Path) -> bool:
        """Whether `path` can be opened; a project is looked into first, and asks for a folder that is gone."""
        is_file = self.projects is not None and path.suffix.lower() == ".shrec" and path.is_file()
        return not is_file or self.projects is None or self.projects.open(path)

    def handle_dropped(self, paths: tuple[Path, ...]) -> bool:
        """Do what is to be done with something dropped; False where it is only to be opened, or has to wait."""
        if self.dropped is None:
            return False
        self.dropped.take(paths)
        return True

    def close(self) -> None:
        """Keep what is unsaved: the window closes."""
        if self.projects is not None:
            self.projects.unsaved.write()

    # Bars.

    def bar(self, name: str) -> QToolBar:
        """The tool bar with this object name."""
        return next(bar for bar in self._bars if bar.objectName() == name)

    def show_bars(self, is_open: bool) -> None:
        """Show the bars while something is open, the second one where the person wants it."""
        for bar in self._bars:
            bar.setVisible(is_open and (bar is self._bars[0] or self._window.settings.convention_bar))

    def show_conventions(self, shown: bool) -> None:
        """Show or hide the second bar; remembered."""
        self._window.remember(replace(self._window.settings, convention_bar=shown))
        self.show_bars(self._window.session is not None and self._window.session.benchmark is not None)

    # Windows.

    def show_palette(self) -> None:
        """Look for anything by its name."""
        from shrec_viewer.app.dialogs.command_palette import CommandPalette

        CommandPalette(self._window).open()

    def show_keys(self) -> None:
        """List all keys."""
        from shrec_viewer.app.dialogs.shortcuts import ShortcutsDialog

        ShortcutsDialog(self._window).open()

    @Slot(str)
    def show_measures(self, key: str = "") -> None:
        """Explain a measure, or all."""
        from shrec_viewer.app.dialogs.measure_help import MeasureHelp

        MeasureHelp(self._window, key).show()

    def show_preferences(self) -> None:
        """Let the person choose how the program looks and behaves."""
        from shrec_viewer.app.dialogs.preferences import PreferencesDialog

        PreferencesDialog(self._window).show()

    def show_about(self) -> None:
        """Show what this is, in which version, on what."""
        from shrec_viewer.app.dialogs.about import AboutDialog

        AboutDialog(self._window, self._window.session).open()

    @Slot(str, str)
    def show_error(self, sentence: str, details: str) -> None:
        """Tell of an error nobody foresaw, with all there is to copy into a report."""
        from shrec_viewer.app.dialogs.error_dialog import ErrorDialog

        if self._errors is None:
            self._errors = ErrorDialog(self._window)
        self._errors.show_error(sentence, details)

    # Settings.

    def change_settings(self, settings: Settings) -> None:
        """Take over what the person prefers, at once and for the next start."""
        before = self._window.settings
        self._window.remember(settings)
        self.apply_settings(settings, before)
        self._show_state()

    def apply_settings(self, settings: Settings, before: Settings) -> None:
        """Let everything follow the settings that differ from those before."""
        differing = {row.name for row in fields(Settings) if getattr(settings, row.name) != getattr(before, row.name)}
        app = QApplication.instance()
        if not isinstance(app, QApplication):
            return
        if "theme" in differing:
            self._window.set_theme_choice(settings.theme)
        if "text_size" in differing:
            apply_text_size(app, settings.text_size)
        if "relevance" in differing:
            apply_contrast(app, settings.relevance == "contrast")
            apply_relevance_preset(settings.relevance, app.allWidgets())
        if "animations" in differing:
            apply_animations(app, settings.animations)
        if "card_size" in differing:
            self._window.set_card_size(settings.card_size)
        if "keys" in differing:
            self._menus.rebind(settings.keys)
        if "convention_bar" in differing:
            self.show_conventions(settings.convention_bar)
        session = self._window.session
        if "follow" in differing and session is not None:
            session.set_watching(settings.follow)
        if "renderer" in differing and session is not None:
            self._choose_renderer(settings.renderer)

    def _choose_renderer(self, prefer: Any) -> None:
        """Draw thumbnails and 3D views with this from now on."""
        self._window.session.thumbnails.set_renderer(prefer)
        self._window.session.mesh_view_state.source.set_preference(prefer)

    def apply_relevance_preset(self, panel: QWidget) -> None:
        """Let a panel that was just made follow the settings as well."""
        relevance = self._window.settings.relevance
        if relevance != Settings().relevance:
            apply_relevance_preset(relevance, [panel, *panel.findChildren(QWidget)])

    # What it follows.

    @Slot()
    def _show_state(self, *_: object) -> None:
        self._menus.show_state(self._window)

    @Slot()
    def _repaint(self) -> None:
        """A run has another colour: views take the colours of runs anew when they dress."""
        for widget in self._window.findChildren(QWidget):
            if (tell := getattr(widget, "set_theme", None)) is not None:  # as `Themed` has it; asking for that is slow
                tell(current_theme())

    @Slot(int)
    def _ask_colour(self, run: int) -> None:
        colour_run(self._window, run)

    @Slot(str)
    def _show_task_done(self, sentence: str) -> None:
        self._window.tell("info", sentence)

    @Slot()
    def _show_title(self) -> None:
        """The title names what is open, and the file of the project before it."""
        benchmark = self._window.session.benchmark
        path = None if self.projects is None else self.projects.path
        names = () if benchmark is None else (path.name, benchmark.name) if path else (benchmark.name,)
        self._window.setWindowTitle(" – ".join((*(f"{name}[*]" for name in names[:1]), *names[1:], APPLICATION_NAME)))

    @Slot()
    def _show_undo_state(self, *_: object) -> None:
        """Menus say what would be undone; the title says whether anything is unsaved."""
        stack = self._window.session.edits.stack
        for row, text in ((EDIT_ROWS[0], stack.undoText()), (EDIT_ROWS[1], stack.redoText())):
            action = self._menus.actions[row.key]
            action.setText(f"{row.text} {text}".rstrip())
            action.setToolTip(f"{command_text(row)} {text}".rstrip())
        self._window.setWindowModified(not stack.isClean())
        self._show_state()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; the two buttons at the side of a mouse lead back and forward."""
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(event, QMouseEvent) and self.history is not None:
            if event.button() == Qt.MouseButton.BackButton:
                self.history.back()
                return True
            if event.button() == Qt.MouseButton.ForwardButton:
                self.history.forward()
                return True
        return super().eventFilter(watched, event)


if TYPE_CHECKING:
    from shrec_viewer.app.docking.workspace import Workspace
    from shrec_viewer.formats.discovery.benchmark import BenchmarkParts
    from shrec_viewer.viewmodels.session.session import Session

FIRST_SIZE = (1280, 800)
"""Pixels of the window on the first start: the smallest screen we draw for."""

SHOW_FINDINGS = "Show the findings"
"""The one action that messages of the window offer."""

WELCOME_COMMANDS = ("open_folder", "open_demo", "palette", "keys")
"""Commands whose keys the welcome page shows; each does something while nothing is open."""


class MainWindow(QMainWindow):
    """The frame of the program.

    It shows itself at once and makes session and views after its first picture: numpy, pyqtgraph and the readers take
    longer to import than a person cares to wait.

    Parameters
    ----------
    looks : light or dark.
    memory : where settings are read from and written to.
    pictures : whether pictures of models are made; False saves the processes that draw them.

    Signals
    -------
    painted()
        The window was drawn for the first time.
    assembled()
        `session` and `workspace` are there; what was asked for meanwhile is being opened.
    """

    painted = Signal()
    assembled = Signal()

    def __init__(self, looks: ThemeSelector, memory: SettingsFile, *, pictures: bool = True) -> None:
        super().__init__()
        self.session: Session | None = None
        self.workspace: Workspace | None = None
        self.settings = memory.read()
        looks.choose(self.settings.theme, self.settings.text_size)  # before widgets are made: they take their font then
        self._memory = memory
        self.keeps_settings = memory.is_kept
        self._pictures = pictures
        self._looks = looks
        self._waiting: tuple[Path, BenchmarkParts | None, str | None] | None = None
        self._has_failed = False
        self._first_paint = FirstPaint(self)
        self._drop_target = DropTarget(self)
        self.strip = MessageBar()
        self.shelf = MessageArea(self)
        self.pages = WindowPages()
        self.welcome = self.pages.welcome
        self.menus = Menus(self, self.menuBar())
        self.desk = WindowController(self, self.menus)
        self._recent_files = RecentFiles(self.welcome, self.menus, self)
        self._build()
        self._connect()
        self._show_settings()
        self._show_state()

    def as_widget(self) -> QWidget:
        """See `Frame.as_widget`."""
        return self

    # What can be asked of it.

    def open_path(self, path: Path, parts: "BenchmarkParts | None" = None, profile: str | None = None) -> None:
        """Open a folder or file as soon as the session is there."""
        if self.session is None:
            self._waiting = (path, parts, profile)
            self.pages.show_reading(path)
            if self._has_failed:
                self.assemble()
            return
        if not self.desk.prepare(path):
            self._show_page()
            return
        if self.session.benchmark is None:
            self.pages.show_reading(path)
        self.session.open(path, parts, profile)

    def open_demo(self) -> None:
        """Open the bundled benchmark."""
        try:
            self.open_path(resource("demo"))
        except FileNotFoundError as error:
            self.tell("error", f"The demo cannot be opened: {error}")

    def set_theme_choice(self, choice: str) -> None:
        """``"system"``, ``"light"`` or ``"dark"``; remembered."""
        self.remember(replace(self.settings, theme=choice))
        self._looks.choose(choice)
        self._show_state()

    def set_card_size(self, size: str) -> None:
        """``"S"``, ``"M"``, ``"L"`` or pixels as digits; remembered."""
        self.remember(replace(self.settings, card_size=size))
        if self.workspace is not None and (results := self.workspace.made("results")) is not None:
            results.set_card_size(size)  # type: ignore[attr-defined]
        self._show_state()

    @Slot(str, QWidget)
    def _set_up_panel(self, key: str, panel: QWidget) -> None:
        self.menus.add_panel_shortcuts(key, panel)
        self.desk.apply_relevance_preset(panel)
        if key == "results":
            panel.set_card_size(self.settings.card_size)  # type: ignore[attr-defined]
            panel.sizes.settled.connect(self.set_card_size)  # type: ignore[attr-defined]

    @Slot(str, str)
    def tell(self, severity: str, text: str, details: str = "") -> None:
        """Put a message into the strip."""
        self.strip.show_message(severity, text, details)

    @Slot(str, str)
    def show_error_message(self, sentence: str, details: str) -> None:
        """Put an error into the strip, and go back to what can be used."""
        self.tell("error", sentence, details)
        self._show_page()

    # How it comes to life.

    @Slot()
    def assemble(self) -> None:
        """Make session and views; called once, after the first picture."""
        if self.session is not None:
            return
        self._has_failed = True
        try:
            self._assemble()
        except Exception:
            self._waiting = None  # opening something else tries again
            self._show_page()
            raise
        self._has_failed = False
        self._show_state()
        self.assembled.emit()
        if self._waiting is not None:
            (path, parts, profile), self._waiting = self._waiting, None
            self.open_path(path, parts, profile)

    def _assemble(self) -> None:
        from shrec_viewer.app.bars.profile_suggestion import ProfileSuggestionStrip
        from shrec_viewer.app.bars.status_bar import StatusBar
        from shrec_viewer.app.docking.workspace import Workspace, make_session
        from shrec_viewer.panels.files.import_strip import ImportStrip

        session = make_session(self, pictures=self._pictures)
        workspace = Workspace(session)
        workspace.panel_made.connect(self._set_up_panel)
        workspace.restore(self.settings.layouts, self.settings.layout_version, self.settings.perspective)
        self.pages.set_workspace(workspace)
        status = StatusBar(session)
        self.setStatusBar(status)
        status.findings_requested.connect(self._show_findings)
        status.tasks_requested.connect(self.menus.actions["show_tasks"].trigger)
        self.pages.reading.action_requested.connect(session.stop)
        status.hide()
        for strip in (ProfileSuggestionStrip(session), ImportStrip(session)):
            self.shelf.add(strip)
        self._recent_files.start()
        self.menus.set_docks(workspace.dock_actions())
        session.benchmark_changed.connect(self._show_benchmark)
        session.failed.connect(self.show_error_message)
        session.progress.connect(self._show_progress)
        workspace.perspective_changed.connect(self._show_state)
        for signal in (session.selection_changed, session.list_changed, session.scores_changed):
            signal.connect(self._show_state)
        self.session, self.workspace = session, workspace
        self.desk.attach(session, workspace)

    def _build(self) -> None:
        self.setWindowTitle(APPLICATION_NAME)
        self.resize(*FIRST_SIZE)
        self.shelf.add(self.strip)
        self.setCentralWidget(self.pages)
        self.welcome.set_shortcuts(default_shortcuts(WELCOME_COMMANDS))

    def _connect(self) -> None:
        self._first_paint.painted.connect(self.painted)
        self._drop_target.held.connect(self.welcome.set_dropping)
        self._drop_target.dropped.connect(self._take_dropped)
        self._drop_target.refused.connect(self.tell)
        self._recent_files.picked.connect(self._open_picked)
        self.welcome.demo_requested.connect(self.open_demo)
        self.welcome.open_requested.connect(self.menus.actions["open_folder"].trigger)
        self.strip.action_requested.connect(self._show_findings)
        self.shelf.changed.connect(self._show_state)
        for action in self.menus.actions.values():
            action.triggered.connect(self._run_command)

    @Slot()
    def _run_command(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            command = next(command for command in COMMANDS if command.key == action.data())
            command.run(self)
            self._show_state()

    # What it shows.

    def _show_settings(self) -> None:
        if self.settings.geometry:
            self.restoreGeometry(QByteArray(self.settings.geometry))
        elif (screen := QGuiApplication.primaryScreen()) is not None:
            self.resize(self.size().boundedTo(screen.availableSize()))
        self._recent_files.set_names(self.settings.recent)

    def _show_state(self, *_: object) -> None:
        self.menus.show_state(self)

    def _show_page(self) -> None:
        """The workspace where something is open, what is being read, or the welcome page."""
        is_open = self.session is not None and self.session.benchmark is not None
        if self.session is not None:
            self.desk.show_bars(is_open)
            self.statusBar().setVisible(is_open)
            self._lay_out()  # so that the docks are shown in the room they will have
        if is_open:
            self.pages.show_workspace()
        elif self._waiting is None and not (self.session is not None and self.session.is_opening):
            self.pages.show_welcome()

    def _lay_out(self) -> None:
        if (layout := self.layout()) is not None:
            layout.activate()

    @Slot()
    def _show_benchmark(self) -> None:
        from shrec_viewer.viewmodels.text.labels import opening_problem

        assert self.session is not None
        benchmark, path = self.session.benchmark, self.session.path
        self.strip.dismiss()
        if benchmark is not None and (words := opening_problem(benchmark)):
            self.strip.show_message("error" if benchmark.has_errors else "warning", words, action=SHOW_FINDINGS)
        if path is not None and not is_demo(path):
            self.remember(self.settings.with_recent(path.resolve()))
        self._show_page()
        self._show_state()
        if benchmark is not None and self.workspace is not None:
            self.workspace.focus_centre()  # so that arrows and letters work at once

    @Slot(str, int, int)
    def _show_progress(self, text: str, done: int, total: int) -> None:
        if text:
            self.pages.show_progress(text, done, total)
        else:
            self._show_page()

    @Slot()
    def _show_findings(self, action: str = SHOW_FINDINGS) -> None:
        if self.workspace is not None and action == SHOW_FINDINGS:
            self.workspace.show_panel("findings")

    # What comes from outside.

    @Slot(object)
    def _open_picked(self, path: Path) -> None:
        self.open_path(path)

    @Slot(object)
    def _take_dropped(self, paths: tuple[Path, ...]) -> None:
        if not self.desk.handle_dropped(paths):
            self.open_path(paths[0])

    def closeEvent(self, event: QCloseEvent) -> None:
        """Qt override; remember where everything stands, then end all work."""
        settings = replace(self.settings, geometry=bytes(self.saveGeometry().data()))
        if self.workspace is not None:
            layouts, perspective = self.workspace.layout_states(), self.workspace.perspective
            settings = replace(settings, layouts=layouts, layout_version=LAYOUT_VERSION, perspective=perspective)
        self.remember(settings)
        if self.session is not None:
            self.desk.close()
            self.session.shut_down()
        self._recent_files.close()
        super().closeEvent(event)

    def remember(self, settings: Settings) -> None:
        """Take over and write down other settings."""
        if settings != self.settings:
            self.settings, former = settings, self.settings
            if settings.recent != former.recent:
                self._recent_files.set_names(settings.recent)
            self._memory.write(settings)
