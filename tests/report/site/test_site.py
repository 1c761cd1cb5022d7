"""The contest site: links, HTML, values, and equality of two builds."""

import json
import re
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest
from sample_benchmark import write_sample_benchmark
from site_pages import (
    HTML,
    broken_references,
    exact_value,
    pages_of,
    references,
    table_rows,
    text_of,
)

from shrec_viewer.cli.report import OPTIONAL_PAGES
from shrec_viewer.diagnosis.error_budget import BudgetWork, budget_sentence
from shrec_viewer.diagnosis.robustness import examine_robustness
from shrec_viewer.domain import Cancelled, FormatError, ShrecViewerError
from shrec_viewer.evaluation.comparison.certainty import certainty_notes, family_of, order_certainty, order_sentence
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.score_tables import scores_document
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile
from shrec_viewer.printable import printable
from shrec_viewer.render.thumbnails.thumbnail import Thumbnail
from shrec_viewer.report.site import pages as page_table
from shrec_viewer.report.site.builder import SiteOptions, build_site, site_scores
from shrec_viewer.report.site.images import no_images
from shrec_viewer.report.site.pages import PAGES

PIXEL = bytes.fromhex(
    "524946463c000000574542505650382030000000d001009d012a0100010002003425a00274ba01f80003b000feef6497feffff"
    "6ffe3ffe1fff0fff7c00"
)


SVG = "{http://www.w3.org/2000/svg}"


def pixel_images(wanted, checkpoint, _progress):
    """One image for all files, but none for m8."""
    for path in (one.path for one in wanted):
        checkpoint()
        yield path, Thumbnail(problem=f"{path} is damaged") if path.stem == "m8" else Thumbnail(webp=PIXEL)


@pytest.fixture(scope="module")
def benchmark_of_three(tmp_path_factory):
    return read_benchmark(write_sample_benchmark(tmp_path_factory.mktemp("benchmark")))


@pytest.fixture(scope="module")
def scores_of_three(benchmark_of_three):
    return site_scores(benchmark_of_three, find_profile("shrec2006"))


@pytest.fixture(scope="module")
def few_scores(benchmark_of_three):
    """For tests of files and names: with few measures and curves."""
    return site_scores(benchmark_of_three, find_profile("shrec2013sketch"), measures=["AP"])


@pytest.fixture(scope="module")
def built(benchmark_of_three, scores_of_three, tmp_path_factory):
    """A site, and the document of `evaluate` with the same measures."""
    scores = scores_of_three
    target = tmp_path_factory.mktemp("sites") / "site"
    build_site(scores, target, pixel_images, SiteOptions())
    again = evaluate(
        benchmark_of_three, find_profile("shrec2006"), measures=[measure.key for measure in scores.measures]
    )
    return target, scores_document(again, benchmark_of_three, per_query=True, curves=True)


def test_every_link_leads_to_a_file_or_element_of_the_site(built):
    assert broken_references(built[0]) == []


def test_every_page_is_valid_html_with_landmarks_and_one_heading(built):
    for name, page in pages_of(built[0]).items():
        assert len(page.all("h1")) == len(page.all("main")) == 1, name
        assert page.all("header"), name
        assert page.all("nav"), name
        assert page.all("title")[0].text.strip(), name
        assert page.root.get("lang") == "en"
        assert len(set(page.ids)) == len(page.ids), name
        for table in page.all("table"):
            assert table.find(f"{HTML}caption") is not None, name
            assert all(cell.get("scope") in ("col", "row") for cell in table.iter(f"{HTML}th")), name
        for image in page.all("img"):
            assert image.get("alt") is not None, name


def test_no_page_refers_to_another_machine_or_an_absolute_path(built):
    folder = str(built[0].parent)
    for name, page in pages_of(built[0]).items():
        source = page.path.read_text(encoding="utf-8")
        assert folder not in source, name
        assert not re.search(r"https?:|//[a-z]", " ".join(references(page))), name
        assert "@import" not in source
    style = (built[0] / "site.css").read_text(encoding="utf-8")
    assert "url(" not in style
    assert "@import" not in style


