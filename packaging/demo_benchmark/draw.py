"""Draws the parameters of one model, the same on every machine and in every year."""

import random
from collections.abc import Sequence
from typing import TypeVar

Option = TypeVar("Option")


class Draw:
    """Repeatable choices for one model.

    Only `random.Random.random` is used, whose sequence Python guarantees for a given seed; numpy keeps that freedom
    to itself.

    Parameters
    ----------
    family : name of the class.
    index : which model of it. `style` walks through the styles by it, so that each occurs.
    """

    def __init__(self, family: str, index: int) -> None:
        self.index = index
        self._random = random.Random(f"{family} {index}")

    def style(self, options: Sequence[Option]) -> Option:
        """The options in turn, from one model to the next."""
        return options[self.index % len(options)]

    def between(self, low: float, high: float) -> float:
        """A number from [low, high)."""
        return low + (high - low) * self._random.random()

    def whole(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int((high - low + 1) * self._random.random())

    def pick(self, options: Sequence[Option]) -> Option:
        """One of the options."""
        return options[int(len(options) * self._random.random())]

    def chance(self, share: float) -> bool:
        """True in this share of all cases."""
        return self._random.random() < share
