"""The line of JSON that a self-test prints; imports no Qt, as it is also printed where no window can be opened."""

import json
import sys
from collections.abc import Mapping
from contextlib import suppress

#: Option of the commands that open a window.
SELFTEST = "--selftest"

#: Fields with milliseconds since the start of the process; None if a milestone was not reached.
MILESTONES = ("window_ms", "benchmark_ms", "scores_ms", "first_pictures_ms")


def print_selftest(
    reason: str, times: Mapping[str, float | None] | None = None, pictures: int = 0, findings: int = 0
) -> bool:
    """Print the result of a self-test; False if standard output cannot be written, as on a full disk.

    Parameters
    ----------
    reason : why it failed, also printed on standard error; "" if it succeeded.
    times : by `MILESTONES`; None if none was reached.
    """
    line: dict[str, object] = {"ready": not reason, **(times or dict.fromkeys(MILESTONES))}
    line |= {"pictures": pictures, "findings": findings}
    if reason:
        line["reason"] = reason
    with suppress(OSError):
        if reason:
            print(f"self-test failed: {reason}", file=sys.stderr)  # noqa: T201 - output of a command
        print(json.dumps(line), flush=True)  # noqa: T201
        return True
    return False
