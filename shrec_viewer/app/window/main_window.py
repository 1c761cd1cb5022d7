"""The main window: bars, pages and workspace, assembled after its first paint, when heavy modules are imported."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QAction, QCloseEvent, QDesktopServices, QGuiApplication, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QMenuBar, QScrollArea, QStackedWidget, QWidget

from shrec_viewer.app.bars.menus import Menus, MenuStrip
from shrec_viewer.app.commands import COMMANDS_BY_KEY, Command, default_shortcuts
from shrec_viewer.app.commands.command import WindowInterface, command_text
from shrec_viewer.app.commands.edit import choose_run_colour
from shrec_viewer.app.commands.go import STEP
from shrec_viewer.app.docking.saved_layout import LayoutError, geometry_to_data, restore_geometry
from shrec_viewer.app.startup.settings import COMPUTING, LAYOUT_VERSION, Settings, SettingsFile
from shrec_viewer.app.startup.theme import ThemeSelector
from shrec_viewer.app.window.opening import DroppedFiles, DropTarget, RecentFiles, is_demo
from shrec_viewer.number_format import format_progress
from shrec_viewer.resources import resource
from shrec_viewer.version import __version__
from shrec_viewer.widgets.controls.controls import EmptyState
from shrec_viewer.widgets.controls.file_dialogs import dialog_folders, set_dialog_folders
from shrec_viewer.widgets.controls.messages import MessageArea, MessageBar
from shrec_viewer.widgets.controls.plain_text import escape_mnemonic, set_tooltip, title_text
from shrec_viewer.widgets.controls.welcome_page import WelcomePage
from shrec_viewer.widgets.style.theme import (
    apply_animations,
    apply_contrast,
    apply_relevance_preset,
    apply_text_size,
    current_theme,
)

#: Milliseconds after `show` until the signal is emitted in any case: a minimised window is not painted.
PAINT_TIMEOUT_MS = 1000


class FirstPaint(QObject):
    """Event filter of a window until it is first painted.

    A timer started in `showEvent` would not do: it may fire before the window system exposes the window, which then
    stays blank for the time of the imports.

    Signals
    -------
    painted()
        The window was painted; emitted once.
    """

    painted = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._is_painted = False
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; the window is painted in response to the expose event, before timers run."""
        if event.type() == QEvent.Type.Show and watched is self._window and not self._is_painted:
            self._window.windowHandle().installEventFilter(self)
            QTimer.singleShot(PAINT_TIMEOUT_MS, self._emit_painted)
        elif event.type() == QEvent.Type.Expose and not self._is_painted:
            QTimer.singleShot(0, self._emit_painted)
        return super().eventFilter(watched, event)

    @Slot()
    def _emit_painted(self) -> None:
        if not self._is_painted:
            self._is_painted = True
            for watched in (self._window, self._window.windowHandle()):
                watched.removeEventFilter(self)  # a filter in Python costs about 1 µs for each event of the window
            self.painted.emit()


if TYPE_CHECKING:
    from shrec_viewer.app.bars.tool_bar import ToolBar
    from shrec_viewer.app.dialogs.about import ErrorDialog
    from shrec_viewer.app.docking.workspace import Workspace
    from shrec_viewer.app.help.tour import Tour
    from shrec_viewer.app.window.abandoned_edits import AbandonedEdits
    from shrec_viewer.app.window.project_files import ProjectFiles
    from shrec_viewer.formats.discovery.benchmark import BenchmarkParts
    from shrec_viewer.viewmodels.session.document import Document
    from shrec_viewer.viewmodels.session.session import SelectionHistory, Session

APPLICATION_NAME = "SHREC Viewer"

#: Window size in pixels on the first start: the smallest supported screen.
DEFAULT_SIZE = (1280, 800)

#: Pixels between menus and tool bar in the layout of a main window, rounded up.
BARS_GAP = 16

#: Width of the window in pixels from which the menu bar is in the row of the tool bar.
MENU_BAR_WIDTH = 1600

#: Pixels by which the window manager changes a size at a fractional scale, such as 1.5.
ROUNDING = 2

#: Minimum size of the pages in pixels; without it that of the welcome page, too high for 1280 x 800 at a scale of 2.
MIN_PAGE_SIZE = (320, 160)

#: Action of the reading page.
CANCEL = "Cancel"

#: Action of the message about a file or folder that was written, which is the topic of the message.
OPEN = "Open"

#: Action of the message about a benchmark with errors or warnings.
SHOW_FINDINGS = "Show the findings"

#: Action of the message after a run that did not end normally.
DEFAULT_LAYOUT = "Default layout"

#: Action of the message after an update.
WHATS_NEW = "What's new"

#: Commands by the action of the message that offers them.
MESSAGE_COMMANDS = {SHOW_FINDINGS: "show_findings", WHATS_NEW: "whats_new"}

#: Topics of messages about the program, not a benchmark; they stay when a benchmark is opened.
START_TOPICS = ("settings", "window", "panels", "crash", "version", "scheduler")

