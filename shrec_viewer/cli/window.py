"""The open and demo commands, which open a window."""

import gc
import os
import signal
import time
from contextlib import suppress
from dataclasses import replace
from shlex import quote
from typing import Any

import click

from shrec_viewer.app.startup.selftest_line import SELFTEST, print_selftest
from shrec_viewer.cli.display import window_unavailable_reason
from shrec_viewer.cli.help import GroupedCommand
from shrec_viewer.cli.options import (
    DEMO,
    BenchmarkRequest,
    benchmark_parts,
    complete_benchmark,
    convention_options,
    edit_options,
    part_options,
    resolve_path,
)
from shrec_viewer.cli.program import TERMINATING_SIGNALS
from shrec_viewer.cli.terminal import print_message

#: Those of Python: widgets that are closed are unreachable objects, which other commands have few of.
COLLECTION_THRESHOLDS = (700, 10, 10)

selftest_option = click.option(
    SELFTEST, is_flag=True, help="Open the window, wait until everything is drawn, print milestones as JSON, close."
)


@click.command("open", cls=GroupedCommand, hidden=True)
@click.argument("benchmark", metavar="[BENCHMARK]", required=False, shell_complete=complete_benchmark)
@click.argument("more", metavar="", nargs=-1)
@convention_options()
@edit_options
@part_options
@selftest_option
def open_command(benchmark: str | None, more: tuple[str, ...], selftest: bool, **options: Any) -> int:
    """Open BENCHMARK in a window, or the welcome page.

    The same as `shrec-viewer BENCHMARK`. BENCHMARK is a folder, a benchmark.toml, a .zip or .tar.gz of a folder,
    or a single run. Nothing is written.
    """
    if more:
        raise click.UsageError(f"one benchmark can be opened, and '{more[0]}' is a second path; is it a run to --add?")
    if benchmark is None and (given := next((name for name, value in options.items() if value not in (None, ())), "")):
        raise click.UsageError(f"--{given.replace('_', '-')} needs a BENCHMARK")
    return _open_window(benchmark, options, selftest)


@click.command("demo", cls=GroupedCommand)
@convention_options()
@edit_options
@part_options
@selftest_option
def demo_command(selftest: bool, **options: Any) -> int:
    """Open the bundled benchmark in a window.

    Without a display, `shrec-viewer evaluate demo` prints its scores.
    """
    return _open_window(DEMO, options, selftest)


def _open_window(benchmark: str | None, options: dict[str, Any], selftest: bool) -> int:
    started = _process_start()
    gc.set_threshold(*COLLECTION_THRESHOLDS)
    parts, profile, edits = None, None, None
    virtual: tuple[str, ...] = ()
    if any(value not in (None, ()) for value in options.values()):
        # Only then are they imported: the window is shown before numpy is.
        request = BenchmarkRequest(benchmark=str(benchmark), parts=benchmark_parts(options), **options)
        parts, profile, edits, virtual = request.parts, request.profile_text, request.edits, request.virtual
    path = None if benchmark is None else resolve_path(benchmark)
    if path is not None and path.suffix.lower() == ".cla" and path.is_file():
        # A double click on a classification: a benchmark is the folder it is in.
        from shrec_viewer.formats.manifest.parts import BenchmarkParts

        parts = parts or BenchmarkParts()
        parts = replace(parts, classification=parts.classification or path)
        path = path.absolute().parent
    if reason := window_unavailable_reason():
        print_message(reason)
        print_message(f"`shrec-viewer evaluate {quote(benchmark or DEMO)}` works without a window")
        if selftest:
            print_selftest(reason)
        return 1
    _end_at_signals()
    from shrec_viewer.app.startup.main import run_window

    return run_window(
        path, parts=parts, profile=profile, edits=edits, virtual=virtual, selftest=selftest, started=started
    )


def _end_at_signals() -> None:
    """Let signals end the process at once until the event loop handles them.

    The exception of their handlers would be lost in a slot of Qt, and aborts the import of PySide6 6.10.
    """
    for name in ("SIGINT", *TERMINATING_SIGNALS):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, signal.SIG_DFL):
            with suppress(ValueError):  # in another thread
                signal.signal(number, signal.SIG_DFL)


def _process_start() -> float:
    """`time.perf_counter` at the start of this process, to 0.01 s; the current time outside Linux."""
    now = time.perf_counter()
    try:
        with open("/proc/self/stat", encoding="utf-8") as file:
            began = int(file.read().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        return now - (time.clock_gettime(time.CLOCK_BOOTTIME) - began)
    except (OSError, AttributeError):
        return now
