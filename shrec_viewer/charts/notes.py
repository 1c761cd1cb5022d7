"""Notes of a chart."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Notes:
    """What is to be known about a chart; drawn above it in figures."""

    notes: tuple[str, ...] = ()
