"""Colours of relevance levels, runs and values, for both themes and colour-blind users."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.benchmark import Run

FrameLine = Literal["solid", "dash", "dot", "double"]

#: Text, and the frame of the query. Purple for the query was rejected: it is too close to blue in protan vision.
INK: dict[str, str] = {"light": "#1B1B1B", "dark": "#F2F2F2"}


@dataclass(frozen=True)
class RelevanceStyle:
    """Mark of one relevance level: by colour, width, line and glyph together, never by colour alone.

    Attributes
    ----------
    frame : colour, ``#RRGGBB``; contrast at least 3:1 on `surface`, `window` and `picture` of the theme (WCAG 1.4.11).
    width : of the frame in pixels; 0 for no frame.
    line : line style of the frame.
    glyph : symbol in the badge, before the level's number.
    name : text of the level.
    hatched : whether the frame is hatched, in the preset that emphasises errors.
    """

    frame: str
    width: int
    line: FrameLine
    glyph: str
    name: str
    hatched: bool = False

    @property
    def badge_ink(self) -> str:
        """Black or white for text on the frame's colour, whichever has more contrast."""
        return max(("#FFFFFF", "#000000"), key=lambda ink: contrast(ink, self.frame))


def _level_styles(
    not_relevant: str, marginal: str, high: str, highest: str, *, strict: bool = False
) -> dict[int, RelevanceStyle]:
    return {
        0: RelevanceStyle(not_relevant, 2 if strict else 0, "solid", "○", "not relevant", hatched=strict),
        1: RelevanceStyle(marginal, 2, "dash", "◐", "marginally relevant"),
        2: RelevanceStyle(high, 3, "solid", "●", "highly relevant"),
        3: RelevanceStyle(highest, 4, "solid", "◉", "most relevant"),
    }


#: By preset, theme and level. "ordinal" gives results that are not relevant, the majority, no frame; "strict"
#: emphasises them; "classic" has the colours of traffic lights, which colour-blind users confuse: never the default.
PRESETS: dict[str, dict[str, dict[int, RelevanceStyle]]] = {
    "ordinal": {
        "light": _level_styles("#84878A", "#A86200", "#00569B", "#00284B"),
        "dark": _level_styles("#80858A", "#FFB83D", "#5AB8FF", "#C2E6FF"),
    },
    "strict": {
        "light": _level_styles("#7E2600", "#B8760D", "#00569B", "#00284B", strict=True),
        "dark": _level_styles("#D85F4A", "#FFC24A", "#5AB8FF", "#C2E6FF", strict=True),
    },
    "contrast": {
        "light": _level_styles("#6F757E", "#A86500", "#004A86", "#00203D"),
        "dark": _level_styles("#8E96A3", "#FFD27A", "#6FC3FF", "#D6EFFF"),
    },
    "classic": {
        "light": _level_styles("#D7322D", "#A67C00", "#1F7A30", "#0C4718"),
        "dark": _level_styles("#FF6B66", "#F2B705", "#4CC764", "#B4F0BF"),
    },
}


def relevance_style(level: int, theme: str = "light", preset: str = "ordinal") -> RelevanceStyle:
    """Mark of a level; levels above 3 look like 3, but the badge has their number."""
    return PRESETS[preset][theme][min(max(level, 0), 3)]


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

#: Colours of participants: indigo, brown, olive, teal, magenta, wine, ochre and grey, of the same hue in both themes.
#:
#: Found by a search over pairs of equal CIELAB hue (at most 20 degrees apart). Light: contrast 3:1 on both backgrounds,
#: minimum CIEDE2000 between any two 25.5 in normal vision, 17.2 in protan, deutan and tritan vision. Dark: 3.6:1, 26.3
#: and 17.5. Consecutive colours and the first four differ by at least 31 in both themes.
SERIES: dict[str, tuple[str, ...]] = {
    "light": ("#2E00AB", "#9C5D50", "#433F00", "#329D88", "#F501FE", "#670F39", "#979000", "#5B6272"),
    "dark": ("#876BFF", "#F99F85", "#E1EE00", "#009F9E", "#E6BEFF", "#FE008A", "#928500", "#D2E9DF"),
}

#: One for each run of a participant.
DASHES = ("solid", "dash", "dot", "dashdot", "dashdotdot")

#: One for each repetition of the colours: the ninth participant gets the first colour with the second marker.
MARKERS = ("circle", "square", "triangle", "diamond", "cross")


#: Filled parts of a marker in plots of points without lines, "" for all of it.
MARKER_FILLS = ("", "hollow", "left", "right", "bottom")


class RunStyle(NamedTuple):
    """Style of a run's curve: ``#RRGGBB``, one of DASHES, and one of MARKERS or "" for none."""

    colour: str
    dash: str
    marker: str = ""


