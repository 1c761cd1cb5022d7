"""The report command: the contest site of a benchmark."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shrec_viewer.cli.benchmark import benchmark_to_score, require_names, with_edits_as_source
from shrec_viewer.cli.conventions import print_conventions
from shrec_viewer.cli.options import (
    BenchmarkRequest,
    benchmark_command,
    force_option,
    measure_option,
    measures_to_compute,
    output_folder_option,
    run_option,
)
from shrec_viewer.cli.terminal import print_message, progress_bar

if TYPE_CHECKING:
    from shrec_viewer.report.site.images import ImageSource

#: Maximum number of processes that draw models: each needs 130 MB.
MAX_PROCESSES = 8

#: Keys of the pages that can be left out; a copy, as their table imports numpy.
OPTIONAL_PAGES = ("confusions", "diagnosis", "robustness", "suspects", "edits", "findings")

EXAMPLES = """\b
Examples:
  shrec-viewer report demo --output site
  shrec-viewer report shrec06 --profile shrec2006 --output site
  shrec-viewer report shrec06 --blind --output blind --virtual "oracle()"
  shrec-viewer report demo --participant Alder --output for_alder"""


@dataclass(frozen=True, kw_only=True, eq=False)
class ReportRequest(BenchmarkRequest):
    """Arguments and options of `report`."""

    output: Path
    run: tuple[str, ...]
    measure: tuple[str, ...]
    blind: bool
    participant: str | None
    first: int | None
    without: tuple[str, ...]


@benchmark_command("report", ReportRequest, epilog=EXAMPLES)
@run_option("Only this run; repeatable.")
@measure_option(
    "Only this measure, and those of the main tables; `all` for every measure; repeatable.", multiple=True, has_all=True
)
@click.option("--blind", is_flag=True, help="Pseudonyms for all participants and runs.")
@click.option("--participant", metavar="NAME", help="Pseudonyms for all participants but this one.")
@click.option(
    "--first",
    type=click.IntRange(0, 1000),
    metavar="N",
    help="Models shown of each ranked list; default: 50, fewer if there are more than 3,000 lists; 0 for no images.",
)
@click.option(
    "--without",
    type=click.Choice(OPTIONAL_PAGES),
    multiple=True,
    help="Leave this page out; repeatable. The window proposes to leave out suspects, edits and findings.",
)
@output_folder_option("Folder of the site; an earlier site is replaced.")
@force_option
def report_command(request: ReportRequest) -> int:
    """Write the results of BENCHMARK as a static site, which opens in a browser without server or network.

    Pages: collection, participants, classification and assessment; all runs with means, significance and curves; each
    participant, run and query with the first models of all lists; confusions of classes; measures with definitions and
    worked examples; findings; inputs with SHA-256. Values are those of `evaluate` with the same options.

    The same files and options give the same bytes. DIR appears complete or not at all; a folder with other files is not
    replaced. --blind and --participant replace names in pages, links, paths and findings; the pseudonyms follow from
    the content of the runs and are the same in all editions.
    """
    if request.blind and request.participant is not None:
        raise click.UsageError("--blind and --participant exclude each other")
    from shrec_viewer.formats.core.findings_log import count_of
    from shrec_viewer.report.site.builder import SiteOptions, build_site, site_scores
    from shrec_viewer.report.site.site_folder import check_target
    from shrec_viewer.report.site.templates import file_size

    output = request.output
    check_target(output)  # before minutes of work
    with benchmark_to_score(request, request.run) as (opened, profile):
        opened = with_edits_as_source(opened, request)
        if request.participant is not None:
            known = dict.fromkeys(run.participant for run in opened.runs if not run.expression)
            require_names("participant", [request.participant], [*known])
        measures, extra = measures_to_compute(request.measure)
        virtual = [one.name for one in opened.runs if one.expression]
        with progress_bar("Building") as progress:
            scores = site_scores(
                opened,
                profile,
                runs=(*request.run, *virtual) if request.run else None,
                measures=measures,
                extra_measures=extra,
                jobs=request.n_jobs,
                progress=progress,
            )
            options = SiteOptions(request.blind, request.participant, request.first, request.without)
            images = _images(request.first)
            summary = build_site(scores, output, images, options, jobs=request.n_jobs, progress=progress)
        print_conventions(scores)
    counts = (count_of(summary.pages, "page"), count_of(summary.images, "image"), file_size(summary.size))
    print_message(f"{', '.join(counts)}; open {output / 'index.html'}")
    if summary.missing_images:
        print_message(f"{count_of(summary.missing_images, 'model')} without an image; the pages state why")
    return int(opened.has_errors)


def _images(first: int | None) -> "ImageSource":
    from os import cpu_count

    from shrec_viewer.report.site.images import cached_images, no_images
    from shrec_viewer.viewmodels.thumbnails.image_reader import read_image_or_svg

    if first == 0:
        return no_images
    processes = min(cpu_count() or 2, MAX_PROCESSES)
    return cached_images(read_image_or_svg, processes=processes)
