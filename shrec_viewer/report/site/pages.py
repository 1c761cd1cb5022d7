"""The table of the pages of a site."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from shrec_viewer.report.site import diagnosis_pages, overview_pages, result_pages
from shrec_viewer.report.site.contest_site import ContestSite

#: Values of the variables of a template.
PageValues = Mapping[str, Any]


@dataclass(frozen=True)
class SitePage:
    """A family of pages with one template: a row of the table PAGES.

    Attributes
    ----------
    key : name of the row, and of its template in ``resources/report`` without ending.
    title : of its link in the navigation; "" for pages that other pages link to.
    values : values for the template of the page with this index.
    shown : what the page shows of a site; without, there is no page. None for a page that always exists.
    all_paths : paths of its pages, relative to the site; None for one page with the name of the row.
    is_public : whether the window proposes to publish the page; None for one that every site has, since others need it.
    """

    key: str
    title: str
    values: Callable[[ContestSite, int], PageValues]
    shown: Callable[[ContestSite], object] | None = None
    all_paths: Callable[[ContestSite], Sequence[str]] | None = None
    is_public: bool | None = None

    def paths(self, site: ContestSite) -> Sequence[str]:
        """Paths of its pages, relative to the site."""
        if self.all_paths is not None:
            return self.all_paths(site)
        return (f"{self.key}.html",) if self.shown is None or self.shown(site) else ()


def _home_page(_site: ContestSite) -> Sequence[str]:
    return ("index.html",)


#: All pages, in the order of the navigation. A further page is a row here and a template.
PAGES: tuple[SitePage, ...] = (
    SitePage("home", "Home", overview_pages.home, all_paths=_home_page),
    SitePage("all_runs", "All runs", result_pages.all_runs, attrgetter("scores.runs")),
    SitePage("queries", "Queries", result_pages.queries, attrgetter("scores.queries")),
    SitePage("participant", "", result_pages.participant, all_paths=attrgetter("participant_pages")),
    SitePage("run", "", result_pages.run, all_paths=attrgetter("run_pages")),
    SitePage("query", "", result_pages.query, all_paths=attrgetter("query_pages")),
    SitePage("confusions", "Confusions", result_pages.confusions, attrgetter("lists.confusions"), is_public=True),
    SitePage("diagnosis", "Diagnosis", diagnosis_pages.diagnosis, diagnosis_pages.has_diagnosis, is_public=True),
    SitePage("robustness", "Robustness", diagnosis_pages.robustness, diagnosis_pages.has_robustness, is_public=True),
    SitePage("suspects", "Suspects", diagnosis_pages.suspects, diagnosis_pages.has_suspects, is_public=False),
    SitePage("edits", "Edits", diagnosis_pages.edits, diagnosis_pages.has_edits, is_public=False),
    SitePage("measures", "Measures", overview_pages.measures),
    SitePage("findings", "Findings", overview_pages.findings, is_public=False),
    SitePage("manifest", "Manifest", overview_pages.manifest),
)

#: Pages that a site can be without.
OPTIONAL_PAGES = tuple(row for row in PAGES if row.is_public is not None)
