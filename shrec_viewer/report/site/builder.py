"""Build a contest site: evaluate, read the lists, draw the models, and write all pages."""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.comparison.significance import RunSignificance, run_significance
from shrec_viewer.evaluation.evaluate import Progress, evaluate, find_run, make_checkpoint, never_cancelled
from shrec_viewer.evaluation.geometry_evidence import geometry_note
from shrec_viewer.evaluation.parallel.local import run_in_copies
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.discovery.listing import SITE_MANIFEST, SITE_SCHEMA
from shrec_viewer.metrics import Profile
from shrec_viewer.report.site.contest_site import ContestSite
from shrec_viewer.report.site.editions import make_edition
from shrec_viewer.report.site.images import ImageSource, draw_images
from shrec_viewer.report.site.inputs import hash_inputs
from shrec_viewer.report.site.lists import models_shown, read_lists
from shrec_viewer.report.site.overview_pages import example_models
from shrec_viewer.report.site.pages import PAGES
from shrec_viewer.report.site.result_pages import DYNAMIC_RECALL_KEY, RANKS_TABLE_KEY, main_curves, relevant_models
from shrec_viewer.report.site.site_folder import check_target, site_folder
from shrec_viewer.report.site.templates import SCRIPT, STYLE_SHEET, site_templates, style_sheet_values
from shrec_viewer.resources import resource
from shrec_viewer.version import __version__

#: Scores of all runs in one measure up to which all measures are tested: 0.2 s for each, and seconds for more.
MAX_TESTED_SCORES = 5000


@dataclass(frozen=True)
class SiteOptions:
    """What a site shows.

    Attributes
    ----------
    blind, participant : see `make_edition`.
    first : models shown of each list; None for `models_shown`.
    without : keys of pages of `OPTIONAL_PAGES` that are left out.
    """

    blind: bool = False
    participant: str | None = None
    first: int | None = None
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class SiteSummary:
    """Numbers of a site that was built: pages, images, models without an image, and bytes."""

    pages: int
    images: int
    missing_images: int
    size: int


def site_scores(
    benchmark: Benchmark,
    profile: Profile,
    *,
    runs: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
    extra_measures: Sequence[str] = (),
    jobs: int = 1,
    cancelled: Callable[[], bool] = never_cancelled,
    progress: Progress | None = None,
) -> Scores:
    """Scores of a site: as those of `evaluate`, with the measures of the tables of 2006; for no runs, too."""
    if runs is not None:
        benchmark = replace(benchmark, runs=tuple(find_run(benchmark, name) for name in dict.fromkeys(runs)))
    return evaluate(
        benchmark,
        profile,
        measures=measures,
        extra_measures=(*extra_measures, profile.headline, DYNAMIC_RECALL_KEY, RANKS_TABLE_KEY),
        jobs=jobs,
        cancelled=cancelled,
        progress=progress,
    )


def build_site(
    scores: Scores,
    target: Path,
    images: ImageSource,
    options: SiteOptions,
    *,
    jobs: int = 1,
    cancelled: Callable[[], bool] = never_cancelled,
    progress: Progress | None = None,
) -> SiteSummary:
    """Write the site of a benchmark to a folder, which appears complete or not at all.

    The same inputs, options and images give the same bytes: nothing depends on time, locale or paths of the machine.

    Parameters
    ----------
    scores : result of `site_scores`.
    target : folder; an earlier site is replaced.
    images : images of models and queries.
    jobs : processes that write pages; 1 where this process cannot be forked.
    cancelled, progress : see `evaluate`.

    Raises
    ------
    Cancelled
        If `cancelled` returned True; nothing was written.
    FormatError
        If `target` exists and is not a site, or cannot be written.
    ShrecViewerError
        If there is no such participant.
    """
    check_target(target)
    checkpoint = make_checkpoint(cancelled)
    benchmark = scores.benchmark
    inputs, models_input = hash_inputs(benchmark, checkpoint, progress)
    edition = make_edition(scores, inputs, blind=options.blind, participant=options.participant)
    number = models_shown(len(benchmark.runs) * len(benchmark.queries)) if options.first is None else options.first
    lists = read_lists(edition.benchmark, scores.profile, number, checkpoint, progress)
    shown = lists.models() | relevant_models(benchmark, number) | set(example_models(benchmark))
    drawn = draw_images(benchmark, sorted(model for model in shown if model >= 0), images, checkpoint, progress)
    site = ContestSite(edition, lists, drawn, models_input, _significances(edition.scores, cancelled, progress))
    with site_folder(target) as draft:
        return _write_site(site, draft, options.without, checkpoint, progress, jobs)