def style_of_text(text: str) -> tuple[str, RunStyle] | None:
    """Name and style of a run, of the option ``--style``; None if it is not valid.

    Examples
    --------
    >>> style_of_text("A=1=#2E00AB dash triangle")
    ('A=1', RunStyle(colour='#2E00AB', dash='dash', marker='triangle'))
    >>> style_of_text("A1=#2E00AB")
    ('A1', RunStyle(colour='#2E00AB', dash='solid', marker=''))
    >>> style_of_text("A1=red")
    """
    name, _, style = text.rpartition("=")
    colour, dash, marker, *more = [*style.split(), "", "", ""][: max(3, len(style.split()))]
    is_colour = re.fullmatch("#[0-9A-Fa-f]{6}", colour) is not None
    if not name or not is_colour or dash not in ("", *DASHES) or marker not in ("", *MARKERS) or any(more):
        return None
    return name, RunStyle(colour, dash or DASHES[0], marker)


class StyleSlot(NamedTuple):
    """Indices into SERIES, DASHES and MARKERS; marker 0 is not drawn."""

    colour: int
    dash: int
    marker: int


def run_style(slot: StyleSlot, theme: str = "light") -> RunStyle:
    """Style of a slot in a theme. Exports use the light theme."""
    return RunStyle(SERIES[theme][slot.colour], DASHES[slot.dash], MARKERS[slot.marker] if slot.marker else "")


def point_marker(style: RunStyle) -> str:
    """Marker of a run in a plot of points without lines: a shape for its dash, and a fill for its marker.

    Runs of one colour differ in dash or marker (`assign_slots`), so the 25 combinations are distinct here as well.

    Examples
    --------
    >>> point_marker(RunStyle("#2E00AB", "solid")), point_marker(RunStyle("#2E00AB", "dash", "triangle"))
    ('circle', 'square left')
    """
    fill = MARKER_FILLS[MARKERS.index(style.marker) if style.marker else 0]
    return f"{MARKERS[DASHES.index(style.dash)]} {fill}".rstrip()


N_COLOURS = len(SERIES["light"])

#: Slot by name of the run, also of runs that were removed: they get the same style again when they return.
Slots = Mapping[str, StyleSlot]


def assign_slots(runs: Sequence[Run], known: Slots) -> dict[str, StyleSlot]:
    """Slots of all runs; those in `known` are kept, and every other run gets one that no run has.

    A participant has one colour, and its runs differ in dash. From the ninth participant on colours are shared, and
    markers distinguish the runs, as they do for more than five runs of a participant. There are 200 slots; more runs
    share them.
    """
    slots = dict(known)
    colours = {run.participant: slots[run.name].colour for run in reversed(runs) if run.name in slots}
    used = set(slots.values())
    for run in runs:
        if run.name in slots:
            continue
        if run.participant not in colours:
            count = Counter(colours.values())
            colours[run.participant] = min(range(N_COLOURS), key=lambda colour: (count[colour], colour))
        slots[run.name] = _free_slot(colours, run.participant, used)
        used.add(slots[run.name])
    return slots


def _free_slot(colours: Mapping[str, int], participant: str, used: set[StyleSlot]) -> StyleSlot:
    """The first unused slot of a participant's colour, with its own marker if possible; else of any colour."""
    colour = colours[participant]
    own = [name for name, index in colours.items() if index == colour].index(participant) % len(MARKERS)
    markers = [*range(own, len(MARKERS)), *range(own)]
    of_colour = (StyleSlot(colour, dash, marker) for marker, dash in product(markers, range(len(DASHES))))
    of_others = (StyleSlot(*slot) for slot in product(range(N_COLOURS), range(len(DASHES)), range(len(MARKERS))))
    return next((slot for slot in chain(of_colour, of_others) if slot not in used), StyleSlot(colour, 0, own))


#: Curves whose samples differ by less are drawn as equal: the difference is invisible on any screen.
EQUAL_TOLERANCE = 1e-9

#: Dash patterns of the second, third and fourth of equal curves; the gaps grow, so that all remain visible.
OUTLINE_DASHES = ("gaps", "gaps2", "gaps3")


class StyledCurve(Protocol):
    """The attributes of a curve that determine its style over an equal one."""

    @property
    def key(self) -> str:
        """Identifier."""

    @property
    def x(self) -> NDArray[np.float64]:
        """(K,) float64."""

    @property
    def y(self) -> NDArray[np.float64]:
        """(K,) float64."""

    @property
    def dash(self) -> str:
        """A key of the dash patterns."""

    @property
    def dotted(self) -> bool:
        """Whether it consists of points."""

    @property
    def emphasis(self) -> str:
        """``"crowd"`` for one of many thin curves."""


@dataclass(frozen=True)
class OverlapStyle:
    """Style of a curve drawn on top of an equal one.

    Attributes
    ----------
    level : stacking level, 1 for the first curve above the lowest.
    dash : a key of `DASH_PATTERNS` that leaves the lower curve visible.
    thin : the lowest curve is selected and wide; this one is a thin line with an outline in the background colour.
    """

    level: int
    dash: str
    thin: bool


