"""Reads a built site as a browser does: pages, links, scores, and errors of the HTML."""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element

import html5lib

HTML = "{http://www.w3.org/1999/xhtml}"


@dataclass(frozen=True)
class SitePageFile:
    """A page of a site."""

    path: Path
    _cache: dict[str, object] = field(default_factory=dict)

    @cached_property
    def root(self) -> Element:
        """The document; raises for each error that the HTML standard names."""
        return _parsed(self.path.read_bytes())

    def all(self, name: str) -> list[Element]:
        return list(self.root.iter(f"{HTML}{name}"))

    @property
    def ids(self) -> list[str]:
        return [element.get("id") for element in self.root.iter() if element.get("id") is not None]

    @property
    def text(self) -> str:
        return " ".join("".join(self.root.itertext()).split())


@lru_cache(maxsize=200)  # html5lib takes 0.1 s for a page, and tests read the same pages
def _parsed(content: bytes) -> Element:
    return html5lib.HTMLParser(strict=True).parse(content.decode("utf-8"))


def text_of(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def pages_of(site: Path) -> dict[str, SitePageFile]:
    return {path.relative_to(site).as_posix(): SitePageFile(path) for path in sorted(site.rglob("*.html"))}


def references(page: SitePageFile) -> list[str]:
    """All URLs of a page, in any attribute that loads or links."""
    found = []
    for element in page.root.iter():
        for name in ("href", "src", "srcset", "action", "poster", "data", "{http://www.w3.org/1999/xlink}href"):
            if element.get(name) is not None:
                found.append(element.get(name))
    return found


def broken_references(site: Path) -> list[str]:
    """Links and images of all pages that do not lead to a file or an element of the site."""
    pages = pages_of(site)
    ids = {name: set(page.ids) for name, page in pages.items()}
    broken = []
    for name, page in pages.items():
        for reference in references(page):
            parts = urlsplit(reference)
            target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path.resolve()
            is_inside = site.resolve() in target.parents
            if parts.scheme or parts.netloc or not is_inside or not target.is_file():
                broken.append(f"{name}: {reference}")
            elif parts.fragment:
                anchors = ids.get(target.relative_to(site.resolve()).as_posix(), set())
                if unquote(parts.fragment) not in anchors:
                    broken.append(f"{name}: {reference}")
    return broken


def table_rows(page: SitePageFile, heading: str) -> tuple[list[str], list[list[Element]]]:
    """Header texts and body cells of the table whose caption begins with `heading`."""
    for table in page.all("table"):
        caption = table.find(f"{HTML}caption")
        if caption is not None and text_of(caption).startswith(heading):
            head = [text_of(cell) for cell in table.find(f"{HTML}thead").iter(f"{HTML}th")]
            body = [list(row) for row in table.find(f"{HTML}tbody").iter(f"{HTML}tr")]
            return head, body
    raise AssertionError(f"no table '{heading}'")


def exact_value(cell: Element) -> float | None:
    """The full value of a cell; None if it is undefined."""
    exact = cell if cell.get("data-value") else cell.find(".//*[@data-value]")
    return None if exact is None else float(exact.get("data-value"))
