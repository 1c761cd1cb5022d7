"""Output: results to stdout or a file, messages and progress to stderr."""

import errno
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import TextIOBase
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from time import monotonic
from typing import TYPE_CHECKING, Any, TextIO

import click

from shrec_viewer.printable import printable, printable_lines, printable_streams, unfiltered
from shrec_viewer.report.tables.text import OutputColumn

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

#: Seconds until the first progress line where standard error is not a terminal.
FIRST_PROGRESS_S = 10.0

#: Seconds between further progress lines.
PROGRESS_INTERVAL_S = 60.0

#: ``(done, total, what) -> None``; total is 0 while it is unknown.
Progress = Callable[[int, int, str], None]

#: Value of ``--output -``.
STANDARD_OUTPUT = Path("-")


def print_message(text: str, *lines: str) -> None:
    """Print a line, and further ones below it, on standard error; a closed standard error is ignored."""
    try:
        click.echo("\n".join(map(printable, (f"shrec-viewer: {text}", *lines))), err=True)
    except OSError:
        _redirect_to_devnull(sys.stderr)


class _ClosedStream(TextIOBase):
    """Replacement of a closed standard output: discards text; `write_result` reports an error."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        """Discard the text."""
        return len(text)


def replace_closed_streams() -> None:
    """Replace standard streams that the caller closed (``>&-``, some services).

    Their file descriptors are opened as well; otherwise the next file to be opened would receive printed text.
    """
    for number, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is not None:
            continue
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free descriptor: this one, or that of standard input
        replacement = _ClosedStream() if name == "stdout" else open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - never closed
        setattr(sys, name, replacement)


def is_terminal(output: Path | None) -> bool:
    """Whether the result is printed to a terminal, in its width and with colours."""
    return output in (None, STANDARD_OUTPUT) and sys.stdout.isatty()


def terminal_width() -> int:
    """Characters of a line: ``COLUMNS``, or of the terminal of any standard stream, for ``| less`` and ``| head``.

    80 without a terminal. Shells do not export ``COLUMNS``.
    """
    width = 80
    for stream in (sys.__stderr__, sys.__stdin__):
        if stream is None:  # closed by the caller
            continue
        with suppress(OSError, ValueError):  # not a terminal
            width = os.get_terminal_size(stream.fileno()).columns or width
            break
    return get_terminal_size((width, 24)).columns


#: Maximum characters of a line of prose, also in a wider terminal.
MAX_LINE_LENGTH = 100


def wrapped(text: str) -> str:
    """A paragraph in lines of the width of the terminal, without control characters."""
    width = min(terminal_width(), MAX_LINE_LENGTH)
    return fill(printable(text), width, break_long_words=False, break_on_hyphens=False)


def open_console() -> "Console":
    """A console of rich on standard output, for text of `styled`."""
    from rich.console import Console

    return Console(highlight=False, file=unfiltered(sys.stdout))


def styled(text: str, style: str = "") -> "Text":
    """Text of rich with control characters escaped: rich itself removes BEL, BS, VT, FF and CR only."""
    from rich.text import Text

    return Text(printable_lines(text), style)


#: Errors of paths through files or folders that do not exist: a wrong call, not a failing disk.
_WRONG_PATH_ERRORS = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST)


class OutputError(click.ClickException):
    """A result cannot be written; exit status 1, but 2 if the path is wrong.

    Parameters
    ----------
    path : file; None for standard output.
    error : why it cannot be written.
    """

    def __init__(self, path: Path | None, error: OSError) -> None:
        why = error.strerror or str(error)
        text = f"{path} cannot be written: {why}"
        if path is None:
            text = f"the result cannot be written to standard output: {why.lower()}; --output FILE writes it to a file"
        super().__init__(text)
        self.exit_code = 2 if error.errno in _WRONG_PATH_ERRORS else 1  # type: ignore[misc]  # click: a class variable


class NewPath(click.Path):
    """Parameter type of a path that need not exist; a name that the system refuses is a usage error."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; raises `click.UsageError` for a name that is too long, or a circular link."""
        path = super().convert(value, param, ctx)
        try:
            os.stat(path)
        except OSError as error:
            if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
                raise click.UsageError(
                    f"Could not open file '{os.fsdecode(path)}': {os.strerror(error.errno)}", ctx
                ) from error
        return path


