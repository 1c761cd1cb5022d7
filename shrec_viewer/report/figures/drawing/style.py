"""Size, fonts and colours that all drawings share."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

from shrec_viewer.domain.errors import ShrecViewerError
from shrec_viewer.report.figures.palettes import INK, MUTED, OUTLINE, PAPER, RULE, FigurePalette
from shrec_viewer.report.sheets.cards import elide_text, wrap_text
from shrec_viewer.resources import resource

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Width in millimetres of one column and of both in the two-column layouts of publishers in the field.
COLUMN_MM, PAGE_MM = 84.0, 174.0

#: Height of a figure in millimetres, at most: that of the text of a page.
MAX_HEIGHT_MM = 230.0

#: Height of a sheet of images in millimetres, at most: a PNG of 300 dpi with 23,600 rows of pixels.
MAX_PAGE_MM = 2000.0

#: Font size in points: the minimum of publishers, so that a figure in one column has space for its curves.
FONT_SIZE = 7.0

#: Font size in points of names and numbers within a figure.
SMALL_FONT_SIZE = 6.0

FAMILY = "Inter"
#: DejaVu Sans comes with matplotlib and has the characters that Inter lacks.
FALLBACKS = ["Inter", "DejaVu Sans"]

FONT_FILES = ("fonts/Inter-Regular.ttf", "fonts/Inter-SemiBold.ttf")

#: Millimetres.
INCH = 25.4

#: Millimetres.
POINT = INCH / 72.0

#: Padding around the axes; pages have their own margins.
PAD_INCHES = 0.02

#: Height in millimetres of one line of text.
LINE_MM = 3.6

#: Height in millimetres of a line of small text.
SMALL_LINE_MM = SMALL_FONT_SIZE * POINT * 1.25

#: Lines of a note above a figure, at most.
MAX_NOTE_LINES = 4


@dataclass(frozen=True)
class Drawing:
    """How a figure is drawn.

    Attributes
    ----------
    width : in millimetres.
    palette : colours.
    may_have_images : whether the format can contain images.
    notes : above the figure.
    """

    width: float
    palette: FigurePalette
    may_have_images: bool = True
    notes: tuple[str, ...] = ()

    def figure(self, height: float) -> "Figure":
        """An empty figure of the width, with this height in millimetres, whose axes fill it."""
        from matplotlib.layout_engine import ConstrainedLayoutEngine

        figure, box = self._with_notes(height)
        figure.set_layout_engine(ConstrainedLayoutEngine(w_pad=PAD_INCHES, h_pad=PAD_INCHES, rect=box))
        return figure

    def page(self, height: float) -> "tuple[Figure, Any]":
        """A figure with this height in millimetres, and axes in millimetres from its upper left corner.

        Raises
        ------
        ShrecViewerError
            If it would be higher than `MAX_PAGE_MM`.
        """
        if height > MAX_PAGE_MM:
            raise ShrecViewerError(f"the figure would be {height / 1000:.1f} m high; choose fewer queries or runs")
        figure, box = self._with_notes(height)
        axes = figure.add_axes(box)
        axes.set_xlim(0.0, self.width)
        axes.set_ylim(height, 0.0)
        axes.set_axis_off()
        return figure, axes

    def _with_notes(self, height: float) -> "tuple[Figure, tuple[float, float, float, float]]":
        """An empty figure with the notes above this height, and left, bottom, width and height of the rest in it."""
        lines = [line for note in self.notes for line in text_lines(note, self.width - 2.0, MAX_NOTE_LINES)]
        room = SMALL_LINE_MM * len(lines) + 1.0 if lines else 0.0
        figure = _figure_class()(figsize=(self.width / INCH, (height + room) / INCH))
        for number, line in enumerate(lines):
            y = 1.0 - (0.5 + number * SMALL_LINE_MM) / (height + room)
            figure.text(1.0 / self.width, y, line, va="top", fontsize=SMALL_FONT_SIZE, color=MUTED)
        return figure, (0.0, 0.0, 1.0, height / (height + room))


#: Resolution of a figure in a notebook.
SCREEN_DPI = 144


@lru_cache(maxsize=1)
def _figure_class() -> "type[Figure]":
    """Class of figures that are only laid out, not drawn, while they have their layout engine.

    `Figure.savefig` (matplotlib 3.11) draws a figure without output for its layout, replaces the engine by a
    placeholder, and draws it again. The first drawing took a fifth of the time.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    class LaidOutFigure(Figure):
        def _repr_png_(self) -> bytes:
            """The figure in a notebook, also where pyplot has not registered figures."""
            file = BytesIO()
            FigureCanvasAgg(self).print_figure(file, format="png", dpi=SCREEN_DPI)
            return file.getvalue()

        def draw(self, renderer: Any) -> None:
            engine = self.get_layout_engine()
            if isinstance(engine, ConstrainedLayoutEngine):
                engine.execute(self)
            else:
                super().draw(renderer)

    return LaidOutFigure


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """Width of a text in millimetres."""
    from matplotlib import rcParams

    # The families are those of the settings under which the figure is drawn.
    return _text_width(text, size, tuple(rcParams["font.family"]))


@lru_cache(maxsize=10_000)  # names are measured before and after they are shortened, and in every format
def _text_width(text: str, size: float, families: tuple[str, ...]) -> float:
    from matplotlib.font_manager import FontProperties

    properties = FontProperties(family=families, size=size)
    return float(_text_to_path().get_text_width_height_descent(text, properties, False)[0]) * POINT


@lru_cache(maxsize=1)
def _text_to_path() -> Any:
    from matplotlib.textpath import TextToPath

    return TextToPath()