#: Commands listed on the welcome page with their shortcuts; all are enabled while no benchmark is open.
WELCOME_COMMANDS = ("open_folder", "open_demo", "palette", "keys")


class WindowPages(QStackedWidget):
    """The welcome page, the progress of reading, and the workspace, which is added later."""

    def __init__(self) -> None:
        super().__init__()
        self.welcome = WelcomePage()
        self.reading = EmptyState()  # without an icon: loading the icon font would delay the first paint
        self._workspace_page: QScrollArea | None = None
        for page in (self.welcome, self.reading):
            self.addWidget(page)
        self.setMinimumSize(*MIN_PAGE_SIZE)

    def add_workspace_page(self) -> QScrollArea:
        """Add the page of open benchmarks; it can be scrolled on screens that are smaller than the panels need."""
        page = self._workspace_page = QScrollArea(self, widgetResizable=True)
        page.setObjectName("workspace_page")
        page.setFrameShape(QFrame.Shape.NoFrame)
        page.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.addWidget(page)
        return page

    @property
    def is_workspace_shown(self) -> bool:
        """Whether the workspace is the current page."""
        return self._workspace_page is not None and self.currentWidget() is self._workspace_page

    def show_workspace(self) -> None:
        """Switch to the workspace, if it exists."""
        if self._workspace_page is not None:
            self.setCurrentWidget(self._workspace_page)

    def show_welcome(self) -> None:
        """Switch to the welcome page."""
        self.setCurrentWidget(self.welcome)

    def show_reading(self, path: Path) -> None:
        """Switch to the reading page."""
        self.reading.set_message(f"Reading {path.name}", action=CANCEL)
        self.setCurrentWidget(self.reading)

    def show_progress(self, title: str, progress: str) -> None:
        """Update the reading page; ignored while another page is shown."""
        if self.currentWidget() is self.reading:
            self.reading.set_message(title, progress, CANCEL)


