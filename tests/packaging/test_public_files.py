"""Files for the code host and package indices: they are valid, and name what there is."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from shrec_viewer import __version__

ROOT = Path(__file__).parents[2]
YAML = sorted([*(ROOT / ".github").rglob("*.yml"), ROOT / "packaging/pre-commit.yaml"])


@pytest.mark.parametrize("path", YAML, ids=[path.name for path in YAML])
def test_files_are_valid_and_their_scripts_exist(path):
    text = path.read_text(encoding="utf-8")
    assert isinstance(yaml.safe_load(text), dict)
    for script in re.findall(r"(?:sh|python) ((?:packaging|tests)/[\w./-]+)", text):
        assert (ROOT / script).is_file(), script


def test_hosted_checks_are_marked_as_not_run_and_cover_all_systems():
    text = (ROOT / ".github/workflows/checks.yml").read_text(encoding="utf-8")
    assert text.startswith("# Not run yet")
    matrix = yaml.safe_load(text)["jobs"]["tests"]["strategy"]["matrix"]
    assert [name.split("-")[0] for name in matrix["system"]] == ["ubuntu", "windows", "macos"]
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    assert matrix["python"] == [one.rpartition(" ")[2] for one in classifiers if "Python :: 3." in one]


def test_the_conda_recipe_has_the_dependencies_of_the_package():
    recipe = yaml.safe_load((ROOT / "packaging/conda/meta.yaml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    other = {"matplotlib-base": "matplotlib", "msgspec-python": "msgspec", "pyside6": "pyside6-essentials"}
    found = {}
    for line in recipe["requirements"]["run"]:
        name, _, bounds = line.partition(" ")
        found[other.get(name, name)] = bounds
    assert found.pop("python") == project["requires-python"]
    expected = {re.match(r"[\w-]+", line)[0].lower(): re.sub(r"^[\w-]+", "", line) for line in project["dependencies"]}
    assert found == expected
    assert recipe["package"]["version"] == __version__


@pytest.mark.parametrize("name", ["CODE_OF_CONDUCT.md", "SECURITY.md", "pull_request_template.md"])
def test_texts_are_there(name):
    assert len((ROOT / ".github" / name).read_text(encoding="utf-8").split()) > 20


CITATION_KEYS = {
    "abstract", "authors", "cff-version", "commit", "contact", "date-released", "doi", "identifiers", "keywords",
    "license", "license-url", "message", "preferred-citation", "references", "repository", "repository-artifact",
    "repository-code", "title", "type", "url", "version",
}  # fmt: skip
"""Keys of the Citation File Format 1.2.0."""

PERSON_KEYS = {"family-names", "given-names", "name", "orcid", "affiliation", "website", "email", "alias"}
"""Keys of an author in it that this file may use: `name` is that of an entity, the names of a person are two."""


def test_the_citation_is_of_the_form_1_2_and_says_what_the_package_says():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(citation) <= CITATION_KEYS
    assert {"cff-version", "message", "title", "authors"} <= set(citation), "required"
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] in ("software", "dataset")
    assert citation["authors"]
    for author in citation["authors"]:
        assert set(author) <= PERSON_KEYS
        assert ("name" in author) != ("family-names" in author)
    assert [author.get("name") for author in citation["authors"]] == [one["name"] for one in project["authors"]]
    assert citation["version"] == __version__
    assert citation["license"] == project["license"]
    assert citation["keywords"] == project["keywords"]
    assert len(citation["keywords"]) == len(set(citation["keywords"]))
    texts = [citation[key] for key in ("abstract", "message", "title", "version")]
    assert all(isinstance(text, str) and text.strip() for text in texts)
