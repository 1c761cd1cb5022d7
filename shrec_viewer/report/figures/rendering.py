"""Figures as SVG, PDF, PNG and PGF files, by matplotlib."""

import base64
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import fields, is_dataclass, replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from shrec_viewer.charts.bars import Bars, Differences
from shrec_viewer.charts.intervals import Intervals
from shrec_viewer.charts.matrix import Matrix
from shrec_viewer.charts.plot import Plot
from shrec_viewer.charts.rank_rows import RankRows
from shrec_viewer.charts.scatter import Scatter
from shrec_viewer.charts.slopes import Slopes
from shrec_viewer.charts.strips import Sheet, Strips
from shrec_viewer.charts.surface import Surface
from shrec_viewer.domain.errors import Cancelled, ShrecViewerError
from shrec_viewer.number_format import MINUS
from shrec_viewer.printable import printable
from shrec_viewer.report.figures.content import FigureContent, FigureDrawing
from shrec_viewer.report.figures.drawing.bars import draw_bars, draw_changes, draw_intervals
from shrec_viewer.report.figures.drawing.images import draw_rank_rows, draw_sheet, draw_strips
from shrec_viewer.report.figures.drawing.matrix import draw_matrix
from shrec_viewer.report.figures.drawing.plot import draw_plot, draw_slopes
from shrec_viewer.report.figures.drawing.recorded import draw_drawing
from shrec_viewer.report.figures.drawing.scatter import draw_scatter
from shrec_viewer.report.figures.drawing.style import (
    COLUMN_MM,
    FAMILY,
    Drawing,
    font_characters,
    font_families,
    register_fonts,
    settings,
)
from shrec_viewer.report.figures.drawing.surface import draw_surface
from shrec_viewer.report.figures.palettes import PALETTES, find_palette
from shrec_viewer.report.tables.text import escape_latex
from shrec_viewer.resources import resource

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FigureFormat = Literal["svg", "pdf", "png", "pgf"]

#: Resolution of PNG files: required by publishers for colour images.
DPI = 300

#: Characters of a name; longer ones are shortened in the middle, as they would leave no space for the axes.
MAX_NAME_LENGTH = 60

#: Characters of the label of an axis. TeX has no lengths above 5.7 m, which a label of 5,000 characters exceeds.
MAX_LABEL_LENGTH = 200

CREATOR = "SHREC Viewer"

#: Subset of the font that SVG files embed.
SVG_FONT = "fonts/Inter-print.woff"

#: Its characters: those that `packaging/print_font.py` selects, as far as the font has them.
SVG_CHARACTERS = frozenset(
    (
        *range(0x20, 0x7F), *range(0xA0, 0xAD), *range(0xAE, 0x149), *range(0x14A, 0x180), *range(0x391, 0x3A2),
        *range(0x3A3, 0x3CA), *range(0x2080, 0x208A), *(ord(sign) for sign in "–—‘’“”…−×·≤≥≠≈→∞√ⁿ"),
    )
)  # fmt: skip

#: Program that matplotlib needs to measure the texts of a PGF file.
TEX = "xelatex"

#: Function that draws each kind of content.
DRAWERS: Mapping[type, Callable[[Any, Drawing], Any]] = {
    Plot: draw_plot,
    Slopes: draw_slopes,
    Matrix: draw_matrix,
    Intervals: draw_intervals,
    Bars: draw_bars,
    Differences: draw_changes,
    Surface: draw_surface,
    Scatter: draw_scatter,
    Strips: draw_strips,
    Sheet: draw_sheet,
    RankRows: draw_rank_rows,
    FigureDrawing: draw_drawing,
}

#: Contents that have images; a PGF file refers to files with them, and has all others as vectors.
IMAGE_CONTENTS = (Strips, Sheet, RankRows, FigureDrawing)

#: Texts that may be longer than names: the title, labels of axes, and messages.
PLAIN_FIELDS = frozenset(
    (
        *("title", "x_label", "y_label", "value_label", "row_label", "column_label"),
        *("note", "notes", "problem", "gains", "losses", "text", "sentence"),
    )
)

#: Texts that are not shown.
STYLE_FIELDS = frozenset(
    (
        *("colour", "dash", "marker", "emphasis", "token", "x_ticks", "scale", "fill", "line"),
        *("key", "selected", "short_x_labels", "short_y_labels"),
    )
)

#: Held while matplotlib renders: its settings (`rc_context`) are shared by all threads.
_RENDER_LOCK = Lock()


class FigureError(ShrecViewerError):
    """A figure could not be rendered; the text says why."""