def overlap_styles(curves: Sequence[StyledCurve], selected_key: str | None) -> dict[str, OverlapStyle]:
    """Styles of the curves that are drawn on top of an equal one, by key: dashed above solid, the selected one last.

    A selected curve that is solid is drawn below the others, since it is wide enough to show on both sides.
    """
    lines = [curve for curve in curves if curve.emphasis != "crowd" and not curve.dotted]
    found: dict[str, OverlapStyle] = {}
    while lines:
        first, *lines = lines
        equal = [first, *(curve for curve in lines if _are_equal(first, curve))]
        lines = [curve for curve in lines if curve not in equal]
        equal.sort(key=lambda curve: _stacking_key(curve, selected_key))
        used_dashes = {equal[0].dash}
        for level, curve in enumerate(equal[1:], start=1):
            thin = (
                equal[0].key == selected_key
            )  # with gaps: an outline of long dashes would cover most of the wide line
            needs_gaps = thin or curve.dash in used_dashes or curve.dash == "solid"
            found[curve.key] = OverlapStyle(
                level, OUTLINE_DASHES[min(level, len(OUTLINE_DASHES)) - 1] if needs_gaps else curve.dash, thin
            )
            used_dashes.add(curve.dash)
    return found


def _stacking_key(curve: StyledCurve, selected_key: str | None) -> int:
    is_solid = curve.dash == "solid"
    return (0 if is_solid else 3) if curve.key == selected_key else 1 if is_solid else 2


def _are_equal(one: StyledCurve, other: StyledCurve) -> bool:
    middle = len(one.y) // 2
    if middle < len(other.y) and abs(one.y[middle] - other.y[middle]) > EQUAL_TOLERANCE:
        return False  # as for most pairs; numpy.allclose takes 30 µs for each, a plot of 13 runs has 78 pairs
    if len(one.x) != len(other.x) or not np.allclose(one.x, other.x, rtol=0.0, atol=EQUAL_TOLERANCE, equal_nan=True):
        return False
    return bool(np.allclose(one.y, other.y, rtol=0.0, atol=EQUAL_TOLERANCE, equal_nan=True))


# ── values ───────────────────────────────────────────────────────────────────────────────────────────────────────────


#: Values from low to high, safe for colour-blind users; Nuñez, Anderton, Renslow 2018.
CIVIDIS = (
    *("#00224E", "#002E6A", "#1A386F", "#32436D", "#434E6C", "#535A6D", "#61656F", "#6F7073", "#7D7C78"),
    *("#8C8878", "#9B9476", "#ABA072", "#BCAE6C", "#CDBB63", "#DEC958", "#F0D846", "#FEE838"),
)

#: Values from low to high in the hue of the accent, on light backgrounds; reversed on dark ones.
ONE_HUE = ("#F3F7F7", "#0B7A75", "#064A48")

#: Used with the signs ▲ ▼ = and the number; models in only one list have a hollow frame instead of a fourth hue.
RANK_CHANGE: dict[str, dict[str, str]] = {
    "light": {"up": "#00569B", "down": "#B34700", "same": "#6B7280"},
    "dark": {"up": "#5AB8FF", "down": "#FF9A5C", "same": "#98A19E"},
}


def map_colours(values: NDArray[np.float64], table: tuple[str, ...], low: float, high: float) -> NDArray[np.uint8]:
    """Colours (..., 4) RGBA of values (...), interpolated between the entries of a colour table.

    Values outside [low, high] get the colour of the nearest end. NaN becomes fully transparent; the caller draws it
    hatched, never as a value.

    Examples
    --------
    >>> map_colours(np.array([0.0, 0.5, np.nan]), ("#000000", "#FF0000"), 0, 1).tolist()
    [[0, 0, 0, 255], [128, 0, 0, 255], [0, 0, 0, 0]]
    """
    entries = np.array([colour_bytes(colour) for colour in table], np.float64)
    share = (np.asarray(values, np.float64) - low) / (high - low if high > low else 1.0)
    position = np.clip(np.nan_to_num(share), 0, 1) * (len(table) - 1)
    channels = [np.interp(position, np.arange(len(table)), entries[:, channel]) for channel in range(3)]
    alpha = np.where(np.isnan(share), 0.0, 255.0)
    colours = np.stack([*channels, alpha], axis=-1)
    colours[np.isnan(share)] = 0
    return np.floor(colours + 0.5).astype(np.uint8)


# ── contrast ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def contrast(one: str, two: str) -> float:
    """Contrast ratio of two ``#RRGGBB`` colours, 1 to 21; WCAG 2.2.

    Examples
    --------
    >>> contrast("#000000", "#FFFFFF")
    21.0
    """
    lighter, darker = sorted((_luminance(one), _luminance(two)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (b / 255 for b in colour_bytes(colour))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def colour_bytes(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of ``#RRGGBB``."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
