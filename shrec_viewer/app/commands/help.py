"""Help menu: tour, pages, command palette, shortcuts, log, about."""

from shrec_viewer.app.commands.command import Command, WindowInterface
from shrec_viewer.app.dialogs.standard_dialogs import open_log


def _show_page(window: WindowInterface, key: str) -> None:
    window.show_help(key)


def _show_log(window: WindowInterface) -> None:
    if not open_log():
        window.show_message("info", "There is no log file yet: no errors have been logged.")


def _report_problem(window: WindowInterface) -> None:
    from shrec_viewer.app.help.problem_report import ProblemReportDialog  # lazy import: needs numpy

    ProblemReportDialog(window, window.session).open()


def _show_about(window: WindowInterface) -> None:
    from shrec_viewer.app.dialogs.about import AboutDialog  # lazy import: needs numpy

    AboutDialog(window, window.session).open()


#: Part of `COMMANDS`, in the order of the menu.
HELP_COMMANDS: tuple[Command, ...] = (
    Command("tour", "Help", "&Tour", lambda window: window.start_tour(),
            description="Five minutes with the demo, from one control to the next; goes on where it was left"),
    Command("formats_help", "Help", "&Open your own contest", _show_page, value="formats.md",
            description="Formats of classifications, relevance, runs and models, each with an example"),
    Command("measures_help", "Help", "Measures and &profiles", _show_page, value="measures.md",
            description="What to report in a paper; definitions, formulas and sources"),
    Command("questions_help", "Help", "&Questions (FAQ)", _show_page, value="questions.md",
            description="Ties, self-match, why numbers differ from those of a paper"),
    Command("python_help", "Help", "P&ython", _show_page, value="python.md",
            description="Evaluate, compare and draw in scripts and notebooks; open this window from there"),
    Command("plug_ins_help", "Help", "Plug-&ins", _show_page, value="plug-ins.md",
            description="Add measures, curves, profiles, formats and panels"),
    Command("measures", "Help", "Definition of the &measure",
            lambda window: window.show_measures(window.session.measure if window.session is not None else ""),
            ("Shift+F1",), starts_group=True,
            description="Explanation of the selected measure, with formula and source"),
    Command("palette", "Help", "Find a &command", lambda window: window.show_palette(), ("Ctrl+Shift+P", "Ctrl+K"),
            description="Search all commands, queries, runs, measures, panels and the help"),
    Command("keys", "Help", "&Keyboard shortcuts", lambda window: window.show_shortcuts(), ("F1",),
            description="List of all key bindings, with search"),
    Command("whats_new", "Help", "What's &new", _show_page, value="changes.md", starts_group=True,
            description="Changes since the version that was used before"),
    Command("log", "Help", "Show the &log", _show_log,
            description="Open the file with errors and warnings of the program"),
    Command("report_problem", "Help", "&Report a problem", _report_problem,
            description="Versions, system, renderers and log to copy; nothing is sent"),
    Command("about", "Help", "&About SHREC Viewer", _show_about, starts_group=True,
            description="Version, libraries, renderer, plug-ins and licence"),
)  # fmt: skip