def elide(text: str, width: float, size: float = FONT_SIZE) -> str:
    """A text shortened in the middle to a width in millimetres; "" for no space."""
    return elide_text(text, partial(text_width, size=size), width, keep_end=True)


def text_lines(text: str, width: float, max_lines: int, size: float = FONT_SIZE) -> list[str]:
    """A text in at most `max_lines` lines of a width in millimetres, the last of which is shortened."""
    return wrap_text(text, partial(text_width, size=size), width, max_lines, keep_end=True)


def register_fonts() -> None:
    """Add the bundled font, and prefer the files that come with the program and matplotlib to installed ones.

    Other versions of them would change the bytes of a figure.
    """
    import logging

    from matplotlib import get_data_path
    from matplotlib.font_manager import fontManager

    # It warns of each fallback font without the weight of a text (3.11), and draws it with the nearest weight.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)

    ours = [str(resource(name)) for name in FONT_FILES]
    bundled = (*ours, get_data_path())
    if not any(entry.fname in ours for entry in fontManager.ttflist):
        for name in ours:
            fontManager.addfont(name)
    fontManager.ttflist = [
        entry for entry in fontManager.ttflist if entry.name not in FALLBACKS or entry.fname.startswith(bundled)
    ]


#: Installed fonts of one figure, at most.
MAX_INSTALLED = 4


def font_families(text: str) -> list[str]:
    """`FALLBACKS`, then installed fonts with the characters of a text that these lack, such as Chinese ones.

    matplotlib draws each character with the first of these fonts that has it (since 3.6). Call `register_fonts` before.
    """
    missing = {ord(letter) for letter in text if letter.isprintable()}.difference(*map(font_characters, FALLBACKS))
    families = list(FALLBACKS)
    while missing and len(families) < len(FALLBACKS) + MAX_INSTALLED:
        best = max(_installed_fonts(), key=lambda font: len(missing & font.characters), default=None)
        if best is None or not missing & best.characters:
            break
        _use_font(best)
        families.append(best.family)
        missing -= best.characters
    return families


def font_characters(family: str) -> frozenset[int]:
    """Characters of the font that matplotlib uses for a family."""
    from matplotlib.font_manager import FontProperties, findfont

    return _read_font(findfont(FontProperties(family=family))).characters


@dataclass(frozen=True)
class _InstalledFont:
    """A font file with its family and characters; none for a font that cannot be used."""

    path: str
    family: str = ""
    characters: frozenset[int] = frozenset()


@lru_cache(maxsize=1)
def _installed_fonts() -> tuple[_InstalledFont, ...]:
    """Fonts of the system with an upright style of normal weight; sans-serif ones first, then by name."""
    from matplotlib.font_manager import findSystemFonts

    # The list that matplotlib keeps in its cache has no fonts that were installed later (3.11).
    fonts = (_read_font(path) for path in sorted(findSystemFonts()))
    return tuple(sorted((font for font in fonts if font.characters), key=_font_order))


def _font_order(font: _InstalledFont) -> tuple[bool, str, str]:
    name = font.family.casefold()
    return any(word in name for word in ("serif", "mono", "ming", "song", "mincho")), name, font.path


@lru_cache(maxsize=4096)
def _read_font(path: str) -> _InstalledFont:
    from matplotlib.ft2font import FT2Font

    try:
        font = FT2Font(path)
        is_upright = font.style_name.casefold() in ("regular", "book", "normal", "roman", "medium", "")
        # Fonts of coloured images, as for emoji, have no outlines; a last-resort font has a box for each character.
        if not font.scalable or not is_upright or "last" in font.family_name.casefold():
            return _InstalledFont(path)
        return _InstalledFont(path, font.family_name, frozenset(font.get_charmap()))
    except (OSError, RuntimeError, ValueError):
        return _InstalledFont(path)


def _use_font(font: _InstalledFont) -> None:
    """Add a font to those that matplotlib finds by family, in place of others of the family."""
    from matplotlib.font_manager import fontManager

    if all(entry.fname != font.path for entry in fontManager.ttflist):
        fontManager.addfont(font.path)
    fontManager.ttflist = [
        entry for entry in fontManager.ttflist if entry.name != font.family or entry.fname == font.path
    ]


def settings(families: Sequence[str] = FALLBACKS) -> dict[str, Any]:
    """Settings of matplotlib with these fonts; all others have its defaults, whatever the user's matplotlibrc says.

    Parameters
    ----------
    families : see `font_families`.
    """
    return {
        "font.family": list(families), "font.size": FONT_SIZE, "axes.labelsize": FONT_SIZE,
        "legend.fontsize": FONT_SIZE,
        "xtick.labelsize": FONT_SIZE, "ytick.labelsize": FONT_SIZE, "mathtext.fontset": "dejavusans",
        "text.color": INK, "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK, "axes.edgecolor": OUTLINE,
        "axes.linewidth": 0.5, "grid.color": RULE, "grid.linewidth": 0.4, "xtick.major.width": 0.5,
        "ytick.major.width": 0.5, "xtick.major.size": 2.0, "ytick.major.size": 2.0, "axes.labelpad": 2.5,
        "text.parse_math": False, "axes.unicode_minus": True, "axes.axisbelow": True,
        "figure.facecolor": PAPER, "axes.facecolor": PAPER,
        "path.simplify": False, "svg.fonttype": "none", "svg.hashsalt": "shrec-viewer", "pdf.fonttype": 42,
        "pdf.compression": 9, "legend.frameon": False, "lines.dash_capstyle": "butt", "savefig.facecolor": PAPER,
        "image.composite_image": False, "hatch.linewidth": 0.4,
        "pgf.texsystem": "xelatex", "pgf.rcfonts": False, "pgf.preamble": "",
    }  # fmt: skip