class OutputPath(NewPath):
    """Parameter type of an output: a path that cannot be written is reported before any computation.

    In a folder that does not exist, it is a usage error.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; raises `OutputError` if it cannot be written."""
        path = super().convert(value, param, ctx)
        if isinstance(path, Path) and path != STANDARD_OUTPUT:
            self._check(path, ctx)
        return path

    @staticmethod
    def _check(path: Path, ctx: click.Context | None) -> None:
        folder = path.resolve().parent
        if not folder.is_dir():
            raise click.UsageError(f"Could not open file '{path}': {os.strerror(errno.ENOENT)}", ctx)
        target = path if path.exists() and not path.is_file() else folder  # files are replaced, devices written to
        if not os.access(target, os.W_OK):
            raise OutputError(path, OSError(errno.EACCES, os.strerror(errno.EACCES)))


class ResultFile(OutputPath):
    """Parameter type of ``--output`` of a file."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)


def write_result(text: str, output: Path | None, *, has_colours: bool = False, is_data: bool = False) -> None:
    """Write a result to standard output, or to a file, which appears complete or not at all.

    Control characters are escaped, unless the text has colours, which rich adds to that of `styled` on a terminal, or
    is data for other programs and written to a file.
    A reader that closes standard output early (``| head``) is not an error.

    Raises
    ------
    OutputError
        When the file cannot be written, or standard output is closed or full.
    """
    if output not in (None, STANDARD_OUTPUT):
        assert output is not None
        shown = text if is_data else printable_lines(text)
        write_bytes(shown.encode("utf-8", "surrogateescape"), output)
        return
    with _output_errors(None):
        (unfiltered(sys.stdout) if has_colours else sys.stdout).write(text)
        sys.stdout.flush()


def write_bytes(content: bytes, output: Path) -> None:
    """Write a result to standard output, or to a file, which appears complete or not at all.

    Raises
    ------
    OutputError
        See `write_result`.
    """
    from shrec_viewer.formats.io.atomic import WRITTEN_RESULTS, atomic_path

    with _output_errors(output):
        if output == STANDARD_OUTPUT:
            stream = unfiltered(sys.stdout)
            stream.buffer.write(content)
            stream.flush()
            return
        with atomic_path(output) as draft:
            draft.write_bytes(content)
        WRITTEN_RESULTS.add(output)


@contextmanager
def _output_errors(output: Path | None) -> Iterator[None]:
    """Raise `OutputError` for errors of writing; a closed pipe is none."""
    is_stdout = output in (None, STANDARD_OUTPUT)
    try:
        if is_stdout and isinstance(unfiltered(sys.stdout), _ClosedStream):
            raise OSError(errno.EBADF, "it is closed")
        yield
    except OSError as problem:
        if is_stdout:
            discard_stdout()
        if not (is_stdout and isinstance(problem, BrokenPipeError)):
            raise OutputError(None if is_stdout else output, problem) from problem


def discard_stdout() -> None:
    """Redirect standard output to the null device, so that the flush at exit does not fail on a closed pipe."""
    _redirect_to_devnull(sys.stdout)


def _redirect_to_devnull(stream: TextIO) -> None:
    with suppress(OSError, ValueError):  # a stream without a file descriptor
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


class _ProgressLines:
    """Prints progress as lines, for log files."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._next = monotonic() + FIRST_PROGRESS_S

    def show(self, done: int, total: int, what: str) -> None:
        """Print a line if the interval is over."""
        if monotonic() >= self._next:
            self._next = monotonic() + PROGRESS_INTERVAL_S
            of = f" of {total:,}" if total else ""
            print_message(f"{self._title.lower()}: {done:,}{of} {what}".rstrip())


