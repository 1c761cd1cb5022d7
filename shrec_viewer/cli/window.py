"""The commands that open a window: the bare call, and ``demo``."""

from pathlib import Path

import click

from shrec_viewer.cli.display import why_no_window
from shrec_viewer.cli.inputs import DEMO, as_parts, part_options, existing

selftest_option = click.option(
    "--selftest", is_flag=True, help="Open the window, wait until all is drawn, print milestones as JSON, close."
)


@click.command("open", hidden=True)
@click.argument("benchmark", metavar="[BENCHMARK]", required=False)
@part_options
@selftest_option
def open_command(benchmark: str | None, selftest: bool, **parts: Path | None) -> int:
    """Open BENCHMARK in a window; without it, the welcome page."""
    return 0


@click.command("demo")
@selftest_option
def demo_command(selftest: bool) -> int:
    """Open the bundled benchmark in a window."""
    return 0
