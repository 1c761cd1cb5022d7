"""Colours of figures: those of the window, and variants for greyscale printing and colour-blind readers."""

from collections.abc import Sequence
from dataclasses import dataclass

from shrec_viewer.charts.matrix import MatrixScale
from shrec_viewer.render.scene.palette import (
    CIVIDIS,
    ONE_HUE,
    RANK_CHANGE,
    SERIES,
    RelevanceStyle,
    map_colours,
    relevance_style,
)

INK, MUTED, OUTLINE, RULE, ACCENT, PAPER = "#1B1E23", "#5A616C", "#7F8691", "#DEE1E6", "#0B7A75", "#FFFFFF"
#: Colours of the light theme of the window: text, secondary text, outlines, grid, highlight, background; marks.
FAINT = "#878D96"

#: Background and stripes of images.
TILE, TILE_HATCH = "#E9EBEF", "#D3D7DD"

#: Colours by their names in the themes of the window, for lines for comparison.
TOKENS = {
    "ink": INK,
    "muted": MUTED,
    "faint": FAINT,
    "line_strong": OUTLINE,
    "line": RULE,
    "accent": ACCENT,
    "surface": PAPER,
}

#: Colours of a table that is blended from few.
STEPS = 17


@dataclass(frozen=True)
class FigurePalette:
    """Colours of a figure.

    Attributes
    ----------
    key, title : ``"greyscale"``, and what it is.
    series : colours of runs, in the order of those of the window.
    markers : whether runs of different colours also have different markers.
    is_grey : whether all other colours become grey.
    values, shares, differences : colour tables from the lowest to the highest value.
    gain, loss : colours of bars.
    preset : marks of relevance levels, a key of `PRESETS`.
    """

    key: str
    title: str
    series: tuple[str, ...]
    markers: bool
    is_grey: bool
    values: tuple[str, ...]
    shares: tuple[str, ...]
    differences: tuple[str, ...]
    gain: str
    loss: str
    preset: str = "ordinal"

    def colour(self, colour: str) -> str:
        """A colour of the window in this palette."""
        known = [entry.upper() for entry in SERIES["light"]]
        if colour.upper() in known:
            return self.series[known.index(colour.upper())]
        return grey(colour) if self.is_grey else colour

    def marker(self, colour: str, marker: str) -> str:
        """Marker of a run; of a colour that this palette repeats, a hollow one.

        Parameters
        ----------
        colour, marker : of the run in the window.
        """
        known = [entry.upper() for entry in SERIES["light"]]
        if not self.markers or colour.upper() not in known:
            return marker
        index = known.index(colour.upper())
        shapes = ("circle", "square", "triangle", "diamond")
        shape, _, fill = marker.partition(" ")
        shape = shape or shapes[index % len(shapes)]
        return f"{shape} {fill}" if fill else f"{shape} hollow" if index >= len(shapes) else shape

    def table(self, scale: MatrixScale, *, inverted: bool = False) -> tuple[str, ...]:
        """Colour table of a matrix."""
        tables = {"values": self.values, "cividis": CIVIDIS, "shares": self.shares, "differences": self.differences}
        table = self.values if scale == "cividis" and self.is_grey else tables[scale]
        return table[::-1] if inverted else table

    def relevance(self, level: int, *, is_binary: bool) -> RelevanceStyle:
        """Mark of a relevance level."""
        return relevance_style(2 if is_binary and level == 1 else level, "light", self.preset)


def luma(colour: str) -> float:
    """Luma of a colour in [0, 1] (ITU-R BT.601)."""
    return int(grey(colour)[1:3], 16) / 255.0


#: Difference of the largest and the smallest component, of 255, from which a colour is not a grey or a tint of one.
MIN_CHROMA = 64


def is_chromatic(colour: str) -> bool:
    """Whether a colour is distinguished from others by its hue.

    Examples
    --------
    >>> is_chromatic("#D55E00"), is_chromatic("#5A616C"), is_chromatic("#DDEFED")
    (True, False, False)
    """
    parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return max(parts) - min(parts) >= MIN_CHROMA


#: Colours that become distinct greys; more are the colours of an image, and become greys of the same luma.
MAX_GREYS = 12


