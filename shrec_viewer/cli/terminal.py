"""Output: results to stdout or a file, messages and progress to stderr."""

import errno
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOBase
from pathlib import Path
from time import monotonic
from typing import Any, TextIO

import click

FIRST_PROGRESS_S = 10.0
"""Seconds of silence after which a log is told what goes on; then every minute."""

PROGRESS_INTERVAL_S = 60.0

Progress = Callable[[int, int, str], None]
"""(done, total, what) -> None; total is 0 where nobody knows it."""

STANDARD_OUTPUT = Path("-")
"""What ``--output -`` names."""


_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""What would move the cursor, colour or break a line, turn the direction of writing, or cannot be encoded at all."""

_SURROGATE_BYTES = range(0xDC80, 0xDD00)
"""How Python keeps the bytes of a file name that is not UTF-8: as these, plus 0x80 to 0xff."""


def printable(text: str) -> str:
    r"""One line without control characters: names of files may hold any, and those that are not UTF-8 bytes.

    Examples
    --------
    >>> print(printable("red\x1b[31m\n"), printable("caf\udce9"))
    red\x1b[31m\n caf\xe9
    """
    return _UNPRINTABLE.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code - 0xDC00:02x}" if code in _SURROGATE_BYTES else found[0].encode("unicode_escape").decode()


def print_message(sentence: str) -> None:
    """One line for the person, on standard error; where nobody can hear it, nothing goes wrong for that."""
    try:
        click.echo(f"shrec-viewer: {printable(sentence)}", err=True)
    except OSError:
        _redirect_to_devnull(sys.stderr)


class _ClosedStream(TextIOBase):
    """Standard output where the caller closed it: what others print is lost, a result is not (see `write_result`)."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        """Let it go."""
        return len(text)


def replace_closed_streams() -> None:
    """Put something in the place of standard streams that the caller closed (``>&-``, some services).

    Their numbers are taken as well, or the next file that is opened would be written to by whoever prints.
    """
    for number, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is not None:
            continue
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one, or that of standard input
        nowhere = _ClosedStream() if name == "stdout" else open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for good
        setattr(sys, name, nowhere)


def is_terminal(output: Path | None) -> bool:
    """Whether the result goes to a terminal, where colours and the width of the window mean something."""
    return output in (None, STANDARD_OUTPUT) and sys.stdout.isatty()


class ResultFile(click.Path):
    """The file that ``--output`` names: that it cannot be written is said before all work."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, or a sentence why nothing can be written there."""
        path = super().convert(value, param, ctx)
        if isinstance(path, Path) and path != STANDARD_OUTPUT:
            self._check(path)
        return path

    @staticmethod
    def _check(path: Path) -> None:
        folder = path.resolve().parent
        if not folder.is_dir():
            raise click.FileError(str(path), hint=os.strerror(errno.ENOENT))
        place = path if path.exists() and not path.is_file() else folder  # a file is replaced, a device written to
        if not os.access(place, os.W_OK):
            raise click.FileError(str(path), hint=os.strerror(errno.EACCES))


def write_result(text: str, output: Path | None) -> None:
    """Write a whole result: to standard output, or to a file that appears complete or not at all.

    A reader of standard output that has seen enough (``| head``) is no error.

    Raises
    ------
    click.FileError
        When the file cannot be written.
    click.ClickException
        When standard output is closed, or full.
    """
    if output in (None, STANDARD_OUTPUT):
        try:
            if isinstance(sys.stdout, _ClosedStream):
                raise OSError(errno.EBADF, "it is closed")
            sys.stdout.write("\n".join(map(printable, text.split("\n"))) if is_terminal(output) else text)
            sys.stdout.flush()
        except BrokenPipeError:
            discard_stdout()
        except OSError as problem:
            discard_stdout()
            why = (problem.strerror or str(problem)).lower()
            message = f"the result cannot be written to standard output: {why}; --output FILE writes it to a file"
            raise click.ClickException(message) from problem
        return
    assert output is not None
    try:
        _write_file(output, text)
    except OSError as problem:
        raise click.FileError(str(output), hint=problem.strerror or str(problem)) from problem


def discard_stdout() -> None:
    """Point standard output nowhere, so that Python's last flush does not complain about the closed pipe."""
    _redirect_to_devnull(sys.stdout)


def _redirect_to_devnull(stream: TextIO) -> None:
    with suppress(OSError, ValueError):  # a stream without a number needs nothing
        number = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)


def _write_file(path: Path, text: str) -> None:
    if path.exists() and not path.is_file():  # a device or a pipe: there is nothing to replace
        path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
        return
    from shrec_viewer.formats.io.atomic import atomic_path

    with atomic_path(path) as draft:
        draft.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")


class _ProgressLines:
    """Says now and then what goes on."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._next = monotonic() + FIRST_PROGRESS_S

    def show(self, done: int, total: int, what: str) -> None:
        """Say it, if it is time."""
        if monotonic() >= self._next:
            self._next = monotonic() + PROGRESS_INTERVAL_S
            of = f" of {total:,}" if total else ""
            print_message(f"{self._title.lower()}: {done:,}{of} {what}".rstrip())


@contextmanager
def progress_bar(title: str) -> Iterator[Progress | None]:
    """A bar on standard error while it is a terminal, gone afterwards; else a line where it takes long."""
    if not sys.stderr.isatty():
        yield _ProgressLines(title).show
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    last = TextColumn("{task.fields[what]}", markup=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), last)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None, what="")

        def show(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total or None, what=printable(what))

        yield show
