"""Makes the small font that exported SVG graphs carry: the letters of western names and of formulas, compressed.

    python packaging/print_font.py

Needs fonttools, which comes with matplotlib.
"""

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter, load_font, save_font

FONTS = Path(__file__).resolve().parents[1] / "resources" / "fonts"

LETTERS = (
    *range(0x20, 0x7F),
    *range(0xA0, 0x180),
    *range(0x391, 0x3CA),
    *range(0x2080, 0x208A),
    *(ord(sign) for sign in "–—‘’“”…−×·≤≥≠≈→∞√ⁿ"),
)
"""Basic Latin, Latin-1 and Latin Extended A, Greek, subscript digits, dashes, quotes and the signs of our axes."""


def main() -> int:
    """Write ``Inter-print.woff`` beside the font that it is cut from."""
    options = Options(flavor="woff", hinting=False, layout_features=["kern", "tnum"], recalc_timestamp=False)
    font = load_font(str(FONTS / "Inter-Regular.ttf"), options)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=LETTERS)
    subsetter.subset(font)
    save_font(font, str(FONTS / "Inter-print.woff"), options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
