"""Frozen records as schemas of documents: read plain data value by value, and write records as plain data."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from msgspec import Meta, ValidationError, convert

from shrec_viewer.formats.io.limits import MAX_DEPTH, MAX_NAME_BYTES

Text = Annotated[str, Meta(max_length=MAX_NAME_BYTES)]
"""Text, which may be empty."""

Name = Annotated[str, Meta(max_length=MAX_NAME_BYTES, pattern=r"\S")]
"""Text that is not blank."""

Level = Annotated[int, Meta(ge=0, le=255)]
"""Relevance level; levels are stored as uint8."""

Place = tuple[str | int, ...]
"""Keys and 0-based indices that lead from a document to a value."""

Record = TypeVar("Record")


@dataclass(frozen=True)
class Fault:
    """A value of a document that was left out.

    Attributes
    ----------
    place : the value.
    problem : what is wrong with it, to follow its name: ``"is not text"``.
    known : the keys that are known; only for an unknown key.
    """

    place: Place
    problem: str
    known: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The place as text: ``view.panels.heat_map.values``."""
        return ".".join(map(str, self.place))

    def __str__(self) -> str:
        return f"'{self.path}' {self.problem}" if self.place else f"it {self.problem}"


class Codec(NamedTuple):
    """How a type is stored as another one.

    Attributes
    ----------
    kind : the other type.
    decode : the value from what is stored; ValueError, with a text as `Fault.problem`, if it is wrong.
    encode : what is stored for a value.
    """

    kind: Any
    decode: Callable[[Any], Any]
    encode: Callable[[Any], Any] = str


Codecs = Mapping[Any, Codec]
"""Codecs by type, as it is written in the annotation of a field."""


def stored(key: str | None = "", **metadata: Any) -> dict[str, Any]:
    """Metadata of a field of a record, for `dataclasses.field`; fields without it are stored under their names.

    Parameters
    ----------
    key : key in the document, with those of the tables around it: ``"benchmark.name"``; "" for the name of the field,
        ``"#"`` for the index of the record in its list, None for a field that is not stored.
    **metadata : ``choices``, the valid values; ``is_open=True`` if others are valid, too; ``is_inline=True`` for a
        record whose keys are those of the table `key`, or of the record that contains it if `key` is "".
    """
    return {"key": key, **metadata}


class StoredField(NamedTuple):
    """A field of a record that is stored: its name, its keys in the document, and its type."""

    name: str
    keys: tuple[str, ...]
    kind: Any
    is_required: bool
    is_inline: bool


@cache
def stored_fields(record: Any) -> tuple[StoredField, ...]:
    """The fields of a record that are stored."""
    hints, found = get_type_hints(record, include_extras=True), []
    for field in fields(record):
        metadata = {"key": "", "is_inline": False, **field.metadata}
        if (key := metadata["key"]) is None:
            continue
        keys = tuple(key.split(".")) if key else () if metadata["is_inline"] else (field.name,)
        kinds = [kind for kind in get_args(hints[field.name]) if kind is not NoneType]
        is_optional = get_origin(hints[field.name]) in (UnionType, Union) and len(kinds) == 1
        kind = kinds[0] if is_optional else hints[field.name]
        if "choices" in metadata and "is_open" not in metadata:
            kind = Literal[tuple(metadata["choices"])]
        is_required = field.default is MISSING and field.default_factory is MISSING
        found.append(StoredField(field.name, keys, kind, is_required, metadata["is_inline"]))
    return tuple(found)


@cache
def known_keys(record: Any) -> dict[str, Any]:
    """The keys of a record in a document; tables around its fields have their keys as the value, others None."""
    known: dict[str, Any] = {}
    for field in stored_fields(record):
        table = known
        for key in field.keys if field.is_inline else field.keys[:-1]:
            table = table.setdefault(key, {})
        table.update(known_keys(field.kind) if field.is_inline else {field.keys[-1]: None})
    return known