def render_formats(
    figure: FigureContent,
    formats: Sequence[FigureFormat],
    cancelled: Callable[[], bool],
    *,
    width: float = COLUMN_MM,
    palette: str = PALETTES[0].key,
    dpi: int = DPI,
) -> dict[FigureFormat, bytes]:
    """Render a figure in several formats; for background threads.

    A background thread is enough: matplotlib blocks the main thread for 30 to 150 ms once, while its fonts are loaded,
    then for less than 60 ms (bar for rare actions: 400 ms). A worker process took a second to start and 80 MB.

    Parameters
    ----------
    cancelled : callback, called before each format.
    width, palette, dpi : see `figure_bytes`.

    Raises
    ------
    Cancelled
        When `cancelled` returns True.
    FigureError
        See `figure_bytes`.
    """
    files: dict[FigureFormat, bytes] = {}
    for form in formats:
        if cancelled():
            raise Cancelled
        files[form] = figure_bytes(figure, form, width, palette, dpi=dpi)
    return files


def figure_bytes(
    content: FigureContent,
    form: FigureFormat,
    width: float = COLUMN_MM,
    palette: str = PALETTES[0].key,
    *,
    dpi: int = DPI,
) -> bytes:
    """Render a figure to the bytes of one file; see `figure_parts`.

    Raises
    ------
    FigureError
        Also when it is a PGF file with images, which are files of their own.
    """
    found, images = figure_parts(content, form, width, palette, dpi=dpi)
    if images:
        raise FigureError("a PGF file with images consists of several files; choose PDF, SVG or PNG")
    return found


def figure_parts(
    content: FigureContent,
    form: FigureFormat,
    width: float = COLUMN_MM,
    palette: str = PALETTES[0].key,
    *,
    dpi: int = DPI,
) -> tuple[bytes, Mapping[str, bytes]]:
    """Render a figure to the bytes of a file, and the images that a PGF file refers to, by their names in it.

    Deterministic: no dates, no random names, the settings and fonts of the program, and for characters
    that these lack installed ones. PDF and SVG embed the fonts they
    need, and text in them stays text; an SVG with characters that the embedded font lacks has its text as outlines.
    Names are never interpreted. A PGF file has the fonts of the document that includes it.

    Parameters
    ----------
    form : file format.
    width : in millimetres, text included.
    palette : key of one of `PALETTES`.
    dpi : of a PNG, and of images in other formats.

    Raises
    ------
    FigureError
        When PGF is requested without XeLaTeX, or matplotlib fails.
    """
    is_pgf = form == "pgf"
    if is_pgf and shutil.which(TEX) is None:
        raise FigureError(
            f"a PGF file requires XeLaTeX, and there is no program '{TEX}'; install TeX Live, or choose PDF"
        )
    title = printable(content.title)
    content = _with_plain_texts(content)
    has_images = not is_pgf or isinstance(content, IMAGE_CONTENTS)
    drawing = Drawing(width, find_palette(palette), has_images, _notes(content))
    # PGF files have the fonts of the document that includes them.
    with figure_settings("" if is_pgf else _shown_texts(content)), _latex_escapes() if is_pgf else nullcontext():
        return _render(content, form, drawing, title, dpi)


def _notes(content: FigureContent) -> tuple[str, ...]:
    return () if isinstance(content, FigureDrawing) else content.notes


def matplotlib_figure(content: FigureContent, width: float = COLUMN_MM, palette: str = PALETTES[0].key) -> "Figure":
    """A figure of matplotlib with its layout done, to be changed, saved or shown in a notebook.

    Parameters
    ----------
    width, palette : see `figure_bytes`.

    Raises
    ------
    FigureError
        See `figure_bytes`.
    """
    content = _with_plain_texts(content)
    with figure_settings(_shown_texts(content)):
        figure = DRAWERS[type(content)](content, Drawing(width, find_palette(palette), notes=_notes(content)))
        if (layout := figure.get_layout_engine()) is not None:
            layout.execute(figure)
            figure.set_layout_engine("none")
    return figure


@contextmanager
def figure_settings(texts: str) -> Iterator[None]:
    """Settings of matplotlib for a figure with these texts, for one thread at a time.

    Raises
    ------
    FigureError
        For every error of matplotlib.
    """
    from matplotlib import rc_context, rcdefaults, rcParams

    with _RENDER_LOCK, warnings.catch_warnings(), rc_context():
        # matplotlib warns on standard error of each character that no font has; it is drawn as a box.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        register_fonts()
        rcdefaults()
        for name, value in settings(font_families(texts)).items():
            rcParams[name] = value  # type: ignore[index]
        try:
            yield
        except ShrecViewerError:
            raise
        except Exception as error:
            raise FigureError(f"{type(error).__name__}: {error}") from error


def _render(
    content: Any, form: FigureFormat, drawing: Drawing, title: str, dpi: int
) -> tuple[bytes, Mapping[str, bytes]]:
    from matplotlib import rcParams
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    if form == "svg" and not _svg_font_has(content):
        rcParams["svg.fonttype"] = "path"
    if form == "pgf":
        rcParams["image.composite_image"] = True  # one file instead of one for each image
    figure = DRAWERS[type(content)](content, drawing)
    FigureCanvasAgg(figure)
    if form == "pgf":
        return _pgf_parts(figure, dpi)
    file = BytesIO()
    with _small_font_subsets() if form == "pdf" else nullcontext():
        figure.savefig(file, format=form, dpi=dpi, metadata=_metadata(form, title))
    return (_embed_font(file.getvalue()) if form == "svg" else file.getvalue()), {}


