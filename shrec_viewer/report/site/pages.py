"""The table of the pages of a site."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shrec_viewer.report.site import diagnosis_pages, overview_pages, result_pages
from shrec_viewer.report.site.contest_site import ContestSite

PageValues = Mapping[str, Any]
"""Values of the variables of a template."""


@dataclass(frozen=True)
class SitePage:
    """A family of pages with one template: a row of the table PAGES.

    Attributes
    ----------
    key : name of the row.
    title : of its link in the navigation; "" for pages that other pages link to.
    template : file in ``resources/report``.
    paths : paths of its pages, relative to the site; none if the benchmark has nothing to show.
    values : values for the template of the page with this index.
    """

    key: str
    title: str
    template: str
    paths: Callable[[ContestSite], Sequence[str]]
    values: Callable[[ContestSite, int], PageValues]


def _always(_site: ContestSite) -> bool:
    return True


def _single(path: str, is_present: Callable[[ContestSite], bool] = _always) -> Callable[[ContestSite], Sequence[str]]:
    """Paths of a family of one page."""

    def paths(site: ContestSite) -> Sequence[str]:
        return (path,) if is_present(site) else ()

    return paths


def _has_runs(site: ContestSite) -> bool:
    return bool(site.scores.runs)


def _has_queries(site: ContestSite) -> bool:
    return bool(site.scores.queries)


def _has_confusions(site: ContestSite) -> bool:
    return bool(site.lists.confusions)


def _participant_pages(site: ContestSite) -> Sequence[str]:
    return site.participant_pages


def _run_pages(site: ContestSite) -> Sequence[str]:
    return site.run_pages


def _query_pages(site: ContestSite) -> Sequence[str]:
    return site.query_pages


PAGES: tuple[SitePage, ...] = (
    SitePage("home", "Home", "home.html", _single("index.html"), overview_pages.home),
    SitePage("all_runs", "All runs", "all_runs.html", _single("all_runs.html", _has_runs), result_pages.all_runs),
    SitePage("queries", "Queries", "queries.html", _single("queries.html", _has_queries), result_pages.queries),
    SitePage("participants", "", "participant.html", _participant_pages, result_pages.participant),
    SitePage("runs", "", "run.html", _run_pages, result_pages.run),
    SitePage("query", "", "query.html", _query_pages, result_pages.query),
    SitePage(
        "confusions",
        "Confusions",
        "confusions.html",
        _single("confusions.html", _has_confusions),
        result_pages.confusions,
    ),
    SitePage(
        "robustness",
        "Robustness",
        "robustness.html",
        _single("robustness.html", diagnosis_pages.has_robustness),
        diagnosis_pages.robustness,
    ),
    SitePage(
        "suspects",
        "Suspects",
        "suspects.html",
        _single("suspects.html", diagnosis_pages.has_suspects),
        diagnosis_pages.suspects,
    ),
    SitePage("edits", "Edits", "edits.html", _single("edits.html", diagnosis_pages.has_edits), diagnosis_pages.edits),
    SitePage("measures", "Measures", "measures.html", _single("measures.html"), overview_pages.measures),
    SitePage("findings", "Findings", "findings.html", _single("findings.html"), overview_pages.findings),
    SitePage("manifest", "Manifest", "manifest.html", _single("manifest.html"), overview_pages.manifest),
)
"""All pages, in the order of the navigation. A further page is a row here and a template."""