def read_data(kind: Any, data: object, codecs: Codecs | None = None, **given: Any) -> tuple[Any, list[Fault]]:
    """A value from plain data; what is wrong is left out, so that fields of records have their defaults.

    Parameters
    ----------
    kind : type of the value, such as a dataclass. A ValueError of its ``__post_init__`` is a fault of the record.
    data : of any kind; None is a missing value.
    codecs : types that are stored as other ones.
    **given : fields of the record that are not stored.

    Returns
    -------
    value
        None if the data are of another type, or a field without a default is missing or wrong.
    faults
        What was left out, in the order of the data.
    """
    reader = _Reader(codecs or {})
    found = reader.record(kind, data, (), given) if given else reader.value(kind, data, ())
    return None if found is MISSING else found, reader.faults


def to_data(value: Any, codecs: Codecs | None = None, kind: Any = None) -> Any:
    """Dictionaries, lists and plain values for a record, or another value of type `kind`.

    None, and empty tables and lists of fields with a default, are left out. Sets are sorted.
    """
    codecs = codecs or {}
    if (codec := codecs.get(kind)) is not None:
        return to_data(codec.encode(value), codecs, codec.kind)
    if is_dataclass(value):
        data: dict[str, Any] = {}
        for field in stored_fields(value.__class__):
            item = getattr(value, field.name)
            if item is None or field.keys == ("#",) or (not field.is_required and item in ((), {}, frozenset())):
                continue
            table, found = data, to_data(item, codecs, field.kind)
            for key in field.keys if field.is_inline else field.keys[:-1]:
                table = table.setdefault(key, {})
            table.update(found if field.is_inline else {field.keys[-1]: found})
        return data
    inner = next((arg for arg in reversed(get_args(kind)) if arg is not ...), None)
    if isinstance(value, Mapping):
        return {key: to_data(item, codecs, inner) for key, item in value.items() if item is not None}
    if isinstance(value, tuple | list | frozenset):
        return [to_data(item, codecs, inner) for item in (sorted(value) if isinstance(value, frozenset) else value)]
    return value


