"""Names from files in figures: shown as they are, never interpreted, and fonts that contain them."""

import re
import shutil
import subprocess
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from fontTools.ttLib import TTFont
from matplotlib import font_manager

from shrec_viewer.charts.bars import Bar, Bars, Differences
from shrec_viewer.charts.intervals import IntervalRow, Intervals
from shrec_viewer.charts.matrix import Matrix
from shrec_viewer.charts.plot import Axes, Plot, PlotCurve
from shrec_viewer.charts.strips import Sheet, Tile
from shrec_viewer.report.figures.drawing.style import FALLBACKS, _installed_fonts, font_families
from shrec_viewer.report.figures.rendering import SVG_CHARACTERS, SVG_FONT, figure_bytes, missing_characters
from shrec_viewer.resources import resource

NAMES = (
    "<b>&amp;",
    "50%_\\n",
    "$x^2$",
    "{#~}",
    "\"q'",
    "a,b;c",
    "new\nline",
    "=1+1",
    "+A",
    "@B",
    "--x",
    "\u202eabc",
    "naïve",
)
OTHER_SCRIPTS = ("العربية", "שלום", "中文", "🦊 fox", "Ελλάδα")
SVG = "{http://www.w3.org/2000/svg}"

needs_tex = pytest.mark.skipif(shutil.which("xelatex") is None, reason="xelatex is not installed")
needs_poppler = pytest.mark.skipif(shutil.which("pdffonts") is None, reason="pdffonts is not installed")


def contents(names):
    """A figure of each kind without images with these names."""
    n, colour = len(names), "#2E00AB"
    x, values = np.linspace(0, 1, 5), np.linspace(0, 1, n * n).reshape(n, n)
    curves = tuple(PlotCurve(name, name, x, x * (number + 1) / n, colour) for number, name in enumerate(names))
    rows = tuple(IntervalRow(name, colour, "solid", "", 0.5, 0.4, 0.6, "a", name) for name in names)
    return (
        Plot(names[0], Axes(names[1], names[2], (0, 1), (0, 1)), curves),
        Matrix(
            values,
            names,
            names,
            0.0,
            1.0,
            groups=names,
            title=names[0],
            row_label=names[1],
            column_label=names[2],
            value_label=names[3],
        ),
        Intervals(names[0], names[1], rows),
        Bars(names[0], names[1], tuple(Bar(name, 0.5, colour) for name in names), (0.0, 1.0)),
        Differences(names[0], names[1], names, np.linspace(-1, 1, n), False, names[2], names[3]),
    )


def shown_text(svg):
    root = ElementTree.fromstring(svg)
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


def test_svg_shows_names_as_they_are():
    for content in contents(NAMES):
        svg = figure_bytes(content, "svg", 174.0)
        texts = shown_text(svg)
        for name in ("<b>&amp;", "$x^2$", "{#~}", "new\\nline", "=1+1", "@B", "--x", "\\u202eabc", "50%_\\n"):
            assert name in texts, (type(content), name)
        assert not re.search(rb"<(script|b|foreignObject)\b", svg)


def test_svg_with_characters_outside_the_embedded_font_has_outlines():
    for content in contents((*OTHER_SCRIPTS, "Latin")):
        svg = figure_bytes(content, "svg", 174.0)
        assert not shown_text(svg), "text would need a font of the reader"
        assert b"<use " in svg
    assert shown_text(figure_bytes(contents(("A", "B", "C", "D"))[0], "svg"))


def test_characters_that_no_font_has_are_listed(only_font):
    only_font.clear()
    _installed_fonts.cache_clear()
    content = contents((*NAMES, *OTHER_SCRIPTS))[0]
    assert missing_characters(content) == "中文🦊"
    assert not missing_characters(contents(NAMES)[1])


def test_the_embedded_font_has_its_characters():
    ttlib = pytest.importorskip("fontTools.ttLib")
    with ttlib.TTFont(resource(SVG_FONT)) as font:
        assert set(font.getBestCmap()) >= SVG_CHARACTERS