class MainWindow(WindowInterface):
    """Main window of the application.

    The window is shown first and imports the rest after its first paint (`assemble`): numpy, pyqtgraph and the readers
    take most of the start-up time. `session`, `workspace`, `history`, `projects` and `dropped_files` are None until
    then.

    Parameters
    ----------
    theme_selector : applies the light or dark theme.
    settings_file : reads and writes the settings.
    thumbnails : whether thumbnails are rendered; False starts no worker processes.

    Signals
    -------
    painted()
        The window was painted for the first time.
    assembled()
        `session` and `workspace` exist. A path passed to `open_path` before is opened next.
    """

    painted = Signal()
    assembled = Signal()

    def __init__(self, theme_selector: ThemeSelector, settings_file: SettingsFile, *, thumbnails: bool = True) -> None:
        super().__init__()
        # Before the theme and the size are set, which are events.
        self.tool_bar: ToolBar | None = None
        self._bars_timer = QTimer(self, interval=0, singleShot=True)
        self._bars_timer.timeout.connect(self._fit_bars)
        self.session: Session | None = None
        self.workspace: Workspace | None = None
        self.history: SelectionHistory | None = None
        self.projects: ProjectFiles | None = None
        self.dropped_files: DroppedFiles | None = None
        self.tour: Tour | None = None
        self._abandoned_edits: AbandonedEdits | None = None
        self.settings = settings_file.read()
        set_dialog_folders(self.settings.dialog_folders)
        # Before any widget is created: widgets take over the application font when they are created.
        theme_selector.choose(self.settings.theme, self.settings.text_size)
        self._theme_selector = theme_selector
        self._settings_file = settings_file
        self._settings_problem = ""  # of the last time that they were written
        self._renders_thumbnails = thumbnails
        self._queued_changes: tuple[BenchmarkParts | None, Path | None, tuple[str, ...]] = None, None, ()
        self._queued_open: tuple[Path, BenchmarkParts | None, str | None] | None = None
        self._has_failed_to_assemble = False
        self._asks_before_closing = True
        self._is_tab = False  # the key that is being handled
        self._is_alt_alone = False  # Alt is held, and no other key or button was pressed since
        self._shown_commands: Sequence[Command] = ()
        self._commands_are_current = False
        self._error_dialog: ErrorDialog | None = None
        # Several signals follow one click (selection, list, scores, history); timers of 0 ms merge their effects.
        self._command_timer = QTimer(self, interval=0, singleShot=True)
        self._run_colour_timer = QTimer(self, interval=0, singleShot=True)
        self._first_paint = FirstPaint(self)
        self._drop_target = DropTarget(self)
        self.message_bar = MessageBar()
        self.message_area = MessageArea(self)
        self.pages = WindowPages()
        self.welcome = self.pages.welcome
        self.menu_strip = MenuStrip()
        self.menus = Menus(self, self.menu_strip.menu_bar)
        self._recent_files = RecentFiles(self.welcome, self.menus, self)
        self._build()
        self._connect()
        self.update_commands()

    def _build(self) -> None:
        self.setWindowTitle(APPLICATION_NAME)
        self.resize(*DEFAULT_SIZE)
        self.message_area.add(self.message_bar)
        self.setCentralWidget(self.pages)
        self.menu_strip.set_menus(self.menus.top_menus())
        self.addToolBar(self.menu_strip)
        self.welcome.set_shortcuts(default_shortcuts(WELCOME_COMMANDS))
        settings = self.settings
        if problems := self._settings_file.problems:
            self.show_message("warning", problems[0], "\n".join(problems[1:]), topic="settings")
        if not self._restore_geometry() and (screen := QGuiApplication.primaryScreen()) is not None:
            self.resize(self.size().boundedTo(screen.availableSize()))
        self._initial_size = self.size()
        self._recent_files.set_names(settings.recent)
        # Theme and text size are applied by the theme selector, the card size when its panel is created.
        self._apply_settings(
            settings,
            replace(Settings(), theme=settings.theme, text_size=settings.text_size, card_size=settings.card_size),
        )

    def _restore_geometry(self) -> bool:
        """Restore position and size of the last session; False if there are none, or invalid ones."""
        try:
            if self.settings.geometry:
                restore_geometry(self, self.settings.geometry)
                return True
        except LayoutError as error:
            self.show_layout_problem("window", str(error))
        return False

    def show_layout_problem(self, name: str, problem: str) -> None:
        """Show why a saved layout is not used.

        Parameters
        ----------
        name : ``"window"``, ``"panels"`` or ``"project"``.
        """
        text = f"The saved layout of the {name} is not valid ({problem}); the default layout is used."
        self.show_message("warning", text, topic=name)

    def offer_default_layout(self) -> None:
        """Show a message that offers the default layout, after a run that did not end normally."""
        self.message_bar.show_message(
            "info", "The previous run did not end normally.", action=DEFAULT_LAYOUT, persistent=True, topic="crash"
        )

    def _note_version(self) -> None:
        """Offer the changes once after an update; the earlier version is stored, so that they can be read again."""
        previous = self.settings.version
        if previous == __version__:
            return
        if previous:
            text = f"SHREC Viewer is now version {__version__}; it was {previous}."
            self.message_bar.show_message("info", text, action=WHATS_NEW, persistent=True, topic="version")
        self.save_settings(replace(self.settings, version=__version__, previous_version=previous))

    def _connect(self) -> None:
        self._first_paint.painted.connect(self._fit_to_screen)
        self._first_paint.painted.connect(self.painted)
        self._command_timer.timeout.connect(self._update_shown_commands)
        self._run_colour_timer.timeout.connect(self._update_run_colours)
        self._drop_target.hovered.connect(self.welcome.set_dropping)
        self._drop_target.dropped.connect(self._open_dropped)
        self._drop_target.refused.connect(self.show_message)
        self._recent_files.picked.connect(self.open_path)
        self.welcome.demo_requested.connect(self.open_demo)
        self.welcome.tour_requested.connect(self.menus.actions["tour"].trigger)
        self.welcome.open_requested.connect(self.menus.actions["open_folder"].trigger)
        self.message_bar.action_requested.connect(self._run_message_action)
        self.message_area.changed.connect(self.update_commands)
        for menu in (*self.menus.top_menus(), self.menus.menu("File/Export")):  # which a button opens as well
            menu.aboutToShow.connect(self.update_commands)  # also for a move of the focus alone
        for action in self.menus.actions.values():
            action.triggered.connect(self._run_command)

    @Slot()
    def _fit_to_screen(self) -> None:
        """Shrink and move the window so that its frame is inside the available area of the screen.

        The size of the frame is known only now: window managers add it when they show the window. A size that was set
        after the window was created is kept.
        """
        change = self.size() - self._initial_size
        if max(abs(change.width()), abs(change.height())) > ROUNDING or self.isMaximized() or self.isFullScreen():
            return
        available, frame = self.screen().availableGeometry(), self.frameGeometry()
        border = frame.size() - self.size()
        self.resize(self.size().boundedTo(available.size() - border))
        outer = self.size() + border
        left = min(frame.left(), available.left() + available.width() - outer.width())
        top = min(frame.top(), available.top() + available.height() - outer.height())
        self.move(max(left, available.left()), max(top, available.top()))

    # Assembly: what needs numpy, pyqtgraph and the readers.

    @Slot()
    def assemble(self) -> None:
        """Create session, workspace and bars, and open what was requested; called after the first paint."""
        if self.session is not None:
            return
        self._has_failed_to_assemble = True
        try:
            self._create_session()
        except Exception:
            self._queued_open = None  # the next `open_path` tries again
            self.show_page()
            raise
        self._has_failed_to_assemble = False
        self.update_commands()
        self.assembled.emit()
        if self._queued_open is not None:
            (path, parts, profile), self._queued_open = self._queued_open, None
            self.open_path(path, parts, profile)

    def _create_session(self) -> None:
        from shrec_viewer.app.docking.workspace import Workspace
        from shrec_viewer.app.window.abandoned_edits import AbandonedEdits
        from shrec_viewer.app.window.project_files import ProjectFiles
        from shrec_viewer.viewmodels.session.session import SelectionHistory, Session
        from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails, open_rendered_thumbnails

        thumbnails = Thumbnails(open_rendered_thumbnails if self._renders_thumbnails else None)
        session = Session(thumbnails, self)
        thumbnails.setParent(session)
        page = self.pages.add_workspace_page()
        workspace = Workspace(session, page.viewport())
        workspace.panel_created.connect(self._set_up_panel)
        layouts = self.settings.layouts if self.settings.layout_version == LAYOUT_VERSION else {}
        if problem := workspace.restore(layouts, self.settings.perspective):
            self.show_layout_problem("panels", problem)
        page.setWidget(workspace)
        self.pages.reading.action_requested.connect(self._cancel_reading)
        self._create_bars(session, workspace)
        self._recent_files.start()
        session.changed.connect(self._follow_session)
        self._note_version()
        session.failed.connect(self.show_error_message)
        session.written.connect(self._show_written)
        session.tasks.changed.connect(self._show_progress)
        self.session, self.workspace = session, workspace
        self.history = SelectionHistory(session)
        self.projects = ProjectFiles(self, session, stores_notes=self._settings_file.is_persistent)
        self._abandoned_edits = AbandonedEdits(self.welcome, session, self.projects.unsaved.folder)
        self.dropped_files = DroppedFiles(self, session)
        self.dropped_files.change_when_open(*self._queued_changes)
        self._connect_session(session, workspace)
        self._show_undo_state()

    def _create_bars(self, session: "Session", workspace: "Workspace") -> None:
        from shrec_viewer.app.bars.consequence_strip import ConsequenceStrip
        from shrec_viewer.app.bars.conventions import ProfileSuggestionStrip
        from shrec_viewer.app.bars.status_bar import StatusBar
        from shrec_viewer.app.bars.tool_bar import ToolBar
        from shrec_viewer.panels.files.import_dialog import ImportStrip

        status = StatusBar(session, self)
        self.setStatusBar(status)
        self._show_unsaved = status.show_unsaved
        self.message_area.set_space(status.message_space)
        status.findings_requested.connect(self.menus.actions["show_findings"].trigger)
        status.save_requested.connect(self.menus.actions["save"].trigger)
        status.tasks_requested.connect(self.menus.actions["show_tasks"].trigger)
        status.scheduler_requested.connect(self._show_computing)
        status.hide()
        suggestion = ProfileSuggestionStrip(session)
        suggestion.dismissed.connect(self._store_profile)  # the default profile was chosen
        for strip in (suggestion, ImportStrip(session)):
            self.message_area.add(strip)
        self.menus.set_docks(workspace.dock_actions())
        self.tool_bar = ToolBar(session, self.menus.actions, self.menus.menu("File/Export"), self)
        self._shown_commands = self.tool_bar.commands
        self.tool_bar.conventions.set_names(self.settings.profile_names)
        self.tool_bar.conventions.names_changed.connect(self._store_profile_names)
        self.tool_bar.set_perspective(workspace.perspective)
        self.tool_bar.hide()
        self.addToolBar(self.tool_bar)
        self.consequences = ConsequenceStrip(session, self.menus.actions, self)
        self.addToolBar(Qt.ToolBarArea.BottomToolBarArea, self.consequences)
        self.menu_strip.set_theme(current_theme())
        workspace.perspective_changed.connect(self.tool_bar.set_perspective)
        workspace.perspective_changed.connect(self._bars_timer.start)

    def _connect_session(self, session: "Session", workspace: "Workspace") -> None:
        assert self.history is not None
        assert self.projects is not None
        workspace.perspective_changed.connect(self.update_commands)
        self.history.changed.connect(self._schedule_update)
        stack = session.edits.stack
        for signal in (stack.indexChanged, stack.cleanChanged):
            signal.connect(self._show_undo_state)
        if (handle := self.windowHandle()) is not None:
            handle.installEventFilter(self)  # the QWindow gets mouse buttons before any widget accepts them
        session.run_styles.changed.connect(self._run_colour_timer.start)
        session.cursor_state.help_requested.connect(self.show_measures)
        session.cursor_state.note_requested.connect(self.menus.actions["write_note"].trigger)
        session.cursor_state.colour_requested.connect(self._choose_run_colour)
        session.cursor_state.measure_requested.connect(self.menus.actions["add_measure"].trigger)
        session.cursor_state.runs_requested.connect(self.menus.actions["add_runs"].trigger)
        session.done.connect(self._show_task_done)
        session.message.connect(self._show_session_message)
        session.message_expired.connect(self.message_bar.remove_message)
        session.set_added_measures(self.settings.added_measures)
        self.save_settings(replace(self.settings, added_measures=session.added_measures))  # without unknown keys
        session.set_watching(self.settings.follow)
        session.computing.set_options(self.settings.jobs, self.settings.scheduler)
        session.computing.failed.connect(self._show_scheduler_problem)
        session.computing.changed.connect(self._forget_scheduler_problem)
        self._set_renderer(self.settings.renderer)
        self.projects.path_changed.connect(self._show_title)

    @Slot(str, QWidget)
    def _set_up_panel(self, key: str, panel: QWidget) -> None:
        from shrec_viewer.app.docking.panel_store import shortcut_scopes

        self.menus.add_panel_shortcuts(panel, shortcut_scopes(key))
        if key == "ranked_list":
            panel.set_card_size(self.settings.card_size)  # type: ignore[attr-defined]
            panel.sizes.settled.connect(self.set_card_size)  # type: ignore[attr-defined]

    # Opening and closing.

    def open_path(self, path: Path, parts: "BenchmarkParts | None" = None, profile: str | None = None) -> None:
        """Open a benchmark or project, or queue it until the window is assembled; for a ``.cla`` file, its folder."""
        if path.suffix.lower() == ".cla" and os.path.isfile(path):
            path = path.parent  # a double click on a classification; only its folder is a benchmark
        if self.session is None or self.projects is None:
            self._queued_open = (path, parts, profile)
            self.pages.show_reading(path)
            if self._has_failed_to_assemble:
                self.assemble()
            return
        if not self.session.is_open:
            self.pages.show_reading(path)
        if path.suffix.lower() == ".shrec" and os.path.isfile(path):
            self.projects.open(path, parts, profile)
        else:
            self.open_benchmark(path, parts, profile)

    def open_benchmark(self, path: Path, parts: "BenchmarkParts | None", profile: str | None) -> None:
        """Read a benchmark, or a project whose benchmark was found, in the background."""
        assert self.session is not None
        self.session.open(path, parts, profile, self.settings.profiles.get(str(path.resolve())))

    def open_demo(self) -> None:
        """Open the bundled benchmark."""
        try:
            self.open_path(resource("demo"))
        except FileNotFoundError as error:
            self.show_message("error", f"The demo cannot be opened: {error}")

    def change_when_open(
        self, parts: "BenchmarkParts | None", edits: Path | None = None, virtual: tuple[str, ...] = ()
    ) -> None:
        """Change the benchmark that was requested to be opened, or is opened next; see `DroppedFiles`."""
        self._queued_changes = (parts, edits, virtual)
        if self.dropped_files is not None:
            self.dropped_files.change_when_open(*self._queued_changes)

    @Slot(object)
    def _open_dropped(self, paths: tuple[Path, ...]) -> None:
        if self.dropped_files is None:
            self.open_path(paths[0])
        else:
            self.dropped_files.handle(paths)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Qt override: ask about unsaved edits; save the settings and stop all background work."""
        if self._asks_before_closing and self.projects is not None and not self.projects.may_close():
            event.ignore()
            return
        settings = replace(self.settings, geometry=geometry_to_data(self), dialog_folders=dict(dialog_folders()))
        if self.workspace is not None:
            layouts, perspective = self.workspace.layout_states(), self.workspace.perspective
            settings = replace(settings, layouts=layouts, layout_version=LAYOUT_VERSION, perspective=perspective)
        self.save_settings(settings)
        if self.projects is not None:
            self.projects.unsaved.close()
        if self._abandoned_edits is not None:
            self._abandoned_edits.close()
        if self.session is not None:
            self.session.shut_down()
        self._recent_files.close()
        super().closeEvent(event)

    def close_now(self) -> None:
        """Close without asking about unsaved edits, which stay in their journal; after a signal."""
        self._asks_before_closing = False
        self.close()

    def keep_unsaved(self) -> None:
        """Write unsaved edits to disk, as the user logs out."""
        if self.projects is not None:
            self.projects.keep_unsaved()

    # Pages, title and messages.

    @Slot(str, str)
    def focusNextPrevChild(self, is_next: bool) -> bool:  # noqa: N802 - Qt's name and parameter
        """Move the focus in the order of `tab_order`; Qt's order is that in which the widgets were made.

        After a key only: Qt also calls it for a focused widget that is hidden, while docks are moved and deleted.
        """
        if not self._is_tab:
            return super().focusNextPrevChild(is_next)
        from shrec_viewer.app.docking.tab_order import tab_order

        self._is_tab = False
        order, focused = tab_order(self), QApplication.focusWidget()
        if focused not in order:
            return super().focusNextPrevChild(is_next)
        start = order.index(focused)
        others = order[start + 1 :] + order[:start]
        reasons = Qt.FocusReason
        for target in others if is_next else reversed(others):
            target.setFocus(reasons.TabFocusReason if is_next else reasons.BacktabFocusReason)
            if QApplication.focusWidget() is target:  # not one that passes the focus on
                break
        return True

    def show_message(self, severity: str, text: str, details: str = "", topic: str = "") -> None:
        """Show a message (``"info"``, ``"warning"`` or ``"error"``); it replaces earlier ones on the same topic."""
        self.message_bar.show_message(severity, text, details, topic=topic)

    @Slot(str, str, str)
    def _show_session_message(self, severity: str, text: str, details: str) -> None:
        """Show a message of the session; that a file cannot be read is among the findings."""
        assert self.session is not None
        is_listed = any(path.name in text for path in self.session.document.unreadable_runs)
        self.message_bar.show_message(severity, text, details, action=SHOW_FINDINGS if is_listed else "")

    @Slot(str, str)
    def show_error_message(self, text: str, details: str) -> None:
        """Show an error, and leave the reading page if nothing is being read any more."""
        self.show_message("error", text, details)
        self.show_page()

    def show_page(self) -> None:
        """Show the workspace if a benchmark is open, else the reading page or the welcome page."""
        is_open = self.session is not None and self.session.is_open
        if self.session is not None:
            self._show_bars()
            self.statusBar().setVisible(is_open)
            if (layout := self.layout()) is not None:
                layout.activate()  # docks are laid out once, in the final size of the page
        if is_open:
            self.pages.show_workspace()
        elif self._queued_open is None and not (self.session is not None and self.session.is_opening):
            self.pages.show_welcome()

    @Slot(object, object)
    def _follow_session(self, old: "Document", new: "Document") -> None:
        if new.differs(old, "opened"):
            self._show_title()
            self._show_benchmark()
        elif new.differs(old, "profile"):
            self._store_profile()
        if new.differs(old, "measures"):
            own = tuple(key for key in new.added_measures if key not in new.project_measures)
            self.save_settings(replace(self.settings, added_measures=own))
        if new.differs(old, "selection", "list", "scores"):
            self._schedule_update()

    def _show_benchmark(self) -> None:
        from shrec_viewer.viewmodels.text.labels import opening_problem

        assert self.session is not None
        benchmark, path = self.session.benchmark, self.session.path
        while (menu := QApplication.activePopupWidget()) is not None and menu.close():
            pass  # its actions refer to indices of the former benchmark
        self.message_bar.dismiss(keep=START_TOPICS)
        if self.session.is_open and (problem := opening_problem(benchmark)):
            severity = "error" if benchmark.has_errors else "warning"
            self.message_bar.show_message(severity, problem, action=SHOW_FINDINGS)
        if path is not None and not is_demo(path):
            self.save_settings(self.settings.with_recent(path.resolve()))
        self.show_page()
        self.update_commands()
        if self.session.is_open and self.workspace is not None:
            self.workspace.focus_centre()  # arrow keys and single-letter shortcuts work without a click

    @Slot()
    def _show_progress(self) -> None:
        from shrec_viewer.viewmodels.session.session import OPENING

        assert self.session is not None
        for status in self.session.tasks.running:
            if status.key == OPENING:
                self.pages.show_progress(status.title, format_progress(status.done, status.total, status.text))

    @Slot()
    def _cancel_reading(self) -> None:
        from shrec_viewer.viewmodels.session.session import OPENING

        assert self.session is not None
        self.session.tasks.stop(OPENING)
        self.show_page()

    @Slot(str, str)
    def _run_message_action(self, action: str, topic: str) -> None:
        """Run what the button of a message offers."""
        if action == OPEN:
            QDesktopServices.openUrl(QUrl.fromLocalFile(topic))
        elif action in MESSAGE_COMMANDS:
            self.menus.actions[MESSAGE_COMMANDS[action]].trigger()
        elif action == DEFAULT_LAYOUT and self.workspace is not None:
            self.workspace.reset_layout()
        elif self.projects is not None:
            self.projects.run_action(action)

    @Slot(str)
    def _show_task_done(self, text: str) -> None:
        self.show_message("info", text)

    @Slot(str, str)
    def _show_written(self, text: str, path: str) -> None:
        self.message_bar.show_message("info", text, action=OPEN, persistent=True, topic=path)

    @Slot()
    def _show_title(self) -> None:
        """Show the project file, the benchmark and the program in the title bar."""
        assert self.session is not None
        benchmark = self.session.benchmark
        path = None if self.projects is None else self.projects.path
        names = (path.name, benchmark.name) if path else (benchmark.name,)
        titles = [title_text(name) for name in names]
        self.setWindowTitle(" – ".join((*(f"{title}[*]" for title in titles[:1]), *titles[1:], APPLICATION_NAME)))

    # Commands.

    @Slot()
    def update_commands(self) -> None:
        """Enable, disable and check the actions of all commands."""
        self._command_timer.stop()
        self._fit_longer_texts()
        self._commands_are_current = True
        self.menus.update_state(self)

    @Slot()
    def _update_outdated_commands(self) -> None:
        if not self._commands_are_current:
            self.update_commands()

    @Slot()
    def _schedule_update(self, *_: object) -> None:
        """Update the tool bar in the next event-loop iteration, all other commands when they can be used.

        That is when a menu opens or a key is pressed. To update all of them took 2 ms after each click.
        """
        self._commands_are_current = False
        self._command_timer.start()
        self.message_bar.remove_topic(STEP)  # the next step may have an effect

    @Slot()
    def _update_shown_commands(self) -> None:
        self._fit_longer_texts()
        if QApplication.activeWindow() is self:
            self.menus.update_state(self, self._shown_commands)
        else:
            self.update_commands()  # key events of a floating dock do not reach `event`

    @Slot()
    def _run_command(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            command = COMMANDS_BY_KEY[action.data()]
            if command.enabled(self):  # the state of the action may be one event-loop iteration old
                command.execute(self)
            self.update_commands()

    @Slot()
    def _show_undo_state(self, *_: object) -> None:
        """Name the step that undo and redo would revert, and mark unsaved changes in the title bar."""
        assert self.session is not None
        stack = self.session.edits.stack
        for key, text in (("undo", stack.undoText()), ("redo", stack.redoText())):
            command = COMMANDS_BY_KEY[key]
            self.menus.actions[key].setText(f"{command.text} {escape_mnemonic(text)}".rstrip())
            set_tooltip(self.menus.actions[key], f"{command_text(command)} {text}".rstrip())
        self.setWindowModified(not stack.isClean())
        self._show_unsaved()
        self.update_commands()

    @Slot(int)
    def _choose_run_colour(self, run: int) -> None:
        choose_run_colour(self, run)

    def event(self, event: QEvent) -> bool:
        """Qt override: updates outdated actions before Qt looks up a shortcut, which only enabled actions have.

        Alt, pressed and released alone, opens the menu where there is no menu bar.
        """
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            self._update_outdated_commands()
            self._is_alt_alone = event.key() == Qt.Key.Key_Alt
            self._is_tab = event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
        elif event.type() == QEvent.Type.KeyRelease and self._is_alt_alone:
            self._is_alt_alone = False
            self.menu_strip.open()
        return super().event(event)

    def menuBar(self) -> QMenuBar:  # noqa: N802
        """Qt override: the menu bar is in the row of the tool bar."""
        return self.menu_strip.menu_bar

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override: the side buttons of the mouse go back and forward in the history."""
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(event, QMouseEvent) and self.history is not None:
            if event.button() == Qt.MouseButton.BackButton:
                self.history.back()
                return True
            if event.button() == Qt.MouseButton.ForwardButton:
                self.history.forward()
                return True
        return super().eventFilter(watched, event)

    # Bars and dialogs.

    def _show_bars(self) -> None:
        """Show the tool bar while a benchmark is open."""
        if self.tool_bar is not None:
            self.tool_bar.setVisible(self.session is not None and self.session.is_open)
        self._fit_bars()

    def _fit_longer_texts(self) -> None:
        """Fit the tool bar if a longer text was selected."""
        if self.tool_bar is not None and self.tool_bar.needs_fit:
            self._fit_bars()

    @Slot()
    def _fit_bars(self) -> None:
        """Show the menus as a button, and fewer buttons in the tool bar, where there is no space for all."""
        if self.tool_bar is None:
            return
        self.menu_strip.set_compact(self.tool_bar.isVisibleTo(self) and self.width() < MENU_BAR_WIDTH)
        self.tool_bar.fit(self.width() - self.menu_strip.sizeHint().width() - BARS_GAP)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override; what the bars show depends on the width."""
        super().resizeEvent(event)
        self._fit_bars()

    def changeEvent(self, event: QEvent) -> None:
        """Qt override; the tool bars depend on the font, which reaches their fields after this event."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._bars_timer.start()

    def show_palette(self) -> None:
        """Open the command palette."""
        from shrec_viewer.app.dialogs.command_palette import CommandPalette

        CommandPalette(self).open()

    def show_shortcuts(self) -> None:
        """Open the list of keyboard shortcuts."""
        from shrec_viewer.app.dialogs.shortcuts import ShortcutsDialog

        ShortcutsDialog(self).open()

    def show_preferences(self, page: str = "") -> None:
        """Open the preferences, at a page."""
        from shrec_viewer.app.dialogs.preferences import PreferencesDialog

        dialog = PreferencesDialog(self)
        if page:
            dialog.show_page(page)
        dialog.show()

    @Slot(str)
    def show_measures(self, key: str = "") -> None:
        """Open the explanation of a measure, curve or profile; "" for the symbols in formulas."""
        self.show_help(key or "symbols")

    def start_tour(self) -> None:
        """Start the tour, or go on where it was left."""
        from shrec_viewer.app.help.tour import Tour

        if self.session is None:  # not assembled yet
            return
        if self.tour is None:
            self.tour = Tour(self)
        self.tour.start()

    def show_help(self, key: str, heading: str = "") -> None:
        """Open a page of the help; see `HelpWindow.show_page`."""
        from shrec_viewer.app.help.help_window import HelpWindow

        window = self.findChild(HelpWindow) or HelpWindow(self, previous_version=self.settings.previous_version)
        window.show()  # first: a page is laid out in the width of the window
        window.show_page(key, heading)
        window.activateWindow()

    @Slot()
    def _show_computing(self) -> None:
        """Open the page of the preferences about the scheduler."""
        self.show_preferences(COMPUTING)

    @Slot(str)
    def _show_scheduler_problem(self, text: str) -> None:
        self.show_message("warning", text, topic="scheduler")

    @Slot()
    def _forget_scheduler_problem(self) -> None:
        """Remove the message about a scheduler that is used again, or not used any more."""
        from shrec_viewer.viewmodels.tasks.computing import FAILED

        if self.session is not None and self.session.computing.status.state != FAILED:
            self.message_bar.remove_topic("scheduler")

    @Slot(str, str)
    def show_error_dialog(self, text: str, details: str) -> None:
        """Open the dialog of uncaught exceptions, or add to it."""
        from shrec_viewer.app.dialogs.about import ErrorDialog

        if self._error_dialog is None:
            self._error_dialog = ErrorDialog(self)
        self._error_dialog.show_error(text, details)

    # Settings.

    @Slot()
    def _store_profile(self) -> None:
        """Store the profile chosen for a benchmark that names none."""
        from shrec_viewer.evaluation.evaluate import DEFAULT_PROFILE_KEY

        assert self.session is not None
        benchmark, path, profile = self.session.benchmark, self.session.path, self.session.profile
        if not self.session.is_open or path is None or benchmark.profile != DEFAULT_PROFILE_KEY:
            return
        if profile.changed_from is None or profile.key in self.settings.profile_names.values():
            self.save_settings(self.settings.with_profile(path.resolve(), profile.key))

    @Slot(object)
    def _store_profile_names(self, names: Mapping[str, str]) -> None:
        self.change_settings(replace(self.settings, profile_names=names))
        self._store_profile()

    def save_settings(self, settings: Settings) -> None:
        """Store settings, without applying them."""
        if settings != self.settings:
            previous, problem = self.settings, self._settings_file.write(settings)
            self.settings = replace(settings, recent=self._settings_file.recent)
            if self.settings.recent != previous.recent:
                self._recent_files.set_names(self.settings.recent)
            if problem and problem != self._settings_problem:  # once, not at each change
                self.show_message("warning", problem, topic="settings")
            self._settings_problem = problem

    def change_settings(self, settings: Settings) -> None:
        """Store settings and apply those that differ."""
        previous = self.settings
        self.save_settings(settings)
        self._apply_settings(settings, previous)
        self.update_commands()

    def set_theme_choice(self, choice: str) -> None:
        """Apply and store ``"system"``, ``"light"`` or ``"dark"``."""
        self.change_settings(replace(self.settings, theme=choice))

    @Slot(str)
    def set_card_size(self, size: str) -> None:
        """Apply and store ``"S"``, ``"M"``, ``"L"``, ``"T"`` (text only) or a number of pixels as digits."""
        self.change_settings(replace(self.settings, card_size=size))

    def _apply_settings(self, settings: Settings, previous: Settings) -> None:
        """Apply the settings that differ from the previous ones."""
        differing = {row.name for row in fields(Settings) if getattr(settings, row.name) != getattr(previous, row.name)}
        app = QApplication.instance()
        if not isinstance(app, QApplication):
            return
        if "theme" in differing:
            self._theme_selector.choose(settings.theme)
        if "text_size" in differing:
            apply_text_size(app, settings.text_size)
        if "relevance" in differing:
            apply_contrast(app, settings.relevance == "contrast")
            apply_relevance_preset(app, settings.relevance)
        if "animations" in differing:
            apply_animations(app, settings.animations)
        if "keys" in differing:
            self.menus.rebind(settings.keys)
        if "profile_names" in differing and self.tool_bar is not None:
            self.tool_bar.conventions.set_names(settings.profile_names)
        if self.workspace is not None and "card_size" in differing:
            ranked_list = self.workspace.existing_panel("ranked_list")
            if ranked_list is not None:
                ranked_list.set_card_size(settings.card_size)  # type: ignore[attr-defined]
        if self.session is not None and "follow" in differing:
            self.session.set_watching(settings.follow)
        if self.session is not None and {"jobs", "scheduler"} & differing:
            self.session.computing.set_options(settings.jobs, settings.scheduler)
        if self.session is not None and "renderer" in differing:
            self._set_renderer(settings.renderer)

    def _set_renderer(self, renderer: Any) -> None:
        """Set the renderer of thumbnails and of the 3D view."""
        assert self.session is not None
        self.session.thumbnails.set_renderer(renderer)
        self.session.mesh_view_state.source.set_preference(renderer)

    @Slot()
    def _update_run_colours(self) -> None:
        """Repaint the views: they read the colours of runs when they apply a theme."""
        for widget in self.findChildren(QWidget):
            # As in `apply_theme`; isinstance with a runtime-checkable protocol would be slow.
            if (set_theme := getattr(widget, "set_theme", None)) is not None:
                set_theme(current_theme())