class _Reader:
    """Reads values, and collects what is wrong; a method returns MISSING for a wrong value."""

    def __init__(self, codecs: Codecs) -> None:
        self.faults: list[Fault] = []
        self._codecs = codecs

    def record(self, record: Any, data: object, place: Place, given: Mapping[str, Any] | None = None) -> Any:
        if not isinstance(data, dict):
            return self._fault(place, "is not a table")
        self._check_keys(data, known_keys(record), place)
        return self._fields(record, data, place, given or {})

    def _check_keys(self, data: Mapping[str, Any], known: Mapping[str, Any], place: Place) -> None:
        for key, value in data.items():
            if key not in known:
                self._fault((*place, key), "is unknown", tuple(known))
            elif known[key] and isinstance(value, dict):
                self._check_keys(value, known[key], (*place, key))
            elif known[key] and value is not None:
                self._fault((*place, key), "is not a table")

    def _fields(self, record: Any, data: object, place: Place, given: Mapping[str, Any]) -> Any:
        values = dict(given)
        for field in stored_fields(record):
            item, inner = data, (*place, *field.keys)
            for key in () if field.keys == ("#",) else field.keys:
                item = item.get(key) if isinstance(item, dict) else None
            if field.keys == ("#",):
                values[field.name] = place[-1]
            elif field.is_inline:
                values[field.name] = self._fields(field.kind, item, inner, {})
            elif item is not None:
                values[field.name] = self.value(field.kind, item, inner)
            elif field.is_required:
                return self._fault(place, f"has no '{'.'.join(field.keys)}'")
            if values.get(field.name) is MISSING:
                if field.is_required:
                    return MISSING
                del values[field.name]
        return self._made(lambda: record(**values), place)

    def value(self, kind: Any, data: Any, place: Place) -> Any:
        if (codec := self._codecs.get(kind)) is not None:
            inner = self.value(codec.kind, data, place)
            return MISSING if inner is MISSING else self._made(lambda: codec.decode(inner), place)
        if len(place) > MAX_DEPTH:
            return self._fault(place, f"is nested more than {MAX_DEPTH} levels deep, the limit")
        if get_origin(kind) in (UnionType, Union):  # of records: the one that knows the most keys
            keys = data.keys() if isinstance(data, dict) else ()
            kind = max(get_args(kind), key=lambda one: len(known_keys(one).keys() & keys))
        if is_dataclass(kind):
            return self.record(kind, data, place)
        kind, limit = (kind.__origin__, kind.__metadata__[0]) if _is_limited_list(kind) else (kind, Meta())
        origin, args = get_origin(kind), get_args(kind)
        if is_typeddict(kind):
            return self._table(get_type_hints(kind, include_extras=True), data, place)
        if origin is Mapping and get_origin(args[0]) is Literal:
            return self._table(dict.fromkeys(get_args(args[0]), args[1]), data, place)
        if origin is Mapping:
            kinds_of_keys = dict.fromkeys(data, args[1]) if isinstance(data, dict) else {}
            return self._table(kinds_of_keys, data, place)
        if origin in (tuple, frozenset) and args[-1] in (..., args[0]):
            return self._list(origin, args[0], data, place, limit.max_length)
        try:
            return convert(data, kind)
        except ValidationError:
            return self._fault(place, _problem(kind, data))

    def _table(self, kinds: Mapping[str, Any], data: object, place: Place) -> Any:
        if not isinstance(data, dict):
            return self._fault(place, "is not a table")
        self._check_keys(data, dict.fromkeys(kinds), place)
        found = {key: self.value(kinds[key], item, (*place, key)) for key, item in data.items() if key in kinds}
        return {key: item for key, item in found.items() if item is not MISSING}

    def _list(self, make: Callable[[Iterable[Any]], Any], kind: Any, data: Any, place: Place, limit: int | None) -> Any:
        if not isinstance(data, list):
            return self._fault(place, "is not a list of tables" if is_dataclass(kind) else "is not a list")
        if limit is not None and len(data) > limit:
            self._fault((*place, limit), f"is one of {len(data):,} entries, more than {limit:,}, the limit")
        found = [self.value(kind, item, (*place, index)) for index, item in enumerate(data[:limit])]
        return make(item for item in found if item is not MISSING)

    def _made(self, make: Callable[[], Any], place: Place) -> Any:
        try:
            return make()
        except ValueError as error:
            return self._fault(place, str(error))

    def _fault(self, place: Place, problem: str, known: tuple[str, ...] = ()) -> Any:
        self.faults.append(Fault(place, problem, known))
        return MISSING


def _is_limited_list(kind: Any) -> bool:
    return get_origin(kind) is Annotated and get_origin(kind.__origin__) in (tuple, frozenset)


def _problem(kind: Any, data: object) -> str:
    """What is wrong with a value that is none of a type, in words."""
    if get_origin(kind) is Literal:
        return f"must be one of {', '.join(map(str, get_args(kind)))}, not {str(data)[:80]!r}"
    limits = next((limit for limit in getattr(kind, "__metadata__", ()) if isinstance(limit, Meta)), Meta())
    base = getattr(kind, "__origin__", kind)
    if base is str:
        if isinstance(data, str) and limits.max_length is not None and len(data) > limits.max_length:
            return f"has more than {limits.max_length:,} characters, the limit"
        return f"must be {limits.description}" if limits.description else "is not text"
    if base not in (int, float):
        return {bool: "must be true or false"}.get(base, "has another type")
    what = limits.description or ("an integer" if base is int else "a number")
    if limits.le is not None:
        return f"must be {what} from {limits.ge:g} to {limits.le:g}"
    return f"must be {what}" + ("" if limits.ge is None else f" of {limits.ge:g} or more")


def suggestion(word: str, known: Iterable[str]) -> str:
    """A hint at the known word that is most similar; "" if none is."""
    close = get_close_matches(word, list(known), 1)
    return f" (did you mean '{close[0]}'?)" if close else ""
