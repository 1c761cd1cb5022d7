"""The shrec-viewer command group, error messages and exit statuses."""

import errno
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, suppress
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

import click

from shrec_viewer.app.startup.selftest_line import SELFTEST, print_selftest
from shrec_viewer.cli.help import GroupedCommand
from shrec_viewer.cli.options import (
    INSTRUCTION,
    Command,
    Completions,
    UnknownNameError,
    complete_benchmark,
    did_you_mean,
    with_repeated_add,
)
from shrec_viewer.cli.terminal import OutputError, discard_stdout, print_message, replace_closed_streams
from shrec_viewer.entry_points import may_have_plugins
from shrec_viewer.printable import printable_lines, printable_streams
from shrec_viewer.shortages import shortage
from shrec_viewer.version import __version__

#: Module of every command in `shrec_viewer.cli`, and what the help says about it, in the order of the help.
COMMANDS = {
    "open": ("window", ""),
    "demo": ("window", "Open the bundled benchmark in a window."),
    "evaluate": ("scores.evaluate", "Scores of every run as table, CSV, JSON, LaTeX or Markdown."),
    "compare": ("scores.compare", "Compare two runs, or all: differences, significance, queries."),
    "correlate": ("scores.correlate", "Rank correlation of leaderboards: Kendall's tau and tau_AP."),
    "practical": ("scores.practical", "Bounds and estimates without complete ground truth."),
    "report": ("report", "Static site with the results of all runs."),
    "history": ("scores.history", "Former versions of a run and their scores."),
    "table": ("results", "What a panel shows, as CSV, JSON, LaTeX or Markdown."),
    "figure": ("figure", "One figure for a paper as SVG, PDF, PNG or PGF."),
    "export": ("results", "All tables, figures, findings and runs in one folder."),
    "diagnose": ("scores.diagnosis", "Why runs are weak: causes, models and classes that cost most."),
    "suspects": ("scores.diagnosis", "Doubtful relevance levels or labels, with evidence."),
    "robustness": ("scores.diagnosis", "Which differences of runs depend on the conventions."),
    "certainty": ("scores.certainty", "How sure the order of the runs is: other queries, pairs of runs."),
    "check": ("check", "List problems in the files; status 1 for errors."),
    "convert": ("convert", "Write a run in another format."),
    "thumbnails": ("thumbnails", "Render thumbnails of models and queries, and sheets of them."),
    "cache": ("thumbnails", "Size and limit of the disk caches; --clear empties them."),
    "measures": ("catalogue", "List measures and curves with definition and source."),
    "profiles": ("catalogue", "List the conventions of every contest with their sources."),
    "plugins": ("catalogue", "List the plug-ins of other packages."),
}

#: Command of a call that names none.
DEFAULT_COMMAND = "open"

#: Errors of a full or failing disk to which standard output is redirected; they have no file name.
STREAM_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

#: Exit status after a signal less its number, the convention of shells: 130 after Ctrl-C.
EXIT_SIGNALLED = 128

#: Signals after which a command deletes its drafts and ends; Windows has only the first.
TERMINATING_SIGNALS = ("SIGTERM", "SIGHUP")