def _significances(
    scores: Scores, cancelled: Callable[[], bool], progress: Progress | None
) -> dict[str, RunSignificance]:
    """Significance of the differences in the main measures; up to `MAX_TESTED_SCORES`, also in all others."""
    if len(scores.runs) < 2 or not scores.queries:
        return {}
    keys = dict.fromkeys((scores.profile.headline, DYNAMIC_RECALL_KEY))
    if len(scores.runs) * len(scores.queries) <= MAX_TESTED_SCORES:
        keys |= dict.fromkeys(
            measure.key for measure in scores.measures if measure.better != "none" and measure.is_mean
        )
    found = {}
    for done, key in enumerate(keys):
        if progress is not None:
            progress(done, len(keys), "measure")
        found[key] = run_significance(scores, key, cancelled=cancelled)
    return found


def _write_site(
    site: ContestSite,
    folder: Path,
    without: Collection[str],
    checkpoint: Callable[[], None],
    progress: Progress | None,
    jobs: int,
) -> SiteSummary:
    templates = site_templates()
    cards: dict[tuple[str, int, int], tuple[str, str]] = {}
    rows = [row for row in PAGES if row.key not in without]
    pages = [(row, path, index) for row in rows for index, path in enumerate(row.paths(site))]
    shared = {
        "site": site,
        "scores": site.scores,
        "benchmark": site.benchmark,
        "navigation": [(row.key, row.title, paths[0]) for row in rows if row.title and (paths := row.paths(site))],
        "without": without,
        "geometry_note": geometry_note(site.benchmark),
        "version": __version__,
        "cards": cards,
    }

    def write_page(number: int) -> None:
        row, path, index = pages[number]
        root = "../" * (len(PurePosixPath(path).parts) - 1)
        values = {**shared, "page": row, "path": path, "root": root, **row.values(site, index)}
        (folder / path).write_bytes(templates.get_template(f"{row.key}.html").render(values).encode("utf-8"))

    def report(number: int) -> None:
        checkpoint()
        if progress is not None:
            progress(number, len(pages), "page")

    files = {
        **site.images.files,
        STYLE_SHEET: templates.get_template(STYLE_SHEET).render(style_sheet_values()).encode(),
        SCRIPT: resource(f"report/{SCRIPT}").read_bytes(),
    }
    for path in (*files, *(path for _, path, _ in pages)):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        checkpoint()
        (folder / path).write_bytes(content)
    if site.scores.runs:
        site.charts.of_means(main_curves(site))  # of many pages, hence before the process is copied
    if not run_in_copies(write_page, len(pages), report, jobs=jobs):
        run_in_copies(write_page, len(pages), report, jobs=1)
    digests, size = {}, 0
    for path in (*files, *(path for _, path, _ in pages)):
        content = (folder / path).read_bytes()
        digests[path] = sha256(content).hexdigest()
        size += len(content)
    (folder / SITE_MANIFEST).write_bytes(_manifest(site, digests))
    if progress is not None:
        progress(len(pages), len(pages), "page")
    missing = sum(bool(image.problem) for image in (*site.images.models, *site.images.queries))
    return SiteSummary(len(pages), len(site.images.files), missing * site.images.are_known, size)


def _manifest(site: ContestSite, digests: dict[str, str]) -> bytes:
    document: dict[str, Any] = {
        "schema": SITE_SCHEMA,
        "version": __version__,
        "benchmark": site.benchmark.name,
        "profile": site.profile.key,
        "conventions": site.profile.changes,
        "edition": site.edition.note or "all names",
        "models_shown": site.lists.first,
        "inputs": [asdict(one) for one in site.edition.inputs],
        "models": None if site.models_input is None else asdict(site.models_input),
        "files": dict(sorted(digests.items())),
    }
    return (json.dumps(document, indent=1) + "\n").encode()
