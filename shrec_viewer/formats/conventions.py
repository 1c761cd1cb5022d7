"""What readers leave to a profile: in general words, and in those of what one profile does."""

from collections.abc import Mapping
from dataclasses import replace

from shrec_viewer.domain import Finding

MISSING = "counted as 0 or left out of means: the profile decides"
UNKNOWN = "left out before ranking, so that later models move up, unless the profile keeps unknown ids"
TIED = "the profile decides which of them comes first"

DECIDED: Mapping[str, tuple[str, Mapping[str, str]]] = {
    MISSING: ("missing_query", {"zero": "counted as empty, that is 0", "skip": "left out of means"}),
    UNKNOWN: (
        "unknown",
        {"drop": "left out before ranking, so that later models move up", "keep": "kept in place as not relevant"},
    ),
    TIED: (
        "ties",
        {
            "file": "those come first that come first in the file",
            "index": "those come first that come first in the collection",
            "trec": "the later id comes first, as in trec_eval",
        },
    ),
}
"""The profile's field that decides what was done, and what its values mean."""


def decided(finding: Finding, profile: object) -> Finding:
    """A finding with what one profile does in place of the general words; others stay as they are.

    Parameters
    ----------
    finding : of a reader.
    profile : has the fields of `metrics.Profile`.
    """
    if finding.action not in DECIDED:
        return finding
    field, words = DECIDED[finding.action]
    action = words.get(str(getattr(profile, field, "")))
    return replace(finding, action=action) if action is not None else finding