def _pgf_parts(figure: "Figure", dpi: int) -> tuple[bytes, Mapping[str, bytes]]:
    """A PGF file and its images; matplotlib 3.11 writes images next to a file, and none for a stream."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "figure.pgf")
        figure.savefig(path, format="pgf", dpi=dpi)
        return path.read_bytes(), {one.name: one.read_bytes() for one in sorted(Path(folder).glob("*.png"))}


@contextmanager
def _small_font_subsets() -> Iterator[None]:
    """Embed fonts without their tables for text layout, as matplotlib 3.11 positions each glyph of a PDF file.

    With them, a plot takes 0.6 s of processor time instead of 0.2 s. Matplotlib has no argument for dropped tables, and
    fontTools 4.68 parses tables that are dropped; so they are deleted from each font that is loaded.
    """
    from matplotlib.backends import _backend_pdf_ps

    subset: Any = getattr(_backend_pdf_ps, "subset")  # noqa: B009 - it has no type
    original = subset.load_font

    def load_font(*arguments: Any, **options: Any) -> Any:
        font = original(*arguments, **options)
        for table in ("GDEF", "GPOS", "GSUB"):
            if table in font:
                del font[table]
        return font

    subset.load_font = load_font
    try:
        yield
    finally:
        subset.load_font = original


@contextmanager
def _latex_escapes() -> Iterator[None]:
    """Escape all texts of PGF files; matplotlib 3.11 escapes the minus sign only, and has no public hook for it."""
    from matplotlib.backends import backend_pgf

    name = "_tex_escape"
    original = getattr(backend_pgf, name)
    setattr(backend_pgf, name, latex_text)
    try:
        yield
    finally:
        setattr(backend_pgf, name, original)


def latex_text(text: str) -> str:
    r"""Escape a text for LaTeX; the minus sign is not in all fonts.

    Examples
    --------
    >>> print(latex_text("50% of $A_1 & B--2"))
    50\% of \$A\_1 \& B-{}-2
    """
    return escape_latex(text).replace(MINUS, r"\ensuremath{-}")


def _with_plain_texts(value: Any, name: str = "") -> Any:
    """A record with all texts as every format can contain them; matplotlib 3.11 fails for surrogates.

    Parameters
    ----------
    name : of the field that has this value.
    """
    if isinstance(value, str):
        return shorten(printable(value), MAX_LABEL_LENGTH if name in PLAIN_FIELDS else MAX_NAME_LENGTH)
    if isinstance(value, tuple):
        return tuple(_with_plain_texts(part, name) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        texts = [field.name for field in fields(value) if field.name not in STYLE_FIELDS]
        return replace(value, **{text: _with_plain_texts(getattr(value, text), text) for text in texts})
    return value


def shorten(name: str, length: int) -> str:
    """A name shortened in the middle to an even number of characters."""
    return name if len(name) <= length else f"{name[: length // 2 - 1]}…{name[-(length // 2) :]}"


def _texts(value: Any) -> str:
    """All texts of a record that may be drawn, together."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return "".join(map(_texts, value))
    if is_dataclass(value) and not isinstance(value, type):
        return "".join(_texts(getattr(value, field.name)) for field in fields(value) if field.name not in STYLE_FIELDS)
    return ""


def missing_characters(content: FigureContent) -> str:
    """Characters of a figure that neither its fonts nor installed ones have; they are drawn as boxes.

    In the order of their occurrence. Not those of PGF files.
    """
    register_fonts()
    texts = _shown_texts(content)
    known = set[int]().union(*map(font_characters, font_families(texts)))
    return "".join(dict.fromkeys(letter for letter in texts if ord(letter) not in known and letter.isprintable()))


def _shown_texts(content: Any) -> str:
    """All texts that are drawn, as every format can contain them; the title is not."""
    return _texts(_with_plain_texts(replace(content, title="")))


def _svg_font_has(content: Any) -> bool:
    """Whether the font embedded in SVG files has all characters of a figure."""
    return {ord(letter) for letter in _texts(replace(content, title=""))} <= SVG_CHARACTERS


def _metadata(form: FigureFormat, title: str) -> dict[str, Any]:
    if form == "svg":
        return {"Title": title, "Creator": CREATOR, "Date": None, "Format": None, "Type": None}
    if form == "pdf":
        return {"Title": title, "Creator": CREATOR, "Producer": None, "CreationDate": None}
    return {"Title": title, "Software": CREATOR}


def _embed_font(svg: bytes) -> bytes:
    """Embed the Inter font into an SVG."""
    font = base64.b64encode(resource(SVG_FONT).read_bytes()).decode("ascii")
    style = (
        f'<style type="text/css">@font-face{{font-family:"{FAMILY}";'
        f'src:url("data:font/woff;base64,{font}") format("woff")}}</style>'
    )
    svg = svg.replace(b"'DejaVu Sans'", b"'DejaVu Sans', sans-serif")
    return svg.replace(b"<defs>", f"<defs>\n  {style}".encode(), 1)
