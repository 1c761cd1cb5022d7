"""Runs the calls that the README shows and writes their answers below them; a test asks that nothing would change."""

import re
import shlex
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from shrec_viewer.cli import main

README = Path(__file__).parents[1] / "README.md"

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


if __name__ == "__main__":
    README.write_text(refreshed(README.read_text(encoding="utf-8")), encoding="utf-8")