def test_each_row_of_the_page_table_has_pages(built, benchmark_of_three):
    names = set(pages_of(built[0]))
    assert {"index.html", "all_runs.html", "queries.html", "measures.html", "findings.html", "manifest.html"} <= names
    assert {f"runs/{run.name}.html" for run in benchmark_of_three.runs} <= names
    assert {f"queries/{query}.html" for query in benchmark_of_three.queries.ids} <= names
    assert {"participants/Ada.html", "participants/Ben.html", "confusions.html"} <= names
    titles = [text_of(link) for link in pages_of(built[0])["index.html"].all("nav")[0].iter(f"{HTML}a")]
    # The page of edits exists only where there are some.
    assert titles == [row.title for row in PAGES if row.title and row.key != "edits"]


def test_means_equal_those_of_evaluate(built):
    site, document = built
    keys = [measure["key"] for measure in document["measures"]]
    _, rows = table_rows(pages_of(site)["all_runs.html"], "Means over the queries")
    found = {text_of(row[0]): [exact_value(cell) for cell in row[2:]] for row in rows}
    assert found == {run["name"]: [run["mean"][key] for key in keys] for run in document["runs"]}


def test_scores_of_each_query_equal_those_of_evaluate(built):
    site, document = built
    keys = [measure["key"] for measure in document["measures"]]
    pages = pages_of(site)
    for query in ("q1", "q2", "q3"):
        _, rows = table_rows(pages[f"queries/{query}.html"], "Scores of all runs")
        found = {text_of(row[0]).removesuffix(" no list"): [exact_value(cell) for cell in row[1:]] for row in rows}
        assert found == {run["name"]: [run["queries"][query][key] for key in keys] for run in document["runs"]}
    for run in document["runs"]:
        _, rows = table_rows(pages[f"runs/{run['name']}.html"], "Scores of all queries")
        found = {text_of(row[0]).split()[0]: [exact_value(cell) for cell in row[1:]] for row in rows}
        assert found == {query: [values[key] for key in keys] for query, values in run["queries"].items()}


def test_mean_curves_equal_those_of_evaluate(built):
    site, document = built
    page = pages_of(site)["all_runs.html"]
    figures = {figure.get("id"): figure for figure in page.all("figure") if figure.get("id")}
    for key in document["runs"][0]["curves"]:
        svg = figures[key].find(f"{SVG}svg")
        groups = [] if svg is None else [group for group in svg.iter(f"{SVG}g") if group.get("data-run")]
        shown = {
            group.get("data-run"): {
                "x": [number(value) for value in (group.get("data-x") or svg.get("data-x")).split()],
                "y": [number(value) for value in group.get("data-y").split()],
            }
            for group in groups
        }
        assert len(shown) == len(groups)
        curves = {run["name"]: {axis: run["curves"][key][axis] for axis in "xy"} for run in document["runs"]}
        assert shown == {name: curve for name, curve in curves.items() if any(y is not None for y in curve["y"])}, key


def test_values_in_full_precision_are_numbers(built):
    for name, page in pages_of(built[0]).items():
        for element in page.root.iter():
            assert element.get("data-value") is None or float(element.get("data-value")) is not None, name


def test_other_runs_are_dimmed_on_pages_of_runs_and_participants(built):
    pages, emphasised = pages_of(built[0]), {"runs/A1.html": {"A1"}, "participants/Ada.html": {"A1", "A2"}}
    for name in (*emphasised, "all_runs.html", "queries/q1.html"):
        groups = [one for one in pages[name].root.iter(f"{SVG}g") if one.get("data-run")]
        bright = {one.get("data-run") for one in groups if "dim" not in one.get("class").split()}
        assert bright == emphasised.get(name, {"A1", "A2", "B1"}), name


def number(text):
    return None if text == "nan" else float(text)


def test_runs_are_ranked_by_each_measure(built):
    site, document = built
    page = pages_of(site)["all_runs.html"]
    _, rows = table_rows(page, "MAP: ")
    means = [exact_value(row[2]) for row in rows]
    assert means == sorted((run["mean"]["AP"] for run in document["runs"]), reverse=True)
    _, rows = table_rows(page, "Runs in the order of their mean average dynamic recall")
    by_recall = sorted(document["runs"], key=lambda run: -run["mean"]["ADR"])
    assert [text_of(row[1]) for row in rows] == [run["name"] for run in by_recall]


