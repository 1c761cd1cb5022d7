"""The scale of a quantity on meshes: range, distribution over the meshes, and legend of its colours."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

#: Percentiles of a quantity that have the first and the last colour; a few outliers would make all others look alike.
LOW_PERCENTILE, HIGH_PERCENTILE = 2, 98

#: Meaning of the colour of undefined values.
UNDEFINED = "undefined"


@dataclass(frozen=True)
class ValueScale:
    """Which quantity of a mesh is drawn as colours, and how.

    Attributes
    ----------
    name : of the quantity, see `mesh_quantities`.
    low, high : values with the first and the last colour, which values beyond them have, too; None for the range of the
        mesh, see `common_range`. Without a meaning for labels.
    zero : centre of a diverging palette, from which the range extends equally far to both sides; None for a palette
        from low to high.
    """

    name: str
    low: float | None = None
    high: float | None = None
    zero: float | None = None

    def with_range(self, summaries: Iterable["ValueSummary"]) -> "ValueScale":
        """The scale with the common range of these meshes, unless it has a range."""
        if self.low is not None and self.high is not None:
            return self
        low, high = common_range(summaries, self.zero)
        return replace(self, low=low, high=high)

    def as_settings(self) -> dict[str, str | float]:
        """The scale beside the settings of a camera; see `scale_of`."""
        numbers = {"low": self.low, "high": self.high, "zero": self.zero}
        return {"values": self.name, **{key: number for key, number in numbers.items() if number is not None}}


@dataclass(frozen=True)
class ValueSummary:
    """Distribution of a quantity over one mesh.

    Attributes
    ----------
    name : of the quantity.
    percentiles : of 0 to 100 %, 101 numbers; () if no value is defined.
    labels : values and texts of the labels that occur, ascending; None for a quantity.
    has_undefined : whether some values are undefined.
    """

    name: str
    percentiles: tuple[float, ...] = ()
    labels: tuple[tuple[int, str], ...] | None = None
    has_undefined: bool = False


def common_range(summaries: Iterable[ValueSummary], zero: float | None = None) -> tuple[float, float]:
    """Values with the first and the last colour for several meshes: 2 and 98 % of their values together.

    Every mesh counts equally, whatever its number of vertices: a finer mesh of a shape must not change its colours. If
    these percentiles are equal, the extremes; if they are equal, too, there is one colour. (0, 1) without values.

    Examples
    --------
    >>> common_range([ValueSummary("q", tuple(range(101)))]), common_range([ValueSummary("q", (0.0, 4.0))], 1.0)
    ((2.0, 98.0), (-1.92, 3.92))
    """
    together = np.array([number for summary in summaries for number in summary.percentiles])
    if not len(together):
        return (0.0, 1.0) if zero is None else (zero - 1.0, zero + 1.0)
    low, high = (float(one) for one in np.percentile(together, [LOW_PERCENTILE, HIGH_PERCENTILE]))
    if low == high:
        low, high = float(together.min()), float(together.max())
    if zero is not None:
        reach = max(abs(low - zero), abs(high - zero)) or 1.0
        low, high = zero - reach, zero + reach
    return low, high


@dataclass(frozen=True)
class ValueLegend:
    """What the colours of a quantity mean, for several meshes.

    Attributes
    ----------
    unit : "" for none.
    scale : with a range.
    colours : (N + 1, 4) uint8 in sRGB, from the first to the last one, then that of undefined values; labels repeat
        them.
    ticks : places in the palette from 0 to 1 with their texts: of the ends, and of a stated zero between them.
    clips_low, clips_high : whether values lie beyond the range.
    labels : values and texts of the labels that occur, ascending; () without values; None for a quantity.
    has_undefined : whether some values are undefined, or a mesh does not have the quantity.
    """

    unit: str
    scale: ValueScale
    colours: NDArray[np.uint8] = field(compare=False)
    ticks: tuple[tuple[float, str], ...]
    clips_low: bool = False
    clips_high: bool = False
    labels: tuple[tuple[int, str], ...] | None = None
    has_undefined: bool = False

    @property
    def title(self) -> str:
        """Name and unit."""
        return f"{self.scale.name} in {self.unit}" if self.unit else self.scale.name

    @property
    def palette(self) -> NDArray[np.uint8]:
        """Colours (N, 4) from the first to the last one."""
        return self.colours[:-1]

    @property
    def samples(self) -> list[tuple[tuple[int, int, int], str]]:
        """Colours with their meaning: of labels and of undefined values."""
        found = [(self.colours[number % (len(self.colours) - 1)], text) for number, text in self.labels or ()]
        found += [(self.colours[-1], UNDEFINED)] if self.has_undefined else []
        return [((int(red), int(green), int(blue)), text) for (red, green, blue, _), text in found]

    @property
    def stops(self) -> list[str]:
        """Every 16th colour of the palette and the last one, as ``#rrggbb``."""
        return [f"#{bytes(colour[:3].tolist()).hex()}" for colour in (*self.palette[::16], self.palette[-1])]

    def place(self, value: float) -> float:
        """Place of a value in the palette, from 0 to 1."""
        low, high = self.scale.low or 0.0, self.scale.high or 0.0
        return min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.0


def legend_text(legend: ValueLegend) -> str:
    """What a legend says, in words."""
    if legend.labels is not None:
        parts = [text for _, text in legend.labels]
    else:
        parts = [" to ".join(text for _, text in (legend.ticks[0], legend.ticks[-1]))]
        parts += [f"diverging from {text}" for _, text in legend.ticks[1:-1]]
        beyond = [
            word for word, is_clipped in (("below", legend.clips_low), ("above", legend.clips_high)) if is_clipped
        ]
        parts += [f"values {' and '.join(beyond)} it have the colour of the end"] if beyond else []
    parts += ["grey: undefined"] if legend.has_undefined else []
    return f"{legend.title}: {'; '.join(parts) if legend.labels is None else ', '.join(parts)}"
