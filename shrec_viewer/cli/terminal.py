"""What goes where: results to standard output or a file, words and progress to standard error."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

Progress = Callable[[int, int, str], None]
"""(done, total, what) -> None; total is 0 where nobody knows it."""

STANDARD_OUTPUT = Path("-")
"""What ``--output -`` names."""


def say(sentence: str) -> None:
    """One line for the person, on standard error."""
    click.echo(f"shrec-viewer: {sentence}", err=True)


def is_screen(output: Path | None) -> bool:
    """Whether the result goes to a terminal, where colours and the width of the window mean something."""
    return output in (None, STANDARD_OUTPUT) and sys.stdout.isatty()


def deliver(text: str, output: Path | None) -> None:
    """Write a whole result: to standard output, or to a file that appears complete or not at all.

    A reader of standard output that has seen enough (``| head``) is no error.

    Raises
    ------
    click.FileError
        When the file cannot be written.
    """
    if output in (None, STANDARD_OUTPUT):
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError:
            stop_listening()
        return
    assert output is not None
    try:
        _replace(output, text)
    except OSError as problem:
        raise click.FileError(str(output), hint=problem.strerror or str(problem)) from problem


def stop_listening() -> None:
    """Point standard output nowhere, so that Python's last flush does not complain about the closed pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _replace(path: Path, text: str) -> None:
    if path.exists() and not path.is_file():  # a device or a pipe: there is nothing to replace
        path.write_text(text, encoding="utf-8", newline="")
        return
    target = path.resolve()  # a link stays one
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        draft.write_text(text, encoding="utf-8", newline="")
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def progress_bar(title: str) -> Iterator[Progress | None]:
    """A bar on standard error while it is a terminal, and nothing otherwise; it is gone afterwards."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[what]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None, what="")

        def show(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total or None, what=what)

        yield show
