"""Reads MTL files: the colour and the picture of each material that an OBJ file names."""

from dataclasses import dataclass
from math import isfinite

_OPTIONS = {
    **dict.fromkeys(("-blendu", "-blendv", "-boost", "-texres", "-clamp", "-imfchan", "-bm", "-cc", "-type"), 1),
    **{"-mm": 2, "-o": 3, "-s": 3, "-t": 3},
}
"""Options before the name of a picture and how many words may follow each, by the specification of 1995."""


@dataclass
class Material:
    """What of a material is drawn.

    Attributes
    ----------
    colour : sRGB in 0..1, of ``Kd``; None where it has none.
    picture : name of the file of ``map_Kd``, as written; "" without.
    scale, offset : of texture coordinates, ``-s`` and ``-o``: the picture is looked up at ``scale * uv + offset``.
    """

    colour: tuple[float, float, float] | None = None
    picture: str = ""
    scale: tuple[float, float] = (1.0, 1.0)
    offset: tuple[float, float] = (0.0, 0.0)


def parse_mtl(text: str) -> dict[str, Material]:
    """Materials by name; lines that cannot be understood are passed over, as those for light and shine are."""
    materials: dict[str, Material] = {}
    current = Material()  # what stands before the first name belongs to none
    for line in text.replace("\r", "\n").split("\n"):
        key, _, rest = line.strip().replace("\t", " ").partition(" ")
        rest = rest.strip()
        if key.lower() == "newmtl" and rest:
            current = materials.setdefault(rest, Material())
        elif key.lower() == "kd":
            current.colour = _colour(rest) or current.colour
        elif key.lower() == "map_kd":
            _take_picture(current, rest)
    return materials


def _colour(rest: str) -> tuple[float, float, float] | None:
    try:
        values = [float(word) for word in rest.split("#")[0].split()[:3]]
    except ValueError:  # a spectral curve in a file of its own
        return None
    values *= 3 if len(values) == 1 else 1
    if len(values) != 3 or not all(isfinite(value) for value in values):
        return None
    red, green, blue = (min(max(value, 0.0), 1.0) for value in values)
    return red, green, blue


def _take_picture(material: Material, rest: str) -> None:
    """Name and options of a line ``map_Kd``; names may hold spaces."""
    words = rest.split(" ")
    while words and words[0].lower() in _OPTIONS:
        option, words = words[0].lower(), words[1:]
        values, words = _values(words, _OPTIONS[option])
        if option == "-s" and values:
            material.scale = (values[0], values[1] if len(values) > 1 else 1.0)
        elif option == "-o" and values:
            material.offset = (values[0], values[1] if len(values) > 1 else 0.0)
    material.picture = " ".join(words).strip()


def _values(words: list[str], most: int) -> tuple[list[float], list[str]]:
    """Up to `most` words that belong to an option, as numbers where they are some (0 otherwise), and what follows.

    Of options with three numbers only the first must stand; the name of the picture is no number.
    """
    values: list[float] = []
    while words and len(values) < most:
        try:
            values.append(float(words[0]))
        except ValueError:
            if values or most == 3:
                break
            values.append(0.0)
        words = words[1:]
    return values, words
