"""Documents are read by records: what is wrong is left out with its path, the rest is kept, and written as read."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from shrec_viewer.formats.io.limits import MAX_DEPTH, MAX_NAME_BYTES
from shrec_viewer.formats.io.schema import (
    INDEX,
    Codec,
    Fault,
    Level,
    Name,
    Text,
    known_keys,
    read_data,
    stored,
    to_data,
)

Key = Annotated[Text, "in lower case"]


class Settings(TypedDict, total=False):
    up: Literal["Y", "Z"]
    angle: Annotated[float, Meta(ge=-90, le=90, description="a number of degrees")]


@dataclass(frozen=True)
class Pair:
    """A record that msgspec reads in one step."""

    query: Text
    level: Level
    reason: Text = ""


@dataclass(frozen=True)
class MarkedPair:
    """The same, read field by field, as a type has a codec."""

    query: Key
    level: Level
    reason: Text = ""


@dataclass(frozen=True)
class Options:
    order: str | None = field(default=None, metadata=stored(choices=("names", "numbers")))
    size: int = field(default=100, metadata=stored(choices=(85, 100), is_open=True))
    similar: bool = False


@dataclass(frozen=True)
class Entry:
    path: Path
    options: Options = field(default_factory=Options, metadata=stored(is_inline=True))
    index: int = field(default=0, metadata=stored(INDEX))


@dataclass(frozen=True)
class Leaf:
    names: tuple[Key, ...]


@dataclass(frozen=True)
class Branch:
    parts: "tuple[Leaf | Branch, ...]"

    def __post_init__(self) -> None:
        if not self.parts:
            raise ValueError("has no parts")


@dataclass(frozen=True)
class Document:
    file: Path = field(metadata=stored(None))
    name: Name | None = field(default=None, metadata=stored("head.name"))
    folder: Path | None = field(default=None, metadata=stored("head.folder"))
    entries: Annotated[tuple[Entry, ...], Meta(max_length=3)] = ()
    pairs: tuple[Pair, ...] = field(default=(), metadata=stored("edits.pairs"))
    hidden: frozenset[Text] = field(default=frozenset(), metadata=stored("edits.hidden"))
    levels: Mapping[str, Mapping[str, Level]] = field(default_factory=dict)
    colour: tuple[int, int, int] = (0, 0, 0)
    settings: Settings = field(default_factory=Settings)
    tree: Leaf | Branch = field(default=Leaf(()))
    view: Mapping[str, Any] = field(default_factory=dict)


def lower(key: str) -> str:
    if key != key.lower():
        raise ValueError(f"must be in lower case, not {key!r}")
    return key


CODECS = {Path: Codec(Name, Path), Key: Codec(Text, lower)}
FILE = Path("file")
FULL = {
    "head": {"name": "B", "folder": "a/b"},
    "entries": [{"path": "x", "order": "names", "size": 99}, {"path": "y", "similar": True}],
    "edits": {"pairs": [{"query": "q", "level": 2, "reason": ""}], "hidden": ["A", "B"]},
    "levels": {"q": {"cat": 1}},
    "colour": [1, 2, 3],
    "settings": {"up": "Z", "angle": 10},
    "tree": {"parts": [{"names": ["a"]}, {"parts": [{"names": ["b", "c"]}]}]},
    "view": {"any": [None, {"of": 2.5}]},
}
EXPECTED = Document(
    FILE,
    "B",
    Path("a/b"),
    (Entry(Path("x"), Options("names", 99), 0), Entry(Path("y"), Options(similar=True), 1)),
    (Pair("q", 2),),
    frozenset({"A", "B"}),
    {"q": {"cat": 1}},
    (1, 2, 3),
    {"up": "Z", "angle": 10},
    Branch((Leaf(("a",)), Branch((Leaf(("b", "c")),)))),
    {"any": [None, {"of": 2.5}]},
)


def read(data: object) -> tuple[Document, list[str]]:
    document, faults = read_data(Document, data, CODECS, file=FILE)
    return document, [str(fault) for fault in faults]


def test_a_whole_document_is_read_and_written():
    assert read(FULL) == (EXPECTED, [])
    written = to_data(EXPECTED, CODECS)
    assert "file" not in written
    assert read(written) == (EXPECTED, [])
    assert to_data(Document(FILE), CODECS) == {"tree": {"names": []}, "colour": [0, 0, 0]}
    assert read({}) == (Document(FILE), [])


def changed(path: tuple[str | int, ...], value: object) -> dict[str, Any]:
    """The full document with another value at a path."""
    if not path:
        return value
    table = {**FULL}
    inner = table
    for key in path[:-1]:
        inner[key] = inner[key].copy()
        inner = inner[key]
    inner[path[-1]] = value
    return table


LONG, NOT_A_NUMBER = "x" * 5_000, float("nan")
ANGLE = "'settings.angle' must be a number of degrees from -90 to 90"

WRONG: list[tuple[tuple[str | int, ...], object, dict[str, Any], str]] = [
    (("head", "name"), 3, {"name": None}, "'head.name' is not text"),
    (("head", "name"), " ", {"name": None}, "'head.name' is not text"),
    (("head", "name"), LONG, {"name": None}, f"'head.name' has more than {MAX_NAME_BYTES:,} characters, the limit"),
    (("head", "nmae"), 3, {}, "'head.nmae' is unknown"),
    (("head",), [1], {"name": None, "folder": None}, "'head' is not a table"),
    (("edits", "hidden"), "A", {"hidden": frozenset()}, "'edits.hidden' is not a list"),
    (("edits", "hidden", 0), 7, {"hidden": frozenset("B")}, "'edits.hidden.0' is not text"),
    (("edits", "pairs", 0, "level"), 256, {"pairs": ()}, "'edits.pairs.0.level' must be an integer from 0 to 255"),
    (("edits", "pairs", 0, "level"), True, {"pairs": ()}, "'edits.pairs.0.level' must be an integer from 0 to 255"),
    (("edits", "pairs", 0, "reason"), 1, {}, "'edits.pairs.0.reason' is not text"),
    (("edits", "pairs", 0, "why"), 1, {}, "'edits.pairs.0.why' is unknown"),
    (("edits", "pairs"), {}, {"pairs": ()}, "'edits.pairs' is not a list of tables"),
    (("levels", "q", "cat"), 1.5, {"levels": {"q": {}}}, "'levels.q.cat' must be an integer from 0 to 255"),
    (("levels", "q"), 1, {"levels": {}}, "'levels.q' is not a table"),
    (("colour",), [1, 2], {"colour": (0, 0, 0)}, "'colour' has another type"),
    (("settings", "up"), "X", {"settings": {"angle": 10}}, "'settings.up' must be one of Y, Z, not 'X'"),
    (("settings", "angle"), NOT_A_NUMBER, {"settings": {"up": "Z"}}, ANGLE),
    (("settings", "zoom"), 1, {}, "'settings.zoom' is unknown"),
    (("tree", "parts", 0, "names", 0), "A", {}, "'tree.parts.0.names.0' must be in lower case, not 'A'"),
    (("tree", "parts"), [], {"tree": Leaf(())}, "'tree' has no parts"),
    (("view",), 7, {"view": {}}, "'view' is not a table"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "changes", "text"), WRONG)
def test_a_wrong_value_is_left_out_with_its_path(path, value, changes, text):
    document, faults = read(changed(path, value))
    assert faults == [text]
    if "tree" in path and not changes:
        assert document == replace(EXPECTED, tree=Branch((Leaf(()), Branch((Leaf(("b", "c")),)))))
    else:
        assert document == replace(EXPECTED, **changes)


def test_a_record_without_a_required_value_is_left_out_and_others_keep_their_index():
    entries = [{"order": "names"}, {"path": ""}, {"path": "x", "order": "size"}]
    document, faults = read({"entries": entries})
    assert document.entries == (Entry(Path("x"), Options(), 2),)
    assert faults == [
        "'entries.0' has no 'path'",
        "'entries.1.path' is not text",
        "'entries.2.order' must be one of names, numbers, not 'size'",
    ]
    assert read_data(Entry, {"order": "names"}, CODECS) == (None, [Fault((), "has no 'path'")])
    assert read_data(Entry, 3, CODECS) == (None, [Fault((), "is not a table")])


def test_a_list_is_read_up_to_its_limit():
    document, faults = read({"entries": [{"path": f"{number}"} for number in range(9)]})
    assert len(document.entries) == 3
    assert faults == ["'entries.3' is one of 9 entries, more than 3, the limit"]


def test_deep_data_end_in_a_fault():
    tree: dict[str, Any] = {"names": []}
    for _ in range(50_000):
        tree = {"parts": [tree]}
    document, faults = read({"tree": tree})
    assert document == Document(FILE)
    assert faults[0].endswith(f"is nested more than {MAX_DEPTH} levels deep, the limit")


def test_the_keys_of_a_document_are_known_by_table():
    assert known_keys(Document).keys() == FULL.keys()
    assert known_keys(Document)["head"].keys() == {"name", "folder"}
    assert known_keys(Entry).keys() == {"path", "order", "size", "similar"}


plain = st.none() | st.booleans() | st.integers(-9, 300) | st.floats() | st.text(max_size=3) | st.just([1])


@given(rows=st.lists(st.dictionaries(st.sampled_from(["query", "level", "reason", "other"]), plain), max_size=4))
def test_records_that_msgspec_reads_in_one_step_are_read_alike(rows):
    pairs, faults = read_data(tuple[Pair, ...], rows)
    marked, same = read_data(tuple[MarkedPair, ...], rows, {Key: Codec(Text, str)})
    assert [asdict(pair) for pair in pairs] == [asdict(pair) for pair in marked]
    assert faults == same
    assert to_data(pairs) == to_data(marked)


keys = st.sampled_from([*FULL, "names", "parts", "path"])
anything = st.recursive(
    plain.filter(lambda value: value is not None),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)


@given(data=st.dictionaries(st.sampled_from([*FULL, "other"]), anything))
def test_any_data_are_a_document_and_what_is_kept_has_no_faults(data):
    document, _ = read(data)
    again, faults = read(to_data(document, CODECS))
    assert again == document
    assert faults == []
