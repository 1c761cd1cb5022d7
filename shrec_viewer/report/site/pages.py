"""The table of the pages of a site."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shrec_viewer.report.site import diagnosis_pages, overview_pages, result_pages
from shrec_viewer.report.site.contest_site import ContestSite

PageValues = Mapping[str, Any]
"""Values of the variables of a template."""


def _index(_site: ContestSite) -> Sequence[str]:
    return ("index.html",)


def _always(_site: ContestSite) -> bool:
    return True


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


@dataclass(frozen=True)
class SitePage:
    """A family of pages with one template: a row of the table PAGES.

    Attributes
    ----------
    key : name of the row, and of its template in ``resources/report`` without ending.
    title : of its link in the navigation; "" for pages that other pages link to.
    values : values for the template of the page with this index.
    exists : whether the benchmark has something to show.
    all_paths : paths of its pages, relative to the site; None for one page with the name of the row.
    """

    key: str
    title: str
    values: Callable[[ContestSite, int], PageValues]
    exists: Callable[[ContestSite], bool] = _always
    all_paths: Callable[[ContestSite], Sequence[str]] | None = None

    def paths(self, site: ContestSite) -> Sequence[str]:
        """Paths of its pages, relative to the site."""
        if not self.exists(site):
            return ()
        return (f"{self.key}.html",) if self.all_paths is None else self.all_paths(site)


PAGES: tuple[SitePage, ...] = (
    SitePage("home", "Home", overview_pages.home, all_paths=_index),
    SitePage("all_runs", "All runs", result_pages.all_runs, _has_runs),
    SitePage("queries", "Queries", result_pages.queries, _has_queries),
    SitePage("participant", "", result_pages.participant, all_paths=_participant_pages),
    SitePage("run", "", result_pages.run, all_paths=_run_pages),
    SitePage("query", "", result_pages.query, all_paths=_query_pages),
    SitePage("confusions", "Confusions", result_pages.confusions, _has_confusions),
    SitePage("robustness", "Robustness", diagnosis_pages.robustness, diagnosis_pages.has_robustness),
    SitePage("suspects", "Suspects", diagnosis_pages.suspects, diagnosis_pages.has_suspects),
    SitePage("edits", "Edits", diagnosis_pages.edits, diagnosis_pages.has_edits),
    SitePage("measures", "Measures", overview_pages.measures),
    SitePage("findings", "Findings", overview_pages.findings),
    SitePage("manifest", "Manifest", overview_pages.manifest),
)
"""All pages, in the order of the navigation. A further page is a row here and a template."""