class Terminated(KeyboardInterrupt):
    """SIGTERM or SIGHUP: handled like Ctrl-C, where Python would end without deleting temporary files."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


def load_command(name: str) -> GroupedCommand:
    """Import one of the `COMMANDS`."""
    module, command_help = COMMANDS[name]
    command = getattr(import_module(f"shrec_viewer.cli.{module}"), f"{name}_command")
    assert isinstance(command, GroupedCommand)
    command.short_help = command_help
    return command


class ProgramGroup(click.Group):
    """Command group that imports commands on use, and whose first argument may also be a benchmark to open."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of `COMMANDS` instead of alphabetically."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command; None if there is none of that name. Those of all contents have the contents of plug-ins too."""
        if cmd_name in ("figure", "table") and may_have_plugins():
            from shrec_viewer.plugins import install_plugins

            install_plugins()
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> Completions:
        """Files that can be opened, by the shell, commands and options."""
        return [*complete_benchmark(ctx, self.params[0], incomplete)[:1], *super().shell_complete(ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them, which takes as much time as a small evaluation."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items() if text])

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Both forms of the call."""
        return ["[BENCHMARK | COMMAND]", "[OPTIONS]"]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert the command ``open`` if the call has none, move options after the command, and repeat ``--add``."""
        return super().parse_args(ctx, with_repeated_add(self._with_command(args)))

    def _with_command(self, args: list[str]) -> list[str]:
        if not args and INSTRUCTION in os.environ:
            return []  # the first word is completed: a command, an option or a path
        own = {name for option in self.params for name in option.opts} | {"-h", "--help"}
        index = self._first_argument(args)
        before = args[:index]
        of_group, of_command = [arg for arg in before if arg in own], [arg for arg in before if arg not in own]
        if index == len(args):
            return of_group if of_group and not of_command else [*of_group, DEFAULT_COMMAND, *of_command]
        word, rest = args[index], args[index + 1 :]
        if word in COMMANDS:
            return [*of_group, word, *of_command, *rest]
        if word != "--" and not Path(word).exists() and INSTRUCTION not in os.environ:
            raise click.UsageError(
                f"there is no command and no file or folder '{word}'{did_you_mean(word, list(COMMANDS))}"
            )
        return [*of_group, DEFAULT_COMMAND, *of_command, word, *rest]

    @staticmethod
    def _first_argument(args: Sequence[str]) -> int:
        """Index of the first argument that is neither an option nor its value; `len(args)` if there is none."""
        if not args or not args[0].startswith("-"):
            return 0
        options = [option for option in load_command(DEFAULT_COMMAND).params if isinstance(option, click.Option)]
        takes_value = {name for option in options if not option.is_flag for name in option.opts}
        index = 0
        while index < len(args) and args[index].startswith("-") and args[index] != "--":
            index += 2 if args[index] in takes_value else 1
        return min(index, len(args))


def _change_desktop(ctx: click.Context, option: click.Parameter, is_given: bool) -> None:
    if is_given and not ctx.resilient_parsing:
        from shrec_viewer.cli.desktop_entry import change_desktop

        ctx.exit(change_desktop(str(option.name)))


def desktop_option(name: str, text: str) -> Callable[[Command], Command]:
    """Decorator that adds an option which changes the menu entry and ends the program; `text` is its help."""
    return click.option(name, is_flag=True, is_eager=True, expose_value=False, callback=_change_desktop, help=text)


@click.group(
    cls=ProgramGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit status: 0 success, 1 errors in the data or of a disk, 2 usage error, 130 interrupted.",
)
@click.version_option(__version__, "-V", "--version", prog_name="shrec-viewer", message="%(prog)s %(version)s")
@desktop_option(
    "--install-desktop", "Add the program to the menu, with icons and file types (Linux, installed with pip)."
)
@desktop_option("--uninstall-desktop", "Remove what --install-desktop added.")
@click.option("--debug", is_flag=True, help="Print the traceback of unexpected errors.")
def program(debug: bool) -> None:
    """Inspect, compare and evaluate 3D shape retrieval runs.

    BENCHMARK opens in a window: a folder, a benchmark.toml, a .zip or .tar.gz of a folder, or a single run.
    Without it, the welcome page opens. `shrec-viewer open --help` lists the options of the window.
    """
    from platformdirs import user_state_path

    from shrec_viewer.formats.io.atomic import WRITTEN_RESULTS
    from shrec_viewer.formats.io.owned_files import TEMPORARY_FILES

    state = user_state_path("shrec-viewer", appauthor=False)
    TEMPORARY_FILES.start(state / "temporary files")
    WRITTEN_RESULTS.start(state)
    if not may_have_plugins():
        return
    from shrec_viewer.plugins import install_plugins

    for failure in install_plugins().failures:
        print_message(f"warning: {failure}")


def run(arguments: Sequence[str]) -> int:
    """Run one call and return its exit status; every error becomes a message on standard error.

    Parameters
    ----------
    arguments : without the program name. ``--debug`` may be at any position.
    """
    _configure_streams()
    _handle_signals()
    if INSTRUCTION in os.environ:
        return _complete()
    with printable_streams():
        return _run(arguments, "--debug" in arguments)


def _run(arguments: Sequence[str], debug: bool) -> int:
    stdout = sys.stdout
    try:
        status = program.main([word for word in arguments if word != "--debug"], "shrec-viewer", standalone_mode=False)
        sys.stdout.flush()  # of `--help` and `--version`
        return status if isinstance(status, int) else 0
    except click.ClickException as problem:
        _print_usage_error(problem)
        if SELFTEST in arguments:
            print_selftest(problem.format_message())
        return problem.exit_code  # 2 for a usage error, else 1
    except (click.Abort, KeyboardInterrupt) as interrupt:
        cause = interrupt if isinstance(interrupt, KeyboardInterrupt) else interrupt.__cause__
        return EXIT_SIGNALLED + (cause.number if isinstance(cause, Terminated) else signal.SIGINT)
    except BrokenPipeError:
        discard_stdout()
        return 0
    except SystemExit:
        if sys.stdout is stdout:
            raise
        discard_stdout()  # `--help | head` closed the pipe: click 8.5 replaces the stream and exits with status 1
        return 0
    except BaseException as problem:  # also `asyncio.CancelledError` of another package
        if isinstance(problem, OSError) and problem.filename is None and problem.errno in STREAM_ERRORS:
            discard_stdout()
            print_message(OutputError(None, problem).message)
            return 1
        _report_error(problem, debug)
        if SELFTEST in arguments:
            print_selftest(str(problem))
        return 1


def _complete() -> int:
    """Print what a shell requested; nothing, and status 1, if that fails."""
    from click.shell_completion import shell_complete

    with open(os.devnull, "w", encoding="utf-8") as messages, redirect_stderr(messages), suppress(Exception):
        if may_have_plugins():
            from shrec_viewer.plugins import install_plugins

            install_plugins()
        return shell_complete(program, {}, "shrec-viewer", INSTRUCTION, os.environ[INSTRUCTION])
    return 1


def _handle_signals() -> None:
    """Raise `Terminated` at the signals that end the program, unless the caller ignores them (nohup)."""
    for name in TERMINATING_SIGNALS:
        if (number := getattr(signal, name, None)) is not None and signal.getsignal(number) is signal.SIG_DFL:
            with suppress(ValueError):  # only the main thread can set handlers
                signal.signal(number, _raise_terminated)


def _raise_terminated(number: int, _frame: object) -> None:
    raise Terminated(number)


def _configure_streams() -> None:
    """Escape characters that the terminal cannot encode, and write UTF-8 into pipes."""
    replace_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # In one call: setting the encoding alone resets `errors` to "strict".
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")


def _print_usage_error(problem: click.ClickException) -> None:
    if isinstance(problem, click.NoSuchOption):
        alike = _similar_options(problem.option_name, problem.possibilities or ())
        problem = click.NoSuchOption(problem.option_name, possibilities=alike, ctx=problem.ctx)
    print_message(" ".join(problem.format_message().split("\n\t")))  # click puts each choice on a separate line
    context = getattr(problem, "ctx", None)
    if isinstance(problem, UnknownNameError):
        print_message(problem.hint)
    elif context is not None:
        print_message(f"`{context.command_path} --help` lists the options")


def _similar_options(option: str, others: Sequence[str]) -> list[str]:
    """Options similar to an unknown one, compared without dashes."""
    bare = {other.lstrip("-"): other for other in others}
    return [bare[name] for name in get_close_matches(option.lstrip("-"), list(bare))]


def _report_error(problem: BaseException, debug: bool) -> None:
    """Print the message of a `ShrecViewerError` or a shortage; of any other exception, also where its traceback is."""
    lacking = shortage(problem)  # before the imports, which may fail, too
    if lacking is not None and not debug:
        print_message(lacking)
        return
    from traceback import format_exception

    from shrec_viewer.domain import ShrecViewerError

    if isinstance(problem, ShrecViewerError):
        print_message(problem.standalone_message)
        return
    details = "".join(format_exception(problem))
    print_message(f"unexpected error: {type(problem).__name__}: {problem}")
    if debug:
        with suppress(OSError):
            sys.stderr.write(details)
        return
    log = _append_log(details)
    print_message(f"the details are in {log}" if log else "run the command with --debug for the details")


def _append_log(details: str) -> Path | None:
    """Append to the log of the command line; returns its path, or None if it cannot be written."""
    from datetime import datetime

    from platformdirs import user_log_path

    path = user_log_path("shrec-viewer", appauthor=False) / "command-line.log"
    call = " ".join(sys.argv[1:])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as log:
            text = f"{datetime.now():%Y-%m-%d %H:%M:%S} shrec-viewer {__version__}: {call}\n{details}\n"
            log.write(printable_lines(text))
    except OSError:
        return None
    return path
