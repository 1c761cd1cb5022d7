"""Run the commands that the README and the pages of the documentation show and write their output below them.

python packaging/refresh_readme.py              update the output of the commands
python packaging/refresh_readme.py --screenshots    and the screenshots
"""

import re
import shlex
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from shrec_viewer.cli import main

PAGES = (Path(__file__).parents[1] / "README.md", *sorted((Path(__file__).parent / "docs").glob("*.md")))
"""Texts with commands and their output."""

SCREENSHOTS = {
    "window.webp": "query",
    "compare.webp": "compare",
    "campaign.webp": "campaign",
    "diagnose.webp": "diagnose",
}
"""Files in this folder and the perspectives of the demo they show."""

SELECTED = ("--query", "Q11", "--run", "B2", "--compared", "A2", "--rank", "3")
"""A query with all relevance levels near the top, and two runs that differ."""

QUALITY = 90
"""WebP quality; text stays sharp at a third of the size of the PNG."""

BLOCK = re.compile(r"^```console\n\$ shrec-viewer (?P<call>.*)\n(?P<shown>(?:.*\n)*?)```$", re.MULTILINE)

MORE = "..."
"""Last line of output that is shown in part."""


def refreshed(text: str) -> str:
    """The text with the current output of every command."""
    return BLOCK.sub(_with_output, text)


def _with_output(block: re.Match[str]) -> str:
    shown = block["shown"].splitlines()
    output = _output_of(block["call"])
    if shown and shown[-1] == MORE:
        output = [*output[: len(shown) - 1], MORE]
    return "\n".join(["```console", f"$ shrec-viewer {block['call']}", *output, "```"])


def _output_of(call: str) -> list[str]:
    stdout = StringIO()
    with redirect_stdout(stdout), redirect_stderr(StringIO()):
        main(shlex.split(call))
    return stdout.getvalue().splitlines()


def take_screenshots() -> None:
    """Save the current window to `SCREENSHOTS`."""
    from PIL import Image

    here = Path(__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(here / "screenshots.py"), "--output", folder, *SELECTED], check=True)
        for name, perspective in SCREENSHOTS.items():
            with Image.open(Path(folder) / f"{perspective}-1280x800-light.png") as image:
                image.convert("RGB").save(here / name, quality=QUALITY, method=6)


if __name__ == "__main__":
    if "--screenshots" in sys.argv[1:]:
        take_screenshots()
    for page in PAGES:
        page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")
