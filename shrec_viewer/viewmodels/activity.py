"""Work as somebody who looks on sees it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Activity:
    """A piece of work as somebody who looks on sees it.

    Attributes
    ----------
    lane : where it runs.
    title : what it is, ``"Reading shrec06"``; "" where nobody said.
    text : what it is at, "" for nothing in particular.
    done, total : how far it is; `total` 0: nobody knows.
    since : when it was asked for, by `time.monotonic`.
    """

    lane: str
    title: str
    text: str
    done: int
    total: int
    since: float


@dataclass(frozen=True)
class Past:
    """A piece of work that is over: how it ended, and after how many seconds."""

    activity: Activity
    how: str
    seconds: float
