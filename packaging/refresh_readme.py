"""Runs the calls that the README shows and writes their answers below them; a test asks that nothing would change.

python packaging/refresh_readme.py              the answers
python packaging/refresh_readme.py --picture    the picture of the window, too
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

PICTURE = README.parent / "packaging/window.webp"

SHOWN = "query-1280x800-light.png"
"""Which of the pictures that `screenshots.py` takes of the demo: readable at the width of a page."""

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


def take_picture() -> None:
    """Write the window as it is now to `PICTURE`."""
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        script = Path(__file__).with_name("screenshots.py")
        subprocess.run([sys.executable, str(script), "--output", folder], check=True)
        with Image.open(Path(folder) / SHOWN) as image:
            image.convert("RGB").save(PICTURE, quality=QUALITY, method=6)


if __name__ == "__main__":
    if "--picture" in sys.argv[1:]:
        take_picture()
    README.write_text(refreshed(README.read_text(encoding="utf-8")), encoding="utf-8")