#: Time between two drawings of a progress bar: by the caller, as a process with a thread of rich is not forked.
DRAWING_INTERVAL_S = 0.1


@contextmanager
def progress_bar(title: str) -> Iterator[Progress | None]:
    """Context manager of a progress bar on standard error; where that is not a terminal, of occasional lines."""
    if not sys.stderr.isatty():
        yield _ProgressLines(title).show
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    last = TextColumn("{task.fields[what]}", markup=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), last)
    console = Console(file=unfiltered(sys.stderr))
    # While it is shown, rich replaces both streams by its own, which pass colours and links of other text on.
    with Progress(*columns, console=console, transient=True, auto_refresh=False) as bar, printable_streams():
        task, drawn_at = bar.add_task(title, total=None, what=""), monotonic()

        def show(done: int, total: int, what: str) -> None:
            nonlocal drawn_at
            is_due = monotonic() - drawn_at >= DRAWING_INTERVAL_S
            bar.update(task, completed=done, total=total or None, what=printable(what), refresh=is_due)
            drawn_at = monotonic() if is_due else drawn_at

        yield show


#: Rich style of the best value of a column; bold on terminals without colours.
BEST_STYLE = "bold green"

#: Characters after which a title like ``AP(rel=2)`` is wrapped to two lines.
MAX_TITLE_LENGTH = 8


def split_table(leading: Sequence[OutputColumn], columns: Sequence[OutputColumn], width: int) -> "list[Table]":
    """Tables of at most `width` characters; numbers are never truncated.

    The first table begins with all leading columns, the others with those that identify a row. Every table has at least
    one column of numbers, also on a narrower terminal.
    """
    groups = fit_columns(leading, columns, width)
    begins = [leading, *[_identifying_columns(leading)] * (len(groups) - 1)]
    return [_rich_table([*begin, *group]) for begin, group in zip(begins, groups or [[]], strict=True)]


def fit_columns(
    leading: Sequence[OutputColumn], columns: Sequence[OutputColumn], width: int
) -> list[list[OutputColumn]]:
    """Split columns into groups, each as large as fits next to the leading columns in a table of `split_table`."""
    from rich.console import Console
    from rich.measure import Measurement

    console = Console(width=10_000)
    groups: list[list[OutputColumn]] = []
    for column in columns:
        if groups:
            begin = leading if len(groups) == 1 else _identifying_columns(leading)
            wider = _rich_table([*begin, *groups[-1], column])
            if Measurement.get(console, console.options, wider).maximum <= width:
                groups[-1].append(column)
                continue
        groups.append([column])
    return groups


def _identifying_columns(leading: Sequence[OutputColumn]) -> Sequence[OutputColumn]:
    """The first column, and others that are needed to identify a row: not the participant, which the run determines."""
    first = leading[0].cells
    return [c for c in leading if c is leading[0] or len(set(zip(first, c.cells, strict=True))) > len(set(first))]


def _rich_table(columns: Sequence[OutputColumn]) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    rows = []
    for column in columns:
        titles, cells = _wrapped_title(column).split("\n"), [printable(cell) for cell in column.plain_cells]
        # Aligned here: rich does not justify columns with no_wrap.
        width = max(map(len, [*titles, *cells]))
        align = str.rjust if column.is_number else str.ljust
        title = styled("\n".join(align(line, width) for line in titles))
        table.add_column(title, vertical="bottom", no_wrap=True, overflow="ignore")
        styles = [BEST_STYLE if row in column.best else "" for row in range(len(cells))]
        rows.append([styled(align(cell, width), style) for cell, style in zip(cells, styles, strict=True)])
    for row in zip(*rows, strict=True):
        table.add_row(*row)
    return table


def _wrapped_title(column: OutputColumn) -> str:
    title = f"{printable(column.title)}{column.arrow}"
    if len(column.title) > MAX_TITLE_LENGTH and "(" in title:
        title = title.replace("(", "\n(", 1)
    return title
