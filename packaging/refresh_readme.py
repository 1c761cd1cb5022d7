"""Runs the calls that the README shows and writes their answers below them; a test asks that nothing would change.

python packaging/refresh_readme.py              the answers
python packaging/refresh_readme.py --picture    the pictures of the window, too
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

README = Path(__file__).parents[1] / "README.md"

PICTURES = {"window.webp": "query", "compare.webp": "compare", "campaign.webp": "campaign"}
"""Files beside this one, and the perspectives they show: of the demo, readable at the width of a page."""

SELECTED = ("--query", "Q11", "--run", "B2", "--compared", "A2", "--rank", "3")
"""A query with all levels near the top, answered by two runs that differ."""

QUALITY = 90
"""Of the WebP: text stays crisp, and it is a third of the PNG."""

BLOCK = re.compile(r"^```console\n\$ shrec-viewer (?P<call>.*)\n(?P<shown>(?:.*\n)*?)```$", re.MULTILINE)

MORE = "..."
"""Last line of an answer of which only the beginning is shown."""


def refreshed(text: str) -> str:
    """The text with every answer as the program gives it now."""
    return BLOCK.sub(_answered, text)


def _answered(block: re.Match[str]) -> str:
    shown = block["shown"].splitlines()
    answer = _answer(block["call"])
    if shown and shown[-1] == MORE:
        answer = [*answer[: len(shown) - 1], MORE]
    return "\n".join(["```console", f"$ shrec-viewer {block['call']}", *answer, "```"])


def _answer(call: str) -> list[str]:
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(StringIO()):
        main(shlex.split(call))
    return said.getvalue().splitlines()


def take_pictures() -> None:
    """Write the window as it is now to `PICTURES`."""
    from PIL import Image

    here = Path(__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(here / "screenshots.py"), "--output", folder, *SELECTED], check=True)
        for name, perspective in PICTURES.items():
            with Image.open(Path(folder) / f"{perspective}-1280x800-light.png") as image:
                image.convert("RGB").save(here / name, quality=QUALITY, method=6)


if __name__ == "__main__":
    if "--picture" in sys.argv[1:]:
        take_pictures()
    README.write_text(refreshed(README.read_text(encoding="utf-8")), encoding="utf-8")