def test_diagnosis_is_that_of_the_benchmark(built, benchmark_of_three):
    page = pages_of(built[0])["diagnosis.html"]
    scores = evaluate(benchmark_of_three, find_profile("shrec2006"), measures=["AP"])
    work = BudgetWork(scores, "AP")
    _, rows = table_rows(page, "Shares of the causes")
    assert [text_of(row[0]) for row in rows] == list(scores.runs)
    for index, row in enumerate(rows):
        budget = work.budget(index)
        shown = [float(text_of(cell).split(" (")[0]) for cell in row[1:]]
        assert shown == pytest.approx([budget.value, *(cause.share for cause in budget.causes)], abs=0.00051)
        assert budget_sentence(budget, "AP") in page.text


def test_certainty_is_that_of_the_scores(built, scores_of_three):
    found = order_certainty(family_of(scores_of_three), "ADR")
    page = pages_of(built[0])["all_runs.html"]
    _, rows = table_rows(page, "How sure the order by ADR is")
    assert [text_of(row[0]) for row in rows] == list(found.family)
    numbers = [[found.ranks[run], *found.intervals[run], *found.bounds[run]] for run in range(len(rows))]
    assert [[int(text_of(cell)) for cell in row[1:6]] for row in rows] == [list(map(int, one)) for one in numbers]
    assert [exact_value(row[6]) for row in rows] == found.p_best.tolist()
    for note in certainty_notes(found):
        assert note in page.text
    robustness = pages_of(built[0])["robustness.html"]
    assert order_sentence(order_certainty(family_of(scores_of_three))) in robustness.text
    _, rows = table_rows(robustness, "Ranks over other queries")
    assert len(rows) == len(found.family)


def test_robustness_is_that_of_the_benchmark(built, benchmark_of_three):
    page = pages_of(built[0])["robustness.html"]
    found = examine_robustness(benchmark_of_three, find_profile("shrec2006"))
    _, rows = table_rows(page, "Rank of each run")
    assert {text_of(row[0]): [int(text_of(cell)) for cell in row[1:]] for row in rows} == {
        name: [rank, *interval]
        for name, rank, interval in zip(found.runs, found.ranks.tolist(), found.intervals.tolist(), strict=True)
    }
    assert [int(text_of(row[1])) for row in rows] == sorted(found.ranks.tolist())
    _, rows = table_rows(page, "Number of pairs")
    counts = [int(text_of(row[1])) for row in rows]
    assert counts == sorted((len(found.changes_of(variant.key)) for variant in found.variants), reverse=True)
    _, rows = table_rows(page, "Pairs of runs")
    labels = {variant.key: variant.label for variant in found.variants}
    assert {tuple(text_of(cell) for cell in row) for row in rows} == {
        (pair.a, pair.b, "; ".join(labels[key] for key in pair.changed_by)) for pair in found.pairs if not pair.settled
    }


def without_option(action):
    """The action without the option of the command line that it ends with, which a site does not name."""
    return re.sub(": --[a-z-]+ [a-z]+$", "", action)


def test_findings_equal_those_of_evaluate(built):
    site, document = built
    _, rows = table_rows(pages_of(site)["findings.html"], "Findings")
    found = sorted((text_of(row[1]), text_of(row[3]), text_of(row[4])) for row in rows)
    expected = sorted(
        (finding["file"], printable(finding["message"]), " ".join(printable(without_option(finding["action"])).split()))
        for finding in document["findings"]
    )
    assert found == expected


def test_lists_show_ranks_relevance_and_missing_images(built):
    page = pages_of(built[0])["queries/q1.html"]
    lists = [element for element in page.all("ol") if "strip" in element.get("class", "")]
    assert len(lists) == 3
    of_b1 = next(cards for cards in lists if len(list(cards)) == 3)
    captions = [text_of(card).split()[:2] for card in of_b1]
    assert captions == [["1", "m5"], ["2", "m6"], ["3", "m1"]]
    assert [card.get("class") for card in of_b1] == ["card l0", "card l0", "card l2"]
    assert "3 relevant models after rank 50, 3 of them not in the list" in page.text
    assert "no image: m8.off is damaged" in pages_of(built[0])["queries/q3.html"].text
    assert "This run has no list for the query." in pages_of(built[0])["queries/q3.html"].text


def test_two_builds_are_equal_and_replace_each_other(built, scores_of_three, few_scores, tmp_path):
    site, _ = built
    target = tmp_path / "other name"
    for scores in (few_scores, scores_of_three):
        build_site(scores, target, pixel_images, SiteOptions())
    assert contents(target) == contents(site)
    assert [path.name for path in tmp_path.iterdir()] == ["other name"]


def contents(site: Path) -> dict[str, bytes]:
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()}