def distinct_colours(
    colours: Sequence[str], palette: FigurePalette, *, has_dark: bool, has_light: bool
) -> dict[str, str]:
    """Colours of a palette for the colours of a drawing, as distinct as possible.

    Parameters
    ----------
    colours : in the order of their occurrence; more than the palette distinguishes have no entry in the result.
    has_dark, has_light : whether the drawing has dark and light backgrounds.

    Examples
    --------
    >>> distinct_colours(["#FF0000", "#00AA00"], find_palette("greyscale"), has_dark=False, has_light=True)
    {'#FF0000': '#000000', '#00AA00': '#A6A6A6'}
    """
    if palette.is_grey:
        if len(colours) > MAX_GREYS:
            return {}
        low, high = (0x59 if has_dark else 0x00), (0xA6 if has_light else 0xFF)
        ordered = sorted(colours, key=luma)
        steps = [low + (high - low) * index / max(len(ordered) - 1, 1) for index in range(len(ordered))]
        return {colour: "#" + f"{round(step):02X}" * 3 for colour, step in zip(ordered, steps, strict=True)}
    kept = {colour: palette.colour(colour) for colour in colours if palette.colour(colour) != colour}
    free = [
        colour for colour in palette.series if colour not in kept.values() and not (has_dark and luma(colour) < 0.1)
    ]
    others = [colour for colour in colours if colour not in kept]
    return kept if len(others) > len(free) else kept | dict(zip(others, free, strict=False))


def grey(colour: str) -> str:
    """A colour as grey of the same luma (ITU-R BT.601, as printer drivers convert).

    Examples
    --------
    >>> grey("#FF0000"), grey("#FFFFFF")
    ('#4C4C4C', '#FFFFFF')
    """
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    level = round(0.299 * red + 0.587 * green + 0.114 * blue)
    return f"#{level:02X}{level:02X}{level:02X}"


def _blend(colours: Sequence[str], steps: int = STEPS) -> tuple[str, ...]:
    """Colours at equal steps between those given."""
    import numpy as np

    pixels = map_colours(np.linspace(0.0, 1.0, steps), tuple(colours), 0.0, 1.0)
    return tuple(f"#{red:02X}{green:02X}{blue:02X}" for red, green, blue, _ in pixels.tolist())


_UP, _DOWN = RANK_CHANGE["light"]["up"], RANK_CHANGE["light"]["down"]
_DIFFERENCES = _blend((_DOWN, "#F3F4F6", _UP))
_SHARES = _blend((PAPER, ACCENT, INK))
_GREYS = ("#000000", "#4D4D4D", "#808080", "#A6A6A6")
_OKABE_ITO = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A7B00")

#: Palettes of figures, the default first.
PALETTES: tuple[FigurePalette, ...] = (
    FigurePalette(
        "default", "colours of the window", SERIES["light"], False, False, ONE_HUE, _SHARES, _DIFFERENCES, _UP, _DOWN
    ),
    FigurePalette(
        "greyscale",
        "greys, which survive black-and-white printing; runs also differ in markers",
        (*_GREYS, *_GREYS),
        True,
        True,
        _blend(("#1A1A1A", "#F2F2F2")),
        _blend(("#FFFFFF", "#000000")),
        _blend(("#000000", "#A6A6A6", "#FFFFFF")),
        "#9A9A9A",
        "#2B2B2B",
        "contrast",
    ),
    FigurePalette(
        "colour-blind",
        "colours that colour-blind readers distinguish (Okabe and Ito 2008, the yellow darkened); runs also differ in "
        "markers",
        _OKABE_ITO,
        True,
        False,
        CIVIDIS,
        _blend(("#FFFFFF", "#0072B2", "#00263D")),
        _blend(("#D55E00", "#F3F4F6", "#0072B2")),
        "#0072B2",
        "#D55E00",
        "contrast",
    ),
)


def find_palette(key: str) -> FigurePalette:
    """The palette with this key; KeyError if there is none."""
    for palette in PALETTES:
        if palette.key == key:
            return palette
    raise KeyError(f"there is no palette '{key}'")
