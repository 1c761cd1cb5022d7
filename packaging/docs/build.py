"""Build the documentation site: pages of this folder, those of the help, and references made from the program.

python packaging/docs/build.py [FOLDER]    FOLDER: build/docs by default; the site is in FOLDER/html
"""

import re
import shutil
import sys
from pathlib import Path

import click

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

TOUR_PICTURES = {
    "# Tour": "![The perspective Query](window.webp)",
    "## Two runs side by side": "![The perspective Compare](compare.webp)",
    "## All runs and queries": "![The perspective Campaign](campaign.webp)",
    "## Why a run is weak": "![The perspective Diagnose](diagnose.webp)",
}
"""Pictures by the heading that they stand below in the site; in the program, the tour shows the window itself."""

PICTURES = ("window.webp", "compare.webp", "campaign.webp", "diagnose.webp")

CONTENTS = """# SHREC Viewer

{summary}

![The window: queries, one ranked list as thumbnails, curves and scores](window.webp)

```{{toctree}}
:caption: Use
:maxdepth: 1

install
tour
formats
formats-in-short
window
command-line
python
questions
```

```{{toctree}}
:caption: How to
:maxdepth: 1

evaluate-arrays
compare-checkpoints
meshes-to-diagnosis
submissions-to-page
compare-versions
why-a-run-is-weak
find-mislabelled-models
write-a-contest-page
large-contests
```

The first four are notebooks with their results, executed when this site is built; the files are in
`packaging/docs/notebooks`.

```{{toctree}}
:caption: Reference
:maxdepth: 1

commands
api
measures
site
plug-ins
```

```{{toctree}}
:caption: Project
:maxdepth: 1

architecture
contributing
releases
changes
```
"""

API = """# Python reference

```{eval-rst}
.. autofunction:: shrec_viewer.api.contest.open

.. autoclass:: shrec_viewer.api.contest.Contest
   :members:

.. automodule:: shrec_viewer.api.results
   :members:

.. autoclass:: shrec_viewer.api.window.ContestWindow
   :members:

.. autoexception:: shrec_viewer.domain.ShrecViewerError
```
"""


def pages() -> dict[str, str]:
    """Text of each page by its file name."""
    found = {path.name: path.read_text(encoding="utf-8") for path in sorted(HERE.glob("*.md"))}
    for path in sorted((ROOT / "resources" / "help").glob("*.md")):
        found[path.name] = path.read_text(encoding="utf-8")
    for path in sorted((HERE / "notebooks").glob("*.ipynb")):
        found[path.name] = path.read_text(encoding="utf-8")
    for heading, picture in TOUR_PICTURES.items():
        found["tour.md"] = found["tour.md"].replace(f"{heading}\n", f"{heading}\n\n{picture}\n", 1)
    found["changes.md"] = (ROOT / "packaging" / "CHANGELOG.md").read_text(encoding="utf-8")
    found["contributing.md"] = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    summary = (ROOT / "README.md").read_text(encoding="utf-8").split("\n\n")[1]
    found["index.md"] = CONTENTS.format(summary=summary)
    found["commands.md"] = command_reference()
    found["api.md"] = API
    return {name: site_links(text) for name, text in found.items()}


def site_links(text: str) -> str:
    """Links between files of the repository as links between pages."""
    text = re.sub(
        r"\]\((?:\.\./)*(?:resources/help/|packaging/docs/|packaging/|docs/)?([\w-]+\.(?:md|webp))", r"](\1", text
    )
    return text.replace("](CONTRIBUTING.md", "](contributing.md").replace("](CHANGELOG.md", "](changes.md")


def command_reference() -> str:
    """Usage, options and examples of every command, as ``--help-all`` prints them."""
    from shrec_viewer.cli.program import COMMANDS, load_command, program

    lines = ["# Commands", ""]
    for name in COMMANDS:
        command = load_command(name)
        if command.hidden:
            continue
        context = click.Context(
            command, info_name=f"shrec-viewer {name}", terminal_width=100, **program.context_settings
        )
        lines += [f"## {name}", "", "```text", command.full_help(context), "```", ""]
    return "\n".join(lines)


def build(folder: Path) -> int:
    """Write the sources and the site; the exit status of Sphinx, whose warnings are errors."""
    from sphinx.cmd.build import main

    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    for name, text in pages().items():
        (source / name).write_text(text, encoding="utf-8")
    for name in PICTURES:
        shutil.copy(ROOT / "packaging" / name, source / name)
    shutil.copy(HERE / "conf.py", source / "conf.py")
    return main(["-q", "-W", "--keep-going", "-E", "-d", str(folder / "doctrees"), str(source), str(folder / "html")])


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "docs")))