@needs_poppler
def test_pdf_embeds_all_fonts(tmp_path):
    tile = Tile(None, "why: <no & image>", "中文 caption", OTHER_SCRIPTS[0], level=1)
    # Large fonts, as those of Chinese, take time; each kind has names that Inter lacks.
    kinds = (contents((*NAMES[:4], *OTHER_SCRIPTS))[0], *contents((*NAMES[:4], *OTHER_SCRIPTS[:2]))[1:])
    for number, content in enumerate((*kinds, Sheet("s", (tile,) * 3, 3))):
        path = tmp_path / f"{number}.pdf"
        path.write_bytes(figure_bytes(content, "pdf", 174.0))
        rows = subprocess.run(["pdffonts", path], capture_output=True, text=True, check=True).stdout.splitlines()[2:]
        assert rows
        for row in rows:
            assert "Type 3" not in row
            assert re.search(r"\byes\b", row), row  # embedded


@needs_tex
@needs_poppler
def test_pgf_compiles_and_shows_names_as_they_are(tmp_path):
    inputs = []
    for number, content in enumerate(contents(NAMES)):
        (tmp_path / f"f{number}.pgf").write_bytes(figure_bytes(content, "pgf", 174.0))
        inputs.append(rf"\noindent\input{{f{number}.pgf}}\newpage")
    document = [
        r"\documentclass{article}\usepackage[margin=1cm]{geometry}\usepackage{pgf}",
        r"\begin{document}",
        *inputs,
    ]
    (tmp_path / "d.tex").write_text("\n".join([*document, r"\end{document}"]))
    done = subprocess.run(
        ["xelatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "d.tex"],
        cwd=tmp_path, capture_output=True, text=True, errors="replace",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    text = subprocess.run(["pdftotext", "-layout", "d.pdf", "-"], cwd=tmp_path, capture_output=True, text=True).stdout
    for name in ("<b>&amp;", "$x^2$", "{#~}", "new\\nline", "=1+1", "@B", "50%_\\n", "--x"):
        assert text.count(name) >= 4, name


def test_pgf_without_tex_is_one_message(monkeypatch):
    from shrec_viewer.report.figures.rendering import FigureError

    monkeypatch.setenv("PATH", "")
    with pytest.raises(FigureError, match="requires XeLaTeX"):
        figure_bytes(contents(NAMES)[3], "pgf")


@pytest.fixture
def only_font(tmp_path, monkeypatch):
    """A system whose only font, "Test Han", is Inter with the glyph of A at 中."""
    path = tmp_path / "han.ttf"
    font = TTFont(resource("fonts/Inter-Regular.ttf"))
    for table in font["cmap"].tables:
        table.cmap = {0x4E2D: "A"}
    for record in font["name"].names:
        if record.nameID in (1, 4, 6, 16):
            record.string = "TestHan" if record.nameID == 6 else "Test Han"
    font.save(path)
    fonts = [str(path)]
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda *_args, **_options: fonts)
    monkeypatch.setattr(font_manager.fontManager, "ttflist", list(font_manager.fontManager.ttflist))
    _installed_fonts.cache_clear()
    yield fonts
    _installed_fonts.cache_clear()


@needs_poppler
def test_an_installed_font_draws_what_the_own_fonts_lack(only_font, tmp_path):
    content = Bars("", "A", (Bar("中中", 0.5, "#2E00AB"), Bar("A", 0.2, "#2E00AB")), (0.0, 1.0))
    assert missing_characters(content) == ""
    path = tmp_path / "han.pdf"
    path.write_bytes(figure_bytes(content, "pdf"))
    assert path.read_bytes() == figure_bytes(content, "pdf")
    fonts = subprocess.run(["pdffonts", path], capture_output=True, text=True, check=True).stdout
    rows = {line.split()[0].partition("+")[2]: line.split() for line in fonts.splitlines()[2:]}
    assert {"TestHan", "Inter-Regular"} <= set(rows)
    assert all(row[-5] == "yes" for row in rows.values())  # embedded
    assert not shown_text(figure_bytes(content, "svg"))  # outlines
    # Only figures with such names use it.
    latin = replace(content, bars=content.bars[1:])
    assert font_families("A") == FALLBACKS
    only_font.clear()
    _installed_fonts.cache_clear()
    assert font_families("中") == FALLBACKS
    assert missing_characters(content) == "中"
    assert missing_characters(latin) == ""


def test_damaged_fonts_of_the_system_are_not_used(only_font, tmp_path):
    damaged = tmp_path / "damaged.ttf"
    damaged.write_bytes(b"OTTO" + bytes(40))
    only_font += [str(damaged), str(tmp_path / "absent.ttf")]
    _installed_fonts.cache_clear()
    assert font_families("中🦊") == [*FALLBACKS, "Test Han"]
