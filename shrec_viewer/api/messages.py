"""Values in the messages of errors."""

from typing import Any

#: Characters of a value in a message.
MAX_SHOWN = 60


def shown(value: Any) -> str:
    """A value on one line, cut if it is long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
