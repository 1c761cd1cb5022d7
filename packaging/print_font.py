"""Subset the font that is embedded in exported SVG graphs: western and Greek characters, compressed.

    python packaging/print_font.py

Requires fonttools, which matplotlib installs.
"""

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter, load_font, save_font

FONTS = Path(__file__).resolve().parents[1] / "resources" / "fonts"

CHARACTERS = (
    *range(0x20, 0x7F),
    *range(0xA0, 0x180),
    *range(0x391, 0x3CA),
    *range(0x2080, 0x208A),
    *(ord(sign) for sign in "–—‘’“”…−×·≤≥≠≈→∞√ⁿ"),
)
"""Basic Latin, Latin-1 and Latin Extended A, Greek, subscript digits, dashes, quotes and the signs of axis labels."""


def main() -> int:
    """Write ``Inter-print.woff`` next to the full font."""
    options = Options(flavor="woff", hinting=False, layout_features=["kern", "tnum"], recalc_timestamp=False)
    font = load_font(str(FONTS / "Inter-Regular.ttf"), options)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=CHARACTERS)
    subsetter.subset(font)
    save_font(font, str(FONTS / "Inter-print.woff"), options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