def test_site_inside_its_benchmark_is_not_read_with_it(tmp_path):
    folder = write_sample_benchmark(tmp_path / "benchmark")
    built = []
    for _ in range(2):
        scores = site_scores(read_benchmark(folder), find_profile("shrec2013sketch"), measures=["AP"])
        build_site(scores, folder / "site", pixel_images, SiteOptions())
        built.append(contents(folder / "site"))
    assert built[0] == built[1]
    assert len(read_benchmark(folder).collection) == 8


def test_manifest_has_the_digest_of_every_file(built):
    from hashlib import sha256

    site, _ = built
    document = json.loads((site / "manifest.json").read_text(encoding="utf-8"))
    files = {name: content for name, content in contents(site).items() if name != "manifest.json"}
    assert document["files"] == {name: sha256(content).hexdigest() for name, content in files.items()}
    listed = {one["path"]: one for one in document["inputs"]}
    assert {"benchmark.toml", "models.cla", "queries.cla", "runs/A1", "runs/A2", "runs/B1"} <= set(listed)
    assert listed["runs/B1"]["files"] == 2


@pytest.mark.parametrize("name", ["notes.txt", "images/mine.webp", "empty/"])
def test_folder_with_other_files_is_not_replaced(built, few_scores, tmp_path, name):
    target = tmp_path / "site"
    copytree(built[0], target)
    other = target / name
    if name.endswith("/"):
        other.mkdir()
    else:
        other.parent.mkdir(exist_ok=True)
        other.write_text("mine")
    before = contents(target)
    with pytest.raises(FormatError, match=re.escape(f"'{name}' is in it")):
        build_site(few_scores, target, no_images, SiteOptions())
    assert contents(target) == before
    assert other.exists()


def test_folder_that_is_no_site_is_not_replaced(few_scores, tmp_path):
    (tmp_path / "manifest.json").write_text('{"schema": "other"}')
    with pytest.raises(FormatError, match="is not a site of this program"):
        build_site(few_scores, tmp_path, no_images, SiteOptions())
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]


def test_cancelling_leaves_the_former_site(built, few_scores, tmp_path):
    target = tmp_path / "site"
    copytree(built[0], target)
    before = contents(target)
    seen = []

    def report(done, total, what):
        seen.append(what)

    with pytest.raises(Cancelled):
        build_site(few_scores, target, no_images, SiteOptions(), cancelled=lambda: "page" in seen, progress=report)
    assert contents(target) == before
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_site_without_runs(benchmark_of_three, tmp_path):
    scores = site_scores(replace(benchmark_of_three, runs=()), find_profile("default"))
    build_site(scores, tmp_path / "site", no_images, SiteOptions())
    assert broken_references(tmp_path / "site") == []
    pages = pages_of(tmp_path / "site")
    assert "all_runs.html" not in pages
    assert "2 relevant models" in pages["queries/q1.html"].text or "relevant" in pages["queries/q1.html"].text
    for page in pages.values():
        assert page.root is not None


def test_site_without_optional_pages_has_no_links_to_them(benchmark_of_three, tmp_path):
    scores = site_scores(benchmark_of_three, find_profile("default"))
    build_site(scores, tmp_path / "site", no_images, SiteOptions(without=OPTIONAL_PAGES))
    assert broken_references(tmp_path / "site") == []
    assert not {*pages_of(tmp_path / "site")} & {f"{key}.html" for key in OPTIONAL_PAGES}


def test_optional_pages_of_the_command_are_those_of_the_table():
    assert tuple(row.key for row in page_table.OPTIONAL_PAGES) == OPTIONAL_PAGES


HOSTILE = (
    "<script>alert(1)</script>", "a&b%_\\\"'", "x,y;z\nnext line", "\u202eمثال", "😀", "=1+1", "@sum", "CON", "con",
    "..", "../../etc/passwd", "{{ 7 * 7 }}", "{% raw %}", "javascript:alert(1)", "", "n" * 300, "surrogate \udce9",
    "nul", "-x",
)  # fmt: skip
"""Names that HTML, templates, URLs, file systems or spreadsheets interpret."""


