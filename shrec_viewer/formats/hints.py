"""How a person settles what a reader could only guess: the option of a call, and the line of a `benchmark.toml`."""

import json

from shrec_viewer.formats.manifest import MANIFEST_NAME


def part_hint(table: str, key: str, option: str, place: str) -> str:
    """What names another file: ``--assessment b.txt, or in benchmark.toml: assessment.qrels = "b.txt"``.

    Parameters
    ----------
    table, key : of the manifest.
    option : of the command line, without dashes.
    place : the file, relative to the benchmark's folder.
    """
    return f"--{option} {place}, or in {MANIFEST_NAME}: {table}.{key} = {_text(place)}"


def order_hint(place: str, order: str) -> str:
    """What fixes the order of a matrix."""
    return f"--order {order}, or in {MANIFEST_NAME}: runs = [{{path = {_text(place)}, order = {_text(order)}}}]"


def direction_hint(place: str, *, similarity: bool) -> str:
    """What fixes whether larger is nearer."""
    option, value = ("--similarity", "true") if similarity else ("--distance", "false")
    return f"{option}, or in {MANIFEST_NAME}: runs = [{{path = {_text(place)}, similarity = {value}}}]"


def cells_hint(place: str, cells: str) -> str:
    """What fixes what the numbers of a matrix are."""
    line = f"runs = [{{path = {_text(place)}, cells = {_text(cells)}}}]"
    return f"--matrix-cells {_text(cells)}, or in {MANIFEST_NAME}: {line}"


def columns_hint(place: str, columns: str) -> str:
    """What fixes the columns of rank lists."""
    line = f"runs = [{{path = {_text(place)}, columns = {_text(columns)}}}]"
    return f"--list-columns {_text(columns)}, or in {MANIFEST_NAME}: {line}"


def _text(words: str) -> str:
    """A string as TOML writes it, which is as JSON does."""
    return json.dumps(words, ensure_ascii=False)
