"""Quantities on a mesh as colours: scale, range of several meshes, palettes, legend."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.benchmark import Quantity
from shrec_viewer.domain.mesh import Mesh, MeshValues
from shrec_viewer.domain.value_scale import ValueLegend, ValueScale, ValueSummary, common_range
from shrec_viewer.number_format import format_distance
from shrec_viewer.render.scene.lighting import srgb_to_linear
from shrec_viewer.render.scene.palette import colour_bytes, map_colours

Floats = NDArray[np.float32]

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


#: Numbers for rendering of a value of 1: a power of two, by which nothing is rounded, with which differences and
#: gradients of the largest float32 values are finite. And the largest number of colours per unit, a float32.
NUMBER_UNIT, MAX_PER_STEP = 2.0**-7, 3e38

#: Keys of a scale in the settings of images.
SCALE_SETTINGS = ("values", "low", "high", "zero")

#: Share of defined corners, interpolated, above which a point is defined; else its face has an undefined corner.
ALL_DEFINED = 0.999


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


def label_text(labels: tuple[str, ...], number: int) -> str:
    """Text of a label; its number where it has none."""
    return labels[number] if 0 <= number < len(labels) else str(number)


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


def percentiles_of(numbers: NDArray[np.floating[Any]]) -> tuple[float, ...]:
    """See `ValueSummary.percentiles`; in float64, in which differences of the largest float32 are finite."""
    return tuple(np.percentile(numbers.astype(np.float64), np.arange(101)).tolist())


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
            percentiles = percentiles_of(numbers)
        summaries.append(ValueSummary(name, percentiles, labels, len(numbers) < len(values.numbers)))
    return tuple(summaries)


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
    """Index into a palette of each number, with `RenderValues.steps`; the same calculation as in the shaders."""
    steps = np.clip((numbers - np.float32(low)) * np.float32(per_step), 0, N_COLOURS - 1)
    return np.where(defined, steps, N_COLOURS).astype(np.intp)


@dataclass(frozen=True, eq=False)
class RenderValues:
    """A quantity of a `RenderMesh`.

    Attributes
    ----------
    numbers : (V,) or (F,) float32, values times `NUMBER_UNIT`, or labels, reduced to `N_COLOURS` without changing their
        colours; 0 where undefined.
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
        """Number at the start of the palette, and colours per unit of numbers; see `palette_indices`."""
        if self.is_label:
            return -0.5, 1.0
        low, high = scale.low, scale.high
        if low is None or high is None:
            numbers = self.numbers[self.defined].astype(np.float64) / NUMBER_UNIT
            low, high = common_range([ValueSummary("", percentiles_of(numbers) if len(numbers) else ())], scale.zero)
        return low * NUMBER_UNIT, min(N_COLOURS / NUMBER_UNIT / (high - low), MAX_PER_STEP) if high > low else 0.0


def make_render_values(values: MeshValues, kept: NDArray[np.generic] | None) -> RenderValues:
    """Values for rendering, of the vertices or faces that are kept, as a mask or as indices; None for all."""
    numbers = values.numbers if kept is None else values.numbers[kept]
    defined = np.isfinite(numbers)
    numbers = np.where(defined, numbers, np.float32(0))
    is_label = values.labels is not None
    if is_label:
        defined &= numbers >= 0
        numbers = np.where(defined, np.rint(numbers) % (N_COLOURS - N_COLOURS % len(CATEGORIES)), np.float32(0))
    else:
        numbers = numbers * np.float32(NUMBER_UNIT)
    return RenderValues(numbers.astype(np.float32), defined, values.place == "face", is_label)


# ── legend ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def make_legend(scale: ValueScale, meshes: Iterable[tuple[ValueSummary, ...]], unit: str = "") -> ValueLegend:
    """The legend of a scale, with its range, for several meshes by the summaries of their quantities.

    Examples
    --------
    >>> make_legend(ValueScale("q", zero=0.0), [(ValueSummary("q", (-1.0, 0.0, 3.0)),)]).ticks
    ((0.0, '−2.8800'), (0.5, '0.0000'), (1.0, '≥ 2.8800'))
    """
    found = [next((one for one in summaries if one.name == scale.name), None) for summaries in meshes]
    present = [summary for summary in found if summary is not None]
    scale = scale.with_range(present)
    low, high = scale.low or 0.0, scale.high or 0.0
    ends = [(summary.percentiles[0], summary.percentiles[-1]) for summary in present if summary.percentiles]
    labels = [label for summary in present for label in summary.labels or ()]
    clips_low, clips_high = any(first < low for first, _ in ends), any(last > high for _, last in ends)
    ticks = [(0.0, f"{'≤ ' if clips_low else ''}{format_distance(low)}")]
    if low < high:
        ticks += [] if scale.zero is None else [(0.5, format_distance(scale.zero))]
        ticks.append((1.0, f"{'≥ ' if clips_high else ''}{format_distance(high)}"))
    return ValueLegend(
        unit,
        scale,
        palette_bytes(has_zero=scale.zero is not None, has_labels=not ends),
        tuple(ticks),
        clips_low,
        clips_high,
        None if ends else tuple(sorted(dict(reversed(labels)).items())),
        len(present) < len(found) or any(summary.has_undefined for summary in present),
    )