@pytest.mark.parametrize(
    "options", [SiteOptions(first=2), SiteOptions(blind=True, first=2)], ids=["all names", "blind"]
)
def test_names_are_never_interpreted(benchmark_of_three, tmp_path, options):
    template, names = benchmark_of_three, HOSTILE[:3] if options.blind else HOSTILE[:10]
    models = tuple(f"{name} {number}" for number, name in zip(range(8), HOSTILE, strict=False))
    queries = replace(template.queries, ids=HOSTILE[8:11])
    classes = replace(template.classification, names=HOSTILE[:4])
    runs = tuple(
        replace(template.runs[index % 3], name=name, participant=HOSTILE[-1 - index])
        for index, name in enumerate(names)
    )
    benchmark = replace(
        template,
        name="<b>&{{ name }}",
        collection=replace(template.collection, ids=models),
        queries=queries,
        classification=classes,
        runs=runs,
    )
    scores = site_scores(benchmark, find_profile("shrec2013sketch"), measures=["AP"])  # few curves
    build_site(scores, tmp_path / "site", no_images, options)
    assert broken_references(tmp_path / "site") == []
    pages = pages_of(tmp_path / "site")
    assert text_of(pages["index.html"].all("h1")[0]) == "<b>&{{ name }}"
    for name, page in pages.items():
        assert all(element.text == "not listed" or element.text.isdigit() for element in page.all("b")), name
        assert [script.get("src") for script in page.all("script")] == ["../" * name.count("/") + "site.js"]
        assert "49" not in "".join(text_of(title) for title in page.all("h1"))
    folded = [name.casefold() for name in pages]
    assert len(set(folded)) == len(folded)
    assert all(re.fullmatch(r"[A-Za-z0-9_./-]+", name) for name in pages)
    assert not any(re.search(r"(^|/)(con|nul)\.", name) for name in folded)
    _, rows = table_rows(pages["all_runs.html"], "Means over the queries")
    shown = {text_of(row[0]) for row in rows}
    if options.blind:
        assert all(re.fullmatch(r"P\d+-\d+", name) for name in shown)
    else:
        assert shown == {" ".join(printable(name).split()) for name in names}


def test_blind_edition_has_no_names(scores_of_three, tmp_path):
    target = tmp_path / "site"
    build_site(scores_of_three, target, no_images, SiteOptions(blind=True))
    assert broken_references(target) == []
    everything = "\n".join(
        f"{name}\n{content.decode('utf-8', 'replace')}" for name, content in contents(target).items()
    )
    assert not re.search(r"\b(Ada|Ben|A1|A2|B1)\b", everything)
    assert {name for name in pages_of(target) if name.startswith("runs/")} >= {"runs/P1-1.html", "runs/P2-1.html"}


def test_blind_edition_has_no_names_of_files_that_are_no_input(tmp_path):
    folder = write_sample_benchmark(tmp_path / "benchmark")
    (folder / "runs" / "Zoe_late.txt").write_text("a submission that is too late")
    (folder / "runs" / "A1" / "q9 of Ada").write_text("m1 0.1\nm77 0.2\n")
    (folder / "runs" / "B1" / "q1").write_text("m5 0.1\nBen_77 0.2\nm6 0.3\n")
    benchmark = read_benchmark(folder)
    assert any("Zoe" in str(finding) for finding in benchmark.findings)
    assert any("Ben_77" in str(finding) for finding in benchmark.findings)
    scores = site_scores(benchmark, find_profile("shrec2013sketch"), measures=["AP"])
    build_site(scores, tmp_path / "site", no_images, SiteOptions(blind=True))
    pages = pages_of(tmp_path / "site")
    everything = "\n".join(f"{name}\n{content.decode()}" for name, content in contents(tmp_path / "site").items())
    assert not re.search(r"Zoe|\bAda|\bBen(?!ch)|\bA1\b", everything)
    assert "unknown id '…' at rank 2" in pages["findings.html"].text
    assert "left out, because the text may contain names" in pages["findings.html"].text


def test_edition_of_a_participant_names_only_their_runs(scores_of_three, tmp_path):
    target = tmp_path / "site"
    build_site(scores_of_three, target, no_images, SiteOptions(participant="Ben"))
    everything = "\n".join(
        f"{name}\n{content.decode('utf-8', 'replace')}" for name, content in contents(target).items()
    )
    assert not re.search(r"\b(Ada|A1|A2)\b", everything)
    assert "runs/B1.html" in pages_of(target)
    with pytest.raises(ShrecViewerError, match="there is no participant 'Bem'"):
        build_site(scores_of_three, tmp_path / "other", no_images, SiteOptions(participant="Bem"))
