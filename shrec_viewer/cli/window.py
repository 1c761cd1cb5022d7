"""The open and demo commands, which open a window."""

import gc
import os
import time
from pathlib import Path
from shlex import quote

import click

from shrec_viewer.app.startup.selftest_line import SELFTEST, print_selftest
from shrec_viewer.cli.display import window_unavailable_reason
from shrec_viewer.cli.options import DEMO, benchmark_parts, part_options, resolve_path
from shrec_viewer.cli.terminal import print_message

COLLECTION_THRESHOLDS = (700, 10, 10)
"""Those of Python: widgets that are closed are unreachable objects, which other commands have few of."""

selftest_option = click.option(
    SELFTEST, is_flag=True, help="Open the window, wait until everything is drawn, print milestones as JSON, close."
)


def _existing_paths(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> tuple[Path, ...]:
    for value in values:
        # Never raises, unlike `click.Path` for a name with a null character.
        if not os.path.exists(value):
            raise click.UsageError(f"there is no file or folder '{value}'")
    return tuple(map(Path, values))


add_option = click.option(
    "--add",
    callback=_existing_paths,
    metavar="RUN",
    multiple=True,
    help="Add a run or a submission (file, folder or archive) to the open benchmark; repeatable. Nothing is written.",
)
more_runs_argument = click.argument("more", metavar="", nargs=-1, callback=_existing_paths)
"""Further runs after ``--add RUN``: click has no options with any number of values."""


@click.command("open", hidden=True)
@click.argument("benchmark", metavar="[BENCHMARK]", required=False)
@more_runs_argument
@part_options
@add_option
@selftest_option
def open_command(
    benchmark: str | None, more: tuple[Path, ...], add: tuple[Path, ...], selftest: bool, **parts: Path | None
) -> int:
    """Open BENCHMARK in a window, or the welcome page.

    The same as `shrec-viewer BENCHMARK`. BENCHMARK is a folder, a benchmark.toml, a .zip or .tar.gz of a folder,
    or a single run.
    """
    return _open_window(benchmark, parts, selftest, _added_runs(add, more))


@click.command("demo")
@more_runs_argument
@add_option
@selftest_option
def demo_command(more: tuple[Path, ...], add: tuple[Path, ...], selftest: bool) -> int:
    """Open the bundled benchmark in a window.

    Without a display, `shrec-viewer evaluate demo` prints its scores.
    """
    return _open_window(DEMO, {}, selftest, _added_runs(add, more))


def _added_runs(add: tuple[Path, ...], more: tuple[Path, ...]) -> tuple[Path, ...]:
    """Runs of ``--add A B --add C``; other paths without it are a usage error."""
    if more and not add:
        raise click.UsageError(f"one benchmark can be opened, and '{more[0]}' is a second path; is it a run to --add?")
    return tuple(path.absolute() for path in (*add, *more))


def _open_window(
    benchmark: str | None, parts: dict[str, Path | None], selftest: bool, added_runs: tuple[Path, ...]
) -> int:
    started = _process_start()
    gc.set_threshold(*COLLECTION_THRESHOLDS)
    if added_runs and benchmark is None:
        raise click.UsageError("--add needs a BENCHMARK")
    path = None if benchmark is None else resolve_path(benchmark)
    if path is not None and path.suffix.lower() == ".cla" and path.is_file():
        # A double click on a classification: a benchmark is the folder it is in.
        path, parts = path.absolute().parent, {**parts, "classification": parts.get("classification") or path}
    if reason := window_unavailable_reason():
        print_message(reason)
        print_message(f"`shrec-viewer evaluate {quote(benchmark or DEMO)}` works without a window")
        if selftest:
            print_selftest(reason)
        return 1
    from shrec_viewer.app.startup.main import run_window

    given = benchmark_parts(parts) if any(value is not None for value in parts.values()) else None
    return run_window(path, parts=given, selftest=selftest, started=started, added_runs=added_runs)


def _process_start() -> float:
    """`time.perf_counter` at the start of this process, to 0.01 s; the current time outside Linux."""
    now = time.perf_counter()
    try:
        with open("/proc/self/stat", encoding="utf-8") as file:
            began = int(file.read().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        return now - (time.clock_gettime(time.CLOCK_BOOTTIME) - began)
    except (OSError, AttributeError):
        return now
