"""The help pages: generated sections are current, links lead somewhere."""

import re

import pytest
import refresh_help

from shrec_viewer.app.help.pages import help_pages
from shrec_viewer.metrics import MEASURES, PROFILES
from shrec_viewer.resources import resource

PAGES = sorted(path.name for path in resource("help").glob("*.md"))


def text_of(name):
    return resource(f"help/{name}").read_text(encoding="utf-8")


def slugs(text):
    headings = re.findall(r"^#+ (.*)$", re.sub(r"(?ms)^```.*?^```", "", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_lists_of_measures_and_profiles_are_those_of_the_tables():
    text = text_of("measures.md")
    assert refresh_help.refreshed(text) == text, "run packaging/refresh_help.py"
    headings = re.findall(r"^### .* \((.*)\)$", text, re.MULTILINE)
    assert headings == [*(row.name for row in MEASURES), *(row.key for row in PROFILES)]
    assert refresh_help.refreshed(text.replace("Nearest neighbour", "Nearest")) == text


@pytest.mark.parametrize("name", PAGES)
def test_links_inside_the_pages_lead_to_pages_and_headings(name):
    for target in re.findall(r"\]\(([^)]*)\)", re.sub(r"(?ms)^```.*?^```", "", text_of(name))):
        page, _, heading = target.partition("#")
        assert page in ("", *PAGES), target
        assert not heading or heading in slugs(text_of(page or name)), target


@pytest.mark.parametrize("name", PAGES)
def test_commands_and_options_in_the_pages_exist(name):
    from shrec_viewer.cli.program import COMMANDS, load_command

    commands = {name: load_command(name) for name in COMMANDS}
    options = {option for row in commands.values() for parameter in row.params for option in parameter.opts}
    text = text_of(name)
    for command in re.findall(r"shrec-viewer ([a-z]+)", re.sub(r"pipx inject shrec-viewer", "", text)):
        assert command in commands, command
    for option in re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", text):
        assert option in options | {"--no-deps", "--target", "--no-ties"}, option  # pip, and the example of a plug-in


def test_the_worked_example_of_2006_is_a_page():
    (page,) = [page for page in help_pages() if page.key == "example"]
    assert "2 2 1 2 2 1 0 1 0 1 2 0 0 0" in page.html
    for printed in ("0.800909", "0.943687", "0.819221", "0.818182", "8.091629", "0.852467"):
        assert f"= {printed}<" in page.html
