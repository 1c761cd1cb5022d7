"""Pseudo-random parameters of one model, identical on every machine."""

import random
from collections.abc import Sequence
from typing import TypeVar

Option = TypeVar("Option")


class Draw:
    """Repeatable choices for one model.

    Uses `random.Random.random` only, whose sequence Python guarantees for a seed; numpy does not guarantee a stable
    stream.

    Parameters
    ----------
    family : name of the class.
    index : number of the model within its class; `style` cycles through the styles by it, so that each occurs.
    """

    def __init__(self, family: str, index: int) -> None:
        self.index = index
        self._random = random.Random(f"{family} {index}")

    def style(self, options: Sequence[Option]) -> Option:
        """The option for this index; successive models cycle through the options."""
        return options[self.index % len(options)]

    def between(self, low: float, high: float) -> float:
        """A number from [low, high)."""
        return low + (high - low) * self._random.random()

    def whole(self, low: int, high: int) -> int:
        """An integer from low to high, both included."""
        return low + int((high - low + 1) * self._random.random())

    def pick(self, options: Sequence[Option]) -> Option:
        """One of the options."""
        return options[int(len(options) * self._random.random())]

    def chance(self, share: float) -> bool:
        """True with this probability."""
        return self._random.random() < share
