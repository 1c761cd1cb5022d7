"""Quantities on a mesh as colours: scale, range of several meshes, palettes, legend."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.benchmark import Quantity
from shrec_viewer.domain.mesh import Mesh, MeshValues
from shrec_viewer.number_format import format_distance
from shrec_viewer.render.scene.lighting import srgb_to_linear
from shrec_viewer.render.scene.palette import colour_bytes, map_colours

Floats = NDArray[np.float32]

#: Percentiles of a quantity that have the first and the last colour; a few outliers would make all others look alike.
LOW_PERCENTILE, HIGH_PERCENTILE = 2, 98

#: Colours of a palette; those of undefined values follow them.
N_COLOURS = 256

#: From low to high: Viridis, perceptually uniform and safe for colour-blind users (CC0), without its darkest tenth, on
#: which light and shadow are invisible. Cividis has the grey of undefined values in its middle.
RISING = (
    *("#482475", "#414487", "#355F8D", "#2A788E", "#21918C"),
    *("#22A884", "#44BF70", "#7AD151", "#BDDF26", "#FDE725"),
)

#: From below to above a stated zero: the colours of losses and gains, as in matrices of differences.
DIVERGING = ("#8A3600", "#D9722E", "#F3C3A0", "#F3F4F6", "#A5CBEA", "#3F88C5", "#00447C")

#: Of labels, repeated: neighbours differ in lightness and hue. Okabe and Ito 2008, without black, and lighter or darker
#: ones of the same hues.
CATEGORIES = (
    *("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#8C564B"),
    *("#B7E3F7", "#7A3E9D", "#8FD6A9", "#F7B6D2"),
)

#: Of undefined values: neutral, while no palette has a neutral colour of this lightness.
UNDEFINED_COLOUR = "#7F7F7F"


#: Keys of a scale in the settings of images.
SCALE_SETTINGS = ("values", "low", "high", "zero")

#: Share of defined corners, interpolated, above which a point is defined; else its face has an undefined corner.
ALL_DEFINED = 0.999


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


def scale_of(settings: Mapping[str, object]) -> ValueScale | None:
    """The scale in the settings of images, which contain those of a camera, too; None without one.

    Examples
    --------
    >>> scale_of({"up": "Z", "values": "q", "low": 0, "high": 1})
    ValueScale(name='q', low=0.0, high=1.0, zero=None)
    """
    if not is_valid_scale_setting("values", name := settings.get("values")) or not name:
        return None
    low, high, zero = (
        float(number) if is_valid_scale_setting(key, number := settings.get(key)) else None  # type: ignore[arg-type]
        for key in ("low", "high", "zero")
    )
    return ValueScale(str(name), low, high, zero)


def is_valid_scale_setting(key: str, value: object) -> bool:
    """Whether a scale can have this setting; "" as the quantity is that of the files."""
    if key in ("low", "high", "zero"):
        return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return key == "values" and isinstance(value, str)


def resolve_scale(
    scale: ValueScale | None, quantities: Iterable[Quantity]
) -> tuple[ValueScale | None, Quantity | None]:
    """The scale with the zero of its quantity, and the quantity if it is in files beside the meshes.

    There is no scale for a correspondence, whose colours are those of the vertices.
    """
    quantity = None if scale is None else next((one for one in quantities if one.name == scale.name), None)
    if scale is None or quantity is None:
        return scale, None
    if quantity.correspondence:
        return None, quantity
    return scale if scale.zero is not None else replace(scale, zero=quantity.zero), quantity


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


def mesh_quantities(mesh: Mesh) -> dict[str, MeshValues]:
    """Quantities of a mesh by the names that distinguish them: those of faces may have the name of one of vertices.

    Examples
    --------
    >>> one, two = (MeshValues("q", place, np.zeros(3, np.float32)) for place in ("vertex", "face"))
    >>> triangle = Mesh(np.eye(3, dtype=np.float32), np.array([[0, 1, 2]], np.int32), values=(one, two))
    >>> list(mesh_quantities(triangle))
    ['q', 'q (face)']
    """
    found: dict[str, MeshValues] = {}
    for values in mesh.values:
        found.setdefault(values.name if values.name not in found else f"{values.name} ({values.place})", values)
    return found


def summarise(mesh: Mesh) -> tuple[ValueSummary, ...]:
    """Distribution of each quantity of a mesh."""
    summaries = []
    for name, values in mesh_quantities(mesh).items():
        numbers = values.numbers[np.isfinite(values.numbers)]
        percentiles: tuple[float, ...] = ()
        labels = None
        if values.labels is not None:
            labels = tuple(
                (number, label_text(values.labels, number)) for number in np.unique(numbers).astype(int).tolist()
            )
        elif len(numbers):
            percentiles = tuple(np.percentile(numbers, np.arange(101)).tolist())
        summaries.append(ValueSummary(name, percentiles, labels, len(numbers) < len(values.numbers)))
    return tuple(summaries)


def label_text(labels: tuple[str, ...], number: int) -> str:
    """Text of a label; its number where it has none."""
    return labels[number] if 0 <= number < len(labels) else str(number)


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


# ── colours ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@lru_cache(maxsize=4)
def palette_bytes(*, has_zero: bool, has_labels: bool) -> NDArray[np.uint8]:
    """Colours (N_COLOURS + 1, 4) uint8 in sRGB, the last one of undefined values."""
    if has_labels:
        every = [colour_bytes(CATEGORIES[index % len(CATEGORIES)]) for index in range(N_COLOURS)]
        colours = np.array([(*colour, 255) for colour in every], np.uint8)
    else:
        colours = map_colours(np.linspace(0, 1, N_COLOURS), DIVERGING if has_zero else RISING, 0.0, 1.0)
    undefined = np.array([[*colour_bytes(UNDEFINED_COLOUR), 255]], np.uint8)
    return np.concatenate([colours, undefined])


@lru_cache(maxsize=4)
def linear_palette(*, has_zero: bool, has_labels: bool) -> Floats:
    """The colours of `palette_bytes` as linear light (N_COLOURS + 1, 3) float32, as both renderers look them up."""
    return srgb_to_linear(palette_bytes(has_zero=has_zero, has_labels=has_labels))


def palette_indices(numbers: Floats, defined: NDArray[np.bool_], low: float, per_step: float) -> NDArray[np.intp]:
    """Index into a palette of each number; the same calculation as in the shaders."""
    steps = np.clip((numbers - np.float32(low)) * np.float32(per_step), 0, N_COLOURS - 1)
    return np.where(defined, steps, N_COLOURS).astype(np.intp)


@dataclass(frozen=True, eq=False)
class RenderValues:
    """A quantity of a `RenderMesh`.

    Attributes
    ----------
    numbers : (V,) or (F,) float32, 0 where undefined; labels are reduced to `N_COLOURS` without changing their colours.
    defined : the same shape, whether there is a value.
    of_faces : whether faces have values, instead of vertices.
    is_label : whether they are labels, which are not interpolated: a point has that of the nearest corner.
    """

    numbers: Floats
    defined: NDArray[np.bool_]
    of_faces: bool = False
    is_label: bool = False

    def palette(self, scale: ValueScale) -> Floats:
        """See `linear_palette`."""
        return linear_palette(has_zero=scale.zero is not None, has_labels=self.is_label)

    def steps(self, scale: ValueScale) -> tuple[float, float]:
        """Value at the start of the palette, and colours per unit; see `palette_indices`."""
        if self.is_label:
            return -0.5, 1.0
        low, high = scale.low, scale.high
        if low is None or high is None:
            numbers = self.numbers[self.defined]
            percentiles = tuple(np.percentile(numbers, np.arange(101)).tolist()) if len(numbers) else ()
            low, high = common_range([ValueSummary("", percentiles)], scale.zero)
        return low, N_COLOURS / (high - low) if high > low else 0.0


def make_render_values(values: MeshValues, kept: NDArray[np.generic] | None) -> RenderValues:
    """Values for rendering, of the vertices or faces that are kept, as a mask or as indices; None for all."""
    numbers = values.numbers if kept is None else values.numbers[kept]
    defined = np.isfinite(numbers)
    numbers = np.where(defined, numbers, np.float32(0))
    is_label = values.labels is not None
    if is_label:
        defined &= numbers >= 0
        numbers = np.where(defined, np.rint(numbers) % (N_COLOURS - N_COLOURS % len(CATEGORIES)), np.float32(0))
    return RenderValues(numbers.astype(np.float32), defined, values.place == "face", is_label)


# ── legend ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class ValueLegend:
    """What the colours of a quantity mean, for several meshes.

    Attributes
    ----------
    unit : "" for none.
    scale : with a range.
    clips_low, clips_high : whether values lie beyond the range.
    labels : values and texts of the labels that occur, ascending; () without values; None for a quantity.
    has_undefined : whether some values are undefined, or a mesh does not have the quantity.
    """

    unit: str
    scale: ValueScale
    clips_low: bool = False
    clips_high: bool = False
    labels: tuple[tuple[int, str], ...] | None = None
    has_undefined: bool = False

    @property
    def title(self) -> str:
        """Name and unit."""
        return f"{self.scale.name} in {self.unit}" if self.unit else self.scale.name

    @property
    def colours(self) -> NDArray[np.uint8]:
        """See `palette_bytes`."""
        return palette_bytes(has_zero=self.scale.zero is not None, has_labels=self.labels is not None)

    @property
    def ticks(self) -> tuple[tuple[float, str], ...]:
        """Places in the palette from 0 to 1 with their texts: of the ends, and of a stated zero.

        Examples
        --------
        >>> ValueLegend("", ValueScale("q", -2.0, 2.0, 0.0), clips_high=True).ticks
        ((0.0, '−2.0000'), (0.5, '0.0000'), (1.0, '≥ 2.0000'))
        """
        scale = self.scale
        assert scale.low is not None
        assert scale.high is not None
        low = f"{'≤ ' if self.clips_low else ''}{format_distance(scale.low)}"
        high = f"{'≥ ' if self.clips_high else ''}{format_distance(scale.high)}"
        if scale.low == scale.high:
            return ((0.0, low),)
        middle = () if scale.zero is None else ((0.5, format_distance(scale.zero)),)
        return ((0.0, low), *middle, (1.0, high))

    def place(self, value: float) -> float:
        """Place of a value in the palette, from 0 to 1."""
        low, high = self.scale.low or 0.0, self.scale.high or 0.0
        return min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.0


def make_legend(scale: ValueScale, meshes: Iterable[tuple[ValueSummary, ...]], unit: str = "") -> ValueLegend:
    """The legend of a scale, with its range, for several meshes by the summaries of their quantities."""
    found = [next((one for one in summaries if one.name == scale.name), None) for summaries in meshes]
    present = [summary for summary in found if summary is not None]
    scale = scale.with_range(present)
    assert scale.low is not None
    assert scale.high is not None
    ends = [(summary.percentiles[0], summary.percentiles[-1]) for summary in present if summary.percentiles]
    labels = [label for summary in present for label in summary.labels or ()]
    return ValueLegend(
        unit,
        scale,
        any(low < scale.low for low, _ in ends),
        any(high > scale.high for _, high in ends),
        tuple(sorted(dict(reversed(labels)).items())) if not ends else None,
        len(present) < len(found) or any(summary.has_undefined for summary in present),
    )


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
